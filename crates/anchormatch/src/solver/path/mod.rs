//! PATH, the convex–concave path (Zaslavskiy, Bach, Vert, IEEE TPAMI 31, 2009).
//!
//! Over permutation matrices P, −Σ A_ij B_{p(i) p(j)} is, up to constants, both of
//!
//! > F₀(P) = ½ ‖A P − P B‖² = ½ ⟨P, A² P + P B²⟩ − ⟨P, A P B⟩                       (convex),
//! > F₁(P) = −⟨P, (A + c I) P (B + d I)⟩,  c = −λ_min(A), d = −λ_min(B)          (concave).
//!
//! F_λ = (1 − λ) F₀ + λ F₁ therefore has the same best permutation for every λ. The path starts at the
//! minimum of F₀ over doubly stochastic matrices, which is unique and easy, and follows a local
//! minimum, by Frank–Wolfe, as λ goes to 1, where all local minima are permutations. F₁ is our choice:
//! the paper's uses Laplacians and is concave for nonnegative weights only; costs and negative
//! weights need no other here. Unary terms are added to both.
//!
//! Since F₁ − F₀, once the constants are taken off, is how far P is from being a permutation, λ grows
//! the faster the nearer P is, and the path ends as soon as P is one.
//!
//! Unequal sizes: the smaller graph gets dummy nodes without edges. W P for a permutation is a
//! selection and one product, so an iteration costs one matrix product and one linear assignment.

mod relaxation;

use serde::{Deserialize, Serialize};

use self::relaxation::{Images, Relaxation};
use super::frank_wolfe::{Ascent, BestVertex, Segment, StepRule, climb, dot, sum_over};
use super::memory::squares;
use super::relaxation::{check_nonnegative, check_positive};
use super::{Info, Kind, OnLists, Solution, Solver, Start, Status, round_within};
use crate::assignment::{Assignment, LinearAssignment, LinearSolver};
use crate::error::{Error, Result};
use crate::linalg::Matrix;
use crate::monitor::{Monitor, Progress};
use crate::problem::{Problem, ProductPairwise};

/// The path's parameters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Path {
    /// λ's first step, and the least; later ones are longer as P nears a permutation. Default 0.05.
    pub step: f64,
    /// Frank–Wolfe steps at one λ at most. Default 50.
    pub iterations_per_step: usize,
    /// Frank–Wolfe at one λ ends when the gap is this share of the first one. Default 1e-3.
    pub tolerance: f64,
    /// Frank–Wolfe steps in all at most. Default 1000.
    pub max_iterations: usize,
}

impl Default for Path {
    fn default() -> Self {
        Self {
            step: 0.05,
            iterations_per_step: 50,
            tolerance: 1e-3,
            max_iterations: 1000,
        }
    }
}

impl Solver for Path {
    fn info(&self) -> Info {
        Info {
            name: "path",
            kind: Kind::Relaxation,
            reference: "Zaslavskiy, Bach, Vert, IEEE TPAMI 2009",
            complexity: "P/2 + one linear assignment",
            accepts: "products A, B, one of them symmetric",
            candidates: OnLists::Filled,
        }
    }

    fn check(&self) -> Result<()> {
        if !(self.step > 0.0 && self.step <= 1.0) {
            return Err(Error::parameter(
                "step",
                self.step,
                "a number above 0, at most 1",
            ));
        }
        check_nonnegative("tolerance", self.tolerance)?;
        check_positive("iterations_per_step", self.iterations_per_step)
    }

    fn accepts(&self, problem: &Problem) -> Result<()> {
        factors(problem).map(|_| ())
    }

    fn memory(&self, problem: &Problem) -> u64 {
        squares(problem, 15)
    }

