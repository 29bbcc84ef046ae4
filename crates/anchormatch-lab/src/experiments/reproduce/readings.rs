//! The paper read in every way that its text allows, and the experiments of Section 5 under each.
//!
//! A [`Reading`] says what each of the six variants is. All readings run on the same trials: what two of them
//! share, `heat` say, runs once, so that an experiment's protocol has the union of their entries ([`Part::protocol`]),
//! and [`Part::under`] shows its results as those of one reading, which [`claims`](super::claims) then judges like any
//! others.

use anchormatch::Result;
use anchormatch::affinity::proximity::Metric;
use anchormatch::matcher::{AnchorHeat, Features, FirstOrder, Paper, Reading as Text, Terms};

use super::claims::{Claim, claims};
use super::entry::{Entry, WIDE};
use super::experiment::{Book, Experiment, Setup};
use super::films::by_anchors;
use super::protocol::Protocol;
use super::published;
use super::results::Results;

/// One reading of the paper.
#[derive(Debug, Clone)]
pub struct Reading {
    /// Its name in tables.
    pub name: &'static str,
    /// What it takes the text to say.
    pub about: &'static str,
    /// Whether RRWM counts first-order terms in the pairs.
    linear: bool,
    /// Whether iv and v have the weight 1.
    unit_weights: bool,
    /// Whether the affinities of absent edges are 0 in the baseline.
    present_edges: bool,
    metric: Metric,
    text: Text,
}

impl Reading {
    /// All of them: the literal W first, then the preset's, then one change each.
    #[must_use]
    pub fn all() -> Vec<Self> {
        let literal = Self {
            name: "diagonal",
            about: "W as the formula has it: first-order terms on its diagonal, which RRWM meets as self-loops",
            linear: false,
            unit_weights: false,
            present_edges: false,
            metric: Metric::Joint,
            text: Text::default(),
        };
        let linear = Self {
            name: "linear",
            about: "the same program on full assignments, first-order terms counted in the pairs; the preset",
            linear: true,
            ..literal.clone()
        };
        let text = |change: fn(&mut Text)| {
            let mut text = Text::default();
            change(&mut text);
            text
        };
        vec![
            Self {
                name: "diagonal, c = 1",
                about: "diagonal, and c = 1 in iv and v, where vi has 3 and 8",
                unit_weights: true,
                ..literal.clone()
            },
            Self {
                name: "linear, c = 1",
                about: "linear, and c = 1 in iv and v",
                unit_weights: true,
                ..linear.clone()
            },
            Self {
                name: "absent edges",
                about: "linear, and the affinities of absent edges are 0 in the baseline, as in the program of its authors",
                present_edges: true,
                ..linear.clone()
            },
            Self {
                name: "affinity of sum",
                about: "linear, and one affinity of c_B d_B + c_ap d_ap in place of a sum of two",
                text: text(|text| text.first_order = FirstOrder::AffinityOfSum),
                ..linear.clone()
            },
            Self {
                name: "each anchor",
                about: "linear, and heat compared anchor by anchor",
                text: text(|text| text.anchor_heat = AnchorHeat::Each),
                ..linear.clone()
            },
            Self {
                name: "one metric",
                about: "linear, and d_B² = (θ − θ')ᵀM(θ − θ'), M learned by the same program",
                metric: Metric::Shared,
                ..linear.clone()
            },
            Self {
                name: "one metric, times",
                about: "one metric, and θ is the heat signature at eight times",
                metric: Metric::Shared,
                text: text(|text| text.features = Features::HeatSignatures),
                ..linear.clone()
            },
            Self {
                name: "one metric, each anchor",
                about: "one metric, and heat compared anchor by anchor",
                metric: Metric::Shared,
                text: text(|text| text.anchor_heat = AnchorHeat::Each),
                ..linear.clone()
            },
        ]
        .into_iter()
        .fold(vec![literal, linear], |mut all, reading| {
            all.push(reading);
            all
        })
    }

