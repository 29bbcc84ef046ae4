//! What holds of every solver on every kind of problem: soundness, recounts, threads, scales, names.
#![allow(clippy::unwrap_used)]

use anchormatch::Assignment;
use anchormatch::Monitor;
use anchormatch::linalg::Matrix;
use anchormatch::problem::{
    Candidates, Coverage, ExplicitPairwise, GaussianKernel, Listed, Problem, ProductPairwise,
    Sense, SeparablePairwise, Weights,
};
use anchormatch::solver::{Solution, Solver, Start, registry};
use anchormatch_invariants::shapes::{Shape, inverse, on_any_threads, order};
use anchormatch_invariants::solving::{assert_problem, solve};
use proptest::collection::vec;
use proptest::prelude::*;

/// Numbers that a problem is made of, before it has a form.
#[derive(Debug, Clone)]
struct Raw {
    rows: usize,
    cols: usize,
    kind: usize,
    minimise: bool,
    partial: bool,
    few: bool,
    numbers: Vec<f64>,
}

impl Raw {
    /// The problem with all its numbers times `factor`, which is a power of two.
    fn problem(&self, factor: f64) -> Problem {
        let (n, m) = (self.rows, self.cols);
        let at = |place: usize| self.numbers[place % self.numbers.len()];
        let between = |i: usize, j: usize| at(31 * i.min(j) + 7 * i.max(j));
        let sense = if self.minimise {
            Sense::Minimise
        } else {
            Sense::Maximise
        };
        let unary = Matrix::from_fn(n, m, |i, a| factor * at(13 * i + a));
        let square = |n: usize, shift: usize, factor: f64| {
            Matrix::from_fn(n, n, |i, j| factor * between(i + shift, j + shift))
        };
        let problem = match self.kind {
            0 => {
                let w = Matrix::from_fn(n * m, n * m, |p, q| factor * between(p, q));
                let pairwise = ExplicitPairwise::new(n, m, w).unwrap();
                Problem::new(sense, unary, Box::new(pairwise)).unwrap()
            }
            1 => {
                let (a, b) = (square(n, 0, factor), square(m, 5, 1.0));
                let (a, b) = (Weights::Dense(a), Weights::Dense(b));
                ProductPairwise::problem(sense, a, b, Some(&unary)).unwrap()
            }
            2 => {
                // The factor is the kernel's business: a sum of products takes it in one of them.
                let pair = (square(n, 0, factor), square(m, 5, 1.0));
                let other = (square(n, 9, factor), square(m, 2, 1.0));
                let monitor = Monitor::silent();
                let pairwise = SeparablePairwise::from_factors(&[pair, other], &monitor).unwrap();
                Problem::new(sense, unary, Box::new(pairwise)).unwrap()
            }
            3 => {
                let assignments: Vec<_> = (0..n * m)
                    .filter(|&p| at(p) > -0.5)
                    .map(|p| (p / m, p % m, factor * at(3 * p)))
                    .collect();
                let count = assignments.len();
                let pairs = (0..count)
                    .flat_map(|p| (0..p).map(move |q| (p, q)))
                    .filter(|&(p, q)| at(p * 5 + q) > 0.0)
                    .map(|(p, q)| (p, q, factor * at(p + 11 * q)));
                let listed = Listed {
                    rows: n,
                    cols: m,
                    pairs: pairs.collect(),
                    assignments,
                };
                return listed.problem().unwrap();
            }
            _ => {
                let (x, y) = (square(n, 0, 1.0), square(m, 5, 1.0));
                let kernel = GaussianKernel::new(0.3).unwrap();
                let monitor = Monitor::silent();
                let pairwise = SeparablePairwise::new(x, y, kernel, 1e-9, &monitor).unwrap();
                Problem::new(sense, unary, Box::new(pairwise)).unwrap()
            }
        };
        let coverage = if self.partial {
            Coverage::Partial
        } else {
            Coverage::Full
        };
        let problem = problem.with_coverage(coverage);
        if !self.few {
            return problem;
        }
        let allowed = (0..n * m).filter(|p| p % 3 != 1).map(|p| (p / m, p % m));
        problem
            .with_candidates(Candidates::listed(n, m, allowed).unwrap())
            .unwrap()
    }
}

fn raw(kinds: std::ops::Range<usize>) -> impl Strategy<Value = Raw> {
    // Numbers of one kind at a time: any, small whole ones with ties, the same one everywhere.
    let numbers = prop_oneof![
        vec(-1.0..1.0f64, 40),
        vec((-2..3i32).prop_map(f64::from), 40),
        prop_oneof![Just(0.0), Just(1.0), Just(-1.0)].prop_map(|value| vec![value; 40]),
    ];
    let flags = (any::<bool>(), any::<bool>(), any::<bool>());
    (1..6usize, 1..6usize, kinds, flags, numbers).prop_map(
        |(rows, cols, kind, (minimise, partial, few), numbers)| Raw {
            rows,
            cols,
            kind,
            minimise,
            partial,
            few,
            numbers,
        },
    )
}

