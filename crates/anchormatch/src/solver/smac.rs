//! Spectral matching with affine constraints (Cour, Srinivasan, Shi, *Balanced graph matching*, NIPS
//! 2006).
//!
//! Spectral matching forgets that assignments are one-to-one; here their affine part stays:
//!
//! > max xᵀWx / xᵀx  over  C x = b.
//!
//! The ratio does not depend on the length of x, so C x = b may be replaced by the homogeneous
//! "C x is a multiple of b", a linear space, and with P the projection on it the solution is the
//! principal eigenvector of P W P. Every row and every column sums to 1 here. With n₁ < n₂ there are
//! k = n₂ − n₁ slack rows without affinities, equal to each other, so that one stands for all. The
//! space is then that of the square matrices whose row sums and column sums are all equal, and
//!
//! > (P X)_ia = X_ia − R_i/s − C_a/s + 2T/s²,  s = max(n₁, n₂),
//!
//! with R, C, T the sums of rows, columns and everything, slack included: O(n₁ n₂). Ruled-out
//! assignments stay in the space, with affinity 0.
//!
//! P W P is indefinite, and power iteration could find the wrong end. The eigenvector comes from the
//! locally optimal conjugate gradient method (Knyazev, SIAM J. Sci. Comput. 23, 2001), which takes
//! the best vector among the span of x, the residual and the last step. The paper's normalisation of
//! W, a choice of affinities, is not part of the solver.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use super::relaxation::{Iterations, check_nonnegative, dot, norm, scale, soft_assignment};
use super::{Info, Kind, OnLists, Solution, Solver, Start, matrices, round_within};
use crate::error::Result;
use crate::linalg::Matrix;
use crate::monitor::Monitor;
use crate::problem::{Affinities, Problem};

/// The eigenvector's parameters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Smac {
    /// Iterations at most. Default 500.
    pub max_iterations: usize,
    /// The relative residual ‖PWPx − λx‖/‖PWPx‖ at which x is an eigenvector. Default 1e-6.
    pub tolerance: f64,
}

impl Default for Smac {
    fn default() -> Self {
        Self {
            max_iterations: 500,
            tolerance: 1e-6,
        }
    }
}

impl Solver for Smac {
    fn info(&self) -> Info {
        Info {
            name: "smac",
            kind: Kind::Relaxation,
            reference: "Cour, Srinivasan, Shi, NIPS 2006",
            complexity: "P + O(n²)",
            accepts: "all; costs and negative values are shifted to affinities",
            candidates: OnLists::Filled,
        }
    }

    fn check(&self) -> Result<()> {
        check_nonnegative("tolerance", self.tolerance)
    }

    fn memory(&self, problem: &Problem) -> u64 {
        matrices(problem, 8)
    }

    /// The start's matrices are not used; its seed breaks the symmetry of the first vector.
    ///
    /// # Complexity
    /// One product with W an iteration, one linear assignment at the end. Memory: seven n₁×n₂
    /// matrices and the product's scratch.
    fn solve_accepted(
        &self,
        problem: &Problem,
        start: &Start<'_>,
        monitor: &Monitor,
    ) -> Result<Solution> {
        let (rows, cols) = problem.shape();
        let mut iterations = Iterations::new("smac", self.max_iterations, problem, monitor);
        let mut search = Search::new(problem, start.seed);
        while iterations.go_on() {
            let residual = search.residual();
            let converged = residual <= self.tolerance;
            if !converged {
                search.step();
            }
            iterations.record(residual, converged);
        }
        let mut score = search.x;
        score.truncate(rows * cols);
        // An eigenvector has no sign of its own; assignments are positive.
        if score.iter().sum::<f64>() < 0.0 {
            scale(&mut score, -1.0);
        }
        let assignment = round_within(
            problem,
            &Matrix::from_vec(rows, cols, score.clone()),
            monitor,
        )?;
        search.operator.affinities.mask(&mut score);
        let soft = soft_assignment(score, rows, cols);
        Ok(iterations.solution(problem, assignment, soft))
    }
}

