//! Two views of a solid object by cameras near enough for perspective: the full epipolar geometry.
//!
//! Partners satisfy one equation that is linear in the products of (1, x) and (1, y), the one of the
//! fundamental matrix. For a given x it is a line of the target's plane, on which depth decides. In axes (s, t)
//! along and across the lines, near a similarity B, the equation reads
//!
//! > t − B_t(x) = a·(1, x₁, x₂, s, x₁s, x₂s, x₁t, x₂t) + N(0, σ²),  s − B_s(x) = b·φ(x) + N(0, τ²),
//!
//! so that both halves are Bayesian linear regressions, and φ = (1, x, [waves](super::waves)) says what is known of
//! the depth: nothing but a plane, or that it changes smoothly. With the last four of `a` zero this is
//! [two views from afar](super::linear). How large these four are is fitted by EM as the amplitude of waves is, so that
//! little perspective costs little: under a prior as wide as that of near views, views from some distance would pay for
//! terms that they hardly use.

use std::sync::Arc;

use super::super::association::{Partner, Prediction};
use super::super::cholesky::Cholesky;
use super::super::small::{
    Square, Vector, add_outer, apply, determinant, difference, dot, eigen, scaled_identity, unit,
};
use super::layers::{Layers, PLANE, Placed};
use super::waves::{Waves, features};
use super::{
    AMPLITUDES, Affine, BEND, Beside, DEVIATION, Family, FittedMap, Member, NOISE, NOISE_PAIRS,
    Similarity, drawn_amplitude, drawn_variance, least_variance, pairs_in, scatter,
};
use rand_chacha::ChaCha8Rng;

/// Coefficients of the equation across the lines.
const CROSS: usize = 8;

/// Those of them that views from afar have as well; the others are of perspective.
const FROM_AFAR: usize = 4;

/// The standard deviation of the terms of perspective stays in this range.
const BENDS: (f64, f64) = (0.003, 0.5);

/// Coefficients of the position along them, at most.
const MOST_ALONG: usize = 40;

/// The factor of t in the equation stays above this.
const LEAST_FACTOR: f64 = 0.2;

#[derive(Debug, Clone)]
pub(in crate::points) struct Epipolar {
    base: Affine<2>,
    /// Along and across the lines, as rows.
    axes: Square<2>,
    waves: Option<Arc<Waves<2>>>,
    /// φ of every source point, row by row.
    features: Vec<f64>,
    count: usize,
    cross: [f64; CROSS],
    cross_factor: Arc<Cholesky>,
    along: Vec<f64>,
    along_factor: Arc<Cholesky>,
    /// What the uncertainty of `along` adds to the variance of each point.
    along_uncertainty: Vec<f64>,
    /// Standard deviation of the waves.
    amplitude: f64,
    /// Standard deviation of the terms of perspective.
    bend: f64,
    /// σ² and τ².
    across_variance: f64,
    along_variance: f64,
    /// Of depths without waves that are drawn, where they are there.
    layers: Option<Layers>,
    /// The plane that they are parallel to.
    plane: [f64; PLANE],
}

/// The line of a source point: factor · t − slope · s = constant.
struct Line {
    factor: f64,
    slope: f64,
    constant: f64,
}

impl Line {
    /// t on the line.
    fn at(&self, s: f64) -> f64 {
        (self.constant + self.slope * s) / self.factor
    }

    /// The unit vector across it, in (s, t).
    fn normal(&self) -> Vector<2> {
        let length = self.factor.hypot(self.slope);
        [-self.slope / length, self.factor / length]
    }
}

impl Epipolar {
    /// Lines along the longer axis of `noise`, near `base`.
    pub(in crate::points) fn new(
        source: &[Vector<2>],
        base: Affine<2>,
        noise: &Square<2>,
        waves: Option<&Arc<Waves<2>>>,
    ) -> Self {
        let (variances, mut axes) = eigen(noise);
        let (mut long, mut short) = (variances[0], variances[1]);
        if short > long {
            axes.swap(0, 1);
            (long, short) = (short, long);
        }
        let count = 3 + waves.map_or(0, |w| w.count());
        let unknown = 1.0 / (DEVIATION * DEVIATION);
        let mut member = Self {
            base,
            axes,
            features: features(source, waves.map(Arc::as_ref)),
            waves: waves.cloned(),
            count,
            cross: [0.0; CROSS],
            cross_factor: Arc::new(Cholesky::of_identity(CROSS, unknown)),
            along: vec![0.0; count],
            along_factor: Arc::new(Cholesky::of_identity(count, unknown)),
            along_uncertainty: Vec::new(),
            amplitude: 0.1,
            bend: BEND,
            across_variance: short,
            along_variance: long,
            layers: None,
            plane: [0.0; PLANE],
        };
        member.spread_uncertainty();
        member
    }

