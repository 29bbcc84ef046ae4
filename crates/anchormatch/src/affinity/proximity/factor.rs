//! Small dense algebra for the learner: scaled half-vectors of symmetric matrices, and the solution of
//! (I + YᵀY) u = r.
//!
//! The half-vector of a symmetric d×d matrix lists its D = d(d+1)/2 entries above the diagonal, row
//! after row, those off the diagonal times √2, so that inner products are kept:
//! svec(A)·svec(B) = ⟨A, B⟩.
//!
//! I + YᵀY (D×D) and I + YYᵀ (r×r) are positive definite whatever Y is, so Cholesky never breaks down;
//! the smaller of the two is factored, by (I + YᵀY)⁻¹ = I − Yᵀ(I + YYᵀ)⁻¹Y, and a few steps of
//! iterative refinement take back what that subtraction loses.

use std::f64::consts::{FRAC_1_SQRT_2, SQRT_2};

pub(super) use crate::linalg::dot;
use crate::linalg::{Matrix, multiply_into, multiply_transposed_into};

/// Refinement steps after each solve.
const REFINEMENTS: usize = 3;

/// The length of a half-vector.
pub(super) fn half_length(dimension: usize) -> usize {
    dimension * (dimension + 1) / 2
}

/// The half-vector of a symmetric matrix.
pub(super) fn half_vector(matrix: &Matrix) -> Vec<f64> {
    let d = matrix.rows();
    let mut half = Vec::with_capacity(half_length(d));
    for i in 0..d {
        half.push(matrix[(i, i)]);
        half.extend(matrix.row(i)[i + 1..].iter().map(|v| v * SQRT_2));
    }
    half
}

/// The symmetric matrix of a half-vector.
pub(super) fn from_half_vector(half: &[f64], dimension: usize) -> Matrix {
    let mut matrix = Matrix::zeros(dimension, dimension);
    let mut entries = half.iter();
    for i in 0..dimension {
        for j in i..dimension {
            let value = *entries
                .next()
                .expect("a half-vector has an entry for each pair");
            let value = if i == j { value } else { value * FRAC_1_SQRT_2 };
            matrix[(i, j)] = value;
            matrix[(j, i)] = value;
        }
    }
    matrix
}

/// Writes `scale`·svec(xxᵀ − yyᵀ).
pub(super) fn fill_difference(half: &mut [f64], scale: f64, x: &[f64], y: &[f64]) {
    let mut entries = half.iter_mut();
    for i in 0..x.len() {
        for j in i..x.len() {
            let weight = if i == j { scale } else { scale * SQRT_2 };
            *entries
                .next()
                .expect("a half-vector has an entry for each pair") =
                weight * (x[i] * x[j] - y[i] * y[j]);
        }
    }
}

/// y += a x.
pub(super) fn add_scaled(y: &mut [f64], a: f64, x: &[f64]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y += a * x;
    }
}

/// The product of two matrices.
pub(super) fn product(a: &Matrix, b: &Matrix) -> Matrix {
    let mut out = Matrix::zeros(a.rows(), b.cols());
    multiply_into(
        out.as_mut_slice(),
        a.as_slice(),
        b.as_slice(),
        a.rows(),
        a.cols(),
        b.cols(),
    );
    out
}

/// A Bᵀ.
pub(super) fn product_transposed(a: &Matrix, b: &Matrix) -> Matrix {
    let mut out = Matrix::zeros(a.rows(), b.rows());
    multiply_transposed_into(
        out.as_mut_slice(),
        a.as_slice(),
        b.as_slice(),
        a.rows(),
        a.cols(),
        b.rows(),
    );
    out
}

/// A S Aᵀ for a symmetric S, made symmetric to the last bit.
pub(super) fn congruence(a: &Matrix, s: &Matrix) -> Matrix {
    symmetrised(&product_transposed(&product(a, s), a))
}

/// ½(A + Aᵀ).
pub(super) fn symmetrised(a: &Matrix) -> Matrix {
    Matrix::from_fn(a.rows(), a.cols(), |i, j| 0.5 * (a[(i, j)] + a[(j, i)]))
}

/// Solves (I + YᵀY) u = r for one Y and several r.
pub(super) struct IdentityPlusGram {
    rows: Matrix,
    lower: Matrix,
    by_rows: bool,
}

impl IdentityPlusGram {
    /// Factors; `None` when Y is not finite.
    ///
    /// # Complexity
    /// With q = min(rows, columns) of Y: O(q² max(rows, columns)).
    pub(super) fn new(rows: Matrix) -> Option<Self> {
        let by_rows = rows.rows() < rows.cols();
        let mut gram = if by_rows {
            product_transposed(&rows, &rows)
        } else {
            let columns = rows.transposed();
            product_transposed(&columns, &columns)
        };
        for i in 0..gram.rows() {
            gram[(i, i)] += 1.0;
        }
        cholesky(&mut gram).then_some(Self {
            rows,
            lower: gram,
            by_rows,
        })
    }

    /// u.
    pub(super) fn solve(&self, right: &[f64]) -> Vec<f64> {
        let mut solution = self.once(right);
        for _ in 0..REFINEMENTS {
            let mut residual: Vec<f64> = right.iter().zip(&solution).map(|(r, u)| r - u).collect();
            for k in 0..self.rows.rows() {
                let row = self.rows.row(k);
                add_scaled(&mut residual, -dot(row, &solution), row);
            }
            let correction = self.once(&residual);
            add_scaled(&mut solution, 1.0, &correction);
        }
        solution
    }

