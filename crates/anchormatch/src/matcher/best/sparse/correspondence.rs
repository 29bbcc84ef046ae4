//! Which kinds of edges go together, fitted to the edges between pairs that are known.
//!
//! Let a kept edge be of kind k in the one graph and of kind l in the other, both as seen from the ends j and
//! b that are partners. It has the evidence, beside that of an edge of any kind,
//!
//! > ½ ln P(l | k)/π(l) + ½ ln P(k | l)/π(k) − ¼ ln P(k | j)/π(k) − ¼ ln P(l | b)/π(l).
//!
//! P(l | k) counts matched edges with some pseudo-observations of independence, so that a rare kind claims
//! little; where kinds of the same name are the same, half of those are of the namesake. The last two terms
//! are the functionality of relations (Suchanek, Abiteboul, Senellart, PVLDB 5, 2011): an edge tells the less
//! the more of its kind its node has. Half of it is taken, since the closeness of rivals in the model has a
//! part of it already. Of edges of several kinds the best two count.
//!
//! An edge that one side has alone costs what its kinds are kept: some relations are recorded on one side
//! only, and nobody misses them.

use std::collections::BTreeMap;
use std::ops::Range;

use rayon::prelude::*;

use super::kinds::Kinds;
use super::model::missing;
use super::side::{NONE, Side};
use crate::linalg::Csr;

/// Pseudo-observations of every kind's partners.
const SMOOTHING: f64 = 4.0;

/// Of these, the share that its namesake has.
const SAME: f64 = 0.5;

/// Edges, kept as often as all others, that are added to those of a kind.
const KEPT_LIKE_OTHERS: f64 = 10.0;

/// The weight of the functionality.
const OWN: f32 = 0.5;

/// The kind of an edge that is not kept.
const ABSENT: u32 = u32::MAX;

/// The fitted correspondence.
#[derive(Debug, Clone)]
pub(super) struct Correspondence {
    /// Evidence of pairs of kinds that were seen or are namesakes: source × target, and target × source.
    tables: [Csr<f32>; 2],
    /// Of any other pair: the sum of these.
    unseen: [Vec<f32>; 2],
    /// ln((1 − s)/(1 − c)) of every edge of either side, and of edges of any kind.
    lost: [Vec<f32>; 2],
    missing: [f32; 2],
    /// Matched edges of every pair of kinds.
    counts: Vec<((u32, u32), f64)>,
    /// The mean evidence of kept edges by the table, in nats.
    pub(super) mean: f64,
}

