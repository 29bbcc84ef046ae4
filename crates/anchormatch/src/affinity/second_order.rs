//! Second-order terms: how well an edge of one graph fits an edge of the other.
//!
//! > d_k(i, j, a, b) = |k_t(i, j) − k'_t(a, b)|,   affinity exp(−d_k²/s),
//!
//! and the same with adjacency entries, raw weights, instead of heat. The paper leaves the affinity's
//! form and width open. s is a multiple of the mean of d_k² over the pairs that can be chosen
//! together (i ≠ j, a ≠ b): the diagonals of heat kernels are an order larger than the rest, and a
//! mean that includes them makes the affinity blind.

use crate::error::{Error, Result};
use crate::linalg::Matrix;

/// The share of the largest value below which differences are rounding.
const ROUNDING: f64 = 1e-12;

/// The mean of (x_ij − y_ab)² over i ≠ j and a ≠ b, from first and second moments.
///
/// 0 when a matrix has fewer than two rows.
///
/// # Complexity
/// O(n₁² + n₂²), though the mean is over n₁² n₂² pairs.
#[must_use]
pub fn mean_squared_difference(x: &Matrix, y: &Matrix) -> f64 {
    if x.rows() < 2 || y.rows() < 2 {
        return 0.0;
    }
    let (mean_x, variance_x) = off_diagonal_moments(x);
    let (mean_y, variance_y) = off_diagonal_moments(y);
    // E(x − y)² = var x + var y + (E x − E y)², each part free of cancellation.
    variance_x + variance_y + (mean_x - mean_y) * (mean_x - mean_y)
}

/// The bandwidth s = `width` · mean Δ² of the affinity exp(−Δ²/s).
///
/// When all values are equal but for rounding, they tell nothing: s is then the square of the largest,
/// and every affinity 1. A mean of what rounding leaves would make its noise the whole of the matter.
///
/// # Errors
/// When `width` is not positive and finite.
pub fn bandwidth(x: &Matrix, y: &Matrix, width: f64) -> Result<f64> {
    if !(width > 0.0 && width.is_finite()) {
        return Err(Error::parameter("width", width, "a positive number"));
    }
    let mean = mean_squared_difference(x, y);
    let entries = x.as_slice().iter().chain(y.as_slice());
    let largest = entries.fold(0.0f64, |most, v| most.max(v.abs()));
    let noise = ROUNDING * largest;
    let bandwidth = if mean > noise * noise {
        width * mean
    } else {
        largest * largest
    };
    Ok(if bandwidth > 0.0 { bandwidth } else { 1.0 })
}

fn off_diagonal_moments(matrix: &Matrix) -> (f64, f64) {
    let n = matrix.rows();
    let count = (n * (n - 1)) as f64;
    let sum_over = |term: &dyn Fn(f64) -> f64| {
        (0..n)
            .map(|i| {
                let row = matrix.row(i);
                let around = row[..i].iter().chain(&row[i + 1..]);
                around.map(|&v| term(v)).sum::<f64>()
            })
            .sum::<f64>()
    };
    let mean = sum_over(&|v| v) / count;
    let variance = sum_over(&|v| (v - mean) * (v - mean)) / count;
    (mean, variance)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::GaussianKernel;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn moments_give_the_mean_over_all_pairs(
            n in 2usize..7, m in 2usize..7, shift in -100.0f64..100.0, seed in 0usize..100,
        ) {
            let fill = |n: usize, seed: usize| {
                Matrix::from_fn(n, n, |i, j| {
                    let (i, j) = (i.min(j), i.max(j));
                    // Huge on the diagonal: it must not count.
                    if i == j { 1e6 } else { shift + ((i * 7 + j * 3 + seed) % 11) as f64 }
                })
            };
            let (x, y) = (fill(n, seed), fill(m, seed + 5));
            let (mut sum, mut count) = (0.0, 0.0);
            for i in 0..n {
                for j in (0..n).filter(|&j| j != i) {
                    for a in 0..m {
                        for b in (0..m).filter(|&b| b != a) {
                            sum += (x[(i, j)] - y[(a, b)]).powi(2);
                            count += 1.0;
                        }
                    }
                }
            }
            let want: f64 = sum / count;
            prop_assert!((mean_squared_difference(&x, &y) - want).abs() < 1e-9 * want.max(1.0));
        }
    }

    fn affinity(x: &Matrix, y: &Matrix, width: f64) -> GaussianKernel {
        GaussianKernel::new(bandwidth(x, y, width).unwrap()).unwrap()
    }

    #[test]
    fn rounding_is_no_difference() {
        let almost = |value: f64| {
            Matrix::from_fn(3, 3, |i, j| value * (1.0 + (i * j) as f64 * f64::EPSILON))
        };
        for value in [0.6, 1e6, 1e-6] {
            let (x, y) = (almost(value), Matrix::filled(2, 2, value));
            let kernel = affinity(&x, &y, 0.1);
            assert!(kernel.evaluate(x[(2, 1)], y[(0, 1)]) > 1.0 - 1e-9);
            // What is more than rounding stays.
            let apart = Matrix::filled(2, 2, value * (1.0 + 1e-9));
            let kernel = affinity(&x, &apart, 0.1);
            assert!(kernel.evaluate(x[(2, 1)], apart[(0, 1)]) < 1e-4);
        }
    }

    #[test]
    fn constant_values_and_tiny_graphs_have_an_affinity() {
        for n in [0, 1, 3] {
            let flat = Matrix::filled(n, n, 2.0);
            let kernel = affinity(&flat, &flat, 0.3);
            assert_eq!(kernel.evaluate(2.0, 2.0), 1.0);
        }
        assert!(bandwidth(&Matrix::zeros(2, 2), &Matrix::zeros(2, 2), 0.0).is_err());
    }
}
