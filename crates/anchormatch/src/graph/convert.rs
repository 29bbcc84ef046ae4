//! Graphs and matrices of other crates, behind a feature each.

#[cfg(feature = "ndarray")]
mod of_ndarray {
    use ndarray::{ArrayBase, Data, Ix2};

    use crate::error::Error;
    use crate::graph::Graph;

    /// The graph of an adjacency matrix, or of a view of one, directed where the matrix is not symmetric: entry (i, j) is then
    /// the weight of the edge from i to j. The diagonal is dropped.
    ///
    /// # Errors
    /// When the matrix is not square or not finite.
    ///
    /// # Example
    /// ```
    /// use anchormatch::Graph;
    /// use ndarray::array;
    ///
    /// let adjacency = array![[0.0, 2.5, 0.0], [2.5, 0.0, 1.0], [0.0, 1.0, 0.0]];
    /// let graph = Graph::try_from(&adjacency)?;
    /// assert_eq!(graph.weight(0, 1), 2.5);
    /// let one_way = Graph::try_from(&array![[0.0, 2.5], [0.0, 0.0]])?;
    /// assert_eq!((one_way.arcs().get(0, 1), one_way.arcs().get(1, 0)), (Some(2.5), None));
    /// assert!(Graph::try_from(&adjacency.slice(ndarray::s![..2, ..])).is_err());
    /// # Ok::<(), anchormatch::Error>(())
    /// ```
    impl<S: Data<Elem = f64>> TryFrom<&ArrayBase<S, Ix2>> for Graph {
        type Error = Error;

        fn try_from(adjacency: &ArrayBase<S, Ix2>) -> Result<Self, Error> {
            let (n, m) = adjacency.dim();
            let is_same = |x: f64, y: f64| x == y || x.is_nan() || y.is_nan();
            let entries = || adjacency.indexed_iter();
            if n != m || entries().all(|((i, j), &weight)| is_same(weight, adjacency[(j, i)])) {
                return Self::from_entries((n, m), |i, j| adjacency[(i, j)]);
            }
            let arcs = entries().filter(|(_, weight)| **weight != 0.0);
            let arcs: Vec<_> = arcs.map(|((i, j), &weight)| (i, j, weight)).collect();
            Self::from_arcs(n, &arcs)
        }
    }

    #[cfg(test)]
    mod tests {
        use ndarray::array;

        use super::*;

        #[test]
        fn matrices_that_are_not_symmetric_are_directed() {
            let graph = Graph::try_from(&array![[0.0, 1.0, 3.0], [2.0, 0.0, 0.0], [3.0, 0.0, 0.0]]);
            let arcs = [(0, 1, 1.0), (1, 0, 2.0), (0, 2, 3.0), (2, 0, 3.0)];
            assert_eq!(graph.unwrap(), Graph::from_arcs(3, &arcs).unwrap());
            let symmetric = Graph::try_from(&array![[5.0, 1.0], [1.0, 0.0]]).unwrap();
            assert!(!symmetric.is_directed() && symmetric.edge_count() == 1);
            for bad in [f64::NAN, f64::INFINITY] {
                assert!(
                    Graph::try_from(&array![[0.0, bad], [1.0, 0.0]]).is_err(),
                    "{bad}"
                );
            }
            assert!(Graph::try_from(&array![[0.0, 1.0, 2.0], [3.0, 0.0, 4.0]]).is_err());
        }
    }
}

#[cfg(feature = "petgraph")]
mod of_petgraph {
    use petgraph::EdgeType;
    use petgraph::graph::IndexType;
    use petgraph::visit::EdgeRef;

    use crate::error::{Error, Result};
    use crate::graph::{Directions, Graph, GraphBuilder};

    impl Graph {
        /// A graph of petgraph, its nodes named by their indices, with the weights that `weight` gives to
        /// its edges; directed where it is.
        ///
        /// # Errors
        /// When the graph has no node, a weight is not finite, or two edges between the same nodes
        /// have different ones; [`GraphBuilder`] has rules for these.
        ///
        /// # Example
        /// ```
        /// use anchormatch::Graph;
        /// use petgraph::graph::UnGraph;
        ///
        /// let friends = UnGraph::<(), &str>::from_edges([(0, 1, "close"), (1, 2, "distant")]);
        /// let strength = |word: &&str| if *word == "close" { 2.0 } else { 1.0 };
        /// let graph = Graph::from_petgraph(&friends, strength)?;
        /// assert_eq!((graph.weight(0, 1), graph.weight(2, 1)), (2.0, 1.0));
        /// # Ok::<(), anchormatch::Error>(())
        /// ```
        pub fn from_petgraph<N, E, Ty: EdgeType, Ix: IndexType>(
            graph: &petgraph::Graph<N, E, Ty, Ix>,
            mut weight: impl FnMut(&E) -> f64,
        ) -> Result<Self> {
            let directions = if graph.is_directed() {
                Directions::Keep
            } else {
                Directions::Ignore
            };
            let builder = GraphBuilder::with_nodes(graph.node_count())?;
            let mut builder = builder.directions(directions);
            for edge in graph.edge_references() {
                let (u, v) = (edge.source().index(), edge.target().index());
                let weight = weight(edge.weight());
                if graph.is_directed() {
                    builder.arc(u, v, weight, None)?;
                } else {
                    builder.edge(u, v, weight, None)?;
                }
            }
            builder.build()
        }
    }

    /// [`Graph::from_petgraph`] for edges that are their weights.
    impl<N, E: Copy + Into<f64>, Ty: EdgeType, Ix: IndexType>
        TryFrom<&petgraph::Graph<N, E, Ty, Ix>> for Graph
    {
        type Error = Error;

        fn try_from(graph: &petgraph::Graph<N, E, Ty, Ix>) -> Result<Self> {
            Self::from_petgraph(graph, |&weight| weight.into())
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;
        use petgraph::graph::{DiGraph, UnGraph};

        #[test]
        fn edges_nodes_and_directions_arrive() {
            let mut undirected = UnGraph::<&str, f32>::default();
            let [a, b, _alone] = ["a", "b", "c"].map(|name| undirected.add_node(name));
            undirected.add_edge(b, a, 0.5);
            let graph = Graph::try_from(&undirected).unwrap();
            assert_eq!(graph, Graph::from_edges(3, &[(0, 1, 0.5)]).unwrap());
            let directed = DiGraph::<(), i32>::from_edges([(0, 1, 3), (1, 0, 3), (1, 1, 7)]);
            let graph = Graph::try_from(&directed).unwrap();
            assert_eq!(graph.weight(0, 1), 3.0);
            assert_eq!(graph.cleaning().self_loops, 1);
            // Arcs that all run both ways with one weight are edges; others keep their directions.
            assert!(!graph.is_directed());
            let directed = DiGraph::<(), i32>::from_edges([(0, 1, 3), (1, 0, 4), (2, 1, 5)]);
            let graph = Graph::try_from(&directed).unwrap();
            let arcs = [(0, 1, 3.0), (1, 0, 4.0), (2, 1, 5.0)];
            assert_eq!(graph, Graph::from_arcs(3, &arcs).unwrap());
            assert!(graph.is_directed());
        }

        #[test]
        fn what_is_no_graph_is_refused() {
            let none = UnGraph::<(), f64>::default();
            assert!(Graph::try_from(&none).is_err());
            for weights in [[1.0, f64::NAN], [1.0, 2.0]] {
                let edges = weights.map(|weight| (0, 1, weight));
                let graph = UnGraph::<(), f64>::from_edges(edges);
                assert!(Graph::try_from(&graph).is_err(), "{weights:?}");
            }
        }
    }
}
