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

/// Nodes whose counts are added up before those of others: the same for any number of threads or blocks.
pub(super) const PART: usize = 4096;

/// How large the graphs are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Sizes {
    pub(super) nodes: [usize; 2],
    pub(super) arcs: [usize; 2],
}

/// The numbers that are fitted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Fitted {
    /// s₁ and s₂.
    pub(super) seen: [f64; 2],
    /// λ.
    pub(super) closeness: f64,
    /// The correlation of the weights of common edges, and that of degrees.
    pub(super) weights: f32,
    pub(super) degrees: f32,
    /// φ: by how much the shares of source edges that nodes keep vary more than those of independent edges.
    pub(super) dispersion: f64,
}

impl Fitted {
    pub(super) fn to(counts: &Counts, closeness: f64) -> Self {
        let share = |all: f64| ((counts.both + PRIOR.0) / (all + PRIOR.1)).clamp(0.02, 0.98);
        let seen = [share(counts.seen[1]), share(counts.seen[0])];
        Self {
            seen,
            dispersion: counts.dispersion(seen[1]),
            closeness,
            weights: counts.weights.correlation(0.0, 0.995),
            degrees: counts.degrees.correlation(0.7, 0.97),
        }
    }

    /// Whether another fit says the same, but for little.
    pub(super) fn is_near(&self, other: &Self) -> bool {
        let near = |x: f64, y: f64| (x - y).abs() < 0.01;
        let corr = |x: f32, y: f32| (x - y).abs() < 0.02;
        near(self.seen[0], other.seen[0])
            && near(self.seen[1], other.seen[1])
            && corr(self.weights, other.weights)
            && corr(self.degrees, other.degrees)
    }
}

