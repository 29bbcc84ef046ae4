//! What is known beside graphs and anchors, from lists and arrays.

use std::sync::Arc;

use anchormatch::graph::{EdgeKinds, KindEdge};
use anchormatch::linalg::Csr;
use anchormatch::task::{Fact, Overlap};
use anchormatch::{Allowed, Attributes, Result, Task};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::arrays;
use crate::failure::exception;

/// What the scores of candidates are called among the attributes.
const SCORES: &str = "score of candidates";

/// What long tables of attributes are called among the attributes.
const FEATURES: &str = "attributes";

/// A column of words: its name, and a word or none for each source and each target node.
type Column = (String, Vec<Option<String>>, Vec<Option<String>>);

/// Rows, columns and values of the entries of a matrix.
type Entries<'py> = (
    PyReadonlyArray1<'py, i64>,
    PyReadonlyArray1<'py, i64>,
    PyReadonlyArray1<'py, f64>,
);

/// Kinds of edges: names, and of each edge its ends, its kind and its weight.
type Kinds<'py> = (
    Vec<String>,
    PyReadonlyArray1<'py, i64>,
    PyReadonlyArray1<'py, i64>,
    PyReadonlyArray1<'py, i64>,
    PyReadonlyArray1<'py, f64>,
);

/// The same on the way to Python.
pub(crate) type KindArrays<'py> = (
    Vec<String>,
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<f64>>,
);

/// What Python knows, as a dictionary.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Known<'py> {
    /// Source and target nodes without a partner.
    pub(crate) alone: (Vec<usize>, Vec<usize>),
    columns: Vec<Column>,
    /// Nodes, attributes and values of either side, and how many attributes there are.
    features: Option<(Entries<'py>, Entries<'py>, usize)>,
    same: Vec<Column>,
    /// Pairs with their scores, and whether these say anything.
    candidates: Option<(Entries<'py>, bool)>,
    crossing: Option<(Entries<'py>, Entries<'py>)>,
    layers: Option<(Kinds<'py>, Kinds<'py>)>,
    relations: Option<(Kinds<'py>, Kinds<'py>)>,
}

/// The same as the library takes it.
pub(crate) struct Facts {
    attributes: Option<Arc<Attributes>>,
    allowed: Option<Arc<Allowed>>,
    crossing: Option<(Csr<f64>, Csr<f64>)>,
    kinds: Vec<(Fact, [Arc<EdgeKinds>; 2])>,
}

impl Known<'_> {
    /// The facts about graphs of `n` and `m` nodes.
    pub(crate) fn facts(&self, n: usize, m: usize) -> PyResult<Facts> {
        let mut attributes = Attributes::new(n, m);
        for (name, source, target) in &self.columns {
            attributes = attributes
                .with_column(name, source, target)
                .map_err(exception)?;
        }
        if let Some((source, target, count)) = &self.features {
            let source = matrix(source, "source_attributes", n, *count)?;
            let target = matrix(target, "target_attributes", m, *count)?;
            attributes = attributes
                .with_weights(FEATURES, source, target)
                .map_err(exception)?;
        }
        let mut allowed = Allowed::all(n, m);
        for (_, source, target) in &self.same {
            allowed = allowed.with_same(source, target).map_err(exception)?;
        }
        if let Some((pairs, are_scored)) = &self.candidates {
            let scores = matrix(pairs, "candidates", n, m)?;
            let listed: Vec<_> = scores.triplets().map(|(i, a, _)| (i, a)).collect();
            allowed = allowed.with_candidates(&listed).map_err(exception)?;
            if *are_scored {
                attributes = attributes.with_scores(SCORES, &scores).map_err(exception)?;
            }
        }
        let crossing = match &self.crossing {
            Some((there, back)) => Some((
                matrix(there, "crossing", n, m)?,
                matrix(back, "crossing_back", m, n)?,
            )),
            None => None,
        };
        let mut kinds = Vec::new();
        for (fact, given) in [
            (Fact::Layers, &self.layers),
            (Fact::Relations, &self.relations),
        ] {
            if let Some((source, target)) = given {
                let both = [edge_kinds(source, n)?, edge_kinds(target, m)?];
                kinds.push((fact, both.map(Arc::new)));
            }
        }
        let rules_out = self.candidates.is_some() || !self.same.is_empty();
        Ok(Facts {
            attributes: (!attributes.is_empty()).then(|| Arc::new(attributes)),
            allowed: rules_out.then(|| Arc::new(allowed)),
            crossing,
            kinds,
        })
    }
}

impl Facts {
    /// The task with all of them.
    pub(crate) fn added_to(self, mut task: Task<'_>) -> Result<Task<'_>> {
        if let Some(attributes) = self.attributes {
            task = task.with_attributes(attributes)?;
        }
        if let Some(allowed) = self.allowed {
            task = task.with_allowed(allowed)?;
        }
        if let Some((there, back)) = self.crossing {
            task = task.with_crossing(there, back)?;
        }
        for (fact, [source, target]) in self.kinds {
            task = match fact {
                Fact::Layers => task.with_layers(source, target)?,
                _ => task.with_relations(source, target)?,
            };
        }
        Ok(task)
    }
}

fn matrix(
    entries: &Entries<'_>,
    name: &'static str,
    rows: usize,
    cols: usize,
) -> PyResult<Csr<f64>> {
    let first = arrays::indices(&entries.0, name)?;
    let second = arrays::indices(&entries.1, name)?;
    let values = entries.2.as_array();
    let triplets = first.into_iter().zip(second).zip(values.iter().copied());
    let triplets = triplets.map(|((i, j), value)| (i, j, value));
    Csr::from_triplets(rows, cols, triplets).map_err(exception)
}

fn edge_kinds((names, from, to, kind, weight): &Kinds<'_>, nodes: usize) -> PyResult<EdgeKinds> {
    let number = |value: usize| u32::try_from(value).unwrap_or(u32::MAX);
    let from = arrays::indices(from, "layers")?;
    let to = arrays::indices(to, "layers")?;
    let kind = arrays::indices(kind, "layers")?;
    let ends = from.into_iter().zip(to).zip(kind).zip(weight.as_array());
    let edges = ends.map(|(((from, to), kind), &weight)| KindEdge {
        from: number(from),
        to: number(to),
        kind: number(kind),
        weight,
    });
    EdgeKinds::new(nodes, names.clone(), edges.collect()).map_err(exception)
}

/// What is to be said of a column in which partners must have the same value, if anything.
///
/// # Errors
/// When both sides have values and share none.
#[pyfunction]
pub(crate) fn same_note(
    name: &str,
    source: Vec<Option<String>>,
    target: Vec<Option<String>>,
) -> PyResult<Option<String>> {
    let overlap = Overlap::of(&source, &target);
    match overlap.refusal(name) {
        Some((found, expected)) => Err(PyValueError::new_err(format!(
            "same: found {found}, expected {expected}"
        ))),
        None => Ok(overlap.note(name)),
    }
}

/// Kinds of edges as Python keeps them.
pub(crate) fn kind_arrays<'py>(py: Python<'py>, kinds: &EdgeKinds) -> KindArrays<'py> {
    let edges = kinds.edges();
    let column = |of: fn(&KindEdge) -> u32| {
        let numbers: Vec<i64> = edges.iter().map(|edge| i64::from(of(edge))).collect();
        numbers.into_pyarray(py)
    };
    let weights: Vec<f64> = edges.iter().map(|edge| edge.weight).collect();
    (
        kinds.names().to_vec(),
        column(|edge| edge.from),
        column(|edge| edge.to),
        column(|edge| edge.kind),
        weights.into_pyarray(py),
    )
}
