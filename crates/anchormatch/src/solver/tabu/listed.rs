//! The search over all moves of [`Local`] within lists of candidates.
//!
//! The moves and their bans are those of [`general`](super::general), and so is what is chosen. But the
//! best move of each row is kept, once among all and once among those that are not tabu, and a row is judged
//! again only when its moves changed or a ban on one of them ended.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::super::listed::{Journal, Outdated, Tournament};
use super::super::local::{Local, Step, assignment_of};
use super::{Run, Tabu, Watch, best_step, owner};
use crate::assignment::Assignment;
use crate::error::Result;
use crate::linalg::Csr;
use crate::monitor::Interrupt;
use crate::problem::Problem;

/// Rows judged between two looks at the clock.
const BETWEEN_LOOKS: usize = 4096;

/// Bytes that a search takes beside its state.
pub(super) fn memory(problem: &Problem) -> u64 {
    let (n, m) = problem.shape();
    let count = problem.candidates().count();
    let trees = Tournament::memory(n).saturating_mul(2);
    // Bans by entry and row, ends to come, the journal.
    let bans = 8 * (count as u64) + 96 * (n as u64 + m as u64);
    trees
        .saturating_add(Outdated::memory((n, m), count))
        .saturating_add(bans)
}

pub(super) fn run(
    tabu: &Tabu,
    problem: &Problem,
    lists: &Csr<()>,
    first: &Assignment,
    random: &mut ChaCha8Rng,
    mut watch: Watch<'_>,
) -> Result<Run> {
    let (n, m) = problem.shape();
    let mut local = Local::new(problem, first, watch.monitor)?;
    local.note_changes();
    let tolerance = local.tolerance();
    let (shortest, longest) = tabu.tenures(n.max(m));
    let absence = tabu.absence(n.max(m));
    let mut bans = TabuList::new(lists);
    let mut choices = Choices {
        outdated: Outdated::all(lists),
        any: Tournament::new(n),
        permitted: Tournament::new(n),
    };
    let mut journal = Journal::new(local.partners());
    watch.improved(local.gain());
    while n > 0 && m > 0 && watch.goes_on() {
        let now = watch.done as i64;
        let needed = watch.best + tolerance - local.gain();
        let first_row = random.random_range(0..n);
        while let Some(row) = bans.ended_before(now) {
            let partner = local.partners()[row];
            choices.outdated.add_around(row, partner);
        }
        if let Some(interrupt) = choices.judge(&mut local, &bans, now, &watch) {
            watch.interrupt = Some(interrupt);
            watch.done -= 1;
            break;
        }
        let mut chosen = None;
        if watch.done > absence && watch.done.is_multiple_of(n.max(m)) {
            let then = now - absence as i64;
            chosen = best_step(&local, first_row, |step, _| bans.of(&local, step) < then);
        }
        let chosen = chosen.or_else(|| {
            let better = choices.any.best_from(first_row);
            let better = better.filter(|&(_, gain)| gain > needed);
            let permitted = || choices.permitted.best_from(first_row);
            better.or_else(permitted).map(|(step, _)| step)
        });
        // When everything is tabu, time passes.
        let Some(step) = chosen else { continue };
        let parted = [step.row, owner(&local, step)];
        for row in parted.into_iter().filter(|&row| row < n) {
            let end = now + random.random_range(shortest..=longest) as i64;
            bans.set(&local, row, end);
            journal.note(row);
        }
        local.make(step);
        if local.gain() > watch.best + tolerance {
            watch.improved(local.gain());
            journal.improve(local.partners());
        }
    }
    Ok(watch.finish(assignment_of(journal.best(), m)))
}

/// Until when rows may not go back.
struct TabuList {
    /// By entry, and by row for staying alone.
    ends: Vec<i64>,
    alone: Vec<i64>,
    /// The ends that are to come, and their rows.
    coming: BinaryHeap<Reverse<(i64, u32)>>,
}

impl TabuList {
    fn new(lists: &Csr<()>) -> Self {
        let (n, m) = (lists.rows(), lists.cols());
        let place = |i: usize, a: usize| -((i * (m + 1) + a) as i64);
        Self {
            ends: lists.triplets().map(|(i, a, ())| place(i, a)).collect(),
            alone: (0..n).map(|i| place(i, m)).collect(),
            coming: BinaryHeap::new(),
        }
    }

    /// Row `row` may not come back to where it is until `end`.
    fn set(&mut self, local: &Local<'_>, row: usize, end: i64) {
        let is_alone = local.partners()[row] == local.shape().1;
        match local.entry(row) {
            Some(entry) if !is_alone => self.ends[entry] = end,
            _ => self.alone[row] = end,
        }
        self.coming.push(Reverse((end, row as u32)));
    }

