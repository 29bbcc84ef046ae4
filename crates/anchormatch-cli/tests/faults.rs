//! What the world around a run does to it: full disks, closed pipes, folders that take nothing, two
//! runs at once, and a kill. A file is the old one or the new one, whole, and nothing lies beside it.
#![cfg(unix)]
// The lint spares test functions but not their helpers.
#![allow(clippy::unwrap_used)]

mod common;

use std::fs::{self, File};
use std::process::{Command, Output, Stdio};

use common::Bench;
use common::problems::dat;

const OLD: &str = "what was there before\n";

/// Every command with a result that can go to a file, and that file.
const WRITERS: [(&str, &str); 8] = [
    (
        "match p.csv q.csv --points --anchors known.csv --terms heat --output m.csv",
        "m.csv",
    ),
    (
        "match p.csv q.csv --points --anchors known.csv --terms heat --json --output m.json",
        "m.json",
    ),
    (
        "match p.csv q.csv --points --anchors known.csv --terms heat --output - --report r.html",
        "r.html",
    ),
    ("convert p.csv c.graphml --points", "c.graphml"),
    ("convert p.csv c.npz --points", "c.npz"),
    ("convert p.csv c.csv.gz --points --to edges", "c.csv.gz"),
    (
        "signature p.csv --points --kind heat --output s.csv",
        "s.csv",
    ),
    (
        "solve tiny.dat --solver faq --json --output f.json",
        "f.json",
    ),
];

/// Every command that has something to say on standard output.
const TALKERS: [&str; 11] = [
    "match --help",
    "match p.csv q.csv --points --anchors known.csv --terms heat",
    "match p.csv q.csv --points --anchors known.csv --terms heat --json",
    "suggest p.csv q.csv --points --anchors known.csv --preset fast",
    "info p.csv --points",
    "convert p.csv - --points --to edges",
    "convert p.csv - --points --to mat",
    "signature p.csv --points --kind wave",
    "solve tiny.dat --solver faq",
    "solvers --json",
    "generate house --out made --force",
];

fn bench() -> Bench {
    let bench = Bench::new().with_points(60);
    bench.file("tiny.dat", dat(5).0);
    bench
}

fn program() -> &'static str {
    env!("CARGO_BIN_EXE_anchormatch")
}

/// The command in the folder, not yet run.
fn command(bench: &Bench, line: &str) -> Command {
    let mut command = Command::new(program());
    command
        .args(line.split_whitespace())
        .current_dir(bench.path())
        .env_remove("ANCHORMATCH_DATA")
        .stdin(Stdio::null());
    command
}

/// The command under a limit on the size of files, as a disk that is full: writing fails.
fn on_a_full_disk(bench: &Bench, line: &str, blocks: u32) -> Output {
    Command::new("sh")
        .arg("-c")
        .arg(format!(
            "trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\""
        ))
        .arg(program())
        .args(line.split_whitespace())
        .current_dir(bench.path())
        .env_remove("ANCHORMATCH_DATA")
        .output()
        .unwrap()
}

/// Exit code 2 and one line that says all of `parts`.
#[track_caller]
fn refused(line: &str, output: &Output, parts: &[&str]) {
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{line}: {output:?}");
    assert_eq!(said.lines().count(), 1, "{line}: {said}");
    for part in parts {
        assert!(said.contains(part), "{line}: `{part}` is not in: {said}");
    }
}

#[test]
fn a_full_disk_leaves_the_old_file() {
    for (line, file) in WRITERS {
        // Nothing can be written, or a beginning: the problem's answer is shorter than that.
        for blocks in [0, 1] {
            if blocks == 1 && file == "f.json" {
                continue;
            }
            let bench = bench();
            bench.file(file, OLD);
            let before = bench.names();
            refused(
                line,
                &on_a_full_disk(&bench, line, blocks),
                &[file, "large"],
            );
            assert_eq!(bench.read(file), OLD, "{line}");
            assert_eq!(bench.names(), before, "{line}");

            fs::remove_file(bench.path().join(file)).unwrap();
            refused(
                line,
                &on_a_full_disk(&bench, line, blocks),
                &[file, "large"],
            );
            assert!(!bench.exists(file), "{line}");
            assert_eq!(bench.names().len(), before.len() - 1, "{line}");
        }
    }
}

#[test]
fn a_full_disk_stops_commands_that_write_folders() {
    let bench = bench();
    let line = "generate house --out made";
    refused(line, &on_a_full_disk(&bench, line, 0), &["made", "large"]);
    let made = fs::read_dir(bench.path().join("made")).unwrap();
    assert_eq!(made.count(), 0, "nothing, not even a beginning");
    bench.run(line).ok();
}

#[cfg(feature = "reproduce")]
#[test]
fn a_full_disk_stops_a_reproduction() {
    let bench = bench();
    let line = "reproduce noise --trials 1 --out again";
    refused(line, &on_a_full_disk(&bench, line, 0), &["again", "large"]);
}

#[test]
fn a_device_that_is_full_is_named() {
    let bench = bench();
    for line in TALKERS {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let output = command(&bench, line).stdout(full).output().unwrap();
        refused(line, &output, &["standard output", "No space left"]);
        let (line, file) = WRITERS[0];
        let elsewhere = line.replace(file, "/dev/full");
        let output = command(&bench, &elsewhere).output().unwrap();
        refused(&elsewhere, &output, &["/dev/full", "No space left"]);
    }
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let bench = bench();
    for line in TALKERS {
        let mut child = command(&bench, line)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{line}: {output:?}");
        assert!(!output.stderr.starts_with(b"error"), "{line}: {output:?}");
    }
}

