//! `anchormatch convert`: a graph from one format to another.

use std::path::PathBuf;

use anchormatch::Error;
use anchormatch::error::Hint;
use anchormatch_io::{Format, LoadedGraph, write_graph};
use anchormatch_terminal::hints::WORDS;
use clap::Args;
use serde_json::json;

use crate::args::{Reading, Resources, format_parser};
use crate::exit::{Done, Failure, Outcome, say};
use crate::files::{check_writable, is_standard, print};
use crate::job::Job;

const LONG_ABOUT: &str = "\
Read a graph in one format and write it in another, by the extensions or by --from and --to. Ids, \
weights and points survive wherever the other format has room for them; what was merged or dropped, \
and ids that became numbers, are told on standard error.";

const EXAMPLES: &str = "\
Examples:
  anchormatch convert network.gml network.graphml
  anchormatch convert brain.mat brain.npz --variable connectome
  anchormatch convert friends.csv.gz - --to pajek";

/// Convert a graph file to another format
#[derive(Debug, Args)]
#[command(long_about = LONG_ABOUT, after_help = EXAMPLES)]
pub(crate) struct Options {
    /// The graph to read; `-` is standard input
    input: PathBuf,

    /// The file to write; `-` is standard output
    output: PathBuf,

    /// The format to write [default: by the extension; an edge list for `-`]
    #[arg(long, value_name = "FORMAT", value_parser = format_parser())]
    to: Option<Format>,

    /// Write errors as JSON, and what was done to standard output
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    reading: Reading,

    #[command(flatten)]
    resources: Resources,
}

impl Options {
    /// Reads and writes.
    pub(crate) fn run(&self) -> Outcome {
        if self.json && is_standard(&self.output) {
            let expected = "another file, because --json takes standard output";
            return Err(Failure::usage("OUT", "-", expected));
        }
        let to = match self.to {
            Some(format) => format,
            None => Format::from_path(&self.output)?,
        };
        check_writable(&self.output)?;
        let job = Job::start(&self.resources, None, self.json)?;
        let loaded = self.reading.graph(&self.input, job.max_memory())?;
        check_size(&loaded, to, job.max_memory())?;
        job.finish();
        let graph = &loaded.graph;
        write_graph(&self.output, graph, loaded.positions.as_ref(), Some(to))?;
        let mut notes = loaded.worded_notes(WORDS);
        if !to.keeps_ids() && loaded.format.keeps_ids() {
            notes.push(format!(
                "ids became numbers, in the order of the nodes: {} has no place for them",
                to.name()
            ));
        }
        if graph.is_directed() && to == Format::EdgeList {
            notes.push(
                "the rows are arcs, which they do not say: read them with --directed".to_owned(),
            );
        }
        if self.json {
            let done = json!({
                "input": self.input.display().to_string(),
                "output": self.output.display().to_string(),
                "from": loaded.format.name(),
                "to": to.name(),
                "nodes": graph.node_count(),
                "edges": graph.edge_count(),
                "cleaning": graph.cleaning(),
                "notes": notes,
            });
            print(&format!("{done:#}\n"))?;
        } else {
            notes
                .iter()
                .for_each(|note| say(format_args!("note: {note}")));
        }
        Ok(Done::Complete)
    }
}

/// Refuses a table of n² numbers that nobody would want to read again.
fn check_size(loaded: &LoadedGraph, to: Format, max_memory: Option<u64>) -> Result<(), Failure> {
    let nodes = loaded.graph.node_count() as u64;
    let needed = nodes.saturating_mul(nodes).saturating_mul(8);
    match max_memory {
        Some(limit) if to.is_dense() && needed > limit => Err(Failure::Library(Error::Memory {
            what: format!("a matrix of {nodes}×{nodes} numbers"),
            needed,
            limit,
            hints: &[Hint::MoreMemory, Hint::SparseGraph],
        })),
        _ => Ok(()),
    }
}
