//! Matching two graphs, and what can be asked of a result.
//!
//! A result travels as a dictionary of arrays, which Python keeps and can pickle; [`Record`] reads it
//! back for what the library does with a matching afterwards.

use std::sync::Arc;

use anchormatch::affinity::proximity::Mode;
use anchormatch::anchors::Anchor;
use anchormatch::matcher::{Best, Effort, Paper, Terms};
use anchormatch::matching::{Diagnostics, Pair, Samples};
use anchormatch::problem::Problem;
use anchormatch::solver::{Info, Rrwm, Solution, Solver, Start, Status};
use anchormatch::{Anchors, Matching, Monitor};
use numpy::{IntoPyArray, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde::{Deserialize, Serialize};

use crate::failure::{exception, in_python};
use crate::graph::Graph;
use crate::worker::{Limits, run, unexpected};
use crate::{arrays, options};

/// What to do, from a dictionary with these keys.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Settings<'py> {
    preset: String,
    solver: Option<String>,
    solver_options: Option<Bound<'py, PyDict>>,
    node_similarity: Option<PyReadonlyArray2<'py, f64>>,
    allow_unmatched: bool,
    repair_anchors: bool,
    seed: u64,
    terms: Option<String>,
    tau: Option<f64>,
    width: Option<f64>,
    eigenvectors: Option<usize>,
    c_b: Option<f64>,
    c_ap: Option<f64>,
    learner: Option<String>,
    learner_c: Option<f64>,
}

/// A preset, ready to run.
enum Method {
    Best(Box<Best>),
    Paper(Box<Paper>),
}

/// Anchors: source nodes, target nodes, weights.
type AnchorArrays<'py> = (
    PyReadonlyArray1<'py, i64>,
    PyReadonlyArray1<'py, i64>,
    PyReadonlyArray1<'py, f64>,
);

/// Matches two graphs; the result is a dictionary of plain values and arrays.
#[pyfunction]
pub(crate) fn match_graphs<'py>(
    py: Python<'py>,
    source: &Graph,
    target: &Graph,
    anchors: AnchorArrays<'py>,
    settings: Settings<'py>,
    limits: Limits,
) -> PyResult<Bound<'py, PyDict>> {
    let (source, target) = (Arc::clone(&source.inner), Arc::clone(&target.inner));
    let sources = arrays::indices(&anchors.0, "anchors")?;
    let targets = arrays::indices(&anchors.1, "anchors")?;
    let weights = anchors.2.as_array();
    let listed = sources.iter().zip(&targets).zip(weights);
    let listed = listed.map(|((&source, &target), &weight)| Anchor {
        source,
        target,
        weight,
    });
    let anchors = Anchors::new(&source, &target, listed).map_err(exception)?;
    let method = settings.method()?;
    let matching = run(py, &limits, move |monitor| match method {
        Method::Best(best) => best.run(&source, &target, &anchors, monitor),
        Method::Paper(paper) => paper.run(&source, &target, &anchors, monitor),
    })?;
    record(py, matching)
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

