//! Newton's equations of the interior-point method, eliminated down to dB.
//!
//! With ω_c = β_c/s_c and the weighted mean Φ̄_i of an anchor's rows, ds, dβ, dη, dξ and dZ eliminate to
//!
//!   [N + Σ_c ω_c(Φ_c − Φ̄_i)(Φ_c − Φ̄_i)ᵀ + Σ_i κ_iΦ̄_iΦ̄_iᵀ] dB = r,   κ_i = (Σω)(η_i/ξ_i)/(Σω + η_i/ξ_i),
//!
//! with N = I, or the diagonal 1 + λᵢλⱼ in the basis of the cone's scaling. Every term is a square, so
//! that repeated constraints, a singular Gram matrix or budgets far from one never make it indefinite.

use std::borrow::Cow;

use super::cone::Scaling;
use super::factor::{
    IdentityPlusGram, add_scaled, congruence, dot, fill_difference, from_half_vector, half_vector,
    product,
};
use super::interior::Point;
use super::master::Scaled;
use crate::error::Result;
use crate::linalg::Matrix;

/// A direction, and what the corrector needs from it.
pub(super) struct Direction {
    pub(super) b: Vec<f64>,
    pub(super) z: Vec<f64>,
    pub(super) surplus: Vec<f64>,
    pub(super) beta: Vec<f64>,
    pub(super) slack: Vec<f64>,
    pub(super) eta: Vec<f64>,
    pub(super) scaled: Option<(Matrix, Matrix)>,
}

/// What the predictor and the corrector of one step share.
pub(super) struct Newton<'a> {
    pub(super) scaling: Option<Scaling>,
    /// Rows Φ_c in the basis of the scaling.
    rows: Cow<'a, Matrix>,
    /// √N in that basis.
    root_weights: Vec<f64>,
    system: IdentityPlusGram,
    /// β_c/s_c.
    ratio: Vec<f64>,
    /// Σω + η/ξ of each anchor.
    pivot: Vec<f64>,
    residual_b: Vec<f64>,
    residual_surplus: Vec<f64>,
    residual_budget: Vec<f64>,
}

impl<'a> Newton<'a> {
    /// The system at `point`; `None` when rounding has driven it out of the cone.
    pub(super) fn new(point: &Point, problem: &'a Scaled<'_>) -> Result<Option<Self>> {
        let (size, groups) = (problem.loss.len(), problem.budget.len());
        let (scaling, rows, root_weights) = if problem.cone {
            let d = problem.dimension;
            let x = from_half_vector(&point.b, d);
            let z = from_half_vector(&point.z, d);
            let Some(scaling) = Scaling::new(&x, &z)? else {
                return Ok(None);
            };
            let rivals = product(problem.rivals, &scaling.basis);
            let pairs = product(problem.pairs, &scaling.basis);
            let mut rows = Matrix::zeros(size, point.b.len());
            for c in 0..size {
                fill_difference(
                    rows.row_mut(c),
                    problem.coefficient[c],
                    rivals.row(c),
                    pairs.row(c),
                );
            }
            let root = scaling.weights.iter().map(|v| v.sqrt()).collect();
            (Some(scaling), Cow::Owned(rows), root)
        } else {
            (None, Cow::Borrowed(&problem.rows), vec![1.0; point.b.len()])
        };
        let ratio: Vec<f64> = point
            .beta
            .iter()
            .zip(&point.surplus)
            .map(|(b, s)| b / s)
            .collect();
        let mut total = vec![0.0; groups];
        let mut mean = Matrix::zeros(groups, point.b.len());
        for c in 0..size {
            total[problem.group[c]] += ratio[c];
        }
        for c in 0..size {
            let i = problem.group[c];
            add_scaled(mean.row_mut(i), ratio[c] / total[i], rows.row(c));
        }
        let mut factor = Matrix::zeros(size + groups, point.b.len());
        let mut pivot = Vec::with_capacity(groups);
        for c in 0..size {
            let root = ratio[c].sqrt();
            let (row, middle) = (rows.row(c), mean.row(problem.group[c]));
            for (e, out) in factor.row_mut(c).iter_mut().enumerate() {
                *out = root * (row[e] - middle[e]) / root_weights[e];
            }
        }
        for i in 0..groups {
            let own = point.eta[i] / point.slack[i];
            pivot.push(total[i] + own);
            let root = (total[i] * own / pivot[i]).sqrt();
            for (e, out) in factor.row_mut(size + i).iter_mut().enumerate() {
                *out = root * mean[(i, e)] / root_weights[e];
            }
        }
        let Some(system) = IdentityPlusGram::new(factor) else {
            return Ok(None);
        };
        let mut residual_b = problem.combination(&point.beta);
        for (e, value) in residual_b.iter_mut().enumerate() {
            *value = point.b[e] - point.z[e] - *value;
        }
        let residual_surplus = (0..size)
            .map(|c| {
                dot(problem.rows.row(c), &point.b) + point.slack[problem.group[c]]
                    - point.surplus[c]
                    - problem.loss[c]
            })
            .collect();
        let mut residual_budget: Vec<f64> = point
            .eta
            .iter()
            .zip(&problem.budget)
            .map(|(e, p)| e - p)
            .collect();
        for (c, value) in point.beta.iter().enumerate() {
            residual_budget[problem.group[c]] += value;
        }
        Ok(Some(Self {
            scaling,
            rows,
            root_weights,
            system,
            ratio,
            pivot,
            residual_b,
            residual_surplus,
            residual_budget,
        }))
    }

