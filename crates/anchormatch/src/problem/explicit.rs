//! W as a matrix with (n₁ n₂)² entries: for small problems and for affinities that a caller brings.

use rayon::prelude::*;

use super::{Pairwise, Problem, Sense, with_linear};
use crate::error::{Error, Hint, Result};
use crate::linalg::{Matrix, dot};
use crate::monitor::Monitor;

/// Rows of W that one task multiplies.
const BLOCK_ROWS: usize = 64;

/// Below this many entries, W is multiplied on one thread.
const PARALLEL_ENTRIES: usize = 1 << 18;

/// A dense pairwise operator; row and column i·n₂ + a belong to the assignment (i, a).
#[derive(Debug, Clone)]
pub struct ExplicitPairwise {
    rows: usize,
    cols: usize,
    matrix: Matrix,
    bounds: (f64, f64),
}

impl ExplicitPairwise {
    /// Takes the off-diagonal part of `matrix`; entries of conflicting assignments are set to zero.
    ///
    /// # Errors
    /// When the matrix is not (n₁ n₂)², not finite or not symmetric to 1e-9 of the largest entry that is
    /// taken; what differs by less is evened out.
    pub fn new(rows: usize, cols: usize, mut matrix: Matrix) -> Result<Self> {
        let size = rows * cols;
        if (matrix.rows(), matrix.cols()) != (size, size) {
            return Err(Error::parameter(
                "W",
                format!("a {}×{} matrix", matrix.rows(), matrix.cols()),
                format!("{size}×{size} for {rows}×{cols} assignments"),
            ));
        }
        let mut largest = 0.0f64;
        for p in 0..size {
            let (i, a) = (p / cols, p % cols);
            for (j, block) in matrix.row_mut(p).chunks_mut(cols).enumerate() {
                if let Some(value) = block.iter().find(|v| !v.is_finite()) {
                    return Err(Error::parameter("W", value, "finite numbers"));
                }
                block[a] = 0.0;
                if i == j {
                    block.fill(0.0);
                }
                largest = block.iter().fold(largest, |m, v| m.max(v.abs()));
            }
        }
        let mut bounds = (f64::INFINITY, f64::NEG_INFINITY);
        // Row block by row block, so that both triangles are read from the cache.
        for (i, j) in (0..rows).flat_map(|i| (0..i).map(move |j| (i, j))) {
            for (a, b) in (0..cols).flat_map(|a| (0..cols).map(move |b| (a, b))) {
                if a == b {
                    continue;
                }
                let (p, q) = (i * cols + a, j * cols + b);
                let (below, above) = (matrix[(p, q)], matrix[(q, p)]);
                if (below - above).abs() > 1e-9 * largest {
                    return Err(Error::parameter(
                        "W",
                        format!("{below} at ({p}, {q}) and {above} at ({q}, {p})"),
                        "a symmetric matrix",
                    ));
                }
                if below != above {
                    matrix[(p, q)] = 0.5 * below + 0.5 * above;
                    matrix[(q, p)] = matrix[(p, q)];
                }
                bounds = (bounds.0.min(matrix[(p, q)]), bounds.1.max(matrix[(p, q)]));
            }
        }
        Ok(Self {
            rows,
            cols,
            matrix,
            bounds: if bounds.0 <= bounds.1 {
                bounds
            } else {
                (0.0, 0.0)
            },
        })
    }

    /// The program xᵀKx (+ Σ linear) over all assignments; K need not be symmetric.
    ///
    /// # Errors
    /// As [`new`](Self::new), and when the linear part has another shape.
    pub fn problem(
        sense: Sense,
        (rows, cols): (usize, usize),
        mut matrix: Matrix,
        linear: Option<&Matrix>,
    ) -> Result<Problem> {
        if matrix.rows() == matrix.cols() {
            symmetrise(&mut matrix);
        }
        let diagonal = (0..matrix.rows().min(matrix.cols())).map(|p| matrix[(p, p)]);
        let diagonal = diagonal.collect();
        let pairwise = Self::new(rows, cols, matrix)?;
        let unary = with_linear(Matrix::from_vec(rows, cols, diagonal).into(), linear)?;
        Problem::new(sense, unary, Box::new(pairwise))
    }

    /// W(ia, jb) = `affinity(x_ij, y_ab)` for symmetric `x` and `y`.
    ///
    /// # Errors
    /// When W does not fit in the monitor's memory, or an entry is not finite.
    pub fn from_values(
        x: &Matrix,
        y: &Matrix,
        affinity: impl Fn(f64, f64) -> f64,
        monitor: &Monitor,
    ) -> Result<Self> {
        let (rows, cols) = (x.rows(), y.rows());
        let size = (rows as u64).saturating_mul(cols as u64);
        monitor.reserve(
            "an explicit affinity matrix",
            size.saturating_mul(size).saturating_mul(8),
            &[Hint::MoreMemory, Hint::SeparableKernel],
        )?;
        let mut matrix = Matrix::zeros(rows * cols, rows * cols);
        for p in 0..rows * cols {
            let (i, a) = (p / cols, p % cols);
            for (j, block) in matrix.row_mut(p).chunks_mut(cols).enumerate() {
                if i != j {
                    for (b, slot) in block.iter_mut().enumerate().filter(|(b, _)| *b != a) {
                        *slot = affinity(x[(i, j)], y[(a, b)]);
                    }
                }
            }
        }
        Self::new(rows, cols, matrix)
    }
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

impl Pairwise for ExplicitPairwise {
    fn shape(&self) -> (usize, usize) {
        (self.rows, self.cols)
    }

