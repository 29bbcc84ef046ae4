//! The semidefinite relaxation (Schellewald, Schnörr, *Probabilistic subgraph matching based on convex relaxation*, EMMCVPR 2005).
//!
//! With y = (1, vec X) the program is linear in Y = y yᵀ. Dropping that Y has rank one leaves a convex program,
//!
//! > min ⟨L, Y⟩   over Y ⪰ 0, Y₀₀ = 1, 0 ≤ Y ≤ 1, Y(ia, ib) = Y(ia, ja) = 0,
//!
//! with the row and column sums of X, multiplied by every entry of y, beside it. Its optimum **bounds** that of the integer program,
//! and its first row has a probability for each assignment, which a linear assignment rounds.
//!
//! The authors hand it to a conic interior-point solver. Here it is solved by a first-order method of our own, after Oliveira,
//! Wolkowicz and Xu (2018): all sums hold when Y = V R Vᵀ for a fixed V with orthonormal columns, and
//!
//! > R = Π₊ Vᵀ(Y + Z/β)V,   Y = Π(V R Vᵀ − (L + Z)/β),   Z += γβ (Y − V R Vᵀ),
//!
//! where Π₊ cuts off negative eigenvalues and Π is entry by entry. Any Z gives a bound, converged or not:
//! min over Π's set of ⟨L + Z, Y⟩, less (N + 1) λ_max(Vᵀ Z V), since R has the trace N + 1. The best of them after each iteration is
//! the solution's `convergence`, in the problem's own sense.
//!
//! Sides of different sizes are filled up with nodes that interact with nobody; where nodes may stay alone, each side gets as
//! many as the other has.

use serde::{Deserialize, Serialize};

use super::memory::bytes;
use super::relaxation::{cap_sums, check_nonnegative, check_positive};
use super::{Info, Kind, OnLists, Solution, Solver, Start, Status, round_within};
use crate::error::{Error, Result};
use crate::linalg::{Matrix, multiply_into, multiply_transposed_into, symmetric_eigen};
use crate::monitor::{Monitor, Progress};
use crate::problem::{Coverage, Problem};

/// Nodes a side at most: Y has their fourth power of entries.
const MOST_NODES: usize = 30;

/// γ, the length of a step of the multipliers.
const STEP: f64 = 1.618;

/// Iterations between two bounds.
const BOUND_EVERY: usize = 10;

/// The relaxation's parameters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Sdp {
    /// Iterations at most. Default 250.
    pub max_iterations: usize,
    /// Iterations times N⁶ at most, one iteration at least: what large problems get. Default 4e8.
    pub max_work: f64,
    /// Stop when Y and V R Vᵀ differ by at most this, relative to their size. Default 1e-4.
    pub tolerance: f64,
    /// β, over N/3. Default 1.
    pub penalty: f64,
}

impl Default for Sdp {
    fn default() -> Self {
        Self {
            max_iterations: 250,
            max_work: 4e8,
            tolerance: 1e-4,
            penalty: 1.0,
        }
    }
}

impl Solver for Sdp {
    fn info(&self) -> Info {
        Info {
            name: "sdp",
            kind: Kind::Relaxation,
            reference: "Schellewald, Schnörr, EMMCVPR 2005",
            complexity: "an eigendecomposition of n² rows, O(n⁶)",
            accepts: "all, of at most 30 nodes a side, lone ones counted",
            candidates: OnLists::Filled,
        }
    }

    fn check(&self) -> Result<()> {
        check_positive("max_iterations", self.max_iterations)?;
        check_nonnegative("max_work", self.max_work)?;
        check_nonnegative("tolerance", self.tolerance)?;
        if self.penalty > 0.0 && self.penalty.is_finite() {
            return Ok(());
        }
        Err(Error::parameter(
            "penalty",
            self.penalty,
            "a finite number above 0",
        ))
    }

    fn memory(&self, problem: &Problem) -> u64 {
        if !has_pairs(problem) {
            return bytes(problem, 0);
        }
        let rows = (side(problem) as u64).pow(2) + 1;
        bytes(problem, rows.saturating_mul(rows).saturating_mul(10))
    }

