//! Wrong input: exit code 2, nothing on standard output, and one line that names the culprit.

mod common;

use std::fs;

use anchormatch_invariants::command::says;
use common::Bench;
use serde_json::Value;

const MATCH: &str = "match a.csv b.csv --anchors anchors.csv";

/// Replaces a file of the good pair and gives the refusal.
#[track_caller]
fn with_file(name: &str, contents: impl AsRef<[u8]>) -> String {
    let bench = Bench::new().with_pair();
    bench.file(name, contents);
    let line = bench
        .run(&format!("{MATCH} --output m.csv --report r.html"))
        .refused(2);
    assert!(!bench.exists("m.csv") && !bench.exists("r.html"));
    line
}

#[test]
fn files_that_are_not_there_or_no_files() {
    let bench = Bench::new().with_pair();
    bench.refuses("match no.csv b.csv", &["no.csv: "]);
    bench.refuses("match a.csv b.csv --anchors no.csv", &["no.csv: "]);
    bench.refuses("match a.csv b.csv --truth no.csv", &["no.csv: "]);
    fs::create_dir(bench.path().join("folder.csv")).unwrap();
    bench.refuses("match folder.csv b.csv", &["folder.csv: "]);
    bench.file("a.jpg", "x");
    bench.refuses(
        "match a.jpg b.csv",
        &["a.jpg", "`.jpg`", "expected", ".csv"],
    );
    bench.refuses("match a b.csv", &["a: found no extension"]);
    for command in ["info no.csv", "signature no.csv --kind heat"] {
        bench.refuses(command, &["no.csv: "]);
    }
}

#[test]
fn damaged_graphs() {
    for (contents, parts) in [
        (
            "ann,bob,1\neve,dan",
            &["a.csv, line 2", "2 ", "expected"][..],
        ),
        (
            "ann,bob,1\nbob,eve,NaN\n",
            &["a.csv, line 2, column 3", "NaN", "expected"],
        ),
        (
            "ann,bob,inf\n",
            &["a.csv, line 1, column 3", "inf", "expected"],
        ),
        (
            "ann,bob,1\nbob,eve,heavy\n",
            &["a.csv, line 2, column 3", "heavy"],
        ),
        (
            "ann,bob,1,2,3\n",
            &["a.csv, line 1", "expected source,target"],
        ),
        ("", &["a.csv", "found no edge"]),
        ("source,target,weight\n", &["a.csv", "found no edge"]),
        ("ann,bob,1\nbob,ann,2\n", &["a.csv, line 2", "line 1"]),
    ] {
        says(&with_file("a.csv", contents), parts);
    }
    let junk: Vec<u8> = (0..2000u32).map(|k| (k * 167 % 256) as u8).collect();
    says(&with_file("b.csv", junk), &["b.csv", "found", "expected"]);
}

#[test]
fn wrong_anchors() {
    for (contents, parts) in [
        (
            "source,target\nann,nna\nzoe,eve\n",
            &["anchors.csv, line 3, column 1", "`zoe`", "source"][..],
        ),
        (
            "ann,zoe\n",
            &["anchors.csv, line 1, column 2", "`zoe`", "target"],
        ),
        (
            "ann,nna\nann,bob\n",
            &["anchors.csv, line 2", "`ann`", "line 1"],
        ),
        (
            "ann,nna\nbob,nna\n",
            &["anchors.csv, line 2", "`nna`", "line 1"],
        ),
        ("ann,nna,2\n", &["anchors.csv, line 1, column 3", "2"]),
        ("ann,nna,nan\n", &["anchors.csv, line 1, column 3", "nan"]),
        ("ann\n", &["anchors.csv, line 1"]),
        ("", &["anchors.csv", "no pair"]),
    ] {
        says(&with_file("anchors.csv", contents), parts);
    }
    // The same pair twice is no contradiction.
    let bench = Bench::new().with_pair();
    bench.file("anchors.csv", "ann,nna\nann,nna\n");
    bench.run(MATCH).ok();
}

#[test]
fn a_wrong_truth() {
    let bench = Bench::new().with_pair();
    bench.file("truth.csv", "ann,nna\nbob,bob\nbob,eve\n");
    bench.refuses(
        &format!("{MATCH} --truth truth.csv"),
        &["truth.csv, line 3", "`bob`"],
    );
}

#[test]
fn wrong_points() {
    let bench = Bench::new().with_points(5);
    bench.file("bad.csv", "x,y\n1,2\n3,NaN\n");
    bench.refuses("match bad.csv q.csv --points", &["bad.csv, line 3", "NaN"]);
    bench.file("bad.csv", "id,x,y\na,1,2\na,3,4\n");
    bench.refuses("info bad.csv --points", &["bad.csv, line 3", "`a`"]);
    bench.file("bad.csv", "x,y\n");
    bench.refuses("info bad.csv --points", &["bad.csv", "no point"]);
    bench.refuses(
        "info p.csv --points --format graphml",
        &["format", "points"],
    );
}

