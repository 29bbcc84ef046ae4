//! Annealing over listed candidates, for any W and coverage.
//!
//! Metropolis' rule over the moves of [`Local`]: a row takes a listed column that is free, exchanges with
//! its owner where both may, and, where nodes may stay alone, leaves its owner alone or drops its own. The
//! gradient over the entries is kept up to date, so that a proposal costs a search in two short lists and
//! only a move costs the degrees. Temperatures are in units of what two candidates that support each other
//! add to the objective, on average, or of a mean unary value, should that be larger.
//!
//! A round cools down, goes back to the best, and descends until no move of a single row improves. There are
//! no chains here: what one carries along, lists name. At last the best walks go on at a low temperature, and
//! the time that rows spend at their candidates is the soft result, from which the answer is decoded where
//! that is as good.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use super::Anneal;
use crate::assignment::Assignment;
use crate::error::{Hint, Result};
use crate::monitor::{Interrupt, Monitor, Progress};
use crate::problem::Problem;
use crate::solver::ils::Descent;
use crate::solver::listed::{Journal, Space};
use crate::solver::local::{Local, Step, assignment_of};
use crate::solver::starting::starting_point;
use crate::solver::{Faq, Solution, Solver, Start, Status};

/// Temperatures between the first and the last.
const LEVELS: usize = 64;

/// Proposals for each candidate in a round at most: lists are short, and need no more. Small problems, of
/// fewer candidates than these, have time for all that is asked for.
const TRIES: usize = 16;
const FEW: usize = 1 << 13;

/// Rounds after the first have this share of its proposals.
const LATER: usize = 3;

/// Proposals between two looks at the clock.
const BETWEEN_LOOKS: usize = 4096;

/// Entries whose interactions tell the unit.
const SAMPLED: usize = 512;

/// Of so many displacements of an owner who could exchange, one leaves him alone.
const LEFT_ALONE: u32 = 8;

pub(super) fn solve(
    anneal: &Anneal,
    problem: &Problem,
    start: &Start<'_>,
    monitor: &Monitor,
) -> Result<Solution> {
    let (n, m) = problem.shape();
    let count = problem.candidates().count();
    let states = anneal.walks.min(rayon::current_num_threads()) as u64;
    // Each walk keeps its best partners and the times at its candidates.
    let walk = 8 * (count as u64) + 40 * (n as u64 + m as u64);
    let states = Local::memory(problem).saturating_mul(states);
    monitor.reserve(
        &format!("a search over {count} candidates of {n}×{m} assignments"),
        states.saturating_add(walk.saturating_mul(anneal.walks as u64)),
        &[Hint::MoreMemory, Hint::FewerWalks],
    )?;
    let space = Space::of(problem).expect("the candidates are listed");
    let unit = unit(&space);
    let first = open(anneal, problem, start, monitor)?;
    let unobserved = monitor.unobserved();
    let walks: Result<Vec<Walk>> = (0..anneal.walks)
        .into_par_iter()
        .map(|number| {
            let monitor = if number == 0 { monitor } else { &unobserved };
            let mut random = ChaCha8Rng::seed_from_u64(start.seed);
            random.set_stream(number as u64);
            let local = Local::new(problem, &first, monitor)?;
            Ok(Walker::new(local, random, unit, monitor).walk(anneal))
        })
        .collect();
    let mut walks = walks?;
    let iterations = walks.iter().map(|walk| walk.iterations).sum();
    let interrupt = walks.iter().find_map(|walk| walk.interrupt);
    let most = walks
        .iter()
        .map(|walk| walk.gain)
        .fold(f64::NEG_INFINITY, f64::max);
    // Those that are equally good sample together.
    walks.retain(|walk| walk.gain >= most - 1e-3 * unit);
    let soft = (anneal.samples > 0).then(|| joint_occupancy(&walks));
    let best = walks.into_iter().find(|walk| walk.gain >= most);
    let best = best.expect("one of them is the best");
    let mut assignment = best.assignment;
    let mut objective = problem.objective(&assignment);
    if let Some(soft) = &soft {
        let decoded = space.round(soft, monitor);
        let value = problem.objective(&decoded);
        if decoded.matched() >= assignment.matched() && !problem.sense().better(objective, value) {
            (assignment, objective) = (decoded, value);
        }
    }
    Ok(Solution {
        objective,
        assignment,
        soft: soft.map(|soft| space.soft(soft)),
        iterations,
        status: interrupt.map_or(Status::IterationLimit, Into::into),
        convergence: best.improvements,
    })
}

