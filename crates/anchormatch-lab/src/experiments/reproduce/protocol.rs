//! What is run: points, their trials, and the methods that are compared on them.
//!
//! A [`Protocol`] is one experiment. Everything random in a trial comes from
//! [`derived_seed`]`(seed, experiment, …, trial)`, so that neither the order of the trials nor the
//! number of threads matters, and a trial can be repeated alone.

use std::sync::Arc;

use anchormatch::Result;
use anchormatch_generate::{Synthetic, stream, synthetic};

use super::entry::Entry;
use super::experiment::Experiment;
use crate::experiments::Trial;

type Make = dyn Fn(usize) -> Result<Trial> + Send + Sync;

/// A kind of trial: one noise level, one pair of frames.
#[derive(Clone)]
pub struct Point {
    /// Its name in the journal; says everything that its trials depend on but the seed.
    pub name: String,
    /// The two views that it compares, for films.
    pub views: Option<[usize; 2]>,
    /// How many trials.
    pub trials: usize,
    /// Whether slow entries run here.
    pub slow: bool,
    /// The clusters of all its trials; trial k is cluster k where there are none.
    pub clusters: Option<[u32; 2]>,
    make: Arc<Make>,
}

impl std::fmt::Debug for Point {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Point")
            .field("name", &self.name)
            .field("trials", &self.trials)
            .finish_non_exhaustive()
    }
}

impl Point {
    /// A point whose k-th trial is `make(k)`.
    pub fn new(
        name: impl Into<String>,
        trials: usize,
        make: impl Fn(usize) -> Result<Trial> + Send + Sync + 'static,
    ) -> Self {
        Self {
            name: name.into(),
            views: None,
            trials,
            slow: true,
            clusters: None,
            make: Arc::new(make),
        }
    }

    /// Random graphs with random anchors; trials of the same `stem` and seed share what they can.
    ///
    /// Trial k of two points with one stem has the same graphs but for the parameter that differs, so
    /// that curves compare like with like.
    #[must_use]
    pub fn synthetic(
        stem: &str,
        graphs: Synthetic,
        anchors: usize,
        trials: usize,
        seed: u64,
    ) -> Self {
        let Synthetic {
            inliers,
            source_outliers,
            target_outliers,
            density,
            noise,
            noisy_outliers,
        } = graphs;
        let mut name = format!(
            "{stem} n={inliers} out={source_outliers}/{target_outliers} rho={density} \
             sigma={noise} anchors={anchors}"
        );
        if noisy_outliers {
            name += " noisy outliers";
        }
        let stem = stem.to_owned();
        Self::new(name, trials, move |k| {
            let seed = derived_seed(seed, &[&stem, &k]);
            let instance = synthetic(&graphs, seed)?;
            // A stream that no part of the graphs draws from.
            let anchors = instance.random_anchors(anchors, &mut stream(seed, 100))?;
            Ok(Trial { instance, anchors })
        })
    }

    /// The k-th trial.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn trial(&self, k: usize) -> Result<Trial> {
        (self.make)(k)
    }

    /// The clusters of the k-th trial.
    #[must_use]
    pub fn clusters_of(&self, k: usize) -> [u32; 2] {
        self.clusters.unwrap_or([k as u32; 2])
    }
}

/// A curve of a figure: points by the parameter that moves.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// Its name in tables: `noise`, `frame`, `gap`.
    pub name: String,
    /// What the axis says.
    pub axis: String,
    /// Each place on the axis with the points (by index) that belong to it.
    pub places: Vec<(f64, Vec<usize>)>,
}

/// One experiment.
#[derive(Debug, Clone)]
pub struct Protocol {
    /// The name of its journal and its tables.
    pub name: String,
    /// The master seed.
    pub seed: u64,
    /// What the data were, where there are any: a journal of other data is not continued.
    pub data: Option<String>,
    /// The points.
    pub points: Vec<Point>,
    /// The curves through them.
    pub curves: Vec<Curve>,
    /// Who is compared.
    pub entries: Vec<Entry>,
}

impl Protocol {
    /// A sweep: one curve through points that one parameter tells apart.
    #[must_use]
    pub fn sweep(
        name: impl Into<String>,
        axis: impl Into<String>,
        points: Vec<(f64, Point)>,
        entries: Vec<Entry>,
        seed: u64,
    ) -> Self {
        let name = name.into();
        let mut protocol = Self {
            seed,
            data: None,
            points: Vec::new(),
            curves: Vec::new(),
            entries,
            name: name.clone(),
        };
        protocol.add_curve(name, axis, points);
        protocol
    }

