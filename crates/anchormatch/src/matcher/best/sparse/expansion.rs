//! Stage *expansion*: from the anchors outwards, the surest pairs first.
//!
//! In rounds, every node next to a pair that was just settled is judged anew from both sides. A pair that is
//! each other's best, with a posterior above a bound on either side, is settled; ambiguous ones are postponed.
//! When nothing sure is left, the candidates of the open nodes become tentative seeds: their probabilities
//! spread one step further, and pairs that two such seeds agree on are often sure (the noisy seeds of
//! Kazemi, Hassani, Grossglauser, PVLDB 8, 2015, with probabilities in the place of marks). The model is fitted
//! again each time. Only when they lead nowhere, the bound is lowered until something passes, and raised
//! again.

use super::known::Known;
use super::model::{Model, PART};
use super::neighbours::{Believed, Outlook};
use super::rows::{by_row, for_nodes};
use super::side::{NONE, Side};
use crate::linalg::Csr;
use crate::matcher::best::thresholds::sparse::{
    NOISY_SEEDS, SETTLED_EVER, SETTLED_FROM, TENTATIVE,
};
use crate::monitor::{Monitor, Progress};

/// What was settled.
pub(super) struct Expansion {
    /// The partner of each source and of each target node.
    pub(super) partners: [Vec<u32>; 2],
    pub(super) model: Model,
    pub(super) rounds: usize,
}

impl Expansion {
    /// How many pairs there are, anchors among them.
    pub(super) fn matched(&self) -> usize {
        self.partners[0].iter().filter(|a| **a != NONE).count()
    }
}

/// What comes next when nothing sure is left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// The candidates of open nodes spread.
    NoisySeeds,
    /// The bound is lowered.
    Lower,
    /// Nothing.
    End,
}

/// Where an expansion stands: how low the bound is, how often noisy seeds spread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Course {
    nodes: usize,
    noisy_seeds: usize,
    matched_then: usize,
    bounds: usize,
}

impl Course {
    pub(super) fn new(nodes: usize, matched: usize) -> Self {
        Self {
            nodes,
            noisy_seeds: 0,
            matched_then: matched,
            bounds: SETTLED_EVER,
        }
    }

    /// What it consists of.
    pub(super) fn numbers(&self) -> [usize; 4] {
        [self.nodes, self.noisy_seeds, self.matched_then, self.bounds]
    }

    pub(super) fn from_numbers(numbers: [usize; 4]) -> Self {
        let [nodes, noisy_seeds, matched_then, bounds] = numbers;
        Self {
            nodes,
            noisy_seeds,
            matched_then,
            bounds: bounds.min(SETTLED_FROM.len()),
        }
    }

    /// The bounds that hold now, the first of them at any time.
    pub(super) fn bounds(&self) -> &'static [f32] {
        &SETTLED_FROM[..self.bounds]
    }

    /// Something was settled that had been postponed.
    pub(super) fn settled(&mut self) {
        self.bounds = SETTLED_EVER;
    }

    /// What to do when nothing is above any of the bounds.
    pub(super) fn stuck(&mut self, matched: usize) -> Next {
        let enough = self.nodes / 1000 + 1;
        if matched == self.nodes {
            return Next::End;
        }
        let progressed = matched - self.matched_then >= enough || self.noisy_seeds == 0;
        if self.noisy_seeds == NOISY_SEEDS || !progressed {
            if self.bounds == SETTLED_FROM.len() {
                return Next::End;
            }
            self.bounds += 1;
            return Next::Lower;
        }
        self.noisy_seeds += 1;
        self.matched_then = matched;
        Next::NoisySeeds
    }
}

/// What is known while pairs are settled.
struct State<'a> {
    sides: &'a [Side<'a>; 2],
    known: &'a Known,
    partners: [Vec<u32>; 2],
    /// Neighbours that are settled, of each node.
    settled: [Vec<f32>; 2],
    /// What it costs each node that none of them is kept, where that depends on the kinds of edges.
    lost: Option<[Vec<f32>; 2]>,
    /// The best partner of every open node, and its posterior.
    best: [Vec<(u32, f32)>; 2],
    model: Model,
    /// Σ over open nodes of the likelihood that their settled neighbours are all missed.
    others: [f64; 2],
    matched: usize,
    matched_at_sums: usize,
}

