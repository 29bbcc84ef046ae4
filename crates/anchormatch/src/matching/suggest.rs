//! Which node to ask a person for next.
//!
//! Matchings drawn from the posterior say how nodes hang together. Were the partner of i known to be
//! a, the best guess for j would be right with probability max_b P(j→b | i→a); before asking, with
//! max_b P(j→b). The expected number of nodes that an answer sets right, i itself among them, is
//!
//! > gain(i) = Σ_j ( Σ_a P(i→a) max_b P(j→b | i→a) − max_b P(j→b) ),
//!
//! the value of the answer in the sense of Howard (*Information Value Theory*, 1966). For several
//! questions at once each is chosen given the answers to the ones before: the samples are divided by
//! the joint answer. A node that is alone counts as one whose partner is "none".

use std::collections::HashMap;

use rayon::prelude::*;

use super::{Matching, Samples};

/// Gains that differ by less are the same.
const TIE: f64 = 1e-9;

/// A source node worth asking for.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Suggestion {
    /// Node of the source graph.
    pub source: usize,
    /// The expected number of nodes, itself included, that its answer sets right after the answers
    /// to the suggestions before it.
    pub gain: f64,
}

impl Matching {
    /// The `count` source nodes whose partners would settle the most, best first; fewer when fewer
    /// are free.
    ///
    /// Where answers gain the same, the node of the lowest confidence comes first, then that of the
    /// lowest index. Without samples a node's gain is what its confidence lacks of 1.
    ///
    /// # Complexity
    /// O(d² S) a suggestion for S samples and d nodes on which they differ; O(d S) memory.
    #[must_use]
    pub fn suggest(&self, count: usize) -> Vec<Suggestion> {
        let table = Table::of(&self.samples);
        let mut open = self.open_nodes(&table);
        let mut told = Told::nothing(&table);
        let mut suggestions = Vec::with_capacity(count.min(open.len()));
        while suggestions.len() < count && !open.is_empty() {
            let gains: Vec<f64> = open
                .par_iter()
                .map_init(Scratch::default, |scratch, node| match node.row {
                    Some(row) => told.gain(&table, row, scratch),
                    None => node.doubt,
                })
                .collect();
            let most = gains.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let among = (0..open.len()).filter(|&k| gains[k] >= most - TIE);
            let lowest = among.min_by(|&k, &l| {
                let key = |k: usize| (open[k].confidence, open[k].source);
                let ((p, i), (q, j)) = (key(k), key(l));
                p.total_cmp(&q).then(i.cmp(&j))
            });
            let k = lowest.expect("a maximum is attained");
            let node = open.remove(k);
            if let Some(row) = node.row {
                told.tell(&table, row);
            }
            suggestions.push(Suggestion {
                source: node.source,
                gain: gains[k],
            });
        }
        suggestions
    }

    /// The source nodes that no anchor fixes.
    fn open_nodes(&self, table: &Table) -> Vec<Open> {
        let anchored = |node: &usize| self.pairs.iter().any(|p| p.anchor && p.source == *node);
        let mut confidence: HashMap<usize, f64> = HashMap::new();
        for pair in self.pairs.iter().filter(|pair| !pair.anchor) {
            confidence.insert(pair.source, pair.confidence);
        }
        let sampled = !self.samples.partners.is_empty();
        let mut open: Vec<Open> = Vec::new();
        if sampled {
            for (k, &source) in self.samples.nodes.iter().enumerate() {
                let row = table.place[k];
                let sure = row.map_or(1.0, |row| table.rows[row].most);
                open.push(Open {
                    source,
                    confidence: confidence.get(&source).copied().unwrap_or(sure),
                    row,
                    doubt: 0.0,
                });
            }
        } else {
            let alone = self.unmatched_source.iter().map(|&source| (source, 0.0));
            let matched = confidence.iter().map(|(&source, &c)| (source, c));
            for (source, confidence) in matched.chain(alone) {
                open.push(Open {
                    source,
                    confidence,
                    row: None,
                    doubt: 1.0 - confidence,
                });
            }
        }
        open.retain(|node| !anchored(&node.source));
        open.sort_unstable_by_key(|node| node.source);
        open
    }
}

/// A node that can be asked for.
struct Open {
    source: usize,
    confidence: f64,
    /// Its row in the table when the samples differ on it.
    row: Option<usize>,
    /// What it gains when they do not.
    doubt: f64,
}

/// The samples of the nodes on which they differ, by node.
struct Table {
    rows: Vec<Row>,
    /// For each of the samples' nodes, its row.
    place: Vec<Option<usize>>,
    samples: usize,
}

struct Row {
    /// Which of the node's partners each sample has, counted from 0 as they appear.
    answers: Vec<u32>,
    partners: usize,
    /// The share of the most frequent one.
    most: f64,
}

