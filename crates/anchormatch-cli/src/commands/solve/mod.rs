//! `anchormatch solve`: quadratic programs in, assignments out.

mod result;
mod start;

use std::path::{Path, PathBuf};
use std::time::Duration;

use anchormatch::solver::{Solver, Start, registry};
use anchormatch::{Error, Monitor};
use anchormatch_io::{LoadedProblem, ProblemFormat, ProblemOptions, read_problem_with};
use clap::{Args, ValueEnum};
use serde_json::Value;

use crate::args::{Output, Resources};
use crate::exit::{Done, Failure, Outcome, say};
use crate::files::{check_distinct, check_writable, has_extension, is_standard, name, write};
use crate::job::Job;
use crate::values;
use result::Solved;
use start::Starts;

const LONG_ABOUT: &str = "\
Solve quadratic assignment problems: find the one-to-one assignment with the best sum of the values of \
single assignments and of pairs of them.

A .dd file may hold several problems; all of them are solved, one after the other. Rows and columns are \
counted from 0, in QAPLIB problems too: row i of A goes to column assignment[i] of B.";

const EXAMPLES: &str = "\
Examples:
  The best assignment that ten seconds can find:
    anchormatch solve nug30.dat --time-limit 10

  One relaxation, for a script:
    anchormatch solve problem.dd --solver faq --json | jq .objective

  A relaxation with parameters of its own (`anchormatch solvers faq` lists them):
    anchormatch solve problem.dd --solver faq --set restarts=20 --set tolerance=1e-3

  Go on from an earlier result:
    anchormatch solve tai60a.dat --time-limit 60 --output first.json
    anchormatch solve tai60a.dat --time-limit 60 --seed 1 --start first.json

  The third problem of a file with several:
    anchormatch solve pairs.dd --problem 2

The solver `portfolio` searches until the time limit, if there is one; like every run that a limit
stops, this one exits with 3 and writes the best so far.";

/// Solve quadratic assignment problems
#[derive(Debug, Args)]
#[command(long_about = LONG_ABOUT, after_help = EXAMPLES)]
pub(crate) struct Options {
    /// The problem: .dd, .txt, QAPLIB's .dat or a saved .json; `-` is standard input
    #[arg(value_name = "PROBLEM")]
    file: PathBuf,

    /// The algorithm; `anchormatch solvers` has more about each
    #[arg(long, value_name = "NAME", default_value = "portfolio", value_parser = values::solver())]
    solver: String,

    /// Set a parameter of the solver, as often as needed; `anchormatch solvers NAME` lists them. The value
    /// is a number, true, false, null, a word or a list such as [0.5,2]
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = values::setting)]
    settings: Vec<(String, Value)>,

    /// Stop the solver after so many seconds a problem (0.5 is half a second), write the best so far
    /// and exit with 3
    #[arg(long, value_name = "S", value_parser = values::seconds)]
    time_limit: Option<Duration>,

    /// Seed of everything random
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,

    /// The format of the problem [default: by the extension, or else by the first word]
    #[arg(long, value_name = "FORMAT")]
    format: Option<FormatName>,

    /// Solve only this problem of a file with several, counted from 0
    #[arg(long, value_name = "I")]
    problem: Option<usize>,

    /// An assignment to start from, for solvers that can: what --json wrote, a list such as [2,0,null],
    /// or QAPLIB's .sln
    #[arg(long, value_name = "FILE")]
    start: Option<PathBuf>,

    #[command(flatten)]
    output: Output,

    /// Write JSON: objective, assignment (null where alone), solver, status, …; a list of such objects
    /// for a file with several problems (also when the output's name ends in .json)
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    resources: Resources,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FormatName {
    /// Listed assignments and pairs
    Dd,
    /// n, A, B
    Qaplib,
    /// A saved problem
    Json,
}

impl FormatName {
    fn format(self) -> ProblemFormat {
        match self {
            Self::Dd => ProblemFormat::Dd,
            Self::Qaplib => ProblemFormat::Qaplib,
            Self::Json => ProblemFormat::Json,
        }
    }
}

impl Options {
    /// Solves and writes.
    pub(crate) fn run(&self) -> Outcome {
        self.check_files()?;
        let settings = self.settings.iter().cloned().collect();
        let solver = registry::configured(&self.solver, &settings)?;
        let job = Job::start(&self.resources, None, self.json)?;
        let problems = self.read(job.max_memory())?;
        let chosen = self.chosen(&problems)?;
        let starts = match &self.start {
            Some(path) => Starts::read(path)?.of(path, &chosen)?,
            None => vec![None; chosen.len()],
        };
        // From its first moment on a solver has something to return.
        job.keep();
        let mut solved = Vec::with_capacity(chosen.len());
        for (&(index, loaded), start) in chosen.iter().zip(&starts) {
            let monitor = self.monitor(job.monitor(), &problems);
            if monitor.cancel_token().is_cancelled() {
                break;
            }
            let start = Start {
                assignment: start.as_ref(),
                ..Start::seeded(self.seed)
            };
            solved.push(self.solve(index, loaded, solver.as_ref(), &start, &monitor)?);
        }
        job.finish();
        if solved.is_empty() {
            return Err(Error::Stopped("cancelled").into());
        }
        self.write(&solved, self.problem.is_none() && problems.len() > 1)?;
        self.say_notes(&chosen, &solved);
        let cut = solved.len() < chosen.len() || solved.iter().any(Solved::was_interrupted);
        Ok(if cut { Done::Cut } else { Done::Complete })
    }

