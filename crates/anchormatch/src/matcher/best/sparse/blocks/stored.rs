//! Some rows of a block, without a look at the others.

use std::ops::Range;

use super::places::Places;
use super::{NONE, Rows, mismatch};
use crate::error::{Error, Result};

/// A block as it is stored. A [`Block`](super::Block) is checked as a whole; of this, the rows that are asked for.
#[derive(Debug, Clone, Copy)]
pub struct Stored<'a> {
    /// Where each row begins, and where the last ends.
    pub offsets: &'a [i64],
    /// The nodes that arcs lead to, by their places among the ghosts.
    pub columns: &'a [u32],
    /// The arcs' weights as normal scores.
    pub weights: Option<&'a [f32]>,
    /// The numbers of the ghosts in the whole graph, ascending.
    pub ghosts: &'a [u32],
}

/// Rows of some nodes of a block, which lead to few of its ghosts.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// Where each row begins, and where the last ends.
    pub offsets: Vec<i64>,
    /// The nodes that arcs lead to, by their places in `places`.
    pub columns: Vec<u32>,
    /// The arcs' weights.
    pub weights: Option<Vec<f32>>,
    /// The ghosts that these are, by their places among those of the block, ascending.
    pub places: Vec<u32>,
}

impl Stored<'_> {
    fn row(&self, i: u32) -> Result<Range<usize>> {
        let i = i as usize;
        let (Some(&begin), Some(&end)) = (self.offsets.get(i), self.offsets.get(i + 1)) else {
            let expected = format!("numbers below {}", self.offsets.len().saturating_sub(1));
            return Err(Error::parameter("nodes", i, expected));
        };
        let entries = self.columns.len();
        let weights = self.weights.map_or(entries, <[f32]>::len);
        match (usize::try_from(begin), usize::try_from(end)) {
            (Ok(begin), Ok(end)) if begin <= end && end <= entries && weights == entries => {
                Ok(begin..end)
            }
            _ => Err(mismatch(
                "block",
                "rows within its arcs, and a weight of each",
            )),
        }
    }

    /// The rows of some nodes: lengths, numbers of the neighbours in the whole graph, and weights. Where `partners`
    /// has one of every ghost, or [`NONE`], ghosts with a partner are left out.
    ///
    /// # Errors
    /// When there is no such node, or not a number for every ghost.
    pub fn rows(&self, nodes: &[u32], partners: Option<&[u32]>) -> Result<Rows> {
        if partners.is_some_and(|partners| partners.len() != self.ghosts.len()) {
            return Err(mismatch("partners", "one of every ghost, or none"));
        }
        let mut rows = Rows {
            lengths: Vec::with_capacity(nodes.len()),
            columns: Vec::new(),
            weights: self.weights.map(|_| Vec::new()),
        };
        if partners.is_none() {
            // How many are left is known before only where nobody is left out.
            let mut arcs = 0;
            for &i in nodes {
                arcs += self.row(i)?.len();
            }
            rows.columns.reserve_exact(arcs);
            if let Some(weights) = &mut rows.weights {
                weights.reserve_exact(arcs);
            }
        }
        for &i in nodes {
            let before = rows.columns.len();
            for place in self.row(i)? {
                let j = self.columns[place] as usize;
                let ghost = self.ghosts.get(j).ok_or_else(stranger)?;
                if partners.is_none_or(|partners| partners[j] == NONE) {
                    rows.columns.push(*ghost);
                    if let (Some(out), Some(weights)) = (&mut rows.weights, self.weights) {
                        out.push(weights[place]);
                    }
                }
            }
            rows.lengths.push((rows.columns.len() - before) as u32);
        }
        Ok(rows)
    }

    /// The rows of some nodes with the ghosts that they lead to: a block of its own, in the same order.
    ///
    /// # Errors
    /// When there is no such node.
    ///
    /// # Complexity
    /// O(m log m) for m arcs of these nodes, however many the block has.
    pub fn part(&self, nodes: &[u32]) -> Result<Part> {
        let mut offsets = Vec::with_capacity(nodes.len() + 1);
        offsets.push(0);
        let mut columns = Vec::new();
        let mut weights = self.weights.map(|_| Vec::new());
        for &i in nodes {
            let row = self.row(i)?;
            columns.extend_from_slice(&self.columns[row.clone()]);
            if let (Some(out), Some(given)) = (&mut weights, self.weights) {
                out.extend_from_slice(&given[row]);
            }
            offsets.push(columns.len() as i64);
        }
        let mut places = columns.clone();
        places.sort_unstable();
        places.dedup();
        if places
            .last()
            .is_some_and(|&j| j as usize >= self.ghosts.len())
        {
            return Err(stranger());
        }
        let at = Places::new(&places);
        for column in &mut columns {
            *column = at.of(*column).ok_or_else(stranger)?;
        }
        Ok(Part {
            offsets,
            columns,
            weights,
            places,
        })
    }
}

fn stranger() -> Error {
    mismatch("block", "arcs that lead to its ghosts")
}
