//! Tests of edge lists.

use super::*;
use anchormatch::error::Hint;
use anchormatch::graph::Duplicates;

fn read(text: &str) -> Result<LoadedGraph> {
    read_edge_list_from(text.as_bytes(), "e.csv", &ReadOptions::default())
}

fn read_with(text: &str, directed: Option<bool>) -> Result<LoadedGraph> {
    let options = ReadOptions {
        directed,
        ..ReadOptions::default()
    };
    read_edge_list_from(text.as_bytes(), "e.csv", &options)
}

fn edges(text: &str) -> Vec<(String, String, f64)> {
    let graph = read(text).unwrap().graph;
    let name = |i| graph.labels().get(i).into_owned();
    (0..graph.node_count())
        .flat_map(|i| {
            graph
                .neighbours(i)
                .filter(move |&(j, _)| i < j)
                .map(move |(j, w)| (name(i), name(j), w))
        })
        .collect()
}

fn edge(source: &str, target: &str, weight: f64) -> (String, String, f64) {
    (source.into(), target.into(), weight)
}

#[test]
fn headers_are_recognised_by_the_rule() {
    let wanted = [edge("a", "b", 2.0)];
    for text in [
        "a,b,2\n",
        "source,target,weight\na,b,2\n",
        "\"from\";\"to\";\"w\"\r\na;b;2\r\n",
        "\u{feff}x\ty\tz\na\tb\t2",
        "row col v\na b 2",
    ] {
        assert_eq!(edges(text), wanted, "{text}");
    }
    for text in ["U,V\na,b\n", "node1 node2\na b", "a,b"] {
        assert_eq!(edges(text), [edge("a", "b", 1.0)], "{text}");
    }
    assert_eq!(edges("source,target,3"), [edge("source", "target", 3.0)]);
    assert_eq!(edges("x,y")[0], edge("x", "y", 1.0));
}

#[test]
fn weights_below_a_name_that_does_not_say_so_are_noted() {
    let notes = |text: &str| read(text).unwrap().notes;
    let told = notes("source,target,mass\na,b,1\nb,c,2\n");
    assert_eq!(
        told,
        ["the column `mass` was read as the weights of the edges"]
    );
    for header in ["source,target,Weight", "from,to,count", "source,target"] {
        let row = if header.matches(',').count() == 2 {
            "a,b,3"
        } else {
            "a,b"
        };
        assert!(
            notes(&format!("{header}\n{row}\nb,c{}\n", &row[3..])).is_empty(),
            "{header}"
        );
    }
}

#[test]
fn kinds_of_edges_are_not_taken_for_weights() {
    // Two relations of one pair are one edge that counts twice, and their numbers no weights.
    let text = "u,v,Rel\n0,1,34\n0,1,176\n1,2,34\n";
    let loaded = read(text).unwrap();
    assert_eq!(loaded.graph.edge_count(), 2);
    assert_eq!(loaded.graph.weight(0, 1), 2.0);
    assert_eq!(loaded.graph.weight(1, 2), 1.0);
    assert_eq!(
        loaded.worded_notes(Hint::neutral),
        [
            "the column `Rel` names kinds of edges: where several join two nodes, each counts as one; ask for it as \
             layers, as relations or as weights to have it compared"
        ]
    );
    let asked = ReadOptions {
        weight: Some("rel".to_owned()),
        duplicates: Duplicates::Max,
        ..ReadOptions::default()
    };
    let weighed = read_edge_list_from(text.as_bytes(), "e.csv", &asked).unwrap();
    assert_eq!(weighed.graph.weight(0, 1), 176.0);
    let notes = weighed.worded_notes(Hint::neutral);
    assert!(
        notes.iter().all(|note| !note.contains("names kinds")),
        "{notes:?}"
    );
}

