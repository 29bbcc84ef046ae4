//! Stage *restarts*: what the beliefs are sure of is the next expansion's start.
//!
//! Expansion never takes a pair back; beliefs do. Pairs that stayed sure among all the others settle their
//! surroundings anew, and wrong ones that were settled early are out of the way. It ends when the expected
//! number of right pairs no longer grows.

use super::beliefs::{Beliefs, believe};
use super::expansion::expand;
use super::known::Known;
use super::side::{NONE, Side};
use crate::monitor::Monitor;

/// Probabilities above which a pair is part of the next start.
const SURE: f32 = 0.9;

/// The share of nodes in doubt below which nothing is to be gained.
const IN_DOUBT: f64 = 0.005;

/// The growth of the expected number of right pairs below which it ends, as a share of the nodes.
const GROWTH: f64 = 0.001;

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
        let sure = beliefs.sure(sides, known, SURE);
        let settled = sure[0].iter().filter(|a| **a != NONE).count() as f64;
        if nodes - settled < IN_DOUBT * nodes || monitor.interrupted().is_some() {
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
