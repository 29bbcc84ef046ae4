//! Graduated assignment (Gold, Rangarajan, *A graduated assignment algorithm for graph matching*,
//! IEEE TPAMI 18, 1996).
//!
//! Deterministic annealing: the soft assignment M follows its own gradient through a softmax that
//! sharpens as β rises,
//!
//! > Q = u + 2 W M,   M ← balance( exp(β Q / max|Q − mean|) ),   β ← 1.075 β,
//!
//! where W is the pairwise part times the sense's sign; the energy of the paper has its linear part
//! apart from the quadratic one, as here. The balancing is the paper's: rows and columns in turn,
//! with a slack entry of gain 0 in each when nodes may stay alone. When the smaller side is to be
//! matched fully, only the larger one has slack. At each β at most `inner_iterations` steps are made.
//! At the end a linear assignment replaces the paper's row maxima.
//!
//! The paper's β from 0.5 to 10 is meant for its own scale of Q. Here Q is divided by its largest
//! deviation from the mean, so that the schedule does not depend on the scale or the number of
//! nodes; the last β is accordingly larger.
//!
//! It is made for affinities. On costs it can end near chance: 37 882 on QAPLIB's chr12a, whose optimum is 9 552 and where
//! [`MeanField`](super::MeanField), the same idea with another schedule, finds 12 466. The self-amplification that its authors
//! add for such problems elsewhere is not built.

use serde::{Deserialize, Serialize};

use super::relaxation::{Iterations, check_nonnegative, check_positive, initial};
use super::{Info, Kind, OnLists, Solution, Solver, Start, round_within, ties};
use crate::assignment::Sinkhorn;
use crate::error::{Error, Result};
use crate::linalg::Matrix;
use crate::monitor::Monitor;
use crate::problem::{Affinities, Coverage, Problem};

/// The annealing's parameters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Gagm {
    /// The first β. Default 0.5.
    pub first_beta: f64,
    /// The last β, at most 300. Default 100.
    pub last_beta: f64,
    /// The factor from one β to the next. Default 1.075.
    pub growth: f64,
    /// Steps at one β at most. Default 4.
    pub inner_iterations: usize,
    /// The next β comes when Σ|M − M'| over the larger side is at most this. Default 0.01.
    pub tolerance: f64,
    /// Row and column sums are within this of 1. Default 1e-3.
    pub sinkhorn_tolerance: f64,
    /// Balancing sweeps a step at most. Default 50.
    pub sinkhorn_sweeps: usize,
}

impl Default for Gagm {
    fn default() -> Self {
        Self {
            first_beta: 0.5,
            last_beta: 100.0,
            growth: 1.075,
            inner_iterations: 4,
            tolerance: 0.01,
            sinkhorn_tolerance: 1e-3,
            sinkhorn_sweeps: 50,
        }
    }
}

impl Gagm {
    /// How many values β takes.
    fn temperatures(&self) -> usize {
        // The ratio of the two may be too large for a number, its logarithm is not.
        let ratio = (self.last_beta.ln() - self.first_beta.ln()) / self.growth.ln();
        ratio.max(0.0).ceil() as usize + 1
    }
}

impl Solver for Gagm {
    fn info(&self) -> Info {
        Info {
            name: "gagm",
            kind: Kind::Relaxation,
            reference: "Gold, Rangarajan, IEEE TPAMI 18, 1996",
            complexity: "P + O(n²) a balancing sweep",
            accepts: "all",
            candidates: OnLists::Filled,
        }
    }

    fn check(&self) -> Result<()> {
        // exp(±β) and its products with the scalings must stay finite.
        for (name, value) in [
            ("first_beta", self.first_beta),
            ("last_beta", self.last_beta),
        ] {
            if !(value > 0.0 && value <= 300.0) {
                return Err(Error::parameter(
                    name,
                    value,
                    "a number above 0, at most 300",
                ));
            }
        }
        if !(self.growth >= 1.0001 && self.growth.is_finite()) {
            return Err(Error::parameter(
                "growth",
                self.growth,
                "a number from 1.0001",
            ));
        }
        check_nonnegative("tolerance", self.tolerance)?;
        check_nonnegative("sinkhorn_tolerance", self.sinkhorn_tolerance)?;
        check_positive("inner_iterations", self.inner_iterations)?;
        check_positive("sinkhorn_sweeps", self.sinkhorn_sweeps)
    }

