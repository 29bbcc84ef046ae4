//! Integer projected fixed point (Leordeanu, Hebert, Sukthankar, *An integer projected fixed point
//! method for graph matching and MAP inference*, NIPS 2009).
//!
//! An ascent of f(x) over the relaxed assignments that works on the objective itself, and visits an
//! integer solution in every iteration:
//!
//! > b = argmax { ∇f(x)ᵀ b : b an assignment }                      (integer projection)
//! > x ← x + r (b − x),  r = argmax { f(x + r (b − x)) : 0 ≤ r ≤ 1 }  (exact line search)
//!
//! f is quadratic along the segment, so r is 1 when it is convex there and −derivative/curvature cut to
//! [0, 1] when not; W may be indefinite, and costs need no shift. f(x) never falls, ∇f(x)ᵀ(b − x) ≥ 0
//! bounds how far a first-order step could rise, and x is a fixed point when it is 0. The best b is
//! returned.
//!
//! The paper has f(x) = xᵀWx, so that unary values count u x². On assignments u x is the same, and
//! that is the default here ([`Ipfp::linear_unary`]): in the middle of the relaxed set u x² has lost
//! most of its weight against the pairs, and with anchors folded into u it is u that knows most.

use serde::{Deserialize, Serialize};

use super::frank_wolfe::{BestVertex, Form, Fresh, Polytope, StepRule, Taken, climb};
use super::relaxation::{Iterations, check_nonnegative, initial, scale};
use super::{Info, Kind, OnLists, Solution, Solver, Start, matrices, round_within};
use crate::error::Result;
use crate::linalg::Matrix;
use crate::monitor::Monitor;
use crate::problem::Problem;

/// The ascent's parameters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Ipfp {
    /// Whether unary values count u x on the way, not u x². Default true.
    pub linear_unary: bool,
    /// Iterations at most. Default 100.
    pub max_iterations: usize,
    /// x is a fixed point when ∇f(x)ᵀ(b − x) is at most this times |∇f|ᵀ(b + x). Default 1e-9.
    pub tolerance: f64,
}

impl Default for Ipfp {
    fn default() -> Self {
        Self {
            linear_unary: true,
            max_iterations: 100,
            tolerance: 1e-9,
        }
    }
}

impl Solver for Ipfp {
    fn info(&self) -> Info {
        Info {
            name: "ipfp",
            kind: Kind::Relaxation,
            reference: "Leordeanu, Hebert, Sukthankar, NIPS 2009",
            complexity: "P + a linear assignment, O(n³) at worst",
            accepts: "all",
            candidates: OnLists::Filled,
        }
    }

    fn check(&self) -> Result<()> {
        check_nonnegative("tolerance", self.tolerance)
    }

    fn memory(&self, problem: &Problem) -> u64 {
        matrices(problem, 7)
    }

    /// An assignment in the start counts as visited: the result is never worse.
    ///
    /// # Complexity
    /// One product with W and one linear assignment an iteration. Memory: five n₁×n₂ matrices, one more
    /// with candidates or partial coverage, and the product's scratch.
    fn solve_accepted(
        &self,
        problem: &Problem,
        start: &Start<'_>,
        monitor: &Monitor,
    ) -> Result<Solution> {
        let (rows, cols) = problem.shape();
        let mut iterations = Iterations::new("ipfp", self.max_iterations, problem, monitor);
        let unary = problem.full_unary(monitor)?.as_slice();
        let mut best = BestVertex::default();
        if let Some(assignment) = start.assignment.filter(|a| problem.is_feasible(a)) {
            let value = problem.objective(assignment) - problem.constant();
            best.offer(problem.sense().sign() * value, assignment);
        }
        let mut ascent = ascent(
            problem,
            unary,
            initial(problem, start),
            self.linear_unary,
            monitor,
        );
        if iterations.go_on() {
            let most = self.max_iterations;
            climb(&mut ascent, StepRule::Uphill, most, |ascent, taken| {
                best.offer(ascent.end_value(), ascent.direction.vertex());
                let gap = relative_gap(ascent, taken);
                // A vertex that a stop cut short says nothing of convergence.
                let is_still = gap <= self.tolerance && monitor.interrupted().is_none();
                iterations.record(gap, is_still);
                iterations.verdict()
            })?;
        }
        let soft = Matrix::from_vec(rows, cols, ascent.x);
        let assignment = match best.into_assignment() {
            Some(assignment) => assignment,
            None => round_within(problem, &soft, monitor)?,
        };
        Ok(iterations.solution(problem, assignment, soft))
    }
}

fn ascent<'p>(
    problem: &'p Problem,
    unary: &'p [f64],
    x: Vec<f64>,
    linear_unary: bool,
    monitor: &'p Monitor,
) -> Fresh<Objective<'p>, Polytope<'p>> {
    let objective = Objective {
        problem,
        unary,
        linear_unary,
        scratch: vec![0.0; problem.pairwise().scratch_len()],
    };
    let sign = problem.sense().sign();
    Fresh::new(objective, sign, x, Polytope::new(problem, monitor))
}

/// ∇f(x)ᵀ(b − x) before a step, relative to the terms that cancel in it.
fn relative_gap<F, D>(ascent: &Fresh<F, D>, taken: &Taken) -> f64 {
    if ascent.derivative_size > 0.0 {
        taken.segment.derivative.max(0.0) / ascent.derivative_size
    } else {
        0.0
    }
}

