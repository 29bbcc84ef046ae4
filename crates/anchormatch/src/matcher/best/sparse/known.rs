//! What is known beside the edges: anchors, soft anchors, similarities and attributes of nodes, candidates, edges between
//! the sides.

use crate::matcher::best::thresholds::sparse::{
    MOST_OF_CROSSING, MOST_OF_SIMILARITY, NAMED, NOT_LISTED,
};
use std::sync::Arc;

use rayon::prelude::*;

use super::crossing::Crossing;
use super::neighbours::keep_highest;
use super::side::NONE;
use crate::attributes::{AttributeModel, Attributes};
use crate::error::Result;
use crate::linalg::{Csr, PairValues};
use crate::task::{Allowed, Task};

/// The anchors and the evidence that is not of edges.
pub(super) struct Known {
    shape: (usize, usize),
    /// The hard anchors.
    pub(super) anchors: Vec<(u32, u32)>,
    /// What soft anchors say, in nats.
    soft: Csr<f32>,
    similarity: Option<Similarity>,
    attributes: Option<(Arc<Attributes>, AttributeModel)>,
    crossing: Option<Crossing>,
    /// Pairs that are ruled out, and nodes that have no partner.
    allowed: Option<Arc<Allowed>>,
    alone: [Vec<u32>; 2],
    /// By how much two pairs can differ, in nats.
    pub(super) range: f32,
    /// Pairs that come up without any edge, by source and by target node.
    named: [Csr<()>; 2],
}

/// Similarities, and what they are for pairs and for others: two Gaussians.
struct Similarity {
    values: Arc<PairValues>,
    others: (f64, f64),
    pairs: (f64, f64),
}

impl Known {
    pub(super) fn of(task: &Task<'_>) -> Self {
        let shape = (task.source().node_count(), task.target().node_count());
        let hard = task.anchors().hard().iter();
        let anchors: Vec<(u32, u32)> = hard.map(|&(i, a)| (i as u32, a as u32)).collect();
        // As in the dense regime: partners with probability w, where each of the free targets had 1/m.
        let others = (shape.1 - anchors.len()).max(2) as f64 - 1.0;
        let soft = task.anchors().soft().iter().map(|anchor| {
            let odds = anchor.weight / (1.0 - anchor.weight) * others;
            (anchor.source, anchor.target, odds.ln() as f32)
        });
        let soft = Csr::from_triplets(shape.0, shape.1, soft).expect("anchors are of nodes");
        let similarity = task.facts().similarity.as_ref().map(Similarity::new);
        let most = soft
            .values()
            .iter()
            .fold(0.0f32, |most, v| most.max(v.abs()));
        let hard: Vec<(usize, usize)> = task.anchors().hard().to_vec();
        let attributes = task.attributes().map(|values| {
            let model = values.fit(&hard);
            (values, model)
        });
        let sources = u8::from(similarity.is_some()) + u8::from(attributes.is_some());
        let crossing = task.facts().crossing.as_ref();
        let crossing = crossing.map(|[there, back]| Crossing::new([there, back]));
        let between = crossing.as_ref().map_or(0.0, |_| MOST_OF_CROSSING);
        let more = MOST_OF_SIMILARITY as f32 * f32::from(sources) + between;
        let alone = task.anchors().alone();
        let mut known = Self {
            range: 2.0 * (most + more),
            shape,
            anchors,
            soft,
            similarity,
            attributes,
            crossing,
            allowed: task.facts().allowed.clone(),
            alone: alone.map(|nodes| nodes.iter().map(|&i| i as u32).collect()),
            named: [Csr::empty(shape.0, shape.1), Csr::empty(shape.1, shape.0)],
        };
        known.name();
        known.fit(&known.partners());
        known
    }

    /// Soft anchors alone: triplets of nats, the largest of which is `most`.
    pub(super) fn of_soft(
        shape: (usize, usize),
        soft: Vec<(usize, usize, f32)>,
        most: f32,
    ) -> Result<Self> {
        let mut known = Self {
            range: 2.0 * most,
            shape,
            anchors: Vec::new(),
            soft: Csr::from_triplets(shape.0, shape.1, soft)?,
            similarity: None,
            attributes: None,
            crossing: None,
            allowed: None,
            alone: [Vec::new(), Vec::new()],
            named: [Csr::empty(shape.0, shape.1), Csr::empty(shape.1, shape.0)],
        };
        known.name();
        Ok(known)
    }

    /// Whether nothing but anchors is known beside the edges.
    pub(super) fn is_of_edges_alone(&self) -> bool {
        let has_pairs = self.soft.entries() > 0 || self.similarity.is_some();
        let has_nodes = self.attributes.is_some() || self.allowed.is_some();
        !has_pairs && !has_nodes && self.crossing.is_none()
    }

