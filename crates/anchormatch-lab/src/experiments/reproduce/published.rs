//! Beside figures that others published or measured.
//!
//! The program of Cho, Lee & Lee with their own affinity, exp(−Δ²/0.15) on weights, at points for which
//! there are figures of pygmtools 0.6.0 (NumPy backend, 50 trials, the same protocol), without anchors
//! and with the anchors folded in; and Hotel by frame gap, for which there are published accuracies of
//! RRWM and FGM-U (Zhou & De la Torre) on Delaunay graphs without anchors.

use anchormatch::affinity::folding::fold_anchors;
use anchormatch::linalg::Matrix;
use anchormatch::matcher::AbsentEdges;
use anchormatch::problem::{GaussianKernel, Pairwise};
use anchormatch::{Graph, Result};
use anchormatch_generate::Synthetic;
use serde::{Deserialize, Serialize};

use super::entry::Entry;
use super::protocol::{Point, Protocol};
use super::scale::Scale;
use crate::matchers::{ByHand, Program, Workbench};

/// s of Cho, Lee & Lee.
const BANDWIDTH: f64 = 0.15;

/// A figure of somebody else.
#[derive(Debug, Clone, PartialEq)]
pub struct Reference {
    /// The place in the first curve of the protocol.
    pub place: usize,
    /// The entry that it stands beside.
    pub entry: &'static str,
    /// Whose it is.
    pub whose: &'static str,
    /// The accuracy.
    pub accuracy: f64,
}

/// Names of the points, in the order of the curve.
pub const POINTS: [&str; 9] = [
    "σ = 0.1",
    "σ = 0.2",
    "σ = 0.3",
    "σ = 0.4",
    "σ = 0.5",
    "6 outliers a side",
    "10 outliers a side",
    "ρ = 0.3, σ = 0.25",
    "ρ = 0.9, σ = 0.25",
];

const WITHOUT: &str = "rrwm, no anchors";
const FOLDED: &str = "rrwm, anchors folded in";

/// The figures of pygmtools.
#[must_use]
pub fn references() -> Vec<Reference> {
    let without = [1.0, 0.927, 0.350, 0.103, 0.072, 0.981, 0.903, 0.998, 0.943];
    let folded = [1.0, 0.989, 0.502, 0.173, 0.116, 1.0, 0.982, 0.993, 0.981];
    let each = |entry, accuracies: [f64; 9]| {
        let places = accuracies.into_iter().enumerate();
        places.map(move |(place, accuracy)| Reference {
            place,
            entry,
            whose: "pygmtools 0.6.0 RRWM",
            accuracy,
        })
    };
    each(WITHOUT, without).chain(each(FOLDED, folded)).collect()
}

/// Published accuracies on Hotel at frame gaps 50, 60, 70, 80 and 90: RRWM, then FGM-U.
pub const HOTEL_GAPS: [(usize, f64, f64); 5] = [
    (50, 0.993, 0.999),
    (60, 0.986, 0.986),
    (70, 0.963, 0.966),
    (80, 0.737, 0.805),
    (90, 0.421, 0.415),
];

/// The protocol.
#[must_use]
pub fn published(scale: &Scale, seed: u64) -> Protocol {
    let usual = Synthetic::default();
    let noisy = |noise: f64| Synthetic {
        noise,
        ..usual.clone()
    };
    let crowded = |count: usize| Synthetic {
        source_outliers: count,
        target_outliers: count,
        ..usual.clone()
    };
    let sparse = |density: f64| Synthetic {
        density,
        ..noisy(0.25)
    };
    let graphs = [
        noisy(0.1),
        noisy(0.2),
        noisy(0.3),
        noisy(0.4),
        noisy(0.5),
        crowded(6),
        crowded(10),
        sparse(0.3),
        sparse(0.9),
    ];
    let point = |(k, graphs): (usize, Synthetic)| {
        (
            k as f64,
            Point::synthetic("published", graphs, 2, scale.synthetic, seed),
        )
    };
    let points = graphs.into_iter().enumerate().map(point).collect();
    let folded = |name: &str| Entry::new(name.replace(',', ""), on_weights(true));
    let entries = vec![
        folded(WITHOUT).with_anchors(0),
        folded(FOLDED),
        Entry::best(),
    ];
    Protocol::sweep("published", "point", points, entries, seed)
}

/// The paper's baseline: RRWM on weights, to which anchors are only nodes that need no match.
pub(super) fn baseline(name: &str) -> Entry {
    Entry::new(name, on_weights(false))
}

/// The same with the affinities of absent edges 0, as in the program of its authors.
pub(super) fn baseline_of_present_edges(name: &str) -> Entry {
    let program = OnWeights {
        bandwidth: BANDWIDTH,
        folded: false,
        present_edges: true,
    };
    Entry::new(name, ByHand::new(program))
}

fn on_weights(folded: bool) -> ByHand<OnWeights> {
    ByHand::new(OnWeights {
        bandwidth: BANDWIDTH,
        folded,
        present_edges: false,
    })
}

/// W of weights alone.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct OnWeights {
    /// s.
    bandwidth: f64,
    /// Whether what the anchors say of the other nodes is in the diagonal.
    folded: bool,
    /// Whether absent edges have no affinity with anything.
    present_edges: bool,
}

impl Program for OnWeights {
    const NAME: &'static str = "rrwm on weights";
    const ABOUT: &'static str = "The program of Cho, Lee & Lee: exp(−Δ²/s) of weights";

    fn build(&self, bench: &Workbench<'_>) -> Result<(Matrix, Box<dyn Pairwise>)> {
        let all = bench.graphs.map(Graph::adjacency);
        let (unary, values) = if self.folded {
            let kernel = GaussianKernel::new(self.bandwidth)?;
            let affinity = |x: f64, y: f64| kernel.evaluate(x, y);
            let folded = fold_anchors(&all[0], &all[1], bench.anchors.hard(), affinity)?;
            (folded.unary, [folded.x, folded.y])
        } else {
            let mut values = bench.free_values([&all[0], &all[1]]);
            if self.present_edges {
                values = AbsentEdges::Unrelated.placed(values, self.bandwidth);
            }
            (bench.no_terms(), values)
        };
        Ok((unary, bench.gaussian_at(values, self.bandwidth)?))
    }
}

#[cfg(test)]
mod tests {
    use anchormatch::Monitor;

    use super::*;

    #[test]
    fn every_point_has_its_references() {
        let protocol = published(&Scale::of(1), 0);
        assert_eq!(protocol.points.len(), POINTS.len());
        for reference in references() {
            let name = reference.entry.replace(',', "");
            assert!(protocol.place(&name).is_some(), "{reference:?}");
            assert!(reference.place < POINTS.len());
        }
        let trial = protocol.points[0].trial(0).unwrap();
        for (entry, asked) in protocol.entries.iter().zip([20, 18, 18]) {
            let (_, outcome) = entry.run(&trial, 0, &Monitor::silent()).unwrap();
            assert_eq!((outcome.asked, outcome.right), (asked, asked));
        }
    }
}