    /// Adds points and the curve through them.
    pub fn add_curve(
        &mut self,
        name: impl Into<String>,
        axis: impl Into<String>,
        points: Vec<(f64, Point)>,
    ) {
        let mut places = Vec::with_capacity(points.len());
        for (x, point) in points {
            places.push((x, vec![self.points.len()]));
            self.points.push(point);
        }
        self.curves.push(Curve {
            name: name.into(),
            axis: axis.into(),
            places,
        });
    }

    /// The name of the experiment that it repeats under other readings, or its own: what is drawn for a method
    /// is the same in both.
    #[must_use]
    pub fn stem(&self) -> &str {
        let readings = self.name.strip_prefix(Experiment::READINGS);
        readings
            .and_then(|rest| rest.strip_prefix('-'))
            .unwrap_or(&self.name)
    }

    /// All trials, the first of each point before the second of any, so that a run that is stopped has
    /// something of everything.
    #[must_use]
    pub fn tasks(&self) -> Vec<(usize, usize)> {
        let most = self.points.iter().map(|p| p.trials).max().unwrap_or(0);
        let mut tasks = Vec::new();
        for trial in 0..most {
            let has = |&p: &usize| trial < self.points[p].trials;
            tasks.extend((0..self.points.len()).filter(has).map(|p| (p, trial)));
        }
        tasks
    }

    /// The place of an entry.
    #[must_use]
    pub fn place(&self, name: &str) -> Option<usize> {
        self.entries.iter().position(|c| c.name == name)
    }
}

/// A seed for one part of the work: a hash of the master seed and of what the part is called.
///
/// The bytes go through FNV-1a, then through the finaliser of SplitMix64, so that names that differ in
/// one letter have nothing in common.
pub fn derived_seed(seed: u64, parts: &[&dyn std::fmt::Display]) -> u64 {
    let mut hash = Fnv::new();
    hash.write(&seed.to_le_bytes());
    for part in parts {
        // A separator, so that "a", "bc" and "ab", "c" differ.
        hash.write(part.to_string().as_bytes());
        hash.write(&[0xff]);
    }
    let mut z = hash.0;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The hash FNV-1a of 64 bits.
pub(super) struct Fnv(pub(super) u64);

impl Fnv {
    pub(super) fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    pub(super) fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn hashes_are_fnv_and_seeds_differ() {
        // The published test vector of FNV-1a for "foobar".
        let mut hash = Fnv::new();
        hash.write(b"foobar");
        assert_eq!(hash.0, 0x8594_4171_f739_67e8);
        let mut seeds = HashSet::new();
        for seed in 0..10u64 {
            for name in ["noise", "nois", "density"] {
                for trial in 0..100 {
                    assert!(seeds.insert(derived_seed(seed, &[&name, &trial])));
                }
            }
        }
        assert_ne!(
            derived_seed(0, &[&"ab", &"c"]),
            derived_seed(0, &[&"a", &"bc"])
        );
    }

    #[test]
    fn points_of_one_stem_share_their_graphs_and_anchors() {
        let at = |noise: f64| {
            let graphs = Synthetic {
                noise,
                ..Synthetic::default()
            };
            Point::synthetic("noise", graphs, 2, 3, 7)
        };
        let (still, noisy) = (at(0.0), at(0.3));
        assert_ne!(still.name, noisy.name);
        for k in 0..3 {
            let (a, b) = (still.trial(k).unwrap(), noisy.trial(k).unwrap());
            assert_eq!(a.instance.source, b.instance.source);
            assert_eq!(
                (&a.instance.truth, &a.anchors),
                (&b.instance.truth, &b.anchors)
            );
            assert_ne!(a.instance.target, b.instance.target);
        }
        assert_ne!(
            still.trial(0).unwrap().instance.source,
            still.trial(1).unwrap().instance.source
        );
    }

    #[test]
    fn first_trials_come_first() {
        let point = |name: &str, trials| Point::synthetic(name, Synthetic::default(), 2, trials, 0);
        let points = vec![(0.0, point("a", 1)), (1.0, point("b", 3))];
        let protocol = Protocol::sweep("x", "x", points, vec![], 0);
        assert_eq!(protocol.tasks(), [(0, 0), (1, 0), (1, 1), (1, 2)]);
        assert_eq!(protocol.curves[0].places[1], (1.0, vec![1]));
    }
}
