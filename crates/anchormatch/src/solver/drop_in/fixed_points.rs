//! pygmtools' integer projected fixed points (Leordeanu, Hebert & Sukthankar 2009), by the batch.
//!
//! The best assignment that a problem met is returned. All problems of a batch go on until the objectives
//! of all stand still at the same iteration.

use super::super::frank_wolfe::{Ascent, Segment, StepRule, climb_together};
use super::batch::{Batch, finite};
use crate::assignment::{LinearAssignment, LinearSolver};
use crate::error::Result;
use crate::linalg::dot;
use crate::monitor::{Monitor, Progress};
use crate::solver::Status;

/// Objectives that differ by less than this share stand still.
const SAME: f64 = 1e-3;

impl Batch<'_> {
    /// The best assignments that are met on the way from `v`, zeros and ones.
    ///
    /// # Errors
    /// When numbers run out.
    ///
    /// # Panics
    /// When `v` does not hold a vector for each problem.
    ///
    /// # Complexity
    /// One product with K and one linear assignment an iteration: all objectives follow from them.
    pub fn fixed_points(
        &self,
        v: Vec<f64>,
        max_iterations: usize,
        monitor: &Monitor,
    ) -> Result<Vec<f64>> {
        self.check(&v);
        let n = self.size();
        if n == 0 {
            return Ok(v);
        }
        let starts = v.chunks_exact(n).enumerate();
        let mut points: Vec<FixedPoint<'_>> = starts
            .map(|(problem, v)| FixedPoint::new(self, problem, v))
            .collect();
        let mut done = 0;
        let rule = StepRule::Unbounded;
        climb_together(&mut points, rule, max_iterations, |points, _| {
            done += 1;
            let interrupt = monitor.checkpoint(Progress {
                stage: "ipfp",
                done,
                total: Some(max_iterations),
                value: None,
            });
            let same = |p: &FixedPoint<'_>| (p.now - p.end).abs() < SAME * p.now.abs();
            if points.iter().all(same) || points.iter().all(|p| p.now == 0.0) {
                Some(Status::Converged)
            } else {
                interrupt.map(Status::from)
            }
        })?;
        finite(points.into_iter().flat_map(|point| point.best).collect())
    }
}

/// Where a problem stands.
struct FixedPoint<'b> {
    batch: &'b Batch<'b>,
    problem: usize,
    v: Vec<f64>,
    /// K v.
    image: Vec<f64>,
    vertex: Vec<f64>,
    vertex_image: Vec<f64>,
    best: Vec<f64>,
    best_value: f64,
    /// ⟨v, K v⟩ before the last step, and that of the vertex.
    now: f64,
    end: f64,
    scores: Vec<f64>,
    solver: LinearSolver,
    assigned: LinearAssignment,
}

impl<'b> FixedPoint<'b> {
    fn new(batch: &'b Batch<'b>, problem: usize, v: &[f64]) -> Self {
        let mut image = vec![0.0; v.len()];
        batch.apply(problem, v, &mut image);
        Self {
            batch,
            problem,
            v: v.to_vec(),
            image,
            vertex: vec![0.0; v.len()],
            vertex_image: vec![0.0; v.len()],
            best: v.to_vec(),
            best_value: f64::NEG_INFINITY,
            now: 0.0,
            end: 0.0,
            scores: Vec::new(),
            solver: LinearSolver::new(),
            assigned: LinearAssignment::default(),
        }
    }

    /// The assignment that the image likes best.
    fn project(&mut self) -> Result<()> {
        let (rows, cols) = self.batch.sizes[self.problem];
        let height = self.batch.shape.0;
        let places = (0..rows).flat_map(|i| (0..cols).map(move |a| a * height + i));
        self.scores.clear();
        self.scores.extend(places.map(|place| self.image[place]));
        self.solver
            .maximise_slice(&self.scores, rows, cols, &mut self.assigned)?;
        self.vertex.fill(0.0);
        for (i, a) in self.assigned.columns.pairs() {
            self.vertex[a * height + i] = 1.0;
        }
        Ok(())
    }
}

