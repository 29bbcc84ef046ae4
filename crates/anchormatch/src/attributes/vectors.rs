//! Sparse vectors of unit length, and how alike they are: cosines.

use rayon::prelude::*;

use super::similarity::{BINS, bin, log_ratios};
use super::{in_common, rarest};
use crate::linalg::Csr;

/// Source nodes and target nodes whose likenesses are looked at, to know what strangers have.
const SAMPLED: usize = 400;
const STRANGERS: usize = 5000;

/// Vectors of both sides over the same features.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Vectors {
    sides: [Csr<f32>; 2],
    /// The target's vectors by feature.
    by_feature: Csr<f32>,
    /// The share of strangers in each bin.
    strangers: Vec<f64>,
}

/// What the bins of likenesses tell.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Model {
    nats: Vec<f64>,
}

impl Vectors {
    /// Vectors as they are, made of unit length.
    pub(super) fn new(sides: [Csr<f64>; 2]) -> Self {
        let sides = sides.map(|side| of_unit_length(&side));
        let by_feature = sides[1].transposed();
        let mut vectors = Self {
            sides,
            by_feature,
            strangers: Vec::new(),
        };
        vectors.strangers = vectors.frequencies_of_strangers();
        vectors
    }

    /// The cosine; `None` when a vector is nothing.
    pub(super) fn likeness(&self, i: usize, a: usize) -> Option<f64> {
        let ((own, v), (other, w)) = (self.sides[0].parts(i), self.sides[1].parts(a));
        if own.is_empty() || other.is_empty() {
            return None;
        }
        let mut sum = 0.0f32;
        in_common(own, other, |k, l| sum += v[k] * w[l]);
        Some(f64::from(sum))
    }

    /// Target nodes that are alike to source node `i`, with what their rarest features add to their cosines:
    /// all features, as long as no more than `visits` nodes have them. `sums` is as long as the target side,
    /// and zero before and after.
    pub(super) fn alike(
        &self,
        i: usize,
        visits: usize,
        sums: &mut [f32],
        found: &mut Vec<(u32, f32)>,
    ) {
        found.clear();
        let mut features: Vec<(usize, f32)> = self.sides[0].row(i).collect();
        rarest(&mut features, &self.by_feature, visits, |entry| entry.0);
        for (feature, v) in features {
            for (a, w) in self.by_feature.row(feature) {
                if sums[a] == 0.0 {
                    found.push((a as u32, 0.0));
                }
                sums[a] += v * w;
            }
        }
        // A sum that came back to zero on its way stands twice.
        found.sort_unstable_by_key(|entry| entry.0);
        found.dedup_by_key(|entry| entry.0);
        for (a, sum) in found.iter_mut() {
            *sum = std::mem::take(&mut sums[*a as usize]);
        }
    }

    /// The vector of a node, bit by bit.
    pub(super) fn bits(&self, side: usize, node: usize) -> Vec<(usize, u32)> {
        let row = self.sides[side].row(node);
        row.map(|(feature, value)| (feature, value.to_bits()))
            .collect()
    }

    pub(super) fn fit(&self, pairs: &[(usize, usize)]) -> Model {
        let mut partners = vec![0.0; BINS];
        for likeness in pairs.iter().filter_map(|&(i, a)| self.likeness(i, a)) {
            partners[bin(likeness)] += 1.0;
        }
        Model {
            nats: log_ratios(&self.strangers, &partners),
        }
    }

    pub(super) fn nats(&self, model: &Model, i: usize, a: usize) -> f64 {
        self.likeness(i, a)
            .map_or(0.0, |likeness| model.nats[bin(likeness)])
    }

    /// The likenesses of some source nodes with some target nodes; where these are all, without the highest of
    /// each, which may be its partner's.
    fn frequencies_of_strangers(&self) -> Vec<f64> {
        let known = |side: &Csr<f32>, most: usize| -> (Vec<usize>, bool) {
            let known = (0..side.rows()).filter(|&i| !side.range(i).is_empty());
            let known: Vec<usize> = known.collect();
            let stride = known.len().div_ceil(most).max(1);
            (known.into_iter().step_by(stride).collect(), stride == 1)
        };
        let (rows, _) = known(&self.sides[0], SAMPLED);
        let (others, all) = known(&self.sides[1], STRANGERS);
        let counts: Vec<[u32; BINS]> = rows
            .par_iter()
            .map(|&i| {
                let mut counts = [0u32; BINS];
                let mut highest = 0;
                for &a in &others {
                    let bin = bin(self.likeness(i, a).unwrap_or(0.0));
                    counts[bin] += 1;
                    highest = highest.max(bin);
                }
                if all && !others.is_empty() {
                    counts[highest] -= 1;
                }
                counts
            })
            .collect();
        let seen = |b: usize| counts.iter().map(|c| f64::from(c[b])).sum::<f64>() + 0.5;
        let total: f64 = (0..BINS).map(seen).sum();
        (0..BINS).map(|b| seen(b) / total).collect()
    }
}

