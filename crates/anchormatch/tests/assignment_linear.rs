//! Linear assignment against brute force, two other implementations and its own dual certificate.

use anchormatch::Assignment;
use anchormatch::assignment::{
    LARGEST_COST, LinearAssignment, LinearSolver, TieBreak, greedy, maximise, minimise,
};
use anchormatch::linalg::Matrix;
use anchormatch_invariants::small_problems::assignments;
use proptest::prelude::*;

/// SplitMix64 over a counter: enough randomness for test matrices.
struct Random(u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn uniform(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    fn below(&mut self, limit: u64) -> u64 {
        (self.bits() >> 11) % limit
    }
}

/// The kinds of costs that every check below runs through.
const KINDS: [&str; 11] = [
    "uniform",
    "signed",
    "ties",
    "equal",
    "product",
    "geometric",
    "scales",
    "shifted",
    "huge",
    "tiny",
    "forbidden",
];

fn matrix(kind: &str, rows: usize, cols: usize, seed: u64) -> Matrix {
    let mut random = Random(seed.wrapping_mul(0xd134_2543_de82_ef95));
    let left: Vec<f64> = (0..rows).map(|_| random.uniform()).collect();
    let right: Vec<f64> = (0..cols).map(|_| random.uniform()).collect();
    Matrix::from_fn(rows, cols, |i, j| match kind {
        "uniform" => random.uniform(),
        "signed" => 2e3 * random.uniform() - 1e3,
        "ties" => random.below(4) as f64,
        "equal" => 0.1,
        "product" => left[i] * right[j],
        "geometric" => (left[i] - right[j]).abs(),
        "scales" => 10f64.powi(random.below(30) as i32 - 15),
        "shifted" => 1e9 + random.uniform(),
        "huge" => LARGEST_COST * (2.0 * random.uniform() - 1.0),
        "tiny" => f64::MIN_POSITIVE * random.uniform(),
        "forbidden" if random.below(3) > 0 => 1e12,
        "forbidden" => random.uniform(),
        _ => unreachable!("kinds are listed above"),
    })
}

/// Each row has at most one column, each column at most one row, and the smaller side is full.
fn check_injection(cost: &Matrix, columns: &Assignment) {
    assert_eq!(columns.rows(), cost.rows());
    let mut taken = vec![false; cost.cols()];
    for j in columns.iter().flatten() {
        assert!(!std::mem::replace(&mut taken[j], true), "column {j} twice");
    }
    let matched = columns.matched();
    assert_eq!(matched, cost.rows().min(cost.cols()));
}

/// Feasible duals, complementary slackness, signs and strong duality: a proof of optimality.
fn check_minimum(cost: &Matrix, best: &LinearAssignment) {
    check_injection(cost, &best.columns);
    let (rows, cols) = (cost.rows(), cost.cols());
    assert_eq!(
        (best.row_duals.len(), best.column_duals.len()),
        (rows, cols)
    );
    let largest = cost.as_slice().iter().fold(0.0f64, |m, c| m.max(c.abs()));
    let slack = 64.0 * f64::EPSILON * largest;
    let mut value = 0.0;
    for i in 0..rows {
        for j in 0..cols {
            let gap = cost[(i, j)] - best.row_duals[i] - best.column_duals[j];
            assert!(gap >= -slack, "dual infeasible at ({i}, {j}) by {gap:e}");
            if best.columns.partner(i) == Some(j) {
                assert!(gap <= slack, "slack of {gap:e} on the pair ({i}, {j})");
                value += cost[(i, j)];
            }
        }
    }
    assert_eq!(best.value.to_bits(), value.to_bits());
    let larger = match rows.cmp(&cols) {
        std::cmp::Ordering::Less => &best.column_duals,
        std::cmp::Ordering::Greater => &best.row_duals,
        std::cmp::Ordering::Equal => &Vec::new(),
    };
    assert!(larger.iter().all(|&dual| dual <= 0.0), "sign of a dual");
    for (i, column) in best.columns.iter().enumerate() {
        assert!(column.is_some() || best.row_duals[i] == 0.0);
    }
    for j in 0..cols {
        assert!(best.columns.iter().any(|column| column == Some(j)) || best.column_duals[j] == 0.0);
    }
    let dual: f64 = best.row_duals.iter().chain(&best.column_duals).sum();
    assert!((dual - best.value).abs() <= (rows + cols) as f64 * slack);
}

/// The least cost over all injections of the smaller side.
fn brute_force(cost: &Matrix) -> f64 {
    if cost.rows() > cost.cols() {
        return brute_force(&cost.transposed());
    }
    let all: Vec<Assignment> = assignments(cost.rows(), cost.cols(), false);
    let costs = all.iter().map(|x| x.pairs().map(|pair| cost[pair]).sum());
    costs.fold(f64::INFINITY, f64::min)
}

/// The least cost, ties broken as SciPy does.
fn minimise_as_scipy(cost: &Matrix) -> LinearAssignment {
    let mut best = LinearAssignment::default();
    LinearSolver::with_ties(TieBreak::AsSciPy)
        .minimise(cost, &mut best)
        .expect("finite costs");
    best
}

fn negated(m: &Matrix) -> Matrix {
    Matrix::from_fn(m.rows(), m.cols(), |i, j| -m[(i, j)])
}

#[test]
fn small_matrices_match_the_brute_force() {
    for rows in 1..=6 {
        for cols in 1..=6 {
            for kind in KINDS {
                for seed in 0..4 {
                    let cost = matrix(kind, rows, cols, seed);
                    let want = brute_force(&cost);
                    for best in [minimise(&cost).unwrap(), minimise_as_scipy(&cost)] {
                        check_minimum(&cost, &best);
                        let scale = cost.as_slice().iter().fold(0.0f64, |m, c| m.max(c.abs()));
                        assert!(
                            (best.value - want).abs() <= 1e-13 * scale,
                            "{kind} {rows}×{cols}: {} against {want}",
                            best.value
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn eight_by_eight_matches_the_brute_force() {
    for (rows, cols) in [(8, 8), (8, 7), (5, 8), (8, 3)] {
        for kind in ["uniform", "ties", "product"] {
            for seed in 0..3 {
                let cost = matrix(kind, rows, cols, 100 + seed);
                let best = minimise(&cost).unwrap();
                assert!((best.value - brute_force(&cost)).abs() <= 1e-13);
            }
        }
    }
}

#[test]
fn square_matrices_agree_with_lapjv() {
    for n in [1, 2, 10, 47, 48, 49, 50, 90, 130, 200] {
        for kind in ["uniform", "signed", "ties", "geometric", "product"] {
            let cost = matrix(kind, n, n, n as u64);
            let oracle = lapjv::Matrix::from_shape_vec((n, n), cost.as_slice().to_vec()).unwrap();
            let (columns, _) = lapjv::lapjv(&oracle).unwrap();
            let want: f64 = (0..n).map(|i| cost[(i, columns[i])]).sum();
            let best = minimise(&cost).unwrap();
            check_minimum(&cost, &best);
            assert!(
                (best.value - want).abs() <= 1e-9 * want.abs().max(1.0),
                "{kind} {n}: {} against {want}",
                best.value
            );
        }
    }
}

#[test]
fn rectangular_matrices_agree_with_lsap() {
    for (rows, cols) in [
        (1, 60),
        (60, 1),
        (20, 200),
        (200, 20),
        (90, 91),
        (91, 90),
        (150, 200),
    ] {
        for kind in ["uniform", "signed", "ties", "geometric", "product"] {
            let cost = matrix(kind, rows, cols, 7);
            for largest in [false, true] {
                let best = if largest {
                    maximise(&cost).unwrap()
                } else {
                    minimise(&cost).unwrap()
                };
                let (from, to) =
                    lsap::solve(rows, cols, &cost.as_slice().to_vec(), largest).unwrap();
                let want: f64 = from.iter().zip(&to).map(|(&i, &j)| cost[(i, j)]).sum();
                assert!(
                    (best.value - want).abs() <= 1e-9 * want.abs().max(1.0),
                    "{kind} {rows}×{cols}: {} against {want}",
                    best.value
                );
            }
        }
    }
}

#[test]
fn duals_prove_optimality_at_every_shape_and_scale() {
    for (rows, cols) in [
        (300, 300),
        (100, 300),
        (300, 100),
        (299, 300),
        (1, 300),
        (60, 61),
    ] {
        for kind in KINDS {
            let cost = matrix(kind, rows, cols, 11);
            check_minimum(&cost, &minimise(&cost).unwrap());
            check_minimum(&cost, &minimise_as_scipy(&cost));
        }
    }
}

#[test]
fn ties_can_be_broken_as_scipy_breaks_them() {
    // Made by scripts/make_assignment_values.py.
    let values = include_str!("data/scipy_assignments.json");
    let values: serde_json::Value = serde_json::from_str(values).unwrap();
    let cases = values["cases"].as_array().unwrap();
    assert!(cases.len() > 50);
    let mut solver = LinearSolver::with_ties(TieBreak::AsSciPy);
    let mut best = LinearAssignment::default();
    let mut others = 0;
    for case in cases {
        let size = |name: &str| case[name].as_u64().unwrap() as usize;
        let costs: Vec<f64> = serde_json::from_value(case["costs"].clone()).unwrap();
        let want: Assignment = serde_json::from_value(case["columns"].clone()).unwrap();
        let cost = Matrix::from_vec(size("rows"), size("cols"), costs);
        let ours = if case["maximize"] == true {
            solver.maximise(&cost, &mut best).unwrap();
            maximise(&cost).unwrap()
        } else {
            solver.minimise(&cost, &mut best).unwrap();
            minimise(&cost).unwrap()
        };
        assert_eq!(best.columns, want, "{}×{}", cost.rows(), cost.cols());
        assert_eq!(best.value, ours.value);
        others += usize::from(ours.columns != want);
    }
    assert!(others >= 8, "the cases have ties: {others}");
}

#[test]
fn empty_matrices_have_an_empty_assignment() {
    for (rows, cols) in [(0, 0), (0, 3), (3, 0)] {
        let cost = Matrix::zeros(rows, cols);
        for best in [minimise(&cost).unwrap(), maximise(&cost).unwrap()] {
            assert_eq!(best.columns, vec![None; rows]);
            assert_eq!(best.row_duals, vec![0.0; rows]);
            assert_eq!(best.column_duals, vec![0.0; cols]);
            assert_eq!(best.value, 0.0);
        }
    }
}

#[test]
fn entries_that_could_overflow_are_refused_by_position() {
    for bad in [
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        2.0 * LARGEST_COST,
    ] {
        for (rows, cols) in [(2, 2), (70, 80), (80, 70), (75, 75)] {
            let mut cost = Matrix::zeros(rows, cols);
            cost[(1, 0)] = bad;
            let message = minimise(&cost).unwrap_err().to_string();
            assert!(message.contains("row 1, column 0"), "{message}");
            assert!(maximise(&cost).is_err());
        }
    }
    let mut out = LinearAssignment::default();
    let short = LinearSolver::new().minimise_slice(&[1.0, 2.0, 3.0], 2, 2, &mut out);
    assert!(short.unwrap_err().to_string().contains("3 entries"));
    let absurd = LinearSolver::new().minimise_slice(&[], usize::MAX, 2, &mut out);
    assert!(absurd.is_err());
}

#[test]
fn extreme_costs_keep_their_order() {
    let cost = Matrix::from_vec(2, 2, vec![1e300, -1e300, -1e300, 1e300]);
    assert_eq!(minimise(&cost).unwrap().columns, [Some(1), Some(0)]);
    assert_eq!(maximise(&cost).unwrap().columns, [Some(0), Some(1)]);
}

#[test]
fn equal_costs_go_by_index() {
    for (rows, cols) in [(5, 5), (5, 9), (100, 100), (60, 200)] {
        let best = minimise(&Matrix::filled(rows, cols, 2.5)).unwrap();
        let in_order: Vec<_> = (0..rows).map(Some).collect();
        assert_eq!(best.columns, in_order);
        assert_eq!(best.value, 2.5 * rows as f64);
    }
}

#[test]
fn a_solver_used_before_gives_the_same_bits() {
    let mut solver = LinearSolver::new();
    let mut reused = LinearAssignment::default();
    for (k, (rows, cols)) in [
        (80, 80),
        (3, 90),
        (90, 3),
        (0, 4),
        (120, 120),
        (7, 7),
        (80, 100),
    ]
    .into_iter()
    .enumerate()
    {
        for kind in KINDS {
            let cost = matrix(kind, rows, cols, k as u64);
            solver.minimise(&cost, &mut reused).unwrap();
            assert_eq!(reused, minimise(&cost).unwrap());
            solver
                .maximise_slice(cost.as_slice(), rows, cols, &mut reused)
                .unwrap();
            assert_eq!(reused, maximise(&cost).unwrap());
        }
    }
}

#[test]
fn a_solver_recovers_from_a_refused_matrix() {
    let mut solver = LinearSolver::new();
    let mut out = LinearAssignment::default();
    let good = matrix("uniform", 60, 60, 1);
    let mut bad = good.clone();
    bad[(59, 59)] = f64::NAN;
    assert!(solver.minimise(&bad, &mut out).is_err());
    solver.minimise(&good, &mut out).unwrap();
    assert_eq!(out, minimise(&good).unwrap());
}

fn shape_and_kind() -> impl Strategy<Value = (usize, usize, &'static str, u64)> {
    let side = prop_oneof![0usize..8, 40usize..60, 8usize..130];
    (
        side.clone(),
        side,
        prop::sample::select(&KINDS[..]),
        any::<u64>(),
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn the_certificate_holds((rows, cols, kind, seed) in shape_and_kind()) {
        let cost = matrix(kind, rows, cols, seed);
        check_minimum(&cost, &minimise(&cost).unwrap());
    }

    #[test]
    fn maximising_is_minimising_the_negative((rows, cols, kind, seed) in shape_and_kind()) {
        let score = matrix(kind, rows, cols, seed);
        let most = maximise(&score).unwrap();
        let least = minimise(&negated(&score)).unwrap();
        prop_assert_eq!(&most.columns, &least.columns);
        prop_assert_eq!(most.value, -least.value);
        prop_assert!(most.row_duals.iter().zip(&least.row_duals).all(|(a, b)| *a == -b));
        prop_assert!(most.column_duals.iter().zip(&least.column_duals).all(|(a, b)| *a == -b));
    }

    #[test]
    fn transposing_transposes((rows, cols, kind, seed) in shape_and_kind()) {
        prop_assume!(rows != cols);
        let cost = matrix(kind, rows, cols, seed);
        let here = minimise(&cost).unwrap();
        let there = minimise(&cost.transposed()).unwrap();
        prop_assert_eq!(&here.row_duals, &there.column_duals);
        prop_assert_eq!(&here.column_duals, &there.row_duals);
        for (i, column) in here.columns.iter().enumerate() {
            prop_assert!(column.is_none_or(|j| there.columns.partner(j) == Some(i)));
        }
    }

    #[test]
    fn a_constant_on_a_row_or_column_moves_only_the_value(
        n in 1usize..70, which in any::<prop::sample::Index>(), shift in -50i32..50, seed in any::<u64>(),
    ) {
        // Integers, so that the shift does not round.
        let mut random = Random(seed);
        let cost = Matrix::from_fn(n, n, |_, _| random.below(1000) as f64);
        let want = minimise(&cost).unwrap().value + f64::from(shift);
        let at = which.index(n);
        let by_row = Matrix::from_fn(n, n, |i, j| cost[(i, j)] + f64::from(shift * i32::from(i == at)));
        let by_column = Matrix::from_fn(n, n, |i, j| cost[(i, j)] + f64::from(shift * i32::from(j == at)));
        prop_assert_eq!(minimise(&by_row).unwrap().value, want);
        prop_assert_eq!(minimise(&by_column).unwrap().value, want);
    }

    #[test]
    fn greedy_reaches_half_of_the_greatest_total((rows, cols, seed) in (0usize..30, 0usize..30, any::<u64>())) {
        let score = matrix("uniform", rows, cols, seed);
        let taken = greedy::maximise(&score, None).unwrap();
        let most = maximise(&score).unwrap().value;
        check_injection(&score, &taken.columns);
        prop_assert!(taken.value <= most + 1e-12 && taken.value >= 0.5 * most - 1e-12);
    }
}
