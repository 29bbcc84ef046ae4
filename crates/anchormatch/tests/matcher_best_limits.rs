//! The presets best and fast at the edges: degenerate graphs, extreme weights, stops, anything random.
#![allow(clippy::unwrap_used)]

mod planted;

use std::sync::Arc;
use std::time::Duration;

use anchormatch::anchors::Anchor;
use anchormatch::linalg::Matrix;
use anchormatch::matcher::{Best, Matcher, RegimeChoice};
use anchormatch::solver::Status;
use anchormatch::{Anchors, Error, Graph, Monitor, Task};
use anchormatch_invariants::matching::assert_sound;
use planted::{Kind, Planted, partners, run, run_task};
use proptest::prelude::*;

/// Both efforts, with and without unmatched nodes, with and without repairs.
fn presets() -> Vec<Best> {
    let mut presets = Vec::new();
    for effort in [Best::default(), Best::fast()] {
        for allow_unmatched in [false, true] {
            for repair_anchors in [false, true] {
                let preset = effort.clone().with_unmatched(allow_unmatched);
                presets.push(preset.with_repairs(repair_anchors));
            }
        }
    }
    presets
}

fn graph(nodes: usize, edges: &[(usize, usize, f64)]) -> Graph {
    Graph::from_edges(nodes, edges).unwrap()
}

/// Every pair, with a weight of its own.
fn complete(nodes: usize, weight: impl Fn(usize) -> f64) -> Graph {
    let pairs = (0..nodes).flat_map(|i| (0..i).map(move |j| (j, i)));
    let edges: Vec<_> = pairs
        .enumerate()
        .map(|(k, (j, i))| (j, i, weight(k)))
        .collect();
    graph(nodes, &edges)
}

fn star(nodes: usize) -> Graph {
    let edges: Vec<_> = (1..nodes).map(|i| (0, i, 1.0)).collect();
    graph(nodes, &edges)
}

#[test]
fn a_run_that_nobody_stopped_has_converged() {
    for kind in [Kind::Complete, Kind::Weighted, Kind::Plain, Kind::Points] {
        // Noise, so that scales are fitted and searches repeated.
        let planted = Planted::new(kind, 16, [1, 2], 0.05, 4);
        for preset in presets() {
            let matching = planted.run(&preset, &[0, 6]);
            assert_eq!(matching.status, Status::Converged, "{kind:?}, {preset:?}");
        }
    }
    let monitor = Monitor::silent();
    monitor.cancel_token().cancel();
    let planted = Planted::new(Kind::Complete, 16, [0, 0], 0.05, 4);
    let none = Anchors::none();
    let task = Task::new(&planted.source, &planted.target, &none).unwrap();
    let stopped = Best::default().run(&task, &monitor);
    assert!(stopped.is_ok_and(|matching| matching.status == Status::Cancelled));
}

#[test]
fn degenerate_graphs_have_a_sound_result() {
    let two_triangles = [
        (0, 1, 1.0),
        (1, 2, 1.0),
        (0, 2, 1.0),
        (3, 4, 1.0),
        (4, 5, 1.0),
        (3, 5, 1.0),
    ];
    let graphs = [
        graph(1, &[]),
        graph(2, &[]),
        graph(2, &[(0, 1, 3.0)]),
        graph(5, &[]),
        star(5),
        complete(5, |_| 1.0),
        complete(6, |k| [1.0, 2.0][k % 2]),
        graph(6, &two_triangles),
        graph(6, &[(0, 1, -1.0), (1, 2, 2.0), (4, 5, -0.5)]),
        complete(5, |k| -(k as f64)),
    ];
    for preset in presets() {
        for source in &graphs {
            for target in &graphs {
                run(&preset, source, target, &[]);
                run(&preset, source, target, &[(source.node_count() - 1, 0)]);
            }
        }
    }
}

#[test]
fn one_node_finds_the_other() {
    let matching = run(&Best::default(), &graph(1, &[]), &graph(1, &[]), &[]);
    assert_eq!(partners(&matching), [(0, 0)]);
    assert!(matching.pairs[0].confidence > 0.99);
    let matching = run(&Best::default(), &graph(1, &[]), &star(5), &[]);
    assert_eq!(matching.pairs.len(), 1);
    assert_eq!(matching.unmatched_target.len(), 4);
    let matching = run(&Best::default(), &star(5), &graph(1, &[]), &[(2, 0)]);
    assert_eq!(partners(&matching), [(2, 0)]);
}

