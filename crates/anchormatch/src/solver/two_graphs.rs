//! What methods share that were published for two weighted graphs: the matrices of a product form as graphs, and a
//! solution made of scores of pairs.
//!
//! Weights are ½ (A + Aᵀ) without the diagonal, of costs with the other sign, and in units of the largest. Where some are
//! negative, all are counted from the least, which adds the same to every full assignment: walks and strings have
//! no use for negative weights, and methods that look for likeness would take −A and B, the graphs of costs, for opposites.

use super::memory::squares;
use super::{Configurable, Info, Kind, OnLists, Solution, Solver, Start, Status, round_within};
use crate::assignment::Sinkhorn;
use crate::error::{Error, Result};
use crate::linalg::Matrix;
use crate::monitor::{Monitor, Progress};
use crate::problem::{Problem, ProductPairwise, Weights};

/// Sweeps that balance the soft matrix.
const SOFT_SWEEPS: usize = 100;

/// Entries of the soft matrix before balancing, which needs positive ones, relative to the range of the scores.
const LEAST_SOFT: f64 = 1e-3;

/// A method for two weighted graphs; every one is a [`Solver`] of problems of products.
pub(super) trait OfTwoGraphs: Configurable + Send + Sync {
    /// The name by which a user picks it.
    const NAME: &str;
    /// Authors, year, where.
    const REFERENCE: &str;
    /// Time in all, or an iteration.
    const COMPLEXITY: &str;
    /// Square matrices of the larger side that it takes.
    const SQUARES: u64;

    /// What [`Solver::check`] asks.
    fn check_parameters(&self) -> Result<()>;

    /// How much the unary terms, scaled to [0, 1], weigh against a score.
    fn unary_weight(&self) -> f64;

    /// The method itself.
    fn scores(&self, graphs: &TwoGraphs, start: &Start<'_>, monitor: &Monitor) -> Result<Scores>;
}

/// How well nodes go together, more is better.
pub(super) struct Scores {
    /// Of several the one counts whose assignment is best.
    pub(super) tried: Vec<Matrix>,
    /// How the iterations ended.
    pub(super) status: Status,
    /// A residual for each of them.
    pub(super) residuals: Vec<f64>,
}

impl Scores {
    /// Of a method without iterations: one checkpoint and one residual of 0.
    pub(super) fn at_once(stage: &'static str, tried: Vec<Matrix>, monitor: &Monitor) -> Self {
        let interrupt = monitor.checkpoint(Progress {
            stage,
            done: 1,
            total: Some(1),
            value: None,
        });
        Self {
            tried,
            status: interrupt.map_or(Status::Converged, Status::from),
            residuals: vec![0.0],
        }
    }
}

impl<M: OfTwoGraphs> Solver for M {
    fn info(&self) -> Info {
        Info {
            name: M::NAME,
            kind: Kind::Relaxation,
            reference: M::REFERENCE,
            complexity: M::COMPLEXITY,
            accepts: "products A, B",
            candidates: OnLists::Filled,
        }
    }

    fn check(&self) -> Result<()> {
        self.check_parameters()
    }

    fn accepts(&self, problem: &Problem) -> Result<()> {
        factors(problem, M::NAME).map(|_| ())
    }

    fn memory(&self, problem: &Problem) -> u64 {
        squares(problem, M::SQUARES)
    }

    fn solve_accepted(
        &self,
        problem: &Problem,
        start: &Start<'_>,
        monitor: &Monitor,
    ) -> Result<Solution> {
        let graphs = TwoGraphs::of(problem, M::NAME)?;
        let scores = self.scores(&graphs, start, monitor)?;
        let mut best: Option<Solution> = None;
        for score in scores.tried {
            let mut found = solution(problem, score, self.unary_weight(), monitor)?;
            found.status = scores.status;
            found.iterations = scores.residuals.len();
            found.convergence.clone_from(&scores.residuals);
            let better = |old: &Solution| problem.sense().better(found.objective, old.objective);
            if best.as_ref().is_none_or(better) {
                best = Some(found);
            }
        }
        Ok(best.expect("a method has a score"))
    }
}

/// Two weighted graphs without negative weights.
#[derive(Debug, Clone)]
pub(super) struct TwoGraphs {
    pub(super) source: Matrix,
    pub(super) target: Matrix,
}

/// The factors of a product form, for the method of that name.
fn factors<'p>(problem: &'p Problem, name: &str) -> Result<&'p ProductPairwise> {
    problem.pairwise().as_product().ok_or_else(|| {
        Error::parameter(
            "problem",
            "pairwise values that are no products",
            format!("a quadratic assignment problem with matrices A and B, which {name} compares"),
        )
    })
}

