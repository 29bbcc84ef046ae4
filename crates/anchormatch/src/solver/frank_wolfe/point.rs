//! A point of the hull, and the parabola on the way from it to another.

use super::{add_assignment, dot};
use crate::assignment::Assignment;
use crate::problem::Problem;

/// A point of the hull with all that moves linearly along with it.
pub(in crate::solver) struct Point {
    pub(in crate::solver) x: Vec<f64>,
    /// W x, the pairwise part.
    pub(in crate::solver) image: Vec<f64>,
    /// ⟨u, x⟩, ⟨x, W x⟩ and ⟨x, x⟩.
    pub(in crate::solver) linear: f64,
    pub(in crate::solver) quadratic: f64,
    square: f64,
}

/// The sums that a step from a point towards another, p, needs.
pub(in crate::solver) struct End {
    /// ⟨u, p⟩.
    pub(in crate::solver) linear: f64,
    /// ⟨p, W x⟩.
    pub(in crate::solver) cross: f64,
    /// ⟨p, W p⟩.
    pub(in crate::solver) quadratic: f64,
    /// ⟨p, x⟩.
    pub(in crate::solver) overlap: f64,
    /// ⟨p, p⟩; the pairs of p when that is a vertex.
    pub(in crate::solver) size: f64,
}

impl Point {
    pub(in crate::solver) fn new(
        problem: &Problem,
        unary: &[f64],
        x: Vec<f64>,
        scratch: &mut [f64],
    ) -> Self {
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
    pub(in crate::solver) fn score(&self, unary: &[f64], sign: f64, score: &mut [f64]) {
        for ((score, u), image) in score.iter_mut().zip(unary).zip(&self.image) {
            *score = sign * (u + 2.0 * image);
        }
    }

    /// f(x + α (p − x)) − f(x) = slope · α + curvature · α².
    pub(in crate::solver) fn towards(&self, end: &End) -> (f64, f64) {
        let slope = (end.linear - self.linear) + 2.0 * (end.cross - self.quadratic);
        (slope, end.quadratic - 2.0 * end.cross + self.quadratic)
    }

    /// ‖p − x‖.
    pub(in crate::solver) fn distance(&self, end: &End) -> f64 {
        (end.size - 2.0 * end.overlap + self.square).max(0.0).sqrt()
    }

    /// x ← x + step (p − x) for an assignment p whose product with W is `image`.
    pub(in crate::solver) fn advance_to_vertex(
        &mut self,
        step: f64,
        end: &End,
        vertex: &Assignment,
        image: &[f64],
    ) {
        self.advance_sums(step, end);
        let m = self.x.len() / vertex.rows().max(1);
        self.x.iter_mut().for_each(|x| *x *= 1.0 - step);
        add_assignment(&mut self.x, m, vertex, step);
        mix(&mut self.image, image, step);
    }

    /// x ← x + step (p − x) for any p.
    pub(in crate::solver) fn advance(&mut self, step: f64, end: &End, p: &[f64], image: &[f64]) {
        self.advance_sums(step, end);
        mix(&mut self.x, p, step);
        mix(&mut self.image, image, step);
    }

    fn advance_sums(&mut self, step: f64, end: &End) {
        let stay = 1.0 - step;
        let form = |old: f64, cross: f64, new: f64| {
            stay * stay * old + 2.0 * step * stay * cross + step * step * new
        };
        self.linear = stay * self.linear + step * end.linear;
        self.quadratic = form(self.quadratic, end.cross, end.quadratic);
        self.square = form(self.square, end.overlap, end.size);
    }
}

/// `old` ← (1 − share) `old` + share `new`.
pub(in crate::solver) fn mix(old: &mut [f64], new: &[f64], share: f64) {
    for (old, new) in old.iter_mut().zip(new) {
        *old = (1.0 - share) * *old + share * new;
    }
}
