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
//!
//! Where candidates are listed, X has a number for each of them and all of this goes over their lists
//! ([`listed`]).

mod listed;

use serde::{Deserialize, Serialize};

use super::frank_wolfe::{
    BestVertex, Polytope, Report, StepRule, Walk, best_of_starts, climb, starts_at_once,
};
use super::relaxation::check_nonnegative;
use super::{Info, Kind, OnLists, Solution, Solver, Start, Status, matrices, round_within};
use crate::error::Result;
use crate::linalg::Matrix;
use crate::monitor::Monitor;
use crate::problem::Problem;

/// Frank–Wolfe's parameters. The defaults are those of SciPy's `quadratic_assignment`: smaller
/// tolerances and more iterations left the accuracy on random graphs of 20 to 100 nodes as it was.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
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

impl Solver for Faq {
    fn info(&self) -> Info {
        Info {
            name: "faq",
            kind: Kind::Relaxation,
            reference: "Vogelstein et al., PLoS ONE 2015",
            complexity: "P/2 + one linear assignment",
            accepts: "all",
            candidates: OnLists::Listed,
        }
    }

    fn check(&self) -> Result<()> {
        check_nonnegative("tolerance", self.tolerance)
    }

    fn memory(&self, problem: &Problem) -> u64 {
        let one = if problem.candidates().is_all() {
            matrices(problem, 5)
        } else {
            listed::memory(problem)
        };
        one.saturating_mul(starts_at_once(self.restarts))
    }

    /// `iterations`, `convergence` (the gap) and `soft` (the last X) are those of the best start.
    ///
    /// # Complexity
    /// One linear assignment an iteration, and W times an assignment: O(n³) for dense products, O(r
    /// n³) for a separable kernel, O(Σ deg²) for sparse products. Memory: four n₁×n₂ matrices, the
    /// product's scratch and the assignment's, for every start that runs at the same time; vectors of all
    /// candidates in the place of matrices where they are listed.
    fn solve_accepted(
        &self,
        problem: &Problem,
        start: &Start<'_>,
        monitor: &Monitor,
    ) -> Result<Solution> {
        if !problem.candidates().is_all() {
            return listed::solve(self, problem, start, monitor);
        }
        let unary = problem.full_unary(monitor)?.as_slice();
        best_of_starts(
            problem,
            start,
            monitor,
            "faq",
            self.restarts,
            self.max_iterations,
            |polytope, x, report| self.climb(problem, unary, polytope, x, (monitor, report)),
        )
    }
}