    /// The start is not used: the path has its own. `convergence` holds the gaps. Where not all
    /// assignments are allowed or nodes may stay alone, the path comes as near as a permutation can,
    /// and the rounding at its end keeps the rules.
    ///
    /// # Complexity
    /// One matrix product and one linear assignment, O(N³), an iteration; N = max(n₁, n₂). Memory: 14
    /// N×N matrices.
    fn solve_accepted(
        &self,
        problem: &Problem,
        _start: &Start<'_>,
        monitor: &Monitor,
    ) -> Result<Solution> {
        let product = factors(problem)?;
        let (n, m) = problem.shape();
        let relaxation = Relaxation::new(problem, product)?;
        let mut walk = Walk::new(&relaxation, problem, monitor);
        let mut convergence = Vec::new();
        let first_distance = relaxation.distance(&walk.point);
        let mut first_gap = None;
        let mut inner = 0;
        let status = if n * m == 0 {
            Status::Converged
        } else {
            let rule = StepRule::Higher;
            climb(&mut walk, rule, self.max_iterations, |walk, taken| {
                let gap = taken.segment.derivative;
                convergence.push(relaxation.in_problem_units(gap));
                inner += 1;
                let interrupt = monitor.checkpoint(Progress {
                    stage: "path",
                    done: convergence.len(),
                    total: Some(self.max_iterations),
                    value: convergence.last().copied(),
                });
                let enough = self.tolerance * *first_gap.get_or_insert(gap);
                let mut converged = None;
                if gap <= enough || inner >= self.iterations_per_step {
                    let distance = relaxation.distance(&walk.point);
                    if distance <= 1e-9 * first_distance || (walk.lambda >= 1.0 && gap <= enough) {
                        converged = Some(Status::Converged);
                    } else {
                        let step = self.step * first_distance / distance;
                        walk.lambda = f64::min(1.0, walk.lambda + step);
                    }
                    inner = 0;
                }
                interrupt.map(Status::from).or(converged)
            })?
        };
        let padded = Matrix::from_vec(relaxation.size, relaxation.size, walk.point.p);
        let soft = Matrix::from_fn(n, m, |i, a| padded[(i, a)]);
        let (assignment, objective) = walk
            .best
            .or_rounded(problem, round_within(problem, &soft, monitor)?);
        Ok(Solution {
            assignment,
            objective,
            soft: Some(soft.into()),
            iterations: convergence.len(),
            status,
            convergence,
        })
    }
}

/// The matrices that are relaxed.
fn factors(problem: &Problem) -> Result<&ProductPairwise> {
    let product = problem.pairwise().as_product();
    product
        .filter(|product| product.is_symmetric())
        .ok_or_else(|| {
            Error::parameter(
                "problem",
                "pairwise values that are no products of symmetric matrices",
                "a quadratic assignment problem with matrices A and B, one of them symmetric, which \
                 path relaxes",
            )
        })
}

/// A point on its way down F_λ.
struct Walk<'p> {
    relaxation: &'p Relaxation,
    problem: &'p Problem,
    lambda: f64,
    point: Images,
    vertex: Images,
    /// −∇F_λ.
    score: Vec<f64>,
    rows: Vec<f64>,
    solver: LinearSolver,
    target: LinearAssignment,
    best: BestVertex,
}

impl<'p> Walk<'p> {
    fn new(relaxation: &'p Relaxation, problem: &'p Problem, monitor: &Monitor) -> Self {
        let size = relaxation.size;
        Self {
            relaxation,
            problem,
            lambda: 0.0,
            point: Images::barycentre(relaxation),
            vertex: Images::zeros(size),
            score: vec![0.0; size * size],
            rows: vec![0.0; size * size],
            solver: LinearSolver::new().watched_by(monitor),
            target: LinearAssignment::default(),
            best: BestVertex::default(),
        }
    }

    /// Lowers the scores of assignments that the candidates rule out.
    fn rule_out(&mut self) {
        let (problem, size) = (self.problem, self.relaxation.size);
        if problem.candidates().is_all() {
            return;
        }
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for &value in &self.score {
            (low, high) = (low.min(value), high.max(value));
        }
        let penalty = (high - low + 1.0) * (size + 1) as f64;
        let (n, m) = problem.shape();
        for i in 0..n {
            let mut allowed = problem.candidates().of_row(i).peekable();
            for a in 0..m {
                if allowed.next_if_eq(&a).is_none() {
                    self.score[i * size + a] -= penalty;
                }
            }
        }
    }
}

