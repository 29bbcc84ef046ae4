//! The anchors file, which is always whole, and the journal beside it, to which every change is appended.
//!
//! A line of the journal is one JSON object, written by one call; what a kill tears is the last line at most, and it
//! is dropped when the journal is opened again. The first line has the anchors from which all of it began. Nodes stand
//! there by their ids, so that the files of the graphs may be sorted anew in between.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use anchormatch::error::ParseError;
use anchormatch::graph::Labels;
use anchormatch::{Anchors, Error, Graph, Result};
use anchormatch_io::{write_anchors, write_whole};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::choices::Choices;
use crate::decisions::{Change, Decided, History, Row, Step, Which, rows_of};

/// What the first line calls itself.
const KIND: &str = "anchormatch studio";
const VERSION: u64 = 1;

/// A line of the journal after the first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Line {
    Step(Step<String>),
    Undo,
    Redo,
    /// What was chosen, beside what the caller had asked for.
    Chosen {
        now: Choices,
        of: Choices,
    },
}

#[derive(Serialize, Deserialize)]
struct Head {
    journal: String,
    version: u64,
    base: Vec<Row<String>>,
}

/// Where decisions are kept.
#[derive(Debug)]
pub(crate) struct Journal {
    anchors: PathBuf,
    path: PathBuf,
    base: Vec<Row<String>>,
    /// The journal's length, when this program wrote it last.
    length: u64,
}

/// What was found at the beginning.
pub(crate) struct Opened {
    pub(crate) journal: Journal,
    pub(crate) history: History,
    /// What was chosen last, if the caller asks for the same as then.
    pub(crate) choices: Option<Choices>,
    pub(crate) notes: Vec<String>,
}

/// The name of the journal of an anchors file.
pub(crate) fn journal_of(anchors: &Path) -> PathBuf {
    beside(anchors, "journal")
}

/// The file called like `path` with one more extension.
pub(crate) fn beside(path: &Path, extension: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".");
    name.push(extension);
    path.with_file_name(name)
}

impl Journal {
    /// Reads what there is: `found` is what the anchors file says, `None` when there is no such file; `beginning` is
    /// where to start when there is no journal either.
    pub(crate) fn open(
        anchors: &Path,
        found: Option<&Anchors>,
        beginning: &Anchors,
        graphs: [&Graph; 2],
        asked_for: &Choices,
    ) -> Result<Opened> {
        let path = journal_of(anchors);
        let labels = graphs.map(Graph::labels);
        let text = match fs::read(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(Error::io(&path, error)),
        };
        // A torn line has no end.
        let whole = text.iter().rposition(|b| *b == b'\n').map_or(0, |k| k + 1);
        if whole == 0 {
            let first = found.unwrap_or(beginning);
            let base = ids(&rows_of(first), labels);
            return Ok(Opened {
                journal: Self {
                    anchors: anchors.to_owned(),
                    path,
                    base,
                    length: 0,
                },
                history: History::new(Decided::of(first)),
                choices: None,
                notes: Vec::new(),
            });
        }
        let mut notes = Vec::new();
        if whole < text.len() {
            let file = OpenOptions::new().write(true).open(&path);
            let cut = file.and_then(|file| file.set_len(whole as u64));
            cut.map_err(|error| Error::io(&path, error))?;
            notes.push("the last line of the journal was torn and is left out".to_owned());
        }
        let mut reader = Reader {
            path: &path,
            labels,
            history: History::default(),
            before: None,
            choices: None,
        };
        let text = String::from_utf8_lossy(&text[..whole]).into_owned();
        let mut lines = (1..).zip(text.lines());
        let head = reader.head(lines.next().map_or("", |(_, line)| line))?;
        for (number, line) in lines {
            reader.line(number, line, asked_for)?;
        }
        let Reader {
            history,
            before,
            choices,
            ..
        } = reader;
        let mut opened = Opened {
            journal: Self {
                anchors: anchors.to_owned(),
                path,
                base: head.base,
                length: whole as u64,
            },
            history,
            choices,
            notes,
        };
        opened.reconcile(found, before.as_ref(), graphs)?;
        Ok(opened)
    }

    /// The anchors file.
    pub(crate) fn anchors(&self) -> &Path {
        &self.anchors
    }

