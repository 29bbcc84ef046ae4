//! Times of chains beside those of all matchings, counted one by one.

use std::collections::BTreeMap;

use super::*;
use crate::graph::Graph;
use crate::matcher::best::sparse::model::Model;
use crate::matcher::best::sparse::side::NONE;
use crate::matcher::best::thresholds::sparse::{ALONE_AT_FIRST, ALONE_SEEN};

const SOURCE: [(usize, usize); 6] = [(0, 1), (1, 2), (2, 3), (0, 2), (1, 3), (3, 4)];
const TARGET: [(usize, usize); 5] = [(0, 1), (1, 2), (0, 2), (2, 3), (1, 4)];

fn graph(nodes: usize, edges: &[(usize, usize)]) -> Graph {
    let edges: Vec<_> = edges.iter().map(|&(i, j)| (i, j, 1.0)).collect();
    Graph::from_edges(nodes, &edges).unwrap()
}

fn ties(sides: &[Side<'_>; 2], kept: f32, any: f32) -> Ties {
    let nobody = [0, 1].map(|k| vec![NONE; sides[k].nodes()]);
    let size = sides[0].nodes().max(sides[1].nodes());
    Ties {
        kept,
        any,
        degrees: [0, 1].map(|_| (0..size).map(|i| 0.05 * i as f32).collect()),
        weights: Model::fit(sides, &nobody).weights,
        shown: [0.0; 2],
        parted: 0.0,
    }
}

/// The nats of a permutation, summed over all pairs of nodes.
fn nats(sides: &[Side<'_>; 2], ties: &Ties, partners: &[usize]) -> f64 {
    let mut sum = 0.0;
    for (i, &a) in partners.iter().enumerate().take(sides[0].nodes()) {
        let mut any = false;
        for &j in sides[0].edges.columns(i) {
            let (j, b) = (j as usize, partners[j as usize]);
            let has = a < sides[1].nodes() && b < sides[1].nodes();
            if has && sides[1].edges.place(a, b).is_some() {
                any = true;
                let degrees = [(0, i), (0, j), (1, a), (1, b)];
                let less: f32 = degrees.iter().map(|&(k, v)| ties.degrees[k][v]).sum();
                sum += 0.5 * f64::from(ties.kept - less);
            }
        }
        sum += if any { f64::from(ties.any) } else { 0.0 };
    }
    sum
}

fn permutations(size: usize) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for _ in 0..size {
        let grown = all.iter().flat_map(|p: &Vec<usize>| {
            let left = (0..size).filter(|a| !p.contains(a));
            left.map(|a| [p.clone(), vec![a]].concat())
        });
        all = grown.collect();
    }
    all
}

#[test]
fn times_are_those_of_the_posterior() {
    // The target has one node more, and node 0 is an anchor.
    let (source, target) = (graph(5, &SOURCE), graph(6, &TARGET));
    let sides = [&source, &target].map(|graph| Side::new(graph, false));
    let ties = ties(&sides, 0.9, 0.6);
    let mut wanted: BTreeMap<(usize, usize), f64> = BTreeMap::new();
    let mut total = 0.0;
    for p in permutations(6).into_iter().filter(|p| p[0] == 1) {
        let weight = nats(&sides, &ties, &p).exp();
        total += weight;
        for (i, &a) in p.iter().enumerate().take(5) {
            *wanted.entry((i, a)).or_default() += weight;
        }
    }
    let free = [1, 2, 3, 4, 5];
    let mut chain = Chain::new(&sides, &ties, &free, vec![1, 0, 2, 3, 4, 5], (3, 0));
    let sweeps = 60_000;
    let (times, made) = chain.sample(sweeps, &Monitor::silent());
    assert_eq!(made, sweeps);
    assert_eq!(times[0], [(1, sweeps as u32)]);
    for (i, times) in times.iter().enumerate().skip(1) {
        for a in [0, 2, 3, 4, 5] {
            let spent = times.iter().find(|entry| entry.0 == a as u32);
            let share = spent.map_or(0.0, |entry| f64::from(entry.1)) / sweeps as f64;
            let right = wanted[&(i, a)] / total;
            assert!((share - right).abs() < 0.02, "{i} {a}: {share} {right}");
        }
    }
}

/// All partial matchings of so many sources with these targets; `usize::MAX` is nobody.
fn matchings(sources: usize, targets: usize) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for _ in 0..sources {
        let grown = all.iter().flat_map(|p: &Vec<usize>| {
            let left = (0..targets).filter(|a| !p.contains(a)).chain([usize::MAX]);
            left.map(|a| [p.clone(), vec![a]].concat())
        });
        all = grown.collect();
    }
    all
}

