//! `anchormatch solvers`: what there is to choose from.

use anchormatch::solver::{Info, Kind, registry};
use clap::Args;
use serde_json::json;

use crate::exit::{Done, Outcome};
use crate::files::print;
use crate::table::Table;

const LONG_ABOUT: &str = "\
List the solvers that `match --solver` and `solve --solver` take: what they are, where they come from, \
what an iteration costs and which problems they accept.

Relaxations work on a soft matrix and round it at the end; they give confidences. Searches walk from \
assignment to assignment; they find better objectives when they are given time.";

const EXAMPLES: &str = "\
Examples:
  anchormatch solvers
  anchormatch solvers --json | jq -r '.[].name'";

const LEGEND: &str = "\
Costs are those of an iteration: n nodes on the larger side, P one product with W, which is O(n³)
for products of matrices and kernels, O(pairs) for listed pairs, and O(n⁴) for a W that is given entry
by entry.
";

/// List the solvers
#[derive(Debug, Args)]
#[command(long_about = LONG_ABOUT, after_help = EXAMPLES)]
pub(crate) struct Options {
    /// Write JSON: a list of {"name":…,"kind":…,"reference":…,"complexity":…,"accepts":…}
    #[arg(long)]
    pub(crate) json: bool,
}

impl Options {
    /// Prints the list.
    pub(crate) fn run(&self) -> Outcome {
        let solvers: Vec<Info> = registry::all().iter().map(|solver| solver.info()).collect();
        if self.json {
            print(&format!("{:#}\n", json!(solvers)))?;
        } else {
            print(&text(&solvers))?;
        }
        Ok(Done::Complete)
    }
}

fn text(solvers: &[Info]) -> String {
    let header = ["name", "kind", "reference", "complexity", "accepts"];
    let mut table = Table::new(header).with_words(1..header.len());
    for info in solvers {
        let kind = match info.kind {
            Kind::Relaxation => "relaxation",
            Kind::Search => "search",
        };
        table.row([
            info.name,
            kind,
            info.reference,
            info.complexity,
            info.accepts,
        ]);
    }
    format!("{}\n{LEGEND}", table.text())
}
