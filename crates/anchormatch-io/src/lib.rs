//! Readers and writers, one file per format.
//!
//! | format | files | holds |
//! |---|---|---|
//! | [`Format::EdgeList`] | `.csv` `.tsv` `.edges` `.txt` | `source,target[,weight]`, any ids |
//! | [`Format::Points`] | tables of `[id,]x,y[,z]` | a complete Euclidean graph and its points |
//! | [`Format::Xyz`] | `.xyz` | a cloud of points, `x y z` and other columns |
//! | [`Format::Ply`] | `.ply` | the vertices of a PLY file of text as points |
//! | [`Format::Coco`] | `.json` | keypoints in COCO's JSON as points |
//! | [`Format::OpenCv`] | `.yml` `.yaml` `.xml` | keypoints or points of OpenCV's FileStorage |
//! | [`Format::Adjacency`] | `.adj`, any table by name | an adjacency matrix, with ids or without |
//! | [`Format::GraphMl`] | `.graphml` | nodes, edges with a `weight`, points as `x`, `y`, `z` |
//! | [`Format::Gml`] | `.gml` | nodes with a `label`, edges with a `weight` or `value`, points |
//! | [`Format::Pajek`] | `.net` | named vertices, edges and arcs |
//! | [`Format::MatrixMarket`] | `.mtx` | a matrix; ids are the numbers from 1 |
//! | [`Format::Npy`] | `.npy` | a square array; ids are the numbers from 0 |
//! | [`Format::Npz`] | `.npz` | a square array or a SciPy sparse matrix, perhaps with ids |
//! | [`Format::Mat`] | `.mat` | a square MATLAB matrix, full or sparse; version 5 to 7.2 |
//! | [`Format::Leda`] | `.gw` | named nodes, edges with a number |
//! | [`Format::Metis`] | `.graph` | adjacency lists; ids are the numbers from 1 |
//!
//! Each of them may be inside gzip. What becomes of directions, repeated edges, loops and zeros is
//! one table in `docs/formats.md`; [`Graph::cleaning`] has the counts of a graph that was read.
//!
//! [Problems](read_problem) have formats of their own: `.dd`, QAPLIB's `.dat` and
//! [saved problems](problem_json).
//!
//! Beside graphs there are tables of their nodes ([`NodeTable`], and [`FeatureTable`] where each has few of many features),
//! pairs of nodes ([`PairTable`]: anchors, a truth, candidates, edges from one graph to the other) and results
//! ([`write_matching_csv`], [`write_matching_json`]). Files are read as streams and nothing is
//! allocated because a file says so: a header that promises more than the file holds costs nothing.
//! A fault in a file is an [`Error::Parse`] with the file, the line, what was found and what was
//! expected.

mod adjacency;
mod binary;
mod cloud;
mod coco;
mod columns;
mod dd;
mod dense;
mod edge_kinds;
mod edge_list;
mod fault;
mod features;
mod format;
mod gml;
mod graphml;
mod gzip;
mod header;
mod leda;
mod lines;
mod links;
mod mat;
mod matching;
mod matrix_market;
mod metis;
mod nodes;
mod numpy;
mod opencv;
mod options;
mod pairs;
mod pajek;
mod ply;
mod points;
mod positions;
mod problem;
pub mod problem_json;
mod qaplib;
mod recognise;
mod table;
mod whole;
mod words;
mod xml;

