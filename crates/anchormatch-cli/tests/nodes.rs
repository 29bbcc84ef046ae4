//! Tables of nodes, and truths that know more than the graphs.

mod common;

use common::Bench;

const MATCH: &str = "match a.csv b.csv --anchors anchors.csv";

/// The pair of graphs with a node more on each side that has no edge.
fn bench() -> Bench {
    let bench = Bench::new().with_pair();
    let ids = |text: String, skip: usize| {
        let mut ids: Vec<String> = Vec::new();
        for line in text.lines().skip(skip) {
            for id in line.split(',').take(2) {
                if !ids.iter().any(|known| known == id) {
                    ids.push(id.to_owned());
                }
            }
        }
        ids.join("\n")
    };
    for (graph, table, alone) in [("a.csv", "an.csv", "zoe"), ("b.csv", "bn.csv", "eoz")] {
        bench.file(table, format!("{alone}\n{}\n", ids(bench.read(graph), 0)));
    }
    bench
}

const NODES: &str = "--source-nodes an.csv --target-nodes bn.csv";

#[test]
fn a_node_without_edges_can_be_anchored_matched_and_scored() {
    let bench = bench();
    let known = bench.read("anchors.csv");
    bench.file("more.csv", format!("{}\nzoe,eoz\n", known.trim_end()));
    let line = "match a.csv b.csv --anchors more.csv";
    bench.refuses(line, &["more.csv", "`zoe`"]);
    let pairs = bench.run(&format!("{line} {NODES}")).ok();
    assert!(pairs.contains("zoe,eoz,1"), "{pairs}");
    assert_eq!(pairs.lines().count(), 1 + 6);
    // Without the anchor they are all that is left, and go together.
    let pairs = bench.run(&format!("{MATCH} {NODES}")).ok();
    assert!(pairs.contains("zoe,eoz,"), "{pairs}");
    let value = bench
        .run(&format!("{MATCH} --source-nodes an.csv --json"))
        .json();
    assert_eq!(value["unmatched_source"][0], "zoe");
}

#[test]
fn a_table_that_does_not_fit_is_refused() {
    let bench = bench();
    bench.file("few.csv", "id\nzoe\n");
    bench.refuses(
        &format!("{MATCH} --source-nodes few.csv"),
        &["few.csv: found no row for the node `ann`", "every node"],
    );
    bench.file("xy.csv", "id,x,y\np,1,2\nq,3,4\nr,5,9\n");
    bench.refuses(
        "match xy.csv xy.csv --points --source-nodes few.csv",
        &["few.csv: found no row for the node `p`", "every node"],
    );
    bench.file("more.csv", "id\np\nq\nr\nzoe\n");
    bench.refuses(
        "match xy.csv xy.csv --points --source-nodes more.csv",
        &[
            "more.csv: found the node `zoe`, which is no point",
            "coordinates",
        ],
    );
    bench.refuses(
        &format!("{MATCH} --source-nodes - --target-nodes -"),
        &["--target-nodes"],
    );
}

#[test]
fn columns_that_are_not_used_are_named() {
    let bench = bench();
    let typed: String = bench
        .read("an.csv")
        .lines()
        .map(|id| format!("{id},x\n"))
        .collect();
    bench.file("typed.csv", format!("id,cell type\n{typed}"));
    let answer = bench.run(&format!(
        "{MATCH} --source-nodes typed.csv --target-nodes bn.csv"
    ));
    assert!(answer.stderr.contains("cell type"), "{}", answer.stderr);
    answer.ok();
}

#[test]
fn a_truth_may_know_more_nodes_than_the_graphs() {
    let bench = bench();
    let truth = bench.read("truth.csv");
    bench.file(
        "truth.csv",
        format!("{}\nzoe,eoz\ntim,mit\n", truth.trim_end()),
    );
    let answer = bench.run(&format!("{MATCH} --truth truth.csv"));
    assert!(
        answer.stderr.contains("2 rows of the truth"),
        "{}",
        answer.stderr
    );
    assert!(
        answer.stderr.contains("(4 of 4 non-anchor pairs)"),
        "{}",
        answer.stderr
    );
    answer.ok();
    let answer = bench.run(&format!("{MATCH} {NODES} --truth truth.csv"));
    assert!(
        answer.stderr.contains("1 row of the truth"),
        "{}",
        answer.stderr
    );
    answer.ok();
    // A truth of other graphs altogether is a mistake.
    bench.file("truth.csv", "tim,mit\n");
    bench.refuses(
        &format!("{MATCH} --truth truth.csv"),
        &["truth.csv, line 1", "`tim`"],
    );
}