#[test]
fn the_centre_of_a_star_is_the_centre() {
    for preset in presets() {
        let target = star(7).permuted(&[3, 1, 2, 0, 4, 5, 6]).unwrap();
        let matching = run(&preset, &star(7), &target, &[(2, 2)]);
        if !preset.allow_unmatched {
            assert_eq!(matching.mapping()[&0], 3, "{preset:?}");
        }
    }
}

#[test]
fn all_nodes_anchored_is_the_anchors() {
    let (source, target) = (complete(5, |k| k as f64 + 1.0), star(5));
    let anchors: Vec<_> = (0..5).map(|i| (i, (2 * i + 1) % 5)).collect();
    for preset in presets().iter().filter(|preset| !preset.repair_anchors) {
        let matching = run(preset, &source, &target, &anchors);
        assert_eq!(partners(&matching), anchors);
        // The smaller side anchored, the larger one free.
        let matching = run(preset, &source, &star(8), &anchors);
        assert_eq!(partners(&matching), anchors);
        assert_eq!(matching.unmatched_target, [5, 6, 7]);
        let matching = run(preset, &star(8), &source, &anchors);
        assert_eq!(partners(&matching), anchors);
    }
}

#[test]
fn an_empty_graph_has_no_evidence_for_a_full_one() {
    let matching = run(
        &Best::default(),
        &graph(5, &[]),
        &complete(5, |_| 1.0),
        &[(1, 4)],
    );
    assert!(partners(&matching).contains(&(1, 4)));
    for pair in matching.pairs.iter().filter(|pair| !pair.anchor) {
        assert!(pair.confidence < 0.5, "{pair:?}");
    }
}

/// `weights` of seven nodes and another order of them, which is found whatever the unit.
fn assert_found(weight: impl Fn(usize) -> f64, name: &str) {
    let source = complete(7, weight);
    let order = [4, 2, 6, 0, 5, 1, 3];
    let target = source.permuted(&order).unwrap();
    for preset in presets() {
        let matching = run(&preset, &source, &target, &[(2, 1)]);
        for (s, t) in partners(&matching) {
            assert_eq!(order[t], s, "{name}, {preset:?}");
        }
        assert_eq!(matching.pairs.len(), 7, "{name}, {preset:?}");
    }
}

#[test]
fn extreme_weights_are_weights() {
    let value = |k: usize| ((k * k * 31 + 7 * k) % 101) as f64 + 1.0;
    assert_found(value, "as they are");
    assert_found(|k| 1e-300 * value(k), "tiny");
    assert_found(|k| 1e300 * value(k), "huge");
    assert_found(|k| -value(k), "negative");
    assert_found(|k| value(k) - 50.5, "of both signs");
    assert_found(|k| value(k) + 1e9, "far from zero");
    assert_found(|k| 1e-310 * value(k), "subnormal");
}

#[test]
fn mixed_extremes_are_sound() {
    let mixed = complete(5, |k| {
        [1e-300, 1e300, -1e300, 5e-324, f64::MAX, -f64::MAX, 1.0][k % 7]
    });
    for preset in presets() {
        run(&preset, &mixed, &mixed, &[]);
        run(&preset, &mixed, &star(4), &[(1, 2)]);
        run(&preset, &star(6), &mixed, &[(0, 0)]);
    }
}

#[test]
fn extreme_similarities_are_sound() {
    let square = complete(5, |k| k as f64);
    for value in [1e300, f64::MAX, 1e-300, -f64::MAX] {
        let similarity = Matrix::from_fn(5, 5, |i, a| if i == a { value } else { 0.0 });
        let similarity = Arc::new(similarity.into());
        let (star, empty) = (star(5), graph(5, &[]));
        for (source, target, anchors) in [(&square, &square, &[(3, 3)][..]), (&star, &empty, &[])] {
            let anchors = Anchors::from_indices(source, target, anchors).unwrap();
            let task = Task::new(source, target, &anchors).unwrap();
            let task = task.with_similarity(Arc::clone(&similarity)).unwrap();
            run_task(&Best::default(), &task);
        }
    }
}

