//! Matching two graphs, and what can be asked of a result.
//!
//! A result travels as a dictionary of arrays, which Python keeps and can pickle; [`Record`] reads it
//! back for what the library does with a matching afterwards.

use std::sync::Arc;

use anchormatch::anchors::Anchor;
use anchormatch::matcher::registry;
use anchormatch::matching::{Diagnostics, Measure, Note, Pair, Samples};
use anchormatch::solver::Status;
use anchormatch::{Anchors, Assignment, Matching, Task};
use numpy::{IntoPyArray, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::facts::Known;
use crate::failure::{WORDS, exception};
use crate::graph::Graph;
use crate::worker::{Limits, run};
use crate::{arrays, model, options};

/// Anchors: source nodes, target nodes, weights.
type AnchorArrays<'py> = (
    PyReadonlyArray1<'py, i64>,
    PyReadonlyArray1<'py, i64>,
    PyReadonlyArray1<'py, f64>,
);

/// Matches two graphs by the matcher called `preset`; the result is a dictionary of plain values and
/// arrays.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "Python names them")]
pub(crate) fn match_graphs<'py>(
    py: Python<'py>,
    source: &Graph,
    target: &Graph,
    anchors: AnchorArrays<'py>,
    node_similarity: Option<PyReadonlyArray2<'py, f64>>,
    known: Known<'py>,
    points: Option<(PyReadonlyArray2<'py, f64>, PyReadonlyArray2<'py, f64>)>,
    preset: &str,
    settings: &Bound<'py, PyDict>,
    limits: Limits,
) -> PyResult<Bound<'py, PyDict>> {
    let (source, target) = (Arc::clone(&source.inner), Arc::clone(&target.inner));
    let sources = arrays::indices(&anchors.0, "anchors")?;
    let targets = arrays::indices(&anchors.1, "anchors")?;
    let weights = anchors.2.as_array();
    let listed = sources.iter().zip(&targets).zip(weights);
    let listed = listed.map(|((&source, &target), &weight)| Anchor::new(source, target, weight));
    let (one, two) = (known.alone.0.clone(), known.alone.1.clone());
    let anchors = Anchors::new(&source, &target, listed)
        .and_then(|anchors| anchors.with_alone([&source, &target], one, two))
        .map_err(exception)?;
    let facts = known.facts(source.node_count(), target.node_count())?;
    let similarity = match &node_similarity {
        Some(array) => Some(Arc::new(arrays::matrix(array)?.into())),
        None => None,
    };
    let points = match &points {
        Some((source, target)) => Some((arrays::matrix(source)?, arrays::matrix(target)?)),
        None => None,
    };
    let settings = options::settings(settings)?;
    options::check_solver(&settings)?;
    let matcher = registry::configured(preset, &settings).map_err(exception)?;
    let matching = run(py, &limits, move |monitor| {
        let task = Task::new(&source, &target, &anchors)?;
        let task = facts.added_to(task)?;
        let task = match similarity {
            Some(similarity) => task.with_similarity(similarity)?,
            None => task,
        };
        let task = match points {
            Some((source, target)) => task.with_points(Arc::new(source), Arc::new(target))?,
            None => task,
        };
        matcher.run(&task, monitor)
    })?;
    record(py, matching)
}

/// All matchers: name, what it does, parameters with their defaults, facts that it makes use of.
#[pyfunction]
pub(crate) fn matchers(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    let list = PyList::empty(py);
    for matcher in registry::all() {
        let facts: Vec<&str> = matcher.facts().iter().map(|fact| fact.as_str()).collect();
        let parameters = options::dictionary(py, &matcher.parameters())?;
        list.append((matcher.name(), matcher.about(), parameters, facts))?;
    }
    Ok(list)
}

/// The nodes to ask a person for: source nodes and gains.
#[pyfunction]
pub(crate) fn suggest(
    py: Python<'_>,
    record: Record<'_>,
    count: usize,
    limits: Limits,
) -> PyResult<Vec<(usize, f64)>> {
    let matching = record.matching()?;
    let suggestions = run(py, &limits, move |_| Ok(matching.suggest(count)))?;
    Ok(suggestions.iter().map(|s| (s.source, s.gain)).collect())
}

