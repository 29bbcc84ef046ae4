//! Libraries name no option of a command: what they advise is a `Hint`, which each front door words.

use std::path::PathBuf;

use crate::document::{root, table};
use crate::source::files;

/// Rooms of the laboratory that are no commands.
const LABORATORY: [&str; 2] = [
    "anchormatch-lab/src/datasets",
    "anchormatch-lab/src/experiments",
];

fn libraries() -> Vec<PathBuf> {
    let crates = root().join("crates");
    let mut folders = LABORATORY.map(|room| crates.join(room)).to_vec();
    for row in table("crate") {
        if row.cell("ships") == "library" {
            folders.push(crates.join(row.name).join("src"));
        }
    }
    folders
}

#[test]
fn no_library_names_an_option_of_a_command() {
    let mut named = Vec::new();
    for file in libraries().iter().flat_map(|folder| files(folder)) {
        let text = std::fs::read_to_string(&file.path).unwrap();
        for (number, line) in (1..).zip(text.lines()) {
            // Comments may: a threshold stands beside the command that measured it.
            let is_comment = line.trim_start().starts_with("//");
            if !is_comment && options(line).next().is_some() {
                named.push(format!("{}:{number} {}", file.path.display(), line.trim()));
            }
        }
    }
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

#[test]
fn options_are_told_from_other_dashes() {
    let named = |line| options(line).collect::<Vec<_>>();
    assert_eq!(
        named("raise --max-memory, or --points"),
        ["--max-memory", "--points"]
    );
    assert!(named("a - b -- c; x--y; ---; -1; `--`").is_empty());
}
