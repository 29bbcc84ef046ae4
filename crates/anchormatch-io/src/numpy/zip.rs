//! ZIP archives (PKWARE, *APPNOTE*, 6.3) as far as `.npz` needs them: members that are stored or
//! deflated, found by the directory at the end.
//!
//! The archive is held in memory, a member is unpacked as it is read, and its checksum is compared
//! when it has been read to its end.

use std::io::{self, Read, Write};

use anchormatch::error::{Error, Result};
use flate2::bufread::DeflateDecoder;
use flate2::write::DeflateEncoder;
use flate2::{Compression, Crc};

use super::super::fault::{fault, quoted, unwritable};

const END: &[u8] = b"PK\x05\x06";
const DIRECTORY: &[u8] = b"PK\x01\x02";
const LOCAL: &[u8] = b"PK\x03\x04";

/// Members of an archive, at most; a graph has a handful.
const MOST_MEMBERS: u64 = 10_000;

/// An archive.
pub(super) struct Archive<'a> {
    bytes: &'a [u8],
    file: &'a str,
    pub(super) members: Vec<Member>,
}

/// One file of an archive.
#[derive(Debug, Clone)]
pub(super) struct Member {
    /// Its name without `.npy`.
    pub(super) name: String,
    is_deflated: bool,
    checksum: u32,
    packed: u64,
    unpacked: u64,
    offset: u64,
}

impl<'a> Archive<'a> {
    /// Reads the directory.
    pub(super) fn new(bytes: &'a [u8], file: &'a str) -> Result<Self> {
        let mut archive = Self {
            bytes,
            file,
            members: Vec::new(),
        };
        // The end record is followed by a comment of at most 64 KiB.
        let earliest = bytes.len().saturating_sub(22 + 65_535);
        let end = (earliest..bytes.len().saturating_sub(21))
            .rev()
            .find(|&at| bytes[at..].starts_with(END));
        let Some(end) = end else {
            let wanted = "the directory of a ZIP archive at its end";
            return Err(fault(
                file,
                None,
                None,
                "no archive, or one that is cut",
                wanted,
            ));
        };
        let mut count = u64::from(archive.u16(end + 10)?);
        let mut at = u64::from(archive.u32(end + 16)?);
        // A large archive has its numbers in a record of its own, to which a locator points.
        if (count == 0xffff || at == 0xffff_ffff) && end >= 20 {
            let record = archive.u64(end - 12)?;
            let record = usize::try_from(record).unwrap_or(usize::MAX);
            if archive.slice(record, 4)? != b"PK\x06\x06" {
                return Err(archive.damage(record, "the end record of a large archive"));
            }
            count = archive.u64(record + 32)?;
            at = archive.u64(record + 48)?;
        }
        if count > MOST_MEMBERS {
            let found = format!("an archive of {count} members");
            let wanted = format!("at most {MOST_MEMBERS}");
            return Err(fault(file, None, None, found, wanted));
        }
        let mut at = usize::try_from(at).unwrap_or(usize::MAX);
        for _ in 0..count {
            at = archive.entry(at)?;
        }
        Ok(archive)
    }

    /// The member called `name`.
    pub(super) fn find(&self, name: &str) -> Option<&Member> {
        self.members.iter().find(|member| member.name == name)
    }

