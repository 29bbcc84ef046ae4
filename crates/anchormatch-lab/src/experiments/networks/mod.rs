//! Matchers on pairs of real networks: how many nodes they get right, how many edges they keep, how
//! long they take.
//!
//! The protocol: one network is shuffled, a share of the nodes, drawn at random and at least two, are
//! anchors, and the rest is asked for. Each draw has its own order and its own anchors; the anchors of
//! a smaller share are among those of a larger one. **Accuracy** is over the nodes that are not
//! anchors. **Conserved** is the share of the source's edges, anchors' included, whose ends are mapped
//! to the ends of an edge of the target, whatever the weights:
//!
//! > |{ {i,j} ∈ E : {p(i), p(j)} ∈ E' }| / |E|
//!
//! For weighted networks **conserved weight** is Σ min(w_ij, w'_p(i)p(j)) / Σ w_ij over E, weights
//! below 0 counting as 0; for 0/1 networks it is the same number. Nodes that look alike cap the
//! accuracy below 1, and noise caps what can be conserved: the truth's own share stands beside.
//!
//! Seconds run from the two graphs and the anchors to the partners; trials run one at a time, so that
//! each has the whole machine.

#[cfg(test)]
mod tests;

use std::time::Duration;

use anchormatch::matcher::Matcher;
use anchormatch::{Assignment, Error, Graph, Matching, Monitor, Result};
use anchormatch_generate::stream;
use anchormatch_report::Summary;

use super::Trial;
use crate::datasets::networks::NetworkPair;

/// Anchors that a trial has at least.
const FEWEST_ANCHORS: usize = 2;

/// What to run.
#[derive(Debug, Clone, PartialEq)]
pub struct NetworkSweep {
    /// Anchors in percent of the nodes. Default 1, 2 and 5.
    pub percents: Vec<f64>,
    /// Orders and anchors for each pair and share. Default 2.
    pub draws: usize,
    /// Time for each matcher on each draw. Default: as long as it takes.
    pub time_limit: Option<Duration>,
    /// The seed of the first draw; the others count up from it. Default 0.
    pub seed: u64,
}

impl Default for NetworkSweep {
    fn default() -> Self {
        Self {
            percents: vec![1.0, 2.0, 5.0],
            draws: 2,
            time_limit: None,
            seed: 0,
        }
    }
}

/// What a matching keeps of the source.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Conserved {
    /// The share of its edges.
    pub edges: f64,
    /// The share of its weight.
    pub weight: f64,
}

/// One pair, one share of anchors, one matcher: means over the draws.
#[derive(Debug, Clone, PartialEq)]
pub struct NetworkRow {
    /// The pair's name.
    pub pair: &'static str,
    /// Whether the pair is weighted.
    pub weighted: bool,
    /// Nodes of either network.
    pub nodes: usize,
    /// Edges of the source.
    pub source_edges: usize,
    /// Edges of the target.
    pub target_edges: usize,
    /// Anchors in percent of the nodes, as asked for.
    pub percent: f64,
    /// Anchors that were given.
    pub anchors: usize,
    /// The matcher's name.
    pub method: String,
    /// The share of the other nodes that is right.
    pub accuracy: Summary,
    /// The share of the source's edges that is conserved.
    pub conserved_edges: Summary,
    /// The share of the source's weight that is conserved.
    pub conserved_weight: Summary,
    /// What the truth conserves.
    pub truth: Conserved,
    /// Seconds a draw.
    pub seconds: Summary,
    /// Draws that the time limit cut short; they count in the means.
    pub cut: usize,
    /// Why the matcher found nothing on some draw; such draws are in no mean.
    pub failure: Option<String>,
}

/// All rows.
#[derive(Debug, Clone, PartialEq)]
pub struct NetworkResult {
    /// By pair, then share, then matcher.
    pub rows: Vec<NetworkRow>,
    /// Whether every row was run: the monitor may have stopped the sweep.
    pub complete: bool,
}

