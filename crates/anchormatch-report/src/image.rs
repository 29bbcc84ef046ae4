//! Images that lie under points: PNG and JPEG files, looked at before they are embedded.
//!
//! Nothing is decoded: a browser does that. But a page that is shown to others should not find out there that a file was
//! cut off or is no image at all, so the structure of the file is walked, and width and height come from its
//! header, turned as the camera noted (EXIF), because browsers turn images so.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use anchormatch::error::ParseError;
use anchormatch::{Error, Result};

use super::text::base64;

/// An image file of a known size.
#[derive(Debug, Clone, PartialEq)]
pub struct Image {
    bytes: Vec<u8>,
    kind: Kind,
    width: u32,
    height: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Png,
    Jpeg,
}

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";
const JPEG: &[u8] = b"\xff\xd8\xff";

/// First bytes of other files that people take for images they are not.
const OTHERS: [(usize, &[u8], &str); 8] = [
    (0, b"GIF8", "a GIF image"),
    (8, b"WEBP", "a WebP image"),
    (0, b"BM", "a BMP image"),
    (0, b"II*\0", "a TIFF image"),
    (0, b"MM\0*", "a TIFF image"),
    (4, b"ftyp", "a HEIC or AVIF image, or a film"),
    (0, b"%PDF", "a PDF document"),
    (0, b"<", "text, perhaps SVG or HTML"),
];

impl Image {
    /// The largest file that is embedded, in bytes.
    pub const MOST_BYTES: u64 = 32 << 20;

    /// Reads an image from a file.
    ///
    /// # Errors
    /// When the file cannot be read, and as [`new`](Self::new).
    pub fn read(path: &Path) -> Result<Self> {
        let failed = |source| Error::io(path, source);
        let file = File::open(path).map_err(failed)?;
        let mut bytes = Vec::new();
        // One byte more tells a file that is too large, whatever its size is said to be.
        let mut some = file.take(Self::MOST_BYTES + 1);
        some.read_to_end(&mut bytes).map_err(failed)?;
        Self::new(&path.display().to_string(), bytes)
    }

    /// The image that these bytes are, a PNG or JPEG file; `name` is what errors call it.
    ///
    /// # Errors
    /// When they are something else, end too early, or are more than [`MOST_BYTES`](Self::MOST_BYTES).
    pub fn new(name: &str, bytes: Vec<u8>) -> Result<Self> {
        let fault = |found: String, expected: &str| -> Error {
            ParseError::new(name, found, expected).into()
        };
        if bytes.len() as u64 > Self::MOST_BYTES {
            let found = format!("more than {} MB", Self::MOST_BYTES >> 20);
            let expected =
                "a smaller image, which the page can hold: scale it, and the points with it";
            return Err(fault(found, expected));
        }
        let (kind, size) = if bytes.starts_with(PNG) {
            (Kind::Png, png_size(&bytes))
        } else if bytes.starts_with(JPEG) {
            (Kind::Jpeg, jpeg_size(&bytes))
        } else {
            return Err(fault(opening(&bytes), "a PNG or JPEG image"));
        };
        match size {
            Ok((width, height)) if width > 0 && height > 0 => Ok(Self {
                bytes,
                kind,
                width,
                height,
            }),
            Ok(_) => {
                let found = format!("{} without a width or a height", kind.words());
                Err(fault(found, "an image of at least one pixel"))
            }
            Err(what) => {
                let found = format!("{} that {what}", kind.words());
                Err(fault(found, "a whole one"))
            }
        }
    }

    /// Width and height in pixels, as a browser shows it.
    #[must_use]
    pub fn size(&self) -> [f64; 2] {
        [f64::from(self.width), f64::from(self.height)]
    }

    /// The file as it is, and its media type.
    #[must_use]
    pub fn file(&self) -> (&[u8], &'static str) {
        let kind = match self.kind {
            Kind::Png => "image/png",
            Kind::Jpeg => "image/jpeg",
        };
        (&self.bytes, kind)
    }

    /// The image as an address that needs no file.
    pub(super) fn address(&self) -> String {
        let (bytes, kind) = self.file();
        format!("data:{kind};base64,{}", base64(bytes))
    }
}

impl Kind {
    fn words(self) -> &'static str {
        match self {
            Self::Png => "a PNG image",
            Self::Jpeg => "a JPEG image",
        }
    }
}

/// What a file seems to be that is neither.
fn opening(bytes: &[u8]) -> String {
    if bytes.is_empty() {
        return "an empty file".into();
    }
    let known = OTHERS
        .iter()
        .find(|(at, magic, _)| bytes.get(*at..).is_some_and(|rest| rest.starts_with(magic)));
    match known {
        Some((.., words)) => (*words).into(),
        None => {
            let first: Vec<String> = bytes.iter().take(4).map(|b| format!("{b:02x}")).collect();
            format!("a file that begins with the bytes {}", first.join(" "))
        }
    }
}

