//! `anchormatch-lab evaluate outliers`: who is left alone, and who should be.

use std::fmt::Write;

use anchormatch_report::Summary;
use anchormatch_terminal::exit::Outcome;
use anchormatch_terminal::files::{print, write};
use anchormatch_terminal::job::Job;
use anchormatch_terminal::table::Table;
use clap::Args;
use serde_json::{Value, json};

use super::{Common, Lines, share};
use crate::commands::data;
use crate::commands::figures::{cells, summary_json, with_error};
use crate::experiments::evaluation::outliers::{Counts, rows, run};

const LONG_ABOUT: &str = "\
Precision and recall of `best` when nodes may stay alone: of the pairs that it matches, and of the nodes \
that it leaves alone. Rows are named SIDE-COUNT-NOISE: 2 to 10 outliers beside 20 inliers, on both sides \
or in the target alone, at σ = 0, 0.05 and 0.1; and `none-NOISE` without outliers up to σ = 0.3, where \
everyone who is left alone is a false alarm.

`right` is the share of inliers matched right and outliers left alone, together; an outlier that is \
matched is wrong. The other figures are over all trials together.";

/// Count who is rightly and wrongly left alone
#[derive(Debug, Args)]
#[command(long_about = LONG_ABOUT)]
pub(super) struct Options {
    #[command(flatten)]
    pub(super) common: Common,
}

/// The figures of a row.
struct Figures<'a> {
    name: &'a str,
    counts: Counts,
    right: Summary,
}

impl Options {
    pub(super) fn run(&self) -> Outcome {
        let common = &self.common;
        let csv_file = data::prepare_out(common.out.as_deref(), "outliers.csv")?;
        let rows = common.select(rows())?;
        let plan = common.plan(false, &rows);
        let job = Job::start(&common.resources, None, common.json)?;
        let lines = common.measure("outliers", rows, &plan, &job, |row, monitor, done| {
            run(&plan, row, monitor, done)
        })?;
        job.finish();
        let figures = figures(&lines);
        if let Some(file) = &csv_file {
            write(file, &csv(&figures))?;
        }
        if common.json {
            let parts = json!({
                "rows": figures.iter().map(row_json).collect::<Vec<_>>(),
                "missing": lines.missing_json(),
            });
            let document = common.document("outliers", lines.complete, parts);
            print(&format!("{document:#}\n"))?;
        } else {
            print(&text(&figures))?;
            print(&lines.missing())?;
        }
        Ok(lines.end())
    }
}

fn figures(lines: &Lines<Counts>) -> Vec<Figures<'_>> {
    let measured = lines.measured();
    measured
        .map(|(row, trials)| {
            let mut counts = Counts::default();
            trials.iter().for_each(|trial| counts.merge(trial));
            Figures {
                name: &row.name,
                counts,
                right: Summary::of(trials.iter().filter_map(Counts::right)),
            }
        })
        .collect()
}

fn text(figures: &[Figures<'_>]) -> String {
    let mut table = Table::new([
        "row",
        "trials",
        "right",
        "pairs: precision",
        "recall",
        "alone: precision",
        "recall",
        "false alarms",
    ]);
    for Figures {
        name,
        counts,
        right,
    } in figures
    {
        table.row([
            (*name).to_owned(),
            right.count.to_string(),
            with_error(right),
            share(counts.matched_precision()),
            share(counts.matched_recall()),
            share(counts.alone_precision()),
            share(counts.alone_recall()),
            share(counts.false_alarms()),
        ]);
    }
    format!(
        "Who best matches and who it leaves alone: the share of inliers and outliers that are where they \
         belong\n(± standard error), precision and recall of pairs and of nodes left alone, and the share \
         of inliers left alone.\n\n{}",
        table.text()
    )
}

fn csv(figures: &[Figures<'_>]) -> String {
    let mut text = "row,trials,right,right_error,inliers,matched,matched_right,outliers,alone,\
                    alone_right\n"
        .to_owned();
    for Figures {
        name,
        counts,
        right,
    } in figures
    {
        writeln!(
            text,
            "{name},{},{},{},{},{},{},{},{}",
            right.count,
            cells(right),
            counts.inliers,
            counts.matched,
            counts.matched_right,
            counts.outliers,
            counts.alone,
            counts.alone_right,
        )
        .expect("writing into a string cannot fail");
    }
    text
}

fn row_json(figures: &Figures<'_>) -> Value {
    let counts = &figures.counts;
    json!({
        "row": figures.name,
        "right": summary_json(&figures.right),
        "inliers": counts.inliers,
        "matched": counts.matched,
        "matched_right": counts.matched_right,
        "matched_precision": counts.matched_precision(),
        "matched_recall": counts.matched_recall(),
        "outliers": counts.outliers,
        "alone": counts.alone,
        "alone_right": counts.alone_right,
        "alone_precision": counts.alone_precision(),
        "alone_recall": counts.alone_recall(),
        "false_alarms": counts.false_alarms(),
    })
}
