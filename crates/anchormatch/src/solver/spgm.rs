//! Successive projections (van Wyk, van Wyk, *A POCS-based graph matching algorithm*, IEEE TPAMI 26,
//! 2004).
//!
//! The soft assignment moves along its gradient and is projected back on the convex set of the
//! one-to-one constraints, without penalties or annealing:
//!
//! > x ← Π( x + η W x / max W x ).
//!
//! Π is the nearest point of the intersection of two sets, rows in the simplex and columns in the
//! simplex, reached by projecting on one after the other (POCS), with Dykstra's correction, without
//! which the limit lies in the intersection but need not be the nearest point. The simplex is
//! {v ≥ 0, Σ v = 1} on the side that is matched fully and {v ≥ 0, Σ v ≤ 1} on the other, or on both
//! when candidates are listed or nodes may stay alone; the projection on it cuts a common amount off
//! all entries (Michelot, JOTA 50, 1986). x is a fixed point of the map exactly when no soft
//! assignment lies uphill, Σ (W x)(y − x) ≤ 0. A linear assignment on x gives the matching.

use serde::{Deserialize, Serialize};

use super::relaxation::{
    Iterations, check_nonnegative, check_positive, initial, largest_sum, soft_assignment,
};
use super::{Info, Kind, OnLists, Solution, Solver, Start, matrices, round_within};
use crate::error::{Error, Result};
use crate::linalg::Matrix;
use crate::monitor::Monitor;
use crate::problem::{Affinities, Coverage, Problem};

/// The projected ascent's parameters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Spgm {
    /// η, how far a step goes along the gradient, whose largest entry counts 1. Default 1.
    pub step: f64,
    /// Iterations at most. Default 300.
    pub max_iterations: usize,
    /// x is a fixed point when Σ|x − x'| over the larger side is at most this. Default 1e-5.
    pub tolerance: f64,
    /// Successive projections an iteration at most. Default 20.
    pub projection_sweeps: usize,
    /// The projections on rows and on columns differ by at most this in an entry. Default 1e-5.
    pub projection_tolerance: f64,
}

impl Default for Spgm {
    fn default() -> Self {
        Self {
            step: 1.0,
            max_iterations: 300,
            tolerance: 1e-5,
            projection_sweeps: 20,
            projection_tolerance: 1e-5,
        }
    }
}

impl Solver for Spgm {
    fn info(&self) -> Info {
        Info {
            name: "spgm",
            kind: Kind::Relaxation,
            reference: "van Wyk, van Wyk, IEEE TPAMI 26, 2004",
            complexity: "P + O(n²) a projection sweep",
            accepts: "all; costs and negative values are shifted to affinities",
            candidates: OnLists::Filled,
        }
    }

    fn check(&self) -> Result<()> {
        if !(self.step > 0.0 && self.step.is_finite()) {
            return Err(Error::parameter("step", self.step, "a positive number"));
        }
        check_nonnegative("tolerance", self.tolerance)?;
        check_nonnegative("projection_tolerance", self.projection_tolerance)?;
        check_positive("projection_sweeps", self.projection_sweeps)
    }

    fn memory(&self, problem: &Problem) -> u64 {
        matrices(problem, 7)
    }

    /// # Complexity
    /// One product with W and a few tens of projection sweeps an iteration. Memory: six n₁×n₂
    /// matrices and the product's scratch.
    fn solve_accepted(
        &self,
        problem: &Problem,
        start: &Start<'_>,
        monitor: &Monitor,
    ) -> Result<Solution> {
        let (rows, cols) = problem.shape();
        let affinities = Affinities::of(problem);
        let mut iterations = Iterations::new("spgm", self.max_iterations, problem, monitor);
        let mut x = initial(problem, start);
        let mut next = vec![0.0; x.len()];
        let mut scratch = vec![0.0; affinities.scratch_len()];
        let mut projection = Projection::new(problem);
        while iterations.go_on() {
            affinities.apply(&x, &mut next, &mut scratch);
            let largest = next.iter().fold(0.0f64, |most, &v| most.max(v));
            let factor = if largest > 0.0 {
                self.step / largest
            } else {
                0.0
            };
            for (next, x) in next.iter_mut().zip(&x) {
                *next = x + factor * *next;
            }
            projection.project(
                &mut next,
                &affinities,
                self.projection_tolerance,
                self.projection_sweeps,
            );
            let moved: f64 = next.iter().zip(&x).map(|(p, q)| (p - q).abs()).sum();
            std::mem::swap(&mut x, &mut next);
            let change = moved / rows.max(cols) as f64;
            iterations.record(change, change <= self.tolerance);
        }
        let score = Matrix::from_vec(rows, cols, x);
        let assignment = round_within(problem, &score, monitor)?;
        // A projection that was cut short may miss the sums by its tolerance.
        let soft = if largest_sum(score.as_slice(), rows, cols) > 1.0 {
            soft_assignment(score.into_vec(), rows, cols)
        } else {
            score
        };
        Ok(iterations.solution(problem, assignment, soft))
    }
}

