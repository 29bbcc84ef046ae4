//! First-order terms: a distance d(i, a) between a node of each graph, and its affinity.
//!
//! | term | distance | source |
//! |---|---|---|
//! | d_ap | \|Σ_u k_t(u, i) − Σ_u' k'_t(u', a)\| over the anchors | the paper, section 3.2 |
//! | d_ap, each | Σ_u \|k_t(u, i) − k'_t(u', a)\|: anchor by anchor | a reading of the same |
//! | d_wks | ‖s_i − s'_a‖₂ of wave kernel signatures | the paper, section 5.1, variant iii |
//! | d_B | √(wᵀBw), learned | [`proximity`](super::proximity) |
//!
//! The paper does not say how a distance becomes an affinity. Here a term enters W's diagonal as
//!
//! > c · exp(−d(i, a)/mean d),
//!
//! the mean over all pairs of free nodes: scale-free, positive, and with c = 8 for d_B and c = 3 for
//! d_ap of a weight that counts against the n − 1 pairwise votes an assignment gets.

use crate::anchors::Anchors;
use crate::error::Result;
use crate::linalg::Matrix;
use crate::spectral::{Spectrum, Wave, wave_signature};

/// The share of what anchors hold of their own heat below which a difference is rounding.
const ROUNDING: f64 = 1e-12;

/// d_ap(i, a) for the nodes listed, from the graphs' heat kernels; soft anchors count by weight.
///
/// What rounding alone makes is zero: anchors that send nobody any heat tell nothing.
///
/// # Complexity
/// O(n₁ n₂ + (n₁ + n₂) |U|).
#[must_use]
pub fn heat_to_anchors(
    kernels: [&Matrix; 2],
    anchors: &Anchors,
    source_nodes: &[usize],
    target_nodes: &[usize],
) -> Matrix {
    let received = |kernel: &Matrix, nodes: &[usize], partner: fn((usize, usize)) -> usize| {
        nodes
            .iter()
            .map(|&i| {
                anchors
                    .iter()
                    .map(|u| u.weight * kernel[(partner((u.source, u.target)), i)])
                    .sum::<f64>()
            })
            .collect::<Vec<f64>>()
    };
    let source = received(kernels[0], source_nodes, |pair| pair.0);
    let target = received(kernels[1], target_nodes, |pair| pair.1);
    let held = anchors.iter().map(|u| {
        let own = kernels[0][(u.source, u.source)].max(kernels[1][(u.target, u.target)]);
        u.weight * own
    });
    let noise = ROUNDING * held.sum::<f64>();
    Matrix::from_fn(source.len(), target.len(), |i, a| {
        let distance = (source[i] - target[a]).abs();
        if distance > noise { distance } else { 0.0 }
    })
}

/// Σ_u |k_t(u, i) − k'_t(u', a)|: heat compared anchor by anchor, which tells the anchors apart; soft anchors
/// count by weight, and rounding alone is zero.
///
/// # Complexity
/// O(n₁ n₂ |U|).
#[must_use]
pub fn heat_to_each_anchor(
    kernels: [&Matrix; 2],
    anchors: &Anchors,
    source_nodes: &[usize],
    target_nodes: &[usize],
) -> Matrix {
    let [x, y] = kernels;
    Matrix::from_fn(source_nodes.len(), target_nodes.len(), |i, a| {
        let (i, a) = (source_nodes[i], target_nodes[a]);
        let each = anchors.iter().map(|u| {
            let own = x[(u.source, u.source)].max(y[(u.target, u.target)]);
            let distance = (x[(u.source, i)] - y[(u.target, a)]).abs();
            u.weight
                * if distance > ROUNDING * own {
                    distance
                } else {
                    0.0
                }
        });
        each.sum()
    })
}

