//! The sparse regime: graphs of any size that the memory holds.
//!
//! Nothing here grows with the product of the two sizes: O(edges + nodes · k) memory, k candidates a node,
//! and near-linear time on all cores. The stages, in their order:
//!
//! | stage | file | what it hands on |
//! |---|---|---|
//! | observations | `side`, `kinds`, `known` | adjacency lists with standardised degrees and weights, and the kinds of edges; anchors and other evidence |
//! | expansion | `expansion` | pairs settled from the anchors outwards, the surest first, and the [model](model) they fit |
//! | beliefs | `beliefs`, `alone` | the probabilities of every node's candidates, by a mean field on lists |
//! | restarts | `restarts` | the same, expanded and believed again from what became sure, as long as that gains pairs |
//! | calibration | `calibration` | how much of the evidence anchors would have believed, and the probabilities that are left of it |
//! | sampling | `sampling`, `cooled`, `chain`, `parting`, `landmarks` | the same by chains of exchanges, led by distances to the anchors, that may leave nodes alone, in clustered graphs that hold every node |
//! | consensus | `consensus` | the same with second opinions where nothing was sampled, weighed by anchors that were hidden |
//! | rehearsal | `rehearsal` | what is left of the probabilities by what became of such on a dealt pair, where neither of both had a say |
//! | decision | `decision` | the one-to-one pairs with the greatest expected number of right ones |
//! | chance | `chance`, `distances`, `foretold`, `decoys` | whether there is anything to find, in doubt by how far anchors are from each other, by whether others foretell them and by what decoys lead to |
//! | anchor check | `anchor_check` | what the rest says of each anchor |
//!
//! Edges between the sides are part of what is known (`crossing`), and speak for a pair by the partners of their other ends.
//! Where edges have directions, layers or relations, `correspondence` is the part of the model that says which
//! kinds of the two sides go together.
//!
//! `neighbours` is what both expansion and beliefs ask: who could be the partner of this node, by what is
//! known of its neighbours? Each node is asked apart from the others, so that results do not depend on the
//! number of threads.

mod alone;
mod anchor_check;
mod beliefs;
pub mod blocks;
mod calibration;
mod chain;
mod chance;
mod consensus;
mod cooled;
mod correspondence;
mod crossing;
mod dealt;
mod decision;
mod decoys;
mod distances;
mod expansion;
mod foretold;
mod kinds;
mod known;
mod landmarks;
mod model;
mod neighbours;
mod parting;
mod rehearsal;
mod restarts;
mod rows;
mod sampling;
mod side;
mod tally;
#[cfg(test)]
mod tests;

use self::anchor_check::check_anchors;
use self::beliefs::{believe, tempered};
use self::calibration::believable_share;
use self::chance::{Judges, weigh};
use self::consensus::agree;
use self::decision::{Chosen, decide};
use self::expansion::expand;
use self::known::Known;
use self::rehearsal::rehearse;
use self::restarts::{across, begin_from, restart};
use self::sampling::{Exchanged, sample};
use self::side::{NONE, Side, weights_differ};
use super::chance::{Chance, Foretold};
use super::closure::Closure;
use super::symmetry;
use super::{Best, Effort, RegimeChoice};
use crate::error::{Hint, Result};
use crate::graph::Graph;
use crate::linalg::Csr;
use crate::matcher::{Log, Matcher, of_pairs};
use crate::matching::{Alternatives, Matching, Measure, Note, Pair, Trust};
use crate::monitor::Monitor;
use crate::solver::Status;
use crate::symmetry::Symmetry;
use crate::task::Task;

/// Bytes of lists and numbers for a node, at most.
const BYTES_A_NODE: u64 = 640;

/// Kinds of edges that a result describes.
const DESCRIBED: usize = 20;

/// Nodes up to which a reader is sent to the dense regime.
const LARGEST_DENSE_ADVICE: usize = 5_000;

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

