//! Compressed sparse rows: the one sparse matrix of the house.
//!
//! Row i's entries stand at `offsets[i]..offsets[i + 1]` of two lists, their columns ascending and
//! their values beside them. Graphs, sparse weights, listed candidates and the walks of annealing all
//! are this; a `Csr<()>` is a pattern without values.

mod products;

use std::ops::{AddAssign, Range};

use crate::error::{Error, Result};

/// A sparse matrix of `T`, rows with ascending columns.
///
/// # Example
/// ```
/// use anchormatch::linalg::Csr;
///
/// let matrix = Csr::from_triplets(2, 3, [(1, 2, 4.0), (0, 1, 1.5), (1, 2, 0.5)])?;
/// assert_eq!(matrix.row(1).collect::<Vec<_>>(), [(2, 4.5)]);
/// assert_eq!(matrix.get(0, 0), None);
/// assert_eq!(matrix.transposed().get(1, 0), Some(1.5));
/// # Ok::<(), anchormatch::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Csr<T> {
    cols: usize,
    offsets: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<T>,
}

impl<T: Copy> Csr<T> {
    /// A square matrix with as many more rows and columns without entries.
    pub(crate) fn extended(mut self, size: usize) -> Self {
        debug_assert!(size >= self.rows() && fits(size), "a matrix that grows");
        self.offsets.resize(size + 1, self.entries());
        self.cols = size;
        self
    }

    /// A matrix without entries.
    ///
    /// # Panics
    /// When there are more than 2³² columns.
    #[must_use]
    pub fn empty(rows: usize, cols: usize) -> Self {
        assert!(fits(cols), "columns are 32-bit numbers");
        Self {
            cols,
            offsets: vec![0; rows + 1],
            columns: Vec::new(),
            values: Vec::new(),
        }
    }

    /// The matrix of these rows, each a list of (column, value) with ascending columns.
    ///
    /// # Errors
    /// When the columns of a row are out of order or range, or there are more than 2³² of them.
    pub fn from_rows<R>(cols: usize, rows: impl IntoIterator<Item = R>) -> Result<Self>
    where
        R: IntoIterator<Item = (usize, T)>,
    {
        let mut matrix = Self::empty(0, check_columns(cols)?);
        for row in rows {
            let begin = matrix.columns.len();
            for (j, value) in row {
                let ascends = matrix.columns[begin..]
                    .last()
                    .is_none_or(|&last| (last as usize) < j);
                if !ascends || j >= cols {
                    return Err(disordered(cols));
                }
                matrix.columns.push(j as u32);
                matrix.values.push(value);
            }
            matrix.offsets.push(matrix.columns.len());
        }
        Ok(matrix)
    }

    /// The matrix of these three lists, in the layout that most libraries use.
    ///
    /// # Errors
    /// When the lists do not fit together, or the columns of a row are out of order or range.
    pub fn from_parts(
        cols: usize,
        offsets: Vec<usize>,
        columns: Vec<u32>,
        values: Vec<T>,
    ) -> Result<Self> {
        let sound = offsets.first() == Some(&0)
            && offsets.last() == Some(&columns.len())
            && columns.len() == values.len()
            && offsets.is_sorted();
        if !sound {
            return Err(Error::parameter(
                "sparse matrix",
                "offsets that do not fit its entries",
                "offsets ascending from 0 to the number of entries",
            ));
        }
        check_columns(cols)?;
        let matrix = Self {
            cols,
            offsets,
            columns,
            values,
        };
        let in_order = (0..matrix.rows()).all(|i| {
            let columns = matrix.columns(i);
            columns.is_sorted_by(|x, y| x < y)
                && columns.last().is_none_or(|&last| (last as usize) < cols)
        });
        if in_order {
            Ok(matrix)
        } else {
            Err(disordered(cols))
        }
    }

    /// The matrix of entries (row, column, value) in any order; values of one place add up in the
    /// order in which they come.
    ///
    /// # Errors
    /// When an entry is outside the shape, or there are more than 2³² columns.
    pub fn from_triplets(
        rows: usize,
        cols: usize,
        triplets: impl IntoIterator<Item = (usize, usize, T)>,
    ) -> Result<Self>
    where
        T: AddAssign,
    {
        Self::merged(rows, cols, triplets, |sum, value| *sum += value)
    }

