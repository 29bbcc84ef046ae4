//! A file: its header, and variable after variable.

use std::io::{Read, Take};

use anchormatch::error::{Error, Hint, Result};
use anchormatch::graph::{GraphBuilder, Labels};
use flate2::read::ZlibDecoder;

use super::super::binary::Binary;
use super::super::fault::{fault, in_file, quoted};
use super::super::options::ReadOptions;
use super::super::{Format, LoadedGraph, finish};
use super::element::{Elements, words};
use super::matrix::{Head, STRUCTURE};
use super::{IDS, class, kind};

/// Variables of a file, at most.
const MOST_VARIABLES: usize = 100_000;

/// Reads a `.mat`; `name` stands for the file in errors.
///
/// # Errors
/// When the file is of another version or damaged, holds no square matrix of numbers or several and
/// none is named, an entry is outside the matrix or differs from its mirror image and no rule says
/// how to merge them, or the matrix would pass the memory allowed.
///
/// # Complexity
/// O(bytes + |E| log |E|) time for a sparse matrix, O(n²) for a full one.
pub fn read_mat_from(reader: impl Read, name: &str, options: &ReadOptions) -> Result<LoadedGraph> {
    let mut binary = Binary::new(reader, name);
    let big_endian = header(&mut binary)?;
    let mut found = Found {
        name,
        options,
        graph: None,
        ids: None,
        passed: Vec::new(),
        variables: 0,
    };
    loop {
        let mut tag = [0; 8];
        match binary.some(&mut tag)? {
            0 => break,
            8 => {}
            _ => return Err(binary.fault("the end of the data", "a variable")),
        }
        let [kind, length] = words(tag, big_endian);
        let length = u64::from(length);
        match kind {
            kind::MATRIX => {
                let mut elements = Elements {
                    binary: &mut binary,
                    big_endian,
                    left: length,
                };
                found.take(&mut elements)?;
                let left = elements.left;
                binary.skip(left, "the end of a variable")?;
                binary.skip(length.next_multiple_of(8) - length, "the end of a variable")?;
            }
            kind::COMPRESSED => found.take_compressed(&mut binary, length, big_endian)?,
            other => {
                let found = format!("an element of the kind {other}");
                return Err(binary.fault(found, "a variable"));
            }
        }
    }
    found.finish()
}

/// Reads the first 128 bytes; returns whether the highest byte of a number comes first.
fn header<R: Read>(binary: &mut Binary<R>) -> Result<bool> {
    const WANTED: &str = "a MATLAB file of version 5 to 7.2";
    let text: [u8; 116] = binary.array(WANTED)?;
    if text.starts_with(b"MATLAB 7.3") || text.starts_with(b"\x89HDF") {
        let wanted = "version 5 to 7.2, as save(…, '-v7') writes it";
        return Err(binary.fault("a MATLAB file of version 7.3, which is HDF5", wanted));
    }
    let _subsystem: [u8; 8] = binary.array(WANTED)?;
    let rest: [u8; 4] = binary.array(WANTED)?;
    match rest {
        [0x00, 0x01, b'I', b'M'] => Ok(false),
        [0x01, 0x00, b'M', b'I'] => Ok(true),
        _ => Err(binary.fault("other bytes", WANTED)),
    }
}

/// What the variables so far have given.
struct Found<'a> {
    name: &'a str,
    options: &'a ReadOptions,
    /// The matrix that was taken, and what it is called.
    graph: Option<(GraphBuilder, String)>,
    ids: Option<Vec<String>>,
    /// What else there is, for an error.
    passed: Vec<String>,
    variables: usize,
}