fn bits(solution: &Solution) -> (Assignment, u64, Option<Vec<u64>>) {
    let soft = solution.soft.as_ref();
    let soft = soft.map(|soft| soft.iter().map(f64::to_bits).collect());
    (
        solution.assignment.clone(),
        solution.objective.to_bits(),
        soft,
    )
}

/// Solvers whose objective is a logarithm of probabilities, in nats: twice the objective is another
/// posterior, not another unit.
const IN_NATS: [&str; 1] = ["mean-field"];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn every_solution_is_sound(raw in raw(0..5), seed in 0..9u64) {
        let problem = raw.problem(1.0);
        assert_problem(&problem);
        for solver in registry::all() {
            solve(solver.as_ref(), &problem, &Start::seeded(seed), &Monitor::silent());
        }
    }

    #[test]
    fn threads_do_not_change_a_bit(raw in raw(0..5), seed in 0..9u64, which in 0..100usize) {
        let problem = raw.problem(1.0);
        let solvers = registry::all();
        for k in 0..3 {
            let solver = &solvers[(which + k) % solvers.len()];
            on_any_threads(|| {
                let start = Start::seeded(seed);
                let solution = solve(solver.as_ref(), &problem, &start, &Monitor::silent());
                solution.map(|solution| bits(&solution))
            });
        }
    }

    #[test]
    fn a_power_of_two_changes_the_unit_alone(raw in raw(0..4), power in -30..30i32) {
        let factor = 2f64.powi(power);
        let (plain, scaled) = (raw.problem(1.0), raw.problem(factor));
        for solver in registry::all() {
            let name = solver.info().name;
            if IN_NATS.contains(&name) {
                continue;
            }
            let on = |problem| solve(solver.as_ref(), problem, &Start::seeded(3), &Monitor::silent());
            let (one, two) = (on(&plain), on(&scaled));
            prop_assert_eq!(one.is_some(), two.is_some(), "{}", name);
            if let (Some(one), Some(two)) = (one, two) {
                prop_assert_eq!(two.objective, factor * one.objective, "{}", name);
                prop_assert_eq!(two.assignment, one.assignment, "{}", name);
            }
        }
    }

    #[test]
    fn units_whose_squares_are_no_numbers_are_solved(raw in raw(0..4), large in any::<bool>()) {
        let problem = raw.problem(2f64.powi(if large { 520 } else { -520 }));
        for solver in registry::all() {
            solve(solver.as_ref(), &problem, &Start::seeded(3), &Monitor::silent());
        }
    }

    #[test]
    fn an_isomorphism_is_renamed_with_its_problem(
        seed in any::<u64>(), (one, two) in (any::<u64>(), any::<u64>()), n in 6..9usize,
    ) {
        let x = symmetric(n, seed);
        let (first, second) = (order(n, one), order(n, two));
        let (place, image) = (inverse(&first), inverse(&second));
        let plain = kernel(&x, &x);
        let renamed = kernel(&x.select(&first, &first), &x.select(&second, &second));
        for solver in searches() {
            let on = |problem| solve(solver.as_ref(), problem, &Start::seeded(3), &Monitor::silent());
            let (Some(one), Some(two)) = (on(&plain), on(&renamed)) else { continue };
            let name = solver.info().name;
            for i in 0..n {
                prop_assert_eq!(one.assignment.partner(i), Some(i), "{}", name);
                prop_assert_eq!(two.assignment.partner(place[i]), Some(image[i]), "{}", name);
            }
            let off = (one.objective - two.objective).abs();
            prop_assert!(off <= 1e-9 * one.objective, "{}", name);
        }
    }

    #[test]
    fn a_transposed_problem_has_the_transposed_optimum(
        (n, m) in (2..6usize, 2..6usize), seed in any::<u64>(),
    ) {
        let (x, y) = (symmetric(n, seed), symmetric(m, seed ^ 1));
        let (plain, transposed) = (kernel(&x, &y), kernel(&y, &x));
        for solver in searches() {
            let on = |problem| solve(solver.as_ref(), problem, &Start::seeded(3), &Monitor::silent());
            let (Some(one), Some(two)) = (on(&plain), on(&transposed)) else { continue };
            let off = (one.objective - two.objective).abs();
            prop_assert!(off <= 1e-9 * (1.0 + one.objective), "{}: {} {}",
                solver.info().name, one.objective, two.objective);
        }
    }
}

/// The solvers that find the optimum of any problem this small.
fn searches() -> Vec<Box<dyn Solver>> {
    ["tabu", "portfolio"]
        .iter()
        .map(|name| registry::by_name(name).unwrap())
        .collect()
}

fn symmetric(n: usize, seed: u64) -> Matrix {
    Shape::Complete.graph(n, seed).adjacency()
}

fn kernel(x: &Matrix, y: &Matrix) -> Problem {
    let kernel = GaussianKernel::new(0.05).unwrap();
    let pairwise =
        SeparablePairwise::new(x.clone(), y.clone(), kernel, 1e-12, &Monitor::silent()).unwrap();
    let unary = Matrix::zeros(x.rows(), y.rows());
    Problem::maximise(unary, Box::new(pairwise)).unwrap()
}