impl Table {
    fn of(samples: &Samples) -> Self {
        let mut table = Self {
            rows: Vec::new(),
            place: Vec::with_capacity(samples.nodes.len()),
            samples: samples.partners.len(),
        };
        let mut numbers: HashMap<Option<u32>, u32> = HashMap::new();
        let mut counts: Vec<usize> = Vec::new();
        for k in 0..samples.nodes.len() {
            numbers.clear();
            counts.clear();
            let answers: Vec<u32> = samples
                .partners
                .iter()
                .map(|sample| {
                    let next = numbers.len() as u32;
                    let partner = sample.get(k).copied().flatten();
                    let number = *numbers.entry(partner).or_insert(next);
                    if number == next {
                        counts.push(0);
                    }
                    counts[number as usize] += 1;
                    number
                })
                .collect();
            table.place.push((counts.len() > 1).then(|| {
                let most = counts.iter().copied().max().unwrap_or(0);
                table.rows.push(Row {
                    answers,
                    partners: counts.len(),
                    most: most as f64 / table.samples as f64,
                });
                table.rows.len() - 1
            }));
        }
        table
    }
}

/// What the answers so far leave open.
struct Told {
    /// The samples, those with the same joint answer together.
    order: Vec<u32>,
    /// Where the joint answer changes, 0 first and S last.
    bounds: Vec<usize>,
    /// For each row, how often its best guess given the answers is right, in samples; S once told.
    right: Vec<usize>,
}

/// Memory for judging one question.
#[derive(Default)]
struct Scratch {
    order: Vec<u32>,
    bounds: Vec<usize>,
    counts: Vec<usize>,
}

impl Told {
    fn nothing(table: &Table) -> Self {
        let right = |row: &Row| (row.most * table.samples as f64).round() as usize;
        Self {
            order: (0..table.samples as u32).collect(),
            bounds: vec![0, table.samples],
            right: table.rows.iter().map(right).collect(),
        }
    }

    /// The expected number of nodes set right by the partner of `asked`.
    fn gain(&self, table: &Table, asked: usize, scratch: &mut Scratch) -> f64 {
        self.divide(&table.rows[asked], scratch);
        let mut more = table.samples - self.right[asked];
        for (j, row) in table.rows.iter().enumerate() {
            if j != asked && self.right[j] < table.samples {
                // A division never makes the best guesses worse.
                more += scratch.right(row) - self.right[j];
            }
        }
        more as f64 / table.samples as f64
    }

    /// Takes the partner of `asked` as told.
    fn tell(&mut self, table: &Table, asked: usize) {
        let mut scratch = Scratch::default();
        self.divide(&table.rows[asked], &mut scratch);
        for (row, right) in table.rows.iter().zip(&mut self.right) {
            if *right < table.samples {
                *right = scratch.right(row);
            }
        }
        self.right[asked] = table.samples;
        self.order = scratch.order;
        self.bounds = scratch.bounds;
    }

    /// Divides every class of samples by the answers to one more question.
    fn divide(&self, asked: &Row, scratch: &mut Scratch) {
        let Scratch {
            order,
            bounds,
            counts,
        } = scratch;
        order.clear();
        order.resize(self.order.len(), 0);
        bounds.clear();
        bounds.push(0);
        for class in self.bounds.windows(2) {
            let members = &self.order[class[0]..class[1]];
            // Counting sort: how many have each answer, then where they begin.
            counts.clear();
            counts.resize(asked.partners, 0);
            for &s in members {
                counts[asked.answers[s as usize] as usize] += 1;
            }
            let mut begin = class[0];
            for count in counts.iter_mut() {
                let size = std::mem::replace(count, begin);
                begin += size;
                if size > 0 {
                    bounds.push(begin);
                }
            }
            for &s in members {
                let place = &mut counts[asked.answers[s as usize] as usize];
                order[*place] = s;
                *place += 1;
            }
        }
    }
}

