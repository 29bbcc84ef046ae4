//! The mean field of the posterior, annealed through its critical temperature.
//!
//! With the objective E(p) of an assignment p, the Gibbs distribution P(p) ∝ exp(η E(p)) is, for E in
//! nats and η = 1, what the data say about p. Its naive mean field replaces every other node's partner
//! by its distribution X and solves the fixed point
//!
//! > X = balance( exp(η (u + 2 W X)) ),
//!
//! rows and columns summing to 1. At small η the solution is nearly uniform and unique; from there η
//! rises in even ratios, one step each, and X follows. What decides is how fast it passes the
//! *critical* η_c, where the uniform solution loses its stability and the wrong modes start to grow
//! with the right one: linearised at X = 1/N,
//!
//! > dX ← (η/N) P(2 W dX),   P taking means of rows and columns out,
//!
//! so η_c = N/λ, λ where the spectrum of P 2W P ends. For W = A ⊗ B with independent entries of
//! standard deviation α and β this is 2 · 2α√N · 2β√N (Wigner), four times the root mean square of all
//! eigenvalues ([`critical`]); structure such as blocks adds larger ones, but those modes hold no single
//! pairs. Anchors folded into u push X the right way before η_c is reached. The schedule is relative to
//! η_c and so does not depend on the scale of W, nor on the number, density or order of edges.
//!
//! What a pair says comes back to it through all others, and is not news: the mean field counts it
//! twice. Thouless, Anderson and Palmer (*Phil. Mag.* 35, 1977) take this reaction of Onsager's out of
//! the field,
//!
//! > u + 2 W X  −  c η v Σ X(1 − X) · X',   v the mean square of 2W, X' the X one step before.
//!
//! For independent spins c = 1; the balancing takes a part of it out already, and c = ½ is what was
//! measured to work best on correlated random graphs: with it ten seeds among 300 nodes of
//! correlation 0.3 suffice where c = 0 needs fifteen.
//!
//! With *inertia* a step goes only a part of the way to its fixed point, X ← κ X + (1 − κ) X', which
//! holds the oscillations back that the reaction brings. On the same graphs, 200 pairs with ten seeds,
//! reaction 0.6 and inertia ½ from η_c on find .93 of the pairs where reaction ½ alone finds .87.
//!
//! Where the evidence does not suffice, no mode wins: beyond η_c X freezes into one of very many equally
//! wrong ones and never becomes an assignment. What X said before it froze is then worth more
//! ([`Annealed::early`]).
//!
//! The iteration is graduated assignment's (Gold, Rangarajan, IEEE TPAMI 18, 1996); the temperature
//! scale is that of the replica-symmetric mean field for matching (Mézard, Parisi 1985; Kosowsky,
//! Yuille, *Neural Networks* 7, 1994, for the annealing).
//!
//! Where candidates are listed, X has a number for each of them, 1/N is one over the length of the lists,
//! and the spectrum is that of W between the candidates ([`listed`]).

mod critical;
mod listed;

use serde::{Deserialize, Serialize};

use super::balancer::{Balancer, LEAST_EXPONENT, set_ruled_out};
use super::memory::reserve;
use super::relaxation::{Iterations, check_nonnegative, check_positive, initial, range};
use super::{Info, Kind, OnLists, Solution, Solver, Start, Status, matrices, round_within, ties};
use crate::error::{Error, Result};
use crate::linalg::Matrix;
use crate::monitor::Monitor;
use crate::problem::Problem;

/// Σ X(1 − X) a node below which nothing is open any more.
const DECIDED: f64 = 1e-3;

/// What an assignment that is ruled out weighs before balancing, relative to the least of the others.
const RULED_OUT: f64 = 1e-30;

/// η in units of η_c up to which wrong modes have not grown much yet.
const BEFORE_FREEZING: f64 = 1.25;

/// The annealing's parameters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct MeanField {
    /// The first η, in units of η_c. Default 0.4.
    pub first: f64,
    /// The last η, in units of η_c. Default 3.2.
    pub last: f64,
    /// Steps from the first to the last; fewer when X is decided before. Default 60.
    pub steps: usize,
    /// The share of Onsager's reaction that is taken back. Default 0.5.
    pub reaction: f64,
    /// κ, the share of the last X that a step keeps, from 0 to below 1. Default 0.
    pub inertia: f64,
    /// Row and column sums are within this of 1. Default 0.02.
    pub sinkhorn_tolerance: f64,
    /// Balancing sweeps a step at most. Default 30.
    pub sinkhorn_sweeps: usize,
}

impl Default for MeanField {
    fn default() -> Self {
        Self {
            first: 0.4,
            last: 3.2,
            steps: 60,
            reaction: 0.5,
            inertia: 0.0,
            sinkhorn_tolerance: 0.02,
            sinkhorn_sweeps: 30,
        }
    }
}

