//! What is compared: matchers under the names of tables and figures.

use std::sync::Arc;

use anchormatch::matcher::{Best, Matcher, Paper, Shared, Terms};
use anchormatch::{Matching, Monitor, Result, Task};
use serde_json::Value;

use crate::experiments::{Trial, nothing_to_find};
use crate::matchers::{SEED, seeded};

/// The kernel width of Section 5.1, in means of the squared difference.
///
/// Cho, Lee & Lee take exp(−Δ²/0.15) of weights uniform on (0, 1], whose mean squared difference is
/// 1/6, and the paper sets up W for its films "similarly".
pub const WIDE: f64 = 0.9;

/// A matcher's figures on a trial.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outcome {
    /// Pairs of the truth that were no anchors.
    pub asked: u32,
    /// Those among them that it found.
    pub right: u32,
    /// Iterations of the solver.
    pub iterations: u32,
    /// Seconds from the graphs to the matching.
    pub seconds: f64,
    /// Seconds of the solver alone.
    pub solve_seconds: f64,
}

impl Outcome {
    /// The share of the asked pairs that was found.
    #[must_use]
    pub fn accuracy(&self) -> f64 {
        f64::from(self.right) / f64::from(self.asked)
    }
}

/// A matcher that takes part.
#[derive(Debug, Clone)]
pub struct Entry {
    /// What tables and figures call it.
    pub name: String,
    /// The anchors that it sees, the first of the trial's; all when `None`.
    pub anchors: Option<usize>,
    /// Whether it runs only at the points that ask for slow methods too.
    pub slow: bool,
    /// How it matches; its seed is set anew for each trial.
    pub matcher: Arc<dyn Matcher>,
    /// The same where it is the preset `paper`, which shares with others what they have in common.
    paper: Option<Paper>,
}

impl Entry {
    /// A matcher that sees all anchors and runs everywhere.
    pub fn new(name: impl Into<String>, matcher: impl Matcher + 'static) -> Self {
        Self {
            name: name.into(),
            anchors: None,
            slow: false,
            matcher: Arc::new(matcher),
            paper: None,
        }
    }

    /// The preset `paper`, which shares with others on the same trial what they have in common.
    pub fn paper(name: impl Into<String>, paper: Paper) -> Self {
        Self {
            paper: Some(paper.clone()),
            ..Self::new(name, paper)
        }
    }

    /// The preset `best`.
    #[must_use]
    pub fn best() -> Self {
        Self::new("best", Best::default())
    }

    /// The paper's six variants, in its order, and `best`.
    #[must_use]
    pub fn standard() -> Vec<Self> {
        let variants = Terms::ALL.into_iter();
        variants
            .map(|terms| Self::paper(terms.as_str(), Paper::with_terms(terms)))
            .chain([Self::best()])
            .collect()
    }

    /// Adjacency, heat and the full method with the kernel width of Section 5.1, [`WIDE`].
    #[must_use]
    pub fn wide() -> Vec<Self> {
        let variants = [Terms::Adjacency, Terms::Heat, Terms::HeatProximityAnchors].into_iter();
        variants
            .map(|terms| Self::paper(format!("{terms} (wide)"), wide(terms)))
            .collect()
    }

    /// The same matcher, told the first `anchors` anchors only.
    #[must_use]
    pub fn with_anchors(mut self, anchors: usize) -> Self {
        self.anchors = Some(anchors);
        self
    }

    /// The same matcher, run only where slow methods are asked for.
    #[must_use]
    pub fn slow(mut self) -> Self {
        self.slow = true;
        self
    }

    /// Everything that decides its results but the seed, in words: a journal of other settings is not
    /// continued.
    #[must_use]
    pub fn settings(&self) -> String {
        let mut parameters = self.matcher.parameters();
        parameters.shift_remove(SEED);
        format!("{} {}", self.matcher.name(), Value::Object(parameters))
    }

    /// What tells it from others: its settings, and how many anchors it sees.
    pub(super) fn key(&self) -> String {
        format!("{:?} {}", self.anchors, self.settings())
    }

    /// Runs it on a trial and counts what it found.
    ///
    /// # Errors
    /// When the matcher fails or nothing but anchors is in the truth.
    pub fn run(&self, trial: &Trial, seed: u64, monitor: &Monitor) -> Result<(Matching, Outcome)> {
        self.run_beside(trial, seed, &Shared::default(), monitor)
    }

