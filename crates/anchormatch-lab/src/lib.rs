//! The laboratory of anchormatch: pairs of graphs whose matching is known, and what is measured on
//! them.
//!
//! [`generate`] makes such pairs from a seed; [`datasets`] reads them from files that the caller has;
//! [`matchers`] has the ways to match that are compared beside the library's own; [`experiments`] runs
//! the comparisons; [`report`] shows a matching as a page.

pub mod datasets;
pub mod experiments;
pub mod generate;
pub mod matchers;
pub mod report;
