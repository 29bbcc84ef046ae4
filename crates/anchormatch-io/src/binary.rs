//! Binary files: a reader that knows at which byte it is, and numbers of every width.
//!
//! Numbers are taken in blocks as they come, so that a count which the file cannot back costs what
//! the file holds and no more.

use std::io::{ErrorKind, Read};

use anchormatch::error::{Error, Result};

use super::fault::fault;

/// How many bytes are taken at once.
const BLOCK: usize = 1 << 16;

/// A reader of bytes that counts them.
pub(super) struct Binary<R> {
    reader: R,
    file: String,
    /// What the bytes belong to, for errors: nothing, or a part of the file such as `data.npy`.
    part: String,
    offset: u64,
}

impl<R: Read> Binary<R> {
    pub(super) fn new(reader: R, file: &str) -> Self {
        Self {
            reader,
            file: file.to_owned(),
            part: String::new(),
            offset: 0,
        }
    }

    /// Bytes that belong to `part` of the file.
    pub(super) fn part(mut self, part: &str) -> Self {
        self.part = format!(" of {part}");
        self
    }

    /// The stream itself.
    pub(super) fn into_inner(self) -> R {
        self.reader
    }

    /// Bytes passed so far.
    pub(super) fn offset(&self) -> u64 {
        self.offset
    }

    /// The file's name.
    pub(super) fn file(&self) -> &str {
        &self.file
    }

    /// A fault where the reader is.
    pub(super) fn fault(&self, found: impl Into<String>, expected: impl Into<String>) -> Error {
        let found = format!("{} at byte {}{}", found.into(), self.offset, self.part);
        fault(&self.file, None, None, found, expected)
    }

    /// Fills `buffer`, which is to hold `expected`.
    pub(super) fn fill(&mut self, buffer: &mut [u8], expected: &str) -> Result<()> {
        let got = self.some(buffer)?;
        if got < buffer.len() {
            return Err(self.fault("the end of the data", expected));
        }
        Ok(())
    }

    /// The next `N` bytes.
    pub(super) fn array<const N: usize>(&mut self, expected: &str) -> Result<[u8; N]> {
        let mut bytes = [0; N];
        self.fill(&mut bytes, expected)?;
        Ok(bytes)
    }

    /// Fills `buffer` as far as there are bytes; returns how many there were.
    pub(super) fn some(&mut self, buffer: &mut [u8]) -> Result<usize> {
        let mut got = 0;
        while got < buffer.len() {
            match self.reader.read(&mut buffer[got..]) {
                Ok(0) => break,
                Ok(count) => {
                    got += count;
                    self.offset += count as u64;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if is_damage(&error) => {
                    return Err(self.fault(format!("damaged data ({error})"), "whole data"));
                }
                Err(source) => return Err(Error::io(&self.file, source)),
            }
        }
        Ok(got)
    }

    /// The next `count` bytes, which the caller has found to be few enough.
    pub(super) fn bytes(&mut self, count: u64, expected: &str) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let mut block = [0; 4096];
        while (bytes.len() as u64) < count {
            let left = count - bytes.len() as u64;
            let next = (block.len() as u64).min(left) as usize;
            self.fill(&mut block[..next], expected)?;
            bytes.extend_from_slice(&block[..next]);
        }
        Ok(bytes)
    }

    /// Passes `count` bytes.
    pub(super) fn skip(&mut self, mut count: u64, expected: &str) -> Result<()> {
        let mut block = [0; 4096];
        while count > 0 {
            let next = (block.len() as u64).min(count) as usize;
            self.fill(&mut block[..next], expected)?;
            count -= next as u64;
        }
        Ok(())
    }

