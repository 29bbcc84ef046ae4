//! Words of a text file in which line breaks carry no meaning, one at a time through one buffer.

use std::io::BufRead;

use anchormatch::error::{Error, Result};

use super::fault::{fault, quoted};

/// The longest word that is read, in bytes; the smallest double written out takes 326.
const LONGEST: usize = 1024;

/// A reader of words that knows where it is.
pub(super) struct Words<R> {
    reader: R,
    file: String,
    /// Whether a comma separates words as a blank does.
    commas: bool,
    /// The line that is being read, and words of it so far.
    line: u64,
    column: usize,
    bytes: Vec<u8>,
    /// The last word and its place.
    word: String,
    place: (u64, usize),
}

impl<R: BufRead> Words<R> {
    pub(super) fn new(reader: R, file: &str, commas: bool) -> Self {
        Self {
            reader,
            file: file.to_owned(),
            commas,
            line: 1,
            column: 0,
            bytes: Vec::new(),
            word: String::new(),
            place: (0, 0),
        }
    }

    /// Reads the next word; false at the end of the file.
    pub(super) fn advance(&mut self) -> Result<bool> {
        self.bytes.clear();
        'blocks: loop {
            let block = match self.reader.fill_buf() {
                Ok(block) => block,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(source) => return Err(Error::io(&self.file, source)),
            };
            if block.is_empty() {
                break;
            }
            for (place, &byte) in block.iter().enumerate() {
                if byte.is_ascii_whitespace() || (self.commas && byte == b',') {
                    if !self.bytes.is_empty() {
                        // The separator stays, so that a line ends after its last word.
                        self.reader.consume(place);
                        break 'blocks;
                    }
                    if byte == b'\n' {
                        self.line += 1;
                        self.column = 0;
                    }
                } else if self.bytes.len() < LONGEST {
                    self.bytes.push(byte);
                } else {
                    let found = format!("a word of more than {LONGEST} bytes");
                    let column = Some(self.column + 1);
                    return Err(fault(
                        &self.file,
                        Some(self.line),
                        column,
                        found,
                        "short words",
                    ));
                }
            }
            let read = block.len();
            self.reader.consume(read);
        }
        if self.place == (0, 0) && self.bytes.starts_with(b"\xef\xbb\xbf") {
            self.bytes.drain(..3);
            if self.bytes.is_empty() {
                // The mark alone is no word; the next call sees the first one.
                self.place = (1, 0);
                return self.advance();
            }
        }
        if self.bytes.is_empty() {
            self.place = (self.line, self.column + 1);
            return Ok(false);
        }
        self.column += 1;
        self.place = (self.line, self.column);
        self.word.clear();
        match std::str::from_utf8(&self.bytes) {
            Ok(word) => self.word.push_str(word),
            Err(_) => return Err(self.fault("bytes that are not UTF-8", "UTF-8 text")),
        }
        Ok(true)
    }

    /// The word read last.
    pub(super) fn word(&self) -> &str {
        &self.word
    }

    /// The 1-based line of the word read last, and the word's number there.
    pub(super) fn place(&self) -> (u64, usize) {
        self.place
    }

    /// The file's name.
    pub(super) fn file(&self) -> &str {
        &self.file
    }

    /// A fault at the word read last.
    pub(super) fn fault(&self, found: impl Into<String>, expected: impl Into<String>) -> Error {
        let (line, column) = self.place;
        fault(&self.file, Some(line), Some(column), found, expected)
    }

    /// The next word, which must be there, as what `parse` makes of it.
    pub(super) fn parsed<T>(
        &mut self,
        expected: impl FnOnce() -> String,
        parse: impl FnOnce(&str) -> Option<T>,
    ) -> Result<T> {
        if !self.advance()? {
            return Err(fault(
                &self.file,
                None,
                None,
                "the end of the file",
                expected(),
            ));
        }
        parse(&self.word).ok_or_else(|| self.fault(quoted(&self.word), expected()))
    }
}

/// A number that is finite.
pub(super) fn finite(word: &str) -> Option<f64> {
    word.parse().ok().filter(|value: &f64| value.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::BufReader;

    fn places(text: &str, commas: bool, block: usize) -> Vec<(String, u64, usize)> {
        let reader = BufReader::with_capacity(block, text.as_bytes());
        let mut words = Words::new(reader, "f", commas);
        let mut found = Vec::new();
        while words.advance().unwrap() {
            found.push((words.word().to_owned(), words.place.0, words.place.1));
        }
        found
    }

    #[test]
    fn words_have_places_whatever_the_blocks() {
        let text = "\u{feff}12 a,b\r\n\n c\n\td,\n";
        for block in 1..20 {
            let want = [("12", 1, 1), ("a,b", 1, 2), ("c", 3, 1), ("d,", 4, 1)];
            let want = want.map(|(w, l, c)| (w.to_owned(), l, c));
            assert_eq!(places(text, false, block), want, "{block}");
            let words: Vec<_> = places(text, true, block).into_iter().map(|w| w.0).collect();
            assert_eq!(words, ["12", "a", "b", "c", "d"]);
        }
        assert!(places("\u{feff} \n", false, 4).is_empty());
        assert_eq!(places("\u{feff}\nx", false, 1), [("x".to_owned(), 2, 1)]);
    }

    #[test]
    fn words_without_end_and_without_meaning_are_refused() {
        let long = format!("1\n2 {}", "9".repeat(LONGEST + 1));
        let mut words = Words::new(long.as_bytes(), "f", false);
        assert!(words.advance().unwrap() && words.advance().unwrap());
        assert_eq!(
            words.advance().unwrap_err().to_string(),
            "f, line 2, column 2: found a word of more than 1024 bytes, expected short words"
        );
        let mut words = Words::new(&b"\xff"[..], "f", false);
        assert_eq!(
            words.advance().unwrap_err().to_string(),
            "f, line 1, column 1: found bytes that are not UTF-8, expected UTF-8 text"
        );
    }
}
