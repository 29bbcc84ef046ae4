//! The sparse regime as its user meets it.

mod planted;

use std::sync::Arc;
use std::time::Duration;

use anchormatch::anchors::{Anchor, Anchors};
use anchormatch::linalg::{Csr, PairValues};
use anchormatch::matcher::{Best, Matcher, RegimeChoice};
use anchormatch::{Error, Graph, Matching, Monitor, Task};
use anchormatch_invariants::shapes::on_any_threads;
use planted::noisy_copies;

fn sparse() -> Best {
    Best::default().with_regime(RegimeChoice::Sparse)
}

/// Anchors: every k-th node with its partner.
fn every(k: usize, truth: &[usize]) -> Vec<(usize, usize)> {
    (0..truth.len()).step_by(k).map(|i| (i, truth[i])).collect()
}

fn run(best: &Best, graphs: &[Graph; 2], pairs: &[(usize, usize)]) -> Matching {
    let task = Task::from_pairs(&graphs[0], &graphs[1], pairs).expect("nodes of the graphs");
    best.run(&task, &Monitor::silent())
        .expect("nothing stops it")
}

/// The right ones among the pairs that are no anchors, and all of them.
fn right(matching: &Matching, truth: &[usize]) -> (usize, usize) {
    let free = matching.pairs.iter().filter(|pair| !pair.anchor);
    let right = free
        .clone()
        .filter(|pair| truth[pair.source] == pair.target);
    (right.count(), free.count())
}

#[test]
fn a_few_anchors_settle_noisy_copies() {
    for (n, degree, kept, anchors, recall) in
        [(3000, 10.0, 0.95, 100, 0.999), (3000, 12.0, 0.7, 30, 0.97)]
    {
        let (graphs, truth) = noisy_copies(n, degree, kept, 3);
        let matching = run(&Best::default(), &graphs, &every(anchors, &truth));
        assert!(
            matching
                .parameters
                .contains(&("regime".into(), "sparse".into()))
        );
        let (right, all) = right(&matching, &truth);
        let free = n - n.div_ceil(anchors);
        assert_eq!(all, free, "everything is matched unless asked otherwise");
        assert!(right as f64 >= recall * free as f64, "{right} of {free}");
        let expected: f64 = matching
            .pairs
            .iter()
            .filter(|p| !p.anchor)
            .map(|p| p.confidence)
            .sum();
        assert!(
            (expected - right as f64).abs() < 0.03 * free as f64,
            "{expected} {right}"
        );
    }
}

#[test]
fn threads_do_not_matter() {
    let (graphs, truth) = noisy_copies(2500, 8.0, 0.8, 4);
    let pairs = every(40, &truth);
    on_any_threads(|| run(&sparse(), &graphs, &pairs).pairs);
}

#[test]
fn weights_tell_what_the_edges_do_not() {
    // A ring looks the same from every node but for its weights.
    let n = 200;
    let ring = |weight: &dyn Fn(usize) -> f64| {
        let edges: Vec<_> = (0..n).map(|i| (i, (i + 1) % n, weight(i))).collect();
        Graph::from_edges(n, &edges).unwrap()
    };
    let value = |i: usize| 1.0 + ((i * 7919) % 101) as f64;
    let graphs = [ring(&value), ring(&|i| 1.01 * value(i))];
    let truth: Vec<usize> = (0..n).collect();
    let weighted = run(&sparse(), &graphs, &[(0, 0)]);
    assert_eq!(right(&weighted, &truth), (n - 1, n - 1));
}

#[test]
fn sides_differ_in_size_and_strangers_stay_alone_when_asked() {
    let ([source, target], truth) = noisy_copies(1500, 10.0, 0.95, 5);
    // The target has 300 nodes more that hang together among themselves.
    let mut edges: Vec<_> = (0..target.node_count())
        .flat_map(|i| {
            target
                .neighbours(i)
                .map(move |(j, w)| (i, j, w))
                .collect::<Vec<_>>()
        })
        .filter(|(i, j, _)| i < j)
        .collect();
    edges.extend((0..300).map(|k| (1500 + k, 1500 + (k + 1) % 300, 1.0)));
    let target = Graph::from_edges(1800, &edges).unwrap();
    let pairs = every(30, &truth);
    for graphs in [[source.clone(), target.clone()], [target, source]] {
        let swapped = graphs[0].node_count() == 1800;
        let pairs: Vec<_> = pairs
            .iter()
            .map(|&(i, a)| if swapped { (a, i) } else { (i, a) })
            .collect();
        let matching = run(&sparse().with_unmatched(true), &graphs, &pairs);
        let right = matching.pairs.iter().filter(|pair| {
            let (i, a) = if swapped {
                (pair.target, pair.source)
            } else {
                (pair.source, pair.target)
            };
            truth.get(i) == Some(&a)
        });
        let right = right.count();
        assert!(right >= 1490, "{right}");
        assert!(
            matching.pairs.len() <= right + 5,
            "{}",
            matching.pairs.len()
        );
        let full = run(&sparse(), &graphs, &pairs);
        assert_eq!(full.pairs.len(), 1500);
    }
}

