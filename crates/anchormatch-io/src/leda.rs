//! LEDA's graph format, `.gw` (Mehlhorn, Näher, *LEDA*, Cambridge 1999), as igraph, GraphCrunch and
//! the network aligners write it.
//!
//! `LEDA.GRAPH`, the types of node and edge labels, −2 for undirected or −1 for directed (older
//! files leave it out), the number of nodes and a line `|{label}|` for each, the number of edges and
//! a line `source target reversal |{label}|` for each. Nodes are called by their labels where these
//! are distinct, else 1, …, n. An edge's label is its weight where it is a number; an empty one
//! means 1. Lines that begin with `#` are comments; a layout after the edges is passed over.

use std::io::{BufRead, Write};

use anchormatch::error::Result;
use anchormatch::graph::{Graph, Labels};

use super::fault::{fault, quoted, unwritable_id};
use super::lines::Lines;
use super::links::{self, links};
use super::{Format, LoadedGraph, ReadOptions, finish};

/// Reads a LEDA graph; `name` stands for the file in errors.
///
/// # Errors
/// When the header is another one, a line is malformed, nodes or edges are missing or left over, an
/// edge has two weights and no rule says how to merge them, or the graph would pass the memory
/// allowed.
///
/// # Complexity
/// O(bytes + |E| log |E|) time; beside the graph, the labels.
pub fn read_leda_from(
    reader: impl BufRead,
    name: &str,
    options: &ReadOptions,
) -> Result<LoadedGraph> {
    let mut lines = Lines::new(reader, name);
    advance(&mut lines, "LEDA.GRAPH")?;
    if lines.text().trim_ascii() != "LEDA.GRAPH" {
        return Err(lines.fault(1, quoted(lines.text()), "LEDA.GRAPH"));
    }
    advance(&mut lines, "the type of the nodes")?;
    advance(&mut lines, "the type of the edges")?;
    let has_numbers = matches!(
        lines.text().trim_ascii(),
        "int" | "short" | "long" | "float" | "double" | "unsigned" | "unsigned int"
    );
    advance(&mut lines, "-1 or -2, for directed or undirected")?;
    let directed = match lines.text().trim_ascii() {
        "-1" => true,
        "-2" => false,
        // An older file: this is the number of nodes already.
        _ => true,
    };
    if matches!(lines.text().trim_ascii(), "-1" | "-2") {
        advance(&mut lines, "the number of nodes")?;
    }
    let nodes = count(&lines, "the number of nodes")?;
    let mut builder = options.counted_builder(name, 1, nodes, Some((lines.number(), 1)))?;
    let mut labels = Vec::new();
    let mut held = 0;
    for found in 0..nodes {
        advance_to(&mut lines, found, nodes, "nodes")?;
        let label = label(&lines, 1, lines.text().trim_ascii())?;
        held += 128 + label.len() as u64;
        labels.push(label.to_owned());
        options.reserve_beside(name, &builder, held)?;
    }
    advance(&mut lines, "the number of edges")?;
    let edges = count(&lines, "the number of edges")?;
    let mut has_text = false;
    for found in 0..edges {
        advance_to(&mut lines, found, edges, "edges")?;
        let text = lines.text().trim_ascii();
        let label_at = text.find("|{").unwrap_or(text.len());
        let mut words = text[..label_at].split_ascii_whitespace();
        let mut end = |column: usize| {
            let word = words.next().unwrap_or_default();
            match word.parse::<u64>() {
                Ok(number) if (1..=nodes).contains(&number) => Ok((number - 1) as usize),
                _ => {
                    let wanted = format!("a node from 1 to {nodes}");
                    Err(lines.fault(column, quoted(word), wanted))
                }
            }
        };
        let (source, target) = (end(1)?, end(2)?);
        let reversal = words.next();
        if let Some(word) = words.next() {
            return Err(lines.fault(4, quoted(word), "|{label}|"));
        }
        let column = if reversal.is_some() { 4 } else { 3 };
        let label = label(&lines, column, &text[label_at..])?;
        let weight = match label.trim_ascii() {
            "" => 1.0,
            number => match number.parse::<f64>() {
                Ok(weight) if weight.is_finite() => weight,
                Err(_) if !has_numbers => {
                    has_text = true;
                    1.0
                }
                _ => return Err(lines.fault(column, quoted(number), "a finite number")),
            },
        };
        let line = Some(lines.number());
        if directed {
            builder.arc(source, target, weight, line)?;
        } else {
            builder.edge(source, target, weight, line)?;
        }
        options.reserve_beside(name, &builder, held)?;
    }
    let mut notes = Vec::new();
    if has_text {
        notes.push("edge labels that are no numbers were left aside: their weight is 1".to_owned());
    }
    while lines.advance()? {
        let text = lines.text().trim_ascii();
        if text.starts_with("GraphWin") {
            notes.push("the layout after the edges was passed over".to_owned());
            break;
        }
        if !text.is_empty() && !text.starts_with('#') {
            let wanted = format!("the end of the file after {edges} edges");
            return Err(lines.fault(1, quoted(text), wanted));
        }
    }
    let is_named = labels.iter().all(|label| !label.is_empty());
    let any = labels.iter().any(|label| !label.is_empty());
    let named = Labels::new(labels).ok().filter(|_| is_named);
    if any && named.is_none() {
        notes.push("labels were left aside: not every node has one of its own".to_owned());
    }
    finish(builder, name, Format::Leda, notes)?.named(named)
}

