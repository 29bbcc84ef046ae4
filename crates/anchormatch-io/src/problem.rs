//! Problems from files: the format is known by the extension or by the first word.
//!
//! | format | files | holds |
//! |---|---|---|
//! | [`ProblemFormat::Dd`] | `.dd`, `.txt` | listed assignments and pairs, one or several problems |
//! | [`ProblemFormat::Qaplib`] | `.dat` | a quadratic assignment problem n, A, B |
//! | [`ProblemFormat::Json`] | `.json` | a [saved problem](super::problem_json) of any kind |

use std::io::{BufRead, Read};
use std::path::Path;

use anchormatch::error::{Error, Hint, Result};
use anchormatch::problem::{Problem, Sense};

use super::fault::{fault, quoted};
use super::problem_json::read_saved_problem_from;
use super::qaplib::read_qap_from;
use super::{ReadOptions, is_standard, open, read_dd_from};

/// A format of problem files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProblemFormat {
    /// Listed assignments and pairs, `p`, `a`, `e`.
    Dd,
    /// QAPLIB: n, A, B.
    Qaplib,
    /// A problem saved as JSON.
    Json,
}

/// A problem from a file, and what came with it.
#[derive(Debug)]
pub struct LoadedProblem {
    /// The file's name without its extension.
    pub name: String,
    /// The two graphs of a file over several graphs.
    pub graphs: Option<(usize, usize)>,
    /// The program.
    pub problem: Problem,
    /// The format that was read.
    pub format: ProblemFormat,
    /// What the caller should know: lines that were skipped.
    pub notes: Vec<String>,
}

/// How to read problems.
#[derive(Debug, Clone, Default)]
pub struct ProblemOptions {
    /// The format; `None` goes by the extension, or else by the first word.
    pub format: Option<ProblemFormat>,
    /// The most bytes that the problems of a file may take; `None` allows 16 GiB, and to nodes that a
    /// header merely announces no more than the rest of the file makes plausible.
    pub max_memory: Option<u64>,
}

impl ProblemOptions {
    /// Refuses `what` when it would pass the memory allowed, which is `otherwise` by default.
    pub(super) fn reserve(
        &self,
        what: &str,
        needed: u64,
        otherwise: u64,
        hints: &'static [Hint],
    ) -> Result<()> {
        let options = ReadOptions {
            max_memory: self.max_memory,
            ..ReadOptions::default()
        };
        options.reserve(what, needed, otherwise, hints)
    }
}

impl ProblemFormat {
    /// The format that `path`'s extension stands for; `None` for `.txt` and the standard input, where
    /// the first word decides.
    ///
    /// ```
    /// use anchormatch_io::ProblemFormat;
    /// let format = ProblemFormat::from_path("nug12.dat".as_ref())?;
    /// assert_eq!(format, Some(ProblemFormat::Qaplib));
    /// # Ok::<(), anchormatch::Error>(())
    /// ```
    ///
    /// # Errors
    /// When the extension is missing or not one that is read.
    pub fn from_path(path: &Path) -> Result<Option<Self>> {
        if is_standard(path) {
            return Ok(None);
        }
        let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase());
        let found = match extension.as_deref() {
            Some("dd") => return Ok(Some(Self::Dd)),
            Some("dat") => return Ok(Some(Self::Qaplib)),
            Some("json") => return Ok(Some(Self::Json)),
            Some("txt") => return Ok(None),
            Some(other) => format!("the extension {}", quoted(&format!(".{other}"))),
            None => "no extension".to_owned(),
        };
        let file = path.display().to_string();
        let expected = "a problem in .dd, .txt, .dat or .json";
        Err(fault(&file, None, None, found, expected))
    }
}

/// Reads the problems at `path`, in `format` or the one of its extension; `-` is the standard input.
///
/// # Errors
/// When the file cannot be read, its format is unknown, its contents are at fault, or the problems
/// would pass the memory allowed.
pub fn read_problem(path: &Path, format: Option<ProblemFormat>) -> Result<Vec<LoadedProblem>> {
    let options = ProblemOptions {
        format,
        ..ProblemOptions::default()
    };
    read_problem_with(path, &options)
}

