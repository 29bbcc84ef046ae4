//! Node signatures of degrees and edge weights (Jouili, Tabbone, *Graph matching based on node signatures*, GbRPR 2009).
//!
//! A node is described by its degree and the weights of its edges, the largest first; shorter lists are filled up with 0. The
//! authors compare two such vectors by a mixture of absolute differences, each in units of its range, and match nodes by a
//! linear assignment: with [`apart`] that is the whole method. Attributes of nodes, which the paper has besides, are not part of a
//! graph here.

use crate::error::{Error, Result};
use crate::graph::Graph;
use crate::linalg::Matrix;

/// Column 0 has degrees, column k the k-th largest weight of an edge; n rows, one column per entry of `ranks`.
///
/// # Errors
/// When a rank is no whole number.
///
/// # Complexity
/// O(edges log edges).
pub fn node_signature(graph: &Graph, ranks: &[f64]) -> Result<Matrix> {
    if let Some(rank) = ranks.iter().find(|r| r.fract() != 0.0 || **r < 0.0) {
        return Err(Error::parameter("rank", rank, "a whole number, 0 or above"));
    }
    let mut result = Matrix::zeros(graph.node_count(), ranks.len());
    for u in 0..graph.node_count() {
        let mut weights: Vec<f64> = graph.neighbours(u).map(|(_, w)| w).collect();
        weights.sort_by(|x, y| y.total_cmp(x));
        for (slot, &rank) in result.row_mut(u).iter_mut().zip(ranks) {
            *slot = if rank == 0.0 {
                weights.len() as f64
            } else {
                weights.get(rank as usize - 1).copied().unwrap_or(0.0)
            };
        }
    }
    Ok(result)
}

/// 0, 1, …: degrees and the largest weights.
#[must_use]
pub fn default_ranks(count: usize) -> Vec<f64> {
    (0..count).map(|k| k as f64).collect()
}

/// How far apart the nodes of two graphs are by their signatures: √ of the mean of squared differences, each column in units of
/// its range over both graphs (the heterogeneous Euclidean overlap metric of the paper).
///
/// # Panics
/// When the signatures have different columns.
#[must_use]
pub fn apart(source: &Matrix, target: &Matrix) -> Matrix {
    assert_eq!(source.cols(), target.cols(), "signatures of one kind");
    let columns = source.cols();
    let ranges: Vec<f64> = (0..columns)
        .map(|c| {
            let values = |m: &Matrix| (0..m.rows()).map(|u| m[(u, c)]).collect::<Vec<_>>();
            let all = [values(source), values(target)].concat();
            let high = all.iter().fold(f64::NEG_INFINITY, |m, &v| m.max(v));
            let low = all.iter().fold(f64::INFINITY, |m, &v| m.min(v));
            high - low
        })
        .collect();
    Matrix::from_fn(source.rows(), target.rows(), |i, a| {
        let pairs = source.row(i).iter().zip(target.row(a)).zip(&ranges);
        let squares = pairs.map(|((x, y), range)| {
            if *range > 0.0 {
                ((x - y) / range).powi(2)
            } else {
                0.0
            }
        });
        (squares.sum::<f64>() / columns.max(1) as f64).sqrt()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assignment;

    #[test]
    fn degrees_and_weights_in_their_order() {
        let graph = Graph::from_edges(4, &[(0, 1, 1.0), (1, 2, 2.0), (1, 3, 0.5)]).unwrap();
        let signature = node_signature(&graph, &default_ranks(5)).unwrap();
        assert_eq!(signature.row(1), [3.0, 2.0, 1.0, 0.5, 0.0]);
        assert_eq!(signature.row(3), [1.0, 0.5, 0.0, 0.0, 0.0]);
        assert!(node_signature(&graph, &[0.5]).is_err());
    }

    #[test]
    fn isomorphic_graphs_are_matched_exactly() {
        // What the paper states of its method: a distance of 0 for isomorphic graphs.
        let edges = [
            (0, 1, 1.0),
            (1, 2, 2.0),
            (2, 3, 0.5),
            (3, 4, 1.5),
            (4, 0, 0.7),
            (1, 3, 0.2),
        ];
        let graph = Graph::from_edges(5, &edges).unwrap();
        let order = [3, 1, 4, 0, 2];
        let other = graph.permuted(&order).unwrap();
        let [one, two] = [&graph, &other].map(|g| node_signature(g, &default_ranks(5)).unwrap());
        let found = assignment::minimise(&apart(&one, &two)).unwrap();
        assert!(found.value.abs() < 1e-12);
        for (i, a) in found.columns.pairs() {
            assert_eq!(order[a], i);
        }
    }
}
