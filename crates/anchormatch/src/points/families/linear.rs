//! Maps that are linear in their parameters: affine ones, two views of a solid object, smooth deformations.
//!
//! y = B(x) + Cᵀ φ(x) + N(0, Σ), with B a similarity that the coefficients C are small deviations from, and
//! features φ = (1, x, [waves](super::waves)). Along each axis of Σ this is Bayesian linear regression of its
//! own, with the posterior covariance Λ⁻¹ = (Λ₀ + Σᵢ wᵢ φᵢφᵢᵀ / σ²)⁻¹, so that a prediction far from all pairs
//! is wide, and the volume of the posterior, which makes the evidence, is a determinant.
//!
//! Two views of a solid object are an affine map whose Σ is long in one direction (the affine epipolar
//! geometry): that is where the parallax of points in front of and behind the middle plane leads. A depth that
//! changes smoothly is a wave along that direction. Amplitudes of waves and Σ are fitted by EM: each is the
//! mean square of what it is the variance of, under the posterior.

use std::sync::Arc;

use super::super::association::{Partner, Prediction};
use super::super::cholesky::Cholesky;
use super::super::draws::inverse_wishart;
use super::super::small::{
    Square, Vector, add_outer, add_scaled, apply, determinant, difference, eigen, scaled_identity,
    trace,
};
use super::waves::{Waves, features};
use super::{
    AMPLITUDES, Affine, DEVIATION, Family, FittedMap, Member, NOISE, NOISE_PAIRS, Similarity,
    drawn_amplitude, drawn_variance, least_variance, pairs_in, scatter,
};
use rand_chacha::ChaCha8Rng;

/// Features at most: one, the coordinates, and the waves.
const MOST_FEATURES: usize = 40;

/// What the noise may look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::points) enum Shape {
    /// The same in all directions.
    Round,
    /// An ellipse.
    Long,
}

#[derive(Debug, Clone)]
pub(in crate::points) struct Linear<const D: usize> {
    shape: Shape,
    waves: Option<Arc<Waves<D>>>,
    /// Features of every source point, row by row.
    features: Vec<f64>,
    /// Features a point.
    count: usize,
    /// What the coefficients are deviations from.
    base: Affine<D>,
    noise: Square<D>,
    /// Standard deviation of the waves along each axis.
    amplitudes: Vector<D>,
    /// The axes of the noise, as rows.
    axes: Square<D>,
    /// The coefficients along each axis and the factors of their precision.
    coefficients: [Vec<f64>; D],
    factors: [Arc<Cholesky>; D],
    /// What the uncertainty of the coefficients adds to the variance of each point along each axis.
    uncertainties: [Vec<f64>; D],
}

impl<const D: usize> Linear<D> {
    /// Deviations from `base` under `noise`, of which nothing is known yet.
    pub(in crate::points) fn new(
        source: &[Vector<D>],
        base: Affine<D>,
        noise: Square<D>,
        shape: Shape,
        waves: Option<&Arc<Waves<D>>>,
    ) -> Self {
        let features = features(source, waves.map(Arc::as_ref));
        let count = 1 + D + waves.map_or(0, |w| w.count());
        debug_assert!(count <= MOST_FEATURES, "features fit on the stack");
        let unknown = Arc::new(Cholesky::of_identity(count, 1.0));
        let mut member = Self {
            shape,
            waves: waves.cloned(),
            features,
            count,
            base,
            noise,
            amplitudes: [0.1; D],
            axes: scaled_identity(1.0),
            coefficients: std::array::from_fn(|_| vec![0.0; count]),
            factors: std::array::from_fn(|_| Arc::clone(&unknown)),
            uncertainties: std::array::from_fn(|_| Vec::new()),
        };
        member.regress(source, &[]);
        member
    }

    /// As if the map were known to be `base`.
    pub(in crate::points) fn with_certainty(mut self) -> Self {
        const PRECISION: f64 = 1e4;
        let known = Arc::new(Cholesky::of_identity(self.count, PRECISION));
        self.factors = std::array::from_fn(|_| Arc::clone(&known));
        self.spread_uncertainty();
        self
    }

