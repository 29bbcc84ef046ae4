//! Views of a plane, y = (A x + t) / (1 + g·x) + N(0, σ² I), by Gauss–Newton steps under a prior.

use std::sync::Arc;

use super::super::association::{Partner, Prediction};
use super::super::cholesky::Cholesky;
use super::super::small::{Vector, determinant, difference, dot, scaled_identity};
use super::{
    Affine, BEND, DEVIATION, Family, FittedMap, Member, Similarity, pairs_in, refitted_variance,
};

/// A, t and g.
const COUNT: usize = 8;

/// Gauss–Newton steps in one fit.
const STEPS: usize = 3;

/// The denominator stays above this: nothing lies behind the camera.
pub(in crate::points) const LEAST_DEPTH: f64 = 0.1;

#[derive(Debug, Clone)]
pub(in crate::points) struct Projective {
    base: Affine<2>,
    map: Affine<2>,
    bend: Vector<2>,
    variance: f64,
    /// The factor of the parameters' precision.
    factor: Arc<Cholesky>,
}

impl Projective {
    /// The affine map `base`, of which nothing is known for sure.
    pub(in crate::points) fn new(base: Affine<2>, variance: f64) -> Self {
        let unknown = 1.0 / (DEVIATION * DEVIATION);
        Self {
            base,
            map: base,
            bend: [0.0; 2],
            variance,
            factor: Arc::new(Cholesky::of_identity(COUNT, unknown)),
        }
    }

    /// A map that is thought to be known.
    pub(in crate::points) fn known(map: Affine<2>, bend: Vector<2>, variance: f64) -> Self {
        const PRECISION: f64 = 1e4;
        Self {
            bend,
            factor: Arc::new(Cholesky::of_identity(COUNT, PRECISION)),
            ..Self::new(map, variance)
        }
    }

    /// The map through four pairs, unless three of them lie on a line.
    pub(in crate::points) fn through(
        source: &[Vector<2>],
        pairs: [(usize, Vector<2>); 4],
    ) -> Option<(Affine<2>, Vector<2>)> {
        let mut rows = [[0.0; COUNT + 1]; COUNT];
        for (k, (i, y)) in pairs.into_iter().enumerate() {
            let [u, v] = source[i];
            rows[2 * k] = [u, v, 1.0, 0.0, 0.0, 0.0, -y[0] * u, -y[0] * v, y[0]];
            rows[2 * k + 1] = [0.0, 0.0, 0.0, u, v, 1.0, -y[1] * u, -y[1] * v, y[1]];
        }
        for k in 0..COUNT {
            let size = |r: &usize| rows[*r][k].abs();
            let pivot = (k..COUNT).max_by(|a, b| size(a).total_cmp(&size(b)))?;
            rows.swap(k, pivot);
            let row = rows[k];
            if row[k].abs() < 1e-9 {
                return None;
            }
            for (r, other) in rows.iter_mut().enumerate().filter(|(r, _)| *r != k) {
                debug_assert_ne!(r, k, "other rows");
                let factor = other[k] / row[k];
                for (x, y) in other[k..].iter_mut().zip(&row[k..]) {
                    *x -= factor * y;
                }
            }
        }
        let h: [f64; COUNT] = std::array::from_fn(|k| rows[k][COUNT] / rows[k][k]);
        let map = Affine {
            linear: [[h[0], h[1]], [h[3], h[4]]],
            shift: [h[2], h[5]],
        };
        Some((map, [h[6], h[7]]))
    }

    fn at(&self, x: &Vector<2>) -> Vector<2> {
        let depth = (1.0 + dot(&self.bend, x)).max(LEAST_DEPTH);
        self.map.at(x).map(|y| y / depth)
    }

    /// The image of x and its derivatives by A (row by row), t and g, a row for each coordinate.
    fn derivatives(&self, x: &Vector<2>) -> (Vector<2>, [[f64; COUNT]; 2]) {
        let depth = (1.0 + dot(&self.bend, x)).max(LEAST_DEPTH);
        let y = self.map.at(x).map(|y| y / depth);
        let [u, v] = x.map(|x| x / depth);
        let one = 1.0 / depth;
        let rows = [
            [u, v, 0.0, 0.0, one, 0.0, -y[0] * u, -y[0] * v],
            [0.0, 0.0, u, v, 0.0, one, -y[1] * u, -y[1] * v],
        ];
        (y, rows)
    }

