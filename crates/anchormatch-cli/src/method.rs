//! Which matcher a command runs, and with which parameters.
//!
//! The command knows matchers by the library's registry alone: a new one is among the presets by itself,
//! and an option is refused where the chosen matcher has no such parameter.

use std::fs;
use std::path::{Path, PathBuf};

use anchormatch::Error;
use anchormatch::matcher::{Learned, LearnedWeights, Matcher, Terms, registry};
use anchormatch::settings::Settings;
use anchormatch::solver::registry as solvers;
use anchormatch::task::Fact;
use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use crate::exit::Failure;
use crate::sides::PointsModel;
use crate::values;

/// The values of --regime.
pub(crate) const REGIMES: [&str; 3] = ["auto", "dense", "sparse"];

/// What to solve and how.
#[derive(Debug, Args)]
#[command(next_help_heading = "Method")]
pub(crate) struct Method {
    /// The method as a whole [default: best, or paper when one of its options is given]
    #[arg(long, value_name = "NAME", value_parser = presets())]
    preset: Option<String>,

    /// The algorithm that maximises the objective, in the place of the preset's own search (rrwm for
    /// paper); `anchormatch solvers` has more about each
    #[arg(long, value_name = "NAME", value_parser = values::solver())]
    solver: Option<String>,

    /// Set a parameter of the preset or, with --solver, of the solver; may be given several times.
    /// `anchormatch solvers --json` lists those of the solvers, an unknown name those there are
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = values::setting)]
    settings: Vec<(String, Value)>,

    /// Let nodes stay alone whom the evidence gives no partner (best, fast). Without, everything on
    /// the smaller side is matched
    #[arg(long)]
    allow_unmatched: bool,

    /// Keep all pairs of nodes, or lists of candidates (best, fast): `auto` goes by size and density,
    /// `sparse` takes graphs of any size that the memory holds, some ten million nodes on a machine of 32 GB;
    /// beyond, Python's `anchormatch.cluster.match` runs the same on a cluster (docs/cluster.md)
    #[arg(long, value_parser = REGIMES)]
    regime: Option<String>,

    /// Demote anchors that disagree with the rest of the evidence to soft ones, and match again (best,
    /// fast). Without, they are only reported
    #[arg(long)]
    repair_anchors: bool,

    /// How many candidates of each node to keep for --alternatives and the report (best, fast) [default: 4]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=1000))]
    top: Option<u32>,

    /// How two sets of points lie to each other, with --points (best, fast) [default: auto]
    #[arg(long, value_name = "MODEL")]
    pub(crate) points_model: Option<PointsModel>,

    /// How alike nodes are by other knowledge, rows of `source,target,similarity` (best, fast): larger
    /// is more alike, on any scale; pairs that are not listed count as the least alike
    #[arg(long, value_name = "FILE")]
    pub(crate) node_similarity: Option<PathBuf>,

    /// Weights that `anchormatch learn` wrote, in the place of a preset
    #[arg(long, value_name = "FILE", conflicts_with = "preset")]
    pub(crate) weights: Option<PathBuf>,

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
enum LearnerMode {
    /// Solve without the cone, then project
    Projected,
    /// Solve within the cone
    Exact,
}

/// The matcher of weights in a file.
fn learned(path: &Path) -> Result<Box<dyn Matcher>, Failure> {
    let text = fs::read_to_string(path).map_err(|source| Error::io(path, source))?;
    let weights: LearnedWeights = serde_json::from_str(&text).map_err(|error| {
        let found = format!("{}: {error}", path.display());
        Failure::usage("--weights", found, "a file that `anchormatch learn` wrote")
    })?;
    Ok(Box::new(Learned::new(weights)?))
}

/// The matcher with these settings, and with the seed where it draws anything.
pub(crate) fn configured(
    matcher: &dyn Matcher,
    mut settings: Settings,
    seed: u64,
) -> Result<Box<dyn Matcher>, Failure> {
    if matcher.parameters().contains_key("seed") {
        settings.insert("seed".to_owned(), json!(seed));
    }
    Ok(matcher.configured(&settings)?)
}

/// The names of all matchers, each with what it does.
pub(crate) fn presets() -> PossibleValuesParser {
    let all = registry::all().into_iter();
    let values: Vec<PossibleValue> = all
        .map(|matcher| {
            PossibleValue::new(matcher.name().to_owned()).help(matcher.about().to_owned())
        })
        .collect();
    PossibleValuesParser::new(values)
}

/// Something that an option asks of the matcher.
pub(crate) struct Wish {
    option: &'static str,
    kind: Kind,
}