    fn spread_uncertainty(&mut self) {
        for k in 0..D {
            if k > 0 && Arc::ptr_eq(&self.factors[k], &self.factors[k - 1]) {
                let (before, rest) = self.uncertainties.split_at_mut(k);
                rest[0].clone_from(&before[k - 1]);
            } else {
                let out = &mut self.uncertainties[k];
                self.factors[k].quadratics_of_rows::<MOST_FEATURES>(&self.features, out);
            }
        }
    }

    fn row(&self, i: usize) -> &[f64] {
        &self.features[i * self.count..][..self.count]
    }

    /// Variances and axes of the noise.
    fn axes(&self) -> (Vector<D>, Square<D>) {
        match self.shape {
            Shape::Round => ([trace(&self.noise) / D as f64; D], scaled_identity(1.0)),
            Shape::Long => eigen(&self.noise),
        }
    }

    /// Prior precision of coefficient k along an axis.
    fn prior(&self, axis: usize, k: usize) -> f64 {
        let deviation = if k <= D {
            DEVIATION
        } else {
            self.amplitudes[axis]
        };
        1.0 / (deviation * deviation)
    }

    /// The posterior of the coefficients under the present noise; the noise of `partners` is Σ.
    pub(in crate::points) fn regress(&mut self, source: &[Vector<D>], partners: &[Partner<D>]) {
        self.solve(source, partners);
        self.spread_uncertainty();
    }

    /// The same, without what it means for each point.
    fn solve(&mut self, source: &[Vector<D>], partners: &[Partner<D>]) {
        let count = self.count;
        let (variances, axes) = self.axes();
        self.axes = axes;
        let mut gram = vec![0.0; count * count];
        let mut right: [Vec<f64>; D] = std::array::from_fn(|_| vec![0.0; count]);
        for (i, partner) in partners.iter().enumerate().filter(|(_, p)| p.counts()) {
            let row = &self.features[i * count..][..count];
            let left = difference(&partner.mean, &self.base.at(&source[i]));
            let left = apply(&axes, &left);
            for (a, f) in row.iter().enumerate() {
                let weighted = partner.weight * f;
                for (g, f) in gram[a * count..].iter_mut().zip(&row[..=a]) {
                    *g += weighted * f;
                }
                for (right, r) in right.iter_mut().zip(&left) {
                    right[a] += weighted * r;
                }
            }
        }
        for axis in 0..D {
            // Round noise and waves of one amplitude make one regression with several right sides.
            if self.shape == Shape::Long || axis == 0 {
                let mut precision: Vec<f64> = gram.iter().map(|g| g / variances[axis]).collect();
                for k in 0..count {
                    precision[k * count + k] += self.prior(axis, k);
                }
                self.factors[axis] = Arc::new(Cholesky::new(count, precision));
            } else {
                self.factors[axis] = Arc::clone(&self.factors[0]);
            }
            for r in &mut right[axis] {
                *r /= variances[axis];
            }
            self.factors[axis].solve(&mut right[axis]);
        }
        self.coefficients = right;
    }

    fn mean(&self, i: usize, x: &Vector<D>) -> Vector<D> {
        let row = self.row(i);
        let mut y = self.base.at(x);
        for (axis, coefficients) in self.axes.iter().zip(&self.coefficients) {
            let along: f64 = row.iter().zip(coefficients).map(|(f, c)| f * c).sum();
            for (y, a) in y.iter_mut().zip(axis) {
                *y += along * a;
            }
        }
        y
    }

    /// The covariance that the uncertainty of the coefficients gives the image of a point.
    fn uncertainty(&self, i: usize) -> Square<D> {
        let mut covariance = [[0.0; D]; D];
        for (axis, variances) in self.axes.iter().zip(&self.uncertainties) {
            add_outer(&mut covariance, variances[i], axis, axis);
        }
        covariance
    }

