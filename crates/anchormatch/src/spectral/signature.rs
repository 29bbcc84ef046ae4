//! Laplacian family signatures s_u(t) = Σₖ h(t; λₖ) φₖ(u)², one column per value of t.
//!
//! | kind | h(t; λ) | reference |
//! |---|---|---|
//! | heat | exp(−tλ) | Sun, Ovsjanikov, Guibas 2009 |
//! | wave | exp(−(t − log λ)²/2σ²), 0 at λ = 0 | Aubry, Schlickewei, Cremers 2011 |
//! | wavelet | g(tλ), a band-pass | Hammond, Vandergheynst, Gribonval 2011 |
//!
//! The **anchored** signature s_{p,u}(t) = Σₖ exp(−tλₖ) φₖ(p) φₖ(u) has one column per time and
//! anchor p: the heat that u receives from p. It needs no eigenpairs.

use super::Spectrum;
use super::chebyshev::heat_columns;
use crate::error::{Error, Result};
use crate::graph::Graph;
use crate::linalg::{Matrix, multiply_into};
use crate::monitor::Monitor;

/// The largest error of an anchored signature's entry.
const ANCHORED_TOLERANCE: f64 = 1e-10;

/// Logarithms of eigenvalues that differ by less are those of one eigenvalue.
const DEGENERATE: f64 = 1e-9;

/// Energies and width of a wave kernel signature.
#[derive(Debug, Clone, PartialEq)]
pub struct Wave {
    /// The values of t, which are logarithms of eigenvalues.
    pub energies: Vec<f64>,
    /// σ.
    pub width: f64,
}

impl Wave {
    /// `count` energies evenly from log λ₊ to log λₙ, σ seven steps wide (Aubry et al.), where λ₊ is
    /// the smallest nonzero eigenvalue over all the spectra, so that their signatures compare.
    ///
    /// Eigenvalues are divided by `scales`, one for each spectrum.
    ///
    /// # Errors
    /// When `count` is zero.
    pub fn covering(spectra: &[(&Spectrum, f64)], count: usize) -> Result<Self> {
        if count == 0 {
            return Err(Error::parameter("energies", count, "at least 1"));
        }
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for (spectrum, scale) in spectra {
            for (k, value) in spectrum.eigenvalues().iter().enumerate() {
                if !spectrum.is_null(k) {
                    low = low.min((value / scale).ln());
                    high = high.max((value / scale).ln());
                }
            }
        }
        if low > high {
            // No edge anywhere: every signature is zero.
            (low, high) = (0.0, 0.0);
        }
        if high - low <= DEGENERATE {
            // One eigenvalue, up to rounding: a width that follows rounding would show nothing else.
            high = low;
        }
        let step = (high - low) / (count.max(2) - 1) as f64;
        Ok(Self {
            energies: (0..count).map(|e| low + step * e as f64).collect(),
            width: if step > 0.0 { 7.0 * step } else { 1.0 },
        })
    }
}

/// Heat kernel signature: n rows, one column per time.
///
/// # Errors
/// When a time is negative or not finite.
pub fn heat_signature(spectrum: &Spectrum, times: &[f64]) -> Result<Matrix> {
    check(times, "time", |t| t >= 0.0)?;
    Ok(signature(spectrum, times, |t, value, _| (-t * value).exp()))
}

/// Wave kernel signature of eigenvalues divided by `scale`: n rows, one column per energy.
///
/// # Errors
/// When an energy is not finite, or the width or the scale is not positive.
pub fn wave_signature(spectrum: &Spectrum, wave: &Wave, scale: f64) -> Result<Matrix> {
    check(&wave.energies, "energy", |_| true)?;
    check(&[wave.width], "width", |w| w > 0.0)?;
    check(&[scale], "scale", |s| s > 0.0)?;
    let spread = 2.0 * wave.width * wave.width;
    Ok(signature(spectrum, &wave.energies, |t, value, null| {
        if null {
            0.0
        } else {
            let offset = t - (value / scale).ln();
            (-offset * offset / spread).exp()
        }
    }))
}

