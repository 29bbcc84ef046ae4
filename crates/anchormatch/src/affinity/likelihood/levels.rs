//! What counts tell of each other, without a curve fitted to them.
//!
//! Counts of most pairs of nodes are zero and a few are large: no Gaussian has such tails, and the one that is
//! fitted to ln(1 + w) orders matchings well but claims too much for the best of them. In octaves, k(w) = ⌈log₂(1 + w)⌉, the
//! joint distribution of two matched counts is a small table, and its mutual information
//!
//! > I = Σ P(k, l) ln P(k, l)/(P(k) P(l))
//!
//! is what a pair of nodes tells on average, whatever the curve. Miller's correction (1955) takes out what a table of
//! that size holds by chance.
//!
//! The table's own evidence, g(k, l) = ln P(k, l)/(P(k) P(l)), orders matchings as well. Among those of all nodes, what depends
//! on k or on l alone is the same for each, and may be taken out; the rest is a matrix of few octaves, of which the products
//!
//! > g(k, l) ≈ Σᵣ fᵣ(k) hᵣ(l),   fᵣ(0) = hᵣ(0) = 0,
//!
//! of its largest singular values are kept, entries weighed by √(P(k) P(l)) as in correspondence analysis. Where there is no
//! edge they vanish, so that the program is a sum of products of lists of edges.

use crate::error::Result;
use crate::linalg::{Matrix, symmetric_eigen};

/// Octaves that are told apart; what lies above falls together.
pub(super) const OCTAVES: usize = 16;

/// Products of functions of octaves at most.
const PRODUCTS: usize = 3;

/// Singular values below this share of the largest are left out.
const LEAST_SINGULAR: f64 = 0.02;

/// Observations of independent counts that are added to a table: one for each of the octaves that usually occur.
const INDEPENDENT: f64 = 8.0;

/// A function of an octave.
pub(super) type OfOctave = [f64; OCTAVES];

/// The mutual information of the counts that all pairs of matched pairs show, in nats for each.
///
/// # Complexity
/// O(k²) for k matched nodes.
#[must_use]
pub(crate) fn information_of_counts(
    matched: &[(usize, usize)],
    observed: impl Fn((usize, usize), (usize, usize)) -> [Option<f64>; 2],
) -> f64 {
    LevelCounts::of(matched, observed).information()
}

/// How many pairs of matched pairs show each pair of octaves.
pub(crate) struct LevelCounts {
    table: [OfOctave; OCTAVES],
    rows: OfOctave,
    columns: OfOctave,
}

impl LevelCounts {
    /// Those of counts that are given as ln(1 + w).
    ///
    /// # Complexity
    /// O(k²) for k matched nodes.
    pub(crate) fn of(
        matched: &[(usize, usize)],
        observed: impl Fn((usize, usize), (usize, usize)) -> [Option<f64>; 2],
    ) -> Self {
        let mut table = [[0.0f64; OCTAVES]; OCTAVES];
        for &one in matched {
            for &other in matched {
                if let [Some(x), Some(y)] = observed(one, other) {
                    table[octave(x)][octave(y)] += 1.0;
                }
            }
        }
        Self {
            rows: table.map(|row| row.iter().sum::<f64>()),
            columns: std::array::from_fn(|l| table.iter().map(|row| row[l]).sum()),
            table,
        }
    }

    fn total(&self) -> f64 {
        self.rows.iter().sum()
    }

    fn information(&self) -> f64 {
        let total = self.total();
        if total == 0.0 {
            return 0.0;
        }
        let mut information = 0.0;
        for (row, of_row) in self.table.iter().zip(self.rows) {
            for (count, of_column) in row.iter().zip(self.columns) {
                if *count > 0.0 {
                    information += count * (count * total / (of_row * of_column)).ln();
                }
            }
        }
        let used = |sums: OfOctave| sums.iter().filter(|s| **s > 0.0).count() as f64;
        let chance = 0.5 * (used(self.rows) - 1.0) * (used(self.columns) - 1.0);
        ((information - chance) / total).max(0.0)
    }

    /// g(k, l), 0 for octaves that do not occur.
    fn evidence(&self) -> [OfOctave; OCTAVES] {
        let total = self.total();
        std::array::from_fn(|k| {
            std::array::from_fn(|l| {
                let alone = self.rows[k] * self.columns[l] / total.max(1.0);
                if alone > 0.0 {
                    let added = INDEPENDENT / total * alone;
                    ((self.table[k][l] + added) / (alone + added)).ln()
                } else {
                    0.0
                }
            })
        })
    }

    /// The products (fᵣ, hᵣ) of what the table tells of matchings of all nodes.
    pub(super) fn products(&self) -> Result<Vec<[OfOctave; 2]>> {
        let g = self.evidence();
        let total = self.total().max(1.0);
        let (p, q) = (
            self.rows.map(|s| s / total),
            self.columns.map(|s| s / total),
        );
        // What depends on one octave alone is taken out, in the mean over what occurs.
        let of_rows = g.map(|row| row.iter().zip(q).map(|(g, q)| g * q).sum::<f64>());
        let of_columns: OfOctave =
            std::array::from_fn(|l| g.iter().zip(p).map(|(row, p)| row[l] * p).sum());
        let mean: f64 = of_rows.iter().zip(p).map(|(g, p)| g * p).sum();
        let weighed = Matrix::from_fn(OCTAVES, OCTAVES, |k, l| {
            (p[k] * q[l]).sqrt() * (g[k][l] - of_rows[k] - of_columns[l] + mean)
        });
        let square = Matrix::from_fn(OCTAVES, OCTAVES, |l, m| {
            (0..OCTAVES)
                .map(|k| weighed[(k, l)] * weighed[(k, m)])
                .sum()
        });
        let eigen = symmetric_eigen(&square)?;
        let largest = eigen.values[OCTAVES - 1].max(0.0);
        let least = LEAST_SINGULAR * LEAST_SINGULAR * largest;
        let kept = (0..OCTAVES).rev().take(PRODUCTS);
        let kept = kept.filter(|&r| eigen.values[r] > least && eigen.values[r] > 1e-12);
        let products = kept.map(|r| {
            let right = |l: usize| eigen.vectors[(l, r)];
            let left = |k: usize| {
                (0..OCTAVES)
                    .map(|l| weighed[(k, l)] * right(l))
                    .sum::<f64>()
            };
            [
                from_none(std::array::from_fn(left), p),
                from_none(std::array::from_fn(right), q),
            ]
        });
        Ok(products.collect())
    }
}

