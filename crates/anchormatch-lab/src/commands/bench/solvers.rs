//! `anchormatch-lab bench solvers`: all solvers on the same synthetic problems.

use std::fmt::Write;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use anchormatch::Error;
use anchormatch::monitor::Progress;
use anchormatch::solver::{Kind, Solver, registry};
use anchormatch_terminal::exit::{Failure, Outcome};
use anchormatch_terminal::files::{print, write};
use anchormatch_terminal::job::Job;
use anchormatch_terminal::table::Table;
use anchormatch_terminal::values;
use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use super::Common;
use crate::commands::figures::{cells, summary_json, with_error};
use crate::commands::{data, ended};
use crate::experiments::solvers::{SolverPoint, SolverScore, Sweep, SweepScores, plot};

/// Trials at a point with --quick.
const QUICK: u32 = 10;
/// With --quick, graphs of more inliers are left out.
const QUICK_LARGEST: usize = 50;

const LONG_ABOUT: &str = "\
Compare solvers on synthetic graphs after Cho, Lee & Lee (ECCV 2010): 20 inliers, weights between 0 and \
1, the affinity exp(−Δ²/0.15), two random anchors folded into the problem.

All solvers see the same problems, those that take products of two matrices alone the product of the \
weights. For each of them the tables have the share of free inliers matched \
right with its standard error, the objective over the best that any of them found, and the time. \
Accuracy comes from all trials, run in parallel; times from a second pass over the first five trials \
(two with --quick), in which each solver has all threads to itself.";

const EXAMPLES: &str = "\
Examples:
  anchormatch-lab bench solvers --quick                      a first impression
  anchormatch-lab bench solvers --points noise --out results all of it at five noise levels, with
                                                         results/solvers.csv and solvers.svg
  anchormatch-lab bench solvers --solver rrwm --solver faq --points size --trials 20";

/// Compare solvers on synthetic graphs
#[derive(Debug, Args)]
#[command(long_about = LONG_ABOUT, after_help = EXAMPLES)]
pub(super) struct Options {
    /// Pairs of graphs at each point [default: 50; 10 with --quick]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    trials: Option<u32>,

    /// A solver to run; may be given several times [default: all]
    #[arg(long, value_name = "NAME", value_parser = values::solver())]
    solver: Vec<String>,

    /// What to vary, separated by commas
    #[arg(
        long,
        value_name = "WHAT",
        value_delimiter = ',',
        default_value = "all"
    )]
    points: Vec<Points>,

    /// Fewer trials, and no graphs of 100 nodes
    #[arg(long)]
    quick: bool,

    /// Write solvers.csv and solvers.svg into this folder, which is made where it does not exist
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    #[command(flatten)]
    pub(super) common: Common,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Points {
    /// Noise σ from 0.1 to 0.5
    Noise,
    /// 6 and 10 outliers on either side
    Outliers,
    /// Density ρ 0.3 and 0.9 at σ = 0.25
    Density,
    /// 50 and 100 inliers at σ = 0.3
    Size,
    /// All of these
    All,
}

impl Points {
    fn includes(self, sweep: Sweep) -> bool {
        match self {
            Self::All => true,
            Self::Noise => sweep == Sweep::Noise,
            Self::Outliers => sweep == Sweep::Outliers,
            Self::Density => sweep == Sweep::Density,
            Self::Size => sweep == Sweep::Size,
        }
    }
}

impl Options {
    pub(super) fn run(&self) -> Outcome {
        let csv_file = data::prepare_out(self.out.as_deref(), "solvers.csv")?;
        let svg_file = data::prepare_out(self.out.as_deref(), "solvers.svg")?;
        let solvers = self.solvers()?;
        let job = Job::start(&self.common.resources, None, self.common.json)?;
        let (points, complete) = self.measure(&solvers, &job)?;
        job.finish();
        let infos: Vec<_> = solvers.iter().map(|solver| solver.info()).collect();
        let comparison = Comparison {
            solvers: infos.iter().map(|info| (info.name, info.kind)).collect(),
            points: &points,
            trials: self.trials(),
            timed: self.template().timed.min(self.trials()),
        };
        if let Some(file) = &csv_file {
            write(file, &comparison.csv())?;
        }
        if let Some(file) = &svg_file {
            write(file, &plot(&points, &comparison.solvers)?)?;
        }
        if self.common.json {
            print(&format!(
                "{:#}\n",
                comparison.json(self.common.seed, complete)
            ))?;
        } else {
            print(&comparison.text())?;
        }
        Ok(ended(complete, ": the last points are missing"))
    }

