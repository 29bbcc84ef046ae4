//! Linear assignment over lists, exactly, by shortest augmenting paths.
//!
//! Every row i of the smaller side has its listed columns at costs c_ia and staying alone at a cost D: at
//! what the pairs are worth less than nothing where nodes may stay alone, and above all sums of pairs where
//! as many as possible are to be matched. Duals v ≤ 0 of the columns, 0 for those that nobody has, and
//!
//! > u_i = min(D, min_a c_ia − v_a)
//!
//! with equality on the chosen pairs prove the optimum. First rows bid (the augmenting row reduction of
//! Jonker, Volgenant, *Computing* 38, 1987): a row takes its best column and lowers v by what the second
//! best is behind, and who loses a column bids again. Ties and what wars are left go along shortest paths
//! (Dijkstra over the lists), each of which keeps all of the above.
//!
//! Where lists are long and bids left much, paths would see most of them, each one: the auction of [`scaled`]
//! decides then, and the sum is within a sixteenth of the range of one score of the greatest.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::scaled;
use crate::assignment::Assignment;
use crate::linalg::Csr;
use crate::monitor::Monitor;

const NONE: u32 = u32::MAX;

/// Bids for each row, on average, before shortest paths take over.
const BIDS: usize = 64;

/// Rows from which on the auction decides: where bids leave more than one in [`MANY`], and in any case.
const LONG: usize = 8192;
const VERY_LONG: usize = 32_768;
const MANY: usize = 16;

/// Steps between two looks at the clock.
const BETWEEN_LOOKS: usize = 1 << 14;

/// Whether rows may stay without a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Alone {
    /// Whenever that is better: only scores above 0 are chosen.
    Allowed,
    /// Only who cannot be matched: as many pairs as the lists allow, whatever they score.
    LastResort,
}

/// Solves one linear assignment after another over the same lists, in the same memory.
///
/// # Example
/// ```
/// use anchormatch::assignment::{Alone, ListedSolver};
/// use anchormatch::linalg::Csr;
/// use anchormatch::Monitor;
///
/// let lists = Csr::pattern(2, 2, [(0, 0), (0, 1), (1, 0)])?;
/// let mut solver = ListedSolver::new(&lists, Alone::LastResort);
/// // One score for each entry, row after row.
/// let best = solver.maximise(&[5.0, 1.0, 2.0], &Monitor::silent());
/// assert_eq!(*best, [Some(1), Some(0)]);
/// # Ok::<(), anchormatch::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct ListedSolver {
    /// The lists of the smaller side.
    lists: Csr<u32>,
    is_turned: bool,
    alone: Alone,
    costs: Vec<f64>,
    /// The cost of staying alone.
    limit: f64,
    /// v.
    duals: Vec<f64>,
    /// The entry that each row has, and the row that each column has.
    taken: Vec<u32>,
    owners: Vec<u32>,
    paths: Paths,
    free: Vec<u32>,
    best: Assignment,
}

/// The memory of a search for a shortest path.
#[derive(Debug, Clone, Default)]
struct Paths {
    distances: Vec<f64>,
    /// The row and the entry through which each column was reached.
    from: Vec<(u32, u32)>,
    is_final: Vec<bool>,
    touched: Vec<u32>,
    heap: BinaryHeap<Reached>,
}

/// A column in the order of distances, the nearest first and of equal ones the lowest.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Reached {
    distance: f64,
    column: u32,
}

impl Eq for Reached {}

impl Ord for Reached {
    fn cmp(&self, other: &Self) -> Ordering {
        let distances = other.distance.total_cmp(&self.distance);
        distances.then(other.column.cmp(&self.column))
    }
}