/// The nearest matrix with rows and columns in their simplices.
struct Projection {
    rows: usize,
    cols: usize,
    /// Whether rows, and columns, must sum to 1 or may sum to less.
    full: (bool, bool),
    row_correction: Vec<f64>,
    column_correction: Vec<f64>,
    row_point: Vec<f64>,
    /// What is cut off each column.
    cut: Vec<f64>,
    above: Vec<f64>,
    count: Vec<u32>,
}

impl Projection {
    fn new(problem: &Problem) -> Self {
        let (rows, cols) = problem.shape();
        let fixed = problem.candidates().is_all() && problem.coverage() == Coverage::Full;
        Self {
            rows,
            cols,
            full: (fixed && rows <= cols, fixed && cols <= rows),
            row_correction: vec![0.0; rows * cols],
            column_correction: vec![0.0; rows * cols],
            row_point: vec![0.0; rows * cols],
            cut: vec![0.0; cols],
            above: vec![0.0; cols],
            count: vec![0; cols],
        }
    }

    /// x becomes its nearest point, by Dykstra's algorithm; entries that are ruled out stay 0.
    fn project(
        &mut self,
        x: &mut [f64],
        affinities: &Affinities<'_>,
        tolerance: f64,
        sweeps: usize,
    ) {
        self.row_correction.fill(0.0);
        self.column_correction.fill(0.0);
        for _ in 0..sweeps {
            exchange(x, &mut self.row_correction, |x| {
                affinities.mask(x);
                for row in x.chunks_mut(self.cols) {
                    cut_row(row, self.full.0);
                }
            });
            self.row_point.copy_from_slice(x);
            self.project_columns(x, affinities);
            // x₀ less the corrections is the point, and they are normal to the sets at the two
            // points: where these meet lies the nearest one.
            let apart = x
                .iter()
                .zip(&self.row_point)
                .fold(0.0f64, |most, (c, r)| most.max((c - r).abs()));
            if apart <= tolerance {
                break;
            }
        }
    }

    fn project_columns(&mut self, x: &mut [f64], affinities: &Affinities<'_>) {
        let (rows, cols, full) = (self.rows, self.cols, self.full.1);
        let Self {
            cut, above, count, ..
        } = self;
        exchange(x, &mut self.column_correction, |x| {
            affinities.mask(x);
            cut.fill(if full { f64::NEG_INFINITY } else { 0.0 });
            // Michelot's rule for all columns at once: the cut rises until the entries above it,
            // less it, sum to 1.
            for _ in 0..=rows {
                above.fill(0.0);
                count.fill(0);
                for row in x.chunks(cols) {
                    for a in 0..cols {
                        if row[a] > cut[a] {
                            above[a] += row[a];
                            count[a] += 1;
                        }
                    }
                }
                let mut moved = false;
                for a in 0..cols {
                    if count[a] > 0 {
                        let next = (above[a] - 1.0) / f64::from(count[a]);
                        if next > cut[a] {
                            moved = true;
                            cut[a] = next;
                        }
                    }
                }
                if !moved {
                    break;
                }
            }
            for row in x.chunks_mut(cols) {
                for (value, cut) in row.iter_mut().zip(cut.iter()) {
                    *value = (*value - cut).max(0.0);
                }
            }
        });
    }
}

/// Dykstra's step: adds what the last projection on this set took off, projects, and notes what
/// this one takes off.
fn exchange(x: &mut [f64], correction: &mut [f64], project: impl FnOnce(&mut [f64])) {
    for (x, correction) in x.iter_mut().zip(correction.iter_mut()) {
        *x += *correction;
        *correction = *x;
    }
    project(x);
    for (x, correction) in x.iter().zip(correction) {
        *correction -= x;
    }
}

