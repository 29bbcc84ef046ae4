//! All climbs of a scene, and which families they are let end in.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::Question;
use super::association::{Partner, SHORT};
use super::climb::{Mode, Start, Warming, climb, evidence};
use super::families::{Family, Similarity, Waves};
use super::guesses::likely;
use super::index::Index;
use super::known::{NoMap, without_map};
use super::parts::at_parts;
use super::scene::Scene;
use super::small::{difference, dot, eigen, trace};
use super::starts::{
    Dimension, along_parallax, from_anchors, from_partners, starts_near, waves_of,
};
use super::symmetric::symmetries;
use crate::error::Result;
use crate::monitor::{Monitor, Progress};

/// Source points that the search looks at; the best modes are then fitted to all.
const COARSE: usize = 400;

/// Modes that are fitted to all points.
const REFINED: usize = 3;

/// Modes that starts of the other families are made of, in each round: at first, and when nothing that came of
/// it is credible.
const PROMOTED: [usize; 2] = [2, 1];
const PROMOTED_IN_DOUBT: [usize; 2] = [4, 2];
const PROMOTED_QUICKLY: [usize; 2] = [1, 1];

/// Of the climbs along all directions of parallax so many go on when they are no longer hot; with decoys as anchors so
/// many, and every so many directions are tried.
///
/// `anchormatch-lab bench points --only solid`
const PARALLAX_KEPT: usize = 8;
const DECOY_KEPT: usize = 2;
const DECOY_DIRECTIONS: usize = 3;

/// Hot steps of climbs with decoys as anchors.
const DECOY_HOT: usize = 6;

/// The same of the starts that are made of a mode, and how many nats they may be behind.
///
/// `anchormatch-lab bench points`
const PROMOTED_KEPT: usize = 6;
const PROMOTED_BEHIND: f64 = 8.0;

/// Times that parts of the best mode are climbed from unless a simple map is plain to see, and how many of them go on when
/// they are no longer hot.
///
/// `anchormatch-lab bench points --only house`
const ROUNDS_OF_PARTS: u64 = 2;
const PARTS_KEPT: usize = 3;

/// A start of another family is climbed from unless its evidence is so far behind, in nats.
const HOPELESS: f64 = 15.0;

/// The share of the hot steps after which the worse half of many climbs is given up.
const HALF: f64 = 0.5;

/// Evidence above that of the anchors alone with which a mode is believed without a second search, in nats for
/// each point of the smaller set.
const CREDIBLE: f64 = 0.8;

/// Evidence above that of the anchors alone from which on there is something of a map, in nats: who compares distances
/// finds no better one then. Of Willow's ducks, ten points each, maps with 3 nats were still improved upon.
///
/// `anchormatch-lab bench points --only house`, `scripts/bench_points.py`
const FOUND: f64 = 12.0;

/// The same as [`CREDIBLE`] with which a mode of a simple family needs no other start beside it.
const PLAIN: f64 = 2.0;

/// Modes this far behind the best have no weight, in nats.
const NEGLIGIBLE: f64 = 12.0;

/// Nats within which two modes are as evident.
const AS_EVIDENT: f64 = 1e-3;

/// The least distance within which symmetric points have to come upon each other, in scaled coordinates.
const LEAST_TOLERANCE: f64 = 0.01;

/// What was found, the most evident first.
pub(super) struct Search<'a, const D: usize> {
    scene: &'a Scene<D>,
    index: Index<D>,
    waves: Vec<Arc<Waves<D>>>,
    allowed: &'a [Family],
    monitor: &'a Monitor,
    /// Whether a first impression suffices.
    quick: bool,
    /// How many starts that are made of modes go on when they are no longer hot.
    kept: usize,
    /// What is to be said without any map.
    none: NoMap,
    pub(super) modes: Vec<Mode<D>>,
}

