//! `anchormatch reproduce`: Section 5 of the paper, and which of its claims hold.

mod output;

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use anchormatch::Error;
use anchormatch::monitor::Progress;
use anchormatch_terminal::exit::{Failure, Outcome};
use anchormatch_terminal::hints::WORDS;
use anchormatch_terminal::job::Job;
use anchormatch_terminal::progress::TRIALS;
use anchormatch_terminal::resources::Resources;
use clap::Args;
use clap::builder::PossibleValue;

use crate::commands::{data, ended};
use crate::experiments::reproduce::{
    Book, Experiment, Journal, Protocol, Results, Scale, Setup, missing, run,
};

const LONG_ABOUT: &str = "\
Redo Section 5 of the paper and see which of its claims hold: random graphs under noise, outliers and \
edge density, the CMU Hotel sequence, the pose house, example matchings, what the paper leaves open, and \
all of that again under every reading that its text allows. \
Writes a page with every figure in its place and a table of all claims with intervals and verdicts.

Trials are kept as they come, in OUT/journal: a run that was stopped, or killed, goes on where it stopped, \
and its tables are those of an undisturbed run, byte for byte and on any number of threads. Only the \
times differ; they have tables of their own. More trials continue the same journal; other settings are \
refused unless --fresh discards it.

No data are part of this program. A data folder has cmu_hotel/points.csv with the columns frame,point,x,y \
(101 frames × 30 points), for pictures cmu_hotel/images/hotel.seqN.png, and, if you have it, the original \
pose_house/points.csv (70 × 51), in whose place our own model of a house is used. The folder is --data, or \
what the variable ANCHORMATCH_DATA names. What is missing is said, and the others run.";

const EXAMPLES: &str = "\
Examples:
  anchormatch reproduce all --quick --data DIR        a first impression, in minutes
  anchormatch reproduce all --data DIR --out results  everything; Ctrl-C, then the same line goes on
  anchormatch reproduce noise density --trials 30     two experiments, 30 trials at each point
  anchormatch reproduce readings --data DIR           the claims under every reading of the text
  anchormatch reproduce all --data DIR --docs docs    and docs/reproduction.md with its figures

Files in OUT: reproduction.html, claims.csv, claims-by-reading.csv; for each experiment NAME.csv (accuracy by point and method), \
NAME-trials.csv (every trial) and NAME-times.csv; figure-*.svg; journal/NAME.jsonl.";

/// Redo the paper's experiments and see which of its claims hold
#[derive(Debug, Args)]
#[command(long_about = LONG_ABOUT, after_help = EXAMPLES)]
pub struct Options {
    /// Which experiments, or all
    #[arg(value_name = "EXPERIMENT", required = true, value_parser = names())]
    experiments: Vec<String>,

    /// Few trials: minutes on two cores
    #[arg(long, conflicts_with = "trials")]
    quick: bool,

    /// Trials at each synthetic point, draws of each example, a third of the trials of each ablation; each
    /// view of a film is matched with N/2 others [default: 100, and all others; 10, and 6 with --quick]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    trials: Option<u32>,

    /// The data folder
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,

    /// Where journals, tables, figures and the page go
    #[arg(long, value_name = "DIR", default_value = "reproduction")]
    out: PathBuf,

    /// Go on with a run that was stopped, and refuse if there is none; without it a journal of the
    /// same settings is continued as well
    #[arg(long, conflicts_with = "fresh")]
    resume: bool,

    /// Discard the journals of these experiments and start over
    #[arg(long)]
    fresh: bool,

    /// Write reproduction.md and its figures into this folder as well, without photographs
    #[arg(long, value_name = "DIR")]
    docs: Option<PathBuf>,

    /// Seed of everything random
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,

    /// Write the claims as JSON
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    resources: Resources,
}

/// The names of the experiments, with what they are.
fn names() -> clap::builder::PossibleValuesParser {
    let all = PossibleValue::new("all").help("all of them");
    let readings = PossibleValue::new(Experiment::READINGS)
        .help("all that run under every reading of the text: the claims, reading by reading");
    let each = Experiment::ALL.map(|e| PossibleValue::new(e.as_str()).help(e.about()));
    [all, readings]
        .into_iter()
        .chain(each)
        .collect::<Vec<_>>()
        .into()
}

impl Options {
    /// Whether JSON was asked for.
    #[must_use]
    pub fn wants_json(&self) -> bool {
        self.json
    }

    /// Runs what is missing and writes what there is.
    ///
    /// # Errors
    /// When nothing can be run, a journal is another's, or a file cannot be written.
    pub fn run(&self) -> Outcome {
        let asked = self.asked();
        let folder = data::directory(self.data.as_deref()).ok();
        let setup = Setup::new(folder.as_deref(), self.scale(), self.seed, WORDS);
        let mut book = Book::new(setup.clone());
        let mut protocols = Vec::new();
        for &experiment in &asked {
            match setup.protocol(experiment) {
                Ok(protocol) => protocols.push((experiment, protocol)),
                Err(error) => book.enter(experiment, Err(reason(&error))),
            }
        }
        if protocols.is_empty() {
            let why = asked.iter().find_map(|&e| book.results(e).err());
            return Err(Failure::misuse(why.unwrap_or("nothing to run")));
        }
        let journals = self.journals(protocols)?;
        let job = Job::start(&self.resources, None, self.json)?;
        for experiment in Experiment::ALL.into_iter().filter(|e| !asked.contains(e)) {
            self.recall(experiment, &mut book);
        }
        let complete = run_all(journals, &mut book, &job)?;
        job.finish();
        output::Output {
            book: &book,
            asked: &asked,
            data: folder,
            out: &self.out,
            docs: self.docs.as_deref(),
            command: self.command(),
            json: self.json,
            complete,
        }
        .write()?;
        Ok(ended(
            complete,
            "; the same command goes on where it stopped",
        ))
    }

