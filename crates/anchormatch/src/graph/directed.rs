//! Directed graphs: arcs, and the symmetric adjacency matrix that they make.
//!
//! Who compares edges compares arcs, w(i → j) and w(j → i) each with its image. Whatever rests on the
//! Laplacian, and lists of neighbours, take the stronger of the two, so that a graph of zeros and ones
//! stays one whichever way its arcs run:
//!
//! > A_ij = A_ji = w(i → j) if |w(i → j)| ≥ |w(j → i)|, else w(j → i).

use super::Graph;
use super::builder::{Edge, GraphBuilder, Place};
use crate::error::Result;
use crate::linalg::Csr;

/// Weights of the two directions that differ by less than this, in parts of the larger, are one weight.
const ROUNDING: f64 = 1e-9;

impl GraphBuilder {
    /// The symmetric adjacency matrix, and the arcs unless they are as symmetric.
    pub(super) fn directed(&mut self) -> Result<(Csr<f64>, Option<Csr<f64>>)> {
        let n = self.node_count();
        let (mentions, _) = self.taken();
        let mut arcs = Vec::with_capacity(mentions.len());
        for edge in mentions {
            let place = Place(edge.place);
            let turned = Edge {
                low: edge.high,
                high: edge.low,
                ..edge
            };
            let is_arc = place.is(Place::ARC | Place::ENTRY);
            if !(is_arc && place.is(Place::BACKWARD)) {
                arcs.push(edge);
            }
            if !is_arc || place.is(Place::BACKWARD) {
                arcs.push(turned);
            }
        }
        let (mut repeated, mut zeros) = (0, 0);
        let arcs = self.merged(arcs, &mut |_, run, weight| {
            // An edge runs both ways and is counted one way.
            let is_arc = |e: &Edge| Place(e.place).is(Place::ARC | Place::ENTRY);
            if run[0].low < run[0].high || run.iter().any(is_arc) {
                repeated += run.len() - 1;
                zeros += usize::from(weight == 0.0);
            }
        })?;
        let cleaning = self.taken().1;
        cleaning.repeated_edges += repeated;
        cleaning.zero_weights += zeros;
        let mut offsets = vec![0usize; n + 1];
        for arc in &arcs {
            offsets[arc.low as usize + 1] += 1;
        }
        for i in 0..n {
            offsets[i + 1] += offsets[i];
        }
        let (heads, weights) = arcs.iter().map(|arc| (arc.high, arc.weight)).unzip();
        let arcs = Csr::from_parts(n, offsets, heads, weights).expect("sorted arcs make rows");
        let transposed = arcs.transposed();
        let edges = stronger(&arcs, &transposed)?;
        let is_symmetric = are_alike(&arcs, &transposed);
        Ok((edges, (!is_symmetric).then_some(arcs)))
    }
}

/// Whether two matrices are the same but for rounding.
fn are_alike(first: &Csr<f64>, second: &Csr<f64>) -> bool {
    let rows = 0..first.rows();
    first.entries() == second.entries()
        && rows.into_iter().all(|i| {
            let ((j, x), (k, y)) = (first.parts(i), second.parts(i));
            let close = |(x, y): (&f64, &f64)| (x - y).abs() <= ROUNDING * x.abs().max(y.abs());
            j == k && x.iter().zip(y).all(close)
        })
}

/// Of both matrices the entry with the larger absolute value, the first one's where they are equal.
fn stronger(first: &Csr<f64>, second: &Csr<f64>) -> Result<Csr<f64>> {
    let row = |i: usize| {
        let (mut left, mut right) = (first.row(i).peekable(), second.row(i).peekable());
        std::iter::from_fn(move || match (left.peek(), right.peek()) {
            (Some(&(j, x)), Some(&(k, y))) if j == k => {
                left.next();
                right.next();
                // The same entry seen from both ends must win at both.
                let first_wins = x.abs() > y.abs() || (x.abs() == y.abs() && x >= y);
                Some((j, if first_wins { x } else { y }))
            }
            (Some(&(j, _)), Some(&(k, _))) if k < j => right.next(),
            (Some(_), _) => left.next(),
            (None, _) => right.next(),
        })
    };
    Csr::from_rows(first.cols(), (0..first.rows()).map(row))
}

impl Graph {
    /// Whether its edges have directions.
    #[must_use]
    pub fn is_directed(&self) -> bool {
        self.arcs.is_some()
    }

    /// Every arc from its tail; of an undirected graph every edge from both of its ends.
    #[must_use]
    pub fn arcs(&self) -> &Csr<f64> {
        self.arcs.as_ref().unwrap_or(&self.edges)
    }

    /// The number of arcs, or of edges where the graph is undirected.
    #[must_use]
    pub fn link_count(&self) -> usize {
        self.arcs
            .as_ref()
            .map_or_else(|| self.edge_count(), Csr::entries)
    }

    /// The nodes with an edge to themselves and its weight, ascending. No matrix holds these edges: they
    /// tell of their node alone.
    #[must_use]
    pub fn loops(&self) -> &[(usize, f64)] {
        &self.loops
    }

