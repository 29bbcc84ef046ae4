//! Matchings that leave nodes alone: partial ones, compared with the full one by their posterior.

use super::evidence::{Model, log_prior};
use super::search::{FITS, Found, LARGEST_PARTIAL, Search};
use crate::affinity::likelihood::Observations;
use crate::assignment::Assignment;
use crate::error::Result;
use crate::linalg::Matrix;
use crate::problem::{Coverage, GaussianKernel, Problem, SeparablePairwise};
use crate::solver::{MeanField, Solution, Solver, Start, Status, round};

/// Correlations at which outliers are looked for.
const LADDER: [f64; 3] = [0.99, 0.9, 0.7];

/// Where no edge lies among weights in units of their spread: far from all of them.
const NO_EDGE: f64 = -4.0;

impl Search<'_> {
    /// Whether a partial matching takes the place of the best so far.
    ///
    /// Matchings are compared under the same share of independent edges. Who wants everything matched
    /// says that full matchings are likely: a partial one must then be better than the full one by
    /// more than chance could make the best of all of them, ln of their number.
    pub(super) fn is_better(&self, found: &Found, best: &Found, full: &Found) -> bool {
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

    /// Whether some node of a full matching disagrees with the rest.
    pub(super) fn outliers_are_possible(&self, found: &Found) -> bool {
        self.preset.allow_unmatched
            || self
                .evidence
                .support(&found.model, &found.assignment)
                .iter()
                .any(|&support| support < 0.0)
    }

    /// Partial matchings, from the full one and from searches that do not mind outliers.
    pub(super) fn partial(&self, full: &Found) -> Result<Vec<Found>> {
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
    fn shrink(&self, first: &Assignment, mut model: Model) -> Result<Option<Found>> {
        let evidence = self.evidence;
        let (n, m) = evidence.shape();
        let mut assignment = first.clone();
        let mut best: Option<Found> = None;
        let mut share = 1.0;
        for _ in 0..2 * FITS {
            if self.monitor.interrupted().is_some() {
                break;
            }
            let matched = assignment.matched();
            let problem =
                evidence.problem(&model, Coverage::Partial, matched, share, self.monitor)?;
            let score = Matrix::from_fn(n, m, |i, a| {
                f64::from(u8::from(assignment.partner(i) == Some(a)))
            });
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
        let (rows, columns) = (&evidence.free.source, &evidence.free.target);
        // The variance of x − y for matched weights is 2 (1 − ρ); three times as wide is tolerant.
        let kernel = GaussianKernel::new(12.0 * (1.0 - correlation))?;
        let mut unary = Matrix::zeros(n, m);
        evidence.each_anchor(|p, q| {
            for (i, &s) in rows.iter().enumerate() {
                for (a, &t) in columns.iter().enumerate() {
                    unary[(i, a)] +=
                        2.0 * kernel.evaluate(spread(source, s, p), spread(target, t, q));
                }
            }
        });
        let pairwise = SeparablePairwise::new(
            spreads(source, rows),
            spreads(target, columns),
            kernel,
            1e-4,
            self.monitor,
        )?;
        Ok(Some(Problem::maximise(unary, Box::new(pairwise))?))
    }
}

/// A weight in units of its graph's spread.
fn spread(shown: &Observations, i: usize, j: usize) -> f64 {
    shown
        .get(i, j)
        .map_or(NO_EDGE, |v| (v - shown.mean()) / shown.variance().sqrt())
}

fn spreads(shown: &Observations, nodes: &[usize]) -> Matrix {
    Matrix::from_fn(nodes.len(), nodes.len(), |k, l| {
        spread(shown, nodes[k], nodes[l])
    })
}
