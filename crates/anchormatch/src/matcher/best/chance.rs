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
    DECOYS_ASKED, DECOYS_EXPLAINED, DISTANCES_NEEDED, DISTANCES_SETTLE, FORETOLD_NEEDED,
    HIDDEN_ASKED, HIDDEN_IN_DOUBT, HIDDEN_LEAST, HIDDEN_MISTAKES, HIDDEN_NEEDED,
    LISTED_DECOYS_ASKED, LISTED_FORETOLD_NEEDED, LISTED_FORETOLD_STEEPNESS, LISTED_STANDING,
    MAP_DECOY_NATS, MAP_FORETOLD_NEEDED, MAP_FORETOLD_STEEPNESS, MAP_HIDDEN_IN_DOUBT, MAP_PLAIN,
    MAP_STANDING, MAP_STANDING_BESIDE, MAP_STEEPNESS, STANDING, STANDING_BESIDE,
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
    /// How many nats the anchors foretell of each other, where that was asked.
    foretold: Option<f64>,
    /// How many nats the distances of anchors from each other tell, where these were asked.
    distances: Option<f64>,
}

/// What anchors foretell of each other: of each of them, how many times likelier its pair is by a match that does not know it
/// than by a blind choice.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Foretold(pub(super) Vec<f64>);

impl Foretold {
    /// The logarithm of the mean, over shares ε of the match that may be wrong, of Π (ε + (1 − ε) times).
    fn nats(&self) -> f64 {
        let product = |mistakes: f64| {
            let each = (self.0.iter()).map(|times| (mistakes + (1.0 - mistakes) * times).ln());
            each.sum::<f64>()
        };
        let all = HIDDEN_MISTAKES.map(product);
        let most = all.into_iter().fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = all.iter().map(|nats| (nats - most).exp()).sum();
        most + (sum / all.len() as f64).ln()
    }
}

/// What became of the promises of matches that did not know some of the anchors.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Promises {
    /// The logarithm of an e-value: strangers have e^x or more once in e^x times.
    pub(super) nats: f64,
    /// The sum of the greatest probabilities of the anchors that were hidden, and how many of those partners were right.
    claimed: f64,
    right: f64,
}

impl Default for Promises {
    fn default() -> Self {
        Self {
            nats: f64::NEG_INFINITY,
            claimed: 0.0,
            right: 0.0,
        }
    }
}

impl Promises {
    /// One fold of so many; the e-value is the mean of theirs.
    pub(super) fn add_fold(&mut self, foretold: &Foretold, folds: usize) {
        let fold = foretold.nats() - (folds as f64).ln();
        let most = fold.max(self.nats);
        self.nats = most + ((fold - most).exp() + (self.nats - most).exp()).ln();
    }

    /// A hidden anchor whose likeliest partner had such a probability.
    pub(super) fn add(&mut self, probability: f64, is_right: bool) {
        self.claimed += probability;
        self.right += f64::from(u8::from(is_right));
    }

