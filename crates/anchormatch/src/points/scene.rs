//! Two sets of points in a common measure, and what is known of them.

use std::sync::Arc;

use super::association::{Partner, log_prior, log_prior_odds};
use super::known::{Known, PairEvidence};
use super::small::{Vector, squared_distance};
use crate::assignment::Assignment;
use crate::linalg::Matrix;

/// Two sets of points, each moved to mean 0 and scaled to a mean square of one in every coordinate, and what
/// is known of their pairs.
#[derive(Debug, Clone)]
pub(super) struct Scene<const D: usize> {
    pub(super) source: Vec<Vector<D>>,
    pub(super) target: Vec<Vector<D>>,
    /// Hard anchors: the partner of each source point that has one.
    pub(super) anchors: Assignment,
    /// Whether a hard anchor has this target point, or it is known to have no partner.
    pub(super) taken: Vec<bool>,
    /// Whether a source point is known to have no partner.
    pub(super) alone: Vec<bool>,
    /// Soft anchors: source, target and the odds that they are right, by source.
    pub(super) soft: Vec<(usize, usize, f64)>,
    /// Whether all points of the smaller set have partners, as likely as not.
    pub(super) is_complete: bool,
    /// What is known of pairs beside where their points lie.
    pub(super) known: Option<Known>,
    /// −ln of the density of points near each target point, whoever they are the partners of: how rare it is
    /// that one lies there by chance.
    pub(super) log_rarity: Vec<f64>,
    /// How the sets were moved and scaled.
    pub(super) frames: [Frame<D>; 2],
}

/// Coordinates of a scene are (x − centre) / scale.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Frame<const D: usize> {
    pub(super) centre: Vector<D>,
    pub(super) scale: f64,
}

/// Points that a density is estimated from, at most.
const DENSITY_POINTS: usize = 1000;

/// The part of a kernel that lies in the box is at least this: points on a line fill none of it.
const LEAST_INSIDE: f64 = 0.05;

/// The width of the kernel is at least this, in scaled coordinates: points on a line have some width too.
const LEAST_WIDTH: f64 = 0.1;

/// Weights of soft anchors are kept from saying 0 or 1.
const MOST_ODDS: f64 = 1e6;

impl<const D: usize> Scene<D> {
    /// The scene of two tables of points with D columns, hard anchors, and soft ones by their weights.
    pub(super) fn new(
        points: [&Matrix; 2],
        hard: &[(usize, usize)],
        soft: impl Iterator<Item = (usize, usize, f64)>,
    ) -> Self {
        let (source, from) = framed(points[0]);
        let (target, to) = framed(points[1]);
        let anchors = Assignment::from_pairs(source.len(), hard.iter().copied());
        let mut taken = vec![false; target.len()];
        hard.iter().for_each(|&(_, a)| taken[a] = true);
        let mut soft: Vec<_> = soft
            .map(|(i, a, w)| (i, a, (w / (1.0 - w)).clamp(1.0 / MOST_ODDS, MOST_ODDS)))
            .collect();
        soft.sort_by_key(|&(i, a, _)| (i, a));
        Self {
            log_rarity: log_rarity(&target),
            alone: vec![false; source.len()],
            source,
            target,
            anchors,
            taken,
            soft,
            is_complete: false,
            known: None,
            frames: [from, to],
        }
    }

    /// With source and target points that are known to have no partner.
    pub(super) fn with_alone(mut self, [source, target]: [&[usize]; 2]) -> Self {
        source.iter().for_each(|&i| self.alone[i] = true);
        target.iter().for_each(|&a| self.taken[a] = true);
        self
    }

    /// Sets of one size, all of whose points are to be matched, are thought to be complete.
    pub(super) fn with_everybody(mut self, everybody: bool) -> Self {
        let is_anyone_alone = self.alone.contains(&true);
        self.is_complete = everybody && !is_anyone_alone && self.source.len() == self.target.len();
        self
    }

