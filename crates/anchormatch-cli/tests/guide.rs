//! The guides' commands print what stands below them.

#![cfg(unix)]
// Helpers of tests fail where a test would.
#![allow(clippy::unwrap_used)]

mod common;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use common::Bench;

/// A block of code: where it starts, its language, and what it holds.
struct Block {
    line: usize,
    language: String,
    text: String,
    /// Whether nothing but blank lines stands between it and the block before.
    follows: bool,
}

#[test]
fn commands_print_what_stands_below_them() {
    commands_of("guide", 5);
}

#[test]
fn commands_of_the_halves_of_a_brain_print_what_stands_below_them() {
    commands_of("guide-brain", 5);
}

#[test]
fn commands_of_the_profiles_print_what_stands_below_them() {
    commands_of("guide-profiles", 3);
}

/// Runs the commands of a guide, more than `least` blocks of them, in a copy of the folder with its name.
fn commands_of(guide: &str, least: usize) {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let bench = Bench::new();
    for entry in fs::read_dir(docs.join(guide)).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(&path, bench.path().join(path.file_name().unwrap())).unwrap();
    }
    let blocks = blocks(&fs::read_to_string(docs.join(format!("{guide}.md"))).unwrap());
    let mut commands = 0;
    for (place, block) in blocks.iter().enumerate() {
        if block.language != "sh" {
            continue;
        }
        commands += 1;
        let below = blocks.get(place + 1);
        let expected = below.filter(|next| next.follows && next.language == "text");
        let expected = expected.map_or("", |next| &next.text);
        let printed = shell(&bench, &block.text);
        assert!(
            same_text(&printed, expected),
            "docs/{guide}.md, line {}:\n{printed}",
            block.line
        );
    }
    assert!(commands > least, "{commands} blocks of commands");
}

/// What the lines print, standard error included.
fn shell(bench: &Bench, lines: &str) -> String {
    let binary = PathBuf::from(env!("CARGO_BIN_EXE_anchormatch"));
    let mut path = vec![binary.parent().expect("a binary in a folder").to_owned()];
    path.extend(env::split_paths(&env::var_os("PATH").expect("a PATH")));
    let output = Command::new("sh")
        .args(["-ec", &format!("exec 2>&1\n{lines}")])
        .current_dir(bench.path())
        .env(
            "PATH",
            env::join_paths(path).expect("folders without separators"),
        )
        .output()
        .expect("sh runs");
    assert!(output.status.success(), "{lines}: {output:?}");
    String::from_utf8(output.stdout).expect("text")
}

fn blocks(document: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let (mut inside, mut follows) = (false, false);
    for (number, line) in document.lines().enumerate() {
        if let Some(language) = line.strip_prefix("```") {
            inside = !inside;
            if inside {
                blocks.push(Block {
                    line: number + 1,
                    language: language.to_owned(),
                    text: String::new(),
                    follows,
                });
            }
            follows = true;
        } else if inside {
            let block = blocks.last_mut().expect("a block was begun");
            block.text += line;
            block.text.push('\n');
        } else if !line.trim().is_empty() {
            follows = false;
        }
    }
    blocks
}

/// The same words; figures with a point may differ a little, as estimates do between machines.
fn same_text(found: &str, expected: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        let parts = text.split(|c: char| c.is_whitespace() || "(),;".contains(c));
        parts
            .filter(|word| !word.is_empty())
            .map(str::to_owned)
            .collect()
    };
    let (found, expected) = (words(found), words(expected));
    found.len() == expected.len()
        && found.iter().zip(&expected).all(|(one, other)| {
            let figure = |word: &str| word.contains('.').then(|| word.parse::<f64>().ok())?;
            match (figure(one), figure(other)) {
                (Some(one), Some(other)) => (one - other).abs() <= 0.06,
                _ => one == other,
            }
        })
}
