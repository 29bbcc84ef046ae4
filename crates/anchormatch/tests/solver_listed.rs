//! Solvers over listed candidates: memory that follows the lists, and the same answers as over all pairs.

#![allow(clippy::unwrap_used)]

use anchormatch::linalg::{Csr, Matrix, PairValues};
use anchormatch::monitor::CancelToken;
use anchormatch::problem::{Candidates, Coverage, Problem, ProductPairwise, Sense, Weights};
use anchormatch::solver::{OnLists, Solution, Solver, Start, Status, registry};
use anchormatch::{Assignment, Error, Monitor};
use anchormatch_invariants::shapes::{noise, on_any_threads, order};
use serde_json::json;

/// The solvers that are promised to work on lists.
const ON_LISTS: [&str; 7] = [
    "2opt",
    "ils",
    "tabu",
    "anneal",
    "portfolio",
    "faq",
    "mean-field",
];

/// Two random graphs of degree about 8, one a noisy copy of the other, and some candidates for each node, the
/// right one among them.
fn twins(n: usize, candidates: usize, sense: Sense) -> (Problem, Assignment) {
    let place = order(n, 5);
    let (mut one, mut two) = (Vec::new(), Vec::new());
    for edge in 0..4 * n {
        let node = |end: usize| ((noise(edge, end, 1) * n as f64) as usize).min(n - 1);
        let (i, j) = (node(0), node(1));
        if i == j {
            continue;
        }
        if noise(edge, 2, 1) < 0.95 {
            one.extend([(i, j, 1.0), (j, i, 1.0)]);
        }
        if noise(edge, 3, 1) < 0.95 {
            two.extend([(place[i], place[j], 1.0), (place[j], place[i], 1.0)]);
        }
    }
    let factor = sense.sign();
    let weights = |entries: Vec<(usize, usize, f64)>, factor: f64| {
        let scaled = entries.into_iter().map(|(i, j, w)| (i, j, factor * w));
        Weights::Sparse(Csr::from_triplets(n, n, scaled).unwrap())
    };
    let (pairwise, unary) = ProductPairwise::new(weights(one, factor), weights(two, 1.0)).unwrap();
    let pairs = (0..n).flat_map(|i| {
        let others = (1..candidates).map(move |k| (noise(i, k, 2) * n as f64) as usize);
        others.chain([place[i]]).map(move |a| (i, a))
    });
    let candidates = Candidates::listed(n, n, pairs.collect::<Vec<_>>()).unwrap();
    let problem = Problem::new(sense, unary, Box::new(pairwise)).unwrap();
    let problem = problem.with_candidates(candidates).unwrap();
    (problem, place.into_iter().map(Some).collect())
}

/// The solver with settings that keep a large problem short.
fn quick(name: &str) -> Box<dyn Solver> {
    let settings = match name {
        "tabu" => json!({ "iterations": 4000 }),
        "ils" => json!({ "kicks": 5 }),
        "portfolio" => json!({ "iterations": 4000, "searches": 2 }),
        "anneal" => json!({ "sweeps": 20, "samples": 5, "rounds": 2, "opening": 2 }),
        "faq" => json!({ "max_iterations": 8 }),
        "mean-field" => json!({ "steps": 30 }),
        _ => json!({}),
    };
    registry::configured(name, settings.as_object().unwrap()).unwrap()
}

fn check(name: &str, problem: &Problem, solution: &Solution) {
    assert!(problem.is_feasible(&solution.assignment), "{name}");
    assert_eq!(
        solution.objective,
        problem.objective(&solution.assignment),
        "{name}"
    );
    if let Some(soft) = &solution.soft {
        let PairValues::Listed { listed, others } = soft else {
            panic!("{name} fills up its soft values");
        };
        assert_eq!(*others, 0.0);
        assert!(
            listed
                .values()
                .iter()
                .all(|v| (0.0..=1.0 + 1e-9).contains(v))
        );
        for side in [listed, &listed.transposed()] {
            for i in 0..side.rows() {
                let sum: f64 = side.parts(i).1.iter().sum();
                assert!(sum <= 1.0 + 1e-6, "{name}: {sum}");
            }
        }
    }
}

