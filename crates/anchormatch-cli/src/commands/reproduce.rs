//! `anchormatch reproduce`: the paper's experiments, on data that the user has.

use std::fmt::Write;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use anchormatch::matcher::{Paper, Terms};
use anchormatch::monitor::Progress;
use anchormatch_lab::datasets::hotel::Hotel;
use anchormatch_lab::experiments::Summary;
use anchormatch_lab::experiments::hotel::{HotelResult, HotelSweep};
use clap::{Args, Subcommand};
use serde_json::{Value, json};

use crate::args::Resources;
use crate::data;
use crate::exit::{Done, Outcome};
use crate::files::{print, write};
use crate::job::Job;
use crate::table::Table;
use crate::values;

/// Pairs of frames at each gap with --quick.
const QUICK: usize = 8;

const LONG_ABOUT: &str = "\
Run the paper's experiments and print their tables, with standard errors, and whether its claims hold \
in this run.";

const HOTEL_ABOUT: &str = "\
The CMU Hotel sequence: 30 landmarks in 101 frames of a film. Pairs of frames 10, 20, …, 90 apart are \
matched with a few random anchors; the table has the accuracy by gap (rows) and variant (columns).

The data is not part of this program. A data folder has the file cmu_hotel/points.csv with the columns \
frame,point,x,y. It is looked for in --data, then in the folder that the variable ANCHORMATCH_DATA \
names, then in ../shared/data, then in ./data.";

const HOTEL_EXAMPLES: &str = "\
Examples:
  anchormatch reproduce hotel --data DIR --quick        8 pairs at each gap: a first impression
  anchormatch reproduce hotel --data DIR --out results  all 459 pairs, and results/hotel.csv
  anchormatch reproduce hotel --data DIR --anchors 5 --terms heat --terms heat+b";

/// Run the paper's experiments
#[derive(Debug, Args)]
#[command(long_about = LONG_ABOUT)]
pub(crate) struct Options {
    #[command(subcommand)]
    experiment: Experiment,
}

#[derive(Debug, Subcommand)]
enum Experiment {
    Hotel(HotelOptions),
}

/// Accuracy on the CMU Hotel sequence by frame gap
#[derive(Debug, Args)]
#[command(long_about = HOTEL_ABOUT, after_help = HOTEL_EXAMPLES)]
struct HotelOptions {
    /// The data folder
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,

    /// Take 8 pairs of frames at each gap instead of all
    #[arg(long, conflicts_with = "trials")]
    quick: bool,

    /// Take at most so many pairs of frames at each gap, spread evenly [default: all]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    trials: Option<u32>,

    /// Anchors of each pair
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(0..30))]
    anchors: u32,

    /// Seed of the anchors and the order of the nodes
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,

    /// A variant to run; may be given several times [default: all six]
    #[arg(long, value_name = "TERMS", value_parser = values::terms())]
    terms: Vec<Terms>,

    /// Write hotel.csv into this folder, which is made where it does not exist
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Write the table as JSON
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    resources: Resources,
}

impl Options {
    /// Whether JSON was asked for.
    pub(crate) fn wants_json(&self) -> bool {
        let Experiment::Hotel(options) = &self.experiment;
        options.json
    }

    /// Runs the experiment.
    pub(crate) fn run(&self) -> Outcome {
        let Experiment::Hotel(options) = &self.experiment;
        options.run()
    }
}

impl HotelOptions {
    fn run(&self) -> Outcome {
        let table_file = data::prepare_out(self.out.as_deref(), "hotel.csv")?;
        let hotel = Hotel::load(&data::directory(self.data.as_deref()))?;
        let job = Job::start(&self.resources, None, self.json)?;
        let mut terms = Vec::new();
        for &one in if self.terms.is_empty() {
            &Terms::ALL[..]
        } else {
            &self.terms
        } {
            if !terms.contains(&one) {
                terms.push(one);
            }
        }
        let sweep = HotelSweep {
            pairs_per_gap: match (self.quick, self.trials) {
                (true, _) => Some(QUICK),
                (false, most) => most.map(|most| most as usize),
            },
            anchors: self.anchors as usize,
            seed: self.seed,
            ..HotelSweep::default()
        };
        let presets: Vec<Paper> = terms.iter().copied().map(Paper::with_terms).collect();
        let trials = sweep.pairs(hotel.frames()).len();
        let done = AtomicUsize::new(0);
        let monitor = job.quiet_monitor();
        let result = sweep.run(&hotel, &presets, &monitor, || {
            job.show(Progress {
                stage: "hotel",
                done: done.fetch_add(1, Ordering::Relaxed) + 1,
                total: Some(trials),
                value: None,
            });
        })?;
        job.finish();
        let table = Hotels {
            terms: &terms,
            result: &result,
            anchors: sweep.anchors,
        };
        if let Some(file) = &table_file {
            write(file, &table.csv())?;
        }
        if self.json {
            print(&format!("{:#}\n", table.json(self.seed)))?;
        } else {
            print(&table.text())?;
        }
        Ok(Done::Complete)
    }
}

/// The result and how it is told.
struct Hotels<'a> {
    terms: &'a [Terms],
    result: &'a HotelResult,
    anchors: usize,
}