/// What one matcher did on one draw.
struct Measured {
    accuracy: f64,
    conserved: Conserved,
    seconds: f64,
    was_cut: bool,
}

impl NetworkSweep {
    /// The number of anchors among `nodes`: the share rounded to the nearest, at least 2, and one node
    /// is left to ask for.
    ///
    /// # Errors
    /// When the share is not above 0 and below 100, or there are fewer than 3 nodes.
    pub fn anchors(percent: f64, nodes: usize) -> Result<usize> {
        if !(percent > 0.0 && percent < 100.0) {
            let expected = "percent above 0 and below 100";
            return Err(Error::parameter("anchors", percent, expected));
        }
        if nodes <= FEWEST_ANCHORS {
            let expected = format!("more than the {FEWEST_ANCHORS} that are anchors");
            return Err(Error::parameter("nodes", nodes, expected));
        }
        let count = (percent / 100.0 * nodes as f64).round() as usize;
        Ok(count.clamp(FEWEST_ANCHORS, nodes - 1))
    }

    /// Draw number `draw` of a pair.
    ///
    /// # Errors
    /// As [`anchors`](Self::anchors), and when the networks differ in size.
    pub fn trial(&self, pair: &NetworkPair, percent: f64, draw: usize) -> Result<Trial> {
        let seed = self.seed.wrapping_add(draw as u64);
        let count = Self::anchors(percent, pair.nodes())?;
        let instance = pair.instance(seed)?;
        // All pairs in random order: the first ones serve every share.
        let mut anchors = instance.random_anchors(pair.nodes(), &mut stream(seed, 1))?;
        anchors.truncate(count);
        Ok(Trial { instance, anchors })
    }

    /// Runs every matcher on every pair and share; `done` sees each row as it is finished.
    ///
    /// A matcher that refuses a pair leaves a row that says so. The monitor's own limits stop the sweep
    /// between draws, and cancelling it stops the draw too; rows that were finished come back.
    ///
    /// # Errors
    /// As [`trial`](Self::trial), and when there is no draw or a matcher returns no matching.
    pub fn run(
        &self,
        pairs: &[NetworkPair],
        matchers: &[Box<dyn Matcher>],
        monitor: &Monitor,
        mut done: impl FnMut(&NetworkRow),
    ) -> Result<NetworkResult> {
        if self.draws == 0 {
            return Err(Error::parameter("draws", 0, "at least 1"));
        }
        let mut rows = Vec::new();
        for pair in pairs {
            for &percent in &self.percents {
                let trials = (0..self.draws).map(|draw| self.trial(pair, percent, draw));
                let trials: Vec<Trial> = trials.collect::<Result<_>>()?;
                for matcher in matchers {
                    let row = self.row(pair, percent, &trials, matcher.as_ref(), monitor)?;
                    let Some(row) = row else {
                        return Ok(NetworkResult {
                            rows,
                            complete: false,
                        });
                    };
                    done(&row);
                    rows.push(row);
                }
            }
        }
        Ok(NetworkResult {
            rows,
            complete: true,
        })
    }

    /// One matcher on all draws; none when the monitor stopped it.
    fn row(
        &self,
        pair: &NetworkPair,
        percent: f64,
        trials: &[Trial],
        matcher: &dyn Matcher,
        monitor: &Monitor,
    ) -> Result<Option<NetworkRow>> {
        let (mut measured, mut failure) = (Vec::with_capacity(trials.len()), None);
        for trial in trials {
            if monitor.interrupted().is_some() {
                return Ok(None);
            }
            match self.measure(trial, matcher, monitor)? {
                Ok(draw) => measured.push(draw),
                Err(message) => failure = failure.or(Some(message)),
            }
        }
        // A cancelled last draw is not what the matcher can do.
        if monitor.interrupted().is_some() {
            return Ok(None);
        }
        let summary = |value: fn(&Measured) -> f64| Summary::of(measured.iter().map(value));
        let identity = Assignment::identity(pair.nodes());
        Ok(Some(NetworkRow {
            pair: pair.name,
            weighted: pair.weighted,
            nodes: pair.nodes(),
            source_edges: pair.source.edge_count(),
            target_edges: pair.target.edge_count(),
            percent,
            anchors: trials[0].anchors.len(),
            method: matcher.name().to_owned(),
            accuracy: summary(|draw| draw.accuracy),
            conserved_edges: summary(|draw| draw.conserved.edges),
            conserved_weight: summary(|draw| draw.conserved.weight),
            truth: conserved(&pair.source, &pair.target, &identity),
            seconds: summary(|draw| draw.seconds),
            cut: measured.iter().filter(|draw| draw.was_cut).count(),
            failure,
        }))
    }

