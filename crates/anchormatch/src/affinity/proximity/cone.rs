//! The Nesterov–Todd scaling of the positive semidefinite cone (Nesterov & Todd, SIAM J. Optim. 1998).
//!
//! For X, Z ≻ 0 there is a G with G⁻¹XG⁻ᵀ = GᵀZG = V diagonal. With X = RRᵀ and RᵀZR = U S Uᵀ it is
//! G = R U S^(−1/4), and V = S^(1/2). In the scaled space the linearised complementarity XZ = μI reads
//!
//!   dX̃ + dZ̃ = R̃,  R̃ᵢⱼ = 2/(vᵢ+vⱼ) · (σμI − V² − sym(dX̃ₐ dZ̃ₐ))ᵢⱼ,
//!
//! where the last term is Mehrotra's second-order correction; and so dZ = G⁻ᵀR̃G⁻¹ − W⁻¹ dX W⁻¹ with
//! W⁻¹ = G⁻ᵀG⁻¹ = QΛQᵀ. In the basis Q the operator dX ↦ dX + W⁻¹dXW⁻¹ is diagonal: 1 + λᵢλⱼ.

use super::factor::{congruence, half_length, product, product_transposed, symmetrised};
use crate::error::Result;
use crate::linalg::{Matrix, symmetric_eigen};

/// The scaling at one point (X, Z) of the cone.
pub(super) struct Scaling {
    forward_transposed: Matrix,
    inverse: Matrix,
    inverse_transposed: Matrix,
    diagonal: Vec<f64>,
    /// Column k is the k-th eigenvector of W⁻¹.
    pub(super) basis: Matrix,
    /// 1 + λᵢλⱼ, in the order of a half-vector.
    pub(super) weights: Vec<f64>,
}

impl Scaling {
    /// The scaling at X ≻ 0, Z ≻ 0; `None` when rounding has made one of them indefinite.
    pub(super) fn new(x: &Matrix, z: &Matrix) -> Result<Option<Self>> {
        let d = x.rows();
        let eigen = symmetric_eigen(x)?;
        if !eigen.values.iter().all(|&v| v > 0.0) {
            return Ok(None);
        }
        let root = Matrix::from_fn(d, d, |i, k| eigen.vectors[(i, k)] * eigen.values[k].sqrt());
        let inner = symmetric_eigen(&congruence(&root.transposed(), z))?;
        if !inner.values.iter().all(|&v| v > 0.0) {
            return Ok(None);
        }
        let quarter: Vec<f64> = inner.values.iter().map(|v| v.sqrt().sqrt()).collect();
        let rotated = product(&root, &inner.vectors);
        let forward = Matrix::from_fn(d, d, |i, k| rotated[(i, k)] / quarter[k]);
        let root_inverse =
            Matrix::from_fn(d, d, |k, i| eigen.vectors[(i, k)] / eigen.values[k].sqrt());
        let unrotated = product(&inner.vectors.transposed(), &root_inverse);
        let inverse = Matrix::from_fn(d, d, |k, i| quarter[k] * unrotated[(k, i)]);
        let inverse_transposed = inverse.transposed();
        let metric = symmetric_eigen(&symmetrised(&product_transposed(
            &inverse_transposed,
            &inverse_transposed,
        )))?;
        let mut weights = Vec::with_capacity(half_length(d));
        for i in 0..d {
            for j in i..d {
                weights.push(1.0 + metric.values[i].max(0.0) * metric.values[j].max(0.0));
            }
        }
        Ok(Some(Self {
            forward_transposed: forward.transposed(),
            inverse,
            inverse_transposed,
            diagonal: inner.values.iter().map(|v| v.sqrt()).collect(),
            basis: metric.vectors,
            weights,
        }))
    }

    /// X̃ = G⁻¹XG⁻ᵀ for a direction of X.
    pub(super) fn scale_primal(&self, x: &Matrix) -> Matrix {
        congruence(&self.inverse, x)
    }

