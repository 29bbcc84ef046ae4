//! `anchormatch-lab bench points`: keypoints of two images, beside iterated closest points.

use anchormatch::matcher::{Best, Matcher};
use anchormatch_terminal::exit::Outcome;
use anchormatch_terminal::files::print;
use anchormatch_terminal::job::Job;
use clap::Args;
use serde_json::{Value, json};

use super::{Common, Data};
use crate::commands::ended;
use crate::datasets::hotel::Hotel;
use crate::experiments::points::{FILM_ROWS, PointsRow, PointsTask, ROWS};
use crate::matchers::{Icp, IcpFamily};

const LONG_ABOUT: &str = "\
Match keypoints of two images under turns, shears, perspective, of solid objects and of bent sheets, and tell \
recall, precision, calibration and milliseconds of `best` beside iterated closest points that are told a \
family. 30 common points, 10 and 25 extra ones, 1.5 pixels of noise, 3 anchors, and points may stay alone; the \
house has 51 common points, no extras and 2 anchors, and all of them are matched. In the last rows every point carries \
eight numbers, of which partners share half. With --data, frames of the Hotel film are matched as well, of \
which each lacks five of the thirty landmarks.

Sure is the share that is right of the pairs with a confidence of .99 and more.";

/// Keypoints of two images
#[derive(Debug, Args)]
#[command(long_about = LONG_ABOUT)]
pub(super) struct Options {
    /// Pairs of images a row
    #[arg(long, value_name = "N", default_value_t = 50)]
    trials: u64,

    /// Rows whose scene has this in its name
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,

    /// Anchors, other than those of the row
    #[arg(long, value_name = "N")]
    anchors: Option<usize>,

    /// Match everybody, extras as well
    #[arg(long)]
    everybody: bool,

    #[command(flatten)]
    data: Data,

    #[command(flatten)]
    pub(super) common: Common,
}

impl Options {
    pub(super) fn run(&self) -> Outcome {
        let job = Job::start(&self.common.resources, None, self.common.json)?;
        job.keep();
        let film = self.data.data.as_deref().map(Hotel::load).transpose()?;
        let mut rows = Vec::new();
        self.common.print_row(&job, &header())?;
        let mut complete = true;
        'rows: for task in self.tasks(film.is_some()) {
            for matcher in self.matchers(&task) {
                let (trials, seed) = (self.trials, self.common.seed);
                let (film, monitor) = (film.as_ref(), job.monitor());
                let row = task.measure(matcher.as_ref(), film, trials, seed, monitor)?;
                if job.monitor().interrupted().is_some() {
                    complete = false;
                    break 'rows;
                }
                self.common.print_row(&job, &line(&row))?;
                rows.push(row);
            }
        }
        job.finish();
        if self.common.json {
            print(&format!("{:#}\n", self.report(&rows, complete)))?;
        }
        Ok(ended(complete, ": the last rows are missing"))
    }

    /// The rows that were asked for.
    fn tasks(&self, with_film: bool) -> Vec<PointsTask> {
        let film_rows: &[PointsTask] = if with_film { &FILM_ROWS } else { &[] };
        let rows = ROWS.iter().chain(film_rows);
        let is_asked = |task: &&PointsTask| {
            let part = self.only.as_deref();
            part.is_none_or(|part| task.name.contains(part))
        };
        let with_anchors = |task: &PointsTask| PointsTask {
            anchors: self.anchors.unwrap_or(task.anchors),
            ..*task
        };
        rows.filter(is_asked).map(with_anchors).collect()
    }

    fn matchers(&self, task: &PointsTask) -> Vec<Box<dyn Matcher>> {
        let best = Best::default().with_unmatched(task.has_extras() && !self.everybody);
        if task.descriptors > 0 {
            // The baseline knows places alone.
            return vec![Box::new(best)];
        }
        vec![
            Box::new(best),
            Box::new(Icp(IcpFamily::Similarity)),
            Box::new(Icp(IcpFamily::Affine)),
        ]
    }

    fn report(&self, rows: &[PointsRow], complete: bool) -> Value {
        let rows = rows.iter().map(|row| {
            json!({
                "scene": row.task.name,
                "anchors": row.task.anchors,
                "method": row.method,
                "recall": row.recall,
                "precision": row.precision,
                "sure": row.sure.0,
                "sure_right": row.sure.1,
                "calibration_error": row.calibration,
                "milliseconds": row.milliseconds,
                "models": row.models,
            })
        });
        json!({
            "benchmark": "points",
            "trials": self.trials,
            "seed": self.common.seed,
            "complete": complete,
            "rows": rows.collect::<Vec<_>>(),
        })
    }
}

fn columns(cells: [&str; 8]) -> String {
    let [
        scene,
        method,
        recall,
        precision,
        sure,
        calibration,
        time,
        models,
    ] = cells;
    format!(
        "{scene:<24}{method:<16}{recall:>7}{precision:>11}{sure:>16}{calibration:>7}{time:>10}  {models}\n"
    )
}

fn header() -> String {
    let titles = columns([
        "scene",
        "method",
        "recall",
        "precision",
        "sure",
        "ECE",
        "ms",
        "models",
    ]);
    let rule = "─".repeat(titles.trim_end().chars().count());
    format!("{titles}{rule}\n")
}

fn line(row: &PointsRow) -> String {
    let sure = match row.sure {
        (0, _) => "–".to_owned(),
        (count, right) => format!("{:.3} of {count}", right as f64 / count as f64),
    };
    let models = row
        .models
        .iter()
        .map(|(name, count)| format!("{name} {count}"));
    columns([
        row.task.name,
        &row.method,
        &format!("{:.3}", row.recall),
        &format!("{:.3}", row.precision),
        &sure,
        &format!("{:.3}", row.calibration),
        &format!("{:.1}", row.milliseconds),
        &models.collect::<Vec<_>>().join(" · "),
    ])
}
