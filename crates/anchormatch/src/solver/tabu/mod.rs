//! Robust tabu search (Taillard, *Parallel Computing* 17, 1991).
//!
//! Every iteration makes the best of all moves, even when it makes things worse, that is not *tabu*:
//! a row may not go back to a column that it left less than a random number of iterations ago, drawn
//! from [0.9 n, 1.1 n]. An exchange is tabu when both its rows would go back. Two aspirations lift the
//! ban: a move to something better than the best so far, and a move to a pair that was not tried for
//! 5 n² iterations, which is then made.
//!
//! Where all assignments are allowed, everything on the smaller side is matched and W is a short sum
//! of products, the gains of all exchanges are kept up to date ([`dense`]) and an iteration is two
//! passes over N² numbers. Elsewhere ([`general`]) each move is judged in O(1) from the gradient;
//! staying alone counts as a column there. Where candidates are listed and the lists are short ([`listed`]),
//! moves that did not change are not judged again.

mod dense;
mod general;
mod listed;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::local::{Local, Step};
use super::starting::starting_point;
use super::swaps::Swaps;
use super::{Info, Kind, OnLists, Solution, Solver, Start, Status};
use crate::assignment::Assignment;
use crate::error::{Error, Result};
use crate::linalg::Csr;
use crate::monitor::{Interrupt, Monitor, Progress};
use crate::problem::Problem;

/// Pairs of a row and a column from which on their moves are judged by all cores.
const LEAST_SHARED: usize = 1 << 17;

/// Rows that one core judges at a time.
const ROWS_A_PART: usize = 32;

/// The search's parameters; the defaults are Taillard's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Tabu {
    /// Iterations. Default: 1000 n for product forms, more below n = 30, fewer for a W of high rank
    /// and above about n = 100.
    pub iterations: Option<usize>,
    /// The shortest and longest ban, in multiples of n. Default 0.9 and 1.1.
    pub tenure: (f64, f64),
    /// A pair that was not tried for this many iterations is tried. Default 5 n².
    pub absence: Option<usize>,
    /// With a time limit and no number of iterations, go on until the limit. Default true.
    pub use_all_time: bool,
}

impl Default for Tabu {
    fn default() -> Self {
        Self {
            iterations: None,
            tenure: (0.9, 1.1),
            absence: None,
            use_all_time: true,
        }
    }
}

impl Tabu {
    /// Bans in iterations, the shortest and longest.
    fn tenures(&self, nodes: usize) -> (usize, usize) {
        let ban = |share: f64| (share * nodes as f64) as usize;
        (ban(self.tenure.0).max(1), ban(self.tenure.1).max(2))
    }

    fn absence(&self, nodes: usize) -> usize {
        self.absence.unwrap_or(5 * nodes * nodes)
    }
}

/// Lists are long when all pairs are no more than this many times the candidates.
const LONG_SHARE: u64 = 4;

/// The lists, where there are some and they are short: what moves change is then less than what there is.
fn short_lists(problem: &Problem) -> Option<&Csr<()>> {
    let lists = problem.candidates().lists()?;
    let pairs = (lists.rows() as u64).saturating_mul(lists.cols() as u64 + 1);
    (pairs > LONG_SHARE * lists.entries() as u64).then_some(lists)
}

/// What counts as the rank of W where every move is judged by itself.
const GENERAL_RANK: usize = 24;

/// 16 `effort` n / (15 + r) iterations for W of rank r and the larger side n. Small problems get more,
/// up to 5 `effort` n, as long as the time stays what it is at n = 30; large ones fewer, so that it
/// stays near what it is at n = 100, but at least 2 n.
pub(super) fn default_iterations(problem: &Problem, effort: usize) -> usize {
    let (n, m) = problem.shape();
    let nodes = n.max(m);
    let factors = || problem.pairwise().low_rank();
    let rank = match Swaps::suit(problem).then(factors).flatten() {
        Some(w) => w.terms(),
        None => GENERAL_RANK,
    };
    let numbers = problem.candidates().count().max(1) * (4 + rank) / 4;
    let wanted = 16 * effort * nodes / (15 + rank);
    let short = (5 * effort * nodes).min(effort * 33_750 / numbers);
    let long = effort * 1_000_000 / numbers;
    wanted.max(short).min(long).max(2 * nodes)
}

impl Solver for Tabu {
    fn info(&self) -> Info {
        Info {
            name: "tabu",
            kind: Kind::Search,
            reference: "Taillard, Parallel Computing 17, 1991",
            complexity: "O(r n²), r the rank of W; O(d k²) over lists of k candidates, d the degree",
            accepts: "all",
            candidates: OnLists::Listed,
        }
    }

    fn check(&self) -> Result<()> {
        let (short, long) = self.tenure;
        if !(short >= 0.0 && short <= long && long <= 1e6) {
            return Err(Error::parameter(
                "tenure",
                format!("{short} to {long}"),
                "two numbers from 0 to 1e6, the smaller first",
            ));
        }
        Ok(())
    }

    fn memory(&self, problem: &Problem) -> u64 {
        if Swaps::suit(problem) {
            Swaps::memory(problem)
        } else {
            Local::memory(problem).saturating_add(match short_lists(problem) {
                None if problem.candidates().is_all() => 0,
                None => 8 * LONG_SHARE * problem.candidates().count() as u64,
                Some(_) => listed::memory(problem),
            })
        }
    }

