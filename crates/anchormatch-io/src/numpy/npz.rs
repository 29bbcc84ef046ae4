//! An archive of arrays: a square one, or a sparse matrix of SciPy's.

use std::cell::Cell;
use std::io::{Read, Write};

use anchormatch::error::{Error, Hint, Result};
use anchormatch::graph::{Graph, GraphBuilder, Labels};

use super::super::binary::Binary;
use super::super::dense::add_matrix;
use super::super::fault::{fault, in_file, quoted, unwritable};
use super::super::links::matrix;
use super::super::{Format, LoadedGraph, ReadOptions, finish};
use super::array::{Header, header_bytes};
use super::npy::{ended, square};
use super::zip::{Archive, ArchiveWriter, Opened};

/// The list of texts that names the nodes.
const IDS: &str = "ids";

/// Reads a `.npz`; `name` stands for the file in errors.
///
/// # Errors
/// When the archive is damaged, holds no square matrix of numbers or several and none is named, an
/// entry is outside the matrix or differs from its mirror image and no rule says how to merge them,
/// or the matrix would pass the memory allowed.
///
/// # Complexity
/// O(bytes + |E| log |E|) time for a sparse matrix, O(n²) for a full one; the archive is held.
pub fn read_npz_from(reader: impl Read, name: &str, options: &ReadOptions) -> Result<LoadedGraph> {
    let mut bytes = Vec::new();
    reader
        .take(options.limit().saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(|source| Error::io(name, source))?;
    options.reserve(
        &format!("{name}: the archive"),
        bytes.len() as u64,
        super::super::options::DEFAULT_MEMORY,
        &[Hint::MoreMemory],
    )?;
    let archive = Arrays {
        archive: Archive::new(&bytes, name)?,
        name,
        options,
        held: Cell::new(bytes.len() as u64),
    };
    let is_sparse = archive.has("format") && archive.has("shape") && options.variable.is_none();
    let builder = if is_sparse {
        archive.sparse()?
    } else {
        archive.full()?
    };
    let nodes = builder.node_count();
    let ids = if archive.has(IDS) && options.variable.as_deref() != Some(IDS) {
        archive.ids(nodes)?
    } else {
        None
    };
    let mut loaded = finish(builder, name, Format::Npz, Vec::new())?;
    if let Some(ids) = ids {
        loaded.graph = loaded.graph.with_labels(ids)?;
    }
    Ok(loaded)
}

/// Writes `graph` as `scipy.sparse.save_npz` writes a csr matrix, with a list `ids` beside it where
/// the nodes are not called 0, 1, ….
///
/// # Errors
/// When `out` fails, an id ends in a zero byte, which NumPy does not keep, or the matrix is larger
/// than such an archive may be.
///
/// # Complexity
/// O(|E|) time and memory.
pub fn write_npz(out: &mut (impl Write + ?Sized), graph: &Graph) -> std::io::Result<()> {
    let n = graph.node_count();
    let rows = matrix(graph);
    let entries = rows.entries();
    let mut archive = ArchiveWriter::new(out);

    // Indices of 32 bits where they suffice, as SciPy chooses them.
    let is_small = entries.max(n) <= i32::MAX as usize;
    let kind = if is_small { "<i4" } else { "<i8" };
    let put_index = |bytes: &mut Vec<u8>, index: usize| {
        if is_small {
            bytes.extend_from_slice(&(index as i32).to_le_bytes());
        } else {
            bytes.extend_from_slice(&(index as i64).to_le_bytes());
        }
    };
    let mut bytes = header_bytes(kind, &format!("({entries},)"));
    rows.triplets()
        .for_each(|(_, j, _)| put_index(&mut bytes, j));
    archive.add("indices", &bytes)?;

    let mut bytes = header_bytes(kind, &format!("({},)", n + 1));
    let mut end = 0;
    put_index(&mut bytes, end);
    for i in 0..n {
        end += rows.row(i).len();
        put_index(&mut bytes, end);
    }
    archive.add("indptr", &bytes)?;

    let mut bytes = header_bytes("|S3", "()");
    bytes.extend_from_slice(b"csr");
    archive.add("format", &bytes)?;

    let mut bytes = header_bytes("<i8", "(2,)");
    for side in [n as i64, n as i64] {
        bytes.extend_from_slice(&side.to_le_bytes());
    }
    archive.add("shape", &bytes)?;

    let mut bytes = header_bytes("<f8", &format!("({entries},)"));
    rows.values()
        .iter()
        .for_each(|weight| bytes.extend_from_slice(&weight.to_le_bytes()));
    archive.add("data", &bytes)?;

    if !super::super::are_counted(graph.labels(), 0) {
        archive.add(IDS, &id_bytes(graph.labels())?)?;
    }
    archive.finish()
}

/// Ids as an array of texts of one width.
fn id_bytes(labels: &Labels) -> std::io::Result<Vec<u8>> {
    let width = labels
        .iter()
        .map(|id| id.chars().count())
        .max()
        .unwrap_or(0)
        .max(1);
    let mut bytes = header_bytes(&format!("<U{width}"), &format!("({},)", labels.len()));
    for id in labels.iter() {
        if id.ends_with('\0') {
            return Err(unwritable(
                "found an id that ends in a zero byte, expected one that NumPy keeps",
            ));
        }
        let start = bytes.len();
        for c in id.chars() {
            bytes.extend_from_slice(&u32::from(c).to_le_bytes());
        }
        bytes.resize(start + 4 * width, 0);
    }
    Ok(bytes)
}

/// The arrays of an archive.
pub(super) struct Arrays<'a> {
    archive: Archive<'a>,
    pub(super) name: &'a str,
    pub(super) options: &'a ReadOptions,
    /// Bytes that the archive and the numbers read from it take.
    pub(super) held: Cell<u64>,
}

