//! Solvers against each other on the same problems: synthetic graphs with the anchors folded in.
//!
//! Every trial is a pair of random graphs (Cho, Lee, Lee, ECCV 2010), a few random anchors, the
//! affinity exp(−Δ²/s) of edge weights and the problem over the free nodes
//! ([`fold_anchors`]). All solvers see the same problem; those that take products of two matrices alone see that of
//! the weights, Σ A_ij B_ab with the anchors' part in the unary values, and are judged by the affinities like the
//! others. What is told of each: the share of free
//! inliers that it matches right, how near its objective comes to the best that any of them found,
//! and its time. [`Sweep`] has the points at which solvers are compared.
//!
//! Trials run in parallel, where a clock would measure the neighbours as well. Times therefore come
//! from a second pass over the first few trials, in which each solver has the machine to itself.

mod plot;
mod sweep;

pub use plot::plot;
pub use sweep::{Sweep, SweepPoint, SweepScores};

use anchormatch::Assignment;
use anchormatch::affinity::folding::fold_anchors;
use anchormatch::linalg::Matrix;
use anchormatch::problem::{
    GaussianKernel, Problem, ProductPairwise, Sense, SeparablePairwise, Weights,
};
use anchormatch::solver::{Solver, Start};
use anchormatch::{Error, Monitor, Result};
use rayon::prelude::*;

use super::Trial;
use anchormatch_generate::{Synthetic, stream, synthetic};
use anchormatch_report::Summary;

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
    /// Trials among them whose times are taken. Default 5.
    pub timed: usize,
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
            timed: 5,
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
    /// Seconds a trial, with the machine to itself, the making of the problem left out.
    pub seconds: Summary,
    /// Why it did not take the problems; the other figures are then of nothing.
    pub refusal: Option<String>,
}

/// Accuracy and objective of one solver on one trial, or why there are none.
type Outcome = std::result::Result<(f64, f64), String>;

