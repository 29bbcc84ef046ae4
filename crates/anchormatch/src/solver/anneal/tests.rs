//! Changes against recounts, limits, and what the search finds.

use anchormatch_invariants::shapes::on_any_threads;
use proptest::prelude::*;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::chains::Chains;
use super::instance::Instance;
use super::state::State;
use super::*;
use crate::assignment::Assignment;
use crate::linalg::Matrix;
use crate::monitor::CancelToken;
use crate::problem::{ExplicitPairwise, Sense, Weights};
use crate::solver::starting::random_assignment;

fn weights(n: usize, kind: Kinds, random: &mut ChaCha8Rng) -> Weights {
    let mut matrix = Matrix::zeros(n, n);
    for i in 0..n {
        for j in 0..n {
            let value = match random.random_range(0..10) {
                0..4 => 0.0,
                _ if kind.whole => f64::from(random.random_range(-2i32..6)),
                _ => random.random_range(-0.3..1.0),
            };
            matrix[(i, j)] = value;
            if kind.symmetric {
                matrix[(j, i)] = value;
            }
        }
    }
    if kind.sparse {
        Weights::sparse(&matrix)
    } else {
        Weights::Dense(matrix)
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Kinds {
    pub(super) whole: bool,
    pub(super) symmetric: bool,
    pub(super) sparse: bool,
}

pub(super) fn problem((n, m): (usize, usize), kind: Kinds, sense: Sense, seed: u64) -> Problem {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let (a, b) = (weights(n, kind, &mut random), weights(m, kind, &mut random));
    let linear = Matrix::from_fn(n, m, |_, _| f64::from(random.random_range(-3i32..4)));
    ProductPairwise::problem(sense, a, b, Some(&linear))
        .unwrap()
        .with_constant(2.0)
}

/// A random graph of mean degree 6, and the same with some edges less, its nodes in another order.
fn sparse_pair(n: usize, seed: u64) -> (Weights, Weights, Vec<usize>) {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut order: Vec<usize> = (0..n).collect();
    order.shuffle(&mut random);
    let (mut a, mut b) = (Matrix::zeros(n, n), Matrix::zeros(n, n));
    for _ in 0..3 * n {
        let (i, j) = (random.random_range(0..n), random.random_range(0..n));
        if i != j {
            let kept = f64::from(u8::from(random.random_range(0..20) > 0));
            for (i, j) in [(i, j), (j, i)] {
                a[(i, j)] = 1.0;
                b[(order[i], order[j])] = kept;
            }
        }
    }
    (Weights::sparse(&a), Weights::sparse(&b), order)
}

/// Two graphs that have nothing to do with each other, so that something is always lacking.
fn strangers(n: usize) -> Problem {
    let (a, b) = (sparse_pair(n, 5).0, sparse_pair(n, 6).0);
    ProductPairwise::problem(Sense::Maximise, a, b, None).unwrap()
}

fn solve(anneal: &Anneal, problem: &Problem, seed: u64) -> Solution {
    let solution = anneal
        .solve(problem, &Start::seeded(seed), &Monitor::silent())
        .unwrap();
    assert!(problem.is_feasible(&solution.assignment), "{solution:?}");
    assert_eq!(solution.objective, problem.objective(&solution.assignment));
    if anneal.samples > 0 && solution.assignment.rows() > 0 {
        let soft = solution.soft_matrix().expect("the occupancy was asked for");
        let (n, m) = problem.shape();
        assert_eq!((soft.rows(), soft.cols()), (n, m));
        let sums = |line: Vec<f64>, least: f64| {
            let sum = line.iter().sum::<f64>();
            assert!(line.iter().all(|&v| v >= 0.0) && sum <= 1.0001 && sum >= least);
        };
        for i in 0..n {
            sums(soft.row(i).to_vec(), if n <= m { 0.9999 } else { 0.0 });
        }
        for c in 0..m {
            let column = (0..n).map(|i| soft[(i, c)]).collect();
            sums(column, if m <= n { 0.9999 } else { 0.0 });
        }
    }
    let sign = problem.sense().sign();
    let rises = |w: &[f64]| sign * w[1] > sign * w[0];
    assert!(solution.convergence.windows(2).all(rises));
    assert_eq!(solution.convergence.last(), Some(&solution.objective));
    solution
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]
    #[test]
    fn changes_are_what_a_recount_says(
        n in 1usize..9, m in 1usize..9, whole in any::<bool>(), symmetric in any::<bool>(),
        sparse in any::<bool>(), maximise in any::<bool>(), seed in 0u64..1000,
    ) {
        let kind = Kinds { whole, symmetric, sparse };
        let sense = if maximise { Sense::Maximise } else { Sense::Minimise };
        let problem = problem((n, m), kind, sense, seed);
        let instance = Instance::new(&problem, problem.pairwise().as_product().unwrap());
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let first = random_assignment(&problem, &mut random).unwrap();
        let mut state = State::new(&instance, &first);
        prop_assert_eq!(&instance.assignment(state.partners()), &first);
        let unit = sense.sign() * instance.unit();
        let begin = problem.objective(&first);
        let close = |x: f64, y: f64| (x - y).abs() < 1e-3 * (1.0 + y.abs());
        let mut chains = Chains::new(instance.nodes);
        for round in 0..60 {
            let (i, j) = (random.random_range(0..instance.nodes), random.random_range(0..instance.nodes));
            if round % 7 == 6 {
                let before = state.gain();
                chains.make(&mut state, &mut random);
                prop_assert!(state.gain() >= before - 1e-4, "{} {}", state.gain(), before);
            } else if i != j {
                let change = state.change(i, j);
                state.exchange(i, j, change);
            }
            if round == 40 {
                state.refresh();
            }
            let now = instance.assignment(state.partners());
            prop_assert!(problem.is_feasible(&now));
            let value = problem.objective(&now);
            prop_assert!(close(begin + unit * state.gain(), value), "{} {}", begin + unit * state.gain(), value);
            // Nothing that is at its bound is on the list, and everything else is, once.
            let fresh = State::new(&instance, &now);
            let sorted = |state: &State<'_>| {
                let mut list = state.lacking().to_vec();
                list.sort_unstable();
                list
            };
            if whole && instance.unit() == 1.0 {
                prop_assert_eq!(sorted(&state), sorted(&fresh));
            }
        }
        let back = State::new(&instance, &first);
        state.go_to(back.partners());
        prop_assert_eq!(state.partners(), back.partners());
        prop_assert!(state.gain().abs() * instance.unit() < 1e-3);
    }
}

