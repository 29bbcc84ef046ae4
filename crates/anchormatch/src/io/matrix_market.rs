//! Matrix Market (Boisvert, Pozo, Remington, *The Matrix Market Exchange Formats*, NISTIR 5935,
//! 1996): a graph as its adjacency matrix.
//!
//! Read are `coordinate` and `array` matrices that are square, `real`, `integer` or `pattern` (every
//! weight 1), and `general`, `symmetric` or `skew-symmetric`. A general matrix stands for undirected
//! edges all the same: an entry may stand once or with its mirror image, and when the two differ the
//! rule for repeated edges decides, which by default is an error. A skew-symmetric matrix says by
//! its signs which way edges run: their absolute values are the weights of edges that are counted as
//! directed. Complex matrices have no undirected graph. Nodes are called 1, …, n as in the file.
//!
//! The header says how many nodes there are, and may lie: nothing is allocated before the entries
//! are in, and then the nodes are checked against the memory allowed.

use std::io::{BufRead, Write};

use super::dense::add_matrix;
use super::fault::{fault, quoted};
use super::lines::Lines;
use super::{Format, LoadedGraph, ReadOptions, finish};
use crate::error::{Error, Result};
use crate::graph::{Graph, GraphBuilder};

/// Reads a Matrix Market file; `name` stands for the file in errors.
///
/// # Errors
/// When the header names a kind that has no undirected graph, an entry is malformed or outside the
/// matrix, entries are missing or left over, or the graph would pass the memory allowed.
///
/// # Complexity
/// O(bytes + |E| log |E|) time. A general array is held whole, n² numbers, until it has been compared
/// with its mirror image.
pub fn read_matrix_market_from(
    reader: impl BufRead,
    name: &str,
    options: &ReadOptions,
) -> Result<LoadedGraph> {
    let mut lines = Lines::new(reader, name);
    let banner = Banner::read(&mut lines)?;
    if !next_line(&mut lines)? {
        return Err(cut(&lines, "the end of the file", "the size of the matrix"));
    }
    let size = Size::read(&lines, &banner)?;
    let mut builder = GraphBuilder::counted_from(1, size.nodes)
        .map_err(|_| {
            line_fault(
                &lines,
                1,
                format!("{} rows", size.nodes),
                format!("at most {}", u32::MAX),
            )
        })?
        .duplicates(options.duplicates)
        .file(name);
    let entries = if banner.array {
        read_array(&mut lines, &banner, &size, options, &mut builder)?
    } else {
        read_entries(&mut lines, &banner, &size, options, &mut builder)?
    };
    options.reserve_nodes(name, size.nodes as u64, entries)?;
    let mut notes = Vec::new();
    if banner.symmetry == Symmetry::Skew {
        notes.push("skew-symmetric: the weights are absolute values".to_owned());
    }
    finish(builder, name, Format::MatrixMarket, notes)
}

/// Writes `graph` as `coordinate real symmetric`; nodes become their numbers from 1.
///
/// # Errors
/// When `out` fails.
pub fn write_matrix_market(out: &mut (impl Write + ?Sized), graph: &Graph) -> std::io::Result<()> {
    let n = graph.nodes();
    writeln!(out, "%%MatrixMarket matrix coordinate real symmetric")?;
    writeln!(out, "{n} {n} {}", graph.edges())?;
    for column in 0..n {
        for (row, weight) in graph.neighbours(column).filter(|&(row, _)| row > column) {
            writeln!(out, "{} {} {weight}", row + 1, column + 1)?;
        }
    }
    Ok(())
}

