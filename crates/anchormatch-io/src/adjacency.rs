//! Adjacency matrices as tables: a row of numbers for every node, with ids or without.
//!
//! The rules of every table hold (see `table.rs`); an empty cell counts as zero. The first row names
//! the columns when its first field is empty or `id`, `name`, `node` or `label`, when another field
//! is no number, or when it is one field shorter than the second. The first column names the rows
//! when the first row says so in one of these ways, or when it holds names. Ids that stand both
//! ways must agree. Without ids, nodes are called 0, 1, …. Where an entry and its mirror image differ,
//! entries are arcs from the row's node to the column's; where directions are set aside, the rule for
//! repeated edges decides.

use std::io::{BufRead, Write};

use anchormatch::error::Result;
use anchormatch::graph::{Graph, Labels};

use super::dense::add_matrix;
use super::fault::{fault, in_file, quoted};
use super::links::matrix;
use super::table::{Row, Shape, Table, write_field};
use super::{Format, LoadedGraph, ReadOptions, finish};

const SHAPE: Shape = Shape {
    columns: 1..=usize::MAX,
    ragged: true,
    attributes: false,
    longest_line: 64 << 20,
    wanted: "a row of numbers",
};

/// Reads an adjacency matrix; `name` stands for the file in errors.
///
/// # Errors
/// When a row is malformed, the matrix is not square, ids disagree or stand twice, an entry differs
/// from its mirror image and no rule says how to merge them, or the matrix would pass the memory
/// allowed.
///
/// # Complexity
/// O(n²) time; the matrix is held until it has been compared with its mirror image.
pub fn read_adjacency_from(
    reader: impl BufRead,
    name: &str,
    options: &ReadOptions,
) -> Result<LoadedGraph> {
    let mut table = Table::new(reader, name, SHAPE);
    let Some(first) = table.next()? else {
        return Err(fault(name, None, None, "no row", "a matrix of numbers"));
    };
    let first_line = first.line();
    // No more than a line of it: the row that decides what the others are.
    let head: Vec<String> = (0..first.len()).map(|i| first.get(i).to_owned()).collect();
    let says_id = first.len() > 1
        && ["", "id", "name", "node", "label"]
            .iter()
            .any(|name| head[0].eq_ignore_ascii_case(name));
    let has_names = says_id || (1..first.len()).any(|i| first.is_name(i));
    let first_is_named = first.is_name(0);
    let mut matrix = None;
    let mut header: Option<Vec<String>> = None;
    let is_one_name = first.len() == 1 && first_is_named;
    if !(has_names || is_one_name) {
        // A row of numbers, unless the second row shows that it names the columns.
        let n = first.len() - usize::from(first_is_named);
        let mut rows = Matrix::new(name, n, options)?;
        rows.add(&first, first_is_named, None)?;
        matrix = Some(rows);
    }
    while let Some(row) = table.next()? {
        if header.is_none() && row.len() == head.len() + 1 {
            // The first row was one shorter: names of columns.
            let mut rows = Matrix::new(name, head.len(), options)?;
            rows.add(&row, true, Some(&head))?;
            matrix = Some(rows);
            header = Some(head.clone());
            continue;
        }
        if matrix.is_none() {
            let with_ids = says_id || row.is_name(0);
            let names = &head[usize::from(with_ids)..];
            header = Some(names.to_vec());
            matrix = Some(Matrix::new(name, names.len(), options)?);
        }
        let matrix = matrix.as_mut().expect("the first row made it");
        let with_ids = if header.is_some() {
            row.len() == matrix.n + 1
        } else {
            first_is_named
        };
        matrix.add(&row, with_ids, header.as_deref())?;
    }
    let Some(matrix) = matrix else {
        return Err(fault(
            name,
            Some(first_line),
            Some(1),
            "names without a matrix",
            "a row of numbers for every column",
        ));
    };
    matrix.finish(header, first_line)
}

