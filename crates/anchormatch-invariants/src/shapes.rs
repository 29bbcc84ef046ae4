//! The shapes that break assumptions, as graphs and pairs of graphs for the property tests.

use anchormatch::{Anchors, Graph};
use proptest::prelude::*;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// What a graph looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Nodes and nothing else.
    Empty,
    /// One node.
    Single,
    /// Two parts with edges inside and none between.
    Disconnected,
    /// Every pair, weights of their own.
    Complete,
    /// One centre.
    Star,
    /// Two weights, each many times.
    Duplicates,
    /// A graph of which the last node has no edge.
    Isolated,
    /// Weights below zero, all of them.
    Negative,
    /// Weights of both signs.
    Signed,
    /// Weights about 1e300.
    Huge,
    /// Weights about 1e-300.
    Tiny,
    /// Weights below the smallest normal number.
    Subnormal,
    /// Weights of all sizes at once.
    Mixed,
    /// A complete graph with one weight: every matching is as good as any.
    Ties,
    /// A cycle: rotations and reflections are as good as each other.
    Cycle,
    /// Some of the pairs, weights of their own: what a graph mostly looks like.
    Ordinary,
}

impl Shape {
    /// Every shape.
    pub const ALL: [Self; 16] = [
        Self::Empty,
        Self::Single,
        Self::Disconnected,
        Self::Complete,
        Self::Star,
        Self::Duplicates,
        Self::Isolated,
        Self::Negative,
        Self::Signed,
        Self::Huge,
        Self::Tiny,
        Self::Subnormal,
        Self::Mixed,
        Self::Ties,
        Self::Cycle,
        Self::Ordinary,
    ];

    /// Those whose nodes differ, all weights of an ordinary size.
    pub const DISTINCT: [Self; 3] = [Self::Complete, Self::Signed, Self::Ordinary];

    /// A graph of this shape.
    pub fn graph(self, nodes: usize, seed: u64) -> Graph {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let n = if self == Self::Single { 1 } else { nodes };
        let mut edges = Vec::new();
        for i in 0..n {
            for j in 0..i {
                let (value, dice): (f64, f64) =
                    (rng.random_range(0.1..1.0), rng.random_range(0.0..1.0));
                let weight = match self {
                    Self::Empty | Self::Single => None,
                    Self::Disconnected => ((i < n / 2) == (j < n / 2)).then_some(value),
                    Self::Star => (j == 0).then_some(1.0),
                    Self::Duplicates => (dice < 0.7).then_some([1.0, 2.0][(i + j) % 2]),
                    Self::Isolated => (i + 1 < n && dice < 0.8).then_some(value),
                    Self::Negative => (dice < 0.8).then_some(-value),
                    Self::Signed => Some(value - 0.55),
                    Self::Huge => Some(1e300 * value),
                    Self::Tiny => Some(1e-300 * value),
                    Self::Subnormal => Some(1e-310 * value),
                    Self::Mixed => {
                        let sizes = [1e-300, 1e300, -1e300, 5e-324, f64::MAX, -f64::MAX, 1.0];
                        Some(sizes[rng.random_range(0..sizes.len())])
                    }
                    Self::Ties => Some(1.0),
                    Self::Cycle => (i == j + 1 || i == n - 1 && j == 0).then_some(1.0),
                    Self::Complete => Some(value),
                    Self::Ordinary => (dice < 0.7).then_some(value),
                };
                edges.extend(weight.map(|weight| (j, i, weight)));
            }
        }
        Graph::from_edges(n, &edges).expect("simple edges")
    }
}

/// Two graphs and pairs of their nodes.
#[derive(Debug, Clone)]
pub struct Twins {
    /// The graph to match from.
    pub source: Graph,
    /// The graph to match to.
    pub target: Graph,
    /// Hard anchors.
    pub pairs: Vec<(usize, usize)>,
}

impl Twins {
    /// The pairs as hard anchors.
    pub fn anchors(&self) -> Anchors {
        Anchors::from_indices(&self.source, &self.target, &self.pairs).expect("one-to-one pairs")
    }

