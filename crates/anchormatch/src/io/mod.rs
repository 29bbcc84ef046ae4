//! Readers and writers, one file per format.
//!
//! | format | files | holds |
//! |---|---|---|
//! | [`Format::EdgeList`] | `.csv` `.tsv` `.edges` `.txt` | `source,target[,weight]`, any ids |
//! | [`Format::Points`] | tables of `[id,]x,y[,z]` | a complete Euclidean graph and its points |
//! | [`Format::MatrixMarket`] | `.mtx` | a symmetric matrix; ids are the numbers from 1 |
//! | [`Format::GraphMl`] | `.graphml` | nodes, edges with a `weight`, points as `x`, `y`, `z` |
//!
//! [Problems](read_problem) have formats of their own: `.dd`, QAPLIB's `.dat` and
//! [saved problems](problem_json).
//!
//! Beside graphs there are pairs of nodes ([`PairTable`]: anchors, a truth) and results
//! ([`write_matching_csv`], [`write_matching_json`]). Files are read as streams and nothing is
//! allocated because a file says so: a header that promises more than the file holds costs nothing.
//! A fault in a file is an [`Error::Parse`] with the file, the line, what was found and what was
//! expected.

mod dd;
mod edge_list;
mod fault;
mod graphml;
mod lines;
mod matching;
mod matrix_market;
mod pairs;
mod points;
mod problem;
pub mod problem_json;
mod qaplib;
mod table;
mod whole;
mod words;
mod xml;

pub use dd::{DdProblem, read_dd, read_dd_from, write_dd};
pub use edge_list::{read_edge_list_from, write_edge_list};
pub use graphml::{read_graphml_from, write_graphml};
pub use matching::{write_matching_csv, write_matching_json};
pub use matrix_market::{read_matrix_market_from, write_matrix_market};
pub use pairs::{PairRow, PairTable, read_pairs, read_pairs_from, write_pairs};
pub use points::{read_points_from, write_points};
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
use std::io::{BufRead, BufReader};
use std::path::Path;

use crate::error::{Error, Result};
use crate::graph::{Duplicates, Graph, GraphBuilder};
use crate::linalg::Matrix;
use fault::{fault, quoted};

/// A graph from a file, and what came with it.
#[derive(Debug, Clone, PartialEq)]
pub struct LoadedGraph {
    /// The graph, under the file's ids.
    pub graph: Graph,
    /// Where the nodes lie, n×2 or n×3, when the file says so.
    pub positions: Option<Matrix>,
    /// The format that was read.
    pub format: Format,
    /// What the caller should know: directions that were ignored, edges that were merged.
    pub notes: Vec<String>,
}

/// A format of graph files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Rows of `source,target[,weight]`.
    EdgeList,
    /// Rows of `[id,]x,y[,z]`.
    Points,
    /// Matrix Market, coordinate or array.
    MatrixMarket,
    /// GraphML.
    GraphMl,
}

const KNOWN_EXTENSIONS: &str = ".csv, .tsv, .edges, .txt, .mtx or .graphml";

impl Format {
    /// The format that `path`'s extension stands for; an edge list for `-`, the standard input.
    ///
    /// ```
    /// use anchormatch::io::Format;
    /// assert_eq!(Format::from_path("a.MTX".as_ref())?, Format::MatrixMarket);
    /// # Ok::<(), anchormatch::Error>(())
    /// ```
    ///
    /// # Errors
    /// When the extension is missing or not one that is read.
    pub fn from_path(path: &Path) -> Result<Self> {
        if is_standard(path) {
            return Ok(Self::EdgeList);
        }
        let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase());
        let found = match extension.as_deref() {
            Some("csv" | "tsv" | "edges" | "txt") => return Ok(Self::EdgeList),
            Some("mtx") => return Ok(Self::MatrixMarket),
            Some("graphml") => return Ok(Self::GraphMl),
            Some(other @ ("gml" | "npy" | "npz" | "mat")) => {
                format!("the extension .{other}, which is not read yet")
            }
            Some(other) => format!("the extension {}", quoted(&format!(".{other}"))),
            None => "no extension".to_owned(),
        };
        let file = path.display().to_string();
        Err(fault(&file, None, None, found, KNOWN_EXTENSIONS))
    }
}

