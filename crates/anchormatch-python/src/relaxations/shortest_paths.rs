//! The linear assignments of FAQ, with the ties of SciPy.

use anchormatch::{Error, Result};

/// Scores are smaller.
const LARGEST: f64 = 1e290;

/// Linear assignment by shortest augmenting paths, row by row, without a start by reductions (Crouse, IEEE
/// Trans. Aerosp. Electron. Syst. 2016).
///
/// For a few dozen nodes it is as fast as the library's own. Of assignments that are equally good it
/// finds the one that SciPy's `linear_sum_assignment` finds, since it looks at columns in the same order:
/// FAQ, where ties are common, then takes the same way.
pub(super) struct ShortestPaths {
    /// The column of each row.
    pub(super) columns: Vec<usize>,
    rows: Vec<Option<usize>>,
    row_duals: Vec<f64>,
    column_duals: Vec<f64>,
    lengths: Vec<f64>,
    before: Vec<usize>,
    open: Vec<usize>,
    closed: Vec<usize>,
}

impl ShortestPaths {
    pub(super) fn new(n: usize) -> Self {
        Self {
            columns: vec![0; n],
            rows: vec![None; n],
            row_duals: vec![0.0; n],
            column_duals: vec![0.0; n],
            lengths: vec![0.0; n],
            before: vec![0; n],
            open: Vec::with_capacity(n),
            closed: Vec::with_capacity(n),
        }
    }

    /// Finds the columns of the assignment with the largest total.
    pub(super) fn maximize(&mut self, scores: &[f64]) -> Result<()> {
        // Lengths of paths have to stay finite, too.
        let large = |value: &&f64| value.is_nan() || value.abs() >= LARGEST;
        if let Some(value) = scores.iter().find(large) {
            let found = format!("products as large as {value}");
            return Err(Error::parameter("A, B", found, "smaller numbers"));
        }
        self.rows.fill(None);
        self.row_duals.fill(0.0);
        self.column_duals.fill(0.0);
        for row in 0..self.columns.len() {
            self.augment(row, scores);
        }
        Ok(())
    }

    /// Gives `row` a column, and others theirs anew along the shortest path to a free one.
    fn augment(&mut self, row: usize, scores: &[f64]) {
        let n = self.columns.len();
        // From the last to the first: the assignment of a constant matrix is the identity.
        self.open.clear();
        self.open.extend((0..n).rev());
        self.closed.clear();
        self.lengths.fill(f64::INFINITY);
        let (mut end, mut length) = (row, 0.0);
        let free = loop {
            let scores = &scores[end * n..][..n];
            let (mut shortest, mut place) = (f64::INFINITY, 0);
            for (k, &column) in self.open.iter().enumerate() {
                let reached =
                    length - scores[column] - self.row_duals[end] - self.column_duals[column];
                if reached < self.lengths[column] {
                    self.lengths[column] = reached;
                    self.before[column] = end;
                }
                let known = self.lengths[column];
                // Of equally near columns a free one ends the search.
                if known < shortest || (known == shortest && self.rows[column].is_none()) {
                    (shortest, place) = (known, k);
                }
            }
            length = shortest;
            let column = self.open.swap_remove(place);
            self.closed.push(column);
            match self.rows[column] {
                Some(next) => end = next,
                None => break column,
            }
        };
        self.row_duals[row] += length;
        for &column in &self.closed {
            let slack = length - self.lengths[column];
            if let Some(owner) = self.rows[column] {
                self.row_duals[owner] += slack;
            }
            self.column_duals[column] -= slack;
        }
        let mut column = free;
        loop {
            let owner = self.before[column];
            self.rows[column] = Some(owner);
            std::mem::swap(&mut self.columns[owner], &mut column);
            if owner == row {
                break;
            }
        }
    }
}