impl TwoGraphs {
    /// The graphs of a problem of products.
    ///
    /// # Errors
    /// When it is none.
    pub(super) fn of(problem: &Problem, name: &str) -> Result<Self> {
        let product = factors(problem, name)?;
        Ok(Self {
            source: from_least(graph(product.a(), problem.sense().sign())),
            target: from_least(graph(product.b(), 1.0)),
        })
    }
}

fn graph(weights: &Weights, sign: f64) -> Matrix {
    let dense = weights.dense();
    let largest = dense.as_slice().iter().fold(0.0f64, |m, v| m.max(v.abs()));
    let unit = if largest > 0.0 { sign / largest } else { 0.0 };
    Matrix::from_fn(dense.rows(), dense.cols(), |i, j| {
        if i == j {
            0.0
        } else {
            0.5 * (unit * dense[(i, j)] + unit * dense[(j, i)])
        }
    })
}

fn from_least(mut graph: Matrix) -> Matrix {
    let n = graph.rows();
    let least = graph.as_slice().iter().fold(0.0f64, |m, &v| m.min(v));
    for i in 0..n {
        for j in (0..n).filter(|&j| j != i) {
            graph[(i, j)] -= least;
        }
    }
    graph
}

/// Row sums.
pub(super) fn degrees(graph: &Matrix) -> Vec<f64> {
    (0..graph.rows())
        .map(|i| graph.row(i).iter().sum())
        .collect()
}

/// A value that no two numbers of ordinary size share by rounding.
pub(super) const TIE: f64 = 1e-9;

/// The best assignment by a score and the unary values, both scaled to [0, 1].
fn solution(
    problem: &Problem,
    mut score: Matrix,
    unary_weight: f64,
    monitor: &Monitor,
) -> Result<Solution> {
    let (n, m) = problem.shape();
    rescale(&mut score, 1.0);
    let mut unary = problem.unary().full(monitor)?.into_owned();
    let sign = problem.sense().sign();
    unary.as_mut_slice().iter_mut().for_each(|v| *v *= sign);
    rescale(&mut unary, unary_weight);
    for (slot, u) in score.as_mut_slice().iter_mut().zip(unary.as_slice()) {
        *slot += u;
    }
    let assignment = round_within(problem, &score, monitor)?;
    let mut soft = score;
    soft.as_mut_slice()
        .iter_mut()
        .for_each(|v| *v += LEAST_SOFT);
    let go_on = || monitor.interrupted().is_none();
    Sinkhorn::new().balance_while(soft.as_mut_slice(), (n, m), (1e-6, SOFT_SWEEPS), go_on);
    // What the candidates rule out is taken away afterwards: a row of zeros cannot be balanced.
    for i in 0..n {
        for a in (0..m).filter(|&a| !problem.candidates().allows(i, a)) {
            soft[(i, a)] = 0.0;
        }
    }
    super::relaxation::cap_sums(&mut soft, &assignment);
    Ok(Solution {
        objective: problem.objective(&assignment),
        assignment,
        soft: Some(soft.into()),
        iterations: 0,
        status: Status::Converged,
        convergence: Vec::new(),
    })
}