    /// A reader of what `member` holds.
    pub(super) fn open(&self, member: &Member) -> Result<Opened<'a>> {
        let at = usize::try_from(member.offset).unwrap_or(usize::MAX);
        if self.slice(at, 4)? != LOCAL {
            return Err(self.damage(at, "the beginning of a member"));
        }
        let skip = 30 + usize::from(self.u16(at + 26)?) + usize::from(self.u16(at + 28)?);
        let length = usize::try_from(member.packed).unwrap_or(usize::MAX);
        let packed = self.slice(at + skip, length)?;
        Ok(Opened {
            stream: if member.is_deflated {
                Stream::Deflated(DeflateDecoder::new(packed))
            } else {
                Stream::Stored(packed)
            },
            sum: Crc::new(),
            checksum: member.checksum,
            left: member.unpacked,
        })
    }

    /// Reads one entry of the directory; returns where the next begins.
    fn entry(&mut self, at: usize) -> Result<usize> {
        if self.slice(at, 4)? != DIRECTORY {
            return Err(self.damage(at, "an entry of the directory"));
        }
        let (flags, method) = (self.u16(at + 8)?, self.u16(at + 10)?);
        let [name_length, extra_length, comment_length] =
            [self.u16(at + 28)?, self.u16(at + 30)?, self.u16(at + 32)?].map(usize::from);
        let name = String::from_utf8_lossy(self.slice(at + 46, name_length)?).into_owned();
        if flags & 1 != 0 || !matches!(method, 0 | 8) {
            let found = format!(
                "the member {}, encrypted or packed by method {method}",
                quoted(&name)
            );
            let wanted = "members that are stored or deflated";
            return Err(fault(self.file, None, None, found, wanted));
        }
        let mut member = Member {
            name: name.strip_suffix(".npy").unwrap_or(&name).to_owned(),
            is_deflated: method == 8,
            checksum: self.u32(at + 16)?,
            packed: u64::from(self.u32(at + 20)?),
            unpacked: u64::from(self.u32(at + 24)?),
            offset: u64::from(self.u32(at + 42)?),
        };
        // Numbers that do not fit stand among the extra fields, in this order.
        let mut extra = self.slice(at + 46 + name_length, extra_length)?;
        while extra.len() >= 4 {
            let id = u16::from_le_bytes([extra[0], extra[1]]);
            let length = usize::from(u16::from_le_bytes([extra[2], extra[3]]));
            let body = &extra[4..(4 + length).min(extra.len())];
            if id == 1 {
                let mut wide = body.chunks_exact(8);
                for number in [&mut member.unpacked, &mut member.packed, &mut member.offset] {
                    if *number == 0xffff_ffff
                        && let Some(bytes) = wide.next()
                    {
                        *number = le(bytes);
                    }
                }
            }
            extra = &extra[(4 + length).min(extra.len())..];
        }
        self.members.push(member);
        Ok(at + 46 + name_length + extra_length + comment_length)
    }

    fn slice(&self, at: usize, length: usize) -> Result<&'a [u8]> {
        at.checked_add(length)
            .and_then(|end| self.bytes.get(at..end))
            .ok_or_else(|| {
                let found = format!("a pointer to byte {at}, {length} bytes");
                let wanted = format!("places inside the file, which has {}", self.bytes.len());
                fault(self.file, None, None, found, wanted)
            })
    }

    fn u16(&self, at: usize) -> Result<u16> {
        Ok(le(self.slice(at, 2)?) as u16)
    }

    fn u32(&self, at: usize) -> Result<u32> {
        Ok(le(self.slice(at, 4)?) as u32)
    }

    fn u64(&self, at: usize) -> Result<u64> {
        Ok(le(self.slice(at, 8)?))
    }

    fn damage(&self, at: usize, expected: &str) -> Error {
        let found = format!("other bytes at byte {at}");
        fault(self.file, None, None, found, expected)
    }
}

/// Up to eight bytes, the lowest first.
fn le(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .rev()
        .fold(0, |number, &byte| number << 8 | u64::from(byte))
}

/// A member as a stream; its end is its length, and there its checksum must be right.
pub(super) struct Opened<'a> {
    stream: Stream<'a>,
    sum: Crc,
    checksum: u32,
    left: u64,
}

enum Stream<'a> {
    Stored(&'a [u8]),
    Deflated(DeflateDecoder<&'a [u8]>),
}

impl Read for Opened<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() || self.left == 0 {
            return Ok(0);
        }
        let most = buffer
            .len()
            .min(usize::try_from(self.left).unwrap_or(usize::MAX));
        let buffer = &mut buffer[..most];
        let count = match &mut self.stream {
            Stream::Stored(bytes) => bytes.read(buffer)?,
            Stream::Deflated(decoder) => decoder.read(buffer)?,
        };
        let damaged = |why| Err(io::Error::new(io::ErrorKind::InvalidData, why));
        if count == 0 {
            return damaged("a member is shorter than the directory says");
        }
        self.left -= count as u64;
        self.sum.update(&buffer[..count]);
        if self.left == 0 && self.sum.sum() != self.checksum {
            return damaged("a checksum is wrong");
        }
        Ok(count)
    }
}

