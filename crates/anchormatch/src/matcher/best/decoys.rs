//! Part of stage *chance*: would other anchors have led to as good a match?
//!
//! Bounds on what chance can do have to allow for every way in which two graphs can be laid upon each other. Anchors tell
//! more, even a single one: where the graphs have nothing to do with each other, the anchors that were given are as good as any, and
//! the match that grows from *decoys*, the same source nodes with targets of about the same degree drawn at random,
//! is as likely as the one found. Where there is something to find, decoys stand in its way, and the match that they lead
//! to is clearly worse: by what the right one is beyond chance, or at least by what the anchors' own edges tell.
//!
//! The *standing* of the anchors is how many standard deviations their match is above those of the decoys. Quick searches tell
//! more than thorough ones: these find the right match in spite of the decoys, where it can be found without anchors.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::chance::deviations;
use super::evidence::Evidence;
use super::observations::observe;
use super::search::Search;
use super::thresholds::{DECOY_RANGE, DECOYS};
use super::{Best, Effort, regime, sparse};
use crate::anchors::{Anchor, Anchors};
use crate::error::Result;
use crate::matcher::{FreeNodes, Log};
use crate::monitor::Monitor;
use crate::task::Task;

/// By how many standard deviations the match of the anchors is above those of decoys; `None` where there are no anchors, or the
/// monitor stops it.
///
/// # Complexity
/// [`DECOYS`] + 1 times two quick searches.
pub(super) fn standing(preset: &Best, task: &Task<'_>, monitor: &Monitor) -> Result<Option<f64>> {
    let decoys = (0..DECOYS as u64).map(|k| drawn(task, preset.seed.wrapping_add(k)));
    let Some(decoys) = decoys.collect::<Option<Vec<_>>>() else {
        return Ok(None);
    };
    let own = value(preset, task, task.anchors().clone(), monitor)?;
    let mut others = Vec::with_capacity(decoys.len());
    for decoy in decoys {
        others.push(value(preset, task, decoy, monitor)?);
        if monitor.interrupted().is_some() {
            return Ok(None);
        }
    }
    Ok(Some(deviations(own, &others)))
}

/// Anchors of the same source nodes, each with a target of about the same degree that no anchor has; `None` where there
/// are not enough.
fn drawn(task: &Task<'_>, seed: u64) -> Option<Anchors> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let edges = task.target().sparse_adjacency();
    let degree = |a: usize| edges.row(a).len();
    let mut left = FreeNodes::of(task).target;
    let anchors = task.anchors();
    if anchors.hard().is_empty() {
        return None;
    }
    let mut pairs = Vec::with_capacity(anchors.hard().len());
    for &(p, q) in anchors.hard() {
        let mut order: Vec<(usize, u32, usize)> = (left.iter().enumerate())
            .map(|(k, &a)| (degree(a).abs_diff(degree(q)), random.random(), k))
            .collect();
        order.sort_unstable();
        let range = ((left.len() as f64 * DECOY_RANGE) as usize).max(1);
        let range = range.min(order.len());
        if range == 0 {
            return None;
        }
        let (_, _, k) = order[random.random_range(0..range)];
        pairs.push(Anchor::new(p, left.swap_remove(k), 1.0));
    }
    let soft = anchors.soft().iter().copied();
    let soft = soft.filter(|anchor| !pairs.iter().any(|pair| pair.target == anchor.target));
    let [source, target] = task.graphs();
    let drawn = Anchors::new(source, target, pairs.iter().copied().chain(soft)).ok()?;
    Some(drawn.with_alone_of(anchors))
}

/// The logarithm of the posterior of the full matching that quick searches find under these anchors.
fn value(preset: &Best, task: &Task<'_>, anchors: Anchors, monitor: &Monitor) -> Result<f64> {
    let task = task.with_anchors(anchors)?;
    let free = FreeNodes::of(&task);
    let observed = observe(&task, &preset.ingredients, monitor)?;
    let evidence = Evidence::new(observed, &task, &free, preset.ingredients.folded_anchors);
    let mut quick = preset.clone();
    quick.effort = Effort::Fast;
    quick.ingredients.outliers = false;
    let search = Search {
        preset: &quick,
        evidence: &evidence,
        monitor,
        copy: None,
        listed: None,
        gives_up: None,
    };
    let found = search.most_likely(None, &mut Log::default())?.evidence;
    if !regime::may_anneal(preset, &task) {
        return Ok(found);
    }
    // Lists begin at the anchors, where the right way begins too.
    let listed = evidence.assignment(&sparse::pairs(&quick, &task, monitor));
    let from_lists = search.most_likely(Some(&listed), &mut Log::default())?;
    Ok(found.max(from_lists.evidence))
}

#[cfg(test)]
mod tests {
    use super::super::fixture::Planted;
    use super::*;

    #[test]
    fn decoys_are_other_targets_of_about_the_same_degree() {
        let planted = Planted::new(12, 3);
        planted.with_evidence(|task, _| {
            let drawn = drawn(task, 1).unwrap();
            assert_eq!(drawn.hard().len(), 3);
            for (own, decoy) in task.anchors().hard().iter().zip(drawn.hard()) {
                assert_eq!(own.0, decoy.0);
                let hard = task.anchors().hard();
                assert!(hard.iter().all(|anchor| anchor.1 != decoy.1));
            }
            assert_eq!(super::drawn(task, 1).unwrap().hard(), drawn.hard());
        });
        Planted::new(12, 0).with_evidence(|task, _| assert!(drawn(task, 1).is_none()));
    }

    #[test]
    fn right_anchors_stand_above_decoys() {
        let planted = Planted::new(14, 3);
        planted.with_search(|task, search| {
            let stands = standing(search.preset, task, search.monitor).unwrap();
            assert!(stands.unwrap() > 4.0, "{stands:?}");
            let stopped = Monitor::silent();
            stopped.cancel_token().cancel();
            let none = standing(search.preset, task, &stopped);
            assert!(matches!(none, Ok(None) | Err(_)));
        });
    }
}
