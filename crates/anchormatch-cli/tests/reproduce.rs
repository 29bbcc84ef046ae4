//! `reproduce`: journals that survive anything, the same tables whatever happened, and verdicts.
#![cfg(feature = "reproduce")]

mod common;

use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use anchormatch_invariants::command::says;
use common::Bench;
use serde_json::Value;

/// Tables that must not depend on when or how often a run was interrupted.
const TABLES: [&str; 2] = ["noise.csv", "noise-trials.csv"];

fn tables(bench: &Bench, folder: &str) -> Vec<String> {
    TABLES
        .map(|name| bench.read(&format!("{folder}/{name}")))
        .to_vec()
}

fn start(bench: &Bench, line: &str) -> std::process::Child {
    Command::new(env!("CARGO_BIN_EXE_anchormatch"))
        .args(line.split(' '))
        .current_dir(bench.path())
        .env_remove("ANCHORMATCH_DATA")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the command starts")
}

/// Points and trials in a journal, each once.
fn keys(journal: &str) -> HashSet<String> {
    let mut keys = HashSet::new();
    for line in journal.lines().skip(1) {
        let value: Value = serde_json::from_str(line).expect("a whole line");
        assert!(
            keys.insert(format!("{} {}", value["point"], value["trial"])),
            "{line}"
        );
    }
    keys
}

#[test]
fn a_run_that_is_killed_at_any_moment_ends_in_the_same_tables() {
    let bench = Bench::new();
    let line = "reproduce noise --trials 2 --data none --threads 2 --out";
    bench.run(&format!("{line} whole")).ok();
    let whole = tables(&bench, "whole");
    let trials = keys(&bench.read("whole/journal/noise.jsonl"));
    assert_eq!(trials.len(), 22);

    let (mut wait, mut kills, mut state) = (30u64, 0, 12_345u64);
    loop {
        let mut child = start(&bench, &format!("{line} broken"));
        // Some moment up to the wait, which grows so that even a busy machine comes to an end.
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        thread::sleep(Duration::from_millis(wait / 2 + (state >> 33) % wait));
        wait = wait * 5 / 4 + 10;
        if let Some(status) = child.try_wait().expect("a child to wait for") {
            assert!(status.success(), "{status}");
            break;
        }
        // On Unix this is SIGKILL.
        child.kill().expect("a child to kill");
        child.wait().expect("a child to wait for");
        kills += 1;
    }
    assert!(kills > 0, "the first wait is shorter than any run");
    assert_eq!(tables(&bench, "broken"), whole);
    assert_eq!(keys(&bench.read("broken/journal/noise.jsonl")), trials);
}

#[test]
fn torn_lines_threads_and_more_trials_change_no_number() {
    let bench = Bench::new();
    let line = "reproduce noise --data none --out";
    bench
        .run(&format!("{line} one --trials 2 --threads 1"))
        .ok();
    bench
        .run(&format!("{line} three --trials 2 --threads 3"))
        .ok();
    let one = tables(&bench, "one");
    assert_eq!(tables(&bench, "three"), one);

    // A torn last line is run again; `--resume` asks for a run to go on with.
    let path = bench.path().join("three/journal/noise.jsonl");
    let journal = fs::read(&path).unwrap();
    fs::write(&path, &journal[..journal.len() - 25]).unwrap();
    fs::remove_file(bench.path().join("three/noise.csv")).unwrap();
    bench.run(&format!("{line} three --trials 2 --resume")).ok();
    assert_eq!(tables(&bench, "three"), one);
    let refused = bench
        .run(&format!("{line} nowhere --trials 2 --resume"))
        .refused(2);
    says(&refused, &["--resume", "no journal"]);

    // Fewer trials, then more, of the same journal.
    bench.run(&format!("{line} grown --trials 1")).ok();
    bench.run(&format!("{line} grown --trials 2")).ok();
    assert_eq!(tables(&bench, "grown"), one);

    // Other settings are another run.
    let other = format!("{line} grown --trials 2 --seed 9");
    let refused = bench.run(&other).refused(2);
    says(&refused, &["other settings (seed: 0)", "--fresh"]);
    bench.run(&format!("{other} --fresh")).ok();
    assert_ne!(tables(&bench, "grown"), one);
}