#[test]
fn small_problems_are_solved_and_optima_are_proven() {
    let thorough = Anneal {
        walks: 4,
        hot: 2.0,
        ..Anneal::default()
    };
    let mut proven = 0;
    for seed in 0..120u64 {
        let shape = (seed as usize % 6, seed as usize / 6 % 6);
        let kind = Kinds {
            whole: seed % 2 == 0,
            symmetric: seed % 3 == 0,
            sparse: seed % 5 < 2,
        };
        let problem = problem(shape, kind, Sense::Maximise, seed);
        let solution = solve(&thorough, &problem, seed);
        let mut best = f64::NEG_INFINITY;
        visit(&problem, &mut Assignment::empty(shape.0), 0, &mut best);
        let off = best - solution.objective;
        assert!(
            off.abs() < 1e-6,
            "seed {seed}: {} {best}",
            solution.objective
        );
        proven += usize::from(solution.status == Status::Converged);
    }
    assert!(proven > 10, "{proven}");
}

/// The best value of all full assignments.
fn visit(problem: &Problem, assignment: &mut Assignment, row: usize, best: &mut f64) {
    let (n, m) = problem.shape();
    if row == n {
        if problem.is_feasible(assignment) {
            *best = best.max(problem.objective(assignment));
        }
        return;
    }
    for c in (0..m).map(Some).chain([None]) {
        if c.is_none() || assignment.iter().all(|taken| taken != c) {
            assignment.set(row, c);
            visit(problem, assignment, row + 1, best);
            assignment.set(row, None);
        }
    }
}

#[test]
fn sparse_graphs_are_matched_as_well_as_the_truth_from_either_side() {
    for seed in 0..3 {
        let (a, b, order) = sparse_pair(150, seed);
        let seeds: Vec<(usize, usize)> = (0..4).map(|i| (i, order[i])).collect();
        let turned: Vec<(usize, usize)> = seeds.iter().map(|&(s, t)| (t, s)).collect();
        for (a, b, seeds) in [(&a, &b, &seeds), (&b, &a, &turned)] {
            let folded = ProductPairwise::seeded_problem(Sense::Maximise, a, b, seeds).unwrap();
            let solution = solve(&Anneal::default(), &folded.problem, seed);
            // The graph with fewer edges fits wholly into the other one.
            let entries = |w: &Weights| match w {
                Weights::Sparse(listed) => listed.entries(),
                Weights::Dense(_) => unreachable!("sparse pairs"),
            };
            let most = entries(a).min(entries(b)) as f64;
            assert_eq!(solution.objective, most, "seed {seed}");
            // Stopped because nothing was lacking.
            assert_eq!(solution.status, Status::Converged);
        }
    }
}

#[test]
fn chains_carry_a_clique_from_one_too_small_for_it() {
    // Cliques of five to nine nodes, each on the image of another one.
    let n: usize = (5..10).sum();
    let clique = |i: usize| (5..10).position(|last| i < (5..=last).sum()).unwrap();
    let graph = Matrix::from_fn(n, n, |i, j| {
        f64::from(u8::from(i != j && clique(i) == clique(j)))
    });
    let both = || Weights::sparse(&graph);
    let problem = ProductPairwise::problem(Sense::Maximise, both(), both(), None).unwrap();
    let backwards: Assignment = (0..n).rev().map(Some).collect();
    let start = Start::default().with_assignment(&backwards);
    let chains_only = Anneal {
        sweeps: 0,
        chains: 50,
        ..Anneal::default()
    };
    let solution = chains_only
        .solve(&problem, &start, &Monitor::silent())
        .unwrap();
    assert_eq!(solution.status, Status::Converged);
    assert_eq!(solution.objective, graph.as_slice().iter().sum::<f64>());
}

