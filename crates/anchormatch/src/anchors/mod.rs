//! Known correspondences: hard anchors, which are kept, and soft ones, which are evidence.
//!
//! A **hard** anchor (weight 1) fixes its pair: the pair is part of every result and its nodes leave
//! the search. A **soft** anchor (weight below 1) leaves both nodes free; wherever a sum or an
//! average over anchors is taken, it counts with its weight. Hard pairs are one-to-one; soft ones may
//! be many-to-many. Of other nodes it is known that they [have no partner](Anchors::with_alone).

use std::collections::{HashMap, HashSet};

use crate::error::{Error, Result};
use crate::graph::Graph;

/// One known correspondence, by node index.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Anchor {
    /// Node of the source graph.
    pub source: usize,
    /// Its partner in the target graph.
    pub target: usize,
    /// 1 for a hard anchor, between 0 and 1 for a soft one.
    pub weight: f64,
}

impl Anchor {
    /// The anchor of a source and a target node.
    #[must_use]
    pub fn new(source: usize, target: usize, weight: f64) -> Self {
        Self {
            source,
            target,
            weight,
        }
    }
}

/// Validated anchors between two graphs.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Anchors {
    hard: Vec<(usize, usize)>,
    soft: Vec<Anchor>,
    /// Nodes without a partner, of either side, ascending.
    alone: [Vec<usize>; 2],
}

