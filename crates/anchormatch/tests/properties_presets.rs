//! What holds of every preset on every shape of graph: soundness, recounts, threads, names, scales,
//! exchange of the two sides.
#![allow(clippy::unwrap_used)]

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use anchormatch::matcher::{Best, Matcher, Terms};
use anchormatch::{Matching, Task};
use anchormatch_invariants::matching::{bytes_of, checked, matchers, terms};
use anchormatch_invariants::shapes::{
    Shape, Twins, any_twins, inverse, isomorphic, on_any_threads, order,
};
use proptest::prelude::*;
use proptest::test_runner::{TestCaseResult, TestRunner};

type Preset = Arc<dyn Matcher>;

fn run(preset: &Preset, twins: &Twins) -> Matching {
    let anchors = twins.anchors();
    let task = Task::new(&twins.source, &twins.target, &anchors).unwrap();
    checked(&**preset, &task)
}

fn partners(matching: &Matching) -> Vec<(usize, usize)> {
    matching
        .pairs
        .iter()
        .map(|p| (p.source, p.target))
        .collect()
}

/// Best and fast with every choice that a user has.
fn any_best() -> impl Strategy<Value = Preset> {
    (any::<bool>(), any::<bool>(), any::<bool>(), 0..4u64).prop_map(
        |(fast, allow_unmatched, repair_anchors, seed)| {
            let best = if fast { Best::fast() } else { Best::default() };
            let best = best.with_unmatched(allow_unmatched).with_seed(seed);
            Arc::new(best.with_repairs(repair_anchors)) as Preset
        },
    )
}

/// Draws cases for each matcher from the beginning: one more matcher changes nothing of what the others meet.
fn for_every_matcher<S: Strategy>(
    name: &'static str,
    cases: u32,
    strategy: S,
    test: impl Fn(&Preset, S::Value) -> TestCaseResult,
) {
    for preset in matchers() {
        let mut runner = TestRunner::new(ProptestConfig {
            source_file: Some(file!()),
            test_name: Some(name),
            ..ProptestConfig::with_cases(cases)
        });
        let outcome = runner.run(&strategy, |case| test(&preset, case));
        outcome.unwrap_or_else(|failure| panic!("{preset:?}: {failure}"));
    }
}

/// Equal up to rounding; a learned proximity up to the tolerance at which learning stops.
#[track_caller]
fn assert_close(preset: &Preset, x: f64, y: f64) {
    let learns = terms(&**preset).is_some_and(Terms::uses_proximity);
    let slack = if learns { 0.1 } else { 1e-6 } * (1.0 + x.abs());
    assert!((x - y).abs() <= slack, "{preset:?}: {x} and {y}");
}

#[test]
fn every_preset_is_sound_on_every_pair_of_shapes() {
    // All that fail, and not the first alone: what they have in common is half of the answer.
    let mut failed = Vec::new();
    for (k, one) in Shape::ALL.into_iter().enumerate() {
        for (l, two) in Shape::ALL.into_iter().enumerate() {
            let source = one.graph(4, 1);
            let target = two.graph(4 + k % 2, 2);
            let both = source.node_count().min(target.node_count());
            let twins = Twins {
                source,
                target,
                pairs: (0..(k + l) % (both + 1))
                    .map(|s| (s, both - 1 - s))
                    .collect(),
            };
            for preset in matchers() {
                let attempt = AssertUnwindSafe(|| run(&preset, &twins));
                if std::panic::catch_unwind(attempt).is_err() {
                    failed.push(format!("{one:?}, {two:?}, {preset:?}"));
                }
            }
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(80))]

    #[test]
    fn every_choice_of_best_is_sound_and_the_same_on_any_threads(
        twins in any_twins(6), preset in any_best(),
    ) {
        on_any_threads(|| bytes_of(run(&preset, &twins)));
    }
}

#[test]
fn every_result_is_sound_and_the_same_on_any_threads() {
    for_every_matcher("threads", 10, any_twins(6), |preset, twins| {
        on_any_threads(|| bytes_of(run(preset, &twins)));
        Ok(())
    });
}