#[test]
fn results_depend_on_the_seed_and_not_on_threads() {
    let problem = strangers(80);
    let short = Anneal {
        sweeps: 60,
        walks: 3,
        ..Anneal::default()
    };
    let one = on_any_threads(|| solve(&short, &problem, 4));
    assert_ne!(one.assignment, solve(&short, &problem, 5).assignment);
    let single = Anneal { walks: 1, ..short };
    assert!(solve(&single, &problem, 4).objective <= one.objective);
}

#[test]
fn limits_return_the_best_so_far() {
    let problem = strangers(60);
    let token = CancelToken::default();
    token.cancel();
    let cancelled = Monitor::silent().cancelled_by(token);
    let late = Monitor::silent().time_limit(std::time::Duration::ZERO);
    for (monitor, status) in [(cancelled, Status::Cancelled), (late, Status::TimeLimit)] {
        let solution = Anneal::default()
            .solve(&problem, &Start::default(), &monitor)
            .unwrap();
        assert_eq!((solution.status, solution.iterations), (status, 0));
        assert!(problem.is_feasible(&solution.assignment));
    }
    // A cancel in the middle is heard.
    let monitor = Monitor::silent();
    let token = monitor.cancel_token();
    let monitor = monitor.observe(move |progress| {
        if progress.stage == "anneal" && progress.done == 2 {
            token.cancel();
        }
    });
    let endless = Anneal {
        sweeps: usize::MAX,
        ..Anneal::default()
    };
    let few = Anneal {
        sweeps: 20,
        chains: 0,
        rounds: 1,
        samples: 0,
        ..Anneal::default()
    };
    assert_eq!(solve(&few, &problem, 0).iterations, 2 * 20 * 60);
    let solution = few.solve(&problem, &Start::default(), &monitor).unwrap();
    assert_eq!(solution.status, Status::Cancelled);
    let soon = Monitor::silent().time_limit(std::time::Duration::from_millis(20));
    let solution = endless.solve(&problem, &Start::default(), &soon).unwrap();
    assert_eq!(solution.status, Status::TimeLimit);
    let tight = Monitor::silent().max_memory(1000);
    let error = few.solve(&problem, &Start::default(), &tight).unwrap_err();
    assert!(error.to_string().contains("a search over 60×60"), "{error}");
}

#[test]
fn a_given_start_is_never_left_for_worse() {
    let (a, b, order) = sparse_pair(70, 8);
    let problem = ProductPairwise::problem(Sense::Maximise, a, b, None).unwrap();
    let truth: Assignment = order.into_iter().map(Some).collect();
    let start = Start::default().with_assignment(&truth);
    let hot = Anneal {
        hot: 50.0,
        cold: 40.0,
        sweeps: 10,
        chains: 0,
        ..Anneal::default()
    };
    let solution = hot.solve(&problem, &start, &Monitor::silent()).unwrap();
    assert!(solution.objective >= problem.objective(&truth));
}

#[test]
fn what_it_does_not_take_is_refused() {
    let product = || {
        let (a, b, _) = sparse_pair(6, 1);
        ProductPairwise::problem(Sense::Maximise, a, b, None).unwrap()
    };
    let explicit = ExplicitPairwise::new(2, 2, Matrix::zeros(4, 4)).unwrap();
    for (problem, word) in [
        (product().with_coverage(Coverage::Partial), "alone"),
        (
            Problem::maximise(Matrix::zeros(2, 2), Box::new(explicit)).unwrap(),
            "no products",
        ),
    ] {
        let error = Anneal::default().solve(&problem, &Start::default(), &Monitor::silent());
        let message = error.unwrap_err().to_string();
        assert!(message.contains(word), "{message}");
    }
    for bad in [
        Anneal {
            hot: f64::NAN,
            ..Anneal::default()
        },
        Anneal {
            cold: 0.0,
            ..Anneal::default()
        },
        Anneal {
            walks: 0,
            ..Anneal::default()
        },
    ] {
        let error = bad.solve(&product(), &Start::default(), &Monitor::silent());
        assert!(error.is_err());
    }
}

#[test]
fn weights_of_any_size_are_brought_to_one_scale() {
    let (a, b, _) = sparse_pair(40, 3);
    let times = |w: &Weights, factor: f64| {
        let mut matrix = w.dense();
        matrix.as_mut_slice().iter_mut().for_each(|v| *v *= factor);
        Weights::sparse(&matrix)
    };
    let solve_with = |x: f64, y: f64, sense: Sense| {
        let problem = ProductPairwise::problem(sense, times(&a, x), times(&b, y), None).unwrap();
        solve(&Anneal::default(), &problem, 2).assignment
    };
    let plain = solve_with(1.0, 1.0, Sense::Maximise);
    assert_eq!(plain, solve_with(1024.0, 1.0 / 64.0, Sense::Maximise));
    assert_eq!(plain, solve_with(1e150, 1e150, Sense::Maximise));
    assert_eq!(plain, solve_with(-1.0, 1.0, Sense::Minimise));
}
