//! `anchormatch-lab bench suggest`: asking for suggested nodes against asking for random ones.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use anchormatch::matcher::Best;
use anchormatch::monitor::Progress;
use anchormatch_generate::Synthetic;
use anchormatch_report::Summary;
use anchormatch_terminal::exit::{Done, Outcome};
use anchormatch_terminal::files::print;
use anchormatch_terminal::job::Job;
use anchormatch_terminal::table::Table;
use anchormatch_terminal::values;
use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use super::Common;
use crate::experiments::suggest::{Asked, Graphs, SuggestResult, SuggestStudy};

const LONG_ABOUT: &str = "\
Match pairs of graphs from a few random anchors, ask for one more node, and match again: once for the \
node that `anchormatch suggest` names, once for a random one, with a person who always knows. Tells \
the share of all nodes that are right by the number of anchors, and how many anchors it takes to \
reach the accuracy wanted.";

const EXAMPLES: &str = "\
Examples:
  anchormatch-lab bench suggest
  anchormatch-lab bench suggest --graphs house --first 1 --last 6 --trials 100 --json";

/// Suggested against random anchors
#[derive(Debug, Args)]
#[command(long_about = LONG_ABOUT, after_help = EXAMPLES)]
pub(super) struct Options {
    /// The graphs
    #[arg(long, value_name = "KIND", default_value = "synthetic")]
    graphs: Kind,

    /// Nodes of synthetic graphs
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..=1000))]
    nodes: u16,

    /// Noise: σ of synthetic weights [default: 0.3], pixels for the house [default: 1]
    #[arg(long, value_name = "S", value_parser = values::nonnegative)]
    noise: Option<f64>,

    /// Random anchors at the start
    #[arg(long, value_name = "N", default_value_t = 2)]
    first: u16,

    /// Anchors at the end
    #[arg(long, value_name = "N", default_value_t = 8)]
    last: u16,

    /// Pairs of graphs
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    trials: u32,

    /// The accuracy to reach
    #[arg(long, value_name = "A", default_value_t = 0.95, value_parser = values::nonnegative)]
    wanted: f64,

    /// Match with preset fast
    #[arg(long)]
    fast: bool,

    #[command(flatten)]
    pub(super) common: Common,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// Random complete graphs with noise
    Synthetic,
    /// Random views of a house
    House,
}

impl Options {
    pub(super) fn run(&self) -> Outcome {
        let study = SuggestStudy {
            graphs: match self.graphs {
                Kind::Synthetic => Graphs::Synthetic(Synthetic {
                    inliers: usize::from(self.nodes),
                    noise: self.noise.unwrap_or(0.3),
                    ..Synthetic::default()
                }),
                Kind::House => Graphs::House {
                    jitter: self.noise.unwrap_or(1.0),
                },
            },
            first: usize::from(self.first),
            last: usize::from(self.last),
            trials: self.trials as usize,
            wanted: self.wanted,
            matcher: Arc::new(if self.fast {
                Best::fast()
            } else {
                Best::default()
            }),
            seed: self.common.seed,
        };
        let job = Job::start(&self.common.resources, None, self.common.json)?;
        let finished = AtomicUsize::new(0);
        let result = study.run(&job.quiet_monitor(), || {
            job.show(Progress {
                stage: "suggest",
                done: finished.fetch_add(1, Ordering::Relaxed) + 1,
                total: Some(study.trials),
                value: None,
            });
        })?;
        job.finish();
        if self.common.json {
            print(&format!("{:#}\n", document(&study, &result)))?;
        } else {
            print(&text(&study, &result))?;
        }
        Ok(Done::Complete)
    }
}

fn text(study: &SuggestStudy, result: &SuggestResult) -> String {
    let with_error = |s: &Summary| format!("{:.3} ± {:.3}", s.mean, s.standard_error);
    let mut table = Table::new(["anchors", "suggested", "random", "difference"]);
    for (k, anchors) in result.anchors.iter().enumerate() {
        table.row([
            anchors.to_string(),
            with_error(&result.suggested.accuracy[k]),
            with_error(&result.random.accuracy[k]),
            with_error(&result.difference[k]),
        ]);
    }
    let needed = |asked: &Asked| {
        format!(
            "{:.2} ± {:.2} anchors ({:.0} % of the trials got there)",
            asked.needed.mean,
            asked.needed.standard_error,
            100.0 * asked.reached
        )
    };
    format!(
        "{}\nOver {} trials. To reach {}: suggested {}, random {}.\n",
        table.text(),
        study.trials,
        study.wanted,
        needed(&result.suggested),
        needed(&result.random),
    )
}

fn document(study: &SuggestStudy, result: &SuggestResult) -> Value {
    let summary = |s: &Summary| json!({"mean": s.mean, "standard_error": s.standard_error});
    let all = |list: &[Summary]| list.iter().map(summary).collect::<Vec<_>>();
    let asked = |asked: &Asked| {
        json!({
            "accuracy": all(&asked.accuracy),
            "needed": summary(&asked.needed),
            "reached": asked.reached,
        })
    };
    json!({
        "benchmark": "suggest",
        "trials": study.trials,
        "seed": study.seed,
        "wanted": study.wanted,
        "anchors": result.anchors,
        "suggested": asked(&result.suggested),
        "random": asked(&result.random),
        "difference": all(&result.difference),
        "saved": summary(&result.saved),
    })
}
