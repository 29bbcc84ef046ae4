//! Arrays of NumPy from and to the library's matrices.

use anchormatch::Assignment;
use anchormatch::linalg::{Csr, Matrix};
use anchormatch::problem::Weights;
use numpy::ndarray::ArrayView2;
use numpy::{
    IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2,
    PyUntypedArrayMethods,
};
use pyo3::exceptions::{PyMemoryError, PyValueError};
use pyo3::prelude::*;

/// A matrix with the entries of an array in any memory order.
///
/// An array may have more entries than memory (strides of zero repeat them): an error, not an abort.
pub(crate) fn matrix(array: &PyReadonlyArray2<'_, f64>) -> PyResult<Matrix> {
    let shape = array.shape();
    let mut data = Vec::new();
    data.try_reserve_exact(array.len()).map_err(|_| {
        PyMemoryError::new_err(format!(
            "a copy of a {}×{} array does not fit into memory",
            shape[0], shape[1]
        ))
    })?;
    match rows_in_memory(array) {
        Some(entries) => data.extend_from_slice(entries),
        None => data.extend(array.as_array().iter()),
    }
    Ok(Matrix::from_vec(shape[0], shape[1], data))
}

/// As [`matrix`], of an array that has to have this shape.
pub(crate) fn matrix_of(
    array: &PyReadonlyArray2<'_, f64>,
    name: &str,
    shape: (usize, usize),
) -> PyResult<Matrix> {
    if array.shape() == [shape.0, shape.1] {
        return matrix(array);
    }
    Err(PyValueError::new_err(format!(
        "{name}: found a {}×{} array, expected {}×{}",
        array.shape()[0],
        array.shape()[1],
        shape.0,
        shape.1
    )))
}

/// The entries row after row, when that is how they lie in memory.
pub(crate) fn rows_in_memory<'a>(array: &'a PyReadonlyArray2<'_, f64>) -> Option<&'a [f64]> {
    // A slice is lent in Fortran's order too.
    let entries = array.as_slice().ok();
    entries.filter(|_| array.is_c_contiguous())
}

/// An array that takes the matrix's memory over.
pub(crate) fn array(py: Python<'_>, matrix: Matrix) -> PyResult<Bound<'_, PyArray2<f64>>> {
    let (rows, cols) = (matrix.rows(), matrix.cols());
    matrix.into_vec().into_pyarray(py).reshape([rows, cols])
}

/// An array of node indices.
pub(crate) fn index_array<'py>(
    py: Python<'py>,
    nodes: impl IntoIterator<Item = usize>,
) -> Bound<'py, PyArray1<i64>> {
    let nodes: Vec<i64> = nodes.into_iter().map(|i| i as i64).collect();
    nodes.into_pyarray(py)
}

/// Partners as an array, −1 for none.
pub(crate) fn partner_array<'py>(
    py: Python<'py>,
    partners: &Assignment,
) -> Bound<'py, PyArray1<i64>> {
    let column = |partner: Option<usize>| partner.map_or(-1, |a| a as i64);
    let columns: Vec<i64> = partners.iter().map(column).collect();
    columns.into_pyarray(py)
}

/// Node indices from an array; negative ones are refused.
pub(crate) fn indices(
    array: &PyReadonlyArray1<'_, i64>,
    name: &'static str,
) -> PyResult<Vec<usize>> {
    let one = |&value: &i64| {
        usize::try_from(value).map_err(|_| {
            PyValueError::new_err(format!("{name}: found {value}, expected 0 or more"))
        })
    };
    array.as_array().iter().map(one).collect()
}

/// A square matrix as rows of entries: dense, or compressed by rows with ascending columns.
#[derive(FromPyObject)]
pub(crate) enum Square<'py> {
    #[pyo3(transparent)]
    Dense(PyReadonlyArray2<'py, f64>),
    #[pyo3(transparent)]
    Compressed(Compressed<'py>),
}

/// indptr, indices, data.
pub(crate) type Compressed<'py> = (
    PyReadonlyArray1<'py, i64>,
    PyReadonlyArray1<'py, i64>,
    PyReadonlyArray1<'py, f64>,
);