/// What lists of candidates lead to.
pub(super) struct Listed {
    pub(super) matching: Matching,
    /// Whether chains of exchanges had the last word.
    pub(super) is_sampled: bool,
}

/// Runs the chain.
///
/// # Errors
/// When the memory does not suffice.
///
/// # Complexity
/// O(edges + nodes) memory; an iteration visits the neighbours of the partners of the neighbours of every
/// node, within a budget a node.
pub(super) fn run(preset: &Best, task: &Task<'_>, monitor: &Monitor) -> Result<Listed> {
    let graphs = task.graphs();
    let weighted = weights_differ(graphs);
    monitor.reserve(
        "the candidates of all nodes",
        bytes(graphs, weighted)
            .saturating_add(kinds::bytes(task))
            .saturating_add(crossing::bytes(task)),
        &[Hint::MoreMemory, Hint::Cluster, Hint::SmallerGraphs],
    )?;
    let mut log = Log::default();
    log.parameter("preset", preset.name());
    log.parameter("regime", "sparse");
    log.note_directions(task, true);
    note_unused(&mut log, preset, task);
    let (sides, mut known) = log.stage("observations", monitor, |_| {
        Ok((Side::both(task, weighted), Known::of(task)))
    })?;
    let symmetry = log.stage("symmetry", monitor, |_| Ok(symmetry::find(task, monitor)))?;
    let expansion = log.stage("expansion", monitor, |_| {
        let mut first = known.partners();
        for (i, &a) in symmetry.copy.iter().flatten().enumerate() {
            (first[0][i], first[1][a as usize]) = (a, i as u32);
        }
        Ok(expand(&sides, &known, first, monitor))
    })?;
    known.fit(&expansion.partners);
    let (rounds, settled) = (expansion.rounds, expansion.matched());
    let most = iterations(preset.effort);
    let limits = (restarts(preset.effort), most);
    let beliefs = log.stage("beliefs", monitor, |_| {
        let beliefs = believe(&sides, &known, expansion, most, monitor);
        Ok(across(&sides, &mut known, beliefs, most, monitor))
    })?;
    let (beliefs, restarts) = log.stage("restarts", monitor, |_| {
        let start = task.facts().start.as_deref().unwrap_or_default();
        let beliefs = begin_from(start, &sides, &known, beliefs, most, monitor);
        Ok(restart(&sides, &known, beliefs, limits, monitor))
    })?;
    let (beliefs, share) = log.stage("calibration", monitor, |_| {
        let share = believable_share(&sides, &known, &beliefs, monitor);
        let beliefs = match share < 1.0 {
            true => tempered(&sides, &known, beliefs, share, monitor),
            false => beliefs,
        };
        Ok((beliefs, share))
    })?;
    let (beliefs, sampled) = log.stage("sampling", monitor, |_| match preset.effort {
        Effort::Best => Ok(sample(&sides, &known, beliefs, preset.seed, monitor)),
        Effort::Fast => Ok((beliefs, false)),
    })?;
    let (beliefs, second) = log.stage("consensus", monitor, |_| match preset.effort {
        Effort::Best if !sampled => Ok(agree(&sides, &mut known, beliefs, most, monitor)),
        _ => Ok((beliefs, 0.0)),
    })?;
    let sobered = log.stage("rehearsal", monitor, |_| match preset.effort {
        Effort::Best if !sampled && second == 0.0 => Ok(rehearse(
            &sides,
            &known,
            &beliefs,
            limits,
            preset.seed,
            monitor,
        )),
        _ => Ok(None),
    })?;
    let shares = sobered.as_ref().unwrap_or(&beliefs.occupancy);
    let mut pairs = log.stage("decision", monitor, |_| {
        let chosen = Chosen {
            by: &beliefs.occupancy,
            shares,
        };
        Ok(chosen.pairs(&sides, &known, preset.allow_unmatched))
    })?;
    symmetry::share_listed(&mut pairs, shares, &symmetry.orbits);
    let chance = log.stage("chance", monitor, |_| {
        let model = &beliefs.model;
        // Of copies, triangles explain nothing.
        let closure = match symmetry.copy {
            Some(_) => None,
            None => Closure::of(graphs, monitor),
        };
        let judges = Judges {
            sides: &sides,
            symmetry: &symmetry,
            closure: closure.as_ref(),
        };
        Ok(weigh(
            preset, &judges, &mut known, model, &mut pairs, monitor,
        ))
    })?;
    chance.describe(&mut log);
    let alternatives = alternatives(preset, &known, shares, chance.weight, &pairs);
    let partners = partners(
        &sides,
        &known,
        shares,
        chance.weight,
        preset.allow_unmatched,
    );
    let report = log.stage("anchor check", monitor, |_| {
        Ok(check_anchors(&sides, &known, &beliefs, monitor))
    })?;
    let model = &beliefs.model;
    log.parameter("rounds of expansion", rounds);
    log.parameter("pairs settled by expansion", settled);
    log.parameter("iterations of beliefs", beliefs.iterations);
    log.parameter("restarts", restarts);
    log.parameter("share of the evidence believed", format!("{share:.2}"));
    log.parameter("sampled by exchanges", sampled);
    log.parameter("weight of second opinions", format!("{second:.2}"));
    log.parameter("rehearsed", sobered.is_some());
    log.parameter(
        "source edges kept by the target",
        format!("{:.4}", model.seen[1]),
    );
    log.parameter(
        "target edges kept by the source",
        format!("{:.4}", model.seen[0]),
    );
    log.parameter("share without a partner", format!("{:.4}", beliefs.alone));
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
    let matching = Matching {
        objective,
        status,
        iterations: beliefs.iterations,
        anchor_report: report,
        alternatives: Some(alternatives),
        trust: Trust {
            beyond_chance: Some(chance.nats),
            partners: Some(partners),
            orbits: symmetry.orbits,
        },
        ..of_pairs(task, pairs, Measure::Evidence, beliefs.changes, log)
    };
    Ok(Listed {
        matching,
        is_sampled: sampled,
    })
}

