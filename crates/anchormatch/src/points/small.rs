//! Vectors and matrices of two or three numbers a side.

/// A point or a difference of points.
pub(super) type Vector<const D: usize> = [f64; D];

/// A square matrix, row by row.
pub(super) type Square<const D: usize> = [[f64; D]; D];

/// `value` times the identity.
pub(super) fn scaled_identity<const D: usize>(value: f64) -> Square<D> {
    let mut matrix = [[0.0; D]; D];
    for (k, row) in matrix.iter_mut().enumerate() {
        row[k] = value;
    }
    matrix
}

pub(super) fn difference<const D: usize>(a: &Vector<D>, b: &Vector<D>) -> Vector<D> {
    std::array::from_fn(|k| a[k] - b[k])
}

pub(super) fn dot<const D: usize>(a: &Vector<D>, b: &Vector<D>) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// A vector of length one; `None` where it has none.
pub(super) fn unit<const D: usize>(vector: &Vector<D>) -> Option<Vector<D>> {
    let length = dot(vector, vector).sqrt();
    (length > 0.0 && length.is_finite()).then(|| vector.map(|x| x / length))
}

/// The squared length of a − b.
pub(super) fn squared_distance<const D: usize>(a: &Vector<D>, b: &Vector<D>) -> f64 {
    a.iter().zip(b).map(|(x, y)| (x - y) * (x - y)).sum()
}

pub(super) fn apply<const D: usize>(matrix: &Square<D>, x: &Vector<D>) -> Vector<D> {
    std::array::from_fn(|row| dot(&matrix[row], x))
}

pub(super) fn product<const D: usize>(a: &Square<D>, b: &Square<D>) -> Square<D> {
    std::array::from_fn(|r| std::array::from_fn(|c| (0..D).map(|k| a[r][k] * b[k][c]).sum()))
}

pub(super) fn trace<const D: usize>(matrix: &Square<D>) -> f64 {
    (0..D).map(|k| matrix[k][k]).sum()
}

/// `matrix` += weight · a bᵀ.
pub(super) fn add_outer<const D: usize>(
    matrix: &mut Square<D>,
    weight: f64,
    a: &Vector<D>,
    b: &Vector<D>,
) {
    for (row, x) in matrix.iter_mut().zip(a) {
        for (entry, y) in row.iter_mut().zip(b) {
            *entry += weight * x * y;
        }
    }
}

/// `matrix` += weight · other.
pub(super) fn add_scaled<const D: usize>(matrix: &mut Square<D>, weight: f64, other: &Square<D>) {
    for (row, others) in matrix.iter_mut().zip(other) {
        for (entry, x) in row.iter_mut().zip(others) {
            *entry += weight * x;
        }
    }
}

pub(super) fn determinant<const D: usize>(matrix: &Square<D>) -> f64 {
    let m = matrix;
    let minor = |r: usize, s: usize, c: usize, d: usize| m[r][c] * m[s][d] - m[r][d] * m[s][c];
    if D == 2 {
        minor(0, 1, 0, 1)
    } else {
        m[0][0] * minor(1, 2, 1, 2) - m[0][1] * minor(1, 2, 0, 2) + m[0][2] * minor(1, 2, 0, 1)
    }
}

/// The inverse of a positive definite matrix and the logarithm of its determinant.
///
/// Gauss–Jordan steps without pivots, which positive definite matrices do not need.
pub(super) fn inverse<const D: usize>(matrix: &Square<D>) -> (Square<D>, f64) {
    let mut left = *matrix;
    let mut right = scaled_identity::<D>(1.0);
    let mut log_determinant = 0.0;
    for k in 0..D {
        let pivot = left[k][k].max(f64::MIN_POSITIVE);
        log_determinant += pivot.ln();
        for c in 0..D {
            left[k][c] /= pivot;
            right[k][c] /= pivot;
        }
        for r in (0..D).filter(|&r| r != k) {
            let factor = left[r][k];
            for c in 0..D {
                left[r][c] -= factor * left[k][c];
                right[r][c] -= factor * right[k][c];
            }
        }
    }
    (right, log_determinant)
}

/// The eigenvalues of a symmetric matrix and its orthonormal eigenvectors as rows, by Jacobi rotations.
pub(super) fn eigen<const D: usize>(matrix: &Square<D>) -> (Vector<D>, Square<D>) {
    const SWEEPS: usize = 32;
    let mut a = *matrix;
    let mut vectors = scaled_identity::<D>(1.0);
    for _ in 0..SWEEPS {
        let mut off = 0.0;
        for p in 0..D {
            for q in p + 1..D {
                off += a[p][q] * a[p][q];
                if a[p][q].abs() < f64::MIN_POSITIVE {
                    continue;
                }
                let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
                let t = 1.0 / (theta.abs() + theta.hypot(1.0));
                let t = if theta < 0.0 { -t } else { t };
                let cos = 1.0 / t.hypot(1.0);
                let sin = t * cos;
                for row in &mut a {
                    (row[p], row[q]) = (cos * row[p] - sin * row[q], sin * row[p] + cos * row[q]);
                }
                for rows in [&mut a, &mut vectors] {
                    for k in 0..D {
                        let (x, y) = (rows[p][k], rows[q][k]);
                        (rows[p][k], rows[q][k]) = (cos * x - sin * y, sin * x + cos * y);
                    }
                }
            }
        }
        let on: f64 = (0..D).map(|k| a[k][k] * a[k][k]).sum();
        if off <= 1e-30 * on {
            break;
        }
    }
    (std::array::from_fn(|k| a[k][k]), vectors)
}

