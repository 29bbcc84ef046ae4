//! The search for the most likely matching, and samples around it.

use super::evidence::{Evidence, Model, log_prior};
use super::{Best, Effort, Log};
use crate::affinity::likelihood::Agreement;
use crate::error::Result;
use crate::linalg::Matrix;
use crate::matching::Samples;
use crate::monitor::Monitor;
use crate::problem::{Coverage, GaussianKernel, Problem, SeparablePairwise, Weights};
use crate::solver::{
    Anneal, Faq, MeanField, Portfolio, Sampler, Solution, Solver, Start, Status, Tabu, round,
};

/// The correlation that is supposed before anything is known.
const FIRST_CORRELATION: f64 = 0.9;

/// Fits of the scales, each followed by a search under them, at most.
const FITS: usize = 4;

/// Fits of the scales to samples before the ones that count.
const FITS_OF_SAMPLES: usize = 2;

/// From this many nodes on, a relaxation and a short search come first, and sparse graphs are annealed.
const LARGE: usize = 64;

/// Beyond this many nodes partial matchings are tried only where they are asked for, and are what is
/// left of the full one when those that disagree are dropped.
const LARGEST_PARTIAL: usize = 200;

/// Numbers that a short search touches at most.
const POLISH: usize = 1 << 30;

/// Nats by which a matching must beat what chance makes of the best one before the search ends.
const BEYOND_CHANCE: f64 = 10.0;

/// Correlations at which outliers are looked for.
const LADDER: [f64; 3] = [0.99, 0.9, 0.7];