    /// ln of the prior of one matching of k pairs: every k is as likely as any other, unless sets are complete as likely as not.
    pub(super) fn log_prior(&self, k: f64) -> f64 {
        log_prior(k, self.source.len(), self.target.len()) + self.log_complete(k)
    }

    /// ln of the odds that one pair more has before its points are looked at, from k − ½ to k + ½ of them.
    pub(super) fn log_prior_odds(&self, k: f64) -> f64 {
        let odds = log_prior_odds(k, self.source.len(), self.target.len());
        odds + self.log_complete(k + 0.5) - self.log_complete(k - 0.5)
    }

    /// The number of pairs at which the prior odds are those of the last pair, where all of k points have one and that counts.
    pub(super) fn between_counts(&self, k: f64) -> f64 {
        match self.is_complete {
            true => k.min(self.smaller() - 0.5),
            false => k,
        }
    }

    fn smaller(&self) -> f64 {
        self.source.len().min(self.target.len()) as f64
    }

    /// ln of how much likelier k pairs are than if every k were as likely as any other; between n − 1 pairs and all n of them, of
    /// which an expected number may lie, it is drawn through.
    fn log_complete(&self, k: f64) -> f64 {
        if !self.is_complete {
            return 0.0;
        }
        let share = (1.0 + k - self.smaller()).clamp(0.0, 1.0);
        (0.5 + 0.5 * share * (self.smaller() + 1.0)).ln()
    }

    /// With what is known of pairs beside where their points lie.
    pub(super) fn with_known(mut self, evidence: Option<&Arc<dyn PairEvidence>>) -> Self {
        let names = (0..self.source.len()).collect();
        let known = evidence.map(|e| Known::new(Arc::clone(e), names, self.target.len()));
        self.known = known;
        self
    }

    /// The pairs of hard anchors: source points and where their partners lie.
    pub(super) fn anchored(&self) -> Vec<(usize, Vector<D>)> {
        let pairs = self.anchors.pairs();
        pairs.map(|(i, a)| (i, self.target[a])).collect()
    }

    /// What is believed of every source point when nothing but the hard anchors is.
    pub(super) fn anchored_partners(&self) -> Vec<Partner<D>> {
        let partner = |a: Option<usize>| a.map_or(Partner::NONE, |a| Partner::at(self.target[a]));
        self.anchors.iter().map(partner).collect()
    }

    /// The part of the scene with these source points alone.
    pub(super) fn part(&self, sources: &[usize]) -> Self {
        let place: std::collections::HashMap<usize, usize> =
            sources.iter().enumerate().map(|(k, &i)| (i, k)).collect();
        let soft = self.soft.iter();
        Self {
            source: sources.iter().map(|&i| self.source[i]).collect(),
            anchors: sources.iter().map(|&i| self.anchors.partner(i)).collect(),
            alone: sources.iter().map(|&i| self.alone[i]).collect(),
            soft: soft
                .filter_map(|&(i, a, odds)| place.get(&i).map(|&k| (k, a, odds)))
                .collect(),
            known: self.known.as_ref().map(|known| known.part(sources)),
            ..self.clone()
        }
    }

    /// How many source points have no hard anchor.
    pub(super) fn free(&self) -> usize {
        self.anchors.rows() - self.anchors.matched()
    }

    /// All anchored source points, and about `most` of the others.
    pub(super) fn thinned(&self, most: usize) -> Vec<usize> {
        let free = self.free();
        let step = free.div_ceil(most).max(1);
        let mut seen = 0;
        let keep = |i: &usize| {
            let is_free = self.anchors.partner(*i).is_none();
            seen += usize::from(is_free);
            !is_free || seen % step == 0
        };
        (0..self.source.len()).filter(keep).collect()
    }

