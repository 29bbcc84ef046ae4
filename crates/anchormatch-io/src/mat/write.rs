//! A file with one sparse matrix, `A`, and the ids beside it.

use std::borrow::Cow;
use std::io::{self, Write};

use anchormatch::graph::Graph;

use super::super::fault::unwritable;
use super::super::links::matrix;
use super::{IDS, class, kind};

/// Writes `graph` as the sparse matrix `A` of a `.mat` of version 5, with a cell array `ids` of
/// texts where the nodes are not called 1, 2, ….
///
/// # Errors
/// When `out` fails, or the matrix is larger than a variable may be.
///
/// # Complexity
/// O(|E|) time; the ids are held once more.
pub fn write_mat(out: &mut (impl Write + ?Sized), graph: &Graph) -> io::Result<()> {
    let n = graph.node_count();
    let rows = matrix(graph);
    // Columns come first: column j holds what leads to j.
    let columns = if graph.is_directed() {
        Cow::Owned(rows.transposed())
    } else {
        rows
    };
    let entries = columns.entries() as u64;
    let mut header = b"MATLAB 5.0 MAT-file, written by anchormatch".to_vec();
    header.resize(116, b' ');
    header.extend_from_slice(&[0; 8]);
    header.extend_from_slice(b"\x00\x01IM");
    out.write_all(&header)?;

    let mut head = head(class::SPARSE, entries, [n as u64, n as u64], "A")?;
    let row_bytes = 4 * entries;
    let starts = 4 * (n as u64 + 1);
    let padded = |length: u64| 8 + length.next_multiple_of(8);
    let all = head.len() as u64 + padded(row_bytes) + padded(starts) + padded(8 * entries);
    put_tag(out, kind::MATRIX, all)?;
    out.write_all(&head)?;

    put_tag(out, kind::INT32, row_bytes)?;
    for (_, i, _) in columns.triplets() {
        out.write_all(&(i as u32).to_le_bytes())?;
    }
    put_padding(out, row_bytes)?;
    put_tag(out, kind::INT32, starts)?;
    let mut end = 0u32;
    out.write_all(&end.to_le_bytes())?;
    for j in 0..n {
        end += columns.row(j).len() as u32;
        out.write_all(&end.to_le_bytes())?;
    }
    put_padding(out, starts)?;
    put_tag(out, kind::DOUBLE, 8 * entries)?;
    for weight in columns.values() {
        out.write_all(&weight.to_le_bytes())?;
    }

    if super::super::are_counted(graph.labels(), 1) {
        return Ok(());
    }
    head = self::head(class::CELL, 0, [n as u64, 1], IDS)?;
    for id in graph.labels().iter() {
        let units: Vec<u8> = id.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let length = units.len() as u64;
        let cell = self::head(class::CHAR, 0, [1, length / 2], "")?;
        put_tag(&mut head, kind::MATRIX, cell.len() as u64 + padded(length))?;
        head.extend_from_slice(&cell);
        // SciPy takes plain 16-bit numbers for another encoding.
        put_tag(&mut head, kind::UTF16, length)?;
        head.extend_from_slice(&units);
        put_padding(&mut head, length)?;
    }
    put_tag(out, kind::MATRIX, head.len() as u64)?;
    out.write_all(&head)
}

/// Flags, dimensions and name of an array.
fn head(class: u8, most: u64, dimensions: [u64; 2], name: &str) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    put_tag(&mut bytes, kind::UINT32, 8)?;
    bytes.extend_from_slice(&u32::from(class).to_le_bytes());
    bytes.extend_from_slice(&fits(most)?.to_le_bytes());
    put_tag(&mut bytes, kind::INT32, 8)?;
    for side in dimensions {
        bytes.extend_from_slice(&fits(side)?.to_le_bytes());
    }
    put_tag(&mut bytes, kind::INT8, name.len() as u64)?;
    bytes.extend_from_slice(name.as_bytes());
    put_padding(&mut bytes, name.len() as u64)?;
    Ok(bytes)
}

fn put_tag(out: &mut (impl Write + ?Sized), kind: u32, length: u64) -> io::Result<()> {
    out.write_all(&kind.to_le_bytes())?;
    out.write_all(&fits(length)?.to_le_bytes())
}

fn put_padding(out: &mut (impl Write + ?Sized), length: u64) -> io::Result<()> {
    let padding = length.next_multiple_of(8) - length;
    out.write_all(&[0; 8][..padding as usize])
}

/// A number that a `.mat` has room for.
fn fits(number: u64) -> io::Result<u32> {
    u32::try_from(number)
        .ok()
        .filter(|&number| number <= i32::MAX as u32)
        .ok_or_else(|| {
            unwritable(
                "found a matrix of more than 2 GiB, expected a smaller one; \
                 the format mtx has no such limit",
            )
        })
}
