//! How far a matching is to be trusted as a whole, beside the confidence of each pair.

use serde::Serialize;

use super::{Matching, Pair};
use crate::symmetry::Orbits;

/// What is known of a matching as a whole.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Trust {
    /// How much more the evidence is than the best of all matchings of two unrelated graphs would have, in nats;
    /// below 0, chance could explain the matching. `None` when the method does not weigh evidence.
    pub beyond_chance: Option<f64>,
    /// The expected number of nodes that have a partner and whose partner was not given; `None` when the method
    /// does not know it.
    pub partners: Option<f64>,
    /// The nodes of source and target that nothing tells apart.
    pub orbits: [Orbits; 2],
}

/// What is to be expected of the pairs that no anchor gave, without a truth.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Expected {
    /// The share of the pairs that is right.
    pub precision: f64,
    /// The share of the right pairs that was found.
    pub recall: f64,
}

impl Matching {
    /// The precision and recall to be expected by the confidences; `None` when nothing but anchors was matched, or when
    /// the method has no probabilities.
    #[must_use]
    pub fn expected(&self) -> Option<Expected> {
        let free = || self.pairs.iter().filter(|pair| !pair.anchor);
        let count = free().count();
        if count == 0 {
            return None;
        }
        let right: f64 = free().map(|pair| pair.confidence).sum();
        let all = self.trust.partners?;
        Some(Expected {
            precision: right / count as f64,
            recall: if all > 0.0 {
                (right / all).min(1.0)
            } else {
                0.0
            },
        })
    }

    /// Takes apart the pairs that are less sure than `least`; anchors stay.
    pub fn drop_below(&mut self, least: f64) {
        let is_kept = |pair: &Pair| pair.anchor || pair.confidence >= least;
        let dropped: Vec<Pair> = self.pairs.iter().copied().filter(|p| !is_kept(p)).collect();
        self.pairs.retain(is_kept);
        let sources = dropped.iter().map(|pair| pair.source);
        self.unmatched_source.extend(sources);
        let targets = dropped.iter().map(|pair| pair.target);
        self.unmatched_target.extend(targets);
        self.unmatched_source.sort_unstable();
        self.unmatched_target.sort_unstable();
    }

    /// How many target nodes nothing tells from the partner in a pair, itself among them.
    #[must_use]
    pub fn alike(&self, pair: &Pair) -> usize {
        self.trust.orbits[1].alike(pair.target)
    }
}