impl<'a, const D: usize> Search<'a, D> {
    pub(super) fn new(
        scene: &'a Scene<D>,
        allowed: &'a [Family],
        quick: bool,
        monitor: &'a Monitor,
    ) -> Self {
        Self {
            index: Index::new(&scene.target),
            none: without_map(scene),
            // Deformations take most of the time, and few who are in a hurry need them.
            waves: if quick && allowed.len() == Family::ALL.len() {
                Vec::new()
            } else {
                waves_of(scene)
            },
            scene,
            allowed,
            monitor,
            quick,
            kept: PROMOTED_KEPT,
            modes: Vec::new(),
        }
    }

    /// Climbs from the anchors and from guesses, and along every direction of parallax unless a simple map is plain
    /// to see: what it leaves of parallax shows in its residuals.
    fn climb_from_anchors<S: Dimension<D>>(&mut self) {
        let starts = from_anchors::<D, S>(self.scene, &self.index, self.quick);
        self.climb_all(starts);
        let smaller = self.scene.source.len().min(self.scene.target.len());
        if !is_plain(self.gain(), smaller) {
            let starts = along_parallax::<D, S>(self.scene, 1);
            self.climb_some(starts, PARALLAX_KEPT, f64::INFINITY);
        }
    }

    /// A first look: climbs from the anchors, and unless only plain maps are asked for, along fewer directions of
    /// parallax and to other families.
    pub(super) fn climb_from_anchors_alone<S: Dimension<D>>(&mut self, is_plain: bool) {
        let known = self.scene.anchored();
        let mut starts = if is_plain && known.len() >= D {
            starts_near::<D, S>(self.scene, &known)
        } else {
            from_anchors::<D, S>(self.scene, &self.index, self.quick)
        };
        if !is_plain {
            starts.extend(along_parallax::<D, S>(self.scene, DECOY_DIRECTIONS));
        }
        for start in &mut starts {
            start.hot = DECOY_HOT;
        }
        let kept = if is_plain { 1 } else { DECOY_KEPT };
        self.climb_some(starts, kept, f64::INFINITY);
        if !is_plain {
            self.kept = DECOY_KEPT;
            self.promote_once::<S>();
        }
    }

    /// Evidence of the best mode of the families that are allowed above that of the anchors alone.
    pub(super) fn beyond_anchors(&self) -> f64 {
        let counted = |mode: &&Mode<D>| self.allowed.contains(&mode.family());
        let best = self.modes.iter().find(counted);
        best.map_or(0.0, |mode| mode.evidence - self.none.of_anchors)
    }

    /// Climbs from pairs that are likely wherever their points lie.
    fn climb_from_known<S: Dimension<D>>(&mut self) {
        let Some(lists) = &self.none.lists else {
            return;
        };
        let mut partners = Vec::new();
        lists.partners(self.scene, &mut partners);
        let mut starts = likely::<D, S>(self.scene, &self.index, lists);
        for reflected in [false, true] {
            starts.extend(from_partners::<D, S>(
                self.scene,
                &partners,
                reflected,
                None,
                &[],
            ));
        }
        self.climb_all(starts);
    }

    /// Climbs from pairs that somebody else found, with how sure they are.
    fn climb_from_pairs<S: Dimension<D>>(&mut self, pairs: &[(usize, usize, f64)]) {
        let source = &self.scene.source;
        let mut partners = vec![Partner::NONE; source.len()];
        for &(i, a, weight) in pairs {
            partners[i] = Partner {
                weight,
                ..Partner::at(self.scene.target[a])
            };
        }
        let likely = pairs.iter().filter(|pair| pair.2 > 0.5);
        let likely: Vec<_> = likely.map(|&(i, a, _)| (i, self.scene.target[a])).collect();
        let error = |mirrored| Similarity::of(source, &partners, mirrored).error(source, &likely);
        let reflected = error(true) < error(false);
        let starts = from_partners::<D, S>(self.scene, &partners, reflected, None, &self.waves);
        self.climb_all(starts);
    }

