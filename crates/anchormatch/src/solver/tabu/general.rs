//! The search over all moves of [`Local`], for any W and coverage.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::super::local::{Local, Step, assignment_of};
use super::{Run, Tabu, Watch, best_step, owner};
use crate::assignment::Assignment;
use crate::error::Result;
use crate::problem::Problem;

pub(super) fn run(
    tabu: &Tabu,
    problem: &Problem,
    first: &Assignment,
    random: &mut ChaCha8Rng,
    mut watch: Watch<'_>,
) -> Result<Run> {
    let (n, m) = problem.shape();
    let mut local = Local::new(problem, first, watch.monitor)?;
    let tolerance = local.tolerance();
    let (shortest, longest) = tabu.tenures(n.max(m));
    let absence = tabu.absence(n.max(m));
    // The end of the ban on (row, column); the last column is staying alone.
    let mut ends: Vec<i64> = (0..n * (m + 1)).map(|place| -(place as i64)).collect();
    let mut best = local.partners().to_vec();
    watch.improved(local.gain());
    while n > 0 && m > 0 && watch.goes_on() {
        let now = watch.done as i64;
        let needed = watch.best + tolerance - local.gain();
        let first_row = random.random_range(0..n);
        // Pairs are overlooked by at most n iterations, and the look costs little on the whole.
        let mut chosen = None;
        if watch.done > absence && watch.done.is_multiple_of(n.max(m)) {
            let then = now - absence as i64;
            chosen = best_step(&local, first_row, |step, _| {
                end_of_ban(&ends, &local, step) < then
            });
        }
        let chosen = chosen.or_else(|| {
            best_step(&local, first_row, |step, gain| {
                gain > needed || end_of_ban(&ends, &local, step) < now
            })
        });
        // When everything is tabu, time passes.
        let Some(step) = chosen else { continue };
        let parted = [step.row, owner(&local, step)];
        for row in parted.into_iter().filter(|&row| row < n) {
            ends[row * (m + 1) + local.partners()[row]] =
                now + random.random_range(shortest..=longest) as i64;
        }
        local.make(step);
        if local.gain() > watch.best + tolerance {
            watch.improved(local.gain());
            best.copy_from_slice(local.partners());
        }
    }
    Ok(watch.finish(assignment_of(&best, m)))
}

/// Until when `step` is tabu: until the first of the bans on the pairs that it makes ends.
fn end_of_ban(ends: &[i64], local: &Local<'_>, step: Step) -> i64 {
    let (n, m) = local.shape();
    let mut end = ends[step.row * (m + 1) + step.column];
    let j = owner(local, step);
    if j < n {
        let column = if step.exchange {
            local.partners()[step.row]
        } else {
            m
        };
        end = end.min(ends[j * (m + 1) + column]);
    }
    end
}
