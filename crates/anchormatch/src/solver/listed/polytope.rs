//! The convex hull of the assignments within lists, for Frank–Wolfe over their entries.
//!
//! As [`frank_wolfe::Polytope`](crate::solver::frank_wolfe::Polytope), with a vector of entries for a
//! matrix and the linear assignment of lists for that of matrices. Where everybody of the smaller side can
//! be matched, the hull is {x ≥ 0 : sums of that side 1, of the other at most 1}, and balancing leads into
//! it; elsewhere only vertices tell where it is.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{Space, cap_sums, largest_sum};
use crate::assignment::{Alone, Assignment, ListedSinkhorn, ListedSolver};
use crate::error::{Error, Result};
use crate::linalg::PairValues;
use crate::monitor::Monitor;
use crate::problem::Coverage;
use crate::solver::frank_wolfe::{Direction, End, Fresh, Nearness, StepRule, climb};
use crate::solver::{Start, Status};

/// Sums this close to what they should be need no balancing.
const SUM_TOLERANCE: f64 = 1e-6;

/// What may be missing of the sums of a balanced point.
const MISSING: f64 = 1e-2;

/// Sweeps of the balancing for a starting point.
const START_SWEEPS: usize = 200;

/// Steps that bring a point nearer to the hull: at most, at least, and entries looked at in all.
const NEAREST_STEPS: usize = 30;
const FEWEST_STEPS: usize = 6;
const NEAREST_ENTRIES: usize = 1 << 21;

/// The convex hull of a problem's assignments within its lists.
pub(in crate::solver) struct Polytope<'s> {
    space: &'s Space<'s>,
    monitor: &'s Monitor,
    solver: ListedSolver,
    /// The vertex found last, as a vector of zeros and ones.
    vertex: Vec<f64>,
}

impl<'s> Polytope<'s> {
    pub(in crate::solver) fn new(space: &'s Space<'s>, monitor: &'s Monitor) -> Self {
        let alone = match space.problem.coverage() {
            Coverage::Full => Alone::LastResort,
            Coverage::Partial => Alone::Allowed,
        };
        Self {
            solver: ListedSolver::new(space.entries.lists(), alone),
            vertex: vec![0.0; space.count()],
            space,
            monitor,
        }
    }

    /// Bytes that one takes beside the space.
    pub(in crate::solver) fn memory(shape: (usize, usize), entries: usize) -> u64 {
        let solver = ListedSolver::memory(shape.0, shape.1, entries);
        solver.saturating_add(8 * (entries as u64))
    }

    /// The vertex found last.
    pub(in crate::solver) fn best(&self) -> &Assignment {
        self.solver.best()
    }

    /// The starting point that is asked for: the soft values, or else the assignment, or else the middle.
    pub(in crate::solver) fn start(&mut self, start: &Start<'_>) -> Result<Vec<f64>> {
        if let Some(soft) = start.soft {
            self.point_like(soft)
        } else if let Some(assignment) = start.assignment {
            let mut score = vec![0.0; self.space.count()];
            let numbers = self.space.numbers(assignment);
            numbers.for_each(|entry| score[entry] = 1.0);
            self.find(&score)?;
            Ok(self.vertex.clone())
        } else {
            self.middle()
        }
    }

    /// The middle of the hull.
    fn middle(&mut self) -> Result<Vec<f64>> {
        let count = self.space.count();
        if self.space.problem.coverage() == Coverage::Partial {
            let ones = vec![1.0; count];
            let largest = largest_sum(self.space.entries.lists(), &ones);
            return Ok(vec![1.0 / largest.max(1.0); count]);
        }
        match self.balanced(vec![1.0; count]) {
            Some(x) => Ok(x),
            None => self.nearest(&vec![0.0; count]),
        }
    }

