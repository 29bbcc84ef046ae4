//! pygmtools' solvers on batches of dense affinity matrices.
//!
//! All maximise vec(X)ᵀ K vec(X) with the column-wise vec: assignment (i, a) of a problem stands at
//! a · rows + i. Problems of a batch are padded to one shape; what lies beyond a problem's own size counts
//! nothing.

use rayon::prelude::*;

use super::linear::{Scores, normalise};
use crate::error::{Error, Result};
use crate::linalg::{Vectors, dot};
use crate::monitor::{Monitor, Progress};

/// Spectral matching ends when the vectors of all problems, together, move by less.
const STILL: f64 = 1e-5;

/// A walk that moves by less stands still for all iterations that are left.
const NO_MOVE: f64 = 1e-14;

/// Rows of a product that one task computes.
const ROWS: usize = 64;

/// Matrices with fewer entries are multiplied by one thread.
const PARALLEL: usize = 1 << 20;

/// A batch of affinity matrices.
#[derive(Debug, Clone)]
pub struct Batch<'k> {
    matrices: &'k [f64],
    /// Rows and columns of X.
    pub(super) shape: (usize, usize),
    /// Those of each problem.
    pub(super) sizes: Vec<(usize, usize)>,
    vectors: Vectors,
}

/// The constants of reweighted random walks.
#[derive(Debug, Clone, PartialEq)]
pub struct RandomWalks {
    /// The weight of the reweighted jump, from 0 to 1.
    pub alpha: f64,
    /// How strongly the jump favours large entries.
    pub beta: f64,
    /// Normalisations of rows and columns, together, in each iteration.
    pub sweeps: usize,
    /// Iterations at most.
    pub max_iterations: usize,
}

impl<'k> Batch<'k> {
    /// Matrices one after another, row after row, for X of `shape` and problems of these `sizes`.
    ///
    /// # Errors
    /// When shapes and sizes do not fit.
    pub fn new(
        matrices: &'k [f64],
        shape: (usize, usize),
        sizes: Vec<(usize, usize)>,
    ) -> Result<Self> {
        let fits = |&(rows, cols): &(usize, usize)| rows <= shape.0 && cols <= shape.1;
        let entries = shape.0.checked_mul(shape.1).and_then(|n| n.checked_mul(n));
        let needed = entries.and_then(|entries| entries.checked_mul(sizes.len()));
        if needed != Some(matrices.len()) || !sizes.iter().all(fits) {
            return Err(Error::parameter(
                "K",
                format!("{} entries", matrices.len()),
                format!(
                    "those of {} problems, each within {}×{}",
                    sizes.len(),
                    shape.0,
                    shape.1
                ),
            ));
        }
        Ok(Self {
            matrices,
            shape,
            sizes,
            vectors: Vectors::new(),
        })
    }

    /// Entries of a vector.
    pub(super) fn size(&self) -> usize {
        self.shape.0 * self.shape.1
    }

