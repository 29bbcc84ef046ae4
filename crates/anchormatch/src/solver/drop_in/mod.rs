//! What other libraries compute, step by step as they do, for programs that switch from them.
//!
//! [`climb`] is the FAQ of SciPy's `quadratic_assignment`, and the FAQ and GOAT of graspologic's
//! `graph_match`; [`Batch`] has the solvers of pygmtools, [`normalise`] and [`assign`] its `sinkhorn` and
//! `hungarian`.
//!
//! These relax other programs than our solvers do, which is why they do not see a
//! [`Problem`](crate::problem::Problem): products of assignments that exclude each other are kept as they
//! are given. Such products are zero on every assignment but not in between, so that an iterate depends on
//! them.

mod batch;
mod climb;
mod fixed_points;
mod linear;
mod program;
mod scaling;

pub use batch::{Batch, RandomWalks};
pub use climb::{Climb, Rules, Shuffle, Transport, climb};
pub use linear::{Alone, Scores, assign, normalise};
pub use program::{Layer, Layers, Program};
pub use scaling::doubly_stochastic;
