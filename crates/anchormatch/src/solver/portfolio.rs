//! Many searches from many starts, with recombination of the best.
//!
//! The first round searches from what relaxations found and from random assignments; each of its
//! searches is a robust [`Tabu`] search. The results fill a pool of elite assignments. Every further
//! round starts its searches from children of two elites (Fleurent, Ferland 1994: what both share
//! stays, the rest is drawn from either), from shaken elites, and from random assignments. This is the
//! memetic scheme of Benlic and Hao (*Expert Systems with Applications* 42, 2015) in rounds. A round
//! without a new best makes the next searches longer by a quarter; ten in a row empty the pool and
//! start over, with the best kept aside.
//!
//! The searches of a round run in parallel. Each has its own random numbers, seeded by its round and
//! place, and a number of iterations, and the pool changes between rounds only: the result does not
//! depend on the number of threads unless a time limit cuts the run.

use std::ops::Range;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::starting::{completed, crossed, random_assignment, shaken, starting_point};
use super::tabu::{Run, default_iterations};
use super::{Faq, Gagm, Info, Kind, OnLists, Rrwm, Solution, Solver, Start, Status, Tabu};
use crate::assignment::Assignment;
use crate::error::{Error, Result};
use crate::monitor::{Interrupt, Monitor, Progress};
use crate::problem::Problem;

/// Rounds without a new best after which the pool is emptied.
const ROUNDS_BEFORE_RESTART: usize = 10;

/// The share of the time that relaxations may take.
const RELAXATION_SHARE: f64 = 0.3;

/// Pairs up to which relaxations may fill up the lists of a problem.
const MOST_FILLED: usize = 1 << 24;

/// The search's parameters.
#[derive(Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Portfolio {
    /// Whose results are starts, in this order.
    pub relaxations: Vec<Box<dyn Solver>>,
    /// The search from each start; its own number of iterations does not count. Default: bans from
    /// 0.5 n to 2 n, which suit many short searches better than Taillard's.
    pub tabu: Tabu,
    /// Tabu iterations in all. Default: 400 n for product forms, more below n = 30, fewer for a W of
    /// high rank and above about n = 100: some 10 ms up to n = 30, less than 0.5 s above.
    pub iterations: Option<usize>,
    /// Searches a round. Default 24, fewer when that would leave each less than 2 n iterations.
    pub searches: usize,
    /// The size of the pool. Default 8.
    pub elites: usize,
    /// Stop after this many rounds without a new best. Default 12.
    pub patience: usize,
    /// Stop when this many searches of the first round, whose starts have nothing in common, ended at
    /// the best, or half again as many of its first half. Default: never.
    pub agreement: Option<usize>,
    /// With a time limit and no number of iterations, go on until the limit. Default true.
    pub use_all_time: bool,
}

impl Default for Portfolio {
    fn default() -> Self {
        Self {
            // Each is the best start of some family: walks and annealing on affinities, Frank–Wolfe on
            // products of matrices.
            relaxations: vec![
                Box::new(Faq::default()),
                Box::new(Rrwm::default()),
                Box::new(Gagm::default()),
            ],
            tabu: Tabu {
                tenure: (0.5, 2.0),
                ..Tabu::default()
            },
            iterations: None,
            searches: 24,
            elites: 8,
            patience: 12,
            agreement: None,
            use_all_time: true,
        }
    }
}

impl std::fmt::Debug for Portfolio {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<&str> = self.relaxations.iter().map(|r| r.info().name).collect();
        f.debug_struct("Portfolio")
            .field("relaxations", &names)
            .field("tabu", &self.tabu)
            .field("iterations", &self.iterations)
            .field("searches", &self.searches)
            .field("elites", &self.elites)
            .field("patience", &self.patience)
            .field("agreement", &self.agreement)
            .field("use_all_time", &self.use_all_time)
            .finish()
    }
}

impl Solver for Portfolio {
    fn info(&self) -> Info {
        Info {
            name: "portfolio",
            kind: Kind::Search,
            reference: "Benlic, Hao, Expert Systems with Applications 42, 2015",
            complexity: "that of the relaxations and of tabu",
            accepts: "all",
            candidates: OnLists::Listed,
        }
    }

