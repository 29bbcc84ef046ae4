//! Umeyama's spectral method (*An eigendecomposition approach to weighted graph matching problems*,
//! IEEE TPAMI 10, 1988).
//!
//! With A = U Λ Uᵀ and B = V M Vᵀ, eigenvalues in the same order, the orthogonal matrices that
//! maximise tr(A X B Xᵀ) are X = U S Vᵀ with any signs S, and Σ λ_k μ_k bounds every assignment. The
//! nearest assignment to one of them has at most the score of |U| |V|ᵀ, so one linear assignment on
//!
//! > |U| |V|ᵀ
//!
//! gives the matching. It is exact for isomorphic graphs with simple spectra, and good near them.
//!
//! * Costs: the eigenvalues of −A.
//! * Unequal sizes: dummy nodes without edges have eigenvalue 0 and eigenvectors that vanish on all
//!   others. So the k eigenvectors of the smaller graph meet as many of the larger one's, those of
//!   nonnegative eigenvalues the largest and those of negative ones the smallest (compare Zhao et al.
//!   2007, who take the first k).
//! * Directed graphs: the eigenvectors of the Hermitian matrix ½ (A + Aᵀ) + ½ i (A − Aᵀ), as in the
//!   paper, and their moduli.
//! * Unary terms, of which the paper has none, are scaled to \[0, 1\], as |U| |V|ᵀ is, and added.

use serde::{Deserialize, Serialize};

use super::memory::squares;
use super::relaxation::check_nonnegative;
use super::{Info, Kind, OnLists, Solution, Solver, Start, Status, round_within};
use crate::assignment::Sinkhorn;
use crate::error::{Error, Result};
use crate::linalg::{Matrix, multiply_transposed_into, symmetric_eigen};
use crate::monitor::{Monitor, Progress};
use crate::problem::{Problem, ProductPairwise, Weights};

/// Sweeps that balance the soft matrix.
const SOFT_SWEEPS: usize = 100;

/// The method's one parameter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Umeyama {
    /// How much the unary terms, scaled to [0, 1], weigh against the spectral score. Default 1.
    pub unary_weight: f64,
}

impl Default for Umeyama {
    fn default() -> Self {
        Self { unary_weight: 1.0 }
    }
}

impl Solver for Umeyama {
    fn info(&self) -> Info {
        Info {
            name: "umeyama",
            kind: Kind::Relaxation,
            reference: "Umeyama, IEEE TPAMI 1988",
            complexity: "two eigendecompositions, O(n³), once",
            accepts: "products A, B",
            candidates: OnLists::Filled,
        }
    }

    fn check(&self) -> Result<()> {
        check_nonnegative("unary_weight", self.unary_weight)
    }

    fn accepts(&self, problem: &Problem) -> Result<()> {
        factors(problem).map(|_| ())
    }

    fn memory(&self, problem: &Problem) -> u64 {
        // A spectrum of twice the size, its vectors and their moduli.
        squares(problem, 16)
    }

    /// The start is not used. A stop leaves out the spectral score.
    ///
    /// # Complexity
    /// O(n³) time and O(n²) memory; directed graphs have eigenproblems of twice the size.
    fn solve_accepted(
        &self,
        problem: &Problem,
        _start: &Start<'_>,
        monitor: &Monitor,
    ) -> Result<Solution> {
        let product = factors(problem)?;
        let (n, m) = problem.shape();
        let directed = !product.is_symmetric();
        let mut score = self.unary_score(problem, monitor)?;
        let mut status = Status::Converged;
        let mut done = 0;
        let mut stop = || {
            done += 1;
            monitor.checkpoint(Progress {
                stage: "umeyama",
                done,
                total: Some(2),
                value: None,
            })
        };
        let source = Spectrum::of(product.a(), directed, problem.sense().sign())?;
        if let Some(interrupt) = stop() {
            status = interrupt.into();
        } else {
            let target = Spectrum::of(product.b(), directed, 1.0)?;
            if let Some(interrupt) = stop() {
                status = interrupt.into();
            }
            add_spectral_score(&source, &target, &mut score);
        }
        let assignment = round_within(problem, &score, monitor)?;
        let mut soft = score;
        // Balancing needs positive entries.
        soft.as_mut_slice().iter_mut().for_each(|v| *v += 1e-9);
        let go_on = || monitor.interrupted().is_none();
        Sinkhorn::new().balance_while(soft.as_mut_slice(), (n, m), (1e-6, SOFT_SWEEPS), go_on);
        if monitor.interrupted().is_some() {
            super::relaxation::cap_sums(&mut soft, &assignment);
        }
        Ok(Solution {
            objective: problem.objective(&assignment),
            assignment,
            soft: Some(soft.into()),
            iterations: 1,
            status,
            convergence: Vec::new(),
        })
    }
}

