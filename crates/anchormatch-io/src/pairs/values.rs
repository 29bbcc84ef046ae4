//! Pairs with values: similarities, candidates with scores, edges between the two graphs.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use anchormatch::error::Result;
use anchormatch::graph::Graph;
use anchormatch::linalg::{Csr, PairValues};

use super::{PairRow, PairTable};

/// The pairs that a table lists as candidates.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidates {
    /// Source and target nodes, by the order of the first.
    pub pairs: Vec<(usize, usize)>,
    /// The third column, where there is one; of a pair that stands several times the largest.
    pub scores: Option<Csr<f64>>,
}

impl PairTable {
    /// The rows as similarities of source and target nodes, the third column; a pair that is not
    /// listed is as little alike as the least of those that are.
    ///
    /// # Errors
    /// With the file and the line, when an id is unknown or missing, a row has no third column, or a pair
    /// is listed twice with different values.
    pub fn similarity(&self, source: &Graph, target: &Graph) -> Result<PairValues> {
        let weights = self.rows.iter().filter_map(|row| row.weight);
        let least = weights.fold(f64::INFINITY, f64::min);
        let least = if least.is_finite() { least } else { 0.0 };
        let mut listed = HashMap::with_capacity(self.rows.len());
        for row in &self.rows {
            let pair = self.find_both(row, [(source, "source"), (target, "target")])?;
            let Some(value) = row.weight else {
                return Err(self.fault(row, 3, "two columns", "source,target,similarity"));
            };
            self.insert_once(&mut listed, row, pair, value, "similarity for each pair")?;
        }
        let listed = listed.into_iter().map(|((s, t), value)| (s, t, value));
        Ok(PairValues::Listed {
            listed: Csr::from_triplets(source.node_count(), target.node_count(), listed)?,
            others: least,
        })
    }

    /// The rows as candidates: a source node that is named takes none but these. A pair may stand several
    /// times, its largest score counts.
    ///
    /// # Errors
    /// With the file and the line, when an id is unknown or missing.
    pub fn candidates(&self, source: &Graph, target: &Graph) -> Result<Candidates> {
        let mut best: HashMap<(usize, usize), f64> = HashMap::with_capacity(self.rows.len());
        for row in &self.rows {
            let pair = self.find_both(row, [(source, "source"), (target, "target")])?;
            let score = row.weight.unwrap_or_default();
            let known = best.entry(pair).or_insert(score);
            *known = known.max(score);
        }
        let mut pairs: Vec<(usize, usize)> = best.keys().copied().collect();
        pairs.sort_unstable();
        let scores = if self.rows.iter().any(|row| row.weight.is_some()) {
            let scored = best.into_iter().map(|((s, t), score)| (s, t, score));
            let (n, m) = (source.node_count(), target.node_count());
            Some(Csr::from_triplets(n, m, scored)?)
        } else {
            None
        };
        Ok(Candidates { pairs, scores })
    }

    /// The rows as edges that begin in one graph and end in the other, which are called by their sides;
    /// without a third column all weigh 1.
    ///
    /// # Errors
    /// With the file and the line, when an id is unknown or missing, or an edge is listed twice with
    /// different weights.
    pub fn crossing(&self, from: (&Graph, &str), to: (&Graph, &str)) -> Result<Csr<f64>> {
        let mut listed = HashMap::with_capacity(self.rows.len());
        for row in &self.rows {
            let pair = self.find_both(row, [from, to])?;
            let weight = row.weight.unwrap_or(1.0);
            self.insert_once(&mut listed, row, pair, weight, "weight for each edge")?;
        }
        let edges = listed.into_iter().filter(|(_, weight)| *weight != 0.0);
        let edges = edges.map(|((i, j), weight)| (i, j, weight));
        Csr::from_triplets(from.0.node_count(), to.0.node_count(), edges)
    }

    /// Both nodes of a row, neither of which may be missing.
    fn find_both(&self, row: &PairRow, sides: [(&Graph, &str); 2]) -> Result<(usize, usize)> {
        match self.find_in(row, sides)? {
            (Some(first), Some(second)) => Ok((first, second)),
            (first, _) => {
                let column = if first.is_none() { 1 } else { 2 };
                let expected = "a node id; that a node has no partner is said in a file of anchors";
                Err(self.fault(row, column, "an empty field", expected))
            }
        }
    }

    fn insert_once(
        &self,
        listed: &mut HashMap<(usize, usize), f64>,
        row: &PairRow,
        pair: (usize, usize),
        value: f64,
        what: &str,
    ) -> Result<()> {
        match listed.entry(pair) {
            Entry::Occupied(known) if *known.get() != value => {
                let found = format!("{value} for a pair that had {} before", known.get());
                Err(self.fault(row, 3, found, format!("one {what}")))
            }
            entry => {
                entry.or_insert(value);
                Ok(())
            }
        }
    }
}
