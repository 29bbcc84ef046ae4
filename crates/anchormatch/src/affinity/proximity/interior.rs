//! A primal-dual interior-point method for the master problem.
//!
//! Unknowns are B, the slacks ξ ≥ 0 of the anchors with multipliers η, the surpluses
//! s = ΦB + ξ − Ω ≥ 0 of the constraints with multipliers β and, with the cone, Z ⪰ 0:
//!
//!   B − B₀ − Φᵀβ − Z = 0,   Σ_{c of i} β_c + η_i = p_i,   s_cβ_c = ξ_iη_i = μ,   BZ = μI,   μ → 0.
//!
//! Each step solves Newton's equations twice with one factor, Mehrotra's predictor and corrector
//! (SIAM J. Optim. 1992), the cone in the scaling of Nesterov and Todd. With ω_c = β_c/s_c and the
//! weighted mean Φ̄_i of an anchor's rows, ds, dβ, dη, dξ and dZ eliminate to
//!
//!   [N + Σ_c ω_c(Φ_c − Φ̄_i)(Φ_c − Φ̄_i)ᵀ + Σ_i κ_iΦ̄_iΦ̄_iᵀ] dB = r,   κ_i = (Σω)(η_i/ξ_i)/(Σω + η_i/ξ_i),
//!
//! with N = I, or the diagonal 1 + λᵢλⱼ in the basis of the scaling. Every term is a square, so that
//! repeated constraints, a singular Gram matrix or budgets far from one never make it indefinite.
//! An interior point is started afresh for each working set: a solve takes 10 to 25 steps, each linear
//! in the size of the set, and a start near the old boundary would take more.

use super::cone::Scaling;
use super::factor::{
    IdentityPlusGram, add_scaled, congruence, dot, fill_difference, from_half_vector, half_vector,
    product, product_transposed,
};
use super::master::Scaled;
use crate::error::Result;
use crate::linalg::{Matrix, symmetric_eigen};
use crate::monitor::Monitor;

/// The complementarity, relative to ½‖B − B₀‖², at which the iteration ends: by strong convexity it
/// bounds the error of B itself, also where the slacks make up most of the objective.
const TARGET: f64 = 1e-13;

/// Relative gaps below this are rounding.
const ROUNDING: f64 = 1e-13;

/// The relative gap that still counts as solved when rounding stops all progress.
const ACCEPTED_GAP: f64 = 1e-7;

/// Steps at most.
const MAX_STEPS: usize = 120;

/// Steps without progress after which rounding has won, with bounds that have met and without.
const PATIENCE: (usize, usize) = (3, 15);

/// How far towards the boundary a step goes.
const STEP_FRACTION: f64 = 0.99;

/// The best bounds found, in scaled units.
pub(super) struct Best {
    /// Half-vector of B.
    pub(super) b: Vec<f64>,
    pub(super) beta: Vec<f64>,
    pub(super) primal: f64,
    pub(super) dual: f64,
    pub(super) converged: bool,
}

/// Solves; `None` when `monitor` stopped the work.
pub(super) fn solve(problem: &Scaled<'_>, monitor: &Monitor) -> Result<Option<Best>> {
    let mut point = Point::start(problem)?;
    // B₀ and no multiplier at all are bounds to begin with.
    let mut best = Best {
        b: problem.prior.clone(),
        beta: vec![0.0; problem.loss.len()],
        primal: problem.primal(&problem.prior),
        dual: 0.0,
        converged: false,
    };
    let (mut least, mut waited) = (f64::INFINITY, 0);
    for _ in 0..MAX_STEPS {
        if monitor.interrupted().is_some() {
            return Ok(None);
        }
        point.record(problem, &mut best)?;
        let (sum, _) = point.complementarity(problem);
        let distance = problem.distance(&best.b);
        let target = TARGET * distance.max(ROUNDING * best.primal);
        if sum <= target && best.gap() <= ACCEPTED_GAP {
            break;
        }
        waited = if sum < 0.9 * least { 0 } else { waited + 1 };
        least = least.min(sum);
        let solved = best.gap() <= ACCEPTED_GAP;
        let patience = if solved { PATIENCE.0 } else { PATIENCE.1 };
        if waited >= patience || !point.advance(problem)? {
            break;
        }
    }
    best.converged = best.gap() <= ACCEPTED_GAP;
    Ok(Some(best))
}

impl Best {
    /// The relative gap between the bounds.
    fn gap(&self) -> f64 {
        if self.primal > 0.0 {
            (self.primal - self.dual) / self.primal
        } else {
            0.0
        }
    }
}

