//! Tables of nodes: `id[,column…]`, a row for every node of a graph.
//!
//! A list of edges knows no node without an edge. A table of nodes names them all, so that nodes without
//! edges can be matched, anchored, or be named as unmatched. The first column holds the ids; a first row that
//! begins with `id`, `node`, `name`, `label` or `vertex` is a header, and more columns than one need it.

use std::collections::HashMap;
use std::io::BufRead;
use std::path::Path;

use anchormatch::error::Result;

use super::LoadedGraph;
use super::fault::{fault, quoted};
use super::table::{Shape, Table};

/// What a first column may be called.
const ID_NAMES: [&str; 7] = ["id", "node", "name", "label", "vertex", "node_id", "nodeid"];

const SHAPE: Shape = Shape {
    columns: 1..=1024,
    ragged: false,
    attributes: false,
    longest_line: Shape::LINE,
    wanted: "id, or id and other columns under a header",
};

/// The ids of a graph's nodes, not yet compared with any graph.
#[derive(Debug, Clone, PartialEq)]
pub struct NodeTable {
    /// The ids in the order of the file.
    pub ids: Vec<String>,
    /// The names of the other columns.
    pub columns: Vec<String>,
    /// The file, for errors.
    pub file: String,
}

/// Reads the table of nodes at `path`; `-` is the standard input.
///
/// # Errors
/// When the file cannot be read or a row is malformed.
pub fn read_nodes(path: &Path) -> Result<NodeTable> {
    super::open(path, |reader, name| read_nodes_from(reader, name))
}

/// Reads a table of nodes from any reader; `name` stands for the file in errors.
///
/// # Errors
/// When a row is malformed, an id stands twice, or there is no node.
pub fn read_nodes_from(reader: impl BufRead, name: &str) -> Result<NodeTable> {
    let mut table = Table::new(reader, name, SHAPE);
    let mut lines: HashMap<String, u64> = HashMap::new();
    let mut found = NodeTable {
        ids: Vec::new(),
        columns: Vec::new(),
        file: name.to_owned(),
    };
    let mut first = true;
    while let Some(row) = table.next()? {
        if std::mem::take(&mut first) {
            let is_header = ID_NAMES
                .iter()
                .any(|id| row.get(0).eq_ignore_ascii_case(id));
            if !is_header && row.len() > 1 {
                let expected =
                    "a header that begins with id, where there are more columns than one";
                return Err(row.fault(0, quoted(row.get(0)), expected));
            }
            if is_header {
                let others = (1..row.len()).map(|k| row.get(k).to_owned());
                found.columns = others.collect();
                continue;
            }
        }
        let id = row.id(0)?.to_owned();
        if let Some(line) = lines.insert(id.clone(), row.line()) {
            let again = format!("the node {} once more, which line {line} has", quoted(&id));
            return Err(row.fault(0, again, "one row for every node"));
        }
        found.ids.push(id);
    }
    if found.ids.is_empty() {
        return Err(fault(name, None, None, "no node", "a row for every node"));
    }
    Ok(found)
}

impl LoadedGraph {
    /// The same graph with the nodes of `table` that have no edge.
    ///
    /// # Errors
    /// When the graph has a node that the table does not name.
    pub fn with_nodes(mut self, table: &NodeTable) -> Result<Self> {
        let labels = self.graph.labels();
        let mut is_named = vec![false; labels.len()];
        let mut alone = Vec::new();
        for id in &table.ids {
            match labels.find(id) {
                Some(node) => is_named[node] = true,
                None => alone.push(id.clone()),
            }
        }
        if let Some(missing) = is_named.iter().position(|named| !named) {
            let found = format!(
                "no row for the node {} of the graph",
                quoted(&labels.get(missing))
            );
            let expected = "every node of the graph, with edges or without";
            return Err(fault(&table.file, None, None, found, expected));
        }
        if !alone.is_empty() {
            self.graph = self.graph.with_isolated(alone)?;
        }
        if !table.columns.is_empty() {
            let names = table.columns.join(", ");
            self.notes
                .push(format!("columns of its nodes that are not used: {names}"));
        }
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Format, ReadOptions, read_graph_from};

    fn nodes(text: &str) -> Result<NodeTable> {
        read_nodes_from(text.as_bytes(), "n.csv")
    }

    fn graph(text: &str) -> LoadedGraph {
        let options = ReadOptions::default();
        read_graph_from(text.as_bytes(), "g.csv", Format::EdgeList, &options).unwrap()
    }

    #[test]
    fn nodes_without_edges_exist() {
        let table = nodes("id,type\nc,x\nb,y\nalone,x\na,x\nlonely,\n").unwrap();
        assert_eq!(table.columns, ["type"]);
        let loaded = graph("a,b\nb,c\n").with_nodes(&table).unwrap();
        assert_eq!(
            (loaded.graph.node_count(), loaded.graph.edge_count()),
            (5, 2)
        );
        let ids: Vec<_> = loaded.graph.labels().iter().collect();
        assert_eq!(ids, ["a", "b", "c", "alone", "lonely"]);
        assert_eq!(loaded.graph.neighbours(4).len(), 0);
        assert_eq!(loaded.graph.weight(1, 2), 1.0);
        assert!(loaded.notes[0].contains("type"), "{:?}", loaded.notes);
        // Ids alone need no header, and a graph that has all of them stays as it is.
        let same = graph("a,b\n")
            .with_nodes(&nodes("b\na\n").unwrap())
            .unwrap();
        assert_eq!(same, graph("a,b\n"));
    }

    #[test]
    fn every_fault_has_its_message() {
        for (text, words) in [
            ("# none\n", "found no node"),
            ("id\n", "found no node"),
            ("ann,3\n", "a header that begins with id"),
            (
                "id\nann\nbob\nann\n",
                "line 4, column 1: found the node `ann` once more, which line 2 has",
            ),
            ("id,x\nann\n", "line 2"),
        ] {
            let error = nodes(text).unwrap_err().to_string();
            assert!(error.contains(words), "{text:?}: {error}");
        }
        let missing = graph("a,b\nb,c\n").with_nodes(&nodes("id\na\nc\n").unwrap());
        let error = missing.unwrap_err().to_string();
        assert!(error.contains("n.csv") && error.contains("`b`"), "{error}");
    }
}
