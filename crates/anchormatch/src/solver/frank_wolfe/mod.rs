//! Frank–Wolfe, the one loop of it.
//!
//! The objective f is quadratic, so that on the way from a point x to another point p of a convex set it
//! is a parabola,
//!
//! > f(x + α (p − x)) = f(x) + derivative · α + curvature · α²,
//!
//! and an iteration looks where the gradient points to, finds the best α and goes there ([`climb`]). What
//! the algorithms differ in, they bring:
//!
//! - **where to** ([`Direction`]): the assignment that is best for the gradient (a [`Polytope`]'s vertex,
//!   with the ties of its linear assignment), or a transport plan, the average of the good ones;
//! - **how the parabola is summed** ([`Ascent`]): [`Walk`] keeps ⟨x, W x⟩ and its like up to date, so that
//!   a vertex costs O(n); [`Fresh`] sums over all entries anew, where nothing may cancel;
//! - **how far** ([`StepRule`]): the exact line search, and what becomes of ways that bend upwards;
//! - **when it ends**: the caller's test after every iteration.
//!
//! The set is the convex hull of the assignments that a problem allows. Unary terms are linear on it,
//! Σ u x: on assignments they are the same as Σ u x², W's diagonal.

mod fresh;
mod point;
mod polytope;
mod restarts;
mod walk;

pub(super) use fresh::{Form, Fresh};
pub(super) use point::mix;
pub(super) use polytope::{Nearness, Polytope};
pub(super) use restarts::{BestVertex, Report, best_of_runs, best_of_starts, starts_at_once};
pub(super) use walk::Walk;

use super::Status;
use crate::assignment::Assignment;
use crate::error::Result;
pub(super) use crate::linalg::dot;

/// The segment from a point x to the end p of an iteration, and f along it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Segment {
    /// f's derivative at x in its direction.
    pub(super) derivative: f64,
    /// Half of f's second derivative.
    pub(super) curvature: f64,
}

/// The step that an iteration took.
#[derive(Debug, Clone, Copy)]
pub(super) struct Taken {
    pub(super) segment: Segment,
    /// The share of the way, α.
    pub(super) step: f64,
}

/// A point that climbs a quadratic function over a convex set.
pub(super) trait Ascent {
    /// Finds the end of the next step, and the way to it.
    fn aim(&mut self) -> Result<Segment>;

    /// Goes the share `step` of the way.
    fn advance(&mut self, step: f64);
}

/// Finds where a gradient points to, again and again in the same memory.
pub(super) trait Direction {
    /// Whether no point of the set is better for the gradient: a derivative below 0 is then rounding.
    const IS_BEST: bool;

    /// Finds the end p of the next step for `gradient`, n₁×n₂ row-major.
    fn find(&mut self, gradient: &[f64]) -> Result<()>;

    /// What was found last.
    fn end(&self) -> End<'_>;
}

impl<D: Direction> Direction for &mut D {
    const IS_BEST: bool = D::IS_BEST;

    fn find(&mut self, gradient: &[f64]) -> Result<()> {
        (**self).find(gradient)
    }

    fn end(&self) -> End<'_> {
        (**self).end()
    }
}

/// The end p of a step.
#[derive(Debug, Clone, Copy)]
pub(super) enum End<'e> {
    /// A vertex.
    Assignment(&'e Assignment),
    /// Any point, row-major.
    Plan(&'e [f64]),
}

impl End<'_> {
    /// ⟨values, p⟩.
    pub(super) fn sum(self, values: &[f64]) -> f64 {
        match self {
            Self::Assignment(columns) => sum_over(values, columns),
            Self::Plan(p) => dot(values, p),
        }
    }

    /// ⟨p, p⟩; the pairs of p when that is a vertex.
    pub(super) fn square(self) -> f64 {
        match self {
            Self::Assignment(columns) => columns.matched() as f64,
            Self::Plan(p) => dot(p, p),
        }
    }

    /// `out` = p.
    pub(super) fn write(self, out: &mut [f64]) {
        match self {
            Self::Assignment(columns) => {
                out.fill(0.0);
                add_assignment(out, columns, 1.0);
            }
            Self::Plan(p) => out.copy_from_slice(p),
        }
    }

    /// x ← (1 − share) x + share p.
    pub(super) fn mix_into(self, x: &mut [f64], share: f64) {
        match self {
            Self::Assignment(columns) => {
                x.iter_mut().for_each(|x| *x *= 1.0 - share);
                add_assignment(x, columns, share);
            }
            Self::Plan(p) => mix(x, p, share),
        }
    }
}

