//! Sinkhorn's balancing over lists, as [`Sinkhorn`](crate::assignment::Sinkhorn) does it over matrices.
//!
//! The scalings, the slack for unequal sizes and the test of convergence are the same; pairs that are not
//! listed count as zero. Where the lists do not allow everybody of the smaller side a partner, no scaling
//! brings all sums to 1, and the sweeps end at their limit.

use super::super::sinkhorn::Scales;
use crate::linalg::Csr;

/// Vectors that the balancing works in; reused from call to call.
#[derive(Debug, Clone, Default)]
pub struct ListedSinkhorn {
    scales: Scales,
}

impl ListedSinkhorn {
    /// Empty vectors.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The factors of the columns in the last balancing.
    #[must_use]
    pub fn column_scales(&self) -> &[f64] {
        &self.scales.columns
    }

    /// Balances positive values, one for each entry of `lists`, until sums are within `tolerance` of 1 or
    /// `max_sweeps` are done; `go_on` is asked before each sweep.
    ///
    /// # Panics
    /// When the values are not as many as the entries.
    ///
    /// # Complexity
    /// O(entries) a sweep; no allocation after the first call at a size.
    pub fn balance(
        &mut self,
        lists: &Csr<()>,
        values: &mut [f64],
        (tolerance, max_sweeps): (f64, usize),
        mut go_on: impl FnMut() -> bool,
    ) {
        assert_eq!(values.len(), lists.entries(), "a value for each entry");
        let (rows, cols) = (lists.rows(), lists.cols());
        let scales = &mut self.scales;
        scales.reset(rows, cols);
        let mut sweeps = 0;
        while sweeps < max_sweeps && (sweeps == 0 || go_on()) {
            sweeps += 1;
            let mut error = 0.0f64;
            scales.column_sums.fill(0.0);
            let mut row_total = 0.0;
            for i in 0..rows {
                let (columns, range) = (lists.columns(i), lists.range(i));
                let entries = || columns.iter().zip(&values[range.clone()]);
                let terms = entries().map(|(&a, value)| value * scales.columns[a as usize]);
                let reached = terms.sum::<f64>() + scales.slack_of_row();
                if reached <= 0.0 {
                    // A row without candidates.
                    continue;
                }
                error = error.max((scales.rows[i] * reached - 1.0).abs());
                let scale = 1.0 / reached;
                scales.rows[i] = scale;
                row_total += scale;
                for (&a, value) in entries() {
                    scales.column_sums[a as usize] += scale * value;
                }
            }
            error = error.max(scales.balance_columns(row_total));
            if sweeps > 1 && error <= tolerance {
                break;
            }
        }
        for i in 0..rows {
            let slots = values[lists.range(i)].iter_mut().zip(lists.columns(i));
            for (value, &a) in slots {
                *value = *value * scales.rows[i] * scales.columns[a as usize];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assignment::Sinkhorn;

    #[test]
    fn with_all_pairs_it_is_that_of_matrices() {
        for (rows, cols) in [(6, 6), (4, 7), (7, 4), (1, 5), (0, 3)] {
            let all = (0..rows * cols).map(|k| (k / cols, k % cols));
            let lists = Csr::pattern(rows, cols, all).unwrap();
            let values: Vec<f64> = (0..rows * cols)
                .map(|k| (((k * 37) % 11) as f64 - 5.0).exp())
                .collect();
            let (mut matrix, mut listed) = (values.clone(), values);
            Sinkhorn::new().balance(&mut matrix, rows, cols, 1e-9, 500);
            let mut sinkhorn = ListedSinkhorn::new();
            sinkhorn.balance(&lists, &mut listed, (1e-9, 500), || true);
            for (x, y) in matrix.iter().zip(&listed) {
                assert!((x - y).abs() < 1e-9, "{rows}×{cols}: {x} {y}");
            }
        }
    }

    #[test]
    fn sums_are_one_where_the_lists_allow_it() {
        let places = (0..40usize).flat_map(|i| (0..4).map(move |k| (i, (i + 7 * k * k) % 40)));
        let lists = Csr::pattern(40, 40, places).unwrap();
        let mut values: Vec<f64> = (0..lists.entries()).map(|k| 1.0 + (k % 5) as f64).collect();
        ListedSinkhorn::new().balance(&lists, &mut values, (1e-9, 1000), || true);
        let mut columns = [0.0; 40];
        for i in 0..40 {
            let sum: f64 = values[lists.range(i)].iter().sum();
            assert!((sum - 1.0).abs() < 1e-8, "{sum}");
            for (&a, value) in lists.columns(i).iter().zip(&values[lists.range(i)]) {
                columns[a as usize] += value;
            }
        }
        assert!(columns.iter().all(|sum| (sum - 1.0).abs() < 1e-8));
    }

    #[test]
    fn empty_rows_and_columns_are_left_out() {
        let lists = Csr::pattern(3, 3, [(0, 0), (0, 2), (2, 2)]).unwrap();
        let mut values = [1.0, 1.0, 1.0];
        ListedSinkhorn::new().balance(&lists, &mut values, (1e-6, 200), || true);
        assert!(values.iter().all(|v| v.is_finite() && *v <= 1.0 + 1e-9));
        assert!(values[0] > 0.9 && values[2] > 0.9, "{values:?}");
    }
}
