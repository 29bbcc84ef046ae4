//! The kinds of edges: directions, layers, relations.
//!
//! An edge is seen from either of its ends, and from there it has a kind: a relation and whether it leads
//! out or in; without relations, whether it leads out, in, or both ways. Two nodes may be joined by edges of
//! several kinds. What counts beside each is how much of it its own node has: of a country's edges nearly
//! all say "is in this country", so that one more of them tells little, and a capital is a capital of one.

use std::collections::HashMap;
use std::ops::Range;

use crate::graph::{EdgeKinds, Graph};
use crate::linalg::Csr;
use crate::task::{Facts, Task};

/// Edges as common as the kind is elsewhere that are added to those of a node.
const SMOOTHING: f64 = 1.0;

/// The kinds of one graph's edges.
pub(super) struct Kinds {
    /// A row for every place of the adjacency, a column for every kind; the values are
    /// ln P(kind | edges of the row's node)/P(kind).
    seen: Csr<f32>,
    /// P(kind), of all edges; not quite zero for kinds that do not occur.
    pub(super) frequencies: Vec<f64>,
    /// The kind of the other graph that is the same by its name.
    pub(super) namesakes: Vec<Option<u32>>,
    names: Names,
}

/// What the kinds are called.
enum Names {
    /// Out, in, both ways.
    Directions,
    /// Listed kinds, each twice where edges have directions: from its tail and from its head.
    Listed {
        names: Vec<String>,
        is_directed: bool,
    },
}

/// The kinds that a task lists: relations before layers.
fn listed(facts: &Facts) -> Option<[&EdgeKinds; 2]> {
    let listed = facts.relations.as_ref().or(facts.layers.as_ref())?;
    Some([&listed[0], &listed[1]])
}

/// How many bytes the kinds of a task take.
pub(super) fn bytes(task: &Task<'_>) -> u64 {
    let listed = listed(task.facts());
    if listed.is_none() && !task.is_directed() {
        return 0;
    }
    let of = |k: usize| {
        let arcs = task.graphs()[k].sparse_adjacency().entries() as u64;
        let edges = listed.map_or(arcs, |listed| 2 * listed[k].edges().len() as u64);
        arcs.saturating_mul(16)
            .saturating_add(edges.saturating_mul(16))
    };
    of(0).saturating_add(of(1))
}

impl Kinds {
    /// The kinds of both graphs; `None` where there are none, or one side has a single one: that says nothing.
    pub(super) fn of(task: &Task<'_>) -> Option<[Self; 2]> {
        let is_directed = task.is_directed();
        let listed = listed(task.facts());
        let graphs = task.graphs();
        let mut kinds = match listed {
            Some(listed) => [0, 1].map(|k| Self::listed(graphs[k], listed[k], is_directed)),
            None if is_directed => graphs.map(Self::directions),
            None => return None,
        };
        if task.facts().relations.is_none() {
            let namesakes = [0, 1].map(|k| kinds[k].namesakes_in(&kinds[1 - k]));
            for (kinds, namesakes) in kinds.iter_mut().zip(namesakes) {
                kinds.namesakes = namesakes;
            }
        }
        let differ = |kinds: &Self| {
            let first = kinds.of_place(0);
            (1..kinds.seen.rows()).any(|place| kinds.of_place(place) != first)
        };
        let says = kinds
            .iter()
            .all(|kinds| kinds.seen.rows() > 0 && differ(kinds));
        says.then_some(kinds)
    }

    fn directions(graph: &Graph) -> Self {
        let (edges, arcs) = (graph.sparse_adjacency(), graph.arcs());
        let kind = |(i, place): (usize, usize)| {
            let j = edges.column(place) as usize;
            let [there, back] = [(i, j), (j, i)].map(|(i, j)| arcs.place(i, j).is_some());
            let kind = match (there, back) {
                (true, true) => 2,
                (true, false) => 0,
                _ => 1,
            };
            (place as u32, kind)
        };
        let places = (0..graph.node_count()).flat_map(|i| edges.range(i).map(move |p| (i, p)));
        Self::new(edges, places.map(kind).collect(), 3, Names::Directions)
    }

    fn listed(graph: &Graph, listed: &EdgeKinds, is_directed: bool) -> Self {
        let edges = graph.sparse_adjacency();
        let mut found = Vec::with_capacity(2 * listed.edges().len());
        for edge in listed.edges() {
            let views = [(edge.from, edge.to, 0), (edge.to, edge.from, 1)];
            for (u, v, reversed) in views {
                if let Some(place) = edges.place(u as usize, v as usize) {
                    let kind = if is_directed {
                        2 * edge.kind + reversed
                    } else {
                        edge.kind
                    };
                    found.push((place as u32, kind));
                }
            }
        }
        let names = listed.names().to_vec();
        let count = names.len() * if is_directed { 2 } else { 1 };
        let names = Names::Listed { names, is_directed };
        Self::new(edges, found, count, names)
    }