    /// The best bound of all iterations.
    fn bound(&self, solution: &Solution) -> Option<f64> {
        solution.convergence.last().copied()
    }

    /// The start is not used.
    ///
    /// # Complexity
    /// O(N⁶) an iteration, O(N⁴) memory, N the larger side, or the sum of both where nodes may stay alone.
    fn solve_accepted(
        &self,
        problem: &Problem,
        _start: &Start<'_>,
        monitor: &Monitor,
    ) -> Result<Solution> {
        check_size(problem)?;
        let (n, m) = problem.shape();
        let mut lifted = Lifted::new(problem);
        let work = (side(problem).max(1) as f64).powi(6);
        let limit = ((self.max_work / work) as usize).clamp(1, self.max_iterations);
        let (mut status, mut bounds) = (Status::IterationLimit, Vec::new());
        let mut best = f64::NEG_INFINITY;
        while bounds.len() < limit {
            let residual = lifted.iterate(self.penalty)?;
            if bounds.len() % BOUND_EVERY == 0
                || bounds.len() + 1 == limit
                || residual <= self.tolerance
            {
                best = best.max(lifted.bound()?);
            }
            bounds.push(lifted.in_own_sense(problem, best));
            let interrupt = monitor.checkpoint(Progress {
                stage: "sdp",
                done: bounds.len(),
                total: Some(limit),
                value: Some(residual),
            });
            if let Some(interrupt) = interrupt {
                status = interrupt.into();
                break;
            }
            if residual <= self.tolerance {
                status = Status::Converged;
                break;
            }
        }
        let mut soft = Matrix::from_fn(n, m, |i, a| {
            if problem.candidates().allows(i, a) {
                lifted.probability(i, a)
            } else {
                0.0
            }
        });
        let assignment = round_within(problem, &soft, monitor)?;
        cap_sums(&mut soft, &assignment);
        Ok(Solution {
            objective: problem.objective(&assignment),
            assignment,
            soft: Some(soft.into()),
            iterations: bounds.len(),
            status,
            convergence: bounds,
        })
    }
}

/// Refuses what would not end, after the memory that it takes was asked for.
fn check_size(problem: &Problem) -> Result<()> {
    let nodes = side(problem);
    if nodes <= MOST_NODES || !has_pairs(problem) {
        return Ok(());
    }
    Err(Error::parameter(
        "problem",
        format!("{nodes} nodes a side, lone ones counted"),
        format!("at most {MOST_NODES}: the relaxation has the fourth power of them"),
    ))
}

/// Whether two assignments can be made together.
fn has_pairs(problem: &Problem) -> bool {
    problem.shape().0.min(problem.shape().1) > 1
}

/// N: nodes a side with those that fill up.
fn side(problem: &Problem) -> usize {
    let (n, m) = problem.shape();
    let all_matched = problem.coverage() == Coverage::Full && problem.candidates().is_all();
    if all_matched { n.max(m) } else { n + m }
}

/// Y, Z and what they are made from; without pairs everything is in the costs alone.
struct Lifted {
    nodes: usize,
    /// L in units of its size, to be minimised.
    cost: Matrix,
    unit: f64,
    /// What an entry may be: `None` fixed at zero.
    free: Vec<bool>,
    /// V, a column a row.
    basis: Matrix,
    y: Matrix,
    z: Matrix,
}

