//! Rounding and starts over lists against those over matrices.

use anchormatch_invariants::shapes::noise;

use super::*;
use crate::linalg::Matrix;
use crate::problem::{Candidates, ProductPairwise, Sense, Weights};
use crate::solver::frank_wolfe::Direction;
use crate::solver::round;

fn problem(n: usize, m: usize, coverage: Coverage, share: f64, seed: u64) -> Problem {
    let weights = |n: usize, seed: u64| {
        Weights::sparse(&Matrix::from_fn(n, n, |i, j| {
            let value = noise(i, j, seed);
            if value < 0.5 { 0.0 } else { 4.0 * value - 3.0 }
        }))
    };
    let linear = Matrix::from_fn(n, m, |i, a| noise(i, a, seed + 1) - 0.6);
    let pairs = (0..n * m).map(|p| (p / m, p % m));
    let listed = pairs.filter(|&(i, a)| i != 1 && noise(i, a, seed + 2) < share);
    let (a, b) = (weights(n, seed), weights(m, seed + 9));
    ProductPairwise::problem(Sense::Maximise, a, b, Some(&linear))
        .unwrap()
        .with_coverage(coverage)
        .with_candidates(Candidates::listed(n, m, listed).unwrap())
        .unwrap()
}

fn problems() -> impl Iterator<Item = Problem> {
    let coverages = [Coverage::Full, Coverage::Partial];
    let shapes = [(7, 7), (5, 9), (9, 5), (2, 1), (3, 0)];
    shapes.into_iter().flat_map(move |(n, m)| {
        coverages.into_iter().flat_map(move |coverage| {
            (0..8).map(move |seed| problem(n, m, coverage, 0.2 + 0.1 * seed as f64, seed))
        })
    })
}

#[test]
fn rounding_is_that_of_matrices() {
    for problem in problems() {
        let (n, m) = problem.shape();
        let space = Space::of(&problem).unwrap();
        let full = Matrix::from_fn(n, m, |i, a| noise(i, a, 77));
        let entries = &space.entries;
        let score: Vec<f64> = (0..space.count())
            .map(|e| full[(entries.row(e), entries.column(e))])
            .collect();
        let found = space.round(&score, &Monitor::silent());
        let want = round(&problem, &full).unwrap();
        assert_eq!(found, want, "{n}×{m}");
        assert!(problem.is_feasible(&found));
    }
}

#[test]
fn starts_lie_in_the_hull() {
    let silent = Monitor::silent();
    for problem in problems() {
        let space = Space::of(&problem).unwrap();
        let mut polytope = Polytope::new(&space, &silent);
        let soft: PairValues = Matrix::from_fn(problem.shape().0, problem.shape().1, |i, a| {
            2.0 * noise(i, a, 3)
        })
        .into();
        polytope.find(&vec![1.0; space.count()]).unwrap();
        let fullest = polytope.best().matched() as f64;
        let points = [
            polytope.start(&Start::default()).unwrap(),
            polytope.start(&Start::default().with_soft(&soft)).unwrap(),
            polytope.random(1, 2).unwrap(),
        ];
        for x in points {
            assert!(x.iter().all(|&x| (0.0..=1.0 + 1e-5).contains(&x)));
            assert!(largest_sum(space.entries.lists(), &x) <= 1.0 + 1e-5);
            let total: f64 = x.iter().sum();
            if problem.coverage() == Coverage::Full {
                assert!(
                    (total - fullest).abs() < 0.02 * fullest + 1e-9,
                    "{total} {fullest}"
                );
            }
        }
    }
}

#[test]
fn soft_values_keep_to_their_sums() {
    let problem = problem(4, 3, Coverage::Full, 1.1, 5);
    let space = Space::of(&problem).unwrap();
    let soft = space.soft(vec![0.7; space.count()]);
    assert!(matches!(soft, PairValues::Listed { .. }));
    for i in 0..4 {
        assert!(soft.row(i).sum::<f64>() <= 1.0 + 1e-9);
    }
    for a in 0..3 {
        let sum: f64 = (0..4).map(|i| soft[(i, a)]).sum();
        assert!(sum <= 1.0 + 1e-9 && sum > 0.9, "{sum}");
    }
    assert_eq!(soft[(1, 0)], 0.0);
}
