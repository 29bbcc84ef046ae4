//! `anchormatch studio`: a local page where a click makes an anchor and the match follows.

use std::ffi::OsString;
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use anchormatch::linalg::Matrix;
use anchormatch::matcher::Matcher;
use anchormatch::task::Facts;
use anchormatch::{Anchors, Error};
use anchormatch_generate::house::{self, View};
use anchormatch_io::{LoadedGraph, read_pairs};
use anchormatch_report::Image;
use anchormatch_studio::{Base, Choices, Kept, Setup, Side, Studio, Token};
use clap::Args;

use crate::args::{Reading, Resources};
use crate::commands::demo;
use crate::exit::{Done, Failure, Outcome, say};
use crate::files::{
    check_distinct, check_standard_once, check_writable, is_standard, name, print, shell_word,
};
use crate::input::Files;
use crate::job::Job;
use crate::knowledge::Knowledge;
use crate::method::Method;
use crate::sides::Sides;

const LONG_ABOUT: &str = "\
Open a page on this machine that shows both graphs side by side. A click on the left and one on the \
right make an anchor, the match follows at once, and the page asks for the nodes whose partners would \
settle the most.

Every change is written at once to the anchors file, which `anchormatch match --anchors` reads, and to \
a journal beside it, so that the next start goes on where this one ended. The page needs no network, \
and nobody reaches it without the address that is printed. Ctrl-C ends it.";

const EXAMPLES: &str = "\
Examples:
  Try it: two views of a house, no file needed
    anchormatch studio

  Two edge lists; what is clicked goes to known.csv, which may exist already
    anchormatch studio old.csv new.csv --anchors known.csv

  Points that lie on two photographs
    anchormatch studio left.csv right.csv --points --source-image left.jpg --target-image right.jpg";

/// Place anchors on a page and watch the match follow
#[derive(Debug, Args)]
#[command(long_about = LONG_ABOUT, after_help = EXAMPLES)]
pub(crate) struct Options {
    /// The graph to match from [default: a house, to try it]
    #[arg(requires = "target")]
    source: Option<PathBuf>,

    /// The graph to match to
    target: Option<PathBuf>,

    /// The file that keeps the anchors, read first where it is there [default: SOURCE-TARGET.anchors.csv in the
    /// current folder, by the names of the two files]
    #[arg(short, long, value_name = "FILE")]
    anchors: Option<PathBuf>,

    /// The image that the points of SOURCE lie on, PNG or JPEG: the page shows it under them, and takes their
    /// coordinates for its pixels, x to the right and y downwards
    #[arg(long, value_name = "IMAGE", requires = "source")]
    source_image: Option<PathBuf>,

    /// The same for the points of TARGET
    #[arg(long, value_name = "IMAGE", requires = "source")]
    target_image: Option<PathBuf>,

    /// The port of the page [default: one that is free]
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    port: u16,

    /// Do not open a browser; the address is printed in any case
    #[arg(long)]
    no_open: bool,

