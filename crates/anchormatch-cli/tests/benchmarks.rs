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