impl PartialOrd for Reached {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Where a shortest path ends.
enum Goal {
    /// At a column that nobody has.
    Column(u32),
    /// At a row that stays alone from then on.
    Row(u32),
}

impl ListedSolver {
    /// For these lists.
    ///
    /// # Panics
    /// When there are 2³² − 1 entries or more.
    #[must_use]
    pub fn new(pattern: &Csr<()>, alone: Alone) -> Self {
        assert!(
            pattern.entries() < NONE as usize,
            "entries are 32-bit numbers"
        );
        let mut next = 0;
        let numbered = pattern.map(|()| {
            next += 1;
            next - 1
        });
        let is_turned = pattern.rows() > pattern.cols();
        let lists = if is_turned {
            numbered.transposed()
        } else {
            numbered
        };
        let (rows, columns) = (lists.rows(), lists.cols());
        Self {
            costs: vec![0.0; lists.entries()],
            limit: 0.0,
            duals: vec![0.0; columns],
            taken: vec![NONE; rows],
            owners: vec![NONE; columns],
            paths: Paths {
                distances: vec![f64::INFINITY; columns],
                from: vec![(NONE, NONE); columns],
                is_final: vec![false; columns],
                ..Paths::default()
            },
            free: Vec::new(),
            best: Assignment::empty(pattern.rows()),
            lists,
            is_turned,
            alone,
        }
    }

    /// Bytes that a solver for so many rows, columns and entries takes.
    #[must_use]
    pub fn memory(rows: usize, columns: usize, entries: usize) -> u64 {
        let nodes = rows.saturating_add(columns) as u64;
        (96 * nodes).saturating_add(32 * entries as u64)
    }

    /// The choice of greatest sum for these scores, finite numbers, one for each entry, row after row.
    ///
    /// What the monitor cuts short is filled up with whatever is free.
    ///
    /// # Panics
    /// When the scores are not as many as the entries.
    ///
    /// # Complexity
    /// O(k) a bid for lists of length k; a shortest path sees a part of the lists, all of them at worst.
    pub fn maximise(&mut self, scores: &[f64], monitor: &Monitor) -> &Assignment {
        assert_eq!(scores.len(), self.costs.len(), "a score for each entry");
        self.set_costs(scores);
        self.duals.fill(0.0);
        self.taken.fill(NONE);
        self.owners.fill(NONE);
        let mut steps = 0;
        self.bid(&mut steps, monitor);
        if self.is_long() {
            self.hold_auction(monitor);
        } else {
            let free = std::mem::take(&mut self.free);
            for &row in &free {
                if !self.augment(row, &mut steps, monitor) {
                    break;
                }
            }
            self.free = free;
        }
        if monitor.interrupted().is_some() {
            self.fill_up();
        }
        self.best.reset(if self.is_turned {
            self.lists.cols()
        } else {
            self.lists.rows()
        });
        for (row, &entry) in self.taken.iter().enumerate() {
            if entry != NONE {
                let column = self.lists.column(entry as usize) as usize;
                let (i, a) = if self.is_turned {
                    (column, row)
                } else {
                    (row, column)
                };
                self.best.set(i, Some(a));
            }
        }
        &self.best
    }

    /// What was found last.
    #[must_use]
    pub fn best(&self) -> &Assignment {
        &self.best
    }

    fn set_costs(&mut self, scores: &[f64]) {
        match self.alone {
            Alone::Allowed => {
                self.limit = 0.0;
                for (cost, &place) in self.costs.iter_mut().zip(self.lists.values()) {
                    let score = scores[place as usize];
                    // As good as alone is not chosen.
                    *cost = if score > 0.0 { -score } else { f64::INFINITY };
                }
            }
            Alone::LastResort => {
                let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
                for &score in scores {
                    (low, high) = (low.min(score), high.max(score));
                }
                let rows = self.lists.rows();
                let pairs = 4 * (rows + 1).next_power_of_two();
                self.limit = if high > low {
                    (high - low) * pairs as f64
                } else {
                    1.0
                };
                for (cost, &place) in self.costs.iter_mut().zip(self.lists.values()) {
                    *cost = high - scores[place as usize];
                }
            }
        }
    }

