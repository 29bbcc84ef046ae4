//! Solvers by name, with options by name.
//!
//! The options of a solver are the public fields of its parameters, under the same names.

use anchormatch::solver::{
    Anneal, Discretisation, Faq, Gagm, Goat, Hgm, Ils, Ipfp, MeanField, Path, Portfolio, Rrwm, Sm,
    Smac, Solver, Spgm, Tabu, TwoOpt, Umeyama, registry,
};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::failure::exception;

/// A solver with the fields named as its options.
macro_rules! configured {
    ($options:expr, $solver:ident { $($field:ident),* $(,)? }) => {{
        let mut solver = $solver::default();
        $( $options.option(stringify!($field), &mut solver.$field)?; )*
        Box::new(solver)
    }};
}

/// The solver called `name` with the options given; all of its options come to lie in `defaults`.
fn configure(
    name: &str,
    given: Option<&Bound<'_, PyDict>>,
    defaults: &Bound<'_, PyDict>,
) -> PyResult<Box<dyn Solver>> {
    let options = Options { given, defaults };
    let solver: Box<dyn Solver> = match name {
        "rrwm" => configured!(
            options,
            Rrwm {
                walk,
                amplification,
                max_iterations,
                tolerance,
                sinkhorn_tolerance,
                sinkhorn_sweeps
            }
        ),
        "sm" => configured!(
            options,
            Sm {
                discretisation,
                shift,
                max_iterations,
                tolerance
            }
        ),
        "smac" => configured!(
            options,
            Smac {
                max_iterations,
                tolerance
            }
        ),
        "hgm" => configured!(
            options,
            Hgm {
                matches,
                max_iterations,
                tolerance
            }
        ),
        "ipfp" => configured!(
            options,
            Ipfp {
                linear_unary,
                max_iterations,
                tolerance
            }
        ),
        "gagm" => configured!(
            options,
            Gagm {
                first_beta,
                last_beta,
                growth,
                inner_iterations,
                tolerance,
                sinkhorn_tolerance,
                sinkhorn_sweeps,
            }
        ),
        "mean-field" => configured!(
            options,
            MeanField {
                first,
                last,
                steps,
                reaction,
                sinkhorn_tolerance,
                sinkhorn_sweeps
            }
        ),
        "spgm" => configured!(
            options,
            Spgm {
                step,
                max_iterations,
                tolerance,
                projection_sweeps,
                projection_tolerance
            }
        ),
        "faq" => configured!(
            options,
            Faq {
                restarts,
                max_iterations,
                tolerance
            }
        ),
        "goat" => configured!(
            options,
            Goat {
                restarts,
                max_iterations,
                tolerance,
                sharpness,
                centred,
                sinkhorn_tolerance,
                sinkhorn_sweeps,
            }
        ),
        "path" => configured!(
            options,
            Path {
                step,
                iterations_per_step,
                tolerance,
                max_iterations
            }
        ),
        "umeyama" => configured!(options, Umeyama { unary_weight }),
        "2opt" => configured!(
            options,
            TwoOpt {
                max_moves,
                first_improvement
            }
        ),
        "ils" => configured!(
            options,
            Ils {
                kicks,
                patience,
                use_all_time
            }
        ),
        "tabu" => configured!(
            options,
            Tabu {
                iterations,
                tenure,
                absence,
                use_all_time
            }
        ),
        "anneal" => configured!(
            options,
            Anneal {
                walks,
                rounds,
                sweeps,
                chains,
                samples,
                hot,
                cold,
                sampling,
                opening
            }
        ),
        "portfolio" => configured!(
            options,
            Portfolio {
                iterations,
                searches,
                elites,
                patience,
                agreement,
                use_all_time
            }
        ),
        // Unknown, or newer than this list: without options.
        _ => registry::by_name(name).map_err(exception)?,
    };
    options.check(name)?;
    Ok(solver)
}

/// The solver called `name` with options from a dictionary.
pub(crate) fn solver(
    py: Python<'_>,
    name: &str,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Box<dyn Solver>> {
    configure(name, options, &PyDict::new(py))
}

/// All solvers: name, kind, reference, complexity, what they accept, and options with their defaults.
#[pyfunction]
pub(crate) fn solvers(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    let list = PyList::empty(py);
    for solver in registry::all() {
        let info = solver.info();
        let defaults = PyDict::new(py);
        configure(info.name, None, &defaults)?;
        let kind = format!("{:?}", info.kind).to_lowercase();
        list.append((
            info.name,
            kind,
            info.reference,
            info.complexity,
            info.accepts,
            defaults,
        ))?;
    }
    Ok(list)
}

struct Options<'a, 'py> {
    given: Option<&'a Bound<'py, PyDict>>,
    defaults: &'a Bound<'py, PyDict>,
}

impl Options<'_, '_> {
    /// Notes the default, and sets `slot` when the option was given.
    fn option<T: Value>(&self, name: &str, slot: &mut T) -> PyResult<()> {
        let py = self.defaults.py();
        self.defaults.set_item(name, slot.show(py)?)?;
        let Some(given) = self.given else {
            return Ok(());
        };
        if let Some(value) = given.get_item(name)? {
            *slot = T::read(&value).map_err(|_| {
                let found = value.repr().map_or_else(|_| "?".into(), |r| r.to_string());
                PyTypeError::new_err(format!(
                    "option {name}: found {found}, expected {}",
                    T::EXPECTED
                ))
            })?;
        }
        Ok(())
    }

    /// Refuses options that the solver does not have.
    fn check(&self, solver: &str) -> PyResult<()> {
        let Some(given) = self.given else {
            return Ok(());
        };
        for name in given.keys() {
            if !self.defaults.contains(&name)? {
                let known: Vec<String> =
                    self.defaults.keys().iter().map(|k| k.to_string()).collect();
                return Err(PyTypeError::new_err(format!(
                    "solver {solver} has no option {name}; it has {}",
                    if known.is_empty() {
                        "none".to_owned()
                    } else {
                        known.join(", ")
                    }
                )));
            }
        }
        Ok(())
    }
}

/// The types that options have.
trait Value: Sized {
    /// What a caller may give, in words.
    const EXPECTED: &'static str;

    fn read(value: &Bound<'_, PyAny>) -> PyResult<Self>;

    fn show(&self, py: Python<'_>) -> PyResult<Py<PyAny>>;
}

macro_rules! plain_value {
    ($($type:ty: $expected:literal),* $(,)?) => {
        $(impl Value for $type {
            const EXPECTED: &'static str = $expected;

            fn read(value: &Bound<'_, PyAny>) -> PyResult<Self> {
                value.extract()
            }

            fn show(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
                (*self).into_py_any(py)
            }
        })*
    };
}

plain_value! {
    usize: "an integer, 0 or more",
    f64: "a number",
    bool: "True or False",
    Option<usize>: "an integer, 0 or more, or None",
    Option<f64>: "a number or None",
    (f64, f64): "two numbers",
}

impl Value for Discretisation {
    const EXPECTED: &'static str = "\"linear\" or \"greedy\"";

    fn read(value: &Bound<'_, PyAny>) -> PyResult<Self> {
        match value.extract::<String>()?.as_str() {
            "linear" => Ok(Self::Linear),
            "greedy" => Ok(Self::Greedy),
            _ => Err(PyValueError::new_err(Self::EXPECTED)),
        }
    }

    fn show(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        match self {
            Self::Linear => "linear",
            Self::Greedy => "greedy",
        }
        .into_py_any(py)
    }
}
