//! The rows: what kinds of pairs of graphs an evaluation runs on.

use anchormatch::{Error, Result};
use anchormatch_generate::{BlockModel, Synthetic, block_model, house, stream};
use rand::RngExt;

use super::Plan;
use crate::datasets::hotel::FRAMES;
use crate::experiments::Trial;
use crate::experiments::hotel::HotelSweep;
use crate::experiments::solvers::{SolverPoint, Sweep};

/// Rows of graphs of so many nodes have a fifth of the trials.
const LARGE: usize = 100;

/// Pixels by which the coordinates of the house's landmarks are off.
const JITTER: f64 = 1.0;

/// What rows have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    /// σ moves.
    Noise,
    /// Nodes without a partner on both sides.
    Outliers,
    /// ρ moves.
    Density,
    /// n moves.
    Size,
    /// The target has more nodes.
    Unequal,
    /// Frames of a film.
    Hotel,
    /// Correlated block models.
    Blocks,
    /// Views of the house.
    House,
}

impl Group {
    /// All groups in the order in which tables show them.
    pub const ALL: [Self; 8] = [
        Self::Noise,
        Self::Outliers,
        Self::Density,
        Self::Size,
        Self::Unequal,
        Self::Hotel,
        Self::Blocks,
        Self::House,
    ];

    /// The group's name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Noise => "noise",
            Self::Outliers => "outliers",
            Self::Density => "density",
            Self::Size => "size",
            Self::Unequal => "unequal",
            Self::Hotel => "hotel",
            Self::Blocks => "sbm",
            Self::House => "house",
        }
    }
}

/// Where the graphs of a row come from.
#[derive(Debug, Clone, PartialEq)]
pub enum Graphs {
    /// Random weights after Cho, Lee & Lee.
    Synthetic(Synthetic),
    /// A correlated block model.
    Blocks(BlockModel),
    /// Two random views of the house whose pans lie at least so many degrees apart.
    House {
        /// The smallest difference of the pans in degrees, at most 45.
        apart_degrees: f64,
    },
    /// Pairs of Hotel frames at these gaps, spread evenly over the sequence.
    Hotel {
        /// Frame gaps.
        gaps: Vec<usize>,
    },
    /// All pairs of Hotel frames, whatever the number of trials.
    WholeHotel,
}

/// A kind of pair of graphs.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// A short name without blanks.
    pub name: String,
    /// What it belongs to.
    pub group: Group,
    /// The graphs.
    pub graphs: Graphs,
    /// Random anchors of each pair.
    pub anchors: usize,
}

impl Row {
    /// A row with two anchors.
    #[must_use]
    pub fn new(name: impl Into<String>, group: Group, graphs: Graphs) -> Self {
        Self {
            name: name.into(),
            group,
            graphs,
            anchors: 2,
        }
    }

    /// Nodes of the larger graph.
    #[must_use]
    pub fn nodes(&self) -> usize {
        match &self.graphs {
            Graphs::Synthetic(graphs) => {
                graphs.inliers + graphs.source_outliers.max(graphs.target_outliers)
            }
            Graphs::Blocks(graphs) => graphs.sizes.iter().sum(),
            Graphs::House { .. } => house::landmarks().len(),
            Graphs::Hotel { .. } | Graphs::WholeHotel => crate::datasets::hotel::POINTS,
        }
    }

