//! Stage *anchor check*: who would be the partner of an anchor's node if it were not given?
//!
//! The partners of its neighbours say so, as for every other node. An anchor stands as long as what they say
//! against it is less than the prior counts for; targets that are surely taken by others do not count.

use super::super::thresholds::TRUST;
use super::beliefs::Beliefs;
use super::known::Known;
use super::rows::for_nodes;
use super::side::{NONE, Side};
use crate::matching::AnchorCheck;
use crate::monitor::Monitor;

/// What the rest of the evidence says of every hard anchor; nothing when the run was cut short.
pub(super) fn check_anchors(
    sides: &[Side<'_>; 2],
    known: &Known,
    beliefs: &Beliefs,
    monitor: &Monitor,
) -> Vec<AnchorCheck> {
    if monitor.interrupted().or(monitor.stopped()).is_some() {
        return Vec::new();
    }
    let surroundings = beliefs.surroundings(sides);
    let mut anchored = vec![false; sides[1].nodes()];
    for &(_, a) in &known.anchors {
        anchored[a as usize] = true;
    }
    // A target that somebody else surely has is no alternative.
    let open = |a: u32| anchored[a as usize] || surroundings.masses[1][a as usize] < 0.5;
    let nobody = vec![NONE; sides[0].nodes()];
    let outlook = beliefs.outlook(sides, known, &surroundings, &nobody, &open);
    let sources: Vec<u32> = known.anchors.iter().map(|anchor| anchor.0).collect();
    let prior = (TRUST / (1.0 - TRUST)).ln() + (sides[1].nodes().max(2) as f64 - 1.0).ln();
    let partners = known.partners();
    let found = for_nodes(&sources, monitor, |i, scratch| {
        outlook.candidates(i, scratch);
        let own = partners[0][i];
        let mut kept = None;
        let mut best: Option<(u32, f64)> = None;
        for candidate in &scratch.candidates {
            let nats = f64::from(candidate.nats);
            if candidate.node == own {
                kept = Some(nats);
            } else if best.is_none_or(|(_, most)| nats > most) {
                best = Some((candidate.node, nats));
            }
        }
        // An anchor that no neighbour speaks for has the evidence of a node that nobody speaks for.
        let kept = kept.unwrap_or_else(|| outlook.unspoken(own));
        let score = match best {
            Some((_, nats)) => nats - kept - prior,
            None => f64::NEG_INFINITY,
        };
        AnchorCheck {
            source: i,
            target: own as usize,
            score,
            suspicion: 1.0 / (1.0 + (-score).exp()),
            preferred: if score > 0.0 {
                best.map(|(node, _)| node as usize)
            } else {
                Some(own as usize)
            },
            demoted: false,
        }
    });
    found.unwrap_or_default()
}
