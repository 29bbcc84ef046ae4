//! The search for the most likely matching.

use super::evidence::{Evidence, Model};
use super::{Best, Effort, Log};
use crate::assignment::Assignment;
use crate::error::Result;
use crate::linalg::Matrix;
use crate::monitor::Monitor;
use crate::problem::{Coverage, Problem, Weights};
use crate::solver::{
    Anneal, Annealed, Faq, MeanField, Portfolio, Solution, Solver, Start, Status, Tabu, round,
};

/// The correlation that is supposed before anything is known.
const FIRST_CORRELATION: f64 = 0.9;

/// Fits of the scales, each followed by a search under them, at most.
pub(super) const FITS: usize = 4;

/// From this many nodes on, a relaxation and a short search come first, and sparse graphs are annealed.
pub(super) const LARGE: usize = 64;

/// Beyond this many nodes partial matchings are tried only where they are asked for, and are what is
/// left of the full one when those that disagree are dropped.
pub(super) const LARGEST_PARTIAL: usize = 200;

/// Numbers that a short search touches at most.
const POLISH: usize = 1 << 30;

/// Nats by which a matching must beat what chance makes of the best one before the search ends.
pub(super) const BEYOND_CHANCE: f64 = 10.0;

/// Σ X(1 − X) a node above which a mean field that was annealed says nothing.
const OPEN: f64 = 0.5;

/// The share of their pairs on which two annealings agree when there is something to find.
const AGREED: f64 = 0.3;

/// A matching with the model that it was found under.
#[derive(Debug, Clone)]
pub(super) struct Found {
    pub(super) assignment: Assignment,
    pub(super) model: Model,
    pub(super) coverage: Coverage,
    /// Other good matchings that the search met, which may be modes of the posterior.
    pub(super) others: Vec<Assignment>,
    /// The share of its pairs of pairs that tell something new.
    pub(super) share: f64,
    /// The logarithm of its posterior against nothing matched.
    pub(super) evidence: f64,
    /// Posterior marginals, where no search could tell one matching from the others.
    pub(super) marginals: Option<Matrix>,
    pub(super) iterations: usize,
    pub(super) status: Status,
    pub(super) convergence: Vec<f64>,
}

impl Found {
    pub(super) fn describe(&self, evidence: &Evidence<'_>, log: &mut Log) {
        let agreement = evidence.agreement(&self.assignment);
        log.parameter("weights compared", evidence.scale.as_str());
        log.parameter(
            "correlation of weights",
            format!("{:.4}", self.model.pairs.correlation()),
        );
        log.parameter("edges conserved", agreement.conserved());
        log.parameter("independent share", format!("{:.3}", self.share));
        log.parameter("evidence in nats", format!("{:.3}", self.evidence));
        let (n, m) = evidence.shape();
        let alone = n.min(m) - self.assignment.matched();
        if alone > 0 {
            let nodes = if alone == 1 { "node" } else { "nodes" };
            log.notes.push(format!(
                "the evidence gives {alone} {nodes} of the smaller side no partner"
            ));
        }
    }
}

pub(super) struct Search<'a> {
    pub(super) preset: &'a Best,
    pub(super) evidence: &'a Evidence<'a>,
    pub(super) monitor: &'a Monitor,
}

impl<'a> Search<'a> {
    pub(super) fn new(preset: &'a Best, evidence: &'a Evidence<'a>, monitor: &'a Monitor) -> Self {
        Self {
            preset,
            evidence,
            monitor,
        }
    }

    /// The most likely matching.
    pub(super) fn run(&self, first: Option<&Assignment>, log: &mut Log) -> Result<Found> {
        let watch = self.monitor.stopwatch();
        let mut best = self.full(first)?;
        log.time("search", watch.seconds());
        let watch = self.monitor.stopwatch();
        let affordable = self.preset.allow_unmatched
            || (self.evidence.nodes() <= LARGEST_PARTIAL && !self.evidence.is_listed(&best.model));
        let possible = self.preset.ingredients.outliers && self.outliers_are_possible(&best);
        if affordable && possible && self.monitor.interrupted().is_none() {
            let full = best.clone();
            for found in self.partial(&full)? {
                if self.is_better(&found, &best, &full) {
                    best = found;
                }
            }
            best.others = full.others;
        }
        log.time("outliers", watch.seconds());
        Ok(best)
    }

