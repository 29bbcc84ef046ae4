//! Solvers by name, with options by name.
//!
//! The options of a solver are its parameters in the library; here they only change their form.

use anchormatch::settings::Settings;
use anchormatch::solver::{Solver, registry};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};
use serde_json::{Number, Value};

use crate::failure::exception;

/// The solver called `name` with options from a dictionary.
pub(crate) fn solver(name: &str, options: Option<&Bound<'_, PyDict>>) -> PyResult<Box<dyn Solver>> {
    let settings = match options {
        Some(given) => settings(given)?,
        None => Settings::new(),
    };
    registry::configured(name, &settings).map_err(exception)
}

/// Refuses a solver among the settings of a matcher by the name of its own option.
pub(crate) fn check_solver(settings: &Settings) -> PyResult<()> {
    let Some(Value::Object(solver)) = settings.get("solver") else {
        return Ok(());
    };
    let mut options = solver.clone();
    match options.remove("name") {
        Some(Value::String(name)) => {
            registry::configured(&name, &options).map_err(exception)?;
            Ok(())
        }
        _ => Ok(()),
    }
}

/// All solvers: name, kind, reference, complexity, what they accept, what they make of listed candidates,
/// and options with their defaults.
#[pyfunction]
pub(crate) fn solvers(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    let list = PyList::empty(py);
    for solver in registry::all() {
        let info = solver.info();
        let kind = format!("{:?}", info.kind).to_lowercase();
        list.append((
            info.name,
            kind,
            info.reference,
            info.complexity,
            info.accepts,
            format!("{:?}", info.candidates).to_lowercase(),
            dictionary(py, &solver.parameters())?,
        ))?;
    }
    Ok(list)
}

/// What a dictionary sets.
pub(crate) fn settings(given: &Bound<'_, PyDict>) -> PyResult<Settings> {
    let mut settings = Settings::new();
    for (key, value) in given {
        let name: String = key.extract()?;
        let value = read(&name, &value, DEEPEST)?;
        settings.insert(name, value);
    }
    Ok(settings)
}

/// The most values that one list of an option holds: a matrix, or an endless generator, is none.
const LONGEST: usize = 1000;

/// Lists and dictionaries in one another, at most: one that holds itself has no end.
const DEEPEST: usize = 8;

/// A value of the option `name` as JSON has it, with `deepest` levels of lists at most.
fn read(name: &str, value: &Bound<'_, PyAny>, deepest: usize) -> PyResult<Value> {
    if value.is_none() {
        return Ok(Value::Null);
    }
    if let Ok(value) = value.extract::<bool>() {
        return Ok(value.into());
    }
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(text.to_string().into());
    }
    if let Ok(value) = value.extract::<i64>() {
        return Ok(value.into());
    }
    if let Ok(value) = value.extract::<u64>() {
        return Ok(value.into());
    }
    let found = || value.repr().map_or_else(|_| "?".into(), |r| r.to_string());
    if let Ok(number) = value.extract::<f64>() {
        return match Number::from_f64(number) {
            Some(number) => Ok(number.into()),
            None => Err(PyValueError::new_err(format!(
                "{name}: found {}, expected a finite number",
                found()
            ))),
        };
    }
    let Some(deeper) = deepest.checked_sub(1) else {
        return Err(PyValueError::new_err(format!(
            "{name}: found more than {DEEPEST} lists in one another"
        )));
    };
    if let Ok(map) = value.cast::<PyDict>() {
        let mut entries = Settings::new();
        for (key, value) in map {
            let key: String = key.extract()?;
            let value = read(&key, &value, deeper)?;
            entries.insert(key, value);
        }
        return Ok(entries.into());
    }
    match value.try_iter() {
        Ok(items) => {
            let mut values = Vec::new();
            for item in items {
                if values.len() == LONGEST {
                    return Err(PyValueError::new_err(format!(
                        "{name}: found more than {LONGEST} values"
                    )));
                }
                values.push(read(name, &item?, deeper)?);
            }
            Ok(values.into())
        }
        Err(_) => Err(PyTypeError::new_err(format!(
            "{name}: found {}, expected a number, a string, True, False or None, or several of them",
            found()
        ))),
    }
}

/// Settings as Python has them.
pub(crate) fn dictionary<'py>(
    py: Python<'py>,
    settings: &Settings,
) -> PyResult<Bound<'py, PyDict>> {
    let result = PyDict::new(py);
    for (name, value) in settings {
        result.set_item(name, shown(py, value)?)?;
    }
    Ok(result)
}

/// A value as Python has it; lists become tuples.
fn shown<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    match value {
        Value::Null => Ok(py.None().into_bound(py)),
        Value::Bool(value) => value.into_bound_py_any(py),
        Value::Number(number) => match number.as_u64() {
            Some(number) => number.into_bound_py_any(py),
            None => match number.as_i64() {
                Some(number) => number.into_bound_py_any(py),
                None => number.as_f64().into_bound_py_any(py),
            },
        },
        Value::String(text) => text.into_bound_py_any(py),
        Value::Array(items) => {
            let items: Vec<_> = items
                .iter()
                .map(|item| shown(py, item))
                .collect::<PyResult<_>>()?;
            Ok(PyTuple::new(py, items)?.into_any())
        }
        Value::Object(map) => Ok(dictionary(py, map)?.into_any()),
    }
}
