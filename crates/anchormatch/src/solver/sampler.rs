//! Assignments drawn from their posterior, and how often each pair is among them.
//!
//! For an objective E in nats the posterior of an assignment is P(p) ∝ exp(E(p)). A Metropolis chain
//! proposes, for a random row i and a random column b or none, that i takes b: when both are matched
//! the two exchange; when b is free or i alone, i takes it; with none, i is left alone (partial
//! coverage only). Each of these proposals is undone by one that is as likely, so accepting with
//! probability min(1, exp ΔE) leaves P unchanged. The chain works on the state that searches share
//! and judges a proposal in O(1); only accepted ones cost O(r n₁ n₂).
//!
//! Several chains run at rising temperatures, P^β with β falling to ½, and neighbours exchange their
//! states by the same rule (parallel tempering: Swendsen, Wang 1986; Geyer 1991), so that the coldest
//! one is not caught in one mode. With a [`Curve`] F, P(p) ∝ exp(F(E(p))). Modes that are known are also moved between at once ([`jumps`]
//! (super::jumps)).

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::jumps::Jumps;
use super::local::{Local, Step};
use super::memory::reserve_for;
use super::{Kind, matrices};
use crate::assignment::Assignment;
use crate::error::Result;
use crate::linalg::Matrix;
use crate::monitor::{Interrupt, Monitor};
use crate::problem::{Coverage, Problem};

/// Jumps proposed to each chain in a sweep.
const JUMPS: usize = 4;

/// What is less likely than exp of this would not be seen in the age of the world.
const HOPELESS: f64 = -45.0;

/// How long to sample.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Sampler {
    /// Sweeps whose states are counted, each of n₁ n₂ proposals at most. Default 200.
    pub sweeps: usize,
    /// Sweeps before, which are not. Default 40.
    pub burn_in: usize,
    /// Proposals of a sweep at most. Default 20 000.
    pub most_proposals: usize,
    /// Chains at falling β, from 1 to ½. Default 4.
    pub chains: usize,
    /// Modes that are known: chains jump between them and where they start, which changes how fast
    /// they mix but not what they draw from. Default none.
    pub modes: Vec<Assignment>,
    /// What the posterior's logarithm is as a function of the objective. Default: the objective itself.
    pub curve: Option<Curve>,
    /// Work at most, in proposals; an accepted one counts as n₁ n₂/8. A fifth of it may go before the
    /// first state is counted. Default 20 million.
    pub most_work: u64,
}

impl Default for Sampler {
    fn default() -> Self {
        Self {
            sweeps: 200,
            burn_in: 40,
            most_proposals: 20_000,
            chains: 4,
            modes: Vec::new(),
            curve: None,
            most_work: 20_000_000,
        }
    }
}

/// A function of the objective: straight between points that are evenly spaced, and beyond them.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    first: f64,
    step: f64,
    values: Vec<f64>,
}

impl Curve {
    /// `value` at points from `first` to `last`, as sign · objective without the problem's constant.
    ///
    /// # Panics
    /// When the range is empty or not finite.
    #[must_use]
    pub fn new(first: f64, last: f64, steps: usize, value: impl Fn(f64) -> f64) -> Self {
        assert!(first < last && (last - first).is_finite(), "a finite range");
        let steps = steps.max(1);
        let step = (last - first) / steps as f64;
        let point = |k: usize| value(first + k as f64 * step);
        Self {
            first,
            step,
            values: (0..=steps).map(point).collect(),
        }
    }

    /// The value at `x`.
    #[must_use]
    pub fn at(&self, x: f64) -> f64 {
        let place = (x - self.first) / self.step;
        let k = (place.max(0.0) as usize).min(self.values.len() - 2);
        let (low, high) = (self.values[k], self.values[k + 1]);
        low + (high - low) * (place - k as f64)
    }
}

/// What a chain saw.
#[derive(Debug, Clone)]
pub struct Samples {
    /// How often each pair was matched, as a share of the states counted.
    pub marginals: Matrix,
    /// States counted.
    pub counted: usize,
    /// States counted that are not the one where the chains started.
    pub elsewhere: usize,
    /// The best state seen, and its objective's sign · value without the problem's constant.
    pub best: (Assignment, f64),
    /// Whether a limit cut the sampling short.
    pub interrupt: Option<Interrupt>,
}

