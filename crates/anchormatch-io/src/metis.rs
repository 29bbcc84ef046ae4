//! METIS's adjacency lists (Karypis, Kumar, *METIS: A Software Package for Partitioning Unstructured
//! Graphs*, manual of version 5.1, §4.1.1).
//!
//! The first line is `n m [fmt [ncon]]`; then a line for each node with its neighbours, numbered
//! from 1. The digits of `fmt` say whether a node's line begins with its size and its `ncon`
//! weights, which have no meaning here, and whether each neighbour is followed by the edge's weight.
//! Every edge stands twice, once on each end's line, so there are 2m neighbours: the format has no place for
//! directions. Lines that begin
//! with `%` are comments, and a blank line is a node without neighbours.

use std::io::{BufRead, Write};

use anchormatch::error::Result;
use anchormatch::graph::{Directions, Graph};

use super::fault::{fault, quoted, unwritable};
use super::lines::Lines;
use super::{Format, LoadedGraph, ReadOptions, finish};

/// The most bytes of a line: the neighbours of a hub.
const LONGEST_LINE: usize = 64 << 20;

/// Reads a METIS graph; `name` stands for the file in errors.
///
/// # Errors
/// When the header is malformed, a neighbour is out of range, nodes or neighbours are missing or
/// left over, an edge stands on the line of one of its ends alone, it has two weights and no rule says how to merge them, or the graph would pass
/// the memory allowed.
///
/// # Complexity
/// O(bytes + |E| log |E|) time; beside the graph, one line of memory.
pub fn read_metis_from(
    reader: impl BufRead,
    name: &str,
    options: &ReadOptions,
) -> Result<LoadedGraph> {
    let mut lines = Lines::new(reader, name).longest(LONGEST_LINE);
    let header = Header::read(&mut lines)?;
    let builder = options.counted_builder(name, 1, header.nodes, Some((header.line, 1)))?;
    let mut builder = builder.directions(Directions::Ignore);
    let mut neighbours = 0u64;
    for node in 0..builder.node_count() {
        if !advance(&mut lines, false)? {
            let wanted = format!("the {} that line {} announces", header.nodes, header.line);
            let found = format!("the end of the file after {node} nodes");
            return Err(fault(name, Some(lines.number()), None, found, wanted));
        }
        let line = lines.number();
        let mut words = lines.text().split_ascii_whitespace().enumerate();
        for _ in 0..header.node_numbers {
            let (column, word) = words.next().unwrap_or_default();
            number(&lines, column + 1, word)?;
        }
        while let Some((column, word)) = words.next() {
            let neighbour = match word.parse::<u64>() {
                Ok(number) if (1..=header.nodes).contains(&number) => (number - 1) as usize,
                _ => {
                    let wanted = format!("a node from 1 to {}", header.nodes);
                    return Err(lines.fault(column + 1, quoted(word), wanted));
                }
            };
            let weight = if header.has_weights {
                let (column, word) = words.next().unwrap_or((column + 1, ""));
                let weight = number(&lines, column + 1, word)?;
                if !is_weight(weight) {
                    let wanted = "a positive whole number, as METIS has them";
                    return Err(lines.fault(column + 1, quoted(word), wanted));
                }
                weight
            } else {
                1.0
            };
            builder.entry(node, neighbour, weight, Some(line))?;
            neighbours += 1;
            options.reserve_graph(name, &builder)?;
        }
        // Nodes cost nothing before the end, but each has taken a line of the file.
    }
    if header.edges.checked_mul(2) != Some(neighbours) {
        let found = format!("{neighbours} neighbours");
        let wanted = format!(
            "two for each of the {} edges that line {} announces",
            header.edges, header.line
        );
        return Err(fault(name, None, None, found, wanted));
    }
    if advance(&mut lines, true)? {
        let wanted = format!("the end of the file after {} nodes", header.nodes);
        return Err(lines.fault(1, quoted(lines.text()), wanted));
    }
    let loaded = finish(builder, name, Format::Metis, Vec::new())?;
    let alone = loaded.graph.cleaning().directed_edges;
    if alone > 0 {
        let found = format!("neighbours that do not name each other, {alone} of {neighbours}");
        let wanted = "every edge on the lines of both of its ends";
        return Err(fault(name, None, None, found, wanted));
    }
    Ok(loaded)
}

