//! Turns and mirror images that bring a set of points onto itself.
//!
//! A ring of twelve points fits upon its copy in 24 ways, and a climb finds one of them. Each map of the source set onto
//! itself makes another mode of one that was found, as evident as that one unless an anchor says otherwise.

use std::collections::HashSet;

use super::families::Similarity;
use super::index::Index;
use super::scene::Scene;
use super::small::{Vector, difference, dot, squared_distance};
use crate::assignment::Assignment;

/// Points beyond which symmetries are not looked for: the search is quadratic in them.
const MOST_POINTS: usize = 400;

/// Symmetries that are kept at most.
const MOST: usize = 32;

/// Images of points far apart that are tried at most.
const MOST_TRIES: usize = 10_000;

/// The share of the points that has to come upon others.
const SHARE: f64 = 0.9;

/// A map of the source points onto themselves.
pub(super) struct Symmetry {
    pub(super) is_reflected: bool,
    /// The point upon which each one comes, where there is any.
    pub(super) image: Assignment,
}

/// The symmetries of the source points within a tolerance that leave the anchors where they are, without the identity.
///
/// # Complexity
/// Of all pairs of points, or triples in space, those that lie to each other as the farthest ones do are tried: O(n)
/// each.
pub(super) fn symmetries<const D: usize>(scene: &Scene<D>, tolerance: f64) -> Vec<Symmetry> {
    let source = &scene.source;
    let far = scene.far_apart(D);
    if far.len() < 2 || source.len() > MOST_POINTS {
        return Vec::new();
    }
    let mut found = Found {
        scene,
        tolerance,
        index: Index::new(source),
        far,
        tries: 0,
        seen: HashSet::from([Assignment::identity(source.len())]),
        symmetries: Vec::new(),
    };
    found.try_images(&mut Vec::with_capacity(D));
    found.symmetries
}

/// What was found, and what is tried.
struct Found<'a, const D: usize> {
    scene: &'a Scene<D>,
    tolerance: f64,
    index: Index<D>,
    /// Points far apart, whose images determine a map.
    far: Vec<usize>,
    tries: usize,
    seen: HashSet<Assignment>,
    symmetries: Vec<Symmetry>,
}

impl<const D: usize> Found<'_, D> {
    /// Tries all images of the points far apart that begin with these.
    fn try_images(&mut self, images: &mut Vec<usize>) {
        if images.len() == self.far.len() {
            self.tries += 1;
            self.consider(images);
            return;
        }
        for i in 0..self.scene.source.len() {
            if self.tries >= MOST_TRIES || self.symmetries.len() >= MOST {
                return;
            }
            if self.is_placed_alike(images, i) {
                images.push(i);
                self.try_images(images);
                images.pop();
            }
        }
    }

    /// Whether point i lies to these images as the next point far apart does to those before it.
    fn is_placed_alike(&self, images: &[usize], i: usize) -> bool {
        let source = &self.scene.source;
        let length = |a: usize, b: usize| squared_distance(&source[a], &source[b]).sqrt();
        let next = self.far[images.len()];
        let mut pairs = images.iter().zip(&self.far);
        pairs.all(|(&image, &of)| {
            image != i && (length(image, i) - length(of, next)).abs() <= 2.0 * self.tolerance
        })
    }

    fn consider(&mut self, images: &[usize]) {
        let source = &self.scene.source;
        let pairs = self.far.iter().zip(images);
        let pairs: Vec<(usize, Vector<D>)> = pairs.map(|(&i, &a)| (i, source[a])).collect();
        for is_reflected in [false, true] {
            let map = Similarity::through(source, &pairs, is_reflected).map;
            let Some(image) = image(source, &self.index, self.tolerance, |x| map.at(x)) else {
                continue;
            };
            let mut anchored = self.scene.anchors.pairs();
            let moves_anchors = anchored.any(|(k, _)| image.partner(k) != Some(k));
            let is_new = !moves_anchors && self.symmetries.len() < MOST;
            if is_new && self.seen.insert(image.clone()) {
                self.symmetries.push(Symmetry {
                    is_reflected,
                    image,
                });
            }
        }
    }
}

/// The points upon which all come; `None` when too many come upon none, or two upon one.
fn image<const D: usize>(
    source: &[Vector<D>],
    index: &Index<D>,
    tolerance: f64,
    at: impl Fn(&Vector<D>) -> Vector<D>,
) -> Option<Assignment> {
    let most_lost = ((1.0 - SHARE) * source.len() as f64) as usize;
    let mut lost = 0;
    let mut taken = vec![false; source.len()];
    let mut image = Assignment::empty(source.len());
    for (i, x) in source.iter().enumerate() {
        let place = at(x);
        let mut nearest = None;
        let mut best = tolerance * tolerance;
        index.around(&place, tolerance, |k, point| {
            let along = difference(point, &place);
            let squared = dot(&along, &along);
            if squared <= best && !taken[k] {
                (best, nearest) = (squared, Some(k));
            }
        });
        match nearest {
            Some(k) => taken[k] = true,
            None if lost < most_lost => lost += 1,
            None => return None,
        }
        image.set(i, nearest);
    }
    Some(image)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::Matrix;

    fn count<const D: usize>(points: &[Vector<D>], anchors: &[(usize, usize)]) -> usize {
        let table = Matrix::from_fn(points.len(), D, |i, k| points[i][k]);
        let scene = Scene::<D>::new([&table, &table], anchors, std::iter::empty());
        symmetries(&scene, 0.02).len() + 1
    }

    #[test]
    fn known_figures_have_their_symmetries() {
        let ring: Vec<Vector<2>> = (0..12)
            .map(|k| {
                (std::f64::consts::TAU * f64::from(k) / 12.0)
                    .sin_cos()
                    .into()
            })
            .collect();
        assert_eq!(count(&ring, &[]), 24);
        assert_eq!(count(&ring, &[(3, 5)]), 2);
        assert_eq!(count(&ring, &[(3, 5), (4, 6)]), 1);
        let lattice: Vec<Vector<2>> = (0..25)
            .map(|k| [f64::from(k % 5), f64::from(k / 5)])
            .collect();
        assert_eq!(count(&lattice, &[]), 8);
        let line: Vec<Vector<2>> = (0..9).map(|k| [f64::from(k), 0.0]).collect();
        assert_eq!(count(&line, &[]), 2);
        let scattered = [[0.0, 0.0], [1.0, 0.1], [0.3, 0.8], [0.9, 0.6], [0.2, 0.35]];
        assert_eq!(count(&scattered, &[]), 1);
    }

    #[test]
    fn figures_in_space_have_theirs() {
        let line: Vec<Vector<3>> = (0..9).map(|k| [f64::from(k), 0.0, 0.5]).collect();
        assert_eq!(count(&line, &[]), 2);
        assert_eq!(count(&line, &[(2, 2)]), 1);
        let side = |k: u8, bit: u8| f64::from((k >> bit) & 1);
        let brick: Vec<Vector<3>> = (0..8)
            .map(|k| [side(k, 0), 1.7 * side(k, 1), 2.9 * side(k, 2)])
            .collect();
        assert_eq!(count(&brick, &[]), 8);
        let cube: Vec<Vector<3>> = (0..8).map(|k| [0, 1, 2].map(|bit| side(k, bit))).collect();
        assert_eq!(count(&cube, &[]), MOST.min(48) + 1);
    }
}
