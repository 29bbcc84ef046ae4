//! Pajek's `.net` (Batagelj, Mrvar, *Pajek: Analysis and Visualization of Large Networks*, 2004).
//!
//! `*Vertices n` and a line `number "label" [x y [z]]` for each vertex that has a label, then
//! `*Edges` (undirected) and `*Arcs` (directed, which is counted) with lines `u v [weight]`,
//! `*Edgeslist` and `*Arcslist` with lines `u v₁ v₂ …`, or `*Matrix` with n rows of n numbers.
//! Several relations are merged like repeated edges. Vertices are called by their labels where these
//! are distinct, else by their numbers. Lines that begin with `%` are comments; what follows a
//! weight is passed over, and so are sections of other kinds.

use std::io::{BufRead, Write};

use super::dense::add_matrix;
use super::fault::{fault, quoted};
use super::lines::Lines;
use super::points::check_positions;
use super::positions::{coordinate, gathered};
use super::{Format, LoadedGraph, ReadOptions, finish};
use crate::error::{Error, Result};
use crate::graph::{Graph, GraphBuilder, Labels};
use crate::linalg::Matrix;

/// The most bytes of a line: a row of a matrix, or the neighbours of a hub.
const LONGEST_LINE: usize = 64 << 20;

/// What a vertex with a label takes beside its text.
const LABEL_BYTES: u64 = 128;

/// Reads a Pajek network; `name` stands for the file in errors.
///
/// # Errors
/// When a section is malformed or cut, a vertex is out of range or labelled twice, a weight is no
/// finite number, an edge has two weights and no rule says how to merge them, or the graph would
/// pass the memory allowed.
///
/// # Complexity
/// O(bytes + |E| log |E|) time; a `*Matrix` is held whole.
pub fn read_pajek_from(
    reader: impl BufRead,
    name: &str,
    options: &ReadOptions,
) -> Result<LoadedGraph> {
    let mut lines = Lines::new(reader, name).longest(LONGEST_LINE);
    let mut network: Option<Network<'_>> = None;
    let mut section = Section::Start;
    let mut notes = Vec::new();
    while lines.advance()? {
        let text = lines.text().trim_ascii();
        if text.is_empty() || text.starts_with('%') {
            continue;
        }
        if let Some(header) = text.strip_prefix('*') {
            if let (Section::Matrix, Some(network)) = (section, &mut network) {
                network.end_matrix()?;
            }
            section = Section::of(header);
            match (section, &mut network) {
                (Section::Vertices, None) => {
                    network = Some(Network::new(&lines, name, options)?);
                }
                (Section::Vertices, Some(_)) => {
                    let expected = "one network in a file";
                    return Err(at(&lines, 1, "a second *Vertices", expected));
                }
                (Section::Skipped, _) if notes.len() < 10 => {
                    let word = header.split_ascii_whitespace().next().unwrap_or_default();
                    notes.push(format!("the section {} was passed over", quoted(word)));
                }
                (Section::Start | Section::Skipped, _) | (_, Some(_)) => {}
                (_, None) => {
                    return Err(at(
                        &lines,
                        1,
                        quoted(text),
                        "*Vertices and their number first",
                    ));
                }
            }
            continue;
        }
        match (section, &mut network) {
            (Section::Skipped, _) => {}
            (Section::Vertices, Some(network)) => network.vertex(&lines)?,
            (Section::Pairs { directed }, Some(network)) => network.pair(&lines, directed)?,
            (Section::Lists { directed }, Some(network)) => network.list(&lines, directed)?,
            (Section::Matrix, Some(network)) => network.row(&lines)?,
            (Section::Start, _) | (_, None) => {
                return Err(at(
                    &lines,
                    1,
                    quoted(text),
                    "*Vertices and their number first",
                ));
            }
        }
    }
    let Some(mut network) = network else {
        return Err(fault(name, None, None, "no *Vertices", "a Pajek network"));
    };
    if section == Section::Matrix {
        network.end_matrix()?;
    }
    network.finish(notes)
}

