//! `anchormatch-lab bench dd`: one solver on the graph matching problems with known values.

use std::fmt::Write;

use anchormatch::Error;
use anchormatch::monitor::Progress;
use anchormatch::solver::{Solver, Start, Status, registry};
use anchormatch_terminal::exit::{Failure, Outcome};
use anchormatch_terminal::files::{print, write};
use anchormatch_terminal::job::Job;
use anchormatch_terminal::table::Table;
use clap::Args;
use serde::Serialize;
use serde_json::json;

use super::{Common, OneSolver, figure};
use crate::commands::{data, ended};
use crate::datasets::dd::{self, DdFile, ROUNDING};

const LONG_ABOUT: &str = "\
Run a solver on five graph matching problems in the .dd format and tell its values beside the best ones \
known. Costs are minimised: at or below is what one wants. The reference values are those of local \
searches over full assignments, not proven optima.

The data is not part of this program. A data folder has the files in dd_instances, opengm1.dd and \
others. The data folder is --data, or what the variable ANCHORMATCH_DATA names.";

const EXAMPLES: &str = "\
Examples:
  anchormatch-lab bench dd --data DIR
  anchormatch-lab bench dd --data DIR --solver faq --json";

/// A solver on graph matching problems with known values
#[derive(Debug, Args)]
#[command(long_about = LONG_ABOUT, after_help = EXAMPLES)]
pub(super) struct Options {
    #[command(flatten)]
    one: OneSolver,

    #[command(flatten)]
    pub(super) common: Common,
}

/// One problem.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct Row {
    name: &'static str,
    file: &'static str,
    nodes: usize,
    reference: f64,
    /// None when the solver does not take the problem.
    found: Option<f64>,
    /// Whether the value is at or below the reference, up to its last digit.
    reached: bool,
    matched: usize,
    status: Option<Status>,
    seconds: f64,
    failure: Option<String>,
}

impl Options {
    pub(super) fn run(&self) -> Outcome {
        let table_file = data::prepare_out(self.one.out.as_deref(), "dd.csv")?;
        let files = dd::load(&data::directory(self.one.data.data.as_deref())?)?;
        let solver = registry::by_name(&self.one.solver)?;
        let job = Job::start(&self.common.resources, None, self.common.json)?;
        let mut rows = Vec::with_capacity(files.len());
        for file in &files {
            let row = self.measure(file, solver.as_ref(), &job)?;
            if row.status == Some(Status::Cancelled) {
                break;
            }
            rows.push(row);
            job.keep();
            job.show(Progress {
                stage: "dd",
                done: rows.len(),
                total: Some(files.len()),
                value: None,
            });
        }
        job.finish();
        if rows.is_empty() {
            return Err(Error::Stopped("cancelled").into());
        }
        if let Some(file) = &table_file {
            write(file, &csv(&rows))?;
        }
        let complete = rows.len() == files.len();
        if self.common.json {
            let report = json!({
                "benchmark": "dd",
                "solver": self.one.solver,
                "time_limit": self.one.time_limit.as_secs_f64(),
                "threads": rayon::current_num_threads(),
                "seed": self.common.seed,
                "complete": complete,
                "problems": rows,
            });
            print(&format!("{report:#}\n"))?;
        } else {
            print(&text(&rows))?;
        }
        Ok(ended(complete, ": the last problems are missing"))
    }

    fn measure(&self, file: &DdFile, solver: &dyn Solver, job: &Job) -> Result<Row, Failure> {
        let reference = &file.reference;
        // The reference is that of the first problem.
        let problem = file.problems[0].listed.problem()?;
        let monitor = job.quiet_monitor().time_limit(self.one.time_limit);
        let watch = monitor.stopwatch();
        let solved = solver.solve(&problem, &Start::seeded(self.common.seed), &monitor);
        let seconds = watch.seconds();
        let mut row = Row {
            name: reference.name,
            file: reference.file,
            nodes: reference.nodes,
            reference: reference.value,
            found: None,
            reached: false,
            matched: 0,
            status: None,
            seconds,
            failure: None,
        };
        match solved {
            Err(error) => row.failure = Some(error.to_string()),
            Ok(solution) => {
                if !problem.is_feasible(&solution.assignment) {
                    let message = format!("{} returned no matching", self.one.solver);
                    return Err(Error::Numerics(message).into());
                }
                // From the problem itself, whatever the solver says.
                let value = problem.objective(&solution.assignment);
                row.found = Some(value);
                row.reached = value <= reference.value + ROUNDING;
                row.matched = solution.assignment.matched();
                row.status = Some(solution.status);
            }
        }
        Ok(row)
    }
}

fn text(rows: &[Row]) -> String {
    let header = [
        "problem",
        "nodes",
        "matched",
        "reference",
        "found",
        "difference",
        "seconds",
        "at or below",
    ];
    let mut table = Table::new(header).with_words([7]);
    for row in rows {
        let found = row.found.map_or_else(|| "–".to_owned(), figure);
        let difference = match row.found.map(|found| found - row.reference) {
            None => String::new(),
            Some(none) if none.abs() <= ROUNDING => "0".to_owned(),
            Some(some) => format!("{some:+.5}"),
        };
        let verdict = match (&row.failure, row.reached) {
            (Some(failure), _) => failure.clone(),
            (None, true) => "yes".to_owned(),
            (None, false) => "no".to_owned(),
        };
        table.row([
            row.name.to_owned(),
            row.nodes.to_string(),
            row.matched.to_string(),
            figure(row.reference),
            found,
            difference,
            format!("{:.2}", row.seconds),
            verdict,
        ]);
    }
    let reached = rows.iter().filter(|row| row.reached).count();
    format!(
        "{}\n{reached} of {} at or below the reference.\n",
        table.text(),
        rows.len()
    )
}

fn csv(rows: &[Row]) -> String {
    let mut text = "name,file,nodes,reference,found,reached,matched,status,seconds\n".to_owned();
    for row in rows {
        writeln!(
            text,
            "{},{},{},{},{},{},{},{},{}",
            row.name,
            row.file,
            row.nodes,
            row.reference,
            row.found
                .map_or_else(String::new, |found| found.to_string()),
            row.reached,
            row.matched,
            row.status.map_or("refused", Status::as_str),
            row.seconds,
        )
        .expect("writing into a string cannot fail");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(found: Option<f64>) -> Row {
        Row {
            name: "hotel",
            file: "hotel.txt",
            nodes: 10,
            reference: 15.29439,
            found,
            reached: found.is_some_and(|found| found <= 15.29439 + ROUNDING),
            matched: 10,
            status: found.map(|_| Status::TimeLimit),
            seconds: 1.0,
            failure: found.is_none().then(|| "not this one".to_owned()),
        }
    }

    #[test]
    fn values_stand_beside_their_references() {
        let rows = [row(Some(15.294_394)), row(Some(15.3)), row(None)];
        let text = text(&rows);
        let lines: Vec<&str> = text.lines().collect();
        assert!(
            lines[2].ends_with("yes") && lines[3].ends_with("no"),
            "{text}"
        );
        assert!(lines[4].ends_with("not this one"), "{text}");
        assert!(text.ends_with("1 of 3 at or below the reference.\n"));
        let csv = csv(&rows);
        assert!(
            csv.contains("15.29439,15.3,false,10,time_limit,1\n"),
            "{csv}"
        );
        assert!(csv.contains("15.29439,,false,10,refused,1\n"), "{csv}");
    }
}
