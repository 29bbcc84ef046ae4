//! Heat kernel columns by Chebyshev polynomials of the sparse Laplacian: no eigendecomposition.
//!
//! With the spectrum in [0, β], z = 2λ/β − 1 and s = tβ/2,
//!
//! > exp(−tλ) = exp(−s) [ I₀(s) + 2 Σₖ (−1)ᵏ Iₖ(s) Tₖ(z) ],
//!
//! where Iₖ are modified Bessel functions (Druskin & Knizhnerman, 1989). |Tₖ| ≤ 1, so the series is
//! cut where the sum of the remaining coefficients is below the tolerance, and that sum bounds the
//! error in the spectral norm. About √(s log(1/ε)) terms are needed, each one product with L. All
//! times share the products.

use rayon::prelude::*;

use crate::error::{Error, Hint, Result};
use crate::graph::{Graph, Laplacian};
use crate::linalg::Matrix;
use crate::monitor::{Monitor, Progress};

/// Columns that go through the recurrence together: L is read once for all of them.
const BLOCK: usize = 8;

/// More terms than this would take hours; the time is surely a mistake.
const MOST_TERMS: usize = 5_000_000;

/// k_t(·, v) for every v in `sources`: for each time an n × |sources| matrix.
///
/// `tolerance` bounds the error of every entry.
///
/// # Errors
/// When a source is outside the graph, a time is negative or not finite, or the monitor stops it.
///
/// # Complexity
/// O(√(t β log(1/ε)) · |E| · |sources|) time, O(n · |sources| · |times|) numbers, where β is at most
/// twice the largest degree.
pub fn heat_columns(
    graph: &Graph,
    times: &[f64],
    sources: &[usize],
    tolerance: f64,
    monitor: &Monitor,
) -> Result<Vec<Matrix>> {
    let n = graph.node_count();
    if let Some(&outside) = sources.iter().find(|&&v| v >= n) {
        return Err(Error::parameter(
            "sources",
            outside,
            format!("nodes below {n}"),
        ));
    }
    if let Some(&time) = times.iter().find(|&&t| !(t >= 0.0 && t.is_finite())) {
        return Err(Error::parameter(
            "time",
            time,
            "a finite number, at least 0",
        ));
    }
    if !(tolerance > 0.0 && tolerance < 1.0) {
        return Err(Error::parameter(
            "tolerance",
            tolerance,
            "a number between 0 and 1",
        ));
    }
    monitor.reserve(
        "the heat of the anchors",
        (n as u64) * (sources.len() as u64) * (times.len() as u64) * 2 * 8,
        &[Hint::MoreMemory, Hint::FewerAnchors],
    )?;
    let laplacian = graph.laplacian();
    let bound = laplacian.largest_eigenvalue_bound();
    let series: Vec<Vec<f64>> = times
        .iter()
        .map(|&t| coefficients(0.5 * t * bound, tolerance))
        .collect::<Result<_>>()?;
    let terms = series.iter().map(Vec::len).max().unwrap_or(0);

    let blocks: Vec<Vec<f64>> = sources
        .par_chunks(BLOCK)
        .map(|chunk| filter_block(&laplacian, bound, &series, terms, chunk, monitor))
        .collect::<Result<_>>()?;

    let mut columns = vec![Matrix::zeros(n, sources.len()); times.len()];
    for (chunk, block) in blocks.iter().enumerate() {
        let width = BLOCK.min(sources.len() - chunk * BLOCK);
        for (time, matrix) in columns.iter_mut().enumerate() {
            for u in 0..n {
                let from = (time * n + u) * width;
                matrix.row_mut(u)[chunk * BLOCK..chunk * BLOCK + width]
                    .copy_from_slice(&block[from..from + width]);
            }
        }
    }
    Ok(columns)
}

/// Runs the three-term recurrence on one block of unit vectors; returns times × n × width sums.
fn filter_block(
    laplacian: &Laplacian<'_>,
    bound: f64,
    series: &[Vec<f64>],
    terms: usize,
    sources: &[usize],
    monitor: &Monitor,
) -> Result<Vec<f64>> {
    let width = sources.len();
    let size = laplacian.node_count() * width;
    let mut previous = vec![0.0; size];
    for (column, &v) in sources.iter().enumerate() {
        previous[v * width + column] = 1.0;
    }
    let mut sums = vec![0.0; series.len() * size];
    accumulate(&mut sums, series, 0, &previous);
    let mut current = vec![0.0; size];
    let mut product = vec![0.0; size];
    for k in 1..terms {
        if k == 1 {
            laplacian.apply_block(&previous, width, &mut current);
            // T₁ = z = (2/β) L − I.
            for (slot, &start) in current.iter_mut().zip(&previous) {
                *slot = 2.0 / bound * *slot - start;
            }
        } else {
            laplacian.apply_block(&current, width, &mut product);
            // Tₖ₊₁ = 2 z Tₖ − Tₖ₋₁.
            for ((old, &applied), &now) in previous.iter_mut().zip(&product).zip(&current) {
                *old = 2.0 * (2.0 / bound * applied - now) - *old;
            }
            std::mem::swap(&mut previous, &mut current);
        }
        accumulate(&mut sums, series, k, &current);
        let progress = Progress {
            stage: "heat columns",
            done: k,
            total: Some(terms),
            value: None,
        };
        if monitor.checkpoint(progress).is_some() {
            return Err(Error::Stopped("while computing the heat of the anchors"));
        }
    }
    Ok(sums)
}

