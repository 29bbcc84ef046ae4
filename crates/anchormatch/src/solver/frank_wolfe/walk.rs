//! Frank–Wolfe on a problem, with sums that move along.

use super::point::{Point, Sums};
use super::{Ascent, Direction, End, Segment};
use crate::error::Result;
use crate::problem::Problem;

/// A point of a problem's hull on its way up f(x) = ⟨u, x⟩ + ⟨x, W x⟩, or down it for costs.
pub(in crate::solver) struct Walk<'p, D> {
    problem: &'p Problem,
    /// u, full.
    unary: &'p [f64],
    sign: f64,
    point: Point,
    pub(in crate::solver) direction: D,
    /// ± ∇f(x).
    gradient: Vec<f64>,
    /// What the last step led to, and its product with W.
    end: Sums,
    end_image: Vec<f64>,
    /// ‖p − x‖ of the last step, before it was taken.
    pub(in crate::solver) length: f64,
    scratch: Vec<f64>,
}

impl<'p, D: Direction> Walk<'p, D> {
    pub(in crate::solver) fn new(
        problem: &'p Problem,
        unary: &'p [f64],
        x: Vec<f64>,
        direction: D,
    ) -> Self {
        let mut scratch = vec![0.0; problem.pairwise().scratch_len()];
        let zeros = vec![0.0; x.len()];
        let mut walk = Self {
            problem,
            unary,
            sign: problem.sense().sign(),
            point: Point::new(problem, unary, x, &mut scratch),
            direction,
            gradient: zeros.clone(),
            end: Sums::default(),
            end_image: zeros,
            length: 0.0,
            scratch,
        };
        walk.look();
        walk
    }

    fn look(&mut self) {
        self.point.score(self.unary, self.sign, &mut self.gradient);
    }

    /// x.
    pub(in crate::solver) fn into_x(self) -> Vec<f64> {
        self.point.x
    }

    /// ± f of the last step's end.
    pub(in crate::solver) fn end_value(&self) -> f64 {
        self.sign * (self.end.linear + self.end.quadratic)
    }

    /// ⟨p, p⟩ of the last step's end p.
    pub(in crate::solver) fn end_square(&self) -> f64 {
        self.end.square
    }
}

impl<D: Direction> Ascent for Walk<'_, D> {
    fn aim(&mut self) -> Result<Segment> {
        let pairwise = self.problem.pairwise();
        self.direction.find(&self.gradient)?;
        let end = self.direction.end();
        match end {
            End::Assignment(columns) => {
                pairwise.apply_assignment(columns, &mut self.end_image, &mut self.scratch);
            }
            End::Plan(p) => pairwise.apply(p, &mut self.end_image, &mut self.scratch),
        }
        self.end = Sums {
            linear: end.sum(self.unary),
            cross: end.sum(&self.point.image),
            quadratic: end.sum(&self.end_image),
            overlap: end.sum(&self.point.x),
            square: end.square(),
        };
        self.length = self.point.distance(&self.end);
        let (derivative, curvature) = self.point.towards(&self.end);
        let derivative = self.sign * derivative;
        Ok(Segment {
            derivative: if D::IS_BEST {
                derivative.max(0.0)
            } else {
                derivative
            },
            curvature: self.sign * curvature,
        })
    }

    fn advance(&mut self, step: f64) {
        if step != 0.0 {
            let end = self.direction.end();
            self.point.advance(step, end, &self.end, &self.end_image);
            self.look();
        }
    }
}
