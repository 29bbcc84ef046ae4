//! What the two graphs keep of each other, fitted to the pairs that are known.
//!
//! Both graphs are taken for incomplete copies of one unknown parent. An edge of the parent is seen in the
//! source with probability s₁ and in the target with s₂, apart from one another; two nodes of expected
//! degrees D and D′ are joined in the parent with probability p = D D′/2M. Beside two unrelated pairs of
//! nodes, a pair of matched nodes i→a with a matched neighbour j→b then has the evidence
//!
//! | seen | nats |
//! |---|---|
//! | in both graphs | −ln p |
//! | in the source alone | ln(1 − s₂) |
//! | in the target alone | ln(1 − s₁) |
//!
//! so that a common neighbour of small degree says much and a common hub little. In graphs whose neighbours
//! are joined among themselves, the rivals of a partner are its own neighbours and share many of its edges. Let
//! nodes that come up through one neighbour of a partner be joined to another one λ times as often as their
//! degrees let expect: the second and every further common neighbour then says −ln λp, and an edge that is
//! seen on one side alone costs ln((1 − s)/(1 − λp)). Where edges have weights,
//! a common edge adds what a Gaussian copula of their ranks says; as long as neighbours are unmatched,
//! the degrees themselves are compared in the same way.

use std::ops::Range;

use rayon::prelude::*;

use super::correspondence::Correspondence;
use super::side::{NONE, Side};
use crate::matching::Pair;

/// Edges seen twice out of so many, before anything is known.
const PRIOR: (f64, f64) = (16.0, 20.0);

/// The fitted model.
#[derive(Debug, Clone)]
pub(super) struct Model {
    /// s₁ and s₂.
    pub(super) seen: [f64; 2],
    /// ln λ: what the first common neighbour says more than the others.
    pub(super) first: f32,
    /// λ p of two nodes of ordinary degree.
    close: f64,
    /// The correlation of the weights of common edges, as normal scores.
    pub(super) weights: Copula,
    /// The correlation of degrees.
    pub(super) degrees: Copula,
    /// ln D of every node, in the parent.
    pub(super) log_degrees: [Vec<f32>; 2],
    /// The least of them on either side.
    pub(super) lowest: [f32; 2],
    /// ln 2M.
    pub(super) log_edges: f32,
    /// Which kinds of edges go together, where they have any.
    pub(super) kinds: Option<Correspondence>,
}

