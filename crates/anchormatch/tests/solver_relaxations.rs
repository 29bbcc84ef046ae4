//! What every Frank–Wolfe or spectral solver owes its caller, checked on all of them alike.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use anchormatch::Assignment;
use anchormatch::Monitor;
use anchormatch::linalg::{Csr, Matrix};
use anchormatch::monitor::CancelToken;
use anchormatch::problem::{
    Candidates, Coverage, ExplicitPairwise, GaussianKernel, Listed, Problem, ProductPairwise,
    Sense, SeparablePairwise, Weights,
};
use anchormatch::solver::{Faq, Goat, Path, Solution, Solver, Start, Status, Umeyama};
use anchormatch_invariants::shapes::{inverse, noise, on_threads};
use anchormatch_invariants::small_problems::assignments;

fn symmetric(n: usize, seed: u64) -> Matrix {
    Matrix::from_fn(n, n, |i, j| noise(i.min(j), i.max(j), seed))
}

fn directed(n: usize, seed: u64) -> Matrix {
    Matrix::from_fn(n, n, |i, j| noise(i, j, seed))
}

fn sparse(matrix: &Matrix) -> Weights {
    Weights::Sparse(Csr::from_dense(matrix).filtered(|_, _, value| value > 0.5))
}

fn product(sense: Sense, a: Matrix, b: Matrix) -> Problem {
    ProductPairwise::problem(sense, Weights::Dense(a), Weights::Dense(b), None).unwrap()
}

fn restarted(restarts: usize) -> Faq {
    let mut faq = Faq::default();
    faq.restarts = restarts;
    faq
}

/// Solvers that take every problem.
fn general() -> Vec<Box<dyn Solver>> {
    vec![
        Box::new(Faq::default()),
        Box::new(Goat::default()),
        Box::new(Goat::centred()),
        Box::new(restarted(3)),
    ]
}

/// Solvers that take products of symmetric matrices.
fn all() -> Vec<Box<dyn Solver>> {
    let mut solvers = general();
    solvers.push(Box::new(Path::default()));
    solvers.push(Box::new(Umeyama::default()));
    solvers
}

fn solve(solver: &dyn Solver, problem: &Problem) -> Solution {
    solver
        .solve(problem, &Start::default(), &Monitor::silent())
        .unwrap()
}

/// Every problem kind that the crate has, small.
fn kinds(n: usize, m: usize, seed: u64) -> Vec<Problem> {
    let (x, y) = (symmetric(n, seed), symmetric(m, seed + 1));
    let kernel = GaussianKernel::new(0.1).unwrap();
    let monitor = Monitor::silent();
    let affinity = |p, q| kernel.evaluate(p, q);
    let explicit = ExplicitPairwise::from_values(&x, &y, affinity, &monitor).unwrap();
    let separable = SeparablePairwise::new(x.clone(), y.clone(), kernel, 1e-9, &monitor).unwrap();
    let unary = Matrix::from_fn(n, m, |i, a| noise(i, a, seed + 2) - 0.5);
    let listed = Listed {
        rows: n,
        cols: m,
        assignments: (0..n * m)
            .filter(|p| p % 3 != 1)
            .map(|p| (p / m, p % m, noise(p, p, seed) - 0.7))
            .collect(),
        pairs: (0..(n * m * 2 / 3).saturating_sub(1))
            .map(|p| (p, p + 1, noise(p, p + 1, seed) - 0.5))
            .collect(),
    };
    vec![
        Problem::maximise(unary.clone(), Box::new(explicit)).unwrap(),
        Problem::minimise(unary, Box::new(separable)).unwrap(),
        product(Sense::Maximise, directed(n, seed), directed(m, seed + 9)),
        product(Sense::Minimise, directed(n, seed), y.clone()),
        ProductPairwise::problem(Sense::Maximise, sparse(&x), sparse(&y), None).unwrap(),
        ProductPairwise::problem(Sense::Minimise, sparse(&x), Weights::Dense(y), None)
            .unwrap()
            .with_coverage(Coverage::Partial),
        listed.problem().unwrap(),
    ]
}

/// The best value over all feasible assignments.
fn brute_force(problem: &Problem) -> f64 {
    let (n, m) = problem.shape();
    let all = assignments::<Assignment>(n, m, true).into_iter();
    let feasible = all.filter(|assignment| problem.is_feasible(assignment));
    let values = feasible.map(|assignment| problem.objective(&assignment));
    let better = |x, y| if problem.sense().better(y, x) { y } else { x };
    values.reduce(better).unwrap()
}