    fn refit_noise(&mut self, source: &[Vector<D>], partners: &[Partner<D>], floor: f64) {
        let mut sum = scaled_identity(NOISE_PAIRS * NOISE * NOISE);
        let mut weight = NOISE_PAIRS;
        for (i, partner) in partners.iter().enumerate().filter(|(_, p)| p.counts()) {
            let r = difference(&partner.mean, &self.mean(i, &source[i]));
            add_outer(&mut sum, partner.weight, &r, &r);
            add_scaled(&mut sum, partner.weight, &partner.spread);
            add_scaled(&mut sum, partner.weight, &self.uncertainty(i));
            weight += partner.weight;
        }
        let sum = sum.map(|row| row.map(|x| x / weight));
        let least = least_variance(floor);
        self.noise = match self.shape {
            Shape::Round => scaled_identity((trace(&sum) / D as f64).max(least)),
            Shape::Long => {
                let (variances, axes) = eigen(&sum);
                let mut noise = [[0.0; D]; D];
                for (variance, axis) in variances.iter().zip(&axes) {
                    add_outer(&mut noise, variance.max(least), axis, axis);
                }
                noise
            }
        };
    }

    fn refit_amplitudes(&mut self) {
        let waves = self.count - D - 1;
        if waves == 0 {
            return;
        }
        let mut squares: Vector<D> = std::array::from_fn(|axis| {
            let own = self.coefficients[axis][D + 1..].iter().map(|c| c * c);
            let uncertain = self.factors[axis].inverse_trace::<MOST_FEATURES>(D + 1);
            (own.sum::<f64>() + uncertain) / waves as f64
        });
        if self.shape == Shape::Round {
            squares = [squares.iter().sum::<f64>() / D as f64; D];
        }
        self.amplitudes = squares.map(|s| s.sqrt().clamp(AMPLITUDES.0, AMPLITUDES.1));
    }

    /// Numbers beside the coefficients: of the noise, and of the waves with their length.
    fn hyperparameters(&self) -> f64 {
        let d = D as f64;
        let (noise, amplitudes) = match self.shape {
            Shape::Round => (1.0, 1.0),
            Shape::Long => (d * (d + 1.0) / 2.0, d),
        };
        noise + self.waves.as_ref().map_or(0.0, |_| amplitudes + 1.0)
    }
}

impl<const D: usize> Member<D> for Linear<D> {
    fn family(&self) -> Family {
        match (self.shape, &self.waves) {
            (Shape::Round, None) => Family::Affine,
            (Shape::Round, Some(_)) => Family::Smooth,
            (Shape::Long, None) => Family::Views,
            (Shape::Long, Some(_)) => Family::SmoothViews,
        }
    }

    fn predict(&self, i: usize, x: &Vector<D>) -> Prediction<D> {
        let mut covariance = self.uncertainty(i);
        add_scaled(&mut covariance, 1.0, &self.noise);
        Prediction {
            mean: self.mean(i, x),
            covariance,
        }
    }

    fn predict_fitted(&self, i: usize, x: &Vector<D>) -> Prediction<D> {
        Prediction {
            mean: self.mean(i, x),
            covariance: self.noise,
        }
    }

    fn refit(&mut self, source: &[Vector<D>], partners: &[Partner<D>], floor: f64) {
        self.regress(source, partners);
        self.refit_noise(source, partners, floor);
        self.refit_amplitudes();
        self.regress(source, partners);
    }

    fn log_parameters(&self, source: &[Vector<D>], partners: &[Partner<D>]) -> f64 {
        let mut fit = self.clone();
        fit.base = Similarity::of(source, partners, self.is_reflected()).map;
        fit.solve(source, partners);
        let mut log = 0.0;
        for axis in 0..D {
            for (k, c) in fit.coefficients[axis].iter().enumerate() {
                let prior = fit.prior(axis, k);
                log += prior.ln() - prior * c * c;
            }
            log -= fit.factors[axis].log_determinant();
        }
        0.5 * (log - self.hyperparameters() * pairs_in(partners).max(1.0).ln())
    }

    fn is_reflected(&self) -> bool {
        determinant(&self.base.linear) < 0.0
    }

    /// Whoever has few parameters and round noise is sure of them.
    fn drawable(&self) -> Option<Box<dyn Member<D>>> {
        let is_plain = self.shape == Shape::Round && self.waves.is_none();
        (!is_plain).then(|| Box::new(self.clone()) as Box<dyn Member<D>>)
    }