/// The nearest point of the simplex, or of what lies below it.
fn cut_row(row: &mut [f64], full: bool) {
    let mut cut = if full { f64::NEG_INFINITY } else { 0.0 };
    loop {
        let (mut above, mut count) = (0.0, 0u32);
        for &value in row.iter() {
            if value > cut {
                above += value;
                count += 1;
            }
        }
        if count == 0 {
            break;
        }
        let next = (above - 1.0) / f64::from(count);
        if next <= cut {
            break;
        }
        cut = next;
    }
    for value in row {
        *value = (*value - cut).max(0.0);
    }
}

#[cfg(test)]
mod tests {
    use super::super::frank_wolfe::{Polytope, sum_over};
    use super::super::relaxation::dot;
    use super::super::test_support::{self, kernel_problem, values};
    use super::*;
    use crate::solver::Status;
    use proptest::prelude::*;

    #[test]
    fn it_behaves_as_every_relaxation() {
        test_support::behaves(&Spgm::default());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn simplex_points_are_nearest(
            row in prop::collection::vec(-2.0f64..2.0, 1..8), full in any::<bool>(),
        ) {
            let mut nearest = row.clone();
            cut_row(&mut nearest, full);
            let sum: f64 = nearest.iter().sum();
            prop_assert!(nearest.iter().all(|&v| v >= 0.0) && sum <= 1.0 + 1e-12);
            prop_assert!(!full || (sum - 1.0).abs() < 1e-12);
            // The variational inequality at every corner of the set.
            let away: Vec<f64> = row.iter().zip(&nearest).map(|(x, p)| x - p).collect();
            let here = dot(&away, &nearest);
            for k in 0..row.len() {
                prop_assert!(away[k] - here <= 1e-12);
            }
            prop_assert!(full || -here <= 1e-12);
        }

        #[test]
        fn projections_are_nearest(n in 1usize..6, m in 1usize..6, seed in 0u64..50) {
            let problem = kernel_problem(values(n, 1), values(m, 2), false);
            let affinities = Affinities::of(&problem);
            let raw = values(n.max(m), seed);
            let x: Vec<f64> = (0..n * m).map(|k| 3.0 * raw[(k / m, k % m)] - 1.0).collect();
            let mut nearest = x.clone();
            Projection::new(&problem).project(&mut nearest, &affinities, 1e-12, 100_000);
            prop_assert!(nearest.iter().all(|&v| v >= 0.0));
            prop_assert!(largest_sum(&nearest, n, m) <= 1.0 + 1e-9);
            let total: f64 = nearest.iter().sum();
            prop_assert!((total - n.min(m) as f64).abs() < 1e-9);
            // No assignment lies on the side of x: the best of them is found exactly.
            let away: Vec<f64> = x.iter().zip(&nearest).map(|(x, p)| x - p).collect();
            let silent = Monitor::silent();
            let mut polytope = Polytope::new(&problem, &silent);
            let best = sum_over(&away, polytope.best_vertex(&away).unwrap());
            prop_assert!(best - dot(&away, &nearest) <= 1e-6);
        }
    }

    #[test]
    fn it_ends_where_nothing_lies_uphill() {
        for (n, m) in [(6, 6), (5, 8)] {
            let problem = kernel_problem(values(n, 1), values(m, 2), false);
            let solver = Spgm {
                max_iterations: 20_000,
                tolerance: 1e-9,
                projection_tolerance: 1e-10,
                projection_sweeps: 10_000,
                ..Spgm::default()
            };
            let solution = test_support::solve(&solver, &problem);
            assert_eq!(solution.status, Status::Converged);
            let x = solution.soft_matrix().unwrap();
            let affinities = Affinities::of(&problem);
            let mut gradient = vec![0.0; n * m];
            let mut scratch = vec![0.0; affinities.scratch_len()];
            affinities.apply(x.as_slice(), &mut gradient, &mut scratch);
            let silent = Monitor::silent();
            let mut polytope = Polytope::new(&problem, &silent);
            let best = sum_over(&gradient, polytope.best_vertex(&gradient).unwrap());
            let here = dot(&gradient, x.as_slice());
            assert!(best - here <= 1e-4 * best, "{best} {here}");
        }
    }

    #[test]
    fn bad_parameters_are_refused() {
        test_support::refuses::<Spgm>(&[
            ("step", |s| s.step = 0.0),
            ("tolerance", |s| s.tolerance = f64::NAN),
            ("projection_tolerance", |s| s.projection_tolerance = -1.0),
            ("projection_sweeps", |s| s.projection_sweeps = 0),
        ]);
    }
}
