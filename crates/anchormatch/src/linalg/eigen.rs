//! Symmetric eigenpairs, and the projection on the positive semidefinite cone.

use faer::diag::Diag;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::{self, ComputeEigenvectors};
use faer::{Mat, MatRef, Par};

use super::{Matrix, multiply_transposed_into};
use crate::error::{Error, Result};

/// How many parts the eigensolver cuts its work into: fixed, so that its rounding never depends on
/// the number of threads that happen to run the parts.
const PARTS: usize = 4;

/// Below this size the eigensolver stays on one thread.
const PARALLEL_SIZE: usize = 256;

/// The largest entries of matrices that the eigensolver takes as they are; beyond them it squares to
/// infinity or zero and does not converge.
const ORDINARY: std::ops::Range<f64> = 1e-50..1e50;

/// Eigenvalues in ascending order and their eigenvectors.
#[derive(Debug, Clone, PartialEq)]
pub struct SymmetricEigen {
    /// λ₁ ≤ λ₂ ≤ …
    pub values: Vec<f64>,
    /// Column k is the unit eigenvector of `values[k]`.
    pub vectors: Matrix,
}

/// All eigenpairs of a symmetric matrix; only the lower triangle is read.
///
/// # Errors
/// When the matrix has a NaN or an infinity, or the iteration does not converge.
///
/// # Panics
/// When the matrix is not square.
pub fn symmetric_eigen(matrix: &Matrix) -> Result<SymmetricEigen> {
    let n = matrix.rows();
    assert_eq!(n, matrix.cols(), "an eigenproblem is square");
    if matrix.as_slice().iter().any(|v| !v.is_finite()) {
        return Err(Error::Numerics(
            "a matrix to decompose has a value that is not finite".into(),
        ));
    }
    if n == 0 {
        return Ok(SymmetricEigen {
            values: Vec::new(),
            vectors: Matrix::zeros(0, 0),
        });
    }
    let unit = unit(matrix);
    if unit != 1.0 {
        let scaled = Matrix::from_fn(n, n, |i, j| matrix[(i, j)] / unit);
        let mut eigen = symmetric_eigen(&scaled)?;
        eigen.values.iter_mut().for_each(|value| *value *= unit);
        return Ok(eigen);
    }
    let par = if n < PARALLEL_SIZE {
        Par::Seq
    } else {
        Par::rayon(PARTS)
    };
    // Row-major read as column-major is the transpose: the triangle read is then the upper one.
    let view = MatRef::from_row_major_slice(matrix.as_slice(), n, n);
    let mut values = Diag::<f64>::zeros(n);
    let mut vectors = Mat::<f64>::zeros(n, n);
    let mut memory = MemBuffer::new(evd::self_adjoint_evd_scratch::<f64>(
        n,
        ComputeEigenvectors::Yes,
        par,
        Default::default(),
    ));
    evd::self_adjoint_evd(
        view,
        values.as_mut(),
        Some(vectors.as_mut()),
        par,
        MemStack::new(&mut memory),
        Default::default(),
    )
    .map_err(|_| {
        Error::Numerics(format!(
            "the eigenvalues of a {n}×{n} matrix did not converge"
        ))
    })?;
    Ok(SymmetricEigen {
        values: (0..n).map(|k| values.column_vector()[k]).collect(),
        vectors: Matrix::from_fn(n, n, |i, k| vectors[(i, k)]),
    })
}

/// A power of two that brings the entries into the ordinary range, where they are not; dividing by it
/// rounds nothing.
fn unit(matrix: &Matrix) -> f64 {
    let entries = matrix.as_slice().iter();
    let largest = entries.fold(0.0f64, |most, v| most.max(v.abs()));
    if largest == 0.0 || ORDINARY.contains(&largest) {
        return 1.0;
    }
    const EXPONENT: u64 = 0x7ff << 52;
    f64::from_bits(largest.to_bits() & EXPONENT).max(f64::MIN_POSITIVE)
}

