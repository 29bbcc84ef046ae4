//! Where climbs begin: at the anchors, along every direction of parallax, at pairs that somebody else found; at
//! [`guesses`](super::guesses).

use std::sync::Arc;

use super::association::Partner;
use super::climb::Start;
use super::families::{
    Affine, Epipolar, Family, Linear, Member, Projective, Shape, Similarity, Waves,
};
use super::guesses::guesses;
use super::index::Index;
use super::scene::Scene;
use super::small::{Square, Vector, add_outer, add_scaled, determinant, scaled_identity};

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

/// Upright images are stretched by no more than this, and where the logarithm of it is more than that.
///
/// `anchormatch-lab bench points --only house`
const MOST_STRETCH: f64 = 2.0;
const LEAST_STRETCH: f64 = 0.04;

/// Standard deviation across the parallax of maps that anchors have no part in, and the floor that it sinks from.
const LEVEL: f64 = 0.05;

/// The floor that views in perspective are climbed from once more, beside those that stay near the partners they start
/// at: where some of these are wrong, all of them have to move.
///
/// `anchormatch-lab bench points --only house`
const LOOSE: f64 = 0.12;

/// Steps of a climb from anchors, and from pairs that are found already.
pub(super) const HOT: usize = 12;
const WARM: usize = 6;

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
    let mut starts = guesses::<D, S>(scene, index, &known, quick);
    if known.len() >= D {
        starts.extend(starts_near::<D, S>(scene, &known));
    }
    starts
}

/// Starts at anchors that determine a similarity.
pub(super) fn starts_near<const D: usize, S: Dimension<D>>(
    scene: &Scene<D>,
    known: &[(usize, Vector<D>)],
) -> Vec<Start<D>> {
    let partners = scene.anchored_partners();
    let bases = bases(scene, known).into_iter();
    bases
        .flat_map(|base| near::<D, S>(scene, base, &partners))
        .collect()
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

/// Starts of the simple families near a similarity.
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
            pairs: None,
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
    starts
}

/// Starts of two views from afar along every direction, or every so many: at the anchors, and at maps that do not depend
/// on how deep these lie.
pub(super) fn along_parallax<const D: usize, S: Dimension<D>>(
    scene: &Scene<D>,
    every: usize,
) -> Vec<Start<D>> {
    let known = scene.anchored();
    let mut starts = Vec::new();
    if known.len() < D {
        return starts;
    }
    let source = &scene.source;
    let partners = scene.anchored_partners();
    let bases = bases(scene, &known);
    let level = level(scene, &bases[0].map);
    for base in bases {
        for noise in S::parallax().into_iter().step_by(every) {
            let mut views = Linear::new(source, base.map, noise, Shape::Long, None);
            views.regress(source, &partners);
            starts.push(Start {
                member: Box::new(views),
                floor: 0.01,
                hot: HOT,
                pairs: None,
            });
        }
    }
    for base in level {
        for mut noise in S::parallax().into_iter().step_by(every) {
            add_scaled(&mut noise, LEVEL * LEVEL, &scaled_identity(1.0));
            let views = Linear::new(source, base, noise, Shape::Long, None);
            starts.push(Start {
                member: Box::new(views.with_certainty()),
                floor: LEVEL,
                hot: HOT,
                pairs: None,
            });
        }
    }
    starts
}

/// Maps from one scaled frame to the other that owe the anchors little: of upright images, with the turn of a similarity,
/// and where upright images differ in their widths, each axis stretched until they do not, for who walks around an object
/// sees it narrower. Anchors at different depths pull the similarity through them far off; the middles and the sizes of
/// both sets stay where they are.
fn level<const D: usize>(scene: &Scene<D>, similar: &Affine<D>) -> Vec<Affine<D>> {
    let scale = determinant(&similar.linear).abs().powf(1.0 / D as f64);
    let turned = Affine {
        linear: similar.linear.map(|row| row.map(|x| x / scale)),
        shift: [0.0; D],
    };
    let mut maps = vec![Affine::identity(), turned];
    let mut stretched = Affine::identity();
    for k in 0..D {
        let [from, to] = [&scene.source, &scene.target].map(|set| width(set, k));
        if from > 0.0 && to > 0.0 {
            stretched.linear[k][k] = (to / from).clamp(1.0 / MOST_STRETCH, MOST_STRETCH);
        }
    }
    let stretch = (0..D).map(|k| stretched.linear[k][k].ln().abs());
    if stretch.fold(0.0, f64::max) > LEAST_STRETCH {
        maps.push(stretched);
    }
    maps
}

