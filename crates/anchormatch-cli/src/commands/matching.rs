//! `anchormatch match`: two graphs in, pairs out.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anchormatch::Matching;
use anchormatch::matcher::Matcher;
use anchormatch::matching::{Expected, Note, Score};
use anchormatch::solver::Status;
use anchormatch_io::{
    LoadedGraph, PairTable, write_alternatives_csv, write_matching_csv, write_matching_json,
    write_unmatched_csv, write_whole,
};
use anchormatch_report::{Image, Report, Run, Side};
use clap::Args;

use crate::args::{Output, Reading, Resources};
use crate::exit::{Done, Failure, Outcome, say};
use crate::files::{
    check_distinct, check_standard_once, check_writable, command_line, has_extension, is_standard,
    name, write,
};
use crate::headers::TableKind;
use crate::input::{Files, Input};
use crate::job::Job;
use crate::knowledge::Knowledge;
use crate::method::Method;
use crate::sides::Sides;
use crate::values;
use anchormatch_terminal::hints::WORDS;

const LONG_ABOUT: &str = "\
Match the nodes of SOURCE to the nodes of TARGET.

Anchors are pairs that are known: they are kept, and everything else is found with their help. The \
result has one row for each matched node of SOURCE, in the ids of the input, with a confidence \
between 0 and 1 (anchors have 1): with the presets best and fast, the probability that the pair is \
right.";

const EXAMPLES: &str = "\
Examples:
  Two edge lists, a few known pairs, the result on the screen:
    anchormatch match old.csv new.csv --anchors known.csv

  Points that were clicked in two images, with a page to look at:
    anchormatch match left.csv right.csv --points --anchors clicked.csv \\
        --output pairs.csv --report report.html \\
        --source-image left.jpg --target-image right.jpg

  Keypoints of a wall in two photographs, some without a partner:
    anchormatch match left.csv right.csv --points --points-model projective --allow-unmatched

  How well does it do? Compare with a known answer, as JSON, within ten seconds:
    anchormatch match a.graphml b.graphml --anchors known.csv --truth truth.csv --json \\
        --time-limit 10

  A false pair costs: keep what is right with nine chances in ten, and see who else it could be:
    anchormatch match old.csv new.csv --anchors known.csv --min-confidence 0.9 \\
        --alternatives others.csv --top 10

  Some nodes have no partner, and one of the anchors may be wrong:
    anchormatch match old.csv new.csv --anchors known.csv --allow-unmatched --repair-anchors

  Nodes without edges, which a list of edges does not name:
    anchormatch match a.csv b.csv --source-nodes a_nodes.csv --target-nodes b_nodes.csv

  Tables with what is known of the nodes; partners have the same type, and only some are possible:
    anchormatch match a.csv b.csv --source-nodes a_nodes.csv --target-nodes b_nodes.csv \\
        --same type --attributes name,age --candidates possible.csv

  Edges of several layers, a column of the edge lists:
    anchormatch match a.csv b.csv --layers layer --anchors known.csv

  An anchors file; dan has no partner:
    source,target
    ann,user17
    bob,user4
    dan,";

/// Match the nodes of two graphs
#[derive(Debug, Args)]
#[command(long_about = LONG_ABOUT, after_help = EXAMPLES)]
pub(crate) struct Options {
    /// The graph to match from; `-` is standard input
    source: PathBuf,

    /// The graph to match to; `-` is standard input
    target: PathBuf,

    /// Known pairs, `source,target[,weight]`: weight 1 or none is certain, below 1 is a soft anchor. An empty
    /// field says that the other node has no partner, `8,` or `,u4`. Without anchors the terms that need them
    /// drop out
    #[arg(short, long, value_name = "FILE")]
    anchors: Option<PathBuf>,

    #[command(flatten)]
    output: Output,

    /// Write the likeliest partners of each node as well, `source,rank,target,probability`, the most probable first; an
    /// empty target is the chance that there is none. --top says how many (best, fast)
    #[arg(long, value_name = "FILE")]
    alternatives: Option<PathBuf>,

    /// Leave nodes alone whose pair is less sure than this, between 0 and 1: where a false pair costs more than a
    /// missing one. The precision and recall to be expected of the rest are printed
    #[arg(long, value_name = "P", value_parser = values::share)]
    min_confidence: Option<f64>,

