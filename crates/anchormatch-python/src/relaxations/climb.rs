//! FAQ: Frank-Wolfe over the doubly stochastic matrices.

use anchormatch::Result;
use anchormatch::linalg::{Vectors, multiply_transposed_into};
use numpy::ndarray::ArrayView2;
use numpy::{
    IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2,
    PyUntypedArrayMethods,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::BETWEEN_SIGNALS;
use super::shortest_paths::ShortestPaths;
use crate::arrays;
use crate::failure::exception;

/// The nodes of A and of B that are fixed, or that are free.
type Sides<'py> = (PyReadonlyArray1<'py, i64>, PyReadonlyArray1<'py, i64>);

/// X, its nearest assignment, iterations, and whether it stands still.
type Climbed<'py> = (
    Bound<'py, PyArray2<f64>>,
    Bound<'py, PyArray1<i64>>,
    usize,
    bool,
);

/// Frank-Wolfe with exact line search over ⟨A X Bᵀ, X⟩ + ⟨linear, X⟩ between the free nodes.
#[pyfunction]
#[allow(clippy::too_many_arguments, reason = "called from one place in Python")]
pub(crate) fn frank_wolfe<'py>(
    py: Python<'py>,
    a: PyReadonlyArray2<'py, f64>,
    b: PyReadonlyArray2<'py, f64>,
    linear: Option<PyReadonlyArray2<'py, f64>>,
    fixed: Sides<'py>,
    free: Sides<'py>,
    start: PyReadonlyArray2<'py, f64>,
    maximize: bool,
    max_iterations: usize,
    tolerance: f64,
) -> PyResult<Climbed<'py>> {
    let fixed = [nodes(&fixed.0, &a)?, nodes(&fixed.1, &b)?];
    let free = [nodes(&free.0, &a)?, nodes(&free.1, &b)?];
    let n = free[0].len();
    let fits =
        |array: &PyReadonlyArray2<'_, f64>, rows: usize, cols: usize| array.shape() == [rows, cols];
    let (n_a, n_b) = (a.shape()[0], b.shape()[0]);
    let sound = fits(&a, n_a, n_a)
        && fits(&b, n_b, n_b)
        && linear.as_ref().is_none_or(|array| fits(array, n_a, n_b))
        && fits(&start, n, n)
        && free[1].len() == n
        && fixed[0].len() == fixed[1].len();
    if !sound {
        return Err(PyValueError::new_err("arrays of these shapes do not fit"));
    }
    let (a, b) = (a.as_array(), b.as_array());
    let linear = linear.as_ref().map(|array| array.as_array());
    let mut climb = Climb::new(
        a,
        b,
        linear,
        &fixed,
        &free,
        arrays::matrix(&start)?.into_vec(),
    );
    let mut converged = false;
    let mut iterations = 0;
    while iterations < max_iterations && !converged {
        py.check_signals()?;
        (iterations, converged) = py
            .detach(|| {
                let end = max_iterations.min(iterations.saturating_add(BETWEEN_SIGNALS));
                while iterations < end && !converged {
                    iterations += 1;
                    converged = climb.step(maximize)? < tolerance;
                }
                Ok((iterations, converged))
            })
            .map_err(exception)?;
    }
    climb.assign_x().map_err(exception)?;
    let columns = arrays::index_array(py, climb.paths.columns.iter().copied());
    let x = climb.x.into_pyarray(py).reshape([n, n])?;
    Ok((x, columns, iterations, converged))
}

/// Checked indices of nodes of a matrix.
fn nodes(
    array: &PyReadonlyArray1<'_, i64>,
    matrix: &PyReadonlyArray2<'_, f64>,
) -> PyResult<Vec<usize>> {
    let indices = arrays::indices(array, "nodes")?;
    if indices.iter().all(|&i| i < matrix.shape()[0]) {
        Ok(indices)
    } else {
        Err(PyValueError::new_err("nodes: expected nodes of the matrix"))
    }
}

/// Where Frank-Wolfe stands.
struct Climb {
    n: usize,
    /// The image of X is the sum of left X right.
    products: Vec<(Vec<f64>, Vec<f64>)>,
    constant: Vec<f64>,
    x: Vec<f64>,
    image: Vec<f64>,
    end_image: Vec<f64>,
    gradient: Vec<f64>,
    scratch: Vec<f64>,
    vectors: Vectors,
    paths: ShortestPaths,
}

