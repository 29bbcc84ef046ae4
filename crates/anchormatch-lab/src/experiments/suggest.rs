//! Does asking for the suggested node settle more than asking for any?
//!
//! A loop with a person who always knows: match with a few random anchors, ask for one more node,
//! take the answer as an anchor, match again. One loop asks for the node that
//! [`Matching::suggest`](anchormatch::Matching::suggest) names, the other for a random one; both start
//! from the same anchors of the same pairs of graphs, so that their difference is a paired one.
//! Accuracy is over all pairs of the truth, known ones included: both loops are given as many.

use std::sync::Arc;

use anchormatch::matcher::{Best, Matcher};
use anchormatch::{Error, Monitor, Result, Task};
use anchormatch_generate::house::{self, View};
use anchormatch_generate::{Instance, Synthetic, synthetic};
use anchormatch_report::Summary;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

/// What graphs are matched.
#[derive(Debug, Clone, PartialEq)]
pub enum Graphs {
    /// Random graphs.
    Synthetic(Synthetic),
    /// Two random views of the house, each coordinate moved by so many pixels.
    House {
        /// The standard deviation of the moves.
        jitter: f64,
    },
}

/// What to run.
#[derive(Debug, Clone)]
pub struct SuggestStudy {
    /// The graphs of a trial.
    pub graphs: Graphs,
    /// Random anchors at the start. Default 2.
    pub first: usize,
    /// Anchors at the end. Default 8.
    pub last: usize,
    /// Trials. Default 50.
    pub trials: usize,
    /// The accuracy to reach. Default 0.95.
    pub wanted: f64,
    /// The matcher; its samples make the suggestions. Default best.
    pub matcher: Arc<dyn Matcher>,
    /// The master seed. Default 0.
    pub seed: u64,
}

impl Default for SuggestStudy {
    fn default() -> Self {
        Self {
            graphs: Graphs::Synthetic(Synthetic {
                noise: 0.3,
                ..Synthetic::default()
            }),
            first: 2,
            last: 8,
            trials: 50,
            wanted: 0.95,
            matcher: Arc::new(Best::default()),
            seed: 0,
        }
    }
}

/// What one way of asking led to.
#[derive(Debug, Clone)]
pub struct Asked {
    /// Accuracy by number of anchors.
    pub accuracy: Vec<Summary>,
    /// Anchors until the accuracy wanted; one more than the last where it was not reached.
    pub needed: Summary,
    /// The share of trials that reached it.
    pub reached: f64,
}

/// Both loops side by side.
#[derive(Debug, Clone)]
pub struct SuggestResult {
    /// The numbers of anchors, ascending.
    pub anchors: Vec<usize>,
    /// Asking for the suggested node.
    pub suggested: Asked,
    /// Asking for a random one.
    pub random: Asked,
    /// Accuracy with suggestions less that without, by number of anchors.
    pub difference: Vec<Summary>,
    /// Anchors needed with suggestions less those needed without.
    pub saved: Summary,
}

impl SuggestStudy {
    /// Runs all trials on all cores; `done` is called after each.
    ///
    /// # Errors
    /// When a run fails, the monitor stops it, or there are more anchors than nodes.
    pub fn run(&self, monitor: &Monitor, done: impl Fn() + Sync) -> Result<SuggestResult> {
        if self.first > self.last {
            return Err(Error::parameter(
                "first",
                self.first,
                format_args!("at most {}, the anchors at the end", self.last),
            ));
        }
        let curves: Vec<[Vec<f64>; 2]> = (0..self.trials)
            .into_par_iter()
            .map(|k| {
                let curves = self.trial(k as u64, monitor)?;
                done();
                Ok(curves)
            })
            .collect::<Result<_>>()?;
        let anchors: Vec<usize> = (self.first..=self.last).collect();
        let needed = |curve: &[f64]| {
            let place = curve.iter().position(|&a| a >= self.wanted - 1e-12);
            (self.first + place.unwrap_or(curve.len())) as f64
        };
        let asked = |way: usize| {
            let reached = curves
                .iter()
                .filter(|c| needed(&c[way]) <= self.last as f64);
            Asked {
                accuracy: (0..anchors.len())
                    .map(|k| Summary::of(curves.iter().map(|c| c[way][k])))
                    .collect(),
                needed: Summary::of(curves.iter().map(|c| needed(&c[way]))),
                reached: reached.count() as f64 / curves.len().max(1) as f64,
            }
        };
        Ok(SuggestResult {
            suggested: asked(0),
            random: asked(1),
            difference: (0..anchors.len())
                .map(|k| Summary::of(curves.iter().map(|c| c[0][k] - c[1][k])))
                .collect(),
            saved: Summary::of(curves.iter().map(|c| needed(&c[0]) - needed(&c[1]))),
            anchors,
        })
    }

