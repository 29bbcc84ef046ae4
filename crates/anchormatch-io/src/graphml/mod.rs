//! GraphML (Brandes, Eiglsperger, Herman, Himsolt, Marshall, *GraphML progress report*, GD 2001):
//! nodes, edges and their attributes in XML.
//!
//! An edge's weight is the attribute whose key is named `weight` (or as the caller says), else the
//! key's default, else 1. Node attributes named `x`, `y` and perhaps `z`, or the middle of yEd's
//! `Geometry`, become positions when every node has them. Node ids are the `id` attributes, or a node
//! attribute that the caller names, such as igraph's `name`. Edges are directed where the graph or
//! they themselves say so. Nested graphs, hyperedges and several graphs in one file have no meaning here and are
//! errors; ports and elements of other vocabularies are passed over.

mod read;
#[cfg(test)]
mod tests;
mod write;

pub use read::read_graphml_from;
pub use write::write_graphml;
