//! `bench`: how well solvers do.

mod common;

use anchormatch::matcher::{Best, Matcher};
use anchormatch::solver::registry;
use anchormatch::{Monitor, Task};
use anchormatch_invariants::command::says;
use anchormatch_invariants::small_problems::write_qaplib;
use anchormatch_io::{ReadOptions, read_graph, read_pairs};
use common::Bench;
use serde_json::{Value, json};

#[test]
fn solvers_are_compared_in_tables_csv_and_a_picture() {
    let bench = Bench::new();
    let line = "bench solvers --quick --trials 2 --solver rrwm --solver sm --solver rrwm";
    let text = bench.run(&format!("{line} --out results")).ok();
    assert_eq!(text.lines().filter(|l| l.starts_with("rrwm ")).count(), 3);
    assert_eq!(text.lines().filter(|l| l.starts_with("sm ")).count(), 3);
    assert!(text.contains("over 2 trials a point") && text.contains("one at a time"));
    let csv = bench.read("results/solvers.csv");
    // Ten points without the largest graphs.
    assert_eq!(csv.lines().count(), 1 + 10 * 2, "{csv}");
    assert!(csv.contains("\nnoise,0.1,rrwm,2,1,0,1,0,2,"), "{csv}");
    let svg = bench.read("results/solvers.svg");
    for word in ["rrwm", "noise σ", "accuracy", "ms a problem"] {
        assert!(svg.contains(word), "{word}");
    }
    let json = bench
        .run(&format!("{line} --points noise,density --json"))
        .ok();
    let value: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(value["points"].as_array().unwrap().len(), 7);
    let first = &value["points"][0]["scores"][0];
    assert_eq!(
        (&first["solver"], &first["accuracy"]["mean"]),
        (&json!("rrwm"), &json!(1.0))
    );
}

#[test]
fn qaplib_is_run_row_by_row() {
    let bench = Bench::new();
    write_qaplib(&bench.path().join("data"));
    let line = "bench qaplib --time-limit 0.1 --data data";
    let text = bench.run(&format!("{line} --out results")).ok();
    let rows: Vec<&str> = text.lines().filter(|l| l.starts_with("tiny")).collect();
    assert_eq!(rows.len(), 2, "{text}");
    assert!(rows.iter().all(|row| row.contains(" 0.000 %")), "{text}");
    let all = text.lines().last().unwrap();
    let cells: Vec<&str> = all.split_whitespace().collect();
    assert_eq!(cells, ["all", "2", "0.000", "%", "2", "100.0", "%"]);
    assert_eq!(bench.read("results/qaplib.csv").lines().count(), 3);

    let value = bench.run(&format!("{line} --largest 5 --json")).json();
    assert_eq!(value["instances"].as_array().unwrap().len(), 1);
    assert_eq!(
        value["instances"][0]["found"],
        value["instances"][0]["best"]
    );
    assert_eq!(value["summary"][3]["share"], 1.0);
    let refused = bench.run(&format!("{line} --largest 2")).refused(2);
    assert!(refused.contains("--largest"), "{refused}");
}

/// A vole network of 24 nodes, and the same without its last edges.
fn voles(bench: &Bench) {
    let edge = |i: usize| format!("{i},{}\n{i},{}\n", (i + 1) % 24, (i * i + 2) % 24);
    let edges: Vec<String> = (0..24).map(edge).collect();
    let folder = bench.path().join("data/netalign_voles");
    std::fs::create_dir_all(&folder).expect("a folder can be made");
    for (name, edges) in [
        ("edges_100.csv", &edges[..]),
        ("edges_95.csv", &edges[..23]),
    ] {
        std::fs::write(folder.join(name), format!("u,v\n{}", edges.concat()))
            .expect("a file can be written");
    }
}