/// Where the walks begin: at the start given, at a random one, or at some steps of FAQ.
fn open(
    anneal: &Anneal,
    problem: &Problem,
    start: &Start<'_>,
    monitor: &Monitor,
) -> Result<Assignment> {
    if start.assignment.is_some() || start.soft.is_some() || anneal.opening == 0 {
        let mut random = ChaCha8Rng::seed_from_u64(start.seed);
        return starting_point(problem, start, &mut random, monitor);
    }
    let faq = Faq {
        max_iterations: anneal.opening,
        ..Faq::default()
    };
    Ok(faq.solve(problem, start, monitor)?.assignment)
}

/// What two candidates give to each other, on average over some that do; a mean unary value where that is
/// larger; 1 for nothing at all.
fn unit(space: &Space<'_>) -> f64 {
    let count = space.count();
    let (mut sum, mut pairs) = (0.0, 0usize);
    for entry in (0..count).step_by(count.div_ceil(SAMPLED).max(1)) {
        space.operator.visit(entry, &mut |_, w| {
            sum += 2.0 * w.abs();
            pairs += 1;
        });
    }
    let share = 1.0 / count.max(1) as f64;
    let unary = space.unary.iter().map(|u| u.abs() * share).sum::<f64>();
    let unit = (sum / pairs.max(1) as f64).max(unary);
    if unit > 0.0 && unit.is_finite() {
        unit
    } else {
        1.0
    }
}

/// The shares of the time of all walks together.
fn joint_occupancy(walks: &[Walk]) -> Vec<f64> {
    let mut joint = vec![0.0; walks[0].times.len()];
    let total: f64 = walks.iter().map(|walk| walk.sampled).sum();
    for walk in walks {
        for (sum, time) in joint.iter_mut().zip(&walk.times) {
            *sum += time / total;
        }
    }
    joint
}

/// What a walk found.
struct Walk {
    assignment: Assignment,
    /// sign · objective, without the constant.
    gain: f64,
    iterations: usize,
    interrupt: Option<Interrupt>,
    /// The best objective after each temperature that improved it.
    improvements: Vec<f64>,
    /// The time at each entry around the best, and all of it.
    times: Vec<f64>,
    sampled: f64,
}

/// A walk under way.
struct Walker<'w> {
    local: Local<'w>,
    random: ChaCha8Rng,
    unit: f64,
    monitor: &'w Monitor,
    journal: Journal,
    best: f64,
    iterations: usize,
    interrupt: Option<Interrupt>,
}

impl<'w> Walker<'w> {
    fn new(local: Local<'w>, random: ChaCha8Rng, unit: f64, monitor: &'w Monitor) -> Self {
        Self {
            journal: Journal::new(local.partners()),
            best: local.gain(),
            local,
            random,
            unit,
            monitor,
            iterations: 0,
            interrupt: None,
        }
    }

    fn walk(mut self, anneal: &Anneal) -> Walk {
        let space = self.local.space().expect("the candidates are listed");
        let (problem, count) = (space.problem, space.count());
        let (n, m) = self.local.shape();
        let value = |gain: f64| problem.constant() + problem.sense().sign() * gain;
        let most = |multiple: usize| {
            let wanted = multiple.saturating_mul(n.max(m));
            wanted.min(TRIES.saturating_mul(count.max(FEW)))
        };
        let mut improvements = vec![value(self.best)];
        let mut descent = Descent::new(self.monitor, n);
        for round in 0..anneal.rounds {
            let before = self.best;
            let proposals = most(anneal.sweeps) / if round == 0 { 1 } else { LATER };
            for level in 0..LEVELS {
                let share = level as f64 / (LEVELS - 1) as f64;
                let temperature = anneal.hot * (anneal.cold / anneal.hot).powf(share);
                let reached = self.best;
                self.propose(proposals.div_ceil(LEVELS), temperature, |_, _, _| {});
                if self.best > reached {
                    improvements.push(value(self.best));
                }
                if self.is_over(value(self.best)) {
                    break;
                }
            }
            self.return_to_best();
            descent.wake_all();
            self.interrupt = self.interrupt.or_else(|| descent.run(&mut self.local));
            if self.local.gain() > self.best + self.local.tolerance() {
                self.best = self.local.gain();
                self.journal = Journal::new(self.local.partners());
                improvements.push(value(self.best));
            }
            let gained = self.best > before + self.local.tolerance();
            if self.interrupt.is_some() || (round > 0 && !gained) {
                break;
            }
        }
        self.return_to_best();
        let best = self.journal.best().to_vec();
        let gain = self.best;
        let (times, sampled) = self.sample(most(anneal.samples), anneal.sampling, count);
        Walk {
            assignment: assignment_of(&best, m),
            gain,
            iterations: self.iterations,
            interrupt: self.interrupt,
            improvements,
            times,
            sampled,
        }
    }

