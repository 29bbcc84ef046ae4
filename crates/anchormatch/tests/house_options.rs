//! The libraries name no option of a command: what they advise is a `Hint`, which each front door words.

use std::fs;
use std::path::{Path, PathBuf};

/// Crates that somebody else's program may use; the commands and the binding may name their own options.
const LIBRARIES: [&str; 4] = [
    "anchormatch",
    "anchormatch-io",
    "anchormatch-generate",
    "anchormatch-report",
];

#[test]
fn no_library_names_an_option_of_a_command() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut named = Vec::new();
    let mut files = 0;
    for library in LIBRARIES {
        for file in sources(&crates.join(library).join("src")) {
            files += 1;
            let text = fs::read_to_string(&file).unwrap();
            for (number, line) in (1..).zip(text.lines()) {
                // Comments may: a threshold stands beside the command that measured it.
                let is_comment = line.trim_start().starts_with("//");
                if !is_comment && options(line).next().is_some() {
                    named.push(format!("{}:{number}: {}", file.display(), line.trim()));
                }
            }
        }
    }
    assert!(files > 100, "the sources were not found");
    assert!(named.is_empty(), "{}", named.join("\n"));
}

/// The words of `line` that look like `--option`.
fn options(line: &str) -> impl Iterator<Item = &str> {
    let words = line.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'));
    words.filter(|word| {
        let name = word.strip_prefix("--");
        name.is_some_and(|name| name.starts_with(|c: char| c.is_ascii_lowercase()))
    })
}

/// All Rust files under `folder`; none when there is no such folder.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for entry in entries {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found
}

#[test]
fn options_are_told_from_other_dashes() {
    let named = |line| options(line).collect::<Vec<_>>();
    assert_eq!(
        named("raise --max-memory, or --points"),
        ["--max-memory", "--points"]
    );
    assert!(named("a - b -- c; x--y; ---; -1; `--`").is_empty());
}
