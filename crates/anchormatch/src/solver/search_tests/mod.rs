//! What all searches must do: book-keeping against recounts, optima against enumeration.

mod first;
mod frontier;
mod problems;

use anchormatch_invariants::shapes::on_any_threads;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use self::problems::{
    KINDS, all_sorts, enumerate, listed, neighbours, problem, with_few_candidates,
};
use super::local::{Local, Step};
use super::starting::{completed, crossed, random_assignment, shaken};
use super::swaps::Swaps;
use super::{Ils, Portfolio, Solver, Start, Status, Tabu, TwoOpt};
use crate::assignment::Assignment;
use crate::monitor::{CancelToken, Monitor};
use crate::problem::{Candidates, Coverage};

/// Every move from where `local` stands.
fn steps(local: &Local<'_>) -> Vec<(Step, f64)> {
    let mut steps = Vec::new();
    for i in 0..local.shape().0 {
        local.each_step(i, i, |step, gain| steps.push((step, gain)));
    }
    steps
}

fn silent() -> Monitor {
    Monitor::silent()
}

#[test]
fn moves_gain_what_a_recount_says() {
    let shapes = [(1, 1), (4, 4), (3, 6), (6, 3), (1, 4)];
    for (number, problem) in all_sorts(&shapes, 5).iter().enumerate() {
        let mut random = ChaCha8Rng::seed_from_u64(number as u64);
        let first = random_assignment(problem, &mut random).unwrap();
        assert!(problem.is_feasible(&first));
        let mut local = Local::new(problem, &first, &silent()).unwrap();
        let sign = problem.sense().sign();
        for _ in 0..40 {
            let before = problem.objective(&local.assignment());
            assert!((sign * (before - problem.constant()) - local.gain()).abs() < 1e-6);
            let steps = steps(&local);
            let mut reached = Vec::new();
            for &(step, gain) in &steps {
                assert!(local.permits(step));
                let mut next = Local::new(problem, &local.assignment(), &silent()).unwrap();
                assert!((next.change(step) - gain).abs() < 1e-9);
                next.make(step);
                let after = problem.objective(&next.assignment());
                assert!((sign * (after - before) - gain).abs() < 1e-6, "{step:?}");
                reached.push(next.assignment());
            }
            // The moves are exactly the neighbours.
            for neighbour in neighbours(problem, &local.assignment()) {
                assert!(reached.contains(&neighbour), "{neighbour:?}");
            }
            for next in &reached {
                assert!(problem.is_feasible(next));
            }
            if steps.is_empty() {
                break;
            }
            local.make(steps[random.random_range(0..steps.len())].0);
        }
    }
}

#[test]
fn thousands_of_moves_leave_no_drift() {
    for (number, problem) in all_sorts(&[(7, 7), (5, 9)], 11).iter().enumerate() {
        let mut random = ChaCha8Rng::seed_from_u64(number as u64);
        let first = random_assignment(problem, &mut random).unwrap();
        let mut local = Local::new(problem, &first, &silent()).unwrap();
        for _ in 0..5000 {
            let steps = steps(&local);
            local.make(steps[random.random_range(0..steps.len())].0);
        }
        let fresh = Local::new(problem, &local.assignment(), &silent()).unwrap();
        assert!((local.gain() - fresh.gain()).abs() < 1e-7);
        let (mine, theirs) = (steps(&local), steps(&fresh));
        assert_eq!(mine.len(), theirs.len());
        for (x, y) in mine.iter().zip(&theirs) {
            assert_eq!(x.0, y.0);
            assert!((x.1 - y.1).abs() < 1e-7);
        }
    }
}

#[test]
fn the_matrix_of_exchanges_is_a_recount() {
    for shape in [(2, 2), (7, 7), (5, 11), (11, 5), (9, 9), (17, 17)] {
        for kind in 0..5 {
            let problem = problem(kind, shape, kind as u64);
            assert!(Swaps::suit(&problem));
            let mut random = ChaCha8Rng::seed_from_u64(1);
            let first = random_assignment(&problem, &mut random).unwrap();
            let mut swaps = Swaps::new(&problem, &first, &silent()).unwrap();
            let (real, nodes) = swaps.sizes();
            let sign = problem.sense().sign();
            for round in 0..9000 {
                if round % 1000 == 3 || round > 8998 {
                    let now = swaps.assignment(swaps.partners());
                    assert!(problem.is_feasible(&now));
                    let value = problem.objective(&now);
                    assert!((sign * (value - 3.0) - swaps.gain()).abs() < 1e-6);
                    for i in 0..nodes {
                        for j in 0..swaps.stride() {
                            let delta = swaps.deltas()[i * swaps.stride() + j];
                            if i < j && i < real && j < nodes {
                                let mut next = swaps.partners().to_vec();
                                next.swap(i, j);
                                let after = problem.objective(&swaps.assignment(&next));
                                assert!((sign * (after - value) - delta).abs() < 1e-6);
                            } else {
                                assert_eq!(delta, f64::NEG_INFINITY);
                            }
                        }
                    }
                }
                let i = random.random_range(0..real);
                let j = (i + random.random_range(1..nodes)) % nodes;
                if i.min(j) < real {
                    swaps.swap(i.min(j), i.max(j));
                }
            }
        }
    }
}