    /// # Complexity
    /// One product with W and a few balancing sweeps a step, at most `inner_iterations` steps for
    /// each of the log(last β/first β)/log(growth) ≈ 75 values of β. Memory: three n₁×n₂ matrices and
    /// the product's scratch.
    fn solve_accepted(
        &self,
        problem: &Problem,
        start: &Start<'_>,
        monitor: &Monitor,
    ) -> Result<Solution> {
        let (rows, cols) = problem.shape();
        let temperatures = self.temperatures();
        let limit = temperatures.saturating_mul(self.inner_iterations);
        let mut iterations = Iterations::new("gagm", limit, problem, monitor);
        let unary = problem.full_unary(monitor)?.as_slice();
        let mut annealing = Annealing::new(problem, unary, initial(problem, start));
        let (mut temperature, mut beta, mut inner) = (0, self.first_beta, 0);
        while iterations.go_on() {
            let change = annealing.step(self, beta, monitor);
            inner += 1;
            if change <= self.tolerance || inner == self.inner_iterations {
                temperature += 1;
                inner = 0;
                beta = (beta * self.growth).min(self.last_beta);
            }
            iterations.record(change, temperature == temperatures);
        }
        let soft = Matrix::from_vec(rows, cols, annealing.now);
        let assignment = round_within(problem, &soft, monitor)?;
        let answer = iterations.solution(problem, assignment, soft);
        ties::broken(problem, answer, monitor)
    }
}

/// M, and the memory of a step.
struct Annealing<'p> {
    problem: &'p Problem,
    unary: &'p [f64],
    affinities: Affinities<'p>,
    now: Vec<f64>,
    last: Vec<f64>,
    gradient: Vec<f64>,
    sinkhorn: Sinkhorn,
    row_scale: Vec<f64>,
    column_scale: Vec<f64>,
    column_sum: Vec<f64>,
    scratch: Vec<f64>,
}

impl<'p> Annealing<'p> {
    fn new(problem: &'p Problem, unary: &'p [f64], first: Vec<f64>) -> Self {
        let (rows, cols) = problem.shape();
        Self {
            problem,
            unary,
            affinities: Affinities::of(problem),
            last: vec![0.0; first.len()],
            gradient: vec![0.0; first.len()],
            now: first,
            sinkhorn: Sinkhorn::new(),
            row_scale: vec![1.0; rows],
            column_scale: vec![1.0; cols],
            column_sum: vec![0.0; cols],
            scratch: vec![0.0; problem.pairwise().scratch_len()],
        }
    }

    /// One step at β; returns Σ|M − M'| over the larger side.
    fn step(&mut self, parameters: &Gagm, beta: f64, monitor: &Monitor) -> f64 {
        let problem = self.problem;
        let (rows, cols) = problem.shape();
        let sign = problem.sense().sign();
        let pairwise = problem.pairwise();
        pairwise.apply(&self.now, &mut self.gradient, &mut self.scratch);
        std::mem::swap(&mut self.now, &mut self.last);
        for (slot, u) in self.gradient.iter_mut().zip(self.unary) {
            *slot = sign * (2.0 * *slot + u);
        }
        // A constant in Q changes nothing when the smaller side is full; with slack it counts.
        let partial = problem.coverage() == Coverage::Partial;
        let mean = if partial { 0.0 } else { self.candidate_mean() };
        let largest = self.largest_deviation(mean);
        let factor = if largest > 0.0 { beta / largest } else { 0.0 };
        for (slot, q) in self.now.iter_mut().zip(&self.gradient) {
            *slot = (factor * (q - mean)).clamp(-300.0, 300.0).exp();
        }
        let (tolerance, sweeps) = (parameters.sinkhorn_tolerance, parameters.sinkhorn_sweeps);
        if partial || !problem.candidates().is_all() {
            self.affinities.mask(&mut self.now);
            self.balance_with_slack(if partial { 1.0 } else { (-beta).exp() }, tolerance, sweeps);
        } else {
            let go_on = || monitor.interrupted().is_none();
            let limits = (tolerance, sweeps);
            self.sinkhorn
                .balance_while(&mut self.now, (rows, cols), limits, go_on);
        }
        let moved: f64 = self
            .now
            .iter()
            .zip(&self.last)
            .map(|(now, last)| (now - last).abs())
            .sum();
        moved / rows.max(cols) as f64
    }

    fn candidate_mean(&self) -> f64 {
        let ((rows, cols), candidates) = (self.problem.shape(), self.problem.candidates());
        let sum: f64 = (0..rows)
            .map(|i| {
                candidates
                    .of_row(i)
                    .map(|a| self.gradient[i * cols + a])
                    .sum::<f64>()
            })
            .sum();
        sum / candidates.count().max(1) as f64
    }

    fn largest_deviation(&self, mean: f64) -> f64 {
        let ((rows, cols), candidates) = (self.problem.shape(), self.problem.candidates());
        (0..rows)
            .flat_map(|i| candidates.of_row(i).map(move |a| i * cols + a))
            .fold(0.0, |most, k| most.max((self.gradient[k] - mean).abs()))
    }

