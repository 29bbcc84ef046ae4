//! `evaluate`: how the preset `best` is judged.

mod common;

use std::path::Path;

use anchormatch_invariants::command::says;
use common::Bench;
use serde_json::{Value, json};

/// A film of 30 points that turns slowly and is scattered evenly.
fn hotel(bench: &Bench) {
    let mut text = "frame,point,x,y\n".to_owned();
    for frame in 0..101 {
        let (sine, cosine) = (f64::from(frame) * 0.01).sin_cos();
        for point in 0..30 {
            let k = f64::from(point);
            let (x, y) = (k * 0.754_877_666 % 1.0, k * 0.569_840_291 % 1.0);
            let (u, v) = (cosine * x - sine * y, sine * x + cosine * y);
            text += &format!("{frame},{point},{u},{v}\n");
        }
    }
    let folder = bench.path().join("data/cmu_hotel");
    std::fs::create_dir_all(&folder).expect("a folder can be made");
    std::fs::write(folder.join("points.csv"), text).expect("a file can be written");
}

/// The document without what a clock or the machine says.
fn timeless(json: &str) -> Value {
    let mut value: Value = serde_json::from_str(json).expect("JSON");
    value["threads"] = Value::Null;
    for row in value["rows"].as_array_mut().expect("rows") {
        for key in ["best_seconds", "fast_seconds", "best_stages"] {
            row[key] = Value::Null;
        }
    }
    value
}

#[test]
fn limits_are_told_in_a_table_csv_and_json_on_any_number_of_threads() {
    let bench = Bench::new();
    hotel(&bench);
    let line = "evaluate limits --trials 2 --rows sigma-0.1,hotel-40,hotel-90 --data data";
    let text = bench.run(&format!("{line} --out results")).ok();
    assert!(text.contains("under load"), "{text}");
    let rows: Vec<&str> = text.lines().filter(|l| l.contains("1.000±.000")).collect();
    assert_eq!(rows.len(), 4, "{text}");
    let all: Vec<&str> = rows[3].split_whitespace().collect();
    assert_eq!(all[..4], ["hotel,", "all", "4", "1.000±.000"], "{text}");
    let csv = bench.read("results/limits.csv");
    assert!(
        csv.contains("\n\"sigma-0.1\",noise,2,1,0,1,0,1,0,1,1,1,0,0,0,0,"),
        "{csv}"
    );
    let width = |line: &str| line.replace("hotel, all", "").split(',').count();
    assert!(
        csv.lines()
            .all(|row| width(row) == width(csv.lines().next().unwrap()))
    );

    let line = format!("{line} --seed 7 --json");
    let one = bench.run(&format!("{line} --sequential --threads 1")).ok();
    let three = bench.run(&format!("{line} --sequential --threads 3")).ok();
    let loaded = bench.run(&format!("{line} --threads 3")).ok();
    assert_eq!(timeless(&one), timeless(&three));
    assert_eq!(timeless(&one)["rows"], timeless(&loaded)["rows"]);
    let value = timeless(&one);
    assert_eq!(value["rows"][0]["best"]["mean"], json!(1.0));
    assert_eq!(
        (&value["complete"], &value["seed"]),
        (&json!(true), &json!(7))
    );
}

#[test]
fn a_missing_film_is_named_and_the_other_rows_run() {
    let bench = Bench::new();
    let line = "evaluate limits --trials 1 --data nowhere";
    let text = bench.run(&format!("{line} --rows sigma-0.1,hotel")).ok();
    let measured = text.lines().find(|l| l.starts_with("sigma-0.1 "));
    assert!(measured.is_some_and(|l| l.contains("1.000±.000")), "{text}");
    let missing = text.lines().last().unwrap();
    assert!(missing.starts_with("– hotel-10, hotel-20, "), "{text}");
    assert!(
        missing.contains("points.csv") && missing.contains("--data"),
        "{text}"
    );
    let value = bench
        .run(&format!("{line} --rows sigma-0.1,hotel-10 --json"))
        .json();
    assert_eq!(value["missing"][0]["row"], "hotel-10");
    let refused = bench.run(&format!("{line} --rows hotel-10")).refused(2);
    assert!(refused.contains("points.csv"), "{refused}");
}

#[test]
fn calibration_has_bins_errors_and_a_picture() {
    let bench = Bench::new();
    let line = "evaluate calibration --trials 2 --rows sigma-0.2,sigma-0.5,out-6";
    let text = bench.run(&format!("{line} --out results")).ok();
    says(&text, &["0.9–1.0", "noise: all"]);
    let csv = bench.read("results/calibration.csv");
    // Three rows, two groups and all, ten bins each.
    assert_eq!(csv.lines().count(), 1 + 6 * 10, "{csv}");
    let svg = bench.read("results/calibration.svg");
    assert!(svg.contains("noise, ECE") && svg.contains("all, ECE"));
    let value = bench.run(&format!("{line} --json")).json();
    // 18 free pairs twice at two levels of noise, 24 twice with outliers.
    assert_eq!(value["all"]["pairs"], 4 * 18 + 2 * 24);
    let error = value["all"]["expected_calibration_error"].as_f64().unwrap();
    assert!((0.0..=1.0).contains(&error), "{error}");
}