    fn trials(&self) -> usize {
        let default = if self.quick { QUICK } else { 50 };
        self.trials.unwrap_or(default) as usize
    }

    fn template(&self) -> SolverPoint {
        SolverPoint {
            trials: self.trials(),
            timed: if self.quick { 2 } else { 5 },
            seed: self.common.seed,
            ..SolverPoint::default()
        }
    }

    /// Those that were named, each once, or all.
    fn solvers(&self) -> Result<Vec<Box<dyn Solver>>, Failure> {
        if self.solver.is_empty() {
            return Ok(registry::all());
        }
        let mut names: Vec<&String> = Vec::new();
        for name in &self.solver {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let solvers = names.into_iter().map(|name| registry::by_name(name));
        Ok(solvers.collect::<Result<_, _>>()?)
    }

    /// The scores at each point, and whether all points were reached.
    fn measure(
        &self,
        solvers: &[Box<dyn Solver>],
        job: &Job,
    ) -> Result<(Vec<SweepScores>, bool), Failure> {
        let template = self.template();
        let points: Vec<_> = Sweep::ALL
            .into_iter()
            .filter(|&sweep| self.points.iter().any(|points| points.includes(sweep)))
            .flat_map(|sweep| sweep.points(&template))
            .filter(|at| !self.quick || at.point.graphs.inliers <= QUICK_LARGEST)
            .collect();
        let total = points.iter().map(|at| at.point.steps()).sum();
        let done = AtomicUsize::new(0);
        let monitor = job.quiet_monitor();
        let mut measured = Vec::with_capacity(points.len());
        for at in points {
            let scores = at.point.run(solvers, &monitor, || {
                job.show(Progress {
                    stage: "solvers",
                    done: done.fetch_add(1, Ordering::Relaxed) + 1,
                    total: Some(total),
                    value: None,
                });
            });
            match scores {
                Ok(scores) => measured.push(SweepScores {
                    sweep: at.sweep,
                    x: at.x,
                    scores,
                }),
                Err(Error::Stopped(_)) if !measured.is_empty() => return Ok((measured, false)),
                Err(error) => return Err(error.into()),
            }
            // There is a column to show.
            job.keep();
        }
        Ok((measured, true))
    }
}

/// The result and how it is told.
struct Comparison<'a> {
    solvers: Vec<(&'static str, Kind)>,
    points: &'a [SweepScores],
    trials: usize,
    timed: usize,
}

impl Comparison<'_> {
    fn text(&self) -> String {
        let accuracy = |score: &SolverScore| with_error(&score.accuracy);
        let objective = |score: &SolverScore| format!("{:.4}", score.relative_objective.mean);
        let time = |score: &SolverScore| milliseconds(score.seconds.mean);
        let mut text = format!(
            "Accuracy, the share of free inliers matched right, over {} trials a point \
             (± standard error).\n\n{}\n\
             Objective over the best that any of these solvers found on the same problem.\n\n{}\n\
             Milliseconds a problem: the mean over the first {} trials, run again one at a time \
             with all {} threads\n(the making of the problem is not included).\n\n{}",
            self.trials,
            self.table(accuracy),
            self.table(objective),
            self.timed,
            rayon::current_num_threads(),
            self.table(time),
        );
        for (place, (name, _)) in self.solvers.iter().enumerate() {
            let mut scores = self.points.iter().map(|point| &point.scores[place]);
            if let Some(reason) = scores.find_map(|score| score.refusal.as_ref()) {
                write!(text, "\n– {name}: {reason}").expect("writing into a string cannot fail");
            }
        }
        if !text.ends_with('\n') {
            text.push('\n');
        }
        text
    }

