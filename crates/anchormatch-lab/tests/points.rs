//! Sets of points: what is found, how sure it is, and what odd sets do.

use std::sync::Arc;

use anchormatch::linalg::Matrix;
use anchormatch::matcher::{Best, Matcher};
use anchormatch::points::PointsModel;
use anchormatch::{Anchors, Graph, Matching, Monitor, Result, Task};
use anchormatch_generate::{Keypoints, Motion, keypoints, stream};
use anchormatch_lab::experiments::points::ROWS;
use anchormatch_lab::matchers::{Icp, IcpFamily};
use rand::RngExt;

fn table(points: &[Vec<f64>]) -> Matrix {
    Matrix::from_vec(points.len(), points[0].len(), points.concat())
}

fn matched(
    matcher: &Best,
    source: &Matrix,
    target: &Matrix,
    anchors: &[(usize, usize)],
    monitor: &Monitor,
) -> Result<Matching> {
    let [from, to] = [source, target].map(Graph::of_points);
    let (from, to) = (from?, to?);
    let anchors = Anchors::from_indices(&from, &to, anchors)?;
    let task = Task::new(&from, &to, &anchors)?;
    let task = task.with_points(Arc::new(source.clone()), Arc::new(target.clone()))?;
    matcher.run(&task, monitor)
}

/// A cloud of `count` points in D dimensions that nothing relates to another of a different seed.
fn cloud(count: usize, dimensions: usize, seed: u64) -> Matrix {
    let mut random = stream(seed, 0);
    Matrix::from_fn(count, dimensions, |_, _| random.random_range(0.0..500.0))
}

#[test]
fn every_motion_is_found_and_sure_pairs_are_right() {
    // (recall, precision) of the table, and how many of the sure pairs are right.
    let wanted = [
        (0.98, 0.97, 0.97),
        (0.98, 0.96, 0.97),
        (0.97, 0.96, 0.97),
        (0.95, 0.95, 0.97),
        (0.75, 0.7, 0.9),
        (0.5, 0.45, 0.0),
    ];
    let best = Best::default().with_unmatched(true);
    for (task, (recall, precision, sure)) in ROWS.iter().zip(wanted) {
        let row = task
            .measure(&best, None, 8, 1000, &Monitor::silent())
            .unwrap();
        assert!(row.recall >= recall, "{row:?}");
        assert!(row.precision >= precision, "{row:?}");
        assert!(row.sure.1 as f64 >= sure * row.sure.0 as f64, "{row:?}");
    }
}

/// Anchors at different depths make a wrong similarity, and few points of the truth are near it.
#[test]
fn views_are_found_whatever_the_depth_of_the_anchors() {
    for (name, recall) in [("house, 35° and 20°", 0.93), ("house, 40° and 30°", 0.82)] {
        let task = ROWS.iter().find(|task| task.name == name).unwrap();
        let row = task
            .measure(&Best::default(), None, 8, 3000, &Monitor::silent())
            .unwrap();
        assert!(row.recall >= recall, "{row:?}");
    }
}

/// A wall in front and what stands behind it are two layers of depth; one alone makes the house flatter than it is.
#[test]
fn partners_on_one_line_are_told_apart_by_layers_of_depth() {
    let task = ROWS
        .iter()
        .find(|task| task.name == "house, 25° and 10°")
        .unwrap();
    let row = task
        .measure(&Best::default(), None, 8, 3000, &Monitor::silent())
        .unwrap();
    assert!(row.recall >= 0.92 && row.calibration <= 0.06, "{row:?}");
}

/// Chance explains more in space and on lattices than between points that are strewn evenly, and decoys know how much.
#[test]
fn sets_that_look_alike_are_not_believed_in() {
    let lattice = |seed: u64| {
        let mut random = stream(seed, 3);
        let chosen = rand::seq::index::sample(&mut random, 64, 40).into_vec();
        Matrix::from_fn(40, 2, |i, k| {
            [50 * (chosen[i] % 8), 50 * (chosen[i] / 8)][k] as f64 + random.random_range(-2.0..2.0)
        })
    };
    let best = Best::default().with_unmatched(true);
    let mut confidences = Vec::new();
    for seed in 0..6 {
        let sets = [lattice(2 * seed), lattice(2 * seed + 1)];
        let found = matched(&best, &sets[0], &sets[1], &[(0, 0)], &Monitor::silent()).unwrap();
        confidences.extend(
            found
                .pairs
                .iter()
                .filter(|p| !p.anchor)
                .map(|p| p.confidence),
        );
    }
    let mean = confidences.iter().sum::<f64>() / confidences.len().max(1) as f64;
    assert!(mean < 0.3, "{mean}");
}