#[test]
fn nobody_who_reads_errors_is_no_crash() {
    let bench = bench();
    for line in [
        "info missing.csv",
        "info missing.csv --json",
        "match p.csv q.csv --points --progress json --terms heat --output m.csv",
        "match p.csv",
    ] {
        let mut child = command(&bench, line)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stderr.take());
        let code = child.wait().unwrap().code();
        let wanted = if line.contains("--output") { 0 } else { 2 };
        assert_eq!(code, Some(wanted), "{line}");
    }
}

/// A folder that is a file, one that is not there, a folder in place of the file, and one in which
/// the system lets nobody create a file, not even root.
#[test]
fn places_that_take_no_file_are_refused_before_the_work() {
    let bench = bench();
    fs::create_dir(bench.path().join("folder")).unwrap();
    let before = bench.names();
    for (line, file) in WRITERS {
        // The kind of file is told by its end.
        let end = &file[file.find('.').unwrap()..];
        fs::create_dir_all(bench.path().join(format!("folder{end}"))).unwrap();
        for place in ["p.csv/x", "no/x", "folder", "/proc/x"] {
            let place = format!("{place}{end}");
            let elsewhere = line.replace(file, &place);
            let output = command(&bench, &elsewhere).output().unwrap();
            refused(&elsewhere, &output, &[&place]);
            assert!(output.stdout.is_empty(), "{elsewhere}: before the work");
        }
        fs::remove_dir(bench.path().join(format!("folder{end}"))).unwrap();
    }
    for line in [
        "demo --out no/x.html",
        "demo --out /proc/x.html",
        "generate house --out p.csv/x",
        "generate house --out /proc/x",
        "reproduce noise --trials 1 --out p.csv/x",
        "reproduce noise --trials 1 --out /proc/x",
    ] {
        let output = command(&bench, line).output().unwrap();
        let place = line.split_whitespace().last().unwrap();
        refused(line, &output, &[place]);
        assert!(output.stdout.is_empty(), "{line}: before the work");
    }
    assert_eq!(bench.names(), before);
}

#[test]
fn runs_at_once_leave_one_of_their_results() {
    let bench = bench();
    let lines = [
        "convert p.csv x.graphml --points",
        "convert q.csv x.graphml --points",
    ];
    let results = lines.map(|line| {
        bench.run(line).ok();
        bench.read("x.graphml")
    });
    assert_ne!(results[0], results[1]);
    let before = bench.names();
    for _ in 0..5 {
        let children: Vec<_> = (0..6)
            .map(|k| command(&bench, lines[k % 2]).spawn().unwrap())
            .collect();
        for mut child in children {
            assert_eq!(child.wait().unwrap().code(), Some(0));
        }
        assert!(results.contains(&bench.read("x.graphml")));
        assert_eq!(bench.names(), before);
    }
}

#[test]
fn a_kill_leaves_the_old_file() {
    let bench = Bench::new().with_points(400);
    bench.file("m.csv", OLD);
    bench.file("r.html", OLD);
    let before = bench.names();
    for preset in ["paper", "best"] {
        let line = format!(
            "match p.csv q.csv --points --anchors known.csv --preset {preset} --progress json \
             --output m.csv --report r.html"
        );
        let mut running = bench.start(&line);
        running.wait_for("\"stage\"");
        running.kill();
        assert_eq!([bench.read("m.csv"), bench.read("r.html")], [OLD, OLD]);
        assert_eq!(bench.names(), before);
    }
}

/// Killed at any moment of its short life, while it writes among them.
#[test]
fn a_kill_while_writing_leaves_the_old_file_or_the_new_one() {
    let bench = Bench::new().with_points(300);
    let line = "convert p.csv x.graphml --points";
    bench.run(line).ok();
    let new = bench.read("x.graphml");
    for round in 0..40 {
        bench.file("x.graphml", OLD);
        let mut child = command(&bench, line).spawn().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(round));
        // It may have ended by itself.
        let _ = child.kill();
        child.wait().unwrap();
        let left = bench.read("x.graphml");
        assert!(left == OLD || left == new, "{} bytes", left.len());
    }
}

/// At any moment: what is written is written whole, what is not is not begun.
#[test]
fn a_signal_leaves_all_files_of_a_folder_or_none() {
    for round in 0..20 {
        let bench = Bench::new();
        fs::create_dir(bench.path().join("made")).unwrap();
        let line = "generate synthetic --inliers 200 --out made";
        let mut child = command(&bench, line).spawn().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(4 * round));
        // It may have ended by itself.
        let _ = Command::new("kill")
            .args(["-TERM", &child.id().to_string()])
            .stderr(Stdio::null())
            .status();
        let status = child.wait().unwrap();
        let files = fs::read_dir(bench.path().join("made")).unwrap().count();
        match status.code() {
            Some(0) => assert_eq!(files, 4),
            // Without a code: the signal came before anybody could listen.
            Some(3) | None => assert_eq!(files, 0, "{status:?}"),
            Some(_) => panic!("{status:?}"),
        }
    }
}

#[test]
fn a_signal_leaves_matching_and_report_whole() {
    for signal in ["-TERM", "-INT"] {
        let bench = Bench::new().with_points(400);
        bench.file("m.csv", OLD);
        let line = "match p.csv q.csv --points --anchors known.csv --preset best --points-model distances --progress json \
                    --output m.csv --report r.html";
        let mut running = bench.start(line);
        running.wait_for("\"mean-field\"");
        running.signal(signal);
        let answer = running.end();
        assert_eq!(answer.code, 3, "{signal}: {answer:?}");
        assert_eq!(bench.read("m.csv").lines().count(), 401, "{signal}");
        assert!(
            bench.read("r.html").trim_end().ends_with("</html>"),
            "{signal}"
        );
        assert!(bench.names().iter().all(|name| !name.starts_with('.')));
    }
}