impl<'a> Arrays<'a> {
    pub(super) fn has(&self, array: &str) -> bool {
        self.archive.find(array).is_some()
    }

    pub(super) fn fault(&self, found: impl Into<String>, expected: impl Into<String>) -> Error {
        fault(self.name, None, None, found, expected)
    }

    /// The header of an array, and the stream of what follows it.
    pub(super) fn open(&self, array: &str) -> Result<(Header, Binary<Opened<'a>>)> {
        let Some(member) = self.archive.find(array) else {
            let names: Vec<&str> = self
                .archive
                .members
                .iter()
                .map(|m| &*m.name)
                .take(20)
                .collect();
            let found = format!("the arrays {}", quoted(&names.join(", ")));
            return Err(self.fault(found, format!("one called {}", quoted(array))));
        };
        let stream = self.archive.open(member)?;
        let mut binary = Binary::new(stream, self.name).part(&quoted(array));
        let header = Header::read(&mut binary)?;
        Ok((header, binary))
    }

    /// Room for `count` numbers of 8 bytes beside what is held.
    pub(super) fn reserve(&self, array: &str, count: u64) -> Result<()> {
        let held = self.held.get().saturating_add(count.saturating_mul(8));
        self.held.set(held);
        self.options.reserve(
            &format!("{}: the array {array} of {count} numbers", self.name),
            held,
            super::super::options::DEFAULT_MEMORY,
            &[Hint::MoreMemory],
        )
    }

    /// The numbers of a list.
    pub(super) fn numbers(&self, array: &str) -> Result<Vec<f64>> {
        let (header, mut binary) = self.open(array)?;
        self.reserve(array, header.count())?;
        let kind = header.number(&binary)?;
        let numbers = binary.numbers(kind, header.count())?;
        ended(&mut binary)?;
        Ok(numbers)
    }

    /// The whole numbers from 0 of a list.
    pub(super) fn indices(&self, array: &str) -> Result<Vec<u64>> {
        let (header, mut binary) = self.open(array)?;
        self.reserve(array, header.count())?;
        let kind = header.number(&binary)?;
        let indices = binary.indices(kind, header.count())?;
        ended(&mut binary)?;
        Ok(indices)
    }

