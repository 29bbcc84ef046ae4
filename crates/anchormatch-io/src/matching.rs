//! Results: a matching as CSV (`source,target,confidence`) or as one JSON document, in the ids of
//! the input.

use std::io::Write;

use anchormatch::graph::Labels;
use anchormatch::matching::{Alternatives, Matching, Score};
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};

use super::table::write_field;

/// Writes the pairs as `source,target,confidence` with a header.
///
/// # Errors
/// When `out` fails, or an id is empty or holds a line break.
///
/// # Panics
/// When the labels are not those of the graphs that were matched.
pub fn write_matching_csv(
    out: &mut (impl Write + ?Sized),
    matching: &Matching,
    source: &Labels,
    target: &Labels,
) -> std::io::Result<()> {
    writeln!(out, "source,target,confidence")?;
    for pair in &matching.pairs {
        write_field(out, &source.get(pair.source))?;
        out.write_all(b",")?;
        write_field(out, &target.get(pair.target))?;
        writeln!(out, ",{}", pair.confidence)?;
    }
    Ok(())
}

/// Writes the nodes without a partner as rows of [`write_matching_csv`] with an empty field, which say so
/// again when they are read as anchors.
///
/// # Errors
/// When `out` fails, or an id is empty or holds a line break.
///
/// # Panics
/// When the labels are not those of the graphs that were matched.
pub fn write_unmatched_csv(
    out: &mut (impl Write + ?Sized),
    matching: &Matching,
    source: &Labels,
    target: &Labels,
) -> std::io::Result<()> {
    for &node in &matching.unmatched_source {
        write_field(out, &source.get(node))?;
        writeln!(out, ",,")?;
    }
    for &node in &matching.unmatched_target {
        out.write_all(b",")?;
        write_field(out, &target.get(node))?;
        writeln!(out, ",")?;
    }
    Ok(())
}

/// Writes the likeliest partners of every source node as `source,rank,target,probability` with a header, the most
/// probable first; an empty target is the chance that there is none.
///
/// # Errors
/// When `out` fails, or an id is empty or holds a line break.
///
/// # Panics
/// When the labels are not those of the graphs that were matched.
pub fn write_alternatives_csv(
    out: &mut (impl Write + ?Sized),
    alternatives: &Alternatives,
    source: &Labels,
    target: &Labels,
) -> std::io::Result<()> {
    writeln!(out, "source,rank,target,probability")?;
    for i in 0..alternatives.nodes() {
        for (rank, (partner, probability)) in alternatives.ranked(i).enumerate() {
            write_field(out, &source.get(i))?;
            write!(out, ",{},", rank + 1)?;
            if let Some(a) = partner {
                write_field(out, &target.get(a))?;
            }
            writeln!(out, ",{probability}")?;
        }
    }
    Ok(())
}

/// Writes everything but the curves of the report as one JSON object, its keys always in one order.
///
/// Pairs whose partner is one of several that nothing tells apart say of how many, as `alike`; `beyond_chance` is in nats,
/// and `expected` has the precision and recall that the confidences promise. With a `score`, the keys `accuracy` and `recall` (null when nothing was asked), `precision`, `f1`, `hits_at_1` (where candidates are known), `right` and `asked` follow
/// `iterations`; anchors that were checked are listed in `anchor_report`. A number that is not finite is null.
///
/// # Errors
/// When `out` fails.
///
/// # Panics
/// When the labels are not those of the graphs that were matched.
pub fn write_matching_json(
    out: &mut (impl Write + ?Sized),
    matching: &Matching,
    source: &Labels,
    target: &Labels,
    score: Option<Score>,
) -> std::io::Result<()> {
    let document = Document {
        matching,
        source,
        target,
        score,
    };
    serde_json::to_writer_pretty(&mut *out, &document)?;
    writeln!(out)
}

struct Document<'a> {
    matching: &'a Matching,
    source: &'a Labels,
    target: &'a Labels,
    score: Option<Score>,
}

