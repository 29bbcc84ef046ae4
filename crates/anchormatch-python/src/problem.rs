//! Quadratic programs from arrays and files, and their solution.

use std::path::PathBuf;
use std::sync::Arc;

use anchormatch::Assignment;
use anchormatch::error::Hint;
use anchormatch::linalg::Matrix;
use anchormatch::problem::{
    Coverage, ExplicitPairwise, ProductPairwise, SeededProduct, Sense, SparsePairwise,
};
use anchormatch::solver::Start;
use anchormatch_io::{ProblemOptions, read_problem_with};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::{self, Compressed, Rows, Square};
use crate::failure::exception;
use crate::options;
use crate::worker::{Limits, bytes, reserve, run};

/// What to do when a program does not fit.
const SMALLER: &[Hint] = &[Hint::MoreMemory, Hint::SmallerProblem];

/// A program, and the pairs that are fixed beforehand.
#[pyclass(frozen, module = "anchormatch._native")]
pub(crate) struct Problem {
    inner: Arc<Inner>,
    /// What the file calls it.
    #[pyo3(get)]
    name: Option<String>,
}

enum Inner {
    Whole(anchormatch::problem::Problem),
    Seeded(SeededProduct),
}

impl Inner {
    /// The program over what is free.
    fn problem(&self) -> &anchormatch::problem::Problem {
        match self {
            Self::Whole(problem) => problem,
            Self::Seeded(seeded) => &seeded.problem,
        }
    }
}

#[pymethods]
impl Problem {
    /// Σ A_ij B_{p(i) p(j)} + Σ linear[i, p(i)], with p(s) = t for every seed.
    #[staticmethod]
    fn product(
        py: Python<'_>,
        a: Square<'_>,
        b: Square<'_>,
        linear: Option<PyReadonlyArray2<'_, f64>>,
        seeds: Vec<(usize, usize)>,
        maximize: bool,
        limits: Limits,
    ) -> PyResult<Self> {
        let (a, b) = (a.rows("A")?, b.rows("B")?);
        let needed = bytes(&[a.len(), b.len(), 3]).saturating_add(16 * (a.stored() + b.stored()));
        reserve(&limits.memory(), "the quadratic program", needed, SMALLER)?;
        let shape = (a.len(), b.len());
        let linear = linear_part(linear.as_ref(), shape)?;
        py.detach(|| {
            let (a, b) = (a.weights(), b.weights());
            let sense = sense(maximize);
            if seeds.is_empty() {
                let problem = ProductPairwise::problem(sense, a, b, linear.as_ref())?;
                return Ok(Self::from(problem));
            }
            let folded =
                ProductPairwise::seeded_problem_with(sense, &a, &b, linear.as_ref(), &seeds)?;
            Ok(Self {
                inner: Arc::new(Inner::Seeded(folded)),
                name: None,
            })
        })
        .map_err(exception)
    }

    /// xᵀKx for a matrix K over all assignments of `shape`; assignment (i, a) has the row i·n₂ + a, or
    /// i + a·n₁ when the columns come first.
    #[staticmethod]
    fn explicit(
        py: Python<'_>,
        matrix: PyReadonlyArray2<'_, f64>,
        shape: (usize, usize),
        columns_first: bool,
        linear: Option<PyReadonlyArray2<'_, f64>>,
        maximize: bool,
        limits: Limits,
    ) -> PyResult<Self> {
        let size = shape.0.saturating_mul(shape.1);
        if matrix.shape() != [size, size] {
            return Err(PyValueError::new_err(format!(
                "K: found a {}×{} array, expected {size}×{size} for {}×{} assignments",
                matrix.shape()[0],
                matrix.shape()[1],
                shape.0,
                shape.1
            )));
        }
        reserve(
            &limits.memory(),
            "the affinity matrix",
            bytes(&[size, size]),
            SMALLER,
        )?;
        let linear = linear_part(linear.as_ref(), shape)?;
        let place = |p: usize| place(p, shape, columns_first);
        let view = matrix.as_array();
        let matrix = if columns_first {
            Matrix::from_fn(size, size, |p, q| view[(place(p), place(q))])
        } else {
            arrays::matrix(&matrix)?
        };
        py.detach(|| ExplicitPairwise::problem(sense(maximize), shape, matrix, linear.as_ref()))
            .map_err(exception)
            .map(Self::from)
    }

