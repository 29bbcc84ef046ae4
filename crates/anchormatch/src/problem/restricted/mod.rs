//! W between listed assignments alone: vectors have a number for each of them.
//!
//! With the listed assignments e = (i, a) numbered row after row, the operator is
//!
//! > (W x)_e = Σ_f W(e, f) x_f   over the listed f,
//!
//! so that x takes as many numbers as there are candidates, whatever n₁ n₂ is. Three kinds:
//!
//! | kind | of | product | W(e, ·) |
//! |---|---|---|---|
//! | [`ByFactors`] | products with a sparse factor | O(n k (d_A + d_B)) | O(d_A (k + d_B)) |
//! | [`ByNumbers`] | listed pairs | O(pairs) | O(degree) |
//! | [`Filled`] | all others, whose matrices are there anyway | a full one | O(entries) |
//!
//! for lists of length k and degrees d.

mod factors;
mod filled;
mod numbers;
#[cfg(test)]
mod tests;

pub(super) use factors::ByFactors;
pub(super) use filled::Filled;
pub(super) use numbers::ByNumbers;

use std::ops::Range;

use crate::linalg::Csr;

/// The off-diagonal part of W between listed assignments, each known by its number.
pub trait Restricted: Send + Sync {
    /// How much scratch memory [`apply`](Self::apply) needs, in `f64`s.
    fn scratch_len(&self) -> usize;

    /// `out = W x`, both with a number for each entry.
    fn apply(&self, x: &[f64], out: &mut [f64], scratch: &mut [f64]);

    /// W between two entries; 0 when they conflict.
    fn value(&self, first: usize, second: usize) -> f64;

    /// Calls `visit(f, w)` for the entries f with which `entry` interacts; all w of one f add up to
    /// W(entry, f).
    fn visit(&self, entry: usize, visit: &mut dyn FnMut(usize, f64));
}

/// Listed assignments, numbered row after row, columns ascending.
#[derive(Debug, Clone)]
pub struct Entries<'p> {
    lists: &'p Csr<()>,
    /// The row of each.
    rows: Vec<u32>,
}

impl<'p> Entries<'p> {
    /// The entries of `lists`.
    ///
    /// # Panics
    /// When there are 2³² rows or more.
    #[must_use]
    pub fn of(lists: &'p Csr<()>) -> Self {
        assert!(
            u32::try_from(lists.rows()).is_ok(),
            "rows are 32-bit numbers"
        );
        let mut rows = Vec::with_capacity(lists.entries());
        for i in 0..lists.rows() {
            rows.resize(lists.range(i).end, i as u32);
        }
        Self { lists, rows }
    }

    /// The lists.
    #[must_use]
    pub fn lists(&self) -> &'p Csr<()> {
        self.lists
    }

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.rows.len()
    }

    /// The row of an entry.
    #[inline]
    #[must_use]
    pub fn row(&self, entry: usize) -> usize {
        self.rows[entry] as usize
    }

    /// The column of an entry.
    #[inline]
    #[must_use]
    pub fn column(&self, entry: usize) -> usize {
        self.lists.column(entry) as usize
    }

    /// The numbers of a row's entries.
    #[inline]
    #[must_use]
    pub fn of_row(&self, row: usize) -> Range<usize> {
        self.lists.range(row)
    }

    /// The number of (row, column), when it is listed.
    #[inline]
    #[must_use]
    pub fn number(&self, row: usize, column: usize) -> Option<usize> {
        self.lists.place(row, column)
    }
}
