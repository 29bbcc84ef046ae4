//! What a caller may choose of the presets beside their numbers.

use serde::{Deserialize, Serialize};

/// How much work to put in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effort {
    /// A relaxation and a short search.
    Fast,
    /// Searches until nothing more is gained.
    #[default]
    Best,
}

/// Which way a match goes: over all pairs of nodes, or over lists of candidates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RegimeChoice {
    /// By size and density.
    #[default]
    Auto,
    /// All pairs: exact evidence of every pair of nodes, O(n²) memory.
    Dense,
    /// Lists of candidates: O(edges + nodes) memory.
    Sparse,
}

/// The parts of the method that an ablation can take out.
#[cfg_attr(
    not(feature = "laboratory"),
    expect(unreachable_pub, reason = "for experiments alone")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ingredients {
    /// Anchors folded into the first-order term; without, they only fix their own pairs.
    pub folded_anchors: bool,
    /// Lengths compared by their square roots.
    pub root_lengths: bool,
    /// The mean field as a start.
    pub mean_field: bool,
    /// Tabu search from the starts.
    pub search: bool,
    /// The scales of the evidence fitted from the matching.
    pub fitted_scales: bool,
    /// Partial matchings among the hypotheses.
    pub outliers: bool,
    /// Heat kernels compared in the place of the weights, each graph at its own time (τ = 1).
    pub heat_for_weights: bool,
}

impl Default for Ingredients {
    fn default() -> Self {
        Self {
            folded_anchors: true,
            root_lengths: true,
            mean_field: true,
            search: true,
            fitted_scales: true,
            outliers: true,
            heat_for_weights: false,
        }
    }
}
