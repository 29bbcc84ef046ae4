//! `anchormatch-lab evaluate`: how good the preset `best` is, and what it could not know.

mod ablation;
mod calibration;
mod limits;
mod outliers;

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use anchormatch::monitor::Progress;
use anchormatch::{Error, Monitor};
use anchormatch_terminal::exit::{Done, Failure, Outcome};
use anchormatch_terminal::hints::WORDS;
use anchormatch_terminal::job::Job;
use anchormatch_terminal::resources::Resources;
use clap::{Args, Subcommand};
use serde_json::{Value, json};

use crate::commands::{data, ended};
use crate::datasets::hotel::Hotel;
use crate::experiments::evaluation::{Group, Measured, Plan, Row};

/// Trials of a row by default, and with --quick.
const TRIALS: u32 = 50;
const QUICK: u32 = 4;
/// With --quick, rows of larger graphs are left out unless they are named.
const QUICK_LARGEST: usize = 100;

const LONG_ABOUT: &str = "\
Judge the preset `best` on pairs of graphs whose matching is known: random graphs after Cho, Lee & Lee \
(ECCV 2010), the CMU Hotel sequence, correlated block models, and views of a house. Two random anchors \
unless a row says otherwise.

The trials' seeds are not those of any test of the method. Rows with graphs of 100 nodes and more have \
a fifth of the trials. Results do not depend on the number of threads; a run that is stopped tells what \
it has measured by then.

The Hotel sequence is not part of this program: a data folder has cmu_hotel/points.csv. The folder is \
--data, or what the variable ANCHORMATCH_DATA names. Where it is missing its rows say so, and the others \
run.";

const EXAMPLES: &str = "\
Examples:
  anchormatch-lab evaluate limits --quick                    a first impression
  anchormatch-lab evaluate limits --rows noise,hotel --sequential --data DIR
  anchormatch-lab evaluate calibration --out results         with results/calibration.csv and .svg
  anchormatch-lab evaluate outliers --rows both --trials 20
  anchormatch-lab evaluate ablation --rows sigma-0.4,house-far";

/// Judge the preset `best` on pairs of graphs whose matching is known
#[derive(Debug, Args)]
#[command(long_about = LONG_ABOUT, after_help = EXAMPLES)]
pub struct Options {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    Limits(limits::Options),
    Calibration(calibration::Options),
    Outliers(outliers::Options),
    Ablation(ablation::Options),
}

impl Options {
    /// Whether JSON was asked for.
    pub fn wants_json(&self) -> bool {
        match &self.what {
            What::Limits(options) => options.common.json,
            What::Calibration(options) => options.common.json,
            What::Outliers(options) => options.common.json,
            What::Ablation(options) => options.common.json,
        }
    }

    /// Measures.
    pub fn run(&self) -> Outcome {
        match &self.what {
            What::Limits(options) => options.run(),
            What::Calibration(options) => options.run(),
            What::Outliers(options) => options.run(),
            What::Ablation(options) => options.run(),
        }
    }
}

/// What all evaluations are told.
#[derive(Debug, Args)]
struct Common {
    /// Trials of each row [default: 50; 4 with --quick]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    trials: Option<u32>,

    /// Fewer trials, and no graphs above 100 nodes unless --rows names them
    #[arg(long)]
    quick: bool,

    /// The rows to run: their names, or the first part of their names, or groups [default: all]
    #[arg(long, value_name = "ROW,…", value_delimiter = ',')]
    rows: Vec<String>,

    /// Seed of the graphs, the anchors and the searches
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,

    /// The data folder
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,

    /// Write the tables as CSV into this folder, which is made where it does not exist
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Write JSON
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    resources: Resources,
}

/// A row with what was measured on its trials, or why nothing was.
struct Line<T> {
    row: Row,
    result: Result<Vec<T>, String>,
}

/// All rows, and whether they are complete.
struct Lines<T> {
    lines: Vec<Line<T>>,
    complete: bool,
}

impl Common {
    fn trials(&self) -> u32 {
        let default = if self.quick { QUICK } else { TRIALS };
        self.trials.unwrap_or(default)
    }

    fn plan(&self, sequential: bool, rows: &[Row]) -> Plan {
        let hotel = if rows.iter().any(|row| row.group == Group::Hotel) {
            let folder = data::directory(self.data.as_deref());
            let hotel = folder.and_then(|folder| Hotel::load(&folder));
            hotel.map_err(|error| error.worded(WORDS))
        } else {
            Err("no row needs it".to_owned())
        };
        Plan {
            trials: self.trials() as usize,
            full: false,
            seed: self.seed,
            sequential,
            hotel,
        }
    }

    /// The rows that were asked for, in the order of the table.
    fn select(&self, rows: Vec<Row>) -> Result<Vec<Row>, Failure> {
        if self.rows.is_empty() {
            let mut rows = rows;
            rows.retain(|row| !self.quick || row.nodes() <= QUICK_LARGEST);
            return Ok(rows);
        }
        let mut chosen = vec![false; rows.len()];
        for name in &self.rows {
            let is_exact = rows.iter().any(|row| row.name == *name);
            let mut found = false;
            for (row, chosen) in rows.iter().zip(&mut chosen) {
                let rest = row.name.strip_prefix(name.as_str());
                let matches = match rest {
                    Some("") => true,
                    _ if is_exact => false,
                    Some(rest) if rest.starts_with('-') => true,
                    _ => row.group.as_str() == name,
                };
                *chosen |= matches;
                found |= matches;
            }
            if !found {
                let mut names: Vec<&str> = Vec::new();
                for row in &rows {
                    for name in [row.group.as_str(), &row.name] {
                        if !names.contains(&name) {
                            names.push(name);
                        }
                    }
                }
                let expected = format!("one of {}", names.join(", "));
                return Err(Failure::usage("--rows", format!("`{name}`"), expected));
            }
        }
        let rows = rows.into_iter().zip(chosen);
        Ok(rows.filter(|(_, is)| *is).map(|(row, _)| row).collect())
    }

