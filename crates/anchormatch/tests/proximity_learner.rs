//! The max-margin learner of the proximity matrix, from outside: optimality and invariances.

use anchormatch::affinity::proximity::{EXACT_GAP, Mode, Status};
use anchormatch::anchors::Anchor;
use anchormatch::linalg::Matrix;
use anchormatch_invariants::shapes::on_any_threads;
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

mod proximity_support;
use proximity_support::{Arrays, assert_sound, far, learn};

const MODES: [Mode; 2] = [Mode::Projected, Mode::Exact];

fn relative_difference(a: &Matrix, b: &Matrix) -> f64 {
    let pairs = || a.as_slice().iter().zip(b.as_slice());
    let apart: f64 = pairs().map(|(a, b)| (a - b).powi(2)).sum();
    let size: f64 = pairs().map(|(a, b)| a.abs().max(b.abs()).powi(2)).sum();
    if size > 0.0 {
        (apart / size).sqrt()
    } else {
        0.0
    }
}

#[test]
fn exact_closes_the_gap_and_is_never_worse_than_projected() {
    let shapes = [
        (12, 0, 1, 3),
        (15, 4, 2, 1),
        (20, 0, 3, 5),
        (30, 7, 4, 8),
        (40, 0, 6, 4),
    ];
    for (seed, (nodes, extra, k, anchors)) in shapes.into_iter().enumerate() {
        for c in [1.0, 10.0, 1000.0] {
            for noise in [0.0, 0.2] {
                let arrays = Arrays::noisy(seed as u64, nodes, extra, k, anchors, noise);
                let exact = learn(&arrays, Mode::Exact, c);
                let projected = learn(&arrays, Mode::Projected, c);
                let name = format!("nodes={nodes} k={k} anchors={anchors} C={c} noise={noise}");
                assert_eq!(exact.status, Status::Converged, "{name}");
                assert_eq!(projected.status, Status::Converged, "{name}");
                assert_sound(&arrays, &exact, c);
                assert_sound(&arrays, &projected, c);
                assert!(
                    exact.dual_objective <= projected.objective * (1.0 + 1e-9),
                    "{name}"
                );
                assert!(
                    projected.dual_objective <= exact.objective * (1.0 + 1e-9),
                    "{name}"
                );
            }
        }
    }
}

#[test]
fn a_planted_proximity_is_found() {
    // Only the first of three features is shared; B must learn to look at it alone.
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let (nodes, anchors) = (60, 20);
    let source = Matrix::from_fn(nodes, 3, |_, _| 2.0 * rng.random::<f64>());
    let target = Matrix::from_fn(nodes, 3, |i, j| {
        let other = 2.0 * rng.random::<f64>();
        if j == 0 { source[(i, 0)] } else { other }
    });
    let pairs: Vec<_> = (0..anchors).map(|i| (i, i)).collect();
    let arrays = Arrays::new(source, target, &pairs);
    let learned = learn(&arrays, Mode::Exact, 1e4);
    let distance = learned.distance(&arrays.source, &arrays.target);
    // The rank of the true partner among all targets, for the nodes that were no anchors.
    let rank = |i: usize| {
        (0..nodes)
            .filter(|&a| distance[(i, a)] < distance[(i, i)])
            .count()
    };
    let mean = (anchors..nodes).map(rank).sum::<usize>() as f64 / (nodes - anchors) as f64;
    assert!(mean < 6.0, "mean rank {mean}, by chance 29.5");
}

#[test]
fn distances_are_those_of_the_definition() {
    let arrays = Arrays::noisy(3, 9, 2, 3, 2, 0.3);
    for mode in MODES {
        let learned = learn(&arrays, mode, 10.0);
        let distance = learned.distance(&arrays.source, &arrays.target);
        assert_eq!((distance.rows(), distance.cols()), (9, 11));
        for i in 0..9 {
            for a in 0..11 {
                let want = far(&arrays, &learned.b, i, a).max(0.0);
                assert!((distance[(i, a)].powi(2) - want).abs() < 1e-10 * (1.0 + want));
            }
        }
    }
}

#[test]
fn two_thousand_nodes_are_learned() {
    let arrays = Arrays::noisy(9, 2000, 0, 8, 20, 0.1);
    for mode in MODES {
        let learned = learn(&arrays, mode, 100.0);
        assert_eq!(learned.status, Status::Converged);
        assert!(learned.rounds.last().unwrap().working_set < 4000);
        assert_sound(&arrays, &learned, 100.0);
    }
}

