//! Nodes that are points: matched by the map between them, or by distances alone.
//!
//! [`match_points`] finds the family of maps, its parameters and the probabilities of pairs. Where it finds
//! nothing credible, or is told not to look, the sets become complete graphs on their distances and go through
//! the chain of graphs; what that finds is a start for another look.

mod known;

use std::collections::HashMap;

use std::sync::Arc;

use self::known::Known;
use super::chance::Chance;
use super::thresholds::{LARGEST_DISTANCES, LEAST_GAIN, MAP_DECOYS, MOST_EXTRA, TRUST};
use super::{Best, Effort};
use crate::error::{Error, Hint, Result};
use crate::graph::{Graph, GraphBuilder};
use crate::linalg::Matrix;
use crate::matcher::{Log, Matcher, anchor_pairs, of_pairs};
use crate::matching::{Alternatives, AnchorCheck, Matching, Measure, Note, Pair, Samples, Trust};
use crate::monitor::Monitor;
use crate::points::{
    FittedFamily, PairEvidence, PointsModel, Posterior, Question, WITNESSES, are_quick,
    evidence_of_decoys, foretold, match_points,
};
use crate::solver::Status;
use crate::task::Task;

/// Matchings drawn for those who ask what to ask next.
const SAMPLES: usize = 200;

/// Times that attributes are fitted to what was found with them, at most.
const MOST_FITS: usize = 3;

pub(super) fn run(
    preset: &Best,
    task: &Task<'_>,
    points: &[Arc<Matrix>; 2],
    monitor: &Monitor,
) -> Result<Matching> {
    let facts = task.facts();
    let by_distances = preset.points_model == PointsModel::Distances || preset.solver.is_some();
    if by_distances {
        let free = [PointsModel::Auto, PointsModel::Distances];
        if !free.contains(&preset.points_model) {
            return Err(Error::parameter(
                "points_model",
                "with a solver",
                "auto or distances: a map is found by no solver of graphs",
            ));
        }
        return run_distances(preset, task, points, monitor);
    }
    let mut log = Log::default();
    log.parameter("preset", preset.name());
    let mut asked = false;
    let start = facts.start.as_ref().map(|pairs| {
        let pairs = pairs.iter().map(|&(i, a)| (i, a, 1.0));
        pairs.collect::<Vec<_>>()
    });
    // What follows makes more of a start than a longer search would, and of a few likely pairs than of all.
    let quick = Best {
        effort: Effort::Fast,
        allow_unmatched: true,
        ..preset.clone()
    };
    let [n, m] = points.each_ref().map(|points| points.rows() as f64);
    let extra = (n - m).abs() / n.max(m);
    let few = task.nodes() <= LARGEST_DISTANCES && extra <= MOST_EXTRA[0];
    let mut known = Known::of(task);
    let mut posterior = log.stage("points", monitor, |_| {
        let ask = || {
            if !few || preset.points_model != PointsModel::Auto || monitor.interrupted().is_some() {
                return Ok(None);
            }
            let found = run_distances(&quick, task, points, monitor)?;
            let pairs = found.pairs.iter();
            let pairs = pairs.map(|pair| (pair.source, pair.target, pair.confidence));
            let pairs = pairs.collect();
            asked = true;
            Ok(Some(pairs))
        };
        let evidence = known.clone().map(shared);
        let question = Question {
            known: evidence.as_ref(),
            given: start.as_deref(),
            ..question_of(preset, task, points)
        };
        match_points(&question, ask, monitor)
    })?;
    if asked && posterior.gain < LEAST_GAIN && extra <= MOST_EXTRA[1] {
        // The start was a quick one; who stays with distances gets all that they say.
        return run_distances(preset, task, points, monitor);
    }
    if let Some(known) = known.as_mut().filter(|known| known.has_models()) {
        posterior = log.stage("attributes", monitor, |_| {
            refine(preset, task, points, known, posterior, monitor)
        })?;
        let pairs = likely_pairs(task, &posterior)?;
        let pairs: Vec<(usize, usize)> = pairs.iter().map(|&(i, a, _)| (i, a)).collect();
        log.contributions(&known.contributions(&pairs));
    }
    let evidence = known.map(shared);
    let question = Question {
        known: evidence.as_ref(),
        given: start.as_deref(),
        quick: true,
        ..question_of(preset, task, points)
    };
    let chance = log.stage("chance", monitor, |_| {
        Ok(chance(task, &posterior, &question, monitor))
    })?;
    matching(preset, task, &posterior, chance, log, monitor)
}

