//! W as a matrix with (n₁ n₂)² entries: for small problems and for affinities that a caller brings.

use rayon::prelude::*;

use super::Pairwise;
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
            for q in 0..size {
                let value = matrix[(p, q)];
                if !value.is_finite() {
                    return Err(Error::parameter("W", value, "finite numbers"));
                }
                if p / cols == q / cols || p % cols == q % cols {
                    matrix[(p, q)] = 0.0;
                }
                largest = largest.max(matrix[(p, q)].abs());
            }
        }
        let mut bounds = (f64::INFINITY, f64::NEG_INFINITY);
        for p in 0..size {
            for q in (0..p).filter(|q| p / cols != q / cols && p % cols != q % cols) {
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
        let matrix = Matrix::from_fn(rows * cols, rows * cols, |p, q| {
            let (i, a, j, b) = (p / cols, p % cols, q / cols, q % cols);
            if i == j || a == b {
                0.0
            } else {
                affinity(x[(i, j)], y[(a, b)])
            }
        });
        Self::new(rows, cols, matrix)
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
    use super::*;

    #[test]
    fn conflicts_are_zero_and_products_are_sums() {
        let matrix = Matrix::from_fn(6, 6, |p, q| 1.0 + (p * q) as f64);
        let w = ExplicitPairwise::new(2, 3, matrix).unwrap();
        let x: Vec<f64> = (0..6).map(|v| f64::from(v) - 2.0).collect();
        let mut out = vec![f64::NAN; 6];
        w.apply(&x, &mut out, &mut []);
        for i in 0..2 {
            for a in 0..3 {
                assert_eq!(w.value(i, a, i, (a + 1) % 3), 0.0);
                assert_eq!(w.value(i, a, 1 - i, a), 0.0);
                let mut want = 0.0;
                for j in 0..2 {
                    for b in 0..3 {
                        want += w.value(i, a, j, b) * x[j * 3 + b];
                    }
                }
                assert_eq!(out[i * 3 + a], want);
            }
        }
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