pub use adjacency::{read_adjacency_from, write_adjacency};
pub use coco::{read_coco_from, write_coco};
pub use columns::{NodeColumn, NodeColumns};
pub use dd::{DdProblem, read_dd, read_dd_from, write_dd};
pub use edge_kinds::KindRows;
pub use edge_list::{read_edge_list_from, write_edge_list};
pub use features::{
    FeatureTable, feature_weights, read_features, read_features_from, read_features_with,
};
pub use format::Format;
pub use gml::{read_gml_from, write_gml};
pub use graphml::{read_graphml_from, write_graphml};
pub use leda::{read_leda_from, write_leda};
pub use mat::{read_mat_from, write_mat};
pub use matching::{
    write_alternatives_csv, write_matching_csv, write_matching_json, write_unmatched_csv,
};
pub use matrix_market::{read_matrix_market_from, write_matrix_market};
pub use metis::{read_metis_from, write_metis};
pub use nodes::{NodeTable, TableColumn, read_nodes, read_nodes_from, read_nodes_with};
pub use numpy::{read_npy_from, read_npz_from, write_npy, write_npz};
pub use opencv::{read_opencv_from, write_opencv};
pub use options::ReadOptions;
pub use pairs::{
    Candidates, PairRow, PairTable, read_pairs, read_pairs_from, read_pairs_with, write_anchors,
    write_pairs,
};
pub use pajek::{read_pajek_from, write_pajek};
pub use ply::{read_ply_from, write_ply};
pub use points::{read_points_from, read_xyz_from, write_points, write_xyz};
pub use problem::{
    LoadedProblem, ProblemFormat, ProblemOptions, read_problem, read_problem_from,
    read_problem_with,
};
pub use qaplib::{
    QapCheck, QapConvention, QapInstance, QapSolution, read_qap, read_qap_from, read_qap_solution,
    read_qap_solution_from, write_qap, write_qap_solution,
};
pub use whole::write_whole;

use std::fs::File;
use std::io::{BufRead, BufReader, Cursor, Read, Write};
use std::path::Path;

use anchormatch::error::{Error, Hint, Result, Words};
use anchormatch::graph::{Cleaning, EdgeKinds, Graph, GraphBuilder, Labels};
use anchormatch::linalg::Matrix;
use anchormatch::matching::Note;
use fault::unwritable;
use options::DEFAULT_MEMORY;

/// A graph from a file, and what came with it.
#[derive(Debug, Clone, PartialEq)]
pub struct LoadedGraph {
    /// The graph, under the file's ids.
    pub graph: Graph,
    /// Where the nodes lie, n×2 or n×3, when the file says so.
    pub positions: Option<Matrix>,
    /// What is known of the nodes beside: the attributes of nodes in GraphML and GML, and the columns of a
    /// table of nodes.
    pub columns: NodeColumns,
    /// The kinds of the edges, where [`ReadOptions::kinds`] names what holds them.
    pub kinds: Option<EdgeKinds>,
    /// The format that was read.
    pub format: Format,
    /// Whether a list of edges looks like a table of points that nobody called so: where ids turn out to be
    /// unknown, that is why.
    pub looks_like_points: bool,
    /// What the caller should know: directions, whether kept or set aside, and edges that were merged.
    pub notes: Vec<String>,
    /// Where the first row may have been misread, as a header or as data, with advice.
    pub doubts: Vec<Note>,
}

impl LoadedGraph {
    /// A graph without anything beside it.
    fn new(graph: Graph, format: Format, notes: Vec<String>) -> Self {
        Self {
            graph,
            positions: None,
            columns: NodeColumns::default(),
            kinds: None,
            format,
            looks_like_points: false,
            notes,
            doubts: Vec::new(),
        }
    }

    /// All notes, with their advice in the words of a front door.
    #[must_use]
    pub fn worded_notes(&self, words: Words) -> Vec<String> {
        let doubts = self.doubts.iter().map(|doubt| doubt.worded(words));
        self.notes.iter().cloned().chain(doubts).collect()
    }

    /// The number of the first node, where the nodes are counted by the format or by the file and have no names.
    #[must_use]
    pub fn first_number(&self) -> Option<usize> {
        let labels = self.graph.labels();
        (0..2).find(|&first| self.format.counts_nodes() && are_counted(labels, first))
    }

    /// The same under other ids, where there are any.
    fn named(mut self, labels: Option<Labels>) -> Result<Self> {
        if let Some(labels) = labels {
            self.graph = self.graph.with_labels(labels)?;
        }
        Ok(self)
    }
}

/// Reads the graph at `path`; `-` is the standard input.
///
/// # Errors
/// When the file cannot be read, its format is unknown, its contents are at fault, or the graph
/// would pass the memory allowed.
pub fn read_graph(path: &Path, options: &ReadOptions) -> Result<LoadedGraph> {
    let format = options.format_of(path)?;
    let is_guess = format == Format::EdgeList && options.format.is_none();
    open(path, |reader, name| {
        if is_guess && options.weight.is_none() && options.kinds.is_none() {
            read_edges_or_points(reader, name, options)
        } else {
            read_graph_from(reader, name, format, options)
        }
    })
}

