//! Expectation and maximisation, from a hot start to a mode of the posterior, and the evidence of that mode.
//!
//! The E-step is [`Lists::associate`], the M-step a family's refit. While the climb is hot, the noise stays
//! above a floor that sinks step by step (deterministic annealing).
//!
//! The evidence of a mode is Laplace's approximation of ∫ Σ over matchings of
//! p(matching) p(points | matching, θ) p(θ) dθ against "no point is anybody's partner": the sum over
//! matchings under the fitted parameters, the densities of the anchors, and what the parameters cost.

use super::association::{LONG, Lists, Partner, Prediction, SHORT};
use super::families::{Family, Linear, Member, Shape, Similarity};
use super::index::Index;
use super::scene::Scene;
use super::small::{
    Vector, add_outer, add_scaled, apply, difference, eigen, product, scaled_identity, trace,
};
use crate::monitor::Monitor;

/// A place in the space of parameters to climb from.
pub(super) struct Start<const D: usize> {
    pub(super) member: Box<dyn Member<D>>,
    /// The floor under the noise at the first step, and how many steps it sinks for.
    pub(super) floor: f64,
    pub(super) hot: usize,
    /// The number of pairs that it expects, where that is known.
    pub(super) pairs: Option<f64>,
}

/// A climb in its hot steps, and what it explained when it was last asked.
pub(super) struct Warming<const D: usize> {
    climber: Climber<D>,
    /// Hot steps that were made.
    steps: usize,
    pub(super) explains: f64,
}

impl<const D: usize> Warming<D> {
    pub(super) fn new(scene: &Scene<D>, start: Start<D>) -> Self {
        Self {
            climber: Climber::new(scene, start),
            steps: 0,
            explains: f64::NEG_INFINITY,
        }
    }

    /// Climbs on for a share of the hot steps, and asks what it explains by then.
    pub(super) fn warm_up(
        &mut self,
        scene: &Scene<D>,
        index: &Index<D>,
        share: f64,
        monitor: &Monitor,
    ) {
        let climber = &mut self.climber;
        let last = (climber.hot as f64 * share).ceil() as usize;
        while self.steps < last {
            self.steps += 1;
            let is_over = climber.step(scene, index, self.steps - 1);
            if is_over || monitor.interrupted().is_some() {
                break;
            }
        }
        let member = climber.member.as_ref();
        self.explains = evidence(scene, index, member, climber.pairs, SHORT);
    }

    /// Where it goes on when it is no longer hot.
    pub(super) fn into_start(self) -> Start<D> {
        Start {
            member: self.climber.member,
            floor: COLD,
            hot: 0,
            pairs: Some(self.climber.pairs),
        }
    }
}

/// A mode of the posterior.
pub(super) struct Mode<const D: usize> {
    pub(super) member: Box<dyn Member<D>>,
    pub(super) lists: Lists,
    /// In nats, against no point being anybody's partner.
    pub(super) evidence: f64,
    /// How many pairs it expects, anchors included.
    pub(super) pairs: f64,
    /// Whether no pair of its lists speaks for itself.
    is_asked_again: bool,
    /// Whether other families were tried at its pairs.
    pub(super) is_promoted: bool,
}

impl<const D: usize> Mode<D> {
    pub(super) fn family(&self) -> Family {
        self.member.family()
    }

    /// Asks for its pairs again without each point's own; once.
    pub(super) fn ask_again(&mut self, scene: &Scene<D>, index: &Index<D>) {
        if std::mem::replace(&mut self.is_asked_again, true) {
            return;
        }
        let (mut partners, mut predictions) = (Vec::new(), Vec::new());
        for _ in 0..CAVITIES {
            self.lists.partners(scene, &mut partners);
            predictions.clear();
            let points = scene.source.iter().zip(&partners).enumerate();
            let member = self.member.as_ref();
            predictions.extend(points.map(|(i, (x, own))| without(member, i, x, own)));
            self.lists
                .associate(scene, index, &predictions, self.pairs, LONG);
        }
    }
}

/// The floor where the hot steps end.
const COLD: f64 = 0.005;

