//! Limits and interruptions: exit codes 3 and 4, and what is on the disk afterwards.

mod common;

use anchormatch_invariants::command::says;
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
fn advice_can_be_followed() {
    let bench = Bench::new();
    let ring: String = (0..400)
        .map(|i| format!("{i},{}\n", (i + 1) % 400))
        .collect();
    bench.file("ring.csv", &ring);
    let dense = "match ring.csv ring.csv --max-memory 1M";
    let line = bench.run(&format!("{dense} --regime dense")).refused(4);
    assert!(line.contains("--regime sparse"), "{line}");
    // Lists that do not fit either are for a cluster, and the help says from which size on.
    let lists = "match ring.csv ring.csv --regime sparse --max-memory 300K";
    let line = bench.run(lists).refused(4);
    assert!(line.contains("anchormatch.cluster.match"), "{line}");
    let help = bench.run("match --help").ok();
    let words: Vec<&str> = help.split_whitespace().collect();
    says(
        &words.join(" "),
        &[
            "ten million nodes on a machine of 32 GB",
            "anchormatch.cluster.match",
        ],
    );
    // A solver needs all pairs.
    let line = bench.run(&format!("{dense} --solver faq")).refused(4);
    assert!(!line.contains("--regime"), "{line}");
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
    // The complete graph of the distances is read for the paper's matcher, and for solvers.
    let distances = format!("{MATCH} --preset paper");
    for line in [&distances, &format!("{MATCH} --solver rrwm")] {
        let line = bench.run(&format!("{line} --max-memory 1M")).refused(4);
        says(&line, &["would take", "the limit is 1.0 MiB"]);
        assert!(line.contains("fewer points"), "{line}");
    }
    let line = bench.run(&format!("{MATCH} --max-memory 10K")).refused(4);
    says(&line, &["p.csv: 500 points", "the limit is 10.0 KiB"]);

    // Enough to read the graphs, too little to match them.
    for preset in [
        "best --points-model distances",
        "fast --points-model distances",
        "paper",
    ] {
        let limited = format!("{MATCH} --preset {preset} --max-memory 16M");
        let line = bench.run(&limited).refused(4);
        assert!(line.contains("--max-memory"), "{line}");
    }
    assert!(!bench.exists("m.csv"));

    let answer = bench.run(&format!("{distances} --max-memory 1M --json"));
    let value: Value = serde_json::from_str(&answer.stderr).unwrap();
    assert_eq!(value["error"]["limit_bytes"], 1 << 20);
    let line = bench.run("info p.csv --points --max-memory 1M").refused(4);
    assert!(line.contains("p.csv"), "{line}");
}

#[cfg(unix)]
#[test]
fn signals_keep_the_best_so_far() {
    for (name, preset, stage) in [
        ("-TERM", "paper", "rrwm"),
        ("-INT", "paper", "rrwm"),
        ("-INT", "best --points-model distances", "mean-field"),
    ] {
        let bench = Bench::new().with_points(400);
        let mut running = bench.start(&format!("{MATCH} --preset {preset} --progress json"));
        running.wait_for(&format!("\"{stage}\""));
        running.signal(name);
        let answer = running.end();
        assert_eq!(answer.code, 3, "{answer:?}");
        says(&answer.stderr, &["note: stopped on request after"]);
        assert!(bench.exists("m.csv"));
        whole_or_absent(&bench, 400);
    }
}

#[cfg(unix)]
#[test]
fn a_signal_while_waiting_for_input_ends_at_once() {
    let bench = Bench::new().with_pair();
    let mut running = bench.start("match - b.csv --output m.csv");
    // Longer than a pipe holds: once it is through, the handler is there and the reader waits.
    running.feed(&"# comment\n".repeat(40_000));
    running.signal("-TERM");
    let line = running.end().refused(3);
    assert_eq!(line, "stopped before a first result: cancelled");
    assert!(!bench.exists("m.csv"));
}