#[test]
fn a_stop_gives_a_sound_result_or_says_so() {
    let planted = [
        Planted::isomorphic(Kind::Complete, 40, 1),
        Planted::new(Kind::Points, 90, [4, 6], 0.01, 2),
        Planted::isomorphic(Kind::Sparse, 150, 3),
    ];
    for planted in &planted {
        let (source, target) = (&planted.source, &planted.target);
        let anchors = Anchors::from_indices(source, target, &planted.pairs(&[1, 2])).unwrap();
        let task = Task::new(source, target, &anchors).unwrap();
        for preset in presets() {
            let cancelled = Monitor::silent();
            cancelled.cancel_token().cancel();
            let whole = preset.run(&task, &Monitor::silent()).unwrap();
            for limit in [0, 1, 5, 20, 50, 100].map(Some).into_iter().chain([None]) {
                // The clock starts with the run.
                let monitor = match limit {
                    Some(limit) => Monitor::silent().time_limit(Duration::from_millis(limit)),
                    None => cancelled.clone(),
                };
                match preset.run(&task, &monitor) {
                    Ok(matching) => {
                        assert_sound(&preset, &matching, &task);
                        // What a limit changed says so.
                        if !matching.status.was_interrupted() {
                            assert_eq!(matching.status, whole.status);
                            assert_eq!(matching.pairs, whole.pairs);
                            assert_eq!(matching.anchor_report, whole.anchor_report);
                        }
                        // Nor is anybody accused by what was cut short.
                        assert!(!matching.anchor_report.iter().any(|c| c.is_suspicious()));
                    }
                    Err(error) => assert!(matches!(error, Error::Stopped(_)), "{error}"),
                }
            }
        }
    }
}

#[test]
fn a_stop_at_any_step_gives_a_sound_result() {
    let planted = Planted::new(Kind::Complete, 10, [2, 2], 0.05, 4);
    let (source, target) = (&planted.source, &planted.target);
    let anchors = Anchors::from_indices(source, target, &planted.pairs(&[3])).unwrap();
    let task = Task::new(source, target, &anchors).unwrap();
    let preset = Best::default().with_unmatched(true);
    for steps in [0, 1, 2, 5, 10, 30, 100, 300, 1000] {
        let monitor = Monitor::silent();
        let cancelled = monitor.cancel_token();
        let (token, left) = (
            cancelled.clone(),
            Arc::new(std::sync::atomic::AtomicUsize::new(steps)),
        );
        let monitor = monitor.observe(move |_| {
            use std::sync::atomic::Ordering::Relaxed;
            let none = left.fetch_update(Relaxed, Relaxed, |k| k.checked_sub(1));
            if none.is_err() {
                token.cancel();
            }
        });
        match preset.run(&task, &monitor) {
            Ok(matching) => {
                assert_sound(&preset, &matching, &task);
                let expected = if cancelled.is_cancelled() {
                    Status::Cancelled
                } else {
                    Status::Converged
                };
                assert_eq!(matching.status, expected, "after {steps} steps");
            }
            Err(error) => assert!(matches!(error, Error::Stopped(_)), "{error}"),
        }
    }
}

/// Runs with a monitor that is cancelled at a checkpoint; how many there were, and how many of them after it.
fn steps(preset: &Best, task: &Task<'_>, cancelled_at: usize) -> (usize, usize) {
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
    let monitor = Monitor::silent();
    let (token, seen) = (monitor.cancel_token(), Arc::new(AtomicUsize::new(0)));
    let counter = Arc::clone(&seen);
    let monitor = monitor.observe(move |_| {
        if counter.fetch_add(1, Relaxed) == cancelled_at {
            token.cancel();
        }
    });
    match preset.run(task, &monitor) {
        Ok(matching) => assert_sound(preset, &matching, task),
        Err(error) => assert!(matches!(error, Error::Stopped(_)), "{error}"),
    }
    let seen = seen.load(Relaxed);
    (seen, seen.saturating_sub(cancelled_at.saturating_add(1)))
}

