//! Weighted graphs in compressed sparse rows, with the caller's node labels.
//!
//! G = (V, E, w): a symmetric adjacency matrix A with zero diagonal and finite weights, which may be
//! negative; of a [directed](Graph::is_directed) graph its arcs beside it. The Laplacian L = D − A takes
//! max(w, 0), because with negative weights it would no longer be positive semidefinite and heat would
//! not diffuse.

mod builder;
#[cfg(any(feature = "ndarray", feature = "petgraph"))]
mod convert;
mod directed;
mod interner;
mod kinds;
mod labels;
mod laplacian;
mod name_hash;
mod name_table;
mod summary;

pub use builder::{Directions, Duplicates, GraphBuilder};
pub use interner::NameBlock;
pub use kinds::{EdgeKinds, KindEdge};
pub use labels::Labels;
pub use laplacian::Laplacian;
pub use summary::Summary;

use crate::error::{Error, Result};
use crate::linalg::{Csr, Matrix};

/// A graph with finite weights, undirected or directed.
#[derive(Debug, Clone, PartialEq)]
pub struct Graph {
    /// The adjacency matrix: every edge from both of its ends.
    edges: Csr<f64>,
    /// The arcs, where the graph is directed.
    arcs: Option<Csr<f64>>,
    /// Edges from a node to itself, by node.
    loops: Vec<(usize, f64)>,
    labels: Labels,
    cleaning: Cleaning,
}

/// What was set aside while a graph was built.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct Cleaning {
    /// Edges from a node to itself, which stand beside the graph: see [`Graph::loops`].
    pub self_loops: usize,
    /// Edges that were given with a direction, which was ignored. Of a matrix: entries without a
    /// mirror image.
    pub directed_edges: usize,
    /// Directed edges that run against another one between the same nodes, merged with it.
    pub opposite_edges: usize,
    /// Repetitions of an edge other than those, merged.
    pub repeated_edges: usize,
    /// Edges of weight zero, which is the weight of no edge at all, dropped.
    pub zero_weights: usize,
}

impl Graph {
    /// A graph from undirected edges between nodes `0..nodes`.
    ///
    /// # Errors
    /// See [`GraphBuilder`].
    pub fn from_edges(nodes: usize, edges: &[(usize, usize, f64)]) -> Result<Self> {
        let mut builder = GraphBuilder::with_nodes(nodes)?;
        for &(u, v, weight) in edges {
            builder.edge(u, v, weight, None)?;
        }
        builder.build()
    }

    /// A graph from directed edges between nodes `0..nodes`, each from its first node to its second.
    ///
    /// # Errors
    /// See [`GraphBuilder`].
    pub fn from_arcs(nodes: usize, arcs: &[(usize, usize, f64)]) -> Result<Self> {
        let mut builder = GraphBuilder::with_nodes(nodes)?.directions(Directions::Keep);
        for &(u, v, weight) in arcs {
            builder.arc(u, v, weight, None)?;
        }
        builder.build()
    }

    /// The graph of a symmetric matrix; the diagonal is dropped.
    ///
    /// # Errors
    /// When the matrix is not square, not symmetric or not finite.
    pub fn from_dense(adjacency: &Matrix) -> Result<Self> {
        let shape = (adjacency.rows(), adjacency.cols());
        Self::from_entries(shape, |i, j| adjacency[(i, j)])
    }

    /// The graph of the symmetric matrix with these entries.
    fn from_entries((n, m): (usize, usize), entry: impl Fn(usize, usize) -> f64) -> Result<Self> {
        if n != m {
            let found = format!("found a {n}×{m} matrix, expected a square one");
            return Err(Error::Graph(found));
        }
        let mut builder = GraphBuilder::with_nodes(n)?;
        for i in 0..n {
            for j in 0..=i {
                let (lower, upper) = (entry(i, j), entry(j, i));
                // Negated so that a NaN, which equals nothing, reaches the builder's own check.
                if lower != upper && !(lower.is_nan() || upper.is_nan()) {
                    return Err(Error::Graph(format!(
                        "entry ({i}, {j}) is {lower} but ({j}, {i}) is {upper}; expected a symmetric matrix"
                    )));
                }
                let weight = if lower.is_nan() { lower } else { upper };
                if weight != 0.0 {
                    builder.edge(i, j, weight, None)?;
                }
            }
        }
        builder.build()
    }

