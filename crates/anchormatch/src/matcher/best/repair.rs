//! Anchors that disagree with the rest become soft ones, and the chain is run again.

use super::Best;
use super::thresholds::{REPAIR_ROUNDS, TRUST};
use crate::anchors::{Anchor, Anchors};
use crate::error::{Hint, Result};
use crate::graph::Graph;
use crate::matching::{AnchorCheck, Matching, Note};
use crate::monitor::Monitor;
use crate::task::Task;

/// Runs, makes suspicious anchors soft, and runs again; ends when none is left, at a limit, or after
/// [`REPAIR_ROUNDS`] runs.
pub(super) fn run_repaired(preset: &Best, task: &Task<'_>, monitor: &Monitor) -> Result<Matching> {
    let (anchors, graphs) = (task.anchors(), task.graphs());
    let mut demoted: Vec<AnchorCheck> = Vec::new();
    for round in 1.. {
        let kept = anchors.iter().map(|anchor| Anchor {
            weight: if demoted.iter().any(|check| names(check, &anchor)) {
                TRUST
            } else {
                anchor.weight
            },
            ..anchor
        });
        let kept = Anchors::new(graphs[0], graphs[1], kept)?.with_alone_of(anchors);
        let mut matching = preset.run_once(&task.with_anchors(kept)?, monitor)?;
        let suspicious = matching.anchor_report.iter().copied();
        let suspicious: Vec<_> = suspicious.filter(AnchorCheck::is_suspicious).collect();
        if suspicious.is_empty() || round == REPAIR_ROUNDS || monitor.interrupted().is_some() {
            report_demoted(&mut matching, anchors, &demoted, graphs);
            return Ok(matching);
        }
        demoted.extend(suspicious.into_iter().map(|check| AnchorCheck {
            demoted: true,
            ..check
        }));
    }
    unreachable!("the last round returns")
}

fn names(check: &AnchorCheck, anchor: &Anchor) -> bool {
    anchor.weight == 1.0 && (check.source, check.target) == (anchor.source, anchor.target)
}

/// Says which anchors disagree with the rest.
pub(super) fn note_suspicious(matching: &mut Matching, graphs: [&Graph; 2]) {
    let suspicious = matching.anchor_report.iter().filter(|c| c.is_suspicious());
    let notes =
        suspicious.map(|check| Note::hinting(disagreement(check, graphs), &[Hint::RepairAnchors]));
    matching.notes.extend(notes);
}

/// Puts the demoted anchors back into the report, in the order in which they were given.
fn report_demoted(
    matching: &mut Matching,
    anchors: &Anchors,
    demoted: &[AnchorCheck],
    graphs: [&Graph; 2],
) {
    for check in demoted {
        let back = matching.mapping().get(&check.source) == Some(&check.target);
        let end = if back {
            "it became a soft anchor, and the pair came back"
        } else {
            "it became a soft anchor"
        };
        let note = format!("{}; {end}", disagreement(check, graphs));
        matching.notes.push(note.into());
    }
    matching.anchor_report.extend_from_slice(demoted);
    let place = |check: &AnchorCheck| {
        let pair = (check.source, check.target);
        anchors.hard().iter().position(|&anchor| anchor == pair)
    };
    matching.anchor_report.sort_by_key(place);
}

fn disagreement(check: &AnchorCheck, [source, target]: [&Graph; 2]) -> String {
    let wanted = match check.preferred {
        Some(partner) if partner != check.target => {
            format!(", which prefers `{}`", target.labels().get(partner))
        }
        Some(_) => String::new(),
        None => ", which leaves it alone".to_owned(),
    };
    format!(
        "anchor `{}` → `{}` disagrees with the rest of the evidence{wanted} (suspicion {:.2})",
        source.labels().get(check.source),
        target.labels().get(check.target),
        check.suspicion,
    )
}