    /// Source points without an anchor, each as far as possible from the anchors and those before it.
    pub(super) fn far_apart(&self, most: usize) -> Vec<usize> {
        let mut distance = vec![f64::INFINITY; self.source.len()];
        let approach = |distance: &mut [f64], i: usize| {
            for (d, x) in distance.iter_mut().zip(&self.source) {
                *d = d.min(squared_distance(x, &self.source[i]));
            }
        };
        for (i, _) in self.anchors.pairs() {
            approach(&mut distance, i);
        }
        let mut chosen = Vec::new();
        while chosen.len() < most {
            let free = (0..distance.len()).filter(|&i| self.anchors.partner(i).is_none());
            let next = free.max_by(|&a, &b| distance[a].total_cmp(&distance[b]).then(b.cmp(&a)));
            match next {
                Some(next) if distance[next] > 0.0 => {
                    chosen.push(next);
                    approach(&mut distance, next);
                }
                _ => break,
            }
        }
        chosen
    }
}

fn framed<const D: usize>(points: &Matrix) -> (Vec<Vector<D>>, Frame<D>) {
    let rows: Vec<Vector<D>> = (0..points.rows())
        .map(|i| std::array::from_fn(|k| points.row(i)[k]))
        .collect();
    let count = rows.len().max(1) as f64;
    // Sums of scaled numbers, so that large coordinates do not overflow.
    let centre: Vector<D> = std::array::from_fn(|k| rows.iter().map(|p| p[k] / count).sum());
    let largest = rows
        .iter()
        .flat_map(|p| (0..D).map(|k| (p[k] - centre[k]).abs()));
    let largest = largest.fold(0.0, f64::max);
    let scale = if largest > 0.0 {
        let of = |p: &Vector<D>| {
            (0..D)
                .map(|k| ((p[k] - centre[k]) / largest).powi(2))
                .sum::<f64>()
        };
        let mean = rows.iter().map(of).sum::<f64>() / (count * D as f64);
        largest * mean.sqrt()
    } else {
        1.0
    };
    let frame = Frame { centre, scale };
    let scaled = rows.iter().map(|p| frame.of(p)).collect();
    (scaled, frame)
}

/// −ln of the density at each point, by a Gaussian kernel over the others with the width of Scott's rule
/// (points have unit variance), divided by the part of the kernel that lies in the box of the points: nobody
/// lies outside (Diggle's correction of edges).
fn log_rarity<const D: usize>(points: &[Vector<D>]) -> Vec<f64> {
    let step = points.len().div_ceil(DENSITY_POINTS).max(1);
    let used = points.len().div_ceil(step) as f64;
    let width = used.powf(-1.0 / (D as f64 + 4.0)).max(LEAST_WIDTH);
    let log_unit = 0.5 * D as f64 * (std::f64::consts::TAU * width * width).ln();
    let side = |k: usize| {
        let values = points.iter().map(|p| p[k]);
        let high = values.clone().fold(f64::NEG_INFINITY, f64::max);
        (values.fold(f64::INFINITY, f64::min), high)
    };
    let sides: [(f64, f64); D] = std::array::from_fn(side);
    // The logistic curve nearest to the normal distribution's.
    let below = |x: f64| 1.0 / (1.0 + (-1.702 * x / width).exp());
    let inside = |p: &Vector<D>| {
        let part = |k: usize| below(sides[k].1 - p[k]) - below(sides[k].0 - p[k]);
        (0..D).map(part).product::<f64>().max(LEAST_INSIDE)
    };
    let density = |a: usize| {
        let others = (0..points.len()).step_by(step).filter(|&b| b != a);
        let kernel = |b: usize| {
            let squared = squared_distance(&points[a], &points[b]);
            (-0.5 * squared / (width * width)).exp()
        };
        // One point's worth, spread widely, stands for those that were not seen.
        let squared = squared_distance(&points[a], &[0.0; D]);
        let wide = (-0.5 * squared / 4.0).exp() * (width / 2.0).powi(D as i32);
        (others.map(kernel).sum::<f64>() / inside(&points[a]) + wide) / used
    };
    (0..points.len())
        .map(|a| log_unit - density(a).ln())
        .collect()
}

