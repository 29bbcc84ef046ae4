//! Compressed files: any format inside gzip (RFC 1952), recognised by its first two bytes.
//!
//! What comes out is counted, and stops at the memory allowed: a small file that unpacks into a
//! large one costs no more than it may. Damage is told as a fault of the file rather than of
//! whatever reader happened to ask for the bytes.

use std::cell::RefCell;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::rc::Rc;

use anchormatch::error::{Error, Hint, Result};
use flate2::Compression;
use flate2::bufread::MultiGzDecoder;
use flate2::write::GzEncoder;

use super::fault::fault;
use super::options::ReadOptions;

const MAGIC: [u8; 2] = [0x1f, 0x8b];

/// Hands `reader` on, unpacked if it is compressed.
pub(super) fn unpacked<T>(
    reader: &mut dyn BufRead,
    name: &str,
    options: &ReadOptions,
    read: impl FnOnce(&mut dyn BufRead) -> Result<T>,
) -> Result<T> {
    if !begins_with_magic(reader).map_err(|source| Error::io(name, source))? {
        return read(reader);
    }
    let trouble = Rc::default();
    let mut inner = BufReader::with_capacity(
        1 << 16,
        Unpacked {
            decoder: MultiGzDecoder::new(reader),
            unpacked: 0,
            limit: options.limit(),
            trouble: Rc::clone(&trouble),
        },
    );
    let outcome = read(&mut inner);
    let trouble = trouble.borrow_mut().take();
    match trouble {
        None => outcome,
        Some(Trouble::TooMuch) => Err(Error::Memory {
            what: format!("{name}: the unpacked file"),
            needed: options.limit().saturating_add(1),
            limit: options.limit(),
            hints: &[Hint::MoreMemoryIfTrusted],
        }),
        Some(Trouble::Damaged { after, why }) => Err(fault(
            name,
            None,
            None,
            format!("damaged or cut gzip data after {after} unpacked bytes ({why})"),
            "a whole gzip file",
        )),
    }
}

/// Runs `write` over a stream that compresses into `out`; the same bytes give the same file.
pub(super) fn packed(
    out: &mut dyn Write,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut encoder = GzEncoder::new(out, Compression::default());
    write(&mut encoder)?;
    encoder.finish().map(drop)
}

fn begins_with_magic(reader: &mut dyn BufRead) -> io::Result<bool> {
    loop {
        match reader.fill_buf() {
            Ok(block) => return Ok(block.starts_with(&MAGIC)),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Why unpacking ended early.
enum Trouble {
    TooMuch,
    Damaged { after: u64, why: String },
}

struct Unpacked<R> {
    decoder: MultiGzDecoder<R>,
    unpacked: u64,
    limit: u64,
    /// Told here as well as by the error, which readers may have to turn into something else.
    trouble: Rc<RefCell<Option<Trouble>>>,
}

impl<R: BufRead> Read for Unpacked<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = match self.decoder.read(buffer) {
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return Err(error),
            Err(error) => {
                *self.trouble.borrow_mut() = Some(Trouble::Damaged {
                    after: self.unpacked,
                    why: error.to_string(),
                });
                return Err(error);
            }
        };
        self.unpacked += count as u64;
        if self.unpacked > self.limit {
            *self.trouble.borrow_mut() = Some(Trouble::TooMuch);
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pack(bytes: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        packed(&mut out, |out| out.write_all(bytes)).unwrap();
        out
    }

    fn unpack(mut bytes: &[u8], limit: u64) -> Result<Vec<u8>> {
        let options = ReadOptions {
            max_memory: Some(limit),
            ..ReadOptions::default()
        };
        unpacked(&mut bytes, "f", &options, |reader| {
            let mut out = Vec::new();
            match reader.read_to_end(&mut out) {
                Ok(_) => Ok(out),
                Err(source) => Err(Error::io("f", source)),
            }
        })
    }

    #[test]
    fn what_was_packed_comes_back_members_and_plain_bytes_too() {
        assert_eq!(unpack(&pack(b"abc"), 100).unwrap(), b"abc");
        let two = [pack(b"abc"), pack(b"def")].concat();
        assert_eq!(unpack(&two, 100).unwrap(), b"abcdef");
        assert_eq!(unpack(b"plain", 1).unwrap(), b"plain");
        assert_eq!(unpack(b"", 1).unwrap(), b"");
    }

    #[test]
    fn a_bomb_is_refused_and_a_cut_is_told() {
        let bomb = pack(&vec![0; 1 << 20]);
        assert!(bomb.len() < 2000);
        let refused = unpack(&bomb, 1000).unwrap_err();
        assert!(matches!(refused, Error::Memory { .. }), "{refused}");
        let whole = pack(b"a,b\nc,d\n");
        for cut in 2..whole.len() {
            let message = unpack(&whole[..cut], 1000).unwrap_err().to_string();
            assert!(
                message.starts_with("f: found damaged or cut gzip data"),
                "{message}"
            );
            assert!(message.ends_with("expected a whole gzip file"), "{message}");
        }
    }
}