/// The root of the mean square along an axis of points whose mean is 0.
fn width<const D: usize>(points: &[Vector<D>], axis: usize) -> f64 {
    let squares: f64 = points.iter().map(|x| x[axis] * x[axis]).sum();
    (squares / points.len().max(1) as f64).sqrt()
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
    let mut loose: Vec<Box<dyn Member<D>>> = Vec::new();
    members.extend(waves().map(|waves| linear(Shape::Round, waves)));
    if !S::parallax().is_empty() {
        for waves in waves() {
            let views = linear(Shape::Long, waves);
            let noise = views.map().noise;
            members.push(views);
            if waves.is_none() {
                loose.extend(S::epipolar(source, map, &noise, None).map(fitted));
            }
            members.extend(S::epipolar(source, map, &noise, waves).map(fitted));
        }
    }
    members.extend(S::projective(map, 0.0004).map(fitted));
    members.retain(|member| Some(member.family()) != except);
    let starts = members.into_iter().map(|member| Start {
        member,
        floor: 0.01,
        hot: WARM,
        pairs: None,
    });
    let loose = loose.into_iter().map(|member| Start {
        member,
        floor: LOOSE,
        hot: HOT,
        pairs: None,
    });
    starts.chain(loose).collect()
}

/// The waves of a scene, one set for each length.
pub(super) fn waves_of<const D: usize>(scene: &Scene<D>) -> Vec<Arc<Waves<D>>> {
    LENGTHS
        .iter()
        .map(|&length| Arc::new(Waves::new(&scene.source, length)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::Matrix;

    /// Two anchors whose parallax makes a similarity of twice the size and half a turn of them.
    #[test]
    fn some_starts_do_not_follow_the_anchors() {
        let source = Matrix::from_vec(4, 2, vec![-1.0, -1.0, 1.0, -1.0, 1.0, 1.0, -1.0, 1.0]);
        let target = Matrix::from_vec(4, 2, vec![1.0, 1.0, 1.0, -1.0, -1.0, -1.0, -1.0, 1.0]);
        let scene = Scene::<2>::new([&source, &target], &[(0, 0), (2, 3)], std::iter::empty());
        let starts = along_parallax::<2, Plane>(&scene, 1);
        let maps: Vec<Affine<2>> = starts.iter().map(|s| s.member.map().affine).collect();
        // At two anchors and their mirror image, and twice apart from them.
        assert_eq!(maps.len(), 4 * DIRECTIONS);
        let level = &maps[2 * DIRECTIONS..];
        assert!(level[..DIRECTIONS].iter().all(|m| *m == Affine::identity()));
        let turned = &level[DIRECTIONS].linear;
        let similar = Similarity::through(&scene.source, &scene.anchored(), false)
            .map
            .linear;
        assert!((determinant(turned) - 1.0).abs() < 1e-12);
        for (row, wanted) in turned.iter().zip(&similar) {
            for (x, y) in row.iter().zip(wanted) {
                assert!((x - y / determinant(&similar).sqrt()).abs() < 1e-12);
            }
        }
        assert!(maps[0] != maps[2 * DIRECTIONS]);
    }

    #[test]
    fn upright_images_are_stretched_to_the_same_widths() {
        let points = Matrix::from_fn(40, 2, |i, k| (i * (3 * k + 5)) as f64 % 17.0);
        let narrow = Matrix::from_fn(40, 2, |i, k| points[(i, k)] * [0.7, 1.0][k]);
        let scene = Scene::<2>::new([&points, &narrow], &[(0, 0), (9, 9)], std::iter::empty());
        let maps = level(&scene, &Affine::identity());
        assert_eq!(maps.len(), 3);
        for (x, y) in scene.source.iter().zip(&scene.target) {
            let moved = maps[2].at(x);
            assert!((moved[0] - y[0]).abs() + (moved[1] - y[1]).abs() < 1e-12);
        }
    }

    /// Views in perspective are tried twice, near the partners and at some distance from them.
    #[test]
    fn views_in_perspective_are_climbed_from_twice() {
        let points = Matrix::from_fn(9, 2, |i, k| ((i + 1) * (k + 2)) as f64 % 5.0);
        let pairs: Vec<(usize, usize)> = (0..9).map(|i| (i, i)).collect();
        let scene = Scene::<2>::new([&points, &points], &pairs, std::iter::empty());
        let partners = scene.anchored_partners();
        let starts = from_partners::<2, Plane>(&scene, &partners, false, None, &[]);
        let floors = starts
            .iter()
            .filter(|s| s.member.family() == Family::Epipolar);
        assert_eq!(floors.map(|s| s.floor).collect::<Vec<_>>(), [0.01, LOOSE]);
    }
}
