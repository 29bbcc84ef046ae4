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

use super::frank_wolfe::{BestVertex, best_step, dot, mix, sum_over};
use super::{Info, Kind, Solution, Solver, Start, Status, round};
use crate::assignment::{LinearAssignment, LinearSolver};
use crate::error::{Error, Result};
use crate::linalg::{Matrix, multiply_into, symmetric_eigen};
use crate::monitor::{Monitor, Progress};
use crate::problem::{Problem, ProductPairwise, Weights};

/// The path's parameters.
#[derive(Debug, Clone, PartialEq)]
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

impl Path {
    fn check(&self) -> Result<()> {
        if !(self.step > 0.0 && self.step <= 1.0) {
            return Err(Error::parameter(
                "step",
                self.step,
                "a number above 0, at most 1",
            ));
        }
        if !(self.tolerance >= 0.0 && self.tolerance.is_finite()) {
            return Err(Error::parameter(
                "tolerance",
                self.tolerance,
                "a finite number, at least 0",
            ));
        }
        if self.iterations_per_step == 0 {
            return Err(Error::parameter("iterations_per_step", 0, "at least 1"));
        }
        Ok(())
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
        }
    }

    /// The start is not used: the path has its own. `convergence` holds the gaps. Where not all
    /// assignments are allowed or nodes may stay alone, the path comes as near as a permutation can,
    /// and the rounding at its end keeps the rules.
    ///
    /// # Complexity
    /// One matrix product and one linear assignment, O(N³), an iteration; N = max(n₁, n₂). Memory: 14
    /// N×N matrices.
    fn solve(&self, problem: &Problem, start: &Start<'_>, monitor: &Monitor) -> Result<Solution> {
        self.check()?;
        start.check(problem)?;
        let product = problem
            .pairwise()
            .as_product()
            .filter(|product| product.is_symmetric())
            .ok_or_else(|| {
                Error::parameter(
                    "problem",
                    "pairwise values that are no products of symmetric matrices",
                    "a quadratic assignment problem with matrices A and B, one of them symmetric, \
                     which path relaxes",
                )
            })?;
        let (n, m) = problem.shape();
        let relaxation = Relaxation::new(problem, product)?;
        let mut walk = Walk::new(&relaxation);
        let mut convergence = Vec::new();
        let mut status = if n * m == 0 {
            Status::Converged
        } else {
            Status::IterationLimit
        };
        let mut lambda = 0.0;
        let first_distance = relaxation.distance(&walk.point);
        let mut first_gap = None;
        let mut inner = 0;
        while status == Status::IterationLimit && convergence.len() < self.max_iterations {
            let gap = walk.step(&relaxation, problem, lambda)?;
            convergence.push(gap);
            inner += 1;
            let progress = Progress {
                stage: "path",
                done: convergence.len(),
                total: Some(self.max_iterations),
                value: Some(gap),
            };
            if let Some(interrupt) = monitor.checkpoint(progress) {
                status = interrupt.into();
            }
            let enough = self.tolerance * *first_gap.get_or_insert(gap);
            if gap <= enough || inner >= self.iterations_per_step {
                let distance = relaxation.distance(&walk.point);
                if distance <= 1e-9 * first_distance || (lambda >= 1.0 && gap <= enough) {
                    if status == Status::IterationLimit {
                        status = Status::Converged;
                    }
                } else {
                    lambda = f64::min(1.0, lambda + self.step * first_distance / distance);
                }
                inner = 0;
            }
        }
        let padded = Matrix::from_vec(relaxation.size, relaxation.size, walk.point.p);
        let soft = Matrix::from_fn(n, m, |i, a| padded[(i, a)]);
        let (assignment, objective) = walk.best.or_rounded(problem, round(problem, &soft)?);
        Ok(Solution {
            assignment,
            objective,
            soft: Some(soft),
            iterations: convergence.len(),
            status,
            convergence,
        })
    }
}

/// F₀ and F₁ of a problem, on N×N matrices.
struct Relaxation {
    size: usize,
    a: Vec<f64>,
    b: Vec<f64>,
    a_squared: Vec<f64>,
    b_squared: Vec<f64>,
    /// c and d.
    shifts: (f64, f64),
    /// What is to be added to F₁ to make it F₀ on permutations.
    constant: f64,
    /// ± u.
    unary: Vec<f64>,
}

/// A matrix and its images under the linear maps that F₀ and F₁ are made of.
struct Images {
    p: Vec<f64>,
    /// A P B.
    product: Vec<f64>,
    /// ½ (A² P + P B²).
    squares: Vec<f64>,
    /// d A P + c P B.
    shifted: Vec<f64>,
}