impl Lifted {
    fn new(problem: &Problem) -> Self {
        let nodes = if has_pairs(problem) { side(problem) } else { 0 };
        let (n, m) = problem.shape();
        let rows = nodes * nodes + 1;
        let sign = -problem.sense().sign();
        let real = |p: usize| {
            let (i, a) = ((p - 1) / nodes, (p - 1) % nodes);
            (i < n && a < m).then_some((i, a))
        };
        let allowed =
            |p: usize| p == 0 || real(p).is_none_or(|(i, a)| problem.candidates().allows(i, a));
        let mut cost = Matrix::zeros(rows, rows);
        let mut free = vec![false; rows * rows];
        for p in 0..rows {
            for q in 0..rows {
                let conflict = p != q && p > 0 && q > 0 && {
                    let (i, a, j, b) = (
                        (p - 1) / nodes,
                        (p - 1) % nodes,
                        (q - 1) / nodes,
                        (q - 1) % nodes,
                    );
                    i == j || a == b
                };
                free[p * rows + q] = !conflict && allowed(p) && allowed(q);
                if !free[p * rows + q] || p == 0 || q == 0 {
                    continue;
                }
                if let (Some((i, a)), Some((j, b))) = (real(p), real(q)) {
                    cost[(p, q)] = sign
                        * if p == q {
                            problem.unary()[(i, a)]
                        } else {
                            problem.pairwise().value(i, a, j, b)
                        };
                }
            }
        }
        let largest = cost.as_slice().iter().fold(0.0f64, |m, v| m.max(v.abs()));
        let mut unit = 1.0;
        if largest > 0.0 {
            // In two steps: squares of the largest numbers are none.
            cost.as_mut_slice().iter_mut().for_each(|v| *v /= largest);
            let size: f64 = cost.as_slice().iter().map(|v| v * v).sum::<f64>().sqrt();
            let scale = (nodes * nodes) as f64 / size;
            cost.as_mut_slice().iter_mut().for_each(|v| *v *= scale);
            unit = largest / scale;
        }
        let basis = basis(nodes);
        let start = basis.row(0).to_vec();
        let y = Matrix::from_fn(rows, rows, |p, q| 2.0 * start[p] * start[q]);
        Self {
            nodes,
            z: Matrix::zeros(rows, rows),
            unit,
            cost,
            free,
            basis,
            y,
        }
    }

    /// One iteration; how far Y is from V R Vᵀ, relative to its size.
    fn iterate(&mut self, penalty: f64) -> Result<f64> {
        let rows = self.y.rows();
        let beta = penalty * (self.nodes.max(1) as f64) / 3.0;
        let target = Matrix::from_fn(rows, rows, |p, q| self.y[(p, q)] + self.z[(p, q)] / beta);
        let reduced = self.reduced(&target);
        let eigen = symmetric_eigen(&reduced)?;
        let size = reduced.rows();
        let root = Matrix::from_fn(size, size, |k, i| {
            // Row k is the k-th eigenvector times the root of its eigenvalue.
            eigen.values[k].max(0.0).sqrt() * eigen.vectors[(i, k)]
        });
        // V R Vᵀ = (root V)ᵀ (root V).
        let mut image = Matrix::zeros(size, rows);
        multiply_into(
            image.as_mut_slice(),
            root.as_slice(),
            self.basis.as_slice(),
            size,
            size,
            rows,
        );
        let image = image.transposed();
        let mut low = Matrix::zeros(rows, rows);
        multiply_transposed_into(
            low.as_mut_slice(),
            image.as_slice(),
            image.as_slice(),
            rows,
            size,
            rows,
        );
        let (mut apart, mut whole) = (0.0, 0.0);
        for p in 0..rows {
            for q in 0..rows {
                let wanted = low[(p, q)] - (self.cost[(p, q)] + self.z[(p, q)]) / beta;
                let value = if p == 0 && q == 0 {
                    1.0
                } else if self.free[p * rows + q] {
                    wanted.clamp(0.0, 1.0)
                } else {
                    0.0
                };
                self.y[(p, q)] = value;
                let difference = value - low[(p, q)];
                self.z[(p, q)] += STEP * beta * difference;
                apart += difference * difference;
                whole += value * value;
            }
        }
        Ok((apart / whole).sqrt())
    }

    /// Vᵀ M V.
    fn reduced(&self, matrix: &Matrix) -> Matrix {
        let (size, rows) = (self.basis.rows(), matrix.rows());
        let mut half = Matrix::zeros(size, rows);
        multiply_into(
            half.as_mut_slice(),
            self.basis.as_slice(),
            matrix.as_slice(),
            size,
            rows,
            rows,
        );
        let mut out = Matrix::zeros(size, size);
        multiply_transposed_into(
            out.as_mut_slice(),
            half.as_slice(),
            self.basis.as_slice(),
            size,
            rows,
            size,
        );
        // Rounding is no asymmetry.
        Matrix::from_fn(size, size, |i, j| 0.5 * (out[(i, j)] + out[(j, i)]))
    }

