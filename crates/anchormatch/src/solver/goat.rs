//! GOAT, graph matching by optimal transport (Saad-Eldin, Pedigo, Priebe, Vogelstein 2021).
//!
//! FAQ's ascent on f(X) = ⟨u, X⟩ + ⟨X, W X⟩ with another direction. Where FAQ goes towards one
//! assignment P that is best for the gradient G, and must choose between many that are as good, GOAT
//! goes towards their average, the entropic transport plan
//!
//! > Q = Sinkhorn( exp(λ G / max|G|) ),   λ = 100,
//!
//! by exact line search. Ties and near-ties, the rule in unweighted graphs, are thus left open until
//! the gradient decides them. A few sweeps leave Q's sums not quite 1; what is missing is spread over
//! it, so that X never leaves the hull. Q is no assignment, so W Q takes a whole product. The exponent is taken
//! less its maximum, and λ is bounded, so that neither the exponential nor the scalings overflow.
//!
//! Where not all assignments are allowed, those that are not get next to nothing before the balancing
//! and nothing after it; where nodes may stay alone, so do pairs whose gradient is negative.

use serde::{Deserialize, Serialize};

use super::balancer::{Balancer, LEAST_EXPONENT, set_ruled_out};
use super::frank_wolfe::{
    Direction, End, Report, StepRule, Walk, best_of_starts, climb, starts_at_once,
};
use super::relaxation::{cap_sums, check_nonnegative, check_positive};
use super::{Info, Kind, OnLists, Solution, Solver, Start, Status, matrices, round_within, ties};
use crate::assignment::Assignment;
use crate::error::{Error, Result};
use crate::linalg::Matrix;
use crate::monitor::Monitor;
use crate::problem::{Coverage, Problem};

/// What an assignment that is ruled out weighs before balancing, relative to the least of the others.
const RULED_OUT: f64 = 1e-30;

/// The ascent's parameters; the defaults are the authors' constants.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Goat {
    /// Random starts beside the first one; the best of all ends is returned. Default 0.
    pub restarts: usize,
    /// Iterations of a start at most. Default 30.
    pub max_iterations: usize,
    /// A start has converged when ‖X' − X‖ ≤ tolerance · √k, k = min(n₁, n₂). Default 0.01.
    pub tolerance: f64,
    /// λ, how sharply the transport plan follows the gradient; at most 150. Default 100.
    pub sharpness: f64,
    /// Whether λ is taken against max|G − means of rows and columns|, which alone Q depends on,
    /// instead of max|G|. Default false, as published. For complete weighted graphs use
    /// [`Goat::centred`].
    pub centred: bool,
    /// Row and column sums of the transport plan are within this of 1. Default 0.05.
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
            centred: false,
            sinkhorn_tolerance: 0.05,
            sinkhorn_sweeps: 1000,
        }
    }
}

impl Goat {
    /// Parameters for complete weighted graphs: λ = 20 against the centred gradient.
    ///
    /// There the gradient's differences are small against its size, the more so the larger the graph,
    /// and the published scaling leaves Q uniform beyond some 150 nodes.
    #[must_use]
    pub fn centred() -> Self {
        Self {
            sharpness: 20.0,
            centred: true,
            ..Self::default()
        }
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
            candidates: OnLists::Filled,
        }
    }

    fn check(&self) -> Result<()> {
        check_nonnegative("tolerance", self.tolerance)?;
        check_nonnegative("sinkhorn_tolerance", self.sinkhorn_tolerance)?;
        // The exponents span 2λ, and their products with both scalings must stay finite.
        if !(self.sharpness > 0.0 && self.sharpness <= 150.0) {
            return Err(Error::parameter(
                "sharpness",
                self.sharpness,
                "a number above 0, at most 150",
            ));
        }
        check_positive("sinkhorn_sweeps", self.sinkhorn_sweeps)
    }

    fn memory(&self, problem: &Problem) -> u64 {
        matrices(problem, 7).saturating_mul(starts_at_once(self.restarts))
    }

    /// `iterations`, `convergence` (‖X' − X‖/√k) and `soft` (the last X) are those of the best start.
    ///
    /// # Complexity
    /// One product with W and some Sinkhorn sweeps an iteration, one linear assignment at the end.
    /// Memory: five n₁×n₂ matrices and the product's scratch for every start that runs at the same
    /// time.
    fn solve_accepted(
        &self,
        problem: &Problem,
        start: &Start<'_>,
        monitor: &Monitor,
    ) -> Result<Solution> {
        let unary = problem.full_unary(monitor)?.as_slice();
        let answer = best_of_starts(
            problem,
            start,
            monitor,
            "goat",
            self.restarts,
            self.max_iterations,
            |_, x, report| self.climb(problem, unary, x, (monitor, report)),
        )?;
        ties::broken(problem, answer, monitor)
    }
}

