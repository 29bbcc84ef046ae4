//! What other anchors would have led to.
//!
//! Of all maps between two sets of points the best one explains something by chance: in space, among clusters, along lines
//! and on lattices far more than between points that are strewn evenly. *Decoys* know how much: the same source points as
//! anchors of targets drawn at random. Where the sets have nothing to do with each other, the anchors that were given
//! lead to no better a map than those.

use std::ops::Range;

use rand::SeedableRng;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use super::Question;
use super::posterior::Posterior;
use super::scene::Scene;
use super::search::{Search, is_plain};
use super::starts::{Dimension, Plane, Space};
use crate::linalg::Matrix;
use crate::monitor::Monitor;

/// Points of a set with which decoys are asked, at most.
pub(super) const MOST_POINTS: usize = 400;

/// The evidence that quick searches find with decoys of these numbers as anchors, above that of these alone; `None` where
/// there are no anchors, where something else than they tells of pairs, and where there are too few or too many points.
///
/// # Complexity
/// That of a quick search without a second round for each.
pub(crate) fn evidence_of_decoys(
    question: &Question<'_>,
    found: &Posterior,
    numbers: Range<u64>,
    monitor: &Monitor,
) -> Option<Vec<f64>> {
    let is_plain = are_quick(question, found);
    let each = numbers.into_par_iter().map(|number| {
        let seed = question.seed.wrapping_add(number);
        match question.points[0].cols() {
            2 => lead_to::<2, Plane>(question, is_plain, seed, monitor),
            _ => lead_to::<3, Space>(question, is_plain, seed, monitor),
        }
    });
    each.collect()
}

/// Whether decoys take little time, since the map is plain and only as plain ones are looked for.
pub(crate) fn are_quick(question: &Question<'_>, found: &Posterior) -> bool {
    let smaller = question.points.map(Matrix::rows).into_iter().min();
    is_plain(found.gain, smaller.unwrap_or(0))
}

fn lead_to<const D: usize, S: Dimension<D>>(
    question: &Question<'_>,
    is_plain: bool,
    seed: u64,
    monitor: &Monitor,
) -> Option<f64> {
    let most = question.points.map(Matrix::rows).into_iter().max();
    let anchors = question.anchors;
    if question.known.is_some() || question.given.is_some() || most > Some(MOST_POINTS) {
        return None;
    }
    let drawn = drawn(question, seed)?;
    let soft = std::iter::empty();
    let scene = Scene::<D>::new(question.points, &drawn, soft)
        .with_alone(anchors.alone())
        .with_everybody(question.everybody);
    let families = question.model.families();
    let mut search = Search::new(&scene, families, true, monitor);
    search.climb_from_anchors_alone::<S>(is_plain);
    (monitor.interrupted().is_none()).then(|| search.beyond_anchors())
}

/// Anchors of the same source points, each with a target that no anchor has.
fn drawn(question: &Question<'_>, seed: u64) -> Option<Vec<(usize, usize)>> {
    let hard = question.anchors.hard();
    let [_, alone] = question.anchors.alone();
    let is_free = |a: &usize| !alone.contains(a) && hard.iter().all(|pair| pair.1 != *a);
    let free: Vec<usize> = (0..question.points[1].rows()).filter(is_free).collect();
    if hard.is_empty() || free.len() < hard.len() {
        return None;
    }
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let targets = free.sample(&mut random, hard.len());
    Some(
        hard.iter()
            .map(|pair| pair.0)
            .zip(targets.copied())
            .collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::anchors::Anchors;
    use crate::graph::Graph;
    use crate::points::{PointsModel, match_points};
    use rand::RngExt;

    fn cloud(seed: u64) -> Matrix {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        Matrix::from_fn(24, 2, |_, _| random.random_range(0.0..100.0))
    }

    fn asked<T>(
        points: [&Matrix; 2],
        pairs: &[(usize, usize)],
        ask: impl Fn(&Question<'_>) -> T,
    ) -> T {
        let graph = Graph::from_edges(24, &[]).expect("nodes without edges");
        let anchors = Anchors::from_indices(&graph, &graph, pairs).expect("anchors");
        ask(&Question {
            points,
            anchors: &anchors,
            trust: 0.9,
            model: PointsModel::Auto,
            known: None,
            given: None,
            again: false,
            seed: 5,
            everybody: false,
            quick: true,
        })
    }

    #[test]
    fn decoys_are_targets_that_no_anchor_has() {
        let one = cloud(1);
        let hard = [(3, 4), (5, 6), (7, 8)];
        asked([&one, &one], &hard, |question| {
            for seed in 0..20 {
                let pairs = drawn(question, seed).expect("targets are left");
                assert!(pairs.iter().map(|pair| pair.0).eq([3, 5, 7]));
                let mut targets: Vec<usize> = pairs.iter().map(|pair| pair.1).collect();
                targets.sort_unstable();
                targets.dedup();
                assert_eq!(targets.len(), 3);
                assert!(targets.iter().all(|a| hard.iter().all(|pair| pair.1 != *a)));
            }
        });
        let most: Vec<(usize, usize)> = (0..13).map(|i| (i, i)).collect();
        for pairs in [&[][..], &most] {
            assert!(asked([&one, &one], pairs, |question| drawn(question, 1)).is_none());
        }
    }

    #[test]
    fn right_anchors_lead_to_more_than_decoys_and_those_of_strangers_do_not() {
        let one = cloud(1);
        let turned = Matrix::from_fn(24, 2, |i, k| [one[(i, 1)], 50.0 - one[(i, 0)]][k]);
        let ahead = |other: &Matrix| {
            asked([&one, other], &[(0, 0), (9, 9)], |question| {
                let silent = Monitor::silent();
                let found = match_points(question, || Ok(None), &silent).expect("points");
                let others = evidence_of_decoys(question, &found, 0..3, &silent).expect("decoys");
                found.evidence - others.into_iter().fold(f64::NEG_INFINITY, f64::max)
            })
        };
        let (related, strangers) = (ahead(&turned), ahead(&cloud(2)));
        assert!(related > 30.0 && strangers < 8.0, "{related} {strangers}");
    }

    #[test]
    fn who_is_told_to_stop_asks_no_decoys() {
        let one = cloud(1);
        asked([&one, &one], &[(0, 0), (9, 9)], |question| {
            let silent = Monitor::silent();
            let found = match_points(question, || Ok(None), &silent).expect("points");
            let stopped = Monitor::silent();
            stopped.cancel_token().cancel();
            assert_eq!(evidence_of_decoys(question, &found, 0..2, &stopped), None);
        });
    }
}
