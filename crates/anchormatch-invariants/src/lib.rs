//! What holds of every graph, problem and matching, written down once as assertions.
//!
//! | of | holds | room |
//! |---|---|---|
//! | a graph that was read | symmetric, finite, no loops; written and read again it is the same | [`reading`] |
//! | a file that was refused | one line that names it, says what was found and what was expected | [`reading`] |
//! | a problem that was read | finite, its product is its entries, a solver's answer is sound | [`solving`] |
//! | a matching | one-to-one, hard anchors kept, its objective is what a recount gives | [`matching`], [`recount`] |
//!
//! The property tests call these with generated input ([`shapes`] has the graphs, [`damage`] spoils
//! files), the fuzz targets with bytes through [`TARGETS`], and the replay test with the corpus and every
//! crash that was ever found. A failed assertion is a bug: of the library, or of what is promised.

pub mod command;
pub mod damage;
pub mod data;
pub mod matching;
pub mod pipeline;
pub mod reading;
pub mod recount;
pub mod shapes;
pub mod small_problems;
pub mod solving;
mod targets;

pub use targets::{TARGETS, Target, check};

/// The code in the repository's documents compiles and runs. It stands here, in a crate that is never
/// published, because a published one has no repository around it.
#[cfg(doctest)]
mod documents {
    #[doc = include_str!("../../../README.md")]
    struct Readme;
    #[doc = include_str!("../../../CONTRIBUTING.md")]
    struct Contributing;
    #[doc = include_str!("../../../docs/guide.md")]
    struct Guide;
}