/// The kind of matrix that the first line announces.
struct Banner {
    array: bool,
    pattern: bool,
    symmetry: Symmetry,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Symmetry {
    General,
    Symmetric,
    Skew,
}

impl Banner {
    fn read<R: BufRead>(lines: &mut Lines<R>) -> Result<Self> {
        const WANTED: &str = "%%MatrixMarket matrix coordinate|array real|integer|pattern \
                              general|symmetric|skew-symmetric";
        if !lines.advance()? {
            return Err(cut(lines, "an empty file", WANTED));
        }
        let text = lines.text().to_lowercase();
        let words: Vec<&str> = text.split_ascii_whitespace().collect();
        let found = |column: usize, expected: &str| {
            let word = words.get(column).copied().unwrap_or_default();
            Err(line_fault(lines, column + 1, quoted(word), expected))
        };
        if words.first() != Some(&"%%matrixmarket") {
            return found(0, WANTED);
        }
        if words.get(1) != Some(&"matrix") {
            return found(1, "matrix");
        }
        let array = match words.get(2) {
            Some(&"coordinate") => false,
            Some(&"array") => true,
            _ => return found(2, "coordinate or array"),
        };
        let pattern = match words.get(3) {
            Some(&("real" | "double" | "integer")) => false,
            Some(&"pattern") if !array => true,
            Some(&"pattern") => {
                return found(3, "real or integer, because an array is nothing but values");
            }
            Some(&"complex") => {
                return found(
                    3,
                    "real, integer or pattern, because a weight is one real number",
                );
            }
            _ => return found(3, "real, integer or pattern"),
        };
        let symmetry = match words.get(4) {
            Some(&"general") => Symmetry::General,
            Some(&"symmetric") => Symmetry::Symmetric,
            Some(&"skew-symmetric") if !pattern => Symmetry::Skew,
            _ => return found(4, "general, symmetric or, with values, skew-symmetric"),
        };
        if words.len() > 5 {
            return found(5, "the end of the line");
        }
        Ok(Self {
            array,
            pattern,
            symmetry,
        })
    }
}

/// The size that the header announces.
struct Size {
    nodes: usize,
    /// How many numbers or entries follow; more than a file can hold is no reason to allocate.
    entries: u128,
    /// The line that says so.
    line: u64,
}

impl Size {
    fn read<R: BufRead>(lines: &Lines<R>, banner: &Banner) -> Result<Self> {
        let wanted = if banner.array { 2 } else { 3 };
        let mut numbers = [0u64; 3];
        let mut words = lines.text().split_ascii_whitespace();
        for (k, number) in numbers.iter_mut().take(wanted).enumerate() {
            let word = words.next().unwrap_or_default();
            let what = ["rows", "columns", "entries"][k];
            *number = word.parse().map_err(|_| {
                line_fault(lines, k + 1, quoted(word), format!("the number of {what}"))
            })?;
        }
        no_more(lines, words.next(), wanted)?;
        let [rows, columns, entries] = numbers;
        if rows != columns {
            return Err(fault(
                lines.file(),
                Some(lines.number()),
                None,
                format!("a {rows}×{columns} matrix"),
                "a square one, as the adjacency matrix of a graph is",
            ));
        }
        if rows == 0 {
            return Err(line_fault(lines, 1, "0 rows", "at least one node"));
        }
        let n = u128::from(rows);
        Ok(Self {
            nodes: usize::try_from(rows).unwrap_or(usize::MAX),
            entries: match (banner.array, banner.symmetry) {
                (false, _) => u128::from(entries),
                (true, Symmetry::General) => n * n,
                (true, Symmetry::Symmetric) => n * (n + 1) / 2,
                (true, Symmetry::Skew) => n * (n - 1) / 2,
            },
            line: lines.number(),
        })
    }

    /// Refuses a file that holds another number of entries than it announced.
    fn check_complete<R: BufRead>(&self, lines: &Lines<R>, found: u128) -> Result<()> {
        if found == self.entries {
            return Ok(());
        }
        let expected = format!("the {} that line {} announces", self.entries, self.line);
        let entries = if found == 1 { "entry" } else { "entries" };
        Err(cut(lines, &format!("{found} {entries}"), &expected))
    }

