//! `anchormatch-lab bench networks`: methods on pairs of real networks.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anchormatch::Error;
use anchormatch::matcher::Matcher;
use anchormatch_io::{write_graph, write_pairs, write_whole};
use anchormatch_report::Summary;
use anchormatch_terminal::exit::{Done, Failure, Outcome};
use anchormatch_terminal::files::{check_writable, print, write};
use anchormatch_terminal::job::Job;
use anchormatch_terminal::values;
use clap::Args;
use clap::builder::PossibleValuesParser;
use serde_json::{Value, json};

use super::{Common, Data};
use crate::commands::figures::cells;
use crate::commands::{data, ended};
use crate::datasets::networks::{Network, NetworkPair};
use crate::experiments::networks::{NetworkResult, NetworkRow, NetworkSweep};
use crate::matchers::{by_name, names, seeded};

const LONG_ABOUT: &str = "\
Match pairs of real networks (proteins of yeast, voles, e-mail, neurons of a worm) from a share of \
their nodes as anchors, and tell the accuracy on the other nodes, the share of the source's edges that \
the matching conserves beside what the truth conserves, and the seconds.

One network is shuffled and the anchors are random, anew for each draw; nodes that are isolated in \
either network are left out. An edge is conserved when its ends are mapped to the ends of an edge; for \
weighted pairs the column `weight` has the sum of the smaller weights over the sum of the source's. \
Runs go one after the other, so that each has the whole machine. A solver maximises the sum of \
products of weights, with the anchors as seeds.

The data is not part of this program. The data folder is --data, or what the variable \
ANCHORMATCH_DATA names.";

const EXAMPLES: &str = "\
Examples:
  anchormatch-lab bench networks --data DIR --anchors 1
  anchormatch-lab bench networks --data DIR --pairs yeast-05,enron --methods goat --draws 10
  anchormatch-lab bench networks --data DIR --pairs voles-80 --dump voles     the pairs as files";

/// Methods on pairs of real networks
#[derive(Debug, Args)]
#[command(long_about = LONG_ABOUT, after_help = EXAMPLES)]
pub(super) struct Options {
    #[command(flatten)]
    data: Data,

    /// The pairs [default: all]
    #[arg(
        long,
        value_name = "NAME,…",
        value_delimiter = ',',
        value_parser = PossibleValuesParser::new(Network::ALL.map(|network| network.name()))
    )]
    pairs: Vec<String>,

    /// Anchors in percent of the nodes; at least two nodes are
    #[arg(
        long,
        value_name = "P,…",
        value_delimiter = ',',
        default_value = "1,2,5",
        value_parser = percent
    )]
    anchors: Vec<f64>,

    /// Orders and anchors for each pair and share
    #[arg(long, value_name = "N", default_value = "2", value_parser = draws)]
    draws: usize,

    /// Presets and solvers
    #[arg(
        long,
        value_name = "NAME,…",
        value_delimiter = ',',
        default_value = "faq,goat",
        value_parser = PossibleValuesParser::new(names())
    )]
    methods: Vec<String>,

    /// Seconds for each run [default: as long as it takes]
    #[arg(long, value_name = "S", value_parser = values::seconds)]
    time_limit: Option<Duration>,

    /// Write the table as CSV to this file
    #[arg(long, value_name = "FILE.csv")]
    out: Option<PathBuf>,

    /// Run nothing: write DIR/PAIR/PERCENT/DRAW/{source,target,anchors,truth}.csv
    #[arg(long, value_name = "DIR", conflicts_with_all = ["out", "json"])]
    dump: Option<PathBuf>,

    #[command(flatten)]
    pub(super) common: Common,
}

impl Options {
    pub(super) fn run(&self) -> Outcome {
        if let Some(file) = &self.out {
            check_writable(file)?;
        }
        let pairs = self.load()?;
        let sweep = NetworkSweep {
            percents: self.anchors.clone(),
            draws: self.draws,
            time_limit: self.time_limit,
            seed: self.common.seed,
        };
        if let Some(folder) = &self.dump {
            return dump(&sweep, &pairs, folder);
        }
        let methods: Vec<Box<dyn Matcher>> = self
            .methods
            .iter()
            .map(|name| seeded(&*by_name(name)?, self.common.seed))
            .collect::<Result<_, Error>>()?;
        let job = Job::start(&self.common.resources, None, self.common.json)?;
        // Every row is a result.
        job.keep();
        let mut printed = self.common.print_row(&job, &header());
        let monitor = job.monitor();
        let result = sweep.run(&pairs, &methods, monitor, |row| {
            if printed.is_ok() {
                printed = self.common.print_row(&job, &line(row));
            }
            if printed.is_err() {
                // Nobody reads on.
                monitor.cancel_token().cancel();
            }
        })?;
        job.finish();
        printed?;
        if let Some(file) = &self.out {
            write(file, &csv(&result))?;
        }
        if self.common.json {
            print(&format!("{:#}\n", self.report(&result)))?;
        }
        Ok(ended(result.complete, ": the last rows are missing"))
    }

    fn load(&self) -> Result<Vec<NetworkPair>, Failure> {
        let directory = data::directory(self.data.data.as_deref())?;
        let chosen = |network: &&Network| {
            self.pairs.is_empty() || self.pairs.iter().any(|name| name == network.name())
        };
        let mut pairs = Vec::new();
        for network in Network::ALL.iter().filter(chosen) {
            pairs.push(network.load(&directory)?);
        }
        Ok(pairs)
    }