impl Sampler {
    /// Samples from `first`; `visit` sees every state that is counted.
    ///
    /// # Errors
    /// When the memory does not suffice.
    ///
    /// # Complexity
    /// O(1) a proposal and O(r n₁ n₂) an accepted one. Memory: one n₁×n₂ and two n₁×n₁ matrices a chain.
    pub fn sample(
        &self,
        problem: &Problem,
        first: &Assignment,
        seed: u64,
        monitor: &Monitor,
        mut visit: impl FnMut(&Assignment),
    ) -> Result<Samples> {
        let (n, m) = problem.shape();
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let chains = self.chains.max(1);
        let betas: Vec<f64> = (0..chains)
            .map(|k| 0.5f64.powf(k as f64 / (chains - 1).max(1) as f64))
            .collect();
        let mut modes = vec![first.clone()];
        modes.extend(self.modes.iter().filter(|mode| *mode != first).cloned());
        let mut jumps = Jumps::between(&modes, (n, m));
        let needed = Local::memory(problem).saturating_mul(chains as u64);
        let needed = needed.saturating_add(matrices(problem, 1));
        reserve_for(Kind::Search, problem, needed, monitor)?;
        let mut states = Vec::with_capacity(chains);
        for k in 0..chains {
            states.push(Local::new(problem, &modes[k % modes.len()], monitor)?);
        }
        let mut samples = Samples {
            marginals: Matrix::zeros(n, m),
            counted: 0,
            elsewhere: 0,
            best: (first.clone(), states[0].gain()),
            interrupt: None,
        };
        let proposals = (n * m).min(self.most_proposals);
        let (mut work, cost) = (0u64, (n * m / 8).max(1) as u64);
        let mut burnt_in = false;
        for sweep in 0.. {
            samples.interrupt = monitor.interrupted();
            let enough = samples.counted >= self.sweeps || work >= self.most_work;
            if samples.interrupt.is_some() || n * m == 0 || enough {
                break;
            }
            for (state, beta) in states.iter_mut().zip(&betas) {
                for _ in 0..proposals {
                    work += 1;
                    if !self.propose(state, problem, *beta, &mut random) {
                        continue;
                    }
                    work += cost;
                    if state.gain() > samples.best.1 + state.tolerance() {
                        samples.best = (state.assignment(), state.gain());
                    }
                }
                for _ in 0..JUMPS.min(jumps.len()) {
                    // Lazily, or jumps that are all accepted would lead back every time.
                    if random.random::<bool>() {
                        continue;
                    }
                    work += 2 * cost;
                    if self.jump(state, &mut jumps, problem, *beta, &mut random) {
                        work += cost * n.max(m) as u64;
                    }
                }
            }
            for k in (sweep % 2..chains - 1).step_by(2) {
                let gap = self.rise(states[k].gain(), states[k + 1].gain());
                if accepts((betas[k] - betas[k + 1]) * gap, &mut random) {
                    states.swap(k, k + 1);
                }
            }
            burnt_in |= sweep >= self.burn_in || work >= self.most_work / 5;
            if burnt_in {
                let assignment = states[0].assignment();
                for (i, a) in assignment.pairs() {
                    samples.marginals[(i, a)] += 1.0;
                }
                samples.elsewhere += usize::from(assignment != *first);
                visit(&assignment);
                samples.counted += 1;
            }
        }
        if samples.counted == 0 {
            // Cut off at once: the start is all that is known.
            for (i, a) in first.pairs() {
                samples.marginals[(i, a)] = 1.0;
            }
        } else {
            let share = 1.0 / samples.counted as f64;
            for value in samples.marginals.as_mut_slice() {
                *value *= share;
            }
        }
        Ok(samples)
    }

    /// How much more likely, in nats, states of objective `to` are than those of `from`.
    fn rise(&self, from: f64, to: f64) -> f64 {
        match &self.curve {
            None => to - from,
            Some(curve) => curve.at(to) - curve.at(from),
        }
    }