    /// Refuses an entry past those that were announced.
    fn check_room<R: BufRead>(&self, lines: &Lines<R>, before: u128) -> Result<()> {
        if before < self.entries {
            return Ok(());
        }
        Err(fault(
            lines.file(),
            Some(lines.number()),
            None,
            format!("entry {}", before + 1),
            format!("the {} that line {} announces", self.entries, self.line),
        ))
    }
}

/// Reads `row column [value]` lines into `builder`; returns how many there were.
fn read_entries<R: BufRead>(
    lines: &mut Lines<R>,
    banner: &Banner,
    size: &Size,
    options: &ReadOptions,
    builder: &mut GraphBuilder,
) -> Result<u64> {
    let mut count = 0u64;
    while next_line(lines)? {
        size.check_room(lines, u128::from(count))?;
        let mut words = lines.text().split_ascii_whitespace();
        let row = index(lines, 1, words.next(), size.nodes)?;
        let column = index(lines, 2, words.next(), size.nodes)?;
        let weight = if banner.pattern {
            1.0
        } else {
            number(lines, 3, words.next().unwrap_or_default())?
        };
        no_more(lines, words.next(), if banner.pattern { 2 } else { 3 })?;
        add(builder, banner, row, column, weight, lines.number())?;
        count += 1;
        options.reserve_graph(lines.file(), builder)?;
    }
    size.check_complete(lines, u128::from(count))?;
    Ok(count)
}

/// Reads the numbers of an array, column after column, into `builder`; returns how many there were.
fn read_array<R: BufRead>(
    lines: &mut Lines<R>,
    banner: &Banner,
    size: &Size,
    options: &ReadOptions,
    builder: &mut GraphBuilder,
) -> Result<u64> {
    let n = size.nodes;
    let general = banner.symmetry == Symmetry::General;
    if general {
        options.reserve_dense(lines.file(), n as u64)?;
    }
    let diagonal = usize::from(banner.symmetry == Symmetry::Skew);
    let mut count = 0u64;
    let (mut row, mut column) = (diagonal, 0);
    let mut values: Vec<f64> = Vec::new();
    while next_line(lines)? {
        for (k, word) in lines.text().split_ascii_whitespace().enumerate() {
            size.check_room(lines, u128::from(count))?;
            let value = number(lines, k + 1, word)?;
            count += 1;
            if general {
                values.push(value);
                continue;
            }
            // Zero is the weight of no edge: an array spells it out, a graph does not count it.
            if value != 0.0 {
                add(builder, banner, row, column, value, lines.number())?;
                options.reserve_graph(lines.file(), builder)?;
            }
            row += 1;
            if row == n {
                column += 1;
                row = column + diagonal;
            }
        }
    }
    size.check_complete(lines, u128::from(count))?;
    if general {
        add_matrix(builder, lines.file(), n, &values, options)?;
    }
    Ok(count)
}

/// Adds one entry as the kind of matrix has it.
fn add(
    builder: &mut GraphBuilder,
    banner: &Banner,
    row: usize,
    column: usize,
    value: f64,
    line: u64,
) -> Result<()> {
    match banner.symmetry {
        Symmetry::General => builder.entry(row, column, value, Some(line)),
        Symmetry::Symmetric => builder.edge(row, column, value, Some(line)),
        Symmetry::Skew if value < 0.0 => builder.arc(column, row, -value, Some(line)),
        Symmetry::Skew => builder.arc(row, column, value, Some(line)),
    }
}

/// Moves to the next line that is no comment and not blank; false at the end of the file.
fn next_line<R: BufRead>(lines: &mut Lines<R>) -> Result<bool> {
    while lines.advance()? {
        let text = lines.text().trim_ascii_start();
        if !text.is_empty() && !text.starts_with('%') {
            return Ok(true);
        }
    }
    Ok(false)
}

/// A row or column number, from 0.
fn index<R: BufRead>(
    lines: &Lines<R>,
    column: usize,
    word: Option<&str>,
    nodes: usize,
) -> Result<usize> {
    let word = word.unwrap_or_default();
    match word.parse::<usize>() {
        Ok(number) if (1..=nodes).contains(&number) => Ok(number - 1),
        _ => Err(line_fault(
            lines,
            column,
            quoted(word),
            format!("a node from 1 to {nodes}"),
        )),
    }
}

fn number<R: BufRead>(lines: &Lines<R>, column: usize, word: &str) -> Result<f64> {
    match word.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(value),
        _ => Err(line_fault(lines, column, quoted(word), "a finite number")),
    }
}

