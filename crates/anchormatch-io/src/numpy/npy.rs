//! A single array.

use std::io::{Read, Write};

use anchormatch::error::Result;
use anchormatch::graph::Graph;

use super::super::binary::{Binary, Number};
use super::super::dense::{add_matrix, transpose};
use super::super::links::matrix;
use super::super::{Format, LoadedGraph, ReadOptions, finish};
use super::array::{Header, header_bytes};

/// Reads a `.npy`; `name` stands for the file in errors.
///
/// # Errors
/// When the array is not square or no array of numbers, the file is cut or goes on, an entry differs
/// from its mirror image and no rule says how to merge them, or the matrix would pass the memory
/// allowed.
///
/// # Complexity
/// O(n²) time and memory.
pub fn read_npy_from(reader: impl Read, name: &str, options: &ReadOptions) -> Result<LoadedGraph> {
    let mut binary = Binary::new(reader, name);
    let header = Header::read(&mut binary)?;
    let values = square(&mut binary, &header, name, options)?;
    let nodes = header.square().unwrap_or_default();
    let mut builder = options.counted_builder(name, 0, nodes, None)?;
    add_matrix(&mut builder, name, nodes as usize, &values, options)?;
    drop(values);
    finish(builder, name, Format::Npy, Vec::new())
}

/// The numbers of a square array, which must be all that is left.
pub(super) fn square<R: Read>(
    binary: &mut Binary<R>,
    header: &Header,
    name: &str,
    options: &ReadOptions,
) -> Result<Vec<f64>> {
    let Some(nodes) = header.square() else {
        let wanted = "a square array of numbers, as the adjacency matrix of a graph is";
        return Err(binary.fault(header.shown(), wanted));
    };
    if nodes == 0 {
        return Err(binary.fault("an array of 0×0", "at least one node"));
    }
    options.reserve_dense(name, nodes)?;
    let kind: Number = header.number(binary)?;
    let mut values = binary.numbers(kind, header.count())?;
    ended(binary)?;
    if header.by_columns {
        transpose(&mut values, nodes as usize);
    }
    Ok(values)
}

/// Refuses bytes after an array.
pub(super) fn ended<R: Read>(binary: &mut Binary<R>) -> Result<()> {
    let before = binary.offset();
    if binary.some(&mut [0])? > 0 {
        let wanted = format!("the end after {before} bytes");
        return Err(binary.fault("more bytes", wanted));
    }
    Ok(())
}

/// Writes `graph` as a square array of doubles; nodes become their numbers from 0.
///
/// # Errors
/// When `out` fails.
///
/// # Complexity
/// O(n²) numbers, one row of memory.
pub fn write_npy(out: &mut (impl Write + ?Sized), graph: &Graph) -> std::io::Result<()> {
    let n = graph.node_count();
    out.write_all(&header_bytes("<f8", &format!("({n}, {n})")))?;
    let mut row = vec![0u8; 8 * n];
    let entries = matrix(graph);
    for i in 0..n {
        row.fill(0);
        for (j, weight) in entries.row(i) {
            row[8 * j..8 * j + 8].copy_from_slice(&weight.to_le_bytes());
        }
        out.write_all(&row)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(descr: &str, shape: &str, numbers: &[u8]) -> Vec<u8> {
        let mut bytes = header_bytes(descr, shape);
        bytes.extend_from_slice(numbers);
        bytes
    }

    fn read(bytes: &[u8]) -> Result<LoadedGraph> {
        read_npy_from(bytes, "a.npy", &ReadOptions::default())
    }

    #[test]
    fn kinds_of_numbers_give_the_same_graph() {
        let small = [0u8, 2, 2, 0];
        let wide: Vec<u8> = [0i32, 2, 2, 0]
            .iter()
            .flat_map(|v| v.to_be_bytes())
            .collect();
        let real: Vec<u8> = [0f32, 2., 2., 0.]
            .iter()
            .flat_map(|v| v.to_le_bytes())
            .collect();
        for (descr, bytes) in [("|u1", &small[..]), (">i4", &wide), ("<f4", &real)] {
            let graph = read(&file(descr, "(2, 2)", bytes)).unwrap().graph;
            assert_eq!(graph.weight(0, 1), 2.0, "{descr}");
            assert!(graph.labels().iter().eq(["0", "1"]));
        }
    }

    #[test]
    fn every_fault_has_its_message() {
        let whole = file("|u1", "(2, 2)", &[0, 1, 1, 0]);
        for cut in 0..whole.len() {
            let message = read(&whole[..cut]).unwrap_err().to_string();
            assert!(
                message.starts_with("a.npy: found the end of the data at byte"),
                "{message}"
            );
        }
        let more = [&whole[..], &[0]].concat();
        assert_eq!(
            read(&more).unwrap_err().to_string(),
            "a.npy: found more bytes at byte 133, expected the end after 132 bytes"
        );
        assert_eq!(
            read(&file("|u1", "(2, 3)", &[0; 6]))
                .unwrap_err()
                .to_string(),
            "a.npy: found an array of 2×3 at byte 128, \
             expected a square array of numbers, as the adjacency matrix of a graph is"
        );
        let lie = read(&file("|u1", "(1000000000, 1000000000)", &[0; 6])).unwrap_err();
        assert!(matches!(lie, anchormatch::Error::Memory { .. }), "{lie}");
        let lie = read(&file("|u1", "(10000, 10000)", &[0; 6]))
            .unwrap_err()
            .to_string();
        assert!(lie.contains("of which there are 6"), "{lie}");
    }
}
