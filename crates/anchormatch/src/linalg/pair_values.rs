//! A value for every pair of a row and a column: all of them, or those that are listed.
//!
//! Unary values of a program, soft results and similarities are such values. A full matrix is one
//! kind; the other is a list, and one value for all pairs that it leaves out. Who can work with a full
//! matrix alone asks for one by [`full`](PairValues::full), which refuses when the memory does not
//! suffice: nothing else makes one.

use std::borrow::Cow;
use std::ops::Index;

use super::{Csr, Matrix};
use crate::error::{Hint, Result};
use crate::monitor::Monitor;

/// Values of pairs (row, column), full or listed.
///
/// # Example
/// ```
/// use anchormatch::Monitor;
/// use anchormatch::linalg::{Csr, PairValues};
///
/// let values = PairValues::from(Csr::from_triplets(2, 3, [(0, 2, 1.5), (1, 0, -1.0)])?);
/// assert_eq!((values[(0, 2)], values[(1, 2)]), (1.5, 0.0));
/// assert!(values.as_full().is_none());
/// let full = values.full(&Monitor::silent())?;
/// assert_eq!(full.row(0), [0.0, 0.0, 1.5]);
/// # Ok::<(), anchormatch::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub enum PairValues {
    /// All of them.
    Full(Matrix),
    /// Some of them, and what all others are.
    Listed {
        /// The values that are listed.
        listed: Csr<f64>,
        /// The value of every other pair.
        others: f64,
    },
}

impl PairValues {
    /// The numbers of rows and columns.
    #[must_use]
    pub fn shape(&self) -> (usize, usize) {
        match self {
            Self::Full(matrix) => (matrix.rows(), matrix.cols()),
            Self::Listed { listed, .. } => (listed.rows(), listed.cols()),
        }
    }

    /// The value of a pair.
    #[inline]
    #[must_use]
    pub fn get(&self, i: usize, a: usize) -> f64 {
        self[(i, a)]
    }

    /// All values of row `i`.
    #[must_use]
    pub fn row(&self, i: usize) -> RowValues<'_> {
        RowValues(match self {
            Self::Full(matrix) => Row::Full(matrix.row(i).iter()),
            Self::Listed { listed, others } => {
                let (columns, values) = listed.parts(i);
                Row::Listed {
                    left: 0..listed.cols(),
                    columns,
                    values,
                    others: *others,
                }
            }
        })
    }

    /// All values, row after row.
    pub fn iter(&self) -> impl Iterator<Item = f64> + Clone + '_ {
        (0..self.shape().0).flat_map(move |i| self.row(i))
    }

    /// Every number that is the value of some pair, in O(stored) time: what bounds and checks need.
    pub fn occurring(&self) -> impl Iterator<Item = f64> + Clone + '_ {
        let (stored, others) = match self {
            Self::Full(matrix) => (matrix.as_slice(), None),
            Self::Listed { listed, others } => {
                let all = listed.rows().saturating_mul(listed.cols());
                let is_some_left = listed.entries() < all;
                (listed.values(), is_some_left.then_some(*others))
            }
        };
        stored.iter().copied().chain(others)
    }

    /// The bytes that the values take.
    #[must_use]
    pub fn memory(&self) -> u64 {
        match self {
            Self::Full(matrix) => size_of_val(matrix.as_slice()) as u64,
            Self::Listed { listed, .. } => listed.memory(),
        }
    }

    /// The full matrix, where there is one.
    #[must_use]
    pub fn as_full(&self) -> Option<&Matrix> {
        match self {
            Self::Full(matrix) => Some(matrix),
            Self::Listed { .. } => None,
        }
    }

    /// The full matrix: borrowed where there is one, made where the values are listed.
    ///
    /// # Errors
    /// When it has to be made and the memory does not suffice.
    pub fn full(&self, monitor: &Monitor) -> Result<Cow<'_, Matrix>> {
        match self {
            Self::Full(matrix) => Ok(Cow::Borrowed(matrix)),
            Self::Listed { listed, others } => filled(listed, *others, monitor).map(Cow::Owned),
        }
    }

    /// [`full`](Self::full), the matrix itself where there is one.
    ///
    /// # Errors
    /// As [`full`](Self::full).
    pub fn into_full(self, monitor: &Monitor) -> Result<Matrix> {
        match self {
            Self::Full(matrix) => Ok(matrix),
            Self::Listed { listed, others } => filled(&listed, others, monitor),
        }
    }

    /// The same pairs with other values.
    #[must_use]
    pub fn map(&self, mut value: impl FnMut(f64) -> f64) -> Self {
        match self {
            Self::Full(matrix) => {
                let values = matrix.as_slice().iter().map(|&v| value(v)).collect();
                Self::Full(Matrix::from_vec(matrix.rows(), matrix.cols(), values))
            }
            Self::Listed { listed, others } => Self::Listed {
                others: value(*others),
                listed: listed.map(value),
            },
        }
    }

    /// `out[i, a] += scale · value`, `out` a matrix of this shape, row after row.
    ///
    /// # Panics
    /// When `out` has another size.
    pub fn add_to(&self, out: &mut [f64], scale: f64) {
        let (rows, cols) = self.shape();
        assert_eq!(out.len(), rows * cols, "one slot for each pair");
        match self {
            Self::Full(matrix) => {
                for (slot, value) in out.iter_mut().zip(matrix.as_slice()) {
                    *slot += scale * value;
                }
            }
            Self::Listed { .. } => {
                for (slot, value) in out.iter_mut().zip(self.iter()) {
                    *slot += scale * value;
                }
            }
        }
    }
}

