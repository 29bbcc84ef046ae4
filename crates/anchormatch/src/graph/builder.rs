//! From a stream of edges to a [`Graph`]: validation, merging of repeated edges, sorting into rows.

use rayon::slice::ParallelSliceMut;

use super::interner::{Interner, NameBlock};
use super::{Cleaning, Graph, Labels};
use crate::error::{Error, Hint, ParseError, Result, advised};
use crate::linalg::Csr;

/// What to do with an edge that is given more than once with different weights.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Duplicates {
    /// An error that names both places.
    #[default]
    Error,
    /// The sum of the weights.
    Sum,
    /// The mean of the weights.
    Mean,
    /// The largest weight.
    Max,
    /// The weight given first.
    First,
}

/// What becomes of the directions of arcs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Directions {
    /// They are set aside and counted: an arc is an edge.
    #[default]
    Ignore,
    /// They are kept. Arcs that all run both ways with one weight are edges all the same.
    Keep,
}

/// Collects nodes and edges and checks them.
///
/// An edge counts once however often it stands with the same weight, in either direction; two
/// weights are an error unless [`duplicates`](Self::duplicates) says otherwise. Under
/// [`Duplicates::Sum`] and [`Duplicates::Mean`] every mention counts, equal weights included.
///
/// ```
/// use anchormatch::graph::GraphBuilder;
/// let mut builder = GraphBuilder::new();
/// let (a, b) = (builder.node("a")?, builder.node("b")?);
/// builder.edge(a, b, 2.5, None)?;
/// let graph = builder.build()?;
/// assert_eq!((graph.node_count(), graph.edge_count()), (2, 1));
/// # Ok::<(), anchormatch::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct GraphBuilder {
    names: Names,
    edges: Vec<Edge>,
    /// Edges from a node to itself.
    loops: Vec<Edge>,
    directions: Directions,
    duplicates: Duplicates,
    cleaning: Cleaning,
    file: Option<String>,
}

#[derive(Debug)]
enum Names {
    Counted { first: usize, nodes: usize },
    Named(Interner),
}

impl Default for Names {
    fn default() -> Self {
        Self::Named(Interner::default())
    }
}

/// An edge between two nodes, or, where directions are kept, an arc from `low` to `high`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Edge {
    pub(super) low: u32,
    pub(super) high: u32,
    pub(super) weight: f64,
    /// [`Place`], packed.
    pub(super) place: u64,
}

impl Edge {
    /// Its ends as one number, by which edges are sorted.
    fn ends(&self) -> u64 {
        (u64::from(self.low) << 32) | u64::from(self.high)
    }

    /// Whether the two run opposite ways, and nothing has said yet that they are arcs.
    fn could_be_the_opposite_arc_of(&self, other: &Self) -> bool {
        let told = (self.place | other.place) & (Place::ARC | Place::ENTRY);
        told == 0 && (self.place ^ other.place) & Place::BACKWARD != 0
    }
}

/// How an edge stands in its input, in one number: the 1-based line, 0 when it did not come from a
/// file, below three flags.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place(pub(super) u64);

impl Place {
    /// The edge was given from its higher to its lower node.
    pub(super) const BACKWARD: u64 = 1 << 63;
    /// The edge has a direction.
    pub(super) const ARC: u64 = 1 << 62;
    /// The edge is an entry of a matrix, whose mirror image may stand as well.
    pub(super) const ENTRY: u64 = 1 << 61;

    fn line(self) -> u64 {
        self.0 & !(Self::BACKWARD | Self::ARC | Self::ENTRY)
    }

    pub(super) fn is(self, flag: u64) -> bool {
        self.0 & flag != 0
    }
}

impl GraphBuilder {
    /// What a numbered node takes while the graph is built: its place in two lists of offsets, and a
    /// half more.
    pub const NODE_BYTES: u64 = 24;

    /// What an edge takes at the worst moment: as given and beside it either the buffer of the sort
    /// or the rows of the graph, and a half more for lists that grow.
    pub const EDGE_BYTES: u64 = 72;

    /// A builder whose nodes are added by name.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A builder for nodes `0..nodes`, which are named by their numbers.
    ///
    /// # Errors
    /// When there are more nodes than a 32-bit index can tell apart.
    pub fn with_nodes(nodes: usize) -> Result<Self> {
        Self::counted_from(0, nodes)
    }