/// What [`Square`] lends to a thread without the interpreter's lock.
#[derive(Clone, Copy)]
pub(crate) enum Rows<'a> {
    Dense(ArrayView2<'a, f64>),
    Compressed(&'a [i64], &'a [i64], &'a [f64]),
}

impl Square<'_> {
    /// A checked view.
    pub(crate) fn rows(&self, name: &str) -> PyResult<Rows<'_>> {
        match self {
            Self::Dense(array) => {
                let shape = array.shape();
                if shape[0] != shape[1] {
                    return Err(PyValueError::new_err(format!(
                        "{name}: found a {}×{} array, expected a square one",
                        shape[0], shape[1]
                    )));
                }
                Ok(Rows::Dense(array.as_array()))
            }
            Self::Compressed((offsets, columns, values)) => {
                let (offsets, columns) = (offsets.as_slice()?, columns.as_slice()?);
                let values = values.as_slice()?;
                check_compressed(offsets, columns, values)
                    .map_err(|why| PyValueError::new_err(format!("{name}: {why}")))?;
                Ok(Rows::Compressed(offsets, columns, values))
            }
        }
    }
}

fn check_compressed(offsets: &[i64], columns: &[i64], values: &[f64]) -> Result<(), String> {
    let n = offsets.len().saturating_sub(1);
    let stored = columns.len() as i64;
    let sound = offsets.first() == Some(&0)
        && offsets.last() == Some(&stored)
        && columns.len() == values.len()
        && offsets.windows(2).all(|w| w[0] <= w[1]);
    if !sound {
        return Err("the row pointers of the sparse matrix do not fit its entries".into());
    }
    let ascending = offsets.windows(2).all(|w| {
        let row = &columns[w[0] as usize..w[1] as usize];
        row.windows(2).all(|c| c[0] < c[1])
            && row.first().is_none_or(|&c| c >= 0)
            && row.last().is_none_or(|&c| c < n as i64)
    });
    if ascending {
        Ok(())
    } else {
        Err(format!("expected ascending columns below {n} in every row"))
    }
}

impl Rows<'_> {
    /// The number of rows.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Dense(array) => array.nrows(),
            Self::Compressed(offsets, ..) => offsets.len().saturating_sub(1),
        }
    }

    /// Entries that are stored.
    pub(crate) fn stored(&self) -> u64 {
        match self {
            Self::Dense(array) => array.len() as u64,
            Self::Compressed(_, columns, _) => columns.len() as u64,
        }
    }

    /// The matrix itself; entries of zero that are stored are left out.
    pub(crate) fn weights(&self) -> Weights {
        match self {
            Self::Dense(array) => {
                let entries = match array.as_slice() {
                    Some(slice) => slice.to_vec(),
                    None => array.iter().copied().collect(),
                };
                Weights::Dense(Matrix::from_vec(array.nrows(), array.ncols(), entries))
            }
            Self::Compressed(offsets, columns, values) => {
                let nodes = offsets.len() - 1;
                let rows = offsets.windows(2).map(|w| {
                    let range = w[0] as usize..w[1] as usize;
                    let entries = columns[range.clone()].iter().zip(&values[range]);
                    let entries = entries.filter(|entry| *entry.1 != 0.0);
                    entries.map(|(&j, &value)| (j as usize, value))
                });
                Weights::Sparse(Csr::from_rows(nodes, rows).expect("arrays were checked"))
            }
        }
    }

    /// Entry (i, j).
    pub(crate) fn get(&self, i: usize, j: usize) -> f64 {
        match self {
            Self::Dense(array) => array[(i, j)],
            Self::Compressed(offsets, columns, values) => {
                let start = offsets[i] as usize;
                let row = &columns[start..offsets[i + 1] as usize];
                row.binary_search(&(j as i64))
                    .map_or(0.0, |place| values[start + place])
            }
        }
    }

    /// Calls `visit(j, entry)` for the stored entries of row i, in ascending order.
    pub(crate) fn visit(
        &self,
        i: usize,
        mut visit: impl FnMut(usize, f64) -> anchormatch::Result<()>,
    ) -> anchormatch::Result<()> {
        match self {
            Self::Dense(array) => array
                .row(i)
                .iter()
                .enumerate()
                .try_for_each(|(j, &value)| visit(j, value)),
            Self::Compressed(offsets, columns, values) => {
                let range = offsets[i] as usize..offsets[i + 1] as usize;
                let row = columns[range.clone()].iter().zip(&values[range]);
                row.into_iter()
                    .try_for_each(|(&j, &value)| visit(j as usize, value))
            }
        }
    }
}
