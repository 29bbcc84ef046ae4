//! What several runs on one input have in common, and do once.
//!
//! Variants and readings of the paper differ in a term, a weight or the solver; most of them ask for the same spectra,
//! the same learned B and the same kernel of the same pairs. Each of these is a function of its input and of nothing
//! else, and inputs are told apart by all their bits: nothing has to be promised about whose they are, and a result is
//! the same with or without company.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::affinity::proximity::{Examples, LearnedProximity, Learner, Status};
use crate::error::Result;
use crate::graph::Graph;
use crate::linalg::Matrix;
use crate::monitor::Monitor;
use crate::problem::{GaussianKernel, SeparablePairwise};
use crate::spectral::Spectrum;

/// Spectra, learned metrics and kernels by what they were made from.
#[derive(Debug, Default)]
pub struct Shared {
    spectra: Memo<Spectrum>,
    learned: Memo<LearnedProximity>,
    pairwise: Memo<SeparablePairwise>,
}

impl Shared {
    /// The seconds that those who asked again were spared, as the first of each took them.
    #[must_use]
    pub fn spared(&self) -> f64 {
        [
            &self.spectra.spared,
            &self.learned.spared,
            &self.pairwise.spared,
        ]
        .map(|spared| *spared.lock().unwrap_or_else(PoisonError::into_inner))
        .iter()
        .sum()
    }

    pub(super) fn spectrum(&self, graph: &Graph, monitor: &Monitor) -> Result<Arc<Spectrum>> {
        let mut key = vec![graph.node_count() as u64];
        for node in 0..graph.node_count() {
            for (other, weight) in graph.neighbours(node).filter(|(other, _)| *other >= node) {
                key.extend([node as u64, other as u64, weight.to_bits()]);
            }
        }
        let make = || Spectrum::of(graph, monitor);
        self.spectra.get(key, make, |_| true, monitor)
    }

    pub(super) fn learned(
        &self,
        learner: &Learner,
        examples: &Examples<'_>,
        monitor: &Monitor,
    ) -> Result<Arc<LearnedProximity>> {
        let Examples {
            source,
            target,
            anchors,
            source_loss,
            target_loss,
        } = examples;
        let Learner {
            mode,
            c,
            tolerance,
            max_rounds,
            prior,
            metric,
        } = *learner;
        let mut key = vec![mode as u64, metric as u64, max_rounds as u64];
        key.extend([c, tolerance, prior].map(f64::to_bits));
        for matrix in [source, target, source_loss, target_loss] {
            add_bits(&mut key, matrix);
        }
        for anchor in *anchors {
            let ends = [anchor.source as u64, anchor.target as u64];
            key.extend(ends.into_iter().chain([anchor.weight.to_bits()]));
        }
        let make = || learner.learn(examples, monitor);
        // What was cut short is not what the learner makes of them.
        let whole = |learned: &LearnedProximity| learned.status != Status::Interrupted;
        self.learned.get(key, make, whole, monitor)
    }

    pub(super) fn pairwise(
        &self,
        [x, y]: [Matrix; 2],
        kernel: GaussianKernel,
        tolerance: f64,
        monitor: &Monitor,
    ) -> Result<Arc<SeparablePairwise>> {
        let mut key = vec![kernel.bandwidth().to_bits(), tolerance.to_bits()];
        add_bits(&mut key, &x);
        add_bits(&mut key, &y);
        let make = || SeparablePairwise::new(x, y, kernel, tolerance, monitor);
        self.pairwise.get(key, make, |_| true, monitor)
    }
}

fn add_bits(key: &mut Vec<u64>, matrix: &Matrix) {
    key.extend([matrix.rows() as u64, matrix.cols() as u64]);
    key.extend(matrix.as_slice().iter().map(|v| v.to_bits()));
}

/// Values by all the bits that they were made from, each with the seconds that it took.
type Known<V> = HashMap<Vec<u64>, (Arc<V>, f64)>;

/// What is known, and what asking again has spared.
#[derive(Debug)]
struct Memo<V> {
    known: Mutex<Known<V>>,
    spared: Mutex<f64>,
}

impl<V> Default for Memo<V> {
    fn default() -> Self {
        Self {
            known: Mutex::default(),
            spared: Mutex::default(),
        }
    }
}

