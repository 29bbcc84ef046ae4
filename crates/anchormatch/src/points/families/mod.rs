//! Families of maps from the source's plane or space to the target's.
//!
//! A member of a family says where the partner of a source point is expected, is fitted to weighted pairs, and
//! knows what its parameters cost: the logarithm of the prior at the fit times the volume of their posterior
//! (Laplace's approximation), which is what makes a family with more parameters pay for them.
//!
//! Everything is in the scaled coordinates of a [`Scene`](super::scene::Scene), so that the priors below are
//! pure numbers.

mod epipolar;
mod layers;
mod linear;
mod projective;
mod similarity;
mod waves;

pub(super) use epipolar::Epipolar;
pub(super) use linear::{Linear, Shape};
pub(super) use projective::Projective;
pub(super) use similarity::Similarity;
pub(super) use waves::Waves;

use super::association::{Partner, Prediction};
use super::cholesky::Cholesky;
use super::draws::{chi_squared, normal};
use super::small::{Square, Vector, apply, difference, dot, scaled_identity, trace};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

/// A family of maps from one set of points to the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Family {
    /// Rotation, scale and translation.
    Similarity,
    /// A linear map and a translation.
    Affine,
    /// A plane seen by two cameras.
    Projective,
    /// Two views of a solid object from afar: an affine map, and parallax of any depth along one direction.
    Views,
    /// The same with a depth that changes smoothly.
    SmoothViews,
    /// Two views of a solid object in perspective: parallax of any depth along epipolar lines.
    Epipolar,
    /// The same with a depth that changes smoothly.
    SmoothEpipolar,
    /// An affine map and a smooth deformation.
    Smooth,
}

impl Family {
    /// All families.
    pub const ALL: [Self; 8] = [
        Self::Similarity,
        Self::Affine,
        Self::Projective,
        Self::Views,
        Self::SmoothViews,
        Self::Epipolar,
        Self::SmoothEpipolar,
        Self::Smooth,
    ];

    /// The name, as results have it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Similarity => "similarity",
            Self::Affine => "affine",
            Self::Projective => "projective",
            Self::Views => "views",
            Self::SmoothViews => "views, smooth depth",
            Self::Epipolar => "views, perspective",
            Self::SmoothEpipolar => "views, perspective, smooth depth",
            Self::Smooth => "smooth",
        }
    }

    /// The family called `name`.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|family| family.as_str() == name)
    }

    /// What it says about the two sets, as a phrase.
    #[must_use]
    pub fn about(self) -> &'static str {
        match self {
            Self::Similarity => "one set is the other turned, scaled and moved",
            Self::Affine => "one set is an affine image of the other",
            Self::Projective => "both sets are views of a plane",
            Self::Views => "both sets are views of a solid object",
            Self::SmoothViews => "both sets are views of a solid object of smooth depth",
            Self::Epipolar => "both sets are near views of a solid object",
            Self::SmoothEpipolar => "both sets are near views of a solid object of smooth depth",
            Self::Smooth => "one set is the other deformed smoothly",
        }
    }
}

/// A member of a family.
pub(super) trait Member<const D: usize>: Send + Sync {
    fn family(&self) -> Family;

    /// Where the partner of source point i, which lies at x, is expected, the parameters being uncertain.
    fn predict(&self, i: usize, x: &Vector<D>) -> Prediction<D>;

    /// The same, the parameters being what they are.
    fn predict_fitted(&self, i: usize, x: &Vector<D>) -> Prediction<D>;

    /// The M-step: parameters and noise fitted to these partners; standard deviations stay above `floor`.
    fn refit(&mut self, source: &[Vector<D>], partners: &[Partner<D>], floor: f64);

    /// What the parameters cost, in nats (below zero).
    fn log_parameters(&self, source: &[Vector<D>], partners: &[Partner<D>]) -> f64;

    /// Whether it turns left into right.
    fn is_reflected(&self) -> bool;

    /// The unit vector along the epipolar line of a source point at x, for families of two views.
    fn parallax(&self, _x: &Vector<D>) -> Option<Vector<D>> {
        None
    }

    /// A copy to [draw](Self::draw) from, for families whose parameters can be drawn.
    fn drawable(&self) -> Option<Box<dyn Member<D>>> {
        None
    }

    /// Parameters and noise drawn from their posterior, given partners that are certain and the noise before; only
    /// [`predict_fitted`](Self::predict_fitted) is meant for what was drawn.
    fn draw(&mut self, _: &[Vector<D>], _: &[Partner<D>], _: &mut ChaCha8Rng) {}

