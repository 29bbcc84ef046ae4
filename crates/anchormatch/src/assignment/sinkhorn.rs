//! Sinkhorn's balancing of a positive matrix, with slack for unequal sizes.
//!
//! For positive K (m×n, m ≤ n) find scalings u, v > 0 such that X = diag(u) K diag(v) has row sums 1
//! and, with n − m slack rows of ones added to K, column sums 1 (Sinkhorn 1967; the slack as in Cho,
//! Lee, Lee 2010). All slack rows are equal and stay equal, so one stands for all of them. Columns of
//! X then sum to at most 1, and X lies in the convex hull of the partial assignments that match every
//! row. With more rows than columns the roles change.
//!
//! K is only read: one pass a sweep, which scales a row and adds it to the column sums while it is in
//! cache.

use crate::linalg::{Vectors, dot};

/// Vectors that the balancing works in; reused from call to call.
#[derive(Debug, Clone, Default)]
pub struct Sinkhorn {
    scales: Scales,
}

/// The factors of a balancing, over matrices and over lists.
#[derive(Debug, Clone, Default)]
pub(super) struct Scales {
    pub(super) rows: Vec<f64>,
    pub(super) columns: Vec<f64>,
    /// The sum of each column in this sweep, its own factor left aside.
    pub(super) column_sums: Vec<f64>,
    /// That of the one row (or column) that stands for all slack.
    slack: f64,
    slack_rows: f64,
    slack_columns: f64,
}

impl Scales {
    /// All factors 1.
    pub(super) fn reset(&mut self, rows: usize, cols: usize) {
        let set = |vector: &mut Vec<f64>, len, value| {
            vector.clear();
            vector.resize(len, value);
        };
        set(&mut self.rows, rows, 1.0);
        set(&mut self.columns, cols, 1.0);
        set(&mut self.column_sums, cols, 0.0);
        self.slack = 1.0;
        self.slack_rows = cols.saturating_sub(rows) as f64;
        self.slack_columns = rows.saturating_sub(cols) as f64;
    }

    /// What the slack columns give to every row.
    pub(super) fn slack_of_row(&self) -> f64 {
        self.slack_columns * self.slack
    }

    /// Balances the columns after all rows, whose factors sum to `row_total`; returns how far the slack row was from 1.
    pub(super) fn balance_columns(&mut self, row_total: f64) -> f64 {
        let mut error = 0.0;
        if self.slack_rows > 0.0 {
            let reached: f64 = self.columns.iter().sum();
            error = (self.slack * reached - 1.0).abs();
            self.slack = 1.0 / reached;
            for sum in &mut self.column_sums {
                *sum += self.slack_rows * self.slack;
            }
        }
        for (scale, &sum) in self.columns.iter_mut().zip(&self.column_sums) {
            // Only lists leave a column without entries.
            if sum > 0.0 {
                *scale = 1.0 / sum;
            }
        }
        if self.slack_columns > 0.0 && row_total > 0.0 {
            self.slack = 1.0 / row_total;
        }
        error
    }
}

/// How a balancing ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Balance {
    /// Sweeps over the matrix.
    pub sweeps: usize,
    /// The largest distance of a row or column sum, slack included, from 1.
    pub error: f64,
}

impl Sinkhorn {
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

    /// Balances `matrix` (row-major, `rows` × `cols`, entries positive and finite) in place, until
    /// sums are within `tolerance` of 1 or `max_sweeps` are done.
    ///
    /// # Panics
    /// When the slice does not fill its shape.
    ///
    /// # Complexity
    /// O(rows · cols) a sweep; no allocation after the first call at a size.
    pub fn balance(
        &mut self,
        matrix: &mut [f64],
        rows: usize,
        cols: usize,
        tolerance: f64,
        max_sweeps: usize,
    ) -> Balance {
        self.balance_while(matrix, (rows, cols), (tolerance, max_sweeps), || true)
    }

    /// [`balance`](Self::balance) that asks `go_on` before each sweep but the first.
    ///
    /// # Panics
    /// When the slice does not fill its shape.
    ///
    /// # Complexity
    /// As for [`balance`](Self::balance).
    pub fn balance_while(
        &mut self,
        matrix: &mut [f64],
        (rows, cols): (usize, usize),
        (tolerance, max_sweeps): (f64, usize),
        mut go_on: impl FnMut() -> bool,
    ) -> Balance {
        assert_eq!(matrix.len(), rows * cols, "matrix fills its shape");
        if matrix.is_empty() {
            return Balance {
                sweeps: 0,
                error: 0.0,
            };
        }
        let shape = (rows, cols);
        let limits = (tolerance, max_sweeps);
        Vectors::new().run(|| sweep(&mut self.scales, matrix, shape, limits, &mut go_on))
    }
}