/// How to read a graph.
#[derive(Debug, Clone, Default)]
pub struct ReadOptions {
    /// The format; `None` goes by the extension.
    pub format: Option<Format>,
    /// Whether the file is a table of points; a short way to ask for [`Format::Points`].
    pub points: bool,
    /// What happens to an edge with two weights.
    pub duplicates: Duplicates,
    /// The name of the edge attribute that holds the weight in GraphML; `None` is `weight`.
    pub weight: Option<String>,
    /// The most bytes that the graph may take; `None` allows 16 GiB, and to nodes that a Matrix
    /// Market header merely announces no more than its entries make plausible.
    pub max_memory: Option<u64>,
}

impl ReadOptions {
    /// The format that `path` is to be read in.
    fn format_of(&self, path: &Path) -> Result<Format> {
        match (self.format, self.points) {
            (Some(Format::Points) | None, true) => {
                // Any table may hold points, whatever it is called; other known formats do not.
                match Format::from_path(path) {
                    Ok(Format::MatrixMarket | Format::GraphMl) if self.format.is_none() => {
                        Err(fault(
                            &path.display().to_string(),
                            None,
                            None,
                            "a format that has no table of points",
                            "rows of x,y[,z] where points are asked for",
                        ))
                    }
                    _ => Ok(Format::Points),
                }
            }
            (Some(format), true) => Err(Error::parameter(
                "format",
                format!("{format:?}"),
                "points, because points are asked for",
            )),
            (Some(format), false) => Ok(format),
            (None, false) => Format::from_path(path),
        }
    }

    /// Refuses `what` when it would pass the memory allowed, which is `otherwise` by default.
    fn reserve(&self, what: &str, needed: u64, otherwise: u64, hint: &str) -> Result<()> {
        let limit = self.max_memory.unwrap_or(otherwise);
        if needed <= limit {
            return Ok(());
        }
        Err(Error::Memory {
            what: what.to_owned(),
            needed,
            limit,
            hint: hint.to_owned(),
        })
    }

    /// Refuses edges past the memory allowed, as they come.
    fn reserve_edges(&self, file: &str, edges: u64, nodes: usize) -> Result<()> {
        // Checked now and then: a block of edges between two checks is small.
        if !edges.is_multiple_of(8192) {
            return Ok(());
        }
        let needed = edges * EDGE_BYTES + nodes as u64 * NAMED_NODE_BYTES;
        self.reserve(
            &format!("{file}: a graph of more than {edges} edges"),
            needed,
            DEFAULT_MEMORY,
            "allow more memory, or match a part of the graph",
        )
    }
}

/// What a reader may take when the caller does not say.
const DEFAULT_MEMORY: u64 = 16 << 30;

/// What an edge takes at the worst moment: as given, sorted and merged, in both rows of the graph.
const EDGE_BYTES: u64 = 84;

/// What a named node takes: its name twice in the builder and twice in the labels.
const NAMED_NODE_BYTES: u64 = 240;

/// Reads the graph at `path`; `-` is the standard input.
///
/// # Errors
/// When the file cannot be read, its format is unknown, its contents are at fault, or the graph
/// would pass the memory allowed.
pub fn read_graph(path: &Path, options: &ReadOptions) -> Result<LoadedGraph> {
    let format = options.format_of(path)?;
    open(path, |reader, name| {
        read_graph_from(reader, name, format, options)
    })
}

