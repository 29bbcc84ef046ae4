//! Square matrices of weights between the nodes of one side, dense or sparse, each with the products
//! that the product form needs.

use std::borrow::Cow;

use rayon::prelude::*;

use crate::error::{Error, Result};
use crate::linalg::{Matrix, multiply_into, multiply_transposed_into};

/// Rows that one task of a sparse product computes.
const SPARSE_ROWS: usize = 32;

/// A square matrix of weights between the nodes of one side.
#[derive(Debug, Clone)]
pub enum Weights {
    /// All n² entries.
    Dense(Matrix),
    /// Rows of (column, entry), columns ascending, zeros left out.
    Sparse(Vec<Vec<(u32, f64)>>),
}

impl Weights {
    /// The entries of a square matrix that are not zero.
    #[must_use]
    pub fn sparse(matrix: &Matrix) -> Self {
        let row = |i: usize| {
            let entries = matrix.row(i).iter().enumerate();
            entries
                .filter(|e| *e.1 != 0.0)
                .map(|(j, &v)| (j as u32, v))
                .collect()
        };
        Self::Sparse((0..matrix.rows()).map(row).collect())
    }

    /// The number of nodes.
    #[must_use]
    pub fn nodes(&self) -> usize {
        match self {
            Self::Dense(matrix) => matrix.rows(),
            Self::Sparse(rows) => rows.len(),
        }
    }

    /// Entry (i, j).
    #[must_use]
    pub fn get(&self, i: usize, j: usize) -> f64 {
        match self {
            Self::Dense(matrix) => matrix[(i, j)],
            Self::Sparse(rows) => rows[i]
                .binary_search_by_key(&(j as u32), |entry| entry.0)
                .map_or(0.0, |place| rows[i][place].1),
        }
    }

