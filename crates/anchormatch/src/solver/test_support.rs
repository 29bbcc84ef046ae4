//! Problems with known answers, and what every relaxation must do with them.

use anchormatch_invariants::shapes::noise;

use super::{Solution, Solver, Start, Status};
use crate::assignment::Assignment;
use crate::linalg::Matrix;
use crate::monitor::{CancelToken, Monitor};
use crate::problem::{
    Candidates, Coverage, ExplicitPairwise, GaussianKernel, Listed, Pairwise, Problem,
    ProductPairwise, Sense, SeparablePairwise, Weights,
};

/// A symmetric matrix of values in [0, 1) without structure.
pub(super) fn values(n: usize, seed: u64) -> Matrix {
    Matrix::from_fn(n, n, |i, j| noise(i.min(j), i.max(j), seed))
}

/// The Gaussian affinities of two sets of values.
pub(super) fn kernel_problem(x: Matrix, y: Matrix, separable: bool) -> Problem {
    let kernel = GaussianKernel::new(0.05).unwrap();
    let unary = Matrix::zeros(x.rows(), y.rows());
    let monitor = Monitor::silent();
    let pairwise: Box<dyn Pairwise> = if separable {
        Box::new(SeparablePairwise::new(x, y, kernel, 1e-9, &monitor).unwrap())
    } else {
        let affinity = |p, q| kernel.evaluate(p, q);
        Box::new(ExplicitPairwise::from_values(&x, &y, affinity, &monitor).unwrap())
    };
    Problem::maximise(unary, pairwise).unwrap()
}

/// Values, the same in another order, and where each of the first went.
pub(super) fn hidden(n: usize, seed: u64) -> (Matrix, Matrix, Assignment) {
    let x = values(n, seed);
    let order: Vec<usize> = (0..n).map(|i| (5 * i + 3) % n).collect();
    let place = Assignment::from_pairs(n, order.iter().enumerate().map(|(new, &old)| (old, new)));
    let y = x.select(&order, &order);
    (x, y, place)
}

/// Three nodes a side and a W of zeros, over all assignments or over some.
pub(super) fn three_by_three(coverage: Coverage, candidates: Option<&[(usize, usize)]>) -> Problem {
    let pairwise = ExplicitPairwise::new(3, 3, Matrix::zeros(9, 9)).unwrap();
    let problem = Problem::maximise(Matrix::zeros(3, 3), Box::new(pairwise)).unwrap();
    let problem = problem.with_coverage(coverage);
    match candidates {
        Some(pairs) => problem
            .with_candidates(Candidates::listed(3, 3, pairs.iter().copied()).unwrap())
            .unwrap(),
        None => problem,
    }
}

/// A listed problem in which anyone may stay alone.
pub(super) fn listed() -> Problem {
    let assignments: Vec<(usize, usize, f64)> = (0..20)
        .filter(|k| k % 3 != 1)
        .map(|k| (k / 5, k % 5, ((k * 7) % 11) as f64 - 6.0))
        .collect();
    let pairs = (0..assignments.len())
        .flat_map(|p| (0..p).map(move |q| (p, q, ((p * 5 + q * 3) % 9) as f64 - 5.0)))
        .filter(|(p, q, _)| (p + q) % 2 == 0)
        .collect();
    let listed = Listed {
        rows: 4,
        cols: 5,
        assignments,
        pairs,
    };
    listed.problem().unwrap()
}

/// Solves from the default start.
pub(super) fn solve(solver: &dyn Solver, problem: &Problem) -> Solution {
    let solution = solver
        .solve(problem, &Start::default(), &Monitor::silent())
        .unwrap();
    consistent(problem, &solution);
    solution
}

/// Feasible, with the right objective, and a soft matrix that is one.
fn consistent(problem: &Problem, solution: &Solution) {
    let (n, m) = problem.shape();
    assert!(problem.is_feasible(&solution.assignment), "{solution:?}");
    assert_eq!(solution.objective, problem.objective(&solution.assignment));
    assert_eq!(solution.iterations, solution.convergence.len());
    let soft = solution.soft.as_ref().expect("relaxations have one");
    let soft = soft.full(&Monitor::silent()).unwrap();
    assert_eq!((soft.rows(), soft.cols()), (n, m));
    assert!(soft.as_slice().iter().all(|&v| (0.0..=1.001).contains(&v)));
    for i in 0..n {
        assert!(soft.row(i).iter().sum::<f64>() <= 1.001);
        for a in (0..m).filter(|&a| !problem.candidates().allows(i, a)) {
            assert_eq!(soft[(i, a)], 0.0);
        }
    }
    for a in 0..m {
        assert!((0..n).map(|i| soft[(i, a)]).sum::<f64>() <= 1.001);
    }
}

