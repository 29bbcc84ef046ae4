//! Noisy copies of large sparse graphs: recall, precision, calibration, seconds and memory by size.
//!
//! Each row is a family, a size, a number of anchors and the share of the parent's edges that either copy keeps
//! ([`NoisyCopies`]). Matchers may leave nodes alone. **Recall** is the share of the nodes that kept an edge in
//! both copies, anchors aside, that got their partner; **precision** the share of the pairs that are right;
//! **calibration** the mean difference between confidences and shares of right pairs over ten bins of
//! confidence. Memory is the most that the process holds while the matcher runs, graphs among it, where the system
//! tells.

use anchormatch::matcher::Matcher;
use anchormatch::{Monitor, Result};
use anchormatch_generate::{Family, NoisyCopies, noisy_copies, stream};

use super::{Trial, memory};

/// What a row asks for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LargeTask {
    /// How the parent comes about.
    pub family: Family,
    /// Nodes.
    pub nodes: usize,
    /// Anchors.
    pub anchors: usize,
    /// The share of the parent's edges that each copy keeps.
    pub kept: f64,
    /// The parent's mean degree.
    pub degree: f64,
}

const fn row(family: Family, nodes: usize, anchors: usize, kept: f64, degree: f64) -> LargeTask {
    LargeTask {
        family,
        nodes,
        anchors,
        kept,
        degree,
    }
}

/// The rows of the table, smallest first.
pub const ROWS: [LargeTask; 19] = [
    row(Family::Uniform, 5_000, 50, 0.95, 10.0),
    row(Family::Preferential, 10_000, 40, 0.9, 8.0),
    row(Family::SmallWorld, 10_000, 200, 0.9, 8.0),
    row(Family::Geometric, 10_000, 200, 0.9, 12.0),
    row(Family::Uniform, 20_000, 100, 0.95, 10.0),
    row(Family::Uniform, 20_000, 50, 0.8, 10.0),
    row(Family::Uniform, 20_000, 200, 0.6, 10.0),
    row(Family::Uniform, 20_000, 500, 0.6, 10.0),
    row(Family::Uniform, 20_000, 200, 0.6, 20.0),
    row(Family::PowerLaw, 20_000, 50, 0.8, 10.0),
    row(Family::PowerLaw, 20_000, 200, 0.6, 20.0),
    row(Family::Uniform, 100_000, 100, 0.95, 10.0),
    row(Family::PowerLaw, 100_000, 100, 0.95, 10.0),
    row(Family::SmallWorld, 100_000, 1_000, 0.95, 8.0),
    row(Family::Uniform, 300_000, 100, 0.95, 10.0),
    row(Family::Uniform, 1_000_000, 100, 0.95, 10.0),
    row(Family::PowerLaw, 1_000_000, 200, 0.95, 10.0),
    row(Family::Uniform, 3_000_000, 300, 0.95, 10.0),
    row(Family::Uniform, 10_000_000, 1_000, 0.95, 10.0),
];

/// What a matcher did.
#[derive(Debug, Clone, PartialEq)]
pub struct LargeRow {
    /// What was asked.
    pub task: LargeTask,
    /// The matcher's name.
    pub method: String,
    /// The share of what can be found that was found.
    pub recall: f64,
    /// The share of the pairs that are right.
    pub precision: f64,
    /// The expected calibration error; none for matchers that are always sure.
    pub calibration: Option<f64>,
    /// Seconds, from two graphs and anchors to a matching.
    pub seconds: f64,
    /// Bytes that the process held at most.
    pub memory: Option<u64>,
}

impl LargeTask {
    /// The graphs, and anchors among the nodes that kept an edge in both.
    ///
    /// # Errors
    /// When there are not enough such nodes.
    pub fn trial(&self, seed: u64) -> Result<Trial> {
        let settings = NoisyCopies {
            nodes: self.nodes,
            degree: self.degree,
            kept: [self.kept; 2],
            family: self.family,
        };
        let mut instance = noisy_copies(&settings, seed)?;
        let (source, target) = (&instance.source, &instance.target);
        instance
            .truth
            .retain(|&(i, a)| source.neighbours(i).len() > 0 && target.neighbours(a).len() > 0);
        let anchors = instance.random_anchors(self.anchors, &mut stream(seed, 9))?;
        Ok(Trial { instance, anchors })
    }

