//! Graph edit distance from spectral seriation (Robles-Kelly, Hancock, *Graph edit distance from spectral seriation*, IEEE
//! TPAMI 27, 2005).
//!
//! The leading eigenvector of the weights, which has no negative component, orders the nodes of each graph into a string that
//! follows edges; the cheapest edit of one string into the other matches them ([`seriation`](super::seriation)). The authors
//! find the order as a path that balances edges against the order of components, greedily, as is done here.
//!
//! Isomorphic graphs whose components all differ are matched exactly, at an edit distance of 0.

use serde::{Deserialize, Serialize};

use super::Start;
use super::relaxation::check_nonnegative;
use super::seriation::score;
use super::two_graphs::{OfTwoGraphs, Scores, TwoGraphs};
use crate::error::Result;
use crate::linalg::{Matrix, symmetric_eigen};
use crate::monitor::Monitor;

/// The method's parameters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct SeriationEigen {
    /// The cost of leaving a node out; matching two costs from 0 to 2. Default 0.3.
    pub gap: f64,
    /// How much the unary terms, scaled to [0, 1], weigh against the score. Default 1.
    pub unary_weight: f64,
}

impl Default for SeriationEigen {
    fn default() -> Self {
        Self {
            gap: 0.3,
            unary_weight: 1.0,
        }
    }
}

impl OfTwoGraphs for SeriationEigen {
    const NAME: &str = "seriation-eigen";
    const REFERENCE: &str = "Robles-Kelly, Hancock, IEEE TPAMI 2005";
    const COMPLEXITY: &str = "two leading eigenvectors, O(n³), once";
    const SQUARES: u64 = 8;

    fn check_parameters(&self) -> Result<()> {
        check_nonnegative("gap", self.gap)?;
        check_nonnegative("unary_weight", self.unary_weight)
    }

    fn unary_weight(&self) -> f64 {
        self.unary_weight
    }

    /// The start is not used.
    ///
    /// # Complexity
    /// O(n³) time for the eigenvectors, O(n²) memory.
    fn scores(&self, graphs: &TwoGraphs, _start: &Start<'_>, monitor: &Monitor) -> Result<Scores> {
        let (one, two) = (leading(&graphs.source)?, leading(&graphs.target)?);
        let score = score(graphs, [&one, &two], self.gap);
        Ok(Scores::at_once(Self::NAME, vec![score], monitor))
    }
}

/// The eigenvector of the largest eigenvalue, its components made nonnegative (Perron, Frobenius).
fn leading(graph: &Matrix) -> Result<Vec<f64>> {
    let n = graph.rows();
    if n == 0 {
        return Ok(Vec::new());
    }
    let eigen = symmetric_eigen(graph)?;
    Ok((0..n).map(|i| eigen.vectors[(i, n - 1)].abs()).collect())
}

#[cfg(test)]
mod tests {
    use super::super::two_graphs::tests::{is_exact_on_isomorphic_graphs, weights};
    use super::*;

    #[test]
    fn isomorphic_graphs_are_matched_exactly() {
        is_exact_on_isomorphic_graphs(&SeriationEigen::default());
    }

    #[test]
    fn the_vector_is_an_eigenvector_without_signs() {
        let graph = weights(9, 50, 6);
        let vector = leading(&graph).unwrap();
        let image: Vec<f64> = (0..9)
            .map(|i| graph.row(i).iter().zip(&vector).map(|(w, v)| w * v).sum())
            .collect();
        let value = image[0] / vector[0];
        for (x, y) in image.iter().zip(&vector) {
            assert!((x - value * y).abs() < 1e-9);
        }
    }
}