/// Writes `graph` as a Pajek network, with `positions` as coordinates.
///
/// # Errors
/// When `out` fails, the positions do not fit the graph, or an id is empty or holds a line break.
pub fn write_pajek(
    out: &mut (impl Write + ?Sized),
    graph: &Graph,
    positions: Option<&Matrix>,
) -> std::io::Result<()> {
    if let Some(positions) = positions {
        check_positions(graph.nodes(), positions)?;
    }
    writeln!(out, "*Vertices {}", graph.nodes())?;
    for (i, id) in graph.labels().iter().enumerate() {
        if id.is_empty() || id.contains(['\n', '\0']) {
            return Err(std::io::Error::new(
                std::io::ErrorKind::InvalidInput,
                format!(
                    "found the id {}, expected one that is not empty and has no line break",
                    quoted(&id)
                ),
            ));
        }
        let escaped = id.replace('\\', "\\\\").replace('"', "\\\"");
        write!(out, "{} \"{escaped}\"", i + 1)?;
        for value in positions.iter().flat_map(|positions| positions.row(i)) {
            write!(out, " {value}")?;
        }
        writeln!(out)?;
    }
    writeln!(out, "*Edges")?;
    for i in 0..graph.nodes() {
        for (j, weight) in graph.neighbours(i).filter(|&(j, _)| j > i) {
            writeln!(out, "{} {} {weight}", i + 1, j + 1)?;
        }
    }
    Ok(())
}

/// The part of the file that the reader is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Section {
    Start,
    Vertices,
    Pairs { directed: bool },
    Lists { directed: bool },
    Matrix,
    Skipped,
}

impl Section {
    fn of(header: &str) -> Self {
        let word = header
            .split(|c: char| c.is_ascii_whitespace() || c == ':')
            .next()
            .unwrap_or_default();
        match word.to_ascii_lowercase().as_str() {
            "vertices" => Self::Vertices,
            "edges" => Self::Pairs { directed: false },
            "arcs" => Self::Pairs { directed: true },
            "edgeslist" => Self::Lists { directed: false },
            "arcslist" => Self::Lists { directed: true },
            "matrix" => Self::Matrix,
            "network" => Self::Start,
            _ => Self::Skipped,
        }
    }
}

/// What the file has said so far.
struct Network<'a> {
    name: &'a str,
    options: &'a ReadOptions,
    nodes: usize,
    builder: GraphBuilder,
    entries: u64,
    /// Labels and places by vertex, only for the vertices that have a line.
    labels: Vec<(u32, String)>,
    places: Vec<(u32, [Option<f64>; 3])>,
    held: u64,
    values: Vec<f64>,
}

impl<'a> Network<'a> {
    /// The network that `*Vertices n` opens.
    fn new<R: BufRead>(lines: &Lines<R>, name: &'a str, options: &'a ReadOptions) -> Result<Self> {
        let mut words = lines.text().split_ascii_whitespace().skip(1);
        let word = words.next().unwrap_or_default();
        let Ok(nodes) = word.parse::<u64>() else {
            return Err(at(lines, 2, quoted(word), "the number of vertices"));
        };
        let builder = options.counted_builder(name, 1, nodes, Some(lines.number()))?;
        Ok(Self {
            name,
            options,
            nodes: builder.nodes(),
            builder,
            entries: 0,
            labels: Vec::new(),
            places: Vec::new(),
            held: 0,
            values: Vec::new(),
        })
    }