impl Model {
    /// Fits everything to pairs of nodes.
    pub(super) fn fit(sides: &[Side<'_>; 2], partners: &[Vec<u32>; 2]) -> Self {
        let counts = Counts::of(sides, partners);
        let share = |all: f64| ((counts.both + PRIOR.0) / (all + PRIOR.1)).clamp(0.02, 0.98);
        let seen = [share(counts.seen[1]), share(counts.seen[0])];
        let log_degrees: [Vec<f32>; 2] = [0, 1].map(|k| {
            let scale = seen[k] as f32;
            let expected = sides[k].expected.iter();
            expected.map(|d| (d / scale).ln()).collect()
        });
        let lowest = |degrees: &Vec<f32>| degrees.iter().copied().fold(f32::MAX, f32::min);
        let closeness = closeness(sides, partners);
        let arcs = |k: usize| sides[k].edges.entries() as f64 / seen[k];
        let log_edges = (0.5 * (arcs(0) + arcs(1))).max(1.0).ln();
        let first = closeness.ln() as f32;
        // c of two nodes of ordinary degree.
        let mean = |k: usize| (arcs(k) / sides[k].nodes().max(1) as f64).max(0.3).ln();
        let ordinary = (mean(0) + mean(1) - log_edges).exp();
        let close = (closeness * ordinary).min(0.9);
        Self {
            first,
            close,
            seen,
            weights: Copula::new(counts.weights.correlation(0.0, 0.995)),
            degrees: Copula::new(degrees_of(sides, &partners[0]).correlation(0.7, 0.97)),
            lowest: [lowest(&log_degrees[0]), lowest(&log_degrees[1])],
            log_degrees,
            log_edges: log_edges as f32,
            kinds: Correspondence::fit(sides, partners, seen, close),
        }
    }

    /// Whether another fit says the same, but for little.
    pub(super) fn is_near(&self, other: &Self) -> bool {
        let near = |x: f64, y: f64| (x - y).abs() < 0.01;
        let corr = |x: &Copula, y: &Copula| (x.correlation - y.correlation).abs() < 0.02;
        near(self.seen[0], other.seen[0])
            && near(self.seen[1], other.seen[1])
            && corr(&self.weights, &other.weights)
            && corr(&self.degrees, &other.degrees)
            && match (&self.kinds, &other.kinds) {
                (Some(x), Some(y)) => x.is_near(y),
                _ => true,
            }
    }

    /// What it costs nodes that no neighbour is kept, by the probabilities that neighbours are known; where
    /// it depends on kinds.
    pub(super) fn lost(
        &self,
        sides: &[Side<'_>; 2],
        known: [&(dyn Fn(usize) -> f32 + Sync); 2],
    ) -> Option<[Vec<f32>; 2]> {
        let kinds = self.kinds.as_ref()?;
        Some([0, 1].map(|k| sides[k].over_edges(|place, j| known[k](j) * kinds.lost(k, place))))
    }

    /// ln((1 − s)/(1 − c)) where a share s is kept.
    #[cfg(test)]
    pub(super) fn missing_at(&self, seen: f64) -> f32 {
        missing(seen.clamp(0.02, 0.98), self.close)
    }

    /// ln((1 − s)/(1 − c)) of the side that does not show an edge: `[of source edges, of target edges]`.
    pub(super) fn missing(&self) -> [f32; 2] {
        [self.seen[1], self.seen[0]].map(|seen| missing(seen, self.close))
    }
}

impl Model {
    /// The evidence of pairs, anchors among them, against nothing matched, in nats.
    pub(super) fn evidence(&self, sides: &[Side<'_>; 2], pairs: &[Pair]) -> f64 {
        let mut partners = [0, 1].map(|k| vec![NONE; sides[k].nodes()]);
        for pair in pairs {
            partners[0][pair.source] = pair.target as u32;
            partners[1][pair.target] = pair.source as u32;
        }
        let counts = Counts::of(sides, &partners);
        let missing = self.missing().map(f64::from);
        let alone = (counts.seen[0] - counts.both) * missing[0]
            + (counts.seen[1] - counts.both) * missing[1];
        let [source, target] = sides;
        let mut common = 0.0f64;
        for pair in pairs.iter() {
            for &j in source.edges.columns(pair.source) {
                let b = partners[0][j as usize];
                if b != NONE && target.edges.place(pair.target, b as usize).is_some() {
                    let degrees = self.log_degrees[0][pair.source]
                        + self.log_degrees[1][pair.target]
                        + self.log_degrees[0][j as usize]
                        + self.log_degrees[1][b as usize];
                    common += f64::from(self.log_edges - 0.5 * degrees);
                }
            }
        }
        // Every edge was seen from both of its ends.
        let kinds = self
            .kinds
            .as_ref()
            .map_or(0.0, |kinds| kinds.evidence(sides, &partners));
        0.5 * (common + alone + kinds)
    }
}

/// ln((1 − s)/(1 − c)).
pub(super) fn missing(seen: f64, close: f64) -> f32 {
    ((1.0 - seen) / (1.0 - close)).ln().min(-0.01) as f32
}

/// λ: how much more often a node that comes up through one neighbour of a partner is joined to another one
/// than their degrees let expect.
fn closeness(sides: &[Side<'_>; 2], partners: &[Vec<u32>; 2]) -> f64 {
    /// Nodes that are looked at.
    const NODES: usize = 4000;
    /// Strangers that are looked at for each.
    const STRANGERS: usize = 8;
    let [source, target] = sides;
    let n = source.nodes();
    let arcs = target.edges.entries().max(1) as f64;
    let (mut joined, mut expected) = (0.0, 0.0);
    for i in (0..n).step_by(n.div_ceil(NODES).max(1)) {
        let own = partners[0][i];
        let known = source
            .edges
            .columns(i)
            .iter()
            .map(|j| partners[0][*j as usize]);
        let mut known = known.filter(|b| *b != NONE);
        let (Some(one), Some(other)) = (known.next(), known.next()) else {
            continue;
        };
        let strangers = target.edges.columns(one as usize);
        let strangers = strangers
            .iter()
            .step_by(strangers.len().div_ceil(STRANGERS).max(1));
        for &stranger in strangers.filter(|a| **a != own && **a != other) {
            let degrees =
                target.degree(stranger as usize) as f64 * target.degree(other as usize) as f64;
            expected += (degrees / arcs).min(1.0);
            let found = target.edges.place(stranger as usize, other as usize);
            joined += f64::from(u8::from(found.is_some()));
        }
    }
    // As if one more had been expected and found.
    ((joined + 1.0) / (expected + 1.0)).max(1.0)
}

/// What a Gaussian copula says of two standardised values.
#[derive(Debug, Clone, Copy)]
pub(super) struct Copula {
    /// r.
    pub(super) correlation: f32,
    /// −½ ln(1 − r²).
    constant: f32,
    /// 1/(2 (1 − r²)).
    scale: f32,
}

impl Copula {
    fn new(correlation: f32) -> Self {
        let rest = 1.0 - correlation * correlation;
        Self {
            correlation,
            constant: -0.5 * rest.ln(),
            scale: 0.5 / rest,
        }
    }

    /// The evidence of a pair of values in nats; no pair is ruled out by a single one.
    #[inline]
    pub(super) fn nats(&self, x: f32, y: f32) -> f32 {
        const LOWEST: f32 = -8.0;
        let r = self.correlation;
        let value = self.constant - self.scale * (r * r * (x * x + y * y) - 2.0 * r * x * y);
        value.max(LOWEST)
    }
}

/// Sums of squares and products.
#[derive(Default)]
struct Moments {
    xx: f64,
    yy: f64,
    xy: f64,
}

impl Moments {
    fn add(&mut self, x: f32, y: f32) {
        let (x, y) = (f64::from(x), f64::from(y));
        self.xx += x * x;
        self.yy += y * y;
        self.xy += x * y;
    }

    /// The correlation with ten pairs of correlation `prior` added, from 0 to `most`.
    fn correlation(&self, prior: f64, most: f64) -> f32 {
        let both = ((self.xx + 10.0) * (self.yy + 10.0)).sqrt();
        ((self.xy + 10.0 * prior) / both).clamp(0.0, most) as f32
    }
}

fn degrees_of(sides: &[Side<'_>; 2], partners: &[u32]) -> Moments {
    let mut moments = Moments::default();
    for (i, &a) in partners.iter().enumerate().filter(|(_, a)| **a != NONE) {
        moments.add(sides[0].standing[i], sides[1].standing[a as usize]);
    }
    moments
}

/// The arcs between matched nodes.
#[derive(Default)]
struct Counts {
    seen: [f64; 2],
    both: f64,
    weights: Moments,
}

impl Counts {
    /// Counts in parts of fixed size, which are added in their order: the same on any number of threads.
    fn of(sides: &[Side<'_>; 2], partners: &[Vec<u32>; 2]) -> Self {
        const PART: usize = 4096;
        let [source, target] = sides;
        let parts = |nodes: usize| (0..nodes.div_ceil(PART)).into_par_iter();
        let range = |part: usize, nodes: usize| part * PART..nodes.min((part + 1) * PART);
        let mut counts: Vec<Self> = parts(source.nodes())
            .map(|part| Self::of_source(sides, &partners[0], range(part, source.nodes())))
            .collect();
        counts.par_extend(parts(target.nodes()).map(|part| {
            let nodes = range(part, target.nodes()).filter(|&a| partners[1][a] != NONE);
            let known = nodes.map(|a| {
                let columns = target.edges.columns(a).iter();
                columns
                    .filter(|b| partners[1][**b as usize] != NONE)
                    .count()
            });
            Self {
                seen: [0.0, known.sum::<usize>() as f64],
                ..Self::default()
            }
        }));
        counts.into_iter().fold(Self::default(), Self::plus)
    }

    fn of_source(sides: &[Side<'_>; 2], partners: &[u32], nodes: Range<usize>) -> Self {
        let mut counts = Self::default();
        let [source, target] = sides;
        for i in nodes.filter(|&i| partners[i] != NONE) {
            for place in source.edges.range(i) {
                let b = partners[source.edges.column(place) as usize];
                if b == NONE {
                    continue;
                }
                counts.seen[0] += 1.0;
                if let Some(other) = target.edges.place(partners[i] as usize, b as usize) {
                    counts.both += 1.0;
                    if let (Some(x), Some(y)) = (&source.weights, &target.weights) {
                        counts.weights.add(x[place], y[other]);
                    }
                }
            }
        }
        counts
    }

    fn plus(self, other: Self) -> Self {
        let moments = |x: Moments, y: Moments| Moments {
            xx: x.xx + y.xx,
            yy: x.yy + y.yy,
            xy: x.xy + y.xy,
        };
        Self {
            seen: [self.seen[0] + other.seen[0], self.seen[1] + other.seen[1]],
            both: self.both + other.both,
            weights: moments(self.weights, other.weights),
        }
    }
}