    /// Looks whether the depths of these partners lie in layers, before parameters are drawn.
    fn find_layers(&mut self, _: &[Vector<D>], _: &[Partner<D>]) {}

    /// By how many nats source point i is likelier to have its partner at y than
    /// [`predict_fitted`](Self::predict_fitted) tells; `None` where nobody's differs.
    fn beside_prediction(&self) -> Option<Beside<'_, D>> {
        None
    }

    /// The map without waves, in scaled coordinates.
    fn map(&self) -> FittedMap<D>;

    /// The same over other source points.
    fn over(&self, source: &[Vector<D>]) -> Box<dyn Member<D>>;
}

/// Nats for source point i, which lies at x, and a place of its partner.
pub(super) type Beside<'a, const D: usize> = Box<dyn Fn(usize, &Vector<D>, &Vector<D>) -> f64 + 'a>;

/// The map of a member: y = (A x + t) / (1 + g·x) and a covariance of what is left.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct FittedMap<const D: usize> {
    pub(super) affine: Affine<D>,
    pub(super) bend: Vector<D>,
    pub(super) noise: Square<D>,
}

/// x ↦ A x + t.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Affine<const D: usize> {
    pub(super) linear: Square<D>,
    pub(super) shift: Vector<D>,
}

impl<const D: usize> Affine<D> {
    pub(super) fn identity() -> Self {
        Self {
            linear: scaled_identity(1.0),
            shift: [0.0; D],
        }
    }

    pub(super) fn at(&self, x: &Vector<D>) -> Vector<D> {
        let turned = apply(&self.linear, x);
        std::array::from_fn(|k| turned[k] + self.shift[k])
    }
}

/// Prior standard deviation of every coefficient of a linear map and of a shift about the similarity that
/// fits best.
const DEVIATION: f64 = 0.4;

/// Prior standard deviation of the coefficients of a projective map's denominator.
const BEND: f64 = 0.3;

/// Amplitudes of waves stay in this range.
const AMPLITUDES: (f64, f64) = (1e-4, 1.0);

/// The noise has a prior worth so many pairs…
const NOISE_PAIRS: f64 = 1.0;

/// … of this standard deviation.
const NOISE: f64 = 0.005;

/// Standard deviations stay above this: coordinates are rounded, if to nothing else then to floats.
const LEAST_NOISE: f64 = 1e-6;

/// The variance of isotropic noise, from the partners and what a member predicts for them; its own variance
/// in the predictions is `variance`.
fn refitted_variance<const D: usize>(
    member: &impl Member<D>,
    source: &[Vector<D>],
    partners: &[Partner<D>],
    variance: f64,
    floor: f64,
) -> f64 {
    let d = D as f64;
    let mut sum = NOISE_PAIRS * d * NOISE * NOISE;
    let mut weight = NOISE_PAIRS;
    for (i, partner) in partners.iter().enumerate().filter(|(_, p)| p.counts()) {
        let predicted = member.predict(i, &source[i]);
        let r = difference(&partner.mean, &predicted.mean);
        let uncertainty = trace(&predicted.covariance) - d * variance;
        sum += partner.weight * (dot(&r, &r) + trace(&partner.spread) + uncertainty);
        weight += partner.weight;
    }
    (sum / (d * weight)).max(least_variance(floor))
}

fn least_variance(floor: f64) -> f64 {
    floor.max(LEAST_NOISE).powi(2)
}

/// Adds a draw of N(0, A⁻¹) to coefficients.
fn scatter(coefficients: &mut [f64], factor: &Cholesky, random: &mut ChaCha8Rng) {
    const MOST: usize = 64;
    let mut drawn = [0.0; MOST];
    let drawn = &mut drawn[..coefficients.len()];
    drawn.fill_with(|| normal(random));
    factor.backward(drawn);
    for (c, d) in coefficients.iter_mut().zip(drawn) {
        *c += *d;
    }
}

/// A variance drawn given a sum of so many squares.
fn drawn_variance(sum: f64, squares: f64, random: &mut ChaCha8Rng) -> f64 {
    sum / chi_squared(squares, random)
}

/// A standard deviation of waves drawn given their coefficients.
fn drawn_amplitude(squares: f64, waves: f64, random: &mut ChaCha8Rng) -> f64 {
    let amplitude = drawn_variance(squares, waves, random).sqrt();
    amplitude.clamp(AMPLITUDES.0, AMPLITUDES.1)
}

/// How many pairs the partners make.
fn pairs_in<const D: usize>(partners: &[Partner<D>]) -> f64 {
    partners.iter().map(|p| p.weight).sum()
}
