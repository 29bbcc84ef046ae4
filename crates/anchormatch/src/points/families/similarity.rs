//! Rotation, scale and translation, y = s R x + t + N(0, σ² I), after Umeyama (1991).

use super::super::association::{Partner, Prediction};
use super::super::small::{
    Vector, add_outer, apply, determinant, difference, dot, nearest_rotation, scaled_identity,
    squared_distance,
};
use super::{Affine, DEVIATION, Family, FittedMap, Member, pairs_in, refitted_variance};

#[derive(Debug, Clone)]
pub(in crate::points) struct Similarity<const D: usize> {
    pub(in crate::points) map: Affine<D>,
    variance: f64,
    reflected: bool,
    /// What the fit rests on: the mean of the source points, their weight, and their squared distances from
    /// the mean.
    centre: Vector<D>,
    weight: f64,
    inertia: f64,
}

/// Scales below this are refused: a set does not collapse.
const LEAST_SCALE: f64 = 0.02;

impl<const D: usize> Similarity<D> {
    /// The best one for these pairs, in the sense of least squares.
    pub(in crate::points) fn through(
        source: &[Vector<D>],
        pairs: &[(usize, Vector<D>)],
        reflected: bool,
    ) -> Self {
        let mut fit = Self {
            map: Affine::identity(),
            variance: DEVIATION * DEVIATION,
            reflected,
            centre: [0.0; D],
            weight: 1.0,
            inertia: 1.0,
        };
        fit.fit(source, pairs.iter().map(|&(i, y)| (i, 1.0, y)));
        fit
    }

    /// A map that is thought to be known.
    pub(in crate::points) fn known(map: Affine<D>) -> Self {
        Self {
            map,
            ..Self::through(&[], &[], determinant(&map.linear) < 0.0)
        }
    }

    /// With another variance of the noise.
    pub(in crate::points) fn with_variance(self, variance: f64) -> Self {
        Self { variance, ..self }
    }

    /// The best one for these partners.
    pub(in crate::points) fn of(
        source: &[Vector<D>],
        partners: &[Partner<D>],
        reflected: bool,
    ) -> Self {
        let mut fit = Self::through(source, &[], reflected);
        fit.fit(source, weighted(partners));
        fit
    }

    /// The sum of squared residuals of pairs.
    pub(in crate::points) fn error(
        &self,
        source: &[Vector<D>],
        pairs: &[(usize, Vector<D>)],
    ) -> f64 {
        let squares = pairs
            .iter()
            .map(|(i, y)| squared_distance(y, &self.map.at(&source[*i])));
        squares.sum()
    }

    fn fit(
        &mut self,
        source: &[Vector<D>],
        pairs: impl Iterator<Item = (usize, f64, Vector<D>)> + Clone,
    ) {
        let weight: f64 = pairs.clone().map(|(_, w, _)| w).sum();
        if weight < 1e-9 {
            return;
        }
        let (mut from, mut to) = ([0.0; D], [0.0; D]);
        for (i, w, y) in pairs.clone() {
            for k in 0..D {
                from[k] += w / weight * source[i][k];
                to[k] += w / weight * y[k];
            }
        }
        let mut inertia = 0.0;
        let mut cross = [[0.0; D]; D];
        for (i, w, y) in pairs {
            let x = difference(&source[i], &from);
            inertia += w * dot(&x, &x);
            add_outer(&mut cross, w, &difference(&y, &to), &x);
        }
        let (rotation, sum) = nearest_rotation(&cross, self.reflected);
        let scale = if inertia > 1e-12 {
            (sum / inertia).max(LEAST_SCALE)
        } else {
            1.0
        };
        self.map.linear = rotation.map(|row| row.map(|x| scale * x));
        let moved = apply(&self.map.linear, &from);
        self.map.shift = difference(&to, &moved);
        self.centre = from;
        self.weight = weight;
        self.inertia = inertia;
    }
}

fn weighted<const D: usize>(
    partners: &[Partner<D>],
) -> impl Iterator<Item = (usize, f64, Vector<D>)> + Clone {
    let counted = partners.iter().enumerate().filter(|(_, p)| p.counts());
    counted.map(|(i, p)| (i, p.weight, p.mean))
}

impl<const D: usize> Member<D> for Similarity<D> {
    fn family(&self) -> Family {
        Family::Similarity
    }

    fn predict(&self, _: usize, x: &Vector<D>) -> Prediction<D> {
        let lever = squared_distance(x, &self.centre) / self.inertia.max(1e-3);
        let uncertain = 1.0 + 1.0 / self.weight.max(0.5) + lever;
        Prediction {
            mean: self.map.at(x),
            covariance: scaled_identity(self.variance * uncertain),
        }
    }

    fn predict_fitted(&self, _: usize, x: &Vector<D>) -> Prediction<D> {
        Prediction {
            mean: self.map.at(x),
            covariance: scaled_identity(self.variance),
        }
    }

    fn refit(&mut self, source: &[Vector<D>], partners: &[Partner<D>], floor: f64) {
        self.fit(source, weighted(partners));
        self.variance = refitted_variance(self, source, partners, self.variance, floor);
    }

    fn log_parameters(&self, _: &[Vector<D>], partners: &[Partner<D>]) -> f64 {
        let d = D as f64;
        let turns = d * (d - 1.0) / 2.0 + 1.0;
        let prior = DEVIATION * DEVIATION / self.variance;
        let shift = (1.0 + prior * self.weight).ln();
        let turn = (1.0 + prior * self.inertia / d).ln();
        -0.5 * (d * shift + turns * turn + pairs_in(partners).max(1.0).ln())
    }

    fn is_reflected(&self) -> bool {
        self.reflected
    }

    fn map(&self) -> FittedMap<D> {
        FittedMap {
            affine: self.map,
            bend: [0.0; D],
            noise: scaled_identity(self.variance),
        }
    }

    fn over(&self, _: &[Vector<D>]) -> Box<dyn Member<D>> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_similarity_is_found_again() {
        let source = [
            [0.0, 0.0, 0.0],
            [1.0, 0.0, 0.2],
            [0.0, 2.0, 0.0],
            [0.3, 0.4, 1.5],
        ];
        let (sin, cos) = 0.4f64.sin_cos();
        for reflected in [false, true] {
            let flip = if reflected { -1.0 } else { 1.0 };
            let map = |x: &[f64; 3]| {
                let x = [x[0], x[1], flip * x[2]];
                [
                    1.5 * (cos * x[0] - sin * x[1]) + 0.3,
                    1.5 * (sin * x[0] + cos * x[1]) - 0.2,
                    1.5 * x[2] + 1.0,
                ]
            };
            let pairs: Vec<_> = source
                .iter()
                .enumerate()
                .map(|(i, x)| (i, map(x)))
                .collect();
            let fit = Similarity::through(&source, &pairs, reflected);
            assert!(fit.error(&source, &pairs) < 1e-18);
            let other = Similarity::through(&source, &pairs, !reflected);
            assert!(other.error(&source, &pairs) > 0.1);
        }
    }

    #[test]
    fn one_pair_or_none_gives_a_translation() {
        let source = [[0.0, 0.0], [1.0, 0.0]];
        let one = Similarity::through(&source, &[(1, [3.0, 4.0])], false);
        assert_eq!(one.map.at(&[1.0, 0.0]), [3.0, 4.0]);
        assert_eq!(one.map.at(&[2.0, 0.0]), [4.0, 4.0]);
        let none = Similarity::through(&source, &[], false);
        assert_eq!(none.map.at(&[2.0, 0.0]), [2.0, 0.0]);
    }
}
