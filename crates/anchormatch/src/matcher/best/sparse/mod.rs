//! The sparse regime: graphs of any size that the memory holds.
//!
//! Nothing here grows with the product of the two sizes: O(edges + nodes · k) memory, k candidates a node,
//! and near-linear time on all cores. The stages, in their order:
//!
//! | stage | file | what it hands on |
//! |---|---|---|
//! | observations | `side`, `kinds`, `known` | adjacency lists with standardised degrees and weights, and the kinds of edges; anchors and other evidence |
//! | expansion | `expansion` | pairs settled from the anchors outwards, the surest first, and the [model](model) they fit |
//! | beliefs | `beliefs` | the probabilities of every node's candidates, by a mean field on lists |
//! | restarts | `restarts` | the same, expanded and believed again from what became sure, as long as that gains pairs |
//! | decision | `decision` | the one-to-one pairs with the greatest expected number of right ones |
//! | anchor check | `anchor_check` | what the rest says of each anchor |
//!
//! Where edges have directions, layers or relations, `correspondence` is the part of the model that says which
//! kinds of the two sides go together.
//!
//! `neighbours` is what both expansion and beliefs ask: who could be the partner of this node, by what is
//! known of its neighbours? Each node is asked apart from the others, so that results do not depend on the
//! number of threads.

mod anchor_check;
mod beliefs;
mod correspondence;
mod decision;
mod expansion;
mod kinds;
mod known;
mod model;
mod neighbours;
mod restarts;
mod rows;
mod side;
mod tally;
#[cfg(test)]
mod tests;

use self::anchor_check::check_anchors;
use self::beliefs::believe;
use self::decision::decide;
use self::expansion::expand;
use self::known::Known;
use self::restarts::{begin_from, restart};
use self::side::{Side, weights_differ};
use super::{Best, Effort, RegimeChoice};
use crate::error::{Hint, Result};
use crate::graph::Graph;
use crate::matcher::{Log, Matcher, of_pairs};
use crate::matching::{Matching, Measure, Note, Pair};
use crate::monitor::Monitor;
use crate::solver::Status;
use crate::task::Task;

/// Bytes of lists and numbers for a node, at most.
const BYTES_A_NODE: u64 = 640;

/// Kinds of edges that a result describes.
const DESCRIBED: usize = 20;

/// Iterations of the beliefs at most.
fn iterations(effort: Effort) -> usize {
    match effort {
        Effort::Best => 10,
        Effort::Fast => 3,
    }
}

/// Restarts at most.
fn restarts(effort: Effort) -> usize {
    match effort {
        Effort::Best => 4,
        Effort::Fast => 1,
    }
}

