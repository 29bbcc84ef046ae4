//! GOAT, graph matching by optimal transport (Saad-Eldin, Pedigo, Priebe, Vogelstein 2021).
//!
//! FAQ's ascent on f(X) = ⟨u, X⟩ + ⟨X, W X⟩ with another direction. Where FAQ goes towards one
//! assignment P that is best for the gradient G, and must choose between many that are as good, GOAT
//! goes towards their average, the entropic transport plan
//!
//! > Q = Sinkhorn( exp(λ G / max|G|) ),   λ = 100,
//!
//! by exact line search. Ties and near-ties, the rule in unweighted graphs, are thus left open until
//! the gradient decides them. Q is no assignment, so W Q takes a whole product. The exponent is taken
//! less its maximum, and λ is bounded, so that neither the exponential nor the scalings overflow.
//!
//! Where not all assignments are allowed, those that are not get next to nothing before the balancing
//! and nothing after it; where nodes may stay alone, so do pairs whose gradient is negative.

use super::frank_wolfe::{End, Point, Report, best_of_starts, best_step, dot};
use super::{Info, Kind, Solution, Solver, Start, Status, round};
use crate::assignment::Sinkhorn;
use crate::error::{Error, Result};
use crate::linalg::Matrix;
use crate::monitor::Monitor;
use crate::problem::{Coverage, Problem};

/// What an assignment that is ruled out weighs before balancing, relative to the least of the others.
const RULED_OUT: f64 = 1e-30;

/// The ascent's parameters; the defaults are the authors' constants.
#[derive(Debug, Clone, PartialEq)]
pub struct Goat {
    /// Random starts beside the first one; the best of all ends is returned. Default 0.
    pub restarts: usize,
    /// Iterations of a start at most. Default 30.
    pub max_iterations: usize,
    /// A start has converged when ‖X' − X‖ ≤ tolerance · √k, k = min(n₁, n₂). Default 0.01.
    pub tolerance: f64,
    /// λ, how sharply the transport plan follows the gradient; at most 150. Default 100.
    pub sharpness: f64,
    /// Row and column sums of the transport plan are within this of 1. Default 1e-2.
    pub sinkhorn_tolerance: f64,
    /// Sinkhorn sweeps an iteration at most. Default 1000.
    pub sinkhorn_sweeps: usize,
}

impl Default for Goat {
    fn default() -> Self {
        Self {
            restarts: 0,
            max_iterations: 30,
            tolerance: 0.01,
            sharpness: 100.0,
            sinkhorn_tolerance: 1e-2,
            sinkhorn_sweeps: 1000,
        }
    }
}

impl Goat {
    fn check(&self) -> Result<()> {
        for (name, value) in [
            ("tolerance", self.tolerance),
            ("sinkhorn_tolerance", self.sinkhorn_tolerance),
        ] {
            if !(value >= 0.0 && value.is_finite()) {
                return Err(Error::parameter(name, value, "a finite number, at least 0"));
            }
        }
        // The exponents span 2λ, and their products with both scalings must stay finite.
        if !(self.sharpness > 0.0 && self.sharpness <= 150.0) {
            return Err(Error::parameter(
                "sharpness",
                self.sharpness,
                "a number above 0, at most 150",
            ));
        }
        if self.sinkhorn_sweeps == 0 {
            return Err(Error::parameter("sinkhorn_sweeps", 0, "at least 1"));
        }
        Ok(())
    }
}

impl Solver for Goat {
    fn info(&self) -> Info {
        Info {
            name: "goat",
            kind: Kind::Relaxation,
            reference: "Saad-Eldin, Pedigo, Priebe, Vogelstein, arXiv:2111.05366, 2021",
            complexity: "P + O(n²) a Sinkhorn sweep",
            accepts: "all",
        }
    }