impl MeanField {
    /// η/η_c of the `k`th step.
    fn relative_inverse_temperature(&self, k: usize) -> f64 {
        let share = if self.steps > 1 {
            k as f64 / (self.steps - 1) as f64
        } else {
            1.0
        };
        self.first * (self.last / self.first).powf(share)
    }
}

impl Solver for MeanField {
    fn info(&self) -> Info {
        Info {
            name: "mean-field",
            kind: Kind::Relaxation,
            reference: "Gold, Rangarajan, IEEE TPAMI 1996; critical temperature: ours",
            complexity: "P + O(n²) a balancing sweep",
            accepts: "all",
            candidates: OnLists::Listed,
        }
    }

    fn check(&self) -> Result<()> {
        for (name, value) in [("first", self.first), ("last", self.last)] {
            if !(value > 0.0 && value <= 1e6) {
                return Err(Error::parameter(
                    name,
                    value,
                    "a number above 0, at most 1e6",
                ));
            }
        }
        check_nonnegative("reaction", self.reaction)?;
        if !(0.0..1.0).contains(&self.inertia) {
            return Err(Error::parameter(
                "inertia",
                self.inertia,
                "a number from 0 to below 1",
            ));
        }
        check_nonnegative("sinkhorn_tolerance", self.sinkhorn_tolerance)?;
        check_positive("steps", self.steps)?;
        check_positive("sinkhorn_sweeps", self.sinkhorn_sweeps)
    }

    fn memory(&self, problem: &Problem) -> u64 {
        if problem.candidates().is_all() {
            matrices(problem, 6)
        } else {
            listed::memory(problem)
        }
    }

    /// `convergence` is ‖X' − X‖/√k, k = min(n₁, n₂).
    ///
    /// # Complexity
    /// One product with W and a few balancing sweeps a step. Memory: four
    /// n₁×n₂ matrices and the product's scratch; vectors of all candidates in their place where these are
    /// listed.
    fn solve_accepted(
        &self,
        problem: &Problem,
        start: &Start<'_>,
        monitor: &Monitor,
    ) -> Result<Solution> {
        if !problem.candidates().is_all() {
            return listed::solve(self, problem, start, monitor);
        }
        let annealed = self.anneal(problem, start, monitor)?;
        ties::broken(problem, annealed.solution, monitor)
    }
}

/// What an annealing came to.
pub(crate) struct Annealed {
    pub(crate) solution: Solution,
    /// Σ X(1 − X) a node at the end: 0 for an assignment, 1 for an even X.
    pub(crate) open: f64,
    /// X before it could freeze.
    pub(crate) early: Matrix,
}

impl MeanField {
    /// As [`solve`](Solver::solve), with what tells whether the answer means anything.
    pub(crate) fn anneal(
        &self,
        problem: &Problem,
        start: &Start<'_>,
        monitor: &Monitor,
    ) -> Result<Annealed> {
        self.check()?;
        start.check(problem)?;
        reserve(self, problem, monitor)?;
        let (n, m) = problem.shape();
        let mut iterations = Iterations::new("mean-field", self.steps, problem, monitor);
        let unary = problem.full_unary(monitor)?.as_slice();
        let mut field = Field::new(problem, unary, initial(problem, start));
        let mut early = Vec::new();
        if iterations.go_on() {
            let spread = critical::spread(problem.pairwise(), start.seed, monitor);
            let watch = monitor.stopwatch();
            if spread.is_none() || !field.update_gradient(monitor) {
                iterations.cut_short();
            }
            let mut took = watch.seconds();
            let spread = spread.unwrap_or(0.0);
            let critical = critical::inverse_temperature(problem, spread);
            let mut k = 0;
            while iterations.go_on() {
                // What cannot end in time is not begun.
                if monitor
                    .remaining()
                    .is_some_and(|left| left.as_secs_f64() < took)
                {
                    iterations.stop(Status::TimeLimit);
                    break;
                }
                let watch = monitor.stopwatch();
                let relative = self.relative_inverse_temperature(k);
                if early.is_empty() && k > 0 && relative > BEFORE_FREEZING {
                    early.clone_from(&field.x);
                }
                if k > 0 && !field.update_gradient(monitor) {
                    iterations.cut_short();
                    break;
                }
                let moved = field.step(self, critical * relative, spread, monitor);
                k += 1;
                iterations.record(moved, k == self.steps || field.is_decided);
                took = watch.seconds();
            }
            if k == 0 {
                field.look_at_unary();
            } else if !iterations.were_interrupted() {
                // The score of the last step serves where there is no time for another.
                field.update_gradient(monitor);
            }
        }
        let open = field.open();
        // The field knows an order where X has rounded to zero.
        let score = Matrix::from_vec(n, m, std::mem::take(&mut field.score));
        let assignment = round_within(problem, &score, monitor)?;
        if early.is_empty() {
            early.clone_from(&field.x);
        }
        let soft = Matrix::from_vec(n, m, field.x);
        Ok(Annealed {
            solution: iterations.solution(problem, assignment, soft),
            open,
            early: Matrix::from_vec(n, m, early),
        })
    }
}