    fn check(&self) -> Result<()> {
        self.tabu.check()?;
        for relaxation in &self.relaxations {
            relaxation.check()?;
        }
        for (name, value) in [("searches", self.searches), ("elites", self.elites)] {
            if !(1..=100_000).contains(&value) {
                return Err(Error::parameter(name, value, "a number from 1 to 100000"));
            }
        }
        Ok(())
    }

    fn memory(&self, problem: &Problem) -> u64 {
        self.tabu.memory(problem)
    }

    /// # Complexity
    /// The relaxations, then O(r n²) a tabu iteration. Memory: four N×N matrices a thread, N the larger
    /// side, and what the relaxations need. Over listed candidates O(candidates + edges); relaxations that
    /// would fill up a large problem are left out.
    fn solve_accepted(
        &self,
        problem: &Problem,
        start: &Start<'_>,
        monitor: &Monitor,
    ) -> Result<Solution> {
        Ok(self.solve_for_all(problem, start, monitor)?.0)
    }
}

impl Portfolio {
    /// As [`solve`](Solver::solve), with the pool of elites beside the best: assignments that differ
    /// in more than a tenth of the rows, the best first.
    ///
    /// # Errors
    /// As [`solve`](Solver::solve).
    pub fn solve_for_all(
        &self,
        problem: &Problem,
        start: &Start<'_>,
        monitor: &Monitor,
    ) -> Result<(Solution, Vec<Assignment>)> {
        self.check()?;
        start.check(problem)?;
        let mut rounds = Rounds::new(self, problem, start, monitor);
        let mut starts = rounds.first_starts(start)?;
        loop {
            let half = rounds.half(starts.len());
            let mut searches = rounds.search(&starts, 0..half)?;
            if half < starts.len() && !rounds.is_settled(&searches) {
                searches.extend(rounds.search(&starts, half..starts.len())?);
            }
            if let Some(status) = rounds.finish_round(searches) {
                let elites = std::mem::take(&mut rounds.pool);
                let elites = elites.into_iter().map(|elite| elite.assignment).collect();
                return Ok((rounds.solution(status), elites));
            }
            starts = rounds.next_starts()?;
        }
    }
}

/// An assignment and sign · objective.
#[derive(Clone)]
struct Elite {
    assignment: Assignment,
    gain: f64,
}

struct Rounds<'a> {
    portfolio: &'a Portfolio,
    problem: &'a Problem,
    monitor: &'a Monitor,
    /// The monitor of the parts: only whole rounds are reported.
    quiet: Monitor,
    seed: u64,
    round: usize,
    /// Searches a round.
    searches: usize,
    /// Rounds since the last new best.
    idle: usize,
    /// Iterations of each search of the next round.
    length: usize,
    done: usize,
    total: usize,
    interrupt: Option<Interrupt>,
    /// The best first.
    pool: Vec<Elite>,
    best: Option<Elite>,
    convergence: Vec<f64>,
}

impl<'a> Rounds<'a> {
    fn new(
        portfolio: &'a Portfolio,
        problem: &'a Problem,
        start: &Start<'_>,
        monitor: &'a Monitor,
    ) -> Self {
        let (n, m) = problem.shape();
        let nodes = n.max(m);
        let endless = portfolio.use_all_time && monitor.has_deadline();
        let total = match portfolio.iterations {
            Some(iterations) => iterations,
            None if endless => usize::MAX,
            None => default_iterations(problem, 400),
        };
        let mut rounds = Self {
            portfolio,
            problem,
            monitor,
            quiet: monitor.unobserved(),
            seed: start.seed,
            round: 0,
            searches: portfolio.searches.min(total / (6 * nodes.max(1))).max(1),
            idle: 0,
            length: 0,
            done: 0,
            total,
            interrupt: None,
            pool: Vec::new(),
            best: None,
            convergence: Vec::new(),
        };
        rounds.length = rounds.first_length();
        rounds
    }

    /// A third of the budget for the first round, but not more than is useful before recombination.
    fn first_length(&self) -> usize {
        let (n, m) = self.problem.shape();
        let share = self.total / (3 * self.searches);
        share.min(40 * n.max(m)).max(1)
    }