    /// Lets rows bid; those that no bid settles are left in `free`.
    fn bid(&mut self, steps: &mut usize, monitor: &Monitor) {
        let rows = self.lists.rows();
        let most = BIDS.saturating_mul(rows);
        let mut bids = 0;
        self.free.clear();
        for first in 0..rows as u32 {
            let mut row = first;
            loop {
                *steps += 1;
                if bids >= most || (steps.is_multiple_of(BETWEEN_LOOKS) && is_over(monitor)) {
                    self.free.push(row);
                    break;
                }
                bids += 1;
                let (mut best, mut least) = (NONE, self.limit);
                let (mut other, mut second) = (NONE, self.limit);
                for entry in self.lists.range(row as usize) {
                    let column = self.lists.column(entry) as usize;
                    let value = self.costs[entry] - self.duals[column];
                    if value < least {
                        (other, second) = (best, least);
                        (best, least) = (entry as u32, value);
                    } else if value < second
                        || (value == second && other != NONE && self.owner_of(other) != NONE)
                    {
                        (other, second) = (entry as u32, value);
                    }
                }
                if best == NONE {
                    // Alone for good: no column becomes cheaper.
                    break;
                }
                let gap = second - least;
                if gap <= 0.0 && self.owner_of(best) != NONE {
                    if other == NONE || self.owner_of(other) != NONE {
                        self.free.push(row);
                        break;
                    }
                    best = other;
                }
                let column = self.lists.column(best as usize) as usize;
                let lowered = self.duals[column] - gap.max(0.0);
                let loser = self.owners[column];
                if loser != NONE && lowered == self.duals[column] {
                    // Less than a rounding: the price does not move, and bids would go round.
                    self.free.push(row);
                    break;
                }
                if loser != NONE {
                    self.duals[column] = lowered;
                    self.taken[loser as usize] = NONE;
                }
                self.owners[column] = row;
                self.taken[row as usize] = best;
                if loser == NONE {
                    // Nobody else wants it yet, but the price says how much it is worth to the row.
                    self.duals[column] = lowered;
                    break;
                }
                row = loser;
            }
        }
    }

    /// Whether shortest paths would take too long.
    fn is_long(&self) -> bool {
        let (rows, free) = (self.lists.rows(), self.free.len());
        (rows >= LONG && free > rows / MANY) || (rows >= VERY_LONG && free > 0)
    }

    /// Takes what an auction from nothing decides; what was bid for stays when the monitor stops it.
    fn hold_auction(&mut self, monitor: &Monitor) {
        if let Some(taken) = scaled::assign(&self.lists, &self.costs, self.limit, monitor) {
            self.taken = taken;
        }
    }

    fn owner_of(&self, entry: u32) -> u32 {
        self.owners[self.lists.column(entry as usize) as usize]
    }

    /// Gives `row` what is best for all, along a shortest path; false when the monitor stops it.
    fn augment(&mut self, row: u32, steps: &mut usize, monitor: &Monitor) -> bool {
        let goal = self.search(row, steps, monitor);
        let Some((goal, length)) = goal else {
            self.forget();
            return false;
        };
        for k in 0..self.paths.touched.len() {
            let column = self.paths.touched[k] as usize;
            if self.paths.is_final[column] {
                self.duals[column] += (self.paths.distances[column] - length).min(0.0);
            }
        }
        let mut column = match goal {
            Goal::Column(column) => column,
            Goal::Row(end) if end == row => NONE,
            Goal::Row(end) => {
                let column = self.lists.column(self.taken[end as usize] as usize);
                self.taken[end as usize] = NONE;
                column
            }
        };
        while column != NONE {
            let (from, entry) = self.paths.from[column as usize];
            let old = self.taken[from as usize];
            self.taken[from as usize] = entry;
            self.owners[column as usize] = from;
            column = if from == row || old == NONE {
                NONE
            } else {
                self.lists.column(old as usize)
            };
        }
        self.forget();
        true
    }

