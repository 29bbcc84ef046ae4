//! Spectral matching (Leordeanu, Hebert, *A spectral technique for correspondence problems using
//! pairwise constraints*, ICCV 2005).
//!
//! Without the one-to-one constraints, xᵀWx over ‖x‖ = 1 is largest at W's principal eigenvector,
//! which for affinities W ≥ 0 is nonnegative (Perron, Frobenius); x_ia says how strongly the
//! assignment ia belongs to the main cluster. It comes from power iteration on W + c λ I,
//!
//! > x ← (W x + c λ x) / ‖·‖,   λ = ‖W x‖,
//!
//! whose small shift keeps −λ₁ of a bipartite W from tying with λ₁ and moves no eigenvector. The
//! iteration ends when ‖W x − (xᵀWx) x‖ ≤ tolerance · ‖W x‖. Then the one-to-one constraints return:
//! by a linear assignment on x, or by the paper's greedy rule, which takes the largest entry left and
//! strikes out its row and column.

use serde::{Deserialize, Serialize};

use super::relaxation::{
    Iterations, add, check_nonnegative, dot, initial, norm, scale, soft_assignment,
};
use super::rounding::drop_harmful;
use super::{Info, Kind, OnLists, Solution, Solver, Start, matrices, round_within};
use crate::assignment::{Assignment, greedy};
use crate::error::Result;
use crate::linalg::Matrix;
use crate::monitor::Monitor;
use crate::problem::{Affinities, Coverage, Problem};

/// How the eigenvector becomes an assignment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Discretisation {
    /// The assignment with the largest total; far more accurate on noisy graphs.
    #[default]
    Linear,
    /// The largest entry that is left, again and again, as in the paper.
    Greedy,
}

/// Spectral matching's parameters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Sm {
    /// From eigenvector to assignment. Default [`Discretisation::Linear`].
    pub discretisation: Discretisation,
    /// c, the shift as a share of λ. Default 0.1.
    pub shift: f64,
    /// Iterations at most. Default 500.
    pub max_iterations: usize,
    /// The relative residual ‖Wx − λx‖/‖Wx‖ at which x is an eigenvector. Default 1e-8.
    pub tolerance: f64,
}

impl Default for Sm {
    fn default() -> Self {
        Self {
            discretisation: Discretisation::Linear,
            shift: 0.1,
            max_iterations: 500,
            tolerance: 1e-8,
        }
    }
}

impl Solver for Sm {
    fn info(&self) -> Info {
        Info {
            name: "sm",
            kind: Kind::Relaxation,
            reference: "Leordeanu, Hebert, ICCV 2005",
            complexity: "P + O(n²)",
            accepts: "all; costs and negative values are shifted to affinities",
            candidates: OnLists::Filled,
        }
    }

    fn check(&self) -> Result<()> {
        check_nonnegative("shift", self.shift)?;
        check_nonnegative("tolerance", self.tolerance)
    }

    fn memory(&self, problem: &Problem) -> u64 {
        matrices(problem, 5)
    }

    /// A start is mixed half and half with the uniform one, so that no eigenvector is out of reach.
    ///
    /// # Complexity
    /// One product with W an iteration; the number of iterations grows with 1/log(λ₁/λ₂). One linear
    /// assignment, or one sort, at the end. Memory: three n₁×n₂ matrices and the product's scratch.
    fn solve_accepted(
        &self,
        problem: &Problem,
        start: &Start<'_>,
        monitor: &Monitor,
    ) -> Result<Solution> {
        let (rows, cols) = problem.shape();
        let affinities = Affinities::of(problem);
        let mut iterations = Iterations::new("sm", self.max_iterations, problem, monitor);
        let mut x = initial(problem, start);
        let total: f64 = x.iter().sum();
        if total > 0.0 {
            scale(&mut x, 1.0 / total);
        }
        add(&mut x, &affinities.uniform());
        let length = norm(&x);
        if length > 0.0 {
            scale(&mut x, 1.0 / length);
        }
        let mut image = vec![0.0; x.len()];
        let mut residual = image.clone();
        let mut scratch = vec![0.0; affinities.scratch_len()];
        while iterations.go_on() {
            affinities.apply(&x, &mut image, &mut scratch);
            let length = norm(&image);
            if length <= 0.0 {
                // W is zero: every vector is an eigenvector.
                iterations.record(0.0, true);
                continue;
            }
            let value = dot(&x, &image);
            for ((r, y), x) in residual.iter_mut().zip(&image).zip(&x) {
                *r = y - value * x;
            }
            let error = norm(&residual) / length;
            let converged = error <= self.tolerance;
            if !converged {
                let shift = self.shift * length;
                for (x, y) in x.iter_mut().zip(&image) {
                    *x = y + shift * *x;
                }
                let length = norm(&x);
                scale(&mut x, 1.0 / length);
            }
            iterations.record(error, converged);
        }
        let score = Matrix::from_vec(rows, cols, x);
        let assignment = match self.discretisation {
            Discretisation::Linear => round_within(problem, &score, monitor)?,
            Discretisation::Greedy => round_greedily(problem, &score)?,
        };
        let soft = soft_assignment(score.into_vec(), rows, cols);
        Ok(iterations.solution(problem, assignment, soft))
    }
}

