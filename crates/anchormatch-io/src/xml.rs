//! XML as a stream of pieces with line numbers, over quick-xml.
//!
//! Only what a data format needs: elements, attributes and text. Document types are skipped and no
//! entity is expanded but the five that XML itself defines and numbered characters, so a document
//! can neither reach other files nor grow; depth and the length of one piece are bounded.

use std::borrow::Cow;
use std::io::{self, BufRead, Read};
use std::rc::Rc;

use anchormatch::error::{Error, Result};
use quick_xml::XmlVersion;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;

use super::fault::{fault, printable, quoted};

/// Elements inside each other, at most.
const DEEPEST: usize = 100;

/// The longest tag, text or comment, in bytes.
const LONGEST: u64 = 16 << 20;

/// One piece of a document.
pub(super) enum Piece<'a> {
    /// A start tag; an empty element is a start and an end.
    Open(Element<'a>),
    /// An end tag.
    Close,
    /// Text, a part of it: comments and references divide it.
    Text(Cow<'a, str>),
    /// Something without meaning for data: a comment, a declaration.
    Other,
    /// The end of the document.
    End,
}

/// A start tag.
pub(super) struct Element<'a> {
    start: BytesStart<'a>,
    file: Rc<str>,
    line: u64,
    column: u64,
}

/// A reader of pieces.
pub(super) struct Xml<R> {
    reader: Reader<Counted<R>>,
    file: Rc<str>,
    /// What the document should be.
    wanted: &'static str,
    line: u64,
    column: u64,
    /// The names of the open elements, one after the other, and where each begins.
    names: String,
    begins: Vec<usize>,
}

impl<R: BufRead> Xml<R> {
    pub(super) fn new(reader: R, file: &str) -> Self {
        let mut reader = Reader::from_reader(Counted {
            inner: reader,
            newlines: 0,
            column: 1,
            since_piece: 0,
        });
        reader.config_mut().expand_empty_elements = true;
        Self {
            reader,
            file: file.into(),
            wanted: "well-formed GraphML",
            line: 1,
            column: 1,
            names: String::new(),
            begins: Vec::new(),
        }
    }

    /// The same of a document that should be `wanted`.
    pub(super) fn expecting(self, wanted: &'static str) -> Self {
        Self { wanted, ..self }
    }

    /// The next piece, which lives in `buffer`.
    pub(super) fn next<'b>(&mut self, buffer: &'b mut Vec<u8>) -> Result<Piece<'b>> {
        buffer.clear();
        self.line = self.reader.get_ref().newlines + 1;
        self.column = self.reader.get_ref().column;
        self.reader.get_mut().since_piece = 0;
        let event = match self.reader.read_event_into(buffer) {
            Ok(event) => event,
            Err(error) => return Err(self.malformed(&error)),
        };
        match event {
            Event::Start(start) | Event::Empty(start) => {
                if self.begins.len() == DEEPEST {
                    let found = format!("elements {} deep", DEEPEST + 1);
                    return Err(self.fault(found, format!("at most {DEEPEST}")));
                }
                self.begins.push(self.names.len());
                self.names.push_str(start.name().as_ref());
                Ok(Piece::Open(Element {
                    start,
                    file: Rc::clone(&self.file),
                    line: self.line,
                    column: self.column,
                }))
            }
            Event::End(_) => {
                if let Some(begin) = self.begins.pop() {
                    self.names.truncate(begin);
                }
                Ok(Piece::Close)
            }
            Event::Text(text) => Ok(Piece::Text(text.xml10_content())),
            Event::CData(text) => Ok(Piece::Text(text.xml10_content())),
            Event::GeneralRef(reference) => {
                if let Ok(Some(c)) = reference.resolve_char_ref() {
                    return Ok(Piece::Text(Cow::Owned(c.to_string())));
                }
                match resolve_predefined_entity(&reference) {
                    Some(text) => Ok(Piece::Text(Cow::Borrowed(text))),
                    None => Err(self.fault(
                        format!("the reference {}", quoted(&format!("&{};", &*reference))),
                        "no entities but lt, gt, amp, apos and quot",
                    )),
                }
            }
            Event::Decl(_) | Event::PI(_) | Event::DocType(_) | Event::Comment(_) => {
                Ok(Piece::Other)
            }
            Event::Eof => match self.begins.last() {
                None => Ok(Piece::End),
                Some(&begin) => {
                    let expected = format!("</{}>", printable(&self.names[begin..], 40));
                    Err(self.fault("the end of the file", expected))
                }
            },
        }
    }

    /// The 1-based line on which the last piece began.
    pub(super) fn line(&self) -> u64 {
        self.line
    }

    /// A fault in the last piece.
    pub(super) fn fault(&self, found: impl Into<String>, expected: impl Into<String>) -> Error {
        let column = Some(self.column as usize);
        fault(&self.file, Some(self.line), column, found, expected)
    }

    fn malformed(&self, error: &quick_xml::Error) -> Error {
        if self.reader.get_ref().since_piece > LONGEST {
            return self.fault("a tag or text of more than 16 MiB", "shorter ones");
        }
        match error {
            quick_xml::Error::Io(source) => Error::io(
                &*self.file,
                io::Error::new(source.kind(), source.to_string()),
            ),
            quick_xml::Error::Encoding(_) => self.fault("bytes that are not UTF-8", "UTF-8 text"),
            other => self.fault(
                format!(
                    "malformed or cut XML ({})",
                    printable(&other.to_string(), 120)
                ),
                self.wanted,
            ),
        }
    }
}

