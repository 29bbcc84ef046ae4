//! A finished match as the page takes it.

use std::collections::{HashMap, HashSet};

use anchormatch::Matching;
use anchormatch_report::Standing;
use serde_json::{Value, json};

use crate::decisions::{Decided, Which};
use crate::near::Partners;

/// Graphs of up to so many nodes together are sent with the event of their match.
const TOGETHER: usize = 2_000;

/// How long a match took, in seconds: until it was begun, after its change came in, and by itself.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Times {
    pub(crate) waited: f64,
    pub(crate) seconds: f64,
}

/// The last finished match.
#[derive(Debug)]
pub(crate) struct Answer {
    /// Counts finished matches.
    pub(crate) number: u64,
    /// The change after which it was begun.
    pub(crate) change: u64,
    /// Whether a better one is on its way.
    pub(crate) quick: bool,
    pub(crate) matching: Matching,
    pub(crate) partners: Partners,
    pub(crate) times: Times,
    standing: [Vec<u8>; 2],
    suspicion: HashMap<usize, (f64, Option<usize>)>,
}

impl Answer {
    pub(crate) fn new(
        (number, change): (u64, u64),
        quick: bool,
        matching: Matching,
        decided: &Decided,
        sizes: [usize; 2],
        times: Times,
    ) -> Self {
        let mut standing = sizes.map(|n| vec![Standing::Unmatched as u8; n]);
        // What chance could explain is no witness against what a person said.
        let is_witness = matching.trust.beyond_chance.is_none_or(|nats| nats >= 0.0);
        let checks = matching.anchor_report.iter();
        let suspicion: HashMap<usize, (f64, Option<usize>)> = checks
            .filter(|check| is_witness && check.is_suspicious())
            .map(|check| (check.source, (check.suspicion, check.preferred)))
            .collect();
        let suspicious: HashSet<usize> = suspicion.keys().copied().collect();
        for pair in &matching.pairs {
            let of = Standing::of(pair, &suspicious);
            standing[0][pair.source] = of as u8;
            standing[1][pair.target] = of as u8;
        }
        for which in [Which::Source, Which::Target] {
            for &node in decided.alone(which) {
                standing[which.number()][node] = Standing::Alone as u8;
            }
        }
        let partners = Partners::of(&matching, sizes);
        Self {
            number,
            change,
            quick,
            matching,
            partners,
            times,
            standing,
            suspicion,
        }
    }

    /// The expected number of pairs that are right, and how many there are.
    pub(crate) fn expected(&self) -> (f64, usize) {
        let pairs = &self.matching.pairs;
        (pairs.iter().map(|pair| pair.confidence).sum(), pairs.len())
    }

    /// Why an anchor is suspicious: the probability that it is wrong, and where its node would go.
    pub(crate) fn suspicion(&self, source: usize) -> Option<(f64, Option<usize>)> {
        self.suspicion.get(&source).copied()
    }

    /// What the page says of the match as a whole.
    pub(crate) fn summary(&self) -> Value {
        let mut counts = [0usize; 6];
        for &standing in &self.standing[0] {
            counts[usize::from(standing)] += 1;
        }
        let (expected, pairs) = self.expected();
        let regime = self.matching.parameters.iter();
        let regime = regime
            .filter(|(name, _)| name == "regime")
            .map(|(_, v)| v)
            .next();
        let notes: Vec<String> = self
            .matching
            .notes
            .iter()
            .map(ToString::to_string)
            .collect();
        json!({
            "number": self.number,
            "change": self.change,
            "quick": self.quick,
            "pairs": pairs,
            "expected": expected,
            "counts": counts,
            "unmatched": [self.matching.unmatched_source.len(), self.matching.unmatched_target.len()],
            "waited": self.times.waited,
            "seconds": self.times.seconds,
            "status": self.matching.status.as_str(),
            "regime": regime,
            "model": self.matching.model.first().map(|m| json!({
                "family": m.family, "probability": m.probability,
            })),
            "notes": notes,
        })
    }

    /// The arrays of a match of small graphs, to go with its event: then a page need not ask for them.
    pub(crate) fn arrays(&self) -> Option<Value> {
        let nodes: usize = self.standing.iter().map(Vec::len).sum();
        let partners = self.partners.of_source.iter();
        let partners = partners.map(|partner| partner.map_or(-1, |t| t as i64));
        (nodes <= TOGETHER).then(|| {
            json!({
                "partner": partners.collect::<Vec<_>>(),
                "confidence": self.partners.confidence,
                "standing": self.standing,
            })
        })
    }

    /// The arrays of the page: the number of the match, the sizes; partners (−1 for none) and confidences of source
    /// nodes; and the standing of all nodes, a byte each.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let (n, m) = (self.standing[0].len(), self.standing[1].len());
        let mut bytes = Vec::with_capacity(12 + 9 * n + m);
        for value in [self.number, n as u64, m as u64] {
            bytes.extend((value as u32).to_le_bytes());
        }
        for partner in &self.partners.of_source {
            let number = partner.map_or(-1, |t| t as i32);
            bytes.extend(number.to_le_bytes());
        }
        for confidence in &self.partners.confidence {
            bytes.extend((*confidence as f32).to_le_bytes());
        }
        bytes.extend(&self.standing[0]);
        bytes.extend(&self.standing[1]);
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anchormatch::matcher::{Best, Matcher};
    use anchormatch::{Anchors, Graph, Monitor, Task};

    #[test]
    fn every_node_has_a_standing() {
        let edges: Vec<_> = (1..8).map(|i| (i - 1, i, i as f64)).collect();
        let graph = Graph::from_edges(8, &edges).unwrap();
        let anchors = Anchors::from_indices(&graph, &graph, &[(0, 0), (4, 4)]).unwrap();
        let anchors = anchors.with_alone([&graph, &graph], [7], []).unwrap();
        let task = Task::new(&graph, &graph, &anchors).unwrap();
        let matching = Best::default().run(&task, &Monitor::silent()).unwrap();
        let decided = Decided::of(&anchors);
        let (waited, seconds) = (0.01, 0.1);
        let times = Times { waited, seconds };
        let answer = Answer::new((3, 1), false, matching, &decided, [8, 8], times);
        let bytes = answer.bytes();
        assert_eq!(bytes.len(), 12 + 8 * 9 + 8);
        assert_eq!(bytes[12 + 64], Standing::Anchor as u8);
        assert_eq!(bytes[12 + 64 + 7], Standing::Alone as u8);
        assert_eq!(bytes[12 + 64 + 8 + 4], Standing::Anchor as u8);
        let arrays = answer.arrays().unwrap();
        assert_eq!(arrays["partner"][4], 4);
        assert_eq!(arrays["partner"][7], -1);
        assert_eq!(arrays["confidence"][4], 1.0);
        assert_eq!(arrays["standing"][0][7], Standing::Alone as u8);
        let summary = answer.summary();
        let counts = summary["counts"].as_array().unwrap();
        let total: u64 = counts.iter().map(|c| c.as_u64().unwrap()).sum();
        assert_eq!((total, summary["number"].as_u64()), (8, Some(3)));
    }
}