    /// Balances `now` so that every row and column, with its slack entry, sums to 1.
    fn balance_with_slack(&mut self, slack: f64, tolerance: f64, sweeps: usize) {
        let cols = self.column_scale.len();
        self.column_scale.fill(1.0);
        self.row_scale.fill(1.0);
        for sweep in 0..sweeps {
            let mut error = 0.0f64;
            self.column_sum.fill(slack);
            for (row, scale) in self.now.chunks(cols).zip(&mut self.row_scale) {
                let reached = slack
                    + row
                        .iter()
                        .zip(&self.column_scale)
                        .map(|(k, v)| k * v)
                        .sum::<f64>();
                error = error.max((*scale * reached - 1.0).abs());
                *scale = 1.0 / reached;
                for (sum, k) in self.column_sum.iter_mut().zip(row) {
                    *sum += *scale * k;
                }
            }
            for (scale, sum) in self.column_scale.iter_mut().zip(&self.column_sum) {
                *scale = 1.0 / sum;
            }
            if sweep > 0 && error <= tolerance {
                break;
            }
        }
        for (row, u) in self.now.chunks_mut(cols).zip(&self.row_scale) {
            // A row may miss its sum by the tolerance; it must not pass 1.
            let sum: f64 = row
                .iter()
                .zip(&self.column_scale)
                .map(|(k, v)| k * v)
                .sum::<f64>()
                * u;
            let u = if sum > 1.0 { u / sum } else { *u };
            for (k, v) in row.iter_mut().zip(&self.column_scale) {
                *k *= u * v;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_support::{self, hidden, kernel_problem, listed, values};
    use super::*;
    use crate::solver::Status;

    #[test]
    fn it_behaves_as_every_relaxation() {
        test_support::behaves(&Gagm::default());
    }

    #[test]
    fn slack_balances_rows_and_columns() {
        let problem = listed();
        let unary = problem.full_unary(&Monitor::silent()).unwrap().as_slice();
        let mut annealing = Annealing::new(&problem, unary, vec![0.2; 20]);
        annealing.now = values(5, 3).into_vec()[..20].to_vec();
        let before = annealing.now.clone();
        annealing.balance_with_slack(0.7, 1e-13, 10_000);
        for i in 0..4 {
            let sum: f64 = annealing.now[5 * i..5 * i + 5].iter().sum();
            assert!((sum + 0.7 * annealing.row_scale[i] - 1.0).abs() < 1e-12);
            for a in 0..5 {
                let want = before[5 * i + a] * annealing.row_scale[i] * annealing.column_scale[a];
                assert!((annealing.now[5 * i + a] - want).abs() < 1e-15);
            }
        }
        for a in 0..5 {
            let sum: f64 = (0..4).map(|i| annealing.now[5 * i + a]).sum();
            assert!((sum + 0.7 * annealing.column_scale[a] - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn it_ends_near_an_assignment_that_is_a_fixed_point() {
        let (x, y, want) = hidden(11, 3);
        let problem = kernel_problem(x, y, true);
        let solution = test_support::solve(&Gagm::default(), &problem);
        assert_eq!(solution.status, Status::Converged);
        assert_eq!(solution.assignment, want);
        let soft = solution.soft_matrix().unwrap();
        for i in 0..11 {
            assert!(
                soft[(i, want.partner(i).unwrap())] > 0.95,
                "{:?}",
                soft.row(i)
            );
        }
        let unary = problem.full_unary(&Monitor::silent()).unwrap().as_slice();
        let mut annealing = Annealing::new(&problem, unary, soft.as_slice().to_vec());
        assert!(annealing.step(&Gagm::default(), 100.0, &Monitor::silent()) < 0.01);
    }

    #[test]
    fn the_scale_of_the_affinities_does_not_matter() {
        let raw = values(7, 2);
        let solve = |factor: f64| {
            let pairwise = crate::problem::ExplicitPairwise::from_values(
                &raw,
                &values(7, 4),
                |p, q| factor * (-(p - q) * (p - q) / 0.1).exp(),
                &Monitor::silent(),
            );
            let unary = Matrix::from_fn(7, 7, |i, a| factor * ((i * a) % 3) as f64);
            let problem = Problem::maximise(unary, Box::new(pairwise.unwrap())).unwrap();
            test_support::solve(&Gagm::default(), &problem)
        };
        let (one, many) = (solve(1.0), solve(1024.0));
        assert_eq!(one.assignment, many.assignment);
        assert_eq!(one.soft, many.soft);
    }

    #[test]
    fn a_start_is_followed_when_the_annealing_starts_cold() {
        let (x, y, want) = hidden(11, 3);
        let problem = kernel_problem(x, y, true);
        let cold = Gagm {
            first_beta: 80.0,
            ..Gagm::default()
        };
        let start = Start::default().with_assignment(&want);
        let solution = cold.solve(&problem, &start, &Monitor::silent()).unwrap();
        assert_eq!(solution.assignment, want);
    }

    #[test]
    fn bad_parameters_are_refused() {
        test_support::refuses::<Gagm>(&[
            ("first_beta", |s| s.first_beta = 0.0),
            ("last_beta", |s| s.last_beta = 301.0),
            ("growth", |s| s.growth = 1.0),
            ("tolerance", |s| s.tolerance = f64::NAN),
            ("sinkhorn_tolerance", |s| s.sinkhorn_tolerance = -1.0),
            ("inner_iterations", |s| s.inner_iterations = 0),
            ("sinkhorn_sweeps", |s| s.sinkhorn_sweeps = 0),
        ]);
    }
}