    /// As `explicit`, for a K that is compressed by rows.
    #[staticmethod]
    fn sparse(
        py: Python<'_>,
        matrix: Compressed<'_>,
        shape: (usize, usize),
        columns_first: bool,
        linear: Option<PyReadonlyArray2<'_, f64>>,
        maximize: bool,
        limits: Limits,
    ) -> PyResult<Self> {
        let matrix = Square::Compressed(matrix);
        let rows = matrix.rows("K")?;
        let size = shape.0.saturating_mul(shape.1);
        if rows.len() != size {
            return Err(PyValueError::new_err(format!(
                "K: found {} rows, expected {size} for {}×{} assignments",
                rows.len(),
                shape.0,
                shape.1
            )));
        }
        let Rows::Compressed(offsets, columns, values) = rows else {
            unreachable!("K is compressed");
        };
        let needed = bytes(&[size, 6]).saturating_add(rows.stored().saturating_mul(88));
        reserve(&limits.memory(), "the affinity matrix", needed, SMALLER)?;
        let linear = linear_part(linear.as_ref(), shape)?;
        py.detach(|| {
            // Row p of K is the assignment with this number.
            let number = |p: usize| {
                if columns_first {
                    (p % shape.0) * shape.1 + p / shape.0
                } else {
                    p
                }
            };
            let entries = (0..size).flat_map(|p| {
                let row = offsets[p] as usize..offsets[p + 1] as usize;
                let row = columns[row.clone()].iter().zip(&values[row]);
                row.map(move |(&q, &value)| (number(p), number(q as usize), value))
            });
            SparsePairwise::problem(sense(maximize), shape, entries, linear.as_ref())
        })
        .map_err(exception)
        .map(Self::from)
    }

    /// Rows and columns of the whole program.
    #[getter]
    fn shape(&self) -> (usize, usize) {
        match &*self.inner {
            Inner::Whole(problem) => problem.shape(),
            Inner::Seeded(seeded) => seeded.shape(),
        }
    }

    /// Whether large values are wanted.
    #[getter]
    fn maximize(&self) -> bool {
        self.inner.problem().sense() == Sense::Maximise
    }

    /// Whether nodes may stay alone.
    #[getter]
    fn partial(&self) -> bool {
        self.inner.problem().coverage() == Coverage::Partial
    }

    /// The rows and columns that no seed fixes.
    #[allow(clippy::type_complexity, reason = "two arrays")]
    fn free<'py>(&self, py: Python<'py>) -> (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i64>>) {
        let (n, m) = self.shape();
        match &*self.inner {
            Inner::Whole(_) => (arrays::index_array(py, 0..n), arrays::index_array(py, 0..m)),
            Inner::Seeded(seeded) => (
                arrays::index_array(py, seeded.free_rows.iter().copied()),
                arrays::index_array(py, seeded.free_cols.iter().copied()),
            ),
        }
    }

    /// The value of an assignment of all rows, −1 for none.
    fn objective(&self, assignment: PyReadonlyArray1<'_, i64>) -> PyResult<f64> {
        let free = self.restricted(&assignment)?;
        let start = Start::default().with_assignment(&free);
        let problem = self.inner.problem();
        start.check(problem).map_err(exception)?;
        Ok(problem.objective(&free))
    }

    /// Solves; starts are over the free rows and columns.
    #[allow(clippy::too_many_arguments, reason = "called from one place in Python")]
    fn solve<'py>(
        &self,
        py: Python<'py>,
        solver: &str,
        solver_options: Option<&Bound<'py, PyDict>>,
        soft: Option<PyReadonlyArray2<'py, f64>>,
        assignment: Option<PyReadonlyArray1<'py, i64>>,
        seed: u64,
        limits: Limits,
    ) -> PyResult<Bound<'py, PyDict>> {
        let solver = options::solver(solver, solver_options)?;
        let soft = match &soft {
            Some(array) => {
                let shape = self.inner.problem().shape();
                Some(arrays::matrix_of(array, "start", shape)?.into())
            }
            None => None,
        };
        let assignment = match &assignment {
            Some(given) => Some(self.restricted(given)?),
            None => None,
        };
        let inner = Arc::clone(&self.inner);
        let (solution, soft, seconds) = run(py, &limits, move |monitor| {
            let problem = inner.problem();
            let held = problem.memory();
            let start = Start {
                seed,
                soft: soft.as_ref(),
                assignment: assignment.as_ref(),
            };
            start.check(problem)?;
            let watch = monitor.stopwatch();
            let mut solution = solver.solve(problem, &start, &monitor.holding(held))?;
            let seconds = watch.seconds();
            let soft = solution.soft.take();
            // Listed values whose matrix would not fit are left out: the answer is there without them.
            let soft = soft.and_then(|soft| soft.into_full(monitor).ok());
            Ok((solution, soft, seconds))
        })?;
        let result = PyDict::new(py);
        let whole = match &*self.inner {
            Inner::Whole(_) => solution.assignment,
            Inner::Seeded(seeded) => seeded.complete(&solution.assignment),
        };
        result.set_item("assignment", arrays::partner_array(py, &whole))?;
        result.set_item("objective", solution.objective)?;
        let soft = match soft {
            Some(soft) => Some(arrays::array(py, soft)?),
            None => None,
        };
        result.set_item("soft", soft)?;
        result.set_item("iterations", solution.iterations)?;
        result.set_item("status", solution.status.as_str())?;
        result.set_item("convergence", solution.convergence.into_pyarray(py))?;
        result.set_item("seconds", seconds)?;
        Ok(result)
    }
}

