//! Random numbers of the distributions that parameters are drawn from.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::small::{Square, add_outer, eigen};

/// A standard normal number.
pub(super) fn normal(random: &mut ChaCha8Rng) -> f64 {
    // Marsaglia's polar method.
    loop {
        let [x, y] = [(); 2].map(|()| 2.0 * random.random::<f64>() - 1.0);
        let square: f64 = x * x + y * y;
        if square > 0.0 && square < 1.0 {
            return x * (-2.0 * square.ln() / square).sqrt();
        }
    }
}

/// A number of the χ² distribution with so many degrees of freedom, two at least, after Marsaglia and Tsang (2000).
pub(super) fn chi_squared(freedom: f64, random: &mut ChaCha8Rng) -> f64 {
    let d = 0.5 * freedom.max(2.0) - 1.0 / 3.0;
    let c = 1.0 / (9.0 * d).sqrt();
    loop {
        let x = normal(random);
        let v = (1.0 + c * x).powi(3);
        let u = random.random::<f64>().max(f64::MIN_POSITIVE);
        if v > 0.0 && u.ln() < 0.5 * x * x + d * (1.0 - v + v.ln()) {
            return 2.0 * d * v;
        }
    }
}

/// A covariance of the inverse Wishart distribution with this scatter and so many degrees of freedom.
///
/// With S = Σ λ uuᵀ and Bartlett's lower triangle A, it is T (A Aᵀ)⁻¹ Tᵀ for T = Σ √λ u eᵀ, that is V Vᵀ with
/// V = T A⁻ᵀ.
pub(super) fn inverse_wishart<const D: usize>(
    scatter: &Square<D>,
    freedom: f64,
    random: &mut ChaCha8Rng,
) -> Square<D> {
    let (values, axes) = eigen(scatter);
    let mut lower = [[0.0; D]; D];
    for (r, row) in lower.iter_mut().enumerate() {
        row[..r].fill_with(|| normal(random));
        row[r] = chi_squared(freedom - r as f64, random).sqrt();
    }
    // Column k of A⁻ᵀ is row k of A⁻¹; L⁻¹ by forward substitution of unit vectors.
    let mut inverted = [[0.0; D]; D];
    for c in 0..D {
        for r in c..D {
            let unit = if r == c { 1.0 } else { 0.0 };
            let sum: f64 = (c..r).map(|k| lower[r][k] * inverted[k][c]).sum();
            inverted[r][c] = (unit - sum) / lower[r][r];
        }
    }
    let mut covariance = [[0.0; D]; D];
    for row in &inverted {
        // V's column for this row of A⁻¹: Σ over axes of √λ (A⁻¹)ᵣₖ u.
        let mut column = [0.0; D];
        for (k, (value, axis)) in values.iter().zip(&axes).enumerate() {
            for (x, u) in column.iter_mut().zip(axis) {
                *x += value.max(0.0).sqrt() * row[k] * u;
            }
        }
        add_outer(&mut covariance, 1.0, &column, &column);
    }
    covariance
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    #[test]
    fn draws_have_the_moments_of_their_distributions() {
        const DRAWS: usize = 20_000;
        let mut random = ChaCha8Rng::seed_from_u64(3);
        let count = DRAWS as f64;
        let mean = |draws: &[f64]| draws.iter().sum::<f64>() / count;
        let square = |draws: &[f64]| draws.iter().map(|x| x * x).sum::<f64>() / count;
        let normals: Vec<f64> = (0..DRAWS).map(|_| normal(&mut random)).collect();
        assert!(mean(&normals).abs() < 0.03 && (square(&normals) - 1.0).abs() < 0.05);
        for freedom in [2.0, 5.0, 27.0] {
            let draws: Vec<f64> = (0..DRAWS)
                .map(|_| chi_squared(freedom, &mut random))
                .collect();
            let variance = square(&draws) - mean(&draws).powi(2);
            assert!((mean(&draws) / freedom - 1.0).abs() < 0.04, "{freedom}");
            assert!((variance / (2.0 * freedom) - 1.0).abs() < 0.15, "{freedom}");
        }
        // The mean of the inverse Wishart distribution is S / (ν − D − 1).
        let scatter = [[3.0, 1.0], [1.0, 2.0]];
        let mut sum = [[0.0; 2]; 2];
        for _ in 0..DRAWS {
            let drawn = inverse_wishart(&scatter, 12.0, &mut random);
            for (row, drawn) in sum.iter_mut().zip(drawn) {
                for (entry, x) in row.iter_mut().zip(drawn) {
                    *entry += x / count;
                }
            }
        }
        for (row, wanted) in sum.iter().zip(scatter) {
            for (x, s) in row.iter().zip(wanted) {
                assert!((x - s / 9.0).abs() < 0.02, "{sum:?}");
            }
        }
    }
}