    /// A builder for nodes `0..nodes`, which are named `first`, `first + 1`, ….
    ///
    /// # Errors
    /// When there are more nodes than a 32-bit index can tell apart.
    pub fn counted_from(first: usize, nodes: usize) -> Result<Self> {
        check_count(nodes)?;
        Ok(Self {
            names: Names::Counted { first, nodes },
            ..Self::default()
        })
    }

    /// Names the file that the edges come from, so that errors of [`build`](Self::build) can say so.
    #[must_use]
    pub fn file(mut self, name: &str) -> Self {
        self.file = Some(name.to_owned());
        self
    }

    /// Sets what happens to an edge with two weights.
    #[must_use]
    pub fn duplicates(mut self, rule: Duplicates) -> Self {
        self.duplicates = rule;
        self
    }

    /// Sets what becomes of the directions of arcs and of matrices that are not symmetric.
    #[must_use]
    pub fn directions(mut self, directions: Directions) -> Self {
        self.directions = directions;
        self
    }

    /// The node called `name`, added if it is new.
    ///
    /// # Errors
    /// When the nodes of this builder are numbered, or there are too many.
    pub fn node(&mut self, name: &str) -> Result<usize> {
        let Names::Named(names) = &mut self.names else {
            return Err(Error::Graph(format!(
                "node `{name}` was named in a graph whose nodes are numbered"
            )));
        };
        check_count(names.len() + 1)?;
        Ok(names.insert(name).0)
    }

    /// The nodes called as in `names`, in their order, new ones added: [`node`](Self::node) for many at once, which
    /// is faster than one after the other in graphs that fill the memory.
    ///
    /// # Errors
    /// See [`node`](Self::node).
    pub fn nodes(&mut self, names: &mut NameBlock, nodes: &mut Vec<usize>) -> Result<()> {
        let Names::Named(known) = &mut self.names else {
            return match names.iter().next() {
                Some(name) => self.node(name).map(|_| ()),
                None => Ok(()),
            };
        };
        check_count(known.len() + names.len())?;
        known.insert_all(names, nodes);
        Ok(())
    }

    /// The number of mentions of edges so far, those from a node to itself not counted.
    #[must_use]
    pub fn edge_count(&self) -> usize {
        self.edges.len()
    }

    /// Bytes that building takes at its worst moment, with the named nodes and the edges so far;
    /// numbered nodes, which cost nothing before, take [`NODE_BYTES`](Self::NODE_BYTES) each.
    #[must_use]
    pub fn memory(&self) -> u64 {
        let nodes = match &self.names {
            Names::Counted { .. } => 0,
            // Twice, because a text that grows is copied.
            Names::Named(names) => {
                2 * names.text_len() as u64 + names.len() as u64 * 4 * Self::NODE_BYTES
            }
        };
        self.edges.len() as u64 * Self::EDGE_BYTES + nodes
    }

    /// The number of nodes so far.
    #[must_use]
    pub fn node_count(&self) -> usize {
        match &self.names {
            Names::Counted { nodes, .. } => *nodes,
            Names::Named(names) => names.len(),
        }
    }

    /// Adds the edge u–v; `line` is where it stands in its file, for error messages.
    ///
    /// # Errors
    /// When a node does not exist or the weight is not finite.
    pub fn edge(&mut self, u: usize, v: usize, weight: f64, line: Option<u64>) -> Result<()> {
        self.add(u, v, weight, line, 0)
    }

    /// Adds the edge from u to v, whose direction counts where [directions](Self::directions) are kept.
    ///
    /// # Errors
    /// See [`edge`](Self::edge).
    pub fn arc(&mut self, u: usize, v: usize, weight: f64, line: Option<u64>) -> Result<()> {
        self.add(u, v, weight, line, Place::ARC)
    }

    /// Adds the entry in row u and column v of a matrix that may hold its mirror image as well. The two
    /// are one edge, or, where [directions](Self::directions) are kept, two arcs.
    ///
    /// # Errors
    /// See [`edge`](Self::edge).
    pub fn entry(&mut self, u: usize, v: usize, weight: f64, line: Option<u64>) -> Result<()> {
        self.add(u, v, weight, line, Place::ENTRY)
    }

