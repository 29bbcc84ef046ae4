//! `anchormatch match`: two graphs in, pairs out.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anchormatch::affinity::proximity::Mode;
use anchormatch::matcher::{Best, Paper, Terms};
use anchormatch::matching::Score;
use anchormatch::problem::Problem;
use anchormatch::solver::{Info, Rrwm, Solution, Solver, Start, Status, registry};
use anchormatch::{Anchors, Matching, Monitor};
use anchormatch_io::{
    LoadedGraph, read_pairs, write_matching_csv, write_matching_json, write_whole,
};
use anchormatch_report::{Report, Run, Side};
use clap::{Args, ValueEnum};

use crate::args::{Output, Reading, Resources};
use crate::exit::{Done, Failure, Outcome, say};
use crate::files::{
    check_distinct, check_standard_once, check_writable, command_line, has_extension, is_standard,
    name, write,
};
use crate::job::Job;
use crate::values;

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
        --output pairs.csv --report report.html

  How well does it do? Compare with a known answer, as JSON, within ten seconds:
    anchormatch match a.graphml b.graphml --anchors known.csv --truth truth.csv --json \\
        --time-limit 10

  Some nodes have no partner, and one of the anchors may be wrong:
    anchormatch match old.csv new.csv --anchors known.csv --allow-unmatched --repair-anchors

  An anchors file:
    source,target
    ann,user17
    bob,user4";

/// Match the nodes of two graphs
#[derive(Debug, Args)]
#[command(long_about = LONG_ABOUT, after_help = EXAMPLES)]
pub(crate) struct Options {
    /// The graph to match from; `-` is standard input
    source: PathBuf,

    /// The graph to match to; `-` is standard input
    target: PathBuf,

    /// Known pairs, `source,target[,weight]`: weight 1 or none is certain, below 1 is a hint.
    /// Without anchors the terms that need them drop out
    #[arg(short, long, value_name = "FILE")]
    anchors: Option<PathBuf>,

    #[command(flatten)]
    output: Output,

    /// Write JSON: pairs, unmatched nodes, objective, status, parameters, timings (also when the
    /// output's name ends in .json); an error becomes a JSON object on standard error
    #[arg(long)]
    pub(crate) json: bool,

    /// Write a page that shows both graphs, the pairs and how they were found
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,

    /// The right pairs, `source,target`: the accuracy over pairs that are no anchors is printed on
    /// standard error and written into JSON and report
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
    resources: Resources,

    #[command(flatten)]
    method: Method,
}

/// What to solve and how.
#[derive(Debug, Args)]
#[command(next_help_heading = "Method")]
struct Method {
    /// The method as a whole [default: best, or paper when one of its options is given]
    #[arg(long, value_name = "NAME")]
    preset: Option<Preset>,

    /// The algorithm that maximises the objective, in the place of the preset's own search (rrwm for
    /// paper); `anchormatch solvers` has more about each
    #[arg(long, value_name = "NAME", value_parser = values::solver())]
    solver: Option<String>,

    /// Let nodes stay alone whom the evidence gives no partner (best, fast). Without, everything on
    /// the smaller side is matched
    #[arg(long)]
    allow_unmatched: bool,

    /// Demote anchors that disagree with the rest of the evidence to hints, and match again (best,
    /// fast). Without, they are only reported
    #[arg(long)]
    repair_anchors: bool,

    /// How alike nodes are by other knowledge, rows of `source,target,similarity` (best, fast): larger
    /// is more alike, on any scale; pairs that are not listed count as the least alike
    #[arg(long, value_name = "FILE")]
    node_similarity: Option<PathBuf>,

    #[command(flatten)]
    paper: PaperOptions,
}

/// What only the preset `paper` has.
#[derive(Debug, Args)]
#[command(next_help_heading = "Method, preset paper only")]
struct PaperOptions {
    /// Which terms the objective has: `heat` or `adjacency` between pairs of nodes, and for single
    /// nodes wave signatures (wks), heat to the anchors (ap), proximity learned from them (b)
    /// [default: heat+b+ap]
    #[arg(long, value_name = "TERMS", value_parser = values::terms())]
    terms: Option<Terms>,

