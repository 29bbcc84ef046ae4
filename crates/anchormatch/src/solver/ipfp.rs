//! Integer projected fixed point (Leordeanu, Hebert, Sukthankar, *An integer projected fixed point
//! method for graph matching and MAP inference*, NIPS 2009).
//!
//! An ascent of f(x) over the relaxed assignments that works on the objective itself, and visits an
//! integer solution in every iteration:
//!
//! > b = argmax { ∇f(x)ᵀ b : b an assignment }                      (integer projection)
//! > x ← x + r (b − x),  r = argmax { f(x + r (b − x)) : 0 ≤ r ≤ 1 }  (exact line search)
//!
//! f is quadratic along the segment, so r is 1 when it is convex there and −slope/curvature cut to
//! [0, 1] when not; W may be indefinite, and costs need no shift. f(x) never falls, ∇f(x)ᵀ(b − x) ≥ 0
//! bounds how far a first-order step could rise, and x is a fixed point when it is 0. The best b is
//! returned.
//!
//! The paper has f(x) = xᵀWx, so that unary values count u x². On assignments u x is the same, and
//! that is the default here ([`Ipfp::linear_unary`]): in the middle of the relaxed set u x² has lost
//! most of its weight against the pairs, and with anchors folded into u it is u that knows most.

use serde::{Deserialize, Serialize};

use super::relaxation::{Iterations, Vertex, check_nonnegative, dot, initial};
use super::{Info, Kind, Solution, Solver, Start, round};
use crate::assignment::Assignment;
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
        }
    }

    fn check(&self) -> Result<()> {
        check_nonnegative("tolerance", self.tolerance)
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
        let first = initial(problem, start);
        let mut ascent = Ascent::new(problem, unary, first, self.linear_unary);
        if let Some(assignment) = start.assignment.filter(|a| problem.is_feasible(a)) {
            ascent.keep(assignment.clone());
        }
        while iterations.go_on() {
            let gap = ascent.step()?;
            iterations.record(gap, gap <= self.tolerance);
        }
        let soft = Matrix::from_vec(rows, cols, ascent.x);
        let assignment = match ascent.best {
            Some((assignment, _)) => assignment,
            None => round(problem, &soft)?,
        };
        Ok(iterations.solution(problem, assignment, soft))
    }
}

/// A point, its gradient and the best assignment seen.
struct Ascent<'p> {
    problem: &'p Problem,
    unary: &'p [f64],
    linear_unary: bool,
    sign: f64,
    x: Vec<f64>,
    /// The quadratic part of sense · W, applied to x and to b.
    image: Vec<f64>,
    vertex_image: Vec<f64>,
    gradient: Vec<f64>,
    /// b as 0 and 1.
    b: Vec<f64>,
    vertex: Vertex,
    best: Option<(Assignment, f64)>,
    scratch: Vec<f64>,
}

impl<'p> Ascent<'p> {
    fn new(problem: &'p Problem, unary: &'p [f64], x: Vec<f64>, linear_unary: bool) -> Self {
        let zeros = vec![0.0; x.len()];
        let mut ascent = Self {
            problem,
            unary,
            linear_unary,
            sign: problem.sense().sign(),
            image: zeros.clone(),
            vertex_image: zeros.clone(),
            gradient: zeros.clone(),
            b: zeros,
            vertex: Vertex::default(),
            best: None,
            scratch: vec![0.0; problem.pairwise().scratch_len()],
            x,
        };
        ascent.apply_to_x();
        ascent
    }

    fn apply_to_x(&mut self) {
        let Self {
            problem,
            x,
            image,
            scratch,
            ..
        } = self;
        apply(problem, self.linear_unary, x, image, scratch);
    }

    /// Takes an assignment as the best so far.
    fn keep(&mut self, assignment: Assignment) {
        let value = self.problem.objective(&assignment) - self.problem.constant();
        self.best = Some((assignment, self.sign * value));
    }

