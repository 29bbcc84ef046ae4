//! 2opt with the first improvement: the order of its looks, and where it ends.

use super::problems::{all_sorts, neighbours};
use crate::assignment::Assignment;
use crate::monitor::Monitor;
use crate::problem::{Coverage, Problem};
use crate::solver::{Solver, Start, Status, TwoOpt};

const FIRST: TwoOpt = TwoOpt {
    max_moves: None,
    first_improvement: true,
};

/// Exchanges in the order of rows, each judged by a recount, from the top after every success.
fn recounted(problem: &Problem, mut now: Assignment) -> (Assignment, usize) {
    let (sense, mut looks) = (problem.sense(), 0);
    'again: loop {
        let value = problem.objective(&now);
        for i in 0..now.rows() {
            for j in i..now.rows() {
                looks += 1;
                now.swap(i, j);
                if sense.better(problem.objective(&now) - sense.sign() * 1e-9, value) {
                    continue 'again;
                }
                now.swap(i, j);
            }
        }
        return (now, looks);
    }
}

#[test]
fn first_improvement_looks_at_exchanges_in_the_order_of_rows() {
    let mut moved = 0;
    for problem in all_sorts(&[(1, 1), (2, 2), (6, 6)], 3)
        .iter()
        .filter(|p| p.candidates().is_all() && p.coverage() == Coverage::Full)
    {
        let n = problem.shape().0;
        let first: Assignment = (0..n).map(|i| Some((i + 1) % n)).collect();
        let start = Start::default().with_assignment(&first);
        let solution = FIRST.solve(problem, &start, &Monitor::silent()).unwrap();
        let (assignment, looks) = recounted(problem, first);
        assert_eq!(solution.assignment, assignment);
        assert_eq!(solution.iterations, looks);
        moved += solution.convergence.len() - 1;
        // From there one pass over all pairs finds nothing.
        let there = Start::default().with_assignment(&solution.assignment);
        let again = FIRST.solve(problem, &there, &Monitor::silent()).unwrap();
        assert_eq!(again.iterations, n * (n + 1) / 2);
    }
    assert!(moved > 5, "{moved}");
}

#[test]
fn first_improvement_ends_where_no_move_improves() {
    for (number, problem) in all_sorts(&[(5, 5), (4, 7), (7, 4)], 21).iter().enumerate() {
        let start = Start::seeded(number as u64);
        let solution = FIRST.solve(problem, &start, &Monitor::silent()).unwrap();
        assert_eq!(solution.status, Status::Converged);
        let sign = problem.sense().sign();
        for neighbour in neighbours(problem, &solution.assignment) {
            let change = sign * (problem.objective(&neighbour) - solution.objective);
            assert!(change < 1e-6, "{number}: {change}");
        }
    }
}