    /// Asks the monitor and tells it how far the walk is.
    fn is_over(&mut self, value: f64) -> bool {
        if self.interrupt.is_none() {
            self.interrupt = self.monitor.checkpoint(Progress {
                stage: "anneal",
                done: self.iterations,
                total: None,
                value: Some(value),
            });
        }
        self.interrupt.is_some()
    }

    fn return_to_best(&mut self) {
        if self.local.partners() != self.journal.best() {
            let best = assignment_of(self.journal.best(), self.local.shape().1);
            self.local.set(&best);
            self.journal = Journal::new(self.local.partners());
        }
    }

    /// Makes proposals at a temperature; `leave(local, row, number)` sees every row that is about to move.
    fn propose(
        &mut self,
        proposals: usize,
        temperature: f64,
        mut leave: impl FnMut(&Local<'_>, usize, usize),
    ) {
        let n = self.local.shape().0;
        if n == 0 || self.interrupt.is_some() {
            return;
        }
        let heat = temperature * self.unit;
        for number in 0..proposals {
            self.iterations += 1;
            if self.iterations.is_multiple_of(BETWEEN_LOOKS) {
                self.interrupt = self.monitor.interrupted();
                if self.interrupt.is_some() {
                    return;
                }
            }
            let Some(step) = proposal(&self.local, &mut self.random) else {
                continue;
            };
            let change = self.local.change(step);
            if change < 0.0 && (change / heat).exp() <= self.random.random::<f64>() {
                continue;
            }
            for row in [step.row, owner(&self.local, step)] {
                if row < n {
                    leave(&self.local, row, number);
                    self.journal.note(row);
                }
            }
            self.local.make(step);
            if self.local.gain() > self.best + self.local.tolerance() {
                self.best = self.local.gain();
                self.journal.improve(self.local.partners());
            }
        }
    }

    /// The time that rows spend at their candidates around the best assignment.
    fn sample(&mut self, proposals: usize, temperature: f64, count: usize) -> (Vec<f64>, f64) {
        let (n, m) = self.local.shape();
        let mut times = vec![0.0; count];
        let mut since = vec![0usize; n];
        let mut stay = |local: &Local<'_>, row: usize, now: usize| {
            if local.partners()[row] < m
                && let Some(entry) = local.entry(row)
            {
                times[entry] += (now - since[row]) as f64;
            }
            since[row] = now;
        };
        let begun = self.iterations;
        self.propose(proposals, temperature, &mut stay);
        // Cut short before it began: all the time where the walk stands.
        let made = (self.iterations - begun).max(1);
        for row in 0..n {
            stay(&self.local, row, made);
        }
        (times, made as f64)
    }
}

/// A random move, if the row that it begins with has one there.
fn proposal(local: &Local<'_>, random: &mut ChaCha8Rng) -> Option<Step> {
    let (n, m) = local.shape();
    let row = random.random_range(0..n);
    let choices = local.choices(row);
    // One more for staying alone, which only some problems permit.
    let k = random.random_range(0..choices + 1);
    let column = if k < choices { local.choice(row, k) } else { m };
    let step = |exchange| Step {
        row,
        column,
        exchange,
    };
    let could_exchange = column < m && local.owner(column) < n && local.partners()[row] < m;
    if could_exchange && random.random_range(0..LEFT_ALONE) > 0 {
        return Some(step(true)).filter(|&step| local.permits(step));
    }
    Some(step(false)).filter(|&step| local.permits(step))
}

/// The row that has the column that `step` takes; n₁ when none has.
fn owner(local: &Local<'_>, step: Step) -> usize {
    let (n, m) = local.shape();
    if step.column < m {
        local.owner(step.column)
    } else {
        n
    }
}