    /// One iteration; returns ∇f(x)ᵀ(b − x) at the old x, relative to the terms that cancel in it.
    fn step(&mut self) -> Result<f64> {
        let unary = self.unary;
        let linear = if self.linear_unary { self.sign } else { 0.0 };
        for ((slot, image), u) in self.gradient.iter_mut().zip(&self.image).zip(unary) {
            *slot = 2.0 * self.sign * image + linear * u;
        }
        let cols = self.problem.shape().1;
        self.b.fill(0.0);
        for (i, a) in self
            .vertex
            .towards(self.problem, &self.gradient)?
            .iter()
            .enumerate()
        {
            if let Some(a) = a {
                self.b[i * cols + a] = 1.0;
            }
        }
        apply(
            self.problem,
            self.linear_unary,
            &self.b,
            &mut self.vertex_image,
            &mut self.scratch,
        );
        let unary_value = |x: &[f64]| linear * dot(unary, x);
        let value = self.sign * dot(&self.b, &self.vertex_image) + unary_value(&self.b);
        if self.best.as_ref().is_none_or(|(_, best)| value > *best) {
            let columns = self.vertex.assignment();
            match &mut self.best {
                Some((best, best_value)) => {
                    best.clone_from(columns);
                    *best_value = value;
                }
                None => self.best = Some((columns.clone(), value)),
            }
        }
        // f(x + r (b − x)) = f(x) + slope r + curvature r².
        let (mut slope, mut size, mut curvature) = (0.0, 0.0, 0.0);
        for k in 0..self.x.len() {
            let difference = self.b[k] - self.x[k];
            slope += self.gradient[k] * difference;
            size += self.gradient[k].abs() * (self.b[k] + self.x[k]);
            curvature += self.sign * (self.vertex_image[k] - self.image[k]) * difference;
        }
        let length = if slope <= 0.0 {
            0.0
        } else if curvature >= 0.0 {
            1.0
        } else {
            (-slope / (2.0 * curvature)).min(1.0)
        };
        if length == 1.0 {
            self.x.copy_from_slice(&self.b);
            self.image.copy_from_slice(&self.vertex_image);
        } else if length > 0.0 {
            for (x, b) in self.x.iter_mut().zip(&self.b) {
                *x += length * (b - *x);
            }
            // By linearity: no second product.
            for (image, vertex) in self.image.iter_mut().zip(&self.vertex_image) {
                *image += length * (vertex - *image);
            }
        }
        Ok(if size > 0.0 {
            slope.max(0.0) / size
        } else {
            0.0
        })
    }
}

/// W x, without the unary part when that is linear.
fn apply(problem: &Problem, linear_unary: bool, x: &[f64], out: &mut [f64], scratch: &mut [f64]) {
    if linear_unary {
        problem.pairwise().apply(x, out, scratch);
    } else {
        problem.apply(x, out, scratch);
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_support::{self, kernel_problem, listed, values};
    use super::*;
    use crate::problem::{ProductPairwise, Sense, Weights};
    use crate::solver::Status;

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
                let unary = problem.full_unary(&Monitor::silent()).unwrap().as_slice();
                let mut ascent = Ascent::new(&problem, unary, x, linear_unary);
                let mut last = relaxed(&problem, &ascent.x, linear_unary);
                let mut gap = f64::INFINITY;
                for _ in 0..2000 {
                    gap = ascent.step().unwrap();
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
                let again = ascent.step().unwrap();
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
            let unary = problem.full_unary(&Monitor::silent()).unwrap().as_slice();
            let first = initial(&problem, &Start::default());
            let mut ascent = Ascent::new(&problem, unary, first, true);
            let mut best = f64::NEG_INFINITY;
            let sign = problem.sense().sign();
            for _ in 0..100 {
                let gap = ascent.step().unwrap();
                let columns = ascent.vertex.assignment();
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
            let start = Start {
                assignment: Some(&first.assignment),
                ..Start::default()
            };
            let second = Ipfp::default()
                .solve(&problem, &start, &Monitor::silent())
                .unwrap();
            assert_eq!(second.status, Status::Converged);
            assert!(!problem.sense().better(first.objective, second.objective));
        }
    }

    #[test]
    fn bad_parameters_are_refused() {
        test_support::refuses(&[&Ipfp {
            tolerance: -1.0,
            ..Ipfp::default()
        }]);
    }
}
