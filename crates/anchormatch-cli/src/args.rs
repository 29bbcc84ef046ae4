//! The command line as a whole, and the options that several commands share.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anchormatch::graph::Duplicates;
use anchormatch_io::{
    FeatureTable, Format, LoadedGraph, NodeTable, PairTable, ReadOptions, read_features_with,
    read_graph, read_nodes_with, read_pairs_with,
};
pub(crate) use anchormatch_terminal::resources::Resources;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::commands::{
    convert, demo, generate, info, learn, matching, nominate, reproduce, signature, solve, solvers,
    studio, suggest,
};
use crate::exit::{Failure, Outcome};
use crate::headers::{self, Said, TableKind};

const ABOUT: &str = "Match the nodes of two weighted graphs when a few correspondences are known";

const LONG_ABOUT: &str = "\
Match the nodes of two weighted graphs when a few correspondences (\"anchors\") are known.

New here? `anchormatch demo` needs no input: it matches two views of a house and writes a page to \
look at. `anchormatch studio` opens the same two views on a page where you place the anchors. Then make \
a pair of your own and match it:

  anchormatch generate house --out house
  anchormatch match house/source.csv house/target.csv --points \\
      --anchors house/anchors.csv --truth house/truth.csv --report house/report.html";

const AFTER_FORMATS: &str = "\
`anchormatch convert IN OUT` goes from one to another, `anchormatch info FILE` tells what was read.
Anchors and truth: source,target[,weight]. `-` is standard input or output.

Problem files, for `anchormatch solve`:
  .dd .txt                         assignments, pairs of them and their costs; several problems a file
  .dat                             QAPLIB: n, A, B
  .json                            a saved problem

Exit codes:
  0  done (also when the reader of the output went away, as in `anchormatch … | head`)
  1  an internal failure
  2  bad usage or input; one line says the file, the line, what was found and what was expected
  3  stopped by the time limit, Ctrl-C or SIGTERM; the best so far is written, if there is one
  4  refused because it would pass --max-memory; the line says how much it needs";

/// The formats of graph files, as the library lists them, and what else files are.
fn after_long_help() -> String {
    let mut text =
        "Graph files, by extension or --format, each of them perhaps gzipped (.gz):\n".to_owned();
    for format in Format::ALL {
        let files = match format.extensions() {
            [] => "any table with --points".to_owned(),
            extensions => format!(".{}", extensions.join(" .")),
        };
        text += &format!("  {files:<32} {}\n", format.about());
    }
    text + AFTER_FORMATS
}

/// What was asked for.
#[derive(Debug, Parser)]
#[command(
    name = "anchormatch",
    version,
    about = ABOUT,
    long_about = LONG_ABOUT,
    after_long_help = after_long_help(),
    max_term_width = 100,
    subcommand_required = true,
    arg_required_else_help = true,
    disable_help_subcommand = true
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Match(Box<matching::Options>),
    Studio(Box<studio::Options>),
    Suggest(Box<suggest::Options>),
    Nominate(Box<nominate::Options>),
    Learn(learn::Options),
    Solve(solve::Options),
    Solvers(solvers::Options),
    Demo(demo::Options),
    Info(info::Options),
    Convert(convert::Options),
    Signature(signature::Options),
    Generate(generate::Options),
    Reproduce(reproduce::Options),
}

/// Reads the process's arguments.
pub(crate) fn parse() -> Result<Cli, clap::Error> {
    Cli::try_parse()
}

impl Cli {
    /// Whether errors are to be written as JSON.
    pub(crate) fn wants_json(&self) -> bool {
        match &self.command {
            Command::Match(options) => options.json,
            Command::Suggest(options) => options.asking.json,
            Command::Nominate(options) => options.asking.json,
            Command::Demo(options) => options.json,
            Command::Info(options) => options.json,
            Command::Convert(options) => options.json,
            Command::Solve(options) => options.json,
            Command::Solvers(options) => options.json,
            Command::Reproduce(options) => options.wants_json(),
            Command::Signature(_)
            | Command::Generate(_)
            | Command::Learn(_)
            | Command::Studio(_) => false,
        }
    }

    /// Does what was asked for.
    pub(crate) fn run(&self) -> Outcome {
        match &self.command {
            Command::Match(options) => options.run(),
            Command::Studio(options) => options.run(),
            Command::Suggest(options) => options.run(),
            Command::Nominate(options) => options.run(),
            Command::Learn(options) => options.run(),
            Command::Demo(options) => options.run(),
            Command::Info(options) => options.run(),
            Command::Convert(options) => options.run(),
            Command::Signature(options) => options.run(),
            Command::Generate(options) => options.run(),
            Command::Reproduce(options) => options.run(),
            Command::Solve(options) => options.run(),
            Command::Solvers(options) => options.run(),
        }
    }
}

/// How graph files are read.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Reading graphs")]
pub(crate) struct Reading {
    /// Read tables of points, `[id,]x,y[,z]`. The presets best and fast match them by where they lie;
    /// everything else takes the complete graph of their distances
    #[arg(long)]
    pub(crate) points: bool,

    /// The columns of x, y and perhaps z in tables of points, by their names in the header or by their
    /// numbers from 1 [default: those called x, y, z; without such names, by position after the id]
    #[arg(long, value_name = "X,Y[,Z]", value_delimiter = ',')]
    columns: Option<Vec<String>>,

    /// The format of the graph files [default: by the extension; an edge list for `-`]
    #[arg(long, alias = "from", value_name = "FORMAT", value_parser = format_parser())]
    format: Option<Format>,

    /// The edge attribute or column that holds the weight [default: weight]
    #[arg(long, value_name = "NAME")]
    weight: Option<String>,