    /// Climbs from parts of the best mode, in which it may be less wrong than as a whole.
    fn climb_from_parts<S: Dimension<D>>(&mut self, seed: u64) {
        for round in 0..ROUNDS_OF_PARTS {
            let smaller = self.scene.source.len().min(self.scene.target.len());
            if self.quick || is_plain(self.gain(), smaller) {
                return;
            }
            let Some(best) = self.modes.first_mut() else {
                return;
            };
            best.ask_again(self.scene, &self.index);
            let starts = at_parts::<D, S>(self.scene, best, seed.wrapping_add(round));
            self.climb_some(starts, PARTS_KEPT, PROMOTED_BEHIND);
            self.promote_once::<S>();
        }
    }

    /// Tries the other families at the best modes.
    fn promote<S: Dimension<D>>(&mut self) {
        self.promote_once::<S>();
        if !self.quick && !self.is_credible() {
            self.promote_best::<S>(PROMOTED_IN_DOUBT);
        }
    }

    /// The same without a second round where nothing is credible.
    pub(super) fn promote_once<S: Dimension<D>>(&mut self) {
        let counts = if self.quick {
            PROMOTED_QUICKLY
        } else {
            PROMOTED
        };
        self.promote_best::<S>(counts);
    }

    fn promote_best<S: Dimension<D>>(&mut self, counts: [usize; 2]) {
        for count in counts {
            let (scene, index, allowed) = (self.scene, &self.index, self.allowed);
            let waves = &self.waves;
            let modes = self.modes.iter_mut().take(count);
            let fresh: Vec<&mut Mode<D>> = modes.filter(|mode| !mode.is_promoted).collect();
            let starts = fresh.into_par_iter().map(|mode| {
                mode.is_promoted = true;
                mode.ask_again(scene, index);
                let mut partners = Vec::new();
                mode.lists.partners(scene, &mut partners);
                let reflected = mode.member.is_reflected();
                let except = Some(mode.family());
                let mut next = from_partners::<D, S>(scene, &partners, reflected, except, waves);
                next.retain(|start| {
                    let member = start.member.as_ref();
                    let found = || evidence(scene, index, member, mode.pairs, SHORT);
                    is_forced(allowed, member.family()) || found() > mode.evidence - HOPELESS
                });
                next
            });
            let starts: Vec<Vec<Start<D>>> = starts.collect();
            let starts = starts.into_iter().flatten().collect();
            if allowed.len() < Family::ALL.len() {
                // What is asked for may be behind what is not.
                self.climb_all(starts);
            } else {
                self.climb_some(starts, self.kept, PROMOTED_BEHIND);
            }
        }
    }

    pub(super) fn climb_all(&mut self, starts: Vec<Start<D>>) {
        let (scene, index, monitor) = (self.scene, &self.index, self.monitor);
        let (done, total) = (AtomicUsize::new(0), starts.len());
        let modes = starts.into_par_iter().map(|start| {
            let mode = climb(scene, index, start, monitor);
            // A climb that is cut short ends by itself.
            let _ = monitor.checkpoint(Progress {
                stage: "points",
                done: done.fetch_add(1, Ordering::Relaxed) + 1,
                total: Some(total),
                value: Some(mode.evidence),
            });
            mode
        });
        let modes: Vec<Mode<D>> = modes.collect();
        self.modes
            .extend(modes.into_iter().filter(|mode| mode.evidence.is_finite()));
        self.sort();
    }

