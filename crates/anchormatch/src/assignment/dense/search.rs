//! The state of a solve, and one Dijkstra search for every row left free, on rows ≤ columns.

use super::Matched;
use super::candidates::{BLOCK, Candidates, block_minimum, lesser};
use super::costs::Costs;
use super::guess::Guess;
use super::patience::Patience;

/// The partner of a node that has none.
pub(super) const NONE: u32 = u32::MAX;

/// Fewer nodes are solved before a guess is made.
const SMALLEST_GUESS: usize = 32;

/// A square problem is hard when more than one row in this many is free after the reductions.
const HARD_SHARE: usize = 4;

/// A row that a search has looked at through its summary only.
#[derive(Debug, Clone, Copy)]
struct Pending {
    /// Columns outside the row's summary are at least this far from the source.
    from: f64,
    /// Distance of column j through this row: (c_ij − v_j) − offset.
    offset: f64,
    row: u32,
}

/// The state of one solve; all of it is reused by the next.
#[derive(Debug, Default)]
pub(super) struct Search {
    pub(super) candidates: Candidates,
    /// v, the dual of each column.
    pub(super) duals: Vec<f64>,
    pub(super) column_of: Vec<u32>,
    pub(super) row_of: Vec<u32>,
    /// The cost of each matched row's entry.
    cost_of: Vec<f64>,
    pub(super) free_rows: Vec<u32>,
    pub(super) next_free_rows: Vec<u32>,
    free_columns: Vec<u32>,
    /// The number of the search in which each row's summary was last rebuilt.
    rebuilt_in: Vec<u32>,
    /// Rows whose summary did not last for one search, so that rebuilding it gains nothing.
    broad: Vec<bool>,
    /// Distance of each column in the running search; ∞ unseen, −∞ settled.
    distance: Vec<f64>,
    predecessor: Vec<u32>,
    /// Columns seen in the running search and not settled.
    waiting: Vec<u32>,
    /// At the current distance, to be settled next.
    ready: Vec<u32>,
    settled: Vec<(u32, f64)>,
    pending: Vec<Pending>,
    /// The nearest free column found, and its distance.
    nearest: u32,
    bound: f64,
    guess: Guess,
    guessed: Vec<f64>,
}

impl Search {
    /// Solves; `false` when an entry is outside the limits. What `patience` does not last for is filled up.
    pub(super) fn run<const NEGATE: bool>(
        &mut self,
        costs: Costs<'_, NEGATE>,
        patience: &mut Patience<'_>,
    ) -> bool {
        self.reset(costs.rows(), costs.columns());
        if !self.reduce_columns(costs) {
            return false;
        }
        self.reduce_all_rows(costs, patience);
        if self.is_hard(costs) && !patience.has_ended() {
            self.start_from_guess(costs, patience);
        }
        self.free_columns
            .extend((0..costs.columns() as u32).filter(|&j| self.row_of[j as usize] == NONE));
        for k in 0..self.free_rows.len() {
            let row = self.free_rows[k] as usize;
            if patience.has_ended() {
                self.take_cheapest_free(costs, row);
            } else {
                self.augment(costs, row, k as u32 + 1, patience);
            }
        }
        true
    }

    /// Gives `row` the free column that is cheapest at the current duals.
    fn take_cheapest_free<const NEGATE: bool>(&mut self, costs: Costs<'_, NEGATE>, row: usize) {
        let reduced = |place: usize| {
            let j = self.free_columns[place] as usize;
            costs.at(row, j) - self.duals[j]
        };
        let mut best = 0;
        for place in 1..self.free_columns.len() {
            if reduced(place) < reduced(best) {
                best = place;
            }
        }
        let column = self.free_columns.remove(best) as usize;
        self.assign(row, column, costs.at(row, column));
    }

    /// Whether so many rows are still free that the searches would read most of the matrix each.
    fn is_hard<const NEGATE: bool>(&self, costs: Costs<'_, NEGATE>) -> bool {
        let n = costs.rows();
        n == costs.columns() && n >= SMALLEST_GUESS && HARD_SHARE * self.free_rows.len() > n
    }

    /// Starts again from guessed duals, when there are any.
    fn start_from_guess<const NEGATE: bool>(
        &mut self,
        costs: Costs<'_, NEGATE>,
        patience: &mut Patience<'_>,
    ) {
        let mut guess = std::mem::take(&mut self.guess);
        let mut duals = std::mem::take(&mut self.guessed);
        duals.resize(costs.columns(), 0.0);
        if guess.duals(costs, &mut duals, patience) && !patience.has_ended() {
            self.reset(costs.rows(), costs.columns());
            self.duals.copy_from_slice(&duals);
            self.reduce_all_rows(costs, patience);
        }
        (self.guess, self.guessed) = (guess, duals);
    }

