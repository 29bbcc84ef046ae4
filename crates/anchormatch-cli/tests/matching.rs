//! `anchormatch match`: results, ids, formats, outputs.

mod common;

use common::Bench;
use serde_json::Value;

const MATCH: &str = "match a.csv b.csv --anchors anchors.csv";

#[test]
fn a_mirrored_graph_is_found() {
    let bench = Bench::new().with_pair();
    let answer = bench.run(&format!("{MATCH} --truth truth.csv"));
    assert_eq!(
        answer.stderr,
        "accuracy 1.000 (4 of 4 non-anchor pairs), recall 1.000, precision 1.000, F1 1.000\n"
    );
    let stdout = answer.ok();
    let pairs: Vec<&str> = stdout
        .lines()
        .map(|line| line.rsplit_once(',').unwrap().0)
        .collect();
    assert_eq!(
        pairs,
        [
            "source,target",
            "ann,nna",
            "bob,bob",
            "eve,eve",
            "dan,nad",
            "fay,yaf"
        ]
    );
}

#[test]
fn json_is_one_document_with_the_accuracy_and_the_seed() {
    let bench = Bench::new().with_pair();
    let value = bench
        .run(&format!("{MATCH} --truth truth.csv --json --seed 42"))
        .json();
    assert_eq!(value["accuracy"], 1.0);
    assert_eq!(value["parameters"]["seed"], "42");
    assert_eq!(value["parameters"]["preset"], "best");
    assert_eq!(value["parameters"].get("terms"), None);
    assert_eq!(value["pairs"].as_array().unwrap().len(), 5);
    assert_eq!(value["pairs"][0]["source"], "ann");
    assert_eq!(value["pairs"][0]["anchor"], true);
    // A search that ends by itself, within its iterations or not, was not interrupted.
    let status = value["status"].as_str().unwrap();
    assert!(["converged", "optimal", "iteration_limit"].contains(&status));
    let value = bench.run(&format!("{MATCH} --preset paper --json")).json();
    assert_eq!(value["parameters"]["terms"], "heat+b+ap");
    assert_eq!(value["status"], "converged");
}

#[test]
fn the_name_of_the_output_chooses_json() {
    let bench = Bench::new().with_pair();
    assert_eq!(bench.run(&format!("{MATCH} --output m.json")).ok(), "");
    assert_eq!(bench.run(&format!("{MATCH} -o m.csv")).ok(), "");
    serde_json::from_str::<Value>(&bench.read("m.json")).unwrap();
    assert!(
        bench
            .read("m.csv")
            .starts_with("source,target,confidence\nann,nna,1\n")
    );
}

#[test]
fn outputs_are_written_whole_and_nothing_else_is_left() {
    let bench = Bench::new().with_pair();
    bench.file("m.csv", "old");
    bench
        .run(&format!(
            "{MATCH} --output m.csv --report r.html --truth truth.csv"
        ))
        .ok();
    assert_eq!(
        bench.names(),
        [
            "a.csv",
            "anchors.csv",
            "b.csv",
            "m.csv",
            "r.html",
            "truth.csv"
        ]
    );
    assert_eq!(bench.read("m.csv").lines().count(), 6);
    let page = bench.read("r.html");
    assert!(page.trim_end().ends_with("</html>"));
    assert!(page.contains("anchormatch match a.csv b.csv --anchors anchors.csv"));
}

#[test]
fn ids_come_back_as_they_went_in() {
    let bench = Bench::new();
    let ids = [
        "plain",
        "Straße 7",
        "say \"\"hi\"\"",
        "a,b",
        "007",
        "#1",
        " blank ",
    ];
    let mut edges = String::new();
    for (k, id) in ids.iter().enumerate() {
        let next = ids[(k + 1) % ids.len()];
        edges += &format!("\"{id}\",\"{next}\",{}\n", 1.0 + (k * k) as f64);
    }
    bench.file("g.csv", &edges);
    bench.file(
        "known.csv",
        "source,target\n\"a,b\",\"a,b\"\n\"#1\",\"#1\"\n",
    );
    let csv = bench.run("match g.csv g.csv --anchors known.csv").ok();
    for wanted in [
        "plain,plain,",
        "Straße 7,Straße 7,",
        "\"say \"\"hi\"\"\",\"say \"\"hi\"\"\",",
        "\"a,b\",\"a,b\",1",
        "007,007,",
        "\"#1\",\"#1\",1",
        "\" blank \",\" blank \",",
    ] {
        assert!(
            csv.lines().any(|line| line.starts_with(wanted)),
            "{wanted}: {csv}"
        );
    }
    // What was written is read again, as a truth.
    bench.file("found.csv", &csv);
    let again = bench.run("match g.csv g.csv --anchors known.csv --truth found.csv");
    assert_eq!(
        again.stderr,
        "accuracy 1.000 (5 of 5 non-anchor pairs), recall 1.000, precision 1.000, F1 1.000\n"
    );
}

