//! Linear assignment over long lists, nearly exactly, by an auction whose bids become finer.
//!
//! Shortest paths see large parts of long lists with ties. An auction (Bertsekas, *Annals of Operations
//! Research* 14, 1988) in which prices may rise by ε more than the second best demands does not, when ε
//! falls from phase to phase; but prices that an earlier phase left would have to be 0 at columns that
//! nobody takes. So the problem is doubled: every row has a place of its own where it stays alone, and
//! every column a mirror that takes the column itself or the place of one of the rows that list it, for
//! nothing. Then everybody is matched, to everything, whatever the pairs are, and at the end the sum is
//! within (n₁ + n₂) ε of the greatest.

use crate::linalg::Csr;
use crate::monitor::Monitor;

const NONE: u32 = u32::MAX;

/// ε falls to this share of itself from phase to phase.
const FINER: f64 = 0.2;

/// The sum is within this share of the range of one score of the greatest.
const SLACK: f64 = 1.0 / 16.0;

/// Bids between two looks at the clock.
const BETWEEN_LOOKS: usize = 1 << 14;

/// An auction under way: of rows and the mirrors of columns, for columns and the places of rows.
struct Auction<'l> {
    lists: &'l Csr<u32>,
    /// The rows that list each column.
    takers: Csr<u32>,
    costs: &'l [f64],
    limit: f64,
    prices: Vec<f64>,
    owners: Vec<u32>,
    has: Vec<u32>,
}

/// The entries that rows take for these costs, `u32::MAX` for none, at the cost `limit` of staying alone; infinite
/// costs are ruled out. `None` when the monitor stops it, or numbers run out.
pub(super) fn assign(
    lists: &Csr<u32>,
    costs: &[f64],
    limit: f64,
    monitor: &Monitor,
) -> Option<Vec<u32>> {
    if !limit.is_finite() {
        return None;
    }
    let (rows, columns) = (lists.rows(), lists.cols());
    let bidders = rows + columns;
    let finite = || costs.iter().copied().filter(|cost| cost.is_finite());
    let range = finite().fold(0.0f64, |most, cost| {
        most.max((cost - limit).abs().min(cost.abs()))
    });
    let range = if range > 0.0 { range } else { 1.0 };
    let mut auction = Auction {
        takers: lists.transposed(),
        lists,
        costs,
        limit,
        prices: vec![0.0; bidders],
        owners: vec![NONE; bidders],
        has: vec![NONE; bidders],
    };
    let finest = SLACK * range / bidders as f64;
    let mut step = 0.25 * limit.abs().max(range);
    let mut waiting: Vec<u32> = (0..bidders as u32).rev().collect();
    let mut bids = 0usize;
    loop {
        while let Some(bidder) = waiting.pop() {
            waiting.extend(auction.bid(bidder, step));
            bids += 1;
            if bids.is_multiple_of(BETWEEN_LOOKS) && monitor.interrupted().is_some() {
                return None;
            }
        }
        if step <= finest {
            break;
        }
        step = (FINER * step).max(finest);
        // Who has what is best to within the new step keeps it.
        for bidder in (0..bidders as u32).rev() {
            if auction.lost(bidder, step) {
                waiting.push(bidder);
            }
        }
    }
    let entry = |row: usize| {
        let column = auction.has[row] as usize;
        let entry = (column < columns)
            .then(|| lists.place(row, column))
            .flatten();
        entry.map_or(NONE, |entry| entry as u32)
    };
    Some((0..rows).map(entry).collect())
}