/// The matrices whose spectra are compared.
fn factors(problem: &Problem) -> Result<&ProductPairwise> {
    problem.pairwise().as_product().ok_or_else(|| {
        Error::parameter(
            "problem",
            "pairwise values that are no products",
            "a quadratic assignment problem with matrices A and B, which umeyama decomposes",
        )
    })
}

impl Umeyama {
    fn unary_score(&self, problem: &Problem, monitor: &Monitor) -> Result<Matrix> {
        let mut score = problem.unary().full(monitor)?.into_owned();
        let sign = problem.sense().sign();
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in score.as_mut_slice() {
            *value *= sign;
            (low, high) = (low.min(*value), high.max(*value));
        }
        let factor = if high > low {
            self.unary_weight / (high - low)
        } else {
            0.0
        };
        for value in score.as_mut_slice() {
            *value = (*value - low) * factor;
        }
        Ok(score)
    }
}

/// Eigenvalues, the largest first, and the moduli of the eigenvectors, one a row.
struct Spectrum {
    values: Vec<f64>,
    moduli: Matrix,
}

impl Spectrum {
    /// The spectrum of `sign` · M, or of the Hermitian matrix of a directed M.
    fn of(weights: &Weights, directed: bool, sign: f64) -> Result<Self> {
        let n = weights.node_count();
        let mut matrix = weights.dense();
        matrix.as_mut_slice().iter_mut().for_each(|v| *v *= sign);
        if !directed {
            let eigen = symmetric_eigen(&matrix)?;
            let moduli = Matrix::from_fn(n, n, |k, i| eigen.vectors[(i, n - 1 - k)].abs());
            let values = eigen.values.into_iter().rev().collect();
            return Ok(Self { values, moduli });
        }
        // S + iK as the real matrix [[S, −K], [K, S]]: every eigenvalue twice, and all vectors of a
        // simple one's pair are the complex eigenvector times a phase.
        let real = Matrix::from_fn(2 * n, 2 * n, |p, q| {
            let (forward, back) = (matrix[(p % n, q % n)], matrix[(q % n, p % n)]);
            match (p < n, q < n) {
                (true, true) | (false, false) => 0.5 * (forward + back),
                (false, true) => 0.5 * (forward - back),
                (true, false) => 0.5 * (back - forward),
            }
        });
        let eigen = symmetric_eigen(&real)?;
        let values = (0..n).map(|k| eigen.values[2 * (n - 1 - k)]).collect();
        let moduli = Matrix::from_fn(n, n, |k, i| {
            let column = 2 * (n - 1 - k);
            eigen.vectors[(i, column)].hypot(eigen.vectors[(n + i, column)])
        });
        Ok(Self { values, moduli })
    }

    /// As many eigenvectors as `smaller` has, those that its own would meet.
    fn facing(&self, smaller: &Self) -> Matrix {
        let (count, all) = (smaller.values.len(), self.values.len());
        let positive = smaller.values.iter().filter(|v| **v >= 0.0).count();
        let rows: Vec<usize> = (0..positive).chain(all - (count - positive)..all).collect();
        let columns: Vec<usize> = (0..all).collect();
        self.moduli.select(&rows, &columns)
    }
}