#[test]
fn what_is_missing_is_said_and_the_others_run() {
    let bench = Bench::new();
    let line = "reproduce noise hotel hotel-anchors --trials 2 --data none --out results";
    let text = bench.run(line).ok();
    let missing = text.lines().find(|l| l.starts_with("– ")).unwrap();
    assert!(
        missing
            .starts_with("– hotel, hotel-anchors: CMU Hotel: found no none/cmu_hotel/points.csv"),
        "{text}"
    );
    assert!(
        missing.contains("frame,point,x,y") && missing.contains("--data"),
        "{text}"
    );
    let page = bench.read("results/reproduction.html");
    assert!(page.contains("<figure id=\"figure-1\">") && page.contains("found no none/cmu_hotel"));
    assert!(bench.read("results/figure-1.svg").starts_with("<svg"));
    assert_eq!(bench.read("results/noise.csv").lines().count(), 1 + 11 * 7);
    assert!(!bench.exists("results/hotel.csv"));
    let claims = bench.read("results/claims.csv");
    assert!(claims.contains("\n1,\"5.1, Figure 1 (a)\","), "{claims}");

    // A later run of something else keeps what is there, and the documents have no photographs.
    let line = "reproduce published --trials 1 --data none --out results --docs docs --json";
    let value = bench.run(line).json();
    let names: Vec<&str> = value["experiments"]
        .as_array()
        .unwrap()
        .iter()
        .map(|e| e["experiment"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["noise", "published"]);
    let claims = value["claims"].as_array().unwrap();
    assert_eq!(claims[0]["tests"].as_array().unwrap().len(), 2);
    assert_eq!(claims[1]["verdict"], "not run");
    let docs = bench.read("docs/reproduction.md");
    assert!(docs.contains("](reproduction/figure-1.svg)"), "{docs}");
    assert!(
        docs.contains("anchormatch reproduce published --trials 1 --data DIR --out DIR"),
        "{docs}"
    );
    assert!(bench.exists("docs/reproduction/figure-1.svg"));
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_draws_what_it_has() {
    let bench = Bench::new();
    let line = "reproduce noise --trials 100000 --data none --out results";
    let mut child = start(&bench, line);
    let journal = bench.path().join("results/journal/noise.jsonl");
    // Until the first trials are there.
    while fs::read_to_string(&journal).map_or(0, |text| text.lines().count()) < 4 {
        assert!(
            child.try_wait().unwrap().is_none(),
            "the run has just begun"
        );
        thread::sleep(Duration::from_millis(10));
    }
    let kill = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(kill.expect("the command kill").success());
    assert_eq!(child.wait().unwrap().code(), Some(3));
    let page = bench.read("results/reproduction.html");
    assert!(page.contains("of 1100000, stopped early"));
    assert!(bench.read("results/noise.csv").lines().count() > 1);
}

/// A sequence of the right shape in which every frame is a slow turn of the first.
fn film(folder: &Path) {
    let mut text = "frame,point,x,y\n".to_owned();
    for frame in 0..101 {
        let turn = f64::from(frame) * 0.01;
        for point in 0..30 {
            let (x, y) = (
                f64::from(point * 37 % 101),
                f64::from(point * point * 13 % 97),
            );
            let (x, y) = (
                x * turn.cos() - y * turn.sin(),
                x * turn.sin() + y * turn.cos(),
            );
            text += &format!("{frame},{point},{x},{y}\n");
        }
    }
    std::fs::create_dir_all(folder.join("cmu_hotel")).expect("a new folder");
    std::fs::write(folder.join("cmu_hotel/points.csv"), text).expect("a new file");
}

#[test]
fn the_hotel_experiment_has_tables_and_judges_the_claims() {
    let bench = Bench::new();
    film(&bench.path().join("films"));
    let output = bench
        .command()
        .args(["reproduce", "hotel", "--trials", "1", "--json"])
        .env("ANCHORMATCH_DATA", "films")
        .output()
        .unwrap();
    let value: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(value["experiments"][0]["trials"], 101);
    // Turning changes no distance: everybody finds everything, and nobody is better.
    let claims = value["claims"].as_array().unwrap();
    let hotel = claims.iter().filter(|c| c["place"] == "5.2, Figure 2 (a)");
    let verdicts: Vec<&Value> = hotel.map(|claim| &claim["verdict"]).collect();
    assert_eq!(verdicts, ["does not hold here"; 2]);
    let csv = bench.read("reproduction/hotel.csv");
    assert!(
        csv.contains("\nframe,0,adjacency,2,1.000000,1.000000,1.000000,"),
        "{csv}"
    );
    // One offset of 26 frames: gaps of 26 and, around the end, of 75.
    let gaps: Vec<&str> = csv
        .lines()
        .filter(|l| l.contains(",best,") && l.starts_with("gap"))
        .collect();
    assert_eq!(gaps.len(), 2, "{csv}");
    assert!(gaps[0].starts_with("gap,30,best,75,1.000000"), "{csv}");
    assert!(gaps[1].starts_with("gap,80,best,26,1.000000"), "{csv}");
}

#[test]
fn data_that_is_not_there() {
    let bench = Bench::new();
    bench.refuses(
        "reproduce hotel",
        &["no folder", "--data", "ANCHORMATCH_DATA"],
    );
    bench.refuses(
        "reproduce hotel --data elsewhere",
        &[
            "elsewhere/cmu_hotel/points.csv",
            "frame,point,x,y",
            "--data",
            "ANCHORMATCH_DATA",
        ],
    );
    fs::create_dir_all(bench.path().join("data/cmu_hotel")).unwrap();
    bench.file("data/cmu_hotel/points.csv", "frame,point,x,y\n0,0,1\n");
    bench.refuses(
        "reproduce hotel --data data",
        &["points.csv, line 2", "expected 4"],
    );
    bench.refuses("reproduce castle", &["'castle'"]);
}

#[test]
fn errors_as_json_have_their_parts() {
    let bench = Bench::new();
    let error = bench.error("reproduce hotel --data gone");
    assert_eq!(error["exit_code"], 2);
    assert!(
        error["message"].as_str().unwrap().contains("cmu_hotel"),
        "{error}"
    );
    bench.misused("reproduce castle", "castle", "hotel");
}

#[test]
fn help_teaches() {
    let bench = Bench::new();
    let help = bench.run("reproduce --help").ok();
    assert!(help.contains("Example") && help.contains("  anchormatch reproduce"));
    bench.run("reproduce -h").ok();
}
