//! Reweighted random walks for graph matching (Cho, Lee, Lee, ECCV 2010).
//!
//! A walker moves on the assignments, from ia to jb with probability proportional to W(ia, jb), and
//! from time to time jumps to an assignment that the constraints favour. One iteration:
//!
//! > x̄ = W (α x + (1 − α) z), scaled to sum 1                        (walk, jump)
//! > z = Sinkhorn( exp(β x̄ / max x̄) ), scaled to sum 1             (reweighting)
//!
//! with α = 0.2 and β = 30, the authors' constants. As the number n of nodes grows the distribution
//! flattens and a fixed β no longer tells assignments apart, so beyond 30 nodes β = n: on synthetic
//! pairs of 100 nodes at noise 0.2 the accuracy is 0.20 with β = 30 and 1.00 with β = 100. Between views
//! of the house model (49 free nodes) β = 30 is the better one, so the rule is no law.
//!
//! The walk has converged when the distribution no longer moves, or moves
//! between two states: Σ|x − x'| against the last and the last but one. At the end a linear
//! assignment on x gives the matching. Columns of W that belong to conflicting assignments are zero
//! by the contract of [`Pairwise`](crate::problem::Pairwise).
//!
//! **First-order terms.** The authors' W has them on its diagonal, where the walk meets them as self-loops and
//! stays: even a constant, which changes no optimum, freezes it. With `linear_unary` they are counted in the
//! pairs, W(ia, jb) + (u_ia + u_jb)/(2(n − 1)) with u from its least value: the same program on full
//! assignments, and a constant more or less changes nothing ([`Affinities::linear`]).

use serde::{Deserialize, Serialize};

use super::relaxation::{cap_sums, check_nonnegative, check_positive};
use super::{Info, Kind, OnLists, Solution, Solver, Start, Status, matrices, round_within};
use crate::assignment::Sinkhorn;
use crate::error::{Error, Result};
use crate::linalg::Matrix;
use crate::monitor::{Monitor, Progress};
use crate::problem::{Affinities, Problem};

/// The walk's parameters; the defaults are the authors' constants.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Rrwm {
    /// α, the share of the walk; 1 − α is the share of the jump. Default 0.2.
    pub walk: f64,
    /// β, how strongly the reweighting favours large entries. Default: 30, the authors' constant, up
    /// to 30 nodes, and the number of nodes of the smaller side beyond, at most 600.
    pub amplification: Option<f64>,
    /// Iterations at most. Default 300.
    pub max_iterations: usize,
    /// The walk has converged when Σ|x − x'| is at most this. Default 1e-9.
    pub tolerance: f64,
    /// Row and column sums of the reweighting are within this of 1. Default 1e-3.
    pub sinkhorn_tolerance: f64,
    /// Sinkhorn sweeps an iteration at most. Default 100.
    pub sinkhorn_sweeps: usize,
    /// Whether unary values are shared out among the pairs instead of standing on W's diagonal, where the
    /// walk meets them as self-loops. Default false, as the authors have it.
    pub linear_unary: bool,
}

impl Default for Rrwm {
    fn default() -> Self {
        Self {
            walk: 0.2,
            amplification: None,
            max_iterations: 300,
            tolerance: 1e-9,
            sinkhorn_tolerance: 1e-3,
            sinkhorn_sweeps: 100,
            linear_unary: false,
        }
    }
}

impl Rrwm {
    /// The walk with first-order terms counted in the pairs.
    #[must_use]
    pub fn linear() -> Self {
        Self {
            linear_unary: true,
            ..Self::default()
        }
    }
}

/// exp(−β) must stay above the smallest positive number.
const MOST_AMPLIFICATION: f64 = 600.0;

impl Solver for Rrwm {
    fn info(&self) -> Info {
        Info {
            name: "rrwm",
            kind: Kind::Relaxation,
            reference: "Cho, Lee, Lee, ECCV 2010",
            complexity: "P + O(n²) a Sinkhorn sweep",
            accepts: "all; costs and negative values are shifted to affinities",
            candidates: OnLists::Filled,
        }
    }

