//! A point of the hull, and the parabola on the way from it to another.

use super::{End, dot};
use crate::problem::Problem;

/// A point of the hull with all that moves linearly along with it.
pub(super) struct Point {
    pub(super) x: Vec<f64>,
    /// W x, the pairwise part.
    pub(super) image: Vec<f64>,
    /// ⟨u, x⟩, ⟨x, W x⟩ and ⟨x, x⟩.
    linear: f64,
    quadratic: f64,
    square: f64,
}

/// The sums that a step from a point x towards another, p, needs.
#[derive(Default)]
pub(super) struct Sums {
    /// ⟨u, p⟩.
    pub(super) linear: f64,
    /// ⟨p, W x⟩.
    pub(super) cross: f64,
    /// ⟨p, W p⟩.
    pub(super) quadratic: f64,
    /// ⟨p, x⟩.
    pub(super) overlap: f64,
    /// ⟨p, p⟩.
    pub(super) square: f64,
}

impl Point {
    pub(super) fn new(problem: &Problem, unary: &[f64], x: Vec<f64>, scratch: &mut [f64]) -> Self {
        let mut image = vec![0.0; x.len()];
        problem.pairwise().apply(&x, &mut image, scratch);
        Self {
            linear: dot(unary, &x),
            quadratic: dot(&x, &image),
            square: dot(&x, &x),
            x,
            image,
        }
    }

    /// `score` = ± (u + 2 W x), the gradient of what is to grow.
    pub(super) fn score(&self, unary: &[f64], sign: f64, score: &mut [f64]) {
        for ((score, u), image) in score.iter_mut().zip(unary).zip(&self.image) {
            *score = sign * (u + 2.0 * image);
        }
    }

    /// f(x + α (p − x)) − f(x) = derivative · α + curvature · α².
    pub(super) fn towards(&self, end: &Sums) -> (f64, f64) {
        let derivative = (end.linear - self.linear) + 2.0 * (end.cross - self.quadratic);
        (derivative, end.quadratic - 2.0 * end.cross + self.quadratic)
    }

    /// ‖p − x‖.
    pub(super) fn distance(&self, end: &Sums) -> f64 {
        let square = end.square - 2.0 * end.overlap + self.square;
        square.max(0.0).sqrt()
    }

    /// x ← x + step (p − x) for a p whose product with W is `image`.
    pub(super) fn advance(&mut self, step: f64, p: End<'_>, sums: &Sums, image: &[f64]) {
        let stay = 1.0 - step;
        let form = |old: f64, cross: f64, new: f64| {
            stay * stay * old + 2.0 * step * stay * cross + step * step * new
        };
        self.linear = stay * self.linear + step * sums.linear;
        self.quadratic = form(self.quadratic, sums.cross, sums.quadratic);
        self.square = form(self.square, sums.overlap, sums.square);
        p.mix_into(&mut self.x, step);
        mix(&mut self.image, image, step);
    }
}

/// `old` ← (1 − share) `old` + share `new`.
pub(in crate::solver) fn mix(old: &mut [f64], new: &[f64], share: f64) {
    for (old, new) in old.iter_mut().zip(new) {
        *old = (1.0 - share) * *old + share * new;
    }
}
