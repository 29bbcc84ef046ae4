//! Likenesses of pairs: how often partners have one, and how often strangers.
//!
//! A likeness from 0 to 1 falls into one of a few bins; what a bin tells is ln P(bin | partners) −
//! ln P(bin | strangers), made to rise with the likeness.

/// Bins: none at all, ten equal parts, and equal.
pub(super) const BINS: usize = 12;

/// Pairs that are taken for granted before any is known.
const GRANTED: f64 = 3.0;

/// The bin of a likeness.
pub(super) fn bin(likeness: f64) -> usize {
    if likeness <= 0.0 {
        0
    } else if likeness >= 0.9995 {
        BINS - 1
    } else {
        1 + ((likeness * 10.0) as usize).min(BINS - 3)
    }
}

/// What each bin tells, in nats.
///
/// `strangers` are shares of pairs that are none, `partners` counts of pairs that are. Before these are
/// known, half of all partners are taken to be alike in any of the upper bins, and the others like
/// strangers.
pub(super) fn log_ratios(strangers: &[f64], partners: &[f64]) -> Vec<f64> {
    let bins = strangers.len();
    let upper = bins / 3..bins;
    let share = 0.5 / upper.len().max(1) as f64;
    let total = partners.iter().sum::<f64>() + GRANTED;
    let nats = (0..bins).map(|b| {
        let alike = if upper.contains(&b) { share } else { 0.0 };
        let prior = 0.5 * strangers[b] + alike;
        let seen = (partners[b] + GRANTED * prior) / total;
        (seen / strangers[b]).ln()
    });
    rising(&nats.collect::<Vec<_>>(), strangers)
}

/// The nearest values that do not fall, by weighted means of neighbours that do (pool adjacent violators).
fn rising(values: &[f64], weights: &[f64]) -> Vec<f64> {
    let mut blocks: Vec<(f64, f64, usize)> = Vec::new();
    for (&value, &weight) in values.iter().zip(weights) {
        blocks.push((value, weight, 1));
        while let [.., (low, v, k), (high, w, l)] = blocks[..]
            && low > high
        {
            blocks.truncate(blocks.len() - 2);
            blocks.push(((low * v + high * w) / (v + w), v + w, k + l));
        }
    }
    let spread = blocks
        .iter()
        .flat_map(|&(value, _, count)| std::iter::repeat_n(value, count));
    spread.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_cover_the_likenesses_in_their_order() {
        let of: Vec<usize> = (0..=1000).map(|k| bin(f64::from(k) / 1000.0)).collect();
        assert!(of.is_sorted());
        assert_eq!(
            (of[0], of[1], of[999], of[1000]),
            (0, 1, BINS - 2, BINS - 1)
        );
        assert_eq!(bin(f64::NAN.max(0.0)), 0);
    }

    #[test]
    fn what_is_told_rises_and_follows_the_counts() {
        let strangers = [0.9, 0.08, 0.02];
        let few = log_ratios(&strangers, &[0.0, 0.0, 0.0]);
        assert!(few.is_sorted(), "{few:?}");
        let many = log_ratios(&strangers, &[100.0, 100.0, 800.0]);
        assert!((many[2] - (0.8f64 / 0.02).ln()).abs() < 0.01, "{many:?}");
        let odd = log_ratios(&strangers, &[0.0, 1000.0, 0.0]);
        assert!(odd.is_sorted(), "{odd:?}");
    }

    #[test]
    fn pooled_values_keep_the_mean() {
        let weights = [1.0, 2.0, 1.0, 4.0];
        let values = [3.0, 1.0, 5.0, 2.0];
        let pooled = rising(&values, &weights);
        assert!(pooled.is_sorted());
        let sum = |v: &[f64]| v.iter().zip(&weights).map(|(v, w)| v * w).sum::<f64>();
        assert!((sum(&values) - sum(&pooled)).abs() < 1e-12);
    }
}
