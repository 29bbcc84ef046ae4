//! Solvers against each other on the same problems: synthetic graphs with the anchors folded in.
//!
//! Every trial is a pair of random graphs (Cho, Lee, Lee, ECCV 2010), a few random anchors, the
//! affinity exp(−Δ²/s) of edge weights and the problem over the free nodes
//! ([`fold_anchors`]). All solvers see the same problem. What is told of each: the share of free
//! inliers that it matches right, how near its objective comes to the best that any of them found,
//! and its time.

use anchormatch::affinity::folding::fold_anchors;
use anchormatch::problem::{GaussianKernel, Problem, SeparablePairwise};
use anchormatch::solver::{Solver, Start};
use anchormatch::{Error, Monitor, Result};

use super::{Summary, Trial};
use crate::generate::{Synthetic, stream, synthetic};

/// One point of a sweep.
#[derive(Debug, Clone)]
pub struct SolverPoint {
    /// The graphs.
    pub graphs: Synthetic,
    /// Anchors a trial. Default 2.
    pub anchors: usize,
    /// s in exp(−Δ²/s). Default 0.15.
    pub bandwidth: f64,
    /// Pairs of graphs. Default 50.
    pub trials: usize,
    /// The master seed; trial k has seed + k. Default 0.
    pub seed: u64,
}

impl Default for SolverPoint {
    fn default() -> Self {
        Self {
            graphs: Synthetic::default(),
            anchors: 2,
            bandwidth: 0.15,
            trials: 50,
            seed: 0,
        }
    }
}

/// What a solver did at a point.
#[derive(Debug, Clone, PartialEq)]
pub struct SolverScore {
    /// The solver's name.
    pub solver: &'static str,
    /// The share of the free inliers matched right.
    pub accuracy: Summary,
    /// The objective over the best found by any solver on the same problem.
    pub relative_objective: Summary,
    /// Seconds a trial, one thread at a time.
    pub seconds: Summary,
}

/// The problem of a trial over its free nodes, and the truth in that problem's rows and columns.
#[derive(Debug)]
pub struct SolverTrial {
    /// The folded problem; its objective includes the anchors.
    pub problem: Problem,
    /// Where each row belongs; `None` for outliers.
    pub truth: Vec<Option<usize>>,
}

impl SolverTrial {
    /// Folds a trial's anchors into the problem of affinities exp(−Δ²/`bandwidth`).
    ///
    /// # Errors
    /// When the bandwidth is not positive or the memory does not suffice.
    pub fn new(trial: &Trial, bandwidth: f64, monitor: &Monitor) -> Result<Self> {
        let kernel = GaussianKernel::new(bandwidth)?;
        let (x, y) = (
            trial.instance.source.adjacency(),
            trial.instance.target.adjacency(),
        );
        let folded = fold_anchors(&x, &y, &trial.anchors, |p, q| kernel.evaluate(p, q))?;
        let mut partner = vec![None; x.rows()];
        for &(i, a) in &trial.instance.truth {
            partner[i] = Some(a);
        }
        let truth = folded
            .source
            .iter()
            .map(|&i| partner[i].and_then(|a| folded.target.binary_search(&a).ok()))
            .collect();
        let pairwise = SeparablePairwise::new(folded.x, folded.y, kernel, 1e-6, monitor)?;
        let problem =
            Problem::maximise(folded.unary, Box::new(pairwise))?.with_constant(folded.constant);
        Ok(Self { problem, truth })
    }

    /// The share of the truth that `assignment` finds; `None` when there is no truth.
    #[must_use]
    pub fn accuracy(&self, assignment: &[Option<usize>]) -> Option<f64> {
        let known = self.truth.iter().flatten().count();
        let found = self.truth.iter().zip(assignment);
        let right = found.filter(|(t, a)| t.is_some() && t == a).count();
        (known > 0).then(|| right as f64 / known as f64)
    }
}

impl SolverPoint {
    /// The k-th pair of graphs and its anchors.
    ///
    /// # Errors
    /// When the parameters of the graphs are out of range or there are fewer inliers than anchors.
    pub fn trial(&self, k: usize) -> Result<Trial> {
        let seed = self.seed.wrapping_add(k as u64);
        let instance = synthetic(&self.graphs, seed)?;
        // A stream that no part of the graphs draws from.
        let anchors = instance.random_anchors(self.anchors, &mut stream(seed, 100))?;
        Ok(Trial { instance, anchors })
    }

