//! Would the other anchors have foretold each anchor?
//!
//! One anchor (i, a) after the other is hidden, and the others lead a quick search as decoys do ([`decoys`](super::decoys)). Where the
//! sets have nothing to do with each other, the hidden target is drawn from the m′ that are free, so that however well the sets can be
//! laid upon each other, the probability q(i, a) that this search gives the pair has a mean of at most 1/m′. So
//!
//! > E = mean over hidden anchors of m′ q(i, a)
//!
//! is an e-value: strangers have x or more once in x times. Not the product: three anchors that agree by chance foretell each other,
//! all three of them. What a search leaves to no map at all is spread over all free targets.

use rayon::prelude::*;

use super::Question;
use super::decoys::{MOST_POINTS, are_quick};
use super::posterior::Posterior;
use super::scene::Scene;
use super::search::Search;
use super::starts::{Dimension, Plane, Space};
use crate::linalg::Matrix;
use crate::monitor::Monitor;

/// Anchors that are hidden at most.
const MOST_HIDDEN: usize = 4;

/// ln E; `None` where the anchors that are left determine no similarity, where something else than they tells of pairs, where there are
/// too many points, or the monitor stops it.
///
/// # Complexity
/// That of a quick search without a second round for each anchor that is hidden.
pub(crate) fn foretold(
    question: &Question<'_>,
    found: &Posterior,
    monitor: &Monitor,
) -> Option<f64> {
    let hard = question.anchors.hard();
    let most = question.points.map(Matrix::rows).into_iter().max();
    let dimension = question.points[0].cols();
    if question.known.is_some() || question.given.is_some() || most > Some(MOST_POINTS) {
        return None;
    }
    if hard.len() <= dimension {
        return None;
    }
    let is_plain = are_quick(question, found);
    let hidden = (0..hard.len().min(MOST_HIDDEN)).into_par_iter();
    let times = hidden.map(|k| match dimension {
        2 => times_likelier::<2, Plane>(question, is_plain, k, monitor),
        _ => times_likelier::<3, Space>(question, is_plain, k, monitor),
    });
    let times: Vec<f64> = times.collect::<Option<_>>()?;
    Some((times.iter().sum::<f64>() / times.len() as f64).ln())
}

/// How many times likelier than by a blind choice the others make anchor k.
fn times_likelier<const D: usize, S: Dimension<D>>(
    question: &Question<'_>,
    is_plain: bool,
    k: usize,
    monitor: &Monitor,
) -> Option<f64> {
    let mut others = question.anchors.hard().to_vec();
    let (i, a) = others.remove(k);
    let scene = Scene::<D>::new(question.points, &others, std::iter::empty())
        .with_alone(question.anchors.alone())
        .with_everybody(question.everybody);
    let free = scene.taken.iter().filter(|is_taken| !**is_taken).count();
    let mut search = Search::new(&scene, question.model.families(), true, monitor);
    search.climb_from_anchors_alone::<S>(is_plain);
    search.finish();
    if monitor.interrupted().is_some() {
        return None;
    }
    let posterior = Posterior::new(&scene, &search.modes).ok()?;
    let of_maps = posterior.beliefs.get(i, a).map_or(0.0, f64::from);
    let of_none = (1.0 - posterior.probability_of_a_map()).max(0.0);
    Some(free as f64 * of_maps + of_none)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::anchors::Anchors;
    use crate::graph::Graph;
    use crate::points::{PointsModel, match_points};
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    const POINTS: usize = 16;

    fn cloud(seed: u64) -> Matrix {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        Matrix::from_fn(POINTS, 2, |_, _| random.random_range(0.0..100.0))
    }

    fn turned(points: &Matrix) -> Matrix {
        Matrix::from_fn(POINTS, 2, |i, k| [points[(i, 1)], 50.0 - points[(i, 0)]][k])
    }

    fn asked<T>(
        points: [&Matrix; 2],
        pairs: &[(usize, usize)],
        ask: impl Fn(&Question<'_>) -> T,
    ) -> T {
        let graph = Graph::from_edges(POINTS, &[]).expect("nodes without edges");
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

    fn told(points: [&Matrix; 2], pairs: &[(usize, usize)]) -> Option<f64> {
        asked(points, pairs, |question| {
            let silent = Monitor::silent();
            let found = match_points(question, || Ok(None), &silent).expect("points");
            foretold(question, &found, &silent)
        })
    }

    #[test]
    fn anchors_of_one_cloud_foretell_each_other_and_those_of_strangers_do_not() {
        let one = cloud(1);
        let same = told([&one, &turned(&one)], &[(0, 0), (7, 7), (11, 11)]).expect("three");
        assert!(same > 0.9 * 14f64.ln(), "{same}");
        let strangers = told([&one, &cloud(2)], &[(0, 0), (7, 7), (11, 11)]).expect("three");
        assert!(strangers < 1.0, "{strangers}");
    }

    /// The mean over all targets that a blind choice could have made of the hidden anchor is at most one, also of sets that are related.
    #[test]
    fn a_blind_choice_is_foretold_once_in_the_mean() {
        let one = cloud(3);
        for other in [turned(&one), cloud(4)] {
            let free = (0..POINTS).filter(|a| ![0, 7].contains(a));
            let times = free.map(|a| {
                asked([&one, &other], &[(0, 0), (7, 7), (11, a)], |question| {
                    times_likelier::<2, Plane>(question, false, 2, &Monitor::silent()).expect("q")
                })
            });
            let times: Vec<f64> = times.collect();
            let mean = times.iter().sum::<f64>() / times.len() as f64;
            assert!(mean <= 1.0 + 1e-6, "{mean}");
        }
    }

    #[test]
    fn two_anchors_or_a_stop_foretell_nothing() {
        let one = cloud(1);
        assert_eq!(told([&one, &one], &[(0, 0), (7, 7)]), None);
        asked([&one, &one], &[(0, 0), (7, 7), (9, 9)], |question| {
            let silent = Monitor::silent();
            let found = match_points(question, || Ok(None), &silent).expect("points");
            let stopped = Monitor::silent();
            stopped.cancel_token().cancel();
            assert_eq!(foretold(question, &found, &stopped), None);
        });
    }
}
