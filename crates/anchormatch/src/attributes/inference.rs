//! Which kind of attribute a column of words is.

use std::collections::HashSet;

/// How the values of a column compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// By how far apart they are.
    Numbers,
    /// By whether they are the same.
    Words,
    /// By how alike their letters are.
    Text,
}

/// Values of a vocabulary recur this often, on average.
const RECURRING: usize = 3;

impl Kind {
    /// Numbers when every value is one; words when values recur, on average three times on a side or more;
    /// text otherwise.
    #[must_use]
    pub fn of<S: AsRef<str>>(source: &[Option<S>], target: &[Option<S>]) -> Self {
        let known = |column: &[Option<S>]| -> Vec<String> {
            let words = column.iter().flatten().map(|w| w.as_ref().trim());
            words.filter(|w| !w.is_empty()).map(str::to_owned).collect()
        };
        let sides = [known(source), known(target)];
        let is_number = |word: &String| word.parse::<f64>().is_ok_and(f64::is_finite);
        if sides.iter().flatten().all(is_number) {
            return Self::Numbers;
        }
        let recurs = |words: &Vec<String>| {
            let distinct: HashSet<&String> = words.iter().collect();
            words.len() >= RECURRING * distinct.len()
        };
        if sides.iter().all(recurs) {
            Self::Words
        } else {
            Self::Text
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_show_in_the_values() {
        let kind = |words: &[&str]| {
            let column: Vec<Option<&str>> = words.iter().map(|w| Some(*w)).collect();
            Kind::of(&column, &column)
        };
        assert_eq!(kind(&["1", "2.5", "", " -3e4 "]), Kind::Numbers);
        assert_eq!(kind(&["a", "b", "a", "b", "a", "b"]), Kind::Words);
        assert_eq!(kind(&["a", "b", "c", "b"]), Kind::Text);
        assert_eq!(kind(&["1", "2", "n/a"]), Kind::Text);
        assert_eq!(kind(&["inf", "1"]), Kind::Text);
    }
}
