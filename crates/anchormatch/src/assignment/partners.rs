//! The partner of each row, if it has one.
//!
//! What solvers hand around is a partial map from rows to columns. It is kept in four bytes a row, a
//! column's number or a sentinel for "none", so that graphs of many millions of nodes fit.

use std::fmt;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Stands for "no partner"; no column has this number.
const NONE: u32 = u32::MAX;

/// A partial map from rows to columns: the partner of each row, if it has one.
///
/// Nothing forces it to be one-to-one; [`is_one_to_one`](Self::is_one_to_one) says whether it is.
///
/// # Panics
/// Methods that take a row panic when there is no such row, those that take a column when it is
/// 2³² − 1 or more.
///
/// # Example
/// ```
/// use anchormatch::Assignment;
///
/// let mut assignment = Assignment::from([Some(2), None, Some(0)]);
/// assert_eq!(assignment.partner(0), Some(2));
/// assert_eq!(assignment.pairs().collect::<Vec<_>>(), [(0, 2), (2, 0)]);
/// assignment.set(1, Some(1));
/// assert!(assignment.is_one_to_one(3));
/// ```
#[derive(Default, PartialEq, Eq, Hash)]
pub struct Assignment {
    partners: Vec<u32>,
}

impl Assignment {
    /// An assignment of `rows` rows that leaves all of them alone.
    #[must_use]
    pub fn empty(rows: usize) -> Self {
        Self {
            partners: vec![NONE; rows],
        }
    }

    /// Row i to column i, for every row.
    #[must_use]
    pub fn identity(rows: usize) -> Self {
        (0..rows).map(Some).collect()
    }

    /// The partners in the order of the rows.
    #[must_use]
    pub fn from_partners(partners: Vec<Option<usize>>) -> Self {
        partners.into_iter().collect()
    }

    /// The listed pairs among `rows` rows; of two pairs of a row the later one counts.
    #[must_use]
    pub fn from_pairs(rows: usize, pairs: impl IntoIterator<Item = (usize, usize)>) -> Self {
        let mut assignment = Self::empty(rows);
        for (row, column) in pairs {
            assignment.set(row, Some(column));
        }
        assignment
    }

    /// The number of rows, matched or not.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.partners.len()
    }

    /// The number of rows that have a partner.
    #[must_use]
    pub fn matched(&self) -> usize {
        self.partners.iter().filter(|&&a| a != NONE).count()
    }

    /// The partner of a row.
    #[inline]
    #[must_use]
    pub fn partner(&self, row: usize) -> Option<usize> {
        decode(self.partners[row])
    }

    /// The pairs (row, column), rows ascending.
    pub fn pairs(&self) -> impl DoubleEndedIterator<Item = (usize, usize)> + '_ {
        let partners = self.partners.iter().enumerate();
        partners.filter_map(|(i, &a)| Some((i, decode(a)?)))
    }

    /// The partners in the order of the rows.
    #[must_use]
    pub fn iter(&self) -> Partners<'_> {
        Partners(self.partners.iter())
    }

    /// Gives a row a partner, or leaves it alone.
    #[inline]
    pub fn set(&mut self, row: usize, partner: Option<usize>) {
        self.partners[row] = encode(partner);
    }

    /// Leaves every one of `rows` rows alone; memory is kept.
    pub fn reset(&mut self, rows: usize) {
        self.partners.clear();
        self.partners.resize(rows, NONE);
    }

    /// Exchanges the partners of two rows.
    pub fn swap(&mut self, row: usize, other: usize) {
        self.partners.swap(row, other);
    }

    /// Leaves alone the rows whose pair `keep` does not want.
    pub fn retain(&mut self, mut keep: impl FnMut(usize, usize) -> bool) {
        for (i, a) in self.partners.iter_mut().enumerate() {
            if decode(*a).is_some_and(|a| !keep(i, a)) {
                *a = NONE;
            }
        }
    }

    /// Whether all partners are below `columns` and no two rows have the same.
    #[must_use]
    pub fn is_one_to_one(&self, columns: usize) -> bool {
        let mut taken = vec![false; columns];
        self.pairs()
            .all(|(_, a)| a < columns && !std::mem::replace(&mut taken[a], true))
    }

    /// The row of each of `columns` columns, if it has one; where several have, the last.
    ///
    /// # Panics
    /// When a partner is not below `columns`.
    #[must_use]
    pub fn inverse(&self, columns: usize) -> Self {
        Self::from_pairs(columns, self.pairs().map(|(i, a)| (a, i)))
    }

    /// The partners as a plain vector.
    #[must_use]
    pub fn to_vec(&self) -> Vec<Option<usize>> {
        self.iter().collect()
    }
}

#[inline]
fn decode(partner: u32) -> Option<usize> {
    (partner != NONE).then_some(partner as usize)
}

#[inline]
fn encode(partner: Option<usize>) -> u32 {
    match partner {
        None => NONE,
        Some(column) => {
            assert!(column < NONE as usize, "columns are below 2³² − 1");
            column as u32
        }
    }
}

impl Clone for Assignment {
    fn clone(&self) -> Self {
        Self {
            partners: self.partners.clone(),
        }
    }

    /// Uses the memory that is there.
    fn clone_from(&mut self, other: &Self) {
        self.partners.clone_from(&other.partners);
    }
}

/// The partners of all rows, in order; see [`Assignment::iter`].
#[derive(Debug, Clone)]
pub struct Partners<'a>(std::slice::Iter<'a, u32>);

