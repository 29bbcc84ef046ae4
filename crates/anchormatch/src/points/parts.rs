//! Climbs that begin at random parts of what a mode believes.
//!
//! Where some of a mode's pairs are wrong, all families that are fitted to all of them end near it: the compromise suits
//! them as well. A part that happens to have few of the wrong pairs leads elsewhere, as in random sample consensus, but
//! among pairs that are likely already, so that a handful of parts does. The noise is let be wide at first, and what a
//! part says is soon outvoted.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::association::Partner;
use super::climb::{Mode, Start};
use super::scene::Scene;
use super::starts::{Dimension, HOT, from_partners};

/// Parts that are drawn of a mode, the share of its pairs that a part has, and the floor under the noise at first.
///
/// `anchormatch-lab bench points --only house`, `--only perspective --anchors 2`
const PARTS: usize = 3;
const SHARE: f64 = 0.3;
const FLOOR: f64 = 0.05;

/// Starts of the families without waves at parts of a mode's pairs; anchors are in all of them.
pub(super) fn at_parts<const D: usize, S: Dimension<D>>(
    scene: &Scene<D>,
    mode: &Mode<D>,
    seed: u64,
) -> Vec<Start<D>> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut partners = Vec::new();
    mode.lists.partners(scene, &mut partners);
    let mut starts = Vec::new();
    for _ in 0..PARTS {
        let part = part_of(scene, &partners, &mut random);
        let reflected = mode.member.is_reflected();
        starts.extend(from_partners::<D, S>(scene, &part, reflected, None, &[]));
    }
    for start in &mut starts {
        start.floor = start.floor.max(FLOOR);
        start.hot = HOT;
    }
    starts
}

fn part_of<const D: usize>(
    scene: &Scene<D>,
    partners: &[Partner<D>],
    random: &mut ChaCha8Rng,
) -> Vec<Partner<D>> {
    let all = partners.iter().zip(&scene.anchors);
    all.map(|(partner, anchor)| {
        let is_chosen = random.random::<f64>() < SHARE;
        if is_chosen || anchor.is_some() {
            *partner
        } else {
            Partner::NONE
        }
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::Matrix;

    #[test]
    fn a_part_has_the_anchors_and_a_share_of_the_rest() {
        let points = Matrix::from_fn(200, 2, |i, k| (i * (k + 1)) as f64 % 17.0);
        let anchors = [(3, 4), (50, 60)];
        let scene = Scene::<2>::new([&points, &points], &anchors, std::iter::empty());
        let partners = vec![Partner::at([0.5, 0.5]); 200];
        let mut random = ChaCha8Rng::seed_from_u64(1);
        let parts: Vec<Vec<bool>> = (0..2)
            .map(|_| {
                let part = part_of(&scene, &partners, &mut random);
                part.iter().map(Partner::counts).collect()
            })
            .collect();
        for part in &parts {
            assert!(part[3] && part[50]);
            let share = part.iter().filter(|chosen| **chosen).count() as f64 / 200.0;
            assert!((share - SHARE).abs() < 0.1, "{share}");
        }
        assert!(parts[0] != parts[1]);
    }
}
