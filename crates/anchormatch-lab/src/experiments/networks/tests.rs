//! The protocol on small graphs, and against counts by hand.

use anchormatch::Task;
use anchormatch::matching::Pair;
use proptest::prelude::*;

use super::*;
use crate::matchers::by_name;
use crate::matchers::fixed::{Fixed, anchors_alone};

/// A cycle with chords, which has no symmetry, and the same without some edges.
fn pair(nodes: usize) -> NetworkPair {
    let edge = |i: usize| [(i, (i + 1) % nodes, 1.0), (i, (i * i + 2) % nodes, 1.0)];
    let edges: Vec<_> = (0..nodes).flat_map(edge).collect();
    NetworkPair {
        name: "chords",
        source: Graph::from_edges(nodes, &edges).unwrap(),
        target: Graph::from_edges(nodes, &edges[..2 * nodes - 3]).unwrap(),
        weighted: false,
    }
}

fn sweep() -> NetworkSweep {
    NetworkSweep {
        percents: vec![10.0],
        draws: 3,
        ..NetworkSweep::default()
    }
}

fn fixed(run: fn(&Task<'_>) -> Result<Matching>) -> Vec<Box<dyn Matcher>> {
    vec![Box::new(Fixed(run))]
}

#[test]
fn anchor_counts_are_those_of_the_protocol() {
    for (percent, nodes, count) in [
        (1.0, 1004, 10),
        (5.0, 1004, 50),
        (1.0, 713, 7),
        (5.0, 145, 7),
        (1.0, 145, 2),
        (1.0, 1133, 11),
        (99.0, 3, 2),
        (99.9, 50, 49),
    ] {
        assert_eq!(NetworkSweep::anchors(percent, nodes).unwrap(), count);
    }
    for (percent, nodes) in [(0.0, 50), (100.0, 50), (f64::NAN, 50), (-1.0, 50), (5.0, 2)] {
        assert!(NetworkSweep::anchors(percent, nodes).is_err());
    }
}

#[test]
fn draws_differ_and_larger_shares_hold_the_smaller_ones() {
    let (pair, sweep) = (pair(40), sweep());
    let few = sweep.trial(&pair, 10.0, 0).unwrap();
    let many = sweep.trial(&pair, 30.0, 0).unwrap();
    assert_eq!(few.anchors, many.anchors[..4]);
    assert_eq!(few.instance, many.instance);
    let other = sweep.trial(&pair, 10.0, 1).unwrap();
    assert_ne!(few.anchors, other.anchors);
    assert_ne!(few.instance.truth, other.instance.truth);
    for trial in [few, many, other] {
        assert!(
            trial
                .anchors
                .iter()
                .all(|a| trial.instance.truth.contains(a))
        );
    }
}

#[test]
fn solvers_are_scored_and_the_truth_stands_beside() {
    let pairs = [pair(30)];
    let matchers = ["faq", "goat"].map(|name| by_name(name).unwrap());
    let mut seen = Vec::new();
    let result = sweep()
        .run(&pairs, &matchers, &Monitor::silent(), |row| {
            seen.push(row.method.clone());
        })
        .unwrap();
    assert!(result.complete && seen == ["faq", "goat"]);
    for row in &result.rows {
        assert_eq!((row.nodes, row.anchors, row.accuracy.count), (30, 3, 3));
        assert_eq!((row.cut, &row.failure), (0, &None));
        let lost = pairs[0].source.edge_count() - pairs[0].target.edge_count();
        let want = 1.0 - lost as f64 / pairs[0].source.edge_count() as f64;
        assert!((row.truth.edges - want).abs() < 1e-12 && want < 1.0);
        assert_eq!(row.conserved_edges, row.conserved_weight);
        // The same runs once more, counted node by node.
        let matcher = by_name(&row.method).unwrap();
        let mut right = 0;
        for draw in 0..3 {
            let trial = sweep().trial(&pairs[0], 10.0, draw).unwrap();
            let found = matcher.run(&trial.task().unwrap(), &Monitor::silent());
            let mapping = found.unwrap().mapping();
            let asked = trial.instance.truth.iter();
            let asked = asked.filter(|pair| !trial.anchors.contains(pair));
            right += asked.filter(|&(s, t)| mapping.get(s) == Some(t)).count();
        }
        // Chance would find one node a draw.
        assert!(right > 27, "{right}");
        assert!((row.accuracy.mean - right as f64 / (3.0 * 27.0)).abs() < 1e-12);
    }
}

#[test]
fn anchors_alone_score_nothing() {
    let result = sweep().run(
        &[pair(30)],
        &fixed(anchors_alone),
        &Monitor::silent(),
        |_| {},
    );
    let row = &result.unwrap().rows[0];
    assert_eq!(row.accuracy.mean, 0.0);
    assert!(row.conserved_edges.mean < 0.2);
}

#[test]
fn a_refusal_is_a_row_and_nonsense_is_an_error() {
    let refuse = |_: &Task<'_>| Err(Error::Graph("too round".into()));
    let result = sweep().run(&[pair(30)], &fixed(refuse), &Monitor::silent(), |_| {});
    let row = result.unwrap().rows.remove(0);
    assert!(row.failure.unwrap().contains("too round"));
    assert_eq!(row.accuracy.count, 0);

    let twice: fn(&Task<'_>) -> Result<Matching> = |task| {
        let mut matching = anchors_alone(task)?;
        let pair = |source| Pair {
            source,
            target: 0,
            confidence: 1.0,
            anchor: false,
        };
        matching.pairs = (0..task.source().node_count()).map(pair).collect();
        Ok(matching)
    };
    let outside: fn(&Task<'_>) -> Result<Matching> = |task| {
        let mut matching = anchors_alone(task)?;
        matching.pairs[0].target = task.target().node_count();
        Ok(matching)
    };
    let forgets: fn(&Task<'_>) -> Result<Matching> = |task| {
        let mut matching = anchors_alone(task)?;
        matching.pairs.clear();
        Ok(matching)
    };
    for nonsense in [twice, outside, forgets] {
        let result = sweep().run(&[pair(30)], &fixed(nonsense), &Monitor::silent(), |_| {});
        assert!(
            result
                .unwrap_err()
                .to_string()
                .contains("fixed returned no")
        );
    }
    let none = NetworkSweep {
        draws: 0,
        ..sweep()
    };
    assert!(none.run(&[], &[], &Monitor::silent(), |_| {}).is_err());
}

#[test]
fn a_cancelled_sweep_returns_the_rows_it_has() {
    let monitor = Monitor::silent();
    let token = monitor.cancel_token();
    let twice = [fixed(anchors_alone), fixed(anchors_alone)];
    let twice: Vec<_> = twice.into_iter().flatten().collect();
    let result = sweep().run(&[pair(30)], &twice, &monitor, |_| token.cancel());
    let result = result.unwrap();
    assert_eq!((result.rows.len(), result.complete), (1, false));
}

#[test]
fn weights_conserve_their_smaller_part() {
    let source = Graph::from_edges(4, &[(0, 1, 4.0), (1, 2, 2.0), (2, 3, 2.0)]).unwrap();
    let target = Graph::from_edges(4, &[(0, 1, 1.0), (1, 2, 9.0)]).unwrap();
    let partners = Assignment::identity(4);
    let got = conserved(&source, &target, &partners);
    assert!((got.edges - 2.0 / 3.0).abs() < 1e-15);
    assert!((got.weight - 3.0 / 8.0).abs() < 1e-15);
    let alone = conserved(&source, &target, &[None, Some(1), Some(2), None].into());
    assert_eq!((alone.edges, alone.weight), (1.0 / 3.0, 0.25));
    let empty = Graph::from_edges(2, &[]).unwrap();
    assert_eq!(conserved(&empty, &empty, &[None, None].into()).edges, 1.0);
}

proptest! {
    /// Against the sum over all entries of both matrices.
    #[test]
    fn conserved_edges_are_half_the_trace_of_the_product(
        n in 1usize..12, seed in 0u64..1000, density in 1u64..5,
    ) {
        let draw = |salt: u64| {
            let mut edges = Vec::new();
            for j in 0..n {
                for i in 0..j {
                    let mix = i as u64 * 31 + j as u64 * 17 + seed * salt;
                    let hash = (mix * 2_654_435_761) >> 7;
                    if hash % 5 < density {
                        edges.push((i, j, 1.0));
                    }
                }
            }
            Graph::from_edges(n, &edges).unwrap()
        };
        let (source, target) = (draw(3), draw(5));
        let partners: Vec<usize> = (0..n).map(|i| (i + seed as usize) % n).collect();
        let (a, b) = (source.adjacency(), target.adjacency());
        let mut sum = 0.0;
        for i in 0..n {
            for j in 0..n {
                sum += a[(i, j)] * b[(partners[i], partners[j])];
            }
        }
        let want = if source.edge_count() == 0 { 1.0 } else { sum / 2.0 / source.edge_count() as f64 };
        let partners: Assignment = partners.into_iter().map(Some).collect();
        let got = conserved(&source, &target, &partners);
        prop_assert!((got.edges - want).abs() < 1e-12 && (got.weight - want).abs() < 1e-12);
    }
}