    /// Seed of everything random
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

/// Options of the page alone, or that it words anew, with the number of their values.
const OWN: [(&str, usize); 10] = [
    ("--anchors", 1),
    ("-a", 1),
    ("--source-image", 1),
    ("--target-image", 1),
    ("--port", 1),
    ("--no-open", 0),
    ("--preset", 1),
    ("--allow-unmatched", 0),
    ("--points-model", 1),
    ("--progress", 1),
];

/// So near that what the page says is true from the first moment: `anchormatch generate house --pan 20 --tilt 10` and `match
/// --points`, accuracy 1.00 with 0 to 6 anchors, and no right anchor called suspicious. From 35° on, a match without anchors
/// is lost, and at 28° twins are exchanged with great confidence.
const TO: View = View {
    pan_degrees: 20.0,
    tilt_degrees: 10.0,
};

/// How often the end is looked for.
const TICK: Duration = Duration::from_millis(50);

impl Options {
    /// Serves the page until Ctrl-C.
    pub(crate) fn run(&self) -> Outcome {
        let file = self.anchors_file();
        self.check_files(&file)?;
        let matcher = self.method.matcher(self.seed, self.knowledge.wishes())?;
        let job = Job::start(&self.resources, None, false)?;
        let (mut setup, found) = match (&self.source, &self.target) {
            (Some(source), Some(target)) => {
                self.read([source, target], &file, matcher.as_ref(), &job)?
            }
            _ => self.house(&file, matcher.as_ref())?,
        };
        setup.max_memory = job.max_memory();
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, self.port)).map_err(|error| {
            Failure::usage(
                "--port",
                format!("{} ({error})", self.port),
                "a port that is free",
            )
        })?;
        let studio = Studio::open(setup, found.as_ref())?;
        for note in studio.notes() {
            say(format_args!("note: {note}"));
        }
        let running = studio.serve(listener, token()?)?;
        job.finish();
        print(&format!("{}\n", running.url()))?;
        say(format_args!(
            "The page is at this address; anchors go to {}. Ctrl-C ends it.",
            file.display()
        ));
        if !self.no_open && !open(&running.url()) {
            say("note: no browser could be opened, open the address by hand");
        }
        while job.quiet_monitor().interrupted().is_none() {
            thread::sleep(TICK);
        }
        running.stop();
        Ok(Done::Complete)
    }

    fn anchors_file(&self) -> PathBuf {
        if let Some(path) = &self.anchors {
            return path.clone();
        }
        let stem = |path: &PathBuf| {
            let stem = path.file_stem().filter(|_| !is_standard(path));
            stem.map_or_else(
                || "graph".to_owned(),
                |stem| stem.to_string_lossy().into_owned(),
            )
        };
        let stems: Vec<String> = [&self.source, &self.target]
            .into_iter()
            .flatten()
            .map(stem)
            .collect();
        match stems.is_empty() {
            true => PathBuf::from("anchormatch-house.anchors.csv"),
            false => PathBuf::from(format!("{}.anchors.csv", stems.join("-"))),
        }
    }

    /// What can be found wrong before anything is read.
    fn check_files(&self, file: &Path) -> Result<(), Failure> {
        let sides = [("SOURCE", &self.source), ("TARGET", &self.target)];
        let images = [
            ("--source-image", &self.source_image),
            ("--target-image", &self.target_image),
        ];
        let given = |list: [(&'static str, &'_ Option<PathBuf>); 2]| {
            let list = list.map(|(option, path)| path.clone().map(|path| (option, path)));
            list.into_iter().flatten().collect::<Vec<_>>()
        };
        let (sides, images) = (given(sides), given(images));
        for (option, path) in images
            .iter()
            .map(|(o, p)| (*o, p.as_path()))
            .chain([("--anchors", file)])
        {
            if is_standard(path) {
                return Err(Failure::usage(option, "`-`", "the name of a file"));
            }
        }
        let mut inputs: Vec<(&'static str, &Path)> = sides
            .iter()
            .chain(&images)
            .map(|(option, path)| (*option, path.as_path()))
            .collect();
        let similarity = self.method.node_similarity.as_deref();
        inputs.extend(similarity.map(|path| ("--node-similarity", path)));
        inputs.extend(self.knowledge.inputs());
        if sides.is_empty()
            && let Some((option, _)) = inputs.first()
        {
            return Err(Failure::usage(
                option,
                "no SOURCE and TARGET",
                "the two graphs that it is about",
            ));
        }
        check_standard_once(&inputs)?;
        check_distinct(&inputs, &[("--anchors", file)])?;
        check_writable(file)
    }

    /// Two graphs from files, as `match` reads them.
    fn read(
        &self,
        paths: [&PathBuf; 2],
        file: &Path,
        matcher: &dyn Matcher,
        job: &Job,
    ) -> Result<(Setup, Option<Anchors>), Failure> {
        let paths = paths.map(PathBuf::as_path);
        let is_there = file.exists();
        let files = Files {
            sides: paths,
            anchors: is_there.then_some(file),
            similarity: self.method.node_similarity.as_deref(),
            model: self.method.points_model,
            reading: &self.reading,
            knowledge: &self.knowledge,
        };
        let images = [
            ("--source-image", &self.source_image),
            ("--target-image", &self.target_image),
        ];
        let input = files.read(matcher, job.max_memory(), |sides| {
            let mut given = images.iter().filter(|(_, path)| path.is_some());
            given.try_for_each(|(option, _)| sides.check_plane(option))
        })?;
        let read = |path: &Option<PathBuf>| path.as_deref().map(Image::read).transpose();
        let [source_image, target_image] = [read(&self.source_image)?, read(&self.target_image)?];
        let mut facts = input.task(&Anchors::none())?.facts().clone();
        let notes = input.notes(paths);
        let found = is_there.then_some(input.anchors);
        let Sides { source, target, .. } = input.sides;
        facts.points = points_of(&source, &target).or(facts.points);
        let title = format!("{} – {}", name(paths[0]), name(paths[1]));
        let sides = [
            side(paths[0], source, source_image),
            side(paths[1], target, target_image),
        ];
        let mut setup = self.setup(title, sides, file, matcher, match_words(paths));
        setup.facts = facts;
        setup.notes = notes;
        Ok((setup, found))
    }

    /// The built-in pair, with ids to click on.
    fn house(
        &self,
        file: &Path,
        matcher: &dyn Matcher,
    ) -> Result<(Setup, Option<Anchors>), Failure> {
        let instance = demo::built_in(TO, self.seed)?;
        let found = match file.exists() {
            true => Some(read_pairs(file)?.anchors(&instance.source, &instance.target)?),
            false => None,
        };
        let lines = [house::wireframe().to_vec(), demo::target_lines(&instance)];
        let [one, two] = demo::view_names(TO);
        let points = |positions: Option<Matrix>| positions.map(Arc::new);
        let [left, right] = [
            points(instance.source_positions),
            points(instance.target_positions),
        ];
        let mut facts = Facts::default();
        facts.points = left.clone().zip(right.clone()).map(|(one, two)| [one, two]);
        let graphs = [instance.source, instance.target];
        let parts = [one, two]
            .into_iter()
            .zip(graphs)
            .zip([left, right])
            .zip(lines);
        let mut sides = parts.map(|(((name, graph), positions), lines)| Side {
            name,
            graph: Arc::new(graph),
            positions,
            wireframe: Some(lines),
            points: true,
            image: None,
        });
        let (Some(source), Some(target)) = (sides.next(), sides.next()) else {
            unreachable!("a house has two views");
        };
        let title = "Two views of a house".to_owned();
        let words = demo::generate_words(TO, self.seed);
        let mut setup = self.setup(title, [source, target], file, matcher, words);
        setup.facts = facts;
        Ok((setup, found))
    }

    fn setup(
        &self,
        title: String,
        sides: [Side; 2],
        file: &Path,
        matcher: &dyn Matcher,
        words: Vec<String>,
    ) -> Setup {
        let attributes = !self.knowledge_is_empty();
        let command =
            move |choices: &Choices, kept: &Kept<'_>| same_match(&words, attributes, choices, kept);
        let base = Base::of(matcher);
        Setup::new(title, sides, base, file.to_owned(), Box::new(command))
    }

    fn knowledge_is_empty(&self) -> bool {
        self.knowledge.inputs().next().is_none()
    }
}