/// What is asked of two tables of points of which nothing but the anchors is known.
fn question_of<'a>(
    preset: &Best,
    task: &'a Task<'_>,
    points: &'a [Arc<Matrix>; 2],
) -> Question<'a> {
    Question {
        points: [&points[0], &points[1]],
        anchors: task.anchors(),
        trust: TRUST,
        model: preset.points_model,
        known: None,
        given: None,
        again: false,
        seed: preset.seed,
        everybody: !preset.allow_unmatched,
        quick: preset.effort == Effort::Fast,
    }
}

/// Whether unrelated points would be matched as well, by the evidence and by what decoys lead to.
fn chance(
    task: &Task<'_>,
    posterior: &Posterior,
    question: &Question<'_>,
    monitor: &Monitor,
) -> Chance {
    let free = task.anchors().free_nodes(task.source(), task.target());
    let fewer = free.0.len().min(free.1.len());
    // Of all maps of all families, the best one has some evidence with points that are unrelated as well.
    let chance = Chance::of_maps(posterior.evidence, fewer);
    if !Chance::is_worth_decoys_of_maps(posterior.evidence) {
        return chance;
    }
    let mut others = Vec::new();
    let least = if are_quick(question, posterior) {
        MAP_DECOYS[2]
    } else {
        MAP_DECOYS[0]
    } as usize;
    for (first, last) in [0].into_iter().chain(MAP_DECOYS).zip(MAP_DECOYS) {
        match evidence_of_decoys(question, posterior, first..last, monitor) {
            Some(more) => others.extend(more),
            None if others.is_empty() => return chance,
            None => break,
        }
        let beside = chance.beside_decoys_of_maps(posterior.evidence, &others);
        if others.len() >= least && beside.is_plain_beside_maps(&others) {
            return beside;
        }
    }
    let beside = chance.beside_decoys_of_maps(posterior.evidence, &others);
    if !beside.is_worth_hiding_from_maps() {
        return beside;
    }
    match foretold(question, posterior, monitor) {
        Some(told) => beside.beside_foretold_by_maps(told),
        None => beside,
    }
}

fn shared(known: Known) -> Arc<dyn PairEvidence> {
    Arc::new(known)
}

/// The match again with what is known of pairs fitted to those that were found, until they stay.
fn refine(
    preset: &Best,
    task: &Task<'_>,
    points: &[Arc<Matrix>; 2],
    known: &mut Known,
    mut posterior: Posterior,
    monitor: &Monitor,
) -> Result<Posterior> {
    let mut pairs = likely_pairs(task, &posterior)?;
    for _ in 0..MOST_FITS {
        if monitor.interrupted().is_some() {
            break;
        }
        let found: Vec<(usize, usize)> = pairs.iter().map(|&(i, a, _)| (i, a)).collect();
        *known = known.fitted(&found);
        let evidence = shared(known.clone());
        let question = Question {
            known: Some(&evidence),
            given: Some(&pairs),
            again: true,
            ..question_of(preset, task, points)
        };
        posterior = match_points(&question, || Ok(None), monitor)?;
        let before = found;
        pairs = likely_pairs(task, &posterior)?;
        let stays = pairs.iter().map(|&(i, a, _)| (i, a)).eq(before);
        if stays {
            break;
        }
    }
    Ok(posterior)
}

/// Anchors, and the pairs that are likelier than not.
fn likely_pairs(task: &Task<'_>, posterior: &Posterior) -> Result<Vec<(usize, usize, f64)>> {
    let hard = task.anchors().hard().iter().map(|&(i, a)| (i, a, 1.0));
    let found = posterior.pairs(true)?;
    let found = found.into_iter().filter(|pair| pair.2 > 0.5);
    Ok(hard.chain(found).collect())
}