/// How far to go where the parabola does not bend down; where it does, to its top within [0, 1].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StepRule {
    /// To the end, when that is higher.
    Higher,
    /// To the end, when that is not lower; as SciPy and graspologic do.
    NotLower,
    /// To the end, when the derivative leads there.
    Uphill,
    /// To the end; and to the top also when that lies behind. As pygmtools does.
    Unbounded,
}

impl StepRule {
    /// The α to go to.
    pub(super) fn step(self, derivative: f64, curvature: f64) -> f64 {
        if curvature < 0.0 {
            // Comparing before dividing keeps a tiny curvature from overflowing.
            return if derivative <= 0.0 && self != Self::Unbounded {
                0.0
            } else if derivative >= -2.0 * curvature {
                1.0
            } else {
                derivative / (-2.0 * curvature)
            };
        }
        let go = match self {
            Self::Higher => derivative + curvature > 0.0,
            Self::NotLower => derivative + curvature >= 0.0,
            Self::Uphill => derivative > 0.0,
            Self::Unbounded => true,
        };
        f64::from(u8::from(go))
    }
}

/// Frank–Wolfe: iterates until `judge`, which sees every step, says how it ended, `most` times at most.
pub(super) fn climb<A: Ascent>(
    ascent: &mut A,
    rule: StepRule,
    most: usize,
    mut judge: impl FnMut(&mut A, &Taken) -> Option<Status>,
) -> Result<Status> {
    let ascents = std::slice::from_mut(ascent);
    climb_together(ascents, rule, most, |ascents, taken| {
        judge(&mut ascents[0], &taken[0])
    })
}

/// [`climb`] for points that climb functions of their own and end together.
pub(super) fn climb_together<A: Ascent>(
    ascents: &mut [A],
    rule: StepRule,
    most: usize,
    mut judge: impl FnMut(&mut [A], &[Taken]) -> Option<Status>,
) -> Result<Status> {
    let mut taken = Vec::with_capacity(ascents.len());
    for _ in 0..most {
        taken.clear();
        for ascent in &mut *ascents {
            let segment = ascent.aim()?;
            let step = rule.step(segment.derivative, segment.curvature);
            ascent.advance(step);
            taken.push(Taken { segment, step });
        }
        if let Some(status) = judge(ascents, &taken) {
            return Ok(status);
        }
    }
    Ok(Status::IterationLimit)
}

/// `x[i, p(i)] += weight` over the pairs of an assignment of all rows.
fn add_assignment(x: &mut [f64], assignment: &Assignment, weight: f64) {
    let m = x.len() / assignment.rows().max(1);
    for (i, a) in assignment.pairs() {
        x[i * m + a] += weight;
    }
}

/// Σ `values[i, p(i)]` over the pairs of an assignment of all rows.
pub(super) fn sum_over(values: &[f64], assignment: &Assignment) -> f64 {
    let m = values.len() / assignment.rows().max(1);
    assignment.pairs().map(|(i, a)| values[i * m + a]).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_go_to_the_best_point_of_the_parabola() {
        use StepRule::{Higher, NotLower, Unbounded, Uphill};
        let best = |derivative: f64, curvature: f64| {
            let value = |k: i32| {
                let share = f64::from(k) / 1000.0;
                derivative * share + curvature * share * share
            };
            let best = (0..=1000).max_by(|&a, &b| value(a).total_cmp(&value(b)));
            f64::from(best.unwrap()) / 1000.0
        };
        for rule in [Higher, NotLower, Uphill, Unbounded] {
            for (derivative, curvature) in [(1.0, -2.0), (1.0, -0.1), (0.5, 0.7), (3.0, 0.0)] {
                let step = rule.step(derivative, curvature);
                assert!(
                    (step - best(derivative, curvature)).abs() <= 1e-3,
                    "{rule:?}"
                );
            }
            // So little curvature that dividing by it would overflow.
            assert_eq!(rule.step(1.0, -f64::MIN_POSITIVE), 1.0);
        }
        for rule in [Higher, NotLower, Uphill] {
            assert_eq!(rule.step(-1.0, -2.0), 0.0);
        }
        // Where they differ: level ways, ways that rise after a fall, ways back.
        let steps = |derivative, curvature| {
            [Higher, NotLower, Uphill, Unbounded].map(|rule| rule.step(derivative, curvature))
        };
        assert_eq!(steps(0.0, 0.0), [0.0, 1.0, 0.0, 1.0]);
        assert_eq!(steps(-1.0, 2.0), [1.0, 1.0, 0.0, 1.0]);
        assert_eq!(steps(-1.0, 0.5), [0.0, 0.0, 0.0, 1.0]);
        assert_eq!(Unbounded.step(-1.0, -2.0), -0.25);
    }
}
