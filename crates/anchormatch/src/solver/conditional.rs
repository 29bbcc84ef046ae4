//! The best assignments near a given one that have, or do not have, one pair.
//!
//! From an assignment p and a pair ia, the cheapest move that brings ia in (or takes it out) is made;
//! best improvement over all moves that leave it so follows, until none gains. With p a good
//! assignment this is what the pair is worth when everything around it may give way: the log odds of
//! the pair, as far as the best assignments on both sides tell.

use super::local::{Local, Step};
use crate::assignment::Assignment;
use crate::error::Result;
use crate::monitor::Monitor;
use crate::problem::Problem;

/// What must hold of a pair (row, column).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Condition {
    /// The two are matched.
    Together(usize, usize),
    /// They are not.
    Apart(usize, usize),
}

/// Searches under conditions, all from the same assignment.
pub(crate) struct Conditional<'p> {
    base: Local<'p>,
    state: Local<'p>,
    /// Moves that may still be judged.
    budget: usize,
}

impl<'p> Conditional<'p> {
    /// Searches from `assignment` that judge about `budget` moves in all beside the first ones.
    ///
    /// # Errors
    /// When the memory does not suffice.
    pub(crate) fn new(
        problem: &'p Problem,
        assignment: &Assignment,
        budget: usize,
        monitor: &Monitor,
    ) -> Result<Self> {
        Ok(Self {
            base: Local::new(problem, assignment, monitor)?,
            state: Local::new(problem, assignment, monitor)?,
            budget,
        })
    }

    /// A good assignment that meets the condition, and how much better its objective is than that of
    /// the given one; `None` when no move brings one about.
    ///
    /// # Complexity
    /// O(n₁ + n₂) for the first move, O(n₁ n₂) for each one after it, as long as the budget lasts.
    pub(crate) fn best(&mut self, condition: Condition) -> Option<(Assignment, f64)> {
        self.state.copy_from(&self.base);
        if !condition.holds(&self.state) {
            let step = self.first(condition)?;
            self.state.make(step);
        }
        let (n, m) = self.state.shape();
        // Improvement is strict, so this ends; the bound is for rounding.
        for _ in 0..n + m {
            if self.budget < n * m {
                break;
            }
            self.budget -= n * m;
            let mut best: Option<(Step, f64)> = None;
            for i in 0..n {
                self.state.each_step(i, i, |step, gain| {
                    let more = best.map_or(self.state.tolerance(), |(_, most)| most);
                    if gain > more && condition.survives(&self.state, step) {
                        best = Some((step, gain));
                    }
                });
            }
            let Some((step, _)) = best else { break };
            self.state.make(step);
        }
        debug_assert!(condition.holds(&self.state), "moves keep the condition");
        let gain = self.state.gain() - self.base.gain();
        Some((self.state.assignment(), gain))
    }

    /// How much better the given assignment gets when two rows exchange their columns; `None` when one
    /// is alone or may not.
    pub(crate) fn exchange(&self, i: usize, j: usize) -> Option<f64> {
        let step = Step {
            row: i,
            column: self.base.partners()[j],
            exchange: true,
        };
        let both = step.column < self.base.shape().1;
        (both && self.base.permits(step)).then(|| self.base.change(step))
    }

    /// The cheapest move after which the condition holds.
    fn first(&self, condition: Condition) -> Option<Step> {
        let state = &self.state;
        let mut best: Option<(Step, f64)> = None;
        let mut offer = |step: Step, gain: f64| {
            if best.is_none_or(|(_, most)| gain > most) {
                best = Some((step, gain));
            }
        };
        match condition {
            Condition::Together(i, a) => {
                for exchange in [true, false] {
                    let step = Step {
                        row: i,
                        column: a,
                        exchange,
                    };
                    if state.permits(step) {
                        offer(step, state.change(step));
                    }
                }
            }
            Condition::Apart(i, a) => {
                state.each_step(i, 0, &mut offer);
                // Others can push i out as well.
                for row in (0..state.shape().0).filter(|&j| j != i) {
                    let step = Step {
                        row,
                        column: a,
                        exchange: false,
                    };
                    if state.permits(step) {
                        offer(step, state.change(step));
                    }
                }
            }
        }
        best.map(|(step, _)| step)
    }
}

