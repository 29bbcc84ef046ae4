//! `anchormatch match`: the presets, and what only some of them take.

#![allow(clippy::unwrap_used)]

mod common;

use common::Bench;

const MATCH: &str = "match a.csv b.csv --anchors anchors.csv";

/// A parameter of the result; none where the result does not have it.
fn parameter(bench: &Bench, options: &str, name: &str) -> Option<String> {
    let value = bench.run(&format!("{MATCH} --json {options}")).json();
    value["parameters"][name].as_str().map(str::to_owned)
}

/// The pairs of a result as `source,target`, without the header.
fn pairs(text: &str) -> Vec<&str> {
    let rows = text.lines().skip(1);
    rows.map(|row| row.rsplit_once(',').unwrap().0).collect()
}

/// Rows `source,target,weight` of a complete graph with the given nodes; the weight of a pair depends
/// on its nodes' numbers alone.
fn complete(names: &[(&str, u64)]) -> String {
    let mut rows = String::new();
    for (k, (name, first)) in names.iter().enumerate() {
        for (other, second) in &names[..k] {
            let (low, high) = (first.min(second), first.max(second));
            let weight = (low * 7919 + high * 104_729 + low * high * 31) % 1009;
            rows += &format!("{name},{other},{weight}\n");
        }
    }
    rows
}

#[test]
fn best_is_the_default_and_options_of_the_paper_choose_the_paper() {
    let bench = Bench::new().with_pair();
    let preset = |options| parameter(&bench, options, "preset");
    assert_eq!(preset("").as_deref(), Some("best"));
    assert_eq!(preset("--preset best").as_deref(), Some("best"));
    assert_eq!(preset("--preset fast").as_deref(), Some("fast"));
    let terms = |options| parameter(&bench, options, "terms");
    assert_eq!(terms(""), None);
    assert_eq!(terms("--preset paper").as_deref(), Some("heat+b+ap"));
    assert_eq!(terms("--terms heat").as_deref(), Some("heat"));
    assert_eq!(terms("--tau 2").as_deref(), Some("heat+b+ap"));
    assert_eq!(
        bench.run(MATCH).ok(),
        bench.run(&format!("{MATCH} --preset best")).ok()
    );
}

#[test]
fn an_option_of_another_preset_is_refused_by_name() {
    let bench = Bench::new().with_pair();
    bench.file("similar.csv", "ann,nna,1\n");
    for (options, option, preset) in [
        ("--preset best --terms heat", "--terms", "paper"),
        ("--preset fast --tau 2", "--tau", "paper"),
        ("--preset best --learner exact", "--learner", "paper"),
        (
            "--preset paper --allow-unmatched",
            "--allow-unmatched",
            "best",
        ),
        ("--terms heat --repair-anchors", "--repair-anchors", "best"),
        (
            "--preset paper --node-similarity similar.csv",
            "--node-similarity",
            "best",
        ),
    ] {
        let line = bench
            .run(&format!("{MATCH} {options} --output m.csv"))
            .refused(2);
        assert!(line.contains(option), "{options}: {line}");
        assert!(line.contains(&format!("--preset {preset}")), "{line}");
        assert!(!bench.exists("m.csv"));
    }
}