enum Kind {
    /// A parameter with its value.
    Parameter(&'static str, Value),
    /// A fact that the task will hold.
    Fact(Fact),
}

impl Wish {
    /// A parameter with its value.
    pub(crate) fn parameter(option: &'static str, name: &'static str, value: Value) -> Self {
        let kind = Kind::Parameter(name, value);
        Self { option, kind }
    }

    /// A fact that the task will hold.
    pub(crate) fn fact(option: &'static str, fact: Fact) -> Self {
        let kind = Kind::Fact(fact);
        Self { option, kind }
    }

    /// Refuses a matcher that does not know all of `wishes`.
    pub(crate) fn check(wishes: &[Self], matcher: &dyn Matcher) -> Result<(), Failure> {
        match wishes.iter().find(|wish| !wish.is_known_to(matcher)) {
            Some(wrong) => Err(wrong.refused(matcher)),
            None => Ok(()),
        }
    }

    fn is_known_to(&self, matcher: &dyn Matcher) -> bool {
        match &self.kind {
            Kind::Parameter(name, _) => {
                let outer = name.split('.').next().unwrap_or_default();
                matcher.parameters().contains_key(outer)
            }
            Kind::Fact(fact) => matcher.facts().contains(fact),
        }
    }

    /// The error of a matcher that does not know it.
    fn refused(&self, matcher: &dyn Matcher) -> Failure {
        let others = registry::all().into_iter();
        let others = others.filter(|other| self.is_known_to(other.as_ref()));
        let others: Vec<String> = others.map(|other| other.name().to_owned()).collect();
        let know = if others.len() == 1 { "knows" } else { "know" };
        Failure::usage(
            self.option,
            format!("with the preset {}", matcher.name()),
            format!("--preset {}, which alone {know} it", others.join(" or ")),
        )
    }
}

impl Method {
    /// The matcher with everything that the options set, and that knows what `others` ask for.
    pub(crate) fn matcher(
        &self,
        seed: u64,
        others: Vec<Wish>,
    ) -> Result<Box<dyn Matcher>, Failure> {
        let mut wishes = self.wishes();
        wishes.extend(others);
        let matcher = match &self.weights {
            Some(path) => learned(path)?,
            None => self.preset(&wishes)?,
        };
        Wish::check(&wishes, matcher.as_ref())?;
        let mut settings = Settings::new();
        for wish in wishes {
            if let Kind::Parameter(name, value) = wish.kind {
                settings.insert(name.to_owned(), value);
            }
        }
        let own = matcher.parameters();
        let is_own = |name: &str| own.contains_key(name.split('.').next().unwrap_or(name));
        let (given, of_solver): (Vec<_>, Vec<_>) = self
            .settings
            .iter()
            .cloned()
            .partition(|(name, _)| self.solver.is_none() || is_own(name));
        settings.extend(given);
        if let Some(name) = &self.solver {
            let mut options: Settings = of_solver.into_iter().collect();
            // Asked for here, the error names the solver's own parameter.
            solvers::configured(name, &options)?;
            options.insert("name".to_owned(), json!(name));
            settings.insert("solver".to_owned(), Value::Object(options));
        }
        configured(matcher.as_ref(), settings, seed)
    }

    /// The preset that was named, or the first one that knows the first option that not all know.
    fn preset(&self, wishes: &[Wish]) -> Result<Box<dyn Matcher>, Failure> {
        if let Some(name) = &self.preset {
            return Ok(registry::by_name(name)?);
        }
        let mut all = registry::all();
        let first = &all[0];
        let unknown = wishes.iter().find(|w| !w.is_known_to(first.as_ref()));
        let place = unknown.and_then(|wish| all.iter().position(|m| wish.is_known_to(m.as_ref())));
        Ok(all.swap_remove(place.unwrap_or(0)))
    }

    fn wishes(&self) -> Vec<Wish> {
        let paper = &self.paper;
        let mut wishes = Vec::new();
        let mut wish = |option, name, value: Option<Value>| {
            wishes.extend(value.map(|value| Wish::parameter(option, name, value)));
        };
        let flag = |given: bool| given.then_some(json!(true));
        let number = |value: Option<f64>| value.map(|v| json!(v));
        wish(
            "--allow-unmatched",
            "allow_unmatched",
            flag(self.allow_unmatched),
        );
        wish(
            "--repair-anchors",
            "repair_anchors",
            flag(self.repair_anchors),
        );
        wish("--top", "top", self.top.map(|top| json!(top)));
        wish("--regime", "regime", self.regime.as_ref().map(|r| json!(r)));
        wish(
            "--points-model",
            "points_model",
            self.points_model.map(PointsModel::setting),
        );
        wish("--solver", "solver", self.solver.as_ref().map(|s| json!(s)));
        wish("--terms", "terms", paper.terms.map(|t| json!(t)));
        wish("--tau", "tau", number(paper.tau));
        wish("--width", "width", number(paper.width));
        wish(
            "--eigenvectors",
            "eigenvectors",
            paper.eigenvectors.map(|k| json!(k)),
        );
        wish("--c-b", "c_b", number(paper.c_b));
        wish("--c-ap", "c_ap", number(paper.c_ap));
        let mode = paper.learner.and_then(|mode| mode.to_possible_value());
        wish(
            "--learner",
            "learner.mode",
            mode.map(|mode| json!(mode.get_name())),
        );
        wish("--learner-c", "learner.c", number(paper.learner_c));
        if self.node_similarity.is_some() {
            wishes.push(Wish::fact("--node-similarity", Fact::Similarity));
        }
        wishes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anchormatch::{Matching, Monitor, Task};
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        method: Method,
    }

