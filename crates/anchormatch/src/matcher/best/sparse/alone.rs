//! Nodes that have no partner: how many there are, and what that explains.
//!
//! The evidence of a candidate is counted beside a partner that no neighbour speaks for: a node i with d neighbours whose partners are
//! known has lost all d edges to such a partner, by d ln((1 − s)/(1 − c)) nats (see [`model`](super::model)). Who has no partner at
//! all has lost nothing, so that in the same unit
//!
//! ```text
//! weight of no partner = ρ/(1 − ρ) · F · ((1 − c)/(1 − s))^(η d/φ)
//! ```
//!
//! with ρ the share of the nodes that have none, and F the targets that nobody has so far, one of which the partner would be: of
//! matchings of k pairs of n and m nodes there are (n − k + 1)(m − k + 1)/k times as many as of k − 1. ρ is the mean of what the beliefs
//! make of it, iteration by iteration. φ is by how much the shares of edges that nodes keep vary more than those of independent
//! edges. Where everybody has a partner the mean likelihood ratio of none and one is 1, and whatever the model misses lets ρ grow from
//! nothing; its power η < 1 has a mean below 1, and ρ stays where it began.

use super::model::PART;
use crate::linalg::Csr;
use crate::matcher::best::thresholds::sparse::{ALONE_AT_FIRST, ALONE_BELIEVED, ALONE_SEEN};

/// The share of nodes without a partner is never taken for more than this.
const MOST: f64 = 0.95;

/// What a node has beside its candidates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rest {
    /// The logarithm of its weight.
    pub log: f64,
    /// The share of it that is no partner at all.
    pub alone: f64,
}

impl Rest {
    /// Of a node whose partner is given.
    pub(super) const NOTHING: Self = Self {
        log: f64::NEG_INFINITY,
        alone: 0.0,
    };

    /// Of a node whose candidates are listed: `left` is the weight of none of them.
    pub(super) fn among_listed(left: f64) -> Self {
        Self {
            log: left.max(f64::MIN_POSITIVE).ln(),
            alone: 0.0,
        }
    }
}

/// The weight of no partner at all.
#[derive(Debug, Clone, Copy)]
pub(super) struct Alone {
    log_weight: f64,
    power: f64,
}

impl Alone {
    /// Where a `share` of the nodes has no partner, so many targets are `free`, and shares of kept edges are dispersed so much.
    pub(super) fn new(share: f64, free: f64, dispersion: f64) -> Self {
        Self {
            log_weight: (share / (1.0 - share) * (free + 1.0)).ln(),
            power: ALONE_BELIEVED / dispersion,
        }
    }

    /// What a node has that has `lost` so many nats if it has a partner that no neighbour speaks for; `left` is the weight of all of
    /// these.
    pub(super) fn beside(&self, left: f64, lost: f32) -> Rest {
        let left = left.max(f64::MIN_POSITIVE).ln();
        let alone = self.log_weight - self.power * f64::from(lost);
        let most = left.max(alone);
        let log = most + ((left - most).exp() + (alone - most).exp()).ln();
        Rest {
            log,
            alone: (alone - log).exp(),
        }
    }
}

/// The expected numbers of nodes without a partner, by parts.
pub(super) fn expected(occupancy: &Csr<f32>, rests: &[Rest]) -> Vec<f64> {
    let parts = rests.chunks(PART).enumerate();
    let parts = parts.map(|(part, rests)| {
        let each = rests.iter().enumerate().map(|(place, rest)| {
            let (_, shares) = occupancy.parts(part * PART + place);
            let matched: f64 = shares.iter().map(|&share| f64::from(share)).sum();
            (1.0 - matched).max(0.0) * rest.alone
        });
        each.sum()
    });
    parts.collect()
}

/// The share of nodes that have no partner, by their expected number.
pub(super) fn share(expected: f64, nodes: usize) -> f64 {
    ((expected + ALONE_AT_FIRST * ALONE_SEEN) / (nodes as f64 + ALONE_SEEN)).min(MOST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_those_of_the_formula() {
        let alone = Alone::new(0.2, 99.0, 2.0);
        let rest = alone.beside(7.0, -3.0);
        let weight = 0.25 * 100.0 * (ALONE_BELIEVED * 3.0 / 2.0).exp();
        assert!((rest.log - (7.0 + weight).ln()).abs() < 1e-12);
        assert!((rest.alone - weight / (7.0 + weight)).abs() < 1e-12);
        // However much was lost, and with nobody left.
        let far = alone.beside(0.0, -4000.0);
        assert!(far.log.is_finite() && (far.alone - 1.0).abs() < 1e-12);
    }

    #[test]
    fn who_is_not_matched_is_alone_as_far_as_the_rest_says() {
        let rows: [&[(usize, f32)]; 3] = [&[(0, 0.5), (1, 0.25)], &[(1, 1.0)], &[]];
        let occupancy = Csr::from_rows(2, rows.map(|row| row.iter().copied())).unwrap();
        let half = Rest {
            log: 0.0,
            alone: 0.5,
        };
        assert_eq!(
            expected(&occupancy, &[half, half, Rest::NOTHING]),
            [0.25 * 0.5]
        );
        assert!(share(0.0, 10) < share(0.125, 10) && share(1e9, 10) <= MOST);
    }
}
