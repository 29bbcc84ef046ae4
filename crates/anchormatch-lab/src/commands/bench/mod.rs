//! `anchormatch-lab bench`: solvers against each other and against what is known.

mod dd;
mod large;
mod learning;
mod networks;
mod points;
mod qaplib;
mod reading;
mod solvers;
mod suggest;

use std::path::PathBuf;
use std::time::Duration;

use anchormatch_terminal::exit::{Failure, Outcome};
use anchormatch_terminal::job::Job;
use anchormatch_terminal::resources::Resources;
use anchormatch_terminal::values;
use clap::{Args, Subcommand};

const LONG_ABOUT: &str = "\
Measure solvers: against each other on synthetic graphs, against the best values known of QAPLIB and \
of graph matching problems, on pairs of real networks, on large sparse graphs and on keypoints. A run that is stopped tells what it has \
found by then.";

const EXAMPLES: &str = "\
Examples:
  anchormatch-lab bench solvers --quick
  anchormatch-lab bench qaplib --data DIR --largest 30
  anchormatch-lab bench dd --data DIR
  anchormatch-lab bench networks --data DIR --pairs yeast-05,enron --anchors 5
  anchormatch-lab bench large
  anchormatch-lab bench reading
  anchormatch-lab bench points --trials 200";

/// Measure solvers
#[derive(Debug, Args)]
#[command(long_about = LONG_ABOUT, after_help = EXAMPLES)]
pub struct Options {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    Solvers(solvers::Options),
    Qaplib(qaplib::Options),
    Dd(dd::Options),
    Networks(networks::Options),
    Large(large::Options),
    Reading(reading::Options),
    Points(points::Options),
    Suggest(suggest::Options),
    Learning(learning::Options),
}

impl Options {
    /// Whether JSON was asked for.
    pub fn wants_json(&self) -> bool {
        match &self.what {
            What::Solvers(options) => options.common.json,
            What::Qaplib(options) => options.common.json,
            What::Dd(options) => options.common.json,
            What::Networks(options) => options.common.json,
            What::Large(options) => options.common.json,
            What::Reading(options) => options.common.json,
            What::Points(options) => options.common.json,
            What::Suggest(options) => options.common.json,
            What::Learning(options) => options.common.json,
        }
    }

    /// Measures.
    pub fn run(&self) -> Outcome {
        match &self.what {
            What::Solvers(options) => options.run(),
            What::Qaplib(options) => options.run(),
            What::Dd(options) => options.run(),
            What::Networks(options) => options.run(),
            What::Large(options) => options.run(),
            What::Reading(options) => options.run(),
            What::Points(options) => options.run(),
            What::Suggest(options) => options.run(),
            What::Learning(options) => options.run(),
        }
    }
}

/// Where the data is.
#[derive(Debug, Args)]
struct Data {
    /// The data folder
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
}

/// A solver on a collection of problems.
#[derive(Debug, Args)]
struct OneSolver {
    #[command(flatten)]
    data: Data,

    /// The solver
    #[arg(long, value_name = "NAME", default_value = "portfolio", value_parser = values::solver())]
    solver: String,

    /// Seconds for each problem
    #[arg(long, value_name = "S", default_value = "1", value_parser = values::seconds)]
    time_limit: Duration,

    /// Write the table as CSV into this folder, which is made where it does not exist
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// What all benchmarks are told.
#[derive(Debug, Args)]
struct Common {
    /// Seed of everything random
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,

    /// Write JSON
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    resources: Resources,
}

impl Common {
    /// A line as soon as it is known; JSON comes at the end, whole.
    fn print_row(&self, job: &Job, line: &str) -> Result<(), Failure> {
        if self.json {
            return Ok(());
        }
        job.print(line)
    }
}

/// A value that may have fractions, without noise in the last digits.
fn figure(value: f64) -> String {
    if value.fract() == 0.0 {
        value.to_string()
    } else {
        format!("{value:.5}")
    }
}
