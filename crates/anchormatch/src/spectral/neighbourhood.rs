//! Signatures of the local topology (Wong, Foote, Chin, Mackey, Perrine, *Graph signatures for visual analytics*, IEEE TVCG 12,
//! 2006).
//!
//! A node is described by what lies around it: how many nodes can be reached in so many steps and in no fewer. Column r has
//! their number at the distance r, weights left aside. The paper's vector has counts of this kind among other statistics of the
//! neighbourhood, which it leaves to the analyst; distances of hops are those that need no choice.

use std::collections::VecDeque;

use crate::error::{Error, Result};
use crate::graph::Graph;
use crate::linalg::Matrix;
use crate::monitor::Monitor;

/// How many nodes are exactly so many steps away: n rows, one column per distance.
///
/// # Errors
/// When a distance is no whole number, or the monitor stops the work.
///
/// # Complexity
/// O(n · edges) time, O(n) memory beside the result.
pub fn neighbourhood_signature(
    graph: &Graph,
    distances: &[f64],
    monitor: &Monitor,
) -> Result<Matrix> {
    if let Some(distance) = distances.iter().find(|r| r.fract() != 0.0 || **r < 0.0) {
        return Err(Error::parameter(
            "distance",
            distance,
            "a whole number, 0 or above",
        ));
    }
    let n = graph.node_count();
    let mut result = Matrix::zeros(n, distances.len());
    let mut steps = vec![usize::MAX; n];
    for u in 0..n {
        monitor.enter("neighbourhoods")?;
        steps.fill(usize::MAX);
        steps[u] = 0;
        let mut queue = VecDeque::from([u]);
        while let Some(v) = queue.pop_front() {
            for (w, _) in graph.neighbours(v) {
                if steps[w] == usize::MAX {
                    steps[w] = steps[v] + 1;
                    queue.push_back(w);
                }
            }
        }
        for (slot, &distance) in result.row_mut(u).iter_mut().zip(distances) {
            *slot = steps
                .iter()
                .filter(|&&s| s != usize::MAX && s as f64 == distance)
                .count() as f64;
        }
    }
    Ok(result)
}

/// 1, 2, …: steps away.
#[must_use]
pub fn default_distances(count: usize) -> Vec<f64> {
    (1..=count).map(|k| k as f64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_those_of_shortest_paths() {
        let edges = [
            (0, 1, 3.0),
            (1, 2, 0.1),
            (2, 3, 1.0),
            (3, 4, 1.0),
            (4, 0, 9.0),
            (2, 5, 1.0),
            (6, 7, 1.0),
        ];
        let graph = Graph::from_edges(8, &edges).unwrap();
        // Floyd and Warshall, all pairs.
        let mut far = vec![vec![usize::MAX / 2; 8]; 8];
        (0..8).for_each(|u| far[u][u] = 0);
        for (u, v, _) in edges {
            (far[u][v], far[v][u]) = (1, 1);
        }
        for k in 0..8 {
            for i in 0..8 {
                for j in 0..8 {
                    far[i][j] = far[i][j].min(far[i][k] + far[k][j]);
                }
            }
        }
        let distances = default_distances(5);
        let signature = neighbourhood_signature(&graph, &distances, &Monitor::silent()).unwrap();
        for u in 0..8 {
            for (c, r) in (1..=5).enumerate() {
                let want = far[u].iter().filter(|&&d| d == r).count() as f64;
                assert_eq!(signature[(u, c)], want, "{u} {r}");
            }
        }
        assert!(neighbourhood_signature(&graph, &[-1.0], &Monitor::silent()).is_err());
    }
}
