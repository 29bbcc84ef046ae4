//! What is kept of moves within lists against a look at all of them.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::problems::{all_sorts, enumerate};
use super::{silent, steps};
use crate::problem::Coverage;
use crate::solver::listed::{Outdated, Tournament};
use crate::solver::local::{Local, Step};
use crate::solver::starting::random_assignment;
use crate::solver::{Anneal, Faq, Solver, Start, Status};

#[test]
fn the_best_move_that_is_kept_is_the_best_of_all() {
    for (number, problem) in all_sorts(&[(7, 7), (5, 9), (9, 5)], 3).iter().enumerate() {
        let Some(lists) = problem.candidates().lists() else {
            continue;
        };
        let mut random = ChaCha8Rng::seed_from_u64(number as u64);
        let first = random_assignment(problem, &mut random).unwrap();
        let mut local = Local::new(problem, &first, &silent()).unwrap();
        local.note_changes();
        let mut outdated = Outdated::all(lists);
        let mut kept = Tournament::new(lists.rows());
        for _ in 0..300 {
            outdated.follow(&mut local);
            while let Some(row) = outdated.pop() {
                let mut best: Option<(Step, f64)> = None;
                local.each_step(row, row, |step, gain| {
                    if best.is_none_or(|(_, most)| gain > most) {
                        best = Some((step, gain));
                    }
                });
                kept.set(row, best);
            }
            let all = steps(&local);
            let most = all
                .iter()
                .map(|step| step.1)
                .fold(f64::NEG_INFINITY, f64::max);
            match kept.best_from(0) {
                None => assert!(all.is_empty()),
                Some((step, gain)) => {
                    assert!((gain - most).abs() < 1e-9, "{number}: {gain} {most}");
                    assert!(local.permits(step));
                    assert!((local.change(step) - gain).abs() < 1e-9);
                }
            }
            if all.is_empty() {
                break;
            }
            local.make(all[random.random_range(0..all.len())].0);
        }
    }
}

#[test]
fn annealing_within_lists_finds_optima_that_moves_lead_to() {
    let mut problems = Vec::new();
    for seed in 0..4 {
        problems.extend(all_sorts(&[(4, 4), (3, 6), (6, 3), (5, 5)], 40 + seed));
    }
    let (mut tried, mut missed) = (0, 0);
    for (number, problem) in problems.iter().enumerate() {
        if problem.candidates().is_all() {
            continue;
        }
        let start = Start::seeded(number as u64);
        let solution = Anneal::default().solve(problem, &start, &silent()).unwrap();
        assert!(problem.is_feasible(&solution.assignment));
        assert_eq!(problem.objective(&solution.assignment), solution.objective);
        assert_eq!(solution.status, Status::IterationLimit);
        let want = enumerate(problem);
        let sign = problem.sense().sign();
        let gap = sign * (want - solution.objective);
        assert!(gap > -1e-6, "{number}: {want} {}", solution.objective);
        if problem.coverage() == Coverage::Partial {
            tried += 1;
            missed += usize::from(gap > 1e-6);
        } else {
            // Exchanges alone do not lead everywhere; but no search goes back from where it began.
            let begin = Faq {
                max_iterations: 6,
                ..Faq::default()
            };
            let begin = begin.solve(problem, &start, &silent()).unwrap();
            assert!(sign * (solution.objective - begin.objective) > -1e-6);
        }
    }
    // Chance may miss one; of a hundred, not many.
    assert!(tried > 100 && 50 * missed <= tried, "{missed} of {tried}");
}

#[test]
fn annealing_within_lists_takes_what_it_refuses_elsewhere() {
    for problem in all_sorts(&[(4, 4)], 7) {
        let accepted = Anneal::default().accepts(&problem).is_ok();
        let is_product = problem.pairwise().as_product().is_some();
        let is_listed = !problem.candidates().is_all();
        let is_full = problem.coverage() == Coverage::Full;
        assert_eq!(accepted, is_listed || (is_product && is_full));
    }
}