/// Writes `graph` as a table with ids above and at the left.
///
/// # Errors
/// When `out` fails, or an id is empty or holds a line break.
///
/// # Complexity
/// O(n²) numbers.
pub fn write_adjacency(out: &mut (impl Write + ?Sized), graph: &Graph) -> std::io::Result<()> {
    let (labels, entries) = (graph.labels(), matrix(graph));
    for id in labels.iter() {
        out.write_all(b",")?;
        write_field(out, &id)?;
    }
    writeln!(out)?;
    for (i, id) in labels.iter().enumerate() {
        write_field(out, &id)?;
        let mut column = 0;
        for (j, weight) in entries.row(i) {
            for _ in column..j {
                out.write_all(b",0")?;
            }
            write!(out, ",{weight}")?;
            column = j + 1;
        }
        for _ in column..graph.node_count() {
            out.write_all(b",0")?;
        }
        writeln!(out)?;
    }
    Ok(())
}

/// The rows so far.
struct Matrix<'a> {
    name: &'a str,
    options: &'a ReadOptions,
    n: usize,
    values: Vec<f64>,
    rows: usize,
    ids: Vec<String>,
}

impl<'a> Matrix<'a> {
    fn new(name: &'a str, n: usize, options: &'a ReadOptions) -> Result<Self> {
        options.reserve_dense(name, n as u64)?;
        Ok(Self {
            name,
            options,
            n,
            values: Vec::new(),
            rows: 0,
            ids: Vec::new(),
        })
    }

    fn add(&mut self, row: &Row<'_>, with_id: bool, header: Option<&[String]>) -> Result<()> {
        if self.rows == self.n {
            let found = format!("row {}", self.rows + 1);
            let wanted = format!("{} rows, as many as columns", self.n);
            return Err(row.fault(0, found, wanted));
        }
        let skip = usize::from(with_id);
        if row.len() - skip != self.n {
            let fields = self.n + skip;
            let wanted = format!("{} numbers", self.n);
            return Err(row.miscounted(&(fields..=fields), &wanted));
        }
        if with_id {
            let id = row.id(0)?;
            if let Some(other) = header.and_then(|header| header.get(self.rows))
                && other != id
            {
                let wanted = format!("{}, as the columns are named", quoted(other));
                return Err(row.fault(0, quoted(id), wanted));
            }
            self.ids.push(id.to_owned());
        }
        for column in skip..row.len() {
            let value = match row.get(column) {
                "" => 0.0,
                _ => row.number(column)?,
            };
            self.values.push(value);
        }
        self.rows += 1;
        Ok(())
    }

