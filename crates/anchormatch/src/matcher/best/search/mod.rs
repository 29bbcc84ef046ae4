//! Stage *search*: the most likely matching.
//!
//! One loop, [`Search::full`]: search under the scales at hand, fit the scales to what was found, search
//! again from there. It ends when the matching stays the same, when the scales cannot change the
//! program, when a limit is reached, or after [`SEARCH_FITS`] fits.

mod agreement;
mod outliers;
mod polish;
mod relaxed;

use super::evidence::Evidence;
use super::found::Found;
use super::program::{Program, Terms, is_listed, is_one_product, problem};
use super::regime::{Outline, Regime, anneal, portfolio};
use super::thresholds::{LARGE, LARGEST_PARTIAL, LARGEST_WHOLE_CHAIN, SEARCH_FITS};
use super::{Best, Effort};
use crate::assignment::Assignment;
use crate::error::Result;
use crate::linalg::Matrix;
use crate::matcher::{Log, candidates};
use crate::monitor::Monitor;
use crate::problem::{Coverage, Problem};
use crate::solver::{Solution, Solver, Start, Status};

/// What a search needs beside the program.
#[derive(Clone, Copy)]
pub(super) struct Search<'a> {
    pub(super) preset: &'a Best,
    pub(super) evidence: &'a Evidence<'a>,
    pub(super) monitor: &'a Monitor,
    /// The matching that makes the graphs copies of each other, where there is one.
    pub(super) copy: Option<&'a Assignment>,
    /// The matching that lists of candidates lead to, where they were asked.
    pub(super) listed: Option<&'a Assignment>,
    /// The monitor of the whole run, where another answer is at hand once it stops: what is left to do here would only
    /// keep whoever waits for it.
    pub(super) gives_up: Option<&'a Monitor>,
}

/// What a search without a fit found.
struct Answer {
    solution: Solution,
    /// Good matchings beside the best.
    others: Vec<Assignment>,
    /// Posterior marginals, where the search came to nothing.
    marginals: Option<Matrix>,
}

impl From<Solution> for Answer {
    fn from(solution: Solution) -> Self {
        Self {
            solution,
            others: Vec::new(),
            marginals: None,
        }
    }
}