    /// One proposal; whether it was accepted.
    fn propose(
        &self,
        state: &mut Local<'_>,
        problem: &Problem,
        beta: f64,
        random: &mut ChaCha8Rng,
    ) -> bool {
        let (n, m) = state.shape();
        let options = m + usize::from(problem.coverage() == Coverage::Partial);
        let (row, column) = (random.random_range(0..n), random.random_range(0..options));
        let matched = state.partners()[row] < m;
        let taken = column < m && state.owner(column) < n;
        let step = Step {
            row,
            column,
            exchange: matched && taken,
        };
        // Without partial coverage a row that is alone must not take a column from another: with more
        // rows than columns that is the way a row enters, and its reverse is the same move.
        if !state.permits(step) {
            return false;
        }
        let gain = state.gain();
        if accepts(beta * self.rise(gain, gain + state.change(step)), random) {
            state.make(step);
            return true;
        }
        false
    }

    /// One jump between modes; whether it was accepted.
    fn jump(
        &self,
        state: &mut Local<'_>,
        jumps: &mut Jumps,
        problem: &Problem,
        beta: f64,
        random: &mut ChaCha8Rng,
    ) -> bool {
        let k = random.random_range(0..jumps.len());
        let Some(there) = jumps.propose(k, state.partners(), problem) else {
            return false;
        };
        let gain = problem.sense().sign() * (problem.objective(there) - problem.constant());
        if accepts(beta * self.rise(state.gain(), gain), random) {
            state.set(there);
            return true;
        }
        false
    }
}