    /// The preset under this reading.
    #[must_use]
    pub fn paper(&self, terms: Terms) -> Paper {
        let mut paper = Paper::with_terms(terms)
            .with_linear_unary(self.linear)
            .with_reading(self.text);
        paper.learner.metric = self.metric;
        if self.present_edges {
            paper.reading.absent_edges = anchormatch::matcher::AbsentEdges::Unrelated;
        }
        if self.unit_weights && matches!(terms, Terms::HeatAnchors | Terms::HeatProximity) {
            (paper.anchor_weight, paper.proximity_weight) = (1.0, 1.0);
        }
        // What a variant does not use is nobody's choice: equal settings run once.
        let usual = Paper::default();
        if !terms.uses_proximity() {
            (paper.learner, paper.proximity_weight) = (usual.learner, usual.proximity_weight);
            paper.reading.features = usual.reading.features;
        }
        if !terms.uses_heat_to_anchors() {
            paper.anchor_weight = usual.anchor_weight;
            paper.reading.anchor_heat = usual.reading.anchor_heat;
        }
        if terms != Terms::HeatProximityAnchors {
            paper.reading.first_order = usual.reading.first_order;
        }
        if terms.uses_heat() {
            paper.reading.absent_edges = usual.reading.absent_edges;
        }
        if matches!(terms, Terms::Adjacency | Terms::Heat) {
            paper = paper.with_linear_unary(true);
        }
        paper
    }

    /// The six variants on random graphs, with the affinity of the protocol.
    fn synthetic(&self) -> Vec<Entry> {
        let name = Terms::Adjacency.as_str();
        let baseline = if self.present_edges {
            published::baseline_of_present_edges(name)
        } else {
            published::baseline(name)
        };
        let heat = Terms::ALL.into_iter().filter(|terms| terms.uses_heat());
        let heat = heat.map(|t| Entry::paper(t.as_str(), self.paper(t).with_width(WIDE)));
        std::iter::once(baseline).chain(heat).collect()
    }

    /// The six variants on films, and adjacency, heat and the full method at the width of Section 5.1.
    fn films(&self) -> Vec<Entry> {
        let usual = Terms::ALL.map(|t| Entry::paper(t.as_str(), self.paper(t)));
        let wide = [Terms::Adjacency, Terms::Heat, Terms::HeatProximityAnchors]
            .map(|t| Entry::paper(format!("{t} (wide)"), self.paper(t).with_width(WIDE)));
        usual.into_iter().chain(wide).collect()
    }
}

/// An experiment of Section 5 that is run under every reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Part {
    /// Figure 1 (a).
    Noise,
    /// Figure 1 (c), at the paper's noise.
    Density,
    /// Figure 2 (a).
    Hotel,
    /// Figure 3.
    HotelAnchors,
    /// Figure 4 (a).
    House,
    /// Figures 2 (b, c) and 4 (b–d).
    Matchings,
}

impl Part {
    /// All, in the order of the paper.
    pub const ALL: [Self; 6] = [
        Self::Noise,
        Self::Density,
        Self::Hotel,
        Self::HotelAnchors,
        Self::House,
        Self::Matchings,
    ];

    /// The experiment that it repeats.
    #[must_use]
    pub fn experiment(self) -> Experiment {
        match self {
            Self::Noise => Experiment::Noise,
            Self::Density => Experiment::Density,
            Self::Hotel => Experiment::Hotel,
            Self::HotelAnchors => Experiment::HotelAnchors,
            Self::House => Experiment::House,
            Self::Matchings => Experiment::Matchings,
        }
    }

    fn entries(self, reading: &Reading) -> Vec<Entry> {
        match self {
            Self::Noise | Self::Density => reading.synthetic(),
            Self::HotelAnchors => by_anchors(|terms| reading.paper(terms)),
            Self::Hotel | Self::House | Self::Matchings => reading.films(),
        }
    }

    /// What all readings need, each kind once, and where the entries of each stand.
    fn union(self) -> (Vec<Entry>, Vec<Vec<usize>>) {
        let mut all: Vec<(String, Entry)> = Vec::new();
        let mut places = Vec::new();
        for reading in Reading::all() {
            let mut own = Vec::new();
            for mut entry in self.entries(&reading) {
                let key = entry.key();
                let known = all.iter().position(|(other, _)| *other == key);
                own.push(known.unwrap_or(all.len()));
                if known.is_none() {
                    // Commas would be columns.
                    entry.name = format!("{} [{}]", entry.name, reading.name).replace(',', "");
                    all.push((key, entry));
                }
            }
            places.push(own);
        }
        (all.into_iter().map(|(_, entry)| entry).collect(), places)
    }