    fn instance(&self, seed: u64) -> Result<Instance> {
        match &self.graphs {
            Graphs::Synthetic(settings) => synthetic(settings, seed),
            Graphs::House { jitter } => {
                let views: Vec<View> = house::grid().collect();
                let mut rng = ChaCha8Rng::seed_from_u64(seed);
                let mut view = || views[rng.random_range(0..views.len())];
                house::pair(view(), view(), *jitter, seed)
            }
        }
    }

    /// Accuracy by number of anchors, with suggestions and at random.
    fn trial(&self, k: u64, monitor: &Monitor) -> Result<[Vec<f64>; 2]> {
        let seed = self.seed.wrapping_mul(1_000_003).wrapping_add(k);
        let instance = self.instance(seed)?;
        let mut order = instance.truth.clone();
        if self.last > order.len() {
            return Err(Error::parameter(
                "anchors",
                self.last,
                format_args!("at most {}, the pairs of the truth", order.len()),
            ));
        }
        order.shuffle(&mut ChaCha8Rng::seed_from_u64(seed.wrapping_add(1)));
        let mut known = order[..self.first].to_vec();
        let mut suggested = Vec::new();
        let mut random = Vec::new();
        for count in self.first..=self.last {
            if monitor.interrupted().is_some() {
                return Err(Error::Stopped("the study was not finished"));
            }
            let run = |anchors: &[(usize, usize)]| {
                let task = Task::from_pairs(&instance.source, &instance.target, anchors)?;
                self.matcher.run(&task, monitor)
            };
            let accuracy = |matching: &anchormatch::Matching| {
                let mapping = matching.mapping();
                let right = instance.truth.iter();
                let right = right.filter(|(s, t)| mapping.get(s) == Some(t)).count();
                right as f64 / instance.truth.len() as f64
            };
            let matching = run(&known)?;
            suggested.push(accuracy(&matching));
            // The first run is the same.
            random.push(if count == self.first {
                suggested[0]
            } else {
                accuracy(&run(&order[..count])?)
            });
            // A node without a partner has no answer that could be an anchor.
            let names = matching.suggest(instance.source.node_count());
            let answer = names.iter().find_map(|s| {
                let pair = instance.truth.iter().find(|pair| pair.0 == s.source);
                pair.copied()
            });
            known.extend(answer);
        }
        Ok([suggested, random])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_loops_start_alike_and_end_with_everything_told() {
        let study = SuggestStudy {
            graphs: Graphs::Synthetic(Synthetic {
                inliers: 6,
                noise: 0.5,
                ..Synthetic::default()
            }),
            first: 1,
            last: 6,
            trials: 3,
            matcher: Arc::new(Best::fast()),
            ..SuggestStudy::default()
        };
        let result = study.run(&Monitor::silent(), || {}).unwrap();
        assert_eq!(result.anchors, vec![1, 2, 3, 4, 5, 6]);
        assert_eq!(result.difference[0].mean, 0.0);
        for way in [&result.suggested, &result.random] {
            assert_eq!(way.accuracy[5].mean, 1.0);
            assert_eq!(way.reached, 1.0);
            assert!(way.needed.mean >= 1.0 && way.needed.mean <= 6.0);
        }
        let saved = result.suggested.needed.mean - result.random.needed.mean;
        assert!((result.saved.mean - saved).abs() < 1e-12);
        let again = study.run(&Monitor::silent(), || {}).unwrap();
        assert_eq!(again.suggested.accuracy, result.suggested.accuracy);
    }

    #[test]
    fn impossible_studies_are_refused() {
        let many = SuggestStudy {
            last: 30,
            trials: 1,
            ..SuggestStudy::default()
        };
        assert!(many.run(&Monitor::silent(), || {}).is_err());
        let backwards = SuggestStudy {
            first: 9,
            ..SuggestStudy::default()
        };
        assert!(backwards.run(&Monitor::silent(), || {}).is_err());
    }
}