/// Shifts and scales to the range from 0 to `most`; what is all the same becomes 0.
fn rescale(matrix: &mut Matrix, most: f64) {
    let values = matrix.as_slice().iter();
    let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), &v| {
        (l.min(v), h.max(v))
    });
    // Halves: a difference of the largest numbers is none.
    let range = 0.5 * high - 0.5 * low;
    for value in matrix.as_mut_slice() {
        *value = if range > 0.0 {
            most * ((0.5 * *value - 0.5 * low) / range).clamp(0.0, 1.0)
        } else {
            0.0
        };
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::assignment::Assignment;
    use crate::problem::Sense;
    use crate::solver::{Solver, Start};
    use anchormatch_invariants::shapes::noise;

    /// A connected weighted graph without symmetries, of so many edges in a hundred.
    pub(in crate::solver) fn weights(n: usize, percent: u64, seed: u64) -> Matrix {
        Matrix::from_fn(n, n, |i, j| {
            let (i, j) = (i.min(j), i.max(j));
            let present = j == i + 1 || 100.0 * noise(i, j, seed + 1) < percent as f64;
            if i != j && present {
                0.2 + noise(i, j, seed)
            } else {
                0.0
            }
        })
    }

    /// The problem of a graph and its copy under other names, and which name each node has there.
    pub(in crate::solver) fn isomorphic(
        n: usize,
        percent: u64,
        seed: u64,
    ) -> (Problem, Assignment) {
        let a = weights(n, percent, seed);
        let order: Vec<usize> = (0..n).map(|k| (k * 5 + 2) % n).collect();
        let b = a.select(&order, &order);
        let truth = (0..n)
            .map(|i| order.iter().position(|&old| old == i))
            .collect();
        (product(a, b), truth)
    }

    pub(in crate::solver) fn product(a: Matrix, b: Matrix) -> Problem {
        let (a, b) = (Weights::Dense(a), Weights::Dense(b));
        ProductPairwise::problem(Sense::Maximise, a, b, None).unwrap()
    }

    /// Solves from the default start; feasible, counted right, and softly one-to-one.
    pub(in crate::solver) fn solve(solver: &dyn Solver, problem: &Problem) -> Solution {
        let solution = solver
            .solve(problem, &Start::default(), &Monitor::silent())
            .unwrap();
        assert!(problem.is_feasible(&solution.assignment));
        solution
    }

    /// The method is exact on isomorphic graphs without symmetries, sparse and dense, and takes unequal sizes.
    pub(in crate::solver) fn is_exact_on_isomorphic_graphs(solver: &dyn Solver) {
        for n in [7, 11, 13] {
            for (percent, seed) in [(25, 3), (60, 4), (100, 5)] {
                let (problem, truth) = isomorphic(n, percent, seed);
                let found = solve(solver, &problem).assignment;
                assert_eq!(
                    found,
                    truth,
                    "{} on {n} nodes, {percent} %",
                    solver.info().name
                );
            }
        }
        takes_what_products_there_are(solver);
        reads_costs_as_likeness(solver);
    }

    /// Costs that are the less the more alike give the answer of likeness.
    fn reads_costs_as_likeness(solver: &dyn Solver) {
        let (likeness, truth) = isomorphic(11, 60, 4);
        let product = likeness.pairwise().as_product().unwrap();
        let alike = product.a().dense();
        let most = alike.as_slice().iter().fold(0.0f64, |m, &v| m.max(v));
        let costs = Matrix::from_fn(
            11,
            11,
            |i, j| {
                if i == j { 0.0 } else { most - alike[(i, j)] }
            },
        );
        let problem = ProductPairwise::problem(
            Sense::Minimise,
            Weights::Dense(costs),
            product.b().clone(),
            None,
        )
        .unwrap();
        let found = solve(solver, &problem).assignment;
        assert_eq!(found, truth, "{} on costs", solver.info().name);
    }

    /// Unequal sizes, no edges, one node, none, candidates and costs.
    pub(in crate::solver) fn takes_what_products_there_are(solver: &dyn Solver) {
        for (n, m) in [(4, 7), (7, 4), (1, 3), (1, 1), (0, 0), (0, 2), (2, 2)] {
            for scale in [1.0, 0.0, -1.0] {
                let scaled = |n: usize, seed: u64| {
                    let mut graph = weights(n, 50, seed);
                    graph.as_mut_slice().iter_mut().for_each(|v| *v *= scale);
                    Weights::Dense(graph)
                };
                for sense in [Sense::Maximise, Sense::Minimise] {
                    let problem =
                        ProductPairwise::problem(sense, scaled(n, 1), scaled(m, 2), None).unwrap();
                    let matched = solve(solver, &problem).assignment.matched();
                    assert_eq!(matched, n.min(m), "{} {n}×{m}", solver.info().name);
                }
            }
        }
    }

    #[test]
    fn graphs_have_largest_weight_one_and_no_negative_ones() {
        let a = Matrix::from_vec(3, 3, vec![9.0, 2.0, 0.0, 2.0, 0.0, -4.0, 0.0, -4.0, 1.0]);
        let problem = product(a.clone(), a);
        let weights = problem.pairwise().as_product().unwrap().a();
        assert_eq!(graph(weights, 1.0).row(1), [0.5, 0.0, -1.0]);
        let graphs = TwoGraphs::of(&problem, "x").unwrap();
        assert_eq!(graphs.target.row(1), [1.5, 0.0, 0.0]);
        assert_eq!(graphs.target.row(0), [0.0, 1.5, 1.0]);
    }

    #[test]
    fn scores_and_unary_values_share_a_scale() {
        let mut matrix = Matrix::from_vec(1, 3, vec![-1e308, 0.0, 1e308]);
        rescale(&mut matrix, 2.0);
        assert_eq!(matrix.as_slice(), [0.0, 1.0, 2.0]);
        rescale(&mut matrix, 0.0);
        assert_eq!(matrix.as_slice(), [0.0; 3]);
    }
}