    /// Diffusion time, in units of 1/mean eigenvalue of each graph; small is local [default: 1]
    #[arg(long, value_name = "T", value_parser = values::positive)]
    tau: Option<f64>,

    /// Width of the affinity exp(−d²/s): s in means of d²; small is strict [default: 0.15]
    #[arg(long, value_name = "W", value_parser = values::positive)]
    width: Option<f64>,

    /// Eigenvectors that the learned proximity compares [default: 8]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..))]
    eigenvectors: Option<u32>,

    /// Weight of the learned proximity, the paper's c_B [default: 8]
    #[arg(long, value_name = "C", value_parser = values::nonnegative)]
    c_b: Option<f64>,

    /// Weight of the heat to the anchors, the paper's c_ap [default: 3]
    #[arg(long, value_name = "C", value_parser = values::nonnegative)]
    c_ap: Option<f64>,

    /// How the proximity is kept positive: projected afterwards, as in the paper, or exactly
    /// [default: projected]
    #[arg(long, value_name = "MODE")]
    learner: Option<LearnerMode>,

    /// C of the learner, the price of a violated margin [default: 100]
    #[arg(long, value_name = "C", value_parser = values::positive)]
    learner_c: Option<f64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Preset {
    /// The most likely matching, searched for until nothing more is gained, with calibrated confidences
    Best,
    /// The same with one relaxation and a short search
    Fast,
    /// Hu, Rustamov, Guibas (CVPR 2013), step by step
    Paper,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum LearnerMode {
    /// Solve without the cone, then project
    Projected,
    /// Solve within the cone
    Exact,
}

impl Method {
    /// The preset, once no option of another one was given.
    fn preset(&self) -> Result<Preset, Failure> {
        let of_paper = self.paper.first_given();
        let preset = self.preset.unwrap_or(match of_paper {
            Some(_) => Preset::Paper,
            None => Preset::Best,
        });
        let of_best = [
            ("--allow-unmatched", self.allow_unmatched),
            ("--repair-anchors", self.repair_anchors),
            ("--node-similarity", self.node_similarity.is_some()),
        ];
        let of_best = of_best.iter().find(|option| option.1).map(|o| o.0);
        let (wrong, expected) = match preset {
            Preset::Paper => (of_best, "--preset best or fast, which alone know it"),
            Preset::Best | Preset::Fast => (of_paper, "--preset paper, which alone knows it"),
        };
        match wrong {
            Some(option) => {
                let found = match preset {
                    Preset::Best => "with the preset best",
                    Preset::Fast => "with the preset fast",
                    Preset::Paper => "with the preset paper",
                };
                Err(Failure::usage(option, found, expected))
            }
            None => Ok(preset),
        }
    }

    fn solver(&self) -> Result<Option<Box<dyn Solver>>, Failure> {
        let named = self.solver.as_deref().map(registry::by_name);
        Ok(named.transpose()?)
    }
}

impl PaperOptions {
    /// The first of these options that was given.
    fn first_given(&self) -> Option<&'static str> {
        [
            ("--terms", self.terms.is_some()),
            ("--tau", self.tau.is_some()),
            ("--width", self.width.is_some()),
            ("--eigenvectors", self.eigenvectors.is_some()),
            ("--c-b", self.c_b.is_some()),
            ("--c-ap", self.c_ap.is_some()),
            ("--learner", self.learner.is_some()),
            ("--learner-c", self.learner_c.is_some()),
        ]
        .into_iter()
        .find(|option| option.1)
        .map(|option| option.0)
    }

    fn paper(&self) -> Paper {
        let mut paper = Paper::with_terms(self.terms.unwrap_or_default());
        let set = |slot: &mut f64, value: Option<f64>| *slot = value.unwrap_or(*slot);
        set(&mut paper.tau, self.tau);
        set(&mut paper.width, self.width);
        set(&mut paper.proximity_weight, self.c_b);
        set(&mut paper.anchor_weight, self.c_ap);
        set(&mut paper.learner.c, self.learner_c);
        paper.learner.mode = match self.learner.unwrap_or(LearnerMode::Projected) {
            LearnerMode::Projected => Mode::Projected,
            LearnerMode::Exact => Mode::Exact,
        };
        if let Some(count) = self.eigenvectors {
            paper.eigenvectors = count as usize;
        }
        paper
    }
}

/// A solver with a seed that says when it begins: from there on a stop returns its best so far.
struct Announced {
    inner: Box<dyn Solver>,
    seed: u64,
    begins: Box<dyn Fn() + Send + Sync>,
}

impl Solver for Announced {
    fn info(&self) -> Info {
        self.inner.info()
    }