    /// Lists the pairs that soft anchors and the highest similarities name.
    fn name(&mut self) {
        let has_lists =
            self.allowed.is_some() || self.attributes.is_some() || self.crossing.is_some();
        if self.similarity.is_none() && self.soft.entries() == 0 && !has_lists {
            return;
        }
        let rows: Vec<Vec<(u32, f32)>> = (0..self.shape.0)
            .into_par_iter()
            .map_init(
                || vec![0.0f32; self.shape.1],
                |sums, i| {
                    let mut row: Vec<(u32, f32)> = Vec::new();
                    match self.similarity.as_ref().map(|s| &*s.values) {
                        None => {}
                        Some(PairValues::Listed { listed, .. }) => {
                            row.extend(listed.row(i).map(|(a, v)| (a as u32, v as f32)));
                        }
                        Some(full) => {
                            row.extend((0u32..).zip(full.row(i)).map(|(a, v)| (a, v as f32)));
                        }
                    }
                    keep_highest(&mut row, NAMED);
                    if let Some(crossing) = &self.crossing {
                        let mut near: Vec<_> = crossing.row(i).collect();
                        keep_highest(&mut near, NAMED);
                        row.extend(near);
                    }
                    row.extend(self.soft.row(i).map(|(a, v)| (a as u32, v)));
                    if let Some((attributes, model)) = &self.attributes {
                        let found = attributes.bring_up(model, i, NAMED, sums);
                        row.extend(found.into_iter().map(|a| (a, 0.0)));
                    }
                    if let Some(listed) =
                        self.allowed.as_ref().and_then(|allowed| allowed.listed(i))
                    {
                        row.extend(listed.iter().map(|&a| (a, 0.0)));
                    }
                    row.sort_unstable_by_key(|entry| entry.0);
                    row.dedup_by_key(|entry| entry.0);
                    row
                },
            )
            .collect();
        let rows = rows
            .iter()
            .map(|row| row.iter().map(|(a, _)| (*a as usize, ())));
        self.named[0] = Csr::from_rows(self.shape.1, rows).expect("rows ascend");
        self.named[1] = self.named[0].transposed();
    }

    /// Source nodes that are said to have no partner, in their order.
    pub(super) fn alone(&self) -> &[u32] {
        &self.alone[0]
    }

    /// The partners by the hard anchors alone, of source and of target nodes.
    pub(super) fn partners(&self) -> [Vec<u32>; 2] {
        let mut partners = [vec![NONE; self.shape.0], vec![NONE; self.shape.1]];
        for &(i, a) in &self.anchors {
            partners[0][i as usize] = a;
            partners[1][a as usize] = i;
        }
        partners
    }

    /// Nodes of the other graph that come up for a node without any edge.
    pub(super) fn named(&self, side: usize, node: usize) -> &[u32] {
        self.named[side].columns(node)
    }

    /// Whether a pair of a source and a target node is not ruled out.
    #[inline]
    pub(super) fn allows(&self, i: u32, a: u32) -> bool {
        let listed = |allowed: &Arc<Allowed>| allowed.allows(i as usize, a as usize);
        self.allowed.as_ref().is_none_or(listed)
            && self.alone[0].binary_search(&i).is_err()
            && self.alone[1].binary_search(&a).is_err()
    }

    /// By how much fewer the matchings of these source nodes are for what is ruled out, in nats.
    pub(super) fn fewer_ways(&self, sources: impl Iterator<Item = usize>) -> f64 {
        let allowed = self.allowed.as_ref();
        allowed.map_or(0.0, |allowed| allowed.fewer_ways(sources))
    }

    /// Whether any pair is ruled out.
    pub(super) fn rules_out(&self) -> bool {
        self.allowed.is_some() || self.alone.iter().any(|nodes| !nodes.is_empty())
    }

    /// The likelihood of all partners of a node that nobody speaks for, `others` where none is ruled out: of
    /// a node with candidates, that it has no partner among them.
    pub(super) fn others(&self, side: usize, node: usize, others: f64) -> f64 {
        match &self.allowed {
            None => others,
            Some(allowed) => {
                let (listed, share) = allowed.left(side, node);
                others * share + NOT_LISTED * listed as f64
            }
        }
    }

    /// Whether the possible partners of a source node are listed, so that [`others`](Self::others) says all of who has none.
    pub(super) fn is_listed(&self, node: usize) -> bool {
        let listed = |allowed: &Arc<Allowed>| allowed.listed(node).is_some_and(|l| !l.is_empty());
        self.allowed.as_ref().is_some_and(listed)
    }

