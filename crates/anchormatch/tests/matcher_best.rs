//! The presets best and fast where the answer is known: recovery, invariances, outliers,
//! confidence.
#![allow(clippy::unwrap_used)]

mod planted;

use anchormatch::Graph;
use anchormatch::linalg::Matrix;
use anchormatch::matcher::Best;
use anchormatch_invariants::matching::bytes_of;
use anchormatch_invariants::shapes::on_any_threads;
use planted::{Kind, Planted, complete, partners, renamed, run};

const KINDS: [Kind; 5] = [
    Kind::Complete,
    Kind::Weighted,
    Kind::Plain,
    Kind::Sparse,
    Kind::Points,
];

fn presets() -> [Best; 2] {
    [Best::default(), Best::fast()]
}

fn with_weights(graph: &Graph, change: impl Fn(f64) -> f64) -> Graph {
    let changed = graph.edges().map(|(i, j, weight)| (i, j, change(weight)));
    Graph::from_edges(graph.node_count(), &changed.collect::<Vec<_>>()).unwrap()
}

#[test]
fn isomorphic_graphs_are_recovered() {
    for kind in KINDS {
        for (nodes, anchored) in [(12, &[4][..]), (24, &[5, 17])] {
            let planted = Planted::isomorphic(kind, nodes, 11 + nodes as u64);
            for preset in presets() {
                let matching = planted.run(&preset, anchored);
                let right = planted.right(&matching);
                assert_eq!(right, nodes, "{kind:?}, {:?}", preset.effort);
            }
        }
    }
}

#[test]
fn large_sparse_graphs_are_recovered() {
    let planted = Planted::isomorphic(Kind::Sparse, 80, 3);
    for preset in presets() {
        let matching = planted.run(&preset, &[7, 40]);
        assert_eq!(planted.right(&matching), 80, "{:?}", preset.effort);
    }
}

#[test]
fn a_subgraph_is_found_in_either_direction() {
    for kind in [Kind::Complete, Kind::Weighted, Kind::Points] {
        for outliers in [[0, 5], [5, 0]] {
            let planted = Planted::new(kind, 14, outliers, 0.0, 21);
            for preset in presets() {
                let matching = planted.run(&preset, &[0, 9]);
                assert_eq!(planted.right(&matching), 14, "{kind:?} {outliers:?}");
            }
        }
    }
}

#[test]
fn renaming_both_graphs_renames_the_result() {
    for kind in [Kind::Complete, Kind::Weighted, Kind::Points] {
        let planted = Planted::new(kind, 17, [0, 2], 0.01, 5);
        let (source, first) = renamed(&planted.source, 5);
        let (target, second) = renamed(&planted.target, 7);
        for preset in presets() {
            let plain = planted.run(&preset, &[2, 11]);
            let anchors: Vec<_> = planted.pairs(&[2, 11]);
            let anchors: Vec<_> = anchors
                .iter()
                .map(|&(s, t)| (first[s], second[t]))
                .collect();
            let other = run(&preset, &source, &target, &anchors).mapping();
            assert_eq!(planted.right(&plain), 17, "{kind:?}");
            for (s, t) in partners(&plain) {
                assert_eq!(other.get(&first[s]), Some(&second[t]), "{kind:?}");
            }
        }
    }
}

#[test]
fn scaling_or_shifting_all_weights_changes_no_pair() {
    for kind in [Kind::Complete, Kind::Weighted] {
        let planted = Planted::new(kind, 16, [1, 2], 0.05, 8);
        let anchors = planted.pairs(&[3, 8]);
        for preset in presets() {
            let plain = partners(&planted.run(&preset, &[3, 8]));
            let changes: [&dyn Fn(f64) -> f64; 5] = [
                &|w| 1024.0 * w,
                &|w| w / 3.0,
                &|w| 1e6 * w,
                &|w| w + 5.0,
                &|w| 0.1 * w - 7.0,
            ];
            for (k, change) in changes.iter().enumerate() {
                let (source, target) = (&planted.source, &planted.target);
                let changed = run(&preset, source, &with_weights(target, change), &anchors);
                assert_eq!(partners(&changed), plain, "{kind:?}, target {k}");
                let changed = run(&preset, &with_weights(source, change), target, &anchors);
                assert_eq!(partners(&changed), plain, "{kind:?}, source {k}");
            }
        }
    }
}

#[test]
fn results_are_the_same_on_any_number_of_threads_and_in_every_run() {
    for (kind, inliers, outliers) in [
        (Kind::Complete, 15, [3, 3]),
        (Kind::Plain, 18, [0, 0]),
        (Kind::Sparse, 70, [0, 0]),
        (Kind::Points, 66, [0, 4]),
    ] {
        let planted = Planted::new(kind, inliers, outliers, 0.1, 13);
        for preset in presets() {
            let preset = preset.with_seed(7);
            on_any_threads(|| bytes_of(planted.run(&preset, &[1])));
        }
    }
}

