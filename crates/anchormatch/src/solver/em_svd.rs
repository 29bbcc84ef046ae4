//! Structural matching by expectation–maximisation and a singular value decomposition (Luo, Hancock, *Structural graph matching
//! using the EM algorithm and singular value decomposition*, IEEE TPAMI 23, 2001).
//!
//! Edges of one graph are observations of those of the other, through an assignment S and a small probability of error
//! whose logarithm is −μ. The two steps, in matrices:
//!
//! > E: q_ia ∝ exp(μ ((A S Bᵀ)_ia − ½ ‖B_a‖²)), each row to sum 1  (who may have sent what i sees)
//! > M: S = V E Uᵀ of the decomposition Aᵀ Q B = V Δ Uᵀ        (maximises tr(Aᵀ Q B Sᵀ) over matrices with orthonormal rows)
//!
//! until Q no longer moves; Q and a linear assignment give the matching. S is the polar factor of Aᵀ Q B, which is what V E Uᵀ
//! is. Read differently from the paper: weights with errors of a Gaussian kind in place of zeros and ones, of which ½ ‖B_a‖² is
//! what the absent edges say there; μ in units of the largest degree; the first Q from
//! the difference of degrees, where the paper takes features of the nodes.

use serde::{Deserialize, Serialize};

use super::relaxation::{check_nonnegative, check_positive};
use super::two_graphs::{OfTwoGraphs, Scores, TwoGraphs, degrees};
use super::{Start, Status};
use crate::error::Result;
use crate::linalg::{Matrix, multiply_into, multiply_transposed_into, symmetric_eigen};
use crate::monitor::{Monitor, Progress};

/// Singular values below this share of the largest are zero.
const RANK: f64 = 1e-10;

/// The method's parameters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct EmSvd {
    /// μ, how sharply an agreement of edges decides, over the largest degree. Default 30.
    pub sharpness: f64,
    /// Iterations at most. Default 100.
    pub max_iterations: usize,
    /// Stop when no entry of Q moves by more than this. Default 1e-6.
    pub tolerance: f64,
    /// How much the unary terms, scaled to [0, 1], weigh against the score. Default 1.
    pub unary_weight: f64,
}

impl Default for EmSvd {
    fn default() -> Self {
        Self {
            sharpness: 30.0,
            max_iterations: 100,
            tolerance: 1e-6,
            unary_weight: 1.0,
        }
    }
}

impl OfTwoGraphs for EmSvd {
    const NAME: &str = "em-svd";
    const REFERENCE: &str = "Luo, Hancock, IEEE TPAMI 2001";
    const COMPLEXITY: &str = "one singular value decomposition, O(n³)";
    const SQUARES: u64 = 14;

    fn check_parameters(&self) -> Result<()> {
        check_nonnegative("sharpness", self.sharpness)?;
        check_nonnegative("tolerance", self.tolerance)?;
        check_positive("max_iterations", self.max_iterations)?;
        check_nonnegative("unary_weight", self.unary_weight)
    }

    fn unary_weight(&self) -> f64 {
        self.unary_weight
    }

    /// Starts from the soft matrix of the start, where there is one.
    ///
    /// # Complexity
    /// O(n³) an iteration, O(n²) memory.
    fn scores(&self, graphs: &TwoGraphs, start: &Start<'_>, monitor: &Monitor) -> Result<Scores> {
        let (n, m) = (graphs.source.rows(), graphs.target.rows());
        let mut posterior = match start.soft {
            Some(soft) => Matrix::from_fn(n, m, |i, a| soft[(i, a)]),
            None => by_degrees(graphs),
        };
        let most = degrees(&graphs.source)
            .into_iter()
            .chain(degrees(&graphs.target))
            .fold(0.0f64, |m, d| m.max(d.abs()));
        let sharpness = if most > 0.0 {
            self.sharpness / most
        } else {
            0.0
        };
        let (mut status, mut residuals) = (Status::IterationLimit, Vec::new());
        while residuals.len() < self.max_iterations {
            let assignment = m_step(graphs, &posterior)?;
            let next = e_step(graphs, &assignment, sharpness);
            let pairs = next.as_slice().iter().zip(posterior.as_slice());
            let moved = pairs.fold(0.0f64, |most, (x, y)| most.max((x - y).abs()));
            posterior = next;
            residuals.push(moved);
            let interrupt = monitor.checkpoint(Progress {
                stage: "em-svd",
                done: residuals.len(),
                total: Some(self.max_iterations),
                value: Some(moved),
            });
            if moved <= self.tolerance {
                status = Status::Converged;
                break;
            }
            if let Some(interrupt) = interrupt {
                status = interrupt.into();
                break;
            }
        }
        Ok(Scores {
            tried: vec![posterior],
            status,
            residuals,
        })
    }
}

/// exp(−|d_i − d_a| / mean), each row to sum 1.
fn by_degrees(graphs: &TwoGraphs) -> Matrix {
    let (one, two) = (degrees(&graphs.source), degrees(&graphs.target));
    let apart = Matrix::from_fn(one.len(), two.len(), |i, a| (one[i] - two[a]).abs());
    let mean = apart.mean();
    let rate = if mean > 0.0 { 4.0 / mean } else { 0.0 };
    let mut q = Matrix::from_fn(one.len(), two.len(), |i, a| (-rate * apart[(i, a)]).exp());
    normalise(&mut q);
    q
}