    /// A line `number "label" [x y [z]] …`.
    fn vertex<R: BufRead>(&mut self, lines: &Lines<R>) -> Result<()> {
        let text = lines.text().trim_ascii();
        let (word, rest) = split_word(text);
        let vertex = self.index(lines, 1, word)? as u32;
        let rest = rest.trim_ascii_start();
        let (label, rest) = match rest.strip_prefix('"') {
            Some(inside) => unquote(inside)
                .ok_or_else(|| at(lines, 2, quoted(rest), "a closing quote on the same line"))?,
            None => {
                let (word, rest) = split_word(rest);
                (word.to_owned(), rest)
            }
        };
        let mut place = [None; 3];
        for (slot, word) in place.iter_mut().zip(rest.split_ascii_whitespace()) {
            *slot = coordinate(word);
            if slot.is_none() {
                break;
            }
        }
        self.entries += 1;
        self.held += 64 + 2 * label.len() as u64;
        if !label.is_empty() {
            self.labels.push((vertex, label));
        }
        if place[0].is_some() {
            self.places.push((vertex, place));
        }
        self.check()
    }

    /// A line `u v [weight] …`.
    fn pair<R: BufRead>(&mut self, lines: &Lines<R>, directed: bool) -> Result<()> {
        let mut words = lines.text().split_ascii_whitespace();
        let source = self.index(lines, 1, words.next().unwrap_or_default())?;
        let target = self.index(lines, 2, words.next().unwrap_or_default())?;
        let weight = match words.next() {
            None => 1.0,
            Some(word) => match word.parse::<f64>() {
                Ok(weight) if weight.is_finite() => weight,
                // What is neither a number nor close to one describes the line: no weight.
                Err(_) if word.starts_with(|c: char| c.is_alphabetic() || c == '[') => 1.0,
                _ => return Err(at(lines, 3, quoted(word), "a finite number")),
            },
        };
        self.edge(lines, source, target, weight, directed)
    }

    /// A line `u v₁ v₂ …`.
    fn list<R: BufRead>(&mut self, lines: &Lines<R>, directed: bool) -> Result<()> {
        let mut words = lines.text().split_ascii_whitespace();
        let source = self.index(lines, 1, words.next().unwrap_or_default())?;
        for (k, word) in words.enumerate() {
            let target = self.index(lines, k + 2, word)?;
            self.edge(lines, source, target, 1.0, directed)?;
        }
        Ok(())
    }

    fn edge<R: BufRead>(
        &mut self,
        lines: &Lines<R>,
        source: usize,
        target: usize,
        weight: f64,
        directed: bool,
    ) -> Result<()> {
        let line = Some(lines.number());
        if directed {
            self.builder.arc(source, target, weight, line)?;
        } else {
            self.builder.edge(source, target, weight, line)?;
        }
        self.entries += 1;
        self.check()
    }

    /// A line of a matrix, or a part of it.
    fn row<R: BufRead>(&mut self, lines: &Lines<R>) -> Result<()> {
        if self.values.is_empty() {
            self.options.reserve_dense(self.name, self.nodes as u64)?;
        }
        let room = self.nodes as u64 * self.nodes as u64;
        for (k, word) in lines.text().split_ascii_whitespace().enumerate() {
            match word.parse::<f64>() {
                Ok(value) if value.is_finite() => self.values.push(value),
                _ => return Err(at(lines, k + 1, quoted(word), "a finite number")),
            }
            if self.values.len() as u64 > room {
                let wanted = format!("the end of a matrix of {room} numbers");
                return Err(at(lines, k + 1, quoted(word), wanted));
            }
        }
        Ok(())
    }

    fn end_matrix(&mut self) -> Result<()> {
        let values = std::mem::take(&mut self.values);
        let room = self.nodes as u64 * self.nodes as u64;
        if values.len() as u64 != room {
            let found = format!("a *Matrix of {} numbers", values.len());
            let wanted = format!("{room}, for {} vertices", self.nodes);
            return Err(fault(self.name, None, None, found, wanted));
        }
        self.entries += room;
        add_matrix(
            &mut self.builder,
            self.name,
            self.nodes,
            &values,
            self.options,
        )
    }