#[test]
fn a_header_may_be_told_and_a_doubtful_one_is_noted() {
    let with = |text: &str, header| {
        let options = ReadOptions {
            header,
            ..ReadOptions::default()
        };
        read_edge_list_from(text.as_bytes(), "e.csv", &options).unwrap()
    };
    let text = "links,rechts\nann,bob\nbob,eve\n";
    let doubtful = with(text, None);
    assert_eq!(doubtful.graph.edge_count(), 3);
    let notes = |loaded: &LoadedGraph| loaded.worded_notes(Hint::neutral);
    let [note] = &notes(&doubtful)[..] else {
        panic!("{doubtful:?}");
    };
    assert_eq!(
        note,
        "the first row, links,rechts, was read as an edge, of nodes that occur nowhere else: \
         is it a header?; say that there is a header if it is one"
    );
    let told = with(text, Some(true));
    assert_eq!((told.graph.edge_count(), notes(&told).len()), (2, 0));
    assert!(notes(&with(text, Some(false))).is_empty());
    assert_eq!(
        with("source,target\na,b\n", Some(false)).graph.edge_count(),
        2
    );
    for text in ["left,right\nann,bob\n", "object,subject\nbob,ann\n"] {
        assert_eq!(with(text, None).graph.node_count(), 2, "{text}");
    }
    // Nodes that occur elsewhere, or numbers, are no header.
    for text in ["ann,bob\nbob,eve\n", "1,2\n3,4\n4,5\n"] {
        assert!(notes(&with(text, None)).is_empty(), "{text}");
    }
    // Names above numbers are odd, whatever they are made of.
    assert_eq!(notes(&with("col1,col2\n1,2\n2,3\n", None)).len(), 1);
    assert!(notes(&with("n1,n2\nn3,n4\nn4,n5\n", None)).is_empty());
    // igraph's own names.
    let igraph = with("\"V1\",\"V2\"\n1,2\n2,3\n", None);
    assert_eq!((igraph.graph.edge_count(), notes(&igraph).len()), (2, 0));
    // What is taken as a header for its third field may be an edge with a slip.
    let slip = with("ann,bob,l0\nbob,eve,2\n", None);
    assert_eq!(slip.graph.edge_count(), 1);
    assert!(
        notes(&slip)
            .iter()
            .any(|note| note.starts_with("the first row, `ann,bob,l0`, was taken as a header; ")),
        "{:?}",
        notes(&slip)
    );
}

#[test]
fn columns_go_by_their_names() {
    for text in [
        "Source,Target,Type,Id,Label,timeset,Weight\na,b,Undirected,0,,,2.5\n",
        ",target,source,weight\n0,b,a,2.5\n",
        "id;from;to;weight\nq;a;b;2.5\n",
        "a b {'weight': 2.5}\n",
        "a b {'label': 'x, \\'y\\'', 'weight': 2.5, 'z': [1, 2]}\n",
        "a,b,{\"weight\": 2.5}\n",
    ] {
        assert_eq!(edges(text), [edge("a", "b", 2.5)], "{text}");
    }
    assert_eq!(edges("a b {}\nb c {'x': 1}\n")[1], edge("b", "c", 1.0));
    assert_eq!(edges("id,source,target\n7,a,b\n"), [edge("a", "b", 1.0)]);
    let text = "Source,Target,Type\na,b,Directed\nb,a,Directed\nb,c,Undirected\n";
    let both_ways = [(0, 1, 1.0), (1, 0, 1.0), (1, 2, 1.0), (2, 1, 1.0)];
    let graph = read(text).unwrap().graph;
    assert!(!graph.is_directed() && graph.arcs().triplets().eq(both_ways));
    let graph = read_with(text, Some(false)).unwrap().graph;
    let cleaning = graph.cleaning();
    assert_eq!((cleaning.directed_edges, cleaning.opposite_edges), (2, 1));
    let text = "Source,Target,Type\nb,a,Directed\nb,c,Undirected\n";
    let loaded = read(text).unwrap();
    let arcs = [(0, 1, 1.0), (0, 2, 1.0), (2, 0, 1.0)];
    assert!(loaded.graph.arcs().triplets().eq(arcs));
    assert_eq!(loaded.notes, ["the edges have directions: 3 arcs"]);
}

#[test]
fn rows_are_arcs_to_who_says_so() {
    let text = "a,b,1\nb,a,2\nc,b,3\n";
    let graph = read_with(text, Some(true)).unwrap().graph;
    let arcs = [(0, 1, 1.0), (1, 0, 2.0), (2, 1, 3.0)];
    assert!(graph.arcs().triplets().eq(arcs));
    for undirected in [None, Some(false)] {
        let refused = read_with(text, undirected).unwrap_err();
        assert_eq!(refused.hints(), [Hint::Directed, Hint::Duplicates]);
        let graph = read_with("a,b,1\nc,b,3\n", undirected).unwrap().graph;
        assert!(!graph.is_directed() && graph.edge_count() == 2);
    }
}