    /// The same under other names: the new node k is the old node `order[k]`.
    pub fn renamed(&self, first: &[usize], second: &[usize]) -> Self {
        let (one, two) = (inverse(first), inverse(second));
        Self {
            source: self.source.permuted(first).expect("an order of its nodes"),
            target: self.target.permuted(second).expect("an order of its nodes"),
            pairs: self.pairs.iter().map(|&(s, t)| (one[s], two[t])).collect(),
        }
    }

    /// Source and target exchanged.
    pub fn swapped(&self) -> Self {
        Self {
            source: self.target.clone(),
            target: self.source.clone(),
            pairs: self.pairs.iter().map(|&(s, t)| (t, s)).collect(),
        }
    }

    /// All weights of both graphs times a factor of each.
    pub fn scaled(&self, first: f64, second: f64) -> Self {
        Self {
            source: scaled(&self.source, first),
            target: scaled(&self.target, second),
            pairs: self.pairs.clone(),
        }
    }
}

/// Any two shapes of up to `most` nodes, of any sizes, with none, some or all nodes anchored.
pub fn any_twins(most: usize) -> impl Strategy<Value = Twins> {
    let shape = || prop::sample::select(Shape::ALL.to_vec());
    (
        (shape(), 1..=most, any::<u64>()),
        (shape(), 1..=most, any::<u64>()),
        any::<bool>(),
        (0..=most, any::<u64>()),
    )
        .prop_map(|((one, n, first), (two, m, second), same, (count, dice))| {
            let source = one.graph(n, first);
            // The same graph in another order, or one that has nothing to do with it.
            let target = if same {
                source
                    .permuted(&order(source.node_count(), second))
                    .expect("an order of its nodes")
            } else {
                two.graph(m, second)
            };
            let pairs = some_pairs(source.node_count(), target.node_count(), count, dice);
            Twins {
                source,
                target,
                pairs,
            }
        })
}

/// A graph whose nodes differ and the same graph in another order, with some true anchors; and the
/// order: node k of the target is node `order[k]` of the source.
pub fn isomorphic(nodes: std::ops::Range<usize>) -> impl Strategy<Value = (Twins, Vec<usize>)> {
    let shape = prop::sample::select(Shape::DISTINCT.to_vec());
    (shape, nodes, any::<u64>(), any::<u64>(), 1..3usize).prop_map(
        |(shape, n, seed, dice, anchors)| {
            let source = shape.graph(n, seed);
            let order = order(n, dice);
            let target = source.permuted(&order).expect("an order of its nodes");
            let place = inverse(&order);
            let pairs = (0..anchors).map(|s| (s, place[s])).collect();
            let twins = Twins {
                source,
                target,
                pairs,
            };
            (twins, order)
        },
    )
}

/// An order of n things.
pub fn order(n: usize, seed: u64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..n).collect();
    order.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
    order
}

/// Where each thing stands in an order.
pub fn inverse(order: &[usize]) -> Vec<usize> {
    let mut place = vec![0; order.len()];
    for (new, &old) in order.iter().enumerate() {
        place[old] = new;
    }
    place
}

/// All weights times a factor.
pub fn scaled(graph: &Graph, factor: f64) -> Graph {
    let scaled = graph.edges().map(|(i, j, weight)| (i, j, factor * weight));
    Graph::from_edges(graph.node_count(), &scaled.collect::<Vec<_>>()).expect("simple edges")
}

/// A number in [0, 1] without structure, of a pair and a seed.
#[must_use]
pub fn noise(i: usize, j: usize, seed: u64) -> f64 {
    let mut h = ((i as u64) << 32 | j as u64) ^ seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    h = (h ^ (h >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    h = (h ^ (h >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    (h ^ (h >> 31)) as f64 / u64::MAX as f64
}

/// What `work` gives on some number of threads.
pub fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
    pool.build().expect("threads").install(work)
}

/// What `work` gives on 1, 2 and 8 threads, which must be the same; and on one thread again.
pub fn on_any_threads<T: PartialEq + Send>(work: impl Fn() -> T + Sync) -> T {
    let one = on_threads(1, &work);
    for threads in [1, 2, 8] {
        assert!(
            on_threads(threads, &work) == one,
            "the same on {threads} threads"
        );
    }
    one
}

fn some_pairs(n: usize, m: usize, count: usize, seed: u64) -> Vec<(usize, usize)> {
    let (first, second) = (order(n, seed), order(m, seed ^ 1));
    first.into_iter().zip(second).take(count).collect()
}