/// xᵀWx, with unary values that count u x or u x².
struct Objective<'p> {
    problem: &'p Problem,
    unary: &'p [f64],
    linear_unary: bool,
    scratch: Vec<f64>,
}

impl Form for Objective<'_> {
    fn linear(&self) -> Option<&[f64]> {
        self.linear_unary.then_some(self.unary)
    }

    fn image(&mut self, x: &[f64], out: &mut [f64]) {
        if self.linear_unary {
            self.problem.pairwise().apply(x, out, &mut self.scratch);
        } else {
            self.problem.apply(x, out, &mut self.scratch);
        }
        scale(out, 2.0);
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_support::{self, kernel_problem, listed, values};
    use super::*;
    use crate::problem::{ProductPairwise, Sense, Weights};
    use crate::solver::Status;

    /// One iteration; the gap before it.
    fn step(ascent: &mut Fresh<Objective<'_>, Polytope<'_>>) -> f64 {
        let mut gap = f64::NAN;
        climb(ascent, StepRule::Uphill, 1, |ascent, taken| {
            gap = relative_gap(ascent, taken);
            None
        })
        .unwrap();
        gap
    }

    /// f(x), entry by entry.
    fn relaxed(problem: &Problem, x: &[f64], linear_unary: bool) -> f64 {
        let (n, m) = problem.shape();
        let mut total = 0.0;
        for p in 0..n * m {
            let u = problem.unary()[(p / m, p % m)];
            total += u * x[p] * if linear_unary { 1.0 } else { x[p] };
            for q in 0..n * m {
                total += x[p] * x[q] * problem.pairwise().value(p / m, p % m, q / m, q % m);
            }
        }
        problem.sense().sign() * total
    }

    fn problems() -> Vec<Problem> {
        let linear = Matrix::from_fn(5, 5, |i, a| ((i * 3 + a * 7) % 5) as f64 - 2.0);
        let weights = |seed| {
            let raw = values(5, seed);
            Weights::Dense(Matrix::from_fn(5, 5, |i, j| raw[(i, j)] - 0.5))
        };
        let product =
            |sense| ProductPairwise::problem(sense, weights(1), weights(2), Some(&linear)).unwrap();
        vec![
            product(Sense::Maximise),
            product(Sense::Minimise),
            kernel_problem(values(4, 3), values(6, 4), true),
            listed(),
        ]
    }

    #[test]
    fn it_behaves_as_every_relaxation() {
        test_support::behaves(&Ipfp::default());
        test_support::behaves(&Ipfp {
            linear_unary: false,
            ..Ipfp::default()
        });
    }

    #[test]
    fn the_relaxed_objective_never_falls_and_ends_at_a_fixed_point() {
        for problem in problems() {
            for linear_unary in [false, true] {
                let x = initial(&problem, &Start::default());
                let silent = Monitor::silent();
                let unary = problem.full_unary(&silent).unwrap().as_slice();
                let mut ascent = ascent(&problem, unary, x, linear_unary, &silent);
                let mut last = relaxed(&problem, &ascent.x, linear_unary);
                let mut gap = f64::INFINITY;
                for _ in 0..2000 {
                    gap = step(&mut ascent);
                    let now = relaxed(&problem, &ascent.x, linear_unary);
                    assert!(now >= last - 1e-9, "{last} {now}");
                    last = now;
                    if gap <= 1e-9 {
                        break;
                    }
                }
                assert!(gap <= 1e-3, "{gap}");
                // At a fixed point no assignment promises a rise: Σ ∇f (b − x) ≤ 0 for all b, which
                // the integer projection found largest.
                let before = ascent.x.clone();
                let again = step(&mut ascent);
                assert!(again <= 1e-3);
                if gap == 0.0 {
                    assert_eq!(ascent.x, before);
                }
            }
        }
    }

    #[test]
    fn the_best_assignment_seen_is_returned() {
        for problem in problems() {
            let silent = Monitor::silent();
            let unary = problem.full_unary(&silent).unwrap().as_slice();
            let first = initial(&problem, &Start::default());
            let mut ascent = ascent(&problem, unary, first, true, &silent);
            let mut best = f64::NEG_INFINITY;
            let sign = problem.sense().sign();
            for _ in 0..100 {
                let gap = step(&mut ascent);
                let columns = ascent.direction.vertex();
                best = best.max(sign * problem.objective(columns));
                if gap <= 1e-9 {
                    break;
                }
            }
            let solution = test_support::solve(&Ipfp::default(), &problem);
            assert!((sign * solution.objective - best).abs() < 1e-9);
        }
    }

    #[test]
    fn a_good_start_is_never_lost() {
        for problem in problems() {
            let first = test_support::solve(&Ipfp::default(), &problem);
            let start = Start::default().with_assignment(&first.assignment);
            let second = Ipfp::default()
                .solve(&problem, &start, &Monitor::silent())
                .unwrap();
            assert_eq!(second.status, Status::Converged);
            assert!(!problem.sense().better(first.objective, second.objective));
        }
    }

    #[test]
    fn bad_parameters_are_refused() {
        test_support::refuses::<Ipfp>(&[("tolerance", |s| s.tolerance = -1.0)]);
    }
}
