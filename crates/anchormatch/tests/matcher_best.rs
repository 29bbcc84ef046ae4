//! The presets best and fast where the answer is known: recovery, invariances, soft anchors,
//! similarities, outliers, confidence.
#![allow(clippy::unwrap_used)]

mod planted;

use std::sync::Arc;

use anchormatch::anchors::Anchor;
use anchormatch::linalg::Matrix;
use anchormatch::matcher::{Best, Ingredients};
use anchormatch::{Anchors, Error, Graph, Matching, Monitor};
use planted::{Kind, Planted, assert_sound, run};

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

/// A graph whose nodes are renamed: the new node k is the old node `order[k]`; and its old nodes'
/// new places.
fn renamed(graph: &Graph, step: usize) -> (Graph, Vec<usize>) {
    let n = graph.nodes();
    let order: Vec<usize> = (0..n).map(|k| (step * k + 3) % n).collect();
    let mut place = vec![usize::MAX; n];
    for (new, &old) in order.iter().enumerate() {
        place[old] = new;
    }
    assert!(place.iter().all(|&p| p < n), "the step divides the size");
    (graph.permuted(&order).unwrap(), place)
}

fn with_weights(graph: &Graph, change: impl Fn(f64) -> f64) -> Graph {
    let mut edges = Vec::new();
    for i in 0..graph.nodes() {
        let later = graph.neighbours(i).filter(|&(j, _)| j > i);
        edges.extend(later.map(|(j, weight)| (i, j, change(weight))));
    }
    Graph::from_edges(graph.nodes(), &edges).unwrap()
}

fn partners(matching: &Matching) -> Vec<(usize, usize)> {
    let pairs = matching.pairs.iter();
    pairs.map(|pair| (pair.source, pair.target)).collect()
}

fn path(nodes: usize) -> Graph {
    let edges: Vec<_> = (1..nodes).map(|i| (i - 1, i, 1.0)).collect();
    Graph::from_edges(nodes, &edges).unwrap()
}

fn cycle(nodes: usize) -> Graph {
    let edges: Vec<_> = (0..nodes).map(|i| (i, (i + 1) % nodes, 1.0)).collect();
    Graph::from_edges(nodes, &edges).unwrap()
}

fn complete(nodes: usize) -> Graph {
    let pairs = (0..nodes).flat_map(|i| (0..i).map(move |j| (j, i, 1.0)));
    Graph::from_edges(nodes, &pairs.collect::<Vec<_>>()).unwrap()
}

/// A run with anchors of any weight.
fn run_soft(
    preset: &Best,
    source: &Graph,
    target: &Graph,
    told: &[(usize, usize, f64)],
) -> Matching {
    let anchors = told.iter().map(|&(source, target, weight)| Anchor {
        source,
        target,
        weight,
    });
    let anchors = Anchors::new(source, target, anchors).unwrap();
    let matching = preset.run(source, target, &anchors, &Monitor::silent());
    let matching = matching.unwrap();
    assert_sound(preset, &matching, source, target, &anchors);
    matching
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
            let preset = Best { seed: 7, ..preset };
            let on = |threads: usize| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
                let mut matching = pool.build().unwrap().install(|| planted.run(&preset, &[1]));
                matching.timings.clear();
                matching
            };
            let one = on(1);
            for threads in [1, 2, 8] {
                assert!(on(threads) == one, "{kind:?} on {threads} threads");
            }
        }
    }
}

#[test]
fn a_right_hint_breaks_a_symmetry() {
    let (source, target) = (path(7), path(7));
    for preset in presets() {
        let same = run_soft(&preset, &source, &target, &[(0, 0, 0.9)]);
        assert!(partners(&same).iter().all(|&(s, t)| s == t));
        let mirrored = run_soft(&preset, &source, &target, &[(1, 5, 0.9)]);
        assert!(partners(&mirrored).iter().all(|&(s, t)| s + t == 6));
        // A hint is no anchor, and doubt remains.
        assert!(same.pairs.iter().all(|pair| !pair.anchor));
        eprintln!("{:?}", same.pairs);
        assert!(same.pairs[0].confidence > 0.7, "{:?}", same.pairs);
    }
    let (source, (target, place)) = (cycle(8), renamed(&cycle(8), 5));
    let told = [(0, place[3], 0.9), (2, place[1], 0.9)];
    for preset in presets() {
        let matching = run_soft(&preset, &source, &target, &told);
        for (s, t) in partners(&matching) {
            assert_eq!(t, place[(11 - s) % 8]);
        }
    }
}

#[test]
fn of_contradictory_hints_the_heavier_wins() {
    let (source, target) = (path(7), path(7));
    let told = [
        (0, 0, 0.6),
        (0, 6, 0.95),
        (0, 3, 0.1),
        (6, 6, 0.6),
        (1, 6, 0.3),
        (2, 6, 0.3),
    ];
    for preset in presets() {
        let matching = run_soft(&preset, &source, &target, &told[..3]);
        assert!(partners(&matching).iter().all(|&(s, t)| s + t == 6));
        // More of them, for both sides: any sound result will do.
        run_soft(&preset, &source, &target, &told);
        let all = (0..7).flat_map(|s| (0..7).map(move |t| (s, t, 0.5)));
        run_soft(&preset, &source, &target, &all.collect::<Vec<_>>());
    }
    // Hints that contradict an anchor change nothing.
    let told = [(0, 6, 1.0), (0, 0, 0.99), (6, 6, 0.99)];
    let matching = run_soft(&Best::default(), &source, &target, &told);
    assert!(partners(&matching).iter().all(|&(s, t)| s + t == 6));
}

