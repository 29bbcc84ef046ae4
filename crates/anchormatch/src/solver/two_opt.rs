//! Local search: the best of all moves, or the first that improves, as long as there is one.
//!
//! The moves are those of [`Local`](super::local): exchanges of two partners, and, where sizes differ
//! or nodes may stay alone, taking free columns, dropping and displacing. For permutations this is the
//! classical 2-opt of the quadratic assignment problem (Burkard, Rendl, *European Journal of
//! Operational Research* 17, 1984).
//!
//! First improvement looks at the exchanges of rows (1, 2), (1, 3), … in this order and begins anew after
//! each that it makes, as SciPy's `quadratic_assignment` does with `method="2opt"`; but a look costs O(1)
//! here.
//!
//! Where candidates are listed, the best move of each row is kept, and only rows whose moves changed are
//! judged again: a move costs what it changes, not what there is.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use super::listed::{Outdated, Tournament};
use super::local::{Local, Step};
use super::starting::starting_point;
use super::{Info, Kind, OnLists, Solution, Solver, Start, Status};
use crate::error::Result;
use crate::monitor::{Interrupt, Monitor, Progress};
use crate::problem::Problem;

/// Improvement from the start's assignment, or from a random one.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct TwoOpt {
    /// Moves at most. Default: until no move improves.
    pub max_moves: Option<usize>,
    /// Whether the first move that improves is made instead of the best one. Default false.
    ///
    /// Then `iterations` are not the moves made but the pairs of rows looked at, each row with itself
    /// among them, which is how SciPy counts.
    pub first_improvement: bool,
}

impl Solver for TwoOpt {
    fn info(&self) -> Info {
        Info {
            name: "2opt",
            kind: Kind::Search,
            reference: "Burkard, Rendl, European Journal of Operational Research 17, 1984",
            complexity: "O(r n²), r the rank of W; O(d k²) over lists of k candidates, d the degree",
            accepts: "all",
            candidates: OnLists::Listed,
        }
    }

    fn memory(&self, problem: &Problem) -> u64 {
        Local::memory(problem).saturating_add(Frontier::memory(problem))
    }

    /// # Complexity
    /// O(n₁ n₂) to find a move and O(r n²) to make it; about n moves from a random start. Memory: one
    /// n₁×n₂ and two n₁×n₁ matrices. For listed candidates O(d k²) a move, degrees d and lists of length k,
    /// and memory O(candidates + edges).
    fn solve_accepted(
        &self,
        problem: &Problem,
        start: &Start<'_>,
        monitor: &Monitor,
    ) -> Result<Solution> {
        let mut random = ChaCha8Rng::seed_from_u64(start.seed);
        let first = starting_point(problem, start, &mut random, monitor)?;
        let mut local = Local::new(problem, &first, monitor)?;
        let mut frontier = Frontier::of(problem, &mut local);
        let sign = problem.sense().sign();
        let mut convergence = Vec::new();
        let (mut moves, mut looks) = (0, 0);
        let status = loop {
            let value = problem.constant() + sign * local.gain();
            convergence.push(value);
            let progress = Progress {
                stage: "2opt",
                done: moves,
                total: self.max_moves,
                value: Some(value),
            };
            if let Some(interrupt) = monitor.checkpoint(progress) {
                break interrupt.into();
            }
            let next = match &mut frontier {
                Some(frontier) => {
                    if let Some(interrupt) = frontier.judge(&mut local, monitor) {
                        break interrupt.into();
                    }
                    if self.first_improvement {
                        frontier.first_step(&local, &mut looks)
                    } else {
                        frontier.best_step(&local)
                    }
                }
                None if self.first_improvement => first_step(&local, &mut looks),
                None => best_step(&local),
            };
            match next {
                None => break Status::Converged,
                Some(_) if self.max_moves.is_some_and(|most| moves >= most) => {
                    break Status::IterationLimit;
                }
                Some(step) => local.make(step),
            }
            moves += 1;
        };
        let assignment = local.assignment();
        Ok(Solution {
            objective: problem.objective(&assignment),
            assignment,
            soft: None,
            iterations: if self.first_improvement { looks } else { moves },
            status,
            convergence,
        })
    }
}