#[test]
fn unmatched_nodes_are_allowed_on_request() {
    let bench = Bench::new();
    let common: Vec<(String, u64)> = (1..=12).map(|k| (format!("n{k}"), k)).collect();
    let with = |more: &[(&'static str, u64)]| {
        let common = common.iter().map(|(name, k)| (name.as_str(), *k));
        complete(&common.chain(more.iter().copied()).collect::<Vec<_>>())
    };
    bench.file("a.csv", with(&[("x", 101), ("y", 203)]));
    bench.file("b.csv", with(&[("u", 307), ("v", 401), ("w", 503)]));
    bench.file("anchors.csv", "source,target\nn1,n1\nn2,n2\n");
    let allowed = bench.run(&format!("{MATCH} --allow-unmatched")).ok();
    let allowed = pairs(&allowed);
    assert_eq!(allowed.len(), 12, "{allowed:?}");
    for pair in &allowed {
        let (source, target) = pair.split_once(',').unwrap();
        assert_eq!(source, target);
    }
    let all = bench.run(MATCH).ok();
    let all = pairs(&all);
    assert_eq!(all.len(), 14);
    assert!(allowed.iter().all(|pair| all.contains(pair)));
    let value = bench
        .run(&format!("{MATCH} --allow-unmatched --json"))
        .json();
    assert_eq!(value["unmatched_source"], serde_json::json!(["x", "y"]));
    assert_eq!(value["unmatched_target"].as_array().unwrap().len(), 3);
}

#[test]
fn a_wrong_anchor_is_noted_and_on_request_repaired() {
    let bench = Bench::new();
    let names: Vec<(String, u64)> = (1..=14).map(|k| (format!("n{k}"), k)).collect();
    let names: Vec<(&str, u64)> = names.iter().map(|(name, k)| (name.as_str(), *k)).collect();
    bench.file("a.csv", complete(&names));
    bench.file("b.csv", complete(&names));
    bench.file("anchors.csv", "source,target\nn1,n1\nn2,n2\nn3,n3\nn4,n9\n");
    let kept = bench.run(MATCH);
    let noted = &kept.stderr;
    assert!(noted.contains("anchor `n4` → `n9`"), "{noted}");
    assert!(noted.contains("--repair-anchors"), "{noted}");
    assert!(pairs(&kept.ok()).contains(&"n4,n9"));
    let repaired = bench.run(&format!("{MATCH} --repair-anchors"));
    assert!(repaired.stderr.contains("it became a soft anchor"));
    let repaired = repaired.ok();
    for pair in pairs(&repaired) {
        let (source, target) = pair.split_once(',').unwrap();
        assert_eq!(source, target);
    }
    assert_eq!(pairs(&repaired).len(), 14);
}

#[test]
fn similarities_decide_where_edges_cannot() {
    let bench = Bench::new();
    bench.file("a.csv", "a,b\nb,c\nc,d\nd,e\n");
    bench.file("b.csv", "1,2\n2,3\n3,4\n4,5\n");
    let alike = |order: [u32; 5]| {
        let rows = "abcde".chars().zip(order);
        let rows = rows.map(|(name, number)| format!("{name},{number},0.9\n"));
        "source,target,similarity\na,3,0.1\n".to_owned() + &rows.collect::<String>()
    };
    for order in [[1, 2, 3, 4, 5], [5, 4, 3, 2, 1]] {
        bench.file("similar.csv", alike(order));
        let answer = bench.run("match a.csv b.csv --node-similarity similar.csv");
        let text = answer.ok();
        let wanted = "abcde".chars().zip(order);
        let wanted: Vec<String> = wanted.map(|(name, k)| format!("{name},{k}")).collect();
        assert_eq!(pairs(&text), wanted);
    }
}

#[test]
fn faults_of_a_similarity_file_name_file_and_line() {
    let bench = Bench::new().with_pair();
    for (text, parts) in [
        ("ann,nna,1\nzoe,nna,1\n", ["line 2", "`zoe`"]),
        ("ann,who,1\n", ["line 1", "`who`"]),
        ("ann,nna\n", ["line 1", "similarity"]),
        ("ann,nna,1\n\nann,nna,2\n", ["line 3", "had 1 before"]),
        ("ann,nna,1\nbob,bob,much\n", ["line 2", "`much`"]),
        ("ann,nna,1\nbob,bob,nan\n", ["line 2", "`nan`"]),
    ] {
        bench.file("similar.csv", text);
        let line = bench
            .run(&format!(
                "{MATCH} --node-similarity similar.csv --output m.csv"
            ))
            .refused(2);
        assert!(line.contains("similar.csv"), "{line}");
        assert!(parts.iter().all(|part| line.contains(part)), "{line}");
        assert!(!bench.exists("m.csv"));
    }
    let line = bench
        .run(&format!("{MATCH} --node-similarity no.csv"))
        .refused(2);
    assert!(line.contains("no.csv"), "{line}");
    let line = bench.run("match - b.csv --node-similarity -").refused(2);
    assert!(line.contains("--node-similarity"), "{line}");
}
