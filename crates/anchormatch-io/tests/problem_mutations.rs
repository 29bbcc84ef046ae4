//! Damaged problem files: whatever the bytes, a reader returns, and what it accepts is a problem.

// The lint spares test functions but not their helpers.
#![allow(clippy::unwrap_used)]

use anchormatch::Assignment;
use anchormatch::problem::Problem;
use anchormatch_invariants::damage::{Damage, assert_one_line};
use anchormatch_io::{ProblemFormat, ProblemOptions, read_problem_from, read_qap_solution_from};

const MUTATIONS: usize = 4000;

const DD: &str = "c small\np 3 2 4 3\ni0 0 1.5 2\na 0 0 0 -1.5\na 1 0 1 2e1\na 2 1 1 .5\n\
                  a 3 2 0 0\nn0 0 1\ne 0 2 -1\ne 1 3 2.25\ne 0 1 7\n";
const PAIRS: &str = "gm 0 1\np 2 2 2 1\na 1 1 1 1\na 0 0 0 2\ne 0 1 3\n\ngm 0 2\np 1 1 1 0\n\
                     a 0 0 0 4\n\ngm 1 2\np 0 3 0 0\n";
const DAT: &str = "3\n\n0 1 2\n1 0 3\n2.5 3e0 0\n\n0 -5 2\r\n5 0 0\n2 0 7\n";
const PRODUCT: &str = r#"{"version": 1, "sense": "minimise", "coverage": "partial", "constant": -1.5,
  "candidates": [[0, 0], [0, 1], [1, 1]],
  "kind": {"product": {"a": {"dense": [[0, 1], [1.5, 0]]},
  "b": {"sparse": {"nodes": 2, "entries": [[0, 1, 2], [1, 0, 3]]}}, "linear": [[1, 0], [0, 1]]}}}"#;
const LISTED: &str = r#"{"version":1,"sense":"maximise","kind":{"listed":{"rows":2,"cols":2,
  "assignments":[[0,0,1],[1,1,2],[1,0,-3e-1]],"pairs":[[0,1,5],[0,2,1]]}}}"#;
const KERNEL: &str = r#"{"version":1,"sense":"maximise","kind":{"kernel":{"x":[[0,1],[1,0]],
  "y":[[0,2,1],[2,0,3],[1,3,0]],"bandwidth":2.5,"tolerance":1e-4,"unary":[[1,0,2],[0,1,0]]}}}"#;
const EXPLICIT: &str = r#"{"version":1,"sense":"minimise","kind":{"explicit":{"rows":2,"cols":2,
  "w":[[1,0,0,3],[0,0,4,0],[0,4,0,0],[3,0,0,2]],"unary":[[1,2],[3,4]]}}}"#;

/// Small, finite, and usable: one greedy assignment and one product.
fn assert_sound(problem: &Problem) {
    let (n, m) = problem.shape();
    assert!(n * m <= 1 << 21 && n + m <= 1 << 20, "{n}×{m}");
    assert_eq!(problem.pairwise().shape(), (n, m));
    assert!(problem.unary().occurring().all(f64::is_finite));
    assert!(problem.constant().is_finite());
    let mut free: Vec<bool> = vec![true; m];
    let assignment: Assignment = (0..n)
        .map(|i| {
            let partner = problem.candidates().of_row(i).find(|&a| free[a]);
            partner.inspect(|&a| free[a] = false)
        })
        .collect();
    let _ = problem.objective(&assignment);
    let mut out = vec![0.0; n * m];
    let mut scratch = vec![0.0; problem.pairwise().scratch_len()];
    problem.apply(&vec![1.0; n * m], &mut out, &mut scratch);
}

fn storm(text: &str, format: ProblemFormat, seed: u64, least: usize) {
    let mut options = ProblemOptions {
        max_memory: Some(16 << 20),
        ..ProblemOptions::default()
    };
    for problem in read_problem_from(text.as_bytes(), "file", &options).unwrap() {
        assert_eq!(problem.format, format);
        assert_sound(&problem.problem);
    }
    let mut damage = Damage::new(seed);
    let (mut accepted, mut refused) = (0, 0);
    for round in 0..MUTATIONS {
        let mut bytes = text.as_bytes().to_vec();
        damage.strike(&mut bytes);
        // By the format that is known, and by the one that the damage suggests.
        options.format = (round % 2 == 0).then_some(format);
        match read_problem_from(&bytes[..], "file", &options) {
            Ok(problems) => {
                assert!(!problems.is_empty());
                problems.iter().for_each(|p| assert_sound(&p.problem));
                accepted += 1;
            }
            Err(error) => {
                assert_one_line(&error.to_string(), "file");
                refused += 1;
            }
        }
    }
    // Both ways out were really taken.
    assert!(accepted > least && refused > 100, "{accepted} {refused}");
}

#[test]
fn dd_survives_damage() {
    storm(DD, ProblemFormat::Dd, 1, 100);
    storm(PAIRS, ProblemFormat::Dd, 2, 100);
}

#[test]
fn qaplib_survives_damage() {
    storm(DAT, ProblemFormat::Qaplib, 3, 100);
}

#[test]
fn saved_problems_survive_damage() {
    storm(PRODUCT, ProblemFormat::Json, 4, 50);
    storm(LISTED, ProblemFormat::Json, 5, 50);
    storm(KERNEL, ProblemFormat::Json, 6, 50);
    storm(EXPLICIT, ProblemFormat::Json, 7, 50);
}

#[test]
fn solutions_survive_damage() {
    let text = "  5   173\n 3,1, 5\n 2 4\n";
    let mut damage = Damage::new(8);
    let (mut accepted, mut refused) = (0, 0);
    for _ in 0..MUTATIONS {
        let mut bytes = text.as_bytes().to_vec();
        damage.strike(&mut bytes);
        match read_qap_solution_from(&bytes[..], "file") {
            Ok(solution) => {
                accepted += 1;
                assert!(solution.cost.is_finite());
                let mut sorted = solution.permutation.clone();
                sorted.sort_unstable();
                assert!(sorted.into_iter().eq(0..solution.n));
            }
            Err(error) => {
                refused += 1;
                assert_one_line(&error.to_string(), "file");
            }
        }
    }
    assert!(accepted > 100 && refused > 100, "{accepted} {refused}");
}