#[test]
fn graphs_come_from_standard_input_and_in_other_formats() {
    let bench = Bench::new().with_pair();
    let plain = bench.run(MATCH).ok();
    let input = bench.read("a.csv");
    let arguments = "match - b.csv --anchors anchors.csv".split(' ');
    assert_eq!(bench.run_with(arguments, &input).ok(), plain);
    bench.file("g.dat", "1 2 1\n2 3 4\n3 1 9\n");
    bench.file(
        "h.mtx",
        "%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n2 1 1\n3 2 4\n3 1 9\n",
    );
    bench.run("match g.dat g.dat --format edges").ok();
    bench.run("info h.mtx").ok();
}

#[test]
fn every_variant_and_expert_option_is_taken() {
    let bench = Bench::new().with_pair();
    for terms in [
        "adjacency",
        "heat",
        "heat+wks",
        "heat+ap",
        "heat+b",
        "heat+b+ap",
    ] {
        let value = bench.run(&format!("{MATCH} --json --terms {terms}")).json();
        assert_eq!(value["parameters"]["terms"], terms);
    }
    let value = bench.run(&format!(
            "{MATCH} --json --preset paper --solver rrwm --tau 2 --width 0.3 --eigenvectors 3 --c-b 7 \
             --c-ap 2 --learner exact --learner-c 10"
        )).json();
    let parameters = &value["parameters"];
    for (name, wanted) in [
        ("tau", "2"),
        ("affinity width", "0.3"),
        ("eigenvectors K", "3"),
        ("c_B", "7"),
        ("c_ap", "2"),
        ("learner", "exact"),
        ("C", "10"),
    ] {
        assert_eq!(parameters[name], wanted, "{name}");
    }
}

#[test]
fn without_anchors_their_terms_drop_out_and_it_says_so() {
    let bench = Bench::new().with_pair();
    let answer = bench.run("match a.csv b.csv --preset paper");
    assert!(
        answer.stderr.starts_with("note: no anchors were given"),
        "{}",
        answer.stderr
    );
    assert_eq!(answer.ok().lines().count(), 6);
}

#[test]
fn what_reading_set_aside_is_noted() {
    let bench = Bench::new().with_pair();
    let edges = bench.read("a.csv");
    bench.file("a.csv", format!("{edges}bob,ann,1\nbob,bob,2\n"));
    let answer = bench.run(MATCH);
    assert_eq!(
        answer.stderr,
        "note: a.csv: 1 edge from a node to itself tells of that node alone\nnote: a.csv: 1 repeated edge was merged\n"
    );
    answer.ok();
}

#[test]
fn duplicate_edges_follow_the_rule() {
    let bench = Bench::new().with_pair();
    let edges = bench.read("a.csv");
    bench.file("a.csv", format!("{edges}bob,ann,9\n"));
    let line = bench.run(MATCH).refused(2);
    assert!(line.contains("a.csv, line 8"), "{line}");
    for rule in ["sum", "mean", "max", "first"] {
        bench.run(&format!("{MATCH} --duplicates {rule}")).ok();
    }
}

#[test]
fn the_same_bytes_on_any_number_of_threads() {
    let bench = Bench::new().with_points(90);
    let run = |threads: usize| {
        let line = format!("match p.csv q.csv --points --anchors known.csv --threads {threads}");
        bench.run(&line).ok()
    };
    let one = run(1);
    assert_eq!(one.lines().count(), 91);
    assert_eq!(one, run(2));
    assert_eq!(one, run(2));
}

#[test]
fn a_generated_pair_is_matched() {
    let bench = Bench::new();
    let next = bench
        .run("generate synthetic --out set --inliers 15 --noise 0.02 --target-outliers 3 --seed 5")
        .ok();
    let line = next.trim_end().strip_prefix("anchormatch ").unwrap();
    // Outliers move every entry of a heat kernel; the weights of shared edges they leave alone.
    let answer = bench.run(&format!("{line} --terms adjacency"));
    assert_eq!(
        answer.stderr,
        "accuracy 1.000 (13 of 13 non-anchor pairs), recall 1.000, precision 1.000, F1 1.000\n"
    );
    answer.ok();

    let next = bench
        .run("generate house --out house --pan 2 --tilt 0 --jitter 0.2")
        .ok();
    let line = next.trim_end().strip_prefix("anchormatch ").unwrap();
    let answer = bench.run(line);
    assert!(
        answer.stderr.starts_with("note: points: ")
            && answer.stderr.contains("\naccuracy 1.000 (49 of 49"),
        "{}",
        answer.stderr
    );
    // The landmarks' names have blanks.
    assert!(answer.ok().contains("\ndoor knob,t"));
}

#[test]
fn progress_comes_as_json_lines() {
    let bench = Bench::new().with_pair();
    let answer = bench.run(&format!("{MATCH} --preset paper --progress json"));
    let stages: Vec<String> = answer
        .stderr
        .lines()
        .map(|line| {
            let value: Value = serde_json::from_str(line).unwrap();
            assert!(value["done"].is_u64() && value.get("total").is_some());
            value["stage"].as_str().unwrap().to_owned()
        })
        .collect();
    assert_eq!(stages.first().map(String::as_str), Some("eigenpairs"));
    assert!(stages.iter().any(|stage| stage == "rrwm"), "{stages:?}");
    answer.ok();
    assert_eq!(bench.run(&format!("{MATCH} --progress none")).stderr, "");
}
