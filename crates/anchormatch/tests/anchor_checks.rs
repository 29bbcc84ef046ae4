//! Wrong anchors are named and repaired, right ones are left in peace.

#![allow(clippy::unwrap_used)]

use anchormatch::error::Hint;
use anchormatch::matcher::{Best, Matcher};
use anchormatch::matching::AnchorCheck;
use anchormatch::{Anchors, Graph, Matching, Monitor, Task};
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A complete graph of random weights, its target in another order and shaken by up to `noise`.
struct Planted {
    source: Graph,
    target: Graph,
    /// The partner of each source node.
    truth: Vec<usize>,
}

impl Planted {
    fn new(nodes: usize, noise: f64, seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut truth: Vec<usize> = (0..nodes).collect();
        truth.shuffle(&mut rng);
        let (mut edges, mut images) = (Vec::new(), Vec::new());
        for i in 0..nodes {
            for j in 0..i {
                let weight: f64 = rng.random_range(0.0..1.0);
                let shaken = weight + noise * rng.random_range(-1.0..1.0);
                edges.push((j, i, weight));
                images.push((truth[j], truth[i], shaken));
            }
        }
        Self {
            source: Graph::from_edges(nodes, &edges).unwrap(),
            target: Graph::from_edges(nodes, &images).unwrap(),
            truth,
        }
    }

    /// Anchors for the first nodes, by what their partners are said to be.
    fn run(&self, said: &[usize], repair_anchors: bool) -> Matching {
        let pairs: Vec<(usize, usize)> = said.iter().copied().enumerate().collect();
        let anchors = Anchors::from_indices(&self.source, &self.target, &pairs).unwrap();
        let task = Task::new(&self.source, &self.target, &anchors).unwrap();
        let preset = Best::fast().with_repairs(repair_anchors);
        preset.run(&task, &Monitor::silent()).unwrap()
    }

    fn is_right(&self, matching: &Matching) -> bool {
        let mapping = matching.mapping();
        self.truth
            .iter()
            .enumerate()
            .all(|(i, t)| mapping.get(&i) == Some(t))
    }
}

fn suspicious(report: &[AnchorCheck]) -> Vec<usize> {
    let named = report.iter().filter(|check| check.is_suspicious());
    named.map(|check| check.source).collect()
}

#[test]
fn a_wrong_anchor_is_named_and_repaired() {
    for (noise, seed) in [(0.0, 1), (0.0, 2), (0.1, 3), (0.2, 4)] {
        let planted = Planted::new(14, noise, seed);
        let mut said = planted.truth[..4].to_vec();
        said[1] = planted.truth[9];
        let matching = planted.run(&said, false);
        let report = &matching.anchor_report;
        assert_eq!(report.len(), 4);
        assert_eq!(suspicious(report), vec![1], "noise {noise}: {report:?}");
        assert_eq!(report[1].preferred, Some(planted.truth[1]));
        let logistic = 1.0 / (1.0 + (-report[1].score).exp());
        assert!((report[1].suspicion - logistic).abs() < 1e-12);
        assert!(report.iter().all(|check| !check.demoted));
        let notes: Vec<_> = matching
            .notes
            .iter()
            .filter(|n| n.text().contains("disagrees"))
            .collect();
        assert_eq!(notes.len(), 1);
        assert_eq!(notes[0].hints(), [Hint::RepairAnchors], "{notes:?}");
        // It is kept all the same.
        assert_eq!(matching.mapping()[&1], said[1]);

        let repaired = planted.run(&said, true);
        assert!(planted.is_right(&repaired), "noise {noise}");
        let demoted: Vec<bool> = repaired.anchor_report.iter().map(|c| c.demoted).collect();
        assert_eq!(demoted, vec![false, true, false, false]);
        let sources: Vec<usize> = repaired.anchor_report.iter().map(|c| c.source).collect();
        assert_eq!(sources, vec![0, 1, 2, 3]);
        assert!(
            repaired
                .notes
                .iter()
                .any(|note| note.text().contains("soft anchor"))
        );
        let kept = repaired.pairs.iter().filter(|pair| pair.anchor).count();
        assert_eq!(kept, 3);
    }
}

#[test]
fn swapped_anchors_are_both_named() {
    for (noise, seed) in [(0.0, 5), (0.1, 6), (0.2, 7)] {
        let planted = Planted::new(14, noise, seed);
        let mut said = planted.truth[..4].to_vec();
        said.swap(0, 2);
        let report = planted.run(&said, false).anchor_report;
        assert_eq!(suspicious(&report), vec![0, 2], "noise {noise}: {report:?}");
        assert_eq!(report[0].preferred, Some(planted.truth[0]));
        assert_eq!(report[2].preferred, Some(planted.truth[2]));
        assert!(planted.is_right(&planted.run(&said, true)), "noise {noise}");
    }
}

#[test]
fn right_anchors_raise_no_alarm_and_repair_changes_nothing() {
    for (noise, seed) in [(0.0, 8), (0.2, 9), (0.4, 10)] {
        let planted = Planted::new(14, noise, seed);
        let said = &planted.truth[..4];
        let matching = planted.run(said, false);
        assert!(suspicious(&matching.anchor_report).is_empty());
        assert!(
            matching
                .notes
                .iter()
                .all(|n| !n.text().contains("disagrees"))
        );
        let repaired = planted.run(said, true);
        assert_eq!(repaired.pairs, matching.pairs);
        assert_eq!(repaired.anchor_report, matching.anchor_report);
    }
}

#[test]
fn reports_are_the_same_every_time() {
    let planted = Planted::new(12, 0.5, 11);
    let mut said = planted.truth[..4].to_vec();
    said[3] = planted.truth[7];
    let once = planted.run(&said, true);
    let twice = planted.run(&said, true);
    assert_eq!(once.anchor_report, twice.anchor_report);
    assert_eq!(once.pairs, twice.pairs);
    assert_eq!(once.suggest(5), twice.suggest(5));
}

/// Graphs that tell nothing of their nodes: what was said stands.
#[test]
fn anchors_stand_where_there_is_no_evidence() {
    let star: Vec<(usize, usize, f64)> = (1..6).map(|leaf| (0, leaf, 1.0)).collect();
    let graphs = [
        Graph::from_edges(6, &[]).unwrap(),
        Graph::from_edges(6, &star).unwrap(),
        Graph::from_edges(1, &[]).unwrap(),
        Graph::from_edges(2, &[(0, 1, 3.0)]).unwrap(),
    ];
    for graph in &graphs {
        for other in &graphs {
            let last = graph.node_count().min(other.node_count()) - 1;
            for all in [false, true] {
                let first = if all { 0 } else { last };
                let pairs: Vec<(usize, usize)> = (first..=last).map(|i| (i, i)).collect();
                let anchors = Anchors::from_indices(graph, other, &pairs).unwrap();
                let task = Task::new(graph, other, &anchors).unwrap();
                let preset = Best::default().with_repairs(true);
                let matching = preset.run(&task, &Monitor::silent()).unwrap();
                let report = &matching.anchor_report;
                assert_eq!(report.len(), pairs.len());
                assert!(report.iter().all(|c| !c.score.is_nan()), "{report:?}");
                assert!(suspicious(report).is_empty(), "{report:?}");
            }
        }
    }
}

#[test]
fn without_hard_anchors_there_is_nothing_to_report() {
    let planted = Planted::new(8, 0.1, 12);
    assert!(planted.run(&[], true).anchor_report.is_empty());
}