    fn check(&self) -> Result<()> {
        if !(0.0..=1.0).contains(&self.walk) {
            return Err(Error::parameter("walk", self.walk, "a number from 0 to 1"));
        }
        if let Some(value) = self.amplification
            && !(0.0..=MOST_AMPLIFICATION).contains(&value)
        {
            let expected = format!("a number from 0 to {MOST_AMPLIFICATION}");
            return Err(Error::parameter("amplification", value, expected));
        }
        check_nonnegative("tolerance", self.tolerance)?;
        check_nonnegative("sinkhorn_tolerance", self.sinkhorn_tolerance)?;
        check_positive("sinkhorn_sweeps", self.sinkhorn_sweeps)
    }

    fn memory(&self, problem: &Problem) -> u64 {
        matrices(problem, 6)
    }

    /// # Complexity
    /// One product with W and a few Sinkhorn sweeps an iteration: O(r n³) for a separable kernel of
    /// rank r. Memory: four n₁×n₂ matrices and the product's scratch.
    fn solve_accepted(
        &self,
        problem: &Problem,
        start: &Start<'_>,
        monitor: &Monitor,
    ) -> Result<Solution> {
        let affinities = if self.linear_unary {
            Affinities::linear(problem)
        } else {
            Affinities::of(problem)
        };
        let (rows, cols) = problem.shape();
        let size = rows * cols;
        let mut walk = Walk::new(&affinities, self.walk, start);
        let mut jump = Matrix::zeros(rows, cols);
        let mut sinkhorn = Sinkhorn::new();
        let mut convergence = Vec::new();
        let mut status = if size == 0 {
            Status::Converged
        } else {
            Status::IterationLimit
        };
        while status == Status::IterationLimit && convergence.len() < self.max_iterations {
            let change = walk.step(&affinities);
            let shape = (rows, cols);
            self.reweight(
                &walk.now,
                jump.as_mut_slice(),
                &mut sinkhorn,
                shape,
                monitor,
            );
            affinities.mask(jump.as_mut_slice());
            walk.mix(jump.as_slice());
            convergence.push(change);
            let progress = Progress {
                stage: "rrwm",
                done: convergence.len(),
                total: Some(self.max_iterations),
                value: Some(change),
            };
            let interrupt = monitor.checkpoint(progress);
            if change <= self.tolerance {
                status = Status::Converged;
            } else if let Some(interrupt) = interrupt {
                status = interrupt.into();
            }
        }
        let score = Matrix::from_vec(rows, cols, walk.now);
        let assignment = round_within(problem, &score, monitor)?;
        cap_sums(&mut jump, &assignment);
        Ok(Solution {
            objective: problem.objective(&assignment),
            assignment,
            soft: Some(jump.into()),
            iterations: convergence.len(),
            status,
            convergence,
        })
    }
}

impl Rrwm {
    /// z = Sinkhorn(exp(β x / max x)).
    fn reweight(
        &self,
        x: &[f64],
        z: &mut [f64],
        sinkhorn: &mut Sinkhorn,
        (rows, cols): (usize, usize),
        monitor: &Monitor,
    ) {
        let amplification = self
            .amplification
            .unwrap_or((rows.min(cols) as f64).clamp(30.0, MOST_AMPLIFICATION));
        let largest = x.iter().fold(0.0f64, |m, &v| m.max(v));
        let factor = if largest > 0.0 {
            amplification / largest
        } else {
            0.0
        };
        // A common factor changes nothing after balancing; this one keeps the largest entry at 1.
        for (slot, &value) in z.iter_mut().zip(x) {
            *slot = (factor * (value - largest)).exp();
        }
        let limits = (self.sinkhorn_tolerance, self.sinkhorn_sweeps);
        let go_on = || monitor.interrupted().is_none();
        sinkhorn.balance_while(z, (rows, cols), limits, go_on);
    }
}

/// The distribution of the walker, now and in the two iterations before.
struct Walk {
    share: f64,
    now: Vec<f64>,
    last: Vec<f64>,
    last_but_one: Vec<f64>,
    /// α x + (1 − α) z.
    mixed: Vec<f64>,
    scratch: Vec<f64>,
}

