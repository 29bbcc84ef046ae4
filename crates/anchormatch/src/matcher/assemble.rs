//! What all matchers share: the nodes that are left to match, the log of a run, and the result made of
//! a solution.

use crate::error::{Hint, Result};
use crate::graph::Graph;
use crate::matching::{Diagnostics, Matching, Measure, Note, Pair, Samples, Trust};
use crate::monitor::Monitor;
use crate::problem::Candidates;
use crate::solver::{Solution, Status};
use crate::task::{Allowed, Task};

/// The nodes that no hard anchor fixes; rows and columns of the problem.
pub(super) struct FreeNodes {
    pub(super) source: Vec<usize>,
    pub(super) target: Vec<usize>,
}

impl FreeNodes {
    pub(super) fn of(task: &Task<'_>) -> Self {
        let (source, target) = task.anchors().free_nodes(task.source(), task.target());
        Self { source, target }
    }
}

/// The pairs of free nodes that are not ruled out, where some are.
pub(super) fn candidates(
    allowed: Option<&Allowed>,
    free: &FreeNodes,
) -> Result<Option<Candidates>> {
    let Some(allowed) = allowed else {
        return Ok(None);
    };
    let (rows, columns) = (&free.source, &free.target);
    let pairs = (0..rows.len()).flat_map(|i| (0..columns.len()).map(move |a| (i, a)));
    let pairs = pairs.filter(|&(i, a)| allowed.allows(rows[i], columns[a]));
    Candidates::listed(rows.len(), columns.len(), pairs).map(Some)
}

/// What a run says about itself.
#[derive(Default)]
pub(super) struct Log {
    notes: Vec<Note>,
    parameters: Vec<(String, String)>,
    timings: Vec<(String, f64)>,
    pub(super) diagnostics: Diagnostics,
}

impl Log {
    pub(super) fn note(&mut self, note: impl Into<Note>) {
        self.notes.push(note.into());
    }

    /// Says which directions are not used, of a matcher that compares those of two directed graphs or does not.
    pub(super) fn note_directions(&mut self, task: &Task<'_>, are_compared: bool) {
        match task.graphs().map(Graph::is_directed) {
            [true, true] if !are_compared => self.note(
                "the edges have directions, which are not compared here: between two nodes the stronger counts",
            ),
            [true, false] | [false, true] => {
                let text = "the edges of one graph alone have directions, which are not used";
                self.note(Note::hinting(text, &[Hint::Directed, Hint::Undirected]));
            }
            _ => {}
        }
    }

    pub(super) fn parameter(&mut self, name: &str, value: impl std::fmt::Display) {
        self.parameters.push((name.to_owned(), value.to_string()));
    }

    /// Says what attributes told of the pairs, on average.
    pub(super) fn contributions(&mut self, told: &[(&str, f64)]) {
        for (name, nats) in told {
            self.parameter(
                &format!("attribute {name}"),
                format_args!("{nats:.3} nats a pair"),
            );
        }
    }

    pub(super) fn time(&mut self, stage: &str, seconds: f64) {
        self.timings.push((stage.to_owned(), seconds));
    }

    /// What was noted.
    #[cfg(test)]
    pub(super) fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// The stages that were timed, in their order.
    #[cfg(test)]
    pub(super) fn stages(&self) -> Vec<&str> {
        self.timings
            .iter()
            .map(|(stage, _)| stage.as_str())
            .collect()
    }

    /// Runs a stage and notes its time.
    pub(super) fn stage<T>(
        &mut self,
        name: &str,
        monitor: &Monitor,
        work: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        let watch = monitor.stopwatch();
        let result = work(self)?;
        self.time(name, watch.seconds());
        Ok(result)
    }
}

/// The matching that a solution over the free nodes of a task makes, for matchers of one's own: row k is
/// the k-th source node that no hard anchor fixes, and columns likewise
/// ([`Anchors::free_nodes`](crate::Anchors::free_nodes)).
///
/// # Panics
/// When the solution has a row or a column more than there are free nodes.
#[must_use]
pub fn matching_of(task: &Task<'_>, solution: Solution) -> Matching {
    let (free, log) = (FreeNodes::of(task), Log::default());
    assemble(task, &free, solution, Measure::Affinity, log)
}

/// The hard anchors as pairs of a matching.
pub(super) fn anchor_pairs<'a>(task: &'a Task<'_>) -> impl Iterator<Item = Pair> + 'a {
    let anchors = task.anchors().hard().iter();
    anchors.map(|&(source, target)| Pair {
        source,
        target,
        confidence: 1.0,
        anchor: true,
    })
}

/// Puts a solution over the free nodes, the hard anchors and the log together.
///
/// A pair's confidence is its entry in the solver's relaxed solution.
pub(super) fn assemble(
    task: &Task<'_>,
    free: &FreeNodes,
    solution: Solution,
    measure: Measure,
    log: Log,
) -> Matching {
    let mut pairs: Vec<Pair> = anchor_pairs(task).collect();
    for (i, a) in solution.assignment.pairs() {
        let belief = solution.soft.as_ref().map_or(1.0, |soft| soft[(i, a)]);
        pairs.push(Pair {
            source: free.source[i],
            target: free.target[a],
            confidence: belief.clamp(0.0, 1.0),
            anchor: false,
        });
    }
    Matching {
        objective: solution.objective,
        status: solution.status,
        iterations: solution.iterations,
        ..of_pairs(task, pairs, measure, solution.convergence, log)
    }
}

/// The matching of these pairs, hard anchors among them; objective and status are left to the caller.
pub(super) fn of_pairs(
    task: &Task<'_>,
    mut pairs: Vec<Pair>,
    measure: Measure,
    convergence: Vec<f64>,
    log: Log,
) -> Matching {
    pairs.sort_unstable_by_key(|pair| pair.source);
    let alone = |graph: &Graph, side: fn(&Pair) -> usize| {
        let mut matched = vec![false; graph.node_count()];
        for pair in &pairs {
            debug_assert!(!matched[side(pair)], "a matching is one-to-one");
            matched[side(pair)] = true;
        }
        (0..graph.node_count()).filter(|&i| !matched[i]).collect()
    };
    Matching {
        unmatched_source: alone(task.source(), |pair| pair.source),
        unmatched_target: alone(task.target(), |pair| pair.target),
        pairs,
        objective: 0.0,
        measure,
        status: Status::Converged,
        iterations: 0,
        notes: log.notes,
        parameters: log.parameters,
        timings: log.timings,
        diagnostics: Diagnostics {
            convergence,
            ..log.diagnostics
        },
        model: Vec::new(),
        alternatives: None,
        trust: Trust::default(),
        samples: Samples::default(),
        anchor_report: Vec::new(),
    }
}
