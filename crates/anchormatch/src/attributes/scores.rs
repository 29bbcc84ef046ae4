//! Scores that some pairs were given: how far below the best of a source node's scores partners are.
//!
//! Scores of different source nodes need not compare: a common name has many high ones. What is looked at is
//! by how much a score is less than the highest of its row.

use super::similarity::log_ratios;
use crate::linalg::Csr;

/// Parts of equally many scores.
const PARTS: usize = 10;

/// Scores of pairs.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Scores {
    /// Less the highest of each row.
    values: Csr<f64>,
    /// Where the parts end, ascending.
    ends: Vec<f64>,
    /// The share of the pairs in each part.
    frequencies: Vec<f64>,
}

/// What each part tells.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Model {
    nats: Vec<f64>,
}

impl Scores {
    pub(super) fn new(scores: &Csr<f64>) -> Self {
        let highest: Vec<f64> = (0..scores.rows())
            .map(|i| scores.row(i).fold(f64::MIN, |most, (_, v)| most.max(v)))
            .collect();
        let below = scores.triplets().map(|(i, a, v)| (i, a, v - highest[i]));
        let values = Csr::from_triplets(scores.rows(), scores.cols(), below.collect::<Vec<_>>())
            .expect("the same pairs");
        let mut sorted = values.values().to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        let mut ends: Vec<f64> = (1..PARTS)
            .filter_map(|k| {
                sorted
                    .get((k * sorted.len()).div_ceil(PARTS).saturating_sub(1))
                    .copied()
            })
            .collect();
        ends.dedup();
        // The last part has no end.
        ends.retain(|end| sorted.last().is_some_and(|last| end < last));
        let mut frequencies = vec![0.5; ends.len() + 1];
        sorted
            .iter()
            .for_each(|v| frequencies[part(&ends, *v)] += 1.0);
        let total: f64 = frequencies.iter().sum();
        frequencies.iter_mut().for_each(|share| *share /= total);
        Self {
            values,
            ends,
            frequencies,
        }
    }

    pub(super) fn fit(&self, pairs: &[(usize, usize)]) -> Model {
        let mut partners = vec![0.0; self.frequencies.len()];
        for value in pairs.iter().filter_map(|&(i, a)| self.values.get(i, a)) {
            partners[part(&self.ends, value)] += 1.0;
        }
        Model {
            nats: log_ratios(&self.frequencies, &partners),
        }
    }

    pub(super) fn nats(&self, model: &Model, i: usize, a: usize) -> f64 {
        self.values
            .get(i, a)
            .map_or(0.0, |value| model.nats[part(&self.ends, value)])
    }

    pub(super) fn row(&self, i: usize) -> &[u32] {
        self.values.columns(i)
    }
}

fn part(ends: &[f64], value: f64) -> usize {
    ends.partition_point(|end| *end < value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn higher_scores_tell_more() {
        let entries =
            (0..50usize).flat_map(|i| (0..5).map(move |k| (i, (i + k) % 50, 1.0 / (1 + k) as f64)));
        let scores = Scores::new(&Csr::from_triplets(50, 50, entries).unwrap());
        assert_eq!(scores.frequencies.len(), 5);
        let model = scores.fit(&(0..20).map(|i| (i, i)).collect::<Vec<_>>());
        let nats: Vec<f64> = (0..5).map(|k| scores.nats(&model, 30, 30 + k)).collect();
        assert!(
            nats.windows(2).all(|w| w[0] >= w[1]) && nats[0] > 1.0 && nats[4] < -1.0,
            "{nats:?}"
        );
        assert_eq!(scores.nats(&model, 0, 40), 0.0);
    }

    #[test]
    fn equal_scores_tell_nothing() {
        let entries = (0..9usize).map(|i| (i, i, 0.5));
        let scores = Scores::new(&Csr::from_triplets(9, 9, entries).unwrap());
        let model = scores.fit(&[(0, 0), (1, 1)]);
        assert!(scores.nats(&model, 3, 3).abs() < 1e-9);
        let none = Scores::new(&Csr::empty(2, 2));
        assert_eq!(none.nats(&none.fit(&[]), 0, 0), 0.0);
    }
}