impl Walk {
    fn new(affinities: &Affinities<'_>, share: f64, start: &Start<'_>) -> Self {
        let mut first = affinities.uniform();
        if let Some(soft) = start.soft {
            let total: f64 = soft.iter().sum();
            let cols = soft.shape().1;
            if total > 0.0 {
                // Assignments that are ruled out keep the zero that they have.
                let allowed = first.iter_mut().enumerate().filter(|slot| *slot.1 > 0.0);
                allowed.for_each(|(k, slot)| *slot = soft.get(k / cols, k % cols) / total);
            }
        }
        Self {
            share,
            now: first.clone(),
            last: first.clone(),
            last_but_one: vec![0.0; first.len()],
            mixed: first,
            scratch: vec![0.0; affinities.scratch_len()],
        }
    }

    /// x̄ = W · mixed, scaled to sum 1; returns how far the distribution moved.
    fn step(&mut self, affinities: &Affinities<'_>) -> f64 {
        std::mem::swap(&mut self.last_but_one, &mut self.last);
        std::mem::swap(&mut self.last, &mut self.now);
        affinities.apply(&self.mixed, &mut self.now, &mut self.scratch);
        let sum: f64 = self.now.iter().sum();
        if sum <= 0.0 {
            // W is zero: every assignment is as good as every other.
            self.now.copy_from_slice(&self.last);
            return 0.0;
        }
        let scale = 1.0 / sum;
        let (mut moved, mut moved_twice) = (0.0, 0.0);
        for ((now, last), older) in self.now.iter_mut().zip(&self.last).zip(&self.last_but_one) {
            *now *= scale;
            moved += (*now - last).abs();
            moved_twice += (*now - older).abs();
        }
        f64::min(moved, moved_twice)
    }

