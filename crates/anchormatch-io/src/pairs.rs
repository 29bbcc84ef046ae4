//! Pairs of nodes, one of each graph: anchors and truths, rows of `source,target[,weight]`.
//!
//! The rules of edge lists hold (see `edge_list.rs`), so that a matching that was written as CSV can be
//! read back as anchors with its confidences as weights. Only a header of three columns must say that
//! it is one: by the names of its first two (source,target and the like) or of its third (weight,
//! similarity, confidence, score, probability, value). Everything else in the third column of the
//! first row must be a number, so that no pair is lost to a slip.

use std::collections::HashMap;
use std::io::{BufRead, Write};
use std::path::Path;

use anchormatch::anchors::{Anchor, Anchors};
use anchormatch::error::{Error, Result};
use anchormatch::graph::{Graph, Labels};
use anchormatch::linalg::{Csr, PairValues};

use super::edge_columns::{ends, is_header};
use super::edge_list::SHAPE;
use super::fault::{fault, quoted};
use super::table::{Row, Table, write_field};

/// The names of a third column.
const VALUE_NAMES: [&str; 6] = [
    "weight",
    "similarity",
    "confidence",
    "score",
    "probability",
    "value",
];

/// A table of pairs, not yet compared with any graph.
#[derive(Debug, Clone, PartialEq)]
pub struct PairTable {
    /// The rows in the order of the file.
    pub rows: Vec<PairRow>,
    /// The file, for errors.
    pub file: String,
}

/// One pair of ids.
#[derive(Debug, Clone, PartialEq)]
pub struct PairRow {
    /// An id of the source graph.
    pub source: String,
    /// An id of the target graph.
    pub target: String,
    /// The third column, if there is one.
    pub weight: Option<f64>,
    /// The 1-based line.
    pub line: u64,
}

/// Reads the pairs at `path`; `-` is the standard input.
///
/// # Errors
/// When the file cannot be read or a row is malformed.
pub fn read_pairs(path: &Path) -> Result<PairTable> {
    super::open(path, |reader, name| read_pairs_from(reader, name))
}

/// Reads pairs from any reader; `name` stands for the file in errors.
///
/// A header alone is a table of no pairs.
///
/// # Errors
/// When a row is malformed or there is neither a row nor a header.
pub fn read_pairs_from(reader: impl BufRead, name: &str) -> Result<PairTable> {
    let mut table = Table::new(reader, name, SHAPE);
    let mut rows = Vec::new();
    let mut first = true;
    // Source, target and, where there are three columns, the weight.
    let mut columns = (0, 1, 2);
    while let Some(row) = table.next()? {
        if std::mem::take(&mut first) {
            // `source,target,1` is a pair of two nodes of odd names.
            let named = ends(&row).filter(|&(s, t)| row.len() == 2 || row.is_name(3 - s - t));
            if let Some((source, target)) = named {
                columns = (source, target, 3 - source - target);
                continue;
            }
            if is_header(&row)? {
                names_itself(&row)?;
                continue;
            }
        }
        let (source, target, weight) = columns;
        rows.push(PairRow {
            source: row.id(source)?.to_owned(),
            target: row.id(target)?.to_owned(),
            weight: (row.len() > 2).then(|| row.number(weight)).transpose()?,
            line: row.line(),
        });
    }
    if first {
        let wanted = "rows of source,target[,weight], or a header alone for no pair";
        return Err(fault(name, None, None, "no pair", wanted));
    }
    Ok(PairTable {
        rows,
        file: name.to_owned(),
    })
}

/// Refuses a header whose names say nothing: it may be a pair with a slip in its number.
fn names_itself(row: &Row<'_>) -> Result<()> {
    let is_value = |name: &&str| row.get(2).eq_ignore_ascii_case(name);
    if row.len() == 2 || VALUE_NAMES.iter().any(is_value) {
        return Ok(());
    }
    let wanted = "a number, or a header such as source,target,weight";
    Err(row.fault(2, quoted(row.get(2)), wanted))
}

/// Writes pairs of node indices as `source,target` with a header, by the nodes' ids.
///
/// # Errors
/// When `out` fails, or an id is empty or holds a line break.
///
/// # Panics
/// When a node is outside its graph.
pub fn write_pairs(
    out: &mut (impl Write + ?Sized),
    source: &Labels,
    target: &Labels,
    pairs: &[(usize, usize)],
) -> std::io::Result<()> {
    writeln!(out, "source,target")?;
    for &(s, t) in pairs {
        write_field(out, &source.get(s))?;
        out.write_all(b",")?;
        write_field(out, &target.get(t))?;
        writeln!(out)?;
    }
    Ok(())
}

