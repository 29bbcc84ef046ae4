//! Weights of many features: which ones a node has, and at which levels.
//!
//! For every feature k, with p_k and q_k the frequencies of nodes that have it on either side, and r, r' the
//! frequencies of partners' features that the other side has too,
//!
//! > P₁₁ = √(p_k r · q_k r'),  P₁₀ = p_k − P₁₁,  P₀₁ = q_k − P₁₁,  P₀₀ = 1 − p_k − q_k + P₁₁,
//!
//! and of a feature that both have, the levels (powers of two) say ln P(l, l')/(P(l) P(l')) by a table over
//! all features. A node costs O(its features).

use std::sync::Arc;

use super::{in_common, rarest};
use crate::linalg::Csr;

/// Features of partners that are taken for granted before any pair is known, and those kept of them.
const GRANTED: f64 = 10.0;
const KEPT: f64 = 0.7;

/// Levels of weights.
const LEVELS: usize = 8;

/// Observations of independent levels added to those seen.
const INDEPENDENT: f64 = 20.0;

/// The features of the nodes of both sides.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Weights {
    /// The level of each feature of a node.
    levels: [Arc<Csr<u8>>; 2],
    /// The target nodes that have each feature.
    by_feature: Arc<Csr<u8>>,
    /// How many nodes have each feature, of those that have any.
    frequencies: [Vec<f64>; 2],
    /// How often each level occurs.
    level_frequencies: [[f64; LEVELS]; 2],
}

/// What features tell.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Model {
    /// By feature: both have it, beside the sides' own parts.
    both: Vec<f64>,
    /// By node, what its features tell by themselves.
    own: [Vec<f64>; 2],
    constant: f64,
    levels: [[f64; LEVELS]; LEVELS],
    /// r and r'.
    kept: [f64; 2],
}

/// Whether weights are mostly absent and above zero, so that having one says something.
pub(super) fn are_sparse(sides: &[Csr<f64>; 2]) -> bool {
    sides.iter().all(|side| {
        let all = side.rows().saturating_mul(side.cols());
        side.values().iter().all(|v| *v >= 0.0) && side.entries() <= all / 2
    })
}

impl Weights {
    pub(super) fn new(sides: &[Csr<f64>; 2]) -> Self {
        let values = || sides.iter().flat_map(|side| side.values().iter().copied());
        let least = values().filter(|v| *v > 0.0).fold(f64::INFINITY, f64::min);
        let levels = sides.each_ref().map(|side| {
            let present = side.filtered(|_, _, v| v > 0.0);
            Arc::new(present.map(|v| ((v / least).log2().round() as usize).min(LEVELS - 1) as u8))
        });
        let frequencies = levels.each_ref().map(|side| {
            let mut frequencies = vec![0.0; side.cols()];
            let known = (0..side.rows())
                .filter(|&i| !side.range(i).is_empty())
                .count();
            // Half a node more or less, so that nothing is had by none or by all.
            let unit = 1.0 / (known as f64 + 1.0);
            side.triplets().for_each(|(_, k, _)| frequencies[k] += unit);
            frequencies.iter().map(|share| share + 0.5 * unit).collect()
        });
        let level_frequencies = levels.each_ref().map(|side| {
            let mut frequencies = [0.5; LEVELS];
            side.values()
                .iter()
                .for_each(|l| frequencies[usize::from(*l)] += 1.0);
            let total: f64 = frequencies.iter().sum();
            frequencies.map(|share| share / total)
        });
        let by_feature = Arc::new(levels[1].transposed());
        Self {
            levels,
            by_feature,
            frequencies,
            level_frequencies,
        }
    }

    /// The features of a node and their levels.
    pub(super) fn row(&self, side: usize, node: usize) -> (&[u32], &[u8]) {
        self.levels[side].parts(node)
    }

    pub(super) fn fit(&self, pairs: &[(usize, usize)]) -> Model {
        let [own, other] = &self.levels;
        let (mut both, mut had) = (GRANTED * KEPT, [GRANTED; 2]);
        let mut seen = [[0.0; LEVELS]; LEVELS];
        for &(i, a) in pairs {
            if own.range(i).is_empty() || other.range(a).is_empty() {
                continue;
            }
            had[0] += own.range(i).len() as f64;
            had[1] += other.range(a).len() as f64;
            self.common(i, a, |_, l, m| {
                both += 1.0;
                seen[l][m] += 1.0;
            });
        }
        let kept = had.map(|had| (both / had).min(0.999));
        let total = seen.iter().flatten().sum::<f64>() + INDEPENDENT;
        let levels: [[f64; LEVELS]; LEVELS] = std::array::from_fn(|l| {
            std::array::from_fn(|m| {
                let alone = self.level_frequencies[0][l] * self.level_frequencies[1][m];
                ((seen[l][m] + INDEPENDENT * alone) / total / alone).ln()
            })
        });
        let mut model = Model {
            both: Vec::new(),
            own: [vec![0.0; own.rows()], vec![0.0; other.rows()]],
            constant: 0.0,
            levels,
            kept,
        };
        let mut single = [Vec::new(), Vec::new()];
        for (&p, &q) in self.frequencies[0].iter().zip(&self.frequencies[1]) {
            let [c11, c10, c01, c00] = presences(p, q, kept);
            model.constant += c00;
            single[0].push(c10 - c00);
            single[1].push(c01 - c00);
            model.both.push(c11 - c10 - c01 + c00);
        }
        for k in 0..2 {
            for (i, feature, _) in self.levels[k].triplets() {
                model.own[k][i] += single[k][feature];
            }
        }
        model
    }

