//! What the tests of the presets best and fast share: graphs with a known matching, and what holds
//! of every result.

// Each test file takes what it needs.
#![allow(dead_code, clippy::unwrap_used)]

use anchormatch::Assignment;
use anchormatch::linalg::Matrix;
use anchormatch::matcher::{Best, Matcher};
use anchormatch::{Anchors, Graph, Matching, Monitor, Task};
use anchormatch_invariants::matching::assert_sound;
use anchormatch_invariants::shapes::inverse;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Two graphs and the partner of each source node that has one.
pub(crate) struct Planted {
    pub(crate) source: Graph,
    pub(crate) target: Graph,
    pub(crate) truth: Assignment,
}

/// How the weights of a planted pair of graphs come about.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Kind {
    /// Every pair, weights uniform in [0, 1).
    Complete,
    /// Two thirds of the pairs, weights uniform in [0, 1).
    Weighted,
    /// Half of the pairs, weights 1.
    Plain,
    /// A path and a few chords: about three edges a node, weights 1.
    Sparse,
    /// Distances of points in the plane.
    Points,
}

impl Planted {
    /// The same graph twice, the target in another order.
    pub(crate) fn isomorphic(kind: Kind, nodes: usize, seed: u64) -> Self {
        Self::new(kind, nodes, [0, 0], 0.0, seed)
    }

    /// `inliers` nodes in both graphs, and some more in each that have no partner; the target's
    /// weights (or points) are shaken by up to `noise`.
    pub(crate) fn new(
        kind: Kind,
        inliers: usize,
        outliers: [usize; 2],
        noise: f64,
        seed: u64,
    ) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let [n, m] = outliers.map(|more| inliers + more);
        let all = inliers + outliers[0] + outliers[1];
        let weights = weights(kind, all, &mut rng);
        let shake = Matrix::from_fn(all, all, |_, _| noise * rng.random_range(-1.0..1.0));
        let mut place: Vec<usize> = (0..m).collect();
        place.shuffle(&mut rng);
        let (mut edges, mut images) = (Vec::new(), Vec::new());
        // The target's nodes are the inliers and the last ones.
        let own = |k: usize| if k < inliers { k } else { k + outliers[0] };
        for i in 0..all {
            for j in 0..i {
                if let Some(weight) = weights[i * all + j]
                    && i < n
                {
                    edges.push((j, i, weight));
                }
            }
        }
        for k in 0..m {
            for l in 0..k {
                let (i, j) = (own(k), own(l));
                if let Some(weight) = weights[i * all + j] {
                    images.push((place[l], place[k], weight + shake[(i, j)]));
                }
            }
        }
        Self {
            source: Graph::from_edges(n, &edges).unwrap(),
            target: Graph::from_edges(m, &images).unwrap(),
            truth: (0..n).map(|i| (i < inliers).then(|| place[i])).collect(),
        }
    }

    /// The true pairs of some source nodes.
    pub(crate) fn pairs(&self, nodes: &[usize]) -> Vec<(usize, usize)> {
        nodes
            .iter()
            .map(|&i| (i, self.truth.partner(i).unwrap()))
            .collect()
    }

    /// A run with the true partners of some nodes as anchors; what holds of every result is checked.
    pub(crate) fn run(&self, preset: &Best, anchored: &[usize]) -> Matching {
        run(preset, &self.source, &self.target, &self.pairs(anchored))
    }

    /// How many of the nodes that have a partner got theirs.
    pub(crate) fn right(&self, matching: &Matching) -> usize {
        let pairs = matching.pairs.iter();
        pairs
            .filter(|pair| self.truth.partner(pair.source) == Some(pair.target))
            .count()
    }
}

/// Weights of the pairs i > j at i·n + j.
fn weights(kind: Kind, nodes: usize, rng: &mut ChaCha8Rng) -> Vec<Option<f64>> {
    let points: Vec<(f64, f64)> = (0..nodes)
        .map(|_| (rng.random_range(0.0..1.0), rng.random_range(0.0..1.0)))
        .collect();
    let mut weights = Vec::with_capacity(nodes * nodes);
    for i in 0..nodes {
        for j in 0..nodes {
            let (weight, dice): (f64, f64) =
                (rng.random_range(0.0..1.0), rng.random_range(0.0..1.0));
            let (dx, dy) = (points[i].0 - points[j].0, points[i].1 - points[j].1);
            weights.push(match kind {
                Kind::Complete => Some(weight),
                Kind::Weighted => (dice < 2.0 / 3.0).then_some(weight),
                Kind::Plain => (dice < 0.5).then_some(1.0),
                Kind::Sparse => (i == j + 1 || dice < 4.0 / nodes as f64).then_some(1.0),
                Kind::Points => Some(dx.hypot(dy)),
            });
        }
    }
    weights
}

/// A run whose result has what every result has.
#[track_caller]
pub(crate) fn run(
    preset: &Best,
    source: &Graph,
    target: &Graph,
    anchors: &[(usize, usize)],
) -> Matching {
    let anchors = Anchors::from_indices(source, target, anchors).unwrap();
    run_task(preset, &Task::new(source, target, &anchors).unwrap())
}

/// The same for a task with everything that is known.
#[track_caller]
pub(crate) fn run_task(preset: &Best, task: &Task<'_>) -> Matching {
    let matching = preset.run(task, &Monitor::silent()).unwrap();
    assert_sound(preset, &matching, task);
    matching
}

/// A graph whose nodes are renamed: the new node k is the old node `order[k]`; and its old nodes'
/// new places.
pub(crate) fn renamed(graph: &Graph, step: usize) -> (Graph, Vec<usize>) {
    let n = graph.node_count();
    let order: Vec<usize> = (0..n).map(|k| (step * k + 3) % n).collect();
    (graph.permuted(&order).unwrap(), inverse(&order))
}

pub(crate) fn partners(matching: &Matching) -> Vec<(usize, usize)> {
    let pairs = matching.pairs.iter();
    pairs.map(|pair| (pair.source, pair.target)).collect()
}

pub(crate) fn complete(nodes: usize) -> Graph {
    let pairs = (0..nodes).flat_map(|i| (0..i).map(move |j| (j, i, 1.0)));
    Graph::from_edges(nodes, &pairs.collect::<Vec<_>>()).unwrap()
}

/// Two copies of a random sparse graph that each keep a share of its edges, and the partners of the source
/// nodes.
pub(crate) fn noisy_copies(
    n: usize,
    degree: f64,
    kept: f64,
    seed: u64,
) -> ([Graph; 2], Vec<usize>) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut truth: Vec<usize> = (0..n).collect();
    truth.shuffle(&mut rng);
    let mut parent = std::collections::BTreeSet::new();
    while parent.len() < (n as f64 * degree / 2.0) as usize {
        let (i, j) = (rng.random_range(0..n), rng.random_range(0..n));
        if i != j {
            parent.insert((i.min(j), i.max(j)));
        }
    }
    let (mut source, mut target) = (Vec::new(), Vec::new());
    for (i, j) in parent {
        if rng.random_bool(kept) {
            source.push((i, j, 1.0));
        }
        if rng.random_bool(kept) {
            target.push((truth[i], truth[j], 1.0));
        }
    }
    let graph = |edges: &[_]| Graph::from_edges(n, edges).unwrap();
    ([graph(&source), graph(&target)], truth)
}
