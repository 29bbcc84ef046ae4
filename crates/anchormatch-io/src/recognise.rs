//! Tables of points among files that are called as lists of edges are.
//!
//! A header with `x` and `y` and without a pair such as `source,target`, above numbers in these columns, is
//! that of a table of points. Without a header nothing is certain: a list whose second column holds
//! fractions is read as edges, and noted.

use std::io::{BufRead, Read};

use anchormatch::error::{Error, Result};

use super::edge_list::ends;
use super::table::{Row, Shape, Table};

/// How far the first two rows may reach.
const PEEKED: u64 = 64 << 10;

const SHAPE: Shape = Shape {
    columns: 2..=256,
    ragged: false,
    attributes: false,
    longest_line: Shape::LINE,
    wanted: "a table",
};

/// Said of points that nobody asked for.
pub(super) const RECOGNISED: &str =
    "its header has x and y, so it was read as a table of points, not as a list of edges";

/// Said of edges that nobody may have meant.
pub(super) const DOUBTFUL: &str =
    "it looks like a table of points, and was read as a list of edges: ask for points if it is one";

/// The beginning of a table, which is taken from `reader`: up to its second row.
pub(super) fn beginning(reader: &mut dyn BufRead, name: &str) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut reader = reader.take(PEEKED);
    let mut rows = 0;
    while rows < 2 {
        let start = bytes.len();
        let read = reader.read_until(b'\n', &mut bytes);
        if read.map_err(|source| Error::io(name, source))? == 0 {
            break;
        }
        let first = bytes[start..].iter().find(|b| !b.is_ascii_whitespace());
        rows += u32::from(!matches!(first, None | Some(b'#' | b'%')));
    }
    Ok(bytes)
}

/// Whether what begins with `bytes` is a table of points by its header.
pub(super) fn has_points(bytes: &[u8], name: &str) -> bool {
    let mut table = Table::new(bytes, name, SHAPE);
    let Ok(Some(header)) = table.next() else {
        return false;
    };
    let column = |name: &str| (0..header.len()).find(|&i| header.get(i).eq_ignore_ascii_case(name));
    let (Some(x), Some(y)) = (column("x"), column("y")) else {
        return false;
    };
    if ends(&header).is_some() {
        return false;
    }
    matches!(table.next(), Ok(Some(row)) if row.number(x).is_ok() && row.number(y).is_ok())
}

/// Rows by which a list whose targets are all whole numbers is above doubt.
const WHOLE: u64 = 32;

/// Watches the rows of a list of edges for coordinates in the place of a target.
#[derive(Debug, Default)]
pub(super) struct Doubt {
    rows: u64,
    fractions: u64,
    refuted: bool,
}

impl Doubt {
    /// Looks at the `target` of a row.
    pub(super) fn see(&mut self, row: &Row<'_>, target: usize) {
        // Most lists, whose ids are names or whole numbers, are above doubt after a few rows.
        if self.refuted {
            return;
        }
        let field = row.get(target);
        self.rows += 1;
        self.fractions += u64::from(field.contains('.'));
        self.refuted = field.parse::<f64>().is_err() || (self.fractions == 0 && self.rows >= WHOLE);
    }

    /// Whether every row had a number there, and the most of them fractions.
    pub(super) fn holds(&self) -> bool {
        !self.refuted && 2 * self.fractions > self.rows
    }
}