/// q_ia ∝ exp(μ ((A S Bᵀ)_ia − ½ ‖B_a‖²)).
fn e_step(graphs: &TwoGraphs, s: &Matrix, sharpness: f64) -> Matrix {
    let mut q = sandwich(graphs, s);
    let lengths: Vec<f64> = (0..q.cols())
        .map(|a| graphs.target.row(a).iter().map(|w| 0.5 * w * w).sum())
        .collect();
    for i in 0..q.rows() {
        let row = q.row_mut(i);
        row.iter_mut()
            .zip(&lengths)
            .for_each(|(v, length)| *v -= length);
        let most = row.iter().fold(f64::NEG_INFINITY, |m, &v| m.max(v));
        row.iter_mut()
            .for_each(|v| *v = (sharpness * (*v - most)).exp());
    }
    normalise(&mut q);
    q
}

/// The matrix with orthonormal rows, or columns, that maximises tr((A Q B) Sᵀ): the polar factor of A Q B.
fn m_step(graphs: &TwoGraphs, q: &Matrix) -> Result<Matrix> {
    polar(&sandwich(graphs, q))
}

/// A Q B for symmetric A and B.
fn sandwich(graphs: &TwoGraphs, q: &Matrix) -> Matrix {
    let (n, m) = (q.rows(), q.cols());
    let mut left = Matrix::zeros(n, m);
    multiply_into(
        left.as_mut_slice(),
        graphs.source.as_slice(),
        q.as_slice(),
        n,
        n,
        m,
    );
    let mut both = Matrix::zeros(n, m);
    multiply_into(
        both.as_mut_slice(),
        left.as_slice(),
        graphs.target.as_slice(),
        n,
        m,
        m,
    );
    both
}

/// V E Uᵀ of M = V Δ Uᵀ: M (MᵀM)^(−½), zero singular values left out.
fn polar(matrix: &Matrix) -> Result<Matrix> {
    if matrix.rows() < matrix.cols() {
        return Ok(polar(&matrix.transposed())?.transposed());
    }
    let (n, m) = (matrix.rows(), matrix.cols());
    let transposed = matrix.transposed();
    let mut gram = Matrix::zeros(m, m);
    multiply_into(
        gram.as_mut_slice(),
        transposed.as_slice(),
        matrix.as_slice(),
        m,
        n,
        m,
    );
    let eigen = symmetric_eigen(&gram)?;
    let largest = eigen.values.last().copied().unwrap_or(0.0).max(0.0);
    let floor = RANK * RANK * largest;
    let root = Matrix::from_fn(m, m, |i, k| {
        let value = eigen.values[k];
        if value > floor && largest > 0.0 {
            eigen.vectors[(i, k)] / value.sqrt()
        } else {
            0.0
        }
    });
    let mut inverse = Matrix::zeros(m, m);
    multiply_transposed_into(
        inverse.as_mut_slice(),
        root.as_slice(),
        eigen.vectors.as_slice(),
        m,
        m,
        m,
    );
    let mut out = Matrix::zeros(n, m);
    multiply_into(
        out.as_mut_slice(),
        matrix.as_slice(),
        inverse.as_slice(),
        n,
        m,
        m,
    );
    Ok(out)
}

fn normalise(q: &mut Matrix) {
    for i in 0..q.rows() {
        let sum: f64 = q.row(i).iter().sum();
        if sum > 0.0 {
            q.row_mut(i).iter_mut().for_each(|v| *v /= sum);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Solver;
    use super::super::two_graphs::tests::{
        isomorphic, solve, takes_what_products_there_are, weights,
    };
    use super::*;
    use crate::linalg::PairValues;

    #[test]
    fn the_m_step_maximises_the_trace() {
        let graphs = TwoGraphs {
            source: weights(6, 60, 1),
            target: weights(6, 60, 2),
        };
        let q = Matrix::from_fn(6, 6, |i, a| ((i * 5 + a * 3) % 7) as f64);
        let objective = |s: &Matrix| -> f64 {
            let pairs = sandwich(&graphs, &q);
            pairs
                .as_slice()
                .iter()
                .zip(s.as_slice())
                .map(|(x, y)| x * y)
                .sum()
        };
        let best = m_step(&graphs, &q).unwrap();
        for i in 0..6 {
            for j in 0..6 {
                let inner: f64 = best
                    .row(i)
                    .iter()
                    .zip(best.row(j))
                    .map(|(x, y)| x * y)
                    .sum();
                assert!((inner - f64::from(i == j)).abs() < 1e-6, "{i} {j} {inner}");
            }
        }
        for seed in 0..30 {
            let random = Matrix::from_fn(6, 6, |i, a| ((i * 31 + a * 17 + seed * 7) as f64).sin());
            assert!(objective(&polar(&random).unwrap()) <= objective(&best) + 1e-9);
        }
    }

    #[test]
    fn the_truth_of_isomorphic_graphs_stays() {
        for (n, percent, seed) in [(9, 50, 3), (12, 30, 5), (11, 100, 7)] {
            let (problem, truth) = isomorphic(n, percent, seed);
            let soft = Matrix::from_fn(n, n, |i, a| f64::from(truth.partner(i) == Some(a)));
            let soft = PairValues::from(soft);
            let start = Start::default().with_soft(&soft);
            let solution = EmSvd::default()
                .solve(&problem, &start, &Monitor::silent())
                .unwrap();
            assert_eq!(solution.assignment, truth, "{n} {percent}");
        }
    }

    #[test]
    fn nodes_of_different_degrees_are_found_from_their_degrees() {
        let (problem, truth) = isomorphic(13, 40, 3);
        let found = solve(&EmSvd::default(), &problem).assignment;
        let right = found
            .pairs()
            .filter(|&(i, a)| truth.partner(i) == Some(a))
            .count();
        assert!(right >= 10, "{right} of 13");
        takes_what_products_there_are(&EmSvd::default());
    }
}