impl Serialize for Document<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let matching = self.matching;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("pairs", &Pairs(self))?;
        let alone = &matching.unmatched_source;
        map.serialize_entry("unmatched_source", &Ids(self.source, alone))?;
        let alone = &matching.unmatched_target;
        map.serialize_entry("unmatched_target", &Ids(self.target, alone))?;
        map.serialize_entry("objective", &matching.objective)?;
        map.serialize_entry("measure", matching.measure.as_str())?;
        map.serialize_entry("status", matching.status.as_str())?;
        map.serialize_entry("iterations", &matching.iterations)?;
        let mut parameters = matching.parameters.iter();
        if let Some((_, regime)) = parameters.find(|(name, _)| name == "regime") {
            map.serialize_entry("regime", regime)?;
        }
        if let Some(score) = self.score {
            map.serialize_entry("accuracy", &score.accuracy())?;
            map.serialize_entry("recall", &score.accuracy())?;
            map.serialize_entry("precision", &score.precision())?;
            map.serialize_entry("f1", &score.f1())?;
            if let Some(hits) = score.hits() {
                map.serialize_entry("hits_at_1", &hits)?;
            }
            map.serialize_entry("right", &score.right)?;
            map.serialize_entry("asked", &score.asked)?;
        }
        if let Some(nats) = matching.trust.beyond_chance {
            map.serialize_entry("beyond_chance", &nats)?;
        }
        if let Some(expected) = matching.expected() {
            map.serialize_entry("expected", &expected)?;
        }
        map.serialize_entry("notes", &matching.notes)?;
        if let Some(best) = matching.model.first() {
            map.serialize_entry("model", best)?;
            map.serialize_entry("models", &matching.model)?;
        }
        if !matching.anchor_report.is_empty() {
            map.serialize_entry("anchor_report", &Checks(self))?;
        }
        map.serialize_entry("parameters", &Entries(&matching.parameters))?;
        map.serialize_entry("timings", &Entries(&matching.timings))?;
        map.end()
    }
}

struct Pairs<'a>(&'a Document<'a>);

impl Serialize for Pairs<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(serde::Serialize)]
        struct NamedPair<'a> {
            source: &'a str,
            target: &'a str,
            confidence: f64,
            anchor: bool,
            #[serde(skip_serializing_if = "is_one")]
            alike: usize,
        }
        let pairs = &self.0.matching.pairs;
        let mut list = serializer.serialize_seq(Some(pairs.len()))?;
        for pair in pairs {
            list.serialize_element(&NamedPair {
                source: &self.0.source.get(pair.source),
                target: &self.0.target.get(pair.target),
                confidence: pair.confidence,
                anchor: pair.anchor,
                alike: self.0.matching.alike(pair),
            })?;
        }
        list.end()
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "what serde asks for")]
fn is_one(count: &usize) -> bool {
    *count == 1
}

struct Checks<'a>(&'a Document<'a>);

impl Serialize for Checks<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(serde::Serialize)]
        struct NamedCheck<'a> {
            source: &'a str,
            target: &'a str,
            score: f64,
            suspicion: f64,
            preferred: Option<&'a str>,
            demoted: bool,
        }
        let checks = &self.0.matching.anchor_report;
        let mut list = serializer.serialize_seq(Some(checks.len()))?;
        for check in checks {
            list.serialize_element(&NamedCheck {
                source: &self.0.source.get(check.source),
                target: &self.0.target.get(check.target),
                score: check.score,
                suspicion: check.suspicion,
                preferred: check.preferred.map(|a| self.0.target.get(a)).as_deref(),
                demoted: check.demoted,
            })?;
        }
        list.end()
    }
}

struct Ids<'a>(&'a Labels, &'a [usize]);

impl Serialize for Ids<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.1.iter().map(|&i| self.0.get(i)))
    }
}

/// A list of named values as an object that keeps their order.
struct Entries<'a, T>(&'a [(String, T)]);

