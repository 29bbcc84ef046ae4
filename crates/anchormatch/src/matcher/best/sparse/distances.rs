//! Part of stage *chance*: are the anchors as far from each other on both sides?
//!
//! Where nodes lie somewhere, in space or on a ring, the steps between two anchors are about those between their partners.
//! In unrelated graphs any partner is as far as another: the sum Σ d(k, l) d'(k', l') over pairs of anchors is one draw of those
//! that permuted partners have (Mantel, *Cancer Research* 27, 1967), whatever the graphs repeat of themselves. By how many
//! standard deviations it is above them tells of the graphs as a whole, and costs a search breadth first for each anchor; decoys
//! cost as many matches.
//!
//! Steps between hubs are few whoever they belong to, and people anchor hubs: graphs whose degrees vary are not asked.

use std::f64::consts::LN_2;

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use super::landmarks::Landmarks;
use super::sampling::are_even;
use super::side::Side;
use crate::matcher::best::thresholds::sparse::{LEAST_APART, SKEWED};
use crate::monitor::Monitor;

/// Permutations of the partners.
const PERMUTATIONS: usize = 400;

/// How many nats the distances of anchors from each other tell against chance: −ln of the probability of so many deviations, or less. `None` where there are too few anchors, degrees vary, or the monitor stops it.
pub(super) fn nats_of_distances(
    sides: &[Side<'_>; 2],
    anchors: &[(u32, u32)],
    seed: u64,
    monitor: &Monitor,
) -> Option<f64> {
    if anchors.len() < LEAST_APART || !sides.iter().all(are_even) {
        return None;
    }
    let landmarks = Landmarks::of(sides, anchors, monitor)?;
    let [own, theirs] = [0, 1].map(|side| landmarks.between(side));
    let beyond = SKEWED * deviations(&own, &theirs, seed)?;
    // A normal variable is above x with a probability of exp(−x²/2)/2 at most.
    Some(0.5 * beyond.max(0.0).powi(2) + LN_2)
}

/// By how many standard deviations Σ d d' is above that of permuted partners; `None` where all permutations have the same.
fn deviations(own: &[Vec<f64>], theirs: &[Vec<f64>], seed: u64) -> Option<f64> {
    let count = own.len();
    let sum = |order: &[usize]| -> f64 {
        let row = |k: usize| (0..k).map(move |l| own[k][l] * theirs[order[k]][order[l]]);
        (0..count).flat_map(row).sum()
    };
    let mut order: Vec<usize> = (0..count).collect();
    let given = sum(&order);
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let drawn: Vec<f64> = (0..PERMUTATIONS)
        .map(|_| {
            order.shuffle(&mut random);
            sum(&order)
        })
        .collect();
    let mean = drawn.iter().sum::<f64>() / PERMUTATIONS as f64;
    let squares: f64 = drawn.iter().map(|v| (v - mean).powi(2)).sum();
    let deviation = (squares / (PERMUTATIONS - 1) as f64).sqrt();
    (deviation > 1e-9 * mean.abs()).then(|| (given - mean) / deviation)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Graph;
    use crate::matcher::best::thresholds::DISTANCES_NEEDED;

    /// Nodes at random places of the unit square, joined to those that are near.
    fn places(seed: u64, nodes: usize) -> Graph {
        use rand::RngExt;
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let at: Vec<[f64; 2]> = (0..nodes)
            .map(|_| [random.random(), random.random()])
            .collect();
        let apart = |i: usize, j: usize| (at[i][0] - at[j][0]).hypot(at[i][1] - at[j][1]);
        let near = 12.0 / (std::f64::consts::PI * nodes as f64);
        let pairs = (0..nodes).flat_map(|i| (0..i).map(move |j| (j, i)));
        let joined = pairs.filter(|&(i, j)| apart(i, j).powi(2) < near);
        let edges: Vec<_> = joined.map(|(i, j)| (i, j, 1.0)).collect();
        Graph::from_edges(nodes, &edges).unwrap()
    }

    fn told(graphs: [&Graph; 2], anchors: &[(u32, u32)]) -> Option<f64> {
        let sides = graphs.map(|graph| Side::new(graph, false));
        nats_of_distances(&sides, anchors, 1, &Monitor::silent())
    }

    #[test]
    fn deviations_are_those_of_all_permutations() {
        let own: Vec<Vec<f64>> = (0..5)
            .map(|k| (0..5).map(|l| (k as f64 - l as f64).abs()).collect())
            .collect();
        let at: [f64; 5] = [0.0, 1.0, 3.0, 4.0, 9.0];
        let theirs: Vec<Vec<f64>> = at
            .iter()
            .map(|x| at.iter().map(|y| (x - y).abs()).collect())
            .collect();
        // All 120 of them, by Heap's algorithm.
        let mut order = [0, 1, 2, 3, 4];
        let sum = |order: &[usize; 5]| {
            let all = (0..5).flat_map(|k| (0..k).map(move |l| (k, l)));
            all.map(|(k, l)| own[k][l] * theirs[order[k]][order[l]])
                .sum::<f64>()
        };
        let given = sum(&order);
        let (mut sums, mut count, mut k) = (vec![given], [0; 5], 0);
        while k < 5 {
            if count[k] < k {
                order.swap(if k % 2 == 0 { 0 } else { count[k] }, k);
                sums.push(sum(&order));
                count[k] += 1;
                k = 0;
            } else {
                count[k] = 0;
                k += 1;
            }
        }
        let mean = sums.iter().sum::<f64>() / 120.0;
        let deviation = (sums.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / 120.0).sqrt();
        let wanted = (given - mean) / deviation;
        let found = deviations(&own, &theirs, 3).unwrap();
        assert_eq!(sums.len(), 120);
        assert!((found - wanted).abs() < 0.15 * wanted, "{found} {wanted}");
    }

    #[test]
    fn partners_are_as_far_from_each_other_and_strangers_are_not() {
        const NODES: usize = 300;
        let graph = places(1, NODES);
        let partner = |i: u32| (7 * i + 3) % NODES as u32;
        let order: Vec<usize> = (0..NODES as u32).map(|i| partner(i) as usize).collect();
        let copy = graph.permuted(&order).unwrap();
        for count in [8u32, 20, 60] {
            let anchors: Vec<(u32, u32)> = (0..count).map(|k| (partner(4 * k), 4 * k)).collect();
            let right = told([&graph, &copy], &anchors).unwrap();
            assert!(right > DISTANCES_NEEDED, "{count}: {right}");
            for seed in 2..12 {
                let strange = told([&graph, &places(seed, NODES)], &anchors).unwrap();
                assert!(strange < DISTANCES_NEEDED, "{count}, {seed}: {strange}");
            }
        }
    }

    #[test]
    fn few_anchors_hubs_and_complete_graphs_tell_nothing() {
        let graph = places(1, 100);
        let same = |count: u32| (0..count).map(|i| (i, i)).collect::<Vec<_>>();
        assert!(told([&graph, &graph], &same(LEAST_APART as u32 - 1)).is_none());
        let star: Vec<_> = (1..100).map(|i| (0, i, 1.0)).collect();
        let star = Graph::from_edges(100, &star).unwrap();
        assert!(told([&star, &star], &same(20)).is_none());
        let all = (0..30).flat_map(|i| (0..i).map(move |j| (j, i, 1.0)));
        let complete = Graph::from_edges(30, &all.collect::<Vec<_>>()).unwrap();
        assert!(told([&complete, &complete], &same(20)).is_none());
    }
}
