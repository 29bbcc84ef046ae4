//! Graphs from arrays.

use std::sync::Arc;

use anchormatch::error::Hint;
use anchormatch::graph::{Directions, Duplicates, GraphBuilder};
use anchormatch::{Error, Result};
use anchormatch_io::KindRows;
use numpy::{
    IntoPyArray, PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::arrays::{self, Rows, Square};
use crate::facts::{KindArrays, kind_arrays};
use crate::failure::exception;
use crate::worker::{Limits, bytes, reserve, unexpected};

/// Entries (i, j) and (j, i) that differ by no more than this share of the largest are one weight.
const SYMMETRY: f64 = 1e-9;

/// Bytes that an edge takes while a graph is built: once in the list, twice in the rows.
const EDGE_BYTES: u64 = 64;

/// A graph; nodes are numbers here, ids are Python's business.
#[pyclass(frozen, module = "anchormatch._native")]
pub(crate) struct Graph {
    pub(crate) inner: Arc<anchormatch::Graph>,
}

#[pymethods]
impl Graph {
    /// From a square matrix. Where it is not symmetric, its entries are arcs if it may be `directed`, else
    /// `duplicates` says how two become one.
    #[staticmethod]
    fn from_matrix(
        py: Python<'_>,
        matrix: Square<'_>,
        labels: Option<Vec<String>>,
        duplicates: &str,
        directed: bool,
        limits: Limits,
    ) -> PyResult<Self> {
        let rows = matrix.rows("graph")?;
        let rule = rule(duplicates)?;
        let reserve = |edges: u64| {
            let bytes = edges.saturating_mul(EDGE_BYTES);
            let hints = &[Hint::MoreMemory, Hint::SparseGraph];
            reserve(&limits.memory(), "the graph", bytes, hints)
        };
        reserve(match rows {
            // Half of the entries, as the other half repeats them.
            Rows::Dense(_) => rows.stored() / 2,
            Rows::Compressed(..) => rows.stored(),
        })?;
        let largest = py.detach(|| largest(&rows)).map_err(exception)?;
        let directed = directed && py.detach(|| has_directions(&rows, largest));
        if directed {
            reserve(rows.stored())?;
        }
        py.detach(|| {
            if directed {
                arcs(&rows, labels)
            } else {
                edges_of(&rows, labels, rule, largest)
            }
        })
        .map_err(exception)
        .map(Self::from)
    }

    /// From edges between nodes 0 to `nodes` − 1, or arcs from the first ends to the second.
    #[staticmethod]
    fn from_edges(
        py: Python<'_>,
        nodes: usize,
        ends: (PyReadonlyArray1<'_, i64>, PyReadonlyArray1<'_, i64>),
        weights: PyReadonlyArray1<'_, f64>,
        labels: Option<Vec<String>>,
        duplicates: &str,
        directed: bool,
    ) -> PyResult<Self> {
        let (first, second) = (
            arrays::indices(&ends.0, "edges")?,
            arrays::indices(&ends.1, "edges")?,
        );
        let weights = weights.as_array();
        if first.len() != second.len() || first.len() != weights.len() {
            return Err(PyValueError::new_err(
                "edges: expected as many second nodes and weights as first nodes",
            ));
        }
        let rule = rule(duplicates)?;
        py.detach(|| {
            let builder = builder(nodes, labels)?.duplicates(rule);
            let mut builder = builder.directions(Directions::Keep);
            for ((&u, &v), &weight) in first.iter().zip(&second).zip(weights) {
                if directed {
                    builder.arc(u, v, weight, None)?;
                } else {
                    builder.edge(u, v, weight, None)?;
                }
            }
            builder.build()
        })
        .map_err(exception)
        .map(Self::from)
    }

    /// The same with the kind of each edge: the graph, whose edges are the sums of those of all kinds, and
    /// the edges of each kind.
    #[staticmethod]
    #[expect(clippy::too_many_arguments, reason = "Python names them")]
    fn with_kinds<'py>(
        py: Python<'py>,
        nodes: usize,
        ends: (PyReadonlyArray1<'py, i64>, PyReadonlyArray1<'py, i64>),
        weights: PyReadonlyArray1<'py, f64>,
        kinds: Vec<String>,
        labels: Option<Vec<String>>,
        duplicates: &str,
        directed: bool,
    ) -> PyResult<(Self, KindArrays<'py>)> {
        let first = arrays::indices(&ends.0, "edges")?;
        let second = arrays::indices(&ends.1, "edges")?;
        let mut rows = KindRows::default();
        let edges = first.into_iter().zip(second).zip(weights.as_array());
        for ((ends, &weight), (kind, row)) in edges.zip(kinds.iter().zip(1..)) {
            rows.add(ends, kind, weight, directed, row);
        }
        let builder = builder(nodes, labels).map_err(exception)?;
        let builder = builder.directions(Directions::Keep);
        let made = rows.build(builder, "graph", rule(duplicates)?);
        let (graph, kinds) = made.map_err(exception)?;
        Ok((Self::from(graph), kind_arrays(py, &kinds)))
    }

    /// The nodes of points without edges, for those who look at the coordinates.
    #[staticmethod]
    fn of_points(
        py: Python<'_>,
        points: PyReadonlyArray2<'_, f64>,
        labels: Option<Vec<String>>,
    ) -> PyResult<Self> {
        let points = arrays::matrix(&points)?;
        py.detach(|| {
            let graph = anchormatch::Graph::of_points(&points)?;
            match labels {
                Some(names) => graph.with_labels(anchormatch::graph::Labels::new(names)?),
                None => Ok(graph),
            }
        })
        .map_err(exception)
        .map(Self::from)
    }

    /// The complete graph on Euclidean distances.
    #[staticmethod]
    fn from_points(
        py: Python<'_>,
        points: PyReadonlyArray2<'_, f64>,
        labels: Option<Vec<String>>,
        limits: Limits,
    ) -> PyResult<Self> {
        let n = points.shape()[0] as u64;
        reserve(
            &limits.memory(),
            &format!("the complete graph of {n} points"),
            n.saturating_mul(n).saturating_mul(EDGE_BYTES / 2),
            &[Hint::MoreMemory, Hint::FewerPoints, Hint::SparsePoints],
        )?;
        let points = arrays::matrix(&points)?;
        py.detach(|| {
            let graph = anchormatch::Graph::from_points(&points)?;
            match labels {
                Some(names) => graph.with_labels(anchormatch::graph::Labels::new(names)?),
                None => Ok(graph),
            }
        })
        .map_err(exception)
        .map(Self::from)
    }

    /// The number of nodes.
    #[getter]
    fn nodes(&self) -> usize {
        self.inner.node_count()
    }

    /// Whether its edges have directions.
    #[getter]
    fn directed(&self) -> bool {
        self.inner.is_directed()
    }

    /// The number of edges, or of arcs.
    #[getter]
    fn edges(&self) -> usize {
        self.inner.link_count()
    }

    /// Every edge once, lower node first, or every arc from its tail: nodes, nodes, weights.
    #[allow(clippy::type_complexity, reason = "three arrays")]
    fn edge_arrays<'py>(
        &self,
        py: Python<'py>,
    ) -> (
        Bound<'py, PyArray1<i64>>,
        Bound<'py, PyArray1<i64>>,
        Bound<'py, PyArray1<f64>>,
    ) {
        let (graph, count) = (&self.inner, self.inner.link_count());
        let (mut low, mut high) = (Vec::with_capacity(count), Vec::with_capacity(count));
        let mut weights = Vec::with_capacity(count);
        let links = graph.arcs().triplets();
        for (i, j, weight) in links.filter(|&(i, j, _)| graph.is_directed() || i < j) {
            low.push(i as i64);
            high.push(j as i64);
            weights.push(weight);
        }
        (
            low.into_pyarray(py),
            high.into_pyarray(py),
            weights.into_pyarray(py),
        )
    }

    /// The nodes with an edge to themselves, and its weight.
    fn loop_arrays<'py>(
        &self,
        py: Python<'py>,
    ) -> (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<f64>>) {
        let loops = self.inner.loops().iter();
        let (nodes, weights): (Vec<i64>, Vec<f64>) =
            loops.map(|&(i, weight)| (i as i64, weight)).unzip();
        (nodes.into_pyarray(py), weights.into_pyarray(py))
    }

    /// The adjacency matrix, what leads from i to j in row i and column j.
    fn adjacency<'py>(
        &self,
        py: Python<'py>,
        limits: Limits,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let n = self.inner.node_count();
        reserve(
            &limits.memory(),
            "the adjacency matrix",
            bytes(&[n, n]),
            &[Hint::MoreMemory, Hint::Edges],
        )?;
        let matrix = py.detach(|| self.inner.arcs().to_dense());
        arrays::array(py, matrix)
    }

    /// Self-loops, repeated edges and edges of weight zero that were set aside.
    fn cleaning(&self) -> (usize, usize, usize) {
        let cleaning = self.inner.cleaning();
        (
            cleaning.self_loops,
            cleaning.repeated_edges,
            cleaning.zero_weights,
        )
    }
}

