//! What all modes together say: probabilities of pairs, and the pairs themselves.

use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::{Serialize, Serializer};

use super::anchor_check::AnchorDoubt;
use super::association::Lists;
use super::climb::Mode;
use super::families::{Family, FittedMap};
use super::known::{Known, without_map};
use super::scene::Scene;
use super::sketch::Sketch;
use super::small::{Vector, squared_distance};
use crate::assignment::{self, Assignment, auction};
use crate::error::Result;
use crate::linalg::{Csr, Matrix};

/// A fitted family and how probable it is.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct FittedFamily {
    /// The family.
    pub family: Family,
    /// Its posterior probability; what all of them lack of one is that of no map at all.
    pub probability: f64,
    /// The map in the coordinates that were given, row by row: (D + 1) × (D + 1) numbers that take
    /// (x, 1) to a multiple of (y, 1). Waves are not in it.
    #[serde(serialize_with = "as_rows")]
    pub transform: Matrix,
    /// The covariance of what the map leaves over, in the target's units.
    #[serde(serialize_with = "as_rows")]
    pub covariance: Matrix,
    /// The number of pairs it expects, anchors included.
    pub pairs: f64,
    /// What its map looks like; of the most probable family alone.
    #[serde(skip)]
    pub sketch: Option<Sketch>,
}

impl FittedFamily {
    /// A family with its probability, transform and covariance, which expects so many pairs.
    #[must_use]
    pub fn new(
        family: Family,
        probability: f64,
        transform: Matrix,
        covariance: Matrix,
        pairs: f64,
    ) -> Self {
        Self {
            family,
            probability,
            transform,
            covariance,
            pairs,
            sketch: None,
        }
    }
}

fn as_rows<S: Serializer>(matrix: &Matrix, serializer: S) -> std::result::Result<S::Ok, S::Error> {
    serializer.collect_seq((0..matrix.rows()).map(|i| matrix.row(i)))
}

/// Two sets of points matched.
#[derive(Debug, Clone)]
pub struct Posterior {
    /// The families that the posterior mixes, the most probable first.
    pub families: Vec<FittedFamily>,
    /// The probability of every pair that has any; anchors are not among them.
    pub beliefs: Csr<f32>,
    /// How many climbs ended in a mode of their own.
    pub climbs: usize,
    /// The evidence of the best map above that of no map, in nats.
    pub gain: f64,
    /// The evidence of all that was found above that of the anchors alone, in nats.
    pub evidence: f64,
    /// What the points say of each anchor; empty when the work was stopped before.
    pub anchor_doubts: Vec<AnchorDoubt>,
    /// Where the best map expects the partner of each source point, and the target points, in one frame.
    expected: Vec<[f64; 3]>,
    targets: Vec<[f64; 3]>,
    anchors: Assignment,
    /// Source points that are known to have no partner.
    alone: Vec<bool>,
    taken: Vec<bool>,
    known: Option<Known>,
    /// The modes' probabilities and beliefs, for samples.
    modes: Vec<(f64, Csr<f32>)>,
}

/// Modes below this probability are left out.
const NEGLIGIBLE: f64 = 1e-4;

/// Beliefs below this are left out of lists.
const LEAST_BELIEF: f64 = 1e-6;

/// What the choice may lose of the expected number of right pairs, a row.
const SLACK: f32 = 1e-4;

/// Rows times columns of what is left over that are assigned at once; beyond, the nearest is taken.
const MOST_LEFT: usize = 4_000_000;

/// A squared distance, in scaled coordinates, that is greater than any between points.
const FAR: f64 = 1e9;

impl Posterior {
    pub(super) fn new<const D: usize>(scene: &Scene<D>, modes: &[Mode<D>]) -> Result<Self> {
        let without = without_map(scene);
        let none = without.evidence;
        let evidences = modes.iter().map(|mode| mode.evidence);
        let best = evidences.clone().fold(none, f64::max);
        // What is known of pairs is something to find without any map; the anchors alone are not.
        let least = match without.lists {
            Some(_) => none,
            None => f64::NEG_INFINITY,
        };
        let found = evidences.fold(least, f64::max);
        let sum: f64 = modes
            .iter()
            .map(|mode| (mode.evidence - best).exp())
            .sum::<f64>()
            + (none - best).exp();
        let probability = |mode: &Mode<D>| (mode.evidence - best).exp() / sum;
        let shape = (scene.source.len(), scene.target.len());
        let mut families: Vec<FittedFamily> = Vec::new();
        let mut kept = Vec::new();
        for mode in modes {
            let probability = probability(mode);
            let known = families.iter_mut().find(|f| f.family == mode.family());
            match known {
                Some(known) => known.probability += probability,
                None => families.push(FittedFamily::new(
                    mode.family(),
                    probability,
                    transform(scene, &mode.member.map()),
                    covariance(scene, &mode.member.map()),
                    mode.pairs,
                )),
            }
            if probability > NEGLIGIBLE {
                kept.push((probability, beliefs(shape, &mode.lists)?));
            }
        }
        if let Some(lists) = &without.lists {
            let probability = (none - best).exp() / sum;
            if probability > NEGLIGIBLE {
                kept.push((probability, beliefs(shape, lists)?));
            }
        }
        families.sort_by(|a, b| b.probability.total_cmp(&a.probability));
        if let Some(best) = families.first_mut() {
            // The mode that the transform comes from.
            let mode = modes.iter().find(|mode| mode.family() == best.family);
            best.sketch = mode.map(|mode| Sketch::new(scene, mode.member.as_ref()));
        }
        let points = scene.source.iter().enumerate();
        let expected = match modes.first() {
            Some(mode) => points
                .map(|(i, x)| padded(&mode.member.predict_fitted(i, x).mean))
                .collect(),
            None => scene.source.iter().map(padded).collect(),
        };
        Ok(Self {
            families,
            beliefs: blended(shape, &kept)?,
            climbs: modes.len(),
            anchor_doubts: Vec::new(),
            gain: modes
                .first()
                .map_or(f64::NEG_INFINITY, |mode| mode.evidence - none),
            evidence: found - without.of_anchors,
            known: scene.known.clone(),
            expected,
            targets: scene.target.iter().map(padded).collect(),
            anchors: scene.anchors.clone(),
            alone: scene.alone.clone(),
            taken: scene.taken.clone(),
            modes: kept,
        })
    }

