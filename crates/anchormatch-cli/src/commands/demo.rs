//! `anchormatch demo`: two views of a house, `best` and the paper's six variants, a page to look at.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use anchormatch::linalg::Matrix;
use anchormatch::matcher::{Best, Matcher, Paper, Terms};
use anchormatch::monitor::Progress;
use anchormatch::task::Fact;
use anchormatch::{Anchors, Matching, Task};
use anchormatch_generate::Instance;
use anchormatch_generate::house::{self, View};
use anchormatch_report::{Report, Run, Side, Summary};
use clap::Args;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use serde_json::{Value, json};

use crate::args::Resources;
use crate::exit::{Done, Failure, Outcome};
use crate::files::{check_writable, command_line, print, write};
use crate::job::Job;
use crate::table::Table;

const FROM: View = View {
    pan_degrees: 0.0,
    tilt_degrees: 0.0,
};
/// Far enough that the variants differ, near enough that each finds many: at (10°, 5°) all six are
/// near 0.86, at (45°, 30°) near 0.05.
const TO: View = View {
    pan_degrees: 25.0,
    tilt_degrees: 10.0,
};
const JITTER: f64 = 1.0;
const ANCHORS: usize = 2;
/// Draws of anchors; the first is the one shown.
const DRAWS: usize = 10;

const LONG_ABOUT: &str = "\
See it work: no input is needed.

51 landmarks of a house are seen from two sides, 2 of them are known in both views, and the six \
variants of the paper, which look at distances, and the preset best, which looks at where the landmarks lie, find the \
rest. The table shows how many they find; the page shows which. One draw of anchors is luck, so the mean over ten draws \
stands beside it.";

const EXAMPLES: &str = "\
Examples:
  anchormatch demo                      writes anchormatch-demo.html into the current folder
  anchormatch demo --seed 7 --out house.html
  anchormatch demo --json | jq '.variants[] | {terms, mean_accuracy}'";

/// See it work: no input needed
#[derive(Debug, Args)]
#[command(long_about = LONG_ABOUT, after_help = EXAMPLES)]
pub(crate) struct Options {
    /// Where to write the page
    #[arg(long, value_name = "FILE", default_value = "anchormatch-demo.html")]
    out: PathBuf,

    /// Seed of the noise, the order of the nodes and the anchors
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,

    /// Write the table as JSON
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    resources: Resources,
}

/// One variant's part of the table.
struct Row {
    /// The paper's terms, or the preset.
    name: String,
    matching: Matching,
    accuracy: f64,
    over_draws: Summary,
}

impl Options {
    /// Matches, prints and writes.
    pub(crate) fn run(&self) -> Outcome {
        check_writable(&self.out)?;
        let job = Job::start(&self.resources, None, self.json)?;
        let instance = built_in(TO, self.seed)?;
        let rows = self.rows(&instance, &job)?;
        job.finish();
        write(&self.out, &page(&instance, &rows)?)?;
        if self.json {
            print(&format!("{:#}\n", self.json(&rows)))?;
        } else {
            print(&self.text(&rows))?;
        }
        Ok(Done::Complete)
    }

    /// `best` and the paper's variants: on ten draws of anchors, and once more on the first for the page.
    fn rows(&self, instance: &Instance, job: &Job) -> Result<Vec<Row>, Failure> {
        let papers = Terms::ALL.map(|terms| (terms.as_str(), Paper::with_terms(terms)));
        let papers = papers
            .iter()
            .map(|(name, paper)| (*name, paper as &dyn Matcher));
        let best = Best::default();
        let best: [(&str, &dyn Matcher); 1] = [("best", &best)];
        let matchers: Vec<(&str, &dyn Matcher)> = best.into_iter().chain(papers).collect();
        let place = |points: &Option<Matrix>| points.clone().map(Arc::new);
        let places = (
            place(&instance.source_positions),
            place(&instance.target_positions),
        );
        let (source, target) = (&instance.source, &instance.target);
        let monitor = job.quiet_monitor();
        let run = |matcher: &dyn Matcher, draw: usize| -> anchormatch::Result<(Matching, f64)> {
            let mut rng = ChaCha8Rng::seed_from_u64(self.seed.wrapping_add(1));
            rng.set_stream(draw as u64);
            let anchors = instance.random_anchors(ANCHORS, &mut rng)?;
            let anchors = Anchors::from_indices(source, target, &anchors)?;
            let mut task = Task::new(source, target, &anchors)?;
            if let (Some(from), Some(to)) = &places
                && matcher.facts().contains(&Fact::Points)
            {
                task = task.with_points(Arc::clone(from), Arc::clone(to))?;
            }
            let matching = matcher.run(&task, &monitor)?;
            let accuracy = matching.score(&instance.truth)?.accuracy().unwrap_or(0.0);
            Ok((matching, accuracy))
        };
        let done = AtomicUsize::new(0);
        let accuracies = |draw: usize| -> anchormatch::Result<Vec<f64>> {
            let each = matchers
                .iter()
                .map(|(_, matcher)| Ok(run(*matcher, draw)?.1));
            let row = each.collect();
            job.show(Progress {
                stage: "10 draws",
                done: done.fetch_add(1, Ordering::Relaxed) + 1,
                total: Some(DRAWS),
                value: None,
            });
            row
        };
        let draws = (0..DRAWS).into_par_iter();
        let table: Vec<Vec<f64>> = draws.map(accuracies).collect::<anchormatch::Result<_>>()?;
        // Once more, alone and one after the other: the times are those of a single run.
        let row = |(place, (name, matcher)): (usize, &(&str, &dyn Matcher))| {
            let (matching, accuracy) = run(*matcher, 0)?;
            Ok(Row {
                name: (*name).to_owned(),
                accuracy,
                matching,
                over_draws: Summary::of(table.iter().map(|row| row[place])),
            })
        };
        matchers.iter().enumerate().map(row).collect()
    }