fn big_endian(bytes: &[u8], at: usize, length: usize) -> Option<u32> {
    let bytes = bytes.get(at..at.checked_add(length)?)?;
    Some(bytes.iter().fold(0, |value, &b| value << 8 | u32::from(b)))
}

/// Width and height of a PNG whose chunks are all there.
fn png_size(bytes: &[u8]) -> std::result::Result<(u32, u32), &'static str> {
    const CUT: &str = "ends too early";
    let mut at = PNG.len();
    let mut size = None;
    let mut pixels = false;
    loop {
        let length = big_endian(bytes, at, 4).ok_or(CUT)? as usize;
        let kind = bytes.get(at + 4..at + 8).ok_or(CUT)?;
        // Length, kind, data, checksum.
        let next = length
            .checked_add(12)
            .and_then(|length| at.checked_add(length));
        let next = next.ok_or(CUT)?;
        if next > bytes.len() {
            return Err(CUT);
        }
        match kind {
            b"IHDR" if length >= 8 => {
                let side = |offset| big_endian(bytes, at + 8 + offset, 4).ok_or(CUT);
                size = Some((side(0)?, side(4)?));
            }
            b"IDAT" => pixels = true,
            b"IEND" => break,
            _ => {}
        }
        at = next;
    }
    match size {
        Some(size) if pixels => Ok(size),
        _ => Err("has no pixels"),
    }
}

/// Width and height of a JPEG that has a beginning and an end, turned as its EXIF data says.
fn jpeg_size(bytes: &[u8]) -> std::result::Result<(u32, u32), &'static str> {
    const CUT: &str = "ends too early";
    let mut at = 2;
    let mut size = None;
    let mut turned = false;
    loop {
        if bytes.get(at) != Some(&0xff) {
            return Err(if at >= bytes.len() { CUT } else { "is damaged" });
        }
        let marker = *bytes.get(at + 1).ok_or(CUT)?;
        at += 1;
        match marker {
            // Filling, and markers that stand alone.
            0xff => continue,
            0x01 | 0xd0..=0xd7 => {
                at += 1;
                continue;
            }
            0xd9 => return Err("has no pixels"),
            _ => {}
        }
        at += 1;
        let length = big_endian(bytes, at, 2).ok_or(CUT)? as usize;
        let segment = bytes.get(at..at + length).ok_or(CUT)?;
        match marker {
            0xda => break,
            0xc4 | 0xc8 | 0xcc => {}
            0xc0..=0xcf => {
                let side = |offset| big_endian(segment, offset, 2).ok_or(CUT);
                size = Some((side(5)?, side(3)?));
            }
            0xe1 => turned |= is_turned(segment.get(2..).unwrap_or_default()).unwrap_or(false),
            _ => {}
        }
        // Less would be no segment, and a walk without end.
        at += length.max(2);
    }
    // Thumbnails have ends of their own, but before the pixels.
    if !bytes[at..].windows(2).any(|pair| pair == [0xff, 0xd9]) {
        return Err(CUT);
    }
    match size {
        Some((width, height)) if turned => Ok((height, width)),
        Some(size) => Ok(size),
        None => Err("does not say how large it is"),
    }
}