    /// Runs every solver on every trial, one after another so that the times mean something.
    ///
    /// # Errors
    /// When a trial cannot be made, a solver fails, or the monitor stops the run.
    pub fn run(
        &self,
        solvers: &[Box<dyn Solver>],
        monitor: &Monitor,
        mut done: impl FnMut(),
    ) -> Result<Vec<SolverScore>> {
        let mut results: Vec<Vec<[f64; 3]>> = vec![Vec::with_capacity(self.trials); solvers.len()];
        for k in 0..self.trials {
            let trial = SolverTrial::new(&self.trial(k)?, self.bandwidth, monitor)?;
            let mut objectives = Vec::with_capacity(solvers.len());
            for (solver, results) in solvers.iter().zip(&mut results) {
                if monitor.interrupted().is_some() {
                    return Err(Error::Stopped("the comparison was not finished"));
                }
                let watch = monitor.stopwatch();
                let start = Start::seeded(self.seed);
                let solution = solver.solve(&trial.problem, &start, monitor)?;
                let seconds = watch.seconds();
                let accuracy = trial.accuracy(&solution.assignment).ok_or_else(|| {
                    Error::parameter(
                        "anchors",
                        self.anchors,
                        "fewer, so that something is left to find",
                    )
                })?;
                objectives.push(solution.objective);
                results.push([accuracy, solution.objective, seconds]);
            }
            let best = objectives.iter().fold(f64::NEG_INFINITY, |m, &v| m.max(v));
            for results in &mut results {
                let last = results.last_mut().expect("this trial's result");
                last[1] = if best > 0.0 { last[1] / best } else { 1.0 };
            }
            done();
        }
        Ok(solvers
            .iter()
            .zip(results)
            .map(|(solver, results)| {
                let column = |c: usize| Summary::of(results.iter().map(|r| r[c]));
                SolverScore {
                    solver: solver.info().name,
                    accuracy: column(0),
                    relative_objective: column(1),
                    seconds: column(2),
                }
            })
            .collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anchormatch::solver::registry;

    #[test]
    fn the_folded_truth_is_the_truth() {
        let point = SolverPoint {
            graphs: Synthetic {
                inliers: 8,
                source_outliers: 1,
                target_outliers: 2,
                ..Synthetic::default()
            },
            ..SolverPoint::default()
        };
        let trial = point.trial(3).unwrap();
        let folded = SolverTrial::new(&trial, 0.15, &Monitor::silent()).unwrap();
        assert_eq!(folded.problem.shape(), (7, 8));
        assert_eq!(folded.truth.iter().flatten().count(), 6);
        assert_eq!(folded.accuracy(&folded.truth), Some(1.0));
        // Without noise every pair of inliers, anchors among them, has affinity 1.
        assert!((folded.problem.objective(&folded.truth) - 56.0).abs() < 1e-9);
    }

    #[test]
    fn easy_graphs_are_matched_and_the_best_is_one() {
        let point = SolverPoint {
            graphs: Synthetic {
                inliers: 10,
                noise: 0.02,
                ..Synthetic::default()
            },
            trials: 3,
            ..SolverPoint::default()
        };
        let solvers = vec![
            registry::by_name("rrwm").unwrap(),
            registry::by_name("sm").unwrap(),
        ];
        let mut calls = 0;
        let scores = point
            .run(&solvers, &Monitor::silent(), || calls += 1)
            .unwrap();
        assert_eq!(calls, 3);
        assert_eq!(scores[0].solver, "rrwm");
        assert_eq!(scores[0].accuracy.mean, 1.0);
        assert_eq!(scores[0].relative_objective.mean, 1.0);
        assert!(scores[1].relative_objective.mean <= 1.0);
        assert_eq!(scores[1].seconds.count, 3);
        let everything = SolverPoint {
            anchors: 10,
            ..point
        };
        assert!(everything.run(&solvers, &Monitor::silent(), || ()).is_err());
    }
}
