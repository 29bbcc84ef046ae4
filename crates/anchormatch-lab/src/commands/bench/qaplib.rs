//! `anchormatch-lab bench qaplib`: one solver on every instance of QAPLIB.

use std::fmt::Write;

use anchormatch::solver::{Status, registry};
use anchormatch_terminal::exit::{Failure, Outcome};
use anchormatch_terminal::files::{print, write};
use anchormatch_terminal::job::Job;
use anchormatch_terminal::table::Table;
use clap::Args;
use serde_json::{Value, json};

use super::{Common, OneSolver, figure};
use crate::commands::{data, ended};
use crate::datasets::qaplib::Qaplib;
use crate::experiments::qaplib::{QaplibGroup, QaplibResult, QaplibRow, QaplibSweep};

const LONG_ABOUT: &str = "\
Run a solver on every instance of QAPLIB (Burkard, Karisch & Rendl, 1997) whose best cost is known, one \
after the other, each with the same time, and tell the gap (found − best)/best of each and by size.

The data is not part of this program. A data folder has the files qaplib/index.csv and \
qaplib/dat/NAME.dat. It is --data, or what the variable ANCHORMATCH_DATA names.";

const EXAMPLES: &str = "\
Examples:
  anchormatch-lab bench qaplib --data DIR --largest 30          one second for each of the small ones
  anchormatch-lab bench qaplib --data DIR --solver faq          a relaxation on all of them
  anchormatch-lab bench qaplib --data DIR --time-limit 10 --out results";

/// A solver on the instances of QAPLIB
#[derive(Debug, Args)]
#[command(long_about = LONG_ABOUT, after_help = EXAMPLES)]
pub(super) struct Options {
    #[command(flatten)]
    one: OneSolver,

    /// Only instances of at most so many nodes [default: all]
    #[arg(long, value_name = "N")]
    largest: Option<usize>,

    #[command(flatten)]
    pub(super) common: Common,
}

impl Options {
    pub(super) fn run(&self) -> Outcome {
        let table_file = data::prepare_out(self.one.out.as_deref(), "qaplib.csv")?;
        let qaplib = Qaplib::load(&data::directory(self.one.data.data.as_deref())?)?;
        let solver = registry::by_name(&self.one.solver)?;
        let job = Job::start(&self.common.resources, None, self.common.json)?;
        let sweep = QaplibSweep {
            time_limit: self.one.time_limit,
            largest: self.largest,
            seed: self.common.seed,
            ..QaplibSweep::default()
        };
        if sweep.instances(&qaplib).next().is_none() {
            return Err(match self.largest {
                Some(most) => Failure::usage("--largest", most, "the size of some instance"),
                None => Failure::usage("the index of QAPLIB", "no best cost", "at least one"),
            });
        }
        // Every row is a result.
        job.keep();
        let mut printed = self.common.print_row(&job, &header());
        let monitor = job.monitor();
        let mut result = sweep.run(&qaplib, solver.as_ref(), monitor, |row| {
            if printed.is_ok() && !is_cancelled(row) {
                printed = self.common.print_row(&job, &line(row));
            }
            if printed.is_err() {
                // Nobody reads on.
                monitor.cancel_token().cancel();
            }
        })?;
        job.finish();
        printed?;
        result.rows.retain(|row| !is_cancelled(row));
        if let Some(file) = &table_file {
            write(file, &csv(&result))?;
        }
        if self.common.json {
            print(&format!("{:#}\n", self.report(&result)))?;
        } else {
            print(&format!("\n{}", summary(&result)))?;
        }
        Ok(ended(result.complete, ": the last instances are missing"))
    }

    fn report(&self, result: &QaplibResult) -> Value {
        let rows: Vec<Value> = result
            .rows
            .iter()
            .map(|row| {
                let (status, failure) = match &row.outcome {
                    Ok(outcome) => (Some(outcome.status.as_str()), None),
                    Err(message) => (None, Some(message)),
                };
                json!({
                    "name": row.name,
                    "n": row.n,
                    "best": row.best,
                    "found": row.found(),
                    "gap": row.gap(),
                    "seconds": row.seconds,
                    "status": status,
                    "failure": failure,
                })
            })
            .collect();
        let groups: Vec<Value> = groups(result)
            .iter()
            .map(|group| {
                json!({
                    "sizes": group.sizes,
                    "instances": group.instances,
                    "failed": group.failed,
                    "reached": group.reached,
                    "share": group.share(),
                    "mean_gap": group.gap.mean,
                })
            })
            .collect();
        json!({
            "benchmark": "qaplib",
            "solver": self.one.solver,
            "time_limit": self.one.time_limit.as_secs_f64(),
            "threads": rayon::current_num_threads(),
            "seed": self.common.seed,
            "complete": result.complete,
            "instances": rows,
            "summary": groups,
        })
    }
}

/// Whether the run was stopped in the middle of this instance.
fn is_cancelled(row: &QaplibRow) -> bool {
    matches!(&row.outcome, Ok(outcome) if outcome.status == Status::Cancelled)
}

/// The sizes first, all of them last.
fn groups(result: &QaplibResult) -> [QaplibGroup; 4] {
    let [all, small, middle, large] = result.groups();
    [small, middle, large, all]
}

fn columns(cells: [&str; 6]) -> String {
    let [name, n, best, found, gap, seconds] = cells;
    format!("{name:<10} {n:>4} {best:>14} {found:>14} {gap:>9} {seconds:>8}")
}

fn header() -> String {
    let titles = columns(["instance", "n", "best known", "found", "gap", "seconds"]);
    let rule = "─".repeat(titles.chars().count());
    format!("{titles}\n{rule}\n")
}

fn line(row: &QaplibRow) -> String {
    let words = columns([
        &row.name,
        &row.n.to_string(),
        &row.best.map_or_else(String::new, figure),
        &row.found().map_or_else(|| "–".to_owned(), figure),
        &row.gap().map_or_else(String::new, percent),
        &format!("{:.2}", row.seconds),
    ]);
    match &row.outcome {
        Ok(_) => words + "\n",
        Err(message) => format!("{words}  {message}\n"),
    }
}

fn percent(share: f64) -> String {
    format!("{:.3} %", 100.0 * share)
}

fn summary(result: &QaplibResult) -> String {
    let mut table = Table::new(["", "instances", "mean gap", "best reached", "share"]);
    for group in groups(result).iter().filter(|group| group.instances > 0) {
        let solved = group.instances > group.failed;
        table.row([
            group.sizes.to_owned(),
            group.instances.to_string(),
            if solved {
                percent(group.gap.mean)
            } else {
                "–".to_owned()
            },
            group.reached.to_string(),
            group
                .share()
                .map_or_else(String::new, |share| format!("{:.1} %", 100.0 * share)),
        ]);
    }
    table.text()
}

fn csv(result: &QaplibResult) -> String {
    let mut text = "name,n,best,found,gap,seconds,status\n".to_owned();
    for row in &result.rows {
        let number = |value: Option<f64>| value.map_or_else(String::new, |v| v.to_string());
        let status = match &row.outcome {
            Ok(outcome) => outcome.status.as_str(),
            Err(_) => "refused",
        };
        writeln!(
            text,
            "{},{},{},{},{},{},{status}",
            row.name,
            row.n,
            number(row.best),
            number(row.found()),
            number(row.gap()),
            row.seconds,
        )
        .expect("writing into a string cannot fail");
    }
    text
}
