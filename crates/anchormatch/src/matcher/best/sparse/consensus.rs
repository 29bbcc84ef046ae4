//! Stage *consensus*: a second opinion, weighed by anchors that are hidden.
//!
//! Expansion settles pairs for good, and what it settles wrongly early its neighbours believe. A mean field that
//! begins with the anchors alone and settles nothing makes other mistakes, and where the two disagree neither is to
//! be trusted. The second opinion is the mean P̄ of [`OPINIONS`] such fields, each begun with a part of the anchors
//! hidden, which are shown again for the last iterations. What is believed in the end is
//!
//! (1 − w) P + w P̄, with w the share under which the hidden anchors were the most likely:
//! w = argmax Σ ln max((1 − w) p(h) + w p̄(h), [`UNHEARD`]) over the hidden anchors h,
//!
//! p and p̄ from the two ways begun without them (stacking; Wolpert, Neural Networks 5, 1992). No target is given
//! away twice by either, so neither by their mixture.
//!
//! Second opinions judge missing edges more mildly, where nodes differ in how many edges they keep: the number of
//! common neighbours then varies φ times as much as independent edges would let it (Pearson's χ² over its degrees
//! of freedom), and an edge that is missing counts 1/φ.

use super::beliefs::{Beliefs, believe, go_on};
use super::expansion::{Expansion, expand};
use super::known::Known;
use super::model::Model;
use super::restarts::in_doubt;
use super::rows::by_row;
use super::side::{NONE, Side};
use crate::linalg::Csr;
use crate::matcher::best::thresholds::sparse::{
    CLOSE_RIVALS, FITTED_FROM, HIDDEN_ONE_IN, IN_DOUBT, LARGEST_CONSENSUS, LEAST_HIDDEN,
    OPINION_ITERATIONS, OPINIONS, RESTARTED_FROM, SHOWN_ITERATIONS, UNHEARD,
};
use crate::monitor::Monitor;

/// Weights of the second opinion that are tried.
const WEIGHTS: [f32; 4] = [0.0, 0.25, 0.5, 0.75];

/// Occupancies below this are left out of a mixture.
const LEAST: f32 = 1e-4;

