//! Tables of text: the rules that edge lists, points and pairs share.
//!
//! * Blank lines and lines that begin with `#` or `%` are skipped.
//! * The first other line decides the delimiter of the whole file: a tab if it has one; else comma
//!   or semicolon, whichever splits it into more columns that the table may have (comma when both
//!   do); else runs of blanks.
//! * Every row has as many fields as the first.
//! * Blanks around a field are dropped. A field that begins with `"` ends at the next single `"`;
//!   a doubled `""` inside stands for one.

mod fields;
#[cfg(test)]
mod tests;

use std::io::BufRead;
use std::ops::RangeInclusive;

use anchormatch::error::{Error, Result};
use fields::{Delimiter, detect, is_blank, split_plain, split_quoted};

use super::fault::{fault, quoted};
use super::lines::Lines;

/// What a table holds, for its errors.
#[derive(Debug, Clone)]
pub(super) struct Shape {
    /// How many columns a row may have.
    pub(super) columns: RangeInclusive<usize>,
    /// Whether the first row may be one field shorter than the others: names of columns, with none
    /// for the column of names.
    pub(super) ragged: bool,
    /// Whether a third field that begins with `{` takes the rest of its line: attributes, as
    /// networkx writes them.
    pub(super) attributes: bool,
    /// The most bytes of a line.
    pub(super) longest_line: usize,
    /// The columns in words: `source,target or source,target,weight`.
    pub(super) wanted: &'static str,
}

impl Shape {
    /// The most bytes of a line where nothing asks for more.
    pub(super) const LINE: usize = 1 << 20;
}

/// A reader of rows; every buffer is reused from row to row.
pub(super) struct Table<R> {
    lines: Lines<R>,
    shape: Shape,
    /// The delimiter and the number of columns, once the first row is known.
    layout: Option<(Delimiter, usize)>,
    rows: u64,
    spans: Vec<(usize, usize)>,
    /// The fields' text where quotes make it differ from the line's.
    unquoted: String,
}

/// One row of a table.
#[derive(Clone, Copy)]
pub(super) struct Row<'a> {
    file: &'a str,
    line: u64,
    text: &'a str,
    spans: &'a [(usize, usize)],
}

impl<R: BufRead> Table<R> {
    pub(super) fn new(reader: R, file: &str, shape: Shape) -> Self {
        Self {
            lines: Lines::new(reader, file).longest(shape.longest_line),
            shape,
            rows: 0,
            layout: None,
            spans: Vec::new(),
            unquoted: String::new(),
        }
    }

    /// The next row; `None` at the end of the file.
    pub(super) fn next(&mut self) -> Result<Option<Row<'_>>> {
        loop {
            if !self.lines.advance()? {
                return Ok(None);
            }
            let first = self.lines.text().bytes().find(|&b| !is_blank(b));
            if !matches!(first, None | Some(b'#' | b'%')) {
                break;
            }
        }
        let (line, number) = (self.lines.text(), self.lines.number());
        let delimiter = match self.layout {
            Some((delimiter, _)) => delimiter,
            None if self.shape.attributes && line.trim_ascii_end().ends_with('}') => {
                let ends = line.split('{').next().unwrap_or_default();
                detect(ends.trim_ascii_end(), &(2..=2))
            }
            None => detect(line, &self.shape.columns),
        };
        self.spans.clear();
        self.unquoted.clear();
        let has_quotes = memchr::memchr(b'"', line.as_bytes()).is_some();
        let text = if has_quotes {
            let attributes = self.shape.attributes;
            if let Err((column, found, expected)) = split_quoted(
                line,
                delimiter,
                attributes,
                &mut self.spans,
                &mut self.unquoted,
            ) {
                let file = self.lines.file();
                return Err(fault(file, Some(number), Some(column), found, expected));
            }
            &self.unquoted
        } else {
            split_plain(line, delimiter, self.shape.attributes, &mut self.spans);
            line
        };
        self.rows += 1;
        let row = Row {
            file: self.lines.file(),
            line: number,
            text,
            spans: &self.spans,
        };
        match self.layout {
            Some((_, columns))
                if self.shape.ragged && self.rows == 2 && row.len() == columns + 1 =>
            {
                self.layout = Some((delimiter, row.len()));
            }
            Some((_, columns)) if columns != row.len() => {
                let wanted = format!("{columns} as in the first row");
                return Err(row.miscounted(&(columns..=columns), &wanted));
            }
            None if !self.shape.columns.contains(&row.len()) => {
                return Err(row.miscounted(&self.shape.columns, self.shape.wanted));
            }
            _ => self.layout = Some((delimiter, row.len())),
        }
        Ok(Some(row))
    }
}

