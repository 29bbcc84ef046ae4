//! Tables of points: rows of `x,y[,z]`, with an optional leading column of ids.
//!
//! The rules of every table hold (see `table.rs`). The first row is a header when its last field is
//! a name rather than a number. There is a column of ids when the header's first field is `id`
//! (`name`, `node` or `label` do as well), when there are four columns and a header, or when the
//! first data row begins with something that is no number. Without one the points are called 0, 1, ….
//!
//! The graph is complete, and its weights are the Euclidean distances; or it has no edge at all, where
//! [`ReadOptions::edgeless`] asks for points alone.

use std::collections::HashMap;
use std::io::{BufRead, Write};

use anchormatch::error::Result;
use anchormatch::graph::Labels;
use anchormatch::linalg::Matrix;

use super::cloud::Cloud;
use super::fault::quoted;
use super::table::{Row, Shape, Table, write_field};
use super::{Format, LoadedGraph, ReadOptions};

const SHAPE: Shape = Shape {
    columns: 2..=4,
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
    let mut table = Table::new(reader, name, SHAPE);
    let mut header = None;
    let mut layout: Option<Layout> = None;
    let mut cloud = Cloud::new(name, options);
    let mut lines: HashMap<String, u64> = HashMap::new();
    while let Some(row) = table.next()? {
        if cloud.is_empty() && header.is_none() && row.is_name(row.len() - 1) {
            let says_id = ["id", "name", "node", "label"]
                .iter()
                .any(|name| row.get(0).eq_ignore_ascii_case(name));
            header = Some(says_id || row.len() == 4);
            continue;
        }
        if !cloud.has_room() {
            continue;
        }
        let layout = match layout {
            Some(layout) => layout,
            None => *layout.insert(Layout::of(&row, header)?),
        };
        if layout.ids {
            let id = row.id(0)?;
            if let Some(first) = lines.insert(id.to_owned(), row.line()) {
                let found = format!("{}, which line {first} has as well", quoted(id));
                return Err(row.fault(0, found, "an id of its own for every point"));
            }
            cloud.name(id);
        }
        for column in usize::from(layout.ids)..row.len() {
            cloud.coordinate(row.number(column)?);
        }
    }
    let dimensions = layout.map_or(2, |layout| layout.dimensions);
    cloud.finish(dimensions, Format::Points, Vec::new())
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

/// How the columns of a table of points are to be read.
#[derive(Clone, Copy)]
struct Layout {
    ids: bool,
    dimensions: usize,
}

impl Layout {
    /// The layout of the table whose first data row is `row`; `header` says whether there was a
    /// header and, if so, whether it has a column of ids.
    fn of(row: &Row<'_>, header: Option<bool>) -> Result<Self> {
        let ids = header == Some(true) || row.is_name(0);
        let dimensions = row.len() - usize::from(ids);
        if dimensions < 2 {
            return Err(row.fault(1, "1 coordinate", "two or three"));
        }
        if dimensions > 3 {
            return Err(row.fault(
                3,
                "4 numbers",
                "x,y or x,y,z; a header id,x,y,z would say that the first is an id",
            ));
        }
        Ok(Self { ids, dimensions })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anchormatch::error::Error;

    fn read(text: &str) -> Result<LoadedGraph> {
        read_points_from(text.as_bytes(), "p.csv", &ReadOptions::default())
    }

    #[test]
    fn headers_and_ids_are_recognised_by_the_rule() {
        for (text, ids) in [
            ("0,0\n3,4\n", ["0", "1"]),
            ("x y\n0 0\n3 4\n", ["0", "1"]),
            ("id,x,y\n7,0,0\n9,3,4\n", ["7", "9"]),
            ("place;x;y\nann;0;0\nbob;3;4\n", ["ann", "bob"]),
            ("ann\t0\t0\nbob\t3\t4\n", ["ann", "bob"]),
        ] {
            let loaded = read(text).unwrap();
            assert_eq!(loaded.graph.labels().iter().collect::<Vec<_>>(), ids);
            assert_eq!(loaded.graph.weight(0, 1), 5.0, "{text}");
            let positions = loaded.positions.unwrap();
            assert_eq!(positions.as_slice(), [0.0, 0.0, 3.0, 4.0]);
        }
        let solid = read("x,y,z\n0,0,0\n2,3,6\n").unwrap();
        assert_eq!(solid.graph.weight(0, 1), 7.0);
        let solid = read("k,x,y,z\n5,0,0,0\n6,2,3,6\n").unwrap();
        assert_eq!(solid.graph.weight(0, 1), 7.0);
        assert_eq!(solid.graph.labels().find("6"), Some(1));
        assert_eq!(read("1,1").unwrap().graph.node_count(), 1);
    }

    #[test]
    fn every_fault_has_its_message() {
        for (text, message) in [
            (
                "1,2\n3,x\n",
                "p.csv, line 2, column 2: found `x`, expected a number such as 1.5 or 2e-3",
            ),
            (
                "1,2\n3,inf\n",
                "p.csv, line 2, column 2: found `inf`, expected a finite number",
            ),
            (
                "a,1,2\nb,1,2\na,3,4\n",
                "p.csv, line 3, column 1: found `a`, which line 1 has as well, \
                 expected an id of its own for every point",
            ),
            (
                "a,1\n",
                "p.csv, line 1, column 2: found 1 coordinate, expected two or three",
            ),
            (
                "x,y\na,b\n",
                "p.csv, line 2, column 2: found 1 coordinate, expected two or three",
            ),
            (
                "1,2,3,4\n",
                "p.csv, line 1, column 4: found 4 numbers, expected x,y or x,y,z; \
                 a header id,x,y,z would say that the first is an id",
            ),
            (
                "x,y\n",
                "p.csv: found no point, expected at least one row of x,y[,z]",
            ),
        ] {
            assert_eq!(read(text).unwrap_err().to_string(), message, "{text:?}");
        }
        let far = read("1e308,0\n-1e308,0\n").unwrap_err().to_string();
        assert!(far.contains("p.csv") && far.contains("finite"), "{far}");
    }

    #[test]
    fn too_many_points_are_refused_with_the_whole_need() {
        let options = ReadOptions {
            max_memory: Some(100_000),
            ..ReadOptions::default()
        };
        let text = "1,2\n".repeat(1000);
        let error = read_points_from(text.as_bytes(), "p.csv", &options).unwrap_err();
        let Error::Memory { needed, limit, .. } = &error else {
            panic!("{error}");
        };
        assert_eq!((*needed, *limit), (36_000_000, 100_000));
        assert!(error.to_string().contains("complete graph of 1000 points"));
    }

    #[test]
    fn coinciding_points_are_noted() {
        let loaded = read("1,1\n1,1\n2,2\n").unwrap();
        assert_eq!(loaded.graph.edge_count(), 2);
        assert_eq!(
            loaded.notes,
            ["1 pair of points coincides; no edge joins it"]
        );
    }
}