/// A singular vector as a function of an octave that is 0 where there is none; octaves that do not occur are as those below.
fn from_none(vector: OfOctave, occurs: OfOctave) -> OfOctave {
    let mut below = 0.0;
    let values: OfOctave = std::array::from_fn(|k| {
        if occurs[k] > 0.0 {
            below = vector[k] / occurs[k].sqrt();
        }
        below
    });
    values.map(|value| value - values[0])
}

/// The octave of a count that is given as ln(1 + w).
pub(super) fn octave(value: f64) -> usize {
    // A whole count of 2^k − 1 must not fall into the next octave by rounding.
    let octave = (value / std::f64::consts::LN_2 - 1e-9).ceil();
    (octave.max(0.0) as usize).min(OCTAVES - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::affinity::likelihood::{Observations, Scale};
    use crate::graph::Graph;

    #[test]
    fn octaves_are_those_of_the_counts() {
        let counts = [0.0f64, 1.0, 2.0, 3.0, 4.0, 7.0, 8.0, 1e30];
        let octaves = counts.map(|w| octave(w.ln_1p()));
        assert_eq!(octaves, [0, 1, 2, 2, 3, 3, 4, OCTAVES - 1]);
    }

    /// Of as many products as there are octaves, every quadrangle of the table is that of its evidence; they vanish where
    /// there is no edge.
    #[test]
    fn products_are_the_table_up_to_what_one_octave_tells() {
        // Counts of 0, 1 and 2 or 3: three octaves, so that two products are all.
        let count = |i: usize, j: usize| ((7 * i * i + 5 * j + i * j) % 4) as f64;
        let shown = |(i, a): (usize, usize), (j, b): (usize, usize)| {
            if i == j {
                return [None, None];
            }
            let other = if (i * j) % 5 == 0 { b + 1 } else { b };
            [count(i, j), count(a, other)].map(|w| Some(w.ln_1p()))
        };
        let matched: Vec<_> = (0..30).map(|i| (i, i)).collect();
        let counts = LevelCounts::of(&matched, shown);
        let g = counts.evidence();
        let products = counts.products().unwrap();
        assert_eq!(products.len(), 2);
        let sum = |k: usize, l: usize| -> f64 { products.iter().map(|[f, h]| f[k] * h[l]).sum() };
        for (k, l) in [(1, 1), (1, 2), (2, 1), (2, 2)] {
            let wanted = g[k][l] - g[k][0] - g[0][l] + g[0][0];
            assert!(
                (sum(k, l) - wanted).abs() < 1e-9,
                "{k} {l}: {} {wanted}",
                sum(k, l)
            );
        }
        assert!(products.iter().all(|[f, h]| f[0] == 0.0 && h[0] == 0.0));
        // More than ever occurred counts as the most that did.
        assert_eq!(sum(9, 9), sum(2, 2));
        assert!(sum(2, 2) > 0.5, "{}", sum(2, 2));
    }

    /// Of a graph and itself, the information is the entropy of its octaves; of unrelated ones, nothing.
    #[test]
    fn a_copy_tells_all_and_a_stranger_nothing() {
        let graph = |seed: u64| {
            let mixed = |key: u64| {
                let z = (seed + key).wrapping_mul(0x9E37_79B9_7F4A_7C15);
                let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
                z ^ (z >> 31)
            };
            let pairs = (0..40u64).flat_map(|i| (0..i).map(move |j| (i, j)));
            let edges: Vec<_> = pairs
                .map(|(i, j)| (i as usize, j as usize, (mixed(41 * i + j) % 5) as f64))
                .filter(|e| e.2 > 0.0)
                .collect();
            Graph::from_edges(40, &edges).unwrap()
        };
        let observed = [0, 99_991].map(|seed| Observations::of(&graph(seed), Scale::Counts, false));
        let all: Vec<_> = (0..40).map(|i| (i, i)).collect();
        let mut sizes = [0.0f64; 4];
        for i in 0..40 {
            for j in (0..40).filter(|&j| j != i) {
                sizes[octave(observed[0].get(i, j).unwrap())] += 1.0;
            }
        }
        let total: f64 = sizes.iter().sum();
        let entropy: f64 = sizes
            .iter()
            .filter(|s| **s > 0.0)
            .map(|s| -s / total * (s / total).ln())
            .sum();
        let information = |target: &Observations| {
            information_of_counts(&all, |(i, a), (j, b)| {
                [observed[0].get(i, j), target.get(a, b)]
            })
        };
        let own = information(&observed[0]);
        assert!((own - entropy).abs() < 0.01, "{own} {entropy}");
        let strange = information(&observed[1]);
        assert!(strange < 0.1 * own, "{strange} {own}");
    }
}
