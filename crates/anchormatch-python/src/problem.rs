//! Quadratic programs from arrays and files, and their solution.

use std::path::PathBuf;
use std::sync::Arc;

use anchormatch::Assignment;
use anchormatch::error::Hint;
use anchormatch::linalg::{Csr, Matrix};
use anchormatch::problem::{
    Coverage, ExplicitPairwise, Listed, ProductPairwise, Sense, SparsePairwise, Weights,
};
use anchormatch::solver::Start;
use anchormatch::{Error, Result};
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
    inner: Arc<anchormatch::problem::Problem>,
    seeds: Option<Seeds>,
    /// What the file calls it.
    #[pyo3(get)]
    name: Option<String>,
}

/// How the free rows and columns of a seeded program lie in the whole one.
struct Seeds {
    shape: (usize, usize),
    free_rows: Vec<usize>,
    free_cols: Vec<usize>,
    pairs: Vec<(usize, usize)>,
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
            let (a, b) = (weights(a), weights(b));
            let sense = sense(maximize);
            if seeds.is_empty() {
                let problem = ProductPairwise::problem(sense, a, b, linear.as_ref())?;
                return Ok(Self::from(problem));
            }
            let folded =
                ProductPairwise::seeded_problem_with(sense, &a, &b, linear.as_ref(), &seeds)?;
            Ok(Self {
                inner: Arc::new(folded.problem),
                seeds: Some(Seeds {
                    shape,
                    free_rows: folded.free_rows,
                    free_cols: folded.free_cols,
                    pairs: folded.seeds,
                }),
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
        let mut matrix = if columns_first {
            Matrix::from_fn(size, size, |p, q| view[(place(p), place(q))])
        } else {
            arrays::matrix(&matrix)?
        };
        py.detach(|| {
            symmetrise(&mut matrix);
            let diagonal = (0..size).map(|p| matrix[(p, p)]).collect();
            let unary = unary(diagonal, shape, linear.as_ref())?;
            let pairwise = ExplicitPairwise::new(shape.0, shape.1, matrix)?;
            anchormatch::problem::Problem::new(sense(maximize), unary, Box::new(pairwise))
        })
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
        let needed = bytes(&[size, 6]).saturating_add(rows.stored().saturating_mul(88));
        reserve(&limits.memory(), "the affinity matrix", needed, SMALLER)?;
        let linear = linear_part(linear.as_ref(), shape)?;
        py.detach(|| {
            let mut listed = Listed {
                rows: shape.0,
                cols: shape.1,
                assignments: (0..size).map(|p| (p / shape.1, p % shape.1, 0.0)).collect(),
                pairs: Vec::new(),
            };
            // Row p of K is the assignment with this number.
            let number = |p: usize| {
                if columns_first {
                    (p % shape.0) * shape.1 + p / shape.0
                } else {
                    p
                }
            };
            let mut diagonal = vec![0.0; size];
            for p in 0..size {
                rows.visit(p, |q, value| {
                    if !value.is_finite() {
                        return Err(Error::parameter("K", value, "finite numbers"));
                    }
                    if p == q {
                        diagonal[number(p)] = value;
                    } else if value != 0.0 {
                        // Each of (p, q) and (q, p) counts once in xᵀKx.
                        listed.pairs.push((number(p), number(q), value));
                    }
                    Ok(())
                })?;
            }
            let unary = unary(diagonal, shape, linear.as_ref())?;
            let pairwise = SparsePairwise::new(&listed)?;
            anchormatch::problem::Problem::new(sense(maximize), unary, Box::new(pairwise))
        })
        .map_err(exception)
        .map(Self::from)
    }

    /// Rows and columns of the whole program.
    #[getter]
    fn shape(&self) -> (usize, usize) {
        match &self.seeds {
            Some(seeds) => seeds.shape,
            None => self.inner.shape(),
        }
    }

    /// Whether large values are wanted.
    #[getter]
    fn maximize(&self) -> bool {
        self.inner.sense() == Sense::Maximise
    }

    /// Whether nodes may stay alone.
    #[getter]
    fn partial(&self) -> bool {
        self.inner.coverage() == Coverage::Partial
    }

    /// The rows and columns that no seed fixes.
    #[allow(clippy::type_complexity, reason = "two arrays")]
    fn free<'py>(&self, py: Python<'py>) -> (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i64>>) {
        let (n, m) = self.inner.shape();
        match &self.seeds {
            Some(seeds) => (
                arrays::index_array(py, seeds.free_rows.iter().copied()),
                arrays::index_array(py, seeds.free_cols.iter().copied()),
            ),
            None => (arrays::index_array(py, 0..n), arrays::index_array(py, 0..m)),
        }
    }

