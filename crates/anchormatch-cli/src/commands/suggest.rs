//! `anchormatch suggest`: which node to ask a person for next.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anchormatch::graph::Labels;
use anchormatch::matcher::{Matcher, registry};
use anchormatch::settings::Settings;
use anchormatch::{Anchors, Matching};
use anchormatch_io::{LoadedGraph, read_pairs};
use clap::Args;
use serde_json::{Value, json};

use crate::args::{Reading, Resources};
use crate::exit::{Done, Failure, Outcome, say};
use crate::files::{check_standard_once, print};
use crate::job::Job;
use crate::knowledge::Knowledge;
use crate::method::{Wish, presets};
use crate::sides::{PointsModel, Sides};
use crate::table::Table;
use crate::values;
use anchormatch_terminal::hints::WORDS;

const LONG_ABOUT: &str = "\
Match the nodes of SOURCE to the nodes of TARGET, and name the nodes of SOURCE whose partners, if a \
person told them, would settle the most.

The gain is the expected number of nodes, the one asked for included, that become right by the answer; \
each row takes the answers to the rows before it for granted. The partner is where the node goes now, \
with its confidence.";

const EXAMPLES: &str = "\
Examples:
  anchormatch suggest old.csv new.csv --anchors known.csv
  anchormatch suggest left.csv right.csv --points --anchors clicked.csv -k 3 --json";

/// Name the nodes whose partners would settle the most
#[derive(Debug, Args)]
#[command(long_about = LONG_ABOUT, after_help = EXAMPLES)]
pub(crate) struct Options {
    /// The graph to match from; `-` is standard input
    source: PathBuf,

    /// The graph to match to; `-` is standard input
    target: PathBuf,

    /// Known pairs, `source,target[,weight]`: weight 1 or none is certain, below 1 is a soft anchor. An empty
    /// field says that the other node has no partner, `8,` or `,u4`
    #[arg(short, long, value_name = "FILE")]
    anchors: Option<PathBuf>,

    /// How many nodes to name
    #[arg(short = 'k', long, value_name = "K", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    count: u32,

    /// Write JSON; an error becomes a JSON object on standard error
    #[arg(long)]
    pub(crate) json: bool,

    /// The method as a whole
    #[arg(long, value_name = "NAME", default_value = "best", value_parser = presets())]
    preset: String,

    /// Let nodes without a partner stay alone
    #[arg(long)]
    allow_unmatched: bool,

    /// How two sets of points lie to each other, with --points (best, fast) [default: auto]
    #[arg(long, value_name = "MODEL")]
    points_model: Option<PointsModel>,

    /// Stop the search after so many seconds and suggest from what it found; exits with 3
    #[arg(long, value_name = "S", value_parser = values::seconds)]
    time_limit: Option<Duration>,

    /// Seed of everything random
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,

    #[command(flatten)]
    reading: Reading,

    #[command(flatten)]
    knowledge: Knowledge,

    #[command(flatten)]
    resources: Resources,
}

impl Options {
    /// Matches and suggests.
    pub(crate) fn run(&self) -> Outcome {
        self.check_files()?;
        let matcher = self.matcher()?;
        let job = Job::start(&self.resources, self.time_limit, self.json)?;
        let paths = [self.source.as_path(), self.target.as_path()];
        let (memory, model) = (job.max_memory(), self.points_model);
        let (matcher, kinds) = (matcher.as_ref(), self.knowledge.kinds());
        let sides = Sides::read(&self.reading, paths, matcher, model, kinds, memory)?;
        let sides = self.knowledge.named(sides)?;
        let (source, target) = (&sides.source, &sides.target);
        let anchors = match &self.anchors {
            Some(path) => {
                let pairs = read_pairs(path)?;
                sides.looked_up(pairs.anchors(&source.graph, &target.graph))?
            }
            None => Anchors::none(),
        };
        let known = self.knowledge.read(&sides, matcher)?;
        let task = known.told_to(sides.task(&anchors)?)?;
        let matching = matcher.run(&task, job.monitor())?;
        job.finish();
        self.tell(&matching, source, target)?;
        for note in sides.notes(paths).iter().chain(&known.notes) {
            say(format_args!("note: {note}"));
        }
        for note in &matching.notes {
            say(format_args!("note: {}", note.worded(WORDS)));
        }
        Ok(if matching.status.was_interrupted() {
            Done::Cut
        } else {
            Done::Complete
        })
    }

    fn matcher(&self) -> Result<Box<dyn Matcher>, Failure> {
        let mut settings = Settings::new();
        settings.insert("seed".to_owned(), json!(self.seed));
        if self.allow_unmatched {
            settings.insert("allow_unmatched".to_owned(), json!(true));
        }
        if let Some(model) = self.points_model {
            settings.insert("points_model".to_owned(), model.setting());
        }
        let matcher = registry::configured(&self.preset, &settings)?;
        Wish::check(&self.knowledge.wishes(), matcher.as_ref())?;
        Ok(matcher)
    }

    fn check_files(&self) -> Result<(), Failure> {
        let mut inputs: Vec<(_, &Path)> = vec![("SOURCE", &self.source), ("TARGET", &self.target)];
        inputs.extend(self.anchors.as_deref().map(|path| ("--anchors", path)));
        inputs.extend(self.knowledge.inputs());
        check_standard_once(&inputs)
    }

    fn tell(
        &self,
        matching: &Matching,
        source: &LoadedGraph,
        target: &LoadedGraph,
    ) -> Result<(), Failure> {
        let rows = rows(
            matching,
            self.count as usize,
            source.graph.labels(),
            target.graph.labels(),
        );
        if self.json {
            return print(&format!("{:#}\n", document(&rows)));
        }
        if rows.is_empty() {
            return print("every node is anchored\n");
        }
        let mut table = Table::new(["node", "gain", "partner", "confidence"]).with_words([2]);
        for row in &rows {
            table.row([
                row.node.clone(),
                format!("{:.3}", row.gain),
                row.partner.clone().unwrap_or_else(|| "–".to_owned()),
                format!("{:.3}", row.confidence),
            ]);
        }
        print(&table.text())
    }
}

/// One suggestion in the ids of the input.
struct Row {
    node: String,
    gain: f64,
    partner: Option<String>,
    confidence: f64,
}

fn rows(matching: &Matching, count: usize, source: &Labels, target: &Labels) -> Vec<Row> {
    let row = |suggestion: anchormatch::matching::Suggestion| {
        let node = suggestion.source;
        let pair = matching.pairs.iter().find(|pair| pair.source == node);
        Row {
            node: source.get(node).into_owned(),
            gain: suggestion.gain,
            partner: pair.map(|pair| target.get(pair.target).into_owned()),
            confidence: pair.map_or(0.0, |pair| pair.confidence),
        }
    };
    matching.suggest(count).into_iter().map(row).collect()
}

fn document(rows: &[Row]) -> Value {
    let row = |row: &Row| {
        json!({
            "source": row.node,
            "gain": row.gain,
            "partner": row.partner,
            "confidence": row.confidence,
        })
    };
    json!({ "suggestions": rows.iter().map(row).collect::<Vec<_>>() })
}