    fn draw(&mut self, source: &[Vector<D>], partners: &[Partner<D>], random: &mut ChaCha8Rng) {
        self.solve(source, partners);
        for (coefficients, factor) in self.coefficients.iter_mut().zip(&self.factors) {
            scatter(coefficients, factor, random);
        }
        let mut sum = scaled_identity(NOISE_PAIRS * NOISE * NOISE);
        for (i, partner) in partners.iter().enumerate().filter(|(_, p)| p.counts()) {
            let r = difference(&partner.mean, &self.mean(i, &source[i]));
            add_outer(&mut sum, partner.weight, &r, &r);
        }
        let (d, pairs) = (D as f64, NOISE_PAIRS + pairs_in(partners));
        // With no more freedom than that, every length of the long axis is as likely before as its double: a prior of one
        // size in all directions would have parallax cost eight nats.
        self.noise = match self.shape {
            Shape::Round => scaled_identity(drawn_variance(trace(&sum), d * pairs, random)),
            Shape::Long => inverse_wishart(&sum, pairs, random),
        };
        let waves = (self.count - D - 1) as f64;
        if waves > 0.0 {
            let squares = |c: &Vec<f64>| c[D + 1..].iter().map(|c| c * c).sum::<f64>();
            let own: Vector<D> = std::array::from_fn(|k| squares(&self.coefficients[k]));
            self.amplitudes = match self.shape {
                Shape::Round => [drawn_amplitude(own.iter().sum(), d * waves, random); D],
                Shape::Long => own.map(|own| drawn_amplitude(own, waves, random)),
            };
        }
    }

    /// The axis along which depth moves points: that of the long noise, or of the waves where they explain it.
    fn parallax(&self, _: &Vector<D>) -> Option<Vector<D>> {
        let (variances, axes) = self.axes();
        let moved = |k: usize| match self.waves {
            Some(_) => variances[k] + self.amplitudes[k].powi(2),
            None => variances[k],
        };
        let long = (0..D).max_by(|&a, &b| moved(a).total_cmp(&moved(b)))?;
        (self.shape == Shape::Long).then(|| axes[long])
    }

    fn map(&self) -> FittedMap<D> {
        let mut affine = self.base;
        for (axis, c) in self.axes.iter().zip(&self.coefficients) {
            for k in 0..D {
                affine.shift[k] += axis[k] * c[0];
                for j in 0..D {
                    affine.linear[k][j] += axis[k] * c[1 + j];
                }
            }
        }
        FittedMap {
            affine,
            bend: [0.0; D],
            noise: self.noise,
        }
    }

    fn over(&self, source: &[Vector<D>]) -> Box<dyn Member<D>> {
        let mut other = Self {
            features: features(source, self.waves.as_deref()),
            ..self.clone()
        };
        other.spread_uncertainty();
        Box::new(other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid() -> Vec<[f64; 2]> {
        (0..36)
            .map(|k| [(k % 6) as f64 * 0.5 - 1.25, (k / 6) as f64 * 0.5 - 1.25])
            .collect()
    }

    fn fitted(
        shape: Shape,
        length: Option<f64>,
        map: impl Fn(&[f64; 2]) -> [f64; 2],
    ) -> (Linear<2>, Vec<[f64; 2]>, Vec<Partner<2>>) {
        let source = grid();
        let partners: Vec<_> = source.iter().map(|x| Partner::at(map(x))).collect();
        let waves = length.map(|length| Arc::new(Waves::new(&source, length)));
        let mut member = Linear::new(
            &source,
            Affine::identity(),
            scaled_identity(0.01),
            shape,
            waves.as_ref(),
        );
        for _ in 0..60 {
            member.refit(&source, &partners, 0.0);
        }
        (member, source, partners)
    }

    #[test]
    fn an_affine_map_is_found_again() {
        let map = |x: &[f64; 2]| [1.1 * x[0] + 0.4 * x[1] + 0.1, 0.8 * x[1] - 0.2];
        let (member, source, _) = fitted(Shape::Round, None, map);
        let found = member.map().affine;
        for (x, y) in [(found.linear, [[1.1, 0.4], [0.0, 0.8]])] {
            for (a, b) in x.iter().flatten().zip(y.iter().flatten()) {
                assert!((a - b).abs() < 1e-3, "{found:?}");
            }
        }
        let near = member.predict(0, &source[0]);
        assert!(member.noise[0][0] < 1e-4 && near.covariance[0][0] < 2.0 * member.noise[0][0]);
    }

    #[test]
    fn the_regression_is_the_one_of_the_normal_equations() {
        // One axis, by hand: with prior precision p and noise v, coefficients solve (p I + ΦᵀΦ / v) c = Φᵀr / v.
        let source = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]];
        let partners = [[0.1, 0.0], [1.3, 0.0], [0.0, 1.0]].map(Partner::at);
        let mut member = Linear::new(
            &source,
            Affine::identity(),
            scaled_identity(0.04),
            Shape::Round,
            None,
        );
        member.regress(&source, &partners);
        let (p, v) = (1.0 / (DEVIATION * DEVIATION), 0.04);
        let c = &member.coefficients[0];
        // Rows of Φ: (1, 0, 0), (1, 1, 0), (1, 0, 1); residuals 0.1, 0.3, 0.
        let equations = [
            ((p + 3.0 / v) * c[0] + (c[1] + c[2]) / v, 0.4 / v),
            ((p + 1.0 / v) * c[1] + c[0] / v, 0.3 / v),
            ((p + 1.0 / v) * c[2] + c[0] / v, 0.0),
        ];
        for (left, right) in equations {
            assert!((left - right).abs() < 1e-9);
        }
    }

