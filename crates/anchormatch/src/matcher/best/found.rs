//! What the search hands on: a matching, and the model under which it is the most likely one.

use super::evidence::{Evidence, Model};
use crate::assignment::Assignment;
use crate::linalg::Matrix;
use crate::matcher::Log;
use crate::problem::Coverage;
use crate::solver::{Solution, Status};

/// A matching of the free nodes with the model that it was found under.
#[derive(Debug, Clone)]
pub(super) struct Found {
    pub(super) assignment: Assignment,
    pub(super) model: Model,
    pub(super) coverage: Coverage,
    /// Other good matchings that the search met, which may be modes of the posterior.
    pub(super) others: Vec<Assignment>,
    /// Whether another search would find it again, as far as is known.
    pub(super) is_confirmed: bool,
    /// The share of its pairs of pairs that tell something new.
    pub(super) share: f64,
    /// The share of the weights of complete graphs that are independent of each other, where it was asked.
    pub(super) independent: Option<f64>,
    /// The logarithm of its posterior against nothing matched.
    pub(super) evidence: f64,
    /// Posterior marginals, where no search could tell one matching from the others.
    pub(super) marginals: Option<Matrix>,
    pub(super) iterations: usize,
    pub(super) status: Status,
    pub(super) convergence: Vec<f64>,
}

impl Found {
    /// A solver's answer, weighed under the model that it was found under.
    pub(super) fn of(
        evidence: &Evidence<'_>,
        solution: Solution,
        model: Model,
        coverage: Coverage,
    ) -> Self {
        let share = evidence.independent_share(&model, &solution.assignment);
        Self {
            evidence: evidence.posterior(&model, &solution.assignment, share),
            share,
            independent: None,
            marginals: None,
            assignment: solution.assignment,
            model,
            coverage,
            others: Vec::new(),
            is_confirmed: true,
            iterations: solution.iterations,
            status: solution.status,
            convergence: solution.convergence,
        }
    }

    /// The share of what its pairs of pairs tell that is to be believed: no more than what is new, nor than what the weights
    /// do not repeat.
    pub(super) fn believed_share(&self) -> f64 {
        self.share.min(self.independent.unwrap_or(1.0))
    }

    /// Takes the scales from the model that suits the matching, which stays.
    pub(super) fn rescale(&mut self, evidence: &Evidence<'_>, model: Model) {
        self.share = evidence.independent_share(&model, &self.assignment);
        self.evidence = evidence.posterior(&model, &self.assignment, self.share);
        self.model = model;
    }

    /// Takes another matching under the same model.
    pub(super) fn replace(&mut self, evidence: &Evidence<'_>, assignment: Assignment) {
        self.assignment = assignment;
        self.evidence = evidence.posterior(&self.model, &self.assignment, self.share);
    }

    /// Writes into the log what was fitted and what stays alone.
    pub(super) fn describe(&self, evidence: &Evidence<'_>, log: &mut Log) {
        let agreement = evidence.agreement(&self.assignment);
        log.parameter("weights compared", evidence.observed.scale.as_str());
        log.parameter(
            "correlation of weights",
            format!("{:.4}", self.model.pairs.correlation()),
        );
        log.parameter("edges conserved", agreement.conserved());
        log.parameter("independent share", format!("{:.3}", self.share));
        if let Some(independent) = self.independent.filter(|&share| share < 1.0) {
            log.parameter("independent weights", format!("{independent:.3}"));
        }
        log.parameter("evidence in nats", format!("{:.3}", self.evidence));
        log.contributions(&evidence.contributions(&self.model, &self.assignment));
        let (n, m) = evidence.shape();
        let alone = n.min(m) - self.assignment.matched();
        if alone > 0 {
            let nodes = if alone == 1 { "node" } else { "nodes" };
            log.note(format!(
                "the evidence gives {alone} {nodes} of the smaller side no partner"
            ));
        }
    }
}
