//! What pairs of pairs show beside the edges of the two graphs: further layers, and edges between the sides.
//!
//! Each has a model of its own, fitted like that of the edges, and adds its nats to theirs.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use super::Observed;
use crate::affinity::likelihood::{
    Agreement, Needed, Observations, PairModel, Scale, information_of_counts,
};
use crate::error::Result;
use crate::graph::{Directions, Duplicates, EdgeKinds, Graph, GraphBuilder};
use crate::linalg::{Csr, Matrix};

/// A further source of pairwise evidence.
pub(in crate::matcher::best) enum View {
    /// A layer of the edges within the sides.
    Layer(Box<Observed>),
    /// Edges from source to target nodes, and from target to source nodes.
    Crossing([Observations; 2], Scale),
}

/// The free source and target nodes.
type Free<'a> = (&'a [usize], &'a [usize]);

impl View {
    pub(in crate::matcher::best) fn observations(&self) -> [&Observations; 2] {
        match self {
            Self::Layer(observed) => [&observed.source, &observed.target],
            Self::Crossing([there, back], _) => [there, back],
        }
    }

    /// Whether it shows counts.
    pub(in crate::matcher::best) fn are_counts(&self) -> bool {
        let scale = match self {
            Self::Layer(observed) => observed.scale,
            Self::Crossing(_, scale) => *scale,
        };
        scale == Scale::Counts
    }

    pub(in crate::matcher::best) fn guess(&self, correlation: f64) -> PairModel {
        let [source, target] = self.observations();
        PairModel::guess(source, target, correlation)
    }

    pub(in crate::matcher::best) fn agreement(&self, matched: &[(usize, usize)]) -> Agreement {
        let [source, target] = self.observations();
        match self {
            Self::Layer(_) => Agreement::of(matched, source, target),
            Self::Crossing(..) => Agreement::of_crossing(matched, source, target),
        }
    }

    pub(in crate::matcher::best) fn fit(&self, matched: &[(usize, usize)]) -> PairModel {
        let [source, target] = self.observations();
        PairModel::fit(&self.agreement(matched), source, target)
    }

    /// The evidence of a whole matching.
    pub(in crate::matcher::best) fn total(
        &self,
        model: &PairModel,
        matched: &[(usize, usize)],
    ) -> f64 {
        let [source, target] = self.observations();
        model.total(&self.agreement(matched), source, target)
    }

    /// What two pairs tell of each other, in both directions.
    pub(in crate::matcher::best) fn between(
        &self,
        model: &PairModel,
        (i, a): (usize, usize),
        (j, b): (usize, usize),
    ) -> f64 {
        let [source, target] = self.observations();
        match self {
            Self::Layer(_) => {
                let there = model.evidence(source.get(i, j), target.get(a, b));
                if source.is_directed() {
                    there + model.evidence(source.get(j, i), target.get(b, a))
                } else {
                    there
                }
            }
            Self::Crossing(..) => model.crossing((source, target), (i, a), (j, b)),
        }
    }

    /// What a pair tells by itself.
    pub(in crate::matcher::best) fn own(&self, model: &PairModel, (i, a): (usize, usize)) -> f64 {
        match self {
            Self::Layer(_) => 0.0,
            Self::Crossing([there, back], _) => model.evidence(there.get(i, a), back.get(a, i)),
        }
    }

    /// What pairs tell by themselves and with the anchors.
    pub(in crate::matcher::best) fn folded(
        &self,
        model: &PairModel,
        (rows, columns): Free<'_>,
        anchors: &[(usize, usize)],
        needed: Needed,
    ) -> Matrix {
        match self {
            Self::Layer(observed) => {
                let source = (&observed.source, rows);
                let target = (&observed.target, columns);
                model.folded(source, target, anchors, needed)
            }
            Self::Crossing([there, back], _) => {
                model.crossing_folded([there, back], (rows, columns), anchors, needed)
            }
        }
    }

    /// What the model claims that a pair of pairs tells on average, and what the table of counts holds of it;
    /// the same where weights are no counts.
    pub(in crate::matcher::best) fn claimed_and_measured(
        &self,
        model: &PairModel,
        matched: &[(usize, usize)],
    ) -> [f64; 2] {
        let claimed = claimed(model);
        let measured = match self {
            Self::Layer(observed) => measured(observed, matched),
            Self::Crossing([there, back], Scale::Counts) => {
                Some(information_of_counts(matched, |(i, a), (j, b)| {
                    [there.get(i, b), back.get(a, j)]
                }))
            }
            Self::Crossing(..) => None,
        };
        [claimed, measured.unwrap_or(claimed).min(claimed)]
    }
}

/// What a model of complete weights claims that a pair of pairs tells on average.
pub(in crate::matcher::best) fn claimed(model: &PairModel) -> f64 {
    let correlation = model.correlation();
    let claimed = -0.5 * (1.0 - correlation * correlation).ln();
    if claimed.is_finite() { claimed } else { 0.0 }
}

/// What the table of matched counts holds; `None` for other weights.
pub(in crate::matcher::best) fn measured(
    observed: &Observed,
    matched: &[(usize, usize)],
) -> Option<f64> {
    let (source, target) = (&observed.source, &observed.target);
    (observed.scale == Scale::Counts).then(|| {
        information_of_counts(matched, |(i, a), (j, b)| {
            [source.get(i, j), target.get(a, b)]
        })
    })
}

/// The tables of edges between the sides, as counts where the edges within are and these can be.
pub(in crate::matcher::best) fn crossing(tables: [&Csr<f64>; 2], scale: Scale) -> View {
    let are_counts = |table: &Csr<f64>| {
        let mut weights = table.values().iter();
        weights.all(|w| *w >= 0.0 && w.fract() == 0.0)
    };
    let counts = scale == Scale::Counts && tables.into_iter().all(are_counts);
    let scale = if counts {
        Scale::Counts
    } else {
        Scale::AsGiven
    };
    View::Crossing(
        tables.map(|table| Observations::of_table(table, scale)),
        scale,
    )
}

/// The graphs of the layers that both sides have, by name.
pub(in crate::matcher::best) fn layers(
    graphs: [&Graph; 2],
    kinds: [&EdgeKinds; 2],
    directed: bool,
) -> Result<Vec<[Graph; 2]>> {
    let sides = [0, 1].map(|k| of_one_side(graphs[k].node_count(), kinds[k], directed));
    let [source, target] = sides;
    let (source, mut target) = (source?, target?);
    let both = source
        .into_iter()
        .filter_map(|(name, graph)| Some([graph, target.remove(name)?]));
    Ok(both.collect())
}

/// The graph of every layer of one side.
fn of_one_side(nodes: usize, kinds: &EdgeKinds, directed: bool) -> Result<BTreeMap<&str, Graph>> {
    let mut builders: BTreeMap<&str, GraphBuilder> = BTreeMap::new();
    for edge in kinds.edges() {
        let name = kinds.names()[edge.kind as usize].as_str();
        let builder = match builders.entry(name) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => {
                let directions = if directed {
                    Directions::Keep
                } else {
                    Directions::Ignore
                };
                let builder = GraphBuilder::with_nodes(nodes)?.duplicates(Duplicates::Sum);
                entry.insert(builder.directions(directions))
            }
        };
        let (from, to) = (edge.from as usize, edge.to as usize);
        if directed {
            builder.arc(from, to, edge.weight, None)?;
        } else {
            builder.edge(from, to, edge.weight, None)?;
        }
    }
    let graphs = builders.into_iter();
    graphs
        .map(|(name, builder)| Ok((name, builder.build()?)))
        .collect()
}
