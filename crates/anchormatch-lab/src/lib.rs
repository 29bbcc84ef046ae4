//! The laboratory of anchormatch: pairs of graphs whose matching is known, and what is measured on them.
//!
//! [`generate`] makes such pairs from a seed.

pub mod generate;