    /// The node attribute that holds the ids in GraphML and GML [default: id; label in GML]
    #[arg(long, value_name = "NAME")]
    node_id: Option<String>,

    /// The matrix to read from a .mat or .npz that holds several, or the node of OpenCV's file; in COCO's JSON the id
    /// of an annotation
    #[arg(long, value_name = "NAME")]
    variable: Option<String>,

    /// Whether the first row of a table is a header: `auto` goes by its names (source,target, from,to, id and the
    /// like, or a third field that is no number), `yes` and `no` say it. Of one kind of table alone as
    /// TABLE=WHETHER, with TABLE one of graphs, anchors, nodes, attributes, candidates, crossing, truth, similarity
    /// [default: auto]
    #[arg(long, value_name = "WHETHER,...", value_delimiter = ',', value_parser = headers::parse)]
    header: Vec<Said>,

    /// What to do with an edge that stands twice with different weights
    #[arg(long, value_name = "RULE", default_value = "error")]
    duplicates: DuplicateRule,

    /// Read the rows of edge lists as arcs, from their first node to their second. Other formats say by
    /// themselves whether edges have directions
    #[arg(long, conflicts_with = "undirected")]
    directed: bool,

    /// Set all directions aside
    #[arg(long)]
    undirected: bool,
}

impl Reading {
    /// Reads the graph at `path`; points become a complete graph.
    pub(crate) fn graph(
        &self,
        path: &Path,
        max_memory: Option<u64>,
    ) -> Result<LoadedGraph, Failure> {
        Ok(read_graph(path, &self.options(max_memory))?)
    }

    /// A side of a match: points stay points, without edges, where they are matched by where they lie;
    /// `kinds` is the column of the kinds of edges, `nodes` the table that names the nodes, and `columns` says whether
    /// the other columns of tables of points are asked for.
    pub(crate) fn side(
        &self,
        path: &Path,
        by_points: bool,
        (kinds, nodes, columns): (Option<&str>, Option<Arc<NodeTable>>, bool),
        max_memory: Option<u64>,
    ) -> Result<LoadedGraph, Failure> {
        let options = ReadOptions {
            edgeless: by_points,
            nodes,
            node_columns: columns,
            kinds: kinds.map(str::to_owned),
            ..self.options(max_memory)
        };
        Ok(read_graph(path, &options)?)
    }

    /// The pairs at `path`, which are of `kind`.
    pub(crate) fn pairs(&self, path: &Path, kind: TableKind) -> Result<PairTable, Failure> {
        Ok(read_pairs_with(path, headers::of(&self.header, kind))?)
    }

    /// The table of nodes at `path`.
    pub(crate) fn nodes(&self, path: &Path) -> Result<NodeTable, Failure> {
        Ok(read_nodes_with(
            path,
            headers::of(&self.header, TableKind::Nodes),
        )?)
    }

    /// The long table of attributes at `path`.
    pub(crate) fn features(&self, path: &Path) -> Result<FeatureTable, Failure> {
        let header = headers::of(&self.header, TableKind::Attributes);
        Ok(read_features_with(path, header)?)
    }

    fn options(&self, max_memory: Option<u64>) -> ReadOptions {
        ReadOptions {
            format: self.format,
            points: self.points,
            columns: self.columns.clone(),
            duplicates: self.duplicates.duplicates(),
            directed: self.directions(),
            weight: self.weight.clone(),
            header: headers::of(&self.header, TableKind::Graphs),
            node_id: self.node_id.clone(),
            variable: self.variable.clone(),
            max_memory,
            ..ReadOptions::default()
        }
    }

    /// Whether edges have directions, where the caller says so.
    fn directions(&self) -> Option<bool> {
        (self.directed || self.undirected).then_some(self.directed)
    }

    /// What happens to an edge with two weights, by the name of the command line.
    pub(crate) fn duplicates(&self) -> String {
        let value = self.duplicates.to_possible_value();
        value.map_or_else(String::new, |value| value.get_name().to_owned())
    }
}

/// Takes the name of a format.
pub(crate) fn format_parser() -> impl TypedValueParser<Value = Format> {
    let names = Format::ALL.map(|format| PossibleValue::new(format.name()).help(format.about()));
    PossibleValuesParser::new(names)
        .map(|name| Format::from_name(&name).expect("only names of formats are possible"))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum DuplicateRule {
    /// Refuse the file and name both places
    Error,
    /// Take the sum of the weights
    Sum,
    /// Take their mean
    Mean,
    /// Take the largest
    Max,
    /// Take the one that stands first
    First,
}

impl DuplicateRule {
    fn duplicates(self) -> Duplicates {
        match self {
            Self::Error => Duplicates::Error,
            Self::Sum => Duplicates::Sum,
            Self::Mean => Duplicates::Mean,
            Self::Max => Duplicates::Max,
            Self::First => Duplicates::First,
        }
    }
}

/// Where a table or document goes.
#[derive(Debug, Clone, Args)]
pub(crate) struct Output {
    /// Where to write the result; `-` is standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    pub(crate) output: PathBuf,
}

#[cfg(test)]
mod tests {
    use super::*;
    use anchormatch_terminal::help::unexplained;
    use anchormatch_terminal::hints::{is_of_laboratory, without_option};
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn hints_name_options_that_exist() {
        let is_ours = |hint| cfg!(feature = "reproduce") || !is_of_laboratory(hint);
        assert_eq!(
            without_option(&Cli::command(), is_ours),
            Vec::<String>::new()
        );
    }

    #[test]
    fn nothing_is_without_help() {
        assert_eq!(unexplained(&Cli::command()), Vec::<String>::new());
    }
}
