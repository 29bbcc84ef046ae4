//! The fuzz targets by name; a new one is a line here and a line in `fuzz/Cargo.toml`.

use anchormatch::io::{Format, ProblemFormat};

use crate::pipeline::check_pipeline;
use crate::reading::{check_graph, check_pairs, check_qap_solution};
use crate::solving::check_problem;

/// What a target does with any bytes: nothing, or panic with what does not hold.
type Check = fn(&[u8]);

/// Every fuzz target: its name, which is that of its corpus, and what it checks.
pub const TARGETS: &[(&str, Check)] = &[
    ("edge_list", |bytes| check_graph(bytes, Format::EdgeList)),
    ("points", |bytes| check_graph(bytes, Format::Points)),
    ("matrix_market", |bytes| {
        check_graph(bytes, Format::MatrixMarket)
    }),
    ("graphml", |bytes| check_graph(bytes, Format::GraphMl)),
    ("pairs", check_pairs),
    ("dd", |bytes| check_problem(bytes, Some(ProblemFormat::Dd))),
    ("qaplib", |bytes| {
        check_problem(bytes, Some(ProblemFormat::Qaplib))
    }),
    ("qaplib_solution", check_qap_solution),
    ("problem_json", |bytes| {
        check_problem(bytes, Some(ProblemFormat::Json))
    }),
    ("problem", |bytes| check_problem(bytes, None)),
    ("pipeline", check_pipeline),
];

/// Runs the target called `name` on `bytes`.
///
/// # Panics
/// When there is no such target, or something does not hold.
pub fn check(name: &str, bytes: &[u8]) {
    let target = TARGETS.iter().find(|(known, _)| *known == name);
    target.expect("a target of the table").1(bytes);
}
