//! Random problems of all kinds, and their optima and neighbours written out.

use anchormatch_invariants::small_problems::assignments;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::assignment::Assignment;
use crate::linalg::Matrix;
use crate::monitor::Monitor;
use crate::problem::{
    Candidates, Coverage, ExplicitPairwise, GaussianKernel, Listed, Pairwise, Problem,
    ProductPairwise, Sense, SeparablePairwise, Weights,
};

pub(super) const KINDS: usize = 6;

fn weights(n: usize, symmetric: bool, sparse: bool, random: &mut ChaCha8Rng) -> Weights {
    let mut matrix = Matrix::zeros(n, n);
    for i in 0..n {
        for j in 0..n {
            let value = if sparse && random.random_range(0..2) == 0 {
                0.0
            } else {
                f64::from(random.random_range(-3i32..10))
            };
            if symmetric {
                let (low, high) = (i.min(j), i.max(j));
                matrix[(low, high)] = value;
                matrix[(high, low)] = value;
            } else {
                matrix[(i, j)] = value;
            }
        }
    }
    if !sparse {
        return Weights::Dense(matrix);
    }
    Weights::sparse(&matrix)
}

/// Dense and sparse products, directed or not, a kernel, and an explicit matrix.
fn pairwise(kind: usize, n: usize, m: usize, random: &mut ChaCha8Rng) -> Box<dyn Pairwise> {
    let monitor = Monitor::silent();
    match kind {
        0..4 => {
            let (symmetric, sparse) = (kind.is_multiple_of(2), kind >= 2);
            let a = weights(n, symmetric, sparse, random);
            let b = weights(m, symmetric, sparse, random);
            Box::new(ProductPairwise::new(a, b).unwrap().0)
        }
        4 => {
            let [x, y] = [n, m].map(|size| {
                let mut values = weights(size, true, false, random).dense();
                values.as_mut_slice().iter_mut().for_each(|v| *v *= 0.1);
                values
            });
            let kernel = GaussianKernel::new(0.2).unwrap();
            Box::new(SeparablePairwise::new(x, y, kernel, 1e-9, &monitor).unwrap())
        }
        _ => {
            let matrix = weights(n * m, true, false, random).dense();
            Box::new(ExplicitPairwise::new(n, m, matrix).unwrap())
        }
    }
}

pub(super) fn problem(kind: usize, (n, m): (usize, usize), seed: u64) -> Problem {
    let mut random = ChaCha8Rng::seed_from_u64(seed * 100 + kind as u64);
    let pairwise = pairwise(kind, n, m, &mut random);
    let unary = Matrix::from_fn(n, m, |_, _| f64::from(random.random_range(-4i32..5)));
    let sense = if seed.is_multiple_of(2) {
        Sense::Maximise
    } else {
        Sense::Minimise
    };
    Problem::new(sense, unary, pairwise)
        .unwrap()
        .with_constant(3.0)
}

/// Two thirds of the assignments.
pub(super) fn with_few_candidates(problem: Problem, seed: u64) -> Problem {
    let (n, m) = problem.shape();
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let pairs = (0..n * m).filter(|_| random.random_range(0..3) > 0);
    let candidates = Candidates::listed(n, m, pairs.map(|p| (p / m, p % m))).unwrap();
    problem.with_candidates(candidates).unwrap()
}

/// A `.dd`-like problem with costs of both signs.
pub(super) fn listed(n: usize, m: usize, seed: u64) -> Problem {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut listed = Listed {
        rows: n,
        cols: m,
        ..Listed::default()
    };
    for p in 0..n * m {
        if random.random_range(0..4) > 0 {
            let cost = f64::from(random.random_range(-6i32..5));
            listed.assignments.push((p / m, p % m, cost));
        }
    }
    for second in 0..listed.assignments.len() {
        for first in 0..second {
            if random.random_range(0..3) == 0 {
                let cost = f64::from(random.random_range(-5i32..6));
                listed.pairs.push((first, second, cost));
            }
        }
    }
    listed.problem().unwrap()
}

/// All kinds with all sorts of constraints, small.
pub(super) fn all_sorts(shapes: &[(usize, usize)], seed: u64) -> Vec<Problem> {
    let mut problems = Vec::new();
    for &shape in shapes {
        for kind in 0..KINDS {
            problems.push(problem(kind, shape, seed));
            problems.push(problem(kind, shape, seed + 1).with_coverage(Coverage::Partial));
            problems.push(with_few_candidates(problem(kind, shape, seed + 2), seed));
            let partial = problem(kind, shape, seed + 3).with_coverage(Coverage::Partial);
            problems.push(with_few_candidates(partial, seed + 1));
        }
        problems.push(listed(shape.0, shape.1, seed));
    }
    problems
}

/// The best value over all assignments that are as full as the coverage asks.
pub(super) fn enumerate(problem: &Problem) -> f64 {
    let (n, m) = problem.shape();
    let mut all: Vec<Assignment> = assignments(n, m, true);
    let allowed = |(i, a)| problem.candidates().allows(i, a);
    all.retain(|assignment| assignment.pairs().all(allowed));
    let found = all.iter();
    let found: Vec<(usize, f64)> = found
        .map(|assignment| (assignment.matched(), problem.objective(assignment)))
        .collect();
    let fullest = found.iter().map(|f| f.0).max().unwrap();
    let sign = problem.sense().sign();
    found
        .iter()
        .filter(|f| problem.coverage() == Coverage::Partial || f.0 == fullest)
        .map(|f| f.1)
        .reduce(|x, y| if sign * y > sign * x { y } else { x })
        .unwrap()
}

/// All that can become of `assignment` when one row takes another column or none, written out.
pub(super) fn neighbours(problem: &Problem, assignment: &Assignment) -> Vec<Assignment> {
    let (n, m) = problem.shape();
    let mut result = Vec::new();
    for i in 0..n {
        for b in (0..m).map(Some).chain([None]) {
            let mut next = assignment.clone();
            next.set(i, b);
            let owner = (0..n).find(|&j| j != i && b.is_some() && assignment.partner(j) == b);
            if let Some(j) = owner {
                next.set(j, assignment.partner(i));
                result.push(next.clone());
                next.set(j, None);
            }
            result.push(next);
        }
    }
    result.retain(|next| {
        next != assignment
            && Problem::is_feasible(problem, next)
            && (problem.coverage() == Coverage::Partial || next.matched() >= assignment.matched())
    });
    result
}
