//! pygmtools' linear programs by the batch: assignments, and rows and columns that are normalised in turn.

use crate::assignment::{Assignment, LinearAssignment, LinearSolver, ruled_out};
use crate::error::{Error, Result};
use crate::linalg::dot;
use crate::monitor::{Monitor, Progress};

/// The logarithm of what an entry of a dummy row is.
const DUMMY: f64 = -100.0;

/// Logarithms up to this size can be scaled as numbers: products with both scales stay within their range.
const SMALL: f64 = 100.0;

/// A batch of score matrices of one shape, padded.
#[derive(Debug, Clone, Copy)]
pub struct Scores<'s> {
    /// The matrices one after another, row after row.
    pub values: &'s [f64],
    /// Rows and columns of each.
    pub shape: (usize, usize),
    /// What of them counts, for each problem; within the shape.
    pub sizes: &'s [(usize, usize)],
}

/// The scores of staying alone, for all rows and for all columns of a batch, padding included.
#[derive(Debug, Clone, Copy)]
pub struct Alone<'s> {
    /// Of the rows, one problem after another.
    pub rows: &'s [f64],
    /// Of the columns.
    pub columns: &'s [f64],
}

impl Scores<'_> {
    fn of(&self, problem: usize) -> &[f64] {
        let entries = self.shape.0 * self.shape.1;
        &self.values[problem * entries..(problem + 1) * entries]
    }
}

impl<'s> Alone<'s> {
    fn of(&self, problem: usize, shape: (usize, usize)) -> (&'s [f64], &'s [f64]) {
        (
            &self.rows[problem * shape.0..(problem + 1) * shape.0],
            &self.columns[problem * shape.1..(problem + 1) * shape.1],
        )
    }
}

/// The best assignment of each problem. Without scores of staying alone the smaller side is matched wholly,
/// and −∞ forbids a pair; with them a pair counts for what it has over the two staying alone.
///
/// # Errors
/// When −∞ leaves no assignment, or a score is NaN or too large.
///
/// # Complexity
/// A linear assignment for each problem.
pub fn assign(scores: &Scores<'_>, alone: Option<&Alone<'_>>) -> Result<Vec<Assignment>> {
    let mut solver = LinearSolver::new();
    let mut best = LinearAssignment::default();
    let mut gains = Vec::new();
    let mut found = Vec::with_capacity(scores.sizes.len());
    for (problem, &(rows, cols)) in scores.sizes.iter().enumerate() {
        let values = scores.of(problem);
        let row = |i: usize| &values[i * scores.shape.1..][..cols];
        gains.clear();
        match alone.map(|alone| alone.of(problem, scores.shape)) {
            Some((of_rows, of_columns)) => {
                for i in 0..rows {
                    let over = row(i).iter().zip(of_columns);
                    let over = over.map(|(s, column)| s - of_rows[i] - column);
                    gains.extend(over.map(|gain| if gain > 0.0 { gain } else { 0.0 }));
                }
            }
            None => {
                let allowed = (0..rows).flat_map(|i| row(i).iter().copied());
                let allowed = allowed.filter(|&s| s != f64::NEG_INFINITY);
                let little = ruled_out(allowed, rows, cols);
                for i in 0..rows {
                    let scores = row(i).iter();
                    gains.extend(scores.map(|&s| if s == f64::NEG_INFINITY { little } else { s }));
                }
            }
        }
        solver.maximise_slice(&gains, rows, cols, &mut best)?;
        if alone.is_some() {
            best.columns.retain(|i, a| gains[i * cols + a] > 0.0);
        } else if (best.columns.pairs()).any(|(i, a)| row(i)[a] == f64::NEG_INFINITY) {
            return Err(Error::parameter(
                "s",
                "so many entries of -inf that not all nodes of the smaller side can be matched",
                "an assignment of finite scores",
            ));
        }
        found.push(best.columns.clone());
    }
    Ok(found)
}

