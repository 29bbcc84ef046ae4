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

use anchormatch::error::{Hint, Result};
use anchormatch::matching::Note;

use super::edge_list::{SHAPE, ends, is_header};
use super::fault::{fault, quoted};
use super::header;
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
    /// The ids that the first row would have, where it was taken as a header.
    pub header: Option<[String; 2]>,
    /// Where the first row may have been misread.
    pub doubts: Vec<Note>,
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
    read_pairs_with(path, None)
}

/// Reads the pairs at `path`; `header` says whether the first row is one, `None` goes by its names.
///
/// # Errors
/// See [`read_pairs`].
pub fn read_pairs_with(path: &Path, header: Option<bool>) -> Result<PairTable> {
    super::open(path, |reader, name| read_table(reader, name, header))
}

/// Reads pairs from any reader; `name` stands for the file in errors.
///
/// A header alone is a table of no pairs.
///
/// # Errors
/// When a row is malformed or there is neither a row nor a header.
pub fn read_pairs_from(reader: impl BufRead, name: &str) -> Result<PairTable> {
    read_table(reader, name, None)
}

fn read_table(reader: impl BufRead, name: &str, has_header: Option<bool>) -> Result<PairTable> {
    let mut table = Table::new(reader, name, SHAPE);
    let mut rows = Vec::new();
    let mut first = true;
    // Source, target and, where there are three columns, the weight.
    let mut columns = (0, 1, 2);
    let mut header = None;
    let mut doubts = Vec::new();
    while let Some(row) = table.next()? {
        if std::mem::take(&mut first) && has_header != Some(false) {
            let is_said = has_header == Some(true);
            // `source,target,1` is a pair of two nodes of odd names.
            let is_named =
                |&(s, t): &(usize, usize)| is_said || row.len() == 2 || row.is_name(3 - s - t);
            let named = ends(&row).filter(is_named);
            if let Some((source, target)) = named {
                columns = (source, target, 3 - source - target);
            } else if !is_said && is_header(&row)? {
                names_itself(&row)?;
                doubts.push(header::taken(&row));
            } else if !is_said {
                rows.push(pair(&row, columns)?);
                continue;
            }
            header = Some([columns.0, columns.1].map(|column| row.get(column).to_owned()));
            continue;
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
        header,
        doubts,
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
    let error = row.fault(2, quoted(row.get(2)), wanted);
    Err(error.hinting(&[Hint::WithHeader]))
}
