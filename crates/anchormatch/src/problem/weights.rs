//! Square matrices of weights between the nodes of one side, dense or sparse, each with the products
//! that the product form needs.

use std::borrow::Cow;

use crate::error::{Error, Result};
use crate::linalg::{Csr, Matrix, multiply_transposed_into, multiply_while};

/// A square matrix of weights between the nodes of one side.
#[derive(Debug, Clone)]
pub enum Weights {
    /// All n² entries.
    Dense(Matrix),
    /// Those that are listed; the others are zero.
    Sparse(Csr<f64>),
}

impl Weights {
    /// The entries of a square matrix that are not zero.
    #[must_use]
    pub fn sparse(matrix: &Matrix) -> Self {
        Self::Sparse(Csr::from_dense(matrix))
    }

    /// The number of nodes.
    #[must_use]
    pub fn node_count(&self) -> usize {
        match self {
            Self::Dense(matrix) => matrix.rows(),
            Self::Sparse(listed) => listed.rows(),
        }
    }

    /// Entry (i, j).
    #[must_use]
    pub fn get(&self, i: usize, j: usize) -> f64 {
        match self {
            Self::Dense(matrix) => matrix[(i, j)],
            Self::Sparse(listed) => listed.get(i, j).unwrap_or(0.0),
        }
    }

    /// The n×n matrix.
    #[must_use]
    pub fn dense(&self) -> Matrix {
        match self {
            Self::Dense(matrix) => matrix.clone(),
            Self::Sparse(listed) => listed.to_dense(),
        }
    }

    /// The n×n matrix, borrowed when it is there.
    pub(super) fn full(&self) -> Cow<'_, Matrix> {
        match self {
            Self::Dense(matrix) => Cow::Borrowed(matrix),
            Self::Sparse(_) => Cow::Owned(self.dense()),
        }
    }

    pub(crate) fn check(&self, name: &'static str) -> Result<()> {
        let n = self.node_count();
        let (cols, values) = match self {
            Self::Dense(matrix) => (matrix.cols(), matrix.as_slice()),
            Self::Sparse(listed) => (listed.cols(), listed.values()),
        };
        if cols != n {
            return Err(Error::parameter(
                name,
                format!("a {n}×{cols} matrix"),
                "a square one",
            ));
        }
        if values.iter().all(|v| v.is_finite()) {
            Ok(())
        } else {
            Err(Error::parameter(
                name,
                "an entry that is not finite",
                "finite numbers",
            ))
        }
    }

    /// Takes the diagonal out.
    pub(super) fn split_diagonal(&mut self) -> Vec<f64> {
        let n = self.node_count();
        let diagonal = (0..n).map(|i| self.get(i, i)).collect();
        match self {
            Self::Dense(matrix) => (0..n).for_each(|i| matrix[(i, i)] = 0.0),
            Self::Sparse(listed) => *listed = listed.filtered(|i, j, _| i != j),
        }
        diagonal
    }

    /// The square block of these rows and columns, in these orders.
    pub(crate) fn select(&self, kept_rows: &[usize], kept_columns: &[usize]) -> Self {
        match self {
            Self::Dense(matrix) => Self::Dense(matrix.select(kept_rows, kept_columns)),
            Self::Sparse(listed) => Self::Sparse(listed.select(kept_rows, kept_columns)),
        }
    }

    pub(crate) fn transposed(&self) -> Self {
        match self {
            Self::Dense(matrix) => Self::Dense(matrix.transposed()),
            Self::Sparse(listed) => Self::Sparse(listed.transposed()),
        }
    }

    pub(crate) fn is_symmetric(&self) -> bool {
        match self {
            Self::Dense(matrix) => {
                let n = matrix.rows();
                (0..n).all(|i| (0..i).all(|j| matrix[(i, j)] == matrix[(j, i)]))
            }
            Self::Sparse(listed) => listed
                .triplets()
                .all(|(i, j, value)| self.get(j, i) == value),
        }
    }

    /// ½ (M + Mᵀ).
    pub(super) fn symmetrised(&self) -> Self {
        self.plus_transposed(0.5)
    }

    /// factor (M + Mᵀ).
    pub(crate) fn plus_transposed(&self, factor: f64) -> Self {
        let other = self.transposed();
        match (self, other) {
            (Self::Dense(matrix), Self::Dense(mut other)) => {
                for (slot, value) in other.as_mut_slice().iter_mut().zip(matrix.as_slice()) {
                    *slot = factor * (*slot + value);
                }
                Self::Dense(other)
            }
            (Self::Sparse(listed), Self::Sparse(other)) => {
                let both = listed.triplets().chain(other.triplets());
                let scaled = both.map(|(i, j, value)| (i, j, factor * value));
                let sum = Csr::from_triplets(listed.rows(), listed.cols(), scaled);
                Self::Sparse(sum.expect("entries of a matrix and its transpose"))
            }
            _ => unreachable!("a transpose keeps its kind"),
        }
    }

    pub(super) fn range(&self) -> (f64, f64) {
        let n = self.node_count();
        let fold = |values: &mut dyn Iterator<Item = f64>| {
            values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| {
                (low.min(v), high.max(v))
            })
        };
        match self {
            Self::Dense(matrix) => fold(
                &mut (0..n * n)
                    .filter(|e| e / n != e % n)
                    .map(|e| matrix.as_slice()[e]),
            ),
            Self::Sparse(listed) => {
                let (low, high) = fold(&mut listed.values().iter().copied());
                (low.min(0.0), high.max(0.0))
            }
        }
    }

    /// The number of entries stored.
    pub(crate) fn entries(&self) -> usize {
        match self {
            Self::Dense(matrix) => matrix.as_slice().len(),
            Self::Sparse(listed) => listed.entries(),
        }
    }

    /// `out = self · x`, x n×m row-major.
    pub(crate) fn multiply(&self, x: &[f64], out: &mut [f64], m: usize) {
        self.multiply_while(x, out, m, &|| true);
    }

    /// [`multiply`](Self::multiply); `false` when `go_on` cut it short.
    pub(crate) fn multiply_while(
        &self,
        x: &[f64],
        out: &mut [f64],
        m: usize,
        go_on: &(dyn Fn() -> bool + Sync),
    ) -> bool {
        let n = self.node_count();
        match self {
            Self::Dense(matrix) => multiply_while(out, matrix.as_slice(), x, (n, n, m), go_on),
            Self::Sparse(listed) => {
                listed.multiply_into(out, x, m);
                true
            }
        }
    }

    /// `out = x · selfᵀ`, x k×n row-major.
    pub(crate) fn multiply_right(&self, x: &[f64], out: &mut [f64], k: usize) {
        let n = self.node_count();
        match self {
            Self::Dense(matrix) => multiply_transposed_into(out, x, matrix.as_slice(), k, n, n),
            Self::Sparse(listed) => listed.multiply_transposed_into(out, x),
        }
    }

    /// Calls `visit(k, M_jk)` for the entries of row j.
    pub(crate) fn visit_row(&self, j: usize, mut visit: impl FnMut(usize, f64)) {
        match self {
            Self::Dense(matrix) => {
                matrix
                    .row(j)
                    .iter()
                    .enumerate()
                    .for_each(|(k, &v)| visit(k, v));
            }
            Self::Sparse(listed) => listed.row(j).for_each(|(k, v)| visit(k, v)),
        }
    }
}
