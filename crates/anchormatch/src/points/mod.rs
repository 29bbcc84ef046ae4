//! Points as points: two sets of coordinates and the map between them.
//!
//! A set of points is more than the distances among them. Given a family of maps f_θ and the covariance of
//! what it leaves over, points are independent of each other, the posterior of a matching is a product over
//! its pairs, and the parameters follow from the pairs. So both are found together, by expectation and
//! maximisation:
//!
//! | file | what |
//! |---|---|
//! | `scene` | both sets in scaled coordinates, anchors |
//! | `index` | who lies near a place |
//! | `association` | probabilities of pairs, given where partners are expected (the E-step) |
//! | `families` | similarity, affine, projective, two views, smooth deformation: fits and what they cost (the M-step) |
//! | `climb` | EM with annealing, and the evidence of where it ends |
//! | `known` | what speaks for pairs beside where their points lie, and what it says without any map |
//! | `starts` | where climbs begin: anchors, directions of parallax, pairs from elsewhere |
//! | `guesses` | more of that: maps through the anchors and pairs that could be |
//! | `parts` | and of what was found: random parts of its pairs |
//! | `search` | all climbs, simple families first |
//! | `chains` | confidences of maps with many parameters, by drawing matchings and parameters in turns (`draws`) |
//! | `symmetric` | turns and mirror images of a set upon itself, which make modes of modes |
//! | `sketch` | what a map looks like, for pictures |
//! | `posterior` | the mixture of all modes: families, probabilities of pairs, a matching |
//! | `decoys` | what other anchors would have led to |
//! | `foretold` | whether the other anchors would have led to each anchor |
//! | `anchor_check` | the same with anchors that are trusted rather than taken for granted |
//!
//! Every mode of every family has an evidence, ∫ p(points, θ) dθ by Laplace's approximation, against the
//! hypothesis that no point but the anchors has a partner. Confidences are those of the mixture, so that they
//! know of the families and the modes that were not the best.

mod anchor_check;
mod association;
mod chains;
mod cholesky;
mod climb;
mod decoys;
mod draws;
mod families;
mod foretold;
mod guesses;
mod index;
mod known;
mod parts;
mod posterior;
mod scene;
mod search;
mod sketch;
mod small;
mod starts;
mod symmetric;

pub use anchor_check::AnchorDoubt;
pub use families::Family;
pub use known::PairEvidence;
pub use posterior::{FittedFamily, Posterior};
pub use sketch::{Grid, Sketch};

use std::sync::Arc;

use serde::{Deserialize, Serialize};

pub(crate) use self::anchor_check::WITNESSES;
use self::anchor_check::check_anchors;
pub(crate) use self::decoys::{are_quick, evidence_of_decoys};
pub(crate) use self::foretold::foretold;
use self::scene::Scene;
use self::starts::{Dimension, Plane, Space};
use crate::anchors::Anchors;
use crate::error::{Error, Result};
use crate::linalg::Matrix;
use crate::monitor::Monitor;

/// Which families of maps a match of points may choose from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PointsModel {
    /// All of them, by their evidence; distances when none is credible.
    #[default]
    Auto,
    /// Distances among the points of a set alone, for sets without a common frame.
    Distances,
    /// [`Family::Similarity`].
    Similarity,
    /// [`Family::Affine`].
    Affine,
    /// [`Family::Projective`].
    Projective,
    /// [`Family::Views`], [`Family::Epipolar`], and those with a smooth depth.
    Views,
    /// [`Family::Smooth`].
    Smooth,
}

impl PointsModel {
    /// The families it stands for.
    #[must_use]
    pub fn families(self) -> &'static [Family] {
        match self {
            Self::Auto => &Family::ALL,
            Self::Distances => &[],
            Self::Similarity => &[Family::Similarity],
            Self::Affine => &[Family::Affine],
            Self::Projective => &[Family::Projective],
            Self::Views => &[
                Family::Views,
                Family::SmoothViews,
                Family::Epipolar,
                Family::SmoothEpipolar,
            ],
            Self::Smooth => &[Family::Smooth],
        }
    }
}

/// What is known of two sets of points.
#[derive(Clone, Copy)]
pub struct Question<'a> {
    /// The tables, a row for each point.
    pub points: [&'a Matrix; 2],
    /// The pairs that are known.
    pub anchors: &'a Anchors,
    /// How probable it is that a hard anchor is right, for those who ask which are not.
    pub trust: f64,
    /// The families to choose from.
    pub model: PointsModel,
    /// What is known of pairs beside where their points lie.
    pub known: Option<&'a Arc<dyn PairEvidence>>,
    /// Pairs to begin from, with how sure they are.
    pub given: Option<&'a [(usize, usize, f64)]>,
    /// Whether these are what an earlier look found, so that no other start is needed.
    pub again: bool,
    /// The seed of what is drawn at random.
    pub seed: u64,
    /// Whether everybody is to be matched: sets of one size are then thought to be complete, as likely as not.
    pub everybody: bool,
    /// Whether a first impression suffices: fewer guesses and families, and one round of each.
    pub quick: bool,
}

/// Matches two tables of points, in the plane or in space.
///
/// `elsewhere` is asked for pairs to begin from when nothing that the anchors lead to is credible.
///
/// # Errors
/// When a table has not two or three columns, the tables differ in them, or a coordinate is not finite.
///
/// # Complexity
/// O(n m) time a step up to a few hundred points, O(n + m) beyond; O(n + m) memory.
pub fn match_points(
    question: &Question<'_>,
    elsewhere: impl FnOnce() -> Result<Option<Vec<(usize, usize, f64)>>>,
    monitor: &Monitor,
) -> Result<Posterior> {
    let [from, to] = question.points.map(Matrix::cols);
    if from != to || !(2..=3).contains(&from) {
        return Err(Error::Graph(format!(
            "found points of {from} and {to} coordinates, expected two or three on both sides"
        )));
    }
    for table in question.points {
        if let Some(x) = table.as_slice().iter().find(|x| !x.is_finite()) {
            return Err(Error::Graph(format!(
                "found the coordinate {x}, expected finite numbers"
            )));
        }
    }
    if from == 2 {
        solve::<2, Plane>(question, elsewhere, monitor)
    } else {
        solve::<3, Space>(question, elsewhere, monitor)
    }
}

fn solve<const D: usize, S: Dimension<D>>(
    question: &Question<'_>,
    elsewhere: impl FnOnce() -> Result<Option<Vec<(usize, usize, f64)>>>,
    monitor: &Monitor,
) -> Result<Posterior> {
    let anchors = question.anchors;
    let soft = anchors.iter().filter(|anchor| anchor.weight < 1.0);
    let soft = soft.map(|anchor| (anchor.source, anchor.target, anchor.weight));
    let scene = Scene::<D>::new(question.points, anchors.hard(), soft)
        .with_alone(anchors.alone())
        .with_everybody(question.everybody)
        .with_known(question.known);
    let families = question.model.families();
    let mut modes = search::search::<D, S>(&scene, families, question, elsewhere, monitor)?;
    let (drawn, doubts) = rayon::join(
        || chains::sample(&scene, &modes, question.seed, question.quick, monitor),
        || check_anchors::<D, S>(&scene, &modes, question, monitor),
    );
    for (mode, lists) in modes.iter_mut().zip(drawn) {
        if let Some(lists) = lists {
            mode.lists = lists;
        }
    }
    let mut posterior = Posterior::new(&scene, &modes)?;
    posterior.anchor_doubts = doubts?;
    Ok(posterior)
}
