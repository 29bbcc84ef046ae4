//! Weighted graph matching by eigendecomposition beyond near-isomorphism (Zhao, Luo, Tang, Ma, *Using
//! eigen-decomposition method for weighted graph matching*, ICIC 2007).
//!
//! With A = U Λ Uᵀ and B = V M Vᵀ, A P = P B for a permutation P says Λ X = X M of X = Uᵀ P V, that is
//! (λ_k − μ_l) x_kl = 0: eigenvectors of nearby eigenvalues may share weight, and only they. Umeyama lets the k-th meet
//! the k-th alone, which asks for graphs that are nearly isomorphic and for eigenvalues that are simple and lie apart. Here all pairs
//! count by how near their eigenvalues are,
//!
//! > score = |U| W |V|ᵀ,   W_kl = exp(−(λ_k − μ_l)²/2σ²),
//!
//! of which Umeyama's |U| |V|ᵀ is the limit of small σ where the spectra are equal and simple, as the authors derive it from
//! their formula. Sizes may differ. The paper's text was not at hand: the weight's form is ours, the limit and the absolute
//! values are theirs; that it stands where Umeyama's fails is not shown here, and the benchmarks have both.

use serde::{Deserialize, Serialize};

use super::Start;
use super::relaxation::check_nonnegative;
use super::two_graphs::{OfTwoGraphs, Scores, TwoGraphs};
use crate::error::Result;
use crate::linalg::{
    Matrix, SymmetricEigen, multiply_into, multiply_transposed_into, symmetric_eigen,
};
use crate::monitor::Monitor;

/// The method's parameters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Zhao {
    /// σ, in mean gaps between neighbouring eigenvalues of the larger spectrum. Default 0.3.
    pub width: f64,
    /// How much the unary terms, scaled to [0, 1], weigh against the score. Default 1.
    pub unary_weight: f64,
}

impl Default for Zhao {
    fn default() -> Self {
        Self {
            width: 0.3,
            unary_weight: 1.0,
        }
    }
}

impl OfTwoGraphs for Zhao {
    const NAME: &str = "zhao";
    const REFERENCE: &str = "Zhao, Luo, Tang, Ma, ICIC 2007";
    const COMPLEXITY: &str = "two eigendecompositions, O(n³), once";
    const SQUARES: u64 = 10;

    fn check_parameters(&self) -> Result<()> {
        check_nonnegative("width", self.width)?;
        check_nonnegative("unary_weight", self.unary_weight)
    }

    fn unary_weight(&self) -> f64 {
        self.unary_weight
    }

    /// The start is not used.
    ///
    /// # Complexity
    /// O(n³) time and O(n²) memory.
    fn scores(&self, graphs: &TwoGraphs, _start: &Start<'_>, monitor: &Monitor) -> Result<Scores> {
        let spectra = [
            symmetric_eigen(&graphs.source)?,
            symmetric_eigen(&graphs.target)?,
        ];
        let score = self.score(&spectra);
        Ok(Scores::at_once(Self::NAME, vec![score], monitor))
    }
}

impl Zhao {
    fn score(&self, [one, two]: &[SymmetricEigen; 2]) -> Matrix {
        let (n, m) = (one.values.len(), two.values.len());
        let range = |values: &[f64]| match (values.first(), values.last()) {
            (Some(low), Some(high)) => (high - low) / values.len() as f64,
            _ => 0.0,
        };
        let gap = range(&one.values).max(range(&two.values));
        let width = self.width * gap;
        let nearness = Matrix::from_fn(n, m, |k, l| {
            let apart = one.values[k] - two.values[l];
            if width > 0.0 {
                (-apart * apart / (2.0 * width * width)).exp()
            } else {
                f64::from(apart == 0.0)
            }
        });
        let moduli = |eigen: &SymmetricEigen| {
            let size = eigen.values.len();
            Matrix::from_fn(size, size, |i, k| eigen.vectors[(i, k)].abs())
        };
        let (u, v) = (moduli(one), moduli(two));
        let mut near = Matrix::zeros(n, m);
        multiply_into(
            near.as_mut_slice(),
            u.as_slice(),
            nearness.as_slice(),
            n,
            n,
            m,
        );
        let mut score = Matrix::zeros(n, m);
        multiply_transposed_into(score.as_mut_slice(), near.as_slice(), v.as_slice(), n, m, m);
        score
    }
}

#[cfg(test)]
mod tests {
    use super::super::two_graphs::tests::{
        is_exact_on_isomorphic_graphs, isomorphic, solve, weights,
    };
    use super::*;
    use crate::solver::Umeyama;

    #[test]
    fn isomorphic_graphs_are_matched_exactly() {
        let narrow = Zhao {
            width: 0.01,
            ..Zhao::default()
        };
        is_exact_on_isomorphic_graphs(&narrow);
    }

    #[test]
    fn umeyama_is_the_limit_of_small_widths() {
        let graph = weights(9, 70, 2);
        let spectra = [0, 1].map(|_| symmetric_eigen(&graph).unwrap());
        let narrow = Zhao {
            width: 1e-6,
            ..Zhao::default()
        };
        let score = narrow.score(&spectra);
        for i in 0..9 {
            for a in 0..9 {
                let want: f64 = (0..9)
                    .map(|k| (spectra[0].vectors[(i, k)] * spectra[1].vectors[(a, k)]).abs())
                    .sum();
                assert!((score[(i, a)] - want).abs() < 1e-9);
            }
        }
        let (problem, _) = isomorphic(9, 60, 8);
        assert_eq!(
            solve(&narrow, &problem).assignment,
            solve(&Umeyama::default(), &problem).assignment
        );
    }
}