impl Climb {
    fn new(
        a: ArrayView2<'_, f64>,
        b: ArrayView2<'_, f64>,
        linear: Option<ArrayView2<'_, f64>>,
        fixed: &[Vec<usize>; 2],
        free: &[Vec<usize>; 2],
        x: Vec<f64>,
    ) -> Self {
        let n = free[0].len();
        let mut constant = vec![0.0; n * n];
        if let Some(linear) = linear {
            constant = block(linear, &free[0], &free[1]);
        }
        let known = fixed[0].len();
        let mut scratch = vec![0.0; n * n];
        if known > 0 {
            for (a, b) in [(a, b), (a.reversed_axes(), b.reversed_axes())] {
                let left = block(a, &free[0], &fixed[0]);
                let right = block(b, &free[1], &fixed[1]);
                multiply_transposed_into(&mut scratch, &left, &right, n, known, n);
                add(&mut constant, &scratch);
            }
        }
        let (a, b) = (block(a, &free[0], &free[0]), block(b, &free[1], &free[1]));
        let (a_turned, b_turned) = (turned(&a, n), turned(&b, n));
        let products = if a == a_turned {
            vec![(a, sum(&b, &b_turned))]
        } else if b == b_turned {
            vec![(sum(&a, &a_turned), b)]
        } else {
            vec![(a, b_turned), (a_turned, b)]
        };
        let vectors = Vectors::new();
        let mut image = vec![0.0; n * n];
        for (left, right) in &products {
            scratch.fill(0.0);
            add_product(vectors, &mut scratch, left, &x, n);
            add_product(vectors, &mut image, &scratch, right, n);
        }
        Self {
            n,
            products,
            constant,
            x,
            image,
            end_image: vec![0.0; n * n],
            gradient: vec![0.0; n * n],
            scratch,
            vectors,
            paths: ShortestPaths::new(n),
        }
    }

    /// One step; how far it went, in roots of n.
    fn step(&mut self, maximize: bool) -> Result<f64> {
        let n = self.n;
        let sign = if maximize { 1.0 } else { -1.0 };
        let parts = self.image.iter().zip(&self.constant);
        for (slope, (image, constant)) in self.gradient.iter_mut().zip(parts) {
            *slope = sign * (image + constant);
        }
        self.paths.maximize(&self.gradient)?;
        self.imagine();
        // f(X + step · way) = f(X) + slope · step + curvature · step², times the sign.
        let (mut slope, mut curvature, mut length) = (0.0, 0.0, 0.0);
        for (i, &column) in self.paths.columns.iter().enumerate() {
            for j in 0..n {
                let k = i * n + j;
                let way = f64::from(u8::from(column == j)) - self.x[k];
                slope += self.gradient[k] * way;
                curvature += (self.end_image[k] - self.image[k]) * way;
                length += way * way;
            }
        }
        let step = best_step(slope, 0.5 * sign * curvature);
        for (i, &column) in self.paths.columns.iter().enumerate() {
            for j in 0..n {
                let k = i * n + j;
                self.x[k] += step * (f64::from(u8::from(column == j)) - self.x[k]);
                self.image[k] += step * (self.end_image[k] - self.image[k]);
            }
        }
        Ok(step * length.sqrt() / (n as f64).sqrt())
    }

    /// The image of the assignment.
    fn imagine(&mut self) {
        let n = self.n;
        self.end_image.fill(0.0);
        for (left, right) in &self.products {
            for (row, &column) in self.scratch.chunks_exact_mut(n).zip(&self.paths.columns) {
                row.copy_from_slice(&right[column * n..][..n]);
            }
            add_product(self.vectors, &mut self.end_image, left, &self.scratch, n);
        }
    }

    /// The assignment nearest to X.
    fn assign_x(&mut self) -> Result<()> {
        self.paths.maximize(&self.x)
    }
}

/// Where slope · s + curvature · s² is largest for s from 0 to 1.
fn best_step(slope: f64, curvature: f64) -> f64 {
    if curvature < 0.0 {
        (slope / (-2.0 * curvature)).clamp(0.0, 1.0)
    } else if slope + curvature >= 0.0 {
        1.0
    } else {
        0.0
    }
}

fn block(matrix: ArrayView2<'_, f64>, rows: &[usize], cols: &[usize]) -> Vec<f64> {
    let entries = rows.iter().flat_map(|&i| cols.iter().map(move |&j| (i, j)));
    entries.map(|place| matrix[place]).collect()
}

fn turned(square: &[f64], n: usize) -> Vec<f64> {
    (0..n * n).map(|k| square[(k % n) * n + k / n]).collect()
}

fn sum(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(x, y)| x + y).collect()
}

/// `out += a · b` of square matrices that fit a cache, four rows of b at a time.
fn add_product(vectors: Vectors, out: &mut [f64], a: &[f64], b: &[f64], n: usize) {
    if n == 0 {
        return;
    }
    vectors.run(
        #[inline(always)]
        || {
            for (out, factors) in out.chunks_exact_mut(n).zip(a.chunks_exact(n)) {
                let (fours, rest) = factors.as_chunks::<4>();
                let (blocks, last) = b.split_at(4 * n * fours.len());
                for (f, block) in fours.iter().zip(blocks.chunks_exact(4 * n)) {
                    let (first, second) = block.split_at(2 * n);
                    let ((b0, b1), (b2, b3)) = (first.split_at(n), second.split_at(n));
                    for (((value, x), y), (z, w)) in
                        out.iter_mut().zip(b0).zip(b1).zip(b2.iter().zip(b3))
                    {
                        *value += f[0] * x + f[1] * y + f[2] * z + f[3] * w;
                    }
                }
                for (factor, row) in rest.iter().zip(last.chunks_exact(n)) {
                    for (value, x) in out.iter_mut().zip(row) {
                        *value += factor * x;
                    }
                }
            }
        },
    );
}

fn add(total: &mut [f64], part: &[f64]) {
    for (sum, value) in total.iter_mut().zip(part) {
        *sum += value;
    }
}
