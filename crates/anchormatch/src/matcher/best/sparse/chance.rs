//! Stage *chance* over lists of candidates: what speaks against chance, and what is left of the confidences.
//!
//! The nats are those of [`chance`](crate::matcher::best::chance), from counts of edges: the evidence of the pairs that are sure, as far
//! as triangles do not explain it, what degrees have in common, and the prior of so many pairs. Where that does not settle it,
//! the [distances](super::distances) of anchors from each other, matches that do not know [some of them](super::foretold) and
//! [`decoys`](super::decoys) do.

use std::collections::BTreeMap;

use super::decoys::{Comparison, Quick, compare};
use super::distances::nats_of_distances;
use super::foretold::beyond_blind_choices;
use super::iterations;
use super::known::Known;
use super::model::Model;
use super::side::Side;
use crate::matcher::best::Best;
use crate::matcher::best::chance::{Chance, Promises};
use crate::matcher::best::closure::Closure;
use crate::matcher::best::evidence::log_prior;
use crate::matcher::best::symmetry;
use crate::matcher::best::thresholds::sparse::{GUESSED, LARGEST_CONSENSUS};
use crate::matcher::best::thresholds::{CHANCE_TIERS, LEAST_DECOYED};
use crate::matching::Pair;
use crate::monitor::Monitor;
use crate::symmetry::Symmetry;

/// What the evidence of a matching is judged beside.
pub(super) struct Judges<'a> {
    pub(super) sides: &'a [Side<'a>; 2],
    pub(super) symmetry: &'a Symmetry,
    /// `None` where triangles explain nothing.
    pub(super) closure: Option<&'a Closure<'a>>,
}

/// What speaks against chance; the confidences follow.
pub(super) fn weigh(
    preset: &Best,
    judges: &Judges<'_>,
    known: &mut Known,
    model: &Model,
    pairs: &mut [Pair],
    monitor: &Monitor,
) -> Chance {
    let anchors = known.anchors.len();
    let mut tiers: Vec<f64> = Vec::new();
    let mut left_of_all = 1.0;
    // Pairs that were filled up have no evidence to be judged by.
    for least in CHANCE_TIERS.into_iter().chain([f64::from(GUESSED)]) {
        let sure = judges.sure(pairs, least);
        let (nats, left) = judges.nats(known, model, &sure, monitor);
        tiers.push(nats);
        left_of_all = left;
        // Who waits for a stop need not wait for a second opinion.
        if monitor.interrupted().is_some() && Chance::of([nats], true).is_ruled_out() {
            break;
        }
    }
    let mut chance = Chance::of(tiers, true);
    let sides = judges.sides;
    let nodes = sides[0].nodes().max(sides[1].nodes());
    // Copies need no comparison, and a few pairs bear none.
    let asks_decoys = judges.symmetry.copy.is_none()
        && pairs.len() - anchors >= LEAST_DECOYED
        && nodes <= LARGEST_CONSENSUS
        && known.is_of_edges_alone()
        && chance.is_worth_listed_decoys(pairs.len() - anchors, left_of_all);
    if asks_decoys {
        chance = judges.beside_decoys(preset, known, chance, monitor);
    }
    let free = |k: usize| sides[k].nodes() - anchors;
    let any = if preset.allow_unmatched {
        0.0
    } else {
        (1.0 - chance.weight) / free(0).max(free(1)).max(1) as f64
    };
    for pair in pairs.iter_mut().filter(|pair| !pair.anchor) {
        pair.confidence = chance.weight * pair.confidence + any;
    }
    chance
}