impl From<anchormatch::Graph> for Graph {
    fn from(graph: anchormatch::Graph) -> Self {
        Self {
            inner: Arc::new(graph),
        }
    }
}

pub(crate) fn rule(name: &str) -> PyResult<Duplicates> {
    match name {
        "error" => Ok(Duplicates::Error),
        "sum" => Ok(Duplicates::Sum),
        "mean" => Ok(Duplicates::Mean),
        "max" => Ok(Duplicates::Max),
        "first" => Ok(Duplicates::First),
        _ => Err(exception(unexpected(
            "duplicates",
            name,
            "one of error, sum, mean, max, first",
        ))),
    }
}

/// A builder whose errors call nodes by their labels.
fn builder(nodes: usize, labels: Option<Vec<String>>) -> Result<GraphBuilder> {
    let Some(labels) = labels else {
        return GraphBuilder::with_nodes(nodes);
    };
    let mut builder = GraphBuilder::new();
    for label in &labels {
        builder.node(label)?;
    }
    if builder.node_count() == nodes {
        Ok(builder)
    } else {
        let found = format!(
            "found {} different ids, expected {nodes}",
            builder.node_count()
        );
        Err(Error::Graph(found))
    }
}

/// The largest entry by its absolute value.
///
/// # Errors
/// When an entry is not finite.
fn largest(rows: &Rows<'_>) -> Result<f64> {
    let mut largest = 0.0f64;
    for i in 0..rows.len() {
        rows.visit(i, |j, value| {
            if !value.is_finite() {
                return Err(Error::Graph(format!(
                    "entry ({i}, {j}) is {value}, expected a finite number"
                )));
            }
            largest = largest.max(value.abs());
            Ok(())
        })?;
    }
    Ok(largest)
}