#[test]
fn large_lists_need_little_memory() {
    // All pairs would take 3.2 GB.
    let n = 20_000;
    let monitor = Monitor::silent().max_memory(300 << 20);
    let (full, truth) = twins(n, 8, Sense::Maximise);
    let best = full.objective(&truth);
    let partial = twins(n, 8, Sense::Maximise).0;
    let partial = partial.with_coverage(Coverage::Partial);
    for (problem, names) in [(full, &ON_LISTS[..]), (partial, &ON_LISTS[..3])] {
        let coverage = problem.coverage();
        for &name in names {
            let solver = quick(name);
            let solution = solver.solve(&problem, &Start::seeded(1), &monitor);
            let solution = solution.unwrap_or_else(|error| panic!("{name}: {error}"));
            check(name, &problem, &solution);
            assert!(!solution.status.was_interrupted(), "{name}");
            // A random choice has an eighth of the pairs right, and next to no edge. Where everybody is to be
            // matched, lists that are random leave next to no exchange.
            let least = match (name, coverage) {
                ("tabu", Coverage::Partial) => 0.1,
                ("2opt" | "ils", Coverage::Partial) => 0.5,
                ("2opt" | "ils" | "tabu", Coverage::Full) => 0.005,
                _ => 0.9,
            };
            let share = solution.objective / best;
            assert!(share > least, "{name}: {share}");
        }
    }
}

#[test]
fn solvers_are_what_they_say_of_lists() {
    // A matrix of all pairs takes 72 MB.
    let (problem, _) = twins(3000, 4, Sense::Minimise);
    let monitor = Monitor::silent().max_memory(40 << 20);
    for solver in registry::all() {
        let info = solver.info();
        let on_lists = info.candidates == OnLists::Listed;
        assert_eq!(on_lists, ON_LISTS.contains(&info.name), "{}", info.name);
        let solver = quick(info.name);
        let solved = solver.solve(&problem, &Start::seeded(2), &monitor);
        if on_lists {
            check(info.name, &problem, &solved.unwrap());
        } else {
            let error = solved.map(|_| ()).unwrap_err();
            assert!(matches!(error, Error::Memory { .. }), "{error}");
            let message = error.to_string();
            assert!(message.contains(info.name), "{message}");
            assert!(message.contains("listed pairs"), "{message}");
        }
    }
}

#[test]
fn threads_change_no_bit() {
    for coverage in [Coverage::Full, Coverage::Partial] {
        let (problem, _) = twins(400, 6, Sense::Maximise);
        let problem = problem.with_coverage(coverage);
        for name in ON_LISTS {
            let solver = quick(name);
            on_any_threads(|| {
                let solution = solver.solve(&problem, &Start::seeded(4), &Monitor::silent());
                let solution = solution.unwrap();
                check(name, &problem, &solution);
                let soft = solution.soft.map(|soft| {
                    let values = soft.occurring().map(f64::to_bits);
                    values.collect::<Vec<_>>()
                });
                (solution.assignment, solution.objective.to_bits(), soft)
            });
        }
    }
}

#[test]
fn a_stop_returns_something() {
    let (problem, _) = twins(500, 6, Sense::Maximise);
    let token = CancelToken::default();
    token.cancel();
    let cancelled = Monitor::silent().cancelled_by(token);
    let late = Monitor::silent().time_limit(std::time::Duration::ZERO);
    for name in ON_LISTS {
        for (monitor, status) in [(&cancelled, Status::Cancelled), (&late, Status::TimeLimit)] {
            let solver = registry::by_name(name).unwrap();
            let solution = solver.solve(&problem, &Start::seeded(1), monitor).unwrap();
            assert_eq!(solution.status, status, "{name}");
            check(name, &problem, &solution);
        }
    }
}

#[test]
fn a_cancelled_search_stops_in_the_middle() {
    let (problem, _) = twins(2000, 8, Sense::Maximise);
    for name in ON_LISTS {
        // After the first report somebody has enough.
        let token = CancelToken::default();
        let (counted, reports) = (token.clone(), std::sync::atomic::AtomicUsize::new(0));
        let monitor = Monitor::silent().cancelled_by(token).observe(move |_| {
            if reports.fetch_add(1, std::sync::atomic::Ordering::Relaxed) == 0 {
                counted.cancel();
            }
        });
        let solver = registry::by_name(name).unwrap();
        let solution = solver.solve(&problem, &Start::seeded(1), &monitor).unwrap();
        assert_eq!(solution.status, Status::Cancelled, "{name}");
        check(name, &problem, &solution);
    }
}

