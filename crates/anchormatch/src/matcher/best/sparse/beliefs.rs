//! Stage *beliefs*: the probabilities of all candidates, from one another.
//!
//! A mean field on lists: every node's candidates collect the evidence of what is believed of its
//! neighbours, and a balancing makes probabilities of it in which no target is given away twice
//! ([`ListedBalance`]). Iterated until the likeliest partners stay; the model is fitted on the way. What is
//! left over, for a node, is the chance that none of its candidates is the one.

use crate::matcher::best::thresholds::sparse::{
    ALONE_AT_FIRST, BELIEF_FITS, CANDIDATES, CERTAIN, DEPTH_OF_CANDIDATES, FITTED_FROM,
    SAME_BELIEF, STILL,
};
use std::ops::Range;

use rayon::prelude::*;

use super::alone::{self, Alone, Rest};
use super::expansion::Expansion;
use super::known::Known;
use super::model::{Model, PART};
use super::neighbours::{Believed, Candidate, Outlook, keep_highest};
use super::rows::by_row;
use super::side::{NONE, Side};
use crate::assignment::ListedBalance;
use crate::linalg::Csr;
use crate::monitor::{Monitor, Progress};

/// What is believed.
pub(super) struct Beliefs {
    /// Probabilities of targets, by source node.
    pub(super) occupancy: Csr<f32>,
    pub(super) model: Model,
    pub(super) iterations: usize,
    /// The share of likeliest partners that changed, by iteration.
    pub(super) changes: Vec<f64>,
    /// The share of the source nodes that have no partner.
    pub(super) alone: f64,
}

/// What the beliefs make of every node's surroundings.
pub(super) struct Surroundings {
    /// The probability that each node has a partner, of both sides.
    pub(super) masses: [Vec<f32>; 2],
    /// The expected number of neighbours with partners, of each node.
    pub(super) settled: [Vec<f32>; 2],
    /// What it costs each node that none of them is kept, where that depends on the kinds of edges.
    pub(super) lost: Option<[Vec<f32>; 2]>,
    /// The likelihood of all targets that no neighbour speaks for, together.
    pub(super) left: f64,
    /// How many targets nobody has.
    free: f64,
}

impl Beliefs {
    /// The sum of the likeliest partners' probabilities.
    pub(super) fn expected_right(&self) -> f64 {
        let rows = self.occupancy.rows();
        let parts = (0..rows.div_ceil(PART)).map(|part| part * PART..rows.min((part + 1) * PART));
        parts
            .map(|rows| expected_right(&self.occupancy, rows))
            .sum()
    }

    /// The partners that are likelier than `least`, which is at least a half, and the anchors.
    pub(super) fn sure(&self, sides: &[Side<'_>; 2], known: &Known, least: f32) -> [Vec<u32>; 2] {
        let mut partners = likeliest(&self.occupancy, sides[1].nodes(), least);
        for &(i, a) in &known.anchors {
            for (k, (node, other)) in [(i, a), (a, i)].into_iter().enumerate() {
                let before = std::mem::replace(&mut partners[k][node as usize], other);
                if before != NONE && before != other {
                    partners[1 - k][before as usize] = NONE;
                }
            }
        }
        partners
    }

    /// The way from the source to the target under these beliefs; `certain` are the partners that need no averaging, and
    /// `open` the targets that can be chosen.
    pub(super) fn outlook<'a>(
        &'a self,
        sides: &'a [Side<'a>; 2],
        known: &'a Known,
        surroundings: &'a Surroundings,
        certain: &'a [u32],
        open: &'a (dyn Fn(u32) -> bool + Sync),
    ) -> Outlook<'a> {
        Outlook {
            own: &sides[0],
            other: &sides[1],
            believed: Believed::Averaged(certain, &self.occupancy),
            open,
            settled: [&surroundings.settled[0], &surroundings.settled[1]],
            lost: surroundings.lost.as_ref().map(|lost| &lost[1][..]),
            model: &self.model,
            from: 0,
            known,
            others: surroundings.left,
        }
    }

    /// The surroundings of every node.
    pub(super) fn surroundings(&self, sides: &[Side<'_>; 2]) -> Surroundings {
        let target = &sides[1];
        let masses = masses(&self.occupancy, target.nodes());
        let settled = [0, 1].map(|k| sides[k].over_neighbours(|j| masses[k][j]));
        let lost = (self.model).lost(sides, [&|j| masses[0][j], &|j| masses[1][j]]);
        let missing = self.model.missing();
        let nats = |a: usize| match &lost {
            None => settled[1][a] * missing[1],
            Some(lost) => lost[1][a],
        };
        let parts = masses[1].chunks(PART).enumerate();
        let left = parts.map(|(part, masses)| {
            let nodes = part * PART..part * PART + masses.len();
            left_over(masses, nodes.map(nats))
        });
        let left = left.sum();
        let parts = masses[1].chunks(PART);
        let free = parts.map(|masses| left_over(masses, std::iter::repeat_n(0.0, masses.len())));
        let free = free.sum();
        Surroundings {
            masses,
            settled,
            lost,
            left,
            free,
        }
    }
}

