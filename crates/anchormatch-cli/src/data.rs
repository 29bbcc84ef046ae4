//! Where data sets are, and where tables made from them go.

use std::fs;
use std::path::{Path, PathBuf};

use anchormatch::Error;
use anchormatch_lab::datasets::{DATA_VARIABLE, data_dir};

use crate::exit::Failure;
use crate::files::check_writable;

/// The data folder: the one of the option, of the variable, `../shared/data` or `data`.
pub(crate) fn directory(option: Option<&Path>) -> PathBuf {
    if option.is_some() {
        return data_dir(option);
    }
    let variable = std::env::var_os(DATA_VARIABLE).map(PathBuf::from);
    let beside = Path::new("../shared/data");
    match variable.filter(|path| !path.as_os_str().is_empty()) {
        Some(named) => named,
        None if beside.is_dir() => beside.to_owned(),
        None => data_dir(None),
    }
}

/// Makes the folder `out` before the work, and says where its file `name` goes.
pub(crate) fn prepare_out(out: Option<&Path>, name: &str) -> Result<Option<PathBuf>, Failure> {
    let Some(out) = out else {
        return Ok(None);
    };
    fs::create_dir_all(out).map_err(|source| Error::io(out, source))?;
    let file = out.join(name);
    check_writable(&file)?;
    Ok(Some(file))
}
