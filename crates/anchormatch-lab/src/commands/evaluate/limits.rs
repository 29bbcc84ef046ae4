//! `anchormatch-lab evaluate limits`: `best` and `fast` beside a search from the truth.

use std::fmt::Write;

use anchormatch_report::Summary;
use anchormatch_terminal::exit::Outcome;
use anchormatch_terminal::files::{print, write};
use anchormatch_terminal::job::Job;
use anchormatch_terminal::table::Table;
use clap::Args;
use serde_json::{Value, json};

use super::{Common, Lines, Plan};
use crate::commands::data;
use crate::commands::figures::{cells, summary_json, with_error};
use crate::experiments::evaluation::limits::{LimitRow, LimitTrial, run};
use crate::experiments::evaluation::{Group, standard_rows, whole_hotel};

const LONG_ABOUT: &str = "\
Accuracy and time of `best` and `fast`, beside what a search from the truth finds: the same search with \
the truth among its starts, or a short one from the truth alone, whichever ends better.

`search` and `truth` are the shares of trials in which `best` ends at an objective at least as good (to \
one part in a million) as the first and as the second of these; in the others, `failed`, the optimiser \
failed. What `best` gets wrong is split: the optimiser's are the nodes that the better search from the \
truth gets right where it also ends at a better objective; for all others the data prefer another \
matching.

`--rows hotel-all` runs all 5050 pairs of Hotel frames, which takes minutes, and names the imperfect \
ones. With --trials, rows of 100 nodes and more have as many trials as the others.

Seconds are only good with --sequential, where trials run one at a time and each has all threads; \
otherwise trials run side by side and are timed under that load.";

/// Tell the optimiser's errors from those that are in the data
#[derive(Debug, Args)]
#[command(long_about = LONG_ABOUT)]
pub(super) struct Options {
    #[command(flatten)]
    pub(super) common: Common,

    /// Run one trial at a time, so that the seconds mean something
    #[arg(long)]
    sequential: bool,
}

/// The figures of a row.
struct Figures {
    name: String,
    group: Group,
    row: LimitRow,
}

impl Options {
    pub(super) fn run(&self) -> Outcome {
        let common = &self.common;
        let csv_file = data::prepare_out(common.out.as_deref(), "limits.csv")?;
        let mut rows = standard_rows();
        let whole = whole_hotel();
        if common.rows.contains(&whole.name) {
            rows.push(whole);
        }
        let rows = common.select(rows)?;
        let mut plan = common.plan(self.sequential, &rows);
        plan.full = common.trials.is_some();
        let job = Job::start(&common.resources, None, common.json)?;
        let lines = common.measure("limits", rows, &plan, &job, |row, monitor, done| {
            run(&plan, row, monitor, done)
        })?;
        job.finish();
        let figures = figures(&lines);
        let imperfect = imperfect(&lines, &plan);
        if let Some(file) = &csv_file {
            write(file, &csv(&figures))?;
        }
        if common.json {
            let parts = json!({
                "sequential": self.sequential,
                "rows": figures.iter().map(row_json).collect::<Vec<_>>(),
                "imperfect": imperfect.iter().map(Imperfect::json).collect::<Vec<_>>(),
                "missing": lines.missing_json(),
            });
            let document = common.document("limits", lines.complete, parts);
            print(&format!("{document:#}\n"))?;
        } else {
            let found = imperfect.iter().map(Imperfect::text).collect::<String>();
            print(&format!("{}{found}", self.text(&figures, &lines.missing())))?;
        }
        Ok(lines.end())
    }

    fn text(&self, figures: &[Figures], missing: &str) -> String {
        let mut table = Table::new([
            "row",
            "trials",
            "best",
            "fast",
            "from truth",
            "reached: search",
            "truth",
            "failed",
            "wrong: optimiser",
            "wrong: data",
            "s best",
            "s fast",
        ]);
        for Figures { name, row, .. } in figures {
            table.row([
                name.clone(),
                row.best.count.to_string(),
                with_error(&row.best),
                with_error(&row.fast),
                with_error(&row.limit),
                format!("{:.3}", row.reached_search.mean),
                format!("{:.3}", row.reached_truth.mean),
                format!("{:.3}", 1.0 - row.reached.mean),
                format!("{:.4}", row.wrong_by_optimiser.mean),
                format!("{:.4}", row.wrong_by_data.mean),
                format!("{:.4}", row.best_seconds.mean),
                format!("{:.4}", row.fast_seconds.mean),
            ]);
        }
        let how = if self.sequential {
            "one trial at a time with all threads"
        } else {
            "under load, trials side by side (--sequential times them alone)"
        };
        let mut stages = Table::new(["row", "stages of best, seconds"]).with_words([1]);
        for Figures { name, row, .. } in figures {
            let stage = |(name, seconds): &(String, Summary)| format!("{name} {:.4}", seconds.mean);
            let line: Vec<String> = row.stages.iter().map(stage).collect();
            stages.row([name.clone(), line.join(", ")]);
        }
        format!(
            "Accuracy (± standard error) of best, of fast, and of the better search from the truth; the \
             share of trials\nin which best reaches the objective of the same search with the truth among \
             its starts, and of one that holds\non to the truth; what best gets wrong because the \
             optimiser failed, and because the data prefer another\nmatching; seconds, \
             {how}.\n\n{}\n{}{}{missing}",
            table.text(),
            stages.text(),
            if missing.is_empty() { "" } else { "\n" },
        )
    }
}

