//! Stage *outliers*: partial matchings, compared with the full one by their posterior.

use super::Search;
use crate::affinity::likelihood::Scale;
use crate::assignment::Assignment;
use crate::error::Result;
use crate::linalg::Matrix;
use crate::matcher::best::evidence::{Model, log_prior};
use crate::matcher::best::found::Found;
use crate::matcher::best::program::{Terms, is_listed, problem, tolerant};
use crate::matcher::best::thresholds::{LARGEST_PARTIAL, OUTLIER_LADDER, SEARCH_FITS};
use crate::problem::Coverage;
use crate::solver::{MeanField, Solution, Solver, Start, Status, round_within};

impl Search<'_> {
    /// The full matching, or a partial one that is more likely.
    pub(super) fn without_outliers(&self, full: Found) -> Result<Found> {
        let affordable = self.preset.allow_unmatched
            || (self.evidence.nodes() <= LARGEST_PARTIAL
                && self.evidence.observed.scale != Scale::Counts
                && !is_listed(self.evidence, &full.model));
        // Who has no partner cannot be told by one of many optima: what they have in common says how sure each pair is.
        let is_told = full.is_confirmed || self.evidence.nodes() <= LARGEST_PARTIAL;
        let possible =
            is_told && self.preset.ingredients.outliers && self.outliers_are_possible(&full);
        if !affordable || !possible || self.monitor.interrupted().is_some() {
            return Ok(full);
        }
        let mut best = full.clone();
        for found in self.partial(&full)? {
            if self.is_better(&found, &best, &full) {
                best = found;
            }
        }
        best.others = full.others;
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
        for correlation in OUTLIER_LADDER {
            if large || self.monitor.interrupted().is_some() {
                break;
            }
            let Some(problem) = tolerant(evidence, correlation, self.monitor)? else {
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
        for _ in 0..2 * SEARCH_FITS {
            if self.monitor.interrupted().is_some() {
                break;
            }
            let terms = Terms {
                coverage: Coverage::Partial,
                matched: assignment.matched(),
                share,
            };
            let problem = problem(evidence, &model, terms, self.monitor)?;
            let score = Matrix::from_fn(n, m, |i, a| {
                f64::from(u8::from(assignment.partner(i) == Some(a)))
            });
            let dropped = round_within(&problem, &score, self.monitor)?;
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
            let found = Found::of(evidence, solution, model.clone(), Coverage::Partial);
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
}