    /// Measures row by row until all are done or a signal comes.
    fn measure<T>(
        &self,
        stage: &str,
        rows: Vec<Row>,
        plan: &Plan,
        job: &Job,
        measure: impl Fn(&Row, &Monitor, &(dyn Fn() + Sync)) -> Result<Measured<T>, Error>,
    ) -> Result<Lines<T>, Failure> {
        let present = rows.iter().filter(|row| row.missing(plan).is_none());
        let total = present.map(|row| row.trials(plan)).sum();
        let count = AtomicUsize::new(0);
        let monitor = job.quiet_monitor();
        let done = || {
            // There is something to tell.
            job.keep();
            job.show(Progress {
                stage,
                done: count.fetch_add(1, Ordering::Relaxed) + 1,
                total: Some(total),
                value: None,
            });
        };
        let mut lines = Vec::new();
        let mut complete = true;
        for row in rows {
            let result = match row.missing(plan) {
                Some(reason) => Err(reason.to_owned()),
                None => match measure(&row, &monitor, &done) {
                    Ok(measured) => {
                        complete &= measured.complete;
                        Ok(measured.values)
                    }
                    Err(error) => Err(error.to_string()),
                },
            };
            if monitor.interrupted().is_some() {
                complete = false;
                if matches!(&result, Ok(values) if !values.is_empty()) {
                    lines.push(Line { row, result });
                }
                break;
            }
            lines.push(Line { row, result });
        }
        let is_measured = |line: &Line<T>| line.result.is_ok();
        if !lines.iter().any(is_measured) {
            return Err(match lines.into_iter().find_map(|l| l.result.err()) {
                Some(reason) if complete => Failure::misuse(reason),
                _ => Error::Stopped("no trial was finished").into(),
            });
        }
        Ok(Lines { lines, complete })
    }

    /// The parts of a JSON document that all evaluations have.
    fn document(&self, name: &str, complete: bool, parts: Value) -> Value {
        let mut document = json!({
            "evaluation": name,
            "trials": self.trials(),
            "seed": self.seed,
            "threads": rayon::current_num_threads(),
            "complete": complete,
        });
        if let (Some(document), Value::Object(parts)) = (document.as_object_mut(), parts) {
            document.extend(parts);
        }
        document
    }
}

impl<T> Lines<T> {
    /// The rows that were measured.
    fn measured(&self) -> impl Iterator<Item = (&Row, &[T])> {
        let lines = self.lines.iter();
        lines.filter_map(|line| Some((&line.row, line.result.as_ref().ok()?.as_slice())))
    }

    /// The rows that were not, and why: lines of text, the same reason once.
    fn missing(&self) -> String {
        let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
        for line in &self.lines {
            if let Err(reason) = &line.result {
                match reasons.iter_mut().find(|(other, _)| other == reason) {
                    Some((_, names)) => names.push(&line.row.name),
                    None => reasons.push((reason, vec![&line.row.name])),
                }
            }
        }
        let line =
            |(reason, names): (&str, Vec<&str>)| format!("– {}: {reason}\n", names.join(", "));
        reasons.into_iter().map(line).collect()
    }

    /// The rows that were not measured as JSON.
    fn missing_json(&self) -> Vec<Value> {
        let lines = self.lines.iter();
        lines
            .filter_map(|line| {
                let reason = line.result.as_ref().err()?;
                Some(json!({ "row": line.row.name, "reason": reason }))
            })
            .collect()
    }

    /// How the command ends.
    fn end(&self) -> Done {
        ended(self.complete, ": the last trials are missing")
    }
}

/// A share that there may be none of.
fn share(value: Option<f64>) -> String {
    value.map_or_else(|| "–".to_owned(), |value| format!("{value:.3}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::evaluation::standard_rows;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        common: Common,
    }

    fn names(rows: &str) -> Result<Vec<String>, Failure> {
        let line = Line::try_parse_from(["evaluate", "--rows", rows]).unwrap();
        let rows = line.common.select(standard_rows())?;
        Ok(rows.into_iter().map(|row| row.name).collect())
    }

    #[test]
    fn rows_are_chosen_by_name_beginning_or_group() {
        assert_eq!(names("out-10,sigma-0.1").unwrap(), ["sigma-0.1", "out-10"]);
        assert_eq!(names("sigma").unwrap().len(), 5);
        assert_eq!(names("noise").unwrap().len(), 5);
        assert_eq!(names("outliers").unwrap().len(), 4);
        assert_eq!(names("hotel,hotel-10").unwrap().len(), 9);
        assert_eq!(names("house").unwrap(), ["house"]);
        assert!(names("sig").is_err() && names("").is_err());
    }

    #[test]
    fn figures_are_short() {
        assert_eq!(
            (share(None), share(Some(0.5))),
            ("–".into(), "0.500".into())
        );
    }
}
