//! Arrays: their heads, square matrices of numbers, and cells of texts.

use std::io::Read;

use anchormatch::error::{Hint, Result};
use anchormatch::graph::GraphBuilder;

use super::super::dense::{add_matrix, transpose};
use super::super::fault::quoted;
use super::super::options::{DEFAULT_MEMORY, ReadOptions};
use super::element::{Elements, words};
use super::{class, kind};

/// The longest name of a variable; MATLAB allows 63 bytes.
const LONGEST_NAME: u64 = 1 << 12;

/// What a structure is called in errors.
pub(super) const STRUCTURE: &str = "a structure or object";

/// What an array says before its contents.
#[derive(Debug)]
pub(super) struct Head {
    pub(super) class: u8,
    pub(super) is_complex: bool,
    pub(super) dimensions: Vec<u64>,
    pub(super) name: String,
}

impl Head {
    /// Reads the head of an array.
    pub(super) fn read<R: Read>(elements: &mut Elements<'_, R>) -> Result<Self> {
        let tag = elements.tag("array flags")?;
        if (tag.kind, tag.length) != (kind::UINT32, 8) {
            let found = format!("{} bytes of the kind {}", tag.length, tag.kind);
            return Err(elements.binary.fault(found, "array flags"));
        }
        elements.spend(8, "array flags")?;
        let [flags, _] = words(elements.binary.array("array flags")?, elements.big_endian);
        let tag = elements.tag("the dimensions of an array")?;
        if tag.length > 128 {
            let found = format!("{} bytes of dimensions", tag.length);
            return Err(elements.binary.fault(found, "at most 32 dimensions"));
        }
        let dimensions = elements.indices(tag, "the dimensions of an array")?;
        let tag = elements.tag("the name of an array")?;
        let name = elements.bytes(tag, LONGEST_NAME, "a name")?;
        Ok(Self {
            class: flags as u8,
            is_complex: flags & 0x800 != 0,
            dimensions,
            name: String::from_utf8_lossy(&name).into_owned(),
        })
    }

    /// The side, when this is a square matrix of numbers.
    pub(super) fn square(&self) -> Option<u64> {
        let is_matrix = self.class == class::SPARSE || class::NUMERIC.contains(&self.class);
        match self.dimensions[..] {
            [rows, columns] if rows == columns && is_matrix => Some(rows),
            _ => None,
        }
    }

    /// What it is, for errors.
    pub(super) fn shown(&self) -> String {
        let sides: Vec<_> = self.dimensions.iter().take(5).map(u64::to_string).collect();
        let what = match self.class {
            class::CELL => "a cell array",
            2 | 3 => STRUCTURE,
            class::CHAR => "a text",
            class::SPARSE => "a sparse matrix",
            class if class::NUMERIC.contains(&class) => "an array",
            _ => "something",
        };
        format!("{} as {what} of {}", quoted(&self.name), sides.join("×"))
    }

    /// Reads the numbers into a builder; [`square`](Self::square) says that there are some.
    pub(super) fn graph<R: Read>(
        &self,
        elements: &mut Elements<'_, R>,
        options: &ReadOptions,
    ) -> Result<GraphBuilder> {
        let file = elements.binary.file().to_owned();
        let Some(nodes) = self.square() else {
            let wanted = "a square matrix of numbers, as the adjacency matrix of a graph is";
            return Err(elements.binary.fault(self.shown(), wanted));
        };
        if self.is_complex {
            let wanted = "real numbers, because a weight is one";
            return Err(elements.binary.fault("complex numbers", wanted));
        }
        let mut builder = options.counted_builder(&file, 1, nodes, None)?;
        if self.class == class::SPARSE {
            let entries = sparse(elements, nodes, options, &mut builder)?;
            options.reserve_nodes(&file, nodes, entries)?;
            return Ok(builder);
        }
        options.reserve_dense(&file, nodes)?;
        let n = nodes as usize;
        let tag = elements.tag("the numbers of a matrix")?;
        let mut values = elements.numbers(tag, "the numbers of a matrix")?;
        if values.len() as u64 != nodes * nodes {
            let found = format!("{} numbers", values.len());
            let wanted = format!("{}, for a matrix of {nodes}×{nodes}", nodes * nodes);
            return Err(elements.binary.fault(found, wanted));
        }
        // Columns come first.
        transpose(&mut values, n);
        add_matrix(&mut builder, &file, n, &values, options)?;
        Ok(builder)
    }

