//! The critical inverse temperature of the mean field.
//!
//! Linearised at the even X = 1/N, N the larger side, a step of the mean field at inverse temperature
//! η is dX ← (η/N) P(2W dX) with P X = C₁ X C₂, C taking a mean out. The even X loses its stability
//! at η_c = N/λ, λ where the bulk of the spectrum of P 2W P ends: four times its root mean square ρ
//! for a product of two semicircles.
//!
//! The mean square of all eigenvalues is the mean square of all entries,
//!
//! > ρ² = ‖P 2W P‖² / ((n₁ − 1)(n₂ − 1)),
//!
//! which the factors of W = s Σᵣ Fᵣ ⊗ Gᵣ tell exactly:
//!
//! > ‖P W P‖² = s² Σᵣₛ ⟨C₁FᵣC₁, C₁FₛC₁⟩ ⟨C₂GᵣC₂, C₂GₛC₂⟩.
//!
//! A W of another kind is asked for the images of random matrices Z (Hutchinson 1990), ρ² being the
//! mean of ‖P 2W P Z‖² over that of ‖P Z‖². Neither way depends on the order of the nodes, but for the
//! probes' error: some percent of ρ.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::linalg::dot;
use crate::monitor::Monitor;
use crate::problem::{LowRank, Pairwise, Problem};
use crate::solver::relaxation::norm;

/// Random matrices that a W without factors is asked for; a quarter of the products of the annealing.
pub(super) const PROBES: usize = 16;

/// Where the bulk of the spectrum ends, in units of ρ: a product of two semicircles, 2 · 2.
pub(super) const BULK_END: f64 = 4.0;

/// ρ, the root mean square of the eigenvalues of P 2W P; `None` when the monitor stops it.
pub(super) fn spread(pairwise: &dyn Pairwise, seed: u64, monitor: &Monitor) -> Option<f64> {
    let (n, m) = pairwise.shape();
    if n < 2 || m < 2 {
        return Some(0.0);
    }
    if let Some(w) = pairwise.low_rank() {
        let square = squared_norm(&w, monitor)?;
        // Weights whose squares leave the range of numbers are probed.
        if square.is_normal() {
            return Some(2.0 * (square / ((n - 1) * (m - 1)) as f64).sqrt());
        }
    }
    probed(pairwise, seed, monitor)
}

/// η_c for a spread ρ; where W has none, the η at which the unary part's range is a nat.
pub(super) fn inverse_temperature(problem: &Problem, spread: f64) -> f64 {
    let (n, m) = problem.shape();
    if spread > 0.0 {
        n.max(m) as f64 / (BULK_END * spread)
    } else {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for u in problem.unary().occurring() {
            (low, high) = (low.min(u), high.max(u));
        }
        if high > low { 1.0 / (high - low) } else { 1.0 }
    }
}

/// ‖P W P‖² of a sum of products.
fn squared_norm(w: &LowRank<'_>, monitor: &Monitor) -> Option<f64> {
    let (n, m) = w.shape();
    let terms = w.terms();
    let left = centred_products(terms, n, monitor, |term, i| w.left(term, i))?;
    let right = centred_products(terms, m, monitor, |term, a| w.right(term, a))?;
    Some(w.scale() * w.scale() * dot(&left, &right))
}

