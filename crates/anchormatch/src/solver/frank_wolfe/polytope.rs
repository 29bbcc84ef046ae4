//! The set that Frank–Wolfe moves in, and where it starts.
//!
//! The set is the convex hull of the assignments that a problem allows. For n₁ ≤ n₂ nodes, all
//! candidates and full coverage it is {X ≥ 0 : row sums 1, column sums ≤ 1}, no dummy rows needed; for
//! partial coverage both sums are at most 1; candidates leave out entries. All that an algorithm asks
//! of it is the vertex that is best for a linear function, one linear assignment.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{Direction, End, Form, Fresh, StepRule, climb};
use crate::assignment::{Assignment, LinearAssignment, LinearSolver, Sinkhorn, ruled_out};
use crate::error::Result;
use crate::linalg::PairValues;
use crate::monitor::Monitor;
use crate::problem::{Coverage, Problem};
use crate::solver::{Start, Status};

/// Sums this close to what they should be need no balancing.
const SUM_TOLERANCE: f64 = 1e-6;

/// Steps that bring a point nearer to the hull of listed candidates.
const NEAREST_STEPS: usize = 30;

/// Sweeps of Sinkhorn's balancing for a starting point.
const START_SWEEPS: usize = 1000;

/// The convex hull of a problem's assignments.
pub(in crate::solver) struct Polytope<'p> {
    problem: &'p Problem,
    monitor: &'p Monitor,
    solver: LinearSolver,
    best: LinearAssignment,
    /// Scores with those of assignments that are ruled out replaced.
    restricted: Vec<f64>,
}

impl<'p> Polytope<'p> {
    pub(in crate::solver) fn new(problem: &'p Problem, monitor: &'p Monitor) -> Self {
        Self {
            problem,
            monitor,
            solver: LinearSolver::new().watched_by(monitor),
            best: LinearAssignment::default(),
            restricted: Vec::new(),
        }
    }

    /// The vertex with the largest total score.
    pub(in crate::solver) fn best_vertex(&mut self, score: &[f64]) -> Result<&Assignment> {
        let (n, m) = self.problem.shape();
        let candidates = self.problem.candidates();
        let partial = self.problem.coverage() == Coverage::Partial;
        if candidates.is_all() && !partial {
            self.solver.maximise_slice(score, n, m, &mut self.best)?;
            return Ok(&self.best.columns);
        }
        // When nodes may stay alone, as good as that.
        let little = if partial {
            0.0
        } else {
            ruled_out(score.iter().copied(), n, m)
        };
        self.restricted.clear();
        self.restricted.resize(n * m, little);
        for i in 0..n {
            for a in candidates.of_row(i) {
                let value = score[i * m + a];
                self.restricted[i * m + a] = if partial { value.max(0.0) } else { value };
            }
        }
        self.solver
            .maximise_slice(&self.restricted, n, m, &mut self.best)?;
        let is_wanted = |i, a| candidates.allows(i, a) && (!partial || score[i * m + a] > 0.0);
        self.best.columns.retain(is_wanted);
        Ok(&self.best.columns)
    }

    /// The vertex found last.
    pub(in crate::solver) fn vertex(&self) -> &Assignment {
        &self.best.columns
    }

    /// The starting point that is asked for: the soft matrix, or else the assignment, or else the
    /// barycentre.
    pub(in crate::solver) fn start(&mut self, start: &Start<'_>) -> Result<Vec<f64>> {
        if let Some(soft) = start.soft {
            self.point_like(soft)
        } else if let Some(assignment) = start.assignment {
            self.vertex_of(assignment)
        } else {
            self.barycentre()
        }
    }