fn accumulate(sums: &mut [f64], series: &[Vec<f64>], k: usize, term: &[f64]) {
    for (coefficients, sum) in series.iter().zip(sums.chunks_mut(term.len().max(1))) {
        if let Some(&coefficient) = coefficients.get(k) {
            for (slot, &value) in sum.iter_mut().zip(term) {
                *slot += coefficient * value;
            }
        }
    }
}

/// exp(−s) I₀(s), −2 exp(−s) I₁(s), 2 exp(−s) I₂(s), … until the rest sums to less than `tolerance`.
///
/// Miller's backward recurrence Iₖ₋₁ = Iₖ₊₁ + (2k/s) Iₖ, normalised by I₀ + 2 Σ Iₖ = exp(s).
fn coefficients(s: f64, tolerance: f64) -> Result<Vec<f64>> {
    if s == 0.0 {
        return Ok(vec![1.0]);
    }
    // I_k(s)/e^s falls like exp(−k²/2s) for k < s and faster than (es/2k)^k beyond.
    let digits = (1.0 / tolerance).ln() + 20.0;
    let start = (2.0 * digits * s).sqrt() + digits + 10.0;
    if start > MOST_TERMS as f64 {
        return Err(Error::parameter(
            "time",
            format!("one that needs about {start:.0} products with the Laplacian"),
            "a shorter diffusion",
        ));
    }
    let start = start as usize;
    let mut bessel = vec![0.0; start + 2];
    bessel[start] = 1e-280;
    for k in (1..=start).rev() {
        bessel[k - 1] = bessel[k + 1] + 2.0 * k as f64 / s * bessel[k];
        if bessel[k - 1] > 1e250 {
            for value in &mut bessel[k - 1..] {
                *value *= 1e-250;
            }
        }
    }
    let total = bessel[0] + 2.0 * bessel[1..].iter().sum::<f64>();
    let mut series: Vec<f64> = bessel
        .iter()
        .enumerate()
        .map(|(k, value)| {
            let sign = if k % 2 == 1 { -1.0 } else { 1.0 };
            let factor = if k == 0 { 1.0 } else { 2.0 };
            sign * factor * value / total
        })
        .collect();
    let mut rest = 0.0;
    while let Some(last) = series.last() {
        rest += last.abs();
        if rest > 0.5 * tolerance {
            break;
        }
        series.pop();
    }
    Ok(series)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spectral::{Spectrum, heat_kernel};
    use proptest::prelude::*;

    #[test]
    fn coefficients_match_tabulated_bessel_functions() {
        // I₀(1) and I₁(1), Abramowitz & Stegun, table 9.8.
        let (i0, i1) = (1.266_065_877_752_008, 0.565_159_103_992_485);
        let series = coefficients(1.0, 1e-14).unwrap();
        assert!((series[0] - i0 * (-1.0f64).exp()).abs() < 1e-14);
        assert!((series[1] + 2.0 * i1 * (-1.0f64).exp()).abs() < 1e-14);
    }

    #[test]
    fn series_evaluates_to_the_exponential() {
        for s in [1e-6, 0.3, 5.0, 80.0, 4000.0] {
            let series = coefficients(s, 1e-12).unwrap();
            for z in [-1.0f64, -0.7, 0.0, 0.4, 1.0] {
                let angle = z.acos();
                let sum: f64 = series
                    .iter()
                    .enumerate()
                    .map(|(k, c)| c * (k as f64 * angle).cos())
                    .sum();
                let want = (-s * (1.0 + z)).exp();
                assert!((sum - want).abs() < 1e-11, "s={s} z={z}: {sum} {want}");
            }
        }
    }

    fn random_graph(n: usize, density: f64, seed: u64) -> Graph {
        let mut state = seed.wrapping_mul(2) + 1;
        let mut next = move || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 33) as f64 / (1u64 << 31) as f64
        };
        let mut edges = Vec::new();
        for i in 0..n {
            for j in 0..i {
                if next() < density {
                    edges.push((i, j, 10.0 * next() - 1.0));
                }
            }
        }
        Graph::from_edges(n, &edges).unwrap()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn columns_agree_with_the_dense_kernel(
            n in 1usize..40, density in 0.0f64..1.0, time in 0.0f64..20.0, seed in 0u64..1000,
        ) {
            let graph = random_graph(n, density, seed);
            let spectrum = Spectrum::of(&graph, &Monitor::silent()).unwrap();
            let sources: Vec<usize> = (0..n).step_by(2).chain([0]).collect();
            let times = [time, 0.1 * time];
            let columns =
                heat_columns(&graph, &times, &sources, 1e-10, &Monitor::silent()).unwrap();
            for (t, matrix) in times.iter().zip(&columns) {
                let dense = heat_kernel(&spectrum, *t);
                for u in 0..n {
                    for (c, &v) in sources.iter().enumerate() {
                        prop_assert!((matrix[(u, c)] - dense[(u, v)]).abs() < 1e-9);
                    }
                }
            }
        }
    }

    #[test]
    fn bad_arguments_are_refused() {
        let graph = random_graph(4, 1.0, 1);
        let run = |times: &[f64], sources: &[usize], tolerance| {
            heat_columns(&graph, times, sources, tolerance, &Monitor::silent())
        };
        assert!(run(&[1.0], &[4], 1e-9).is_err());
        assert!(run(&[f64::NAN], &[0], 1e-9).is_err());
        assert!(run(&[-1.0], &[0], 1e-9).is_err());
        assert!(run(&[1e300], &[0], 1e-9).is_err());
        assert!(run(&[1.0], &[0], 0.0).is_err());
        assert!(run(&[1.0], &[], 1e-9).unwrap()[0].as_slice().is_empty());
    }
}
