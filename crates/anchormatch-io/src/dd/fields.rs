//! The fields of one line.

use anchormatch::error::{Error, Result};

use super::super::fault::{fault, quoted};

/// The fields of one line; columns are counted from 1.
pub(super) struct Fields<'a> {
    file: &'a str,
    line: u64,
    column: usize,
    words: std::str::SplitAsciiWhitespace<'a>,
}

impl<'a> Fields<'a> {
    pub(super) fn new(file: &'a str, text: &'a str, line: u64) -> Self {
        Self {
            file,
            line,
            column: 0,
            words: text.split_ascii_whitespace(),
        }
    }

    /// The line's number.
    pub(super) fn line(&self) -> u64 {
        self.line
    }

    /// The next word; empty at the end of the line.
    pub(super) fn next_word(&mut self) -> &'a str {
        self.column += 1;
        self.words.next().unwrap_or_default()
    }

    /// A count of at most `most`.
    pub(super) fn index(&mut self, what: &str, most: Option<usize>) -> Result<usize> {
        let word = self.next_word();
        match word.parse() {
            Ok(number) if most.is_none_or(|most| number <= most) => Ok(number),
            _ => {
                let limit = most.map(|most| format!(", at most {most}"));
                let expected = format!("{what}{}", limit.unwrap_or_default());
                Err(self.fault(quoted(word), expected))
            }
        }
    }

    /// An index below `count`.
    pub(super) fn below(&mut self, what: &str, count: usize) -> Result<usize> {
        let word = self.next_word();
        match word.parse() {
            Ok(number) if number < count => Ok(number),
            _ if count == 0 => {
                let expected =
                    format!("no such line, because there is not a single {}", bare(what));
                Err(self.fault(quoted(word), expected))
            }
            _ => Err(self.fault(quoted(word), format!("{what}, 0 to {}", count - 1))),
        }
    }

    pub(super) fn cost(&mut self) -> Result<f64> {
        let word = self.next_word();
        match word.parse::<f64>() {
            Ok(cost) if cost.is_finite() => Ok(cost),
            _ => Err(self.fault(quoted(word), "a cost, a finite number")),
        }
    }

    pub(super) fn end(&mut self) -> Result<()> {
        match self.next_word() {
            "" => Ok(()),
            word => Err(self.fault(quoted(word), "the end of the line")),
        }
    }

    pub(super) fn fault(&self, found: impl Into<String>, expected: impl Into<String>) -> Error {
        fault(
            self.file,
            Some(self.line),
            Some(self.column),
            found,
            expected,
        )
    }
}

/// `what` without its article.
fn bare(what: &str) -> &str {
    what.split_once(' ').map_or(what, |(_, rest)| rest)
}
