//! What is compared: methods under one roof.

use std::sync::Arc;

use anchormatch::matcher::{Best, Paper, Terms};
use anchormatch::{Anchors, Error, Matching, Monitor, Result};

use crate::experiments::Trial;

/// The kernel width of Section 5.1, in means of the squared difference.
///
/// Cho, Lee & Lee take exp(−Δ²/0.15) of weights uniform on (0, 1], whose mean squared difference is
/// 1/6, and the paper sets up W for its films "similarly".
pub const WIDE: f64 = 0.9;

/// What a method found on a trial.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The pairs (source, target) by node index; anchors may be among them.
    pub pairs: Vec<(usize, usize)>,
    /// Iterations of the solver; 0 where that means nothing.
    pub iterations: usize,
    /// Seconds of the solver alone, where the method tells.
    pub solve_seconds: Option<f64>,
}

impl From<&Matching> for Answer {
    fn from(matching: &Matching) -> Self {
        let solve = matching.timings.iter().find(|(stage, _)| stage == "solve");
        Self {
            pairs: matching
                .pairs
                .iter()
                .map(|p| (p.source, p.target))
                .collect(),
            iterations: matching.iterations,
            solve_seconds: solve.map(|(_, seconds)| *seconds),
        }
    }
}

/// A method's figures on a trial.
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

type Run = dyn Fn(&Trial, u64, &Monitor) -> Result<Answer> + Send + Sync;

/// A method by name.
#[derive(Clone)]
pub struct Contender {
    /// What tables and figures call it.
    pub name: String,
    /// Everything that decides its results, in words: a journal of other settings is not continued.
    pub settings: String,
    /// The anchors that it sees, the first of the trial's; all when `None`.
    pub anchors: Option<usize>,
    /// Whether it runs only at the points that ask for slow methods too.
    pub slow: bool,
    run: Arc<Run>,
}

impl std::fmt::Debug for Contender {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Contender")
            .field("name", &self.name)
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}

impl Contender {
    /// Any method: `run` gets the trial, a seed of its own and the monitor.
    ///
    /// It must depend on nothing else, or results will depend on the order of trials.
    pub fn new(
        name: impl Into<String>,
        settings: impl Into<String>,
        run: impl Fn(&Trial, u64, &Monitor) -> Result<Answer> + Send + Sync + 'static,
    ) -> Self {
        Self {
            name: name.into(),
            settings: settings.into(),
            anchors: None,
            slow: false,
            run: Arc::new(run),
        }
    }

    /// The preset `paper` with any terms, parameters and solver.
    #[must_use]
    pub fn paper(name: impl Into<String>, preset: Paper) -> Self {
        let settings = paper_settings(&preset);
        Self::new(name, settings, move |trial, _, monitor| {
            let (source, target) = (&trial.instance.source, &trial.instance.target);
            let anchors = Anchors::from_indices(source, target, &trial.anchors)?;
            Ok(Answer::from(
                &preset.run(source, target, &anchors, monitor)?,
            ))
        })
    }

    /// The preset `best`.
    #[must_use]
    pub fn best() -> Self {
        Self::new("best", "best", |trial, seed, monitor| {
            let (source, target) = (&trial.instance.source, &trial.instance.target);
            let anchors = Anchors::from_indices(source, target, &trial.anchors)?;
            let preset = Best {
                seed,
                ..Best::default()
            };
            Ok(Answer::from(
                &preset.run(source, target, &anchors, monitor)?,
            ))
        })
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

    /// The same method, told the first `anchors` anchors only.
    #[must_use]
    pub fn with_anchors(mut self, anchors: usize) -> Self {
        self.anchors = Some(anchors);
        self
    }

    /// The same method, run only where slow methods are asked for.
    #[must_use]
    pub fn slow(mut self) -> Self {
        self.slow = true;
        self
    }

    /// Runs it on a trial and counts what it found.
    ///
    /// # Errors
    /// When the method fails or nothing but anchors is in the truth.
    pub fn run(&self, trial: &Trial, seed: u64, monitor: &Monitor) -> Result<(Answer, Outcome)> {
        let fewer;
        let trial = match self.anchors {
            Some(count) if count < trial.anchors.len() => {
                fewer = Trial {
                    instance: trial.instance.clone(),
                    anchors: trial.anchors[..count].to_vec(),
                };
                &fewer
            }
            _ => trial,
        };
        let watch = monitor.stopwatch();
        let answer = (self.run)(trial, seed, monitor)?;
        let seconds = watch.seconds();
        let is_asked = |pair: &&(usize, usize)| !trial.anchors.contains(pair);
        let asked = trial.instance.truth.iter().filter(is_asked);
        let mut outcome = Outcome {
            asked: 0,
            right: 0,
            iterations: answer.iterations.try_into().unwrap_or(u32::MAX),
            seconds,
            solve_seconds: answer.solve_seconds.unwrap_or(seconds),
        };
        for pair in asked {
            outcome.asked += 1;
            outcome.right += u32::from(answer.pairs.contains(pair));
        }
        if outcome.asked == 0 {
            let expected = "fewer, so that something is left to find";
            return Err(Error::parameter("anchors", "the whole truth", expected));
        }
        Ok((answer, outcome))
    }
}

/// The preset with the kernel width of Section 5.1.
pub(super) fn wide(terms: Terms) -> Paper {
    Paper {
        width: WIDE,
        ..Paper::with_terms(terms)
    }
}

/// Every parameter of the preset.
pub(super) fn paper_settings(preset: &Paper) -> String {
    let Paper {
        terms,
        tau,
        width,
        eigenvectors,
        proximity_weight,
        anchor_weight,
        wave_weight,
        wave_energies,
        learner,
        kernel_tolerance,
        solver,
    } = preset;
    format!(
        "paper {terms} tau={tau} width={width} K={eigenvectors} c_B={proximity_weight} \
         c_ap={anchor_weight} c_wks={wave_weight} energies={wave_energies} learner={:?} C={} \
         prior={} tolerance={} rounds={} kernel={kernel_tolerance} solver={}",
        learner.mode,
        learner.c,
        learner.prior,
        learner.tolerance,
        learner.max_rounds,
        solver.info().name
    )
}

#[cfg(test)]
mod tests {
    use super::*;
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
        for contender in Contender::standard() {
            let (answer, outcome) = contender.run(&trial, 1, &monitor).unwrap();
            assert_eq!((outcome.asked, outcome.right), (18, 18), "{contender:?}");
            assert!(trial.anchors.iter().all(|pair| answer.pairs.contains(pair)));
            assert!(outcome.solve_seconds <= outcome.seconds);
        }
    }

    #[test]
    fn a_contender_that_is_told_less_is_asked_more() {
        let wrong = Contender::new("nothing", "", |trial: &Trial, _, _: &Monitor| {
            Ok(Answer {
                pairs: trial.anchors.clone(),
                iterations: 0,
                solve_seconds: None,
            })
        });
        let monitor = Monitor::silent();
        let (answer, outcome) = wrong
            .clone()
            .with_anchors(2)
            .run(&trial(5), 0, &monitor)
            .unwrap();
        assert_eq!(
            (answer.pairs.len(), outcome.asked, outcome.right),
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
        let settings = |preset: Paper| Contender::paper("x", preset).settings;
        let usual = settings(Paper::default());
        assert_ne!(
            usual,
            settings(Paper {
                width: 0.2,
                ..Paper::default()
            })
        );
        assert_ne!(usual, settings(Paper::with_terms(Terms::Heat)));
    }
}