    /// Climbs from many starts of which few lead anywhere: half of the way to where they are no longer hot the better half
    /// goes on, and from there so many that explain most and are no more than so many nats `behind` the best.
    fn climb_some(&mut self, starts: Vec<Start<D>>, kept: usize, behind: f64) {
        let (scene, index, monitor) = (self.scene, &self.index, self.monitor);
        let starts = starts.into_par_iter();
        let mut warm: Vec<Warming<D>> = starts.map(|start| Warming::new(scene, start)).collect();
        let warm_up = |warm: &mut Vec<Warming<D>>, share: f64| {
            let all = warm.par_iter_mut();
            all.for_each(|climb| climb.warm_up(scene, index, share, monitor));
            warm.sort_by(|x, y| y.explains.total_cmp(&x.explains));
        };
        let half = warm.len().div_ceil(2);
        if half > kept {
            warm_up(&mut warm, HALF);
            warm.truncate(half);
        }
        warm_up(&mut warm, 1.0);
        let best = warm.first().map_or(0.0, |first| first.explains);
        let promising = warm.into_iter().take(kept);
        let promising = promising.filter(|climb| climb.explains >= best - behind);
        self.climb_all(promising.map(Warming::into_start).collect());
    }

    fn sort(&mut self) {
        self.modes.sort_by(|a, b| b.evidence.total_cmp(&a.evidence));
        // Several starts lead to one mode; but symmetric ones are as evident, and others.
        let mut kept: Vec<Mode<D>> = Vec::with_capacity(self.modes.len());
        for mode in self.modes.drain(..) {
            let near = kept.iter().rev();
            let mut near = near.take_while(|other| other.evidence - mode.evidence < AS_EVIDENT);
            if !near.any(|other| is_same(self.scene, other, &mode)) {
                kept.push(mode);
            }
        }
        self.modes = kept;
    }

    /// Climbs from where the symmetries of the source set bring the best mode.
    fn turn<S: Dimension<D>>(&mut self) {
        let Some(best) = self.modes.first_mut() else {
            return;
        };
        best.ask_again(self.scene, &self.index);
        // Where noise is long in one direction it stands for depth, which says nothing of where points lie.
        let (variances, _) = eigen(&best.member.map().noise);
        let noise = variances.into_iter().fold(f64::INFINITY, f64::min);
        let tolerance = (3.0 * noise.sqrt()).max(LEAST_TOLERANCE);
        let mut partners = Vec::new();
        best.lists.partners(self.scene, &mut partners);
        let (family, reflected) = (best.family(), best.member.is_reflected());
        let mut starts = Vec::new();
        for symmetry in symmetries(self.scene, tolerance) {
            let images = symmetry.image.iter();
            let turned: Vec<Partner<D>> = images
                .map(|image| image.map_or(Partner::NONE, |k| partners[k]))
                .collect();
            let reflected = reflected != symmetry.is_reflected;
            let all = from_partners::<D, S>(self.scene, &turned, reflected, None, &self.waves);
            let same = all
                .into_iter()
                .filter(|start| start.member.family() == family);
            starts.extend(same.take(1));
        }
        self.climb_all(starts);
    }

    /// Leaves no pair to speak for itself in the modes that count.
    pub(super) fn finish(&mut self) {
        let (scene, index, allowed) = (self.scene, &self.index, self.allowed);
        let counted = |mode: &Mode<D>| allowed.contains(&mode.family());
        let best = self.modes.iter().find(|mode| counted(mode));
        let least = best.map_or(f64::NEG_INFINITY, |mode| mode.evidence - NEGLIGIBLE);
        let likely = self.modes.iter_mut().filter(|mode| mode.evidence >= least);
        likely
            .collect::<Vec<_>>()
            .into_par_iter()
            .for_each(|mode| mode.ask_again(scene, index));
    }

    /// Evidence of the best mode above that of no map at all.
    fn gain(&self) -> f64 {
        match self.modes.first() {
            Some(mode) => mode.evidence - self.none.evidence,
            None => f64::NEG_INFINITY,
        }
    }

    /// Whether the best mode can be believed without a second search.
    pub(super) fn is_credible(&self) -> bool {
        self.gain() >= CREDIBLE * self.smaller()
    }

    /// The number of points of the smaller set.
    fn smaller(&self) -> f64 {
        self.scene.source.len().min(self.scene.target.len()) as f64
    }