/// Writes `graph` for METIS; nodes become their numbers from 1.
///
/// # Errors
/// When `out` fails, the graph is directed, or a weight is no positive whole number: METIS has no place for
/// directions and no other weights.
pub fn write_metis(out: &mut (impl Write + ?Sized), graph: &Graph) -> std::io::Result<()> {
    if graph.is_directed() {
        return Err(unwritable(
            "found edges with directions, expected an undirected graph: METIS has no place for directions",
        ));
    }
    let weights = || (0..graph.node_count()).flat_map(|i| graph.neighbours(i).map(|(_, w)| w));
    if let Some(bad) = weights().find(|&w| !is_weight(w)) {
        return Err(unwritable(format!(
            "found the weight {bad}, expected positive whole numbers, as METIS has them"
        )));
    }
    let is_weighted = weights().any(|w| w != 1.0);
    let format = if is_weighted { " 001" } else { "" };
    writeln!(out, "{} {}{format}", graph.node_count(), graph.edge_count())?;
    for i in 0..graph.node_count() {
        for (k, (j, weight)) in graph.neighbours(i).enumerate() {
            let gap = if k == 0 { "" } else { " " };
            write!(out, "{gap}{}", j + 1)?;
            if is_weighted {
                write!(out, " {weight}")?;
            }
        }
        writeln!(out)?;
    }
    Ok(())
}

/// What the first line says.
struct Header {
    nodes: u64,
    edges: u64,
    /// Numbers at the beginning of a node's line that have no meaning here.
    node_numbers: u64,
    has_weights: bool,
    line: u64,
}

impl Header {
    fn read<R: BufRead>(lines: &mut Lines<R>) -> Result<Self> {
        if !advance(lines, true)? {
            let wanted = "the numbers of nodes and edges";
            return Err(fault(lines.file(), None, None, "no line", wanted));
        }
        let words: Vec<&str> = lines.text().split_ascii_whitespace().take(5).collect();
        let count = |column: usize, what: &str| {
            let word = words.get(column).copied().unwrap_or_default();
            word.parse::<u64>()
                .map_err(|_| lines.fault(column + 1, quoted(word), what))
        };
        let nodes = count(0, "the number of nodes")?;
        let edges = count(1, "the number of edges")?;
        let format = words.get(2).copied().unwrap_or("0");
        let is_format = format.len() <= 3 && format.bytes().all(|b| matches!(b, b'0' | b'1'));
        if !is_format {
            let wanted = "up to three digits 0 or 1: sizes, node weights, edge weights";
            return Err(lines.fault(3, quoted(format), wanted));
        }
        let digit = |place: usize| format.bytes().rev().nth(place) == Some(b'1');
        let constraints = match words.get(3) {
            Some(_) => count(3, "the number of weights of a node")?,
            None => 1,
        };
        if constraints > 1000 || words.len() > 4 {
            let wanted = "n m [fmt [ncon]], with ncon at most 1000";
            return Err(lines.fault(words.len(), quoted(lines.text()), wanted));
        }
        Ok(Self {
            nodes,
            edges,
            node_numbers: u64::from(digit(2)) + if digit(1) { constraints } else { 0 },
            has_weights: digit(0),
            line: lines.number(),
        })
    }
}

