//! The integer quadratic program that every solver sees.
//!
//! Over partial one-to-one assignments x ∈ {0,1}^(n₁ n₂),
//!
//! > maximise xᵀWx = Σ u(i,a) x_ia + Σ_{i≠j, a≠b} W(ia, jb) x_ia x_jb.
//!
//! The unary part u is W's diagonal. The pairwise part is an operator: no solver sees a matrix with
//! (n₁ n₂)² entries unless the caller brought one.

mod explicit;
mod factor;
mod separable;

pub use explicit::ExplicitPairwise;
pub use factor::{GaussianKernel, KernelFactors};
pub use separable::SeparablePairwise;

use crate::error::{Error, Result};
use crate::linalg::Matrix;

/// The off-diagonal part of W, zero wherever two assignments conflict (i = j or a = b).
///
/// W is symmetric: W(ia, jb) = W(jb, ia).
pub trait Pairwise: Send + Sync {
    /// n₁ and n₂.
    fn shape(&self) -> (usize, usize);

    /// W(ia, jb); 0 for conflicting pairs.
    fn value(&self, i: usize, a: usize, j: usize, b: usize) -> f64;

    /// `out = W x`, both n₁×n₂ row-major; `scratch` has [`scratch_len`](Self::scratch_len) entries.
    fn apply(&self, x: &[f64], out: &mut [f64], scratch: &mut [f64]);

    /// How much scratch memory [`apply`](Self::apply) needs, in `f64`s.
    fn scratch_len(&self) -> usize;

    /// Bytes that this operator holds.
    fn memory(&self) -> u64;

    /// Whether no entry is below zero (up to the operator's own tolerance).
    fn is_nonnegative(&self) -> bool;
}

/// An integer quadratic program to maximise.
pub struct Problem {
    unary: Matrix,
    pairwise: Box<dyn Pairwise>,
}

impl std::fmt::Debug for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Problem")
            .field("shape", &self.shape())
            .field("pairwise_bytes", &self.pairwise.memory())
            .finish_non_exhaustive()
    }
}

impl Problem {
    /// A problem from its two parts.
    ///
    /// # Errors
    /// When the shapes differ or a unary value is not finite.
    pub fn new(unary: Matrix, pairwise: Box<dyn Pairwise>) -> Result<Self> {
        let shape = (unary.rows(), unary.cols());
        if shape != pairwise.shape() {
            return Err(Error::parameter(
                "unary",
                format!("a {}×{} matrix", shape.0, shape.1),
                format!(
                    "{}×{}, as the pairwise part has",
                    pairwise.shape().0,
                    pairwise.shape().1
                ),
            ));
        }
        if let Some(value) = unary.as_slice().iter().find(|v| !v.is_finite()) {
            return Err(Error::parameter("unary", value, "finite numbers"));
        }
        Ok(Self { unary, pairwise })
    }

    /// n₁ and n₂.
    #[must_use]
    pub fn shape(&self) -> (usize, usize) {
        (self.unary.rows(), self.unary.cols())
    }

    /// W's diagonal, u(i, a).
    #[must_use]
    pub fn unary(&self) -> &Matrix {
        &self.unary
    }

    /// W's off-diagonal part.
    #[must_use]
    pub fn pairwise(&self) -> &dyn Pairwise {
        self.pairwise.as_ref()
    }

    /// `out = W x`, unary part included.
    pub fn apply(&self, x: &[f64], out: &mut [f64], scratch: &mut [f64]) {
        self.pairwise.apply(x, out, scratch);
        for ((slot, &u), &value) in out.iter_mut().zip(self.unary.as_slice()).zip(x) {
            *slot += u * value;
        }
    }

    /// xᵀWx of an assignment, entry by entry.
    #[must_use]
    pub fn objective(&self, assignment: &[Option<usize>]) -> f64 {
        let matched: Vec<(usize, usize)> = assignment
            .iter()
            .enumerate()
            .filter_map(|(i, a)| a.map(|a| (i, a)))
            .collect();
        let mut total = 0.0;
        for &(i, a) in &matched {
            total += self.unary[(i, a)];
            for &(j, b) in &matched {
                if i != j {
                    total += self.pairwise.value(i, a, j, b);
                }
            }
        }
        total
    }
}