/// Steps without a floor at most.
const COLD_STEPS: usize = 12;

/// The expected number of pairs has settled when it changes by less.
const SETTLED: f64 = 1e-3;

/// The share of the smaller set that is thought to have partners before anything is known.
const FIRST_SHARE: f64 = 0.6;

/// Rounds in which beliefs are asked again without each point's own pair.
const CAVITIES: usize = 2;

/// A pair's leverage counts for this share, so that one that alone determines its map is not lost.
const MOST_LEVERAGE: f64 = 0.95;

/// What is left of the noise without the pair, at least, as a share of it.
const LEAST_REST: f64 = 0.02;

/// ln of the odds that a scene is seen as in a mirror.
const MIRROR: f64 = -3.0;

/// Climbs from a start.
pub(super) fn climb<const D: usize>(
    scene: &Scene<D>,
    index: &Index<D>,
    start: Start<D>,
    monitor: &Monitor,
) -> Mode<D> {
    let mut climber = Climber::new(scene, start);
    for step in 0..climber.hot + COLD_STEPS {
        if climber.step(scene, index, step) || monitor.interrupted().is_some() {
            break;
        }
    }
    let Climber {
        member,
        pairs,
        lists,
        ..
    } = climber;
    let evidence = evidence(scene, index, member.as_ref(), pairs, LONG);
    Mode {
        member,
        lists,
        evidence,
        pairs,
        is_asked_again: false,
        is_promoted: false,
    }
}

/// Where a climb is.
struct Climber<const D: usize> {
    member: Box<dyn Member<D>>,
    floor: f64,
    hot: usize,
    pairs: f64,
    lists: Lists,
    partners: Vec<Partner<D>>,
    predictions: Vec<Prediction<D>>,
}

impl<const D: usize> Climber<D> {
    fn new(scene: &Scene<D>, start: Start<D>) -> Self {
        let anchors = scene.anchors.matched() as f64;
        let smaller = scene.source.len().min(scene.target.len()) as f64;
        let first = anchors + FIRST_SHARE * (smaller - anchors);
        Self {
            member: start.member,
            floor: start.floor,
            hot: start.hot,
            pairs: start.pairs.unwrap_or(first),
            lists: Lists::default(),
            partners: Vec::new(),
            predictions: Vec::new(),
        }
    }

    /// One step of expectation and maximisation; whether it was the last one.
    fn step(&mut self, scene: &Scene<D>, index: &Index<D>, step: usize) -> bool {
        let floor = if step < self.hot {
            self.floor * (COLD / self.floor).powf(step as f64 / self.hot as f64)
        } else {
            0.0
        };
        predict(scene, self.member.as_ref(), &mut self.predictions);
        self.lists
            .associate(scene, index, &self.predictions, self.pairs, SHORT);
        let before = self.pairs;
        self.pairs = self.lists.partners(scene, &mut self.partners);
        if self.pairs < 1e-6 {
            return true;
        }
        self.member.refit(&scene.source, &self.partners, floor);
        step >= self.hot && (self.pairs - before).abs() < SETTLED
    }
}

fn predict<const D: usize>(scene: &Scene<D>, member: &dyn Member<D>, out: &mut Vec<Prediction<D>>) {
    out.clear();
    let points = scene.source.iter().enumerate();
    out.extend(points.map(|(i, x)| member.predict(i, x)));
}