/// A matching as plain values and arrays.
fn record(py: Python<'_>, matching: Matching) -> PyResult<Bound<'_, PyDict>> {
    let pairs = &matching.pairs;
    let result = PyDict::new(py);
    let indices = |nodes: &[usize]| arrays::index_array(py, nodes.iter().copied());
    let floats = |values: Vec<f64>| values.into_pyarray(py);
    result.set_item(
        "source",
        arrays::index_array(py, pairs.iter().map(|p| p.source)),
    )?;
    result.set_item(
        "target",
        arrays::index_array(py, pairs.iter().map(|p| p.target)),
    )?;
    result.set_item(
        "confidence",
        floats(pairs.iter().map(|p| p.confidence).collect()),
    )?;
    let anchor: Vec<bool> = pairs.iter().map(|p| p.anchor).collect();
    result.set_item("anchor", anchor.into_pyarray(py))?;
    result.set_item("unmatched_source", indices(&matching.unmatched_source))?;
    result.set_item("unmatched_target", indices(&matching.unmatched_target))?;
    result.set_item("objective", matching.objective)?;
    result.set_item("measure", matching.measure.as_str())?;
    result.set_item("status", matching.status.as_str())?;
    result.set_item("iterations", matching.iterations)?;
    let notes: Vec<String> = matching
        .notes
        .iter()
        .map(|note| note.worded(WORDS))
        .collect();
    result.set_item("notes", notes)?;
    model::record(&result, &matching)?;
    result.set_item("parameters", matching.parameters)?;
    result.set_item("timings", matching.timings)?;
    let diagnostics = PyDict::new(py);
    let curves = matching.diagnostics;
    for (name, curve) in [
        ("source_eigenvalues", curves.source_eigenvalues),
        ("target_eigenvalues", curves.target_eigenvalues),
        ("convergence", curves.convergence),
        ("learner_violations", curves.learner_violations),
    ] {
        diagnostics.set_item(name, floats(curve))?;
    }
    result.set_item("diagnostics", diagnostics)?;
    let (nodes, samples) = (&matching.samples.nodes, &matching.samples.partners);
    let partner = |partner: Option<usize>| partner.map_or(-1, |a| a as i64);
    let partners: Vec<i64> = samples.iter().flatten().map(partner).collect();
    result.set_item("sample_nodes", indices(nodes))?;
    result.set_item("sample_partners", partners.into_pyarray(py))?;
    let checks = matching.anchor_report.iter();
    let checks: Vec<_> = checks
        .map(|c| {
            (
                c.source,
                c.target,
                c.score,
                c.suspicion,
                c.preferred,
                c.demoted,
            )
        })
        .collect();
    result.set_item("anchor_report", checks)?;
    Ok(result)
}

/// A matching that Python hands back.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Record<'py> {
    source: PyReadonlyArray1<'py, i64>,
    target: PyReadonlyArray1<'py, i64>,
    confidence: PyReadonlyArray1<'py, f64>,
    anchor: PyReadonlyArray1<'py, bool>,
    unmatched_source: PyReadonlyArray1<'py, i64>,
    unmatched_target: PyReadonlyArray1<'py, i64>,
    objective: f64,
    measure: String,
    status: String,
    iterations: usize,
    notes: Vec<String>,
    parameters: Vec<(String, String)>,
    timings: Vec<(String, f64)>,
    models: Vec<model::Model<'py>>,
    sketch: Option<model::Drawn<'py>>,
    alternatives: Option<model::Listed<'py>>,
    alone: PyReadonlyArray1<'py, f64>,
    beyond_chance: Option<f64>,
    partners: Option<f64>,
    alike: Vec<Vec<u32>>,
    diagnostics: Curves,
    sample_nodes: PyReadonlyArray1<'py, i64>,
    sample_partners: PyReadonlyArray1<'py, i64>,
}

#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct Curves {
    source_eigenvalues: Vec<f64>,
    target_eigenvalues: Vec<f64>,
    convergence: Vec<f64>,
    learner_violations: Vec<f64>,
}

impl Record<'_> {
    /// The matching of the library.
    pub(crate) fn matching(&self) -> PyResult<Matching> {
        let (sources, targets) = (
            arrays::indices(&self.source, "source")?,
            arrays::indices(&self.target, "target")?,
        );
        let confidences = self.confidence.as_array();
        let anchors = self.anchor.as_array();
        let lengths = [targets.len(), confidences.len(), anchors.len()];
        if lengths.iter().any(|&length| length != sources.len()) {
            return Err(PyValueError::new_err(
                "pairs: expected columns of one length",
            ));
        }
        let pairs = (0..sources.len()).map(|k| Pair {
            source: sources[k],
            target: targets[k],
            confidence: confidences[k],
            anchor: anchors[k],
        });
        let unmatched_target = arrays::indices(&self.unmatched_target, "unmatched_target")?;
        let nodes_of_target = targets.len() + unmatched_target.len();
        let nodes = arrays::indices(&self.sample_nodes, "sample_nodes")?;
        let partners = self.sample_partners.as_array();
        let partner = |&p: &i64| u32::try_from(p).ok().map(|a| a as usize);
        let partners: Vec<Option<usize>> = partners.iter().map(partner).collect();
        Ok(Matching {
            pairs: pairs.collect(),
            unmatched_source: arrays::indices(&self.unmatched_source, "unmatched_source")?,
            unmatched_target,
            objective: self.objective,
            measure: Measure::from_name(&self.measure).unwrap_or_default(),
            status: match self.status.as_str() {
                "iteration_limit" => Status::IterationLimit,
                "time_limit" => Status::TimeLimit,
                "cancelled" => Status::Cancelled,
                _ => Status::Converged,
            },
            iterations: self.iterations,
            notes: self.notes.iter().cloned().map(Note::from).collect(),
            parameters: self.parameters.clone(),
            timings: self.timings.clone(),
            diagnostics: Diagnostics {
                source_eigenvalues: self.diagnostics.source_eigenvalues.clone(),
                target_eigenvalues: self.diagnostics.target_eigenvalues.clone(),
                convergence: self.diagnostics.convergence.clone(),
                learner_violations: self.diagnostics.learner_violations.clone(),
            },
            model: model::families(&self.models, self.sketch.as_ref())?,
            alternatives: match &self.alternatives {
                Some(listed) => {
                    let alone = self.alone.as_array().to_vec();
                    Some(model::alternatives(listed)?.with_alone(alone))
                }
                None => None,
            },
            trust: model::trust(
                nodes_of_target,
                self.beyond_chance,
                self.partners,
                &self.alike,
            )?,
            samples: Samples {
                partners: match nodes.len() {
                    0 => Vec::new(),
                    width => partners.chunks_exact(width).map(Assignment::from).collect(),
                },
                nodes,
            },
            anchor_report: Vec::new(),
        })
    }
}
