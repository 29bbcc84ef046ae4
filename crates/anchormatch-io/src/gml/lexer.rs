//! The words of GML: brackets, bare words and quoted texts, with the lines they stand on.

use std::io::BufRead;

use anchormatch::error::{Error, Result};

use super::super::fault::fault;

/// The longest word or text that is read, in bytes.
const LONGEST: usize = 1 << 20;

/// What a token is; words and texts are in the lexer's [`text`](Lexer::text).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token {
    Open,
    Close,
    /// A key or a number.
    Word,
    /// A text in quotes.
    Text,
    End,
}

/// A reader of tokens through one buffer.
pub(super) struct Lexer<R> {
    reader: R,
    file: String,
    bytes: Vec<u8>,
    text: String,
    /// Where the reader is, and where the last token began; columns are bytes from 1.
    line: u64,
    column: u64,
    place: (u64, u64),
}

impl<R: BufRead> Lexer<R> {
    pub(super) fn new(reader: R, file: &str) -> Self {
        Self {
            reader,
            file: file.to_owned(),
            bytes: Vec::new(),
            text: String::new(),
            line: 1,
            column: 1,
            place: (1, 1),
        }
    }

    /// The next token.
    pub(super) fn next(&mut self) -> Result<Token> {
        let first = loop {
            match self.peek()? {
                None => {
                    self.place = (self.line, self.column);
                    return Ok(Token::End);
                }
                Some(b'#') => self.take_while(|b| b != b'\n', false)?,
                Some(0xef) if (self.line, self.column) == (1, 1) => {
                    // A byte order mark, or something that is no word either.
                    self.take_while(|b| matches!(b, 0xef | 0xbb | 0xbf), true)?;
                    if self.bytes != b"\xef\xbb\xbf" {
                        return Err(self.fault("bytes that are not UTF-8", "UTF-8 text"));
                    }
                }
                Some(b) if b.is_ascii_whitespace() || b == 0x0b => self.advance(b),
                Some(b) => break b,
            }
        };
        self.place = (self.line, self.column);
        self.text.clear();
        match first {
            b'[' => {
                self.advance(first);
                Ok(Token::Open)
            }
            b']' => {
                self.advance(first);
                Ok(Token::Close)
            }
            b'"' => {
                self.advance(first);
                self.take_while(|b| b != b'"', true)?;
                if self.peek()?.is_none() {
                    return Err(self.fault("a text without an end", "a closing quote"));
                }
                self.advance(b'"');
                let text = self.utf8()?;
                let decoded = decode(text);
                self.text = decoded;
                Ok(Token::Text)
            }
            _ => {
                let is_word =
                    |b: u8| !b.is_ascii_whitespace() && b != 0x0b && !b"[]\"#".contains(&b);
                self.take_while(is_word, true)?;
                let text = self.utf8()?.to_owned();
                self.text = text;
                Ok(Token::Word)
            }
        }
    }

    /// The last word or text.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// The line and the column at which the last token began.
    pub(super) fn place(&self) -> (u64, u64) {
        self.place
    }

    /// A fault at the last token.
    pub(super) fn fault(&self, found: impl Into<String>, expected: impl Into<String>) -> Error {
        let (line, column) = self.place;
        fault(
            &self.file,
            Some(line),
            Some(column as usize),
            found,
            expected,
        )
    }

    fn utf8(&self) -> Result<&str> {
        match std::str::from_utf8(&self.bytes) {
            Ok(text) if !text.contains('\0') => Ok(text),
            Ok(_) => Err(self.fault("a zero byte", "text; is the file binary or UTF-16?")),
            Err(_) => Err(self.fault("bytes that are not UTF-8", "UTF-8 text")),
        }
    }

    /// The next byte, which stays.
    fn peek(&mut self) -> Result<Option<u8>> {
        loop {
            match self.reader.fill_buf() {
                Ok(block) => return Ok(block.first().copied()),
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(source) => return Err(Error::io(&self.file, source)),
            }
        }
    }

    /// Passes one byte that was seen.
    fn advance(&mut self, byte: u8) {
        self.reader.consume(1);
        self.pass(byte);
    }

    fn pass(&mut self, byte: u8) {
        if byte == b'\n' {
            self.line += 1;
            self.column = 1;
        } else {
            self.column += 1;
        }
    }

    /// Passes the bytes for which `belongs` holds, and keeps them if asked to.
    fn take_while(&mut self, belongs: impl Fn(u8) -> bool, keep: bool) -> Result<()> {
        self.bytes.clear();
        loop {
            let block = match self.reader.fill_buf() {
                Ok(block) => block,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(source) => return Err(Error::io(&self.file, source)),
            };
            let length = block
                .iter()
                .position(|&b| !belongs(b))
                .unwrap_or(block.len());
            let is_whole = length < block.len() || block.is_empty();
            let newlines = memchr::memchr_iter(b'\n', &block[..length]).count() as u64;
            match memchr::memrchr(b'\n', &block[..length]) {
                Some(last) => self.column = (length - last) as u64,
                None => self.column += length as u64,
            }
            if keep {
                self.bytes.extend_from_slice(&block[..length]);
            }
            self.reader.consume(length);
            self.line += newlines;
            if self.bytes.len() > LONGEST {
                return Err(self.fault("a word or text of more than 1 MiB", "shorter ones"));
            }
            if is_whole {
                return Ok(());
            }
        }
    }
}

/// A text with its `&…;` resolved: numbered characters and XML's five names; others stay as they are.
fn decode(text: &str) -> String {
    let mut decoded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        decoded.push_str(&rest[..at]);
        rest = &rest[at..];
        let resolved = rest.find(';').filter(|&end| end < 12).and_then(|end| {
            let name = &rest[1..end];
            let character = match name {
                "quot" => '"',
                "amp" => '&',
                "lt" => '<',
                "gt" => '>',
                "apos" => '\'',
                _ => {
                    let number = name.strip_prefix('#')?;
                    let code = match number.strip_prefix(['x', 'X']) {
                        Some(digits) => u32::from_str_radix(digits, 16).ok()?,
                        None => number.parse().ok()?,
                    };
                    char::from_u32(code).filter(|&c| c != '\0')?
                }
            };
            Some((character, end + 1))
        });
        let (character, length) = resolved.unwrap_or(('&', 1));
        decoded.push(character);
        rest = &rest[length..];
    }
    decoded.push_str(rest);
    decoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_have_places_whatever_the_blocks() {
        let text = "\u{feff}graph[ # c [\n id\t-1.5 \"a\n &quot;&#65;&#x42;&no;&\"]";
        for block in 1..20 {
            let reader = std::io::BufReader::with_capacity(block, text.as_bytes());
            let mut lexer = Lexer::new(reader, "f");
            let mut found = Vec::new();
            loop {
                let token = lexer.next().unwrap();
                found.push((token, lexer.text().to_owned(), lexer.place));
                if token == Token::End {
                    break;
                }
            }
            let want = [
                (Token::Word, "graph", (1, 4)),
                (Token::Open, "", (1, 9)),
                (Token::Word, "id", (2, 2)),
                (Token::Word, "-1.5", (2, 5)),
                (Token::Text, "a\n \"AB&no;&", (2, 10)),
                (Token::Close, "", (3, 25)),
                (Token::End, "", (3, 26)),
            ];
            let want = want.map(|(t, text, place)| (t, text.to_owned(), place));
            assert_eq!(found, want, "{block}");
        }
    }
}