#[test]
fn the_baseline_wins_nowhere() {
    for task in &ROWS[..2] {
        let best = Best::default().with_unmatched(true);
        let ours = task
            .measure(&best, None, 6, 500, &Monitor::silent())
            .unwrap();
        for family in [IcpFamily::Similarity, IcpFamily::Affine] {
            let icp = task
                .measure(&Icp(family), None, 6, 500, &Monitor::silent())
                .unwrap();
            assert!(ours.recall >= icp.recall - 0.01, "{ours:?} {icp:?}");
        }
    }
}

#[test]
fn the_map_comes_back_in_the_coordinates_that_were_given() {
    let settings = Keypoints {
        noise: 0.1,
        ..Keypoints::default()
    };
    let made = keypoints(&settings, 3).unwrap();
    let (source, target) = (
        made.source_positions.unwrap(),
        made.target_positions.unwrap(),
    );
    let matching = matched(
        &Best::default(),
        &source,
        &target,
        &made.truth[..3],
        &Monitor::silent(),
    )
    .unwrap();
    let model = &matching.model[0];
    assert_eq!(model.family.as_str(), "similarity");
    assert!(model.probability > 0.9 && (model.pairs - 30.0).abs() < 1.5);
    let h = &model.transform;
    for &(i, a) in &made.truth {
        for k in 0..2 {
            let image = h[(k, 0)] * source[(i, 0)] + h[(k, 1)] * source[(i, 1)] + h[(k, 2)];
            assert!((image / h[(2, 2)] - target[(a, k)]).abs() < 1.0);
        }
    }
    assert!((model.covariance[(0, 0)].sqrt() - 0.1 * 2.69f64.sqrt()).abs() < 0.2);
}

#[test]
fn a_family_can_be_forced() {
    let made = keypoints(&Keypoints::default(), 8).unwrap();
    let (source, target) = (
        made.source_positions.unwrap(),
        made.target_positions.unwrap(),
    );
    for (model, name) in [
        (PointsModel::Similarity, "similarity"),
        (PointsModel::Affine, "affine"),
        (PointsModel::Projective, "projective"),
        (PointsModel::Views, "views"),
        (PointsModel::Smooth, "smooth"),
    ] {
        let matcher = Best::default()
            .with_unmatched(true)
            .with_points_model(model);
        let anchors = &made.truth[..3];
        let found = matched(&matcher, &source, &target, anchors, &Monitor::silent()).unwrap();
        assert!(
            found
                .model
                .iter()
                .all(|m| m.family.as_str().starts_with(name)),
            "{name}"
        );
        let recall = found.score(&made.truth).unwrap().accuracy().unwrap();
        assert!(recall > 0.8, "{name}: {recall}");
    }
    let matcher = Best::default().with_points_model(PointsModel::Distances);
    let found = matched(
        &matcher,
        &source,
        &target,
        &made.truth[..3],
        &Monitor::silent(),
    )
    .unwrap();
    assert!(found.model.is_empty());
}

#[test]
fn unrelated_sets_are_not_believed_in() {
    let mut confidences = Vec::new();
    for seed in 0..6 {
        let (source, target) = (cloud(30, 2, seed), cloud(40, 2, 100 + seed));
        let best = Best::default()
            .with_unmatched(true)
            .with_points_model(PointsModel::Affine);
        let anchors = [(0, 0), (1, 1)];
        let found = matched(&best, &source, &target, &anchors, &Monitor::silent()).unwrap();
        confidences.extend(
            found
                .pairs
                .iter()
                .filter(|p| !p.anchor)
                .map(|p| p.confidence),
        );
    }
    let sure = confidences.iter().filter(|c| **c > 0.9).count();
    assert!(sure * 20 <= confidences.len().max(20), "{confidences:?}");
}

#[test]
fn space_has_its_maps_too() {
    let source = cloud(25, 3, 5);
    let (sin, cos) = 0.6f64.sin_cos();
    let target = Matrix::from_fn(25, 3, |i, k| {
        let p = source.row(24 - i);
        match k {
            0 => 2.0 * (cos * p[0] - sin * p[1]) + 5.0,
            1 => 2.0 * (sin * p[0] + cos * p[1]),
            _ => 2.0 * p[2] - 7.0,
        }
    });
    for anchors in [vec![(0, 24), (7, 17), (20, 4)], vec![(0, 24), (7, 17)]] {
        let found = matched(
            &Best::default(),
            &source,
            &target,
            &anchors,
            &Monitor::silent(),
        );
        let found = found.unwrap();
        assert_eq!(found.model[0].family.as_str(), "similarity");
        assert!(
            found
                .pairs
                .iter()
                .all(|pair| pair.source + pair.target == 24)
        );
    }
}