/// The chain of graphs over the distances of points.
fn run_distances(
    preset: &Best,
    task: &Task<'_>,
    points: &[Arc<Matrix>; 2],
    monitor: &Monitor,
) -> Result<Matching> {
    let needed = |points: &Matrix| {
        let n = points.rows() as u64;
        n.saturating_mul(n)
            .saturating_mul(GraphBuilder::EDGE_BYTES / 2)
    };
    monitor.reserve(
        "the distances among all points",
        needed(&points[0]).saturating_add(needed(&points[1])),
        &[Hint::MoreMemory, Hint::FewerPoints],
    )?;
    let complete = |points: &Matrix, graph: &Graph| {
        Graph::from_points(points)?.with_labels(graph.labels().clone())
    };
    let source = complete(&points[0], task.source())?;
    let target = complete(&points[1], task.target())?;
    let anchors = task.anchors();
    let mut distances = Task::new(&source, &target, anchors)?;
    if let Some(similarity) = &task.facts().similarity {
        distances = distances.with_similarity(Arc::clone(similarity))?;
    }
    if let Some(attributes) = &task.facts().attributes {
        distances = distances.with_attributes(Arc::clone(attributes))?;
    }
    if let Some(allowed) = &task.facts().allowed {
        distances = distances.with_allowed(Arc::clone(allowed))?;
    }
    if let Some(start) = &task.facts().start {
        distances = distances.with_start(start)?;
    }
    let mut matching = preset.run_graphs(&distances, monitor)?;
    let report = std::mem::take(&mut matching.anchor_report);
    matching.anchor_report = heard(report, matching.trust.beyond_chance.unwrap_or(0.0));
    let model = ("points model".to_owned(), "distances".to_owned());
    matching.parameters.push(model);
    Ok(matching)
}

fn matching(
    preset: &Best,
    task: &Task<'_>,
    posterior: &Posterior,
    chance: Chance,
    mut log: Log,
    monitor: &Monitor,
) -> Result<Matching> {
    let found = log.stage("matching", monitor, |_| {
        posterior.pairs(preset.allow_unmatched)
    })?;
    let mut pairs: Vec<Pair> = anchor_pairs(task).collect();
    pairs.extend(found.into_iter().map(|(source, target, confidence)| Pair {
        source,
        target,
        confidence: confidence.clamp(0.0, 1.0),
        anchor: false,
    }));
    describe(&mut log, posterior);
    let free = task.anchors().free_nodes(task.source(), task.target());
    chance.describe(&mut log);
    let weight = chance.weight_of_maps(posterior.probability_of_a_map());
    for pair in pairs.iter_mut().filter(|pair| !pair.anchor) {
        pair.confidence *= weight;
    }
    let weighted = |(a, p): (usize, f64)| (a, weight * p);
    let lists = posterior.candidates().map(|list| list.map(weighted));
    let partner: HashMap<usize, usize> = pairs
        .iter()
        .map(|pair| (pair.source, pair.target))
        .collect();
    let alternatives =
        Alternatives::beside(preset.top, lists, |source| partner.get(&source).copied());
    // Points may have no partner whether or not they are left alone.
    let listed = posterior.candidates().flatten();
    let partners = listed.map(|(_, p)| weight * p).sum();
    let samples = Samples {
        nodes: free.0,
        partners: posterior.samples(SAMPLES, preset.seed),
    };
    let status = match monitor.stopped() {
        Some(why) => why.into(),
        None => Status::Converged,
    };
    Ok(Matching {
        objective: posterior.evidence.max(0.0),
        status,
        iterations: posterior.climbs,
        model: posterior.families.clone(),
        alternatives: Some(alternatives),
        trust: Trust {
            beyond_chance: Some(chance.nats),
            partners: Some(partners),
            ..Trust::default()
        },
        samples,
        anchor_report: heard(checks(posterior), chance.nats),
        ..of_pairs(task, pairs, Measure::Evidence, Vec::new(), log)
    })
}

/// What is said of the anchors of points; nobody is accused where chance could explain the match, or where they are too
/// few: what may be wrong itself is no witness against anybody.
fn heard(mut report: Vec<AnchorCheck>, beyond_chance: f64) -> Vec<AnchorCheck> {
    if report.len() <= WITNESSES || beyond_chance < 0.0 {
        for check in report.iter_mut().filter(|check| !check.demoted) {
            check.suspicion = 1.0 - TRUST;
            check.score = (check.suspicion / TRUST).ln();
            check.preferred = Some(check.target);
        }
    }
    report
}

