//! The parts against sums written out, and the chain on small graphs of every kind.

mod consensus;
mod decoys;
mod kinds;
mod sampling;
mod stages;

use std::sync::Arc;

use super::known::Known;
use super::model::Model;
use super::neighbours::{Believed, Outlook, Scratch};
use super::side::{NONE, Side, weights_differ};
use crate::anchors::{Anchor, Anchors};
use crate::graph::Graph;
use crate::linalg::Csr;
use crate::matcher::Matcher;
use crate::matcher::best::{Best, RegimeChoice};
use crate::monitor::Monitor;
use crate::task::{Allowed, Task};

/// Numbers from 0 to 1, the same ones every time.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() * n as f64) as usize
    }
}

/// Two copies of a random graph that each keep a share of its edges; node i's partner is (7 i + 3) mod n.
pub(super) fn copies(n: usize, degree: usize, kept: f64, weighted: bool, seed: u64) -> [Graph; 2] {
    let mut numbers = Numbers(seed);
    let partner = |i: usize| (7 * i + 3) % n;
    let mut edges: [Vec<(usize, usize, f64)>; 2] = [Vec::new(), Vec::new()];
    let mut seen = std::collections::HashSet::new();
    while seen.len() < n * degree / 2 {
        let (i, j) = (numbers.below(n), numbers.below(n));
        if i == j || !seen.insert((i.min(j), i.max(j))) {
            continue;
        }
        let weight = if weighted {
            1.0 + 9.0 * numbers.next()
        } else {
            1.0
        };
        if numbers.next() < kept {
            edges[0].push((i, j, weight));
        }
        if numbers.next() < kept {
            let noise = if weighted { 0.2 * numbers.next() } else { 0.0 };
            edges[1].push((partner(i), partner(j), weight + noise));
        }
    }
    edges.map(|edges| Graph::from_edges(n, &edges).unwrap())
}

#[test]
fn candidates_have_the_evidence_of_the_table() {
    for weighted in [false, true] {
        let [source, target] = copies(40, 6, 0.8, weighted, 5);
        let pairs: Vec<_> = (0..20).map(|i| (i, (7 * i + 3) % 40)).collect();
        let anchors = Anchors::from_indices(&source, &target, &pairs).unwrap();
        let task = Task::new(&source, &target, &anchors).unwrap();
        let known = Known::of(&task);
        let differ = weights_differ(task.graphs());
        assert_eq!(differ, weighted);
        let sides = task.graphs().map(|graph| Side::new(graph, differ));
        let partners = known.partners();
        let model = Model::fit(&sides, &partners);
        let settled = [0, 1].map(|k| super::expansion::settled_neighbours(&sides[k], &partners[k]));
        let open = |a: u32| partners[1][a as usize] == NONE;
        let outlook = Outlook {
            own: &sides[0],
            other: &sides[1],
            believed: Believed::Settled(&partners[0]),
            open: &open,
            settled: [&settled[0], &settled[1]],
            lost: None,
            model: &model,
            from: 0,
            known: &known,
            others: 20.0,
        };
        let mut scratch = Scratch::default();
        let mut found = 0;
        for i in 20..40 {
            outlook.candidates(i, &mut scratch);
            for candidate in &scratch.candidates {
                let a = candidate.node as usize;
                assert_eq!(partners[1][a], NONE);
                let missing = model.missing();
                let mut nats = 0.0f32;
                for &(j, b) in &pairs {
                    let seen = [source.weight(i, j) != 0.0, target.weight(a, b) != 0.0];
                    let degrees = model.log_degrees[0][i]
                        + model.log_degrees[0][j]
                        + model.log_degrees[1][a]
                        + model.log_degrees[1][b];
                    nats += match seen {
                        [true, true] => {
                            // The penalty of the source's own edges is common to all candidates, and left out.
                            let own = -missing[0];
                            let weights = match (&sides[0].weights, &sides[1].weights) {
                                (Some(x), Some(y)) => {
                                    let x = x[sides[0].edges.place(i, j).unwrap()];
                                    let y = y[sides[1].edges.place(a, b).unwrap()];
                                    model.weights.nats(x, y)
                                }
                                _ => 0.0,
                            };
                            model.log_edges - 0.5 * degrees - model.first + own + weights
                        }
                        [false, true] => missing[1],
                        _ => 0.0,
                    };
                }
                // Every candidate has a first common neighbour.
                nats += model.first;
                let edges = (source.neighbours(i).len() + target.neighbours(a).len()) as f32;
                let unknown = 1.0 - (settled[0][i] + settled[1][a]) / edges;
                nats += unknown
                    * model
                        .degrees
                        .nats(sides[0].standing[i], sides[1].standing[a]);
                assert!(
                    (nats - candidate.nats).abs() < 1e-3,
                    "{nats} {}",
                    candidate.nats
                );
                found += 1;
            }
        }
        assert!(found > 40, "{found}");
    }
}

