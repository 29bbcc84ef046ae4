//! What a reproduction leaves behind: tables, figures, the page, the documents and the verdicts.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use anchormatch::{Error, Monitor};
use anchormatch_terminal::exit::Failure;
use anchormatch_terminal::files::{print, write, write_field};
use anchormatch_terminal::table::Table;
use serde_json::{Value, json};

use crate::experiments::reproduce::claims::{Claim, End, Test, claims};
use crate::experiments::reproduce::readings::{Reading, claims_by_reading};
use crate::experiments::reproduce::{About, Book, Document, Experiment, document};

/// Everything that is written, and where.
pub(super) struct Output<'a> {
    pub(super) book: &'a Book,
    pub(super) asked: &'a [Experiment],
    pub(super) data: Option<PathBuf>,
    pub(super) out: &'a Path,
    pub(super) docs: Option<&'a Path>,
    pub(super) command: String,
    pub(super) json: bool,
    pub(super) complete: bool,
}

impl Output<'_> {
    pub(super) fn write(&self) -> Result<(), Failure> {
        for (experiment, results) in self.book.all() {
            let file = |kind: &str| self.out.join(format!("{}{kind}.csv", experiment.as_str()));
            write(&file(""), &results.csv())?;
            write(&file("-trials"), &results.trials_csv())?;
            write(&file("-times"), &results.times_csv())?;
        }
        let claims = claims(self.book);
        write(&self.out.join("claims.csv"), &claims_csv(&claims))?;
        let by_reading = claims_by_reading(self.book);
        if !by_reading.is_empty() {
            let file = self.out.join("claims-by-reading.csv");
            write(&file, &readings_csv(&by_reading))?;
        }
        let about = About {
            command: self.command.clone(),
            data: self.data.clone(),
            complete: self.complete,
        };
        // Whoever stopped the trials wants to see what there is.
        let document = document(self.book, &about, &Monitor::silent())?;
        for figure in document.figures() {
            let file = self.out.join(format!("{}.svg", figure.name));
            write(&file, &figure.svg)?;
        }
        let page = self.out.join("reproduction.html");
        write(&page, &document.html())?;
        if let Some(docs) = self.docs {
            write_docs(docs, &document)?;
        }
        if self.json {
            print(&format!("{:#}\n", self.json(&claims, &by_reading)))
        } else {
            print(&self.text(&claims, &by_reading, &page))
        }
    }

    /// The experiments that could not be run, with their reasons, the same reason once.
    fn absent(&self) -> Vec<(Vec<&'static str>, &str)> {
        let mut absent: Vec<(Vec<&'static str>, &str)> = Vec::new();
        for &experiment in self.asked {
            let Err(reason) = self.book.results(experiment) else {
                continue;
            };
            match absent.iter_mut().find(|(_, other)| *other == reason) {
                Some((names, _)) => names.push(experiment.as_str()),
                None => absent.push((vec![experiment.as_str()], reason)),
            }
        }
        absent
    }

    fn text(&self, claims: &[Claim], by_reading: &[ByReading], page: &Path) -> String {
        let mut table =
            Table::new(["", "where", "verdict", "figure", "first test"]).with_words([1, 2, 3, 4]);
        for (claim, k) in claims.iter().zip(1..) {
            let first = claim.tests.first();
            table.row([
                k.to_string(),
                claim.place.to_owned(),
                claim.verdict().as_str().to_owned(),
                first.map_or_else(String::new, Test::figure),
                first.map_or_else(String::new, |test| test.what.clone()),
            ]);
        }
        let mut text = table.text();
        text.push('\n');
        if !by_reading.is_empty() {
            text += &readings_text(by_reading);
        }
        for (names, reason) in self.absent() {
            writeln!(text, "– {}: {reason}", names.join(", "))
                .expect("writing into a string cannot fail");
        }
        writeln!(text, "The page: {}", page.display()).expect("writing into a string cannot fail");
        text
    }

    fn json(&self, claims: &[Claim], by_reading: &[ByReading]) -> Value {
        let experiments: Vec<Value> = self
            .book
            .all()
            .map(|(experiment, results)| {
                json!({
                    "experiment": experiment.as_str(),
                    "trials": results.len(),
                    "complete": results.complete,
                })
            })
            .collect();
        let missing: Vec<Value> = self
            .absent()
            .into_iter()
            .map(|(names, reason)| json!({ "experiments": names, "reason": reason }))
            .collect();
        let claims: Vec<Value> = claims.iter().map(claim_json).collect();
        json!({
            "complete": self.complete,
            "seed": self.book.setup().seed,
            "experiments": experiments,
            "missing": missing,
            "claims": claims,
            "readings": by_reading
                .iter()
                .map(|(reading, claims)| {
                    let claims: Vec<Value> = claims.iter().map(claim_json).collect();
                    json!({ "reading": reading.name, "about": reading.about, "claims": claims })
                })
                .collect::<Vec<_>>(),
        })
    }
}