    /// # Complexity
    /// O(r n²) an iteration for a W of rank r. Memory: four N×N matrices, N the larger side. For listed
    /// candidates O(d k²) an iteration, degrees d and lists of length k, and memory O(candidates + edges).
    fn solve_accepted(
        &self,
        problem: &Problem,
        start: &Start<'_>,
        monitor: &Monitor,
    ) -> Result<Solution> {
        let mut random = ChaCha8Rng::seed_from_u64(start.seed);
        let first = starting_point(problem, start, &mut random, monitor)?;
        let endless = self.use_all_time && monitor.has_deadline();
        let iterations = match self.iterations {
            Some(iterations) => iterations,
            None if endless => usize::MAX,
            None => default_iterations(problem, 1000),
        };
        let run = self.run(problem, &first, iterations, &mut random, monitor)?;
        Ok(Solution {
            objective: problem.objective(&run.assignment),
            assignment: run.assignment,
            soft: None,
            iterations: run.iterations,
            status: run.interrupt.map_or(Status::IterationLimit, Into::into),
            convergence: run.improvements,
        })
    }
}

/// What a run found.
pub(super) struct Run {
    pub(super) assignment: Assignment,
    pub(super) iterations: usize,
    pub(super) interrupt: Option<Interrupt>,
    /// The best objective after each iteration that improved it.
    pub(super) improvements: Vec<f64>,
}

impl Tabu {
    /// Searches from `first` for a number of iterations.
    ///
    /// # Errors
    /// When the memory does not suffice.
    pub(super) fn run(
        &self,
        problem: &Problem,
        first: &Assignment,
        iterations: usize,
        random: &mut ChaCha8Rng,
        monitor: &Monitor,
    ) -> Result<Run> {
        let mut watch = Watch::new(problem, iterations, monitor);
        // The state alone takes a product with W to set up.
        if let Some(interrupt) = monitor.interrupted() {
            watch.interrupt = Some(interrupt);
            return Ok(watch.finish(first.clone()));
        }
        if Swaps::suit(problem) {
            dense::run(self, problem, first, random, watch)
        } else if let Some(lists) = short_lists(problem) {
            listed::run(self, problem, lists, first, random, watch)
        } else {
            general::run(self, problem, first, random, watch)
        }
    }
}

/// Counts iterations, asks the monitor from time to time, and notes improvements.
struct Watch<'m> {
    monitor: &'m Monitor,
    /// Iterations between two looks at the clock, and looks between two reports.
    every: usize,
    done: usize,
    total: usize,
    sign: f64,
    constant: f64,
    best: f64,
    improvements: Vec<f64>,
    interrupt: Option<Interrupt>,
}

/// Numbers that an iteration can touch between two looks at the clock: some ten microseconds.
const NUMBERS_BETWEEN_LOOKS: usize = 1 << 15;

/// Looks at the clock between two reports.
const LOOKS_BETWEEN_REPORTS: usize = 64;

impl<'m> Watch<'m> {
    fn new(problem: &Problem, total: usize, monitor: &'m Monitor) -> Self {
        let numbers = problem.candidates().count();
        Self {
            monitor,
            every: (NUMBERS_BETWEEN_LOOKS / numbers.max(1)).clamp(1, 1024),
            done: 0,
            total,
            sign: problem.sense().sign(),
            constant: problem.constant(),
            best: f64::NEG_INFINITY,
            improvements: Vec::new(),
            interrupt: None,
        }
    }

    /// Whether another iteration is to be made; counts it.
    #[inline]
    fn goes_on(&mut self) -> bool {
        if self.done >= self.total {
            return false;
        }
        if self.done.is_multiple_of(self.every) {
            let reports = self.done.is_multiple_of(self.every * LOOKS_BETWEEN_REPORTS);
            self.interrupt = if reports {
                self.monitor.checkpoint(Progress {
                    stage: "tabu",
                    done: self.done,
                    total: (self.total < usize::MAX).then_some(self.total),
                    value: Some(self.constant + self.sign * self.best),
                })
            } else {
                self.monitor.interrupted()
            };
            if self.interrupt.is_some() {
                return false;
            }
        }
        self.done += 1;
        true
    }

    /// Notes a better solution.
    fn improved(&mut self, gain: f64) {
        self.best = gain;
        self.improvements.push(self.constant + self.sign * gain);
    }

    fn finish(self, assignment: Assignment) -> Run {
        Run {
            assignment,
            iterations: self.done,
            interrupt: self.interrupt,
            improvements: self.improvements,
        }
    }
}

/// The best move that `admits` lets pass; rows are looked through from `first_row` on, so that chance
/// decides between equal gains.
fn best_step(
    local: &Local<'_>,
    first_row: usize,
    admits: impl Fn(Step, f64) -> bool + Sync,
) -> Option<Step> {
    let rows = local.shape().0;
    let of_row = |best: Option<(Step, f64)>, k: usize| {
        let i = (first_row + k) % rows;
        let mut best = best;
        local.each_step(i, i, |step, gain| {
            if best.is_none_or(|(_, most)| gain > most) && admits(step, gain) {
                best = Some((step, gain));
            }
        });
        best
    };
    // Of equal gains the first counts, however the rows are shared out.
    let better = |first: Option<(Step, f64)>, second: Option<(Step, f64)>| match (first, second) {
        (Some(x), Some(y)) => Some(if y.1 > x.1 { y } else { x }),
        (first, second) => first.or(second),
    };
    let choices = local.shape().1.saturating_mul(rows);
    let best = if choices < LEAST_SHARED {
        (0..rows).fold(None, of_row)
    } else {
        let parts = (0..rows).into_par_iter().with_min_len(ROWS_A_PART);
        parts.fold(|| None, of_row).reduce(|| None, better)
    };
    best.map(|(step, _)| step)
}

/// The row that has the column that `step` takes; n₁ when none has.
fn owner(local: &Local<'_>, step: Step) -> usize {
    let (n, m) = local.shape();
    if step.column < m {
        local.owner(step.column)
    } else {
        n
    }
}