    /// The share of the promises that was kept, one deviation in favour. Where nothing was foretold, they tell nothing of a match that
    /// needs all anchors.
    pub(super) fn kept(&self) -> f64 {
        let most = self.right + (self.right + 1.0).sqrt();
        if self.nats > 0.0 && self.claimed > most {
            most / self.claimed
        } else {
            1.0
        }
    }
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
        self.beside_standing(standing, STANDING[0] + STANDING[1] * (1.0 - left))
    }

    /// The same over lists of candidates, where the number of sure pairs is compared as well, and matches of strangers vary less.
    pub(super) fn beside_listed_decoys(self, standing: f64) -> Self {
        self.beside_standing(standing, LISTED_STANDING)
    }

    /// With how many nats the distances of anchors from each other tell.
    pub(super) fn beside_distances(self, told: f64) -> Self {
        Self {
            distances: Some(told),
            ..Self::beyond((told - DISTANCES_NEEDED + self.bounded()) * CHANCE_WIDTH)
        }
    }

    /// Whether these leave no question for decoys.
    pub(super) fn is_settled_by_distances(&self) -> bool {
        self.distances.is_some() && self.is_settled()
    }

    /// What leaves less to chance of this and another answer.
    pub(super) fn or(self, other: Option<Self>) -> Self {
        match other {
            Some(other) if other.weight > self.weight => other,
            _ => self,
        }
    }

    /// The log odds of the evidence, which count for little beside what anchors tell.
    fn bounded(&self) -> f64 {
        (self.nats / CHANCE_WIDTH).clamp(-STANDING_BESIDE, STANDING_BESIDE)
    }

    fn beside_standing(self, standing: f64, needed: f64) -> Self {
        Self {
            standing: Some(standing),
            ..Self::beyond((standing - needed + self.bounded()) * CHANCE_WIDTH)
        }
    }

    /// Whether anchors are worth hiding, of so many pairs and where such a share of the weights is independent.
    pub(super) fn is_worth_hiding(&self, pairs: usize, independent: f64) -> bool {
        let [least, most] = HIDDEN_IN_DOUBT;
        if independent < 1.0 {
            self.nats < most.max(HIDDEN_ASKED * pairs as f64)
        } else {
            pairs >= HIDDEN_LEAST && (least..most).contains(&self.nats)
        }
    }

    /// With what the anchors foretell of each other. Where weights are independent the bound counts as well; where they are not,
    /// chance has more than it knows, and it counts for little.
    pub(super) fn beside_hidden(self, foretold: &Foretold, independent: f64) -> Self {
        let told = foretold.nats();
        let odds = match independent < 1.0 {
            true => told - HIDDEN_NEEDED[1] + self.bounded(),
            false => told - HIDDEN_NEEDED[0] + self.nats / CHANCE_WIDTH,
        };
        Self {
            foretold: Some(told),
            ..Self::beyond(odds * CHANCE_WIDTH)
        }
    }

    /// With what nearly all anchors foretell of each. Two that agree by chance foretell each other, so that half of it counts: k
    /// anchors that agree tell (k − 1) ln m, and foretell k ln m.
    pub(super) fn of_each_other(foretold: &Foretold) -> Self {
        let told = 0.5 * foretold.nats();
        Self {
            foretold: Some(told),
            ..Self::beyond((told - FORETOLD_NEEDED) * CHANCE_WIDTH)
        }
    }

    /// With what matches foretell that do not know some of the anchors.
    pub(super) fn of_promises(promises: &Promises) -> Self {
        Self {
            foretold: Some(promises.nats),
            ..Self::beyond(
                LISTED_FORETOLD_STEEPNESS * (promises.nats - LISTED_FORETOLD_NEEDED) * CHANCE_WIDTH,
            )
        }
    }

    /// Confidences by as much smaller as such matches promised too much.
    pub(super) fn as_promised(self, promises: &Promises) -> Self {
        Self {
            weight: self.weight * promises.kept(),
            ..self
        }
    }

    /// Whether so little is left to chance that nobody else need be asked.
    pub(super) fn is_settled(&self) -> bool {
        self.weight >= DISTANCES_SETTLE
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
    pub(super) fn is_plain_beside(&self, standing: f64) -> bool {
        self.beside_listed_decoys(standing).is_ruled_out()
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

    /// Whether decoys are worth asking about a map of such an evidence: less than that of the anchors alone needs none.
    pub(super) fn is_worth_decoys_of_maps(evidence: f64) -> bool {
        evidence > 0.0
    }

    /// By how far the evidence of a map stands above that of decoys. The bound may speak against it beside that, not for
    /// it: on lattices and along lines chance has far more than it knows.
    pub(super) fn beside_decoys_of_maps(self, evidence: f64, others: &[f64]) -> Self {
        let standing = deviations_beyond(evidence, others, MAP_DECOY_NATS);
        let bounded = (self.nats / CHANCE_WIDTH).clamp(-MAP_STANDING_BESIDE, 0.0);
        Self {
            standing: Some(standing),
            ..Self::beyond((MAP_STEEPNESS * (standing - MAP_STANDING) + bounded) * CHANCE_WIDTH)
        }
    }

    /// Whether anchors are worth hiding to learn more of a map: where decoys leave a doubt.
    pub(super) fn is_worth_hiding_from_maps(&self) -> bool {
        self.nats.abs() < MAP_HIDDEN_IN_DOUBT * CHANCE_WIDTH
    }

    /// With what the other anchors foretell of each under a map, the logarithm of an e-value.
    pub(super) fn beside_foretold_by_maps(self, told: f64) -> Self {
        let odds = MAP_FORETOLD_STEEPNESS * told - MAP_FORETOLD_NEEDED;
        Self {
            standing: self.standing,
            foretold: Some(told),
            ..Self::beyond(self.nats + odds * CHANCE_WIDTH)
        }
    }

    /// What the probabilities of pairs are multiplied by when there is a map with this probability: who asked decoys how probable that
    /// is need not ask the bound of no map at all as well.
    pub(super) fn weight_of_maps(&self, probability: f64) -> f64 {
        match self.standing {
            Some(_) if probability > 0.0 => self.weight / probability.min(1.0),
            _ => self.weight,
        }
    }

    /// Whether so many decoys leave no doubt about a map.
    pub(super) fn is_plain_beside_maps(&self, others: &[f64]) -> bool {
        let least = if others.len() > 1 {
            MAP_PLAIN[1]
        } else {
            MAP_PLAIN[0]
        };
        self.standing.is_some_and(|standing| standing >= least)
    }

    fn beyond(nats: f64) -> Self {
        let weight = 1.0 / (1.0 + (-nats / CHANCE_WIDTH).exp());
        let chance = Self {
            nats,
            weight,
            standing: None,
            foretold: None,
            distances: None,
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
        if let Some(told) = self.distances {
            log.parameter(
                "what the distances of anchors from each other tell",
                format!("{told:.2} nats"),
            );
        }
        if let Some(foretold) = self.foretold {
            log.parameter(
                "what anchors foretell of each other",
                format!("{foretold:.2} nats"),
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
    deviations_beyond(own, others, DECOY_NATS)
}

/// The same of values that differ by so much at the least.
fn deviations_beyond(own: f64, others: &[f64], least: f64) -> f64 {
    let count = others.len().max(1) as f64;
    let mean = others.iter().sum::<f64>() / count;
    let squares: f64 = others.iter().map(|v| (v - mean).powi(2)).sum();
    let variance = squares / (count - 1.0).max(1.0) + least * least;
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
    fn promises_are_believed_as_far_as_they_were_kept() {
        // Three folds of two hidden anchors each: one search found both, the others none.
        let mut promises = Promises::default();
        assert_eq!(Chance::of_promises(&promises).weight, 0.0);
        for times in [[100.0, 300.0], [0.0, 0.0], [0.0, 0.0]] {
            promises.add_fold(&Foretold(times.to_vec()), 3);
            for times in times {
                promises.add(0.9, times > 0.0);
            }
        }
        // The mean over folds, and over shares of mistakes, of Π (ε + (1 − ε) times).
        let fold = |times: [f64; 2]| {
            let each =
                HIDDEN_MISTAKES.map(|e| (e + (1.0 - e) * times[0]) * (e + (1.0 - e) * times[1]));
            each.iter().sum::<f64>() / each.len() as f64
        };
        let mean = (fold([100.0, 300.0]) + 2.0 * fold([0.0, 0.0])) / 3.0;
        assert!((promises.nats - mean.ln()).abs() < 1e-12);
        // Two of 5.4 that were promised are right, and √3 more may be.
        assert!((promises.kept() - (2.0 + 3f64.sqrt()) / 5.4).abs() < 1e-12);
        let chance = Chance::of_promises(&promises);
        assert!(chance.is_settled());
        let believed = chance.as_promised(&promises);
        assert_eq!(believed.weight, chance.weight * promises.kept());
        // All promises kept, and none of what nobody could know.
        let mut kept = Promises::default();
        kept.add_fold(&Foretold(vec![100.0]), 1);
        kept.add(0.9, true);
        assert_eq!(kept.kept(), 1.0);
        let mut nothing = Promises::default();
        nothing.add_fold(&Foretold(vec![0.0; 4]), 1);
        (0..4).for_each(|_| nothing.add(0.9, false));
        assert!(nothing.nats < 0.0 && nothing.kept() == 1.0);
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
        let listed = |standing: f64| Chance::of([-900.0], true).beside_listed_decoys(standing);
        // Strangers stood 3.4 at the most; graphs of which half was right, 5 and more.
        assert!(listed(3.4).weight < 0.3 && listed(5.0).weight > 0.5 && listed(8.0).weight > 0.9);
        assert!(!listed(8.0).is_plain_beside(8.0) && listed(0.0).is_plain_beside(30.0));
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
    fn anchors_that_nearly_all_others_foretell_rule_chance_out() {
        let weight = |times: &[f64]| Chance::of_each_other(&Foretold(times.to_vec())).weight;
        // Six of a hundred free nodes, all or half of them foretold, or none.
        assert!(weight(&[90.0; 6]) > 0.99);
        assert!(weight(&[50.0, 50.0, 50.0, 0.0, 0.0, 0.0]) > 0.5);
        assert!(weight(&[0.0; 6]) < 0.2 && weight(&[1.0; 6]) < 0.2);
        // Two that agree by chance are no proof.
        assert!(weight(&[90.0, 90.0, 0.0, 0.0, 0.0, 0.0]) < 0.5);
    }

    #[test]
    fn maps_that_stand_above_those_of_decoys_are_no_chance() {
        let weight = |evidence: f64, others: &[f64]| {
            let chance = Chance::of_maps(evidence, 40);
            chance.beside_decoys_of_maps(evidence, others).weight
        };
        let strewn = [-1.0, -2.5, 0.5, -1.8];
        // The bound alone would have these for chance, at 8 nats as likely as not.
        let weights = [-2.0, 2.0, 7.0, 12.0, 20.0].map(|evidence| weight(evidence, &strewn));
        assert!(weights.is_sorted(), "{weights:?}");
        assert!(weights[0] < 0.05 && weights[2] > 0.6 && weights[3] > 0.9);
        // On a lattice any anchors lead to much.
        assert!(weight(90.0, &[80.0, 110.0, 60.0, 95.0]) < 0.1);
        assert!(weight(90.0, &strewn[..2]) > 1.0 - 1e-9);
        let one = Chance::of_maps(60.0, 40).beside_decoys_of_maps(60.0, &strewn[..1]);
        assert!(one.is_plain_beside_maps(&strewn[..1]));
        let one = Chance::of_maps(20.0, 40).beside_decoys_of_maps(20.0, &strewn[..1]);
        assert!(!one.is_plain_beside_maps(&strewn[..1]));
        assert!(Chance::is_worth_decoys_of_maps(3.0) && !Chance::is_worth_decoys_of_maps(-3.0));
    }

    #[test]
    fn anchors_that_others_foretell_settle_what_decoys_leave_in_doubt() {
        let strewn = [-1.0, -2.5, 0.5, -1.8];
        let doubtful = Chance::of_maps(2.0, 40).beside_decoys_of_maps(2.0, &strewn);
        assert!(doubtful.is_worth_hiding_from_maps());
        let told = [0.0, 1.0, 2.0, 4.0].map(|nats| doubtful.beside_foretold_by_maps(nats).weight);
        assert!(
            told.is_sorted() && told[0] < doubtful.weight && told[3] > 0.99,
            "{told:?}"
        );
        let plain = Chance::of_maps(60.0, 40).beside_decoys_of_maps(60.0, &strewn);
        assert!(!plain.is_worth_hiding_from_maps());
        // Decoys say how probable a map is; where nobody asked them, no map at all does.
        let bound = Chance::of_maps(2.0, 40);
        assert_eq!(bound.weight_of_maps(0.5), bound.weight);
        assert_eq!(doubtful.weight_of_maps(0.5), 2.0 * doubtful.weight);
        assert_eq!(doubtful.weight_of_maps(0.0), doubtful.weight);
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
    fn blind_anchors_are_foretold_at_most_as_often_as_not() {
        // Any confidences whose rows sum to at most 1, and all pairs of different targets for two hidden nodes.
        let sure = [[0.7, 0.1, 0.1, 0.1], [0.9, 0.0, 0.05, 0.0]];
        let pairs = (0..4).flat_map(|a| (0..4).map(move |b| (a, b)));
        let pairs: Vec<_> = pairs.filter(|(a, b)| a != b).collect();
        let likelier = pairs.iter().map(|&(a, b)| {
            let foretold = Foretold(vec![4.0 * sure[0][a], 3.0 * sure[1][b]]);
            foretold.nats().exp()
        });
        let mean = likelier.sum::<f64>() / pairs.len() as f64;
        assert!(mean <= 1.0, "{mean}");
        let foretold = Foretold(vec![10.0, 0.0]);
        let by_hand = |mistakes: f64| (mistakes + (1.0 - mistakes) * 10.0) * mistakes;
        let mean = HIDDEN_MISTAKES.map(by_hand).iter().sum::<f64>() / 3.0;
        assert!((foretold.nats() - mean.ln()).abs() < 1e-12);
    }

    #[test]
    fn anchors_that_foretell_each_other_rule_chance_out() {
        let weight = |nats: f64, times: [f64; 3], independent: f64| {
            let chance = Chance::of([nats], false);
            let foretold = Foretold(times.to_vec());
            chance.beside_hidden(&foretold, independent).weight
        };
        let (all, none) = ([90.0, 90.0, 80.0], [0.0; 3]);
        assert!(weight(-200.0, all, 0.1) > 0.99 && weight(20.0, none, 0.1) < 0.2);
        // Two of three are enough where weights depend on each other; where they do not, the bound counts as well.
        assert!(weight(-20.0, [90.0, 0.0, 80.0], 0.1) > 0.5);
        assert!(weight(-20.0, [9.0, 0.0, 8.0], 1.0) < weight(10.0, [9.0, 0.0, 8.0], 1.0));
        let asks = |nats: f64, independent: f64| {
            Chance::of([nats], false).is_worth_hiding(100, independent)
        };
        assert!(asks(-200.0, 0.1) && asks(10.0, 0.1) && !asks(100.0, 0.1));
        assert!(!asks(-100.0, 1.0) && asks(0.0, 1.0) && !asks(100.0, 1.0));
        assert!(!Chance::of([0.0], false).is_worth_hiding(HIDDEN_LEAST - 1, 1.0));
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
