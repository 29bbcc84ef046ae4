//! One array: its header, which is a Python dictionary, and its numbers.

use std::io::Read;

use anchormatch::error::{Hint, Result};

use super::super::binary::{Binary, Class, Number};
use super::super::fault::quoted;
use super::super::options::ReadOptions;

/// The longest header that is read, in bytes.
const LONGEST_HEADER: u64 = 1 << 20;

/// What a `.npy` says before its numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) element: Element,
    /// Whether columns stand one after the other, rather than rows.
    pub(super) by_columns: bool,
    pub(super) shape: Vec<u64>,
}

/// What an array is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Element {
    Number(Number),
    /// Texts of so many bytes.
    Bytes(u64),
    /// Texts of so many characters of four bytes.
    Characters {
        count: u64,
        big_endian: bool,
    },
}

impl Header {
    /// Reads the header.
    pub(super) fn read<R: Read>(binary: &mut Binary<R>) -> Result<Self> {
        let magic = binary.array::<8>("a NumPy array")?;
        if &magic[..6] != b"\x93NUMPY" {
            return Err(binary.fault("other bytes", "\\x93NUMPY, with which an array begins"));
        }
        let length = match magic[6] {
            1 => u64::from(u16::from_le_bytes(
                binary.array("the length of the header")?,
            )),
            2 | 3 => u64::from(u32::from_le_bytes(
                binary.array("the length of the header")?,
            )),
            version => {
                let found = format!("version {version} of the format");
                return Err(binary.fault(found, "1, 2 or 3"));
            }
        };
        if length > LONGEST_HEADER {
            let found = format!("a header of {length} bytes");
            return Err(binary.fault(found, "at most 1 MiB"));
        }
        let bytes = binary.bytes(length, "the header")?;
        let text = String::from_utf8_lossy(&bytes);
        parse(&text).map_err(|(found, expected)| binary.fault(found, expected))
    }

    /// How many elements there are; more than fit a number are as many as fit.
    pub(super) fn count(&self) -> u64 {
        self.shape
            .iter()
            .fold(1, |all, &side| all.saturating_mul(side))
    }

    /// The side of a square matrix of numbers.
    pub(super) fn square(&self) -> Option<u64> {
        match (self.element, &self.shape[..]) {
            (Element::Number(_), &[rows, columns]) if rows == columns => Some(rows),
            _ => None,
        }
    }

    /// `3×4`, for errors.
    pub(super) fn shown(&self) -> String {
        match &self.shape[..] {
            [] => "a single value".to_owned(),
            [length] => format!("a list of {length}"),
            sides => {
                let sides: Vec<_> = sides.iter().take(5).map(u64::to_string).collect();
                format!("an array of {}", sides.join("×"))
            }
        }
    }

    /// The kind of numbers, when it holds numbers.
    pub(super) fn number<R: Read>(&self, binary: &Binary<R>) -> Result<Number> {
        match self.element {
            Element::Number(kind) => Ok(kind),
            _ => Err(binary.fault("an array of texts", "an array of numbers")),
        }
    }

    /// The texts of a list or a single one, when it holds texts.
    pub(super) fn texts<R: Read>(
        &self,
        binary: &mut Binary<R>,
        options: &ReadOptions,
    ) -> Result<Vec<String>> {
        let size = match self.element {
            Element::Bytes(size) => size,
            Element::Characters { count, .. } => count.saturating_mul(4),
            Element::Number(_) => {
                return Err(binary.fault("an array of numbers", "an array of texts"));
            }
        };
        let count = self.count();
        options.reserve(
            &format!("{}: {count} texts", binary.file()),
            size.saturating_add(64).saturating_mul(count),
            super::super::options::DEFAULT_MEMORY,
            &[Hint::MoreMemory],
        )?;
        let mut texts = Vec::new();
        for _ in 0..count {
            let bytes = binary.bytes(size, "texts")?;
            let text = match self.element {
                Element::Characters { big_endian, .. } => bytes
                    .chunks_exact(4)
                    .map(|c| {
                        let c = [c[0], c[1], c[2], c[3]];
                        let code = if big_endian {
                            u32::from_be_bytes(c)
                        } else {
                            u32::from_le_bytes(c)
                        };
                        char::from_u32(code)
                    })
                    .collect::<Option<String>>(),
                _ => String::from_utf8(bytes).ok(),
            };
            let Some(text) = text else {
                return Err(binary.fault("a text that is none", "Unicode characters"));
            };
            texts.push(text.trim_end_matches('\0').to_owned());
        }
        Ok(texts)
    }
}

