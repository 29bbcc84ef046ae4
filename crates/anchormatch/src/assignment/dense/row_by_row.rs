//! Shortest augmenting paths row by row, without reductions, on rows ≤ columns.
//!
//! The plain algorithm of Crouse (*On implementing 2D rectangular assignment algorithms*, IEEE TAES 52,
//! 2016). It looks at columns in the order in which SciPy's `linear_sum_assignment` does, with the same
//! arithmetic, and of equally near columns prefers a free one as that does: of several optimal assignments
//! it finds the one that SciPy finds. Where ties are common, as in FAQ, an algorithm on top of it then goes
//! the same way. For a few dozen nodes it is as fast as the search with reductions.

use super::costs::Costs;
use super::patience::Patience;
use super::search::NONE;
use super::{Matched, within_limits};

/// The state of one solve; all of it is reused by the next.
#[derive(Debug, Default)]
pub(super) struct RowByRow {
    row_duals: Vec<f64>,
    column_duals: Vec<f64>,
    column_of: Vec<u32>,
    row_of: Vec<u32>,
    /// The cost of each row's entry.
    cost_of: Vec<f64>,
    /// Distance of each column in the running search, and the row before it.
    distance: Vec<f64>,
    before: Vec<u32>,
    open: Vec<u32>,
    closed: Vec<u32>,
}

impl RowByRow {
    /// Solves; `false` when an entry is outside the limits. What `patience` does not last for is filled up.
    pub(super) fn run<const NEGATE: bool>(
        &mut self,
        costs: Costs<'_, NEGATE>,
        patience: &mut Patience<'_>,
    ) -> bool {
        let (rows, columns) = (costs.rows(), costs.columns());
        if !(0..rows).all(|i| costs.row(i).iter().all(|&x| within_limits(x))) {
            return false;
        }
        reset(&mut self.row_duals, rows, 0.0);
        reset(&mut self.column_duals, columns, 0.0);
        reset(&mut self.column_of, rows, NONE);
        reset(&mut self.row_of, columns, NONE);
        reset(&mut self.distance, columns, 0.0);
        reset(&mut self.before, columns, NONE);
        for row in 0..rows {
            if patience.has_ended() {
                self.take_cheapest_free(costs, row);
            } else {
                self.augment(costs, row);
                patience.lasts(self.closed.len() * columns);
            }
        }
        let partners = self.column_of.iter().enumerate();
        self.cost_of.clear();
        self.cost_of
            .extend(partners.map(|(i, &column)| costs.at(i, column as usize)));
        true
    }

    /// The result of the last run.
    pub(super) fn matched(&self) -> Matched<'_> {
        Matched {
            columns: &self.column_of,
            costs: &self.cost_of,
            duals: &self.column_duals,
        }
    }

    /// Gives `row` the free column that is cheapest at the current duals.
    fn take_cheapest_free<const NEGATE: bool>(&mut self, costs: Costs<'_, NEGATE>, row: usize) {
        let mut best: Option<(f64, usize)> = None;
        for j in (0..costs.columns()).filter(|&j| self.row_of[j] == NONE) {
            let reduced = costs.at(row, j) - self.column_duals[j];
            if best.is_none_or(|(least, _)| reduced < least) {
                best = Some((reduced, j));
            }
        }
        let (_, column) = best.expect("columns are at least as many as rows");
        self.row_of[column] = row as u32;
        self.column_of[row] = column as u32;
    }

    /// Gives `row` a column, and others theirs anew along the shortest path to a free one.
    fn augment<const NEGATE: bool>(&mut self, costs: Costs<'_, NEGATE>, row: usize) {
        // From the last to the first: the assignment of a constant matrix is the identity.
        self.open.clear();
        self.open.extend((0..costs.columns() as u32).rev());
        self.closed.clear();
        self.distance.fill(f64::INFINITY);
        let (mut end, mut length) = (row, 0.0);
        let free = loop {
            let entries = costs.row(end);
            let (mut shortest, mut place) = (f64::INFINITY, 0);
            for (k, &column) in self.open.iter().enumerate() {
                let j = column as usize;
                let cost = Costs::<NEGATE>::signed(entries[j]);
                let reached = length + cost - self.row_duals[end] - self.column_duals[j];
                if reached < self.distance[j] {
                    self.distance[j] = reached;
                    self.before[j] = end as u32;
                }
                let known = self.distance[j];
                // Of equally near columns a free one ends the search.
                if known < shortest || (known == shortest && self.row_of[j] == NONE) {
                    (shortest, place) = (known, k);
                }
            }
            length = shortest;
            let column = self.open.swap_remove(place);
            self.closed.push(column);
            match self.row_of[column as usize] {
                NONE => break column,
                owner => end = owner as usize,
            }
        };
        self.row_duals[row] += length;
        for &column in &self.closed {
            let slack = length - self.distance[column as usize];
            let owner = self.row_of[column as usize];
            if owner != NONE {
                self.row_duals[owner as usize] += slack;
            }
            self.column_duals[column as usize] -= slack;
        }
        let mut column = free;
        loop {
            let owner = self.before[column as usize];
            self.row_of[column as usize] = owner;
            std::mem::swap(&mut self.column_of[owner as usize], &mut column);
            if owner as usize == row {
                break;
            }
        }
    }
}

fn reset<T: Copy>(vector: &mut Vec<T>, len: usize, value: T) {
    vector.clear();
    vector.resize(len, value);
}