    /// Random numbers of a search of this round; the last place is the pool's own.
    fn random(&self, place: usize) -> ChaCha8Rng {
        let mut random = ChaCha8Rng::seed_from_u64(self.seed);
        random.set_stream((self.round * (self.searches + 1) + place) as u64);
        random
    }

    /// What is given, what relaxations find, and random assignments.
    fn first_starts(&mut self, start: &Start<'_>) -> Result<Vec<Assignment>> {
        let mut starts = Vec::new();
        if let Some(assignment) = start.assignment {
            starts.push(completed(self.problem, assignment)?);
        } else if start.soft.is_some() {
            let random = &mut self.random(0);
            starts.push(starting_point(self.problem, start, random, &self.quiet)?);
        }
        let relaxations = &self.portfolio.relaxations;
        for (place, relaxation) in relaxations.iter().enumerate() {
            let left = (relaxations.len() - place) as f64;
            let monitor = self.quiet.with_share(RELAXATION_SHARE / left);
            if monitor.interrupted().is_some() {
                break;
            }
            // One that does not take the problem, or has no room, is no start and no reason to give up.
            if relaxation.accepts(self.problem).is_ok() && !self.is_filled(relaxation.as_ref()) {
                match relaxation.solve(self.problem, start, &monitor) {
                    Ok(solution) => starts.push(completed(self.problem, &solution.assignment)?),
                    Err(Error::Memory { .. }) => {}
                    Err(error) => return Err(error),
                }
            }
        }
        for place in starts.len()..self.searches {
            starts.push(random_assignment(self.problem, &mut self.random(place))?);
        }
        // The best first, for when time or iterations do not suffice for all.
        let sign = self.problem.sense().sign();
        let mut ranked: Vec<(f64, Assignment)> = starts
            .into_iter()
            .map(|first| (sign * self.problem.objective(&first), first))
            .collect();
        ranked.sort_by(|x, y| y.0.total_cmp(&x.0));
        ranked.truncate(self.searches);
        Ok(ranked.into_iter().map(|(_, first)| first).collect())
    }

    /// Whether a relaxation would fill up the lists of a large problem.
    fn is_filled(&self, relaxation: &dyn Solver) -> bool {
        let (n, m) = self.problem.shape();
        !self.problem.candidates().is_all()
            && relaxation.info().candidates == OnLists::Filled
            && n.saturating_mul(m) > MOST_FILLED
    }

    /// Children of elites, shaken elites and random assignments.
    fn next_starts(&self) -> Result<Vec<Assignment>> {
        let searches = self.searches;
        let rows = self.problem.shape().0;
        let mut starts = Vec::with_capacity(searches);
        for place in 0..searches {
            let mut random = self.random(place);
            let elites = self.pool.len();
            starts.push(if elites == 0 || place * 8 >= searches * 7 {
                random_assignment(self.problem, &mut random)?
            } else if elites == 1 || place * 8 >= searches * 5 {
                let elite = &self.pool[random.random_range(0..elites)].assignment;
                let moves = random.random_range(2..=(rows / 3).max(3));
                shaken(self.problem, elite, moves, &mut random)
            } else {
                let first = random.random_range(0..elites);
                let second = (first + random.random_range(1..elites)) % elites;
                let parents = [first, second].map(|k| &self.pool[k].assignment);
                crossed(self.problem, parents, &mut random)?
            });
        }
        Ok(starts)
    }

    /// How many searches of this round come first: of the first round half of them, where agreement
    /// ends it.
    fn half(&self, searches: usize) -> usize {
        match self.portfolio.agreement {
            Some(_) if self.round == 0 => searches.div_ceil(2),
            _ => searches,
        }
    }

    /// Whether half again as many searches as must agree ended at the best of these.
    fn is_settled(&self, runs: &[Run]) -> bool {
        let Some(agreement) = self.portfolio.agreement else {
            return false;
        };
        let sign = self.problem.sense().sign();
        let gain = |run: &Run| sign * self.problem.objective(&run.assignment);
        let gains: Vec<f64> = runs.iter().map(gain).collect();
        let best = gains.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let least = best - super::local::tolerance(self.problem);
        gains.iter().filter(|&&gain| gain >= least).count() >= agreement.max(1) * 3 / 2
    }

