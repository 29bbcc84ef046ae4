//! Data sets of the literature, read from a folder that the caller has.
//!
//! No data stands in this repository. A data directory has one folder for each data set:
//!
//! ```text
//! DATA/
//! ├── cmu_hotel/
//! │   ├── points.csv      frame,point,x,y
//! │   └── images/         hotel.seqN.png, frame N; only for pictures
//! ├── pose_house/
//! │   └── points.csv      frame,point,x,y, or 70 text files; see pose_house
//! ├── dd_instances/
//! │   └── *.dd, *.txt     graph matching problems, see the table in dd
//! ├── netalign_*/, enron_igraphmatch/, celegans_connectomes/
//! │   └── *_edges.csv     pairs of real networks, see the table in networks
//! └── qaplib/
//!     ├── index.csv       name, n, best cost and permutation of each instance
//!     └── dat/NAME.dat    n, A, B
//! ```

pub mod dd;
pub mod hotel;
pub mod networks;
pub mod pose_house;
pub mod qaplib;

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anchormatch::Error;
use anchormatch::error::{Hint, ParseError, Words, advised};

/// The environment variable that programs read to find the data directory.
///
/// Only the commands read it.
pub const DATA_VARIABLE: &str = "ANCHORMATCH_DATA";

/// Why a data set could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DatasetError {
    /// Nobody said where the data are.
    #[error("data: found no folder, expected one")]
    Unnamed,
    /// The file is not there.
    #[error("{name}: found no {}; expected {layout} in the data directory", path.display())]
    Missing {
        /// The data set's name.
        name: &'static str,
        /// The file that was looked for.
        path: PathBuf,
        /// The file's place under the data directory, and what it holds.
        layout: &'static str,
    },
    /// The file is there and cannot be read.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: std::io::Error,
    },
    /// The file's contents are not those of the data set.
    #[error("{0}")]
    Contents(ParseError),
}

impl DatasetError {
    /// What could be done about it.
    #[must_use]
    pub fn hints(&self) -> &'static [Hint] {
        match self {
            Self::Unnamed | Self::Missing { .. } => &[Hint::DataFolder],
            Self::Io { .. } => &[],
            Self::Contents(fault) => fault.hints,
        }
    }

    /// The whole message, its advice in the words of a front door.
    #[must_use]
    pub fn worded(&self, words: Words) -> String {
        match self {
            Self::Contents(fault) => fault.worded(words),
            other => advised(other, other.hints(), words),
        }
    }

    /// What a reader of anchormatch said about a file of the data set `name`.
    fn of_file(error: Error, path: &Path, name: &'static str, layout: &'static str) -> Self {
        let path = path.to_owned();
        match error {
            Error::Io { source, .. } => Self::of_io(source, path, name, layout),
            Error::Parse(fault) => Self::Contents(fault),
            other => {
                let file = path.display().to_string();
                Self::Contents(ParseError::new(file, other.to_string(), layout))
            }
        }
    }

    /// What the operating system said about a file of the data set `name`.
    fn of_io(
        source: std::io::Error,
        path: PathBuf,
        name: &'static str,
        layout: &'static str,
    ) -> Self {
        match source.kind() {
            ErrorKind::NotFound | ErrorKind::NotADirectory => Self::Missing { name, path, layout },
            _ => Self::Io { path, source },
        }
    }
}