fn accepts(log_ratio: f64, random: &mut ChaCha8Rng) -> bool {
    log_ratio >= 0.0 || (log_ratio > HOPELESS && random.random::<f64>() < log_ratio.exp())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::{ExplicitPairwise, Sense};
    use anchormatch_invariants::small_problems::assignments;

    fn problem(n: usize, m: usize, coverage: Coverage, sense: Sense) -> Problem {
        let size = n * m;
        let entry = |p: usize, q: usize| ((p * q * 7 + 3 * (p + q)) % 11) as f64 / 11.0 - 0.5;
        let matrix = Matrix::from_fn(size, size, entry);
        let unary = Matrix::from_fn(n, m, |i, a| ((3 * i + 5 * a) % 7) as f64 / 7.0 - 0.3);
        let pairwise = ExplicitPairwise::new(n, m, matrix).unwrap();
        Problem::new(sense, unary, Box::new(pairwise))
            .unwrap()
            .with_coverage(coverage)
    }

    /// All feasible assignments.
    fn all(problem: &Problem) -> Vec<Assignment> {
        let (n, m) = problem.shape();
        let mut found: Vec<Assignment> = assignments(n, m, true);
        found.retain(|p| problem.is_feasible(p));
        found
    }

    #[test]
    fn a_curve_goes_through_its_points_and_straight_on() {
        let curve = Curve::new(-2.0, 2.0, 8, |x| x * x);
        for (x, want) in [
            (-2.0, 4.0),
            (0.5, 0.25),
            (2.0, 4.0),
            (0.25, 0.125),
            (3.0, 7.5),
        ] {
            assert!((curve.at(x) - want).abs() < 1e-12, "{x}");
        }
        assert!((curve.at(-3.0) - 7.5).abs() < 1e-12);
    }

    #[test]
    fn a_curve_takes_the_objectives_place() {
        let problem = problem(3, 3, Coverage::Full, Sense::Maximise);
        let bend = |x: f64| 2.0 * x + 0.3 * x * x;
        let all = all(&problem);
        let weights: Vec<f64> = all
            .iter()
            .map(|p| bend(problem.objective(p)).exp())
            .collect();
        let with = |i: usize, a: usize| {
            let holds = all
                .iter()
                .map(|p| f64::from(u8::from(p.partner(i) == Some(a))));
            holds.zip(&weights).map(|(h, w)| h * w).sum::<f64>()
        };
        let sampler = Sampler {
            sweeps: 20_000,
            curve: Some(Curve::new(-10.0, 10.0, 2000, bend)),
            ..Sampler::default()
        };
        let first = Assignment::identity(3);
        let samples = sampler
            .sample(&problem, &first, 5, &Monitor::silent(), |_| {})
            .unwrap();
        let total: f64 = weights.iter().sum();
        for i in 0..3 {
            for a in 0..3 {
                let (got, want) = (samples.marginals[(i, a)], with(i, a) / total);
                assert!((got - want).abs() < 0.02, "{got} {want}");
            }
        }
    }

    #[test]
    fn marginals_are_those_of_the_posterior() {
        for (n, m) in [(3, 3), (3, 4), (4, 3)] {
            for coverage in [Coverage::Full, Coverage::Partial] {
                for sense in [Sense::Maximise, Sense::Minimise] {
                    let problem = problem(n, m, coverage, sense);
                    let mut want = Matrix::zeros(n, m);
                    let mut total = 0.0;
                    for p in all(&problem) {
                        let weight = (sense.sign() * problem.objective(&p)).exp();
                        total += weight;
                        for (i, a) in p.pairs() {
                            want[(i, a)] += weight;
                        }
                    }
                    let first: Assignment = (0..n).map(|i| (i < m).then_some(i)).collect();
                    let last = first.partner(n - 1);
                    let mut other: Assignment = [last].into_iter().chain(&first).take(n).collect();
                    other.swap(0, 1);
                    let sampler = Sampler {
                        sweeps: 20_000,
                        burn_in: 100,
                        modes: vec![other],
                        ..Sampler::default()
                    };
                    let mut seen = 0;
                    let samples = sampler
                        .sample(&problem, &first, 5, &Monitor::silent(), |p| {
                            assert!(problem.is_feasible(p));
                            seen += 1;
                        })
                        .unwrap();
                    assert_eq!((seen, samples.counted), (20_000, 20_000));
                    for (got, want) in samples.marginals.as_slice().iter().zip(want.as_slice()) {
                        let want = want / total;
                        assert!(
                            (got - want).abs() < 0.02,
                            "{n}×{m} {coverage:?}: {got} {want}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn modes_beyond_all_barriers_get_their_weights() {
        // Pairs are worth 30 together and nothing alone: two modes, the second 1 nat below.
        let (n, m) = (6, 6);
        let kind = |p: usize| match (p % m + n - p / m) % n {
            0 => 0,
            3 => 1,
            _ => 2,
        };
        let matrix = Matrix::from_fn(n * m, n * m, |p, q| {
            let conflict = p / m == q / m || p % m == q % m;
            let together = kind(p) == kind(q) && kind(p) < 2 && !conflict;
            f64::from(u8::from(together))
        });
        let unary = Matrix::from_fn(n, m, |i, a| {
            if kind(i * m + a) == 1 {
                -1.0 / 6.0
            } else {
                0.0
            }
        });
        let pairwise = ExplicitPairwise::new(n, m, matrix).unwrap();
        let problem = Problem::maximise(unary, Box::new(pairwise)).unwrap();
        let first = Assignment::identity(n);
        let second: Assignment = (0..n).map(|i| Some((i + 3) % n)).collect();
        let share = |modes| {
            let sampler = Sampler {
                sweeps: 4000,
                chains: 1,
                modes,
                ..Sampler::default()
            };
            let samples = sampler
                .sample(&problem, &first, 3, &Monitor::silent(), |_| {})
                .unwrap();
            samples.marginals[(0, 0)]
        };
        assert!(share(vec![]) > 0.99, "without jumps it stays");
        let want = 1.0 / (1.0 + (-1.0f64).exp());
        let got = share(vec![second]);
        assert!((got - want).abs() < 0.03, "{got} instead of {want}");
    }

    #[test]
    fn the_same_seed_gives_the_same_samples() {
        let problem = problem(4, 5, Coverage::Partial, Sense::Maximise);
        let run = |seed| {
            Sampler::default()
                .sample(
                    &problem,
                    &Assignment::empty(4),
                    seed,
                    &Monitor::silent(),
                    |_| {},
                )
                .unwrap()
                .marginals
        };
        assert_eq!(run(1), run(1));
        assert_ne!(run(1), run(2));
    }

    #[test]
    fn nothing_to_sample_is_no_error() {
        let pairwise = ExplicitPairwise::new(0, 3, Matrix::zeros(0, 0)).unwrap();
        let empty = Problem::maximise(Matrix::zeros(0, 3), Box::new(pairwise)).unwrap();
        let samples = Sampler::default()
            .sample(
                &empty,
                &Assignment::default(),
                1,
                &Monitor::silent(),
                |_| {},
            )
            .unwrap();
        assert_eq!(samples.counted, 0);
    }
}
