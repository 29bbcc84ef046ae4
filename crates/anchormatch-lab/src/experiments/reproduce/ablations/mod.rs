//! What the paper leaves open, one choice at a time.
//!
//! The paper does not say how a distance becomes an affinity, nor which t, K, C and Ω it used. Each row
//! of the table changes one of these in the full method, heat+b+ap, and is compared with the default
//! trial by trial, on three kinds of pairs: random graphs with σ = 0.2, Hotel frames 60 to 90 apart, and
//! views of our house whose pans lie 25° apart or more. Pairs are drawn with their anchors, one a trial.

mod recipe;

use anchormatch::affinity::proximity::{Learner, Metric, Mode};
use anchormatch::matcher::{
    AnchorHeat, Features, FirstOrder, Paper, ProximityLearner, Reading, Terms,
};
use anchormatch_generate::{Synthetic, house, stream};
use rand::RngExt;

use self::recipe::{AnchorTerm, First, Recipe, Second, by_hand};
use super::entry::Entry;
use super::films::Film;
use super::protocol::{Point, Protocol, derived_seed};
use super::scale::Scale;
use crate::matchers::Loss;

/// The names of the three kinds of pairs, in the order of the curves.
pub const KINDS: [&str; 3] = ["synthetic", "hotel", "house"];

/// A row of the table.
#[derive(Debug, Clone)]
pub struct Choice {
    /// What is open.
    pub question: &'static str,
    /// What this row takes.
    pub value: String,
    /// The place of its entry; rows that are the default share the first.
    pub place: usize,
    /// The place of the entry that it is compared with.
    pub beside: usize,
}

impl Choice {
    /// Whether it is what the preset does.
    #[must_use]
    pub fn is_default(&self) -> bool {
        self.place == self.beside
    }
}

/// All rows, and who runs.
#[derive(Debug, Clone)]
pub struct Choices {
    /// The rows of the table, by question.
    pub rows: Vec<Choice>,
    /// The entries; the first is the default, then d_k and adjacency alone.
    pub entries: Vec<Entry>,
}