impl Correspondence {
    /// Fits to pairs of nodes; `seen` and `close` are those of the [model](super::model). `None` where edges
    /// have no kinds.
    pub(super) fn fit(
        sides: &[Side<'_>; 2],
        partners: &[Vec<u32>; 2],
        seen: [f64; 2],
        close: f64,
    ) -> Option<Self> {
        let [Some(x), Some(y)] = [&sides[0].kinds, &sides[1].kinds] else {
            return None;
        };
        let mut absent = [vec![0.0; x.count()], vec![0.0; y.count()]];
        let mut kept = absent.clone();
        let mut counts = counts(sides, partners, 0);
        counts.retain(|&((k, l), count)| {
            if l == ABSENT {
                absent[0][k as usize] += count;
            } else {
                kept[0][k as usize] += count;
                kept[1][l as usize] += count;
            }
            l != ABSENT
        });
        for ((l, _), count) in self::counts(sides, partners, 1) {
            absent[1][l as usize] += count;
        }
        let shares = [seen[1], seen[0]];
        let lost = [0, 1].map(|k| {
            let kinds = [x, y][k];
            let share = |kind: usize| {
                let all = kept[k][kind] + absent[k][kind];
                (kept[k][kind] + KEPT_LIKE_OTHERS * shares[k]) / (all + KEPT_LIKE_OTHERS)
            };
            let shares: Vec<f64> = (0..kinds.count()).map(share).collect();
            lost(&sides[k], kinds, &shares, close)
        });
        let (table, mean) = table([x, y], &counts, &kept);
        let unseen = [0, 1].map(|k| {
            let kinds = [x, y][k];
            let prior = |kind: usize| prior(kinds, kind, ABSENT, 1.0);
            let of = |kind: usize| 0.5 * conditional(0.0, kept[k][kind], 1.0, prior(kind));
            (0..kinds.count()).map(|kind| of(kind) as f32).collect()
        });
        let back = table.transposed();
        Some(Self {
            tables: [table, back],
            unseen,
            lost,
            missing: shares.map(|share| missing(share, close)),
            counts,
            mean,
        })
    }

    /// Whether another fit says the same, but for little.
    pub(super) fn is_near(&self, other: &Self) -> bool {
        (self.mean - other.mean).abs() < 0.02
    }

    /// What the kinds of two kept edges say; `own` is a place of side `from`, `other` one of the other side,
    /// both in the rows of partners.
    #[inline]
    pub(super) fn nats(&self, from: usize, own: (&Kinds, usize), other: (&Kinds, usize)) -> f32 {
        let (kinds, commoner) = own.0.parts(own.1);
        let (others, theirs) = other.0.parts(other.1);
        let mut best = f32::MIN;
        for (&k, x) in kinds.iter().zip(commoner) {
            for (&l, y) in others.iter().zip(theirs) {
                best = best.max(self.pair(from, k, l) - 0.5 * OWN * (x + y));
            }
        }
        best
    }

    /// What two kinds say.
    #[inline]
    pub(super) fn pair(&self, from: usize, k: u32, l: u32) -> f32 {
        let seen = self.tables[from].get(k as usize, l as usize);
        seen.unwrap_or_else(|| self.unseen[from][k as usize] + self.unseen[1 - from][l as usize])
    }

    /// What it costs that the other side does not have the edge at a place.
    #[inline]
    pub(super) fn lost(&self, side: usize, place: usize) -> f32 {
        self.lost[side][place]
    }

    /// The same against an edge of any kind, the other way round: what is given back when it is kept.
    #[inline]
    pub(super) fn given_back(&self, side: usize, place: usize) -> f32 {
        self.missing[side] - self.lost[side][place]
    }

    /// What the kinds say of a matching, every edge from both of its ends.
    pub(super) fn evidence(&self, sides: &[Side<'_>; 2], partners: &[Vec<u32>; 2]) -> f64 {
        let mut sum = 0.0;
        let [Some(x), Some(y)] = [&sides[0].kinds, &sides[1].kinds] else {
            return sum;
        };
        for k in 0..2 {
            for i in 0..sides[k].nodes() {
                for (place, image) in images(sides, &partners[k], k, i) {
                    sum += match image {
                        None => -f64::from(self.given_back(k, place)),
                        Some(image) if k == 0 => f64::from(self.nats(0, (x, place), (y, image))),
                        Some(_) => 0.0,
                    };
                }
            }
        }
        sum
    }

    /// The commonest listed kinds of the source, at most `most`, each with its likeliest partner and its
    /// probability.
    pub(super) fn described(&self, sides: &[Side<'_>; 2], most: usize) -> Vec<(String, String)> {
        let [Some(x), Some(y)] = [&sides[0].kinds, &sides[1].kinds] else {
            return Vec::new();
        };
        let mut kinds: Vec<(u32, f64, (u32, f64))> = Vec::new();
        for &((k, l), count) in &self.counts {
            match kinds.last_mut().filter(|kind| kind.0 == k) {
                None => kinds.push((k, count, (l, count))),
                Some((_, all, likeliest)) => {
                    *all += count;
                    if count > likeliest.1 {
                        *likeliest = (l, count);
                    }
                }
            }
        }
        kinds.retain(|kind| x.forward(kind.0).is_some());
        kinds.sort_by(|x, y| y.1.total_cmp(&x.1).then(x.0.cmp(&y.0)));
        let kinds = kinds.into_iter().take(most);
        kinds
            .map(|(k, all, (l, count))| {
                let share = count / (all + SMOOTHING);
                (x.name(k), format!("{} ({share:.2})", y.name(l)))
            })
            .collect()
    }
}

/// P(l | k)/π(l) before anything is seen, where `share` is π(l).
fn prior(kinds: &Kinds, k: usize, l: u32, share: f64) -> f64 {
    match kinds.namesakes[k] {
        None => 1.0,
        Some(same) if same == l => 1.0 - SAME + SAME / share,
        Some(_) => 1.0 - SAME,
    }
}

/// ln P(l | k)/π(l), where l was seen `count` times among `all` of k.
fn conditional(count: f64, all: f64, share: f64, prior: f64) -> f64 {
    ((count / share + SMOOTHING * prior) / (all + SMOOTHING)).ln()
}

/// The evidence of every pair of kinds that was seen or is of namesakes, and its mean over what was seen;
/// `all` has the edges of every kind.
fn table(kinds: [&Kinds; 2], counts: &[((u32, u32), f64)], all: &[Vec<f64>; 2]) -> (Csr<f32>, f64) {
    let [x, y] = kinds;
    let namesakes = x.namesakes.iter().enumerate();
    let namesakes = namesakes.filter_map(|(k, same)| same.map(|l| ((k as u32, l), 0.0)));
    let mut entries: Vec<((u32, u32), f64)> = counts.iter().copied().chain(namesakes).collect();
    add_up(&mut entries);
    let (mut sum, mut seen) = (0.0, 0.0);
    let values = entries.iter().map(|&((k, l), count)| {
        let (i, j) = (k as usize, l as usize);
        let shares = [x.frequencies[i], y.frequencies[j]];
        let there = conditional(count, all[0][i], shares[1], prior(x, i, l, shares[1]));
        let back = conditional(count, all[1][j], shares[0], prior(y, j, k, shares[0]));
        let nats = 0.5 * (there + back);
        sum += count * nats;
        seen += count;
        (i, j, nats as f32)
    });
    let table = Csr::from_triplets(x.count(), y.count(), values).expect("kinds are counted");
    (table, sum / f64::max(seen, 1.0))
}

/// ln((1 − s)/(1 − c)) of every edge; of several kinds the one that is kept most often counts.
fn lost(side: &Side<'_>, kinds: &Kinds, shares: &[f64], close: f64) -> Vec<f32> {
    let of = |place: usize| {
        let kinds = kinds.of_place(place).iter();
        let kept = kinds.fold(0.0f64, |most, k| most.max(shares[*k as usize]));
        missing(kept.clamp(0.02, 0.98), close)
    };
    (0..side.edges.entries()).into_par_iter().map(of).collect()
}

/// The edges of node `i` to nodes with partners, each with its image on the other side, when that is there.
fn images<'a>(
    sides: &'a [Side<'_>; 2],
    partners: &'a [u32],
    side: usize,
    i: usize,
) -> impl Iterator<Item = (usize, Option<usize>)> + 'a {
    let (own, other) = (sides[side].edges, sides[1 - side].edges);
    let a = partners[i];
    let places = if a == NONE { 0..0 } else { own.range(i) };
    places.filter_map(move |place| {
        let b = partners[own.column(place) as usize];
        (b != NONE).then(|| (place, other.place(a as usize, b as usize)))
    })
}