fn no_more<R: BufRead>(lines: &Lines<R>, word: Option<&str>, wanted: usize) -> Result<()> {
    match word {
        None => Ok(()),
        Some(word) => Err(line_fault(
            lines,
            wanted + 1,
            quoted(word),
            format!("{wanted} numbers on this line"),
        )),
    }
}

/// A fault in a word of the current line.
fn line_fault<R: BufRead>(
    lines: &Lines<R>,
    column: usize,
    found: impl Into<String>,
    expected: impl Into<String>,
) -> Error {
    let line = Some(lines.number());
    fault(lines.file(), line, Some(column), found, expected)
}

/// A fault of the file as a whole.
fn cut<R: BufRead>(lines: &Lines<R>, found: &str, expected: &str) -> Error {
    fault(lines.file(), None, None, found, expected)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<LoadedGraph> {
        read_matrix_market_from(text.as_bytes(), "m.mtx", &ReadOptions::default())
    }

    fn message(header: &str, body: &str) -> String {
        read(&format!("%%MatrixMarket matrix {header}\n{body}"))
            .unwrap_err()
            .to_string()
    }

    #[test]
    fn every_kind_gives_the_same_graph() {
        for text in [
            "%%MatrixMarket matrix coordinate real symmetric\n% c\n\n3 3 2\n2 1 2.5\n3 2 -1\n",
            "%%matrixmarket MATRIX Coordinate Real General\n3 3 2\n1 2 2.5\n3 2 -1\n",
            "%%MatrixMarket matrix coordinate real general\r\n3 3 4\r\n1 2 2.5\r\n2 1 2.5\r\n\
             3 2 -1\r\n2 3 -1\r\n",
            "%%MatrixMarket matrix array real symmetric\n3 3\n0\n2.5\n0\n0\n-1\n0\n",
            "%%MatrixMarket matrix array real general\n3 3\n0 2.5 0\n2.5 0 -1\n0 -1 0\n",
        ] {
            let graph = read(text).unwrap().graph;
            assert_eq!((graph.nodes(), graph.edges()), (3, 2), "{text}");
            assert_eq!((graph.weight(0, 1), graph.weight(1, 2)), (2.5, -1.0));
            assert_eq!(graph.labels().find("3"), Some(2));
            assert_eq!(graph.labels().find("0"), None);
        }
        let pattern = read("%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1\n");
        assert_eq!(pattern.unwrap().graph.weight(0, 1), 1.0);
        let integer = read("%%MatrixMarket matrix coordinate integer general\n2 2 1\n2 1 7\n");
        assert_eq!(integer.unwrap().graph.weight(0, 1), 7.0);
    }

    #[test]
    fn skew_symmetric_matrices_are_directed_edges_of_positive_weight() {
        for text in [
            "%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 2\n2 1 2.5\n3 2 -1\n",
            "%%MatrixMarket matrix array real skew-symmetric\n3 3\n2.5\n0\n-1\n",
        ] {
            let loaded = read(text).unwrap();
            let graph = loaded.graph;
            assert_eq!((graph.weight(0, 1), graph.weight(1, 2)), (2.5, 1.0));
            assert_eq!((graph.edges(), graph.cleaning().directed_edges), (2, 2));
            assert_eq!(loaded.notes.len(), 2);
        }
        let one = "%%MatrixMarket matrix array real skew-symmetric\n1 1\n";
        assert_eq!(read(one).unwrap().graph.nodes(), 1);
    }

    #[test]
    fn kinds_without_an_undirected_graph_say_why() {
        assert_eq!(
            message("coordinate complex general", ""),
            "m.mtx, line 1, column 4: found `complex`, expected real, integer or pattern, \
             because a weight is one real number"
        );
        assert_eq!(
            message("coordinate real hermitian", ""),
            "m.mtx, line 1, column 5: found `hermitian`, \
             expected general, symmetric or, with values, skew-symmetric"
        );
        assert_eq!(
            message("coordinate real general", "2 3 1\n1 2 1\n"),
            "m.mtx, line 2: found a 2×3 matrix, expected a square one, \
             as the adjacency matrix of a graph is"
        );
        assert!(message("array pattern general", "").contains("nothing but values"));
        assert!(message("coordinate real", "").contains("found nothing"));
        assert!(
            read("a,b,1\n")
                .unwrap_err()
                .to_string()
                .contains("found `a,b,1`")
        );
        assert!(read("").unwrap_err().to_string().contains("an empty file"));
    }

    #[test]
    fn entries_must_be_as_many_as_announced() {
        let header = "coordinate real symmetric";
        assert_eq!(
            message(header, "3 3 3\n2 1 1\n3 1 1\n"),
            "m.mtx: found 2 entries, expected the 3 that line 2 announces"
        );
        assert_eq!(
            message(header, "3 3 1\n2 1 1\n3 1 1\n"),
            "m.mtx, line 4: found entry 2, expected the 1 that line 2 announces"
        );
        assert_eq!(
            message("array real symmetric", "2 2\n0\n1\n"),
            "m.mtx: found 2 entries, expected the 3 that line 2 announces"
        );
        assert_eq!(
            message(header, ""),
            "m.mtx: found the end of the file, expected the size of the matrix"
        );
    }

    #[test]
    fn entries_are_checked_one_by_one() {
        let header = "coordinate real symmetric";
        assert_eq!(
            message(header, "3 3 1\n4 1 1\n"),
            "m.mtx, line 3, column 1: found `4`, expected a node from 1 to 3"
        );
        assert_eq!(
            message(header, "3 3 1\n1 0 1\n"),
            "m.mtx, line 3, column 2: found `0`, expected a node from 1 to 3"
        );
        assert_eq!(
            message(header, "3 3 1\n2 1\n"),
            "m.mtx, line 3, column 3: found nothing, expected a finite number"
        );
        assert_eq!(
            message(header, "3 3 1\n2 1 1 1\n"),
            "m.mtx, line 3, column 4: found `1`, expected 3 numbers on this line"
        );
        assert_eq!(
            message("coordinate real general", "3 3 2\n2 1 1\n1 2 4\n"),
            "m.mtx, line 4: found edge (1, 2) with two weights, 1 (line 3) and 4 (line 4), \
             expected one weight, or a rule for repeated edges: sum, mean, max or first"
        );
        assert_eq!(
            message("array real general", "2 2\n0\n1\n0\n0\n"),
            "m.mtx: found edge (1, 2) with two weights, 1 and 0, \
             expected one weight, or a rule for repeated edges: sum, mean, max or first"
        );
    }

    #[test]
    fn a_lying_header_costs_nothing() {
        let header = "coordinate real symmetric";
        assert_eq!(
            message(header, "3 3 1000000000000000000\n2 1 1\n"),
            "m.mtx: found 1 entry, expected the 1000000000000000000 that line 2 announces"
        );
        assert_eq!(
            message(header, "1000000000000 1000000000000 1\n2 1 1\n"),
            "m.mtx, line 2, column 1: found 1000000000000 rows, expected at most 4294967295"
        );
        let refused = message(header, "4000000000 4000000000 1\n2 1 1\n");
        assert!(
            refused.contains("a graph of 4000000000 nodes needs"),
            "{refused}"
        );
        let refused = message("array real general", "4000000000 4000000000\n1\n");
        assert!(refused.contains("a matrix of 4000000000×4000000000 numbers needs"));
        let short = message("array real general", "1000 1000\n1\n");
        assert!(
            short.contains("found 1 entry, expected the 1000000"),
            "{short}"
        );
        assert!(message(header, "99999999999999999999 1 1\n").contains("the number of rows"));
    }
}