    fn solve(
        &self,
        problem: &Problem,
        start: &Start<'_>,
        monitor: &Monitor,
    ) -> anchormatch::Result<Solution> {
        (self.begins)();
        let seeded = Start {
            seed: self.seed,
            ..*start
        };
        self.inner.solve(problem, &seeded, monitor)
    }
}

/// Both graphs and what is known about them.
struct Input {
    source: LoadedGraph,
    target: LoadedGraph,
    anchors: Anchors,
    truth: Option<Vec<(usize, usize)>>,
}

impl Options {
    /// Matches and writes.
    pub(crate) fn run(&self) -> Outcome {
        self.check_files()?;
        let preset = self.method.preset()?;
        let solver = self.method.solver()?;
        let job = Job::start(&self.resources, self.time_limit, self.json)?;
        let input = self.read(&job)?;
        let (source, target) = (&input.source.graph, &input.target.graph);
        let mut matching = match preset {
            Preset::Paper => {
                let mut paper = self.method.paper.paper();
                paper.solver = Arc::new(Announced {
                    inner: solver.unwrap_or_else(|| Box::new(Rrwm::default())),
                    seed: self.seed,
                    begins: Box::new(job.keeper()),
                });
                paper.run(source, target, &input.anchors, job.monitor())?
            }
            Preset::Best | Preset::Fast => {
                let best = self.best(preset, solver, &input)?;
                job.keeper()();
                best.run(source, target, &input.anchors, job.monitor())?
            }
        };
        job.finish();
        self.annotate(&mut matching, &input);
        let score = match &input.truth {
            Some(truth) => Some(matching.score(truth)?),
            None => None,
        };
        self.write(&matching, &input, score)?;
        for note in &matching.notes {
            say(format_args!("note: {note}"));
        }
        if let Some(score) = score {
            say(in_words(score));
        }
        Ok(ended(&matching))
    }

    fn best(
        &self,
        preset: Preset,
        solver: Option<Box<dyn Solver>>,
        input: &Input,
    ) -> Result<Best, Failure> {
        let similarity = match &self.method.node_similarity {
            Some(path) => {
                let (source, target) = (&input.source.graph, &input.target.graph);
                Some(Arc::new(read_pairs(path)?.similarity(source, target)?))
            }
            None => None,
        };
        Ok(Best {
            allow_unmatched: self.method.allow_unmatched,
            repair_anchors: self.method.repair_anchors,
            node_similarity: similarity,
            solver: solver.map(Arc::from),
            seed: self.seed,
            ..match preset {
                Preset::Fast => Best::fast(),
                _ => Best::default(),
            }
        })
    }

    fn inputs(&self) -> Vec<(&'static str, &Path)> {
        let mut inputs: Vec<(_, &Path)> = vec![("SOURCE", &self.source), ("TARGET", &self.target)];
        inputs.extend(self.anchors.as_deref().map(|path| ("--anchors", path)));
        inputs.extend(self.truth.as_deref().map(|path| ("--truth", path)));
        let similarity = self.method.node_similarity.as_deref();
        inputs.extend(similarity.map(|path| ("--node-similarity", path)));
        inputs
    }

    /// What can be found wrong before anything is read.
    fn check_files(&self) -> Result<(), Failure> {
        let inputs = self.inputs();
        check_standard_once(&inputs)?;
        let mut outputs: Vec<(_, &Path)> = vec![("--output", &self.output.output)];
        outputs.extend(self.report.as_deref().map(|path| ("--report", path)));
        if outputs.iter().filter(|(_, path)| is_standard(path)).count() > 1 {
            return Err(Failure::usage(
                "--report",
                "`-`, where the pairs go as well",
                "a file, or another --output",
            ));
        }
        check_distinct(&inputs, &outputs)?;
        outputs
            .iter()
            .try_for_each(|(_, path)| check_writable(path))
    }

