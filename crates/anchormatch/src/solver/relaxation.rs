//! What relaxations share: where they start, how an iteration ends, and the solution at the end.

use super::{Solution, Start, Status};
use crate::assignment::Assignment;
use crate::error::{Error, Result};
pub(super) use crate::linalg::dot;
use crate::linalg::{Matrix, PairValues};
use crate::monitor::{Monitor, Progress};
use crate::problem::Problem;

/// The point where a relaxation starts, row and column sums at most 1, zero outside the candidates.
///
/// The soft matrix of the start when it has one, else its assignment, else 1/max(n₁, n₂) everywhere.
pub(super) fn initial(problem: &Problem, start: &Start<'_>) -> Vec<f64> {
    let (n, m) = problem.shape();
    let mut x = vec![0.0; n * m];
    let share = 1.0 / n.max(m).max(1) as f64;
    for i in 0..n {
        for a in problem.candidates().of_row(i) {
            x[i * m + a] = match (start.soft, start.assignment) {
                (Some(soft), _) => soft[(i, a)],
                (None, Some(assignment)) => f64::from(u8::from(assignment.partner(i) == Some(a))),
                (None, None) => share,
            };
        }
    }
    let largest = largest_sum(&x, n, m);
    if largest > 1.0 {
        scale(&mut x, 1.0 / largest);
    }
    x
}

/// The largest sum of a row or column.
pub(super) fn largest_sum(x: &[f64], rows: usize, cols: usize) -> f64 {
    let mut columns = vec![0.0; cols];
    let mut largest = 0.0f64;
    for row in x.chunks(cols.max(1)).take(rows) {
        largest = largest.max(row.iter().sum());
        add(&mut columns, row);
    }
    columns.into_iter().fold(largest, f64::max)
}

/// A score matrix as a soft assignment: negative entries cut off, the largest sum of a row or column 1.
pub(super) fn soft_assignment(mut x: Vec<f64>, rows: usize, cols: usize) -> Matrix {
    x.iter_mut().for_each(|value| *value = value.max(0.0));
    let largest = largest_sum(&x, rows, cols);
    if largest > 0.0 {
        scale(&mut x, 1.0 / largest);
    }
    Matrix::from_vec(rows, cols, x)
}

/// Refuses a parameter that is not finite and at least 0.
pub(super) fn check_nonnegative(name: &'static str, value: f64) -> Result<()> {
    if value >= 0.0 && value.is_finite() {
        Ok(())
    } else {
        Err(Error::parameter(name, value, "a finite number, at least 0"))
    }
}

/// Refuses a count of zero.
pub(super) fn check_positive(name: &'static str, value: usize) -> Result<()> {
    if value > 0 {
        Ok(())
    } else {
        Err(Error::parameter(name, value, "at least 1"))
    }
}

/// Counts iterations, keeps their residuals and asks the monitor.
pub(super) struct Iterations<'m> {
    stage: &'static str,
    limit: usize,
    monitor: &'m Monitor,
    status: Status,
    residuals: Vec<f64>,
}

impl<'m> Iterations<'m> {
    /// At most `limit` iterations of `stage`; none when the problem has no assignments.
    pub(super) fn new(
        stage: &'static str,
        limit: usize,
        problem: &Problem,
        monitor: &'m Monitor,
    ) -> Self {
        let status = if problem.candidates().count() == 0 {
            Status::Converged
        } else {
            Status::IterationLimit
        };
        Self {
            stage,
            limit,
            monitor,
            status,
            residuals: Vec::new(),
        }
    }

    /// Whether another iteration is due.
    pub(super) fn go_on(&self) -> bool {
        self.status == Status::IterationLimit && self.residuals.len() < self.limit
    }

    /// Ends an iteration.
    pub(super) fn record(&mut self, residual: f64, converged: bool) {
        self.residuals.push(residual);
        let interrupt = self.monitor.checkpoint(Progress {
            stage: self.stage,
            done: self.residuals.len(),
            total: Some(self.limit),
            value: Some(residual),
        });
        if converged {
            self.status = Status::Converged;
        } else if let Some(interrupt) = interrupt {
            self.status = interrupt.into();
        }
    }

    /// How the iterations ended, when they did before their limit.
    pub(super) fn verdict(&self) -> Option<Status> {
        (self.status != Status::IterationLimit).then_some(self.status)
    }

    /// Ends the iterations before the next one.
    pub(super) fn stop(&mut self, status: Status) {
        self.status = status;
    }

    /// Ends the iterations within one, because the monitor says so.
    pub(super) fn cut_short(&mut self) {
        if let Some(why) = self.monitor.interrupted() {
            self.status = why.into();
        }
    }

    /// Whether a limit ended them.
    pub(super) fn were_interrupted(&self) -> bool {
        self.status.was_interrupted()
    }

    /// The solution with this assignment; its objective is counted afresh.
    pub(super) fn solution(
        self,
        problem: &Problem,
        assignment: Assignment,
        mut soft: Matrix,
    ) -> Solution {
        let nothing = Assignment::empty(soft.rows());
        cap_sums(&mut soft, &nothing);
        self.listed_solution(problem, assignment, soft.into())
    }