#[test]
fn who_has_many_edges_is_found_among_more_neighbours_than_are_visited() {
    const N: usize = 1000;
    let [source, target] = copies(N, 220, 0.7, false, 4);
    let told = (0..N).filter(|i| i % 10 > 0);
    let pairs: Vec<_> = told.map(|i| (i, (7 * i + 3) % N)).collect();
    let anchors = Anchors::from_indices(&source, &target, &pairs).unwrap();
    let task = Task::new(&source, &target, &anchors).unwrap();
    let known = Known::of(&task);
    let sides = task.graphs().map(|graph| Side::new(graph, false));
    let partners = known.partners();
    let model = Model::fit(&sides, &partners);
    let settled = [0, 1].map(|k| super::expansion::settled_neighbours(&sides[k], &partners[k]));
    let open = |a: u32| partners[1][a as usize] == NONE;
    let outlook = Outlook {
        own: &sides[0],
        other: &sides[1],
        believed: Believed::Settled(&partners[0]),
        open: &open,
        settled: [&settled[0], &settled[1]],
        lost: None,
        model: &model,
        from: 0,
        known: &known,
        others: 20.0,
    };
    let mut scratch = Scratch::default();
    for i in (0..N).step_by(10) {
        let (a, share) = outlook.best(i, &mut scratch).unwrap();
        assert_eq!(a as usize, (7 * i + 3) % N);
        assert!(share > 0.999, "{share}");
        // Every edge counts once, those that were visited and those that were looked up.
        let missing = model.missing();
        let candidate = scratch.candidates.iter().find(|c| c.node == a).unwrap();
        let nats = pairs.iter().map(|&(j, b)| {
            let degrees = model.log_degrees[0][i]
                + model.log_degrees[0][j]
                + model.log_degrees[1][a as usize]
                + model.log_degrees[1][b];
            let seen = [source.weight(i, j), target.weight(a as usize, b)];
            match seen.map(|weight| weight != 0.0) {
                [true, true] => model.log_edges - 0.5 * degrees - model.first - missing[0],
                [false, true] => missing[1],
                _ => 0.0,
            }
        });
        let nats = f64::from(nats.sum::<f32>() + model.first);
        let found = f64::from(candidate.nats);
        assert!((found - nats).abs() < 0.02 * nats, "{found} {nats}");
    }
}