impl Faq {
    /// Frank–Wolfe from `x` on; `report` takes the gap of every iteration and may ask to stop.
    fn climb(
        &self,
        problem: &Problem,
        unary: &[f64],
        polytope: Polytope<'_>,
        x: Vec<f64>,
        (monitor, report): (&Monitor, &Report<'_>),
    ) -> Result<Solution> {
        let (n, m) = problem.shape();
        let mut best = BestVertex::default();
        let mut convergence = Vec::new();
        let mut walk = Walk::new(problem, unary, x, polytope);
        let status = if n * m == 0 {
            Status::Converged
        } else {
            let rule = StepRule::Higher;
            climb(&mut walk, rule, self.max_iterations, |walk, taken| {
                best.offer(walk.end_value(), walk.direction.vertex());
                let gap = taken.segment.derivative;
                convergence.push(gap);
                // A vertex that a stop cut short says nothing of convergence.
                let enough = self.tolerance * walk.end_square().sqrt();
                let is_still = taken.step * walk.length <= enough;
                report(gap).or(is_still.then_some(Status::Converged))
            })?
        };
        let soft = Matrix::from_vec(n, m, walk.into_x());
        let (assignment, objective) =
            best.or_rounded(problem, round_within(problem, &soft, monitor)?);
        Ok(Solution {
            assignment,
            objective,
            soft: Some(soft.into()),
            iterations: convergence.len(),
            status,
            convergence,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_support;
    use super::*;
    use crate::assignment::{self, Assignment};
    use crate::problem::{ExplicitPairwise, ProductPairwise, Sense, Weights};

    fn values(n: usize, seed: u64) -> Matrix {
        let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        Matrix::from_fn(n, n, |_, _| {
            state = state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(99);
            (state >> 40) as f64 / (1u64 << 24) as f64
        })
    }

    fn problem(n: usize, m: usize, sense: Sense, seed: u64) -> Problem {
        let linear = Matrix::from_fn(n, m, |i, a| ((i * 5 + a * 3) % 4) as f64);
        let (a, b) = (values(n, seed), values(m, seed + 100));
        ProductPairwise::problem(sense, Weights::Dense(a), Weights::Dense(b), Some(&linear))
            .unwrap()
    }

    /// f of a soft matrix, unary terms linear.
    fn relaxed(problem: &Problem, x: &[f64]) -> f64 {
        let mut image = vec![0.0; x.len()];
        let mut scratch = vec![0.0; problem.pairwise().scratch_len()];
        problem.pairwise().apply(x, &mut image, &mut scratch);
        let unary = problem.unary().as_full().unwrap();
        let terms = x.iter().zip(&image).zip(unary.as_slice());
        terms.map(|((x, image), u)| x * (image + u)).sum()
    }

    /// The largest first-order gain from x, by a linear assignment on a fresh gradient.
    fn gap(problem: &Problem, x: &Matrix) -> f64 {
        let (n, m) = problem.shape();
        let mut gradient = Matrix::zeros(n, m);
        let mut scratch = vec![0.0; problem.pairwise().scratch_len()];
        problem
            .pairwise()
            .apply(x.as_slice(), gradient.as_mut_slice(), &mut scratch);
        let unary = problem.unary().as_full().unwrap();
        for (g, u) in gradient.as_mut_slice().iter_mut().zip(unary.as_slice()) {
            *g = problem.sense().sign() * (u + 2.0 * *g);
        }
        let now: f64 = (gradient.as_slice().iter().zip(x.as_slice()))
            .map(|(g, x)| g * x)
            .sum();
        assignment::maximise(&gradient).unwrap().value - now
    }

    fn soft_after(problem: &Problem, iterations: usize) -> Solution {
        let solver = Faq {
            max_iterations: iterations,
            tolerance: 0.0,
            ..Faq::default()
        };
        solver
            .solve(problem, &Start::default(), &Monitor::silent())
            .unwrap()
    }

    #[test]
    fn every_iteration_climbs_as_the_line_search_says() {
        for sense in [Sense::Maximise, Sense::Minimise] {
            for (n, m, seed) in [(8, 8, 1), (5, 9, 2), (9, 5, 3)] {
                let problem = problem(n, m, sense, seed);
                let mut before = soft_after(&problem, 0).soft_matrix().unwrap().clone();
                for iterations in 1..12 {
                    let solution = soft_after(&problem, iterations);
                    let x = solution.soft_matrix().unwrap().clone();
                    let (old, new) = (
                        relaxed(&problem, before.as_slice()),
                        relaxed(&problem, x.as_slice()),
                    );
                    let gain = sense.sign() * (new - old);
                    assert!(gain > -1e-9, "{sense:?} {n}×{m} {iterations}: {gain}");
                    if solution.iterations == iterations {
                        // The gap that was reported is the gap of the point before.
                        let want = gap(&problem, &before).max(0.0);
                        let got = solution.convergence[iterations - 1];
                        assert!((got - want).abs() < 1e-8, "{got} {want}");
                        // No other point on the line is better.
                        for k in 0..=10 {
                            let share = f64::from(k) / 10.0;
                            let between: Vec<f64> = (x.as_slice().iter().zip(before.as_slice()))
                                .map(|(x, b)| share * x + (1.0 - share) * b)
                                .collect();
                            let value = sense.sign() * relaxed(&problem, &between);
                            assert!(value <= sense.sign() * new + 1e-9);
                        }
                    }
                    before = x;
                }
            }
        }
    }

    #[test]
    fn it_ends_where_no_direction_climbs() {
        let mut converged = 0;
        for seed in 0..10 {
            let problem = problem(9, 9, Sense::Minimise, seed);
            let solution = soft_after(&problem, 2000);
            let left = gap(&problem, solution.soft_matrix().unwrap());
            if solution.status == Status::Converged {
                converged += 1;
                assert!(left < 1e-6, "{left}");
            } else {
                // Towards a point inside the hull Frank–Wolfe converges as 1/iterations.
                assert_eq!(solution.iterations, 2000);
                assert!(left < 0.01 * solution.convergence[0], "{left}");
            }
        }
        assert!(converged > 0);
    }

    #[test]
    fn all_starts_lie_in_the_hull() {
        for (n, m) in [(4, 4), (3, 6), (6, 3)] {
            let problem = problem(n, m, Sense::Maximise, 1);
            let unbalanced = Matrix::from_fn(n, m, |i, a| if i == a { 5.0 } else { 0.0 }).into();
            let partial: Assignment = (0..n).map(|i| (i == 1).then_some(2)).collect();
            for start in [
                Start::default(),
                Start::default().with_soft(&unbalanced),
                Start::default().with_assignment(&partial),
            ] {
                let solver = Faq {
                    max_iterations: 0,
                    ..Faq::default()
                };
                let solution = solver.solve(&problem, &start, &Monitor::silent()).unwrap();
                let soft = solution.soft_matrix().unwrap();
                let total: f64 = soft.as_slice().iter().sum();
                assert!((total - n.min(m) as f64).abs() < 1e-2, "{total}");
                for i in 0..n {
                    assert!(soft.row(i).iter().sum::<f64>() < 1.0 + 1e-2);
                }
                for a in 0..m {
                    assert!((0..n).map(|i| soft[(i, a)]).sum::<f64>() < 1.0 + 1e-2);
                }
                if start.soft.is_some() {
                    assert!(soft[(0, 0)] > 0.9);
                }
                if start.assignment.is_some() {
                    assert_eq!(solution.assignment.partner(1), Some(2));
                }
            }
        }
    }

    #[test]
    fn a_balanced_soft_start_is_taken_as_it_is() {
        let problem = problem(3, 3, Sense::Maximise, 4);
        let soft = [0.5, 0.5, 0.0, 0.5, 0.0, 0.5, 0.0, 0.5, 0.5];
        let soft = Matrix::from_vec(3, 3, soft.to_vec()).into();
        let start = Start::default().with_soft(&soft);
        let solver = Faq {
            max_iterations: 0,
            ..Faq::default()
        };
        let solution = solver.solve(&problem, &start, &Monitor::silent()).unwrap();
        assert_eq!(solution.soft.unwrap(), soft);
    }

    #[test]
    fn a_vertex_on_the_way_counts() {
        // Rounding the barycentre gives the identity; the best vertex met is never worse.
        for seed in 0..20 {
            let matrix = values(16, seed);
            let matrix = Matrix::from_fn(16, 16, |p, q| matrix[(p.min(q), p.max(q))]);
            let pairwise = ExplicitPairwise::new(4, 4, matrix).unwrap();
            let problem = Problem::maximise(Matrix::zeros(4, 4), Box::new(pairwise)).unwrap();
            let one = soft_after(&problem, 1);
            let rounded = crate::solver::round(&problem, one.soft_matrix().unwrap()).unwrap();
            assert!(one.objective >= problem.objective(&rounded));
            assert_eq!(one.objective, problem.objective(&one.assignment));
        }
    }

    #[test]
    fn bad_parameters_are_refused() {
        test_support::refuses::<Faq>(&[
            ("tolerance", |s| s.tolerance = -1.0),
            ("tolerance", |s| s.tolerance = f64::NAN),
            ("tolerance", |s| s.tolerance = f64::INFINITY),
        ]);
    }
}