    /// Searches from some of a round's starts.
    fn search(&self, starts: &[Assignment], places: Range<usize>) -> Result<Vec<Run>> {
        let left = self.total - self.done;
        let searches = starts.len();
        places
            .into_par_iter()
            .map(|place| {
                let first = &starts[place];
                // The last round's searches share what is left.
                let share = left / searches + usize::from(place < left % searches);
                let mut random = self.random(place);
                // Not the numbers that made the start.
                random.set_word_pos(1 << 40);
                let iterations = self.length.min(share);
                self.portfolio
                    .tabu
                    .run(self.problem, first, iterations, &mut random, &self.quiet)
            })
            .collect()
    }

    /// Takes the results into the pool; returns why to stop, if so.
    fn finish_round(&mut self, runs: Vec<Run>) -> Option<Status> {
        let sign = self.problem.sense().sign();
        let before = self.best.as_ref().map_or(f64::NEG_INFINITY, |e| e.gain);
        let mut gains = Vec::with_capacity(runs.len());
        for run in runs {
            self.done += run.iterations;
            self.interrupt = self.interrupt.or(run.interrupt);
            let gain = sign * self.problem.objective(&run.assignment);
            gains.push(gain);
            let elite = Elite {
                assignment: run.assignment,
                gain,
            };
            if self.best.as_ref().is_none_or(|best| gain > best.gain) {
                self.convergence.push(sign * gain);
                self.best = Some(elite.clone());
            }
            self.enter_pool(elite);
        }
        self.round += 1;
        let best = self.best.as_ref().map_or(before, |e| e.gain);
        let tolerance = super::local::tolerance(self.problem);
        let alike = gains.iter().filter(|&&g| g >= best - tolerance).count();
        let agreed = self.round == 1 && self.portfolio.agreement.is_some_and(|k| alike >= k);
        if best > before + tolerance {
            self.idle = 0;
        } else {
            self.idle += 1;
            self.length += self.length.div_ceil(4);
            if self.idle.is_multiple_of(ROUNDS_BEFORE_RESTART) {
                self.pool.clear();
                self.length = self.first_length();
            }
        }
        let interrupt = self.monitor.checkpoint(Progress {
            stage: "portfolio",
            done: self.done,
            total: (self.total < usize::MAX).then_some(self.total),
            value: Some(sign * best),
        });
        let (n, m) = self.problem.shape();
        match self.interrupt.or(interrupt) {
            Some(interrupt) => Some(interrupt.into()),
            // One place or none: there is nothing to search.
            None if n * m <= 1 || agreed => Some(Status::Converged),
            None if self.done >= self.total => Some(Status::IterationLimit),
            None if self.total < usize::MAX && self.idle >= self.portfolio.patience => {
                Some(Status::Converged)
            }
            None => None,
        }
    }

    /// The pool holds the best assignments that differ in at least a tenth of the rows.
    fn enter_pool(&mut self, elite: Elite) {
        let near = self.problem.shape().0.div_ceil(10);
        let distance = |other: &Elite| {
            let pairs = other.assignment.iter().zip(&elite.assignment);
            pairs.filter(|(a, b)| a != b).count()
        };
        let (alike, others): (Vec<_>, Vec<_>) = self
            .pool
            .drain(..)
            .partition(|other| distance(other) <= near);
        self.pool = others;
        if alike.iter().any(|other| other.gain >= elite.gain) {
            self.pool.extend(alike);
        } else {
            self.pool.push(elite);
        }
        // Stable, so that equal ones stay in the order of their searches.
        self.pool.sort_by(|x, y| y.gain.total_cmp(&x.gain));
        self.pool.truncate(self.portfolio.elites);
    }

    fn solution(self, status: Status) -> Solution {
        let best = self.best.expect("every round has a search");
        Solution {
            objective: self.problem.objective(&best.assignment),
            assignment: best.assignment,
            soft: None,
            iterations: self.done,
            status,
            convergence: self.convergence,
        }
    }
}