#[test]
fn wrong_options() {
    let bench = Bench::new().with_pair();
    for (option, parts) in [
        ("--preset finest", &["'finest'", "--preset", "paper"][..]),
        ("--terms heat+x", &["'heat+x'", "--terms", "heat+b+ap"]),
        ("--solver magic", &["'magic'", "--solver", "rrwm"]),
        ("--threads 0", &["'0'", "--threads", "1..=1024"]),
        ("--threads 100000", &["--threads"]),
        ("--threads -1", &["-1"]),
        ("--time-limit 0", &["--time-limit", "seconds above 0"]),
        ("--time-limit soon", &["'soon'", "--time-limit"]),
        ("--max-memory lots", &["'lots'", "--max-memory", "512M"]),
        ("--max-memory 0", &["--max-memory"]),
        ("--tau -1", &["-1"]),
        ("--tau nan", &["'nan'", "--tau", "above 0"]),
        ("--width 0", &["--width", "above 0"]),
        ("--eigenvectors 0", &["--eigenvectors"]),
        ("--c-b inf", &["--c-b"]),
        ("--learner-c 0", &["--learner-c"]),
        ("--progress loud", &["'loud'", "--progress", "json"]),
        ("--duplicates maybe", &["'maybe'", "--duplicates"]),
        ("--seed -3", &["-3"]),
        ("--anchor anchors.csv", &["--anchor", "--anchors"]),
        ("more.csv", &["'more.csv'"]),
    ] {
        let line = bench.run(&format!("match a.csv b.csv {option}")).refused(2);
        says(&line, parts);
        says(&line, &["anchormatch match --help"]);
    }
    bench.refuses("match a.csv", &["<TARGET>"]);
    bench.refuses("mach a.csv b.csv", &["'mach'", "match"]);
    bench.refuses("signature a.csv", &["--kind"]);
    bench.refuses("signature a.csv --kind sound", &["'sound'", "wavelet"]);
    bench.refuses("generate house", &["--out"]);
    let none = bench.run("");
    assert_eq!(none.code, 2);
    assert!(none.stderr.contains("Usage: anchormatch"));
}

#[test]
fn standard_input_can_be_read_once() {
    let bench = Bench::new().with_pair();
    for line in [
        "match - -",
        "match - b.csv --anchors -",
        "match a.csv b.csv --anchors - --truth -",
    ] {
        bench.refuses(line, &["found `-`", "standard input can be read once"]);
    }
    bench.refuses("match - b.csv", &["standard input", "found no edge"]);
}

#[test]
fn places_where_nothing_can_be_written() {
    let bench = Bench::new().with_pair();
    fs::create_dir(bench.path().join("folder")).unwrap();
    for (option, parts) in [
        ("--output no/m.csv", &["no/m.csv", "no directory `no`"][..]),
        ("--report no/r.html", &["no/r.html", "no directory `no`"]),
        ("--output folder", &["folder", "a directory"]),
        ("--output a.csv", &["--output", "a.csv", "SOURCE"]),
        (
            "--output x.csv --report ./x.csv",
            &["--report", "./x.csv", "--output"],
        ),
        ("--report -", &["--report", "`-`"]),
    ] {
        bench.refuses(&format!("{MATCH} {option}"), parts);
    }
    assert!(bench.read("a.csv").starts_with("ann,bob,1"));
    bench.refuses("demo --out no/demo.html", &["no/demo.html"]);
    bench.refuses(
        "signature a.csv --kind heat --output no/s.csv",
        &["no/s.csv"],
    );
    // A file where the folder should be.
    bench.refuses("generate house --out a.csv/x", &["a.csv/x"]);
}

#[test]
fn errors_as_json() {
    let bench = Bench::new().with_pair();
    bench.file("a.csv", "ann,bob,NaN\n");
    let answer = bench.run(&format!("{MATCH} --json"));
    assert_eq!((answer.code, answer.stdout.as_str()), (2, ""));
    let value: Value = serde_json::from_str(&answer.stderr).unwrap();
    assert_eq!(value["error"]["kind"], "parse");
    assert_eq!(value["error"]["file"], "a.csv");
    assert_eq!(value["error"]["line"], 1);
    assert_eq!(value["error"]["column"], 3);
    assert_eq!(value["error"]["exit_code"], 2);

    let answer = bench.run("match --json");
    let value: Value = serde_json::from_str(&answer.stderr).unwrap();
    assert_eq!(
        (answer.code, value["error"]["kind"].as_str()),
        (2, Some("usage"))
    );
}

#[test]
fn names_cannot_break_the_line() {
    let bench = Bench::new().with_pair();
    let line = bench
        .run_with(["match", "a\nb\u{1b}[31m.csv", "b.csv"], "")
        .refused(2);
    says(&line, &["a\\nb\\u{1b}[31m.csv"]);
}