/// Wavelet signature: n rows, one column per scale.
///
/// g is Hammond et al.'s spline kernel: x² up to 1, a cubic to 2, 4/x² beyond.
///
/// # Errors
/// When a scale is negative or not finite.
pub fn wavelet_signature(spectrum: &Spectrum, scales: &[f64]) -> Result<Matrix> {
    check(scales, "scale", |s| s >= 0.0)?;
    Ok(signature(spectrum, scales, |t, value, null| {
        if null { 0.0 } else { band_pass(t * value) }
    }))
}

/// Heat received from each anchor: n rows, for each time one column per anchor.
///
/// # Errors
/// When an anchor is outside the graph, or a time is negative or not finite.
pub fn anchored_signature(
    graph: &Graph,
    anchors: &[usize],
    times: &[f64],
    monitor: &Monitor,
) -> Result<Matrix> {
    let blocks = heat_columns(graph, times, anchors, ANCHORED_TOLERANCE, monitor)?;
    let mut result = Matrix::zeros(graph.node_count(), anchors.len() * times.len());
    for (block, matrix) in blocks.iter().enumerate() {
        let start = block * anchors.len();
        for u in 0..graph.node_count() {
            result.row_mut(u)[start..start + anchors.len()].copy_from_slice(matrix.row(u));
        }
    }
    Ok(result)
}

/// `count` times in geometric steps from 4 ln 10/λₙ to 4 ln 10/λ₊ (Sun et al.).
#[must_use]
pub fn default_heat_times(spectrum: &Spectrum, count: usize) -> Vec<f64> {
    let Some((low, high)) = positive_range(spectrum) else {
        return vec![1.0; count];
    };
    let reach = 4.0 * std::f64::consts::LN_10;
    geometric(reach / high, reach / low, count)
}

/// Hammond et al.'s K: the wavelets' scales cover the eigenvalues from λₙ/K to λₙ.
const WAVELET_RANGE: f64 = 20.0;

/// Where the band-pass begins to fall.
const BAND_END: f64 = 2.0;

/// `count` scales after Hammond et al. (section 8.1): with λ_min = λₙ/20, in geometric steps from x₂/λₙ, whose
/// g(tλ) rises over the whole spectrum but its end, to x₂/λ_min, whose g(tλ) falls from λ_min on; x₂ = 2.
///
/// The scales depend on λₙ alone, so that they move little when the graph does. The finest comes first, where the
/// paper counts from the coarsest.
#[must_use]
pub fn default_wavelet_scales(spectrum: &Spectrum, count: usize) -> Vec<f64> {
    let Some((_, high)) = positive_range(spectrum) else {
        return vec![1.0; count];
    };
    geometric(BAND_END / high, WAVELET_RANGE * BAND_END / high, count)
}

fn signature(
    spectrum: &Spectrum,
    values: &[f64],
    response: impl Fn(f64, f64, bool) -> f64,
) -> Matrix {
    let n = spectrum.node_count();
    let mut squared = spectrum.eigenvectors().clone();
    for value in squared.as_mut_slice() {
        *value *= *value;
    }
    let filter = Matrix::from_fn(n, values.len(), |k, t| {
        response(values[t], spectrum.eigenvalues()[k], spectrum.is_null(k))
    });
    let mut result = Matrix::zeros(n, values.len());
    multiply_into(
        result.as_mut_slice(),
        squared.as_slice(),
        filter.as_slice(),
        n,
        n,
        values.len(),
    );
    result
}

fn band_pass(x: f64) -> f64 {
    if x < 1.0 {
        x * x
    } else if x <= 2.0 {
        -5.0 + x * (11.0 + x * (-6.0 + x))
    } else {
        4.0 / (x * x)
    }
}

fn positive_range(spectrum: &Spectrum) -> Option<(f64, f64)> {
    let low = (0..spectrum.node_count()).find(|&k| !spectrum.is_null(k))?;
    Some((spectrum.eigenvalues()[low], *spectrum.eigenvalues().last()?))
}

fn geometric(from: f64, to: f64, count: usize) -> Vec<f64> {
    let step = (to / from).ln() / (count.max(2) - 1) as f64;
    (0..count).map(|i| from * (step * i as f64).exp()).collect()
}

