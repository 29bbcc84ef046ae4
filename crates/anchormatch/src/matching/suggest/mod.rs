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
//!
//! A maximum over few samples flatters: any division of the samples seems to set something right. So
//! what the answers set right is compared with what a random division into as many and as large
//! classes does, and only the part beyond it counts, as a share of what was left to gain: the
//! adjustment for chance of Vinh, Epps, Bailey (JMLR 11, 2010). It vanishes as samples grow in number.

use std::collections::{HashMap, HashSet};

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use super::{Matching, Samples};
use crate::monitor::Monitor;

/// Gains that differ by less are the same.
const TIE: f64 = 1e-9;

/// The most work, d² S for S samples of d open nodes; beyond it samples are thinned out.
const WORK: usize = 50_000_000;

/// Samples that are kept in any case.
const FEWEST: usize = 100;

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
    /// O(d² S) a suggestion for S samples and d nodes on which they differ; O(d S) memory. Where that
    /// is much, every second sample is used, or every third, but a hundred at least.
    #[must_use]
    pub fn suggest(&self, count: usize) -> Vec<Suggestion> {
        self.suggest_watched(count, &Monitor::silent())
    }

    /// As [`suggest`](Self::suggest), but no more than those found when `monitor` stops the work.
    #[must_use]
    pub fn suggest_watched(&self, count: usize, monitor: &Monitor) -> Vec<Suggestion> {
        let table = Table::of(&self.samples).thinned();
        let mut open = self.open_nodes(&table);
        let mut observed = Observed::nothing(&table);
        let mut suggestions = Vec::with_capacity(count.min(open.len()));
        while suggestions.len() < count && !open.is_empty() {
            let gains: Vec<f64> = open
                .par_iter()
                .map_init(Scratch::default, |scratch, node| match node.row {
                    Some(_) if monitor.interrupted().is_some() => f64::NEG_INFINITY,
                    Some(row) => observed.gain(&table, row, scratch),
                    None => node.doubt,
                })
                .collect();
            if monitor.interrupted().is_some() {
                break;
            }
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
                observed.observe(&table, row);
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
        let anchors = self.pairs.iter().filter(|pair| pair.anchor);
        let anchored: HashSet<usize> = anchors.map(|pair| pair.source).collect();
        let mut confidence: HashMap<usize, f64> = HashMap::new();
        for pair in self.pairs.iter().filter(|pair| !pair.anchor) {
            confidence.insert(pair.source, pair.confidence);
        }
        let sampled = !self.samples.partners.is_empty();
        let mut open: Vec<Open> = Vec::new();
        if sampled {
            for (k, &source) in self.samples.nodes.iter().enumerate() {
                let row = table.place.get(&k).copied();
                let sure = row.map_or(1.0, |row| table.rows[row].most);
                open.push(Open {
                    source,
                    confidence: confidence.get(&source).copied().unwrap_or(sure),
                    row,
                    doubt: 0.0,
                });
            }
        } else {
            // Who has no candidate may have no partner at all, and is asked last.
            let candidates = |source: usize| match &self.alternatives {
                Some(lists) => lists.of(source).iter().map(|c| c.probability).sum(),
                None => 1.0,
            };
            let alone = self.unmatched_source.iter();
            let alone = alone.map(|&source| (source, 0.0, candidates(source)));
            let matched = confidence.iter().map(|(&source, &c)| (source, c, 1.0 - c));
            for (source, confidence, doubt) in matched.chain(alone) {
                open.push(Open {
                    source,
                    confidence,
                    row: None,
                    doubt,
                });
            }
        }
        let is_told_apart = |node: &Open| {
            let lists = self.alternatives.as_ref();
            anchored.contains(&node.source) || lists.is_some_and(|l| l.alone(node.source) >= 1.0)
        };
        open.retain(|node| !is_told_apart(node));
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
    /// The row of each of the samples' nodes on which they differ.
    place: HashMap<usize, usize>,
    samples: usize,
}

/// The samples of one node.
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
            place: HashMap::new(),
            samples: samples.partners.len(),
        };
        let mut numbers: HashMap<Option<usize>, u32> = HashMap::new();
        let mut counts: Vec<usize> = Vec::new();
        for k in 0..samples.nodes.len() {
            numbers.clear();
            counts.clear();
            let answers: Vec<u32> = samples
                .partners
                .iter()
                .map(|sample| {
                    let next = numbers.len() as u32;
                    let partner = sample.partner(k);
                    let number = *numbers.entry(partner).or_insert(next);
                    if number == next {
                        counts.push(0);
                    }
                    counts[number as usize] += 1;
                    number
                })
                .collect();
            if counts.len() > 1 {
                let most = counts.iter().copied().max().unwrap_or(0);
                table.place.insert(k, table.rows.len());
                table.rows.push(Row {
                    answers,
                    partners: counts.len(),
                    most: most as f64 / table.samples as f64,
                });
            }
        }
        table
    }

    /// Every so manieth sample, so that the work is bounded.
    fn thinned(mut self) -> Self {
        let nodes = self.rows.len().max(1);
        let kept = (WORK / (nodes * nodes)).max(FEWEST);
        let stride = self.samples.div_ceil(kept.max(1)).max(1);
        if stride > 1 {
            for row in &mut self.rows {
                row.answers = row.answers.iter().copied().step_by(stride).collect();
            }
            self.samples = self.samples.div_ceil(stride);
        }
        self
    }
}

