//! The search for the most likely matching.

use super::evidence::{Evidence, Model};
use super::{Best, Effort, Log};
use crate::error::Result;
use crate::monitor::Monitor;
use crate::problem::{Coverage, Problem, Weights};
use crate::solver::{Anneal, Faq, MeanField, Portfolio, Solution, Solver, Start, Status, Tabu};

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

/// A matching with the model that it was found under.
#[derive(Debug, Clone)]
pub(super) struct Found {
    pub(super) assignment: Vec<Option<usize>>,
    pub(super) model: Model,
    pub(super) coverage: Coverage,
    /// Other good matchings that the search met, which may be modes of the posterior.
    pub(super) others: Vec<Vec<Option<usize>>>,
    /// The share of its pairs of pairs that tell something new.
    pub(super) share: f64,
    /// The logarithm of its posterior against nothing matched.
    pub(super) evidence: f64,
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
        let alone = n.min(m) - self.assignment.iter().flatten().count();
        if alone > 0 {
            log.notes.push(format!(
                "the evidence gives {alone} nodes of the smaller side no partner"
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
    pub(super) fn run(&self, first: Option<&[Option<usize>]>, log: &mut Log) -> Result<Found> {
        let watch = self.monitor.stopwatch();
        let mut best = self.full(first)?;
        log.time("search", watch.seconds());
        let watch = self.monitor.stopwatch();
        let affordable = self.preset.allow_unmatched
            || (self.evidence.nodes() <= LARGEST_PARTIAL && !self.evidence.is_listed(&best.model));
        if affordable && self.preset.ingredients.outliers && self.outliers_are_possible(&best) {
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
    fn full(&self, first: Option<&[Option<usize>]>) -> Result<Found> {
        let evidence = self.evidence;
        let mut model = evidence.guess(FIRST_CORRELATION);
        let problem = evidence.problem(&model, Coverage::Full, 0, 1.0, self.monitor)?;
        let mut others = Vec::new();
        let solution = self.solve(&problem, first, &mut others)?;
        let mut found = self.found(solution, model, Coverage::Full);
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
            assignment: solution.assignment,
            model,
            coverage,
            others: Vec::new(),
            iterations: solution.iterations,
            status: solution.status,
            convergence: solution.convergence,
        }
    }

    /// A search from the relaxations' and random starts; `others` gets the good ones beside the best.
    fn solve(
        &self,
        problem: &Problem,
        first: Option<&[Option<usize>]>,
        others: &mut Vec<Vec<Option<usize>>>,
    ) -> Result<Solution> {
        let start = Start {
            seed: self.preset.seed,
            soft: None,
            assignment: first,
        };
        if let Some(solver) = &self.preset.solver {
            return solver.solve(problem, &start, self.monitor);
        }
        let nodes = self.evidence.nodes();
        let ingredients = &self.preset.ingredients;
        if ingredients.search && nodes >= LARGE && is_sparse(problem) {
            return self.anneal().solve(problem, &start, self.monitor);
        }
        let small = nodes < LARGE;
        if small && self.preset.effort == Effort::Best && ingredients.search {
            let portfolio = self.portfolio(nodes);
            let (solution, elites) = portfolio.solve_for_all(problem, &start, self.monitor)?;
            *others = elites;
            return Ok(solution);
        }
        let mut best: Option<Solution> = None;
        let mut enough = false;
        if let Some(first) = first {
            best = Some(self.polish(problem, first)?);
        }
        for relaxation in self.relaxations(nodes) {
            // From the start itself a relaxation would only wander off.
            let fresh = Start::seeded(start.seed);
            let mut found = relaxation.solve(problem, &fresh, self.monitor)?;
            if ingredients.search {
                found = self.polish(problem, &found.assignment)?;
            }
            let now = match best {
                Some(best) => better(problem, best, found),
                None => found,
            };
            enough = now.status.was_interrupted() || self.is_beyond_chance(&now.assignment);
            best = Some(now);
            if enough {
                break;
            }
        }
        let best = best.expect("there is a relaxation");
        if enough || self.preset.effort == Effort::Fast || !ingredients.search {
            return Ok(best);
        }
        if nodes > LARGEST_PARTIAL {
            return self.slowly(problem, best);
        }
        let start = Start {
            assignment: Some(&best.assignment),
            ..start
        };
        let found = self.portfolio(nodes).solve(problem, &start, self.monitor)?;
        Ok(better(problem, best, found))
    }

    /// The mean field once more, slowly: what a portfolio would cost too much for.
    fn slowly(&self, problem: &Problem, best: Solution) -> Result<Solution> {
        let slow = MeanField {
            steps: 200,
            ..MeanField::default()
        };
        let found = slow.solve(problem, &Start::seeded(self.preset.seed), self.monitor)?;
        Ok(better(
            problem,
            best,
            self.polish(problem, &found.assignment)?,
        ))
    }

    fn relaxations(&self, nodes: usize) -> Vec<Box<dyn Solver>> {
        let mut list: Vec<Box<dyn Solver>> = Vec::new();
        if self.preset.ingredients.mean_field {
            // Each step costs n³: large graphs get fewer, which their larger n makes up for.
            // Where a portfolio follows, it is one start among many.
            let steps = match nodes {
                0..LARGE if self.preset.effort == Effort::Best => 20,
                0..=400 => 60,
                401..=800 => 40,
                _ => 24,
            };
            list.push(Box::new(MeanField {
                steps,
                ..MeanField::default()
            }));
        }
        if list.is_empty() || nodes <= 400 {
            list.push(Box::new(Faq::default()));
        }
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
        let thorough = Anneal::default();
        match self.preset.effort {
            Effort::Best => thorough,
            Effort::Fast => Anneal {
                rounds: 1,
                sweeps: thorough.sweeps / 4,
                samples: thorough.samples / 5,
                ..thorough
            },
        }
    }

    /// Whether chance could not make any matching look as good as this one.
    fn is_beyond_chance(&self, assignment: &[Option<usize>]) -> bool {
        let model = self.evidence.fit(assignment);
        let share = self.evidence.independent_share(&model, assignment);
        self.evidence.posterior(&model, assignment, share) > BEYOND_CHANCE
    }

    /// A short search from a matching.
    pub(super) fn polish(&self, problem: &Problem, first: &[Option<usize>]) -> Result<Solution> {
        let nodes = self.evidence.nodes().max(1);
        let tabu = Tabu {
            iterations: Some(
                (10 * nodes)
                    .min(POLISH / (nodes * nodes))
                    .max(nodes / 4 + 1),
            ),
            ..Tabu::default()
        };
        let start = Start {
            seed: self.preset.seed,
            soft: None,
            assignment: Some(first),
        };
        tabu.solve(problem, &start, self.monitor)
    }
}

fn better(problem: &Problem, first: Solution, second: Solution) -> Solution {
    if problem.sense().better(second.objective, first.objective) {
        second
    } else {
        first
    }
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