    fn matcher(options: &str) -> Result<Box<dyn Matcher>, Failure> {
        let words = std::iter::once("x").chain(options.split_whitespace());
        Line::try_parse_from(words)
            .unwrap()
            .method
            .matcher(3, Vec::new())
    }

    #[test]
    fn defaults_in_the_help_are_those_of_the_library() {
        let paper = registry::by_name("paper").unwrap().parameters();
        // The texts of the options above.
        let wanted = json!({
            "terms": "heat+b+ap", "tau": 1.0, "width": 0.15, "eigenvectors": 8, "c_b": 8.0, "c_ap": 3.0,
        });
        for (name, value) in wanted.as_object().unwrap() {
            assert_eq!(&paper[name], value, "{name}");
        }
        assert_eq!(paper["learner"]["c"], json!(100.0));
        assert_eq!(paper["learner"]["mode"], json!("projected"));
        assert_eq!(paper["solver"]["name"], json!("rrwm"));
    }

    #[test]
    fn options_become_parameters() {
        let paper = matcher("--terms heat --learner exact --learner-c 5 --solver faq")
            .ok()
            .unwrap();
        assert_eq!(paper.name(), "paper");
        let parameters = paper.parameters();
        assert_eq!(parameters["terms"], json!("heat"));
        assert_eq!(parameters["learner"]["mode"], json!("exact"));
        assert_eq!(parameters["learner"]["c"], json!(5.0));
        assert_eq!(parameters["solver"]["name"], json!("faq"));
        assert_eq!(parameters["seed"], json!(3));
        let tuned = matcher("--solver rrwm --set walk=0.4 --set repair_anchors=true")
            .ok()
            .unwrap();
        assert_eq!(tuned.parameters()["solver"]["walk"], json!(0.4));
        assert_eq!(tuned.parameters()["repair_anchors"], json!(true));
        let heat = matcher("--preset paper --set terms=heat --set learner.c=7")
            .ok()
            .unwrap();
        assert_eq!(heat.parameters()["terms"], json!("heat"));
        assert_eq!(heat.parameters()["learner"]["c"], json!(7.0));
        let best = matcher("--allow-unmatched").ok().unwrap();
        assert_eq!(best.name(), "best");
        assert_eq!(best.parameters()["allow_unmatched"], json!(true));
        assert_eq!(matcher("").ok().unwrap().name(), "best");
    }

    #[test]
    fn a_matcher_without_a_seed_gets_none() {
        struct Still;

        impl Matcher for Still {
            fn name(&self) -> &'static str {
                "still"
            }

            fn about(&self) -> &'static str {
                "Draws nothing"
            }

            fn parameters(&self) -> Settings {
                Settings::new()
            }

            fn configured(&self, settings: &Settings) -> anchormatch::Result<Box<dyn Matcher>> {
                assert!(settings.is_empty(), "{settings:?}");
                Ok(Box::new(Self))
            }

            fn run(&self, task: &Task<'_>, _: &Monitor) -> anchormatch::Result<Matching> {
                registry::all()[0].run(task, &Monitor::silent())
            }
        }

        assert!(configured(&Still, Settings::new(), 3).is_ok());
    }

    #[test]
    fn options_of_another_preset_are_refused() {
        for (options, words) in [
            (
                "--preset best --tau 2",
                ["--tau", "--preset paper, which alone knows it"],
            ),
            (
                "--preset paper --allow-unmatched",
                ["--allow-unmatched", "--preset best or fast, which"],
            ),
            (
                "--preset paper --points-model affine",
                ["--points-model", "--preset best or fast, which"],
            ),
            (
                "--terms heat --node-similarity f",
                ["--node-similarity", "--preset best or fast, which"],
            ),
        ] {
            let message = format!("{:?}", matcher(options).err().unwrap());
            assert!(words.iter().all(|word| message.contains(word)), "{message}");
        }
    }
}
