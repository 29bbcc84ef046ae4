//! The other commands: demo, info, signature, solvers, generate, help.

mod common;

use anchormatch::solver::{OnLists, registry};
use anchormatch_invariants::command::says;
use common::Bench;
use serde_json::{Value, json};

#[test]
fn help_and_version_succeed_and_teach() {
    let bench = Bench::new();
    assert!(bench.run("--version").ok().starts_with("anchormatch "));
    let help = bench.run("--help").ok();
    for word in [
        "match",
        "solve",
        "solvers",
        "demo",
        "info",
        "signature",
        "learn",
        "generate",
        "reproduce",
        "Exit codes",
    ] {
        assert!(help.contains(word), "{word}");
    }
    for command in [
        "match",
        "solve",
        "solvers",
        "demo",
        "info",
        "signature",
        "learn",
        "generate house",
        "generate synthetic",
    ] {
        let help = bench.run(&format!("{command} --help")).ok();
        assert!(help.contains("Example"), "{command}");
        assert!(
            help.contains(&format!("  anchormatch {command}"))
                || ["match", "solve"].contains(&command),
            "{command}"
        );
        bench.run(&format!("{command} -h")).ok();
    }
}

#[test]
fn the_demo_shows_six_variants_and_best_and_writes_a_page() {
    let bench = Bench::new();
    let value = bench.run("demo --json").json();
    let variants = value["variants"].as_array().unwrap();
    assert_eq!(variants.len(), 7);
    assert_eq!(variants[0]["terms"], "best");
    let best = variants[0]["mean_accuracy"].as_f64().unwrap();
    for variant in variants {
        let mean = variant["mean_accuracy"].as_f64().unwrap();
        assert!(mean <= best, "{variant}");
        // Chance is 1/49.
        assert!((0.2..=1.0).contains(&mean), "{variant}");
        assert_eq!(variant["draws"], 10);
    }
    assert_eq!(bench.names(), ["anchormatch-demo.html"]);
    let page = bench.read("anchormatch-demo.html");
    for terms in ["adjacency", "heat+wks", "heat+b+ap", "door knob"] {
        assert!(page.contains(terms), "{terms}");
    }
}

#[test]
fn the_demo_prints_an_aligned_table() {
    let bench = Bench::new();
    let text = bench.run("demo --out page.html --seed 3").ok();
    let rows: Vec<&str> = text.lines().filter(|line| line.contains(" ± ")).collect();
    assert_eq!(rows.len(), 7, "{text}");
    let width = |row: &&str| row.chars().count();
    assert!(
        rows.iter().all(|row| width(row) == width(&rows[0])),
        "{text}"
    );
    assert!(text.contains("Open page.html in a browser."));
    assert!(bench.exists("page.html"));
}

#[test]
fn info_tells_what_a_file_holds() {
    let bench = Bench::new();
    bench.file("g.csv", "a,b,2\nb,c,-1\nd,d,1\nb,a,2\na,c,0\n");
    let text = bench.run("info g.csv").ok();
    for (name, value) in [
        ("nodes", "4"),
        ("edges", "2 (density 0.333)"),
        ("weights", "-1 to 2, 1 negative"),
        ("degrees", "0 to 2"),
        ("isolated nodes", "1"),
        ("Laplacian", "λ₂ 0, λₙ 4"),
    ] {
        assert!(
            text.contains(&format!("{name:<15} {value}\n")),
            "{name}: {text}"
        );
    }
    let value = bench.run("info g.csv --json").json();
    assert_eq!(value["components"], 3);
    assert_eq!(value["self_loops_dropped"], 1);
    assert_eq!(value["repeated_edges_merged"], 1);
    assert_eq!(value["zero_weights_dropped"], 1);
    assert_eq!(
        value["largest_eigenvalue"]
            .as_f64()
            .map(|v| (v - 4.0).abs() < 1e-12),
        Some(true)
    );
    let points = bench.run_with(["info", "-", "--points"], "0,0\n3,4\n").ok();
    assert!(points.contains("weights         5 to 5"), "{points}");
}

/// The cells of a signature table, and its header.
fn table(text: &str) -> (Vec<&str>, Vec<Vec<&str>>) {
    let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
    (lines.next().expect("a header"), lines.collect())
}

