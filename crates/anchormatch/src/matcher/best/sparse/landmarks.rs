//! Landmarks: how many steps nodes are away from the anchors.
//!
//! Partners are about as far from each anchor as each other, for what one graph has lost of a path the other
//! one hardly makes up for. Between i and a stands the weighted mean of what their distances to the
//! landmarks differ by,
//!
//! δ(i, a) = Σₖ wₖ min(|d(i, k) − d'(a, k')|, [`MOST_APART`]) / Σₖ wₖ,  wₖ = 1 / (1 + min(d, d')),
//!
//! near landmarks counting more. Where one graph shows fewer edges, its ways are longer: the steps of the other one are stretched by
//! the ratio of all those between landmarks. δ follows from the edges and says nothing that they do not, so it is no
//! evidence beside them; but it is known of a whole region at once, and leads chains that are hot enough to
//! leave a region that lies wrong to where it belongs.

use std::collections::VecDeque;

use rayon::prelude::*;

use super::side::Side;
use crate::matcher::best::thresholds::sparse::LANDMARKS;
use crate::monitor::Monitor;

/// Steps between a node and a landmark that it is not joined to, and the most that are counted.
const FAR: u8 = u8::MAX;

/// Steps beyond which a difference is a difference.
const MOST_APART: u8 = 6;

/// The ratio of the steps of both sides from which on they are no longer taken for equal.
const STRETCHED: f64 = 1.2;

/// The distances of all nodes of both sides to some anchors.
pub(super) struct Landmarks {
    /// The anchors that they are counted from, on both sides.
    nodes: [Vec<u32>; 2],
    /// Of each side, node after node.
    steps: [Vec<u8>; 2],
    count: usize,
    /// What a node counts that has no partner.
    alone: f32,
}

impl Landmarks {
    /// At most [`LANDMARKS`] of the anchors, evenly from their list; `None` without anchors or when the monitor
    /// stops it.
    ///
    /// # Complexity
    /// O(landmarks · edges) time, a byte for each node and landmark.
    pub(super) fn of(
        sides: &[Side<'_>; 2],
        anchors: &[(u32, u32)],
        monitor: &Monitor,
    ) -> Option<Self> {
        let count = anchors.len().min(LANDMARKS);
        if count == 0 {
            return None;
        }
        let chosen = (0..count).map(|k| anchors[k * anchors.len() / count]);
        let (own, theirs): (Vec<u32>, Vec<u32>) = chosen.unzip();
        let steps = |side: &Side<'_>, from: &[u32]| -> Option<Vec<u8>> {
            let each = from.par_iter().map(|&node| steps_from(side, node, monitor));
            let each: Option<Vec<Vec<u8>>> = each.collect();
            let each = each?;
            let of_node = |node: usize| each.iter().map(move |steps| steps[node]);
            Some((0..side.nodes()).flat_map(of_node).collect())
        };
        let mut landmarks = Self {
            steps: [steps(&sides[0], &own)?, steps(&sides[1], &theirs)?],
            nodes: [own, theirs],
            count,
            alone: 0.0,
        };
        landmarks.stretch();
        Some(landmarks)
    }

    /// Makes steps of both sides as long as each other, where they are not.
    fn stretch(&mut self) {
        let [own, theirs] = [0, 1].map(|side| self.between(side));
        let mut sums = [0.0; 2];
        for (row, other) in own.iter().zip(&theirs) {
            for (d, e) in row.iter().zip(other) {
                sums[0] += d;
                sums[1] += e;
            }
        }
        let (shorter, ratio) = match sums[0] <= sums[1] {
            true => (0, sums[1] / sums[0]),
            false => (1, sums[0] / sums[1]),
        };
        if ratio.is_finite() && ratio >= STRETCHED {
            let stretched = |d: u8| (f64::from(d) * ratio).round().min(f64::from(FAR - 1)) as u8;
            let steps = self.steps[shorter].iter_mut();
            steps
                .filter(|d| **d != FAR)
                .for_each(|d| *d = stretched(*d));
        }
    }

    /// The steps between the landmarks of a side; one more than the most between those that are not joined.
    pub(super) fn between(&self, side: usize) -> Vec<Vec<f64>> {
        let of = |node: &u32| &self.steps[side][*node as usize * self.count..][..self.count];
        let rows: Vec<&[u8]> = self.nodes[side].iter().map(of).collect();
        let known = rows
            .iter()
            .flat_map(|row| row.iter())
            .filter(|&&d| d != FAR);
        let most = known.max().map_or(1, |&d| d + 1);
        let steps = |row: &&[u8]| row.iter().map(|&d| f64::from(d.min(most))).collect();
        rows.iter().map(steps).collect()
    }

    /// The same, a node alone counting half of what these pairs do in the mean.
    pub(super) fn beside(mut self, pairs: &[(usize, usize)]) -> Self {
        let sum: f32 = pairs.iter().map(|&(i, a)| self.apart(i, a)).sum();
        self.alone = 0.5 * sum / pairs.len().max(1) as f32;
        self
    }