/// Whether EXIF data has an orientation that exchanges width and height; `None` where it is none.
fn is_turned(segment: &[u8]) -> Option<bool> {
    let tiff = segment.strip_prefix(b"Exif\0\0")?;
    let little = match tiff.get(..2)? {
        b"II" => true,
        b"MM" => false,
        _ => return None,
    };
    let read = |at: usize, length: usize| -> Option<usize> {
        let mut part = tiff.get(at..at.checked_add(length)?)?.to_vec();
        if little {
            part.reverse();
        }
        big_endian(&part, 0, length).map(|value| value as usize)
    };
    const ORIENTATION: usize = 0x0112;
    let start = read(4, 4)?;
    let entries = read(start, 2)?;
    let entry = (0..entries)
        .map_while(|k| start.checked_add(2 + 12 * k))
        .find(|&entry| read(entry, 2) == Some(ORIENTATION))?;
    Some((5..=8).contains(&read(entry + 8, 2)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunk(kind: &[u8; 4], data: &[u8]) -> Vec<u8> {
        let mut bytes = (data.len() as u32).to_be_bytes().to_vec();
        bytes.extend(kind);
        bytes.extend(data);
        // Checksums are a browser's business.
        bytes.extend([0; 4]);
        bytes
    }

    fn png(width: u32, height: u32) -> Vec<u8> {
        let mut header = [width.to_be_bytes(), height.to_be_bytes()].concat();
        header.extend([8, 0, 0, 0, 0]);
        let parts = [
            chunk(b"IHDR", &header),
            chunk(b"IDAT", &[1, 2, 3]),
            chunk(b"IEND", &[]),
        ];
        [PNG, &parts.concat()].concat()
    }

    fn segment(marker: u8, data: &[u8]) -> Vec<u8> {
        let length = (data.len() as u16 + 2).to_be_bytes();
        [&[0xff, marker], &length[..], data].concat()
    }

    fn jpeg(exif: &[u8]) -> Vec<u8> {
        // Precision, height 480, width 640, one component.
        let frame = [8, 1, 0xe0, 2, 0x80, 1, 1, 0x11, 0];
        let mut bytes = vec![0xff, 0xd8];
        bytes.extend(segment(0xe0, b"JFIF\0"));
        bytes.extend(exif);
        // Huffman tables have a marker among those of frames.
        bytes.extend(segment(0xc4, &[0; 7]));
        bytes.extend(segment(0xc2, &frame));
        bytes.extend(segment(0xda, &[1, 1, 0, 0, 63, 0]));
        bytes.extend([5, 6, 0xff, 0, 7, 0xff, 0xd9]);
        bytes
    }

    fn exif(order: &[u8; 2], orientation: u16) -> Vec<u8> {
        let little = order == b"II";
        let short = |v: u16| {
            if little {
                v.to_le_bytes()
            } else {
                v.to_be_bytes()
            }
            .to_vec()
        };
        let long = |v: u32| {
            if little {
                v.to_le_bytes()
            } else {
                v.to_be_bytes()
            }
            .to_vec()
        };
        let parts = [
            b"Exif\0\0".to_vec(),
            order.to_vec(),
            short(42),
            long(8),
            short(2),
            [short(0x0100), short(4), long(1), long(9)].concat(),
            [
                short(0x0112),
                short(3),
                long(1),
                short(orientation),
                short(0),
            ]
            .concat(),
        ];
        segment(0xe1, &parts.concat())
    }

    #[test]
    fn sizes_are_those_of_the_headers() {
        let size = |bytes| Image::new("a", bytes).unwrap().size();
        assert_eq!(size(png(7, 300)), [7.0, 300.0]);
        assert_eq!(size(jpeg(&[])), [640.0, 480.0]);
        for order in [b"II", b"MM"] {
            assert_eq!(size(jpeg(&exif(order, 1))), [640.0, 480.0]);
            assert_eq!(size(jpeg(&exif(order, 6))), [480.0, 640.0]);
        }
        let image = Image::new("a", png(1, 1)).unwrap();
        assert!(
            image
                .address()
                .starts_with("data:image/png;base64,iVBORw0KGgo")
        );
    }

    #[test]
    fn whatever_is_cut_or_something_else_is_refused_in_words() {
        for whole in [png(4, 5), jpeg(&exif(b"II", 6))] {
            assert!(Image::new("a", whole.clone()).is_ok());
            for length in 0..whole.len() {
                let error = Image::new("a.png", whole[..length].to_vec()).unwrap_err();
                let message = error.to_string();
                assert!(message.starts_with("a.png: found "), "{message}");
            }
        }
        let message = |bytes: &[u8]| Image::new("x", bytes.to_vec()).unwrap_err().to_string();
        for (bytes, found) in [
            (&b""[..], "an empty file"),
            (b"GIF89a", "a GIF image"),
            (b"RIFF\0\0\0\0WEBP", "a WebP image"),
            (b"id,x,y\n", "a file that begins with the bytes 69 64 2c 78"),
            (&png(4, 5)[..40], "a PNG image that ends too early"),
            (&png(0, 5), "a PNG image without a width or a height"),
            (&jpeg(&[])[..30], "a JPEG image that ends too early"),
        ] {
            let message = message(bytes);
            assert!(
                message.contains(found) && message.contains("expected"),
                "{message}"
            );
        }
        let large = vec![0; Image::MOST_BYTES as usize + 1];
        assert!(message(&large).contains("more than 32 MB"));
        let nowhere = Image::read(Path::new("/no/such.png")).unwrap_err();
        assert!(matches!(nowhere, Error::Io { .. }));
    }

    #[test]
    fn damaged_files_are_refused_or_have_a_size() {
        for whole in [png(4, 5), jpeg(&exif(b"MM", 6))] {
            for place in 0..whole.len() {
                for value in [0, 1, 0x7f, 0x80, 0xd9, 0xda, 0xe1, 0xfe, 0xff] {
                    let mut bytes = whole.clone();
                    bytes[place] = value;
                    if let Ok(image) = Image::new("a", bytes) {
                        assert!(image.size().iter().all(|side| *side >= 1.0));
                    }
                }
            }
        }
    }
}