    /// Reads the texts of a cell array; empty when it holds something else.
    pub(super) fn texts<R: Read>(
        &self,
        elements: &mut Elements<'_, R>,
        options: &ReadOptions,
    ) -> Result<Vec<String>> {
        let count = self
            .dimensions
            .iter()
            .fold(1u64, |all, &side| all.saturating_mul(side));
        // A cell takes at least 56 bytes of the file.
        if count > elements.left / 56 + 1 {
            let found = format!("{count} cells in {} bytes", elements.left);
            return Err(elements
                .binary
                .fault(found, "cells that the file has room for"));
        }
        let mut held = 0u64;
        let mut texts = Vec::new();
        for _ in 0..count {
            let tag = elements.tag("a cell")?;
            if tag.kind != kind::MATRIX {
                let found = format!("an element of the kind {}", tag.kind);
                return Err(elements.binary.fault(found, "a cell"));
            }
            elements.spend(tag.length, "a cell")?;
            held = held.saturating_add(tag.length + 64);
            options.reserve(
                &format!("{}: the ids", elements.binary.file()),
                held,
                DEFAULT_MEMORY,
                &[Hint::MoreMemory],
            )?;
            let mut inner = Elements {
                binary: &mut *elements.binary,
                big_endian: elements.big_endian,
                left: tag.length,
            };
            let head = Self::read(&mut inner)?;
            if head.class != class::CHAR {
                return Err(inner
                    .binary
                    .fault(head.shown(), "a text as the id of a node"));
            }
            texts.push(text(&mut inner)?);
            let left = inner.left;
            elements.binary.skip(left, "the end of a cell")?;
            elements.pad(tag)?;
        }
        Ok(texts)
    }
}

/// A text, by the kinds of characters that writers use.
fn text<R: Read>(elements: &mut Elements<'_, R>) -> Result<String> {
    let tag = elements.tag("a text")?;
    let decoded = match tag.kind {
        // UTF-8, and bytes that are ASCII.
        kind::INT8 | 2 | kind::UTF8 => {
            let bytes = elements.bytes(tag, u64::from(u32::MAX), "a text")?;
            String::from_utf8(bytes).ok()
        }
        kind::UINT16 | kind::UTF16 => {
            let bytes = elements.bytes(tag, u64::from(u32::MAX), "a text")?;
            let units: Vec<u16> = bytes
                .chunks_exact(2)
                .map(|pair| match elements.big_endian {
                    true => u16::from_be_bytes([pair[0], pair[1]]),
                    false => u16::from_le_bytes([pair[0], pair[1]]),
                })
                .collect();
            String::from_utf16(&units).ok()
        }
        _ => None,
    };
    decoded.ok_or_else(|| {
        elements
            .binary
            .fault("a text that is none", "Unicode characters")
    })
}

/// Reads row indices, column starts and numbers; returns how many entries there are.
fn sparse<R: Read>(
    elements: &mut Elements<'_, R>,
    nodes: u64,
    options: &ReadOptions,
    builder: &mut GraphBuilder,
) -> Result<u64> {
    let file = elements.binary.file().to_owned();
    let mut held = 0u64;
    let mut reserve = |length: u64| {
        // Four bytes of an index become eight.
        held = held.saturating_add(2 * length);
        let what = format!("{file}: a sparse matrix of {nodes}×{nodes}");
        options.reserve(&what, held, DEFAULT_MEMORY, &[Hint::MoreMemory])
    };
    let tag = elements.tag("row indices")?;
    reserve(tag.length)?;
    let rows = elements.indices(tag, "row indices")?;
    let tag = elements.tag("column starts")?;
    reserve(tag.length)?;
    let starts = elements.indices(tag, "column starts")?;
    let tag = elements.tag("the numbers of a sparse matrix")?;
    reserve(tag.length)?;
    let values = elements.numbers(tag, "the numbers of a sparse matrix")?;
    let entries = starts.last().copied().unwrap_or(u64::MAX);
    // Writers may leave room for entries that are not there.
    let is_whole = starts.len() as u64 == nodes + 1
        && starts.windows(2).all(|pair| pair[0] <= pair[1])
        && entries <= rows.len() as u64
        && entries <= values.len() as u64;
    if !is_whole {
        let found = format!(
            "{} rows, {} column starts and {} numbers that do not fit together",
            rows.len(),
            starts.len(),
            values.len()
        );
        let wanted = format!("the columns of a matrix of {nodes}×{nodes}");
        return Err(elements.binary.fault(found, wanted));
    }
    for (column, range) in starts.windows(2).enumerate() {
        for k in range[0] as usize..range[1] as usize {
            let (row, value) = (rows[k], values[k]);
            if row >= nodes || !value.is_finite() {
                let found = format!(
                    "{value} in row {} and column {}",
                    row.saturating_add(1),
                    column + 1
                );
                let wanted = format!("a finite number in a row from 1 to {nodes}");
                return Err(elements.binary.fault(found, wanted));
            }
            builder.entry(row as usize, column, value, None)?;
            options.reserve_beside(&file, builder, held)?;
        }
    }
    Ok(entries)
}