/// Π₊(M): the nearest positive semidefinite matrix in the Frobenius norm, which drops the negative
/// eigenvalues.
///
/// # Errors
/// As [`symmetric_eigen`].
pub fn project_psd(matrix: &Matrix) -> Result<Matrix> {
    let n = matrix.rows();
    let eigen = symmetric_eigen(matrix)?;
    let root = Matrix::from_fn(n, n, |i, k| {
        eigen.vectors[(i, k)] * eigen.values[k].max(0.0).sqrt()
    });
    let mut projected = Matrix::zeros(n, n);
    multiply_transposed_into(
        projected.as_mut_slice(),
        root.as_slice(),
        root.as_slice(),
        n,
        n,
        n,
    );
    Ok(projected)
}

#[cfg(test)]
mod tests {
    use super::*;
    use anchormatch_invariants::shapes::on_any_threads;

    #[test]
    fn entries_of_any_size_scale_the_eigenvalues_and_nothing_else() {
        let plain = symmetric_eigen(&symmetric(7)).unwrap();
        for power in [-1040, -1000, -400, 300, 1015] {
            let (half, rest) = (2f64.powi(power / 2), 2f64.powi(power - power / 2));
            let scaled = Matrix::from_fn(7, 7, |i, j| symmetric(7)[(i, j)] * half * rest);
            let eigen = symmetric_eigen(&scaled).unwrap();
            // Below the normal numbers entries are rounded, and more so the lower they are.
            let slack = if power < -1000 { 1e-3 } else { 1e-12 };
            for k in 0..7 {
                let value = eigen.values[k] / half / rest;
                assert!(
                    (value - plain.values[k]).abs() < slack,
                    "2^{power}: {value}"
                );
            }
        }
    }

    fn symmetric(n: usize) -> Matrix {
        Matrix::from_fn(n, n, |i, j| {
            let (low, high) = (i.min(j) as f64, i.max(j) as f64);
            (low * 1.7 + high * 0.9).sin() + if i == j { 0.3 } else { 0.0 }
        })
    }

    #[test]
    fn eigenpairs_rebuild_the_matrix() {
        for n in [1, 2, 7, 60, 300] {
            let a = symmetric(n);
            let e = symmetric_eigen(&a).unwrap();
            assert!(e.values.windows(2).all(|w| w[0] <= w[1]));
            for i in 0..n {
                for j in 0..n {
                    let back: f64 = (0..n)
                        .map(|k| e.values[k] * e.vectors[(i, k)] * e.vectors[(j, k)])
                        .sum();
                    assert!((back - a[(i, j)]).abs() < 1e-10, "n={n} ({i},{j})");
                }
            }
        }
    }

    #[test]
    fn a_path_has_its_known_spectrum() {
        // Laplacian of a path: λ_k = 2 − 2 cos(πk/n).
        let n = 12;
        let laplacian = Matrix::from_fn(n, n, |i, j| match i.abs_diff(j) {
            0 if i == 0 || i == n - 1 => 1.0,
            0 => 2.0,
            1 => -1.0,
            _ => 0.0,
        });
        let e = symmetric_eigen(&laplacian).unwrap();
        for (k, value) in e.values.iter().enumerate() {
            let want = 2.0 - 2.0 * (std::f64::consts::PI * k as f64 / n as f64).cos();
            assert!((value - want).abs() < 1e-12);
        }
    }

    #[test]
    fn projection_keeps_the_positive_part() {
        let a = Matrix::from_vec(2, 2, vec![0.0, 1.0, 1.0, 0.0]);
        let p = project_psd(&a).unwrap();
        for value in p.as_slice() {
            assert!((value - 0.5).abs() < 1e-14);
        }
    }

    #[test]
    fn infinities_are_refused() {
        let a = Matrix::from_vec(1, 1, vec![f64::INFINITY]);
        assert!(symmetric_eigen(&a).is_err());
    }

    #[test]
    fn threads_do_not_change_a_bit() {
        let a = symmetric(280);
        on_any_threads(|| symmetric_eigen(&a).unwrap());
    }
}
