//! Tests of the reader.

use anchormatch::error::Result;

use super::super::{LoadedGraph, ReadOptions};
use super::read_gml_from;

fn read(text: &str) -> Result<LoadedGraph> {
    read_gml_from(text.as_bytes(), "g.gml", &ReadOptions::default())
}

fn ids(loaded: &LoadedGraph) -> Vec<String> {
    loaded.graph.labels().iter().map(Into::into).collect()
}

#[test]
fn dialects_give_the_same_graph() {
    for text in [
        // networkx
        "graph [\n  name \"g\"\n  node [\n    id 0\n    label \"a\"\n  ]\n  node [\n    id 1\n    \
         label \"b &#955;\"\n  ]\n  edge [\n    source 0\n    target 1\n    weight 2.5\n  ]\n]\n",
        // Gephi
        "graph\n[\n Creator \"Gephi\"\n directed 0\n node\n [\n id 5\n label \"a\"\n graphics\n [\n \
         x 1.0\n y 2.0\n w 10.0\n fill \"#000\"\n ]\n ]\n node\n [\n id 7\n label \"b \u{3bb}\"\n \
         graphics [ x 0 y 1e1 ] ]\n edge\n [\n id 0\n source 5\n target 7\n value 2.5\n ]\n]\n",
        // edges first, names instead of labels, everything on one line
        "graph[edge[source 2 target 3 weight 2.5]node[id 2 name \"a\"]node[id 3 name \"b \u{3bb}\"]]",
        "# a comment ]\ncreator \"x\" graph [ x [ y [ z 1 ] ] node [ id 1 label a ] node [ id 2 \
         label \"b &#x3bb;\" ] edge [ source 1 target 2 weight \"2.5\" value 9 ] ]",
    ] {
        let loaded = read(text).unwrap();
        assert_eq!(ids(&loaded), ["a", "b \u{3bb}"], "{text}");
        assert_eq!(loaded.graph.weight(0, 1), 2.5);
        assert_eq!(loaded.positions.is_some(), text.contains("Gephi"));
        assert!(loaded.notes.is_empty(), "{:?}", loaded.notes);
    }
}

#[test]
fn ids_stand_in_for_labels_that_are_not_distinct() {
    let text = "graph [ directed 1 node [ id 4 label \"a\" name \"x\" ] node [ id 5 label \"a\" ] \
                edge [ source 4 target 5 ] ]";
    let loaded = read(text).unwrap();
    assert_eq!(ids(&loaded), ["4", "5"]);
    assert_eq!(
        loaded.notes,
        [
            "labels were left aside: not every node has one of its own",
            "names were left aside: not every node has one of its own",
            "the edges have directions: 1 arc"
        ]
    );
    assert!(loaded.graph.arcs().triplets().eq([(0, 1, 1.0)]));
    let undirected = ReadOptions {
        directed: Some(false),
        ..ReadOptions::default()
    };
    let loaded = read_gml_from(text.as_bytes(), "g.gml", &undirected).unwrap();
    assert!(!loaded.graph.is_directed());
    assert_eq!(loaded.notes[2], "1 directed edge was read as undirected");
    let by = |name: &str| {
        let options = ReadOptions {
            node_id: Some(name.into()),
            ..ReadOptions::default()
        };
        read_gml_from(text.as_bytes(), "g.gml", &options)
    };
    assert_eq!(ids(&by("id").unwrap()), ["4", "5"]);
    assert_eq!(
        by("name").unwrap_err().to_string(),
        "g.gml: found 1 of them on 2 nodes, expected a `name` of its own for every node"
    );
    assert!(by("label").unwrap_err().to_string().contains("twice"));
}

#[test]
fn every_fault_has_its_message() {
    for (text, message) in [
        ("", "g.gml: found no graph, expected graph [ … ]"),
        ("graph [ ]", "g.gml: found no node, expected at least one"),
        (
            "graph [\n node [ label \"a\" ] ]",
            "g.gml, line 2, column 2: found a node without an id, expected id",
        ),
        (
            "graph [\n node [ id 1 ]\n node [ id 1 ] ]",
            "g.gml, line 3, column 2: found the node 1 once more, which line 2 has, \
             expected an id of its own for every node",
        ),
        (
            "graph [ node [ id 1 ]\n edge [ source 1 ] ]",
            "g.gml, line 2, column 2: found an edge without its ends, expected source and target",
        ),
        (
            "graph [ node [ id 1 ]\n edge [ source 1 target 2 ] ]",
            "g.gml, line 2, column 2: found an edge of a node that is not declared, \
             expected a node with this id",
        ),
        (
            "graph [ node [ id a ] ]",
            "g.gml, line 1, column 19: found `a`, expected the whole number of a node",
        ),
        (
            "graph [ node [ id 1 ] edge [ source 1 target 1 weight NAN ] ]",
            "g.gml, line 1, column 55: found the weight `NAN`, expected a finite number",
        ),
        (
            "graph [ node [ id 1 ]",
            "g.gml, line 1, column 22: found the end of the file, expected ]",
        ),
        (
            "graph [ node",
            "g.gml, line 1, column 13: found the end of the file, \
             expected a value for the key `node`",
        ),
        (
            "graph [ node [ id ] ]",
            "g.gml, line 1, column 19: found ], expected a value for the key `id`",
        ),
        (
            "a,b,1\n",
            "g.gml, line 2, column 1: found the end of the file, \
             expected a value for the key `a,b,1`",
        ),
        (
            "1 2\n",
            "g.gml, line 1, column 1: found `1`, expected a key, which begins with a letter",
        ),
        (
            "graph [ node 1 ]",
            "g.gml, line 1, column 14: found `1`, expected a list in brackets",
        ),
        (
            "graph [ directed 2 ]",
            "g.gml, line 1, column 18: found `2`, expected 0 or 1",
        ),
        (
            "graph [ node [ id 1 label \"a ] ]",
            "g.gml, line 1, column 27: found a text without an end, expected a closing quote",
        ),
    ] {
        assert_eq!(read(text).unwrap_err().to_string(), message, "{text:?}");
    }
    let deep = read(&"a [ ".repeat(1000)).unwrap_err().to_string();
    assert!(
        deep.contains("lists 101 deep, expected at most 100"),
        "{deep}"
    );
}

#[test]
fn attributes_of_nodes_are_columns() {
    let text = "graph [ node [ id 1 label \"one\" age 3 place [ x 1 ] ] node [ id 2 label \"two\" name \"Two\" ]\
         edge [ source 1 target 2 age 9 ] ]";
    let loaded = read(text).unwrap();
    assert_eq!(ids(&loaded), ["one", "two"]);
    let names: Vec<&str> = loaded.columns.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(names, ["age", "name"]);
    assert_eq!(
        loaded.columns.get("age").unwrap().words(2),
        [Some("3"), None]
    );
    // A label that two nodes have is no id, and still something to compare.
    let text = text.replace("two", "one");
    let loaded = read(&text).unwrap();
    assert_eq!(ids(&loaded), ["1", "2"]);
    let label = loaded.columns.get("label").unwrap();
    assert_eq!(label.words(2), [Some("one"), Some("one")]);
}
