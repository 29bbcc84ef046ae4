//! A solver on every instance of QAPLIB, each with the same time, one after the other so that each has
//! the whole machine.
//!
//! The gap of a cost c to the best known b is (c − b)/max(|b|, 1): some optima are 0, and costs are
//! whole numbers. Costs are recomputed from A, B and the permutation, whatever the solver says.

use std::time::Duration;

use anchormatch::problem::Sense;
use anchormatch::solver::{Solver, Start, Status};
use anchormatch::{Error, Monitor, Result};

use super::Summary;
use crate::datasets::qaplib::{NamedInstance, Qaplib};

/// A gap up to this size is rounding.
const ROUNDING: f64 = 1e-9;

/// What to run.
#[derive(Debug, Clone)]
pub struct QaplibSweep {
    /// Time for each instance. Default 10 s.
    pub time_limit: Duration,
    /// Only instances of at most so many nodes. Default: all.
    pub largest: Option<usize>,
    /// Whether instances without a best known cost are left out. Default yes.
    pub known_only: bool,
    /// The seed of every run. Default 0.
    pub seed: u64,
}

impl Default for QaplibSweep {
    fn default() -> Self {
        Self {
            time_limit: Duration::from_secs(10),
            largest: None,
            known_only: true,
            seed: 0,
        }
    }
}

/// One instance.
#[derive(Debug, Clone, PartialEq)]
pub struct QaplibRow {
    /// The instance's name.
    pub name: String,
    /// The number of nodes.
    pub n: usize,
    /// The best cost known.
    pub best: Option<f64>,
    /// What the solver found, or why it found nothing.
    pub outcome: std::result::Result<QaplibOutcome, String>,
    /// Seconds that the solver took.
    pub seconds: f64,
}

/// What a solver found.
#[derive(Debug, Clone, PartialEq)]
pub struct QaplibOutcome {
    /// The cost, recomputed.
    pub cost: f64,
    /// Why the solver stopped.
    pub status: Status,
    /// The permutation.
    pub permutation: Vec<usize>,
}

impl QaplibRow {
    /// The cost that was found.
    #[must_use]
    pub fn found(&self) -> Option<f64> {
        self.outcome.as_ref().ok().map(|outcome| outcome.cost)
    }

    /// (found − best)/max(|best|, 1), where both are known; below 0 for a new best.
    #[must_use]
    pub fn gap(&self) -> Option<f64> {
        let best = self.best?;
        self.found().map(|cost| (cost - best) / best.abs().max(1.0))
    }

    /// Whether the best cost known was reached.
    #[must_use]
    pub fn is_best(&self) -> bool {
        self.gap().is_some_and(|gap| gap <= ROUNDING)
    }
}

/// Instances of similar size.
#[derive(Debug, Clone, PartialEq)]
pub struct QaplibGroup {
    /// The sizes in words: `n ≤ 30`.
    pub sizes: &'static str,
    /// Instances whose best cost is known.
    pub instances: usize,
    /// Those for which the solver found nothing; the gaps leave them out, the share does not.
    pub failed: usize,
    /// Those whose best cost was reached.
    pub reached: usize,
    /// Their gaps.
    pub gap: Summary,
}

impl QaplibGroup {
    /// The share of instances whose best cost was reached; `None` without instances.
    #[must_use]
    pub fn share(&self) -> Option<f64> {
        (self.instances > 0).then(|| self.reached as f64 / self.instances as f64)
    }
}

/// Every instance, and groups of them.
#[derive(Debug, Clone, PartialEq)]
pub struct QaplibResult {
    /// The rows in the order of the index.
    pub rows: Vec<QaplibRow>,
    /// Whether every instance was run: the monitor may have stopped the sweep.
    pub complete: bool,
}

impl QaplibResult {
    /// All sizes, n ≤ 30, 30 < n ≤ 50 and n > 50.
    #[must_use]
    pub fn groups(&self) -> [QaplibGroup; 4] {
        [
            self.group("all", 0, usize::MAX),
            self.group("n ≤ 30", 0, 30),
            self.group("30 < n ≤ 50", 31, 50),
            self.group("n > 50", 51, usize::MAX),
        ]
    }

    fn group(&self, sizes: &'static str, least: usize, most: usize) -> QaplibGroup {
        let rows = || {
            let known = self.rows.iter().filter(|row| row.best.is_some());
            known.filter(|row| (least..=most).contains(&row.n))
        };
        QaplibGroup {
            sizes,
            instances: rows().count(),
            failed: rows().filter(|row| row.outcome.is_err()).count(),
            reached: rows().filter(|row| row.is_best()).count(),
            gap: Summary::of(rows().filter_map(QaplibRow::gap)),
        }
    }
}

