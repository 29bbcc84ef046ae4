//! Lines of a text file, one at a time through one buffer: UTF-8, with or without a byte order
//! mark, ended by LF or CR LF, and none so long that it would fill the memory.

use std::io::{BufRead, Read};

use super::fault::fault;
use crate::error::{Error, Result};

/// The longest line that is read, in bytes.
const LONGEST: usize = 1 << 20;

/// A reader of lines that knows where it is.
pub(super) struct Lines<R> {
    reader: R,
    file: String,
    number: u64,
    bytes: Vec<u8>,
    text: String,
}

impl<R: BufRead> Lines<R> {
    pub(super) fn new(reader: R, file: &str) -> Self {
        Self {
            reader,
            file: file.to_owned(),
            number: 0,
            bytes: Vec::new(),
            text: String::new(),
        }
    }

    /// Reads the next line; false at the end of the file.
    pub(super) fn advance(&mut self) -> Result<bool> {
        self.bytes.clear();
        let read = (&mut self.reader)
            .take(LONGEST as u64 + 1)
            .read_until(b'\n', &mut self.bytes)
            .map_err(|source| Error::io(&self.file, source))?;
        if read == 0 {
            return Ok(false);
        }
        self.number += 1;
        if self.number == 1 && self.bytes.starts_with(b"\xef\xbb\xbf") {
            self.bytes.drain(..3);
        }
        if self.bytes.ends_with(b"\n") {
            self.bytes.pop();
            if self.bytes.ends_with(b"\r") {
                self.bytes.pop();
            }
        } else if read > LONGEST {
            return Err(self.junk("a line of more than 1 MiB", "text in short lines"));
        }
        if self.bytes.contains(&0) {
            return Err(self.junk("a zero byte", "text; is the file binary or UTF-16?"));
        }
        self.text.clear();
        match std::str::from_utf8(&self.bytes) {
            Ok(text) => self.text.push_str(text),
            Err(_) => return Err(self.junk("bytes that are not UTF-8", "UTF-8 text")),
        }
        Ok(true)
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

    fn junk(&self, found: &str, expected: &str) -> Error {
        fault(&self.file, Some(self.number), None, found, expected)
    }
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