#[test]
fn soft_anchors_and_similarities_lead_the_way_alone() {
    let (graphs, truth) = noisy_copies(1000, 10.0, 0.9, 6);
    let soft = (0..1000).step_by(20).map(|i| Anchor::new(i, truth[i], 0.9));
    let anchors = Anchors::new(&graphs[0], &graphs[1], soft).unwrap();
    let task = Task::new(&graphs[0], &graphs[1], &anchors).unwrap();
    let matching = sparse().run(&task, &Monitor::silent()).unwrap();
    assert!(
        right(&matching, &truth).0 > 980,
        "{:?}",
        right(&matching, &truth)
    );

    let none = Anchors::none();
    let listed = (0..1000)
        .step_by(4)
        .flat_map(|i| [(i, truth[i], 2.0), (i, truth[(i + 1) % 1000], 2.0)]);
    let similarity = PairValues::from(Csr::from_triplets(1000, 1000, listed).unwrap());
    let task = Task::new(&graphs[0], &graphs[1], &none).unwrap();
    let task = task.with_similarity(Arc::new(similarity)).unwrap();
    let matching = sparse().run(&task, &Monitor::silent()).unwrap();
    assert!(
        right(&matching, &truth).0 > 950,
        "{:?}",
        right(&matching, &truth)
    );
}

#[test]
fn a_matching_to_begin_from_is_taken_up_where_it_helps() {
    let (graphs, truth) = noisy_copies(1000, 8.0, 0.9, 12);
    let task = Task::from_pairs(&graphs[0], &graphs[1], &[(0, truth[0])]).unwrap();
    let found = |start: &[(usize, usize)]| {
        let task = task.clone().with_start(start).unwrap();
        right(&sparse().run(&task, &Monitor::silent()).unwrap(), &truth).0
    };
    let alone = found(&[]);
    assert!(alone < 500, "one anchor is not enough: {alone}");
    let good: Vec<_> = (1..300).map(|i| (i, truth[i])).collect();
    assert!(found(&good) > 980);
    // One that is all wrong, and names the anchor's nodes as well, does no harm to what is found without.
    let pairs = every(20, &truth);
    let task = Task::from_pairs(&graphs[0], &graphs[1], &pairs).unwrap();
    let wrong: Vec<_> = (0..1000).map(|i| (i, truth[(i + 7) % 1000])).collect();
    let task = task.with_start(&wrong).unwrap();
    let matching = sparse().run(&task, &Monitor::silent()).unwrap();
    assert!(
        right(&matching, &truth).0 > 930,
        "{:?}",
        right(&matching, &truth)
    );
}

#[test]
fn wrong_anchors_are_named_and_right_ones_are_not() {
    let (graphs, truth) = noisy_copies(2000, 12.0, 0.9, 7);
    let mut pairs = every(20, &truth);
    // Three pairs swapped, two others led astray.
    for k in [3, 20, 40] {
        let (x, y) = (pairs[k].1, pairs[k + 1].1);
        (pairs[k].1, pairs[k + 1].1) = (y, x);
    }
    pairs[60].1 = truth[1];
    pairs[70].1 = truth[2];
    let wrong = |pair: &(usize, usize)| truth[pair.0] != pair.1;
    assert_eq!(pairs.iter().filter(|pair| wrong(pair)).count(), 8);
    let matching = run(&sparse(), &graphs, &pairs);
    assert_eq!(matching.anchor_report.len(), pairs.len());
    for check in &matching.anchor_report {
        let pair = (check.source, check.target);
        assert_eq!(check.is_suspicious(), wrong(&pair), "{check:?}");
        if wrong(&pair) {
            assert_eq!(check.preferred, Some(truth[check.source]));
        }
    }
    let repaired = run(&sparse().with_repairs(true), &graphs, &pairs);
    for pair in pairs.iter().filter(|pair| wrong(pair)) {
        assert_eq!(repaired.mapping().get(&pair.0), Some(&truth[pair.0]));
    }
}

#[test]
fn stops_leave_what_was_found() {
    let (graphs, truth) = noisy_copies(4000, 10.0, 0.8, 8);
    let task = Task::from_pairs(&graphs[0], &graphs[1], &every(20, &truth)).unwrap();
    let whole = sparse().run(&task, &Monitor::silent()).unwrap();
    let stopped = |monitor: Monitor| sparse().run(&task, &monitor).unwrap();
    let none = stopped(Monitor::silent().time_limit(Duration::ZERO));
    assert_eq!(none.status.as_str(), "time_limit");
    assert_eq!(none.pairs.len(), 4000);
    // Wherever the stop comes, the result is a matching, and the later it comes, the better.
    let mut before = 0;
    for stage in ["expansion", "beliefs"] {
        let monitor = Monitor::silent();
        let token = monitor.cancel_token();
        let monitor = monitor.observe(move |progress| {
            if progress.stage == stage && (stage == "beliefs" || progress.done > 1000) {
                token.cancel();
            }
        });
        let matching = stopped(monitor);
        assert_eq!(matching.status.as_str(), "cancelled");
        let (right, all) = right(&matching, &truth);
        assert_eq!(all, 4000 - 200);
        assert!(right > before.max(700), "{stage}: {right}");
        before = right;
    }
    assert!(right(&whole, &truth).0 + 10 >= before);
}

