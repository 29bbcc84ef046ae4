//! The master problem against Clarabel, an independent conic solver.
//!
//! Without the cone it is a quadratic program. With it, 2×2 matrices (K = K' = 1) make a second-order
//! cone, [[a, b], [b, c]] ⪰ 0 ⇔ ‖(a − c, 2b)‖ ≤ a + c; larger ones are checked by their optimality
//! conditions.

use clarabel::algebra::CscMatrix;
use clarabel::solver::{
    DefaultSettings, DefaultSolver, IPSolver, SolverStatus,
    SupportedConeT::{self, NonnegativeConeT, SecondOrderConeT},
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::factor::{add_scaled, dot, fill_difference, from_half_vector, half_length, half_vector};
use super::interior::Accuracy;
use super::master::{Master, MasterSolution, inner};
use crate::linalg::{Matrix, project_psd, symmetric_eigen};
use crate::monitor::Monitor;

/// A random working set that owns its arrays.
struct Case {
    rivals: Matrix,
    pairs: Matrix,
    loss: Vec<f64>,
    anchor: Vec<usize>,
    budget: Vec<f64>,
    prior: Matrix,
}

impl Case {
    /// `k` features on each side, all rivals of each anchor, some of them repeated.
    fn new(seed: u64, k: usize, anchors: usize, nodes: usize, c: f64, scale: f64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut features = || {
            let mut all = Matrix::from_fn(nodes, k, |_, _| scale * rng.random::<f64>().powi(2));
            if nodes > 3 {
                let first = all.row(0).to_vec();
                all.row_mut(nodes - 1).copy_from_slice(&first);
            }
            all
        };
        let (source, target) = (features(), features());
        let d = 2 * k;
        let (mut rivals, mut pairs) = (Vec::new(), Vec::new());
        let (mut loss, mut anchor) = (Vec::new(), Vec::new());
        for i in 0..anchors {
            for j in (0..nodes).filter(|&j| j != i) {
                for (s, t) in [(i, j), (j, i)] {
                    rivals.extend_from_slice(source.row(s));
                    rivals.extend_from_slice(target.row(t));
                    pairs.extend_from_slice(source.row(i));
                    pairs.extend_from_slice(target.row(i));
                    loss.push(0.02 + ((i * 7 + j * 5 + s) % 11) as f64 / 11.0);
                    anchor.push(i);
                }
            }
        }
        Self {
            rivals: Matrix::from_vec(loss.len(), d, rivals),
            pairs: Matrix::from_vec(loss.len(), d, pairs),
            loss,
            anchor,
            budget: (0..anchors)
                .map(|i| c / anchors as f64 * if i % 3 == 2 { 0.4 } else { 1.0 })
                .collect(),
            prior: Matrix::zeros(d, d),
        }
    }

    fn with_prior(mut self, beta: f64) -> Self {
        let d = self.prior.rows();
        self.prior = Matrix::from_fn(d, d, |i, j| match i.abs_diff(j) {
            0 => beta,
            gap if gap == d / 2 => -beta,
            _ => 0.0,
        });
        self
    }

    fn solve(&self, cone: bool) -> MasterSolution {
        Master {
            rivals: &self.rivals,
            pairs: &self.pairs,
            loss: &self.loss,
            anchor: &self.anchor,
            budget: &self.budget,
            prior: &self.prior,
            cone,
        }
        .solve(Accuracy::Full, &Monitor::silent())
        .unwrap()
        .unwrap()
    }

    /// Half-vector of Ψ_c.
    fn row(&self, c: usize) -> Vec<f64> {
        let mut row = vec![0.0; half_length(self.rivals.cols())];
        fill_difference(&mut row, 1.0, self.rivals.row(c), self.pairs.row(c));
        row
    }

    /// The primal in (svec B, ξ) by Clarabel: B and the objective.
    fn clarabel(&self, cone: bool) -> (Matrix, f64) {
        let d = self.rivals.cols();
        let (half, groups) = (half_length(d), self.budget.len());
        let variables = half + groups;
        let prior = half_vector(&self.prior);
        let mut rows: Vec<Vec<f64>> = Vec::new();
        let mut right = Vec::new();
        for c in 0..self.loss.len() {
            let mut row: Vec<f64> = self.row(c).iter().map(|v| -v).collect();
            row.resize(variables, 0.0);
            row[half + self.anchor[c]] = -1.0 / self.loss[c];
            rows.push(row);
            right.push(-1.0);
        }
        for i in 0..groups {
            let mut row = vec![0.0; variables];
            row[half + i] = -1.0;
            rows.push(row);
            right.push(0.0);
        }
        let mut cones: Vec<SupportedConeT<f64>> = vec![NonnegativeConeT(rows.len())];
        if cone {
            assert_eq!(d, 2, "only 2×2 matrices are a second-order cone");
            // Half-vector (a, √2 b, c): a + c ≥ ‖(a − c, 2b)‖.
            for (a, b, c) in [
                (1.0, 0.0, 1.0),
                (1.0, 0.0, -1.0),
                (0.0, std::f64::consts::SQRT_2, 0.0),
            ] {
                let mut row = vec![0.0; variables];
                (row[0], row[1], row[2]) = (-a, -b, -c);
                rows.push(row);
                right.push(0.0);
            }
            cones.push(SecondOrderConeT(3));
        }
        let quadratic = CscMatrix::from(
            &(0..variables)
                .map(|i| {
                    let mut row = vec![0.0; variables];
                    row[i] = if i < half { 1.0 } else { 0.0 };
                    row
                })
                .collect::<Vec<_>>(),
        );
        let linear: Vec<f64> = prior
            .iter()
            .map(|v| -v)
            .chain(self.budget.iter().copied())
            .collect();
        let settings = DefaultSettings {
            verbose: false,
            tol_gap_abs: 1e-13,
            tol_gap_rel: 1e-13,
            tol_feas: 1e-13,
            ..DefaultSettings::default()
        };
        let mut solver = DefaultSolver::new(
            &quadratic,
            &linear,
            &CscMatrix::from(&rows),
            &right,
            &cones,
            settings,
        )
        .unwrap();
        solver.solve();
        let status = solver.solution.status;
        assert!(
            matches!(
                status,
                SolverStatus::Solved
                    | SolverStatus::AlmostSolved
                    | SolverStatus::InsufficientProgress
            ),
            "{status:?}"
        );
        let objective = solver.solution.obj_val + 0.5 * dot(&prior, &prior);
        (from_half_vector(&solver.solution.x[..half], d), objective)
    }
}

fn norm(values: &[f64]) -> f64 {
    dot(values, values).sqrt()
}

fn assert_same(case: &Case, cone: bool, name: &str) {
    let ours = case.solve(cone);
    let (b, objective) = case.clarabel(cone);
    assert!(ours.converged, "{name}: not converged");
    let close = (ours.objective - objective).abs() / objective.abs().max(1e-8);
    let mut difference = ours.b.clone();
    add_scaled(difference.as_mut_slice(), -1.0, b.as_slice());
    // ½‖B‖² may be a small share of the objective, and Clarabel's tolerance is on the whole.
    let size = norm(b.as_slice()).max((2.0 * objective.max(0.0)).sqrt());
    let apart = norm(difference.as_slice()) / size;
    assert!(close < 1e-6, "{name}: {} and {objective}", ours.objective);
    assert!(apart < 1e-6, "{name}: B differs by {apart:e}");
}

#[test]
fn the_quadratic_program_agrees_with_clarabel() {
    for (seed, (k, anchors, nodes)) in [
        (1, 1, 2),
        (1, 4, 9),
        (2, 3, 8),
        (4, 5, 12),
        (5, 1, 14),
        (3, 2, 30),
    ]
    .into_iter()
    .enumerate()
    {
        for c in [1.0, 10.0, 1000.0] {
            for scale in [0.1, 1.0, 30.0] {
                let case = Case::new(seed as u64, k, anchors, nodes, c, scale);
                let name = format!("k={k} anchors={anchors} nodes={nodes} C={c} scale={scale}");
                assert_same(&case, false, &name);
                assert_same(&case.with_prior(0.3), false, &format!("{name} prior"));
            }
        }
    }
}

#[test]
fn the_two_by_two_cone_agrees_with_clarabel() {
    for seed in 0..6 {
        for c in [1.0, 10.0, 1000.0] {
            for scale in [0.1, 1.0, 30.0] {
                let case = Case::new(seed, 1, 3, 6 + seed as usize, c, scale);
                let name = format!("seed={seed} C={c} scale={scale}");
                assert_same(&case, true, &name);
                assert_same(&case.with_prior(0.3), true, &format!("{name} prior"));
            }
        }
    }
}

#[test]
fn the_cone_meets_its_optimality_conditions() {
    for (seed, (k, anchors, nodes)) in [(2, 3, 8), (4, 5, 12), (6, 2, 20), (3, 8, 25)]
        .into_iter()
        .enumerate()
    {
        for c in [1.0, 10.0, 1000.0] {
            for scale in [0.1, 1.0, 30.0] {
                let case = Case::new(seed as u64 + 50, k, anchors, nodes, c, scale);
                for case in [case] {
                    let name = format!("k={k} anchors={anchors} C={c} scale={scale}");
                    let ours = case.solve(true);
                    let gap = (ours.objective - ours.dual_objective) / ours.objective;
                    assert!(ours.converged && gap < 1e-7, "{name}: gap {gap:e}");
                    let lowest = symmetric_eigen(&ours.b).unwrap().values[0];
                    assert!(lowest > -1e-12 * norm(ours.b.as_slice()));
                    // Stationarity: B = Π₊(B₀ + Σ β_cΩ_cΨ_c).
                    let mut sum = half_vector(&case.prior);
                    let mut used = vec![0.0; anchors];
                    for c in 0..case.loss.len() {
                        assert!(ours.multipliers[c] >= 0.0);
                        used[case.anchor[c]] += ours.multipliers[c];
                        add_scaled(&mut sum, ours.multipliers[c] * case.loss[c], &case.row(c));
                    }
                    let d = 2 * k;
                    let mut apart = project_psd(&from_half_vector(&sum, d)).unwrap();
                    add_scaled(apart.as_mut_slice(), -1.0, ours.b.as_slice());
                    let apart = norm(apart.as_slice()) / (2.0 * ours.objective).sqrt();
                    assert!(apart < 1e-5, "{name}: stationarity {apart:e}");
                    for (used, budget) in used.iter().zip(&case.budget) {
                        assert!(*used <= budget * (1.0 + 1e-12));
                    }
                    // The relaxed problem bounds it from below, its projection from above.
                    let relaxed = case.solve(false);
                    assert!(relaxed.dual_objective <= ours.objective * (1.0 + 1e-9));
                    let projected = project_psd(&relaxed.b).unwrap();
                    assert!(ours.dual_objective <= objective(&case, &projected) * (1.0 + 1e-9));
                    assert!((objective(&case, &ours.b) / ours.objective - 1.0).abs() < 1e-8);
                }
            }
        }
    }
}

/// The objective of B with its least slacks, by explicit quadratic forms.
fn objective(case: &Case, b: &Matrix) -> f64 {
    let form = |w: &[f64]| -> f64 { (0..w.len()).map(|i| w[i] * dot(b.row(i), w)).sum() };
    let mut slack = vec![0.0_f64; case.budget.len()];
    for c in 0..case.loss.len() {
        let margin = form(case.rivals.row(c)) - form(case.pairs.row(c));
        let slack = &mut slack[case.anchor[c]];
        *slack = slack.max(case.loss[c] * (1.0 - margin));
    }
    let mut apart = b.clone();
    add_scaled(apart.as_mut_slice(), -1.0, case.prior.as_slice());
    0.5 * dot(apart.as_slice(), apart.as_slice()) + dot(&case.budget, &slack)
}

#[test]
fn the_gram_matrix_gives_the_relaxed_objective() {
    // ½‖B‖² at B = Σ α_cΨ_c is ½αᵀHα with H from the identity of inner products.
    let case = Case::new(3, 3, 2, 8, 10.0, 1.0);
    let ours = case.solve(false);
    let alpha: Vec<f64> = (0..case.loss.len())
        .map(|c| ours.multipliers[c] * case.loss[c])
        .collect();
    let pair = |c: usize| (case.rivals.row(c), case.pairs.row(c));
    let mut value = 0.0;
    for c in 0..alpha.len() {
        value += alpha[c];
        for e in 0..alpha.len() {
            value -= 0.5 * alpha[c] * alpha[e] * inner(pair(c), pair(e));
        }
    }
    assert!((value / ours.dual_objective - 1.0).abs() < 1e-9);
}
