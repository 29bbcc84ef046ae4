//! Topological signature vectors (Shokoufandeh, Dickinson, *A unified framework for indexing and matching hierarchical shape
//! structures*, IWVF-4, 2001).
//!
//! Of a node in a directed acyclic graph: for each child, the sum of the moduli of the largest eigenvalues of the
//! subgraph below it, as many as the child has children itself, of the antisymmetric adjacency matrix; these sums in
//! decreasing order are the signature. It depends on the topology below the node alone, and a small change of the
//! graph changes it little.
//!
//! The graphs here have no direction: each node gets the hierarchy in which it is the root, where edges lead away from
//! it by shortest paths. A node whose neighbours see nobody farther away, as in a complete graph, has a signature of
//! zeros.

use crate::error::{Error, Result};
use crate::graph::Graph;
use crate::linalg::{Matrix, symmetric_eigen};
use crate::monitor::Monitor;

/// The k-th largest sum of each node, k from 1: n rows, one column per entry of `ranks`.
///
/// # Errors
/// When a rank is no whole number, an eigendecomposition fails, or the monitor stops the work.
///
/// # Complexity
/// O(n · degree · size³) for subgraphs of that size.
pub fn topological_signature(graph: &Graph, ranks: &[f64], monitor: &Monitor) -> Result<Matrix> {
    if let Some(rank) = ranks.iter().find(|r| r.fract() != 0.0 || **r < 1.0) {
        return Err(Error::parameter("rank", rank, "a whole number, 1 or above"));
    }
    let mut result = Matrix::zeros(graph.node_count(), ranks.len());
    for root in 0..graph.node_count() {
        monitor.enter("topological signatures")?;
        let below = hierarchy(graph, root);
        let mut sums = Vec::new();
        for &(child, _) in &below[root] {
            sums.push(energy(&below, child)?);
        }
        sums.sort_by(|x: &f64, y| y.total_cmp(x));
        for (slot, &rank) in result.row_mut(root).iter_mut().zip(ranks) {
            *slot = sums.get(rank as usize - 1).copied().unwrap_or(0.0);
        }
    }
    Ok(result)
}

/// The children of every node, with weights, in the hierarchy of shortest paths from a root.
fn hierarchy(graph: &Graph, root: usize) -> Vec<Vec<(usize, f64)>> {
    let n = graph.node_count();
    let mut level = vec![usize::MAX; n];
    level[root] = 0;
    let (mut now, mut below) = (vec![root], vec![Vec::new(); n]);
    while !now.is_empty() {
        let mut next = Vec::new();
        for &u in &now {
            for (v, _) in graph.neighbours(u) {
                if level[v] == usize::MAX {
                    level[v] = level[u] + 1;
                    next.push(v);
                }
            }
        }
        for &u in &now {
            let children = graph
                .neighbours(u)
                .filter(|(v, _)| level[*v] == level[u] + 1);
            below[u] = children.collect();
        }
        now = next;
    }
    below
}

/// Σ |λ| of the largest eigenvalues below a node, as many as it has children.
fn energy(below: &[Vec<(usize, f64)>], top: usize) -> Result<f64> {
    let children = below[top].len();
    if children == 0 {
        return Ok(0.0);
    }
    let mut nodes = vec![top];
    let mut place = vec![usize::MAX; below.len()];
    place[top] = 0;
    let mut next = 0;
    while next < nodes.len() {
        for &(v, _) in &below[nodes[next]] {
            if place[v] == usize::MAX {
                place[v] = nodes.len();
                nodes.push(v);
            }
        }
        next += 1;
    }
    let size = nodes.len();
    let mut edges = Matrix::zeros(size, size);
    for (p, &u) in nodes.iter().enumerate() {
        for &(v, weight) in &below[u] {
            (edges[(p, place[v])], edges[(place[v], p)]) = (weight, -weight);
        }
    }
    // The eigenvalues of an antisymmetric K are ±iσ, σ² those of KᵀK.
    let square = Matrix::from_fn(size, size, |i, j| {
        (0..size).map(|k| edges[(k, i)] * edges[(k, j)]).sum()
    });
    let values = symmetric_eigen(&square)?.values;
    Ok(values
        .iter()
        .rev()
        .take(children)
        .map(|v| v.max(0.0).sqrt())
        .sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_and_paths_have_known_energies() {
        // Root 0 with one child 1, which has three leaves: σ of a star of k edges are √k, twice.
        let graph =
            Graph::from_edges(5, &[(0, 1, 1.0), (1, 2, 1.0), (1, 3, 1.0), (1, 4, 1.0)]).unwrap();
        let signature = topological_signature(&graph, &[1.0, 2.0], &Monitor::silent()).unwrap();
        assert!(
            (signature[(0, 0)] - 2.0 * 3f64.sqrt()).abs() < 1e-6,
            "{signature:?}"
        );
        assert!(signature[(0, 1)] < 1e-6);
        // From the centre nobody is two steps away.
        assert_eq!(signature.row(1), [0.0, 0.0]);
        // A path from its end: below node 1 lie 2 and 3, σ = √2 and √2 and 0, one child.
        let path = Graph::from_edges(4, &[(0, 1, 1.0), (1, 2, 1.0), (2, 3, 1.0)]).unwrap();
        let signature = topological_signature(&path, &[1.0], &Monitor::silent()).unwrap();
        assert!((signature[(0, 0)] - 2f64.sqrt()).abs() < 1e-6);
        assert!(topological_signature(&path, &[0.0], &Monitor::silent()).is_err());
    }

    #[test]
    fn other_names_change_nothing_and_small_changes_little() {
        let edges = [
            (0, 1, 1.0),
            (1, 2, 2.0),
            (2, 3, 0.5),
            (3, 4, 1.5),
            (4, 0, 0.7),
            (2, 5, 1.2),
        ];
        let graph = Graph::from_edges(6, &edges).unwrap();
        let order = [3, 1, 4, 0, 5, 2];
        let other = graph.permuted(&order).unwrap();
        let ranks = [1.0, 2.0, 3.0];
        let [one, two] =
            [&graph, &other].map(|g| topological_signature(g, &ranks, &Monitor::silent()).unwrap());
        for (place, &old) in order.iter().enumerate() {
            for (x, y) in one.row(old).iter().zip(two.row(place)) {
                assert!((x - y).abs() < 1e-6);
            }
        }
        let moved = edges.map(|(u, v, w)| (u, v, w + 1e-3));
        let moved = Graph::from_edges(6, &moved).unwrap();
        let near = topological_signature(&moved, &ranks, &Monitor::silent()).unwrap();
        assert!(
            one.as_slice()
                .iter()
                .zip(near.as_slice())
                .all(|(x, y)| (x - y).abs() < 0.02)
        );
    }
}