    /// The best matching of the whole smaller side.
    fn full(&self, first: Option<&Assignment>) -> Result<Found> {
        let evidence = self.evidence;
        let mut model = evidence.guess(FIRST_CORRELATION);
        let problem = evidence.problem(&model, Coverage::Full, 0, 1.0, self.monitor)?;
        let mut others = Vec::new();
        let (solution, marginals) = self.solve(&problem, first, &mut others)?;
        let mut found = self.found(solution, model, Coverage::Full);
        if marginals.is_some() {
            // Scales fitted to guesses would tell nothing, and a search from there would guess worse.
            found.marginals = marginals;
            return Ok(found);
        }
        // Of one product, the scale is all that a fit can change.
        if self.preset.ingredients.fitted_scales {
            for _ in 0..FITS {
                model = evidence.fit(&found.assignment);
                if problem.pairwise().as_product().is_some() && evidence.is_one_product() {
                    found.share = evidence.independent_share(&model, &found.assignment);
                    found.evidence = evidence.posterior(&model, &found.assignment, found.share);
                    found.model = model;
                    break;
                }
                if found.status.was_interrupted() {
                    break;
                }
                let problem = evidence.problem(&model, Coverage::Full, 0, 1.0, self.monitor)?;
                let solution = self.polish(&problem, &found.assignment)?;
                let same = solution.assignment == found.assignment;
                let iterations = found.iterations;
                found = self.found(solution, model, Coverage::Full);
                found.iterations += iterations;
                if same {
                    break;
                }
            }
        }
        found.others = others;
        Ok(found)
    }

    pub(super) fn found(&self, solution: Solution, model: Model, coverage: Coverage) -> Found {
        let share = self
            .evidence
            .independent_share(&model, &solution.assignment);
        Found {
            evidence: self.evidence.posterior(&model, &solution.assignment, share),
            share,
            marginals: None,
            assignment: solution.assignment,
            model,
            coverage,
            others: Vec::new(),
            iterations: solution.iterations,
            status: solution.status,
            convergence: solution.convergence,
        }
    }

    /// A search from the relaxations' and random starts; with marginals where it came to nothing.
    /// `others` gets the good matchings beside the best.
    fn solve(
        &self,
        problem: &Problem,
        first: Option<&Assignment>,
        others: &mut Vec<Assignment>,
    ) -> Result<(Solution, Option<Matrix>)> {
        let start = Start {
            seed: self.preset.seed,
            soft: None,
            assignment: first,
        };
        if let Some(solver) = &self.preset.solver {
            return Ok((solver.solve(problem, &start, self.monitor)?, None));
        }
        let nodes = self.evidence.nodes();
        let ingredients = &self.preset.ingredients;
        if ingredients.search && nodes >= LARGE && is_sparse(problem) {
            return Ok((self.anneal().solve(problem, &start, self.monitor)?, None));
        }
        let small = nodes < LARGE;
        if small && self.preset.effort == Effort::Best && ingredients.search {
            let portfolio = self.portfolio(nodes);
            let (found, elites) = portfolio.solve_for_all(problem, &start, self.monitor)?;
            *others = elites;
            return Ok((found, None));
        }
        let mut best: Option<Solution> = None;
        if let Some(first) = first {
            best = Some(self.polish(problem, first)?);
        }
        // From the start itself a relaxation would only wander off.
        let fresh = Start::seeded(start.seed);
        if ingredients.mean_field {
            let mut annealed = mean_field(nodes).anneal(problem, &fresh, self.monitor)?;
            let interrupted = annealed.solution.status.was_interrupted();
            let cautious = nodes > LARGEST_PARTIAL && first.is_none() && !interrupted;
            if cautious && annealed.open > OPEN {
                // Frozen, or in doubt about some pairs? Another schedule freezes elsewhere.
                let other = MeanField {
                    steps: 40,
                    ..MeanField::default()
                };
                let other = other.solve(problem, &fresh, self.monitor)?;
                let status = other.status;
                let agreed = agreement(&other.assignment, &annealed.solution.assignment);
                annealed.solution = better(problem, Some(annealed.solution), other);
                if agreed < AGREED {
                    annealed.solution.status = status;
                    return self.undecided(problem, annealed);
                }
            }
            let found = self.searched(problem, annealed.solution.clone())?;
            let enough = interrupted || self.is_beyond_chance(&found.assignment);
            if cautious && !enough {
                return self.undecided(problem, annealed);
            }
            best = Some(better(problem, best, found));
            if enough {
                return Ok((best.expect("a solution"), None));
            }
        }
        if best.is_none() || nodes <= LARGEST_PARTIAL {
            let found = Faq::default().solve(problem, &fresh, self.monitor)?;
            let found = self.searched(problem, found)?;
            best = Some(better(problem, best, found));
        }
        let best = best.expect("a relaxation was solved");
        let enough = best.status.was_interrupted() || self.is_beyond_chance(&best.assignment);
        let hard = self.preset.effort == Effort::Best && ingredients.search;
        if enough || !hard || nodes > LARGEST_PARTIAL {
            return Ok((best, None));
        }
        let start = Start {
            assignment: Some(&best.assignment),
            ..start
        };
        let found = self.portfolio(nodes).solve(problem, &start, self.monitor)?;
        Ok((better(problem, Some(best), found), None))
    }

