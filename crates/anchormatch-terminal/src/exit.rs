//! Exit codes, and how a failure is told: one line on standard error, or one JSON object.

use std::ffi::OsString;
use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;

use anchormatch::Error;
use anchormatch::error::{Bytes, ParseError, advice};
use clap::Command;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use serde_json::{Map, Value, json};

use crate::hints::WORDS;

/// The command's end: how it went, or why it failed.
pub type Outcome = Result<Done, Failure>;

/// An end with a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Done {
    /// All of it.
    Complete,
    /// What there was when a limit or a signal stopped the work.
    Cut,
}

/// An end without one.
#[derive(Debug)]
pub enum Failure {
    /// An option or argument is wrong.
    Usage(Misuse),
    /// The library refused.
    Library(Error),
    /// Data that a command needs are missing or damaged.
    Data {
        /// What is wrong, in one sentence.
        message: String,
        /// What could be done about it, where that is known; the message ends with it.
        hint: Option<String>,
        /// Its parts, where it has them.
        place: Box<Place>,
    },
}

/// What is wrong with the command line: the message, and its parts where it has them.
#[derive(Debug)]
pub struct Misuse {
    message: String,
    found: Option<String>,
    expected: Option<String>,
}

/// Where a failure is, and what is wrong there.
#[derive(Debug, Clone, Default)]
pub struct Place {
    /// The file.
    pub file: Option<String>,
    /// 1-based line.
    pub line: Option<u64>,
    /// 1-based column.
    pub column: Option<u64>,
    /// What was found.
    pub found: Option<String>,
    /// What was expected.
    pub expected: Option<String>,
}

impl From<&ParseError> for Place {
    fn from(error: &ParseError) -> Self {
        Self {
            file: Some(error.file.clone()),
            line: error.line,
            column: error.column,
            found: Some(error.found.clone()),
            expected: Some(error.expected.clone()),
        }
    }
}

impl Place {
    /// A file that the operating system did not give or take.
    #[must_use]
    pub fn of_io(path: &Path, source: &io::Error) -> Self {
        Self {
            file: Some(path.display().to_string()),
            found: Some(source.to_string()),
            ..Self::default()
        }
    }
}

impl Failure {
    /// An option that was given something wrong.
    pub fn usage(what: impl Display, found: impl Display, expected: impl Display) -> Self {
        Self::Usage(Misuse {
            message: format!("{what}: found {found}, expected {expected}"),
            found: Some(found.to_string()),
            expected: Some(expected.to_string()),
        })
    }

    /// A misuse that one sentence says.
    pub fn misuse(message: impl Into<String>) -> Self {
        Self::Usage(Misuse {
            message: message.into(),
            found: None,
            expected: None,
        })
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Library(error)
    }
}

/// The codes of the contract.
const INTERNAL: u8 = 1;
const INPUT: u8 = 2;
pub(crate) const STOPPED: u8 = 3;
const MEMORY: u8 = 4;

/// Tells how the command ended and gives the process's exit code.
pub fn finish(as_json: bool, outcome: Outcome) -> ExitCode {
    match outcome {
        Ok(Done::Complete) => ExitCode::SUCCESS,
        Ok(Done::Cut) => ExitCode::from(STOPPED),
        Err(failure) if failure.is_closed_pipe() => ExitCode::SUCCESS,
        Err(failure) => {
            failure.tell(as_json);
            ExitCode::from(failure.code())
        }
    }
}

/// Shows help, the version or what is wrong with the arguments of `command`.
pub fn usage(error: &clap::Error, command: &Command) -> ExitCode {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            let shown = error.print().and_then(|()| io::stdout().flush());
            let shown = shown.map_err(|source| Error::io("standard output", source).into());
            finish(false, shown.map(|()| Done::Complete))
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            let _ = error.print();
            ExitCode::from(INPUT)
        }
        _ => {
            let as_json = std::env::args_os().any(|argument| argument == "--json");
            let help = help_for(command, std::env::args_os().skip(1));
            let failure = Failure::Usage(Misuse {
                message: one_line(&error.to_string(), &help),
                found: part(error, &FOUND),
                expected: part(error, &EXPECTED),
            });
            failure.tell(as_json);
            ExitCode::from(INPUT)
        }
    }
}

/// Tells that the work ended before there was anything to write; for the threads that end it.
pub fn tell_stopped(as_json: bool, why: &'static str) {
    Failure::Library(Error::Stopped(why)).tell(as_json);
}

