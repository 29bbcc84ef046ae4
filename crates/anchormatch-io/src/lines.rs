//! Lines of a text file, one at a time through one buffer: UTF-8, with or without a byte order
//! mark, ended by LF or CR LF, and none so long that it would fill the memory.

use std::io::{BufRead, Read};

use anchormatch::error::{Error, Result};

use super::fault::fault;

/// The longest line that is read unless the format asks for more, in bytes.
const LONGEST: usize = 1 << 20;

/// A reader of lines that knows where it is.
pub(super) struct Lines<R> {
    reader: R,
    file: String,
    number: u64,
    longest: usize,
    bytes: Vec<u8>,
    text: String,
}

impl<R: BufRead> Lines<R> {
    pub(super) fn new(reader: R, file: &str) -> Self {
        Self {
            reader,
            file: file.to_owned(),
            number: 0,
            longest: LONGEST,
            bytes: Vec::new(),
            text: String::new(),
        }
    }

    /// Allows lines of up to `bytes`.
    pub(super) fn longest(mut self, bytes: usize) -> Self {
        self.longest = bytes;
        self
    }

    /// Reads the next line; false at the end of the file.
    pub(super) fn advance(&mut self) -> Result<bool> {
        let block = match self.reader.fill_buf() {
            Ok(block) => block,
            // The slow way tries again.
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => &[],
            Err(source) => return Err(Error::io(&self.file, source)),
        };
        // Nearly every line stands whole in the reader's buffer and is taken from there.
        if let Some(end) = memchr::memchr(b'\n', block)
            && end < self.longest
        {
            self.number += 1;
            let taken = take(&block[..end], self.number == 1, &mut self.text);
            self.reader.consume(end + 1);
            return taken.map(|()| true).map_err(|junk| self.junk(junk));
        }
        self.advance_slowly()
    }

    /// [`advance`](Self::advance) for a line that lies across two blocks or ends the file.
    fn advance_slowly(&mut self) -> Result<bool> {
        self.bytes.clear();
        let read = (&mut self.reader)
            .take(self.longest as u64 + 1)
            .read_until(b'\n', &mut self.bytes)
            .map_err(|source| Error::io(&self.file, source))?;
        if read == 0 {
            return Ok(false);
        }
        self.number += 1;
        let line = match self.bytes.strip_suffix(b"\n") {
            Some(line) => line,
            None if read > self.longest => {
                let found = format!("a line of more than {} MiB", self.longest >> 20);
                return Err(fault(
                    &self.file,
                    Some(self.number),
                    None,
                    found,
                    "text in short lines",
                ));
            }
            None => &self.bytes,
        };
        take(line, self.number == 1, &mut self.text).map_err(|junk| self.junk(junk))?;
        Ok(true)
    }

    /// A fault in a word of the line read last.
    pub(super) fn fault(
        &self,
        column: usize,
        found: impl Into<String>,
        expected: impl Into<String>,
    ) -> Error {
        let line = Some(self.number);
        fault(&self.file, line, Some(column), found, expected)
    }

    /// The line read last, without its end.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// The 1-based number of the line read last; 0 before the first.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// The file's name.
    pub(super) fn file(&self) -> &str {
        &self.file
    }

    fn junk(&self, junk: Junk) -> Error {
        let (found, expected) = match junk {
            Junk::Zero => ("a zero byte", "text; is the file binary or UTF-16?"),
            Junk::Encoding => ("bytes that are not UTF-8", "UTF-8 text"),
        };
        fault(&self.file, Some(self.number), None, found, expected)
    }
}

/// What makes a line no text.
#[derive(Clone, Copy)]
enum Junk {
    Zero,
    Encoding,
}

/// Puts a line without its line feed into `text`: no carriage return, no byte order mark.
fn take(mut line: &[u8], is_first: bool, text: &mut String) -> std::result::Result<(), Junk> {
    if let Some(rest) = line.strip_suffix(b"\r") {
        line = rest;
    }
    if is_first && let Some(rest) = line.strip_prefix(b"\xef\xbb\xbf") {
        line = rest;
    }
    if memchr::memchr(0, line).is_some() {
        return Err(Junk::Zero);
    }
    text.clear();
    text.push_str(std::str::from_utf8(line).map_err(|_| Junk::Encoding)?);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(bytes: &[u8]) -> Result<Vec<String>> {
        let mut lines = Lines::new(bytes, "f");
        let mut found = Vec::new();
        while lines.advance()? {
            found.push(lines.text().to_owned());
        }
        assert_eq!(lines.number(), found.len() as u64);
        Ok(found)
    }

    #[test]
    fn ends_and_marks_are_taken_off() {
        let lines = all(b"\xef\xbb\xbfa\r\n\nb\r\r\nc").unwrap();
        assert_eq!(lines, ["a", "", "b\r", "c"]);
        assert!(all(b"").unwrap().is_empty());
    }

    #[test]
    fn junk_is_named_with_its_line() {
        let message = |bytes: &[u8]| all(bytes).unwrap_err().to_string();
        assert_eq!(
            message(b"a\nb\0c\n"),
            "f, line 2: found a zero byte, expected text; is the file binary or UTF-16?"
        );
        assert_eq!(
            message(b"a\xff\n"),
            "f, line 1: found bytes that are not UTF-8, expected UTF-8 text"
        );
        let mut long = b"a\n".to_vec();
        long.resize(LONGEST + 3, b'x');
        assert_eq!(
            message(&long),
            "f, line 2: found a line of more than 1 MiB, expected text in short lines"
        );
        long.truncate(LONGEST + 2);
        assert_eq!(all(&long).unwrap()[1].len(), LONGEST);
    }
}
