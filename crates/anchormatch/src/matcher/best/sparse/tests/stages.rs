//! Each stage by itself: what it is handed, what it hands on, and what it does when it is stopped.

use super::copies;
use crate::anchors::Anchors;
use crate::graph::Graph;
use crate::linalg::Csr;
use crate::matcher::best::sparse::anchor_check::check_anchors;
use crate::matcher::best::sparse::beliefs::{Beliefs, believe, changed, moved, top};
use crate::matcher::best::sparse::decision::{SLACK, decide};
use crate::matcher::best::sparse::expansion::{Expansion, expand};
use crate::matcher::best::sparse::known::Known;
use crate::matcher::best::sparse::restarts::{begin_from, restart};
use crate::matcher::best::sparse::rows::{by_row, for_nodes};
use crate::matcher::best::sparse::side::{DegreeLaw, NONE, Side};
use crate::matcher::best::thresholds::KEPT;
use crate::monitor::Monitor;
use crate::task::Task;

const NODES: usize = 300;
const ITERATIONS: usize = 15;

fn partner(i: usize) -> usize {
    (7 * i + 3) % NODES
}

/// Two copies of a graph whose stages are run by hand.
struct Pair {
    graphs: [Graph; 2],
    anchors: Anchors,
}

impl Pair {
    /// So many anchors, the last `wrong` of them in a circle.
    fn new(kept: f64, anchors: usize, wrong: usize) -> Self {
        let graphs = copies(NODES, 8, kept, false, 3);
        let right = anchors - wrong;
        let known: Vec<_> = (0..anchors)
            .map(|i| match i.checked_sub(right) {
                None => (i, partner(i)),
                Some(k) => (i, partner(right + (k + 1) % wrong)),
            })
            .collect();
        let anchors = Anchors::from_indices(&graphs[0], &graphs[1], &known).unwrap();
        Self { graphs, anchors }
    }

