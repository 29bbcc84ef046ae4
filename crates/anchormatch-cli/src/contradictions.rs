//! Files that say different things of the same nodes.
//!
//! An anchor is certain, and so is that a pair is ruled out: both at once is a fault of the input. That a node
//! has no partner goes with a list of partners that would be possible, and is noted.

use std::collections::HashMap;

use anchormatch::error::{ParseError, printable};
use anchormatch::{Allowed, Error};
use anchormatch_io::{PairRow, PairTable};

use crate::exit::Failure;
use crate::sides::Sides;

/// What people see of a long id or value.
const SHOWN: usize = 40;

/// A column in which partners must have the same value, with the values of both sides.
pub(crate) struct Demand<'a> {
    pub(crate) name: &'a str,
    pub(crate) values: [Vec<Option<&'a str>>; 2],
}

/// The files that rule pairs out.
pub(crate) struct Rules<'a> {
    pub(crate) allowed: &'a Allowed,
    pub(crate) candidates: Option<&'a PairTable>,
    pub(crate) same: &'a [Demand<'a>],
}

impl Rules<'_> {
    /// Compares them with `anchors`, whose ids are known; gives what is to be noted.
    pub(crate) fn check(&self, anchors: &PairTable, sides: &Sides) -> Result<Vec<String>, Failure> {
        let labels = sides.labels();
        let mut soft = Vec::new();
        let mut listed = Vec::new();
        for row in &anchors.rows {
            let ids = [row.source.as_deref(), row.target.as_deref()];
            let [s, t] = [0, 1].map(|side| ids[side].and_then(|id| labels[side].find(id)));
            match (s, t) {
                (Some(s), Some(t)) if !self.allowed.allows(s, t) => {
                    if row.weight.unwrap_or(1.0) < 1.0 {
                        soft.push(row);
                    } else {
                        return Err(self.refusal(anchors, row, (s, t)));
                    }
                }
                (Some(_), Some(_)) => {}
                _ => listed.extend(self.listing(ids).map(|line| (row, line))),
            }
        }
        let mut notes = Vec::new();
        if let Some(first) = soft.first() {
            let place = format!("{}, line {}", anchors.file, first.line);
            notes.push(match soft.len() {
                1 => format!("{place}: the soft anchor is of a pair that is ruled out"),
                count => format!(
                    "{place}: the soft anchor, and {} more, are of pairs that are ruled out",
                    count - 1
                ),
            });
        }
        if let (Some(&(row, line)), Some(candidates)) = (listed.first(), self.candidates) {
            let id = row.source.as_deref().or(row.target.as_deref());
            let others = match listed.len() {
                1 => String::new(),
                count => format!(", and {} more such nodes", count - 1),
            };
            notes.push(format!(
                "{}, line {}: {} has no partner, while {}, line {line} lists one that would be possible; it \
                 stays alone{others}",
                anchors.file,
                row.line,
                shown(id.unwrap_or_default()),
                candidates.file,
            ));
        }
        Ok(notes)
    }

    /// The line that lists a node without a partner as possible.
    fn listing(&self, ids: [Option<&str>; 2]) -> Option<u64> {
        let rows = &self.candidates?.rows;
        let row = rows.iter().find(|row| match ids {
            [Some(source), _] => row.source.as_deref() == Some(source),
            [None, target] => row.target.as_deref() == target,
        });
        row.map(|row| row.line)
    }

    /// The error of an anchor that is ruled out.
    fn refusal(&self, anchors: &PairTable, row: &PairRow, (s, t): (usize, usize)) -> Failure {
        let [source, target] =
            [&row.source, &row.target].map(|id| shown(id.as_deref().unwrap_or_default()));
        let differing = self.same.iter().find_map(|demand| {
            let [one, two] = [demand.values[0][s]?, demand.values[1][t]?];
            (one != two).then_some((demand.name, shown(one), shown(two)))
        });
        let (found, expected) = match (differing, self.candidates) {
            (Some((name, one, two)), _) => (
                format!("the anchor {source}, {target}, whose `{name}` is {one} and {two}"),
                format!("the same value, which --same {name} demands of partners"),
            ),
            (None, Some(candidates)) => {
                let of_source = candidates.rows.iter();
                let of_source = of_source.filter(|other| other.source == row.source);
                let lines: Vec<String> = of_source.take(3).map(|r| r.line.to_string()).collect();
                let place = match lines.len() {
                    1 => format!("line {}", lines[0]),
                    _ => format!("lines {} …", lines.join(", ")),
                };
                (
                    format!(
                        "the anchor {source}, {target}, while {} lists others for {source}, {place}",
                        candidates.file
                    ),
                    format!("{target} among the candidates of {source}, or no candidates of it"),
                )
            }
            (None, None) => (
                format!("the anchor {source}, {target}, which is ruled out"),
                "a pair that is possible".to_owned(),
            ),
        };
        let error = ParseError::new(anchors.file.clone(), found, expected);
        Failure::Library(Error::from(error.at(Some(row.line), None)))
    }
}

/// Source nodes whose candidates are all ruled out by a demand for the same value, as a note.
pub(crate) fn nobody_left(
    candidates: &PairTable,
    allowed: &Allowed,
    sides: &Sides,
) -> Option<String> {
    let [source, target] = sides.labels();
    let mut is_left: HashMap<usize, (bool, u64)> = HashMap::new();
    for row in &candidates.rows {
        let found = |id: &Option<String>, labels: &anchormatch::graph::Labels| {
            id.as_deref().and_then(|id| labels.find(id))
        };
        if let (Some(s), Some(t)) = (found(&row.source, source), found(&row.target, target)) {
            let entry = is_left.entry(s).or_insert((false, row.line));
            entry.0 |= allowed.allows(s, t);
        }
    }
    let lost = is_left.iter().filter(|(_, (left, _))| !left);
    let lost: Vec<(u64, usize)> = lost.map(|(&node, &(_, line))| (line, node)).collect();
    let &(line, node) = lost.iter().min()?;
    let others = match lost.len() {
        1 => String::new(),
        count => format!(", and of {} more nodes", count - 1),
    };
    Some(format!(
        "{}, line {line}: no candidate of {}{others} has the value that --same demands",
        candidates.file,
        shown(&source.get(node)),
    ))
}

fn shown(text: &str) -> String {
    format!("`{}`", printable(text, SHOWN))
}