    /// One matcher on one draw, or why it found nothing.
    fn measure(
        &self,
        trial: &Trial,
        matcher: &dyn Matcher,
        monitor: &Monitor,
    ) -> Result<std::result::Result<Measured, String>> {
        let (source, target) = (&trial.instance.source, &trial.instance.target);
        let task = trial.task()?;
        let mut limited = monitor.unobserved();
        if let Some(limit) = self.time_limit {
            limited = limited.time_limit(limit);
        }
        let clock = monitor.stopwatch();
        let found = matcher.run(&task, &limited);
        let seconds = clock.seconds();
        let found = match found {
            Ok(found) => found,
            Err(error) => return Ok(Err(error.to_string())),
        };
        let keeps = |partners: &Assignment| {
            let mut anchors = trial.anchors.iter();
            anchors.all(|&(s, t)| partners.partner(s) == Some(t))
        };
        let partners = partners(&found, [source.node_count(), target.node_count()]);
        let Some(partners) = partners.filter(keeps) else {
            return Err(Error::Numerics(format!(
                "{} returned no matching that keeps the anchors",
                matcher.name()
            )));
        };
        let truth = &trial.instance.truth;
        let right = truth
            .iter()
            .filter(|&&(s, t)| partners.partner(s) == Some(t));
        // Anchors are right and do not count.
        let known = trial.anchors.len();
        Ok(Ok(Measured {
            accuracy: (right.count() - known) as f64 / (truth.len() - known) as f64,
            conserved: conserved(source, target, &partners),
            seconds,
            was_cut: found.status.was_interrupted(),
        }))
    }
}

/// The partner of each source node; none when the pairs are no matching of so many nodes.
fn partners(matching: &Matching, [n, m]: [usize; 2]) -> Option<Assignment> {
    let mut partners = Assignment::empty(n);
    for pair in &matching.pairs {
        let is_new = pair.source < n && pair.target < m && partners.partner(pair.source).is_none();
        if !is_new {
            return None;
        }
        partners.set(pair.source, Some(pair.target));
    }
    partners.is_one_to_one(m).then_some(partners)
}

/// What `partners`, one for each source node, keep of the source's edges; all of nothing is all.
///
/// # Panics
/// When there is a source node more than partners, or a partner outside the target.
#[must_use]
pub fn conserved(source: &Graph, target: &Graph, partners: &Assignment) -> Conserved {
    let (mut kept, mut kept_weight, mut weight) = (0usize, 0.0, 0.0);
    for i in 0..source.node_count() {
        for (j, w) in source.neighbours(i).take_while(|&(j, _)| j < i) {
            weight += w.max(0.0);
            if let (Some(a), Some(b)) = (partners.partner(i), partners.partner(j)) {
                let image = target.weight(a, b);
                kept += usize::from(image != 0.0);
                kept_weight += w.min(image).max(0.0);
            }
        }
    }
    Conserved {
        edges: if source.edge_count() == 0 {
            1.0
        } else {
            kept as f64 / source.edge_count() as f64
        },
        weight: if weight == 0.0 {
            1.0
        } else {
            kept_weight / weight
        },
    }
}