    /// The middle of the hull.
    pub(in crate::solver) fn barycentre(&mut self) -> Result<Vec<f64>> {
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
    pub(in crate::solver) fn random(&mut self, seed: u64, number: u64) -> Result<Vec<f64>> {
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
            self.balance(&mut x);
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

    /// Brings the sums of positive entries to 1, or near it when there is no more time.
    fn balance(&self, x: &mut [f64]) {
        let limits = (SUM_TOLERANCE, START_SWEEPS);
        let go_on = || self.monitor.interrupted().is_none();
        Sinkhorn::new().balance_while(x, self.problem.shape(), limits, go_on);
    }

    /// A point of the hull with as many of the pairs of `assignment` as it can have.
    fn vertex_of(&mut self, assignment: &Assignment) -> Result<Vec<f64>> {
        let (n, m) = self.problem.shape();
        let mut score = vec![0.0; n * m];
        End::Assignment(assignment).write(&mut score);
        self.find(&score)?;
        self.end().write(&mut score);
        Ok(score)
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
            self.balance(&mut x);
        }
        Ok(x)
    }

    /// A point of the hull near `target`.
    fn nearest(&mut self, target: &[f64]) -> Result<Vec<f64>> {
        let monitor = self.monitor;
        let mut x = vec![0.0; target.len()];
        self.find(target)?;
        self.end().write(&mut x);
        let mut ascent = Fresh::new(Nearness { target }, 1.0, x, self);
        climb(&mut ascent, StepRule::Higher, NEAREST_STEPS, |_, taken| {
            let ended = monitor.interrupted().map(Status::from);
            ended.or((taken.step == 0.0).then_some(Status::Converged))
        })?;
        Ok(ascent.x)
    }
}

impl Direction for Polytope<'_> {
    const IS_BEST: bool = true;

    fn find(&mut self, gradient: &[f64]) -> Result<()> {
        self.best_vertex(gradient).map(|_| ())
    }

    fn end(&self) -> End<'_> {
        End::Assignment(&self.best.columns)
    }
}

/// ⟨target, x⟩ − ½ ⟨x, x⟩, which is largest at the nearest point.
pub(in crate::solver) struct Nearness<'t> {
    pub(in crate::solver) target: &'t [f64],
}

impl Form for Nearness<'_> {
    fn linear(&self) -> Option<&[f64]> {
        Some(self.target)
    }

    fn image(&mut self, x: &[f64], out: &mut [f64]) {
        out.iter_mut().zip(x).for_each(|(out, x)| *out = -x);
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

#[cfg(test)]
mod tests {
    use super::super::super::test_support::three_by_three as problem;
    use super::*;

    fn best(problem: &Problem, gains: &[f64]) -> Assignment {
        Polytope::new(problem, &Monitor::silent())
            .best_vertex(gains)
            .unwrap()
            .clone()
    }

    #[test]
    fn vertices_are_the_best_assignments() {
        let gains = [5.0, 1.0, -1.0, 4.0, -3.0, -2.0, 6.0, -9.0, -4.0];
        // Brute force over the six permutations: 1 + 6 − 2 = 5 with rows 0, 1, 2 to 1, 2, 0.
        let full = problem(Coverage::Full, None);
        assert_eq!(best(&full, &gains), [Some(1), Some(2), Some(0)]);
        let partial = problem(Coverage::Partial, None);
        assert_eq!(best(&partial, &gains), [Some(1), None, Some(0)]);
        let listed = [(0, 0), (0, 2), (1, 0), (2, 0)];
        let few = problem(Coverage::Full, Some(&listed));
        // Two rows can be matched: −1 + 6 is the best of them.
        assert_eq!(best(&few, &gains), [Some(2), None, Some(0)]);
        let few = problem(Coverage::Partial, Some(&listed));
        assert_eq!(best(&few, &gains), [None, None, Some(0)]);
    }

    #[test]
    fn the_nearest_point_is_near() {
        let listed = [(0, 0), (0, 1), (1, 0), (1, 1), (2, 2)];
        let few = problem(Coverage::Full, Some(&listed));
        let silent = Monitor::silent();
        let mut polytope = Polytope::new(&few, &silent);
        // The hull is the segment between two assignments.
        let target = [0.9, 0.1, 0.0, 0.1, 0.9, 0.0, 0.0, 0.0, 0.0];
        let x = polytope.nearest(&target).unwrap();
        let want = [0.9, 0.1, 0.0, 0.1, 0.9, 0.0, 0.0, 0.0, 1.0];
        assert!(
            x.iter().zip(want).all(|(x, y)| (x - y).abs() < 1e-12),
            "{x:?}"
        );
    }
}