    /// The probability that there is a map at all.
    #[must_use]
    pub fn probability_of_a_map(&self) -> f64 {
        self.families.iter().map(|family| family.probability).sum()
    }

    /// The pairs with the greatest expected F1, which leaves points alone, or all of the smaller set; anchors
    /// are not among them.
    ///
    /// # Errors
    /// When the memory does not suffice.
    pub fn pairs(&self, allow_unmatched: bool) -> Result<Vec<(usize, usize, f64)>> {
        let chosen = auction(&self.beliefs, SLACK);
        let belief = |i: usize, a: usize| self.beliefs.get(i, a).map_or(0.0, f64::from);
        let mut pairs: Vec<(usize, usize, f64)> =
            chosen.pairs().map(|(i, a)| (i, a, belief(i, a))).collect();
        pairs.sort_by(|x, y| y.2.total_cmp(&x.2).then(x.0.cmp(&y.0)));
        if allow_unmatched {
            let beliefs = self.beliefs.values();
            let true_pairs: f64 = beliefs.iter().map(|&b| f64::from(b)).sum();
            pairs.truncate(best_count(pairs.iter().map(|pair| pair.2), true_pairs));
        } else {
            self.fill_up(&mut pairs)?;
        }
        pairs.sort_unstable_by_key(|pair| pair.0);
        Ok(pairs)
    }

    /// Points that are left over, to those that lie nearest to where they are expected.
    fn fill_up(&self, pairs: &mut Vec<(usize, usize, f64)>) -> Result<()> {
        let mut matched = self.anchors.clone();
        let mut taken = self.taken.clone();
        for &(i, a, _) in &*pairs {
            matched.set(i, Some(a));
            taken[a] = true;
        }
        let rows: Vec<usize> = (0..matched.rows())
            .filter(|&i| matched.partner(i).is_none() && !self.alone[i])
            .collect();
        let columns: Vec<usize> = (0..taken.len()).filter(|&a| !taken[a]).collect();
        let ruled_out = |i: usize, a: usize| {
            let known = self.known.as_ref();
            known.is_some_and(|known| known.nats(i, a) == f64::NEG_INFINITY)
        };
        let distance = |i: usize, a: usize| {
            let squared = squared_distance(&self.expected[i], &self.targets[a]);
            squared + if ruled_out(i, a) { FAR } else { 0.0 }
        };
        if rows.len() * columns.len() <= MOST_LEFT {
            let cost = Matrix::from_fn(rows.len(), columns.len(), |k, l| {
                distance(rows[k], columns[l])
            });
            let found = assignment::minimise(&cost)?;
            let found = found.columns.pairs().map(|(k, l)| (rows[k], columns[l]));
            let found: Vec<_> = found.filter(|&(i, a)| !ruled_out(i, a)).collect();
            pairs.extend(
                found
                    .into_iter()
                    .map(|(i, a)| (i, a, self.beliefs.get(i, a).map_or(0.0, f64::from))),
            );
        } else {
            let filled = rows.iter().zip(&columns).map(|(&i, &a)| (i, a, 0.0));
            pairs.extend(filled.filter(|&(i, a, _)| !ruled_out(i, a)));
        }
        Ok(())
    }

    /// The candidates of every source point with their probabilities, in the order of the target.
    pub fn candidates(&self) -> impl Iterator<Item = impl Iterator<Item = (usize, f64)>> {
        (0..self.anchors.rows()).map(|i| {
            let (columns, values) = self.beliefs.parts(i);
            let listed = columns.iter().zip(values);
            listed.map(|(&a, &belief)| (a as usize, f64::from(belief)))
        })
    }

