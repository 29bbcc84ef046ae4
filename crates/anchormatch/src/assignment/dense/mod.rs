//! Dense linear assignment by shortest augmenting paths.
//!
//! The algorithm is that of Jonker and Volgenant (*A shortest augmenting path algorithm for dense
//! and sparse linear assignment problems*, Computing 38, 1987): column reduction (square matrices
//! only, since a column left unmatched must keep the dual 0), augmenting row reduction, and one
//! Dijkstra search over reduced costs c_ij − v_j for every row still free; rectangular matrices as in
//! Crouse (*On implementing 2D rectangular assignment algorithms*, IEEE TAES 52, 2016).
//!
//! What is ours is how seldom a row is read. Column duals only ever fall, so reduced costs only ever
//! rise; the few smallest of a row, kept with the least that was left out (the row's *floor*), stay
//! a valid summary for the rest of the run. Row reductions and searches work on these summaries and
//! read the whole row only when its floor is reached, which is decided in exact comparisons: the
//! summary never changes the optimum.
//!
//! Square matrices whose reductions leave more than a quarter of the rows free, as products and
//! gradients of quadratic assignment problems do, start again from duals that a few Sinkhorn sweeps guess.
//!
//! # Ties
//! One thread, no hashing, and only arithmetic and comparisons of IEEE doubles in an order fixed by the
//! matrix: the same matrix gives the same assignment and duals, bit for bit, everywhere. Rows are
//! taken up in index order; a row takes the first free one of its equally cheap columns, in the order
//! of its summary; a search ends at the first free column that it found at the least distance. When
//! all costs are equal, row i gets column i. [`TieBreak::AsSciPy`] takes another search, and gives the
//! assignments of another library.

mod candidates;
mod costs;
mod guess;
mod patience;
mod reduction;
mod row_by_row;
mod search;

use self::costs::Costs;
use self::patience::Patience;
use self::row_by_row::RowByRow;
use self::search::{NONE, Search};
use super::{LARGEST_COST, LinearAssignment};
use crate::error::{Error, Result};
use crate::linalg::Matrix;
use crate::monitor::Monitor;

/// Which of several optimal assignments is returned; all choices depend on the matrix alone.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum TieBreak {
    /// The one that the fastest search comes to.
    #[default]
    Fastest,
    /// The one of SciPy's `linear_sum_assignment`, for programs that have to go its way.
    ///
    /// Costs about what SciPy does: O(k² l) however easy the matrix is, k the smaller and l the larger side.
    AsSciPy,
}

/// Solves assignment problems one after another in the same memory.
///
/// After the first call, calls on matrices no larger than before do not allocate, provided that the
/// result is reused too.
///
/// # Example
/// ```
/// use anchormatch::assignment::{LinearAssignment, LinearSolver};
///
/// let mut solver = LinearSolver::new();
/// let mut best = LinearAssignment::default();
/// for shift in 0..3 {
///     let cost = [4.0, 1.0, 2.0, f64::from(shift)];
///     solver.minimise_slice(&cost, 2, 2, &mut best)?;
/// }
/// assert_eq!(best.columns, [Some(1), Some(0)]);
/// # Ok::<(), anchormatch::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct LinearSolver {
    tie_break: TieBreak,
    monitor: Monitor,
    transposed: Vec<f64>,
    search: Search,
    row_by_row: RowByRow,
}

impl LinearSolver {
    /// A solver that owns no memory yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A solver that picks among equally good assignments as `tie_break` says.
    #[must_use]
    pub fn with_ties(tie_break: TieBreak) -> Self {
        Self {
            tie_break,
            ..Self::default()
        }
    }

    /// A solver that ends when `monitor` says so, not before a fraction of a second's work.
    ///
    /// What is cut short is filled up with the cheapest that is free, row by row; the duals then prove
    /// nothing.
    #[must_use]
    pub fn watched_by(self, monitor: &Monitor) -> Self {
        Self {
            monitor: monitor.unobserved(),
            ..self
        }
    }

    /// [`minimise`](super::minimise) into `out`.
    ///
    /// # Errors
    /// As for [`minimise`](super::minimise); `out` is then unspecified.
    pub fn minimise(&mut self, cost: &Matrix, out: &mut LinearAssignment) -> Result<()> {
        self.solve::<false>(cost.as_slice(), cost.rows(), cost.cols(), out)
    }

    /// [`maximise`](super::maximise) into `out`.
    ///
    /// # Errors
    /// As for [`minimise`](super::minimise); `out` is then unspecified.
    pub fn maximise(&mut self, score: &Matrix, out: &mut LinearAssignment) -> Result<()> {
        self.solve::<true>(score.as_slice(), score.rows(), score.cols(), out)
    }

    /// [`minimise`](Self::minimise) over entries stored row after row.
    ///
    /// # Errors
    /// As for [`minimise`](Self::minimise), and when `cost` does not hold `rows * cols` entries.
    pub fn minimise_slice(
        &mut self,
        cost: &[f64],
        rows: usize,
        cols: usize,
        out: &mut LinearAssignment,
    ) -> Result<()> {
        self.solve::<false>(cost, rows, cols, out)
    }

