//! Pairs as correspondences: anchors and truths, and who has no partner.

use std::collections::HashMap;

use anchormatch::anchors::{Anchor, Anchors};
use anchormatch::error::{Error, Hint, Result};
use anchormatch::graph::Graph;
use anchormatch::matching::Note;

use super::super::fault::{fault, quoted};
use super::{PairRow, PairTable};

/// The two nodes of a row; `None` for one that is said to be missing.
type Ends = (Option<usize>, Option<usize>);

impl PairTable {
    /// The rows as anchors: weight 1 or none is hard, between 0 and 1 is soft; a node without another in
    /// its row has no partner.
    ///
    /// # Errors
    /// With the file and the line, when an id is unknown, a weight is not in (0, 1] or not 1 where there is
    /// no partner, or a node has two hard anchors, or one and none, be it a soft one.
    pub fn anchors(&self, source: &Graph, target: &Graph) -> Result<Anchors> {
        let mut partners = Partners::new(self);
        let mut anchors = Vec::with_capacity(self.rows.len());
        let mut alone = [Vec::new(), Vec::new()];
        for row in &self.rows {
            let ends = self.find(row, source, target)?;
            let weight = row.weight.unwrap_or(1.0);
            if !(weight > 0.0 && weight <= 1.0) {
                let found = format!("the weight {weight}");
                return Err(self.fault(row, 3, found, "above 0 and at most 1"));
            }
            if weight == 1.0 {
                partners.add(row, ends)?;
            }
            match ends {
                (Some(s), Some(t)) => anchors.push(Anchor::new(s, t, weight)),
                _ if weight < 1.0 => {
                    let found = format!("the weight {weight} of a node without a partner");
                    let expected = "1 or none: that a node has no partner is certain";
                    return Err(self.fault(row, 3, found, expected));
                }
                (s, t) => {
                    alone[0].extend(s);
                    alone[1].extend(t);
                }
            }
        }
        self.check_soft(&partners, source, target)?;
        let [first, second] = alone;
        Anchors::new(source, target, anchors)?.with_alone([source, target], first, second)
    }

    /// Refuses evidence for a partner of a node that has none.
    fn check_soft(&self, partners: &Partners<'_>, source: &Graph, target: &Graph) -> Result<()> {
        let soft = self
            .rows
            .iter()
            .filter(|row| row.weight.is_some_and(|weight| weight < 1.0));
        for row in soft {
            let (s, t) = self.find(row, source, target)?;
            for (side, node) in [(0, s), (1, t)] {
                let known = node.and_then(|node| partners.of[side].get(&node));
                if let Some(&(None, first)) = known {
                    return Err(partners.contradiction(side, row, first));
                }
            }
        }
        Ok(())
    }

    /// The rows as node indices, weights left aside, and without the nodes that have no partner.
    ///
    /// # Errors
    /// With the file and the line, when an id is unknown or a node has two partners, or one and none.
    pub fn indices(&self, source: &Graph, target: &Graph) -> Result<Vec<(usize, usize)>> {
        let mut partners = Partners::new(self);
        let mut indices = Vec::with_capacity(self.rows.len());
        for row in &self.rows {
            let ends = self.find(row, source, target)?;
            partners.add(row, ends)?;
            indices.extend(both(ends));
        }
        Ok(indices)
    }

    /// As [`indices`](Self::indices), without the rows that name a node of neither graph, and how many those are.
    ///
    /// # Errors
    /// With the file and the line, when a node has two partners, or one and none.
    pub fn known_indices(
        &self,
        source: &Graph,
        target: &Graph,
    ) -> Result<(Vec<(usize, usize)>, usize)> {
        let mut partners = Partners::new(self);
        let mut indices = Vec::with_capacity(self.rows.len());
        let mut unknown = 0;
        for row in &self.rows {
            match self.find(row, source, target) {
                Ok(ends) => {
                    partners.add(row, ends)?;
                    indices.extend(both(ends));
                }
                Err(_) => unknown += 1,
            }
        }
        Ok((indices, unknown))
    }

