//! Every registered solver against brute force over all assignments of small problems.

#![allow(clippy::unwrap_used)]

use anchormatch::Assignment;
use anchormatch::affinity::folding::fold_anchors;
use anchormatch::linalg::Matrix;
use anchormatch::problem::{
    Candidates, Coverage, ExplicitPairwise, GaussianKernel, Listed, Problem, ProductPairwise,
    Sense, SeparablePairwise, Weights,
};
use anchormatch::solver::{Solution, Solver, Start, Status, registry};
use anchormatch::{Error, Monitor};
use anchormatch_invariants::shapes::{inverse, noise, on_any_threads};
use anchormatch_invariants::small_problems::assignments;

type Objective = Box<dyn Fn(&Assignment) -> f64>;

/// A problem, and its objective written out from the raw numbers.
struct Case {
    name: String,
    problem: Problem,
    objective: Objective,
}

fn symmetric(n: usize, seed: u64) -> Matrix {
    Matrix::from_fn(n, n, |i, j| noise(i.min(j), i.max(j), seed))
}

fn pairs(assignment: &Assignment) -> Vec<(usize, usize)> {
    assignment.pairs().collect()
}

/// A dense W with values of both signs.
fn explicit(n: usize, m: usize, sense: Sense, seed: u64) -> Case {
    let w = Matrix::from_fn(n * m, n * m, |p, q| noise(p.min(q), p.max(q), seed) - 0.4);
    let unary = Matrix::from_fn(n, m, |i, a| 3.0 * noise(i, a, seed + 1) - 1.0);
    let pairwise = ExplicitPairwise::new(n, m, w.clone()).unwrap();
    let problem = Problem::new(sense, unary.clone(), Box::new(pairwise))
        .unwrap()
        .with_constant(2.5);
    Case {
        name: format!("explicit {n}×{m} {sense:?}"),
        problem,
        objective: Box::new(move |assignment| {
            let chosen = pairs(assignment);
            let mut total = 2.5;
            for &(i, a) in &chosen {
                total += unary[(i, a)];
                for &(j, b) in chosen.iter().filter(|other| **other != (i, a)) {
                    total += w[(i * m + a, j * m + b)];
                }
            }
            total
        }),
    }
}

/// exp(−Δ²/s) without W.
fn separable(n: usize, m: usize, seed: u64) -> Case {
    let (x, y) = (symmetric(n, seed), symmetric(m, seed + 1));
    let kernel = GaussianKernel::new(0.1).unwrap();
    let pairwise =
        SeparablePairwise::new(x.clone(), y.clone(), kernel, 1e-9, &Monitor::silent()).unwrap();
    let problem = Problem::maximise(Matrix::zeros(n, m), Box::new(pairwise)).unwrap();
    Case {
        name: format!("kernel {n}×{m}"),
        problem,
        objective: Box::new(move |assignment| {
            let chosen = pairs(assignment);
            let mut total = 0.0;
            for &(i, a) in &chosen {
                for &(j, b) in chosen.iter().filter(|other| **other != (i, a)) {
                    total += (-(x[(i, j)] - y[(a, b)]).powi(2) / 0.1).exp();
                }
            }
            total
        }),
    }
}

/// A quadratic assignment problem, symmetric or not.
fn product(n: usize, m: usize, sense: Sense, is_symmetric: bool, seed: u64) -> Case {
    let matrix = |n: usize, seed: u64| {
        Matrix::from_fn(n, n, |i, j| {
            let (i, j) = if is_symmetric {
                (i.min(j), i.max(j))
            } else {
                (i, j)
            };
            (10.0 * noise(i, j, seed)).floor()
        })
    };
    let (a, b) = (matrix(n, seed), matrix(m, seed + 1));
    let linear = Matrix::from_fn(n, m, |i, c| (5.0 * noise(i, c, seed + 2)).floor());
    let problem = ProductPairwise::problem(
        sense,
        Weights::Dense(a.clone()),
        Weights::Dense(b.clone()),
        Some(&linear),
    );
    Case {
        name: format!("product {n}×{m} {sense:?}, symmetric: {is_symmetric}"),
        problem: problem.unwrap(),
        objective: Box::new(move |assignment| {
            let chosen = pairs(assignment);
            let mut total = 0.0;
            for &(i, c) in &chosen {
                total += linear[(i, c)];
                for &(j, d) in &chosen {
                    total += a[(i, j)] * b[(c, d)];
                }
            }
            total
        }),
    }
}

/// As [`product`], the matrices as lists of entries.
fn sparse_product(n: usize, m: usize, sense: Sense, is_symmetric: bool, seed: u64) -> Case {
    let mut case = product(n, m, sense, is_symmetric, seed);
    let [a, b] = {
        let pairwise = case.problem.pairwise().as_product().unwrap();
        [pairwise.a(), pairwise.b()].map(|weights| match weights {
            Weights::Dense(matrix) => Weights::sparse(matrix),
            Weights::Sparse(_) => weights.clone(),
        })
    };
    let linear = case.problem.unary().as_full().unwrap();
    case.problem = ProductPairwise::problem(sense, a, b, Some(linear)).unwrap();
    case.name += ", sparse";
    case
}