    /// K of a problem.
    pub(super) fn matrix(&self, problem: usize) -> &'k [f64] {
        let entries = self.size() * self.size();
        &self.matrices[problem * entries..(problem + 1) * entries]
    }

    /// K v of a problem.
    pub(super) fn apply(&self, problem: usize, v: &[f64], out: &mut [f64]) {
        let (n, matrix) = (self.size(), self.matrix(problem));
        if n == 0 {
            return;
        }
        if matrix.len() < PARALLEL {
            multiply(self.vectors, matrix, v, out);
        } else {
            out.par_chunks_mut(ROWS)
                .zip(matrix.par_chunks(ROWS * n))
                .for_each(|(out, rows)| multiply(self.vectors, rows, v, out));
        }
    }

    /// Spectral matching (Leordeanu & Hebert 2005): the leading eigenvectors, by power iteration from `v`.
    ///
    /// # Errors
    /// When numbers run out.
    ///
    /// # Panics
    /// When `v` does not hold a vector for each problem.
    ///
    /// # Complexity
    /// One product with K an iteration.
    pub fn leading_vectors(
        &self,
        mut v: Vec<f64>,
        max_iterations: usize,
        monitor: &Monitor,
    ) -> Result<Vec<f64>> {
        self.check(&v);
        let mut new = vec![0.0; v.len()];
        for iteration in 0..max_iterations {
            self.apply_all(&v, &mut new);
            for part in new.chunks_exact_mut(self.size().max(1)) {
                divide(part, dot(part, part).sqrt());
            }
            let moved = new.iter().zip(&v).map(|(a, b)| (a - b) * (a - b));
            let moved = moved.sum::<f64>().sqrt();
            std::mem::swap(&mut v, &mut new);
            if stop(monitor, "sm", iteration, max_iterations, moved) || moved < STILL {
                break;
            }
        }
        finite(v)
    }

    /// Reweighted random walks (Cho, Lee & Lee 2010) from `v`.
    ///
    /// # Errors
    /// When numbers run out.
    ///
    /// # Panics
    /// When `v` does not hold a vector for each problem.
    ///
    /// # Complexity
    /// One product with K and some sweeps over X an iteration.
    pub fn random_walks(
        &self,
        mut v: Vec<f64>,
        walks: &RandomWalks,
        monitor: &Monitor,
    ) -> Result<Vec<f64>> {
        self.check(&v);
        let mut walked = vec![0.0; v.len()];
        let mut scores = vec![0.0; v.len()];
        for iteration in 0..walks.max_iterations {
            self.apply_all(&v, &mut walked);
            for (walked, scores) in (walked.chunks_exact_mut(self.size().max(1)))
                .zip(scores.chunks_exact_mut(self.size().max(1)))
            {
                divide(walked, size_of(walked));
                let high = walked.iter().fold(f64::NEG_INFINITY, |x, &y| x.max(y));
                let high = if high == 0.0 { 1.0 } else { high };
                turn(walked, self.shape.0, |place, value| {
                    scores[place] = walks.beta * value / high;
                });
            }
            let jump = normalise(
                &Scores {
                    values: &scores,
                    shape: self.shape,
                    sizes: &self.sizes,
                },
                None,
                walks.sweeps,
                false,
                // Observed, too: a caller may look for signals there, however many sweeps there are.
                monitor,
            );
            let mut moved = 0.0f64;
            for ((walked, jump), v) in (walked.chunks_exact_mut(self.size().max(1)))
                .zip(jump.chunks_exact(self.size().max(1)))
                .zip(v.chunks_exact_mut(self.size().max(1)))
            {
                turn(jump, self.shape.1, |place, value| {
                    walked[place] = walks.alpha * value + (1.0 - walks.alpha) * walked[place];
                });
                divide(walked, size_of(walked));
                for (v, new) in v.iter_mut().zip(walked) {
                    moved = moved.max((*new - *v).abs());
                    *v = *new;
                }
            }
            let done = stop(monitor, "rrwm", iteration, walks.max_iterations, moved);
            if done || moved < NO_MOVE {
                break;
            }
        }
        finite(v)
    }

    pub(super) fn check(&self, v: &[f64]) {
        let entries = self.sizes.len() * self.size();
        assert_eq!(v.len(), entries, "a vector for each problem");
    }

    fn apply_all(&self, v: &[f64], out: &mut [f64]) {
        let n = self.size().max(1);
        for (problem, (v, out)) in v.chunks_exact(n).zip(out.chunks_exact_mut(n)).enumerate() {
            self.apply(problem, v, out);
        }
    }
}

/// Whether the monitor says to stop.
fn stop(monitor: &Monitor, stage: &str, iteration: usize, most: usize, moved: f64) -> bool {
    let progress = Progress {
        stage,
        done: iteration + 1,
        total: Some(most),
        value: Some(moved),
    };
    monitor.checkpoint(progress).is_some()
}