/// The largest entry of a candidate that is left, again and again.
fn round_greedily(problem: &Problem, score: &Matrix) -> Result<Assignment> {
    let candidates = problem.candidates();
    let mut assignment = if candidates.is_all() {
        greedy::maximise(score, None)?.columns
    } else {
        let mut allowed = Matrix::filled(score.rows(), score.cols(), -1.0);
        for i in 0..score.rows() {
            for a in candidates.of_row(i) {
                allowed[(i, a)] = score[(i, a)].max(0.0);
            }
        }
        greedy::maximise(&allowed, Some(0.0))?.columns
    };
    if problem.coverage() == Coverage::Partial {
        drop_harmful(problem, &mut assignment);
    }
    Ok(assignment)
}

#[cfg(test)]
mod tests {
    use super::super::test_support::{self, kernel_problem, values};
    use super::*;
    use crate::linalg::symmetric_eigen;

    #[test]
    fn it_behaves_as_every_relaxation() {
        test_support::behaves(&Sm::default());
        test_support::behaves(&Sm {
            discretisation: Discretisation::Greedy,
            ..Sm::default()
        });
    }

    #[test]
    fn the_soft_matrix_is_the_principal_eigenvector() {
        for (n, m) in [(4, 4), (3, 5), (5, 2)] {
            let problem = kernel_problem(values(n, 1), values(m, 2), false);
            let solution = Sm::default()
                .solve(&problem, &Start::default(), &Monitor::silent())
                .unwrap();
            assert!(*solution.convergence.last().unwrap() <= 1e-8);
            let full = Matrix::from_fn(n * m, n * m, |p, q| {
                if p == q {
                    problem.unary()[(p / m, p % m)]
                } else {
                    problem.pairwise().value(p / m, p % m, q / m, q % m)
                }
            });
            let eigen = symmetric_eigen(&full).unwrap();
            let top = n * m - 1;
            let soft = solution.soft_matrix().unwrap();
            let length = norm(soft.as_slice());
            let sign = (0..n * m)
                .map(|p| eigen.vectors[(p, top)])
                .sum::<f64>()
                .signum();
            for p in 0..n * m {
                let want = sign * eigen.vectors[(p, top)];
                assert!((soft.as_slice()[p] / length - want).abs() < 1e-6);
            }
        }
    }

    #[test]
    fn a_start_does_not_change_the_eigenvector() {
        let problem = kernel_problem(values(6, 1), values(6, 2), true);
        let solve = |start: &Start<'_>| {
            Sm::default()
                .solve(&problem, start, &Monitor::silent())
                .unwrap()
        };
        let plain = solve(&Start::default());
        let assignment: Assignment = (0..6).rev().map(Some).collect();
        let warm = solve(&Start::default().with_assignment(&assignment));
        let again = solve(&Start {
            soft: plain.soft.as_ref(),
            ..Start::default()
        });
        assert_eq!(plain.assignment, warm.assignment);
        assert!(again.iterations <= plain.iterations);
        let (p, w) = (plain.soft_matrix().unwrap(), warm.soft_matrix().unwrap());
        for (p, w) in p.as_slice().iter().zip(w.as_slice()) {
            assert!((p - w).abs() < 1e-6);
        }
    }

    #[test]
    fn bad_parameters_are_refused() {
        test_support::refuses::<Sm>(&[
            ("shift", |s| s.shift = -1.0),
            ("tolerance", |s| s.tolerance = f64::NAN),
        ]);
    }
}
