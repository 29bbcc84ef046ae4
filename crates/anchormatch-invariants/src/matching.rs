//! Matchings of every matcher.

use std::sync::Arc;

use anchormatch::matcher::{Matcher, Paper, Terms, registry};
use anchormatch::{Graph, Matching, Monitor, Task};
use anchormatch_io::{read_pairs_from, write_matching_csv, write_matching_json};

use crate::recount;

/// Every matcher of the registry, the paper's with each of its variants.
#[must_use]
pub fn matchers() -> Vec<Arc<dyn Matcher>> {
    let all = registry::all().into_iter().map(Arc::from);
    let others = all.filter(|matcher: &Arc<dyn Matcher>| matcher.name() != "paper");
    let paper = Terms::ALL.map(|terms| Arc::new(Paper::with_terms(terms)) as Arc<dyn Matcher>);
    paper.into_iter().chain(others).collect()
}

/// The terms of the paper that a matcher uses, if it follows the paper.
#[must_use]
pub fn terms(matcher: &dyn Matcher) -> Option<Terms> {
    recount::as_paper(matcher).map(|paper| paper.terms)
}

/// Matches, and asserts everything that holds of every result.
///
/// # Panics
/// When the matcher fails or something does not hold.
#[must_use]
pub fn checked(matcher: &dyn Matcher, task: &Task<'_>) -> Matching {
    let matching = matcher.run(task, &Monitor::silent());
    let matching = matching.unwrap_or_else(|error| panic!("{matcher:?}: {error}"));
    assert_matching(matcher, &matching, task);
    matching
}

/// Whether a parameter that only some matchers have is set.
fn is_set(matcher: &dyn Matcher, parameter: &str) -> bool {
    let parameters = matcher.parameters();
    parameters.get(parameter).and_then(|value| value.as_bool()) == Some(true)
}

/// What [`assert_sound`] asks of a result that nothing stopped, the objective what a recount gives, and
/// written it can be read.
///
/// # Panics
/// When one of these does not hold.
pub fn assert_matching(matcher: &dyn Matcher, matching: &Matching, task: &Task<'_>) {
    assert_sound(matcher, matching, task);
    let interrupted = matching.status.was_interrupted();
    assert!(!interrupted, "{matcher:?}: nothing stopped it");
    assert_recounted(matcher, matching, task);
    assert_written(matching, task.graphs());
}

/// One-to-one, everything matched or listed as unmatched, hard anchors kept, confidences
/// probabilities.
///
/// # Panics
/// When one of these does not hold.
#[track_caller]
pub fn assert_sound(matcher: &dyn Matcher, matching: &Matching, task: &Task<'_>) {
    let name = format!("{matcher:?}");
    let ([source, target], anchors) = (task.graphs(), task.anchors());
    let mut sources: Vec<_> = matching.pairs.iter().map(|p| p.source).collect();
    let mut targets: Vec<_> = matching.pairs.iter().map(|p| p.target).collect();
    assert!(
        sources.is_sorted(),
        "{name}: pairs in the order of the source"
    );
    sources.extend(&matching.unmatched_source);
    targets.extend(&matching.unmatched_target);
    sources.sort_unstable();
    targets.sort_unstable();
    assert!(
        sources.into_iter().eq(0..source.node_count()),
        "{name}: every source node once"
    );
    assert!(
        targets.into_iter().eq(0..target.node_count()),
        "{name}: every target node once"
    );
    for pair in &matching.pairs {
        assert!((0.0..=1.0).contains(&pair.confidence), "{name}: {pair:?}");
        assert!(!pair.anchor || pair.confidence == 1.0, "{name}: {pair:?}");
    }
    let kept: Vec<_> = matching.pairs.iter().filter(|pair| pair.anchor).collect();
    let given = |s, t| anchors.hard().contains(&(s, t));
    assert!(
        kept.iter().all(|pair| given(pair.source, pair.target)),
        "{name}: only anchors"
    );
    if !is_set(matcher, "repair_anchors") {
        assert_eq!(
            kept.len(),
            anchors.hard().len(),
            "{name}: hard anchors are kept"
        );
    }
    if !is_set(matcher, "allow_unmatched") {
        let smaller = source.node_count().min(target.node_count());
        assert_eq!(
            matching.pairs.len(),
            smaller,
            "{name}: the smaller side is matched"
        );
    }
    assert!(
        matching.objective.is_finite(),
        "{name}: {}",
        matching.objective
    );
}

/// A result as bytes, without its timings: equal for equal results, and only for them.
///
/// # Panics
/// When the result has no JSON.
#[must_use]
pub fn bytes_of(mut matching: Matching) -> Vec<u8> {
    matching.timings.clear();
    let samples = format!("{:?}", matching.samples);
    let bits: Vec<u64> = matching
        .pairs
        .iter()
        .map(|p| p.confidence.to_bits())
        .collect();
    let mut bytes = serde_json::to_vec(&matching).expect("a matching has a JSON");
    bytes.extend(format!("{:x} {bits:x?}", matching.objective.to_bits()).bytes());
    bytes.extend(samples.bytes());
    bytes
}

/// Whether the objective is that of the pairs, or of a part of them that the method then filled up.
fn assert_recounted(matcher: &dyn Matcher, matching: &Matching, task: &Task<'_>) {
    let pairs: Vec<_> = matching
        .pairs
        .iter()
        .map(|p| (p.source, p.target))
        .collect();
    let wanted = if let Some(paper) = recount::as_paper(matcher) {
        recount::paper(&paper, task, &pairs).expect("the matcher had these parts")
    } else if let Some(best) = recount::as_best(matcher) {
        let mut notes = matching.notes.iter();
        let filled = notes.any(|note| note.text().contains("no partner"));
        let repaired = matching.anchor_report.iter().any(|check| check.demoted);
        let other = task.facts().similarity.is_some() || best.solver.is_some();
        if repaired || other || (filled && !best.allow_unmatched) {
            return;
        }
        recount::best(task, &pairs)
    } else {
        return;
    };
    let found = matching.objective;
    let slack = 1e-6 * (1.0 + wanted.abs());
    assert!(
        (found - wanted).abs() <= slack,
        "{matcher:?}: the objective {found} is {wanted} when counted again"
    );
}

fn assert_written(matching: &Matching, [source, target]: [&Graph; 2]) {
    let (names, others) = (source.labels(), target.labels());
    let mut table = Vec::new();
    write_matching_csv(&mut table, matching, names, others).expect("memory takes it");
    let read = read_pairs_from(&table[..], "a.csv").expect("a matching reads as pairs");
    let again = read
        .indices(source, target)
        .expect("its ids are the graphs'");
    assert!(
        again
            .into_iter()
            .eq(matching.pairs.iter().map(|p| (p.source, p.target)))
    );
    let weights = read.rows.iter().map(|row| row.weight);
    assert!(weights.eq(matching.pairs.iter().map(|p| Some(p.confidence))));

    let mut text = Vec::new();
    write_matching_json(&mut text, matching, names, others, None).expect("memory takes it");
    let json: serde_json::Value = serde_json::from_slice(&text).expect("JSON");
    assert_eq!(
        json["pairs"].as_array().map(Vec::len),
        Some(matching.pairs.len())
    );
    assert_eq!(json["objective"].as_f64(), Some(matching.objective));
    let alone = json["unmatched_source"].as_array().map(Vec::len);
    assert_eq!(alone, Some(matching.unmatched_source.len()));
}