#[test]
fn signatures_have_a_row_a_node_and_a_column_a_time() {
    let bench = Bench::new().with_pair();
    let text = bench.run("signature a.csv --kind heat --times 0,0.5").ok();
    let (header, rows) = table(&text);
    assert_eq!(header, ["node", "0", "0.5"]);
    assert_eq!(rows.len(), 5);
    for row in &rows {
        // At time 0 all heat is where it was.
        let start: f64 = row[1].parse().unwrap();
        assert!((start - 1.0).abs() < 1e-12, "{row:?}");
        assert!(row[2].parse::<f64>().unwrap() < 1.0);
    }
    for (kind, columns) in [
        ("heat", 16),
        ("wave", 100),
        ("wavelet", 16),
        ("random-walk", 16),
        ("node", 16),
        ("neighbourhood", 16),
        ("topological", 16),
    ] {
        let text = bench.run(&format!("signature a.csv --kind {kind}")).ok();
        assert_eq!(table(&text).0.len(), columns + 1, "{kind}");
        let text = bench
            .run(&format!("signature a.csv --kind {kind} --count 3"))
            .ok();
        assert_eq!(table(&text).0.len(), 4, "{kind}");
    }
    bench
        .run("signature a.csv --kind wave --times -1,0,1 -o s.csv")
        .ok();
    assert!(bench.read("s.csv").starts_with("node,-1,0,1\n"));
}

#[test]
fn anchored_signatures_name_anchor_and_time() {
    let bench = Bench::new().with_pair();
    let line = "signature a.csv --kind anchored --times 0,1e6";
    let text = bench.run(&format!("{line} --anchors ann,eve")).ok();
    let (header, rows) = table(&text);
    assert_eq!(
        header,
        ["node", "ann@0", "eve@0", "ann@1000000", "eve@1000000"]
    );
    assert_eq!(rows[0][..3], ["ann", "1", "0"]);
    for row in &rows {
        // After a long time the heat of an anchor is everywhere alike.
        let late: f64 = row[3].parse().unwrap();
        assert!((late - 0.2).abs() < 1e-6, "{row:?}");
    }
    bench.file("ids.txt", "ann\n\neve\n");
    assert_eq!(
        bench.run(&format!("{line} --anchors-file ids.txt")).ok(),
        text
    );
    let refusal = bench.run(&format!("{line} --anchors zoe")).refused(2);
    says(&refusal, &["`zoe`", "`ann`"]);
    bench.run(line).refused(2);
    bench
        .run("signature a.csv --kind heat --anchors ann")
        .refused(2);
    bench
        .run("signature a.csv --kind heat --times -1")
        .refused(2);
}

#[test]
fn generated_folders_hold_what_they_say_and_stay() {
    let bench = Bench::new();
    let line =
        "generate synthetic --out set --inliers 30 --density 0.03 --source-outliers 2 --anchors 4";
    bench.run(line).ok();
    // Isolated nodes survive the edge list.
    let info = bench.run("info set/source.csv --json").json();
    assert_eq!(info["nodes"], 32);
    assert!(info["isolated_nodes"].as_u64().unwrap() > 0);
    assert_eq!(bench.read("set/truth.csv").lines().count(), 31);
    assert_eq!(bench.read("set/anchors.csv").lines().count(), 5);
    let files = ["source.csv", "target.csv", "truth.csv", "anchors.csv"];
    let read = || files.map(|file| bench.read(&format!("set/{file}")));
    let first = read();

    let refusal = bench.run(&format!("{line} --seed 9")).refused(2);
    says(&refusal, &["set/source.csv", "--force"]);
    assert_eq!(read(), first);
    bench.run(&format!("{line} --force")).ok();
    assert_eq!(read(), first);
    bench.run(&format!("{line} --force --seed 9")).ok();
    assert_ne!(read(), first);

    for wrong in [
        "--inliers 0",
        "--density 0",
        "--density 1.5",
        "--noise -1",
        "--anchors 31",
    ] {
        let line = format!("generate synthetic --out other --inliers 30 {wrong}");
        let line = line.replace("--inliers 30 --inliers 0", "--inliers 0");
        bench.run(&line).refused(2);
        assert!(!bench.exists("other"), "{wrong}");
    }
}

#[test]
fn generated_folders_with_blanks_are_quoted() {
    let bench = Bench::new();
    let next = bench
        .run_with(["generate", "house", "--out", "my house"], "")
        .ok();
    assert_eq!(
        next,
        "anchormatch match 'my house/source.csv' 'my house/target.csv' --points \
         --anchors 'my house/anchors.csv' --truth 'my house/truth.csv'\n"
    );
    assert!(
        bench
            .read("my house/source.csv")
            .starts_with("id,x,y\nwall base front left,")
    );
}

