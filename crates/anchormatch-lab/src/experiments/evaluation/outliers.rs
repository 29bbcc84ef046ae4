//! Who is left alone, and who should be.
//!
//! `best` runs with partial matchings allowed. A node is an outlier when the truth gives it no partner.
//! Of the pairs, without the anchors, and of the nodes of both sides that are left alone,
//!
//! > precision = right / found,   recall = right / there are.
//!
//! The share that is right counts each free inlier of the source that is matched right and each
//! outlier of either side that is left alone; an outlier that is matched is wrong.

use std::collections::HashSet;

use anchormatch::matcher::Best;
use anchormatch::{Matching, Monitor, Result};
use anchormatch_generate::Synthetic;

use super::{Graphs, Group, Measured, Plan, Row, Run};
use crate::experiments::Trial;

/// What a matching found and what there was to find.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Pairs of the truth that are not anchors.
    pub inliers: usize,
    /// Pairs that were matched, without the anchors.
    pub matched: usize,
    /// Those among them that are in the truth.
    pub matched_right: usize,
    /// Nodes of both sides without a partner in the truth.
    pub outliers: usize,
    /// Nodes of both sides that were left alone.
    pub alone: usize,
    /// Those among them that are outliers.
    pub alone_right: usize,
}

impl Counts {
    /// Compares a matching with the truth of its trial.
    #[must_use]
    pub fn of(matching: &Matching, trial: &Trial) -> Self {
        let instance = &trial.instance;
        let sources: HashSet<usize> = instance.truth.iter().map(|pair| pair.0).collect();
        let targets: HashSet<usize> = instance.truth.iter().map(|pair| pair.1).collect();
        let verdicts = matching.verdicts(&instance.truth);
        let free = || {
            let pairs = matching.pairs.iter().zip(&verdicts);
            pairs.filter(|(pair, _)| !pair.anchor)
        };
        let no_partner = |alone: &[usize], known: &HashSet<usize>| {
            alone.iter().filter(|node| !known.contains(node)).count()
        };
        Self {
            inliers: instance.truth.len() - trial.anchors.len(),
            matched: free().count(),
            matched_right: free().filter(|(_, v)| **v == Some(true)).count(),
            outliers: instance.source.node_count() + instance.target.node_count()
                - 2 * instance.truth.len(),
            alone: matching.unmatched_source.len() + matching.unmatched_target.len(),
            alone_right: no_partner(&matching.unmatched_source, &sources)
                + no_partner(&matching.unmatched_target, &targets),
        }
    }

    /// Adds the counts of another trial.
    pub fn merge(&mut self, other: &Self) {
        self.inliers += other.inliers;
        self.matched += other.matched;
        self.matched_right += other.matched_right;
        self.outliers += other.outliers;
        self.alone += other.alone;
        self.alone_right += other.alone_right;
    }

    /// The share of the matched pairs that is right; `None` when nothing was matched.
    #[must_use]
    pub fn matched_precision(&self) -> Option<f64> {
        share(self.matched_right, self.matched)
    }

    /// The share of the free inliers that is matched right; `None` when there are none.
    #[must_use]
    pub fn matched_recall(&self) -> Option<f64> {
        share(self.matched_right, self.inliers)
    }

    /// The share of outliers among the nodes left alone; `None` when none was.
    #[must_use]
    pub fn alone_precision(&self) -> Option<f64> {
        share(self.alone_right, self.alone)
    }

    /// The share of the outliers that was left alone; `None` when there are none.
    #[must_use]
    pub fn alone_recall(&self) -> Option<f64> {
        share(self.alone_right, self.outliers)
    }

    /// The share of the free inliers' nodes, both sides together, that was left alone.
    #[must_use]
    pub fn false_alarms(&self) -> Option<f64> {
        share(self.alone - self.alone_right, 2 * self.inliers)
    }

    /// The share that is right, inliers and outliers together.
    #[must_use]
    pub fn right(&self) -> Option<f64> {
        share(
            self.matched_right + self.alone_right,
            self.inliers + self.outliers,
        )
    }
}

