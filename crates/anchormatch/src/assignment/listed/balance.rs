//! Sinkhorn's balancing over lists, with a rest: rows sum to 1 with it, columns to 1 at most.

use rayon::prelude::*;

use crate::linalg::Csr;
use crate::monitor::Monitor;

/// Sweeps at most.
pub(crate) const SWEEPS: usize = 60;

/// The change of a column's dual, in nats, below which it stands still.
pub(crate) const STILL: f64 = 1e-3;

/// Rows or columns that one task works on.
const CHUNK: usize = 2048;

/// Balances log likelihoods, again and again from where it stood: the duals of the columns are kept.
///
/// The result q_ia = exp(x_ia + u_i + v_a), v ≤ 0, has Σ_a q_ia + exp(r_i + u_i) = 1 for the rest r_i of
/// each row, and Σ_i q_ia ≤ 1 with v_a = 0 where that is not tight: the maximum-entropy assignment in which
/// no column is given away twice.
///
/// # Example
/// ```
/// use anchormatch::assignment::ListedBalance;
/// use anchormatch::linalg::Csr;
/// use anchormatch::Monitor;
///
/// // Two rows want column 0, one of them could do with column 1.
/// let nats = Csr::from_triplets(2, 2, [(0, 0, 5.0), (0, 1, 4.0), (1, 0, 5.0)])?;
/// let occupancy = ListedBalance::new(2).balance(&nats, |_| 0.0, &Monitor::silent()).unwrap();
/// assert!(occupancy.get(0, 1).unwrap() > 0.8);
/// assert!(occupancy.get(1, 0).unwrap() > 0.8);
/// # Ok::<(), anchormatch::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct ListedBalance {
    columns: Vec<f64>,
}

impl ListedBalance {
    /// For lists over this many columns.
    #[must_use]
    pub fn new(columns: usize) -> Self {
        Self {
            columns: vec![0.0; columns],
        }
    }

    /// The balanced occupancy; `None` when the monitor stops the work.
    ///
    /// `rest` is the logarithm of what each row has beside its entries; −∞ for nothing.
    ///
    /// # Panics
    /// When the lists have another number of columns.
    ///
    /// # Complexity
    /// O(entries) a sweep, some dozens of them at most; the lists are turned once.
    pub fn balance(
        &mut self,
        nats: &Csr<f32>,
        rest: impl Fn(usize) -> f64 + Sync,
        monitor: &Monitor,
    ) -> Option<Csr<f32>> {
        assert_eq!(nats.cols(), self.columns.len(), "columns of the lists");
        let turned = nats.transposed();
        let mut rows = vec![0.0; nats.rows()];
        for _ in 0..SWEEPS {
            if monitor.interrupted().is_some() {
                return None;
            }
            let columns = &self.columns;
            duals(&mut rows, |i| -log_sum(nats, i, columns, rest(i)));
            let mut moved = vec![0.0f64; self.columns.len().div_ceil(CHUNK)];
            let parts = self.columns.par_chunks_mut(CHUNK).zip(&mut moved);
            parts.enumerate().for_each(|(part, (duals, moved))| {
                for (k, dual) in duals.iter_mut().enumerate() {
                    let column = part * CHUNK + k;
                    let new = (-log_sum(&turned, column, &rows, f64::NEG_INFINITY)).min(0.0);
                    *moved = moved.max((new - *dual).abs());
                    *dual = new;
                }
            });
            if moved.iter().all(|moved| *moved < STILL) {
                break;
            }
        }
        let columns = &self.columns;
        duals(&mut rows, |i| -log_sum(nats, i, columns, rest(i)));
        Some(listed_occupancy(nats, &rows, columns))
    }
}

/// exp(x_ia + u_i + v_a) of every entry.
pub(crate) fn listed_occupancy(nats: &Csr<f32>, rows: &[f64], columns: &[f64]) -> Csr<f32> {
    let mut row = 0;
    let mut place = 0;
    nats.map(|value| {
        while place >= nats.range(row).end {
            row += 1;
        }
        let column = nats.column(place) as usize;
        place += 1;
        let log = f64::from(value) + rows[row] + columns[column];
        log.exp().min(1.0) as f32
    })
}