impl Ascent for Walk<'_> {
    fn aim(&mut self) -> Result<Segment> {
        let (relaxation, lambda) = (self.relaxation, self.lambda);
        let size = relaxation.size;
        for (entry, score) in self.score.iter_mut().enumerate() {
            let form = relaxation.form(lambda, &self.point, entry);
            *score = relaxation.unary[entry] - 2.0 * form;
        }
        // ⟨P, H P⟩ = ½ ⟨P, u − score⟩.
        let along = dot(&self.point.p, &self.score);
        let quadratic = 0.5 * (dot(&self.point.p, &relaxation.unary) - along);
        self.rule_out();
        let Self { solver, target, .. } = self;
        solver.maximise_slice(&self.score, size, size, target)?;
        let columns = &self.target.columns;
        relaxation.fill(columns, &mut self.rows, &mut self.vertex);
        self.best.offer_permutation(
            self.problem,
            sum_over(&self.vertex.product, columns) + sum_over(&relaxation.unary, columns),
            columns,
        );
        let (mut gap, mut cross, mut end) = (-along, 0.0, 0.0);
        for (i, column) in columns.iter().enumerate() {
            let entry = i * size + column.expect("a square assignment is full");
            let form = relaxation.form(lambda, &self.point, entry);
            gap += relaxation.unary[entry] - 2.0 * form;
            cross += form;
            end += relaxation.form(lambda, &self.vertex, entry);
        }
        Ok(Segment {
            derivative: gap.max(0.0),
            curvature: -(end - 2.0 * cross + quadratic),
        })
    }

    fn advance(&mut self, step: f64) {
        self.point.mix(&self.vertex, step);
    }
}

impl BestVertex {
    /// Offers the part of a padded permutation that the problem knows, when it is allowed.
    fn offer_permutation(&mut self, problem: &Problem, value: f64, columns: &Assignment) {
        let (n, m) = problem.shape();
        let known: Assignment = columns
            .iter()
            .take(n)
            .map(|column| column.filter(|&a| a < m))
            .collect();
        if known
            .pairs()
            .all(|(i, a)| problem.candidates().allows(i, a))
        {
            self.offer(value, &known);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_support;
    use super::*;
    use crate::problem::{ProductPairwise, Sense, Weights};

    fn symmetric(n: usize, seed: usize) -> Matrix {
        Matrix::from_fn(n, n, |i, j| {
            let (i, j) = (i.min(j), i.max(j));
            ((i * 7919 + j * 104_729 + seed * 31) % 17) as f64 - 5.0
        })
    }

    pub(super) fn problem(n: usize, m: usize, sense: Sense) -> Problem {
        let linear = Matrix::from_fn(n, m, |i, a| ((i * 5 + a * 3) % 4) as f64);
        let (a, b) = (symmetric(n, 1), symmetric(m, 2));
        ProductPairwise::problem(sense, Weights::Dense(a), Weights::Dense(b), Some(&linear))
            .unwrap()
    }

    #[test]
    fn the_path_ends_at_a_permutation() {
        let problem = problem(9, 9, Sense::Minimise);
        let solution = Path::default()
            .solve(&problem, &Start::default(), &Monitor::silent())
            .unwrap();
        assert_eq!(solution.status, Status::Converged);
        for v in solution.soft_matrix().unwrap().as_slice() {
            assert!(*v < 1e-6 || *v > 1.0 - 1e-6, "{v}");
        }
    }

    #[test]
    fn bad_parameters_and_directed_graphs_are_refused() {
        test_support::refuses::<Path>(&[
            ("step", |s| s.step = 0.0),
            ("tolerance", |s| s.tolerance = f64::NAN),
            ("iterations_per_step", |s| s.iterations_per_step = 0),
        ]);
        let directed = || Weights::Dense(Matrix::from_fn(3, 3, |i, j| (2 * i + j) as f64));
        let problem =
            ProductPairwise::problem(Sense::Maximise, directed(), directed(), None).unwrap();
        let error = Path::default().solve(&problem, &Start::default(), &Monitor::silent());
        assert!(error.unwrap_err().to_string().contains("symmetric"));
    }
}