impl Settings<'_> {
    fn method(&self) -> PyResult<Method> {
        let solver = match &self.solver {
            Some(name) => Some(options::solver(name, self.solver_options.as_ref())?),
            None => None,
        };
        match self.preset.as_str() {
            "best" | "fast" => Ok(Method::Best(Box::new(Best {
                effort: match self.preset.as_str() {
                    "fast" => Effort::Fast,
                    _ => Effort::Best,
                },
                allow_unmatched: self.allow_unmatched,
                repair_anchors: self.repair_anchors,
                node_similarity: self
                    .node_similarity
                    .as_ref()
                    .map(|array| arrays::matrix(array).map(Arc::new))
                    .transpose()?,
                solver: solver.map(Arc::from),
                seed: self.seed,
                ..Best::default()
            }))),
            "paper" => {
                let inner = solver.unwrap_or_else(|| Box::new(Rrwm::default()));
                let seed = self.seed;
                let paper = Paper {
                    solver: Arc::new(Seeded { inner, seed }),
                    ..self.paper().map_err(exception)?
                };
                Ok(Method::Paper(Box::new(paper)))
            }
            other => Err(exception(unexpected(
                "preset",
                other,
                "best, fast or paper",
            ))),
        }
    }

    fn paper(&self) -> anchormatch::Result<Paper> {
        let terms = match &self.terms {
            Some(terms) => terms.parse()?,
            None => Terms::default(),
        };
        let mut paper = Paper::with_terms(terms);
        let set = |slot: &mut f64, value: Option<f64>| *slot = value.unwrap_or(*slot);
        set(&mut paper.tau, self.tau);
        set(&mut paper.width, self.width);
        set(&mut paper.proximity_weight, self.c_b);
        set(&mut paper.anchor_weight, self.c_ap);
        set(&mut paper.learner.c, self.learner_c);
        paper.eigenvectors = self.eigenvectors.unwrap_or(paper.eigenvectors);
        paper.learner.mode = match self.learner.as_deref() {
            None => paper.learner.mode,
            Some("projected") => Mode::Projected,
            Some("exact") => Mode::Exact,
            Some(other) => return Err(unexpected("learner", other, "projected or exact")),
        };
        Ok(paper)
    }
}

/// A solver that starts from a seed; the preset `paper` has none of its own.
#[derive(Serialize, Deserialize)]
struct Seeded {
    inner: Box<dyn Solver>,
    seed: u64,
}

impl Solver for Seeded {
    fn info(&self) -> Info {
        self.inner.info()
    }

    fn accepts(&self, problem: &Problem) -> anchormatch::Result<()> {
        self.inner.accepts(problem)
    }

    fn solve_accepted(
        &self,
        problem: &Problem,
        start: &Start<'_>,
        monitor: &Monitor,
    ) -> anchormatch::Result<Solution> {
        let seeded = Start {
            seed: self.seed,
            ..*start
        };
        self.inner.solve(problem, &seeded, monitor)
    }
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
    result.set_item("status", matching.status.as_str())?;
    result.set_item("iterations", matching.iterations)?;
    let notes: Vec<String> = matching.notes.iter().map(|note| in_python(note)).collect();
    result.set_item("notes", notes)?;
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
    let partner = |partner: &Option<u32>| partner.map_or(-1, i64::from);
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
    status: String,
    iterations: usize,
    notes: Vec<String>,
    parameters: Vec<(String, String)>,
    timings: Vec<(String, f64)>,
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
        let nodes = arrays::indices(&self.sample_nodes, "sample_nodes")?;
        let partners = self.sample_partners.as_array();
        let partners: Vec<Option<u32>> = partners.iter().map(|&p| u32::try_from(p).ok()).collect();
        Ok(Matching {
            pairs: pairs.collect(),
            unmatched_source: arrays::indices(&self.unmatched_source, "unmatched_source")?,
            unmatched_target: arrays::indices(&self.unmatched_target, "unmatched_target")?,
            objective: self.objective,
            status: match self.status.as_str() {
                "iteration_limit" => Status::IterationLimit,
                "time_limit" => Status::TimeLimit,
                "cancelled" => Status::Cancelled,
                _ => Status::Converged,
            },
            iterations: self.iterations,
            notes: self.notes.clone(),
            parameters: self.parameters.clone(),
            timings: self.timings.clone(),
            diagnostics: Diagnostics {
                source_eigenvalues: self.diagnostics.source_eigenvalues.clone(),
                target_eigenvalues: self.diagnostics.target_eigenvalues.clone(),
                convergence: self.diagnostics.convergence.clone(),
                learner_violations: self.diagnostics.learner_violations.clone(),
            },
            samples: Samples {
                partners: match nodes.len() {
                    0 => Vec::new(),
                    width => partners.chunks_exact(width).map(<[_]>::to_vec).collect(),
                },
                nodes,
            },
            anchor_report: Vec::new(),
        })
    }
}
