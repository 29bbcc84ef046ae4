//! Every way a call can fail, in words a person can act on.
//!
//! The rule of the house: input from outside becomes an [`Error`]; a broken internal invariant is a
//! bug and panics with the invariant's name.
//!
//! An error says what is wrong; what could be done about it, it carries as [`Hint`]s. Printing an error
//! gives the library's neutral words for them, [`Error::worded`] those of a front door.

mod hint;

pub use hint::{Hint, Words, advice, advised};

use std::fmt;
use std::path::PathBuf;

/// The result of every fallible call in this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// What went wrong, with the place and the remedy where they are known.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A file could not be opened, read or written.
    Io {
        /// The file that was being read or written.
        path: PathBuf,
        /// What the operating system said.
        source: std::io::Error,
    },
    /// A file's contents are not what its format asks for.
    Parse(ParseError),
    /// The edges do not make a graph.
    Graph(String),
    /// The anchors contradict each other or the graphs.
    Anchors(String),
    /// A parameter is outside its range.
    Parameter {
        /// The parameter's name as the caller knows it.
        name: &'static str,
        /// What was given.
        found: String,
        /// What would have been accepted.
        expected: String,
    },
    /// A parameter was set by a name that does not exist, or to a value of another type.
    Setting {
        /// The name as the caller gave it.
        name: String,
        /// What was given.
        found: String,
        /// What would have been accepted.
        expected: String,
        /// Whether the name or the type is wrong, and not only the value.
        wrong_kind: bool,
    },
    /// The work would need more memory than the caller allows.
    Memory {
        /// The step that needs the memory.
        what: String,
        /// Bytes needed.
        needed: u64,
        /// Bytes allowed.
        limit: u64,
        /// What would fit.
        hints: &'static [Hint],
    },
    /// The caller, or a limit, stopped the work before there was anything to return.
    Stopped(&'static str),
    /// A numerical routine did not converge.
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

    /// The error with advice, where its kind carries any: [`Error::Parse`] and [`Error::Memory`].
    #[must_use]
    pub fn hinting(mut self, advised: &'static [Hint]) -> Self {
        match &mut self {
            Self::Parse(ParseError { hints, .. }) | Self::Memory { hints, .. } => *hints = advised,
            _ => {}
        }
        self
    }

    /// What could be done about it; empty where nothing more than the message is known.
    #[must_use]
    pub fn hints(&self) -> &'static [Hint] {
        match self {
            Self::Parse(parse) => parse.hints,
            Self::Memory { hints, .. } => hints,
            Self::Io { .. }
            | Self::Graph(_)
            | Self::Anchors(_)
            | Self::Parameter { .. }
            | Self::Setting { .. }
            | Self::Stopped(_)
            | Self::Numerics(_) => &[],
        }
    }

    /// The whole message, its advice in the words of a front door.
    #[must_use]
    pub fn worded(&self, words: Words) -> String {
        advised(self.statement(), self.hints(), words)
    }

    /// What is wrong, without advice.
    fn statement(&self) -> String {
        match self {
            Self::Io { path, source } => format!("{}: {source}", path.display()),
            Self::Parse(parse) => parse.statement(),
            Self::Graph(message) => format!("graph: {}", printable(message, MESSAGE)),
            Self::Anchors(message) => format!("anchors: {}", printable(message, MESSAGE)),
            Self::Parameter {
                name,
                found,
                expected,
            } => format!("{name}: found {found}, expected {expected}"),
            Self::Setting {
                name,
                found,
                expected,
                ..
            } => format!("{name}: found {found}, expected {expected}"),
            Self::Memory {
                what,
                needed,
                limit,
                ..
            } => {
                let [needed, limit] = [*needed, *limit].map(Bytes);
                format!("{what} would take {needed}, the limit is {limit}")
            }
            Self::Stopped(why) => format!("stopped before a first result: {why}"),
            Self::Numerics(message) => format!("numerics: {message}"),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.worded(Hint::neutral))
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { source, .. } => Some(source),
            _ => None,
        }
    }
}

/// A position in a file, what stood there and what should have.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
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
    /// What could be done about it.
    pub hints: &'static [Hint],
}

impl ParseError {
    /// A fault of a file as a whole.
    pub fn new(
        file: impl Into<String>,
        found: impl Into<String>,
        expected: impl Into<String>,
    ) -> Self {
        Self {
            file: file.into(),
            line: None,
            column: None,
            found: found.into(),
            expected: expected.into(),
            hints: &[],
        }
    }

    /// The fault at a line and a column, both counted from 1, where they are known.
    #[must_use]
    pub fn at(self, line: Option<u64>, column: Option<u64>) -> Self {
        Self {
            line,
            column,
            ..self
        }
    }

    /// The whole message, its advice in the words of a front door.
    #[must_use]
    pub fn worded(&self, words: Words) -> String {
        advised(self.statement(), self.hints, words)
    }

    fn statement(&self) -> String {
        let place = |name: &str, place: Option<u64>| {
            place.map_or_else(String::new, |place| format!(", {name} {place}"))
        };
        // Both may hold what a file says, which must not reach a terminal as it is.
        let [found, expected] = [&self.found, &self.expected].map(|text| printable(text, SHOWN));
        format!(
            "{}{}{}: found {found}, expected {expected}",
            self.file,
            place("line", self.line),
            place("column", self.column)
        )
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.worded(Hint::neutral))
    }
}

impl std::error::Error for ParseError {}

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
        let found = format!("\u{1b}[2J{}", "\u{b}x".repeat(1000));
        let error = ParseError::new("a.csv", found, "a\nnumber");
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
        let error = ParseError::new("a.csv", "`x`", "a number").at(Some(3), Some(2));
        assert_eq!(
            error.to_string(),
            "a.csv, line 3, column 2: found `x`, expected a number"
        );
    }

    #[test]
    fn every_front_door_words_the_hints_itself() {
        fn loud(hint: Hint) -> &'static str {
            match hint {
                Hint::MoreMemory => "MORE",
                Hint::Variable => "WHICH",
                other => other.neutral(),
            }
        }
        let parse = Error::from(ParseError::new("a.mat", "two matrices", "one"));
        let parse = parse.hinting(&[Hint::Variable]);
        let neutral = "a.mat: found two matrices, expected one; choose it by its name";
        assert_eq!(parse.to_string(), neutral);
        assert_eq!(parse.hints(), [Hint::Variable]);
        assert_eq!(
            parse.worded(loud),
            "a.mat: found two matrices, expected one; WHICH"
        );
        let memory = Error::Memory {
            what: "it".into(),
            needed: 2048,
            limit: 1,
            hints: &[Hint::MoreMemory, Hint::SmallerGraphs],
        };
        let words = "it would take 2.0 KiB, the limit is 1 B; MORE or match smaller graphs";
        assert_eq!(memory.worded(loud), words);
        let plain = Error::Stopped("cancelled");
        assert_eq!(plain.worded(loud), plain.to_string());
    }

    #[test]
    fn what_the_operating_system_said_is_the_source() {
        use std::error::Error as _;
        let inner = std::io::Error::from(std::io::ErrorKind::NotFound);
        let error = Error::io("a.csv", inner);
        let source = error.source().expect("an error of the system");
        assert!(error.to_string().ends_with(&source.to_string()), "{error}");
        assert!(Error::Stopped("cancelled").source().is_none());
    }
}
