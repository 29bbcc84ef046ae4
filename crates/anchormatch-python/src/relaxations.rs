//! The relaxations of `anchormatch.compat` for small problems, where most of the time of NumPy would go
//! into calls.
//!
//! Each does, operation by operation, what its counterpart in Python does for problems of any size:
//! [`frank_wolfe`] is `compat/_frank_wolfe.py`, [`power_iteration`] and [`fixed_points`] are `sm` and `ipfp`
//! of `compat/pygmtools.py`. They work on the calling thread, without the interpreter's lock, and look
//! for signals every few iterations.

use anchormatch::assignment::{LinearAssignment, LinearSolver};
use anchormatch::linalg::{Vectors, dot, multiply_transposed_into};
use anchormatch::{Error, Result};
use numpy::ndarray::ArrayView2;
use numpy::{
    IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2,
    PyReadonlyArray3, PyUntypedArrayMethods,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::arrays;
use crate::failure::exception;

/// Iterations between two looks for signals.
const BETWEEN_SIGNALS: usize = 16;

/// Scores of linear assignments are smaller.
const LARGEST: f64 = 1e290;

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

/// Linear assignment by shortest augmenting paths, row by row, without a start by reductions (Crouse, IEEE
/// Trans. Aerosp. Electron. Syst. 2016).
///
/// For a few dozen nodes it is as fast as the library's own. Of assignments that are equally good it
/// finds the one that SciPy's `linear_sum_assignment` finds, since it looks at columns in the same order:
/// FAQ, where ties are common, then takes the same way.
struct ShortestPaths {
    /// The column of each row.
    columns: Vec<usize>,
    rows: Vec<Option<usize>>,
    row_duals: Vec<f64>,
    column_duals: Vec<f64>,
    lengths: Vec<f64>,
    before: Vec<usize>,
    open: Vec<usize>,
    closed: Vec<usize>,
}

impl ShortestPaths {
    fn new(n: usize) -> Self {
        Self {
            columns: vec![0; n],
            rows: vec![None; n],
            row_duals: vec![0.0; n],
            column_duals: vec![0.0; n],
            lengths: vec![0.0; n],
            before: vec![0; n],
            open: Vec::with_capacity(n),
            closed: Vec::with_capacity(n),
        }
    }

    /// Finds the columns of the assignment with the largest total.
    fn maximize(&mut self, scores: &[f64]) -> Result<()> {
        // Lengths of paths have to stay finite, too.
        let large = |value: &&f64| value.is_nan() || value.abs() >= LARGEST;
        if let Some(value) = scores.iter().find(large) {
            let found = format!("products as large as {value}");
            return Err(Error::parameter("A, B", found, "smaller numbers"));
        }
        self.rows.fill(None);
        self.row_duals.fill(0.0);
        self.column_duals.fill(0.0);
        for row in 0..self.columns.len() {
            self.augment(row, scores);
        }
        Ok(())
    }

    /// Gives `row` a column, and others theirs anew along the shortest path to a free one.
    fn augment(&mut self, row: usize, scores: &[f64]) {
        let n = self.columns.len();
        // From the last to the first: the assignment of a constant matrix is the identity.
        self.open.clear();
        self.open.extend((0..n).rev());
        self.closed.clear();
        self.lengths.fill(f64::INFINITY);
        let (mut end, mut length) = (row, 0.0);
        let free = loop {
            let scores = &scores[end * n..][..n];
            let (mut shortest, mut place) = (f64::INFINITY, 0);
            for (k, &column) in self.open.iter().enumerate() {
                let reached =
                    length - scores[column] - self.row_duals[end] - self.column_duals[column];
                if reached < self.lengths[column] {
                    self.lengths[column] = reached;
                    self.before[column] = end;
                }
                let known = self.lengths[column];
                // Of equally near columns a free one ends the search.
                if known < shortest || (known == shortest && self.rows[column].is_none()) {
                    (shortest, place) = (known, k);
                }
            }
            length = shortest;
            let column = self.open.swap_remove(place);
            self.closed.push(column);
            match self.rows[column] {
                Some(next) => end = next,
                None => break column,
            }
        };
        self.row_duals[row] += length;
        for &column in &self.closed {
            let slack = length - self.lengths[column];
            if let Some(owner) = self.rows[column] {
                self.row_duals[owner] += slack;
            }
            self.column_duals[column] -= slack;
        }
        let mut column = free;
        loop {
            let owner = self.before[column];
            self.rows[column] = Some(owner);
            std::mem::swap(&mut self.columns[owner], &mut column);
            if owner == row {
                break;
            }
        }
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
            for (i, column) in self.assigned.columns.iter().enumerate() {
                if let Some(a) = column {
                    vertex[a * height + i] = 1.0;
                }
            }
        }
        Ok(())
    }
}
