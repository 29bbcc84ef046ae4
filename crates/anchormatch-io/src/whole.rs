//! Files that are there whole or not at all: written beside their place, then moved into it.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anchormatch::error::{Error, Result};

use super::is_standard;

/// Writes a file through `write`, whole or not at all; `-` is the standard output.
///
/// The bytes go to a temporary file in the same directory, reach the disk, and take the name in one
/// step: nobody sees half a file, and a failure leaves the old one. A new file has the permissions
/// that the umask gives, an old one keeps its own; a link keeps pointing where it pointed. What is
/// no ordinary file (a pipe, `/dev/null`) is written straight through.
///
/// # Errors
/// When a file cannot be made, written or moved, or `write` fails; the error names `path`.
pub fn write_whole(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<()> {
    if is_standard(path) {
        return through(io::stdout().lock(), write)
            .map(drop)
            .map_err(|source| Error::io("standard output", source));
    }
    write_file(path, write).map_err(|source| Error::io(path, source))
}

fn write_file(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let place = match fs::metadata(path) {
        Ok(old) if !old.is_file() => {
            let file = OpenOptions::new().write(true).open(path)?;
            return through(file, write).map(drop);
        }
        Ok(old) => (fs::canonicalize(path)?, Some(old.permissions())),
        // A link to nothing: creating the file through it is what a plain write would do.
        Err(_) if fs::symlink_metadata(path).is_ok() => {
            return through(File::create(path)?, write)?.sync_all();
        }
        Err(_) => (path.to_path_buf(), None),
    };
    let (place, permissions): (PathBuf, _) = place;
    let directory = match place.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    };
    let mut builder = tempfile::Builder::new();
    builder.prefix(".anchormatch-");
    #[cfg(unix)]
    {
        // Not private, as temporary files are by default: what a new file asks for, less the umask.
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    let mut temporary = builder.tempfile_in(directory)?;
    through(temporary.as_file_mut(), write)?;
    if let Some(permissions) = permissions {
        temporary.as_file().set_permissions(permissions)?;
    }
    temporary.as_file().sync_all()?;
    temporary.persist(&place).map_err(|e| e.error)?;
    Ok(())
}

/// Runs `write` over a buffer in front of `out`, and gives `out` back once everything has reached it.
fn through<W: Write>(
    out: W,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<W> {
    let mut buffer = BufWriter::with_capacity(1 << 16, out);
    write(&mut buffer)?;
    let mut out = buffer
        .into_inner()
        .map_err(io::IntoInnerError::into_error)?;
    out.flush()?;
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(directory: &Path) -> Vec<String> {
        fs::read_dir(directory)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect()
    }

    #[test]
    fn files_are_made_and_replaced() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.csv");
        for text in ["first", "2nd"] {
            write_whole(&path, |out| out.write_all(text.as_bytes())).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        assert_eq!(names(directory.path()), ["a.csv"]);
    }

    #[test]
    fn a_failure_leaves_the_old_file_and_nothing_else() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.csv");
        fs::write(&path, "old").unwrap();
        let error = write_whole(&path, |out| {
            out.write_all(b"new")?;
            Err(io::Error::other("no more"))
        })
        .unwrap_err();
        assert!(error.to_string().ends_with("a.csv: no more"), "{error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(names(directory.path()), ["a.csv"]);
    }

    #[test]
    fn a_missing_directory_and_a_directory_are_named() {
        let directory = tempfile::tempdir().unwrap();
        let missing = directory.path().join("no/a.csv");
        for path in [missing.as_path(), directory.path()] {
            let error = write_whole(path, |_| Ok(())).unwrap_err().to_string();
            assert!(error.starts_with(&*path.to_string_lossy()), "{error}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn permissions_are_those_of_any_new_file_or_of_the_old_one() {
        use std::os::unix::fs::PermissionsExt;
        let directory = tempfile::tempdir().unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let (ours, plain) = (
            directory.path().join("ours"),
            directory.path().join("plain"),
        );
        fs::write(&plain, "").unwrap();
        write_whole(&ours, |_| Ok(())).unwrap();
        assert_eq!(mode(&ours), mode(&plain));
        fs::set_permissions(&ours, fs::Permissions::from_mode(0o640)).unwrap();
        write_whole(&ours, |out| out.write_all(b"x")).unwrap();
        assert_eq!(mode(&ours), 0o640);
    }

    #[cfg(unix)]
    #[test]
    fn special_files_and_links_stay_what_they_are() {
        use std::os::unix::fs::FileTypeExt;
        write_whole("/dev/null".as_ref(), |out| out.write_all(b"x")).unwrap();
        let null = fs::metadata("/dev/null").unwrap();
        assert!(null.file_type().is_char_device());

        let directory = tempfile::tempdir().unwrap();
        let (file, link) = (directory.path().join("file"), directory.path().join("link"));
        std::os::unix::fs::symlink(&file, &link).unwrap();
        for text in ["through a link to nothing", "through a link"] {
            write_whole(&link, |out| out.write_all(text.as_bytes())).unwrap();
            assert_eq!(fs::read_to_string(&file).unwrap(), text);
            assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        }
    }
}
