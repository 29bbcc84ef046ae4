//! Figures with intervals: the jackknife over clusters of trials.
//!
//! Trials are not always independent. Points of a sweep share their graphs, and pairs of frames share
//! frames. Each trial therefore says which clusters it belongs to, and a statistic θ is computed again
//! without each of the m clusters. With θ₋ₖ the value without cluster k,
//!
//! > se² = (m − 1)/m · Σₖ (θ₋ₖ − mean θ₋)²
//!
//! (Efron & Stein, 1981). For the mean of independent trials, each a cluster of its own, that is s/√m
//! exactly; for means over pairs it is the jackknife of a U-statistic of degree two (Arvesen, 1969),
//! where deleting a frame deletes every pair that it is in. The interval is θ ± t · se with Student's
//! 97.5 % quantile of m − 1 degrees of freedom, 1.96 for many clusters.

/// A figure and its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The statistic over everything; NaN for nothing.
    pub value: f64,
    /// Half the width of the interval; infinite when there are fewer than two clusters.
    pub half_width: f64,
    /// How many values went in.
    pub count: usize,
}

/// A value with the clusters that it belongs to.
#[derive(Debug, Clone, PartialEq)]
pub struct Clustered<T> {
    /// The clusters; deleting any of them deletes the value.
    pub clusters: [u32; 2],
    /// The value.
    pub value: T,
}

impl Estimate {
    /// The mean of the values.
    #[must_use]
    pub fn mean(values: &[Clustered<f64>]) -> Self {
        Self::of(values, |kept| {
            let (mut sum, mut count) = (0.0, 0usize);
            for value in kept {
                sum += value;
                count += 1;
            }
            sum / count as f64
        })
    }

    /// Any statistic of the values; a deletion for which it is not finite is left out.
    ///
    /// # Complexity
    /// O(m N) for N values in m clusters.
    pub fn of<T>(
        values: &[Clustered<T>],
        statistic: impl Fn(&mut dyn Iterator<Item = &T>) -> f64,
    ) -> Self {
        let value = statistic(&mut values.iter().map(|v| &v.value));
        let mut clusters: Vec<u32> = values.iter().flat_map(|v| v.clusters).collect();
        clusters.sort_unstable();
        clusters.dedup();
        let without: Vec<f64> = clusters
            .iter()
            .map(|cluster| {
                let kept = values.iter().filter(|v| !v.clusters.contains(cluster));
                statistic(&mut kept.map(|v| &v.value))
            })
            .filter(|value| value.is_finite())
            .collect();
        let half_width = match without.len() {
            0 | 1 => f64::INFINITY,
            m => {
                let mean = without.iter().sum::<f64>() / m as f64;
                let squares: f64 = without.iter().map(|v| (v - mean) * (v - mean)).sum();
                student(m - 1) * (squares * (m - 1) as f64 / m as f64).sqrt()
            }
        };
        Self {
            value,
            half_width,
            count: values.len(),
        }
    }

    /// The lower end of the interval.
    #[must_use]
    pub fn low(&self) -> f64 {
        self.value - self.half_width
    }

    /// The upper end of the interval.
    #[must_use]
    pub fn high(&self) -> f64 {
        self.value + self.half_width
    }

    /// `0.934 ± .012`; `–` when there is no value.
    #[must_use]
    pub fn text(&self) -> String {
        if !self.value.is_finite() {
            return "–".to_owned();
        }
        format!("{:.3} ± {}", self.value, self.width_text())
    }

    /// As [`text`](Self::text), with a sign: `+0.034 ± .012`.
    #[must_use]
    pub fn signed(&self) -> String {
        if !self.value.is_finite() {
            return "–".to_owned();
        }
        let value = format!("{:+.3}", self.value);
        let value = match value.trim_start_matches(['+', '-']) {
            "0.000" => "0.000".to_owned(),
            _ => value.replace('-', "−"),
        };
        format!("{value} ± {}", self.width_text())
    }

