//! The master problem of column generation: the learning problem over a working set of constraints.
//!
//! With Φ_c = Ω_cΨ_c and p_i the budget of anchor i, the primal and its dual are
//!
//!   P = min ½‖B − B₀‖² + Σ p_iξ_i   over ⟨Φ_c, B⟩ + ξ_i ≥ Ω_c, ξ ≥ 0 (and B ⪰ 0 with the cone),
//!   D = max Σ Ω_cβ_c − ½‖Π(B₀ + Σ β_cΦ_c)‖² + ½‖B₀‖²   over β ≥ 0, Σ_{c of i} β_c ≤ p_i,
//!
//! where Π is the projection on the cone, or nothing without it, and β_c = α_c/Ω_c in the paper's
//! multipliers. For the Lagrangian's minimum over B, write M = B₀ + Σβ_cΦ_c: ½‖B − B₀‖² − ⟨M − B₀, B⟩ =
//! ½‖B − M‖² − ½‖M‖² + ½‖B₀‖², least at B = Π(M), where ½‖Π(M) − M‖² − ½‖M‖² = −½‖Π(M)‖².
//! Any B gives an upper bound on the optimum (with ξ_i = max(0, max_c Ω_c − ⟨Φ_c, B⟩)) and any
//! feasible β a lower bound; the gap of the best two is the proof that comes with a solution.
//!
//! Before solving, the losses are divided by their largest ω̄ and the Φ by the norm ρ of the largest:
//! B̂ = ρB, p̂ = ω̄ρ²p, so that neither the features' scale nor that of the losses matters.

use super::factor::{add_scaled, dot, fill_difference, from_half_vector, half_length, half_vector};
use super::interior::{self, Accuracy};
use crate::error::{Error, Result};
use crate::linalg::{Matrix, symmetric_eigen};
use crate::monitor::Monitor;

/// Budgets outside this range after scaling would overflow when they are squared.
const BUDGET_RANGE: std::ops::Range<f64> = 1e-100..1e100;

/// The working set. Constraint c says: the pair `rivals[c]` is farther than the pair `pairs[c]`.
pub(super) struct Master<'a> {
    /// Rows w of the pairs that should be far.
    pub(super) rivals: &'a Matrix,
    /// Rows w of the anchors' own pairs, which should be near.
    pub(super) pairs: &'a Matrix,
    /// Ω_c > 0.
    pub(super) loss: &'a [f64],
    /// The anchor of each constraint.
    pub(super) anchor: &'a [usize],
    /// p_i of each anchor.
    pub(super) budget: &'a [f64],
    /// B₀.
    pub(super) prior: &'a Matrix,
    /// Whether B ⪰ 0 is asked for.
    pub(super) cone: bool,
}

/// A solution of the master problem with its bounds.
pub(super) struct MasterSolution {
    /// B.
    pub(super) b: Matrix,
    /// β of each constraint.
    #[cfg(test)]
    pub(super) multipliers: Vec<f64>,
    /// The objective of B: an upper bound.
    #[cfg(test)]
    pub(super) objective: f64,
    /// The objective of the multipliers: a lower bound.
    pub(super) dual_objective: f64,
    /// Whether the bounds met.
    pub(super) converged: bool,
    /// How far apart they are, relative to the upper one.
    pub(super) gap: f64,
}

impl Master<'_> {
    /// Solves; `None` when `monitor` stopped the work.
    ///
    /// # Errors
    /// When the scales of features, losses and budgets overflow.
    pub(super) fn solve(
        &self,
        accuracy: Accuracy,
        monitor: &Monitor,
    ) -> Result<Option<MasterSolution>> {
        let scaled = Scaled::new(self)?;
        let Some(best) = interior::solve(&scaled, accuracy, monitor)? else {
            return Ok(None);
        };
        let objective_unit = scaled.norm * scaled.norm;
        let mut b = from_half_vector(&best.b, scaled.dimension);
        for value in b.as_mut_slice() {
            *value /= scaled.norm;
        }
        Ok(Some(MasterSolution {
            b,
            #[cfg(test)]
            multipliers: best
                .beta
                .iter()
                .map(|v| v / (scaled.largest_loss * objective_unit))
                .collect(),
            #[cfg(test)]
            objective: best.primal / objective_unit,
            dual_objective: best.dual / objective_unit,
            converged: best.converged,
            gap: best.gap(),
        }))
    }
}

/// The master problem in units in which its numbers are of order one.
pub(super) struct Scaled<'a> {
    pub(super) dimension: usize,
    pub(super) rivals: &'a Matrix,
    pub(super) pairs: &'a Matrix,
    /// Ω_c / (ω̄ρ): what takes xxᵀ − yyᵀ to the scaled Φ_c.
    pub(super) coefficient: Vec<f64>,
    /// Ω_c / ω̄.
    pub(super) loss: Vec<f64>,
    /// Index into `budget`, which lists only anchors that have a constraint.
    pub(super) group: Vec<usize>,
    pub(super) budget: Vec<f64>,
    /// Half-vector of ρB₀.
    pub(super) prior: Vec<f64>,
    /// Row c is the half-vector of the scaled Φ_c.
    pub(super) rows: Matrix,
    pub(super) cone: bool,
    #[cfg(test)]
    largest_loss: f64,
    norm: f64,
}