    fn text(&self, rows: &[Row]) -> String {
        let mut table = Table::new([
            "preset or terms",
            "accuracy",
            "mean of 10 draws",
            "objective",
            "iterations",
            "seconds",
        ]);
        for row in rows {
            let Summary {
                mean,
                standard_error,
                ..
            } = row.over_draws;
            table.row([
                row.name.clone(),
                format!("{:.3}", row.accuracy),
                format!("{mean:.3} ± {standard_error:.3}"),
                format!("{:.1}", row.matching.objective),
                row.matching.iterations.to_string(),
                format!("{:.3}", seconds(&row.matching)),
            ]);
        }
        format!(
            "Two views of a house: 51 landmarks, panned by {}° and tilted by {}°, {JITTER} px of noise, \
             {ANCHORS} anchors.\n\n{}\n\
             accuracy: the share of the other {} landmarks that are matched rightly, with the anchors \
             of the page\nand (± standard error) over {DRAWS} random draws of anchors. Objectives of \
             different terms do not compare.\n\nOpen {} in a browser.\n",
            TO.pan_degrees,
            TO.tilt_degrees,
            table.text(),
            house::landmarks().len() - ANCHORS,
            self.out.display(),
        )
    }

    fn json(&self, rows: &[Row]) -> Value {
        let variants: Vec<Value> = rows
            .iter()
            .map(|row| {
                json!({
                    "terms": row.name,
                    "accuracy": row.accuracy,
                    "mean_accuracy": row.over_draws.mean,
                    "standard_error": row.over_draws.standard_error,
                    "draws": row.over_draws.count,
                    "objective": row.matching.objective,
                    "iterations": row.matching.iterations,
                    "status": row.matching.status.as_str(),
                    "seconds": seconds(&row.matching),
                })
            })
            .collect();
        json!({
            "landmarks": house::landmarks().len(),
            "pan_degrees": TO.pan_degrees,
            "tilt_degrees": TO.tilt_degrees,
            "jitter": JITTER,
            "anchors": ANCHORS,
            "seed": self.seed,
            "report": self.out.display().to_string(),
            "variants": variants,
        })
    }
}

/// The house from the front and from another side.
pub(crate) fn built_in(to: View, seed: u64) -> anchormatch::Result<Instance> {
    house::pair(FROM, to, JITTER, seed)
}

/// What the two views are called.
pub(crate) fn view_names(to: View) -> [String; 2] {
    [FROM, to].map(|view| format!("pan {}°, tilt {}°", view.pan_degrees, view.tilt_degrees))
}

/// The wireframe joins landmarks; the target has them in its own order.
pub(crate) fn target_lines(instance: &Instance) -> Vec<(usize, usize)> {
    let mut place = vec![0; instance.target.node_count()];
    for &(source, target) in &instance.truth {
        place[source] = target;
    }
    let lines = house::wireframe().iter();
    lines.map(|&(i, j)| (place[i], place[j])).collect()
}

/// The commands that write the pair into files and match it.
pub(crate) fn generate_words(to: View, seed: u64) -> Vec<String> {
    let (pan, tilt) = (to.pan_degrees, to.tilt_degrees);
    let line = format!(
        "anchormatch generate house --out house --pan {pan} --tilt {tilt} --jitter {JITTER} --seed {seed} && \
         anchormatch match house/source.csv house/target.csv --points"
    );
    line.split(' ').map(str::to_owned).collect()
}

fn page(instance: &Instance, rows: &[Row]) -> Result<String, Failure> {
    let target_lines = target_lines(instance);
    let [source_name, target_name] = view_names(TO);
    let report = Report {
        title: "Two views of a house".into(),
        source: Side {
            name: source_name,
            graph: &instance.source,
            positions: instance.source_positions.as_ref(),
            wireframe: Some(house::wireframe()),
            points: true,
            image: None,
        },
        target: Side {
            name: target_name,
            graph: &instance.target,
            positions: instance.target_positions.as_ref(),
            wireframe: Some(&target_lines),
            points: true,
            image: None,
        },
        runs: rows
            .iter()
            .map(|row| Run {
                name: row.name.clone(),
                matching: &row.matching,
                score: None,
            })
            .collect(),
        truth: Some(&instance.truth),
        command: Some(command_line("anchormatch")),
        around: Vec::new(),
    };
    Ok(report.html()?)
}

fn seconds(matching: &Matching) -> f64 {
    matching.timings.iter().map(|(_, seconds)| seconds).sum()
}