/// The move that gains most, if any gains.
fn best_step(local: &Local<'_>) -> Option<Step> {
    let (mut chosen, mut most) = (None, local.tolerance());
    for i in 0..local.shape().0 {
        local.each_step(i, i, |step, gain| {
            if gain > most {
                (chosen, most) = (Some(step), gain);
            }
        });
    }
    chosen
}

/// The first move that gains: of each row the exchanges with later rows, then its other moves.
fn first_step(local: &Local<'_>, looks: &mut usize) -> Option<Step> {
    let (n, m) = local.shape();
    for i in 0..n {
        // The row with itself.
        *looks += 1;
        for j in i + 1..n {
            *looks += 1;
            let step = Step {
                row: i,
                column: local.partners()[j],
                exchange: true,
            };
            if step.column < m && local.permits(step) && local.change(step) > local.tolerance() {
                return Some(step);
            }
        }
        let mut found = None;
        local.each_step(i, n, |step, gain| {
            if found.is_none() && gain > local.tolerance() {
                found = Some(step);
            }
        });
        if found.is_some() {
            return found;
        }
    }
    None
}

/// Rows judged between two looks at the clock.
const BETWEEN_LOOKS: usize = 4096;

/// The best moves of all rows, where candidates are listed.
struct Frontier {
    outdated: Outdated,
    best: Tournament,
}

impl Frontier {
    fn of(problem: &Problem, local: &mut Local<'_>) -> Option<Self> {
        let lists = problem.candidates().lists()?;
        local.note_changes();
        Some(Self {
            outdated: Outdated::all(lists),
            best: Tournament::new(lists.rows()),
        })
    }

    fn memory(problem: &Problem) -> u64 {
        let lists = problem.candidates().lists();
        lists.map_or(0, |lists| {
            let outdated = Outdated::memory(problem.shape(), lists.entries());
            outdated.saturating_add(Tournament::memory(lists.rows()))
        })
    }

    /// Judges the rows whose moves changed.
    fn judge(&mut self, local: &mut Local<'_>, monitor: &Monitor) -> Option<Interrupt> {
        self.outdated.follow(local);
        let mut judged = 0usize;
        while let Some(row) = self.outdated.pop() {
            let mut best: Option<(Step, f64)> = None;
            local.each_step(row, row, |step, gain| {
                if best.is_none_or(|(_, most)| gain > most) {
                    best = Some((step, gain));
                }
            });
            self.best.set(row, best);
            judged += 1;
            if judged.is_multiple_of(BETWEEN_LOOKS)
                && let Some(interrupt) = monitor.interrupted()
            {
                return Some(interrupt);
            }
        }
        None
    }

    /// As [`best_step`].
    fn best_step(&self, local: &Local<'_>) -> Option<Step> {
        let (step, gain) = self.best.best_from(0)?;
        (gain > local.tolerance()).then_some(step)
    }

    /// As [`first_step`]: rows whose best move gains nothing are passed over, and counted.
    fn first_step(&self, local: &Local<'_>, looks: &mut usize) -> Option<Step> {
        let n = local.shape().0;
        let all = |rows: usize| rows * n - rows * rows.saturating_sub(1) / 2;
        let above = local.tolerance().next_up();
        let Some(row) = self.best.reaching(above, 0) else {
            *looks += all(n);
            return None;
        };
        *looks += all(row);
        let (mut earliest, mut other) = (None, None);
        local.each_step(row, row, |step, gain| {
            if gain <= local.tolerance() {
                return;
            }
            if step.exchange {
                let owner = local.owner(step.column);
                if earliest.is_none_or(|(first, _)| owner < first) {
                    earliest = Some((owner, step));
                }
            } else if other.is_none() {
                other = Some(step);
            }
        });
        *looks += earliest.map_or(n - row, |(owner, _)| 1 + owner - row);
        earliest.map(|(_, step)| step).or(other)
    }
}
