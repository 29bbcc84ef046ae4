//! Stage *chance*: is there anything to find?
//!
//! Of all matchings of two unrelated graphs, the best one has evidence too: as much as there are matchings to choose
//! from. The logarithm of the posterior against nothing matched sets one against the other, for it has the prior of
//! the matching in it, −ln of their number. For unrelated graphs its expectation over matchings is at most 1 whatever
//! the model (Markov's inequality then bounds how often it is larger), so that above 0 chance is a poor
//! explanation, and below it the likeliest matching of all is less likely than none at all.
//!
//! A matching may be right in part: it is judged by the pairs that are sure, and by all of them, whichever has more
//! evidence.

use super::thresholds::{CHANCE_OF_FULL, CHANCE_OF_MAPS, CHANCE_OF_PARTS, CHANCE_WIDTH};
use crate::error::Hint;
use crate::matcher::Log;
use crate::matching::Note;

/// What speaks against chance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Chance {
    /// The evidence beyond that of the best matching of unrelated graphs, in nats.
    pub(super) nats: f64,
    /// The probability that there is something to find.
    pub(super) weight: f64,
}

impl Chance {
    /// By the most evidence that any part of the matching has; `may_be_partial` when parts were searched for.
    pub(super) fn of(evidence: impl IntoIterator<Item = f64>, may_be_partial: bool) -> Self {
        let most = evidence.into_iter().fold(f64::NEG_INFINITY, f64::max);
        Self::beyond(if may_be_partial {
            most - CHANCE_OF_PARTS
        } else {
            most - CHANCE_OF_FULL
        })
    }

    /// By the evidence of a map that says where so many points go; few of them leave chance few ways.
    pub(super) fn of_maps(evidence: f64, points: usize) -> Self {
        let ways: f64 = (2..=points.min(20)).map(|k| (k as f64).ln()).sum();
        Self::beyond(evidence - ways.min(CHANCE_OF_MAPS))
    }

    fn beyond(nats: f64) -> Self {
        // What is left of chance far out is not worth a digit of every confidence.
        let is_far = nats > 10.0 * CHANCE_WIDTH;
        Self {
            nats,
            weight: if is_far {
                1.0
            } else {
                1.0 / (1.0 + (-nats / CHANCE_WIDTH).exp())
            },
        }
    }

    /// Says so where chance could explain what was found.
    pub(super) fn describe(&self, log: &mut Log) {
        log.parameter(
            "evidence beyond chance in nats",
            format!("{:.3}", self.nats),
        );
        if self.nats < 0.0 {
            log.note(Note::hinting(
                "chance could explain this match: two graphs that have nothing to do with each other would be \
                 matched as well, so that no pair is sure",
                &[Hint::MoreAnchors],
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_evidence_is_less_chance() {
        let weights: Vec<f64> = [-100.0, -10.0, 0.0, 10.0, 100.0]
            .iter()
            .map(|&nats| Chance::of([nats, -1e9], false).weight)
            .collect();
        assert!(weights.is_sorted() && weights[0] < 1e-6 && weights[4] > 1.0 - 1e-6);
        // What was searched for among parts has more to choose from.
        assert!(Chance::of([0.0], true).weight < Chance::of([0.0], false).weight);
    }

    #[test]
    fn who_found_what_chance_would_find_is_told() {
        for (nats, notes) in [(-50.0, 1), (50.0, 0)] {
            let mut log = Log::default();
            Chance::of([nats], false).describe(&mut log);
            assert_eq!(log.notes().len(), notes);
        }
    }
}
