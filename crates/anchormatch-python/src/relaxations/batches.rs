//! SM and IPFP on batches of dense affinity matrices.

use anchormatch::Result;
use anchormatch::assignment::{LinearAssignment, LinearSolver};
use anchormatch::linalg::{Vectors, dot};
use numpy::{
    IntoPyArray, PyArray2, PyArrayMethods, PyReadonlyArray2, PyReadonlyArray3,
    PyUntypedArrayMethods,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::BETWEEN_SIGNALS;
use crate::arrays;
use crate::failure::exception;

/// A batch of affinity matrices with a vector each.
struct Batch<'a> {
    matrices: &'a [f64],
    size: usize,
    vectors: Vectors,
}

impl<'a> Batch<'a> {
    /// Checks that there is a vector for each matrix; entries have to lie row after row.
    fn new(
        matrices: &'a PyReadonlyArray3<'_, f64>,
        start: &PyReadonlyArray2<'_, f64>,
    ) -> PyResult<Self> {
        let shape = matrices.shape();
        if shape[1] != shape[2] || start.shape() != [shape[0], shape[1]] {
            return Err(PyValueError::new_err("arrays of these shapes do not fit"));
        }
        if !matrices.is_c_contiguous() {
            return Err(PyValueError::new_err("K: expected entries row after row"));
        }
        Ok(Self {
            matrices: matrices.as_slice()?,
            size: shape[1],
            vectors: Vectors::new(),
        })
    }

    /// K v of each problem.
    fn apply(&self, v: &[f64], out: &mut [f64]) {
        let n = self.size;
        if n == 0 {
            return;
        }
        let problems = self.matrices.chunks_exact(n * n).zip(v.chunks_exact(n));
        for ((matrix, v), out) in problems.zip(out.chunks_exact_mut(n)) {
            self.vectors.run(
                #[inline(always)]
                || {
                    let (fours, rest) = out.as_chunks_mut::<4>();
                    let (blocks, last) = matrix.split_at(4 * n * fours.len());
                    for (values, rows) in fours.iter_mut().zip(blocks.chunks_exact(4 * n)) {
                        let (first, second) = rows.split_at(2 * n);
                        let ((a, b), (c, d)) = (first.split_at(n), second.split_at(n));
                        *values = dots([a, b, c, d], v);
                    }
                    for (value, row) in rest.iter_mut().zip(last.chunks_exact(n)) {
                        [*value] = dots([row], v);
                    }
                },
            );
        }
    }
}

/// The products of some rows with one vector, each in eight running sums.
#[inline(always)]
fn dots<const ROWS: usize>(rows: [&[f64]; ROWS], v: &[f64]) -> [f64; ROWS] {
    let mut sums = [[0.0; 8]; ROWS];
    let (blocks, rest) = v.as_chunks::<8>();
    let wholes = rows.map(|row| row.as_chunks::<8>());
    for (k, v) in blocks.iter().enumerate() {
        for (sums, (row, _)) in sums.iter_mut().zip(&wholes) {
            for lane in 0..8 {
                sums[lane] += row[k][lane] * v[lane];
            }
        }
    }
    let mut totals = [0.0; ROWS];
    for ((total, sums), (_, row)) in totals.iter_mut().zip(&sums).zip(&wholes) {
        let last: f64 = row.iter().zip(rest).map(|(x, y)| x * y).sum();
        *total = sums.iter().sum::<f64>() + last;
    }
    totals
}

/// The leading eigenvectors of a batch of matrices; ends when the vectors, together, move by less than `still`.
#[pyfunction]
pub(crate) fn power_iteration<'py>(
    py: Python<'py>,
    matrices: PyReadonlyArray3<'py, f64>,
    start: PyReadonlyArray2<'py, f64>,
    max_iterations: usize,
    still: f64,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let batch = Batch::new(&matrices, &start)?;
    let n = batch.size;
    let mut v = arrays::matrix(&start)?.into_vec();
    let mut product = vec![0.0; v.len()];
    let (mut iterations, mut ended) = (0, n == 0);
    while iterations < max_iterations && !ended {
        py.check_signals()?;
        (iterations, ended) = py.detach(|| {
            let end = max_iterations.min(iterations.saturating_add(BETWEEN_SIGNALS));
            while iterations < end && !ended {
                iterations += 1;
                batch.apply(&v, &mut product);
                for part in product.chunks_exact_mut(n) {
                    let norm = dot(part, part).sqrt();
                    let norm = if norm == 0.0 { 1.0 } else { norm };
                    part.iter_mut().for_each(|value| *value /= norm);
                }
                let moved = product.iter().zip(&v).map(|(a, b)| (a - b) * (a - b));
                ended = moved.sum::<f64>().sqrt() < still;
                std::mem::swap(&mut v, &mut product);
            }
            (iterations, ended)
        });
    }
    v.into_pyarray(py).reshape(start.dims())
}

