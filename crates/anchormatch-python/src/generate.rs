//! Pairs of graphs whose matching is known.

use anchormatch::error::Hint;
use anchormatch::linalg::Matrix;
use anchormatch::{Error, Result};
use anchormatch_generate::house::{self as model, View};
use anchormatch_generate::{BlockModel, Instance, Synthetic};
use numpy::{IntoPyArray, PyArray2, PyArrayMethods, PyReadonlyArray2};
use pyo3::prelude::*;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::arrays;
use crate::worker::{Limits, bytes, run};

/// Two weight matrices, the truth, the points if there are any, and the names of the source nodes.
type Made<'py> = (
    Bound<'py, PyArray2<f64>>,
    Bound<'py, PyArray2<f64>>,
    Bound<'py, PyArray2<i64>>,
    Option<Bound<'py, PyArray2<f64>>>,
    Option<Bound<'py, PyArray2<f64>>>,
    Vec<String>,
);

/// Random graphs after Cho, Lee & Lee.
#[pyfunction]
#[allow(clippy::too_many_arguments, reason = "called from one place in Python")]
pub(crate) fn synthetic<'py>(
    py: Python<'py>,
    inliers: usize,
    source_outliers: usize,
    target_outliers: usize,
    density: f64,
    noise: f64,
    noisy_outliers: bool,
    seed: u64,
    limits: Limits,
) -> PyResult<Made<'py>> {
    let settings = Synthetic {
        inliers,
        source_outliers,
        target_outliers,
        density,
        noise,
        noisy_outliers,
    };
    let nodes = inliers.saturating_add(source_outliers.max(target_outliers));
    made(py, &limits, nodes, move || {
        anchormatch_generate::synthetic(&settings, seed)
    })
}

/// Correlated stochastic block models.
#[pyfunction]
pub(crate) fn block_model<'py>(
    py: Python<'py>,
    sizes: Vec<usize>,
    probabilities: PyReadonlyArray2<'py, f64>,
    correlation: f64,
    seed: u64,
    limits: Limits,
) -> PyResult<Made<'py>> {
    let nodes = sizes
        .iter()
        .fold(0usize, |sum, &size| sum.saturating_add(size));
    let settings = BlockModel {
        sizes,
        probabilities: arrays::matrix(&probabilities)?,
        correlation,
    };
    made(py, &limits, nodes, move || {
        anchormatch_generate::block_model(&settings, seed)
    })
}

/// Two views of a house; angles are (pan, tilt) in degrees.
#[pyfunction]
pub(crate) fn house<'py>(
    py: Python<'py>,
    from_view: (f64, f64),
    to_view: (f64, f64),
    jitter: f64,
    seed: u64,
    limits: Limits,
) -> PyResult<Made<'py>> {
    let view = |(pan_degrees, tilt_degrees)| View {
        pan_degrees,
        tilt_degrees,
    };
    made(py, &limits, 51, move || {
        model::pair(view(from_view), view(to_view), jitter, seed)
    })
}

/// Rows of the truth to serve as anchors, all different and uniformly drawn.
#[pyfunction]
pub(crate) fn random_anchors(pairs: usize, count: usize, seed: u64) -> PyResult<Vec<usize>> {
    if count > pairs {
        let expected = format!("at most {pairs}, the pairs of the truth");
        return Err(crate::failure::exception(Error::parameter(
            "anchors", count, expected,
        )));
    }
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    Ok(rand::seq::index::sample(&mut rng, pairs, count).into_vec())
}

fn made<'py>(
    py: Python<'py>,
    limits: &Limits,
    nodes: usize,
    make: impl FnOnce() -> Result<Instance> + Send + 'static,
) -> PyResult<Made<'py>> {
    let (instance, matrices) = run(py, limits, move |monitor| {
        monitor.reserve(
            "two weight matrices",
            bytes(&[nodes, nodes, 2]),
            &[Hint::MoreMemory, Hint::FewerNodes],
        )?;
        let instance = make()?;
        let matrices = [instance.source.adjacency(), instance.target.adjacency()];
        Ok((instance, matrices))
    })?;
    let [source, target] = matrices;
    let points = |matrix: Option<Matrix>| matrix.map(|m| arrays::array(py, m)).transpose();
    let names = instance
        .source
        .labels()
        .iter()
        .map(|name| name.into_owned());
    let truth: Vec<i64> = instance
        .truth
        .iter()
        .flat_map(|&(s, t)| [s as i64, t as i64])
        .collect();
    Ok((
        arrays::array(py, source)?,
        arrays::array(py, target)?,
        truth.into_pyarray(py).reshape([instance.truth.len(), 2])?,
        points(instance.source_positions)?,
        points(instance.target_positions)?,
        names.collect(),
    ))
}
