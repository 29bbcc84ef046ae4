//! The normal distribution.

/// Φ⁻¹ by bisection of the logistic approximation's neighbourhood: 40 halvings of [−9, 9].
pub(crate) fn quantile(share: f64) -> f64 {
    let (mut low, mut high) = (-9.0f64, 9.0f64);
    for _ in 0..40 {
        let middle = 0.5 * (low + high);
        if normal_distribution(middle) < share {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

/// Φ(z), from the complementary error function (Abramowitz, Stegun 7.1.26: within 1.5·10⁻⁷).
fn normal_distribution(z: f64) -> f64 {
    let x = z.abs() / std::f64::consts::SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * x);
    let series = t
        * (0.254_829_592
            + t * (-0.284_496_736
                + t * (1.421_413_741 + t * (-1.453_152_027 + t * 1.061_405_429))));
    let tail = 0.5 * series * (-x * x).exp();
    if z < 0.0 { tail } else { 1.0 - tail }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_the_normal_distribution() {
        for (share, z) in [
            (0.5, 0.0),
            (0.841_344_746, 1.0),
            (0.022_750_132, -2.0),
            (0.998_650_102, 3.0),
        ] {
            assert!((quantile(share) - z).abs() < 1e-4, "{share}");
        }
    }
}
