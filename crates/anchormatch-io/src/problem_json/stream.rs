//! JSON from a stream: counted against the memory, and its faults in the words of the house.

use std::cell::Cell;
use std::io::{BufRead, BufReader, ErrorKind, Read};

use anchormatch::error::Hint;
use serde::Deserialize;

use super::super::fault::json_fault;
use super::super::problem::ProblemOptions;
use super::{Error, Result, SavedProblem};

/// What a byte of JSON can become: two bytes hold a number, whose list may just have doubled.
const BYTES_PER_BYTE: u64 = 12;

pub(super) fn read(
    reader: impl BufRead,
    name: &str,
    options: &ProblemOptions,
) -> Result<SavedProblem> {
    let refusal = Cell::new(None);
    let counted = Counted {
        reader,
        name,
        options,
        read: 0,
        checked: 0,
        refusal: &refusal,
    };
    let mut json = serde_json::Deserializer::from_reader(BufReader::new(counted));
    let problem = SavedProblem::deserialize(&mut json).and_then(|problem| {
        json.end()?;
        Ok(problem)
    });
    problem.map_err(|error| match refusal.take() {
        Some(refusal) => refusal,
        None => json_fault(error, name, words),
    })
}

/// A reader that refuses to go on when what it has read would pass the memory allowed.
struct Counted<'a, R> {
    reader: R,
    name: &'a str,
    options: &'a ProblemOptions,
    read: u64,
    checked: u64,
    refusal: &'a Cell<Option<Error>>,
}

impl<R: BufRead> Read for Counted<'_, R> {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        if self.read == 0 {
            let block = self.reader.fill_buf()?;
            if block.starts_with(b"\xef\xbb\xbf") {
                self.reader.consume(3);
            }
        }
        let count = self.reader.read(out)?;
        self.read += count as u64;
        // Checked now and then: the bytes between two checks are few.
        if self.read - self.checked >= 1 << 16 {
            self.checked = self.read;
            let allowed = self.options.reserve(
                &format!("{}: more than {} bytes of JSON", self.name, self.read),
                self.read.saturating_mul(BYTES_PER_BYTE),
                super::super::DEFAULT_MEMORY,
                &[Hint::MoreMemory],
            );
            if let Err(error) = allowed {
                self.refusal.set(Some(error));
                return Err(std::io::Error::from(ErrorKind::OutOfMemory));
            }
        }
        Ok(count)
    }
}

/// What was found and what was expected, of a message like `found, expected wanted`.
fn words(message: &str, is_eof: bool) -> (String, String) {
    let (found, expected) = match message.rsplit_once(", expected ") {
        Some(both) => both,
        None if is_eof => ("the end of the file", "the rest of a saved problem"),
        None => (message, "a saved problem in JSON, version 1"),
    };
    (found.to_owned(), expected.to_owned())
}