#[test]
fn the_weight_may_have_another_name() {
    let options = ReadOptions {
        weight: Some("cost".into()),
        ..ReadOptions::default()
    };
    let read = |text: &str| read_edge_list_from(text.as_bytes(), "e.csv", &options);
    for text in [
        "source,target,weight,cost\na,b,1,7\n",
        "source,target,cost\na,b,7\n",
        "a b {'weight': 1, 'cost': 7}\n",
    ] {
        assert_eq!(read(text).unwrap().graph.weight(0, 1), 7.0, "{text}");
    }
    for text in ["a,b,7\n", "source,target,weight\na,b,1\n", "a,b\n"] {
        let message = read(text).unwrap_err().to_string();
        assert!(message.contains("the column `cost`"), "{message}");
    }
}

#[test]
fn ids_are_kept_exactly() {
    let text = "\" a\",007,1\n\"x,\"\"y\"\"\", 7 ,-2.5e0\n7.0,é\u{a0},1e-300\n";
    assert_eq!(
        edges(text),
        [
            edge(" a", "007", 1.0),
            edge("x,\"y\"", "7", -2.5),
            edge("7.0", "é\u{a0}", 1e-300)
        ]
    );
}

#[test]
fn a_loop_names_an_isolated_node_and_notes_count() {
    let loaded = read("a,a,5\nb,c,0\nb,d,1\nd,b,1\nd,b,1\n").unwrap();
    assert_eq!(
        (loaded.graph.node_count(), loaded.graph.edge_count()),
        (4, 1)
    );
    assert_eq!(
        loaded.notes,
        [
            "1 edge from a node to itself tells of that node alone",
            "2 repeated edges were merged",
            "1 edge of weight zero was dropped"
        ]
    );
}

#[test]
fn edges_of_several_kinds_count_once_each_where_nobody_asks_for_kinds() {
    let text = "u,v,rel\na,b,1\nb,a,2\nb,c,7\nc,b,7\nc,d,\n";
    let loaded = read(text).unwrap();
    let counted = [
        edge("a", "b", 2.0),
        edge("b", "c", 1.0),
        edge("c", "d", 1.0),
    ];
    assert_eq!(edges(text), counted);
    assert!(loaded.kinds.is_none());
    assert_eq!(loaded.notes, ["1 repeated edge of one kind was merged"]);
    assert!(
        loaded.doubts[0]
            .text()
            .contains("where several join two nodes")
    );
    // The graph is the same where they are asked for, and beside other columns.
    let asked = ReadOptions {
        kinds: Some("rel".to_owned()),
        ..ReadOptions::default()
    };
    let rows = text.replace("c,d,\n", "c,d,x\n");
    let asked = read_edge_list_from(rows.as_bytes(), "e.csv", &asked).unwrap();
    assert_eq!(asked.graph.weight(0, 1), 2.0);
    let wider = "since,u,v,rel\n1990,a,b,1\n1991,b,a,2\n";
    assert_eq!(edges(wider), [edge("a", "b", 2.0)]);
    // Weights have the last word.
    let weighed = read("u,v,weight,rel\na,b,5,1\na,b,5,2\n").unwrap();
    assert_eq!(weighed.graph.weight(0, 1), 5.0);
}

#[test]
fn fractions_in_the_place_of_targets_are_doubtful() {
    for text in ["p0,0,0\np1,0.5,0.25\np2,3.5,1\n", "0.5 0.25\n1 2.5\n"] {
        let loaded = read(text).unwrap();
        assert!(loaded.looks_like_points, "{text}");
        assert!(loaded.notes[0].contains("table of points"), "{text}");
    }
    for text in ["a,b,0.5\n", "1,2,0.5\n", "a,0.5,1\na,b,1\n", "1,2.5\n2,3\n"] {
        let loaded = read(text).unwrap();
        assert!(!loaded.looks_like_points && loaded.notes.is_empty());
    }
}

