//! The two graphs as the sparse stages see them.

use rayon::prelude::*;

use super::kinds::Kinds;
use crate::affinity::likelihood::weight_scores;
use crate::graph::Graph;
use crate::linalg::Csr;
use crate::task::Task;

/// No partner.
pub(super) const NONE: u32 = u32::MAX;

/// One graph.
pub(super) struct Side<'a> {
    pub(super) edges: &'a Csr<f64>,
    /// Each arc's weight as a normal score, where weights differ at all.
    pub(super) weights: Option<Vec<f32>>,
    /// What is expected of a node's degree, sampling noise taken out.
    pub(super) expected: Vec<f32>,
    /// ln(1 + degree), standardised.
    pub(super) standing: Vec<f32>,
    /// The kinds of its edges, where both graphs have any.
    pub(super) kinds: Option<Kinds>,
}

impl<'a> Side<'a> {
    pub(super) fn new(graph: &'a Graph, weighted: bool) -> Self {
        let edges = graph.sparse_adjacency();
        Self {
            weights: weighted.then(|| weight_scores(graph)),
            expected: expected_degrees(edges),
            standing: standing(edges),
            edges,
            kinds: None,
        }
    }

    /// Both graphs of a task.
    pub(super) fn both(task: &Task<'a>, weighted: bool) -> [Self; 2] {
        let mut sides = task.graphs().map(|graph| Self::new(graph, weighted));
        if let Some(kinds) = Kinds::of(task) {
            for (side, kinds) in sides.iter_mut().zip(kinds) {
                side.kinds = Some(kinds);
            }
        }
        sides
    }

    pub(super) fn nodes(&self) -> usize {
        self.edges.rows()
    }

    pub(super) fn degree(&self, i: usize) -> usize {
        self.edges.range(i).len()
    }

    /// The place of an edge of node `i` in the row of its other end.
    pub(super) fn back(&self, i: usize, place: usize) -> usize {
        let j = self.edges.column(place) as usize;
        self.edges.place(j, i).expect("edges have two ends")
    }

    /// The sum of a value of its edges, by their places and the nodes that they lead to, for every node.
    pub(super) fn over_edges(&self, value: impl Fn(usize, usize) -> f32 + Sync) -> Vec<f32> {
        let sum = |i: usize| {
            let places = self.edges.range(i);
            places
                .map(|place| value(place, self.edges.column(place) as usize))
                .sum()
        };
        (0..self.nodes()).into_par_iter().map(sum).collect()
    }

    /// The sum of a value of its neighbours, for every node.
    pub(super) fn over_neighbours(&self, value: impl Fn(usize) -> f32 + Sync) -> Vec<f32> {
        let sum = |i: usize| {
            let columns = self.edges.columns(i).iter();
            columns.map(|j| value(*j as usize)).sum()
        };
        (0..self.nodes()).into_par_iter().map(sum).collect()
    }
}

/// Whether the weights of both graphs say more than that there is an edge.
pub(super) fn weights_differ(graphs: [&Graph; 2]) -> bool {
    graphs.iter().all(|graph| {
        let values = graph.sparse_adjacency().values();
        values.iter().any(|w| *w != values[0])
    })
}

/// Degrees shrunk towards their mean by the share of their variance that a Poisson law explains: all of it
/// for uniform edges, next to nothing for heavy tails.
fn expected_degrees(edges: &Csr<f64>) -> Vec<f32> {
    let n = edges.rows().max(1) as f64;
    let mean = edges.entries() as f64 / n;
    let degree = |i: usize| edges.range(i).len() as f64;
    let variance = (0..edges.rows())
        .map(|i| (degree(i) - mean).powi(2))
        .sum::<f64>()
        / n;
    let own = if variance > 0.0 {
        ((variance - mean) / variance).max(0.0)
    } else {
        0.0
    };
    (0..edges.rows())
        .map(|i| (mean + own * (degree(i) - mean)).max(0.3) as f32)
        .collect()
}

fn standing(edges: &Csr<f64>) -> Vec<f32> {
    let n = edges.rows().max(1) as f64;
    let logs: Vec<f64> = (0..edges.rows())
        .map(|i| (edges.range(i).len() as f64).ln_1p())
        .collect();
    let mean = logs.iter().sum::<f64>() / n;
    let variance = logs.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n;
    let scale = if variance > 1e-12 {
        variance.sqrt().recip()
    } else {
        0.0
    };
    logs.iter().map(|x| ((x - mean) * scale) as f32).collect()
}
