//! Whether a confidence of 0.9 is right nine times out of ten.
//!
//! Every matched pair that is not an anchor has a confidence c ∈ [0, 1] and is right or not; the pair
//! of a node without a partner is wrong. Over the bins B_k of confidence, the expected calibration
//! error (Naeini, Cooper & Hauskrecht, *Obtaining well calibrated probabilities using Bayesian
//! binning*, AAAI 2015) is
//!
//! > ECE = Σ_k |B_k|/N · |share right in B_k − mean confidence in B_k|.

use anchormatch::matcher::Best;
use anchormatch::{Monitor, Result};

use super::{Measured, Plan, Row, Run};
use crate::experiments::Trial;

/// Bins of confidence: [0, 0.1), …, [0.9, 1].
pub const BINS: usize = 10;

/// The pairs of one bin.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Bin {
    /// How many pairs.
    pub count: usize,
    /// How many of them are right.
    pub right: usize,
    /// The sum of their confidences.
    pub confidence: f64,
}

impl Bin {
    /// The mean confidence; NaN for an empty bin.
    #[must_use]
    pub fn mean_confidence(&self) -> f64 {
        self.confidence / self.count as f64
    }

    /// The share that is right; NaN for an empty bin.
    #[must_use]
    pub fn share_right(&self) -> f64 {
        self.right as f64 / self.count as f64
    }
}

/// Confidences against what was right.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Reliability {
    /// By ascending confidence.
    pub bins: [Bin; BINS],
}

impl Reliability {
    /// Counts a pair.
    pub fn add(&mut self, confidence: f64, right: bool) {
        let place = ((confidence * BINS as f64) as usize).min(BINS - 1);
        let bin = &mut self.bins[place];
        bin.count += 1;
        bin.right += usize::from(right);
        bin.confidence += confidence;
    }

    /// Counts all pairs of `other` as well.
    pub fn merge(&mut self, other: &Self) {
        for (bin, more) in self.bins.iter_mut().zip(&other.bins) {
            bin.count += more.count;
            bin.right += more.right;
            bin.confidence += more.confidence;
        }
    }

    /// All pairs together.
    #[must_use]
    pub fn total(&self) -> Bin {
        let mut total = Bin::default();
        for bin in &self.bins {
            total.count += bin.count;
            total.right += bin.right;
            total.confidence += bin.confidence;
        }
        total
    }

    /// The expected calibration error; NaN without pairs.
    #[must_use]
    pub fn expected_error(&self) -> f64 {
        let gaps = self.bins.iter();
        let sum: f64 = gaps.map(|b| (b.right as f64 - b.confidence).abs()).sum();
        sum / self.total().count as f64
    }

    /// The pairs of a trial.
    fn of(trial: &Trial, seed: u64, monitor: &Monitor) -> Result<Self> {
        let (preset, truth) = (Best::default().with_seed(seed), &trial.instance.truth);
        let run = Run::of(&preset, &trial.task()?, truth, monitor)?;
        let verdicts = run.matching.verdicts(truth);
        let mut reliability = Self::default();
        for (pair, verdict) in run.matching.pairs.iter().zip(verdicts) {
            if !pair.anchor {
                reliability.add(pair.confidence, verdict == Some(true));
            }
        }
        Ok(reliability)
    }
}

/// Runs `best` on all trials of a row.
///
/// # Errors
/// When the row's data is missing or a run fails.
pub fn run(
    plan: &Plan,
    row: &Row,
    monitor: &Monitor,
    done: impl Fn() + Sync,
) -> Result<Measured<Reliability>> {
    let one = |trial: &Trial, seed: u64| Reliability::of(trial, seed, monitor);
    plan.measure(row, one, monitor, done)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::evaluation::standard_rows;
    use crate::experiments::evaluation::tests::plan;

    #[test]
    fn the_error_is_that_of_the_formula() {
        let mut first = Reliability::default();
        for (confidence, right) in [(0.95, true), (1.0, true), (0.9, false), (0.25, false)] {
            first.add(confidence, right);
        }
        // The last bin: 3 pairs, confidence 0.95, right 2/3; the third: 1 pair, 0.25 against 0.
        let want = 0.75 * (0.95 - 2.0 / 3.0) + 0.25 * 0.25;
        assert!((first.expected_error() - want).abs() < 1e-15);
        assert_eq!((first.bins[9].count, first.bins[2].count), (3, 1));

        let mut second = Reliability::default();
        second.add(0.21, true);
        second.merge(&first);
        // The third bin now: 2 pairs, confidence 0.23, right 1/2.
        let want = 0.6 * (0.95 - 2.0 / 3.0) + 0.4 * (0.5 - 0.23);
        assert!((second.expected_error() - want).abs() < 1e-15);
        assert!((second.bins[2].mean_confidence() - 0.23).abs() < 1e-15);
        assert_eq!(second.bins[2].share_right(), 0.5);
        assert_eq!((second.total().count, second.total().right), (5, 3));
        assert!(Reliability::default().expected_error().is_nan());
    }

    #[test]
    fn bins_have_their_lower_ends() {
        let mut reliability = Reliability::default();
        for confidence in [0.0, 0.1, 0.5, 1.0] {
            reliability.add(confidence, true);
        }
        let counts = reliability.bins.map(|bin| bin.count);
        assert_eq!(counts, [1, 1, 0, 0, 0, 1, 0, 0, 0, 1]);
    }

    #[test]
    fn every_pair_but_the_anchors_is_counted_and_outliers_are_wrong() {
        let rows = standard_rows();
        let row = rows.iter().find(|row| row.name == "out-6").unwrap();
        let measured = run(&plan(1), row, &Monitor::silent(), || ()).unwrap();
        let total = measured.values[0].total();
        // 26 nodes, all matched, of which two are anchors and six have no partner.
        assert_eq!(total.count, 24);
        assert!(total.right <= 18);
    }
}