/// The pairs of Hotel frames of a row on which `best` is not all right.
struct Imperfect {
    row: String,
    trials: usize,
    /// The frames, how many pairs of nodes are right, and whether a search from the truth ends better.
    pairs: Vec<((usize, usize), f64, bool)>,
}

impl Imperfect {
    fn text(&self) -> String {
        let pair = |((from, to), accuracy, failed): &((usize, usize), f64, bool)| {
            let why = if *failed { "the optimiser" } else { "the data" };
            format!("{from}–{to} ({accuracy:.3}, {why})")
        };
        let pairs: Vec<String> = self.pairs.iter().map(pair).collect();
        let list = if pairs.is_empty() { "" } else { ": " };
        format!(
            "\n{}: {} of {} pairs of frames are not all right{list}{}\n",
            self.row,
            self.pairs.len(),
            self.trials,
            pairs.join(", ")
        )
    }

    fn json(&self) -> Value {
        let pairs = self.pairs.iter();
        let pairs = pairs.map(|((from, to), accuracy, failed)| {
            json!({ "frames": [from, to], "best": accuracy, "optimiser_failed": failed })
        });
        json!({ "row": self.row, "pairs": pairs.collect::<Vec<_>>() })
    }
}

fn imperfect(lines: &Lines<LimitTrial>, plan: &Plan) -> Vec<Imperfect> {
    let hotel = lines
        .measured()
        .filter(|(row, _)| row.group == Group::Hotel);
    hotel
        .map(|(row, trials)| {
            let wrong = trials.iter().filter(|trial| trial.best < 1.0);
            let pairs = wrong.filter_map(|trial| {
                let frames = row.frames(plan, trial.trial)?;
                Some((frames, trial.best, !trial.reached()))
            });
            Imperfect {
                row: row.name.clone(),
                trials: trials.len(),
                pairs: pairs.collect(),
            }
        })
        .collect()
}

/// The rows that were measured, and all of Hotel together.
fn figures(lines: &Lines<LimitTrial>) -> Vec<Figures> {
    let mut figures: Vec<Figures> = Vec::new();
    let mut hotel: Vec<LimitTrial> = Vec::new();
    let mut gaps = 0;
    for (row, trials) in lines.measured() {
        if row.group != Group::Hotel && gaps > 1 {
            figures.push(all_hotel(&hotel));
            gaps = 0;
        }
        figures.push(Figures {
            name: row.name.clone(),
            group: row.group,
            row: LimitRow::of(trials),
        });
        if row.group == Group::Hotel {
            hotel.extend_from_slice(trials);
            gaps += 1;
        }
    }
    if gaps > 1 {
        figures.push(all_hotel(&hotel));
    }
    figures
}

fn all_hotel(trials: &[LimitTrial]) -> Figures {
    Figures {
        name: "hotel, all".to_owned(),
        group: Group::Hotel,
        row: LimitRow::of(trials),
    }
}

fn csv(figures: &[Figures]) -> String {
    let mut text = "row,group,trials,best,best_error,fast,fast_error,from_truth,from_truth_error,\
                    reached_search,reached_truth,\
                    reached,wrong_by_optimiser,wrong_by_optimiser_error,wrong_by_data,\
                    wrong_by_data_error,best_seconds,best_seconds_error,fast_seconds,\
                    fast_seconds_error\n"
        .to_owned();
    for Figures { name, group, row } in figures {
        writeln!(
            text,
            "\"{name}\",{},{},{},{},{},{},{},{},{},{},{},{}",
            group.as_str(),
            row.best.count,
            cells(&row.best),
            cells(&row.fast),
            cells(&row.limit),
            row.reached_search.mean,
            row.reached_truth.mean,
            row.reached.mean,
            cells(&row.wrong_by_optimiser),
            cells(&row.wrong_by_data),
            cells(&row.best_seconds),
            cells(&row.fast_seconds),
        )
        .expect("writing into a string cannot fail");
    }
    text
}

fn row_json(figures: &Figures) -> Value {
    let row = &figures.row;
    let stages = row.stages.iter();
    let stages = stages.map(|(name, seconds)| (name.clone(), summary_json(seconds)));
    json!({
        "row": figures.name,
        "group": figures.group.as_str(),
        "best": summary_json(&row.best),
        "fast": summary_json(&row.fast),
        "from_truth": summary_json(&row.limit),
        "reached_search": row.reached_search.mean,
        "reached_truth": row.reached_truth.mean,
        "reached": row.reached.mean,
        "failed": 1.0 - row.reached.mean,
        "wrong_by_optimiser": summary_json(&row.wrong_by_optimiser),
        "wrong_by_data": summary_json(&row.wrong_by_data),
        "best_seconds": summary_json(&row.best_seconds),
        "fast_seconds": summary_json(&row.fast_seconds),
        "best_stages": Value::Object(stages.collect()),
    })
}
