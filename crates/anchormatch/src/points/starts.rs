//! Where climbs begin: at the anchors, at anchors and a guessed pair, along every direction of parallax, and
//! at pairs that somebody else found.

use std::sync::Arc;

use super::association::Partner;
use super::climb::Start;
use super::families::{
    Affine, Epipolar, Family, Linear, Member, Projective, Shape, Similarity, Waves,
};
use super::index::Index;
use super::scene::Scene;
use super::small::{Square, Vector, add_outer, dot, scaled_identity};

/// What only the plane has.
pub(super) trait Dimension<const D: usize> {
    /// A projective map near `base`.
    fn projective(base: Affine<D>, variance: f64) -> Option<Box<dyn Member<D>>>;

    /// The projective map through D + 2 pairs: its numerator and the coefficients of its denominator.
    fn projective_through(
        source: &[Vector<D>],
        pairs: &[(usize, Vector<D>)],
    ) -> Option<(Affine<D>, Vector<D>)>;

    /// A projective map that is thought to be known.
    fn projective_known(
        map: Affine<D>,
        bend: Vector<D>,
        variance: f64,
    ) -> Option<Box<dyn Member<D>>>;

    /// Noise that is long in one direction, for every direction to try.
    fn parallax() -> Vec<Square<D>>;

    /// Two views in perspective, with lines along the longer axis of `noise`.
    fn epipolar(
        source: &[Vector<D>],
        base: Affine<D>,
        noise: &Square<D>,
        waves: Option<&Arc<Waves<D>>>,
    ) -> Option<Box<dyn Member<D>>>;
}

/// The plane.
pub(super) struct Plane;

/// Space.
pub(super) struct Space;

/// Directions of parallax that are tried.
const DIRECTIONS: usize = 12;

/// Standard deviations along and across the parallax at the start.
const PARALLAX: (f64, f64) = (0.3, 0.02);

impl Dimension<2> for Plane {
    fn projective(base: Affine<2>, variance: f64) -> Option<Box<dyn Member<2>>> {
        Some(Box::new(Projective::new(base, variance)))
    }

    fn projective_through(
        source: &[Vector<2>],
        pairs: &[(usize, Vector<2>)],
    ) -> Option<(Affine<2>, Vector<2>)> {
        Projective::through(source, pairs.try_into().ok()?)
    }

    fn projective_known(
        map: Affine<2>,
        bend: Vector<2>,
        variance: f64,
    ) -> Option<Box<dyn Member<2>>> {
        Some(Box::new(Projective::known(map, bend, variance)))
    }

    fn parallax() -> Vec<Square<2>> {
        let noise = |k: usize| {
            let (sin, cos) = (std::f64::consts::PI * k as f64 / DIRECTIONS as f64).sin_cos();
            let mut noise = scaled_identity(PARALLAX.1 * PARALLAX.1);
            add_outer(
                &mut noise,
                PARALLAX.0 * PARALLAX.0,
                &[cos, sin],
                &[cos, sin],
            );
            noise
        };
        (0..DIRECTIONS).map(noise).collect()
    }

    fn epipolar(
        source: &[Vector<2>],
        base: Affine<2>,
        noise: &Square<2>,
        waves: Option<&Arc<Waves<2>>>,
    ) -> Option<Box<dyn Member<2>>> {
        Some(Box::new(Epipolar::new(source, base, noise, waves)))
    }
}

impl Dimension<3> for Space {
    fn projective(_: Affine<3>, _: f64) -> Option<Box<dyn Member<3>>> {
        None
    }

    fn projective_through(
        _: &[Vector<3>],
        _: &[(usize, Vector<3>)],
    ) -> Option<(Affine<3>, Vector<3>)> {
        None
    }

    fn projective_known(_: Affine<3>, _: Vector<3>, _: f64) -> Option<Box<dyn Member<3>>> {
        None
    }

    fn parallax() -> Vec<Square<3>> {
        Vec::new()
    }

    fn epipolar(
        _: &[Vector<3>],
        _: Affine<3>,
        _: &Square<3>,
        _: Option<&Arc<Waves<3>>>,
    ) -> Option<Box<dyn Member<3>>> {
        None
    }
}

/// Steps of a climb from anchors, and from pairs that are found already.
const HOT: usize = 12;
const WARM: usize = 6;

/// Source points that are guessed for, and guesses that are climbed from.
const GUESSED_POINTS: usize = 10;
const CLIMBED_GUESSES: usize = 3;

/// Guesses that are looked at, at most.
const MOST_GUESSES: usize = 40_000;
const MOST_QUICK_GUESSES: usize = 8_000;

/// Source points that a guess is judged by, at most.
const JUDGES: usize = 200;

/// The width within which a guess has to bring points together.
const GLANCE: f64 = 0.04;

/// A mirror image is tried beside the plain one when its error is this much smaller, or when two anchors
/// cannot tell.
const MIRRORED: f64 = 0.25;

/// Lengths of waves that are tried.
const LENGTHS: [f64; 2] = [1.0, 0.5];