    /// What can be found wrong before anything is read.
    fn check_files(&self) -> Result<(), Failure> {
        let mut inputs: Vec<(_, &Path)> = vec![("PROBLEM", &self.file)];
        inputs.extend(self.start.as_deref().map(|path| ("--start", path)));
        if inputs.iter().filter(|(_, path)| is_standard(path)).count() > 1 {
            return Err(Failure::usage(
                "--start",
                "`-`, which PROBLEM reads as well",
                "a file: standard input can be read once",
            ));
        }
        check_distinct(&inputs, &[("--output", &self.output.output)])?;
        check_writable(&self.output.output)
    }

    fn read(&self, max_memory: Option<u64>) -> Result<Vec<LoadedProblem>, Failure> {
        let options = ProblemOptions {
            format: self.format.map(FormatName::format),
            max_memory,
        };
        Ok(read_problem_with(&self.file, &options)?)
    }

    /// The problems to solve, with their places in the file.
    fn chosen<'a>(
        &self,
        problems: &'a [LoadedProblem],
    ) -> Result<Vec<(usize, &'a LoadedProblem)>, Failure> {
        let Some(index) = self.problem else {
            return Ok(problems.iter().enumerate().collect());
        };
        match problems.get(index) {
            Some(problem) => Ok(vec![(index, problem)]),
            None => {
                let file = name(&self.file);
                let expected = match problems.len() {
                    1 => format!("0, the one problem of {file}"),
                    count => format!(
                        "a number from 0 to {}: {file} has {count} problems",
                        count - 1
                    ),
                };
                Err(Failure::usage("--problem", index, expected))
            }
        }
    }

    /// The monitor of one problem while all of them are held.
    fn monitor(&self, monitor: &Monitor, problems: &[LoadedProblem]) -> Monitor {
        let bytes = |loaded: &LoadedProblem| loaded.problem.memory();
        let monitor = monitor.holding(problems.iter().map(bytes).sum());
        match self.time_limit {
            Some(limit) => monitor.time_limit(limit),
            None => monitor,
        }
    }

    fn solve(
        &self,
        index: usize,
        loaded: &LoadedProblem,
        solver: &dyn Solver,
        start: &Start<'_>,
        monitor: &Monitor,
    ) -> Result<Solved, Failure> {
        let watch = monitor.stopwatch();
        let solution = solver.solve(&loaded.problem, start, monitor)?;
        let (rows, cols) = loaded.problem.shape();
        Ok(Solved {
            objective: solution.objective,
            bound: solver.bound(&solution),
            assignment: solution.assignment,
            solver: solver.info().name,
            status: solution.status,
            iterations: solution.iterations,
            seconds: watch.seconds(),
            sense: loaded.problem.sense(),
            problem: loaded.name.clone(),
            index,
            graphs: loaded.graphs,
            rows,
            cols,
            seed: self.seed,
        })
    }

    fn write(&self, solved: &[Solved], several: bool) -> Result<(), Failure> {
        let path = &self.output.output;
        let as_json = self.json || has_extension(path, "json");
        let text = match (as_json, several, solved) {
            (true, false, [one]) => one.json() + "\n",
            (true, ..) => result::json_list(solved),
            (false, false, [one]) => one.text(),
            (false, ..) => result::table(solved),
        };
        write(path, &text)
    }

    /// What a person should know, on standard error.
    fn say_notes(&self, chosen: &[(usize, &LoadedProblem)], solved: &[Solved]) {
        let file = name(&self.file);
        let mut told: Vec<&String> = Vec::new();
        for note in chosen.iter().flat_map(|(_, loaded)| &loaded.notes) {
            // Problems of one file tend to have the same things set aside.
            if !told.contains(&note) {
                told.push(note);
                say(format_args!("note: {file}: {note}"));
            }
        }
        let cut = solved.iter().filter(|one| one.was_interrupted()).count();
        match (solved, cut) {
            (_, 0) => {}
            ([one], _) => say(format_args!("note: {}", one.stop())),
            (all, cut) => say(format_args!(
                "note: {cut} of {} problems were stopped: these are the best so far",
                all.len()
            )),
        }
        let missing = chosen.len() - solved.len();
        if missing > 0 {
            let of = chosen.len();
            say(format_args!(
                "note: stopped on request before {missing} of {of} problems"
            ));
        }
    }
}
