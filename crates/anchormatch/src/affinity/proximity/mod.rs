//! Learned proximity: a matrix B under which anchors are near and everything else is far.
//!
//! With θ_i the features of node i (φₖ(i)² for the lowest eigenvectors) and w_ia = [θ_i; θ'_a], the
//! distance is d_B²(i,a) = w_iaᵀBw_ia. B solves a max-margin problem with rescaled slack (Hu, Rustamov
//! and Guibas, CVPR 2013, "Learning the Proximity Matrix"): with n anchors (i,a) of weight v_i,
//!
//!   min ½‖B − B₀‖²_F + (C/n) Σ v_iξ_i   over B ⪰ 0, ξ ≥ 0 and, for every anchor,
//!   ⟨w_ibw_ibᵀ − w_iaw_iaᵀ, B⟩ ≥ 1 − ξ_i/Ω'(b,a) for b ≠ a,
//!   ⟨w_jaw_jaᵀ − w_iaw_iaᵀ, B⟩ ≥ 1 − ξ_i/Ω(j,i) for j ≠ i.
//!
//! A loss Ω of 0 makes slack free, so that such a rival is no constraint at all. The prior is
//! B₀ = β[[I, −I], [−I, I]], "equal features match": wᵀB₀w = β‖θ − θ'‖².
//!
//! **One metric for both graphs.** The paper lets the coefficients of the two graphs differ ("possibly a different
//! set"). Where they are the same, B = [[M, −M], [−M, M]] and d_M² = (θ_i − θ'_a)ᵀM(θ_i − θ'_a): the same program
//! with w_ia = θ_i − θ'_a and M in B's place ([`Metric::Shared`]). It cannot but say how alike two nodes are,
//! where a B of two blocks may say how anchor-like each of them is.
//!
//! **Column generation** (Lübbecke and Desrosiers 2005; Tsochantaridis et al. 2005 for rescaled slack):
//! every round adds, for each anchor, the rival outside the working set with the largest violation
//! Ω(1 − margin) − ξ_i, where ξ_i is the slack that the working set asks of the current B, and solves
//! the problem over the set again (the exact mode roughly while constraints are still missing, and to
//! the last digits once none is). A rival in the set violates nothing by that definition of ξ_i, so a round adds a new
//! constraint, sharpens the solution (once) or ends the learning: in both modes there are at most
//! n(n₁ + n₂ − 2) + 1 rounds, though in practice they are few.
//!
//! [`Mode::Projected`] is the paper's: the working set is solved without B ⪰ 0, and B is projected on
//! the cone afterwards. Its end says that the projected B with its slacks is feasible; not that it is
//! optimal. [`Mode::Exact`] keeps B ⪰ 0 inside: for multipliers α the best B is
//! Π₊(B₀ + Σα_cΨ_c), and the dual Σα_c − ½‖Π₊(B₀ + Σα_cΨ_c)‖²_F + ½‖B₀‖²_F bounds the optimum from below.

mod cone;
mod constraints;
mod examples;
mod factor;
mod interior;
mod master;
mod newton;
#[cfg(test)]
mod oracle_tests;
mod xing;

use serde::{Deserialize, Serialize};

pub use self::examples::Examples;
pub use self::xing::Xing;

use self::constraints::{Blocks, Finding, WorkingSet};
use self::interior::Accuracy;
use self::master::Master;
use crate::error::{Error, Result};
use crate::linalg::{Matrix, project_psd};
use crate::monitor::{Monitor, Progress};

/// The relative duality gap that [`Mode::Exact`] reaches before it calls itself converged.
pub const EXACT_GAP: f64 = 1e-6;

/// Violations below this, relative to the largest loss, are rounding.
const ROUNDING: f64 = 1e-12;

/// Margins that fall short of 1 by less than this are met by growing B a little.
const NEARLY_MET: f64 = 1e-9;

/// How B ⪰ 0 is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Solve without it and project afterwards, as the paper does.
    Projected,
    /// Solve with it.
    Exact,
}

/// What the two graphs' features are compared by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Metric {
    /// wᵀBw with w = [θ; θ'], each graph with coefficients of its own.
    #[default]
    Joint,
    /// (θ − θ')ᵀM(θ − θ'), the same coefficients for both.
    Shared,
}

/// How the learning ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// No constraint is violated by more than the tolerance; in [`Mode::Exact`], and the gap is closed.
    Converged,
    /// The rounds allowed were used up.
    RoundLimit,
    /// Rounding stopped the progress before the tolerance was reached.
    Stalled,
    /// The monitor stopped the work; B is that of the last complete round.
    Interrupted,
}

/// The learner's parameters.
///
/// # Complexity
/// A round scans in O((n₁+n₂)(K² + |anchors|K)) and solves a master problem of m constraints in
/// D = (K+K')(K+K'+1)/2 unknowns by 15 to 40 steps of O(m D min(m, D)) each; memory is O(mD).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Learner {
    /// How B ⪰ 0 is kept.
    pub mode: Mode,
    /// C, the price of slack against the size of B.
    pub c: f64,
    /// The violation allowed, relative to the largest loss. The default, 1e-4, is a ten-thousandth of
    /// the margin: far below what the features' noise does to it.
    pub tolerance: f64,
    /// Rounds of column generation at most.
    pub max_rounds: usize,
    /// β of the prior B₀; 0 learns from nothing. Above 0 both graphs need as many features.
    pub prior: f64,
    /// Whether the graphs share one metric.
    pub metric: Metric,
}