    /// δ(i, a); what nodes alone count for those that fill a side up; 0 for those that no landmark is joined to.
    #[inline]
    pub(super) fn apart(&self, i: usize, a: usize) -> f32 {
        let of = |side: usize, node: usize| {
            self.steps[side].get(node * self.count..(node + 1) * self.count)
        };
        let (Some(own), Some(theirs)) = (of(0, i), of(1, a)) else {
            return self.alone;
        };
        let (mut sum, mut weights) = (0.0, 0.0);
        for (&d, &e) in own.iter().zip(theirs) {
            if d == FAR || e == FAR {
                continue;
            }
            let weight = 1.0 / (1.0 + f32::from(d.min(e)));
            sum += weight * f32::from(d.abs_diff(e).min(MOST_APART));
            weights += weight;
        }
        if weights > 0.0 { sum / weights } else { 0.0 }
    }
}

/// The steps from a node to all others, breadth first.
fn steps_from(side: &Side<'_>, node: u32, monitor: &Monitor) -> Option<Vec<u8>> {
    if monitor.interrupted().is_some() {
        return None;
    }
    let mut steps = vec![FAR; side.nodes()];
    steps[node as usize] = 0;
    let mut waiting = VecDeque::from([node]);
    while let Some(j) = waiting.pop_front() {
        // Whoever is farther than can be counted is as far as that.
        let next = (steps[j as usize] + 1).min(FAR - 1);
        for &k in side.edges.columns(j as usize) {
            if steps[k as usize] == FAR {
                steps[k as usize] = next;
                waiting.push_back(k);
            }
        }
    }
    Some(steps)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Graph;

    fn path(nodes: usize, joined: usize) -> Graph {
        let edges: Vec<_> = (1..joined).map(|i| (i - 1, i, 1.0)).collect();
        Graph::from_edges(nodes, &edges).unwrap()
    }

    #[test]
    fn steps_are_those_along_edges() {
        let graph = path(6, 5);
        let side = Side::new(&graph, false);
        let steps = steps_from(&side, 1, &Monitor::silent()).unwrap();
        assert_eq!(steps, [1, 0, 1, 2, 3, FAR]);
        // Beyond what a byte can count.
        let graph = path(400, 400);
        let side = Side::new(&graph, false);
        let steps = steps_from(&side, 0, &Monitor::silent()).unwrap();
        assert_eq!(steps[253..256], [253, FAR - 1, FAR - 1]);
        assert_eq!(steps[399], FAR - 1);
    }

    #[test]
    fn differences_are_the_weighted_mean() {
        let (source, target) = (path(8, 8), path(9, 9));
        let sides = [&source, &target].map(|graph| Side::new(graph, false));
        let anchors = [(0, 0), (7, 7)];
        let found = Landmarks::of(&sides, &anchors, &Monitor::silent()).unwrap();
        for i in 0..8usize {
            for a in 0..9usize {
                let (mut sum, mut weights) = (0.0, 0.0);
                for k in [0usize, 7] {
                    let (d, e) = (i.abs_diff(k), a.abs_diff(k));
                    let weight = 1.0 / (1.0 + d.min(e) as f32);
                    sum += weight * d.abs_diff(e).min(6) as f32;
                    weights += weight;
                }
                assert!((found.apart(i, a) - sum / weights).abs() < 1e-6);
            }
        }
        assert_eq!(found.apart(3, 3), 0.0);
        assert_eq!(found.between(0), [[0.0, 7.0], [7.0, 0.0]]);
        // A node that fills the smaller side up is as near to anybody.
        assert_eq!(found.apart(8, 2), 0.0);
    }

    /// One side has edges over two nodes as well, and half of the steps.
    #[test]
    fn steps_of_a_graph_that_shows_more_edges_are_stretched() {
        let near: Vec<_> = (1..21).map(|i| (i - 1, i, 1.0)).collect();
        let far = (2..21).map(|i| (i - 2, i, 1.0));
        let dense: Vec<_> = near.iter().copied().chain(far).collect();
        let graphs = [&dense, &near].map(|edges| Graph::from_edges(21, edges).unwrap());
        for turned in [false, true] {
            let mut sides = [0, 1].map(|side: usize| Side::new(&graphs[side], false));
            if turned {
                sides.reverse();
            }
            let anchors = [(0, 0), (20, 20)];
            let found = Landmarks::of(&sides, &anchors, &Monitor::silent()).unwrap();
            assert_eq!(found.between(0), found.between(1));
            for i in (0..21).step_by(2) {
                assert_eq!(found.apart(i, i), 0.0);
            }
            assert!((1..20).all(|i| found.apart(i, i) <= 1.0));
        }
    }

    #[test]
    fn without_anchors_or_time_there_are_none() {
        let graph = path(5, 5);
        let sides = [&graph, &graph].map(|graph| Side::new(graph, false));
        assert!(Landmarks::of(&sides, &[], &Monitor::silent()).is_none());
        let monitor = Monitor::silent();
        monitor.cancel_token().cancel();
        assert!(Landmarks::of(&sides, &[(0, 0)], &monitor).is_none());
    }
}
