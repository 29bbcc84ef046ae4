//! Limits and interruptions: exit codes 3 and 4, and what is on the disk afterwards.

mod common;

use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};

use common::Bench;
use serde_json::Value;

const MATCH: &str = "match p.csv q.csv --points --anchors known.csv --output m.csv";

/// Either nothing was written or all pairs were.
#[track_caller]
fn whole_or_absent(bench: &Bench, pairs: usize) {
    let names = bench.names();
    assert!(names.iter().all(|name| !name.starts_with('.')), "{names:?}");
    if bench.exists("m.csv") {
        assert_eq!(bench.read("m.csv").lines().count(), pairs + 1);
    }
}

#[test]
fn a_time_limit_that_passes_before_a_first_result() {
    // The paper's matcher computes eigenpairs before it has any result.
    let bench = Bench::new().with_points(150);
    let line = bench
        .run(&format!("{MATCH} --preset paper --time-limit 0.000001"))
        .refused(3);
    assert_eq!(
        line,
        "stopped before a first result: the time limit has passed"
    );
    assert!(!bench.exists("m.csv"));

    let answer = bench.run(&format!(
        "{MATCH} --preset paper --time-limit 0.000001 --json"
    ));
    let value: Value = serde_json::from_str(&answer.stderr).unwrap();
    assert_eq!(
        (answer.code, value["error"]["kind"].as_str()),
        (3, Some("stopped"))
    );
}

#[test]
fn a_time_limit_that_passes_anywhere() {
    for (preset, limit) in [
        ("best", "0.000001"),
        ("best", "0.1"),
        ("fast", "0.01"),
        ("paper", "0.3"),
    ] {
        let bench = Bench::new().with_points(400);
        let answer = bench.run(&format!("{MATCH} --preset {preset} --time-limit {limit}"));
        assert_eq!(answer.code, 3, "{preset} {limit}: {answer:?}");
        assert!(answer.stderr.contains("stopped"), "{answer:?}");
        whole_or_absent(&bench, 400);
    }
}

#[test]
fn a_limit_that_is_far_away_changes_nothing() {
    let bench = Bench::new().with_points(20);
    bench
        .run(&format!("{MATCH} --time-limit 1e15 --max-memory 1T"))
        .ok();
    whole_or_absent(&bench, 20);
    assert!(bench.exists("m.csv"));
}

#[test]
fn too_little_memory() {
    let bench = Bench::new().with_points(500);
    let line = bench.run(&format!("{MATCH} --max-memory 1M")).refused(4);
    assert!(
        line.contains("needs") && line.contains("the limit is 1.0 MiB"),
        "{line}"
    );
    assert!(line.contains("fewer points"), "{line}");

    // Enough to read the graphs, too little to match them.
    for preset in ["best", "fast", "paper"] {
        let limited = format!("{MATCH} --preset {preset} --max-memory 16M");
        let line = bench.run(&limited).refused(4);
        assert!(line.contains("--max-memory"), "{line}");
    }
    assert!(!bench.exists("m.csv"));

    let answer = bench.run(&format!("{MATCH} --max-memory 1M --json"));
    let value: Value = serde_json::from_str(&answer.stderr).unwrap();
    assert_eq!(value["error"]["limit_bytes"], 1 << 20);
    let line = bench.run("info p.csv --points --max-memory 1M").refused(4);
    assert!(line.contains("p.csv"), "{line}");
}

#[cfg(unix)]
fn signal(id: u32, name: &str) {
    let status = Command::new("kill").args([name, &id.to_string()]).status();
    assert!(status.expect("the command kill").success());
}

#[cfg(unix)]
#[test]
fn signals_keep_the_best_so_far() {
    for (name, preset, stage) in [
        ("-TERM", "paper", "rrwm"),
        ("-INT", "paper", "rrwm"),
        ("-INT", "best", "mean-field"),
    ] {
        let bench = Bench::new().with_points(400);
        let mut child = Command::new(env!("CARGO_BIN_EXE_anchormatch"))
            .args(MATCH.split(' '))
            .args(["--preset", preset, "--progress", "json"])
            .current_dir(bench.path())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        while !line.contains(&format!("\"{stage}\"")) {
            line.clear();
            assert!(
                stderr.read_line(&mut line).unwrap() > 0,
                "it ended too early"
            );
        }
        signal(child.id(), name);
        let mut rest = String::new();
        stderr.read_to_string(&mut rest).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(3), "{rest}");
        assert!(rest.contains("note: stopped on request after"), "{rest}");
        assert!(bench.exists("m.csv"));
        whole_or_absent(&bench, 400);
    }
}

#[cfg(unix)]
#[test]
fn a_signal_while_waiting_for_input_ends_at_once() {
    let bench = Bench::new().with_pair();
    let mut child = Command::new(env!("CARGO_BIN_EXE_anchormatch"))
        .args(["match", "-", "b.csv", "--output", "m.csv"])
        .current_dir(bench.path())
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // Longer than a pipe holds: once it is through, the handler is there and the reader waits.
    let mut input = child.stdin.take().unwrap();
    let comments = "# comment\n".repeat(40_000);
    std::io::Write::write_all(&mut input, comments.as_bytes()).unwrap();
    signal(child.id(), "-TERM");
    let mut rest = String::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut rest)
        .unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(3));
    assert_eq!(rest, "error: stopped before a first result: cancelled\n");
    assert!(!bench.exists("m.csv"));
}