/// d_wks(i, a) for the nodes listed: Euclidean distance of wave kernel signatures at `energies`
/// energies that cover both spectra, eigenvalues relative to `means`, their mean in each graph.
///
/// # Errors
/// When `energies` is zero.
///
/// # Complexity
/// O((n₁² + n₂²) e + n₁ n₂ e) for e energies.
pub fn wave_distance(
    spectra: [&Spectrum; 2],
    means: [f64; 2],
    energies: usize,
    source_nodes: &[usize],
    target_nodes: &[usize],
) -> Result<Matrix> {
    let scale = means.map(|mean| if mean > 0.0 { mean } else { 1.0 });
    let wave = Wave::covering(&[(spectra[0], scale[0]), (spectra[1], scale[1])], energies)?;
    let source = wave_signature(spectra[0], &wave, scale[0])?;
    let target = wave_signature(spectra[1], &wave, scale[1])?;
    Ok(Matrix::from_fn(
        source_nodes.len(),
        target_nodes.len(),
        |i, a| {
            source
                .row(source_nodes[i])
                .iter()
                .zip(target.row(target_nodes[a]))
                .map(|(s, t)| (s - t) * (s - t))
                .sum::<f64>()
                .sqrt()
        },
    ))
}

/// Ω for the learner: how far every node is from each anchor's node, one row per anchor.
///
/// The diffusion distance k(u, u) + k(v, v) − 2 k(u, v), scaled so that the largest is 1. The heat
/// kernel itself, which the paper names, is a closeness: it would punish near misses most.
#[must_use]
pub fn diffusion_loss(kernel: &Matrix, anchor_nodes: &[usize]) -> Matrix {
    let mut loss = Matrix::from_fn(anchor_nodes.len(), kernel.rows(), |u, v| {
        let u = anchor_nodes[u];
        (kernel[(u, u)] + kernel[(v, v)] - 2.0 * kernel[(u, v)]).max(0.0)
    });
    let largest = loss.as_slice().iter().fold(0.0f64, |m, &v| m.max(v));
    if largest > 0.0 {
        for value in loss.as_mut_slice() {
            *value /= largest;
        }
    }
    loss
}

