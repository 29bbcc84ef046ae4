//! How the solver reads its matrix.

/// A row-major cost matrix with rows ≤ columns, read with the opposite sign when `NEGATE`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Costs<'a, const NEGATE: bool> {
    entries: &'a [f64],
    rows: usize,
    columns: usize,
}

impl<'a, const NEGATE: bool> Costs<'a, NEGATE> {
    pub(super) fn new(entries: &'a [f64], rows: usize, columns: usize) -> Self {
        debug_assert!(0 < rows && rows <= columns && entries.len() == rows * columns);
        Self {
            entries,
            rows,
            columns,
        }
    }

    pub(super) fn rows(self) -> usize {
        self.rows
    }

    pub(super) fn columns(self) -> usize {
        self.columns
    }

    /// Row `i` as stored; entries still need [`signed`](Self::signed).
    pub(super) fn row(self, i: usize) -> &'a [f64] {
        &self.entries[i * self.columns..(i + 1) * self.columns]
    }

    /// The cost that a stored entry stands for.
    #[inline]
    pub(super) fn signed(entry: f64) -> f64 {
        if NEGATE { -entry } else { entry }
    }

    /// The cost of pair (i, j).
    pub(super) fn at(self, i: usize, j: usize) -> f64 {
        Self::signed(self.entries[i * self.columns + j])
    }
}