    /// The nodes of points (one a row) without any edge, for
    /// [`Task::with_points`](crate::Task::with_points), which looks at the coordinates.
    ///
    /// # Errors
    /// When a coordinate is not finite, or there are no points.
    pub fn of_points(points: &Matrix) -> Result<Self> {
        Self::check_points(points)?;
        GraphBuilder::with_nodes(points.rows())?.build()
    }

    fn check_points(points: &Matrix) -> Result<()> {
        if let Some(position) = points.as_slice().iter().position(|v| !v.is_finite()) {
            return Err(Error::Graph(format!(
                "point {} has the coordinate {}, expected a finite number",
                position / points.cols().max(1),
                points.as_slice()[position]
            )));
        }
        Ok(())
    }

    /// The complete graph of points (one a row) with Euclidean distances as weights.
    ///
    /// # Errors
    /// When a coordinate is not finite, or there are no points.
    pub fn from_points(points: &Matrix) -> Result<Self> {
        Self::check_points(points)?;
        let n = points.rows();
        let mut builder = GraphBuilder::with_nodes(n)?;
        for i in 0..n {
            for j in 0..i {
                let distance = points
                    .row(i)
                    .iter()
                    .zip(points.row(j))
                    .fold(0.0f64, |sum, (x, y)| sum.hypot(x - y));
                builder.edge(j, i, distance, None)?;
            }
        }
        builder.build()
    }

    /// The number of nodes.
    #[must_use]
    pub fn node_count(&self) -> usize {
        self.edges.rows()
    }

