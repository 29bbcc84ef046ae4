//! The network that a Pajek file tells of, line by line.

use std::io::BufRead;

use anchormatch::error::Result;
use anchormatch::graph::{GraphBuilder, Labels};

use super::super::dense::add_matrix;
use super::super::fault::{fault, quoted};
use super::super::lines::Lines;
use super::super::positions::{coordinate, gathered};
use super::super::{Format, LoadedGraph, ReadOptions, finish};

/// What a vertex with a label takes beside its text.
const LABEL_BYTES: u64 = 128;

/// What the file has said so far.
pub(super) struct Network<'a> {
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
    pub(super) fn new<R: BufRead>(
        lines: &Lines<R>,
        name: &'a str,
        options: &'a ReadOptions,
    ) -> Result<Self> {
        let mut words = lines.text().split_ascii_whitespace().skip(1);
        let word = words.next().unwrap_or_default();
        let Ok(nodes) = word.parse::<u64>() else {
            return Err(lines.fault(2, quoted(word), "the number of vertices"));
        };
        let builder = options.counted_builder(name, 1, nodes, Some((lines.number(), 2)))?;
        Ok(Self {
            name,
            options,
            nodes: builder.node_count(),
            builder,
            entries: 0,
            labels: Vec::new(),
            places: Vec::new(),
            held: 0,
            values: Vec::new(),
        })
    }

    /// A line `number "label" [x y [z]] …`.
    pub(super) fn vertex<R: BufRead>(&mut self, lines: &Lines<R>) -> Result<()> {
        let text = lines.text().trim_ascii();
        let (word, rest) = split_word(text);
        let vertex = self.index(lines, 1, word)? as u32;
        let rest = rest.trim_ascii_start();
        let (label, rest) = match rest.strip_prefix('"') {
            Some(inside) => unquote(inside)
                .ok_or_else(|| lines.fault(2, quoted(rest), "a closing quote on the same line"))?,
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
    pub(super) fn pair<R: BufRead>(&mut self, lines: &Lines<R>, directed: bool) -> Result<()> {
        let mut words = lines.text().split_ascii_whitespace();
        let source = self.index(lines, 1, words.next().unwrap_or_default())?;
        let target = self.index(lines, 2, words.next().unwrap_or_default())?;
        let weight = match words.next() {
            None => 1.0,
            Some(word) => match word.parse::<f64>() {
                Ok(weight) if weight.is_finite() => weight,
                // What is neither a number nor close to one describes the line: no weight.
                Err(_) if word.starts_with(|c: char| c.is_alphabetic() || c == '[') => 1.0,
                _ => return Err(lines.fault(3, quoted(word), "a finite number")),
            },
        };
        self.edge(lines, source, target, weight, directed)
    }

    /// A line `u v₁ v₂ …`.
    pub(super) fn list<R: BufRead>(&mut self, lines: &Lines<R>, directed: bool) -> Result<()> {
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
    pub(super) fn row<R: BufRead>(&mut self, lines: &Lines<R>) -> Result<()> {
        if self.values.is_empty() {
            self.options.reserve_dense(self.name, self.nodes as u64)?;
        }
        let room = self.nodes as u64 * self.nodes as u64;
        for (k, word) in lines.text().split_ascii_whitespace().enumerate() {
            match word.parse::<f64>() {
                Ok(value) if value.is_finite() => self.values.push(value),
                _ => return Err(lines.fault(k + 1, quoted(word), "a finite number")),
            }
            if self.values.len() as u64 > room {
                let wanted = format!("the end of a matrix of {room} numbers");
                return Err(lines.fault(k + 1, quoted(word), wanted));
            }
        }
        Ok(())
    }

    pub(super) fn end_matrix(&mut self) -> Result<()> {
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
                Err(lines.fault(column, quoted(word), wanted))
            }
        }
    }

    fn check(&self) -> Result<()> {
        self.options
            .reserve_beside(self.name, &self.builder, self.held)
    }

    pub(super) fn finish(mut self, mut notes: Vec<String>) -> Result<LoadedGraph> {
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
        let loaded = finish(self.builder, self.name, Format::Pajek, notes)?.named(labels)?;
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
