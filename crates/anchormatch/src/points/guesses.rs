//! Climbs that begin at guesses: the map through few pairs, of the anchors and of those that could be partners.
//!
//! A guess is judged at a glance, by how many points it brings near to others; the best few are climbed from.

use super::association::{Lists, Partner};
use super::climb::Start;
use super::families::{Affine, Linear, Member, Shape, Similarity};
use super::index::Index;
use super::scene::Scene;
use super::small::{Vector, dot, scaled_identity};
use super::starts::{Dimension, HOT};

/// Source points that are guessed for, and guesses that are climbed from.
const GUESSED_POINTS: usize = 10;
const CLIMBED_GUESSES: usize = 3;

/// The same where the anchors determine no similarity.
///
/// `anchormatch-lab bench points --only turned --anchors 1`
const CLIMBED_SIMILARITIES: usize = 8;

/// Pairs that are likely for another reason than their places and make guesses, and such guesses.
const LIKELY_PAIRS: usize = 20;
const MOST_LIKELY: usize = 1000;

/// Guesses that are looked at, at most.
const MOST_GUESSES: usize = 40_000;
const MOST_QUICK_GUESSES: usize = 8_000;

/// Source points that a guess is judged by, at most.
const JUDGES: usize = 200;

/// The width within which a guess has to bring points together.
const GLANCE: f64 = 0.04;

/// A map that a guess makes.
#[derive(Clone, Copy)]
struct Guess<const D: usize> {
    score: f64,
    map: Affine<D>,
    bend: Option<Vector<D>>,
}