/// ⟨C FᵣC, C FₛC⟩ for all r and s.
fn centred_products<'f>(
    terms: usize,
    nodes: usize,
    monitor: &Monitor,
    row: impl Fn(usize, usize) -> &'f [f64],
) -> Option<Vec<f64>> {
    let share = 1.0 / nodes as f64;
    let mut columns = vec![0.0; terms * nodes];
    for (term, means) in columns.chunks_mut(nodes).enumerate() {
        if monitor.interrupted().is_some() {
            return None;
        }
        for i in 0..nodes {
            for (mean, value) in means.iter_mut().zip(row(term, i)) {
                *mean += share * value;
            }
        }
    }
    let mut centred = vec![0.0; terms * nodes];
    let mut products = vec![0.0; terms * terms];
    for i in 0..nodes {
        if monitor.interrupted().is_some() {
            return None;
        }
        for (term, (slots, means)) in centred
            .chunks_mut(nodes)
            .zip(columns.chunks(nodes))
            .enumerate()
        {
            for ((slot, value), mean) in slots.iter_mut().zip(row(term, i)).zip(means) {
                *slot = value - mean;
            }
            let mean = share * slots.iter().sum::<f64>();
            slots.iter_mut().for_each(|slot| *slot -= mean);
        }
        for (r, first) in centred.chunks(nodes).enumerate() {
            for (s, second) in centred.chunks(nodes).enumerate().take(r + 1) {
                let product = dot(first, second);
                products[r * terms + s] += product;
                if r != s {
                    products[s * terms + r] += product;
                }
            }
        }
    }
    Some(products)
}

/// ρ from the images of random matrices.
fn probed(pairwise: &dyn Pairwise, seed: u64, monitor: &Monitor) -> Option<f64> {
    let (n, m) = pairwise.shape();
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let (mut probe, mut image) = (vec![0.0; n * m], vec![0.0; n * m]);
    let mut scratch = vec![0.0; pairwise.scratch_len()];
    let (mut sizes, mut images) = (Vec::new(), Vec::new());
    for _ in 0..PROBES {
        if monitor.interrupted().is_some() {
            return None;
        }
        probe.fill_with(|| random.random_range(-1.0..1.0));
        centre(&mut probe, n, m);
        let go_on = || monitor.interrupted().is_none();
        if !pairwise.apply_while(&probe, &mut image, &mut scratch, &go_on) {
            return None;
        }
        centre(&mut image, n, m);
        sizes.push(norm(&probe));
        images.push(norm(&image));
    }
    Some(2.0 * norm(&images) / norm(&sizes).max(f64::MIN_POSITIVE))
}

