//! From a soft matrix to an assignment.

use crate::assignment::{self, Assignment};
use crate::error::Result;
use crate::linalg::Matrix;
use crate::monitor::Monitor;
use crate::problem::{Coverage, Problem};

/// The assignment with the largest total score within the candidates.
///
/// When nodes may stay alone, pairs that make the objective worse are then taken off, the worst
/// first, until none does.
///
/// # Errors
/// When a score is not finite.
///
/// # Complexity
/// One linear assignment, O(n³) at worst; for partial coverage O(k²) values of W more.
pub fn round(problem: &Problem, score: &Matrix) -> Result<Assignment> {
    round_within(problem, score, &Monitor::silent())
}

/// [`round`] that gives the monitor a say: cut short, it is an assignment with a large total score.
///
/// # Errors
/// When a score is not finite.
///
/// # Complexity
/// As for [`round`].
pub fn round_within(problem: &Problem, score: &Matrix, monitor: &Monitor) -> Result<Assignment> {
    let (n, m) = problem.shape();
    let candidates = problem.candidates();
    let mut assignment = if candidates.is_all() {
        assignment::maximise_within(score, monitor)?.columns
    } else {
        let little = assignment::ruled_out(score.as_slice().iter().copied(), n, m);
        let mut restricted = Matrix::filled(n, m, little);
        for i in 0..n {
            for a in candidates.of_row(i) {
                restricted[(i, a)] = score[(i, a)];
            }
        }
        let mut columns = assignment::maximise_within(&restricted, monitor)?.columns;
        columns.retain(|i, a| candidates.allows(i, a));
        columns
    };
    if problem.coverage() == Coverage::Partial {
        drop_harmful(problem, &mut assignment);
    }
    Ok(assignment)
}

/// Takes off the pair whose loss improves the objective most, until no loss does.
pub(super) fn drop_harmful(problem: &Problem, assignment: &mut Assignment) {
    let sign = problem.sense().sign();
    // What each pair gives: u + 2 Σ W with the others.
    let mut matched: Vec<(usize, usize, f64)> = Vec::new();
    for (i, a) in assignment.pairs() {
        let mut gain = problem.unary()[(i, a)];
        for (j, b) in assignment.pairs() {
            gain += 2.0 * problem.pairwise().value(i, a, j, b);
        }
        matched.push((i, a, sign * gain));
    }
    while let Some(worst) =
        (0..matched.len()).min_by(|&p, &q| matched[p].2.total_cmp(&matched[q].2))
    {
        if matched[worst].2 >= 0.0 {
            break;
        }
        let (i, a, _) = matched.remove(worst);
        assignment.set(i, None);
        for (j, b, gain) in &mut matched {
            *gain -= 2.0 * sign * problem.pairwise().value(i, a, *j, *b);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::Listed;

    #[test]
    fn candidates_rule_and_harmful_pairs_go() {
        let listed = Listed {
            rows: 3,
            cols: 3,
            // Row 2 may only take column 0 and would cost 5; row 1 pays only with row 0.
            assignments: vec![(0, 1, -1.0), (1, 2, 3.0), (2, 0, 5.0), (0, 2, 0.0)],
            pairs: vec![(0, 1, -4.0)],
        };
        let problem = listed.problem().unwrap();
        let score = Matrix::from_fn(3, 3, |i, a| (3 * i + a) as f64);
        let assignment = round(&problem, &score).unwrap();
        assert!(problem.is_feasible(&assignment));
        assert_eq!(assignment, [Some(1), Some(2), None]);
        assert_eq!(problem.objective(&assignment), -2.0);
    }
}