    fn spread_uncertainty(&mut self) {
        let out = &mut self.along_uncertainty;
        self.along_factor
            .quadratics_of_rows::<MOST_ALONG>(&self.features, out);
    }

    fn row(&self, i: usize) -> &[f64] {
        &self.features[i * self.count..][..self.count]
    }

    /// Where B puts x, along and across.
    fn start(&self, x: &Vector<2>) -> Vector<2> {
        apply(&self.axes, &self.base.at(x))
    }

    fn line(&self, x: &Vector<2>) -> Line {
        let a = &self.cross;
        Line {
            factor: (1.0 - a[6] * x[0] - a[7] * x[1]).max(LEAST_FACTOR),
            slope: a[3] + a[4] * x[0] + a[5] * x[1],
            constant: self.start(x)[1] + a[0] + a[1] * x[0] + a[2] * x[1],
        }
    }

    fn along(&self, i: usize, x: &Vector<2>) -> f64 {
        let own = self.row(i).iter().zip(&self.along);
        self.start(x)[0] + own.map(|(f, c)| f * c).sum::<f64>()
    }

    /// What the coefficients' uncertainty adds to the variances along and across at (s, t).
    fn uncertainty(&self, i: usize, x: &Vector<2>, place: &Vector<2>, line: &Line) -> Vector<2> {
        let along = self.along_uncertainty[i];
        let mut terms = monomials(x, place);
        let across = self.cross_factor.quadratic(&mut terms);
        [along, across / (line.factor * line.factor)]
    }

    fn prediction(&self, i: usize, x: &Vector<2>, uncertain: bool) -> Prediction<2> {
        let line = self.line(x);
        let s = self.along(i, x);
        let place = [s, line.at(s)];
        let [along, across] = if uncertain {
            self.uncertainty(i, x, &place, &line)
        } else {
            [0.0; 2]
        };
        let direction = [1.0, line.slope / line.factor];
        let mut covariance = scaled_identity(self.across_variance);
        let spread = self.along_variance + along;
        add_outer(&mut covariance, spread, &direction, &direction);
        covariance[1][1] += across;
        Prediction {
            mean: self.turned_back(&place),
            covariance: self.turned_back_twice(&covariance),
        }
    }

    /// From (s, t) to the target's coordinates.
    fn turned_back(&self, place: &Vector<2>) -> Vector<2> {
        std::array::from_fn(|k| self.axes[0][k] * place[0] + self.axes[1][k] * place[1])
    }

    fn turned_back_twice(&self, matrix: &Square<2>) -> Square<2> {
        let mut turned = [[0.0; 2]; 2];
        for (row, a) in matrix.iter().zip(&self.axes) {
            for (entry, b) in row.iter().zip(&self.axes) {
                add_outer(&mut turned, *entry, a, b);
            }
        }
        turned
    }

    fn cross_prior(&self, k: usize) -> f64 {
        let deviation = if k < FROM_AFAR { DEVIATION } else { self.bend };
        1.0 / (deviation * deviation)
    }

    fn along_prior(&self, k: usize) -> f64 {
        let deviation = if k < 3 { DEVIATION } else { self.amplitude };
        1.0 / (deviation * deviation)
    }

    /// The posterior of all coefficients under the present variances.
    fn regress(&mut self, source: &[Vector<2>], partners: &[Partner<2>]) {
        self.solve(source, partners);
        self.spread_uncertainty();
    }

    /// The same, without what it means for each point.
    fn solve(&mut self, source: &[Vector<2>], partners: &[Partner<2>]) {
        let mut cross = Regression::new(CROSS);
        let mut along = Regression::new(self.count);
        for (i, partner) in partners.iter().enumerate().filter(|(_, p)| p.counts()) {
            let place = apply(&self.axes, &partner.mean);
            let left = difference(&place, &self.start(&source[i]));
            let terms = monomials(&source[i], &place);
            cross.add(partner.weight / self.across_variance, &terms, left[1]);
            along.add(partner.weight / self.along_variance, self.row(i), left[0]);
        }
        let (coefficients, factor) = cross.solved(|k| self.cross_prior(k));
        self.cross.copy_from_slice(&coefficients);
        self.cross_factor = Arc::new(factor);
        let (coefficients, factor) = along.solved(|k| self.along_prior(k));
        self.along = coefficients;
        self.along_factor = Arc::new(factor);
    }