    /// Every edge once, as (i, j, weight) with i < j, in the order of i and then of j.
    pub fn edges(&self) -> impl Iterator<Item = (usize, usize, f64)> + '_ {
        (0..self.node_count()).flat_map(move |i| {
            let later = self.neighbours(i).filter(move |&(j, _)| i < j);
            later.map(move |(j, weight)| (i, j, weight))
        })
    }

    /// The number of undirected edges.
    #[must_use]
    pub fn edge_count(&self) -> usize {
        self.edges.entries() / 2
    }

    /// The caller's names of the nodes.
    #[must_use]
    pub fn labels(&self) -> &Labels {
        &self.labels
    }

    /// The same graph under other names.
    ///
    /// # Errors
    /// When their number differs from the number of nodes.
    pub fn with_labels(mut self, labels: Labels) -> Result<Self> {
        if labels.len() != self.node_count() {
            return Err(Error::Graph(format!(
                "found {} labels, expected one for each of the {} nodes",
                labels.len(),
                self.node_count()
            )));
        }
        self.labels = labels;
        Ok(self)
    }

    /// The same graph with more nodes, which have no edge.
    ///
    /// # Errors
    /// When a name stands twice.
    pub fn with_isolated(mut self, names: Vec<String>) -> Result<Self> {
        let all: Vec<String> = self.labels.iter().map(|name| name.into_owned()).collect();
        self.labels = Labels::new([all, names].concat())?;
        let size = self.labels.len();
        self.edges = self.edges.extended(size);
        self.arcs = self.arcs.map(|arcs| arcs.extended(size));
        Ok(self)
    }

    /// What was dropped or merged when the graph was built.
    #[must_use]
    pub fn cleaning(&self) -> Cleaning {
        self.cleaning
    }

    /// Node `i`'s neighbours and the weights of the edges to them, in ascending order.
    pub fn neighbours(&self, i: usize) -> impl ExactSizeIterator<Item = (usize, f64)> + '_ {
        self.edges.row(i)
    }

    /// The weight between `i` and `j`; 0 when there is no edge.
    #[must_use]
    pub fn weight(&self, i: usize, j: usize) -> f64 {
        self.edges.get(i, j).unwrap_or(0.0)
    }

    /// Whether a weight is below zero.
    #[must_use]
    pub fn has_negative_weights(&self) -> bool {
        self.edges.values().iter().any(|&w| w < 0.0)
    }

    /// The same graph with weights over `unit`; an edge whose weight vanishes in it is dropped, and a
    /// weight that leaves the range becomes the largest of its sign.
    ///
    /// # Errors
    /// When the graph has too many nodes, which no graph has.
    pub(crate) fn in_unit(&self, unit: f64) -> Result<Self> {
        let changed = self.rebuilt(|i| i, |w| (w / unit).clamp(-f64::MAX, f64::MAX))?;
        changed.with_labels(self.labels.clone())
    }

    /// The graph with nodes at other places and with other weights, its nodes numbered.
    fn rebuilt(&self, place: impl Fn(usize) -> usize, weight: impl Fn(f64) -> f64) -> Result<Self> {
        let builder = GraphBuilder::with_nodes(self.node_count())?;
        let mut builder = builder.directions(Directions::Keep);
        match &self.arcs {
            Some(arcs) => {
                for (i, j, w) in arcs.triplets() {
                    builder.arc(place(i), place(j), weight(w), None)?;
                }
            }
            None => {
                for (i, j, w) in self.edges() {
                    builder.edge(place(i), place(j), weight(w), None)?;
                }
            }
        }
        for &(i, w) in &self.loops {
            builder.edge(place(i), place(i), weight(w), None)?;
        }
        builder.build()
    }

    /// Every edge's weight, twice.
    pub(crate) fn weights(&self) -> impl Iterator<Item = f64> + Clone {
        self.edges.values().iter().copied()
    }

    /// The adjacency matrix A, raw weights, zero diagonal.
    #[must_use]
    pub fn adjacency(&self) -> Matrix {
        self.edges.to_dense()
    }

    /// The adjacency matrix A in sparse rows: every edge from both of its ends.
    #[must_use]
    pub fn sparse_adjacency(&self) -> &Csr<f64> {
        &self.edges
    }

    /// The Laplacian L = D − A of max(w, 0), as an operator on vectors.
    #[must_use]
    pub fn laplacian(&self) -> Laplacian<'_> {
        Laplacian::new(self)
    }

    /// The number of connected components, over edges of positive weight.
    #[must_use]
    pub fn components(&self) -> usize {
        let n = self.node_count();
        let mut seen = vec![false; n];
        let mut stack = Vec::new();
        let mut components = 0;
        for root in 0..n {
            if seen[root] {
                continue;
            }
            components += 1;
            seen[root] = true;
            stack.push(root);
            while let Some(i) = stack.pop() {
                for (j, weight) in self.neighbours(i) {
                    if weight > 0.0 && !seen[j] {
                        seen[j] = true;
                        stack.push(j);
                    }
                }
            }
        }
        components
    }

    /// The same graph with node `order[k]` moved to place k.
    ///
    /// # Errors
    /// When `order` is not a permutation of the nodes.
    pub fn permuted(&self, order: &[usize]) -> Result<Self> {
        let n = self.node_count();
        let mut place = vec![usize::MAX; n];
        for (new, &old) in order.iter().enumerate() {
            if old >= n || place[old] != usize::MAX {
                return Err(Error::Graph(format!(
                    "{old} makes the order no permutation of {n} nodes"
                )));
            }
            place[old] = new;
        }
        if order.len() != n {
            return Err(Error::Graph(format!(
                "found an order of {} nodes, expected {n}",
                order.len()
            )));
        }
        let labels = order
            .iter()
            .map(|&old| self.labels.get(old).into_owned())
            .collect();
        let moved = self.rebuilt(|i| place[i], |w| w)?;
        moved.with_labels(Labels::new(labels)?)
    }
}