/// What one round of column generation saw.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Round {
    /// The largest violation Ω(1 − margin) − ξ of a constraint outside the working set, after the
    /// round.
    pub violation: f64,
    /// Constraints in the working set.
    pub working_set: usize,
    /// The optimum over the working set (without the cone in [`Mode::Projected`]): it bounds the
    /// optimum from below, and rises.
    pub objective: f64,
}

/// A learned B and how it was reached.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LearnedProximity {
    /// B, symmetric positive semidefinite, (K+K')×(K+K'); with a shared metric M, K×K.
    pub b: Matrix,
    /// How the learning ended.
    pub status: Status,
    /// ½‖B − B₀‖² + (C/n)Σv_iξ_i with the slacks below.
    pub objective: f64,
    /// A lower bound on the optimum.
    pub dual_objective: f64,
    /// (objective − dual_objective) / objective; 0 when the objective is 0.
    pub relative_gap: f64,
    /// One entry per round.
    pub rounds: Vec<Round>,
    /// ξ of each anchor: the least with which B satisfies all its constraints.
    pub slack: Vec<f64>,
    /// The mode that made it.
    pub mode: Mode,
    /// What it compares by.
    pub metric: Metric,
    /// K: where B is cut into the blocks of the two graphs.
    source_features: usize,
}

impl Default for Learner {
    fn default() -> Self {
        Self {
            mode: Mode::Projected,
            c: 100.0,
            tolerance: 1e-4,
            max_rounds: 500,
            prior: 0.0,
            metric: Metric::Joint,
        }
    }
}

impl Learner {
    /// Learns B. A stop by `monitor` returns the B of the last complete round, at first B₀.
    ///
    /// # Errors
    /// When there is no anchor, one is outside the arrays, a shape or a parameter does not fit, or the
    /// scales of features, losses and C together overflow.
    pub fn learn(&self, examples: &Examples<'_>, monitor: &Monitor) -> Result<LearnedProximity> {
        self.check()?;
        examples.check(self.prior, self.metric)?;
        let n = examples.anchors.len() as f64;
        let budget: Vec<f64> = examples
            .anchors
            .iter()
            .map(|a| self.c * a.weight / n)
            .collect();
        let prior = prior_matrix(self.prior, examples, self.metric);
        let unit = examples.largest_loss();
        let mut set = WorkingSet::new(examples, self.metric);
        let mut rounds: Vec<Round> = Vec::new();
        let mut state = State::new(prior.clone(), &prior, &budget, &set, examples, 0.0);
        let mut best: Option<State> = None;
        // What is projected depends on the path, so that path should not depend on rounding; the
        // exact optimum does not, and a rough solve finds most of its constraints sooner.
        let mut accuracy = match self.mode {
            Mode::Projected => Accuracy::Full,
            Mode::Exact => Accuracy::Rough,
        };
        let status = loop {
            let violation = state.violation();
            let progress = Progress {
                stage: "learn proximity",
                done: rounds.len(),
                total: Some(self.max_rounds),
                value: Some(violation),
            };
            if monitor.checkpoint(progress).is_some() {
                break Status::Interrupted;
            }
            let closed = self.mode == Mode::Projected || state.relative_gap() <= EXACT_GAP;
            let satisfied = violation <= self.tolerance * unit;
            // With nothing to solve there is nothing to solve better.
            let full = accuracy == Accuracy::Full || set.len() == 0;
            if satisfied && closed && full {
                break Status::Converged;
            }
            if rounds.len() >= self.max_rounds {
                break Status::RoundLimit;
            }
            // An open gap asks for constraints that the tolerance alone would let pass.
            let threshold = if satisfied && full {
                ROUNDING
            } else {
                self.tolerance
            };
            if set.add(examples, &state.findings, threshold * unit) == 0 {
                if full {
                    break Status::Stalled;
                }
                accuracy = Accuracy::Full;
            }
            let master = Master {
                rivals: &set.rivals,
                pairs: &set.pairs,
                loss: &set.loss,
                anchor: &set.anchor,
                budget: &budget,
                prior: &prior,
                cone: self.mode == Mode::Exact,
            };
            let Some(solution) = master.solve(accuracy, monitor)? else {
                break Status::Interrupted;
            };
            let b = match self.mode {
                Mode::Projected => project_psd(&solution.b)?,
                Mode::Exact => solution.b,
            };
            // A lower bound of a smaller set bounds the larger one too.
            let dual = state.dual.max(solution.dual_objective);
            let mut next = State::new(b, &prior, &budget, &set, examples, dual);
            if self.mode == Mode::Exact {
                next = next.grown(&prior, &budget, &set, examples);
            }
            rounds.push(Round {
                violation: next.violation(),
                working_set: set.len(),
                objective: dual,
            });
            let previous = std::mem::replace(&mut state, next);
            if self.mode == Mode::Exact
                && best
                    .as_ref()
                    .is_none_or(|b| previous.objective < b.objective)
            {
                best = Some(previous);
            }
            // What the mode promises decides, where rounding allows the master problem no better.
            let promised = match self.mode {
                Mode::Projected => 0.1 * self.tolerance,
                Mode::Exact => EXACT_GAP,
            };
            let solved = solution.converged || solution.gap <= promised;
            if !solved {
                break Status::Stalled;
            }
        };
        // Cut short, the exact mode has better to offer than its last round.
        if status != Status::Converged
            && let Some(mut earlier) = best
            && earlier.objective < state.objective
        {
            earlier.dual = state.dual;
            state = earlier;
        }
        Ok(LearnedProximity {
            relative_gap: state.relative_gap(),
            slack: state.findings.iter().map(|f| f.slack).collect(),
            b: state.b,
            status,
            objective: state.objective,
            dual_objective: state.dual,
            rounds,
            mode: self.mode,
            metric: self.metric,
            source_features: examples.source.cols(),
        })
    }

