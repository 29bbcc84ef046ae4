//! The cheap beginning: column reduction and augmenting row reduction, on rows ≤ columns.

use super::candidates::lesser;
use super::costs::Costs;
use super::patience::Patience;
use super::search::{NONE, Search};
use super::within_limits;

/// Passes of augmenting row reduction over the rows still free.
const REDUCTION_PASSES: usize = 2;

/// Row reductions in one pass, per row. In floating point a chain of rows that push each other out
/// can go on for ever; the rows left over when the budget is spent go to the searches.
const REDUCTIONS_PER_ROW: usize = 4;

impl Search {
    /// Checks every entry; in a square matrix, every column's dual becomes its least cost.
    pub(super) fn reduce_columns<const NEGATE: bool>(&mut self, costs: Costs<'_, NEGATE>) -> bool {
        let square = costs.rows() == costs.columns();
        if square {
            self.duals.fill(f64::INFINITY);
        }
        for i in 0..costs.rows() {
            let row = costs.row(i);
            let mut sound = true;
            if square {
                for (v, &c) in self.duals.iter_mut().zip(row) {
                    *v = lesser(Costs::<NEGATE>::signed(c), *v);
                    sound &= within_limits(c);
                }
            } else {
                for &c in row {
                    sound &= within_limits(c);
                }
            }
            if !sound {
                return false;
            }
        }
        true
    }

    /// Augmenting row reduction from no matched row at all; leaves the rows still free.
    pub(super) fn reduce_all_rows<const NEGATE: bool>(
        &mut self,
        costs: Costs<'_, NEGATE>,
        patience: &mut Patience<'_>,
    ) {
        self.free_rows.extend(0..costs.rows() as u32);
        for _ in 0..REDUCTION_PASSES {
            self.reduce_rows(costs, patience);
        }
    }

    /// One pass of augmenting row reduction over the free rows: each takes its cheapest column, whose
    /// dual falls until the second cheapest costs as much, and the row pushed out goes next.
    fn reduce_rows<const NEGATE: bool>(
        &mut self,
        costs: Costs<'_, NEGATE>,
        patience: &mut Patience<'_>,
    ) {
        let mut budget = REDUCTIONS_PER_ROW * costs.rows();
        self.next_free_rows.clear();
        for k in 0..self.free_rows.len() {
            let mut i = self.free_rows[k] as usize;
            loop {
                // A reduction reads a row at most.
                if !patience.lasts(costs.columns()) {
                    self.next_free_rows.push(i as u32);
                    break;
                }
                let [first, second] = self.two_cheapest(costs, i);
                let lowered = self.duals[first.column] - (second.reduced - first.reduced);
                let lowers = lowered < self.duals[first.column] && lowered.is_finite();
                let choice = if lowers {
                    self.duals[first.column] = lowered;
                    first
                } else if let Some(free) = self.first_free_tied(i, first) {
                    free
                } else {
                    // Taking a column over would only pass the same need on to another row.
                    self.next_free_rows.push(i as u32);
                    break;
                };
                let pushed_out = self.row_of[choice.column];
                self.assign(i, choice.column, choice.cost);
                if pushed_out == NONE {
                    break;
                }
                self.column_of[pushed_out as usize] = NONE;
                if budget == 0 {
                    self.next_free_rows.push(pushed_out);
                    break;
                }
                budget -= 1;
                i = pushed_out as usize;
            }
        }
        std::mem::swap(&mut self.free_rows, &mut self.next_free_rows);
    }

    /// The two cheapest columns of row `i` at the current duals; with one column, it twice, the
    /// second time at ∞.
    fn two_cheapest<const NEGATE: bool>(
        &mut self,
        costs: Costs<'_, NEGATE>,
        i: usize,
    ) -> [Choice; 2] {
        let best = self.two_cheapest_listed(i);
        if best[1].reduced <= self.candidates.floor(i) {
            return best;
        }
        self.candidates.rebuild(costs, i, &self.duals);
        self.two_cheapest_listed(i)
    }

    fn two_cheapest_listed(&self, i: usize) -> [Choice; 2] {
        let mut first = Choice {
            reduced: f64::INFINITY,
            cost: 0.0,
            column: 0,
        };
        let mut second = first;
        let (columns, costs) = self.candidates.of(i);
        for (&column, &cost) in columns.iter().zip(costs) {
            let column = column as usize;
            let reduced = cost - self.duals[column];
            if reduced < second.reduced {
                let choice = Choice {
                    reduced,
                    cost,
                    column,
                };
                if reduced < first.reduced {
                    second = first;
                    first = choice;
                } else {
                    second = choice;
                }
            }
        }
        [first, second]
    }

    /// The first free column of the summary of row `i` that costs as little as `cheapest`.
    fn first_free_tied(&self, i: usize, cheapest: Choice) -> Option<Choice> {
        let (columns, costs) = self.candidates.of(i);
        columns
            .iter()
            .zip(costs)
            .map(|(&column, &cost)| Choice {
                reduced: cost - self.duals[column as usize],
                cost,
                column: column as usize,
            })
            .find(|c| c.reduced == cheapest.reduced && self.row_of[c.column] == NONE)
    }
}

/// A column that a row may take.
#[derive(Debug, Clone, Copy)]
struct Choice {
    reduced: f64,
    cost: f64,
    column: usize,
}