    /// Half way between the middle and a random point, number `number` of this seed.
    pub(in crate::solver) fn random(&mut self, seed: u64, number: u64) -> Result<Vec<f64>> {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        random.set_stream(number);
        let middle = self.middle()?;
        let draw = |_| 1.0 - random.random::<f64>();
        let mut x: Vec<f64> = (0..middle.len()).map(draw).collect();
        let scale = |x: &mut [f64], factor: f64| {
            let pairs = x.iter_mut().zip(&middle);
            pairs.for_each(|(x, middle)| *x *= factor * middle);
        };
        if self.space.problem.coverage() == Coverage::Partial {
            scale(&mut x, 1.0);
        } else if let Some(balanced) = self.balanced(x.clone()) {
            x = balanced;
        } else {
            scale(&mut x, 4.0);
            x = self.nearest(&x)?;
        }
        for (x, middle) in x.iter_mut().zip(&middle) {
            *x = 0.5 * (*x + middle);
        }
        Ok(x)
    }

    /// A point of the hull that is like `soft`, or is `soft` when that lies in it.
    fn point_like(&mut self, soft: &PairValues) -> Result<Vec<f64>> {
        let entries = &*self.space.entries;
        let value = |entry| soft[(entries.row(entry), entries.column(entry))];
        let mut x: Vec<f64> = (0..entries.count()).map(value).collect();
        let largest = x.iter().fold(0.0f64, |largest, &x| largest.max(x));
        if largest == 0.0 {
            return self.middle();
        }
        let largest_sum = largest_sum(entries.lists(), &x);
        if self.space.problem.coverage() == Coverage::Partial {
            if largest_sum > 1.0 {
                x.iter_mut().for_each(|x| *x /= largest_sum);
            }
            return Ok(x);
        }
        let (n, m) = self.space.problem.shape();
        let total: f64 = x.iter().sum();
        let is_in =
            largest_sum <= 1.0 + SUM_TOLERANCE && total >= n.min(m) as f64 * (1.0 - SUM_TOLERANCE);
        if is_in {
            return Ok(x);
        }
        // Zeros may have no scaling with all sums 1; a little of everything has one.
        let positive = x.iter().map(|x| x / largest + 1e-9).collect();
        if let Some(balanced) = self.balanced(positive) {
            return Ok(balanced);
        }
        x.iter_mut().for_each(|x| *x /= largest_sum);
        self.nearest(&x)
    }

    /// Positive values, balanced, no sum above 1; `None` where the lists do not allow (nearly) everybody of
    /// the smaller side a partner, so that something is missing.
    fn balanced(&self, mut x: Vec<f64>) -> Option<Vec<f64>> {
        let lists = self.space.entries.lists();
        let go_on = || self.monitor.interrupted().is_none();
        ListedSinkhorn::new().balance(lists, &mut x, (SUM_TOLERANCE, START_SWEEPS), go_on);
        cap_sums(lists, &mut x);
        let (n, m) = self.space.problem.shape();
        let total: f64 = x.iter().sum();
        (total >= (1.0 - MISSING) * n.min(m) as f64).then_some(x)
    }

    /// A point of the hull near `target`.
    fn nearest(&mut self, target: &[f64]) -> Result<Vec<f64>> {
        self.find(target)?;
        let x = self.vertex.clone();
        let steps = NEAREST_ENTRIES / target.len().max(1);
        let steps = steps.clamp(FEWEST_STEPS, NEAREST_STEPS);
        let monitor = self.monitor;
        let mut ascent = Fresh::new(Nearness { target }, 1.0, x, self);
        climb(&mut ascent, StepRule::Higher, steps, |_, taken| {
            let over = taken.step == 0.0 || monitor.interrupted().is_some();
            over.then_some(Status::Converged)
        })?;
        Ok(ascent.x)
    }
}

impl Direction for Polytope<'_> {
    const IS_BEST: bool = true;

    fn find(&mut self, gradient: &[f64]) -> Result<()> {
        if let Some(score) = gradient.iter().find(|score| !score.is_finite()) {
            return Err(Error::parameter("score", score, "finite numbers"));
        }
        let best = self.solver.maximise(gradient, self.monitor);
        self.vertex.fill(0.0);
        for (i, a) in best.pairs() {
            let number = self.space.entries.number(i, a);
            self.vertex[number.expect("chosen pairs are listed")] = 1.0;
        }
        Ok(())
    }

    fn end(&self) -> End<'_> {
        End::Plan(&self.vertex)
    }
}