/// Writes `graph` as a LEDA graph, ids and weights as labels.
///
/// # Errors
/// When `out` fails, or an id is empty or holds a line break or `}|`, which ends a label.
pub fn write_leda(out: &mut (impl Write + ?Sized), graph: &Graph) -> std::io::Result<()> {
    let kind = if graph.is_directed() { -1 } else { -2 };
    let nodes = graph.node_count();
    writeln!(out, "LEDA.GRAPH\nstring\ndouble\n{kind}\n{nodes}")?;
    for id in graph.labels().iter() {
        if id.is_empty() || id.contains(['\n', '\0']) || id.contains("}|") {
            return Err(unwritable_id(&id, "line break or }|"));
        }
        writeln!(out, "|{{{id}}}|")?;
    }
    writeln!(out, "{}", links::count(graph))?;
    for (i, j, weight) in links(graph) {
        writeln!(out, "{} {} 0 |{{{weight}}}|", i + 1, j + 1)?;
    }
    Ok(())
}

/// Moves to the next line that is no comment and not blank, which must be there.
fn advance<R: BufRead>(lines: &mut Lines<R>, expected: &str) -> Result<()> {
    advance_or(lines, || ("the end of the file".into(), expected.into()))
}

/// [`advance`] to one of the `all` nodes or edges that the file announced.
fn advance_to<R: BufRead>(lines: &mut Lines<R>, found: u64, all: u64, what: &str) -> Result<()> {
    advance_or(lines, || {
        (
            format!("the end of the file after {found} {what}"),
            format!("the {all} that the file announces"),
        )
    })
}

/// [`advance`], or what is found and expected where there is no such line.
fn advance_or<R: BufRead>(
    lines: &mut Lines<R>,
    otherwise: impl Fn() -> (String, String),
) -> Result<()> {
    while lines.advance()? {
        let text = lines.text().trim_ascii();
        if !text.is_empty() && !text.starts_with('#') {
            return Ok(());
        }
    }
    let (line, (found, expected)) = (lines.number(), otherwise());
    let line = (line > 0).then_some(line);
    Err(fault(lines.file(), line, None, found, expected))
}

fn count<R: BufRead>(lines: &Lines<R>, expected: &str) -> Result<u64> {
    let text = lines.text().trim_ascii();
    text.parse()
        .map_err(|_| lines.fault(1, quoted(text), expected))
}

