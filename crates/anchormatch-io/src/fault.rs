//! How the readers say what is wrong with a file.

use anchormatch::error::{Error, ParseError};

pub(super) use anchormatch::error::printable;

/// What people see of a long field.
const SHOWN: usize = 40;

/// An [`Error::Parse`] at a place of `file`.
pub(super) fn fault(
    file: &str,
    line: Option<u64>,
    column: Option<usize>,
    found: impl Into<String>,
    expected: impl Into<String>,
) -> Error {
    ParseError::new(file, found, expected)
        .at(line, column.map(|c| c as u64))
        .into()
}

/// What a format cannot hold, as writers refuse it.
pub(super) fn unwritable(message: impl Into<String>) -> std::io::Error {
    std::io::Error::new(std::io::ErrorKind::InvalidInput, message.into())
}

/// The same of an id.
pub(super) fn unwritable_id(id: &str, without: &str) -> std::io::Error {
    let found = quoted(id);
    let expected = format!("one that is not empty and has no {without}");
    unwritable(format!("found the id {found}, expected {expected}"))
}

/// Names the file in an error of a graph that was built from it.
pub(super) fn in_file(error: Error, file: &str) -> Error {
    match error {
        Error::Graph(message) => Error::Graph(format!("{file}: {message}")),
        other => other,
    }
}

/// `text` in back quotes, shortened, control characters escaped; `nothing` when it is empty.
pub(super) fn quoted(text: &str) -> String {
    if text.is_empty() {
        return "nothing".to_owned();
    }
    format!("`{}`", printable(text, SHOWN))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_found_is_short_and_printable() {
        assert_eq!(quoted("a\u{1b}[b"), "`a\\u{1b}[b`");
        assert_eq!(quoted(&"ä".repeat(41)), format!("`{}…`", "ä".repeat(40)));
        assert_eq!(quoted(&"ä".repeat(40)), format!("`{}`", "ä".repeat(40)));
        assert_eq!(quoted(""), "nothing");
    }
}