fn check(problem: &Problem, solution: &Solution, name: &str) {
    let (n, m) = problem.shape();
    assert!(problem.is_feasible(&solution.assignment), "{name}");
    assert_eq!(
        solution.objective,
        problem.objective(&solution.assignment),
        "{name}"
    );
    assert!(solution.convergence.len() <= solution.iterations.max(1));
    let soft = solution.soft.as_ref().unwrap();
    let soft = soft.full(&Monitor::silent()).unwrap();
    assert_eq!((soft.rows(), soft.cols()), (n, m));
    for i in 0..n {
        assert!(soft.row(i).iter().all(|v| (-1e-9..=1.06).contains(v)));
        assert!(soft.row(i).iter().sum::<f64>() < 1.06, "{name}");
    }
    for a in 0..m {
        assert!((0..n).map(|i| soft[(i, a)]).sum::<f64>() < 1.06, "{name}");
    }
}

#[test]
fn solutions_are_feasible_and_worth_what_they_say() {
    let (mut found, mut tried) = (0, 0);
    for (n, m) in [(4, 4), (3, 5), (5, 3)] {
        for seed in 0..3 {
            for (kind, problem) in kinds(n, m, seed).iter().enumerate() {
                let best = brute_force(problem);
                for solver in general() {
                    let name = format!("{} kind {kind} {n}×{m}", solver.info().name);
                    let solution = solve(solver.as_ref(), problem);
                    check(problem, &solution, &name);
                    let over = problem.sense().sign() * (solution.objective - best);
                    assert!(over < 1e-9, "{name}");
                }
                tried += 1;
                let objective = solve(&restarted(20), problem).objective;
                found += usize::from((objective - best).abs() < 1e-9);
            }
        }
    }
    assert!(10 * found >= 9 * tried, "{found} of {tried}");
}

#[test]
fn symmetric_products_suit_them_all() {
    for sense in [Sense::Maximise, Sense::Minimise] {
        for (n, m) in [(5, 5), (3, 5), (5, 3), (1, 1), (1, 4), (4, 1)] {
            let problem = product(sense, symmetric(n, 1), symmetric(m, 2));
            let best = brute_force(&problem);
            for solver in all() {
                let solution = solve(solver.as_ref(), &problem);
                check(&problem, &solution, solver.info().name);
                assert!(sense.sign() * (solution.objective - best) < 1e-9);
            }
            let objective = solve(&Path::default(), &problem).objective;
            assert!((objective - best).abs() < 0.15 * best.abs().max(1.0));
        }
    }
}

#[test]
fn isomorphic_graphs_are_matched_with_and_without_seeds() {
    let n = 15;
    let a = symmetric(n, 7);
    let order: Vec<usize> = (0..n).map(|i| (7 * i + 3) % n).collect();
    let place = inverse(&order);
    let b = a.select(&order, &order);
    for count in 0..4 {
        let seeds: Vec<(usize, usize)> = (0..count).map(|k| (4 * k, place[4 * k])).collect();
        let (a, b) = (Weights::Dense(a.clone()), Weights::Dense(b.clone()));
        let folded = ProductPairwise::seeded_problem(Sense::Maximise, &a, &b, &seeds).unwrap();
        for solver in all() {
            if solver.info().name == "umeyama" && count > 0 {
                // Seeds are no part of the spectra: two weighted halves need not agree.
                continue;
            }
            let solution = solve(solver.as_ref(), &folded.problem);
            let whole = folded.complete(&solution.assignment);
            let want: Assignment = place.iter().map(|&p| Some(p)).collect();
            assert_eq!(whole, want, "{} with {count} seeds", solver.info().name);
        }
    }
}

#[test]
fn directed_isomorphic_graphs_have_equal_spectra() {
    let n = 9;
    let a = directed(n, 3);
    let order: Vec<usize> = (0..n).map(|i| (2 * i + 3) % n).collect();
    let b = a.select(&order, &order);
    for solver in [
        Box::new(Umeyama::default()) as Box<dyn Solver>,
        Box::new(Faq::default()),
    ] {
        let problem = product(Sense::Maximise, a.clone(), b.clone());
        for (new, &old) in order.iter().enumerate() {
            let solution = solve(solver.as_ref(), &problem);
            assert_eq!(
                solution.assignment.partner(old),
                Some(new),
                "{}",
                solver.info().name
            );
        }
    }
}

#[test]
fn costs_are_affinities_with_the_other_sign() {
    let negated = |m: &Matrix| Matrix::from_fn(m.rows(), m.cols(), |i, j| -m[(i, j)]);
    for (n, m) in [(7, 7), (5, 8), (8, 5)] {
        let (a, b) = (symmetric(n, 4), symmetric(m, 5));
        let gain = product(Sense::Maximise, a.clone(), b.clone());
        let cost = product(Sense::Minimise, negated(&a), b);
        for solver in all() {
            let (most, least) = (solve(solver.as_ref(), &gain), solve(solver.as_ref(), &cost));
            assert_eq!(most.assignment, least.assignment, "{}", solver.info().name);
            assert!((most.objective + least.objective).abs() < 1e-9);
        }
    }
}

