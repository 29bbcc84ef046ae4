//! Frank–Wolfe on any quadratic form, with sums over all entries.

use super::{Ascent, Direction, End, Segment};
use crate::error::Result;

/// A quadratic function f(x) = ⟨c, x⟩ + ½ ⟨x, G x⟩, G linear and symmetric.
pub(in crate::solver) trait Form {
    /// c; `None` for zeros.
    fn linear(&self) -> Option<&[f64]>;

    /// `out` = G x.
    fn image(&mut self, x: &[f64], out: &mut [f64]);

    /// `out` = G p, for forms to which it makes a difference that p may be an assignment; `x` has its
    /// entries.
    fn image_of_end(&mut self, _p: End<'_>, x: &[f64], out: &mut [f64]) {
        self.image(x, out);
    }
}

/// A point on its way up a form.
///
/// The sums of a step are taken over differences, entry by entry: near a fixed point they lose no digits.
pub(in crate::solver) struct Fresh<F, D> {
    form: F,
    pub(in crate::solver) direction: D,
    /// −1 to go down.
    sign: f64,
    pub(in crate::solver) x: Vec<f64>,
    /// G x.
    image: Vec<f64>,
    /// ± ∇f(x).
    gradient: Vec<f64>,
    /// The last step's end p, and G p.
    end: Vec<f64>,
    end_image: Vec<f64>,
    /// ‖p − x‖ of the last step, before it was taken.
    pub(in crate::solver) length: f64,
    /// Σ |∇f(x)| (p + x), the size of the terms that cancel in the derivative.
    pub(in crate::solver) derivative_size: f64,
}

impl<F: Form, D: Direction> Fresh<F, D> {
    pub(in crate::solver) fn new(mut form: F, sign: f64, x: Vec<f64>, direction: D) -> Self {
        let zeros = vec![0.0; x.len()];
        let mut image = zeros.clone();
        form.image(&x, &mut image);
        let mut ascent = Self {
            form,
            direction,
            sign,
            x,
            image,
            gradient: zeros.clone(),
            end: zeros.clone(),
            end_image: zeros,
            length: 0.0,
            derivative_size: 0.0,
        };
        ascent.look();
        ascent
    }

    fn look(&mut self) {
        let slots = self.gradient.iter_mut().zip(&self.image);
        match self.form.linear() {
            Some(linear) => {
                for ((slot, image), c) in slots.zip(linear) {
                    *slot = self.sign * (c + image);
                }
            }
            None => slots.for_each(|(slot, image)| *slot = self.sign * image),
        }
    }

    /// ± f of the last step's end.
    pub(in crate::solver) fn end_value(&self) -> f64 {
        let linear = self.form.linear().map_or(0.0, |c| super::dot(c, &self.end));
        self.sign * 0.5 * super::dot(&self.end, &self.end_image) + self.sign * linear
    }
}

impl<F: Form, D: Direction> Ascent for Fresh<F, D> {
    fn aim(&mut self) -> Result<Segment> {
        self.direction.find(&self.gradient)?;
        let p = self.direction.end();
        p.write(&mut self.end);
        self.form.image_of_end(p, &self.end, &mut self.end_image);
        let (mut derivative, mut curvature, mut square, mut size) = (0.0, 0.0, 0.0, 0.0);
        for k in 0..self.x.len() {
            let way = self.end[k] - self.x[k];
            derivative += self.gradient[k] * way;
            curvature += (self.end_image[k] - self.image[k]) * way;
            square += way * way;
            size += self.gradient[k].abs() * (self.end[k] + self.x[k]);
        }
        self.length = f64::sqrt(square);
        self.derivative_size = size;
        Ok(Segment {
            derivative,
            curvature: 0.5 * self.sign * curvature,
        })
    }

    fn advance(&mut self, step: f64) {
        if step == 0.0 {
            return;
        }
        if step == 1.0 {
            self.x.copy_from_slice(&self.end);
            self.image.copy_from_slice(&self.end_image);
        } else {
            for (x, p) in self.x.iter_mut().zip(&self.end) {
                *x += step * (p - *x);
            }
            // By linearity: no second product.
            for (image, end) in self.image.iter_mut().zip(&self.end_image) {
                *image += step * (end - *image);
            }
        }
        self.look();
    }
}
