//! MATLAB's `.mat` of version 5 to 7.2 (The MathWorks, *MAT-File Format*): a graph as its adjacency
//! matrix.
//!
//! Read are square numeric matrices, full or sparse, logical ones too, in either order of bytes,
//! compressed or not: the only one, or the one that the caller names. Other variables are passed
//! over, nested ones with all that they hold. Nodes are called 1, …, n as MATLAB counts, or by the
//! texts of a cell array called `ids`. Complex matrices have no undirected graph, and version 7.3 is
//! HDF5, another format.

mod element;
mod matrix;
mod read;
mod write;

pub use read::read_mat_from;
pub use write::write_mat;

/// The cell array that names the nodes.
const IDS: &str = "ids";

/// The kinds of data that elements hold.
mod kind {
    pub(super) const INT8: u32 = 1;
    pub(super) const UINT16: u32 = 4;
    pub(super) const INT32: u32 = 5;
    pub(super) const UINT32: u32 = 6;
    pub(super) const DOUBLE: u32 = 9;
    pub(super) const MATRIX: u32 = 14;
    pub(super) const COMPRESSED: u32 = 15;
    pub(super) const UTF8: u32 = 16;
    pub(super) const UTF16: u32 = 17;
}

/// The classes of arrays.
mod class {
    pub(super) const CELL: u8 = 1;
    pub(super) const CHAR: u8 = 4;
    pub(super) const SPARSE: u8 = 5;
    /// From double to 64-bit unsigned.
    pub(super) const NUMERIC: std::ops::RangeInclusive<u8> = 6..=15;
}
