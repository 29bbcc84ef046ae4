//! Part of stage *chance* over lists of candidates: would other anchors have led to as good a match?
//!
//! As in [`decoys`](crate::matcher::best::decoys), the anchors' source nodes get other targets of about the same degree. Expansion and
//! beliefs begin at them as they began at the given anchors, and what they find is judged in the same way. In unrelated graphs the given
//! anchors are one draw more, whatever the graphs repeat of themselves; where there is something to find, decoys lead to little, and
//! the fewer edges are common, the less. Or they lead to the same match in spite of themselves, which matches of strangers never are. The match that the given anchors lead to is searched for in the same quick way, for only then are
//! they one draw more.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::beliefs::believe;
use super::decision::decide;
use super::expansion::expand;
use super::known::Known;
use super::model::Model;
use super::restarts::restart;
use super::side::{NONE, Side};
use crate::matcher::best::chance::deviations;
use crate::matcher::best::thresholds::sparse::{
    FIRST_DECOYS, FOUND_AGAIN, GUESSED, RESTARTED_FROM,
};
use crate::matcher::best::thresholds::{DECOY_RANGE, DECOYS, LEAST_DECOYED};
use crate::matching::Pair;
use crate::monitor::Monitor;

/// Draws for a target that is free before an anchor is left out.
const DRAWS: usize = 64;

/// How matches are searched for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Quick {
    pub(super) iterations: usize,
    pub(super) seed: u64,
}

/// What other anchors than the given ones lead to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Comparison {
    /// By how many standard deviations the match of the given anchors is above the others.
    Standing(f64),
    /// One of the others is largely the same match: it is there to be found whatever the anchors.
    FoundAgain,
}

/// A match as it is compared.
struct Found {
    values: [f64; 2],
    /// The partners that something speaks for.
    partners: Vec<u32>,
}