#[test]
fn other_forms_go_the_general_way() {
    assert!(!Swaps::suit(&problem(5, (4, 4), 0)));
    assert!(!Swaps::suit(&problem(0, (3, 40), 0)));
    assert!(!Swaps::suit(&problem(0, (0, 4), 0)));
    assert!(!Swaps::suit(
        &problem(0, (4, 4), 0).with_coverage(Coverage::Partial)
    ));
    assert!(!Swaps::suit(&with_few_candidates(problem(0, (4, 4), 0), 1)));
}

#[test]
fn tabu_and_portfolio_find_every_optimum() {
    let mut problems = Vec::new();
    for seed in 0..50 {
        problems.push(problem(seed % 6, (6, 6), seed as u64));
        problems.push(listed(5, 5, seed as u64));
    }
    for seed in 0..4 {
        problems.extend(all_sorts(&[(4, 4), (3, 6), (6, 3)], seed));
        problems.extend((0..KINDS).map(|kind| problem(kind, (7, 7), seed)));
    }
    for (number, problem) in problems.iter().enumerate() {
        let want = enumerate(problem);
        for solver in [
            &Portfolio::default() as &dyn Solver,
            &Tabu {
                iterations: Some(3000),
                ..Tabu::default()
            },
            &Ils::default(),
        ] {
            let solution = solver
                .solve(problem, &Start::seeded(number as u64), &silent())
                .unwrap();
            assert!(problem.is_feasible(&solution.assignment));
            assert_eq!(problem.objective(&solution.assignment), solution.objective);
            let name = solver.info().name;
            let gap = problem.sense().sign() * (want - solution.objective);
            assert!(
                gap.abs() < 1e-6,
                "{name} {number}: {want} {}",
                solution.objective
            );
        }
    }
}

#[test]
fn local_search_ends_where_no_move_improves() {
    for (number, problem) in all_sorts(&[(5, 5), (4, 7), (7, 4)], 21).iter().enumerate() {
        let start = Start::seeded(number as u64);
        let solution = TwoOpt::default().solve(problem, &start, &silent()).unwrap();
        assert_eq!(solution.status, Status::Converged);
        assert!(problem.is_feasible(&solution.assignment));
        let sign = problem.sense().sign();
        for neighbour in neighbours(problem, &solution.assignment) {
            let change = sign * (problem.objective(&neighbour) - solution.objective);
            assert!(change < 1e-6, "{number}: {change}");
        }
        let values = &solution.convergence;
        assert!(values.windows(2).all(|w| sign * w[1] > sign * w[0]));
        assert_eq!(values.len(), solution.iterations + 1);
        // From there no search goes back, and local search stays.
        let there = Start {
            assignment: Some(&solution.assignment),
            ..start
        };
        for solver in searches() {
            let again = solver.solve(problem, &there, &silent()).unwrap();
            assert!(sign * again.objective >= sign * solution.objective - 1e-9);
        }
        let stays = TwoOpt::default().solve(problem, &there, &silent()).unwrap();
        assert_eq!(stays.assignment, solution.assignment);
        let cut = TwoOpt {
            max_moves: Some(0),
            ..TwoOpt::default()
        };
        let cut = cut.solve(problem, &start, &silent()).unwrap();
        assert_eq!(cut.iterations, 0);
    }
}

fn searches() -> Vec<Box<dyn Solver>> {
    vec![
        Box::new(TwoOpt::default()),
        Box::new(Ils::default()),
        Box::new(Tabu::default()),
        Box::new(Portfolio::default()),
    ]
}

#[test]
fn threads_change_nothing() {
    let problems = [
        problem(0, (14, 14), 3),
        problem(4, (9, 12), 4),
        listed(9, 8, 5),
    ];
    for problem in &problems {
        for solver in searches() {
            on_any_threads(|| solver.solve(problem, &Start::seeded(9), &silent()).unwrap());
        }
    }
}