#[test]
fn info_counts_what_reading_did() {
    let bench = Bench::new();
    bench.file(
        "g.gml",
        "graph [ directed 1 node [ id 1 ] node [ id 2 ] node [ id 3 ]\n\
         edge [ source 1 target 2 weight 2 ] edge [ source 2 target 1 weight 4 ]\n\
         edge [ source 1 target 2 weight 3 ] edge [ source 2 target 2 ] edge [ source 1 target 3 weight 0 ] ]",
    );
    let refused = bench.run("info g.gml --json");
    assert_eq!(refused.code, 2);
    let error: Value = serde_json::from_str(&refused.stderr).unwrap();
    assert_eq!(error["error"]["kind"], "parse");
    assert_eq!(error["error"]["line"], 3);
    let refused = bench.run("info g.gml --undirected --json");
    let error: Value = serde_json::from_str(&refused.stderr).unwrap();
    assert_eq!(error["error"]["line"], 2);
    assert!(
        error["error"]["hint"]
            .as_str()
            .unwrap()
            .contains("sum, mean, max or first")
    );
    let value = bench.run("info g.gml --duplicates mean --json").json();
    for (what, count) in [
        ("directed_edges_read_as_undirected", 4),
        ("opposite_edges_merged", 1),
        ("repeated_edges_merged", 1),
        ("self_loops_dropped", 1),
        ("zero_weights_dropped", 1),
        ("isolated_nodes", 1),
        ("negative_weights", 0),
    ] {
        assert_eq!(value[what], count, "{what}");
    }
    assert_eq!(value["merged_by"], "mean");
    assert_eq!(value["weights"]["min"], 3.0);
    assert_eq!(value["format"], "gml");
    let text = bench.run("info g.gml --duplicates mean").ok();
    assert!(
        text.contains("1 pair of opposite edges was merged"),
        "{text}"
    );
    assert!(text.contains("--duplicates mean"), "{text}");
    assert_eq!(value["directed"], false);
    let value = bench
        .run("info g.gml --duplicates mean --directed --json")
        .json();
    assert_eq!(value["directed"], true);
    for (what, count) in [
        ("edges", 2),
        ("directed_edges_read_as_undirected", 0),
        ("opposite_edges_merged", 0),
        ("repeated_edges_merged", 1),
        ("self_loops_dropped", 1),
        ("zero_weights_dropped", 1),
        ("isolated_nodes", 1),
    ] {
        assert_eq!(value[what], count, "{what}");
    }
    assert_eq!(
        (&value["weights"]["min"], &value["weights"]["max"]),
        (&2.5.into(), &4.0.into())
    );
    let text = bench.run("info g.gml --duplicates mean --directed").ok();
    assert!(
        text.contains("arcs            2 (density 0.333)\n"),
        "{text}"
    );
    assert!(text.contains("the edges have directions: 2 arcs"), "{text}");
}

#[test]
fn convert_keeps_ids_weights_and_points_where_there_is_room() {
    let bench = Bench::new();
    bench.file("p.csv", "id,x,y\na,0,0\nb b,3,4\n\"c,d\",0,1\n");
    bench.run("convert p.csv a.graphml --points").ok();
    let hops = [
        "a.gml",
        "a.net.gz",
        "a.npz",
        "a.mat",
        "a.gw",
        "a.adj",
        "a.csv",
        "b.graphml",
    ];
    let mut from = "a.graphml";
    for to in hops {
        bench.run(&format!("convert {from} {to}")).ok();
        from = to;
    }
    let text = bench.run("convert b.graphml - --to edges").ok();
    assert_eq!(
        text,
        "source,target,weight\na,b b,5\na,\"c,d\",1\nb b,\"c,d\",4.242640687119285\n"
    );
    let done = bench
        .run("convert a.net.gz q.csv --to points --json")
        .json();
    assert_eq!(
        (&done["from"], &done["to"]),
        (&"pajek".into(), &"points".into())
    );
    assert_eq!(bench.read("q.csv"), bench.read("p.csv"));
    let matrix = bench.run_with(["convert", "-", "-", "--from", "mtx", "--to", "metis"], {
        "%%MatrixMarket matrix coordinate integer symmetric\n3 3 1\n2 1 7\n"
    });
    assert_eq!(matrix.ok(), "3 1 001\n2 7\n1 7\n\n");
}

