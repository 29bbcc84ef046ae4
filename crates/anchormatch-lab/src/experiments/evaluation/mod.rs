//! How good the preset `best` is, and how good anything could be on the same data.
//!
//! A [`Row`] is a kind of pair of graphs: a point of a synthetic sweep, a frame gap of a film, a block
//! model. On the trials of each row
//!
//! - [`limits`] compares `best` and `fast` with a search that starts at the truth, which tells the
//!   optimiser's errors from those that are in the data;
//! - [`calibration`] compares the confidences with the share that is right;
//! - [`outliers`] counts who was rightly and wrongly left alone;
//! - [`ablation`] takes the method's ingredients out one at a time.
//!
//! Trial k of every row has the seed [`FIRST_SEED`] + 10⁵ · master seed + k, so that the rows of a sweep
//! share their graphs. **No test of the method draws from these seeds**: theirs lie below
//! [`FIRST_SEED`], so what is told here was not tuned on. Nothing depends on the number of threads but
//! the seconds.

pub mod ablation;
pub mod calibration;
pub mod limits;
pub mod outliers;
mod plot;
mod rows;

pub use plot::reliability_plot;
pub use rows::{Graphs, Group, Row, standard_rows, whole_hotel};

use anchormatch::matcher::Matcher;
use anchormatch::{Matching, Monitor, Result, Task};
use rayon::prelude::*;

use super::{Trial, accuracy};
use crate::datasets::hotel::Hotel;

/// The seed of the first trial under master seed 0; the tests of the method stay below it.
pub const FIRST_SEED: u64 = 1 << 40;

/// How far the trials of two master seeds lie apart.
const SEEDS_APART: u64 = 100_000;

/// What an evaluation runs on.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Trials of a row of small graphs; see [`Row::trials`].
    pub trials: usize,
    /// Whether rows of large graphs have all trials as well.
    pub full: bool,
    /// The master seed.
    pub seed: u64,
    /// Whether trials run one at a time, each with all threads to itself.
    pub sequential: bool,
    /// The Hotel sequence, or why it is not there.
    pub hotel: std::result::Result<Hotel, String>,
}

/// What was measured on the trials of a row.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured<T> {
    /// A value for each trial that was finished, in the order of the trials.
    pub values: Vec<T>,
    /// Whether those are all trials; the monitor may have stopped the work.
    pub complete: bool,
}

impl Plan {
    /// The seed of trial k.
    #[must_use]
    pub fn trial_seed(&self, k: usize) -> u64 {
        let first = FIRST_SEED.wrapping_add(self.seed.wrapping_mul(SEEDS_APART));
        first.wrapping_add(k as u64)
    }

    /// Measures every trial of a row; `done` is called after each.
    ///
    /// A trial that the monitor cuts short is left out, as what it found is not what the preset can do.
    ///
    /// # Errors
    /// When the row's data is missing or a trial fails.
    pub fn measure<T: Send>(
        &self,
        row: &Row,
        measure: impl Fn(&Trial, u64) -> Result<T> + Sync,
        monitor: &Monitor,
        done: impl Fn() + Sync,
    ) -> Result<Measured<T>> {
        let one = |k: usize| -> Result<Option<T>> {
            if monitor.interrupted().is_some() {
                return Ok(None);
            }
            let seed = self.trial_seed(k);
            let value = measure(&row.trial(self, k)?, seed);
            if monitor.interrupted().is_some() {
                return Ok(None);
            }
            done();
            value.map(Some)
        };
        let trials = 0..row.trials(self);
        let count = trials.len();
        let values: Vec<Option<T>> = if self.sequential {
            trials.map(one).collect::<Result<_>>()?
        } else {
            trials.into_par_iter().map(one).collect::<Result<_>>()?
        };
        let values: Vec<T> = values.into_iter().flatten().collect();
        Ok(Measured {
            complete: values.len() == count,
            values,
        })
    }
}

/// One run of a matcher.
struct Run {
    matching: Matching,
    accuracy: f64,
    seconds: f64,
}

impl Run {
    fn of(
        matcher: &dyn Matcher,
        task: &Task<'_>,
        truth: &[(usize, usize)],
        monitor: &Monitor,
    ) -> Result<Self> {
        let watch = monitor.stopwatch();
        let matching = matcher.run(task, monitor)?;
        let seconds = watch.seconds();
        Ok(Self {
            accuracy: accuracy(&matching, truth)?,
            matching,
            seconds,
        })
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A plan without data.
    pub(in crate::experiments) fn plan(trials: usize) -> Plan {
        Plan {
            trials,
            full: false,
            seed: 3,
            sequential: false,
            hotel: Err("no film".to_owned()),
        }
    }

    #[test]
    fn trials_come_in_order_with_seeds_that_no_test_has() {
        let row = &standard_rows()[0];
        let mut plan = plan(6);
        let seeds = |plan: &Plan| {
            let measured = plan.measure(row, |_, seed| Ok(seed), &Monitor::silent(), || ());
            measured.unwrap()
        };
        let parallel = seeds(&plan);
        let first = FIRST_SEED + 300_000;
        assert_eq!(parallel.values, (first..first + 6).collect::<Vec<_>>());
        assert!(parallel.complete);
        plan.sequential = true;
        assert_eq!(seeds(&plan), parallel);
    }

    #[test]
    fn what_was_finished_before_a_stop_is_kept() {
        let row = &standard_rows()[0];
        let mut plan = plan(6);
        plan.sequential = true;
        let monitor = Monitor::silent();
        let last = plan.trial_seed(2);
        let one = |_: &Trial, seed: u64| {
            if seed == last {
                monitor.cancel_token().cancel();
            }
            Ok(seed)
        };
        let measured = plan.measure(row, one, &monitor, || ()).unwrap();
        assert_eq!(
            measured.values,
            [plan.trial_seed(0), plan.trial_seed(1)],
            "the third was cut"
        );
        assert!(!measured.complete);
    }
}
