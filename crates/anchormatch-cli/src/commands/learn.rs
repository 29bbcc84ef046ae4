//! `anchormatch learn`: weights from matched pairs of graphs, for `anchormatch match --weights`.

use std::fs;
use std::path::{Path, PathBuf};

use anchormatch::Error;
use anchormatch::matcher::{ExampleLearner, LearningMethod, TrainingPair};
use anchormatch_io::LoadedGraph;
use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};

use crate::args::{Reading, Resources};
use crate::exit::{Done, Failure, Outcome, say};
use crate::files::{check_writable, write};
use crate::headers::TableKind;
use crate::job::Job;
use crate::values;

/// The columns of a table of examples.
const HEADER: &str = "source,target,truth";

const LONG_ABOUT: &str = "\
Learn how much likenesses of nodes and edges count from pairs of graphs whose matching is known, for \
`anchormatch match --weights`.

PAIRS are tables with the header source,target,truth and a row of three files for each example: two graphs, and \
pairs of their ids that belong together. The files are looked for beside the table.";

const EXAMPLES: &str = "\
Examples:
  anchormatch learn examples.csv --method caetano-quadratic --output weights.json
  anchormatch match a.csv b.csv --weights weights.json

  A table of examples:
    source,target,truth
    monday.csv,tuesday.csv,monday-tuesday.csv
    tuesday.csv,friday.csv,tuesday-friday.csv";

/// Learn weights from matched pairs of graphs
#[derive(Debug, Args)]
#[command(long_about = LONG_ABOUT, after_help = EXAMPLES)]
pub(crate) struct Options {
    /// Tables of examples
    #[arg(value_name = "PAIRS", required = true)]
    pairs: Vec<PathBuf>,

    /// How to learn
    #[arg(long, value_name = "NAME")]
    method: Method,

    /// Where the weights go, as JSON
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,

    /// Passes over the examples [default: 40]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    passes: Option<u32>,

    /// The price of large weights in the methods with a margin [default: 0.01]
    #[arg(long, value_name = "L", value_parser = values::positive)]
    regularisation: Option<f64>,

    #[command(flatten)]
    reading: Reading,

    #[command(flatten)]
    resources: Resources,
}

/// The library's methods, as an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Method(LearningMethod);

impl ValueEnum for Method {
    fn value_variants<'a>() -> &'a [Self] {
        const METHODS: [Method; LearningMethod::ALL.len()] = {
            let mut methods = [Method(LearningMethod::CaetanoLinear); LearningMethod::ALL.len()];
            let mut k = 0;
            while k < methods.len() {
                methods[k] = Method(LearningMethod::ALL[k]);
                k += 1;
            }
            methods
        };
        &METHODS
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.0.as_str()).help(self.0.about()))
    }
}

/// An example as it was read.
struct Example {
    source: LoadedGraph,
    target: LoadedGraph,
    truth: Vec<(usize, usize)>,
}

impl Options {
    /// Reads, learns and writes.
    pub(crate) fn run(&self) -> Outcome {
        check_writable(&self.output)?;
        let job = Job::start(&self.resources, None, false)?;
        let mut examples = Vec::new();
        for table in &self.pairs {
            for files in rows(table)? {
                examples.push(self.example(&files, job.max_memory())?);
            }
        }
        let mut learner = ExampleLearner::new(self.method.0);
        if let Some(passes) = self.passes {
            learner.passes = passes as usize;
        }
        if let Some(price) = self.regularisation {
            learner.regularisation = price;
        }
        let training: Vec<TrainingPair<'_>> = examples
            .iter()
            .map(|example| TrainingPair {
                source: &example.source.graph,
                target: &example.target.graph,
                truth: &example.truth,
            })
            .collect();
        let weights = learner.learn(&training, job.monitor())?;
        job.finish();
        let text = serde_json::to_string_pretty(&weights)
            .map_err(|error| Failure::Library(Error::Numerics(error.to_string())))?;
        write(&self.output, &(text + "\n"))?;
        say(format_args!(
            "learned from {} pairs of graphs",
            training.len()
        ));
        Ok(Done::Complete)
    }

    fn example(
        &self,
        [source, target, truth]: &[PathBuf; 3],
        max_memory: Option<u64>,
    ) -> Result<Example, Failure> {
        let source = self.reading.graph(source, max_memory)?;
        let target = self.reading.graph(target, max_memory)?;
        let truth = self.reading.pairs(truth, TableKind::Truth)?;
        let truth = truth.indices(&source.graph, &target.graph)?;
        Ok(Example {
            source,
            target,
            truth,
        })
    }
}

/// The files of each row, beside their table.
fn rows(table: &Path) -> Result<Vec<[PathBuf; 3]>, Failure> {
    let text = fs::read_to_string(table).map_err(|source| Error::io(table, source))?;
    let folder = table.parent().unwrap_or(Path::new(""));
    let mut lines = text.lines().enumerate();
    let header = lines
        .next()
        .map(|(_, line)| line.trim())
        .unwrap_or_default();
    let wrong = |line: usize, found: &str, expected: &str| {
        let place = format!("{}, line {}", table.display(), line + 1);
        Failure::misuse(format!("{place}: found `{found}`, expected {expected}"))
    };
    if header != HEADER {
        return Err(wrong(0, header, &format!("the header `{HEADER}`")));
    }
    let mut rows = Vec::new();
    for (number, line) in lines.filter(|(_, line)| !line.trim().is_empty()) {
        let fields: Vec<&str> = line.split(',').map(str::trim).collect();
        let [source, target, truth] = fields[..] else {
            return Err(wrong(number, line, "three files"));
        };
        rows.push([source, target, truth].map(|file| folder.join(file)));
    }
    Ok(rows)
}
