//! Solvers of the integer quadratic program: they know a [`Problem`] and nothing about graphs.
//!
//! **Relaxations** work on a soft matrix and round it at the end; **searches** walk from assignment
//! to assignment. All of them take the same problem, start and monitor, and report the same things.
//! [`registry`] lists them by name.

mod anneal;
mod balancer;
mod conditional;
mod configurable;
pub mod drop_in;
mod em_svd;
mod faq;
mod fiedler;
mod frank_wolfe;
mod gagm;
mod goat;
mod hgm;
mod ils;
mod ipfp;
mod jumps;
mod listed;
mod local;
mod mean_field;
mod memory;
mod path;
mod portfolio;
mod quantum_walk;
pub mod registry;
mod relaxation;
mod rounding;
mod rrwm;
mod sampler;
mod sdp;
#[cfg(test)]
mod search_tests;
mod seriation;
mod seriation_eigen;
mod seriation_walk;
mod sm;
mod smac;
mod spgm;
mod star_edit;
mod starting;
mod swaps;
mod tabu;
#[cfg(test)]
mod test_support;
mod ties;
mod two_graphs;
mod two_opt;
mod umeyama;
mod zhao;

pub use anneal::Anneal;
pub(crate) use conditional::{Condition, Conditional};
pub use configurable::Configurable;
pub use em_svd::EmSvd;
pub use faq::Faq;
pub use fiedler::FiedlerPartition;
pub use gagm::Gagm;
pub use goat::Goat;
pub use hgm::Hgm;
pub use ils::Ils;
pub use ipfp::Ipfp;
pub(crate) use mean_field::Annealed;
pub use mean_field::MeanField;
pub use memory::matrices;
pub use path::Path;
pub use portfolio::Portfolio;
pub use quantum_walk::QuantumWalk;
pub use rounding::{round, round_within};
pub use rrwm::Rrwm;
pub use sampler::{Curve, Sampler, Samples};
pub use sdp::Sdp;
pub use seriation_eigen::SeriationEigen;
pub use seriation_walk::SeriationWalk;
pub use sm::{Discretisation, Sm};
pub use smac::Smac;
pub use spgm::Spgm;
pub use star_edit::StarEdit;
pub use tabu::Tabu;
pub use two_opt::TwoOpt;
pub use umeyama::Umeyama;
pub use zhao::Zhao;

use serde::Serialize;

use crate::assignment::Assignment;
use crate::error::{Error, Result};
use crate::linalg::{Matrix, PairValues};
use crate::monitor::{Interrupt, Monitor};
use crate::problem::Problem;

/// Why a solver stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Its own criterion was met.
    Converged,
    /// The iterations allowed were used up.
    IterationLimit,
    /// The time limit passed; the result is the best so far.
    TimeLimit,
    /// The caller cancelled; the result is the best so far.
    Cancelled,
}

impl Status {
    /// Whether a limit from outside cut the run short.
    #[must_use]
    pub fn was_interrupted(self) -> bool {
        matches!(self, Self::TimeLimit | Self::Cancelled)
    }

    /// The status's name, as JSON and tables write it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Converged => "converged",
            Self::IterationLimit => "iteration_limit",
            Self::TimeLimit => "time_limit",
            Self::Cancelled => "cancelled",
        }
    }
}

impl From<Interrupt> for Status {
    fn from(interrupt: Interrupt) -> Self {
        match interrupt {
            Interrupt::TimeLimit => Self::TimeLimit,
            Interrupt::Cancelled => Self::Cancelled,
        }
    }
}

/// What a solver returns.
#[derive(Debug, Clone, PartialEq)]
pub struct Solution {
    /// The partner of each row, if it has one.
    pub assignment: Assignment,
    /// The assignment's value, in the problem's own sense.
    pub objective: f64,
    /// The relaxed solution, rows and columns summing to at most 1; `None` for pure searches.
    pub soft: Option<PairValues>,
    /// Iterations made.
    pub iterations: usize,
    /// Why the solver stopped.
    pub status: Status,
    /// A relaxation's residual after each iteration; a search's best objective after each improvement.
    pub convergence: Vec<f64>,
}

impl Solution {
    /// The relaxed solution as a matrix, when there is one and it is full.
    #[must_use]
    pub fn soft_matrix(&self) -> Option<&Matrix> {
        self.soft.as_ref().and_then(PairValues::as_full)
    }
}

/// Whether a solver relaxes or searches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Works on a soft matrix, rounds at the end.
    Relaxation,
    /// Walks from assignment to assignment.
    Search,
}