/// Listed assignments and pairs, anyone may stay alone.
fn listed(n: usize, m: usize, seed: u64) -> Case {
    let assignments: Vec<(usize, usize, f64)> = (0..n * m)
        .filter(|&k| noise(k, 0, seed) < 0.7)
        .map(|k| (k / m, k % m, (10.0 * noise(k, 1, seed)).floor() - 6.0))
        .collect();
    let count = assignments.len();
    let listed_pairs: Vec<(usize, usize, f64)> = (0..count)
        .flat_map(|p| (0..p).map(move |q| (p, q)))
        .filter(|&(p, q)| noise(p, q, seed + 1) < 0.5)
        .map(|(p, q)| (p, q, (10.0 * noise(p, q, seed + 2)).floor() - 5.0))
        .collect();
    let list = Listed {
        rows: n,
        cols: m,
        assignments: assignments.clone(),
        pairs: listed_pairs.clone(),
    };
    Case {
        name: format!("listed {n}×{m}"),
        problem: list.problem().unwrap(),
        objective: Box::new(move |assignment| {
            let chosen = |number: usize| {
                let (i, a, _) = assignments[number];
                assignment.partner(i) == Some(a)
            };
            let alone = (0..count).filter(|&k| chosen(k)).map(|k| assignments[k].2);
            let together = listed_pairs.iter();
            alone.sum::<f64>()
                + together
                    .filter(|(p, q, _)| chosen(*p) && chosen(*q))
                    .map(|(_, _, cost)| cost)
                    .sum::<f64>()
        }),
    }
}

fn few_candidates(mut case: Case) -> Case {
    let (n, m) = case.problem.shape();
    let kept = (0..n * m).filter(|k| k % 5 != 2).map(|k| (k / m, k % m));
    let candidates = Candidates::listed(n, m, kept).unwrap();
    case.problem = case.problem.with_candidates(candidates).unwrap();
    case.name += ", some candidates";
    case
}

fn partial(mut case: Case) -> Case {
    case.problem = case.problem.with_coverage(Coverage::Partial);
    case.name += ", partial";
    case
}

fn cases() -> Vec<Case> {
    let mut cases = vec![
        explicit(1, 1, Sense::Maximise, 1),
        explicit(5, 5, Sense::Maximise, 2),
        explicit(4, 6, Sense::Minimise, 3),
        explicit(6, 3, Sense::Maximise, 4),
        separable(6, 6, 5),
        separable(3, 6, 6),
        separable(7, 7, 7),
        product(6, 6, Sense::Minimise, true, 8),
        product(6, 6, Sense::Minimise, false, 9),
        product(4, 5, Sense::Maximise, true, 10),
        product(7, 7, Sense::Minimise, true, 11),
        listed(5, 5, 12),
        listed(6, 4, 13),
        few_candidates(explicit(5, 5, Sense::Maximise, 14)),
        partial(explicit(5, 4, Sense::Minimise, 15)),
        partial(few_candidates(separable(5, 5, 16))),
    ];
    // Ties everywhere: all assignments are worth the same.
    let flat = ExplicitPairwise::new(4, 4, Matrix::filled(16, 16, 1.0)).unwrap();
    cases.push(Case {
        name: "flat".into(),
        problem: Problem::maximise(Matrix::zeros(4, 4), Box::new(flat)).unwrap(),
        objective: Box::new(|assignment| {
            let k = assignment.matched() as f64;
            k * (k - 1.0)
        }),
    });
    cases
}

/// Every one-to-one assignment within the candidates, the empty one included.
fn every(problem: &Problem) -> Vec<Assignment> {
    let (n, m) = problem.shape();
    let mut all: Vec<Assignment> = assignments(n, m, true);
    let allowed = |(i, a)| problem.candidates().allows(i, a);
    all.retain(|assignment| assignment.pairs().all(allowed));
    all
}

/// The best objective of all feasible assignments.
fn optimum(case: &Case) -> f64 {
    let sense = case.problem.sense();
    let feasible = every(&case.problem).into_iter();
    let feasible = feasible.filter(|assignment| case.problem.is_feasible(assignment));
    let values = feasible.map(|assignment| (case.objective)(&assignment));
    let better = |x, y| if sense.better(y, x) { y } else { x };
    values.reduce(better).unwrap()
}

/// A solution, or `None` when the solver says that it does not take such problems.
fn solve(solver: &dyn Solver, problem: &Problem, start: &Start<'_>) -> Option<Solution> {
    solver.accepts(problem).ok()?;
    match solver.solve(problem, start, &Monitor::silent()) {
        Ok(solution) => Some(solution),
        Err(error) => panic!("{}: {error}", solver.info().name),
    }
}