/// Reads the problems at `path`; `-` is the standard input.
///
/// # Errors
/// See [`read_problem`].
pub fn read_problem_with(path: &Path, options: &ProblemOptions) -> Result<Vec<LoadedProblem>> {
    let mut options = options.clone();
    if options.format.is_none() {
        options.format = ProblemFormat::from_path(path)?;
    }
    open(path, |reader, name| {
        read_problem_from(reader, name, &options)
    })
}

/// Reads problems from any reader; `name` stands for the file in errors.
///
/// # Errors
/// See [`read_problem`].
pub fn read_problem_from(
    mut reader: impl BufRead,
    name: &str,
    options: &ProblemOptions,
) -> Result<Vec<LoadedProblem>> {
    match options.format {
        Some(format) => read_as(format, &mut reader, name, options),
        None => {
            // What was read to decide is read once more, in front of the rest.
            let mut start = Vec::new();
            let format = sniff(&mut reader, &mut start, name)?;
            read_as(format, start.chain(reader), name, options)
        }
    }
}

fn read_as(
    format: ProblemFormat,
    reader: impl BufRead,
    name: &str,
    options: &ProblemOptions,
) -> Result<Vec<LoadedProblem>> {
    let stem = Path::new(name).file_stem();
    let stem = stem.map_or_else(|| name.to_owned(), |s| s.to_string_lossy().into_owned());
    let loaded = |graphs, problem, notes| LoadedProblem {
        name: stem.clone(),
        graphs,
        problem,
        format,
        notes,
    };
    match format {
        ProblemFormat::Dd => read_dd_from(reader, name, options)?
            .into_iter()
            .map(|dd| {
                let problem = dd.listed.problem().map_err(|e| in_file(e, name))?;
                Ok(loaded(dd.graphs, problem, dd.notes))
            })
            .collect(),
        ProblemFormat::Qaplib => {
            let instance = read_qap_from(reader, name, options)?;
            let problem = instance.problem(Sense::Minimise);
            let problem = problem.map_err(|e| in_file(e, name))?;
            Ok(vec![loaded(None, problem, Vec::new())])
        }
        ProblemFormat::Json => {
            let saved = read_saved_problem_from(reader, name, options)?;
            let problem = saved.problem(options).map_err(|e| in_file(e, name))?;
            Ok(vec![loaded(None, problem, Vec::new())])
        }
    }
}

/// Names the file in an error of a problem that was built from it.
fn in_file(error: Error, file: &str) -> Error {
    match error {
        Error::Parameter {
            name,
            found,
            expected,
        } => fault(file, None, None, format!("in {name} {found}"), expected),
        Error::Memory {
            what,
            needed,
            limit,
            hints,
        } => Error::Memory {
            what: format!("{file}: {what}"),
            needed,
            limit,
            hints,
        },
        other => other,
    }
}

/// How many bytes of comments may stand before the first word.
const SNIFFED: usize = 1 << 20;

