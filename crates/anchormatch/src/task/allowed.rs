//! Which pairs may be partners at all.

use std::collections::HashMap;

use crate::error::{Error, Result};
use crate::linalg::Csr;

/// The pairs that are not ruled out: a source node with candidates takes one of them, and nodes of
/// different classes are no partners.
///
/// ```
/// use anchormatch::Allowed;
///
/// let allowed = Allowed::all(2, 3).with_candidates(&[(0, 1), (0, 2)])?;
/// assert!(allowed.allows(0, 2) && !allowed.allows(0, 0));
/// assert!(allowed.allows(1, 0));
/// # Ok::<(), anchormatch::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Allowed {
    shape: (usize, usize),
    listed: Option<Csr<()>>,
    /// How many source nodes list each target node.
    listing: Vec<u32>,
    /// The share of source nodes that have no list.
    unlisted: f64,
    /// The class of each node of either side, by every demand; [`UNKNOWN`] goes with all.
    classes: Vec<[Vec<u32>; 2]>,
}

/// The class of a node of which it is not known.
const UNKNOWN: u32 = u32::MAX;

impl Allowed {
    /// Every pair of `source` × `target` nodes.
    #[must_use]
    pub fn all(source: usize, target: usize) -> Self {
        Self {
            shape: (source, target),
            listed: None,
            listing: Vec::new(),
            unlisted: 1.0,
            classes: Vec::new(),
        }
    }

    /// With candidates: a source node that occurs in `pairs` may take no other partner.
    ///
    /// # Errors
    /// When a pair is of a node that there is not.
    pub fn with_candidates(mut self, pairs: &[(usize, usize)]) -> Result<Self> {
        let (n, m) = self.shape;
        if let Some((i, a)) = pairs.iter().find(|(i, a)| *i >= n || *a >= m) {
            return Err(Error::parameter(
                "candidates",
                format!("the pair ({i}, {a})"),
                format!("nodes below {n} and {m}"),
            ));
        }
        let listed = Csr::pattern(n, m, pairs.iter().copied())?;
        let without = (0..n).filter(|&i| listed.range(i).is_empty()).count();
        self.unlisted = without as f64 / n.max(1) as f64;
        self.listing = vec![0; m];
        for (_, a, ()) in listed.triplets() {
            self.listing[a] += 1;
        }
        self.listed = Some(listed);
        Ok(self)
    }

    /// With the demand that partners have the same word; a node without one goes with all.
    ///
    /// # Errors
    /// When there is not a word, or none, for each node.
    pub fn with_same<S: AsRef<str>>(
        mut self,
        source: &[Option<S>],
        target: &[Option<S>],
    ) -> Result<Self> {
        let (n, m) = self.shape;
        if (source.len(), target.len()) != (n, m) {
            return Err(Error::parameter(
                "same",
                format!("{} and {} words", source.len(), target.len()),
                format!("{n} and {m}, one for each node"),
            ));
        }
        let mut known = std::collections::HashMap::new();
        let mut classes = |words: &[Option<S>]| -> Vec<u32> {
            let of = |word: &Option<S>| match word {
                None => UNKNOWN,
                Some(word) => {
                    let next = known.len() as u32;
                    *known.entry(word.as_ref().to_owned()).or_insert(next)
                }
            };
            words.iter().map(of).collect()
        };
        let classes = [classes(source), classes(target)];
        self.classes.push(classes);
        Ok(self)
    }

    /// The numbers of source and target nodes.
    #[must_use]
    pub fn shape(&self) -> (usize, usize) {
        self.shape
    }

    /// Whether source node `i` and target node `a` may be partners.
    #[must_use]
    pub fn allows(&self, i: usize, a: usize) -> bool {
        let in_list = self
            .listed
            .as_ref()
            .is_none_or(|listed| listed.range(i).is_empty() || listed.place(i, a).is_some());
        in_list && self.are_alike(i, a)
    }

    /// The candidates of source node `i`, of which some may be of other classes; `None` when it has no list.
    #[must_use]
    pub fn listed(&self, i: usize) -> Option<&[u32]> {
        let columns = self.listed.as_ref()?.columns(i);
        (!columns.is_empty()).then_some(columns)
    }