/// The beliefs with second opinions, and what these count; as they were, and 0, where nobody is in doubt, rivals
/// share no more neighbours than by chance, too few anchors can be hidden, the graphs are large, or the monitor stops it.
pub(super) fn agree(
    sides: &[Side<'_>; 2],
    known: &mut Known,
    mut beliefs: Beliefs,
    iterations: usize,
    monitor: &Monitor,
) -> (Beliefs, f32) {
    let nodes = sides[0].nodes().max(sides[1].nodes());
    let sure = beliefs.sure(sides, known, RESTARTED_FROM);
    if nodes > LARGEST_CONSENSUS
        || known.anchors.len() < LEAST_HIDDEN * HIDDEN_ONE_IN
        || in_doubt(&sure) < IN_DOUBT
        || beliefs.model.first < CLOSE_RIVALS.ln()
    {
        return (beliefs, 0.0);
    }
    let partners = beliefs.sure(sides, known, FITTED_FROM);
    let mildness = 1.0 / dispersion(sides, &partners, beliefs.model.seen) as f32;
    let mut weight = 0.0;
    let mut opinions = Vec::new();
    for first in 0..OPINIONS {
        let (hidden, shown) = hide(&known.anchors, first);
        let all = std::mem::replace(&mut known.anchors, shown);
        let opinion = from_anchors(sides, known, mildness, monitor);
        if first == 0 {
            let expansion = expand(sides, known, known.partners(), monitor);
            let own = believe(sides, known, expansion, iterations, monitor);
            weight = likeliest_weight(&hidden, &own.occupancy, &opinion.occupancy);
        }
        known.anchors = all;
        if weight == 0.0 {
            return (beliefs, 0.0);
        }
        let opinion = go_on(sides, known, opinion, SHOWN_ITERATIONS, monitor);
        if monitor.interrupted().is_some() {
            return (beliefs, 0.0);
        }
        opinions.push(opinion.occupancy);
    }
    let each = weight / opinions.len() as f32;
    let parts: Vec<(&Csr<f32>, f32)> = std::iter::once((&beliefs.occupancy, 1.0 - weight))
        .chain(opinions.iter().map(|opinion| (opinion, each)))
        .collect();
    match mixture(&parts, monitor) {
        Some(occupancy) => {
            beliefs.occupancy = occupancy;
            (beliefs, weight)
        }
        None => (beliefs, 0.0),
    }
}

/// Pairs of nodes.
pub(super) type Pairs = Vec<(u32, u32)>;

/// One in so many anchors, and the others.
pub(super) fn hide(anchors: &[(u32, u32)], first: usize) -> (Pairs, Pairs) {
    let numbered = anchors.iter().copied().enumerate();
    let (hidden, shown): (Vec<_>, Vec<_>) =
        numbered.partition(|(k, _)| k % HIDDEN_ONE_IN == first % HIDDEN_ONE_IN);
    let plain = |pairs: Vec<(usize, (u32, u32))>| pairs.into_iter().map(|(_, pair)| pair).collect();
    (plain(hidden), plain(shown))
}

/// A mean field that begins with the anchors alone.
fn from_anchors(sides: &[Side<'_>; 2], known: &Known, mildness: f32, monitor: &Monitor) -> Beliefs {
    let partners = known.partners();
    let model = Model::fit(sides, &partners).with_mildness(mildness);
    let start = Expansion {
        partners,
        model,
        rounds: 0,
    };
    believe(sides, known, start, OPINION_ITERATIONS, monitor)
}

/// w.
pub(super) fn likeliest_weight(hidden: &[(u32, u32)], own: &Csr<f32>, other: &Csr<f32>) -> f32 {
    let share = |occupancy: &Csr<f32>, (i, a): (u32, u32)| {
        f64::from(occupancy.get(i as usize, a as usize).unwrap_or(0.0))
    };
    let log_likelihood = |weight: f32| -> f64 {
        let weight = f64::from(weight);
        let each = hidden.iter().map(|&pair| {
            let mixed = (1.0 - weight) * share(own, pair) + weight * share(other, pair);
            mixed.max(UNHEARD).ln()
        });
        each.sum()
    };
    let mut best = (WEIGHTS[0], log_likelihood(WEIGHTS[0]));
    for &weight in &WEIGHTS[1..] {
        let value = log_likelihood(weight);
        if value > best.1 {
            best = (weight, value);
        }
    }
    best.0
}

/// The weighted sum of occupancies; `None` when the monitor stops it.
pub(super) fn mixture(parts: &[(&Csr<f32>, f32)], monitor: &Monitor) -> Option<Csr<f32>> {
    let (first, _) = parts.first()?;
    by_row(first.rows(), first.cols(), monitor, |i, _, row| {
        for (occupancy, weight) in parts {
            let (nodes, shares) = occupancy.parts(i);
            let entries = nodes.iter().zip(shares);
            row.extend(entries.map(|(&a, &share)| (a, weight * share)));
        }
        row.sort_by_key(|entry| entry.0);
        row.dedup_by(|later, kept| {
            let is_same = later.0 == kept.0;
            if is_same {
                kept.1 += later.1;
            }
            is_same
        });
        row.retain(|entry| entry.1 > LEAST);
    })
}

/// φ: the geometric mean of both sides', at least 1 each.
pub(super) fn dispersion(sides: &[Side<'_>; 2], partners: &[Vec<u32>; 2], seen: [f64; 2]) -> f64 {
    // As if five more nodes had kept what is expected of them.
    const PRIOR: f64 = 5.0;
    let [source, target] = sides;
    let mut sums = [(PRIOR, PRIOR); 2];
    for (i, &a) in partners[0].iter().enumerate() {
        if a == NONE {
            continue;
        }
        let neighbours = source.edges.columns(i).iter();
        let known = neighbours.map(|&j| partners[0][j as usize]);
        let (mut own, mut common) = (0.0, 0.0);
        for b in known.filter(|b| *b != NONE) {
            own += 1.0;
            let kept = target.edges.place(a as usize, b as usize).is_some();
            common += f64::from(u8::from(kept));
        }
        let theirs = target.edges.columns(a as usize).iter();
        let theirs = theirs.filter(|b| partners[1][**b as usize] != NONE).count() as f64;
        // What the source shows, the target keeps a share s₂ of.
        let looks = [(own, seen[1]), (theirs, seen[0])];
        for (sum, (shown, share)) in sums.iter_mut().zip(looks) {
            if shown > 0.0 {
                let expected = shown * share;
                sum.0 += (common - expected).powi(2) / (expected * (1.0 - share));
                sum.1 += 1.0;
            }
        }
    }
    let [one, other] = sums.map(|(squares, count)| (squares / count).max(1.0));
    (one * other).sqrt()
}
