//! Beside figures that others published or measured.
//!
//! The program of Cho, Lee & Lee with their own affinity, exp(−Δ²/0.15) on weights, at points for which
//! there are figures of pygmtools 0.6.0 (NumPy backend, 50 trials, the same protocol), without anchors
//! and with the anchors folded in; and Hotel by frame gap, for which there are published accuracies of
//! RRWM and FGM-U (Zhou & De la Torre) on Delaunay graphs without anchors.

use anchormatch::affinity::folding::fold_anchors;
use anchormatch::problem::GaussianKernel;
use anchormatch::solver::Rrwm;
use anchormatch::{Graph, Monitor, Result};

use super::contender::{Answer, Contender};
use super::protocol::{Point, Protocol};
use super::scale::Scale;
use super::workbench::Workbench;
use crate::experiments::Trial;
use anchormatch_generate::Synthetic;

/// s of Cho, Lee & Lee.
const BANDWIDTH: f64 = 0.15;

/// A figure of somebody else.
#[derive(Debug, Clone, PartialEq)]
pub struct Reference {
    /// The place in the first curve of the protocol.
    pub place: usize,
    /// The contender that it stands beside.
    pub contender: &'static str,
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
    let each = |contender, accuracies: [f64; 9]| {
        let places = accuracies.into_iter().enumerate();
        places.map(move |(place, accuracy)| Reference {
            place,
            contender,
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
    let settings = format!("adjacency s={BANDWIDTH} rrwm");
    let contenders = vec![
        Contender::new(WITHOUT.replace(',', ""), settings.clone(), rrwm).with_anchors(0),
        Contender::new(FOLDED.replace(',', ""), settings, rrwm),
        Contender::best(),
    ];
    Protocol::sweep("published", "point", points, contenders, seed)
}

/// The paper's baseline: RRWM on weights, to which anchors are only nodes that need no match.
pub(super) fn baseline(name: &str) -> Contender {
    let settings = format!("adjacency s={BANDWIDTH} rrwm not folded");
    Contender::new(name, settings, |trial, seed, monitor| {
        let bench = Workbench::new(trial, monitor)?;
        let all = bench.graphs.map(Graph::adjacency);
        let values = bench.free_values([&all[0], &all[1]]);
        let pairwise = bench.gaussian_at(values, BANDWIDTH)?;
        bench.solve(bench.no_terms(), pairwise, &Rrwm::default(), seed)
    })
}

/// RRWM on weights, the anchors folded in.
fn rrwm(trial: &Trial, seed: u64, monitor: &Monitor) -> Result<Answer> {
    let bench = Workbench::new(trial, monitor)?;
    let all = bench.graphs.map(Graph::adjacency);
    let kernel = GaussianKernel::new(BANDWIDTH)?;
    let affinity = |x: f64, y: f64| kernel.evaluate(x, y);
    let folded = fold_anchors(&all[0], &all[1], bench.anchors.hard(), affinity)?;
    let pairwise = bench.gaussian_at([folded.x, folded.y], BANDWIDTH)?;
    bench.solve(folded.unary, pairwise, &Rrwm::default(), seed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_point_has_its_references() {
        let protocol = published(&Scale::of(1), 0);
        assert_eq!(protocol.points.len(), POINTS.len());
        for reference in references() {
            let name = reference.contender.replace(',', "");
            assert!(protocol.place(&name).is_some(), "{reference:?}");
            assert!(reference.place < POINTS.len());
        }
        let trial = protocol.points[0].trial(0).unwrap();
        for (contender, asked) in protocol.contenders.iter().zip([20, 18, 18]) {
            let (_, outcome) = contender.run(&trial, 0, &Monitor::silent()).unwrap();
            assert_eq!((outcome.asked, outcome.right), (asked, asked));
        }
    }
}