/// X and the memory of a step.
struct Field<'p> {
    problem: &'p Problem,
    unary: &'p [f64],
    x: Vec<f64>,
    /// The X before this one, and where the next one comes to stand.
    next: Vec<f64>,
    /// sign · (u + 2 W X).
    score: Vec<f64>,
    scratch: Vec<f64>,
    balancer: Balancer,
    /// Whether X, inertia aside, is all but an assignment, which a larger η would not change.
    is_decided: bool,
}

impl<'p> Field<'p> {
    fn new(problem: &'p Problem, unary: &'p [f64], x: Vec<f64>) -> Self {
        let (n, m) = problem.shape();
        Self {
            problem,
            unary,
            next: vec![0.0; x.len()],
            score: vec![0.0; x.len()],
            x,
            scratch: vec![0.0; problem.pairwise().scratch_len()],
            balancer: Balancer::new(n, m),
            is_decided: false,
        }
    }

    /// The score at X: the objective's gradient; `false` when the monitor cut it short, the score as it was.
    fn update_gradient(&mut self, monitor: &Monitor) -> bool {
        let sign = self.problem.sense().sign();
        let go_on = || monitor.interrupted().is_none();
        let (score, scratch) = (&mut self.score, &mut self.scratch);
        let pairwise = self.problem.pairwise();
        if !pairwise.apply_while(&self.x, score, scratch, &go_on) {
            return false;
        }
        for (slot, u) in self.score.iter_mut().zip(self.unary) {
            *slot = sign * (u + 2.0 * *slot);
        }
        true
    }

    /// The score of no X at all.
    fn look_at_unary(&mut self) {
        let sign = self.problem.sense().sign();
        for (slot, u) in self.score.iter_mut().zip(self.unary) {
            *slot = sign * u;
        }
    }

    /// Σ X(1 − X) a node.
    fn open(&self) -> f64 {
        let (n, m) = self.problem.shape();
        let open: f64 = self.x.iter().map(|x| x * (1.0 - x)).sum();
        open / n.min(m).max(1) as f64
    }

