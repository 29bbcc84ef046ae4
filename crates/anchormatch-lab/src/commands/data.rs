//! Where data sets are, and where tables made from them go.

use std::fs;
use std::path::{Path, PathBuf};

use anchormatch::Error;
use anchormatch::error::advice;
use anchormatch_terminal::exit::{Failure, Place};
use anchormatch_terminal::files::check_writable;
use anchormatch_terminal::hints::WORDS;

use crate::datasets::{DATA_VARIABLE, DatasetError};

/// The data folder: the one of the option, or else of the variable.
pub(super) fn directory(option: Option<&Path>) -> Result<PathBuf, DatasetError> {
    let variable = || std::env::var_os(DATA_VARIABLE).map(PathBuf::from);
    let named = option.map(Path::to_owned).or_else(variable);
    let is_named = |path: &PathBuf| !path.as_os_str().is_empty();
    named.filter(is_named).ok_or(DatasetError::Unnamed)
}

impl From<DatasetError> for Failure {
    fn from(error: DatasetError) -> Self {
        let place = match &error {
            DatasetError::Unnamed => Place {
                found: Some("no folder".to_owned()),
                expected: Some(format!("--data DIR or the variable {DATA_VARIABLE}")),
                ..Place::default()
            },
            DatasetError::Missing { path, layout, .. } => Place {
                file: Some(path.display().to_string()),
                found: Some("no such file".to_owned()),
                expected: Some((*layout).to_owned()),
                ..Place::default()
            },
            DatasetError::Io { path, source } => Place::of_io(path, source),
            DatasetError::Contents(fault) => fault.into(),
        };
        Self::Data {
            message: error.worded(WORDS),
            hint: advice(error.hints(), WORDS),
            place: Box::new(place),
        }
    }
}

/// Makes the folder `out` before the work, and says where its file `name` goes.
pub(super) fn prepare_out(out: Option<&Path>, name: &str) -> Result<Option<PathBuf>, Failure> {
    let Some(out) = out else {
        return Ok(None);
    };
    fs::create_dir_all(out).map_err(|source| Error::io(out, source))?;
    let file = out.join(name);
    check_writable(&file)?;
    Ok(Some(file))
}