/// One iterate.
#[derive(Clone)]
struct Point {
    /// Half-vector of B.
    b: Vec<f64>,
    /// Half-vector of Z; zero without the cone.
    z: Vec<f64>,
    surplus: Vec<f64>,
    beta: Vec<f64>,
    slack: Vec<f64>,
    eta: Vec<f64>,
}

/// A direction, and what the corrector needs from it.
struct Direction {
    b: Vec<f64>,
    z: Vec<f64>,
    surplus: Vec<f64>,
    beta: Vec<f64>,
    slack: Vec<f64>,
    eta: Vec<f64>,
    scaled: Option<(Matrix, Matrix)>,
}

/// What the predictor and the corrector of one step share.
struct Newton {
    scaling: Option<Scaling>,
    /// Rows Φ_c in the basis of the scaling.
    rows: Matrix,
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

impl Point {
    /// A feasible point deep inside: half of every budget spread over its constraints, B what follows
    /// from that, and slacks so large that all surpluses are of one size.
    ///
    /// It may be far from the optimum, but a step there shrinks μ by orders of magnitude, whereas a
    /// start that is near and off centre, or infeasible, can stop at the boundary.
    fn start(problem: &Scaled<'_>) -> Result<Self> {
        let (size, groups) = (problem.loss.len(), problem.budget.len());
        let mut members = vec![0.0_f64; groups];
        for &group in &problem.group {
            members[group] += 1.0;
        }
        let beta: Vec<f64> = problem
            .group
            .iter()
            .map(|&i| 0.5 * problem.budget[i] / members[i])
            .collect();
        let eta: Vec<f64> = problem.budget.iter().map(|p| 0.5 * p).collect();
        let middle = problem.combination(&beta);
        let depth = (0..size)
            .map(|c| dot(problem.rows.row(c), &middle).abs())
            .fold(1.0, f64::max);
        let (b, z) = if problem.cone {
            let mu = depth * dot(&problem.budget, &problem.budget).sqrt() / size as f64;
            split(&from_half_vector(&middle, problem.dimension), mu)?
        } else {
            (middle.clone(), vec![0.0; middle.len()])
        };
        let mut slack = vec![0.0_f64; groups];
        for c in 0..size {
            let slack = &mut slack[problem.group[c]];
            *slack = slack.max(problem.loss[c] - dot(problem.rows.row(c), &b));
        }
        for value in &mut slack {
            *value += depth;
        }
        let surplus = (0..size)
            .map(|c| dot(problem.rows.row(c), &b) + slack[problem.group[c]] - problem.loss[c])
            .collect();
        Ok(Self {
            b,
            z,
            surplus,
            slack,
            beta,
            eta,
        })
    }

    /// Keeps B and β when they narrow the gap; of gaps equal up to rounding, the later.
    fn record(&self, problem: &Scaled<'_>, best: &mut Best) -> Result<()> {
        let mut total = vec![0.0; problem.budget.len()];
        for (c, &value) in self.beta.iter().enumerate() {
            total[problem.group[c]] += value;
        }
        let feasible: Vec<f64> = self
            .beta
            .iter()
            .zip(&problem.group)
            .map(|(value, &i)| value * (problem.budget[i] / total[i]).min(1.0))
            .collect();
        let candidate = Best {
            primal: problem.primal(&self.b),
            dual: problem.dual(&feasible)?,
            b: self.b.clone(),
            beta: feasible,
            converged: false,
        };
        if candidate.gap() <= best.gap().max(ROUNDING) {
            *best = candidate;
        }
        Ok(())
    }

    /// sᵀβ + ξᵀη + ⟨B, Z⟩, the duality gap of a feasible point, and the number of its terms.
    fn complementarity(&self, problem: &Scaled<'_>) -> (f64, usize) {
        let sum = dot(&self.surplus, &self.beta) + dot(&self.slack, &self.eta);
        let count = self.surplus.len() + self.slack.len();
        if problem.cone {
            (sum + dot(&self.b, &self.z), count + problem.dimension)
        } else {
            (sum, count)
        }
    }

    /// One predictor-corrector step; `false` when rounding leaves no direction.
    fn advance(&mut self, problem: &Scaled<'_>) -> Result<bool> {
        let Some(newton) = self.newton(problem)? else {
            return Ok(false);
        };
        let (sum, count) = self.complementarity(problem);
        let mu = sum / count as f64;
        let affine = self.direction(problem, &newton, 0.0, None);
        let length = self.longest_step(&newton, &affine)?.min(1.0);
        let mut ahead = self.clone();
        ahead.step(length, &affine);
        let centring = (ahead.complementarity(problem).0 / sum)
            .clamp(0.0, 1.0)
            .powi(3);
        let direction = self.direction(problem, &newton, centring * mu, Some(&affine));
        let length = (STEP_FRACTION * self.longest_step(&newton, &direction)?).min(1.0);
        if !(length > 1e-10) {
            return Ok(false);
        }
        self.step(length, &direction);
        let positive = |values: &[f64]| values.iter().all(|&v| v > 0.0 && v.is_finite());
        Ok(positive(&self.surplus)
            && positive(&self.beta)
            && positive(&self.slack)
            && positive(&self.eta)
            && self.b.iter().all(|v| v.is_finite()))
    }