impl Iterator for Partners<'_> {
    type Item = Option<usize>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.0.next().map(|&a| decode(a))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl DoubleEndedIterator for Partners<'_> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.0.next_back().map(|&a| decode(a))
    }
}

impl ExactSizeIterator for Partners<'_> {}

impl<'a> IntoIterator for &'a Assignment {
    type Item = Option<usize>;
    type IntoIter = Partners<'a>;

    fn into_iter(self) -> Partners<'a> {
        self.iter()
    }
}

impl FromIterator<Option<usize>> for Assignment {
    fn from_iter<I: IntoIterator<Item = Option<usize>>>(partners: I) -> Self {
        Self {
            partners: partners.into_iter().map(encode).collect(),
        }
    }
}

impl From<Vec<Option<usize>>> for Assignment {
    fn from(partners: Vec<Option<usize>>) -> Self {
        Self::from_partners(partners)
    }
}

impl From<&[Option<usize>]> for Assignment {
    fn from(partners: &[Option<usize>]) -> Self {
        partners.iter().copied().collect()
    }
}

impl<const N: usize> From<[Option<usize>; N]> for Assignment {
    fn from(partners: [Option<usize>; N]) -> Self {
        partners.into_iter().collect()
    }
}

impl PartialEq<[Option<usize>]> for Assignment {
    fn eq(&self, other: &[Option<usize>]) -> bool {
        self.iter().eq(other.iter().copied())
    }
}

impl<const N: usize> PartialEq<[Option<usize>; N]> for Assignment {
    fn eq(&self, other: &[Option<usize>; N]) -> bool {
        *self == other[..]
    }
}

impl PartialEq<Vec<Option<usize>>> for Assignment {
    fn eq(&self, other: &Vec<Option<usize>>) -> bool {
        *self == other[..]
    }
}

impl fmt::Debug for Assignment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self).finish()
    }
}

/// A list with a number or nothing for every row.
impl Serialize for Assignment {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self)
    }
}

impl<'de> Deserialize<'de> for Assignment {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let partners = Vec::<Option<u32>>::deserialize(deserializer)?;
        if partners.contains(&Some(NONE)) {
            return Err(D::Error::custom("columns are below 2³² − 1"));
        }
        let column = |partner: Option<u32>| partner.unwrap_or(NONE);
        Ok(Self {
            partners: partners.into_iter().map(column).collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn it_prints_and_writes_what_a_list_of_options_does() {
        let plain = vec![Some(3), None, Some(0)];
        let assignment = Assignment::from(plain.clone());
        assert_eq!(format!("{assignment:?}"), format!("{plain:?}"));
        assert_eq!(serde_json::to_string(&assignment).unwrap(), "[3,null,0]");
        let read = |text| serde_json::from_str::<Assignment>(text);
        assert_eq!(read("[3,null,0]").unwrap(), assignment);
        for text in ["[-1]", "[0.5]", "[4294967295]", "[4294967296]", "{}"] {
            assert!(read(text).is_err(), "{text}");
        }
    }

    #[test]
    #[should_panic(expected = "columns are below")]
    fn the_sentinel_is_no_column() {
        let _ = Assignment::from([Some(u32::MAX as usize)]);
    }

    proptest! {
        /// Every method against the plain vector that it stands for.
        #[test]
        fn it_is_a_vector_of_options(
            mut plain in prop::collection::vec(prop::option::of(0usize..6), 0..8),
            change in any::<[prop::sample::Index; 2]>(), partner in prop::option::of(0usize..6),
        ) {
            let mut assignment = Assignment::from(&plain[..]);
            if !plain.is_empty() {
                let [i, j] = change.map(|place| place.index(plain.len()));
                plain[i] = partner;
                assignment.set(i, partner);
                plain.swap(i, j);
                assignment.swap(i, j);
            }
            prop_assert_eq!(&assignment, &plain);
            prop_assert_eq!(assignment.rows(), plain.len());
            prop_assert_eq!(assignment.matched(), plain.iter().flatten().count());
            prop_assert_eq!(assignment.to_vec(), plain.clone());
            prop_assert!((0..plain.len()).all(|i| assignment.partner(i) == plain[i]));
            let pairs: Vec<_> =
                plain.iter().enumerate().filter_map(|(i, a)| Some((i, (*a)?))).collect();
            prop_assert!(assignment.pairs().eq(pairs.iter().copied()));
            prop_assert_eq!(&Assignment::from_pairs(plain.len(), pairs.clone()), &assignment);
            let inverse = assignment.inverse(6);
            for a in 0..6 {
                let owner = plain.iter().rposition(|&b| b == Some(a));
                prop_assert_eq!(inverse.partner(a), owner);
            }
            for columns in 0..7 {
                let apart = (0..6).all(|a| plain.iter().filter(|&&b| b == Some(a)).count() <= 1);
                let within = plain.iter().flatten().all(|&a| a < columns);
                prop_assert_eq!(assignment.is_one_to_one(columns), apart && within);
            }
            let even = |i: usize, a: usize| (i + a).is_multiple_of(2);
            assignment.retain(even);
            for (i, slot) in plain.iter_mut().enumerate() {
                *slot = slot.filter(|&a| even(i, a));
            }
            prop_assert_eq!(&assignment, &plain);
            assignment.reset(3);
            prop_assert_eq!(&assignment, &[None; 3]);
        }
    }
}
