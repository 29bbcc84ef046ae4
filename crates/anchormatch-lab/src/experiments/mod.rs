//! Comparisons of matchers on pairs of graphs with a known matching.
//!
//! A [`Trial`] is one pair of graphs with its anchors; [`compare`] runs every matcher on every trial,
//! on all cores, and the accuracies come back in the order of the trials, so a table does not depend
//! on the number of threads.

pub mod evaluation;
pub mod hotel;
pub mod large;
pub mod learning;
mod memory;
pub mod networks;
pub mod points;
pub mod qaplib;
pub mod reading;
pub mod reproduce;
pub mod solvers;
pub mod suggest;
pub mod wrong_anchors;

use anchormatch::matcher::Matcher;
use anchormatch::{Error, Matching, Monitor, Result, Task};
use anchormatch_generate::Instance;
use rayon::prelude::*;

/// One pair of graphs with its anchors.
#[derive(Debug, Clone)]
pub struct Trial {
    /// The graphs and the truth.
    pub instance: Instance,
    /// Pairs of the truth that are given away.
    pub anchors: Vec<(usize, usize)>,
}

impl Trial {
    /// What a matcher is told of it.
    ///
    /// # Errors
    /// When the anchors do not fit the graphs.
    pub fn task(&self) -> Result<Task<'_>> {
        let instance = &self.instance;
        Task::from_pairs(&instance.source, &instance.target, &self.anchors)
    }

    /// The share of the non-anchor truth that `matcher` finds.
    ///
    /// # Errors
    /// When the run fails, or nothing but anchors is in the truth.
    pub fn accuracy(&self, matcher: &dyn Matcher, monitor: &Monitor) -> Result<f64> {
        accuracy(&matcher.run(&self.task()?, monitor)?, &self.instance.truth)
    }
}

/// The share of the non-anchor truth that was found.
fn accuracy(matching: &Matching, truth: &[(usize, usize)]) -> Result<f64> {
    let share = matching.score(truth)?.accuracy();
    share.ok_or_else(nothing_to_find)
}

/// Why there is no accuracy.
fn nothing_to_find() -> Error {
    let expected = "fewer, so that something is left to find";
    Error::parameter("anchors", "the whole truth", expected)
}

/// Accuracy by trial (row) and matcher (column).
///
/// `trial` makes the k-th trial; it is called on any thread and must depend on k alone. `done` is
/// called after every finished trial.
///
/// # Errors
/// The first error of a run, or a stop by the monitor.
pub fn compare(
    trials: usize,
    trial: impl Fn(usize) -> Result<Trial> + Sync,
    matchers: &[Box<dyn Matcher>],
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
            let row = matchers
                .iter()
                .map(|matcher| trial.accuracy(&**matcher, monitor))
                .collect();
            done();
            row
        })
        .collect()
}