/// Where a point's partner is expected by all pairs but its own: a pair must not speak for itself.
///
/// Without its own residual r of weight w, under noise N and with U the uncertainty of the fit,
/// H = w U N⁻¹ is the pair's leverage, the mean moves by −(I − H)⁻¹ H r, and U becomes (I − H)⁻¹ U.
fn without<const D: usize>(
    member: &dyn Member<D>,
    i: usize,
    x: &Vector<D>,
    own: &Partner<D>,
) -> Prediction<D> {
    let (mut predicted, noise) = (member.predict(i, x), member.predict_fitted(i, x).covariance);
    if !own.counts() {
        return predicted;
    }
    let mut uncertainty = predicted.covariance;
    add_scaled(&mut uncertainty, -1.0, &noise);
    // (I − H)⁻¹ H r = U (N / w − U)⁻¹ r, and (I − H)⁻¹ U = U (N / w − U)⁻¹ N / w.
    let mut rest = noise.map(|row| row.map(|x| x / own.weight));
    add_scaled(&mut rest, -MOST_LEVERAGE, &uncertainty);
    let (values, axes) = eigen(&rest);
    let least = LEAST_REST * trace(&noise);
    let mut inverted = [[0.0; D]; D];
    for (value, axis) in values.iter().zip(&axes) {
        add_outer(&mut inverted, 1.0 / value.max(least), axis, axis);
    }
    let gain = product(&uncertainty, &inverted);
    let residual = difference(&own.mean, &predicted.mean);
    let moved = apply(&gain, &residual);
    predicted.mean = difference(&predicted.mean, &moved);
    let widened = product(&gain, &noise.map(|row| row.map(|x| x / own.weight)));
    predicted.covariance = noise;
    for r in 0..D {
        for c in 0..D {
            predicted.covariance[r][c] += 0.5 * (widened[r][c] + widened[c][r]);
        }
    }
    predicted
}

/// The evidence of a fitted member that expects so many pairs, by so many rounds of messages.
pub(super) fn evidence<const D: usize>(
    scene: &Scene<D>,
    index: &Index<D>,
    member: &dyn Member<D>,
    pairs: f64,
    rounds: usize,
) -> f64 {
    let points = scene.source.iter().enumerate();
    let fitted: Vec<Prediction<D>> = points.map(|(i, x)| member.predict_fitted(i, x)).collect();
    let mut lists = Lists::default();
    let log_sum = lists.associate(scene, index, &fitted, pairs, rounds);
    let densities = anchor_densities(scene, member);
    let mut partners = Vec::new();
    lists.partners(scene, &mut partners);
    // The sum is over matchings weighed by the odds of one pair more, which stand for the prior near `pairs`.
    let found = pairs - scene.anchors.matched() as f64;
    let prior = scene.log_prior(pairs) - found * scene.log_prior_odds(pairs);
    let mirror = if member.is_reflected() { MIRROR } else { 0.0 };
    log_sum + densities + prior + mirror + member.log_parameters(&scene.source, &partners)
}

/// What the best of many places in the space of parameters gains by chance alone, in nats; chosen on unrelated sets
/// of 15 to 55 points.
const SEARCHED: f64 = 4.0;

/// The evidence of nothing but the anchors: of no map, or of the simplest maps through them.
pub(super) fn evidence_of_anchors<const D: usize>(scene: &Scene<D>) -> f64 {
    const FITS: usize = 10;
    let known = scene.anchored();
    let prior = scene.log_prior(known.len() as f64);
    if known.len() < D {
        return prior + SEARCHED;
    }
    let partners = scene.anchored_partners();
    let mut best: f64 = 0.0;
    for reflected in [false, true] {
        let similar = Similarity::through(&scene.source, &known, reflected);
        let noise = scaled_identity(0.01);
        let affine = Linear::new(&scene.source, similar.map, noise, Shape::Round, None);
        let members: [Box<dyn Member<D>>; 2] = [Box::new(similar), Box::new(affine)];
        for mut member in members {
            for _ in 0..FITS {
                member.refit(&scene.source, &partners, 0.0);
            }
            let cost = member.log_parameters(&scene.source, &partners);
            let mirror = if reflected { MIRROR } else { 0.0 };
            best = best.max(anchor_densities(scene, member.as_ref()) + cost + mirror);
        }
    }
    prior + best + SEARCHED
}

/// ln of the densities of the anchors beside chance.
fn anchor_densities<const D: usize>(scene: &Scene<D>, member: &dyn Member<D>) -> f64 {
    let density = |(i, a): (usize, usize)| {
        let fitted = member.predict_fitted(i, &scene.source[i]);
        fitted.log_density(&scene.target[a]) + scene.log_rarity[a]
    };
    scene.anchors.pairs().map(density).sum()
}
