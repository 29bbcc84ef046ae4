//! Smooth functions of a point: features of a Gaussian process.
//!
//! A process with the kernel k(x, x') = exp(−|x − x'|² / 2ℓ²), seen through c centres (Nyström's
//! approximation): with K the kernel among the centres and L Lᵀ = K, the functions
//! L⁻¹ (k(x, z₁), …, k(x, z_c)) with independent coefficients of variance one are that process at the centres.

use super::super::cholesky::Cholesky;
use super::super::small::{Vector, squared_distance};

/// Centres at most.
const MOST_CENTRES: usize = 32;

/// Centres stand no closer than this share of the length.
const CLOSEST: f64 = 0.3;

/// What is added to the kernel's diagonal against rounding.
const NUGGET: f64 = 1e-6;

#[derive(Debug)]
pub(in crate::points) struct Waves<const D: usize> {
    length: f64,
    centres: Vec<Vector<D>>,
    factor: Cholesky,
}

impl<const D: usize> Waves<D> {
    /// Waves of this length, their centres among the points, each as far as possible from those before.
    pub(in crate::points) fn new(points: &[Vector<D>], length: f64) -> Self {
        let mut centres: Vec<Vector<D>> = points.iter().take(1).copied().collect();
        let mut distance = vec![f64::INFINITY; points.len()];
        while let Some(last) = centres.last().filter(|_| centres.len() < MOST_CENTRES) {
            for (d, x) in distance.iter_mut().zip(points) {
                *d = d.min(squared_distance(x, last));
            }
            let far = (0..points.len()).max_by(|&a, &b| distance[a].total_cmp(&distance[b]));
            match far.filter(|&far| distance[far] > (CLOSEST * length).powi(2)) {
                Some(far) => centres.push(points[far]),
                None => break,
            }
        }
        let count = centres.len();
        let mut kernel = vec![0.0; count * count];
        for (a, x) in centres.iter().enumerate() {
            for (b, y) in centres.iter().enumerate() {
                let nugget = if a == b { NUGGET } else { 0.0 };
                kernel[a * count + b] = likeness(x, y, length) + nugget;
            }
        }
        Self {
            length,
            factor: Cholesky::new(count, kernel),
            centres,
        }
    }

    pub(super) fn count(&self) -> usize {
        self.centres.len()
    }

    /// Appends the features of a point.
    fn push_features(&self, x: &Vector<D>, out: &mut Vec<f64>) {
        let start = out.len();
        let centres = self.centres.iter();
        out.extend(centres.map(|centre| likeness(x, centre, self.length)));
        self.factor.forward(&mut out[start..]);
    }
}

/// (1, x, waves) of every point, row by row.
pub(super) fn features<const D: usize>(points: &[Vector<D>], waves: Option<&Waves<D>>) -> Vec<f64> {
    let mut features = Vec::new();
    for x in points {
        features.push(1.0);
        features.extend(x);
        if let Some(waves) = waves {
            waves.push_features(x, &mut features);
        }
    }
    features
}

fn likeness<const D: usize>(x: &Vector<D>, y: &Vector<D>, length: f64) -> f64 {
    (-0.5 * squared_distance(x, y) / (length * length)).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_multiply_to_the_kernel() {
        let points: Vec<[f64; 2]> = (0..12).map(|k| [0.4 * k as f64, (k % 3) as f64]).collect();
        let waves = Waves::new(&points, 1.0);
        let features = |x| {
            let mut out = Vec::new();
            waves.push_features(x, &mut out);
            out
        };
        for x in &waves.centres {
            for y in &waves.centres {
                let dot: f64 = features(x)
                    .iter()
                    .zip(features(y))
                    .map(|(a, b)| a * b)
                    .sum();
                assert!((dot - likeness(x, y, 1.0)).abs() < 1e-4, "{dot}");
            }
        }
        assert!(waves.count() > 4 && waves.count() <= 12);
        assert_eq!(Waves::<2>::new(&[], 1.0).count(), 0);
        assert_eq!(Waves::new(&[[1.0, 1.0]; 4], 1.0).count(), 1);
    }
}
