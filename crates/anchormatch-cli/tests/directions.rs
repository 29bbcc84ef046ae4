//! Directed graphs, from the file to the result.

mod common;

use common::Bench;

/// Nodes of the tournament.
const NODES: usize = 14;

const MATCH: &str = "match a.csv b.csv --anchors anchors.csv";

/// Whether node i of the tournament won against node j: a coin without a pattern, and the opposite for j.
fn beats(i: usize, j: usize) -> bool {
    let (low, high) = (i.min(j) as u64, i.max(j) as u64);
    let mixed = (low * 31 + high + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let coin = (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 63 == 1;
    coin == (i < j)
}

/// A tournament, each of whose pairs has one arc, and the same under other names: without their directions
/// the edges of both are complete graphs, which look the same from every node.
fn tournament() -> Bench {
    let bench = Bench::new();
    let (mut source, mut target) = (Vec::new(), Vec::new());
    for i in 0..NODES {
        for j in (0..NODES).filter(|&j| j != i && beats(i, j)) {
            source.push(format!("s{i},s{j}\n"));
            target.push(format!(
                "t{},t{}\n",
                (5 * i + 3) % NODES,
                (5 * j + 3) % NODES
            ));
        }
    }
    // Nodes are numbered as they appear, and ties go to the lowest number: it must not be the right one.
    target.sort();
    let pairs = |nodes: std::ops::Range<usize>| -> String {
        let pair = |i: usize| format!("s{i},t{}\n", (5 * i + 3) % NODES);
        nodes.map(pair).collect()
    };
    bench.file("a.csv", source.concat());
    bench.file("b.csv", target.concat());
    bench.file("anchors.csv", pairs(0..4));
    bench.file("truth.csv", pairs(0..NODES));
    bench
}

#[test]
fn directions_alone_tell_the_nodes_of_a_tournament_apart() {
    let bench = tournament();
    let run = |option: &str| {
        let line = format!("{MATCH} --truth truth.csv --json {option}");
        bench.run(&line).json()
    };
    let value = run("--directed");
    assert_eq!(value["accuracy"], 1.0, "{value}");
    for option in ["--undirected", ""] {
        let accuracy = run(option)["accuracy"].as_f64().unwrap();
        assert!(accuracy < 0.9, "{option}: {accuracy}");
    }
    assert!(bench.run("info a.csv --directed").ok().contains("91 arcs"));
    let line = bench.run("info a.csv --directed --undirected").refused(2);
    assert!(line.contains("--undirected"), "{line}");
}

#[test]
fn formats_that_know_directions_need_not_be_told() {
    let bench = tournament();
    for to in ["graphml", "gml", "net", "gw", "adj", "npz", "mat"] {
        for side in ["a", "b"] {
            let line = format!("convert {side}.csv {side}.{to} --directed");
            bench.run(&line).ok();
        }
        let line = format!("match a.{to} b.{to} --anchors anchors.csv --truth truth.csv --json");
        assert_eq!(bench.run(&line).json()["accuracy"], 1.0, "{to}");
    }
    let told = bench.run("convert a.gml back.csv");
    assert!(
        told.stderr.contains("read them with --directed"),
        "{}",
        told.stderr
    );
    told.ok();
    let value = bench.run("info back.csv --directed --json").json();
    assert_eq!(
        (&value["edges"], &value["directed"]),
        (&91.into(), &true.into())
    );
    let line = bench.run("convert a.gml a.graph").refused(2);
    assert!(line.contains("METIS has no place for directions"), "{line}");
}

#[test]
fn rows_that_contradict_each_other_are_refused_with_both_ways_out() {
    let bench = Bench::new();
    bench.file("g.csv", "a,b,1\nb,a,2\n");
    let line = bench.run("info g.csv").refused(2);
    for part in ["g.csv, line 2", "--duplicates", "--directed"] {
        assert!(line.contains(part), "{part}: {line}");
    }
    bench.run("info g.csv --directed").ok();
    bench.run("info g.csv --duplicates sum").ok();
}

#[test]
fn directions_that_are_not_used_are_noted() {
    let bench = tournament();
    bench.run("convert a.csv a.gml --directed").ok();
    for preset in ["best", "fast", "paper"] {
        let line = format!("match a.gml b.csv --anchors anchors.csv --preset {preset}");
        let answer = bench.run(&line);
        let note = "note: the edges of one graph alone have directions, which are not used; --directed \
                    reads rows as arcs or --undirected sets all directions aside";
        assert!(answer.stderr.contains(note), "{preset}: {}", answer.stderr);
        answer.ok();
    }
    let not_compared = "which are not compared here";
    for (option, is_noted) in [
        ("--preset paper", true),
        ("--regime sparse", false),
        ("", false),
    ] {
        let answer = bench.run(&format!("{MATCH} --directed {option}"));
        assert_eq!(answer.stderr.contains(not_compared), is_noted, "{option}");
        answer.ok();
    }
}