#[test]
fn new_names_rename_the_result() {
    let cases = (isomorphic(7..11), any::<u64>(), any::<u64>());
    for_every_matcher("names", 20, cases, |preset, (isomorphic, one, two)| {
        let (twins, order_of_target) = isomorphic;
        prop_assume!(tells_nodes_apart(preset, &twins));
        let n = twins.source.node_count();
        let (first, second) = (order(n, one), order(n, two));
        let renamed = run(preset, &twins.renamed(&first, &second));
        let plain = run(preset, &twins);
        for (s, t) in partners(&plain) {
            prop_assert_eq!(order_of_target[t], s);
        }
        let (first, second) = (inverse(&first), inverse(&second));
        let mut wanted: Vec<_> = partners(&plain)
            .into_iter()
            .map(|(s, t)| (first[s], second[t]))
            .collect();
        wanted.sort_unstable();
        prop_assert_eq!(partners(&renamed), wanted);
        assert_close(preset, renamed.objective, plain.objective);
        Ok(())
    });
}

#[test]
fn a_power_of_two_changes_not_a_bit() {
    let twins = any_twins(6).prop_filter("room above and below", is_ordinary);
    for_every_matcher(
        "powers",
        20,
        (twins, -40..40i32),
        |preset, (twins, power)| {
            let factor = 2f64.powi(power);
            let plain = run(preset, &twins);
            let scaled = run(preset, &twins.scaled(factor, factor));
            prop_assert_eq!(&scaled.pairs, &plain.pairs);
            prop_assert_eq!(scaled.objective.to_bits(), plain.objective.to_bits());
            Ok(())
        },
    );
}

#[test]
fn other_factors_change_no_pair() {
    let cases = (isomorphic(7..11), -290..290i32, 1.0..10.0f64);
    for_every_matcher(
        "factors",
        20,
        cases,
        |preset, ((twins, _), exponent, digits)| {
            prop_assume!(tells_nodes_apart(preset, &twins));
            let factor = digits * 10f64.powi(exponent);
            let plain = run(preset, &twins);
            let scaled = run(preset, &twins.scaled(factor, factor));
            prop_assert_eq!(partners(&scaled), partners(&plain));
            assert_close(preset, scaled.objective, plain.objective);
            Ok(())
        },
    );
}

#[test]
fn each_graph_has_a_unit_of_its_own() {
    let cases = (isomorphic(7..11), -200..200i32);
    for_every_matcher("units", 20, cases, |preset, ((twins, _), exponent)| {
        // Adjacency compares raw weights, and only it does.
        if terms(&**preset) == Some(Terms::Adjacency) {
            return Ok(());
        }
        prop_assume!(tells_nodes_apart(preset, &twins));
        let plain = run(preset, &twins);
        let scaled = run(preset, &twins.scaled(1.0, 10f64.powi(exponent)));
        prop_assert_eq!(partners(&scaled), partners(&plain));
        assert_close(preset, scaled.objective, plain.objective);
        Ok(())
    });
}

#[test]
fn exchanging_the_graphs_transposes_the_result() {
    for_every_matcher("exchange", 20, isomorphic(7..11), |preset, (twins, _)| {
        prop_assume!(tells_nodes_apart(preset, &twins));
        let plain = run(preset, &twins);
        let swapped = run(preset, &twins.swapped());
        let mut wanted: Vec<_> = partners(&plain).into_iter().map(|(s, t)| (t, s)).collect();
        wanted.sort_unstable();
        prop_assert_eq!(partners(&swapped), wanted);
        assert_close(preset, swapped.objective, plain.objective);
        Ok(())
    });
}

/// Whether the nodes that differ in their weights differ in what a preset sees.
fn tells_nodes_apart(preset: &Preset, twins: &Twins) -> bool {
    // Heat does not see weights below zero: with few others, nodes are alike.
    let heat = terms(&**preset).is_some_and(Terms::uses_heat);
    !(heat && twins.source.has_negative_weights())
}

fn is_ordinary(twins: &Twins) -> bool {
    [&twins.source, &twins.target].into_iter().all(|graph| {
        (0..graph.node_count())
            .flat_map(|i| graph.neighbours(i))
            .all(|(_, weight)| (1e-20..1e20).contains(&weight.abs()))
    })
}