#[test]
fn threads_do_not_change_a_bit() {
    let arrays = Arrays::noisy(4, 60, 3, 4, 6, 0.2);
    on_any_threads(|| learn(&arrays, Mode::Exact, 100.0));
}

/// Features of size `scale`; with `duplicate`, the last source node is a copy of the first, so that no
/// B can tell them apart.
fn shape(
    seed: u64,
    (nodes, extra, k): (usize, usize, usize),
    anchors: usize,
    scale: f64,
    duplicate: bool,
) -> Arrays {
    let mut arrays = Arrays::noisy(seed, nodes, extra, k, anchors.min(nodes), 0.3);
    let (source, target) = (&mut arrays.source, &mut arrays.target);
    for value in source
        .as_mut_slice()
        .iter_mut()
        .chain(target.as_mut_slice())
    {
        *value *= scale;
    }
    if duplicate {
        let row = arrays.source.row(0).to_vec();
        arrays.source.row_mut(nodes - 1).copy_from_slice(&row);
        arrays.source_loss = Matrix::filled(arrays.anchors.len(), nodes, 0.4);
    }
    arrays
}

#[test]
fn margins_short_by_rounding_do_not_stall_the_learner() {
    // Large features and a high price of slack: the last digit of a margin costs more than B.
    let shapes = [
        (109, (3, 1, 3), 3, true),
        (28, (2, 0, 3), 2, false),
        (44, (2, 1, 3), 2, false),
        (33, (5, 3, 3), 3, false),
        // Constraints that nearly cancel: the master problem is solved to six digits only.
        (47, (3, 3, 2), 3, true),
    ];
    for (seed, size, anchors, duplicate) in shapes {
        let arrays = shape(seed, size, anchors, 15.0, duplicate);
        for mode in MODES {
            let learned = learn(&arrays, mode, 1000.0);
            assert_eq!(learned.status, Status::Converged, "seed {seed}, {mode:?}");
            assert_sound(&arrays, &learned, 1000.0);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn every_shape_ends_with_a_sound_answer(
        seed in 0u64..1000,
        (nodes, extra, k) in (2usize..12, 0usize..4, 1usize..4),
        anchors in 1usize..4,
        c in prop::sample::select(vec![1.0, 10.0, 1000.0]),
        scale in prop::sample::select(vec![0.05, 1.0, 15.0]),
        duplicate in any::<bool>(),
    ) {
        let arrays = shape(seed, (nodes, extra, k), anchors, scale, duplicate);
        for mode in MODES {
            let learned = learn(&arrays, mode, c);
            prop_assert_eq!(learned.status, Status::Converged);
            assert_sound(&arrays, &learned, c);
        }
    }

    #[test]
    fn names_and_orders_do_not_matter(seed in 0u64..1000, turn in 1usize..14) {
        let arrays = Arrays::noisy(seed, 15, 0, 3, 4, 0.2);
        // Source node i becomes (i + turn) mod 15; the anchors come in the other order.
        let back = |i: usize| (i + 15 - turn) % 15;
        let order: Vec<usize> = (0..4).rev().collect();
        let renamed = |anchor: Anchor| Anchor {
            source: (anchor.source + turn) % 15,
            ..anchor
        };
        let turned = Arrays {
            source: Matrix::from_fn(15, 3, |i, j| arrays.source[(back(i), j)]),
            target: arrays.target.clone(),
            anchors: order.iter().map(|&k| renamed(arrays.anchors[k])).collect(),
            source_loss: Matrix::from_fn(4, 15, |k, i| arrays.source_loss[(order[k], back(i))]),
            target_loss: Matrix::from_fn(4, 15, |k, a| arrays.target_loss[(order[k], a)]),
        };
        for mode in MODES {
            let (a, b) = (learn(&arrays, mode, 100.0), learn(&turned, mode, 100.0));
            prop_assert!(relative_difference(&a.b, &b.b) < 1e-4);
            for (k, &from) in order.iter().enumerate() {
                prop_assert!((a.slack[from] - b.slack[k]).abs() < 1e-4);
            }
            if mode == Mode::Exact {
                prop_assert!(a.relative_gap <= EXACT_GAP && b.relative_gap <= EXACT_GAP);
            }
        }
    }
}