    /// The modes of the families that are allowed.
    fn allowed_modes(self) -> Vec<Mode<D>> {
        let allowed = self.allowed;
        let modes = self.modes.into_iter();
        modes
            .filter(|mode| allowed.contains(&mode.family()))
            .collect()
    }
}

/// Whether a map with such a gain is plain to see between sets of which the smaller one has so many points.
pub(super) fn is_plain(gain: f64, smaller: usize) -> bool {
    gain >= PLAIN * smaller as f64
}

/// Whether the caller wants this family and not all of them.
fn is_forced(allowed: &[Family], family: Family) -> bool {
    allowed.len() < Family::ALL.len() && allowed.contains(&family)
}

/// The modes of a scene.
///
/// `elsewhere` is asked for pairs when nothing that the anchors and guesses lead to is credible; the question may have
/// pairs to begin from in any case.
pub(super) fn search<const D: usize, S: Dimension<D>>(
    scene: &Scene<D>,
    allowed: &[Family],
    question: &Question<'_>,
    elsewhere: impl FnOnce() -> Result<Option<Vec<(usize, usize, f64)>>>,
    monitor: &Monitor,
) -> Result<Vec<Mode<D>>> {
    let &Question { given, quick, .. } = question;
    if scene.free() <= COARSE {
        let mut search = Search::new(scene, allowed, quick, monitor);
        run::<D, S>(&mut search, question, given, elsewhere)?;
        return Ok(search.allowed_modes());
    }
    let chosen = scene.thinned(COARSE);
    let part = scene.part(&chosen);
    let place = |pairs: &[(usize, usize, f64)]| -> Vec<(usize, usize, f64)> {
        let found = pairs
            .iter()
            .filter_map(|&(i, a, w)| Some((chosen.binary_search(&i).ok()?, a, w)));
        found.collect()
    };
    let given = given.map(place);
    let mut coarse = Search::new(&part, allowed, quick, monitor);
    run::<D, S>(&mut coarse, question, given.as_deref(), || {
        Ok(elsewhere()?.map(|pairs| place(&pairs)))
    })?;
    let mut fine = Search::new(scene, allowed, quick, monitor);
    let modes = coarse.allowed_modes().into_iter().take(REFINED);
    let starts = modes.map(|mode| Start {
        member: mode.member.over(&scene.source),
        floor: 1.0,
        hot: 0,
        pairs: None,
    });
    fine.climb_all(starts.collect());
    fine.finish();
    Ok(fine.allowed_modes())
}

fn run<const D: usize, S: Dimension<D>>(
    search: &mut Search<'_, D>,
    question: &Question<'_>,
    given: Option<&[(usize, usize, f64)]>,
    elsewhere: impl FnOnce() -> Result<Option<Vec<(usize, usize, f64)>>>,
) -> Result<()> {
    if !question.again {
        search.climb_from_anchors::<S>();
        search.climb_from_known::<S>();
    }
    if let Some(given) = given {
        search.climb_from_pairs::<S>(given);
    }
    search.promote::<S>();
    search.climb_from_parts::<S>(question.seed);
    if !search.is_credible()
        && search.beyond_anchors() < FOUND
        && let Some(pairs) = elsewhere()?
    {
        search.climb_from_pairs::<S>(&pairs);
        search.promote::<S>();
    }
    search.turn::<S>();
    search.finish();
    Ok(())
}

/// Whether two modes of one family expect all partners at the same places, within their noise.
fn is_same<const D: usize>(scene: &Scene<D>, one: &Mode<D>, other: &Mode<D>) -> bool {
    let mut points = scene.source.iter().enumerate();
    one.family() == other.family()
        && points.all(|(i, x)| {
            let expected = one.member.predict_fitted(i, x);
            let along = difference(&expected.mean, &other.member.predict_fitted(i, x).mean);
            dot(&along, &along) <= trace(&expected.covariance)
        })
}
