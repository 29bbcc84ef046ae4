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

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use super::local::{Local, Step};
use super::starting::starting_point;
use super::{Info, Kind, Solution, Solver, Start, Status};
use crate::error::Result;
use crate::monitor::{Monitor, Progress};
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
            complexity: "O(r n²), r the rank of W; O(candidates + degree) for listed pairs",
            accepts: "all",
        }
    }

    fn memory(&self, problem: &Problem) -> u64 {
        Local::memory(problem)
    }

    /// # Complexity
    /// O(n₁ n₂) to find a move and O(r n²) to make it; about n moves from a random start. Memory: one
    /// n₁×n₂ and two n₁×n₁ matrices.
    fn solve_accepted(
        &self,
        problem: &Problem,
        start: &Start<'_>,
        monitor: &Monitor,
    ) -> Result<Solution> {
        let mut random = ChaCha8Rng::seed_from_u64(start.seed);
        let first = starting_point(problem, start, &mut random, monitor)?;
        let mut local = Local::new(problem, &first, monitor)?;
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
            let next = if self.first_improvement {
                first_step(&local, &mut looks)
            } else {
                best_step(&local)
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