#[test]
fn outliers_are_counted_on_every_side() {
    let bench = Bench::new();
    let line = "evaluate outliers --trials 1 --rows none-0,both-2-0,target-4-0.05";
    let text = bench.run(&format!("{line} --out results")).ok();
    says(&text, &["both-2-0", "false alarms"]);
    let csv = bench.read("results/outliers.csv");
    let second: Vec<&str> = csv.lines().nth(2).unwrap().split(',').collect();
    assert_eq!(
        (second[0], second[4], second[7]),
        ("both-2-0", "18", "4"),
        "{csv}"
    );
    let value = bench.run(&format!("{line} --json")).json();
    assert_eq!(value["rows"][0]["alone_recall"], Value::Null);
    assert_eq!(value["rows"][2]["outliers"], 4);
}

#[test]
fn ablations_are_paired_with_the_whole_method() {
    let bench = Bench::new();
    let line = "evaluate ablation --trials 1 --rows sigma-0.3,rho-0.3";
    let text = bench.run(&format!("{line} --out results")).ok();
    assert_eq!(text.matches("no folded anchors").count(), 2, "{text}");
    let csv = bench.read("results/ablation.csv");
    assert_eq!(csv.lines().count(), 1 + 2 * 9, "{csv}");
    let json = bench.run(&format!("{line} --json")).ok();
    let value: Value = serde_json::from_str(&json).unwrap();
    let variants = value["rows"][0]["variants"].as_array().unwrap();
    let accuracy = |k: usize| variants[k]["accuracy"]["mean"].as_f64().unwrap();
    for (k, variant) in variants.iter().enumerate() {
        let gain = variant["gain_of_best"]["mean"].as_f64().unwrap();
        assert!((accuracy(0) - accuracy(k) - gain).abs() < 1e-12, "{json}");
    }
}

#[test]
fn rows_and_numbers_that_do_not_exist_are_refused() {
    let bench = Bench::new();
    for what in ["limits", "calibration", "outliers", "ablation"] {
        let refused = bench
            .run(&format!("evaluate {what} --rows magic"))
            .refused(2);
        says(&refused, &["`magic`", "one of"]);
        let refused = bench.run(&format!("evaluate {what} --trials 0")).refused(2);
        assert!(refused.contains("--trials"), "{refused}");
    }
}

#[cfg(unix)]
#[test]
fn a_run_that_is_stopped_tells_what_it_has() {
    let bench = Bench::new();
    let line = "evaluate outliers --rows none --trials 100000 --json --progress json --out results";
    let mut running = bench.start(line);
    running.wait_for("\"total\":700000");
    running.signal("-INT");
    let answer = running.end();
    assert_eq!(answer.code, 3, "{answer:?}");
    says(&answer.stderr, &["note: stopped on request"]);
    let value: Value = serde_json::from_str(&answer.stdout).unwrap();
    assert_eq!(value["complete"], json!(false));
    let trials = value["rows"][0]["right"]["trials"].as_u64().unwrap();
    assert!((1..100_000).contains(&trials), "{trials}");
    assert_eq!(bench.read("results/outliers.csv").lines().count(), 2);
}

/// What is refused is the name added at the end, and nothing before it.
#[test]
fn commands_beside_the_thresholds_are_understood() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let file = root.join("../anchormatch/src/matcher/best/thresholds.rs");
    let text = std::fs::read_to_string(file).unwrap();
    let quoted: Vec<&str> = text.split('`').skip(1).step_by(2).collect();
    let commands = quoted
        .iter()
        .filter_map(|line| line.strip_prefix("anchormatch-lab "))
        .filter(|line| line.contains(' '));
    let bench = Bench::new();
    let mut count = 0;
    for command in commands {
        let words: Vec<&str> = command.split(' ').collect();
        let option = match words[..] {
            ["bench", "large", ..] => "--largest",
            ["bench", "points", ..] => "--trials",
            ["bench", ..] => "--pairs",
            _ => "--rows",
        };
        let refused = bench
            .run(&format!("{command} {option} no-such-name"))
            .refused(2);
        assert!(refused.contains("no-such-name"), "{command}: {refused}");
        count += 1;
    }
    assert!(count > 5, "{text}");
    for (words, name) in text.split('`').zip(text.split('`').skip(1)) {
        if words.ends_with("the example ") {
            let file = root.join("examples").join(name).with_extension("rs");
            assert!(file.exists(), "{name}");
        }
    }
}