    fn parameters(&self) -> [f64; COUNT] {
        let [a, b] = self.map.linear;
        let (t, g) = (self.map.shift, self.bend);
        [a[0], a[1], b[0], b[1], t[0], t[1], g[0], g[1]]
    }

    fn set(&mut self, p: &[f64; COUNT]) {
        self.map.linear = [[p[0], p[1]], [p[2], p[3]]];
        self.map.shift = [p[4], p[5]];
        self.bend = [p[6], p[7]];
    }

    fn prior(k: usize) -> f64 {
        let deviation = if k < 6 { DEVIATION } else { BEND };
        1.0 / (deviation * deviation)
    }

    /// Deviations from the base.
    fn deviations(&self) -> [f64; COUNT] {
        let base = Self::new(self.base, self.variance).parameters();
        let own = self.parameters();
        std::array::from_fn(|k| own[k] - base[k])
    }

    /// Twice the negative logarithm of the posterior, up to a constant.
    fn cost(&self, source: &[Vector<2>], partners: &[Partner<2>]) -> f64 {
        let counted = partners.iter().enumerate().filter(|(_, p)| p.counts());
        let fit = counted.map(|(i, p)| {
            let r = difference(&p.mean, &self.at(&source[i]));
            p.weight * dot(&r, &r) / self.variance
        });
        let prior = self.deviations().into_iter().enumerate();
        fit.sum::<f64>() + prior.map(|(k, d)| Self::prior(k) * d * d).sum::<f64>()
    }

    /// Precision of the parameters and the gradient, row by row.
    fn normal_equations(
        &self,
        source: &[Vector<2>],
        partners: &[Partner<2>],
    ) -> (Vec<f64>, [f64; COUNT]) {
        let mut precision = vec![0.0; COUNT * COUNT];
        let mut gradient = [0.0; COUNT];
        for (i, partner) in partners.iter().enumerate().filter(|(_, p)| p.counts()) {
            let (y, rows) = self.derivatives(&source[i]);
            let left = difference(&partner.mean, &y);
            let weight = partner.weight / self.variance;
            for (row, r) in rows.iter().zip(left) {
                for (a, x) in row.iter().enumerate() {
                    gradient[a] += weight * x * r;
                    for (p, y) in precision[a * COUNT..].iter_mut().zip(row) {
                        *p += weight * x * y;
                    }
                }
            }
        }
        for (k, d) in self.deviations().into_iter().enumerate() {
            precision[k * COUNT + k] += Self::prior(k);
            gradient[k] -= Self::prior(k) * d;
        }
        (precision, gradient)
    }

    fn solve(&mut self, source: &[Vector<2>], partners: &[Partner<2>], steps: usize) {
        let mut cost = self.cost(source, partners);
        let mut damping = 1e-6;
        for _ in 0..steps {
            let (mut precision, mut step) = self.normal_equations(source, partners);
            for k in 0..COUNT {
                precision[k * COUNT + k] *= 1.0 + damping;
            }
            Cholesky::new(COUNT, precision).solve(&mut step);
            let before = self.parameters();
            let mut after = before;
            for (p, s) in after.iter_mut().zip(step) {
                *p += s;
            }
            self.set(&after);
            let new = self.cost(source, partners);
            if new > cost {
                self.set(&before);
                damping = (damping * 100.0).max(1e-3);
            } else {
                damping *= 0.1;
                cost = new;
            }
        }
        let (precision, _) = self.normal_equations(source, partners);
        self.factor = Arc::new(Cholesky::new(COUNT, precision));
    }
}

impl Member<2> for Projective {
    fn family(&self) -> Family {
        Family::Projective
    }

