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

/// Octaves that are told apart; what lies above falls together.
const OCTAVES: usize = 16;

/// The mutual information of the counts that all pairs of matched pairs show, in nats for each.
///
/// # Complexity
/// O(k²) for k matched nodes.
#[must_use]
pub(crate) fn information_of_counts(
    matched: &[(usize, usize)],
    observed: impl Fn((usize, usize), (usize, usize)) -> [Option<f64>; 2],
) -> f64 {
    let mut table = [[0.0f64; OCTAVES]; OCTAVES];
    for &one in matched {
        for &other in matched {
            if let [Some(x), Some(y)] = observed(one, other) {
                table[octave(x)][octave(y)] += 1.0;
            }
        }
    }
    let rows = table.map(|row| row.iter().sum::<f64>());
    let columns: [f64; OCTAVES] = std::array::from_fn(|l| table.iter().map(|row| row[l]).sum());
    let total: f64 = rows.iter().sum();
    if total == 0.0 {
        return 0.0;
    }
    let mut information = 0.0;
    for (row, of_row) in table.iter().zip(rows) {
        for (count, of_column) in row.iter().zip(columns) {
            if *count > 0.0 {
                information += count * (count * total / (of_row * of_column)).ln();
            }
        }
    }
    let used = |sums: [f64; OCTAVES]| sums.iter().filter(|s| **s > 0.0).count() as f64;
    let chance = 0.5 * (used(rows) - 1.0) * (used(columns) - 1.0);
    ((information - chance) / total).max(0.0)
}

/// The octave of a count that is given as ln(1 + w).
fn octave(value: f64) -> usize {
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
