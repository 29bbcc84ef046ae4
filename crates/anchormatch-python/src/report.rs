//! Pages and pictures of a matching.

use std::sync::Arc;

use anchormatch_report::{Drawn, Image, Report, Run, Side};
use numpy::{IntoPyArray, PyArray2, PyArrayMethods, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays;
use crate::failure::exception;
use crate::graph::Graph;
use crate::matching::Record;
use crate::worker::run_borrowing;

/// One graph of a picture: name, graph, positions, whether these are points, and the image under them, a
/// file's name and bytes.
type SideInput<'py> = (
    String,
    PyRef<'py, Graph>,
    Option<PyReadonlyArray2<'py, f64>>,
    bool,
    Option<(String, Vec<u8>)>,
);

/// The page as a string.
#[pyfunction]
pub(crate) fn report(
    py: Python<'_>,
    title: String,
    run_name: String,
    sides: (SideInput<'_>, SideInput<'_>),
    record: Record<'_>,
    truth: Option<Vec<(usize, usize)>>,
    around: Vec<usize>,
) -> PyResult<String> {
    let matching = record.matching()?;
    with_report(&sides, |source, target| {
        let report = Report {
            title,
            source,
            target,
            runs: vec![Run {
                name: run_name,
                matching: &matching,
                score: None,
            }],
            truth: truth.as_deref(),
            command: None,
            around,
        };
        py.detach(|| report.html()).map_err(exception)
    })
}

/// Where the report draws both graphs: for each side places (n×2, y downwards), edges (k×2), and left, top, width
/// and height of the image.
#[pyfunction]
pub(crate) fn drawing<'py>(
    py: Python<'py>,
    sides: (SideInput<'_>, SideInput<'_>),
    record: Record<'_>,
) -> PyResult<Bound<'py, PyDict>> {
    let matching = record.matching()?;
    let drawn = with_report(&sides, |source, target| {
        let report = Report {
            title: String::new(),
            source,
            target,
            runs: vec![Run {
                name: String::new(),
                matching: &matching,
                score: None,
            }],
            truth: None,
            command: None,
            around: Vec::new(),
        };
        run_borrowing(py, false, None, |monitor, _| report.drawing(monitor))
    })?;
    let result = PyDict::new(py);
    for (name, side) in ["source", "target"].into_iter().zip(drawn) {
        result.set_item(name, panel(py, side)?)?;
    }
    Ok(result)
}

fn with_report<T>(
    sides: &(SideInput<'_>, SideInput<'_>),
    then: impl FnOnce(Side<'_>, Side<'_>) -> PyResult<T>,
) -> PyResult<T> {
    let positions = |side: &SideInput<'_>| side.2.as_ref().map(arrays::matrix).transpose();
    let positions = [positions(&sides.0)?, positions(&sides.1)?];
    let image = |side: &SideInput<'_>| match &side.4 {
        Some((name, bytes)) => Image::new(name, bytes.clone()).map(Some),
        None => Ok(None),
    };
    let images = [
        image(&sides.0).map_err(exception)?,
        image(&sides.1).map_err(exception)?,
    ];
    let points = [sides.0.3, sides.1.3];
    // The graphs themselves: references into Python's objects stay on this thread.
    let graphs = [&sides.0.1, &sides.1.1].map(|graph| Arc::clone(&graph.inner));
    let side = |k: usize, name: &str| Side {
        name: name.to_owned(),
        graph: &graphs[k],
        positions: positions[k].as_ref(),
        wireframe: None,
        points: points[k],
        image: images[k].as_ref(),
    };
    then(side(0, &sides.0.0), side(1, &sides.1.0))
}

type Panel<'py> = (
    Bound<'py, PyArray2<f64>>,
    Bound<'py, PyArray2<i64>>,
    Option<[f64; 4]>,
);

fn panel(py: Python<'_>, side: Drawn) -> PyResult<Panel<'_>> {
    let places: Vec<f64> = side.places.iter().flatten().copied().collect();
    let ends = side.edges.iter().flat_map(|&(u, v)| [u as i64, v as i64]);
    let ends: Vec<i64> = ends.collect();
    Ok((
        places.into_pyarray(py).reshape([side.places.len(), 2])?,
        ends.into_pyarray(py).reshape([side.edges.len(), 2])?,
        side.image,
    ))
}
