//! Numbers in sparse rows: full matrices made of them and into them, and products.

use rayon::prelude::*;

use super::Csr;
use crate::linalg::Matrix;

/// Rows that one task of a product computes.
const BLOCK: usize = 32;

impl Csr<f64> {
    /// The entries of a matrix that are not zero.
    ///
    /// # Panics
    /// When there are more than 2³² columns.
    #[must_use]
    pub fn from_dense(matrix: &Matrix) -> Self {
        let mut sparse = Self::empty(0, matrix.cols());
        for i in 0..matrix.rows() {
            for (j, &value) in matrix.row(i).iter().enumerate() {
                if value != 0.0 {
                    sparse.columns.push(j as u32);
                    sparse.values.push(value);
                }
            }
            sparse.offsets.push(sparse.columns.len());
        }
        sparse
    }

    /// The full matrix, zero where there is no entry.
    #[must_use]
    pub fn to_dense(&self) -> Matrix {
        let mut matrix = Matrix::zeros(self.rows(), self.cols);
        for (i, j, value) in self.triplets() {
            matrix[(i, j)] = value;
        }
        matrix
    }

    /// `out = self · X`, X with `width` columns, row-major.
    ///
    /// # Panics
    /// When a block has another size.
    ///
    /// # Complexity
    /// O(entries · width) time; the same bits on any number of threads.
    pub fn multiply_into(&self, out: &mut [f64], x: &[f64], width: usize) {
        assert_eq!(x.len(), self.cols * width, "a row of X for each column");
        assert_eq!(out.len(), self.rows() * width, "a row of the result each");
        if width == 0 {
            return;
        }
        out.par_chunks_mut(BLOCK * width)
            .enumerate()
            .for_each(|(block, out)| {
                for (offset, slots) in out.chunks_mut(width).enumerate() {
                    slots.fill(0.0);
                    for (j, value) in self.row(block * BLOCK + offset) {
                        let from = &x[j * width..(j + 1) * width];
                        for (slot, x) in slots.iter_mut().zip(from) {
                            *slot += value * x;
                        }
                    }
                }
            });
    }

    /// `self · other`; sums run over ascending columns, fused as in dense products.
    ///
    /// # Panics
    /// When `other` has not as many rows as `self` has columns.
    ///
    /// # Complexity
    /// O(Σ entries of `other` in the rows that each entry of `self` names) time, O(columns) memory
    /// beside the result.
    #[must_use]
    pub fn multiply(&self, other: &Self) -> Self {
        assert_eq!(self.cols, other.rows(), "a row for each column");
        let mut product = Self::empty(0, other.cols);
        let mut sums = vec![0.0f64; other.cols];
        let mut is_touched = vec![false; other.cols];
        let mut touched = Vec::new();
        for i in 0..self.rows() {
            for (k, x) in self.row(i) {
                for (j, y) in other.row(k) {
                    sums[j] = x.mul_add(y, sums[j]);
                    if !std::mem::replace(&mut is_touched[j], true) {
                        touched.push(j as u32);
                    }
                }
            }
            touched.sort_unstable();
            for j in touched.drain(..) {
                product.columns.push(j);
                product.values.push(sums[j as usize]);
                (sums[j as usize], is_touched[j as usize]) = (0.0, false);
            }
            product.offsets.push(product.columns.len());
        }
        product
    }

    /// `out = X · selfᵀ`, X row-major with as many columns as `self` has.
    ///
    /// # Panics
    /// When the blocks do not fit.
    ///
    /// # Complexity
    /// O(entries) time for each row of X; the same bits on any number of threads.
    pub fn multiply_transposed_into(&self, out: &mut [f64], x: &[f64]) {
        let (rows, cols) = (self.rows(), self.cols);
        if rows == 0 {
            assert!(out.is_empty(), "no rows, no result");
            return;
        }
        if cols == 0 {
            out.fill(0.0);
            return;
        }
        assert_eq!(
            x.len() / cols * rows,
            out.len(),
            "a row of the result for each row of X"
        );
        out.par_chunks_mut(BLOCK * rows)
            .zip(x.par_chunks(BLOCK * cols))
            .for_each(|(out, x)| {
                for (out, x) in out.chunks_mut(rows).zip(x.chunks(cols)) {
                    for (i, slot) in out.iter_mut().enumerate() {
                        *slot = self.row(i).map(|(j, value)| value * x[j]).sum();
                    }
                }
            });
    }
}