    /// Hands the next `count` numbers to `take`, with their places.
    pub(super) fn each<T>(
        &mut self,
        kind: Number,
        count: u64,
        decode: impl Fn(Number, &[u8]) -> T,
        mut take: impl FnMut(u64, T) -> Result<()>,
    ) -> Result<()> {
        let size = kind.size();
        let per_block = (BLOCK / size) as u64;
        let mut block = vec![0; size * per_block.min(count) as usize];
        let mut done = 0;
        while done < count {
            let next = per_block.min(count - done);
            let bytes = &mut block[..next as usize * size];
            let got = self.some(bytes)?;
            if got < bytes.len() {
                let wanted = format!(
                    "{count} numbers, of which there are {}",
                    done + (got / size) as u64
                );
                return Err(self.fault("the end of the data", wanted));
            }
            for (k, bytes) in bytes.chunks_exact(size).enumerate() {
                take(done + k as u64, decode(kind, bytes))?;
            }
            done += next;
        }
        Ok(())
    }

    /// The next `count` numbers; the caller has checked that so many may be held.
    pub(super) fn numbers(&mut self, kind: Number, count: u64) -> Result<Vec<f64>> {
        let mut numbers = Vec::new();
        self.each(kind, count, Number::value, |_, value| {
            numbers.push(value);
            Ok(())
        })?;
        Ok(numbers)
    }

    /// The next `count` numbers as places in a list, none below zero or broken.
    pub(super) fn indices(&mut self, kind: Number, count: u64) -> Result<Vec<u64>> {
        let mut indices = Vec::new();
        let (file, part) = (self.file.clone(), self.part.clone());
        self.each(kind, count, Number::index, |k, index| match index {
            Some(index) => {
                indices.push(index);
                Ok(())
            }
            None => Err(fault(
                &file,
                None,
                None,
                format!("a number that is no index as number {k}{part}"),
                "whole numbers from 0",
            )),
        })?;
        Ok(indices)
    }
}

/// As a stream for what is packed inside; errors keep their kind and lose their place.
impl<R: Read> Read for Binary<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.reader.read(buffer)?;
        self.offset += count as u64;
        Ok(count)
    }
}

/// Whether an error of a stream says that its bytes are damaged, rather than out of reach.
fn is_damage(error: &std::io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::InvalidInput | ErrorKind::InvalidData | ErrorKind::UnexpectedEof
    )
}

/// A kind of number: what its bits mean, how many bytes there are, and in which order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Number {
    pub(super) class: Class,
    pub(super) bytes: u8,
    pub(super) big_endian: bool,
}

/// What the bits of a number mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    Signed,
    Unsigned,
    Float,
}

impl Number {
    /// The kind with `bytes` bytes, if there is one.
    pub(super) fn new(class: Class, bytes: u8, big_endian: bool) -> Option<Self> {
        let is_known = match class {
            Class::Signed | Class::Unsigned => matches!(bytes, 1 | 2 | 4 | 8),
            Class::Float => matches!(bytes, 2 | 4 | 8),
        };
        is_known.then_some(Self {
            class,
            bytes,
            big_endian,
        })
    }

    /// The number of bytes.
    pub(super) fn size(self) -> usize {
        usize::from(self.bytes)
    }

    /// The bits, in the low end of a word.
    fn bits(self, bytes: &[u8]) -> u64 {
        let mut bits = 0;
        for k in 0..bytes.len() {
            let byte = if self.big_endian {
                bytes[k]
            } else {
                bytes[bytes.len() - 1 - k]
            };
            bits = bits << 8 | u64::from(byte);
        }
        bits
    }

    /// The bits with the sign drawn out to the whole word.
    fn signed(self, bytes: &[u8]) -> i64 {
        let shift = 64 - 8 * u32::from(self.bytes);
        ((self.bits(bytes) << shift) as i64) >> shift
    }

