//! Kinds of edges against sums written out, and what they bring and leave alone.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::super::correspondence::Correspondence;
use super::super::expansion::settled_neighbours;
use super::super::known::Known;
use super::super::model::Model;
use super::super::neighbours::{Believed, Outlook, Scratch};
use super::super::side::{NONE, Side};
use super::{Numbers, copies};
use crate::graph::{EdgeKinds, Graph, KindEdge};
use crate::matcher::Matcher;
use crate::matcher::best::{Best, RegimeChoice};
use crate::matching::{Matching, Pair};
use crate::monitor::Monitor;
use crate::task::Task;

/// Edges (from, to, kind).
type Arcs = Vec<(usize, usize, u32)>;

/// Two copies of a random directed graph whose arcs have one of `kinds` relations, sometimes two; node i's
/// partner is (7 i + 3) mod n, and relation r is (r + 1) mod `kinds` of the target, but for some noise.
fn related(n: usize, degree: usize, kinds: u32, seed: u64) -> [Arcs; 2] {
    let mut numbers = Numbers(seed);
    let partner = |i: usize| (7 * i + 3) % n;
    let mut arcs = [Vec::new(), Vec::new()];
    for _ in 0..n * degree / 2 {
        let (i, j) = (numbers.below(n), numbers.below(n));
        if i == j {
            continue;
        }
        for _ in 0..if numbers.next() < 0.2 { 2 } else { 1 } {
            let kind = (numbers.next().powi(2) * f64::from(kinds)) as u32;
            // One relation is lost more often than the others.
            let kept = if kind == 1 { 0.5 } else { 0.9 };
            if numbers.next() < kept {
                arcs[0].push((i, j, kind));
            }
            if numbers.next() < kept {
                let noise = u32::from(numbers.next() < 0.1);
                arcs[1].push((partner(i), partner(j), (kind + 1 + noise) % kinds));
            }
        }
    }
    arcs
}

fn graph(n: usize, arcs: &Arcs, is_directed: bool) -> Graph {
    let joined: BTreeSet<(usize, usize)> = arcs
        .iter()
        .map(|&(i, j, _)| {
            if is_directed {
                (i, j)
            } else {
                (i.min(j), i.max(j))
            }
        })
        .collect();
    let edges: Vec<_> = joined.into_iter().map(|(i, j)| (i, j, 1.0)).collect();
    if is_directed {
        Graph::from_arcs(n, &edges).unwrap()
    } else {
        Graph::from_edges(n, &edges).unwrap()
    }
}

/// The relations, the name of r being what `name` says.
fn kinds(n: usize, arcs: &Arcs, count: u32, name: impl Fn(u32) -> String) -> Arc<EdgeKinds> {
    let edges = arcs.iter().map(|&(i, j, kind)| KindEdge {
        from: i as u32,
        to: j as u32,
        kind,
        weight: 1.0,
    });
    Arc::new(EdgeKinds::new(n, (0..count).map(name).collect(), edges.collect()).unwrap())
}

/// The kinds between two nodes as seen from the first.
fn seen(arcs: &Arcs, is_directed: bool, i: usize, j: usize) -> Vec<u32> {
    let mut found = BTreeSet::new();
    for &(from, to, kind) in arcs {
        let views = if is_directed { 2 } else { 1 };
        if (from, to) == (i, j) {
            found.insert(views * kind);
        }
        if (to, from) == (i, j) {
            found.insert(views * kind + views - 1);
        }
    }
    found.into_iter().collect()
}

/// Everything that is counted, from lists of arcs alone.
struct Oracle {
    n: usize,
    /// Kinds by side and ordered pair of nodes.
    seen: [BTreeMap<(usize, usize), Vec<u32>>; 2],
    pairs: Vec<(usize, usize)>,
}

impl Oracle {
    fn new(n: usize, arcs: &[Arcs; 2], is_directed: bool, pairs: &[(usize, usize)]) -> Self {
        let seen = [0, 1].map(|k| {
            let ends = arcs[k].iter().flat_map(|&(i, j, _)| [(i, j), (j, i)]);
            ends.map(|(i, j)| ((i, j), seen(&arcs[k], is_directed, i, j)))
                .collect()
        });
        let pairs = pairs.to_vec();
        Self { n, seen, pairs }
    }

    fn share(&self, side: usize, kind: u32) -> f64 {
        let all = self.seen[side].values().flatten();
        all.clone().filter(|k| **k == kind).count() as f64 / all.count() as f64
    }

    fn own(&self, side: usize, node: usize, kind: u32) -> f64 {
        let here = (0..self.n).filter_map(|j| self.seen[side].get(&(node, j)));
        let all = here.flatten();
        let count = all.clone().filter(|k| **k == kind).count() as f64;
        let share = self.share(side, kind);
        ((count + share) / (all.count() as f64 + 1.0) / share).ln()
    }