    /// X at inverse temperature η from the last X and its gradient; returns how far it went.
    fn step(&mut self, parameters: &MeanField, eta: f64, spread: f64, monitor: &Monitor) -> f64 {
        let (n, m) = self.problem.shape();
        let open = self.open() * n.min(m) as f64;
        let reaction = parameters.reaction * eta * spread * spread / (n * m) as f64 * open;
        for (slot, before) in self.score.iter_mut().zip(&self.next) {
            *slot -= reaction * before;
        }
        let (low, high) = range(&self.score);
        if self.balancer.is_new {
            self.balancer.centre(&self.score, n, m);
            self.balancer.begin_at_means(eta);
        }
        self.balancer
            .fill(&self.score, eta, high, &mut self.next, n, m);
        let least = (eta * (low - high)).max(LEAST_EXPONENT);
        set_ruled_out(self.problem, &mut self.next, least.exp() * RULED_OUT);
        let limits = (parameters.sinkhorn_tolerance, parameters.sinkhorn_sweeps);
        let go_on = || monitor.interrupted().is_none();
        self.balancer
            .sinkhorn
            .balance_while(&mut self.next, (n, m), limits, go_on);
        self.balancer.remember();
        set_ruled_out(self.problem, &mut self.next, 0.0);
        let (mut moved, mut open) = (0.0, 0.0);
        for (new, old) in self.next.iter().zip(&self.x) {
            moved += (new - old).powi(2);
            open += new * (1.0 - new);
        }
        self.is_decided = open < DECIDED * n.min(m) as f64;
        if parameters.inertia > 0.0 && !self.is_decided {
            for (new, old) in self.next.iter_mut().zip(&self.x) {
                *new += parameters.inertia * (old - *new);
            }
            moved *= (1.0 - parameters.inertia).powi(2);
        }
        std::mem::swap(&mut self.x, &mut self.next);
        (moved / n.min(m) as f64).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::{ProductPairwise, Sense, Weights};

    fn random_graph(n: usize, seed: u64) -> Matrix {
        Matrix::from_fn(n, n, |i, j| {
            let (low, high) = (i.min(j) as u64, i.max(j) as u64);
            let mixed = (low * 1_000_003 + high + seed * 77_777_777 + 1)
                .wrapping_mul(0x9E37_79B9_7F4A_7C15);
            if i == j {
                0.0
            } else {
                (mixed >> 11) as f64 / (1u64 << 53) as f64
            }
        })
    }

    fn problem(n: usize, noise: f64) -> Problem {
        let (a, other) = (random_graph(n, 1), random_graph(n, 2));
        let order: Vec<usize> = (0..n).map(|i| (i * 7 + 3) % n).collect();
        let b = Matrix::from_fn(n, n, |i, j| {
            a[(order[i], order[j])] + noise * (other[(i, j)] - 0.5)
        });
        ProductPairwise::problem(Sense::Maximise, Weights::Dense(a), Weights::Dense(b), None)
            .unwrap()
    }

    #[test]
    fn a_noisy_copy_is_found_without_any_anchor() {
        let n = 40;
        let solution = MeanField::default()
            .solve(&problem(n, 0.2), &Start::default(), &Monitor::silent())
            .unwrap();
        let right = |i: usize| {
            solution.assignment.partner(i) == Some((0..n).find(|k| (k * 7 + 3) % n == i).unwrap())
        };
        assert!((0..n).all(right));
    }

    #[test]
    fn what_cannot_be_decided_stays_open() {
        let annealed = |a: Matrix, b: Matrix| {
            let mean_field = MeanField {
                first: 1.1,
                last: 1.9,
                reaction: 0.6,
                inertia: 0.5,
                ..MeanField::default()
            };
            let (a, b) = (Weights::Dense(a), Weights::Dense(b));
            let problem = ProductPairwise::problem(Sense::Maximise, a, b, None).unwrap();
            let start = Start::default();
            mean_field
                .anneal(&problem, &start, &Monitor::silent())
                .unwrap()
        };
        let n = 80;
        let same = annealed(random_graph(n, 3), random_graph(n, 3));
        assert!(same.open < 0.01, "{}", same.open);
        assert!((0..n).all(|i| same.solution.assignment.partner(i) == Some(i)));
        let other = annealed(random_graph(n, 3), random_graph(n, 4));
        assert!(other.open > 0.5, "{}", other.open);
        for row in other.early.as_slice().chunks(n) {
            assert!((row.iter().sum::<f64>() - 1.0).abs() < 0.1);
        }
        // Before it freezes X is further from any assignment than after.
        let open = |x: &Matrix| -> f64 { x.as_slice().iter().map(|x| x * (1.0 - x)).sum() };
        assert!(open(&other.early) > open(other.solution.soft_matrix().unwrap()));
    }

    #[test]
    fn without_any_time_the_unary_part_decides() {
        let (n, linear) = (6, |i: usize, a: usize| {
            f64::from(u8::from((i + 2) % 6 == a))
        });
        let (a, b) = (random_graph(n, 1), random_graph(n, 2));
        let problem = ProductPairwise::problem(
            Sense::Maximise,
            Weights::Dense(a),
            Weights::Dense(b),
            Some(&Matrix::from_fn(n, n, linear)),
        )
        .unwrap();
        let late = Monitor::silent().time_limit(std::time::Duration::ZERO);
        let solution = MeanField::default()
            .solve(&problem, &Start::default(), &late)
            .unwrap();
        assert_eq!(solution.status, Status::TimeLimit);
        assert!((0..n).all(|i| solution.assignment.partner(i) == Some((i + 2) % n)));
    }

    #[test]
    fn a_stop_at_any_step_is_the_last_one() {
        let problem = problem(30, 0.2);
        for steps in [1, 2, 7] {
            let monitor = Monitor::silent();
            let token = monitor.cancel_token();
            let seen = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
            let counted = std::sync::Arc::clone(&seen);
            let monitor = monitor.observe(move |_| {
                let made = counted.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                if made + 1 == steps {
                    token.cancel();
                }
            });
            let solution = MeanField::default()
                .solve(&problem, &Start::default(), &monitor)
                .expect("a first guess");
            assert_eq!(solution.status, Status::Cancelled);
            assert_eq!(seen.load(std::sync::atomic::Ordering::Relaxed), steps);
            assert!(problem.is_feasible(&solution.assignment));
        }
    }

    #[test]
    fn the_scale_of_the_problem_does_not_matter() {
        let (a, b) = (random_graph(9, 3), random_graph(9, 4));
        let scaled = |factor: f64| {
            let a = Matrix::from_fn(9, 9, |i, j| factor * a[(i, j)]);
            let problem = ProductPairwise::problem(
                Sense::Maximise,
                Weights::Dense(a),
                Weights::Dense(b.clone()),
                None,
            )
            .unwrap();
            let start = Start::default();
            MeanField::default()
                .solve(&problem, &start, &Monitor::silent())
                .unwrap()
                .assignment
        };
        assert_eq!(scaled(1.0), scaled(1024.0));
    }
}