impl Search<'_> {
    /// The stages from the evidence to the most likely matching: program, regime, search, outliers.
    pub(super) fn most_likely(&self, first: Option<&Assignment>, log: &mut Log) -> Result<Found> {
        let (preset, monitor) = (self.preset, self.monitor);
        let program = log.stage("program", monitor, |log| self.program(log))?;
        let outline = Outline {
            nodes: self.evidence.nodes(),
            listed: is_listed(self.evidence, &program.model),
            has_solver: preset.solver.is_some(),
            effort: preset.effort,
        };
        let regime = Regime::choose(outline, &preset.ingredients);
        log.parameter("search", regime.as_str());
        let full = log.stage("search", monitor, |_| {
            let found = self.full(program, regime, first)?;
            let is_large = self.evidence.nodes() > LARGEST_WHOLE_CHAIN;
            let is_known = first.is_some() || self.copy.is_some();
            let is_in_doubt = preset.effort == Effort::Best && !is_known;
            match regime {
                Regime::Annealing if is_in_doubt && (self.listed.is_some() || is_large) => {
                    self.confirmed(found)
                }
                _ => Ok(found),
            }
        })?;
        log.stage("outliers", monitor, |_| self.without_outliers(full))
    }

    /// The program of the evidence, or one that the solver given can take.
    fn program(&self, log: &mut Log) -> Result<Program> {
        let mut program = Program::first(self.evidence, self.monitor)?;
        if self.preset.solver.is_some() {
            program = self.within_candidates(program)?;
        }
        if let Some(solver) = &self.preset.solver
            && solver.accepts(&program.problem).is_err()
        {
            let product = Program::product(self.evidence, self.monitor)?;
            let product = self.within_candidates(product)?;
            solver.accepts(&product.problem)?;
            let name = solver.info().name;
            log.note(format!(
                "{name} takes products of weights alone, and found the matching that the search began with"
            ));
            return Ok(product);
        }
        Ok(program)
    }

    /// The program over the pairs that are not ruled out: solvers of all kinds know lists, and not all of
    /// them bear what counts against the others.
    fn within_candidates(&self, program: Program) -> Result<Program> {
        let evidence = self.evidence;
        let Some(candidates) = candidates(evidence.allowed.as_deref(), evidence.free)? else {
            return Ok(program);
        };
        let Program { model, problem } = program;
        let problem = problem.with_candidates(candidates)?;
        Ok(Program { model, problem })
    }

    /// The best matching of the whole smaller side.
    fn full(&self, program: Program, regime: Regime, first: Option<&Assignment>) -> Result<Found> {
        let evidence = self.evidence;
        let answer = self.solve(&program.problem, regime, first)?;
        if let Some(whole) = self.gives_up {
            whole.go_on()?;
        }
        let mut found = Found::of(evidence, answer.solution, program.model, Coverage::Full);
        if answer.marginals.is_some() {
            // Scales fitted to guesses would tell nothing, and a search from there would guess worse.
            found.marginals = answer.marginals;
            return Ok(found);
        }
        if self.preset.ingredients.fitted_scales {
            found = self.fitted(found, &program.problem)?;
            let is_moderate = evidence.nodes() <= LARGEST_PARTIAL;
            if evidence.has_further_models() && is_moderate && self.preset.solver.is_none() {
                found = self.or_from_edges(found, regime, first)?;
            }
        }
        found.others = answer.others;
        Ok(found)
    }

    /// The matching found, or a likelier one that edges alone lead to.
    ///
    /// How much the rest says is a guess until something is matched, and a search that trusts a poor guess
    /// finds what confirms it. From what the edges say, its scales are fitted before they count. Many nodes
    /// make that good in the first fit.
    fn or_from_edges(
        &self,
        found: Found,
        regime: Regime,
        first: Option<&Assignment>,
    ) -> Result<Found> {
        if found.status.was_interrupted() || self.monitor.interrupted().is_some() {
            return Ok(found);
        }
        let evidence = self.evidence;
        let edges = Program::of_edges(evidence, self.monitor)?;
        let answer = self.solve(&edges.problem, regime, first)?;
        let other = Found::of(evidence, answer.solution, edges.model, Coverage::Full);
        let other = self.fitted(other, &edges.problem)?;
        let share = other.share.min(found.share);
        let value = |found: &Found| evidence.posterior(&found.model, &found.assignment, share);
        Ok(if value(&other) > value(&found) {
            other
        } else {
            found
        })
    }

    /// Fits the scales and searches on under them, until nothing changes.
    fn fitted(&self, mut found: Found, first: &Problem) -> Result<Found> {
        let evidence = self.evidence;
        // Of one product, the scale is all that a fit can change.
        let scale_alone = first.pairwise().as_product().is_some()
            && is_one_product(evidence)
            && !evidence.has_further_models();
        for _ in 0..SEARCH_FITS {
            let model = evidence.fit(&found.assignment);
            if scale_alone {
                found.rescale(evidence, model);
                break;
            }
            if found.status.was_interrupted() {
                break;
            }
            let problem = problem(evidence, &model, Terms::FULL, self.monitor)?;
            let solution = self.polish(&problem, &found.assignment)?;
            let same = solution.assignment == found.assignment;
            let iterations = found.iterations;
            found = Found::of(evidence, solution, model, Coverage::Full);
            found.iterations += iterations;
            if same {
                break;
            }
        }
        Ok(found)
    }

    /// The program searched in its regime.
    fn solve(
        &self,
        problem: &Problem,
        regime: Regime,
        first: Option<&Assignment>,
    ) -> Result<Answer> {
        let (preset, monitor) = (self.preset, self.monitor);
        let start = Start {
            seed: preset.seed,
            soft: None,
            assignment: first.or(self.copy),
        };
        if let Some(copy) = self.copy
            && self.evidence.nodes() >= LARGE
            && preset.solver.is_none()
        {
            return Ok(Solution {
                objective: problem.objective(copy),
                assignment: copy.clone(),
                soft: None,
                iterations: 0,
                status: Status::Converged,
                convergence: Vec::new(),
            }
            .into());
        }
        match (regime, &preset.solver) {
            (Regime::Given, Some(solver)) => Ok(solver.solve(problem, &start, monitor)?.into()),
            (Regime::Annealing | Regime::LongAnnealing, _) => {
                let is_long = regime == Regime::LongAnnealing;
                let anneal = anneal(self.evidence.nodes(), preset.effort, is_long);
                Ok(anneal.solve(problem, &start, monitor)?.into())
            }
            (Regime::Given | Regime::Portfolio, _) => {
                let nodes = self.evidence.nodes();
                let portfolio = portfolio(nodes, preset.effort, &preset.ingredients);
                let (solution, others) = portfolio.solve_for_all(problem, &start, monitor)?;
                Ok(Answer {
                    others,
                    ..solution.into()
                })
            }
            (Regime::Relaxed(relaxed), _) => self.relaxed(problem, relaxed, first),
        }
    }

    fn polish(&self, problem: &Problem, first: &Assignment) -> Result<Solution> {
        let nodes = self.evidence.nodes();
        polish::polish(problem, first, nodes, self.preset.seed, self.monitor)
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{Planted, preset};
    use super::super::regime::Relaxed;
    use super::*;

    #[test]
    fn every_regime_finds_a_planted_matching() {
        let planted = Planted::new(12, 2);
        let relaxed = Regime::Relaxed(Relaxed {
            is_cautious: false,
            asks_others: true,
            may_search_on: true,
        });
        planted.with_evidence(|_, evidence| {
            let monitor = Monitor::silent();
            let [right, wrong] = planted.right_and_wrong(evidence);
            let preset = preset();
            let search = Search {
                preset: &preset,
                evidence,
                monitor: &monitor,
                copy: None,
                listed: None,
                gives_up: None,
            };
            for regime in [Regime::Portfolio, relaxed] {
                for first in [None, Some(&wrong)] {
                    let program = Program::first(evidence, &monitor).unwrap();
                    let found = search.full(program, regime, first).unwrap();
                    assert_eq!(found.assignment, right, "{regime:?}");
                    assert_eq!(found.coverage, Coverage::Full);
                    let found = search.without_outliers(found).unwrap();
                    assert_eq!(found.assignment, right, "{regime:?}");
                }
            }
        });
    }

    #[test]
    fn the_stages_are_timed_in_their_order() {
        let planted = Planted::new(8, 1);
        planted.with_search(|_, search| {
            let mut log = Log::default();
            let found = search.most_likely(None, &mut log).unwrap();
            assert_eq!(log.stages(), ["program", "search", "outliers"]);
            assert_eq!(found.assignment, search.evidence.assignment(&planted.truth));
        });
    }
}