    /// Dijkstra from `row` to the nearest free column, or to the row that had better stay alone.
    fn search(&mut self, row: u32, steps: &mut usize, monitor: &Monitor) -> Option<(Goal, f64)> {
        let mut alone = (self.limit, row);
        let (mut now, mut base, mut so_far) = (row, 0.0, f64::NEG_INFINITY);
        loop {
            for entry in self.lists.range(now as usize) {
                let column = self.lists.column(entry) as usize;
                let paths = &mut self.paths;
                let distance = (self.costs[entry] - self.duals[column] + base).max(so_far);
                if distance >= paths.distances[column] || !distance.is_finite() {
                    continue;
                }
                if paths.distances[column] == f64::INFINITY {
                    paths.touched.push(column as u32);
                }
                paths.distances[column] = distance;
                paths.from[column] = (now, entry as u32);
                if self.owners[column] == NONE && distance <= so_far && distance < alone.0 {
                    return Some((Goal::Column(column as u32), distance));
                }
                paths.heap.push(Reached {
                    distance,
                    column: column as u32,
                });
            }
            let reached = loop {
                match self.paths.heap.pop() {
                    None => return Some((Goal::Row(alone.1), alone.0)),
                    Some(reached) if reached.distance >= alone.0 => {
                        return Some((Goal::Row(alone.1), alone.0));
                    }
                    Some(reached) if !self.paths.is_final[reached.column as usize] => {
                        break reached;
                    }
                    Some(_) => {}
                }
            };
            *steps += 1;
            if steps.is_multiple_of(BETWEEN_LOOKS) && is_over(monitor) {
                return None;
            }
            let column = reached.column as usize;
            let owner = self.owners[column];
            if owner == NONE {
                return Some((Goal::Column(reached.column), reached.distance));
            }
            self.paths.is_final[column] = true;
            let entry = self.taken[owner as usize] as usize;
            so_far = reached.distance;
            base = so_far - (self.costs[entry] - self.duals[column]);
            if base + self.limit < alone.0 {
                alone = (base + self.limit, owner);
            }
            now = owner;
        }
    }

    /// Leaves the memory of the searches as it was.
    fn forget(&mut self) {
        let paths = &mut self.paths;
        paths.heap.clear();
        for column in paths.touched.drain(..) {
            paths.distances[column as usize] = f64::INFINITY;
            paths.is_final[column as usize] = false;
        }
    }