/// A line on standard error for people; one that nobody can read is no failure.
pub fn say(line: impl Display) {
    let _ = writeln!(io::stderr().lock(), "{line}");
}

impl Failure {
    fn code(&self) -> u8 {
        match self {
            Self::Library(Error::Memory { .. }) => MEMORY,
            Self::Library(Error::Stopped(_)) => STOPPED,
            Self::Library(Error::Numerics(_)) => INTERNAL,
            Self::Usage(_) | Self::Library(_) | Self::Data { .. } => INPUT,
        }
    }

    /// Whether the reader of standard output went away, as `head` does.
    fn is_closed_pipe(&self) -> bool {
        matches!(
            self,
            Self::Library(Error::Io { path, source })
                if path.as_os_str() == "standard output"
                    && source.kind() == io::ErrorKind::BrokenPipe
        )
    }

    fn tell(&self, as_json: bool) {
        if as_json {
            say(self.json());
        } else if io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none() {
            say(format_args!("\x1b[1;31merror:\x1b[0m {}", self.message()));
        } else {
            say(format_args!("error: {}", self.message()));
        }
    }

    /// The message, on one line whatever a file name may hold.
    fn message(&self) -> String {
        let message = match self {
            Self::Usage(misuse) => misuse.message.clone(),
            Self::Library(error) => error.worded(WORDS),
            Self::Data { message, .. } => message.clone(),
        };
        let mut line = String::with_capacity(message.len());
        for c in message.chars() {
            if c.is_control() {
                line.extend(c.escape_default());
            } else {
                line.push(c);
            }
        }
        line
    }

    fn json(&self) -> Value {
        let kind = match self {
            Self::Usage(_) => "usage",
            Self::Data { .. } => "data",
            Self::Library(error) => match error {
                Error::Io { .. } => "io",
                Error::Parse(_) => "parse",
                Error::Graph(_) => "graph",
                Error::Anchors(_) => "anchors",
                Error::Parameter { .. } | Error::Setting { .. } => "parameter",
                Error::Memory { .. } => "memory",
                Error::Stopped(_) => "stopped",
                _ => "internal",
            },
        };
        let mut object = Map::new();
        object.insert("kind".into(), kind.into());
        object.insert("exit_code".into(), self.code().into());
        object.insert("message".into(), self.message().into());
        // Every error has these, null where it has no such part.
        let place = self.place();
        object.insert("file".into(), place.file.into());
        object.insert("line".into(), place.line.into());
        object.insert("column".into(), place.column.into());
        object.insert("found".into(), place.found.into());
        object.insert("expected".into(), place.expected.into());
        object.insert("hint".into(), self.advice().into());
        if let Self::Library(Error::Memory { needed, limit, .. }) = self {
            object.insert("needed_bytes".into(), (*needed).into());
            object.insert("limit_bytes".into(), (*limit).into());
        }
        json!({ "error": object })
    }

    /// What could be done about it, where that is known; the message ends with it.
    fn advice(&self) -> Option<String> {
        match self {
            Self::Usage(_) => None,
            Self::Library(error) => advice(error.hints(), WORDS),
            Self::Data { hint, .. } => hint.clone(),
        }
    }
}

impl Failure {
    fn place(&self) -> Place {
        match self {
            Self::Usage(misuse) => Place {
                found: misuse.found.clone(),
                expected: misuse.expected.clone(),
                ..Place::default()
            },
            Self::Data { place, .. } => Place::clone(place),
            Self::Library(Error::Parse(parse)) => parse.into(),
            Self::Library(Error::Io { path, source }) => Place::of_io(path, source),
            Self::Library(
                Error::Parameter {
                    found, expected, ..
                }
                | Error::Setting {
                    found, expected, ..
                },
            ) => Place {
                found: Some(found.clone()),
                expected: Some(expected.clone()),
                ..Place::default()
            },
            Self::Library(Error::Memory { needed, limit, .. }) => Place {
                found: Some(Bytes(*needed).to_string()),
                expected: Some(format!("at most {}", Bytes(*limit))),
                ..Place::default()
            },
            Self::Library(_) => Place::default(),
        }
    }
}