    /// Matched edges of two kinds; of any where one is `None`.
    fn count(&self, k: Option<u32>, l: Option<u32>) -> f64 {
        let mut sum = 0.0;
        for &(i, a) in &self.pairs {
            for &(j, b) in &self.pairs {
                let (x, y) = (self.seen[0].get(&(i, j)), self.seen[1].get(&(a, b)));
                let (Some(x), Some(y)) = (x, y) else { continue };
                let of = |all: &Vec<u32>, kind: Option<u32>| {
                    let fits = all.iter().filter(|x| kind.is_none_or(|k| **x == k));
                    fits.count() as f64 / all.len() as f64
                };
                sum += of(x, k) * of(y, l);
            }
        }
        sum
    }

    fn table(&self, k: u32, l: u32) -> f64 {
        let both = self.count(Some(k), Some(l));
        let there = (both / self.share(1, l) + 4.0) / (self.count(Some(k), None) + 4.0);
        let back = (both / self.share(0, k) + 4.0) / (self.count(None, Some(l)) + 4.0);
        0.5 * (there.ln() + back.ln())
    }

    /// The kinds of j–i and b–a.
    fn nats(&self, (i, a): (usize, usize), (j, b): (usize, usize)) -> f64 {
        let mut best = f64::MIN;
        for &k in &self.seen[0][&(j, i)] {
            for &l in &self.seen[1][&(b, a)] {
                let own = self.own(0, j, k) + self.own(1, b, l);
                best = best.max(self.table(k, l) - 0.25 * own);
            }
        }
        best
    }

    /// How often the kinds between two nodes of a side are kept.
    fn kept(&self, side: usize, nodes: (usize, usize), all: f64) -> f64 {
        let share = |kind: u32| {
            let (mut kept, mut sum) = (10.0 * all, 10.0);
            for x in &self.pairs {
                for y in &self.pairs {
                    let ends = [(x.0, y.0), (x.1, y.1)];
                    let Some(kinds) = self.seen[side].get(&ends[side]) else {
                        continue;
                    };
                    if kinds.contains(&kind) {
                        let part = 1.0 / kinds.len() as f64;
                        sum += part;
                        if self.seen[1 - side].contains_key(&ends[1 - side]) {
                            kept += part;
                        }
                    }
                }
            }
            kept / sum
        };
        let kinds = self.seen[side][&nodes].iter();
        kinds.map(|k| share(*k)).fold(0.0, f64::max)
    }
}

/// A task of related graphs and the first anchors, with so many relations where there are any.
fn with_task<T>(
    n: usize,
    arcs: &[Arcs; 2],
    is_directed: bool,
    anchors: usize,
    count: Option<u32>,
    work: impl FnOnce(&Task<'_>) -> T,
) -> T {
    let graphs = [0, 1].map(|k| graph(n, &arcs[k], is_directed));
    let pairs: Vec<_> = (0..anchors).map(|i| (i, (7 * i + 3) % n)).collect();
    let task = Task::from_pairs(&graphs[0], &graphs[1], &pairs).unwrap();
    work(&match count {
        None => task,
        Some(count) => related_by(task, n, arcs, [count; 2]),
    })
}

/// With the relations of both sides, the target's under names of its own.
fn related_by<'a>(task: Task<'a>, n: usize, arcs: &[Arcs; 2], counts: [u32; 2]) -> Task<'a> {
    let source = kinds(n, &arcs[0], counts[0], |r| format!("r{r}"));
    let target = kinds(n, &arcs[1], counts[1], |r| format!("t{r}"));
    task.with_relations(source, target).unwrap()
}

fn matched(task: &Task<'_>) -> Matching {
    let preset = Best::default().with_regime(RegimeChoice::Sparse);
    preset.run(task, &Monitor::silent()).unwrap()
}

fn right(matching: &Matching, n: usize) -> usize {
    let is_right = |pair: &&Pair| pair.target == (7 * pair.source + 3) % n;
    matching.pairs.iter().filter(is_right).count()
}