impl<T: Serialize> Serialize for Entries<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anchormatch::matching::{AnchorCheck, Diagnostics, Pair, Samples, Trust};
    use anchormatch::solver::Status;

    fn matching() -> (Matching, Labels, Labels) {
        let pair = |source, target, confidence, anchor| Pair {
            source,
            target,
            confidence,
            anchor,
        };
        let matching = Matching {
            pairs: vec![pair(0, 1, 1.0, true), pair(1, 0, 0.25, false)],
            unmatched_source: vec![2],
            unmatched_target: vec![],
            objective: 1.5,
            measure: anchormatch::matching::Measure::default(),
            status: Status::TimeLimit,
            iterations: 7,
            notes: vec!["a \"note\"".into()],
            parameters: vec![("tau".into(), "1".into()), ("alpha".into(), "2".into())],
            timings: vec![("solve".into(), 0.5)],
            diagnostics: Diagnostics::default(),
            model: Vec::new(),
            alternatives: None,
            trust: Trust::default(),
            samples: Samples::default(),
            anchor_report: vec![],
        };
        let names = ["a,b", "\"c\"", "d"].map(String::from).to_vec();
        (matching, Labels::new(names).unwrap(), Labels::counted(1, 2))
    }

    #[test]
    fn csv_has_the_ids_of_the_input() {
        let (matching, source, target) = matching();
        let mut bytes = Vec::new();
        write_matching_csv(&mut bytes, &matching, &source, &target).unwrap();
        assert_eq!(
            String::from_utf8(bytes).unwrap(),
            "source,target,confidence\n\"a,b\",2,1\n\"\"\"c\"\"\",1,0.25\n"
        );
    }

    #[test]
    fn alternatives_are_ranked_and_none_is_one_of_them() {
        let (_, source, target) = matching();
        let lists = [vec![(0, 0.2), (1, 0.5)], vec![], vec![(1, 0.1)]];
        let alternatives = Alternatives::new(lists).with_alone(vec![0.3, 0.0, 0.9]);
        let mut bytes = Vec::new();
        write_alternatives_csv(&mut bytes, &alternatives, &source, &target).unwrap();
        assert_eq!(
            String::from_utf8(bytes).unwrap(),
            "source,rank,target,probability\n\"a,b\",1,2,0.5\n\"a,b\",2,,0.3\n\"a,b\",3,1,0.2\nd,1,,0.9\nd,2,2,0.1\n"
        );
    }

    #[test]
    fn rows_of_unmatched_nodes_have_an_empty_field() {
        let (mut matching, source, target) = matching();
        matching.unmatched_source.push(0);
        matching.unmatched_target.push(1);
        let mut bytes = Vec::new();
        write_unmatched_csv(&mut bytes, &matching, &source, &target).unwrap();
        assert_eq!(String::from_utf8(bytes).unwrap(), "d,,\n\"a,b\",,\n,2,\n");
    }

    #[test]
    fn json_has_every_key_in_one_order() {
        let (matching, source, target) = matching();
        let score = Score {
            asked: 4,
            right: 1,
            found: 2,
            first: Some(2),
        };
        let mut bytes = Vec::new();
        write_matching_json(&mut bytes, &matching, &source, &target, Some(score)).unwrap();
        let value: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
        let wanted = concat!(
            r#"{"pairs":[{"source":"a,b","target":"2","confidence":1.0,"anchor":true},"#,
            r#"{"source":"\"c\"","target":"1","confidence":0.25,"anchor":false}],"#,
            r#""unmatched_source":["d"],"unmatched_target":[],"objective":1.5,"measure":"affinity","#,
            r#""status":"time_limit","iterations":7,"accuracy":0.25,"recall":0.25,"precision":0.5,"f1":0.3333333333333333,"hits_at_1":0.5,"right":1,"asked":4,"#,
            r#""notes":["a \"note\""],"parameters":{"tau":"1","alpha":"2"},"#,
            r#""timings":{"solve":0.5}}"#
        );
        assert_eq!(value.to_string(), wanted);
    }

    #[test]
    fn checked_anchors_are_listed_by_their_ids() {
        let (mut matching, source, target) = matching();
        matching.anchor_report = vec![AnchorCheck {
            source: 0,
            target: 1,
            score: f64::NEG_INFINITY,
            suspicion: 0.0,
            preferred: Some(0),
            demoted: false,
        }];
        let mut bytes = Vec::new();
        write_matching_json(&mut bytes, &matching, &source, &target, None).unwrap();
        let value: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
        let wanted = concat!(
            r#"[{"source":"a,b","target":"2","score":null,"suspicion":0.0,"#,
            r#""preferred":"1","demoted":false}]"#
        );
        assert_eq!(value["anchor_report"].to_string(), wanted);
    }

    #[test]
    fn json_without_a_truth_has_no_accuracy_and_no_bad_number() {
        let (mut matching, source, target) = matching();
        matching.objective = f64::NAN;
        let mut bytes = Vec::new();
        write_matching_json(&mut bytes, &matching, &source, &target, None).unwrap();
        let value: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
        assert!(value.get("accuracy").is_none() && value["objective"].is_null());
    }
}
