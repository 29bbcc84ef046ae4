//! The mean field over listed candidates.
//!
//! > X = balance( exp(η (u + 2 W X)) ) over the entries of the lists.
//!
//! With lists of length k the even X is 1/k, so that η_c = k/λ, λ where the spectrum of P 2W P ends, W
//! between the entries and P taking means of rows and columns out of them. Its root mean square ρ is asked
//! by random vectors, as that of any W without factors; where all pairs are listed, it is that of the
//! problem. The mean square of 2W in Onsager's reaction is ρ²/entries.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::critical::{self, BULK_END, PROBES};
use super::{DECIDED, LEAST_EXPONENT, MeanField};
use crate::assignment::ListedSinkhorn;
use crate::error::Result;
use crate::linalg::Csr;
use crate::monitor::Monitor;
use crate::problem::Problem;
use crate::solver::listed::Space;
use crate::solver::relaxation::{Iterations, norm, range};
use crate::solver::{Solution, Start, Status};

/// Times that means of rows and columns are taken out of a random vector: once does it where all pairs are
/// listed.
const CENTRINGS: usize = 4;

/// Bytes that solving takes.
pub(super) fn memory(problem: &Problem) -> u64 {
    let (n, m) = problem.shape();
    let nodes = n.saturating_add(m) as u64;
    // X, the one before, the field, and what rounding takes.
    Space::memory(problem, 9).saturating_add(96 * nodes)
}

pub(super) fn solve(
    parameters: &MeanField,
    problem: &Problem,
    start: &Start<'_>,
    monitor: &Monitor,
) -> Result<Solution> {
    let space = Space::of(problem).expect("the candidates are listed");
    let mut iterations = Iterations::new("mean-field", parameters.steps, problem, monitor);
    let mut field = Field::new(&space, space.initial(start));
    if iterations.go_on() {
        let watch = monitor.stopwatch();
        field.update_gradient();
        let mut took = watch.seconds();
        let (spread, critical) = field.critical(start.seed, monitor);
        let mut k = 0;
        while iterations.go_on() {
            // What cannot end in time is not begun.
            let left = monitor.remaining();
            if left.is_some_and(|left| left.as_secs_f64() < took) {
                iterations.stop(Status::TimeLimit);
                break;
            }
            let watch = monitor.stopwatch();
            if k > 0 {
                field.update_gradient();
            }
            let relative = parameters.relative_inverse_temperature(k);
            let moved = field.step(parameters, critical * relative, spread, monitor);
            k += 1;
            iterations.record(moved, k == parameters.steps || field.is_decided);
            took = watch.seconds();
        }
        if k == 0 {
            field.look_at_unary();
        } else if !iterations.were_interrupted() {
            field.update_gradient();
        }
    }
    let assignment = space.round(&field.score, monitor);
    Ok(iterations.listed_solution(problem, assignment, space.soft(field.x)))
}

/// X over the entries and the memory of a step.
struct Field<'s> {
    space: &'s Space<'s>,
    x: Vec<f64>,
    /// The X before this one, and where the next one comes to stand.
    next: Vec<f64>,
    /// sign · (u + 2 W X).
    score: Vec<f64>,
    scratch: Vec<f64>,
    sinkhorn: ListedSinkhorn,
    /// Logarithms of the columns' scalings; begun anew where sizes differ.
    potentials: Vec<f64>,
    is_square: bool,
    is_new: bool,
    is_decided: bool,
}

impl<'s> Field<'s> {
    fn new(space: &'s Space<'s>, x: Vec<f64>) -> Self {
        let (n, m) = space.problem.shape();
        Self {
            space,
            next: vec![0.0; x.len()],
            score: vec![0.0; x.len()],
            x,
            scratch: space.scratch(),
            sinkhorn: ListedSinkhorn::new(),
            potentials: vec![0.0; m],
            is_square: n == m,
            is_new: true,
            is_decided: false,
        }
    }

    /// ρ and η_c.
    fn critical(&mut self, seed: u64, monitor: &Monitor) -> (f64, f64) {
        let problem = self.space.problem;
        let (n, m) = problem.shape();
        if self.space.count() == n * m {
            let spread = critical::spread(problem.pairwise(), seed, monitor).unwrap_or(0.0);
            return (spread, critical::inverse_temperature(problem, spread));
        }
        let spread = self.spread(seed, monitor);
        if spread > 0.0 {
            (spread, self.length() / (BULK_END * spread))
        } else {
            (spread, critical::inverse_temperature(problem, 0.0))
        }
    }

    /// The length of the lists, those of the smaller side that are not empty on average.
    fn length(&self) -> f64 {
        let lists = self.space.entries.lists();
        let rows = (0..lists.rows()).filter(|&i| !lists.range(i).is_empty());
        let mut is_there = vec![false; lists.cols()];
        for entry in 0..lists.entries() {
            is_there[lists.column(entry) as usize] = true;
        }
        let columns = is_there.into_iter().filter(|&there| there);
        let nodes = rows.count().min(columns.count());
        lists.entries() as f64 / nodes.max(1) as f64
    }