    /// Solvers in rows, points in columns.
    fn table(&self, cell: impl Fn(&SolverScore) -> String) -> String {
        let labels = self.points.iter().map(|point| point.sweep.label(point.x));
        let mut table = Table::new(["solver".to_owned()].into_iter().chain(labels));
        for (place, (name, _)) in self.solvers.iter().enumerate() {
            let cells = self.points.iter().map(|point| {
                let score = &point.scores[place];
                match score.refusal {
                    None => cell(score),
                    Some(_) => "–".to_owned(),
                }
            });
            table.row([(*name).to_owned()].into_iter().chain(cells));
        }
        table.text()
    }

    /// A row for each point and solver; a solver that refused has no figures.
    fn csv(&self) -> String {
        let mut text = "sweep,x,solver,trials,accuracy,accuracy_standard_error,\
                        relative_objective,relative_objective_standard_error,\
                        timed_trials,seconds,seconds_standard_error\n"
            .to_owned();
        for point in self.points {
            for score in &point.scores {
                writeln!(
                    text,
                    "{},{},{},{},{},{},{},{}",
                    point.sweep.as_str(),
                    point.x,
                    score.solver,
                    score.accuracy.count,
                    cells(&score.accuracy),
                    cells(&score.relative_objective),
                    score.seconds.count,
                    cells(&score.seconds),
                )
                .expect("writing into a string cannot fail");
            }
        }
        text
    }

    fn json(&self, seed: u64, complete: bool) -> Value {
        let points: Vec<Value> = self
            .points
            .iter()
            .map(|point| {
                let scores: Vec<Value> = point
                    .scores
                    .iter()
                    .map(|score| {
                        json!({
                            "solver": score.solver,
                            "accuracy": summary_json(&score.accuracy),
                            "relative_objective": summary_json(&score.relative_objective),
                            "seconds": summary_json(&score.seconds),
                            "refusal": score.refusal,
                        })
                    })
                    .collect();
                json!({ "sweep": point.sweep.as_str(), "x": point.x, "scores": scores })
            })
            .collect();
        json!({
            "benchmark": "solvers",
            "trials": self.trials,
            "timed_trials": self.timed,
            "threads": rayon::current_num_threads(),
            "seed": seed,
            "complete": complete,
            "points": points,
        })
    }
}

/// Three digits that matter, as far as that is possible.
fn milliseconds(seconds: f64) -> String {
    match 1e3 * seconds {
        few if few < 10.0 => format!("{few:.2}"),
        some if some < 100.0 => format!("{some:.1}"),
        many => format!("{many:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anchormatch_report::Summary;

    fn score(solver: &'static str, refusal: Option<&str>) -> SolverScore {
        let of = |value: f64| Summary::of(refusal.is_none().then_some(value));
        SolverScore {
            solver,
            accuracy: of(0.75),
            relative_objective: of(0.5),
            seconds: of(0.0123),
            refusal: refusal.map(str::to_owned),
        }
    }

    #[test]
    fn refusals_are_dashes_with_a_reason() {
        let points = [SweepScores {
            sweep: Sweep::Noise,
            x: 0.3,
            scores: vec![score("one", None), score("two", Some("products only"))],
        }];
        let comparison = Comparison {
            solvers: vec![("one", Kind::Search), ("two", Kind::Relaxation)],
            points: &points,
            trials: 1,
            timed: 1,
        };
        let text = comparison.text();
        assert!(
            text.contains("0.750±.000") && text.contains("12.3"),
            "{text}"
        );
        assert!(text.ends_with("\n– two: products only\n"), "{text}");
        assert_eq!(text.matches("NaN").count(), 0);
        let csv = comparison.csv();
        assert!(
            csv.contains("\nnoise,0.3,one,1,0.75,0,0.5,0,1,0.0123,0\n"),
            "{csv}"
        );
        assert!(csv.ends_with("\nnoise,0.3,two,0,,,,,0,,\n"), "{csv}");
        let json = comparison.json(0, true);
        assert!(json["points"][0]["scores"][1]["accuracy"]["mean"].is_null());
    }

    #[test]
    fn figures_keep_three_digits() {
        assert_eq!(
            [0.00012, 0.0123, 0.123, 1.5].map(milliseconds),
            ["0.12", "12.3", "123", "1500"]
        );
    }
}
