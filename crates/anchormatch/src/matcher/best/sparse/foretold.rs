//! Part of stage *chance* over lists of candidates: would the other anchors have foretold each anchor?
//!
//! As in [`hidden`](crate::matcher::best): some anchors are hidden, and the others lead to a match without them. Where the graphs have
//! nothing to do with each other, the hidden targets are drawn from the m that are free, so that the probability q that this match
//! gives a hidden pair is 1/m in the mean, however clustered the graphs are and however well they can be laid upon each other. Here
//! every anchor is asked by nearly all others: a few of them are needed to find anything.

use super::beliefs::believe;
use super::expansion::expand;
use super::known::Known;
use super::restarts::restart;
use super::sampling::sample;
use super::side::Side;
use crate::matcher::best::thresholds::sparse::FORETOLD_FOLDS;
use crate::monitor::Monitor;

/// How many times likelier than by a blind choice the others make each anchor; `None` where there are fewer than two, or the monitor
/// stops it.
///
/// # Complexity
/// [`FORETOLD_FOLDS`] times expansion, beliefs, a restart and chains.
pub(super) fn foretold(
    sides: &[Side<'_>; 2],
    known: &mut Known,
    iterations: usize,
    seed: u64,
    monitor: &Monitor,
) -> Option<Vec<f64>> {
    let anchors = known.anchors.clone();
    if anchors.len() < 2 {
        return None;
    }
    let folds = FORETOLD_FOLDS.min(anchors.len());
    let mut times = Vec::with_capacity(anchors.len());
    for fold in 0..folds {
        let of_fold = |hidden: bool| {
            let each = anchors.iter().enumerate();
            let chosen = each.filter(|(k, _)| (k % folds == fold) == hidden);
            chosen.map(|(_, &pair)| pair).collect::<Vec<_>>()
        };
        let hidden = of_fold(true);
        known.anchors = of_fold(false);
        let expansion = expand(sides, known, known.partners(), monitor);
        let beliefs = believe(sides, known, expansion, iterations, monitor);
        let (beliefs, _) = restart(sides, known, beliefs, (1, iterations), monitor);
        let (beliefs, _) = sample(sides, known, beliefs, seed, monitor);
        let free = sides[1].nodes() - known.anchors.len();
        for (drawn, &(i, a)) in hidden.iter().enumerate() {
            let row = beliefs.occupancy.row(i as usize);
            let own = row.filter(|&(b, _)| b == a as usize);
            let share: f64 = own.map(|(_, share)| f64::from(share)).sum();
            times.push((free - drawn) as f64 * share);
        }
        if monitor.interrupted().is_some() {
            known.anchors = anchors;
            return None;
        }
    }
    known.anchors = anchors;
    Some(times)
}

#[cfg(test)]
mod tests {
    use rand::seq::SliceRandom;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::anchors::Anchors;
    use crate::graph::Graph;
    use crate::task::Task;

    const NODES: usize = 150;

    /// Random places in a plane, joined to those near.
    fn geometric(seed: u64) -> Vec<(usize, usize)> {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let places: Vec<[f64; 2]> = (0..NODES)
            .map(|_| [random.random(), random.random()])
            .collect();
        let reach = 10.0 / (std::f64::consts::PI * NODES as f64);
        let apart = |i: usize, j: usize, k: usize| (places[i][k] - places[j][k]).powi(2);
        let pairs = (0..NODES).flat_map(|i| (0..i).map(move |j| (j, i)));
        pairs
            .filter(|&(j, i)| apart(i, j, 0) + apart(i, j, 1) <= reach)
            .collect()
    }

    /// ln Π of how many times likelier six anchors are than by chance, node i being its own partner, or any other.
    fn told(one: &[(usize, usize)], other: &[(usize, usize)], are_right: bool) -> f64 {
        let mut random = ChaCha8Rng::seed_from_u64(4);
        let graphs = [one, other].map(|edges| {
            let edges = edges.iter().filter(|_| random.random_bool(0.85));
            let edges: Vec<_> = edges.map(|&(i, j)| (i, j, 1.0)).collect();
            Graph::from_edges(NODES, &edges).unwrap()
        });
        let sources: Vec<usize> = (0..6).map(|k| 7 + 23 * k).collect();
        let mut targets = sources.clone();
        if !are_right {
            targets.shuffle(&mut random);
        }
        let pairs: Vec<_> = sources.into_iter().zip(targets).collect();
        let anchors = Anchors::from_indices(&graphs[0], &graphs[1], &pairs).unwrap();
        let task = Task::new(&graphs[0], &graphs[1], &anchors).unwrap();
        let sides = Side::both(&task, false);
        let mut known = Known::of(&task);
        let times = foretold(&sides, &mut known, 5, 1, &Monitor::silent()).unwrap();
        assert_eq!(times.len(), 6);
        assert_eq!(known.anchors.len(), 6);
        times.iter().map(|times| (0.5 + 0.5 * times).ln()).sum()
    }

    #[test]
    fn anchors_of_copies_are_foretold_and_those_of_strangers_are_not() {
        let (one, other) = (geometric(1), geometric(2));
        let copies = told(&one, &one, true);
        let strangers = told(&one, &other, true);
        let mistaken = told(&one, &one, false);
        assert!(copies > 15.0, "{copies}");
        assert!(strangers < 3.0 && mistaken < 3.0, "{strangers} {mistaken}");
    }

    #[test]
    fn who_is_alone_or_stopped_foretells_nothing() {
        let ring: Vec<_> = (0..9).map(|i| (i, (i + 1) % 9, 1.0)).collect();
        let ring = Graph::from_edges(9, &ring).unwrap();
        for count in [1, 3] {
            let pairs: Vec<_> = (0..count).map(|i| (i, i)).collect();
            let anchors = Anchors::from_indices(&ring, &ring, &pairs).unwrap();
            let task = Task::new(&ring, &ring, &anchors).unwrap();
            let sides = Side::both(&task, false);
            let mut known = Known::of(&task);
            let monitor = Monitor::silent();
            if count > 1 {
                monitor.cancel_token().cancel();
            }
            assert_eq!(foretold(&sides, &mut known, 3, 1, &monitor), None);
            assert_eq!(known.anchors.len(), count);
        }
    }
}