    fn add(&mut self, u: usize, v: usize, weight: f64, line: Option<u64>, flag: u64) -> Result<()> {
        let nodes = self.node_count();
        if u >= nodes || v >= nodes {
            return Err(Error::Graph(format!(
                "edge ({u}, {v}) leaves the graph, expected nodes below {nodes}"
            )));
        }
        if !weight.is_finite() {
            return Err(Error::Graph(format!(
                "edge ({}, {}) has the weight {weight}, expected a finite number",
                self.name(u),
                self.name(v)
            )));
        }
        let backward = if u > v { Place::BACKWARD } else { 0 };
        let edge = Edge {
            low: u.min(v) as u32,
            high: u.max(v) as u32,
            weight,
            place: line.unwrap_or(0) | flag | backward,
        };
        if u == v {
            // Of weight zero it names a node that may have no edge, and tells nothing of it.
            if weight != 0.0 {
                self.cleaning.self_loops += 1;
                self.loops.push(edge);
            }
        } else {
            self.edges.push(edge);
        }
        Ok(())
    }

    /// Sorts, merges and checks the edges.
    ///
    /// # Errors
    /// When the graph has no node, an edge has two weights and no rule says how to merge them, or
    /// merging overflows.
    pub fn build(mut self) -> Result<Graph> {
        let n = self.node_count();
        if n == 0 {
            return Err(Error::Graph("found no node, expected at least one".into()));
        }
        let loops = std::mem::take(&mut self.loops);
        let loops = self.merged(loops, &mut |_, _, _| {})?;
        let loops = loops.iter().map(|e| (e.low as usize, e.weight)).collect();
        let (edges, arcs) = if self.has_directions() {
            self.directed()?
        } else {
            (self.symmetric(n)?, None)
        };
        let labels = match self.names {
            Names::Counted { first, nodes } => Labels::counted(first, nodes),
            Names::Named(names) => Labels::interned(names),
        };
        Ok(Graph {
            edges,
            arcs,
            loops,
            labels,
            cleaning: self.cleaning,
        })
    }

    /// Whether an arc or an entry of a matrix has a direction that is kept.
    fn has_directions(&self) -> bool {
        let has_one = |e: &Edge| Place(e.place).is(Place::ARC | Place::ENTRY);
        self.directions == Directions::Keep && self.edges.iter().any(has_one)
    }

    /// The adjacency matrix, directions set aside.
    fn symmetric(&mut self, n: usize) -> Result<Csr<f64>> {
        let edges = std::mem::take(&mut self.edges);
        let merged = self.merged(edges, &mut Self::count)?;
        let mut offsets = vec![0usize; n + 1];
        for edge in &merged {
            offsets[edge.low as usize + 1] += 1;
            offsets[edge.high as usize + 1] += 1;
        }
        for i in 0..n {
            offsets[i + 1] += offsets[i];
        }
        let mut next = offsets.clone();
        let mut neighbours = vec![0u32; 2 * merged.len()];
        let mut weights = vec![0.0; 2 * merged.len()];
        // Edges sorted by (low, high) fill every row in ascending order: first the lower neighbours,
        // as the rows' higher ends, and then the higher ones.
        for edge in &merged {
            let slot = &mut next[edge.high as usize];
            neighbours[*slot] = edge.low;
            weights[*slot] = edge.weight;
            *slot += 1;
        }
        for edge in &merged {
            let slot = &mut next[edge.low as usize];
            neighbours[*slot] = edge.high;
            weights[*slot] = edge.weight;
            *slot += 1;
        }
        Ok(
            Csr::from_parts(n, offsets, neighbours, weights)
                .expect("sorted edges make sorted rows"),
        )
    }

    /// The edges sorted, one for each run of equal ends; zero weights are dropped. `count` sees every run
    /// and its weight.
    pub(super) fn merged(
        &mut self,
        mut edges: Vec<Edge>,
        count: &mut dyn FnMut(&mut Self, &[Edge], f64),
    ) -> Result<Vec<Edge>> {
        // Stable: mentions of one edge stay in the order in which they came.
        edges.par_sort_by_key(Edge::ends);
        let (mut start, mut kept) = (0, 0);
        while start < edges.len() {
            let first = edges[start];
            let same = |e: &&Edge| (e.low, e.high) == (first.low, first.high);
            let run = &edges[start..start + edges[start..].iter().take_while(same).count()];
            let weight = self.merged_weight(run)?;
            count(self, run, weight);
            start += run.len();
            if weight != 0.0 {
                edges[kept] = Edge { weight, ..first };
                kept += 1;
            }
        }
        edges.truncate(kept);
        Ok(edges)
    }

