//! Words of a vocabulary: how often partners agree, and which words of the two sides go together.
//!
//! > P(c, c' | partners) = (N_cc' + κ (p A_cc' + (1 − p) q_c q'_c'))/(N + κ)
//!
//! with N_cc' the pairs that have c and c', A the distribution of agreement (equal words, or words that are
//! nearly written alike, as often as they occur) and p the share of partners that agree. Words that never
//! agree may still go together: a vocabulary in another language is learned from the pairs.

use std::collections::HashMap;

use super::trigrams::trigrams;
use super::vectors::Vectors;
use crate::linalg::Csr;

/// Pairs that are taken for granted before any is known, and the share of them that agrees.
const GRANTED: f64 = 4.0;
const AGREEING: f64 = 0.75;

/// κ: how many pairs the agreement counts for beside those seen.
const STRENGTH: f64 = 10.0;

/// Words at least this alike may be the same with a slip of the pen.
const SLIP: f64 = 0.45;

/// Pairs of words beyond which those that are not alike are not learned one by one.
const LARGEST_TABLE: usize = 1 << 16;

/// Pairs of words beyond which slips of the pen are not looked for.
const LARGEST_VOCABULARY: usize = 20_000;

/// The word of a node of which it is not known.
const UNKNOWN: u32 = u32::MAX;

/// The words of both sides.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Words {
    codes: [Vec<u32>; 2],
    /// How often each word occurs, of those that are known.
    frequencies: [Vec<f64>; 2],
    /// A: how partners that agree are spread over pairs of words.
    agreement: Csr<f64>,
}

/// What pairs of words tell.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Model {
    /// Of all pairs, row after row.
    Table(Vec<f64>),
    /// Of words that agree, in the order of the agreement, and of all others.
    Agreeing(Vec<f64>, f64),
}

impl Words {
    pub(super) fn new<S: AsRef<str>>(source: &[Option<S>], target: &[Option<S>]) -> Self {
        let mut names: [Vec<Option<String>>; 2] = [Vec::new(), Vec::new()];
        let [own, other] = &mut names;
        let codes = [coded(source, own), coded(target, other)];
        let frequencies = [0, 1].map(|k| frequencies(&codes[k], names[k].len()));
        let alike = alike(&names);
        let weight = |c: usize, d: usize, likeness: f64| {
            likeness * (frequencies[0][c] * frequencies[1][d]).sqrt()
        };
        let total: f64 = alike.triplets().map(|(c, d, v)| weight(c, d, v)).sum();
        let spread = alike
            .triplets()
            .map(|(c, d, v)| (c, d, weight(c, d, v) / total));
        let agreement =
            Csr::from_triplets(names[0].len(), names[1].len(), spread.collect::<Vec<_>>())
                .expect("pairs of words");
        Self {
            codes,
            frequencies,
            agreement,
        }
    }

    /// The word of a node, by its number on its side.
    pub(super) fn code(&self, side: usize, node: usize) -> u32 {
        self.codes[side][node]
    }

