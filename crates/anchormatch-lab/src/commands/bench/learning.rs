//! `anchormatch-lab bench learning`: weights learned from matched pairs, judged on others.

use std::sync::atomic::{AtomicUsize, Ordering};

use anchormatch::matcher::LearningMethod;
use anchormatch::monitor::Progress;
use anchormatch_report::Summary;
use anchormatch_terminal::exit::{Done, Outcome, say};
use anchormatch_terminal::files::print;
use anchormatch_terminal::job::Job;
use anchormatch_terminal::table::Table;
use clap::Args;
use serde_json::{Value, json};

use super::{Common, Data};
use crate::commands::data;
use crate::commands::figures::{summary_json, with_error};
use crate::datasets::hotel::Hotel;
use crate::experiments::learning::{LearningRow, LearningStudy};

const LONG_ABOUT: &str = "\
Learn weights from some pairs of a film and judge them on others, after Caetano et al. (2009): frames of the CMU Hotel \
sequence so far apart, and views of our house. Accuracy without anchors, under equal weights and under learned \
ones.

Hotel is not part of this program: a data folder has cmu_hotel/points.csv. The folder is --data, or what the variable \
ANCHORMATCH_DATA names. Without it the house alone is run.";

const EXAMPLES: &str = "\
Examples:
  anchormatch-lab bench learning --data DIR
  anchormatch-lab bench learning --training 3 --judged 10 --json";

/// Weights learned from matched pairs
#[derive(Debug, Args)]
#[command(long_about = LONG_ABOUT, after_help = EXAMPLES)]
pub(super) struct Options {
    /// Pairs to learn from
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..))]
    training: u16,

    /// Pairs to judge
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..))]
    judged: u16,

    /// Gaps between frames of Hotel
    #[arg(long, value_name = "G,…", value_delimiter = ',', default_values_t = [30, 60, 80, 90])]
    gaps: Vec<usize>,

    /// Differences of pans of the house, in degrees
    #[arg(long, value_name = "P,…", value_delimiter = ',', default_values_t = [10.0, 25.0])]
    pans: Vec<f64>,

    #[command(flatten)]
    data: Data,

    #[command(flatten)]
    pub(super) common: Common,
}

impl Options {
    pub(super) fn run(&self) -> Outcome {
        let study = LearningStudy {
            training: usize::from(self.training),
            judged: usize::from(self.judged),
            gaps: self.gaps.clone(),
            pans: self.pans.clone(),
            methods: LearningMethod::ALL.to_vec(),
            seed: self.common.seed,
        };
        let folder = data::directory(self.data.data.as_deref()).ok();
        let hotel = folder.and_then(|folder| Hotel::load(&folder).ok());
        if hotel.is_none() {
            say("note: there is no Hotel sequence, the house alone is run");
        }
        let job = Job::start(&self.common.resources, None, self.common.json)?;
        let finished = AtomicUsize::new(0);
        let total = study.steps(hotel.is_some());
        let rows = study.run(hotel.as_ref(), &job.quiet_monitor(), || {
            job.show(Progress {
                stage: "learning",
                done: finished.fetch_add(1, Ordering::Relaxed) + 1,
                total: Some(total),
                value: None,
            });
        })?;
        job.finish();
        if self.common.json {
            print(&format!("{:#}\n", document(&rows)))?;
        } else {
            print(&text(&rows))?;
        }
        Ok(Done::Complete)
    }
}

fn text(rows: &[LearningRow]) -> String {
    let mut table =
        Table::new(["pairs", "method", "equal", "learned", "gain, 95 %"]).with_words([1]);
    for row in rows {
        table.row([
            row.pairs.clone(),
            row.method.as_str().to_owned(),
            with_error(&row.equal),
            with_error(&row.learned),
            interval(&row.gain),
        ]);
    }
    table.text()
}

/// The mean with a 95 % interval.
fn interval(values: &Summary) -> String {
    format!("{:+.3}±{:.3}", values.mean, 1.96 * values.standard_error)
}

fn document(rows: &[LearningRow]) -> Value {
    let rows: Vec<Value> = rows
        .iter()
        .map(|row| {
            json!({
                "pairs": row.pairs,
                "method": row.method.as_str(),
                "equal": summary_json(&row.equal),
                "learned": summary_json(&row.learned),
                "gain": summary_json(&row.gain),
            })
        })
        .collect();
    json!({ "benchmark": "learning", "rows": rows })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_told_with_intervals() {
        let row = LearningRow {
            pairs: "hotel, gap 50".into(),
            method: LearningMethod::Mcauley,
            equal: Summary::of([0.5, 0.7]),
            learned: Summary::of([0.6, 1.0]),
            gain: Summary::of([0.1, 0.3]),
        };
        let text = text(std::slice::from_ref(&row));
        assert!(
            text.contains("mcauley") && text.contains("+0.200±0.196"),
            "{text}"
        );
        assert_eq!(document(&[row])["rows"][0]["gain"]["trials"], 2);
    }
}
