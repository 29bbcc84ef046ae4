//! Problems with listed candidates, over their lists.
//!
//! With the candidates e = (i, a) numbered row after row, a problem is
//!
//! > f(x) = Σ u_e x_e + Σ W(e, f) x_e x_f   over one-to-one x ∈ {0, 1}^candidates,
//!
//! and all that a solver keeps are vectors with a number for each candidate: memory is O(candidates +
//! edges), whatever n₁ n₂ is. [`Space`] holds u and W there, and rounds; [`Polytope`] is the convex hull of
//! the assignments for relaxations; [`Tournament`] and [`Outdated`] find the best of all moves without
//! judging again those that did not change.

mod moves;
mod polytope;
#[cfg(test)]
mod tests;

pub(super) use moves::{Journal, Outdated, Tournament};
pub(super) use polytope::Polytope;

use std::collections::BinaryHeap;
use std::sync::Arc;

use super::Start;
use crate::assignment::{Alone, Assignment, ListedSolver};
use crate::linalg::{Csr, PairValues};
use crate::monitor::Monitor;
use crate::problem::{Coverage, Entries, Problem, Restricted};

/// A problem over the entries of its lists.
pub(super) struct Space<'p> {
    pub(super) problem: &'p Problem,
    pub(super) entries: Arc<Entries<'p>>,
    /// u of each entry.
    pub(super) unary: Vec<f64>,
    /// W between the entries.
    pub(super) operator: Box<dyn Restricted + 'p>,
}

impl<'p> Space<'p> {
    /// The space of a problem's lists; `None` when it has none.
    pub(super) fn of(problem: &'p Problem) -> Option<Self> {
        let entries = Arc::new(Entries::of(problem.candidates().lists()?));
        let value = |entry| problem.unary()[(entries.row(entry), entries.column(entry))];
        Some(Self {
            unary: (0..entries.count()).map(value).collect(),
            operator: problem.restricted(&entries),
            problem,
            entries,
        })
    }

    /// Bytes of the space and of `vectors` vectors with a number for each entry.
    pub(super) fn memory(problem: &Problem, vectors: u64) -> u64 {
        let count = problem.candidates().count();
        let numbers = (count as u64).saturating_mul(8 * vectors + 12);
        numbers.saturating_add(problem.restricted_memory(count))
    }

    /// The number of entries.
    pub(super) fn count(&self) -> usize {
        self.entries.count()
    }

    /// Zeros for the operator to work in.
    pub(super) fn scratch(&self) -> Vec<f64> {
        vec![0.0; self.operator.scratch_len()]
    }

    /// The entries of an assignment within the lists.
    pub(super) fn numbers(&self, assignment: &Assignment) -> impl Iterator<Item = usize> {
        let entries = Arc::clone(&self.entries);
        let pairs: Vec<_> = assignment.pairs().collect();
        pairs
            .into_iter()
            .filter_map(move |(i, a)| entries.number(i, a))
    }

    /// Where a relaxation starts: the soft values of the start, else its assignment, else everything even;
    /// sums at most 1.
    pub(super) fn initial(&self, start: &Start<'_>) -> Vec<f64> {
        let (n, m) = self.problem.shape();
        let share = 1.0 / n.max(m).max(1) as f64;
        let entries = &*self.entries;
        let value = |entry: usize| {
            let (i, a) = (entries.row(entry), entries.column(entry));
            match (start.soft, start.assignment) {
                (Some(soft), _) => soft[(i, a)],
                (None, Some(assignment)) => f64::from(u8::from(assignment.partner(i) == Some(a))),
                (None, None) => share,
            }
        };
        let mut x: Vec<f64> = (0..self.count()).map(value).collect();
        let largest = largest_sum(entries.lists(), &x);
        if largest > 1.0 {
            x.iter_mut().for_each(|x| *x /= largest);
        }
        x
    }

    /// x as values of pairs, rows and columns that sum to more than 1 brought down to it.
    pub(super) fn soft(&self, mut x: Vec<f64>) -> PairValues {
        let lists = self.entries.lists();
        cap_sums(lists, &mut x);
        let mut values = x.into_iter();
        PairValues::from(lists.map(|()| values.next().expect("a value for each entry")))
    }

    /// The assignment with the largest total score; where nodes may stay alone, without the pairs that
    /// make the objective worse, the worst taken off first.
    pub(super) fn round(&self, score: &[f64], monitor: &Monitor) -> Assignment {
        let mut assignment = fullest(self.entries.lists(), score, monitor);
        if self.problem.coverage() == Coverage::Partial {
            self.drop_harmful(&mut assignment);
        }
        assignment
    }

    fn drop_harmful(&self, assignment: &mut Assignment) {
        let sign = self.problem.sense().sign();
        let mut x = vec![0.0; self.count()];
        self.numbers(assignment).for_each(|entry| x[entry] = 1.0);
        let mut gains = vec![0.0; self.count()];
        self.operator.apply(&x, &mut gains, &mut self.scratch());
        for (gain, u) in gains.iter_mut().zip(&self.unary) {
            *gain = sign * (u + 2.0 * *gain);
        }
        let mut heap: BinaryHeap<Loss> = self
            .numbers(assignment)
            .map(|entry| Loss(gains[entry], entry))
            .collect();
        while let Some(Loss(gain, entry)) = heap.pop() {
            if gain >= 0.0 {
                break;
            }
            // Gone already, or worth something else by now.
            if x[entry] == 0.0 || gain != gains[entry] {
                continue;
            }
            x[entry] = 0.0;
            assignment.set(self.entries.row(entry), None);
            self.operator.visit(entry, &mut |other, w| {
                gains[other] -= 2.0 * sign * w;
                if x[other] != 0.0 {
                    heap.push(Loss(gains[other], other));
                }
            });
        }
    }
}

/// Sums up to this are rounding away from 1.
const MOST: f64 = 1.0 + 1e-9;

/// What a pair gives; the one that gives least comes first, of equal ones the first.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Loss(f64, usize);

impl Eq for Loss {}

impl Ord for Loss {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        let gains = other.0.total_cmp(&self.0);
        gains.then(other.1.cmp(&self.1))
    }
}

impl PartialOrd for Loss {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// The largest total score among the fullest assignments.
pub(super) fn fullest(lists: &Csr<()>, score: &[f64], monitor: &Monitor) -> Assignment {
    let mut solver = ListedSolver::new(lists, Alone::LastResort);
    solver.maximise(score, monitor).clone()
}

/// Brings rows and then columns that sum to more than 1 down to it.
fn cap_sums(lists: &Csr<()>, x: &mut [f64]) {
    let mut columns = vec![0.0; lists.cols()];
    for i in 0..lists.rows() {
        let row = &mut x[lists.range(i)];
        let sum: f64 = row.iter().sum();
        for (x, &a) in row.iter_mut().zip(lists.columns(i)) {
            if sum > MOST {
                *x /= sum;
            }
            columns[a as usize] += *x;
        }
    }
    for (entry, x) in x.iter_mut().enumerate() {
        let sum = columns[lists.column(entry) as usize];
        if sum > MOST {
            *x /= sum;
        }
    }
}

/// The largest sum of a row or column.
fn largest_sum(lists: &Csr<()>, x: &[f64]) -> f64 {
    let mut columns = vec![0.0; lists.cols()];
    let mut largest = 0.0f64;
    for i in 0..lists.rows() {
        let row = &x[lists.range(i)];
        largest = largest.max(row.iter().sum());
        for (&a, x) in lists.columns(i).iter().zip(row) {
            columns[a as usize] += x;
        }
    }
    columns.into_iter().fold(largest, f64::max)
}
