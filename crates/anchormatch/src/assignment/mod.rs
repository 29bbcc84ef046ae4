//! Linear assignment: one partner for every node of the smaller side, at the least total cost.
//!
//! For an m × n matrix c the problem and its dual are
//!
//! min Σ c_ij x_ij over x ∈ {0,1}, Σ_j x_ij ≤ 1, Σ_i x_ij ≤ 1, Σ x_ij = min(m, n),
//! max Σ u_i + Σ v_j over u_i + v_j ≤ c_ij, where the duals of the larger side are ≤ 0.
//!
//! An [`Assignment`] is the partner of each row, if it has one. [`minimise`] and [`maximise`] solve it exactly by shortest augmenting paths (the room [`dense`]);
//! [`greedy`] takes the best entry that is left, again and again, and may leave nodes unmatched. [`Sinkhorn`] balances a
//! positive matrix to a soft assignment. [`ListedBalance`], [`auction`] and [`ListedSolver`] do both
//! where each row has a short list of columns.

pub mod dense;
pub mod greedy;
mod listed;
mod partners;
mod sinkhorn;

pub use dense::{LinearSolver, TieBreak};
pub use listed::{Alone, ListedBalance, ListedSinkhorn, ListedSolver, auction, augment};
pub(crate) use listed::{STILL, SWEEPS, listed_log_sums, listed_occupancy};
pub use partners::{Assignment, Partners};
#[cfg(test)]
pub(crate) use sinkhorn::textbook as textbook_sinkhorn;
pub use sinkhorn::{Balance, Sinkhorn};

use crate::error::Result;
use crate::linalg::Matrix;
use crate::monitor::Monitor;

/// The largest absolute cost accepted. Differences and sums of that many costs stay finite, so no
/// intermediate result can overflow.
pub const LARGEST_COST: f64 = 1e300;

/// An optimal assignment with the dual variables that prove it.
///
/// When minimising, u_i + v_j ≤ c_ij for all pairs with equality on the matched ones. A node left
/// unmatched has dual 0 and the duals of the larger side are ≤ 0 (a square matrix has no larger side
/// and no sign), so Σu + Σv = value. When maximising, both inequalities turn round. All of this
/// holds up to rounding, relative to the largest absolute cost; the zeros and signs hold exactly.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LinearAssignment {
    /// The column of each row, if it has one.
    pub columns: Assignment,
    /// The sum of the chosen entries, added in the order of the rows.
    pub value: f64,
    /// The dual variable u of each row.
    pub row_duals: Vec<f64>,
    /// The dual variable v of each column.
    pub column_duals: Vec<f64>,
}

/// The assignment of least total cost that matches every node of the smaller side.
///
/// Where several are optimal, the one returned depends on the matrix alone (see [`dense`]).
///
/// # Errors
/// When an entry is not finite or larger than [`LARGEST_COST`] in absolute value, or a side has more
/// than 2³² − 2 nodes.
///
/// # Complexity
/// Time O(k² l) in the worst case, k the smaller and l the larger side, and close to O(k l) on costs
/// without much structure; memory O(k + l) besides a copy of the matrix when there are more rows
/// than columns, or when it is square and hard.
///
/// # Example
/// ```
/// use anchormatch::assignment::minimise;
/// use anchormatch::linalg::Matrix;
///
/// let cost = Matrix::from_vec(2, 3, vec![4.0, 1.0, 3.0, 2.0, 0.0, 5.0]);
/// let best = minimise(&cost)?;
/// assert_eq!(best.columns, [Some(1), Some(0)]);
/// assert_eq!(best.value, 3.0);
/// # Ok::<(), anchormatch::Error>(())
/// ```
pub fn minimise(cost: &Matrix) -> Result<LinearAssignment> {
    let mut best = LinearAssignment::default();
    LinearSolver::new().minimise(cost, &mut best)?;
    Ok(best)
}

/// The assignment of greatest total score that matches every node of the smaller side.
///
/// # Errors
/// As for [`minimise`].
///
/// # Complexity
/// As for [`minimise`].
pub fn maximise(score: &Matrix) -> Result<LinearAssignment> {
    let mut best = LinearAssignment::default();
    LinearSolver::new().maximise(score, &mut best)?;
    Ok(best)
}

/// [`maximise`], cut short when `monitor` says so: see [`LinearSolver::watched_by`].
///
/// # Errors
/// As for [`minimise`].
///
/// # Complexity
/// As for [`minimise`].
pub fn maximise_within(score: &Matrix, monitor: &Monitor) -> Result<LinearAssignment> {
    let mut best = LinearAssignment::default();
    LinearSolver::new()
        .watched_by(monitor)
        .maximise(score, &mut best)?;
    Ok(best)
}

/// A score for pairs that are ruled out: so low that no `allowed` pair is given up for one of them.
pub(crate) fn ruled_out(allowed: impl Iterator<Item = f64>, rows: usize, cols: usize) -> f64 {
    let mut range = None;
    for score in allowed {
        let (low, high) = range.unwrap_or((score, score));
        range = Some((score.min(low), score.max(high)));
    }
    let (low, high) = range.unwrap_or((0.0, 0.0));
    low - (high - low + 1.0) * (rows.min(cols) + 1) as f64
}