impl Auction<'_> {
    /// Calls `look(thing, cost)` for all that a bidder may have.
    #[inline]
    fn each(&self, bidder: u32, mut look: impl FnMut(u32, f64)) {
        let (rows, columns) = (self.lists.rows() as u32, self.lists.cols() as u32);
        if bidder < rows {
            look(columns + bidder, self.limit);
            for entry in self.lists.range(bidder as usize) {
                look(self.lists.column(entry), self.costs[entry]);
            }
        } else {
            let column = bidder - rows;
            look(column, 0.0);
            for place in self.takers.range(column as usize) {
                look(columns + self.takers.column(place), 0.0);
            }
        }
    }

    /// What is best for a bidder, what it costs him, and what the second best does.
    fn best(&self, bidder: u32) -> (u32, f64, f64) {
        let (mut best, mut least, mut second) = (NONE, f64::INFINITY, f64::INFINITY);
        self.each(bidder, |thing, cost| {
            let cost = cost + self.prices[thing as usize];
            if cost < least {
                (best, second, least) = (thing, least, cost);
            } else if cost < second {
                second = cost;
            }
        });
        (best, least, second)
    }

    /// Lets a bidder take what is best for him; returns who lost it.
    fn bid(&mut self, bidder: u32, step: f64) -> Option<u32> {
        let (best, least, second) = self.best(bidder);
        // Who has no choice outbids nobody by more than it takes.
        let gap = if second.is_finite() {
            second - least
        } else {
            0.0
        };
        self.prices[best as usize] += gap + step;
        self.has[bidder as usize] = best;
        let loser = std::mem::replace(&mut self.owners[best as usize], bidder);
        (loser != NONE).then(|| {
            self.has[loser as usize] = NONE;
            loser
        })
    }

    /// Whether a bidder gives up what he has, since something else is better by more than `step`.
    fn lost(&mut self, bidder: u32, step: f64) -> bool {
        let had = self.has[bidder as usize];
        let mut now = f64::INFINITY;
        self.each(bidder, |thing, cost| {
            if thing == had {
                now = cost + self.prices[thing as usize];
            }
        });
        let (_, least, _) = self.best(bidder);
        if now <= least + step {
            return false;
        }
        self.owners[had as usize] = NONE;
        self.has[bidder as usize] = NONE;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assignment::{Alone, ListedSolver};

    #[test]
    fn sums_are_those_of_shortest_paths() {
        let hash = |k: usize| (k as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40;
        for (rows, cols) in [(300, 300), (200, 340), (1, 1), (250, 250)] {
            let places = (0..rows * 6).map(|k| (k / 6, hash(k) as usize % cols));
            // Some rows have no list, and some columns are on none.
            let lists = Csr::pattern(rows, cols, places.filter(|p| p.0 % 50 != 7)).unwrap();
            let mut next = 0;
            let numbered = lists.map(|()| {
                next += 1;
                next - 1
            });
            for levels in [1, 5, 1000] {
                let score = |k| (hash(k * 7 + 3) % levels) as f64;
                let scores: Vec<f64> = (0..lists.entries()).map(score).collect();
                let costs: Vec<f64> = scores.iter().map(|score| levels as f64 - score).collect();
                let limit = 4e3 * levels as f64;
                let taken = assign(&numbered, &costs, limit, &Monitor::silent()).unwrap();
                let mut columns = vec![false; cols];
                let (mut sum, mut pairs) = (0.0, 0);
                for (row, &entry) in taken.iter().enumerate() {
                    if entry == NONE {
                        continue;
                    }
                    assert!(lists.range(row).contains(&(entry as usize)));
                    let column = lists.column(entry as usize) as usize;
                    assert!(!std::mem::replace(&mut columns[column], true));
                    (sum, pairs) = (sum + scores[entry as usize], pairs + 1);
                }
                let mut solver = ListedSolver::new(&lists, Alone::LastResort);
                let best = solver.maximise(&scores, &Monitor::silent());
                assert_eq!(pairs, best.matched());
                let values = best
                    .pairs()
                    .map(|(i, a)| scores[lists.place(i, a).unwrap()]);
                let want: f64 = values.sum();
                let slack = SLACK * levels as f64;
                assert!((want - sum).abs() <= slack, "{rows}×{cols}: {sum} {want}");
            }
        }
    }

    #[test]
    fn a_stop_is_heeded() {
        let lists = Csr::from_triplets(20_000, 20_000, (0..20_000usize).map(|i| (i, i, i as u32)));
        let late = Monitor::silent().time_limit(std::time::Duration::ZERO);
        assert!(assign(&lists.unwrap(), &vec![1.0; 20_000], 10.0, &late).is_none());
    }
}