    fn once(&self, right: &[f64]) -> Vec<f64> {
        if !self.by_rows {
            let mut solution = right.to_vec();
            substitute(&self.lower, &mut solution);
            return solution;
        }
        let mut small: Vec<f64> = (0..self.rows.rows())
            .map(|k| dot(self.rows.row(k), right))
            .collect();
        substitute(&self.lower, &mut small);
        let mut solution = right.to_vec();
        for (k, value) in small.iter().enumerate() {
            add_scaled(&mut solution, -value, self.rows.row(k));
        }
        solution
    }
}

/// Columns that Cholesky's method finishes before it updates the rest by one product.
const PANEL: usize = 48;

/// Replaces the lower triangle by Cholesky's factor, panel by panel; `false` when a pivot is not
/// finite.
fn cholesky(matrix: &mut Matrix) -> bool {
    let n = matrix.rows();
    let data = matrix.as_mut_slice();
    let mut panel = Vec::new();
    let mut update = Vec::new();
    for start in (0..n).step_by(PANEL) {
        let end = n.min(start + PANEL);
        for i in start..n {
            let (above, rest) = data.split_at_mut(i * n);
            let row = &mut rest[..n];
            for j in start..end.min(i) {
                let other = &above[j * n..j * n + j + 1];
                row[j] = (row[j] - dot(&row[start..j], &other[start..j])) / other[j];
            }
            if i < end {
                let pivot = row[i] - dot(&row[start..i], &row[start..i]);
                if !pivot.is_finite() {
                    return false;
                }
                // The identity in the sum keeps the exact pivot at 1 or more; rounding may eat it.
                row[i] = pivot.max(0.5).sqrt();
            }
        }
        // What is left loses the panel's product with itself, rows below the panel by blocks.
        let rest = n - end;
        panel.clear();
        for i in end..n {
            panel.extend_from_slice(&data[i * n + start..i * n + end]);
        }
        let width = end - start;
        for first in (0..rest).step_by(PANEL) {
            let last = rest.min(first + PANEL);
            update.resize((last - first) * last, 0.0);
            multiply_transposed_into(
                &mut update,
                &panel[first * width..last * width],
                &panel[..last * width],
                last - first,
                width,
                last,
            );
            for (row, values) in (first..last).zip(update.chunks(last)) {
                let from = (end + row) * n + end;
                add_scaled(&mut data[from..from + row + 1], -1.0, &values[..row + 1]);
            }
        }
    }
    true
}

/// Solves L Lᵀ x = b in place.
fn substitute(lower: &Matrix, x: &mut [f64]) {
    for i in 0..x.len() {
        x[i] = (x[i] - dot(&lower.row(i)[..i], &x[..i])) / lower[(i, i)];
    }
    for i in (0..x.len()).rev() {
        let value = x[i] / lower[(i, i)];
        x[i] = value;
        add_scaled(&mut x[..i], -value, &lower.row(i)[..i]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wave(rows: usize, cols: usize, scale: f64) -> Matrix {
        Matrix::from_fn(rows, cols, |i, j| {
            scale * ((i * 31 + j * 17) as f64 * 0.7).sin()
        })
    }

    #[test]
    fn half_vectors_keep_inner_products() {
        let (a, b) = (symmetrised(&wave(5, 5, 1.0)), symmetrised(&wave(5, 5, 3.0)));
        let full = dot(a.as_slice(), b.as_slice());
        assert!((dot(&half_vector(&a), &half_vector(&b)) - full).abs() < 1e-12);
        let back = from_half_vector(&half_vector(&a), 5);
        for (x, y) in back.as_slice().iter().zip(a.as_slice()) {
            assert!((x - y).abs() < 1e-15);
        }
    }

    #[test]
    fn both_forms_solve_the_system() {
        for (rows, cols) in [
            (0, 3),
            (3, 7),
            (7, 3),
            (6, 6),
            (40, 12),
            (150, 140),
            (120, 160),
        ] {
            for scale in [1e-3, 1.0, 1e4] {
                let y = wave(rows, cols, scale);
                let right: Vec<f64> = (0..cols).map(|j| (j as f64).cos()).collect();
                let u = IdentityPlusGram::new(y.clone()).unwrap().solve(&right);
                let mut back = u.clone();
                for k in 0..rows {
                    add_scaled(&mut back, dot(y.row(k), &u), y.row(k));
                }
                // A backward stable solve leaves ε‖I + YᵀY‖‖u‖.
                let allowed = 1e-14 * (1.0 + scale * scale * (rows * cols) as f64);
                for (b, r) in back.iter().zip(&right) {
                    assert!((b - r).abs() < allowed, "{rows}×{cols} at {scale}: {b} {r}");
                }
            }
        }
    }

    #[test]
    fn infinite_rows_are_refused() {
        assert!(IdentityPlusGram::new(Matrix::filled(1, 2, f64::INFINITY)).is_none());
        assert!(IdentityPlusGram::new(Matrix::filled(2, 1, f64::NAN)).is_none());
    }
}
