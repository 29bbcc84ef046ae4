//! A short search from a matching.

use crate::assignment::Assignment;
use crate::error::Result;
use crate::matcher::best::thresholds::{LARGE, POLISH_GENERAL, POLISH_NUMBERS};
use crate::monitor::Monitor;
use crate::problem::Problem;
use crate::solver::{Solution, Solver, Start, Tabu};

/// A short search from a matching of so many `nodes`, which goes on while it gains something.
pub(super) fn polish(
    problem: &Problem,
    first: &Assignment,
    nodes: usize,
    seed: u64,
    monitor: &Monitor,
) -> Result<Solution> {
    let nodes = nodes.max(1);
    let is_general = problem.pairwise().low_rank_memory().is_none();
    let numbers = if is_general {
        POLISH_NUMBERS / POLISH_GENERAL
    } else {
        POLISH_NUMBERS
    };
    let most = (10 * nodes)
        .min(numbers / (nodes * nodes))
        .max(nodes / 4 + 1);
    let each = if nodes < LARGE {
        most
    } else {
        most.min(nodes / 2)
    };
    let tabu = Tabu {
        iterations: Some(each),
        ..Tabu::default()
    };
    let search = |assignment: &Assignment| {
        let start = Start::seeded(seed).with_assignment(assignment);
        tabu.solve(problem, &start, monitor)
    };
    let mut found = search(first)?;
    let mut before = problem.objective(first);
    while problem.sense().better(found.objective, before)
        && found.iterations + each <= most
        && !found.status.was_interrupted()
    {
        before = found.objective;
        let next = search(&found.assignment)?;
        let iterations = found.iterations + next.iterations;
        found = Solution { iterations, ..next };
    }
    Ok(found)
}