    /// [`maximise`](Self::maximise) over entries stored row after row.
    ///
    /// # Errors
    /// As for [`minimise`](Self::minimise), and when `score` does not hold `rows * cols` entries.
    pub fn maximise_slice(
        &mut self,
        score: &[f64],
        rows: usize,
        cols: usize,
        out: &mut LinearAssignment,
    ) -> Result<()> {
        self.solve::<true>(score, rows, cols, out)
    }

    fn solve<const NEGATE: bool>(
        &mut self,
        entries: &[f64],
        rows: usize,
        cols: usize,
        out: &mut LinearAssignment,
    ) -> Result<()> {
        check_shape(entries.len(), rows, cols)?;
        out.columns.reset(rows);
        out.row_duals.clear();
        out.row_duals.resize(rows, 0.0);
        out.column_duals.clear();
        out.column_duals.resize(cols, 0.0);
        out.value = 0.0;
        if entries.is_empty() {
            return Ok(());
        }
        let flipped = rows > cols;
        let costs = if flipped {
            transpose_into(entries, rows, cols, &mut self.transposed);
            Costs::<NEGATE>::new(&self.transposed, cols, rows)
        } else {
            Costs::<NEGATE>::new(entries, rows, cols)
        };
        let go_on = || self.monitor.interrupted().is_none();
        let patience = &mut Patience::new(&go_on);
        let solved = match self.tie_break {
            TieBreak::Fastest => {
                let is_sound = self.search.run(costs, patience);
                is_sound.then(|| self.search.matched())
            }
            TieBreak::AsSciPy => {
                let is_sound = self.row_by_row.run(costs, patience);
                is_sound.then(|| self.row_by_row.matched())
            }
        };
        let Some(matched) = solved else {
            return Err(describe_bad_entry(entries, cols));
        };
        let (short, long) = if flipped {
            (&mut out.column_duals, &mut out.row_duals)
        } else {
            (&mut out.row_duals, &mut out.column_duals)
        };
        let sign = if NEGATE { -1.0 } else { 1.0 };
        for (i, dual) in short.iter_mut().enumerate() {
            let column = matched.columns[i] as usize;
            // Adding 0 keeps −0 out of the result.
            *dual = sign * (matched.costs[i] - matched.duals[column]) + 0.0;
            if flipped {
                out.columns.set(column, Some(i));
            } else {
                out.columns.set(i, Some(column));
            }
        }
        for (dual, &v) in long.iter_mut().zip(matched.duals) {
            // Where columns stay free, none's dual is positive but by rounding.
            let v = if rows == cols { v } else { v.min(0.0) };
            *dual = sign * v + 0.0;
        }
        out.value = out
            .columns
            .pairs()
            .map(|(i, j)| entries[i * cols + j])
            .sum();
        Ok(())
    }
}

/// What a search found on rows ≤ columns.
struct Matched<'s> {
    /// The column of each row, and the cost of the pair.
    columns: &'s [u32],
    costs: &'s [f64],
    /// The dual of each column.
    duals: &'s [f64],
}

fn check_shape(len: usize, rows: usize, cols: usize) -> Result<()> {
    if rows.checked_mul(cols) != Some(len) {
        return Err(Error::parameter(
            "cost matrix",
            format!("{len} entries"),
            format!("{rows} × {cols} entries"),
        ));
    }
    if rows.max(cols) >= NONE as usize {
        return Err(Error::parameter(
            "cost matrix",
            format!("{rows} rows and {cols} columns"),
            format!("fewer than {NONE} of each"),
        ));
    }
    Ok(())
}

#[cold]
fn describe_bad_entry(entries: &[f64], cols: usize) -> Error {
    let position = entries
        .iter()
        .position(|x| !within_limits(*x))
        .expect("a rejected matrix has an entry outside the limits");
    Error::parameter(
        "cost matrix",
        format!(
            "{} in row {}, column {} (counted from 0)",
            entries[position],
            position / cols,
            position % cols
        ),
        format!("finite entries of at most {LARGEST_COST:e} in absolute value"),
    )
}

/// Whether `x` is finite and small enough that no sum of a few of them overflows.
fn within_limits(x: f64) -> bool {
    x.abs() <= LARGEST_COST
}

/// `out` = transpose of the row-major `entries`, in tiles that fit the cache.
fn transpose_into(entries: &[f64], rows: usize, cols: usize, out: &mut Vec<f64>) {
    const TILE: usize = 16;
    out.clear();
    out.resize(entries.len(), 0.0);
    for row in (0..rows).step_by(TILE) {
        for col in (0..cols).step_by(TILE) {
            for j in col..(col + TILE).min(cols) {
                for i in row..(row + TILE).min(rows) {
                    out[j * rows + i] = entries[i * cols + j];
                }
            }
        }
    }
}