    /// A row one of whose bans ended before `now`, once for each.
    fn ended_before(&mut self, now: i64) -> Option<usize> {
        let &Reverse((end, row)) = self.coming.peek()?;
        if end >= now {
            return None;
        }
        self.coming.pop();
        Some(row as usize)
    }

    /// The end of the ban on row `row` and column `column`; n₂ for none.
    fn end(&self, local: &Local<'_>, row: usize, column: usize) -> i64 {
        let number = local
            .space()
            .and_then(|space| space.entries.number(row, column));
        number.map_or(self.alone[row], |entry| self.ends[entry])
    }

    /// Until when `step` is tabu: until the first of the bans on the pairs that it makes ends.
    fn of(&self, local: &Local<'_>, step: Step) -> i64 {
        let (n, m) = local.shape();
        let end = self.end(local, step.row, step.column);
        let j = owner(local, step);
        if j == n {
            return end;
        }
        let back = if step.exchange {
            local.partners()[step.row]
        } else {
            m
        };
        end.min(self.end(local, j, back))
    }
}

/// The best moves of all rows.
struct Choices {
    outdated: Outdated,
    any: Tournament,
    permitted: Tournament,
}

impl Choices {
    /// Judges the rows whose moves changed.
    fn judge(
        &mut self,
        local: &mut Local<'_>,
        bans: &TabuList,
        now: i64,
        watch: &Watch<'_>,
    ) -> Option<Interrupt> {
        self.outdated.follow(local);
        let mut judged = 0usize;
        while let Some(row) = self.outdated.pop() {
            let [mut any, mut permitted]: [Option<(Step, f64)>; 2] = [None; 2];
            let beats =
                |best: &Option<(Step, f64)>, gain: f64| best.is_none_or(|best| gain > best.1);
            local.each_step(row, row, |step, gain| {
                if beats(&any, gain) {
                    any = Some((step, gain));
                }
                if beats(&permitted, gain) && bans.of(local, step) < now {
                    permitted = Some((step, gain));
                }
            });
            self.any.set(row, any);
            self.permitted.set(row, permitted);
            judged += 1;
            if judged.is_multiple_of(BETWEEN_LOOKS)
                && let Some(interrupt) = watch.monitor.interrupted()
            {
                return Some(interrupt);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use anchormatch_invariants::shapes::noise;
    use rand::SeedableRng;

    use super::super::general;
    use super::*;
    use crate::linalg::Matrix;
    use crate::monitor::Monitor;
    use crate::problem::{Candidates, Coverage, ProductPairwise, Sense, Weights};
    use crate::solver::starting::random_assignment;

    /// Whole numbers, so that no sum depends on its order.
    fn problem(n: usize, m: usize, coverage: Coverage, seed: u64) -> Problem {
        let weights = |n: usize, seed: u64| {
            let value = |i: usize, j: usize| (9.0 * noise(i.min(j), i.max(j), seed)).floor() - 4.0;
            Weights::sparse(&Matrix::from_fn(n, n, value))
        };
        let pairs = (0..n * m).map(|p| (p / m, p % m));
        let some = pairs.filter(|&(i, a)| noise(i, a, seed + 7) < 0.4);
        let (a, b) = (weights(n, seed), weights(m, seed + 1));
        ProductPairwise::problem(Sense::Minimise, a, b, None)
            .unwrap()
            .with_coverage(coverage)
            .with_candidates(Candidates::listed(n, m, some).unwrap())
            .unwrap()
    }

    #[test]
    fn it_goes_where_a_look_at_all_moves_leads() {
        for coverage in [Coverage::Full, Coverage::Partial] {
            for (shape, seed) in [((9, 9), 1), ((8, 12), 2), ((12, 8), 3), ((20, 20), 4)] {
                let problem = problem(shape.0, shape.1, coverage, seed);
                let lists = problem.candidates().lists().unwrap();
                let silent = Monitor::silent();
                // Pairs that were not tried for long come up too.
                let tabu = Tabu {
                    absence: Some(200),
                    ..Tabu::default()
                };
                let mut random = ChaCha8Rng::seed_from_u64(seed);
                let first = random_assignment(&problem, &mut random).unwrap();
                let watch = || Watch::new(&problem, 6000, &silent);
                let mut other = random.clone();
                let want = general::run(&tabu, &problem, &first, &mut other, watch()).unwrap();
                let found = run(&tabu, &problem, lists, &first, &mut random, watch()).unwrap();
                assert_eq!(found.assignment, want.assignment, "{shape:?}");
                assert_eq!(found.improvements, want.improvements, "{shape:?}");
                assert_eq!(found.iterations, 6000);
                assert!(want.improvements.len() > 1);
            }
        }
    }
}
