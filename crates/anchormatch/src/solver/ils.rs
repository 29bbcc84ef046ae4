//! Iterated local search (Lourenço, Martin, Stützle 2003; for the quadratic assignment problem
//! Stützle, *European Journal of Operational Research* 174, 2006).
//!
//! A kick of k random moves, then a descent, again and again. The descent takes for one row after
//! another its best improving move; a row without one is not looked at again until it takes part in
//! a move (don't-look bits, Bentley 1992), so that after a kick only its rows are looked at.
//! The result replaces the current assignment when it is not worse; k grows by one with every failure,
//! from 2 up to a third of the rows, and starts again at every success. After 8 n kicks in a row
//! without success the search starts again at a random assignment.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use super::local::{Local, Step};
use super::starting::{random_assignment, starting_point};
use super::tabu::default_iterations;
use super::{Info, Kind, OnLists, Solution, Solver, Start, Status};
use crate::error::Result;
use crate::monitor::{Interrupt, Monitor, Progress};
use crate::problem::Problem;

/// Tries to find a random move that is permitted.
const TRIES: usize = 16;

/// The search's parameters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Ils {
    /// Kicks. Default: 50 n for product forms, more below n = 30, fewer for a W of high rank and above about
    /// n = 100.
    pub kicks: Option<usize>,
    /// Kicks without success after which the search starts again. Default 8 n.
    pub patience: Option<usize>,
    /// With a time limit and no number of kicks, go on until the limit. Default true.
    pub use_all_time: bool,
}

impl Default for Ils {
    fn default() -> Self {
        Self {
            kicks: None,
            patience: None,
            use_all_time: true,
        }
    }
}

impl Solver for Ils {
    fn info(&self) -> Info {
        Info {
            name: "ils",
            kind: Kind::Search,
            reference: "Stützle, European Journal of Operational Research 174, 2006",
            complexity: "O(r n²) a move, r the rank of W; a kick takes some ten",
            accepts: "all",
            candidates: OnLists::Listed,
        }
    }

    fn memory(&self, problem: &Problem) -> u64 {
        Local::memory(problem).saturating_mul(2)
    }

    /// # Complexity
    /// O(r n²) for each move of a kick and its descent. Memory: twice one n₁×n₂ and two n₁×n₁ matrices.
    fn solve_accepted(
        &self,
        problem: &Problem,
        start: &Start<'_>,
        monitor: &Monitor,
    ) -> Result<Solution> {
        let (n, m) = problem.shape();
        let mut random = ChaCha8Rng::seed_from_u64(start.seed);
        let first = starting_point(problem, start, &mut random, monitor)?;
        let total = match self.kicks {
            Some(kicks) => kicks,
            None if self.use_all_time && monitor.has_deadline() => usize::MAX,
            None => default_iterations(problem, 50),
        };
        let patience = self.patience.unwrap_or(8 * n);
        let mut descent = Descent::new(monitor, n);
        let mut local = Local::new(problem, &first, monitor)?;
        let held = if problem.candidates().is_all() {
            8 * (n * m + 2 * n * n) as u64
        } else {
            Local::memory(problem)
        };
        let mut kept = Local::new(problem, &first, &monitor.holding(held))?;
        descent.wake_all();
        let mut interrupt = descent.run(&mut local);
        kept.copy_from(&local);
        let tolerance = local.tolerance();
        let value = |gain: f64| problem.constant() + problem.sense().sign() * gain;
        let mut best = local.assignment();
        let mut best_gain = local.gain();
        let mut convergence = vec![value(best_gain)];
        let (mut kicks, mut failures) = (0, 0);
        while interrupt.is_none() && kicks < total && n > 1 && m > 0 {
            let progress = Progress {
                stage: "ils",
                done: kicks,
                total: (total < usize::MAX).then_some(total),
                value: Some(value(best_gain)),
            };
            if let Some(stop) = monitor.checkpoint(progress) {
                interrupt = Some(stop);
                break;
            }
            if failures >= patience {
                local.set(&random_assignment(problem, &mut random)?);
                descent.wake_all();
            } else {
                let moves = (2 + failures % (n / 3 + 1)).min(n);
                for _ in 0..moves {
                    if let Some(step) = random_step(&local, &mut random) {
                        descent.wake(&local, step);
                        local.make(step);
                    }
                }
            }
            interrupt = descent.run(&mut local);
            kicks += 1;
            if failures >= patience || local.gain() > kept.gain() + tolerance {
                failures = 0;
                kept.copy_from(&local);
            } else {
                failures += 1;
                // As good as before: a step aside on the plateau.
                if local.gain() >= kept.gain() - tolerance {
                    kept.copy_from(&local);
                } else {
                    local.copy_from(&kept);
                }
            }
            if kept.gain() > best_gain + tolerance {
                best_gain = kept.gain();
                best = kept.assignment();
                convergence.push(value(best_gain));
            }
        }
        Ok(Solution {
            objective: problem.objective(&best),
            assignment: best,
            soft: None,
            iterations: kicks,
            status: interrupt.map_or(Status::IterationLimit, Into::into),
            convergence,
        })
    }
}

/// A random permitted move, if one is found soon.
fn random_step(local: &Local<'_>, random: &mut ChaCha8Rng) -> Option<Step> {
    let (n, m) = local.shape();
    (0..TRIES).find_map(|_| {
        let row = random.random_range(0..n);
        let choices = local.choices(row);
        if choices == 0 {
            return None;
        }
        let column = local.choice(row, random.random_range(0..choices));
        let exchange = local.owner(column) < n && local.partners()[row] < m;
        [exchange, false]
            .map(|exchange| Step {
                row,
                column,
                exchange,
            })
            .into_iter()
            .find(|&step| local.permits(step))
    })
}

/// The descent with don't-look bits.
pub(super) struct Descent<'m> {
    monitor: &'m Monitor,
    /// Rows to look at, first in first out, and whether a row is among them.
    queue: std::collections::VecDeque<usize>,
    awake: Vec<bool>,
}

impl<'m> Descent<'m> {
    pub(super) fn new(monitor: &'m Monitor, rows: usize) -> Self {
        Self {
            monitor,
            queue: std::collections::VecDeque::with_capacity(rows),
            awake: vec![false; rows],
        }
    }

    pub(super) fn wake_all(&mut self) {
        (0..self.awake.len()).for_each(|i| self.wake_row(i));
    }

    fn wake_row(&mut self, i: usize) {
        if !std::mem::replace(&mut self.awake[i], true) {
            self.queue.push_back(i);
        }
    }

    /// Wakes the rows that `step` moves.
    fn wake(&mut self, local: &Local<'_>, step: Step) {
        let (n, m) = local.shape();
        self.wake_row(step.row);
        if step.column < m && local.owner(step.column) < n {
            self.wake_row(local.owner(step.column));
        }
    }

    /// Improves until every row sleeps.
    pub(super) fn run(&mut self, local: &mut Local<'_>) -> Option<Interrupt> {
        while let Some(i) = self.queue.pop_front() {
            self.awake[i] = false;
            let (mut chosen, mut most) = (None, local.tolerance());
            local.each_step(i, 0, |step, gain| {
                if gain > most {
                    (chosen, most) = (Some(step), gain);
                }
            });
            if let Some(step) = chosen {
                self.wake(local, step);
                local.make(step);
                if let Some(interrupt) = self.monitor.interrupted() {
                    return Some(interrupt);
                }
            }
        }
        None
    }
}
