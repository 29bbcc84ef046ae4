//! A depth in two layers: much of an object lies near one plane, the rest before or behind it.
//!
//! Positions along epipolar lines are s = b·φ(x) + c + N(0, v), with the offset c and the variance v of one layer or of
//! the other: a mixture of two normal distributions about parallel planes. One alone takes whoever is far from the
//! middle plane to be there by mistake, and an object that is flatter than it should be to be likelier; a wall in front
//! and what stands behind it are plain to see as two.

use super::super::cholesky::Cholesky;
use super::super::draws::{chi_squared, normal};
use super::drawn_variance;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// Features of a plane: one and the coordinates.
pub(super) const PLANE: usize = 3;

/// Steps of expectation and maximisation.
const STEPS: usize = 60;

/// Where the depths are cut into layers at first: shares of the points in front.
const CUTS: [f64; 3] = [0.2, 0.5, 0.8];

/// The variance of a layer has a prior worth so many points of this share of the variance about one plane, and each
/// layer one worth so many points.
const LAYER_POINTS: f64 = 1.0;
const LAYER_VARIANCE: f64 = 0.02;

/// Prior precision of the coefficients of the plane and of the offsets, in scaled coordinates.
const LOOSE: f64 = 1.0;

/// Numbers beside those of one plane, and nats beyond their price from which on layers are believed: of 300 sets of 50
/// normal depths 4 had as many.
const MORE_NUMBERS: f64 = 3.0;
const LEAST_GAIN: f64 = 3.0;

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Layers {
    shares: [f64; 2],
    offsets: [f64; 2],
    variances: [f64; 2],
    /// What the variance of a layer is drawn to.
    prior: f64,
}

/// A point that is known to have a partner: its features and its position along the line.
pub(super) type Placed = ([f64; PLANE], f64);

impl Layers {
    /// The layers of these points and their plane, where they explain clearly more than one plane does.
    pub(super) fn of(points: &[Placed]) -> Option<(Self, [f64; PLANE])> {
        let n = points.len() as f64;
        if points.len() < 4 * PLANE {
            return None;
        }
        let plane = regression(points, |_| (1.0, 0.0)).0;
        let depths: Vec<f64> = points.iter().map(|p| depth(p, &plane)).collect();
        let variance = depths.iter().map(|d| d * d).sum::<f64>() / n;
        if variance <= f64::MIN_POSITIVE {
            return None;
        }
        let one = -0.5 * n * ((std::f64::consts::TAU * variance).ln() + 1.0);
        let mut sorted = depths.clone();
        sorted.sort_by(f64::total_cmp);
        let from = |share: f64| {
            let cut = sorted[(share * n) as usize];
            Self::fitted(points, &depths, cut, LAYER_VARIANCE * variance)
        };
        let all = CUTS.map(from);
        let best = all.into_iter().max_by(|x, y| x.2.total_cmp(&y.2))?;
        let price = 0.5 * MORE_NUMBERS * n.ln();
        (best.2 - one > price + LEAST_GAIN).then_some((best.0, best.1))
    }

    /// From depths that are cut in two, by EM; with the plane and the logarithm of the likelihood.
    fn fitted(
        points: &[Placed],
        depths: &[f64],
        cut: f64,
        prior: f64,
    ) -> (Self, [f64; PLANE], f64) {
        let mut behind: Vec<f64> = depths
            .iter()
            .map(|d| if *d < cut { 0.05 } else { 0.95 })
            .collect();
        let mut depths = depths.to_vec();
        let mut layers = Self {
            shares: [0.5; 2],
            offsets: [0.0; 2],
            variances: [prior; 2],
            prior,
        };
        let (mut plane, mut log) = ([0.0; PLANE], f64::NEG_INFINITY);
        for _ in 0..STEPS {
            layers.refit(&depths, &behind);
            plane = regression(points, |k| layers.precision_and_offset(behind[k])).0;
            log = 0.0;
            for ((p, d), b) in points.iter().zip(&mut depths).zip(&mut behind) {
                *d = depth(p, &plane);
                log += layers.log_density(*d);
                *b = layers.behind(*d);
            }
        }
        (layers, plane, log)
    }