/// Runs the chain.
///
/// # Errors
/// When the memory does not suffice.
///
/// # Complexity
/// O(edges + nodes) memory; an iteration visits the neighbours of the partners of the neighbours of every
/// node, within a budget a node.
pub(super) fn run(preset: &Best, task: &Task<'_>, monitor: &Monitor) -> Result<Matching> {
    let graphs = task.graphs();
    let weighted = weights_differ(graphs);
    monitor.reserve(
        "the candidates of all nodes",
        bytes(graphs, weighted).saturating_add(kinds::bytes(task)),
        &[Hint::MoreMemory, Hint::SmallerGraphs],
    )?;
    let mut log = Log::default();
    log.parameter("preset", preset.name());
    log.parameter("regime", "sparse");
    log.note_directions(task, true);
    note_unused(&mut log, preset, task);
    let (sides, mut known) = log.stage("observations", monitor, |_| {
        Ok((Side::both(task, weighted), Known::of(task)))
    })?;
    let expansion = log.stage("expansion", monitor, |_| {
        Ok(expand(&sides, &known, known.partners(), monitor))
    })?;
    known.fit(&expansion.partners);
    let (rounds, settled) = (expansion.rounds, expansion.matched());
    let most = iterations(preset.effort);
    let beliefs = log.stage("beliefs", monitor, |_| {
        Ok(believe(&sides, &known, expansion, most, monitor))
    })?;
    let (beliefs, restarts) = log.stage("restarts", monitor, |_| {
        let most = (restarts(preset.effort), most);
        let start = task.facts().start.as_deref().unwrap_or_default();
        let beliefs = begin_from(start, &sides, &known, beliefs, most.1, monitor);
        Ok(restart(&sides, &known, beliefs, most, monitor))
    })?;
    let pairs = log.stage("decision", monitor, |_| {
        Ok(decide(
            &sides,
            &known,
            &beliefs.occupancy,
            preset.allow_unmatched,
        ))
    })?;
    let report = log.stage("anchor check", monitor, |_| {
        Ok(check_anchors(&sides, &known, &beliefs, monitor))
    })?;
    let model = &beliefs.model;
    log.parameter("rounds of expansion", rounds);
    log.parameter("pairs settled by expansion", settled);
    log.parameter("iterations of beliefs", beliefs.iterations);
    log.parameter("restarts", restarts);
    log.parameter(
        "source edges kept by the target",
        format!("{:.4}", model.seen[1]),
    );
    log.parameter(
        "target edges kept by the source",
        format!("{:.4}", model.seen[0]),
    );
    log.parameter("closeness of rivals", format!("{:.3}", model.first.exp()));
    log.parameter(
        "correlation of degrees",
        format!("{:.4}", model.degrees.correlation),
    );
    if let Some(kinds) = &model.kinds {
        log.parameter(
            "nats of the kinds of kept edges",
            format!("{:.3}", kinds.mean),
        );
        let word = if task.facts().relations.is_some() {
            "relation"
        } else {
            "layer"
        };
        for (name, partner) in kinds.described(&sides, DESCRIBED) {
            log.parameter(&format!("{word} {name} of the source"), partner);
        }
    }
    if sides[0].weights.is_some() {
        log.parameter(
            "correlation of weights",
            format!("{:.4}", model.weights.correlation),
        );
    }
    let found: Vec<(usize, usize)> = pairs
        .iter()
        .map(|pair| (pair.source, pair.target))
        .collect();
    log.contributions(&known.contributions(&found));
    let status = match monitor.stopped() {
        Some(why) => why.into(),
        None => Status::Converged,
    };
    describe(&mut log, task, &pairs);
    let objective = model.evidence(&sides, &pairs);
    Ok(Matching {
        objective,
        status,
        iterations: beliefs.iterations,
        anchor_report: report,
        ..of_pairs(task, pairs, Measure::Evidence, beliefs.changes, log)
    })
}

/// The memory that the chain takes beside the graphs.
fn bytes(graphs: [&Graph; 2], weighted: bool) -> u64 {
    let of = |graph: &Graph| {
        let arcs = graph.sparse_adjacency().entries() as u64;
        let weights = if weighted { 12 * arcs } else { 0 };
        weights.saturating_add(BYTES_A_NODE.saturating_mul(graph.node_count() as u64))
    };
    of(graphs[0]).saturating_add(of(graphs[1]))
}

/// Says what was asked for and is not done.
fn note_unused(log: &mut Log, preset: &Best, task: &Task<'_>) {
    if task.facts().crossing.is_some() {
        log.note(Note::hinting(
            "edges between the two sides are not compared in the sparse regime",
            &[Hint::DenseRegime],
        ));
    }
    if task.facts().relations.is_none() {
        return;
    }
    if preset.regime == RegimeChoice::Dense || preset.solver.is_some() {
        log.note("relations are compared over lists of candidates: the dense regime and its solver are not used");
    }
    if task.facts().layers.is_some() {
        log.note("the edges have relations, and their layers are not used");
    }
}

/// Says what a reader of the result should know.
fn describe(log: &mut Log, task: &Task<'_>, pairs: &[Pair]) {
    let known = task.anchors().len();
    let facts = task.facts();
    if known == 0 && facts.similarity.is_none() && facts.attributes.is_none() {
        log.note(Note::hinting(
            "there are no anchors: in the sparse regime nothing but degrees speaks for any pair",
            &[Hint::MoreAnchors, Hint::DenseRegime],
        ));
        return;
    }
    let doubtful = pairs.iter().filter(|pair| pair.confidence < 0.01).count();
    if doubtful > 0 {
        log.note(Note::hinting(
            format!("{doubtful} pairs are hardly better than guesses (probability below 0.01)"),
            &[Hint::AllowUnmatched],
        ));
    }
}
