//! Tables of nodes: `id[,column…]`, a row for every node of a graph.
//!
//! A list of edges knows no node without an edge. A table of nodes names them all, so that nodes without
//! edges can be matched, anchored, or be named as unmatched. The first column holds the ids; a first row that
//! begins with `id`, `node`, `name`, `label` or `vertex` is a header, and more columns than one need it. The other
//! columns are what is known of the nodes; an empty field is a word that is not known, and a column without a name is
//! left aside.

use std::collections::HashMap;
use std::io::BufRead;
use std::path::Path;

use anchormatch::error::{Hint, Result};
use anchormatch::matching::Note;

use super::LoadedGraph;
use super::fault::{fault, quoted};
use super::header;
use super::table::{Row, Shape, Table};

/// What a first column may be called.
pub(super) const ID_NAMES: [&str; 7] =
    ["id", "node", "name", "label", "vertex", "node_id", "nodeid"];

const SHAPE: Shape = Shape {
    columns: 1..=1024,
    ragged: false,
    attributes: false,
    longest_line: Shape::LINE,
    wanted: "id, or id and other columns under a header",
};

/// The ids of a graph's nodes and what is known of them, not yet compared with any graph.
#[derive(Debug, Clone, PartialEq)]
pub struct NodeTable {
    /// The ids in the order of the file.
    pub ids: Vec<String>,
    /// The other columns that have names.
    pub columns: Vec<TableColumn>,
    /// The file, for errors.
    pub file: String,
    /// Whether the first row was taken as a header.
    pub has_header: bool,
}

/// A column of a [`NodeTable`].
#[derive(Debug, Clone, PartialEq)]
pub struct TableColumn {
    /// Its name in the header.
    pub name: String,
    /// A word for each of the ids, or none.
    pub words: Vec<Option<String>>,
}

/// Reads the table of nodes at `path`; `-` is the standard input.
///
/// # Errors
/// When the file cannot be read or a row is malformed.
pub fn read_nodes(path: &Path) -> Result<NodeTable> {
    read_nodes_with(path, None)
}

/// Reads the table of nodes at `path`; `header` says whether the first row is one, `None` goes by its names.
///
/// # Errors
/// See [`read_nodes`].
pub fn read_nodes_with(path: &Path, header: Option<bool>) -> Result<NodeTable> {
    super::open(path, |reader, name| read_table(reader, name, header))
}

/// Reads a table of nodes from any reader; `name` stands for the file in errors.
///
/// # Errors
/// When a row is malformed, an id or the name of a column stands twice, or there is no node.
pub fn read_nodes_from(reader: impl BufRead, name: &str) -> Result<NodeTable> {
    read_table(reader, name, None)
}

fn read_table(reader: impl BufRead, name: &str, has_header: Option<bool>) -> Result<NodeTable> {
    let mut table = Table::new(reader, name, SHAPE);
    let mut lines: HashMap<String, u64> = HashMap::new();
    let mut found = NodeTable {
        ids: Vec::new(),
        columns: Vec::new(),
        file: name.to_owned(),
        has_header: false,
    };
    let mut first = true;
    // Where the columns that have names stand.
    let mut places = Vec::new();
    while let Some(row) = table.next()? {
        if std::mem::take(&mut first) {
            let is_named = ID_NAMES
                .iter()
                .any(|id| row.get(0).eq_ignore_ascii_case(id));
            let is_header = has_header.unwrap_or(is_named);
            if !is_header && row.len() > 1 {
                let expected =
                    "a header that begins with id, where there are more columns than one";
                let error = row.fault(0, quoted(row.get(0)), expected);
                return Err(error.hinting(&[Hint::WithHeader]));
            }
            found.has_header = is_header;
            if is_header {
                places = (1..row.len()).filter(|&k| !row.get(k).is_empty()).collect();
                found.columns = named_columns(&row, &places)?;
                continue;
            }
        }
        let id = row.id(0)?.to_owned();
        if let Some(line) = lines.insert(id.clone(), row.line()) {
            let again = format!("the node {} once more, which line {line} has", quoted(&id));
            return Err(row.fault(0, again, "one row for every node"));
        }
        found.ids.push(id);
        for (column, &place) in found.columns.iter_mut().zip(&places) {
            let word = Some(row.get(place)).filter(|word| !word.is_empty());
            column.words.push(word.map(str::to_owned));
        }
    }
    if found.ids.is_empty() {
        return Err(fault(name, None, None, "no node", "a row for every node"));
    }
    Ok(found)
}

/// The columns of a header at `places`, without words yet.
fn named_columns(header: &Row<'_>, places: &[usize]) -> Result<Vec<TableColumn>> {
    let mut columns: Vec<TableColumn> = Vec::with_capacity(places.len());
    for &place in places {
        let name = header.get(place);
        if columns.iter().any(|column| column.name == name) {
            let found = format!("the column {} once more", quoted(name));
            return Err(header.fault(place, found, "a name of its own for every column"));
        }
        columns.push(TableColumn {
            name: name.to_owned(),
            words: Vec::new(),
        });
    }
    Ok(columns)
}