#[test]
fn what_is_accepted_is_solved_and_the_rest_could_not_be() {
    let mut cases = cases();
    for is_symmetric in [true, false] {
        cases.extend([
            few_candidates(product(4, 5, Sense::Maximise, is_symmetric, 17)),
            partial(product(5, 4, Sense::Minimise, is_symmetric, 18)),
            sparse_product(5, 5, Sense::Maximise, is_symmetric, 19),
            sparse_product(3, 5, Sense::Minimise, is_symmetric, 20),
        ]);
    }
    for solver in registry::all() {
        let info = solver.info();
        let mut refused = 0;
        for case in &cases {
            let label = format!("{} on {}", info.name, case.name);
            let (problem, start) = (&case.problem, Start::seeded(3));
            let solved = solver.solve(problem, &start, &Monitor::silent());
            match solver.accepts(problem) {
                Ok(()) => assert!(solved.is_ok(), "{label}: {solved:?}"),
                Err(reason) => {
                    refused += 1;
                    // The reason is what the caller of `solve` reads, and the algorithm itself
                    // could do nothing with the problem.
                    assert!(matches!(
                        reason,
                        Error::Parameter {
                            name: "problem",
                            ..
                        }
                    ));
                    assert_eq!(
                        solved.unwrap_err().to_string(),
                        reason.to_string(),
                        "{label}"
                    );
                    let forced = solver.solve_accepted(problem, &start, &Monitor::silent());
                    assert!(forced.is_err(), "{label}");
                }
            }
        }
        assert_eq!(
            refused == 0,
            info.accepts.starts_with("all"),
            "{}",
            info.name
        );
        assert!(refused < cases.len(), "{}", info.name);
    }
}

#[test]
fn brute_force_visits_every_partial_assignment() {
    // Σ_k C(n,k) C(m,k) k!: 34 for 3×3 and 209 for 4×4.
    for (n, count) in [(3, 34), (4, 209)] {
        assert_eq!(every(&separable(n, n, 1).problem).len(), count);
    }
}

#[test]
fn objectives_are_recounted_and_never_beat_the_optimum() {
    for case in cases() {
        let best = optimum(&case);
        let sense = case.problem.sense();
        let slack = 1e-9 * (1.0 + best.abs());
        for solver in registry::all() {
            let label = format!("{} on {}", solver.info().name, case.name);
            let Some(solution) = solve(solver.as_ref(), &case.problem, &Start::seeded(3)) else {
                continue;
            };
            assert!(case.problem.is_feasible(&solution.assignment), "{label}");
            let recounted = (case.objective)(&solution.assignment);
            let off = (solution.objective - recounted).abs();
            assert!(off <= slack, "{label}: {} {recounted}", solution.objective);
            assert!(
                sense.sign() * solution.objective <= sense.sign() * best + slack,
                "{label}: {} beats {best}",
                solution.objective
            );
            assert!(!solution.status.was_interrupted(), "{label}");
        }
    }
}

/// A kernel problem whose only perfect assignment is known, its anchors folded in.
fn isomorphic(n: usize, separable: bool) -> (Problem, Assignment) {
    let x = symmetric(n, 42);
    let order: Vec<usize> = (0..n).map(|i| (5 * i + 3) % n).collect();
    let y = x.select(&order, &order);
    let place = inverse(&order);
    let kernel = GaussianKernel::new(0.02).unwrap();
    let affinity = |p, q| kernel.evaluate(p, q);
    let folded = fold_anchors(&x, &y, &[(0, place[0]), (4, place[4])], affinity).unwrap();
    let truth = folded
        .source
        .iter()
        .map(|&i| folded.target.iter().position(|&a| a == place[i]))
        .collect();
    let monitor = Monitor::silent();
    let problem = if separable {
        let pairwise = SeparablePairwise::new(folded.x, folded.y, kernel, 1e-6, &monitor).unwrap();
        Problem::maximise(folded.unary, Box::new(pairwise))
    } else {
        let pairwise =
            ExplicitPairwise::from_values(&folded.x, &folded.y, affinity, &monitor).unwrap();
        Problem::maximise(folded.unary, Box::new(pairwise))
    };
    (problem.unwrap(), truth)
}

#[test]
fn an_easy_isomorphism_is_found() {
    for separable in [false, true] {
        let (problem, truth) = isomorphic(14, separable);
        for solver in registry::all() {
            if let Some(solution) = solve(solver.as_ref(), &problem, &Start::seeded(1)) {
                assert_eq!(solution.assignment, truth, "{}", solver.info().name);
            }
        }
    }
}

#[test]
fn results_depend_on_the_seed_alone() {
    // Large enough that products with an explicit W run on many threads.
    let (explicit, _) = isomorphic(26, false);
    let (separable, _) = isomorphic(26, true);
    let qap = product(12, 12, Sense::Minimise, true, 5).problem;
    for problem in [&explicit, &separable, &qap] {
        for solver in registry::all() {
            let found = on_any_threads(|| solve(solver.as_ref(), problem, &Start::seeded(11)));
            let late = found.is_some_and(|solution| solution.status == Status::TimeLimit);
            assert!(!late, "{} set itself a time limit", solver.info().name);
        }
    }
}
