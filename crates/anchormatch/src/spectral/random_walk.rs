//! Random-walk signatures (Gori, Maggini, Sarti, *Exact and approximate graph matching using random walks*, IEEE TPAMI 27,
//! 2005).
//!
//! A walker goes on to a neighbour with the probability d, by weight, and with 1 − d starts anew anywhere. How often it is at
//! a node, relative to 1/n,
//!
//! > x = (1 − d) Σₜ dᵗ (Pᵀ)ᵗ 1,   P = D⁻¹ A,
//!
//! is one number of the node's signature for each damping d. Isomorphic graphs have equal signatures, and graphs whose
//! nodes all differ (the authors' Markovian spectrally distinguishable ones) are matched by them alone. The paper walks with one d
//! and keeps the visits step by step; values at several d are the same series, summed with several weights.

use super::signature::check;
use crate::error::Result;
use crate::graph::Graph;
use crate::linalg::Matrix;
use crate::monitor::{Monitor, Progress};

/// What the rest of the series may add to an entry.
const TOLERANCE: f64 = 1e-12;

/// The first and the last damping when nobody says.
const RANGE: [f64; 2] = [0.1, 0.95];

/// Visits of a walk with each damping: n rows, one column per damping.
///
/// Negative weights are no probabilities and count as 0; a node without edges starts anew.
///
/// # Errors
/// When a damping is not in [0, 1), or the monitor stops the work.
///
/// # Complexity
/// O(edges · log(1e-12)/log d) a damping.
pub fn random_walk_signature(graph: &Graph, dampings: &[f64], monitor: &Monitor) -> Result<Matrix> {
    check(dampings, "damping", |d| (0.0..1.0).contains(&d))?;
    let n = graph.node_count();
    let degrees: Vec<f64> = (0..n)
        .map(|u| graph.neighbours(u).map(|(_, w)| w.max(0.0)).sum())
        .collect();
    let mut result = Matrix::zeros(n, dampings.len());
    for (column, &damping) in dampings.iter().enumerate() {
        monitor.enter("random walk")?;
        let mut visits = vec![1.0; n];
        let mut sum = vec![1.0 - damping; n];
        let mut weight = 1.0 - damping;
        // What is left of the series is damping^(t + 1) in all, n at one node at most.
        let mut left = damping * n as f64;
        let mut steps = 0;
        while left > TOLERANCE {
            let mut next = vec![0.0; n];
            let mut lost = 0.0;
            for u in 0..n {
                if degrees[u] > 0.0 {
                    let share = visits[u] / degrees[u];
                    for (v, w) in graph.neighbours(u) {
                        next[v] += share * w.max(0.0);
                    }
                } else {
                    lost += visits[u];
                }
            }
            next.iter_mut().for_each(|v| *v += lost / n as f64);
            visits = next;
            weight *= damping;
            for (slot, visit) in sum.iter_mut().zip(&visits) {
                *slot += weight * visit;
            }
            left *= damping;
            steps += 1;
            let progress = Progress {
                stage: "random walk",
                done: steps,
                total: None,
                value: Some(left),
            };
            if monitor.checkpoint(progress).is_some() {
                break;
            }
        }
        for (u, value) in sum.into_iter().enumerate() {
            result[(u, column)] = value;
        }
    }
    Ok(result)
}

/// `count` dampings, evenly from 0.1 to 0.95.
#[must_use]
pub fn default_dampings(count: usize) -> Vec<f64> {
    let [from, to] = RANGE;
    let step = (to - from) / (count.max(2) - 1) as f64;
    (0..count).map(|k| from + step * k as f64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph() -> Graph {
        let edges = [
            (0, 1, 1.0),
            (1, 2, 2.0),
            (2, 3, 0.5),
            (3, 0, 1.5),
            (1, 3, 1.0),
            (3, 4, 0.4),
        ];
        Graph::from_edges(6, &edges).unwrap()
    }

    #[test]
    fn visits_solve_the_walks_equation() {
        // x = (1 − d) 1 + d Pᵀ x, node 5 being alone.
        let graph = graph();
        let dampings = [0.0, 0.3, 0.85];
        let x = random_walk_signature(&graph, &dampings, &Monitor::silent()).unwrap();
        for (c, &d) in dampings.iter().enumerate() {
            let total: f64 = (0..6).map(|u| x[(u, c)]).sum();
            assert!((total - 6.0).abs() < 1e-9, "{total}");
            for v in 0..6 {
                let mut want = 1.0 - d + d * x[(5, c)] / 6.0;
                for u in 0..5 {
                    let degree: f64 = graph.neighbours(u).map(|(_, w)| w).sum();
                    let step: f64 = graph
                        .neighbours(u)
                        .filter(|(to, _)| *to == v)
                        .map(|(_, w)| w / degree)
                        .sum();
                    want += d * step * x[(u, c)];
                }
                assert!((x[(v, c)] - want).abs() < 1e-9);
            }
        }
        assert!(random_walk_signature(&graph, &[1.0], &Monitor::silent()).is_err());
    }

    #[test]
    fn isomorphic_graphs_are_told_apart_node_by_node() {
        let graph = Graph::from_edges(
            5,
            &[
                (0, 1, 1.0),
                (1, 2, 2.0),
                (2, 3, 0.5),
                (3, 4, 1.5),
                (4, 1, 0.3),
            ],
        )
        .unwrap();
        let order = [3, 1, 4, 0, 2];
        let other = graph.permuted(&order).unwrap();
        let dampings = default_dampings(8);
        let [one, two] = [&graph, &other]
            .map(|g| random_walk_signature(g, &dampings, &Monitor::silent()).unwrap());
        for (place, &old) in order.iter().enumerate() {
            for u in 0..5 {
                let apart: f64 = one
                    .row(u)
                    .iter()
                    .zip(two.row(place))
                    .map(|(x, y)| (x - y).abs())
                    .sum();
                assert_eq!(apart < 1e-9, u == old, "{u} {place} {apart}");
            }
        }
    }
}