/// What stands between `|{` and the first `}|`, after which nothing may stand.
fn label<'t, R: BufRead>(lines: &Lines<R>, column: usize, text: &'t str) -> Result<&'t str> {
    text.strip_prefix("|{")
        .and_then(|rest| rest.split_once("}|"))
        .and_then(|(label, rest)| rest.is_empty().then_some(label))
        .ok_or_else(|| lines.fault(column, quoted(text), "|{label}|"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<LoadedGraph> {
        read_leda_from(text.as_bytes(), "g.gw", &ReadOptions::default())
    }

    #[test]
    fn dialects_are_read() {
        // igraph, with comments; an aligner's, with empty labels; an old one without a direction.
        let igraph = "LEDA.GRAPH\nstring\ndouble\n-2\n# Vertices\n3\n|{a}|\n|{b c}|\n|{d}|\n# Edges\n\
                      2\n1 2 0 |{2.5}|\n2 3 0 |{-1}|\n";
        let loaded = read(igraph).unwrap();
        assert!(loaded.graph.labels().iter().eq(["a", "b c", "d"]));
        assert_eq!(
            (loaded.graph.weight(0, 1), loaded.graph.weight(1, 2)),
            (2.5, -1.0)
        );
        assert!(loaded.notes.is_empty());

        let aligner = "LEDA.GRAPH\nstring\nshort\n-2\n2\n|{a}|\n|{b}|\n1\n1 2 0 |{}|\n";
        assert_eq!(read(aligner).unwrap().graph.weight(0, 1), 1.0);

        let old = "LEDA.GRAPH\nvoid\nvoid\n2\n|{}|\n|{}|\n1\n1 2 0 |{}|\nGraphWin 1.4\n0 0\n";
        let loaded = read(old).unwrap();
        assert!(loaded.graph.labels().iter().eq(["1", "2"]));
        assert!(loaded.graph.arcs().triplets().eq([(0, 1, 1.0)]));
        let passed_over = "the layout after the edges was passed over";
        assert_eq!(
            loaded.notes,
            [passed_over, "the edges have directions: 1 arc"]
        );
        let options = ReadOptions {
            directed: Some(false),
            ..ReadOptions::default()
        };
        let loaded = read_leda_from(old.as_bytes(), "g.gw", &options).unwrap();
        assert!(!loaded.graph.is_directed());
        assert_eq!(
            loaded.notes,
            [passed_over, "1 directed edge was read as undirected"]
        );

        let texts = "LEDA.GRAPH\nstring\nstring\n-2\n2\n|{a}|\n|{a}|\n1\n1 2 0 |{friends}|\n";
        let loaded = read(texts).unwrap();
        assert_eq!(loaded.graph.weight(0, 1), 1.0);
        assert_eq!(loaded.notes.len(), 2);
    }

    #[test]
    fn every_fault_has_its_message() {
        let head = "LEDA.GRAPH\nstring\nint\n-2\n";
        for (body, message) in [
            (
                "",
                "g.gw, line 4: found the end of the file, expected the number of nodes",
            ),
            (
                "x\n",
                "g.gw, line 5, column 1: found `x`, expected the number of nodes",
            ),
            (
                "2\n|{a}|\n",
                "g.gw, line 6: found the end of the file after 1 nodes, \
                 expected the 2 that the file announces",
            ),
            (
                "1\na\n",
                "g.gw, line 6, column 1: found `a`, expected |{label}|",
            ),
            (
                "1\n|{a}|{b}|\n",
                "g.gw, line 6, column 1: found `|{a}|{b}|`, expected |{label}|",
            ),
            (
                "1\n|{a}|\n1\n",
                "g.gw, line 7: found the end of the file after 0 edges, \
                 expected the 1 that the file announces",
            ),
            (
                "1\n|{a}|\n1\n1 2 0 |{}|\n",
                "g.gw, line 8, column 2: found `2`, expected a node from 1 to 1",
            ),
            (
                "1\n|{a}|\n1\n1 1 0 |{x}|\n",
                "g.gw, line 8, column 4: found `x`, expected a finite number",
            ),
            (
                "1\n|{a}|\n1\n1 1 0 0 |{}|\n",
                "g.gw, line 8, column 4: found `0`, expected |{label}|",
            ),
            (
                "1\n|{a}|\n0\n1 1 0 |{}|\n",
                "g.gw, line 8, column 1: found `1 1 0 |{}|`, expected the end of the file after 0 edges",
            ),
            (
                "0\n0\n",
                "g.gw, line 5, column 1: found 0 nodes, expected at least one",
            ),
        ] {
            let text = format!("{head}{body}");
            assert_eq!(read(&text).unwrap_err().to_string(), message, "{body:?}");
        }
        assert_eq!(
            read("graph").unwrap_err().to_string(),
            "g.gw, line 1, column 1: found `graph`, expected LEDA.GRAPH"
        );
        for nodes in ["1000000000000000000", "4000000000"] {
            assert!(read(&format!("{head}{nodes}\n|{{a}}|\n")).is_err());
        }
    }
}