    /// Runs a matcher, whose row has this name.
    ///
    /// # Errors
    /// Those of the matcher.
    pub fn measure(
        &self,
        trial: &Trial,
        name: &str,
        matcher: &dyn Matcher,
        monitor: &Monitor,
    ) -> Result<LargeRow> {
        let task = trial.task()?;
        memory::restart();
        let watch = monitor.stopwatch();
        let matching = matcher.run(&task, &monitor.unobserved())?;
        let seconds = watch.seconds();
        let memory = memory::peak();
        let verdicts = matching.verdicts(&trial.instance.truth);
        let found: Vec<(f64, bool)> = matching
            .pairs
            .iter()
            .zip(verdicts)
            .filter(|(pair, _)| !pair.anchor)
            .map(|(pair, verdict)| (pair.confidence, verdict == Some(true)))
            .collect();
        let right = found.iter().filter(|(_, right)| *right).count() as f64;
        let asked = trial.instance.truth.len() - trial.anchors.len();
        let is_sure = found.iter().all(|(confidence, _)| *confidence == 1.0);
        Ok(LargeRow {
            task: *self,
            method: name.to_owned(),
            recall: right / asked.max(1) as f64,
            precision: right / found.len().max(1) as f64,
            calibration: (!is_sure).then(|| calibration(&found)),
            seconds,
            memory,
        })
    }
}

/// Σ |confidence − share right| over ten bins, weighed by their sizes.
fn calibration(found: &[(f64, bool)]) -> f64 {
    let mut bins = [(0.0, 0.0); 10];
    for &(confidence, right) in found {
        let bin = &mut bins[((confidence * 10.0) as usize).min(9)];
        bin.0 += confidence;
        bin.1 += f64::from(u8::from(right));
    }
    let apart: f64 = bins.iter().map(|(sum, right)| f64::abs(sum - right)).sum();
    apart / found.len().max(1) as f64
}

/// The slope of ln y over ln x by least squares; none for fewer than two points.
#[must_use]
pub fn exponent(points: &[(f64, f64)]) -> Option<f64> {
    let n = points.len() as f64;
    let logs: Vec<(f64, f64)> = points.iter().map(|(x, y)| (x.ln(), y.ln())).collect();
    let mean = |value: fn(&(f64, f64)) -> f64| logs.iter().map(value).sum::<f64>() / n;
    let (x, y) = (mean(|p| p.0), mean(|p| p.1));
    let spread: f64 = logs.iter().map(|p| (p.0 - x).powi(2)).sum();
    let common: f64 = logs.iter().map(|p| (p.0 - x) * (p.1 - y)).sum();
    (points.len() > 1 && spread > 0.0).then(|| common / spread)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matchers::Percolation;
    use anchormatch::matcher::Best;

    #[test]
    fn rows_are_measured_as_counted_by_hand() {
        let task = row(Family::Uniform, 2_000, 20, 0.9, 10.0);
        let trial = task.trial(1).unwrap();
        let best = Best::default().with_unmatched(true);
        let measured = task
            .measure(&trial, "best", &best, &Monitor::silent())
            .unwrap();
        assert!(
            measured.recall > 0.99 && measured.precision > 0.99,
            "{measured:?}"
        );
        assert!(measured.calibration.is_some_and(|error| error < 0.05));
        let base = task
            .measure(&trial, "percolation", &Percolation, &Monitor::silent())
            .unwrap();
        assert!(base.calibration.is_none() && base.recall > 0.5);
        assert!(measured.recall >= base.recall && measured.precision >= base.precision);
    }

    #[test]
    fn bins_and_slopes_are_right() {
        assert!((calibration(&[(0.9, true), (0.9, false)]) - 0.4).abs() < 1e-12);
        assert!(calibration(&[(0.5, true), (0.5, false)]) < 1e-12);
        let points: Vec<(f64, f64)> = [1.0, 10.0, 100.0]
            .map(|x: f64| (x, 3.0 * x.powf(1.5)))
            .to_vec();
        assert!((exponent(&points).unwrap() - 1.5).abs() < 1e-12);
        assert_eq!(exponent(&points[..1]), None);
    }
}
