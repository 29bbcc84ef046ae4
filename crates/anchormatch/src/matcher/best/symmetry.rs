//! Stage *symmetry*: which nodes nothing tells apart, and whether the graphs are copies of each other.
//!
//! What is found serves twice. A copy is a matching to begin with, which no search need find. And a posterior does
//! not change when nodes are exchanged that nothing tells apart, so that each of k such partners has a kth of
//! what all of them have together, however the samples fell.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::linalg::{Csr, Matrix};
use crate::matcher::FreeNodes;
use crate::matching::Pair;
use crate::monitor::Monitor;
use crate::symmetry::{Orbits, Symmetry};
use crate::task::Task;

/// The symmetries of a task; none where more is known of pairs than what their nodes are.
pub(super) fn find(task: &Task<'_>, monitor: &Monitor) -> Symmetry {
    let facts = task.facts();
    let is_of_pairs = facts.similarity.is_some()
        || facts.allowed.is_some()
        || facts.crossing.is_some()
        || facts.layers.is_some()
        || facts.relations.is_some()
        || facts.points.is_some();
    if is_of_pairs {
        return Symmetry::default();
    }
    let colours = [0, 1].map(|side| colours(task, side));
    Symmetry::find(task.graphs(), task.is_directed(), colours, monitor)
}

/// What is known of the nodes of one side, as numbers: partners by anchors have one that no other node has.
fn colours(task: &Task<'_>, side: usize) -> Vec<u64> {
    let graph = task.graphs()[side];
    let attributes = task.attributes();
    let mut colours: Vec<u64> = match attributes {
        None => vec![0; graph.node_count()],
        Some(attributes) => (0..graph.node_count())
            .map(|node| attributes.digest(side, node))
            .collect(),
    };
    let digest = |what: &str, number: usize| {
        let mut hasher = DefaultHasher::new();
        (what, number).hash(&mut hasher);
        hasher.finish()
    };
    for (k, &(i, a)) in task.anchors().hard().iter().enumerate() {
        colours[[i, a][side]] = digest("anchor", k);
    }
    for anchor in task.anchors().soft() {
        let node = [anchor.source, anchor.target][side];
        colours[node] ^= digest("soft anchor", 2 * node + side);
    }
    for &node in task.anchors().alone()[side] {
        colours[node] ^= digest("alone", side);
    }
    colours
}

/// The logarithm of the number of matchings that symmetries make of some pairs: as many as of all nodes at most, and no
/// more than these pairs have partners alike.
pub(super) fn ways(symmetry: &Symmetry, pairs: impl Iterator<Item = (usize, usize)>) -> f64 {
    let [own, other] = &symmetry.orbits;
    let alike = |(i, a): (usize, usize)| own.alike(i).max(other.alike(a)) as f64;
    let most = symmetry.ways[0].max(symmetry.ways[1]);
    pairs.map(|pair| alike(pair).ln()).sum::<f64>().min(most)
}

/// Shares what every group of rows or columns has evenly within it.
pub(super) fn share_evenly(values: &mut Matrix, free: &FreeNodes, orbits: &[Orbits; 2]) {
    let (n, m) = (values.rows(), values.cols());
    let places = |orbits: &Orbits, own: &[usize]| -> Vec<Vec<usize>> {
        let groups = orbits.groups().iter();
        let place = |&node: &u32| own.binary_search(&(node as usize)).ok();
        groups
            .map(|group| group.iter().filter_map(place).collect::<Vec<usize>>())
            .filter(|places| places.len() > 1)
            .collect()
    };
    for rows in places(&orbits[0], &free.source) {
        let mut mean = vec![0.0; m];
        for &i in &rows {
            let row = values.row(i).iter();
            mean.iter_mut().zip(row).for_each(|(sum, v)| *sum += v);
        }
        let share = 1.0 / rows.len() as f64;
        mean.iter_mut().for_each(|sum| *sum *= share);
        for &i in &rows {
            values.row_mut(i).copy_from_slice(&mean);
        }
    }
    for columns in places(&orbits[1], &free.target) {
        for i in 0..n {
            let row = values.row_mut(i);
            let sum: f64 = columns.iter().map(|&a| row[a]).sum();
            for &a in &columns {
                row[a] = sum / columns.len() as f64;
            }
        }
    }
}

