//! Matrix Market (Boisvert, Pozo, Remington, *The Matrix Market Exchange Formats*, NISTIR 5935,
//! 1996): a graph as its adjacency matrix.
//!
//! Read are `coordinate` and `array` matrices that are square, `real`, `integer` or `pattern` (every
//! weight 1), and `general`, `symmetric` or `skew-symmetric`. Entries of a general matrix are arcs, unless
//! each stands with an equal mirror image; where directions are set aside, an entry may stand once or
//! twice, and when the two differ the rule for repeated edges decides, which by default is an error. A
//! skew-symmetric matrix says by its signs which way arcs run: their absolute values are the weights.
//! Complex matrices have no graph. Nodes are called 1, …, n as in the file.
//!
//! The header says how many nodes there are, and may lie: nothing is allocated before the entries
//! are in, and then the nodes are checked against the memory allowed.

mod header;
#[cfg(test)]
mod tests;

use std::io::{BufRead, Write};

use anchormatch::error::{Error, Result};
use anchormatch::graph::{Directions, Graph, GraphBuilder};
use header::{Banner, Size, Symmetry};

use super::dense::{add_matrix, transpose};
use super::fault::{fault, quoted};
use super::lines::Lines;
use super::links::{self, links};
use super::{Format, LoadedGraph, ReadOptions, finish};

/// Reads a Matrix Market file; `name` stands for the file in errors.
///
/// # Errors
/// When the header names a kind that has no graph, an entry is malformed or outside the
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
    let builder = GraphBuilder::counted_from(1, size.nodes).map_err(|_| {
        lines.fault(
            1,
            format!("{} rows", size.nodes),
            format!("at most {}", u32::MAX),
        )
    })?;
    let mut builder = options.following(builder, name);
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

/// Writes `graph` as `coordinate real symmetric`, or `general` when it is directed; nodes become their
/// numbers from 1.
///
/// # Errors
/// When `out` fails.
pub fn write_matrix_market(out: &mut (impl Write + ?Sized), graph: &Graph) -> std::io::Result<()> {
    let n = graph.node_count();
    let symmetry = if graph.is_directed() {
        "general"
    } else {
        "symmetric"
    };
    writeln!(out, "%%MatrixMarket matrix coordinate real {symmetry}")?;
    writeln!(out, "{n} {n} {}", links::count(graph))?;
    for (tail, head, weight) in links(graph) {
        // Of a symmetric matrix the half below the diagonal is written.
        let (row, column) = if graph.is_directed() {
            (tail, head)
        } else {
            (head, tail)
        };
        writeln!(out, "{} {} {weight}", row + 1, column + 1)?;
    }
    Ok(())
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
        size.check_room(lines, 1, u128::from(count))?;
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
            size.check_room(lines, k + 1, u128::from(count))?;
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
        // The rule for repeated edges takes entries as they come, column after column; arcs have ends.
        if options.directions() == Directions::Keep {
            transpose(&mut values, n);
        }
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
        _ => Err(lines.fault(column, quoted(word), format!("a node from 1 to {nodes}"))),
    }
}

fn number<R: BufRead>(lines: &Lines<R>, column: usize, word: &str) -> Result<f64> {
    match word.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(value),
        _ => Err(lines.fault(column, quoted(word), "a finite number")),
    }
}

fn no_more<R: BufRead>(lines: &Lines<R>, word: Option<&str>, wanted: usize) -> Result<()> {
    match word {
        None => Ok(()),
        Some(word) => Err(lines.fault(
            wanted + 1,
            quoted(word),
            format!("{wanted} numbers on this line"),
        )),
    }
}

/// A fault of the file as a whole.
fn cut<R: BufRead>(lines: &Lines<R>, found: &str, expected: &str) -> Error {
    fault(lines.file(), None, None, found, expected)
}
