//! What solving takes beside the problem, and the one place that refuses what does not fit.

use super::{Kind, OnLists, Solver};
use crate::error::{Hint, Result};
use crate::monitor::Monitor;
use crate::problem::Problem;

/// The bytes of `count` n₁×n₂ matrices and of the scratch of one product with W.
#[must_use]
pub fn matrices(problem: &Problem, count: u64) -> u64 {
    let (n, m) = problem.shape();
    let numbers = (n as u64).saturating_mul(m as u64).saturating_mul(count);
    bytes(problem, numbers)
}

/// The bytes of `count` N×N matrices, N the larger side, and of the scratch of one product with W.
pub(super) fn squares(problem: &Problem, count: u64) -> u64 {
    let side = problem.shape().0.max(problem.shape().1) as u64;
    bytes(problem, side.saturating_mul(side).saturating_mul(count))
}

/// The bytes of so many numbers and of the scratch of one product with W.
pub(super) fn bytes(problem: &Problem, numbers: u64) -> u64 {
    let scratch = problem.pairwise().scratch_len() as u64;
    numbers.saturating_add(scratch).saturating_mul(8)
}

/// Refuses a solver that takes more memory than there is.
pub(super) fn reserve<S: Solver + ?Sized>(
    solver: &S,
    problem: &Problem,
    monitor: &Monitor,
) -> Result<()> {
    let info = solver.info();
    let needed = solver.memory(problem);
    if info.candidates == OnLists::Filled && !problem.candidates().is_all() {
        let (n, m) = problem.shape();
        let what = format!("all {n}×{m} assignments, which {} fills up", info.name);
        return monitor.reserve(&what, needed, &[Hint::MoreMemory, Hint::ListedPairs]);
    }
    reserve_for(info.kind, problem, needed, monitor)
}

/// Refuses so many bytes for a relaxation or a search.
pub(super) fn reserve_for(
    kind: Kind,
    problem: &Problem,
    bytes: u64,
    monitor: &Monitor,
) -> Result<()> {
    let (n, m) = problem.shape();
    let (name, hints): (_, &'static [Hint]) = match kind {
        Kind::Relaxation => ("relaxation", &[Hint::MoreMemory, Hint::SmallerProblem]),
        Kind::Search => ("search", &[Hint::MoreMemory, Hint::Relaxation]),
    };
    let what = format!("a {name} over {n}×{m} assignments");
    monitor.reserve(&what, bytes, hints)
}