    /// As [`from_triplets`](Self::from_triplets), with any rule for two values of one place.
    fn merged(
        rows: usize,
        cols: usize,
        triplets: impl IntoIterator<Item = (usize, usize, T)>,
        mut merge: impl FnMut(&mut T, T),
    ) -> Result<Self> {
        check_columns(cols)?;
        let mut triplets: Vec<(usize, u32, T)> = triplets
            .into_iter()
            .map(|(i, j, value)| {
                if i < rows && j < cols {
                    Ok((i, j as u32, value))
                } else {
                    Err(Error::parameter(
                        "sparse matrix",
                        format!("({i}, {j})"),
                        format!("entries within {rows}×{cols}"),
                    ))
                }
            })
            .collect::<Result<_>>()?;
        // Stable: the values of one place stay in their order.
        triplets.sort_by_key(|&(i, j, _)| (i, j));
        let mut matrix = Self {
            cols,
            offsets: vec![0; rows + 1],
            columns: Vec::with_capacity(triplets.len()),
            values: Vec::with_capacity(triplets.len()),
        };
        let mut last = None;
        for (i, j, value) in triplets {
            match matrix.values.last_mut() {
                Some(sum) if last == Some((i, j)) => merge(sum, value),
                _ => {
                    matrix.columns.push(j);
                    matrix.values.push(value);
                    matrix.offsets[i + 1] += 1;
                }
            }
            last = Some((i, j));
        }
        for i in 0..rows {
            matrix.offsets[i + 1] += matrix.offsets[i];
        }
        Ok(matrix)
    }

    /// The number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.offsets.len() - 1
    }

    /// The number of columns.
    #[must_use]
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// The number of entries stored.
    #[must_use]
    pub fn entries(&self) -> usize {
        self.columns.len()
    }

    /// The bytes that the matrix holds.
    #[must_use]
    pub fn memory(&self) -> u64 {
        let bytes = size_of_val(&self.offsets[..])
            + size_of_val(&self.columns[..])
            + size_of_val(&self.values[..]);
        bytes as u64
    }

    /// The number of the first entry of row `i` and of the one after its last.
    #[inline]
    #[must_use]
    pub fn range(&self, i: usize) -> Range<usize> {
        self.offsets[i]..self.offsets[i + 1]
    }

    /// The columns of row `i`, ascending.
    #[inline]
    #[must_use]
    pub fn columns(&self, i: usize) -> &[u32] {
        &self.columns[self.range(i)]
    }

    /// The columns of row `i`, and the values beside them.
    #[inline]
    #[must_use]
    pub fn parts(&self, i: usize) -> (&[u32], &[T]) {
        let range = self.range(i);
        (&self.columns[range.clone()], &self.values[range])
    }

    /// The entries (column, value) of row `i`, columns ascending.
    #[inline]
    pub fn row(
        &self,
        i: usize,
    ) -> impl ExactSizeIterator<Item = (usize, T)> + DoubleEndedIterator + Clone + '_ {
        let (columns, values) = self.parts(i);
        columns
            .iter()
            .zip(values)
            .map(|(&j, &value)| (j as usize, value))
    }

    /// All entries (row, column, value), row after row.
    pub fn triplets(&self) -> impl Iterator<Item = (usize, usize, T)> + '_ {
        (0..self.rows()).flat_map(move |i| self.row(i).map(move |(j, value)| (i, j, value)))
    }

    /// All values, row after row.
    #[must_use]
    pub fn values(&self) -> &[T] {
        &self.values
    }

    /// The column of an entry, by its place among [`values`](Self::values).
    #[inline]
    #[must_use]
    pub fn column(&self, place: usize) -> u32 {
        self.columns[place]
    }

    /// The number of the entry in row `i` and column `j`, its place among [`values`](Self::values).
    #[inline]
    #[must_use]
    pub fn place(&self, i: usize, j: usize) -> Option<usize> {
        let range = self.range(i);
        if range.len() == self.cols {
            // Nothing is left out of the row.
            return (j < self.cols).then_some(range.start + j);
        }
        let columns = &self.columns[range.clone()];
        // Columns are 32-bit numbers, so that a larger j is none of them.
        let j = u32::try_from(j).ok()?;
        let found = columns.binary_search(&j).ok()?;
        Some(range.start + found)
    }

    /// The value in row `i` and column `j`, when there is an entry.
    #[inline]
    #[must_use]
    pub fn get(&self, i: usize, j: usize) -> Option<T> {
        self.place(i, j).map(|place| self.values[place])
    }

    /// The same entries with other values.
    #[must_use]
    pub fn map<U>(&self, value: impl FnMut(T) -> U) -> Csr<U> {
        Csr {
            cols: self.cols,
            offsets: self.offsets.clone(),
            columns: self.columns.clone(),
            values: self.values.iter().copied().map(value).collect(),
        }
    }

    /// The entries that `keep` wants.
    #[must_use]
    pub fn filtered(&self, mut keep: impl FnMut(usize, usize, T) -> bool) -> Self {
        let mut kept = Self::empty(0, self.cols);
        for i in 0..self.rows() {
            for (j, value) in self.row(i).filter(|&(j, value)| keep(i, j, value)) {
                kept.columns.push(j as u32);
                kept.values.push(value);
            }
            kept.offsets.push(kept.columns.len());
        }
        kept
    }

    /// The transpose.
    ///
    /// # Panics
    /// When there are more than 2³² rows.
    #[must_use]
    pub fn transposed(&self) -> Self {
        assert!(fits(self.rows()), "columns are 32-bit numbers");
        let mut offsets = vec![0; self.cols + 1];
        for &j in &self.columns {
            offsets[j as usize + 1] += 1;
        }
        for j in 0..self.cols {
            offsets[j + 1] += offsets[j];
        }
        let mut next = offsets.clone();
        let mut columns = vec![0; self.columns.len()];
        // What stands there is written over: every place is filled once.
        let mut values = self.values.clone();
        for i in 0..self.rows() {
            for (j, value) in self.row(i) {
                columns[next[j]] = i as u32;
                values[next[j]] = value;
                next[j] += 1;
            }
        }
        Self {
            cols: self.rows(),
            offsets,
            columns,
            values,
        }
    }

    /// The rows and the columns listed, in these orders, each column at most once.
    ///
    /// # Panics
    /// When a row or column does not exist.
    #[must_use]
    pub fn select(&self, rows: &[usize], cols: &[usize]) -> Self {
        let mut place = vec![u32::MAX; self.cols];
        for (new, &old) in cols.iter().enumerate() {
            place[old] = new as u32;
        }
        let mut kept = Self::empty(0, cols.len());
        let mut row: Vec<(u32, T)> = Vec::new();
        for &i in rows {
            row.clear();
            row.extend(self.row(i).map(|(j, value)| (place[j], value)));
            row.retain(|entry| entry.0 != u32::MAX);
            if !row.is_sorted_by_key(|entry| entry.0) {
                row.sort_unstable_by_key(|entry| entry.0);
            }
            for &(j, value) in &row {
                kept.columns.push(j);
                kept.values.push(value);
            }
            kept.offsets.push(kept.columns.len());
        }
        kept
    }
}

