//! A solver on every instance of QAPLIB, each with the same time, one after the other so that each has
//! the whole machine.
//!
//! The gap of a cost c to the best known b is (c − b)/max(|b|, 1): some optima are 0, and costs are
//! whole numbers. Costs are recomputed from A, B and the permutation, whatever the solver says.

#[cfg(test)]
mod tests;

use std::time::Duration;

use anchormatch::problem::Sense;
use anchormatch::solver::{Solver, Start, Status};
use anchormatch::{Error, Monitor, Result};
use anchormatch_report::Summary;

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
                let permutation: Vec<usize> = solution.assignment.iter().flatten().collect();
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
