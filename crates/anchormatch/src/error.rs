//! Every way a call can fail, in words a person can act on.
//!
//! The rule of the house: input from outside becomes an [`Error`]; a broken internal invariant is a
//! bug and panics with the invariant's name.

use std::fmt;
use std::path::PathBuf;

/// The result of every fallible call in this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// What went wrong, with the place and the remedy where they are known.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file could not be opened, read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file that was being read or written.
        path: PathBuf,
        /// What the operating system said.
        source: std::io::Error,
    },
    /// A file's contents are not what its format asks for.
    #[error("{0}")]
    Parse(ParseError),
    /// The edges do not make a graph.
    #[error("graph: {}", printable(.0, MESSAGE))]
    Graph(String),
    /// The anchors contradict each other or the graphs.
    #[error("anchors: {}", printable(.0, MESSAGE))]
    Anchors(String),
    /// A parameter is outside its range.
    #[error("{name}: found {found}, expected {expected}")]
    Parameter {
        /// The parameter's name as the caller knows it.
        name: &'static str,
        /// What was given.
        found: String,
        /// What would have been accepted.
        expected: String,
    },
    /// A parameter was set by a name that does not exist, or to a value of another type.
    #[error("{name}: found {found}, expected {expected}")]
    Setting {
        /// The name as the caller gave it.
        name: String,
        /// What was given.
        found: String,
        /// What would have been accepted.
        expected: String,
    },
    /// The work would need more memory than the caller allows.
    #[error("{what} needs {}, the limit is {}; {hint}", Bytes(*needed), Bytes(*limit))]
    Memory {
        /// The step that needs the memory.
        what: String,
        /// Bytes needed.
        needed: u64,
        /// Bytes allowed.
        limit: u64,
        /// The option that would fit.
        hint: String,
    },
    /// The caller, or a limit, stopped the work before there was anything to return.
    #[error("stopped before a first result: {0}")]
    Stopped(&'static str),
    /// A numerical routine did not converge.
    #[error("numerics: {0}")]
    Numerics(String),
}

impl Error {
    /// An [`Error::Parameter`] from anything that can be shown.
    pub fn parameter(
        name: &'static str,
        found: impl fmt::Display,
        expected: impl fmt::Display,
    ) -> Self {
        Self::Parameter {
            name,
            found: found.to_string(),
            expected: expected.to_string(),
        }
    }

    /// An [`Error::Io`] for `path`.
    pub fn io(path: impl Into<PathBuf>, source: std::io::Error) -> Self {
        Self::Io {
            path: path.into(),
            source,
        }
    }
}

/// A position in a file, what stood there and what should have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParseError {
    /// The file as the caller named it.
    pub file: String,
    /// 1-based line, when the fault has one.
    pub line: Option<u64>,
    /// 1-based column (a field's number in tables, a byte's in XML), when the fault has one.
    pub column: Option<u64>,
    /// What was found.
    pub found: String,
    /// What was expected.
    pub expected: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file)?;
        if let Some(line) = self.line {
            write!(f, ", line {line}")?;
        }
        if let Some(column) = self.column {
            write!(f, ", column {column}")?;
        }
        // Both may hold what a file says, which must not reach a terminal as it is.
        let [found, expected] = [&self.found, &self.expected].map(|text| printable(text, SHOWN));
        write!(f, ": found {found}, expected {expected}")
    }
}

/// What people see of what was found, and of what was expected.
const SHOWN: usize = 240;

/// What people see of a whole message, which may hold ids.
const MESSAGE: usize = 440;

/// `text` with control characters escaped, cut when more than `limit` characters would be shown.
pub fn printable(text: &str, limit: usize) -> String {
    let mut shown = String::new();
    let mut count = 0;
    for c in text.chars() {
        if count >= limit {
            shown.push('…');
            break;
        }
        if c.is_control() {
            let escaped = c.escape_default();
            count += escaped.len();
            shown.extend(escaped);
        } else {
            count += 1;
            shown.push(c);
        }
    }
    shown
}

impl From<ParseError> for Error {
    fn from(error: ParseError) -> Self {
        Self::Parse(error)
    }
}

/// A byte count as people write it: `1.5 GiB`.
#[derive(Debug, Clone, Copy)]
pub struct Bytes(pub u64);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const UNITS: [&str; 6] = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
        let mut value = self.0 as f64;
        let mut unit = 0;
        while value >= 1024.0 && unit + 1 < UNITS.len() {
            value /= 1024.0;
            unit += 1;
        }
        if unit == 0 {
            write!(f, "{} B", self.0)
        } else {
            write!(f, "{value:.1} {}", UNITS[unit])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_readable() {
        assert_eq!(Bytes(512).to_string(), "512 B");
        assert_eq!(Bytes(3 << 29).to_string(), "1.5 GiB");
    }

    #[test]
    fn parse_errors_stay_on_their_line() {
        let error = ParseError {
            file: "a.csv".into(),
            line: None,
            column: None,
            found: format!("\u{1b}[2J{}", "\u{b}x".repeat(1000)),
            expected: "a\nnumber".into(),
        };
        let message = error.to_string();
        assert!(
            message.starts_with("a.csv: found \\u{1b}[2J\\u{b}x"),
            "{message}"
        );
        assert!(message.ends_with("…, expected a\\nnumber"), "{message}");
        assert!(message.chars().count() < 300 && !message.chars().any(char::is_control));
    }

    #[test]
    fn ids_in_messages_stay_on_their_line() {
        for error in [
            Error::Graph("node id `\u{1c}J\n` twice".into()),
            Error::Anchors("node id `\u{1c}J\n` twice".into()),
        ] {
            let message = error.to_string();
            assert!(
                message.ends_with(": node id `\\u{1c}J\\n` twice"),
                "{message}"
            );
        }
        let long = Error::Graph("x".repeat(1000)).to_string();
        assert!(long.len() < 500 && long.ends_with('…'));
    }

    #[test]
    fn parse_errors_name_the_place() {
        let error = ParseError {
            file: "a.csv".into(),
            line: Some(3),
            column: Some(2),
            found: "`x`".into(),
            expected: "a number".into(),
        };
        assert_eq!(
            error.to_string(),
            "a.csv, line 3, column 2: found `x`, expected a number"
        );
    }
}
