//! Percolation with noisy seeds, the simple baseline of large sparse graphs.
//!
//! *ExpandWhenStuck* (Kazemi, Hassani, Grossglauser, *Growing a graph matching from a handful of seeds*,
//! PVLDB 8, 2015): every matched pair gives a mark to each pair of its neighbours; the pair with the most
//! marks, two at least, is matched next, of equals the one whose degrees differ least. When none is left, all
//! pairs of neighbours of matched ones give marks without being matched themselves.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};

use anchormatch::matcher::Matcher;
use anchormatch::settings::Settings;
use anchormatch::{Assignment, Graph, Matching, Monitor, Result, Task};

use super::{found, without_parameters};

/// Pairs of hubs with more pairs of neighbours give no marks.
const LARGEST_PRODUCT: usize = 2_000_000;

/// Times that it gets unstuck.
const ROUNDS: usize = 20;

/// The baseline.
#[derive(Debug, Clone, Copy, Default)]
pub struct Percolation;

impl Matcher for Percolation {
    fn name(&self) -> &'static str {
        "percolation"
    }

    fn about(&self) -> &'static str {
        "Percolation with noisy seeds (Kazemi, Hassani, Grossglauser 2015)"
    }

    fn parameters(&self) -> Settings {
        Settings::new()
    }

    fn configured(&self, settings: &Settings) -> Result<Box<dyn Matcher>> {
        without_parameters(self, settings)
    }

    /// Grows the anchors.
    ///
    /// # Complexity
    /// Time and memory of all pairs of neighbours of matched pairs: Σ d d′.
    fn run(&self, task: &Task<'_>, monitor: &Monitor) -> Result<Matching> {
        monitor.answerable();
        let mut growth = Growth::new(task);
        let mut active: Vec<(u32, u32)> = growth.anchors.clone();
        for _ in 0..ROUNDS {
            for pair in std::mem::take(&mut active) {
                growth.spread(pair);
            }
            while let Some((_, _, Reverse(pair))) = growth.queue.pop() {
                growth.take(pair);
            }
            if monitor.interrupted().is_some() {
                break;
            }
            active = growth.around();
            if active.is_empty() {
                break;
            }
        }
        Ok(growth.matching(task, monitor))
    }
}

type Ranked = (u32, Reverse<usize>, Reverse<(u32, u32)>);

struct Growth<'a> {
    task: &'a Task<'a>,
    anchors: Vec<(u32, u32)>,
    partners: [Assignment; 2],
    marks: HashMap<(u32, u32), u32>,
    used: HashSet<(u32, u32)>,
    queue: BinaryHeap<Ranked>,
}

impl<'a> Growth<'a> {
    fn new(task: &'a Task<'a>) -> Self {
        let hard = task.anchors().hard().iter();
        let anchors: Vec<_> = hard.map(|&(i, a)| (i as u32, a as u32)).collect();
        let [n, m] = task.graphs().map(Graph::node_count);
        let hard = Assignment::from_pairs(n, task.anchors().hard().iter().copied());
        let partners = [hard.clone(), hard.inverse(m)];
        Self {
            task,
            anchors,
            partners,
            marks: HashMap::new(),
            used: HashSet::new(),
            queue: BinaryHeap::new(),
        }
    }

    fn degree(&self, side: usize, node: u32) -> usize {
        self.task.graphs()[side].neighbours(node as usize).len()
    }

    fn is_free(&self, side: usize, node: u32) -> bool {
        self.partners[side].partner(node as usize).is_none()
    }

    /// The free pairs of neighbours of a pair; none for two hubs.
    fn neighbours(&self, (i, a): (u32, u32)) -> Vec<(u32, u32)> {
        if self.degree(0, i).saturating_mul(self.degree(1, a)) > LARGEST_PRODUCT {
            return Vec::new();
        }
        let free = |side: usize, node: u32| -> Vec<u32> {
            let graph = self.task.graphs()[side];
            let nodes = graph.neighbours(node as usize).map(|(j, _)| j as u32);
            nodes.filter(|&j| self.is_free(side, j)).collect()
        };
        let (left, right) = (free(0, i), free(1, a));
        let pairs = left
            .iter()
            .flat_map(|&j| right.iter().map(move |&b| (j, b)));
        pairs.collect()
    }

    fn spread(&mut self, pair: (u32, u32)) {
        if !self.used.insert(pair) {
            return;
        }
        for (j, b) in self.neighbours(pair) {
            let marks = self.marks.entry((j, b)).or_default();
            *marks += 1;
            let marks = *marks;
            if marks >= 2 {
                let apart = self.degree(0, j).abs_diff(self.degree(1, b));
                self.queue.push((marks, Reverse(apart), Reverse((j, b))));
            }
        }
    }

    fn take(&mut self, pair: (u32, u32)) {
        if self.is_free(0, pair.0) && self.is_free(1, pair.1) {
            let (i, a) = (pair.0 as usize, pair.1 as usize);
            self.partners[0].set(i, Some(a));
            self.partners[1].set(a, Some(i));
            self.spread(pair);
        }
    }

    /// All free pairs of neighbours of matched pairs that have not given marks yet.
    fn around(&self) -> Vec<(u32, u32)> {
        let matched = self.partners[0].pairs();
        let matched = matched.map(|(i, a)| (i as u32, a as u32));
        let mut pairs: Vec<_> = matched.flat_map(|pair| self.neighbours(pair)).collect();
        pairs.retain(|pair| !self.used.contains(pair));
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    }

    fn matching(self, task: &Task<'_>, monitor: &Monitor) -> Matching {
        let (sources, targets) = task.anchors().free_nodes(task.source(), task.target());
        let partner = |i: &usize| {
            let target = self.partners[0].partner(*i)?;
            targets.binary_search(&target).ok()
        };
        let assignment = Assignment::from_partners(sources.iter().map(partner).collect());
        found(task, assignment, monitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anchormatch_generate::{NoisyCopies, noisy_copies, stream};

    #[test]
    fn it_grows_from_a_handful_of_anchors() {
        let settings = NoisyCopies {
            nodes: 2000,
            kept: [0.95; 2],
            ..NoisyCopies::default()
        };
        let instance = noisy_copies(&settings, 3).unwrap();
        let anchors = instance.random_anchors(30, &mut stream(3, 9)).unwrap();
        let task = Task::from_pairs(&instance.source, &instance.target, &anchors).unwrap();
        let matching = Percolation.run(&task, &Monitor::silent()).unwrap();
        let score = matching.score(&instance.truth).unwrap();
        assert!(score.right as f64 > 0.98 * score.asked as f64, "{score:?}");
        let found = matching.pairs.len() - anchors.len();
        assert!(
            found as f64 <= 1.01 * score.right as f64,
            "{found} {score:?}"
        );
        assert_eq!(matching.pairs.len() + matching.unmatched_source.len(), 2000);
    }
}
