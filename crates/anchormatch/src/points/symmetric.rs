//! Turns and mirror images that bring a set of points onto itself.
//!
//! A ring of twelve points fits upon its copy in 24 ways, and a climb finds one of them. Each map of the source set onto
//! itself makes another mode of one that was found, as evident as that one unless an anchor says otherwise.

use std::collections::HashSet;

use super::families::Similarity;
use super::index::Index;
use super::scene::Scene;
use super::small::{Vector, difference, dot};
use crate::assignment::Assignment;

/// Points beyond which symmetries are not looked for: the search is quadratic in them.
const MOST_POINTS: usize = 400;

/// Symmetries that are kept at most.
const MOST: usize = 32;

/// The share of the points that has to come upon others.
const SHARE: f64 = 0.9;

/// A map of the source points onto themselves.
pub(super) struct Symmetry {
    pub(super) is_reflected: bool,
    /// The point upon which each one comes, where there is any.
    pub(super) image: Assignment,
}

/// The symmetries of the source points in the plane within a tolerance that leave the anchors where they are, without
/// the identity.
///
/// # Complexity
/// O(n²) pairs of points, of which those at the distance of the two farthest ones are tried: O(n) each.
pub(super) fn symmetries<const D: usize>(scene: &Scene<D>, tolerance: f64) -> Vec<Symmetry> {
    let source = &scene.source;
    let far = scene.far_apart(2);
    if D != 2 || far.len() < 2 || source.len() > MOST_POINTS {
        return Vec::new();
    }
    let length = |x: &Vector<D>, y: &Vector<D>| {
        let along = difference(x, y);
        dot(&along, &along).sqrt()
    };
    let apart = length(&source[far[0]], &source[far[1]]);
    let index = Index::new(source);
    let mut seen = HashSet::from([Assignment::identity(source.len())]);
    let mut found = Vec::new();
    for (i, x) in source.iter().enumerate() {
        for (j, y) in source.iter().enumerate() {
            if i == j || (length(x, y) - apart).abs() > 2.0 * tolerance {
                continue;
            }
            for is_reflected in [false, true] {
                let pairs = [(far[0], *x), (far[1], *y)];
                let map = Similarity::through(source, &pairs, is_reflected).map;
                let Some(image) = image(source, &index, tolerance, |x| map.at(x)) else {
                    continue;
                };
                let mut anchored = scene.anchors.pairs();
                let moves_anchors = anchored.any(|(k, _)| image.partner(k) != Some(k));
                if !moves_anchors && found.len() < MOST && seen.insert(image.clone()) {
                    found.push(Symmetry {
                        is_reflected,
                        image,
                    });
                }
            }
        }
    }
    found
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

    fn count(points: &[Vector<2>], anchors: &[(usize, usize)]) -> usize {
        let table = Matrix::from_fn(points.len(), 2, |i, k| points[i][k]);
        let scene = Scene::<2>::new([&table, &table], anchors, std::iter::empty());
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
}