/// A dense problem, and the same with every pair listed.
fn both(n: usize, m: usize, sense: Sense, seed: u64) -> (Problem, Problem) {
    let make = || {
        let weights = |n: usize, seed: u64| {
            let value = |i: usize, j: usize| noise(i.min(j), i.max(j), seed);
            Weights::sparse(&Matrix::from_fn(n, n, |i, j| {
                if i == j || value(i, j) < 0.5 {
                    0.0
                } else {
                    value(i, j)
                }
            }))
        };
        let linear = Matrix::from_fn(n, m, |i, a| noise(i, a, seed + 1));
        let (a, b) = (weights(n, seed), weights(m, seed + 2));
        ProductPairwise::problem(sense, a, b, Some(&linear)).unwrap()
    };
    let pairs = (0..n * m).map(|p| (p / m, p % m));
    let listed = make().with_candidates(Candidates::listed(n, m, pairs).unwrap());
    (make(), listed.unwrap())
}

#[test]
fn with_every_pair_listed_relaxations_are_those_of_matrices() {
    for sense in [Sense::Maximise, Sense::Minimise] {
        for (n, m) in [(12, 12), (8, 13), (13, 8)] {
            for seed in 0..4 {
                let (full, listed) = both(n, m, sense, seed);
                for name in ["faq", "mean-field"] {
                    let solver = registry::by_name(name).unwrap();
                    let on = |problem| {
                        let start = Start::seeded(seed);
                        solver.solve(problem, &start, &Monitor::silent()).unwrap()
                    };
                    let (one, two) = (on(&full), on(&listed));
                    check(name, &listed, &two);
                    assert_eq!(one.assignment, two.assignment, "{name} {n}×{m} {seed}");
                    let (x, y) = (one.soft.unwrap(), two.soft.unwrap());
                    for (x, y) in x.iter().zip(y.iter()) {
                        assert!((x - y).abs() < 1e-6, "{name} {n}×{m} {seed}: {x} {y}");
                    }
                }
            }
        }
    }
}

#[test]
fn costs_are_affinities_with_the_other_sign() {
    let (gain, _) = twins(300, 6, Sense::Maximise);
    let (cost, _) = twins(300, 6, Sense::Minimise);
    for name in ON_LISTS {
        let solver = quick(name);
        let on = |problem| solver.solve(problem, &Start::seeded(3), &Monitor::silent());
        let (most, least) = (on(&gain).unwrap(), on(&cost).unwrap());
        assert_eq!(most.assignment, least.assignment, "{name}");
        assert_eq!(most.objective, -least.objective, "{name}");
    }
}

#[test]
fn empty_lists_and_rows_have_answers() {
    for coverage in [Coverage::Full, Coverage::Partial] {
        let (full, _) = both(5, 4, Sense::Maximise, 3);
        let lists: [&[(usize, usize)]; 3] = [&[], &[(2, 1)], &[(0, 0), (1, 0), (4, 3), (4, 0)]];
        for (pairs, want) in lists.into_iter().zip([0, 1, 2]) {
            let candidates = Candidates::listed(5, 4, pairs.iter().copied()).unwrap();
            let (problem, _) = both(5, 4, Sense::Maximise, 3);
            let problem = problem.with_candidates(candidates).unwrap();
            let problem = problem.with_coverage(coverage);
            for name in ON_LISTS {
                let solver = registry::by_name(name).unwrap();
                let solution = solver.solve(&problem, &Start::seeded(1), &Monitor::silent());
                let solution = solution.unwrap();
                check(name, &problem, &solution);
                // All values are positive: nobody who can be matched stays alone.
                assert_eq!(solution.assignment.matched(), want, "{name} {pairs:?}");
            }
        }
        assert!(full.candidates().is_all());
    }
}

#[test]
fn local_search_climbs_all_the_way() {
    let (problem, _) = twins(600, 8, Sense::Minimise);
    let problem = problem.with_coverage(Coverage::Partial);
    for first in [false, true] {
        let settings = json!({ "first_improvement": first });
        let solver = registry::configured("2opt", settings.as_object().unwrap()).unwrap();
        let solution = solver
            .solve(&problem, &Start::seeded(1), &Monitor::silent())
            .unwrap();
        assert_eq!(solution.status, Status::Converged);
        let values = &solution.convergence;
        assert!(values.len() > 20);
        assert!(values.windows(2).all(|pair| pair[1] < pair[0]));
        let last = values[values.len() - 1];
        assert!((last - solution.objective).abs() < 1e-9 * last.abs());
        // From there no move is left.
        let start = Start::seeded(2).with_assignment(&solution.assignment);
        let again = solver.solve(&problem, &start, &Monitor::silent()).unwrap();
        assert_eq!(again.assignment, solution.assignment);
    }
}