impl Goat {
    fn climb(
        &self,
        problem: &Problem,
        unary: &[f64],
        x: Vec<f64>,
        (monitor, report): (&Monitor, &Report<'_>),
    ) -> Result<Solution> {
        let (n, m) = problem.shape();
        let mut convergence = Vec::new();
        let mut walk = Walk::new(problem, unary, x, Plans::new(self, problem, monitor));
        let status = if n * m == 0 {
            Status::Converged
        } else {
            let rule = StepRule::Higher;
            climb(&mut walk, rule, self.max_iterations, |walk, taken| {
                let moved = taken.step * walk.length / (n.min(m) as f64).sqrt();
                convergence.push(moved);
                let interrupt = report(moved);
                if moved <= self.tolerance {
                    Some(Status::Converged)
                } else {
                    interrupt
                }
            })?
        };
        let mut soft = Matrix::from_vec(n, m, walk.into_x());
        let assignment = round_within(problem, &soft, monitor)?;
        cap_sums(&mut soft, &Assignment::empty(n));
        Ok(Solution {
            objective: problem.objective(&assignment),
            assignment,
            soft: Some(soft.into()),
            iterations: convergence.len(),
            status,
            convergence,
        })
    }

    /// Q, the soft assignment that follows the scores.
    fn transport(
        &self,
        (problem, monitor): (&Problem, &Monitor),
        score: &[f64],
        plan: &mut [f64],
        balancer: &mut Balancer,
    ) {
        let (n, m) = problem.shape();
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for &value in score {
            (low, high) = (low.min(value), high.max(value));
        }
        let size = if self.centred {
            balancer.centre(score, n, m)
        } else {
            high.abs().max(low.abs())
        };
        let factor = if size > 0.0 {
            self.sharpness / size
        } else {
            0.0
        };
        if self.centred && balancer.is_new {
            balancer.begin_at_means(factor);
        }
        balancer.fill(score, factor, high, plan, n, m);
        let least = (factor * (low - high)).max(LEAST_EXPONENT);
        set_ruled_out(problem, plan, least.exp() * RULED_OUT);
        let limits = (self.sinkhorn_tolerance, self.sinkhorn_sweeps);
        let go_on = || monitor.interrupted().is_none();
        balancer.sinkhorn.balance_while(plan, (n, m), limits, go_on);
        balancer.remember();
        if balancer.square {
            balancer.mend(plan, n);
        }
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

/// Transport plans as the direction of Frank–Wolfe.
struct Plans<'p> {
    goat: &'p Goat,
    problem: &'p Problem,
    monitor: &'p Monitor,
    balancer: Balancer,
    plan: Vec<f64>,
}

impl<'p> Plans<'p> {
    fn new(goat: &'p Goat, problem: &'p Problem, monitor: &'p Monitor) -> Self {
        let (n, m) = problem.shape();
        Self {
            goat,
            problem,
            monitor,
            balancer: Balancer::new(n, m),
            plan: vec![0.0; n * m],
        }
    }
}

impl Direction for Plans<'_> {
    const IS_BEST: bool = false;

    fn find(&mut self, gradient: &[f64]) -> Result<()> {
        let Self {
            goat,
            problem,
            monitor,
            balancer,
            plan,
        } = self;
        goat.transport((problem, monitor), gradient, plan, balancer);
        Ok(())
    }

    fn end(&self) -> End<'_> {
        End::Plan(&self.plan)
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_support;
    use super::*;
    use crate::assignment::textbook_sinkhorn;
    use crate::linalg::dot;
    use crate::problem::{Candidates, ExplicitPairwise};

    fn problem(n: usize, m: usize) -> Problem {
        let matrix = Matrix::from_fn(n * m, n * m, |p, q| ((p * q + p + q) % 11) as f64);
        let unary = Matrix::from_fn(n, m, |i, a| ((3 * i + 5 * a) % 7) as f64);
        let pairwise = ExplicitPairwise::new(n, m, matrix).unwrap();
        Problem::maximise(unary, Box::new(pairwise)).unwrap()
    }

    #[test]
    fn soft_rows_and_columns_sum_to_at_most_one() {
        let solver = Goat {
            sinkhorn_sweeps: 1,
            ..Goat::default()
        };
        let start = Start::seeded(1);
        let solution = solver
            .solve(&problem(5, 5), &start, &Monitor::silent())
            .unwrap();
        let soft = solution.soft_matrix().unwrap();
        for i in 0..5 {
            assert!(soft.row(i).iter().sum::<f64>() <= 1.0 + 1e-12);
        }
    }

    /// The textbook balancing of exp(λ G / max|G|), slack rows or columns of ones added.
    fn reference(score: &[f64], n: usize, m: usize, sharpness: f64) -> Vec<f64> {
        let size = score.iter().fold(0.0f64, |s, v| s.max(v.abs()));
        let sharpened = score.iter().map(|v| (sharpness * v / size).exp());
        textbook_sinkhorn(&sharpened.collect::<Vec<_>>(), n, m, 20_000)
    }

    #[test]
    fn plans_are_the_balanced_exponentials_again_and_again() {
        for (n, m) in [(5, 5), (3, 6), (6, 3)] {
            let problem = problem(n, m);
            let solver = Goat {
                sharpness: 8.0,
                sinkhorn_tolerance: 1e-12,
                sinkhorn_sweeps: 20_000,
                ..Goat::default()
            };
            let silent = Monitor::silent();
            let mut balancer = Balancer::new(n, m);
            let mut plan = vec![0.0; n * m];
            for round in 0..3 {
                // The second and third plan begin at the potentials of the one before.
                let score: Vec<f64> = (0..n * m)
                    .map(|p| ((p * 7 + 3 * round) % 13) as f64 - 4.0)
                    .collect();
                solver.transport((&problem, &silent), &score, &mut plan, &mut balancer);
                let want = reference(&score, n, m, 8.0);
                for (got, want) in plan.iter().zip(want) {
                    assert!((got - want).abs() < 1e-9, "{n}×{m}: {got} {want}");
                }
            }
        }
    }

    #[test]
    fn the_sharpest_plans_of_the_widest_scores_stay_finite() {
        for (n, m) in [(6, 6), (4, 9), (9, 4)] {
            let problem = problem(n, m);
            let solver = Goat {
                sharpness: 150.0,
                ..Goat::default()
            };
            let silent = Monitor::silent();
            let mut balancer = Balancer::new(n, m);
            let mut plan = vec![0.0; n * m];
            for round in 0..6 {
                let score: Vec<f64> = (0..n * m)
                    .map(|p| if (p + round) % 5 == 0 { 1e200 } else { -1e200 })
                    .collect();
                solver.transport((&problem, &silent), &score, &mut plan, &mut balancer);
                assert!(plan.iter().all(|v| v.is_finite() && *v >= 0.0 && *v < 1.1));
            }
        }
    }

    #[test]
    fn centring_takes_offsets_out_and_mending_makes_sums_one() {
        let (n, problem) = (6, problem(6, 6));
        let solver = Goat {
            sharpness: 8.0,
            sinkhorn_tolerance: 1e-12,
            sinkhorn_sweeps: 20_000,
            ..Goat::centred()
        };
        let plain: Vec<f64> = (0..n * n).map(|p| ((p * p * 7) % 13) as f64).collect();
        let offset: Vec<f64> = (0..n * n)
            .map(|p| plain[p] + 1e4 * (p / n) as f64 - 3e4 * (p % n) as f64)
            .collect();
        let plan = |solver: &Goat, score: &[f64]| {
            let mut plan = vec![0.0; n * n];
            let silent = Monitor::silent();
            solver.transport(
                (&problem, &silent),
                score,
                &mut plan,
                &mut Balancer::new(n, n),
            );
            plan
        };
        for (got, want) in plan(&solver, &offset).iter().zip(plan(&solver, &plain)) {
            assert!((got - want).abs() < 1e-6, "{got} {want}");
        }
        let rough = plan(
            &Goat {
                sharpness: 40.0,
                sinkhorn_sweeps: 2,
                ..solver
            },
            &plain,
        );
        for i in 0..n {
            let row: f64 = rough[i * n..(i + 1) * n].iter().sum();
            let column: f64 = (0..n).map(|k| rough[k * n + i]).sum();
            assert!((row - 1.0).abs() < 1e-9 && (column - 1.0).abs() < 1e-9);
        }
    }

    #[test]
    fn nothing_goes_to_what_is_ruled_out() {
        let pairs = (0..25).filter(|p| p % 6 < 4).map(|p| (p / 5, p % 5));
        let candidates = Candidates::listed(5, 5, pairs).unwrap();
        let problem = problem(5, 5).with_candidates(candidates).unwrap();
        let solution = Goat::default()
            .solve(&problem, &Start::default(), &Monitor::silent())
            .unwrap();
        let soft = solution.soft_matrix().unwrap();
        for i in 0..5 {
            for a in 0..5 {
                assert!(problem.candidates().allows(i, a) || soft[(i, a)] < 1e-12);
            }
        }
        assert!(problem.is_feasible(&solution.assignment));
    }

    #[test]
    fn the_objective_grows_with_every_iteration() {
        let problem = problem(7, 7);
        let value = |iterations: usize| {
            let solver = Goat {
                max_iterations: iterations,
                tolerance: 0.0,
                ..Goat::default()
            };
            let solution = solver
                .solve(&problem, &Start::default(), &Monitor::silent())
                .unwrap();
            let soft = solution.soft_matrix().unwrap();
            let unary = problem.unary().as_full().unwrap();
            let mut image = vec![0.0; 49];
            problem
                .pairwise()
                .apply(soft.as_slice(), &mut image, &mut []);
            dot(soft.as_slice(), &image) + dot(soft.as_slice(), unary.as_slice())
        };
        let values: Vec<f64> = (0..8).map(value).collect();
        assert!(values.windows(2).all(|w| w[1] >= w[0] - 1e-9), "{values:?}");
        assert!(values[7] > values[0] + 1.0);
    }

    #[test]
    fn bad_parameters_are_refused() {
        test_support::refuses::<Goat>(&[
            ("tolerance", |s| s.tolerance = f64::NAN),
            ("sharpness", |s| s.sharpness = 0.0),
            ("sharpness", |s| s.sharpness = 151.0),
            ("sinkhorn_tolerance", |s| s.sinkhorn_tolerance = -1.0),
            ("sinkhorn_sweeps", |s| s.sinkhorn_sweeps = 0),
        ]);
    }
}
