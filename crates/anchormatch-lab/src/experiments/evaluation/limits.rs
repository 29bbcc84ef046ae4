//! What the optimiser misses and what the data do not tell.
//!
//! The same search is run once more with the truth among its starts, and a short one that begins at the
//! truth and nowhere else, so that the scales of the evidence are fitted to it as well; the better of the
//! two by its objective is the limit. Where `best` ends at an objective as good as that, nobody who
//! maximises this objective is known to do better, and whatever is wrong is wrong because **the data
//! prefer another matching**. Where it ends below, the **optimiser failed**: the nodes that it got wrong
//! and the limit got right are its errors, the others are the data's. Both shares together are
//! 1 − accuracy.

use std::sync::Arc;

use anchormatch::matcher::Best;
use anchormatch::solver::Tabu;
use anchormatch::{Matching, Monitor, Result};
use anchormatch_report::Summary;

use super::{Measured, Plan, Row, Run};
use crate::experiments::Trial;

/// Objectives this close, relatively, are the same.
const SAME: f64 = 1e-6;

/// One trial.
#[derive(Debug, Clone, PartialEq)]
pub struct LimitTrial {
    /// Which trial of its row.
    pub trial: usize,
    /// Accuracy of `best`.
    pub best: f64,
    /// Accuracy of `fast`.
    pub fast: f64,
    /// Accuracy of the limit.
    pub limit: f64,
    /// Seconds of `best`.
    pub best_seconds: f64,
    /// Seconds of `fast`.
    pub fast_seconds: f64,
    /// Objective of `best`, in nats.
    pub best_objective: f64,
    /// Objective of the same search with the truth among its starts.
    pub search_objective: f64,
    /// Objective of the short search from the truth alone.
    pub held_objective: f64,
    /// The share of the truth that is wrong because the optimiser failed.
    pub wrong_by_optimiser: f64,
    /// The share of the truth that is wrong because the data prefer another matching.
    pub wrong_by_data: f64,
    /// Seconds of `best` by stage.
    pub stages: Vec<(String, f64)>,
}

/// All trials of a row.
#[derive(Debug, Clone, PartialEq)]
pub struct LimitRow {
    /// Accuracy of `best`.
    pub best: Summary,
    /// Accuracy of `fast`.
    pub fast: Summary,
    /// Accuracy of the limit.
    pub limit: Summary,
    /// Seconds of `best`.
    pub best_seconds: Summary,
    /// Seconds of `fast`.
    pub fast_seconds: Summary,
    /// The share of trials in which `best` ends at least as well as the same search with the truth
    /// among its starts.
    pub reached_search: Summary,
    /// The share of trials in which `best` ends at least as well as the short search from the truth.
    pub reached_truth: Summary,
    /// The share of trials in which it ends at least as well as both.
    pub reached: Summary,
    /// The share of the truth that is wrong because the optimiser failed.
    pub wrong_by_optimiser: Summary,
    /// The share of the truth that is wrong because the data prefer another matching.
    pub wrong_by_data: Summary,
    /// Seconds of `best` by stage.
    pub stages: Vec<(String, Summary)>,
}

impl LimitTrial {
    /// Runs `best`, `fast` and both searches from the truth.
    fn of(k: usize, trial: &Trial, seed: u64, monitor: &Monitor) -> Result<Self> {
        let best = Best::default().with_seed(seed);
        let fast = Best::fast().with_seed(seed);
        let truth = &trial.instance.truth;
        let task = trial.task()?;
        let found = Run::of(&best, &task, truth, monitor)?;
        let quick = Run::of(&fast, &task, truth, monitor)?;
        let with_truth = task.with_start(truth)?;
        let beside = Run::of(&best, &with_truth, truth, monitor)?;
        // One step of the search leaves the truth only for something better.
        let mut one_step = Tabu::default();
        one_step.iterations = Some(1);
        let held = best.with_solver(Arc::new(one_step));
        let alone = Run::of(&held, &with_truth, truth, monitor)?;
        let best_objective = found.matching.objective;
        let search_objective = beside.matching.objective;
        let held_objective = alone.matching.objective;
        // With objectives that are the same the wider search counts.
        let limit = if reaches(search_objective, held_objective) {
            beside
        } else {
            alone
        };
        let asked = (truth.len() - trial.anchors.len()).max(1) as f64;
        let [by_optimiser, by_data] = blame(
            &found.matching,
            &limit.matching,
            truth,
            reaches(best_objective, search_objective.max(held_objective)),
        )
        .map(|count| count as f64 / asked);
        Ok(Self {
            trial: k,
            best: found.accuracy,
            fast: quick.accuracy,
            limit: limit.accuracy,
            best_seconds: found.seconds,
            fast_seconds: quick.seconds,
            best_objective,
            search_objective,
            held_objective,
            wrong_by_optimiser: by_optimiser,
            wrong_by_data: by_data,
            stages: found.matching.timings,
        })
    }

    /// Whether `best` ends at least as well as both searches from the truth.
    #[must_use]
    pub fn reached(&self) -> bool {
        let limit = self.search_objective.max(self.held_objective);
        reaches(self.best_objective, limit)
    }
}

