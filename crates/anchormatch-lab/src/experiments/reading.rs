//! How fast edge lists are read, by what their ids are: numbers, words, long words.
//!
//! One random graph is written with three kinds of ids and read from memory, each kind in turn, several times; the
//! least time of each counts, and its ratio to that of numbers is what the kind costs. Beside it stands the memory that the
//! reader took, and that of the graph's own rows.

use std::fmt::Write;

use anchormatch::{Monitor, Result};
use anchormatch_generate::stream;
use anchormatch_io::{LoadedGraph, ReadOptions, read_edge_list_from};
use rand::RngExt;

use super::memory;

/// What ids are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ids {
    /// `0`, `1`, …
    Numbers,
    /// Words of eight to twelve letters.
    Words,
    /// Words of about sixty characters, of which the first thirty are the same.
    LongWords,
}

impl Ids {
    /// All kinds; numbers, which the others are compared with, come first.
    pub const ALL: [Self; 3] = [Self::Numbers, Self::Words, Self::LongWords];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Numbers => "numbers",
            Self::Words => "words of 8 to 12 letters",
            Self::LongWords => "words of 60 letters",
        }
    }

    /// Appends the id of a node, which no other node has.
    fn push(self, text: &mut String, node: usize) {
        match self {
            Self::Numbers => write!(text, "{node}").expect("text takes all"),
            Self::Words => push_word(text, node),
            Self::LongWords => {
                text.push_str("https://example.org/resources/");
                push_word(text, node);
                text.push_str("/of/some/kind/");
                write!(text, "{:06}", node % 1000).expect("text takes all");
            }
        }
    }
}

/// Eight letters that tell the node, in no order, and up to four more.
fn push_word(text: &mut String, node: usize) {
    const ALL: u128 = 26u128.pow(8);
    // Odd and no multiple of 13: one-to-one among the words of eight letters.
    let mut number = (node as u128 * 123_456_789_011 % ALL) as u64;
    let more = number % 5;
    for _ in 0..8 {
        text.push(char::from(b'a' + (number % 26) as u8));
        number /= 26;
    }
    for k in 0..more {
        text.push(char::from(b'a' + ((more * 7 + k * 3) % 26) as u8));
    }
}

/// What a kind of ids takes.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadingRow {
    /// The kind.
    pub ids: Ids,
    /// Bytes of the list.
    pub bytes: usize,
    /// The least seconds that it was read in.
    pub seconds: f64,
    /// The most bytes that the process held while it was read the first time, less what it held before; where the system tells.
    pub memory: Option<u64>,
    /// Bytes of the graph's rows: ids are not among them.
    pub rows: u64,
}

/// Reads a random graph in every kind of ids, `rounds` times in turn.
///
/// # Errors
/// When it is stopped.
pub fn measure(
    (nodes, edges): (usize, usize),
    rounds: usize,
    seed: u64,
    monitor: &Monitor,
) -> Result<Vec<ReadingRow>> {
    let texts = Ids::ALL.map(|ids| text(ids, (nodes, edges), seed));
    let mut rows = Ids::ALL.map(|ids| ReadingRow {
        ids,
        bytes: texts[ids as usize].len(),
        seconds: f64::INFINITY,
        memory: None,
        rows: 0,
    });
    for round in 0..rounds {
        for (row, text) in rows.iter_mut().zip(&texts) {
            monitor.go_on()?;
            memory::restart();
            let before = memory::held();
            let watch = monitor.stopwatch();
            let graph = read(text)?.graph;
            row.seconds = row.seconds.min(watch.seconds());
            if round == 0 {
                let most = memory::peak().zip(before);
                row.memory = most.map(|(peak, before)| peak.saturating_sub(before));
            }
            // From both ends: a node's number and a weight an entry, and where each row ends.
            row.rows = 24 * graph.edge_count() as u64 + 8 * (graph.node_count() as u64 + 1);
        }
    }
    Ok(rows.into())
}

fn read(text: &str) -> Result<LoadedGraph> {
    read_edge_list_from(text.as_bytes(), "list", &ReadOptions::default())
}

/// The list of a random graph.
fn text(ids: Ids, (nodes, edges): (usize, usize), seed: u64) -> String {
    let mut random = stream(seed, 31);
    let mut text = String::new();
    for _ in 0..edges {
        ids.push(&mut text, random.random_range(0..nodes));
        text.push(',');
        ids.push(&mut text, random.random_range(0..nodes));
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn all_kinds_of_ids_write_one_graph() {
        let read = |ids: Ids| read(&text(ids, (500, 2000), 4)).unwrap().graph;
        let numbers = read(Ids::Numbers);
        assert!(numbers.node_count() > 450 && numbers.edge_count() > 1900);
        for ids in Ids::ALL {
            let graph = read(ids);
            assert_eq!(graph.sparse_adjacency(), numbers.sparse_adjacency());
            let names: HashSet<String> = (0..5000)
                .map(|node| {
                    let mut name = String::new();
                    ids.push(&mut name, node);
                    name
                })
                .collect();
            assert_eq!(names.len(), 5000);
            let range = match ids {
                Ids::Numbers => 1..=4,
                Ids::Words => 8..=12,
                Ids::LongWords => 58..=62,
            };
            assert!(names.iter().all(|name| range.contains(&name.len())));
        }
    }

    #[test]
    fn every_kind_is_measured() {
        let rows = measure((100, 300), 2, 1, &Monitor::silent()).unwrap();
        assert_eq!(rows.iter().map(|row| row.ids).collect::<Vec<_>>(), Ids::ALL);
        assert!(
            rows.iter()
                .all(|row| row.seconds.is_finite() && row.bytes > 0 && row.rows > 24 * 200)
        );
        let stopped = Monitor::silent();
        stopped.cancel_token().cancel();
        assert!(measure((100, 300), 2, 1, &stopped).is_err());
    }
}
