//! Edges of several kinds: the layers of a graph, or its relations.

use crate::error::{Error, Result};

/// An edge with its kind.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KindEdge {
    /// Where it begins.
    pub from: u32,
    /// Where it ends.
    pub to: u32,
    /// Its kind, an index of [`EdgeKinds::names`].
    pub kind: u32,
    /// Its weight, not zero.
    pub weight: f64,
}

/// The kinds of a graph's edges; two nodes may be joined by edges of several.
///
/// Whether edges have directions is the graph's to say.
#[derive(Debug, Clone, PartialEq)]
pub struct EdgeKinds {
    names: Vec<String>,
    edges: Vec<KindEdge>,
}

impl EdgeKinds {
    /// Edges between `nodes` nodes, of the kinds that `names` lists; edges of one kind between the same
    /// nodes may repeat.
    ///
    /// # Errors
    /// When an edge is of a node or a kind that there is not, or its weight is not finite.
    pub fn new(nodes: usize, names: Vec<String>, mut edges: Vec<KindEdge>) -> Result<Self> {
        for edge in &edges {
            let KindEdge {
                from,
                to,
                kind,
                weight,
            } = *edge;
            if from as usize >= nodes || to as usize >= nodes || kind as usize >= names.len() {
                return Err(Error::Graph(format!(
                    "found an edge from {from} to {to} of kind {kind}, expected nodes below {nodes} and a kind below {}",
                    names.len()
                )));
            }
            if !weight.is_finite() {
                return Err(Error::Graph(format!(
                    "found the weight {weight} from {from} to {to}, expected a finite number"
                )));
            }
        }
        edges.sort_unstable_by_key(|edge| (edge.from, edge.to, edge.kind));
        Ok(Self { names, edges })
    }

    /// The names of the kinds.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// All edges, by where they begin, where they end, and their kinds.
    #[must_use]
    pub fn edges(&self) -> &[KindEdge] {
        &self.edges
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_of_nodes_and_names_that_there_are() {
        let edge = |from, to, kind, weight| KindEdge {
            from,
            to,
            kind,
            weight,
        };
        let names = || vec!["red".to_owned(), "blue".to_owned()];
        let kinds =
            EdgeKinds::new(3, names(), vec![edge(2, 0, 1, 1.0), edge(0, 1, 0, 2.0)]).unwrap();
        assert_eq!(kinds.edges()[0].to, 1);
        for wrong in [
            edge(3, 0, 0, 1.0),
            edge(0, 3, 0, 1.0),
            edge(0, 1, 2, 1.0),
            edge(0, 1, 0, f64::NAN),
        ] {
            assert!(EdgeKinds::new(3, names(), vec![wrong]).is_err());
        }
    }
}
