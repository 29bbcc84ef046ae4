//! The fuzz targets by name.
//!
//! A new one is a line here, two in `fuzz/` (its program and its `[[bin]]`) and a seed in
//! `fuzz/corpus`; the replay test says when one of them is missing.

use anchormatch_io::{Format, ProblemFormat};

use crate::pipeline::check_pipeline;
use crate::reading::{check_graph, check_pairs, check_qap_solution};
use crate::solving::check_problem;

/// What a target makes of bytes.
#[derive(Debug, Clone, Copy)]
pub enum Target {
    /// A graph in a format.
    Graph(Format),
    /// Problems in a format, or in the one that they begin like.
    Problem(Option<ProblemFormat>),
    /// Something else.
    Other(fn(&[u8])),
}

/// Every fuzz target by its name, which is that of its corpus.
pub const TARGETS: &[(&str, Target)] = &[
    ("edge_list", Target::Graph(Format::EdgeList)),
    ("points", Target::Graph(Format::Points)),
    ("xyz", Target::Graph(Format::Xyz)),
    ("ply", Target::Graph(Format::Ply)),
    ("coco", Target::Graph(Format::Coco)),
    ("opencv", Target::Graph(Format::OpenCv)),
    ("adjacency", Target::Graph(Format::Adjacency)),
    ("matrix_market", Target::Graph(Format::MatrixMarket)),
    ("graphml", Target::Graph(Format::GraphMl)),
    ("gml", Target::Graph(Format::Gml)),
    ("pajek", Target::Graph(Format::Pajek)),
    ("leda", Target::Graph(Format::Leda)),
    ("metis", Target::Graph(Format::Metis)),
    ("npy", Target::Graph(Format::Npy)),
    ("npz", Target::Graph(Format::Npz)),
    ("mat", Target::Graph(Format::Mat)),
    ("pairs", Target::Other(check_pairs)),
    ("dd", Target::Problem(Some(ProblemFormat::Dd))),
    ("qaplib", Target::Problem(Some(ProblemFormat::Qaplib))),
    ("qaplib_solution", Target::Other(check_qap_solution)),
    ("problem_json", Target::Problem(Some(ProblemFormat::Json))),
    ("problem", Target::Problem(None)),
    ("pipeline", Target::Other(check_pipeline)),
];

impl Target {
    /// Asserts what holds of any bytes.
    ///
    /// # Panics
    /// When it does not hold.
    pub fn check(self, bytes: &[u8]) {
        match self {
            Self::Graph(format) => check_graph(bytes, format),
            Self::Problem(format) => check_problem(bytes, format),
            Self::Other(check) => check(bytes),
        }
    }
}

/// Runs the target called `name` on `bytes`.
///
/// # Panics
/// When there is no such target, or something does not hold.
pub fn check(name: &str, bytes: &[u8]) {
    let target = TARGETS.iter().find(|(known, _)| *known == name);
    target.expect("a target of the table").1.check(bytes);
}
