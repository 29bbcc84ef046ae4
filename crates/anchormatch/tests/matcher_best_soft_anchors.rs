//! The presets best and fast with knowledge beside the graphs: soft anchors, similarities of nodes.
#![allow(clippy::unwrap_used)]

mod planted;

use std::sync::Arc;

use anchormatch::anchors::Anchor;
use anchormatch::linalg::Matrix;
use anchormatch::matcher::Best;
use anchormatch::{Anchors, Error, Graph, Matching, Task};
use planted::{Kind, Planted, complete, partners, renamed, run_task};

fn presets() -> [Best; 2] {
    [Best::default(), Best::fast()]
}

fn path(nodes: usize) -> Graph {
    let edges: Vec<_> = (1..nodes).map(|i| (i - 1, i, 1.0)).collect();
    Graph::from_edges(nodes, &edges).unwrap()
}

fn cycle(nodes: usize) -> Graph {
    let edges: Vec<_> = (0..nodes).map(|i| (i, (i + 1) % nodes, 1.0)).collect();
    Graph::from_edges(nodes, &edges).unwrap()
}

/// A run with anchors of any weight.
fn run_soft(
    preset: &Best,
    source: &Graph,
    target: &Graph,
    given: &[(usize, usize, f64)],
) -> Matching {
    let anchors = given
        .iter()
        .map(|&(source, target, weight)| Anchor::new(source, target, weight));
    let anchors = Anchors::new(source, target, anchors).unwrap();
    run_task(preset, &Task::new(source, target, &anchors).unwrap())
}

#[test]
fn a_right_soft_anchor_breaks_a_symmetry() {
    let (source, target) = (path(7), path(7));
    for preset in presets() {
        let same = run_soft(&preset, &source, &target, &[(0, 0, 0.9)]);
        assert!(partners(&same).iter().all(|&(s, t)| s == t));
        let mirrored = run_soft(&preset, &source, &target, &[(1, 5, 0.9)]);
        assert!(partners(&mirrored).iter().all(|&(s, t)| s + t == 6));
        // A soft anchor is no certain one.
        assert!(same.pairs.iter().all(|pair| !pair.anchor));
        assert!(same.pairs.iter().all(|pair| pair.confidence > 0.7));
    }
    let (source, (target, place)) = (cycle(8), renamed(&cycle(8), 5));
    let given = [(0, place[3], 0.9), (2, place[1], 0.9)];
    for preset in presets() {
        let matching = run_soft(&preset, &source, &target, &given);
        for (s, t) in partners(&matching) {
            assert_eq!(t, place[(11 - s) % 8]);
        }
    }
}

#[test]
fn of_contradictory_soft_anchors_the_heavier_wins() {
    let (source, target) = (path(7), path(7));
    let given = [
        (0, 0, 0.6),
        (0, 6, 0.95),
        (0, 3, 0.1),
        (6, 6, 0.6),
        (1, 6, 0.3),
        (2, 6, 0.3),
    ];
    for preset in presets() {
        let matching = run_soft(&preset, &source, &target, &given[..3]);
        assert!(partners(&matching).iter().all(|&(s, t)| s + t == 6));
        // More of them, for both sides: any sound result will do.
        run_soft(&preset, &source, &target, &given);
        let all = (0..7).flat_map(|s| (0..7).map(move |t| (s, t, 0.5)));
        run_soft(&preset, &source, &target, &all.collect::<Vec<_>>());
    }
    // Soft anchors that contradict a certain one change nothing.
    let given = [(0, 6, 1.0), (0, 0, 0.99), (6, 6, 0.99)];
    let matching = run_soft(&Best::default(), &source, &target, &given);
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

/// A run with a similarity of the nodes of two graphs.
fn run_alike(
    preset: &Best,
    [source, target]: [&Graph; 2],
    anchors: &[(usize, usize)],
    similarity: &Matrix,
) -> Matching {
    let anchors = Anchors::from_indices(source, target, anchors).unwrap();
    let task = Task::new(source, target, &anchors).unwrap();
    let task = task
        .with_similarity(Arc::new(similarity.clone().into()))
        .unwrap();
    run_task(preset, &task)
}

#[test]
fn similarities_break_symmetries() {
    // Between these, the edges tell nothing at all: what is found is what the similarity says.
    for graph in [complete(9), Graph::from_edges(9, &[]).unwrap(), cycle(9)] {
        for preset in presets() {
            // Without anchors, and with ones in the middle, whose rows leave the problem.
            for anchors in [&[][..], &[(3, 7)], &[(3, 7), (7, 2), (8, 3)]] {
                let matching = run_alike(&preset, [&graph; 2], anchors, &alike(9, 4));
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
        let matching = run_alike(&Best::default(), [&graph; 2], &[(5, 7)], &similarity);
        for (s, t) in partners(&matching) {
            assert_eq!(t, (s + 2) % 9, "×{scale}");
        }
    }
    // One that tells nothing changes nothing.
    let (graphs, constant) = (
        [&planted.source, &planted.target],
        Matrix::filled(9, 9, 0.25),
    );
    let matching = run_alike(&Best::default(), graphs, &planted.pairs(&[1]), &constant);
    assert_eq!(planted.right(&matching), 9);
}

#[test]
fn wrong_similarities_are_refused() {
    let graph = path(4);
    let refusal = |similarity: Matrix| {
        let none = Anchors::none();
        let task = Task::new(&graph, &graph, &none).unwrap();
        let error = task
            .with_similarity(Arc::new(similarity.into()))
            .unwrap_err();
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