impl From<anchormatch::problem::Problem> for Problem {
    fn from(problem: anchormatch::problem::Problem) -> Self {
        Self {
            inner: Arc::new(Inner::Whole(problem)),
            name: None,
        }
    }
}

impl Problem {
    /// The part of an assignment of all rows that is free; what it says of seeds does not count.
    fn restricted(&self, assignment: &PyReadonlyArray1<'_, i64>) -> PyResult<Assignment> {
        let (n, m) = self.shape();
        let given = assignment.as_array();
        if given.len() != n {
            return Err(PyValueError::new_err(format!(
                "start: found {} entries, expected a column, or -1 for none, for each of {n} rows",
                given.len()
            )));
        }
        let column = |value: i64| match usize::try_from(value) {
            Ok(column) if column < m => Ok(Some(column)),
            _ if value == -1 => Ok(None),
            _ => Err(PyValueError::new_err(format!(
                "start: found column {value}, expected 0 to {}, or -1 for none",
                m.saturating_sub(1)
            ))),
        };
        let whole = given.iter().map(|&value| column(value));
        let whole = whole.collect::<PyResult<Assignment>>()?;
        Ok(match &*self.inner {
            Inner::Whole(_) => whole,
            Inner::Seeded(seeded) => seeded.restrict(&whole),
        })
    }
}

/// The problems of a `.dd`, QAPLIB `.dat` or saved `.json` file.
#[pyfunction]
pub(crate) fn read_problems(
    py: Python<'_>,
    path: PathBuf,
    limits: Limits,
) -> PyResult<Vec<Problem>> {
    let options = ProblemOptions {
        max_memory: limits.max_memory,
        ..ProblemOptions::default()
    };
    let loaded = py
        .detach(|| read_problem_with(&path, &options))
        .map_err(exception)?;
    let problem = |loaded: anchormatch_io::LoadedProblem| Problem {
        name: Some(loaded.name),
        ..Problem::from(loaded.problem)
    };
    Ok(loaded.into_iter().map(problem).collect())
}

fn sense(maximize: bool) -> Sense {
    if maximize {
        Sense::Maximise
    } else {
        Sense::Minimise
    }
}

/// Where the assignment with number p stands in K.
fn place(p: usize, (n, m): (usize, usize), columns_first: bool) -> usize {
    if columns_first {
        p / m + (p % m) * n
    } else {
        p
    }
}

fn linear_part(
    linear: Option<&PyReadonlyArray2<'_, f64>>,
    shape: (usize, usize),
) -> PyResult<Option<Matrix>> {
    linear
        .map(|array| arrays::matrix_of(array, "linear", shape))
        .transpose()
}