/// −ln(Σ exp(x_ia + v_a) + exp(rest)) of every row: the duals that balance the rows.
pub(crate) fn listed_log_sums(
    nats: &Csr<f32>,
    columns: &[f64],
    rest: impl Fn(usize) -> f64 + Sync,
) -> Vec<f64> {
    let mut rows = vec![0.0; nats.rows()];
    duals(&mut rows, |i| -log_sum(nats, i, columns, rest(i)));
    rows
}

fn duals(slots: &mut [f64], dual: impl Fn(usize) -> f64 + Sync) {
    let chunks = slots.par_chunks_mut(CHUNK).enumerate();
    chunks.for_each(|(chunk, slots)| {
        for (k, slot) in slots.iter_mut().enumerate() {
            *slot = dual(chunk * CHUNK + k);
        }
    });
}

/// ln(Σ exp(x_ia + v_a) + exp(rest)) over row i; 0 for a row of nothing.
fn log_sum(nats: &Csr<f32>, i: usize, duals: &[f64], rest: f64) -> f64 {
    let entries = || {
        let (columns, values) = nats.parts(i);
        let pairs = columns.iter().zip(values);
        pairs.map(|(&a, &x)| f64::from(x) + duals[a as usize])
    };
    let highest = entries().fold(rest, f64::max);
    if highest == f64::NEG_INFINITY {
        return 0.0;
    }
    let sum: f64 = entries().map(|x| (x - highest).exp()).sum::<f64>() + (rest - highest).exp();
    highest + sum.ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_and_columns_sum_to_what_they_should() {
        let entries = (0..60usize).flat_map(|i| {
            (0..5usize).map(move |k| (i, (i * 7 + k * k) % 40, ((i * k) % 11) as f32 - 3.0))
        });
        let mut entries: Vec<_> = entries.collect();
        entries.sort_by_key(|entry| (entry.0, entry.1));
        entries.dedup_by_key(|entry| (entry.0, entry.1));
        let nats = Csr::from_triplets(60, 40, entries).unwrap();
        let mut balance = ListedBalance::new(40);
        let rest = |i: usize| if i == 3 { f64::NEG_INFINITY } else { 0.5 };
        let occupancy = balance.balance(&nats, rest, &Monitor::silent()).unwrap();
        let turned = occupancy.transposed();
        for a in 0..40 {
            let sum: f32 = turned.parts(a).1.iter().sum();
            assert!(sum <= 1.0 + 2e-3, "column {a}: {sum}");
            // What is not tight has no price.
            assert!(
                sum > 1.0 - 2e-3 || balance.columns[a] > -1e-9,
                "column {a}: {sum}"
            );
        }
        for i in 0..60 {
            let sum: f32 = occupancy.parts(i).1.iter().sum();
            assert!(sum <= 1.0 + 1e-5, "row {i}: {sum}");
            // Within a row the odds are those of the evidence and of the prices.
            let (columns, values) = occupancy.parts(i);
            let given = nats.parts(i).1;
            for k in 1..values.len() {
                let odds = f64::from(values[k] / values[0]).ln();
                let price =
                    balance.columns[columns[k] as usize] - balance.columns[columns[0] as usize];
                assert!((odds - f64::from(given[k] - given[0]) - price).abs() < 1e-3);
            }
        }
        let all: f32 = occupancy.parts(3).1.iter().sum();
        assert!((all - 1.0).abs() < 1e-4, "{all}");
    }

    #[test]
    fn it_goes_on_from_where_it_stood() {
        let nats = Csr::from_triplets(2, 1, [(0, 0, 30.0), (1, 0, 30.0)]).unwrap();
        let mut balance = ListedBalance::new(1);
        let first = balance.balance(&nats, |_| 0.0, &Monitor::silent()).unwrap();
        let again = balance.balance(&nats, |_| 0.0, &Monitor::silent()).unwrap();
        assert!((first.get(0, 0).unwrap() - 0.5).abs() < 1e-2);
        assert!((again.get(0, 0).unwrap() - 0.5).abs() < 1e-3);
    }
}
