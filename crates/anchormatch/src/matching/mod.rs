//! The result of a match: pairs, what stayed alone, how sure we are, and how we got there.

mod alternatives;
mod note;
mod suggest;
mod trust;

pub use alternatives::{Alternative, Alternatives};
pub use note::Note;
pub use suggest::Suggestion;
pub use trust::{Expected, Trust};

use std::collections::HashMap;

use serde::Serialize;

use crate::assignment::Assignment;
use crate::error::{Error, Result};
use crate::points::FittedFamily;
use crate::solver::Status;

/// Two nodes, by index in their graphs, that were matched.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Pair {
    /// Node of the source graph.
    pub source: usize,
    /// Node of the target graph.
    pub target: usize,
    /// Between 0 and 1; anchors have 1.
    pub confidence: f64,
    /// Whether the pair was given as a hard anchor.
    pub anchor: bool,
}

/// A one-to-one matching between the nodes of two graphs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Matching {
    /// All pairs, anchors included, by ascending source node.
    pub pairs: Vec<Pair>,
    /// Source nodes without a partner, ascending.
    pub unmatched_source: Vec<usize>,
    /// Target nodes without a partner, ascending.
    pub unmatched_target: Vec<usize>,
    /// How good the matching is by the method's own measure.
    pub objective: f64,
    /// What that measures.
    pub measure: Measure,
    /// How the solver ended.
    pub status: Status,
    /// Iterations that the solver made.
    pub iterations: usize,
    /// What the caller should know: terms that dropped out, weights that were clamped.
    pub notes: Vec<Note>,
    /// Every parameter that the run used, in the order in which the method meets them.
    pub parameters: Vec<(String, String)>,
    /// Seconds by stage, in the order in which the stages ran.
    pub timings: Vec<(String, f64)>,
    /// The families of maps between two sets of points, the most probable first; empty for graphs.
    pub model: Vec<FittedFamily>,
    /// The likeliest partners of every source node; `None` when the method does not know them.
    pub alternatives: Option<Alternatives>,
    /// How far the matching is to be trusted as a whole.
    #[serde(skip)]
    pub trust: Trust,
    /// Curves for the report.
    pub diagnostics: Diagnostics,
    /// Matchings drawn from the posterior; empty when the preset does not sample.
    #[serde(skip)]
    pub samples: Samples,
    /// What the rest of the evidence says of each hard anchor, in their order; empty when the preset
    /// does not ask.
    pub anchor_report: Vec<AnchorCheck>,
}

/// What an objective measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Measure {
    /// xᵀWx, the affinities of the program that was solved, over the nodes that are not anchors.
    #[default]
    Affinity,
    /// The logarithm of the posterior against nothing matched, in nats.
    Evidence,
}

impl Measure {
    /// The name, as JSON has it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Affinity => "affinity",
            Self::Evidence => "evidence",
        }
    }

    /// The measure called `name`.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Affinity, Self::Evidence]
            .into_iter()
            .find(|measure| measure.as_str() == name)
    }
}

/// What the rest of the evidence says of a hard anchor.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct AnchorCheck {
    /// Node of the source graph.
    pub source: usize,
    /// Its partner by the anchor.
    pub target: usize,
    /// How much better, in nats, the best matching without this pair is than the best one with it,
    /// less what being told counts for; −∞ when there is no matching without it.
    pub score: f64,
    /// The probability that the anchor is wrong, 1/(1 + exp(−score)).
    pub suspicion: f64,
    /// The partner that the source node gets when nobody tells; `None` when it stays alone.
    pub preferred: Option<usize>,
    /// Whether the anchor became soft evidence for this.
    pub demoted: bool,
}

impl AnchorCheck {
    /// Whether the anchor is more likely wrong than right.
    #[must_use]
    pub fn is_suspicious(&self) -> bool {
        self.suspicion > 0.5
    }
}

