//! Lists of candidates: balancing, what an iteration changed, and the choice among them.

use std::ops::Range;

use super::super::alone::{self, Rest};
use super::super::beliefs::{changed, expected_right, left_over as left_of, moved};
use super::super::expansion::missed as missed_of;
use super::super::model::PART;
use super::{NONE, Rows, fits, mismatch};
use crate::assignment::{auction, listed_log_sums, listed_occupancy};
use crate::error::Result;
use crate::linalg::Csr;

/// Rows of nodes and values.
#[derive(Debug, Clone, Copy)]
pub struct Lists<'a> {
    offsets: &'a [i64],
    columns: &'a [u32],
    values: &'a [f32],
}

impl<'a> Lists<'a> {
    /// Lists with these beginnings, nodes and values.
    ///
    /// # Errors
    /// When they do not fit together.
    pub fn new(offsets: &'a [i64], columns: &'a [u32], values: &'a [f32]) -> Result<Self> {
        if fits(offsets, columns.len()) && columns.len() == values.len() {
            Ok(Self {
                offsets,
                columns,
                values,
            })
        } else {
            Err(mismatch("lists", "offsets from 0 to the number of entries"))
        }
    }

    pub(super) fn rows(&self) -> usize {
        self.offsets.len() - 1
    }

    pub(super) fn len(&self) -> usize {
        self.columns.len()
    }

    /// The lists of some rows, with the entries whose values are at least so large.
    ///
    /// # Errors
    /// When there is no such row.
    pub fn some(&self, rows: &[u32], least: f32) -> Result<Rows> {
        if rows.iter().any(|&i| i as usize >= self.rows()) {
            return Err(mismatch("rows", "numbers below that of the lists"));
        }
        let kept = |i: &u32| self.row(*i as usize).filter(|entry| entry.1 >= least);
        let lengths: Vec<u32> = rows.iter().map(|i| kept(i).count() as u32).collect();
        let entries = lengths.iter().map(|&length| length as usize).sum();
        let mut columns = Vec::with_capacity(entries);
        let mut values = Vec::with_capacity(entries);
        for (column, value) in rows.iter().flat_map(kept) {
            columns.push(column);
            values.push(value);
        }
        Ok(Rows {
            lengths,
            columns,
            weights: Some(values),
        })
    }

    pub(super) fn row(&self, i: usize) -> impl Iterator<Item = (u32, f32)> + 'a {
        let range = self.offsets[i] as usize..self.offsets[i + 1] as usize;
        let columns = self.columns[range.clone()].iter().copied();
        columns.zip(self.values[range].iter().copied())
    }

    fn matrix(&self, cols: usize) -> Result<Csr<f32>> {
        let offsets = self.offsets.iter().map(|&o| o as usize).collect();
        Csr::from_parts(cols, offsets, self.columns.to_vec(), self.values.to_vec())
    }
}

/// −ln Σ exp(x + v) − with the rest − over every row; the duals of a half sweep of the balancing.
///
/// # Errors
/// When the duals do not fit the lists.
pub fn log_sums(lists: &Lists<'_>, duals: &[f64], rest: Option<&[f64]>) -> Result<Vec<f64>> {
    if rest.is_some_and(|rest| rest.len() != lists.rows()) {
        return Err(mismatch("rest", "one of every row"));
    }
    let matrix = lists.matrix(duals.len())?;
    let rest = |i: usize| rest.map_or(f64::NEG_INFINITY, |rest| rest[i]);
    Ok(listed_log_sums(&matrix, duals, rest))
}

/// The duals of columns: as [`log_sums`], never above 0.
///
/// # Errors
/// As above.
pub fn negative_log_sums(lists: &Lists<'_>, duals: &[f64]) -> Result<Vec<f64>> {
    let sums = log_sums(lists, duals, None)?;
    Ok(sums.into_iter().map(|dual| dual.min(0.0)).collect())
}

/// The probabilities of all entries by the duals of rows and of columns.
///
/// # Errors
/// When the duals do not fit the lists.
pub fn balanced(lists: &Lists<'_>, rows: &[f64], columns: &[f64]) -> Result<Vec<f32>> {
    if rows.len() != lists.rows() {
        return Err(mismatch("duals", "one of every row"));
    }
    let matrix = lists.matrix(columns.len())?;
    Ok(listed_occupancy(&matrix, rows, columns).values().to_vec())
}

/// What an iteration changed.
#[derive(Debug, Clone, PartialEq)]
pub struct Changes {
    /// Whether a row's probabilities differ by more than a little.
    pub moved: Vec<bool>,
    /// Rows whose likeliest node is another.
    pub changed: usize,
    /// The sums of the likeliest nodes' probabilities, by parts.
    pub right: Vec<f64>,
}

/// What is different between two lists of the same rows.
///
/// # Errors
/// When there are not as many rows.
pub fn compare(before: &Lists<'_>, after: &Lists<'_>) -> Result<Changes> {
    if before.rows() != after.rows() {
        return Err(mismatch("lists", "as many rows as before"));
    }
    let [x, y] = [before.matrix(NONE as usize)?, after.matrix(NONE as usize)?];
    Ok(Changes {
        moved: moved(&x, &y),
        changed: changed(&x, &y),
        right: parts(y.rows())
            .map(|rows| expected_right(&y, rows))
            .collect(),
    })
}

fn parts(rows: usize) -> impl Iterator<Item = Range<usize>> {
    (0..rows)
        .step_by(PART)
        .map(move |begin| begin..rows.min(begin + PART))
}

/// The likelihood that all settled neighbours of open nodes are missed, by parts.
///
/// # Errors
/// When the lists do not fit together.
pub fn missed(settled: &[f32], open: &[bool], missing: f32) -> Result<Vec<f64>> {
    if settled.len() != open.len() {
        return Err(mismatch("open", "a flag for every node"));
    }
    let part = |nodes: Range<usize>| {
        let open = nodes.filter(|&i| open[i]);
        missed_of(open.map(|i| settled[i] * missing))
    };
    Ok(parts(settled.len()).map(part).collect())
}

/// The likelihood of targets that no neighbour speaks for, by parts.
///
/// # Errors
/// When the lists do not fit together.
pub fn left_over(masses: &[f32], settled: &[f32], missing: f32) -> Result<Vec<f64>> {
    if masses.len() != settled.len() {
        return Err(mismatch("masses", "one of every node"));
    }
    let part = |nodes: Range<usize>| {
        let nats = settled[nodes.clone()].iter().map(|s| s * missing);
        left_of(&masses[nodes], nats)
    };
    Ok(parts(masses.len()).map(part).collect())
}

/// The expected numbers of nodes without a partner, by parts: who is not matched is alone as far as the rest says.
///
/// # Errors
/// When there is not one rest for every row.
pub fn expected_alone(occupancy: &Lists<'_>, rests: &[Rest]) -> Result<Vec<f64>> {
    if rests.len() != occupancy.rows() {
        return Err(mismatch("rests", "one of every row"));
    }
    Ok(alone::expected(&occupancy.matrix(NONE as usize)?, rests))
}

/// The one-to-one choice of the greatest sum, within `slack` a row: the column of every row, or [`NONE`].
///
/// # Errors
/// When a column is not below `columns`.
pub fn choose(lists: &Lists<'_>, columns: usize, slack: f32) -> Result<Vec<u32>> {
    let chosen = auction(&lists.matrix(columns)?, slack);
    let partners = (0..lists.rows()).map(|i| chosen.partner(i).map_or(NONE, |a| a as u32));
    Ok(partners.collect())
}
