//! Errors of the library as exceptions of Python.

use std::io;

use anchormatch::Error;
use pyo3::PyErr;
use pyo3::exceptions::{PyMemoryError, PyRuntimeError, PyTimeoutError, PyTypeError, PyValueError};

/// The exception for an error: the same words, with options called as Python calls them.
pub(crate) fn exception(error: Error) -> PyErr {
    let text = in_python(&error.to_string());
    match error {
        // Keeps the kind, so that a missing file is a FileNotFoundError.
        Error::Io { source, .. } => io::Error::new(source.kind(), text).into(),
        Error::Memory { .. } => PyMemoryError::new_err(text),
        Error::Stopped(_) => PyTimeoutError::new_err(text),
        Error::Numerics(_) => PyRuntimeError::new_err(text),
        Error::Setting { .. } => PyTypeError::new_err(text),
        _ => PyValueError::new_err(text),
    }
}

/// The words of the library, which name options of the command line, for Python.
pub(crate) fn in_python(text: &str) -> String {
    text.replace("--max-memory", "max_memory")
        .replace("--repair-anchors", "repair_anchors=True")
}
