//! A primal-dual interior-point method for the master problem.
//!
//! Unknowns are B, the slacks ξ ≥ 0 of the anchors with multipliers η, the surpluses
//! s = ΦB + ξ − Ω ≥ 0 of the constraints with multipliers β and, with the cone, Z ⪰ 0:
//!
//!   B − B₀ − Φᵀβ − Z = 0,   Σ_{c of i} β_c + η_i = p_i,   s_cβ_c = ξ_iη_i = μ,   BZ = μI,   μ → 0.
//!
//! Each step solves Newton's equations twice with one factor, Mehrotra's predictor and corrector
//! (SIAM J. Optim. 1992), the cone in the scaling of Nesterov and Todd; [`Newton`] has the algebra.
//! An interior point is started afresh for each working set: a solve takes 15 to 40 steps, each linear
//! in the size of the set, and a start near the old boundary would take more.

use super::factor::{add_scaled, dot, from_half_vector, half_vector, product_transposed};
use super::master::Scaled;
use super::newton::{Direction, Newton};
use crate::error::Result;
use crate::linalg::{Matrix, symmetric_eigen};
use crate::monitor::Monitor;

/// The complementarity, relative to ½‖B − B₀‖², at which the iteration ends: by strong convexity it
/// bounds the error of B itself, also where the slacks make up most of the objective.
const TARGET: f64 = 1e-13;

/// Relative gaps below this are rounding.
const ROUNDING: f64 = 1e-13;

/// The complementarity, relative to the objective, that a rough solve is content with.
const ROUGH_TARGET: f64 = 1e-5;

/// The relative gap that still counts as solved when rounding stops all progress.
const ACCEPTED_GAP: f64 = 1e-7;

/// Steps at most.
const MAX_STEPS: usize = 120;

/// Steps without progress after which rounding has won, with bounds that have met and without.
const PATIENCE: (usize, usize) = (3, 15);

/// How far towards the boundary a step goes.
const STEP_FRACTION: f64 = 0.99;

/// A step shorter than this goes nowhere.
const SHORTEST_STEP: f64 = 1e-10;

/// How far a solve goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Accuracy {
    /// Far enough to see which constraints are missing.
    Rough,
    /// As far as rounding lets it.
    Full,
}

impl Accuracy {
    fn accepted_gap(self) -> f64 {
        match self {
            Self::Rough => 10.0 * ROUGH_TARGET,
            Self::Full => ACCEPTED_GAP,
        }
    }
}

/// The best bounds found, in scaled units.
pub(super) struct Best {
    /// Half-vector of B.
    pub(super) b: Vec<f64>,
    #[cfg_attr(not(test), expect(dead_code, reason = "the proof behind `dual`"))]
    pub(super) beta: Vec<f64>,
    pub(super) primal: f64,
    pub(super) dual: f64,
    pub(super) converged: bool,
}

/// Solves; `None` when `monitor` stopped the work.
pub(super) fn solve(
    problem: &Scaled<'_>,
    accuracy: Accuracy,
    monitor: &Monitor,
) -> Result<Option<Best>> {
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
        let target = match accuracy {
            Accuracy::Rough => ROUGH_TARGET * best.primal,
            Accuracy::Full => TARGET * problem.distance(&best.b).max(ROUNDING * best.primal),
        };
        if sum <= target && best.gap() <= accuracy.accepted_gap() {
            break;
        }
        waited = if sum < 0.9 * least { 0 } else { waited + 1 };
        least = least.min(sum);
        let solved = best.gap() <= accuracy.accepted_gap();
        let patience = if solved { PATIENCE.0 } else { PATIENCE.1 };
        if waited >= patience || !point.advance(problem)? {
            break;
        }
    }
    best.converged = best.gap() <= accuracy.accepted_gap();
    Ok(Some(best))
}

impl Best {
    /// The relative gap between the bounds.
    pub(super) fn gap(&self) -> f64 {
        if self.primal > 0.0 {
            (self.primal - self.dual) / self.primal
        } else {
            0.0
        }
    }
}

/// One iterate.
#[derive(Clone)]
pub(super) struct Point {
    /// Half-vector of B.
    pub(super) b: Vec<f64>,
    /// Half-vector of Z; zero without the cone.
    pub(super) z: Vec<f64>,
    pub(super) surplus: Vec<f64>,
    pub(super) beta: Vec<f64>,
    pub(super) slack: Vec<f64>,
    pub(super) eta: Vec<f64>,
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
        let Some(newton) = Newton::new(self, problem)? else {
            return Ok(false);
        };
        let (sum, count) = self.complementarity(problem);
        let mu = sum / count as f64;
        let affine = newton.direction(self, problem, 0.0, None);
        let length = self.longest_step(&newton, &affine)?.min(1.0);
        let mut ahead = self.clone();
        ahead.step(length, &affine);
        let centring = (ahead.complementarity(problem).0 / sum)
            .clamp(0.0, 1.0)
            .powi(3);
        let direction = newton.direction(self, problem, centring * mu, Some(&affine));
        let length = (STEP_FRACTION * self.longest_step(&newton, &direction)?).min(1.0);
        if length.is_nan() || length <= SHORTEST_STEP {
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

    /// The longest step that keeps everything positive.
    fn longest_step(&self, newton: &Newton<'_>, direction: &Direction) -> Result<f64> {
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