/// The edges between nodes that are among these.
fn between(side: &Side<'_>, is_paired: &dyn Fn(usize) -> bool) -> f64 {
    let ends = side.edges.triplets();
    ends.filter(|&(i, j, _)| i < j && is_paired(i) && is_paired(j))
        .count() as f64
}

#[test]
fn times_alone_are_those_of_the_posterior() {
    let (source, target) = (graph(5, &SOURCE), graph(6, &TARGET));
    let sides = [&source, &target].map(|graph| Side::new(graph, false));
    let ties = Ties {
        shown: [0.2, 0.35],
        parted: 3.8,
        ..ties(&sides, 1.1, 0.6)
    };
    // Node 0 is an anchor, so that four of each side's others may be pairs.
    let binomial =
        |n: usize, k: usize| (0..k).fold(1.0, |sum, j| sum * (n - j) as f64 / (j + 1) as f64);
    let rising = |x: f64, n: usize| (0..n).fold(1.0, |sum, j| sum * (x + j as f64));
    let (at_first, seen) = (ALONE_AT_FIRST, ALONE_SEEN);
    let likely = |alone: usize| {
        let both = rising(at_first * seen, alone) * rising((1.0 - at_first) * seen, 4 - alone);
        binomial(4, alone) * both
    };
    let mut wanted: BTreeMap<(usize, usize), f64> = BTreeMap::new();
    let mut total = 0.0;
    for p in matchings(5, 6).into_iter().filter(|p| p[0] == 1) {
        let pairs = p[1..].iter().filter(|a| **a < 6).count();
        let number = binomial(4, pairs) * rising((5 - pairs + 1) as f64, pairs);
        let shown = [
            between(&sides[0], &|i| p[i] < 6),
            between(&sides[1], &|a| p.contains(&a)),
        ];
        let apart = (0..2)
            .map(|k| f64::from(ties.shown[k]) * shown[k])
            .sum::<f64>();
        let parted = f64::from(ties.parted) * (4 - pairs) as f64;
        let weight = likely(4 - pairs) / number * (nats(&sides, &ties, &p) - apart + parted).exp();
        total += weight;
        for (i, &a) in p.iter().enumerate().take(5) {
            *wanted.entry((i, a.min(6))).or_default() += weight;
        }
    }
    // Filled up with four targets, and three or five sources.
    let free: Vec<u32> = (1..10).collect();
    let mut chain = Chain::new(
        &sides,
        &ties,
        &free,
        vec![1, 0, 2, 3, 4, 5, 6, 7, 8, 9],
        (3, 0),
    );
    let sweeps = 200_000;
    let (times, _) = chain.sample(sweeps, &Monitor::silent());
    assert_eq!(times[0], [(1, sweeps as u32)]);
    let mut alone = 0.0;
    for (i, times) in times.iter().enumerate().skip(1) {
        for a in [0, 2, 3, 4, 5, 6] {
            let spent = times.iter().find(|entry| entry.0 == a as u32);
            let share = spent.map_or(0.0, |entry| f64::from(entry.1)) / sweeps as f64;
            let right = wanted[&(i, a)] / total;
            assert!((share - right).abs() < 0.02, "{i} {a}: {share} {right}");
            alone += if a == 6 { share } else { 0.0 };
        }
    }
    assert!((0.4..3.6).contains(&alone), "{alone}");
    let paired: Vec<usize> = chain.partners.iter().map(|&a| a as usize).collect();
    assert_eq!(
        chain.pairs(),
        paired[..5].iter().filter(|a| **a < 6).count()
    );
}