#[test]
fn candidates_have_the_evidence_of_their_kinds() {
    const N: usize = 40;
    for is_directed in [false, true] {
        let arcs = related(N, 6, 4, 3);
        let pairs: Vec<_> = (0..20).map(|i| (i, (7 * i + 3) % N)).collect();
        let oracle = Oracle::new(N, &arcs, is_directed, &pairs);
        with_task(N, &arcs, is_directed, 20, Some(4), |task| {
            let known = Known::of(task);
            let sides = Side::both(task, false);
            let partners = known.partners();
            let model = Model::fit(&sides, &partners);
            let settled = [0, 1].map(|k| settled_neighbours(&sides[k], &partners[k]));
            let is_known = |k: usize| {
                let partners = &partners[k];
                move |j: usize| f32::from(u8::from(partners[j] != NONE))
            };
            let lost = (model.lost(&sides, [&is_known(0), &is_known(1)])).unwrap();
            let open = |a: u32| partners[1][a as usize] == NONE;
            let outlook = Outlook {
                own: &sides[0],
                other: &sides[1],
                believed: Believed::Settled(&partners[0]),
                open: &open,
                settled: [&settled[0], &settled[1]],
                lost: Some(&lost[1]),
                model: &model,
                from: 0,
                known: &known,
                others: 20.0,
            };
            let missing = |side: usize, nodes| {
                let kept = oracle.kept(side, nodes, model.seen[1 - side]);
                f64::from(model.missing_at(kept))
            };
            let mut scratch = Scratch::default();
            let mut found = 0;
            for i in 20..N {
                outlook.candidates(i, &mut scratch);
                for candidate in &scratch.candidates {
                    let a = candidate.node as usize;
                    let mut nats = f64::from(model.first);
                    for &(j, b) in &pairs {
                        let seen = [(0, (i, j)), (1, (a, b))]
                            .map(|(k, nodes)| oracle.seen[k].contains_key(&nodes));
                        let degrees = model.log_degrees[0][i]
                            + model.log_degrees[0][j]
                            + model.log_degrees[1][a]
                            + model.log_degrees[1][b];
                        nats += match seen {
                            [true, true] => {
                                let edge = model.log_edges - 0.5 * degrees - model.first;
                                f64::from(edge) - missing(0, (i, j)) + oracle.nats((i, a), (j, b))
                            }
                            [false, true] => missing(1, (a, b)),
                            _ => 0.0,
                        };
                    }
                    let edges = (sides[0].degree(i) + sides[1].degree(a)) as f32;
                    let unknown = 1.0 - (settled[0][i] + settled[1][a]) / edges;
                    let standing = [sides[0].standing[i], sides[1].standing[a]];
                    nats += f64::from(unknown * model.degrees.nats(standing[0], standing[1]));
                    let difference = nats - f64::from(candidate.nats);
                    assert!(difference.abs() < 1e-3, "{nats} {}", candidate.nats);
                    found += 1;
                }
            }
            assert!(found > 40, "{found}");
            let fitted = model.kinds.as_ref().unwrap();
            let edges = pairs
                .iter()
                .flat_map(|x| pairs.iter().map(move |y| (*x, *y)));
            let evidence: f64 = edges
                .map(|((i, a), (j, b))| {
                    let nodes = [(i, j), (a, b)];
                    let extra = |k: usize| missing(k, nodes[k]) - f64::from(model.missing()[k]);
                    match [0, 1].map(|k| oracle.seen[k].contains_key(&nodes[k])) {
                        [true, true] => oracle.nats((j, b), (i, a)),
                        [true, false] => extra(0),
                        [false, true] => extra(1),
                        _ => 0.0,
                    }
                })
                .sum();
            let difference = evidence - fitted.evidence(&sides, &partners);
            assert!(difference.abs() < 1e-3, "{difference}");
        });
    }
}

#[test]
fn relations_and_directions_find_partners_that_edges_alone_do_not() {
    const N: usize = 400;
    let mut sums = [0, 0, 0];
    for seed in 1..4 {
        let arcs = related(N, 2, 12, seed);
        for (sum, (is_directed, count)) in
            (sums.iter_mut()).zip([(false, None), (true, None), (true, Some(12))])
        {
            *sum += right(&with_task(N, &arcs, is_directed, 40, count, matched), N);
        }
    }
    let [plain, directed, relations] = sums;
    assert!(plain + 20 < directed, "{sums:?}");
    assert!(directed + 15 < relations, "{sums:?}");
    let arcs = related(N, 4, 12, 8);
    let matching = with_task(N, &arcs, true, 40, Some(12), matched);
    let of = |name: &str| {
        let mut parameters = matching.parameters.iter();
        let found = parameters.find(|(parameter, _)| parameter == name);
        found.map(|(_, value)| value.clone()).unwrap_or_default()
    };
    assert!(of("relation r0 of the source").starts_with("t1 (0."));
    let nats: f64 = of("nats of the kinds of kept edges").parse().unwrap();
    assert!(nats > 1.0, "{nats}");
}

