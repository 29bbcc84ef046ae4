//! How far the values of a column agree between the two sides.

use std::collections::HashMap;

/// How many values are named as examples.
const EXAMPLES: usize = 3;

/// What people see of a long value.
const SHOWN: usize = 40;

/// Which nodes have a value that the other side has not: where partners must have the same value, these can
/// have none but nodes without a value, and values that are spelled in two ways leave nobody a partner.
///
/// ```
/// use anchormatch::task::Overlap;
///
/// let overlap = Overlap::of(&[Some("Left"), Some("Right")], &[Some("L"), None]);
/// assert_eq!((overlap.shared, overlap.strangers), (0, [2, 1]));
/// let (found, _) = overlap.refusal("side").expect("nothing is shared");
/// assert!(found.contains("`Left`, `Right`") && found.contains("`L`"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Overlap {
    /// How many values both sides have.
    pub shared: usize,
    /// How many nodes of either side have a value.
    pub valued: [usize; 2],
    /// How many nodes of either side have a value that the other side has not.
    pub strangers: [usize; 2],
    /// Some of their values, the most frequent first.
    pub examples: [Vec<String>; 2],
}

impl Overlap {
    /// Compares the values of all source nodes with those of all target nodes.
    #[must_use]
    pub fn of<S: AsRef<str>>(source: &[Option<S>], target: &[Option<S>]) -> Self {
        let counts = [source, target].map(|values| {
            let mut counts: HashMap<&str, usize> = HashMap::new();
            for value in values.iter().flatten() {
                *counts.entry(value.as_ref()).or_default() += 1;
            }
            counts
        });
        let alone = [0, 1].map(|side: usize| {
            let others = &counts[1 - side];
            let own = counts[side].iter();
            let mut alone: Vec<(usize, &str)> = own
                .filter(|(value, _)| !others.contains_key(*value))
                .map(|(value, count)| (*count, *value))
                .collect();
            alone.sort_unstable_by(|one, two| two.0.cmp(&one.0).then(one.1.cmp(two.1)));
            alone
        });
        Self {
            shared: counts[0].len() - alone[0].len(),
            valued: counts.map(|counts| counts.values().sum()),
            strangers: [0, 1].map(|side| alone[side].iter().map(|(count, _)| count).sum()),
            examples: alone.map(|alone| {
                let values = alone.into_iter().take(EXAMPLES);
                values.map(|(_, value)| value.to_owned()).collect()
            }),
        }
    }

    /// What was found and what is expected of the column called `name`, where both sides have values and share
    /// none.
    #[must_use]
    pub fn refusal(&self, name: &str) -> Option<(String, String)> {
        if self.shared > 0 || self.valued.contains(&0) {
            return None;
        }
        let [source, target] = self.listed();
        let found = format!(
            "the column `{name}`, in which source and target nodes have no value in common: the source \
             has {source}, the target {target}"
        );
        let expected = "values that both sides spell alike: rewrite those of one side, or leave the column out";
        Some((found, expected.to_owned()))
    }

    /// What is to be said of the column called `name`, where partners must have the same value in it.
    #[must_use]
    pub fn note(&self, name: &str) -> Option<String> {
        let sides = ["source", "target"];
        if let Some(side) = self.valued.iter().position(|&valued| valued == 0) {
            let side = sides[side];
            return Some(format!(
                "no {side} node has a value in the column `{name}`, which so rules nothing out"
            ));
        }
        let listed = self.listed();
        let mut parts = Vec::new();
        for (k, side) in sides.into_iter().enumerate() {
            match self.strangers[k] {
                0 => {}
                1 => parts.push(format!("1 {side} node ({})", listed[k])),
                count => parts.push(format!("{count} {side} nodes ({})", listed[k])),
            }
        }
        if parts.is_empty() {
            return None;
        }
        let (have, their) = match self.strangers.iter().sum::<usize>() {
            1 => ("has", "its"),
            _ => ("have", "their"),
        };
        Some(format!(
            "column `{name}`: {} {have} a value that the other side has not, so that {their} partner can only \
             be a node without a value",
            parts.join(" and ")
        ))
    }

    /// The examples of either side in words.
    fn listed(&self) -> [String; 2] {
        [0, 1].map(|side: usize| {
            let values = self.examples[side].iter();
            let values = values.map(|value| format!("`{}`", crate::error::printable(value, SHOWN)));
            values.collect::<Vec<_>>().join(", ")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<Option<&str>> {
        let words = text.split(' ');
        words.map(|word| (word != "-").then_some(word)).collect()
    }

    #[test]
    fn values_of_one_side_are_counted_and_the_most_frequent_named() {
        let overlap = Overlap::of(&words("b a - z b c d e"), &words("z z - y"));
        assert_eq!(overlap.shared, 1);
        assert_eq!((overlap.valued, overlap.strangers), ([7, 3], [6, 1]));
        assert_eq!(overlap.examples[0], ["b", "a", "c"]);
        assert_eq!(overlap.refusal("x"), None);
        assert_eq!(
            overlap.note("x").unwrap(),
            "column `x`: 6 source nodes (`b`, `a`, `c`) and 1 target node (`y`) have a value that the other \
             side has not, so that their partner can only be a node without a value"
        );
        assert_eq!(Overlap::of(&words("a b"), &words("b a")).note("x"), None);
    }

    #[test]
    fn other_spellings_are_refused_and_missing_values_noted() {
        let (found, expected) = Overlap::of(&words("Left -"), &words("L L"))
            .refusal("side")
            .unwrap();
        assert_eq!(
            found,
            "the column `side`, in which source and target nodes have no value in common: the source \
             has `Left`, the target `L`"
        );
        assert!(expected.contains("spell alike"));
        let empty = Overlap::of(&words("Left -"), &words("- -"));
        assert_eq!(empty.refusal("side"), None);
        assert!(empty.note("side").unwrap().contains("no target node"));
    }
}