/// The orthogonal matrix R of determinant ±1 (−1 when `reflected`) that maximises tr(Rᵀ M), and that trace.
///
/// The polar factor of M; where M has no full rank, any of those that do (Kabsch 1976, Umeyama 1991).
pub(super) fn nearest_rotation<const D: usize>(
    matrix: &Square<D>,
    reflected: bool,
) -> (Square<D>, f64) {
    let mut gram = [[0.0; D]; D];
    for row in matrix {
        add_outer(&mut gram, 1.0, row, row);
    }
    let (values, right) = eigen(&gram);
    let mut order: [usize; D] = std::array::from_fn(|k| k);
    order.sort_by(|&a, &b| values[b].total_cmp(&values[a]));
    let largest = values[order[0]].max(0.0).sqrt();
    let mut left: [Vector<D>; D] = [[0.0; D]; D];
    let mut rotation = [[0.0; D]; D];
    let mut sum = 0.0;
    for (k, &o) in order.iter().enumerate() {
        let image = across(&apply(matrix, &right[o]), &left[..k]);
        let length = dot(&image, &image).sqrt();
        left[k] = if length > 1e-12 * largest.max(f64::MIN_POSITIVE) {
            image.map(|x| x / length)
        } else {
            any_across(&left[..k])
        };
        add_outer(&mut rotation, 1.0, &left[k], &right[o]);
        sum += values[o].max(0.0).sqrt();
    }
    if (determinant(&rotation) < 0.0) != reflected {
        let last = order[D - 1];
        add_outer(&mut rotation, -2.0, &left[D - 1], &right[last]);
        sum -= 2.0 * values[last].max(0.0).sqrt();
    }
    (rotation, sum)
}

/// The part of `x` across orthonormal vectors.
fn across<const D: usize>(x: &Vector<D>, others: &[Vector<D>]) -> Vector<D> {
    let mut rest = *x;
    for other in others {
        let along = dot(&rest, other);
        for (r, o) in rest.iter_mut().zip(other) {
            *r -= along * o;
        }
    }
    rest
}

/// A unit vector across fewer than D orthonormal ones.
fn any_across<const D: usize>(others: &[Vector<D>]) -> Vector<D> {
    let mut best = [0.0; D];
    for axis in 0..D {
        let mut unit = [0.0; D];
        unit[axis] = 1.0;
        let rest = across(&unit, others);
        if dot(&rest, &rest) > dot(&best, &best) {
            best = rest;
        }
    }
    let length = dot(&best, &best).sqrt();
    best.map(|x| x / length)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_near<const D: usize>(a: &Square<D>, b: &Square<D>) {
        for (x, y) in a.iter().flatten().zip(b.iter().flatten()) {
            assert!((x - y).abs() < 1e-9, "{a:?} and {b:?}");
        }
    }

    #[test]
    fn inverse_and_eigenvectors_satisfy_their_equations() {
        let m = [[4.0, 1.0, -0.5], [1.0, 3.0, 0.25], [-0.5, 0.25, 2.0]];
        let (inverted, log) = inverse(&m);
        assert_near(&product(&m, &inverted), &scaled_identity(1.0));
        assert!((log - determinant(&m).ln()).abs() < 1e-12);
        let (values, vectors) = eigen(&m);
        for k in 0..3 {
            let image = apply(&m, &vectors[k]);
            for j in 0..3 {
                assert!((image[j] - values[k] * vectors[k][j]).abs() < 1e-9);
            }
        }
        assert!((values.iter().product::<f64>() - determinant(&m)).abs() < 1e-9);
        let (values, _) = eigen(&[[1.0, 2.0], [2.0, 1.0]]);
        assert!(values.contains(&3.0) || values.iter().any(|v| (v - 3.0).abs() < 1e-12));
    }

    #[test]
    fn the_nearest_rotation_is_the_rotation_itself() {
        let (sin, cos) = 0.7f64.sin_cos();
        let turned = [[cos, -sin, 0.0], [sin, cos, 0.0], [0.0, 0.0, 1.0]];
        let stretched = product(
            &turned,
            &[[3.0, 0.2, 0.0], [0.2, 2.0, 0.0], [0.0, 0.0, 0.5]],
        );
        let (found, sum) = nearest_rotation(&stretched, false);
        assert_near(&found, &turned);
        assert!((sum - 5.5).abs() < 1e-9);
        // A flat cloud in space, and a line in the plane, still give rotations.
        for reflected in [false, true] {
            let flat = product(
                &turned,
                &[[3.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 0.0]],
            );
            let (found, _) = nearest_rotation(&flat, reflected);
            let wanted = if reflected { -1.0 } else { 1.0 };
            assert!((determinant(&found) - wanted).abs() < 1e-9);
            let (found, _) = nearest_rotation(&[[2.0, 0.0], [0.0, 0.0]], reflected);
            assert!((determinant(&found) - wanted).abs() < 1e-9);
        }
    }
}
