//! `anchormatch-lab bench reading`: what ids cost when large edge lists are read.

use anchormatch_terminal::exit::{Done, Outcome};
use anchormatch_terminal::files::print;
use anchormatch_terminal::job::Job;
use clap::Args;
use serde_json::{Value, json};

use super::Common;
use crate::experiments::reading::{ReadingRow, measure};

const LONG_ABOUT: &str = "\
Read one large random edge list whose ids are numbers, words and long words, from memory and in turn, and tell the \
seconds of each, the least of several rounds, and how many times those of numbers they are.";

/// Edge lists with numbers and words as ids
#[derive(Debug, Args)]
#[command(long_about = LONG_ABOUT)]
pub(super) struct Options {
    /// Nodes
    #[arg(long, value_name = "N", default_value_t = 1_000_000, value_parser = clap::value_parser!(u32).range(1..))]
    nodes: u32,

    /// Edges
    #[arg(long, value_name = "N", default_value_t = 5_000_000, value_parser = clap::value_parser!(u32).range(1..))]
    edges: u32,

    /// Rounds, of which the fastest counts
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,

    #[command(flatten)]
    pub(super) common: Common,
}

impl Options {
    pub(super) fn run(&self) -> Outcome {
        let job = Job::start(&self.common.resources, None, self.common.json)?;
        let size = (self.nodes as usize, self.edges as usize);
        let rows = measure(size, self.rounds as usize, self.common.seed, job.monitor())?;
        job.finish();
        if self.common.json {
            print(&format!("{:#}\n", self.report(&rows)))?;
        } else {
            print(&columns(
                ["ids", "MB", "seconds", "ratio"].map(str::to_owned),
            ))?;
            for row in &rows {
                print(&columns([
                    row.ids.name().to_owned(),
                    format!("{:.0}", row.bytes as f64 / 1e6),
                    format!("{:.2}", row.seconds),
                    format!("{:.2}", ratio(row, &rows)),
                ]))?;
            }
        }
        Ok(Done::Complete)
    }

    fn report(&self, rows: &[ReadingRow]) -> Value {
        let listed: Vec<Value> = rows
            .iter()
            .map(|row| {
                json!({
                    "ids": row.ids.name(),
                    "bytes": row.bytes,
                    "seconds": row.seconds,
                    "ratio": ratio(row, rows),
                })
            })
            .collect();
        json!({
            "benchmark": "reading",
            "nodes": self.nodes,
            "edges": self.edges,
            "seed": self.common.seed,
            "rows": listed,
        })
    }
}

fn columns([ids, bytes, seconds, ratio]: [String; 4]) -> String {
    format!("{ids:<26}{bytes:>8}{seconds:>10}{ratio:>8}\n")
}

/// How many times the seconds of the first row.
fn ratio(row: &ReadingRow, rows: &[ReadingRow]) -> f64 {
    row.seconds / rows[0].seconds
}