/// The pairs that lists of candidates lead to, for a search over all pairs to begin with.
pub(super) fn pairs(preset: &Best, task: &Task<'_>, monitor: &Monitor) -> Vec<(usize, usize)> {
    let sides = Side::both(task, weights_differ(task.graphs()));
    let mut known = Known::of(task);
    let expansion = expand(&sides, &known, known.partners(), monitor);
    known.fit(&expansion.partners);
    let most = (restarts(preset.effort), iterations(preset.effort));
    let beliefs = believe(&sides, &known, expansion, most.1, monitor);
    let beliefs = across(&sides, &mut known, beliefs, most.1, monitor);
    let (beliefs, _) = restart(&sides, &known, beliefs, most, monitor);
    let beliefs = match preset.effort {
        Effort::Best => sample(&sides, &known, beliefs, preset.seed, monitor).0,
        Effort::Fast => beliefs,
    };
    let pairs = decide(&sides, &known, &beliefs.occupancy, false);
    let pairs = pairs.iter().map(|pair| (pair.source, pair.target));
    pairs.collect()
}

/// Whether chains of exchanges suit two graphs, around a matching that was found over all pairs.
pub(super) fn may_exchange(task: &Task<'_>, pairs: &[(usize, usize)]) -> bool {
    let sides = Side::both(task, weights_differ(task.graphs()));
    sampling::suit_around(&sides, &Known::of(task), pairs)
}

/// What they say; `None` when the monitor stops them too soon.
pub(super) fn exchanged(
    preset: &Best,
    task: &Task<'_>,
    pairs: &[(usize, usize)],
    monitor: &Monitor,
) -> Option<Exchanged> {
    let sides = Side::both(task, weights_differ(task.graphs()));
    sampling::sample_around(&sides, &Known::of(task), pairs, preset.seed, monitor)
}

