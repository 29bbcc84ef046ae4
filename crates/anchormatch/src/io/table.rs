//! Tables of text: the rules that edge lists, points and pairs share.
//!
//! * Blank lines and lines that begin with `#` or `%` are skipped.
//! * The first other line decides the delimiter of the whole file: a tab if it has one; else comma
//!   or semicolon, whichever splits it into more columns that the table may have (comma when both
//!   do); else runs of blanks.
//! * Every row has as many fields as the first.
//! * Blanks around a field are dropped. A field that begins with `"` ends at the next single `"`;
//!   a doubled `""` inside stands for one.

use std::io::BufRead;
use std::ops::RangeInclusive;

use super::fault::{fault, quoted};
use super::lines::Lines;
use crate::error::{Error, Result};

/// What separates the fields of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Delimiter {
    Byte(u8),
    Blanks,
}

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
                return Err(row.miscounted(&format!("{columns} as in the first row")));
            }
            None if !self.shape.columns.contains(&row.len()) => {
                return Err(row.miscounted(self.shape.wanted));
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

    /// A fault in the number of fields.
    pub(super) fn miscounted(&self, wanted: &str) -> Error {
        let fields = match self.len() {
            1 => "1 field".to_owned(),
            count => format!("{count} fields"),
        };
        fault(self.file, Some(self.line), None, fields, wanted)
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

fn is_blank(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

impl Delimiter {
    fn is(self, byte: u8) -> bool {
        match self {
            Self::Byte(delimiter) => byte == delimiter,
            Self::Blanks => is_blank(byte),
        }
    }
}

/// The delimiter of the table whose first row is `line`; see the module's rules.
fn detect(line: &str, columns: &RangeInclusive<usize>) -> Delimiter {
    let bytes = line.trim_matches([' ', '\t']).as_bytes();
    let (mut tabs, mut commas, mut semicolons) = (0, 0, 0);
    let mut inside = false;
    let mut at_start = true;
    for &b in bytes {
        if b == b'"' && (inside || at_start) {
            // A doubled quote closes and opens again, which changes nothing here.
            inside = !inside;
            at_start = true;
            continue;
        }
        at_start = matches!(b, b'\t' | b',' | b';' | b' ');
        if !inside {
            tabs += usize::from(b == b'\t');
            commas += usize::from(b == b',');
            semicolons += usize::from(b == b';');
        }
    }
    let fit = |count: usize| {
        if count > 0 && columns.contains(&(count + 1)) {
            count
        } else {
            0
        }
    };
    if tabs > 0 {
        Delimiter::Byte(b'\t')
    } else if semicolons > 0 && (commas == 0 || fit(semicolons) > fit(commas)) {
        Delimiter::Byte(b';')
    } else if commas > 0 {
        Delimiter::Byte(b',')
    } else {
        Delimiter::Blanks
    }
}

/// The fields of a line without quotes, as spans of the line.
fn split_plain(
    line: &str,
    delimiter: Delimiter,
    attributes: bool,
    spans: &mut Vec<(usize, usize)>,
) {
    let bytes = line.as_bytes();
    let mut start = 0;
    let push = |spans: &mut Vec<(usize, usize)>, mut start: usize, mut end: usize| {
        while start < end && is_blank(bytes[start]) {
            start += 1;
        }
        while start < end && is_blank(bytes[end - 1]) {
            end -= 1;
        }
        if start < end || delimiter != Delimiter::Blanks {
            spans.push((start, end));
        }
    };
    for (k, &b) in bytes.iter().enumerate() {
        if delimiter.is(b) {
            push(spans, start, k);
            start = k + 1;
        } else if b == b'{'
            && attributes
            && spans.len() == 2
            && bytes[start..k].iter().all(|&b| is_blank(b))
        {
            break;
        }
    }
    push(spans, start, bytes.len());
}

/// What is wrong with a quoted field: its column, what was found and what was expected.
type QuoteFault = (usize, String, &'static str);

/// The fields of a line with quotes, as spans of `text`, which takes their contents.
fn split_quoted(
    line: &str,
    delimiter: Delimiter,
    attributes: bool,
    spans: &mut Vec<(usize, usize)>,
    text: &mut String,
) -> std::result::Result<(), QuoteFault> {
    let bytes = line.as_bytes();
    let skip_blanks = |mut at: usize| {
        while at < bytes.len() && is_blank(bytes[at]) && delimiter != Delimiter::Byte(bytes[at]) {
            at += 1;
        }
        at
    };
    let mut at = skip_blanks(0);
    loop {
        let start = text.len();
        if bytes.get(at) == Some(&b'"') {
            let opening = at;
            at += 1;
            loop {
                let Some(length) = line[at..].find('"') else {
                    return Err((
                        spans.len() + 1,
                        quoted(&line[opening..]),
                        "a closing quote on the same line",
                    ));
                };
                text.push_str(&line[at..at + length]);
                at += length + 1;
                if bytes.get(at) != Some(&b'"') {
                    break;
                }
                text.push('"');
                at += 1;
            }
            spans.push((start, text.len()));
            let closed = at;
            at = skip_blanks(at);
            // Where blanks delimit, they were just skipped; elsewhere the delimiter itself follows.
            let ended = at == bytes.len()
                || match delimiter {
                    Delimiter::Byte(byte) => bytes[at] == byte,
                    Delimiter::Blanks => at > closed,
                };
            if !ended {
                return Err((
                    spans.len(),
                    format!("{} after a closing quote", quoted(&line[at..])),
                    "a delimiter or the end of the line",
                ));
            }
        } else {
            let takes_all = attributes && spans.len() == 2 && bytes.get(at) == Some(&b'{');
            let end = bytes[at..]
                .iter()
                .position(|&b| delimiter.is(b) && !takes_all)
                .map_or(bytes.len(), |length| at + length);
            text.push_str(line[at..end].trim_end_matches([' ', '\t']));
            spans.push((start, text.len()));
            at = end;
        }
        if delimiter == Delimiter::Blanks {
            at = skip_blanks(at);
            if at == bytes.len() {
                return Ok(());
            }
        } else {
            if at == bytes.len() {
                return Ok(());
            }
            at = skip_blanks(at + 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SHAPE: Shape = Shape {
        columns: 2..=3,
        ragged: false,
        attributes: false,
        longest_line: Shape::LINE,
        wanted: "two or three fields",
    };

    fn rows(text: &str) -> Result<Vec<Vec<String>>> {
        let mut table = Table::new(text.as_bytes(), "f", SHAPE);
        let mut rows = Vec::new();
        while let Some(row) = table.next()? {
            rows.push((0..row.len()).map(|i| row.get(i).to_owned()).collect());
        }
        Ok(rows)
    }

    fn first(text: &str) -> Vec<String> {
        rows(text).unwrap().swap_remove(0)
    }

    #[test]
    fn the_first_row_decides_the_delimiter() {
        assert_eq!(first("a , b,1"), ["a", "b", "1"]);
        assert_eq!(first("Smith, J\tDoe, A\t1"), ["Smith, J", "Doe, A", "1"]);
        assert_eq!(first("New York,Los Angeles"), ["New York", "Los Angeles"]);
        assert_eq!(first("a;b;0,5"), ["a", "b", "0,5"]);
        assert_eq!(first("x;y,z,1"), ["x;y", "z", "1"]);
        assert_eq!(first("  a \t b  1 \t").len(), 3);
        assert_eq!(first("  a   b  1 "), ["a", "b", "1"]);
        assert_eq!(first("\"a\tb\" c"), ["a\tb", "c"]);
        assert_eq!(first("\"a;\"\"b\";c\t"), ["a;\"b", "c"]);
    }

    #[test]
    fn comments_and_blank_lines_are_no_rows() {
        let found = rows("# a,b\n\n  \t\n % x\n\"#a\",b\n").unwrap();
        assert_eq!(found, [["#a", "b"]]);
    }

    #[test]
    fn quotes_protect_and_double() {
        assert_eq!(first(" \"a,b\" ,\" \"\"c\"\" \""), ["a,b", " \"c\" "]);
        assert_eq!(first("5\" pipe,b"), ["5\" pipe", "b"]);
        assert_eq!(first("\"\",b,"), ["", "b", ""]);
        assert_eq!(first("\"a b\" \"\" 1"), ["a b", "", "1"]);
    }

    #[test]
    fn bad_rows_are_named() {
        let message = |text: &str| rows(text).unwrap_err().to_string();
        assert_eq!(
            message("a,b\nc,\"d\n"),
            "f, line 2, column 2: found `\"d`, expected a closing quote on the same line"
        );
        assert_eq!(
            message("\"a\"b,c"),
            "f, line 1, column 1: found `b,c` after a closing quote, \
             expected a delimiter or the end of the line"
        );
        assert_eq!(
            message("\"a\"b c"),
            "f, line 1, column 1: found `b c` after a closing quote, \
             expected a delimiter or the end of the line"
        );
        assert_eq!(
            message("a,b\nc\n"),
            "f, line 2: found 1 field, expected 2 as in the first row"
        );
        assert_eq!(
            message("a,b,c,d\n"),
            "f, line 1: found 4 fields, expected two or three fields"
        );
    }

    proptest! {
        #[test]
        fn any_field_comes_back(fields in prop::collection::vec("[a-z,;\"#% \t\r\u{e4}\u{1f600}\u{a0}]{1,6}", 2)) {
            let mut bytes = b"head,er\n".to_vec();
            write_field(&mut bytes, &fields[0]).unwrap();
            bytes.push(b',');
            write_field(&mut bytes, &fields[1]).unwrap();
            bytes.push(b'\n');
            let text = String::from_utf8(bytes).unwrap();
            prop_assert_eq!(&rows(&text).unwrap()[1], &fields);
        }
    }

    #[test]
    fn attributes_take_the_rest_and_names_may_be_one_fewer() {
        let shape = Shape {
            columns: 2..=9,
            ragged: true,
            attributes: true,
            ..SHAPE
        };
        let rows = |text: &str| {
            let mut table = Table::new(text.as_bytes(), "f", shape.clone());
            let mut rows: Vec<Vec<String>> = Vec::new();
            while let Some(row) = table.next()? {
                rows.push((0..row.len()).map(|i| row.get(i).to_owned()).collect());
            }
            Ok::<_, Error>(rows)
        };
        for text in ["a b {'c': 1, 'd': 2}", "\"a\" b {'c': 1, 'd': 2}"] {
            assert_eq!(rows(text).unwrap(), [["a", "b", "{'c': 1, 'd': 2}"]]);
        }
        assert_eq!(rows("a,b,{}").unwrap(), [["a", "b", "{}"]]);
        assert_eq!(rows("a,b\nx,0,1\ny,1,0").unwrap()[2], ["y", "1", "0"]);
        assert!(rows("a,b\nx,0,1\ny,1,0,0").is_err());
    }

    #[test]
    fn fields_that_no_reader_could_give_back_are_not_written() {
        for field in ["", "a\nb", "a\0"] {
            assert!(write_field(&mut Vec::new(), field).is_err());
        }
    }
}
