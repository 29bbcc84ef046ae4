//! Second opinions against sums over dense tables, and on copies that lost many edges.

use std::collections::BTreeSet;

use super::{Numbers, copies};
use crate::anchors::Anchors;
use crate::graph::Graph;
use crate::linalg::Csr;
use crate::matcher::best::sparse::beliefs::{Beliefs, believe};
use crate::matcher::best::sparse::consensus::{agree, dispersion, hide, likeliest_weight, mixture};
use crate::matcher::best::sparse::expansion::expand;
use crate::matcher::best::sparse::known::Known;
use crate::matcher::best::sparse::side::{NONE, Side};
use crate::matcher::best::thresholds::sparse::{HIDDEN_ONE_IN, LEAST_HIDDEN};
use crate::monitor::Monitor;
use crate::task::Task;

pub(super) const NODES: usize = 400;
const ITERATIONS: usize = 10;

pub(super) fn partner(i: usize) -> usize {
    (7 * i + 3) % NODES
}

pub(super) fn with_anchors<T>(
    graphs: &[Graph; 2],
    count: usize,
    work: impl FnOnce(&[Side<'_>; 2], Known) -> T,
) -> T {
    let spread = (0..count).map(|k| k * NODES / count);
    let pairs: Vec<_> = spread.map(|i| (i, partner(i))).collect();
    let anchors = Anchors::from_indices(&graphs[0], &graphs[1], &pairs).unwrap();
    let task = Task::new(&graphs[0], &graphs[1], &anchors).unwrap();
    work(&Side::both(&task, false), Known::of(&task))
}

/// Two copies of a ring in which one edge in ten leads anywhere.
pub(super) fn rings(kept: f64, seed: u64) -> [Graph; 2] {
    let mut numbers = Numbers(seed);
    let mut edges = [BTreeSet::new(), BTreeSet::new()];
    for (i, step) in (0..NODES).flat_map(|i| (1..5).map(move |step| (i, step))) {
        let mut j = (i + step) % NODES;
        if numbers.next() < 0.1 {
            j = numbers.below(NODES);
        }
        if i == j {
            continue;
        }
        if numbers.next() < kept {
            edges[0].insert((i.min(j), i.max(j)));
        }
        if numbers.next() < kept {
            let (a, b) = (partner(i), partner(j));
            edges[1].insert((a.min(b), a.max(b)));
        }
    }
    edges.map(|edges| {
        let edges: Vec<_> = edges.into_iter().map(|(i, j)| (i, j, 1.0)).collect();
        Graph::from_edges(NODES, &edges).unwrap()
    })
}

pub(super) fn first_opinion(sides: &[Side<'_>; 2], known: &Known) -> Beliefs {
    let monitor = Monitor::silent();
    let expansion = expand(sides, known, known.partners(), &monitor);
    believe(sides, known, expansion, ITERATIONS, &monitor)
}

fn random_lists(numbers: &mut Numbers) -> Csr<f32> {
    let mut entries = Vec::new();
    for i in 0..30 {
        for a in 0..20 {
            if numbers.next() < 0.2 {
                entries.push((i, a, 0.2 * numbers.next() as f32));
            }
        }
    }
    Csr::from_triplets(30, 20, entries).unwrap()
}

#[test]
fn a_mixture_is_the_weighted_sum() {
    let mut numbers = Numbers(11);
    let lists = [0, 1, 2].map(|_| random_lists(&mut numbers));
    let weights = [0.5f32, 0.3, 0.2];
    let parts: Vec<_> = lists.iter().zip(weights).collect();
    let mixed = mixture(&parts, &Monitor::silent()).unwrap();
    let mut listed = 0;
    for i in 0..30 {
        for a in 0..20 {
            let each = parts
                .iter()
                .map(|(list, w)| w * list.get(i, a).unwrap_or(0.0));
            let sum: f32 = each.sum();
            let found = mixed.get(i, a);
            listed += usize::from(found.is_some());
            assert!((found.unwrap_or(0.0) - sum).abs() <= 1.1e-4, "{i} {a}");
        }
    }
    assert!(listed > 100, "{listed}");
}

#[test]
fn hidden_anchors_choose_the_opinion_that_knew_them() {
    let hidden: Vec<(u32, u32)> = (0..20).map(|i| (i, i)).collect();
    let knows = |share: &dyn Fn(usize) -> f32| {
        Csr::from_triplets(20, 20, (0..20).map(|i| (i, i, share(i)))).unwrap()
    };
    let all = knows(&|_| 0.9);
    let nothing = knows(&|_| 0.0);
    assert_eq!(likeliest_weight(&hidden, &all, &nothing), 0.0);
    assert_eq!(likeliest_weight(&hidden, &nothing, &all), 0.75);
    // Each knows what the other does not.
    let even = knows(&|i| if i % 2 == 0 { 0.9 } else { 0.0 });
    let odd = knows(&|i| if i % 2 == 1 { 0.9 } else { 0.0 });
    assert_eq!(likeliest_weight(&hidden, &even, &odd), 0.5);
}

#[test]
fn every_anchor_is_hidden_once_in_a_round() {
    let anchors: Vec<(u32, u32)> = (0..23).map(|i| (i, 40 - i)).collect();
    let mut times = [0; 23];
    for first in 0..HIDDEN_ONE_IN {
        let (hidden, shown) = hide(&anchors, first);
        assert_eq!(hidden.len() + shown.len(), anchors.len());
        assert!(hidden.iter().all(|pair| !shown.contains(pair)));
        for (i, _) in hidden {
            times[i as usize] += 1;
        }
    }
    assert_eq!(times, [1; 23]);
}

/// χ² over its degrees of freedom by all pairs of nodes.
fn dispersion_by_hand(graphs: &[Graph; 2], seen: [f64; 2]) -> f64 {
    let mut sums = [[5.0, 5.0]; 2];
    for i in 0..NODES {
        let (mut shown, mut common) = ([0.0, 0.0], 0.0);
        for j in 0..NODES {
            let there = graphs[0].weight(i, j) != 0.0;
            let here = graphs[1].weight(partner(i), partner(j)) != 0.0;
            shown[0] += f64::from(u8::from(there));
            shown[1] += f64::from(u8::from(here));
            common += f64::from(u8::from(there && here));
        }
        for (k, sum) in sums.iter_mut().enumerate() {
            let share = seen[1 - k];
            if shown[k] > 0.0 {
                let far: f64 = common - shown[k] * share;
                sum[0] += far * far / (shown[k] * share * (1.0 - share));
                sum[1] += 1.0;
            }
        }
    }
    let [one, other] = sums.map(|sum| f64::max(sum[0] / sum[1], 1.0));
    (one * other).sqrt()
}

#[test]
fn nodes_that_lose_their_edges_together_are_dispersed() {
    let even = copies(NODES, 10, 0.7, false, 3);
    // Every other node of the target keeps few of its edges.
    let kept = (0..NODES).flat_map(|a| {
        let of = even[1].sparse_adjacency().columns(a).iter();
        of.map(move |&b| (a, b as usize))
    });
    let kept = kept.filter(|&(a, b)| a < b && (a % 2 + b % 2 == 2 || (a + b) % 5 == 0));
    let kept: Vec<_> = kept.map(|(a, b)| (a, b, 1.0)).collect();
    let uneven = [even[0].clone(), Graph::from_edges(NODES, &kept).unwrap()];
    let there: Vec<u32> = (0..NODES).map(|i| partner(i) as u32).collect();
    let mut back = vec![NONE; NODES];
    for (i, &a) in there.iter().enumerate() {
        back[a as usize] = i as u32;
    }
    let partners = [there, back];
    let found = [(&even, 0.7), (&uneven, 0.3)].map(|(graphs, share)| {
        let seen = [0.7, share];
        let found = with_anchors(graphs, 0, |sides, _| dispersion(sides, &partners, seen));
        let by_hand = dispersion_by_hand(graphs, seen);
        assert!((found - by_hand).abs() < 1e-9, "{found} {by_hand}");
        found
    });
    assert!(found[0] < 1.15, "{found:?}");
    assert!(found[1] > 1.2, "{found:?}");
}

#[test]
fn second_opinions_keep_the_rules_and_lose_nothing() {
    let weights: Vec<f32> = (1..5).map(second_opinion).collect();
    assert!(
        weights.iter().filter(|weight| **weight > 0.0).count() >= 1,
        "{weights:?}"
    );
}

/// The weight of second opinions on rings of one seed, when all that has to hold of them does.
fn second_opinion(seed: u64) -> f32 {
    let graphs = rings(0.7, seed);
    let count = LEAST_HIDDEN * HIDDEN_ONE_IN;
    with_anchors(&graphs, count, |sides, mut known| {
        let anchors = known.anchors.clone();
        let right = |beliefs: &Beliefs| -> f32 {
            let shares = (0..NODES).map(|i| beliefs.occupancy.get(i, partner(i)).unwrap_or(0.0));
            shares.map(|share| share.max(1e-3).ln()).sum()
        };
        let first = first_opinion(sides, &known);
        let before = right(&first);
        let (mixed, weight) = agree(sides, &mut known, first, ITERATIONS, &Monitor::silent());
        assert_eq!(known.anchors, anchors);
        let gain = right(&mixed) - before;
        assert!(
            if weight > 0.0 {
                gain > 0.0
            } else {
                gain == 0.0
            },
            "{gain}"
        );
        let mut columns = vec![0.0f32; NODES];
        for i in 0..NODES {
            let (nodes, shares) = mixed.occupancy.parts(i);
            assert!(shares.iter().sum::<f32>() < 1.001);
            for (&a, share) in nodes.iter().zip(shares) {
                columns[a as usize] += share;
            }
        }
        assert!(columns.iter().all(|sum| *sum < 1.01));
        for (i, a) in anchors {
            assert!(mixed.occupancy.get(i as usize, a as usize).unwrap() > 0.999);
        }
        weight
    })
}

#[test]
fn nobody_is_asked_without_doubt_without_anchors_or_when_stopped() {
    let stopped = Monitor::silent();
    stopped.cancel_token().cancel();
    let silent = Monitor::silent();
    let cases = [
        (copies(NODES, 6, 0.65, false, 9), 50, &stopped),
        (copies(NODES, 6, 0.65, false, 9), 20, &silent),
        (copies(NODES, 12, 1.0, false, 9), 50, &silent),
    ];
    for (graphs, count, monitor) in cases {
        with_anchors(&graphs, count, |sides, mut known| {
            let first = first_opinion(sides, &known);
            let before = first.occupancy.clone();
            let (after, weight) = agree(sides, &mut known, first, ITERATIONS, monitor);
            assert_eq!(weight, 0.0);
            assert_eq!(after.occupancy, before);
            assert_eq!(known.anchors.len(), count);
        });
    }
}
