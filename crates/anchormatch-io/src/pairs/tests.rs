//! Tests of pairs: how they are read, and what they become.

use super::*;
use anchormatch::graph::Graph;
use anchormatch::graph::Labels;

fn graphs() -> (Graph, Graph) {
    let names = ["ann", "bob", "eve"].map(String::from).to_vec();
    let path = |n: usize| {
        let edges: Vec<_> = (1..n).map(|i| (i - 1, i, 1.0)).collect();
        Graph::from_edges(n, &edges).unwrap()
    };
    let named = path(3).with_labels(Labels::new(names).unwrap()).unwrap();
    (named, path(4))
}

fn table(text: &str) -> PairTable {
    read_pairs_from(text.as_bytes(), "a.csv").unwrap()
}

fn refusal(text: &str) -> String {
    let (source, target) = graphs();
    table(text)
        .anchors(&source, &target)
        .unwrap_err()
        .to_string()
}

#[test]
fn anchors_are_hard_or_soft_by_weight() {
    let (source, target) = graphs();
    let rows = table("source,target,confidence\nann,3,1\nbob,2,0.5\nbob,1,0.25\nann,3,1\n");
    let anchors = rows.anchors(&source, &target).unwrap();
    assert_eq!(anchors.hard(), [(0, 3)]);
    assert_eq!(anchors.soft().len(), 2);
    let hard = table("from,to\nann,3\n").anchors(&source, &target).unwrap();
    assert_eq!(hard.hard(), [(0, 3)]);
}

#[test]
fn columns_go_by_their_names_in_either_order() {
    let (source, target) = graphs();
    for text in [
        "target,source\n3,ann\n",
        "left,right\nann,3\n",
        "object,subject\n3,ann\n",
        "to,from,weight\n3,ann,1\n",
        "score,target,source\n1,3,ann\n",
    ] {
        let anchors = table(text).anchors(&source, &target).unwrap();
        assert_eq!(anchors.hard(), [(0, 3)], "{text}");
    }
}

#[test]
fn a_header_alone_is_no_pair_and_an_empty_file_a_fault() {
    assert!(table("source,target\n").rows.is_empty());
    assert_eq!(
        read_pairs_from(&b"# none\n"[..], "a.csv")
            .unwrap_err()
            .to_string(),
        "a.csv: found no pair, expected rows of source,target[,weight], \
         or a header alone for no pair"
    );
}

#[test]
fn a_first_row_with_a_slip_is_no_header() {
    let read = |text: &str| read_pairs_from(text.as_bytes(), "a.csv");
    for text in ["ann,0,high\nbob,1,0.5\n", "ann,0,O.5\n", "x,y,z\nann,0,1\n"] {
        let error = read(text).unwrap_err().to_string();
        assert!(
            error.starts_with("a.csv, line 1, column 3: found")
                && error.ends_with(
                    "expected a number, or a header such as source,target,weight; \
                     say that there is a header if it is one"
                ),
            "{error}"
        );
    }
    for header in [
        "source,target,how alike",
        "person,account,Similarity",
        "From,To,w",
    ] {
        let rows = read(&format!("{header}\nann,0,0.5\n")).unwrap().rows;
        assert_eq!(rows.len(), 1, "{header}");
    }
}

