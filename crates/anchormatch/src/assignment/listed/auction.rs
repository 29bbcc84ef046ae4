//! The auction algorithm over lists (Bertsekas, Annals of Operations Research 14, 1988).

use std::collections::VecDeque;

use crate::assignment::Assignment;
use crate::linalg::Csr;

/// A one-to-one choice of listed entries whose sum is within `slack` a row of the greatest; rows may stay
/// without a column, entries of 0 or less are never chosen.
///
/// Rows bid for the column that leaves them most, in the order in which they lost their last one, and
/// raise its price by what the second best is behind, and `slack`. Columns that nobody bids for keep the
/// price 0, so that prices and profits prove the bound.
///
/// # Panics
/// When `slack` is not above 0.
///
/// # Complexity
/// O(entries of a row) a bid. Rows without competitors bid once; among rows that want the same few columns
/// the bids are at most their number times largest entry / `slack`.
///
/// # Example
/// ```
/// use anchormatch::assignment::auction;
/// use anchormatch::linalg::Csr;
///
/// let scores = Csr::from_triplets(2, 2, [(0, 0, 0.9), (0, 1, 0.8), (1, 0, 0.7)])?;
/// assert_eq!(auction(&scores, 1e-3), [Some(1), Some(0)]);
/// # Ok::<(), anchormatch::Error>(())
/// ```
#[must_use]
pub fn auction(scores: &Csr<f32>, slack: f32) -> Assignment {
    assert!(slack > 0.0, "bids must rise");
    let mut prices = vec![0.0f32; scores.cols()];
    let mut owners = vec![u32::MAX; scores.cols()];
    let mut chosen = Assignment::empty(scores.rows());
    let mut queue: VecDeque<u32> = (0..scores.rows() as u32).collect();
    while let Some(row) = queue.pop_front() {
        let (columns, values) = scores.parts(row as usize);
        let (mut best, mut first, mut second) = (u32::MAX, 0.0f32, 0.0f32);
        for (&column, &value) in columns.iter().zip(values) {
            let profit = value - prices[column as usize];
            if profit > first {
                (best, second, first) = (column, first, profit);
            } else if profit > second {
                second = profit;
            }
        }
        if best == u32::MAX {
            continue;
        }
        let column = best as usize;
        prices[column] += first - second + slack;
        if owners[column] != u32::MAX {
            chosen.set(owners[column] as usize, None);
            queue.push_back(owners[column]);
        }
        owners[column] = row;
        chosen.set(row as usize, Some(column));
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assignment::maximise;
    use crate::linalg::Matrix;

    #[test]
    fn sums_are_within_the_slack_of_the_optimum() {
        let mut state = 7u64;
        let mut next = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 40) as f32 / (1u64 << 24) as f32
        };
        for (rows, cols) in [(1, 1), (8, 8), (30, 20), (20, 30), (60, 60)] {
            let mut entries = Vec::new();
            // With a column of its own for staying without one, the dense solver is the oracle.
            let mut full = Matrix::zeros(rows, cols + rows);
            for i in 0..rows {
                for a in 0..cols {
                    if next() < 0.3 {
                        let value = next() - 0.1;
                        entries.push((i, a, value));
                        full[(i, a)] = f64::from(value);
                    }
                }
            }
            let scores = Csr::from_triplets(rows, cols, entries).unwrap();
            let chosen = auction(&scores, 1e-4);
            assert!(chosen.is_one_to_one(cols));
            let sum: f64 = chosen
                .pairs()
                .map(|(i, a)| f64::from(scores.get(i, a).unwrap()))
                .sum();
            let best = maximise(&full).unwrap().value;
            assert!(
                sum <= best + 1e-5 && sum >= best - 1e-4 * rows as f64 - 1e-5,
                "{sum} {best}"
            );
        }
    }

    #[test]
    fn many_rows_for_few_columns_end() {
        let entries = (0..2000usize).flat_map(|i| (0..4usize).map(move |a| (i, a, 0.25f32)));
        let scores = Csr::from_triplets(2000, 4, entries).unwrap();
        assert_eq!(auction(&scores, 1e-3).matched(), 4);
    }
}