    /// The experiment with the entries of all readings.
    ///
    /// # Errors
    /// When its data are not there.
    pub fn protocol(self, setup: &Setup) -> Result<Protocol> {
        let mut protocol = setup.protocol(self.experiment())?;
        if self == Self::Density {
            // The paper's noise alone, which comes first.
            protocol.curves.truncate(1);
            let points = protocol.curves[0].places.len();
            protocol.points.truncate(points);
        }
        protocol.name = Experiment::Readings(self).as_str().to_owned();
        protocol.entries = self.union().0;
        Ok(protocol)
    }

    /// The results of all readings as those of one of [`Reading::all`].
    #[must_use]
    pub fn under(self, results: &Results, reading: usize) -> Results {
        let entries = self.entries(&Reading::all()[reading]);
        results.seen_as(entries, &self.union().1[reading])
    }
}

/// What each reading makes of the experiments: a book of its own for each, without those that did not run.
#[must_use]
pub fn books(book: &Book) -> Vec<(Reading, Book)> {
    let readings = Reading::all().into_iter().enumerate();
    let books = readings.map(|(place, reading)| {
        let mut own = Book::new(book.setup().clone());
        for part in Part::ALL {
            if let Ok(results) = book.results(Experiment::Readings(part)) {
                own.enter(part.experiment(), Ok(part.under(results, place)));
            }
        }
        (reading, own)
    });
    books.collect()
}

/// The claims under every reading; none when no reading was run.
#[must_use]
pub fn claims_by_reading(book: &Book) -> Vec<(Reading, Vec<Claim>)> {
    let ran = Part::ALL.map(|part| book.results(Experiment::Readings(part)).is_ok());
    if !ran.contains(&true) {
        return Vec::new();
    }
    let books = books(book).into_iter();
    books
        .map(|(reading, own)| (reading, claims(&own)))
        .collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use anchormatch::Monitor;
    use anchormatch::error::Hint;

    use super::*;
    use crate::experiments::reproduce::{Scale, compare};

    #[test]
    fn readings_share_what_they_have_in_common() {
        for part in Part::ALL {
            let (entries, places) = part.union();
            assert_eq!(places.len(), Reading::all().len());
            let names: HashSet<&str> = entries.iter().map(|e| e.name.as_str()).collect();
            assert_eq!(names.len(), entries.len(), "{part:?}");
            assert!(names.iter().all(|name| !name.contains(',')));
            let most: usize = places.iter().map(Vec::len).sum();
            assert!(
                entries.len() < most / 2,
                "{part:?}: {} of {most}",
                entries.len()
            );
            for (reading, own) in Reading::all().iter().zip(&places) {
                for (entry, &place) in part.entries(reading).iter().zip(own) {
                    assert_eq!(entry.settings(), entries[place].settings());
                    assert_eq!(entry.anchors, entries[place].anchors);
                }
            }
        }
    }

    #[test]
    fn claims_are_judged_under_each() {
        let setup = Setup::new(None, Scale::of(2), 3, Hint::neutral);
        let mut book = Book::new(setup.clone());
        assert!(claims_by_reading(&book).is_empty());
        let mut protocol = Part::Noise.protocol(&setup).unwrap();
        protocol.points.truncate(3);
        protocol.curves[0].places.truncate(3);
        let results = compare(&protocol, &Monitor::silent()).unwrap();
        book.enter(Experiment::Readings(Part::Noise), Ok(results));
        let judged = claims_by_reading(&book);
        assert_eq!(judged.len(), Reading::all().len());
        for (reading, claims) in &judged {
            assert_eq!(claims[0].tests.len(), 2, "{}", reading.name);
            assert_eq!(claims[0].tests[0].estimate.count, 6, "{}", reading.name);
            assert!(claims[1].missing.is_some());
        }
        // Without noise everybody is right.
        let own = &books(&book)[0].1;
        let results = own.results(Experiment::Noise).unwrap();
        assert_eq!(results.accuracy(5, |p, _| p == 0).value, 1.0);
    }
}