    fn mix(&mut self, jump: &[f64]) {
        let total: f64 = jump.iter().sum();
        let jump_share = if total > 0.0 {
            (1.0 - self.share) / total
        } else {
            0.0
        };
        for ((mixed, now), jump) in self.mixed.iter_mut().zip(&self.now).zip(jump) {
            *mixed = self.share * now + jump_share * jump;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_support::{self, kernel_problem as problem, values};
    use super::*;
    use crate::assignment::textbook_sinkhorn;
    use crate::problem::{GaussianKernel, Listed, SeparablePairwise};
    use crate::solver::relaxation::largest_sum;

    #[test]
    fn soft_sums_stay_within_one_where_the_walk_passes_it() {
        // The tolerance of the balancing left a row sum of 1.011 here.
        let listed = Listed {
            rows: 7,
            cols: 3,
            assignments: vec![(0, 0, -1.2), (0, 1, 20.0), (1, 1, 0.5), (2, 2, 0.0)],
            pairs: vec![(0, 2, -1.0), (2, 3, 2725.0), (0, 1, 7.0)],
        };
        let problem = listed.problem().unwrap();
        let solution = Rrwm::default()
            .solve(&problem, &Start::default(), &Monitor::silent())
            .unwrap();
        let most = largest_sum(solution.soft_matrix().unwrap().as_slice(), 7, 3);
        assert!(most <= 1.0 + 1e-12, "{most}");
    }

    /// The authors' algorithm, written out on the full matrix with all its slack rows.
    fn reference(problem: &Problem, iterations: usize) -> Vec<f64> {
        let (n, m) = problem.shape();
        let w = |p: usize, q: usize| {
            if p == q {
                problem.unary()[(p / m, p % m)]
            } else {
                problem.pairwise().value(p / m, p % m, q / m, q % m)
            }
        };
        let size = n * m;
        let (mut x, mut z) = (vec![1.0 / size as f64; size], vec![1.0 / size as f64; size]);
        for _ in 0..iterations {
            let mixed: Vec<f64> = x.iter().zip(&z).map(|(x, z)| 0.2 * x + 0.8 * z).collect();
            x = (0..size)
                .map(|p| (0..size).map(|q| w(p, q) * mixed[q]).sum())
                .collect();
            let total: f64 = x.iter().sum();
            x.iter_mut().for_each(|v| *v /= total);
            let largest = x.iter().fold(0.0f64, |a, &b| a.max(b));
            let sharpened: Vec<f64> = x.iter().map(|v| (30.0 * v / largest).exp()).collect();
            z = textbook_sinkhorn(&sharpened, n, m, 3000);
            let total: f64 = z.iter().sum();
            z.iter_mut().for_each(|v| *v /= total);
        }
        x
    }

    #[test]
    fn it_walks_as_the_authors_do() {
        for (n, m) in [(4, 4), (3, 5), (5, 3)] {
            let problem = problem(values(n, 1), values(m, 2), false);
            let iterations = 6;
            let solver = Rrwm {
                max_iterations: iterations,
                tolerance: 0.0,
                sinkhorn_tolerance: 1e-13,
                sinkhorn_sweeps: 3000,
                ..Rrwm::default()
            };
            let affinities = Affinities::of(&problem);
            let mut walk = Walk::new(&affinities, solver.walk, &Start::default());
            let mut jump = vec![0.0; n * m];
            for _ in 0..iterations {
                walk.step(&affinities);
                let silent = Monitor::silent();
                solver.reweight(&walk.now, &mut jump, &mut Sinkhorn::new(), (n, m), &silent);
                walk.mix(&jump);
            }
            for (got, want) in walk.now.iter().zip(reference(&problem, iterations)) {
                assert!((got - want).abs() < 1e-9, "{n}×{m}: {got} {want}");
            }
        }
    }

    #[test]
    fn it_behaves_as_every_relaxation() {
        test_support::behaves(&Rrwm::default());
        test_support::behaves(&Rrwm::linear());
    }

    /// A kernel problem with unary values that say something, and a constant more.
    fn with_unary(constant: f64) -> Problem {
        let unary = Matrix::from_fn(9, 9, |i, a| constant + ((i * 5 + a * 3) % 7) as f64 / 7.0);
        let kernel = GaussianKernel::new(0.2).unwrap();
        let (x, y) = (values(9, 1), values(9, 2));
        let pairwise = SeparablePairwise::new(x, y, kernel, 1e-9, &Monitor::silent()).unwrap();
        Problem::maximise(unary, Box::new(pairwise)).unwrap()
    }

    #[test]
    fn counted_in_the_pairs_a_constant_changes_nothing() {
        let solve = |solver: &Rrwm, constant: f64| {
            let problem = with_unary(constant);
            solver
                .solve(&problem, &Start::default(), &Monitor::silent())
                .unwrap()
        };
        let steps = |solution: &Solution| solution.convergence[..5].to_vec();
        let (linear, literal) = (Rrwm::linear(), Rrwm::default());
        let (plain, on_diagonal) = (solve(&linear, 0.0), solve(&literal, 0.0));
        for constant in [1.0, 3.0, 8.0, -2.0] {
            let shifted = solve(&linear, constant);
            assert_eq!(shifted.assignment, plain.assignment, "{constant}");
            assert_eq!(shifted.iterations, plain.iterations, "{constant}");
            for (one, other) in steps(&plain).iter().zip(steps(&shifted)) {
                assert!((one - other).abs() < 1e-9, "{constant}: {one} {other}");
            }
        }
        // On the diagonal the same constant slows the walk from its first step on.
        let slowed = steps(&solve(&literal, 100.0));
        assert!(slowed[0] < 0.5 * steps(&on_diagonal)[0], "{slowed:?}");
    }

    #[test]
    fn a_fixed_point_stays_one() {
        // At convergence another iteration moves the distribution by no more than the tolerance.
        let problem = problem(values(8, 3), values(8, 4), true);
        let solution = Rrwm::default()
            .solve(&problem, &Start::default(), &Monitor::silent())
            .unwrap();
        assert_eq!(solution.status, Status::Converged);
        assert!(*solution.convergence.last().unwrap() <= 1e-9);
        let before = solution.convergence[solution.convergence.len() - 2];
        assert!(before > 1e-9);
    }

    #[test]
    fn bad_parameters_are_refused() {
        test_support::refuses::<Rrwm>(&[
            ("walk", |s| s.walk = 1.5),
            ("amplification", |s| s.amplification = Some(f64::NAN)),
            ("tolerance", |s| s.tolerance = -1.0),
            ("sinkhorn_sweeps", |s| s.sinkhorn_sweeps = 0),
        ]);
    }
}