/// Takes the means of rows and columns out.
fn centre(x: &mut [f64], n: usize, m: usize) {
    let mut columns = vec![0.0; m];
    for row in x.chunks_mut(m) {
        let mean = row.iter().sum::<f64>() / m as f64;
        for (value, column) in row.iter_mut().zip(&mut columns) {
            *value -= mean;
            *column += *value / n as f64;
        }
    }
    for row in x.chunks_mut(m) {
        for (value, column) in row.iter_mut().zip(&columns) {
            *value -= column;
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::seq::SliceRandom;

    use super::*;

    fn spread(pairwise: &dyn Pairwise, seed: u64) -> f64 {
        super::spread(pairwise, seed, &Monitor::silent()).expect("nobody stops it")
    }
    use crate::linalg::{Matrix, symmetric_eigen};
    use crate::problem::{ExplicitPairwise, ProductPairwise, SeparablePairwise, Weights};

    fn random_matrix(n: usize, seed: u64) -> Matrix {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        Matrix::from_fn(n, n, |_, _| random.random_range(-1.0..1.0))
    }

    fn symmetric(n: usize, seed: u64) -> Matrix {
        let matrix = random_matrix(n, seed);
        Matrix::from_fn(n, n, |i, j| matrix[(i.min(j), i.max(j))])
    }

    fn adjacency(n: usize, edges: impl IntoIterator<Item = (usize, usize)>) -> Matrix {
        let mut matrix = Matrix::zeros(n, n);
        for (i, j) in edges {
            matrix[(i, j)] = 1.0;
            matrix[(j, i)] = 1.0;
        }
        matrix
    }

    fn ring(n: usize) -> Matrix {
        adjacency(n, (0..n).map(|i| (i, (i + 1) % n)))
    }

    fn grid(side: usize) -> Matrix {
        let right = (0..side * side).filter(|k| (k + 1) % side > 0);
        let below = 0..side * (side - 1);
        let edges = right
            .map(|k| (k, k + 1))
            .chain(below.map(|k| (k, k + side)));
        adjacency(side * side, edges)
    }

    /// Three blocks, dense within and sparse between.
    fn blocks(n: usize) -> Matrix {
        let mut random = ChaCha8Rng::seed_from_u64(5);
        let pairs = (0..n).flat_map(|i| (0..i).map(move |j| (i, j)));
        adjacency(
            n,
            pairs.filter(|&(i, j)| {
                let chance = if i * 3 / n == j * 3 / n { 0.6 } else { 0.05 };
                random.random_bool(chance)
            }),
        )
    }

    fn relabelled(matrix: &Matrix, seed: u64) -> Matrix {
        let n = matrix.rows();
        let mut order: Vec<usize> = (0..n).collect();
        order.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
        Matrix::from_fn(n, n, |i, j| matrix[(order[i], order[j])])
    }

    fn product(a: &Matrix, b: &Matrix) -> ProductPairwise {
        let weights = |matrix: &Matrix| Weights::Dense(matrix.clone());
        ProductPairwise::new(weights(a), weights(b)).unwrap().0
    }

    fn explicit(pairwise: &dyn Pairwise) -> ExplicitPairwise {
        let (n, m) = pairwise.shape();
        let entries = Matrix::from_fn(n * m, n * m, |p, q| {
            pairwise.value(p / m, p % m, q / m, q % m)
        });
        ExplicitPairwise::new(n, m, entries).unwrap()
    }

    /// The eigenvalues of P 2W P, from the matrix itself.
    fn eigenvalues(pairwise: &dyn Pairwise) -> Vec<f64> {
        let (n, m) = pairwise.shape();
        let mut dense = Matrix::zeros(n * m, n * m);
        for k in 0..n * m {
            let mut unit = vec![0.0; n * m];
            unit[k] = 1.0;
            centre(&mut unit, n, m);
            let mut image = vec![0.0; n * m];
            for (place, slot) in image.iter_mut().enumerate() {
                let (i, a) = (place / m, place % m);
                *slot = (0..n * m)
                    .map(|q| 2.0 * pairwise.value(i, a, q / m, q % m) * unit[q])
                    .sum();
            }
            centre(&mut image, n, m);
            for (row, value) in image.iter().enumerate() {
                dense[(row, k)] = *value;
            }
        }
        let mirrored = Matrix::from_fn(n * m, n * m, |p, q| 0.5 * (dense[(p, q)] + dense[(q, p)]));
        symmetric_eigen(&mirrored).unwrap().values
    }

    fn root_mean_square(pairwise: &dyn Pairwise) -> f64 {
        let (n, m) = pairwise.shape();
        let squares: f64 = eigenvalues(pairwise).iter().map(|v| v * v).sum();
        (squares / ((n - 1) * (m - 1)) as f64).sqrt()
    }

    #[test]
    fn the_spread_is_the_root_mean_square_of_the_eigenvalues() {
        let factors: Vec<(Matrix, Matrix)> = (0..3)
            .map(|r| (symmetric(6, 2 * r), symmetric(8, 2 * r + 1)))
            .collect();
        let separable = SeparablePairwise::from_factors(&factors, &Monitor::silent()).unwrap();
        let directed = product(&random_matrix(7, 20), &random_matrix(6, 21));
        let plain = product(&symmetric(9, 22), &symmetric(7, 23));
        let kinds: [&dyn Pairwise; 6] = [
            &separable,
            &directed,
            &plain,
            &product(&ring(9), &ring(9)),
            &product(&grid(3), &grid(3)),
            &product(&blocks(10), &blocks(9)),
        ];
        for (kind, pairwise) in kinds.into_iter().enumerate() {
            let want = root_mean_square(pairwise);
            let found = spread(pairwise, 1);
            assert!((found / want - 1.0).abs() < 1e-12, "{kind}: {found} {want}");
            // Asked by probes alone.
            let found = spread(&explicit(pairwise), 1);
            assert!((found / want - 1.0).abs() < 0.1, "{kind}: {found} {want}");
        }
    }

    #[test]
    fn relabelling_leaves_the_temperature_alone() {
        for (name, graph) in [
            ("ring", ring(60)),
            ("grid", grid(8)),
            ("blocks", blocks(60)),
        ] {
            let of = |a: &Matrix, b: &Matrix| {
                let (pairwise, unary) =
                    ProductPairwise::new(Weights::Dense(a.clone()), Weights::Dense(b.clone()))
                        .unwrap();
                let spread = spread(&pairwise, 1);
                let problem = Problem::maximise(unary, Box::new(pairwise)).unwrap();
                inverse_temperature(&problem, spread)
            };
            let natural = of(&graph, &graph);
            for seed in 0..4 {
                let other = of(&relabelled(&graph, seed), &relabelled(&graph, seed + 10));
                let ratio = other / natural;
                assert!((ratio - 1.0).abs() < 1e-12, "{name}: {ratio}");
            }
        }
    }

    #[test]
    fn relabelling_hardly_moves_a_probed_temperature() {
        for (name, graph) in [
            ("ring", ring(16)),
            ("grid", grid(4)),
            ("blocks", blocks(18)),
        ] {
            let of = |graph: &Matrix| spread(&explicit(&product(graph, graph)), 1);
            let natural = of(&graph);
            for seed in 0..4 {
                let ratio = of(&relabelled(&graph, seed)) / natural;
                assert!((ratio - 1.0).abs() < 0.1, "{name}: {ratio}");
            }
        }
    }

    #[test]
    fn on_random_graphs_the_bulk_ends_at_the_largest_eigenvalue() {
        // Those of a product are products of those of its factors.
        let n = 150;
        let largest = |matrix: &Matrix| {
            let mut centred = matrix.clone();
            (0..n).for_each(|i| centred[(i, i)] = 0.0);
            centre(centred.as_mut_slice(), n, n);
            let values = symmetric_eigen(&centred).unwrap().values;
            values.iter().fold(0.0f64, |most, v| most.max(v.abs()))
        };
        let (a, b) = (symmetric(n, 1), symmetric(n, 2));
        let end = BULK_END * spread(&product(&a, &b), 1);
        let ratio = 2.0 * largest(&a) * largest(&b) / end;
        assert!((0.85..1.15).contains(&ratio), "{ratio}");
    }

    #[test]
    fn weights_whose_squares_overflow_are_probed() {
        let scaled = |factor: f64| {
            let matrix = symmetric(6, 3);
            Matrix::from_fn(6, 6, |i, j| factor * matrix[(i, j)])
        };
        let unit = product(&scaled(1.0), &scaled(1.0));
        let huge = product(&scaled(1e100), &scaled(1e100));
        let ratio = spread(&huge, 1) / spread(&unit, 1) / 1e200;
        assert!((ratio - 1.0).abs() < 0.2, "{ratio}");
    }

    #[test]
    fn a_stop_ends_either_way() {
        let known = product(&symmetric(6, 1), &symmetric(6, 2));
        let stopped = Monitor::silent();
        stopped.cancel_token().cancel();
        assert_eq!(super::spread(&known, 1, &stopped), None);
        assert_eq!(super::spread(&explicit(&known), 1, &stopped), None);
    }

    #[test]
    fn without_pairs_the_unary_part_sets_the_scale() {
        for (n, m) in [(1, 4), (3, 1), (3, 3)] {
            let nothing = product(&Matrix::zeros(n, n), &Matrix::zeros(m, m));
            assert_eq!(spread(&nothing, 1), 0.0);
            let unary = Matrix::from_fn(n, m, |i, a| (4 * (i + a)) as f64);
            let range = (4 * (n + m - 2)) as f64;
            let problem = Problem::maximise(unary, Box::new(nothing)).unwrap();
            assert_eq!(inverse_temperature(&problem, 0.0), 1.0 / range);
        }
    }
}