    /// [`solution`](Self::solution) with soft values whose sums are within their bounds.
    pub(super) fn listed_solution(
        self,
        problem: &Problem,
        assignment: Assignment,
        soft: PairValues,
    ) -> Solution {
        Solution {
            objective: problem.objective(&assignment),
            assignment,
            soft: Some(soft),
            iterations: self.residuals.len(),
            status: self.status,
            convergence: self.residuals,
        }
    }
}

/// Least and greatest entry; (0, 0) of nothing.
pub(super) fn range(x: &[f64]) -> (f64, f64) {
    if x.is_empty() {
        return (0.0, 0.0);
    }
    x.iter()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &v| {
            (low.min(v), high.max(v))
        })
}

/// The Euclidean norm, also where squares leave the range of numbers.
pub(super) fn norm(x: &[f64]) -> f64 {
    let square = dot(x, x);
    if square.is_normal() {
        return square.sqrt();
    }
    let largest = x.iter().fold(0.0f64, |most, v| most.max(v.abs()));
    if largest > 0.0 && largest.is_finite() {
        let shares = x.iter().map(|v| v / largest);
        largest * shares.map(|v| v * v).sum::<f64>().sqrt()
    } else {
        largest
    }
}

/// x *= factor.
pub(super) fn scale(x: &mut [f64], factor: f64) {
    x.iter_mut().for_each(|value| *value *= factor);
}

/// x += y.
pub(super) fn add(x: &mut [f64], y: &[f64]) {
    for (slot, value) in x.iter_mut().zip(y) {
        *slot += value;
    }
}

/// Brings rows and columns that sum to more than 1 down to it: a balancing that ran out of sweeps, or
/// had candidates ruled out, leaves them a few hundredths above. What is too much is taken from the
/// pairs that are not in `kept`, whose values are at most 1 and stay; what is rounding stays too.
pub(super) fn cap_sums(soft: &mut Matrix, kept: &Assignment) {
    let (n, m) = (soft.rows(), soft.cols());
    for i in 0..n {
        cap_sum(soft, kept.partner(i), m, |a| (i, a));
    }
    let kept = kept.inverse(m);
    for a in 0..m {
        cap_sum(soft, kept.partner(a), n, |i| (i, a));
    }
}

/// One row or column of `cap_sums`: the entry at `kept` stays.
fn cap_sum(
    soft: &mut Matrix,
    kept: Option<usize>,
    len: usize,
    place: impl Fn(usize) -> (usize, usize),
) {
    const MOST: f64 = 1.0 + 1e-9;
    let chosen = kept.map_or(0.0, |k| soft[place(k)]);
    let others = || (0..len).filter(|&k| Some(k) != kept).map(&place);
    let sum = others().map(|at| soft[at]).sum::<f64>();
    if sum > 0.0 && chosen + sum > MOST {
        let room = (1.0 - chosen).max(0.0);
        others().for_each(|at| soft[at] = soft[at] / sum * room);
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_support::three_by_three as problem;
    use super::*;
    use crate::problem::Coverage;

    #[test]
    fn soft_rows_and_columns_sum_to_at_most_one() {
        let mut rough = Matrix::from_vec(2, 3, vec![0.9, 0.2, 0.0, 0.3, 0.3, 0.3]);
        cap_sums(&mut rough, &Assignment::empty(2));
        for i in 0..2 {
            assert!(rough.row(i).iter().sum::<f64>() <= 1.0 + 1e-9);
        }
        for a in 0..3 {
            assert!(rough[(0, a)] + rough[(1, a)] <= 1.0 + 1e-9);
        }
        // What is within the bounds stays.
        assert_eq!(rough.row(1)[1..], [0.3, 0.3]);
    }

    #[test]
    fn what_is_too_much_comes_from_the_pairs_that_are_not_kept() {
        let mut rough = Matrix::from_vec(2, 2, vec![0.9, 0.2, 0.3, 0.8]);
        cap_sums(&mut rough, &Assignment::identity(2));
        assert_eq!((rough[(0, 0)], rough[(1, 1)]), (0.9, 0.8));
        assert!((rough[(0, 1)] - 0.1).abs() < 1e-15, "{rough:?}");
        // 0.2 after its row's turn, then its column's.
        assert!((rough[(1, 0)] - 0.1).abs() < 1e-15, "{rough:?}");
        let mut ones = Matrix::from_vec(2, 2, vec![1.0, 0.01, 0.0, 1.0]);
        cap_sums(&mut ones, &Assignment::identity(2));
        assert_eq!(ones.as_slice(), [1.0, 0.0, 0.0, 1.0]);
    }

    #[test]
    fn starts_are_soft_assignments() {
        let full = problem(Coverage::Full, None);
        assert_eq!(initial(&full, &Start::default()), vec![1.0 / 3.0; 9]);
        let big = Matrix::filled(3, 3, 2.0).into();
        let start = Start::default().with_soft(&big);
        assert!((largest_sum(&initial(&full, &start), 3, 3) - 1.0).abs() < 1e-15);
        let assignment = Assignment::from([Some(2), None, Some(0)]);
        let start = Start::default().with_assignment(&assignment);
        let x = initial(&full, &start);
        assert_eq!(x.iter().sum::<f64>(), 2.0);
        assert_eq!((x[2], x[6]), (1.0, 1.0));
        let few = problem(Coverage::Full, Some(&[(1, 1)]));
        assert_eq!(
            initial(&few, &Start::default()).iter().sum::<f64>(),
            1.0 / 3.0
        );
    }
}
