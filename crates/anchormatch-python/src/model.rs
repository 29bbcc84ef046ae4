//! What a match of points knows beside its pairs, as plain values and back: the map between the sets, what it
//! looks like, and who else a partner could be.

use anchormatch::Matching;
use anchormatch::matching::{Alternatives, Trust};
use anchormatch::points::{Family, FittedFamily, Grid, Sketch};
use anchormatch::symmetry::Orbits;
use numpy::{IntoPyArray, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::arrays;

/// Adds `models`, `sketch`, `alternatives` and how far it is to be trusted to a result.
pub(crate) fn record(result: &Bound<'_, PyDict>, matching: &Matching) -> PyResult<()> {
    let py = result.py();
    let models = PyList::empty(py);
    for family in &matching.model {
        let model = PyDict::new(py);
        model.set_item("family", family.family.as_str())?;
        model.set_item("probability", family.probability)?;
        model.set_item("transform", arrays::array(py, family.transform.clone())?)?;
        model.set_item("covariance", arrays::array(py, family.covariance.clone())?)?;
        model.set_item("pairs", family.pairs)?;
        models.append(model)?;
    }
    result.set_item("models", models)?;
    let sketch = matching.model.first().and_then(|best| best.sketch.as_ref());
    result.set_item("sketch", sketch.map(|s| drawn(py, s)).transpose()?)?;
    let alternatives = matching.alternatives.as_ref().map(|alternatives| {
        let lengths = (0..alternatives.nodes()).map(|i| alternatives.of(i).len());
        let entries = || alternatives.iter().map(|(_, entry)| entry);
        let probabilities: Vec<f64> = entries().map(|entry| entry.probability).collect();
        (
            arrays::index_array(py, lengths),
            arrays::index_array(py, entries().map(|entry| entry.target)),
            probabilities.into_pyarray(py),
        )
    });
    result.set_item("alternatives", alternatives)?;
    let alone = |all: &Alternatives| (0..all.nodes()).map(|i| all.alone(i)).collect::<Vec<f64>>();
    let alone = matching.alternatives.as_ref().map(alone);
    result.set_item("alone", alone.unwrap_or_default().into_pyarray(py))?;
    result.set_item("beyond_chance", matching.trust.beyond_chance)?;
    result.set_item("partners", matching.trust.partners)?;
    result.set_item("alike", matching.trust.orbits[1].groups().to_vec())
}

/// What the library knows of a matching as a whole, of so many target nodes.
pub(crate) fn trust(
    nodes: usize,
    beyond_chance: Option<f64>,
    partners: Option<f64>,
    alike: &[Vec<u32>],
) -> PyResult<Trust> {
    if alike.iter().flatten().any(|&node| node as usize >= nodes) {
        return Err(PyValueError::new_err("alike: expected nodes of the target"));
    }
    Ok(Trust {
        beyond_chance,
        partners,
        orbits: [Orbits::default(), Orbits::new(nodes, alike.to_vec())],
    })
}

fn drawn<'py>(py: Python<'py>, sketch: &Sketch) -> PyResult<Bound<'py, PyDict>> {
    let result = PyDict::new(py);
    let table = |matrix: &anchormatch::linalg::Matrix| arrays::array(py, matrix.clone());
    result.set_item("expected", table(&sketch.expected)?)?;
    result.set_item("covariances", table(&sketch.covariances)?)?;
    let directions = sketch.directions.as_ref().map(table).transpose()?;
    result.set_item("directions", directions)?;
    let grid = match &sketch.grid {
        Some(grid) => Some((grid.steps, table(&grid.source)?, table(&grid.target)?)),
        None => None,
    };
    result.set_item("grid", grid)?;
    Ok(result)
}

/// A family that Python hands back.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Model<'py> {
    family: String,
    probability: f64,
    transform: PyReadonlyArray2<'py, f64>,
    covariance: PyReadonlyArray2<'py, f64>,
    pairs: f64,
}

/// What its map looks like.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Drawn<'py> {
    expected: PyReadonlyArray2<'py, f64>,
    covariances: PyReadonlyArray2<'py, f64>,
    directions: Option<PyReadonlyArray2<'py, f64>>,
    grid: Option<(
        usize,
        PyReadonlyArray2<'py, f64>,
        PyReadonlyArray2<'py, f64>,
    )>,
}

/// Lengths of the lists of all source nodes, and the lists one after the other: targets, probabilities.
pub(crate) type Listed<'py> = (
    PyReadonlyArray1<'py, i64>,
    PyReadonlyArray1<'py, i64>,
    PyReadonlyArray1<'py, f64>,
);

/// The families of the library, the sketch being that of the first.
pub(crate) fn families(
    models: &[Model<'_>],
    sketch: Option<&Drawn<'_>>,
) -> PyResult<Vec<FittedFamily>> {
    let family = |model: &Model<'_>| {
        let family = Family::from_name(&model.family).ok_or_else(|| {
            let message = format!(
                "models: found the family {:?}, which is unknown",
                model.family
            );
            PyValueError::new_err(message)
        })?;
        Ok(FittedFamily::new(
            family,
            model.probability,
            arrays::matrix(&model.transform)?,
            arrays::matrix(&model.covariance)?,
            model.pairs,
        ))
    };
    let mut families = models.iter().map(family).collect::<PyResult<Vec<_>>>()?;
    if let (Some(best), Some(sketch)) = (families.first_mut(), sketch) {
        let grid = match &sketch.grid {
            Some((steps, source, target)) => Some(Grid {
                steps: *steps,
                source: arrays::matrix(source)?,
                target: arrays::matrix(target)?,
            }),
            None => None,
        };
        best.sketch = Some(Sketch {
            expected: arrays::matrix(&sketch.expected)?,
            covariances: arrays::matrix(&sketch.covariances)?,
            directions: sketch.directions.as_ref().map(arrays::matrix).transpose()?,
            grid,
        });
    }
    Ok(families)
}

/// The alternatives of the library.
pub(crate) fn alternatives(listed: &Listed<'_>) -> PyResult<Alternatives> {
    let lengths = arrays::indices(&listed.0, "alternatives")?;
    let targets = arrays::indices(&listed.1, "alternatives")?;
    let probabilities = listed.2.as_array();
    let total = lengths
        .iter()
        .try_fold(0usize, |sum, &k| sum.checked_add(k));
    if total != Some(targets.len()) || targets.len() != probabilities.len() {
        return Err(PyValueError::new_err(
            "alternatives: expected lists of the lengths that are named",
        ));
    }
    let mut entries = targets.into_iter().zip(probabilities.iter().copied());
    let lists = lengths.into_iter();
    Ok(Alternatives::of_most(
        usize::MAX,
        lists.map(|length| entries.by_ref().take(length).collect::<Vec<_>>()),
    ))
}