/// Adds `weight` · exp(−d/mean d) to `unary`.
///
/// When all distances are zero the term says nothing and adds the same to every pair.
///
/// # Panics
/// When the shapes differ.
pub fn add_affinity(unary: &mut Matrix, distance: &Matrix, weight: f64) {
    assert_eq!(
        (unary.rows(), unary.cols()),
        (distance.rows(), distance.cols()),
        "one distance per pair"
    );
    let mean = distance.mean();
    let rate = if mean > 0.0 { 1.0 / mean } else { 0.0 };
    for (slot, d) in unary.as_mut_slice().iter_mut().zip(distance.as_slice()) {
        *slot += weight * (-d * rate).exp();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::anchors::Anchor;
    use crate::graph::Graph;
    use crate::monitor::Monitor;
    use crate::spectral::heat_kernel;

    #[test]
    fn an_anchor_without_edges_tells_nothing() {
        // Node 5 has no edge; what the others receive from it is rounding.
        let graph = Graph::from_edges(
            6,
            &[
                (0, 1, 0.3),
                (1, 2, 0.7),
                (2, 3, 0.9),
                (3, 4, 0.2),
                (4, 0, 0.6),
            ],
        )
        .unwrap();
        let kernel = heat_kernel(&Spectrum::of(&graph, &Monitor::silent()).unwrap(), 1.0);
        let anchors = Anchors::from_indices(&graph, &graph, &[(5, 5)]).unwrap();
        let others = [0, 1, 2, 3, 4];
        let distance = heat_to_anchors([&kernel, &kernel], &anchors, &others, &others);
        assert!(
            distance.as_slice().iter().all(|&d| d == 0.0),
            "{distance:?}"
        );
    }

    fn graph() -> Graph {
        Graph::from_edges(
            5,
            &[
                (0, 1, 1.0),
                (1, 2, 2.0),
                (2, 3, 0.5),
                (3, 4, 1.5),
                (4, 0, 0.7),
                (1, 3, 0.2),
            ],
        )
        .unwrap()
    }

    #[test]
    fn distances_vanish_on_the_truth_of_isomorphic_graphs() {
        let source = graph();
        let order = [3, 1, 4, 0, 2];
        let target = source.permuted(&order).unwrap();
        let spectra = [&source, &target].map(|g| Spectrum::of(g, &Monitor::silent()).unwrap());
        let kernels = [0, 1].map(|g| heat_kernel(&spectra[g], 0.4));
        // Old node order[k] sits at k.
        let anchors = Anchors::from_indices(&source, &target, &[(1, 1), (4, 2)]).unwrap();
        let (free_source, free_target) = anchors.free_nodes(&source, &target);
        let ap = heat_to_anchors(
            [&kernels[0], &kernels[1]],
            &anchors,
            &free_source,
            &free_target,
        );
        let wks = wave_distance(
            [&spectra[0], &spectra[1]],
            [1.0, 1.0],
            20,
            &free_source,
            &free_target,
        )
        .unwrap();
        for (distance, name) in [(ap, "ap"), (wks, "wks")] {
            for (i, &u) in free_source.iter().enumerate() {
                for (a, &v) in free_target.iter().enumerate() {
                    let same = order[v] == u;
                    assert_eq!(distance[(i, a)] < 1e-10, same, "{name} {u} {v}");
                }
            }
        }
    }

    #[test]
    fn heat_to_anchors_is_the_formula() {
        let g = graph();
        let kernel = heat_kernel(&Spectrum::of(&g, &Monitor::silent()).unwrap(), 0.3);
        let other = heat_kernel(&Spectrum::of(&g, &Monitor::silent()).unwrap(), 0.9);
        let soft = Anchor::new(2, 3, 0.25);
        let hard = Anchor::new(0, 1, 1.0);
        let anchors = Anchors::new(&g, &g, [hard, soft]).unwrap();
        let d = heat_to_anchors([&kernel, &other], &anchors, &[1, 2], &[4]);
        for (row, i) in [1, 2].into_iter().enumerate() {
            let want =
                (kernel[(0, i)] + 0.25 * kernel[(2, i)] - other[(1, 4)] - 0.25 * other[(3, 4)])
                    .abs();
            assert!((d[(row, 0)] - want).abs() < 1e-15);
        }
    }

    #[test]
    fn heat_to_each_anchor_is_the_formula() {
        let g = graph();
        let kernel = heat_kernel(&Spectrum::of(&g, &Monitor::silent()).unwrap(), 0.3);
        let other = heat_kernel(&Spectrum::of(&g, &Monitor::silent()).unwrap(), 0.9);
        let anchors = Anchors::from_indices(&g, &g, &[(0, 1), (2, 3)]).unwrap();
        let d = heat_to_each_anchor([&kernel, &other], &anchors, &[1, 4], &[4, 2]);
        for (row, i) in [1, 4].into_iter().enumerate() {
            for (column, a) in [4, 2].into_iter().enumerate() {
                let want =
                    (kernel[(0, i)] - other[(1, a)]).abs() + (kernel[(2, i)] - other[(3, a)]).abs();
                assert!((d[(row, column)] - want).abs() < 1e-15);
            }
        }
    }

    #[test]
    fn the_loss_grows_with_distance_and_ends_at_one() {
        let path = Graph::from_edges(4, &[(0, 1, 1.0), (1, 2, 1.0), (2, 3, 1.0)]).unwrap();
        let kernel = heat_kernel(&Spectrum::of(&path, &Monitor::silent()).unwrap(), 1.0);
        let loss = diffusion_loss(&kernel, &[0]);
        assert_eq!(loss[(0, 0)], 0.0);
        assert!(loss[(0, 1)] < loss[(0, 2)] && loss[(0, 2)] < loss[(0, 3)]);
        assert_eq!(loss[(0, 3)], 1.0);
    }

    #[test]
    fn affinity_is_the_weight_at_zero_distance() {
        let distance = Matrix::from_vec(1, 3, vec![0.0, 1.0, 2.0]);
        let mut unary = Matrix::zeros(1, 3);
        add_affinity(&mut unary, &distance, 8.0);
        for (got, want) in unary
            .as_slice()
            .iter()
            .zip([1.0, (-1.0f64).exp(), (-2.0f64).exp()])
        {
            assert!((got - 8.0 * want).abs() < 1e-14);
        }
        let mut flat = Matrix::zeros(2, 2);
        add_affinity(&mut flat, &Matrix::zeros(2, 2), 3.0);
        assert!(flat.as_slice().iter().all(|&v| v == 3.0));
    }
}