    /// The mentions of edges, which are then forgotten, and what is set aside with them.
    pub(super) fn taken(&mut self) -> (Vec<Edge>, &mut Cleaning) {
        (std::mem::take(&mut self.edges), &mut self.cleaning)
    }

    /// The one weight of an edge that was given as `run`.
    fn merged_weight(&self, run: &[Edge]) -> Result<f64> {
        let weights = run.iter().map(|e| e.weight);
        let weight = match self.duplicates {
            Duplicates::First => run[0].weight,
            Duplicates::Max => weights.fold(f64::NEG_INFINITY, f64::max),
            Duplicates::Sum => weights.sum(),
            Duplicates::Mean => weights.sum::<f64>() / run.len() as f64,
            Duplicates::Error => match run.iter().find(|e| e.weight != run[0].weight) {
                None => run[0].weight,
                Some(other) => return Err(self.contradiction(&run[0], other)),
            },
        };
        if weight.is_finite() {
            return Ok(weight);
        }
        let name = |node| self.name(node as usize);
        Err(self.fault(
            &run[run.len() - 1],
            format!(
                "the merged weight {weight} of edge ({}, {})",
                name(run[0].low),
                name(run[0].high)
            ),
            "a finite number",
            &[],
        ))
    }

    /// Counts what merging `run` sets aside.
    fn count(&mut self, run: &[Edge], weight: f64) {
        self.cleaning.zero_weights += usize::from(weight == 0.0);
        let with = |flag| run.iter().filter(|e| Place(e.place).is(flag)).count();
        let directed = with(Place::ARC | Place::ENTRY);
        let backward = with(Place::BACKWARD);
        let both_ways = directed == run.len() && backward > 0 && backward < run.len();
        let is_mirrored = both_ways && with(Place::ENTRY) == run.len();
        // An entry and its mirror image are how a matrix writes one undirected edge.
        if !is_mirrored {
            self.cleaning.directed_edges += directed;
            self.cleaning.opposite_edges += usize::from(both_ways);
        }
        self.cleaning.repeated_edges += run.len() - 1 - usize::from(both_ways);
    }

    fn contradiction(&self, first: &Edge, second: &Edge) -> Error {
        let place = |e: &Edge| match Place(e.place).line() {
            0 => String::new(),
            line => format!(" (line {line})"),
        };
        self.fault(
            second,
            format!(
                "edge ({}, {}) with two weights, {}{} and {}{}",
                self.name(first.low as usize),
                self.name(first.high as usize),
                first.weight,
                place(first),
                second.weight,
                place(second)
            ),
            "one weight",
            if first.could_be_the_opposite_arc_of(second) {
                &[Hint::Directed, Hint::Duplicates]
            } else {
                &[Hint::Duplicates]
            },
        )
    }

    /// A fault of `edge`, at its place in the file when it came from one.
    fn fault(&self, edge: &Edge, found: String, expected: &str, hints: &'static [Hint]) -> Error {
        match &self.file {
            None => {
                let statement = format!("found {found}, expected {expected}");
                Error::Graph(advised(statement, hints, Hint::neutral))
            }
            Some(file) => {
                let line = Some(Place(edge.place).line()).filter(|&line| line > 0);
                let fault = ParseError::new(file, found, expected).at(line, None);
                Error::from(fault).hinting(hints)
            }
        }
    }

    fn name(&self, i: usize) -> String {
        match &self.names {
            Names::Counted { first, .. } => (first + i).to_string(),
            Names::Named(names) => names.get(i).to_owned(),
        }
    }
}

