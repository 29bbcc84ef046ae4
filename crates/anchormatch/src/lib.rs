//! Match the nodes of two weighted graphs when a few correspondences (anchors) are already known.

pub mod anchors;
pub mod assignment;
pub mod error;
pub mod graph;
pub mod linalg;
pub mod matching;
pub mod monitor;
pub mod problem;
pub mod solver;

pub use anchors::Anchors;
pub use error::{Error, Result};
pub use graph::Graph;
pub use matching::Matching;
pub use monitor::Monitor;