impl Csr<()> {
    /// The pattern of these places (row, column), in any order; repetitions count once.
    ///
    /// # Errors
    /// When a place is outside the shape, or there are more than 2³² columns.
    pub fn pattern(
        rows: usize,
        cols: usize,
        places: impl IntoIterator<Item = (usize, usize)>,
    ) -> Result<Self> {
        let places = places.into_iter().map(|(i, j)| (i, j, ()));
        Self::merged(rows, cols, places, |(), ()| ())
    }
}

fn fits(cols: usize) -> bool {
    cols <= 1 << 32
}

fn check_columns(cols: usize) -> Result<usize> {
    if fits(cols) {
        Ok(cols)
    } else {
        let expected = "at most 2^32, the 32-bit numbers";
        Err(Error::parameter("columns", cols, expected))
    }
}

#[cold]
fn disordered(cols: usize) -> Error {
    Error::parameter(
        "sparse matrix",
        "columns out of order or range",
        format!("ascending columns below {cols} in every row"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::Matrix;
    use proptest::prelude::*;

    type Entries = Vec<(usize, usize, f64)>;

    /// A shape and entries within it, some of them at one place.
    fn matrices() -> impl Strategy<Value = (usize, usize, Entries)> {
        (0usize..6, 0usize..6).prop_flat_map(|(n, m)| {
            let entry =
                (0..n.max(1), 0..m.max(1), -8..9).prop_map(|(i, j, v)| (i, j, f64::from(v)));
            let most = if n * m == 0 { 0 } else { 12 };
            (Just(n), Just(m), prop::collection::vec(entry, 0..=most))
        })
    }

    fn dense(n: usize, m: usize, entries: &Entries) -> Matrix {
        let mut matrix = Matrix::zeros(n, m);
        for &(i, j, value) in entries {
            matrix[(i, j)] += value;
        }
        matrix
    }

    proptest! {
        #[test]
        fn it_is_the_full_matrix((n, m, entries) in matrices()) {
            let full = dense(n, m, &entries);
            let sparse = Csr::from_triplets(n, m, entries.iter().copied()).unwrap();
            prop_assert_eq!((sparse.rows(), sparse.cols()), (n, m));
            prop_assert_eq!(&sparse.to_dense(), &full);
            prop_assert_eq!(&sparse.transposed().to_dense(), &full.transposed());
            prop_assert_eq!(&sparse.transposed().transposed(), &sparse);
            for i in 0..n {
                prop_assert!(sparse.columns(i).is_sorted_by(|x, y| x < y));
                for j in 0..m {
                    let listed = entries.iter().any(|e| (e.0, e.1) == (i, j));
                    prop_assert_eq!(sparse.get(i, j), listed.then(|| full[(i, j)]));
                    if let Some(place) = sparse.place(i, j) {
                        prop_assert_eq!(sparse.values()[place], full[(i, j)]);
                    }
                }
                prop_assert_eq!(sparse.get(i, m), None);
            }
            let without_zeros = Csr::from_dense(&full);
            prop_assert_eq!(&sparse.filtered(|_, _, value| value != 0.0), &without_zeros);
            let again = Csr::from_rows(m, (0..n).map(|i| sparse.row(i))).unwrap();
            prop_assert_eq!(&again, &sparse);
            let halves = sparse.map(|value| 0.5 * value).to_dense();
            prop_assert!((0..n * m).all(|k| 2.0 * halves.as_slice()[k] == full.as_slice()[k]));
            let rows: Vec<usize> = (0..n).filter(|i| i % 2 == 0).collect();
            let cols: Vec<usize> = (0..m).filter(|j| j % 3 != 1).collect();
            let backwards: Vec<usize> = cols.iter().rev().copied().collect();
            for cols in [cols, backwards] {
                let part = sparse.select(&rows, &cols);
                prop_assert_eq!((part.rows(), part.cols()), (rows.len(), cols.len()));
                prop_assert_eq!(part.to_dense(), full.select(&rows, &cols));
                prop_assert!(part.columns.is_empty() || part.get(0, 0) == sparse.get(rows[0], cols[0]));
            }
        }

        #[test]
        fn products_are_those_of_the_full_matrix((n, m, entries) in matrices(), width in 0usize..4) {
            let full = dense(n, m, &entries);
            let sparse = Csr::from_triplets(n, m, entries).unwrap();
            let x = Matrix::from_fn(m, width, |i, j| (3 * i + j) as f64 - 2.0);
            let mut out = vec![f64::NAN; n * width];
            sparse.multiply_into(&mut out, x.as_slice(), width);
            for i in 0..n {
                for k in 0..width {
                    let want: f64 = (0..m).map(|j| full[(i, j)] * x[(j, k)]).sum();
                    prop_assert_eq!(out[i * width + k], want);
                }
            }
            let product = sparse.multiply(&Csr::from_dense(&x));
            let wanted = |i: usize, k: usize| (0..m).map(|j| full[(i, j)] * x[(j, k)]).sum::<f64>();
            prop_assert_eq!(product.to_dense(), Matrix::from_fn(n, width, wanted));
            let x = x.transposed();
            let mut out = vec![f64::NAN; width * n];
            sparse.multiply_transposed_into(&mut out, x.as_slice());
            for k in 0..width {
                for i in 0..n {
                    let want: f64 = (0..m).map(|j| full[(i, j)] * x[(k, j)]).sum();
                    prop_assert_eq!(out[k * n + i], want);
                }
            }
        }
    }

    #[test]
    fn disorder_is_refused() {
        let rows = |rows: Vec<Vec<(usize, f64)>>| Csr::from_rows(2, rows).is_err();
        assert!(rows(vec![vec![(1, 1.0), (0, 1.0)]]));
        assert!(rows(vec![vec![(1, 1.0), (1, 1.0)]]));
        assert!(rows(vec![vec![(2, 1.0)]]));
        assert!(!rows(vec![vec![], vec![(0, 1.0), (1, 1.0)]]));
        assert!(Csr::from_triplets(1, 1, [(1, 0, 1.0)]).is_err());
        assert!(Csr::from_triplets(1, 1, [(0, 1, 1.0)]).is_err());
        let parts = |offsets: &[usize], columns: &[u32]| {
            let values = vec![(); columns.len()];
            Csr::from_parts(3, offsets.to_vec(), columns.to_vec(), values)
        };
        assert_eq!(parts(&[0, 1, 3], &[2, 0, 1]).unwrap().columns(1), [0, 1]);
        for (offsets, columns) in [
            (&[][..], &[][..]),
            (&[1], &[]),
            (&[0, 1], &[]),
            (&[0, 2, 1], &[0]),
            (&[0, 2], &[1, 1]),
            (&[0, 1], &[3]),
        ] {
            assert!(parts(offsets, columns).is_err(), "{offsets:?} {columns:?}");
        }
    }
}