    #[test]
    fn the_evidence_of_the_parameters_is_laplaces() {
        // Without waves, ln ∫ N(r; Φc, v) N(c; 0, 1/p) dc is Gaussian: the quadrature of one coefficient alone
        // (one point at the origin, two axes) gives it as well.
        let source = [[0.0, 0.0]];
        let partners = [Partner::at([0.0, 0.0])];
        let member = Linear::new(
            &source,
            Affine::identity(),
            scaled_identity(0.01),
            Shape::Round,
            None,
        );
        // The base fits exactly, so only the volume counts: shift's precision p + 1/v against p, twice.
        let p = 1.0 / (DEVIATION * DEVIATION);
        let volume = -0.5 * 2.0 * ((p + 100.0) / p).ln();
        assert!((member.log_parameters(&source, &partners) - volume).abs() < 1e-9);
    }

    #[test]
    fn parallax_makes_long_noise_and_depth_that_is_smooth_makes_waves() {
        let ragged = |x: &[f64; 2]| {
            let depth = ((x[0] * 37.0 + x[1] * 91.0).sin() * 1000.0).fract();
            [x[0] + 0.5 * depth, x[1]]
        };
        let (member, ..) = fitted(Shape::Long, None, ragged);
        assert!(
            member.noise[0][0] > 20.0 * member.noise[1][1],
            "{:?}",
            member.noise
        );

        let bent = |x: &[f64; 2]| [x[0] + 0.3 * (2.0 * x[1]).sin(), x[1]];
        let (smooth, source, partners) = fitted(Shape::Long, Some(1.0), bent);
        let (plain, ..) = fitted(Shape::Long, None, bent);
        assert!(smooth.noise[0][0] < 0.1 * plain.noise[0][0]);
        assert_eq!(smooth.family(), Family::SmoothViews);
        let fit = |member: &Linear<2>| {
            let density = |(i, p): (usize, &Partner<2>)| {
                member.predict_fitted(i, &source[i]).log_density(&p.mean)
            };
            partners.iter().enumerate().map(density).sum::<f64>()
                + member.log_parameters(&source, &partners)
        };
        assert!(fit(&smooth) > fit(&plain) + 10.0);
        // And a map without waves does not pay for them.
        let straight = |x: &[f64; 2]| [x[0], 0.9 * x[1]];
        let (smooth, ..) = fitted(Shape::Round, Some(1.0), straight);
        let (plain, source, partners) = fitted(Shape::Round, None, straight);
        let cost = |m: &Linear<2>| m.log_parameters(&source, &partners);
        assert!(cost(&smooth) < cost(&plain));
    }
}