impl Relaxation {
    fn new(problem: &Problem, product: &ProductPairwise) -> Result<Self> {
        let (n, m) = problem.shape();
        let size = n.max(m);
        let sign = problem.sense().sign();
        let (mut a, mut b) = (padded(product.a(), size), padded(product.b(), size));
        // Both at one scale: the product does not change, and A P − P B means something.
        let (norm_a, norm_b) = (dot(&a, &a).sqrt(), dot(&b, &b).sqrt());
        let scale = if norm_a > 0.0 && norm_b > 0.0 {
            (norm_b / norm_a).sqrt()
        } else {
            1.0
        };
        a.iter_mut().for_each(|v| *v *= sign * scale);
        b.iter_mut().for_each(|v| *v /= scale);
        let square = |matrix: &[f64]| {
            let mut out = vec![0.0; size * size];
            multiply_into(&mut out, matrix, matrix, size, size, size);
            out
        };
        let shift = |matrix: &[f64]| -> Result<f64> {
            let matrix = Matrix::from_vec(size, size, matrix.to_vec());
            let eigen = symmetric_eigen(&matrix)?;
            Ok(-eigen.values.first().copied().unwrap_or(0.0).min(0.0))
        };
        let shifts = (shift(&a)?, shift(&b)?);
        let mut unary = vec![0.0; size * size];
        for i in 0..n {
            for c in 0..m {
                unary[i * size + c] = sign * problem.unary()[(i, c)];
            }
        }
        Ok(Self {
            size,
            a_squared: square(&a),
            b_squared: square(&b),
            constant: 0.5 * (dot(&a, &a) + dot(&b, &b)) + shifts.0 * shifts.1 * size as f64,
            shifts,
            unary,
            a,
            b,
        })
    }

    /// How far P is from being a permutation: F₁ − F₀ ≥ 0, constants aside.
    fn distance(&self, at: &Images) -> f64 {
        let convex = dot(&at.p, &at.squares) - dot(&at.p, &at.product);
        let concave = -(dot(&at.p, &at.product)
            + dot(&at.p, &at.shifted)
            + self.shifts.0 * self.shifts.1 * dot(&at.p, &at.p));
        (concave + self.constant - convex).max(0.0)
    }

    /// An entry of H_λ P, where F_λ = ⟨P, H_λ P⟩ − ⟨u, P⟩.
    fn form(&self, lambda: f64, at: &Images, entry: usize) -> f64 {
        (1.0 - lambda) * at.squares[entry]
            - at.product[entry]
            - lambda * (at.shifted[entry] + self.shifts.0 * self.shifts.1 * at.p[entry])
    }

    /// Fills the images of the permutation that `columns` is.
    fn fill(&self, columns: &[Option<usize>], rows: &mut [f64], out: &mut Images) {
        let size = self.size;
        out.p.fill(0.0);
        for (i, column) in columns.iter().enumerate() {
            let column = column.expect("a square assignment is full");
            out.p[i * size + column] = 1.0;
            let row = i * size..(i + 1) * size;
            let of_b = column * size..(column + 1) * size;
            rows[row.clone()].copy_from_slice(&self.b[of_b.clone()]);
            for (slot, value) in out.shifted[row.clone()]
                .iter_mut()
                .zip(&self.b[of_b.clone()])
            {
                *slot = self.shifts.0 * value;
            }
            for (slot, value) in out.squares[row].iter_mut().zip(&self.b_squared[of_b]) {
                *slot = 0.5 * value;
            }
        }
        for i in 0..size {
            for (j, column) in columns.iter().enumerate() {
                let place = i * size + column.expect("a square assignment is full");
                out.shifted[place] += self.shifts.1 * self.a[i * size + j];
                out.squares[place] += 0.5 * self.a_squared[i * size + j];
            }
        }
        multiply_into(&mut out.product, &self.a, rows, size, size, size);
    }
}

impl Images {
    fn zeros(size: usize) -> Self {
        let zeros = || vec![0.0; size * size];
        Self {
            p: zeros(),
            product: zeros(),
            squares: zeros(),
            shifted: zeros(),
        }
    }

    /// The barycentre, whose images are those of row and column sums.
    fn barycentre(relaxation: &Relaxation) -> Self {
        let size = relaxation.size;
        let mut images = Self::zeros(size);
        let share = 1.0 / size.max(1) as f64;
        images.p.fill(share);
        let sums = |matrix: &[f64]| -> Vec<f64> {
            matrix
                .chunks(size.max(1))
                .map(|row| row.iter().sum())
                .collect()
        };
        let (a, b) = (sums(&relaxation.a), sums(&relaxation.b));
        let (a_squared, b_squared) = (sums(&relaxation.a_squared), sums(&relaxation.b_squared));
        for i in 0..size {
            for j in 0..size {
                let place = i * size + j;
                images.product[place] = share * a[i] * b[j];
                images.squares[place] = 0.5 * share * (a_squared[i] + b_squared[j]);
                images.shifted[place] =
                    share * (relaxation.shifts.1 * a[i] + relaxation.shifts.0 * b[j]);
            }
        }
        images
    }
}