/// The problem of a trial over its free nodes, and the truth in that problem's rows and columns.
#[derive(Debug)]
pub struct SolverTrial {
    /// The folded problem; its objective includes the anchors.
    pub problem: Problem,
    /// The product of the weights over the same nodes, for solvers that take nothing else.
    pub product: Problem,
    /// Where each row belongs; `None` for outliers.
    pub truth: Assignment,
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
        let truth = trial.instance.truth.iter().copied();
        let truth = Assignment::from_pairs(x.rows(), truth);
        let truth = folded
            .source
            .iter()
            .map(|&i| {
                truth
                    .partner(i)
                    .and_then(|a| folded.target.binary_search(&a).ok())
            })
            .collect();
        let linear = Matrix::from_fn(folded.source.len(), folded.target.len(), |i, a| {
            let (i, a) = (folded.source[i], folded.target[a]);
            let votes = trial.anchors.iter().map(|&(u, v)| x[(i, u)] * y[(a, v)]);
            2.0 * votes.sum::<f64>()
        });
        let weights = |matrix: &Matrix| Weights::Dense(matrix.clone());
        let (one, two) = (weights(&folded.x), weights(&folded.y));
        let product = ProductPairwise::problem(Sense::Maximise, one, two, Some(&linear))?;
        let pairwise = SeparablePairwise::new(folded.x, folded.y, kernel, 1e-6, monitor)?;
        let problem =
            Problem::maximise(folded.unary, Box::new(pairwise))?.with_constant(folded.constant);
        Ok(Self {
            problem,
            product,
            truth,
        })
    }

    /// The share of the truth that `assignment` finds; `None` when there is no truth.
    #[must_use]
    pub fn accuracy(&self, assignment: &Assignment) -> Option<f64> {
        let known = self.truth.matched();
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

    /// How often [`run`](Self::run) calls `done`.
    #[must_use]
    pub fn steps(&self) -> usize {
        self.trials + self.timed.min(self.trials)
    }

    /// Runs every solver on every trial; `done` is called [`steps`](Self::steps) times.
    ///
    /// A solver that does not take the problems is left out with its reason.
    ///
    /// # Errors
    /// When a trial cannot be made or the monitor stops the run.
    pub fn run(
        &self,
        solvers: &[Box<dyn Solver>],
        monitor: &Monitor,
        done: impl Fn() + Sync,
    ) -> Result<Vec<SolverScore>> {
        let trials: Vec<Vec<Outcome>> = (0..self.trials)
            .into_par_iter()
            .map(|k| {
                let row = self.compare(k, solvers, monitor)?;
                done();
                Ok(row)
            })
            .collect::<Result<_>>()?;
        let mut scores: Vec<SolverScore> = solvers
            .iter()
            .enumerate()
            .map(|(place, solver)| {
                let column = || trials.iter().map(|row| &row[place]);
                let refusal = column().find_map(|outcome| outcome.as_ref().err().cloned());
                // Part of the trials would be another experiment.
                let taken = || {
                    let all = column().filter_map(|outcome| outcome.as_ref().ok());
                    all.filter(|_| refusal.is_none())
                };
                SolverScore {
                    solver: solver.info().name,
                    accuracy: Summary::of(taken().map(|outcome| outcome.0)),
                    relative_objective: Summary::of(taken().map(|outcome| outcome.1)),
                    seconds: Summary::of([]),
                    refusal,
                }
            })
            .collect();
        let mut seconds = vec![Vec::new(); solvers.len()];
        for k in 0..self.timed.min(self.trials) {
            let trial = SolverTrial::new(&self.trial(k)?, self.bandwidth, monitor)?;
            let places = solvers.iter().zip(&scores).zip(&mut seconds);
            for ((solver, _), seconds) in places.filter(|((_, score), _)| score.refusal.is_none()) {
                let watch = monitor.stopwatch();
                let _ = self.solve(&trial, solver.as_ref(), monitor)?;
                seconds.push(watch.seconds());
            }
            done();
        }
        for (score, seconds) in scores.iter_mut().zip(seconds) {
            score.seconds = Summary::of(seconds);
        }
        Ok(scores)
    }

    /// The k-th trial: accuracy, and objective over the best of all solvers.
    fn compare(
        &self,
        k: usize,
        solvers: &[Box<dyn Solver>],
        monitor: &Monitor,
    ) -> Result<Vec<Outcome>> {
        let trial = SolverTrial::new(&self.trial(k)?, self.bandwidth, monitor)?;
        let mut outcomes = solvers
            .iter()
            .map(|solver| self.solve(&trial, solver.as_ref(), monitor))
            .collect::<Result<Vec<Outcome>>>()?;
        let found = outcomes.iter().filter_map(|outcome| outcome.as_ref().ok());
        let best = found.fold(f64::NEG_INFINITY, |best, outcome| best.max(outcome.1));
        for (_, objective) in outcomes.iter_mut().flatten() {
            *objective = if best > 0.0 { *objective / best } else { 1.0 };
        }
        Ok(outcomes)
    }

    fn solve(
        &self,
        trial: &SolverTrial,
        solver: &dyn Solver,
        monitor: &Monitor,
    ) -> Result<Outcome> {
        let start = Start::seeded(self.seed);
        let takes_products_alone =
            solver.accepts(&trial.problem).is_err() && solver.accepts(&trial.product).is_ok();
        let solved = if takes_products_alone {
            solver.solve(&trial.product, &start, monitor)
        } else {
            solver.solve(&trial.problem, &start, monitor)
        };
        if monitor.interrupted().is_some() {
            // What was found is not what the solver can do.
            return Err(Error::Stopped("the comparison was not finished"));
        }
        let solution = match solved {
            Ok(solution) => solution,
            Err(refusal) => return Ok(Err(refusal.to_string())),
        };
        match trial.accuracy(&solution.assignment) {
            Some(accuracy) => {
                let objective = trial.problem.objective(&solution.assignment);
                Ok(Ok((accuracy, objective)))
            }
            None => Err(Error::parameter(
                "anchors",
                self.anchors,
                "fewer, so that something is left to find",
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anchormatch::solver::{Info, Solution, registry};
    use serde::{Deserialize, Serialize};
    use std::sync::atomic::{AtomicUsize, Ordering};

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
        assert_eq!(folded.truth.matched(), 6);
        assert_eq!(folded.accuracy(&folded.truth), Some(1.0));
        // Without noise every pair of inliers, anchors among them, has affinity 1.
        assert!((folded.problem.objective(&folded.truth) - 56.0).abs() < 1e-9);
    }

    #[test]
    fn solvers_of_products_alone_take_part() {
        let point = SolverPoint {
            graphs: Synthetic {
                inliers: 9,
                ..Synthetic::default()
            },
            trials: 2,
            timed: 1,
            ..SolverPoint::default()
        };
        let solvers = registry::all();
        let scores = point.run(&solvers, &Monitor::silent(), || ()).unwrap();
        for score in scores {
            assert_eq!(score.refusal, None, "{}", score.solver);
            assert_eq!(score.accuracy.count, 2, "{}", score.solver);
            assert!(score.relative_objective.mean > 0.0, "{}", score.solver);
        }
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
            timed: 2,
            ..SolverPoint::default()
        };
        let solvers = vec![
            registry::by_name("rrwm").unwrap(),
            registry::by_name("sm").unwrap(),
        ];
        let calls = AtomicUsize::new(0);
        let count = || {
            calls.fetch_add(1, Ordering::Relaxed);
        };
        let scores = point.run(&solvers, &Monitor::silent(), count).unwrap();
        assert_eq!((calls.into_inner(), point.steps()), (5, 5));
        assert_eq!(scores[0].solver, "rrwm");
        assert_eq!(scores[0].accuracy.mean, 1.0);
        assert_eq!(scores[0].relative_objective.mean, 1.0);
        assert!(scores[1].relative_objective.mean <= 1.0);
        assert_eq!((scores[1].accuracy.count, scores[1].seconds.count), (3, 2));
        let everything = SolverPoint {
            anchors: 10,
            ..point
        };
        assert!(everything.run(&solvers, &Monitor::silent(), || ()).is_err());
    }

    #[derive(Serialize, Deserialize)]
    struct Picky;

    impl Solver for Picky {
        fn info(&self) -> Info {
            Info {
                name: "picky",
                ..registry::all()[0].info()
            }
        }

        fn accepts(&self, _: &Problem) -> Result<()> {
            Err(Error::parameter("problem", "this one", "another"))
        }

        fn solve_accepted(&self, _: &Problem, _: &Start<'_>, _: &Monitor) -> Result<Solution> {
            unreachable!("no problem is accepted")
        }
    }

    #[test]
    fn a_solver_that_refuses_does_not_stop_the_others() {
        let point = SolverPoint {
            trials: 2,
            ..SolverPoint::default()
        };
        let solvers: Vec<Box<dyn Solver>> =
            vec![Box::new(Picky), registry::by_name("rrwm").unwrap()];
        let scores = point.run(&solvers, &Monitor::silent(), || ()).unwrap();
        assert!(scores[0].refusal.as_ref().unwrap().contains("another"));
        assert_eq!((scores[0].accuracy.count, scores[0].seconds.count), (0, 0));
        assert_eq!(scores[1].refusal, None);
        assert_eq!(scores[1].relative_objective.mean, 1.0);
        assert_eq!((scores[1].accuracy.count, scores[1].seconds.count), (2, 2));
    }

    #[test]
    fn a_stop_leaves_no_half_result() {
        let monitor = Monitor::silent();
        monitor.cancel_token().cancel();
        let solvers = vec![registry::by_name("rrwm").unwrap()];
        let stopped = SolverPoint::default().run(&solvers, &monitor, || ());
        assert!(matches!(stopped, Err(Error::Stopped(_))));
    }
}
