//! How long each row stays at each column while a walk goes on at a low temperature.
//!
//! An optimum is seldom alone: leaves and twins can be exchanged freely, and any single optimum guesses
//! among them. The assignment that has most pairs right on average is the one that is best for the sum
//! of the shares, a linear assignment (posterior decoding).

use super::board::Board;
use super::terrain::Terrain;
use crate::linalg::Matrix;

/// Times of rows at columns, pattern × host.
pub(super) struct Shares {
    times: Vec<f32>,
    /// When each row came where it is.
    since: Vec<usize>,
    total: f32,
}

impl Shares {
    pub(super) fn new(board: &Board<'_>) -> Self {
        let terrain = board.terrain;
        Self {
            times: vec![0.0; terrain.rows * terrain.cols],
            since: vec![0; terrain.nodes],
            total: 0.0,
        }
    }

    /// Row `i` leaves its column at the time `now`.
    #[inline]
    pub(super) fn leave(&mut self, board: &Board<'_>, i: usize, now: usize) {
        let (terrain, c) = (board.terrain, board.partner(i));
        if i < terrain.rows && c < terrain.cols {
            self.times[i * terrain.cols + c] += (now - self.since[i]) as f32;
        }
        self.since[i] = now;
    }

    pub(super) fn finish(&mut self, board: &Board<'_>, now: usize) {
        if now == 0 {
            // Cut short before it began: all the time where the walk stands.
            self.since.fill(0);
            (0..board.terrain.nodes).for_each(|i| self.leave(board, i, 1));
            self.total = 1.0;
            return;
        }
        (0..board.terrain.nodes).for_each(|i| self.leave(board, i, now));
        self.total = now as f32;
    }

    /// Adds the times of another walk.
    pub(super) fn add(&mut self, other: &Self) {
        for (time, more) in self.times.iter_mut().zip(&other.times) {
            *time += more;
        }
        self.total += other.total;
    }

    /// The shares, rows and columns those of the problem.
    pub(super) fn matrix(&self, terrain: &Terrain) -> Matrix {
        let share = |i: usize, c: usize| f64::from(self.times[i * terrain.cols + c] / self.total);
        if terrain.turned {
            Matrix::from_fn(terrain.cols, terrain.rows, |c, i| share(i, c))
        } else {
            Matrix::from_fn(terrain.rows, terrain.cols, share)
        }
    }
}