#[test]
fn relations_under_other_names_and_numbers_are_the_same() {
    const N: usize = 300;
    let arcs = related(N, 5, 8, 4);
    let renamed = arcs[1]
        .iter()
        .map(|&(i, j, kind)| (i, j, (3 * kind + 5) % 8));
    let others = [arcs[0].clone(), renamed.collect()];
    let [one, other] = [&arcs, &others].map(|arcs| with_task(N, arcs, true, 30, Some(8), matched));
    assert_eq!(one.pairs.len(), other.pairs.len());
    for (x, y) in one.pairs.iter().zip(&other.pairs) {
        assert_eq!((x.source, x.target), (y.source, y.target));
        assert!((x.confidence - y.confidence).abs() < 1e-3);
    }
}

#[test]
fn kinds_that_say_nothing_change_nothing() {
    const N: usize = 300;
    let mut arcs = related(N, 5, 8, 4);
    let all = arcs.clone();
    for (_, _, kind) in arcs.iter_mut().flatten() {
        *kind = 0;
    }
    let plain = with_task(N, &arcs, false, 60, None, matched);
    let single = with_task(N, &arcs, false, 60, Some(1), matched);
    assert_eq!(plain.pairs, single.pairs);
    assert_eq!(plain.objective, single.objective);
    // Neither do kinds of one side alone, nor kinds that have nothing to do with each other.
    let graphs = [0, 1].map(|k| graph(N, &arcs[k], false));
    let pairs: Vec<_> = (0..60).map(|i| (i, (7 * i + 3) % N)).collect();
    let task = Task::from_pairs(&graphs[0], &graphs[1], &pairs).unwrap();
    let mixed = [all[0].clone(), arcs[1].clone()];
    let one_side = related_by(task.clone(), N, &mixed, [8, 1]);
    assert_eq!(plain.pairs, matched(&one_side).pairs);
    let mut numbers = Numbers(6);
    for (_, _, kind) in arcs.iter_mut().flatten() {
        *kind = numbers.below(3) as u32;
    }
    let task = related_by(task, N, &arcs, [3; 2]);
    let sides = Side::both(&task, false);
    let all: [Vec<u32>; 2] = {
        let known = (0..N).map(|i| (i, (7 * i + 3) % N)).collect::<Vec<_>>();
        let mut partners = [vec![NONE; N], vec![NONE; N]];
        for (i, a) in known {
            partners[0][i] = a as u32;
            partners[1][a] = i as u32;
        }
        partners
    };
    let fitted = Correspondence::fit(&sides, &all, [0.8; 2], 0.1).unwrap();
    assert!(fitted.mean.abs() < 0.02, "{}", fitted.mean);
}

#[test]
fn layers_of_the_same_name_agree_before_anything_is_matched() {
    const N: usize = 60;
    let arcs = related(N, 6, 3, 5);
    // Layer r of the source is numbered 2 − r in the target.
    let turned = (arcs[0].iter()).map(|&(i, j, kind)| ((7 * i + 3) % N, (7 * j + 3) % N, 2 - kind));
    let arcs = [arcs[0].clone(), turned.collect()];
    for is_directed in [false, true] {
        let graphs = [0, 1].map(|k| graph(N, &arcs[k], is_directed));
        let task = Task::from_pairs(&graphs[0], &graphs[1], &[]).unwrap();
        let source = kinds(N, &arcs[0], 3, |r| format!("layer {r}"));
        let target = kinds(N, &arcs[1], 3, |r| format!("layer {}", 2 - r));
        let task = task.with_layers(source, target).unwrap();
        let sides = Side::both(&task, false);
        let nobody = [vec![NONE; N], vec![NONE; N]];
        let fitted = Correspondence::fit(&sides, &nobody, [0.8; 2], 0.1).unwrap();
        let views = if is_directed { 2 } else { 1 };
        for k in 0..3 * views {
            for l in 0..3 * views {
                let is_same = k / views == 2 - l / views && k % views == l % views;
                assert_eq!(fitted.pair(0, k, l) > 0.0, is_same, "{k} {l}");
                assert_eq!(fitted.pair(0, k, l), fitted.pair(1, l, k));
            }
        }
    }
}

#[test]
fn the_number_of_threads_changes_nothing() {
    const N: usize = 300;
    let arcs = related(N, 5, 8, 4);
    let [one, four] = [1, 4].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let pool = pool.build().unwrap();
        pool.install(|| with_task(N, &arcs, true, 30, Some(8), matched))
    });
    assert_eq!(one.pairs, four.pairs);
    assert_eq!(one.objective, four.objective);
}

#[test]
fn graphs_without_kinds_have_none() {
    let [source, target] = copies(50, 5, 1.0, false, 2);
    let task = Task::from_pairs(&source, &target, &[]).unwrap();
    let sides = Side::both(&task, false);
    assert!(sides.iter().all(|side| side.kinds.is_none()));
    assert_eq!(super::super::kinds::bytes(&task), 0);
}
