//! Pajek's `.net` (Batagelj, Mrvar, *Pajek: Analysis and Visualization of Large Networks*, 2004).
//!
//! `*Vertices n` and a line `number "label" [x y [z]]` for each vertex that has a label, then
//! `*Edges` (undirected) and `*Arcs` (directed) with lines `u v [weight]`,
//! `*Edgeslist` and `*Arcslist` with lines `u v₁ v₂ …`, or `*Matrix` with n rows of n numbers.
//! Several relations are merged like repeated edges. Vertices are called by their labels where these
//! are distinct, else by their numbers. Lines that begin with `%` are comments; what follows a
//! weight is passed over, and so are sections of other kinds.

mod network;
#[cfg(test)]
mod tests;
mod write;

use std::io::BufRead;

use super::fault::{fault, quoted};
use super::lines::Lines;
use super::{LoadedGraph, ReadOptions};
use anchormatch::error::Result;
use network::Network;
pub use write::write_pajek;

/// The most bytes of a line: a row of a matrix, or the neighbours of a hub.
const LONGEST_LINE: usize = 64 << 20;

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
                    return Err(lines.fault(1, "a second *Vertices", expected));
                }
                (Section::Skipped, _) if notes.len() < 10 => {
                    let word = header.split_ascii_whitespace().next().unwrap_or_default();
                    notes.push(format!("the section {} was passed over", quoted(word)));
                }
                (Section::Start | Section::Skipped, _) | (_, Some(_)) => {}
                (_, None) => {
                    return Err(lines.fault(1, quoted(text), "*Vertices and their number first"));
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
                return Err(lines.fault(1, quoted(text), "*Vertices and their number first"));
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
