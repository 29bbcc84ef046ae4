//! How graphs are read, and what a reader may take while it does.

use std::path::Path;
use std::sync::Arc;

use anchormatch::error::{Error, Hint, Result};
use anchormatch::graph::{Directions, Duplicates, GraphBuilder};

use super::fault::{fault, quoted};
use super::format::Format;
use super::nodes::NodeTable;

/// How to read a graph.
#[derive(Debug, Clone, Default)]
pub struct ReadOptions {
    /// The format; `None` goes by the extension.
    pub format: Option<Format>,
    /// Whether the file is a table of points; a short way to ask for [`Format::Points`].
    pub points: bool,
    /// Whether points come without edges, for those who ask where they lie and not how far apart they are:
    /// the graph then has their ids alone. Without, it is the complete graph of their distances.
    pub edgeless: bool,
    /// The table that names the nodes, where there is one: an edge list then needs no edges. Nodes that have none are
    /// added by [`with_nodes`](super::LoadedGraph::with_nodes).
    pub nodes: Option<Arc<NodeTable>>,
    /// The columns of a table of points that hold x, y and perhaps z, by their names in the header or by
    /// their numbers from 1; `None` goes by the names `x`, `y`, `z`, or by position.
    pub columns: Option<Vec<String>>,
    /// Whether the other columns of a table of points are kept, as [columns](super::LoadedGraph::columns) of its
    /// nodes, where a header names them; without, they are passed over with a note.
    pub node_columns: bool,
    /// What happens to an edge with two weights.
    pub duplicates: Duplicates,
    /// Whether the first row of an edge list is a header; `None` goes by its names.
    pub header: Option<bool>,
    /// Whether edges have directions: `true` reads rows of an edge list as arcs, `false` sets all directions
    /// aside. `None` goes by what the file says, unless [`duplicates`](Self::duplicates) says how edges with two
    /// weights, and with them the two directions of a pair, become one.
    pub directed: Option<bool>,
    /// The name of the edge attribute or column that holds the weight, where edges have named
    /// attributes; `None` is `weight`.
    pub weight: Option<String>,
    /// The edge attribute or column that holds the kinds of the edges, their layers or relations, by its name or, in
    /// an edge list, its number from 1; `None` reads no kinds. Edges of several kinds between two nodes are one edge of
    /// the graph, whose weight is their sum.
    pub kinds: Option<String>,
    /// The name of the node attribute that holds the ids in GraphML and GML; `None` is the `id` of
    /// GraphML, and in GML the `label` where every node has one of its own, else the `id`.
    pub node_id: Option<String>,
    /// The name of the matrix in a file that holds several: `.mat` and `.npz`; in COCO's JSON the `id` of the
    /// annotation.
    pub variable: Option<String>,
    /// The most bytes that the graph may take; `None` allows 16 GiB, and to nodes that a header
    /// merely announces no more than the entries make plausible. A compressed file may hold no more
    /// bytes than that.
    pub max_memory: Option<u64>,
}

/// What a reader may take when the caller does not say.
pub(super) const DEFAULT_MEMORY: u64 = 16 << 30;

impl ReadOptions {
    /// The format that `path` is to be read in.
    pub(super) fn format_of(&self, path: &Path) -> Result<Format> {
        match (self.format, self.points) {
            (Some(format), true) if format.is_points() => Ok(format),
            (None, true) => {
                // Any table may hold points, whatever it is called; other known formats do not.
                match Format::from_path(path) {
                    Ok(Format::EdgeList) | Err(_) => Ok(Format::Points),
                    Ok(format) if format.is_points() => Ok(format),
                    Ok(_) => Err(fault(
                        &path.display().to_string(),
                        None,
                        None,
                        "a format that has no table of points",
                        "rows of x,y[,z] where points are asked for",
                    )),
                }
            }
            (Some(format), true) => Err(Error::parameter(
                "format",
                format.name(),
                "points, because points are asked for",
            )),
            (Some(format), false) => Ok(format),
            (None, false) => Format::from_path(path),
        }
    }

    /// Refuses columns that are not two or three, or are asked of a format that has none of points.
    pub(super) fn check_columns(&self, format: Format) -> Result<()> {
        let Some(columns) = &self.columns else {
            return Ok(());
        };
        if !matches!(format, Format::Points | Format::Xyz) {
            let found = format!("a choice for the format {}", format.name());
            let error = Error::parameter("columns", found, "a table of points");
            return Err(error);
        }
        if !(2..=3).contains(&columns.len()) || columns.iter().any(String::is_empty) {
            let found = format!("`{}`", columns.join(","));
            return Err(Error::parameter(
                "columns",
                found,
                "two or three: X,Y or X,Y,Z",
            ));
        }
        Ok(())
    }

    /// Refuses kinds of edges where the format has no place for them.
    pub(super) fn check_kinds(&self, file: &str, format: Format) -> Result<()> {
        let Some(kinds) = &self.kinds else {
            return Ok(());
        };
        if matches!(format, Format::EdgeList | Format::GraphMl | Format::Gml) {
            return Ok(());
        }
        let found = format!(
            "the format {}, whose edges have no attribute {}",
            format.name(),
            quoted(kinds)
        );
        let expected = "an edge list, GraphML or GML, which have kinds of edges";
        Err(fault(file, None, None, found, expected))
    }

    /// A builder that follows these options.
    pub(super) fn builder(&self, name: &str) -> GraphBuilder {
        let builder = self.following(GraphBuilder::new(), name);
        match self.kinds {
            // Repetitions of one kind were merged before.
            Some(_) => builder.duplicates(Duplicates::Sum),
            None => builder,
        }
    }