impl PairTable {
    /// The rows as similarities of source and target nodes, the third column; a pair that is not
    /// listed is as little alike as the least of those that are.
    ///
    /// # Errors
    /// With the file and the line, when an id is unknown, a row has no third column, or a pair is
    /// listed twice with different values.
    pub fn similarity(&self, source: &Graph, target: &Graph) -> Result<PairValues> {
        let weights = self.rows.iter().filter_map(|row| row.weight);
        let least = weights.fold(f64::INFINITY, f64::min);
        let least = if least.is_finite() { least } else { 0.0 };
        let mut listed = HashMap::with_capacity(self.rows.len());
        for row in &self.rows {
            let at = |column: usize, found: String, wanted: &str| {
                fault(&self.file, Some(row.line), Some(column), found, wanted)
            };
            let find = |graph: &Graph, id: &str, column: usize, side: &str| {
                graph.labels().find(id).ok_or_else(|| {
                    let wanted = format!("the id of a node of the {side} graph");
                    at(column, quoted(id), &wanted)
                })
            };
            let pair = (
                find(source, &row.source, 1, "source")?,
                find(target, &row.target, 2, "target")?,
            );
            let Some(value) = row.weight else {
                return Err(at(3, "two columns".into(), "source,target,similarity"));
            };
            if let Some(other) = listed.insert(pair, value)
                && other != value
            {
                let found = format!("{value} for a pair that had {other} before");
                return Err(at(3, found, "one similarity for each pair"));
            }
        }
        let listed = listed.into_iter().map(|((s, t), value)| (s, t, value));
        Ok(PairValues::Listed {
            listed: Csr::from_triplets(source.node_count(), target.node_count(), listed)?,
            others: least,
        })
    }

    /// The rows as anchors: weight 1 or none is hard, between 0 and 1 is soft.
    ///
    /// # Errors
    /// With the file and the line, when an id is unknown, a weight is not in (0, 1], or a node has
    /// two hard anchors.
    pub fn anchors(&self, source: &Graph, target: &Graph) -> Result<Anchors> {
        let mut partners = Partners::new(self);
        let mut anchors = Vec::with_capacity(self.rows.len());
        for row in &self.rows {
            let (s, t) = self.find(row, source, target)?;
            let weight = row.weight.unwrap_or(1.0);
            if !(weight > 0.0 && weight <= 1.0) {
                let found = format!("the weight {weight}");
                return Err(self.fault(row, 3, found, "above 0 and at most 1"));
            }
            if weight == 1.0 {
                partners.add(row, s, t)?;
            }
            anchors.push(Anchor::new(s, t, weight));
        }
        Anchors::new(source, target, anchors)
    }

    /// The rows as node indices, weights left aside.
    ///
    /// # Errors
    /// With the file and the line, when an id is unknown or a node has two partners.
    pub fn indices(&self, source: &Graph, target: &Graph) -> Result<Vec<(usize, usize)>> {
        let mut partners = Partners::new(self);
        let mut indices = Vec::with_capacity(self.rows.len());
        for row in &self.rows {
            let (s, t) = self.find(row, source, target)?;
            partners.add(row, s, t)?;
            indices.push((s, t));
        }
        Ok(indices)
    }

    /// As [`indices`](Self::indices), without the rows that name a node of neither graph, and how many those are.
    ///
    /// # Errors
    /// With the file and the line, when a node has two partners.
    pub fn known_indices(
        &self,
        source: &Graph,
        target: &Graph,
    ) -> Result<(Vec<(usize, usize)>, usize)> {
        let mut partners = Partners::new(self);
        let mut indices = Vec::with_capacity(self.rows.len());
        for row in &self.rows {
            if let Ok((s, t)) = self.find(row, source, target) {
                partners.add(row, s, t)?;
                indices.push((s, t));
            }
        }
        let unknown = self.rows.len() - indices.len();
        Ok((indices, unknown))
    }