type ByReading = (Reading, Vec<Claim>);

/// The claims under every reading: how each test ended.
fn readings_text(by_reading: &[ByReading]) -> String {
    let mut header = vec!["claim".to_owned()];
    header.extend(
        by_reading
            .iter()
            .map(|(reading, _)| reading.name.to_owned()),
    );
    let words: Vec<usize> = (1..header.len()).collect();
    let mut table = Table::new(header).with_words(words);
    for k in 0..by_reading[0].1.len() {
        let mut row = vec![(k + 1).to_string()];
        row.extend(by_reading.iter().map(|(_, claims)| {
            let tests = claims[k].tests.iter();
            let ends: String = tests.map(|test| mark(test.end())).collect();
            if ends.is_empty() {
                "–".to_owned()
            } else {
                ends
            }
        }));
        table.row(row);
    }
    let mut text =
        "The claims under every reading, test by test (✓ holds, ✗ does not, ? open):\n".to_owned();
    text += &table.text();
    text.push('\n');
    for (reading, _) in by_reading {
        writeln!(text, "{}: {}", reading.name, reading.about)
            .expect("writing into a string cannot fail");
    }
    text.push('\n');
    text
}

/// A line for each test of each claim under each reading.
fn readings_csv(by_reading: &[ByReading]) -> String {
    let mut text = String::new();
    for (reading, claims) in by_reading {
        let csv = claims_csv(claims);
        let mut lines = csv.lines();
        let header = lines.next().unwrap_or_default();
        if text.is_empty() {
            text = format!("reading,{header}\n");
        }
        let name = reading.name.replace(',', "");
        for line in lines {
            writeln!(text, "{name},{line}").expect("writing into a string cannot fail");
        }
    }
    text
}

fn mark(end: End) -> &'static str {
    match end {
        End::Passes => "✓",
        End::Open => "?",
        End::Fails => "✗",
    }
}

fn end(test: &Test) -> &'static str {
    match test.end() {
        End::Passes => "passes",
        End::Open => "open",
        End::Fails => "fails",
    }
}

/// NaN and infinity have no place in JSON.
fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}

fn claim_json(claim: &Claim) -> Value {
    let test = |test: &Test| {
        json!({
            "what": test.what,
            "value": finite(test.estimate.value),
            "low": finite(test.estimate.low()),
            "high": finite(test.estimate.high()),
            "end": end(test),
        })
    };
    json!({
        "place": claim.place,
        "quote": claim.quote,
        "verdict": claim.verdict().as_str(),
        "tests": claim.tests.iter().map(test).collect::<Vec<_>>(),
        "missing": claim.missing,
    })
}

/// A line for each test.
fn claims_csv(claims: &[Claim]) -> String {
    let mut text = b"claim,place,verdict,test,figure,end\n".to_vec();
    for (claim, k) in claims.iter().zip(1..) {
        let verdict = claim.verdict().as_str();
        let rows: Vec<[String; 3]> = if claim.tests.is_empty() {
            vec![[
                claim.missing.clone().unwrap_or_default(),
                String::new(),
                String::new(),
            ]]
        } else {
            let row = |test: &Test| [test.what.clone(), test.figure(), end(test).to_owned()];
            claim.tests.iter().map(row).collect()
        };
        for [what, figure, end] in rows {
            let number = k.to_string();
            let fields = [number.as_str(), claim.place, verdict, &what, &figure, &end];
            for (place, field) in fields.into_iter().enumerate() {
                if place > 0 {
                    text.push(b',');
                }
                write_field(&mut text, field).expect("writing into a vector cannot fail");
            }
            text.push(b'\n');
        }
    }
    String::from_utf8(text).expect("fields are text")
}

/// `reproduction.md` and, beside it, the figures that may be published.
fn write_docs(docs: &Path, document: &Document) -> Result<(), Failure> {
    const FOLDER: &str = "reproduction";
    let folder = docs.join(FOLDER);
    fs::create_dir_all(&folder).map_err(|source| Error::io(&folder, source))?;
    for figure in document.figures() {
        let svg = figure.plain.as_ref().unwrap_or(&figure.svg);
        write(&folder.join(format!("{}.svg", figure.name)), svg)?;
    }
    write(&docs.join("reproduction.md"), &document.markdown(FOLDER))
}