/// The same for the confidences of pairs, by the probabilities of listed candidates.
pub(super) fn share_listed(pairs: &mut [Pair], occupancy: &Csr<f32>, orbits: &[Orbits; 2]) {
    if orbits.iter().all(|orbits| orbits.groups().is_empty()) {
        return;
    }
    // Groups are named by their number, nodes that are alone by theirs behind all groups.
    let name = |side: usize, node: usize| {
        let groups = orbits[side].groups().len();
        let group = orbits[side].group_of(node);
        group.unwrap_or(groups + node) as u32
    };
    let is_shared = |i: usize, a: usize| orbits[0].alike(i) > 1 || orbits[1].alike(a) > 1;
    let mut masses: HashMap<(u32, u32), f64> = HashMap::new();
    for i in 0..occupancy.rows() {
        for (a, share) in occupancy.row(i).filter(|&(a, _)| is_shared(i, a)) {
            *masses.entry((name(0, i), name(1, a))).or_default() += f64::from(share);
        }
    }
    for pair in pairs.iter_mut().filter(|pair| !pair.anchor) {
        let (i, a) = (pair.source, pair.target);
        if is_shared(i, a)
            && let Some(mass) = masses.get(&(name(0, i), name(1, a)))
        {
            let ways = (orbits[0].alike(i) * orbits[1].alike(a)) as f64;
            pair.confidence = (mass / ways).clamp(0.0, 1.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Graph;

    /// A path of four nodes, whose ends and whose middles are alike.
    fn orbits() -> [Orbits; 2] {
        let path = Graph::from_edges(4, &[(0, 1, 1.0), (1, 2, 1.0), (2, 3, 1.0)]).unwrap();
        let plain = [vec![0; 4], vec![0; 4]];
        Symmetry::find([&path, &path], false, plain, &Monitor::silent()).orbits
    }

    #[test]
    fn who_is_alike_shares_evenly() {
        let free = FreeNodes {
            source: vec![0, 1, 2, 3],
            target: vec![0, 1, 2, 3],
        };
        let mut values = Matrix::from_fn(4, 4, |i, a| if i == a { 0.8 } else { 0.05 });
        share_evenly(&mut values, &free, &orbits());
        for (i, a) in [(0, 0), (0, 3), (3, 0), (1, 2)] {
            assert!((values[(i, a)] - 0.425).abs() < 1e-12);
        }
        assert!((values[(0, 1)] - 0.05).abs() < 1e-12);
        let total: f64 = values.as_slice().iter().sum();
        assert!((total - 4.0 * 0.95).abs() < 1e-12);
    }

    #[test]
    fn a_part_has_no_more_ways_than_its_nodes_have_partners_alike() {
        let path = Graph::from_edges(4, &[(0, 1, 1.0), (1, 2, 1.0), (2, 3, 1.0)]).unwrap();
        let plain = [vec![0; 4], vec![0; 4]];
        let symmetry = Symmetry::find([&path, &path], false, plain, &Monitor::silent());
        let of = |count: usize| ways(&symmetry, (0..count).map(|i| (i, i)));
        assert_eq!(of(0), 0.0);
        for count in 1..=4 {
            assert!((of(count) - 2f64.ln()).abs() < 1e-12);
        }
    }

    #[test]
    fn listed_candidates_share_as_all_pairs_do() {
        let entries = (0..4).map(|i| (i, i, 0.8f32)).chain([(0, 3, 0.1)]);
        let occupancy = Csr::from_triplets(4, 4, entries).unwrap();
        let mut pairs: Vec<Pair> = (0..4)
            .map(|i| Pair {
                source: i,
                target: i,
                confidence: 0.8,
                anchor: false,
            })
            .collect();
        share_listed(&mut pairs, &occupancy, &orbits());
        for (i, wanted) in [(0, 0.425), (1, 0.4), (2, 0.4), (3, 0.425)] {
            assert!((pairs[i].confidence - wanted).abs() < 1e-6);
        }
    }
}
