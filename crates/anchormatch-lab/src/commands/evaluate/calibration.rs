//! `anchormatch-lab evaluate calibration`: confidences against what is right.

use std::fmt::Write;

use anchormatch_terminal::exit::Outcome;
use anchormatch_terminal::files::{print, write};
use anchormatch_terminal::job::Job;
use anchormatch_terminal::table::Table;
use clap::Args;
use serde_json::{Value, json};

use super::{Common, Lines};
use crate::commands::data;
use crate::experiments::evaluation::calibration::{BINS, Reliability, run};
use crate::experiments::evaluation::{Group, reliability_plot, standard_rows};

const LONG_ABOUT: &str = "\
Whether the confidences of `best` mean what they say: of the pairs with a confidence near 0.9, nine out \
of ten should be right. Anchors do not count; a pair of a node that has no partner is wrong.

The expected calibration error (ECE) is the mean distance, over pairs, between the mean confidence of \
a pair's bin and the share that is right there. With --out, calibration.csv has the bins of every row \
and group, and calibration.svg is the reliability diagram. Block models are run only when --rows names \
them.";

/// Compare confidences with what is right
#[derive(Debug, Args)]
#[command(long_about = LONG_ABOUT)]
pub(super) struct Options {
    #[command(flatten)]
    pub(super) common: Common,
}

/// Rows, groups and all pairs.
struct Figures<'a> {
    rows: Vec<(&'a str, Reliability)>,
    groups: Vec<(&'a str, Reliability)>,
    all: Reliability,
}

impl Options {
    pub(super) fn run(&self) -> Outcome {
        let common = &self.common;
        let csv_file = data::prepare_out(common.out.as_deref(), "calibration.csv")?;
        let svg_file = data::prepare_out(common.out.as_deref(), "calibration.svg")?;
        let mut rows = common.select(standard_rows())?;
        rows.retain(|row| !common.rows.is_empty() || row.group != Group::Blocks);
        let plan = common.plan(false, &rows);
        let job = Job::start(&common.resources, None, common.json)?;
        let lines = common.measure("calibration", rows, &plan, &job, |row, monitor, done| {
            run(&plan, row, monitor, done)
        })?;
        job.finish();
        let figures = Figures::of(&lines);
        if let Some(file) = &csv_file {
            write(file, &figures.csv())?;
        }
        if let Some(file) = &svg_file {
            let mut groups = figures.groups.clone();
            groups.push(("all", figures.all));
            write(file, &reliability_plot(&groups)?)?;
        }
        if common.json {
            let parts = json!({
                "all": reliability_json("all", &figures.all),
                "groups": figures.groups.iter().map(|(n, r)| reliability_json(n, r)).collect::<Vec<_>>(),
                "rows": figures.rows.iter().map(|(n, r)| reliability_json(n, r)).collect::<Vec<_>>(),
                "missing": lines.missing_json(),
            });
            let document = common.document("calibration", lines.complete, parts);
            print(&format!("{document:#}\n"))?;
        } else {
            print(&figures.text(&lines.missing()))?;
        }
        Ok(lines.end())
    }
}

impl<'a> Figures<'a> {
    fn of(lines: &'a Lines<Reliability>) -> Self {
        let mut figures = Self {
            rows: Vec::new(),
            groups: Vec::new(),
            all: Reliability::default(),
        };
        for (row, trials) in lines.measured() {
            let mut pairs = Reliability::default();
            trials.iter().for_each(|trial| pairs.merge(trial));
            figures.all.merge(&pairs);
            figures.rows.push((&row.name, pairs));
            let group = row.group.as_str();
            match figures.groups.iter_mut().find(|(name, _)| *name == group) {
                Some((_, sum)) => sum.merge(&pairs),
                None => figures.groups.push((group, pairs)),
            }
        }
        figures
    }

    fn text(&self, missing: &str) -> String {
        let mut bins = Table::new(["confidence", "pairs", "mean confidence", "share right"]);
        for (k, bin) in self.all.bins.iter().enumerate() {
            let (mean, right) = match bin.count {
                0 => ("–".to_owned(), "–".to_owned()),
                _ => (
                    format!("{:.3}", bin.mean_confidence()),
                    format!("{:.3}", bin.share_right()),
                ),
            };
            let [low, high] = ends(k);
            bins.row([
                format!("{low:.1}–{high:.1}"),
                bin.count.to_string(),
                mean,
                right,
            ]);
        }
        let mut errors = Table::new(["rows", "pairs", "mean confidence", "share right", "ECE"]);
        let mut row = |name: &str, pairs: &Reliability| {
            let total = pairs.total();
            let figure = |value: f64| match total.count {
                0 => "–".to_owned(),
                _ => format!("{value:.3}"),
            };
            errors.row([
                name.to_owned(),
                total.count.to_string(),
                figure(total.mean_confidence()),
                figure(total.share_right()),
                figure(pairs.expected_error()),
            ]);
        };
        self.rows.iter().for_each(|(name, pairs)| row(name, pairs));
        for (name, pairs) in &self.groups {
            row(&format!("{name}: all"), pairs);
        }
        row("all", &self.all);
        format!(
            "Confidences of best against what is right, all rows together.\n\n{}\n\
             Expected calibration error by row and group.\n\n{}{}{missing}",
            bins.text(),
            errors.text(),
            if missing.is_empty() { "" } else { "\n" },
        )
    }

    fn csv(&self) -> String {
        let mut text = "level,name,from,to,pairs,mean_confidence,share_right\n".to_owned();
        let rows = self.rows.iter().map(|(name, pairs)| ("row", *name, pairs));
        let groups = self.groups.iter().map(|(n, pairs)| ("group", *n, pairs));
        for (level, name, pairs) in rows.chain(groups).chain([("all", "all", &self.all)]) {
            for (k, bin) in pairs.bins.iter().enumerate() {
                let [low, high] = ends(k);
                let figures = match bin.count {
                    0 => ",".to_owned(),
                    _ => format!("{},{}", bin.mean_confidence(), bin.share_right()),
                };
                writeln!(text, "{level},{name},{low},{high},{},{figures}", bin.count)
                    .expect("writing into a string cannot fail");
            }
        }
        text
    }
}

/// Where a bin begins and ends.
fn ends(bin: usize) -> [f64; 2] {
    [bin, bin + 1].map(|end| end as f64 / BINS as f64)
}

fn reliability_json(name: &str, pairs: &Reliability) -> Value {
    let bins: Vec<Value> = pairs
        .bins
        .iter()
        .enumerate()
        .map(|(k, bin)| {
            let [low, high] = ends(k);
            json!({
                "from": low,
                "to": high,
                "pairs": bin.count,
                "mean_confidence": bin.mean_confidence(),
                "share_right": bin.share_right(),
            })
        })
        .collect();
    let total = pairs.total();
    json!({
        "name": name,
        "pairs": total.count,
        "mean_confidence": total.mean_confidence(),
        "share_right": total.share_right(),
        "expected_calibration_error": pairs.expected_error(),
        "bins": bins,
    })
}