#[test]
fn outliers_are_left_alone_where_that_is_allowed() {
    let preset = Best::default().with_unmatched(true);
    for outliers in [[3, 3], [0, 4], [4, 0]] {
        // Two outliers of the plane may happen to lie alike; of random weights, hardly.
        let mut spurious = 0;
        for seed in 0..4 {
            let planted = Planted::new(Kind::Complete, 16, outliers, 0.001, seed);
            let matching = planted.run(&preset, &[0, 6]);
            assert_eq!(planted.right(&matching), 16, "{outliers:?}");
            assert_eq!(matching.unmatched_source.len(), outliers[0]);
            assert_eq!(matching.unmatched_target.len(), outliers[1]);
            // And matched where it is not, the inliers with their partners all the same.
            let matching = planted.run(&Best::default(), &[0, 6]);
            assert_eq!(planted.right(&matching), 16, "{outliers:?}");

            let planted = Planted::new(Kind::Points, 16, outliers, 0.001, seed);
            let matching = planted.run(&preset, &[0, 6]);
            assert_eq!(planted.right(&matching), 16, "points, {outliers:?}");
            spurious += matching.pairs.len() - 16;
        }
        assert!(spurious <= 4, "{spurious} of 12 pairs of outliers");
    }
}

#[test]
fn who_has_a_partner_is_not_left_alone() {
    let planted = Planted::isomorphic(Kind::Complete, 14, 6);
    for preset in presets() {
        let preset = preset.with_unmatched(true);
        let matching = planted.run(&preset, &[2]);
        assert_eq!(planted.right(&matching), 14, "{:?}", preset.effort);
    }
}

#[test]
fn twins_are_in_doubt_and_the_others_are_not() {
    // Nodes 0 and 1 have the same edges to all others.
    let plain = Planted::isomorphic(Kind::Complete, 12, 17).source;
    let mut weights = plain.adjacency();
    for j in 2..12 {
        weights[(0, j)] = weights[(1, j)];
        weights[(j, 0)] = weights[(j, 1)];
    }
    let source = Graph::from_dense(&weights).unwrap();
    let (target, place) = renamed(&source, 5);
    for preset in presets() {
        let matching = run(&preset, &source, &target, &[(5, place[5])]);
        for pair in &matching.pairs {
            if pair.source < 2 {
                assert!([place[0], place[1]].contains(&pair.target));
                assert!((pair.confidence - 0.5).abs() < 0.15, "{pair:?}");
            } else {
                assert_eq!(pair.target, place[pair.source]);
                assert!(pair.confidence > 0.95, "{pair:?}");
            }
        }
    }
}

#[test]
fn a_symmetry_of_the_whole_is_doubt_about_all_that_it_moves() {
    // A path's ends may be exchanged, its middle stays; the chord of a cycle leaves one reflection.
    let path = |n: usize| {
        let edges: Vec<_> = (1..n).map(|i| (i - 1, i, 1.0)).collect();
        (
            Graph::from_edges(n, &edges).unwrap(),
            (0..n).rev().collect::<Vec<_>>(),
        )
    };
    let edges = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0), (0, 2)];
    let chord = Graph::from_edges(5, &edges.map(|(i, j)| (i, j, 1.0))).unwrap();
    // And weights that only a reflection of everything leaves as they are.
    let planted = Planted::isomorphic(Kind::Complete, 12, 3)
        .source
        .adjacency();
    let folded = Matrix::from_fn(12, 12, |i, j| {
        0.5 * (planted[(i, j)] + planted[(11 - i, 11 - j)])
    });
    let folded = Graph::from_dense(&folded).unwrap();
    let (five, eight, nine) = (path(5), path(8), path(9));
    let cases = [
        five,
        eight,
        nine,
        (chord, vec![2, 1, 0, 4, 3]),
        (folded, (0..12).rev().collect()),
    ];
    for (k, (graph, image)) in cases.into_iter().enumerate() {
        let (target, place) = renamed(&graph, 7);
        let matching = run(&Best::default(), &graph, &target, &[]);
        for pair in &matching.pairs {
            let i = pair.source;
            assert!([place[i], place[image[i]]].contains(&pair.target), "{k}");
            // Small graphs leave other doubts beside this one.
            let most = if image[i] == i { 1.0 } else { 0.5 };
            let range = most - 0.25..most + 0.1;
            assert!(range.contains(&pair.confidence), "{k}: {pair:?}");
        }
    }
}

#[test]
fn nothing_to_go_by_is_no_confidence() {
    // 1/n for every pair of a complete graph.
    let matching = run(&Best::default(), &complete(6), &complete(6), &[]);
    for pair in &matching.pairs {
        assert!((pair.confidence - 1.0 / 6.0).abs() < 0.08, "{pair:?}");
    }
}

#[test]
fn two_large_graphs_that_have_nothing_in_common_are_not_claimed_to_match() {
    let (nodes, anchored) = (210, [3, 77]);
    let planted = Planted {
        source: Planted::isomorphic(Kind::Plain, nodes, 1).source,
        target: Planted::isomorphic(Kind::Plain, nodes, 2).source,
        truth: (0..nodes).map(Some).collect(),
    };
    let matching = planted.run(&Best::default(), &anchored);
    assert_eq!(matching.mapping().len(), nodes);
    let free = matching.pairs.iter();
    let free = free.filter(|pair| !anchored.contains(&pair.source));
    let sum: f64 = free.map(|pair| pair.confidence).sum();
    assert!(sum / (nodes as f64) < 0.3, "{sum}");
}