/// Matchings drawn from the posterior, whose shares are the confidences.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Samples {
    /// The source nodes that no hard anchor fixes, ascending.
    pub nodes: Vec<usize>,
    /// For each sample, the target node of each of `nodes`, which are its rows.
    pub partners: Vec<Assignment>,
}

/// What a report plots beside the matching.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Diagnostics {
    /// Laplacian eigenvalues of the source graph, ascending; empty when no term needed them.
    pub source_eigenvalues: Vec<f64>,
    /// Laplacian eigenvalues of the target graph, ascending; empty when no term needed them.
    pub target_eigenvalues: Vec<f64>,
    /// The solver's residual after each iteration.
    pub convergence: Vec<f64>,
    /// The learner's worst violation in each round of column generation.
    pub learner_violations: Vec<f64>,
}

/// How a matching compares with a known truth.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Score {
    /// Pairs of the truth that are not hard anchors.
    pub asked: usize,
    /// Those among them that the matching has.
    pub right: usize,
    /// Pairs of the matching that are not hard anchors.
    pub found: usize,
    /// Source nodes of the truth whose likeliest candidate is the right one, whoever else has the same; `None` when the
    /// method does not know the candidates.
    pub first: Option<usize>,
}

impl Score {
    /// The share that is right; `None` when the truth holds nothing but anchors.
    #[must_use]
    pub fn accuracy(&self) -> Option<f64> {
        (self.asked > 0).then(|| self.right as f64 / self.asked as f64)
    }

    /// The share of the pairs found that is right; `None` when none was found.
    #[must_use]
    pub fn precision(&self) -> Option<f64> {
        (self.found > 0).then(|| self.right as f64 / self.found as f64)
    }

    /// Hits@1: the share of the nodes whose likeliest candidate is the right one. It is how methods that rank candidates
    /// for each node by itself are scored; one target may be the first of many. `None` as for
    /// [`accuracy`](Self::accuracy), and when candidates are not known.
    #[must_use]
    pub fn hits(&self) -> Option<f64> {
        let first = self.first.filter(|_| self.asked > 0)?;
        Some(first as f64 / self.asked as f64)
    }

    /// The harmonic mean of recall, which is the [`accuracy`](Self::accuracy), and
    /// [`precision`](Self::precision); `None` when nothing was asked or found.
    #[must_use]
    pub fn f1(&self) -> Option<f64> {
        let all = self.asked + self.found;
        (all > 0).then(|| 2.0 * self.right as f64 / all as f64)
    }
}

impl Matching {
    /// The partner of each source node that has one.
    #[must_use]
    pub fn mapping(&self) -> HashMap<usize, usize> {
        self.pairs.iter().map(|p| (p.source, p.target)).collect()
    }

    /// Compares with `truth`, pairs of (source, target) by node index; anchors do not count.
    ///
    /// # Errors
    /// When the truth gives one source node two partners.
    pub fn score(&self, truth: &[(usize, usize)]) -> Result<Score> {
        let mut partner: HashMap<usize, usize> = HashMap::with_capacity(truth.len());
        for &(source, target) in truth {
            if let Some(other) = partner.insert(source, target)
                && other != target
            {
                return Err(Error::Graph(format!(
                    "the truth gives source node {source} two partners, {other} and {target}"
                )));
            }
        }
        let mut score = Score {
            asked: partner.len(),
            right: 0,
            found: self.pairs.iter().filter(|pair| !pair.anchor).count(),
            first: None,
        };
        for pair in &self.pairs {
            match partner.get(&pair.source) {
                Some(_) if pair.anchor => score.asked -= 1,
                Some(&target) if target == pair.target => score.right += 1,
                _ => {}
            }
        }
        // A node that an anchor fixes has no candidates, and is not asked for.
        score.first = self.alternatives.as_ref().map(|listed| {
            let is_first = |&(&source, &target): &(&usize, &usize)| {
                let first = listed.of(source).first();
                first.is_some_and(|first| first.target == target)
            };
            partner.iter().filter(is_first).count()
        });
        Ok(score)
    }

