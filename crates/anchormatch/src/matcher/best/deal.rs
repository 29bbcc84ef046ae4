//! Pairs of graphs of the same kind as the given ones, whose right matching is known.
//!
//! The edges of both sides are laid upon each other by a matching, and which of them lies on both sides, with which weights, on
//! the source's alone or on the target's alone is dealt anew among all of them. That keeps what the union of both looks like, how
//! many edges each side has, how many both have, and how weights that belong together agree. Edges that end at nodes without a
//! partner stay where they are.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use crate::error::Result;
use crate::graph::Graph;
use crate::linalg::Csr;

/// No partner.
const NONE: u32 = u32::MAX;

/// Two such graphs, whose right matching gives every source node that of `partners`, u32::MAX being none.
pub(super) fn deal(edges: [&Csr<f64>; 2], partners: &[u32], seed: u64) -> Result<[Graph; 2]> {
    let [source, target] = edges;
    let mut owners = vec![NONE; target.rows()];
    for (i, &a) in partners.iter().enumerate().filter(|(_, a)| **a != NONE) {
        owners[a as usize] = i as u32;
    }
    let place = |i: usize, j: usize, partners: &[u32]| {
        let ends = (partners[i], partners[j]);
        (ends.0 != NONE && ends.1 != NONE).then_some((ends.0 as usize, ends.1 as usize))
    };
    // The ends of each edge on both sides, and its weights there.
    let mut union: Vec<[(usize, usize); 2]> = Vec::new();
    let mut weights: Vec<[Option<f64>; 2]> = Vec::new();
    let mut dealt: [Vec<(usize, usize, f64)>; 2] = [Vec::new(), Vec::new()];
    let once = |&(i, j, _): &(usize, usize, f64)| i < j;
    for (i, j, weight) in source.triplets().filter(once) {
        let Some(there) = place(i, j, partners) else {
            dealt[0].push((i, j, weight));
            continue;
        };
        union.push([(i, j), there]);
        weights.push([Some(weight), target.get(there.0, there.1)]);
    }
    for (a, b, weight) in target.triplets().filter(once) {
        let Some(there) = place(a, b, &owners) else {
            dealt[1].push((a, b, weight));
            continue;
        };
        if source.get(there.0, there.1).is_none() {
            union.push([there, (a, b)]);
            weights.push([None, Some(weight)]);
        }
    }
    weights.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
    for (ends, weights) in union.into_iter().zip(weights) {
        for (side, weight) in weights.into_iter().enumerate() {
            if let Some(weight) = weight {
                let (i, j) = ends[side];
                dealt[side].push((i, j, weight));
            }
        }
    }
    let graph = |side: usize| Graph::from_edges(edges[side].rows(), &dealt[side]);
    Ok([graph(0)?, graph(1)?])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A ring whose edges weigh 1 to n, and every third of which is left out.
    fn ring(nodes: usize, left_out: usize) -> Graph {
        let edges = (0..nodes).filter(|i| i % 3 != left_out);
        let edges: Vec<_> = edges
            .map(|i| (i, (i + 1) % nodes, (i + 1) as f64))
            .collect();
        Graph::from_edges(nodes, &edges).unwrap()
    }

    fn weights(graph: &Graph) -> Vec<f64> {
        let mut weights: Vec<f64> = graph.edges().map(|(_, _, weight)| weight).collect();
        weights.sort_by(f64::total_cmp);
        weights
    }

    /// The weights of the edges that both have, where node i is at n - 1 - i, and node 4 nowhere.
    fn on_both(graphs: &[Graph; 2], nodes: usize) -> Vec<(f64, f64)> {
        let [one, two] = graphs;
        let pairs = one
            .edges()
            .filter(|&(i, j, _)| i != 4 && j != 4)
            .map(|(i, j, weight)| (weight, two.weight(nodes - 1 - i, nodes - 1 - j)));
        let mut pairs: Vec<_> = pairs.filter(|(_, there)| *there != 0.0).collect();
        pairs.sort_by(|x, y| x.0.total_cmp(&y.0));
        pairs
    }

    #[test]
    fn what_is_dealt_has_the_same_edges_in_all_and_the_same_pairs_of_weights() {
        let nodes = 30;
        let turned = |graph: Graph| {
            let edges = graph
                .edges()
                .map(|(i, j, w)| (nodes - 1 - i, nodes - 1 - j, 10.0 * w));
            Graph::from_edges(nodes, &edges.collect::<Vec<_>>()).unwrap()
        };
        let given = [ring(nodes, 0), turned(ring(nodes, 1))];
        let partners: Vec<u32> = (0..nodes as u32)
            .map(|i| if i == 4 { NONE } else { nodes as u32 - 1 - i })
            .collect();
        let edges = [0, 1].map(|side: usize| given[side].sparse_adjacency());
        let [first, second] = [1, 2].map(|seed| deal(edges, &partners, seed).unwrap());
        for dealt in [&first, &second] {
            assert_eq!(on_both(dealt, nodes), on_both(&given, nodes));
            for (dealt, given) in dealt.iter().zip(&given) {
                assert_eq!(weights(dealt), weights(given));
            }
            // Nothing is joined that neither side joins, and those of nobody stay.
            let near = |(i, j, _): (usize, usize, f64)| (j - i) % (nodes - 2) == 1;
            assert!(dealt.iter().all(|graph| graph.edges().all(near)));
            for j in [3, 5] {
                assert_eq!(dealt[0].weight(4, j), given[0].weight(4, j));
            }
        }
        assert_ne!(on_both(&first, nodes).len(), 0);
        assert_ne!(
            first[0].sparse_adjacency().values(),
            second[0].sparse_adjacency().values()
        );
    }
}