    /// Gives rows without a column the first that is free.
    fn fill_up(&mut self) {
        for row in 0..self.lists.rows() {
            if self.taken[row] != NONE {
                continue;
            }
            let open = |entry: &usize| {
                let column = self.lists.column(*entry) as usize;
                self.owners[column] == NONE && self.costs[*entry].is_finite()
            };
            if let Some(entry) = self.lists.range(row).find(open) {
                self.taken[row] = entry as u32;
                self.owners[self.lists.column(entry) as usize] = row as u32;
            }
        }
    }
}

fn is_over(monitor: &Monitor) -> bool {
    monitor.interrupted().is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assignment::maximise;
    use crate::linalg::Matrix;
    use proptest::prelude::*;

    fn lists(rows: usize, cols: usize, share: u64, seed: u64) -> Csr<()> {
        let listed = (0..rows * cols).filter(|&k| hash(k, seed) % 100 < share);
        Csr::pattern(rows, cols, listed.map(|k| (k / cols, k % cols))).unwrap()
    }

    fn hash(k: usize, seed: u64) -> u64 {
        (k as u64 + 1)
            .wrapping_mul(0x9E37_79B9_7F4A_7C15 ^ (seed << 20))
            .rotate_left(23)
            .wrapping_mul(0x5851_F42D_4C95_7F2D)
            >> 33
    }

    /// Pairs and their sum, by the dense solver with a column for each row's staying alone.
    fn by_matrix(pattern: &Csr<()>, scores: &[f64], alone: Alone) -> (usize, f64) {
        let (n, m) = (pattern.rows(), pattern.cols());
        // Above all sums, and small enough that they keep their digits.
        let bonus = match alone {
            Alone::Allowed => 0.0,
            Alone::LastResort => 1e4,
        };
        let mut full = Matrix::filled(n, m + n, -1e7);
        for i in 0..n {
            full[(i, m + i)] = 0.0;
            for entry in pattern.range(i) {
                full[(i, pattern.column(entry) as usize)] = bonus + scores[entry];
            }
        }
        let best = maximise(&full).unwrap();
        let chosen = best.columns.pairs().filter(|&(_, a)| a < m);
        let values: Vec<f64> = chosen.map(|(i, a)| full[(i, a)] - bonus).collect();
        (values.len(), values.iter().sum())
    }

    fn check(pattern: &Csr<()>, scores: &[f64], alone: Alone) {
        let mut solver = ListedSolver::new(pattern, alone);
        // The second time in memory that was used.
        solver.maximise(&vec![1.0; scores.len()], &Monitor::silent());
        let best = solver.maximise(scores, &Monitor::silent());
        assert!(best.is_one_to_one(pattern.cols()));
        let score = |(i, a)| scores[pattern.place(i, a).unwrap()];
        let values: Vec<f64> = best.pairs().map(score).collect();
        let sum: f64 = values.iter().sum();
        let (pairs, want) = by_matrix(pattern, scores, alone);
        assert!((sum - want).abs() < 1e-6, "{sum} {want}");
        match alone {
            Alone::LastResort => assert_eq!(best.matched(), pairs),
            Alone::Allowed => assert!(values.iter().all(|&value| value > 0.0)),
        }
    }

    proptest! {
        #[test]
        fn it_is_the_optimum(
            rows in 0usize..12, cols in 0usize..12, share in 5u64..100, seed in 0u64..1000,
            levels in prop_oneof![Just(1u64), Just(3), Just(1000)],
        ) {
            let pattern = lists(rows, cols, share, seed);
            let scores: Vec<f64> = (0..pattern.entries())
                .map(|k| (hash(k, seed + 7) % levels) as f64 - 0.3 * levels as f64)
                .collect();
            check(&pattern, &scores, Alone::LastResort);
            check(&pattern, &scores, Alone::Allowed);
        }
    }

    #[test]
    fn it_is_the_optimum_of_larger_lists() {
        for (rows, cols, share) in [(150, 150, 4), (90, 160, 5), (160, 90, 5), (60, 60, 100)] {
            for levels in [2, 40, 1_000_000] {
                let pattern = lists(rows, cols, share, 3);
                let score = |k| (hash(k, 5) % levels) as f64 / levels as f64;
                let scores: Vec<f64> = (0..pattern.entries()).map(score).collect();
                check(&pattern, &scores, Alone::LastResort);
                let shifted: Vec<f64> = scores.iter().map(|score| score - 0.4).collect();
                check(&pattern, &shifted, Alone::Allowed);
            }
        }
    }

    #[test]
    fn products_of_values_are_no_trap() {
        // What degrees give at the beginning of a relaxation: hard, and full of ties.
        let pattern = lists(120, 120, 10, 9);
        let degree = |k: usize| (1 + hash(k, 4) % 9) as f64;
        let scores: Vec<f64> = (0..120)
            .flat_map(|i| pattern.columns(i).iter().map(move |&a| (i, a as usize)))
            .map(|(i, a)| degree(i) * degree(500 + a))
            .collect();
        check(&pattern, &scores, Alone::LastResort);
        check(&pattern, &scores, Alone::Allowed);
    }

    #[test]
    fn a_stop_leaves_pairs_that_fit() {
        let pattern = lists(50, 50, 30, 1);
        let scores: Vec<f64> = (0..pattern.entries()).map(|k| (k % 7) as f64).collect();
        let late = Monitor::silent().time_limit(std::time::Duration::ZERO);
        let mut solver = ListedSolver::new(&pattern, Alone::LastResort);
        let best = solver.maximise(&scores, &late);
        assert!(best.is_one_to_one(50) && best.matched() > 25);
        assert!(best.pairs().all(|(i, a)| pattern.place(i, a).is_some()));
    }
}