/// No outliers at σ = 0, 0.05, …, 0.3; then 2, 4, …, 10 on both sides and in the target alone, at
/// σ = 0, 0.05 and 0.1.
#[must_use]
pub fn rows() -> Vec<Row> {
    let row = |name: String, graphs| Row::new(name, Group::Outliers, Graphs::Synthetic(graphs));
    let mut rows = Vec::new();
    for noise in [0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3] {
        let graphs = Synthetic {
            noise,
            ..Synthetic::default()
        };
        rows.push(row(format!("none-{noise}"), graphs));
    }
    for (side, in_source) in [("both", 1), ("target", 0)] {
        for noise in [0.0, 0.05, 0.1] {
            for count in [2, 4, 6, 8, 10] {
                let graphs = Synthetic {
                    source_outliers: in_source * count,
                    target_outliers: count,
                    noise,
                    ..Synthetic::default()
                };
                rows.push(row(format!("{side}-{count}-{noise}"), graphs));
            }
        }
    }
    rows
}

/// Runs `best` with partial matchings allowed on all trials of a row.
///
/// # Errors
/// When the row's data is missing or a run fails.
pub fn run(
    plan: &Plan,
    row: &Row,
    monitor: &Monitor,
    done: impl Fn() + Sync,
) -> Result<Measured<Counts>> {
    let one = |trial: &Trial, seed: u64| {
        let preset = Best::default().with_unmatched(true).with_seed(seed);
        let truth = &trial.instance.truth;
        let run = Run::of(&preset, &trial.task()?, truth, monitor)?;
        Ok(Counts::of(&run.matching, trial))
    };
    plan.measure(row, one, monitor, done)
}

fn share(part: usize, whole: usize) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::evaluation::tests::plan;
    use anchormatch::matcher::Matcher;
    use anchormatch::matching::Pair;
    use anchormatch::{Graph, Task};
    use anchormatch_generate::Instance;

    #[test]
    fn pairs_and_lonely_nodes_are_counted_by_hand() {
        // Five source nodes, six target nodes; 4 and 4', 5' are outliers; (0, 0') is an anchor.
        let source = Graph::from_edges(5, &[(0, 1, 1.0)]).unwrap();
        let target = Graph::from_edges(6, &[(0, 1, 1.0)]).unwrap();
        let task = Task::from_pairs(&source, &target, &[(0, 0)]).unwrap();
        let mut matching = Best::fast().run(&task, &Monitor::silent()).unwrap();
        let pair = |source, target, anchor| Pair {
            source,
            target,
            confidence: 1.0,
            anchor,
        };
        matching.pairs = vec![pair(0, 0, true), pair(1, 1, false), pair(4, 2, false)];
        matching.unmatched_source = vec![2, 3];
        matching.unmatched_target = vec![3, 4, 5];
        let trial = Trial {
            instance: Instance {
                source,
                target,
                source_positions: None,
                target_positions: None,
                truth: vec![(0, 0), (1, 1), (2, 2), (3, 3)],
            },
            anchors: vec![(0, 0)],
        };
        let counts = Counts::of(&matching, &trial);
        let want = Counts {
            inliers: 3,
            matched: 2,
            matched_right: 1,
            outliers: 3,
            alone: 5,
            alone_right: 2,
        };
        assert_eq!(counts, want);
        assert_eq!(counts.matched_precision(), Some(0.5));
        assert_eq!(counts.matched_recall(), Some(1.0 / 3.0));
        assert_eq!(counts.alone_precision(), Some(0.4));
        assert_eq!(counts.alone_recall(), Some(2.0 / 3.0));
        assert_eq!(counts.false_alarms(), Some(0.5));
        assert_eq!(counts.right(), Some(0.5));
        let mut twice = counts;
        twice.merge(&counts);
        assert_eq!((twice.alone, twice.right()), (10, Some(0.5)));
        let nothing = Counts::default();
        assert_eq!((nothing.matched_precision(), nothing.right()), (None, None));
    }

    #[test]
    fn without_noise_everyone_is_where_they_belong() {
        let rows = rows();
        assert_eq!(rows.len(), 7 + 2 * 15);
        for name in ["none-0", "both-4-0", "target-2-0"] {
            let row = rows.iter().find(|row| row.name == name).unwrap();
            let measured = run(&plan(1), row, &Monitor::silent(), || ()).unwrap();
            let counts = measured.values[0];
            assert_eq!(counts.inliers, 18);
            // What was asked for adds up.
            assert_eq!(2 * counts.matched + counts.alone, 36 + counts.outliers);
        }
    }
}
