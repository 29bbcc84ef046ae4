//! FAQ, the Fast Approximate Quadratic assignment algorithm (Vogelstein et al., PLoS ONE 10, 2015).
//!
//! Frank–Wolfe with exact line search on f(X) = ⟨u, X⟩ + ⟨X, W X⟩ (its negative for costs) over the
//! convex hull of the assignments:
//!
//! > P = argmax ⟨∇f(X), P⟩ over assignments, ∇f(X) = u + 2 W X      (one linear assignment)
//! > α = argmax f(X + α (P − X)) over [0, 1]                          (a parabola)
//! > X ← X + α (P − X)
//!
//! The gap ⟨∇f(X), P − X⟩ ≥ 0 is zero exactly at the stationary points. Since P is an assignment, W P
//! is a selection and one product at most, and W X follows by linearity: an iteration costs one matrix
//! product for the product form, and the line search needs sums only. Seeds (Fishkind et al. 2019) are
//! part of u, see [`ProductPairwise::seeded_problem`](crate::problem::ProductPairwise::seeded_problem).
//!
//! The hull of unequal sizes is used as it is, without dummy nodes. At the end a linear assignment
//! rounds X; a vertex met on the way is taken instead when it is better, which costs nothing.

use super::frank_wolfe::{
    BestVertex, End, Point, Polytope, Report, best_of_starts, best_step, sum_over,
};
use super::{Info, Kind, Solution, Solver, Start, Status, round};
use crate::error::{Error, Result};
use crate::linalg::Matrix;
use crate::monitor::Monitor;
use crate::problem::Problem;

/// Frank–Wolfe's parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct Faq {
    /// Random starts beside the first one; the best of all ends is returned. Default 0.
    ///
    /// The first start is the one given, or the barycentre; the others are ½ J + ½ K with J the
    /// barycentre and K a balanced random matrix, each from a random stream of its own.
    pub restarts: usize,
    /// Iterations of a start at most. Default 30.
    pub max_iterations: usize,
    /// A start has converged when ‖X' − X‖ ≤ tolerance · √k, k the nodes that X matches. Default 0.03.
    pub tolerance: f64,
}

impl Default for Faq {
    fn default() -> Self {
        Self {
            restarts: 0,
            max_iterations: 30,
            tolerance: 0.03,
        }
    }
}

impl Faq {
    fn check(&self) -> Result<()> {
        if !(self.tolerance >= 0.0 && self.tolerance.is_finite()) {
            return Err(Error::parameter(
                "tolerance",
                self.tolerance,
                "a finite number, at least 0",
            ));
        }
        Ok(())
    }
}

impl Solver for Faq {
    fn info(&self) -> Info {
        Info {
            name: "faq",
            kind: Kind::Relaxation,
            reference: "Vogelstein et al., PLoS ONE 2015",
            complexity: "P/2 + one linear assignment",
            accepts: "all",
        }
    }

    /// `iterations`, `convergence` (the gap) and `soft` (the last X) are those of the best start.
    ///
    /// # Complexity
    /// One linear assignment an iteration, and W times an assignment: O(n³) for dense products, O(r
    /// n³) for a separable kernel, O(Σ deg²) for sparse products. Memory: four n₁×n₂ matrices, the
    /// product's scratch and the assignment's, for every start that runs at the same time.
    fn solve(&self, problem: &Problem, start: &Start<'_>, monitor: &Monitor) -> Result<Solution> {
        self.check()?;
        start.check(problem)?;
        best_of_starts(
            problem,
            start,
            monitor,
            "faq",
            self.restarts,
            self.max_iterations,
            |polytope, x, report| self.climb(problem, polytope, x, report),
        )
    }
}

impl Faq {
    /// Frank–Wolfe from `x` on; `report` takes the gap of every iteration and may ask to stop.
    fn climb(
        &self,
        problem: &Problem,
        mut polytope: Polytope<'_>,
        x: Vec<f64>,
        report: &Report<'_>,
    ) -> Result<Solution> {
        let (n, m) = problem.shape();
        let (sign, pairwise) = (problem.sense().sign(), problem.pairwise());
        let unary = problem.unary().as_slice();
        let mut scratch = vec![0.0; pairwise.scratch_len()];
        let mut point = Point::new(problem, x, &mut scratch);
        let mut score = vec![0.0; n * m];
        point.score(unary, sign, &mut score);
        let mut vertex_image = vec![0.0; n * m];
        let mut best = BestVertex::default();
        let mut convergence = Vec::new();
        let mut status = if n * m == 0 {
            Status::Converged
        } else {
            Status::IterationLimit
        };
        while status == Status::IterationLimit && convergence.len() < self.max_iterations {
            let vertex = polytope.best_vertex(&score)?;
            pairwise.apply_assignment(vertex, &mut vertex_image, &mut scratch);
            let end = End {
                linear: sum_over(unary, m, vertex),
                cross: sum_over(&point.image, m, vertex),
                quadratic: sum_over(&vertex_image, m, vertex),
                overlap: sum_over(&point.x, m, vertex),
                size: vertex.iter().flatten().count() as f64,
            };
            best.offer(sign * (end.linear + end.quadratic), vertex);
            let (slope, curvature) = point.towards(&end);
            let gap = (sign * slope).max(0.0);
            let step = best_step(gap, sign * curvature);
            let moved = step * point.distance(&end);
            if step > 0.0 {
                point.advance_to_vertex(step, &end, vertex, &vertex_image);
                point.score(unary, sign, &mut score);
            }
            convergence.push(gap);
            let interrupt = report(gap);
            if moved <= self.tolerance * end.size.sqrt() {
                status = Status::Converged;
            } else if let Some(interrupt) = interrupt {
                status = interrupt;
            }
        }
        let soft = Matrix::from_vec(n, m, point.x);
        let (assignment, objective) = best.or_rounded(problem, round(problem, &soft)?);
        Ok(Solution {
            assignment,
            objective,
            soft: Some(soft),
            iterations: convergence.len(),
            status,
            convergence,
        })
    }
}