    /// Points with partners, by their features and their positions along the lines.
    fn placed(&self, source: &[Vector<2>], partners: &[Partner<2>]) -> Vec<Placed> {
        let counted = partners.iter().enumerate().filter(|(_, p)| p.counts());
        counted
            .map(|(i, partner)| {
                let row = self.row(i);
                let position = dot(&self.axes[0], &partner.mean) - self.start(&source[i])[0];
                (std::array::from_fn(|k| row[k]), position)
            })
            .collect()
    }

    /// Puts the middle plane of the layers in the place of the one plane.
    fn centre_layers(&mut self, plane: [f64; PLANE]) {
        if let Some(layers) = &self.layers {
            let (mean, variance) = layers.moments();
            self.along.copy_from_slice(&plane);
            self.along[0] += mean;
            self.along_variance = variance;
        }
    }

    /// The sum of the squares of the terms of perspective.
    fn bends(&self) -> f64 {
        self.cross[FROM_AFAR..].iter().map(|c| c * c).sum()
    }

    fn refit_variances(&mut self, source: &[Vector<2>], partners: &[Partner<2>], floor: f64) {
        let mut sums = [NOISE_PAIRS * NOISE * NOISE; 2];
        let mut weight = NOISE_PAIRS;
        for (i, partner) in partners.iter().enumerate().filter(|(_, p)| p.counts()) {
            let x = &source[i];
            let line = self.line(x);
            let normal = line.normal();
            let s = self.along(i, x);
            let left = difference(&apply(&self.axes, &partner.mean), &[s, line.at(s)]);
            let uncertain = self.uncertainty(i, x, &[s, line.at(s)], &line);
            let across = self.turned_back(&normal);
            let spread = |axis: &Vector<2>| dot(axis, &apply(&partner.spread, axis));
            let off = dot(&normal, &left);
            sums[0] += partner.weight * (left[0] * left[0] + spread(&self.axes[0]) + uncertain[0]);
            sums[1] += partner.weight
                * (off * off + spread(&across) + uncertain[1] * normal[1] * normal[1]);
            weight += partner.weight;
        }
        let least = least_variance(floor);
        self.along_variance = (sums[0] / weight).max(least);
        self.across_variance = (sums[1] / weight).max(least);
        let uncertain = self.cross_factor.inverse_trace::<CROSS>(FROM_AFAR);
        let bend = (self.bends() + uncertain) / (CROSS - FROM_AFAR) as f64;
        self.bend = bend.sqrt().clamp(BENDS.0, BENDS.1);
        let waves = self.count - 3;
        if waves > 0 {
            let own: f64 = self.along[3..].iter().map(|c| c * c).sum();
            let uncertain = self.along_factor.inverse_trace::<MOST_ALONG>(3);
            let amplitude = ((own + uncertain) / waves as f64).sqrt();
            self.amplitude = amplitude.clamp(AMPLITUDES.0, AMPLITUDES.1);
        }
    }
}

fn monomials(x: &Vector<2>, place: &Vector<2>) -> [f64; CROSS] {
    let ([x1, x2], [s, t]) = (*x, *place);
    [1.0, x1, x2, s, x1 * s, x2 * s, x1 * t, x2 * t]
}

/// Normal equations of a linear regression.
struct Regression {
    count: usize,
    gram: Vec<f64>,
    right: Vec<f64>,
}

impl Regression {
    fn new(count: usize) -> Self {
        Self {
            count,
            gram: vec![0.0; count * count],
            right: vec![0.0; count],
        }
    }

    fn add(&mut self, weight: f64, row: &[f64], value: f64) {
        for (a, f) in row.iter().enumerate() {
            let weighted = weight * f;
            for (g, f) in self.gram[a * self.count..].iter_mut().zip(&row[..=a]) {
                *g += weighted * f;
            }
            self.right[a] += weighted * value;
        }
    }

    fn solved(mut self, prior: impl Fn(usize) -> f64) -> (Vec<f64>, Cholesky) {
        for k in 0..self.count {
            self.gram[k * self.count + k] += prior(k);
        }
        let factor = Cholesky::new(self.count, self.gram);
        factor.solve(&mut self.right);
        (self.right, factor)
    }
}

impl Member<2> for Epipolar {
    fn family(&self) -> Family {
        match self.waves {
            None => Family::Epipolar,
            Some(_) => Family::SmoothEpipolar,
        }
    }

    fn predict(&self, i: usize, x: &Vector<2>) -> Prediction<2> {
        self.prediction(i, x, true)
    }

    fn predict_fitted(&self, i: usize, x: &Vector<2>) -> Prediction<2> {
        self.prediction(i, x, false)
    }

