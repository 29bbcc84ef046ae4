//! Features of nodes, long and sparse: `node,attr[,value]`, a row for each feature that a node has.
//!
//! A missing value is 1, and what is not listed is 0. The first row is a header when its first field is a name of ids
//! (`id`, `node`, …) and its second one of `attr`, `attribute`, `feature`, `key`, `term`, `word`, `tag`, or when its
//! third field is a name rather than a number.

use std::collections::{BTreeMap, HashMap};
use std::io::BufRead;
use std::path::Path;

use anchormatch::error::{Hint, Result};
use anchormatch::graph::Graph;
use anchormatch::linalg::Csr;
use anchormatch::matching::Note;

use super::fault::{fault, quoted};
use super::header;
use super::nodes::ID_NAMES;
use super::table::{Shape, Table};

/// What a second column may be called.
const FEATURE_NAMES: [&str; 8] = [
    "attr",
    "attribute",
    "attributes",
    "feature",
    "key",
    "term",
    "word",
    "tag",
];

const SHAPE: Shape = Shape {
    columns: 2..=3,
    ragged: false,
    attributes: false,
    longest_line: Shape::LINE,
    wanted: "node,attr or node,attr,value",
};

/// The features of nodes, not yet compared with any graph.
#[derive(Debug, Clone, PartialEq)]
pub struct FeatureTable {
    rows: Vec<FeatureRow>,
    file: String,
    has_header: bool,
    /// Where the first row may have been misread.
    pub doubts: Vec<Note>,
}

#[derive(Debug, Clone, PartialEq)]
struct FeatureRow {
    node: String,
    feature: String,
    value: f64,
    line: u64,
}

/// Reads the features at `path`; `-` is the standard input.
///
/// # Errors
/// When the file cannot be read or a row is malformed.
pub fn read_features(path: &Path) -> Result<FeatureTable> {
    read_features_with(path, None)
}

/// Reads the features at `path`; `header` says whether the first row is one, `None` goes by its names.
///
/// # Errors
/// See [`read_features`].
pub fn read_features_with(path: &Path, header: Option<bool>) -> Result<FeatureTable> {
    super::open(path, |reader, name| read_table(reader, name, header))
}

/// Reads features from any reader; `name` stands for the file in errors.
///
/// # Errors
/// When a row is malformed or there is none.
pub fn read_features_from(reader: impl BufRead, name: &str) -> Result<FeatureTable> {
    read_table(reader, name, None)
}

fn read_table(reader: impl BufRead, name: &str, said: Option<bool>) -> Result<FeatureTable> {
    let mut table = Table::new(reader, name, SHAPE);
    let mut rows = Vec::new();
    let mut first = true;
    let mut has_header = false;
    let mut doubts = Vec::new();
    while let Some(row) = table.next()? {
        if std::mem::take(&mut first) {
            let is = |k: usize, names: &[&str]| {
                names
                    .iter()
                    .any(|name| row.get(k).eq_ignore_ascii_case(name))
            };
            let is_named = is(0, &ID_NAMES) && is(1, &FEATURE_NAMES);
            has_header = said.unwrap_or(is_named || (row.len() == 3 && row.is_name(2)));
            if has_header {
                doubts.extend((said.is_none() && !is_named).then(|| header::taken(&row)));
                continue;
            }
        }
        let feature = match row.get(1) {
            "" => return Err(row.fault(1, "an empty field", "the name of an attribute")),
            feature => feature,
        };
        rows.push(FeatureRow {
            node: row.id(0)?.to_owned(),
            feature: feature.to_owned(),
            value: if row.len() > 2 && !row.get(2).is_empty() {
                row.number(2)?
            } else {
                1.0
            },
            line: row.line(),
        });
    }
    if rows.is_empty() {
        let expected = "rows of node,attr[,value]";
        return Err(fault(name, None, None, "no attribute", expected));
    }
    Ok(FeatureTable {
        rows,
        file: name.to_owned(),
        has_header,
        doubts,
    })
}

/// The weights of all features of both sides: a row for each node and a column for each name that
/// either table has, in alphabetical order.
///
/// # Errors
/// With the file and the line, when a node is unknown or has a feature twice with different values.
pub fn feature_weights(
    source: (&FeatureTable, &Graph),
    target: (&FeatureTable, &Graph),
) -> Result<[Csr<f64>; 2]> {
    let all = source.0.rows.iter().chain(&target.0.rows);
    let mut columns: BTreeMap<&str, usize> = all.map(|row| (row.feature.as_str(), 0)).collect();
    for (place, column) in columns.values_mut().enumerate() {
        *column = place;
    }
    Ok([
        source.0.weights(source.1, "source", &columns)?,
        target.0.weights(target.1, "target", &columns)?,
    ])
}

impl FeatureTable {
    /// The node, the attribute and the value of each row.
    pub fn rows(&self) -> impl Iterator<Item = (&str, &str, f64)> {
        let rows = self.rows.iter();
        rows.map(|row| (row.node.as_str(), row.feature.as_str(), row.value))
    }

    /// The file, for notes.
    #[must_use]
    pub fn file(&self) -> &str {
        &self.file
    }

