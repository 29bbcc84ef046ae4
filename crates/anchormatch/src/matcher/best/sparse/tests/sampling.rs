//! Chains of exchanges beside the field that they begin with.

use super::consensus::{NODES, first_opinion, partner, rings, with_anchors};
use super::copies;
use crate::graph::Graph;
use crate::matcher::best::sparse::beliefs::{Beliefs, top};
use crate::matcher::best::sparse::chain::Chain;
use crate::matcher::best::sparse::landmarks::Landmarks;
use crate::matcher::best::sparse::sampling::{are_even, close_rivals, filled_up, sample, ties};
use crate::matcher::best::sparse::side::{NONE, Side};
use crate::monitor::Monitor;

/// The share of likeliest partners that are right, and what the beliefs expect of it.
fn right_and_expected(beliefs: &Beliefs) -> (f64, f64) {
    let is_right =
        |&i: &usize| top(&beliefs.occupancy, i).is_some_and(|(a, _)| a as usize == partner(i));
    let right = (0..NODES).filter(is_right).count() as f64 / NODES as f64;
    (right, beliefs.expected_right() / NODES as f64)
}

#[test]
fn chains_know_more_than_the_field_and_how_much() {
    let (mut gained, mut off) = (0.0, 0.0);
    for seed in 1..4 {
        let graphs = rings(0.75, seed);
        with_anchors(&graphs, 20, |sides, known| {
            let field = first_opinion(sides, &known);
            let (before, _) = right_and_expected(&field);
            let (sampled, is_sampled) = sample(sides, &known, field, 0, &Monitor::silent());
            assert!(is_sampled);
            let (right, expected) = right_and_expected(&sampled);
            gained += right - before;
            off += expected - right;
            for &(i, a) in &known.anchors {
                assert_eq!(sampled.occupancy.get(i as usize, a as usize), Some(1.0));
            }
            // No target is given away twice.
            let mut columns = vec![0.0f32; NODES];
            for (_, a, share) in sampled.occupancy.triplets() {
                columns[a] += share;
            }
            assert!(columns.iter().all(|sum| *sum < 1.001));
        });
    }
    assert!(gained > 0.0, "{gained}");
    assert!((off / 3.0).abs() < 0.06, "{off}");
}

#[test]
fn landmarks_lead_whole_regions_back() {
    const SHIFT: usize = 40;
    let graphs = rings(0.8, 4);
    with_anchors(&graphs, 24, |sides, known| {
        let anchored = known.partners();
        let is_free = |i: &usize| anchored[0][*i] == NONE;
        let free: Vec<usize> = (0..NODES).filter(is_free).collect();
        // Everybody has the partner of somebody further along the ring, which keeps nearly as many edges.
        let shifted = (0..free.len()).map(|k| partner(free[(k + SHIFT) % free.len()]));
        let pairs = free.iter().copied().zip(shifted);
        let anchors = known.anchors.iter().map(|&(i, a)| (i as usize, a as usize));
        let first = filled_up(pairs.chain(anchors), NODES);
        let ties = ties(sides, &first);
        let landmarks = Landmarks::of(sides, &known.anchors, &Monitor::silent()).unwrap();
        let free: Vec<u32> = free.iter().map(|&i| i as u32).collect();
        let right_after = |leads: Option<&Landmarks>| {
            let mut chain = Chain::new(sides, &ties, &free, first.clone(), (1, 0));
            chain.cool(2.0, leads, 300, &Monitor::silent()).unwrap();
            let right = |&&i: &&u32| chain.partners()[i as usize] as usize == partner(i as usize);
            free.iter().filter(right).count() as f64 / free.len() as f64
        };
        let (alone, led) = (right_after(None), right_after(Some(&landmarks)));
        assert!(alone < 0.1 && led > 0.4, "{alone} {led}");
    });
}