    /// The same beside others on the trial: what one of them has done, the next need not. Its time is that of a
    /// run by itself.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_beside(
        &self,
        trial: &Trial,
        seed: u64,
        shared: &Shared,
        monitor: &Monitor,
    ) -> Result<(Matching, Outcome)> {
        let count = self.anchors.unwrap_or(usize::MAX);
        let known = &trial.anchors[..count.min(trial.anchors.len())];
        let instance = &trial.instance;
        let task = Task::from_pairs(&instance.source, &instance.target, known)?;
        let spared = shared.spared();
        let (matching, elapsed) = if let Some(paper) = &self.paper {
            let mut paper = paper.clone();
            paper.seed = seed;
            let watch = monitor.stopwatch();
            (paper.run_beside(&task, shared, monitor)?, watch.seconds())
        } else {
            let matcher = seeded(&*self.matcher, seed)?;
            let watch = monitor.stopwatch();
            (matcher.run(&task, monitor)?, watch.seconds())
        };
        let seconds = elapsed + shared.spared() - spared;
        let solve = matching.timings.iter().find(|(stage, _)| stage == "solve");
        let mut outcome = Outcome {
            asked: 0,
            right: 0,
            iterations: matching.iterations.try_into().unwrap_or(u32::MAX),
            seconds,
            solve_seconds: solve.map_or(seconds, |(_, seconds)| *seconds),
        };
        let mapping = matching.mapping();
        for (source, target) in instance.truth.iter().filter(|pair| !known.contains(pair)) {
            outcome.asked += 1;
            outcome.right += u32::from(mapping.get(source) == Some(target));
        }
        if outcome.asked == 0 {
            return Err(nothing_to_find());
        }
        Ok((matching, outcome))
    }
}

/// The preset with the kernel width of Section 5.1.
pub(super) fn wide(terms: Terms) -> Paper {
    Paper::with_terms(terms).with_width(WIDE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matchers::fixed::{Fixed, anchors_alone};
    use anchormatch_generate::{Synthetic, synthetic};

    fn trial(anchors: usize) -> Trial {
        let instance = synthetic(&Synthetic::default(), 5).unwrap();
        let anchors = instance.truth[..anchors].to_vec();
        Trial { instance, anchors }
    }

    #[test]
    fn accuracy_is_that_of_the_preset() {
        let monitor = Monitor::silent();
        let trial = trial(2);
        for entry in Entry::standard() {
            let (matching, outcome) = entry.run(&trial, 1, &monitor).unwrap();
            assert_eq!((outcome.asked, outcome.right), (18, 18), "{entry:?}");
            let mapping = matching.mapping();
            assert!(trial.anchors.iter().all(|(s, t)| mapping[s] == *t));
            assert!(outcome.solve_seconds <= outcome.seconds);
        }
    }

    #[test]
    fn an_entry_that_is_told_less_is_asked_more() {
        let wrong = Entry::new("nothing", Fixed(anchors_alone));
        let monitor = Monitor::silent();
        let (matching, outcome) = wrong
            .clone()
            .with_anchors(2)
            .run(&trial(5), 0, &monitor)
            .unwrap();
        assert_eq!(
            (matching.pairs.len(), outcome.asked, outcome.right),
            (2, 18, 0)
        );
        let (_, outcome) = wrong
            .clone()
            .with_anchors(9)
            .run(&trial(5), 0, &monitor)
            .unwrap();
        assert_eq!(outcome.asked, 15);
        assert!(wrong.run(&trial(20), 0, &monitor).is_err());
    }

    #[test]
    fn settings_tell_presets_apart() {
        let settings = |preset: Paper| Entry::new("x", preset).settings();
        let usual = settings(Paper::default());
        assert_ne!(usual, settings(Paper::default().with_width(0.2)));
        assert_ne!(usual, settings(Paper::with_terms(Terms::Heat)));
        // But not what each trial sets anew.
        let seed = |seed| Entry::new("x", Best::default().with_seed(seed)).settings();
        assert_eq!(seed(1), seed(2));
        assert_ne!(seed(1), Entry::new("x", Best::fast()).settings());
    }
}
