//! Are wrong anchors found, and right ones left in peace?
//!
//! Every trial is a pair of graphs with a few anchors of its truth. It is matched as it is, which
//! shows false alarms; with some anchors spoilt, without and with repair; and with the spoilt ones
//! left out, which is what a repair can reach. A spoilt anchor gets the partner of another node;
//! two that are swapped get each other's.

use anchormatch::matcher::Matcher;
use anchormatch::settings::Settings;
use anchormatch::{Error, Monitor, Result, Task};
use anchormatch_report::Summary;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use super::Trial;

/// The parameter of matchers that repair anchors.
pub const REPAIR: &str = "repair_anchors";

/// How anchors are spoilt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spoil {
    /// The first anchor gets the partner of a node that is no anchor.
    One,
    /// The first two get each other's partners.
    Swap,
}

impl Spoil {
    /// How many anchors it makes wrong.
    #[must_use]
    pub fn count(self) -> usize {
        match self {
            Self::One => 1,
            Self::Swap => 2,
        }
    }

    /// The anchors of a trial, the first ones spoilt.
    fn apply(self, trial: &Trial, rng: &mut ChaCha8Rng) -> Result<Vec<(usize, usize)>> {
        let mut anchors = trial.anchors.clone();
        let is_anchor = |pair: &&(usize, usize)| !trial.anchors.contains(pair);
        let others: Vec<_> = trial.instance.truth.iter().filter(is_anchor).collect();
        if anchors.len() < self.count() || others.is_empty() {
            return Err(Error::parameter(
                "anchors",
                anchors.len(),
                "two at least, and a node that is none",
            ));
        }
        match self {
            Self::One => anchors[0].1 = others[rng.random_range(0..others.len())].1,
            Self::Swap => (anchors[0].1, anchors[1].1) = (anchors[1].1, anchors[0].1),
        }
        Ok(anchors)
    }
}

/// What happened over all trials.
#[derive(Debug, Clone)]
pub struct WrongAnchors {
    /// The share of wrong anchors that were called suspicious.
    pub named: Summary,
    /// The share of right anchors that were, beside wrong ones.
    pub blamed: Summary,
    /// The share of anchors that were, when all are right.
    pub false_alarms: Summary,
    /// Accuracy over the nodes that never were anchors, with all anchors as given.
    pub spoilt: Summary,
    /// The same with repair.
    pub repaired: Summary,
    /// The same with the wrong anchors left out.
    pub without: Summary,
    /// Seconds that a check took.
    pub seconds: Summary,
}

struct Outcome {
    named: f64,
    blamed: Option<f64>,
    false_alarms: f64,
    accuracy: [f64; 3],
    seconds: f64,
}

/// Runs `trials` trials on all cores; `trial` makes the k-th one and must depend on k alone.
///
/// # Errors
/// When the matcher cannot repair anchors, a run fails, the monitor stops it, or a trial has too few
/// anchors.
pub fn wrong_anchors(
    trials: usize,
    trial: impl Fn(usize) -> Result<Trial> + Sync,
    spoil: Spoil,
    matcher: &dyn Matcher,
    seed: u64,
    monitor: &Monitor,
) -> Result<WrongAnchors> {
    let outcomes: Vec<Outcome> = (0..trials)
        .into_par_iter()
        .map(|k| {
            if monitor.interrupted().is_some() {
                return Err(Error::Stopped("the trials were not finished"));
            }
            let mut rng = ChaCha8Rng::seed_from_u64(seed.wrapping_add(k as u64));
            outcome(&trial(k)?, spoil, matcher, &mut rng, monitor)
        })
        .collect::<Result<_>>()?;
    let summary = |value: &dyn Fn(&Outcome) -> f64| Summary::of(outcomes.iter().map(value));
    Ok(WrongAnchors {
        named: summary(&|o| o.named),
        blamed: Summary::of(outcomes.iter().filter_map(|o| o.blamed)),
        false_alarms: summary(&|o| o.false_alarms),
        spoilt: summary(&|o| o.accuracy[0]),
        repaired: summary(&|o| o.accuracy[1]),
        without: summary(&|o| o.accuracy[2]),
        seconds: summary(&|o| o.seconds),
    })
}

fn outcome(
    trial: &Trial,
    spoil: Spoil,
    matcher: &dyn Matcher,
    rng: &mut ChaCha8Rng,
    monitor: &Monitor,
) -> Result<Outcome> {
    let instance = &trial.instance;
    let run = |anchors: &[(usize, usize)], repair: bool| {
        let task = Task::from_pairs(&instance.source, &instance.target, anchors)?;
        let settings = Settings::from_iter([(REPAIR.to_owned(), repair.into())]);
        matcher.configured(&settings)?.run(&task, monitor)
    };
    let given = spoil.apply(trial, rng)?;
    let wrong = spoil.count();
    let right = run(&trial.anchors, false)?;
    let spoilt = run(&given, false)?;
    let repaired = run(&given, true)?;
    let without = run(&given[wrong..], false)?;
    let asked: Vec<(usize, usize)> = instance
        .truth
        .iter()
        .copied()
        .filter(|pair| !trial.anchors.contains(pair))
        .collect();
    let accuracy = |matching: &anchormatch::Matching| {
        let mapping = matching.mapping();
        let right = asked.iter().filter(|(s, t)| mapping.get(s) == Some(t));
        right.count() as f64 / asked.len() as f64
    };
    let share = |checks: &[anchormatch::matching::AnchorCheck]| {
        let count = checks.iter().filter(|check| check.is_suspicious()).count();
        count as f64 / checks.len() as f64
    };
    let timing = spoilt.timings.iter().find(|(n, _)| n == "anchor check");
    let report = &spoilt.anchor_report;
    Ok(Outcome {
        named: share(&report[..wrong]),
        blamed: (report.len() > wrong).then(|| share(&report[wrong..])),
        false_alarms: share(&right.anchor_report),
        accuracy: [accuracy(&spoilt), accuracy(&repaired), accuracy(&without)],
        seconds: timing.map_or(0.0, |(_, seconds)| *seconds),
    })
}