    /// What the mean field says while it still says something: the matching with the most right pairs
    /// to be expected, and the marginals.
    fn undecided(
        &self,
        problem: &Problem,
        annealed: Annealed,
    ) -> Result<(Solution, Option<Matrix>)> {
        let Annealed {
            solution, early, ..
        } = annealed;
        let assignment = round(problem, &early)?;
        let solution = Solution {
            objective: problem.objective(&assignment),
            assignment,
            soft: None,
            ..solution
        };
        Ok((solution, Some(early)))
    }

    /// What a relaxation found after a short search.
    fn searched(&self, problem: &Problem, found: Solution) -> Result<Solution> {
        if self.preset.ingredients.search && !found.status.was_interrupted() {
            self.polish(problem, &found.assignment)
        } else {
            Ok(found)
        }
    }

    fn relaxations(&self, nodes: usize) -> Vec<Box<dyn Solver>> {
        let mut list: Vec<Box<dyn Solver>> = Vec::new();
        if self.preset.ingredients.mean_field {
            let mut relaxation = mean_field(nodes);
            if nodes < LARGE && self.preset.effort == Effort::Best {
                // One start of the portfolio among many.
                relaxation.steps = 20;
            }
            list.push(Box::new(relaxation));
        }
        list.push(Box::new(Faq::default()));
        list
    }

    fn portfolio(&self, nodes: usize) -> Portfolio {
        Portfolio {
            relaxations: if nodes < LARGE {
                self.relaxations(nodes)
            } else {
                Vec::new()
            },
            agreement: Some(4),
            patience: 4,
            use_all_time: false,
            ..Portfolio::default()
        }
    }

    fn anneal(&self) -> Anneal {
        // Short rounds, as long as they gain something. Matchings as good as the best are sampled once
        // the scales are known.
        let thorough = Anneal {
            rounds: 8,
            sweeps: 150,
            samples: 0,
            ..Anneal::default()
        };
        match self.preset.effort {
            Effort::Best => thorough,
            Effort::Fast => Anneal {
                rounds: 1,
                sweeps: thorough.sweeps / 2,
                ..thorough
            },
        }
    }

    /// Whether chance could not make any matching look as good as this one.
    fn is_beyond_chance(&self, assignment: &Assignment) -> bool {
        let model = self.evidence.fit(assignment);
        let share = self.evidence.independent_share(&model, assignment);
        self.evidence.posterior(&model, assignment, share) > BEYOND_CHANCE
    }

    /// A short search from a matching, which goes on while it gains something.
    pub(super) fn polish(&self, problem: &Problem, first: &Assignment) -> Result<Solution> {
        let nodes = self.evidence.nodes().max(1);
        let most = (10 * nodes)
            .min(POLISH / (nodes * nodes))
            .max(nodes / 4 + 1);
        let each = if nodes < LARGE {
            most
        } else {
            most.min(nodes / 2)
        };
        let tabu = Tabu {
            iterations: Some(each),
            ..Tabu::default()
        };
        let search = |assignment: &Assignment| {
            let start = Start {
                seed: self.preset.seed,
                soft: None,
                assignment: Some(assignment),
            };
            tabu.solve(problem, &start, self.monitor)
        };
        let mut found = search(first)?;
        let mut before = problem.objective(first);
        while problem.sense().better(found.objective, before)
            && found.iterations + each <= most
            && !found.status.was_interrupted()
        {
            before = found.objective;
            let next = search(&found.assignment)?;
            let iterations = found.iterations + next.iterations;
            found = Solution { iterations, ..next };
        }
        Ok(found)
    }
}

/// The annealing of the mean field for graphs of some size.
fn mean_field(nodes: usize) -> MeanField {
    if nodes < LARGE {
        return MeanField::default();
    }
    MeanField {
        first: 1.1,
        last: 1.9,
        // Each step costs n³: large graphs get fewer, which their larger n makes up for.
        steps: match nodes {
            0..=400 => 60,
            401..=800 => 40,
            _ => 24,
        },
        reaction: 0.6,
        inertia: 0.5,
        ..MeanField::default()
    }
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

/// Whether W is the product of two lists of edges.
fn is_sparse(problem: &Problem) -> bool {
    let listed = |weights: &Weights| matches!(weights, Weights::Sparse(_));
    problem
        .pairwise()
        .as_product()
        .is_some_and(|product| listed(product.a()) && listed(product.b()))
}

impl Evidence<'_> {
    /// Whether the full program is one product whatever the scales.
    pub(super) fn is_one_product(&self) -> bool {
        let (n, m) = self.shape();
        let constant = self.source.variance() == 0.0 || self.target.variance() == 0.0;
        n == m && ((self.source.is_complete() && self.target.is_complete()) || constant)
    }
}
