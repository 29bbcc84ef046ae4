//! The journal of an experiment: one line for each finished trial, appended as they come.
//!
//! The first line says which experiment, seed, data and methods the rest belongs to; a journal of
//! other settings is refused, as its numbers would be mixed with ours. Each line is one JSON object,
//! written by one call, so that a process that is killed leaves at most one torn line, the last, which
//! is dropped when the journal is opened again. Lines are keyed by the point's name and the trial:
//! more trials, or more points, continue the same journal.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use anchormatch::error::{Hint, ParseError};
use anchormatch::{Error, Result};
use serde_json::{Value, json};

use super::entry::Outcome;
use super::protocol::Protocol;

/// What a trial gave, a place for each entry; `None` where it did not run.
pub type Outcomes = Vec<Option<Outcome>>;

/// Trials by point (name) and number.
pub type Trials = HashMap<(String, usize), Outcomes>;

/// An open journal.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: Mutex<File>,
    trials: Trials,
}

impl Journal {
    /// Opens the journal of `protocol` in `folder` and reads what is there, or begins it.
    ///
    /// # Errors
    /// When it belongs to other settings, is damaged before its last line, or cannot be read or written.
    pub fn open(folder: &Path, protocol: &Protocol) -> Result<Self> {
        let path = place(folder, protocol);
        let failed = |source| Error::io(&path, source);
        fs::create_dir_all(folder).map_err(|source| Error::io(folder, source))?;
        let (trials, good) = match fs::read(&path) {
            Ok(bytes) => parse(&bytes, &path, protocol)?,
            Err(error) if error.kind() == ErrorKind::NotFound => (Trials::new(), 0),
            Err(error) => return Err(failed(error)),
        };
        let file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(&path)
            .map_err(failed)?;
        file.set_len(good as u64).map_err(failed)?;
        let journal = Self {
            file: Mutex::new(file),
            trials,
            path: path.clone(),
        };
        if good == 0 {
            journal.write(&header(protocol))?;
        }
        Ok(journal)
    }

    /// What the journal of `protocol` holds; `None` when there is none, or one of other settings.
    #[must_use]
    pub fn peek(folder: &Path, protocol: &Protocol) -> Option<Trials> {
        let path = place(folder, protocol);
        let bytes = fs::read(&path).ok()?;
        let (trials, _) = parse(&bytes, &path, protocol).ok()?;
        (!trials.is_empty()).then_some(trials)
    }

    /// Whether there is a journal of that name, of whatever settings.
    #[must_use]
    pub fn exists(folder: &Path, protocol: &Protocol) -> bool {
        place(folder, protocol).exists()
    }

    /// Removes the journal of that name, of whatever settings.
    ///
    /// # Errors
    /// When it is there and cannot be removed.
    pub fn discard(folder: &Path, protocol: &Protocol) -> Result<()> {
        let path = place(folder, protocol);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(Error::io(path, error)),
            _ => Ok(()),
        }
    }

    /// What it held when it was opened.
    #[must_use]
    pub fn trials(&self) -> &Trials {
        &self.trials
    }

    /// Appends a finished trial.
    ///
    /// # Errors
    /// When the line cannot be written.
    pub fn append(&self, point: &str, trial: usize, outcomes: &[Option<Outcome>]) -> Result<()> {
        let cells: Vec<Value> = outcomes.iter().map(cell).collect();
        self.write(&json!({ "point": point, "trial": trial, "outcomes": cells }))
    }

    fn write(&self, line: &Value) -> Result<()> {
        let text = format!("{line}\n");
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        // One call: whoever kills the process tears this line or none.
        file.write_all(text.as_bytes())
            .map_err(|source| Error::io(&self.path, source))
    }
}

fn place(folder: &Path, protocol: &Protocol) -> PathBuf {
    folder.join(format!("{}.jsonl", protocol.name))
}