/// Starts at the anchors together with guessed pairs: one pair more than a similarity, an affine or a
/// projective map needs, whichever the anchors are one short of.
pub(super) fn guesses<const D: usize, S: Dimension<D>>(
    scene: &Scene<D>,
    index: &Index<D>,
    known: &[(usize, Vector<D>)],
    quick: bool,
) -> Vec<Start<D>> {
    let most = if quick {
        MOST_QUICK_GUESSES
    } else {
        MOST_GUESSES
    };
    let missing = D.saturating_sub(known.len()).max(1);
    if known.len() > D + 1 || missing > 2 {
        return Vec::new();
    }
    let mut found: Vec<Guess<D>> = Vec::new();
    let step = scene.source.len().div_ceil(JUDGES).max(1);
    let mut consider = |pairs: &[(usize, Vector<D>)]| {
        found.extend(through::<D, S>(scene, index, step, pairs, false));
        if pairs.len() == D {
            found.extend(through::<D, S>(scene, index, step, pairs, true));
        }
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
    let count = if known.len() < D && !quick {
        CLIMBED_SIMILARITIES
    } else {
        CLIMBED_GUESSES
    };
    climbed::<D, S>(scene, found, known.len() == D, count)
}

/// Starts at so many of the best guesses; affine ones where they are, and those with a bend projective ones.
fn climbed<const D: usize, S: Dimension<D>>(
    scene: &Scene<D>,
    mut found: Vec<Guess<D>>,
    affine: bool,
    count: usize,
) -> Vec<Start<D>> {
    found.sort_by(|a, b| b.score.total_cmp(&a.score));
    let climbed = found.into_iter().take(count);
    climbed
        .filter_map(|guess| start_of::<D, S>(scene, affine, guess))
        .collect()
}

/// The simplest map through pairs: a similarity, an affine map through D + 1, a projective one through D + 2.
fn through<const D: usize, S: Dimension<D>>(
    scene: &Scene<D>,
    index: &Index<D>,
    step: usize,
    pairs: &[(usize, Vector<D>)],
    reflected: bool,
) -> Option<Guess<D>> {
    if pairs.len() == D + 2 {
        let (map, bend) = S::projective_through(&scene.source, pairs)?;
        // Nothing that is seen lies near the horizon.
        if bend.iter().any(|g| g.abs() > 1.0) {
            return None;
        }
        let score = glance(scene, index, step, |x| {
            let depth = 1.0 + dot(&bend, x);
            map.at(x).map(|y| y / depth.max(0.1))
        });
        let bend = Some(bend);
        return Some(Guess { score, map, bend });
    }
    let base = Similarity::through(&scene.source, pairs, reflected).map;
    let map = if pairs.len() == D + 1 {
        affine_through(&scene.source, base, pairs)
    } else {
        base
    };
    Some(Guess {
        score: glance(scene, index, step, |x| map.at(x)),
        map,
        bend: None,
    })
}

/// Starts at maps through few of the anchors and of the pairs that something else than their places makes likely.
pub(super) fn likely<const D: usize, S: Dimension<D>>(
    scene: &Scene<D>,
    index: &Index<D>,
    lists: &Lists,
) -> Vec<Start<D>> {
    let best = |i: usize| {
        let row = lists.row(i);
        row.max_by(|x, y| x.1.total_cmp(&y.1).then(y.0.cmp(&x.0)))
            .map(|(a, belief)| (belief, i, a))
    };
    let mut ranked: Vec<(f64, usize, usize)> = (0..scene.source.len()).filter_map(best).collect();
    ranked.extend(scene.anchors.pairs().map(|(i, a)| (2.0, i, a)));
    ranked.sort_by(|x, y| y.0.total_cmp(&x.0).then(x.1.cmp(&y.1)));
    ranked.truncate(LIKELY_PAIRS);
    let ranked: Vec<(usize, Vector<D>)> = ranked
        .iter()
        .map(|&(_, i, a)| (i, scene.target[a]))
        .collect();
    let step = scene.source.len().div_ceil(JUDGES).max(1);
    let mut starts = Vec::new();
    for affine in [false, true] {
        let count = D + usize::from(affine);
        let mut found = Vec::new();
        let mut chosen: Vec<usize> = (0..count).collect();
        while ranked.len() >= count {
            let pairs: Vec<_> = chosen.iter().map(|&k| ranked[k]).collect();
            for reflected in [false, true] {
                // An affine map is near to one of the two similarities, or to none.
                found.extend(through::<D, S>(scene, index, step, &pairs, reflected));
            }
            if found.len() >= MOST_LIKELY || !next_choice(&mut chosen, ranked.len()) {
                break;
            }
        }
        starts.extend(climbed::<D, S>(scene, found, affine, CLIMBED_GUESSES));
    }
    starts
}

/// The next of the ascending choices among `count`, those of the first ones before others.
fn next_choice(chosen: &mut [usize], count: usize) -> bool {
    let size = chosen.len();
    let room = |k: usize| if k + 1 < size { chosen[k + 1] } else { count };
    let Some(k) = (0..size).find(|&k| chosen[k] + 1 < room(k)) else {
        return false;
    };
    chosen[k] += 1;
    for (place, value) in chosen[..k].iter_mut().enumerate() {
        *value = place;
    }
    true
}

fn start_of<const D: usize, S: Dimension<D>>(
    scene: &Scene<D>,
    affine: bool,
    guess: Guess<D>,
) -> Option<Start<D>> {
    let (member, floor): (Box<dyn Member<D>>, f64) = match guess.bend {
        Some(bend) => (
            S::projective_known(guess.map, bend, GLANCE * GLANCE)?,
            GLANCE,
        ),
        None if affine => {
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
        pairs: None,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_choice_comes_once_and_the_first_ones_first() {
        let mut chosen = vec![0, 1, 2];
        let mut seen = vec![chosen.clone()];
        while next_choice(&mut chosen, 6) {
            assert!(chosen.is_sorted_by(|a, b| a < b), "{chosen:?}");
            seen.push(chosen.clone());
        }
        let last: Vec<usize> = seen.iter().map(|c| c[2]).collect();
        assert!(last.is_sorted());
        assert_eq!(seen.len(), 20, "6 choose 3");
        seen.sort();
        seen.dedup();
        assert_eq!(seen.len(), 20);
        assert!(!next_choice(&mut [], 3));
    }
}