impl LoadedGraph {
    /// The same graph with the nodes of `table` that have no edge, and with its columns.
    ///
    /// # Errors
    /// When the graph has a node that the table does not name, or the nodes are points and it names others.
    pub fn with_nodes(mut self, table: &NodeTable) -> Result<Self> {
        let labels = self.graph.labels();
        let mut is_named = vec![false; labels.len()];
        let mut alone = Vec::new();
        let mut places = Vec::with_capacity(table.ids.len());
        for id in &table.ids {
            places.push(match labels.find(id) {
                Some(node) => {
                    is_named[node] = true;
                    node
                }
                None => {
                    alone.push(id.clone());
                    labels.len() + alone.len() - 1
                }
            });
        }
        if let Some(missing) = is_named.iter().position(|named| !named) {
            let found = format!(
                "no row for the node {} of the graph",
                quoted(&labels.get(missing))
            );
            let expected = "every node of the graph, with edges or without";
            return Err(fault(&table.file, None, None, found, expected));
        }
        if let Some(id) = alone.first().filter(|_| self.format.is_points()) {
            let found = format!("the node {}, which is no point", quoted(id));
            let expected = "the ids of the points alone, which have coordinates";
            return Err(fault(&table.file, None, None, found, expected));
        }
        // A name that is no id of the table's own: all others have edges, or are numbers.
        if let [first, others @ ..] = table.ids.as_slice()
            && !table.has_header
            && !others.is_empty()
            && alone.first() == Some(first)
            && (alone.len() == 1 || header::is_odd(first, others.iter().map(String::as_str)))
        {
            let doubt = header::read_as(&quoted(first), "a node without edges");
            self.doubts.push(in_file_of(table, &doubt));
        }
        if !alone.is_empty() {
            self.graph = self.graph.with_isolated(alone)?;
        }
        self.columns.add_table(table, &places);
        Ok(self)
    }
}

/// A note that names the file of the table, beside those of the graph's own.
fn in_file_of(table: &NodeTable, note: &Note) -> Note {
    Note::hinting(format!("{}: {}", table.file, note.text()), note.hints())
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
    fn nodes_that_are_named_need_no_edges() {
        let table = nodes("id\nb\na\n").expect("a table of nodes");
        let options = ReadOptions {
            nodes: Some(std::sync::Arc::new(table.clone())),
            ..ReadOptions::default()
        };
        for text in ["", "source,target\n"] {
            let empty = read_graph_from(text.as_bytes(), "g.csv", Format::EdgeList, &options);
            let empty = empty.expect("an empty list").with_nodes(&table);
            let graph = empty.expect("names for nobody else").graph;
            assert_eq!((graph.node_count(), graph.edge_count()), (2, 0));
        }
    }

    #[test]
    fn nodes_without_edges_exist() {
        let table = nodes("id,type\nc,x\nb,y\nalone,x\na,x\nlonely,\n").unwrap();
        assert_eq!(table.columns[0].name, "type");
        let loaded = graph("a,b\nb,c\n").with_nodes(&table).unwrap();
        assert_eq!(
            (loaded.graph.node_count(), loaded.graph.edge_count()),
            (5, 2)
        );
        let ids: Vec<_> = loaded.graph.labels().iter().collect();
        assert_eq!(ids, ["a", "b", "c", "alone", "lonely"]);
        assert_eq!(loaded.graph.neighbours(4).len(), 0);
        assert_eq!(loaded.graph.weight(1, 2), 1.0);
        let types = loaded.columns.get("type").unwrap();
        assert!(types.in_table && loaded.columns.get("id").is_none());
        assert_eq!(
            types.words(5),
            [Some("x"), Some("y"), Some("x"), Some("x"), None]
        );
        // Ids alone need no header, and a graph that has all of them stays as it is.
        let same = graph("a,b\n")
            .with_nodes(&nodes("b\na\n").unwrap())
            .unwrap();
        assert_eq!(same, graph("a,b\n"));
    }

    #[test]
    fn a_first_row_that_is_unlike_the_others_is_doubted() {
        let doubts = |text: &str, header| {
            let table = read_table(text.as_bytes(), "n.csv", header).unwrap();
            let loaded = graph("1,2\n2,3\n").with_nodes(&table).unwrap();
            (
                loaded.graph.node_count(),
                loaded.worded_notes(Hint::neutral),
            )
        };
        let (nodes, notes) = doubts("neuron\n1\n2\n3\n", None);
        assert_eq!(nodes, 4);
        assert_eq!(
            notes,
            [
                "n.csv: the first row, `neuron`, was read as a node without edges: is it a header?; \
              say that there is a header if it is one"
            ]
        );
        assert_eq!(doubts("neuron\n1\n2\n3\n", Some(true)), (3, Vec::new()));
        assert_eq!(doubts("4\n1\n5\n2\n3\n", None), (5, Vec::new()));
        let table = read_table(&b"neuron,kind\n1,x\n"[..], "n.csv", Some(true)).unwrap();
        assert_eq!((table.ids.len(), table.columns.len()), (1, 1));
        let error = read_table(&b"id,kind\n1,x\n"[..], "n.csv", Some(false)).unwrap_err();
        assert!(
            error.to_string().contains("a header that begins with id"),
            "{error}"
        );
    }

    #[test]
    fn columns_without_a_name_are_left_aside() {
        let table = nodes("id;age;;city\na;3;?;Rome\nb;;;\n").unwrap();
        let names: Vec<&str> = table.columns.iter().map(|c| c.name.as_str()).collect();
        assert_eq!(names, ["age", "city"]);
        assert_eq!(table.columns[1].words, [Some("Rome".to_owned()), None]);
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
            (
                "id,x,y,x\nann,1,2,3\n",
                "line 1, column 4: found the column `x` once more",
            ),
        ] {
            let error = nodes(text).unwrap_err().to_string();
            assert!(error.contains(words), "{text:?}: {error}");
        }
        let missing = graph("a,b\nb,c\n").with_nodes(&nodes("id\na\nc\n").unwrap());
        let error = missing.unwrap_err().to_string();
        assert!(error.contains("n.csv") && error.contains("`b`"), "{error}");
    }
}