impl Condition {
    fn holds(self, state: &Local<'_>) -> bool {
        match self {
            Self::Together(i, a) => state.partners()[i] == a,
            Self::Apart(i, a) => state.partners()[i] != a,
        }
    }

    /// Whether the condition, which holds, still does after a move.
    fn survives(self, state: &Local<'_>, step: Step) -> bool {
        let (_, m) = state.shape();
        match self {
            Self::Together(i, a) => step.row != i && step.column != a,
            Self::Apart(i, a) => {
                let takes = step.row == i && step.column == a;
                // The owner of the column takes what the row had.
                let given = step.exchange
                    && step.column < m
                    && state.owner(step.column) == i
                    && state.partners()[step.row] == a;
                !(takes || given)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::Matrix;
    use crate::problem::{Coverage, ExplicitPairwise, Sense};
    use anchormatch_invariants::small_problems::assignments;

    fn problem(n: usize, m: usize, seed: usize, coverage: Coverage, sense: Sense) -> Problem {
        let size = n * m;
        let entry = |p: usize, q: usize| ((p * q * 7 + (3 + seed) * (p + q)) % 13) as f64 - 6.0;
        let unary = Matrix::from_fn(n, m, |i, a| ((3 * i + 5 * a + seed) % 7) as f64 - 3.0);
        let pairwise = ExplicitPairwise::new(n, m, Matrix::from_fn(size, size, entry)).unwrap();
        Problem::new(sense, unary, Box::new(pairwise))
            .unwrap()
            .with_coverage(coverage)
    }

    #[test]
    fn conditions_hold_and_gains_are_those_of_the_objective() {
        for (n, m) in [(3, 3), (3, 5), (5, 3), (1, 2), (2, 1)] {
            for coverage in [Coverage::Full, Coverage::Partial] {
                for sense in [Sense::Maximise, Sense::Minimise] {
                    for seed in 0..4 {
                        let problem = problem(n, m, seed, coverage, sense);
                        let first: Assignment = (0..n).map(|i| (i < m).then_some(i)).collect();
                        let before = problem.objective(&first);
                        let monitor = Monitor::silent();
                        let mut search =
                            Conditional::new(&problem, &first, 10_000, &monitor).unwrap();
                        for i in 0..n {
                            for a in 0..m {
                                let (with, gain) = search.best(Condition::Together(i, a)).unwrap();
                                assert_eq!(with.partner(i), Some(a));
                                assert!(problem.is_feasible(&with));
                                let want = sense.sign() * (problem.objective(&with) - before);
                                assert!((gain - want).abs() < 1e-9, "{gain} {want}");
                                let (without, gain) = search.best(Condition::Apart(i, a)).unwrap();
                                assert_ne!(without.partner(i), Some(a));
                                assert!(problem.is_feasible(&without));
                                let want = sense.sign() * (problem.objective(&without) - before);
                                assert!((gain - want).abs() < 1e-9, "{gain} {want}");
                            }
                        }
                    }
                }
            }
        }
    }

    /// Three rows and columns: one exchange and an ascent reach the best of the two or four
    /// assignments on the side that the start is not on.
    #[test]
    fn small_problems_are_solved_on_the_other_side() {
        let all: Vec<Assignment> = assignments(3, 3, false);
        for seed in 0..8 {
            let problem = problem(3, 3, seed, Coverage::Full, Sense::Maximise);
            let first = Assignment::identity(3);
            let monitor = Monitor::silent();
            let mut search = Conditional::new(&problem, &first, 10_000, &monitor).unwrap();
            for i in 0..3 {
                for a in (0..3).filter(|&a| a != i) {
                    let (found, _) = search.best(Condition::Together(i, a)).unwrap();
                    let best = all
                        .iter()
                        .filter(|other| other.partner(i) == Some(a))
                        .map(|other| problem.objective(other))
                        .fold(f64::NEG_INFINITY, f64::max);
                    assert!((problem.objective(&found) - best).abs() < 1e-9);
                }
            }
        }
    }

    #[test]
    fn the_only_pair_cannot_be_taken_apart() {
        let problem = problem(1, 1, 0, Coverage::Full, Sense::Maximise);
        let mut search =
            Conditional::new(&problem, &Assignment::identity(1), 100, &Monitor::silent()).unwrap();
        assert_eq!(search.best(Condition::Apart(0, 0)), None);
        assert!(search.best(Condition::Together(0, 0)).is_some());
    }
}