    fn width_text(&self) -> String {
        if !self.half_width.is_finite() {
            return "?".to_owned();
        }
        let width = format!("{:.3}", self.half_width);
        width.strip_prefix('0').map(str::to_owned).unwrap_or(width)
    }
}

/// Student's 97.5 % quantile.
fn student(degrees: usize) -> f64 {
    const TABLE: [f64; 30] = [
        12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160,
        2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056,
        2.052, 2.048, 2.045, 2.042,
    ];
    match degrees {
        0 => f64::INFINITY,
        1..=30 => TABLE[degrees - 1],
        // The first term of the expansion in 1/degrees (Cornish & Fisher): 2.021 at 40, as tables say.
        _ => 1.960 + 2.372 / degrees as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anchormatch_report::Summary;
    use proptest::prelude::*;

    fn alone(values: &[f64]) -> Vec<Clustered<f64>> {
        let each = values.iter().zip(0u32..);
        each.map(|(&value, k)| Clustered {
            clusters: [k, k],
            value,
        })
        .collect()
    }

    proptest! {
        #[test]
        fn of_independent_trials_it_is_the_standard_error(
            values in prop::collection::vec(-1.0..1.0f64, 2..60),
        ) {
            let estimate = Estimate::mean(&alone(&values));
            let summary = Summary::of(values.iter().copied());
            prop_assert!((estimate.value - summary.mean).abs() < 1e-12);
            let want = student(values.len() - 1) * summary.standard_error;
            prop_assert!((estimate.half_width - want).abs() < 1e-9);
        }

        #[test]
        fn repeating_a_cluster_adds_no_certainty(values in prop::collection::vec(-1.0..1.0f64, 2..30)) {
            let once = alone(&values);
            let thrice: Vec<_> = once.iter().flat_map(|v| vec![v.clone(); 3]).collect();
            let (a, b) = (Estimate::mean(&once), Estimate::mean(&thrice));
            prop_assert!((a.half_width - b.half_width).abs() < 1e-9);
        }
    }

    #[test]
    fn pairs_are_deleted_with_either_end() {
        // Three nodes a, b, c with pairs 0, 3, 6: without a node one pair is left.
        let pair = |i, j, value| Clustered {
            clusters: [i, j],
            value,
        };
        let estimate = Estimate::mean(&[pair(0, 1, 0.0), pair(0, 2, 3.0), pair(1, 2, 6.0)]);
        // θ₋ = 6, 3, 0: the squares sum to 18, times 2/3 is 12.
        let want = 4.303 * 12.0f64.sqrt();
        assert!((estimate.half_width - want).abs() < 1e-9);
        assert_eq!((estimate.value, estimate.count), (3.0, 3));
    }

    #[test]
    fn one_cluster_or_none_says_nothing() {
        assert_eq!(Estimate::mean(&alone(&[0.5])).half_width, f64::INFINITY);
        assert_eq!(Estimate::mean(&alone(&[0.5])).text(), "0.500 ± ?");
        assert!(Estimate::mean(&[]).value.is_nan());
        assert_eq!(Estimate::mean(&[]).signed(), "–");
    }

    #[test]
    fn quantiles_are_those_of_the_tables() {
        for (degrees, want) in [
            (1, 12.706),
            (10, 2.228),
            (40, 2.021),
            (60, 2.000),
            (120, 1.980),
        ] {
            assert!((student(degrees) - want).abs() < 2e-3, "{degrees}");
        }
    }

    #[test]
    fn texts_are_short() {
        let estimate = Estimate {
            value: -0.0344,
            half_width: 0.0121,
            count: 9,
        };
        assert_eq!(estimate.text(), "-0.034 ± .012");
        assert_eq!(estimate.signed(), "−0.034 ± .012");
        let nothing = Estimate {
            value: -0.0001,
            ..estimate
        };
        assert_eq!(nothing.signed(), "0.000 ± .012");
    }
}