    /// List nodes without a partner as well, after the pairs, as rows with an empty field: `8,,` and `,u4,`. As
    /// anchors they say so again. JSON has them always
    #[arg(long)]
    unmatched: bool,

    /// Write JSON: pairs, unmatched nodes, objective, status, parameters, timings (also when the
    /// output's name ends in .json); an error becomes a JSON object on standard error
    #[arg(long)]
    pub(crate) json: bool,

    /// Write a page that shows both graphs, the pairs and how they were found; of points also the map between
    /// them, as a grid or as epipolar lines
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,

    /// A node of SOURCE whose surroundings the page shows first where graphs are too large to be drawn whole; may be
    /// given several times. Only with --report
    #[arg(long, value_name = "NODE", allow_hyphen_values = true)]
    around: Vec<String>,

    /// The image that the points of SOURCE lie on, PNG or JPEG: the page shows it under them, and takes their
    /// coordinates for its pixels, x to the right and y downwards. Only with --report and points
    #[arg(long, value_name = "IMAGE")]
    source_image: Option<PathBuf>,

    /// The same for the points of TARGET
    #[arg(long, value_name = "IMAGE")]
    target_image: Option<PathBuf>,

    /// The right pairs, `source,target`: accuracy, recall, precision and F1 over pairs that are no anchors are
    /// printed on standard error and written into JSON and report. JSON has `hits_at_1` as well, the share of the nodes
    /// whose likeliest candidate is the right one. Rows of nodes that the graphs do not have are
    /// counted and left out
    #[arg(long, value_name = "FILE")]
    truth: Option<PathBuf>,

    /// Stop after so many seconds (0.5 is half a second), write the best so far and exit with 3
    #[arg(long, value_name = "S", value_parser = values::seconds)]
    time_limit: Option<Duration>,

    /// Seed of everything random; it is recorded with the result. Relaxations draw nothing
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,

    #[command(flatten)]
    reading: Reading,

    #[command(flatten)]
    knowledge: Knowledge,

    #[command(flatten)]
    resources: Resources,

    #[command(flatten)]
    method: Method,
}

/// The right pairs, as far as the graphs have their nodes.
struct Truth {
    pairs: Vec<(usize, usize)>,
    /// Rows that name a node that its graph does not have.
    unknown: usize,
}

/// Reads a truth; one of nodes that none of the graphs has is that of other graphs.
fn known_truth(table: &PairTable, sides: &Sides) -> Result<Truth, Failure> {
    let (s, t) = (&sides.source.graph, &sides.target.graph);
    let (pairs, unknown) = table.known_indices(s, t)?;
    if pairs.is_empty() && unknown > 0 {
        sides.looked_up(table.indices(s, t))?;
    }
    Ok(Truth { pairs, unknown })
}

/// What the pages and scores of this command need beside the input of the match.
struct Extras {
    truth: Option<Truth>,
    images: [Option<Image>; 2],
    /// Source nodes that the page shows first.
    around: Vec<usize>,
}

impl Options {
    /// Matches and writes.
    pub(crate) fn run(&self) -> Outcome {
        self.check_files()?;
        let matcher = self.method.matcher(self.seed, self.knowledge.wishes())?;
        if self.alternatives.is_some() && !matcher.parameters().contains_key("top") {
            return Err(Failure::usage(
                "--alternatives",
                format!(
                    "the preset {}, which has one partner of each node",
                    matcher.name()
                ),
                "the preset best or fast, which have probabilities of others",
            ));
        }
        let job = Job::start(&self.resources, self.time_limit, self.json)?;
        let (input, extras) = self.read(matcher.as_ref(), &job)?;
        let mut matching = matcher.run(&input.task(&input.anchors)?, job.monitor())?;
        job.finish();
        if let Some(least) = self.min_confidence {
            matching.drop_below(least);
        }
        self.annotate(&mut matching, &input, &extras);
        let score = match &extras.truth {
            Some(truth) => Some(matching.score(&truth.pairs)?),
            None => None,
        };
        self.write(&matching, &input, &extras, score)?;
        for note in &matching.notes {
            say(format_args!("note: {note}"));
        }
        if self.min_confidence.is_some()
            && let Some(expected) = matching.expected()
        {
            say(expected_in_words(expected));
        }
        if let Some(score) = score {
            say(in_words(score));
        }
        Ok(ended(&matching))
    }