    /// The n×n matrix.
    #[must_use]
    pub fn dense(&self) -> Matrix {
        match self {
            Self::Dense(matrix) => matrix.clone(),
            Self::Sparse(rows) => {
                let mut matrix = Matrix::zeros(rows.len(), rows.len());
                for (i, row) in rows.iter().enumerate() {
                    for &(j, value) in row {
                        matrix[(i, j as usize)] = value;
                    }
                }
                matrix
            }
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
        let n = self.nodes();
        let finite = match self {
            Self::Dense(matrix) => {
                if matrix.cols() != n {
                    return Err(Error::parameter(
                        name,
                        format!("a {n}×{} matrix", matrix.cols()),
                        "a square one",
                    ));
                }
                matrix.as_slice().iter().all(|v| v.is_finite())
            }
            Self::Sparse(rows) => {
                let sorted = rows.iter().all(|row| {
                    row.windows(2).all(|w| w[0].0 < w[1].0)
                        && row.last().is_none_or(|entry| (entry.0 as usize) < n)
                });
                if !sorted {
                    return Err(Error::parameter(
                        name,
                        "columns out of order or range",
                        format!("ascending columns below {n} in every row"),
                    ));
                }
                rows.iter().flatten().all(|entry| entry.1.is_finite())
            }
        };
        if finite {
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
        let n = self.nodes();
        let diagonal = (0..n).map(|i| self.get(i, i)).collect();
        match self {
            Self::Dense(matrix) => (0..n).for_each(|i| matrix[(i, i)] = 0.0),
            Self::Sparse(rows) => {
                for (i, row) in rows.iter_mut().enumerate() {
                    row.retain(|entry| entry.0 as usize != i);
                }
            }
        }
        diagonal
    }

    /// The square block of these rows and columns, in these orders.
    pub(crate) fn select(&self, kept_rows: &[usize], kept_columns: &[usize]) -> Self {
        match self {
            Self::Dense(matrix) => Self::Dense(matrix.select(kept_rows, kept_columns)),
            Self::Sparse(rows) => {
                let mut place = vec![None; rows.len()];
                for (new, &old) in kept_columns.iter().enumerate() {
                    place[old] = Some(new as u32);
                }
                let row = |&i: &usize| {
                    let entries = rows[i].iter();
                    let mut row: Vec<(u32, f64)> = entries
                        .filter_map(|&(j, value)| place[j as usize].map(|j| (j, value)))
                        .collect();
                    row.sort_by_key(|entry| entry.0);
                    row
                };
                Self::Sparse(kept_rows.iter().map(row).collect())
            }
        }
    }

    pub(crate) fn transposed(&self) -> Self {
        match self {
            Self::Dense(matrix) => Self::Dense(matrix.transposed()),
            Self::Sparse(rows) => {
                let mut columns = vec![Vec::new(); rows.len()];
                for (i, row) in rows.iter().enumerate() {
                    for &(j, value) in row {
                        columns[j as usize].push((i as u32, value));
                    }
                }
                Self::Sparse(columns)
            }
        }
    }

    pub(crate) fn is_symmetric(&self) -> bool {
        match self {
            Self::Dense(matrix) => {
                let n = matrix.rows();
                (0..n).all(|i| (0..i).all(|j| matrix[(i, j)] == matrix[(j, i)]))
            }
            Self::Sparse(rows) => rows.iter().enumerate().all(|(i, row)| {
                row.iter()
                    .all(|&(j, value)| self.get(j as usize, i) == value)
            }),
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
            (Self::Sparse(rows), Self::Sparse(other)) => Self::Sparse(
                rows.iter()
                    .zip(other)
                    .map(|(row, column)| {
                        let mut both: Vec<(u32, f64)> = row
                            .iter()
                            .copied()
                            .chain(column)
                            .map(|(j, v)| (j, factor * v))
                            .collect();
                        both.sort_by_key(|entry| entry.0);
                        let mut merged: Vec<(u32, f64)> = Vec::with_capacity(both.len());
                        for (j, value) in both {
                            match merged.last_mut() {
                                Some(last) if last.0 == j => last.1 += value,
                                _ => merged.push((j, value)),
                            }
                        }
                        merged
                    })
                    .collect(),
            ),
            _ => unreachable!("a transpose keeps its kind"),
        }
    }

    pub(super) fn range(&self) -> (f64, f64) {
        let n = self.nodes();
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
            Self::Sparse(rows) => {
                let (low, high) = fold(&mut rows.iter().flatten().map(|entry| entry.1));
                (low.min(0.0), high.max(0.0))
            }
        }
    }

    pub(super) fn entries(&self) -> usize {
        match self {
            Self::Dense(matrix) => matrix.as_slice().len(),
            Self::Sparse(rows) => rows.iter().map(Vec::len).sum(),
        }
    }

    /// `out = self · x`, x n×m row-major.
    pub(crate) fn multiply(&self, x: &[f64], out: &mut [f64], m: usize) {
        let n = self.nodes();
        match self {
            Self::Dense(matrix) => multiply_into(out, matrix.as_slice(), x, n, n, m),
            Self::Sparse(rows) => {
                out.par_chunks_mut((SPARSE_ROWS * m).max(1))
                    .enumerate()
                    .for_each(|(block, out)| {
                        for (offset, slot) in out.chunks_mut(m).enumerate() {
                            slot.fill(0.0);
                            for &(j, value) in &rows[block * SPARSE_ROWS + offset] {
                                let from = &x[j as usize * m..(j as usize + 1) * m];
                                for (slot, x) in slot.iter_mut().zip(from) {
                                    *slot += value * x;
                                }
                            }
                        }
                    });
            }
        }
    }

    /// `out = x · selfᵀ`, x k×n row-major.
    pub(crate) fn multiply_right(&self, x: &[f64], out: &mut [f64], k: usize) {
        let n = self.nodes();
        match self {
            Self::Dense(matrix) => multiply_transposed_into(out, x, matrix.as_slice(), k, n, n),
            Self::Sparse(rows) => {
                out.par_chunks_mut((SPARSE_ROWS * n).max(1))
                    .zip(x.par_chunks((SPARSE_ROWS * n).max(1)))
                    .for_each(|(out, x)| {
                        for (out, x) in out.chunks_mut(n).zip(x.chunks(n)) {
                            for (slot, row) in out.iter_mut().zip(rows) {
                                *slot = row.iter().map(|&(j, v)| v * x[j as usize]).sum();
                            }
                        }
                    });
            }
        }
    }

    /// Calls `visit(k, M_kj)` for the entries of column j, read from the transpose.
    pub(crate) fn visit_row(&self, j: usize, mut visit: impl FnMut(usize, f64)) {
        match self {
            Self::Dense(matrix) => {
                matrix
                    .row(j)
                    .iter()
                    .enumerate()
                    .for_each(|(k, &v)| visit(k, v));
            }
            Self::Sparse(rows) => rows[j].iter().for_each(|&(k, v)| visit(k as usize, v)),
        }
    }
}
