//! Which nodes of a graph nothing tells apart, and whether two graphs are copies of each other.
//!
//! Whatever a posterior says of a pair, it says of every pair that a symmetry of either graph makes of it. So
//! the symmetries need not be searched for by chance: the orbits of the nodes are enough, and a probability is
//! shared evenly within them.
//!
//! | step | file | what it does |
//! |---|---|---|
//! | refinement | `cells` | splits the nodes of both graphs by what they are joined to, until nothing splits any more |
//! | components | `open` | what is left open falls into parts, of which most are single nodes: the leaves of a hub |
//! | search | `pairing` | sets two nodes apart together and refines again, until a part is mapped onto another or cannot be |
//!
//! Refinement settles trees and nearly all graphs without symmetries; what it cannot settle is searched
//! within a budget of steps, beyond which nodes count as told apart.

mod budget;
mod cells;
mod links;
mod open;
mod pairing;
#[cfg(test)]
mod tests;

use rayon::prelude::*;

use self::budget::Budget;
use self::cells::Cells;
use self::links::{Links, TwoGraphs, mixed};
use crate::graph::Graph;
use crate::monitor::Monitor;

/// Rounds in which all nodes look at their neighbours at once, before cells are split one by one.
const ROUNDS: usize = 3;

/// Nodes that look at their neighbours between two looks at the monitor: some milliseconds.
const CHUNK: usize = 16_384;

/// Links that the search may look at, beside a few times all of them.
const STEPS: u64 = 20_000_000;

/// The nodes of one graph that nothing tells apart.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Orbits {
    /// Of every node, the group that it is in; [`u32::MAX`] when it is alone.
    group: Vec<u32>,
    /// Groups of several nodes, ascending.
    groups: Vec<Vec<u32>>,
}

/// What [`Symmetry::find`] found.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Symmetry {
    /// Of the source and of the target graph.
    pub orbits: [Orbits; 2],
    /// The partner of every source node, where the graphs are copies of each other.
    pub copy: Option<Vec<u32>>,
    /// The logarithm of the number of symmetries of either graph, as far as they were found.
    pub ways: [f64; 2],
}

impl Orbits {
    /// Groups of nodes that nothing tells apart; those of one node may be left out.
    ///
    /// # Panics
    /// When a group has a node that there is not.
    #[must_use]
    pub fn new(nodes: usize, mut groups: Vec<Vec<u32>>) -> Self {
        groups.retain(|group| group.len() > 1);
        for group in &mut groups {
            group.sort_unstable();
        }
        groups.sort_unstable();
        let mut of = vec![u32::MAX; nodes];
        for (k, group) in groups.iter().enumerate() {
            for &node in group {
                of[node as usize] = k as u32;
            }
        }
        Self { group: of, groups }
    }

    /// The groups of nodes that nothing tells apart, those of one node left out.
    #[must_use]
    pub fn groups(&self) -> &[Vec<u32>] {
        &self.groups
    }

    /// The group of a node, by its place in [`groups`](Self::groups); `None` when it is alone.
    #[must_use]
    pub fn group_of(&self, node: usize) -> Option<usize> {
        let group = *self.group.get(node)?;
        (group != u32::MAX).then_some(group as usize)
    }

    /// How many nodes nothing tells apart from this one, itself among them.
    #[must_use]
    pub fn alike(&self, node: usize) -> usize {
        self.group_of(node).map_or(1, |k| self.groups[k].len())
    }
}

impl Symmetry {
    /// Looks for the symmetries of both graphs, and for a way to lay one upon the other. Directions count when
    /// `directed`; nodes of different `colours` are told apart, and only nodes of the same colour may be
    /// partners.
    ///
    /// # Complexity
    /// O(|E| log |V|) for the refinement; the search after it stops at a budget of a few times |E| steps and
    /// some millions. O(|V|) memory.
    #[must_use]
    pub fn find(
        graphs: [&Graph; 2],
        directed: bool,
        colours: [Vec<u64>; 2],
        monitor: &Monitor,
    ) -> Self {
        let links = TwoGraphs::new(graphs, directed);
        let [source, target] = colours;
        let mut colours = source;
        colours.extend(target);
        let none = || Self::none(graphs.map(Graph::node_count));
        for _ in 0..ROUNDS {
            let Some(seen) = seen(&links, &colours, monitor) else {
                return none();
            };
            colours = seen;
        }
        let mut cells = Cells::new(&colours);
        drop(colours);
        if monitor.interrupted().is_some() {
            return none();
        }
        cells.ask_beside_open(&links);
        let arcs = graphs.map(|graph| graph.sparse_adjacency().entries() as u64);
        let mut budget = Budget::new(STEPS + 4 * (arcs[0] + arcs[1]), monitor);
        // Of a refinement that is cut short nothing is kept: half of one would tell apart what is alike.
        let mut unlimited = Budget::new(u64::MAX, monitor);
        if !cells.refine(&links, None, usize::MAX, &mut unlimited)
            || monitor.interrupted().is_some()
        {
            return none();
        }
        open::settle(&links, &cells, &mut budget)
    }

    /// Graphs of so many nodes, of which nothing is known.
    fn none(nodes: [usize; 2]) -> Self {
        Self {
            orbits: nodes.map(|nodes| Orbits::new(nodes, Vec::new())),
            ..Self::default()
        }
    }
}

/// The colours of all nodes together with those of their neighbours; `None` when the monitor stops it.
fn seen<L: Links + Sync>(links: &L, colours: &[u64], monitor: &Monitor) -> Option<Vec<u64>> {
    let look = |v: usize| {
        let mut sum = 0u64;
        links.each(v, |u, label| {
            sum = sum.wrapping_add(mixed(colours[u] ^ mixed(label)));
        });
        mixed(colours[v].wrapping_add(mixed(sum)))
    };
    let mut seen = vec![0; links.nodes()];
    let chunks = seen.par_chunks_mut(CHUNK).enumerate();
    let is_whole = chunks.try_for_each(|(chunk, seen)| {
        if monitor.interrupted().is_some() {
            return None;
        }
        for (k, colour) in seen.iter_mut().enumerate() {
            *colour = look(chunk * CHUNK + k);
        }
        Some(())
    });
    is_whole.map(|()| seen)
}