    /// The value of an assignment of all rows, −1 for none.
    fn objective(&self, assignment: PyReadonlyArray1<'_, i64>) -> PyResult<f64> {
        let free = self.restricted(&assignment)?;
        let start = Start {
            assignment: Some(&free),
            ..Start::default()
        };
        start.check(&self.inner).map_err(exception)?;
        Ok(self.inner.objective(&free))
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
            Some(array) => Some(arrays::matrix_of(array, "start", self.inner.shape())?.into()),
            None => None,
        };
        let assignment = match &assignment {
            Some(given) => Some(self.restricted(given)?),
            None => None,
        };
        let problem = Arc::clone(&self.inner);
        let held = problem.memory();
        let (solution, soft, seconds) = run(py, &limits, move |monitor| {
            let start = Start {
                seed,
                soft: soft.as_ref(),
                assignment: assignment.as_ref(),
            };
            start.check(&problem)?;
            let watch = monitor.stopwatch();
            let mut solution = solver.solve(&problem, &start, &monitor.holding(held))?;
            let seconds = watch.seconds();
            let soft = solution.soft.take();
            let soft = soft.map(|soft| soft.into_full(monitor)).transpose()?;
            Ok((solution, soft, seconds))
        })?;
        let result = PyDict::new(py);
        let whole = self.completed(&solution.assignment);
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
            inner: Arc::new(problem),
            seeds: None,
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
        let Some(seeds) = &self.seeds else {
            return given.iter().map(|&value| column(value)).collect();
        };
        let mut place = vec![None; m];
        for (k, &free) in seeds.free_cols.iter().enumerate() {
            place[free] = Some(k);
        }
        let free = seeds.free_rows.iter().map(|&row| {
            let partner = column(given[row])?;
            Ok(partner.and_then(|column| place[column]))
        });
        free.collect()
    }

    fn completed(&self, free: &Assignment) -> Assignment {
        let Some(seeds) = &self.seeds else {
            return free.clone();
        };
        let mut whole = Assignment::empty(seeds.shape.0);
        for (&row, column) in seeds.free_rows.iter().zip(free) {
            whole.set(row, column.map(|c| seeds.free_cols[c]));
        }
        for &(row, column) in &seeds.pairs {
            whole.set(row, Some(column));
        }
        whole
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

fn weights(rows: Rows<'_>) -> Weights {
    match rows {
        Rows::Dense(array) => {
            let entries = match array.as_slice() {
                Some(slice) => slice.to_vec(),
                None => array.iter().copied().collect(),
            };
            Weights::Dense(Matrix::from_vec(array.nrows(), array.ncols(), entries))
        }
        Rows::Compressed(offsets, columns, values) => {
            let nodes = offsets.len() - 1;
            let rows = offsets.windows(2).map(|w| {
                let range = w[0] as usize..w[1] as usize;
                let entries = columns[range.clone()].iter().zip(&values[range]);
                let entries = entries.filter(|entry| *entry.1 != 0.0);
                entries.map(|(&j, &value)| (j as usize, value))
            });
            Weights::Sparse(Csr::from_rows(nodes, rows).expect("arrays were checked"))
        }
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

fn unary(diagonal: Vec<f64>, (n, m): (usize, usize), linear: Option<&Matrix>) -> Result<Matrix> {
    let mut unary = Matrix::from_vec(n, m, diagonal);
    if let Some(linear) = linear {
        if (linear.rows(), linear.cols()) != (n, m) {
            return Err(Error::parameter(
                "linear",
                format!("a {}×{} matrix", linear.rows(), linear.cols()),
                format!("{n}×{m}"),
            ));
        }
        for (slot, value) in unary.as_mut_slice().iter_mut().zip(linear.as_slice()) {
            *slot += value;
        }
    }
    Ok(unary)
}

/// ½ (K + Kᵀ), which has the same xᵀKx; block by block, so that columns are read from the cache.
fn symmetrise(matrix: &mut Matrix) {
    const BLOCK: usize = 64;
    let size = matrix.rows();
    for top in (0..size).step_by(BLOCK) {
        for left in (0..=top).step_by(BLOCK) {
            for p in top..(top + BLOCK).min(size) {
                for q in left..(left + BLOCK).min(p) {
                    let (lower, upper) = (matrix[(p, q)], matrix[(q, p)]);
                    if lower != upper {
                        let mean = 0.5 * (lower + upper);
                        matrix[(p, q)] = mean;
                        matrix[(q, p)] = mean;
                    }
                }
            }
        }
    }
}
