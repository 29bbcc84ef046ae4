//! Graphs and matrices of other crates, behind a feature each.

#[cfg(feature = "ndarray")]
mod of_ndarray {
    use ndarray::{ArrayBase, Data, Ix2};

    use crate::error::Error;
    use crate::graph::Graph;

    /// The graph of a symmetric adjacency matrix, or of a view of one; the diagonal is dropped.
    ///
    /// # Errors
    /// When the matrix is not square, not symmetric or not finite.
    ///
    /// # Example
    /// ```
    /// use anchormatch::Graph;
    /// use ndarray::array;
    ///
    /// let adjacency = array![[0.0, 2.5, 0.0], [2.5, 0.0, 1.0], [0.0, 1.0, 0.0]];
    /// let graph = Graph::try_from(&adjacency)?;
    /// assert_eq!(graph.weight(0, 1), 2.5);
    /// assert!(Graph::try_from(&adjacency.slice(ndarray::s![..2, ..])).is_err());
    /// # Ok::<(), anchormatch::Error>(())
    /// ```
    impl<S: Data<Elem = f64>> TryFrom<&ArrayBase<S, Ix2>> for Graph {
        type Error = Error;

        fn try_from(adjacency: &ArrayBase<S, Ix2>) -> Result<Self, Error> {
            Self::from_entries(adjacency.dim(), |i, j| adjacency[(i, j)])
        }
    }
}

#[cfg(feature = "petgraph")]
mod of_petgraph {
    use petgraph::EdgeType;
    use petgraph::graph::IndexType;
    use petgraph::visit::EdgeRef;

    use crate::error::{Error, Result};
    use crate::graph::{Graph, GraphBuilder};

    impl Graph {
        /// A graph of petgraph, its nodes named by their indices, with the weights that `weight` gives to
        /// its edges. Directions are ignored and counted in [`cleaning`](Self::cleaning).
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
            let mut builder = GraphBuilder::with_nodes(graph.node_count())?;
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
            let cleaning = graph.cleaning();
            assert_eq!((cleaning.opposite_edges, cleaning.self_loops), (1, 1));
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