impl Choices {
    /// The questions about the kernel's width: of the full method, of d_k and of adjacency alone.
    pub const WIDTH_QUESTIONS: [&'static str; 3] =
        ["width s, heat+b+ap", "width s, heat", "width s, adjacency"];

    /// The open choices of the paper.
    #[must_use]
    pub fn standard() -> Self {
        let full = Entry::paper("heat+b+ap", Paper::default());
        let heat = Entry::paper("heat", Paper::with_terms(Terms::Heat));
        let adjacency = Entry::paper("adjacency", Paper::with_terms(Terms::Adjacency));
        let mut choices = Self {
            rows: Vec::new(),
            entries: vec![full, heat, adjacency],
        };
        choices.widths();
        choices.forms();
        choices.parameters();
        choices.learning();
        choices.anchor_terms();
        choices.readings();
        choices
    }

    fn default_row(&mut self, question: &'static str, value: impl Into<String>) {
        self.row(question, value.into(), 0, 0);
    }

    fn row(&mut self, question: &'static str, value: String, place: usize, beside: usize) {
        self.rows.push(Choice {
            question,
            value,
            place,
            beside,
        });
    }

    fn add(
        &mut self,
        question: &'static str,
        value: impl Into<String>,
        beside: usize,
        mut entry: Entry,
    ) {
        let value = value.into();
        // Commas would be columns.
        entry.name = format!("{question}: {value}").replace(',', "");
        let place = self.entries.len();
        self.entries.push(entry);
        self.row(question, value, place, beside);
    }

    fn preset(&mut self, question: &'static str, value: impl Into<String>, preset: Paper) {
        self.add(question, value, 0, Entry::paper("", preset));
    }

    fn widths(&mut self) {
        const WIDTHS: [f64; 7] = [0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 1.0];
        let usual = Paper::default().width;
        let terms = [Terms::HeatProximityAnchors, Terms::Heat, Terms::Adjacency];
        for ((place, terms), question) in (0..).zip(terms).zip(Self::WIDTH_QUESTIONS) {
            for width in WIDTHS {
                if width == usual {
                    self.row(question, width.to_string(), place, place);
                    continue;
                }
                let preset = Paper::with_terms(terms).with_width(width);
                self.add(question, width.to_string(), place, Entry::paper("", preset));
            }
        }
    }

    fn forms(&mut self) {
        let question = "affinity, second order";
        self.default_row(question, "exp(−d²/s), mean without diagonal");
        self.add(
            question,
            "exp(−d²/s), mean with diagonal",
            0,
            by_hand(Recipe {
                second: Second::DiagonalMean,
                ..Recipe::default()
            }),
        );
        self.add(
            question,
            "exp(−d/s)",
            0,
            by_hand(Recipe {
                second: Second::Exponential,
                ..Recipe::default()
            })
            .slow(),
        );
        self.add(
            question,
            "1 − d/max d",
            0,
            by_hand(Recipe {
                second: Second::Linear,
                ..Recipe::default()
            })
            .slow(),
        );
        let question = "affinity, first order";
        self.default_row(question, "c exp(−d/mean d)");
        for (value, first) in [
            ("c exp(−d²/mean d²)", First::Gaussian),
            ("c (1 − d/max d)", First::Linear),
        ] {
            self.add(
                question,
                value,
                0,
                by_hand(Recipe {
                    first,
                    ..Recipe::default()
                }),
            );
        }
        let question = "weights c_B and c_ap";
        for (proximity_weight, anchor_weight) in [(1.0, 1.0), (4.0, 1.5), (8.0, 3.0), (16.0, 6.0)] {
            let value = format!("{proximity_weight} and {anchor_weight}");
            if (proximity_weight, anchor_weight) == (8.0, 3.0) {
                self.default_row(question, value);
                continue;
            }
            self.preset(
                question,
                value,
                paper(|paper| {
                    paper.proximity_weight = proximity_weight;
                    paper.anchor_weight = anchor_weight;
                }),
            );
        }
    }

    fn parameters(&mut self) {
        let question = "diffusion time τ";
        for tau in [0.1, 0.3, 1.0, 3.0, 10.0] {
            if tau == 1.0 {
                self.default_row(question, "1");
                continue;
            }
            self.preset(question, tau.to_string(), paper(|paper| paper.tau = tau));
        }
        let question = "eigenvectors K";
        for (value, eigenvectors) in [
            ("2", 2),
            ("4", 4),
            ("8", 8),
            ("16", 16),
            ("all", usize::MAX),
        ] {
            if eigenvectors == 8 {
                self.default_row(question, value);
                continue;
            }
            self.preset(
                question,
                value,
                paper(|paper| paper.eigenvectors = eigenvectors),
            );
        }
    }

    fn learning(&mut self) {
        let learner = Learner::default();
        let with = |change: fn(&mut Learner, f64), value: f64| {
            let mut changed = learner;
            change(&mut changed, value);
            paper(|paper| paper.learner = changed)
        };
        let question = "price of slack C";
        for c in [1.0, 10.0, 100.0, 1000.0] {
            if c == learner.c {
                self.default_row(question, c.to_string());
                continue;
            }
            let changed = with(|learner, c| learner.c = c, c);
            self.preset(question, c.to_string(), changed);
        }
        let question = "loss Ω";
        self.default_row(question, "diffusion distance");
        for (value, loss) in [("constant", Loss::Constant), ("heat kernel", Loss::Kernel)] {
            self.add(
                question,
                value,
                0,
                by_hand(Recipe {
                    loss,
                    ..Recipe::default()
                }),
            );
        }
        let question = "prior β of B";
        self.default_row(question, "0");
        for prior in [0.01, 0.1, 1.0] {
            let changed = with(|learner, prior| learner.prior = prior, prior);
            self.preset(question, prior.to_string(), changed);
        }
        let question = "B ⪰ 0";
        self.default_row(question, "projected afterwards");
        for (value, prior) in [("exact", learner.prior), ("exact, β = 0.1", 0.1)] {
            let exact = |learner: &mut Learner, prior| {
                (learner.mode, learner.prior) = (Mode::Exact, prior);
            };
            self.preset(question, value, with(exact, prior));
        }
    }

    fn anchor_terms(&mut self) {
        let question = "heat to anchors";
        self.default_row(question, "summed, then compared");
        let each = reading(|reading| reading.anchor_heat = AnchorHeat::Each);
        self.preset(question, "compared by anchor, then summed", each);
        self.add(
            question,
            "anchors folded in exactly",
            0,
            by_hand(Recipe {
                anchors: AnchorTerm::Folded,
                ..Recipe::default()
            }),
        );
        self.preset(
            question,
            "none (heat+b)",
            Paper::with_terms(Terms::HeatProximity),
        );
        let question = "learned proximity";
        self.default_row(question, "with d_B");
        self.preset(
            question,
            "none (heat+ap)",
            Paper::with_terms(Terms::HeatAnchors),
        );
        self.add(
            question,
            "none, anchors folded in exactly",
            0,
            by_hand(Recipe {
                anchors: AnchorTerm::Folded,
                proximity: false,
                ..Recipe::default()
            }),
        );
    }
}

impl Choices {
    /// Where the text allows more than one reading.
    fn readings(&mut self) {
        let question = "first order in RRWM";
        self.default_row(question, "counted in the pairs");
        let diagonal = Paper::default().with_linear_unary(false);
        self.preset(question, "on W's diagonal, literally", diagonal);
        let question = "affinity of the first order";
        self.default_row(question, "sum of affinities");
        let sum = reading(|reading| reading.first_order = FirstOrder::AffinityOfSum);
        self.preset(question, "affinity of the sum", sum);
        let question = "metric of d_B";
        self.default_row(question, "B for both graphs together");
        let shared = || paper(|paper| paper.learner.metric = Metric::Shared);
        self.preset(question, "one M of the difference", shared());
        let mut several = shared();
        several.reading.features = Features::HeatSignatures;
        self.preset(question, "one M, heat at several times as θ", several);
        let xing = reading(|reading| reading.proximity_learner = ProximityLearner::Xing);
        self.preset(question, "one M after Xing et al.", xing);
        let question = "θ";
        self.default_row(question, "φ²");
        let heat = reading(|reading| reading.features = Features::HeatSignatures);
        self.preset(question, "heat at several times", heat);
        for (question, terms, usual) in [
            ("weight c_ap in iv", Terms::HeatAnchors, "3"),
            ("weight c_B in v", Terms::HeatProximity, "8"),
        ] {
            let wanted = format!("none ({terms})");
            let row = self.rows.iter().find(|row| row.value == wanted);
            let place = row.expect("a row of that variant").place;
            self.row(question, usual.to_owned(), place, place);
            let mut unit = Paper::with_terms(terms);
            (unit.anchor_weight, unit.proximity_weight) = (1.0, 1.0);
            self.add(
                question,
                "1, as the paper says",
                place,
                Entry::paper("", unit),
            );
        }
    }
}

/// The preset with the text read otherwise.
fn reading(change: impl FnOnce(&mut Reading)) -> Paper {
    let mut reading = Reading::default();
    change(&mut reading);
    Paper::default().with_reading(reading)
}

/// The preset with something changed.
fn paper(change: impl FnOnce(&mut Paper)) -> Paper {
    let mut paper = Paper::default();
    change(&mut paper);
    paper
}

/// The protocol of the ablations; without Hotel where it is not there.
#[must_use]
pub fn ablations(hotel: Option<&Film>, scale: &Scale, seed: u64) -> Protocol {
    let entries = Choices::standard().entries;
    let trials = scale.ablations;
    let graphs = Synthetic {
        noise: 0.2,
        ..Synthetic::default()
    };
    let point = Point::synthetic("ablations", graphs, 2, trials, seed);
    let mut protocol = Protocol::sweep("ablations", "kind", vec![(0.0, point)], entries, seed);
    protocol.curves[0].name = KINDS[0].to_owned();
    if let Some(film) = hotel {
        let far = |from: usize, to: usize| (60..=90).contains(&(to - from));
        let point = random_pairs(film, "hotel, gaps 60 to 90", (2, trials), seed, far);
        protocol.add_curve(KINDS[1], "kind", vec![(0.0, point)]);
        protocol.data = Some(film.data.clone());
    }
    let views: Vec<house::View> = house::grid().collect();
    let far = move |from: usize, to: usize| {
        (views[from].pan_degrees - views[to].pan_degrees).abs() >= 25.0
    };
    let mut point = random_pairs(
        &Film::our_house(),
        "house, pans 25 apart",
        (2, trials),
        seed,
        far,
    );
    // A matrix of n⁴ entries of 49 nodes is too much to multiply by so often.
    point.slow = false;
    protocol.add_curve(KINDS[2], "kind", vec![(0.0, point)]);
    protocol
}

/// Trials on pairs of views, uniform among those that `keep` takes; so many anchors in each of so many.
pub(super) fn random_pairs(
    film: &Film,
    name: &str,
    (anchors, trials): (usize, usize),
    seed: u64,
    keep: impl Fn(usize, usize) -> bool,
) -> Point {
    let all = (0..film.views).flat_map(|to| (0..to).map(move |from| [from, to]));
    let pairs: Vec<[usize; 2]> = all.filter(|&[from, to]| keep(from, to)).collect();
    // Commas would be columns.
    let name = name.replace(',', "");
    let (film, stem) = (film.clone(), name.clone());
    Point::new(name, trials, move |k| {
        let seed = derived_seed(seed, &[&stem, &k]);
        let pair = pairs[stream(seed, 101).random_range(0..pairs.len())];
        film.trial(pair, anchors, seed)
    })
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use anchormatch::Monitor;

    use super::*;

    #[test]
    fn every_question_has_its_default_and_every_entry_its_row() {
        let choices = Choices::standard();
        let mut seen: HashSet<usize> = [0, 1, 2].into();
        let questions: Vec<&str> = choices.rows.iter().map(|row| row.question).collect();
        for question in &questions {
            let of = || choices.rows.iter().filter(|row| row.question == *question);
            assert_eq!(of().filter(|row| row.is_default()).count(), 1, "{question}");
            assert!(of().count() > 1, "{question}");
        }
        for row in &choices.rows {
            assert!(row.is_default() || seen.insert(row.place), "{row:?}");
        }
        assert_eq!(seen.len(), choices.entries.len());
        let names: HashSet<&str> = choices.entries.iter().map(|c| c.name.as_str()).collect();
        assert_eq!(names.len(), choices.entries.len());
        assert!(names.iter().all(|name| !name.contains(',')));
    }

    #[test]
    fn the_default_recipe_is_the_preset() {
        let protocol = ablations(None, &Scale::of(2), 5);
        let monitor = Monitor::silent();
        let usual = by_hand(Recipe::default());
        for point in &protocol.points {
            let trial = point.trial(1).unwrap();
            let (a, _) = usual.run(&trial, 0, &monitor).unwrap();
            let (b, _) = protocol.entries[0].run(&trial, 0, &monitor).unwrap();
            assert_eq!(a.pairs, b.pairs);
        }
    }

    #[test]
    fn every_choice_runs() {
        let protocol = ablations(None, &Scale::of(1), 5);
        let trial = protocol.points[0].trial(0).unwrap();
        for entry in &protocol.entries {
            let (_, outcome) = entry.run(&trial, 0, &Monitor::silent()).unwrap();
            assert_eq!(outcome.asked, 18, "{}", entry.name);
        }
    }
}
