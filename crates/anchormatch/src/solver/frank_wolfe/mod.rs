//! What the Frank–Wolfe solvers share: the set they move in, where they start, how far they step.
//!
//! The set is the convex hull of the assignments that a problem allows. For n₁ ≤ n₂ nodes, all
//! candidates and full coverage it is {X ≥ 0 : row sums 1, column sums ≤ 1}, no dummy rows needed; for
//! partial coverage both sums are at most 1; candidates leave out entries. All that an algorithm asks
//! of it is the vertex that is best for a linear function, one linear assignment.
//!
//! Unary terms are linear here, Σ u x: on assignments they are the same as Σ u x², W's diagonal.

mod point;
mod restarts;

pub(super) use point::{End, Point, mix};
pub(super) use restarts::{BestVertex, Report, best_of_starts};

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::Start;
use crate::assignment::{Assignment, LinearAssignment, LinearSolver, Sinkhorn};
use crate::error::Result;
use crate::linalg::PairValues;
pub(super) use crate::linalg::dot;
use crate::problem::{Coverage, Problem};

/// Sums this close to what they should be need no balancing.
const SUM_TOLERANCE: f64 = 1e-6;

/// Steps that bring a point nearer to the hull of listed candidates.
const NEAREST_STEPS: usize = 30;

/// Sweeps of Sinkhorn's balancing for a starting point.
const START_SWEEPS: usize = 1000;

/// The convex hull of a problem's assignments.
pub(super) struct Polytope<'p> {
    problem: &'p Problem,
    solver: LinearSolver,
    best: LinearAssignment,
    /// Scores with those of assignments that are ruled out replaced.
    restricted: Vec<f64>,
}

impl<'p> Polytope<'p> {
    pub(super) fn new(problem: &'p Problem) -> Self {
        Self {
            problem,
            solver: LinearSolver::new(),
            best: LinearAssignment::default(),
            restricted: Vec::new(),
        }
    }

    /// The vertex with the largest total score.
    pub(super) fn best_vertex(&mut self, score: &[f64]) -> Result<&Assignment> {
        let (n, m) = self.problem.shape();
        let candidates = self.problem.candidates();
        let partial = self.problem.coverage() == Coverage::Partial;
        if candidates.is_all() && !partial {
            self.solver.maximize_slice(score, n, m, &mut self.best)?;
            return Ok(&self.best.columns);
        }
        let ruled_out = if partial {
            // As good as staying alone.
            0.0
        } else {
            let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
            for &value in score {
                (low, high) = (low.min(value), high.max(value));
            }
            // So little that an allowed assignment is never given up for it.
            low - (high - low + 1.0) * (n.min(m) + 1) as f64
        };
        self.restricted.clear();
        self.restricted.resize(n * m, ruled_out);
        for i in 0..n {
            for a in candidates.of_row(i) {
                let value = score[i * m + a];
                self.restricted[i * m + a] = if partial { value.max(0.0) } else { value };
            }
        }
        self.solver
            .maximize_slice(&self.restricted, n, m, &mut self.best)?;
        let is_wanted = |i, a| candidates.allows(i, a) && (!partial || score[i * m + a] > 0.0);
        self.best.columns.retain(is_wanted);
        Ok(&self.best.columns)
    }

    /// The starting point that is asked for: the soft matrix, or else the assignment, or else the
    /// barycentre.
    pub(super) fn start(&mut self, start: &Start<'_>) -> Result<Vec<f64>> {
        if let Some(soft) = start.soft {
            self.point_like(soft)
        } else if let Some(assignment) = start.assignment {
            self.vertex_of(assignment)
        } else {
            self.barycentre()
        }
    }

    /// The middle of the hull.
    pub(super) fn barycentre(&mut self) -> Result<Vec<f64>> {
        let (n, m) = self.problem.shape();
        let candidates = self.problem.candidates();
        if candidates.is_all() {
            return Ok(vec![1.0 / n.max(m).max(1) as f64; n * m]);
        }
        if self.problem.coverage() == Coverage::Full {
            // The middle is the point with the least norm.
            return self.nearest(&vec![0.0; n * m]);
        }
        let (mut largest, mut columns) = (1, vec![0usize; m]);
        for i in 0..n {
            largest = largest.max(candidates.of_row(i).count());
            candidates.of_row(i).for_each(|a| columns[a] += 1);
        }
        largest = columns.into_iter().fold(largest, usize::max);
        let mut x = vec![0.0; n * m];
        for i in 0..n {
            for a in candidates.of_row(i) {
                x[i * m + a] = 1.0 / largest as f64;
            }
        }
        Ok(x)
    }

    /// Half way between the barycentre and a random point, number `number` of this seed.
    pub(super) fn random(&mut self, seed: u64, number: u64) -> Result<Vec<f64>> {
        let (n, m) = self.problem.shape();
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(number);
        let middle = self.barycentre()?;
        // 1 − u lies in (0, 1]: balancing needs positive entries.
        let mut x: Vec<f64> = (0..n * m).map(|_| 1.0 - rng.random::<f64>()).collect();
        if self.problem.coverage() == Coverage::Partial {
            x.iter_mut()
                .zip(&middle)
                .for_each(|(x, middle)| *x *= middle);
        } else if self.problem.candidates().is_all() {
            Sinkhorn::new().balance(&mut x, n, m, SUM_TOLERANCE, START_SWEEPS);
        } else {
            x.iter_mut()
                .zip(&middle)
                .for_each(|(x, middle)| *x *= 4.0 * middle);
            x = self.nearest(&x)?;
        }
        x.iter_mut()
            .zip(&middle)
            .for_each(|(x, middle)| *x = 0.5 * (*x + middle));
        Ok(x)
    }

