//! `solvers` and `bench`: what there is and how well it does.

mod common;

use anchormatch::solver::registry;
use common::Bench;
use common::problems::qaplib;
use serde_json::{Value, json};

#[test]
fn the_list_of_solvers_is_that_of_the_registry() {
    let bench = Bench::new();
    let table = bench.run("solvers").ok();
    let list: Value = serde_json::from_str(&bench.run("solvers --json").ok()).unwrap();
    let help = bench.run("match --help").ok();
    for (place, solver) in registry::all().iter().enumerate() {
        let info = solver.info();
        let row = table
            .lines()
            .find(|line| line.split_whitespace().next() == Some(info.name));
        assert!(
            row.is_some_and(|row| row.contains(info.reference)),
            "{table}"
        );
        assert_eq!(list[place]["name"], info.name);
        assert_eq!(list[place]["accepts"], info.accepts);
        assert!(help.contains(info.reference), "{help}");
    }
    assert_eq!(list.as_array().unwrap().len(), registry::all().len());
}

#[test]
fn parameters_are_listed_with_their_defaults() {
    let bench = Bench::new();
    let list: Value = serde_json::from_str(&bench.run("solvers --json").ok()).unwrap();
    for (place, solver) in registry::all().iter().enumerate() {
        let name = solver.info().name;
        let parameters = solver.parameters();
        assert_eq!(list[place]["parameters"], json!(parameters), "{name}");
        let page = bench.run(&format!("solvers {name}")).ok();
        for parameter in parameters.keys() {
            assert!(page.contains(parameter.as_str()), "{parameter}: {page}");
        }
        let one = bench.run(&format!("solvers {name} --json")).ok();
        let one: Value = serde_json::from_str(&one).unwrap();
        assert_eq!(one, json!([list[place]]));
    }
    let page = bench.run("solvers portfolio tabu").ok();
    for row in [
        "relaxations      [\"faq\",\"rrwm\",\"gagm\"]",
        "tabu.tenure      [0.5,2.0]",
        "tenure        [0.9,1.1]",
        "iterations    null",
    ] {
        assert!(page.lines().any(|line| line == row), "{row}: {page}");
    }
    bench.run("solvers magic").refused(2);
}

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
    qaplib(&bench);
    let line = "bench qaplib --time-limit 0.1";
    let text = bench.run(&format!("{line} --out results")).ok();
    let rows: Vec<&str> = text.lines().filter(|l| l.starts_with("tiny")).collect();
    assert_eq!(rows.len(), 2, "{text}");
    assert!(rows.iter().all(|row| row.contains(" 0.000 %")), "{text}");
    let all = text.lines().last().unwrap();
    let cells: Vec<&str> = all.split_whitespace().collect();
    assert_eq!(cells, ["all", "2", "0.000", "%", "2", "100.0", "%"]);
    assert_eq!(bench.read("results/qaplib.csv").lines().count(), 3);

    let json = bench
        .run(&format!("{line} --largest 5 --data data --json"))
        .ok();
    let value: Value = serde_json::from_str(&json).unwrap();
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
    let line = "bench networks --pairs voles-95 --anchors 10,50 --methods faq,goat";
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
    let line = "bench networks --pairs voles-95 --anchors 12.5 --draws 2 --dump draws";
    bench.run(line).ok();
    for draw in ["draws/voles-95/12.5/0", "draws/voles-95/12.5/1"] {
        assert_eq!(
            bench.read(&format!("{draw}/anchors.csv")).lines().count(),
            4
        );
        assert_eq!(bench.read(&format!("{draw}/truth.csv")).lines().count(), 25);
        let files = format!("{draw}/source.csv {draw}/target.csv --anchors {draw}/anchors.csv");
        let matched = bench
            .run(&format!("match {files} --truth {draw}/truth.csv"))
            .ok();
        assert_eq!(matched.lines().count(), 25, "{matched}");
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
    assert!(
        missing.contains("week1_edges.csv") && missing.contains("--data"),
        "{missing}"
    );
    for (option, part) in [
        ("--pairs facebook", "facebook"),
        ("--anchors 0", "percentage"),
        ("--anchors 100", "percentage"),
        ("--draws 0", "from 1"),
        ("--methods magic", "magic"),
    ] {
        let refused = bench.run(&format!("bench networks {option}")).refused(2);
        assert!(refused.contains(part), "{refused}");
    }
}