/// Reads a graph in `format` from any reader; `name` stands for the file in errors.
///
/// # Errors
/// See [`read_graph`].
pub fn read_graph_from(
    reader: impl BufRead,
    name: &str,
    format: Format,
    options: &ReadOptions,
) -> Result<LoadedGraph> {
    match format {
        Format::EdgeList => read_edge_list_from(reader, name, options),
        Format::Points => read_points_from(reader, name, options),
        Format::MatrixMarket => read_matrix_market_from(reader, name, options),
        Format::GraphMl => read_graphml_from(reader, name, options),
    }
}

/// Writes a graph whole to `path`, in `format` or the one of its extension; `-` is the standard
/// output.
///
/// Points are written for [`Format::Points`], which needs them, and [`Format::GraphMl`].
///
/// # Errors
/// When the format is unknown or cannot hold the graph's ids, or the file cannot be written.
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
    if format == Format::Points && positions.is_none() {
        return Err(Error::parameter(
            "positions",
            "none",
            "a point for every node, to write a table of points",
        ));
    }
    write_whole(path, |out| match (format, positions) {
        (Format::Points, Some(positions)) => write_points(out, graph.labels(), positions),
        (Format::EdgeList | Format::Points, _) => write_edge_list(out, graph),
        (Format::MatrixMarket, _) => write_matrix_market(out, graph),
        (Format::GraphMl, positions) => write_graphml(out, graph, positions),
    })
}

/// Whether `path` is `-`, the standard input or output.
fn is_standard(path: &Path) -> bool {
    path.as_os_str() == "-"
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
    let graph = builder.build().map_err(|e| fault::in_file(e, name))?;
    let cleaning = graph.cleaning();
    for (count, one, many) in [
        (
            cleaning.self_loops,
            "edge from a node to itself was dropped",
            "edges from a node to itself were dropped",
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
    ] {
        if count > 0 {
            notes.push(format!("{count} {}", if count == 1 { one } else { many }));
        }
    }
    Ok(LoadedGraph {
        graph,
        positions: None,
        format,
        notes,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_go_by_extension_in_either_case() {
        for (path, format) in [
            ("a.csv", Format::EdgeList),
            ("a.b.TSV", Format::EdgeList),
            ("dir.mtx/a.edges", Format::EdgeList),
            ("a.txt", Format::EdgeList),
            ("-", Format::EdgeList),
            ("a.mtx", Format::MatrixMarket),
            ("a.GraphML", Format::GraphMl),
        ] {
            assert_eq!(Format::from_path(path.as_ref()).unwrap(), format, "{path}");
        }
    }

    #[test]
    fn other_extensions_list_what_is_read() {
        let message = |path: &str| Format::from_path(path.as_ref()).unwrap_err().to_string();
        assert_eq!(
            message("a.npz"),
            "a.npz: found the extension .npz, which is not read yet, \
             expected .csv, .tsv, .edges, .txt, .mtx or .graphml"
        );
        assert_eq!(
            message("a.jpg"),
            "a.jpg: found the extension `.jpg`, expected .csv, .tsv, .edges, .txt, .mtx or .graphml"
        );
        assert_eq!(
            message("graph"),
            "graph: found no extension, expected .csv, .tsv, .edges, .txt, .mtx or .graphml"
        );
    }

    #[test]
    fn points_are_read_from_any_table_and_from_nothing_else() {
        let points = ReadOptions {
            points: true,
            ..ReadOptions::default()
        };
        for path in ["-", "a.csv", "a.xy", "a"] {
            assert_eq!(points.format_of(path.as_ref()).unwrap(), Format::Points);
        }
        assert!(points.format_of("a.mtx".as_ref()).is_err());
        let both = ReadOptions {
            format: Some(Format::GraphMl),
            ..points
        };
        assert!(both.format_of("a.csv".as_ref()).is_err());
    }

    #[test]
    fn a_missing_file_is_named() {
        let error = read_graph("no/such/file.csv".as_ref(), &ReadOptions::default()).unwrap_err();
        assert!(
            error.to_string().starts_with("no/such/file.csv: "),
            "{error}"
        );
    }
}