    fn report(&self, result: &NetworkResult) -> Value {
        let summary = |values: &Summary| {
            (values.count > 0)
                .then(|| json!({"mean": values.mean, "standard_error": values.standard_error}))
        };
        let rows: Vec<Value> = result
            .rows
            .iter()
            .map(|row| {
                json!({
                    "pair": row.pair,
                    "weighted": row.weighted,
                    "nodes": row.nodes,
                    "source_edges": row.source_edges,
                    "target_edges": row.target_edges,
                    "percent": row.percent,
                    "anchors": row.anchors,
                    "method": row.method,
                    "accuracy": summary(&row.accuracy),
                    "conserved_edges": summary(&row.conserved_edges),
                    "conserved_weight": summary(&row.conserved_weight),
                    "truth_conserved_edges": row.truth.edges,
                    "truth_conserved_weight": row.truth.weight,
                    "seconds": summary(&row.seconds),
                    "cut": row.cut,
                    "failure": row.failure,
                })
            })
            .collect();
        json!({
            "benchmark": "networks",
            "draws": self.draws,
            "time_limit": self.time_limit.map(|limit| limit.as_secs_f64()),
            "threads": rayon::current_num_threads(),
            "seed": self.common.seed,
            "complete": result.complete,
            "rows": rows,
        })
    }
}

/// Writes every draw as files that `anchormatch match` and other programs read.
fn dump(sweep: &NetworkSweep, pairs: &[NetworkPair], folder: &Path) -> Outcome {
    for pair in pairs {
        for &percent in &sweep.percents {
            for draw in 0..sweep.draws {
                let trial = sweep.trial(pair, percent, draw)?;
                let place = folder.join(pair.name);
                let place = place.join(percent.to_string()).join(draw.to_string());
                std::fs::create_dir_all(&place).map_err(|error| Error::io(&place, error))?;
                let (source, target) = (&trial.instance.source, &trial.instance.target);
                write_graph(&place.join("source.csv"), source, None, None)?;
                write_graph(&place.join("target.csv"), target, None, None)?;
                let tables = [
                    ("anchors.csv", &trial.anchors),
                    ("truth.csv", &trial.instance.truth),
                ];
                for (name, nodes) in tables {
                    write_whole(&place.join(name), |out| {
                        write_pairs(out, source.labels(), target.labels(), nodes)
                    })?;
                }
            }
        }
    }
    Ok(Done::Complete)
}

fn percent(text: &str) -> Result<f64, String> {
    match values::positive(text) {
        Ok(value) if value < 100.0 => Ok(value),
        _ => Err("expected a percentage above 0 and below 100".to_owned()),
    }
}

fn draws(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(count @ 1..=100_000) => Ok(count),
        _ => Err("expected a number from 1 to 100000".to_owned()),
    }
}

fn columns(cells: [&str; 8]) -> String {
    let [
        pair,
        nodes,
        anchors,
        method,
        accuracy,
        edges,
        weight,
        seconds,
    ] = cells;
    let line = format!(
        "{pair:<14} {nodes:>5} {anchors:>10} {method:<10} {accuracy:>11} {edges:>19} {weight:>19} {seconds:>13}"
    );
    line.trim_end().to_owned()
}

fn header() -> String {
    let titles = columns([
        "pair",
        "nodes",
        "anchors",
        "method",
        "accuracy",
        "edges kept (truth)",
        "weight kept (truth)",
        "seconds",
    ]);
    let rule = "─".repeat(titles.chars().count());
    format!("{titles}\n{rule}\n")
}

fn line(row: &NetworkRow) -> String {
    let kept = |values: &Summary, truth: f64| match values.count {
        0 => format!("({truth:.3})"),
        _ => format!("{} ({truth:.3})", with_error(values)),
    };
    let words = columns([
        row.pair,
        &row.nodes.to_string(),
        &format!("{} ({} %)", row.anchors, row.percent),
        &row.method,
        &with_error(&row.accuracy),
        &kept(&row.conserved_edges, row.truth.edges),
        &if row.weighted {
            kept(&row.conserved_weight, row.truth.weight)
        } else {
            String::new()
        },
        &with_error(&row.seconds),
    ]);
    let cut = match row.cut {
        0 => String::new(),
        draws => format!("  {draws} cut by the time limit"),
    };
    let failure = row.failure.as_ref();
    let failure = failure.map_or_else(String::new, |message| format!("  {message}"));
    format!("{words}{cut}{failure}\n")
}

/// The mean, with its standard error where there is one.
fn with_error(values: &Summary) -> String {
    match values.count {
        0 => "–".to_owned(),
        1 => format!("{:.3}", values.mean),
        _ => format!("{:.3}±{:.3}", values.mean, values.standard_error),
    }
}

fn csv(result: &NetworkResult) -> String {
    let mut text = "pair,nodes,source_edges,target_edges,percent,anchors,method,draws,\
                    accuracy,accuracy_error,conserved_edges,conserved_edges_error,\
                    conserved_weight,conserved_weight_error,truth_conserved_edges,\
                    truth_conserved_weight,seconds,seconds_error,cut\n"
        .to_owned();
    for row in &result.rows {
        writeln!(
            text,
            "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}",
            row.pair,
            row.nodes,
            row.source_edges,
            row.target_edges,
            row.percent,
            row.anchors,
            row.method,
            row.accuracy.count,
            cells(&row.accuracy),
            cells(&row.conserved_edges),
            cells(&row.conserved_weight),
            row.truth.edges,
            row.truth.weight,
            cells(&row.seconds),
            row.cut,
        )
        .expect("writing into a string cannot fail");
    }
    text
}