#[test]
fn after_a_stop_no_stage_goes_on() {
    let planted = [
        Planted::new(Kind::Complete, 30, [2, 3], 0.1, 5),
        Planted::new(Kind::Sparse, 200, [10, 10], 0.05, 6),
    ];
    for planted in &planted {
        let (source, target) = (&planted.source, &planted.target);
        let anchors = Anchors::from_indices(source, target, &planted.pairs(&[3, 7, 9])).unwrap();
        let task = Task::new(source, target, &anchors).unwrap();
        for regime in [RegimeChoice::Dense, RegimeChoice::Sparse] {
            let preset = Best::default().with_regime(regime);
            let (whole, _) = steps(&preset, &task, usize::MAX);
            assert!(whole > 5, "{whole} steps");
            // Every stage that is still to come may look once, on each of the machine's threads.
            for part in 0..16 {
                let at = part * whole / 16;
                let (_, after) = steps(&preset, &task, at);
                assert!(
                    after <= 20,
                    "{after} steps after the {at}th of {whole}, {regime:?}"
                );
            }
        }
    }
}

#[test]
fn too_little_memory_is_refused() {
    let source = complete(30, |k| k as f64);
    let monitor = Monitor::silent().max_memory(1000);
    let none = Anchors::none();
    let task = Task::new(&source, &source, &none).unwrap();
    let error = Best::default().run(&task, &monitor).unwrap_err();
    assert!(matches!(error, Error::Memory { .. }), "{error}");
}

/// Up to seven nodes, any density, weights of a few kinds.
fn any_graph() -> impl Strategy<Value = Graph> {
    let weight = prop_oneof![
        Just(1.0),
        Just(0.0),
        -1.0..1.0f64,
        0.1..10.0f64,
        Just(-2.0),
        Just(1e12)
    ];
    (1..8usize, 0.0..=1.0f64).prop_flat_map(move |(nodes, density)| {
        let pairs: Vec<_> = (0..nodes)
            .flat_map(|i| (0..i).map(move |j| (j, i)))
            .collect();
        let weights = proptest::collection::vec(
            proptest::option::weighted(density.clamp(0.01, 0.99), weight.clone()),
            pairs.len(),
        );
        weights.prop_map(move |weights| {
            let edges = pairs.iter().zip(weights);
            let edges: Vec<_> = edges
                .filter_map(|(&(j, i), weight)| weight.map(|w| (j, i, w)))
                .collect();
            graph(nodes, &edges)
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn every_result_is_sound(
        source in any_graph(),
        target in any_graph(),
        given in proptest::collection::vec((0..7usize, 0..7usize, prop_oneof![Just(1.0), 0.01..1.0f64]), 0..6),
        similar in proptest::option::of(proptest::collection::vec(-2.0..2.0f64, 49)),
        allow_unmatched: bool,
        repair_anchors: bool,
        fast: bool,
        seed: u64,
    ) {
        let (n, m) = (source.node_count(), target.node_count());
        let mut taken = ([false; 7], [false; 7]);
        let given = given.into_iter().filter(|&(s, t, weight)| {
            let inside = s < n && t < m;
            let hard = weight == 1.0;
            let allowed = inside && !(hard && (taken.0[s] || taken.1[t]));
            if allowed && hard {
                (taken.0[s], taken.1[t]) = (true, true);
            }
            allowed
        });
        let given = given.map(|(source, target, weight)| Anchor::new(source, target, weight));
        let anchors = Anchors::new(&source, &target, given.collect::<Vec<_>>()).unwrap();
        let mut task = Task::new(&source, &target, &anchors).unwrap();
        if let Some(similar) = similar {
            let similarity = Matrix::from_fn(n, m, |i, a| similar[7 * i + a]);
            task = task.with_similarity(Arc::new(similarity.into())).unwrap();
        }
        let preset = if fast { Best::fast() } else { Best::default() };
        let preset = preset.with_unmatched(allow_unmatched).with_repairs(repair_anchors);
        let preset = preset.with_seed(seed);
        let matching = run_task(&preset, &task);
        let again = run_task(&preset, &task);
        prop_assert_eq!(&again.pairs, &matching.pairs);
        prop_assert_eq!(again.objective.to_bits(), matching.objective.to_bits());
        for samples in &matching.samples.partners {
            prop_assert_eq!(samples.rows(), matching.samples.nodes.len());
            prop_assert!(samples.iter().flatten().all(|a| a < m));
        }
    }
}
