//! What commands share about files: checks before the work, quoting, and printing.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anchormatch::Error;
use anchormatch_io::write_whole;

use crate::exit::Failure;

/// Whether `path` is `-`, the standard input or output.
pub fn is_standard(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// What people call the file.
pub fn name(path: &Path) -> String {
    match path.file_name() {
        _ if is_standard(path) => "standard input".to_owned(),
        Some(name) => name.to_string_lossy().into_owned(),
        None => path.display().to_string(),
    }
}

/// Whether the file's name ends in `.wanted`.
pub fn has_extension(path: &Path, wanted: &str) -> bool {
    path.extension()
        .is_some_and(|e| e.eq_ignore_ascii_case(wanted))
}

/// Writes text to standard output.
pub fn print(text: &str) -> Result<(), Failure> {
    write(Path::new("-"), text)
}

/// Writes text to a file, whole or not at all, or to standard output.
pub fn write(path: &Path, text: &str) -> Result<(), Failure> {
    Ok(write_whole(path, |out| out.write_all(text.as_bytes()))?)
}

/// Refuses a place where no file can be written, before the work rather than after it.
pub fn check_writable(path: &Path) -> Result<(), Failure> {
    if is_standard(path) {
        return Ok(());
    }
    let name = path.display();
    match fs::metadata(path) {
        Ok(old) if old.is_dir() => {
            return Err(Failure::usage(name, "a directory", "the name of a file"));
        }
        Ok(old) if old.is_file() => {
            // Opened and closed: nothing is written, the permission is tried.
            let opened = fs::OpenOptions::new().append(true).open(path);
            return opened.map(drop).map_err(|e| Error::io(path, e).into());
        }
        // Pipes and devices: opening one may block or be seen by its reader.
        Ok(_) => return Ok(()),
        Err(_) => {}
    }
    let directory = match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    };
    if !directory.is_dir() {
        let found = format!("no directory `{}`", directory.display());
        return Err(Failure::usage(name, found, "one that exists"));
    }
    match tempfile::tempfile_in(directory) {
        Ok(_) => Ok(()),
        Err(error) => Err(Error::io(path, error).into()),
    }
}

/// Refuses inputs of which more than one is standard input.
pub fn check_standard_once(inputs: &[(&'static str, &Path)]) -> Result<(), Failure> {
    let mut standard = inputs.iter().filter(|(_, path)| is_standard(path));
    if let (Some((first, _)), Some((second, _))) = (standard.next(), standard.next()) {
        let found = format!("`-`, which {first} reads as well");
        let expected = "a file: standard input can be read once";
        return Err(Failure::usage(second, found, expected));
    }
    Ok(())
}

/// Refuses outputs that would overwrite an input or each other.
pub fn check_distinct(inputs: &[(&str, &Path)], outputs: &[(&str, &Path)]) -> Result<(), Failure> {
    let place = |path: &Path| (!is_standard(path)).then(|| canonical(path));
    for (k, (name, output)) in outputs.iter().enumerate() {
        let same = |other: &&(&str, &Path)| match (place(output), place(other.1)) {
            (Some(a), Some(b)) => a == b && !is_special(&a),
            _ => false,
        };
        if let Some((other, _)) = inputs.iter().chain(&outputs[..k]).find(same) {
            let found = format!("{}, which is {other} as well", output.display());
            return Err(Failure::usage(name, found, "a file of its own"));
        }
    }
    Ok(())
}

/// The one name of a file that may not be there yet.
fn canonical(path: &Path) -> PathBuf {
    let directory = match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    };
    match (fs::canonicalize(path), path.file_name()) {
        (Ok(place), _) => place,
        (Err(_), Some(name)) => {
            fs::canonicalize(directory).map_or_else(|_| path.to_owned(), |place| place.join(name))
        }
        (Err(_), None) => path.to_owned(),
    }
}

/// `/dev/null` and its like may be named twice.
fn is_special(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|m| !m.is_file())
}

/// A word as a POSIX shell reads it back.
pub fn shell_word(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=+:,@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// The command line of `program` that is running, as one would type it.
pub fn command_line(program: &str) -> String {
    let arguments = std::env::args_os().skip(1);
    std::iter::once(program.to_owned())
        .chain(arguments.map(|word| shell_word(&word.to_string_lossy())))
        .collect::<Vec<_>>()
        .join(" ")
}

/// Writes a field of a CSV file, quoted where that is needed.
pub fn write_field(out: &mut dyn Write, field: &str) -> io::Result<()> {
    let plain = |c: char| !(c.is_control() || c.is_whitespace() || ",;\"#%".contains(c));
    if !field.is_empty() && field.chars().all(plain) {
        out.write_all(field.as_bytes())
    } else {
        write!(out, "\"{}\"", field.replace('"', "\"\""))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_survive_the_shell() {
        assert_eq!(shell_word("a/b-c.csv"), "a/b-c.csv");
        assert_eq!(shell_word("two words"), "'two words'");
        assert_eq!(shell_word("it's"), r"'it'\''s'");
        assert_eq!(shell_word(""), "''");
    }

    #[test]
    fn fields_are_quoted_where_needed() {
        let field = |text: &str| {
            let mut bytes = Vec::new();
            write_field(&mut bytes, text).unwrap();
            String::from_utf8(bytes).unwrap()
        };
        assert_eq!(field("größe@0.5"), "größe@0.5");
        assert_eq!(field("a,b"), "\"a,b\"");
        assert_eq!(field("say \"hi\""), "\"say \"\"hi\"\"\"");
    }

    #[test]
    fn places_that_cannot_be_written_are_refused() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("a.csv");
        assert!(check_writable(&file).is_ok());
        assert!(!file.exists());
        assert!(check_writable(Path::new("-")).is_ok());
        assert!(check_writable(directory.path()).is_err());
        assert!(check_writable(&directory.path().join("no/a.csv")).is_err());
    }

    #[test]
    fn an_output_is_no_input() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("a.csv");
        fs::write(&file, "").unwrap();
        let other = directory.path().join("./a.csv");
        assert!(check_distinct(&[("SOURCE", &file)], &[("--output", &other)]).is_err());
        let new = directory.path().join("new.csv");
        let same = directory.path().join("./new.csv");
        assert!(check_distinct(&[], &[("--output", &new), ("--report", &same)]).is_err());
        let null = Path::new("/dev/null");
        assert!(check_distinct(&[], &[("--output", null), ("--report", null)]).is_ok());
        let dash = Path::new("-");
        assert!(check_distinct(&[("SOURCE", dash)], &[("--output", dash)]).is_ok());
    }
}
