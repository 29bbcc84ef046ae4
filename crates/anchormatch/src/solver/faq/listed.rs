//! FAQ over listed candidates.
//!
//! f(x) = ⟨u, x⟩ + ⟨x, W x⟩ as before, with x, u and W over the entries of the lists, and the linear
//! assignment that of lists.

use super::Faq;
use crate::assignment::Assignment;
use crate::error::Result;
use crate::monitor::Monitor;
use crate::problem::Problem;
use crate::solver::frank_wolfe::{BestVertex, Form, Fresh, Report, StepRule, best_of_runs, climb};
use crate::solver::listed::{Polytope, Space};
use crate::solver::{Solution, Start, Status};

/// Bytes that a start takes.
pub(super) fn memory(problem: &Problem) -> u64 {
    let polytope = Polytope::memory(problem.shape(), problem.candidates().count());
    Space::memory(problem, 6).saturating_add(polytope)
}

pub(super) fn solve(
    faq: &Faq,
    problem: &Problem,
    start: &Start<'_>,
    monitor: &Monitor,
) -> Result<Solution> {
    let space = Space::of(problem).expect("the candidates are listed");
    let limits = (faq.restarts, faq.max_iterations);
    best_of_runs(problem, monitor, "faq", limits, |number, report| {
        let mut polytope = Polytope::new(&space, monitor);
        let x = if number == 0 {
            polytope.start(start)?
        } else {
            polytope.random(start.seed, number)?
        };
        from(faq, &space, polytope, x, report, monitor)
    })
}

/// Frank–Wolfe from `x` on; `report` takes the gap of every iteration and may ask to stop.
fn from(
    faq: &Faq,
    space: &Space<'_>,
    polytope: Polytope<'_>,
    x: Vec<f64>,
    report: &Report<'_>,
    monitor: &Monitor,
) -> Result<Solution> {
    let problem = space.problem;
    let mut best = BestVertex::default();
    let mut convergence = Vec::new();
    let form = Program {
        scratch: space.scratch(),
        space,
    };
    let sign = problem.sense().sign();
    let mut walk = Fresh::new(form, sign, x, polytope);
    let status = if space.count() == 0 {
        Status::Converged
    } else {
        let rule = StepRule::Higher;
        climb(&mut walk, rule, faq.max_iterations, |walk, taken| {
            let vertex: &Assignment = walk.direction.best();
            best.offer(walk.end_value(), vertex);
            // No point is better for the gradient than the vertex: what is below 0 is rounding.
            let gap = taken.segment.derivative.max(0.0);
            convergence.push(gap);
            let interrupt = report(gap);
            let size = vertex.matched() as f64;
            if taken.step * walk.length <= faq.tolerance * size.sqrt() {
                Some(Status::Converged)
            } else {
                interrupt
            }
        })?
    };
    let rounded = space.round(&walk.x, monitor);
    let (assignment, objective) = best.or_rounded(problem, rounded);
    Ok(Solution {
        assignment,
        objective,
        soft: Some(space.soft(walk.x)),
        iterations: convergence.len(),
        status,
        convergence,
    })
}

/// f over the entries.
struct Program<'s> {
    space: &'s Space<'s>,
    scratch: Vec<f64>,
}

impl Form for Program<'_> {
    fn linear(&self) -> Option<&[f64]> {
        Some(&self.space.unary)
    }

    fn image(&mut self, x: &[f64], out: &mut [f64]) {
        self.space.operator.apply(x, out, &mut self.scratch);
        out.iter_mut().for_each(|value| *value *= 2.0);
    }
}
