//! Signatures, heat kernels, linear assignment and balancing, on arrays.

use std::sync::Arc;

use anchormatch::assignment::{LinearAssignment, LinearSolver, Sinkhorn};
use anchormatch::error::Hint;
use anchormatch::spectral::{self, SignatureKind, Spectrum, diffusion_time, heat_columns};
use anchormatch::{Error, Result};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::arrays;
use crate::failure::exception;
use crate::graph::Graph;
use crate::worker::{Limits, bytes, reserve, run};

/// The largest error of an entry of heat columns.
const COLUMN_TOLERANCE: f64 = 1e-10;

/// Matrices with fewer entries are assigned at once, from the caller's memory.
const SMALL: usize = 250_000;

/// A signature and the values of t of its columns.
#[pyfunction]
#[allow(clippy::type_complexity, reason = "two arrays")]
pub(crate) fn signature<'py>(
    py: Python<'py>,
    graph: &Graph,
    kind: String,
    times: Option<Vec<f64>>,
    count: usize,
    anchors: Vec<usize>,
    limits: Limits,
) -> PyResult<(Bound<'py, PyArray2<f64>>, Bound<'py, PyArray1<f64>>)> {
    let graph = Arc::clone(&graph.inner);
    let columns = times.as_ref().map_or(count, Vec::len);
    let needed = bytes(&[graph.node_count(), columns, anchors.len().max(1)]);
    let (values, times) = run(py, &limits, move |monitor| {
        monitor.reserve(
            "the signature",
            needed,
            &[Hint::MoreMemory, Hint::FewerColumns],
        )?;
        let kind: SignatureKind = kind.parse()?;
        kind.signature(&graph, times, count, &anchors, &monitor.holding(needed))
    })?;
    Ok((arrays::array(py, values)?, times.into_pyarray(py)))
}

/// k_t between all nodes, or from the nodes `columns` to all.
#[pyfunction]
pub(crate) fn heat_kernel<'py>(
    py: Python<'py>,
    graph: &Graph,
    time: Option<f64>,
    tau: f64,
    columns: Option<Vec<usize>>,
    limits: Limits,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let graph = Arc::clone(&graph.inner);
    let kernel = run(py, &limits, move |monitor| {
        let time = match time {
            Some(time) if time >= 0.0 && time.is_finite() => time,
            Some(time) => return Err(Error::parameter("time", time, "a finite number, 0 or more")),
            None => diffusion_time(&graph, tau)?,
        };
        if let Some(columns) = columns {
            let blocks = heat_columns(&graph, &[time], &columns, COLUMN_TOLERANCE, monitor)?;
            let block = blocks.into_iter().next();
            return Ok(block.expect("one matrix for one time"));
        }
        let n = graph.node_count();
        let spectrum = Spectrum::of(&graph, monitor)?;
        monitor.holding(bytes(&[n, n])).reserve(
            "the heat kernel",
            bytes(&[n, n, 2]),
            &[Hint::MoreMemory, Hint::FewerColumns],
        )?;
        Ok(spectral::heat_kernel(&spectrum, time))
    })?;
    arrays::array(py, kernel)
}

type Assigned<'py> = (
    Bound<'py, PyArray1<i64>>,
    f64,
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<f64>>,
);

/// The best assignment: column of each row, value, duals of rows and columns.
#[pyfunction]
pub(crate) fn linear_assignment<'py>(
    py: Python<'py>,
    costs: PyReadonlyArray2<'py, f64>,
    maximize: bool,
    limits: Limits,
) -> PyResult<Assigned<'py>> {
    let (rows, cols) = (costs.shape()[0], costs.shape()[1]);
    let best = match arrays::rows_in_memory(&costs) {
        Some(entries) if entries.len() <= SMALL => py
            .detach(|| assign(entries, rows, cols, maximize))
            .map_err(exception)?,
        _ => {
            reserve(
                &limits.memory(),
                "the costs",
                bytes(&[rows, cols]),
                &[Hint::MoreMemory],
            )?;
            let costs = arrays::matrix(&costs)?;
            run(py, &limits, move |_| {
                assign(costs.as_slice(), rows, cols, maximize)
            })?
        }
    };
    Ok((
        arrays::partner_array(py, &best.columns),
        best.value,
        best.row_duals.into_pyarray(py),
        best.column_duals.into_pyarray(py),
    ))
}

fn assign(entries: &[f64], rows: usize, cols: usize, maximize: bool) -> Result<LinearAssignment> {
    let mut best = LinearAssignment::default();
    let mut solver = LinearSolver::new();
    if maximize {
        solver.maximise_slice(entries, rows, cols, &mut best)?;
    } else {
        solver.minimise_slice(entries, rows, cols, &mut best)?;
    }
    Ok(best)
}

/// The balanced matrix, the sweeps made and the error left.
#[pyfunction]
pub(crate) fn sinkhorn<'py>(
    py: Python<'py>,
    matrix: PyReadonlyArray2<'py, f64>,
    tolerance: f64,
    max_sweeps: usize,
    limits: Limits,
) -> PyResult<(Bound<'py, PyArray2<f64>>, usize, f64)> {
    if !(tolerance >= 0.0 && tolerance.is_finite()) {
        return Err(PyValueError::new_err(format!(
            "tolerance: found {tolerance}, expected a finite number, 0 or more"
        )));
    }
    let (rows, cols) = (matrix.shape()[0], matrix.shape()[1]);
    reserve(
        &limits.memory(),
        "the balanced matrix",
        bytes(&[rows, cols]),
        &[Hint::MoreMemory],
    )?;
    if let Some(value) = matrix
        .as_array()
        .iter()
        .find(|v| !(v.is_finite() && **v > 0.0))
    {
        return Err(PyValueError::new_err(format!(
            "matrix: found {value}, expected finite numbers above 0; for scores of any sign balance \
             numpy.exp(scores - scores.max())"
        )));
    }
    let mut balanced = arrays::matrix(&matrix)?;
    let (balanced, balance) = run(py, &limits, move |_| {
        let entries = balanced.as_mut_slice();
        let balance = Sinkhorn::new().balance(entries, rows, cols, tolerance, max_sweeps);
        if balanced.as_slice().iter().all(|v| v.is_finite()) {
            Ok((balanced, balance))
        } else {
            Err(Error::parameter(
                "matrix",
                "entries too far apart to be balanced",
                "ratios within the range of floating-point numbers",
            ))
        }
    })?;
    Ok((arrays::array(py, balanced)?, balance.sweeps, balance.error))
}
