//! Matching by the distance of stars (Eshera, Fu, *A graph distance measure for image analysis*, IEEE Trans. Systems, Man and
//! Cybernetics 14, 1984).
//!
//! A graph is taken apart into basic graphs, a node with all its edges each. The distance of two of them is the least cost of
//! editing one into the other: an edge changes its weight at the cost of the difference, and comes or goes at that of
//! its weight. With the edges of both sorted, the cheapest pairing is that of equal ranks, the missing ones being weights of 0.
//! The authors search for the cheapest decomposition by dynamic programming over states; what yields a matching is the
//! assignment of stars to stars of the least total distance, which is found here exactly, by a linear assignment. Labels of nodes
//! and edges, which the paper has besides, are the unary terms.

use serde::{Deserialize, Serialize};

use super::Start;
use super::relaxation::check_nonnegative;
use super::two_graphs::{OfTwoGraphs, Scores, TwoGraphs};
use crate::error::Result;
use crate::linalg::Matrix;
use crate::monitor::Monitor;

/// The method's one parameter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct StarEdit {
    /// How much the unary terms, scaled to [0, 1], weigh against the score. Default 1.
    pub unary_weight: f64,
}

impl Default for StarEdit {
    fn default() -> Self {
        Self { unary_weight: 1.0 }
    }
}

impl OfTwoGraphs for StarEdit {
    const NAME: &str = "star-edit";
    const REFERENCE: &str = "Eshera, Fu, IEEE Trans. SMC 1984";
    const COMPLEXITY: &str = "O(n³), one linear assignment";
    const SQUARES: u64 = 8;

    fn check_parameters(&self) -> Result<()> {
        check_nonnegative("unary_weight", self.unary_weight)
    }

    fn unary_weight(&self) -> f64 {
        self.unary_weight
    }

    /// The start is not used.
    ///
    /// # Complexity
    /// O(n³) time, O(n²) memory.
    fn scores(&self, graphs: &TwoGraphs, _start: &Start<'_>, monitor: &Monitor) -> Result<Scores> {
        let (one, two) = (stars(&graphs.source), stars(&graphs.target));
        let score = Matrix::from_fn(one.len(), two.len(), |i, a| -distance(&one[i], &two[a]));
        Ok(Scores::at_once(Self::NAME, vec![score], monitor))
    }
}

/// The weights of each node's edges, the largest first.
fn stars(graph: &Matrix) -> Vec<Vec<f64>> {
    let star = |i: usize| {
        let row = graph.row(i).iter().enumerate();
        let mut star: Vec<f64> = row.filter(|(j, _)| *j != i).map(|(_, &w)| w).collect();
        star.sort_by(|x, y| y.total_cmp(x));
        star
    };
    (0..graph.rows()).map(star).collect()
}

/// The least cost of editing one star into the other: equal ranks are paired, after the shorter one got edges of weight 0.
fn distance(x: &[f64], y: &[f64]) -> f64 {
    let (short, long) = if x.len() <= y.len() { (x, y) } else { (y, x) };
    let surplus = long.len() - short.len();
    // Where the zeros stand in the order of the shorter one.
    let positive = short.iter().take_while(|w| **w > 0.0).count();
    let filled = short[..positive]
        .iter()
        .copied()
        .chain(std::iter::repeat_n(0.0, surplus))
        .chain(short[positive..].iter().copied());
    filled.zip(long).map(|(x, y)| (x - y).abs()).sum()
}

#[cfg(test)]
mod tests {
    use super::super::two_graphs::tests::is_exact_on_isomorphic_graphs;
    use super::*;
    use crate::assignment;

    #[test]
    fn isomorphic_graphs_are_matched_exactly() {
        is_exact_on_isomorphic_graphs(&StarEdit::default());
    }

    #[test]
    fn equal_ranks_are_the_cheapest_edit() {
        let value = |k: usize, seed: usize| ((k * 7 + seed * 5) % 13) as f64 / 6.5 - 0.8;
        for seed in 0..30 {
            let star = |n: usize, seed: usize| {
                let mut star: Vec<f64> = (0..n).map(|k| value(k, seed)).collect();
                star.sort_by(|x, y| y.total_cmp(x));
                star
            };
            let (x, y) = (star(2 + seed % 4, seed), star(1 + seed % 6, seed + 3));
            // Edges of both and one place for the absence of each of the other's.
            let (n, m) = (x.len(), y.len());
            let at = |list: &[f64], k: usize| list.get(k).copied().unwrap_or(0.0);
            let costs = Matrix::from_fn(n + m, n + m, |p, q| (at(&x, p) - at(&y, q)).abs());
            let want = assignment::minimise(&costs).unwrap().value;
            assert!((distance(&x, &y) - want).abs() < 1e-12, "{seed}");
            assert_eq!(distance(&x, &y), distance(&y, &x));
            assert_eq!(distance(&x, &x), 0.0);
        }
    }
}
