//! `anchormatch-lab evaluate ablation`: what each ingredient brings.

use std::fmt::Write;

use anchormatch_terminal::exit::Outcome;
use anchormatch_terminal::files::{print, write};
use anchormatch_terminal::job::Job;
use anchormatch_terminal::table::Table;
use clap::Args;
use serde_json::{Value, json};

use super::Common;
use crate::commands::data;
use crate::commands::figures::{cells, summary_json, with_error};
use crate::experiments::evaluation::ablation::{AblationRow, Variant, rows, run, variants};

const LONG_ABOUT: &str = "\
Accuracy of `best`, of `best` without each of its ingredients, and of `fast`, all on the same trials; \
and what `best` gains over each of the others, trial by trial, with the standard error of that \
difference.";

/// Take the ingredients of `best` out one at a time
#[derive(Debug, Args)]
#[command(long_about = LONG_ABOUT)]
pub(super) struct Options {
    #[command(flatten)]
    pub(super) common: Common,
}

impl Options {
    pub(super) fn run(&self) -> Outcome {
        let common = &self.common;
        let csv_file = data::prepare_out(common.out.as_deref(), "ablation.csv")?;
        let rows = common.select(rows())?;
        let plan = common.plan(false, &rows);
        let variants = variants();
        let job = Job::start(&common.resources, None, common.json)?;
        let lines = common.measure("ablation", rows, &plan, &job, |row, monitor, done| {
            run(&plan, row, &variants, monitor, done)
        })?;
        job.finish();
        let figures: Vec<(&str, AblationRow)> = lines
            .measured()
            .filter(|(_, trials)| !trials.is_empty())
            .map(|(row, trials)| (row.name.as_str(), AblationRow::of(trials)))
            .collect();
        if let Some(file) = &csv_file {
            write(file, &csv(&variants, &figures))?;
        }
        if common.json {
            let parts = json!({
                "rows": figures.iter().map(|row| row_json(&variants, row)).collect::<Vec<_>>(),
                "missing": lines.missing_json(),
            });
            let document = common.document("ablation", lines.complete, parts);
            print(&format!("{document:#}\n"))?;
        } else {
            print(&text(&variants, &figures))?;
            print(&lines.missing())?;
        }
        Ok(lines.end())
    }
}

/// Variants in rows, rows in columns.
fn text(variants: &[Variant], figures: &[(&str, AblationRow)]) -> String {
    let header = || {
        ["variant"]
            .into_iter()
            .chain(figures.iter().map(|row| row.0))
    };
    let (mut accuracy, mut gain) = (Table::new(header()), Table::new(header()));
    let trials = figures
        .iter()
        .map(|(_, row)| row.accuracy[0].count.to_string());
    accuracy.row(["trials".to_owned()].into_iter().chain(trials));
    for (place, variant) in variants.iter().enumerate() {
        let name = || [variant.name.to_owned()].into_iter();
        let cells = figures
            .iter()
            .map(|(_, row)| with_error(&row.accuracy[place]));
        accuracy.row(name().chain(cells));
        if place > 0 {
            let cells = figures.iter().map(|(_, row)| with_error(&row.gain[place]));
            gain.row(name().chain(cells));
        }
    }
    format!(
        "Accuracy (± standard error) on the same trials.\n\n{}\n\
         What best gains over each variant, trial by trial (± standard error).\n\n{}",
        accuracy.text(),
        gain.text()
    )
}

fn csv(variants: &[Variant], figures: &[(&str, AblationRow)]) -> String {
    let mut text = "row,variant,trials,accuracy,accuracy_error,gain,gain_error\n".to_owned();
    for (name, row) in figures {
        for (place, variant) in variants.iter().enumerate() {
            let accuracy = &row.accuracy[place];
            writeln!(
                text,
                "{name},{},{},{},{}",
                variant.name,
                accuracy.count,
                cells(accuracy),
                cells(&row.gain[place]),
            )
            .expect("writing into a string cannot fail");
        }
    }
    text
}

fn row_json(variants: &[Variant], (name, row): &(&str, AblationRow)) -> Value {
    let variants: Vec<Value> = variants
        .iter()
        .enumerate()
        .map(|(place, variant)| {
            json!({
                "variant": variant.name,
                "accuracy": summary_json(&row.accuracy[place]),
                "gain_of_best": summary_json(&row.gain[place]),
            })
        })
        .collect();
    json!({ "row": name, "variants": variants })
}
