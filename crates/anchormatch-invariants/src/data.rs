//! Data sets that whoever runs the tests may have.

use std::io::Write;
use std::path::PathBuf;

/// The data folder, which the variable `ANCHORMATCH_DATA` names, when it has the folder `name`.
///
/// Otherwise `None`. That is said on standard error past the capture of tests, so that nobody
/// takes a test that had nothing to read for one that passed.
#[must_use]
pub fn data_with(name: &str) -> Option<PathBuf> {
    let data = std::env::var_os("ANCHORMATCH_DATA").filter(|value| !value.is_empty());
    let place = data.as_ref().map(|data| PathBuf::from(data).join(name));
    if place.as_ref().is_some_and(|place| place.is_dir()) {
        return data.map(PathBuf::from);
    }
    let why = match &place {
        Some(place) => format!("{} is absent", place.display()),
        None => "the variable ANCHORMATCH_DATA names no folder".to_owned(),
    };
    // A test that nobody watches has nobody to tell.
    let _ = writeln!(
        std::io::stderr(),
        "not tested: the data set {name}, as {why}"
    );
    None
}
