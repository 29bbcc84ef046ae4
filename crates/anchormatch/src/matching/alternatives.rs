//! Who else could be the partner of a node, and how probable that is.
//!
//! A confidence says how sure a pair is, and not where the rest of the probability went. Here each source node
//! has a short list of candidates, the most probable first, its partner among them; a report shows it, and a
//! person who doubts a pair knows where to look.

use serde::{Serialize, Serializer};

/// A target node that may be the partner, and its posterior probability.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Alternative {
    /// Node of the target graph.
    pub target: usize,
    /// Between 0 and 1.
    pub probability: f64,
}

/// The likeliest partners of every source node; a node that an anchor fixes has none.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Alternatives {
    /// Where the list of each node ends.
    ends: Vec<usize>,
    /// All lists, one after the other.
    entries: Vec<Alternative>,
    /// The probability that a node has no partner; empty when all have one.
    alone: Vec<f64>,
}

impl Alternatives {
    /// Candidates that are kept of each node: its partner and three more.
    pub const KEPT: usize = 4;

    /// The lists of all source nodes, in their order: the [`KEPT`](Self::KEPT) most probable (target, probability)
    /// of each, the lower target first among equals. Probabilities that are not above 0 are left out.
    ///
    /// # Complexity
    /// O(k log k) for a list of k candidates; memory for those that are kept.
    pub fn new<L>(lists: impl IntoIterator<Item = L>) -> Self
    where
        L: IntoIterator<Item = (usize, f64)>,
    {
        Self::of_most(Self::KEPT, lists)
    }

    /// As [`new`](Self::new) with at most `most` candidates of each node.
    pub fn of_most<L>(most: usize, lists: impl IntoIterator<Item = L>) -> Self
    where
        L: IntoIterator<Item = (usize, f64)>,
    {
        Self::beside(most, lists, |_| None)
    }

    /// As [`of_most`](Self::of_most), the partner that each node was given among them wherever it was listed: of many that are
    /// equally probable the lower ones would push it out.
    pub fn beside<L>(
        most: usize,
        lists: impl IntoIterator<Item = L>,
        partner: impl Fn(usize) -> Option<usize>,
    ) -> Self
    where
        L: IntoIterator<Item = (usize, f64)>,
    {
        let (mut ends, mut entries) = (Vec::new(), Vec::new());
        let mut list: Vec<Alternative> = Vec::new();
        for (source, candidates) in lists.into_iter().enumerate() {
            list.clear();
            let some = candidates.into_iter().filter(|(_, p)| *p > 0.0);
            list.extend(some.map(|(target, probability)| Alternative {
                target,
                probability: probability.min(1.0),
            }));
            list.sort_by(|x, y| {
                let likelier = y.probability.total_cmp(&x.probability);
                likelier.then(x.target.cmp(&y.target))
            });
            let partner = partner(source);
            let place = list.iter().position(|other| Some(other.target) == partner);
            if let Some(place) = place.filter(|place| *place >= most && most > 0) {
                list.swap(most - 1, place);
            }
            entries.extend(list.iter().take(most));
            ends.push(entries.len());
        }
        Self {
            ends,
            entries,
            alone: Vec::new(),
        }
    }

    /// With the probability that each node has no partner.
    #[must_use]
    pub fn with_alone(self, alone: Vec<f64>) -> Self {
        Self { alone, ..self }
    }

    /// The probability that a source node has no partner, as far as that is possible.
    #[must_use]
    pub fn alone(&self, source: usize) -> f64 {
        self.alone.get(source).copied().unwrap_or(0.0)
    }

    /// Source nodes that have a list, be it empty.
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.ends.len()
    }

    /// The candidates of a source node, the most probable first; none for a node that is not there.
    #[must_use]
    pub fn of(&self, source: usize) -> &[Alternative] {
        let Some(&end) = self.ends.get(source) else {
            return &[];
        };
        let start = match source {
            0 => 0,
            _ => self.ends[source - 1],
        };
        &self.entries[start..end]
    }

    /// The candidates of a source node and, as `None`, that it has no partner, each with its probability, the most
    /// probable first; what is less than 1 in 10⁴ is not worth a row, but for a candidate.
    pub fn ranked(&self, source: usize) -> impl Iterator<Item = (Option<usize>, f64)> + '_ {
        let list = self.of(source);
        let alone = self.alone(source);
        let place = list.partition_point(|other| other.probability >= alone);
        let none = (alone >= 1e-4).then_some((None, alone));
        let entry = |other: &Alternative| (Some(other.target), other.probability);
        let (before, after) = list.split_at(place);
        let before = before.iter().map(entry);
        before.chain(none).chain(after.iter().map(entry))
    }

    /// All candidates as (source, candidate), by source.
    pub fn iter(&self) -> impl Iterator<Item = (usize, &Alternative)> {
        (0..self.nodes()).flat_map(|i| self.of(i).iter().map(move |candidate| (i, candidate)))
    }
}

/// A list for each source node.
impl Serialize for Alternatives {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq((0..self.nodes()).map(|i| self.of(i)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_ranked_short_and_their_own() {
        let lists = [
            vec![(7, 0.1), (2, 0.5), (9, 0.1), (1, 0.05), (3, 0.2), (4, 0.0)],
            vec![],
            vec![(5, 1.0 + 1e-9), (6, f64::NAN)],
        ];
        let alternatives = Alternatives::new(lists);
        let of = |i: usize| -> Vec<(usize, f64)> {
            let list = alternatives.of(i).iter();
            list.map(|a| (a.target, a.probability)).collect()
        };
        assert_eq!(of(0), [(2, 0.5), (3, 0.2), (7, 0.1), (9, 0.1)]);
        assert_eq!(of(1), []);
        assert_eq!(of(2), [(5, 1.0)]);
        assert_eq!(of(3), []);
        assert_eq!(alternatives.nodes(), 3);
        let sources: Vec<usize> = alternatives.iter().map(|(i, _)| i).collect();
        assert_eq!(sources, [0, 0, 0, 0, 2]);
        let json = serde_json::to_value(&alternatives).unwrap();
        assert_eq!(json[2].to_string(), r#"[{"target":5,"probability":1.0}]"#);
        assert_eq!(json.as_array().map(Vec::len), Some(3));
    }

    #[test]
    fn the_partner_is_among_equals() {
        let leaves = |_: usize| (0..20).map(|target| (target, 0.05));
        let lists = Alternatives::beside(4, (0..3).map(leaves), |source| {
            [Some(17), Some(2), None][source]
        });
        let of = |i: usize| -> Vec<usize> { lists.of(i).iter().map(|a| a.target).collect() };
        assert_eq!(of(0), [0, 1, 2, 17]);
        assert_eq!(of(1), [0, 1, 2, 3]);
        assert_eq!(of(2), [0, 1, 2, 3]);
        // Who is not listed is not made up, and none is asked for none.
        let one = Alternatives::beside(1, [vec![(3, 0.5), (4, 0.2)]], |_| Some(9));
        assert_eq!(one.of(0)[0].target, 3);
        assert!(
            Alternatives::beside(0, (0..1).map(leaves), |_| Some(9))
                .of(0)
                .is_empty()
        );
    }
}