#[test]
fn candidates_and_partial_coverage_are_kept() {
    for coverage in [Coverage::Full, Coverage::Partial] {
        for (n, m) in [(5, 5), (4, 6), (6, 4)] {
            // Some rows have one candidate only, and the last none.
            let pairs = (0..n * m)
                .map(|p| (p / m, p % m))
                .filter(|&(i, a)| i + 1 < n && (i % 2 == 0 || a == i));
            let candidates = Candidates::listed(n, m, pairs).unwrap();
            let problem = product(Sense::Minimise, symmetric(n, 1), symmetric(m, 2))
                .with_coverage(coverage)
                .with_candidates(candidates)
                .unwrap();
            for solver in all() {
                let solution = solve(solver.as_ref(), &problem);
                let name = solver.info().name;
                assert!(problem.is_feasible(&solution.assignment), "{name}");
                let matched = solution.assignment.matched();
                match coverage {
                    // As many as the candidates allow: one row has none.
                    Coverage::Full => assert_eq!(matched, (n - 1).min(m), "{name}"),
                    // All costs are positive: alone is best.
                    Coverage::Partial => assert_eq!(solution.objective, 0.0, "{name}"),
                }
            }
        }
    }
}

#[test]
fn empty_problems_have_empty_answers() {
    for (n, m) in [(0, 0), (0, 3), (3, 0)] {
        let problem = product(Sense::Maximise, symmetric(n, 1), symmetric(m, 2));
        for solver in all() {
            let solution = solve(solver.as_ref(), &problem);
            assert_eq!(solution.assignment, vec![None; n], "{}", solver.info().name);
            assert_eq!(solution.status, Status::Converged);
            assert_eq!(solution.objective, 0.0);
        }
    }
}

#[test]
fn zero_weights_are_no_trouble() {
    let problem = product(Sense::Maximise, Matrix::zeros(4, 4), Matrix::zeros(5, 5));
    for solver in all() {
        let solution = solve(solver.as_ref(), &problem);
        assert_eq!(solution.assignment.matched(), 4);
        assert_eq!(solution.objective, 0.0);
    }
}

#[test]
fn a_stop_returns_the_best_so_far() {
    let token = CancelToken::default();
    token.cancel();
    let monitor = Monitor::silent().cancelled_by(token);
    let problem = product(Sense::Maximise, symmetric(8, 1), symmetric(8, 2));
    for solver in all() {
        let solution = solver.solve(&problem, &Start::default(), &monitor).unwrap();
        assert_eq!(solution.status, Status::Cancelled, "{}", solver.info().name);
        assert_eq!(solution.iterations, 1);
        check(&problem, &solution, solver.info().name);
    }
}

#[test]
fn threads_do_not_change_a_bit_and_seeds_do() {
    // Large enough for products to be cut into parallel blocks.
    let problem = product(Sense::Maximise, symmetric(110, 1), symmetric(110, 2));
    let (mut goat, mut path) = (Goat::default(), Path::default());
    (goat.restarts, goat.max_iterations) = (2, 5);
    path.max_iterations = 20;
    let solvers: Vec<Box<dyn Solver>> = vec![
        Box::new(restarted(5)),
        Box::new(goat),
        Box::new(path),
        Box::new(Umeyama::default()),
    ];
    for solver in solvers {
        let run = |threads: usize, seed: u64| {
            let start = Start::seeded(seed);
            on_threads(threads, || {
                solver.solve(&problem, &start, &Monitor::silent()).unwrap()
            })
        };
        assert_eq!(run(1, 1), run(3, 1), "{}", solver.info().name);
        if solver.info().name == "faq" {
            assert_ne!(run(1, 1).soft, run(1, 2).soft);
        }
    }
}

#[test]
fn restarts_only_help_and_starts_are_used() {
    let problem = product(Sense::Minimise, symmetric(12, 1), symmetric(12, 2));
    let mut last = f64::INFINITY;
    for restarts in [0, 1, 5, 20] {
        let objective = solve(&restarted(restarts), &problem).objective;
        assert!(objective <= last);
        last = objective;
    }
    // From the best assignment known, the climb can only find as good a one or a better.
    let best = solve(&restarted(20), &problem);
    let start = Start::default().with_assignment(&best.assignment);
    let again = Faq::default()
        .solve(&problem, &start, &Monitor::silent())
        .unwrap();
    assert!(again.objective <= best.objective + 1e-9);
}