    /// A vertex, from 0.
    fn index<R: BufRead>(&self, lines: &Lines<R>, column: usize, word: &str) -> Result<usize> {
        match word.parse::<usize>() {
            Ok(number) if (1..=self.nodes).contains(&number) => Ok(number - 1),
            _ => {
                let wanted = format!("a vertex from 1 to {}", self.nodes);
                Err(at(lines, column, quoted(word), wanted))
            }
        }
    }

    fn check(&self) -> Result<()> {
        self.options
            .reserve_beside(self.name, &self.builder, self.held)
    }

    fn finish(mut self, mut notes: Vec<String>) -> Result<LoadedGraph> {
        let nodes = self.nodes as u64;
        self.options.reserve_nodes(self.name, nodes, self.entries)?;
        let mut labels = None;
        if !self.labels.is_empty() {
            self.options
                .reserve_nodes_of(self.name, nodes, LABEL_BYTES, self.entries)?;
            let mut names: Vec<String> = (1..=self.nodes).map(|i| i.to_string()).collect();
            for (vertex, label) in self.labels.drain(..) {
                names[vertex as usize] = label;
            }
            match Labels::new(names) {
                Ok(distinct) => labels = Some(distinct),
                Err(_) => notes.push(
                    "labels were left aside, because they are not distinct: vertices are called \
                     by their numbers"
                        .to_owned(),
                ),
            }
        }
        let mut positions = None;
        // Writers without a layout write zeros.
        let mut told = self
            .places
            .iter()
            .flat_map(|(_, place)| place.iter().flatten());
        if self.places.len() >= self.nodes && told.any(|&value| value != 0.0) {
            let mut places = vec![[None; 3]; self.nodes];
            for &(vertex, place) in &self.places {
                places[vertex as usize] = place;
            }
            positions = gathered(&places, &mut notes);
        }
        let mut loaded = finish(self.builder, self.name, Format::Pajek, notes)?;
        if let Some(labels) = labels {
            loaded.graph = loaded.graph.with_labels(labels)?;
        }
        Ok(LoadedGraph {
            positions,
            ..loaded
        })
    }
}

/// The first word of `text` and what follows it.
fn split_word(text: &str) -> (&str, &str) {
    let end = text
        .find(|c: char| c.is_ascii_whitespace())
        .unwrap_or(text.len());
    text.split_at(end)
}

/// The text up to the closing quote, and what follows it; `\\"` and `\\\\` stand for `"` and `\\`.
fn unquote(inside: &str) -> Option<(String, &str)> {
    let mut label = String::new();
    let mut characters = inside.char_indices().peekable();
    while let Some((at, c)) = characters.next() {
        match c {
            '"' => return Some((label, &inside[at + 1..])),
            '\\' => match characters.next_if(|&(_, next)| matches!(next, '"' | '\\')) {
                Some((_, escaped)) => label.push(escaped),
                None => label.push('\\'),
            },
            other => label.push(other),
        }
    }
    None
}

