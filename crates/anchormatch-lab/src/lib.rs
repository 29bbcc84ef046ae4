//! The laboratory of anchormatch: what is measured on pairs of graphs whose matching is known.
//!
//! [`datasets`] reads such pairs from files that the caller has (`anchormatch-generate` makes them from a
//! seed); [`matchers`] has the ways to match that are compared beside the library's own; [`experiments`]
//! runs the paper's comparisons and our own; [`commands`] call these from a shell. Nothing that ships
//! depends on this crate, save `anchormatch reproduce` behind a feature.

pub mod commands;
pub mod datasets;
pub mod experiments;
pub mod matchers;
