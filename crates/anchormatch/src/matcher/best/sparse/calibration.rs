//! Stage *calibration*: how much of the evidence is to be believed, by the anchors.
//!
//! Edges are shared for reasons of their own, and a model that takes each of them for a witness apart is too sure. Anchors
//! tell: each one is asked as if it were not given, and the share β of the nats is taken under which the partners that are
//! known were the most likely. Then every node's nats count β times. What neighbours know, they know in part from the
//! anchor itself, so that β is rather too high than too low.

use super::beliefs::{Beliefs, Surroundings};
use super::known::Known;
use super::rows::for_nodes;
use super::side::{NONE, Side};
use crate::matcher::best::thresholds::sparse::{ANCHORS_ASKED, CALIBRATION_GAIN};
use crate::monitor::Monitor;

/// Shares that are tried.
const SHARES: [f32; 14] = [
    1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.42, 0.35, 0.3, 0.25, 0.2, 0.16, 0.13, 0.1,
];

/// One anchor's own nats, and those of its rivals and of all others together.
struct Question {
    own: f32,
    rivals: Vec<f32>,
    others: f64,
}

impl Question {
    /// ln of the probability that the anchor's partner would have, of the `share` of all nats.
    fn log_likelihood(&self, share: f32) -> f64 {
        let own = f64::from(share * self.own);
        let rivals = self.rivals.iter().map(|nats| f64::from(share * nats));
        let top = rivals.clone().fold(own, f64::max);
        let sum: f64 = rivals.chain([own]).map(|nats| (nats - top).exp()).sum();
        own - top - (sum + self.others * (-top).exp()).ln()
    }
}

/// β: 1 where the anchors have nothing against it.
pub(super) fn believable_share(
    sides: &[Side<'_>; 2],
    known: &Known,
    beliefs: &Beliefs,
    monitor: &Monitor,
) -> f32 {
    let step = known.anchors.len().div_ceil(ANCHORS_ASKED).max(1);
    let asked: Vec<u32> = (known.anchors.iter().step_by(step))
        .map(|anchor| anchor.0)
        .collect();
    let surroundings = beliefs.surroundings(sides);
    let questions = questions(sides, known, beliefs, &surroundings, &asked, monitor);
    let total = |share: f32| -> f64 {
        let each = questions.iter().flatten();
        each.map(|question| question.log_likelihood(share)).sum()
    };
    let (all, mut best) = (total(1.0), (1.0, CALIBRATION_GAIN));
    for share in SHARES {
        let gain = total(share) - all;
        if gain > best.1 {
            best = (share, gain);
        }
    }
    best.0
}

/// What the neighbours of anchors say; nothing when the monitor stops it.
fn questions(
    sides: &[Side<'_>; 2],
    known: &Known,
    beliefs: &Beliefs,
    surroundings: &Surroundings,
    asked: &[u32],
    monitor: &Monitor,
) -> Vec<Option<Question>> {
    let anchored = known.partners();
    let everybody = |_: u32| true;
    let nobody = vec![NONE; sides[0].nodes()];
    let outlook = beliefs.outlook(sides, known, surroundings, &nobody, &everybody);
    let found = for_nodes(asked, monitor, |i, scratch| {
        outlook.candidates(i, scratch);
        let partner = anchored[0][i];
        let own = scratch.candidates.iter().find(|c| c.node == partner);
        // Whom nobody speaks for is one of the others, and tells nothing of those whom somebody does.
        let own = own?.nats;
        let rivals = scratch.candidates.iter().filter_map(|candidate| {
            let a = candidate.node as usize;
            let is_free = candidate.node != partner && anchored[1][a] == NONE;
            // Somebody else may have it.
            let left = (1.0 - surroundings.masses[1][a]).max(1e-3);
            is_free.then(|| candidate.nats + left.ln())
        });
        Some(Question {
            own,
            rivals: rivals.collect(),
            others: known.others(0, i, surroundings.left),
        })
    });
    found.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(own: f32, rivals: &[f32]) -> Question {
        Question {
            own,
            rivals: rivals.to_vec(),
            others: 0.0,
        }
    }

    #[test]
    fn the_likelihood_is_that_of_the_softmax() {
        let question = question(2.0, &[1.0, -1.0]);
        let by_hand = 2f64.exp() / (2f64.exp() + 1f64.exp() + (-1f64).exp());
        assert!((question.log_likelihood(1.0) - by_hand.ln()).abs() < 1e-6);
        let halved = 1f64.exp() / (1f64.exp() + 0.5f64.exp() + (-0.5f64).exp());
        assert!((question.log_likelihood(0.5) - halved.ln()).abs() < 1e-6);
    }

    #[test]
    fn anchors_that_lose_lower_the_share() {
        // Three in four are right by ten nats: two such rivals are told apart by ln 3.
        let questions: Vec<Question> = (0..40)
            .map(|k| match k % 4 {
                0 => question(0.0, &[10.0]),
                _ => question(10.0, &[0.0]),
            })
            .collect();
        let total = |share: f32| -> f64 { questions.iter().map(|q| q.log_likelihood(share)).sum() };
        let best = SHARES
            .into_iter()
            .max_by(|x, y| total(*x).total_cmp(&total(*y)))
            .expect("shares");
        assert!((best - 0.11).abs() < 0.03, "{best}");
        assert!(total(best) - total(1.0) > CALIBRATION_GAIN);
    }
}