    pub(super) fn nats(&self, model: &Model, i: usize, a: usize) -> f64 {
        let [own, other] = &self.levels;
        if own.range(i).is_empty() || other.range(a).is_empty() {
            return 0.0;
        }
        let mut sum = model.constant + model.own[0][i] + model.own[1][a];
        self.common(i, a, |feature, l, m| {
            sum += model.both[feature] + model.levels[l][m];
        });
        sum
    }

    /// Adds target nodes that share features with source node `i`, the rarest first, as long as no more than
    /// `visits` nodes have them.
    pub(super) fn sharing(&self, i: usize, visits: usize, found: &mut Vec<u32>) {
        let mut features: Vec<u32> = self.levels[0].columns(i).to_vec();
        rarest(&mut features, &self.by_feature, visits, |k| *k as usize);
        for k in features {
            found.extend(self.by_feature.columns(k as usize));
        }
    }

    /// Calls `meet` with every feature that both have, and its levels.
    fn common(&self, i: usize, a: usize, mut meet: impl FnMut(usize, usize, usize)) {
        let ((own, v), (other, w)) = (self.levels[0].parts(i), self.levels[1].parts(a));
        in_common(own, other, |k, l| {
            meet(own[k] as usize, v[k].into(), w[l].into());
        });
    }
}

/// c₁₁, c₁₀, c₀₁ and c₀₀ of a feature that shares p and q of the nodes have: ln P/(P P') of its presences.
fn presences(p: f64, q: f64, kept: [f64; 2]) -> [f64; 4] {
    let most = 0.999 * p.min(q);
    // Partners have no fewer features in common than strangers.
    let p11 = (p * kept[0] * q * kept[1])
        .sqrt()
        .clamp((p * q).min(most), most);
    let p00 = (1.0 - p - q + p11).max(1e-9);
    [
        (p11 / (p * q)).ln(),
        ((p - p11) / (p * (1.0 - q))).ln(),
        ((q - p11) / (q * (1.0 - p))).ln(),
        (p00 / ((1.0 - p) * (1.0 - q))).ln(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn features(shift: usize) -> Csr<f64> {
        let entries = (0..60usize).flat_map(move |i| {
            (0..3).map(move |k| {
                (
                    i,
                    (i * 7 + k * k * 11 + shift * (i % 5 / 4)) % 40,
                    f64::from(1u32 << ((i + k) % 4)),
                )
            })
        });
        Csr::from_triplets(60, 40, entries).unwrap()
    }

    /// The sum over all features, written out.
    #[test]
    fn nats_are_the_sum_over_all_features() {
        let sides = [features(0), features(1)];
        let weights = Weights::new(&sides);
        let pairs: Vec<_> = (0..30).map(|i| (i, i)).collect();
        let model = weights.fit(&pairs);
        for (i, a) in [(0, 0), (4, 9), (40, 40), (59, 3)] {
            let wanted: f64 = (0..40)
                .map(|k| {
                    let (p, q) = (weights.frequencies[0][k], weights.frequencies[1][k]);
                    let [c11, c10, c01, c00] = presences(p, q, model.kept);
                    let (own, other) = (weights.levels[0].get(i, k), weights.levels[1].get(a, k));
                    match (own, other) {
                        (Some(l), Some(m)) => c11 + model.levels[usize::from(l)][usize::from(m)],
                        (Some(_), None) => c10,
                        (None, Some(_)) => c01,
                        (None, None) => c00,
                    }
                })
                .sum();
            assert!((weights.nats(&model, i, a) - wanted).abs() < 1e-9);
        }
    }

    #[test]
    fn presences_are_a_distribution() {
        for (p, q, kept) in [
            (0.1, 0.2, [0.8, 0.4]),
            (0.5, 0.01, [0.9, 0.9]),
            (0.3, 0.3, [0.01, 0.0]),
        ] {
            let [c11, c10, c01, c00] = presences(p, q, kept);
            let both = p * q * c11.exp();
            let total = both
                + p * (1.0 - q) * c10.exp()
                + q * (1.0 - p) * c01.exp()
                + (1.0 - p) * (1.0 - q) * c00.exp();
            assert!((total - 1.0).abs() < 1e-9, "{total}");
            assert!(both + 1e-12 >= 0.999 * p * q);
        }
    }

    #[test]
    fn rare_features_come_up_first() {
        let weights = Weights::new(&[features(0), features(1)]);
        let mut found = Vec::new();
        weights.sharing(8, 20, &mut found);
        assert!(found.contains(&8) && found.len() <= 20, "{found:?}");
    }

    #[test]
    fn partners_are_recognised() {
        let sides = [features(0), features(1)];
        let weights = Weights::new(&sides);
        let model = weights.fit(&(0..30).map(|i| (i, i)).collect::<Vec<_>>());
        let right: f64 = (30..60).map(|i| weights.nats(&model, i, i)).sum();
        let wrong: f64 = (30..59).map(|i| weights.nats(&model, i, i + 1)).sum();
        assert!(right > wrong + 60.0, "{right} {wrong}");
        let bare = Weights::new(&[Csr::empty(2, 3), Csr::empty(2, 3)]);
        assert_eq!(bare.nats(&bare.fit(&[(0, 0)]), 1, 1), 0.0);
    }

    #[test]
    fn embeddings_are_not_sparse() {
        let dense = Csr::from_triplets(2, 2, [(0, 0, 1.0), (0, 1, 2.0), (1, 1, 1.0)]).unwrap();
        assert!(!are_sparse(&[dense.clone(), dense]));
        assert!(are_sparse(&[features(0), features(1)]));
        let negative = Csr::from_triplets(9, 9, [(0, 0, -1.0)]).unwrap();
        assert!(!are_sparse(&[negative.clone(), negative]));
    }
}