pub(super) fn check(values: &[f64], name: &'static str, valid: impl Fn(f64) -> bool) -> Result<()> {
    match values.iter().find(|&&v| !(v.is_finite() && valid(v))) {
        None => Ok(()),
        Some(value) => Err(Error::parameter(name, value, "a finite number in range")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spectral::heat_kernel;
    use proptest::prelude::*;

    fn graph_of(n: usize, weights: &[f64]) -> Graph {
        let mut edges = Vec::new();
        let mut weight = weights.iter();
        for i in 0..n {
            for j in 0..i {
                match weight.next() {
                    Some(&w) if w > 0.3 => edges.push((i, j, w)),
                    _ => {}
                }
            }
        }
        Graph::from_edges(n, &edges).unwrap()
    }

    /// All four kinds, side by side, with parameters that depend on eigenvalues only.
    fn all_signatures(graph: &Graph, anchors: &[usize]) -> Vec<Matrix> {
        let monitor = Monitor::silent();
        let spectrum = Spectrum::of(graph, &monitor).unwrap();
        let wave = Wave {
            energies: vec![-1.0, 0.0, 1.0, 2.0],
            width: 0.7,
        };
        vec![
            heat_signature(&spectrum, &[0.1, 1.0, 10.0]).unwrap(),
            wave_signature(&spectrum, &wave, 1.0).unwrap(),
            wavelet_signature(&spectrum, &[0.2, 1.0, 3.0]).unwrap(),
            anchored_signature(graph, anchors, &[0.1, 1.0], &monitor).unwrap(),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn relabelling_commutes(
            (n, weights, order) in (1usize..12).prop_flat_map(|n| {
                // Few distinct weights: symmetric graphs and degenerate eigenvalues are among them.
                let weight = prop_oneof![Just(0.0), Just(1.0), Just(0.5), 0.0f64..2.0];
                (
                    Just(n),
                    proptest::collection::vec(weight, n * (n - 1) / 2),
                    Just((0..n).collect::<Vec<_>>()).prop_shuffle(),
                )
            }),
        ) {
            let graph = graph_of(n, &weights);
            let permuted = graph.permuted(&order).unwrap();
            // New place k holds the old node order[k]; anchor at old node 0.
            let place = order.iter().position(|&old| old == 0).unwrap();
            let old = all_signatures(&graph, &[0]);
            let new = all_signatures(&permuted, &[place]);
            for (old, new) in old.iter().zip(&new) {
                for k in 0..n {
                    for (a, b) in old.row(order[k]).iter().zip(new.row(k)) {
                        prop_assert!((a - b).abs() < 1e-9, "{a} {b}");
                    }
                }
            }
            let monitor = Monitor::silent();
            let theta_old = Spectrum::of(&graph, &monitor).unwrap().squared_eigenvectors(6);
            let theta_new = Spectrum::of(&permuted, &monitor).unwrap().squared_eigenvectors(6);
            for k in 0..n {
                for (a, b) in theta_old.row(order[k]).iter().zip(theta_new.row(k)) {
                    prop_assert!((a - b).abs() < 1e-6, "{a} {b}");
                }
            }
        }
    }

    #[test]
    fn one_eigenvalue_has_an_ordinary_width() {
        // A complete graph's eigenvalues are 0 and n w, n − 1 times up to rounding.
        let pairs = (0..7).flat_map(|i| (0..i).map(move |j| (j, i, 0.1)));
        let graph = Graph::from_edges(7, &pairs.collect::<Vec<_>>()).unwrap();
        let spectrum = Spectrum::of(&graph, &Monitor::silent()).unwrap();
        let wave = Wave::covering(&[(&spectrum, 1.0)], 5).unwrap();
        assert_eq!(wave.width, 1.0);
        let signature = wave_signature(&spectrum, &wave, 1.0).unwrap();
        // All nodes are alike, and all of them hold 1 − 1/n of the one eigenspace.
        for value in signature.as_slice() {
            assert!((value - 6.0 / 7.0).abs() < 1e-9, "{value}");
        }
    }

    #[test]
    fn heat_signature_is_the_kernel_diagonal() {
        let graph = graph_of(5, &[0.5, 1.0, 0.2, 2.0, 0.9, 1.4, 0.1, 0.8, 0.6, 1.1]);
        let spectrum = Spectrum::of(&graph, &Monitor::silent()).unwrap();
        let times = [0.2, 1.5];
        let signature = heat_signature(&spectrum, &times).unwrap();
        for (c, &t) in times.iter().enumerate() {
            let kernel = heat_kernel(&spectrum, t);
            for u in 0..5 {
                assert!((signature[(u, c)] - kernel[(u, u)]).abs() < 1e-13);
            }
        }
    }

    #[test]
    fn the_band_pass_is_continuous_and_peaks_inside() {
        for x in [1.0, 2.0] {
            assert!((band_pass(x - 1e-9) - band_pass(x + 1e-9)).abs() < 1e-7);
        }
        assert_eq!(band_pass(0.0), 0.0);
        assert!(band_pass(1.4) > band_pass(0.5) && band_pass(1.4) > band_pass(4.0));
    }

    #[test]
    fn wavelet_scales_are_those_of_hammond_et_al() {
        let graph = graph_of(5, &[0.5, 1.0, 0.4, 2.0, 0.9, 1.4, 0.7, 0.8, 0.6, 1.1]);
        let spectrum = Spectrum::of(&graph, &Monitor::silent()).unwrap();
        let largest = *spectrum.eigenvalues().last().unwrap();
        let scales = default_wavelet_scales(&spectrum, 4);
        assert!((scales[0] * largest - 2.0).abs() < 1e-12);
        assert!((scales[3] * largest / 20.0 - 2.0).abs() < 1e-12);
        for pair in scales.windows(2) {
            assert!((pair[1] / pair[0] - 20f64.powf(1.0 / 3.0)).abs() < 1e-12);
        }
        // The finest grows up to λₙ but for the band's top, the coarsest decays from λₙ/20 on.
        let grid = (1..=100).map(|k| largest * f64::from(k) / 100.0);
        let grid: Vec<f64> = grid.collect();
        let finest: Vec<f64> = grid.iter().map(|l| band_pass(scales[0] * l)).collect();
        let coarsest: Vec<f64> = grid.iter().map(|l| band_pass(scales[3] * l)).collect();
        assert!(finest[..50].windows(2).all(|w| w[0] < w[1]));
        assert!(coarsest[5..].windows(2).all(|w| w[0] > w[1]));
    }

    #[test]
    fn doubling_weights_and_halving_times_changes_nothing() {
        let weights = [0.5, 1.0, 0.2, 2.0, 0.9, 1.4];
        let doubled = weights.map(|w| 2.0 * w);
        // The threshold of graph_of sees other weights, so the edges are listed here.
        let edges = [(0, 1), (0, 2), (1, 2), (2, 3), (3, 0), (1, 3)];
        let build = |weights: &[f64]| {
            let edges: Vec<_> = edges
                .iter()
                .zip(weights)
                .map(|(&(u, v), &w)| (u, v, w))
                .collect();
            Graph::from_edges(4, &edges).unwrap()
        };
        let spectrum = |g: &Graph| Spectrum::of(g, &Monitor::silent()).unwrap();
        let one = heat_signature(&spectrum(&build(&weights)), &[1.0]).unwrap();
        let two = heat_signature(&spectrum(&build(&doubled)), &[0.5]).unwrap();
        for (a, b) in one.as_slice().iter().zip(two.as_slice()) {
            assert!((a - b).abs() < 1e-12);
        }
    }

    #[test]
    fn edgeless_graphs_and_bad_parameters() {
        let monitor = Monitor::silent();
        let empty = Graph::from_edges(3, &[]).unwrap();
        let spectrum = Spectrum::of(&empty, &monitor).unwrap();
        let wave = Wave::covering(&[(&spectrum, 1.0)], 5).unwrap();
        let zeros = wave_signature(&spectrum, &wave, 1.0).unwrap();
        assert!(zeros.as_slice().iter().all(|&v| v == 0.0));
        assert_eq!(default_heat_times(&spectrum, 2), vec![1.0, 1.0]);
        assert!(heat_signature(&spectrum, &[-1.0]).is_err());
        assert!(wavelet_signature(&spectrum, &[f64::NAN]).is_err());
        assert!(Wave::covering(&[(&spectrum, 1.0)], 0).is_err());
    }
}
