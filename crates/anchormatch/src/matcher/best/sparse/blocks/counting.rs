//! Counts over the pairs of a block, and what is fitted to those of all blocks.

use std::collections::BTreeMap;
use std::ops::Range;

use super::super::chance::{degree_class, information_of_table};
use super::super::model::{
    Counts, Fitted, Moments, PART, closeness_of, common_weight, known_partners, look, sample_step,
};
use super::super::side::Side;
use super::places::Places;
use super::{Block, Halo, NONE, Rows, Setting, mismatch};
use crate::error::Result;
use crate::linalg::Csr;
use crate::matcher::best::chance::Chance;
use crate::matcher::best::evidence::log_prior;

/// Counts as numbers: arcs of the source and of the target, common ones, the squares and products of weights and of degrees, then
/// nodes and the squares of what they keep.
pub type Numbers = [f64; 11];

fn numbers(counts: &Counts) -> Numbers {
    let Counts {
        seen,
        both,
        nodes,
        squares,
        weights: w,
        degrees: d,
    } = counts;
    [
        seen[0], seen[1], *both, w.xx, w.yy, w.xy, d.xx, d.yy, d.xy, *nodes, *squares,
    ]
}

fn counts(numbers: Numbers) -> Counts {
    let moments = |k: usize| Moments {
        xx: numbers[k],
        yy: numbers[k + 1],
        xy: numbers[k + 2],
    };
    Counts {
        seen: [numbers[0], numbers[1]],
        both: numbers[2],
        nodes: numbers[9],
        squares: numbers[10],
        weights: moments(3),
        degrees: moments(6),
    }
}

pub(super) fn fitted(numbers: [f64; 6]) -> Fitted {
    Fitted {
        seen: [numbers[0], numbers[1]],
        closeness: numbers[2],
        weights: numbers[3] as f32,
        degrees: numbers[4] as f32,
        dispersion: numbers[5],
    }
}

/// What is said of the pairs of source nodes in parts.
#[derive(Debug, Clone, PartialEq)]
pub struct Evidence {
    /// The counts of each part.
    pub counts: Vec<Numbers>,
    /// The sum over each part's pairs of common neighbours times ln D.
    pub common: Vec<f64>,
}

/// Counts the arcs between partners, of a block of source nodes by parts of fixed size.
///
/// `own` and `ghosts` have the partners of the block's nodes and of its ghosts; `rows` are those of all partners
/// of its nodes, in the order of the ascending `partners`.
///
/// # Errors
/// When what is given does not fit together.
pub fn count_source(
    setting: &Setting,
    block: &Block<'_>,
    own: &[u32],
    ghosts: &[u32],
    partners: &[u32],
    rows: Rows,
) -> Result<Evidence> {
    if own.len() != block.nodes() || ghosts.len() != block.ghosts.len() {
        return Err(mismatch("partners", "one of every node and ghost"));
    }
    let first = ghosts.len();
    let nodes = block.nodes();
    let source_edges = rows_behind(block, first)?;
    let mut degrees = block.degrees.to_vec();
    degrees.extend((0..nodes).map(|i| block.degree(i)));
    let weights = block.weights.map(<[f32]>::to_vec);
    let source = Side::part(&source_edges, degrees, weights, &setting.laws[0]);
    let mut offsets = vec![0];
    offsets.extend(rows.lengths.iter().scan(0, |end, &length| {
        *end += length as usize;
        Some(*end)
    }));
    let values = vec![(); rows.columns.len()];
    let target_edges = Csr::from_parts(setting.sizes.nodes[1], offsets, rows.columns, values)?;
    let target = Side::part(&target_edges, rows.lengths, rows.weights, &setting.laws[1]);
    let places = Places::new(partners);
    let mut local = ghosts.to_vec();
    for &a in own {
        let missing = || mismatch("partners", "a row of every partner");
        local.push(match a {
            NONE => NONE,
            a => places.of(a).ok_or_else(missing)?,
        });
    }
    let model = setting.model([&source.expected, &target.expected]);
    let sides = [source, target];
    let weight = |i: usize, a: usize| model.log_degrees[0][i] + model.log_degrees[1][a];
    Ok(Evidence {
        counts: parts(first, nodes)
            .map(|part| numbers(&Counts::of_source(&sides, &local, part)))
            .collect(),
        common: parts(first, nodes)
            .map(|part| common_weight(&sides, &local, part, weight))
            .collect(),
    })
}

/// The same for a block of target nodes, whose partners are only known to be there or not.
///
/// # Errors
/// When what is given does not fit together.
pub fn count_target(block: &Block<'_>, own: &[u32], ghosts: &[u32]) -> Result<Vec<Numbers>> {
    if own.len() != block.nodes() || ghosts.len() != block.ghosts.len() {
        return Err(mismatch("partners", "one of every node and ghost"));
    }
    let edges = rows_behind(block, ghosts.len())?;
    let law = super::DegreeLaw::from_numbers([0.0; 4]);
    let side = Side::part(&edges, vec![0; edges.rows()], None, &law);
    let local: Vec<u32> = ghosts.iter().chain(own).copied().collect();
    let parts = parts(ghosts.len(), own.len());
    Ok(parts
        .map(|part| numbers(&Counts::of_target(&side, &local, part)))
        .collect())
}

fn parts(first: usize, nodes: usize) -> impl Iterator<Item = Range<usize>> {
    let begins = (0..nodes).step_by(PART);
    begins.map(move |begin| first + begin..first + nodes.min(begin + PART))
}