/// The format by the first word that is no comment; `start` keeps what was read.
fn sniff(reader: &mut impl BufRead, start: &mut Vec<u8>, name: &str) -> Result<ProblemFormat> {
    const WANTED: &str = "p or gm (.dd), a number (QAPLIB) or { (JSON)";
    let mut line = 0;
    loop {
        let from = start.len();
        let read = reader
            .take((SNIFFED - from) as u64)
            .read_until(b'\n', start)
            .map_err(|source| Error::io(name, source))?;
        if read == 0 {
            return Err(fault(name, None, None, "no problem", WANTED));
        }
        line += 1;
        let text = String::from_utf8_lossy(&start[from..]);
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        match text.split_ascii_whitespace().next() {
            None | Some("c") => {}
            Some("p" | "gm" | "a" | "e" | "i0" | "i1" | "n0" | "n1" | "m") => {
                return Ok(ProblemFormat::Dd);
            }
            Some(word) if word.starts_with('{') => return Ok(ProblemFormat::Json),
            Some(word) if word.starts_with(|c: char| c.is_ascii_digit()) => {
                return Ok(ProblemFormat::Qaplib);
            }
            Some(word) => return Err(fault(name, Some(line), Some(1), quoted(word), WANTED)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anchormatch::problem::Coverage;

    const DD: &str = "c x\n\ngm 0 1\np 1 1 1 0\na 0 0 0 -2\ngm 0 2\np 1 1 1 0\na 0 0 0 3\n";
    const DAT: &str = "2\n0 1\n1 0\n0 3\n3 0\n";
    const JSON: &str = r#" {"version": 1, "sense": "maximise", "kind": {"product":
        {"a": {"dense": [[0, 1], [1, 0]]}, "b": {"dense": [[0, 3], [3, 0]]}}}}"#;

    fn read(text: &str, name: &str) -> Result<Vec<LoadedProblem>> {
        read_problem_from(text.as_bytes(), name, &ProblemOptions::default())
    }

    #[test]
    fn the_first_word_tells_the_format() {
        let dd = read(DD, "some/pair.one.txt").unwrap();
        assert_eq!(dd.len(), 2);
        assert_eq!(dd[1].graphs, Some((0, 2)));
        assert_eq!(dd[1].name, "pair.one");
        assert_eq!(dd[1].format, ProblemFormat::Dd);
        assert_eq!(dd[1].problem.objective(&[Some(0)].into()), 3.0);
        assert_eq!(dd[1].problem.coverage(), Coverage::Partial);

        let dat = read(&format!("\u{feff}{DAT}"), "x").unwrap();
        assert_eq!(dat[0].format, ProblemFormat::Qaplib);
        assert_eq!(dat[0].problem.sense(), Sense::Minimise);
        assert_eq!(dat[0].problem.objective(&[Some(1), Some(0)].into()), 6.0);

        let json = read(&format!("\u{feff}\n{JSON}"), "x").unwrap();
        assert_eq!(json[0].format, ProblemFormat::Json);
        assert_eq!(json[0].problem.sense(), Sense::Maximise);
        assert_eq!(json[0].problem.objective(&[Some(1), Some(0)].into()), 6.0);
    }

    #[test]
    fn files_go_by_their_extension_or_as_the_caller_says() {
        let directory = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = directory.path().join(name);
            std::fs::write(&path, text).unwrap();
            path
        };
        for (name, text, count) in [
            ("a.dd", DD, 2),
            ("a.txt", DD, 2),
            ("a.DAT", DAT, 1),
            ("a.json", JSON, 1),
        ] {
            let problems = read_problem(&write(name, text), None).unwrap();
            assert_eq!(problems.len(), count, "{name}");
            assert_eq!(problems[0].name, "a");
        }
        let odd = write("a.odd", DAT);
        assert!(read_problem(&odd, None).unwrap_err().to_string().ends_with(
            "found the extension `.odd`, expected a problem in .dd, .txt, .dat or .json"
        ));
        assert_eq!(
            read_problem(&odd, Some(ProblemFormat::Qaplib))
                .unwrap()
                .len(),
            1
        );
        assert!(read_problem(&odd, Some(ProblemFormat::Dd)).is_err());
    }

    #[test]
    fn other_words_and_no_words_are_refused() {
        let message = |text: &str| read(text, "f").unwrap_err().to_string();
        let wanted = "expected p or gm (.dd), a number (QAPLIB) or { (JSON)";
        assert_eq!(
            message("c x\nsource,target\n"),
            format!("f, line 2, column 1: found `source,target`, {wanted}")
        );
        for nothing in ["", "\n c\n"] {
            assert_eq!(message(nothing), format!("f: found no problem, {wanted}"));
        }
        let endless = "c\n".repeat(SNIFFED);
        assert_eq!(message(&endless), format!("f: found no problem, {wanted}"));
    }

    #[test]
    fn errors_of_the_program_name_the_file() {
        let text = r#"{"version": 1, "sense": "minimise", "kind": {"explicit":
            {"rows": 1, "cols": 2, "w": [[0, 1], [2, 0]], "unary": [[1]]}}}"#;
        assert_eq!(
            read(text, "f.json").unwrap_err().to_string(),
            "f.json: found in unary a 1×1 matrix, expected 1×2"
        );
        let text = r#"{"version": 1, "sense": "minimise", "kind": {"listed":
            {"rows": 1000000000000000000, "cols": 2, "assignments": [], "pairs": []}}}"#;
        assert!(
            read(text, "f.json")
                .unwrap_err()
                .to_string()
                .starts_with("f.json: a problem of 1000000000000000000×2 nodes would take ")
        );
    }
}