    fn read(&self, job: &Job) -> Result<Input, Failure> {
        let memory = job.max_memory();
        let source = self.reading.graph(&self.source, memory)?;
        let target = self.reading.graph(&self.target, memory)?;
        let (s, t) = (&source.graph, &target.graph);
        let anchors = match &self.anchors {
            Some(path) => read_pairs(path)?.anchors(s, t)?,
            None => Anchors::none(),
        };
        let truth = match &self.truth {
            Some(path) => Some(read_pairs(path)?.indices(s, t)?),
            None => None,
        };
        Ok(Input {
            source,
            target,
            anchors,
            truth,
        })
    }

    /// Adds what only the command line knows.
    fn annotate(&self, matching: &mut Matching, input: &Input) {
        let of = |path: &Path, loaded: &LoadedGraph| {
            let name = name(path);
            let notes = loaded
                .notes
                .iter()
                .map(move |note| format!("{name}: {note}"));
            notes.collect::<Vec<_>>()
        };
        let mut notes = of(&self.source, &input.source);
        notes.extend(of(&self.target, &input.target));
        matching.notes.splice(0..0, notes);
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
            matching.notes.push(note);
        }
        let seed = ("seed".to_owned(), self.seed.to_string());
        matching.parameters.push(seed);
    }

    fn write(
        &self,
        matching: &Matching,
        input: &Input,
        score: Option<Score>,
    ) -> Result<(), Failure> {
        if let Some(path) = &self.report {
            // The page comes first: the pairs on standard output are the last thing to fail.
            write(path, &self.page(matching, input, score)?)?;
        }
        let (source, target) = (input.source.graph.labels(), input.target.graph.labels());
        let path = &self.output.output;
        write_whole(path, |out| {
            if self.json || has_extension(path, "json") {
                write_matching_json(out, matching, source, target, score)
            } else {
                write_matching_csv(out, matching, source, target)
            }
        })?;
        Ok(())
    }

    fn page(
        &self,
        matching: &Matching,
        input: &Input,
        score: Option<Score>,
    ) -> Result<String, Failure> {
        let report = Report {
            title: format!("{} against {}", name(&self.source), name(&self.target)),
            source: side(&self.source, &input.source),
            target: side(&self.target, &input.target),
            runs: vec![Run {
                name: run_name(matching),
                matching,
                score,
            }],
            truth: input.truth.as_deref(),
            command: Some(command_line()),
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
        Some(accuracy) => format!(
            "accuracy {accuracy:.3} ({} of {} non-anchor pairs)",
            score.right, score.asked
        ),
        None => "accuracy unknown: the truth holds nothing but anchors".to_owned(),
    }
}

fn ended(matching: &Matching) -> Done {
    if matching.status.was_interrupted() {
        Done::Cut
    } else {
        Done::Complete
    }
}

fn side<'a>(path: &Path, loaded: &'a LoadedGraph) -> Side<'a> {
    Side {
        name: name(path),
        graph: &loaded.graph,
        positions: loaded.positions.as_ref(),
        wireframe: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_in_the_help_are_those_of_the_library() {
        let paper = Paper::default();
        // The texts of the options above.
        assert_eq!((paper.tau, paper.width, paper.eigenvectors), (1.0, 0.15, 8));
        assert_eq!((paper.proximity_weight, paper.anchor_weight), (8.0, 3.0));
        assert_eq!(
            (paper.learner.c, paper.learner.mode),
            (100.0, Mode::Projected)
        );
        assert_eq!(paper.solver.info().name, "rrwm");
    }

    #[test]
    fn accuracy_reads_as_a_sentence() {
        let score = |right, asked| in_words(Score { asked, right });
        assert_eq!(score(27, 29), "accuracy 0.931 (27 of 29 non-anchor pairs)");
        assert!(score(0, 0).contains("nothing but anchors"));
    }
}