/// P W P on matrices with their slack.
///
/// A vector holds X, and behind it √k times the row (or column) that stands for all k slack ones:
/// scalar products of vectors are then those of the square matrices.
struct Operator<'p> {
    affinities: Affinities<'p>,
    rows: usize,
    cols: usize,
    masked: Vec<f64>,
    row_sum: Vec<f64>,
    column_sum: Vec<f64>,
    scratch: Vec<f64>,
}

impl<'p> Operator<'p> {
    fn new(problem: &'p Problem) -> Self {
        let (rows, cols) = problem.shape();
        let affinities = Affinities::of(problem);
        let needs_mask = !problem.candidates().is_all();
        Self {
            rows,
            cols,
            masked: vec![0.0; if needs_mask { rows * cols } else { 0 }],
            row_sum: vec![0.0; rows],
            column_sum: vec![0.0; cols],
            scratch: vec![0.0; affinities.scratch_len()],
            affinities,
        }
    }

    /// The length of a vector.
    fn len(&self) -> usize {
        let slack = if self.rows == self.cols || self.rows * self.cols == 0 {
            0
        } else {
            self.rows.max(self.cols)
        };
        self.rows * self.cols + slack
    }

    /// `out = P W x` for x in the space.
    fn apply(&mut self, x: &[f64], out: &mut [f64]) {
        let size = self.rows * self.cols;
        let (out_body, out_slack) = out.split_at_mut(size);
        out_slack.fill(0.0);
        if self.masked.is_empty() {
            self.affinities
                .apply_signed(&x[..size], out_body, &mut self.scratch);
        } else {
            self.masked.copy_from_slice(&x[..size]);
            self.affinities.mask(&mut self.masked);
            self.affinities
                .apply_signed(&self.masked, out_body, &mut self.scratch);
        }
        self.project(out);
    }

    /// x becomes P x.
    fn project(&mut self, x: &mut [f64]) {
        let (rows, cols) = (self.rows, self.cols);
        let side = rows.max(cols) as f64;
        let root = (rows.abs_diff(cols) as f64).sqrt();
        let (body, slack) = x.split_at_mut(rows * cols);
        self.column_sum.fill(0.0);
        for (row, sum) in body.chunks(cols).zip(&mut self.row_sum) {
            *sum = row.iter().sum();
            for (slot, value) in self.column_sum.iter_mut().zip(row) {
                *slot += value;
            }
        }
        // Slack entries are v/√k, k of them: sums of v √k across, and of v/√k along the slack.
        let crossed = if rows < cols {
            &mut self.column_sum
        } else {
            &mut self.row_sum
        };
        for (sum, value) in crossed.iter_mut().zip(slack.iter()) {
            *sum += root * value;
        }
        let total: f64 = crossed.iter().sum();
        let along: f64 = slack.iter().sum::<f64>() / root.max(1.0);
        let mean = 2.0 * total / (side * side);
        for (value, sum) in slack.iter_mut().zip(crossed.iter()) {
            *value -= root * (along / side + sum / side - mean);
        }
        for (row, row_sum) in body.chunks_mut(cols).zip(&self.row_sum) {
            let offset = row_sum / side - mean;
            for (value, column_sum) in row.iter_mut().zip(&self.column_sum) {
                *value -= offset + column_sum / side;
            }
        }
    }
}

/// x, the residual r and the last step p, orthonormal when a step uses them, with their images.
struct Search<'p> {
    operator: Operator<'p>,
    x: Vec<f64>,
    image: Vec<f64>,
    residual: Vec<f64>,
    residual_image: Vec<f64>,
    step: Vec<f64>,
    step_image: Vec<f64>,
}

impl<'p> Search<'p> {
    fn new(problem: &'p Problem, seed: u64) -> Self {
        let mut operator = Operator::new(problem);
        let size = operator.len();
        // The uniform matrix may be an eigenvector, and not the principal one.
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut x: Vec<f64> = (0..size)
            .map(|_| 1.0 + 0.01 * rng.random::<f64>())
            .collect();
        if !x.is_empty() {
            operator.project(&mut x);
        }
        let length = norm(&x);
        if length > 0.0 {
            scale(&mut x, 1.0 / length);
        }
        let mut image = vec![0.0; size];
        if size > 0 {
            operator.apply(&x, &mut image);
        }
        let zeros = vec![0.0; size];
        Self {
            operator,
            x,
            image,
            residual: zeros.clone(),
            residual_image: zeros.clone(),
            step: zeros.clone(),
            step_image: zeros,
        }
    }