    /// Why the row cannot be run, if its data is missing.
    #[must_use]
    pub fn missing<'a>(&self, plan: &'a Plan) -> Option<&'a str> {
        match (self.sweep(plan), &plan.hotel) {
            (Some(_), Err(reason)) => Some(reason),
            _ => None,
        }
    }

    /// How many trials the row has: from 100 nodes on a fifth of the plan's, and at least one, unless
    /// the plan wants all; on Hotel not more than there are pairs of frames.
    #[must_use]
    pub fn trials(&self, plan: &Plan) -> usize {
        match self.sweep(plan) {
            Some(sweep) => sweep.pairs(FRAMES).len(),
            None if self.nodes() >= LARGE && !plan.full => plan.trials.div_ceil(5),
            None => plan.trials,
        }
    }

    /// The frames of the k-th trial; `None` where it is none of Hotel.
    #[must_use]
    pub fn frames(&self, plan: &Plan, k: usize) -> Option<(usize, usize)> {
        self.sweep(plan)?.pairs(FRAMES).get(k).copied()
    }

    /// The pairs of frames of a row of Hotel.
    fn sweep(&self, plan: &Plan) -> Option<HotelSweep> {
        let (gaps, pairs_per_gap) = match &self.graphs {
            Graphs::Hotel { gaps } => {
                let most = plan.trials.div_ceil(gaps.len().max(1));
                (gaps.clone(), Some(most))
            }
            Graphs::WholeHotel => ((1..FRAMES).collect(), None),
            _ => return None,
        };
        Some(HotelSweep {
            gaps,
            pairs_per_gap,
            anchors: self.anchors,
            seed: plan.trial_seed(0),
        })
    }

    /// The k-th trial.
    ///
    /// # Errors
    /// When the data is missing or the parameters of the graphs are out of range.
    pub fn trial(&self, plan: &Plan, k: usize) -> Result<Trial> {
        let seed = plan.trial_seed(k);
        let instance = match &self.graphs {
            Graphs::Synthetic(graphs) => {
                let point = SolverPoint {
                    graphs: graphs.clone(),
                    anchors: self.anchors,
                    seed: plan.trial_seed(0),
                    ..SolverPoint::default()
                };
                return point.trial(k);
            }
            Graphs::Hotel { .. } | Graphs::WholeHotel => {
                let hotel = plan.hotel.as_ref();
                let hotel = hotel.map_err(|reason| Error::Graph(reason.clone()))?;
                let sweep = self.sweep(plan).expect("a row of Hotel has pairs");
                let pairs = sweep.pairs(FRAMES);
                let pair = pairs.get(k).copied().ok_or_else(|| {
                    let expected = format!("fewer than {}, the pairs of frames", pairs.len());
                    Error::parameter("trial", k, expected)
                })?;
                return sweep.trial(hotel, pair);
            }
            Graphs::Blocks(graphs) => block_model(graphs, seed)?,
            Graphs::House { apart_degrees } => {
                let [from, to] = two_views(*apart_degrees, seed)?;
                house::pair(from, to, JITTER, seed)?
            }
        };
        // A stream that no part of the graphs draws from, as in `SolverPoint`.
        let anchors = instance.random_anchors(self.anchors, &mut stream(seed, 100))?;
        Ok(Trial { instance, anchors })
    }
}

/// All 5050 pairs of Hotel frames: no standard row, as it takes minutes.
#[must_use]
pub fn whole_hotel() -> Row {
    Row::new("hotel-all", Group::Hotel, Graphs::WholeHotel)
}

/// The synthetic sweeps, then unequal sizes, Hotel by frame gap, block models and the house.
#[must_use]
pub fn standard_rows() -> Vec<Row> {
    let mut rows = Vec::new();
    for sweep in Sweep::ALL {
        let (group, symbol) = match sweep {
            Sweep::Noise => (Group::Noise, "sigma"),
            Sweep::Outliers => (Group::Outliers, "out"),
            Sweep::Density => (Group::Density, "rho"),
            Sweep::Size => (Group::Size, "n"),
        };
        for at in sweep.points(&SolverPoint::default()) {
            let graphs = at.point.graphs;
            let name = format!("{symbol}-{}", at.x);
            rows.push(Row::new(name, group, Graphs::Synthetic(graphs)));
        }
        if sweep == Sweep::Outliers {
            let noisy = rows.clone().into_iter().filter(|row| row.group == group);
            rows.extend(noisy.map(|mut row| {
                row.name += "-noisy";
                if let Graphs::Synthetic(graphs) = &mut row.graphs {
                    graphs.noise = 0.1;
                }
                row
            }));
        }
    }
    let unequal = Synthetic {
        target_outliers: 10,
        noise: 0.15,
        ..Synthetic::default()
    };
    rows.push(Row::new(
        "unequal",
        Group::Unequal,
        Graphs::Synthetic(unequal),
    ));
    for gap in (10..=90).step_by(10) {
        let graphs = Graphs::Hotel { gaps: vec![gap] };
        rows.push(Row::new(format!("hotel-{gap}"), Group::Hotel, graphs));
    }
    for (correlation, anchors) in [(0.3, 5), (0.3, 10), (0.3, 15), (0.6, 2)] {
        let graphs = Graphs::Blocks(BlockModel {
            correlation,
            ..BlockModel::default()
        });
        rows.push(Row {
            anchors,
            ..Row::new(
                format!("sbm-{correlation}-{anchors}"),
                Group::Blocks,
                graphs,
            )
        });
    }
    for (name, apart_degrees) in [("house", 5.0), ("house-far", 35.0)] {
        rows.push(Row::new(
            name,
            Group::House,
            Graphs::House { apart_degrees },
        ));
    }
    rows
}

