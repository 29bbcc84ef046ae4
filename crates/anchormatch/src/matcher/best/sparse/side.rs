//! The two graphs as the sparse stages see them.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::kinds::Kinds;
use crate::affinity::likelihood::weight_scores;
use crate::graph::Graph;
use crate::linalg::Csr;
use crate::task::Task;

/// No partner.
pub(super) const NONE: u32 = u32::MAX;

/// One graph, or the part of it that a block of nodes sees.
pub(super) struct Side<'a, T = f64> {
    pub(super) edges: &'a Csr<T>,
    /// The degrees, where rows are not all there.
    pub(super) degrees: Option<Vec<u32>>,
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
        let weights = weighted.then(|| weight_scores(graph));
        let degrees = || (0..edges.rows()).map(|i| edges.range(i).len() as u32);
        let mut counts = BTreeMap::new();
        for degree in degrees() {
            *counts.entry(degree).or_default() += 1;
        }
        let law = DegreeLaw::of(&counts);
        Self {
            weights,
            expected: degrees().map(|d| law.expected(d)).collect(),
            standing: degrees().map(|d| law.standing(d)).collect(),
            edges,
            degrees: None,
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
}

impl<'a, T: Copy + Sync> Side<'a, T> {
    /// What a block sees: rows of some nodes, the degrees of all.
    pub(super) fn part(
        edges: &'a Csr<T>,
        degrees: Vec<u32>,
        weights: Option<Vec<f32>>,
        law: &DegreeLaw,
    ) -> Self {
        Self {
            weights,
            expected: degrees.iter().map(|&d| law.expected(d)).collect(),
            standing: degrees.iter().map(|&d| law.standing(d)).collect(),
            edges,
            degrees: Some(degrees),
            kinds: None,
        }
    }

    pub(super) fn nodes(&self) -> usize {
        self.edges.rows()
    }

    #[inline]
    pub(super) fn degree(&self, i: usize) -> usize {
        match &self.degrees {
            None => self.edges.range(i).len(),
            Some(degrees) => degrees[i] as usize,
        }
    }

    /// The place of the edge between a node and one that has its row here.
    #[inline]
    pub(super) fn joined(&self, node: usize, partner: usize) -> Option<usize> {
        if self.degrees.is_some() {
            self.edges.place(partner, node)
        } else {
            // In the row of the node, which is the shorter one.
            self.edges.place(node, partner)
        }
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

/// What is made of the degrees of one graph. It follows from how often each occurs, so that blocks of nodes
/// can count apart.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct DegreeLaw {
    mean: f64,
    /// The share of the variance that a Poisson law does not explain: none of it for uniform edges, next to
    /// all for heavy tails.
    own: f64,
    log_mean: f64,
    log_scale: f64,
}

impl DegreeLaw {
    pub(super) fn of(counts: &BTreeMap<u32, u64>) -> Self {
        let n = counts.values().sum::<u64>().max(1) as f64;
        let mean_of = |value: &dyn Fn(f64) -> f64| {
            let values = counts
                .iter()
                .map(|(&d, &count)| count as f64 * value(f64::from(d)));
            values.sum::<f64>() / n
        };
        let mean = mean_of(&|d| d);
        let variance = mean_of(&|d| (d - mean).powi(2));
        let log_mean = mean_of(&f64::ln_1p);
        let log_variance = mean_of(&|d| (d.ln_1p() - log_mean).powi(2));
        Self {
            mean,
            own: if variance > 0.0 {
                ((variance - mean) / variance).max(0.0)
            } else {
                0.0
            },
            log_mean,
            log_scale: if log_variance > 1e-12 {
                log_variance.sqrt().recip()
            } else {
                0.0
            },
        }
    }

    pub(super) fn from_numbers(numbers: [f64; 4]) -> Self {
        let [mean, own, log_mean, log_scale] = numbers;
        Self {
            mean,
            own,
            log_mean,
            log_scale,
        }
    }

    pub(super) fn numbers(&self) -> [f64; 4] {
        [self.mean, self.own, self.log_mean, self.log_scale]
    }

    /// The degree shrunk towards the mean.
    pub(super) fn expected(&self, degree: u32) -> f32 {
        (self.mean + self.own * (f64::from(degree) - self.mean)).max(0.3) as f32
    }

    /// ln(1 + degree), standardised.
    pub(super) fn standing(&self, degree: u32) -> f32 {
        ((f64::from(degree).ln_1p() - self.log_mean) * self.log_scale) as f32
    }
}