    /// `iterations`, `convergence` (‖X' − X‖/√k) and `soft` (the last X) are those of the best start.
    ///
    /// # Complexity
    /// One product with W and some Sinkhorn sweeps an iteration, one linear assignment at the end.
    /// Memory: five n₁×n₂ matrices and the product's scratch for every start that runs at the same
    /// time.
    fn solve(&self, problem: &Problem, start: &Start<'_>, monitor: &Monitor) -> Result<Solution> {
        self.check()?;
        start.check(problem)?;
        best_of_starts(
            problem,
            start,
            monitor,
            "goat",
            self.restarts,
            self.max_iterations,
            |_, x, report| self.climb(problem, x, report),
        )
    }
}

impl Goat {
    fn climb(&self, problem: &Problem, x: Vec<f64>, report: &Report<'_>) -> Result<Solution> {
        let (n, m) = problem.shape();
        let (sign, pairwise) = (problem.sense().sign(), problem.pairwise());
        let unary = problem.unary().as_slice();
        let mut scratch = vec![0.0; pairwise.scratch_len()];
        let mut point = Point::new(problem, x, &mut scratch);
        let (mut score, mut plan, mut plan_image) =
            (vec![0.0; n * m], vec![0.0; n * m], vec![0.0; n * m]);
        let mut sinkhorn = Sinkhorn::new();
        let mut convergence = Vec::new();
        let mut status = if n * m == 0 {
            Status::Converged
        } else {
            Status::IterationLimit
        };
        while status == Status::IterationLimit && convergence.len() < self.max_iterations {
            point.score(unary, sign, &mut score);
            self.transport(problem, &score, &mut plan, &mut sinkhorn);
            pairwise.apply(&plan, &mut plan_image, &mut scratch);
            let end = End {
                linear: dot(unary, &plan),
                cross: dot(&point.image, &plan),
                quadratic: dot(&plan_image, &plan),
                overlap: dot(&point.x, &plan),
                size: dot(&plan, &plan),
            };
            let (slope, curvature) = point.towards(&end);
            let step = best_step(sign * slope, sign * curvature);
            let moved = step * point.distance(&end) / (n.min(m) as f64).sqrt();
            point.advance(step, &end, &plan, &plan_image);
            convergence.push(moved);
            let interrupt = report(moved);
            if moved <= self.tolerance {
                status = Status::Converged;
            } else if let Some(interrupt) = interrupt {
                status = interrupt;
            }
        }
        let soft = Matrix::from_vec(n, m, point.x);
        let assignment = round(problem, &soft)?;
        Ok(Solution {
            objective: problem.objective(&assignment),
            assignment,
            soft: Some(soft),
            iterations: convergence.len(),
            status,
            convergence,
        })
    }

    /// Q, the soft assignment that follows the scores.
    fn transport(
        &self,
        problem: &Problem,
        score: &[f64],
        plan: &mut [f64],
        sinkhorn: &mut Sinkhorn,
    ) {
        let (n, m) = problem.shape();
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for &value in score {
            (low, high) = (low.min(value), high.max(value));
        }
        let size = high.abs().max(low.abs());
        let factor = if size > 0.0 {
            self.sharpness / size
        } else {
            0.0
        };
        for (slot, value) in plan.iter_mut().zip(score) {
            *slot = (factor * (value - high)).exp();
        }
        set_ruled_out(problem, plan, (factor * (low - high)).exp() * RULED_OUT);
        let (tolerance, sweeps) = (self.sinkhorn_tolerance, self.sinkhorn_sweeps);
        sinkhorn.balance(plan, n, m, tolerance, sweeps);
        set_ruled_out(problem, plan, 0.0);
        if problem.coverage() == Coverage::Partial {
            for (slot, value) in plan.iter_mut().zip(score) {
                if *value < 0.0 {
                    *slot = 0.0;
                }
            }
        }
    }
}

/// Gives `value` to all assignments that the candidates rule out.
fn set_ruled_out(problem: &Problem, plan: &mut [f64], value: f64) {
    let candidates = problem.candidates();
    if candidates.is_all() {
        return;
    }
    let m = problem.shape().1;
    for (i, row) in plan.chunks_mut(m.max(1)).enumerate() {
        let mut allowed = candidates.of_row(i).peekable();
        for (a, slot) in row.iter_mut().enumerate() {
            if allowed.next_if_eq(&a).is_none() {
                *slot = value;
            }
        }
    }
}
