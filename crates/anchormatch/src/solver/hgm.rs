//! Probabilistic graph matching (Zass, Shashua, *Probabilistic graph and hypergraph matching*, CVPR
//! 2008), for hyperedges of two nodes.
//!
//! The paper takes affinities of hyperedges for probabilities that they correspond, assumes the
//! correspondences of their nodes to be independent, and finds those in two steps. Marginalisation
//! sums out all but one pair of nodes,
//!
//! > Y_ia = u(i, a) + Σ_jb W(ia, jb),
//!
//! one product with W. Then the soft assignment X is the nearest to Y in relative entropy
//! Σ X log(X/Y) − X + Y among the matrices with row sums ≤ 1, column sums ≤ 1 and k matches in all:
//!
//! > X = t · diag(p) Y diag(q),   0 < p, q ≤ 1.
//!
//! The scalings come from cyclic projection on the three sets (Bregman's method): p_i = min(1, 1/row
//! sum), q_a = min(1, 1/column sum), t = k/sum, each taken with the others fixed. With k = n₁ = n₂
//! this is Sinkhorn's balancing. Where Y has too few positive entries for k matches, no X meets all
//! three, t grows from cycle to cycle, and the cycles end when it is absurd. A linear assignment on X
//! gives the matching.

use serde::{Deserialize, Serialize};

use super::relaxation::{Iterations, check_nonnegative, largest_sum, soft_assignment};
use super::{Info, Kind, OnLists, Solution, Solver, Start, round_within};
use crate::error::{Error, Result};
use crate::linalg::Matrix;
use crate::monitor::Monitor;
use crate::problem::{Affinities, Problem};

/// The projection's parameters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Hgm {
    /// k, how many nodes are expected to match. Default `None`: the smaller side.
    pub matches: Option<usize>,
    /// Cycles of the projection at most. Default 1000.
    pub max_iterations: usize,
    /// Row, column and total sums hold to this, the total relative to k. Default 1e-6.
    pub tolerance: f64,
}

impl Default for Hgm {
    fn default() -> Self {
        Self {
            matches: None,
            max_iterations: 1000,
            tolerance: 1e-6,
        }
    }
}

impl Solver for Hgm {
    fn info(&self) -> Info {
        Info {
            name: "hgm",
            kind: Kind::Relaxation,
            reference: "Zass, Shashua, CVPR 2008",
            complexity: "P once, then O(n²)",
            accepts: "all; costs and negative values are shifted to affinities",
            candidates: OnLists::Filled,
        }
    }

    fn check(&self) -> Result<()> {
        check_nonnegative("tolerance", self.tolerance)
    }

    fn accepts(&self, problem: &Problem) -> Result<()> {
        let (rows, cols) = problem.shape();
        let most = rows.min(cols);
        match self.matches {
            Some(matches) if matches > most || (matches == 0 && most > 0) => Err(Error::parameter(
                "matches",
                matches,
                format_args!("from 1 to {most}, the smaller side"),
            )),
            _ => Ok(()),
        }
    }

    /// A start is not used: the method has none.
    ///
    /// # Complexity
    /// One product with W in all, O(n₁ n₂) a cycle of the projection, one linear assignment. Memory:
    /// two n₁×n₂ matrices and the product's scratch.
    fn solve_accepted(
        &self,
        problem: &Problem,
        _start: &Start<'_>,
        monitor: &Monitor,
    ) -> Result<Solution> {
        let (rows, cols) = problem.shape();
        let matches = self.matches.unwrap_or(rows.min(cols));
        let mut iterations = Iterations::new("hgm", self.max_iterations, problem, monitor);
        let affinities = Affinities::of(problem);
        let mut marginals = affinities.uniform();
        if iterations.go_on() {
            let uniform = marginals.clone();
            let mut scratch = vec![0.0; affinities.scratch_len()];
            affinities.apply(&uniform, &mut marginals, &mut scratch);
            if marginals.iter().all(|&y| y <= 0.0) {
                // W is zero: all assignments are as probable.
                marginals = uniform;
            }
        }
        let mut projection = Projection::new(&mut marginals, rows, cols, matches as f64);
        while iterations.go_on() {
            let error = projection.cycle();
            iterations.record(error, error <= self.tolerance || projection.is_beyond());
        }
        projection.finish();
        let score = Matrix::from_vec(rows, cols, marginals);
        let assignment = round_within(problem, &score, monitor)?;
        let within = largest_sum(score.as_slice(), rows, cols) <= 1.0;
        let soft = if within {
            score
        } else {
            // The candidates may not hold k matches; bounds of rows and columns always hold.
            soft_assignment(score.into_vec(), rows, cols)
        };
        Ok(iterations.solution(problem, assignment, soft))
    }
}

/// The scalings p, q and t of the nearest matrix to `y`.
struct Projection<'y> {
    y: &'y mut [f64],
    cols: usize,
    matches: f64,
    total_scale: f64,
    row_scale: Vec<f64>,
    column_scale: Vec<f64>,
    column_sum: Vec<f64>,
}

/// A t that no k within reach asks for; entries of Y are at most 2.
const BEYOND: f64 = 1e100;

impl<'y> Projection<'y> {
    fn new(y: &'y mut [f64], rows: usize, cols: usize, matches: f64) -> Self {
        // X does not depend on the scale of Y; a power of two leaves every digit as it is.
        let largest = y.iter().fold(0.0f64, |most, &y| most.max(y));
        if largest > 0.0 && largest.is_finite() {
            let scale = 2.0f64.powi(-(largest.log2().floor().clamp(-1000.0, 1000.0) as i32));
            y.iter_mut().for_each(|y| *y *= scale);
        }
        let sum: f64 = y.iter().sum();
        Self {
            y,
            cols,
            matches,
            total_scale: if sum > 0.0 { matches / sum } else { 1.0 },
            row_scale: vec![1.0; rows],
            column_scale: vec![1.0; cols],
            column_sum: vec![0.0; cols],
        }
    }

