//! What joins nodes, as refinement sees it: neighbours with labels.

use std::borrow::Cow;

use crate::graph::Graph;
use crate::linalg::Csr;

/// Marks what leads to a node, beside what leads from it.
const BACKWARD: u64 = 0x9e37_79b9_7f4a_7c15;

/// Nodes `0..nodes` and what joins them.
pub(super) trait Links {
    fn nodes(&self) -> usize;

    /// Every neighbour of a node with the label of the link; one may come several times.
    fn each(&self, node: usize, visit: impl FnMut(usize, u64));
}

/// Spreads the bits of a number over all of its bits (the finaliser of `SplitMix64`).
pub(super) fn mixed(value: u64) -> u64 {
    let mut z = value.wrapping_add(BACKWARD);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Two graphs beside each other: the nodes of the second come after those of the first.
pub(super) struct TwoGraphs<'a> {
    sides: [Side<'a>; 2],
}

struct Side<'a> {
    first: usize,
    forward: &'a Csr<f64>,
    backward: Option<Cow<'a, Csr<f64>>>,
}

impl<'a> TwoGraphs<'a> {
    pub(super) fn new(graphs: [&'a Graph; 2], directed: bool) -> Self {
        let first = [0, graphs[0].node_count()];
        let sides = [0, 1].map(|k| {
            let graph = graphs[k];
            Side {
                first: first[k],
                forward: if directed {
                    graph.arcs()
                } else {
                    graph.sparse_adjacency()
                },
                backward: directed.then(|| Cow::Owned(graph.arcs().transposed())),
            }
        });
        Self { sides }
    }

    /// The nodes of the first graph.
    pub(super) fn half(&self) -> usize {
        self.sides[1].first
    }

    /// The nodes of a graph.
    pub(super) fn of(&self, side: usize) -> std::ops::Range<usize> {
        let first = self.sides[side].first;
        first..first + self.sides[side].forward.rows()
    }
}

impl Links for TwoGraphs<'_> {
    fn nodes(&self) -> usize {
        self.sides[1].first + self.sides[1].forward.rows()
    }

    fn each(&self, node: usize, mut visit: impl FnMut(usize, u64)) {
        let side = &self.sides[usize::from(node >= self.sides[1].first)];
        let own = node - side.first;
        let (others, weights) = side.forward.parts(own);
        for (&u, weight) in others.iter().zip(weights) {
            visit(side.first + u as usize, weight.to_bits());
        }
        if let Some(backward) = &side.backward {
            let (others, weights) = backward.parts(own);
            for (&u, weight) in others.iter().zip(weights) {
                visit(side.first + u as usize, weight.to_bits() ^ BACKWARD);
            }
        }
    }
}