#[test]
fn threads_change_nothing() {
    let graphs = rings(0.75, 5);
    let [one, three] = [1, 3].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build().unwrap().install(|| {
            with_anchors(&graphs, 20, |sides, known| {
                let field = first_opinion(sides, &known);
                sample(sides, &known, field, 7, &Monitor::silent())
                    .0
                    .occupancy
            })
        })
    });
    assert_eq!(one, three);
}

#[test]
fn graphs_without_clusters_are_left_to_the_field() {
    let graphs = copies(NODES, 10, 0.7, false, 2);
    with_anchors(&graphs, 20, |sides, known| {
        let field = first_opinion(sides, &known);
        let before = field.occupancy.clone();
        let (after, is_sampled) = sample(sides, &known, field, 0, &Monitor::silent());
        assert!(!is_sampled);
        assert_eq!(after.occupancy, before);
    });
}

#[test]
fn a_stop_leaves_the_field() {
    let graphs = rings(0.75, 1);
    with_anchors(&graphs, 20, |sides, known| {
        let field = first_opinion(sides, &known);
        let before = field.occupancy.clone();
        let monitor = Monitor::silent();
        monitor.cancel_token().cancel();
        let (after, is_sampled) = sample(sides, &known, field, 0, &monitor);
        assert!(!is_sampled);
        assert_eq!(after.occupancy, before);
    });
}

#[test]
fn hubs_and_leaves_are_not_even() {
    let even = |graph: &Graph| are_even(&Side::new(graph, false));
    assert!(even(&rings(0.8, 1)[0]));
    let star: Vec<_> = (1..50).map(|i| (0, i, 1.0)).collect();
    assert!(!even(&Graph::from_edges(50, &star).unwrap()));
    // Hubs alone do it as well.
    let mut hubs: Vec<_> = (0..200)
        .flat_map(|i| (1..3).map(move |k| (i, (i + k) % 200, 1.0)))
        .collect();
    assert!(even(&Graph::from_edges(200, &hubs).unwrap()));
    hubs.extend((3..198).map(|i| (0, i, 1.0)));
    assert!(!even(&Graph::from_edges(200, &hubs).unwrap()));
}

#[test]
fn ties_are_those_of_the_shares_that_are_kept() {
    let graphs = rings(0.8, 2);
    let truth = filled_up((0..NODES).map(|i| (i, partner(i))), NODES);
    with_anchors(&graphs, 0, |sides, _| {
        let close = close_rivals(sides, &truth);
        // By all triples of neighbours' partners.
        let (mut seen, mut found) = (0.0, 0.0);
        for i in 0..NODES {
            let own = sides[0].edges.columns(i).iter();
            let known: Vec<usize> = own.map(|&j| partner(j as usize)).collect();
            for x in &known {
                for y in known.iter().filter(|y| *y != x) {
                    for z in known.iter().filter(|z| *z != x && *z != y) {
                        for a in (0..NODES).filter(|a| *a != partner(i) && a != z) {
                            let joined = |b: usize| graphs[1].weight(a, b) != 0.0;
                            if joined(*x) && joined(*y) {
                                seen += 1.0;
                                found += f64::from(u8::from(joined(*z)));
                            }
                        }
                    }
                }
            }
        }
        let by_hand: f64 = found / seen;
        assert!((close - by_hand).abs() < 0.05, "{close} {by_hand}");
        let ties = ties(sides, &truth);
        let (s, c) = (0.8f64, by_hand / 0.8);
        let kept = ((1.0 - (2.0 * s - s * s) * c) / ((1.0 - s).powi(2) * c)).ln();
        assert!(
            (f64::from(ties.kept) - kept).abs() < 0.4,
            "{} {kept}",
            ties.kept
        );
        let strangers = 8.0 / NODES as f64;
        let any = (c / strangers).ln();
        assert!(
            (f64::from(ties.any) - any).abs() < 0.2,
            "{} {any}",
            ties.any
        );
    });
}
