//! What commands that match in order to answer a question have in common: `suggest` and `nominate`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anchormatch::Matching;
use anchormatch::matcher::{Matcher, registry};
use anchormatch::settings::Settings;
use anchormatch_terminal::hints::WORDS;
use clap::Args;
use serde_json::{Value, json};

use crate::args::{Reading, Resources};
use crate::exit::{Done, Failure, say};
use crate::files::check_standard_once;
use crate::input::Files;
use crate::job::Job;
use crate::knowledge::Knowledge;
use crate::method::{REGIMES, Wish, configured, presets};
use crate::sides::{PointsModel, Sides};
use crate::values;

/// What is matched, and how.
#[derive(Debug, Args)]
pub(crate) struct Asking {
    /// The graph to match from; `-` is standard input
    source: PathBuf,

    /// The graph to match to; `-` is standard input
    target: PathBuf,

    /// Known pairs, `source,target[,weight]`: weight 1 or none is certain, below 1 is a soft anchor. An empty
    /// field says that the other node has no partner, `8,` or `,u4`
    #[arg(short, long, value_name = "FILE")]
    anchors: Option<PathBuf>,

    /// Write JSON; an error becomes a JSON object on standard error
    #[arg(long)]
    pub(crate) json: bool,

    /// The method as a whole
    #[arg(long, value_name = "NAME", default_value = "best", value_parser = presets())]
    preset: String,

    /// Let nodes without a partner stay alone
    #[arg(long)]
    allow_unmatched: bool,

    /// Keep all pairs of nodes, or lists of candidates (best, fast): `auto` goes by size and density, `sparse` takes
    /// graphs of any size that the memory holds
    #[arg(long, value_parser = REGIMES)]
    regime: Option<String>,

    /// How two sets of points lie to each other, with --points (best, fast) [default: auto]
    #[arg(long, value_name = "MODEL")]
    points_model: Option<PointsModel>,

    /// Stop the search after so many seconds and answer from what it found; exits with 3
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

/// What came of it.
pub(crate) struct Answered {
    pub(crate) matching: Matching,
    pub(crate) sides: Sides,
    notes: Vec<String>,
}

impl Asking {
    /// Matches, with settings of the command's own; `check` looks at the graphs before the work.
    pub(crate) fn matched(
        &self,
        settings: Settings,
        check: impl FnOnce(&Sides) -> Result<(), Failure>,
    ) -> Result<Answered, Failure> {
        self.check_files()?;
        let matcher = self.matcher(settings)?;
        let job = Job::start(&self.resources, self.time_limit, self.json)?;
        let paths = [self.source.as_path(), self.target.as_path()];
        let files = Files {
            sides: paths,
            anchors: self.anchors.as_deref(),
            similarity: None,
            model: self.points_model,
            reading: &self.reading,
            knowledge: &self.knowledge,
        };
        let input = files.read(matcher.as_ref(), job.max_memory(), check)?;
        let matching = matcher.run(&input.task(&input.anchors)?, job.monitor())?;
        job.finish();
        let mut notes = input.notes(paths);
        notes.extend(matching.notes.iter().map(|note| note.worded(WORDS)));
        Ok(Answered {
            matching,
            sides: input.sides,
            notes,
        })
    }

    fn matcher(&self, mut settings: Settings) -> Result<Box<dyn Matcher>, Failure> {
        let mut set = |name: &str, value: Value| settings.insert(name.to_owned(), value);
        if self.allow_unmatched {
            set("allow_unmatched", json!(true));
        }
        if let Some(model) = self.points_model {
            set("points_model", model.setting());
        }
        let mut wishes = self.knowledge.wishes();
        if let Some(regime) = &self.regime {
            wishes.push(Wish::parameter("--regime", "regime", json!(regime)));
            settings.insert("regime".to_owned(), json!(regime));
        }
        let preset = registry::by_name(&self.preset)?;
        Wish::check(&wishes, preset.as_ref())?;
        configured(preset.as_ref(), settings, self.seed)
    }

    fn check_files(&self) -> Result<(), Failure> {
        let mut inputs: Vec<(_, &Path)> = vec![("SOURCE", &self.source), ("TARGET", &self.target)];
        inputs.extend(self.anchors.as_deref().map(|path| ("--anchors", path)));
        inputs.extend(self.knowledge.inputs());
        check_standard_once(&inputs)
    }
}

impl Answered {
    /// Says what the user should know, and how the work ended.
    pub(crate) fn ended(&self) -> Done {
        for note in &self.notes {
            say(format_args!("note: {note}"));
        }
        if self.matching.status.was_interrupted() {
            Done::Cut
        } else {
            Done::Complete
        }
    }
}
