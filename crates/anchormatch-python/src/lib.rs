//! `anchormatch._native`: what the Python package calls.
//!
//! The layer is thin: arrays and index lists come in, arrays and dictionaries go out. Ids, edge lists,
//! pictures and everything else that is easier in Python stays in `python/anchormatch`. Long work runs
//! on a thread of its own (`worker`), without the interpreter's lock, and can be interrupted.

#![allow(
    clippy::needless_pass_by_value,
    reason = "arguments of Python functions are extracted into values"
)]

mod arrays;
mod cluster;
mod drop_in;
mod facts;
mod failure;
mod generate;
mod graph;
mod kernels;
mod matching;
mod model;
mod options;
mod problem;
mod read;
mod report;
mod studio;
mod worker;

use pyo3::prelude::*;

/// The compiled part of anchormatch.
#[pymodule(name = "_native", gil_used = true)]
mod native {
    #[pymodule_export]
    use super::cluster::{
        blocks_ask, blocks_balanced, blocks_bounds, blocks_choose, blocks_classes, blocks_compare,
        blocks_constants, blocks_count_source, blocks_count_target, blocks_course, blocks_duals,
        blocks_expected_alone, blocks_fit, blocks_graph_numbers, blocks_is_near, blocks_left_over,
        blocks_lists, blocks_looks, blocks_missed, blocks_missing, blocks_part, blocks_reach,
        blocks_rests, blocks_rows, blocks_samples, blocks_scores, blocks_settled,
        blocks_share_alone, blocks_stuck, blocks_sums, blocks_sums_are_old, blocks_touched,
        blocks_weigh,
    };
    #[pymodule_export]
    use super::drop_in::{
        LayeredProgram, assigned, doubly_stochastic, fixed_points, leading_vectors, normalised,
        random_walks,
    };
    #[pymodule_export]
    use super::facts::same_note;
    #[pymodule_export]
    use super::failure::hints;
    #[pymodule_export]
    use super::generate::{block_model, house, random_anchors, synthetic};
    #[pymodule_export]
    use super::graph::Graph;
    #[pymodule_export]
    use super::kernels::{heat_kernel, linear_assignment, signature, sinkhorn};
    #[pymodule_export]
    use super::matching::{match_graphs, matchers, suggest};
    #[pymodule_export]
    use super::options::solvers;
    #[pymodule_export]
    use super::problem::{Problem, read_problems};
    #[pymodule_export]
    use super::read::{read_features, read_graph, read_nodes};
    #[pymodule_export]
    use super::report::{drawing, report};
    #[pymodule_export]
    use super::studio::{Studio, studio};
    use super::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
