//! Part of stage *chance*: do two halves of the anchors lead to the same pairs?
//!
//! The bounds of [`chance`](crate::matcher::best::chance) and [`closure`](crate::matcher::best::closure) have to allow for every
//! graph whose neighbourhoods can be laid upon each other, and noise makes them call some matches chance that are right
//! in most pairs. Anchors tell more. Each half of them is matched by itself, knowing nothing of the other: where there is
//! something to find, both find the same; in unrelated graphs each lays its own patches elsewhere, and they agree on a pair
//! hardly more often than blind choices do. Both are as good as each other, so that the share on which they agree is about
//! the square of what either has right; and where each is sure of pairs that the other has elsewhere, neither is to be
//! believed.
//!
//! Halves know less than all anchors, and lists less than all pairs: of few nodes, with weights or with directions, both may be
//! wrong where the match is right, and only what they agree on counts.
//!
//! Evidence that is not of edges speaks to both halves alike, and nothing follows where there is some.

use super::beliefs::believe;
use super::consensus::Pairs;
use super::decision::decide;
use super::expansion::expand;
use super::known::Known;
use super::restarts::restart;
use super::side::{NONE, Side};
use crate::matcher::best::chance::Agreement;
use crate::matcher::best::thresholds::sparse::GUESSED;
use crate::monitor::Monitor;
use crate::symmetry::Orbits;

/// For how many of these source nodes both halves have the same partner; `None` when they cannot be asked, or the monitor stops it.
///
/// Partners that nothing tells apart count as one.
pub(super) fn agreement(
    sides: &[Side<'_>; 2],
    known: &mut Known,
    nodes: impl Iterator<Item = usize>,
    orbits: &Orbits,
    iterations: usize,
    monitor: &Monitor,
) -> Option<Agreement> {
    if known.anchors.len() < 2 || !known.is_of_edges_alone() {
        return None;
    }
    let all = std::mem::take(&mut known.anchors);
    let halves: [Option<Vec<(u32, f64)>>; 2] = [0, 1].map(|half| {
        known.anchors = half_of(&all, half);
        found(sides, known, iterations, monitor)
    });
    known.anchors = all;
    let [Some(one), Some(other)] = halves else {
        return None;
    };
    let are_alike = |a: u32, b: u32| {
        let group = |node: u32| orbits.group_of(node as usize);
        a == b || (group(a).is_some() && group(a) == group(b))
    };
    let mut agreement = Agreement {
        is_plain: (sides.iter()).all(|side| side.weights.is_none() && side.kinds.is_none()),
        ..Agreement::default()
    };
    for i in nodes {
        agreement.asked += 1;
        let ((a, sure), (b, as_sure)) = (one[i], other[i]);
        let is_agreed = a != NONE && b != NONE && are_alike(a, b);
        agreement.agreed += usize::from(is_agreed);
        agreement.expected += sure * as_sure;
    }
    Some(agreement)
}

/// Every other anchor.
fn half_of(anchors: &[(u32, u32)], first: usize) -> Pairs {
    anchors.iter().skip(first).step_by(2).copied().collect()
}

/// The partners that something speaks for, with their probabilities; `None` when the monitor stops it.
fn found(
    sides: &[Side<'_>; 2],
    known: &Known,
    iterations: usize,
    monitor: &Monitor,
) -> Option<Vec<(u32, f64)>> {
    let expansion = expand(sides, known, known.partners(), monitor);
    let beliefs = believe(sides, known, expansion, iterations, monitor);
    let (beliefs, _) = restart(sides, known, beliefs, (1, iterations), monitor);
    if monitor.interrupted().is_some() {
        return None;
    }
    let mut partners = vec![(NONE, 0.0); sides[0].nodes()];
    for pair in decide(sides, known, &beliefs.occupancy, false) {
        // The others are paired by their degrees, the same in both halves.
        if pair.confidence >= f64::from(GUESSED) {
            partners[pair.source] = (pair.target as u32, pair.confidence);
        }
    }
    Some(partners)
}