impl LimitRow {
    /// Summarises trials.
    #[must_use]
    pub fn of(trials: &[LimitTrial]) -> Self {
        let summary = |value: fn(&LimitTrial) -> f64| Summary::of(trials.iter().map(value));
        let share = |holds: fn(&LimitTrial) -> bool| {
            Summary::of(trials.iter().map(|t| f64::from(u8::from(holds(t)))))
        };
        let mut names: Vec<&String> = Vec::new();
        for (name, _) in trials.iter().flat_map(|trial| &trial.stages) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let stage = |name: &&String| {
            let stages = |trial: &LimitTrial| -> f64 {
                let own = trial.stages.iter().filter(|(other, _)| other == *name);
                own.map(|(_, seconds)| seconds).sum()
            };
            ((*name).clone(), Summary::of(trials.iter().map(stages)))
        };
        Self {
            best: summary(|t| t.best),
            fast: summary(|t| t.fast),
            limit: summary(|t| t.limit),
            best_seconds: summary(|t| t.best_seconds),
            fast_seconds: summary(|t| t.fast_seconds),
            reached_search: share(|t| reaches(t.best_objective, t.search_objective)),
            reached_truth: share(|t| reaches(t.best_objective, t.held_objective)),
            reached: share(LimitTrial::reached),
            wrong_by_optimiser: summary(|t| t.wrong_by_optimiser),
            wrong_by_data: summary(|t| t.wrong_by_data),
            stages: names.iter().map(stage).collect(),
        }
    }
}

/// Runs all trials of a row.
///
/// # Errors
/// When the row's data is missing or a run fails.
pub fn run(
    plan: &Plan,
    row: &Row,
    monitor: &Monitor,
    done: impl Fn() + Sync,
) -> Result<Measured<LimitTrial>> {
    let one = |trial: &Trial, seed: u64| {
        let k = seed.wrapping_sub(plan.trial_seed(0)) as usize;
        LimitTrial::of(k, trial, seed, monitor)
    };
    plan.measure(row, one, monitor, done)
}

fn reaches(found: f64, limit: f64) -> bool {
    found >= limit - SAME * limit.abs()
}

/// How many pairs of the truth `found` misses by the optimiser's and by the data's fault.
fn blame(
    found: &Matching,
    limit: &Matching,
    truth: &[(usize, usize)],
    reached: bool,
) -> [usize; 2] {
    let (found, limit) = (found.mapping(), limit.mapping());
    let mut counts = [0, 0];
    for (source, target) in truth {
        if found.get(source) == Some(target) {
            continue;
        }
        let known = limit.get(source) == Some(target);
        counts[usize::from(reached || !known)] += 1;
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::evaluation::standard_rows;
    use crate::experiments::evaluation::tests::plan;
    use anchormatch::matcher::Matcher;
    use anchormatch::{Graph, Task};

    /// The matching of two graphs without edges that is all anchors.
    fn fixed(pairs: &[(usize, usize)]) -> Matching {
        let graph = Graph::from_edges(4, &[]).unwrap();
        let task = Task::from_pairs(&graph, &graph, pairs).unwrap();
        Best::fast().run(&task, &Monitor::silent()).unwrap()
    }

    #[test]
    fn errors_are_the_optimisers_only_where_the_limit_is_right_and_better() {
        let truth = [(0, 0), (1, 1), (2, 2), (3, 3)];
        let found = fixed(&[(0, 0), (1, 2), (2, 3), (3, 1)]);
        let limit = fixed(&[(0, 0), (1, 1), (2, 3), (3, 2)]);
        assert_eq!(blame(&found, &limit, &truth, false), [1, 2]);
        assert_eq!(blame(&found, &limit, &truth, true), [0, 3]);
        assert_eq!(blame(&limit, &limit, &truth, true), [0, 2]);
    }

    #[test]
    fn objectives_are_compared_relatively() {
        assert!(reaches(1e6 - 0.5, 1e6) && !reaches(1e6 - 2.0, 1e6));
        assert!(reaches(-1e6 - 0.5, -1e6) && !reaches(-1e6 - 2.0, -1e6));
        assert!(reaches(0.0, 0.0) && reaches(5.0, 1.0));
    }

    #[test]
    fn easy_trials_are_right_and_every_error_has_its_cause() {
        let rows = standard_rows();
        for (name, easy) in [("sigma-0.1", true), ("sigma-0.5", false)] {
            let row = rows.iter().find(|row| row.name == name).unwrap();
            let measured = run(&plan(2), row, &Monitor::silent(), || ()).unwrap();
            assert!(measured.complete && measured.values.len() == 2);
            for trial in &measured.values {
                let wrong = trial.wrong_by_optimiser + trial.wrong_by_data;
                assert!((1.0 - trial.best - wrong).abs() < 1e-12, "{trial:?}");
                assert!(trial.wrong_by_optimiser == 0.0 || !trial.reached());
                assert!(!easy || (trial.best == 1.0 && trial.reached()), "{trial:?}");
            }
            let summary = LimitRow::of(&measured.values);
            assert_eq!((summary.best.count, summary.reached.count), (2, 2));
            let stages: f64 = summary.stages.iter().map(|(_, s)| s.mean).sum();
            assert!(stages > 0.0 && stages <= summary.best_seconds.mean);
        }
    }
}