/// What a solver makes of listed candidates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum OnLists {
    /// Works on the lists: memory is O(candidates + edges), and soft results are listed.
    Listed,
    /// Keeps to them, and fills up matrices of all pairs.
    Filled,
}

/// What a user should know before picking a solver.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Info {
    /// The name by which a user picks it.
    pub name: &'static str,
    /// Relaxation or search.
    pub kind: Kind,
    /// Authors, year, where.
    pub reference: &'static str,
    /// Time an iteration, with P the cost of one product with W.
    pub complexity: &'static str,
    /// The problems that it takes.
    pub accepts: &'static str,
    /// What it makes of listed candidates.
    pub candidates: OnLists,
}

/// Where a solver starts.
#[derive(Debug, Clone, Copy, Default)]
pub struct Start<'a> {
    /// The seed of everything random.
    pub seed: u64,
    /// A soft assignment for relaxations that can start from one.
    pub soft: Option<&'a PairValues>,
    /// An assignment for methods that can start from one; relaxations may take it as a soft matrix.
    pub assignment: Option<&'a Assignment>,
}

impl<'a> Start<'a> {
    /// The default start with a seed.
    #[must_use]
    pub fn seeded(seed: u64) -> Self {
        Self {
            seed,
            ..Self::default()
        }
    }

    /// The same start with an assignment.
    #[must_use]
    pub fn with_assignment(mut self, assignment: &'a Assignment) -> Self {
        self.assignment = Some(assignment);
        self
    }

    /// The same start with a soft assignment.
    #[must_use]
    pub fn with_soft(mut self, soft: &'a PairValues) -> Self {
        self.soft = Some(soft);
        self
    }

    /// Checks that what is given fits the problem.
    ///
    /// # Errors
    /// When a shape differs, a soft entry is negative or not finite, or the assignment is not
    /// one-to-one within the candidates.
    pub fn check(&self, problem: &Problem) -> Result<()> {
        let (n, m) = problem.shape();
        if let Some(soft) = self.soft {
            let shape = soft.shape();
            if shape != (n, m) {
                return Err(Error::parameter(
                    "start",
                    format!("a {}×{} matrix", shape.0, shape.1),
                    format!("{n}×{m}"),
                ));
            }
            if let Some(v) = soft.occurring().find(|v| !(v.is_finite() && *v >= 0.0)) {
                return Err(Error::parameter("start", v, "finite numbers, at least 0"));
            }
        }
        if let Some(assignment) = self.assignment
            && !problem.permits(assignment)
        {
            return Err(Error::parameter(
                "start",
                "an assignment that is not one-to-one within the candidates",
                format!("a partner or none for each of {n} rows"),
            ));
        }
        Ok(())
    }
}

/// An algorithm for [`Problem`]s: a struct of its parameters, which serde writes and reads
/// ([`Configurable`]).
pub trait Solver: Configurable + Send + Sync {
    /// Name, reference, complexity, what it accepts.
    fn info(&self) -> Info;

    /// Checks that the parameters are within their ranges.
    ///
    /// # Errors
    /// When one is not; the error names it.
    fn check(&self) -> Result<()> {
        Ok(())
    }

    /// Checks that the solver takes problems such as this one.
    ///
    /// # Errors
    /// When it does not; the error says what about the problem is in the way.
    fn accepts(&self, _problem: &Problem) -> Result<()> {
        Ok(())
    }

    /// Bytes that solving takes beside the problem, which [`solve`](Self::solve) reserves: by default
    /// four [`matrices`] of all pairs.
    fn memory(&self, problem: &Problem) -> u64 {
        matrices(problem, 4)
    }

    /// What the run that gave this solution proved: no assignment has a better objective. `None` for solvers without such
    /// a proof.
    fn bound(&self, _solution: &Solution) -> Option<f64> {
        None
    }

    /// Solves a problem that the solver [accepts](Self::accepts), from a start that fits it, with
    /// parameters that were checked. This is what an algorithm implements; callers call
    /// [`solve`](Self::solve).
    ///
    /// # Errors
    /// When memory would run out, or numbers do.
    fn solve_accepted(
        &self,
        problem: &Problem,
        start: &Start<'_>,
        monitor: &Monitor,
    ) -> Result<Solution>;

    /// Solves `problem`; a stop by `monitor` returns the best so far.
    ///
    /// # Errors
    /// When a parameter is outside its range, the problem does not suit the solver, the start does not
    /// fit the problem, or memory would run out.
    fn solve(&self, problem: &Problem, start: &Start<'_>, monitor: &Monitor) -> Result<Solution> {
        self.check()?;
        self.accepts(problem)?;
        start.check(problem)?;
        memory::reserve(self, problem, monitor)?;
        self.solve_accepted(problem, start, monitor)
    }
}
