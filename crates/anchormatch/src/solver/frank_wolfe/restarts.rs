//! Many starts, the best end.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::Polytope;
use crate::assignment::Assignment;
use crate::error::Result;
use crate::monitor::{Monitor, Progress};
use crate::problem::Problem;
use crate::solver::{Solution, Start, Status};

/// Starts between two looks at the monitor: after a stop the others are not even counted.
const ROUND: usize = 1024;

/// Takes the residual of an iteration; says when to stop.
pub(in crate::solver) type Report<'r> = dyn Fn(f64) -> Option<Status> + Sync + 'r;

/// How many of a start and its restarts run at the same time.
pub(in crate::solver) fn starts_at_once(restarts: usize) -> u64 {
    restarts.saturating_add(1).min(rayon::current_num_threads()) as u64
}

/// The best solution of `climb` from the start asked for and from `restarts` random ones.
///
/// Starts run in parallel, each from its own random stream, and equal solutions go to the earlier
/// start: the result does not depend on the threads.
pub(in crate::solver) fn best_of_starts<F>(
    problem: &Problem,
    start: &Start<'_>,
    monitor: &Monitor,
    stage: &str,
    restarts: usize,
    max_iterations: usize,
    climb: F,
) -> Result<Solution>
where
    F: Fn(Polytope<'_>, Vec<f64>, &Report<'_>) -> Result<Solution> + Sync,
{
    let limits = (restarts, max_iterations);
    best_of_runs(problem, monitor, stage, limits, |number, report| {
        let mut polytope = Polytope::new(problem, monitor);
        let x = if number == 0 {
            polytope.start(start)?
        } else {
            polytope.random(start.seed, number)?
        };
        climb(polytope, x, report)
    })
}

/// The best of the solutions of `climb`, which is told the number of its start: 0 for the one asked for.
pub(in crate::solver) fn best_of_runs<F>(
    problem: &Problem,
    monitor: &Monitor,
    stage: &str,
    (restarts, max_iterations): (usize, usize),
    climb: F,
) -> Result<Solution>
where
    F: Fn(u64, &Report<'_>) -> Result<Solution> + Sync,
{
    let made = AtomicUsize::new(0);
    let interrupt = OnceLock::new();
    let report = |residual: f64| {
        let done = made.fetch_add(1, Ordering::Relaxed) + 1;
        let progress = Progress {
            stage,
            done,
            total: restarts
                .checked_add(1)
                .and_then(|starts| starts.checked_mul(max_iterations)),
            value: Some(residual),
        };
        let cut = monitor.checkpoint(progress).map(Status::from);
        cut.inspect(|&status| {
            interrupt.get_or_init(|| status);
        })
    };
    // The largest number of all would leave no room for the one after it.
    let restarts = restarts.min(usize::MAX - ROUND);
    let run = |number: usize| -> Result<Option<Run>> {
        // The first start always gives a result; the others only while there is time.
        if number > 0
            && let Some(cut) = monitor.interrupted()
        {
            interrupt.get_or_init(|| cut.into());
            return Ok(None);
        }
        let solution = climb(number as u64, &report)?;
        Ok(Some(Run { number, solution }))
    };
    let best = if restarts == 0 {
        run(0)?
    } else {
        let mut best = None;
        let mut first = 0;
        loop {
            let last = restarts.min(first + ROUND - 1);
            let round = (first..last + 1)
                .into_par_iter()
                .map(run)
                .try_reduce(|| None, |a, b| Ok(Run::better(a, b, problem)))?;
            best = Run::better(best, round, problem);
            if last == restarts || monitor.interrupted().is_some() {
                break best;
            }
            first = last + 1;
        }
    };
    let mut solution = best.expect("the first start always runs").solution;
    if let Some(&status) = interrupt.get() {
        solution.status = status;
    }
    Ok(solution)
}

/// What one start came to.
struct Run {
    number: usize,
    solution: Solution,
}

impl Run {
    /// The better of two runs, the earlier when they are equal: the same in whatever order they end.
    fn better(a: Option<Self>, b: Option<Self>, problem: &Problem) -> Option<Self> {
        match (a, b) {
            (Some(a), Some(b)) => {
                let sense = problem.sense();
                let (first, second) = if a.number < b.number { (a, b) } else { (b, a) };
                if sense.better(second.solution.objective, first.solution.objective) {
                    Some(second)
                } else {
                    Some(first)
                }
            }
            (a, b) => a.or(b),
        }
    }
}

/// The best vertex met, by a value of which more is better.
#[derive(Default)]
pub(in crate::solver) struct BestVertex {
    value: f64,
    assignment: Assignment,
    met: bool,
}

impl BestVertex {
    pub(in crate::solver) fn offer(&mut self, value: f64, assignment: &Assignment) {
        if !self.met || value > self.value {
            self.met = true;
            self.value = value;
            self.assignment.clone_from(assignment);
        }
    }

    /// The best vertex; `None` when none was met.
    pub(in crate::solver) fn into_assignment(self) -> Option<Assignment> {
        self.met.then_some(self.assignment)
    }

    /// The better of the best vertex and `rounded`, with its objective; `rounded` when equal.
    pub(in crate::solver) fn or_rounded(
        self,
        problem: &Problem,
        rounded: Assignment,
    ) -> (Assignment, f64) {
        let objective = problem.objective(&rounded);
        if !self.met || self.assignment == rounded {
            return (rounded, objective);
        }
        let other = problem.objective(&self.assignment);
        if problem.sense().better(other, objective) {
            (self.assignment, other)
        } else {
            (rounded, objective)
        }
    }
}