/// A fault in a word of the current line.
fn at<R: BufRead>(
    lines: &Lines<R>,
    column: usize,
    found: impl Into<String>,
    expected: impl Into<String>,
) -> Error {
    let line = Some(lines.number());
    fault(lines.file(), line, Some(column), found, expected)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<LoadedGraph> {
        read_pajek_from(text.as_bytes(), "p.net", &ReadOptions::default())
    }

    #[test]
    fn sections_of_every_kind_give_the_same_graph() {
        for text in [
            "*Vertices 3\n1 \"a\"\n2 \"b c\"\n3 \"3\"\n*Edges\n1 2 1\n3 2 1\n",
            "% c\n*network x\r\n*vertices 3 1\r\n1 a 0.0 0.0 ellipse\r\n2 \"b c\" 0.0 0.0\r\n\
             3 3 0.0 0.0\r\n*arcs\r\n1 2\r\n3 2 1.0 l \"x\"\r\n",
            "*Vertices 3\n1 a\n2 \"b c\"\n*Edgeslist\n2 1 3\n",
            "*Vertices 3\n1 a\n2 \"b c\"\n*Arcslist\n1 2\n3 2\n*Partition x\n1\n1\n1\n",
            "*Vertices 3\n1 a\n2 \"b c\"\n*Matrix\n0 1 0\n1 0 1\n0 1 0\n",
        ] {
            let loaded = read(text).unwrap();
            assert!(loaded.graph.labels().iter().eq(["a", "b c", "3"]), "{text}");
            assert_eq!(loaded.graph.edges(), 2, "{text}");
            assert_eq!(
                (loaded.graph.weight(0, 1), loaded.graph.weight(1, 2)),
                (1.0, 1.0)
            );
            assert!(loaded.positions.is_none());
        }
        let arcs = read("*Vertices 2\n*Arcs :1 \"r\"\n1 2 3\n2 1 3\n").unwrap();
        assert_eq!(arcs.graph.labels().find("2"), Some(1));
        assert_eq!(
            arcs.notes,
            [
                "2 directed edges were read as undirected",
                "1 pair of opposite edges was merged"
            ]
        );
    }

    #[test]
    fn labels_and_places_are_kept_where_they_can_be() {
        let loaded = read("*Vertices 2\n2 \"a\\\"\\\\\" 0.5 1\n1 \"b\" 0 2\n").unwrap();
        assert!(loaded.graph.labels().iter().eq(["b", "a\"\\"]));
        assert_eq!(loaded.positions.unwrap().as_slice(), [0.0, 2.0, 0.5, 1.0]);
        let twice = read("*Vertices 3\n1 \"a\"\n2 \"a\"\n*Edges\n1 3\n").unwrap();
        assert!(twice.graph.labels().iter().eq(["1", "2", "3"]));
        assert!(twice.notes[0].contains("not distinct"));
    }

    #[test]
    fn every_fault_has_its_message() {
        for (text, message) in [
            ("", "p.net: found no *Vertices, expected a Pajek network"),
            (
                "1 2\n",
                "p.net, line 1, column 1: found `1 2`, expected *Vertices and their number first",
            ),
            (
                "*Edges\n1 2\n",
                "p.net, line 1, column 1: found `*Edges`, expected *Vertices and their number first",
            ),
            (
                "*Vertices many\n",
                "p.net, line 1, column 2: found `many`, expected the number of vertices",
            ),
            (
                "*Vertices 0\n",
                "p.net, line 1: found 0 nodes, expected at least one",
            ),
            (
                "*Vertices 2\n3 \"x\"\n",
                "p.net, line 2, column 1: found `3`, expected a vertex from 1 to 2",
            ),
            (
                "*Vertices 2\n1 \"x\n",
                "p.net, line 2, column 2: found `\"x`, expected a closing quote on the same line",
            ),
            (
                "*Vertices 2\n*Edges\n1\n",
                "p.net, line 3, column 2: found nothing, expected a vertex from 1 to 2",
            ),
            (
                "*Vertices 2\n*Edges\n1 2 1,5\n",
                "p.net, line 3, column 3: found `1,5`, expected a finite number",
            ),
            (
                "*Vertices 2\n*Edges\n1 2 nan\n",
                "p.net, line 3, column 3: found `nan`, expected a finite number",
            ),
            (
                "*Vertices 2\n*Matrix\n0 1\n1\n",
                "p.net: found a *Matrix of 3 numbers, expected 4, for 2 vertices",
            ),
            (
                "*Vertices 1\n*Vertices 1\n",
                "p.net, line 2, column 1: found a second *Vertices, expected one network in a file",
            ),
        ] {
            assert_eq!(read(text).unwrap_err().to_string(), message, "{text:?}");
        }
    }

    #[test]
    fn a_lying_header_costs_nothing() {
        for text in [
            "*Vertices 1000000000000000000\n1 \"a\"\n",
            "*Vertices 4000000000\n1 \"a\"\n",
            "*Vertices 4000000000\n*Matrix\n1\n",
            "*Vertices 10000000\n1 \"a\"\n",
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