/// exp(scores) with rows and columns normalised in turn, `sweeps` times together, the shorter side first;
/// zero beyond a problem's size. With `dummy_rows` rows that are next to nothing fill the shorter side up.
///
/// When the monitor stops it, what is left is as it is.
///
/// # Complexity
/// O(entries) a sweep.
#[must_use]
pub fn normalise(
    scores: &Scores<'_>,
    alone: Option<&Alone<'_>>,
    sweeps: usize,
    dummy_rows: bool,
    monitor: &Monitor,
) -> Vec<f64> {
    let (height, width) = scores.shape;
    let mut result = vec![0.0; scores.values.len()];
    let mut table = Table::default();
    for (problem, &(rows, cols)) in scores.sizes.iter().enumerate() {
        if rows == 0 || cols == 0 {
            continue;
        }
        // Rows are the shorter side; of equal ones, what the shape of the batch makes it.
        let turned = cols < rows || (cols == rows && height > width);
        let alone = alone.map(|alone| {
            let (of_rows, of_columns) = alone.of(problem, scores.shape);
            let (short, long) = if turned {
                (of_columns, of_rows)
            } else {
                (of_rows, of_columns)
            };
            // Dummy rows take what stands in the padding, as far as the arrays of the batch go.
            (&short[..short.len().min(height.min(width))], long)
        });
        let place = |i: usize, j: usize| if turned { j * width + i } else { i * width + j };
        let values = scores.of(problem);
        let (short, long) = (rows.min(cols), rows.max(cols));
        table.fill((short, long), |i, j| values[place(i, j)], alone, dummy_rows);
        table.normalise(sweeps, monitor);
        let result = &mut result[problem * height * width..][..height * width];
        for i in 0..short {
            for j in 0..long {
                result[place(i, j)] = table.entries[i * table.width + j];
            }
        }
    }
    result
}

/// A matrix with at most as many rows as columns, dummy rows, and a row and a column for staying alone.
#[derive(Default)]
struct Table {
    /// Logarithms first, then numbers.
    entries: Vec<f64>,
    width: usize,
    /// The rows and columns that are bound to sum to 1: all but those of staying alone.
    rows: usize,
    columns: usize,
}

impl Table {
    fn fill(
        &mut self,
        (rows, columns): (usize, usize),
        log: impl Fn(usize, usize) -> f64,
        alone: Option<(&[f64], &[f64])>,
        dummy_rows: bool,
    ) {
        let square = if dummy_rows { columns } else { rows };
        let extra = usize::from(alone.is_some());
        (self.rows, self.columns, self.width) = (square, columns, columns + extra);
        self.entries.clear();
        self.entries
            .resize((square + extra) * self.width, f64::NEG_INFINITY);
        for (i, row) in self.entries.chunks_exact_mut(self.width).enumerate() {
            let row = &mut row[..columns];
            if i < rows {
                row.iter_mut()
                    .enumerate()
                    .for_each(|(j, slot)| *slot = log(i, j));
            } else if i < square {
                row.fill(DUMMY);
            }
        }
        if let Some((of_rows, of_columns)) = alone {
            for (i, &score) in of_rows.iter().take(square).enumerate() {
                self.entries[i * self.width + columns] = score;
            }
            let last = &mut self.entries[square * self.width..][..columns];
            last.copy_from_slice(&of_columns[..columns]);
        }
    }

    /// From logarithms to normalised numbers.
    fn normalise(&mut self, sweeps: usize, monitor: &Monitor) {
        let is_small = |log: &f64| log.abs() <= SMALL || *log == f64::NEG_INFINITY;
        if self.entries.iter().all(is_small) {
            self.scale(sweeps, monitor);
        } else {
            self.shift(sweeps, monitor);
        }
    }