/// Similar are those whose numbers are `shift` apart; the others' similarities waver.
fn alike(nodes: usize, shift: usize) -> Matrix {
    Matrix::from_fn(nodes, nodes, |i, a| {
        let noise = ((37 * i + 11 * a) % 17) as f64 / 17.0;
        if a == (i + shift) % nodes {
            4.0 + noise
        } else {
            noise
        }
    })
}

fn with_similarity(preset: Best, similarity: Matrix) -> Best {
    Best {
        node_similarity: Some(Arc::new(similarity)),
        ..preset
    }
}

#[test]
fn similarities_break_symmetries() {
    // Between these, the edges tell nothing at all: what is found is what the similarity says.
    for graph in [complete(9), Graph::from_edges(9, &[]).unwrap(), cycle(9)] {
        for preset in presets() {
            let preset = with_similarity(preset, alike(9, 4));
            // Without anchors, and with ones in the middle, whose rows leave the problem.
            for anchors in [&[][..], &[(3, 7)], &[(3, 7), (7, 2), (8, 3)]] {
                let matching = run(&preset, &graph, &graph, anchors);
                for (s, t) in partners(&matching) {
                    assert_eq!(t, (s + 4) % 9, "anchors {anchors:?}");
                }
            }
        }
    }
}

#[test]
fn similarities_have_no_unit() {
    let planted = Planted::isomorphic(Kind::Plain, 9, 2);
    let graph = complete(9);
    for (scale, shift) in [(1e-6, 0.0), (1e6, -3e6), (1.0, 100.0)] {
        let mut similarity = alike(9, 2);
        let values = similarity.as_mut_slice();
        values.iter_mut().for_each(|v| *v = scale * *v + shift);
        let preset = with_similarity(Best::default(), similarity);
        let matching = run(&preset, &graph, &graph, &[(5, 7)]);
        for (s, t) in partners(&matching) {
            assert_eq!(t, (s + 2) % 9, "×{scale}");
        }
    }
    // One that tells nothing changes nothing.
    let constant = with_similarity(Best::default(), Matrix::filled(9, 9, 0.25));
    assert_eq!(planted.right(&planted.run(&constant, &[1])), 9);
}

#[test]
fn wrong_similarities_are_refused() {
    let graph = path(4);
    let refusal = |similarity: Matrix| {
        let preset = with_similarity(Best::default(), similarity);
        let result = preset.run(&graph, &graph, &Anchors::none(), &Monitor::silent());
        let error = result.unwrap_err();
        assert!(matches!(error, Error::Parameter { .. }), "{error:?}");
        error.to_string()
    };
    assert!(refusal(Matrix::zeros(4, 3)).contains("4×3"));
    assert!(refusal(Matrix::zeros(3, 4)).contains("4×4"));
    for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let mut similarity = Matrix::zeros(4, 4);
        similarity[(2, 1)] = value;
        let message = refusal(similarity);
        assert!(message.contains("node_similarity") && message.contains("finite"));
    }
}

#[test]
fn outliers_are_left_alone_where_that_is_allowed() {
    for kind in [Kind::Complete, Kind::Points] {
        for outliers in [[3, 3], [0, 4], [4, 0]] {
            let planted = Planted::new(kind, 16, outliers, 0.001, 31);
            let preset = Best {
                allow_unmatched: true,
                ..Best::default()
            };
            let matching = planted.run(&preset, &[0, 6]);
            assert_eq!(planted.right(&matching), 16, "{kind:?} {outliers:?}");
            assert_eq!(matching.pairs.len(), 16, "{kind:?} {outliers:?}");
            assert_eq!(matching.unmatched_source.len(), outliers[0]);
            assert_eq!(matching.unmatched_target.len(), outliers[1]);
            // And matched where it is not, the inliers with their partners all the same.
            let matching = planted.run(&Best::default(), &[0, 6]);
            assert_eq!(planted.right(&matching), 16, "{kind:?} {outliers:?}");
        }
    }
}

#[test]
fn who_has_a_partner_is_not_left_alone() {
    let planted = Planted::isomorphic(Kind::Complete, 14, 6);
    for preset in presets() {
        let preset = Best {
            allow_unmatched: true,
            ..preset
        };
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
fn nothing_to_go_by_is_no_confidence() {
    // 1/n for every pair of a complete graph.
    let matching = run(&Best::default(), &complete(6), &complete(6), &[]);
    for pair in &matching.pairs {
        assert!((pair.confidence - 1.0 / 6.0).abs() < 0.08, "{pair:?}");
    }
}

#[test]
fn every_ingredient_can_be_left_out() {
    let planted = Planted::new(Kind::Complete, 14, [1, 2], 0.02, 9);
    let all = Ingredients::default();
    for ingredients in [
        Ingredients {
            folded_anchors: false,
            ..all
        },
        Ingredients {
            root_lengths: false,
            ..all
        },
        Ingredients {
            mean_field: false,
            ..all
        },
        Ingredients {
            search: false,
            ..all
        },
        Ingredients {
            fitted_scales: false,
            ..all
        },
        Ingredients {
            outliers: false,
            ..all
        },
    ] {
        for preset in presets() {
            let preset = Best {
                ingredients,
                ..preset
            };
            let right = planted.right(&planted.run(&preset, &[0, 5]));
            assert!(right >= 10, "{ingredients:?}: {right} of 14");
        }
    }
}
