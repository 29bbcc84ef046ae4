//! Stage *restarts*: what the beliefs are sure of is the next expansion's start.
//!
//! Expansion never takes a pair back; beliefs do. Pairs that stayed sure among all the others settle their
//! surroundings anew, and wrong ones that were settled early are out of the way. It ends when the expected
//! number of right pairs no longer grows.

use super::beliefs::{Beliefs, believe};
use super::expansion::expand;
use super::known::Known;
use super::side::{NONE, Side};
use crate::matcher::best::thresholds::sparse::{
    FITTED_FROM, GROWTH, IN_DOUBT, RESTARTED_FROM, ROUNDS_ACROSS,
};
use crate::monitor::Monitor;

/// What comes of a matching that the caller brought, where that is expected to be better; `beliefs` else.
///
/// Pairs of nodes that are taken, by anchors or by earlier ones, are left out.
pub(super) fn begin_from(
    start: &[(usize, usize)],
    sides: &[Side<'_>; 2],
    known: &Known,
    beliefs: Beliefs,
    iterations: usize,
    monitor: &Monitor,
) -> Beliefs {
    if start.is_empty() || monitor.interrupted().is_some() {
        return beliefs;
    }
    let mut first = known.partners();
    for &(i, a) in start {
        if first[0][i] == NONE && first[1][a] == NONE {
            first[0][i] = a as u32;
            first[1][a] = i as u32;
        }
    }
    let expansion = expand(sides, known, first, monitor);
    let others = believe(sides, known, expansion, iterations, monitor);
    let is_better = others.expected_right() > beliefs.expected_right();
    if is_better { others } else { beliefs }
}

/// Where there are edges between the sides: what they say by the pairs that became sure, and what is believed then, twice. What they
/// say is known of pairs before any beliefs, and is not part of an iteration.
pub(super) fn across(
    sides: &[Side<'_>; 2],
    known: &mut Known,
    mut beliefs: Beliefs,
    iterations: usize,
    monitor: &Monitor,
) -> Beliefs {
    for _ in 0..if known.has_crossing() {
        ROUNDS_ACROSS
    } else {
        0
    } {
        if monitor.interrupted().is_some() {
            break;
        }
        let sure = beliefs.sure(sides, known, RESTARTED_FROM);
        let likely = beliefs.sure(sides, known, FITTED_FROM);
        known.fit(&likely);
        let expansion = expand(sides, known, sure, monitor);
        beliefs = believe(sides, known, expansion, iterations, monitor);
    }
    beliefs
}

/// Goes on from `beliefs`, at most so many times with so many iterations; the best beliefs, and how often it
/// was tried.
pub(super) fn restart(
    sides: &[Side<'_>; 2],
    known: &Known,
    mut beliefs: Beliefs,
    (most, iterations): (usize, usize),
    monitor: &Monitor,
) -> (Beliefs, usize) {
    let nodes = sides[0].nodes().min(sides[1].nodes()) as f64;
    let mut expected = beliefs.expected_right();
    for tried in 0..most {
        let sure = beliefs.sure(sides, known, RESTARTED_FROM);
        if in_doubt(&sure) < IN_DOUBT || monitor.interrupted().is_some() {
            return (beliefs, tried);
        }
        let expansion = expand(sides, known, sure, monitor);
        let others = believe(sides, known, expansion, iterations, monitor);
        let right = others.expected_right();
        if monitor.interrupted().is_some() || right < expected {
            return (beliefs, tried + 1);
        }
        let growth = right - expected;
        (beliefs, expected) = (others, right);
        if growth < GROWTH * nodes {
            return (beliefs, tried + 1);
        }
    }
    (beliefs, most)
}

/// The share of the smaller side's nodes that have no partner yet.
pub(super) fn in_doubt(partners: &[Vec<u32>; 2]) -> f64 {
    let nodes = partners[0].len().min(partners[1].len()) as f64;
    let settled = partners[0].iter().filter(|a| **a != NONE).count() as f64;
    (nodes - settled) / nodes.max(1.0)
}
