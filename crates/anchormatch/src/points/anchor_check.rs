//! Are the anchors right? The match again with every hard anchor only trusted, not taken for granted.
//!
//! Where the map that was found explains all points but contradicts an anchor, that anchor's own pair is
//! improbable. Where wrong anchors led the search astray, a map through some of them explains more: so
//! similarities through as few anchors as determine one are climbed from as well.

use super::Question;
use super::climb::{Mode, Start};
use super::families::{Family, Similarity};
use super::posterior::Posterior;
use super::scene::Scene;
use super::search::Search;
use super::starts::Dimension;
use crate::error::Result;
use crate::monitor::Monitor;

/// What the points say of an anchor.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct AnchorDoubt {
    /// The source point.
    pub source: usize,
    /// Its partner by the anchor.
    pub target: usize,
    /// The probability that the anchor is wrong.
    pub suspicion: f64,
    /// The partner that the source point would have; `None` when it would be alone.
    pub preferred: Option<usize>,
}

/// Other anchors that have to be there before one is doubted: a map through fewer may as well be wrong itself.
pub(crate) const WITNESSES: usize = 2;

/// Points without an anchor that are asked, at most.
const MOST_POINTS: usize = 400;

/// Sets of few anchors that maps are drawn through, at most.
const MOST_SETS: usize = 12;

/// Suspicion of any anchor from which on all of them are asked.
const DOUBTFUL: f64 = 0.1;

/// Suspicions stay inside this distance of 0 and 1.
const LEAST_DOUBT: f64 = 1e-9;

pub(super) fn check_anchors<const D: usize, S: Dimension<D>>(
    scene: &Scene<D>,
    found: &[Mode<D>],
    question: &Question<'_>,
    monitor: &Monitor,
) -> Result<Vec<AnchorDoubt>> {
    let trust = question.trust;
    let anchors: Vec<(usize, usize)> = scene.anchors.pairs().collect();
    if monitor.interrupted().is_some() {
        return Ok(Vec::new());
    }
    if anchors.len() <= WITNESSES {
        let unjudged = anchors.into_iter().map(|(source, target)| AnchorDoubt {
            source,
            target,
            suspicion: 1.0 - trust,
            preferred: Some(target),
        });
        return Ok(unjudged.collect());
    }
    // A part of many points tells as well.
    let chosen = scene.thinned(MOST_POINTS);
    let place = |i: usize| chosen.binary_search(&i).ok();
    let asked: Vec<(usize, usize)> = anchors
        .iter()
        .filter_map(|&(i, a)| Some((place(i)?, a)))
        .collect();
    let trusted = scene.part(&chosen).trusted(trust);
    // The map that was found is among the starts, so that a first impression of others suffices.
    let mut search = Search::new(&trusted, &Family::ALL, true, monitor);
    let best = found.iter().take(1).map(|mode| Start {
        member: mode.member.over(&trusted.source),
        floor: 1.0,
        hot: 0,
        pairs: None,
    });
    let mut starts: Vec<Start<D>> = best.collect();
    starts.extend(through_few(&trusted, &asked));
    search.climb_all(starts);
    search.finish();
    let mut doubts = report(&search.modes, &trusted, &asked)?;
    let sure = doubts.iter().all(|doubt| doubt.suspicion < DOUBTFUL);
    if asked.len() > 1 && !(sure && search.is_credible()) {
        search.promote_once::<S>();
        search.finish();
        doubts = report(&search.modes, &trusted, &asked)?;
    }
    for doubt in &mut doubts {
        doubt.source = chosen[doubt.source];
    }
    Ok(doubts)
}

/// Similarities through as few anchors as determine one.
fn through_few<const D: usize>(scene: &Scene<D>, anchors: &[(usize, usize)]) -> Vec<Start<D>> {
    const FLOOR: f64 = 0.1;
    let place = |&(i, a): &(usize, usize)| (i, scene.target[a]);
    let count = anchors.len();
    let mut starts = Vec::new();
    if count <= D {
        return starts;
    }
    for k in 0..MOST_SETS.min(count * (count - 1) / 2) {
        // Neighbours in the list first, then those two apart, and so on.
        let (first, apart) = (k % count, 1 + k / count);
        let set = (0..D).map(|j| place(&anchors[(first + j * apart) % count]));
        let set: Vec<_> = set.collect();
        let similar = Similarity::through(&scene.source, &set, false);
        starts.push(Start {
            member: Box::new(similar.with_variance(FLOOR * FLOOR)),
            floor: FLOOR,
            hot: 8,
            pairs: None,
        });
    }
    starts
}

fn report<const D: usize>(
    modes: &[Mode<D>],
    scene: &Scene<D>,
    anchors: &[(usize, usize)],
) -> Result<Vec<AnchorDoubt>> {
    let posterior = Posterior::new(scene, modes)?;
    let beliefs = &posterior.beliefs;
    let doubts = anchors.iter().map(|&(i, a)| {
        let (columns, values) = beliefs.parts(i);
        let kept = beliefs.get(i, a).map_or(0.0, f64::from);
        let best = columns.iter().zip(values).max_by(|x, y| x.1.total_cmp(y.1));
        let alone = 1.0 - values.iter().map(|&v| f64::from(v)).sum::<f64>();
        let preferred = best
            .filter(|(_, value)| f64::from(**value) > alone)
            .map(|(column, _)| *column as usize);
        // Where no map is credible, nothing speaks against an anchor.
        let accused = posterior.probability_of_a_map() * (1.0 - kept);
        AnchorDoubt {
            source: i,
            target: a,
            suspicion: accused.clamp(LEAST_DOUBT, 1.0 - LEAST_DOUBT),
            preferred,
        }
    });
    Ok(doubts.collect())
}

impl<const D: usize> Scene<D> {
    /// The scene in which hard anchors are right with probability `trust`.
    fn trusted(&self, trust: f64) -> Self {
        let mut trusted = self.clone();
        let hard = self.anchors.pairs();
        let hard = hard.map(|(i, a)| (i, a, trust / (1.0 - trust)));
        trusted.soft.extend(hard);
        trusted.soft.sort_by_key(|&(i, a, _)| (i, a));
        trusted.anchors.reset(self.source.len());
        trusted.taken.fill(false);
        trusted
    }
}