    /// The ids, one for each node.
    fn ids(&self, nodes: usize) -> Result<Option<Labels>> {
        let (header, mut binary) = self.open(IDS)?;
        if header.shape != [nodes as u64] {
            let wanted = format!("a list of {nodes}, one id for each node");
            return Err(binary.fault(header.shown(), wanted));
        }
        let texts = header.texts(&mut binary, self.options)?;
        ended(&mut binary)?;
        Labels::new(texts)
            .map(Some)
            .map_err(|e| in_file(e, self.name))
    }

    /// A full matrix: the one that the caller names, or the only square one.
    fn full(&self) -> Result<GraphBuilder> {
        let array = match &self.options.variable {
            Some(name) => name.clone(),
            None => self.only_square()?,
        };
        let (header, mut binary) = self.open(&array)?;
        let values = square(&mut binary, &header, self.name, self.options)?;
        let nodes = header.square().unwrap_or_default();
        let mut builder = self.options.counted_builder(self.name, 0, nodes, None)?;
        add_matrix(
            &mut builder,
            self.name,
            nodes as usize,
            &values,
            self.options,
        )?;
        Ok(builder)
    }

    /// The name of the only square matrix.
    fn only_square(&self) -> Result<String> {
        let mut squares = Vec::new();
        let mut others = Vec::new();
        for member in &self.archive.members {
            // What is no array of numbers is no matrix; only the one that is chosen must be sound.
            match self.open(&member.name) {
                Ok((header, _)) if header.square().is_some_and(|n| n > 1) => {
                    squares.push(&*member.name);
                }
                _ => others.push(&*member.name),
            }
        }
        match &squares[..] {
            [only] => Ok((*only).to_owned()),
            [] => {
                // A single node, or the fault of what should have been a matrix.
                if let [only] = &others[..] {
                    return Ok((*only).to_owned());
                }
                let found = format!("the arrays {}", quoted(&others.join(", ")));
                Err(self.fault(found, "a square array of numbers, or the format of SciPy"))
            }
            several => {
                let found = format!("the square arrays {}", quoted(&several.join(", ")));
                Err(self.fault(found, "one").hinting(&[Hint::Variable]))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn archive(arrays: &[(&str, &str, &str, &[u8])]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut writer = ArchiveWriter::new(&mut bytes);
        for (name, descr, shape, contents) in arrays {
            let mut member = header_bytes(descr, shape);
            member.extend_from_slice(contents);
            writer.add(name, &member).unwrap();
        }
        writer.finish().unwrap();
        bytes
    }

    fn read(bytes: &[u8], variable: Option<&str>) -> Result<LoadedGraph> {
        let options = ReadOptions {
            variable: variable.map(Into::into),
            ..ReadOptions::default()
        };
        read_npz_from(bytes, "a.npz", &options)
    }

    const FULL: (&str, &str, &str, &[u8]) = ("m", "|u1", "(2, 2)", &[0, 3, 3, 0]);

    #[test]
    fn the_only_square_array_is_taken_or_the_one_named() {
        let one = archive(&[("t", "|u1", "(3,)", &[1, 2, 3]), FULL]);
        assert_eq!(read(&one, None).unwrap().graph.weight(0, 1), 3.0);
        let two = archive(&[FULL, ("n", "|u1", "(2, 2)", &[0, 4, 4, 0])]);
        assert_eq!(read(&two, Some("n")).unwrap().graph.weight(0, 1), 4.0);
        assert_eq!(
            read(&two, None).unwrap_err().to_string(),
            "a.npz: found the square arrays `m, n`, expected one; choose it by its name"
        );
        assert_eq!(
            read(&two, Some("x")).unwrap_err().to_string(),
            "a.npz: found the arrays `m, n`, expected one called `x`"
        );
    }

    #[test]
    fn sparse_kinds_give_the_same_graph() {
        let shape = ("shape", "|u1", "(2,)", &[3u8, 3][..]);
        let format = |name: &'static [u8; 3]| ("format", "|S3", "()", &name[..]);
        let compressed = |kind| {
            archive(&[
                format(kind),
                shape,
                ("indptr", "|u1", "(4,)", &[0, 1, 3, 4]),
                ("indices", "|u1", "(4,)", &[1, 0, 2, 1]),
                ("data", "|u1", "(4,)", &[5, 5, 6, 6]),
            ])
        };
        let triplets = archive(&[
            format(b"coo"),
            shape,
            ("row", "|u1", "(2,)", &[0, 2]),
            ("col", "|u1", "(2,)", &[1, 1]),
            ("data", "|u1", "(2,)", &[5, 6]),
        ]);
        let diagonals = archive(&[
            format(b"dia"),
            shape,
            ("offsets", "|i1", "(2,)", &[1, 0xff]),
            ("data", "|u1", "(2, 3)", &[0, 5, 6, 5, 6, 0]),
        ]);
        for bytes in [compressed(b"csr"), compressed(b"csc"), triplets, diagonals] {
            let graph = read(&bytes, None).unwrap().graph;
            assert_eq!((graph.weight(0, 1), graph.weight(1, 2)), (5.0, 6.0));
            assert_eq!((graph.node_count(), graph.edge_count()), (3, 2));
            assert_eq!(graph.cleaning().repeated_edges, 0);
        }
    }

    #[test]
    fn parts_that_do_not_fit_are_named() {
        let shape = ("shape", "|u1", "(2,)", &[2u8, 2][..]);
        let format = ("format", "|S3", "()", &b"csr"[..]);
        let with = |starts: &'static [u8], indices: &'static [u8]| {
            let bytes = archive(&[
                format,
                shape,
                ("indptr", "|u1", "(3,)", starts),
                ("indices", "|u1", "(1,)", indices),
                ("data", "|u1", "(1,)", &[5]),
            ]);
            read(&bytes, None).unwrap_err().to_string()
        };
        assert_eq!(
            with(&[0, 2, 1], &[1]),
            "a.npz: found 3 starts, 1 indices and 1 numbers that do not fit together, \
             expected the rows of a matrix of 2×2"
        );
        assert_eq!(
            with(&[0, 1, 1], &[9]),
            "a.npz: found an entry in row 0 and column 9, expected both below 2"
        );
        let odd = archive(&[("format", "|S3", "()", b"bsr"), shape]);
        assert!(
            read(&odd, None)
                .unwrap_err()
                .to_string()
                .contains("csr, csc, coo or dia")
        );
    }

    #[test]
    fn ids_come_back_and_must_be_as_many_as_nodes() {
        let labels = Labels::new(vec!["a b".into(), "\u{1f600}".into()]).unwrap();
        let graph = Graph::from_edges(2, &[(0, 1, -0.5)])
            .unwrap()
            .with_labels(labels)
            .unwrap();
        let mut bytes = Vec::new();
        write_npz(&mut bytes, &graph).unwrap();
        assert_eq!(read(&bytes, None).unwrap().graph, graph);
        let few = archive(&[FULL, ("ids", "|S1", "(1,)", b"a")]);
        assert_eq!(
            read(&few, None).unwrap_err().to_string(),
            "a.npz: found a list of 1 at byte 128 of `ids`, \
             expected a list of 2, one id for each node"
        );
    }

    #[test]
    fn a_bomb_is_refused_by_what_it_claims() {
        // A gigabyte of zeros takes a megabyte; its header says so before it is unpacked.
        let mut member = header_bytes("|u1", "(40000, 40000)");
        member.resize(1 << 20, 0);
        let mut bytes = Vec::new();
        let mut writer = ArchiveWriter::new(&mut bytes);
        writer.add("m", &member).unwrap();
        writer.finish().unwrap();
        let options = ReadOptions {
            max_memory: Some(1 << 24),
            ..ReadOptions::default()
        };
        let refused = read_npz_from(&bytes[..], "a.npz", &options).unwrap_err();
        assert!(matches!(refused, Error::Memory { .. }), "{refused}");
    }
}
