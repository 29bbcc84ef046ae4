//! The best of all moves, without judging again those that did not change.
//!
//! The best move of every row stands in a tournament tree: the best of all is at its root, and a row that
//! changed costs O(log n). After a move of i and j the rows whose moves may have changed are those whose
//! gradient changed, those that could take a partner of one of these, and those that could take a column
//! that became free: about d k of them for degrees d and lists of length k, whatever n is.

use crate::linalg::Csr;
use crate::solver::local::{Change, Local, Step};

/// The best move of each row, and of all.
pub(in crate::solver) struct Tournament {
    /// Leaves from `leaves` on, the larger of the children above.
    gains: Vec<f64>,
    leaves: usize,
    steps: Vec<Option<Step>>,
}

impl Tournament {
    pub(in crate::solver) fn new(rows: usize) -> Self {
        let leaves = rows.next_power_of_two();
        Self {
            gains: vec![f64::NEG_INFINITY; 2 * leaves],
            leaves,
            steps: vec![None; rows],
        }
    }

    /// Bytes that one takes.
    pub(in crate::solver) fn memory(rows: usize) -> u64 {
        64 * rows as u64
    }

    /// Notes the best move of a row.
    pub(in crate::solver) fn set(&mut self, row: usize, best: Option<(Step, f64)>) {
        self.steps[row] = best.map(|(step, _)| step);
        let mut node = self.leaves + row;
        self.gains[node] = best.map_or(f64::NEG_INFINITY, |(_, gain)| gain);
        while node > 1 {
            node /= 2;
            let most = self.gains[2 * node].max(self.gains[2 * node + 1]);
            if self.gains[node] == most {
                break;
            }
            self.gains[node] = most;
        }
    }

    /// The best move of all and its gain; of equal ones that of the first row from `first` on, round the end.
    pub(in crate::solver) fn best_from(&self, first: usize) -> Option<(Step, f64)> {
        let most = self.gains[1];
        if most == f64::NEG_INFINITY {
            return None;
        }
        let later = self.reaching(most, first);
        let row = later.or_else(|| self.reaching(most, 0))?;
        Some((self.steps[row]?, most))
    }

    /// The first row from `first` on whose best move gains `least` or more.
    pub(in crate::solver) fn reaching(&self, least: f64, first: usize) -> Option<usize> {
        if first >= self.leaves {
            return None;
        }
        let mut node = self.leaves + first;
        // Up until some subtree to the right has one, then down into it.
        while self.gains[node] < least {
            while node % 2 == 1 {
                node /= 2;
                if node <= 1 {
                    return None;
                }
            }
            node += 1;
        }
        while node < self.leaves {
            node *= 2;
            if self.gains[node] < least {
                node += 1;
            }
        }
        Some(node - self.leaves)
    }
}

/// The rows whose moves are to be judged again.
pub(in crate::solver) struct Outdated {
    /// The rows that may take each column.
    takers: Csr<()>,
    is_in: Vec<bool>,
    rows: Vec<u32>,
}

impl Outdated {
    /// All rows.
    pub(in crate::solver) fn all(lists: &Csr<()>) -> Self {
        Self {
            takers: lists.transposed(),
            is_in: vec![true; lists.rows()],
            rows: (0..lists.rows() as u32).collect(),
        }
    }

    /// Bytes that one takes.
    pub(in crate::solver) fn memory((rows, columns): (usize, usize), entries: usize) -> u64 {
        5 * rows as u64 + 8 * columns as u64 + 4 * entries as u64
    }

    fn add(&mut self, row: u32) {
        if !std::mem::replace(&mut self.is_in[row as usize], true) {
            self.rows.push(row);
        }
    }

    /// A row, and those that could take its partner.
    pub(in crate::solver) fn add_around(&mut self, row: usize, partner: usize) {
        self.add(row as u32);
        self.add_takers(partner);
    }

    fn add_takers(&mut self, column: usize) {
        if column < self.takers.rows() {
            for place in self.takers.range(column) {
                self.add(self.takers.column(place));
            }
        }
    }

    /// What the moves since the last call changed.
    pub(in crate::solver) fn follow(&mut self, local: &mut Local<'_>) {
        while let Some(change) = local.next_change() {
            match change {
                Change::Row(row) => self.add_around(row, local.partners()[row]),
                Change::Freed(column) => self.add_takers(column),
            }
        }
    }

    /// One of them, which then is none any more.
    pub(in crate::solver) fn pop(&mut self) -> Option<usize> {
        let row = self.rows.pop()? as usize;
        self.is_in[row] = false;
        Some(row)
    }
}

/// What changed since the best assignment: taking over a new best one costs what changed.
pub(in crate::solver) struct Journal {
    best: Vec<usize>,
    changed: Vec<u32>,
}

impl Journal {
    pub(in crate::solver) fn new(partners: &[usize]) -> Self {
        Self {
            best: partners.to_vec(),
            changed: Vec::new(),
        }
    }

    /// Row `row` has another partner now.
    #[inline]
    pub(in crate::solver) fn note(&mut self, row: usize) {
        // More than all rows: they are looked at one by one then.
        if self.changed.len() <= self.best.len() {
            self.changed.push(row as u32);
        }
    }

    /// `partners` are the best so far.
    pub(in crate::solver) fn improve(&mut self, partners: &[usize]) {
        if self.changed.len() > self.best.len() {
            self.best.copy_from_slice(partners);
        } else {
            for &row in &self.changed {
                self.best[row as usize] = partners[row as usize];
            }
        }
        self.changed.clear();
    }

    /// The best partners.
    pub(in crate::solver) fn best(&self) -> &[usize] {
        &self.best
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(row: usize) -> Step {
        Step {
            row,
            column: 0,
            exchange: false,
        }
    }

    #[test]
    fn the_tree_is_a_scan() {
        for rows in [1, 2, 3, 7, 8, 13] {
            let mut tree = Tournament::new(rows);
            let mut gains = vec![None; rows];
            for round in 0..200usize {
                let row = (round * 7 + round / 3) % rows;
                let gain = (round * 5 % 11) as f64 - 4.0;
                gains[row] = (round % 4 != 1).then_some(gain);
                tree.set(row, gains[row].map(|gain| (step(row), gain)));
                for first in 0..rows {
                    let mut want: Option<(usize, f64)> = None;
                    for k in (first..rows).chain(0..first) {
                        if let Some(gain) = gains[k]
                            && want.is_none_or(|(_, most)| gain > most)
                        {
                            want = Some((k, gain));
                        }
                    }
                    let found = tree.best_from(first);
                    assert_eq!(found.map(|(step, gain)| (step.row, gain)), want);
                    let above = (first..rows).find(|&k| gains[k].is_some_and(|g| g >= 2.0));
                    assert_eq!(tree.reaching(2.0, first), above);
                }
            }
        }
    }

    #[test]
    fn the_journal_keeps_the_best() {
        let mut now = vec![0; 5];
        let mut journal = Journal::new(&now);
        let mut best = now.clone();
        for round in 1..60usize {
            let row = round * 3 % 5;
            now[row] = round;
            journal.note(row);
            // Sometimes more changes between two improvements than there are rows.
            if round % 7 == 0 || round % 20 < 3 {
                journal.improve(&now);
                best.clone_from(&now);
            }
            assert_eq!(journal.best(), best);
        }
    }
}
