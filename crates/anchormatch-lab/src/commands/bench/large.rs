//! `anchormatch-lab bench large`: noisy copies of sparse graphs from thousands to millions of nodes.

use anchormatch::matcher::{Best, Matcher, RegimeChoice};
use anchormatch_generate::Family;
use anchormatch_terminal::exit::Outcome;
use anchormatch_terminal::files::print;
use anchormatch_terminal::job::Job;
use clap::Args;
use serde_json::{Value, json};

use super::Common;
use crate::commands::ended;
use crate::experiments::large::{LargeRow, LargeTask, ROWS, exponent};
use crate::matchers::{LabelPropagation, Percolation};

const LONG_ABOUT: &str = "\
Match noisy copies of sparse random graphs, from thousands of nodes to millions, and tell recall, \
precision, calibration, seconds and memory of `best` and `fast`, which may leave nodes alone, beside \
percolation with noisy seeds and label propagation, two simple baselines. At the end, how time and memory grow \
with the nodes.

Each copy keeps a share of the parent's edges; anchors are random. Recall is over the nodes that kept an \
edge in both copies.";

const EXAMPLES: &str = "\
Examples:
  anchormatch-lab bench large                           up to 100 000 nodes
  anchormatch-lab bench large --largest 1000000         a million: minutes, and gigabytes for percolation
  anchormatch-lab bench large --largest 20000 --dense 5000 --seed 7";

/// Large sparse graphs, beside percolation and label propagation
#[derive(Debug, Args)]
#[command(long_about = LONG_ABOUT, after_help = EXAMPLES)]
pub(super) struct Options {
    /// Rows of at most so many nodes
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    largest: usize,

    /// Rows of at least so many nodes
    #[arg(long, value_name = "N", default_value_t = 0)]
    smallest: usize,

    /// Run the dense regime as well, for rows of at most so many nodes
    #[arg(long, value_name = "N", default_value_t = 0)]
    dense: usize,

    /// Leave percolation out beyond so many nodes
    #[arg(long, value_name = "N", default_value_t = 300_000)]
    percolation: usize,

    /// Leave label propagation out beyond so many nodes: it compares all pairs
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    label_propagation: usize,

    #[command(flatten)]
    pub(super) common: Common,
}

impl Options {
    pub(super) fn run(&self) -> Outcome {
        let job = Job::start(&self.common.resources, None, self.common.json)?;
        job.keep();
        let mut rows = Vec::new();
        let wanted = |task: &&LargeTask| (self.smallest..=self.largest).contains(&task.nodes);
        let mut complete = true;
        self.common.print_row(&job, &header())?;
        for task in ROWS.iter().filter(wanted) {
            let trial = task.trial(self.common.seed)?;
            for (name, matcher) in self.matchers(task.nodes) {
                let row = task.measure(&trial, name, matcher.as_ref(), job.monitor())?;
                if job.monitor().interrupted().is_some() {
                    complete = false;
                    break;
                }
                self.common.print_row(&job, &line(&row))?;
                rows.push(row);
            }
            if !complete {
                break;
            }
        }
        job.finish();
        let growth = growth(&rows);
        if self.common.json {
            print(&format!("{:#}\n", self.report(&rows, &growth, complete)))?;
        } else {
            for (method, seconds, memory) in &growth {
                let memory = memory.map_or_else(|| "–".to_owned(), |slope| format!("{slope:.2}"));
                job.print(&format!(
                    "{method}: on uniform graphs of degree 10 with 95 % kept, seconds grow as nodes^{seconds:.2}, \
                     memory as nodes^{memory}\n"
                ))?;
            }
        }
        Ok(ended(complete, ": the last rows are missing"))
    }