impl<'a> Row<'a> {
    /// The number of fields.
    pub(super) fn len(&self) -> usize {
        self.spans.len()
    }

    /// The 1-based line.
    pub(super) fn line(&self) -> u64 {
        self.line
    }

    /// Field `i`, from 0.
    pub(super) fn get(&self, i: usize) -> &'a str {
        let (start, end) = self.spans[i];
        &self.text[start..end]
    }

    /// Field `i` as a node id.
    pub(super) fn id(&self, i: usize) -> Result<&'a str> {
        match self.get(i) {
            "" => Err(self.fault(i, "an empty field", "a node id")),
            id => Ok(id),
        }
    }

    /// Field `i` as a finite number.
    pub(super) fn number(&self, i: usize) -> Result<f64> {
        let field = self.get(i);
        match field.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(value),
            Ok(_) => Err(self.fault(i, quoted(field), "a finite number")),
            Err(_) => Err(self.fault(i, quoted(field), "a number such as 1.5 or 2e-3")),
        }
    }

    /// Whether field `i` is a name rather than a number, even a misspelt one.
    pub(super) fn is_name(&self, i: usize) -> bool {
        let field = self.get(i);
        !field.is_empty()
            && !field.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c))
            && field.parse::<f64>().is_err()
    }

    /// A fault in field `i`.
    pub(super) fn fault(
        &self,
        i: usize,
        found: impl Into<String>,
        expected: impl Into<String>,
    ) -> Error {
        fault(self.file, Some(self.line), Some(i + 1), found, expected)
    }

    /// A fault in the number of fields, at the first one that is missing or left over.
    pub(super) fn miscounted(&self, columns: &RangeInclusive<usize>, wanted: &str) -> Error {
        let fields = match self.len() {
            1 => "1 field".to_owned(),
            count => format!("{count} fields"),
        };
        self.fault(self.len().min(*columns.end()), fields, wanted)
    }
}

/// Writes `field` so that the readers here, and any other CSV reader, give it back exactly.
///
/// # Errors
/// When the field is empty or holds a line break or a zero byte, which no field may.
pub(super) fn write_field(
    out: &mut (impl std::io::Write + ?Sized),
    field: &str,
) -> std::io::Result<()> {
    if field.is_empty() || field.contains(['\n', '\0']) {
        return Err(std::io::Error::new(
            std::io::ErrorKind::InvalidInput,
            format!(
                "found the id {}, expected one that is not empty and has no line break or zero byte",
                quoted(field)
            ),
        ));
    }
    let bytes = field.as_bytes();
    let needs_quotes = bytes.iter().any(|b| b",\"\r\t;".contains(b))
        || is_blank(bytes[0])
        || is_blank(bytes[bytes.len() - 1])
        || b"#%".contains(&bytes[0]);
    if !needs_quotes {
        return out.write_all(bytes);
    }
    out.write_all(b"\"")?;
    for (k, part) in field.split('"').enumerate() {
        if k > 0 {
            out.write_all(b"\"\"")?;
        }
        out.write_all(part.as_bytes())?;
    }
    out.write_all(b"\"")
}
