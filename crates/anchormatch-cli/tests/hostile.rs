//! Damaged files of every format given to the command itself, in little memory: it ends with one of
//! the exit codes of the contract, with one line where it refuses, and never by a signal.
//!
//! `ANCHORMATCH_HOSTILE_FILES` asks for more files of each format, `ANCHORMATCH_MUTATION_SEED` for
//! others.
#![cfg(unix)]
// The lint spares test functions but not their helpers.
#![allow(clippy::unwrap_used)]

mod common;

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output};

use anchormatch_invariants::damage::Damage;
use anchormatch_invariants::{TARGETS, Target};
use common::Bench;

/// Formats of graphs by the names of the command line and of their seeds: every fuzz target of a graph.
fn formats() -> impl Iterator<Item = (&'static str, &'static str)> {
    TARGETS.iter().filter_map(|(seeds, target)| match target {
        Target::Graph(format) => Some((format.name(), *seeds)),
        _ => None,
    })
}

/// What is read from files beside graphs: the command, and the seeds.
const OTHERS: [(&str, &str); 5] = [
    ("solve FILE --format dd --solver rrwm", "dd"),
    ("solve FILE --format qaplib --solver faq", "qaplib"),
    ("solve FILE --format json --solver 2opt", "problem_json"),
    (
        "solve tiny.dat --start FILE --solver 2opt",
        "qaplib_solution",
    ),
    ("match a.csv b.csv --anchors FILE --preset fast", "pairs"),
];

const COMMANDS: [&str; 3] = [
    "info FILE --json --max-memory 64M",
    "convert FILE out.graphml --max-memory 64M",
    "match FILE FILE --preset fast --time-limit 5 --max-memory 128M --output out.csv",
];

fn setting(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).map_or(otherwise, |text| text.parse().unwrap())
}

fn seeds(target: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus");
    let mut paths: Vec<_> = fs::read_dir(folder.join(target))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    paths.iter().map(|path| fs::read(path).unwrap()).collect()
}

/// The command with at most 2 GiB of addresses, threads and program among them.
fn run(bench: &Bench, line: &str) -> Output {
    Command::new("sh")
        .args(["-c", "ulimit -v 2097152; exec \"$0\" \"$@\""])
        .arg(env!("CARGO_BIN_EXE_anchormatch"))
        .args(line.split_whitespace())
        .current_dir(bench.path())
        .output()
        .unwrap()
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// How often each exit code was given.
#[derive(Debug, Default)]
struct Codes([u32; 5]);

impl Codes {
    /// Runs `line`, which must end in a documented way.
    fn run(&mut self, bench: &Bench, line: &str, bytes: &[u8]) {
        let output = run(bench, line);
        let said = String::from_utf8_lossy(&output.stderr);
        let shown = String::from_utf8_lossy(bytes);
        let code = match output.status.code() {
            Some(code @ (0 | 2 | 3 | 4)) => code as usize,
            _ => panic!("{line}: {:?}: {said}: {shown:?}", output.status),
        };
        self.0[code] += 1;
        if code == 2 || code == 4 {
            assert_eq!(said.lines().count(), 1, "{line}: {said}: {shown:?}");
            assert!(said.starts_with("error: ") || said.starts_with("{\"error\""));
        }
    }

    /// Both ways out were really taken.
    fn check(&self, least: u32) {
        assert!(self.0[0] >= least && self.0[2] >= least, "{self:?}");
    }
}

fn damage() -> Damage {
    Damage::new(setting("ANCHORMATCH_MUTATION_SEED", 0))
}

fn files() -> usize {
    setting("ANCHORMATCH_HOSTILE_FILES", 9) as usize
}

#[test]
fn damaged_graphs_end_in_a_documented_way() {
    let mut damage = damage();
    let mut codes = Codes::default();
    for (format, target) in formats() {
        let seeds = seeds(target);
        for round in 0..files() {
            let mut bytes = seeds[round % seeds.len()].clone();
            damage.strike(&mut bytes);
            if round % 3 == 2 {
                bytes = packed(&bytes);
                if round % 2 == 0 {
                    damage.strike(&mut bytes);
                }
            }
            let bench = Bench::new();
            bench.file("file", &bytes);
            for command in COMMANDS {
                let line = format!("{} --format {format}", command.replace("FILE", "file"));
                codes.run(&bench, &line, &bytes);
            }
        }
    }
    codes.check(20);
}

#[test]
fn damaged_problems_starts_and_anchors_end_in_a_documented_way() {
    let mut damage = damage();
    let mut codes = Codes::default();
    for (command, target) in OTHERS {
        let seeds = seeds(target);
        for round in 0..files() {
            let mut bytes = seeds[round % seeds.len()].clone();
            damage.strike(&mut bytes);
            let bench = Bench::new().with_pair();
            bench.file("tiny.dat", common::problems::dat(3).0);
            bench.file("file", &bytes);
            let command = command.replace("FILE", "file");
            let line = format!("{command} --time-limit 5 --max-memory 128M");
            codes.run(&bench, &line, &bytes);
        }
    }
    codes.check(3);
}