#[test]
fn every_fault_has_its_message() {
    for (text, message) in [
        (
            "a,b,1\nc,d,x\n",
            "e.csv, line 2, column 3: found `x`, expected a number such as 1.5 or 2e-3",
        ),
        (
            "a;b;0,5\n",
            "e.csv, line 1, column 3: found `0,5`, expected a number such as 1.5 or 2e-3",
        ),
        (
            "a,b,\n",
            "e.csv, line 1, column 3: found nothing, expected a number such as 1.5 or 2e-3",
        ),
        (
            "a,b,nan\n",
            "e.csv, line 1, column 3: found `nan`, expected a finite number",
        ),
        (
            "# c\na,b,1e999\n",
            "e.csv, line 2, column 3: found `1e999`, expected a finite number",
        ),
        (
            "a,b\n,c\n",
            "e.csv, line 2, column 1: found an empty field, expected a node id",
        ),
        (
            "a,\"\"\n",
            "e.csv, line 1, column 2: found an empty field, expected a node id",
        ),
        (
            "a\n",
            "e.csv, line 1, column 2: found 1 field, expected source,target or source,target,weight",
        ),
        (
            "a,b,1\nb,c\n",
            "e.csv, line 2, column 3: found 2 fields, expected 3 as in the first row",
        ),
        (
            "a,b,1\nb;c;1\n",
            "e.csv, line 2, column 2: found 1 field, expected 3 as in the first row",
        ),
        (
            "",
            "e.csv: found no edge, expected at least one row of source,target[,weight]",
        ),
        (
            "# nothing\nsource,target\n",
            "e.csv: found no edge, expected at least one row of source,target[,weight]",
        ),
        (
            "x,source,y\n1,a,b\n",
            "e.csv, line 1, column 3: found `y`, \
             expected the columns source,target,weight in this order",
        ),
        (
            "a,b,c,d\n",
            "e.csv, line 1, column 4: found 4 fields, expected source,target or source,target,weight, \
             or a header with names of these columns; a matrix would be the format adjacency",
        ),
        (
            "source,target,type\na,b,both\n",
            "e.csv, line 2, column 3: found `both`, expected directed or undirected, unless the column is asked for as one of layers or relations",
        ),
        (
            "a b {'weight': 'x'}\n",
            "e.csv, line 1, column 3: found `'x'`, expected a finite number",
        ),
        (
            "a b {'weight': 1\n",
            "e.csv, line 1, column 3: found `{'weight': 1`, expected attributes that end with }",
        ),
        (
            "a,b,1\nc,d,1\nb,a,2\n",
            "e.csv, line 3: found edge (a, b) with two weights, 1 (line 1) and 2 (line 3), \
             expected one weight; read the rows as directed edges or give a rule for repeated edges: sum, \
             mean, max or first",
        ),
    ] {
        assert_eq!(read(text).unwrap_err().to_string(), message, "{text:?}");
    }
}

#[test]
fn a_rule_merges_repeated_edges() {
    let options = ReadOptions {
        duplicates: Duplicates::Sum,
        ..ReadOptions::default()
    };
    let text = "a,b,1\nb,a,2\n";
    let loaded = read_edge_list_from(text.as_bytes(), "e.csv", &options).unwrap();
    assert_eq!(loaded.graph.weight(0, 1), 3.0);
}

#[test]
fn a_list_past_the_memory_allowed_is_refused_while_it_is_read() {
    let options = ReadOptions {
        max_memory: Some(100_000),
        ..ReadOptions::default()
    };
    // An endless list: reading it whole would never return.
    let endless =
        std::io::BufReader::new(std::io::Read::chain(&b"a b\n"[..], Endless(*b"a b\n", 0)));
    let error = read_edge_list_from(endless, "-", &options).unwrap_err();
    assert!(
        matches!(error, anchormatch::Error::Memory { .. }),
        "{error}"
    );
}

struct Endless([u8; 4], usize);

impl std::io::Read for Endless {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        for slot in buffer.iter_mut() {
            *slot = self.0[self.1];
            self.1 = (self.1 + 1) % 4;
        }
        Ok(buffer.len())
    }
}

#[test]
fn the_writer_keeps_order_isolated_nodes_and_weights() {
    let graph = Graph::from_edges(4, &[(0, 1, 0.1), (1, 3, -1e-300)]).unwrap();
    let mut bytes = Vec::new();
    write_edge_list(&mut bytes, &graph).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    assert!(text.starts_with("source,target,weight\n0,1,0.1\n2,2,0\n1,3,-0.000"));
    let again = read(&text).unwrap().graph;
    assert_eq!(again.adjacency(), graph.adjacency());
}
