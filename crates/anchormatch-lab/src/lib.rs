//! The laboratory of anchormatch: pairs of graphs whose matching is known, and what is measured on them.
//!
//! [`generate`] makes such pairs from a seed; [`datasets`] reads them from files that the caller has.

pub mod datasets;
pub mod generate;