/// Reads a table that is a list of edges, unless its header has the columns of points.
fn read_edges_or_points(
    mut reader: &mut dyn BufRead,
    name: &str,
    options: &ReadOptions,
) -> Result<LoadedGraph> {
    gzip::unpacked(&mut reader, name, options, |reader| {
        let beginning = recognise::beginning(reader, name)?;
        let has_points = recognise::has_points(&beginning, name);
        let whole = Cursor::new(beginning).chain(reader);
        if !has_points {
            options.check_columns(Format::EdgeList)?;
            return read_edge_list_from(whole, name, options);
        }
        options.check_columns(Format::Points)?;
        let mut points = read_points_from(whole, name, options)?;
        points.notes.insert(0, recognise::RECOGNISED.to_owned());
        Ok(points)
    })
}

/// Reads a graph in `format` from any reader, compressed or not; `name` stands for the file in
/// errors.
///
/// # Errors
/// See [`read_graph`].
pub fn read_graph_from(
    mut reader: impl BufRead,
    name: &str,
    format: Format,
    options: &ReadOptions,
) -> Result<LoadedGraph> {
    options.check_columns(format)?;
    options.check_kinds(name, format)?;
    gzip::unpacked(&mut reader, name, options, |reader| match format {
        Format::EdgeList => read_edge_list_from(reader, name, options),
        Format::Points => read_points_from(reader, name, options),
        Format::Xyz => read_xyz_from(reader, name, options),
        Format::Ply => read_ply_from(reader, name, options),
        Format::Coco => read_coco_from(reader, name, options),
        Format::OpenCv => read_opencv_from(reader, name, options),
        Format::MatrixMarket => read_matrix_market_from(reader, name, options),
        Format::GraphMl => read_graphml_from(reader, name, options),
        Format::Gml => read_gml_from(reader, name, options),
        Format::Pajek => read_pajek_from(reader, name, options),
        Format::Adjacency => read_adjacency_from(reader, name, options),
        Format::Leda => read_leda_from(reader, name, options),
        Format::Metis => read_metis_from(reader, name, options),
        Format::Npy => read_npy_from(reader, name, options),
        Format::Npz => read_npz_from(reader, name, options),
        Format::Mat => read_mat_from(reader, name, options),
    })
}

/// Writes a graph whole to `path`, in `format` or the one of its extension, compressed when it ends
/// in `.gz`; `-` is the standard output.
///
/// Points are written for [formats of points](Format::is_points), which need them, and where the format has a place
/// for them. Ids become numbers where the format [keeps none](Format::keeps_ids). Of a directed graph the arcs are
/// written; the rows of an edge list, which do not say so, are arcs to who reads them as
/// [directed](ReadOptions::directed).
///
/// # Errors
/// When the format is unknown or cannot hold the graph's ids, weights or directions, or the file cannot
/// be written.
pub fn write_graph(
    path: &Path,
    graph: &Graph,
    positions: Option<&Matrix>,
    format: Option<Format>,
) -> Result<()> {
    let format = match format {
        Some(format) => format,
        None => Format::from_path(path)?,
    };
    if format.is_points() && positions.is_none() {
        return Err(Error::parameter(
            "positions",
            "none",
            "a point for every node, to write a table of points",
        ));
    }
    write_whole(path, |out| {
        if format::is_compressed(path) {
            gzip::packed(out, |out| write_graph_to(out, graph, positions, format))
        } else {
            write_graph_to(out, graph, positions, format)
        }
    })
}

