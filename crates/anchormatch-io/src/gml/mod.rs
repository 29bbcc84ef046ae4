//! GML (Himsolt, *GML: A portable Graph File Format*, 1997): keys and values in nested lists.
//!
//! Nodes are called by their `label` where every node has one of its own, as networkx and Gephi
//! write them; else by their `name`, under the same condition, as igraph does; else by their `id`.
//! The caller may name another attribute. An edge's weight is its `weight`, or the `value` that
//! Gephi and older collections write, or 1. `graphics [ x … y … z … ]` are positions. `directed 1`
//! makes edges directed, which is counted. Keys without a meaning here are passed over, nested lists
//! with all that they hold.

mod lexer;
mod read;
#[cfg(test)]
mod tests;
mod write;

pub use read::read_gml_from;
pub use write::write_gml;
