//! Data elements: a tag with kind and length, and the bytes.

use std::io::Read;

use anchormatch::error::Result;

use super::super::binary::{Binary, Class, Number};
use super::kind;

/// A stream of elements inside one that is `left` bytes long.
pub(super) struct Elements<'a, R> {
    pub(super) binary: &'a mut Binary<R>,
    pub(super) big_endian: bool,
    pub(super) left: u64,
}

/// What stands before an element's bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tag {
    pub(super) kind: u32,
    pub(super) length: u64,
    /// Bytes after the data up to the next element.
    padding: u64,
}

/// Two numbers of 32 bits.
pub(super) fn words(bytes: [u8; 8], big_endian: bool) -> [u32; 2] {
    let [a, b, c, d, e, f, g, h] = bytes;
    if big_endian {
        [
            u32::from_be_bytes([a, b, c, d]),
            u32::from_be_bytes([e, f, g, h]),
        ]
    } else {
        [
            u32::from_le_bytes([a, b, c, d]),
            u32::from_le_bytes([e, f, g, h]),
        ]
    }
}

impl<R: Read> Elements<'_, R> {
    /// The next tag, which announces `expected`.
    ///
    /// A short element has its length in the upper half of the first word, and its data, at most
    /// four bytes, in the second.
    pub(super) fn tag(&mut self, expected: &str) -> Result<Tag> {
        self.spend(4, expected)?;
        let first: [u8; 4] = self.binary.array(expected)?;
        let word = if self.big_endian {
            u32::from_be_bytes(first)
        } else {
            u32::from_le_bytes(first)
        };
        let short = u64::from(word >> 16);
        if short > 4 {
            let found = format!("a short element of {short} bytes");
            return Err(self.binary.fault(found, expected));
        }
        if short > 0 {
            return Ok(Tag {
                kind: word & 0xffff,
                length: short,
                padding: 4 - short,
            });
        }
        self.spend(4, expected)?;
        let second: [u8; 4] = self.binary.array(expected)?;
        let length = u64::from(if self.big_endian {
            u32::from_be_bytes(second)
        } else {
            u32::from_le_bytes(second)
        });
        Ok(Tag {
            kind: word,
            length,
            padding: length.next_multiple_of(8) - length,
        })
    }

    /// Takes `count` bytes off what is left.
    pub(super) fn spend(&mut self, count: u64, expected: &str) -> Result<()> {
        if count > self.left {
            let found = format!("{count} bytes where {} are left", self.left);
            return Err(self.binary.fault(found, expected));
        }
        self.left -= count;
        Ok(())
    }

    /// Passes the bytes after an element's data; the last one may do without.
    pub(super) fn pad(&mut self, tag: Tag) -> Result<()> {
        let padding = tag.padding.min(self.left);
        self.left -= padding;
        self.binary.skip(padding, "the end of an element")
    }

    /// The numbers of an element; the caller has checked that so many may be held.
    pub(super) fn numbers(&mut self, tag: Tag, expected: &str) -> Result<Vec<f64>> {
        let (kind, count) = self.number_kind(tag, expected)?;
        let numbers = self.binary.numbers(kind, count)?;
        self.pad(tag)?;
        Ok(numbers)
    }

    /// The whole numbers from 0 of an element.
    pub(super) fn indices(&mut self, tag: Tag, expected: &str) -> Result<Vec<u64>> {
        let (kind, count) = self.number_kind(tag, expected)?;
        let indices = self.binary.indices(kind, count)?;
        self.pad(tag)?;
        Ok(indices)
    }

    /// The bytes of an element, at most `most`.
    pub(super) fn bytes(&mut self, tag: Tag, most: u64, expected: &str) -> Result<Vec<u8>> {
        if tag.length > most {
            let found = format!("{} bytes", tag.length);
            return Err(self
                .binary
                .fault(found, format!("{expected} of at most {most}")));
        }
        self.spend(tag.length, expected)?;
        let bytes = self.binary.bytes(tag.length, expected)?;
        self.pad(tag)?;
        Ok(bytes)
    }

    /// How many numbers of which kind an element holds.
    fn number_kind(&mut self, tag: Tag, expected: &str) -> Result<(Number, u64)> {
        let number = match tag.kind {
            kind::INT8 => Some((Class::Signed, 1)),
            2 => Some((Class::Unsigned, 1)),
            3 => Some((Class::Signed, 2)),
            kind::UINT16 => Some((Class::Unsigned, 2)),
            kind::INT32 => Some((Class::Signed, 4)),
            kind::UINT32 => Some((Class::Unsigned, 4)),
            7 => Some((Class::Float, 4)),
            kind::DOUBLE => Some((Class::Float, 8)),
            12 => Some((Class::Signed, 8)),
            13 => Some((Class::Unsigned, 8)),
            _ => None,
        };
        let number = number.and_then(|(class, bytes)| Number::new(class, bytes, self.big_endian));
        let Some(number) = number else {
            let found = format!("an element of the kind {}", tag.kind);
            return Err(self.binary.fault(found, expected));
        };
        let size = u64::from(number.bytes);
        if !tag.length.is_multiple_of(size) {
            let found = format!("{} bytes for numbers of {size}", tag.length);
            return Err(self.binary.fault(found, expected));
        }
        self.spend(tag.length, expected)?;
        Ok((number, tag.length / size))
    }
}