    /// Matchings drawn from the posterior: for each, the partner of every source point without an anchor.
    #[must_use]
    pub fn samples(&self, count: usize, seed: u64) -> Vec<Assignment> {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut order: Vec<usize> = (0..self.anchors.rows())
            .filter(|&i| self.anchors.partner(i).is_none())
            .collect();
        let free = order.clone();
        let mut samples = Vec::with_capacity(count);
        for _ in 0..count {
            let mut drawn = Assignment::empty(self.anchors.rows());
            let mut draw = random.random::<f64>();
            let mode = self.modes.iter().find(|(probability, _)| {
                draw -= probability;
                draw < 0.0
            });
            if let Some((_, beliefs)) = mode {
                let mut taken = self.taken.clone();
                order.shuffle(&mut random);
                for &i in &order {
                    let (columns, values) = beliefs.parts(i);
                    let mut draw = random.random::<f32>();
                    let found = columns.iter().zip(values).find(|(a, belief)| {
                        draw -= **belief;
                        draw < 0.0 && !taken[**a as usize]
                    });
                    if let Some((&a, _)) = found {
                        taken[a as usize] = true;
                        drawn.set(i, Some(a as usize));
                    }
                }
            }
            samples.push(free.iter().map(|&i| drawn.partner(i)).collect());
        }
        samples
    }
}

/// How many of the likeliest pairs have the greatest expected F1, `true_pairs` being expected to be there.
fn best_count(beliefs: impl Iterator<Item = f64>, true_pairs: f64) -> usize {
    let (mut right, mut best, mut most) = (0.0, 0, 0.0);
    for (k, belief) in beliefs.enumerate() {
        right += belief;
        let f1 = 2.0 * right / (k as f64 + 1.0 + true_pairs);
        if f1 > most {
            (best, most) = (k + 1, f1);
        }
    }
    best
}

fn padded<const D: usize>(x: &Vector<D>) -> [f64; 3] {
    std::array::from_fn(|k| x.get(k).copied().unwrap_or(0.0))
}

fn beliefs(shape: (usize, usize), lists: &Lists) -> Result<Csr<f32>> {
    let entries = (0..shape.0).flat_map(|i| {
        let row = lists.row(i).filter(|(_, belief)| *belief > LEAST_BELIEF);
        row.map(move |(a, belief)| (i, a, belief as f32))
    });
    Csr::from_triplets(shape.0, shape.1, entries)
}

fn blended(shape: (usize, usize), modes: &[(f64, Csr<f32>)]) -> Result<Csr<f32>> {
    let mut row: std::collections::BTreeMap<u32, f32> = std::collections::BTreeMap::new();
    let mut entries = Vec::new();
    for i in 0..shape.0 {
        row.clear();
        for (probability, beliefs) in modes {
            let (columns, values) = beliefs.parts(i);
            for (&a, &belief) in columns.iter().zip(values) {
                *row.entry(a).or_default() += *probability as f32 * belief;
            }
        }
        entries.extend(
            row.iter()
                .map(|(&a, &belief)| (i, a as usize, belief.min(1.0))),
        );
    }
    Csr::from_triplets(shape.0, shape.1, entries)
}

/// A map in the coordinates that were given.
fn transform<const D: usize>(scene: &Scene<D>, map: &FittedMap<D>) -> Matrix {
    let [from, to] = scene.frames;
    // In scaled coordinates the rows (A, t) and (g, 1); the source's frame goes in on the right.
    let mut rows = vec![vec![0.0; D + 1]; D + 1];
    for k in 0..=D {
        for j in 0..D {
            let entry = if k < D {
                map.affine.linear[k][j]
            } else {
                map.bend[j]
            };
            rows[k][j] = entry / from.scale;
        }
        let constant = if k < D { map.affine.shift[k] } else { 1.0 };
        let moved: f64 = (0..D).map(|j| rows[k][j] * from.centre[j]).sum();
        rows[k][D] = constant - moved;
    }
    // And the target's on the left.
    Matrix::from_fn(D + 1, D + 1, |k, j| {
        if k < D {
            to.scale * rows[k][j] + to.centre[k] * rows[D][j]
        } else {
            rows[D][j]
        }
    })
}

fn covariance<const D: usize>(scene: &Scene<D>, map: &FittedMap<D>) -> Matrix {
    let scale = scene.frames[1].scale;
    Matrix::from_fn(D, D, |k, j| map.noise[k][j] * scale * scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_count_with_the_best_f1_is_kept() {
        let brute = |beliefs: &[f64], truth: f64| {
            let f1 = |k: usize| 2.0 * beliefs[..k].iter().sum::<f64>() / (k as f64 + truth);
            (0..=beliefs.len())
                .max_by(|&a, &b| f1(a).total_cmp(&f1(b)).then(b.cmp(&a)))
                .unwrap()
        };
        for (beliefs, truth) in [
            (vec![1.0, 0.9, 0.2, 0.1], 2.0),
            (vec![0.4, 0.4, 0.4], 2.5),
            (vec![], 0.0),
            (vec![0.9; 7], 6.3),
        ] {
            assert_eq!(
                best_count(beliefs.iter().copied(), truth),
                brute(&beliefs, truth)
            );
        }
    }
}
