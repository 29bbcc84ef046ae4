//! Match the nodes of two weighted graphs when a few correspondences (anchors) are already known.
//!
//! ```toml
//! [dependencies]
//! anchormatch = "0.1"
//! ```
//!
//! [`match_graphs`] takes two graphs and the pairs that are known. [`matcher::Best`], which it runs, finds
//! the most likely matching under a model of matched edges whose scales it fits from the data, and says
//! how probable each pair is:
//!
//! ```
//! use anchormatch::matcher::{Best, Matcher};
//! use anchormatch::{Anchors, Graph, Monitor, Task};
//!
//! let source = Graph::from_edges(4, &[(0, 1, 1.0), (1, 2, 2.0), (2, 3, 3.0), (3, 0, 4.0)])?;
//! let target = source.permuted(&[2, 0, 3, 1])?;
//! let anchors = Anchors::from_indices(&source, &target, &[(2, 0)])?;
//! let task = Task::new(&source, &target, &anchors)?;
//! let matching = Best::default().run(&task, &Monitor::silent())?;
//! assert_eq!(matching.mapping()[&0], 1);
//! # Ok::<(), anchormatch::Error>(())
//! ```
//!
//! A [`Task`] holds what is known, a [`Matcher`](matcher::Matcher) turns it into a [`Matching`], and a
//! [`Monitor`] watches, limits and stops the work. Below them, each usable by itself: quadratic programs
//! ([`problem`]) and their solvers ([`solver`]), linear assignment ([`assignment`]), spectra and signatures
//! ([`spectral`]). Files are the business of the crate `anchormatch-io`.
//!
//! # The paper
//!
//! [`matcher::Paper`] is the method of Hu, Rustamov, Guibas, *Graph Matching with Anchor Nodes: A Learning
//! Approach* (CVPR 2013). With Laplacian eigenpairs (λₖ, φₖ) of G and (λ'ₖ, φ'ₖ) of G':
//!
//! | step | formula | room |
//! |---|---|---|
//! | heat kernel | k_t(u, v) = Σₖ exp(−tλₖ) φₖ(u) φₖ(v) | [`spectral`] |
//! | learned proximity | d_B(i, a) = √(wᵀBw), w = [φₖ(i)²; φ'ₖ(a)²], B ⪰ 0 by max-margin from the anchors | [`affinity::proximity`] |
//! | heat to anchors | d_ap(i, a) = \|Σ_u k_t(u, i) − Σ_u' k'_t(u', a)\| | [`affinity::first_order`] |
//! | pairwise heat | d_k(i, j, a, b) = \|k_t(i, j) − k'_t(a, b)\| | [`affinity::second_order`] |
//! | program | max xᵀWx over one-to-one x ∈ {0, 1}^(n₁ n₂) | [`problem`] |
//! | random walks, assignment | | [`solver`], [`assignment`] |

pub mod affinity;
pub mod anchors;
pub mod assignment;
pub mod attributes;
pub mod error;
pub mod graph;
pub mod linalg;
pub mod matcher;
pub mod matching;
pub mod monitor;
pub mod points;
pub mod problem;
pub mod settings;
pub mod solver;
pub mod spectral;
pub mod symmetry;
pub mod task;

pub use anchors::Anchors;
pub use assignment::Assignment;
pub use attributes::Attributes;
pub use error::{Error, Result};
pub use graph::Graph;
pub use matching::Matching;
pub use monitor::Monitor;
pub use task::{Allowed, Task};

/// Matches `source` to `target` with the help of `anchors`, pairs of node indices: preset `best` as it
/// stands. [`Task`] and [`matcher`] have everything else.
///
/// ```
/// use anchormatch::Graph;
///
/// let source = Graph::from_edges(4, &[(0, 1, 1.0), (1, 2, 2.0), (2, 3, 3.0), (3, 0, 4.0)])?;
/// let target = source.permuted(&[2, 0, 3, 1])?;
/// let matching = anchormatch::match_graphs(&source, &target, &[(2, 0)])?;
/// assert_eq!(matching.mapping()[&0], 1);
/// # Ok::<(), anchormatch::Error>(())
/// ```
///
/// # Errors
/// When an anchor is of a node that does not exist, two anchors contradict each other, or the graphs are
/// too large for the memory.
pub fn match_graphs(
    source: &Graph,
    target: &Graph,
    anchors: &[(usize, usize)],
) -> Result<Matching> {
    let task = Task::from_pairs(source, target, anchors)?;
    matcher::Matcher::run(&matcher::Best::default(), &task, &Monitor::silent())
}