    fn predict(&self, _: usize, x: &Vector<2>) -> Prediction<2> {
        let (mean, mut rows) = self.derivatives(x);
        for row in &mut rows {
            self.factor.forward(row);
        }
        let mut covariance = scaled_identity(self.variance);
        for (a, row) in covariance.iter_mut().enumerate() {
            for (b, entry) in row.iter_mut().enumerate() {
                *entry += rows[a]
                    .iter()
                    .zip(&rows[b])
                    .map(|(x, y)| x * y)
                    .sum::<f64>();
            }
        }
        Prediction { mean, covariance }
    }

    fn predict_fitted(&self, _: usize, x: &Vector<2>) -> Prediction<2> {
        Prediction {
            mean: self.at(x),
            covariance: scaled_identity(self.variance),
        }
    }

    fn refit(&mut self, source: &[Vector<2>], partners: &[Partner<2>], floor: f64) {
        self.solve(source, partners, STEPS);
        self.variance = refitted_variance(self, source, partners, self.variance, floor);
        self.solve(source, partners, 1);
    }

    fn log_parameters(&self, source: &[Vector<2>], partners: &[Partner<2>]) -> f64 {
        let mut fit = self.clone();
        fit.base = Similarity::of(source, partners, self.is_reflected()).map;
        fit.solve(source, partners, STEPS);
        let prior = fit.deviations().into_iter().enumerate().map(|(k, d)| {
            let prior = Self::prior(k);
            prior.ln() - prior * d * d
        });
        let log = prior.sum::<f64>() - fit.factor.log_determinant();
        0.5 * (log - pairs_in(partners).max(1.0).ln())
    }

    fn is_reflected(&self) -> bool {
        determinant(&self.map.linear) < 0.0
    }

    fn map(&self) -> FittedMap<2> {
        FittedMap {
            affine: self.map,
            bend: self.bend,
            noise: scaled_identity(self.variance),
        }
    }

    fn over(&self, _: &[Vector<2>]) -> Box<dyn Member<2>> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAP: Affine<2> = Affine {
        linear: [[1.1, -0.2], [0.15, 0.9]],
        shift: [0.1, -0.05],
    };
    const BENT: [f64; 2] = [0.12, -0.2];

    fn grid() -> Vec<[f64; 2]> {
        (0..25)
            .map(|k| [(k % 5) as f64 * 0.6 - 1.2, (k / 5) as f64 * 0.6 - 1.2])
            .collect()
    }

    #[test]
    fn four_pairs_determine_the_map_and_a_line_does_not() {
        let source = grid();
        let truth = Projective::known(MAP, BENT, 0.01);
        let pairs = [0, 4, 11, 23].map(|i| (i, truth.at(&source[i])));
        let (map, bend) = Projective::through(&source, pairs).unwrap();
        let found = Projective::known(map, bend, 0.01);
        for (x, y) in found.parameters().iter().zip(truth.parameters()) {
            assert!((x - y).abs() < 1e-9);
        }
        let line = [0, 1, 2, 20].map(|i| (i, truth.at(&source[i])));
        assert!(Projective::through(&source, line).is_none());
    }

    #[test]
    fn the_fit_finds_the_map_again_and_its_derivatives_are_right() {
        let source = grid();
        let truth = Projective::known(MAP, BENT, 0.01);
        let partners: Vec<_> = source.iter().map(|x| Partner::at(truth.at(x))).collect();
        let mut member = Projective::new(Affine::identity(), 0.01);
        for _ in 0..30 {
            member.refit(&source, &partners, 0.0);
        }
        for (x, y) in member.parameters().iter().zip(truth.parameters()) {
            assert!((x - y).abs() < 1e-3, "{member:?}");
        }
        let (y, rows) = truth.derivatives(&source[7]);
        for k in 0..COUNT {
            let mut moved = truth.clone();
            let mut p = truth.parameters();
            p[k] += 1e-6;
            moved.set(&p);
            let change = difference(&moved.at(&source[7]), &y).map(|d| d / 1e-6);
            for (change, row) in change.iter().zip(rows) {
                assert!((change - row[k]).abs() < 1e-4);
            }
        }
    }
}