    /// What each attribute told of these pairs, in nats a pair.
    pub(super) fn contributions(&self, pairs: &[(usize, usize)]) -> Vec<(&str, f64)> {
        match &self.attributes {
            None => Vec::new(),
            Some((attributes, model)) => attributes.contributions(model, pairs),
        }
    }

    /// What is known of a pair of a source and a target node, in nats.
    #[inline]
    pub(super) fn prior(&self, i: u32, a: u32) -> f32 {
        let (i, a) = (i as usize, a as usize);
        let soft = if self.soft.entries() == 0 {
            0.0
        } else {
            self.soft.get(i, a).unwrap_or(0.0)
        };
        let known = match &self.similarity {
            None => soft,
            Some(similarity) => soft + similarity.nats(i, a),
        };
        let known = match &self.attributes {
            None => known,
            Some((attributes, model)) => known + attributes.nats(model, i, a) as f32,
        };
        known + self.crossing_nats(i, a)
    }

    /// What is known of a pair of a matching: what two pairs say of each other by edges between the sides, half of it.
    pub(super) fn prior_within(&self, i: u32, a: u32) -> f32 {
        self.prior(i, a) - 0.5 * self.crossing_nats(i as usize, a as usize)
    }

    #[inline]
    fn crossing_nats(&self, i: usize, a: usize) -> f32 {
        let crossing = self.crossing.as_ref();
        crossing.map_or(0.0, |crossing| crossing.nats(i, a))
    }

    /// Whether there are edges between the sides.
    pub(super) fn has_crossing(&self) -> bool {
        self.crossing.is_some()
    }

    /// Fits what similarities, attributes and edges between the sides say to pairs.
    pub(super) fn fit(&mut self, partners: &[Vec<u32>; 2]) {
        if let Some(similarity) = &mut self.similarity {
            similarity.fit(&partners[0]);
        }
        if let Some((attributes, model)) = &mut self.attributes {
            let matched = partners[0].iter().enumerate().filter(|(_, a)| **a != NONE);
            let pairs: Vec<_> = matched.map(|(i, &a)| (i, a as usize)).collect();
            *model = attributes.fit(&pairs);
        }
        if let Some(crossing) = &mut self.crossing {
            crossing.fit(partners);
            self.name();
        }
    }
}

impl Similarity {
    fn new(values: &Arc<PairValues>) -> Self {
        let others = match &**values {
            PairValues::Full(matrix) => moments(matrix.as_slice().iter().copied()),
            PairValues::Listed { listed, others } => {
                let (mean, variance) = moments(listed.values().iter().copied());
                let (n, m) = values.shape();
                let share = listed.entries() as f64 / (n as f64 * m as f64).max(1.0);
                let all = share * mean + (1.0 - share) * others;
                let spread = share * (variance + (mean - all).powi(2));
                (all, spread + (1.0 - share) * (others - all).powi(2))
            }
        };
        Self {
            values: Arc::clone(values),
            others,
            pairs: others,
        }
    }

    fn fit(&mut self, partners: &[u32]) {
        let (mean, variance) = self.others;
        let matched = partners.iter().enumerate().filter(|(_, a)| **a != NONE);
        let values: Vec<f64> = matched
            .map(|(i, &a)| self.values[(i, a as usize)])
            .collect();
        // Five pairs one standard deviation above the rest, until something better is known.
        let count = values.len() as f64 + 5.0;
        let first = mean + variance.sqrt();
        let centre = (values.iter().sum::<f64>() + 5.0 * first) / count;
        let spread = values.iter().map(|v| (v - centre).powi(2)).sum::<f64>();
        let spread = (spread + 5.0 * (variance + (first - centre).powi(2))) / count;
        self.pairs = (centre, spread);
    }

    fn nats(&self, i: usize, a: usize) -> f32 {
        let value = self.values[(i, a)];
        let log_density = |(mean, variance): (f64, f64)| {
            -0.5 * (variance.ln() + (value - mean).powi(2) / variance)
        };
        if self.others.1 <= 0.0 || self.pairs.1 <= 0.0 {
            return 0.0;
        }
        (log_density(self.pairs) - log_density(self.others))
            .clamp(-MOST_OF_SIMILARITY, MOST_OF_SIMILARITY) as f32
    }
}

/// The mean and the variance.
fn moments(values: impl Iterator<Item = f64> + Clone) -> (f64, f64) {
    let count = values.clone().count().max(1) as f64;
    let mean = values.clone().sum::<f64>() / count;
    (
        mean,
        values.map(|v| (v - mean).powi(2)).sum::<f64>() / count,
    )
}
