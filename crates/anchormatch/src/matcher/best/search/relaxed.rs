//! A relaxation, then a short search; more where chance could have found as much.

use super::{Answer, Search};
use crate::assignment::Assignment;
use crate::error::Result;
use crate::matcher::best::regime::{Relaxed, mean_field, portfolio};
use crate::matcher::best::thresholds::{AGREED, BEYOND_CHANCE, OPEN};
use crate::monitor::Monitor;
use crate::problem::Problem;
use crate::solver::{Annealed, Faq, MeanField, Solution, Solver, Start, round_within};

impl Search<'_> {
    /// Mean field, FAQ and a portfolio, one after the other, until the evidence is beyond chance.
    pub(super) fn relaxed(
        &self,
        problem: &Problem,
        regime: Relaxed,
        first: Option<&Assignment>,
    ) -> Result<Answer> {
        let (preset, monitor) = (self.preset, self.monitor);
        let nodes = self.evidence.nodes();
        let mut best: Option<Solution> = None;
        if let Some(first) = first {
            best = Some(self.polish(problem, first)?);
        }
        // From the start itself a relaxation would only wander off.
        let fresh = Start::seeded(preset.seed);
        if preset.ingredients.mean_field {
            let mut annealed = mean_field(nodes).anneal(problem, &fresh, monitor)?;
            let interrupted = annealed.solution.status.was_interrupted();
            let cautious = regime.is_cautious && first.is_none() && !interrupted;
            if cautious && annealed.open > OPEN {
                // Frozen, or in doubt about some pairs? Another schedule freezes elsewhere.
                let other = MeanField {
                    steps: 40,
                    ..MeanField::default()
                };
                let other = other.solve(problem, &fresh, monitor)?;
                let status = other.status;
                let agreed = agreement(&other.assignment, &annealed.solution.assignment);
                annealed.solution = better(problem, Some(annealed.solution), other);
                if agreed < AGREED {
                    annealed.solution.status = status;
                    return undecided(problem, annealed, monitor);
                }
            }
            let found = self.searched(problem, annealed.solution.clone())?;
            let enough = interrupted || self.is_beyond_chance(&found.assignment);
            if cautious && !enough {
                return undecided(problem, annealed, monitor);
            }
            let found = better(problem, best, found);
            if enough {
                return Ok(found.into());
            }
            best = Some(found);
        }
        let best = match best {
            Some(best) if !regime.asks_others => best,
            best => {
                let found = Faq::default().solve(problem, &fresh, monitor)?;
                let found = self.searched(problem, found)?;
                better(problem, best, found)
            }
        };
        let enough = best.status.was_interrupted() || self.is_beyond_chance(&best.assignment);
        if enough || !regime.may_search_on {
            return Ok(best.into());
        }
        let start = Start::seeded(preset.seed).with_assignment(&best.assignment);
        let portfolio = portfolio(nodes, preset.effort, &preset.ingredients);
        let found = portfolio.solve(problem, &start, monitor)?;
        Ok(better(problem, Some(best), found).into())
    }

    /// What a relaxation found after a short search.
    fn searched(&self, problem: &Problem, found: Solution) -> Result<Solution> {
        if self.preset.ingredients.search && !found.status.was_interrupted() {
            self.polish(problem, &found.assignment)
        } else {
            Ok(found)
        }
    }

    /// Whether chance could not make any matching look as good as this one.
    fn is_beyond_chance(&self, assignment: &Assignment) -> bool {
        let model = self.evidence.fit(assignment);
        let share = self.evidence.independent_share(&model, assignment);
        self.evidence.posterior(&model, assignment, share) > BEYOND_CHANCE
    }
}

/// What the mean field says while it still says something: the matching with the most right pairs to be
/// expected, and the marginals.
fn undecided(problem: &Problem, annealed: Annealed, monitor: &Monitor) -> Result<Answer> {
    let Annealed {
        solution, early, ..
    } = annealed;
    let assignment = round_within(problem, &early, monitor)?;
    let solution = Solution {
        objective: problem.objective(&assignment),
        assignment,
        soft: None,
        ..solution
    };
    Ok(Answer {
        marginals: Some(early),
        ..solution.into()
    })
}

fn better(problem: &Problem, first: Option<Solution>, second: Solution) -> Solution {
    match first {
        Some(first) if !problem.sense().better(second.objective, first.objective) => first,
        _ => second,
    }
}

/// The share of rows with the same partner.
fn agreement(first: &Assignment, second: &Assignment) -> f64 {
    let same = first.iter().zip(second).filter(|(a, b)| a == b).count();
    same as f64 / first.rows().max(1) as f64
}