    fn inputs(&self) -> Vec<(&'static str, &Path)> {
        let mut inputs: Vec<(_, &Path)> = vec![("SOURCE", &self.source), ("TARGET", &self.target)];
        inputs.extend(self.anchors.as_deref().map(|path| ("--anchors", path)));
        inputs.extend(self.truth.as_deref().map(|path| ("--truth", path)));
        let similarity = self.method.node_similarity.as_deref();
        inputs.extend(similarity.map(|path| ("--node-similarity", path)));
        inputs.extend(
            self.method
                .weights
                .as_deref()
                .map(|path| ("--weights", path)),
        );
        inputs.extend(self.knowledge.inputs());
        inputs.extend(self.images());
        inputs
    }

    /// The images that were asked for, by their options.
    fn images(&self) -> impl Iterator<Item = (&'static str, &Path)> {
        let named = [
            ("--source-image", &self.source_image),
            ("--target-image", &self.target_image),
        ];
        let given = named.into_iter();
        given.filter_map(|(option, path)| Some((option, path.as_deref()?)))
    }

    /// What can be found wrong before anything is read.
    fn check_files(&self) -> Result<(), Failure> {
        let inputs = self.inputs();
        for (option, path) in self.images() {
            if self.report.is_none() {
                let expected = "--report FILE.html as well, the page that shows the image";
                return Err(Failure::usage(option, "no --report", expected));
            }
            if is_standard(path) {
                let found = "`-`, the standard input";
                return Err(Failure::usage(option, found, "the name of a file"));
            }
        }
        if !self.around.is_empty() && self.report.is_none() {
            let expected = "--report FILE.html as well, the page that shows the nodes";
            return Err(Failure::usage("--around", "no --report", expected));
        }
        check_standard_once(&inputs)?;
        let mut outputs: Vec<(_, &Path)> = vec![("--output", &self.output.output)];
        outputs.extend(self.report.as_deref().map(|path| ("--report", path)));
        let alternatives = self.alternatives.as_deref();
        outputs.extend(alternatives.map(|path| ("--alternatives", path)));
        let mut to_standard = outputs.iter().filter(|(_, path)| is_standard(path));
        if let (Some(_), Some((option, _))) = (to_standard.next(), to_standard.next()) {
            return Err(Failure::usage(
                option,
                "`-`, where the pairs go as well",
                "a file, or another --output",
            ));
        }
        check_distinct(&inputs, &outputs)?;
        outputs
            .iter()
            .try_for_each(|(_, path)| check_writable(path))
    }

    fn read(&self, matcher: &dyn Matcher, job: &Job) -> Result<(Input, Extras), Failure> {
        let files = Files {
            sides: [&self.source, &self.target],
            anchors: self.anchors.as_deref(),
            similarity: self.method.node_similarity.as_deref(),
            model: self.method.points_model,
            reading: &self.reading,
            knowledge: &self.knowledge,
        };
        let mut input = files.read(matcher, job.max_memory(), |sides| {
            self.images()
                .try_for_each(|(option, _)| sides.check_plane(option))
        })?;
        // Before the work, so that a file that is no image costs none.
        let read = |path: &Option<PathBuf>| path.as_deref().map(Image::read).transpose();
        let images = [read(&self.source_image)?, read(&self.target_image)?];
        let truth = match &self.truth {
            Some(path) => {
                let table = self.reading.pairs(path, TableKind::Truth)?;
                input.known.doubt(&table, &input.sides);
                Some(known_truth(&table, &input.sides)?)
            }
            None => None,
        };
        let around = input.sides.places("--around", &self.around)?;
        let extras = Extras {
            truth,
            images,
            around,
        };
        Ok((input, extras))
    }

    /// Adds what only the command line knows.
    fn annotate(&self, matching: &mut Matching, input: &Input, extras: &Extras) {
        let notes = input.notes([&self.source, &self.target]);
        matching
            .notes
            .splice(0..0, notes.into_iter().map(Note::from));
        if let Some(unknown) = extras.truth.as_ref().map(|truth| truth.unknown)
            && unknown > 0
        {
            let note = if unknown == 1 {
                "1 row of the truth names a node that its graph does not have, and does not count"
                    .to_owned()
            } else {
                format!(
                    "{unknown} rows of the truth name a node that its graph does not have, and do not count"
                )
            };
            matching.notes.push(note.into());
        }
        matching.word_notes(WORDS);
        if matching.status.was_interrupted() {
            let why = match matching.status {
                Status::TimeLimit => "at the time limit",
                _ => "on request",
            };
            let steps = match matching.iterations {
                1 => "1 iteration".to_owned(),
                count => format!("{count} iterations"),
            };
            let note = format!("stopped {why} after {steps}: this is the best so far");
            matching.notes.push(note.into());
        }
        let seed = ("seed".to_owned(), self.seed.to_string());
        matching.parameters.push(seed);
    }