    /// How many partners a node has by lists, and the share of the other nodes that may be its partners without
    /// one; `side` is 0 for source nodes.
    pub(crate) fn left(&self, side: usize, node: usize) -> (usize, f64) {
        let Some(listed) = &self.listed else {
            return (0, 1.0);
        };
        if side == 1 {
            return (self.listing[node] as usize, self.unlisted);
        }
        match listed.range(node).len() {
            0 => (0, 1.0),
            count => (count, 0.0),
        }
    }

    /// By how much fewer the matchings of these source nodes are than they would be if nobody were ruled out, in
    /// nats at least: by the lengths of their lists and the sizes of their classes.
    pub(crate) fn fewer_ways(&self, sources: impl Iterator<Item = usize>) -> f64 {
        let targets = self.shape.1;
        let sizes: Vec<(HashMap<u32, usize>, usize)> = self
            .classes
            .iter()
            .map(|[_, target]| {
                let mut counts = HashMap::new();
                target
                    .iter()
                    .for_each(|class| *counts.entry(*class).or_default() += 1);
                let unknown = counts.get(&UNKNOWN).copied().unwrap_or(0);
                (counts, unknown)
            })
            .collect();
        let most = |i: usize| {
            let of_list = self.listed(i).map_or(targets, <[u32]>::len);
            let of_class = self
                .classes
                .iter()
                .zip(&sizes)
                .map(|([own, _], sizes)| match own[i] {
                    UNKNOWN => targets,
                    class => sizes.0.get(&class).copied().unwrap_or(0) + sizes.1,
                });
            of_class.fold(of_list, usize::min)
        };
        let mut fewer = 0.0;
        for (k, i) in sources.enumerate() {
            let all = targets.saturating_sub(k).max(1) as f64;
            fewer += all.ln() - (most(i).max(1) as f64).ln();
        }
        fewer.max(0.0)
    }

    fn are_alike(&self, i: usize, a: usize) -> bool {
        self.classes.iter().all(|[source, target]| {
            let (own, other) = (source[i], target[a]);
            own == other || own == UNKNOWN || other == UNKNOWN
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_and_classes_rule_out_together() {
        let allowed = Allowed::all(3, 3)
            .with_candidates(&[(0, 0), (0, 1)])
            .unwrap()
            .with_same(&[Some("x"), Some("y"), None], &[Some("x"), Some("z"), None])
            .unwrap();
        let table: Vec<bool> = (0..9).map(|k| allowed.allows(k / 3, k % 3)).collect();
        assert_eq!(
            table,
            [true, false, false, false, false, true, true, true, true]
        );
        assert_eq!(allowed.listed(0), Some(&[0, 1][..]));
        assert_eq!(allowed.listed(1), None);
        assert_eq!(
            (allowed.left(0, 0), allowed.left(0, 1)),
            ((2, 0.0), (0, 1.0))
        );
        assert_eq!(allowed.left(1, 1), (1, 2.0 / 3.0));
    }

    #[test]
    fn what_is_ruled_out_leaves_fewer_matchings() {
        let all = Allowed::all(3, 4);
        assert_eq!(all.fewer_ways(0..3), 0.0);
        // 4 · 3 · 2 matchings of all, 1 · 2 · 4 at most of these.
        let listed = all.clone().with_candidates(&[(0, 1), (1, 2), (1, 3)]);
        let fewer = listed.unwrap().fewer_ways(0..3);
        assert!((fewer - (24.0f64 / 8.0).ln()).abs() < 1e-12);
        let source = [Some("x"), Some("y"), None];
        let target = [Some("x"), Some("y"), Some("y"), None];
        let classed = all.with_same(&source, &target).unwrap();
        // With those of unknown class: 2 · 3 · 4.
        assert_eq!(classed.fewer_ways(0..3), 0.0);
        assert!((classed.fewer_ways(0..1) - (4.0f64 / 2.0).ln()).abs() < 1e-12);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let all = || Allowed::all(2, 2);
        let error = all().with_candidates(&[(0, 2)]).unwrap_err().to_string();
        assert!(error.contains("(0, 2)"), "{error}");
        let error = all()
            .with_same(&[Some("x")], &[None])
            .unwrap_err()
            .to_string();
        assert!(error.contains("1 and 1 words"), "{error}");
    }
}
