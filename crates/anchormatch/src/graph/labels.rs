//! The caller's names of the nodes.

use std::borrow::Cow;

use super::interner::Interner;
use crate::error::{Error, Result};

/// Names by node index and node indices by name; nodes without names are called `0`, `1`, ….
#[derive(Debug, Clone, PartialEq)]
pub struct Labels(Kind);

#[derive(Debug, Clone, PartialEq)]
enum Kind {
    /// `first`, `first + 1`, …: nothing is stored.
    Counted {
        first: usize,
        len: usize,
    },
    Named(Interner),
}

impl Labels {
    /// Names in the order of the nodes.
    ///
    /// # Errors
    /// When a name stands twice.
    pub fn new(names: Vec<String>) -> Result<Self> {
        let mut interner = Interner::default();
        for (i, name) in names.into_iter().enumerate() {
            let (first, is_new) = interner.insert(&name);
            if !is_new {
                return Err(Error::Graph(format!(
                    "node id `{name}` stands twice, as node {first} and node {i}, \
                     expected an id of its own for every node"
                )));
            }
        }
        Ok(Self(Kind::Named(interner)))
    }

    /// Names that are known to be distinct.
    pub(super) fn interned(names: Interner) -> Self {
        Self(Kind::Named(names))
    }

    /// `first`, `first + 1`, … for `len` nodes.
    #[must_use]
    pub fn counted(first: usize, len: usize) -> Self {
        Self(Kind::Counted { first, len })
    }

    /// The number of nodes.
    #[must_use]
    pub fn len(&self) -> usize {
        match &self.0 {
            Kind::Counted { len, .. } => *len,
            Kind::Named(names) => names.len(),
        }
    }

    /// Whether there is no node.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The name of node `i`.
    ///
    /// # Panics
    /// When there is no node `i`.
    #[must_use]
    pub fn get(&self, i: usize) -> Cow<'_, str> {
        assert!(i < self.len(), "node index within the graph");
        match &self.0 {
            Kind::Counted { first, .. } => Cow::Owned((first + i).to_string()),
            Kind::Named(names) => Cow::Borrowed(names.get(i)),
        }
    }

    /// The node called `name`.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<usize> {
        match &self.0 {
            Kind::Counted { first, len } => {
                let number: usize = name.parse().ok()?;
                // `007` and `+7` are other names than `7`.
                (number.to_string() == name && (*first..first + len).contains(&number))
                    .then(|| number - first)
            }
            Kind::Named(names) => names.find(name),
        }
    }

    /// All names in the order of the nodes.
    pub fn iter(&self) -> impl Iterator<Item = Cow<'_, str>> {
        (0..self.len()).map(|i| self.get(i))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_indices_are_inverse() {
        let named = Labels::new(vec!["b".into(), "a".into()]).unwrap();
        let counted = Labels::counted(1, 3);
        for labels in [named, counted] {
            for i in 0..labels.len() {
                assert_eq!(labels.find(&labels.get(i)), Some(i));
            }
        }
    }

    #[test]
    fn unknown_and_disguised_names_are_not_found() {
        let labels = Labels::counted(1, 3);
        for name in ["0", "4", "01", "+1", " 1", "x", ""] {
            assert_eq!(labels.find(name), None, "{name}");
        }
    }

    #[test]
    fn a_name_twice_is_an_error_that_names_it() {
        let error = Labels::new(vec!["a".into(), "b".into(), "a".into()]).unwrap_err();
        assert!(
            error
                .to_string()
                .contains("`a` stands twice, as node 0 and node 2")
        );
    }
}