    fn write(
        &self,
        matching: &Matching,
        input: &Input,
        extras: &Extras,
        score: Option<Score>,
    ) -> Result<(), Failure> {
        if let Some(path) = &self.report {
            // The page comes first: the pairs on standard output are the last thing to fail.
            write(path, &self.page(matching, input, extras, score)?)?;
        }
        let [source, target] = input.sides.labels();
        if let Some(path) = &self.alternatives {
            let alternatives = matching.alternatives.clone().unwrap_or_default();
            write_whole(path, |out| {
                write_alternatives_csv(out, &alternatives, source, target)
            })?;
        }
        let path = &self.output.output;
        write_whole(path, |out| {
            if self.json || has_extension(path, "json") {
                write_matching_json(out, matching, source, target, score)
            } else {
                write_matching_csv(out, matching, source, target)?;
                match self.unmatched {
                    true => write_unmatched_csv(out, matching, source, target),
                    false => Ok(()),
                }
            }
        })?;
        Ok(())
    }

    fn page(
        &self,
        matching: &Matching,
        input: &Input,
        extras: &Extras,
        score: Option<Score>,
    ) -> Result<String, Failure> {
        let report = Report {
            title: format!("{} against {}", name(&self.source), name(&self.target)),
            source: side(&self.source, &input.sides.source, extras.images[0].as_ref()),
            target: side(&self.target, &input.sides.target, extras.images[1].as_ref()),
            runs: vec![Run {
                name: run_name(matching),
                matching,
                score,
            }],
            truth: extras.truth.as_ref().map(|truth| &truth.pairs[..]),
            command: Some(command_line("anchormatch")),
            around: extras.around.clone(),
        };
        Ok(report.html()?)
    }
}

/// What a run is called on the page: the paper's terms, or the preset.
fn run_name(matching: &Matching) -> String {
    let parameter = |name: &str| {
        let found = matching.parameters.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value.clone())
    };
    parameter("terms")
        .or_else(|| parameter("preset"))
        .unwrap_or_default()
}

/// The accuracy as a line.
pub(crate) fn in_words(score: Score) -> String {
    match score.accuracy() {
        Some(accuracy) => {
            let mut words = format!(
                "accuracy {accuracy:.3} ({} of {} non-anchor pairs)",
                score.right, score.asked
            );
            if let (Some(precision), Some(f1)) = (score.precision(), score.f1()) {
                let more = format!(", recall {accuracy:.3}, precision {precision:.3}, F1 {f1:.3}");
                words.push_str(&more);
            }
            words
        }
        None => "accuracy unknown: the truth holds nothing but anchors".to_owned(),
    }
}

/// What the confidences promise, as a line.
fn expected_in_words(expected: Expected) -> String {
    let Expected { precision, recall } = expected;
    format!("expected precision {precision:.3}, recall {recall:.3}, by the confidences")
}

fn ended(matching: &Matching) -> Done {
    if matching.status.was_interrupted() {
        Done::Cut
    } else {
        Done::Complete
    }
}

fn side<'a>(path: &Path, loaded: &'a LoadedGraph, image: Option<&'a Image>) -> Side<'a> {
    Side {
        name: name(path),
        graph: &loaded.graph,
        positions: loaded.positions.as_ref(),
        wireframe: None,
        points: loaded.format.is_points(),
        image,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accuracy_reads_as_a_sentence() {
        let score = |right, asked| {
            in_words(Score {
                asked,
                right,
                found: asked,
                first: None,
            })
        };
        assert_eq!(
            score(27, 29),
            "accuracy 0.931 (27 of 29 non-anchor pairs), recall 0.931, precision 0.931, F1 0.931"
        );
        assert!(score(0, 0).contains("nothing but anchors"));
    }
}
