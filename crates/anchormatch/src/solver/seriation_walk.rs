//! Matching strings of nodes by the steady state of a random walk (Robles-Kelly, Hancock, *String edit distance, random
//! walks and graph matching*, SSPR 2002).
//!
//! The walk on a graph with weights A and degrees D settles where the leading eigenvector of D^(−½) A D^(−½) says: at node i
//! with a component of √d_i. Each graph becomes a string that begins where the walker is most often and follows edges, and the
//! cheapest edit of one string into the other matches their nodes ([`seriation`](super::seriation)).
//!
//! Strings that follow the same rule from the same numbers are the same: isomorphic graphs whose degrees all differ are matched
//! exactly, at an edit distance of 0.

use serde::{Deserialize, Serialize};

use super::Start;
use super::relaxation::check_nonnegative;
use super::seriation::score;
use super::two_graphs::{OfTwoGraphs, Scores, TwoGraphs, degrees};
use crate::error::Result;
use crate::linalg::Matrix;
use crate::monitor::Monitor;

/// The method's parameters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct SeriationWalk {
    /// The cost of leaving a node out; matching two costs from 0 to 2. Default 0.3.
    pub gap: f64,
    /// How much the unary terms, scaled to [0, 1], weigh against the score. Default 1.
    pub unary_weight: f64,
}

impl Default for SeriationWalk {
    fn default() -> Self {
        Self {
            gap: 0.3,
            unary_weight: 1.0,
        }
    }
}

impl OfTwoGraphs for SeriationWalk {
    const NAME: &str = "seriation-walk";
    const REFERENCE: &str = "Robles-Kelly, Hancock, SSPR 2002";
    const COMPLEXITY: &str = "O(n²), once";
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
    /// O(n²) time and memory.
    fn scores(&self, graphs: &TwoGraphs, _start: &Start<'_>, monitor: &Monitor) -> Result<Scores> {
        let (one, two) = (steady_state(&graphs.source), steady_state(&graphs.target));
        let score = score(graphs, [&one, &two], self.gap);
        Ok(Scores::at_once(Self::NAME, vec![score], monitor))
    }
}

/// The leading eigenvector of D^(−½) A D^(−½): √d_i.
fn steady_state(graph: &Matrix) -> Vec<f64> {
    degrees(graph).iter().map(|d| d.max(0.0).sqrt()).collect()
}

#[cfg(test)]
mod tests {
    use super::super::two_graphs::tests::{is_exact_on_isomorphic_graphs, weights};
    use super::*;
    use crate::linalg::symmetric_eigen;

    #[test]
    fn isomorphic_graphs_are_matched_exactly() {
        is_exact_on_isomorphic_graphs(&SeriationWalk::default());
    }

    #[test]
    fn the_steady_state_is_the_leading_eigenvector() {
        let graph = weights(8, 60, 4);
        let roots = steady_state(&graph);
        let normal = Matrix::from_fn(8, 8, |i, j| graph[(i, j)] / (roots[i] * roots[j]));
        let eigen = symmetric_eigen(&normal).unwrap();
        let length: f64 = roots.iter().map(|v| v * v).sum::<f64>().sqrt();
        assert!((eigen.values[7] - 1.0).abs() < 1e-12);
        for (i, root) in roots.iter().enumerate() {
            assert!((eigen.vectors[(i, 7)].abs() - root / length).abs() < 1e-9);
        }
    }
}