/// The fitted model.
#[derive(Debug, Clone)]
pub(super) struct Model {
    /// s₁ and s₂.
    pub(super) seen: [f64; 2],
    /// ln λ: what the first common neighbour says more than the others.
    pub(super) first: f32,
    /// λ p of two nodes of ordinary degree.
    close: f64,
    /// What an edge that is missing counts.
    pub(super) mildness: f32,
    /// φ.
    pub(super) dispersion: f64,
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
        let fitted = Fitted::to(&Counts::of(sides, partners), closeness(sides, partners));
        let sizes = Sizes {
            nodes: [sides[0].nodes(), sides[1].nodes()],
            arcs: [sides[0].edges.entries(), sides[1].edges.entries()],
        };
        let expected = [&sides[0].expected[..], &sides[1].expected[..]];
        let lowest = expected.map(|degrees| degrees.iter().copied().fold(f32::MAX, f32::min));
        let mut model = Self::of(&fitted, &sizes, expected, lowest);
        model.kinds = Correspondence::fit(sides, partners, model.seen, model.close);
        model
    }

    /// What was fitted, for nodes of these expected degrees; `lowest` are the least of all nodes.
    pub(super) fn of(
        fitted: &Fitted,
        sizes: &Sizes,
        expected: [&[f32]; 2],
        lowest: [f32; 2],
    ) -> Self {
        let Fitted {
            seen, closeness, ..
        } = *fitted;
        let in_parent = |k: usize, degree: f32| (degree / seen[k] as f32).ln();
        let arcs = |k: usize| sizes.arcs[k] as f64 / seen[k];
        let log_edges = (0.5 * (arcs(0) + arcs(1))).max(1.0).ln();
        // c of two nodes of ordinary degree.
        let mean = |k: usize| (arcs(k) / sizes.nodes[k].max(1) as f64).max(0.3).ln();
        let ordinary = (mean(0) + mean(1) - log_edges).exp();
        Self {
            first: closeness.ln() as f32,
            close: (closeness * ordinary).min(0.9),
            seen,
            mildness: 1.0,
            dispersion: fitted.dispersion,
            weights: Copula::new(fitted.weights),
            degrees: Copula::new(fitted.degrees),
            lowest: [0, 1].map(|k| in_parent(k, lowest[k])),
            log_degrees: [0, 1].map(|k| expected[k].iter().map(|&d| in_parent(k, d)).collect()),
            log_edges: log_edges as f32,
            kinds: None,
        }
    }

    /// Whether another fit says the same, but for little.
    pub(super) fn is_near(&self, other: &Self) -> bool {
        self.fitted().is_near(&other.fitted())
            && match (&self.kinds, &other.kinds) {
                (Some(x), Some(y)) => x.is_near(y),
                _ => true,
            }
    }

    /// What was fitted, kinds left out.
    pub(super) fn fitted(&self) -> Fitted {
        Fitted {
            seen: self.seen,
            closeness: f64::from(self.first).exp(),
            weights: self.weights.correlation,
            degrees: self.degrees.correlation,
            dispersion: self.dispersion,
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
        [self.seen[1], self.seen[0]].map(|seen| self.mildness * missing(seen, self.close))
    }

    /// The same model, under which an edge that is missing counts so much; where kinds say what it costs, it
    /// counts in full.
    pub(super) fn with_mildness(self, mildness: f32) -> Self {
        Self { mildness, ..self }
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
        // Every edge was seen from both of its ends.
        let kinds = self
            .kinds
            .as_ref()
            .map_or(0.0, |kinds| kinds.evidence(sides, &partners));
        self.evidence_of(&counts, self.weight_of_common(sides, &partners)) + 0.5 * kinds
    }

    /// The evidence of pairs by their counts; `common` is the sum over pairs of their common neighbours times
    /// their ln D together, which each common edge is half of from either end.
    pub(super) fn evidence_of(&self, counts: &Counts, common: f64) -> f64 {
        let missing = self.missing().map(f64::from);
        let alone = (counts.seen[0] - counts.both) * missing[0]
            + (counts.seen[1] - counts.both) * missing[1];
        let kept = counts.both * f64::from(self.log_edges) - common;
        0.5 * (kept + alone)
    }

    fn weight_of_common(&self, sides: &[Side<'_>; 2], partners: &[Vec<u32>; 2]) -> f64 {
        let nodes = sides[0].nodes();
        let parts = (0..nodes.div_ceil(PART)).into_par_iter().map(|part| {
            let range = part * PART..nodes.min((part + 1) * PART);
            let weight = |i: usize, a: usize| self.log_degrees[0][i] + self.log_degrees[1][a];
            common_weight(sides, &partners[0], range, weight)
        });
        parts.collect::<Vec<f64>>().into_iter().sum()
    }
}

/// The common neighbours of each pair of these source nodes, times its weight, summed.
pub(super) fn common_weight<T: Copy + Sync>(
    sides: &[Side<'_, T>; 2],
    partners: &[u32],
    nodes: Range<usize>,
    weight: impl Fn(usize, usize) -> f32,
) -> f64 {
    let [source, target] = sides;
    let mut sum = 0.0;
    for i in nodes.filter(|&i| partners[i] != NONE) {
        let a = partners[i] as usize;
        let known = source.edges.columns(i).iter();
        let known = known.map(|&j| partners[j as usize]);
        let common = known.filter(|&b| b != NONE && target.edges.place(a, b as usize).is_some());
        sum += common.count() as f64 * f64::from(weight(i, a));
    }
    sum
}

/// ln((1 − s)/(1 − c)).
pub(super) fn missing(seen: f64, close: f64) -> f32 {
    ((1.0 - seen) / (1.0 - close)).ln().min(-0.01) as f32
}

/// λ: how much more often a node that comes up through one neighbour of a partner is joined to another one
/// than their degrees let expect.
fn closeness(sides: &[Side<'_>; 2], partners: &[Vec<u32>; 2]) -> f64 {
    let [source, target] = sides;
    let nodes = (0..source.nodes()).step_by(sample_step(source.nodes()));
    let known = |i: usize| known_partners(source, &partners[0], i);
    let looks = nodes.filter_map(|i| {
        let (one, other) = known(i)?;
        let degree = |a: u32| target.degree(a as usize);
        let joined = |a: u32| target.edges.place(a as usize, other as usize).is_some();
        let strangers = target.edges.columns(one as usize);
        let excluded = [partners[0][i], other];
        let arcs = target.edges.entries();
        Some(look(
            strangers,
            excluded,
            arcs,
            (degree(other), degree),
            joined,
        ))
    });
    closeness_of(looks)
}

/// Every how many nodes one is looked at for the closeness.
pub(super) fn sample_step(nodes: usize) -> usize {
    const NODES: usize = 4000;
    nodes.div_ceil(NODES).max(1)
}

/// The partners of the first two neighbours of a node that have any.
pub(super) fn known_partners<T: Copy + Sync>(
    side: &Side<'_, T>,
    partners: &[u32],
    i: usize,
) -> Option<(u32, u32)> {
    let known = side.edges.columns(i).iter().map(|j| partners[*j as usize]);
    let mut known = known.filter(|b| *b != NONE);
    Some((known.next()?, known.next()?))
}

/// How many strangers, neighbours of one partner, are joined to another one, and how many their degrees let
/// expect.
pub(super) fn look(
    strangers: &[u32],
    excluded: [u32; 2],
    arcs: usize,
    (own, degree): (usize, impl Fn(u32) -> usize),
    joined: impl Fn(u32) -> bool,
) -> (f64, f64) {
    let (mut found, mut expected) = (0.0, 0.0);
    for a in some_strangers(strangers, excluded) {
        let degrees = degree(a) as f64 * own as f64;
        expected += (degrees / arcs.max(1) as f64).min(1.0);
        found += f64::from(u8::from(joined(a)));
    }
    (found, expected)
}

/// The neighbours that are looked at.
pub(super) fn some_strangers(
    strangers: &[u32],
    excluded: [u32; 2],
) -> impl Iterator<Item = u32> + '_ {
    const STRANGERS: usize = 8;
    let step = strangers.len().div_ceil(STRANGERS).max(1);
    let some = strangers.iter().copied().step_by(step);
    some.filter(move |a| !excluded.contains(a))
}

/// λ of what was found and expected of all nodes.
pub(super) fn closeness_of(looks: impl IntoIterator<Item = (f64, f64)>) -> f64 {
    let add = |sum: (f64, f64), look: (f64, f64)| (sum.0 + look.0, sum.1 + look.1);
    let (joined, expected) = looks.into_iter().fold((0.0, 0.0), add);
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
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Moments {
    pub(super) xx: f64,
    pub(super) yy: f64,
    pub(super) xy: f64,
}

impl Moments {
    fn add(&mut self, x: f32, y: f32) {
        let (x, y) = (f64::from(x), f64::from(y));
        self.xx += x * x;
        self.yy += y * y;
        self.xy += x * y;
    }

    fn plus(self, other: Self) -> Self {
        Self {
            xx: self.xx + other.xx,
            yy: self.yy + other.yy,
            xy: self.xy + other.xy,
        }
    }

    /// The correlation with ten pairs of correlation `prior` added, from 0 to `most`.
    fn correlation(&self, prior: f64, most: f64) -> f32 {
        let both = ((self.xx + 10.0) * (self.yy + 10.0)).sqrt();
        ((self.xy + 10.0 * prior) / both).clamp(0.0, most) as f32
    }
}

/// The arcs between matched nodes, and their degrees.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Counts {
    pub(super) seen: [f64; 2],
    pub(super) both: f64,
    /// Matched source nodes with matched neighbours, and Σ over these of the square of their common arcs over their arcs.
    pub(super) nodes: f64,
    pub(super) squares: f64,
    pub(super) weights: Moments,
    pub(super) degrees: Moments,
}

impl Counts {
    /// Counts in parts of fixed size, which are added in their order: the same on any number of threads.
    fn of(sides: &[Side<'_>; 2], partners: &[Vec<u32>; 2]) -> Self {
        let [source, target] = sides;
        let parts = |nodes: usize| (0..nodes.div_ceil(PART)).into_par_iter();
        let range = |part: usize, nodes: usize| part * PART..nodes.min((part + 1) * PART);
        let mut counts: Vec<Self> = parts(source.nodes())
            .map(|part| Self::of_source(sides, &partners[0], range(part, source.nodes())))
            .collect();
        counts.par_extend(parts(target.nodes()).map(|part| {
            let range = range(part, target.nodes());
            Self::of_target(target, &partners[1], range)
        }));
        counts.into_iter().fold(Self::default(), Self::plus)
    }

    pub(super) fn of_target<T: Copy + Sync>(
        target: &Side<'_, T>,
        partners: &[u32],
        nodes: Range<usize>,
    ) -> Self {
        let known = nodes.filter(|&a| partners[a] != NONE).map(|a| {
            let columns = target.edges.columns(a).iter();
            columns.filter(|b| partners[**b as usize] != NONE).count()
        });
        Self {
            seen: [0.0, known.sum::<usize>() as f64],
            ..Self::default()
        }
    }

    pub(super) fn of_source<T: Copy + Sync>(
        sides: &[Side<'_, T>; 2],
        partners: &[u32],
        nodes: Range<usize>,
    ) -> Self {
        let mut counts = Self::default();
        let [source, target] = sides;
        for i in nodes.filter(|&i| partners[i] != NONE) {
            let a = partners[i] as usize;
            counts.degrees.add(source.standing[i], target.standing[a]);
            let (seen, both) = (counts.seen[0], counts.both);
            for place in source.edges.range(i) {
                let b = partners[source.edges.column(place) as usize];
                if b == NONE {
                    continue;
                }
                counts.seen[0] += 1.0;
                if let Some(other) = target.edges.place(a, b as usize) {
                    counts.both += 1.0;
                    if let (Some(x), Some(y)) = (&source.weights, &target.weights) {
                        counts.weights.add(x[place], y[other]);
                    }
                }
            }
            let (seen, both) = (counts.seen[0] - seen, counts.both - both);
            if seen > 0.0 {
                counts.nodes += 1.0;
                counts.squares += both * both / seen;
            }
        }
        counts
    }

    /// φ, the mean over nodes of (kept − s seen)²/(seen s (1 − s)), at least 1, where a share s is kept; as if five more had kept
    /// what is expected of them.
    fn dispersion(&self, share: f64) -> f64 {
        const PRIOR: f64 = 5.0;
        let squares = self.squares - 2.0 * share * self.both + share * share * self.seen[0];
        let sum = squares.max(0.0) / (share * (1.0 - share));
        ((sum + PRIOR) / (self.nodes + PRIOR)).max(1.0)
    }

    pub(super) fn plus(self, other: Self) -> Self {
        Self {
            seen: [self.seen[0] + other.seen[0], self.seen[1] + other.seen[1]],
            both: self.both + other.both,
            nodes: self.nodes + other.nodes,
            squares: self.squares + other.squares,
            weights: self.weights.plus(other.weights),
            degrees: self.degrees.plus(other.degrees),
        }
    }
}