    fn refit(&mut self, source: &[Vector<2>], partners: &[Partner<2>], floor: f64) {
        self.regress(source, partners);
        self.refit_variances(source, partners, floor);
        self.regress(source, partners);
    }

    fn log_parameters(&self, source: &[Vector<2>], partners: &[Partner<2>]) -> f64 {
        let mut fit = self.clone();
        fit.base = Similarity::of(source, partners, self.is_reflected()).map;
        fit.solve(source, partners);
        let term = |prior: f64, c: f64| prior.ln() - prior * c * c;
        let cross = fit.cross.iter().enumerate();
        let along = fit.along.iter().enumerate();
        let log: f64 = cross
            .map(|(k, c)| term(fit.cross_prior(k), *c))
            .sum::<f64>()
            + along
                .map(|(k, c)| term(fit.along_prior(k), *c))
                .sum::<f64>()
            - fit.cross_factor.log_determinant()
            - fit.along_factor.log_determinant();
        // Two variances, a direction and the size of the bends; an amplitude and a length.
        let hyperparameters = if self.waves.is_some() { 6.0 } else { 4.0 };
        0.5 * (log - hyperparameters * pairs_in(partners).max(1.0).ln())
    }

    fn is_reflected(&self) -> bool {
        determinant(&self.base.linear) < 0.0
    }

    fn drawable(&self) -> Option<Box<dyn Member<2>>> {
        Some(Box::new(self.clone()))
    }

    fn draw(&mut self, source: &[Vector<2>], partners: &[Partner<2>], random: &mut ChaCha8Rng) {
        self.solve(source, partners);
        scatter(&mut self.cross, &self.cross_factor, random);
        scatter(&mut self.along, &self.along_factor, random);
        let mut sums = [NOISE_PAIRS * NOISE * NOISE; 2];
        for (i, partner) in partners.iter().enumerate().filter(|(_, p)| p.counts()) {
            let x = &source[i];
            let line = self.line(x);
            let s = self.along(i, x);
            let left = difference(&apply(&self.axes, &partner.mean), &[s, line.at(s)]);
            let off = dot(&line.normal(), &left);
            sums[0] += partner.weight * left[0] * left[0];
            sums[1] += partner.weight * off * off;
        }
        let pairs = pairs_in(partners);
        // Any depth is as likely before as twice as much.
        self.along_variance = drawn_variance(sums[0], pairs, random);
        if let Some(mut layers) = self.layers.take() {
            let mut plane = self.plane;
            layers.draw(&self.placed(source, partners), &mut plane, random);
            self.layers = Some(layers);
            self.plane = plane;
            self.centre_layers(plane);
        }
        self.across_variance = drawn_variance(sums[1], NOISE_PAIRS + pairs, random);
        let bend = drawn_variance(self.bends(), (CROSS - FROM_AFAR) as f64, random);
        self.bend = bend.sqrt().clamp(BENDS.0, BENDS.1);
        let waves = self.count - 3;
        if waves > 0 {
            let own: f64 = self.along[3..].iter().map(|c| c * c).sum();
            self.amplitude = drawn_amplitude(own, waves as f64, random);
        }
    }

    fn find_layers(&mut self, source: &[Vector<2>], partners: &[Partner<2>]) {
        if self.waves.is_some() {
            return;
        }
        if let Some((layers, plane)) = Layers::of(&self.placed(source, partners)) {
            self.layers = Some(layers);
            self.plane = plane;
            self.centre_layers(plane);
        }
    }

