//! `anchormatch solvers`: what there is to choose from, and what can be set.

use anchormatch::solver::{Info, Kind, OnLists, Solver, registry};
use clap::Args;
use serde_json::{Value, json};

use crate::exit::{Done, Failure, Outcome};
use crate::files::print;
use crate::table::Table;
use crate::values;

const LONG_ABOUT: &str = "\
List the solvers that `match --solver` and `solve --solver` take: what they are, where they come from, \
what an iteration costs, which problems they accept and what they make of lists of candidates. With names: those solvers, with the parameters \
that `solve --set` takes and their defaults.

Relaxations work on a soft matrix and round it at the end; they give confidences. Searches walk from \
assignment to assignment; they find better objectives when they are given time.";

const EXAMPLES: &str = "\
Examples:
  anchormatch solvers
  anchormatch solvers tabu
  anchormatch solvers --json | jq -r '.[].name'
  anchormatch solvers rrwm --json | jq '.[0].parameters'";

const LEGEND: &str = "\
Costs are those of an iteration: n nodes on the larger side, P one product with W, which is O(n³)
for products of matrices and kernels, O(pairs) for listed pairs, and O(n⁴) for a W that is given entry
by entry. Candidates: `listed` works on their lists, in memory that follows them and the edges; `filled`
keeps to them and fills up matrices of all pairs.
";

const PARAMETERS: &str = "\
Set them by `solve --set NAME=VALUE`; null leaves a value to the solver, and a.b is b within a.
";

/// List the solvers, or the parameters of some
#[derive(Debug, Args)]
#[command(long_about = LONG_ABOUT, after_help = EXAMPLES)]
pub(crate) struct Options {
    /// Only these, with their parameters
    #[arg(value_name = "NAME", value_parser = values::solver(), hide_possible_values = true)]
    names: Vec<String>,

    /// Write JSON: a list of {"name":…,"kind":…,"reference":…,"complexity":…,"accepts":…,"candidates":…,"parameters":{…}}
    #[arg(long)]
    pub(crate) json: bool,
}

impl Options {
    /// Prints the list.
    pub(crate) fn run(&self) -> Outcome {
        let solvers = self.chosen()?;
        let text = if self.json {
            format!(
                "{:#}\n",
                solvers.iter().map(|s| entry(s.as_ref())).collect::<Value>()
            )
        } else if self.names.is_empty() {
            list(&solvers)
        } else {
            let pages: Vec<String> = solvers.iter().map(|s| page(s.as_ref())).collect();
            format!("{}\n{PARAMETERS}", pages.join("\n"))
        };
        print(&text)?;
        Ok(Done::Complete)
    }

    fn chosen(&self) -> Result<Vec<Box<dyn Solver>>, Failure> {
        if self.names.is_empty() {
            return Ok(registry::all());
        }
        let named = self.names.iter().map(|name| registry::by_name(name));
        Ok(named.collect::<anchormatch::Result<_>>()?)
    }
}

/// All that is known of a solver.
fn entry(solver: &dyn Solver) -> Value {
    let mut entry = json!(solver.info());
    entry["parameters"] = solver.parameters().into();
    entry
}

fn kind(info: &Info) -> &'static str {
    match info.kind {
        Kind::Relaxation => "relaxation",
        Kind::Search => "search",
    }
}

fn candidates(info: &Info) -> &'static str {
    match info.candidates {
        OnLists::Listed => "listed",
        _ => "filled",
    }
}

fn list(solvers: &[Box<dyn Solver>]) -> String {
    let header = [
        "name",
        "kind",
        "reference",
        "complexity",
        "accepts",
        "candidates",
    ];
    let mut table = Table::new(header).with_words(1..header.len());
    for solver in solvers {
        let info = solver.info();
        table.row([
            info.name,
            kind(&info),
            info.reference,
            info.complexity,
            info.accepts,
            candidates(&info),
        ]);
    }
    format!("{}\n{LEGEND}", table.text())
}

/// One solver and its parameters.
fn page(solver: &dyn Solver) -> String {
    let info = solver.info();
    let mut table = Table::new(["parameter", "default"]).with_words(1..2);
    for (name, value) in solver.parameters() {
        rows(&mut table, &name, &value);
    }
    format!(
        "{}, a {}: {}\n  costs       {}\n  accepts     {}\n  candidates  {}\n\n{}",
        info.name,
        kind(&info),
        info.reference,
        info.complexity,
        info.accepts,
        candidates(&info),
        table.text()
    )
}

/// A parameter, or those within it, as `--set` takes them.
fn rows(table: &mut Table, name: &str, value: &Value) {
    match value {
        Value::Object(within) if !within.contains_key("name") => {
            for (inner, value) in within {
                rows(table, &format!("{name}.{inner}"), value);
            }
        }
        value => table.row([name, &in_words(value)]),
    }
}

/// A value as `--set` takes it; solvers by their names, since their parameters are listed elsewhere.
fn in_words(value: &Value) -> String {
    match value {
        Value::String(word) => word.clone(),
        Value::Array(items) if items.iter().any(Value::is_object) => {
            let names: Vec<&Value> = items.iter().map(|item| &item["name"]).collect();
            json!(names).to_string()
        }
        value => value.to_string(),
    }
}