    /// Z̃ = GᵀZG for a direction of Z.
    pub(super) fn scale_dual(&self, z: &Matrix) -> Matrix {
        congruence(&self.forward_transposed, z)
    }

    /// G⁻ᵀR̃G⁻¹ for the centring target `target` = σμ and the affine directions, already scaled.
    pub(super) fn right_side(&self, target: f64, affine: Option<(&Matrix, &Matrix)>) -> Matrix {
        let v = &self.diagonal;
        let second = affine.map(|(x, z)| symmetrised(&product(x, z)));
        let scaled = Matrix::from_fn(v.len(), v.len(), |i, j| {
            let on_diagonal = if i == j { target - v[i] * v[i] } else { 0.0 };
            let correction = second.as_ref().map_or(0.0, |s| s[(i, j)]);
            2.0 / (v[i] + v[j]) * (on_diagonal - correction)
        });
        congruence(&self.inverse_transposed, &scaled)
    }

    /// The longest step along a scaled direction that stays in the cone; infinite when none leaves it.
    pub(super) fn longest_step(&self, direction: &Matrix) -> Result<f64> {
        let v = &self.diagonal;
        let relative = Matrix::from_fn(v.len(), v.len(), |i, j| {
            direction[(i, j)] / (v[i] * v[j]).sqrt()
        });
        let lowest = symmetric_eigen(&relative)?.values[0];
        Ok(if lowest < 0.0 {
            -1.0 / lowest
        } else {
            f64::INFINITY
        })
    }

    /// G V Gᵀ, which is X again: only to check the scaling.
    #[cfg(test)]
    fn rebuilt(&self) -> (Matrix, Matrix) {
        let d = self.diagonal.len();
        let v = Matrix::from_fn(d, d, |i, j| if i == j { self.diagonal[i] } else { 0.0 });
        (
            congruence(&self.forward_transposed.transposed(), &v),
            congruence(&self.inverse_transposed, &v),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn definite(d: usize, phase: f64) -> Matrix {
        let a = Matrix::from_fn(d, d, |i, j| ((i * 5 + j * 3) as f64 + phase).sin());
        let mut b = product_transposed(&a, &a);
        for i in 0..d {
            b[(i, i)] += 0.1;
        }
        b
    }

    #[test]
    fn one_scaling_takes_both_points_to_the_same_diagonal() {
        let (x, z) = (definite(4, 0.3), definite(4, 1.9));
        let scaling = Scaling::new(&x, &z).unwrap().unwrap();
        let (x_back, z_back) = scaling.rebuilt();
        for (a, b) in [(x_back, &x), (z_back, &z)] {
            for (a, b) in a.as_slice().iter().zip(b.as_slice()) {
                assert!((a - b).abs() < 1e-10);
            }
        }
    }

    #[test]
    fn the_longest_step_ends_on_the_boundary() {
        let (x, z) = (definite(3, 0.3), definite(3, 1.9));
        let scaling = Scaling::new(&x, &z).unwrap().unwrap();
        let direction = Matrix::from_fn(3, 3, |i, j| if i == j { -1.0 - i as f64 } else { 0.2 });
        let step = scaling
            .longest_step(&scaling.scale_primal(&direction))
            .unwrap();
        let end = Matrix::from_fn(3, 3, |i, j| x[(i, j)] + step * direction[(i, j)]);
        assert!(symmetric_eigen(&end).unwrap().values[0].abs() < 1e-10);
        let inward = definite(3, 4.0);
        let free = scaling
            .longest_step(&scaling.scale_primal(&inward))
            .unwrap();
        assert_eq!(free, f64::INFINITY);
    }

    #[test]
    fn the_boundary_has_no_scaling() {
        let x = Matrix::from_vec(2, 2, vec![1.0, 0.0, 0.0, 0.0]);
        let z = Matrix::from_vec(2, 2, vec![1.0, 0.0, 0.0, 1.0]);
        assert!(Scaling::new(&x, &z).unwrap().is_none());
    }
}