/// Frank–Wolfe on F_λ.
struct Walk {
    point: Images,
    vertex: Images,
    /// −∇F_λ.
    score: Vec<f64>,
    rows: Vec<f64>,
    solver: LinearSolver,
    target: LinearAssignment,
    best: BestVertex,
}

impl Walk {
    fn new(relaxation: &Relaxation) -> Self {
        let size = relaxation.size;
        Self {
            point: Images::barycentre(relaxation),
            vertex: Images::zeros(size),
            score: vec![0.0; size * size],
            rows: vec![0.0; size * size],
            solver: LinearSolver::new(),
            target: LinearAssignment::default(),
            best: BestVertex::default(),
        }
    }

    /// One step; returns the gap before it.
    fn step(&mut self, relaxation: &Relaxation, problem: &Problem, lambda: f64) -> Result<f64> {
        let size = relaxation.size;
        for (entry, score) in self.score.iter_mut().enumerate() {
            let form = relaxation.form(lambda, &self.point, entry);
            *score = relaxation.unary[entry] - 2.0 * form;
        }
        // ⟨P, H P⟩ = ½ ⟨P, u − score⟩.
        let along = dot(&self.point.p, &self.score);
        let quadratic = 0.5 * (dot(&self.point.p, &relaxation.unary) - along);
        self.rule_out(problem, size);
        let Self { solver, target, .. } = self;
        solver.maximize_slice(&self.score, size, size, target)?;
        let columns = &self.target.columns;
        relaxation.fill(columns, &mut self.rows, &mut self.vertex);
        self.best.offer_permutation(
            problem,
            sum_over(&self.vertex.product, size, columns)
                + sum_over(&relaxation.unary, size, columns),
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
        let step = best_step(gap.max(0.0), -(end - 2.0 * cross + quadratic));
        mix(&mut self.point.p, &self.vertex.p, step);
        mix(&mut self.point.product, &self.vertex.product, step);
        mix(&mut self.point.squares, &self.vertex.squares, step);
        mix(&mut self.point.shifted, &self.vertex.shifted, step);
        Ok(gap.max(0.0))
    }

    /// Lowers the scores of assignments that the candidates rule out.
    fn rule_out(&mut self, problem: &Problem, size: usize) {
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

impl BestVertex {
    /// Offers the part of a padded permutation that the problem knows, when it is allowed.
    fn offer_permutation(&mut self, problem: &Problem, value: f64, columns: &[Option<usize>]) {
        let (n, m) = problem.shape();
        let known: Vec<Option<usize>> = columns[..n]
            .iter()
            .map(|column| column.filter(|&a| a < m))
            .collect();
        let allowed =
            |(i, a): (usize, &Option<usize>)| a.is_none_or(|a| problem.candidates().allows(i, a));
        if known.iter().enumerate().all(allowed) {
            self.offer(value, &known);
        }
    }
}

/// A dense matrix with zero rows and columns added.
fn padded(weights: &Weights, size: usize) -> Vec<f64> {
    let n = weights.nodes();
    let dense = weights.dense();
    let mut out = vec![0.0; size * size];
    for i in 0..n {
        out[i * size..i * size + n].copy_from_slice(dense.row(i));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::Sense;

    fn symmetric(n: usize, seed: usize) -> Matrix {
        Matrix::from_fn(n, n, |i, j| {
            let (i, j) = (i.min(j), i.max(j));
            ((i * 7919 + j * 104_729 + seed * 31) % 17) as f64 - 5.0
        })
    }

    fn problem(n: usize, m: usize, sense: Sense) -> Problem {
        let linear = Matrix::from_fn(n, m, |i, a| ((i * 5 + a * 3) % 4) as f64);
        let (a, b) = (symmetric(n, 1), symmetric(m, 2));
        ProductPairwise::problem(sense, Weights::Dense(a), Weights::Dense(b), Some(&linear))
            .unwrap()
    }

    fn of(problem: &Problem) -> Relaxation {
        Relaxation::new(problem, problem.pairwise().as_product().unwrap()).unwrap()
    }

    /// F_λ by its definition.
    fn value(relaxation: &Relaxation, lambda: f64, at: &Images) -> f64 {
        let forms: f64 = (0..at.p.len())
            .map(|entry| at.p[entry] * relaxation.form(lambda, at, entry))
            .sum();
        forms - dot(&relaxation.unary, &at.p)
    }

    fn images(relaxation: &Relaxation, columns: &[Option<usize>]) -> Images {
        let size = relaxation.size;
        let mut images = Images::zeros(size);
        relaxation.fill(columns, &mut vec![0.0; size * size], &mut images);
        images
    }

    #[test]
    fn on_permutations_all_relaxations_are_the_objective() {
        for sense in [Sense::Maximise, Sense::Minimise] {
            for (n, m) in [(5, 5), (3, 5), (5, 3)] {
                let problem = problem(n, m, sense);
                let relaxation = of(&problem);
                for shift in 0..5 {
                    let columns: Vec<Option<usize>> =
                        (0..5).map(|i| Some((2 * i + shift) % 5)).collect();
                    let known: Vec<Option<usize>> =
                        columns[..n].iter().map(|c| c.filter(|&c| c < m)).collect();
                    let at = images(&relaxation, &columns);
                    assert!(relaxation.distance(&at) < 1e-9);
                    for lambda in [0.0, 0.3, 1.0] {
                        let constant = relaxation.constant * (1.0 - lambda)
                            - relaxation.shifts.0 * relaxation.shifts.1 * 5.0;
                        let got = constant - value(&relaxation, lambda, &at);
                        let want = sense.sign() * problem.objective(&known);
                        assert!(
                            (got - want).abs() < 1e-8,
                            "{sense:?} {lambda}: {got} {want}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn one_end_is_convex_the_other_concave() {
        let problem = problem(6, 5, Sense::Maximise);
        let relaxation = of(&problem);
        for k in 0..6 {
            let first: Vec<Option<usize>> = (0..6).map(|i| Some((i + k) % 6)).collect();
            let second: Vec<Option<usize>> = (0..6).map(|i| Some((5 * i + 2 * k) % 6)).collect();
            let (x, y) = (images(&relaxation, &first), images(&relaxation, &second));
            let mut middle = images(&relaxation, &first);
            mix(&mut middle.p, &y.p, 0.5);
            mix(&mut middle.product, &y.product, 0.5);
            mix(&mut middle.squares, &y.squares, 0.5);
            mix(&mut middle.shifted, &y.shifted, 0.5);
            let ends =
                |lambda| 0.5 * (value(&relaxation, lambda, &x) + value(&relaxation, lambda, &y));
            assert!(value(&relaxation, 0.0, &middle) <= ends(0.0) + 1e-9);
            assert!(value(&relaxation, 1.0, &middle) >= ends(1.0) - 1e-9);
            assert!(relaxation.distance(&middle) >= 0.0);
        }
    }

    #[test]
    fn the_barycentre_is_the_mean_of_the_cyclic_permutations() {
        let relaxation = of(&problem(4, 4, Sense::Maximise));
        let middle = Images::barycentre(&relaxation);
        let mut mean = Images::zeros(4);
        for k in 0..4 {
            let columns: Vec<Option<usize>> = (0..4).map(|i| Some((i + k) % 4)).collect();
            let one = images(&relaxation, &columns);
            let share = 1.0 / (k + 1) as f64;
            mix(&mut mean.p, &one.p, share);
            mix(&mut mean.product, &one.product, share);
            mix(&mut mean.squares, &one.squares, share);
            mix(&mut mean.shifted, &one.shifted, share);
        }
        for (got, want) in [
            (&middle.p, &mean.p),
            (&middle.product, &mean.product),
            (&middle.squares, &mean.squares),
            (&middle.shifted, &mean.shifted),
        ] {
            assert!(got.iter().zip(want).all(|(g, w)| (g - w).abs() < 1e-9));
        }
    }

    #[test]
    fn the_path_ends_at_a_permutation() {
        let problem = problem(9, 9, Sense::Minimise);
        let solution = Path::default()
            .solve(&problem, &Start::default(), &Monitor::silent())
            .unwrap();
        assert_eq!(solution.status, Status::Converged);
        for v in solution.soft.unwrap().as_slice() {
            assert!(*v < 1e-6 || *v > 1.0 - 1e-6, "{v}");
        }
    }

    #[test]
    fn bad_parameters_and_directed_graphs_are_refused() {
        let good = Path::default;
        let fine = problem(3, 3, Sense::Maximise);
        for solver in [
            Path {
                step: 0.0,
                ..good()
            },
            Path {
                tolerance: f64::NAN,
                ..good()
            },
            Path {
                iterations_per_step: 0,
                ..good()
            },
        ] {
            let result = solver.solve(&fine, &Start::default(), &Monitor::silent());
            assert!(result.is_err());
        }
        let directed = || Weights::Dense(Matrix::from_fn(3, 3, |i, j| (2 * i + j) as f64));
        let problem =
            ProductPairwise::problem(Sense::Maximise, directed(), directed(), None).unwrap();
        let error = good().solve(&problem, &Start::default(), &Monitor::silent());
        assert!(error.unwrap_err().to_string().contains("symmetric"));
    }
}