    /// Whether each pair is in `truth`; `None` when its source node is not.
    #[must_use]
    pub fn verdicts(&self, truth: &[(usize, usize)]) -> Vec<Option<bool>> {
        let partner: HashMap<usize, usize> = truth.iter().copied().collect();
        self.pairs
            .iter()
            .map(|p| partner.get(&p.source).map(|&t| t == p.target))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matching() -> Matching {
        let pair = |source, target, anchor| Pair {
            source,
            target,
            confidence: 1.0,
            anchor,
        };
        Matching {
            pairs: vec![pair(0, 0, true), pair(1, 2, false), pair(2, 1, false)],
            unmatched_source: vec![3],
            unmatched_target: vec![],
            objective: 0.0,
            measure: Measure::default(),
            status: Status::Converged,
            iterations: 1,
            notes: vec![],
            parameters: vec![],
            timings: vec![],
            diagnostics: Diagnostics::default(),
            model: vec![],
            alternatives: None,
            trust: Trust::default(),
            samples: Samples::default(),
            anchor_report: vec![],
        }
    }

    #[test]
    fn anchors_do_not_count_and_unmatched_nodes_are_wrong() {
        let score = matching().score(&[(0, 0), (1, 2), (2, 2), (3, 3)]).unwrap();
        assert_eq!((score.asked, score.right), (3, 1));
        assert_eq!(score.accuracy(), Some(1.0 / 3.0));
    }

    #[test]
    fn hits_count_the_first_candidate_whoever_else_has_it() {
        let truth = [(0, 0), (1, 2), (2, 2), (3, 3)];
        let mut matching = matching();
        assert_eq!(matching.score(&truth).unwrap().hits(), None);
        let lists = [
            vec![],
            vec![(2, 0.5), (1, 0.4)],
            vec![(1, 0.3), (2, 0.6)],
            vec![(1, 0.7), (3, 0.2)],
        ];
        matching.alternatives = Some(Alternatives::new(lists));
        let score = matching.score(&truth).unwrap();
        assert_eq!((score.first, score.right, score.asked), (Some(2), 1, 3));
        assert_eq!(score.hits(), Some(2.0 / 3.0));
        assert_eq!(matching.score(&[(0, 0)]).unwrap().hits(), None);
    }

    #[test]
    fn a_truth_of_anchors_alone_has_no_accuracy() {
        assert_eq!(matching().score(&[(0, 0)]).unwrap().accuracy(), None);
    }

    #[test]
    fn a_contradictory_truth_is_an_error() {
        assert!(matching().score(&[(1, 2), (1, 3)]).is_err());
    }

    #[test]
    fn doubtful_pairs_are_taken_apart_and_the_rest_is_expected_to_be_right() {
        let mut matching = matching();
        matching.pairs[1].confidence = 0.9;
        matching.pairs[2].confidence = 0.3;
        matching.trust.partners = Some(2.4);
        let expected = matching.expected().unwrap();
        assert!((expected.precision - 0.6).abs() < 1e-12);
        assert!((expected.recall - 0.5).abs() < 1e-12);
        matching.drop_below(0.5);
        let expected = matching.expected().unwrap();
        assert!((expected.precision - 0.9).abs() < 1e-12);
        assert!((expected.recall - 0.375).abs() < 1e-12);
        assert_eq!(matching.unmatched_source, [2, 3]);
        assert_eq!(matching.unmatched_target, [1]);
        // Anchors are no matter of confidence.
        matching.drop_below(1.1);
        assert_eq!(matching.pairs.len(), 1);
        assert_eq!(matching.expected(), None);
    }

    #[test]
    fn verdicts_follow_the_pairs() {
        let verdicts = matching().verdicts(&[(1, 2), (2, 0)]);
        assert_eq!(verdicts, vec![None, Some(true), Some(false)]);
    }
}
