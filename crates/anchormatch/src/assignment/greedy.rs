//! Greedy assignment: the best entry that is left, again and again.
//!
//! It reaches at least half of the greatest total when the scores are not negative (Preis, *Linear
//! time ½-approximation algorithm for maximum weighted matching*, STACS 1999) and, with a threshold,
//! leaves alone the nodes that no good entry claims.

use crate::assignment::Assignment;
use crate::error::{Error, Result};
use crate::linalg::Matrix;

/// What the greedy rule chose.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct GreedyAssignment {
    /// The column of each row, if it has one.
    pub columns: Assignment,
    /// The sum of the chosen entries, added in the order of the rows.
    pub value: f64,
}

/// Takes the greatest remaining score until a side is used up, or until the greatest lies below
/// `threshold`. Equal scores go to the lower row, then to the lower column.
///
/// # Errors
/// When a score is not finite or the threshold is NaN, or a side has more than 2³² nodes.
///
/// # Complexity
/// Time O(k log k) and memory O(k) for the k entries not below the threshold.
///
/// # Example
/// ```
/// use anchormatch::assignment::greedy;
/// use anchormatch::linalg::Matrix;
///
/// let score = Matrix::from_vec(2, 2, vec![0.9, 0.8, 0.7, 0.1]);
/// assert_eq!(greedy::maximise(&score, None)?.columns, [Some(0), Some(1)]);
/// assert_eq!(greedy::maximise(&score, Some(0.5))?.columns, [Some(0), None]);
/// # Ok::<(), anchormatch::Error>(())
/// ```
pub fn maximise(score: &Matrix, threshold: Option<f64>) -> Result<GreedyAssignment> {
    let threshold = threshold.unwrap_or(f64::NEG_INFINITY);
    if threshold.is_nan() {
        return Err(Error::parameter("threshold", threshold, "a number"));
    }
    let (rows, cols) = (score.rows(), score.cols());
    if u32::try_from(rows.max(cols)).is_err() {
        return Err(Error::parameter(
            "score matrix",
            format!("{rows} rows and {cols} columns"),
            "fewer than 2^32 of each",
        ));
    }
    let mut entries = Vec::new();
    for i in 0..rows {
        for (j, &s) in score.row(i).iter().enumerate() {
            if !s.is_finite() {
                return Err(Error::parameter(
                    "score matrix",
                    format!("{s} in row {i}, column {j} (counted from 0)"),
                    "finite entries",
                ));
            }
            if s >= threshold {
                // Adding 0 makes −0 equal to 0 in the total order.
                entries.push((s + 0.0, i as u32, j as u32));
            }
        }
    }
    entries.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    let mut columns = Assignment::empty(rows);
    let mut taken = vec![false; cols];
    let mut left = rows.min(cols);
    for (_, i, j) in entries {
        if left == 0 {
            break;
        }
        let (i, j) = (i as usize, j as usize);
        if columns.partner(i).is_none() && !taken[j] {
            columns.set(i, Some(j));
            taken[j] = true;
            left -= 1;
        }
    }
    let value = columns.pairs().map(|pair| score[pair]).sum();
    Ok(GreedyAssignment { columns, value })
}
