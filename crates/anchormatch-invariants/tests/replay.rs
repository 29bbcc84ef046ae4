//! The seeds of the fuzz targets and every crash that was ever found, once more.
#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};

use anchormatch_invariants::{TARGETS, Target, check};
use anchormatch_io::Format;

fn fuzz() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz")
}

/// The files of a folder in the order of their names; none when there is no such folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

#[test]
fn every_seed_and_every_past_crash_holds() {
    for (name, target) in TARGETS {
        for kind in ["corpus", "crashes"] {
            for file in files(&fuzz().join(kind).join(name)) {
                println!("{}", file.display());
                target.check(&std::fs::read(&file).unwrap());
            }
        }
    }
}

#[test]
fn every_target_has_seeds_and_a_program() {
    let manifest = std::fs::read_to_string(fuzz().join("Cargo.toml")).unwrap();
    for (name, _) in TARGETS {
        assert!(
            !files(&fuzz().join("corpus").join(name)).is_empty(),
            "{name} has no seed"
        );
        assert!(
            manifest.contains(&format!("name = \"{name}\"")),
            "{name} is in fuzz/Cargo.toml"
        );
        let program = fuzz().join("fuzz_targets").join(format!("{name}.rs"));
        assert!(program.is_file(), "{}", program.display());
    }
}

#[test]
fn folders_are_those_of_targets() {
    for kind in ["corpus", "crashes"] {
        for folder in files(&fuzz().join(kind)) {
            let name = folder.file_name().unwrap().to_str().unwrap();
            assert!(
                TARGETS.iter().any(|(known, _)| *known == name),
                "{}",
                folder.display()
            );
        }
    }
}

#[test]
fn every_format_of_graphs_has_a_target() {
    for format in Format::ALL {
        let is = |target: &Target| matches!(target, Target::Graph(known) if *known == format);
        assert!(TARGETS.iter().any(|(_, target)| is(target)), "{format:?}");
    }
}

#[test]
#[should_panic(expected = "a target of the table")]
fn an_unknown_target_is_not_passed_over() {
    check("nothing", b"");
}