#[test]
fn a_wrong_anchor_is_named_and_repaired() {
    for seed in 0..4 {
        let made = keypoints(&Keypoints::default(), 40 + seed).unwrap();
        let (source, target) = (
            made.source_positions.unwrap(),
            made.target_positions.unwrap(),
        );
        let mut anchors = made.truth[..5].to_vec();
        anchors[2].1 = made.truth[9].1;
        let matcher = Best::default().with_unmatched(true).with_repairs(true);
        let found = matched(&matcher, &source, &target, &anchors, &Monitor::silent()).unwrap();
        let wrong: Vec<usize> = found
            .anchor_report
            .iter()
            .filter(|check| check.demoted || check.is_suspicious())
            .map(|check| check.source)
            .collect();
        assert_eq!(wrong, [anchors[2].0], "seed {seed}");
        let recall = found.score(&made.truth).unwrap().accuracy().unwrap();
        assert!(recall > 0.9, "{recall}");
    }
}

#[test]
fn odd_sets_give_an_error_or_an_answer_of_every_point() {
    let line: Vec<Vec<f64>> = (0..12).map(|k| vec![k as f64 * 1.7, 0.0]).collect();
    let same = vec![vec![3.0, 4.0]; 6];
    let far: Vec<Vec<f64>> = (0..9)
        .map(|k| vec![1e12 + (k * k) as f64, 3e12 - (7 * k % 5) as f64])
        .collect();
    let two = vec![vec![0.0, 0.0], vec![1.0, 0.0]];
    let one = vec![vec![5.0, 5.0]];
    for set in [&line, &same, &far, &two, &one] {
        let points = table(set);
        let anchors: Vec<(usize, usize)> = if set.len() > 1 {
            vec![(0, 0), (1, 1)]
        } else {
            vec![]
        };
        for (known, alone) in [(&anchors[..], false), (&anchors[..0], true)] {
            let matcher = Best::default().with_unmatched(alone);
            let found = matched(&matcher, &points, &points, known, &Monitor::silent()).unwrap();
            let count = found.pairs.len() + found.unmatched_source.len();
            assert_eq!(count, set.len());
            assert!(
                found
                    .pairs
                    .iter()
                    .all(|p| (0.0..=1.0).contains(&p.confidence))
            );
            assert!(alone || found.pairs.len() == set.len());
        }
    }
    // Of points that lie on top of each other nobody can tell who is who.
    let found = matched(
        &Best::default(),
        &table(&same),
        &table(&same),
        &[],
        &Monitor::silent(),
    );
    assert!(
        found
            .unwrap()
            .pairs
            .iter()
            .all(|pair| pair.confidence < 0.6)
    );

    let flat = table(&line);
    let solid = cloud(12, 3, 1);
    let error = matched(&Best::default(), &flat, &solid, &[], &Monitor::silent()).unwrap_err();
    assert!(error.to_string().contains("12×3"), "{error}");
    let mut broken = flat.clone();
    broken[(3, 1)] = f64::NAN;
    let graph = Graph::of_points(&flat).unwrap();
    let none = Anchors::none();
    let task = Task::new(&graph, &graph, &none).unwrap();
    let error = task
        .with_points(Arc::new(flat), Arc::new(broken))
        .unwrap_err();
    assert!(error.to_string().contains("NaN"), "{error}");
}

#[test]
fn many_points_take_little_memory_and_any_number_of_threads() {
    let settings = Keypoints {
        common: 3000,
        source_extra: 300,
        target_extra: 300,
        noise: 0.3,
        motion: Motion::Perspective(10.0, [6e-4, 4e-4]),
    };
    let made = keypoints(&settings, 6).unwrap();
    let (source, target) = (
        made.source_positions.unwrap(),
        made.target_positions.unwrap(),
    );
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        // The distances of one side alone would take more.
        let monitor = Monitor::silent().max_memory(40 << 20);
        let matcher = Best::default().with_unmatched(true);
        pool.install(|| matched(&matcher, &source, &target, &made.truth[..6], &monitor).unwrap())
    };
    let found = run(2);
    let score = found.score(&made.truth).unwrap();
    assert!(score.accuracy().unwrap() > 0.97, "{score:?}");
    assert!(score.precision().unwrap() > 0.97, "{score:?}");
    assert_eq!(found.pairs, run(1).pairs);
}

#[test]
fn a_match_can_be_stopped_and_says_so() {
    let made = keypoints(&Keypoints::default(), 6).unwrap();
    let (source, target) = (
        made.source_positions.unwrap(),
        made.target_positions.unwrap(),
    );
    let monitor = Monitor::silent().time_limit(std::time::Duration::from_millis(1));
    let found = matched(
        &Best::default(),
        &source,
        &target,
        &made.truth[..3],
        &monitor,
    )
    .unwrap();
    assert_eq!(found.pairs.len(), 40);
    assert!(found.status.was_interrupted());
}
