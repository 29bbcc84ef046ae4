//! `suggest`: the nodes to ask for.

mod common;

use anchormatch_invariants::command::says;
use common::Bench;
use serde_json::Value;

#[test]
fn nodes_are_named_with_their_gains_and_partners() {
    let bench = Bench::new().with_points(9);
    let line = "suggest p.csv q.csv --points --anchors known.csv -k 3";
    let text = bench.run(line).ok();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 5, "{text}");
    let header: Vec<&str> = lines[0].split_whitespace().collect();
    assert_eq!(header, ["node", "gain", "partner", "confidence"]);
    let json = bench.run(&format!("{line} --json")).ok();
    let value: Value = serde_json::from_str(&json).unwrap();
    let list = value["suggestions"].as_array().unwrap();
    assert_eq!(list.len(), 3);
    for (row, line) in list.iter().zip(&lines[2..]) {
        let node = row["source"].as_str().unwrap();
        assert_eq!(line.split_whitespace().next(), Some(node));
        assert!(node != "0" && node != "1", "anchors are known");
        let gain = row["gain"].as_f64().unwrap();
        assert!((0.0..=9.0).contains(&gain));
        assert!((0.0..=1.0).contains(&row["confidence"].as_f64().unwrap()));
        assert!(row["partner"].is_string());
    }
    let again = bench.run(&format!("{line} --json --threads 1")).ok();
    assert_eq!(again, json);
}

#[test]
fn nothing_is_left_to_ask_when_all_is_known() {
    let bench = Bench::new().with_pair();
    let text = bench.run("suggest a.csv b.csv -a truth.csv").ok();
    assert_eq!(text, "every node is anchored\n");
    let value = bench.run("suggest a.csv b.csv -a truth.csv --json").json();
    assert_eq!(value["suggestions"].as_array().unwrap().len(), 0);
}

#[test]
fn the_regime_may_be_chosen() {
    let bench = Bench::new().with_pair();
    for regime in ["auto", "dense", "sparse"] {
        for command in ["suggest a.csv b.csv -k 1", "nominate a.csv b.csv ann"] {
            bench
                .run(&format!(
                    "{command} --anchors anchors.csv --regime {regime}"
                ))
                .ok();
        }
    }
    bench.refuses(
        "suggest a.csv b.csv --preset paper --regime sparse",
        &["--regime", "--preset best or fast"],
    );
    bench.refuses("suggest a.csv b.csv --regime thin", &["--regime", "sparse"]);
}

#[test]
fn standard_input_is_read_once() {
    let bench = Bench::new().with_pair();
    let line = bench.run("suggest - b.csv --anchors -").refused(2);
    says(&line, &["--anchors", "SOURCE"]);
    let line = bench.run("suggest a.csv b.csv -k 0").stderr;
    assert!(line.contains("-k") || line.contains("--count"), "{line}");
}