    fn refit(&mut self, depths: &[f64], behind: &[f64]) {
        let n = depths.len() as f64;
        for k in 0..2 {
            let weight = |b: &f64| if k == 0 { 1.0 - b } else { *b };
            let all = depths.iter().zip(behind).map(|(d, b)| (d, weight(b)));
            let count: f64 = all.clone().map(|(_, w)| w).sum();
            let mean = all.clone().map(|(d, w)| w * d).sum::<f64>() / count.max(1e-9);
            let squares: f64 = all.map(|(d, w)| w * (d - mean).powi(2)).sum();
            self.shares[k] = (count + LAYER_POINTS) / (n + 2.0 * LAYER_POINTS);
            self.offsets[k] = mean;
            self.variances[k] = (squares + LAYER_POINTS * self.prior) / (count + LAYER_POINTS);
        }
    }

    /// The precision of a point's position when it lies behind so probably, and its offset.
    fn precision_and_offset(&self, behind: f64) -> (f64, f64) {
        let weights = [1.0 - behind, behind];
        let each: [f64; 2] = std::array::from_fn(|k| weights[k] / self.variances[k]);
        let precision = each[0] + each[1];
        let offset = (each[0] * self.offsets[0] + each[1] * self.offsets[1]) / precision;
        (precision, offset)
    }

    fn log_densities(&self, depth: f64) -> [f64; 2] {
        std::array::from_fn(|k| {
            let (r, v) = (depth - self.offsets[k], self.variances[k]);
            self.shares[k].ln() - 0.5 * ((std::f64::consts::TAU * v).ln() + r * r / v)
        })
    }

    /// ln of the density of a depth.
    pub(super) fn log_density(&self, depth: f64) -> f64 {
        let [front, behind] = self.log_densities(depth);
        let most = front.max(behind);
        most + ((front - most).exp() + (behind - most).exp()).ln()
    }

    /// How probable it is that a point of this depth is in the second layer.
    fn behind(&self, depth: f64) -> f64 {
        let [front, behind] = self.log_densities(depth);
        1.0 / (1.0 + (front - behind).exp())
    }

    /// The mean depth and the variance about it.
    pub(super) fn moments(&self) -> (f64, f64) {
        let ([p, q], [c, d], [v, w]) = (self.shares, self.offsets, self.variances);
        let mean = p * c + q * d;
        let variance = p * (v + (c - mean).powi(2)) + q * (w + (d - mean).powi(2));
        (mean, variance)
    }

    /// Layers and plane drawn in turns from their posterior given these points and what they were before.
    pub(super) fn draw(
        &mut self,
        points: &[Placed],
        plane: &mut [f64; PLANE],
        random: &mut ChaCha8Rng,
    ) {
        let is_behind: Vec<usize> = points
            .iter()
            .map(|p| usize::from(random.random::<f64>() < self.behind(depth(p, plane))))
            .collect();
        let (mean, factor) = regression(points, |k| {
            let layer = is_behind[k];
            (1.0 / self.variances[layer], self.offsets[layer])
        });
        let mut drawn: [f64; PLANE] = std::array::from_fn(|_| normal(random));
        factor.backward(&mut drawn);
        *plane = std::array::from_fn(|k| mean[k] + drawn[k]);
        let mut gammas = [0.0; 2];
        for layer in 0..2 {
            let own = points.iter().zip(&is_behind).filter(|(_, l)| **l == layer);
            let depths: Vec<f64> = own.map(|(p, _)| depth(p, plane)).collect();
            let count = depths.len() as f64;
            let precision = LOOSE + count / self.variances[layer];
            let centre = depths.iter().sum::<f64>() / self.variances[layer] / precision;
            let offset = centre + normal(random) / precision.sqrt();
            self.offsets[layer] = offset;
            let squares: f64 = depths.iter().map(|d| (d - offset).powi(2)).sum();
            let sum = squares + LAYER_POINTS * self.prior;
            self.variances[layer] = drawn_variance(sum, count + LAYER_POINTS, random);
            gammas[layer] = chi_squared(2.0 * (count + LAYER_POINTS), random);
        }
        self.shares = gammas.map(|g| g / (gammas[0] + gammas[1]));
    }
}

/// How far a point lies from the plane.
fn depth((features, position): &Placed, plane: &[f64; PLANE]) -> f64 {
    position - features.iter().zip(plane).map(|(f, c)| f * c).sum::<f64>()
}