    fn newton(&self, problem: &Scaled<'_>) -> Result<Option<Newton>> {
        let (size, groups) = (problem.loss.len(), problem.budget.len());
        let (scaling, rows, root_weights) = if problem.cone {
            let d = problem.dimension;
            let x = from_half_vector(&self.b, d);
            let z = from_half_vector(&self.z, d);
            let Some(scaling) = Scaling::new(&x, &z)? else {
                return Ok(None);
            };
            let rivals = product(problem.rivals, &scaling.basis);
            let pairs = product(problem.pairs, &scaling.basis);
            let mut rows = Matrix::zeros(size, self.b.len());
            for c in 0..size {
                fill_difference(
                    rows.row_mut(c),
                    problem.coefficient[c],
                    rivals.row(c),
                    pairs.row(c),
                );
            }
            let root = scaling.weights.iter().map(|v| v.sqrt()).collect();
            (Some(scaling), rows, root)
        } else {
            (None, problem.rows.clone(), vec![1.0; self.b.len()])
        };
        let ratio: Vec<f64> = self
            .beta
            .iter()
            .zip(&self.surplus)
            .map(|(b, s)| b / s)
            .collect();
        let mut total = vec![0.0; groups];
        let mut mean = Matrix::zeros(groups, self.b.len());
        for c in 0..size {
            total[problem.group[c]] += ratio[c];
        }
        for c in 0..size {
            let i = problem.group[c];
            add_scaled(mean.row_mut(i), ratio[c] / total[i], rows.row(c));
        }
        let mut factor = Matrix::zeros(size + groups, self.b.len());
        let mut pivot = Vec::with_capacity(groups);
        for c in 0..size {
            let root = ratio[c].sqrt();
            let (row, middle) = (rows.row(c), mean.row(problem.group[c]));
            for (e, out) in factor.row_mut(c).iter_mut().enumerate() {
                *out = root * (row[e] - middle[e]) / root_weights[e];
            }
        }
        for i in 0..groups {
            let own = self.eta[i] / self.slack[i];
            pivot.push(total[i] + own);
            let root = (total[i] * own / pivot[i]).sqrt();
            for (e, out) in factor.row_mut(size + i).iter_mut().enumerate() {
                *out = root * mean[(i, e)] / root_weights[e];
            }
        }
        let Some(system) = IdentityPlusGram::new(factor) else {
            return Ok(None);
        };
        let mut residual_b = problem.combination(&self.beta);
        for (e, value) in residual_b.iter_mut().enumerate() {
            *value = self.b[e] - self.z[e] - *value;
        }
        let residual_surplus = (0..size)
            .map(|c| {
                dot(problem.rows.row(c), &self.b) + self.slack[problem.group[c]]
                    - self.surplus[c]
                    - problem.loss[c]
            })
            .collect();
        let mut residual_budget: Vec<f64> = self
            .eta
            .iter()
            .zip(&problem.budget)
            .map(|(e, p)| e - p)
            .collect();
        for (c, value) in self.beta.iter().enumerate() {
            residual_budget[problem.group[c]] += value;
        }
        Ok(Some(Newton {
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
    fn direction(
        &self,
        problem: &Scaled<'_>,
        newton: &Newton,
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
                let products =
                    target - self.surplus[c] * self.beta[c] - second(|a| (&a.surplus, &a.beta), c);
                products / self.surplus[c] - newton.ratio[c] * newton.residual_surplus[c]
            })
            .collect();
        let slack_products: Vec<f64> = (0..groups)
            .map(|i| target - self.slack[i] * self.eta[i] - second(|a| (&a.slack, &a.eta), i))
            .collect();
        let mut lift: Vec<f64> = (0..groups)
            .map(|i| newton.residual_budget[i] + slack_products[i] / self.slack[i])
            .collect();
        for c in 0..size {
            lift[group[c]] += known[c];
        }
        let cone_side = newton.scaling.as_ref().map(|scaling| {
            let scaled = affine.and_then(|a| a.scaled.as_ref());
            scaling.right_side(target, scaled.map(|(x, z)| (x, z)))
        });
        let mut right: Vec<f64> = newton.residual_b.iter().map(|v| -v).collect();
        if let Some(side) = &cone_side {
            add_scaled(&mut right, 1.0, &half_vector(side));
        }
        let mut right = self.into_basis(newton, &right);
        for c in 0..size {
            let weight = known[c] - newton.ratio[c] * lift[group[c]] / newton.pivot[group[c]];
            add_scaled(&mut right, weight, newton.rows.row(c));
        }
        for (value, root) in right.iter_mut().zip(&newton.root_weights) {
            *value /= root;
        }
        let mut rotated = newton.system.solve(&right);
        for (value, root) in rotated.iter_mut().zip(&newton.root_weights) {
            *value /= root;
        }
        let along: Vec<f64> = (0..size)
            .map(|c| dot(newton.rows.row(c), &rotated))
            .collect();
        let mut slack = lift;
        for c in 0..size {
            slack[group[c]] -= newton.ratio[c] * along[c];
        }
        for (value, pivot) in slack.iter_mut().zip(&newton.pivot) {
            *value /= pivot;
        }
        let surplus: Vec<f64> = (0..size)
            .map(|c| along[c] + slack[group[c]] + newton.residual_surplus[c])
            .collect();
        let beta: Vec<f64> = (0..size)
            .map(|c| known[c] - newton.ratio[c] * (along[c] + slack[group[c]]))
            .collect();
        let eta: Vec<f64> = (0..groups)
            .map(|i| (slack_products[i] - self.eta[i] * slack[i]) / self.slack[i])
            .collect();
        let b = self.out_of_basis(newton, &rotated);
        let (z, scaled) = match &newton.scaling {
            None => (vec![0.0; b.len()], None),
            Some(scaling) => {
                // From the linear equation, so that its residual vanishes with the step.
                let mut z = b.clone();
                add_scaled(&mut z, 1.0, &newton.residual_b);
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

    fn into_basis(&self, newton: &Newton, half: &[f64]) -> Vec<f64> {
        match &newton.scaling {
            None => half.to_vec(),
            Some(scaling) => {
                let matrix = from_half_vector(half, scaling.basis.rows());
                half_vector(&congruence(&scaling.basis.transposed(), &matrix))
            }
        }
    }

    fn out_of_basis(&self, newton: &Newton, half: &[f64]) -> Vec<f64> {
        match &newton.scaling {
            None => half.to_vec(),
            Some(scaling) => {
                let matrix = from_half_vector(half, scaling.basis.rows());
                half_vector(&congruence(&scaling.basis, &matrix))
            }
        }
    }

    /// The longest step that keeps everything positive.
    fn longest_step(&self, newton: &Newton, direction: &Direction) -> Result<f64> {
        let mut longest = f64::INFINITY;
        for (values, changes) in [
            (&self.surplus, &direction.surplus),
            (&self.beta, &direction.beta),
            (&self.slack, &direction.slack),
            (&self.eta, &direction.eta),
        ] {
            for (value, change) in values.iter().zip(changes) {
                if *change < 0.0 {
                    longest = longest.min(-value / change);
                }
            }
        }
        if let (Some(scaling), Some((x, z))) = (&newton.scaling, &direction.scaled) {
            if x.as_slice()
                .iter()
                .chain(z.as_slice())
                .any(|v| !v.is_finite())
            {
                return Ok(0.0);
            }
            longest = longest
                .min(scaling.longest_step(x)?)
                .min(scaling.longest_step(z)?);
        }
        Ok(longest)
    }

    fn step(&mut self, length: f64, direction: &Direction) {
        add_scaled(&mut self.b, length, &direction.b);
        add_scaled(&mut self.z, length, &direction.z);
        add_scaled(&mut self.surplus, length, &direction.surplus);
        add_scaled(&mut self.beta, length, &direction.beta);
        add_scaled(&mut self.slack, length, &direction.slack);
        add_scaled(&mut self.eta, length, &direction.eta);
    }
}

/// Half-vectors of the X, Z ≻ 0 with X − Z = M and XZ = μI: the roots of x² − mx − μ = 0 by
/// eigenvalue.
fn split(m: &Matrix, mu: f64) -> Result<(Vec<f64>, Vec<f64>)> {
    let d = m.rows();
    let eigen = symmetric_eigen(m)?;
    let assemble = |sign: f64| {
        let root = Matrix::from_fn(d, d, |i, k| {
            let m = sign * eigen.values[k];
            let wide = (m * m + 4.0 * mu).sqrt();
            // The form that does not subtract.
            let value = if m >= 0.0 {
                0.5 * (m + wide)
            } else {
                2.0 * mu / (wide - m)
            };
            eigen.vectors[(i, k)] * value.sqrt()
        });
        half_vector(&product_transposed(&root, &root))
    };
    Ok((assemble(1.0), assemble(-1.0)))
}