impl<'a> Scaled<'a> {
    fn new(master: &Master<'a>) -> Result<Self> {
        let (size, dimension) = (master.rivals.rows(), master.rivals.cols());
        let largest_loss = master.loss.iter().fold(0.0_f64, |a, &b| a.max(b));
        let loss: Vec<f64> = master.loss.iter().map(|v| v / largest_loss).collect();
        let norm = (0..size)
            .map(|c| {
                let (x, y) = (master.rivals.row(c), master.pairs.row(c));
                loss[c] * inner((x, y), (x, y)).max(0.0).sqrt()
            })
            .fold(0.0_f64, f64::max);
        let norm = if norm > 0.0 { norm } else { 1.0 };
        let mut compact = vec![usize::MAX; master.budget.len()];
        let mut budget = Vec::new();
        let mut group = Vec::with_capacity(size);
        for &anchor in master.anchor {
            if compact[anchor] == usize::MAX {
                compact[anchor] = budget.len();
                budget.push(master.budget[anchor] * largest_loss * norm * norm);
            }
            group.push(compact[anchor]);
        }
        if let Some(bad) = budget.iter().find(|v| !BUDGET_RANGE.contains(*v)) {
            return Err(Error::Numerics(format!(
                "features, losses and C together scale a slack penalty to {bad:e}; rescale the features to order one"
            )));
        }
        let coefficient: Vec<f64> = loss.iter().map(|v| v / norm).collect();
        let mut rows = Matrix::zeros(size, half_length(dimension));
        for c in 0..size {
            fill_difference(
                rows.row_mut(c),
                coefficient[c],
                master.rivals.row(c),
                master.pairs.row(c),
            );
        }
        let mut prior = half_vector(master.prior);
        for value in &mut prior {
            *value *= norm;
        }
        Ok(Self {
            dimension,
            rivals: master.rivals,
            pairs: master.pairs,
            coefficient,
            loss,
            group,
            budget,
            prior,
            rows,
            cone: master.cone,
            #[cfg(test)]
            largest_loss,
            norm,
        })
    }

    /// B₀ + Σ β_cΦ_c.
    pub(super) fn combination(&self, beta: &[f64]) -> Vec<f64> {
        let mut sum = self.prior.clone();
        for (c, &value) in beta.iter().enumerate() {
            add_scaled(&mut sum, value, self.rows.row(c));
        }
        sum
    }

    /// The objective of B, with the least slacks that make it feasible.
    pub(super) fn primal(&self, b: &[f64]) -> f64 {
        let mut slack = vec![0.0_f64; self.budget.len()];
        for c in 0..self.loss.len() {
            let violation = self.loss[c] - dot(self.rows.row(c), b);
            let slack = &mut slack[self.group[c]];
            *slack = slack.max(violation);
        }
        self.distance(b) + dot(&self.budget, &slack)
    }

    /// ½‖B − B₀‖².
    pub(super) fn distance(&self, b: &[f64]) -> f64 {
        let square = |(b, p): (&f64, &f64)| (b - p).powi(2);
        0.5 * b.iter().zip(&self.prior).map(square).sum::<f64>()
    }

    /// The dual objective of β, which must be feasible.
    pub(super) fn dual(&self, beta: &[f64]) -> Result<f64> {
        let combination = self.combination(beta);
        let square = if self.cone {
            symmetric_eigen(&from_half_vector(&combination, self.dimension))?
                .values
                .iter()
                .map(|v| v.max(0.0).powi(2))
                .sum()
        } else {
            dot(&combination, &combination)
        };
        Ok(dot(&self.loss, beta) - 0.5 * square + 0.5 * dot(&self.prior, &self.prior))
    }
}

/// ⟨xxᵀ − yyᵀ, x'x'ᵀ − y'y'ᵀ⟩ = (x·x')² − (x·y')² − (y·x')² + (y·y')², without forming a matrix.
pub(super) fn inner(first: (&[f64], &[f64]), second: (&[f64], &[f64])) -> f64 {
    let square = |a: &[f64], b: &[f64]| dot(a, b).powi(2);
    square(first.0, second.0) - square(first.0, second.1) - square(first.1, second.0)
        + square(first.1, second.1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn inner_products_need_no_matrix(
            entries in proptest::collection::vec(-3.0..3.0_f64, 4..40),
        ) {
            let d = entries.len() / 4;
            let part = |k: usize| &entries[k * d..(k + 1) * d];
            let (x, y, u, v) = (part(0), part(1), part(2), part(3));
            let mut explicit = 0.0;
            for i in 0..d {
                for j in 0..d {
                    explicit += (x[i] * x[j] - y[i] * y[j]) * (u[i] * u[j] - v[i] * v[j]);
                }
            }
            let scale = 1.0 + dot(&entries, &entries).powi(2);
            prop_assert!((inner((x, y), (u, v)) - explicit).abs() < 1e-12 * scale);
            let (mut first, mut second) = (vec![0.0; half_length(d)], vec![0.0; half_length(d)]);
            fill_difference(&mut first, 1.0, x, y);
            fill_difference(&mut second, 1.0, u, v);
            prop_assert!((dot(&first, &second) - explicit).abs() < 1e-12 * scale);
        }
    }
}
