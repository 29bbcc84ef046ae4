//! Tables of points: columns `x`, `y` and perhaps `z`, an id, and others that are passed over or, where
//! [`ReadOptions::node_columns`] asks for them, kept.
//!
//! The rules of every table hold (see `table.rs`). The first row is a header when its last field is a name
//! and none is a number. A header that has `x` and `y`, in either case, may have its columns in any order:
//! `z`, an id (`id`, `name`, `label`, `node` or `point`; or the first column, when it has no name, holds no
//! numbers, or stands before x,y,z alone), and others, which are noted. Any other table goes by position: two
//! or three coordinates, after an id when the header's first field says so, when there are four columns and a
//! header, or when the first data row begins with something that is no number.
//! [`ReadOptions::columns`] chooses the coordinates in the place of these rules. Without ids the points are
//! called 0, 1, ….
//!
//! The graph is complete, and its weights are the Euclidean distances; or it has no edge at all, where
//! [`ReadOptions::edgeless`] asks for points alone.

mod layout;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::io::{BufRead, Write};

use anchormatch::error::Result;
use anchormatch::graph::Labels;
use anchormatch::linalg::Matrix;

use super::cloud::Cloud;
use super::columns::ColumnBuilder;
use super::fault::quoted;
use super::table::{Shape, Table, write_field};
use super::{Format, LoadedGraph, ReadOptions};
use layout::{Header, Layout};

const SHAPE: Shape = Shape {
    columns: 2..=256,
    ragged: false,
    attributes: false,
    longest_line: Shape::LINE,
    wanted: "x,y or x,y,z, after an id or not",
};

/// Reads points; `name` stands for the file in errors.
///
/// # Errors
/// When a row is malformed, an id stands twice, there is no point, or the complete graph would pass
/// the memory allowed.
///
/// # Complexity
/// O(n²) time and memory, as the graph is complete; O(n) for [edgeless](ReadOptions::edgeless) points.
pub fn read_points_from(
    reader: impl BufRead,
    name: &str,
    options: &ReadOptions,
) -> Result<LoadedGraph> {
    let table = Table::new(reader, name, SHAPE);
    read(table, Format::Points, name, options)
}

/// Reads a cloud of points, rows of `x y z` and whatever follows; `name` stands for the file in errors.
///
/// The first three columns are the coordinates, or those that a header calls so; the points are called
/// 0, 1, ….
///
/// # Errors
/// As [`read_points_from`].
///
/// # Complexity
/// As [`read_points_from`].
pub fn read_xyz_from(
    reader: impl BufRead,
    name: &str,
    options: &ReadOptions,
) -> Result<LoadedGraph> {
    let shape = Shape {
        wanted: "x y z at the beginning of every row; a number of atoms or points before them is not read",
        ..SHAPE
    };
    let table = Table::new(reader, name, shape);
    read(table, Format::Xyz, name, options)
}

/// The points of a table, by the rules of `format`.
fn read(
    mut table: Table<impl BufRead>,
    format: Format,
    name: &str,
    options: &ReadOptions,
) -> Result<LoadedGraph> {
    let mut header: Option<Header> = None;
    let mut layout: Option<Layout> = None;
    let mut notes = Vec::new();
    let mut cloud = Cloud::new(name, options);
    let mut columns = ColumnBuilder::default();
    // Where the columns that are kept stand, and their numbers among these.
    let mut kept: Vec<(usize, usize)> = Vec::new();
    let mut rows = 0;
    // Whether what is read as x counts the rows.
    let mut counts = format == Format::Points && options.columns.is_none();
    let mut lines: HashMap<String, u64> = HashMap::new();
    while let Some(row) = table.next()? {
        if cloud.is_empty() && header.is_none() && Header::is(&row, options) {
            header = Some(Header::of(&row, options)?);
            continue;
        }
        if !cloud.has_room() {
            continue;
        }
        if layout.is_none() {
            let found = Layout::of(&row, header.as_ref(), format, options)?;
            let others = found.others(header.as_ref(), options);
            if format == Format::Points {
                notes.extend(found.guessed(header.as_ref()));
            }
            notes.extend(found.passed_over(header.as_ref(), &others, row.len()));
            kept = others
                .iter()
                .map(|(place, name)| (*place, columns.column(name)))
                .collect();
            layout = Some(found);
        }
        let layout = layout.as_ref().expect("the first row of data decides it");
        if let Some(column) = layout.id {
            let id = row.id(column)?;
            if let Some(first) = lines.insert(id.to_owned(), row.line()) {
                let found = format!("{}, which line {first} has as well", quoted(id));
                return Err(row.fault(column, found, "an id of its own for every point"));
            }
            cloud.name(id);
        }
        for &column in &layout.axes {
            cloud.coordinate(row.number(column)?);
        }
        counts &= layout.axes == [0, 1, 2] && is_count(row.get(0), rows);
        for &(place, column) in &kept {
            cloud.beside(columns.set(column, rows, row.get(place)));
        }
        rows += 1;
    }
    if counts && header.is_none() && rows > 2 {
        notes.push(
            "column 1 counts the rows and was read as x; a header such as id,x,y makes ids of it"
                .to_owned(),
        );
    }
    let dimensions = layout.map_or(2, |layout| layout.axes.len());
    let loaded = cloud.finish(dimensions, format, notes)?;
    Ok(LoadedGraph {
        columns: columns.finish(rows, &HashMap::new()),
        ..loaded
    })
}

/// Whether a word is the number of its row, from 0 or from 1.
fn is_count(word: &str, row: usize) -> bool {
    word.parse() == Ok(row) || word.parse() == Ok(row + 1)
}

/// Writes points as `id,x,y[,z]` with a header, one row of `positions` for each label.
///
/// # Errors
/// When `out` fails, the shapes differ, or an id is empty or holds a line break.
pub fn write_points(
    out: &mut (impl Write + ?Sized),
    labels: &Labels,
    positions: &Matrix,
) -> std::io::Result<()> {
    check_positions(labels.len(), positions)?;
    writeln!(
        out,
        "id,x,y{}",
        if positions.cols() == 3 { ",z" } else { "" }
    )?;
    for (i, id) in labels.iter().enumerate() {
        write_field(out, &id)?;
        for value in positions.row(i) {
            write!(out, ",{value}")?;
        }
        writeln!(out)?;
    }
    Ok(())
}

/// Writes points as rows of `x y[ z]`; ids become numbers.
///
/// # Errors
/// When `out` fails.
pub fn write_xyz(out: &mut (impl Write + ?Sized), positions: &Matrix) -> std::io::Result<()> {
    check_positions(positions.rows(), positions)?;
    for i in 0..positions.rows() {
        let row: Vec<String> = positions.row(i).iter().map(f64::to_string).collect();
        writeln!(out, "{}", row.join(" "))?;
    }
    Ok(())
}

/// Refuses positions that are not one point in two or three dimensions for each node.
pub(super) fn check_positions(nodes: usize, positions: &Matrix) -> std::io::Result<()> {
    if positions.rows() == nodes && (2..=3).contains(&positions.cols()) {
        return Ok(());
    }
    Err(std::io::Error::new(
        std::io::ErrorKind::InvalidInput,
        format!(
            "found {}×{} positions, expected {nodes}×2 or {nodes}×3",
            positions.rows(),
            positions.cols()
        ),
    ))
}
