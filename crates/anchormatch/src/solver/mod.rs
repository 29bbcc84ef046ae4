//! Solvers of the integer quadratic program: they know a [`Problem`] and nothing about graphs.

mod rrwm;

pub use rrwm::Rrwm;

use serde::Serialize;

use crate::error::Result;
use crate::linalg::Matrix;
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
    pub assignment: Vec<Option<usize>>,
    /// xᵀWx of the assignment.
    pub objective: f64,
    /// The relaxed solution, rows and columns summing to at most 1; `None` for pure searches.
    pub soft: Option<Matrix>,
    /// Iterations made.
    pub iterations: usize,
    /// Why the solver stopped.
    pub status: Status,
    /// The solver's residual after each iteration.
    pub convergence: Vec<f64>,
}

/// An algorithm for [`Problem`]s.
pub trait Solver: Send + Sync {
    /// The name by which a user picks it.
    fn name(&self) -> &'static str;

    /// Solves `problem`; a stop by `monitor` returns the best so far.
    ///
    /// # Errors
    /// When the problem does not suit the solver, or memory would run out.
    fn solve(&self, problem: &Problem, monitor: &Monitor) -> Result<Solution>;
}
