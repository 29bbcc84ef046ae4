//! A small planted pair, for the tests of the stages.

use std::sync::Arc;

use super::evidence::Evidence;
use super::observations::observe;
use super::search::Search;
use super::{Best, Ingredients};
use crate::anchors::Anchors;
use crate::assignment::Assignment;
use crate::graph::{EdgeKinds, Graph, KindEdge};
use crate::linalg::Csr;
use crate::matcher::FreeNodes;
use crate::monitor::Monitor;
use crate::task::Task;

/// Two graphs of which one is the other relabelled, and who is who.
pub(super) struct Planted {
    pub(super) source: Graph,
    pub(super) target: Graph,
    pub(super) anchors: Anchors,
    pub(super) truth: Vec<(usize, usize)>,
}

impl Planted {
    /// A complete graph of distinct weights and its shuffled copy; the first `anchored` pairs are known.
    pub(super) fn new(nodes: usize, anchored: usize) -> Self {
        let weight = |i: usize, j: usize| ((7 * i * i + 13 * j * j + 5 * i * j) % 31) as f64 - 12.5;
        let pairs = (0..nodes).flat_map(|i| (0..i).map(move |j| (j, i)));
        let edges: Vec<_> = pairs.map(|(j, i)| (j, i, weight(i, j))).collect();
        Self::of(Graph::from_edges(nodes, &edges).unwrap(), anchored)
    }

    /// Half of all arcs, of the weights that `weight` makes of numbers from 0 to 30, and a shuffled copy.
    pub(super) fn directed(nodes: usize, anchored: usize, weight: fn(usize) -> f64) -> Self {
        let number = |i: usize, j: usize| (7 * i * i + 13 * j * j + 5 * i * j + 3 * i) % 31;
        let pairs = (0..nodes).flat_map(|i| (0..nodes).map(move |j| (i, j)));
        let arcs: Vec<_> = pairs
            .filter(|&(i, j)| i != j && number(j, i) % 2 == 0)
            .map(|(i, j)| (i, j, weight(number(i, j))))
            .collect();
        Self::of(Graph::from_arcs(nodes, &arcs).unwrap(), anchored)
    }

    /// A graph and its shuffled copy.
    fn of(source: Graph, anchored: usize) -> Self {
        let nodes = source.node_count();
        let order: Vec<usize> = (0..nodes).map(|k| (k + nodes / 2) % nodes).collect();
        let target = source.permuted(&order).unwrap();
        let mut truth: Vec<_> = order.iter().enumerate().map(|(t, &s)| (s, t)).collect();
        truth.sort_unstable();
        let anchors = Anchors::from_indices(&source, &target, &truth[..anchored]).unwrap();
        Self {
            source,
            target,
            anchors,
            truth,
        }
    }

    /// Calls `test` with the task and the evidence.
    pub(super) fn with_evidence(&self, test: impl FnOnce(&Task<'_>, &Evidence<'_>)) {
        self.with_facts(|task| task, test);
    }

    /// The same with more that is known.
    pub(super) fn with_facts<'a>(
        &'a self,
        more: impl FnOnce(Task<'a>) -> Task<'a>,
        test: impl FnOnce(&Task<'_>, &Evidence<'_>),
    ) {
        let task = more(Task::new(&self.source, &self.target, &self.anchors).unwrap());
        let free = FreeNodes::of(&task);
        let observed = observe(&task, &Ingredients::default(), &Monitor::silent()).unwrap();
        test(&task, &Evidence::new(observed, &task, &free, true));
    }

    /// Calls `test` with the task and a search of the preset as it stands.
    pub(super) fn with_search(&self, test: impl FnOnce(&Task<'_>, &Search<'_>)) {
        self.with_evidence(|task, evidence| {
            let search = Search {
                preset: &Best::default(),
                evidence,
                monitor: &Monitor::silent(),
                copy: None,
                listed: None,
                gives_up: None,
            };
            test(task, &search);
        });
    }

    /// Edges between the sides: every third of all pairs, and their mirror images.
    pub(super) fn crossing(&self, weight: fn(usize) -> f64) -> [Csr<f64>; 2] {
        let nodes = self.source.node_count();
        let number = |i: usize, j: usize| (11 * i * i + 3 * j * j + 7 * i * j + 2 * i) % 31;
        let pairs = (0..nodes).flat_map(|i| (0..nodes).map(move |j| (i, j)));
        let edges: Vec<_> = pairs.filter(|&(i, j)| number(j, i) % 3 == 0).collect();
        let partner = |i: usize| self.truth[i].1;
        let table = |entry: &dyn Fn(usize, usize) -> (usize, usize)| {
            let entries = edges.iter().map(|&(i, j)| {
                let (from, to) = entry(i, j);
                (from, to, weight(number(i, j)))
            });
            Csr::from_triplets(nodes, nodes, entries).unwrap()
        };
        [
            table(&|i, j| (i, partner(j))),
            table(&|i, j| (partner(i), j)),
        ]
    }

    /// All edges in two layers, by their weights.
    pub(super) fn layers(&self) -> [Arc<EdgeKinds>; 2] {
        [&self.source, &self.target].map(|graph| {
            let edges = graph.arcs().triplets().map(|(i, j, weight)| KindEdge {
                from: i as u32,
                to: j as u32,
                kind: u32::from(weight > 0.0),
                weight,
            });
            let names = vec!["low".to_owned(), "high".to_owned()];
            Arc::new(EdgeKinds::new(graph.node_count(), names, edges.collect()).unwrap())
        })
    }

    /// The truth over the free nodes, and the same with the first two free nodes exchanged.
    pub(super) fn right_and_wrong(&self, evidence: &Evidence<'_>) -> [Assignment; 2] {
        let right = evidence.assignment(&self.truth);
        let mut wrong = right.clone();
        wrong.swap(0, 1);
        [right, wrong]
    }
}

/// The preset as it stands.
pub(super) fn preset() -> Best {
    Best::default()
}