#[test]
fn a_stopped_search_of_all_pairs_gives_what_lists_led_to() {
    let (graphs, truth) = noisy_copies(2100, 10.0, 0.8, 9);
    let task = Task::from_pairs(&graphs[0], &graphs[1], &every(40, &truth)).unwrap();
    let dense = Best::default().with_regime(RegimeChoice::Dense);
    let monitor = Monitor::silent();
    let token = monitor.cancel_token();
    let monitor = monitor.observe(move |progress| {
        if progress.stage == "anneal" {
            token.cancel();
        }
    });
    let stopped = dense.run(&task, &monitor).unwrap();
    assert_eq!(stopped.status.as_str(), "cancelled");
    let listed = sparse().run(&task, &Monitor::silent()).unwrap();
    let (found, all) = right(&stopped, &truth);
    assert!(
        found >= right(&listed, &truth).0 && found * 10 > 9 * all,
        "{found} of {all}"
    );
}

#[test]
fn odd_inputs_are_matched_or_refused_in_words() {
    let matched = |source: &Graph, target: &Graph, pairs: &[(usize, usize)]| {
        let task = Task::from_pairs(source, target, pairs).unwrap();
        sparse().run(&task, &Monitor::silent()).unwrap()
    };
    let single = Graph::from_edges(1, &[]).unwrap();
    let lonely = Graph::from_edges(50, &[]).unwrap();
    let path = Graph::from_edges(3, &[(0, 1, 1.0), (1, 2, 1.0)]).unwrap();
    assert_eq!(matched(&single, &single, &[]).pairs.len(), 1);
    assert_eq!(matched(&single, &path, &[]).pairs.len(), 1);
    assert_eq!(matched(&lonely, &lonely, &[(1, 2)]).pairs.len(), 50);
    assert_eq!(matched(&lonely, &path, &[]).pairs.len(), 3);
    let all = matched(&path, &path, &[(0, 0), (1, 1), (2, 2)]);
    assert!(
        all.pairs
            .iter()
            .all(|pair| pair.anchor && pair.confidence == 1.0)
    );
    let notes: Vec<String> = matched(&path, &path, &[])
        .notes
        .iter()
        .map(|n| n.text().to_owned())
        .collect();
    assert!(
        notes.iter().any(|note| note.contains("no anchors")),
        "{notes:?}"
    );
    // Two components, the anchors all in one of them: the other is left to guesses that say so.
    let (graphs, truth) = noisy_copies(600, 8.0, 1.0, 9);
    let twice = |graph: &Graph| {
        let edges: Vec<_> = (0..600)
            .flat_map(|i| {
                graph
                    .neighbours(i)
                    .map(move |(j, w)| (i, j, w))
                    .collect::<Vec<_>>()
            })
            .filter(|(i, j, _)| i < j)
            .flat_map(|(i, j, w)| [(i, j, w), (i + 600, j + 600, w)])
            .collect();
        Graph::from_edges(1200, &edges).unwrap()
    };
    let pairs: Vec<_> = (0..30).map(|i| (i, truth[i])).collect();
    let matching = matched(&twice(&graphs[0]), &twice(&graphs[1]), &pairs);
    let first = matching.pairs.iter().filter(|p| p.source < 600);
    assert!(first.filter(|p| truth[p.source] == p.target).count() > 590);
    let second = matching.pairs.iter().filter(|p| p.source >= 600);
    let sure = second.filter(|p| p.confidence > 0.5 && truth[p.source - 600] + 600 != p.target);
    assert!(sure.count() < 10);
}

#[test]
fn solvers_are_refused() {
    let (graphs, _) = noisy_copies(20, 4.0, 1.0, 11);
    let task = Task::from_pairs(&graphs[0], &graphs[1], &[(0, 0)]).unwrap();
    let solver = Arc::new(anchormatch::solver::Faq::default());
    let error = sparse().with_solver(solver).run(&task, &Monitor::silent());
    assert!(error.unwrap_err().to_string().contains("sparse regime"));
}

#[test]
fn memory_is_asked_for() {
    let (graphs, truth) = noisy_copies(3000, 8.0, 0.9, 10);
    let task = Task::from_pairs(&graphs[0], &graphs[1], &every(50, &truth)).unwrap();
    let error = sparse()
        .run(&task, &Monitor::silent().max_memory(1000))
        .unwrap_err();
    assert!(matches!(error, Error::Memory { .. }), "{error}");
    // A tenth of what all pairs would take is plenty.
    let monitor = Monitor::silent().max_memory(3000 * 3000 * 8 / 10);
    assert!(sparse().run(&task, &monitor).is_ok());
}