/// What all lines of the journal have in common.
fn header(protocol: &Protocol) -> Value {
    let entries: Vec<Value> = protocol
        .entries
        .iter()
        .map(|c| {
            json!({ "name": c.name, "settings": c.settings(), "anchors": c.anchors, "slow": c.slow })
        })
        .collect();
    json!({
        "journal": "anchormatch reproduce",
        "version": env!("CARGO_PKG_VERSION"),
        "experiment": protocol.name,
        "seed": protocol.seed,
        "data": protocol.data,
        "contenders": entries,
    })
}

fn cell(outcome: &Option<Outcome>) -> Value {
    match outcome {
        None => Value::Null,
        Some(o) => json!([
            o.asked,
            o.right,
            o.iterations,
            microseconds(o.seconds),
            microseconds(o.solve_seconds)
        ]),
    }
}

fn microseconds(seconds: f64) -> u64 {
    (seconds * 1e6).round() as u64
}

/// The trials, and how many bytes of the file are whole lines.
fn parse(bytes: &[u8], path: &Path, protocol: &Protocol) -> Result<(Trials, usize)> {
    // What follows the last line break was torn.
    let good = bytes.iter().rposition(|&b| b == b'\n').map_or(0, |k| k + 1);
    let mut trials = Trials::new();
    let damaged = |line: usize, expected: &str| {
        let file = path.display().to_string();
        let fault = ParseError::new(file, "a damaged line", expected).at(Some(line as u64), None);
        Error::from(fault).hinting(&[Hint::StartOver])
    };
    for (k, line) in bytes[..good].split_inclusive(|&b| b == b'\n').enumerate() {
        let value: Value =
            serde_json::from_slice(line).map_err(|_| damaged(k + 1, "a JSON object"))?;
        if k == 0 {
            agree(&value, &header(protocol), path)?;
            continue;
        }
        let trial = record(&value, protocol.entries.len());
        let (key, outcomes) = trial.ok_or_else(|| damaged(k + 1, "a trial"))?;
        trials.entry(key).or_insert(outcomes);
    }
    Ok((trials, good))
}

fn record(value: &Value, entries: usize) -> Option<((String, usize), Outcomes)> {
    let point = value["point"].as_str()?.to_owned();
    let trial = usize::try_from(value["trial"].as_u64()?).ok()?;
    let cells = value["outcomes"].as_array()?;
    if cells.len() != entries {
        return None;
    }
    let number = |value: &Value| u32::try_from(value.as_u64()?).ok();
    let seconds = |value: &Value| Some(value.as_u64()? as f64 / 1e6);
    let outcomes = cells.iter().map(|cell| match cell {
        Value::Null => Some(None),
        Value::Array(figures) => {
            let [asked, right, iterations, total, solve] = figures.as_slice() else {
                return None;
            };
            Some(Some(Outcome {
                asked: number(asked).filter(|&n| n > 0)?,
                right: number(right)?,
                iterations: number(iterations)?,
                seconds: seconds(total)?,
                solve_seconds: seconds(solve)?,
            }))
        }
        _ => None,
    });
    Some(((point, trial), outcomes.collect::<Option<Outcomes>>()?))
}