    fn check(&self) -> Result<()> {
        let positive = |name, value: f64| {
            if value > 0.0 && value.is_finite() {
                Ok(())
            } else {
                Err(Error::parameter(name, value, "a finite number above 0"))
            }
        };
        positive("c", self.c)?;
        positive("tolerance", self.tolerance)?;
        if self.max_rounds == 0 {
            return Err(Error::parameter("max_rounds", 0, "at least 1"));
        }
        if !(self.prior >= 0.0 && self.prior.is_finite()) {
            return Err(Error::parameter(
                "prior",
                self.prior,
                "a finite number, 0 or above",
            ));
        }
        Ok(())
    }
}

impl LearnedProximity {
    /// d_B(i, a) for every row of `source` against every row of `target`.
    ///
    /// # Panics
    /// When the features are not as many as those that were learned from.
    ///
    /// # Complexity
    /// O(n₁n₂K) time, O(n₁n₂) memory.
    #[must_use]
    pub fn distance(&self, source: &Matrix, target: &Matrix) -> Matrix {
        let (k1, k2) = (source.cols(), target.cols());
        assert_eq!(k1, self.source_features, "source features as learned from");
        let expected = match self.metric {
            Metric::Joint => self.b.rows() - k1,
            Metric::Shared => k1,
        };
        assert_eq!(k2, expected, "target features as learned from");
        Blocks::new(&self.b, k1, self.metric).distances(source, target)
    }
}

/// A B with the slacks it needs and its bounds.
struct State {
    b: Matrix,
    findings: Vec<Finding>,
    objective: f64,
    dual: f64,
}

impl State {
    fn new(
        b: Matrix,
        prior: &Matrix,
        budget: &[f64],
        set: &WorkingSet,
        examples: &Examples<'_>,
        dual: f64,
    ) -> Self {
        let findings = set.scan(examples, &b);
        let slack: f64 = budget.iter().zip(&findings).map(|(p, f)| p * f.slack).sum();
        let distance: f64 = b
            .as_slice()
            .iter()
            .zip(prior.as_slice())
            .map(|(b, p)| (b - p).powi(2))
            .sum();
        Self {
            b,
            findings,
            objective: 0.5 * distance + slack,
            dual,
        }
    }

    /// The same, or a B that is larger by no more than rounding if that is better: where the price of
    /// slack is high, margins short by the last digits would cost more than all of B.
    fn grown(
        self,
        prior: &Matrix,
        budget: &[f64],
        set: &WorkingSet,
        examples: &Examples<'_>,
    ) -> Self {
        let least = self
            .findings
            .iter()
            .map(|f| f.least_margin)
            .fold(f64::INFINITY, f64::min);
        let short = 1.0 - least;
        if !(short > 0.0 && short <= NEARLY_MET) {
            return self;
        }
        let mut b = self.b.clone();
        for value in b.as_mut_slice() {
            // Four times what is missing: the margins themselves are known up to rounding only.
            *value *= 1.0 + 4.0 * short;
        }
        let grown = Self::new(b, prior, budget, set, examples, self.dual);
        if grown.objective < self.objective {
            grown
        } else {
            self
        }
    }

    fn violation(&self) -> f64 {
        self.findings
            .iter()
            .map(Finding::violation)
            .fold(0.0, f64::max)
    }

    fn relative_gap(&self) -> f64 {
        if self.objective > 0.0 {
            ((self.objective - self.dual) / self.objective).max(0.0)
        } else {
            0.0
        }
    }
}

/// β[[I, −I], [−I, I]], or βI where the metric is shared.
fn prior_matrix(beta: f64, examples: &Examples<'_>, metric: Metric) -> Matrix {
    let (k, d) = (examples.source.cols(), examples.dimension(metric));
    Matrix::from_fn(d, d, |i, j| {
        if i == j {
            beta
        } else if i.abs_diff(j) == k {
            -beta
        } else {
            0.0
        }
    })
}