/// Two views of the grid, uniform among those whose pans lie far enough apart.
fn two_views(apart_degrees: f64, seed: u64) -> Result<[house::View; 2]> {
    let views: Vec<house::View> = house::grid().collect();
    let far = |(k, l): &(usize, usize)| {
        (views[*k].pan_degrees - views[*l].pan_degrees).abs() >= apart_degrees
    };
    let all = (0..views.len()).flat_map(|k| (0..views.len()).map(move |l| (k, l)));
    let pairs: Vec<(usize, usize)> = all.filter(far).collect();
    if pairs.is_empty() {
        return Err(Error::parameter(
            "apart_degrees",
            apart_degrees,
            "at most 45",
        ));
    }
    let (from, to) = pairs[stream(seed, 101).random_range(0..pairs.len())];
    Ok([views[from], views[to]])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::evaluation::tests::plan;

    #[test]
    fn rows_have_names_of_their_own_and_trials_of_their_sizes() {
        let rows = standard_rows();
        let mut names: Vec<&str> = rows.iter().map(|row| row.name.as_str()).collect();
        for name in [
            "sigma-0.3",
            "out-10-noisy",
            "n-100",
            "sbm-0.3-10",
            "hotel-90",
        ] {
            assert!(names.contains(&name), "{names:?}");
        }
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), rows.len());
        let plan = plan(12);
        for row in &rows {
            if row.missing(&plan).is_some() {
                assert!(row.trial(&plan, 0).is_err() && row.group == Group::Hotel);
                continue;
            }
            let trial = row.trial(&plan, 1).unwrap();
            let (n, m) = (
                trial.instance.source.node_count(),
                trial.instance.target.node_count(),
            );
            assert_eq!(n.max(m), row.nodes(), "{}", row.name);
            assert_eq!(trial.anchors.len(), row.anchors);
            let trials = if row.nodes() >= 100 { 3 } else { 12 };
            assert_eq!(row.trials(&plan), trials, "{}", row.name);
        }
        let noisy = rows.iter().find(|row| row.name == "out-6-noisy").unwrap();
        let Graphs::Synthetic(graphs) = &noisy.graphs else {
            panic!("synthetic")
        };
        assert_eq!((graphs.noise, graphs.source_outliers), (0.1, 6));
    }

    #[test]
    fn gaps_share_the_trials_and_end_with_the_film() {
        let far = Row::new(
            "far",
            Group::Hotel,
            Graphs::Hotel {
                gaps: vec![60, 70, 80, 90],
            },
        );
        assert_eq!(far.trials(&plan(20)), 20);
        // 41 + 31 + 21 + 11 pairs of frames.
        assert_eq!(far.trials(&plan(1000)), 104);
        assert_eq!(far.frames(&plan(1000), 103), Some((10, 100)));
        assert_eq!(far.frames(&plan(1000), 104), None);
    }

    #[test]
    fn the_whole_film_is_every_pair_once() {
        let all = whole_hotel();
        let plan = plan(3);
        assert_eq!(all.trials(&plan), 101 * 100 / 2);
        let mut pairs: Vec<_> = (0..5050).map(|k| all.frames(&plan, k).unwrap()).collect();
        pairs.sort_unstable();
        pairs.dedup();
        assert_eq!(pairs.len(), 5050);
        assert!(pairs.iter().all(|(from, to)| from < to && *to < FRAMES));
    }

    #[test]
    fn large_graphs_get_all_trials_where_they_are_asked_for() {
        let rows = standard_rows();
        let large = rows.iter().find(|row| row.name == "n-100").unwrap();
        let mut plan = plan(12);
        assert_eq!(large.trials(&plan), 3);
        plan.full = true;
        assert_eq!(large.trials(&plan), 12);
        assert_eq!(large.frames(&plan, 0), None);
    }

    #[test]
    fn views_are_as_far_apart_as_asked() {
        for seed in 0..50 {
            let [from, to] = two_views(35.0, seed).unwrap();
            assert!((from.pan_degrees - to.pan_degrees).abs() >= 35.0);
        }
        assert!(two_views(46.0, 0).is_err());
    }
}