    /// The result of the last run.
    pub(super) fn matched(&self) -> Matched<'_> {
        debug_assert!(
            !self.column_of.contains(&NONE),
            "every row of the short side is matched"
        );
        Matched {
            columns: &self.column_of,
            costs: &self.cost_of,
            duals: &self.duals,
        }
    }

    fn reset(&mut self, rows: usize, columns: usize) {
        self.candidates.reset(rows, columns);
        refill(&mut self.column_of, rows, NONE);
        refill(&mut self.row_of, columns, NONE);
        refill(&mut self.cost_of, rows, 0.0);
        refill(&mut self.rebuilt_in, rows, 0);
        refill(&mut self.broad, rows, false);
        refill(&mut self.distance, columns, f64::INFINITY);
        refill(&mut self.predecessor, columns, NONE);
        refill(&mut self.duals, columns, 0.0);
        // Room for the most that each can hold, so that no later solve of this size allocates.
        for (list, most) in [
            (&mut self.free_rows, rows),
            (&mut self.next_free_rows, rows),
            (&mut self.free_columns, columns),
            (&mut self.waiting, columns),
            (&mut self.ready, columns),
        ] {
            list.clear();
            list.reserve(most);
        }
        self.settled.clear();
        self.settled.reserve(columns);
        self.pending.clear();
        self.pending.reserve(rows);
    }

    pub(super) fn assign(&mut self, i: usize, j: usize, cost: f64) {
        self.column_of[i] = j as u32;
        self.row_of[j] = i as u32;
        self.cost_of[i] = cost;
    }

    /// Finds the shortest augmenting path from `source` to a free column, moves the duals so that
    /// reduced costs stay non-negative, and augments.
    fn augment<const NEGATE: bool>(
        &mut self,
        costs: Costs<'_, NEGATE>,
        source: usize,
        number: u32,
        patience: &mut Patience<'_>,
    ) {
        self.bound = f64::INFINITY;
        self.nearest = NONE;
        self.scan_summary(source, 0.0, f64::NEG_INFINITY);
        if self.nearest == NONE {
            self.bound_from_free_columns(costs, source);
        }
        self.wait_for_row(source, 0.0);
        let mut read = 0;
        loop {
            read += self.pending.len() + self.waiting.len();
            let pending = self.nearest_pending();
            let reached = self.nearest_waiting(pending.map_or(f64::INFINITY, |(_, p)| p.from));
            if let Some(reached) = reached {
                self.settle_ready(reached);
            } else if let Some((position, row)) = pending {
                self.pending.swap_remove(position);
                self.read_row(costs, row, number);
                read += costs.columns();
            } else {
                break;
            }
        }
        assert!(
            self.nearest != NONE,
            "a free column can be reached from every row"
        );
        self.move_duals();
        self.flip_path(costs, source);
        patience.lasts(read);
    }

    /// The pending row that must be read first, with its position; rows beyond the bound are dropped.
    fn nearest_pending(&mut self) -> Option<(usize, Pending)> {
        let mut nearest: Option<(usize, Pending)> = None;
        let mut k = 0;
        while k < self.pending.len() {
            let row = self.pending[k];
            if row.from >= self.bound {
                self.pending.swap_remove(k);
                continue;
            }
            if nearest.is_none_or(|(_, other)| (row.from, row.row) < (other.from, other.row)) {
                nearest = Some((k, row));
            }
            k += 1;
        }
        nearest
    }

    /// Moves the waiting columns at the least distance to `ready` and returns that distance, unless a
    /// pending row (at distance `pending`) might lead to a nearer one or the bound comes first.
    fn nearest_waiting(&mut self, pending: f64) -> Option<f64> {
        let mut least = f64::INFINITY;
        let mut k = 0;
        while k < self.waiting.len() {
            let j = self.waiting[k] as usize;
            let d = self.distance[j];
            if d >= self.bound {
                // Unseen again, for a shorter way to it may turn up.
                self.distance[j] = f64::INFINITY;
                self.waiting.swap_remove(k);
            } else {
                least = lesser(least, d);
                k += 1;
            }
        }
        if self.waiting.is_empty() || pending < least {
            return None;
        }
        let (distance, ready) = (&self.distance, &mut self.ready);
        self.waiting.retain(|&j| {
            let keep = distance[j as usize] > least;
            if !keep {
                ready.push(j);
            }
            keep
        });
        // Taken from the end, so that the lowest index goes first.
        ready.sort_unstable_by(|a, b| b.cmp(a));
        Some(least)
    }

    /// Settles the ready columns, and those that turn out to be as near, at distance `reached`.
    fn settle_ready(&mut self, reached: f64) {
        while let Some(j) = self.ready.pop() {
            let column = j as usize;
            let i = self.row_of[column] as usize;
            self.settled.push((j, reached));
            self.distance[column] = f64::NEG_INFINITY;
            let offset = (self.cost_of[i] - self.duals[column]) - reached;
            self.scan_summary(i, offset, reached);
            if self.bound <= reached {
                return;
            }
            self.wait_for_row(i, offset);
        }
    }

    /// Notes that row `i` has been looked at through its summary only.
    fn wait_for_row(&mut self, i: usize, offset: f64) {
        let from = self.candidates.floor(i) - offset;
        if from < self.bound {
            self.pending.push(Pending {
                from,
                offset,
                row: i as u32,
            });
        }
    }

    /// Relaxes the columns in the summary of row `i`.
    fn scan_summary(&mut self, i: usize, offset: f64, reached: f64) {
        let candidates = std::mem::take(&mut self.candidates);
        let (columns, costs) = candidates.of(i);
        for (&j, &cost) in columns.iter().zip(costs) {
            let d = (cost - self.duals[j as usize]) - offset;
            if d < self.bound {
                self.relax(j as usize, d, i, reached);
            }
        }
        self.candidates = candidates;
    }

    /// Relaxes all columns of a row whose summary does not reach far enough.
    fn read_row<const NEGATE: bool>(
        &mut self,
        costs: Costs<'_, NEGATE>,
        pending: Pending,
        number: u32,
    ) {
        let i = pending.row as usize;
        if !self.broad[i] && self.rebuilt_in[i] != number {
            // Duals have fallen since the summary was made, so a new one may reach further.
            self.rebuilt_in[i] = number;
            self.candidates.rebuild(costs, i, &self.duals);
            if self.candidates.floor(i) - pending.offset > pending.from {
                self.scan_summary(i, pending.offset, f64::NEG_INFINITY);
                self.wait_for_row(i, pending.offset);
                return;
            }
        }
        self.broad[i] = true;
        let (blocks, rest) = costs.row(i).as_chunks::<BLOCK>();
        let mut block_distance = [0.0; BLOCK];
        for (block, c) in blocks.iter().enumerate() {
            let start = block * BLOCK;
            let v = &self.duals[start..start + BLOCK];
            for k in 0..BLOCK {
                block_distance[k] = (Costs::<NEGATE>::signed(c[k]) - v[k]) - pending.offset;
            }
            if block_minimum(&block_distance) < self.bound {
                for (k, &d) in block_distance.iter().enumerate() {
                    if d < self.bound {
                        self.relax(start + k, d, i, f64::NEG_INFINITY);
                    }
                }
            }
        }
        for (k, &c) in rest.iter().enumerate() {
            let j = blocks.len() * BLOCK + k;
            let d = (Costs::<NEGATE>::signed(c) - self.duals[j]) - pending.offset;
            if d < self.bound {
                self.relax(j, d, i, f64::NEG_INFINITY);
            }
        }
    }

    /// Notes that column `j` is at distance `d` < bound through row `i`. Columns no further than
    /// `reached` are settled without waiting.
    #[inline]
    fn relax(&mut self, j: usize, d: f64, i: usize, reached: f64) {
        if self.row_of[j] == NONE {
            self.bound = d;
            self.nearest = j as u32;
            self.predecessor[j] = i as u32;
            return;
        }
        let before = self.distance[j];
        if d >= before {
            return;
        }
        self.predecessor[j] = i as u32;
        if before == f64::INFINITY {
            if d <= reached {
                // Settled at `reached`; −∞ keeps later rows from claiming it.
                self.distance[j] = f64::NEG_INFINITY;
                self.ready.push(j as u32);
                return;
            }
            self.waiting.push(j as u32);
        }
        self.distance[j] = d;
    }

    /// Bounds the search by the free column nearest to `source` directly.
    fn bound_from_free_columns<const NEGATE: bool>(
        &mut self,
        costs: Costs<'_, NEGATE>,
        source: usize,
    ) {
        for k in 0..self.free_columns.len() {
            let j = self.free_columns[k] as usize;
            let d = costs.at(source, j) - self.duals[j];
            if d < self.bound {
                self.relax(j, d, source, f64::NEG_INFINITY);
            }
        }
    }

    /// Lowers the duals of the settled columns by as much as they were nearer than the end, and
    /// forgets the search.
    fn move_duals(&mut self) {
        for &(j, d) in &self.settled {
            // Rounding must not raise a dual: the summaries rest on that.
            self.duals[j as usize] += (d - self.bound).min(0.0);
            self.distance[j as usize] = f64::INFINITY;
        }
        self.settled.clear();
        for j in self.waiting.drain(..).chain(self.ready.drain(..)) {
            self.distance[j as usize] = f64::INFINITY;
        }
        self.pending.clear();
    }

    fn flip_path<const NEGATE: bool>(&mut self, costs: Costs<'_, NEGATE>, source: usize) {
        let mut j = self.nearest as usize;
        self.free_columns.retain(|&free| free as usize != j);
        loop {
            let i = self.predecessor[j] as usize;
            let next = self.column_of[i];
            self.assign(i, j, costs.at(i, j));
            if i == source {
                return;
            }
            j = next as usize;
        }
    }
}

fn refill<T: Clone>(values: &mut Vec<T>, len: usize, value: T) {
    values.clear();
    values.resize(len, value);
}