    /// A lower bound of the scaled program, by the multipliers as they are.
    fn bound(&self) -> Result<f64> {
        let rows = self.y.rows();
        let mut sum = self.cost[(0, 0)] + self.z[(0, 0)];
        for p in 0..rows {
            for q in (0..rows).filter(|&q| (p, q) != (0, 0) && self.free[p * rows + q]) {
                sum += (self.cost[(p, q)] + self.z[(p, q)]).min(0.0);
            }
        }
        let values = symmetric_eigen(&self.reduced(&self.z))?.values;
        let largest = values.last().copied().unwrap_or(0.0);
        Ok(sum - (self.nodes + 1) as f64 * largest)
    }

    /// A bound in the problem's own unit and sense; without pairs, that of the unary values.
    fn in_own_sense(&self, problem: &Problem, bound: f64) -> f64 {
        let sign = -problem.sense().sign();
        if self.nodes == 0 {
            let best = problem
                .unary()
                .occurring()
                .map(|u| sign * u)
                .fold(0.0, f64::min);
            let (n, m) = problem.shape();
            let least = problem
                .unary()
                .occurring()
                .map(|u| sign * u)
                .fold(f64::INFINITY, f64::min);
            let all = problem.coverage() == Coverage::Full
                && n.min(m) == 1
                && problem.candidates().is_all();
            return problem.constant() + sign * if all { least } else { best };
        }
        problem.constant() + sign * self.unit * bound
    }

    fn probability(&self, i: usize, a: usize) -> f64 {
        if self.nodes == 0 {
            return 0.0;
        }
        self.y[(0, 1 + i * self.nodes + a)].clamp(0.0, 1.0)
    }
}

/// Orthonormal rows that span (1, vec X) of all X with row and column sums 1: their mean, and u ⊗ v for u, v orthogonal to
/// the ones.
fn basis(nodes: usize) -> Matrix {
    let rows = nodes * nodes + 1;
    if nodes == 0 {
        return Matrix::filled(1, 1, 1.0);
    }
    let size = (nodes - 1) * (nodes - 1) + 1;
    // Helmert's rows: k ones, then −k.
    let helmert = |k: usize, i: usize| {
        let norm = ((k * (k + 1)) as f64).sqrt();
        match i.cmp(&k) {
            std::cmp::Ordering::Less => 1.0 / norm,
            std::cmp::Ordering::Equal => -(k as f64) / norm,
            std::cmp::Ordering::Greater => 0.0,
        }
    };
    Matrix::from_fn(size, rows, |r, p| {
        if r == 0 {
            let half = std::f64::consts::FRAC_1_SQRT_2;
            return if p == 0 { half } else { half / nodes as f64 };
        }
        if p == 0 {
            return 0.0;
        }
        let (k, l) = ((r - 1) / (nodes - 1) + 1, (r - 1) % (nodes - 1) + 1);
        helmert(k, (p - 1) / nodes) * helmert(l, (p - 1) % nodes)
    })
}

#[cfg(test)]
mod tests {
    use super::super::test_support::{self, hidden, kernel_problem, values};
    use super::*;
    use crate::problem::{Candidates, ExplicitPairwise, Sense};
    use anchormatch_invariants::shapes::noise;
    use anchormatch_invariants::small_problems::assignments;

    fn explicit(n: usize, m: usize, sense: Sense, seed: u64) -> Problem {
        let w = Matrix::from_fn(n * m, n * m, |p, q| noise(p.min(q), p.max(q), seed) - 0.4);
        let unary = Matrix::from_fn(n, m, |i, a| 3.0 * noise(i, a, seed + 1) - 1.0);
        let pairwise = ExplicitPairwise::new(n, m, w).unwrap();
        Problem::new(sense, unary, Box::new(pairwise))
            .unwrap()
            .with_constant(2.5)
    }