    fn find(&self, row: &PairRow, source: &Graph, target: &Graph) -> Result<(usize, usize)> {
        let find = |graph: &Graph, id: &str, side: &str, column| {
            graph.labels().find(id).ok_or_else(|| {
                let expected = format!(
                    "the id of a node of the {side} graph, such as {}",
                    quoted(&graph.labels().get(0))
                );
                self.fault(
                    row,
                    column,
                    format!("the unknown id {}", quoted(id)),
                    expected,
                )
            })
        };
        Ok((
            find(source, &row.source, "source", 1)?,
            find(target, &row.target, "target", 2)?,
        ))
    }

    fn fault(
        &self,
        row: &PairRow,
        column: usize,
        found: impl Into<String>,
        expected: impl Into<String>,
    ) -> Error {
        fault(&self.file, Some(row.line), Some(column), found, expected)
    }
}

/// The partners so far, to find a node that is given two.
struct Partners<'a> {
    table: &'a PairTable,
    of_source: HashMap<usize, (usize, &'a PairRow)>,
    of_target: HashMap<usize, (usize, &'a PairRow)>,
}

impl<'a> Partners<'a> {
    fn new(table: &'a PairTable) -> Self {
        Self {
            table,
            of_source: HashMap::with_capacity(table.rows.len()),
            of_target: HashMap::with_capacity(table.rows.len()),
        }
    }

    /// Adds a pair; the same pair once more is no contradiction.
    fn add(&mut self, row: &'a PairRow, source: usize, target: usize) -> Result<()> {
        let twice = |column, side, id: &str, other: &str, first: &PairRow| {
            let found = format!(
                "the {side} node {} once more, which line {} pairs with {}",
                quoted(id),
                first.line,
                quoted(other)
            );
            Err(self
                .table
                .fault(row, column, found, "one partner for every node"))
        };
        match self.of_source.get(&source) {
            Some(&(partner, first)) if partner != target => {
                return twice(1, "source", &row.source, &first.target, first);
            }
            _ => {}
        }
        match self.of_target.get(&target) {
            Some(&(partner, first)) if partner != source => {
                return twice(2, "target", &row.target, &first.source, first);
            }
            _ => {}
        }
        self.of_source.entry(source).or_insert((target, row));
        self.of_target.entry(target).or_insert((source, row));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graphs() -> (Graph, Graph) {
        let names = ["ann", "bob", "eve"].map(String::from).to_vec();
        let path = |n: usize| {
            let edges: Vec<_> = (1..n).map(|i| (i - 1, i, 1.0)).collect();
            Graph::from_edges(n, &edges).unwrap()
        };
        let named = path(3).with_labels(Labels::new(names).unwrap()).unwrap();
        (named, path(4))
    }

    fn table(text: &str) -> PairTable {
        read_pairs_from(text.as_bytes(), "a.csv").unwrap()
    }

    fn refusal(text: &str) -> String {
        let (source, target) = graphs();
        table(text)
            .anchors(&source, &target)
            .unwrap_err()
            .to_string()
    }

    #[test]
    fn anchors_are_hard_or_soft_by_weight() {
        let (source, target) = graphs();
        let rows = table("source,target,confidence\nann,3,1\nbob,2,0.5\nbob,1,0.25\nann,3,1\n");
        let anchors = rows.anchors(&source, &target).unwrap();
        assert_eq!(anchors.hard(), [(0, 3)]);
        assert_eq!(anchors.soft().len(), 2);
        let hard = table("from,to\nann,3\n").anchors(&source, &target).unwrap();
        assert_eq!(hard.hard(), [(0, 3)]);
    }

    #[test]
    fn columns_go_by_their_names_in_either_order() {
        let (source, target) = graphs();
        for text in [
            "target,source\n3,ann\n",
            "left,right\nann,3\n",
            "object,subject\n3,ann\n",
            "to,from,weight\n3,ann,1\n",
            "score,target,source\n1,3,ann\n",
        ] {
            let anchors = table(text).anchors(&source, &target).unwrap();
            assert_eq!(anchors.hard(), [(0, 3)], "{text}");
        }
    }

    #[test]
    fn a_header_alone_is_no_pair_and_an_empty_file_a_fault() {
        assert!(table("source,target\n").rows.is_empty());
        assert_eq!(
            read_pairs_from(&b"# none\n"[..], "a.csv")
                .unwrap_err()
                .to_string(),
            "a.csv: found no pair, expected rows of source,target[,weight], \
             or a header alone for no pair"
        );
    }

    #[test]
    fn a_first_row_with_a_slip_is_no_header() {
        let read = |text: &str| read_pairs_from(text.as_bytes(), "a.csv");
        for text in ["ann,0,high\nbob,1,0.5\n", "ann,0,O.5\n", "x,y,z\nann,0,1\n"] {
            let error = read(text).unwrap_err().to_string();
            assert!(
                error.starts_with("a.csv, line 1, column 3: found")
                    && error
                        .ends_with("expected a number, or a header such as source,target,weight"),
                "{error}"
            );
        }
        for header in [
            "source,target,how alike",
            "person,account,Similarity",
            "From,To,w",
        ] {
            let rows = read(&format!("{header}\nann,0,0.5\n")).unwrap().rows;
            assert_eq!(rows.len(), 1, "{header}");
        }
    }

    #[test]
    fn culprits_are_named_with_file_and_line() {
        assert_eq!(
            refusal("source,target\nann,0\nzoe,1\n"),
            "a.csv, line 3, column 1: found the unknown id `zoe`, \
             expected the id of a node of the source graph, such as `ann`"
        );
        assert_eq!(
            refusal("ann,4\n"),
            "a.csv, line 1, column 2: found the unknown id `4`, \
             expected the id of a node of the target graph, such as `0`"
        );
        assert_eq!(
            refusal("ann,0\n\nann,1\n"),
            "a.csv, line 3, column 1: found the source node `ann` once more, \
             which line 1 pairs with `0`, expected one partner for every node"
        );
        assert_eq!(
            refusal("ann,0\nbob,0\n"),
            "a.csv, line 2, column 2: found the target node `0` once more, \
             which line 1 pairs with `ann`, expected one partner for every node"
        );
        assert_eq!(
            refusal("ann,0,1\nbob,1,1.5\n"),
            "a.csv, line 2, column 3: found the weight 1.5, expected above 0 and at most 1"
        );
    }

    #[test]
    fn indices_are_one_to_one_whatever_the_weights() {
        let (source, target) = graphs();
        let rows = table("eve,0,0.5\nann,1,7\neve,0,0.1\n");
        assert_eq!(
            rows.indices(&source, &target).unwrap(),
            [(2, 0), (0, 1), (2, 0)]
        );
        assert!(
            table("eve,0,0.5\neve,1,0.5\n")
                .indices(&source, &target)
                .is_err()
        );
    }

    #[test]
    fn similarities_are_a_matrix_with_the_least_where_nothing_is_listed() {
        let (source, target) = graphs();
        let rows = table("source,target,similarity\neve,0,0.5\nann,3,7\nbob,1,-2\nann,3,7\n");
        let matrix = rows.similarity(&source, &target).unwrap();
        assert_eq!(matrix.shape(), (3, 4));
        assert!(matrix.as_full().is_none());
        let listed = [((2, 0), 0.5), ((0, 3), 7.0)];
        for i in 0..3 {
            for a in 0..4 {
                let found = listed.iter().find(|(pair, _)| *pair == (i, a));
                assert_eq!(matrix[(i, a)], found.map_or(-2.0, |f| f.1), "({i}, {a})");
            }
        }
        // No row at all: everything alike.
        let none = table("source,target,similarity\n").similarity(&source, &target);
        assert!(none.unwrap().iter().all(|v| v == 0.0));
    }

    #[test]
    fn faults_of_similarities_name_file_and_line() {
        let (source, target) = graphs();
        let refusal = |text: &str| {
            let error = table(text).similarity(&source, &target).unwrap_err();
            error.to_string()
        };
        for (text, parts) in [
            (
                "ann,0,1\nzoe,1,1\n",
                ["a.csv, line 2", "`zoe`", "source graph"],
            ),
            ("ann,9,1\n", ["a.csv, line 1", "`9`", "target graph"]),
            (
                "\nann,0\nbob,1\n",
                ["a.csv, line 2", "two columns", "similarity"],
            ),
            (
                "ann,0,1\nann,0,2\n",
                ["a.csv, line 2", "had 1 before", "one similarity"],
            ),
        ] {
            let line = refusal(text);
            assert!(parts.iter().all(|part| line.contains(part)), "{line}");
        }
        for text in ["ann,0,nan\n", "ann,0,inf\n"] {
            let error = read_pairs_from(text.as_bytes(), "a.csv")
                .and_then(|t| t.similarity(&source, &target));
            assert!(
                error.unwrap_err().to_string().contains("a.csv, line 1"),
                "{text}"
            );
        }
    }
}