    fn asked(&self) -> Vec<Experiment> {
        let is_asked = |e: &Experiment| {
            let names = &self.experiments;
            let is_reading = matches!(e, Experiment::Readings(_));
            names.iter().any(|name| {
                name == "all" || name == e.as_str() || is_reading && name == Experiment::READINGS
            })
        };
        Experiment::ALL.into_iter().filter(is_asked).collect()
    }

    fn scale(&self) -> Scale {
        match (self.trials, self.quick) {
            (Some(trials), _) => Scale::of(trials as usize),
            (None, true) => Scale::quick(),
            (None, false) => Scale::full(),
        }
    }

    /// Opens the journals of all experiments before the first trial, so that a refusal costs nothing.
    fn journals(
        &self,
        protocols: Vec<(Experiment, Protocol)>,
    ) -> Result<Vec<(Experiment, Protocol, Journal)>, Failure> {
        let folder = self.out.join("journal");
        fs::create_dir_all(&folder).map_err(|source| Error::io(&folder, source))?;
        if self.resume && !protocols.iter().any(|(_, p)| Journal::exists(&folder, p)) {
            let found = format!("no journal in {}", folder.display());
            return Err(Failure::usage("--resume", found, "a run to go on with"));
        }
        let mut journals = Vec::new();
        for (experiment, protocol) in protocols {
            if self.fresh {
                Journal::discard(&folder, &protocol)?;
            }
            let journal = Journal::open(&folder, &protocol)?;
            journals.push((experiment, protocol, journal));
        }
        Ok(journals)
    }

    /// What an earlier run left of an experiment that was not asked for now.
    fn recall(&self, experiment: Experiment, book: &mut Book) {
        let Ok(protocol) = book.setup().protocol(experiment) else {
            return;
        };
        if let Some(trials) = Journal::peek(&self.out.join("journal"), &protocol) {
            book.enter(experiment, Ok(Results::new(protocol, &trials)));
        }
    }

    /// The command as anybody would type it: folders by what they are.
    fn command(&self) -> String {
        let mut command = format!("anchormatch reproduce {}", self.experiments.join(" "));
        if self.quick {
            command += " --quick";
        }
        if let Some(trials) = self.trials {
            command += &format!(" --trials {trials}");
        }
        if self.seed != 0 {
            command += &format!(" --seed {}", self.seed);
        }
        command + " --data DIR --out DIR"
    }
}

/// Runs what the journals lack; whether nothing is left.
fn run_all(
    journals: Vec<(Experiment, Protocol, Journal)>,
    book: &mut Book,
    job: &Job,
) -> Result<bool, Failure> {
    let left = |(_, protocol, journal): &(Experiment, Protocol, Journal)| {
        missing(protocol, journal.trials()).len()
    };
    let total: usize = journals.iter().map(left).sum();
    if journals
        .iter()
        .any(|(_, _, journal)| !journal.trials().is_empty())
    {
        // There is something to draw.
        job.keep();
    }
    let count = AtomicUsize::new(0);
    let monitor = job.quiet_monitor();
    let done = || {
        job.keep();
        job.show(Progress {
            stage: TRIALS,
            done: count.fetch_add(1, Ordering::Relaxed) + 1,
            total: Some(total),
            value: None,
        });
    };
    let threads = rayon::current_num_threads();
    let mut complete = true;
    for (experiment, protocol, journal) in journals {
        let earlier = match experiment {
            Experiment::Readings(part) => book.results(part.experiment()).ok(),
            _ => None,
        };
        let trials = run(&protocol, &journal, earlier, threads, &monitor, &done)?;
        let results = Results::new(protocol, &trials);
        complete &= results.complete;
        book.enter(experiment, Ok(results));
    }
    Ok(complete)
}

/// Why an experiment has no protocol, without the library's word for the kind of error.
fn reason(error: &Error) -> String {
    match error {
        Error::Graph(reason) => reason.clone(),
        error => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        options: Options,
    }

    fn options(line: &str) -> Options {
        let words = std::iter::once("reproduce").chain(line.split(' '));
        Line::try_parse_from(words).unwrap().options
    }

    #[test]
    fn experiments_come_once_and_in_the_papers_order() {
        assert_eq!(options("all hotel").asked(), Experiment::ALL);
        assert_eq!(
            options("hotel noise noise").asked(),
            [Experiment::Noise, Experiment::Hotel]
        );
    }

    #[test]
    fn the_command_names_no_folder_of_this_machine() {
        let command =
            options("noise hotel --trials 3 --data /home/me --out /tmp/x --seed 4").command();
        let want = "anchormatch reproduce noise hotel --trials 3 --seed 4 --data DIR --out DIR";
        assert_eq!(command, want);
    }
}
