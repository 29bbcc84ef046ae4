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
seconds of each, the least of several rounds, how many times those of numbers they are, and the memory that reading \
takes beside that of the graph's rows.";

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
                ["ids", "MB", "seconds", "ratio", "memory", "graph"].map(str::to_owned),
            ))?;
            for row in &rows {
                print(&columns([
                    row.ids.name().to_owned(),
                    megabytes(row.bytes as u64),
                    format!("{:.2}", row.seconds),
                    format!("{:.2}", ratio(row, &rows)),
                    row.memory.map_or_else(|| "-".to_owned(), megabytes),
                    megabytes(row.rows),
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
                    "memory": row.memory,
                    "rows": row.rows,
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

fn columns([ids, bytes, seconds, ratio, memory, graph]: [String; 6]) -> String {
    format!("{ids:<26}{bytes:>8}{seconds:>10}{ratio:>8}{memory:>8}{graph:>8}\n")
}

fn megabytes(bytes: u64) -> String {
    format!("{:.0}", bytes as f64 / 1e6)
}

/// How many times the seconds of the first row.
fn ratio(row: &ReadingRow, rows: &[ReadingRow]) -> f64 {
    row.seconds / rows[0].seconds
}