/// Whether an entry differs from its mirror image by more than rounding.
fn has_directions(rows: &Rows<'_>, largest: f64) -> bool {
    (0..rows.len()).any(|i| {
        let mut found = false;
        let visited = rows.visit(i, |j, value| {
            found |= (value - rows.get(j, i)).abs() > SYMMETRY * largest;
            Ok(())
        });
        visited.is_ok() && found
    })
}

/// The graph whose arcs are the entries.
fn arcs(rows: &Rows<'_>, labels: Option<Vec<String>>) -> Result<anchormatch::Graph> {
    let mut builder = builder(rows.len(), labels)?.directions(Directions::Keep);
    for i in 0..rows.len() {
        rows.visit(i, |j, value| {
            if value != 0.0 {
                builder.arc(i, j, value, None)?;
            }
            Ok(())
        })?;
    }
    builder.build()
}

/// The graph whose edges are the entries, each with its mirror image.
fn edges_of(
    rows: &Rows<'_>,
    labels: Option<Vec<String>>,
    rule: Duplicates,
    largest: f64,
) -> Result<anchormatch::Graph> {
    let n = rows.len();
    let mut builder = builder(n, labels)?;
    for i in 0..n {
        rows.visit(i, |j, value| {
            let mirrored = rows.get(j, i);
            // Where both entries are there, the one above the diagonal speaks for both.
            if i > j && mirrored != 0.0 {
                return Ok(());
            }
            let both = if i > j { [mirrored, value] } else { [value, mirrored] };
            let weight = merged(rule, both, SYMMETRY * largest).ok_or_else(|| {
                Error::Graph(format!(
                    "entry ({i}, {j}) is {value} but ({j}, {i}) is {mirrored}; expected a symmetric \
                     matrix, or am.graph(matrix, duplicates=\"sum\") or \"mean\", \"max\", \"first\" to \
                     make one"
                ))
            })?;
            let weight = if i == j { value } else { weight };
            if weight != 0.0 {
                builder.edge(i, j, weight, None)?;
            }
            Ok(())
        })?;
    }
    builder.build()
}

/// One weight of the entries above and below the diagonal; `None` when they contradict each other.
fn merged(rule: Duplicates, [upper, lower]: [f64; 2], tolerance: f64) -> Option<f64> {
    match rule {
        Duplicates::Error if upper == lower => Some(upper),
        Duplicates::Error => ((upper - lower).abs() <= tolerance).then_some(0.5 * (upper + lower)),
        Duplicates::Sum => Some(upper + lower),
        Duplicates::Mean => Some(0.5 * (upper + lower)),
        Duplicates::Max => Some(upper.max(lower)),
        Duplicates::First => Some(upper),
    }
}