/// What is left of chance for a task that is searched over all pairs, beside what decoys lead to over lists of candidates.
pub(super) fn beside_decoys(
    preset: &Best,
    task: &Task<'_>,
    symmetry: &Symmetry,
    chance: Chance,
    monitor: &Monitor,
) -> Chance {
    let judges = Judges {
        sides: &Side::both(task, weights_differ(task.graphs())),
        symmetry,
        closure: None,
    };
    judges.beside_decoys(preset, &mut Known::of(task), chance, monitor)
}

/// What is left of chance by what the other anchors foretell of each, by chains of exchanges.
pub(super) fn foretold(preset: &Best, task: &Task<'_>, monitor: &Monitor) -> Option<Chance> {
    let sides = Side::both(task, weights_differ(task.graphs()));
    let (mut known, most) = (Known::of(task), iterations(preset.effort));
    let times = foretold::foretold(&sides, &mut known, most, preset.seed, monitor)?;
    Some(Chance::of_each_other(&Foretold(times)))
}

/// The same beside the distances of the anchors from each other, where these tell something.
pub(super) fn beside_distances(
    preset: &Best,
    task: &Task<'_>,
    symmetry: &Symmetry,
    chance: Chance,
    monitor: &Monitor,
) -> Option<Chance> {
    let judges = Judges {
        sides: &Side::both(task, false),
        symmetry,
        closure: None,
    };
    judges.beside_distances(preset, &Known::of(task), chance, monitor)
}

/// The likeliest partners of every node, and those of the `pairs`, which ascend, among them.
fn alternatives(
    preset: &Best,
    known: &Known,
    occupancy: &Csr<f32>,
    weight: f64,
    pairs: &[Pair],
) -> Alternatives {
    let partners = known.partners();
    let rows = (0..occupancy.rows()).map(|i| {
        let is_free = partners[0][i] == NONE;
        let row = occupancy.row(i).filter(move |_| is_free);
        row.map(move |(a, share)| (a, weight * f64::from(share)))
    });
    let partner = |source: usize| {
        let place = pairs.binary_search_by_key(&source, |pair| pair.source);
        place.ok().map(|place| pairs[place].target)
    };
    let lists = Alternatives::beside(preset.top, rows, partner);
    let mut alone = vec![0.0; occupancy.rows()];
    for &i in known.alone() {
        alone[i as usize] = 1.0;
    }
    lists.with_alone(alone)
}

/// The expected number of nodes without an anchor that have a partner.
fn partners(
    sides: &[Side<'_>; 2],
    known: &Known,
    occupancy: &Csr<f32>,
    weight: f64,
    may_be_alone: bool,
) -> f64 {
    let anchored = known.partners();
    let free = (0..occupancy.rows()).filter(|&i| anchored[0][i] == NONE);
    let found: f64 = free
        .map(|i| {
            occupancy
                .row(i)
                .map(|(_, share)| f64::from(share))
                .sum::<f64>()
        })
        .map(|sum| sum.min(1.0))
        .sum();
    if may_be_alone {
        weight * found
    } else {
        // Whoever has no candidate is taken to have a partner all the same.
        (sides[0].nodes().min(sides[1].nodes()) - known.anchors.len()) as f64
    }
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
        let nodes = (task.source().node_count()).max(task.target().node_count());
        // Beyond that all pairs take minutes at least, and soon more memory than there is.
        let hints: &'static [Hint] = match nodes <= LARGEST_DENSE_ADVICE {
            true => &[Hint::MoreAnchors, Hint::DenseRegime],
            false => &[Hint::MoreAnchors],
        };
        log.note(Note::hinting(
            "there are no anchors: in the sparse regime nothing but degrees speaks for any pair",
            hints,
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