/// Refuses numbers that ran out.
pub(super) fn finite(v: Vec<f64>) -> Result<Vec<f64>> {
    if v.iter().all(|value| value.is_finite()) {
        return Ok(v);
    }
    Err(Error::parameter(
        "K",
        "infinite or undefined entries, or such large ones that products are",
        "finite numbers, for instance 0 for pairs that exclude each other",
    ))
}

/// Visits the entries of a matrix with places in its transpose; `rows` are those of the transpose.
fn turn(matrix: &[f64], rows: usize, mut visit: impl FnMut(usize, f64)) {
    if rows == 0 {
        return;
    }
    let cols = matrix.len() / rows;
    // Row k of the matrix is column k of the transpose, which has as many columns.
    for (k, row) in matrix.chunks_exact(rows).enumerate() {
        for (i, &value) in row.iter().enumerate() {
            visit(i * cols + k, value);
        }
    }
}

fn size_of(v: &[f64]) -> f64 {
    v.iter().map(|value| value.abs()).sum()
}

/// Divides by a size, unless that is nothing.
fn divide(v: &mut [f64], size: f64) {
    let size = if size == 0.0 { 1.0 } else { size };
    v.iter_mut().for_each(|value| *value /= size);
}

/// `out` = rows · v, four rows at a time.
fn multiply(vectors: Vectors, rows: &[f64], v: &[f64], out: &mut [f64]) {
    let n = v.len();
    vectors.run(
        #[inline(always)]
        || {
            let (fours, rest) = out.as_chunks_mut::<4>();
            let (blocks, last) = rows.split_at(4 * n * fours.len());
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::{Matrix, symmetric_eigen};
    use crate::solver::test_support::values;

    fn affinities(n: usize, count: usize) -> Vec<f64> {
        let matrices = (0..count as u64).map(|seed| values(n, seed).into_vec());
        matrices.flatten().collect()
    }

    #[test]
    fn products_are_sums_at_every_size() {
        // Around the blocks of four rows and eight columns, and past one thread.
        for (rows, cols) in [(1, 1), (3, 1), (2, 2), (3, 3), (4, 4), (33, 32)] {
            let n = rows * cols;
            let matrices = affinities(n, 1);
            let batch = Batch::new(&matrices, (rows, cols), vec![(rows, cols)]).unwrap();
            let v: Vec<f64> = (0..n).map(|k| (k % 7) as f64 - 2.5).collect();
            let mut out = vec![f64::NAN; n];
            batch.apply(0, &v, &mut out);
            for (i, x) in out.iter().enumerate() {
                let want: f64 = (0..n).map(|j| matrices[i * n + j] * v[j]).sum();
                assert!((x - want).abs() < 1e-9, "{n}: {x} {want}");
            }
        }
    }

    #[test]
    fn walks_of_endless_sweeps_are_stopped_from_their_observer() {
        let matrices = affinities(6, 1);
        let batch = Batch::new(&matrices, (2, 3), vec![(2, 3)]).unwrap();
        let token = crate::monitor::CancelToken::default();
        let seen = token.clone();
        let monitor = Monitor::silent()
            .cancelled_by(token)
            .observe(move |_| seen.cancel());
        let walks = RandomWalks {
            alpha: 0.2,
            beta: 30.0,
            sweeps: usize::MAX,
            max_iterations: usize::MAX,
        };
        let found = batch.random_walks(vec![1.0 / 6.0; 6], &walks, &monitor);
        assert!(found.is_ok_and(|v| v.iter().all(|x| x.is_finite())));
    }

    #[test]
    fn leading_vectors_are_those_of_the_eigensolver() {
        let matrices = affinities(6, 2);
        let batch = Batch::new(&matrices, (2, 3), vec![(2, 3); 2]).unwrap();
        let start = vec![1.0 / 6.0; 12];
        let found = batch
            .leading_vectors(start, 1000, &Monitor::silent())
            .unwrap();
        for problem in 0..2 {
            let matrix =
                Matrix::from_vec(6, 6, matrices[36 * problem..36 * (problem + 1)].to_vec());
            let eigen = symmetric_eigen(&matrix).unwrap();
            let last = eigen.vectors.cols() - 1;
            let sign = eigen.vectors[(0, last)].signum();
            for k in 0..6 {
                let want = sign * eigen.vectors[(k, last)];
                assert!((found[6 * problem + k] - want).abs() < 1e-4);
            }
        }
    }

    /// X of a walk after some iterations, by the formulas of Cho, Lee and Lee.
    fn walk(matrix: &[f64], rows: usize, cols: usize, walks: &RandomWalks) -> Vec<f64> {
        let n = rows * cols;
        let mut x = vec![1.0 / n as f64; n];
        for _ in 0..walks.max_iterations {
            let mut y: Vec<f64> = (0..n)
                .map(|p| (0..n).map(|q| matrix[p * n + q] * x[q]).sum())
                .collect();
            let total: f64 = y.iter().sum();
            y.iter_mut().for_each(|y| *y /= total);
            let high = y.iter().fold(0.0f64, |a, &b| a.max(b));
            let mut jump: Vec<f64> = y.iter().map(|y| (walks.beta * y / high).exp()).collect();
            for sweep in 0..walks.sweeps {
                // The shorter side first; entry (i, a) stands at a · rows + i.
                let first = (sweep % 2 == 0) == (rows <= cols);
                if first {
                    for i in 0..rows {
                        let sum: f64 = (0..cols).map(|a| jump[a * rows + i]).sum();
                        (0..cols).for_each(|a| jump[a * rows + i] /= sum);
                    }
                } else {
                    for a in 0..cols {
                        let sum: f64 = (0..rows).map(|i| jump[a * rows + i]).sum();
                        (0..rows).for_each(|i| jump[a * rows + i] /= sum);
                    }
                }
            }
            x = (y.iter().zip(&jump))
                .map(|(y, jump)| walks.alpha * jump + (1.0 - walks.alpha) * y)
                .collect();
            let total: f64 = x.iter().sum();
            x.iter_mut().for_each(|x| *x /= total);
        }
        x
    }

    #[test]
    fn walks_follow_the_formulas() {
        let walks = RandomWalks {
            alpha: 0.3,
            beta: 12.0,
            sweeps: 7,
            max_iterations: 9,
        };
        for (rows, cols) in [(2, 3), (3, 2), (3, 3)] {
            let n = rows * cols;
            let matrices = affinities(n, 2);
            let batch = Batch::new(&matrices, (rows, cols), vec![(rows, cols); 2]).unwrap();
            let start = vec![1.0 / n as f64; 2 * n];
            let found = batch
                .random_walks(start, &walks, &Monitor::silent())
                .unwrap();
            for problem in 0..2 {
                let want = walk(batch.matrix(problem), rows, cols, &walks);
                for (x, y) in found[n * problem..].iter().zip(&want) {
                    assert!((x - y).abs() < 1e-12, "{rows}×{cols}: {x} {y}");
                }
            }
        }
    }

    #[test]
    fn numbers_that_run_out_are_refused() {
        let mut matrices = affinities(4, 1);
        for bad in [f64::NAN, f64::INFINITY] {
            matrices[6] = bad;
            let batch = Batch::new(&matrices, (2, 2), vec![(2, 2)]).unwrap();
            let (start, monitor) = (vec![0.25; 4], Monitor::silent());
            let walks = RandomWalks {
                alpha: 0.2,
                beta: 30.0,
                sweeps: 20,
                max_iterations: 50,
            };
            assert!(batch.leading_vectors(start.clone(), 9, &monitor).is_err());
            assert!(batch.fixed_points(start.clone(), 9, &monitor).is_err());
            assert!(batch.random_walks(start, &walks, &monitor).is_err());
        }
        assert!(Batch::new(&matrices, (2, 2), vec![(2, 3)]).is_err());
        assert!(Batch::new(&matrices, (2, 3), vec![(2, 3)]).is_err());
    }
}
