//! How far anchors stand above others, and what it does to confidences.

use super::copies;
use crate::anchors::Anchors;
use crate::graph::Graph;
use crate::matcher::best::chance::Chance;
use crate::matcher::best::sparse::beside_decoys;
use crate::matcher::{Best, Matcher};
use crate::monitor::Monitor;
use crate::symmetry::{Orbits, Symmetry};
use crate::task::Task;

const NODES: usize = 300;

fn partner(i: usize) -> usize {
    (7 * i + 3) % NODES
}

fn anchors(graphs: [&Graph; 2], count: usize) -> Anchors {
    let pairs: Vec<(usize, usize)> = (0..count).map(|i| (29 * i, partner(29 * i))).collect();
    Anchors::from_indices(graphs[0], graphs[1], &pairs).unwrap()
}

/// What is left of a chance that was as likely as not.
fn beside(graphs: [&Graph; 2], anchors: &Anchors, monitor: &Monitor) -> Chance {
    let task = Task::new(graphs[0], graphs[1], anchors).unwrap();
    let told_apart = Symmetry {
        orbits: [0, 1].map(|_| Orbits::new(NODES, Vec::new())),
        ..Symmetry::default()
    };
    beside_decoys(&Best::default(), &task, &told_apart, in_doubt(), monitor)
}

fn in_doubt() -> Chance {
    Chance::of([0.0], true)
}

#[test]
fn right_anchors_stand_above_decoys_and_strangers_do_not() {
    let [one, copy] = copies(NODES, 8, 0.85, false, 3);
    let silent = Monitor::silent();
    // One anchor has fewer edges to tell by than eight.
    let [one_anchor, eight] = [1, 8].map(|count| {
        let known = anchors([&one, &copy], count);
        beside([&one, &copy], &known, &silent)
    });
    assert!(one_anchor.weight > 0.5, "{one_anchor:?}");
    assert!(eight.is_ruled_out(), "{eight:?}");
    for seed in 4..8 {
        let [stranger, _] = copies(NODES, 8, 0.85, false, seed);
        let known = anchors([&one, &stranger], 8);
        let found = beside([&one, &stranger], &known, &silent);
        assert!(found.weight < 0.3, "{seed}: {found:?}");
    }
}

#[test]
fn nothing_is_compared_without_anchors_or_after_a_stop() {
    let [one, copy] = copies(NODES, 8, 0.85, false, 3);
    let none = anchors([&one, &copy], 0);
    assert_eq!(beside([&one, &copy], &none, &Monitor::silent()), in_doubt());
    let monitor = Monitor::silent();
    monitor.cancel_token().cancel();
    let known = anchors([&one, &copy], 8);
    assert_eq!(beside([&one, &copy], &known, &monitor), in_doubt());
}

/// Every new node joins some earlier one and neighbours of it: hubs, and triangles everywhere.
fn clustered(nodes: usize, seed: u64) -> Vec<(usize, usize)> {
    let mut numbers = super::Numbers(seed);
    let mut edges = vec![(0, 1), (1, 2), (0, 2)];
    for i in 3..nodes {
        let (mut a, b) = edges[numbers.below(edges.len())];
        edges.push((b, i));
        for _ in 0..3 {
            let near: Vec<usize> = (edges.iter())
                .filter_map(|&(x, y)| (x == b).then_some(y).or((y == b).then_some(x)))
                .filter(|&x| x != i)
                .collect();
            edges.push((a, i));
            a = near[numbers.below(near.len())];
        }
    }
    edges.sort_unstable();
    edges.dedup();
    edges
}

/// The mean confidence of all but the anchors, and the share of them that is right.
fn mean(graphs: [&Graph; 2], known: &Anchors) -> (f64, f64) {
    let task = Task::new(graphs[0], graphs[1], known).unwrap();
    let found = Best::default().run(&task, &Monitor::silent()).unwrap();
    let free = || found.pairs.iter().filter(|pair| !pair.anchor);
    let count = free().count() as f64;
    let right = free().filter(|pair| pair.target == (7 * pair.source + 3) % graphs[0].node_count());
    (
        free().map(|pair| pair.confidence).sum::<f64>() / count,
        right.count() as f64 / count,
    )
}

#[test]
fn clustered_copies_that_lost_edges_are_not_called_chance_and_strangers_are() {
    let mut numbers = super::Numbers(9);
    let mut thinned = |edges: &[(usize, usize)], name: &dyn Fn(usize) -> usize| {
        let kept = edges.iter().filter(|_| numbers.next() < 0.75);
        let kept: Vec<_> = kept.map(|&(i, j)| (name(i), name(j), 1.0)).collect();
        Graph::from_edges(NODES, &kept).unwrap()
    };
    let parent = clustered(NODES, 1);
    let one = thinned(&parent, &|i| i);
    let copy = thinned(&parent, &partner);
    let strangers = [2, 3, 4].map(|seed| thinned(&clustered(NODES, seed), &partner));
    let of = |target: &Graph| mean([&one, target], &anchors([&one, target], 10)).0;
    assert!(of(&copy) > 0.5, "{}", of(&copy));
    let of_strangers = strangers.iter().map(of).sum::<f64>() / strangers.len() as f64;
    assert!(of_strangers < 0.1, "{of_strangers}");
}

/// As few anchors as barely lead anywhere: half of them would not.
#[test]
fn a_match_that_all_anchors_are_needed_for_is_no_chance() {
    let nodes = 1000;
    let [one, copy] = copies(nodes, 10, 0.6, false, 5);
    let pairs: Vec<(usize, usize)> = (0..24)
        .map(|k| (41 * k, (7 * 41 * k + 3) % nodes))
        .collect();
    let known = Anchors::from_indices(&one, &copy, &pairs).unwrap();
    let (confidence, right) = mean([&one, &copy], &known);
    assert!(right > 0.8, "{right}");
    assert!((confidence - right).abs() < 0.1, "{confidence} {right}");
}
