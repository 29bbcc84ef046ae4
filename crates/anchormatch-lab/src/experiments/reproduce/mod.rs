//! Section 5 of Hu, Rustamov & Guibas (CVPR 2013), redone.
//!
//! An [`Experiment`] has a [`Protocol`]: points, trials and the methods that are compared. [`run`] does
//! what a [`Journal`] does not have yet; [`Results`] has the tables, [`claims`] judges what the paper
//! says, and [`Book`] with [`document`] makes the page.
//!
//! A [`Matcher`](anchormatch::matcher::Matcher) of one's own is an [`Entry`] more:
//!
//! ```
//! use anchormatch::matcher::{Paper, Terms};
//! use anchormatch::solver::Gagm;
//! use anchormatch::Monitor;
//! use anchormatch_lab::experiments::reproduce::{Entry, Scale, compare, synthetic};
//!
//! let mut protocol = synthetic::noise(&Scale::of(1), 0);
//! let solver = std::sync::Arc::new(Gagm::default());
//! let mine = Paper::with_terms(Terms::HeatAnchors).with_solver(solver);
//! protocol.entries = vec![Entry::standard().remove(3), Entry::new("gagm", mine)];
//! protocol.points.truncate(2);
//! protocol.curves[0].places.truncate(2);
//! let results = compare(&protocol, &Monitor::silent())?;
//! assert_eq!(results.csv().lines().count(), 1 + 2 * 2);
//! # Ok::<(), anchormatch::Error>(())
//! ```

pub mod ablations;
pub mod claims;
mod document;
mod entry;
mod estimate;
mod experiment;
mod figures;
pub mod films;
mod journal;
mod pages;
mod pictures;
mod protocol;
mod proximity;
pub mod published;
pub mod readings;
mod results;
mod runner;
mod scale;
pub mod synthetic;

pub use document::{Block, Document, Figure};
pub use entry::{Entry, Outcome, WIDE};
pub use estimate::{Clustered, Estimate};
pub use experiment::{Book, Experiment, Setup};
pub use journal::{Journal, Outcomes, Trials};
pub use pages::{About, document};
pub use protocol::{Curve, Point, Protocol, derived_seed};
pub use results::Results;
pub use runner::{missing, run};
pub use scale::Scale;

use anchormatch::{Monitor, Result};

/// Runs a protocol from the start and keeps no journal.
///
/// # Errors
/// When a trial fails.
pub fn compare(protocol: &Protocol, monitor: &Monitor) -> Result<Results> {
    let trials = runner::run_all(protocol, rayon::current_num_threads(), monitor)?;
    Ok(Results::new(protocol.clone(), &trials))
}