#[test]
fn networks_are_matched_by_every_method_and_share() {
    let bench = Bench::new();
    voles(&bench);
    let line = "bench networks --data data --pairs voles-95 --anchors 10,50 --methods faq,goat";
    let text = bench.run(&format!("{line} --out table.csv")).ok();
    let rows: Vec<&str> = text.lines().filter(|l| l.starts_with("voles-95")).collect();
    assert_eq!(rows.len(), 4, "{text}");
    assert!(rows[0].contains("24   2 (10 %) faq"), "{text}");
    assert!(rows[3].contains("24  12 (50 %) goat"), "{text}");
    let csv = bench.read("table.csv");
    assert_eq!(csv.lines().count(), 5, "{csv}");
    let width = |line: &str| line.split(',').count();
    assert!(
        csv.lines()
            .all(|row| width(row) == width(csv.lines().next().unwrap()))
    );

    let json = bench.run(&format!("{line} --draws 1 --seed 3 --json")).ok();
    let value: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(value["rows"].as_array().unwrap().len(), 4);
    let last = &value["rows"][3];
    assert_eq!(
        (&last["method"], &last["nodes"]),
        (&json!("goat"), &json!(24))
    );
    let edges = |side: &str| last[side].as_f64().unwrap();
    let truth = last["truth_conserved_edges"].as_f64().unwrap();
    assert!((truth - edges("target_edges") / edges("source_edges")).abs() < 1e-12);
    assert!(last["accuracy"]["mean"].as_f64().unwrap() > 0.5, "{json}");
}

#[test]
fn the_draws_of_networks_are_files_that_can_be_matched() {
    let bench = Bench::new();
    voles(&bench);
    let line = "bench networks --data data --pairs voles-95 --anchors 12.5 --draws 2 --dump draws";
    bench.run(line).ok();
    for draw in ["draws/voles-95/12.5/0", "draws/voles-95/12.5/1"] {
        assert_eq!(
            bench.read(&format!("{draw}/anchors.csv")).lines().count(),
            4
        );
        assert_eq!(bench.read(&format!("{draw}/truth.csv")).lines().count(), 25);
        let file = |name: &str| bench.path().join(draw).join(name);
        let graph = |name: &str| {
            let read = read_graph(&file(name), &ReadOptions::default());
            read.expect("a graph").graph
        };
        let (source, target) = (graph("source.csv"), graph("target.csv"));
        let pairs = read_pairs(&file("anchors.csv")).expect("pairs");
        let anchors = pairs.anchors(&source, &target).expect("anchors");
        let task = Task::new(&source, &target, &anchors).expect("a task");
        let matching = Best::default().run(&task, &Monitor::silent());
        assert_eq!(matching.expect("a matching").pairs.len(), 24);
    }
    assert_ne!(
        bench.read("draws/voles-95/12.5/0/target.csv"),
        bench.read("draws/voles-95/12.5/1/target.csv")
    );
}

#[test]
fn networks_that_are_not_there_or_not_known_are_refused() {
    let bench = Bench::new();
    let missing = bench
        .run("bench networks --pairs enron --data data")
        .refused(2);
    says(&missing, &["week1_edges.csv", "--data"]);
    for (option, part) in [
        ("--pairs facebook", "facebook"),
        ("--anchors 0", "percentage"),
        ("--anchors 100", "percentage"),
        ("--draws 0", "from 1"),
        ("--methods magic", "magic"),
    ] {
        let refused = bench
            .run(&format!("bench networks --data data {option}"))
            .refused(2);
        assert!(refused.contains(part), "{refused}");
    }
}

#[test]
fn help_teaches() {
    let bench = Bench::new();
    assert!(bench.run("--version").ok().starts_with("anchormatch-lab "));
    let help = bench.run("--help").ok();
    assert!(help.contains("bench") && help.contains("evaluate"));
    for command in ["bench solvers", "bench qaplib", "bench dd", "evaluate"] {
        let help = bench.run(&format!("{command} --help")).ok();
        assert!(help.contains("Example"), "{command}");
        assert!(
            help.contains(&format!("  anchormatch-lab {command}")),
            "{command}"
        );
        bench.run(&format!("{command} -h")).ok();
    }
}