/// How often an edge between matched nodes of a kind of side `from` has an image of a kind, ascending. An
/// edge counts once, however many kinds it has. From the target, lost edges alone.
///
/// In parts of fixed size, which are added in their order: the same on any number of threads.
fn counts(sides: &[Side<'_>; 2], partners: &[Vec<u32>; 2], from: usize) -> Vec<((u32, u32), f64)> {
    const PART: usize = 4096;
    let [Some(own), Some(other)] = [from, 1 - from].map(|k| &sides[k].kinds) else {
        return Vec::new();
    };
    let of = |nodes: Range<usize>| {
        let mut counts: BTreeMap<(u32, u32), f64> = BTreeMap::new();
        let edges = nodes.flat_map(|i| images(sides, &partners[from], from, i));
        for (place, image) in edges.filter(|(_, image)| from == 0 || image.is_none()) {
            let kinds = own.of_place(place);
            let images = image.map_or(&[ABSENT][..], |image| other.of_place(image));
            let share = 1.0 / (kinds.len() * images.len()) as f64;
            for &k in kinds {
                for &l in images {
                    *counts.entry((k, l)).or_default() += share;
                }
            }
        }
        counts.into_iter().collect::<Vec<_>>()
    };
    let nodes = sides[from].nodes();
    let parts = (0..nodes.div_ceil(PART)).into_par_iter();
    let parts: Vec<_> = parts
        .map(|part| of(part * PART..nodes.min((part + 1) * PART)))
        .collect();
    let mut counts = parts.concat();
    add_up(&mut counts);
    counts
}

/// Sorts, and adds what has the same key in the order in which it came.
fn add_up(counts: &mut Vec<((u32, u32), f64)>) {
    counts.sort_by_key(|entry| entry.0);
    counts.dedup_by(|later, first| {
        let is_same = later.0 == first.0;
        if is_same {
            first.1 += later.1;
        }
        is_same
    });
}