/// The parts of clap's errors that say what was found, and what would have done.
const FOUND: [ContextKind; 3] = [
    ContextKind::InvalidValue,
    ContextKind::InvalidSubcommand,
    ContextKind::InvalidArg,
];
const EXPECTED: [ContextKind; 4] = [
    ContextKind::ValidValue,
    ContextKind::ValidSubcommand,
    ContextKind::SuggestedSubcommand,
    ContextKind::SuggestedArg,
];

/// The first of `kinds` that clap's error has, in words.
fn part(error: &clap::Error, kinds: &[ContextKind]) -> Option<String> {
    let words = kinds.iter().find_map(|&kind| match error.get(kind)? {
        ContextValue::String(word) => Some(word.clone()),
        ContextValue::Strings(words) => Some(words.join(", ")),
        ContextValue::Number(number) => Some(number.to_string()),
        _ => None,
    });
    words.filter(|words| !words.is_empty())
}

/// clap's message, which has several paragraphs, as one line that ends with where to read more.
fn one_line(message: &str, help: &str) -> String {
    let mut line = String::new();
    for part in message.lines().map(str::trim) {
        if part.is_empty()
            || part.starts_with("Usage: ")
            || part.starts_with("For more information")
        {
            continue;
        }
        if !line.is_empty() {
            line.push_str(if part.starts_with("tip:") { "; " } else { " " });
        }
        line.push_str(part);
    }
    let line = line.strip_prefix("error: ").unwrap_or(&line);
    format!("{line}; see `{help}`")
}

/// The command whose help has the answer: `anchormatch match --help`.
fn help_for(root: &Command, arguments: impl Iterator<Item = OsString>) -> String {
    let mut command = root;
    let mut words = vec![root.get_name().to_owned()];
    for argument in arguments {
        if let Some(inner) = command.find_subcommand(&argument) {
            command = inner;
            words.push(inner.get_name().to_owned());
        }
    }
    words.push("--help".to_owned());
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use anchormatch::error::Hint;

    #[test]
    fn codes_are_those_of_the_contract() {
        let memory = Error::Memory {
            what: "it".into(),
            needed: 2,
            limit: 1,
            hints: &[],
        };
        for (failure, code) in [
            (Failure::misuse("x"), 2),
            (Failure::Library(Error::Graph("x".into())), 2),
            (Failure::Library(Error::Stopped("x")), 3),
            (Failure::Library(memory), 4),
            (Failure::Library(Error::Numerics("x".into())), 1),
        ] {
            assert_eq!(failure.code(), code, "{failure:?}");
        }
    }

    #[test]
    fn only_standard_output_may_be_closed() {
        let closed = |path: &str| {
            Failure::Library(Error::io(path, io::ErrorKind::BrokenPipe.into())).is_closed_pipe()
        };
        assert!(closed("standard output"));
        assert!(!closed("a.csv"));
    }

    #[test]
    fn messages_stay_on_one_line() {
        assert_eq!(Failure::misuse("a\nb\u{1b}").message(), "a\\nb\\u{1b}");
        let clap = "error: unexpected argument '--foo' found\n\n  tip: try '--for'\n\n\
                    Usage: anchormatch match --force <A> <B>\n\nFor more information, try '--help'.\n";
        let command = ["match", "info"]
            .into_iter()
            .fold(Command::new("anchormatch"), |all, name| {
                all.subcommand(Command::new(name))
            });
        let words = ["match", "--foo", "info"].into_iter().map(OsString::from);
        let help = help_for(&command, words);
        assert_eq!(
            one_line(clap, &help),
            "unexpected argument '--foo' found; tip: try '--for'; see `anchormatch match --help`"
        );
    }

    #[test]
    fn advice_names_options() {
        let parse = ParseError::new("a.mat", "two matrices", "one");
        let failure = Failure::Library(Error::from(parse).hinting(&[Hint::Variable]));
        let message = "a.mat: found two matrices, expected one; choose it with --variable NAME";
        assert_eq!(failure.message(), message);
        assert_eq!(
            failure.json()["error"]["hint"],
            "choose it with --variable NAME"
        );
    }

    #[test]
    fn json_names_the_place() {
        let parse = ParseError::new("a.csv", "`x`", "a number").at(Some(3), None);
        let failure = Failure::Library(parse.into());
        let json = failure.json();
        assert_eq!(json["error"]["line"], 3);
        assert_eq!(json["error"]["file"], "a.csv");
        assert_eq!(json["error"]["exit_code"], 2);
        assert!(json["error"]["column"].is_null() && json["error"]["hint"].is_null());
    }
}
