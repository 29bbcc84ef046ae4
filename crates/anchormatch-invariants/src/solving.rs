//! Problems and what solvers make of them.

use anchormatch::problem::{Coverage, Problem};
use anchormatch::solver::{Solution, Solver, Start, registry};
use anchormatch::{Assignment, Monitor};
use anchormatch_io::{ProblemFormat, ProblemOptions, read_problem_from};

use crate::reading::{assert_message, file, memory};

/// Problems with at most this many assignments are given to a solver.
const LARGEST_SOLVED: usize = 36;

/// Reads problems in `format`, or the one that they begin like; small ones are solved by a solver
/// that the bytes pick.
///
/// # Panics
/// When a problem is not sound, its solution is not, or the refusal is no good message.
pub fn check_problem(bytes: &[u8], format: Option<ProblemFormat>) {
    let options = ProblemOptions {
        format,
        max_memory: Some(memory()),
    };
    let problems = match read_problem_from(bytes, file(), &options) {
        Ok(problems) => problems,
        Err(error) => return assert_message(&error),
    };
    assert!(
        !problems.is_empty(),
        "a file that is accepted has a problem"
    );
    let solvers = registry::all();
    let sum: usize = bytes.iter().map(|&byte| usize::from(byte)).sum();
    let solver = &solvers[sum % solvers.len()];
    for loaded in &problems {
        assert_problem(&loaded.problem);
    }
    for loaded in problems.iter().take(2) {
        let (n, m) = loaded.problem.shape();
        if n * m <= LARGEST_SOLVED {
            solve(
                solver.as_ref(),
                &loaded.problem,
                &Start::seeded(1),
                &Monitor::silent(),
            );
        }
    }
}

/// Solves and checks; `None` when the solver says that it does not take such problems.
///
/// # Panics
/// When the solution is not sound, or the solver fails on a problem that it says it takes.
pub fn solve(
    solver: &dyn Solver,
    problem: &Problem,
    start: &Start<'_>,
    monitor: &Monitor,
) -> Option<Solution> {
    let name = solver.info().name;
    if let Err(reason) = solver.accepts(problem) {
        assert!(
            !solver.info().accepts.starts_with("all"),
            "{name}: {reason}"
        );
        return None;
    }
    match solver.solve(problem, start, monitor) {
        Ok(solution) => {
            assert_solution(name, problem, &solution);
            Some(solution)
        }
        // Values whose sums leave the range of numbers can be refused, with a message.
        Err(_) if !magnitude(problem).is_finite() => None,
        Err(error) => panic!("{name}: {error}"),
    }
}

/// Finite, symmetric where it was looked at, and the product with W is made of its entries.
///
/// # Panics
/// When one of these does not hold.
pub fn assert_problem(problem: &Problem) {
    let (n, m) = problem.shape();
    let pairwise = problem.pairwise();
    assert_eq!(pairwise.shape(), (n, m));
    assert_eq!(problem.candidates().shape(), (n, m));
    assert!(problem.unary().occurring().all(f64::is_finite));
    assert!(problem.constant().is_finite());
    if n * m > LARGEST_SOLVED {
        return;
    }
    // Weights that are no permutation's, so that nothing cancels.
    let x: Vec<f64> = (0..n * m).map(|p| 1.0 / (p + 2) as f64).collect();
    let mut out = vec![0.0; n * m];
    let mut scratch = vec![0.0; pairwise.scratch_len()];
    pairwise.apply(&x, &mut out, &mut scratch);
    let (low, high) = pairwise.bounds();
    let largest = low.abs().max(high.abs());
    for p in 0..n * m {
        let (i, a) = (p / m, p % m);
        let mut sum = 0.0;
        for q in 0..n * m {
            let (j, b) = (q / m, q % m);
            let value = pairwise.value(i, a, j, b);
            if i == j || a == b {
                assert_eq!(value, 0.0, "conflicting assignments do not interact");
                continue;
            }
            let mirror = pairwise.value(j, b, i, a);
            assert!(
                close(value, mirror, largest),
                "W is symmetric: {value} {mirror}"
            );
            let slack = 1e-9 * largest;
            assert!(
                !largest.is_finite() || (low - slack <= value && value <= high + slack),
                "{value} lies within the bounds {low} and {high}"
            );
            sum += value * x[q];
        }
        // Kernels are products of factors up to the tolerance that they were made with.
        let scale = largest * (n * m) as f64;
        assert!(
            !scale.is_finite() || (out[p] - sum).abs() <= 1e-2 * scale + f64::MIN_POSITIVE,
            "{} is {sum}, the sum of entries",
            out[p]
        );
    }
}

