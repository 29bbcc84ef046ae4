//! Section 5.1: random graphs after Cho, Lee & Lee (ECCV 2010), one parameter at a time.
//!
//! 20 inliers, weights uniform on (0, 1], two random anchors. Noise σ from 0 to 0.5 (the protocol's
//! range ends at 0.4, the paper speaks of 0.5); 0 to 20 outliers on both sides, without noise as in the
//! protocol and with σ = 0.1; densities 0.1 to 1 at the protocol's σ = 0.25 and at the paper's 0.5. The
//! affinity is the protocol's: exp(−Δ²/0.15) of weights, and for heat, which has another scale, the same
//! width relative to the mean squared difference.

use anchormatch::matcher::Terms;
use anchormatch_generate::Synthetic;

use super::entry::{Entry, wide};
use super::protocol::{Point, Protocol};
use super::published;
use super::scale::Scale;

/// The noise of the second outlier sweep.
pub const OUTLIER_NOISE: f64 = 0.1;
/// The noise of the density sweep in the protocol, and in the paper.
pub const DENSITY_NOISE: [f64; 2] = [0.25, 0.5];

const ANCHORS: usize = 2;

/// The six variants with the affinity of the protocol, and `best`.
#[must_use]
pub fn entries() -> Vec<Entry> {
    let heat = Terms::ALL.into_iter().filter(|terms| terms.uses_heat());
    std::iter::once(published::baseline(Terms::Adjacency.as_str()))
        .chain(heat.map(|terms| Entry::paper(terms.as_str(), wide(terms))))
        .chain([Entry::best()])
        .collect()
}

/// Figure 1 (a) and (d): σ = 0, 0.05, …, 0.5.
#[must_use]
pub fn noise(scale: &Scale, seed: u64) -> Protocol {
    let point = |k: u32| {
        let noise = f64::from(5 * k) / 100.0;
        let graphs = Synthetic {
            noise,
            ..Synthetic::default()
        };
        (
            noise,
            Point::synthetic("noise", graphs, ANCHORS, scale.synthetic, seed),
        )
    };
    let points = (0..=10).map(point).collect();
    Protocol::sweep("noise", "noise σ", points, entries(), seed)
}

/// Figure 1 (b) and (e): 0, 2, …, 20 outliers on both sides, without noise and with some.
#[must_use]
pub fn outliers(scale: &Scale, seed: u64) -> Protocol {
    let points = |noise: f64| {
        let point = |k: usize| {
            let graphs = Synthetic {
                source_outliers: 2 * k,
                target_outliers: 2 * k,
                noise,
                ..Synthetic::default()
            };
            let x = (2 * k) as f64;
            (
                x,
                Point::synthetic("outliers", graphs, ANCHORS, scale.synthetic, seed),
            )
        };
        (0..=10).map(point).collect::<Vec<_>>()
    };
    let axis = "outliers on both sides";
    let mut protocol = Protocol::sweep("outliers", axis, points(0.0), entries(), seed);
    protocol.add_curve("outliers, noise 0.1", axis, points(OUTLIER_NOISE));
    protocol
}

/// Figure 1 (c) and (f): ρ = 0.1, 0.2, …, 1 at the paper's σ, then at the protocol's.
#[must_use]
pub fn density(scale: &Scale, seed: u64) -> Protocol {
    let points = |noise: f64| {
        let point = |k: u32| {
            let density = f64::from(k) / 10.0;
            let graphs = Synthetic {
                density,
                noise,
                ..Synthetic::default()
            };
            (
                density,
                Point::synthetic("density", graphs, ANCHORS, scale.synthetic, seed),
            )
        };
        (1..=10).map(point).collect::<Vec<_>>()
    };
    let [protocols, papers] = DENSITY_NOISE;
    let axis = "edge density ρ";
    let mut protocol = Protocol::sweep("density", axis, points(papers), entries(), seed);
    protocol.curves[0].name = "density, noise 0.5".to_owned();
    protocol.add_curve("density, noise 0.25", axis, points(protocols));
    protocol
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sweeps_are_those_of_the_protocol() {
        let scale = Scale::of(3);
        for (protocol, points, curves) in [
            (noise(&scale, 0), 11, 1),
            (outliers(&scale, 0), 22, 2),
            (density(&scale, 0), 20, 2),
        ] {
            assert_eq!(
                (protocol.points.len(), protocol.curves.len()),
                (points, curves)
            );
            assert_eq!(protocol.tasks().len(), 3 * points);
            let mut names: Vec<&str> = protocol.points.iter().map(|p| p.name.as_str()).collect();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), points, "names are keys of the journal");
            assert!(
                names.iter().all(|name| !name.contains(',')),
                "and cells of a table"
            );
            assert_eq!(protocol.entries.len(), 7);
        }
        let names: Vec<String> = entries().into_iter().map(|c| c.name).collect();
        let standard: Vec<String> = Entry::standard().into_iter().map(|c| c.name).collect();
        assert_eq!(names, standard);
        let crowded = outliers(&scale, 0).points[10].trial(0).unwrap();
        assert_eq!(crowded.instance.source.node_count(), 40);
        assert_eq!(crowded.instance.truth.len(), 20);
        assert_eq!(crowded.anchors.len(), 2);
        let xs = |p: &Protocol| {
            p.curves[0]
                .places
                .iter()
                .map(|(x, _)| *x)
                .collect::<Vec<_>>()
        };
        assert_eq!(xs(&density(&scale, 0))[2], 0.3);
        assert_eq!(xs(&noise(&scale, 0))[6], 0.3);
    }
}
