//! Pairs of nodes, one of each graph: anchors and truths, rows of `source,target[,weight]`.
//!
//! The rules of edge lists hold (see `edge_list.rs`), so that a matching that was written as CSV can be
//! read back as anchors with its confidences as weights. Only a header of three columns must say that
//! it is one: by the names of its first two (source,target and the like) or of its third (weight,
//! similarity, confidence, score, probability, value). Everything else in the third column of the
//! first row must be a number, so that no pair is lost to a slip.
//!
//! An empty field in the place of a node says that the other has no partner: `8,` or `,u4`.

mod partners;
#[cfg(test)]
mod tests;
mod values;
mod write;

pub use values::Candidates;
pub use write::{write_anchors, write_pairs};

use std::io::BufRead;
use std::path::Path;

use anchormatch::error::Result;

use super::edge_list::{SHAPE, ends, is_header};
use super::fault::{fault, quoted};
use super::table::{Row, Table};

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

/// One pair of ids, or one id whose node has no partner.
#[derive(Debug, Clone, PartialEq)]
pub struct PairRow {
    /// An id of the source graph; `None` where the field is empty.
    pub source: Option<String>,
    /// An id of the target graph; `None` where the field is empty, which not both are.
    pub target: Option<String>,
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
        rows.push(pair(&row, columns)?);
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

/// The pair of a row, by the columns of source, target and weight.
fn pair(row: &Row<'_>, (source, target, weight): (usize, usize, usize)) -> Result<PairRow> {
    let id = |column: usize| Some(row.get(column)).filter(|id| !id.is_empty());
    let ends = (id(source), id(target));
    if ends == (None, None) {
        let expected = "a node id, or two; one of them may be empty, for no partner";
        return Err(row.fault(source.min(target), "two empty fields", expected));
    }
    let is_pair = ends.0.is_some() && ends.1.is_some();
    // Who has no partner has no confidence in one.
    let has_weight = row.len() > 2 && (is_pair || !row.get(weight).is_empty());
    Ok(PairRow {
        source: ends.0.map(str::to_owned),
        target: ends.1.map(str::to_owned),
        weight: has_weight.then(|| row.number(weight)).transpose()?,
        line: row.line(),
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