/// A matching with the model that it was found under.
#[derive(Debug, Clone)]
pub(super) struct Found {
    pub(super) assignment: Vec<Option<usize>>,
    pub(super) model: Model,
    pub(super) coverage: Coverage,
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
    preset: &'a Best,
    evidence: &'a Evidence<'a>,
    monitor: &'a Monitor,
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
        }
        log.time("outliers", watch.seconds());
        Ok(best)
    }

    /// Whether a partial matching takes the place of the best so far.
    ///
    /// Matchings are compared under the same share of independent edges. Who wants everything matched
    /// says that full matchings are likely: a partial one must then be better than the full one by
    /// more than chance could make the best of all of them, ln of their number.
    fn is_better(&self, found: &Found, best: &Found, full: &Found) -> bool {
        let evidence =
            |f: &Found, share: f64| self.evidence.posterior(&f.model, &f.assignment, share);
        let share = found.share.min(best.share);
        if evidence(found, share) <= evidence(best, share) {
            return false;
        }
        let (n, m) = self.evidence.shape();
        let share = found.share.min(full.share);
        let margin = if self.preset.allow_unmatched {
            0.0
        } else {
            -log_prior((n, m), n.min(m))
        };
        evidence(found, share) > evidence(full, share) + margin
    }

    /// The best matching of the whole smaller side.
    fn full(&self, first: Option<&[Option<usize>]>) -> Result<Found> {
        let evidence = self.evidence;
        let mut model = evidence.guess(FIRST_CORRELATION);
        let problem = evidence.problem(&model, Coverage::Full, 0, 1.0, self.monitor)?;
        let solution = self.solve(&problem, first)?;
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
        Ok(found)
    }

    fn found(&self, solution: Solution, model: Model, coverage: Coverage) -> Found {
        let share = self
            .evidence
            .independent_share(&model, &solution.assignment);
        Found {
            evidence: self.evidence.posterior(&model, &solution.assignment, share),
            share,
            assignment: solution.assignment,
            model,
            coverage,
            iterations: solution.iterations,
            status: solution.status,
            convergence: solution.convergence,
        }
    }

    /// A search from the relaxations' and random starts.
    fn solve(&self, problem: &Problem, first: Option<&[Option<usize>]>) -> Result<Solution> {
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
            return self.anneal(&start).solve(problem, &start, self.monitor);
        }
        let small = nodes < LARGE;
        if small && self.preset.effort == Effort::Best && ingredients.search {
            return self.portfolio(nodes).solve(problem, &start, self.monitor);
        }
        let mut best: Option<Solution> = None;
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
            let enough = now.status.was_interrupted() || self.is_beyond_chance(&now.assignment);
            best = Some(now);
            if enough {
                break;
            }
        }
        let best = best.expect("there is a relaxation");
        let done = self.preset.effort == Effort::Fast
            || !ingredients.search
            || best.status.was_interrupted()
            || self.is_beyond_chance(&best.assignment);
        if done {
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

    /// The mean field once more, slowly. Where even that finds nothing beyond chance, the best matching
    /// is noise, and where the anchors point to before the mean field takes sides is the better guess.
    fn slowly(&self, problem: &Problem, best: Solution) -> Result<Solution> {
        let start = Start::seeded(self.preset.seed);
        let slow = MeanField {
            steps: 200,
            ..MeanField::default()
        };
        let found = slow.solve(problem, &start, self.monitor)?;
        let found = better(problem, best, self.polish(problem, &found.assignment)?);
        if found.status.was_interrupted() || self.is_beyond_chance(&found.assignment) {
            return Ok(found);
        }
        let cautious = MeanField {
            last: 0.8,
            steps: 20,
            ..MeanField::default()
        };
        cautious.solve(problem, &start, self.monitor)
    }

    fn relaxations(&self, nodes: usize) -> Vec<Box<dyn Solver>> {
        let mut list: Vec<Box<dyn Solver>> = Vec::new();
        if self.preset.ingredients.mean_field {
            // Each step costs n³: large graphs get fewer, which their larger n makes up for.
            let steps = match nodes {
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

    fn anneal(&self, start: &Start<'_>) -> Anneal {
        let thorough = Anneal::default();
        match self.preset.effort {
            Effort::Best => thorough,
            Effort::Fast => Anneal {
                rounds: 1,
                sweeps: thorough.sweeps / 4,
                samples: if start.assignment.is_some() {
                    0
                } else {
                    thorough.samples / 5
                },
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
    fn polish(&self, problem: &Problem, first: &[Option<usize>]) -> Result<Solution> {
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

    /// Whether some node of a full matching disagrees with the rest.
    fn outliers_are_possible(&self, found: &Found) -> bool {
        self.preset.allow_unmatched
            || self
                .evidence
                .support(&found.model, &found.assignment)
                .iter()
                .any(|&support| support < 0.0)
    }

    /// Partial matchings, from the full one and from searches that do not mind outliers.
    fn partial(&self, full: &Found) -> Result<Vec<Found>> {
        let evidence = self.evidence;
        let mut found = Vec::new();
        found.extend(self.shrink(&full.assignment, evidence.fit(&full.assignment))?);
        let large = evidence.nodes() > LARGEST_PARTIAL;
        for correlation in LADDER {
            if large || self.monitor.interrupted().is_some() {
                break;
            }
            let Some(problem) = self.tolerant(correlation)? else {
                continue;
            };
            let start = Start::seeded(self.preset.seed);
            let soft = MeanField::default().solve(&problem, &start, self.monitor)?;
            let solution = self.polish(&problem, &soft.assignment)?;
            found.extend(self.shrink(&solution.assignment, evidence.guess(correlation))?);
        }
        Ok(found)
    }

    /// Alternates between the partial matching that is most likely under a model, and its fit.
    fn shrink(&self, first: &[Option<usize>], mut model: Model) -> Result<Option<Found>> {
        let evidence = self.evidence;
        let (n, m) = evidence.shape();
        let mut assignment = first.to_vec();
        let mut best: Option<Found> = None;
        let mut share = 1.0;
        for _ in 0..2 * FITS {
            if self.monitor.interrupted().is_some() {
                break;
            }
            let matched = assignment.iter().flatten().count();
            let problem =
                evidence.problem(&model, Coverage::Partial, matched, share, self.monitor)?;
            let score = Matrix::from_fn(n, m, |i, a| f64::from(u8::from(assignment[i] == Some(a))));
            let dropped = round(&problem, &score)?;
            let solution = if evidence.nodes() > LARGEST_PARTIAL {
                Solution {
                    objective: problem.objective(&dropped),
                    assignment: dropped,
                    soft: None,
                    iterations: 1,
                    status: Status::Converged,
                    convergence: Vec::new(),
                }
            } else {
                self.polish(&problem, &dropped)?
            };
            let same = solution.assignment == assignment;
            assignment.clone_from(&solution.assignment);
            model = evidence.fit(&assignment);
            let found = self.found(solution, model.clone(), Coverage::Partial);
            share = found.share;
            let better = best.as_ref().is_none_or(|b| found.evidence > b.evidence);
            if better {
                best = Some(found);
            }
            if same {
                break;
            }
        }
        Ok(best)
    }

    /// The program of a Gaussian kernel on the weights, which an outlier cannot cost more than its
    /// own pairs; `None` when all weights are the same.
    fn tolerant(&self, correlation: f64) -> Result<Option<Problem>> {
        let evidence = self.evidence;
        let (n, m) = evidence.shape();
        let (source, target) = (&evidence.source, &evidence.target);
        if !(source.variance() > 0.0 && target.variance() > 0.0) {
            return Ok(None);
        }
        // Weights in units of their spread; no edge lies far from all weights.
        let table = |o: &crate::affinity::likelihood::Observations, nodes: &[usize]| {
            Matrix::from_fn(nodes.len(), nodes.len(), |k, l| {
                let value = o.get(nodes[k], nodes[l]);
                value.map_or(-4.0, |v| (v - o.mean()) / o.variance().sqrt())
            })
        };
        let (rows, columns) = (&evidence.free.source, &evidence.free.target);
        // The variance of x − y for matched weights is 2 (1 − ρ); three times as wide is tolerant.
        let kernel = GaussianKernel::new(12.0 * (1.0 - correlation))?;
        let mut unary = Matrix::zeros(n, m);
        evidence.each_anchor(|p, q| {
            for (i, &s) in rows.iter().enumerate() {
                for (a, &t) in columns.iter().enumerate() {
                    let z = |o: &crate::affinity::likelihood::Observations, i, j| {
                        o.get(i, j)
                            .map_or(-4.0, |v| (v - o.mean()) / o.variance().sqrt())
                    };
                    unary[(i, a)] += 2.0 * kernel.evaluate(z(source, s, p), z(target, t, q));
                }
            }
        });
        let pairwise = SeparablePairwise::new(
            table(source, rows),
            table(target, columns),
            kernel,
            1e-4,
            self.monitor,
        )?;
        Ok(Some(Problem::maximise(unary, Box::new(pairwise))?))
    }

    /// What chains around the matching say of it.
    pub(super) fn confidence(&self, found: &Found) -> Result<Confidence> {
        if self.monitor.interrupted().is_some() || found.status.was_interrupted() {
            return Ok(self.unsampled_confidence(found));
        }
        if let Some(confidence) = self.annealed_confidence(found)? {
            return Ok(confidence);
        }
        let large = self.evidence.nodes() >= LARGE;
        let short = Sampler {
            sweeps: if large { 5 } else { 30 },
            burn_in: 0,
            chains: 1,
            ..Sampler::default()
        };
        let (mut confidence, mut agreement, elsewhere) =
            self.sample(found, &found.model, &short)?;
        // Where nothing moved at the scales of the best matching, nothing is in doubt.
        if elsewhere == 0 || confidence.samples.partners.is_empty() {
            return Ok(confidence);
        }
        let single = Sampler {
            sweeps: 100,
            burn_in: 5,
            chains: 1,
            ..Sampler::default()
        };
        if large || found.evidence > BEYOND_CHANCE {
            // Some nodes waver, the rest does not: one chain sees all of it.
            (confidence, _, _) = self.sample(found, &found.model, &single)?;
            return Ok(confidence);
        }
        let longer = Sampler {
            sweeps: 60,
            burn_in: 20,
            ..Sampler::default()
        };
        // The scales of the best matching are a little too good; those of the samples are not.
        for round in 0..=FITS_OF_SAMPLES {
            if self.monitor.interrupted().is_some() {
                break;
            }
            let model = self.evidence.fit_to(&agreement, &found.assignment);
            let sampler = if round < FITS_OF_SAMPLES {
                longer.clone()
            } else {
                Sampler {
                    sweeps: 600,
                    burn_in: 60,
                    ..Sampler::default()
                }
            };
            (confidence, agreement, _) = self.sample(found, &model, &sampler)?;
        }
        Ok(confidence)
    }

    /// Where there is no time to sample: how the evidence for each pair compares with all other
    /// partners that the node could have, none of which is looked at.
    fn unsampled_confidence(&self, found: &Found) -> Confidence {
        let (n, m) = self.evidence.shape();
        let mut marginals = Matrix::zeros(n, m);
        let support = self.evidence.support(&found.model, &found.assignment);
        for (i, a) in found.assignment.iter().enumerate() {
            if let Some(a) = *a {
                let odds = found.share * support[i] - (m.max(2) as f64).ln();
                marginals[(i, a)] = 1.0 / (1.0 + (-odds).exp());
            }
        }
        Confidence {
            marginals,
            samples: Samples::default(),
        }
    }

    /// As [`confidence`](Self::confidence) for large sparse graphs, whose chains propose exchanges
    /// along edges; `None` for others.
    fn annealed_confidence(&self, found: &Found) -> Result<Option<Confidence>> {
        let evidence = self.evidence;
        let worth = found.model.pairs.conserved_edge();
        let suits = evidence.nodes() >= LARGE && found.coverage == Coverage::Full;
        if !(suits && worth > 0.0 && evidence.is_listed(&found.model)) {
            return Ok(None);
        }
        let problem = evidence.problem(&found.model, found.coverage, 0, 1.0, self.monitor)?;
        let chains = Anneal {
            rounds: 0,
            samples: 600,
            sampling: 1.0 / worth,
            ..Anneal::default()
        };
        let start = Start {
            seed: self.preset.seed,
            soft: None,
            assignment: Some(&found.assignment),
        };
        let sampled = chains.solve(&problem, &start, self.monitor)?;
        Ok(sampled.soft.map(|marginals| Confidence {
            marginals,
            samples: Samples::default(),
        }))
    }

    /// Samples under a model, the mean agreement of their matchings, and how many differ from the one
    /// found.
    fn sample(
        &self,
        found: &Found,
        model: &Model,
        sampler: &Sampler,
    ) -> Result<(Confidence, Agreement, usize)> {
        let evidence = self.evidence;
        let free = evidence.free;
        let matched = found.assignment.iter().flatten().count();
        let problem =
            evidence.problem(model, found.coverage, matched, found.share, self.monitor)?;
        let mut samples = Samples {
            nodes: free.source.clone(),
            partners: Vec::new(),
        };
        let mut agreement = Agreement::default();
        let (seed, first) = (self.preset.seed, &found.assignment);
        let sampled = sampler.sample(&problem, first, seed, self.monitor, |p| {
            let partner = |a: &Option<usize>| a.map(|a| free.target[a] as u32);
            samples.partners.push(p.iter().map(partner).collect());
            agreement.merge(&evidence.agreement(p));
        })?;
        let confidence = Confidence {
            marginals: sampled.marginals,
            samples,
        };
        let share = 1.0 / sampled.counted.max(1) as f64;
        Ok((confidence, agreement.scaled(share), sampled.elsewhere))
    }
}

/// Posterior marginals of the free pairs, and the samples that they come from.
pub(super) struct Confidence {
    pub(super) marginals: Matrix,
    pub(super) samples: Samples,
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
    fn is_one_product(&self) -> bool {
        let (n, m) = self.shape();
        let constant = self.source.variance() == 0.0 || self.target.variance() == 0.0;
        n == m && ((self.source.is_complete() && self.target.is_complete()) || constant)
    }
}