fn filled(listed: &Csr<f64>, others: f64, monitor: &Monitor) -> Result<Matrix> {
    let (rows, cols) = (listed.rows(), listed.cols());
    monitor.reserve(
        &format!("a full matrix of {rows}×{cols} values"),
        (rows as u64).saturating_mul(cols as u64).saturating_mul(8),
        &[Hint::MoreMemory, Hint::ListedPairs],
    )?;
    let mut matrix = Matrix::filled(rows, cols, others);
    for (i, a, value) in listed.triplets() {
        matrix[(i, a)] = value;
    }
    Ok(matrix)
}

impl Index<(usize, usize)> for PairValues {
    type Output = f64;

    #[inline]
    fn index(&self, (i, a): (usize, usize)) -> &f64 {
        match self {
            Self::Full(matrix) => &matrix[(i, a)],
            Self::Listed { listed, others } => match listed.place(i, a) {
                Some(place) => &listed.values()[place],
                None => others,
            },
        }
    }
}

impl From<Matrix> for PairValues {
    fn from(matrix: Matrix) -> Self {
        Self::Full(matrix)
    }
}

/// Pairs that are not listed have the value 0.
impl From<Csr<f64>> for PairValues {
    fn from(listed: Csr<f64>) -> Self {
        Self::Listed {
            listed,
            others: 0.0,
        }
    }
}

/// All values of a row, in order; see [`PairValues::row`].
#[derive(Debug, Clone)]
pub struct RowValues<'a>(Row<'a>);

#[derive(Debug, Clone)]
enum Row<'a> {
    Full(std::slice::Iter<'a, f64>),
    /// The columns that are left, and of the listed ones among them columns and values.
    Listed {
        left: std::ops::Range<usize>,
        columns: &'a [u32],
        values: &'a [f64],
        others: f64,
    },
}

impl Iterator for RowValues<'_> {
    type Item = f64;

    #[inline]
    fn next(&mut self) -> Option<f64> {
        match &mut self.0 {
            Row::Full(values) => values.next().copied(),
            Row::Listed {
                left,
                columns,
                values,
                others,
            } => {
                let a = left.next()?;
                match columns.split_first() {
                    Some((&first, rest)) if first as usize == a => {
                        let value = values[0];
                        (*columns, *values) = (rest, &values[1..]);
                        Some(value)
                    }
                    _ => Some(*others),
                }
            }
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        match &self.0 {
            Row::Full(values) => values.size_hint(),
            Row::Listed { left, .. } => left.size_hint(),
        }
    }
}

impl ExactSizeIterator for RowValues<'_> {}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn listed_values_are_those_of_the_full_matrix(
            n in 0usize..5, m in 0usize..5, others in -2i8..3,
            places in prop::collection::btree_map((0usize..5, 0usize..5), -3i8..4, 0..12),
        ) {
            let others = f64::from(others);
            let places = places.into_iter().filter(|((i, a), _)| *i < n && *a < m);
            let triplets: Vec<_> = places.map(|((i, a), v)| (i, a, f64::from(v))).collect();
            let mut matrix = Matrix::filled(n, m, others);
            triplets.iter().for_each(|&(i, a, v)| matrix[(i, a)] = v);
            let listed = Csr::from_triplets(n, m, triplets).unwrap();
            let silent = Monitor::silent();
            for values in [PairValues::Listed { listed, others }, PairValues::from(matrix.clone())] {
                prop_assert_eq!(values.shape(), (n, m));
                prop_assert!(values.iter().eq(matrix.as_slice().iter().copied()));
                for i in 0..n {
                    prop_assert_eq!(values.row(i).len(), m);
                    prop_assert!((0..m).all(|a| values.get(i, a) == matrix[(i, a)]));
                }
                let sorted = |values: &mut dyn Iterator<Item = f64>| {
                    let mut numbers: Vec<f64> = values.collect();
                    numbers.sort_by(f64::total_cmp);
                    numbers.dedup();
                    numbers
                };
                let want = sorted(&mut matrix.as_slice().iter().copied());
                prop_assert_eq!(sorted(&mut values.occurring()), want);
                let mut out = vec![1.0; n * m];
                values.add_to(&mut out, 2.0);
                let want = matrix.as_slice().iter().map(|value| 1.0 + 2.0 * value);
                prop_assert!(out.into_iter().eq(want));
                let halves = values.map(|value| 0.5 * value);
                prop_assert!(halves.iter().eq(values.iter().map(|value| 0.5 * value)));
                prop_assert_eq!(&*values.full(&silent).unwrap(), &matrix);
                prop_assert_eq!(&values.into_full(&silent).unwrap(), &matrix);
            }
        }
    }

    #[test]
    fn only_a_matrix_that_must_be_made_takes_memory() {
        let tight = Monitor::silent().max_memory(6 * 8 - 1);
        let listed = PairValues::from(Csr::empty(3, 2));
        let error = listed.full(&tight).unwrap_err().to_string();
        assert!(error.contains("a full matrix of 3×2 values"), "{error}");
        assert!(listed.into_full(&tight).is_err());
        let full = PairValues::from(Matrix::zeros(3, 2));
        assert!(matches!(full.full(&tight), Ok(Cow::Borrowed(_))));
        assert!(full.into_full(&tight).is_ok());
    }
}