    /// The value.
    pub(super) fn value(self, bytes: &[u8]) -> f64 {
        let bits = self.bits(bytes);
        match (self.class, self.bytes) {
            (Class::Signed, _) => self.signed(bytes) as f64,
            (Class::Unsigned, _) => bits as f64,
            (Class::Float, 2) => half(bits as u16),
            (Class::Float, 4) => f64::from(f32::from_bits(bits as u32)),
            (Class::Float, _) => f64::from_bits(bits),
        }
    }

    /// The value as a place in a list; some writers keep these as floating-point numbers.
    pub(super) fn index(self, bytes: &[u8]) -> Option<u64> {
        match self.class {
            Class::Signed => u64::try_from(self.signed(bytes)).ok(),
            Class::Unsigned => Some(self.bits(bytes)),
            Class::Float => {
                let value = self.value(bytes);
                let is_whole = (0.0..9e15).contains(&value) && value.fract() == 0.0;
                is_whole.then_some(value as u64)
            }
        }
    }
}

/// A number of 16 bits: 1 for the sign, 5 for the exponent, 10 for the fraction (IEEE 754).
fn half(bits: u16) -> f64 {
    let fraction = f64::from(bits & 0x3ff);
    let size = match (bits >> 10) & 0x1f {
        0 => fraction * 2f64.powi(-24),
        0x1f if fraction == 0.0 => f64::INFINITY,
        0x1f => f64::NAN,
        exponent => (1.0 + fraction / 1024.0) * 2f64.powi(i32::from(exponent) - 15),
    };
    if bits >> 15 == 1 { -size } else { size }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_every_width_and_order_have_their_values() {
        let kind = |class, bytes, big| Number::new(class, bytes, big).unwrap();
        for big in [false, true] {
            let order = |mut bytes: Vec<u8>| {
                if big {
                    bytes.reverse();
                }
                bytes
            };
            let value = |class, bytes: Vec<u8>| {
                let kind = kind(class, bytes.len() as u8, big);
                kind.value(&order(bytes))
            };
            assert_eq!(value(Class::Signed, (-5i8).to_le_bytes().into()), -5.0);
            assert_eq!(value(Class::Signed, (-500i16).to_le_bytes().into()), -500.0);
            assert_eq!(
                value(Class::Signed, i32::MIN.to_le_bytes().into()),
                -2147483648.0
            );
            assert_eq!(value(Class::Signed, (-7i64).to_le_bytes().into()), -7.0);
            assert_eq!(value(Class::Unsigned, 250u8.to_le_bytes().into()), 250.0);
            assert_eq!(
                value(Class::Unsigned, 65000u16.to_le_bytes().into()),
                65000.0
            );
            assert_eq!(value(Class::Float, 0.1f64.to_le_bytes().into()), 0.1);
            assert_eq!(value(Class::Float, 1.5f32.to_le_bytes().into()), 1.5);
            assert_eq!(value(Class::Float, 0xc100u16.to_le_bytes().into()), -2.5);
            assert_eq!(
                value(Class::Float, 1u16.to_le_bytes().into()),
                2f64.powi(-24)
            );
            assert!(value(Class::Float, 0x7c01u16.to_le_bytes().into()).is_nan());
        }
        assert!(Number::new(Class::Float, 16, false).is_none());
        assert_eq!(kind(Class::Signed, 1, false).index(&[0xff]), None);
        assert_eq!(
            kind(Class::Float, 8, false).index(&3.0f64.to_le_bytes()),
            Some(3)
        );
        assert_eq!(
            kind(Class::Float, 8, false).index(&3.5f64.to_le_bytes()),
            None
        );
    }

    #[test]
    fn a_count_that_the_file_does_not_back_costs_what_the_file_holds() {
        let kind = Number::new(Class::Float, 8, false).unwrap();
        let mut binary = Binary::new(&[0u8; 20][..], "f").part("a");
        assert_eq!(
            binary.numbers(kind, 1 << 60).unwrap_err().to_string(),
            "f: found the end of the data at byte 20 of a, \
             expected 1152921504606846976 numbers, of which there are 2"
        );
    }
}
