//! With `--json`, an error of any command is one object with the same parts, on standard error.

// The lint spares test functions but not their helpers.
#![allow(clippy::unwrap_used)]

mod common;

use common::Bench;

/// Every command that has `--json`, with files it cannot use.
const COMMANDS: [&str; 7] = [
    "match FILE good.csv",
    "match good.csv FILE --preset fast",
    "match good.csv good.csv --anchors FILE",
    "match good.csv good.csv --truth FILE",
    "suggest FILE good.csv",
    "info FILE",
    "convert FILE out.graphml",
];

#[test]
fn damaged_graphs_have_all_their_parts() {
    let bench = Bench::new();
    bench.file("good.csv", "a,b,1\nb,c,2\nc,a,3\n");
    bench.file("bad.csv", "a,b,1\nb,c,heavy\n");
    for command in COMMANDS {
        let error = bench.error(&command.replace("FILE", "bad.csv"));
        assert_eq!(error["kind"], "parse", "{command}");
        assert_eq!(error["file"], "bad.csv", "{command}");
        assert_eq!((&error["line"], &error["column"]), (&2.into(), &3.into()));
        assert_eq!(error["found"], "`heavy`", "{command}");
        assert!(error["expected"].as_str().unwrap().contains("number"));
    }
}

#[test]
fn files_that_are_not_there_are_named() {
    let bench = Bench::new();
    bench.file("good.csv", "a,b,1\nb,c,2\nc,a,3\n");
    let solve = ("solve FILE --solver faq", "gone.dat");
    for (command, file) in COMMANDS
        .map(|command| (command, "gone.csv"))
        .into_iter()
        .chain([solve])
    {
        let error = bench.error(&command.replace("FILE", file));
        assert_eq!(
            (&error["kind"], &error["exit_code"]),
            (&"io".into(), &2.into())
        );
        assert_eq!(error["file"], file, "{command}");
        assert!(
            error["found"].as_str().unwrap().contains("No such file"),
            "{command}"
        );
    }
}

#[test]
fn damaged_problems_have_all_their_parts() {
    let bench = Bench::new();
    for (name, text, line, column) in [
        ("p.dat", "2\n0 1\n1 x\n0 1\n1 0\n", 3, 2),
        ("p.dd", "p 1 1 1 0\na 0 0 zero 1\n", 2, 4),
    ] {
        bench.file(name, text);
        let error = bench.error(&format!("solve {name} --solver faq"));
        assert_eq!(
            (&error["kind"], &error["file"]),
            (&"parse".into(), &name.into())
        );
        assert_eq!(
            (&error["line"], &error["column"]),
            (&line.into(), &column.into())
        );
        assert!(error["found"].is_string() && error["expected"].is_string());
    }
    bench.file("p.json", "{\"version\": 1,\n \"sense\": \"up\"}");
    let error = bench.error("solve p.json --solver faq");
    assert_eq!(
        (&error["file"], &error["line"]),
        (&"p.json".into(), &2.into())
    );
}

#[test]
fn wrong_usage_says_what_was_found() {
    let bench = Bench::new();
    bench.file("good.csv", "a,b,1\nb,c,2\nc,a,3\n");
    for (line, found, expected) in [
        ("match good.csv good.csv --preset finest", "finest", "paper"),
        ("match good.csv good.csv --threads 0", "0", ""),
        (
            "match good.csv good.csv --anchor x",
            "--anchor",
            "--anchors",
        ),
        (
            "match good.csv good.csv --output no/m.csv",
            "no directory",
            "exists",
        ),
        ("suggest good.csv good.csv --count many", "many", ""),
        ("info good.csv --format jpeg", "jpeg", "graphml"),
        ("convert good.csv out.graphml --to jpeg", "jpeg", "graphml"),
        ("solve x.dat --solver magic", "magic", "rrwm"),
        ("solvers --colour", "--colour", ""),
        ("demo --seed -", "-", ""),
    ] {
        bench.misused(line, found, expected);
    }
}

#[test]
fn memory_and_time_have_their_codes() {
    let bench = Bench::new().with_points(300);
    let line = "match p.csv q.csv --points --preset paper --max-memory 100K";
    let error_of_memory = bench.error(line);
    assert_eq!(
        (&error_of_memory["kind"], &error_of_memory["exit_code"]),
        (&"memory".into(), &4.into())
    );
    assert_eq!(error_of_memory["expected"], "at most 100.0 KiB");
    let (message, hint) = (&error_of_memory["message"], &error_of_memory["hint"]);
    let hint = hint.as_str().unwrap();
    assert!(hint.starts_with("raise --max-memory"), "{hint}");
    assert!(message.as_str().unwrap().ends_with(hint), "{message}");
    let line = "match p.csv q.csv --points --preset paper --time-limit 0.000001";
    let stopped = bench.error(line);
    assert_eq!(
        (&stopped["kind"], &stopped["exit_code"]),
        (&"stopped".into(), &3.into())
    );
}