/// What the answers so far leave open.
struct Observed {
    /// The samples, those with the same joint answer together.
    order: Vec<u32>,
    /// The same, each class in random order.
    shuffled: Vec<u32>,
    /// Where the joint answer changes, 0 first and S last.
    bounds: Vec<usize>,
    /// For each row, the probability that its best guess given the answers is right; 1 once observed.
    right: Vec<f64>,
}

/// Memory for judging one question.
#[derive(Default)]
struct Scratch {
    order: Vec<u32>,
    bounds: Vec<usize>,
    counts: Vec<usize>,
}

impl Observed {
    fn nothing(table: &Table) -> Self {
        let order: Vec<u32> = (0..table.samples as u32).collect();
        let mut observed = Self {
            shuffled: order.clone(),
            order,
            bounds: vec![0, table.samples],
            right: table.rows.iter().map(|row| row.most).collect(),
        };
        observed.shuffle();
        observed
    }

    fn shuffle(&mut self) {
        let mut random = ChaCha8Rng::seed_from_u64(self.bounds.len() as u64);
        self.shuffled.copy_from_slice(&self.order);
        for class in self.bounds.windows(2) {
            self.shuffled[class[0]..class[1]].shuffle(&mut random);
        }
    }

    /// The expected number of nodes set right by the partner of `asked`.
    fn gain(&self, table: &Table, asked: usize, scratch: &mut Scratch) -> f64 {
        self.divide(&table.rows[asked], scratch);
        let others = (0..table.rows.len()).filter(|&j| j != asked);
        let others: f64 = others.map(|j| self.settled(table, j, scratch)).sum();
        // What chance takes from one it gives to another, so only the sum is cut off.
        1.0 - self.right[asked] + others.max(0.0)
    }

    /// What a division of the samples adds to the probability that the guess for `row` is right.
    fn settled(&self, table: &Table, row: usize, scratch: &mut Scratch) -> f64 {
        let open = 1.0 - self.right[row];
        if open <= 0.0 {
            return 0.0;
        }
        let Scratch {
            order,
            bounds,
            counts,
        } = scratch;
        let answers = &table.rows[row];
        let found = answers.guessed(order, bounds, counts);
        let by_chance = answers.guessed(&self.shuffled, bounds, counts);
        if by_chance == table.samples {
            return 0.0;
        }
        let beyond = found as f64 - by_chance as f64;
        open * beyond / (table.samples - by_chance) as f64
    }

    /// Takes the partner of `asked` as observed.
    fn observe(&mut self, table: &Table, asked: usize) {
        let mut scratch = Scratch::default();
        self.divide(&table.rows[asked], &mut scratch);
        for j in 0..table.rows.len() {
            let more = self.settled(table, j, &mut scratch);
            self.right[j] = (self.right[j] + more.max(0.0)).min(1.0);
        }
        self.right[asked] = 1.0;
        self.order = scratch.order;
        self.bounds = scratch.bounds;
        self.shuffle();
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

impl Row {
    /// In how many samples the best guess is right, one guess for each class.
    fn guessed(&self, order: &[u32], bounds: &[usize], counts: &mut Vec<usize>) -> usize {
        counts.clear();
        counts.resize(self.partners, 0);
        let mut right = 0;
        for class in bounds.windows(2) {
            let members = &order[class[0]..class[1]];
            let mut most = 0;
            for &s in members {
                let count = &mut counts[self.answers[s as usize] as usize];
                *count += 1;
                most = most.max(*count);
            }
            right += most;
            for &s in members {
                counts[self.answers[s as usize] as usize] = 0;
            }
        }
        right
    }
}

#[cfg(test)]
mod tests;