#[test]
fn nothing_and_almost_nothing_have_answers() {
    for shape in [(0, 0), (0, 3), (3, 0), (1, 1), (1, 3), (3, 1), (2, 2)] {
        for coverage in [Coverage::Full, Coverage::Partial] {
            for kind in [0, 4, 5] {
                let problem = problem(kind, shape, 2).with_coverage(coverage);
                let want = enumerate(&problem);
                for solver in searches() {
                    let solution = solver
                        .solve(&problem, &Start::seeded(1), &silent())
                        .unwrap();
                    assert!(problem.is_feasible(&solution.assignment));
                    if solver.info().name != "2opt" {
                        assert!((solution.objective - want).abs() < 1e-9, "{shape:?}");
                    }
                }
            }
        }
    }
    // No candidate at all.
    let none = Candidates::listed(3, 3, []).unwrap();
    let problem = problem(0, (3, 3), 1).with_candidates(none).unwrap();
    for solver in searches() {
        let solution = solver
            .solve(&problem, &Start::default(), &silent())
            .unwrap();
        assert_eq!(solution.assignment, vec![None; 3]);
    }
}

#[test]
fn a_stop_returns_the_best_so_far() {
    let problem = problem(0, (20, 20), 1);
    let token = CancelToken::default();
    token.cancel();
    let cancelled = silent().cancelled_by(token);
    let late = silent().time_limit(std::time::Duration::ZERO);
    for solver in searches() {
        for (monitor, status) in [(&cancelled, Status::Cancelled), (&late, Status::TimeLimit)] {
            let solution = solver.solve(&problem, &Start::default(), monitor).unwrap();
            assert_eq!(solution.status, status, "{}", solver.info().name);
            assert!(problem.is_feasible(&solution.assignment));
        }
    }
    // With a time limit, those that can use it all do.
    for solver in &searches()[1..] {
        let monitor = silent().time_limit(std::time::Duration::from_millis(20));
        let solution = solver.solve(&problem, &Start::default(), &monitor).unwrap();
        assert_eq!(solution.status, Status::TimeLimit);
        assert!(problem.is_feasible(&solution.assignment));
    }
}

#[test]
fn a_limit_of_iterations_is_kept() {
    let problem = problem(0, (12, 12), 1);
    for total in [0, 1, 7, 1000, 1001] {
        let solver = Portfolio {
            iterations: Some(total),
            patience: usize::MAX,
            ..Portfolio::default()
        };
        let solution = solver
            .solve(&problem, &Start::default(), &silent())
            .unwrap();
        assert_eq!(solution.iterations, total);
        assert_eq!(solution.status, Status::IterationLimit);
        let tabu = Tabu {
            iterations: Some(total),
            ..Tabu::default()
        };
        let solution = tabu.solve(&problem, &Start::default(), &silent()).unwrap();
        assert_eq!(solution.iterations, total);
    }
}

#[test]
fn bad_parameters_and_starts_are_refused() {
    let problem = problem(0, (4, 4), 1);
    let bad: Vec<Box<dyn Solver>> = vec![
        Box::new(Tabu {
            tenure: (f64::NAN, 1.0),
            ..Tabu::default()
        }),
        Box::new(Tabu {
            tenure: (2.0, 1.0),
            ..Tabu::default()
        }),
        Box::new(Portfolio {
            searches: 0,
            ..Portfolio::default()
        }),
        Box::new(Portfolio {
            elites: 0,
            ..Portfolio::default()
        }),
    ];
    for solver in bad {
        assert!(
            solver
                .solve(&problem, &Start::default(), &silent())
                .is_err()
        );
    }
    let twice = Assignment::from([Some(1), Some(1), None, None]);
    let start = Start::default().with_assignment(&twice);
    let tight = silent().max_memory(100);
    for solver in searches() {
        assert!(solver.solve(&problem, &start, &silent()).is_err());
        let error = solver.solve(&problem, &Start::default(), &tight);
        assert!(error.unwrap_err().to_string().contains("a search over 4×4"));
    }
}

#[test]
fn starts_are_feasible_and_inherit() {
    for (number, problem) in all_sorts(&[(5, 5), (4, 7), (7, 4)], 31).iter().enumerate() {
        let mut random = ChaCha8Rng::seed_from_u64(number as u64);
        let [first, second] = [0; 2].map(|_| random_assignment(problem, &mut random).unwrap());
        let full = first.matched();
        let child = crossed(problem, [&first, &second], &mut random).unwrap();
        let moved = shaken(problem, &first, 5, &mut random);
        for next in [&child, &moved] {
            assert!(problem.is_feasible(next));
            if problem.coverage() == Coverage::Full {
                assert_eq!(next.matched(), full);
            }
        }
        assert_eq!(
            crossed(problem, [&first, &first], &mut random).unwrap(),
            first
        );
        let filled = completed(problem, &Assignment::empty(first.rows())).unwrap();
        assert!(problem.is_feasible(&filled));
        if problem.coverage() == Coverage::Full {
            assert_eq!(filled.matched(), full);
        }
    }
}
