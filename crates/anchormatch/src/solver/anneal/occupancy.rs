//! The occupancy: how long each row stays at each column while a walk goes on at a low temperature.
//!
//! An optimum is seldom alone: leaves and twins can be exchanged freely, and any single optimum guesses
//! among them. The assignment that has most pairs right on average is the one that is best for the sum
//! of their occupancies, a linear assignment (posterior decoding).

use super::instance::Instance;
use super::state::State;
use crate::linalg::Matrix;

/// Times of rows at columns, pattern × host.
pub(super) struct Occupancy {
    times: Vec<f32>,
    /// When each row came where it is.
    since: Vec<usize>,
    total: f32,
}

impl Occupancy {
    pub(super) fn new(state: &State<'_>) -> Self {
        let instance = state.instance;
        Self {
            times: vec![0.0; instance.rows * instance.cols],
            since: vec![0; instance.nodes],
            total: 0.0,
        }
    }

    /// Row `i` leaves its column at the time `now`.
    #[inline]
    pub(super) fn leave(&mut self, state: &State<'_>, i: usize, now: usize) {
        let (instance, c) = (state.instance, state.partner(i));
        if i < instance.rows && c < instance.cols {
            self.times[i * instance.cols + c] += (now - self.since[i]) as f32;
        }
        self.since[i] = now;
    }

    pub(super) fn finish(&mut self, state: &State<'_>, now: usize) {
        if now == 0 {
            // Cut short before it began: all the time where the walk stands.
            self.since.fill(0);
            (0..state.instance.nodes).for_each(|i| self.leave(state, i, 1));
            self.total = 1.0;
            return;
        }
        (0..state.instance.nodes).for_each(|i| self.leave(state, i, now));
        self.total = now as f32;
    }

    /// Adds the times of another walk.
    pub(super) fn add(&mut self, other: &Self) {
        for (time, more) in self.times.iter_mut().zip(&other.times) {
            *time += more;
        }
        self.total += other.total;
    }

    /// The share of the time in each place, rows and columns those of the problem.
    pub(super) fn matrix(&self, instance: &Instance) -> Matrix {
        let share = |i: usize, c: usize| f64::from(self.times[i * instance.cols + c] / self.total);
        if instance.turned {
            Matrix::from_fn(instance.cols, instance.rows, |c, i| share(i, c))
        } else {
            Matrix::from_fn(instance.rows, instance.cols, share)
        }
    }
}