/// Balances a matrix that is not empty.
#[inline(always)]
fn sweep(
    scales: &mut Scales,
    matrix: &mut [f64],
    (rows, cols): (usize, usize),
    (tolerance, max_sweeps): (f64, usize),
    go_on: &mut impl FnMut() -> bool,
) -> Balance {
    scales.reset(rows, cols);
    let mut balance = Balance {
        sweeps: 0,
        error: f64::INFINITY,
    };
    while balance.sweeps < max_sweeps && (balance.sweeps == 0 || go_on()) {
        balance.sweeps += 1;
        let mut error = 0.0f64;
        scales.column_sums.fill(0.0);
        let mut row_total = 0.0;
        for (i, row) in matrix.chunks(cols).enumerate() {
            let reached = dot(row, &scales.columns) + scales.slack_of_row();
            // Columns are balanced from the last sweep on: what rows lack is the error.
            error = error.max((scales.rows[i] * reached - 1.0).abs());
            let scale = 1.0 / reached;
            scales.rows[i] = scale;
            row_total += scale;
            for (sum, value) in scales.column_sums.iter_mut().zip(row) {
                *sum += scale * value;
            }
        }
        error = error.max(scales.balance_columns(row_total));
        // The first sweep compares with scalings that were never balanced.
        if balance.sweeps > 1 {
            balance.error = error;
            if error <= tolerance {
                break;
            }
        }
    }
    for (row, scale) in matrix.chunks_mut(cols).zip(&scales.rows) {
        for (value, column) in row.iter_mut().zip(&scales.columns) {
            // In this order: the scales alone may be huge, a scaled entry is at most 1.
            *value = *value * scale * column;
        }
    }
    balance
}

/// The textbook algorithm on the square matrix with all its slack rows or columns.
#[cfg(test)]
pub(crate) fn textbook(matrix: &[f64], rows: usize, cols: usize, sweeps: usize) -> Vec<f64> {
    let n = rows.max(cols);
    let mut square = vec![1.0; n * n];
    for i in 0..rows {
        square[i * n..i * n + cols].copy_from_slice(&matrix[i * cols..(i + 1) * cols]);
    }
    for _ in 0..sweeps {
        for i in 0..n {
            let sum: f64 = square[i * n..(i + 1) * n].iter().sum();
            square[i * n..(i + 1) * n]
                .iter_mut()
                .for_each(|v| *v /= sum);
        }
        for j in 0..n {
            let sum: f64 = (0..n).map(|i| square[i * n + j]).sum();
            (0..n).for_each(|i| square[i * n + j] /= sum);
        }
    }
    (0..rows * cols)
        .map(|k| square[k / cols * n + k % cols])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn positive(rows: usize, cols: usize, spread: f64, seed: u64) -> Vec<f64> {
        (0..rows * cols)
            .map(|k| {
                let hash = (k as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15 ^ seed) >> 40;
                (spread * hash as f64 / (1u64 << 24) as f64).exp()
            })
            .collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn it_agrees_with_the_textbook(
            rows in 1usize..9, cols in 1usize..9, spread in 0.0f64..6.0, seed in 0u64..1000,
        ) {
            let start = positive(rows, cols, spread, seed);
            let mut matrix = start.clone();
            let balance = Sinkhorn::new().balance(&mut matrix, rows, cols, 1e-12, 20_000);
            prop_assert!(balance.error <= 1e-12);
            for (got, want) in matrix.iter().zip(textbook(&start, rows, cols, balance.sweeps)) {
                prop_assert!((got - want).abs() < 1e-9, "{got} {want}");
            }
            for i in 0..rows {
                let sum: f64 = matrix[i * cols..(i + 1) * cols].iter().sum();
                prop_assert!(sum <= 1.0 + 1e-9);
                if rows <= cols {
                    prop_assert!((sum - 1.0).abs() < 1e-9);
                }
            }
            for j in 0..cols {
                let sum: f64 = (0..rows).map(|i| matrix[i * cols + j]).sum();
                prop_assert!(sum <= 1.0 + 1e-9);
                if rows >= cols {
                    prop_assert!((sum - 1.0).abs() < 1e-9);
                }
            }
        }
    }

    #[test]
    fn the_error_is_the_distance_of_the_sums_from_one() {
        let (rows, cols) = (6, 6);
        let mut matrix = positive(rows, cols, 20.0, 3);
        let balance = Sinkhorn::new().balance(&mut matrix, rows, cols, 1e-3, 1000);
        assert!(balance.error <= 1e-3 && balance.sweeps > 2);
        for i in 0..rows {
            let sum: f64 = matrix[i * cols..(i + 1) * cols].iter().sum();
            assert!((sum - 1.0).abs() <= 1e-3);
        }
    }

    #[test]
    fn a_stop_ends_the_sweeps_and_leaves_a_scaled_matrix() {
        let (rows, cols) = (5, 5);
        let start = positive(rows, cols, 30.0, 1);
        for asked in [0, 1, 6] {
            let mut matrix = start.clone();
            let mut left = asked;
            let limits = (0.0, 1000);
            let balance = Sinkhorn::new().balance_while(&mut matrix, (rows, cols), limits, || {
                left -= 1;
                left >= 0
            });
            assert_eq!(balance.sweeps, asked as usize + 1);
            let mut same = start.clone();
            Sinkhorn::new().balance(&mut same, rows, cols, 0.0, balance.sweeps);
            assert_eq!(matrix, same);
        }
    }

    #[test]
    fn sweeps_are_bounded_and_empty_matrices_are_balanced() {
        let mut matrix = positive(5, 5, 30.0, 1);
        assert_eq!(Sinkhorn::new().balance(&mut matrix, 5, 5, 0.0, 7).sweeps, 7);
        assert_eq!(Sinkhorn::new().balance(&mut [], 0, 3, 0.1, 7).error, 0.0);
    }
}
