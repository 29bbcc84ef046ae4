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

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::frank_wolfe::{Polytope, add_assignment, best_step, dot, sum_over};
use super::{Info, Kind, Solution, Solver, Start, Status, round};
use crate::error::{Error, Result};
use crate::linalg::Matrix;
use crate::monitor::{Monitor, Progress};
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
        let made = AtomicUsize::new(0);
        let interrupt = OnceLock::new();
        let report = |gap: f64| {
            let done = made.fetch_add(1, Ordering::Relaxed) + 1;
            let progress = Progress {
                stage: "faq",
                done,
                total: self.max_iterations.checked_mul(self.restarts + 1),
                value: Some(gap),
            };
            let cut = monitor.checkpoint(progress).map(Status::from);
            cut.inspect(|&status| {
                interrupt.get_or_init(|| status);
            })
        };
        let run = |number: usize| -> Result<Option<Run>> {
            // The first start always gives a result; the others only while there is time.
            if number > 0
                && let Some(cut) = monitor.interrupted()
            {
                interrupt.get_or_init(|| cut.into());
                return Ok(None);
            }
            let mut polytope = Polytope::new(problem);
            let x = if number == 0 {
                polytope.start(start)?
            } else {
                polytope.random(start.seed, number as u64)?
            };
            let solution = self.climb(problem, polytope, x, &report)?;
            Ok(Some(Run { number, solution }))
        };
        let best = if self.restarts == 0 {
            run(0)?
        } else {
            (0..=self.restarts)
                .into_par_iter()
                .map(run)
                .try_reduce(|| None, |a, b| Ok(Run::better(a, b, problem)))?
        };
        let Run { mut solution, .. } = best.expect("the first start always runs");
        if let Some(&status) = interrupt.get() {
            solution.status = status;
        }
        Ok(solution)
    }
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

impl Faq {
    /// Frank–Wolfe from `x` on; `report` takes the gap of every iteration and may ask to stop.
    fn climb(
        &self,
        problem: &Problem,
        mut polytope: Polytope<'_>,
        x: Vec<f64>,
        report: &(dyn Fn(f64) -> Option<Status> + Sync),
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
                point.advance(step, &end, vertex, &vertex_image);
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

/// A point of the hull with all that moves linearly along with it.
struct Point {
    x: Vec<f64>,
    /// W x, the pairwise part.
    image: Vec<f64>,
    /// ⟨u, x⟩, ⟨x, W x⟩ and ⟨x, x⟩.
    linear: f64,
    quadratic: f64,
    square: f64,
}

/// The sums that a step from a point towards a vertex p needs.
struct End {
    /// ⟨u, p⟩.
    linear: f64,
    /// ⟨p, W x⟩.
    cross: f64,
    /// ⟨p, W p⟩.
    quadratic: f64,
    /// ⟨p, x⟩.
    overlap: f64,
    /// ⟨p, p⟩, the pairs of p.
    size: f64,
}

impl Point {
    fn new(problem: &Problem, x: Vec<f64>, scratch: &mut [f64]) -> Self {
        let mut image = vec![0.0; x.len()];
        problem.pairwise().apply(&x, &mut image, scratch);
        Self {
            linear: dot(problem.unary().as_slice(), &x),
            quadratic: dot(&x, &image),
            square: dot(&x, &x),
            x,
            image,
        }
    }

    /// `score` = ± (u + 2 W x), the gradient of what is to grow.
    fn score(&self, unary: &[f64], sign: f64, score: &mut [f64]) {
        for ((score, u), image) in score.iter_mut().zip(unary).zip(&self.image) {
            *score = sign * (u + 2.0 * image);
        }
    }

    /// f(x + α (p − x)) − f(x) = slope · α + curvature · α².
    fn towards(&self, end: &End) -> (f64, f64) {
        let slope = (end.linear - self.linear) + 2.0 * (end.cross - self.quadratic);
        (slope, end.quadratic - 2.0 * end.cross + self.quadratic)
    }

    /// ‖p − x‖.
    fn distance(&self, end: &End) -> f64 {
        (end.size - 2.0 * end.overlap + self.square).max(0.0).sqrt()
    }

    fn advance(&mut self, step: f64, end: &End, vertex: &[Option<usize>], image: &[f64]) {
        let stay = 1.0 - step;
        let form = |old: f64, cross: f64, new: f64| {
            stay * stay * old + 2.0 * step * stay * cross + step * step * new
        };
        self.linear = stay * self.linear + step * end.linear;
        self.quadratic = form(self.quadratic, end.cross, end.quadratic);
        self.square = form(self.square, end.overlap, end.size);
        let m = self.x.len() / vertex.len().max(1);
        self.x.iter_mut().for_each(|x| *x *= stay);
        add_assignment(&mut self.x, m, vertex, step);
        for (old, new) in self.image.iter_mut().zip(image) {
            *old = stay * *old + step * new;
        }
    }
}

/// The best vertex met, by a value of which more is better.
#[derive(Default)]
pub(super) struct BestVertex {
    value: f64,
    assignment: Vec<Option<usize>>,
    met: bool,
}

impl BestVertex {
    pub(super) fn offer(&mut self, value: f64, assignment: &[Option<usize>]) {
        if !self.met || value > self.value {
            self.met = true;
            self.value = value;
            self.assignment.clear();
            self.assignment.extend_from_slice(assignment);
        }
    }

    /// The better of the best vertex and `rounded`, with its objective; `rounded` when equal.
    pub(super) fn or_rounded(
        self,
        problem: &Problem,
        rounded: Vec<Option<usize>>,
    ) -> (Vec<Option<usize>>, f64) {
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
