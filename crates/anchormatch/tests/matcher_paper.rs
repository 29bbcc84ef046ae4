//! The paper's matcher as a whole: invariances, degenerate input, limits, determinism.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;
use std::time::Duration;

use anchormatch::affinity::proximity::Mode;
use anchormatch::anchors::Anchor;
use anchormatch::matcher::{Matcher, Paper, Terms};
use anchormatch::solver::{Rrwm, Status};
use anchormatch::{Anchors, Error, Graph, Matching, Monitor, Task};
use anchormatch_invariants::matching::checked;
use anchormatch_invariants::shapes::{inverse, on_any_threads};
use proptest::prelude::*;

/// A weighted graph without symmetry: weights from a hash, about two thirds of the pairs.
fn graph(n: usize, seed: u64) -> Graph {
    let mut edges = Vec::new();
    for i in 0..n as u64 {
        for j in 0..i {
            let mut h = (i * 1_000_003 + j).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ seed;
            h = (h ^ (h >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            h ^= h >> 31;
            if !h.is_multiple_of(3) {
                edges.push((i as usize, j as usize, 0.1 + (h % 10_007) as f64 / 10_007.0));
            }
        }
    }
    Graph::from_edges(n, &edges).unwrap()
}

/// Node i of the source is node `place[i]` of the target.
fn shuffled(source: &Graph) -> (Graph, Vec<usize>) {
    let n = source.node_count();
    let order: Vec<usize> = (0..n).map(|k| (7 * k + 3) % n).collect();
    let place = inverse(&order);
    (source.permuted(&order).unwrap(), place)
}

fn run(preset: &Paper, source: &Graph, target: &Graph, pairs: &[(usize, usize)]) -> Matching {
    let anchors = Anchors::from_indices(source, target, pairs).unwrap();
    let task = Task::new(source, target, &anchors).unwrap();
    preset.run(&task, &Monitor::silent()).unwrap()
}

#[test]
fn every_variant_matches_isomorphic_graphs() {
    let source = graph(16, 5);
    let (target, place) = shuffled(&source);
    for terms in Terms::ALL {
        let matching = run(
            &Paper::with_terms(terms),
            &source,
            &target,
            &[(0, place[0]), (9, place[9])],
        );
        for pair in &matching.pairs {
            assert_eq!(pair.target, place[pair.source], "{terms}");
        }
        assert_eq!(matching.status, Status::Converged);
        assert_eq!(matching.pairs.iter().filter(|p| p.anchor).count(), 2);
    }
}

#[test]
fn scaling_all_weights_changes_no_partner() {
    let source = graph(14, 1);
    let other = graph(14, 2);
    let scaled = Graph::from_dense(&{
        let mut a = other.adjacency();
        a.as_mut_slice().iter_mut().for_each(|w| *w *= 4096.0);
        a
    })
    .unwrap();
    let preset = Paper::default();
    let one = run(&preset, &source, &other, &[(0, 3), (5, 5)]);
    let two = run(&preset, &source, &scaled, &[(0, 3), (5, 5)]);
    assert_eq!(one.mapping(), two.mapping());
}

#[test]
fn graphs_of_different_sizes_share_a_scale_of_heat() {
    // The target has six more nodes than the source: heat per node falls as 1/n, and the affinity
    // must not take that for a difference in structure.
    let whole = graph(26, 8);
    let inliers: Vec<usize> = (0..20).collect();
    let source = Graph::from_dense(&whole.adjacency().select(&inliers, &inliers)).unwrap();
    let (target, place) = shuffled(&whole);
    for terms in Terms::ALL {
        let anchors = [(0, place[0]), (9, place[9])];
        let matching = run(&Paper::with_terms(terms), &source, &target, &anchors);
        let right = matching
            .pairs
            .iter()
            .filter(|p| p.target == place[p.source])
            .count();
        assert!(right >= 18, "{terms}: {right} of 20");
        assert_eq!(matching.unmatched_target.len(), 6);
    }
}

#[test]
fn both_learners_serve_the_matcher() {
    let source = graph(12, 3);
    let (target, place) = shuffled(&source);
    for mode in [Mode::Projected, Mode::Exact] {
        let mut preset = Paper::default();
        preset.learner.mode = mode;
        let matching = run(&preset, &source, &target, &[(2, place[2]), (4, place[4])]);
        assert!(!matching.diagnostics.learner_violations.is_empty());
        assert!(matching.pairs.iter().all(|p| p.target == place[p.source]));
    }
}

#[test]
fn without_anchors_the_anchor_terms_drop_out_and_it_says_so() {
    let source = graph(10, 3);
    let (target, place) = shuffled(&source);
    let matching = run(&Paper::default(), &source, &target, &[]);
    assert!(
        matching
            .notes
            .iter()
            .any(|n| n.text().contains("no anchors") && n.text().contains("heat is left"))
    );
    assert!(matching.pairs.iter().all(|p| p.target == place[p.source]));
    let heat = run(&Paper::with_terms(Terms::Heat), &source, &target, &[]);
    assert!(heat.notes.is_empty());
    assert_eq!(heat.pairs, matching.pairs);
}

#[test]
fn negative_weights_are_clamped_for_heat_and_kept_for_adjacency() {
    let edges = [
        (0, 1, -1.0),
        (1, 2, 2.0),
        (2, 3, 3.0),
        (3, 0, 1.5),
        (0, 2, -0.5),
    ];
    let source = Graph::from_edges(4, &edges).unwrap();
    let (target, place) = {
        let order = [2, 0, 3, 1];
        (source.permuted(&order).unwrap(), [1, 3, 0, 2])
    };
    let heat = run(
        &Paper::with_terms(Terms::Heat),
        &source,
        &target,
        &[(1, place[1])],
    );
    assert_eq!(
        heat.notes
            .iter()
            .filter(|n| n.text().contains("max(w, 0)"))
            .count(),
        2
    );
    let adjacency = run(
        &Paper::with_terms(Terms::Adjacency),
        &source,
        &target,
        &[(1, place[1])],
    );
    assert!(adjacency.notes.is_empty());
    assert!(adjacency.pairs.iter().all(|p| p.target == place[p.source]));
}

/// What the Laplacian takes for 0 does not set the unit in which it is computed.
#[test]
fn the_size_of_a_negative_weight_does_not_matter_to_heat() {
    for unit in [1.0, 5e-324, 1e-200, 1e200] {
        let with = |negative: f64| {
            let weights = [3.0, 5.0, 7.0, 2.0].map(|w| w * unit);
            let edges = [
                (0, 1, negative),
                (1, 2, weights[0]),
                (2, 3, weights[1]),
                (3, 0, weights[2]),
                (0, 2, weights[3]),
            ];
            Graph::from_edges(4, &edges).unwrap()
        };
        for terms in Terms::ALL.into_iter().filter(|terms| terms.uses_heat()) {
            let on = |graph: &Graph| run(&Paper::with_terms(terms), graph, graph, &[(1, 1)]);
            let (small, large) = (on(&with(-unit)), on(&with(-f64::MAX)));
            assert_eq!(small.pairs, large.pairs, "{terms} {unit:e}");
            assert_eq!(small.objective, large.objective, "{terms} {unit:e}");
            assert!(small.objective.is_finite());
        }
    }
}

#[test]
fn soft_anchors_are_evidence_and_stay_free() {
    // A cycle: every rotation and reflection fits, only anchors can tell them apart.
    let n = 7;
    let edges: Vec<_> = (0..n).map(|i| (i, (i + 1) % n, 1.0)).collect();
    let cycle = Graph::from_edges(n, &edges).unwrap();
    let soft = [(1, 3), (3, 5)].map(|(source, target)| Anchor::new(source, target, 0.9));
    let anchors = Anchors::new(&cycle, &cycle, soft).unwrap();
    let task = Task::new(&cycle, &cycle, &anchors).unwrap();
    let matching = checked(&Paper::default(), &task);
    assert!(matching.pairs.iter().all(|p| !p.anchor));
}

#[test]
fn limits_stop_the_work() {
    let (source, target) = (graph(40, 1), graph(40, 2));
    let anchors = Anchors::none();
    let task = Task::new(&source, &target, &anchors).unwrap();
    let run = |monitor: &Monitor| Paper::default().run(&task, monitor);
    let late = Monitor::silent().time_limit(Duration::ZERO);
    assert!(matches!(run(&late), Err(Error::Stopped(_))));
    let small = Monitor::silent().max_memory(10_000);
    assert!(matches!(run(&small), Err(Error::Memory { .. })));
    // Tens of gigabytes: refused before they are asked for.
    let many = Graph::from_edges(200_000, &[(0, 1, 1.0)]).unwrap();
    let some = Monitor::silent().max_memory(1 << 30);
    let task = Task::new(&many, &many, &anchors).unwrap();
    let refused = Paper::default().run(&task, &some);
    assert!(matches!(refused, Err(Error::Memory { .. })));
}

#[test]
fn bad_parameters_are_named() {
    let source = graph(5, 1);
    let spoil: [fn(&mut Paper); 4] = [
        |paper| paper.tau = 0.0,
        |paper| paper.width = -1.0,
        |paper| paper.proximity_weight = f64::NAN,
        |paper| paper.kernel_tolerance = 2.0,
    ];
    let anchors = Anchors::from_indices(&source, &source, &[(0, 0)]).unwrap();
    let task = Task::new(&source, &source, &anchors).unwrap();
    for spoil in spoil {
        let mut preset = Paper::default();
        spoil(&mut preset);
        let result = preset.run(&task, &Monitor::silent());
        assert!(matches!(result, Err(Error::Parameter { .. })));
    }
}

#[test]
fn threads_do_not_change_a_bit() {
    // Large enough that products and eigenpairs are cut into tasks.
    let (source, target) = (graph(270, 1), graph(260, 2));
    on_any_threads(|| {
        let mut short = Rrwm::default();
        short.max_iterations = 4;
        let preset = Paper::default().with_solver(Arc::new(short));
        let matching = run(&preset, &source, &target, &[(0, 1), (5, 9), (100, 77)]);
        (matching.pairs, matching.objective.to_bits())
    });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]
    #[test]
    fn relabelling_relabels_the_matching(seed in 0u64..1000) {
        let (source, target) = (graph(11, seed), graph(13, seed + 1));
        let (moved, place) = shuffled(&source);
        let preset = Paper::default();
        let plain = run(&preset, &source, &target, &[(0, 4), (7, 2)]);
        let relabelled = run(&preset, &moved, &target, &[(place[0], 4), (place[7], 2)]);
        // Rounding may part two nearly equal optima; equal objectives is what invariance promises.
        prop_assert!((plain.objective - relabelled.objective).abs() < 1e-3 * plain.objective);
        if plain.iterations < 300 && relabelled.iterations < 300 {
            let same = plain.pairs.iter().filter(|p| relabelled.mapping()[&place[p.source]] == p.target).count();
            prop_assert_eq!(same, plain.pairs.len());
        }
    }
}

/// Of equal graphs every rival stands on both sides, and which of the two was learned from first was left to rounding.
#[test]
fn equal_violations_are_learned_from_together() {
    const WEIGHTS: [f64; 21] = [
        0.41158501201687236,
        0.13051701540238025,
        0.4088312735381038,
        0.4479613459262628,
        0.6231678086549097,
        0.15731315737556636,
        0.20945527114608323,
        0.47738734078218825,
        0.24177846199180078,
        0.3704513749659545,
        0.3756722788773924,
        0.9253343754912945,
        0.6313275185017854,
        0.48319009936087587,
        0.1682960808285824,
        0.5066103330083005,
        0.8444974673592796,
        0.1498743251583019,
        0.19050709746477584,
        0.16661910426489251,
        0.8562847335347533,
    ];
    let ends = (0..7).flat_map(|i| (i + 1..7).map(move |j| (i, j)));
    let edges: Vec<_> = ends.zip(WEIGHTS).collect();
    let complete = |unit: f64| {
        let edges: Vec<_> = edges.iter().map(|&((i, j), w)| (i, j, unit * w)).collect();
        Graph::from_edges(7, &edges).unwrap()
    };
    let paper = Paper::with_terms(Terms::HeatProximity);
    let objective = |unit: f64| {
        let target = complete(unit).permuted(&[3, 1, 5, 2, 4, 6, 0]).unwrap();
        let source = complete(1.0);
        run(&paper, &source, &target, &[(0, 6), (1, 1)]).objective
    };
    let plain = objective(1.0);
    for unit in [1e-3, 1e5, 7e-9, 3.3e7] {
        let other = objective(unit);
        assert!(
            (other - plain).abs() < 1e-6 * plain,
            "{unit}: {other} and {plain}"
        );
    }
}