#[test]
fn a_header_may_be_told() {
    let folder = std::env::temp_dir().join(format!("anchormatch-pairs-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("a.csv");
    let (source, target) = graphs();
    let read = |text: &str, header| {
        std::fs::write(&path, text).unwrap();
        read_pairs_with(&path, header).unwrap()
    };
    let doubts = |table: &PairTable| -> Vec<String> {
        let doubts = table.doubts(&source, &target).into_iter();
        doubts.map(|doubt| doubt.to_string()).collect()
    };
    let odd = read("person,number\nann,3\n", Some(true));
    assert_eq!(odd.anchors(&source, &target).unwrap().hard(), [(0, 3)]);
    assert_eq!(doubts(&odd), Vec::<String>::new());
    let unknown = read("person,number\nann,3\n", None).anchors(&source, &target);
    let error = unknown.unwrap_err().to_string();
    assert!(
        error.ends_with("; say that there is a header if it is one"),
        "{error}"
    );
    let data = read("source,target\nann,3\n", Some(false));
    assert_eq!(data.rows.len(), 2);
    // A pair that is lost to a header that is none.
    let lost = read("ann,3\nbob,1\n", Some(true));
    assert_eq!(lost.rows.len(), 1);
    assert_eq!(
        doubts(&lost),
        [
            "the first row, `ann,3`, was taken as a header, and its names are ids; \
          say that there is no header if it is data"
        ]
    );
    let taken = read("person,account,score\nann,3,0.5\n", None);
    assert_eq!(
        doubts(&taken),
        [
            "the first row, `person,account,score`, was taken as a header; \
          say that there is no header if it is data"
        ]
    );
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn evidence_for_a_partner_of_a_node_that_has_none_is_a_contradiction() {
    for text in [
        "ann,0,0.5\nann,,\n",
        "ann,,\nann,0,0.5\n",
        "bob,0,0.5\n,0,\n",
    ] {
        let error = refusal(text);
        assert!(error.contains("with a partner, which line"), "{error}");
    }
}

#[test]
fn culprits_are_named_with_file_and_line() {
    assert_eq!(
        refusal("source,target\nann,0\nzoe,1\n"),
        "a.csv, line 3, column 1: found the unknown id `zoe`, \
         expected the id of a node of the source graph, such as `ann`"
    );
    assert_eq!(
        refusal("ann,4\n"),
        "a.csv, line 1, column 2: found the unknown id `4`, \
         expected the id of a node of the target graph, such as `0`"
    );
    assert_eq!(
        refusal("ann,0\n\nann,1\n"),
        "a.csv, line 3, column 1: found the source node `ann` once more, \
         which line 1 pairs with `0`, expected one partner for every node"
    );
    assert_eq!(
        refusal("ann,0\nbob,0\n"),
        "a.csv, line 2, column 2: found the target node `0` once more, \
         which line 1 pairs with `ann`, expected one partner for every node"
    );
    assert_eq!(
        refusal("ann,0,1\nbob,1,1.5\n"),
        "a.csv, line 2, column 3: found the weight 1.5, expected above 0 and at most 1"
    );
}

#[test]
fn indices_are_one_to_one_whatever_the_weights() {
    let (source, target) = graphs();
    let rows = table("eve,0,0.5\nann,1,7\neve,0,0.1\n");
    assert_eq!(
        rows.indices(&source, &target).unwrap(),
        [(2, 0), (0, 1), (2, 0)]
    );
    assert!(
        table("eve,0,0.5\neve,1,0.5\n")
            .indices(&source, &target)
            .is_err()
    );
}

#[test]
fn similarities_are_a_matrix_with_the_least_where_nothing_is_listed() {
    let (source, target) = graphs();
    let rows = table("source,target,similarity\neve,0,0.5\nann,3,7\nbob,1,-2\nann,3,7\n");
    let matrix = rows.similarity(&source, &target).unwrap();
    assert_eq!(matrix.shape(), (3, 4));
    assert!(matrix.as_full().is_none());
    let listed = [((2, 0), 0.5), ((0, 3), 7.0)];
    for i in 0..3 {
        for a in 0..4 {
            let found = listed.iter().find(|(pair, _)| *pair == (i, a));
            assert_eq!(matrix[(i, a)], found.map_or(-2.0, |f| f.1), "({i}, {a})");
        }
    }
    // No row at all: everything alike.
    let none = table("source,target,similarity\n").similarity(&source, &target);
    assert!(none.unwrap().iter().all(|v| v == 0.0));
}

#[test]
fn faults_of_similarities_name_file_and_line() {
    let (source, target) = graphs();
    let refusal = |text: &str| {
        let error = table(text).similarity(&source, &target).unwrap_err();
        error.to_string()
    };
    for (text, parts) in [
        (
            "ann,0,1\nzoe,1,1\n",
            ["a.csv, line 2", "`zoe`", "source graph"],
        ),
        ("ann,9,1\n", ["a.csv, line 1", "`9`", "target graph"]),
        (
            "\nann,0\nbob,1\n",
            ["a.csv, line 2", "two columns", "similarity"],
        ),
        (
            "ann,0,1\nann,0,2\n",
            ["a.csv, line 2", "had 1 before", "one similarity"],
        ),
    ] {
        let line = refusal(text);
        assert!(parts.iter().all(|part| line.contains(part)), "{line}");
    }
    for text in ["ann,0,nan\n", "ann,0,inf\n"] {
        let error =
            read_pairs_from(text.as_bytes(), "a.csv").and_then(|t| t.similarity(&source, &target));
        assert!(
            error.unwrap_err().to_string().contains("a.csv, line 1"),
            "{text}"
        );
    }
}

#[test]
fn an_empty_field_says_that_there_is_no_partner() {
    let (source, target) = graphs();
    for text in [
        "ann,3\nbob,\n,2\n",
        "source,target\nann,3\nbob,\n,2\nbob,\n",
        "target,source\n3,ann\n,bob\n2,\n",
        "source,target,weight\nann,3,1\nbob,,1\n,2,\n",
        "source\ttarget\nann\t3\nbob\t\n\t2\n",
        "bob,,\nann,3,1\n,2,1\n",
        "ann;3\nbob;\n;2\n",
    ] {
        let anchors = table(text).anchors(&source, &target).expect(text);
        assert_eq!(anchors.hard(), [(0, 3)], "{text}");
        assert_eq!(anchors.alone(), [&[1][..], &[2][..]], "{text}");
        let truth = table(text).known_indices(&source, &target).unwrap();
        assert_eq!(truth, (vec![(0, 3)], 0), "{text}");
    }
    // Unknown nodes without a partner count among the unknown rows of a truth.
    let truth = table("ann,3\nzoe,\n").known_indices(&source, &target);
    assert_eq!(truth.unwrap(), (vec![(0, 3)], 1));
}

#[test]
fn contradictions_about_partners_name_file_and_line() {
    assert_eq!(
        refusal("ann,0\nann,\n"),
        "a.csv, line 2, column 1: found the source node `ann` without a partner, \
         which line 1 pairs with `0`, expected a partner or none"
    );
    assert_eq!(
        refusal(",0\nann,0\n"),
        "a.csv, line 2, column 2: found the target node `0` with a partner, \
         which line 1 says it has not, expected a partner or none"
    );
    assert_eq!(
        refusal("source,target,weight\nann,,0.5\n"),
        "a.csv, line 2, column 3: found the weight 0.5 of a node without a partner, \
         expected 1 or none: that a node has no partner is certain"
    );
    assert_eq!(
        refusal("zoe,\n"),
        "a.csv, line 1, column 1: found the unknown id `zoe`, \
         expected the id of a node of the source graph, such as `ann`"
    );
    for (text, line) in [("ann,0\n,\n", 2), (",,1\n", 1)] {
        let error = read_pairs_from(text.as_bytes(), "a.csv").unwrap_err();
        assert_eq!(
            error.to_string(),
            format!(
                "a.csv, line {line}, column 1: found two empty fields, \
                 expected a node id, or two; one of them may be empty, for no partner"
            )
        );
    }
    // A pair has a confidence, where the table has a column of them.
    assert!(read_pairs_from(&b"ann,0,1\nbob,1,\n"[..], "a.csv").is_err());
}

#[test]
fn candidates_may_repeat_and_have_scores() {
    let (source, target) = graphs();
    let rows = table("source,target\neve,0\nann,1\nann,0\nann,1\n");
    let found = rows.candidates(&source, &target).unwrap();
    assert_eq!(found.pairs, [(0, 0), (0, 1), (2, 0)]);
    assert_eq!(found.scores, None);
    let rows = table("target,source,score\n0,eve,-2\n1,ann,5\n1,ann,7\n1,ann,6\n");
    let found = rows.candidates(&source, &target).unwrap();
    assert_eq!(found.pairs, [(0, 1), (2, 0)]);
    let scores = found.scores.unwrap();
    assert_eq!(
        (scores.get(0, 1), scores.get(2, 0)),
        (Some(7.0), Some(-2.0))
    );
    assert_eq!((scores.rows(), scores.cols()), (3, 4));
    let refusal = |text: &str| {
        let error = table(text).candidates(&source, &target).unwrap_err();
        error.to_string()
    };
    assert!(
        refusal("ann,0\nann,9\n").starts_with("a.csv, line 2, column 2: found the unknown id `9`")
    );
    assert_eq!(
        refusal("ann,\n"),
        "a.csv, line 1, column 2: found an empty field, \
         expected a node id; that a node has no partner is said in a file of anchors"
    );
    assert!(
        table("source,target\n")
            .candidates(&source, &target)
            .unwrap()
            .pairs
            .is_empty()
    );
}

#[test]
fn crossing_edges_go_either_way() {
    let (source, target) = graphs();
    let (one, two) = ((&source, "source"), (&target, "target"));
    let there = table("from,to\nann,3\neve,0\nann,3\n")
        .crossing(one, two)
        .unwrap();
    assert_eq!((there.rows(), there.cols(), there.entries()), (3, 4, 2));
    assert_eq!(there.get(2, 0), Some(1.0));
    let back = table("3,ann,2.5\n1,bob,0\n").crossing(two, one).unwrap();
    assert_eq!((back.rows(), back.cols(), back.entries()), (4, 3, 1));
    assert_eq!(back.get(3, 0), Some(2.5));
    for (text, words) in [
        (
            "ann,3\n",
            "line 1, column 1: found the unknown id `ann`, expected the id of a node of the target graph",
        ),
        (
            "3,ann,1\n3,ann,2\n",
            "line 2, column 3: found 2 for a pair that had 1 before, expected one weight for each edge",
        ),
        ("3,ann\n1,\n", "line 2, column 2: found an empty field"),
    ] {
        let error = table(text).crossing(two, one).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
}