    /// The best of all feasible assignments.
    fn optimum(problem: &Problem) -> f64 {
        let (n, m) = problem.shape();
        let feasible = assignments(n, m, true).into_iter();
        let values = feasible
            .filter(|x| problem.is_feasible(x))
            .map(|x| problem.objective(&x));
        let better = |x, y| if problem.sense().better(y, x) { y } else { x };
        values.reduce(better).unwrap()
    }

    #[test]
    fn the_bound_is_on_the_right_side_of_the_optimum_and_near_it() {
        let solver = Sdp {
            max_iterations: 600,
            ..Sdp::default()
        };
        for sense in [Sense::Maximise, Sense::Minimise] {
            for (n, m, seed) in [(4, 4, 1), (5, 5, 2), (3, 5, 3), (5, 3, 4), (1, 4, 5)] {
                let full = explicit(n, m, sense, seed);
                let pairs = (0..n * m).filter(|k| k % 4 != 1).map(|k| (k / m, k % m));
                let few = explicit(n, m, sense, seed)
                    .with_candidates(Candidates::listed(n, m, pairs).unwrap())
                    .unwrap();
                let partial = explicit(n, m, sense, seed).with_coverage(Coverage::Partial);
                for problem in [full, few, partial] {
                    let best = optimum(&problem);
                    let solution = test_support::solve(&solver, &problem);
                    let sign = sense.sign();
                    for bound in &solution.convergence {
                        assert!(
                            sign * bound >= sign * best - 1e-6,
                            "{sense:?} {n}×{m}: {bound} {best}"
                        );
                    }
                    let last = solver.bound(&solution).unwrap();
                    let gap = sign * (last - best);
                    assert!(
                        gap <= 0.35 * (1.0 + best.abs()),
                        "{sense:?} {n}×{m}: {last} {best}"
                    );
                }
            }
        }
    }

    #[test]
    fn isomorphic_graphs_leave_no_gap() {
        let (x, y, truth) = hidden(6, 7);
        let problem = kernel_problem(x, y, false);
        let solver = Sdp {
            max_iterations: 1500,
            tolerance: 1e-6,
            ..Sdp::default()
        };
        let solution = test_support::solve(&solver, &problem);
        assert_eq!(solution.assignment, truth);
        let bound = solver.bound(&solution).unwrap();
        assert!((bound - 30.0).abs() < 0.3, "{bound}");
    }

    #[test]
    fn the_basis_is_orthonormal_and_spans_assignments() {
        for nodes in [2, 3, 5] {
            let v = basis(nodes);
            for i in 0..v.rows() {
                for j in 0..v.rows() {
                    let inner: f64 = v.row(i).iter().zip(v.row(j)).map(|(x, y)| x * y).sum();
                    assert!((inner - f64::from(i == j)).abs() < 1e-12);
                }
            }
            // A permutation with its leading 1 is its own projection.
            let y: Vec<f64> = (0..=nodes * nodes)
                .map(|p| f64::from(p == 0 || (p - 1) % nodes == ((p - 1) / nodes + 1) % nodes))
                .collect();
            let mut image = vec![0.0; y.len()];
            for k in 0..v.rows() {
                let weight: f64 = v.row(k).iter().zip(&y).map(|(x, y)| x * y).sum();
                image
                    .iter_mut()
                    .zip(v.row(k))
                    .for_each(|(slot, x)| *slot += weight * x);
            }
            assert!(y.iter().zip(&image).all(|(x, y)| (x - y).abs() < 1e-12));
        }
    }

    #[test]
    fn it_behaves_as_every_relaxation() {
        test_support::behaves(&Sdp::default());
        let large = kernel_problem(values(31, 1), values(31, 2), true);
        let refused = Sdp::default().solve(&large, &Start::default(), &Monitor::silent());
        let refused = refused.unwrap_err().to_string();
        assert!(refused.contains("at most 30"), "{refused}");
    }

    #[test]
    fn bad_parameters_are_refused() {
        test_support::refuses::<Sdp>(&[
            ("max_iterations", |s| s.max_iterations = 0),
            ("max_work", |s| s.max_work = f64::NAN),
            ("tolerance", |s| s.tolerance = -1.0),
            ("penalty", |s| s.penalty = 0.0),
        ]);
    }
}