#[test]
fn damaged_or_missing_data_is_named() {
    let bench = Bench::new();
    for (line, file) in [
        ("bench qaplib --data gone", "qaplib"),
        ("bench dd --data gone", "gone"),
        ("bench networks --data gone", "gone"),
    ] {
        let error = bench.error(line);
        assert_eq!(
            (&error["kind"], &error["exit_code"]),
            (&json!("data"), &json!(2))
        );
        let named = [&error["file"], &error["message"]];
        assert!(
            named
                .iter()
                .any(|part| part.as_str().is_some_and(|p| p.contains(file))),
            "{error}"
        );
    }
    let error = bench.error("evaluate limits --rows hotel --data gone");
    assert_eq!(error["exit_code"], 2);
    assert!(
        error["message"].as_str().unwrap().contains("cmu_hotel"),
        "{error}"
    );
    for line in [
        "bench qaplib",
        "bench dd",
        "bench networks",
        "evaluate limits --rows hotel",
    ] {
        bench.refuses(line, &["no folder", "--data DIR", "ANCHORMATCH_DATA"]);
    }
    for (line, parts) in [
        ("bench solvers --trials 0", &["--trials"][..]),
        ("bench solvers --points colour", &["'colour'", "outliers"]),
        (
            "bench qaplib --data data",
            &["data/qaplib/index.csv", "--data"],
        ),
        ("bench dd --data none", &["none/dd_instances/opengm1.dd"]),
    ] {
        bench.refuses(line, parts);
    }
    // What the option does not say, the variable does.
    write_qaplib(&bench.path().join("data"));
    let output = bench
        .command()
        .args(["bench", "qaplib", "--time-limit", "0.1"])
        .env("ANCHORMATCH_DATA", "data")
        .output();
    assert!(output.expect("the command runs").status.success());
}

#[test]
fn wrong_usage_says_what_was_found() {
    let bench = Bench::new();
    for (line, found, expected) in [
        ("bench solvers --trials none", "none", ""),
        ("bench qaplib --solver magic", "magic", "rrwm"),
        ("bench dd --solver magic", "magic", "rrwm"),
        ("bench networks --anchors none", "none", ""),
        ("bench suggest --trials none", "none", ""),
        ("evaluate limits --trials none", "none", ""),
        ("evaluate calibration --trials none", "none", ""),
        ("evaluate outliers --trials none", "none", ""),
        ("evaluate ablation --trials none", "none", ""),
    ] {
        bench.misused(line, found, expected);
    }
    // The names of all solvers are in the message.
    for command in ["bench solvers", "bench qaplib", "bench dd"] {
        let line = bench.run(&format!("{command} --solver magic")).refused(2);
        assert!(line.contains("'magic'"), "{line}");
        for solver in registry::all() {
            assert!(line.contains(solver.info().name), "{line}");
        }
    }
}

#[test]
fn suggestions_are_compared_with_random_anchors() {
    let bench = Bench::new();
    let line = "bench suggest --nodes 6 --noise 0.5 --first 1 --last 3 --trials 2 --fast";
    let text = bench.run(line).ok();
    assert!(text.contains("Over 2 trials. To reach 0.95:"), "{text}");
    assert_eq!(
        text.lines().filter(|l| l.contains('±')).count(),
        4,
        "{text}"
    );
    let json = bench.run(&format!("{line} --json")).ok();
    let value: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(value["anchors"], json!([1, 2, 3]));
    assert_eq!(value["difference"][0]["mean"], 0.0);
    let line = bench
        .run("bench suggest --nodes 6 --last 9 --trials 1")
        .refused(2);
    assert!(line.contains("at most 6"), "{line}");
}