impl Element<'_> {
    /// The 1-based line and column where the tag begins.
    pub(super) fn place(&self) -> (u64, u64) {
        (self.line, self.column)
    }

    /// The name without its prefix.
    pub(super) fn name(&self) -> &str {
        self.start.local_name().into_inner()
    }

    /// The values of the attributes `names`, where they are given.
    pub(super) fn attributes<const N: usize>(
        &self,
        names: [&str; N],
    ) -> Result<[Option<Cow<'_, str>>; N]> {
        let mut values = [const { None }; N];
        let mut attributes = self.start.attributes();
        // The library's check for repetition compares all with all; only those asked for matter.
        for attribute in attributes.with_checks(false) {
            let attribute = attribute.map_err(|e| self.malformed(&e.to_string()))?;
            let Some(k) = names.iter().position(|&n| n == attribute.key.as_ref()) else {
                continue;
            };
            if values[k].is_some() {
                return Err(self.fault(format!("the attribute `{}` twice", names[k]), "it once"));
            }
            let value = attribute
                .normalized_value(XmlVersion::default())
                .map_err(|e| self.malformed(&e.to_string()))?;
            values[k] = Some(value);
        }
        Ok(values)
    }

    fn malformed(&self, error: &str) -> Error {
        let found = format!("a malformed attribute ({})", printable(error, 120));
        self.fault(
            found,
            "name=\"value\" without entities of the document's own",
        )
    }

    /// A fault in this tag.
    pub(super) fn fault(&self, found: impl Into<String>, expected: impl Into<String>) -> Error {
        let column = Some(self.column as usize);
        fault(&self.file, Some(self.line), column, found, expected)
    }
}

/// Whether XML 1.0 has room for every character of `text`.
pub(super) fn is_xml_text(text: &str) -> bool {
    !text.chars().any(|c| {
        (c < ' ' && !matches!(c, '\t' | '\n' | '\r')) || matches!(c, '\u{fffe}' | '\u{ffff}')
    })
}

/// `text` as it stands between the quotes of an attribute; line breaks and tabs survive there only
/// as numbers.
pub(super) fn escape_attribute(text: &str) -> Cow<'_, str> {
    if !text.contains(['&', '<', '>', '"', '\t', '\n', '\r']) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\t' => escaped.push_str("&#9;"),
            '\n' => escaped.push_str("&#10;"),
            '\r' => escaped.push_str("&#13;"),
            other => escaped.push(other),
        }
    }
    Cow::Owned(escaped)
}

/// Counts the lines that pass through, and stops a piece that does not end.
struct Counted<R> {
    inner: R,
    newlines: u64,
    /// The 1-based byte of the line that comes next.
    column: u64,
    since_piece: u64,
}

impl<R: BufRead> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.fill_buf()?.read(buffer)?;
        self.consume(count);
        Ok(count)
    }
}

impl<R: BufRead> BufRead for Counted<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.since_piece > LONGEST {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.inner.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        // What is consumed is still in the buffer: this reads nothing.
        if let Ok(bytes) = self.inner.fill_buf() {
            let passed = &bytes[..amount.min(bytes.len())];
            self.newlines += memchr::memchr_iter(b'\n', passed).count() as u64;
            match memchr::memrchr(b'\n', passed) {
                Some(last) => self.column = (passed.len() - last) as u64,
                None => self.column += passed.len() as u64,
            }
        }
        self.since_piece += amount as u64;
        self.inner.consume(amount);
    }
}