    /// The builder, told these options.
    pub(super) fn following(&self, builder: GraphBuilder, name: &str) -> GraphBuilder {
        let builder = builder
            .duplicates(self.duplicates)
            .directions(self.directions());
        builder.file(name)
    }

    /// What becomes of directions.
    pub(super) fn directions(&self) -> Directions {
        let as_written = self.duplicates == Duplicates::Error;
        if self.directed.unwrap_or(as_written) {
            Directions::Keep
        } else {
            Directions::Ignore
        }
    }

    /// A builder of `nodes` nodes called `first`, `first + 1`, …; `place` is where the file says how
    /// many there are.
    pub(super) fn counted_builder(
        &self,
        name: &str,
        first: usize,
        nodes: u64,
        place: Option<(u64, usize)>,
    ) -> Result<GraphBuilder> {
        let counted = usize::try_from(nodes)
            .ok()
            .and_then(|nodes| GraphBuilder::counted_from(first, nodes).ok())
            .filter(|_| nodes > 0);
        let (line, column) = place.unzip();
        match counted {
            Some(builder) => Ok(self.following(builder, name)),
            None if nodes == 0 => Err(fault(name, line, column, "0 nodes", "at least one")),
            None => {
                let wanted = format!("at most {}", u32::MAX);
                Err(fault(name, line, column, format!("{nodes} nodes"), wanted))
            }
        }
    }

    /// The bytes allowed.
    pub(super) fn limit(&self) -> u64 {
        self.max_memory.unwrap_or(DEFAULT_MEMORY)
    }

    /// Refuses `what` when it would pass the memory allowed, which is `otherwise` by default.
    pub(super) fn reserve(
        &self,
        what: &str,
        needed: u64,
        otherwise: u64,
        hints: &'static [Hint],
    ) -> Result<()> {
        let limit = self.max_memory.unwrap_or(otherwise);
        if needed <= limit {
            return Ok(());
        }
        Err(Error::Memory {
            what: what.to_owned(),
            needed,
            limit,
            hints,
        })
    }

    /// Refuses nodes and edges past the memory allowed, as they come.
    pub(super) fn reserve_graph(&self, file: &str, builder: &GraphBuilder) -> Result<()> {
        self.reserve_beside(file, builder, 0)
    }

    /// [`reserve_graph`](Self::reserve_graph) when the reader holds `others` bytes of its own.
    pub(super) fn reserve_beside(
        &self,
        file: &str,
        builder: &GraphBuilder,
        others: u64,
    ) -> Result<()> {
        let needed = builder.memory().saturating_add(others);
        if needed <= self.limit() {
            return Ok(());
        }
        let (nodes, edges) = (builder.node_count(), builder.edge_count());
        let what = format!("{file}: a graph of more than {edges} edges and {nodes} nodes");
        let hints = &[Hint::MoreMemory, Hint::SmallerGraph];
        self.reserve(&what, needed, DEFAULT_MEMORY, hints)
    }

    /// Refuses nodes that a header announces and `entries` entries do not make plausible: isolated
    /// nodes are welcome, but not so many that only a damaged header explains them.
    pub(super) fn reserve_nodes(&self, file: &str, nodes: u64, entries: u64) -> Result<()> {
        self.reserve_nodes_of(file, nodes, GraphBuilder::NODE_BYTES, entries)
    }

    /// [`reserve_nodes`](Self::reserve_nodes) for nodes of `each` bytes.
    pub(super) fn reserve_nodes_of(
        &self,
        file: &str,
        nodes: u64,
        each: u64,
        entries: u64,
    ) -> Result<()> {
        self.reserve(
            &format!("{file}: a graph of {nodes} nodes"),
            nodes.saturating_mul(each),
            entries.saturating_mul(1024).saturating_add(256 << 20),
            &[Hint::CheckCounts, Hint::MoreMemory],
        )
    }

    /// Refuses a matrix of n×n numbers that would pass the memory allowed.
    pub(super) fn reserve_dense(&self, file: &str, n: u64) -> Result<()> {
        self.reserve(
            &format!("{file}: a matrix of {n}×{n} numbers"),
            n.saturating_mul(n).saturating_mul(8),
            DEFAULT_MEMORY,
            &[Hint::MoreMemory, Hint::SparseGraph],
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_read_from_any_table_and_from_nothing_else() {
        let points = ReadOptions {
            points: true,
            ..ReadOptions::default()
        };
        for path in ["-", "a.csv", "a.xy", "a", "a.csv.gz"] {
            assert_eq!(points.format_of(path.as_ref()).unwrap(), Format::Points);
        }
        let ply = points.format_of("a.ply".as_ref()).unwrap();
        assert_eq!(ply, Format::Ply);
        for path in ["a.mtx", "a.graphml.gz", "a.npy"] {
            assert!(points.format_of(path.as_ref()).is_err(), "{path}");
        }
        let both = ReadOptions {
            format: Some(Format::GraphMl),
            ..points
        };
        assert!(both.format_of("a.csv".as_ref()).is_err());
    }

    #[test]
    fn absurd_counts_are_refused_without_arithmetic_going_astray() {
        let options = ReadOptions::default();
        assert!(options.counted_builder("f", 1, 0, None).is_err());
        assert!(
            options
                .counted_builder("f", 1, u64::MAX, Some((2, 1)))
                .is_err()
        );
        assert!(options.reserve_dense("f", u64::MAX).is_err());
        assert!(options.reserve_nodes("f", u64::MAX, 1 << 40).is_err());
        assert!(options.reserve_nodes("f", 1000, 0).is_ok());
    }
}
