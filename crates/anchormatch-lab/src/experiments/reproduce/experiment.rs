//! The experiments by name, what they need, and what came of them.

use std::path::Path;
use std::sync::Arc;

use anchormatch::error::Words;
use anchormatch::{Error, Result};

use super::ablations::ablations;
use super::films::{self, Film};
use super::protocol::Protocol;
use super::published::published;
use super::readings::Part;
use super::results::Results;
use super::scale::Scale;
use super::synthetic;
use crate::datasets::DatasetError;
use crate::datasets::hotel::Hotel;
use crate::datasets::pose_house::PoseHouse;

/// One experiment of Section 5, or one beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Experiment {
    /// Figure 1 (a, d).
    Noise,
    /// Figure 1 (b, e).
    Outliers,
    /// Figure 1 (c, f).
    Density,
    /// Figure 2 (a).
    Hotel,
    /// Figure 3.
    HotelAnchors,
    /// Figure 4 (a).
    House,
    /// Figures 2 (b, c) and 4 (b–d).
    Matchings,
    /// The choices that the paper leaves open.
    Ablations,
    /// Points at which others have published or measured figures.
    Published,
    /// One of the others under every reading of the text.
    Readings(Part),
}

impl Experiment {
    /// All, in the order of the paper.
    pub const ALL: [Self; 15] = [
        Self::Noise,
        Self::Outliers,
        Self::Density,
        Self::Hotel,
        Self::HotelAnchors,
        Self::House,
        Self::Matchings,
        Self::Ablations,
        Self::Published,
        Self::Readings(Part::Noise),
        Self::Readings(Part::Density),
        Self::Readings(Part::Hotel),
        Self::Readings(Part::HotelAnchors),
        Self::Readings(Part::House),
        Self::Readings(Part::Matchings),
    ];

    /// The name of all [`Readings`](Self::Readings) together.
    pub const READINGS: &'static str = "readings";

    /// The name on the command line, of the journal and of the tables.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Noise => "noise",
            Self::Outliers => "outliers",
            Self::Density => "density",
            Self::Hotel => "hotel",
            Self::HotelAnchors => "hotel-anchors",
            Self::House => "house",
            Self::Matchings => "matchings",
            Self::Ablations => "ablations",
            Self::Published => "published",
            Self::Readings(Part::Noise) => "readings-noise",
            Self::Readings(Part::Density) => "readings-density",
            Self::Readings(Part::Hotel) => "readings-hotel",
            Self::Readings(Part::HotelAnchors) => "readings-hotel-anchors",
            Self::Readings(Part::House) => "readings-house",
            Self::Readings(Part::Matchings) => "readings-matchings",
        }
    }

    /// What it is, in a line.
    #[must_use]
    pub fn about(self) -> &'static str {
        match self {
            Self::Noise => "synthetic graphs, noise σ: Figure 1 (a, d)",
            Self::Outliers => "synthetic graphs, outliers with and without noise: Figure 1 (b, e)",
            Self::Density => "synthetic graphs, edge density at σ .5 and .25: Figure 1 (c, f)",
            Self::Hotel => "CMU Hotel, each frame to the others, and by gap: Figure 2 (a)",
            Self::HotelAnchors => "CMU Hotel with 2, 5 and 10 anchors, without d_ap: Figure 3",
            Self::House => "pose house, 10 pans × 7 tilts: Figure 4 (a)",
            Self::Matchings => "example matchings: Figures 2 (b, c) and 4 (b–d)",
            Self::Ablations => "what the paper leaves open, one choice at a time",
            Self::Published => "beside figures that others published or measured",
            Self::Readings(Part::Noise) => "noise under every reading of the text",
            Self::Readings(Part::Density) => "edge density at σ .5 under every reading",
            Self::Readings(Part::Hotel) => "CMU Hotel under every reading",
            Self::Readings(Part::HotelAnchors) => "2, 5 and 10 anchors under every reading",
            Self::Readings(Part::House) => "pose house under every reading",
            Self::Readings(Part::Matchings) => "example matchings under every reading",
        }
    }

    /// The experiment of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|e| e.as_str() == name)
    }
}

/// What experiments run on.
#[derive(Debug, Clone)]
pub struct Setup {
    /// How much.
    pub scale: Scale,
    /// The master seed.
    pub seed: u64,
    /// The Hotel sequence, or why it is not there.
    pub hotel: std::result::Result<Film, String>,
    /// The house: the original where it is there, else ours.
    pub house: std::result::Result<Film, String>,
    /// Whether the house is our own.
    pub our_house: bool,
}