/// Starts at the anchors, and at guesses where they are too few.
pub(super) fn from_anchors<const D: usize, S: Dimension<D>>(
    scene: &Scene<D>,
    index: &Index<D>,
    quick: bool,
) -> Vec<Start<D>> {
    let known = scene.anchored();
    let most = if quick {
        MOST_QUICK_GUESSES
    } else {
        MOST_GUESSES
    };
    let mut starts = guesses::<D, S>(scene, index, &known, most);
    if known.len() < D {
        return starts;
    }
    let partners = scene.anchored_partners();
    for base in bases(scene, &known) {
        starts.extend(near::<D, S>(scene, base, &partners));
    }
    starts
}

/// The similarity through the anchors, and its mirror image where that is as good.
fn bases<const D: usize>(scene: &Scene<D>, known: &[(usize, Vector<D>)]) -> Vec<Similarity<D>> {
    let [plain, mirrored] =
        [false, true].map(|reflected| Similarity::through(&scene.source, known, reflected));
    let [error, other] = [&plain, &mirrored].map(|s| s.error(&scene.source, known));
    if known.len() == D || other < MIRRORED * error {
        vec![plain, mirrored]
    } else {
        vec![plain]
    }
}

/// Starts of every family near a similarity.
fn near<const D: usize, S: Dimension<D>>(
    scene: &Scene<D>,
    base: Similarity<D>,
    partners: &[Partner<D>],
) -> Vec<Start<D>> {
    let source = &scene.source;
    let map = base.map;
    let mut starts = Vec::new();
    let mut hot = |member: Box<dyn Member<D>>, floor: f64| {
        starts.push(Start {
            member,
            floor,
            hot: HOT,
        });
    };
    hot(Box::new(base.with_variance(0.04)), 0.2);
    let mut affine = Linear::new(source, map, scaled_identity(0.0025), Shape::Round, None);
    affine.regress(source, partners);
    hot(Box::new(affine), 0.05);
    if let Some(mut projective) = S::projective(map, 0.0004) {
        projective.refit(source, partners, 0.02);
        hot(projective, 0.02);
    }
    for noise in S::parallax() {
        let mut views = Linear::new(source, map, noise, Shape::Long, None);
        views.regress(source, partners);
        hot(Box::new(views), 0.01);
    }
    starts
}

/// A map that a guess makes.
#[derive(Clone, Copy)]
struct Guess<const D: usize> {
    score: f64,
    map: Affine<D>,
    bend: Option<Vector<D>>,
}

/// Starts at the anchors together with guessed pairs: one pair more than a similarity, an affine or a
/// projective map needs, whichever the anchors are one short of.
fn guesses<const D: usize, S: Dimension<D>>(
    scene: &Scene<D>,
    index: &Index<D>,
    known: &[(usize, Vector<D>)],
    most: usize,
) -> Vec<Start<D>> {
    let missing = D.saturating_sub(known.len()).max(1);
    if known.len() > D + 1 || missing > 2 {
        return Vec::new();
    }
    let mut found: Vec<Guess<D>> = Vec::new();
    let step = scene.source.len().div_ceil(JUDGES).max(1);
    let mut consider = |pairs: &[(usize, Vector<D>)]| {
        let guess = match pairs.len() {
            count if count == D + 2 => {
                let Some((map, bend)) = S::projective_through(&scene.source, pairs) else {
                    return;
                };
                // Nothing that is seen lies near the horizon.
                if bend.iter().any(|g| g.abs() > 1.0) {
                    return;
                }
                Guess {
                    score: glance(scene, index, step, |x| {
                        let depth = 1.0 + dot(&bend, x);
                        map.at(x).map(|y| y / depth.max(0.1))
                    }),
                    map,
                    bend: Some(bend),
                }
            }
            count => {
                let base = Similarity::through(&scene.source, pairs, false).map;
                let map = if count == D + 1 {
                    affine_through(&scene.source, base, pairs)
                } else {
                    base
                };
                Guess {
                    score: glance(scene, index, step, |x| map.at(x)),
                    map,
                    bend: None,
                }
            }
        };
        found.push(guess);
    };
    let free: Vec<usize> = (0..scene.target.len())
        .filter(|&a| !scene.taken[a])
        .collect();
    let far = scene.far_apart(GUESSED_POINTS);
    let mut pairs = known.to_vec();
    if missing == 1 {
        let stride = (far.len() * free.len()).div_ceil(most).max(1);
        for &i in &far {
            for &a in free.iter().step_by(stride) {
                pairs.push((i, scene.target[a]));
                consider(&pairs);
                pairs.pop();
            }
        }
    } else {
        // Two points far apart, and every pair of targets: the farther apart, the better a guess is.
        let chosen: Vec<(usize, usize)> = far.windows(2).map(|w| (w[0], w[1])).collect();
        let all = chosen.len() * free.len() * free.len();
        let stride = all.div_ceil(most).max(1);
        // A stride without a common factor with the number of targets visits all of them alike.
        let stride = (stride..)
            .find(|s| gcd(*s, free.len().max(1)) == 1)
            .unwrap_or(1);
        for k in (0..all).step_by(stride) {
            let (rest, b) = (k / free.len(), k % free.len());
            let (pair, a) = (rest / free.len(), rest % free.len());
            if a != b {
                let (i, j) = chosen[pair];
                pairs.push((i, scene.target[free[a]]));
                pairs.push((j, scene.target[free[b]]));
                consider(&pairs);
                pairs.truncate(known.len());
            }
        }
    }
    found.sort_by(|a, b| b.score.total_cmp(&a.score));
    let climbed = found.into_iter().take(CLIMBED_GUESSES);
    climbed
        .filter_map(|guess| start_of::<D, S>(scene, known.len(), guess))
        .collect()
}

