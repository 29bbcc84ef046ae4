//! Part of stage *chance* over lists of candidates: would the other anchors have foretold each anchor?
//!
//! As in [`hidden`](crate::matcher::best): some anchors are hidden, and the others lead to a match without them. Where the graphs have
//! nothing to do with each other, the hidden targets are drawn from the m that are free, so that the probability q that this match
//! gives a hidden pair is 1/m in the mean, however clustered the graphs are and however well they can be laid upon each other. Here
//! every anchor is asked by nearly all others: a few of them are needed to find anything.

use std::ops::ControlFlow;

use super::beliefs::{Beliefs, believe};
use super::expansion::expand;
use super::known::Known;
use super::restarts::restart;
use super::sampling::sample;
use super::side::Side;
use crate::linalg::Csr;
use crate::matcher::best::chance::{Foretold, Promises};
use crate::matcher::best::thresholds::sparse::{
    FORETOLD_FOLDS, LARGEST_FORETOLD_BY_CHAINS, SAME_DEGREE,
};
use crate::monitor::Monitor;

/// How many times likelier than by a blind choice the others make each anchor, by chains of exchanges; `None` where there are fewer than
/// two, or the monitor stops it.
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
    let mut times = Vec::with_capacity(known.anchors.len());
    let search = |known: &Known| {
        let beliefs = quick(sides, known, iterations, monitor);
        sample(sides, known, beliefs, seed, monitor).0.occupancy
    };
    fold_by_fold(known, search, monitor, |left, hidden, occupancy| {
        let free = sides[1].nodes() - left;
        for (drawn, &pair) in hidden.iter().enumerate() {
            times.push((free - drawn) as f64 * share(occupancy, pair));
        }
        ControlFlow::Continue(())
    })?;
    Some(times)
}

