//! Errors of the library as exceptions of Python, and its hints in Python's words.

use std::io;

use anchormatch::Error;
use anchormatch::error::{Hint, Words};
use pyo3::exceptions::{PyMemoryError, PyRuntimeError, PyTimeoutError, PyTypeError, PyValueError};
use pyo3::prelude::*;

/// The exception for an error.
pub(crate) fn exception(error: Error) -> PyErr {
    let text = error.worded(WORDS);
    match error {
        // Keeps the kind, so that a missing file is a FileNotFoundError.
        Error::Io { source, .. } => io::Error::new(source.kind(), text).into(),
        Error::Memory { .. } => PyMemoryError::new_err(text),
        Error::Stopped(_) => PyTimeoutError::new_err(text),
        Error::Numerics(_) => PyRuntimeError::new_err(text),
        Error::Setting {
            wrong_kind: true, ..
        } => PyTypeError::new_err(text),
        _ => PyValueError::new_err(text),
    }
}

/// What Python says for each hint; the library's neutral words for one that is newer than this list.
pub(crate) const WORDS: Words = |hint| words(hint).unwrap_or(hint.neutral());

fn words(hint: Hint) -> Option<&'static str> {
    Some(match hint {
        Hint::MoreMemory => "raise max_memory",
        Hint::Cluster => "match on a cluster with anchormatch.cluster.match",
        Hint::MoreMemoryIfTrusted => "raise max_memory if the file is to be trusted",
        Hint::SparseGraph => "give a sparse matrix",
        Hint::SparsePoints => "give a sparse graph of them",
        Hint::Duplicates => "duplicates= merges them: sum, mean, max or first",
        Hint::Directed => "directed=True reads rows as arcs",
        Hint::RepairAnchors => "repair_anchors=True would demote it",
        Hint::MoreAnchors => "give some as anchors=",
        Hint::DenseRegime => "force regime=\"dense\"",
        Hint::SparseRegime => "try regime=\"sparse\"",
        Hint::AllowUnmatched => "allow_unmatched=True leaves them out",
        Hint::Kinds => {
            "layers= or relations= compares it, am.read(…, weight=) takes it for weights"
        }
        Hint::Undirected => "am.graph(…, duplicates=\"sum\") sets all directions aside",
        // No keyword does these.
        Hint::SmallerGraphs
        | Hint::SmallerGraph
        | Hint::SmallerProblem
        | Hint::FewerNodes
        | Hint::FewerAnchors
        | Hint::FewerPoints
        | Hint::FewerColumns
        | Hint::FewerWalks
        | Hint::Relaxation
        | Hint::WiderKernel
        | Hint::SeparableKernel
        | Hint::ListedPairs
        | Hint::Edges
        | Hint::CheckCounts
        | Hint::Variable
        | Hint::Columns
        | Hint::AsPoints
        | Hint::WithHeader
        | Hint::WithoutHeader
        | Hint::NodeId
        | Hint::StartOver
        | Hint::OtherFolder
        | Hint::DataFolder => hint.neutral(),
        _ => return None,
    })
}

/// Every hint by its name in the library, with Python's words or `None` where it has none: for the tests.
#[pyfunction]
pub(crate) fn hints() -> Vec<(String, Option<&'static str>)> {
    let each = Hint::ALL.into_iter();
    each.map(|hint| (format!("{hint:?}"), words(hint)))
        .collect()
}
