//! Matchings of the presets.

use anchormatch::matcher::{Best, Paper, Terms};
use anchormatch::{Anchors, Graph, Matching, Monitor, Result};
use anchormatch_io::{read_pairs_from, write_matching_csv, write_matching_json};

use crate::recount;

/// A preset with its parameters.
#[derive(Debug, Clone)]
pub enum Preset {
    /// The paper's method with one of its variants.
    Paper(Paper),
    /// `best` or `fast`.
    Best(Best),
}

impl Preset {
    /// The six variants of the paper, best and fast.
    #[must_use]
    pub fn all() -> Vec<Self> {
        let paper = Terms::ALL.map(|terms| Self::Paper(Paper::with_terms(terms)));
        let others = [Best::default(), Best::fast()].map(Self::Best);
        paper.into_iter().chain(others).collect()
    }

    /// The preset's name and its variant.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Self::Paper(paper) => format!("paper {}", paper.terms),
            Self::Best(best) => format!("{best:?}"),
        }
    }

    /// Matches `source` to `target`.
    ///
    /// # Errors
    /// Those of the preset.
    pub fn run(
        &self,
        source: &Graph,
        target: &Graph,
        anchors: &Anchors,
        monitor: &Monitor,
    ) -> Result<Matching> {
        match self {
            Self::Paper(paper) => paper.run(source, target, anchors, monitor),
            Self::Best(best) => best.run(source, target, anchors, monitor),
        }
    }

    /// Matches, and asserts everything that holds of every result.
    ///
    /// # Panics
    /// When the preset fails or something does not hold.
    #[must_use]
    pub fn checked(&self, source: &Graph, target: &Graph, anchors: &Anchors) -> Matching {
        let matching = self.run(source, target, anchors, &Monitor::silent());
        let matching = matching.unwrap_or_else(|error| panic!("{}: {error}", self.name()));
        assert_matching(self, &matching, [source, target], anchors);
        matching
    }

    fn may_repair(&self) -> bool {
        matches!(self, Self::Best(best) if best.repair_anchors)
    }

    fn may_leave_alone(&self) -> bool {
        matches!(self, Self::Best(best) if best.allow_unmatched)
    }
}

/// One-to-one, everything matched or listed as unmatched, hard anchors kept, confidences
/// probabilities, the objective what a recount gives, and written it can be read.
///
/// # Panics
/// When one of these does not hold.
pub fn assert_matching(
    preset: &Preset,
    matching: &Matching,
    graphs: [&Graph; 2],
    anchors: &Anchors,
) {
    let name = preset.name();
    let [source, target] = graphs;
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
        sources.into_iter().eq(0..source.nodes()),
        "{name}: every source node once"
    );
    assert!(
        targets.into_iter().eq(0..target.nodes()),
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
    if !preset.may_repair() {
        assert_eq!(
            kept.len(),
            anchors.hard().len(),
            "{name}: hard anchors are kept"
        );
    }
    if !preset.may_leave_alone() {
        let smaller = source.nodes().min(target.nodes());
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
    assert!(
        !matching.status.was_interrupted(),
        "{name}: nothing stopped it"
    );
    assert_recounted(preset, matching, graphs, anchors);
    assert_written(matching, graphs);
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
fn assert_recounted(preset: &Preset, matching: &Matching, graphs: [&Graph; 2], anchors: &Anchors) {
    let pairs: Vec<_> = matching
        .pairs
        .iter()
        .map(|p| (p.source, p.target))
        .collect();
    let wanted = match preset {
        Preset::Paper(paper) => {
            recount::paper(paper, graphs, anchors, &pairs).expect("the matcher had these parts")
        }
        Preset::Best(best) => {
            let filled = matching
                .notes
                .iter()
                .any(|note| note.contains("no partner"));
            let repaired = matching.anchor_report.iter().any(|check| check.demoted);
            let other = best.node_similarity.is_some() || best.solver.is_some();
            if repaired || other || (filled && !best.allow_unmatched) {
                return;
            }
            recount::best(best, graphs, anchors, &pairs)
        }
    };
    let found = matching.objective;
    let slack = 1e-6 * (1.0 + wanted.abs());
    assert!(
        (found - wanted).abs() <= slack,
        "{}: the objective {found} is {wanted} when counted again",
        preset.name()
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