    /// Newton's direction towards products of `target`, with the second-order terms of `affine`.
    pub(super) fn direction(
        &self,
        point: &Point,
        problem: &Scaled<'_>,
        target: f64,
        affine: Option<&Direction>,
    ) -> Direction {
        let (size, groups) = (problem.loss.len(), problem.budget.len());
        let group = &problem.group;
        let second = |pick: fn(&Direction) -> (&[f64], &[f64]), k: usize| {
            affine.map_or(0.0, |a| {
                let (primal, dual) = pick(a);
                primal[k] * dual[k]
            })
        };
        // What the surplus rows and the budgets say before dB is known.
        let known: Vec<f64> = (0..size)
            .map(|c| {
                let products = target
                    - point.surplus[c] * point.beta[c]
                    - second(|a| (&a.surplus, &a.beta), c);
                products / point.surplus[c] - self.ratio[c] * self.residual_surplus[c]
            })
            .collect();
        let slack_products: Vec<f64> = (0..groups)
            .map(|i| target - point.slack[i] * point.eta[i] - second(|a| (&a.slack, &a.eta), i))
            .collect();
        let mut lift: Vec<f64> = (0..groups)
            .map(|i| self.residual_budget[i] + slack_products[i] / point.slack[i])
            .collect();
        for c in 0..size {
            lift[group[c]] += known[c];
        }
        let cone_side = self.scaling.as_ref().map(|scaling| {
            let scaled = affine.and_then(|a| a.scaled.as_ref());
            scaling.right_side(target, scaled.map(|(x, z)| (x, z)))
        });
        let mut right: Vec<f64> = self.residual_b.iter().map(|v| -v).collect();
        if let Some(side) = &cone_side {
            add_scaled(&mut right, 1.0, &half_vector(side));
        }
        let mut right = self.to_basis(&right);
        for c in 0..size {
            let weight = known[c] - self.ratio[c] * lift[group[c]] / self.pivot[group[c]];
            add_scaled(&mut right, weight, self.rows.row(c));
        }
        for (value, root) in right.iter_mut().zip(&self.root_weights) {
            *value /= root;
        }
        let mut rotated = self.system.solve(&right);
        for (value, root) in rotated.iter_mut().zip(&self.root_weights) {
            *value /= root;
        }
        let along: Vec<f64> = (0..size).map(|c| dot(self.rows.row(c), &rotated)).collect();
        let mut slack = lift;
        for c in 0..size {
            slack[group[c]] -= self.ratio[c] * along[c];
        }
        for (value, pivot) in slack.iter_mut().zip(&self.pivot) {
            *value /= pivot;
        }
        let surplus: Vec<f64> = (0..size)
            .map(|c| along[c] + slack[group[c]] + self.residual_surplus[c])
            .collect();
        let beta: Vec<f64> = (0..size)
            .map(|c| known[c] - self.ratio[c] * (along[c] + slack[group[c]]))
            .collect();
        let eta: Vec<f64> = (0..groups)
            .map(|i| (slack_products[i] - point.eta[i] * slack[i]) / point.slack[i])
            .collect();
        let b = self.rotated_back(&rotated);
        let (z, scaled) = match &self.scaling {
            None => (vec![0.0; b.len()], None),
            Some(scaling) => {
                // From the linear equation, so that its residual vanishes with the step.
                let mut z = b.clone();
                add_scaled(&mut z, 1.0, &self.residual_b);
                for (c, &value) in beta.iter().enumerate() {
                    add_scaled(&mut z, -value, problem.rows.row(c));
                }
                let d = problem.dimension;
                let scaled = (
                    scaling.scale_primal(&from_half_vector(&b, d)),
                    scaling.scale_dual(&from_half_vector(&z, d)),
                );
                (z, Some(scaled))
            }
        };
        Direction {
            b,
            z,
            surplus,
            beta,
            slack,
            eta,
            scaled,
        }
    }

    /// QᵀMQ.
    fn to_basis(&self, half: &[f64]) -> Vec<f64> {
        self.rotated(half, |basis| basis.transposed())
    }

    /// QMQᵀ.
    fn rotated_back(&self, half: &[f64]) -> Vec<f64> {
        self.rotated(half, Matrix::clone)
    }

    fn rotated(&self, half: &[f64], turn: impl Fn(&Matrix) -> Matrix) -> Vec<f64> {
        match &self.scaling {
            None => half.to_vec(),
            Some(scaling) => {
                let matrix = from_half_vector(half, scaling.basis.rows());
                half_vector(&congruence(&turn(&scaling.basis), &matrix))
            }
        }
    }
}