    /// Projects on all three sets; returns by how much they were missed before.
    fn cycle(&mut self) -> f64 {
        let (t, mut error) = (self.total_scale, 0.0f64);
        self.column_sum.fill(0.0);
        for (row, scale) in self.y.chunks(self.cols).zip(&mut self.row_scale) {
            let sum: f64 = row
                .iter()
                .zip(&self.column_scale)
                .map(|(y, q)| y * q)
                .sum::<f64>()
                * t;
            error = error.max(sum * *scale - 1.0);
            *scale = bound(sum);
            for (slot, y) in self.column_sum.iter_mut().zip(row) {
                *slot += *scale * y;
            }
        }
        let mut total = 0.0;
        for (scale, sum) in self.column_scale.iter_mut().zip(&self.column_sum) {
            error = error.max(t * sum * *scale - 1.0);
            *scale = bound(t * sum);
            total += *scale * sum;
        }
        error = error.max((t * total / self.matches - 1.0).abs());
        if total > 0.0 {
            self.total_scale = self.matches / total;
        }
        error
    }

    /// Whether t says that there are no k matches.
    fn is_beyond(&self) -> bool {
        self.total_scale > BEYOND
    }

    /// Y becomes X.
    fn finish(self) {
        let t = self.total_scale;
        for (row, p) in self.y.chunks_mut(self.cols.max(1)).zip(&self.row_scale) {
            for (y, q) in row.iter_mut().zip(&self.column_scale) {
                *y *= t * p * q;
            }
        }
    }
}

/// The factor that brings `sum` to at most 1.
fn bound(sum: f64) -> f64 {
    if sum > 1.0 { 1.0 / sum } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::super::test_support::{self, kernel_problem, values};
    use super::*;
    use crate::assignment::Sinkhorn;
    use crate::solver::Status;

    #[test]
    fn it_behaves_as_every_relaxation() {
        test_support::behaves(&Hgm::default());
    }

    #[test]
    fn marginals_are_sums_of_rows_and_square_ones_are_balanced() {
        let (n, m) = (5, 5);
        let problem = kernel_problem(values(n, 1), values(m, 2), false);
        let mut marginals: Vec<f64> = (0..n * m)
            .map(|p| {
                (0..n * m)
                    .map(|q| problem.pairwise().value(p / m, p % m, q / m, q % m))
                    .sum()
            })
            .collect();
        let solution = test_support::solve(&Hgm::default(), &problem);
        Sinkhorn::new().balance(&mut marginals, n, m, 1e-12, 10_000);
        for (got, want) in solution
            .soft_matrix()
            .unwrap()
            .as_slice()
            .iter()
            .zip(&marginals)
        {
            assert!((got - want).abs() < 1e-4, "{got} {want}");
        }
    }

    #[test]
    fn sums_hold_and_the_scalings_are_optimal() {
        for (n, m, matches) in [(4, 6, None), (6, 4, None), (5, 5, Some(3)), (4, 7, Some(2))] {
            let problem = kernel_problem(values(n, 1), values(m, 2), true);
            let solver = Hgm {
                matches,
                tolerance: 1e-10,
                max_iterations: 100_000,
            };
            let solution = test_support::solve(&solver, &problem);
            assert_eq!(solution.status, Status::Converged);
            let soft = solution.soft_matrix().unwrap();
            let k = matches.unwrap_or(n.min(m)) as f64;
            assert!((soft.as_slice().iter().sum::<f64>() - k).abs() < 1e-8);
        }
        // A scaling below 1 belongs to a bound that is met: complementary slackness.
        let mut y: Vec<f64> = values(5, 3).into_vec();
        y[2] = 40.0;
        let before = y.clone();
        let mut projection = Projection::new(&mut y, 5, 5, 3.0);
        for _ in 0..50_000 {
            projection.cycle();
        }
        let scales = projection.row_scale.clone();
        projection.finish();
        for i in 0..5 {
            let sum: f64 = y[5 * i..5 * i + 5].iter().sum();
            assert!(sum <= 1.0 + 1e-9);
            assert!(scales[i] == 1.0 || (sum - 1.0).abs() < 1e-9, "{i}: {sum}");
        }
        assert!(scales.iter().any(|&p| p < 1.0) && scales.contains(&1.0));
        assert!(
            before
                .iter()
                .zip(&y)
                .all(|(b, a)| (*b == 0.0) == (*a == 0.0))
        );
    }

    #[test]
    fn more_matches_than_there_are_positive_entries() {
        // Rows 0 and 2 share two columns, row 1 has none: three matches are asked for, two are there.
        for scale in [1.0, 1e-300, 1e290] {
            let mut y = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 3.0, 2.0, 0.0].map(|y| y * scale);
            let mut projection = Projection::new(&mut y, 3, 3, 3.0);
            let cycles = (0..10_000).take_while(|_| {
                projection.cycle();
                !projection.is_beyond()
            });
            assert!(cycles.count() < 9_999, "the cycles end");
            projection.finish();
            for (entry, wanted) in y.iter().zip([1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0]) {
                assert!((entry - wanted).abs() < 0.6, "{y:?}");
            }
        }
    }

    #[test]
    fn bad_parameters_are_refused() {
        test_support::refuses::<Hgm>(&[
            ("tolerance", |s| s.tolerance = f64::INFINITY),
            ("matches", |s| s.matches = Some(0)),
            ("matches", |s| s.matches = Some(4)),
        ]);
    }
}