impl Judges<'_> {
    /// What is left of chance beside what decoys lead to.
    pub(super) fn beside_decoys(
        &self,
        preset: &Best,
        known: &mut Known,
        chance: Chance,
        monitor: &Monitor,
    ) -> Chance {
        let quick = Quick {
            iterations: iterations(preset.effort),
            seed: preset.seed,
        };
        let by_distances = self.beside_distances(preset, known, chance, monitor);
        if let Some(settled) = by_distances
            && settled.is_settled_by_distances()
        {
            return settled;
        }
        let enough =
            |told: &Promises| Chance::of_promises(told).is_ruled_out() && told.kept() == 1.0;
        let promises = beyond_blind_choices(
            self.sides,
            known,
            (quick.iterations, quick.seed),
            enough,
            monitor,
        );
        if let Some(told) = &promises {
            let settled = Chance::of_promises(told);
            if settled.is_ruled_out() {
                return settled.as_promised(told);
            }
        }
        let is_plain = |standing: f64| chance.is_plain_beside(standing);
        let by_decoys = match compare(self.sides, known, quick, is_plain, monitor) {
            Some(Comparison::Standing(standing)) => chance.beside_listed_decoys(standing),
            Some(Comparison::FoundAgain) => chance.found_again(),
            None => chance,
        };
        let chance = by_decoys.or(by_distances);
        match &promises {
            Some(told) => chance.or(Some(Chance::of_promises(told))).as_promised(told),
            None => chance,
        }
    }

    /// The same beside the distances of the anchors from each other, where these tell something.
    pub(super) fn beside_distances(
        &self,
        preset: &Best,
        known: &Known,
        chance: Chance,
        monitor: &Monitor,
    ) -> Option<Chance> {
        nats_of_distances(self.sides, &known.anchors, preset.seed, monitor)
            .map(|told| chance.beside_distances(told))
    }

    /// The pairs from a confidence on, anchors among them. That a partner is one of several who are alike may be sure, though none
    /// of them is.
    fn sure(&self, pairs: &[Pair], least: f64) -> Vec<Pair> {
        let [own, other] = &self.symmetry.orbits;
        let alike = |pair: &Pair| own.alike(pair.source).max(other.alike(pair.target)) as f64;
        let is_sure = |pair: &&Pair| pair.anchor || alike(pair) * pair.confidence >= least;
        pairs.iter().filter(is_sure).copied().collect()
    }

    /// What speaks for these pairs beyond what chance has, in nats, and the share of the evidence that triangles leave.
    fn nats(&self, known: &Known, model: &Model, sure: &[Pair], monitor: &Monitor) -> (f64, f64) {
        if sure.len() == known.anchors.len() {
            return (f64::NEG_INFINITY, 1.0);
        }
        let matched: Vec<(usize, usize)> = sure.iter().map(|p| (p.source, p.target)).collect();
        let told = |closure: &Closure<'_>| closure.unexplained(&matched, monitor);
        let left = self.closure.map_or(1.0, told);
        let found = || sure.iter().filter(|pair| !pair.anchor);
        let prior: f64 = found()
            .map(|pair| f64::from(known.prior_within(pair.source as u32, pair.target as u32)))
            .sum();
        // Where few partners are possible, chance has little to choose from.
        let fewer = known.fewer_ways(found().map(|pair| pair.source));
        let pairs = found().map(|pair| (pair.source, pair.target));
        let ways = symmetry::ways(self.symmetry, pairs);
        let edges = left * model.evidence(self.sides, sure);
        let told = edges + information_of_degrees(self.sides, sure) + prior + fewer + ways;
        let anchors = known.anchors.len();
        let free = [0, 1].map(|k| self.sides[k].nodes() - anchors);
        let ln_prior = log_prior((free[0], free[1]), sure.len() - anchors);
        (told + ln_prior, left)
    }
}

/// What the degrees of partners have in common, in nats: the mutual information of their classes, less what a table of
/// so many cells has by chance.
fn information_of_degrees(sides: &[Side<'_>; 2], pairs: &[Pair]) -> f64 {
    let mut table: BTreeMap<(u8, u8), f64> = BTreeMap::new();
    for pair in pairs {
        let classes = [(0, pair.source), (1, pair.target)];
        let [x, y] = classes.map(|(k, v)| degree_class(sides[k].degree(v)));
        *table.entry((x, y)).or_default() += 1.0;
    }
    information_of_table(&table)
}

/// Small degrees one by one, large ones by half octaves.
pub(super) fn degree_class(degree: usize) -> u8 {
    match degree {
        0..=8 => degree as u8,
        _ => (8.0 + 2.0 * (degree as f64 / 8.0).log2()) as u8,
    }
}

/// The same by how often classes of degrees are partners.
pub(super) fn information_of_table(table: &BTreeMap<(u8, u8), f64>) -> f64 {
    let mut margins = [[0.0; 256]; 2];
    for (&(x, y), &n) in table {
        margins[0][usize::from(x)] += n;
        margins[1][usize::from(y)] += n;
    }
    let count: f64 = table.values().sum();
    let shared: f64 = table
        .iter()
        .map(|(&(x, y), &n)| {
            let apart = margins[0][usize::from(x)] * margins[1][usize::from(y)];
            n * (n * count / apart).ln()
        })
        .sum();
    (shared - 0.5 * table.len() as f64).max(0.0)
}