/// Refuses a journal of other settings, and says which.
fn agree(found: &Value, wanted: &Value, path: &Path) -> Result<()> {
    let keys = [
        "journal",
        "version",
        "experiment",
        "seed",
        "data",
        "contenders",
    ];
    let Some(key) = keys.into_iter().find(|&key| found[key] != wanted[key]) else {
        return Ok(());
    };
    let short = |value: &Value| match value {
        Value::Array(_) => "others".to_owned(),
        value => value.to_string(),
    };
    let found = short(&found[key]);
    let found = format!("a journal of other settings ({key}: {found})");
    let expected = match &wanted[key] {
        Value::Array(_) => format!("the same {key}"),
        value => format!("{key} {value}"),
    };
    let fault = ParseError::new(path.display().to_string(), found, expected).at(Some(1), None);
    Err(Error::from(fault).hinting(&[Hint::StartOver, Hint::OtherFolder]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::reproduce::{Entry, Point};
    use anchormatch_generate::Synthetic;

    fn protocol(seed: u64) -> Protocol {
        let point = Point::synthetic("p", Synthetic::default(), 2, 2, seed);
        let entries = vec![Entry::standard().remove(0), Entry::best()];
        Protocol::sweep("some", "x", vec![(0.0, point)], entries, seed)
    }

    fn outcome(right: u32) -> Option<Outcome> {
        Some(Outcome {
            asked: 18,
            right,
            iterations: 7,
            seconds: 0.001_5,
            solve_seconds: 0.001,
        })
    }

    #[test]
    fn what_was_written_is_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let protocol = protocol(1);
        assert!(Journal::peek(folder.path(), &protocol).is_none());
        let journal = Journal::open(folder.path(), &protocol).unwrap();
        assert!(journal.trials().is_empty());
        journal.append("p", 0, &[outcome(18), None]).unwrap();
        journal
            .append("p \"q\"\n", 1, &[outcome(3), outcome(4)])
            .unwrap();
        drop(journal);
        let trials = Journal::peek(folder.path(), &protocol).unwrap();
        assert_eq!(trials.len(), 2);
        assert_eq!(trials[&("p".to_owned(), 0)], [outcome(18), None]);
        assert_eq!(
            trials[&("p \"q\"\n".to_owned(), 1)],
            [outcome(3), outcome(4)]
        );
        assert_eq!(
            Journal::open(folder.path(), &protocol).unwrap().trials(),
            &trials
        );
        Journal::discard(folder.path(), &protocol).unwrap();
        Journal::discard(folder.path(), &protocol).unwrap();
        assert!(!Journal::exists(folder.path(), &protocol));
    }

    #[test]
    fn a_journal_torn_at_any_byte_loses_its_last_line_at_most() {
        let folder = tempfile::tempdir().unwrap();
        let protocol = protocol(1);
        let journal = Journal::open(folder.path(), &protocol).unwrap();
        for k in 0..3 {
            journal.append("p", k, &[outcome(k as u32), None]).unwrap();
        }
        drop(journal);
        let path = folder.path().join("some.jsonl");
        let whole = fs::read(&path).unwrap();
        for length in 0..=whole.len() {
            fs::write(&path, &whole[..length]).unwrap();
            let lines = whole[..length].iter().filter(|&&b| b == b'\n').count();
            let journal = Journal::open(folder.path(), &protocol).unwrap();
            assert_eq!(journal.trials().len(), lines.saturating_sub(1), "{length}");
            // And what was lost can be written again.
            for k in journal.trials().len()..3 {
                journal.append("p", k, &[outcome(k as u32), None]).unwrap();
            }
            drop(journal);
            assert_eq!(fs::read(&path).unwrap(), whole, "{length}");
        }
    }

    #[test]
    fn other_settings_and_damage_are_named() {
        let folder = tempfile::tempdir().unwrap();
        drop(Journal::open(folder.path(), &protocol(1)).unwrap());
        let error = Journal::open(folder.path(), &protocol(2))
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("other settings (seed: 1)")
                && error.contains("discard it and start over"),
            "{error}"
        );
        assert!(Journal::peek(folder.path(), &protocol(2)).is_none());
        let mut fewer = protocol(1);
        fewer.entries.pop();
        let error = Journal::open(folder.path(), &fewer)
            .unwrap_err()
            .to_string();
        assert!(error.contains("contenders"), "{error}");
        let path = folder.path().join("some.jsonl");
        let header = fs::read_to_string(&path).unwrap();
        for line in [
            "{",
            "{}",
            "{\"point\":\"p\",\"trial\":0,\"outcomes\":[[0,0,0,0,0],null]}",
        ] {
            fs::write(&path, format!("{header}{line}\n")).unwrap();
            let error = Journal::open(folder.path(), &protocol(1))
                .unwrap_err()
                .to_string();
            assert!(error.contains("line 2: found a damaged line"), "{error}");
        }
    }
}