/// Settles all pairs that follow from the anchors.
///
/// `first` are partners to begin from, the anchors among them.
pub(super) fn expand(
    sides: &[Side<'_>; 2],
    known: &Known,
    first: [Vec<u32>; 2],
    monitor: &Monitor,
) -> Expansion {
    let mut state = State::new(sides, known, first);
    let nodes = sides[0].nodes().min(sides[1].nodes());
    let mut course = Course::new(nodes, state.matched);
    let mut touched = [0, 1].map(|k| state.next_to_settled(k));
    let mut tentative = None;
    let mut rounds = 0;
    loop {
        rounds += 1;
        let progress = Progress {
            stage: "expansion",
            done: state.matched,
            total: Some(nodes),
            value: None,
        };
        if monitor.checkpoint(progress).is_some()
            || state.judge(&touched, tentative.as_ref(), monitor).is_none()
        {
            break;
        }
        let new = state.settle_surest(&touched);
        if !new.is_empty() {
            touched = state.settle(&new);
            continue;
        }
        let stale = [0, 1].map(|k| state.stale(k));
        if stale.iter().any(|nodes| !nodes.is_empty()) {
            touched = stale;
            continue;
        }
        let new = state.settle_postponed(course.bounds());
        if !new.is_empty() {
            touched = state.settle(&new);
            course.settled();
            continue;
        }
        match course.stuck(state.matched) {
            Next::End => break,
            Next::Lower => {
                touched = [Vec::new(), Vec::new()];
                continue;
            }
            Next::NoisySeeds => state.refit(),
        }
        let Some(lists) = state.tentative(monitor) else {
            break;
        };
        tentative = Some(lists);
        touched = [0, 1].map(|k| state.open(k));
    }
    state.refit();
    Expansion {
        partners: state.partners,
        model: state.model,
        rounds,
    }
}

impl<'a> State<'a> {
    fn new(sides: &'a [Side<'a>; 2], known: &'a Known, partners: [Vec<u32>; 2]) -> Self {
        let model = Model::fit(sides, &partners);
        let settled = [0, 1].map(|k| settled_neighbours(&sides[k], &partners[k]));
        let best = [0, 1].map(|k| vec![(NONE, 0.0); sides[k].nodes()]);
        let matched = partners[0].iter().filter(|a| **a != NONE).count();
        let mut state = Self {
            sides,
            known,
            partners,
            settled,
            lost: None,
            best,
            model,
            others: [0.0; 2],
            matched,
            matched_at_sums: 0,
        };
        state.sum_lost();
        state.sum_others();
        state
    }

    fn refit(&mut self) {
        self.model = Model::fit(self.sides, &self.partners);
        self.sum_lost();
        self.sum_others();
    }

    fn sum_lost(&mut self) {
        let partners = &self.partners;
        let known = |k: usize| move |j: usize| f32::from(u8::from(partners[k][j] != NONE));
        self.lost = self.model.lost(self.sides, [&known(0), &known(1)]);
    }

    fn sum_others(&mut self) {
        let missing = self.model.missing();
        self.others = [0, 1].map(|k| {
            let partners = self.partners[k].chunks(PART).enumerate();
            let parts = partners.map(|(part, partners)| {
                let nodes = (part * PART..).zip(partners);
                let open = nodes.filter(|(_, partner)| **partner == NONE);
                let nats = open.map(|(i, _)| match &self.lost {
                    None => self.settled[k][i] * missing[k],
                    Some(lost) => lost[k][i],
                });
                missed(nats)
            });
            parts.sum()
        });
        self.matched_at_sums = self.matched;
    }

    fn open(&self, k: usize) -> Vec<u32> {
        let nodes = 0..self.sides[k].nodes() as u32;
        nodes
            .filter(|&i| self.partners[k][i as usize] == NONE)
            .collect()
    }

    /// Open nodes of which something is known.
    fn next_to_settled(&self, k: usize) -> Vec<u32> {
        let mut nodes = self.open(k);
        nodes.retain(|&i| {
            self.settled[k][i as usize] > 0.0 || !self.known.named(k, i as usize).is_empty()
        });
        nodes
    }

    /// Open nodes whose best partner is taken by now.
    fn stale(&self, k: usize) -> Vec<u32> {
        let taken = |&a: &u32| a != NONE && self.partners[1 - k][a as usize] != NONE;
        let mut nodes = self.open(k);
        nodes.retain(|&i| taken(&self.best[k][i as usize].0));
        nodes
    }

    /// Runs `work` with the outlook from side `k`.
    fn with_outlook<T>(
        &self,
        k: usize,
        tentative: Option<&Csr<f32>>,
        work: impl FnOnce(&Outlook<'_>) -> T,
    ) -> T {
        let taken = &self.partners[1 - k];
        let partners = &self.partners[k][..];
        let open = |a: u32| taken[a as usize] == NONE;
        work(&Outlook {
            own: &self.sides[k],
            other: &self.sides[1 - k],
            believed: match tentative {
                Some(lists) => Believed::Tentative(partners, lists),
                None => Believed::Settled(partners),
            },
            open: &open,
            settled: [&self.settled[k], &self.settled[1 - k]],
            lost: self.lost.as_ref().map(|lost| &lost[1 - k][..]),
            model: &self.model,
            from: k,
            known: self.known,
            others: self.others[1 - k],
        })
    }

    /// Finds the best partners of these nodes; `None` when the monitor stops it.
    fn judge(
        &mut self,
        touched: &[Vec<u32>; 2],
        tentative: Option<&[Csr<f32>; 2]>,
        monitor: &Monitor,
    ) -> Option<()> {
        // What is left changes slowly.
        if sums_are_old(self.matched, self.matched_at_sums) {
            self.sum_others();
        }
        for k in 0..2 {
            let lists = tentative.map(|lists| &lists[k]);
            let found = self.with_outlook(k, lists, |outlook| {
                for_nodes(&touched[k], monitor, |i, scratch| {
                    outlook.best(i, scratch).unwrap_or((NONE, 0.0))
                })
            })?;
            for (&i, best) in touched[k].iter().zip(found) {
                self.best[k][i as usize] = best;
            }
        }
        Some(())
    }

    /// The pair of an open node, when either side finds it likelier than a bound.
    fn mutual(&self, i: u32, bound: f32) -> Option<(u32, u32)> {
        let (a, posterior) = self.best[0][i as usize];
        if a == NONE || posterior < bound || self.partners[0][i as usize] != NONE {
            return None;
        }
        let (back, other) = self.best[1][a as usize];
        let settles = back == i && other >= bound && self.partners[1][a as usize] == NONE;
        settles.then_some((i, a))
    }

    /// The pairs above the highest bound among nodes that were judged anew.
    fn settle_surest(&self, touched: &[Vec<u32>; 2]) -> Vec<(u32, u32)> {
        let theirs = touched[1].iter().map(|&a| self.best[1][a as usize].0);
        let sources = touched[0].iter().copied().chain(theirs);
        let pairs = sources.filter(|&i| i != NONE);
        let mut pairs: Vec<_> = pairs
            .filter_map(|i| self.mutual(i, SETTLED_FROM[0]))
            .collect();
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    }

    /// The pairs above the highest of these bounds that any pair is above.
    fn settle_postponed(&self, bounds: &[f32]) -> Vec<(u32, u32)> {
        let nodes = 0..self.partners[0].len() as u32;
        bounds
            .iter()
            .map(|&bound| {
                let pairs = nodes.clone().filter_map(|i| self.mutual(i, bound));
                pairs.collect::<Vec<_>>()
            })
            .find(|pairs| !pairs.is_empty())
            .unwrap_or_default()
    }

    /// Settles pairs; the open nodes next to them.
    fn settle(&mut self, pairs: &[(u32, u32)]) -> [Vec<u32>; 2] {
        for &(i, a) in pairs {
            self.partners[0][i as usize] = a;
            self.partners[1][a as usize] = i;
        }
        self.matched += pairs.len();
        let sides = self.sides;
        [0, 1].map(|k| {
            let mut touched = Vec::new();
            for pair in pairs {
                let node = [pair.0, pair.1][k];
                for place in sides[k].edges.range(node as usize) {
                    let j = sides[k].edges.column(place);
                    self.settled[k][j as usize] += 1.0;
                    if let (Some(lost), Some(kinds)) = (&mut self.lost, &self.model.kinds) {
                        lost[k][j as usize] += kinds.lost(k, sides[k].back(node as usize, place));
                    }
                    if self.partners[k][j as usize] == NONE {
                        touched.push(j);
                    }
                }
            }
            touched.sort_unstable();
            touched.dedup();
            touched
        })
    }

    /// The probabilities of the candidates of all open nodes.
    fn tentative(&self, monitor: &Monitor) -> Option<[Csr<f32>; 2]> {
        let lists = |k: usize| {
            self.with_outlook(k, None, |outlook| {
                let (rows, cols) = (outlook.own.nodes(), outlook.other.nodes());
                by_row(rows, cols, monitor, |i, scratch, row| {
                    if self.partners[k][i] == NONE {
                        outlook.list(i, TENTATIVE, scratch, row);
                    }
                })
            })
        };
        Some([lists(0)?, lists(1)?])
    }
}

/// Whether what is left is to be summed again: once in a hundred pairs is often enough.
pub(super) fn sums_are_old(matched: usize, at_sums: usize) -> bool {
    matched > at_sums + at_sums / 100
}

/// The likelihood that all settled neighbours of these nodes are missed, by its nats.
pub(super) fn missed(nats: impl Iterator<Item = f32>) -> f64 {
    nats.map(|nats| f64::from(nats).exp()).sum()
}

/// How many neighbours of each node have partners.
pub(super) fn settled_neighbours(side: &Side<'_>, partners: &[u32]) -> Vec<f32> {
    side.over_neighbours(|j| f32::from(u8::from(partners[j] != NONE)))
}