#[test]
fn convert_refuses_what_cannot_be_written() {
    let bench = Bench::new();
    bench.file("g.csv", "a,b,0.5\n");
    let line = bench.run("convert g.csv g.graph").refused(2);
    assert!(
        line.contains("the weight 0.5, expected positive whole numbers"),
        "{line}"
    );
    let line = bench.run("convert g.csv g.odd").refused(2);
    assert!(line.contains("`.odd`, expected .csv"), "{line}");
    let line = bench.run("convert g.csv g.csv --to points").refused(2);
    assert!(line.contains("a point for every node"), "{line}");
    assert_eq!(bench.read("g.csv"), "a,b,0.5\n");
    let many: String = (0..300).map(|i| format!("{i},{}\n", i + 1)).collect();
    bench.file("m.csv", &many);
    let line = bench
        .run("convert m.csv m.npy --max-memory 300K")
        .refused(4);
    assert!(line.contains("a matrix of 301×301 numbers"), "{line}");
    bench.run("convert m.csv m.npz --max-memory 300K").ok();
}

#[test]
fn the_list_of_solvers_is_that_of_the_registry() {
    let bench = Bench::new();
    let table = bench.run("solvers").ok();
    let list = bench.run("solvers --json").json();
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
        let word = match info.candidates {
            OnLists::Listed => "listed",
            _ => "filled",
        };
        assert_eq!(list[place]["candidates"], word);
        assert!(
            row.is_some_and(|row| row.trim_end().ends_with(word)),
            "{table}"
        );
        assert!(help.contains(info.reference), "{help}");
    }
    assert_eq!(list.as_array().unwrap().len(), registry::all().len());
}

#[test]
fn parameters_are_listed_with_their_defaults() {
    let bench = Bench::new();
    let list = bench.run("solvers --json").json();
    for (place, solver) in registry::all().iter().enumerate() {
        let name = solver.info().name;
        let parameters = solver.parameters();
        assert_eq!(list[place]["parameters"], json!(parameters), "{name}");
        let page = bench.run(&format!("solvers {name}")).ok();
        for parameter in parameters.keys() {
            assert!(page.contains(parameter.as_str()), "{parameter}: {page}");
        }
        let one = bench.run(&format!("solvers {name} --json")).json();
        assert_eq!(one, json!([list[place]]));
    }
    let page = bench.run("solvers portfolio tabu").ok();
    for row in [
        "relaxations      [\"faq\",\"rrwm\",\"gagm\"]",
        "tabu.tenure      [0.5,2.0]",
        "tenure        [0.9,1.1]",
        "iterations    null",
    ] {
        let mut lines = page.lines().map(str::split_whitespace);
        let is_there = lines.any(|line| line.eq(row.split_whitespace()));
        assert!(is_there, "{row}: {page}");
    }
    bench.run("solvers magic").refused(2);
}

#[test]
fn weights_are_learned_from_examples_and_applied() {
    let bench = Bench::new().with_pair();
    bench.file(
        "examples.csv",
        "source,target,truth\na.csv,b.csv,truth.csv\n",
    );
    for method in [
        "caetano-linear",
        "caetano-quadratic",
        "leordeanu-supervised",
        "mcauley",
    ] {
        bench
            .run(&format!(
                "learn examples.csv --method {method} --passes 5 --output w.json"
            ))
            .ok();
        let weights: Value = serde_json::from_str(&bench.read("w.json")).unwrap();
        assert_eq!(
            (&weights["method"], &weights["training_pairs"]),
            (&json!(method), &json!(1))
        );
        let found = bench
            .run(
                "match a.csv b.csv --anchors anchors.csv --weights w.json --truth truth.csv --json",
            )
            .json();
        assert_eq!(found["accuracy"], 1.0, "{method}: {found}");
    }
    bench.file("bad.csv", "source,target\na.csv,b.csv\n");
    bench.refuses(
        "learn bad.csv --method mcauley --output w.json",
        &["bad.csv, line 1", "source,target,truth"],
    );
    bench.file("bad.csv", "source,target,truth\na.csv,b.csv\n");
    bench.refuses(
        "learn bad.csv --method mcauley --output w.json",
        &["line 2", "three files"],
    );
    bench.file("bad.json", "{}");
    bench.refuses(
        "match a.csv b.csv --weights bad.json",
        &["--weights", "learn"],
    );
}