/// The plane through positions with a precision and an offset each, and the factor of its own precision.
fn regression(points: &[Placed], of: impl Fn(usize) -> (f64, f64)) -> ([f64; PLANE], Cholesky) {
    let mut gram = vec![0.0; PLANE * PLANE];
    let mut plane = [0.0; PLANE];
    for (k, (features, position)) in points.iter().enumerate() {
        let (precision, offset) = of(k);
        for (a, f) in features.iter().enumerate() {
            for (b, g) in features.iter().enumerate() {
                gram[a * PLANE + b] += precision * f * g;
            }
            plane[a] += precision * f * (position - offset);
        }
    }
    for a in 0..PLANE {
        gram[a * PLANE + a] += LOOSE;
    }
    let factor = Cholesky::new(PLANE, gram);
    factor.solve(&mut plane);
    (plane, factor)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    /// A wall that leans, so many of the points behind it, and how far.
    fn house(points: usize, behind: usize, far: f64, seed: u64) -> Vec<Placed> {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        (0..points)
            .map(|k| {
                let [x, y] = [(); 2].map(|()| random.random_range(-1.5..1.5));
                let depth = if k < behind {
                    far + 0.3 * normal(&mut random)
                } else {
                    0.02 * normal(&mut random)
                };
                ([1.0, x, y], 0.1 + 0.4 * x - 0.2 * y + depth)
            })
            .collect()
    }

    #[test]
    fn a_wall_and_what_stands_behind_it_are_two_layers() {
        let points = house(50, 20, 0.9, 3);
        let (layers, plane) = Layers::of(&points).expect("layers");
        let wall = usize::from(layers.variances[1] < layers.variances[0]);
        assert!((layers.shares[wall] - 0.6).abs() < 0.1, "{layers:?}");
        assert!(layers.variances[wall].sqrt() < 0.15 && layers.variances[1 - wall].sqrt() > 0.2);
        assert!((layers.offsets[1 - wall] - layers.offsets[wall] - 0.9).abs() < 0.2);
        assert!(
            (plane[1] - 0.4).abs() < 0.05 && (plane[2] + 0.2).abs() < 0.05,
            "{plane:?}"
        );
        // Normal depths are mostly one layer, and few points are.
        let found = (0..20).filter(|seed| Layers::of(&house(50, 50, 0.0, *seed)).is_some());
        assert!(found.count() <= 2);
        assert_eq!(Layers::of(&points[..11]), None);
    }

    #[test]
    fn densities_integrate_to_one_and_have_their_moments() {
        let layers = Layers {
            shares: [0.3, 0.7],
            offsets: [-0.4, 0.5],
            variances: [0.01, 0.09],
            prior: 1e-3,
        };
        let (step, mut sums) = (1e-3, [0.0; 3]);
        for k in -4000..4000 {
            let d = step * f64::from(k);
            let mass = step * layers.log_density(d).exp();
            for (power, sum) in (0..).zip(&mut sums) {
                *sum += mass * d.powi(power);
            }
        }
        let (mean, variance) = layers.moments();
        assert!((sums[0] - 1.0).abs() < 1e-6 && (sums[1] - mean).abs() < 1e-6);
        assert!((sums[2] - mean * mean - variance).abs() < 1e-6);
    }

    #[test]
    fn draws_are_about_the_fit_and_as_uncertain_as_their_number_says() {
        const DRAWS: usize = 3000;
        let points = house(60, 24, 0.9, 3);
        let (mut layers, mut plane) = Layers::of(&points).expect("layers");
        let fit = (layers.clone(), plane);
        let wall = usize::from(fit.0.variances[1] < fit.0.variances[0]);
        let mut random = ChaCha8Rng::seed_from_u64(1);
        let (mut share, mut slope, mut squares) = (0.0, 0.0, 0.0);
        for _ in 0..DRAWS {
            layers.draw(&points, &mut plane, &mut random);
            share += layers.shares[wall] / DRAWS as f64;
            slope += plane[1] / DRAWS as f64;
            squares += plane[1] * plane[1] / DRAWS as f64;
        }
        assert!((share - fit.0.shares[wall]).abs() < 0.05, "{share}");
        assert!((slope - fit.1[1]).abs() < 0.02, "{slope} {:?}", fit.1);
        // The wall has 36 points of deviation s over a range whose variance is ¾: s / √(36 · ¾).
        let found = (squares - slope * slope).sqrt();
        let wanted = fit.0.variances[wall].sqrt() / 27f64.sqrt();
        assert!((0.4..2.0).contains(&(found / wanted)), "{found} {wanted}");
    }
}