    fn finish(self, header: Option<Vec<String>>, first_line: u64) -> Result<LoadedGraph> {
        if self.rows < self.n {
            let found = format!("{} of the rows", self.rows);
            let wanted = format!("{}, as many as columns", self.n);
            return Err(fault(self.name, None, None, found, wanted));
        }
        let ids = match header {
            Some(header) => header,
            None => self.ids,
        };
        if let Some(column) = ids.iter().position(String::is_empty) {
            let line = Some(first_line);
            let column = Some(column + 1);
            return Err(fault(
                self.name,
                line,
                column,
                "an empty field",
                "a node id",
            ));
        }
        let nodes = self.n as u64;
        let mut builder = self.options.counted_builder(self.name, 0, nodes, None)?;
        add_matrix(&mut builder, self.name, self.n, &self.values, self.options)?;
        drop(self.values);
        let mut loaded = finish(builder, self.name, Format::Adjacency, Vec::new())?;
        if !ids.is_empty() {
            let labels = Labels::new(ids).map_err(|e| in_file(e, self.name))?;
            loaded.graph = loaded.graph.with_labels(labels)?;
        }
        Ok(loaded)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<LoadedGraph> {
        read_adjacency_from(text.as_bytes(), "m.csv", &ReadOptions::default())
    }

    #[test]
    fn ids_stand_above_at_the_left_both_or_nowhere() {
        for (text, ids) in [
            ("0,2.5,0\n2.5,0,-1\n0,-1,0\n", ["0", "1", "2"]),
            ("0 2.5 0\n2.5 0 -1\n0 -1 0\n", ["0", "1", "2"]),
            (",a,b,c\na,0,2.5,\nb,2.5,0,-1\nc,,-1,0\n", ["a", "b", "c"]),
            (";7;8;9\n7;0;2.5;0\n8;2.5;0;-1\n9;0;-1;0\n", ["7", "8", "9"]),
            (
                "id\t7\t8\t9\n7\t0\t2.5\t0\n8\t2.5\t0\t-1\n9\t0\t-1\t0\n",
                ["7", "8", "9"],
            ),
            ("a,b,c\n0,2.5,0\n2.5,0,-1\n0,-1,0\n", ["a", "b", "c"]),
            ("a,0,2.5,0\nb,2.5,0,-1\nc,0,-1,0\n", ["a", "b", "c"]),
            // R leaves the corner out.
            ("a b c\na 0 2.5 0\nb 2.5 0 -1\nc 0 -1 0\n", ["a", "b", "c"]),
            ("1 2 3\n1 0 2.5 0\n2 2.5 0 -1\n3 0 -1 0\n", ["1", "2", "3"]),
            (
                "genes,a,b,c\na,0,2.5,0\nb,2.5,0,-1\nc,0,-1,0\n",
                ["a", "b", "c"],
            ),
        ] {
            let graph = read(text).unwrap().graph;
            assert!(graph.labels().iter().eq(ids), "{text}");
            assert_eq!(
                (graph.weight(0, 1), graph.weight(1, 2)),
                (2.5, -1.0),
                "{text}"
            );
            assert_eq!(graph.edge_count(), 2);
        }
        assert_eq!(read("0\n").unwrap().graph.node_count(), 1);
        assert!(
            read(",a\na,0\n")
                .unwrap()
                .graph
                .labels()
                .find("a")
                .is_some()
        );
    }

    #[test]
    fn every_fault_has_its_message() {
        for (text, message) in [
            ("", "m.csv: found no row, expected a matrix of numbers"),
            (
                "0,1\n",
                "m.csv: found 1 of the rows, expected 2, as many as columns",
            ),
            (
                "0,1\n1,0\n0,0\n",
                "m.csv, line 3, column 1: found row 3, expected 2 rows, as many as columns",
            ),
            (
                "0,1\n1\n",
                "m.csv, line 2, column 2: found 1 field, expected 2 as in the first row",
            ),
            (
                "0,1\n1,x\n",
                "m.csv, line 2, column 2: found `x`, expected a number such as 1.5 or 2e-3",
            ),
            (
                ",a,b\na,0,1\nc,1,0\n",
                "m.csv, line 3, column 1: found `c`, expected `b`, as the columns are named",
            ),
            (
                ",a,a\na,0,1\na,1,0\n",
                "graph: m.csv: node id `a` stands twice, as node 0 and node 1, \
                 expected an id of its own for every node",
            ),
            (
                "a,b\n",
                "m.csv, line 1, column 1: found names without a matrix, \
                 expected a row of numbers for every column",
            ),
            (
                "a,,b\n0,0,0\n0,0,0\n0,0,0\n",
                "m.csv, line 1, column 2: found an empty field, expected a node id",
            ),
        ] {
            assert_eq!(read(text).unwrap_err().to_string(), message, "{text:?}");
        }
    }

    #[test]
    fn entries_without_their_mirror_image_are_arcs() {
        let loaded = read(",a,b,c\na,0,1,3\nb,2,0,\nc,3,0,0\n").unwrap();
        let arcs = [(0, 1, 1.0), (0, 2, 3.0), (1, 0, 2.0), (2, 0, 3.0)];
        assert!(loaded.graph.arcs().triplets().eq(arcs));
        assert_eq!(loaded.notes, ["the edges have directions: 4 arcs"]);
        let options = ReadOptions {
            directed: Some(false),
            ..ReadOptions::default()
        };
        let refused = read_adjacency_from("0,1\n2,0\n".as_bytes(), "m.csv", &options).unwrap_err();
        assert_eq!(
            refused.to_string(),
            "m.csv: found edge (0, 1) with two weights, 1 and 2, \
             expected one weight; give a rule for repeated edges: sum, mean, max or first"
        );
    }

    #[test]
    fn a_wide_line_is_refused_before_anything_is_taken() {
        let options = ReadOptions {
            max_memory: Some(1 << 20),
            ..ReadOptions::default()
        };
        let wide = "0,".repeat(100_000) + "0\n";
        let refused = read_adjacency_from(wide.as_bytes(), "m.csv", &options).unwrap_err();
        assert!(
            matches!(refused, anchormatch::Error::Memory { .. }),
            "{refused}"
        );
    }
}
