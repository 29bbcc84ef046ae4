//! How the readers say what is wrong with a file.

use anchormatch::error::{Error, ParseError};

pub(super) use anchormatch::error::printable;

/// What people see of a long field.
const SHOWN: usize = 40;

/// What people see of a long message.
const SHOWN_MESSAGE: usize = 160;

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

/// What serde says of JSON (`message at line 3 column 5`), as a fault of `file`. `words` makes what was found and what was
/// expected of the message and of whether the file ended too early.
pub(super) fn json_fault(
    error: serde_json::Error,
    file: &str,
    words: impl FnOnce(&str, bool) -> (String, String),
) -> Error {
    if error.is_io() {
        return Error::io(file, error.into());
    }
    let (line, column) = (error.line() as u64, error.column());
    let message = error.to_string();
    let place = format!(" at line {line} column {column}");
    let message = message.strip_suffix(&place).unwrap_or(&message);
    let (found, expected) = words(message, error.is_eof());
    fault(
        file,
        (line > 0).then_some(line),
        (column > 0).then_some(column),
        printable(&found, SHOWN_MESSAGE),
        printable(&expected, SHOWN_MESSAGE),
    )
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