/// What was found, and what was expected.
type Fault = (String, &'static str);

/// Reads `{'descr': '<f8', 'fortran_order': False, 'shape': (3, 3), }`.
fn parse(text: &str) -> std::result::Result<Header, Fault> {
    let shown = |text: &str| quoted(text.trim_ascii());
    let mut rest = text.trim_ascii();
    rest = match rest.strip_prefix('{') {
        Some(inside) => inside,
        None => return Err((shown(rest), "a dictionary in braces")),
    };
    let (mut element, mut by_columns, mut shape) = (None, None, None);
    loop {
        rest = rest.trim_ascii_start();
        if let Some(after) = rest.strip_prefix('}') {
            if !after.trim_ascii().is_empty() {
                return Err((shown(after), "the end of the header"));
            }
            break;
        }
        let (key, after) = text_in_quotes(rest).ok_or_else(|| (shown(rest), "a key in quotes"))?;
        let after = after.trim_ascii_start();
        let value = match after.strip_prefix(':') {
            Some(value) => value.trim_ascii_start(),
            None => return Err((shown(after), "a colon after a key")),
        };
        rest = match key {
            "descr" => {
                let (text, after) = text_in_quotes(value)
                    .ok_or_else(|| (shown(value), "one kind of number, such as '<f8'"))?;
                element = Some(kind(text).ok_or_else(|| {
                    let wanted = "whole, floating-point or logical numbers of up to 8 bytes";
                    (format!("the kind {}", shown(text)), wanted)
                })?);
                after
            }
            "fortran_order" => {
                if let Some(after) = value.strip_prefix("True") {
                    by_columns = Some(true);
                    after
                } else if let Some(after) = value.strip_prefix("False") {
                    by_columns = Some(false);
                    after
                } else {
                    return Err((shown(value), "True or False"));
                }
            }
            "shape" => {
                let inside = value.strip_prefix('(').and_then(|v| v.split_once(')'));
                let Some((sides, after)) = inside else {
                    return Err((shown(value), "a shape such as (3, 3)"));
                };
                let sides = sides.trim_ascii().trim_end_matches(',');
                let numbers: Option<Vec<u64>> = match sides.trim_ascii() {
                    "" => Some(Vec::new()),
                    // Python 2 wrote long numbers with an L.
                    sides => sides
                        .split(',')
                        .map(|side| side.trim_ascii().trim_end_matches('L').parse().ok())
                        .collect(),
                };
                match numbers {
                    Some(numbers) if numbers.len() <= 32 => shape = Some(numbers),
                    _ => return Err((shown(sides), "a shape such as (3, 3)")),
                }
                after
            }
            other => return Err((shown(other), "the keys descr, fortran_order and shape")),
        };
        rest = rest.trim_ascii_start();
        if let Some(after) = rest.strip_prefix(',') {
            rest = after;
        } else if !rest.starts_with('}') {
            return Err((shown(rest), "a comma or the closing brace"));
        }
    }
    match (element, by_columns, shape) {
        (Some(element), Some(by_columns), Some(shape)) => Ok(Header {
            element,
            by_columns,
            shape,
        }),
        _ => Err((
            shown(text),
            "the keys descr, fortran_order and shape, all of them",
        )),
    }
}

/// The text in quotes with which `rest` begins, and what follows; these texts escape nothing.
fn text_in_quotes(rest: &str) -> Option<(&str, &str)> {
    let quote = rest.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    rest[1..].split_once(quote)
}

/// The element that `<f8`, `|b1`, `|S3` and the like stand for.
fn kind(text: &str) -> Option<Element> {
    let mut characters = text.chars();
    let big_endian = match characters.next()? {
        '<' | '|' | '=' => false,
        '>' => true,
        _ => return None,
    };
    let class = characters.next()?;
    let size: u64 = characters.as_str().parse().ok()?;
    let class = match class {
        'f' => Class::Float,
        'i' => Class::Signed,
        'u' => Class::Unsigned,
        'b' if size == 1 => Class::Unsigned,
        'S' | 'a' => return Some(Element::Bytes(size)),
        'U' => {
            return Some(Element::Characters {
                count: size,
                big_endian,
            });
        }
        _ => return None,
    };
    let bytes = u8::try_from(size).ok()?;
    Number::new(class, bytes, big_endian).map(Element::Number)
}

/// The bytes of a `.npy` up to its numbers, as NumPy itself writes them.
pub(super) fn header_bytes(descr: &str, shape: &str) -> Vec<u8> {
    let mut text = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
    // The numbers begin at a multiple of 64, after a line break.
    let unpadded = 10 + text.len() + 1;
    text.push_str(&" ".repeat(unpadded.next_multiple_of(64) - unpadded));
    text.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend_from_slice(&(text.len() as u16).to_le_bytes());
    bytes.extend_from_slice(text.as_bytes());
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_read_as_python_writes_them() {
        let header = parse("{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }   \n");
        let header = header.unwrap();
        assert_eq!((header.shape, header.by_columns), (vec![3, 4], false));
        let header = parse("{\"shape\":(5L,),\"descr\":\">i2\",\"fortran_order\":True}").unwrap();
        assert_eq!((header.shape, header.by_columns), (vec![5], true));
        assert_eq!(
            parse("{'descr':'|b1','fortran_order':False,'shape':()}")
                .unwrap()
                .count(),
            1
        );
    }

    #[test]
    fn other_headers_are_faults() {
        for (text, wanted) in [
            ("", "a dictionary in braces"),
            ("{'descr': '<f8'}", "all of them"),
            ("{'descr': '<c16', 'shape': ()}", "numbers of up to 8 bytes"),
            ("{'descr': [('a', '<f8')]}", "one kind of number"),
            ("{'descr': '|O'}", "numbers of up to 8 bytes"),
            ("{'shape': (1, -2)}", "a shape such as"),
            ("{'shape': (1", "a shape such as"),
            ("{'fortran_order': 1}", "True or False"),
            ("{'x': 1}", "the keys"),
            ("{x", "a key in quotes"),
            ("{'shape' 1", "a colon"),
            ("{'shape': () 'descr'", "a comma or the closing brace"),
        ] {
            let (_, expected) = parse(text).unwrap_err();
            assert!(expected.contains(wanted), "{text}: {expected}");
        }
    }

    #[test]
    fn our_header_is_numpys() {
        let bytes = header_bytes("<f8", "(2, 2)");
        assert_eq!(bytes.len() % 64, 0);
        let mut binary = Binary::new(&bytes[..], "f");
        let header = Header::read(&mut binary).unwrap();
        assert_eq!(header.square(), Some(2));
        assert_eq!(binary.offset(), bytes.len() as u64);
    }
}