    fn beside_prediction(&self) -> Option<Beside<'_, 2>> {
        let layers = self.layers.as_ref()?;
        let variance = self.along_variance + self.across_variance;
        let log_unit = 0.5 * (std::f64::consts::TAU * variance).ln();
        Some(Box::new(move |i, x, y| {
            let position = dot(&self.axes[0], y);
            let off = position - self.along(i, x);
            let row = self.row(i).iter().zip(&self.plane);
            let depth = position - self.start(x)[0] - row.map(|(f, c)| f * c).sum::<f64>();
            layers.log_density(depth) + log_unit + 0.5 * off * off / variance
        }))
    }

    fn parallax(&self, x: &Vector<2>) -> Option<Vector<2>> {
        let line = self.line(x);
        unit(&self.turned_back(&[line.factor, line.slope]))
    }

    /// The map of the middle plane near the middle of the scene.
    fn map(&self) -> FittedMap<2> {
        let mut affine = self.base;
        let [a, b] = [&self.cross, &self.along[..]].map(|c| [c[0], c[1], c[2]]);
        let along = [b[0], b[1], b[2]];
        for k in 0..2 {
            let [u, v] = [self.axes[0][k], self.axes[1][k]];
            affine.shift[k] += u * along[0] + v * a[0];
            for j in 0..2 {
                affine.linear[k][j] += u * along[1 + j] + v * a[1 + j];
            }
        }
        let mut noise = [[0.0; 2]; 2];
        add_outer(
            &mut noise,
            self.along_variance,
            &self.axes[0],
            &self.axes[0],
        );
        add_outer(
            &mut noise,
            self.across_variance,
            &self.axes[1],
            &self.axes[1],
        );
        FittedMap {
            affine,
            bend: [0.0; 2],
            noise,
        }
    }

    fn over(&self, source: &[Vector<2>]) -> Box<dyn Member<2>> {
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
    use super::super::{Linear, Shape};
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    /// Two pinhole cameras look at a cloud, the second turned by an angle; the nearer they are, the larger is `near`.
    fn cloud(angle: f64, near: f64) -> (Vec<[f64; 2]>, Vec<[f64; 2]>) {
        let (sin, cos) = angle.sin_cos();
        let view = |p: [f64; 3]| [p[0] / (1.0 - near * p[2]), p[1] / (1.0 - near * p[2])];
        let mut random = ChaCha8Rng::seed_from_u64(5);
        (0..40)
            .map(|_| {
                let p: [f64; 3] = std::array::from_fn(|_| random.random_range(-1.4..1.4));
                let turned = [cos * p[0] + sin * p[2], p[1], cos * p[2] - sin * p[0]];
                (view(p), view(turned))
            })
            .unzip()
    }

    #[test]
    fn partners_lie_on_their_lines() {
        let (source, target) = cloud(0.5, 0.25);
        let partners: Vec<_> = target.iter().map(|y| Partner::at(*y)).collect();
        let noise = [[0.1, 0.0], [0.0, 0.001]];
        let mut member = Epipolar::new(&source, Affine::identity(), &noise, None);
        for _ in 0..60 {
            member.refit(&source, &partners, 0.0);
        }
        assert!(member.across_variance.sqrt() < 0.01, "{member:?}");
        assert!(member.along_variance.sqrt() > 0.1, "{member:?}");
        for (i, (x, y)) in source.iter().zip(&target).enumerate() {
            let line = member.line(x);
            let place = apply(&member.axes, y);
            let off = dot(
                &line.normal(),
                &difference(&place, &[place[0], line.at(place[0])]),
            );
            assert!(off.abs() < 0.02, "{i}: {off}");
        }
    }

    /// Terms that are hardly used cost little, under a prior that is fitted to them.
    #[test]
    fn perspective_costs_as_much_as_there_is_of_it() {
        let fitted = |near: f64| {
            let (source, target) = cloud(0.5, near);
            let mut random = ChaCha8Rng::seed_from_u64(9);
            let mut off = || 0.02 * (random.random::<f64>() - 0.5);
            let partners: Vec<_> = target
                .iter()
                .map(|y| Partner::at([y[0] + off(), y[1] + off()]))
                .collect();
            let noise = [[0.1, 0.0], [0.0, 0.001]];
            let mut epipolar = Epipolar::new(&source, Affine::identity(), &noise, None);
            let mut afar = Linear::new(&source, Affine::identity(), noise, Shape::Long, None);
            for _ in 0..100 {
                epipolar.refit(&source, &partners, 0.0);
                afar.refit(&source, &partners, 0.0);
            }
            let density = |member: &dyn Member<2>| {
                let points = source.iter().zip(&partners).enumerate();
                let density = |(i, (x, p)): (usize, (&[f64; 2], &Partner<2>))| {
                    member.predict_fitted(i, x).log_density(&p.mean)
                };
                points.map(density).sum::<f64>() + member.log_parameters(&source, &partners)
            };
            let mut wide = epipolar.clone();
            wide.bend = BEND;
            let [price, of_wide] =
                [&epipolar, &wide].map(|member| member.log_parameters(&source, &partners));
            let ahead = density(&epipolar) - density(&afar);
            (epipolar.bend, price - of_wide, ahead)
        };
        let (little, saved, _) = fitted(0.0);
        let (much, of_much, ahead) = fitted(0.25);
        assert!(little < 0.01 && much > 5.0 * little, "{little} {much}");
        assert!(saved > 8.0, "{saved}");
        assert!(of_much > 0.0 && of_much < saved, "{of_much} {saved}");
        assert!(ahead > 10.0, "{ahead}");
    }
}
