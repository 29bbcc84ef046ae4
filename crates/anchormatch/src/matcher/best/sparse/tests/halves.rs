//! What halves of the anchors agree on.

use super::copies;
use crate::anchors::{Anchor, Anchors};
use crate::graph::Graph;
use crate::matcher::best::chance::Agreement;
use crate::matcher::best::sparse::halves_agree;
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

/// Of how many of all nodes they agree.
fn agreement(graphs: [&Graph; 2], anchors: &Anchors, orbits: &Symmetry) -> Option<Agreement> {
    let task = Task::new(graphs[0], graphs[1], anchors).unwrap();
    let nodes: Vec<usize> = (0..NODES).collect();
    halves_agree(&Best::default(), &task, &nodes, orbits, &Monitor::silent())
}

fn told_apart() -> Symmetry {
    Symmetry {
        orbits: [0, 1].map(|_| Orbits::new(NODES, Vec::new())),
        ..Symmetry::default()
    }
}

#[test]
fn halves_agree_on_copies_and_not_on_strangers() {
    let [one, copy] = copies(NODES, 8, 0.85, false, 3);
    let [stranger, _] = copies(NODES, 8, 0.85, false, 4);
    let none = told_apart();
    let known = anchors([&one, &copy], 8);
    let found = agreement([&one, &copy], &known, &none).expect("enough anchors");
    assert_eq!(found.asked, NODES);
    // Anchors of one half are asked of the other, and both know their own.
    assert!(found.agreed > NODES * 9 / 10, "{found:?}");
    assert!(found.expected > 0.9 * NODES as f64, "{found:?}");
    let known = anchors([&one, &stranger], 8);
    let found = agreement([&one, &stranger], &known, &none).expect("enough anchors");
    assert!(found.agreed < NODES / 10, "{found:?}");
}

#[test]
fn partners_that_nothing_tells_apart_are_the_same() {
    let [one, stranger] = [3, 4].map(|seed| {
        let [graph, _] = copies(NODES, 8, 0.85, false, seed);
        graph
    });
    let all = Symmetry {
        orbits: [0, 1].map(|_| Orbits::new(NODES, vec![(0..NODES as u32).collect()])),
        ..Symmetry::default()
    };
    let known = anchors([&one, &stranger], 8);
    let apart = agreement([&one, &stranger], &known, &told_apart()).expect("enough anchors");
    let alike = agreement([&one, &stranger], &known, &all).expect("enough anchors");
    assert!(
        alike.agreed > 2 * apart.agreed.max(10),
        "{apart:?} {alike:?}"
    );
}

#[test]
fn nothing_is_asked_with_one_anchor_other_evidence_or_a_stop() {
    let [one, copy] = copies(NODES, 8, 0.85, false, 3);
    let none = told_apart();
    assert_eq!(
        agreement([&one, &copy], &anchors([&one, &copy], 1), &none),
        None
    );
    // Certain ones, and one that is not.
    let both = [(0, 1.0), (1, 1.0), (5, 0.5)];
    let both = both.map(|(i, weight)| Anchor::new(i, partner(i), weight));
    let both = Anchors::new(&one, &copy, both).unwrap();
    assert_eq!(agreement([&one, &copy], &both, &none), None);
    let known = anchors([&one, &copy], 8);
    let task = Task::new(&one, &copy, &known).unwrap();
    let monitor = Monitor::silent();
    monitor.cancel_token().cancel();
    let stopped = halves_agree(&Best::default(), &task, &[0], &none, &monitor);
    assert_eq!(stopped, None);
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
    let stranger = thinned(&clustered(NODES, 2), &partner);
    let mean = |target: &Graph| {
        let known = anchors([&one, target], 10);
        let task = Task::new(&one, target, &known).unwrap();
        let found = Best::default().run(&task, &Monitor::silent()).unwrap();
        let free: Vec<f64> = (found.pairs.iter().filter(|pair| !pair.anchor))
            .map(|pair| pair.confidence)
            .collect();
        free.iter().sum::<f64>() / free.len() as f64
    };
    assert!(mean(&copy) > 0.5, "{}", mean(&copy));
    assert!(mean(&stranger) < 0.1, "{}", mean(&stranger));
}