/// Compares the match that the anchors lead to with those of decoys; no more of these are drawn than are needed for a plain answer.
/// `None` where there are no anchors, or the monitor stops it.
///
/// # Complexity
/// At most [`DECOYS`] + 1 times expansion, beliefs and a restart.
pub(super) fn compare(
    sides: &[Side<'_>; 2],
    known: &mut Known,
    quick: Quick,
    is_plain: impl Fn(f64) -> bool,
    monitor: &Monitor,
) -> Option<Comparison> {
    if known.anchors.is_empty() {
        return None;
    }
    let found = |known: &Known| {
        let expansion = expand(sides, known, known.partners(), monitor);
        let beliefs = believe(sides, known, expansion, quick.iterations, monitor);
        let (beliefs, _) = restart(sides, known, beliefs, (1, quick.iterations), monitor);
        let pairs = decide(sides, known, &beliefs.occupancy, false);
        let is_whole = monitor.interrupted().is_none();
        is_whole.then(|| Found::of(sides, &beliefs.model, &pairs))
    };
    let own = found(known)?;
    let mut others = Vec::with_capacity(DECOYS);
    for k in 0..DECOYS as u64 {
        let decoys = drawn(&sides[1], &known.anchors, quick.seed.wrapping_add(k));
        let given = std::mem::replace(&mut known.anchors, decoys);
        let other = found(known);
        known.anchors = given;
        let other = other?;
        if own.is_found_again(&other) {
            return Some(Comparison::FoundAgain);
        }
        others.push(other.values);
        if others.len() >= FIRST_DECOYS && is_plain(mean_of_deviations(own.values, &others)) {
            break;
        }
    }
    Some(Comparison::Standing(mean_of_deviations(
        own.values, &others,
    )))
}

impl Found {
    fn of(sides: &[Side<'_>; 2], model: &Model, pairs: &[Pair]) -> Self {
        let mut partners = vec![NONE; sides[0].nodes()];
        let likely = |pair: &&Pair| !pair.anchor && pair.confidence >= f64::from(GUESSED);
        for pair in pairs.iter().filter(likely) {
            partners[pair.source] = pair.target as u32;
        }
        Self {
            values: values(sides, model, pairs),
            partners,
        }
    }

    /// Whether the other match has a share of the pairs that matches of strangers never have in common.
    fn is_found_again(&self, other: &Self) -> bool {
        let likely = self.partners.iter().filter(|&&a| a != NONE).count();
        let both = self.partners.iter().zip(&other.partners);
        let agreed = both.filter(|(a, b)| a == b && **a != NONE).count();
        likely >= LEAST_DECOYED && agreed as f64 >= FOUND_AGAIN * likely as f64
    }
}

/// The evidence of the pairs that something speaks for, in nats, and how many of them are sure. The one tells more where hardly anything
/// is sure, the other where matches of strangers differ much in their evidence.
fn values(sides: &[Side<'_>; 2], model: &Model, pairs: &[Pair]) -> [f64; 2] {
    let from = |least: f32| {
        pairs
            .iter()
            .filter(move |pair| pair.anchor || pair.confidence >= f64::from(least))
    };
    let likely: Vec<Pair> = from(GUESSED).copied().collect();
    [
        model.evidence(sides, &likely),
        from(RESTARTED_FROM).count() as f64,
    ]
}

fn mean_of_deviations(own: [f64; 2], others: &[[f64; 2]]) -> f64 {
    let of = |which: usize| {
        let others: Vec<f64> = others.iter().map(|values| values[which]).collect();
        deviations(own[which], &others)
    };
    0.5 * (of(0) + of(1))
}

/// Anchors of the same source nodes, each with a target of about the same degree that no anchor has.
fn drawn(target: &Side<'_>, anchors: &[(u32, u32)], seed: u64) -> Vec<(u32, u32)> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let nodes = target.nodes();
    let mut order: Vec<(usize, u32, u32)> = (0..nodes as u32)
        .map(|a| (target.degree(a as usize), random.random(), a))
        .collect();
    order.sort_unstable();
    let mut place = vec![0; nodes];
    for (at, &(_, _, a)) in order.iter().enumerate() {
        place[a as usize] = at;
    }
    let mut is_taken = vec![false; nodes];
    anchors
        .iter()
        .for_each(|&(_, a)| is_taken[a as usize] = true);
    let window = ((nodes as f64 * DECOY_RANGE) as usize).clamp(1, nodes);
    let mut pairs = Vec::with_capacity(anchors.len());
    for &(i, a) in anchors {
        let first = place[a as usize]
            .saturating_sub(window / 2)
            .min(nodes - window);
        for _ in 0..DRAWS {
            let other = order[first + random.random_range(0..window)].2;
            if !std::mem::replace(&mut is_taken[other as usize], true) {
                pairs.push((i, other));
                break;
            }
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Graph;

    #[test]
    fn decoys_are_other_targets_of_about_the_same_degree() {
        // Node i is joined to the i before it, so that degrees are all that tells nodes apart.
        let edges: Vec<(usize, usize, f64)> = (0..40)
            .flat_map(|i| {
                (0..i)
                    .filter(move |j| i + j >= 40)
                    .map(move |j| (j, i, 1.0))
            })
            .collect();
        let graph = Graph::from_edges(40, &edges).unwrap();
        let side = Side::new(&graph, false);
        let anchors = [(3, 5), (4, 20), (5, 38)];
        let pairs = drawn(&side, &anchors, 7);
        assert_eq!(pairs.len(), 3);
        let range = (40.0 * DECOY_RANGE) as usize;
        for (&(i, a), &(j, b)) in anchors.iter().zip(&pairs) {
            assert_eq!(i, j);
            assert!(anchors.iter().all(|anchor| anchor.1 != b));
            let [own, other] = [a, b].map(|node| side.degree(node as usize));
            assert!(own.abs_diff(other) <= range, "{own} {other}");
        }
        assert_eq!(drawn(&side, &anchors, 7), pairs);
        assert_ne!(drawn(&side, &anchors, 8), pairs);
    }

    #[test]
    fn a_match_is_found_again_where_enough_of_it_is() {
        let of = |partners: Vec<u32>| Found {
            values: [0.0; 2],
            partners,
        };
        let own = of((0..100).collect());
        let first = |count: u32| of((0..100).map(|i| if i < count { i } else { NONE }).collect());
        let enough = (100.0 * FOUND_AGAIN) as u32;
        assert!(own.is_found_again(&first(enough)));
        assert!(!own.is_found_again(&first(enough - 1)));
        // A few pairs may agree by chance, and nothing is no agreement.
        assert!(!first(LEAST_DECOYED as u32 - 1).is_found_again(&own));
        assert!(!first(0).is_found_again(&first(0)));
    }

    #[test]
    fn anchors_that_take_all_targets_have_no_decoys() {
        let graph = Graph::from_edges(3, &[(0, 1, 1.0), (1, 2, 1.0)]).unwrap();
        let side = Side::new(&graph, false);
        assert!(drawn(&side, &[(0, 0), (1, 1), (2, 2)], 1).is_empty());
    }
}
