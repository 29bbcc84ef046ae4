//! NumPy's `.npy` (NEP 1) and `.npz`, an archive of them: a graph as its adjacency matrix.
//!
//! A `.npy` holds a square array of whole, floating-point or logical numbers in either order of
//! bytes and of rows; nodes are called 0, 1, …. A `.npz` holds such an array — the only square one,
//! or the one that the caller names — or a sparse matrix as `scipy.sparse.save_npz` writes it, in
//! the kinds csr, csc, coo and dia. A list of texts called `ids` names the nodes; SciPy and NumPy
//! pass it over. Pickled objects, which could do anything, are not read.

mod array;
mod npy;
mod npz;
mod sparse;
mod zip;

pub use npy::{read_npy_from, write_npy};
pub use npz::{read_npz_from, write_npz};