    pub(super) fn fit(&self, pairs: &[(usize, usize)]) -> Model {
        let known = pairs
            .iter()
            .map(|&(i, a)| (self.codes[0][i], self.codes[1][a]));
        let known = known.filter(|&(c, d)| c != UNKNOWN && d != UNKNOWN);
        let known: Vec<(usize, usize)> = known.map(|(c, d)| (c as usize, d as usize)).collect();
        let agree = known
            .iter()
            .filter(|&&(c, d)| self.agreement.place(c, d).is_some())
            .count();
        let share = if self.agreement.entries() == 0 {
            0.0
        } else {
            (agree as f64 + GRANTED * AGREEING) / (known.len() as f64 + GRANTED)
        };
        let log_ratio = |c: usize, d: usize, seen: f64, agreement: f64| {
            let alone = self.frequencies[0][c] * self.frequencies[1][d];
            let expected = share * agreement + (1.0 - share) * alone;
            let joint = (seen + STRENGTH * expected) / (known.len() as f64 + STRENGTH);
            if alone > 0.0 {
                (joint / alone).ln()
            } else {
                0.0
            }
        };
        let (rows, cols) = (self.agreement.rows(), self.agreement.cols());
        if rows.saturating_mul(cols) <= LARGEST_TABLE {
            let mut seen = vec![0.0; rows * cols];
            known.iter().for_each(|&(c, d)| seen[c * cols + d] += 1.0);
            let pairs = (0..rows).flat_map(|c| (0..cols).map(move |d| (c, d)));
            let log_ratio = pairs.map(|(c, d)| {
                log_ratio(
                    c,
                    d,
                    seen[c * cols + d],
                    self.agreement.get(c, d).unwrap_or(0.0),
                )
            });
            return Model::Table(log_ratio.collect());
        }
        // Of words that are many, how often each pair occurs says nothing: agreement is all that counts.
        let agreeing = self.agreement.triplets().map(|(c, d, agreement)| {
            let alone = self.frequencies[0][c] * self.frequencies[1][d];
            ((share * agreement + (1.0 - share) * alone) / alone).ln()
        });
        Model::Agreeing(agreeing.collect(), (1.0 - share).ln())
    }

    pub(super) fn nats(&self, model: &Model, i: usize, a: usize) -> f64 {
        let (c, d) = (self.codes[0][i], self.codes[1][a]);
        if c == UNKNOWN || d == UNKNOWN {
            return 0.0;
        }
        let (c, d) = (c as usize, d as usize);
        match model {
            Model::Table(nats) => nats[c * self.agreement.cols() + d],
            Model::Agreeing(nats, others) => self
                .agreement
                .place(c, d)
                .map_or(*others, |place| nats[place]),
        }
    }
}

/// The code of every word, those that are new joining the names; case and the space around do not count.
fn coded<S: AsRef<str>>(words: &[Option<S>], names: &mut Vec<Option<String>>) -> Vec<u32> {
    let mut known: HashMap<String, u32> = HashMap::new();
    let code = |word: &Option<S>| {
        let Some(word) = word else { return UNKNOWN };
        let word = word.as_ref().trim().to_lowercase();
        let next = names.len() as u32;
        *known.entry(word).or_insert_with_key(|word| {
            names.push(Some(word.clone()));
            next
        })
    };
    words.iter().map(code).collect()
}

fn frequencies(codes: &[u32], count: usize) -> Vec<f64> {
    let mut frequencies = vec![0.0; count];
    let known = codes.iter().filter(|code| **code != UNKNOWN);
    let total = known.clone().count().max(1) as f64;
    known.for_each(|&code| frequencies[code as usize] += 1.0 / total);
    frequencies
}

