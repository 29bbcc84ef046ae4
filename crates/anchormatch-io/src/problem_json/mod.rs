//! Saved problems: any kind of program as one JSON document.
//!
//! ```json
//! {
//!   "version": 1,
//!   "sense": "minimise",
//!   "coverage": "full",
//!   "constant": 0,
//!   "candidates": [[0, 0], [0, 1], [1, 0], [1, 1]],
//!   "kind": {
//!     "product": {
//!       "a": { "dense": [[0, 1], [1, 0]] },
//!       "b": { "sparse": { "nodes": 2, "entries": [[0, 1, 2.5], [1, 0, 2.5]] } },
//!       "linear": [[1, 0], [0, 1]]
//!     }
//!   }
//! }
//! ```
//!
//! `sense` is `minimise` or `maximise`; `coverage` (`full`) may be `partial`; `constant` (0) is added to
//! every objective; `candidates` (all) lists the assignments (row, column) that are allowed. `kind` is
//! one of
//!
//! * `product`: Σ a_ij b_{p(i) p(j)} + Σ linear_{i p(i)}; `a` and `b` are `dense` rows or `sparse`
//!   triplets (row, column, entry; entries of a place that is listed twice add up), `linear` is optional;
//! * `listed`: `rows`, `cols`, `assignments` [[row, column, cost], …] and `pairs` [[number, number,
//!   cost], …] of assignments by their place in the list; the cost of a pair counts once when both are
//!   chosen, and nothing but the listed assignments is allowed;
//! * `kernel`: W(ia, jb) = exp(−(x_ij − y_ab)²/bandwidth) with symmetric rows `x` and `y`, an optional
//!   `unary` part and the `tolerance` (1e-6) of the factors;
//! * `explicit`: `rows`, `cols` and the symmetric matrix `w` of (rows · cols)² entries, row and column
//!   i·cols + a for the assignment (i, a), its diagonal added to the optional `unary` part.
//!
//! Unknown fields are refused, so that a slip of the pen is not a different problem. Numbers are
//! written so that they are read back to the last bit.

mod build;
mod parts;
mod stream;
#[cfg(test)]
mod tests;

use std::io::{BufRead, Write};

use anchormatch::error::{Error, Result};
use anchormatch::linalg::Matrix;
use anchormatch::problem::{Coverage, Listed, Sense};
use serde::{Deserialize, Serialize};

use super::fault::unwritable;
use super::problem::ProblemOptions;

/// The version of the format that is written, and the only one that is read.
const VERSION: u32 = 1;

/// A program as its file describes it; [`problem`](Self::problem) makes it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SavedProblem {
    version: parts::Version,
    /// Whether to maximise or minimise.
    #[serde(with = "parts::SenseName")]
    pub sense: Sense,
    /// Who may stay alone.
    #[serde(with = "parts::CoverageName", default = "parts::full")]
    pub coverage: Coverage,
    /// What is added to every objective.
    #[serde(default)]
    pub constant: f64,
    /// The assignments that are allowed; `None` for all, or for those that a listed problem lists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub candidates: Option<Vec<(usize, usize)>>,
    /// W.
    pub kind: SavedKind,
}

/// W as its file describes it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum SavedKind {
    /// Σ a_ij b_{p(i) p(j)} + Σ linear_{i p(i)}.
    Product {
        /// Weights between the nodes of the left side.
        a: SavedWeights,
        /// Weights between the nodes of the right side.
        b: SavedWeights,
        /// The linear part, n₁×n₂.
        #[serde(
            with = "parts::optional_rows",
            default,
            skip_serializing_if = "Option::is_none"
        )]
        linear: Option<Matrix>,
    },
    /// Listed assignments and pairs of them.
    Listed(#[serde(with = "parts::ListedFields")] Listed),
    /// exp(−(x_ij − y_ab)²/bandwidth).
    Kernel {
        /// Values between the nodes of the left side, symmetric.
        #[serde(with = "parts::rows")]
        x: Matrix,
        /// Values between the nodes of the right side, symmetric.
        #[serde(with = "parts::rows")]
        y: Matrix,
        /// s, the kernel's width.
        bandwidth: f64,
        /// The error allowed to an entry of W.
        #[serde(default = "parts::tolerance")]
        tolerance: f64,
        /// The unary part, n₁×n₂.
        #[serde(
            with = "parts::optional_rows",
            default,
            skip_serializing_if = "Option::is_none"
        )]
        unary: Option<Matrix>,
    },
    /// Every entry of W.
    Explicit {
        /// n₁.
        rows: usize,
        /// n₂.
        cols: usize,
        /// W, (n₁ n₂)×(n₁ n₂), symmetric.
        #[serde(with = "parts::rows")]
        w: Matrix,
        /// The unary part beside W's diagonal, n₁×n₂.
        #[serde(
            with = "parts::optional_rows",
            default,
            skip_serializing_if = "Option::is_none"
        )]
        unary: Option<Matrix>,
    },
}

/// A square matrix of weights.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum SavedWeights {
    /// All rows.
    Dense(#[serde(with = "parts::rows")] Matrix),
    /// Triplets.
    Sparse {
        /// The number of rows and columns.
        nodes: usize,
        /// (row, column, entry); entries of one place add up.
        entries: Vec<(usize, usize, f64)>,
    },
}

impl SavedProblem {
    /// A program of `kind`, fully covered, without a constant, all assignments allowed.
    #[must_use]
    pub fn new(sense: Sense, kind: SavedKind) -> Self {
        Self {
            version: parts::Version,
            sense,
            coverage: Coverage::Full,
            constant: 0.0,
            candidates: None,
            kind,
        }
    }
}

/// Reads a saved problem from any reader; `name` stands for the file in errors.
///
/// # Errors
/// When it cannot be read, is no JSON or no saved problem, or would pass the memory that `options` allow.
pub fn read_saved_problem_from(
    reader: impl BufRead,
    name: &str,
    options: &ProblemOptions,
) -> Result<SavedProblem> {
    stream::read(reader, name, options)
}

/// Writes a saved problem so that [`read_saved_problem_from`] gives it back.
///
/// # Errors
/// When `out` fails, or a number is not finite: JSON has no such numbers.
pub fn write_saved_problem(
    out: &mut (impl Write + ?Sized),
    problem: &SavedProblem,
) -> std::io::Result<()> {
    if !problem.is_finite() {
        return Err(unwritable("a problem with a number that is not finite"));
    }
    serde_json::to_writer(&mut *out, problem)?;
    writeln!(out)
}