    /// ρ from the images of random vectors.
    fn spread(&mut self, seed: u64, monitor: &Monitor) -> f64 {
        let lists = self.space.entries.lists();
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let (mut sizes, mut images) = (Vec::new(), Vec::new());
        let (mut probe, mut image) = (vec![0.0; self.x.len()], vec![0.0; self.x.len()]);
        for _ in 0..PROBES {
            probe.fill_with(|| random.random_range(-1.0..1.0));
            centre(lists, &mut probe);
            let operator = &self.space.operator;
            operator.apply(&probe, &mut image, &mut self.scratch);
            centre(lists, &mut image);
            sizes.push(norm(&probe));
            images.push(norm(&image));
            if monitor.interrupted().is_some() {
                break;
            }
        }
        2.0 * norm(&images) / norm(&sizes).max(f64::MIN_POSITIVE)
    }

    /// The score at X: the objective's gradient.
    fn update_gradient(&mut self) {
        let sign = self.space.problem.sense().sign();
        let operator = &self.space.operator;
        operator.apply(&self.x, &mut self.score, &mut self.scratch);
        for (slot, u) in self.score.iter_mut().zip(&self.space.unary) {
            *slot = sign * (u + 2.0 * *slot);
        }
    }

    /// The score of no X at all.
    fn look_at_unary(&mut self) {
        let sign = self.space.problem.sense().sign();
        for (slot, u) in self.score.iter_mut().zip(&self.space.unary) {
            *slot = sign * u;
        }
    }

    /// X at inverse temperature η from the last X and its gradient; returns how far it went.
    fn step(&mut self, parameters: &MeanField, eta: f64, spread: f64, monitor: &Monitor) -> f64 {
        let lists = self.space.entries.lists();
        let side = lists.rows().min(lists.cols()) as f64;
        let open: f64 = self.x.iter().map(|x| x * (1.0 - x)).sum();
        let count = self.space.count() as f64;
        let reaction = parameters.reaction * eta * spread * spread / count * open;
        for (slot, before) in self.score.iter_mut().zip(&self.next) {
            *slot -= reaction * before;
        }
        let (_, high) = range(&self.score);
        if std::mem::take(&mut self.is_new) && self.is_square {
            self.begin_at_means(eta);
        }
        self.fill(eta, high);
        let limits = (parameters.sinkhorn_tolerance, parameters.sinkhorn_sweeps);
        let go_on = || monitor.interrupted().is_none();
        self.sinkhorn.balance(lists, &mut self.next, limits, go_on);
        if self.is_square {
            let scales = self.sinkhorn.column_scales();
            for (potential, scale) in self.potentials.iter_mut().zip(scales) {
                *potential += scale.ln();
            }
        }
        let (mut moved, mut open) = (0.0, 0.0);
        for (new, old) in self.next.iter().zip(&self.x) {
            moved += (new - old).powi(2);
            open += new * (1.0 - new);
        }
        self.is_decided = open < DECIDED * side;
        if parameters.inertia > 0.0 && !self.is_decided {
            for (new, old) in self.next.iter_mut().zip(&self.x) {
                *new += parameters.inertia * (old - *new);
            }
            moved *= (1.0 - parameters.inertia).powi(2);
        }
        std::mem::swap(&mut self.x, &mut self.next);
        (moved / side).sqrt()
    }

    /// Takes the column means out of the first exponent, which they may dwarf.
    fn begin_at_means(&mut self, eta: f64) {
        let lists = self.space.entries.lists();
        let mut counts = vec![0usize; lists.cols()];
        self.potentials.fill(0.0);
        for (entry, score) in self.score.iter().enumerate() {
            let column = lists.column(entry) as usize;
            counts[column] += 1;
            self.potentials[column] -= eta * score;
        }
        for (potential, count) in self.potentials.iter_mut().zip(counts) {
            *potential /= count.max(1) as f64;
        }
    }

    /// The plan exp(η · score), up to scalings of rows and columns.
    fn fill(&mut self, eta: f64, high: f64) {
        let lists = self.space.entries.lists();
        for i in 0..lists.rows() {
            let range = lists.range(i);
            let (row, score) = (&mut self.next[range.clone()], &self.score[range]);
            let mut largest = f64::NEG_INFINITY;
            for ((slot, value), &a) in row.iter_mut().zip(score).zip(lists.columns(i)) {
                let potential = if self.is_square {
                    self.potentials[a as usize]
                } else {
                    0.0
                };
                *slot = eta * (value - high) + potential;
                largest = largest.max(*slot);
            }
            // Slack rows of unequal sizes stand beside the exponent: it is taken as it is.
            let largest = if self.is_square { largest } else { 0.0 };
            for slot in row {
                *slot = (*slot - largest).max(LEAST_EXPONENT).exp();
            }
        }
    }
}

/// Takes the means of rows and columns out.
fn centre(lists: &Csr<()>, x: &mut [f64]) {
    let mut columns = vec![(0.0, 0usize); lists.cols()];
    for _ in 0..CENTRINGS {
        columns.fill((0.0, 0));
        for i in 0..lists.rows() {
            let row = &mut x[lists.range(i)];
            let mean = row.iter().sum::<f64>() / row.len().max(1) as f64;
            for (value, &a) in row.iter_mut().zip(lists.columns(i)) {
                *value -= mean;
                columns[a as usize].0 += *value;
                columns[a as usize].1 += 1;
            }
        }
        for (entry, value) in x.iter_mut().enumerate() {
            let (sum, count) = columns[lists.column(entry) as usize];
            *value -= sum / count as f64;
        }
    }
}