impl Scratch {
    /// In how many samples the best guess for a node is right, one guess for each class.
    fn right(&mut self, row: &Row) -> usize {
        self.counts.clear();
        self.counts.resize(row.partners, 0);
        let mut right = 0;
        for class in self.bounds.windows(2) {
            let members = &self.order[class[0]..class[1]];
            let mut most = 0;
            for &s in members {
                let count = &mut self.counts[row.answers[s as usize] as usize];
                *count += 1;
                most = most.max(*count);
            }
            right += most;
            for &s in members {
                self.counts[row.answers[s as usize] as usize] = 0;
            }
        }
        right
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matching::{Diagnostics, Pair};
    use crate::solver::Status;
    use proptest::prelude::*;

    /// A matching whose confidences are the samples' shares, node 0 an anchor.
    fn matching(partners: Vec<Vec<Option<u32>>>) -> Matching {
        let nodes: Vec<usize> = (1..=partners[0].len()).collect();
        let mut pairs = vec![Pair {
            source: 0,
            target: 0,
            confidence: 1.0,
            anchor: true,
        }];
        let mut unmatched_source = vec![];
        for (k, &source) in nodes.iter().enumerate() {
            let count = partners.iter().filter(|s| s[k] == partners[0][k]).count();
            match partners[0][k] {
                Some(target) => pairs.push(Pair {
                    source,
                    target: target as usize,
                    confidence: count as f64 / partners.len() as f64,
                    anchor: false,
                }),
                None => unmatched_source.push(source),
            }
        }
        Matching {
            pairs,
            unmatched_source,
            unmatched_target: vec![],
            objective: 0.0,
            status: Status::Converged,
            iterations: 1,
            notes: vec![],
            parameters: vec![],
            timings: vec![],
            diagnostics: Diagnostics::default(),
            samples: Samples { nodes, partners },
            anchor_report: vec![],
        }
    }

    /// Σ_j E max_b P(j→b | the partners of `asked`), from the definition; the asked are known.
    fn expected_right(partners: &[Vec<Option<u32>>], asked: &[usize]) -> f64 {
        let total = partners.len() as f64;
        let answer = |s: &Vec<Option<u32>>| asked.iter().map(|&i| s[i]).collect::<Vec<_>>();
        let mut answers: Vec<_> = partners.iter().map(answer).collect();
        answers.sort();
        answers.dedup();
        let mut sum = 0.0;
        for a in answers {
            let class: Vec<_> = partners.iter().filter(|s| answer(s) == a).collect();
            for j in 0..partners[0].len() {
                let best = class
                    .iter()
                    .map(|s| class.iter().filter(|t| t[j] == s[j]).count())
                    .max()
                    .unwrap();
                let conditional = best as f64 / class.len() as f64;
                sum += class.len() as f64 / total * conditional;
            }
        }
        sum
    }

    #[test]
    fn the_node_that_settles_others_comes_first() {
        // Nodes 1 and 2 swap together, in half of the samples; node 3 goes its own way in a third.
        let sample = |swapped: bool, third: u32| {
            let (a, b) = if swapped { (2, 1) } else { (1, 2) };
            vec![Some(a), Some(b), Some(third)]
        };
        let mut partners = Vec::new();
        for third in [3, 3, 4] {
            partners.extend([sample(false, third), sample(true, third)]);
        }
        let suggestions = matching(partners).suggest(5);
        let order: Vec<usize> = suggestions.iter().map(|s| s.source).collect();
        assert_eq!(order, vec![1, 3, 2]);
        // ½ for itself and ½ for its partner in the swap; then ⅓; then nothing is left.
        let want = [1.0, 1.0 / 3.0, 0.0];
        for (suggestion, want) in suggestions.iter().zip(want) {
            assert!((suggestion.gain - want).abs() < 1e-12);
        }
    }

    #[test]
    fn decided_samples_fall_back_on_confidence() {
        let mut matching = matching(vec![vec![Some(1), Some(2), Some(3)]; 4]);
        matching.pairs[2].confidence = 0.7;
        let suggestions = matching.suggest(2);
        assert_eq!(suggestions[0].source, 2);
        assert_eq!(suggestions[1].source, 1);
        assert!(suggestions.iter().all(|s| s.gain == 0.0));
    }

    #[test]
    fn without_samples_the_doubt_is_the_gain() {
        let mut matching = matching(vec![vec![Some(1), None, Some(3)]]);
        matching.samples = Samples::default();
        matching.pairs[1].confidence = 0.25;
        matching.pairs[2].confidence = 0.5;
        let suggestions = matching.suggest(9);
        let wanted = [(2, 1.0), (1, 0.75), (3, 0.5)];
        let found: Vec<(usize, f64)> = suggestions.iter().map(|s| (s.source, s.gain)).collect();
        assert_eq!(found, wanted);
        assert!(matching.suggest(0).is_empty());
    }

    #[test]
    fn nothing_free_gives_no_suggestion() {
        let mut all = matching(vec![vec![]]);
        assert!(all.suggest(3).is_empty());
        all.samples = Samples::default();
        assert!(all.suggest(3).is_empty());
    }

    /// Samples of up to five nodes with up to four partners or none; one-to-one or not is all the
    /// same to the formula.
    fn samples() -> impl Strategy<Value = Vec<Vec<Option<u32>>>> {
        (1usize..6).prop_flat_map(|nodes| {
            let sample = prop::collection::vec(prop::option::weighted(0.8, 0u32..4), nodes);
            prop::collection::vec(sample, 1..20)
        })
    }

    proptest! {
        #[test]
        fn gains_are_those_of_the_definition(partners in samples()) {
            let suggestions = matching(partners.clone()).suggest(10);
            let nodes = partners[0].len();
            prop_assert_eq!(suggestions.len(), nodes);
            let mut asked = Vec::new();
            for suggestion in suggestions {
                let before = expected_right(&partners, &asked);
                let gain = |k: usize| {
                    let mut more = asked.clone();
                    more.push(k);
                    expected_right(&partners, &more) - before
                };
                let k = suggestion.source - 1;
                prop_assert!((gain(k) - suggestion.gain).abs() < 1e-9);
                for other in (0..nodes).filter(|other| !asked.contains(other)) {
                    prop_assert!(gain(other) <= suggestion.gain + 1e-9);
                }
                prop_assert!(!asked.contains(&k));
                asked.push(k);
            }
        }
    }
}