    /// Sets r = PWx − λx; returns its norm relative to ‖PWx‖.
    fn residual(&mut self) -> f64 {
        let value = dot(&self.x, &self.image);
        for ((r, image), x) in self.residual.iter_mut().zip(&self.image).zip(&self.x) {
            *r = image - value * x;
        }
        let size = norm(&self.image);
        if size > 0.0 {
            norm(&self.residual) / size
        } else {
            0.0
        }
    }

    /// The best unit vector of the span of x, r and p (Rayleigh, Ritz).
    fn step(&mut self) {
        remove(&mut self.residual, &self.x);
        let length = norm(&self.residual);
        if length <= 0.0 {
            return;
        }
        scale(&mut self.residual, 1.0 / length);
        self.operator
            .apply(&self.residual, &mut self.residual_image);
        let before = norm(&self.step);
        // p against x and r, its image along with it.
        for (basis, image) in [
            (&self.x, &self.image),
            (&self.residual, &self.residual_image),
        ] {
            let part = dot(&self.step, basis);
            subtract(&mut self.step, part, basis);
            subtract(&mut self.step_image, part, image);
        }
        let left = norm(&self.step);
        if left > 1e-8 * before {
            scale(&mut self.step, 1.0 / left);
            scale(&mut self.step_image, 1.0 / left);
        } else {
            self.step.fill(0.0);
            self.step_image.fill(0.0);
        }
        let vectors = [&self.x, &self.residual, &self.step];
        let images = [&self.image, &self.residual_image, &self.step_image];
        let mut gram = [[0.0; 3]; 3];
        for p in 0..3 {
            for q in 0..=p {
                gram[p][q] = dot(vectors[p], images[q]);
                gram[q][p] = gram[p][q];
            }
        }
        let [along_x, along_r, along_p] = top_eigenvector(gram);
        combine(&mut self.step, along_p, &self.residual, along_r);
        combine(&mut self.step_image, along_p, &self.residual_image, along_r);
        combine(&mut self.x, along_x, &self.step, 1.0);
        combine(&mut self.image, along_x, &self.step_image, 1.0);
        let length = norm(&self.x);
        scale(&mut self.x, 1.0 / length);
        scale(&mut self.image, 1.0 / length);
    }
}

/// x −= part · y.
fn subtract(x: &mut [f64], part: f64, y: &[f64]) {
    for (x, y) in x.iter_mut().zip(y) {
        *x -= part * y;
    }
}

/// x −= (xᵀy) y.
fn remove(x: &mut [f64], y: &[f64]) {
    let part = dot(x, y);
    subtract(x, part, y);
}

/// x = p x + q y.
fn combine(x: &mut [f64], p: f64, y: &[f64], q: f64) {
    for (x, y) in x.iter_mut().zip(y) {
        *x = p * *x + q * y;
    }
}

/// The unit eigenvector of the largest eigenvalue, by Jacobi's rotations.
fn top_eigenvector(mut matrix: [[f64; 3]; 3]) -> [f64; 3] {
    let mut vectors = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    for _ in 0..16 {
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            if matrix[p][q] == 0.0 {
                continue;
            }
            let theta = (matrix[q][q] - matrix[p][p]) / (2.0 * matrix[p][q]);
            let tangent = theta.signum() / (theta.abs() + theta.hypot(1.0));
            let cosine = 1.0 / tangent.hypot(1.0);
            let sine = tangent * cosine;
            for k in 0..3 {
                let (kp, kq) = (matrix[k][p], matrix[k][q]);
                matrix[k][p] = cosine * kp - sine * kq;
                matrix[k][q] = sine * kp + cosine * kq;
            }
            for k in 0..3 {
                let (pk, qk) = (matrix[p][k], matrix[q][k]);
                matrix[p][k] = cosine * pk - sine * qk;
                matrix[q][k] = sine * pk + cosine * qk;
                let (kp, kq) = (vectors[k][p], vectors[k][q]);
                vectors[k][p] = cosine * kp - sine * kq;
                vectors[k][q] = sine * kp + cosine * kq;
            }
        }
    }
    let top = (0..3)
        .max_by(|&p, &q| matrix[p][p].total_cmp(&matrix[q][q]))
        .expect("three eigenvalues");
    [vectors[0][top], vectors[1][top], vectors[2][top]]
}