/// The likelihood of targets that no neighbour speaks for, by the probability that they have a partner and what
/// it costs that no neighbour of theirs is kept.
pub(super) fn left_over(masses: &[f32], nats: impl Iterator<Item = f32>) -> f64 {
    let each = masses.iter().zip(nats);
    each.map(|(mass, nats)| f64::from(1.0 - mass).max(0.0) * f64::from(nats).exp())
        .sum()
}

/// The sum of the likeliest partners' probabilities, over some rows.
pub(super) fn expected_right(occupancy: &Csr<f32>, rows: Range<usize>) -> f64 {
    let tops = rows.filter_map(|i| top(occupancy, i));
    tops.map(|(_, share)| f64::from(share)).sum()
}

/// Keeps the candidates of a node that its evidence does not rule out, by ascending node.
pub(super) fn shortlist(candidates: &[Candidate], row: &mut Vec<(u32, f32)>) {
    let top = candidates.iter().fold(f32::MIN, |top, c| top.max(c.nats));
    let near = candidates
        .iter()
        .filter(|c| c.nats > top - DEPTH_OF_CANDIDATES);
    row.extend(near.map(|c| (c.node, c.nats)));
    keep_highest(row, CANDIDATES);
}

/// Iterates at most `iterations` times from what was settled.
pub(super) fn believe(
    sides: &[Side<'_>; 2],
    known: &Known,
    expansion: Expansion,
    iterations: usize,
    monitor: &Monitor,
) -> Beliefs {
    let beliefs = Beliefs {
        occupancy: certain(&expansion.partners),
        model: expansion.model,
        iterations: 0,
        changes: Vec::new(),
        alone: ALONE_AT_FIRST,
    };
    go_on(sides, known, beliefs, iterations, monitor)
}

/// Iterates at most `iterations` times from what is believed.
pub(super) fn go_on(
    sides: &[Side<'_>; 2],
    known: &Known,
    mut beliefs: Beliefs,
    iterations: usize,
    monitor: &Monitor,
) -> Beliefs {
    let anchored = known.partners();
    let mut balance = ListedBalance::new(sides[1].nodes());
    let mut last: Option<Last> = None;
    for iteration in 0..iterations {
        let updated = update(sides, known, &anchored, &beliefs, last.as_ref(), monitor);
        let Some((nats, rests)) = updated else {
            break;
        };
        let Some(occupancy) = balance.balance(&nats, |i| rests[i].log, monitor) else {
            break;
        };
        let expected = alone::expected(&occupancy, &rests);
        beliefs.alone = alone::share(expected.into_iter().sum(), rests.len());
        let change =
            changed(&beliefs.occupancy, &occupancy) as f64 / sides[0].nodes().max(1) as f64;
        let moved = moved(&beliefs.occupancy, &occupancy);
        beliefs.occupancy = occupancy;
        beliefs.iterations += 1;
        beliefs.changes.push(change);
        last = Some(Last { nats, moved });
        if iteration < BELIEF_FITS {
            let likeliest = likeliest(&beliefs.occupancy, sides[1].nodes(), FITTED_FROM);
            let model = Model::fit(sides, &likeliest).with_mildness(beliefs.model.mildness);
            if !model.is_near(&beliefs.model) {
                beliefs.model = model;
                last = None;
            }
        }
        let progress = Progress {
            stage: "beliefs",
            done: iteration + 1,
            total: Some(iterations),
            value: Some(change),
        };
        if monitor.checkpoint(progress).is_some() || (iteration > 1 && change < STILL) {
            break;
        }
    }
    beliefs
}

/// The beliefs when a `share` of all nats counts; as they were when the monitor stops it.
pub(super) fn tempered(
    sides: &[Side<'_>; 2],
    known: &Known,
    mut beliefs: Beliefs,
    share: f32,
    monitor: &Monitor,
) -> Beliefs {
    let anchored = known.partners();
    let updated = update(sides, known, &anchored, &beliefs, None, monitor);
    let Some((nats, rests)) = updated else {
        return beliefs;
    };
    let nats = nats.map(|nats| share * nats);
    let mut balance = ListedBalance::new(sides[1].nodes());
    if let Some(occupancy) = balance.balance(&nats, |i| rests[i].log, monitor) {
        beliefs.occupancy = occupancy;
    }
    beliefs
}

/// What every source node has beside its candidates.
fn rests(
    known: &Known,
    anchored: &[u32],
    beliefs: &Beliefs,
    surroundings: &Surroundings,
) -> Vec<Rest> {
    let missing = beliefs.model.missing()[0];
    let alone = Alone::new(beliefs.alone, surroundings.free, beliefs.model.dispersion);
    let each = anchored.iter().enumerate().map(|(i, &partner)| {
        if partner != NONE {
            return Rest::NOTHING;
        }
        let lost = match &surroundings.lost {
            None => surroundings.settled[0][i] * missing,
            Some(lost) => lost[0][i],
        };
        let left = known.others(0, i, surroundings.left);
        match known.is_listed(i) {
            true => Rest::among_listed(left),
            false => alone.beside(left, lost),
        }
    });
    each.collect()
}

/// The evidence of the iteration before under the same model, and the nodes whose beliefs it changed.
struct Last {
    nats: Csr<f32>,
    moved: Vec<bool>,
}

/// The evidence for every node's candidates, and what it has beside them; `None` when the monitor stops it.
///
/// Nodes none of whose neighbours has changed its mind keep what they had.
fn update(
    sides: &[Side<'_>; 2],
    known: &Known,
    anchored: &[Vec<u32>; 2],
    beliefs: &Beliefs,
    last: Option<&Last>,
    monitor: &Monitor,
) -> Option<(Csr<f32>, Vec<Rest>)> {
    let [source, target] = sides;
    let surroundings = beliefs.surroundings(sides);
    let [certain, _] = likeliest(&beliefs.occupancy, target.nodes(), CERTAIN);
    let open = |a: u32| anchored[1][a as usize] == NONE;
    let outlook = beliefs.outlook(sides, known, &surroundings, &certain, &open);
    let nats = by_row(
        source.nodes(),
        target.nodes(),
        monitor,
        |i, scratch, row| {
            if anchored[0][i] != NONE {
                row.push((anchored[0][i], 0.0));
                return;
            }
            if let Some(last) = last {
                let mut neighbours = source.edges.columns(i).iter();
                if !neighbours.any(|j| last.moved[*j as usize]) {
                    let (nodes, nats) = last.nats.parts(i);
                    row.extend(nodes.iter().copied().zip(nats.iter().copied()));
                    return;
                }
            }
            outlook.candidates(i, scratch);
            shortlist(&scratch.candidates, row);
        },
    )?;
    let rests = rests(known, &anchored[0], beliefs, &surroundings);
    Some((nats, rests))
}

/// What was settled, taken for certain: the first iteration judges it.
fn certain(partners: &[Vec<u32>; 2]) -> Csr<f32> {
    let rows = partners[0]
        .iter()
        .map(|&a| (a != NONE).then_some((a as usize, 1.0)));
    Csr::from_rows(partners[1].len(), rows).expect("one partner a row")
}

/// The probability that each node has a partner, of both sides.
fn masses(occupancy: &Csr<f32>, targets: usize) -> [Vec<f32>; 2] {
    let mut columns = vec![0.0f32; targets];
    let rows = (0..occupancy.rows()).map(|i| {
        let (nodes, values) = occupancy.parts(i);
        for (&a, &share) in nodes.iter().zip(values) {
            columns[a as usize] += share;
        }
        values.iter().sum::<f32>().min(1.0)
    });
    let rows = rows.collect();
    columns.iter_mut().for_each(|mass| *mass = mass.min(1.0));
    [rows, columns]
}

/// The likeliest target of a source node, of equals the first.
pub(super) fn top(occupancy: &Csr<f32>, i: usize) -> Option<(u32, f32)> {
    let (nodes, values) = occupancy.parts(i);
    let entries = nodes.iter().copied().zip(values.iter().copied());
    entries.reduce(|x, y| if y.1 > x.1 { y } else { x })
}

/// One-to-one partners that are likelier than `least`, which is at least a half.
fn likeliest(occupancy: &Csr<f32>, targets: usize, least: f32) -> [Vec<u32>; 2] {
    let mut partners = [vec![NONE; occupancy.rows()], vec![NONE; targets]];
    for i in 0..occupancy.rows() {
        if let Some((a, share)) = top(occupancy, i)
            && share > least
            && partners[1][a as usize] == NONE
        {
            partners[0][i] = a;
            partners[1][a as usize] = i as u32;
        }
    }
    partners
}

/// The rows whose occupancy differs by more than a little.
pub(super) fn moved(before: &Csr<f32>, after: &Csr<f32>) -> Vec<bool> {
    let rows = (0..before.rows()).into_par_iter();
    let differs = |i: usize| {
        let share = |occupancy: &Csr<f32>, a: u32| occupancy.get(i, a as usize).unwrap_or(0.0);
        let far = |occupancy: &Csr<f32>, others: &Csr<f32>| {
            let (nodes, values) = occupancy.parts(i);
            let mut entries = nodes.iter().zip(values);
            entries.any(|(&a, value)| (value - share(others, a)).abs() > SAME_BELIEF)
        };
        far(before, after) || far(after, before)
    };
    rows.map(differs).collect()
}

/// The number of rows whose likeliest target is another.
pub(super) fn changed(before: &Csr<f32>, after: &Csr<f32>) -> usize {
    let node = |occupancy: &Csr<f32>, i: usize| top(occupancy, i).map(|entry| entry.0);
    let rows = 0..before.rows();
    rows.filter(|&i| node(before, i) != node(after, i)).count()
}
