//! Weights learned from matched pairs, on pairs that had no part in the learning.
//!
//! After Caetano et al. (2009): frames of a film so far apart are matched, some of the pairs are for learning and the
//! others for judging; the figures are accuracies without anchors, under equal weights and under learned ones. Points
//! are complete graphs of their distances. On Hotel the pairs of one gap are cut in three, the first third teaches; on our house, the pairs whose
//! pans lie so far apart.

use anchormatch::matcher::{
    ExampleLearner, Learned, LearnedWeights, LearningMethod, Matcher, TrainingPair,
};
use anchormatch::{Monitor, Result, Task};
use anchormatch_generate::{Instance, house};
use anchormatch_report::Summary;
use rayon::prelude::*;

use super::reproduce::derived_seed;
use crate::datasets::hotel::Hotel;

/// Pixels by which the landmarks of our own house are off.
const JITTER: f64 = 1.0;

/// What to run.
#[derive(Debug, Clone)]
pub struct LearningStudy {
    /// Pairs that teach.
    pub training: usize,
    /// Pairs that are judged.
    pub judged: usize,
    /// Gaps between frames of Hotel.
    pub gaps: Vec<usize>,
    /// Differences of pans of the house, in degrees.
    pub pans: Vec<f64>,
    /// The methods.
    pub methods: Vec<LearningMethod>,
    /// The master seed.
    pub seed: u64,
}

/// A method on one kind of pairs.
#[derive(Debug, Clone)]
pub struct LearningRow {
    /// The pairs: `hotel, gap 50`.
    pub pairs: String,
    /// The method.
    pub method: LearningMethod,
    /// Accuracy under equal weights.
    pub equal: Summary,
    /// Accuracy under learned ones.
    pub learned: Summary,
    /// The difference, pair by pair.
    pub gain: Summary,
}

impl LearningStudy {
    /// Runs it, Hotel where it is there; `done` is called after each row.
    ///
    /// # Errors
    /// When a pair cannot be made or the monitor stops the run.
    pub fn run(
        &self,
        hotel: Option<&Hotel>,
        monitor: &Monitor,
        done: impl Fn(),
    ) -> Result<Vec<LearningRow>> {
        let mut rows = Vec::new();
        for &gap in self.gaps.iter().filter(|_| hotel.is_some()) {
            let Some(hotel) = hotel else { break };
            let all = hotel.frames().saturating_sub(gap);
            let pair = |from: usize, seed: u64| hotel.pair(from, from + gap, seed);
            self.rows(
                &format!("hotel, gap {gap}"),
                all,
                pair,
                monitor,
                &mut rows,
                &done,
            )?;
        }
        let views: Vec<house::View> = house::grid().collect();
        for &pan in &self.pans {
            let far: Vec<(usize, usize)> = (0..views.len())
                .flat_map(|to| (0..to).map(move |from| (from, to)))
                .filter(|&(from, to)| {
                    let (one, two) = (views[from], views[to]);
                    one.tilt_degrees == two.tilt_degrees
                        && (one.pan_degrees - two.pan_degrees).abs() == pan
                })
                .collect();
            let pair = |k: usize, seed: u64| {
                let (from, to) = far[k];
                house::pair(views[from], views[to], JITTER, seed)
            };
            self.rows(
                &format!("house, pan {pan}°"),
                far.len(),
                pair,
                monitor,
                &mut rows,
                &done,
            )?;
        }
        Ok(rows)
    }

    fn rows(
        &self,
        name: &str,
        count: usize,
        pair: impl Fn(usize, u64) -> Result<Instance> + Sync,
        monitor: &Monitor,
        rows: &mut Vec<LearningRow>,
        done: &impl Fn(),
    ) -> Result<()> {
        // The first third teaches.
        let third = count / 3;
        let spread = |from: usize, among: usize, wanted: usize| {
            let kept = wanted.min(among);
            (0..kept)
                .map(move |k| from + k * among / kept.max(1))
                .collect::<Vec<_>>()
        };
        let make = |places: Vec<usize>| -> Result<Vec<Instance>> {
            let each = places.into_iter();
            each.map(|k| pair(k, derived_seed(self.seed, &[&name, &k])))
                .collect()
        };
        let training = make(spread(0, third, self.training))?;
        let judged = make(spread(third, count - third, self.judged))?;
        for &method in &self.methods {
            let examples: Vec<TrainingPair<'_>> = training
                .iter()
                .map(|instance| TrainingPair {
                    source: &instance.source,
                    target: &instance.target,
                    truth: &instance.truth,
                })
                .collect();
            let learned = ExampleLearner::new(method).learn(&examples, monitor)?;
            let before = accuracies(LearnedWeights::equal(method), &judged, monitor)?;
            let after = accuracies(learned, &judged, monitor)?;
            let gain = after.iter().zip(&before).map(|(x, y)| x - y);
            rows.push(LearningRow {
                pairs: name.to_owned(),
                method,
                gain: Summary::of(gain.collect::<Vec<_>>()),
                equal: Summary::of(before),
                learned: Summary::of(after),
            });
            done();
        }
        Ok(())
    }

    /// How many rows there will be.
    #[must_use]
    pub fn steps(&self, has_hotel: bool) -> usize {
        let hotel = if has_hotel { self.gaps.len() } else { 0 };
        (hotel + self.pans.len()) * self.methods.len()
    }
}

fn accuracies(weights: LearnedWeights, pairs: &[Instance], monitor: &Monitor) -> Result<Vec<f64>> {
    let matcher = Learned::new(weights)?;
    pairs
        .par_iter()
        .map(|instance| {
            let task = Task::from_pairs(&instance.source, &instance.target, &[])?;
            let mapping = matcher.run(&task, monitor)?.mapping();
            let right = instance
                .truth
                .iter()
                .filter(|(s, t)| mapping.get(s) == Some(t));
            Ok(right.count() as f64 / instance.truth.len().max(1) as f64)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_learns_and_is_judged_on_other_pairs() {
        let study = LearningStudy {
            training: 1,
            judged: 2,
            gaps: vec![50],
            pans: vec![10.0],
            methods: vec![LearningMethod::CaetanoLinear, LearningMethod::Mcauley],
            seed: 0,
        };
        let rows = study.run(None, &Monitor::silent(), || ()).unwrap();
        assert_eq!((rows.len(), study.steps(false)), (2, 2));
        for row in rows {
            assert_eq!(row.gain.count, 2);
            assert!((row.learned.mean - row.equal.mean - row.gain.mean).abs() < 1e-12);
        }
    }
}
