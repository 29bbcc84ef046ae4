//! Numbers: two standard normal variables with a correlation.

use std::sync::Arc;

use crate::linalg::quantile;

/// Pairs that are taken for granted before any is known, and the correlation that they have.
const GRANTED: f64 = 2.0;
const AT_FIRST: f64 = 0.5;

/// Correlations beyond this are taken for it.
const LARGEST: f64 = 0.9999;

/// By how much ranks must correlate better than the numbers themselves to be preferred.
const PREFERENCE: f64 = 0.05;

/// Numbers of both sides, standardised in two ways; NaN where they are not known.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Numbers {
    /// In the unit of all numbers of both sides.
    given: [Arc<[f64]>; 2],
    /// As normal quantiles of the ranks on each side, whatever its unit.
    ranks: [Arc<[f64]>; 2],
}

/// How the numbers of partners correlate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Model {
    by_rank: bool,
    correlation: f64,
}

impl Numbers {
    pub(super) fn new(source: &[f64], target: &[f64]) -> Self {
        Self {
            given: standardised([source, target]),
            ranks: [source, target].map(normal_scores),
        }
    }

    /// The number of a node, bit by bit.
    pub(super) fn bits(&self, side: usize, node: usize) -> u64 {
        self.given[side][node].to_bits()
    }

    pub(super) fn fit(&self, pairs: &[(usize, usize)]) -> Model {
        let given = correlation(&self.given, pairs);
        let ranks = correlation(&self.ranks, pairs);
        let by_rank = ranks > given + PREFERENCE;
        Model {
            by_rank,
            correlation: if by_rank { ranks } else { given },
        }
    }

    pub(super) fn nats(&self, model: &Model, i: usize, a: usize) -> f64 {
        let values = if model.by_rank {
            &self.ranks
        } else {
            &self.given
        };
        let (x, y, r) = (values[0][i], values[1][a], model.correlation);
        if x.is_nan() || y.is_nan() {
            return 0.0;
        }
        let rest = 1.0 - r * r;
        -0.5 * rest.ln() - (r * r * (x * x + y * y) - 2.0 * r * x * y) / (2.0 * rest)
    }
}

/// The correlation of standard values, that of the pairs taken for granted among them.
fn correlation(values: &[Arc<[f64]>; 2], pairs: &[(usize, usize)]) -> f64 {
    let known = pairs.iter().map(|&(i, a)| (values[0][i], values[1][a]));
    let known = known.filter(|(x, y)| !(x.is_nan() || y.is_nan()));
    let (product, squares) = known.fold((0.0, 0.0), |(product, squares), (x, y)| {
        (product + x * y, squares + 0.5 * (x * x + y * y))
    });
    let correlation = (product + GRANTED * AT_FIRST) / (squares + GRANTED);
    correlation.clamp(-LARGEST, LARGEST)
}

/// All numbers less their mean, in units of their spread.
fn standardised(sides: [&[f64]; 2]) -> [Arc<[f64]>; 2] {
    let largest = sides.iter().flat_map(|side| side.iter());
    let largest = largest.fold(
        0.0,
        |most: f64, v| if v.is_nan() { most } else { most.max(v.abs()) },
    );
    let unit = if largest > 0.0 { largest } else { 1.0 };
    let known = || {
        sides
            .iter()
            .flat_map(|side| side.iter())
            .filter(|v| !v.is_nan())
            .map(|v| v / unit)
    };
    let count = known().count().max(1) as f64;
    let mean = known().sum::<f64>() / count;
    let spread = (known().map(|v| (v - mean).powi(2)).sum::<f64>() / count).sqrt();
    // What is left of equal numbers after rounding is no spread.
    let scale = if spread > 1e-12 * mean.abs() {
        1.0 / spread
    } else {
        0.0
    };
    sides.map(|side| side.iter().map(|v| (v / unit - mean) * scale).collect())
}

/// The normal quantiles of the ranks; equal numbers share their middle one.
fn normal_scores(side: &[f64]) -> Arc<[f64]> {
    let mut order: Vec<usize> = (0..side.len()).filter(|&i| !side[i].is_nan()).collect();
    order.sort_unstable_by(|&i, &j| side[i].total_cmp(&side[j]));
    let mut scores = vec![f64::NAN; side.len()];
    let mut first = 0;
    while first < order.len() {
        let value = side[order[first]];
        let count = order[first..]
            .iter()
            .take_while(|&&i| side[i] == value)
            .count();
        let middle = first as f64 + 0.5 * count as f64;
        let score = quantile(middle / order.len() as f64);
        for &i in &order[first..first + count] {
            scores[i] = score;
        }
        first += count;
    }
    scores.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(n: usize) -> Vec<(usize, usize)> {
        (0..n).map(|i| (i, i)).collect()
    }

    /// ln N₂(x, y; ρ)/(N(x) N(y)), written out.
    #[test]
    fn nats_are_the_ratio_of_densities() {
        let values = [0.3, -1.2, 2.0, 0.1, -0.7, f64::NAN];
        let numbers = Numbers::new(&values, &values);
        let model = Model {
            by_rank: false,
            correlation: 0.6,
        };
        let (x, y) = (numbers.given[0][0], numbers.given[1][2]);
        let density = |x: f64, y: f64, r: f64| {
            let rest = 1.0 - r * r;
            (-(x * x - 2.0 * r * x * y + y * y) / (2.0 * rest)).exp() / rest.sqrt()
        };
        let wanted = (density(x, y, 0.6) / density(x, y, 0.0)).ln();
        assert!((numbers.nats(&model, 0, 2) - wanted).abs() < 1e-12);
        assert_eq!(numbers.nats(&model, 5, 2), 0.0);
    }

    #[test]
    fn the_unit_of_a_side_does_not_matter_to_ranks() {
        let source: Vec<f64> = (0..40).map(|k| ((k * 17) % 41) as f64).collect();
        let target: Vec<f64> = source.iter().map(|v| 32.0 + 1.8e3 * v.powi(3)).collect();
        let numbers = Numbers::new(&source, &target);
        let model = numbers.fit(&all(40));
        assert!(model.by_rank && model.correlation > 0.95, "{model:?}");
        let same = Numbers::new(&source, &source).fit(&all(40));
        assert!(!same.by_rank && same.correlation > 0.95, "{same:?}");
    }

    #[test]
    fn nothing_known_claims_little_and_equal_numbers_nothing() {
        let numbers = Numbers::new(&[1.0, 2.0, 3.0], &[1.0, 2.0, 3.0]);
        assert_eq!(numbers.fit(&[]).correlation, AT_FIRST);
        let equal = Numbers::new(&[7.0; 4], &[7.0; 4]);
        let model = equal.fit(&all(4));
        assert!(equal.nats(&model, 0, 1).abs() < 0.2);
        let huge = Numbers::new(&[1e308, -1e308, 5.0], &[1e308, 0.0, f64::NAN]);
        assert!(huge.nats(&huge.fit(&all(3)), 0, 1).is_finite());
    }
}