    /// Scales numbers; rows and columns of nothing stay as they are.
    fn scale(&mut self, sweeps: usize, monitor: &Monitor) {
        let width = self.width;
        self.entries.iter_mut().for_each(|x| *x = x.exp());
        let mut row_scales = vec![1.0; self.entries.len() / width];
        let (mut column_scales, mut sums) = (vec![1.0; width], vec![0.0; width]);
        let invert = |sum: f64, old: f64| if sum > 0.0 { 1.0 / sum } else { old };
        for sweep in 0..sweeps.div_ceil(2) {
            if is_stopped(monitor, 2 * sweep, sweeps) {
                break;
            }
            sums.fill(0.0);
            let rows = self.entries.chunks_exact(width).zip(&mut row_scales);
            for (i, (row, scale)) in rows.enumerate() {
                if i < self.rows {
                    *scale = invert(dot(row, &column_scales), *scale);
                }
                for (sum, value) in sums.iter_mut().zip(row) {
                    *sum += *scale * value;
                }
            }
            // An odd number of sweeps ends with the rows.
            if 2 * sweep + 1 < sweeps {
                let bound = column_scales.iter_mut().zip(&sums).take(self.columns);
                bound.for_each(|(scale, &sum)| *scale = invert(sum, *scale));
            }
        }
        for (row, scale) in self.entries.chunks_exact_mut(width).zip(&row_scales) {
            for (value, column) in row.iter_mut().zip(&column_scales) {
                // In this order: the scales alone may be huge, a scaled entry is at most 1.
                *value = *value * scale * column;
            }
        }
    }

    /// Shifts logarithms, however far they lie apart.
    fn shift(&mut self, sweeps: usize, monitor: &Monitor) {
        let width = self.width;
        let (mut highest, mut sums) = (vec![0.0; width], vec![0.0; width]);
        for sweep in 0..sweeps {
            if is_stopped(monitor, sweep, sweeps) {
                break;
            }
            if sweep % 2 == 0 {
                for row in self.entries.chunks_exact_mut(width).take(self.rows) {
                    let high = row.iter().fold(f64::NEG_INFINITY, |x, &y| x.max(y));
                    let high = if high.is_finite() { high } else { 0.0 };
                    let sum: f64 = row.iter().map(|log| (log - high).exp()).sum();
                    let shift = log_sum(high, sum);
                    row.iter_mut().for_each(|log| *log -= shift);
                }
                continue;
            }
            highest.fill(f64::NEG_INFINITY);
            for row in self.entries.chunks_exact(width) {
                for (high, &log) in highest.iter_mut().zip(row) {
                    *high = high.max(log);
                }
            }
            for high in highest.iter_mut().filter(|high| !high.is_finite()) {
                *high = 0.0;
            }
            sums.fill(0.0);
            for row in self.entries.chunks_exact(width) {
                for ((sum, high), log) in sums.iter_mut().zip(&highest).zip(row) {
                    *sum += (log - high).exp();
                }
            }
            for row in self.entries.chunks_exact_mut(width) {
                let bound = row.iter_mut().zip(&highest).zip(&sums).take(self.columns);
                bound.for_each(|((log, &high), &sum)| *log -= log_sum(high, sum));
            }
        }
        self.entries.iter_mut().for_each(|x| *x = x.exp());
    }
}

fn is_stopped(monitor: &Monitor, done: usize, sweeps: usize) -> bool {
    let progress = Progress {
        stage: "sinkhorn",
        done,
        total: Some(sweeps),
        value: None,
    };
    monitor.checkpoint(progress).is_some()
}

