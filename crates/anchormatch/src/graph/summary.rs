//! A graph in a few numbers.

use super::Graph;

/// What [`Graph::summary`] counts; ranges are (least, greatest).
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// Edges over pairs of nodes, arcs over ordered pairs; 0 when there is no pair.
    pub density: f64,
    /// The range of the weights, when there are edges.
    pub weights: Option<(f64, f64)>,
    /// Edges of negative weight.
    pub negative_weights: usize,
    /// The range of the degrees; zeros when there are no nodes.
    pub degrees: (usize, usize),
    /// Nodes without an edge.
    pub isolated_nodes: usize,
}

impl Graph {
    /// Density, and the ranges of weights and degrees.
    ///
    /// # Complexity
    /// O(n + edges).
    #[must_use]
    pub fn summary(&self) -> Summary {
        let nodes = self.node_count();
        let pairs = nodes as f64 * (nodes as f64 - 1.0);
        let pairs = if self.is_directed() {
            pairs
        } else {
            pairs / 2.0
        };
        let degree = |i| self.neighbours(i).len();
        let mut summary = Summary {
            density: if pairs > 0.0 {
                self.link_count() as f64 / pairs
            } else {
                0.0
            },
            weights: None,
            negative_weights: 0,
            degrees: (
                (0..nodes).map(degree).min().unwrap_or(0),
                (0..nodes).map(degree).max().unwrap_or(0),
            ),
            isolated_nodes: (0..nodes).filter(|&i| degree(i) == 0).count(),
        };
        let links = self.arcs().triplets();
        for (_, _, weight) in links.filter(|&(i, j, _)| self.is_directed() || i < j) {
            let (least, greatest) = summary.weights.unwrap_or((weight, weight));
            summary.weights = Some((least.min(weight), greatest.max(weight)));
            summary.negative_weights += usize::from(weight < 0.0);
        }
        summary
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_edge_counts_once() {
        let graph = Graph::from_edges(4, &[(0, 1, 2.0), (2, 1, -1.0)]).unwrap();
        let summary = graph.summary();
        assert_eq!(summary.weights, Some((-1.0, 2.0)));
        assert_eq!(summary.negative_weights, 1);
        assert_eq!(summary.degrees, (0, 2));
        assert_eq!(summary.isolated_nodes, 1);
        assert!((summary.density - 2.0 / 6.0).abs() < 1e-15);
        let lonely = Graph::from_edges(1, &[]).unwrap().summary();
        assert_eq!((lonely.density, lonely.weights), (0.0, None));
    }
}