/// `score` += |U| |V|ᵀ.
fn add_spectral_score(source: &Spectrum, target: &Spectrum, score: &mut Matrix) {
    let (n, m) = (source.values.len(), target.values.len());
    let (u, v) = if n <= m {
        (
            source.moduli.transposed(),
            target.facing(source).transposed(),
        )
    } else {
        (
            source.facing(target).transposed(),
            target.moduli.transposed(),
        )
    };
    let mut product = Matrix::zeros(n, m);
    multiply_transposed_into(
        product.as_mut_slice(),
        u.as_slice(),
        v.as_slice(),
        n,
        n.min(m),
        m,
    );
    for (slot, value) in score.as_mut_slice().iter_mut().zip(product.as_slice()) {
        *slot += value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assignment::Assignment;
    use crate::problem::{ExplicitPairwise, ProductPairwise, Sense};
    use anchormatch_invariants::shapes::noise;

    fn values(n: usize, seed: u64, symmetric: bool) -> Matrix {
        Matrix::from_fn(n, n, |i, j| {
            let (i, j) = if symmetric && i > j { (j, i) } else { (i, j) };
            noise(i, j, seed)
        })
    }

    #[test]
    fn moduli_are_those_of_eigenvectors() {
        let n = 7;
        let matrix = values(n, 1, false);
        let spectrum = Spectrum::of(&Weights::Dense(matrix.clone()), true, -1.0).unwrap();
        assert!(spectrum.values.windows(2).all(|w| w[0] >= w[1]));
        // Unit vectors, complete in every node, and Σ λ |u_i|² is the diagonal.
        for k in 0..n {
            let length: f64 = spectrum.moduli.row(k).iter().map(|v| v * v).sum();
            assert!((length - 1.0).abs() < 1e-10);
        }
        for i in 0..n {
            let complete: f64 = (0..n).map(|k| spectrum.moduli[(k, i)].powi(2)).sum();
            assert!((complete - 1.0).abs() < 1e-10);
            let diagonal: f64 = (0..n)
                .map(|k| spectrum.values[k] * spectrum.moduli[(k, i)].powi(2))
                .sum();
            assert!((diagonal + matrix[(i, i)]).abs() < 1e-10);
        }
    }

    #[test]
    fn eigenvalues_bound_every_assignment() {
        // The bound of the paper, with dummy nodes: k eigenvalues facing k of the larger graph.
        for (n, m) in [(4, 4), (3, 5), (5, 3)] {
            for sense in [Sense::Maximise, Sense::Minimise] {
                let (a, b) = (values(n, 3, true), values(m, 4, true));
                let problem =
                    ProductPairwise::problem(sense, Weights::Dense(a), Weights::Dense(b), None)
                        .unwrap();
                let product = problem.pairwise().as_product().unwrap();
                let source = Spectrum::of(product.a(), false, sense.sign()).unwrap();
                let target = Spectrum::of(product.b(), false, 1.0).unwrap();
                let (small, large) = if n <= m {
                    (source, target)
                } else {
                    (target, source)
                };
                let positive = small.values.iter().filter(|v| **v >= 0.0).count();
                let skip = large.values.len() - small.values.len();
                let bound: f64 = (0..small.values.len())
                    .map(|k| {
                        let facing = if k < positive { k } else { k + skip };
                        small.values[k] * large.values[facing]
                    })
                    .sum();
                for shift in 0..m {
                    let assignment: Assignment =
                        (0..n).map(|i| (i < m).then_some((i + shift) % m)).collect();
                    let diagonal: f64 = assignment.pairs().map(|pair| problem.unary()[pair]).sum();
                    let value = sense.sign() * (problem.objective(&assignment) - diagonal);
                    assert!(value <= bound + 1e-9, "{value} {bound}");
                }
            }
        }
    }

    #[test]
    fn only_products_are_accepted_and_weights_are_checked() {
        let pairwise = ExplicitPairwise::new(2, 2, Matrix::zeros(4, 4)).unwrap();
        let other = Problem::maximise(Matrix::zeros(2, 2), Box::new(pairwise)).unwrap();
        let solve = |solver: &Umeyama, problem: &Problem| {
            solver.solve(problem, &Start::default(), &Monitor::silent())
        };
        let message = solve(&Umeyama::default(), &other).unwrap_err().to_string();
        assert!(message.contains("A and B"), "{message}");
        let weights = || Weights::Dense(Matrix::zeros(2, 2));
        let fine = ProductPairwise::problem(Sense::Maximise, weights(), weights(), None).unwrap();
        assert!(solve(&Umeyama { unary_weight: -1.0 }, &fine).is_err());
        assert!(solve(&Umeyama::default(), &fine).is_ok());
    }
}