/// high + ln sum; 0 where there is nothing to sum.
fn log_sum(high: f64, sum: f64) -> f64 {
    let log = sum.ln();
    if log.is_finite() { high + log } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::test_support::values;

    fn scores(rows: usize, cols: usize, seed: u64) -> Vec<f64> {
        let raw = values(rows + cols, seed);
        let entry = |k: usize| 6.0 * raw[(k / cols, rows + k % cols)] - 3.0;
        (0..rows * cols).map(entry).collect()
    }

    fn one<'s>(values: &'s [f64], shape: (usize, usize), size: &'s (usize, usize)) -> Scores<'s> {
        Scores {
            values,
            shape,
            sizes: std::slice::from_ref(size),
        }
    }

    /// Without scores of staying alone and without dummy rows.
    fn normalised(
        s: &[f64],
        shape: (usize, usize),
        size: (usize, usize),
        sweeps: usize,
    ) -> Vec<f64> {
        normalise(
            &one(s, shape, &size),
            None,
            sweeps,
            false,
            &Monitor::silent(),
        )
    }

    /// The largest total over all ways to match `rows` from `row` on, and what it leaves alone.
    fn brute(row: usize, taken: &mut Vec<usize>, s: &[f64], alone: &(Vec<f64>, Vec<f64>)) -> f64 {
        let cols = alone.1.len();
        if row == alone.0.len() {
            let free = (0..cols).filter(|a| !taken.contains(a));
            return free.map(|a| alone.1[a]).sum();
        }
        let mut best = alone.0[row] + brute(row + 1, taken, s, alone);
        for a in 0..cols {
            if !taken.contains(&a) {
                taken.push(a);
                best = best.max(s[row * cols + a] + brute(row + 1, taken, s, alone));
                taken.pop();
            }
        }
        best
    }

    #[test]
    fn assignments_are_the_best_of_all() {
        for (rows, cols, seed) in [(3, 3, 1), (2, 4, 2), (4, 2, 3), (1, 1, 4), (0, 2, 5)] {
            let s = scores(rows, cols, seed);
            let side = |n: usize, seed| scores(n, 1, seed).iter().map(|v| 0.5 * v).collect();
            let alone: (Vec<f64>, Vec<f64>) = (side(rows, seed + 10), side(cols, seed + 20));
            let given = Alone {
                rows: &alone.0,
                columns: &alone.1,
            };
            let size = (rows, cols);
            let found = &assign(&one(&s, size, &size), Some(&given)).unwrap()[0];
            let pairs: f64 = found.pairs().map(|(i, a)| s[i * cols + a]).sum();
            let free = found.inverse(cols);
            let left = (0..rows).filter(|&i| found.partner(i).is_none());
            let right = (0..cols).filter(|&a| free.partner(a).is_none());
            let left: f64 = left.map(|i| alone.0[i]).sum();
            let right: f64 = right.map(|a| alone.1[a]).sum();
            let want = brute(0, &mut Vec::new(), &s, &alone);
            assert!((pairs + left + right - want).abs() < 1e-12, "{rows}×{cols}");
            // So bad to stay alone that nobody does.
            let never: (Vec<f64>, Vec<f64>) = (vec![-1e6; rows], vec![-1e6; cols]);
            let found = &assign(&one(&s, size, &size), None).unwrap()[0];
            let pairs: f64 = found.pairs().map(|(i, a)| s[i * cols + a]).sum();
            let missed = (rows.max(cols) - rows.min(cols)) as f64;
            let want = brute(0, &mut Vec::new(), &s, &never) + 1e6 * missed;
            assert!((pairs - want).abs() < 1e-6);
        }
    }

    #[test]
    fn forbidden_pairs_are_avoided_or_refused() {
        let no = f64::NEG_INFINITY;
        let found = assign(&one(&[no, -9.0, 7.0, 100.0], (2, 2), &(2, 2)), None).unwrap();
        assert_eq!(found[0], [Some(1), Some(0)]);
        let refused = assign(&one(&[no, no, 1.0, 1.0], (2, 2), &(2, 2)), None);
        assert!(refused.unwrap_err().to_string().contains("-inf"));
        // Padding does not count.
        let found = assign(&one(&[no, 1.0, no, no], (2, 2), &(1, 2)), None).unwrap();
        assert_eq!(found[0], [Some(1)]);
    }

    /// The textbook on numbers, division by division.
    fn textbook(table: &Table, sweeps: usize) -> Vec<f64> {
        let width = table.width;
        let mut x: Vec<f64> = table.entries.iter().map(|log| log.exp()).collect();
        let height = x.len() / width;
        for sweep in 0..sweeps {
            if sweep % 2 == 0 {
                for i in 0..table.rows {
                    let sum: f64 = (0..width).map(|j| x[i * width + j]).sum();
                    (0..width).for_each(|j| x[i * width + j] /= sum);
                }
            } else {
                for j in 0..table.columns {
                    let sum: f64 = (0..height).map(|i| x[i * width + j]).sum();
                    (0..height).for_each(|i| x[i * width + j] /= sum);
                }
            }
        }
        x
    }

    #[test]
    fn numbers_and_logarithms_give_the_textbook_values() {
        let (short, long) = (vec![0.3, -1.0, 0.7, 0.1], vec![0.2, 0.4, -0.6, 1.1]);
        for (rows, cols) in [(3, 4), (4, 4), (1, 4)] {
            let s = scores(rows, cols, 7);
            for sweeps in [0, 1, 2, 9, 10] {
                for (alone, dummies) in [(false, false), (false, true), (true, false), (true, true)]
                {
                    let alone = alone.then_some((&short[..], &long[..cols]));
                    let mut tables: [Table; 2] = Default::default();
                    for table in &mut tables {
                        table.fill((rows, cols), |i, j| s[i * cols + j], alone, dummies);
                    }
                    let want = textbook(&tables[0], sweeps);
                    tables[0].shift(sweeps, &Monitor::silent());
                    assert_close(&tables[0].entries, &want);
                    tables[1].scale(sweeps, &Monitor::silent());
                    assert_close(&tables[1].entries, &want);
                }
            }
        }
    }

    fn assert_close(got: &[f64], want: &[f64]) {
        for (x, y) in got.iter().zip(want) {
            assert!((x - y).abs() < 1e-12, "{x} {y}");
        }
    }

    #[test]
    fn the_first_sweep_does_not_see_the_units_of_rows() {
        // Exponents that no number holds.
        let plain = scores(3, 4, 9);
        let far: Vec<f64> = plain
            .iter()
            .enumerate()
            .map(|(k, s)| s + 800.0 * (k / 4) as f64)
            .collect();
        let of = |s: &[f64]| normalised(s, (3, 4), (3, 4), 10);
        assert_close(&of(&far), &of(&plain));
    }

    #[test]
    fn the_shorter_side_comes_first_and_padding_is_zero() {
        let s = scores(4, 3, 11);
        let turned: Vec<f64> = (0..12).map(|k| s[(k % 4) * 3 + k / 4]).collect();
        let tall = normalised(&s, (4, 3), (4, 3), 7);
        let wide = normalised(&turned, (3, 4), (3, 4), 7);
        assert!((0..12).all(|k| tall[k] == wide[(k % 3) * 4 + k / 3]));
        // After an odd number of sweeps the side that came first sums to 1.
        assert!((0..3).all(|j| ((0..4).map(|i| tall[3 * i + j]).sum::<f64>() - 1.0).abs() < 1e-14));
        let part = normalised(&s, (4, 3), (2, 2), 7);
        let beyond = (0..12).filter(|k| k / 3 >= 2 || k % 3 >= 2);
        assert!(beyond.into_iter().all(|k| part[k] == 0.0));
        let square = [s[0], s[1], s[3], s[4]];
        // Of a square in a tall batch the columns come first.
        let turned = [square[0], square[2], square[1], square[3]];
        let want = normalised(&turned, (2, 2), (2, 2), 7);
        assert_close(
            &[part[0], part[1], part[3], part[4]],
            &[want[0], want[2], want[1], want[3]],
        );
    }
}
