//! What a Matrix Market file says of itself: the banner and the line of sizes.

use std::io::BufRead;

use anchormatch::error::Result;

use super::super::fault::quoted;
use super::super::lines::Lines;
use super::{cut, no_more};

/// The kind of matrix that the first line announces.
pub(super) struct Banner {
    pub(super) array: bool,
    pub(super) pattern: bool,
    pub(super) symmetry: Symmetry,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Symmetry {
    General,
    Symmetric,
    Skew,
}

impl Banner {
    pub(super) fn read<R: BufRead>(lines: &mut Lines<R>) -> Result<Self> {
        const WANTED: &str = "%%MatrixMarket matrix coordinate|array real|integer|pattern \
                              general|symmetric|skew-symmetric";
        if !lines.advance()? {
            return Err(cut(lines, "an empty file", WANTED));
        }
        let text = lines.text().to_lowercase();
        let words: Vec<&str> = text.split_ascii_whitespace().collect();
        let found = |column: usize, expected: &str| {
            let word = words.get(column).copied().unwrap_or_default();
            Err(lines.fault(column + 1, quoted(word), expected))
        };
        if words.first() != Some(&"%%matrixmarket") {
            return found(0, WANTED);
        }
        if words.get(1) != Some(&"matrix") {
            return found(1, "matrix");
        }
        let array = match words.get(2) {
            Some(&"coordinate") => false,
            Some(&"array") => true,
            _ => return found(2, "coordinate or array"),
        };
        let pattern = match words.get(3) {
            Some(&("real" | "double" | "integer")) => false,
            Some(&"pattern") if !array => true,
            Some(&"pattern") => {
                return found(3, "real or integer, because an array is nothing but values");
            }
            Some(&"complex") => {
                return found(
                    3,
                    "real, integer or pattern, because a weight is one real number",
                );
            }
            _ => return found(3, "real, integer or pattern"),
        };
        let symmetry = match words.get(4) {
            Some(&"general") => Symmetry::General,
            Some(&"symmetric") => Symmetry::Symmetric,
            Some(&"skew-symmetric") if !pattern => Symmetry::Skew,
            _ => return found(4, "general, symmetric or, with values, skew-symmetric"),
        };
        if words.len() > 5 {
            return found(5, "the end of the line");
        }
        Ok(Self {
            array,
            pattern,
            symmetry,
        })
    }
}

/// The size that the header announces.
pub(super) struct Size {
    pub(super) nodes: usize,
    /// How many numbers or entries follow; more than a file can hold is no reason to allocate.
    entries: u128,
    /// The line that says so.
    line: u64,
}

impl Size {
    pub(super) fn read<R: BufRead>(lines: &Lines<R>, banner: &Banner) -> Result<Self> {
        let wanted = if banner.array { 2 } else { 3 };
        let mut numbers = [0u64; 3];
        let mut words = lines.text().split_ascii_whitespace();
        for (k, number) in numbers.iter_mut().take(wanted).enumerate() {
            let word = words.next().unwrap_or_default();
            let what = ["rows", "columns", "entries"][k];
            *number = word
                .parse()
                .map_err(|_| lines.fault(k + 1, quoted(word), format!("the number of {what}")))?;
        }
        no_more(lines, words.next(), wanted)?;
        let [rows, columns, entries] = numbers;
        if rows != columns {
            let found = format!("a {rows}×{columns} matrix");
            let wanted = "a square one, as the adjacency matrix of a graph is";
            return Err(lines.fault(2, found, wanted));
        }
        if rows == 0 {
            return Err(lines.fault(1, "0 rows", "at least one node"));
        }
        let n = u128::from(rows);
        Ok(Self {
            nodes: usize::try_from(rows).unwrap_or(usize::MAX),
            entries: match (banner.array, banner.symmetry) {
                (false, _) => u128::from(entries),
                (true, Symmetry::General) => n * n,
                (true, Symmetry::Symmetric) => n * (n + 1) / 2,
                (true, Symmetry::Skew) => n * (n - 1) / 2,
            },
            line: lines.number(),
        })
    }

    /// Refuses a file that holds another number of entries than it announced.
    pub(super) fn check_complete<R: BufRead>(&self, lines: &Lines<R>, found: u128) -> Result<()> {
        if found == self.entries {
            return Ok(());
        }
        let expected = format!("the {} that line {} announces", self.entries, self.line);
        let entries = if found == 1 { "entry" } else { "entries" };
        Err(cut(lines, &format!("{found} {entries}"), &expected))
    }

    /// Refuses an entry past those that were announced.
    pub(super) fn check_room<R: BufRead>(
        &self,
        lines: &Lines<R>,
        column: usize,
        before: u128,
    ) -> Result<()> {
        if before < self.entries {
            return Ok(());
        }
        let wanted = format!("the {} that line {} announces", self.entries, self.line);
        let found = format!("entry {}", before + 1);
        Err(lines.fault(column, found, wanted))
    }
}