    /// Where the first row may have been misread: what the reader doubts, and a header whose names are ids of
    /// nodes of both graphs.
    #[must_use]
    pub fn doubts(&self, source: &Graph, target: &Graph) -> Vec<Note> {
        let is_pair = |[s, t]: &&[String; 2]| {
            source.labels().find(s).is_some() && target.labels().find(t).is_some()
        };
        let lost = self.header.as_ref().filter(is_pair).map(|[s, t]| {
            let fields = quoted(&format!("{s},{t}"));
            let text =
                format!("the first row, {fields}, was taken as a header, and its names are ids");
            Note::hinting(text, &[Hint::WithoutHeader])
        });
        self.doubts.iter().cloned().chain(lost).collect()
    }

    fn find(&self, row: &PairRow, source: &Graph, target: &Graph) -> Result<Ends> {
        self.find_in(row, [(source, "source"), (target, "target")])
    }

    /// The nodes of a row in two graphs, each called by its side.
    pub(super) fn find_in(&self, row: &PairRow, sides: [(&Graph, &str); 2]) -> Result<Ends> {
        let find = |(graph, side): (&Graph, &str), id: &Option<String>, column| {
            let Some(id) = id else {
                return Ok(None);
            };
            let labels = graph.labels();
            labels.find(id).map(Some).ok_or_else(|| {
                let such = match labels.len() {
                    0 => String::new(),
                    _ => format!(", such as {}", quoted(&labels.get(0))),
                };
                let expected = format!("the id of a node of the {side} graph{such}");
                let found = format!("the unknown id {}", quoted(id));
                let error = self.fault(row, column, found, expected);
                // Who has written a header of its own meets this first.
                let is_first = self.header.is_none()
                    && self.rows.len() > 1
                    && self
                        .rows
                        .first()
                        .is_some_and(|first| first.line == row.line);
                if is_first {
                    error.hinting(&[Hint::WithHeader])
                } else {
                    error
                }
            })
        };
        let [first, second] = sides;
        Ok((find(first, &row.source, 1)?, find(second, &row.target, 2)?))
    }

    pub(super) fn fault(
        &self,
        row: &PairRow,
        column: usize,
        found: impl Into<String>,
        expected: impl Into<String>,
    ) -> Error {
        fault(&self.file, Some(row.line), Some(column), found, expected)
    }
}

/// The pair, where neither of its nodes is missing.
fn both((source, target): Ends) -> Option<(usize, usize)> {
    source.zip(target)
}

/// The partners so far, to find a node that is given two, or one and none.
struct Partners<'a> {
    table: &'a PairTable,
    /// By side and node: the partner, if there is one, and the row that says so.
    of: [HashMap<usize, (Option<usize>, &'a PairRow)>; 2],
}

impl<'a> Partners<'a> {
    fn new(table: &'a PairTable) -> Self {
        Self {
            table,
            of: [HashMap::new(), HashMap::new()],
        }
    }

    /// Adds a row; the same once more is no contradiction.
    fn add(&mut self, row: &'a PairRow, (source, target): Ends) -> Result<()> {
        for (side, node, partner) in [(0, source, target), (1, target, source)] {
            let Some(node) = node else { continue };
            let &mut (known, first) = self.of[side].entry(node).or_insert((partner, row));
            if known != partner {
                return Err(self.contradiction(side, row, first));
            }
        }
        Ok(())
    }

    /// Two rows that say different things of the same node.
    fn contradiction(&self, side: usize, row: &PairRow, first: &PairRow) -> Error {
        let name = ["source", "target"][side];
        let ids = [row.source.as_deref(), row.target.as_deref()];
        let others = [first.target.as_deref(), first.source.as_deref()];
        let id = quoted(ids[side].unwrap_or_default());
        let line = first.line;
        let (found, expected) = match (others[side], ids[1 - side]) {
            (Some(other), Some(_)) => (
                format!(
                    "the {name} node {id} once more, which line {line} pairs with {}",
                    quoted(other)
                ),
                "one partner for every node",
            ),
            (Some(other), None) => (
                format!(
                    "the {name} node {id} without a partner, which line {line} pairs with {}",
                    quoted(other)
                ),
                "a partner or none",
            ),
            (None, _) => (
                format!("the {name} node {id} with a partner, which line {line} says it has not"),
                "a partner or none",
            ),
        };
        self.table.fault(row, side + 1, found, expected)
    }
}