#[test]
fn few_listed_candidates_are_believed_among_many_other_targets() {
    const N: usize = 400;
    const TARGETS: usize = 8000;
    let mut numbers = Numbers(6);
    let mut edges: [Vec<(usize, usize, f64)>; 2] = [Vec::new(), Vec::new()];
    for _ in 0..N {
        let (i, j) = (numbers.below(N), numbers.below(N));
        for edges in &mut edges {
            if i != j && numbers.next() < 0.8 {
                edges.push((i.min(j), i.max(j), 1.0));
            }
        }
    }
    for a in N + 1..TARGETS {
        edges[1].push((N + numbers.below(a - N), a, 1.0));
    }
    for edges in &mut edges {
        edges.sort_unstable_by_key(|&(i, j, _)| (i, j));
        edges.dedup_by_key(|&mut (i, j, _)| (i, j));
    }
    let source = Graph::from_edges(N, &edges[0]).unwrap();
    let target = Graph::from_edges(TARGETS, &edges[1]).unwrap();
    let mut listed: Vec<(usize, usize)> = (0..N).map(|i| (i, i)).collect();
    for i in 0..N {
        listed.extend((0..4).map(|_| (i, numbers.below(TARGETS))));
    }
    let allowed = Allowed::all(N, TARGETS).with_candidates(&listed).unwrap();
    let pairs: Vec<_> = (0..N).step_by(10).map(|i| (i, i)).collect();
    let anchors = Anchors::from_indices(&source, &target, &pairs).unwrap();
    let task = Task::new(&source, &target, &anchors).unwrap();
    let task = task.with_allowed(Arc::new(allowed)).unwrap();
    let best = Best::default().with_regime(RegimeChoice::Sparse);
    let found = best.run(&task, &Monitor::silent()).unwrap();
    let free: Vec<_> = found.pairs.iter().filter(|pair| !pair.anchor).collect();
    let right = free.iter().filter(|pair| pair.source == pair.target);
    let right = right.count() as f64 / (N - pairs.len()) as f64;
    let sure = free.iter().map(|pair| pair.confidence).sum::<f64>() / (N - pairs.len()) as f64;
    assert!(right > 0.5 && (sure - right).abs() < 0.15, "{right} {sure}");
}

#[test]
fn what_the_graphs_keep_is_fitted_per_side() {
    let [full, _] = copies(400, 12, 1.0, false, 1);
    let [half, _] = copies(400, 12, 1.0, false, 1);
    let mut numbers = Numbers(9);
    let kept: Vec<_> = (0..400)
        .flat_map(|i| {
            half.neighbours(i)
                .map(move |(j, w)| (i, j, w))
                .collect::<Vec<_>>()
        })
        .filter(|&(i, j, _)| i < j)
        .filter(|_| numbers.next() < 0.5)
        .collect();
    let half = Graph::from_edges(400, &kept).unwrap();
    let sides = [&full, &half].map(|graph| Side::new(graph, false));
    let all: Vec<u32> = (0..400).collect();
    let model = Model::fit(&sides, &[all.clone(), all]);
    // Half of the source's edges are in the target, all of the target's in the source.
    assert!((model.seen[1] - 0.5).abs() < 0.05, "{:?}", model.seen);
    assert!(model.seen[0] > 0.97, "{:?}", model.seen);
}

#[test]
fn soft_anchors_and_similarities_are_evidence_in_nats() {
    let [source, target] = copies(50, 5, 1.0, false, 2);
    let anchors = [(0, 3, 1.0), (1, 10, 0.75)]
        .map(|(source, target, weight)| Anchor::new(source, target, weight));
    let anchors = Anchors::new(&source, &target, anchors).unwrap();
    let task = Task::new(&source, &target, &anchors).unwrap();
    let known = Known::of(&task);
    // Odds of three, where each of 49 free targets had one in 49.
    assert!((known.prior(1, 10) - (3.0f32 * 48.0).ln()).abs() < 1e-5);
    assert_eq!(known.prior(1, 11), 0.0);
    assert_eq!(known.named(0, 1), [10]);
    assert_eq!(known.named(1, 10), [1]);
    let listed = (0..50).map(|i| (i, (7 * i + 3) % 50, 5.0 + 0.01 * i as f64));
    let values = Csr::from_triplets(50, 50, listed).unwrap();
    let task = task.with_similarity(Arc::new(values.into())).unwrap();
    let mut known = Known::of(&task);
    let mut partners = known.partners();
    for i in 0..30usize {
        partners[0][i] = ((7 * i + 3) % 50) as u32;
    }
    known.fit(&partners);
    assert!(known.prior(40, ((7 * 40 + 3) % 50) as u32) > 2.0);
    assert!(known.prior(40, 0) < 0.0);
}