impl Found<'_> {
    /// Takes what is inside a compressed element, which is one variable.
    fn take_compressed<R: Read>(
        &mut self,
        binary: &mut Binary<R>,
        length: u64,
        big_endian: bool,
    ) -> Result<()> {
        let stream: ZlibDecoder<Take<&mut Binary<R>>> =
            ZlibDecoder::new(Read::take(&mut *binary, length));
        let part = format!("compressed variable {}", self.variables + 1);
        let mut inside = Binary::new(stream, self.name).part(&part);
        let [kind, inner] = words(inside.array("a variable")?, big_endian);
        if kind != kind::MATRIX {
            let found = format!("an element of the kind {kind}");
            return Err(inside.fault(found, "a variable"));
        }
        let mut elements = Elements {
            binary: &mut inside,
            big_endian,
            left: u64::from(inner),
        };
        // What is passed over stays packed: its bytes are skipped below.
        self.take(&mut elements)?;
        let left = inside.into_inner().into_inner().limit();
        binary.skip(left, "the end of a compressed variable")
    }

    /// Looks at one variable and takes it if it is the one.
    fn take<R: Read>(&mut self, elements: &mut Elements<'_, R>) -> Result<()> {
        self.variables += 1;
        if self.variables > MOST_VARIABLES {
            let wanted = format!("at most {MOST_VARIABLES} variables");
            return Err(elements.binary.fault("more variables", wanted));
        }
        if elements.left == 0 {
            // An empty element, which some writers leave behind.
            return Ok(());
        }
        let head = Head::read(elements)?;
        let wanted = match &self.options.variable {
            Some(name) => *name == head.name,
            None => head
                .square()
                .is_some_and(|n| n > 1 || head.class == class::SPARSE),
        };
        if wanted {
            if let Some((_, first)) = &self.graph {
                let found = format!(
                    "the square matrices {}",
                    quoted(&format!("{first}, {}", head.name))
                );
                let fault = elements.binary.fault(found, "one");
                return Err(fault.hinting(&[Hint::Variable]));
            }
            let graph = head.graph(elements, self.options)?;
            self.graph = Some((graph, head.name));
        } else if head.name == IDS && head.class == class::CELL && self.ids.is_none() {
            self.ids = Some(head.texts(elements, self.options)?);
        } else if self.passed.len() < 20 {
            self.passed.push(head.shown());
        }
        Ok(())
    }

    fn finish(self) -> Result<LoadedGraph> {
        let fail = |found: String, expected: String| -> Error {
            fault(self.name, None, None, found, expected)
        };
        let Some((builder, _)) = self.graph else {
            let found = match &self.passed[..] {
                [] => "no variable".to_owned(),
                passed => format!("only {}", passed.join(", ")),
            };
            let is_structure = self.passed.iter().any(|shown| shown.contains(STRUCTURE));
            let expected = match &self.options.variable {
                Some(name) if !is_structure => format!("a variable called {}", quoted(name)),
                _ if is_structure => "a square matrix that is a variable of its own, as \
                                      A = s.A; save('file.mat', 'A', '-v7') writes it"
                    .to_owned(),
                _ => "a square matrix of numbers".to_owned(),
            };
            return Err(fail(found, expected));
        };
        let nodes = builder.node_count();
        let labels = match self.ids {
            Some(ids) if ids.len() != nodes => {
                let found = format!("{} ids", ids.len());
                return Err(fail(found, format!("one for each of the {nodes} nodes")));
            }
            Some(ids) => Some(Labels::new(ids).map_err(|e| in_file(e, self.name))?),
            None => None,
        };
        finish(builder, self.name, Format::Mat, Vec::new())?.named(labels)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn element(kind: u32, bytes: &[u8], big: bool) -> Vec<u8> {
        let word = |w: u32| {
            if big {
                w.to_be_bytes()
            } else {
                w.to_le_bytes()
            }
        };
        let mut out = Vec::new();
        if bytes.len() <= 4 && !bytes.is_empty() {
            out.extend(word(kind | (bytes.len() as u32) << 16));
            out.extend(bytes);
            out.resize(8, 0);
        } else {
            out.extend(word(kind));
            out.extend(word(bytes.len() as u32));
            out.extend(bytes);
            out.resize(out.len().next_multiple_of(8), 0);
        }
        out
    }

    fn numbers(values: &[u32], big: bool) -> Vec<u8> {
        let word = |w: &u32| {
            if big {
                w.to_be_bytes()
            } else {
                w.to_le_bytes()
            }
        };
        values.iter().flat_map(word).collect()
    }

    /// A full matrix of bytes, which MATLAB would call a double one.
    fn full(name: &str, class: u32, side: u32, values: &[u8], big: bool) -> Vec<u8> {
        let body = [
            element(6, &numbers(&[class, 0], big), big),
            element(5, &numbers(&[side, side], big), big),
            element(1, name.as_bytes(), big),
            element(2, values, big),
        ]
        .concat();
        element(14, &body, big)
    }

    fn file(variables: &[Vec<u8>], big: bool) -> Vec<u8> {
        let mut bytes = b"MATLAB 5.0 MAT-file".to_vec();
        bytes.resize(124, b' ');
        bytes.extend(if big { *b"\x01\x00MI" } else { *b"\x00\x01IM" });
        variables.iter().for_each(|v| bytes.extend(v));
        bytes
    }

    fn compressed(variable: &[u8], big: bool) -> Vec<u8> {
        let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), Default::default());
        encoder.write_all(variable).unwrap();
        let packed = encoder.finish().unwrap();
        let mut out = numbers(&[15, packed.len() as u32], big);
        out.extend(packed);
        out
    }

    fn read(bytes: &[u8], variable: Option<&str>) -> Result<LoadedGraph> {
        let options = ReadOptions {
            variable: variable.map(Into::into),
            ..ReadOptions::default()
        };
        read_mat_from(bytes, "a.mat", &options)
    }

    #[test]
    fn orders_and_compression_give_the_same_graph() {
        for big in [false, true] {
            let matrix = full("A", 6, 3, &[0, 2, 0, 2, 0, 7, 0, 7, 9], big);
            let other = full("scalar", 6, 1, &[5], big);
            for bytes in [
                file(&[matrix.clone(), other.clone()], big),
                file(&[compressed(&other, big), compressed(&matrix, big)], big),
            ] {
                let graph = read(&bytes, None).unwrap().graph;
                assert_eq!((graph.weight(0, 1), graph.weight(1, 2)), (2.0, 7.0));
                assert_eq!((graph.edge_count(), graph.cleaning().self_loops), (2, 1));
                assert!(graph.labels().iter().eq(["1", "2", "3"]));
            }
        }
    }

    #[test]
    fn one_matrix_of_several_must_be_named() {
        let bytes = file(
            &[
                full("A", 6, 2, &[0, 1, 1, 0], false),
                full("B", 6, 2, &[0, 3, 3, 0], false),
            ],
            false,
        );
        assert_eq!(read(&bytes, Some("B")).unwrap().graph.weight(0, 1), 3.0);
        let message = |variable| read(&bytes, variable).unwrap_err().to_string();
        assert!(message(None).contains("found the square matrices `A, B`"));
        assert!(message(None).ends_with("expected one; choose it by its name"));
        assert_eq!(
            message(Some("C")),
            "a.mat: found only `A` as an array of 2×2, `B` as an array of 2×2, \
             expected a variable called `C`"
        );
    }

    #[test]
    fn every_fault_has_its_message() {
        let whole = file(&[full("A", 6, 2, &[0, 1, 1, 0], false)], false);
        for cut in (1..whole.len()).filter(|&cut| cut != 128) {
            let message = read(&whole[..cut], None).unwrap_err().to_string();
            assert!(
                message.starts_with("a.mat: found the end of the data at byte"),
                "{message}"
            );
        }
        let message = |bytes: &[u8]| read(bytes, None).unwrap_err().to_string();
        assert_eq!(
            message(&whole[..128]),
            "a.mat: found no variable, expected a square matrix of numbers"
        );
        assert!(message(&[b'x'; 200]).ends_with("expected a MATLAB file of version 5 to 7.2"));
        let new = file(&[], false);
        let new = [b"MATLAB 7.3".as_slice(), &new[10..]].concat();
        assert!(message(&new).contains("which is HDF5 at byte 116, expected version 5 to 7.2"));
        let few = file(&[full("A", 6, 2, &[0, 1, 1, 0, 0], false)], false);
        assert!(
            message(&few).contains("found 5 numbers"),
            "{}",
            message(&few)
        );
        let complex = file(&[full("A", 6 | 0x800, 2, &[0, 1, 1, 0], false)], false);
        assert!(message(&complex).contains("found complex numbers"));
        let lie = file(&[full("A", 6, 1_000_000_000, &[0, 1, 1, 0], false)], false);
        assert!(matches!(read(&lie, None), Err(Error::Memory { .. })));
    }
}