/// One-to-one within the candidates, as full as the coverage asks, its objective what a recount
/// gives, the soft matrix soft.
///
/// # Panics
/// When one of these does not hold.
pub fn assert_solution(name: &str, problem: &Problem, solution: &Solution) {
    let (n, m) = problem.shape();
    let assignment = &solution.assignment;
    assert_eq!(
        assignment.rows(),
        n,
        "{name}: a partner or none for each row"
    );
    let mut taken = vec![false; m];
    for (i, a) in assignment.pairs() {
        assert!(
            problem.candidates().allows(i, a),
            "{name}: ({i}, {a}) is a candidate"
        );
        assert!(
            !std::mem::replace(&mut taken[a], true),
            "{name}: one-to-one"
        );
    }
    if problem.coverage() == Coverage::Full && problem.candidates().is_all() {
        let matched = assignment.matched();
        assert_eq!(matched, n.min(m), "{name}: the smaller side is matched");
    }
    let magnitude = magnitude(problem);
    if magnitude.is_finite() {
        let recount = recount(problem, assignment);
        assert!(
            (solution.objective - recount).abs() <= 1e-9 * magnitude,
            "{name}: the objective {} is {recount} when counted again",
            solution.objective
        );
    }
    if let Some(soft) = &solution.soft {
        assert_eq!(soft.shape(), (n, m), "{name}: the soft values");
        for i in 0..n {
            let sum: f64 = soft.row(i).sum();
            assert!(sum <= 1.0 + 1e-6, "{name}: row {i} sums to {sum}");
        }
        let entries: Vec<f64> = soft.occurring().collect();
        assert!(
            entries.iter().all(|v| (0.0..=1.0 + 1e-9).contains(v)),
            "{name}: {entries:?}"
        );
    }
}

/// xᵀWx and the constant, straight from the definition: over ordered pairs, compensated.
fn recount(problem: &Problem, assignment: &Assignment) -> f64 {
    let (mut sum, mut lost) = (problem.constant(), 0.0);
    let mut add = |value: f64| {
        let y = value - lost;
        let t = sum + y;
        lost = (t - sum) - y;
        sum = t;
    };
    for (i, a) in assignment.pairs() {
        add(problem.unary()[(i, a)]);
        for (j, b) in assignment.pairs().filter(|&(j, _)| j != i) {
            add(problem.pairwise().value(i, a, j, b));
        }
    }
    sum
}

/// The size of the numbers that an objective is a sum of; infinite when such sums leave the range.
fn magnitude(problem: &Problem) -> f64 {
    let (n, m) = problem.shape();
    let k = n.min(m) as f64;
    let (low, high) = problem.pairwise().bounds();
    let unary = problem.unary().occurring();
    let largest = unary.fold(0.0f64, |most, u| most.max(u.abs()));
    let total = problem.constant().abs()
        + k * largest
        + k * k * low.abs().max(high.abs())
        + f64::MIN_POSITIVE;
    // Searches take differences of sums over all assignments.
    let spread = 1e3 * ((n * m) as f64) * total;
    if spread.is_finite() {
        total
    } else {
        f64::INFINITY
    }
}

fn close(x: f64, y: f64, scale: f64) -> bool {
    x == y || (x - y).abs() <= 1e-12 * scale || !scale.is_finite()
}