#[test]
fn edges_are_kept_in_the_mean_as_the_posterior_has_them() {
    let (source, target) = (graph(5, &SOURCE), graph(5, &TARGET));
    let sides = [&source, &target].map(|graph| Side::new(graph, false));
    let ties = ties(&sides, 1.2, 0.3);
    let free = [0, 1, 2, 3, 4];
    let kept = |p: &[usize]| {
        let on_both = SOURCE.iter().map(|&(i, j)| (p[i], p[j]));
        on_both.filter(|&(a, b)| target.weight(a, b) != 0.0).count() as f64
    };
    for power in [1.0, 0.6] {
        let tempered = ties.to_the_power(power);
        let (mut sum, mut total) = (0.0, 0.0);
        for p in permutations(5) {
            let weight = (f64::from(power) * nats(&sides, &ties, &p)).exp();
            total += weight;
            sum += weight * kept(&p);
        }
        let right = vec![0, 1, 2, 3, 4];
        let mut chain = Chain::new(&sides, &tempered, &free, right, (5, 0));
        let mean = chain.mean_kept_edges(200_000, &Monitor::silent()).unwrap();
        assert!((mean - sum / total).abs() < 0.02, "{mean} {}", sum / total);
    }
}

#[test]
fn common_edges_are_kept_up_to_date() {
    let (source, target) = (graph(5, &SOURCE), graph(5, &TARGET));
    let sides = [&source, &target].map(|graph| Side::new(graph, false));
    let ties = ties(&sides, 0.5, 0.5);
    let free = [0, 1, 2, 3, 4];
    let mut chain = Chain::new(&sides, &ties, &free, vec![4, 3, 2, 1, 0], (1, 0));
    for _ in 0..50 {
        chain.cool(1.5, None, 3, &Monitor::silent()).unwrap();
        let counted: Vec<u32> = (0..5).map(|i| chain.count_common(i)).collect();
        assert_eq!(chain.common, counted);
        let partners: Vec<usize> = chain.partners.iter().map(|&a| a as usize).collect();
        let wanted = nats(&sides, &ties, &partners);
        assert!((chain.evidence() - wanted).abs() < 1e-4, "{wanted}");
    }
    assert_ne!(chain.partners(), [4, 3, 2, 1, 0]);
}

#[test]
fn a_stop_ends_the_walk() {
    let source = graph(5, &SOURCE);
    let sides = [&source, &source].map(|graph| Side::new(graph, false));
    let ties = ties(&sides, 1.0, 0.0);
    let free = [0, 1, 2, 3, 4];
    let monitor = Monitor::silent();
    monitor.cancel_token().cancel();
    let mut chain = Chain::new(&sides, &ties, &free, vec![0, 1, 2, 3, 4], (1, 0));
    assert!(chain.cool(1.0, None, 1, &monitor).is_none());
    let (times, made) = chain.sample(5, &monitor);
    assert_eq!((made, times.len()), (0, 5));
}

#[test]
fn a_stop_leaves_the_times_until_then() {
    // A grid, whose sweeps take longer than the limit.
    let side = 60;
    let right = (0..side * side).filter(|i| i % side + 1 < side);
    let edges = right.map(|i| (i, i + 1));
    let down = (0..side * (side - 1)).map(|i| (i, i + side));
    let edges: Vec<_> = edges.chain(down).collect();
    let grid = graph(side * side, &edges);
    let sides = [&grid, &grid].map(|graph| Side::new(graph, false));
    let ties = ties(&sides, 1.0, 0.0);
    let free: Vec<u32> = (0..grid.node_count() as u32).collect();
    let mut chain = Chain::new(&sides, &ties, &free, free.clone(), (1, 0));
    let monitor = Monitor::silent().time_limit(std::time::Duration::from_millis(200));
    let (times, made) = chain.sample(usize::MAX >> 32, &monitor);
    assert!(made < usize::MAX >> 32);
    // Nobody had more partners than are kept, so that all of the time is there.
    let spent = |times: &Times| times.iter().map(|(_, spent)| spent).sum::<u32>();
    let all = times.iter().filter(|times| times.len() < PARTNERS);
    assert!(all.clone().count() > 0);
    for times in all {
        assert_eq!(spent(times) as usize, made);
    }
}