impl Setup {
    /// Reads the data sets that `folder` has, if there is one; what is missing is said in `words`.
    #[must_use]
    pub fn new(folder: Option<&Path>, scale: Scale, seed: u64, words: Words) -> Self {
        let folder = || folder.ok_or(DatasetError::Unnamed);
        let hotel = folder().and_then(Hotel::load);
        let hotel = hotel.map(|hotel| Film::hotel(Arc::new(hotel)));
        let (house, our_house) = match folder().and_then(PoseHouse::load) {
            Ok(film) => (Ok(Film::pose_house(Arc::new(film))), false),
            Err(DatasetError::Missing { .. } | DatasetError::Unnamed) => {
                (Ok(Film::our_house()), true)
            }
            // Somebody has it and it is damaged: ours in its place would hide that.
            Err(error) => (Err(error.worded(words)), false),
        };
        Self {
            scale,
            seed,
            hotel: hotel.map_err(|error| error.worded(words)),
            house,
            our_house,
        }
    }

    /// What an experiment runs.
    ///
    /// # Errors
    /// When its data are not there; the error says what is missing and where it should be.
    pub fn protocol(&self, experiment: Experiment) -> Result<Protocol> {
        let Self { scale, seed, .. } = self;
        let hotel = || {
            self.hotel
                .as_ref()
                .map_err(|reason| Error::Graph(reason.clone()))
        };
        let house = || {
            self.house
                .as_ref()
                .map_err(|reason| Error::Graph(reason.clone()))
        };
        Ok(match experiment {
            Experiment::Noise => synthetic::noise(scale, *seed),
            Experiment::Outliers => synthetic::outliers(scale, *seed),
            Experiment::Density => synthetic::density(scale, *seed),
            Experiment::Hotel => films::hotel(hotel()?, scale, *seed),
            Experiment::HotelAnchors => films::hotel_anchors(hotel()?, scale, *seed),
            Experiment::House => films::house(house()?, scale, *seed),
            Experiment::Matchings => {
                films::matchings(self.hotel.as_ref().ok(), house()?, scale, *seed)
            }
            Experiment::Ablations => ablations(self.hotel.as_ref().ok(), scale, *seed),
            Experiment::Published => published(scale, *seed),
            Experiment::Readings(part) => return part.protocol(self),
        })
    }
}

/// What came of the experiments: results, or why there are none.
#[derive(Debug)]
pub struct Book {
    setup: Setup,
    entries: Vec<(Experiment, std::result::Result<Results, String>)>,
}

impl Book {
    /// An empty book.
    #[must_use]
    pub fn new(setup: Setup) -> Self {
        Self {
            setup,
            entries: Vec::new(),
        }
    }

    /// What the experiments ran on.
    #[must_use]
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// Enters what came of an experiment, in the place of what was there.
    pub fn enter(&mut self, experiment: Experiment, entry: std::result::Result<Results, String>) {
        self.entries.retain(|(other, _)| *other != experiment);
        self.entries.push((experiment, entry));
    }

    /// The results of an experiment.
    ///
    /// # Errors
    /// Why there are none.
    pub fn results(&self, experiment: Experiment) -> std::result::Result<&Results, &str> {
        let entry = self.entries.iter().find(|(other, _)| *other == experiment);
        match entry {
            None => Err("not run this time"),
            Some((_, Err(reason))) => Err(reason),
            Some((_, Ok(results))) if results.is_empty() => Err("stopped before its first trial"),
            Some((_, Ok(results))) => Ok(results),
        }
    }

    /// All results there are, in the order of the paper.
    pub fn all(&self) -> impl Iterator<Item = (Experiment, &Results)> {
        let each = Experiment::ALL.into_iter();
        each.filter_map(|experiment| Some((experiment, self.results(experiment).ok()?)))
    }

    /// Why Hotel is not there.
    #[must_use]
    pub fn missing_hotel(&self) -> Option<&str> {
        self.setup.hotel.as_ref().err().map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anchormatch::error::Hint;

    #[test]
    fn names_lead_to_experiments() {
        for experiment in Experiment::ALL {
            assert_eq!(Experiment::from_name(experiment.as_str()), Some(experiment));
            assert!(!experiment.about().is_empty());
        }
        assert_eq!(Experiment::from_name("castle"), None);
    }

    #[test]
    fn without_data_the_others_are_there() {
        let folder = tempfile::tempdir().unwrap();
        let setup = Setup::new(Some(folder.path()), Scale::of(1), 0, Hint::neutral);
        assert!(setup.our_house);
        for experiment in Experiment::ALL {
            let protocol = setup.protocol(experiment);
            match experiment {
                Experiment::Hotel
                | Experiment::HotelAnchors
                | Experiment::Readings(Part::Hotel | Part::HotelAnchors) => {
                    let error = protocol.unwrap_err().to_string();
                    assert!(error.contains("cmu_hotel/points.csv"), "{error}");
                }
                _ => assert_eq!(protocol.unwrap().name, experiment.as_str()),
            }
        }
        std::fs::create_dir(folder.path().join("pose_house")).unwrap();
        std::fs::write(folder.path().join("pose_house/points.csv"), "nothing").unwrap();
        let setup = Setup::new(Some(folder.path()), Scale::of(1), 0, Hint::neutral);
        let error = setup.protocol(Experiment::House).unwrap_err().to_string();
        assert!(error.contains("points.csv"), "{error}");
    }
}