/// The same beyond some hundred nodes: an e-value, a number whose mean is at most 1 where there is nothing to find, and what became of the
/// promises of such matches.
///
/// A blind choice is made among the free targets of about the same degree, since people who know nothing else anchor hubs to hubs. Of
/// hidden pairs that are drawn so, Π times has a mean of at most 1 whatever the match is, and so has the mean over folds. Folds that are not asked
/// any more, since these are `enough`, count as 0.
///
/// # Complexity
/// At most [`FORETOLD_FOLDS`] times expansion, beliefs and a restart, and chains up to some thousand nodes.
pub(super) fn beyond_blind_choices(
    sides: &[Side<'_>; 2],
    known: &mut Known,
    (iterations, seed): (usize, u64),
    enough: impl Fn(&Promises) -> bool,
    monitor: &Monitor,
) -> Option<Promises> {
    let folds = FORETOLD_FOLDS.min(known.anchors.len());
    let of_class = Classes::of(&sides[1]);
    let mut free = of_class.sizes.clone();
    for &(_, a) in &known.anchors {
        free[of_class.at(a)] -= 1;
    }
    let is_small = sides
        .iter()
        .all(|side| side.nodes() <= LARGEST_FORETOLD_BY_CHAINS);
    let search = |known: &Known| {
        let beliefs = quick(sides, known, iterations, monitor);
        match is_small {
            true => sample(sides, known, beliefs, seed, monitor).0.occupancy,
            false => beliefs.occupancy,
        }
    };
    let mut promises = Promises::default();
    fold_by_fold(known, search, monitor, |_, hidden, occupancy| {
        let mut free = free.clone();
        hidden.iter().for_each(|&(_, a)| free[of_class.at(a)] += 1);
        let times = hidden.iter().map(|&(i, a)| {
            let among = &mut free[of_class.at(a)];
            let times = *among as f64 * share(occupancy, (i, a));
            *among -= 1;
            times
        });
        promises.add_fold(&Foretold(times.collect()), folds);
        for &(i, a) in hidden {
            let likeliest = occupancy.row(i as usize).max_by(|x, y| x.1.total_cmp(&y.1));
            if let Some((b, share)) = likeliest {
                promises.add(f64::from(share), b == a as usize);
            }
        }
        match enough(&promises) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    })?;
    Some(promises)
}

/// A match as it is asked without some of the anchors.
fn quick(sides: &[Side<'_>; 2], known: &Known, iterations: usize, monitor: &Monitor) -> Beliefs {
    let expansion = expand(sides, known, known.partners(), monitor);
    let beliefs = believe(sides, known, expansion, iterations, monitor);
    restart(sides, known, beliefs, (1, iterations), monitor).0
}

/// What a match gives a pair.
fn share(occupancy: &Csr<f32>, (i, a): (u32, u32)) -> f64 {
    let row = occupancy.row(i as usize);
    let own = row.filter(|&(b, _)| b == a as usize);
    own.map(|(_, share)| f64::from(share)).sum()
}

/// Nodes by the size of their degree.
struct Classes {
    each: Vec<u32>,
    sizes: Vec<usize>,
}

impl Classes {
    fn of(side: &Side<'_>) -> Self {
        let class = |node: usize| (side.degree(node) as f64).ln_1p() / SAME_DEGREE.ln();
        let each: Vec<u32> = (0..side.nodes()).map(|node| class(node) as u32).collect();
        let mut sizes = vec![0; each.iter().max().map_or(0, |&most| most as usize + 1)];
        each.iter().for_each(|&class| sizes[class as usize] += 1);
        Self { each, sizes }
    }

    fn at(&self, node: u32) -> usize {
        self.each[node as usize] as usize
    }
}

/// Hides a fold of the anchors after the other, searches without it, and tells how many anchors were left, which were hidden, and what was
/// found; `None` where there are fewer than two anchors, or the monitor stops it.
fn fold_by_fold(
    known: &mut Known,
    search: impl Fn(&Known) -> Csr<f32>,
    monitor: &Monitor,
    mut tell: impl FnMut(usize, &[(u32, u32)], &Csr<f32>) -> ControlFlow<()>,
) -> Option<()> {
    let anchors = known.anchors.clone();
    if anchors.len() < 2 {
        return None;
    }
    let folds = FORETOLD_FOLDS.min(anchors.len());
    for fold in 0..folds {
        let of_fold = |hidden: bool| {
            let each = anchors.iter().enumerate();
            let chosen = each.filter(|(k, _)| (k % folds == fold) == hidden);
            chosen.map(|(_, &pair)| pair).collect::<Vec<_>>()
        };
        let hidden = of_fold(true);
        known.anchors = of_fold(false);
        let left = known.anchors.len();
        let occupancy = search(known);
        known.anchors.clone_from(&anchors);
        if monitor.interrupted().is_some() {
            return None;
        }
        if tell(left, &hidden, &occupancy).is_break() {
            break;
        }
    }
    Some(())
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

    /// The e-value of eight anchors of noisy copies, of strangers, and of copies whose anchors are others.
    #[test]
    fn hidden_anchors_of_copies_are_beyond_blind_choices_and_those_of_strangers_are_not() {
        let mut random = ChaCha8Rng::seed_from_u64(8);
        let mut uniform = || {
            let pairs = (0..NODES).flat_map(|i| (0..i).map(move |j| (j, i)));
            let edges: Vec<_> = pairs.filter(|_| random.random_bool(0.08)).collect();
            edges
        };
        let (one, other) = (uniform(), uniform());
        let told = |one: &[(usize, usize)], other: &[(usize, usize)], shift: usize| {
            let graphs = [one, other].map(|edges| {
                let edges: Vec<_> = edges.iter().map(|&(i, j)| (i, j, 1.0)).collect();
                Graph::from_edges(NODES, &edges).unwrap()
            });
            let pairs = (0..8).map(|k| (7 + 17 * k, (7 + 17 * k + shift) % NODES));
            let pairs: Vec<_> = pairs.collect();
            let anchors = Anchors::from_indices(&graphs[0], &graphs[1], &pairs).unwrap();
            let task = Task::new(&graphs[0], &graphs[1], &anchors).unwrap();
            let sides = Side::both(&task, false);
            let mut known = Known::of(&task);
            let ask = |known: &mut Known, enough: fn(&Promises) -> bool| {
                beyond_blind_choices(&sides, known, (5, 1), enough, &Monitor::silent()).unwrap()
            };
            let all = ask(&mut known, |_| false);
            let first = ask(&mut known, |_| true);
            assert_eq!(known.anchors.len(), 8);
            // Folds that are not asked count as nothing.
            assert!(first.nats <= all.nats + 1e-12);
            all
        };
        let copies = told(&one, &one, 0);
        assert!(copies.nats > 5.0 && copies.kept() == 1.0, "{copies:?}");
        for (other, shift) in [(&other, 0), (&one, 3)] {
            let strangers = told(&one, other, shift);
            assert!(strangers.nats < 2.0, "{strangers:?}");
        }
    }

    #[test]
    fn blind_choices_are_made_among_degrees_of_one_size() {
        // A star, whose middle has a class of its own.
        let star: Vec<_> = (1..20).map(|i| (0, i, 1.0)).collect();
        let star = Graph::from_edges(20, &star).unwrap();
        let classes = Classes::of(&Side::new(&star, false));
        assert_ne!(classes.at(0), classes.at(1));
        assert_eq!(classes.sizes[classes.at(0)], 1);
        assert_eq!(classes.sizes[classes.at(1)], 19);
        assert_eq!(classes.sizes.iter().sum::<usize>(), 20);
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