    /// The weight of node `i`'s edge to itself; 0 when there is none.
    #[must_use]
    pub fn loop_weight(&self, i: usize) -> f64 {
        self.loops
            .binary_search_by_key(&i, |entry| entry.0)
            .map_or(0.0, |k| self.loops[k].1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Hint;
    use crate::graph::{Directions, Duplicates};

    fn directed(arcs: &[(usize, usize, f64)]) -> Graph {
        let builder = GraphBuilder::with_nodes(4).unwrap();
        let mut builder = builder.directions(Directions::Keep);
        for &(u, v, w) in arcs {
            builder.arc(u, v, w, None).unwrap();
        }
        builder.build().unwrap()
    }

    #[test]
    fn arcs_stay_and_the_stronger_direction_is_the_edge() {
        let graph = directed(&[
            (0, 1, 2.0),
            (1, 0, -5.0),
            (3, 1, 1.0),
            (2, 3, -1.0),
            (3, 2, 1.0),
        ]);
        assert!(graph.is_directed());
        assert_eq!(graph.arcs().get(0, 1), Some(2.0));
        assert_eq!(graph.arcs().get(1, 0), Some(-5.0));
        assert_eq!(
            (graph.arcs().get(3, 1), graph.arcs().get(1, 3)),
            (Some(1.0), None)
        );
        assert_eq!((graph.weight(0, 1), graph.weight(1, 0)), (-5.0, -5.0));
        assert_eq!((graph.weight(2, 3), graph.weight(3, 2)), (1.0, 1.0));
        assert_eq!((graph.edge_count(), graph.link_count()), (3, 5));
        let moved = graph.permuted(&[2, 0, 1, 3]).unwrap();
        assert_eq!(
            (moved.arcs().get(1, 2), moved.arcs().get(3, 2)),
            (Some(2.0), Some(1.0))
        );
        assert_eq!(moved.permuted(&[1, 2, 0, 3]).unwrap().arcs(), graph.arcs());
    }

    #[test]
    fn arcs_both_ways_are_edges() {
        let both = directed(&[(0, 1, 2.0), (1, 0, 2.0), (2, 1, 3.0), (1, 2, 3.0)]);
        assert!(!both.is_directed());
        assert_eq!(
            both.arcs(),
            Graph::from_edges(4, &[(0, 1, 2.0), (1, 2, 3.0)])
                .unwrap()
                .arcs()
        );
    }

    #[test]
    fn an_edge_among_arcs_runs_both_ways() {
        let mut builder = GraphBuilder::with_nodes(3)
            .unwrap()
            .directions(Directions::Keep);
        builder.arc(2, 0, 1.0, None).unwrap();
        builder.edge(1, 2, 4.0, None).unwrap();
        let graph = builder.build().unwrap();
        let arcs: Vec<_> = graph.arcs().triplets().collect();
        assert_eq!(arcs, [(1, 2, 4.0), (2, 0, 1.0), (2, 1, 4.0)]);
    }

    #[test]
    fn repetitions_are_those_of_one_direction() {
        let graph = directed(&[(0, 1, 2.0), (0, 1, 2.0), (1, 0, 7.0)]);
        assert_eq!(graph.cleaning().repeated_edges, 1);
        let builder = GraphBuilder::with_nodes(2)
            .unwrap()
            .directions(Directions::Keep);
        let mut builder = builder.duplicates(Duplicates::Sum);
        for w in [1.0, 2.0] {
            builder.arc(1, 0, w, None).unwrap();
        }
        assert_eq!(builder.build().unwrap().arcs().get(1, 0), Some(3.0));
    }

    #[test]
    fn an_edge_among_arcs_is_counted_once() {
        let mut builder = GraphBuilder::with_nodes(4)
            .unwrap()
            .directions(Directions::Keep);
        builder.arc(3, 0, 1.0, None).unwrap();
        for (u, v, w) in [(1, 2, 4.0), (2, 1, 4.0), (0, 2, 0.0), (1, 1, 2.0)] {
            builder.edge(u, v, w, None).unwrap();
        }
        // It names a node and tells nothing.
        builder.edge(3, 3, 0.0, None).unwrap();
        let cleaning = builder.build().unwrap().cleaning();
        assert_eq!((cleaning.repeated_edges, cleaning.zero_weights), (1, 1));
        assert_eq!(cleaning.self_loops, 1);
    }

    #[test]
    fn rows_that_contradict_each_other_may_be_arcs() {
        let hints = |add: fn(&mut GraphBuilder, usize, usize, f64) -> Result<()>, back: bool| {
            let builder = GraphBuilder::with_nodes(2).unwrap().file("f");
            let mut builder = builder.directions(Directions::Keep);
            add(&mut builder, 0, 1, 1.0).unwrap();
            let (u, v) = if back { (1, 0) } else { (0, 1) };
            add(&mut builder, u, v, 2.0).unwrap();
            builder
                .build()
                .map_or_else(|e| e.hints().to_vec(), |_| Vec::new())
        };
        let both = [Hint::Directed, Hint::Duplicates];
        assert_eq!(hints(|b, u, v, w| b.edge(u, v, w, None), true), both);
        assert_eq!(
            hints(|b, u, v, w| b.edge(u, v, w, None), false),
            [Hint::Duplicates]
        );
        assert_eq!(
            hints(|b, u, v, w| b.arc(u, v, w, None), false),
            [Hint::Duplicates]
        );
        assert_eq!(hints(|b, u, v, w| b.arc(u, v, w, None), true), []);
    }

    #[test]
    fn loops_tell_of_their_node() {
        let graph = directed(&[(0, 1, 2.0), (2, 2, 4.0), (1, 1, 3.0)]);
        assert_eq!(graph.loops(), [(1, 3.0), (2, 4.0)]);
        assert_eq!((graph.loop_weight(2), graph.loop_weight(0)), (4.0, 0.0));
        assert_eq!(
            graph.permuted(&[3, 2, 1, 0]).unwrap().loops(),
            [(1, 4.0), (2, 3.0)]
        );
    }
}
