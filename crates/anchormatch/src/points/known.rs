//! What is known of pairs beside where their points lie: attributes, similarities, candidates.
//!
//! With v_ia the nats that speak for a pair, its odds under a map become
//!
//! > wᵢₐ = exp(v_ia) · N(yₐ; μᵢ, Sᵢ) / ρ(yₐ) · (prior odds),
//!
//! and under no map at all exp(v_ia) · (prior odds): a partner then lies wherever target points lie. So the
//! hypothesis without a map has a sum over matchings of its own, which maps have to be better than, and pairs of its
//! own, which the mixture has where no map is credible and which climbs begin from.

use std::fmt;
use std::sync::Arc;

use super::association::{LONG, Lists};
use super::climb::evidence_of_anchors;
use super::scene::Scene;

/// What speaks for pairs beside where their points lie.
pub trait PairEvidence: Send + Sync {
    /// ln of how much likelier what is known of a source and a target point is if they are partners than if they are
    /// strangers; −∞ for a pair that is ruled out.
    fn nats(&self, source: usize, target: usize) -> f64;
}

/// Source points times target points up to which the nats of all pairs are kept.
const LARGEST_TABLE: usize = 4_000_000;

/// The evidence of pairs for the source points of a scene.
#[derive(Clone)]
pub(super) struct Known {
    evidence: Arc<dyn PairEvidence>,
    /// Where the scene's source points stand in the whole set.
    names: Vec<usize>,
    targets: usize,
    /// Row by row; empty where there are too many pairs.
    table: Vec<f32>,
}

impl fmt::Debug for Known {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shape = (self.names.len(), self.targets);
        f.debug_struct("Known").field("shape", &shape).finish()
    }
}

impl Known {
    pub(super) fn new(evidence: Arc<dyn PairEvidence>, names: Vec<usize>, targets: usize) -> Self {
        let table = if names.len() * targets <= LARGEST_TABLE {
            let pairs = names
                .iter()
                .flat_map(|&i| (0..targets).map(move |a| (i, a)));
            pairs.map(|(i, a)| evidence.nats(i, a) as f32).collect()
        } else {
            Vec::new()
        };
        Self {
            evidence,
            names,
            targets,
            table,
        }
    }

    /// The same of some of the source points.
    pub(super) fn part(&self, sources: &[usize]) -> Self {
        let names = sources.iter().map(|&i| self.names[i]).collect();
        Self::new(Arc::clone(&self.evidence), names, self.targets)
    }

    /// What speaks for a pair, in nats.
    pub(super) fn nats(&self, i: usize, a: usize) -> f64 {
        match self.table.get(i * self.targets + a) {
            Some(nats) => f64::from(*nats),
            None => self.evidence.nats(self.names[i], a),
        }
    }

    /// Whether all pairs can be looked at.
    pub(super) fn is_tabulated(&self) -> bool {
        !self.table.is_empty()
    }
}

/// What is to be said of a scene without any map.
pub(super) struct NoMap {
    /// In nats, as that of a mode.
    pub(super) evidence: f64,
    /// The same if nothing but the anchors were known.
    pub(super) of_anchors: f64,
    /// The pairs that what is known of them makes likely.
    pub(super) lists: Option<Lists>,
}

/// The hypothesis that no map takes one set to the other.
pub(super) fn without_map<const D: usize>(scene: &Scene<D>) -> NoMap {
    const ROUNDS: usize = 6;
    let of_anchors = evidence_of_anchors(scene);
    let mut none = NoMap {
        evidence: of_anchors,
        of_anchors,
        lists: None,
    };
    if !scene.known.as_ref().is_some_and(Known::is_tabulated) {
        return none;
    }
    let [n, m] = [&scene.source, &scene.target].map(Vec::len);
    let anchors = scene.anchors.matched() as f64;
    let mut lists = Lists::default();
    let mut pairs = anchors + 0.5 * (n.min(m) as f64 - anchors);
    let mut log_sum = 0.0;
    for _ in 0..ROUNDS {
        log_sum = lists.associate_known(scene, pairs, LONG);
        pairs = anchors + lists.total();
    }
    let prior = scene.log_prior(pairs) - (pairs - anchors) * scene.log_prior_odds(pairs);
    let gained = log_sum + prior - scene.log_prior(anchors);
    none.evidence += gained.max(0.0);
    none.lists = Some(lists);
    none
}