/// Moves to the next line that is no comment; false at the end of the file.
fn advance<R: BufRead>(lines: &mut Lines<R>, skip_blank: bool) -> Result<bool> {
    while lines.advance()? {
        let text = lines.text().trim_ascii_start();
        let is_skipped = text.starts_with('%') || (skip_blank && text.is_empty());
        if !is_skipped {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether METIS takes it for the weight of an edge.
fn is_weight(value: f64) -> bool {
    value >= 1.0 && value.fract() == 0.0
}

fn number<R: BufRead>(lines: &Lines<R>, column: usize, word: &str) -> Result<f64> {
    match word.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(value),
        _ => Err(lines.fault(column, quoted(word), "a finite number")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<LoadedGraph> {
        read_metis_from(text.as_bytes(), "m.graph", &ReadOptions::default())
    }

    #[test]
    fn the_manuals_kinds_of_files_are_read() {
        for text in [
            "% c\n4 2\n2 3\n1\n1\n\n",
            "4 2 0\n 2 3 \n% c\n1\n1\n\n",
            "4 2 1\n2 1 3 1\n1 1\n1 1\n\n\n\n",
            "4 2 010 2\n7 7 2 3\n7 7 1\n7 7 1\n7 7\n",
            "4 2 111\n9 7 2 1 3 1\n9 7 1 1\n9 7 1 1\n9 7\n",
        ] {
            let loaded = read(text).unwrap();
            assert_eq!(
                (loaded.graph.node_count(), loaded.graph.edge_count()),
                (4, 2),
                "{text}"
            );
            assert_eq!(
                (loaded.graph.weight(0, 1), loaded.graph.weight(0, 2)),
                (1.0, 1.0)
            );
            assert!(loaded.graph.labels().iter().eq(["1", "2", "3", "4"]));
            assert!(loaded.notes.is_empty(), "{:?}", loaded.notes);
        }
        let weighted = read("2 1 1\n2 7\n1 7\n").unwrap();
        assert_eq!(weighted.graph.weight(0, 1), 7.0);
    }

    #[test]
    fn every_fault_has_its_message() {
        for (text, message) in [
            (
                "",
                "m.graph: found no line, expected the numbers of nodes and edges",
            ),
            (
                "2 x\n",
                "m.graph, line 1, column 2: found `x`, expected the number of edges",
            ),
            (
                "2 1 2\n",
                "m.graph, line 1, column 3: found `2`, \
                 expected up to three digits 0 or 1: sizes, node weights, edge weights",
            ),
            (
                "2 1\n2\n",
                "m.graph, line 2: found the end of the file after 1 nodes, \
                 expected the 2 that line 1 announces",
            ),
            (
                "2 1 1\n2 .4\n1 .4\n",
                "m.graph, line 2, column 2: found `.4`, \
                 expected a positive whole number, as METIS has them",
            ),
            (
                "2 1\n2\n3\n",
                "m.graph, line 3, column 1: found `3`, expected a node from 1 to 2",
            ),
            (
                "2 1\n2\n\n",
                "m.graph: found 1 neighbours, \
                 expected two for each of the 1 edges that line 1 announces",
            ),
            (
                "3 1\n2 3\n\n\n",
                "m.graph: found neighbours that do not name each other, 2 of 2, \
                 expected every edge on the lines of both of its ends",
            ),
            (
                "2 1 1\n2 1\n1\n",
                "m.graph, line 3, column 2: found nothing, expected a finite number",
            ),
            (
                "2 1\n2\n1\n1\n",
                "m.graph, line 4, column 1: found `1`, expected the end of the file after 2 nodes",
            ),
            (
                "2 1 1\n2 1\n1 2\n",
                "m.graph, line 3: found edge (1, 2) with two weights, 1 (line 2) and 2 (line 3), \
                 expected one weight; give a rule for repeated edges: sum, mean, max or first",
            ),
        ] {
            assert_eq!(read(text).unwrap_err().to_string(), message, "{text:?}");
        }
        for header in [
            "1000000000000000000 1",
            "4000000000 1",
            "2 18446744073709551615",
        ] {
            assert!(read(&format!("{header}\n2\n1\n")).is_err());
        }
    }

    #[test]
    fn no_reading_gives_its_edges_directions() {
        for directed in [None, Some(true), Some(false)] {
            let options = ReadOptions {
                directed,
                ..ReadOptions::default()
            };
            let read = |text: &str| read_metis_from(text.as_bytes(), "m.graph", &options);
            assert!(!read("2 1\n2\n1\n").unwrap().graph.is_directed());
            assert!(read("2 1 1\n2 1\n1 2\n").is_err());
            assert!(read("3 1\n2 3\n\n\n").is_err());
        }
    }

    #[test]
    fn directions_are_not_written() {
        let graph = Graph::from_arcs(2, &[(0, 1, 1.0)]).unwrap();
        let refused = write_metis(&mut Vec::new(), &graph).unwrap_err();
        assert!(
            refused
                .to_string()
                .ends_with("METIS has no place for directions")
        );
    }

    #[test]
    fn other_weights_are_not_written() {
        for weight in [0.5, -1.0] {
            let graph = Graph::from_edges(2, &[(0, 1, weight)]).unwrap();
            assert!(write_metis(&mut Vec::new(), &graph).is_err());
        }
    }
}