    /// Runs `work` with the two sides and what is known.
    fn with<T>(&self, work: impl FnOnce(&[Side<'_>; 2], &Known) -> T) -> T {
        let [source, target] = &self.graphs;
        let task = Task::new(source, target, &self.anchors).unwrap();
        work(&Side::both(&task, false), &Known::of(&task))
    }
}

fn expanded(sides: &[Side<'_>; 2], known: &Known) -> Expansion {
    expand(sides, known, known.partners(), &Monitor::silent())
}

fn believed(sides: &[Side<'_>; 2], known: &Known) -> Beliefs {
    let expansion = expanded(sides, known);
    believe(sides, known, expansion, ITERATIONS, &Monitor::silent())
}

fn cancelled() -> Monitor {
    let monitor = Monitor::silent();
    monitor.cancel_token().cancel();
    monitor
}

fn right(partners: &[u32]) -> usize {
    let pairs = partners.iter().enumerate();
    pairs.filter(|(i, a)| **a as usize == partner(*i)).count()
}

#[test]
fn expansion_settles_one_to_one_and_mostly_right() {
    Pair::new(0.95, 15, 0).with(|sides, known| {
        let [there, back] = expanded(sides, known).partners;
        for (i, &a) in there.iter().enumerate().filter(|(_, a)| **a != NONE) {
            assert_eq!(back[a as usize] as usize, i);
        }
        let settled = there.iter().filter(|a| **a != NONE).count();
        assert_eq!(settled, back.iter().filter(|i| **i != NONE).count());
        assert!((0..15).all(|i| there[i] as usize == partner(i)));
        assert!(settled > 270 && right(&there) + 3 >= settled, "{settled}");
        // A stop leaves what was given.
        let first = known.partners();
        let stopped = expand(sides, known, first.clone(), &cancelled());
        assert_eq!(stopped.partners, first);
    });
}

#[test]
fn beliefs_are_probabilities_of_both_sides() {
    Pair::new(0.8, 15, 0).with(|sides, known| {
        let beliefs = believed(sides, known);
        let occupancy = &beliefs.occupancy;
        let (mut columns, mut tops) = (vec![0.0f64; NODES], 0.0);
        for i in 0..NODES {
            let (nodes, values) = occupancy.parts(i);
            let row: f64 = values.iter().map(|v| f64::from(*v)).sum();
            assert!(row < 1.001, "row {i}: {row}");
            for (a, v) in nodes.iter().zip(values) {
                assert!((0.0..=1.001).contains(v));
                columns[*a as usize] += f64::from(*v);
            }
            let most = values.iter().fold(0.0f32, |m, v| m.max(*v));
            tops += f64::from(most);
            assert!(top(occupancy, i).is_none_or(|(_, share)| share == most));
        }
        assert!(columns.iter().all(|sum| *sum < 1.01), "{columns:?}");
        assert!((beliefs.expected_right() - tops).abs() < 1e-3);
        assert!((0..15).all(|i| occupancy.get(i, partner(i)) == Some(1.0)));
        // What they expect of themselves is what comes true.
        let likeliest = (0..NODES)
            .filter(|&i| top(occupancy, i).is_some_and(|(a, _)| a as usize == partner(i)));
        let came_true = likeliest.count() as f64;
        assert!(
            (came_true - tops).abs() < 0.05 * NODES as f64,
            "{came_true} {tops}"
        );
        let sure = beliefs.sure(sides, known, 0.9);
        assert!(
            right(&sure[0]) as f64 > 0.97 * sure[0].iter().filter(|a| **a != NONE).count() as f64
        );
        // Nothing has moved from itself.
        assert_eq!(changed(occupancy, occupancy), 0);
        assert!(!moved(occupancy, occupancy).contains(&true));
    });
}

#[test]
fn restarts_expect_no_less_than_before() {
    Pair::new(0.7, 12, 0).with(|sides, known| {
        let monitor = Monitor::silent();
        let first = believed(sides, known);
        let (before, old) = (first.expected_right(), first.occupancy.clone());
        let (after, tried) = restart(sides, known, first, (3, ITERATIONS), &monitor);
        assert!(after.expected_right() >= before);
        assert!(tried <= 3);
        // A stop changes nothing.
        let first = believed(sides, known);
        let (same, tried) = restart(sides, known, first, (3, ITERATIONS), &cancelled());
        assert_eq!(tried, 0);
        assert_eq!(changed(&same.occupancy, &old), 0);
        // Neither does a matching that is worse, while the truth helps.
        let wrong: Vec<_> = (20..NODES).map(|i| (i, (7 * i + 10) % NODES)).collect();
        let truth: Vec<_> = (0..NODES).map(|i| (i, partner(i))).collect();
        for (start, least) in [(&wrong, before), (&truth, before)] {
            let first = believed(sides, known);
            let others = begin_from(start, sides, known, first, ITERATIONS, &monitor);
            assert!(others.expected_right() >= least);
        }
    });
}

#[test]
fn decisions_are_the_best_of_all() {
    // Six nodes a side without an edge among the listed: every assignment of an occupancy is tried.
    let path = |n: usize| {
        let edges: Vec<_> = (1..n).map(|i| (i - 1, i, 1.0)).collect();
        Graph::from_edges(n, &edges).unwrap()
    };
    let (source, target) = (path(6), path(6));
    let anchors = Anchors::from_indices(&source, &target, &[(5, 5)]).unwrap();
    let task = Task::new(&source, &target, &anchors).unwrap();
    let (sides, known) = (Side::both(&task, false), Known::of(&task));
    for seed in 0..20usize {
        let value = |i: usize, a: usize| ((i * 31 + a * 17 + seed * 7) % 23) as f32 / 23.0;
        let listed = (0..5).flat_map(|i| (0..5).map(move |a| (i, a)));
        let listed = listed.filter(|&(i, a)| (i * 3 + a + seed) % 4 != 0);
        let triplets = listed.map(|(i, a)| (i, a, value(i, a)));
        let occupancy = Csr::from_triplets(6, 6, triplets.chain([(5, 5, 1.0)])).unwrap();
        let worth = |pairs: &mut dyn Iterator<Item = (usize, usize)>| -> f32 {
            pairs.map(|(i, a)| occupancy.get(i, a).unwrap_or(0.0)).sum()
        };
        let mut best = 0.0f32;
        for code in 0..5usize.pow(5) {
            let digits: Vec<usize> = (0..5).map(|i| code / 5usize.pow(i) % 5).collect();
            if (0..5).all(|a| digits.contains(&a)) {
                best = best.max(worth(&mut digits.iter().copied().enumerate()));
            }
        }
        let all = decide(&sides, &known, &occupancy, false);
        assert_eq!(all.len(), 6);
        assert!(all[5].anchor && all[5].confidence == 1.0);
        let found = worth(&mut all[..5].iter().map(|pair| (pair.source, pair.target)));
        assert!(found >= best - 6.0 * SLACK, "{found} {best}");
        let likely = decide(&sides, &known, &occupancy, true);
        assert!(likely.iter().all(|pair| pair.confidence >= f64::from(KEPT)));
        assert!(likely.len() < 6);
    }
}

#[test]
fn anchors_that_contradict_the_rest_are_suspicious() {
    Pair::new(0.9, 40, 4).with(|sides, known| {
        let beliefs = believed(sides, known);
        let checks = check_anchors(sides, known, &beliefs, &Monitor::silent());
        assert_eq!(checks.len(), 40);
        for check in &checks {
            let is_wrong = check.target != partner(check.source);
            assert_eq!(check.suspicion > 0.5, is_wrong, "{check:?}");
        }
        assert!(check_anchors(sides, known, &beliefs, &cancelled()).is_empty());
    });
}

#[test]
fn rows_come_in_their_order_or_not_at_all() {
    let fill = |i: usize, row: &mut Vec<(u32, f32)>| {
        row.extend((0..i % 5).map(|k| ((3 * k) as u32, (i + k) as f32)));
    };
    let rows = 5000;
    let found = by_row(rows, 20, &Monitor::silent(), |i, _, row| fill(i, row)).unwrap();
    for i in 0..rows {
        let mut row = Vec::new();
        fill(i, &mut row);
        let (nodes, values) = found.parts(i);
        assert_eq!(
            row,
            nodes
                .iter()
                .copied()
                .zip(values.iter().copied())
                .collect::<Vec<_>>()
        );
    }
    assert!(by_row(rows, 20, &cancelled(), |i, _, row| fill(i, row)).is_none());
    let nodes: Vec<u32> = (0..3000).rev().collect();
    let doubled = for_nodes(&nodes, &Monitor::silent(), |i, _| 2 * i).unwrap();
    assert!(
        doubled
            .iter()
            .zip(&nodes)
            .all(|(d, n)| *d == 2 * *n as usize)
    );
    assert!(for_nodes(&nodes, &cancelled(), |i, _| i).is_none());
}

#[test]
fn degrees_are_shrunk_by_what_chance_explains() {
    // Counts of a Poisson law of mean 4, and of a power law.
    let poisson = [18u64, 73, 147, 195, 195, 156, 104, 60, 30, 13, 5, 2];
    let law = DegreeLaw::of(&(0..).zip(poisson).collect());
    assert!((law.expected(9) - 4.0).abs() < 0.5, "{}", law.expected(9));
    let tail = (1..=1000u32).map(|d| (d, (1e7 / f64::from(d).powf(2.5)) as u64));
    let law = DegreeLaw::of(&tail.collect());
    assert!(
        (law.expected(500) / 500.0 - 1.0).abs() < 0.1,
        "{}",
        law.expected(500)
    );
    assert_eq!(DegreeLaw::from_numbers(law.numbers()), law);
    // All of one degree: nothing to tell apart.
    let law = DegreeLaw::of(&[(3, 10)].into_iter().collect());
    assert_eq!((law.expected(3), law.standing(3)), (3.0, 0.0));
}
