//! The paper's comparisons: variants of W on pairs of graphs with a known matching.
//!
//! A [`Trial`] is one pair of graphs with its anchors; [`compare`] runs every variant on every trial,
//! on all cores, and the accuracies come back in the order of the trials, so a table does not depend
//! on the number of threads.

pub mod evaluation;
pub mod hotel;
pub mod networks;
pub mod qaplib;
pub mod reproduce;
pub mod solvers;
pub mod suggest;
mod summary;
pub mod wrong_anchors;

pub use summary::Summary;

use anchormatch::matcher::Paper;
use anchormatch::{Anchors, Error, Monitor, Result};
use rayon::prelude::*;

use anchormatch_generate::Instance;

/// One pair of graphs with its anchors.
#[derive(Debug, Clone)]
pub struct Trial {
    /// The graphs and the truth.
    pub instance: Instance,
    /// Pairs of the truth that are given away.
    pub anchors: Vec<(usize, usize)>,
}

impl Trial {
    /// The share of the non-anchor truth that `preset` finds.
    ///
    /// # Errors
    /// When the run fails, or nothing but anchors is in the truth.
    pub fn accuracy(&self, preset: &Paper, monitor: &Monitor) -> Result<f64> {
        let Instance {
            source,
            target,
            truth,
            ..
        } = &self.instance;
        let anchors = Anchors::from_indices(source, target, &self.anchors)?;
        let matching = preset.run(source, target, &anchors, monitor)?;
        matching.score(truth)?.accuracy().ok_or_else(|| {
            Error::parameter(
                "anchors",
                "the whole truth",
                "fewer, so that something is left to find",
            )
        })
    }
}

/// Accuracy by trial (row) and preset (column).
///
/// `trial` makes the k-th trial; it is called on any thread and must depend on k alone. `done` is
/// called after every finished trial.
///
/// # Errors
/// The first error of a run, or a stop by the monitor.
pub fn compare(
    trials: usize,
    trial: impl Fn(usize) -> Result<Trial> + Sync,
    presets: &[Paper],
    monitor: &Monitor,
    done: impl Fn() + Sync,
) -> Result<Vec<Vec<f64>>> {
    (0..trials)
        .into_par_iter()
        .map(|k| {
            if monitor.interrupted().is_some() {
                return Err(Error::Stopped("the comparison was not finished"));
            }
            let trial = trial(k)?;
            let row = presets
                .iter()
                .map(|preset| trial.accuracy(preset, monitor))
                .collect();
            done();
            row
        })
        .collect()
}