impl Hotels<'_> {
    fn text(&self) -> String {
        let names = self.terms.iter().map(|terms| terms.to_string());
        let mut table = Table::new(
            ["gap".to_owned(), "pairs".to_owned()]
                .into_iter()
                .chain(names),
        );
        for (gap, row) in self.result.gaps.iter().zip(&self.result.by_gap) {
            let cells = row.iter().map(|summary| format!("{:.3}", summary.mean));
            let pairs = row.first().map_or(0, |summary| summary.count);
            table.row(
                [gap.to_string(), pairs.to_string()]
                    .into_iter()
                    .chain(cells),
            );
        }
        let overall = &self.result.overall;
        let cells = overall.iter().map(|s| format!("{:.3}", s.mean));
        let pairs = overall.first().map_or(0, |summary| summary.count);
        table.row(
            ["all".to_owned(), pairs.to_string()]
                .into_iter()
                .chain(cells),
        );
        let cells = overall.iter().map(|s| format!("±{:.3}", s.standard_error));
        table.row([String::new(), String::new()].into_iter().chain(cells));
        let mut text = format!(
            "CMU Hotel: accuracy by frame gap, {} anchors a pair.\n\n{}",
            self.anchors,
            table.text()
        );
        let claims = self.claims();
        if !claims.is_empty() {
            text.push('\n');
        }
        for claim in claims {
            writeln!(text, "{}", claim.sentence()).expect("writing into a string cannot fail");
        }
        text
    }

    /// One row for each gap and variant, and one for all gaps together.
    fn csv(&self) -> String {
        let mut text = "gap,terms,pairs,accuracy,standard_error\n".to_owned();
        let gaps = self.result.gaps.iter().map(usize::to_string);
        let rows = gaps.zip(&self.result.by_gap);
        for (gap, row) in rows.chain([("all".to_owned(), &self.result.overall)]) {
            for (terms, summary) in self.terms.iter().zip(row) {
                writeln!(
                    text,
                    "{gap},{terms},{},{},{}",
                    summary.count, summary.mean, summary.standard_error
                )
                .expect("writing into a string cannot fail");
            }
        }
        text
    }

    fn json(&self, seed: u64) -> Value {
        let row = |summaries: &[Summary]| -> Value {
            let cells = self.terms.iter().zip(summaries).map(|(terms, summary)| {
                let cell = json!({
                    "pairs": summary.count,
                    "accuracy": summary.mean,
                    "standard_error": summary.standard_error,
                });
                (terms.to_string(), cell)
            });
            Value::Object(cells.collect())
        };
        let gaps = self.result.gaps.iter().zip(&self.result.by_gap);
        let by_gap: Vec<Value> = gaps
            .map(|(gap, summaries)| json!({ "gap": gap, "variants": row(summaries) }))
            .collect();
        let claims: Vec<Value> = self
            .claims()
            .iter()
            .map(|claim| {
                json!({
                    "better": claim.better.as_str(),
                    "worse": claim.worse.as_str(),
                    "difference": claim.difference.mean,
                    "standard_error": claim.difference.standard_error,
                    "holds": claim.difference.mean > 0.0,
                })
            })
            .collect();
        json!({
            "experiment": "hotel",
            "anchors": self.anchors,
            "seed": seed,
            "by_gap": by_gap,
            "overall": row(&self.result.overall),
            "claims": claims,
        })
    }

    /// The paper's claims, as far as the variants that were run allow.
    fn claims(&self) -> Vec<Claim> {
        let better = Terms::HeatProximityAnchors;
        let place = |terms| self.terms.iter().position(|&other| other == terms);
        [Terms::Heat, Terms::Adjacency]
            .into_iter()
            .filter_map(|worse| {
                let (b, w) = (place(better)?, place(worse)?);
                let differences = self.result.accuracy.iter().map(|row| row[b] - row[w]);
                Some(Claim {
                    better,
                    worse,
                    difference: Summary::of(differences),
                })
            })
            .collect()
    }
}

/// That one variant finds more than another; the difference is taken pair by pair.
struct Claim {
    better: Terms,
    worse: Terms,
    difference: Summary,
}

impl Claim {
    fn sentence(&self) -> String {
        let Self { better, worse, .. } = self;
        let Summary {
            mean,
            standard_error,
            ..
        } = self.difference;
        let verdict = if mean > 0.0 {
            "is above"
        } else if mean < 0.0 {
            "is below"
        } else {
            "equals"
        };
        let clear = if mean.abs() > 2.0 * standard_error {
            ""
        } else {
            ", which is within two standard errors of zero"
        };
        format!(
            "{better} {verdict} {worse} in this run: the mean difference over the same pairs is \
             {mean:+.3} ± {standard_error:.3}{clear}."
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim(differences: [f64; 4]) -> String {
        let claim = Claim {
            better: Terms::HeatProximityAnchors,
            worse: Terms::Heat,
            difference: Summary::of(differences),
        };
        claim.sentence()
    }

    #[test]
    fn claims_are_told_as_they_came_out() {
        assert_eq!(
            claim([0.1, 0.1, 0.1, 0.1]),
            "heat+b+ap is above heat in this run: the mean difference over the same pairs is \
             +0.100 ± 0.000."
        );
        assert!(claim([-0.1, -0.2, -0.1, -0.2]).contains("is below heat"));
        assert!(claim([-0.5, 0.5, 0.6, -0.5]).contains("within two standard errors"));
    }
}