#[cfg(test)]
mod tests {
    use super::super::test_support::{self, kernel_problem, values};
    use super::*;
    use crate::linalg::symmetric_eigen;
    use crate::solver::Status;

    /// The square matrix with all its slack that a vector stands for.
    fn square(x: &[f64], n: usize, m: usize) -> Matrix {
        let (side, root) = (n.max(m), (n.abs_diff(m) as f64).sqrt());
        Matrix::from_fn(side, side, |i, a| {
            if i < n && a < m {
                x[i * m + a]
            } else {
                x[n * m + if n < m { a } else { i }] / root
            }
        })
    }

    #[test]
    fn it_behaves_as_every_relaxation() {
        test_support::behaves(&Smac::default());
    }

    #[test]
    fn the_projection_is_one() {
        for (n, m) in [(4, 4), (3, 5), (6, 2), (1, 3)] {
            let problem = kernel_problem(values(n, 1), values(m, 2), false);
            let mut operator = Operator::new(&problem);
            let draw = |seed: u64| -> Vec<f64> {
                let mut rng = ChaCha8Rng::seed_from_u64(seed);
                (0..operator.len())
                    .map(|_| rng.random::<f64>() - 0.3)
                    .collect()
            };
            let (x, y) = (draw(1), draw(2));
            let (mut px, mut py) = (x.clone(), y.clone());
            operator.project(&mut px);
            operator.project(&mut py);
            // Into the space: all sums are equal.
            let inside = square(&px, n, m);
            let side = n.max(m);
            let want = inside.as_slice().iter().sum::<f64>() / side as f64;
            for k in 0..side {
                let row: f64 = inside.row(k).iter().sum();
                let column: f64 = (0..side).map(|i| inside[(i, k)]).sum();
                assert!((row - want).abs() < 1e-12 && (column - want).abs() < 1e-12);
            }
            // Again changes nothing, and what is taken off is orthogonal to the space.
            let mut again = px.clone();
            operator.project(&mut again);
            assert!(again.iter().zip(&px).all(|(a, b)| (a - b).abs() < 1e-12));
            let off: Vec<f64> = x.iter().zip(&px).map(|(x, p)| x - p).collect();
            assert!(dot(&off, &py).abs() < 1e-12);
        }
    }

    #[test]
    fn the_vector_is_the_principal_one_of_the_projected_operator() {
        for (n, m) in [(4, 4), (3, 5), (5, 3)] {
            let problem = kernel_problem(values(n, 1), values(m, 2), false);
            let mut search = Search::new(&problem, 0);
            for _ in 0..300 {
                if search.residual() < 1e-9 {
                    break;
                }
                search.step();
            }
            let size = search.x.len();
            let mut operator = Operator::new(&problem);
            let mut full = Matrix::zeros(size, size);
            for k in 0..size {
                let mut unit = vec![0.0; size];
                unit[k] = 1.0;
                operator.project(&mut unit);
                let mut column = vec![0.0; size];
                operator.apply(&unit, &mut column);
                for j in 0..size {
                    full[(j, k)] = column[j];
                }
            }
            let eigen = symmetric_eigen(&full).unwrap();
            let value = dot(&search.x, &search.image);
            assert!((value - eigen.values[size - 1]).abs() < 1e-7, "{n}×{m}");
            let mut image = vec![0.0; size];
            operator.apply(&search.x, &mut image);
            for (image, x) in image.iter().zip(&search.x) {
                assert!((image - value * x).abs() < 1e-6);
            }
        }
    }

    #[test]
    fn it_converges() {
        for (n, m) in [(12, 12), (10, 14)] {
            let problem = kernel_problem(values(n, 1), values(m, 2), true);
            let solution = test_support::solve(&Smac::default(), &problem);
            assert_eq!(solution.status, Status::Converged);
            assert!(*solution.convergence.last().unwrap() <= 1e-6);
        }
    }

    #[test]
    fn bad_parameters_are_refused() {
        test_support::refuses::<Smac>(&[("tolerance", |s| s.tolerance = f64::NAN)]);
    }
}