impl<V> Memo<V> {
    /// What is known under the key, or what `make` makes, which is remembered if it is `whole`.
    fn get(
        &self,
        key: Vec<u64>,
        make: impl FnOnce() -> Result<V>,
        whole: impl FnOnce(&V) -> bool,
        monitor: &Monitor,
    ) -> Result<Arc<V>> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let found = known.get(&key).cloned();
        drop(known);
        if let Some((value, seconds)) = found {
            *self.spared.lock().unwrap_or_else(PoisonError::into_inner) += seconds;
            return Ok(value);
        }
        let watch = monitor.stopwatch();
        let value = Arc::new(make()?);
        if whole(&value) {
            let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            known.insert(key, (Arc::clone(&value), watch.seconds()));
        }
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{AnchorHeat, Features, FirstOrder, Paper, Reading};
    use super::*;
    use crate::affinity::proximity::Metric;
    use crate::anchors::Anchor;
    use crate::matcher::{Matcher, Terms};
    use crate::task::Task;

    fn graph(shift: usize) -> Graph {
        let edges: Vec<(usize, usize, f64)> = (0..9)
            .flat_map(|i| (0..i).map(move |j| (j, i, 1.0 + ((i * 7 + j * 3 + shift) % 11) as f64)))
            .collect();
        Graph::from_edges(9, &edges).unwrap()
    }

    #[test]
    fn company_changes_nothing() {
        let (source, target) = (graph(0), graph(1));
        let shared = Shared::default();
        let monitor = Monitor::silent();
        for anchors in [&[(0, 1), (2, 3)][..], &[(0, 1), (2, 3), (4, 4)]] {
            let task = Task::from_pairs(&source, &target, anchors).unwrap();
            for terms in Terms::ALL {
                let mut papers = vec![
                    Paper::with_terms(terms),
                    Paper::with_terms(terms).with_width(0.9),
                    Paper::with_terms(terms).with_linear_unary(false),
                ];
                for change in [
                    |r: &mut Reading| r.first_order = FirstOrder::AffinityOfSum,
                    |r: &mut Reading| r.features = Features::HeatSignatures,
                    |r: &mut Reading| r.anchor_heat = AnchorHeat::Each,
                ] {
                    let mut paper = Paper::with_terms(terms);
                    change(&mut paper.reading);
                    paper.learner.metric = Metric::Shared;
                    papers.push(paper);
                }
                for paper in papers {
                    let mut alone = paper.run(&task, &monitor).unwrap();
                    let mut beside = paper.run_beside(&task, &shared, &monitor).unwrap();
                    (alone.timings, beside.timings) = (Vec::new(), Vec::new());
                    assert_eq!(format!("{alone:?}"), format!("{beside:?}"));
                }
            }
        }
        let lengths = [
            shared.spectra.known.lock().unwrap().len(),
            shared.learned.known.lock().unwrap().len(),
            // Of each kind of values and number of anchors, two widths.
            shared.pairwise.known.lock().unwrap().len(),
        ];
        assert_eq!(lengths, [2, 6, 8]);
        assert!(shared.spared() > 0.0);
    }

    #[test]
    fn what_was_cut_short_is_not_kept() {
        let features = Matrix::from_fn(6, 3, |i, k| ((i * 5 + k * 3) % 7) as f64 / 7.0);
        let loss = Matrix::from_fn(1, 6, |_, j| j as f64);
        let examples = Examples {
            source: &features,
            target: &features,
            anchors: &[Anchor::new(0, 1, 1.0)],
            source_loss: &loss,
            target_loss: &loss,
        };
        let stopped = Monitor::silent();
        stopped.cancel_token().cancel();
        let (shared, learner) = (Shared::default(), Learner::default());
        let cut = shared.learned(&learner, &examples, &stopped).unwrap();
        assert_eq!(cut.status, Status::Interrupted);
        let monitor = Monitor::silent();
        let whole = shared.learned(&learner, &examples, &monitor).unwrap();
        assert_ne!(whole.status, Status::Interrupted);
        let again = shared.learned(&learner, &examples, &stopped).unwrap();
        assert!(Arc::ptr_eq(&whole, &again));
    }
}