    fn value(&self, i: usize, a: usize, j: usize, b: usize) -> f64 {
        self.matrix[(i * self.cols + a, j * self.cols + b)]
    }

    fn apply(&self, x: &[f64], out: &mut [f64], _scratch: &mut [f64]) {
        let size = self.rows * self.cols;
        if size == 0 {
            return;
        }
        let block = |(slots, rows): (&mut [f64], &[f64])| {
            for (slot, row) in slots.iter_mut().zip(rows.chunks(size)) {
                *slot = dot(row, x);
            }
        };
        let entries = self.matrix.as_slice();
        if entries.len() < PARALLEL_ENTRIES {
            block((out, entries));
        } else {
            out.par_chunks_mut(BLOCK_ROWS)
                .zip(entries.par_chunks(BLOCK_ROWS * size))
                .for_each(block);
        }
    }

    fn scratch_len(&self) -> usize {
        0
    }

    fn memory(&self) -> u64 {
        size_of_val(self.matrix.as_slice()) as u64
    }

    fn bounds(&self) -> (f64, f64) {
        self.bounds
    }

    fn add_interactions(&self, j: usize, b: usize, scale: f64, gradient: &mut [f64]) {
        for (slot, value) in gradient.iter_mut().zip(self.matrix.row(j * self.cols + b)) {
            *slot += scale * value;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_support::assert_is_its_values;
    use super::*;
    use crate::problem::SparsePairwise;

    #[test]
    fn programs_of_any_matrix_count_every_entry_once() {
        // More rows than a block has, and neither half like the other.
        let (rows, cols) = (9, 10);
        let entry = |p: usize, q: usize| ((p * 37 + q * 11) % 23) as f64 - 9.0;
        let matrix = Matrix::from_fn(90, 90, entry);
        let linear = Matrix::from_fn(rows, cols, |i, a| (i + 2 * a) as f64);
        let shape = (rows, cols);
        let problem =
            ExplicitPairwise::problem(Sense::Maximise, shape, matrix.clone(), Some(&linear));
        let listed = (0..90).flat_map(|p| (0..90).map(move |q| (p, q, entry(p, q))));
        let sparse = SparsePairwise::problem(Sense::Maximise, shape, listed, Some(&linear));
        for problem in [problem.unwrap(), sparse.unwrap()] {
            for shift in 0..cols {
                let places: Vec<usize> = (0..rows)
                    .map(|i| i * cols + (3 * i + shift) % cols)
                    .collect();
                let pairs = places
                    .iter()
                    .flat_map(|&p| places.iter().map(move |&q| entry(p, q)));
                let alone = places.iter().map(|&p| linear[(p / cols, p % cols)]);
                let want = pairs.sum::<f64>() + alone.sum::<f64>();
                let assignment = places.iter().map(|p| Some(p % cols)).collect();
                assert_eq!(problem.objective(&assignment), want);
            }
        }
        let wrong = Matrix::zeros(cols, rows);
        assert!(ExplicitPairwise::problem(Sense::Maximise, shape, matrix, Some(&wrong)).is_err());
        let narrow = Matrix::zeros(90, 89);
        assert!(ExplicitPairwise::problem(Sense::Maximise, shape, narrow, None).is_err());
        for bad in [(0, 90, 1.0), (90, 90, 1.0), (1, 2, f64::NAN)] {
            assert!(SparsePairwise::problem(Sense::Maximise, shape, [bad], None).is_err());
        }
    }

    #[test]
    fn conflicts_are_zero_and_products_are_sums() {
        let matrix = Matrix::from_fn(6, 6, |p, q| 1.0 + (p * q) as f64);
        let w = ExplicitPairwise::new(2, 3, matrix).unwrap();
        assert_is_its_values(&w, 1e-12);
    }

    #[test]
    fn bad_matrices_are_refused() {
        assert!(ExplicitPairwise::new(2, 2, Matrix::zeros(3, 3)).is_err());
        assert!(ExplicitPairwise::new(2, 2, Matrix::filled(4, 4, f64::NAN)).is_err());
        let skew = Matrix::from_fn(4, 4, |p, q| p as f64 - q as f64);
        assert!(ExplicitPairwise::new(2, 2, skew).is_err());
    }

    #[test]
    fn memory_is_checked_before_it_is_taken() {
        let x = Matrix::zeros(1000, 1000);
        let monitor = Monitor::silent().max_memory(1 << 30);
        let error = ExplicitPairwise::from_values(&x, &x, |_, _| 0.0, &monitor).unwrap_err();
        assert!(error.to_string().contains("7.3 TiB"), "{error}");
    }
}