    /// What is run on so many nodes, by name.
    fn matchers(&self, nodes: usize) -> Vec<(&'static str, Box<dyn Matcher>)> {
        let seed = self.common.seed;
        let best = Best::default().with_unmatched(true).with_seed(seed);
        let fast = Best::fast().with_unmatched(true).with_seed(seed);
        let mut matchers: Vec<(&str, Box<dyn Matcher>)> =
            vec![("best", Box::new(best.clone())), ("fast", Box::new(fast))];
        if nodes <= self.percolation {
            matchers.push(("percolation", Box::new(Percolation)));
        }
        if nodes <= self.label_propagation {
            matchers.push(("label propagation", Box::new(LabelPropagation)));
        }
        if nodes <= self.dense {
            let dense = best.with_regime(RegimeChoice::Dense);
            matchers.push(("best, dense", Box::new(dense)));
        }
        matchers
    }

    fn report(&self, rows: &[LargeRow], growth: &[Growth], complete: bool) -> Value {
        let rows: Vec<Value> = rows
            .iter()
            .map(|row| {
                json!({
                    "family": row.task.family.name(),
                    "nodes": row.task.nodes,
                    "anchors": row.task.anchors,
                    "kept": row.task.kept,
                    "degree": row.task.degree,
                    "method": row.method,
                    "recall": row.recall,
                    "precision": row.precision,
                    "calibration_error": row.calibration,
                    "seconds": row.seconds,
                    "memory": row.memory,
                })
            })
            .collect();
        let growth: Vec<Value> = growth
            .iter()
            .map(|(method, seconds, memory)| {
                json!({"method": method, "seconds": seconds, "memory": memory})
            })
            .collect();
        json!({
            "benchmark": "large",
            "threads": rayon::current_num_threads(),
            "seed": self.common.seed,
            "complete": complete,
            "rows": rows,
            "growth": growth,
        })
    }
}

/// A method, and the exponents of its seconds and of its memory.
type Growth = (String, f64, Option<f64>);

/// How every method grows over the rows that differ in size alone.
fn growth(rows: &[LargeRow]) -> Vec<Growth> {
    let alike = |row: &&LargeRow| {
        let task = row.task;
        task.family == Family::Uniform && task.kept == 0.95 && task.degree == 10.0
    };
    let rows: Vec<&LargeRow> = rows.iter().filter(alike).collect();
    let mut methods: Vec<&str> = rows.iter().map(|row| row.method.as_str()).collect();
    methods.sort_unstable();
    methods.dedup();
    let slope = |method: &str, value: &dyn Fn(&LargeRow) -> Option<f64>| {
        let own = rows.iter().filter(|row| row.method == method);
        let points = own.filter_map(|row| value(row).map(|y| (row.task.nodes as f64, y.max(1e-3))));
        exponent(&points.collect::<Vec<_>>())
    };
    methods
        .into_iter()
        .filter_map(|method| {
            let seconds = slope(method, &|row| Some(row.seconds))?;
            let memory = slope(method, &|row| row.memory.map(|bytes| bytes as f64));
            Some((method.to_owned(), seconds, memory))
        })
        .collect()
}

fn columns(cells: [&str; 10]) -> String {
    let [
        family,
        nodes,
        anchors,
        kept,
        degree,
        method,
        recall,
        precision,
        calibration,
        cost,
    ] = cells;
    format!(
        "{family:<13}{nodes:>9}{anchors:>8}{kept:>6}{degree:>7}  {method:<17}{recall:>8}{precision:>10}{calibration:>7}  {cost}\n"
    )
}

fn header() -> String {
    let titles = columns([
        "family",
        "nodes",
        "anchors",
        "kept",
        "degree",
        "method",
        "recall",
        "precision",
        "ECE",
        "seconds, memory",
    ]);
    let rule = "─".repeat(titles.trim_end().chars().count());
    format!("{titles}{rule}\n")
}

fn line(row: &LargeRow) -> String {
    let task = row.task;
    let memory = row.memory.map_or_else(String::new, |bytes| {
        format!(", {} MB", bytes.div_ceil(1 << 20))
    });
    columns([
        task.family.name(),
        &task.nodes.to_string(),
        &task.anchors.to_string(),
        &task.kept.to_string(),
        &task.degree.to_string(),
        &row.method,
        &format!("{:.4}", row.recall),
        &format!("{:.4}", row.precision),
        &row.calibration
            .map_or_else(|| "–".to_owned(), |error| format!("{error:.3}")),
        &format!("{:.2} s{memory}", row.seconds),
    ])
}
