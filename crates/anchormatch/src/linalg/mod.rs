//! The one door to the linear-algebra crate: a row-major and a sparse matrix, products, symmetric
//! eigenpairs.
//!
//! Products are cut into row blocks of a fixed size, each multiplied by one thread, so that a result
//! has the same bits on any number of threads.

mod csr;
mod eigen;
mod matrix;
mod normal;
mod pair_values;
mod product;
mod vectors;

pub use csr::Csr;
pub use eigen::{SymmetricEigen, project_psd, symmetric_eigen};
pub use matrix::Matrix;
pub(crate) use normal::quantile;
pub use pair_values::{PairValues, RowValues};
pub use product::{dot, multiply_into, multiply_transposed_into, multiply_while};
pub use vectors::Vectors;