fn checks(posterior: &Posterior) -> Vec<AnchorCheck> {
    let doubts = posterior.anchor_doubts.iter();
    doubts
        .map(|doubt| AnchorCheck {
            source: doubt.source,
            target: doubt.target,
            score: (doubt.suspicion / (1.0 - doubt.suspicion)).ln(),
            suspicion: doubt.suspicion,
            preferred: doubt.preferred,
            demoted: false,
        })
        .collect()
}

/// Says which family it was, and what its map is.
fn describe(log: &mut Log, posterior: &Posterior) {
    let Some(best) = posterior.families.first() else {
        return;
    };
    log.parameter("points model", best.family.as_str());
    for family in &posterior.families {
        if family.probability > 0.001 {
            let name = format!("probability of {}", family.family.as_str());
            log.parameter(&name, format!("{:.3}", family.probability));
        }
    }
    log.parameter("transform", numbers(&best.transform));
    log.parameter("residual covariance", numbers(&best.covariance));
    log.parameter("expected pairs", format!("{:.1}", best.pairs));
    log.note(sentence(best));
}

fn sentence(best: &FittedFamily) -> Note {
    let percent = (100.0 * best.probability).floor();
    let spread = best.covariance.as_slice();
    let d = best.covariance.rows();
    let deviation = ((0..d).map(|k| spread[k * d + k]).sum::<f64>() / d as f64).sqrt();
    let (about, name) = (best.family.about(), best.family.as_str());
    Note::from(if best.probability < 0.5 {
        format!("points: no map is credible; the likeliest: {about} ({name}, {percent:.0} % sure)")
    } else {
        format!(
            "points: {about} ({name}, {percent:.0} % sure); partners lie about {} from where it puts them",
            three_digits(deviation)
        )
    })
}

/// A length in words: three decimals, or as many digits as mean something where it is large or small.
fn three_digits(length: f64) -> String {
    if length == 0.0 || (0.001..1e5).contains(&length) {
        format!("{length:.3}")
    } else {
        format!("{length:.2e}")
    }
}

fn numbers(matrix: &Matrix) -> String {
    let rows = (0..matrix.rows()).map(|i| {
        let row = matrix.row(i).iter().map(|x| format!("{x:.6}"));
        row.collect::<Vec<_>>().join(" ")
    });
    rows.collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accused(source: usize) -> AnchorCheck {
        AnchorCheck {
            source,
            target: source,
            score: 4.0,
            suspicion: 0.98,
            preferred: None,
            demoted: false,
        }
    }

    #[test]
    fn anchors_are_doubted_by_enough_others_and_by_more_than_chance() {
        for (anchors, beyond_chance, told) in [
            (1, 50.0, 0),
            (WITNESSES, 50.0, 0),
            (WITNESSES + 1, 50.0, WITNESSES + 1),
            (WITNESSES + 1, -0.1, 0),
        ] {
            let report = (0..anchors).map(accused).collect();
            let heard = heard(report, beyond_chance);
            assert_eq!(heard.len(), anchors);
            let accused = heard.iter().filter(|check| check.suspicion > 0.5);
            assert_eq!(accused.count(), told, "{anchors}");
        }
    }

    #[test]
    fn lengths_of_any_size_are_short() {
        let told = [0.0, 0.05612, 41.0, 5.5e8, 3e-9].map(three_digits);
        assert_eq!(told, ["0.000", "0.056", "41.000", "5.50e8", "3.00e-9"]);
    }

    #[test]
    fn a_first_impression_climbs_less() {
        // Points that have nothing to do with each other, for which a thorough search tries everything.
        let table = |seed: f64| {
            Matrix::from_fn(30, 2, |i, k| {
                (seed + 12.9898 * (2 * i + k) as f64).sin() * 43.0 % 1.0
            })
        };
        let points = [table(0.0), table(0.4)].map(Arc::new);
        let graph = Graph::from_edges(30, &[]).expect("nodes without edges");
        let task = Task::from_pairs(&graph, &graph, &[(0, 0), (17, 17)]).expect("a task");
        let task = task
            .with_points(Arc::clone(&points[0]), Arc::clone(&points[1]))
            .expect("points of both graphs");
        let climbs = |preset: Best| {
            let preset = preset.with_points_model(PointsModel::Views);
            let found = preset.run(&task, &Monitor::silent()).expect("a match");
            found.iterations
        };
        let (fast, best) = (climbs(Best::fast()), climbs(Best::default()));
        assert!(fast < best, "{fast} and {best}");
    }
}