fn of_unit_length(side: &Csr<f64>) -> Csr<f32> {
    let rows = (0..side.rows()).map(|i| {
        let (columns, values) = side.parts(i);
        let largest = values.iter().fold(0.0, |most: f64, v| most.max(v.abs()));
        let unit = if largest > 0.0 { largest } else { 1.0 };
        let length = values
            .iter()
            .map(|v| (v / unit).powi(2))
            .sum::<f64>()
            .sqrt();
        let scaled = columns.iter().zip(values).filter(|(_, v)| **v != 0.0);
        scaled
            .map(move |(&c, v)| (c as usize, (v / unit / length) as f32))
            .collect::<Vec<_>>()
    });
    Csr::from_rows(side.cols(), rows).expect("columns ascend")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vectors() -> Vectors {
        let rows = |shift: usize| {
            let entries = (0..30usize).flat_map(move |i| {
                (0..4).map(move |k| (i, (i * 7 + k * (5 + shift)) % 23, (1 + (i + k) % 3) as f64))
            });
            Csr::from_triplets(30, 23, entries).unwrap()
        };
        Vectors::new([rows(0), rows(1)])
    }

    #[test]
    fn likenesses_are_cosines_one_by_one_and_in_rows() {
        let vectors = vectors();
        let full = |side: &Csr<f32>, i: usize| {
            let mut row = [0.0; 23];
            side.row(i).for_each(|(c, v)| row[c] = f64::from(v));
            row
        };
        let (mut sums, mut found) = (vec![0.0; 30], Vec::new());
        for i in 0..30 {
            vectors.alike(i, usize::MAX, &mut sums, &mut found);
            assert!(sums.iter().all(|s| *s == 0.0));
            let own = full(&vectors.sides[0], i);
            assert!((own.iter().map(|v| v * v).sum::<f64>() - 1.0).abs() < 1e-6);
            for a in 0..30 {
                let other = full(&vectors.sides[1], a);
                let wanted: f64 = own.iter().zip(other).map(|(v, w)| v * w).sum();
                let listed = found
                    .iter()
                    .find(|(b, _)| *b as usize == a)
                    .map_or(0.0, |e| e.1);
                assert!((vectors.likeness(i, a).unwrap() - wanted).abs() < 1e-6);
                assert!((f64::from(listed) - wanted).abs() < 1e-6);
            }
        }
    }

    #[test]
    fn common_features_bring_up_nobody() {
        let vectors = vectors();
        let (mut sums, mut found) = (vec![0.0; 30], Vec::new());
        let visited = |visits: usize, sums: &mut Vec<f32>, found: &mut Vec<(u32, f32)>| {
            vectors.alike(3, visits, sums, found);
            found.len()
        };
        let all = visited(usize::MAX, &mut sums, &mut found);
        let few = visited(all / 2, &mut sums, &mut found);
        assert!(
            few <= all / 2 && visited(0, &mut sums, &mut found) == 0,
            "{few} {all}"
        );
    }

    #[test]
    fn equal_vectors_speak_for_a_pair_and_nothing_says_nothing() {
        let one = vectors().sides[0].map(f64::from);
        let vectors = Vectors::new([one.clone(), one]);
        let pairs: Vec<_> = (0..20).map(|i| (i, i)).collect();
        let model = vectors.fit(&pairs);
        assert!(vectors.nats(&model, 25, 25) > 1.0);
        assert!(vectors.nats(&model, 25, 26) < 0.0);
        let frequencies: f64 = vectors.strangers.iter().sum();
        assert!((frequencies - 1.0).abs() < 1e-9, "{frequencies}");
        let bare = Vectors::new([Csr::empty(3, 2), Csr::empty(3, 2)]);
        assert_eq!(bare.nats(&bare.fit(&[(0, 0)]), 1, 1), 0.0);
    }
}
