//! How far a match is to be trusted: alternatives, nominations, doubtful pairs, chance, nodes that are alike.

mod common;

use common::Bench;
use serde_json::Value;

/// A path of four nodes twice, whose ends nothing tells apart.
fn paths() -> Bench {
    let bench = Bench::new();
    bench.file(
        "a.csv",
        "source,target\na,b\nb,c\nc,d\nd,e\ne,f\nf,g\ng,h\n",
    );
    bench.file(
        "b.csv",
        "source,target\ns,t\nt,u\nu,v\nv,w\nw,x\nx,y\ny,z\n",
    );
    bench.file("known.csv", "source,target\na,s\n");
    bench
}

fn json(bench: &Bench, line: &str) -> Value {
    let answer = bench.run(line);
    serde_json::from_str(&answer.ok()).expect("the answer is JSON")
}

#[test]
fn partners_that_are_alike_share_the_probability() {
    let bench = paths();
    let found = json(&bench, "match a.csv b.csv --json");
    for pair in found["pairs"].as_array().unwrap() {
        assert_eq!(pair["alike"], 2);
        assert!((pair["confidence"].as_f64().unwrap() - 0.5).abs() < 0.05);
    }
    // An anchor tells the ends apart.
    let found = json(&bench, "match a.csv b.csv --anchors known.csv --json");
    for pair in found["pairs"].as_array().unwrap() {
        assert_eq!(pair.get("alike"), None);
        assert!(pair["confidence"].as_f64().unwrap() > 0.95);
    }
    assert!(found["beyond_chance"].as_f64().unwrap() > 0.0);
}

#[test]
fn hits_are_told_and_a_page_may_be_about_a_node() {
    let bench = paths();
    // Nothing tells the ends apart: each has a partner of its own, and the first candidate of both ends is the same.
    bench.file("truth.csv", "source,target\na,s\nb,t\ng,y\nh,z\n");
    let found = json(&bench, "match a.csv b.csv --truth truth.csv --json");
    assert_eq!(found["hits_at_1"], 0.5);
    bench
        .run("match a.csv b.csv --anchors known.csv --report page.html --around h --around b")
        .ok();
    assert!(bench.read("page.html").contains("<svg"));
    bench.refuses(
        "match a.csv b.csv --report page.html --around nobody",
        &[
            "--around",
            "`nobody`, which SOURCE does not have",
            "such as `a`",
        ],
    );
    bench.refuses("match a.csv b.csv --around a", &["--around", "--report"]);
}

#[test]
fn alternatives_are_written_and_nodes_are_nominated() {
    let bench = paths();
    bench
        .run("match a.csv b.csv --alternatives others.csv --top 2")
        .ok();
    let written = bench.read("others.csv");
    let rows: Vec<&str> = written.lines().collect();
    assert_eq!(rows[0], "source,rank,target,probability");
    assert!(
        rows[1].starts_with("a,1,s,0.") && rows[2].starts_with("a,2,z,0."),
        "{written}"
    );
    assert!((1..rows.len()).all(|k| rows[k].split(',').count() == 4));
    let found = json(&bench, "nominate a.csv b.csv a c --top 3 --json");
    let first = &found["nominations"][0];
    assert_eq!(
        (&first["source"], &first["alike"]),
        (&"a".into(), &2.into())
    );
    let total: f64 = found["nominations"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|row| row["source"] == "c")
        .map(|row| row["probability"].as_f64().unwrap())
        .sum();
    assert!(total > 0.8 && total < 1.0 + 1e-9);
    let table = bench.run("nominate a.csv b.csv a --anchors known.csv").ok();
    assert!(table.contains("1.000"), "{table}");
}

#[test]
fn doubtful_pairs_are_left_out_and_the_rest_is_expected_to_be_right() {
    let bench = paths();
    let answer = bench.run("match a.csv b.csv --min-confidence 0.9 --unmatched");
    assert!(!answer.stderr.contains("expected precision"), "{answer:?}");
    assert_eq!(answer.ok().lines().count(), 1 + 16);
    let found = json(
        &bench,
        "match a.csv b.csv --anchors known.csv --min-confidence 0.9 --json",
    );
    assert_eq!(found["pairs"].as_array().unwrap().len(), 8);
    assert!(found["expected"]["precision"].as_f64().unwrap() > 0.9);
    assert!(found["expected"]["recall"].as_f64().unwrap() > 0.9);
    bench.refuses(
        "match a.csv b.csv --min-confidence 1.5",
        &["--min-confidence"],
    );
}

#[test]
fn unrelated_graphs_are_said_to_be() {
    // Two sets of edges by two rules that have nothing in common.
    let bench = Bench::new();
    for (name, a, b) in [("a.csv", 7, 3), ("b.csv", 11, 5)] {
        let mut text = "source,target\n".to_owned();
        for i in 0..40u32 {
            for j in 0..i {
                if (i * i * a + j * j * b + i * j) % 31 < 6 {
                    text.push_str(&format!("n{i},n{j}\n"));
                }
            }
        }
        bench.file(name, &text);
    }
    let answer = bench.run("match a.csv b.csv --json");
    assert!(
        answer.stderr.contains("chance could explain this match"),
        "{}",
        answer.stderr
    );
    let found: Value = serde_json::from_str(&answer.ok()).unwrap();
    let pairs = found["pairs"].as_array().unwrap();
    let sum: f64 = pairs
        .iter()
        .map(|p| p["confidence"].as_f64().unwrap())
        .sum();
    assert!(sum / (pairs.len() as f64) < 0.1);
    assert!(found["beyond_chance"].as_f64().unwrap() < 0.0);
}

#[test]
fn what_cannot_be_answered_is_refused_with_its_cause() {
    let bench = paths();
    bench.refuses(
        "nominate a.csv b.csv nobody",
        &["`nobody`, which SOURCE does not have", "such as `a`"],
    );
    bench.refuses(
        "match a.csv b.csv --anchors known.csv --preset paper --alternatives o.csv",
        &["the preset best or fast"],
    );
    bench.refuses("match a.csv b.csv --alternatives -", &["--alternatives"]);
}