/// Integer projected fixed points; problems of a batch have `sizes` rows and columns of `shape`, and
/// assignment (i, a) stands at a · rows + i. `None` where a product is not finite.
#[pyfunction]
pub(crate) fn fixed_points<'py>(
    py: Python<'py>,
    matrices: PyReadonlyArray3<'py, f64>,
    start: PyReadonlyArray2<'py, f64>,
    shape: (usize, usize),
    sizes: Vec<(usize, usize)>,
    max_iterations: usize,
    same: f64,
) -> PyResult<Option<Bound<'py, PyArray2<f64>>>> {
    let batch = Batch::new(&matrices, &start)?;
    let fits = |&(rows, cols): &(usize, usize)| rows <= shape.0 && cols <= shape.1;
    if shape.0.checked_mul(shape.1) != Some(batch.size)
        || sizes.len() != start.shape()[0]
        || !sizes.iter().all(fits)
    {
        return Err(PyValueError::new_err("sizes of these numbers do not fit"));
    }
    let mut search = FixedPoints::new(batch, arrays::matrix(&start)?.into_vec(), shape, sizes);
    let (mut iterations, mut ended) = (0, search.batch.size == 0);
    while iterations < max_iterations && !ended {
        py.check_signals()?;
        let advanced = py.detach(|| -> Result<Option<()>> {
            let end = max_iterations.min(iterations.saturating_add(BETWEEN_SIGNALS));
            while iterations < end && !ended {
                iterations += 1;
                match search.step(same)? {
                    Some(done) => ended = done,
                    None => return Ok(None),
                }
            }
            Ok(Some(()))
        });
        if advanced.map_err(exception)?.is_none() {
            return Ok(None);
        }
    }
    search.best.into_pyarray(py).reshape(start.dims()).map(Some)
}

/// Where IPFP stands.
struct FixedPoints<'a> {
    batch: Batch<'a>,
    shape: (usize, usize),
    sizes: Vec<(usize, usize)>,
    v: Vec<f64>,
    image: Vec<f64>,
    vertex: Vec<f64>,
    vertex_image: Vec<f64>,
    best: Vec<f64>,
    best_values: Vec<f64>,
    scores: Vec<f64>,
    solver: LinearSolver,
    assigned: LinearAssignment,
}

impl<'a> FixedPoints<'a> {
    fn new(
        batch: Batch<'a>,
        v: Vec<f64>,
        shape: (usize, usize),
        sizes: Vec<(usize, usize)>,
    ) -> Self {
        let mut image = vec![0.0; v.len()];
        batch.apply(&v, &mut image);
        Self {
            best_values: vec![f64::NEG_INFINITY; sizes.len()],
            vertex: vec![0.0; v.len()],
            vertex_image: vec![0.0; v.len()],
            best: v.clone(),
            scores: Vec::new(),
            solver: LinearSolver::new(),
            assigned: LinearAssignment::default(),
            batch,
            shape,
            sizes,
            v,
            image,
        }
    }

    /// One iteration: whether the objectives stand still, `None` where numbers ran out.
    fn step(&mut self, same: f64) -> Result<Option<bool>> {
        if !self.image.iter().all(|value| value.is_finite()) {
            return Ok(None);
        }
        self.project()?;
        self.batch.apply(&self.vertex, &mut self.vertex_image);
        let n = self.batch.size;
        let (mut all_same, mut nothing) = (true, true);
        for problem in 0..self.sizes.len() {
            let range = problem * n..(problem + 1) * n;
            let (v, image) = (&mut self.v[range.clone()], &mut self.image[range.clone()]);
            let vertex = &self.vertex[range.clone()];
            let vertex_image = &self.vertex_image[range.clone()];
            let (now, end) = (dot(v, image), dot(vertex, vertex_image));
            let (across, back) = (dot(v, vertex_image), dot(vertex, image));
            let (slope, curvature) = (across - now, end - back - across + now);
            let step = if curvature < 0.0 {
                (-slope / curvature).min(1.0)
            } else {
                1.0
            };
            if end > self.best_values[problem] {
                self.best_values[problem] = end;
                self.best[range].copy_from_slice(vertex);
            }
            all_same &= (now - end).abs() < same * now.abs();
            nothing &= now == 0.0;
            for (value, &to) in v.iter_mut().zip(vertex) {
                *value += step * (to - *value);
            }
            for (value, &to) in image.iter_mut().zip(vertex_image) {
                *value += step * (to - *value);
            }
        }
        Ok(Some(all_same || nothing))
    }

    /// The assignment of each problem that its image likes best.
    fn project(&mut self) -> Result<()> {
        let (n, height) = (self.batch.size, self.shape.0);
        self.vertex.fill(0.0);
        for (problem, &(rows, cols)) in self.sizes.iter().enumerate() {
            let image = &self.image[problem * n..(problem + 1) * n];
            let vertex = &mut self.vertex[problem * n..(problem + 1) * n];
            let places = (0..rows).flat_map(|i| (0..cols).map(move |a| a * height + i));
            self.scores.clear();
            self.scores.extend(places.map(|place| image[place]));
            self.solver
                .maximize_slice(&self.scores, rows, cols, &mut self.assigned)?;
            for (i, a) in self.assigned.columns.pairs() {
                vertex[a * height + i] = 1.0;
            }
        }
        Ok(())
    }
}