/// Coordinates of both sides, where these are points, whatever the first method makes of them.
fn points_of(source: &LoadedGraph, target: &LoadedGraph) -> Option<[Arc<Matrix>; 2]> {
    let points = |side: &LoadedGraph| side.positions.clone().filter(|_| side.format.is_points());
    Some([Arc::new(points(source)?), Arc::new(points(target)?)])
}

fn side(path: &Path, loaded: LoadedGraph, image: Option<Image>) -> Side {
    Side {
        name: name(path),
        points: loaded.format.is_points(),
        graph: Arc::new(loaded.graph),
        positions: loaded.positions.map(Arc::new),
        wireframe: None,
        image,
    }
}

/// `anchormatch match` with the arguments of this run, less those of the page.
fn match_words(paths: [&Path; 2]) -> Vec<String> {
    let mut words = vec!["anchormatch".to_owned(), "match".to_owned()];
    words.extend(paths.map(|path| shell_word(&path.to_string_lossy())));
    let rest = std::env::args_os().skip(2);
    let rest = without_own(rest).into_iter();
    let mut rest = rest.map(|word| word.to_string_lossy().into_owned());
    let mut places: Vec<String> = paths
        .map(|path| path.to_string_lossy().into_owned())
        .to_vec();
    while let Some(word) = rest.next() {
        // The two graphs stand first already.
        if let Some(place) = places.iter().position(|path| *path == word) {
            places.remove(place);
            continue;
        }
        words.push(shell_word(&word));
        if word.starts_with("--") && !word.contains('=') && takes_value(&word) {
            words.extend(rest.next().map(|value| shell_word(&value)));
        }
    }
    words
}