fn start_of<const D: usize, S: Dimension<D>>(
    scene: &Scene<D>,
    known: usize,
    guess: Guess<D>,
) -> Option<Start<D>> {
    let (member, floor): (Box<dyn Member<D>>, f64) = match guess.bend {
        Some(bend) => (
            S::projective_known(guess.map, bend, GLANCE * GLANCE)?,
            GLANCE,
        ),
        None if known == D => {
            let noise = scaled_identity(0.0025);
            let affine = Linear::new(&scene.source, guess.map, noise, Shape::Round, None);
            (Box::new(affine.with_certainty()), 0.05)
        }
        None => (
            Box::new(Similarity::known(guess.map).with_variance(0.01)),
            0.1,
        ),
    };
    Some(Start {
        member,
        floor,
        hot: HOT,
    })
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// What a map explains at a glance: the ln odds that each source point's nearest target is its partner
/// rather than there by chance.
fn glance<const D: usize>(
    scene: &Scene<D>,
    index: &Index<D>,
    step: usize,
    at: impl Fn(&Vector<D>) -> Vector<D>,
) -> f64 {
    let width = GLANCE * GLANCE;
    let log = -0.5 * D as f64 * (std::f64::consts::TAU * width).ln();
    let density = log.exp() / index.density();
    let sources = scene.source.iter().zip(&scene.anchors).step_by(step);
    let free = sources.filter(|(_, partner)| partner.is_none());
    let odds = free.map(|(x, _)| match index.nearest(&at(x), 3.0 * GLANCE) {
        Some(squared) => 0.5 + 0.5 * density * (-0.5 * squared / width).exp(),
        None => 0.5,
    });
    odds.map(f64::ln).sum()
}

/// The affine map through pairs, a little drawn to `base` where they do not determine it.
fn affine_through<const D: usize>(
    source: &[Vector<D>],
    base: Affine<D>,
    pairs: &[(usize, Vector<D>)],
) -> Affine<D> {
    let points: Vec<Vector<D>> = pairs.iter().map(|&(i, _)| source[i]).collect();
    let partners: Vec<Partner<D>> = pairs.iter().map(|&(_, y)| Partner::at(y)).collect();
    let mut fit = Linear::new(&points, base, scaled_identity(1e-6), Shape::Round, None);
    fit.regress(&points, &partners);
    fit.map().affine
}

/// Starts of all families at partners that are believed already, but for the family they come from.
pub(super) fn from_partners<const D: usize, S: Dimension<D>>(
    scene: &Scene<D>,
    partners: &[Partner<D>],
    reflected: bool,
    except: Option<Family>,
    waves: &[Arc<Waves<D>>],
) -> Vec<Start<D>> {
    const FITS: usize = 4;
    const FLOOR: f64 = 0.002;
    let source = &scene.source;
    let similar = Similarity::of(source, partners, reflected);
    let map = similar.map;
    let fitted = |mut member: Box<dyn Member<D>>| {
        for _ in 0..FITS {
            member.refit(source, partners, FLOOR);
        }
        member
    };
    let waves = || std::iter::once(None).chain(waves.iter().map(Some));
    let linear = |shape, waves| {
        let linear = Linear::new(source, map, scaled_identity(0.01), shape, waves);
        fitted(Box::new(linear))
    };
    let mut members = vec![fitted(Box::new(similar))];
    members.extend(waves().map(|waves| linear(Shape::Round, waves)));
    if !S::parallax().is_empty() {
        for waves in waves() {
            let views = linear(Shape::Long, waves);
            let noise = views.map().noise;
            members.push(views);
            members.extend(S::epipolar(source, map, &noise, waves).map(fitted));
        }
    }
    members.extend(S::projective(map, 0.0004).map(fitted));
    members.retain(|member| Some(member.family()) != except);
    let starts = members.into_iter().map(|member| Start {
        member,
        floor: 0.01,
        hot: WARM,
    });
    starts.collect()
}

/// The waves of a scene, one set for each length.
pub(super) fn waves_of<const D: usize>(scene: &Scene<D>) -> Vec<Arc<Waves<D>>> {
    LENGTHS
        .iter()
        .map(|&length| Arc::new(Waves::new(&scene.source, length)))
        .collect()
}
