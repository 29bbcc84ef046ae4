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

use super::thresholds::{
    CHANCE_OF_FULL, CHANCE_OF_MAPS, CHANCE_OF_PARTS, CHANCE_WIDTH, CLOSURE_TELLS, DECOY_NATS,
    DECOYS_ASKED, DECOYS_EXPLAINED, LISTED_DECOYS_ASKED, STANDING, STANDING_BESIDE,
};
use crate::error::Hint;
use crate::matcher::Log;
use crate::matching::Note;

/// Nats from which on what is left of chance is not worth a digit of every confidence.
const RULED_OUT: f64 = 10.0 * CHANCE_WIDTH;

/// What speaks against chance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Chance {
    /// The evidence beyond that of the best matching of unrelated graphs, in nats.
    pub(super) nats: f64,
    /// The probability that there is something to find.
    pub(super) weight: f64,
    /// How far the anchors stand above decoys, where these were asked.
    standing: Option<f64>,
}

impl Chance {
    /// Whether decoys are worth asking, of so many pairs and where triangles leave such a share of the evidence: not far
    /// below chance, nor where each pair has much evidence; and where triangles explain nothing, not beyond it either.
    pub(super) fn is_worth_decoys(&self, pairs: usize, left: f64) -> bool {
        let each = self.nats / pairs.max(1) as f64;
        let [least, least_explained, most, most_explained] = DECOYS_ASKED;
        if left < DECOYS_EXPLAINED {
            (least_explained..most_explained).contains(&each)
        } else if left < CLOSURE_TELLS {
            (least_explained..most).contains(&each)
        } else {
            each > least && !self.is_ruled_out()
        }
    }

    /// The same over lists of candidates, where there are more nodes: matches of strangers are not beyond chance there, and right ones
    /// may be called far below it, as far as triangles explain some of the evidence.
    pub(super) fn is_worth_listed_decoys(&self, pairs: usize, left: f64) -> bool {
        let each = self.nats / pairs.max(1) as f64;
        let [least, most_explained] = LISTED_DECOYS_ASKED;
        if left < CLOSURE_TELLS {
            each < most_explained
        } else {
            each > least && !self.is_ruled_out()
        }
    }

    /// With how many deviations the anchors stand above decoys. More of them are asked where triangles leave less of the
    /// evidence, for there matches vary more than a few decoys show; and the evidence counts for little, for there
    /// chance has more of it than its bounds know.
    pub(super) fn beside_decoys(self, standing: f64, left: f64) -> Self {
        let needed = STANDING[0] + STANDING[1] * (1.0 - left);
        let bounded = (self.nats / CHANCE_WIDTH).clamp(-STANDING_BESIDE, STANDING_BESIDE);
        Self {
            standing: Some(standing),
            ..Self::beyond((standing - needed + bounded) * CHANCE_WIDTH)
        }
    }

    /// Where decoys led to the same match.
    pub(super) fn found_again(self) -> Self {
        let nats = self.nats.max(RULED_OUT);
        Self {
            nats,
            weight: 1.0,
            ..self
        }
    }

    /// Whether so many deviations leave no doubt.
    pub(super) fn is_plain_beside(&self, standing: f64, left: f64) -> bool {
        self.beside_decoys(standing, left).is_ruled_out()
    }

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
        let weight = 1.0 / (1.0 + (-nats / CHANCE_WIDTH).exp());
        let chance = Self {
            nats,
            weight,
            standing: None,
        };
        match chance.is_ruled_out() {
            true => Self {
                weight: 1.0,
                ..chance
            },
            false => chance,
        }
    }

    /// Whether what is left of chance is not worth a digit of every confidence.
    pub(super) fn is_ruled_out(&self) -> bool {
        self.nats >= RULED_OUT
    }

    /// Says so where chance could explain what was found.
    pub(super) fn describe(&self, log: &mut Log) {
        log.parameter(
            "evidence beyond chance in nats",
            format!("{:.3}", self.nats),
        );
        if let Some(standing) = self.standing {
            log.parameter(
                "standing of the anchors above decoys",
                format!("{standing:.2} deviations"),
            );
        }
        if self.nats < 0.0 {
            log.note(Note::hinting(
                "chance could explain this match: two graphs that have nothing to do with each other would be \
                 matched as well, so that no pair is sure",
                &[Hint::MoreAnchors],
            ));
        }
    }
}

/// (own − mean)/deviation of a value that would be one more of the others by chance.
pub(super) fn deviations(own: f64, others: &[f64]) -> f64 {
    let count = others.len().max(2) as f64;
    let mean = others.iter().sum::<f64>() / count;
    let squares: f64 = others.iter().map(|v| (v - mean).powi(2)).sum();
    let variance = squares / (count - 1.0) + DECOY_NATS * DECOY_NATS;
    (own - mean) / (variance * (1.0 + 1.0 / count)).sqrt()
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
    fn anchors_that_stand_above_decoys_rule_chance_out_and_others_bring_it_back() {
        let weight = |nats: f64, standing: f64, left: f64| {
            let chance = Chance::of([nats], true);
            chance.beside_decoys(standing, left).weight
        };
        assert!(weight(-40.0, 15.0, 1.0) > 0.99 && weight(400.0, 0.0, 0.5) < 0.2);
        // Where triangles leave less, more is asked.
        assert!(weight(30.0, 3.0, 0.4) < weight(30.0, 3.0, 1.0));
        let weights = [-2.0, 0.0, 2.0, 4.0, 8.0].map(|standing| weight(0.0, standing, 0.7));
        assert!(weights.is_sorted(), "{weights:?}");
        let again = Chance::of([-300.0], true).found_again();
        assert!(again.is_ruled_out() && again.weight == 1.0);
        let asks_lists = |nats: f64, left: f64| {
            let chance = Chance::of([nats], true);
            chance.is_worth_listed_decoys(400, left)
        };
        // Over lists nothing is too far below the bound where triangles weaken it.
        assert!(asks_lists(-2000.0, 0.5) && asks_lists(100.0, 0.5) && !asks_lists(400.0, 0.5));
        assert!(!asks_lists(-2000.0, 1.0) && asks_lists(-100.0, 1.0) && !asks_lists(100.0, 1.0));
        let asks = |nats: f64, left: f64| Chance::of([nats], true).is_worth_decoys(100, left);
        // A bound that no triangles weaken needs no decoys, and what is far below it has none to fear.
        assert!(!asks(100.0, 1.0) && asks(100.0, 0.8) && !asks(-140.0, 0.8) && !asks(-60.0, 1.0));
        assert!(asks(10.0, 1.0) && asks(400.0, 0.5) && !asks(400.0, 0.8));
    }

    #[test]
    fn a_standing_counts_deviations_of_one_more() {
        // Mean 10, variance 4 beside the floor; one more value of five has 6/5 of it.
        let others = [8.0, 8.0, 10.0, 12.0, 12.0];
        let by_hand = (22.0 - 10.0) / ((4.0 + DECOY_NATS * DECOY_NATS) * 1.2).sqrt();
        assert!((deviations(22.0, &others) - by_hand).abs() < 1e-12);
        assert!(deviations(10.0, &others).abs() < 1e-12);
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