    /// Appends a line, all of it or nothing. It outlives this program at once, and the machine once the file that is
    /// handed back is [kept](Self::keep), for which nothing else has to wait.
    #[must_use = "the line is to be kept"]
    pub(crate) fn append(&mut self, line: &Line) -> Result<File> {
        let failed = |error| Error::io(&self.path, error);
        let mut text = String::new();
        if self.length == 0 {
            let head = json!({ "journal": KIND, "version": VERSION, "base": self.base });
            text += &format!("{head}\n");
        }
        let line = serde_json::to_value(line).map_err(|e| failed(e.into()))?;
        text += &format!("{line}\n");
        let mut file = OpenOptions::new()
            .append(true)
            .create(true)
            .open(&self.path)
            .map_err(failed)?;
        let length = file.metadata().map_err(failed)?.len();
        if length != self.length {
            let found = "lines of another program";
            let expected =
                "a journal that no other studio writes to: close one of them, and start again";
            let name = self.path.display().to_string();
            return Err(ParseError::new(name, found, expected).into());
        }
        if let Err(error) = file.write_all(text.as_bytes()) {
            // What was written of the line must not stand before the next one.
            let _ = file.set_len(length);
            return Err(failed(error));
        }
        self.length = length + text.len() as u64;
        Ok(file)
    }

    /// Waits until the disk has what was [appended](Self::append) to the journal of `anchors`.
    pub(crate) fn keep(anchors: &Path, appended: &File) -> Result<()> {
        let kept = appended.sync_data();
        kept.map_err(|error| Error::io(journal_of(anchors), error))
    }

    /// Writes the anchors file anew, whole or not at all.
    pub(crate) fn write_anchors(file: &Path, anchors: &Anchors, graphs: [&Graph; 2]) -> Result<()> {
        let [source, target] = graphs.map(Graph::labels);
        write_whole(file, |out| write_anchors(out, source, target, anchors))
    }

    /// Refuses a place where no journal can be written, before the work.
    pub(crate) fn check(&self) -> Result<()> {
        let directory = match self.path.parent() {
            Some(parent) if parent != Path::new("") => parent,
            _ => Path::new("."),
        };
        match fs::metadata(directory) {
            Ok(found) if found.is_dir() => {}
            Ok(_) => {
                let name = self.anchors.display().to_string();
                let found = format!("no directory {}", directory.display());
                return Err(ParseError::new(name, found, "a directory to keep anchors in").into());
            }
            Err(error) => return Err(Error::io(directory, error)),
        }
        if self.path.exists() {
            let opened: std::io::Result<File> = OpenOptions::new().append(true).open(&self.path);
            opened.map_err(|error| Error::io(&self.path, error))?;
        }
        Ok(())
    }
}

impl Opened {
    /// Compares the journal with the anchors file, which others may have written since; `before` is what held
    /// before the journal's last line.
    fn reconcile(
        &mut self,
        found: Option<&Anchors>,
        before: Option<&Decided>,
        graphs: [&Graph; 2],
    ) -> Result<()> {
        let [source, target] = graphs;
        let file = found.map(Decided::of);
        let says = |decided: &Decided| -> Result<Decided> {
            Ok(Decided::of(&decided.anchors(source, target)?))
        };
        let now = says(self.history.now())?;
        match &file {
            Some(file) if *file == now => return Ok(()),
            // A kill came between the journal and the file, or the file was removed.
            None => {}
            Some(file) if before.is_some_and(|b| says(b).is_ok_and(|b| b == *file)) => {}
            Some(_) => {
                let rows = rows_of(found.expect("a file was found"));
                let change = Change::Read { rows };
                let step = Step {
                    change,
                    asked: false,
                };
                self.notes.push(
                    "the anchors file was changed by others since: it is read again, and undo goes back"
                        .to_owned(),
                );
                let appended = self.journal.append(&Line::Step(Step {
                    change: named(&step.change, graphs.map(Graph::labels)),
                    asked: false,
                }))?;
                Journal::keep(self.journal.anchors(), &appended)?;
                self.history.push(step);
                return Ok(());
            }
        }
        let anchors = self.history.now().anchors(source, target)?;
        Journal::write_anchors(self.journal.anchors(), &anchors, graphs)
    }
}

