//! Random edges that cost what they number: G(n, ρ) by geometric skips.
//!
//! Among independent pairs that are edges with probability ρ, the number of pairs between one edge
//! and the next is geometric: ⌊ln u / ln(1 − ρ)⌋ for u uniform in (0, 1]. Walking from edge to edge
//! costs O(n + |E|) instead of n² (Batagelj & Brandes, *Efficient generation of large random
//! networks*, 2005).

use std::ops::Range;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// Lower node, higher node, weight.
pub(super) type Edge = (usize, usize, f64);

/// Edges (low, high) with `high` in `rows` and low < high, each present with probability `density`.
pub(super) fn random_edges(rows: Range<usize>, density: f64, rng: &mut ChaCha8Rng) -> Vec<Edge> {
    let mut edges = Vec::new();
    let log_absent = (-density).ln_1p();
    let skip = |rng: &mut ChaCha8Rng| {
        if density == 1.0 {
            return 0;
        }
        // The number of absent pairs before the next edge is geometric; the cast saturates.
        ((1.0 - rng.random::<f64>()).ln() / log_absent) as u64
    };
    let mut high = rows.start;
    let mut low = skip(rng);
    loop {
        while high < rows.end && low >= high as u64 {
            low -= high as u64;
            high += 1;
        }
        if high >= rows.end {
            return edges;
        }
        // In (0, 1]: a weight of zero would be no edge.
        let weight = 1.0 - rng.random::<f64>();
        edges.push((low as usize, high, weight));
        low = low.saturating_add(1).saturating_add(skip(rng));
    }
}

/// Whether `count` could come from Binomial(trials, probability): false with odds below 10⁻¹⁰.
#[cfg(test)]
pub(super) fn plausible(count: usize, trials: usize, probability: f64) -> bool {
    let mean = trials as f64 * probability;
    let deviation = (mean * (1.0 - probability)).sqrt();
    // The constant covers rare events, whose law is skewed.
    (count as f64 - mean).abs() <= 8.0 * deviation + 4.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream;

    #[test]
    fn skips_reach_every_pair_with_the_same_probability_and_independently() {
        const REPETITIONS: usize = 20_000;
        for (rows, density) in [(0..6, 0.3), (2..6, 0.8), (4..6, 0.05)] {
            let all: Vec<(usize, usize)> = rows
                .clone()
                .flat_map(|high| (0..high).map(move |low| (low, high)))
                .collect();
            let mut single = vec![0usize; all.len()];
            let mut neighbouring = vec![0usize; all.len()];
            let mut rng = stream(6, 0);
            for _ in 0..REPETITIONS {
                let mut present = vec![false; all.len()];
                for (low, high, _) in random_edges(rows.clone(), density, &mut rng) {
                    let k = all.iter().position(|&p| p == (low, high)).unwrap();
                    assert!(!present[k]);
                    present[k] = true;
                }
                for k in 0..all.len() {
                    single[k] += usize::from(present[k]);
                    neighbouring[k] += usize::from(k > 0 && present[k] && present[k - 1]);
                }
            }
            for k in 0..all.len() {
                assert!(plausible(single[k], REPETITIONS, density), "{:?}", all[k]);
                assert!(k == 0 || plausible(neighbouring[k], REPETITIONS, density * density));
            }
        }
        let complete = random_edges(0..5, 1.0, &mut stream(6, 0));
        assert_eq!(complete.len(), 10);
        assert!(random_edges(0..1, 1.0, &mut stream(6, 0)).is_empty());
        assert!(random_edges(3..3, 1.0, &mut stream(6, 0)).is_empty());
    }
}