    /// From pairs of a place and a kind in any order; edges without any have one of their own, the last.
    fn new(edges: &Csr<f64>, mut found: Vec<(u32, u32)>, count: usize, names: Names) -> Self {
        found.sort_unstable();
        found.dedup();
        let mut offsets = Vec::with_capacity(edges.entries() + 1);
        offsets.push(0);
        let mut kinds = Vec::with_capacity(found.len());
        let mut found = found.into_iter().peekable();
        for place in 0..edges.entries() as u32 {
            let before = kinds.len();
            while let Some((_, kind)) = found.next_if(|entry| entry.0 == place) {
                kinds.push(kind);
            }
            if kinds.len() == before {
                kinds.push(count as u32);
            }
            offsets.push(kinds.len());
        }
        let mut frequencies = vec![0.0; count + 1];
        for &kind in &kinds {
            frequencies[kind as usize] += 1.0;
        }
        let all = kinds.len().max(1) as f64;
        frequencies
            .iter_mut()
            .for_each(|share| *share = f64::max(*share, 0.1) / all);
        let mut own = vec![0.0; kinds.len()];
        let mut counts: HashMap<u32, f64> = HashMap::new();
        for i in 0..edges.rows() {
            let places = edges.range(i);
            let entries: Range<usize> = offsets[places.start]..offsets[places.end];
            counts.clear();
            for &kind in &kinds[entries.clone()] {
                *counts.entry(kind).or_default() += 1.0;
            }
            let total = entries.len() as f64;
            for entry in entries {
                let share = frequencies[kinds[entry] as usize];
                let here = (counts[&kinds[entry]] + SMOOTHING * share) / (total + SMOOTHING);
                own[entry] = (here / share).ln() as f32;
            }
        }
        Self {
            seen: Csr::from_parts(count + 1, offsets, kinds, own).expect("kinds ascend"),
            namesakes: vec![None; frequencies.len()],
            frequencies,
            names,
        }
    }

    /// The kinds of the other side that have the same names.
    fn namesakes_in(&self, other: &Self) -> Vec<Option<u32>> {
        let (mine, theirs) = match (&self.names, &other.names) {
            (Names::Listed { names: x, .. }, Names::Listed { names: y, .. }) => (x, y),
            _ => return (0..self.frequencies.len() as u32).map(Some).collect(),
        };
        let by_name: HashMap<&str, u32> = theirs.iter().map(String::as_str).zip(0..).collect();
        let views = (self.frequencies.len() - 1) / mine.len().max(1);
        let mut namesakes: Vec<Option<u32>> = (mine.iter())
            .flat_map(|name| {
                let same = by_name.get(name.as_str()).copied();
                (0..views as u32).map(move |view| same.map(|kind| views as u32 * kind + view))
            })
            .collect();
        // What has no kind is the same on both sides.
        namesakes.push(Some(other.frequencies.len() as u32 - 1));
        namesakes
    }

    /// How many kinds there are.
    pub(super) fn count(&self) -> usize {
        self.frequencies.len()
    }

    /// The kinds of the edge at a place of the adjacency, as seen from the node in whose row it is.
    #[inline]
    pub(super) fn of_place(&self, place: usize) -> &[u32] {
        self.seen.columns(place)
    }

    /// The same, and beside each how much commoner it is among the node's edges than elsewhere, in nats.
    #[inline]
    pub(super) fn parts(&self, place: usize) -> (&[u32], &[f32]) {
        self.seen.parts(place)
    }

    /// The name of a listed kind as it is seen from its tail; `None` for others.
    pub(super) fn forward(&self, kind: u32) -> Option<&str> {
        match &self.names {
            Names::Directions => None,
            Names::Listed { names, is_directed } => {
                let views = if *is_directed { 2 } else { 1 };
                let name = names.get(kind as usize / views)?;
                (kind as usize).is_multiple_of(views).then_some(name)
            }
        }
    }

    /// The name of any kind.
    pub(super) fn name(&self, kind: u32) -> String {
        match &self.names {
            Names::Directions => ["out", "in", "both", "none"][kind as usize].to_owned(),
            Names::Listed { names, is_directed } => {
                let views = if *is_directed { 2 } else { 1 };
                match names.get(kind as usize / views) {
                    None => "none".to_owned(),
                    Some(name) if (kind as usize).is_multiple_of(views) => name.clone(),
                    Some(name) => format!("{name} reversed"),
                }
            }
        }
    }
}