/// Whether an option that `match` shares with the page takes a value.
fn takes_value(option: &str) -> bool {
    let flags = ["--points", "--directed", "--undirected", "--repair-anchors"];
    !flags.contains(&option)
}

fn without_own(words: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut kept = Vec::new();
    let mut skipped = 0;
    for word in words {
        if skipped > 0 {
            skipped -= 1;
            continue;
        }
        let text = word.to_string_lossy().into_owned();
        let (option, has_value) = match text.split_once('=') {
            Some((option, _)) if option.starts_with("--") => (option.to_owned(), true),
            _ => (text, false),
        };
        match OWN.iter().find(|(own, _)| *own == option) {
            Some((_, values)) if !has_value => skipped = *values,
            Some(_) => {}
            None => kept.push(word),
        }
    }
    kept
}

/// The command that gives the match of the page.
fn same_match(words: &[String], attributes: bool, choices: &Choices, kept: &Kept<'_>) -> String {
    let mut words = words.to_vec();
    let mut add = |option: &str, value: &str| {
        words.push(option.to_owned());
        words.push(shell_word(value));
    };
    add("--anchors", &kept.anchors.to_string_lossy());
    add("--preset", &choices.preset);
    if choices.points_model != "auto" && choices.preset != "paper" {
        add("--points-model", &choices.points_model);
    }
    if let Some(path) = kept.candidates {
        add("--candidates", &path.to_string_lossy());
    }
    if choices.allow_unmatched && choices.preset != "paper" {
        words.push("--allow-unmatched".to_owned());
    }
    if attributes && !choices.attributes {
        words.push("# the page does not compare attributes".to_owned());
    }
    words.join(" ")
}

fn token() -> Result<Token, Failure> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|error| {
        Failure::Library(Error::io("random bytes", std::io::Error::other(error)))
    })?;
    Ok(Token::new(&bytes)?)
}

/// Opens a browser, as the system does; `false` when it cannot.
fn open(url: &str) -> bool {
    let (program, arguments): (&str, &[&str]) = if cfg!(target_os = "macos") {
        ("open", &[])
    } else if cfg!(windows) {
        ("rundll32", &["url.dll,FileProtocolHandler"])
    } else {
        ("xdg-open", &[])
    };
    let mut command = Command::new(program);
    command
        .args(arguments)
        .arg(url)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.spawn().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<OsString> {
        text.split_whitespace().map(OsString::from).collect()
    }

    #[test]
    fn options_of_the_page_alone_are_left_out() {
        let line =
            "a.csv b.csv --no-open --port 80 --points --preset=fast -a k.csv --weight w --seed 3";
        let kept = without_own(words(line).into_iter());
        assert_eq!(kept, words("a.csv b.csv --points --weight w --seed 3"));
    }

    #[test]
    fn the_command_has_what_is_chosen() {
        let choices = Choices {
            preset: "best".to_owned(),
            allow_unmatched: true,
            points_model: "affine".to_owned(),
            attributes: false,
        };
        let kept = Kept {
            anchors: Path::new("my anchors.csv"),
            candidates: Some(Path::new("c.csv")),
        };
        let first = ["anchormatch", "match", "a", "b"].map(str::to_owned);
        assert_eq!(
            same_match(&first, true, &choices, &kept),
            "anchormatch match a b --anchors 'my anchors.csv' --preset best --points-model affine \
             --candidates c.csv --allow-unmatched # the page does not compare attributes"
        );
    }
}
