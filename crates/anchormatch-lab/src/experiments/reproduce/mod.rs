//! Section 5 of Hu, Rustamov & Guibas (CVPR 2013), redone.
//!
//! An [`Experiment`] has a [`Protocol`]: points, trials and the methods that are compared. [`run`] does
//! what a [`Journal`] does not have yet; [`Results`] has the tables, [`claims`] judges what the paper
//! says, and [`Book`] with [`document`] makes the page.
//!
//! A method of one's own is a [`Contender`] more:
//!
//! ```
//! use anchormatch::matcher::{Paper, Terms};
//! use anchormatch::solver::Gagm;
//! use anchormatch::Monitor;
//! use anchormatch_lab::experiments::reproduce::{Contender, Scale, compare, synthetic};
//!
//! let mut protocol = synthetic::noise(&Scale::of(1), 0);
//! let solver = std::sync::Arc::new(Gagm::default());
//! let mine = Paper { solver, ..Paper::with_terms(Terms::HeatAnchors) };
//! protocol.contenders = vec![Contender::standard().remove(3), Contender::paper("gagm", mine)];
//! protocol.points.truncate(2);
//! protocol.curves[0].places.truncate(2);
//! let results = compare(&protocol, &Monitor::silent())?;
//! assert_eq!(results.csv().lines().count(), 1 + 2 * 2);
//! # Ok::<(), anchormatch::Error>(())
//! ```

pub mod ablations;
pub mod claims;
mod contender;
mod document;
mod estimate;
mod experiment;
mod figures;
pub mod films;
mod journal;
mod pages;
mod pictures;
mod protocol;
pub mod published;
mod results;
mod runner;
mod scale;
pub mod synthetic;
mod workbench;

pub use contender::{Answer, Contender, Outcome, WIDE};
pub use document::{Block, Document, Figure};
pub use estimate::{Clustered, Estimate};
pub use experiment::{Book, Experiment, Setup};
pub use journal::{Journal, Outcomes, Trials};
pub use pages::{About, document};
pub use protocol::{Curve, Point, Protocol, derived_seed};
pub use results::Results;
pub use runner::{missing, run};
pub use scale::Scale;
pub use workbench::{Heat, Loss, Workbench};

use anchormatch::{Monitor, Result};

/// Runs a protocol from the start and keeps no journal.
///
/// # Errors
/// When a trial fails.
pub fn compare(protocol: &Protocol, monitor: &Monitor) -> Result<Results> {
    let trials = runner::run_all(protocol, rayon::current_num_threads(), monitor)?;
    Ok(Results::new(protocol.clone(), &trials))
}
