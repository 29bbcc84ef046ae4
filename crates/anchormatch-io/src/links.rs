//! What files hold of a graph: its edges or arcs, and its edges from a node to itself.

use std::borrow::Cow;

use anchormatch::graph::Graph;
use anchormatch::linalg::Csr;

/// Every edge once, lower node first, or every arc from its tail; after them the edges from a node to itself.
pub(super) fn links(graph: &Graph) -> impl Iterator<Item = (usize, usize, f64)> + '_ {
    let directed = graph.is_directed();
    let links = graph.arcs().triplets();
    links
        .filter(move |&(i, j, _)| directed || i < j)
        .chain(graph.loops().iter().map(|&(i, weight)| (i, i, weight)))
}

/// How many [`links`] there are.
pub(super) fn count(graph: &Graph) -> usize {
    graph.link_count() + graph.loops().len()
}

/// The matrix of a graph: what leads from i to j in row i and column j, loops on the diagonal.
pub(super) fn matrix(graph: &Graph) -> Cow<'_, Csr<f64>> {
    let arcs = graph.arcs();
    if graph.loops().is_empty() {
        return Cow::Borrowed(arcs);
    }
    let loops = graph.loops().iter().map(|&(i, weight)| (i, i, weight));
    let n = graph.node_count();
    let whole = Csr::from_triplets(n, n, arcs.triplets().chain(loops));
    Cow::Owned(whole.expect("the places of a graph are within its matrix"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loops_stand_on_the_diagonal_and_after_the_links() {
        let graph = Graph::from_arcs(3, &[(1, 0, 2.0), (1, 1, 5.0), (0, 2, 3.0)]).unwrap();
        let all: Vec<_> = links(&graph).collect();
        assert_eq!(all, [(0, 2, 3.0), (1, 0, 2.0), (1, 1, 5.0)]);
        assert_eq!(count(&graph), 3);
        let entries: Vec<_> = matrix(&graph).triplets().collect();
        assert_eq!(entries, [(0, 2, 3.0), (1, 0, 2.0), (1, 1, 5.0)]);
        let graph = Graph::from_edges(3, &[(1, 0, 2.0), (2, 2, 1.0)]).unwrap();
        let all: Vec<_> = links(&graph).collect();
        assert_eq!(all, [(0, 1, 2.0), (2, 2, 1.0)]);
        assert_eq!(matrix(&graph).entries(), 3);
    }
}