fn check_count(nodes: usize) -> Result<()> {
    if nodes > u32::MAX as usize {
        return Err(Error::Graph(format!(
            "found {nodes} nodes, expected at most {}",
            u32::MAX
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn build(rule: Duplicates, weights: &[f64]) -> Result<Graph> {
        let mut builder = GraphBuilder::with_nodes(3)?.duplicates(rule);
        for (k, &w) in weights.iter().enumerate() {
            // Directions alternate: an undirected edge is one edge both ways.
            let (u, v) = if k % 2 == 0 { (0, 2) } else { (2, 0) };
            builder.edge(u, v, w, Some(k as u64 + 1))?;
        }
        builder.build()
    }

    #[test]
    fn equal_repetitions_count_once() {
        let graph = build(Duplicates::Error, &[1.5, 1.5, 1.5]).unwrap();
        assert_eq!(graph.weight(0, 2), 1.5);
        assert_eq!(graph.weight(2, 0), 1.5);
        assert_eq!(graph.cleaning().repeated_edges, 2);
    }

    #[test]
    fn two_weights_are_an_error_naming_both_places() {
        let message = build(Duplicates::Error, &[1.0, 1.0, 4.0])
            .unwrap_err()
            .to_string();
        assert!(message.contains("1 (line 1) and 4 (line 3)"), "{message}");
    }

    #[test]
    fn faults_name_the_file_when_there_is_one_and_nodes_as_they_are_counted() {
        let mut builder = GraphBuilder::counted_from(1, 3).unwrap().file("g.mtx");
        builder.edge(0, 2, 1.0, Some(4)).unwrap();
        builder.edge(2, 0, 2.0, Some(9)).unwrap();
        assert_eq!(
            builder.build().unwrap_err().to_string(),
            "g.mtx, line 9: found edge (1, 3) with two weights, 1 (line 4) and 2 (line 9), \
             expected one weight; read the rows as directed edges or give a rule for repeated edges: sum, \
             mean, max or first"
        );
    }

    #[test]
    fn rules_merge_two_weights() {
        for (rule, want) in [
            (Duplicates::Sum, 6.0),
            (Duplicates::Mean, 2.0),
            (Duplicates::Max, 4.0),
            (Duplicates::First, 1.0),
        ] {
            assert_eq!(build(rule, &[1.0, 1.0, 4.0]).unwrap().weight(0, 2), want);
        }
    }

    #[test]
    fn loops_and_zeros_are_dropped_and_counted() {
        let edges = [(0, 0, 1.0), (1, 2, 0.0), (0, 1, -2.0), (2, 2, 0.0)];
        let graph = Graph::from_edges(3, &edges).unwrap();
        assert_eq!(graph.edge_count(), 1);
        assert_eq!(graph.cleaning().self_loops, 1);
        assert_eq!(graph.cleaning().zero_weights, 1);
        assert!(graph.has_negative_weights());
    }

    #[test]
    fn directions_are_counted_and_mirror_images_are_not_repetitions() {
        let count = |add: fn(&mut GraphBuilder, usize, usize) -> Result<()>| {
            let mut builder = GraphBuilder::with_nodes(4).unwrap();
            // Both ways and once more, one way, and against the order of the nodes.
            for (u, v) in [(0, 1), (1, 0), (0, 1), (1, 2), (3, 2)] {
                add(&mut builder, u, v).unwrap();
            }
            let cleaning = builder.build().unwrap().cleaning();
            let Cleaning {
                directed_edges,
                opposite_edges,
                repeated_edges,
                ..
            } = cleaning;
            (directed_edges, opposite_edges, repeated_edges)
        };
        assert_eq!(count(|b, u, v| b.edge(u, v, 1.0, None)), (0, 0, 2));
        assert_eq!(count(|b, u, v| b.arc(u, v, 1.0, None)), (5, 1, 1));
        assert_eq!(count(|b, u, v| b.entry(u, v, 1.0, None)), (2, 0, 1));
    }

    #[test]
    fn bad_edges_are_refused() {
        assert!(Graph::from_edges(2, &[(0, 2, 1.0)]).is_err());
        for weight in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(Graph::from_edges(2, &[(0, 1, weight)]).is_err());
        }
        assert!(Graph::from_edges(0, &[]).is_err());
        assert!(build(Duplicates::Sum, &[f64::MAX, f64::MAX]).is_err());
    }

    #[test]
    fn rows_are_sorted_and_symmetric() {
        let graph =
            Graph::from_edges(4, &[(3, 1, 1.0), (1, 0, 2.0), (2, 1, 3.0), (3, 0, 4.0)]).unwrap();
        for i in 0..4 {
            let row: Vec<_> = graph.neighbours(i).collect();
            assert!(row.windows(2).all(|w| w[0].0 < w[1].0));
            for (j, w) in row {
                assert_eq!(graph.weight(j, i), w);
            }
        }
    }
}