impl Anchors {
    /// No anchor.
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }

    /// Hard anchors by node index.
    ///
    /// # Errors
    /// When a node is outside its graph or used twice.
    pub fn from_indices(source: &Graph, target: &Graph, pairs: &[(usize, usize)]) -> Result<Self> {
        Self::new(
            source,
            target,
            pairs.iter().map(|&(s, t)| Anchor::new(s, t, 1.0)),
        )
    }

    /// Hard and soft anchors by the callers' names; a missing weight is 1.
    ///
    /// # Errors
    /// When a name is unknown, a weight is not in (0, 1], or hard anchors contradict each other.
    pub fn from_labels<'a>(
        source: &Graph,
        target: &Graph,
        pairs: impl IntoIterator<Item = (&'a str, &'a str, Option<f64>)>,
    ) -> Result<Self> {
        let mut anchors = Vec::new();
        for (s, t, weight) in pairs {
            let find = |graph: &Graph, name: &str, side| {
                graph.labels().find(name).ok_or_else(|| {
                    Error::Anchors(format!(
                        "found `{name}`, expected the id of a node of the {side} graph"
                    ))
                })
            };
            anchors.push(Anchor::new(
                find(source, s, "source")?,
                find(target, t, "target")?,
                weight.unwrap_or(1.0),
            ));
        }
        Self::new(source, target, anchors)
    }

    /// Hard and soft anchors by node index.
    ///
    /// A pair given twice with the same weight counts once.
    ///
    /// # Errors
    /// When a node is outside its graph, a weight is not in (0, 1], or hard anchors contradict each
    /// other.
    pub fn new(
        source: &Graph,
        target: &Graph,
        anchors: impl IntoIterator<Item = Anchor>,
    ) -> Result<Self> {
        let mut result = Self::default();
        let mut partner_of_source: HashMap<usize, usize> = HashMap::new();
        let mut partner_of_target: HashMap<usize, usize> = HashMap::new();
        let mut seen = HashSet::new();
        for anchor in anchors {
            let Anchor {
                source: s,
                target: t,
                weight,
            } = anchor;
            for (graph, node, side) in [(source, s, "source"), (target, t, "target")] {
                if node >= graph.node_count() {
                    return Err(Error::Anchors(format!(
                        "found node {node}, expected a node of the {side} graph, below {}",
                        graph.node_count()
                    )));
                }
            }
            if !(weight > 0.0 && weight <= 1.0) {
                return Err(Error::Anchors(format!(
                    "pair ({}, {}) has the weight {weight}, expected above 0 and at most 1",
                    source.labels().get(s),
                    target.labels().get(t)
                )));
            }
            if weight < 1.0 {
                if seen.insert((s, t, weight.to_bits())) {
                    result.soft.push(anchor);
                }
                continue;
            }
            if partner_of_source.get(&s) == Some(&t) {
                continue;
            }
            let twice = |graph: &Graph, node, side, others: &Graph, first, second| {
                Error::Anchors(format!(
                    "{side} node `{}` is anchored twice, to `{}` and to `{}`",
                    graph.labels().get(node),
                    others.labels().get(first),
                    others.labels().get(second)
                ))
            };
            if let Some(&first) = partner_of_source.get(&s) {
                return Err(twice(source, s, "source", target, first, t));
            }
            if let Some(&first) = partner_of_target.get(&t) {
                return Err(twice(target, t, "target", source, first, s));
            }
            partner_of_source.insert(s, t);
            partner_of_target.insert(t, s);
            result.hard.push((s, t));
        }
        Ok(result)
    }

    /// With source and target nodes of which it is known that they have no partner.
    ///
    /// # Errors
    /// When a node is outside its graph or has a hard anchor.
    pub fn with_alone(
        mut self,
        graphs: [&Graph; 2],
        source: impl IntoIterator<Item = usize>,
        target: impl IntoIterator<Item = usize>,
    ) -> Result<Self> {
        self.alone = [source.into_iter().collect(), target.into_iter().collect()];
        let fixed: [HashMap<usize, usize>; 2] = [
            self.hard.iter().copied().collect(),
            self.hard.iter().map(|&(s, t)| (t, s)).collect(),
        ];
        for (k, side) in ["source", "target"].into_iter().enumerate() {
            self.alone[k].sort_unstable();
            self.alone[k].dedup();
            for &node in &self.alone[k] {
                if node >= graphs[k].node_count() {
                    return Err(Error::Anchors(format!(
                        "found node {node}, expected a node of the {side} graph, below {}",
                        graphs[k].node_count()
                    )));
                }
                if let Some(&partner) = fixed[k].get(&node) {
                    return Err(Error::Anchors(format!(
                        "{side} node `{}` is said to have no partner, and is anchored to `{}`",
                        graphs[k].labels().get(node),
                        graphs[1 - k].labels().get(partner)
                    )));
                }
            }
        }
        Ok(self)
    }

    /// With the nodes without a partner that others have, between the same graphs.
    #[must_use]
    pub(crate) fn with_alone_of(self, others: &Self) -> Self {
        Self {
            alone: others.alone.clone(),
            ..self
        }
    }

    /// Source and target nodes of which it is known that they have no partner, ascending.
    #[must_use]
    pub fn alone(&self) -> [&[usize]; 2] {
        [&self.alone[0], &self.alone[1]]
    }

    /// The pairs that are fixed.
    #[must_use]
    pub fn hard(&self) -> &[(usize, usize)] {
        &self.hard
    }

    /// The pairs that are evidence only.
    #[must_use]
    pub fn soft(&self) -> &[Anchor] {
        &self.soft
    }

    /// All pairs with their weights, hard ones first.
    pub fn iter(&self) -> impl Iterator<Item = Anchor> + '_ {
        self.hard
            .iter()
            .map(|&(source, target)| Anchor::new(source, target, 1.0))
            .chain(self.soft.iter().copied())
    }

    /// The number of pairs, hard and soft.
    #[must_use]
    pub fn len(&self) -> usize {
        self.hard.len() + self.soft.len()
    }

    /// Whether there is no pair at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.hard.is_empty() && self.soft.is_empty()
    }

    /// The nodes of both graphs that no hard anchor fixes and that may have a partner, in ascending order.
    #[must_use]
    pub fn free_nodes(&self, source: &Graph, target: &Graph) -> (Vec<usize>, Vec<usize>) {
        let free = |nodes: usize, taken: &mut dyn Iterator<Item = usize>| {
            let mut is_free = vec![true; nodes];
            for i in taken {
                is_free[i] = false;
            }
            (0..nodes).filter(|&i| is_free[i]).collect()
        };
        (
            free(
                source.node_count(),
                &mut self
                    .hard
                    .iter()
                    .map(|p| p.0)
                    .chain(self.alone[0].iter().copied()),
            ),
            free(
                target.node_count(),
                &mut self
                    .hard
                    .iter()
                    .map(|p| p.1)
                    .chain(self.alone[1].iter().copied()),
            ),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{GraphBuilder, Labels};

    fn path(nodes: usize) -> Graph {
        let mut builder = GraphBuilder::with_nodes(nodes).unwrap();
        for i in 1..nodes {
            builder.edge(i - 1, i, 1.0, None).unwrap();
        }
        builder.build().unwrap()
    }

    fn named() -> Graph {
        let names = ["ann", "bob", "eve"].map(String::from).to_vec();
        path(3).with_labels(Labels::new(names).unwrap()).unwrap()
    }

    fn message(pairs: &[(&str, &str, Option<f64>)]) -> String {
        Anchors::from_labels(&named(), &path(4), pairs.iter().copied())
            .unwrap_err()
            .to_string()
    }

    #[test]
    fn errors_name_the_culprit() {
        assert!(message(&[("zoe", "0", None)]).contains("`zoe`"));
        assert!(message(&[("ann", "9", None)]).contains("`9`"));
        let twice = message(&[("ann", "0", None), ("ann", "1", None)]);
        assert!(twice.contains("source node `ann`") && twice.contains("`0` and to `1`"));
        let twice = message(&[("ann", "2", None), ("bob", "2", None)]);
        assert!(twice.contains("target node `2`") && twice.contains("`ann` and to `bob`"));
        for weight in [0.0, -1.0, 1.5, f64::NAN] {
            assert!(message(&[("ann", "0", Some(weight))]).contains("weight"));
        }
        let outside = Anchors::from_indices(&named(), &path(4), &[(0, 4)]).unwrap_err();
        assert!(outside.to_string().contains("node 4"));
    }

    #[test]
    fn a_pair_given_twice_counts_once() {
        let pairs = [("ann", "0", None), ("ann", "0", Some(1.0))];
        let anchors = Anchors::from_labels(&named(), &path(4), pairs).unwrap();
        assert_eq!(anchors.hard(), &[(0, 0)]);
    }

    #[test]
    fn who_has_no_partner_is_not_free() {
        let (source, target) = (named(), path(4));
        let anchors = || Anchors::from_labels(&source, &target, [("bob", "2", None)]).unwrap();
        let graphs = [&source, &target];
        let known = anchors().with_alone(graphs, [2, 2], [0]).unwrap();
        assert_eq!(known.alone(), [&[2][..], &[0]]);
        assert_eq!(known.free_nodes(&source, &target), (vec![0], vec![1, 3]));
        let error = |source: &[usize], target: &[usize]| {
            let (source, target) = (source.iter().copied(), target.iter().copied());
            let result = anchors().with_alone(graphs, source, target);
            result.unwrap_err().to_string()
        };
        assert!(error(&[1], &[]).contains("`bob` is said to have no partner"));
        assert!(error(&[], &[2]).contains("target node `2`"));
        assert!(error(&[], &[4]).contains("node 4"));
    }

    #[test]
    fn soft_pairs_may_share_nodes_and_leave_them_free() {
        let pairs = [
            ("ann", "0", Some(0.5)),
            ("ann", "1", Some(0.25)),
            ("bob", "2", None),
        ];
        let (source, target) = (named(), path(4));
        let anchors = Anchors::from_labels(&source, &target, pairs).unwrap();
        assert_eq!(anchors.soft().len(), 2);
        let (free_source, free_target) = anchors.free_nodes(&source, &target);
        assert_eq!(free_source, vec![0, 2]);
        assert_eq!(free_target, vec![0, 1, 3]);
    }
}
