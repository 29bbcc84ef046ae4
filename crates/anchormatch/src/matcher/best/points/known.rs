//! What a task knows of pairs of points beside their coordinates, in nats: attributes and similarities under fitted
//! models, candidates.

use std::sync::Arc;

use super::super::evidence::{SimilarityModel, in_ordinary_unit};
use crate::attributes::{AttributeModel, Attributes};
use crate::linalg::PairValues;
use crate::points::PairEvidence;
use crate::task::{Allowed, Task};

/// Pairs that are counted to learn how many of them candidates leave, at most.
const LARGEST_COUNT: usize = 4_000_000;

#[derive(Clone)]
pub(super) struct Known {
    attributes: Option<(Arc<Attributes>, AttributeModel)>,
    similarity: Option<(Arc<PairValues>, SimilarityModel)>,
    allowed: Option<Arc<Allowed>>,
    /// ln of how many times fewer partners each source point may have than there are target points: one of few
    /// candidates is likelier than one of all.
    narrowed: Arc<[f64]>,
}

impl Known {
    /// What the task knows; `None` where it is nothing but coordinates and anchors.
    pub(super) fn of(task: &Task<'_>) -> Option<Self> {
        let facts = task.facts();
        let (attributes, allowed) = (facts.attributes.as_ref(), facts.allowed.as_ref());
        if attributes.is_none() && facts.similarity.is_none() && allowed.is_none() {
            return None;
        }
        let anchors = task.anchors().hard();
        Some(Self {
            attributes: attributes.map(|a| (Arc::clone(a), a.fit(anchors))),
            similarity: facts.similarity.as_ref().map(|values| {
                let values = in_ordinary_unit(values);
                let model = SimilarityModel::guess(&values);
                (values, model)
            }),
            narrowed: allowed.map_or_else(|| Arc::from([]), |allowed| narrowed(allowed)),
            allowed: allowed.cloned(),
        })
    }

    /// Whether there is anything to fit.
    pub(super) fn has_models(&self) -> bool {
        self.attributes.is_some() || self.similarity.is_some()
    }

    /// The same fitted to pairs.
    pub(super) fn fitted(&self, pairs: &[(usize, usize)]) -> Self {
        let mut fitted = self.clone();
        if let Some((attributes, model)) = &mut fitted.attributes {
            *model = attributes.fit(pairs);
        }
        if let Some((values, model)) = &mut fitted.similarity {
            *model = SimilarityModel::fit(values, pairs);
        }
        fitted
    }

    /// What each attribute told of these pairs, in nats a pair.
    pub(super) fn contributions(&self, pairs: &[(usize, usize)]) -> Vec<(&str, f64)> {
        match &self.attributes {
            Some((attributes, model)) => attributes.contributions(model, pairs),
            None => Vec::new(),
        }
    }
}

impl PairEvidence for Known {
    fn nats(&self, i: usize, a: usize) -> f64 {
        if self.allowed.as_ref().is_some_and(|some| !some.allows(i, a)) {
            return f64::NEG_INFINITY;
        }
        let attributes = self.attributes.as_ref();
        let attributes = attributes.map_or(0.0, |(values, model)| values.nats(model, i, a));
        let similarity = self.similarity.as_ref();
        let similarity = similarity.map_or(0.0, |(values, model)| model.evidence(values[(i, a)]));
        attributes + similarity + self.narrowed.get(i).copied().unwrap_or(0.0)
    }
}

fn narrowed(allowed: &Allowed) -> Arc<[f64]> {
    let (n, m) = allowed.shape();
    let left = |i: usize| {
        let count = if n.saturating_mul(m) <= LARGEST_COUNT {
            (0..m).filter(|&a| allowed.allows(i, a)).count()
        } else {
            allowed.listed(i).map_or(m, <[u32]>::len)
        };
        (m as f64 / count.max(1) as f64).ln()
    };
    (0..n).map(left).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Graph;

    #[test]
    fn nats_are_those_of_the_parts_and_candidates_rule_out() {
        let graph = Graph::from_edges(4, &[]).expect("nodes without edges");
        let task = Task::from_pairs(&graph, &graph, &[(0, 0)]).expect("a task");
        assert!(Known::of(&task).is_none());
        let values = [0.1, 2.0, -1.0, 0.4];
        let attributes = Attributes::new(4, 4)
            .with_numbers("size", &values, &values)
            .expect("numbers of both sides");
        let allowed = Allowed::all(4, 4)
            .with_candidates(&[(1, 1), (1, 2)])
            .expect("candidates");
        let task = task
            .with_attributes(Arc::new(attributes.clone()))
            .and_then(|task| task.with_allowed(Arc::new(allowed)))
            .expect("facts that fit");
        let known = Known::of(&task).expect("attributes and candidates");
        let model = attributes.fit(&[(0, 0)]);
        let two = std::f64::consts::LN_2;
        assert_eq!(known.nats(1, 3), f64::NEG_INFINITY);
        assert!((known.nats(1, 2) - attributes.nats(&model, 1, 2) - two).abs() < 1e-12);
        assert!((known.nats(2, 3) - attributes.nats(&model, 2, 3)).abs() < 1e-12);
        let pairs = [(0, 0), (1, 1), (2, 2), (3, 3)];
        let fitted = known.fitted(&pairs);
        assert!(fitted.nats(2, 2) > known.nats(2, 2));
        assert_eq!(fitted.contributions(&pairs)[0].0, "size");
    }
}