/// What every relaxation must do, whatever its method.
pub(super) fn behaves(solver: &dyn Solver) {
    finds_a_hidden_permutation(solver);
    minimises_costs(solver);
    matches_the_smaller_side(solver);
    answers_empty_and_zero_problems(solver);
    keeps_to_the_candidates(solver);
    stops_when_told(solver);
}

fn finds_a_hidden_permutation(solver: &dyn Solver) {
    let n = 12;
    for separable in [false, true] {
        let (x, y, want) = hidden(n, 7);
        let solution = solve(solver, &kernel_problem(x, y, separable));
        assert_eq!(solution.assignment, want, "{}", solver.info().name);
        assert!((solution.objective - (n * (n - 1)) as f64).abs() < 1e-9);
    }
}

fn minimises_costs(solver: &dyn Solver) {
    let (x, y, _) = hidden(9, 7);
    let weights = |matrix: &Matrix, sign: f64| {
        let (n, m) = (matrix.rows(), matrix.cols());
        Weights::Dense(Matrix::from_fn(n, m, |i, j| sign * (matrix[(i, j)] - 0.5)))
    };
    let gain = ProductPairwise::problem(Sense::Maximise, weights(&x, 1.0), weights(&y, 1.0), None);
    let cost = ProductPairwise::problem(Sense::Minimise, weights(&x, -1.0), weights(&y, 1.0), None);
    let (best, least) = (solve(solver, &gain.unwrap()), solve(solver, &cost.unwrap()));
    assert_eq!(best.assignment, least.assignment);
    assert!((best.objective + least.objective).abs() < 1e-12);
}

fn matches_the_smaller_side(solver: &dyn Solver) {
    for (n, m) in [(3, 7), (7, 3), (1, 4)] {
        for separable in [false, true] {
            let problem = kernel_problem(values(n, 5), values(m, 5), separable);
            let solution = solve(solver, &problem);
            assert_eq!(solution.assignment.matched(), n.min(m));
        }
    }
}

fn answers_empty_and_zero_problems(solver: &dyn Solver) {
    for (n, m) in [(0, 0), (0, 3), (3, 0), (1, 1), (2, 2), (2, 3)] {
        for value in [0.0, -2.0] {
            let pairwise = ExplicitPairwise::new(n, m, Matrix::filled(n * m, n * m, value));
            let unary = Matrix::filled(n, m, value);
            let problem = Problem::maximise(unary, Box::new(pairwise.unwrap())).unwrap();
            let solution = solve(solver, &problem);
            let k = n.min(m);
            assert_eq!(solution.assignment.matched(), k);
            assert_eq!(solution.objective, value * (k * k) as f64);
            // Every assignment loses, so that the best is the empty one.
            let partial = solve(solver, &problem.with_coverage(Coverage::Partial));
            assert_eq!(partial.objective, 0.0);
        }
    }
}

fn keeps_to_the_candidates(solver: &dyn Solver) {
    let solution = solve(solver, &listed());
    // The empty assignment costs nothing.
    assert!(solution.objective <= 0.0, "{solution:?}");
    let pairs = (0..36).filter(|k| k % 4 != 1).map(|k| (k / 6, k % 6));
    let candidates = Candidates::listed(6, 6, pairs).unwrap();
    let problem = kernel_problem(values(6, 1), values(6, 2), true)
        .with_candidates(candidates)
        .unwrap();
    assert!(solve(solver, &problem).objective > 0.0);
    let none = kernel_problem(values(2, 1), values(2, 2), true)
        .with_candidates(Candidates::listed(2, 2, []).unwrap())
        .unwrap();
    assert_eq!(solve(solver, &none).assignment, [None, None]);
}

fn stops_when_told(solver: &dyn Solver) {
    let token = CancelToken::default();
    token.cancel();
    let monitor = Monitor::silent().cancelled_by(token);
    let problem = kernel_problem(values(6, 1), values(6, 2), true);
    let solution = solver.solve(&problem, &Start::default(), &monitor).unwrap();
    consistent(&problem, &solution);
    assert_eq!(solution.status, Status::Cancelled);
    assert_eq!(solution.iterations, 1);
    assert_eq!(solution.assignment.matched(), 6);
}

/// A parameter's name, and what sets it to a value outside its range.
pub(super) type Fault<S> = (&'static str, fn(&mut S));

/// The solver takes no parameter outside its range, says which it is, and no start of another shape.
pub(super) fn refuses<S: Solver + Default>(faults: &[Fault<S>]) {
    let good = kernel_problem(values(3, 1), values(3, 2), false);
    let message = |solver: &S, start: &Start<'_>| {
        let refused = solver.solve(&good, start, &Monitor::silent());
        refused.unwrap_err().to_string()
    };
    for (name, spoil) in faults {
        let mut solver = S::default();
        spoil(&mut solver);
        let message = message(&solver, &Start::default());
        assert!(message.starts_with(name), "{name}: {message}");
    }
    let small = Matrix::zeros(1, 1).into();
    message(&S::default(), &Start::default().with_soft(&small));
}