impl QaplibSweep {
    /// The instances that the sweep visits.
    pub fn instances<'a>(&self, qaplib: &'a Qaplib) -> impl Iterator<Item = &'a NamedInstance> {
        let (largest, known_only) = (self.largest.unwrap_or(usize::MAX), self.known_only);
        qaplib.instances().iter().filter(move |named| {
            named.instance.n <= largest && (named.best.is_some() || !known_only)
        })
    }

    /// Runs `solver` on every instance; `done` sees each row as it is finished.
    ///
    /// A solver that refuses an instance leaves a row that says so. The monitor's own limits stop the
    /// sweep between instances, and cancelling it stops the instance too; what was finished comes back.
    ///
    /// # Errors
    /// When an instance is no program, or the solver returns something that is no permutation.
    pub fn run(
        &self,
        qaplib: &Qaplib,
        solver: &dyn Solver,
        monitor: &Monitor,
        mut done: impl FnMut(&QaplibRow),
    ) -> Result<QaplibResult> {
        let mut rows = Vec::new();
        for named in self.instances(qaplib) {
            if monitor.interrupted().is_some() {
                return Ok(QaplibResult {
                    rows,
                    complete: false,
                });
            }
            let row = self.run_one(named, solver, monitor)?;
            done(&row);
            rows.push(row);
        }
        // A cancelled last instance is not what the solver can do.
        let complete = !monitor.cancel_token().is_cancelled();
        Ok(QaplibResult { rows, complete })
    }

    fn run_one(
        &self,
        named: &NamedInstance,
        solver: &dyn Solver,
        monitor: &Monitor,
    ) -> Result<QaplibRow> {
        let problem = named.instance.problem(Sense::Minimise)?;
        let limited = monitor.clone().time_limit(self.time_limit);
        let clock = monitor.stopwatch();
        let solved = solver.solve(&problem, &Start::seeded(self.seed), &limited);
        let seconds = clock.seconds();
        let outcome = match solved {
            Err(error) => Err(error.to_string()),
            Ok(solution) => {
                let permutation: Vec<usize> =
                    solution.assignment.iter().copied().flatten().collect();
                if !problem.is_feasible(&solution.assignment) {
                    return Err(Error::Numerics(format!(
                        "{} returned no permutation of {}",
                        solver.info().name,
                        named.name
                    )));
                }
                Ok(QaplibOutcome {
                    cost: named.instance.cost(&permutation),
                    status: solution.status,
                    permutation,
                })
            }
        };
        Ok(QaplibRow {
            name: named.name.clone(),
            n: named.instance.n,
            best: named.best.as_ref().map(|best| best.cost),
            outcome,
            seconds,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datasets::qaplib::BestKnown;
    use anchormatch::io::QapInstance;
    use anchormatch::linalg::Matrix;
    use anchormatch::problem::Problem;
    use anchormatch::solver::{Info, Kind, Solution};

    /// Returns the identity turned by `turn`, or what else a test asks for.
    struct Fixed {
        turn: usize,
        refuse_above: usize,
        drop_last: bool,
    }

    const FIXED: Fixed = Fixed {
        turn: 0,
        refuse_above: usize::MAX,
        drop_last: false,
    };

    impl Solver for Fixed {
        fn info(&self) -> Info {
            Info {
                name: "fixed",
                kind: Kind::Search,
                reference: "none",
                complexity: "O(n)",
                accepts: "all",
            }
        }

        fn solve(&self, problem: &Problem, _: &Start<'_>, monitor: &Monitor) -> Result<Solution> {
            let n = problem.shape().0;
            if n > self.refuse_above {
                return Err(Error::Numerics("too large".into()));
            }
            let mut assignment: Vec<_> = (0..n).map(|i| Some((i + self.turn) % n)).collect();
            if self.drop_last {
                assignment[n - 1] = None;
            }
            Ok(Solution {
                // What a solver claims does not matter.
                objective: -1.0,
                assignment,
                soft: None,
                iterations: 1,
                status: monitor
                    .interrupted()
                    .map_or(Status::Converged, Status::from),
                convergence: Vec::new(),
            })
        }
    }

    /// A path against a path: the identity is best with 2 Σ k².
    fn named(n: usize, best: Option<f64>) -> NamedInstance {
        let path = |scale: f64| {
            Matrix::from_fn(n, n, |i, j| {
                let step = i.abs_diff(j) == 1;
                if step { scale } else { 0.0 }
            })
        };
        NamedInstance {
            name: format!("path{n}"),
            instance: QapInstance {
                n,
                a: path(1.0),
                b: path(-1.0),
            },
            best: best.map(|cost| BestKnown {
                cost,
                permutation: (0..n).collect(),
            }),
        }
    }

    fn qaplib() -> Qaplib {
        // The identity costs −2 (n − 1), every other rotation of it two more.
        Qaplib::new(vec![
            named(20, Some(-38.0)),
            named(30, Some(-58.0)),
            named(31, Some(-60.0)),
            named(50, Some(-98.0)),
            named(51, Some(-100.0)),
            named(5, None),
        ])
    }

    #[test]
    fn rows_have_recomputed_costs_and_groups_their_shares() {
        let mut seen = Vec::new();
        let result = QaplibSweep::default()
            .run(&qaplib(), &FIXED, &Monitor::silent(), |row| {
                seen.push(row.name.clone());
            })
            .unwrap();
        assert_eq!(seen, ["path20", "path30", "path31", "path50", "path51"]);
        assert!(result.complete);
        for row in &result.rows {
            assert_eq!(row.found(), Some(-2.0 * (row.n as f64 - 1.0)));
            assert_eq!(row.gap(), Some(0.0));
            assert_eq!(row.outcome.as_ref().unwrap().status, Status::Converged);
        }
        let groups = result.groups();
        let counts = groups.each_ref().map(|g| (g.instances, g.reached));
        assert_eq!(counts, [(5, 5), (2, 2), (2, 2), (1, 1)]);

        let turned = Fixed { turn: 3, ..FIXED };
        let result = QaplibSweep {
            known_only: false,
            largest: Some(30),
            ..QaplibSweep::default()
        }
        .run(&qaplib(), &turned, &Monitor::silent(), |_| {})
        .unwrap();
        let names: Vec<&str> = result.rows.iter().map(|row| row.name.as_str()).collect();
        assert_eq!(names, ["path20", "path30", "path5"]);
        assert_eq!(result.rows[0].gap(), Some(2.0 / 38.0));
        assert_eq!(result.rows[2].gap(), None);
        let group = &result.groups()[0];
        assert_eq!((group.instances, group.share()), (2, Some(0.0)));
        assert!((group.gap.mean - (2.0 / 38.0 + 2.0 / 58.0) / 2.0).abs() < 1e-15);
        assert_eq!(result.groups()[3].share(), None);
    }

    #[test]
    fn a_best_of_zero_has_a_gap_and_a_new_best_counts() {
        let data = Qaplib::new(vec![named(4, Some(0.0)), named(3, Some(-3.0))]);
        let result = QaplibSweep::default().run(&data, &FIXED, &Monitor::silent(), |_| {});
        let rows = result.unwrap().rows;
        assert_eq!((rows[0].gap(), rows[0].is_best()), (Some(-6.0), true));
        assert_eq!((rows[1].gap(), rows[1].is_best()), (Some(-1.0 / 3.0), true));
    }

    #[test]
    fn refusals_become_rows_and_no_permutation_an_error() {
        let picky = Fixed {
            refuse_above: 30,
            ..FIXED
        };
        let sweep = QaplibSweep::default();
        let result = sweep
            .run(&qaplib(), &picky, &Monitor::silent(), |_| {})
            .unwrap();
        assert_eq!(
            result.rows[2].outcome,
            Err("numerics: too large".to_owned())
        );
        assert_eq!(
            (result.rows[2].gap(), result.rows[2].is_best()),
            (None, false)
        );
        let all = &result.groups()[0];
        assert_eq!((all.failed, all.reached, all.gap.count), (3, 2, 2));

        let broken = Fixed {
            drop_last: true,
            ..FIXED
        };
        let error = sweep
            .run(&qaplib(), &broken, &Monitor::silent(), |_| {})
            .unwrap_err();
        assert_eq!(
            error.to_string(),
            "numerics: fixed returned no permutation of path20"
        );
    }

    #[test]
    fn limits_reach_the_solver_and_cancelling_ends_the_sweep() {
        let hasty = QaplibSweep {
            time_limit: Duration::ZERO,
            ..QaplibSweep::default()
        };
        let result = hasty
            .run(&qaplib(), &FIXED, &Monitor::silent(), |_| {})
            .unwrap();
        assert!(result.complete && result.rows.len() == 5);
        let limited = |row: &QaplibRow| row.outcome.as_ref().unwrap().status == Status::TimeLimit;
        assert!(result.rows.iter().all(limited));

        let monitor = Monitor::silent();
        let token = monitor.cancel_token();
        let mut rows = 0;
        let result = QaplibSweep::default().run(&qaplib(), &FIXED, &monitor, |_| {
            rows += 1;
            if rows == 2 {
                token.cancel();
            }
        });
        let result = result.unwrap();
        assert!(!result.complete);
        assert_eq!(result.rows.len(), 2);
    }
}