    /// A point of the hull with as many of the pairs of `assignment` as it can have.
    fn vertex_of(&mut self, assignment: &Assignment) -> Result<Vec<f64>> {
        let (n, m) = self.problem.shape();
        let mut score = vec![0.0; n * m];
        for (i, a) in assignment.pairs() {
            score[i * m + a] = 1.0;
        }
        let mut x = vec![0.0; n * m];
        add_assignment(&mut x, m, self.best_vertex(&score)?, 1.0);
        Ok(x)
    }

    /// A point of the hull that is like `soft`, or is `soft` when that lies in it.
    fn point_like(&mut self, soft: &PairValues) -> Result<Vec<f64>> {
        let (n, m) = self.problem.shape();
        let candidates = self.problem.candidates();
        let mut x = vec![0.0; n * m];
        for i in 0..n {
            for a in candidates.of_row(i) {
                x[i * m + a] = soft[(i, a)];
            }
        }
        let largest = x.iter().fold(0.0f64, |largest, &v| largest.max(v));
        if largest == 0.0 {
            return self.barycentre();
        }
        let (least_short, largest_sum) = sums(&x, n, m);
        if self.problem.coverage() == Coverage::Partial {
            if largest_sum > 1.0 {
                x.iter_mut().for_each(|v| *v /= largest_sum);
            }
            return Ok(x);
        }
        if !candidates.is_all() {
            x.iter_mut().for_each(|v| *v /= largest_sum);
            return self.nearest(&x);
        }
        if largest_sum > 1.0 + SUM_TOLERANCE || least_short < 1.0 - SUM_TOLERANCE {
            // Zeros may have no doubly stochastic scaling; a little of everything has one.
            x.iter_mut().for_each(|v| *v = *v / largest + 1e-9);
            Sinkhorn::new().balance(&mut x, n, m, SUM_TOLERANCE, START_SWEEPS);
        }
        Ok(x)
    }

    /// Frank–Wolfe towards `target`: a point of the hull near it.
    fn nearest(&mut self, target: &[f64]) -> Result<Vec<f64>> {
        let (_, m) = self.problem.shape();
        let mut x = vec![0.0; target.len()];
        add_assignment(&mut x, m, self.best_vertex(target)?, 1.0);
        let mut score = vec![0.0; target.len()];
        let mut vertex = vec![0.0; target.len()];
        for _ in 0..NEAREST_STEPS {
            for ((score, target), x) in score.iter_mut().zip(target).zip(&x) {
                *score = target - x;
            }
            vertex.fill(0.0);
            add_assignment(&mut vertex, m, self.best_vertex(&score)?, 1.0);
            let (mut gap, mut length) = (0.0, 0.0);
            for ((vertex, x), score) in vertex.iter().zip(&x).zip(&score) {
                gap += (vertex - x) * score;
                length += (vertex - x) * (vertex - x);
            }
            // gap·α − ½ length·α² on the way to the vertex.
            let step = best_step(gap, -0.5 * length);
            if step == 0.0 {
                break;
            }
            for (x, vertex) in x.iter_mut().zip(&vertex) {
                *x += step * (vertex - *x);
            }
        }
        Ok(x)
    }
}

/// `x[i, p(i)] += weight` over the pairs of an assignment.
pub(super) fn add_assignment(x: &mut [f64], m: usize, assignment: &Assignment, weight: f64) {
    for (i, a) in assignment.pairs() {
        x[i * m + a] += weight;
    }
}

/// Σ `values[i, p(i)]` over the pairs of an assignment.
pub(super) fn sum_over(values: &[f64], m: usize, assignment: &Assignment) -> f64 {
    assignment.pairs().map(|(i, a)| values[i * m + a]).sum()
}

/// The α in [0, 1] at which `slope` α + `curvature` α² is largest.
pub(super) fn best_step(slope: f64, curvature: f64) -> f64 {
    if curvature < 0.0 {
        // Comparing before dividing keeps a tiny curvature from overflowing.
        if slope <= 0.0 {
            0.0
        } else if slope >= -2.0 * curvature {
            1.0
        } else {
            slope / (-2.0 * curvature)
        }
    } else if slope + curvature > 0.0 {
        1.0
    } else {
        0.0
    }
}

/// The least sum over the rows (columns, when they are fewer), and the largest over both.
fn sums(x: &[f64], n: usize, m: usize) -> (f64, f64) {
    let mut columns = vec![0.0; m];
    let (mut least_row, mut largest) = (f64::INFINITY, 0.0f64);
    for row in x.chunks(m.max(1)) {
        let sum: f64 = row.iter().sum();
        (least_row, largest) = (least_row.min(sum), largest.max(sum));
        columns.iter_mut().zip(row).for_each(|(c, v)| *c += v);
    }
    let mut least_column = f64::INFINITY;
    for sum in columns {
        (least_column, largest) = (least_column.min(sum), largest.max(sum));
    }
    let least = match n.cmp(&m) {
        std::cmp::Ordering::Less => least_row,
        std::cmp::Ordering::Equal => least_row.min(least_column),
        std::cmp::Ordering::Greater => least_column,
    };
    (least, largest)
}
