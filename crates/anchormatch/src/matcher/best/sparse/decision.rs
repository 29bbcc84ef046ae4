//! Stage *decision*: from probabilities to pairs.

use super::super::thresholds::KEPT;
use super::known::Known;
use super::side::{NONE, Side};
use crate::assignment::{Assignment, auction};
use crate::linalg::Csr;
use crate::matching::Pair;

/// What the choice may lose of the expected number of right pairs, a row.
pub(super) const SLACK: f32 = 1e-4;

/// The pairs with the greatest expected number of right ones; `allow_unmatched` leaves out the unlikely, else
/// nodes that nothing speaks for are paired by their degrees.
pub(super) fn decide(
    sides: &[Side<'_>; 2],
    known: &Known,
    occupancy: &Csr<f32>,
    allow_unmatched: bool,
) -> Vec<Pair> {
    let chosen = Chosen {
        by: occupancy,
        shares: occupancy,
    };
    chosen.pairs(sides, known, allow_unmatched)
}

/// What pairs are chosen by, and how likely each is.
pub(super) struct Chosen<'a> {
    pub(super) by: &'a Csr<f32>,
    pub(super) shares: &'a Csr<f32>,
}

impl Chosen<'_> {
    /// As [`decide`] says.
    pub(super) fn pairs(
        &self,
        sides: &[Side<'_>; 2],
        known: &Known,
        allow_unmatched: bool,
    ) -> Vec<Pair> {
        let mut chosen = auction(self.by, SLACK);
        // What was given is part of every matching.
        let anchored = known.partners();
        chosen.retain(|i, a| anchored[0][i] == NONE && anchored[1][a] == NONE);
        let share = |i: usize, a: usize| self.shares.get(i, a).unwrap_or(0.0);
        if allow_unmatched {
            chosen.retain(|i, a| share(i, a) >= KEPT);
        }
        let mut pairs: Vec<Pair> = chosen
            .pairs()
            .map(|(source, target)| Pair {
                source,
                target,
                confidence: f64::from(share(source, target)).clamp(0.0, 1.0),
                anchor: false,
            })
            .collect();
        if !allow_unmatched {
            let allows = |pair: &Pair| known.allows(pair.source as u32, pair.target as u32);
            pairs.extend(fill_up(sides, &anchored, &chosen).filter(allows));
        }
        let hard = known.anchors.iter();
        pairs.extend(hard.map(|&(source, target)| Pair {
            source: source as usize,
            target: target as usize,
            confidence: 1.0,
            anchor: true,
        }));
        pairs.sort_unstable_by_key(|pair| pair.source);
        pairs
    }
}

/// Pairs of the nodes that are left, those of the highest degrees first.
fn fill_up<'a>(
    sides: &'a [Side<'_>; 2],
    anchored: &[Vec<u32>; 2],
    chosen: &Assignment,
) -> impl Iterator<Item = Pair> + use<'a> {
    let partners = [chosen.clone(), chosen.inverse(sides[1].nodes())];
    let left = [0, 1].map(|k| {
        let is_left = |&i: &usize| anchored[k][i] == NONE && partners[k].partner(i).is_none();
        let mut left: Vec<usize> = (0..sides[k].nodes()).filter(is_left).collect();
        left.sort_by_key(|&i| std::cmp::Reverse(sides[k].degree(i)));
        left
    });
    // Any of the others would do as well.
    let confidence = 1.0 / left[0].len().max(left[1].len()).max(1) as f64;
    let [source, target] = left;
    source
        .into_iter()
        .zip(target)
        .map(move |(source, target)| Pair {
            source,
            target,
            confidence,
            anchor: false,
        })
}
