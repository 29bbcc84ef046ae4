//! What the learner learns from, and whether it fits together.

use super::Metric;
use crate::anchors::Anchor;
use crate::error::{Error, Result};
use crate::linalg::Matrix;

/// Features beyond this would overflow in the fourth powers that the problem takes.
const LARGEST_FEATURE: f64 = 1e40;

/// What the learner learns from: arrays alone.
#[derive(Debug, Clone, Copy)]
pub struct Examples<'a> {
    /// θ: a row of features for each source node.
    pub source: &'a Matrix,
    /// θ': a row of features for each target node.
    pub target: &'a Matrix,
    /// Known correspondences; a weight below 1 scales the price of that anchor's slack.
    pub anchors: &'a [Anchor],
    /// Entry (k, j) is Ω(j, i) for the source i of anchor k: how wrong it is to take j instead.
    pub source_loss: &'a Matrix,
    /// Entry (k, b) is Ω'(b, a) for the target a of anchor k.
    pub target_loss: &'a Matrix,
}

/// A rival by its side.
pub(super) enum Side {
    /// b ≠ a in place of the anchor's target.
    Target(usize),
    /// j ≠ i in place of the anchor's source.
    Source(usize),
}

impl Examples<'_> {
    /// K + K', or K where the metric is shared.
    pub(super) fn dimension(&self, metric: Metric) -> usize {
        match metric {
            Metric::Joint => self.source.cols() + self.target.cols(),
            Metric::Shared => self.source.cols(),
        }
    }

    /// Rivals of an anchor, itself counted once on each side.
    pub(super) fn rivals(&self) -> usize {
        self.target.rows() + self.source.rows()
    }

    pub(super) fn side(&self, rival: usize) -> Side {
        match rival.checked_sub(self.target.rows()) {
            None => Side::Target(rival),
            Some(j) => Side::Source(j),
        }
    }

    pub(super) fn loss(&self, anchor: usize, rival: usize) -> f64 {
        match self.side(rival) {
            Side::Target(b) => self.target_loss[(anchor, b)],
            Side::Source(j) => self.source_loss[(anchor, j)],
        }
    }

    /// The largest loss of all.
    pub(super) fn largest_loss(&self) -> f64 {
        let losses = [self.source_loss, self.target_loss];
        losses
            .iter()
            .flat_map(|loss| loss.as_slice())
            .fold(0.0, |a, &b| a.max(b))
    }

    /// Refuses arrays that do not fit together, or not to the prior.
    pub(super) fn check(&self, prior: f64, metric: Metric) -> Result<()> {
        let (source, target) = (self.source, self.target);
        if self.anchors.is_empty() {
            return Err(Error::Anchors(
                "there are none, and the learned proximity learns from nothing else".into(),
            ));
        }
        for anchor in self.anchors {
            for (node, nodes, side) in [
                (anchor.source, source.rows(), "source"),
                (anchor.target, target.rows(), "target"),
            ] {
                if node >= nodes {
                    return Err(Error::Anchors(format!(
                        "found node {node}, expected a row of the {side} features, below {nodes}"
                    )));
                }
            }
            if !(anchor.weight > 0.0 && anchor.weight <= 1.0) {
                return Err(Error::Anchors(format!(
                    "pair ({}, {}) has the weight {}, expected above 0 and at most 1",
                    anchor.source, anchor.target, anchor.weight
                )));
            }
        }
        for (name, features) in [("source", source), ("target", target)] {
            if features.cols() == 0 {
                return Err(Error::parameter(name, "no feature", "at least one"));
            }
            let bad = features
                .as_slice()
                .iter()
                .find(|v| v.is_nan() || v.abs() > LARGEST_FEATURE);
            if let Some(bad) = bad {
                return Err(Error::parameter(
                    name,
                    bad,
                    format!("finite features, at most {LARGEST_FEATURE:e}"),
                ));
            }
        }
        if prior > 0.0 && source.cols() != target.cols() {
            return Err(Error::parameter(
                "prior",
                prior,
                format!(
                    "0, since the source has {} features and the target {}",
                    source.cols(),
                    target.cols()
                ),
            ));
        }
        if metric == Metric::Shared && source.cols() != target.cols() {
            return Err(Error::parameter(
                "metric",
                format!("shared by {} and {} features", source.cols(), target.cols()),
                "as many features of both graphs",
            ));
        }
        for (name, loss, nodes) in [
            ("source_loss", self.source_loss, source.rows()),
            ("target_loss", self.target_loss, target.rows()),
        ] {
            let shape = (loss.rows(), loss.cols());
            if shape != (self.anchors.len(), nodes) {
                return Err(Error::parameter(
                    name,
                    format!("{}×{}", shape.0, shape.1),
                    format!(
                        "a row per anchor and a column per node, {}×{nodes}",
                        self.anchors.len()
                    ),
                ));
            }
            let bad = loss.as_slice().iter().find(|v| !v.is_finite() || **v < 0.0);
            if let Some(bad) = bad {
                return Err(Error::parameter(name, bad, "finite losses, 0 or above"));
            }
        }
        Ok(())
    }
}
