//! What a node or a line says when it is pointed at: partners, confidences, and who else it could be.

use std::borrow::Cow;

use anchormatch::matching::{Alternatives, Pair};

use super::text::{count, number};
use super::{ScoredRun, Verdict, View};

/// Others that are named beside the partner.
const MOST_OTHERS: usize = 3;
/// Others below this probability are not named.
const LEAST_PROBABILITY: f64 = 0.001;
/// How it begins when nothing tells the partner from others.
const ONE_OF: &str = "one of ";

/// The words of a line.
pub(super) fn of_pair(view: &View<'_>, run: &ScoredRun<'_>, pair: &Pair) -> String {
    let mut text = format!(
        "{} → {}",
        view.source_label(pair.source),
        view.target_label(pair.target)
    );
    if pair.anchor {
        text.push_str(" · anchor");
    } else {
        text.push_str(" · confidence ");
        text.push_str(&number(pair.confidence, 3));
    }
    match view.verdict(pair) {
        Some(Verdict::Right) => text.push_str(" · right"),
        Some(Verdict::Wrong) => {
            text.push_str(" · wrong, the truth is ");
            if let Some(&a) = view.truth.as_ref().and_then(|t| t.get(&pair.source)) {
                text.push_str(&view.target_label(a));
            }
        }
        Some(Verdict::Open) => text.push_str(" · not in the truth"),
        None => {}
    }
    let others = others(view, run, pair.source, Some(pair.target));
    if !others.is_empty() {
        text.push_str(" · ");
        if !others.starts_with(ONE_OF) {
            text.push_str("or ");
        }
        text.push_str(&others);
    }
    text
}

/// Who else the partner of a source node could be: ids with probabilities, empty when nobody is known; and of how
/// many the partner is one whom nothing tells apart.
pub(super) fn others(
    view: &View<'_>,
    run: &ScoredRun<'_>,
    source: usize,
    partner: Option<usize>,
) -> String {
    let Some(alternatives) = &run.matching.alternatives else {
        return String::new();
    };
    let alike = partner.map_or(1, |a| run.matching.trust.orbits[1].alike(a));
    let alike = (alike > 1).then(|| format!("{ONE_OF}{} alike", count(alike)));
    let ranked = alternatives.ranked(source);
    let rest = ranked.filter(|(target, _)| target.is_none_or(|a| Some(a) != partner));
    // Who stays alone is said to be so anyway.
    let rest = rest.filter(|(target, _)| target.is_some() || partner.is_some());
    let rest = listed(rest, |a| {
        a.map_or("no partner".into(), |a| view.target_label(a))
    });
    let parts = alike.into_iter().chain((!rest.is_empty()).then_some(rest));
    parts.collect::<Vec<_>>().join(": ")
}

/// The words of a source node that stays alone.
pub(super) fn of_lone_source(view: &View<'_>, run: &ScoredRun<'_>, i: usize) -> String {
    alone(&view.source_label(i), &others(view, run, i, None))
}

/// The words of a target node that stays alone; `suitors` are those of [`suitors`].
pub(super) fn of_lone_target(view: &View<'_>, suitors: &[Vec<(usize, f64)>], a: usize) -> String {
    let some = suitors.get(a).into_iter().flatten().copied();
    alone(
        &view.target_label(a),
        &listed(some, |i| view.source_label(i)),
    )
}

/// For each target node, the source nodes that have it among their candidates, the most probable first.
pub(super) fn suitors(run: &ScoredRun<'_>, targets: usize) -> Vec<Vec<(usize, f64)>> {
    let mut suitors = vec![Vec::new(); targets];
    let all = run
        .matching
        .alternatives
        .iter()
        .flat_map(Alternatives::iter);
    for (i, candidate) in all {
        suitors[candidate.target].push((i, candidate.probability));
    }
    for list in &mut suitors {
        list.sort_by(|x, y| y.1.total_cmp(&x.1).then(x.0.cmp(&y.0)));
    }
    suitors
}

fn alone(label: &str, others: &str) -> String {
    if others.is_empty() {
        format!("{label} · unmatched")
    } else {
        format!("{label} · unmatched · perhaps {others}")
    }
}

fn listed<'a, N>(
    candidates: impl Iterator<Item = (N, f64)>,
    label: impl Fn(N) -> Cow<'a, str>,
) -> String {
    let likely = candidates.filter(|(_, probability)| *probability >= LEAST_PROBABILITY);
    let named = likely.take(MOST_OTHERS);
    let named = named.map(|(node, p)| format!("{} {}", label(node), number(p, 2)));
    named.collect::<Vec<_>>().join(", ")
}