/// Writes a graph in `format` to any writer; see [`write_graph`].
///
/// # Errors
/// When `out` fails, or the format cannot hold the graph's ids, weights or directions, or needs points and
/// has none.
pub fn write_graph_to(
    out: &mut dyn Write,
    graph: &Graph,
    positions: Option<&Matrix>,
    format: Format,
) -> std::io::Result<()> {
    match (format, positions) {
        (Format::Points, Some(positions)) => write_points(out, graph.labels(), positions),
        (Format::Xyz, Some(positions)) => write_xyz(out, positions),
        (Format::Ply, Some(positions)) => write_ply(out, positions),
        (Format::Coco, Some(positions)) => write_coco(out, graph.labels(), positions),
        (Format::OpenCv, Some(positions)) => write_opencv(out, positions),
        (Format::Points | Format::Xyz | Format::Ply | Format::Coco | Format::OpenCv, None) => Err(
            unwritable("found no positions, expected a point for every node"),
        ),
        (Format::EdgeList, _) => write_edge_list(out, graph),
        (Format::MatrixMarket, _) => write_matrix_market(out, graph),
        (Format::GraphMl, positions) => write_graphml(out, graph, positions),
        (Format::Gml, positions) => write_gml(out, graph, positions),
        (Format::Pajek, positions) => write_pajek(out, graph, positions),
        (Format::Adjacency, _) => write_adjacency(out, graph),
        (Format::Leda, _) => write_leda(out, graph),
        (Format::Metis, _) => write_metis(out, graph),
        (Format::Npy, _) => write_npy(out, graph),
        (Format::Npz, _) => write_npz(out, graph),
        (Format::Mat, _) => write_mat(out, graph),
    }
}

/// Whether `path` is `-`, the standard input or output.
fn is_standard(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Whether the nodes are called `first`, `first + 1`, ….
fn are_counted(labels: &Labels, first: usize) -> bool {
    labels
        .iter()
        .enumerate()
        .all(|(i, id)| *id == (first + i).to_string())
}

/// Opens `path` for reading and hands it on with the name that errors give it.
fn open<T>(path: &Path, read: impl FnOnce(&mut dyn BufRead, &str) -> Result<T>) -> Result<T> {
    if is_standard(path) {
        return read(&mut std::io::stdin().lock(), "standard input");
    }
    let file = File::open(path).map_err(|source| Error::io(path, source))?;
    let mut reader = BufReader::with_capacity(1 << 16, file);
    read(&mut reader, &path.display().to_string())
}

/// Builds a graph that was read and notes what was set aside.
fn finish(
    builder: GraphBuilder,
    name: &str,
    format: Format,
    mut notes: Vec<String>,
) -> Result<LoadedGraph> {
    let graph = builder.build().map_err(|error| {
        // Every format but rows says by itself which edges have directions.
        if format != Format::EdgeList && error.hints().contains(&Hint::Directed) {
            return error.hinting(&[Hint::Duplicates]);
        }
        fault::in_file(error, name)
    })?;
    if graph.is_directed() {
        notes.push(match graph.link_count() {
            1 => "the edges have directions: 1 arc".to_owned(),
            arcs => format!("the edges have directions: {arcs} arcs"),
        });
    }
    notes.extend(cleaning_notes(graph.cleaning()));
    Ok(LoadedGraph::new(graph, format, notes))
}

/// What was set aside, in sentences.
fn cleaning_notes(cleaning: Cleaning) -> impl Iterator<Item = String> {
    [
        (
            cleaning.self_loops,
            "edge from a node to itself tells of that node alone",
            "edges from a node to itself tell of their nodes alone",
        ),
        (
            cleaning.directed_edges,
            "directed edge was read as undirected",
            "directed edges were read as undirected",
        ),
        (
            cleaning.opposite_edges,
            "pair of opposite edges was merged",
            "pairs of opposite edges were merged",
        ),
        (
            cleaning.repeated_edges,
            "repeated edge was merged",
            "repeated edges were merged",
        ),
        (
            cleaning.zero_weights,
            "edge of weight zero was dropped",
            "edges of weight zero were dropped",
        ),
    ]
    .into_iter()
    .filter(|&(count, ..)| count > 0)
    .map(|(count, one, many)| format!("{count} {}", if count == 1 { one } else { many }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_file_is_named() {
        let error = read_graph("no/such/file.csv".as_ref(), &ReadOptions::default()).unwrap_err();
        assert!(
            error.to_string().starts_with("no/such/file.csv: "),
            "{error}"
        );
    }
}