    fn weights(
        &self,
        graph: &Graph,
        side: &str,
        columns: &BTreeMap<&str, usize>,
    ) -> Result<Csr<f64>> {
        let mut listed: HashMap<(usize, usize), f64> = HashMap::with_capacity(self.rows.len());
        for row in &self.rows {
            let Some(node) = graph.labels().find(&row.node) else {
                let found = format!("the unknown id {}", quoted(&row.node));
                let expected = format!("the id of a node of the {side} graph");
                let error = fault(&self.file, Some(row.line), Some(1), found, expected);
                let is_first = !self.has_header && self.rows[0].line == row.line;
                return Err(match is_first && self.rows.len() > 1 {
                    true => error.hinting(&[Hint::WithHeader]),
                    false => error,
                });
            };
            let place = (node, columns[row.feature.as_str()]);
            let known = *listed.entry(place).or_insert(row.value);
            if known != row.value {
                let found = format!("{} for an attribute that had {known} before", row.value);
                let expected = "one value of each attribute of a node";
                return Err(fault(&self.file, Some(row.line), Some(3), found, expected));
            }
        }
        let listed = listed.into_iter().filter(|(_, value)| *value != 0.0);
        let listed = listed.map(|((node, column), value)| (node, column, value));
        Csr::from_triplets(graph.node_count(), columns.len(), listed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anchormatch::graph::Labels;

    fn graph(names: &[&str]) -> Graph {
        let labels = Labels::new(names.iter().map(|&n| n.to_owned()).collect()).unwrap();
        Graph::from_edges(names.len(), &[])
            .and_then(|graph| graph.with_labels(labels))
            .unwrap()
    }

    fn table(text: &str) -> Result<FeatureTable> {
        read_features_from(text.as_bytes(), "f.csv")
    }

    #[test]
    fn both_sides_have_the_columns_of_either() {
        let (one, two) = (graph(&["a", "b"]), graph(&["u", "v", "w"]));
        for (left, right) in [
            ("a,red\na,big,\n", "v,red\nw,small\n"),
            (
                "node,attr\na,red\na,big\na,red\n",
                "id\tFeature\nv\tred\nw\tsmall\n",
            ),
            (
                "node,attr,value\na,red,1\na,big,1\n",
                "x,y,how much\nv,red,1\nw,small,1\nu,big,0\n",
            ),
        ] {
            // The first text has an empty value, which needs three columns.
            let left = left.replace("a,red\na,big,\n", "a,red,\na,big,\n");
            let (left, right) = (table(&left).unwrap(), table(right).unwrap());
            let [source, target] = feature_weights((&left, &one), (&right, &two)).unwrap();
            assert_eq!((source.rows(), source.cols()), (2, 3));
            assert_eq!((target.rows(), target.cols()), (3, 3));
            let entries: Vec<_> = source.triplets().collect();
            assert_eq!(entries, [(0, 0, 1.0), (0, 1, 1.0)]);
            let entries: Vec<_> = target.triplets().collect();
            assert_eq!(entries, [(1, 1, 1.0), (2, 2, 1.0)]);
        }
    }

    #[test]
    fn a_header_may_be_told_and_a_doubtful_one_is_noted() {
        let read = |text: &str, header| read_table(text.as_bytes(), "f.csv", header).unwrap();
        assert_eq!(read("person,hobby\na,red\n", Some(true)).rows.len(), 1);
        assert_eq!(read("node,attr\na,red\n", Some(false)).rows.len(), 2);
        let taken = read("x,y,how much\na,red,1\n", None);
        assert_eq!((taken.rows.len(), taken.doubts.len()), (1, 1));
        assert!(read("node,attr,value\na,red,1\n", None).doubts.is_empty());
        let side = graph(&["a"]);
        let odd = read("person,hobby\na,red\n", None);
        let error = feature_weights((&odd, &side), (&odd, &side)).unwrap_err();
        assert!(
            error
                .to_string()
                .ends_with("say that there is a header if it is one")
        );
    }

    #[test]
    fn every_fault_has_its_message() {
        for (text, words) in [
            (
                "# none\n",
                "f.csv: found no attribute, expected rows of node,attr[,value]",
            ),
            ("node,attr\n", "found no attribute"),
            ("a\n", "line 1"),
            ("a,red\nb,\n", "line 2, column 2: found an empty field"),
            (
                "a,red\n,red\n",
                "line 2, column 1: found an empty field, expected a node id",
            ),
            ("a,red,1\na,big,much\n", "line 2, column 3: found `much`"),
            ("a,red,1\na,big", "line 2"),
        ] {
            let error = table(text).unwrap_err().to_string();
            assert!(error.contains(words), "{text:?}: {error}");
        }
        let side = graph(&["a"]);
        let refusal = |text: &str| {
            let good = table("a,red\n").unwrap();
            let bad = table(text).unwrap();
            let error = feature_weights((&good, &side), (&bad, &side)).unwrap_err();
            error.to_string()
        };
        assert_eq!(
            refusal("a,red\nz,red\n"),
            "f.csv, line 2, column 1: found the unknown id `z`, \
             expected the id of a node of the target graph"
        );
        assert_eq!(
            refusal("a,red,1\na,red,2\n"),
            "f.csv, line 2, column 3: found 2 for an attribute that had 1 before, \
             expected one value of each attribute of a node"
        );
    }
}