impl<const D: usize> Frame<D> {
    /// A point in this frame's coordinates.
    pub(super) fn of(&self, point: &Vector<D>) -> Vector<D> {
        std::array::from_fn(|k| (point[k] - self.centre[k]) / self.scale)
    }

    /// A point of this frame in the coordinates that were given.
    pub(super) fn back(&self, point: &Vector<D>) -> Vector<D> {
        std::array::from_fn(|k| point[k] * self.scale + self.centre[k])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_do_not_depend_on_where_and_how_large_the_points_are() {
        let corners = [[0.0, 0.0], [4.0, 0.0], [4.0, 2.0], [0.0, 2.0]];
        let at = |scale: f64, shift: f64| {
            let values = corners.iter().flatten().map(|x| x * scale + shift);
            Matrix::from_vec(4, 2, values.collect())
        };
        let (near, frame) = framed::<2>(&at(1.0, 0.0));
        assert_eq!(frame.centre, [2.0, 1.0]);
        assert!((frame.scale - 2.5f64.sqrt()).abs() < 1e-12);
        for (scale, shift) in [(1e12, -3e12), (1e-9, 0.0), (1e300, 1e300)] {
            let (far, _) = framed::<2>(&at(scale, shift));
            for (p, q) in near.iter().zip(&far) {
                assert!(squared_distance(p, q) < 1e-12, "{scale} {shift}");
            }
        }
        let (same, frame) = framed::<2>(&Matrix::filled(3, 2, 7.0));
        assert_eq!((same[1], frame.scale), ([0.0, 0.0], 1.0));
    }

    /// The number of matchings of k pairs, by counting.
    fn matchings(n: usize, m: usize, k: usize) -> f64 {
        let choices = (0..k).map(|j| ((n - j) * (m - j)) as f64 / (j + 1) as f64);
        choices.product()
    }

    #[test]
    fn sets_of_one_size_are_complete_as_likely_as_not() {
        let table = |count: usize| Matrix::from_fn(count, 2, |i, k| (i * (k + 2)) as f64 % 7.0);
        let scene = |n: usize, m: usize, everybody: bool| {
            let scene = Scene::<2>::new([&table(n), &table(m)], &[], std::iter::empty());
            scene.with_everybody(everybody)
        };
        for (n, m, everybody, wanted) in [
            (6, 6, true, 0.5 + 0.5 / 7.0),
            (6, 6, false, 1.0 / 7.0),
            (5, 6, true, 1.0 / 6.0),
        ] {
            let scene = scene(n, m, everybody);
            let of = |k: usize| matchings(n, m, k) * scene.log_prior(k as f64).exp();
            let sum: f64 = (0..=n).map(of).sum();
            assert!((sum - 1.0).abs() < 1e-6, "{sum}");
            assert!((of(n) - wanted).abs() < 1e-6, "{n} {m}: {}", of(n));
        }
        // The odds of the last pair are those of all pairs beside all but one.
        let scene = scene(6, 6, true);
        let last = scene.log_prior(6.0) - scene.log_prior(5.0);
        let odds = scene.log_prior_odds(scene.between_counts(6.0));
        assert!((odds - last).abs() < 1e-6, "{odds} {last}");
        let alone = scene.with_alone([&[2], &[]]).with_everybody(true);
        assert!(!alone.is_complete);
    }

    #[test]
    fn points_far_apart_begin_with_the_farthest_from_the_anchors() {
        let points = Matrix::from_vec(4, 2, vec![0.0, 0.0, 1.0, 0.0, 5.0, 0.0, 0.0, 3.0]);
        let scene = Scene::<2>::new([&points, &points], &[(0, 0)], std::iter::empty());
        assert_eq!(scene.far_apart(2), [2, 3]);
        assert_eq!(scene.far_apart(9), [2, 3, 1]);
        let part = scene.part(&[3, 0]);
        assert_eq!(part.anchors, [None, Some(0)]);
    }
}