/// Which words of the two sides are the same: equal ones, and where a word has no equal, those that are
/// nearly written like it.
fn alike(names: &[Vec<Option<String>>; 2]) -> Csr<f64> {
    let places: HashMap<&Option<String>, usize> = names[1].iter().zip(0..).collect();
    let mut has_equal = [vec![false; names[0].len()], vec![false; names[1].len()]];
    let mut found: Vec<(usize, usize, f64)> = Vec::new();
    for (c, name) in names[0].iter().enumerate() {
        if let Some(&d) = places.get(name) {
            found.push((c, d, 1.0));
            (has_equal[0][c], has_equal[1][d]) = (true, true);
        }
    }
    if names.iter().all(|side| side.len() <= LARGEST_VOCABULARY) {
        let vectors = Vectors::new(trigrams([&names[0], &names[1]]));
        let (mut sums, mut near) = (vec![0.0; names[1].len()], Vec::new());
        for c in 0..names[0].len() {
            vectors.alike(c, usize::MAX, &mut sums, &mut near);
            let near = near.iter().filter(|(d, likeness)| {
                let is_odd = !(has_equal[0][c] && has_equal[1][*d as usize]);
                is_odd && f64::from(*likeness) >= SLIP && names[0][c] != names[1][*d as usize]
            });
            found.extend(near.map(|&(d, likeness)| (c, d as usize, f64::from(likeness))));
        }
    }
    Csr::from_triplets(names[0].len(), names[1].len(), found).expect("pairs of words")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some<'a>(words: &[&'a str]) -> Vec<Option<&'a str>> {
        words
            .iter()
            .map(|w| (!w.is_empty()).then_some(*w))
            .collect()
    }

    fn all(n: usize) -> Vec<(usize, usize)> {
        (0..n).map(|i| (i, i)).collect()
    }

    #[test]
    fn the_table_is_the_formula() {
        let (source, target) = (
            some(&["a", "a", "b", "", "c"]),
            some(&["a", "b", "b", "c", "c"]),
        );
        let words = Words::new(&source, &target);
        let model = words.fit(&all(5));
        // Known: a on a, a on b, b on b, c on c; three of four agree.
        let share = (3.0 + GRANTED * AGREEING) / (4.0 + GRANTED);
        let (q, r) = ([0.5, 0.25, 0.25], [0.2, 0.4, 0.4]);
        let total: f64 = (0..3).map(|c| f64::sqrt(q[c] * r[c])).sum();
        for (i, a, c, d, seen) in [(0, 0, 0, 0, 1.0), (0, 1, 0, 1, 1.0), (2, 3, 1, 2, 0.0)] {
            let agreement = if c == d {
                f64::sqrt(q[c] * r[d]) / total
            } else {
                0.0
            };
            let expected = share * agreement + (1.0 - share) * q[c] * r[d];
            let wanted = ((seen + STRENGTH * expected) / (4.0 + STRENGTH) / (q[c] * r[d])).ln();
            assert!((words.nats(&model, i, a) - wanted).abs() < 1e-12, "{c} {d}");
        }
        assert_eq!(words.nats(&model, 3, 0), 0.0);
    }

    #[test]
    fn rare_words_tell_more_and_case_does_not_count() {
        let source: Vec<Option<&str>> = (0..100)
            .map(|k| Some(if k < 5 { "Rare" } else { "common" }))
            .collect();
        let target: Vec<Option<&str>> = (0..100)
            .map(|k| Some(if k < 5 { "rare " } else { "COMMON" }))
            .collect();
        let words = Words::new(&source, &target);
        let model = words.fit(&all(100));
        assert!(words.nats(&model, 0, 1) > words.nats(&model, 50, 51) + 1.0);
        assert!(words.nats(&model, 0, 50) < -1.0);
    }

    #[test]
    fn slips_of_the_pen_are_forgiven() {
        let source = some(&["interneuron", "interneuron", "motor", "sensory"]);
        let target = some(&["interneuron", "interneurn", "motor", "sensory"]);
        let words = Words::new(&source, &target);
        let model = words.fit(&[]);
        assert!(
            words.nats(&model, 0, 1) > 0.3,
            "{}",
            words.nats(&model, 0, 1)
        );
        assert!(words.nats(&model, 0, 2) < -0.5);
    }

    #[test]
    fn another_language_is_learned_from_pairs() {
        let source = some(&["red", "green", "blue"].repeat(20));
        let target = some(&["rouge", "vert", "bleu"].repeat(20));
        let words = Words::new(&source, &target);
        let fresh = words.fit(&[]);
        assert!(words.nats(&fresh, 0, 0).abs() < 0.3);
        let model = words.fit(&all(60));
        assert!(words.nats(&model, 0, 3) > 0.7 && words.nats(&model, 0, 1) < -1.0);
    }

    #[test]
    fn many_words_count_by_agreement_alone() {
        let names: Vec<Option<String>> = (0..400)
            .map(|k| Some(format!("{}", (k * 7919) % 400)))
            .collect();
        let words = Words::new(&names, &names);
        let model = words.fit(&all(400));
        assert!(matches!(model, Model::Agreeing(..)));
        assert!(words.nats(&model, 7, 7) > 4.0 && words.nats(&model, 7, 8) < -2.0);
    }
}