/// The rows of a block behind empty ones of its ghosts.
fn rows_behind(block: &Block<'_>, first: usize) -> Result<Csr<()>> {
    let mut offsets = vec![0; first];
    offsets.extend(block.offsets.iter().map(|&o| o as usize));
    let values = vec![(); block.columns.len()];
    Csr::from_parts(first, offsets, block.columns.to_vec(), values)
}

/// A node that is looked at for the closeness of rivals: its partner, and those of two neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sample {
    /// The partner of the node.
    pub own: u32,
    /// The partner of a neighbour.
    pub one: u32,
    /// That of another.
    pub other: u32,
}

/// Strangers that were found joined, and how many were expected.
pub type Look = (f64, f64);

impl Block<'_> {
    /// The nodes of a block of source nodes that are looked at; `begin` is the number of its first node.
    ///
    /// # Errors
    /// When what is given does not fit together.
    pub fn samples(
        &self,
        begin: usize,
        all: usize,
        own: &[u32],
        ghosts: &[u32],
    ) -> Result<Vec<Sample>> {
        if own.len() != self.nodes() || ghosts.len() != self.ghosts.len() {
            return Err(mismatch("partners", "one of every node and ghost"));
        }
        let step = sample_step(all);
        let edges = rows_behind(self, ghosts.len())?;
        let law = super::DegreeLaw::from_numbers([0.0; 4]);
        let side = Side::part(&edges, vec![0; edges.rows()], None, &law);
        let first = begin.div_ceil(step) * step - begin;
        let nodes = (first..self.nodes()).step_by(step);
        let sample = |i: usize| {
            let (one, other) = known_partners(&side, ghosts, ghosts.len() + i)?;
            Some(Sample {
                own: own[i],
                one,
                other,
            })
        };
        Ok(nodes.filter_map(sample).collect())
    }
}

/// What is found for each sample; the halo has the rows of `one` and `other`, and the degrees of all nodes in them.
///
/// # Errors
/// When a row is not there.
pub fn looks(setting: &Setting, samples: &[Sample], halo: &Halo<'_>) -> Result<Vec<Look>> {
    let rows = Places::new(halo.partners);
    let nodes = Places::new(halo.nodes);
    let missing = || mismatch("halo", "the rows of all samples");
    let row = |b: u32| -> Result<(&[u32], u32)> {
        let k = rows.of(b).ok_or_else(missing)? as usize;
        let range = halo.offsets[k] as usize..halo.offsets[k + 1] as usize;
        Ok((&halo.columns[range], halo.partner_degrees[k]))
    };
    samples
        .iter()
        .map(|sample| {
            let (strangers, _) = row(sample.one)?;
            let (joined, own) = row(sample.other)?;
            let degree = |a: u32| nodes.of(a).map_or(0, |k| halo.degrees[k as usize] as usize);
            let is_joined = |a: u32| joined.binary_search(&a).is_ok();
            let excluded = [sample.own, sample.other];
            let arcs = setting.sizes.arcs[1];
            Ok(look(
                strangers,
                excluded,
                arcs,
                (own as usize, degree),
                is_joined,
            ))
        })
        .collect()
}

/// The six numbers of the model, by the counts of all parts of the source, then of the target, and all looks.
#[must_use]
pub fn fit(parts: &[Numbers], found: &[Look]) -> [f64; 6] {
    let sum = parts.iter().map(|&part| counts(part));
    let sum = sum.fold(Counts::default(), Counts::plus);
    let fitted = Fitted::to(&sum, closeness_of(found.iter().copied()));
    // The model keeps λ as a logarithm of 32 bits.
    [
        fitted.seen[0],
        fitted.seen[1],
        fitted.closeness,
        f64::from(fitted.weights),
        f64::from(fitted.degrees),
        fitted.dispersion,
    ]
}

/// Whether two fits say the same, but for little.
#[must_use]
pub fn is_near(one: [f64; 6], other: [f64; 6]) -> bool {
    fitted(one).is_near(&fitted(other))
}

/// The class of a degree in the table of partners' degrees.
#[must_use]
pub fn class_of_degree(degree: u32) -> u8 {
    degree_class(degree as usize)
}

/// A set of pairs that is judged together.
#[derive(Debug, Clone, PartialEq)]
pub struct PairSet {
    /// Counts of all parts.
    pub counts: Vec<Numbers>,
    /// The sum of what [`Evidence::common`] says of the parts.
    pub common: f64,
    /// What soft anchors say, in nats.
    pub prior: f64,
    /// How often [classes of degrees](class_of_degree) are partners.
    pub degrees: BTreeMap<(u8, u8), f64>,
    /// The number of pairs, those given among them.
    pub pairs: usize,
}

/// What speaks against chance: nats, and the probability that there is something to find; `anchors` pairs were
/// given.
#[must_use]
pub fn weigh(setting: &Setting, anchors: usize, sets: &[PairSet]) -> (f64, f64) {
    let model = setting.model([&[], &[]]);
    let free = setting.sizes.nodes.map(|nodes| nodes - anchors);
    let tiers = sets.iter().map(|set| {
        if set.pairs <= anchors {
            return f64::NEG_INFINITY;
        }
        let sum = set.counts.iter().map(|&part| counts(part));
        let sum = sum.fold(Counts::default(), Counts::plus);
        let edges = model.evidence_of(&sum, set.common) + information_of_table(&set.degrees);
        edges + set.prior + log_prior((free[0], free[1]), set.pairs - anchors)
    });
    let chance = Chance::of(tiers, true);
    (chance.nats, chance.weight)
}