/// Writes members one after the other, and the directory at the end.
pub(super) struct ArchiveWriter<'a, W: Write + ?Sized> {
    out: &'a mut W,
    at: u64,
    directory: Vec<u8>,
    count: u16,
}

impl<'a, W: Write + ?Sized> ArchiveWriter<'a, W> {
    pub(super) fn new(out: &'a mut W) -> Self {
        Self {
            out,
            at: 0,
            directory: Vec::new(),
            count: 0,
        }
    }

    /// Adds `name.npy` with these contents, deflated.
    pub(super) fn add(&mut self, name: &str, contents: &[u8]) -> io::Result<()> {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(contents)?;
        let packed = encoder.finish()?;
        let mut sum = Crc::new();
        sum.update(contents);
        let fits = |length: u64| {
            u32::try_from(length).map_err(|_| {
                unwritable(
                    "found a matrix of more than 4 GiB, expected a smaller one; \
                     the format mtx has no such limit",
                )
            })
        };
        let (packed_length, length) = (fits(packed.len() as u64)?, fits(contents.len() as u64)?);
        let offset = fits(self.at)?;
        let file_name = format!("{name}.npy");
        // Version 2.0, no flags, deflated, and 1980-01-01, so that equal graphs give equal files.
        let mut common = Vec::new();
        for field in [20u16, 0, 8, 0, 0x21] {
            common.extend_from_slice(&field.to_le_bytes());
        }
        for field in [sum.sum(), packed_length, length] {
            common.extend_from_slice(&field.to_le_bytes());
        }
        common.extend_from_slice(&(file_name.len() as u16).to_le_bytes());
        common.extend_from_slice(&0u16.to_le_bytes());

        self.put(LOCAL)?;
        self.put(&common)?;
        self.put(file_name.as_bytes())?;
        self.put(&packed)?;

        self.directory.extend_from_slice(DIRECTORY);
        self.directory.extend_from_slice(&20u16.to_le_bytes());
        self.directory.extend_from_slice(&common);
        // No comment, disk 0, no attributes.
        self.directory.extend_from_slice(&[0; 10]);
        self.directory.extend_from_slice(&offset.to_le_bytes());
        self.directory.extend_from_slice(file_name.as_bytes());
        self.count += 1;
        Ok(())
    }

    /// Writes the directory.
    pub(super) fn finish(mut self) -> io::Result<()> {
        let at = u32::try_from(self.at).map_err(|_| {
            unwritable("found an archive of more than 4 GiB, expected a smaller one")
        })?;
        let directory = std::mem::take(&mut self.directory);
        self.put(&directory)?;
        self.put(END)?;
        self.put(&[0; 4])?;
        for field in [self.count, self.count] {
            self.put(&field.to_le_bytes())?;
        }
        self.put(&(directory.len() as u32).to_le_bytes())?;
        self.put(&at.to_le_bytes())?;
        self.put(&[0; 2])
    }

    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.at += bytes.len() as u64;
        self.out.write_all(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn archive() -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut writer = ArchiveWriter::new(&mut bytes);
        writer.add("a", b"hello hello hello hello").unwrap();
        writer.add("b", b"").unwrap();
        writer.finish().unwrap();
        bytes
    }

    fn contents(bytes: &[u8], name: &str) -> Option<Vec<u8>> {
        let archive = Archive::new(bytes, "f").ok()?;
        let mut out = Vec::new();
        let member = archive.find(name)?.clone();
        archive.open(&member).ok()?.read_to_end(&mut out).ok()?;
        Some(out)
    }

    #[test]
    fn members_come_back() {
        let bytes = archive();
        assert_eq!(contents(&bytes, "a").unwrap(), b"hello hello hello hello");
        assert_eq!(contents(&bytes, "b").unwrap(), b"");
        assert_eq!(contents(&bytes, "c"), None);
    }

    #[test]
    fn a_cut_or_a_changed_member_is_noticed() {
        let bytes = archive();
        for cut in 0..bytes.len() {
            assert!(Archive::new(&bytes[..cut], "f").is_err(), "{cut}");
        }
        let data = 30 + "a.npy".len();
        for at in data..data + 5 {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x10;
            let read = contents(&damaged, "a");
            assert!(read.is_none_or(|r| r == b"hello hello hello hello"), "{at}");
        }
    }
}