/// A change with the ids of its nodes.
pub(crate) fn named(change: &Change<usize>, labels: [&Labels; 2]) -> Change<String> {
    let name =
        |side: Which, node: &usize| -> std::result::Result<String, std::convert::Infallible> {
            Ok(labels[side.number()].get(*node).into_owned())
        };
    match change.renamed(&name) {
        Ok(change) => change,
        Err(never) => match never {},
    }
}

fn ids(rows: &[Row<usize>], labels: [&Labels; 2]) -> Vec<Row<String>> {
    match named(
        &Change::Read {
            rows: rows.to_vec(),
        },
        labels,
    ) {
        Change::Read { rows } => rows,
        _ => unreachable!("a change keeps its kind"),
    }
}

struct Reader<'a> {
    path: &'a Path,
    labels: [&'a Labels; 2],
    history: History,
    /// What held before the last line.
    before: Option<Decided>,
    choices: Option<Choices>,
}

impl Reader<'_> {
    fn fault(&self, line: u64, found: impl Into<String>, expected: &str) -> Error {
        let mut error = ParseError::new(self.path.display().to_string(), found, expected);
        error.line = Some(line);
        error.into()
    }

    fn change(&self, number: u64, change: &Change<String>) -> Result<Change<usize>> {
        change.renamed(&|side: Which, id: &String| {
            let labels = self.labels[side.number()];
            labels.find(id).ok_or_else(|| {
                let found = format!("the unknown id `{id}`");
                let expected =
                    "ids of these graphs; the journal of other graphs has to be moved away";
                self.fault(number, found, expected)
            })
        })
    }

    fn head(&mut self, line: &str) -> Result<Head> {
        let head: Option<Head> = serde_json::from_str(line).ok();
        let head = head.filter(|head| head.journal == KIND);
        let Some(head) = head else {
            let expected = "the journal of a studio; a file that is none has to be moved away";
            return Err(self.fault(1, "something else", expected));
        };
        if head.version != VERSION {
            let found = format!("a journal of version {}", head.version);
            return Err(self.fault(1, found, "version 1, or a newer program"));
        }
        let rows = head.base.clone();
        let mut decided = History::default();
        decided.push(Step {
            change: self.change(1, &Change::Read { rows })?,
            asked: false,
        });
        self.history = History::new(decided.now().clone());
        Ok(head)
    }

    fn line(&mut self, number: u64, line: &str, asked_for: &Choices) -> Result<()> {
        let expected = "a change, undo, redo or what was chosen";
        let value: Value =
            serde_json::from_str(line).map_err(|e| self.fault(number, e.to_string(), expected))?;
        let line: Line = serde_json::from_value(value)
            .map_err(|e| self.fault(number, e.to_string(), expected))?;
        if !matches!(line, Line::Chosen { .. }) {
            self.before = Some(self.history.now().clone());
        }
        match line {
            Line::Step(step) => self.history.push(Step {
                change: self.change(number, &step.change)?,
                asked: step.asked,
            }),
            Line::Undo => {
                self.history.undo();
            }
            Line::Redo => {
                self.history.redo();
            }
            Line::Chosen { now, of } => self.choices = (of == *asked_for).then_some(now),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anchormatch_io::read_pairs;

    fn graph() -> Graph {
        let names = ["a", "b", "<i>c</i>", "d,e"].map(String::from).to_vec();
        let graph = Graph::from_edges(4, &[(0, 1, 1.0), (1, 2, 1.0), (2, 3, 1.0)]).unwrap();
        graph.with_labels(Labels::new(names).unwrap()).unwrap()
    }

    fn open(path: &Path) -> Result<Opened> {
        let graph = graph();
        let found = match path.exists() {
            true => Some(read_pairs(path)?.anchors(&graph, &graph)?),
            false => None,
        };
        Journal::open(
            path,
            found.as_ref(),
            &Anchors::none(),
            [&graph, &graph],
            &Choices::default(),
        )
    }

    fn say(opened: &mut Opened, change: Change<usize>) {
        let graph = graph();
        let labels = [graph.labels(), graph.labels()];
        let line = Line::Step(Step {
            change: named(&change, labels),
            asked: true,
        });
        let appended = opened.journal.append(&line).unwrap();
        Journal::keep(opened.journal.anchors(), &appended).unwrap();
        opened.history.push(Step {
            change,
            asked: true,
        });
        let anchors = opened.history.now().anchors(&graph, &graph).unwrap();
        let file = opened.journal.anchors();
        Journal::write_anchors(file, &anchors, [&graph, &graph]).unwrap();
    }

    fn anchor(source: usize, target: usize) -> Change<usize> {
        Change::Anchor { source, target }
    }

    fn pairs(opened: &Opened) -> Vec<(usize, usize)> {
        opened.history.now().hard().collect()
    }

    #[test]
    fn decisions_survive_and_can_be_undone_later() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("anchors.csv");
        let mut first = open(&path).unwrap();
        assert!(!path.exists() && !journal_of(&path).exists());
        say(&mut first, anchor(0, 2));
        say(&mut first, anchor(3, 3));
        say(&mut first, Change::Unsure { source: 1 });
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(text, "source,target\na,<i>c</i>\n\"d,e\",\"d,e\"\n");
        let mut again = open(&path).unwrap();
        assert_eq!(pairs(&again), [(0, 2), (3, 3)]);
        assert_eq!(again.history.asked(), 3);
        assert!(again.history.undo() && again.history.undo());
        assert_eq!(pairs(&again), [(0, 2)]);
    }

    #[test]
    fn a_torn_line_and_a_kill_in_between_lose_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("anchors.csv");
        let mut first = open(&path).unwrap();
        say(&mut first, anchor(0, 2));
        let old = fs::read(&path).unwrap();
        say(&mut first, anchor(1, 1));
        // The journal was ahead of the file.
        fs::write(&path, &old).unwrap();
        let again = open(&path).unwrap();
        assert_eq!(pairs(&again), [(0, 2), (1, 1)]);
        assert_ne!(fs::read(&path).unwrap(), old);
        // Half a line at the end.
        let mut text = fs::read(journal_of(&path)).unwrap();
        let whole = text.len();
        text.extend(b"{\"step\":{\"chan");
        fs::write(journal_of(&path), &text).unwrap();
        let again = open(&path).unwrap();
        assert_eq!(pairs(&again), [(0, 2), (1, 1)]);
        assert!(again.notes[0].contains("torn"));
        assert_eq!(fs::read(journal_of(&path)).unwrap().len(), whole);
    }

    #[test]
    fn a_file_that_others_changed_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("anchors.csv");
        let mut first = open(&path).unwrap();
        say(&mut first, anchor(0, 2));
        say(&mut first, anchor(1, 1));
        fs::write(&path, "source,target\nb,a\n").unwrap();
        let mut again = open(&path).unwrap();
        assert_eq!(pairs(&again), [(1, 0)]);
        assert!(again.notes[0].contains("changed by others"));
        again.history.undo();
        assert_eq!(pairs(&again), [(0, 2), (1, 1)]);
        let once_more = open(&path).unwrap();
        assert_eq!(pairs(&once_more), [(1, 0)]);
        assert!(once_more.notes.is_empty());
    }

    #[test]
    fn faults_name_the_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("anchors.csv");
        let mut first = open(&path).unwrap();
        say(&mut first, anchor(0, 2));
        let text = fs::read_to_string(journal_of(&path)).unwrap();
        for (damaged, words) in [
            (
                text.replace("\"a\"", "\"zoe\""),
                "line 2: found the unknown id `zoe`",
            ),
            (text.replace(KIND, "diary"), "line 1: found something else"),
            (text.replace("anchor\"", "ancora\""), "line 2"),
        ] {
            fs::write(journal_of(&path), damaged).unwrap();
            let error = open(&path).err().unwrap().to_string();
            assert!(error.contains(words), "{error}");
        }
    }

    #[test]
    fn two_programs_do_not_write_one_journal() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("anchors.csv");
        let (mut one, mut two) = (open(&path).unwrap(), open(&path).unwrap());
        say(&mut one, anchor(0, 2));
        let error = two.journal.append(&Line::Undo).unwrap_err().to_string();
        assert!(error.contains("another program"), "{error}");
    }
}
