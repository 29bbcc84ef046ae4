//! Anchors folded into the problem.
//!
//! The assignments of anchors are known to be chosen, so their rows of W collapse into its diagonal
//! and nothing is lost: with x_pq = 1 for all anchors (p, q),
//!
//! > xᵀWx = c + Σ u(i, a) x_ia + Σ W(ia, jb) x_ia x_jb   over the free nodes,
//! > u(i, a) = 2 Σ_(p,q) affinity(x_ip, y_aq),   c = Σ_(p,q) Σ_(r,s)≠(p,q) affinity(x_pr, y_qs).
//!
//! Every pair of an anchor with a free assignment counts twice, as xᵀWx counts it.

use crate::error::{Error, Result};
use crate::linalg::Matrix;

/// A problem's second-order values over the free nodes, and what the anchors said.
#[derive(Debug, Clone, PartialEq)]
pub struct Folded {
    /// The free source nodes, ascending: row i of the folded problem is `source[i]`.
    pub source: Vec<usize>,
    /// The free target nodes, ascending.
    pub target: Vec<usize>,
    /// x among the free source nodes.
    pub x: Matrix,
    /// y among the free target nodes.
    pub y: Matrix,
    /// u(i, a), what all anchors give to a free assignment.
    pub unary: Matrix,
    /// c, what the anchors give to each other.
    pub constant: f64,
}

/// Folds `anchors` (source, target) into the unary part of the problem whose pairwise part is
/// `affinity(x_ij, y_ab)`, for symmetric `x` and `y`.
///
/// # Errors
/// When a matrix is not square, an anchor lies outside them, or a node is in two anchors.
///
/// # Complexity
/// O(k n₁ n₂) affinities for k anchors.
///
/// # Example
/// ```
/// use anchormatch::affinity::folding::fold_anchors;
/// use anchormatch::linalg::Matrix;
///
/// let x = Matrix::from_vec(3, 3, vec![0., 1., 2., 1., 0., 3., 2., 3., 0.]);
/// let folded = fold_anchors(&x, &x, &[(0, 0)], |p, q| if p == q { 1.0 } else { 0.0 })?;
/// assert_eq!(folded.source, [1, 2]);
/// assert_eq!(folded.unary.as_slice(), [2.0, 0.0, 0.0, 2.0]);
/// # Ok::<(), anchormatch::Error>(())
/// ```
pub fn fold_anchors(
    x: &Matrix,
    y: &Matrix,
    anchors: &[(usize, usize)],
    affinity: impl Fn(f64, f64) -> f64,
) -> Result<Folded> {
    for (matrix, name) in [(x, "x"), (y, "y")] {
        if matrix.rows() != matrix.cols() {
            return Err(Error::parameter(
                name,
                format!("a {}×{} matrix", matrix.rows(), matrix.cols()),
                "a square one",
            ));
        }
    }
    let free = |nodes: usize, taken: &mut dyn Iterator<Item = usize>| {
        let mut is_free = vec![true; nodes];
        for node in taken {
            if node >= nodes {
                return Err(Error::Anchors(format!(
                    "node {node} is outside a graph of {nodes} nodes"
                )));
            }
            if !std::mem::replace(&mut is_free[node], false) {
                return Err(Error::Anchors(format!("node {node} is in two pairs")));
            }
        }
        Ok((0..nodes).filter(|&node| is_free[node]).collect::<Vec<_>>())
    };
    let source = free(x.rows(), &mut anchors.iter().map(|pair| pair.0))?;
    let target = free(y.rows(), &mut anchors.iter().map(|pair| pair.1))?;
    let mut unary = Matrix::zeros(source.len(), target.len());
    for (i, &from) in source.iter().enumerate() {
        let row = unary.row_mut(i);
        for &(p, q) in anchors {
            let (value, others) = (x[(from, p)], y.row(q));
            for (slot, &to) in row.iter_mut().zip(&target) {
                *slot += 2.0 * affinity(value, others[to]);
            }
        }
    }
    let mut constant = 0.0;
    for (place, &(p, q)) in anchors.iter().enumerate() {
        for &(r, s) in &anchors[..place] {
            constant += 2.0 * affinity(x[(p, r)], y[(q, s)]);
        }
    }
    Ok(Folded {
        x: x.select(&source, &source),
        y: y.select(&target, &target),
        source,
        target,
        unary,
        constant,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assignment::Assignment;
    use crate::monitor::Monitor;
    use crate::problem::{ExplicitPairwise, Problem};
    use proptest::prelude::*;

    fn values(n: usize, seed: usize) -> Matrix {
        Matrix::from_fn(n, n, |i, j| {
            let (i, j) = (i.min(j), i.max(j));
            ((i * 31 + j * 17 + seed * 7) % 23) as f64 / 23.0
        })
    }

    fn problem(x: &Matrix, y: &Matrix, unary: Matrix) -> Problem {
        let pairwise = ExplicitPairwise::from_values(x, y, affinity, &Monitor::silent()).unwrap();
        Problem::maximise(unary, Box::new(pairwise)).unwrap()
    }

    fn affinity(p: f64, q: f64) -> f64 {
        (-(p - q) * (p - q) / 0.15).exp()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn folded_and_whole_objectives_differ_by_the_constant(
            n in 1usize..7, extra in 0usize..3, count in 0usize..4, turn in 0usize..7,
            seed in 0usize..100,
        ) {
            let m = n + extra;
            let (x, y) = (values(n, seed), values(m, seed + 1));
            // Node i goes to (i + turn) mod m; the first `count` nodes are anchors.
            let partner = |i: usize| (i + turn) % m;
            let anchors: Vec<_> = (0..count.min(n)).map(|i| (i, partner(i))).collect();
            let folded = fold_anchors(&x, &y, &anchors, affinity).unwrap();
            let whole = problem(&x, &y, Matrix::zeros(n, m));
            let everything: Assignment = (0..n).map(|i| Some(partner(i))).collect();
            let free = problem(&folded.x, &folded.y, folded.unary.clone());
            let assignment: Assignment = folded
                .source
                .iter()
                .map(|&i| folded.target.iter().position(|&a| a == partner(i)))
                .collect();
            prop_assert!(assignment.matched() == assignment.rows());
            let want = whole.objective(&everything);
            prop_assert!((free.objective(&assignment) - (want - folded.constant)).abs() < 1e-9);
            let free = free.with_constant(folded.constant);
            prop_assert!((free.objective(&assignment) - want).abs() < 1e-9);
        }
    }

    #[test]
    fn bad_anchors_are_refused() {
        let x = values(3, 1);
        for bad in [
            &[(3, 0)][..],
            &[(0, 3)],
            &[(0, 1), (0, 2)],
            &[(0, 1), (2, 1)],
        ] {
            assert!(fold_anchors(&x, &x, bad, affinity).is_err());
        }
        assert!(fold_anchors(&Matrix::zeros(2, 3), &x, &[], affinity).is_err());
        let all = fold_anchors(&x, &x, &[(0, 0), (1, 1), (2, 2)], affinity).unwrap();
        assert_eq!((all.unary.rows(), all.constant), (0, 6.0));
    }
}