impl Ascent for FixedPoint<'_> {
    fn aim(&mut self) -> Result<Segment> {
        self.image = finite(std::mem::take(&mut self.image))?;
        self.project()?;
        self.batch
            .apply(self.problem, &self.vertex, &mut self.vertex_image);
        (self.now, self.end) = (
            dot(&self.v, &self.image),
            dot(&self.vertex, &self.vertex_image),
        );
        if self.end > self.best_value {
            self.best_value = self.end;
            self.best.copy_from_slice(&self.vertex);
        }
        // K need not be symmetric.
        let across = dot(&self.v, &self.vertex_image);
        let back = dot(&self.vertex, &self.image);
        Ok(Segment {
            derivative: 2.0 * (across - self.now),
            curvature: self.end - back - across + self.now,
        })
    }

    fn advance(&mut self, step: f64) {
        for (old, new) in [
            (&mut self.v, &self.vertex),
            (&mut self.image, &self.vertex_image),
        ] {
            for (value, to) in old.iter_mut().zip(new) {
                *value += step * (to - *value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::test_support::values;
    use anchormatch_invariants::small_problems::permutations;

    /// The three by three permutations as vectors.
    fn vertices() -> Vec<Vec<f64>> {
        let vertex = |order: &Vec<usize>| {
            let mut v = vec![0.0; 9];
            order
                .iter()
                .enumerate()
                .for_each(|(i, a)| v[a * 3 + i] = 1.0);
            v
        };
        permutations(3).iter().map(vertex).collect()
    }

    fn form(left: &[f64], matrix: &[f64], right: &[f64]) -> f64 {
        let terms = (0..81).map(|k| left[k / 9] * matrix[k] * right[k % 9]);
        terms.sum()
    }

    /// pygmtools' loop by its formulas, all problems in step, assignments by enumeration.
    fn reference(matrices: &[Vec<f64>], most: usize) -> Vec<f64> {
        let mut points = vec![vec![1.0 / 9.0; 9]; matrices.len()];
        let mut best = vec![(f64::NEG_INFINITY, Vec::new()); matrices.len()];
        for _ in 0..most {
            let mut all_same = true;
            for (k, matrix) in matrices.iter().enumerate() {
                let v = points[k].clone();
                let vertices = vertices();
                let score = |b: &&Vec<f64>| form(b, matrix, &v);
                let b = vertices
                    .iter()
                    .max_by(|x, y| score(x).total_cmp(&score(y)))
                    .unwrap();
                let way: Vec<f64> = b.iter().zip(&v).map(|(b, v)| b - v).collect();
                let (alpha, beta) = (form(&v, matrix, &way), form(&way, matrix, &way));
                let step = if beta < 0.0 {
                    (-alpha / beta).min(1.0)
                } else {
                    1.0
                };
                let (now, end) = (form(&v, matrix, &v), form(b, matrix, b));
                if end > best[k].0 {
                    best[k] = (end, b.clone());
                }
                all_same &= (now - end).abs() < 1e-3 * now.abs();
                points[k] = v.iter().zip(&way).map(|(v, way)| v + step * way).collect();
            }
            if all_same {
                break;
            }
        }
        best.into_iter().flat_map(|(_, vertex)| vertex).collect()
    }

    #[test]
    fn problems_go_on_until_all_stand_still() {
        for seed in 0..8 {
            let matrix = |seed: u64| -> Vec<f64> {
                let raw = values(18, seed);
                // Not symmetric, and of both signs.
                (0..81).map(|k| raw[(k / 9, 9 + k % 9)] - 0.4).collect()
            };
            let matrices = [matrix(seed), matrix(seed + 100)];
            let all = matrices.concat();
            let batch = Batch::new(&all, (3, 3), vec![(3, 3); 2]).unwrap();
            for most in [1, 2, 50] {
                let start = vec![1.0 / 9.0; 18];
                let found = batch.fixed_points(start, most, &Monitor::silent()).unwrap();
                assert_eq!(found, reference(&matrices, most), "{seed}");
            }
        }
    }

    #[test]
    fn padding_is_never_taken() {
        let all = vec![1.0; 81];
        let batch = Batch::new(&all, (3, 3), vec![(2, 3)]).unwrap();
        let found = batch
            .fixed_points(vec![1.0 / 9.0; 9], 10, &Monitor::silent())
            .unwrap();
        assert_eq!(found.iter().sum::<f64>(), 2.0);
        assert!((0..3).all(|a| found[a * 3 + 2] == 0.0));
    }
}
