use super::*;

fn read(text: &str) -> Result<LoadedGraph> {
    read_pajek_from(text.as_bytes(), "p.net", &ReadOptions::default())
}

#[test]
fn sections_of_every_kind_give_the_same_graph() {
    for text in [
        "*Vertices 3\n1 \"a\"\n2 \"b c\"\n3 \"3\"\n*Edges\n1 2 1\n3 2 1\n",
        "% c\n*network x\r\n*vertices 3 1\r\n1 a 0.0 0.0 ellipse\r\n2 \"b c\" 0.0 0.0\r\n\
         3 3 0.0 0.0\r\n*arcs\r\n1 2\r\n3 2 1.0 l \"x\"\r\n",
        "*Vertices 3\n1 a\n2 \"b c\"\n*Edgeslist\n2 1 3\n",
        "*Vertices 3\n1 a\n2 \"b c\"\n*Arcslist\n1 2\n3 2\n*Partition x\n1\n1\n1\n",
        "*Vertices 3\n1 a\n2 \"b c\"\n*Matrix\n0 1 0\n1 0 1\n0 1 0\n",
    ] {
        let loaded = read(text).unwrap();
        assert!(loaded.graph.labels().iter().eq(["a", "b c", "3"]), "{text}");
        assert_eq!(loaded.graph.edge_count(), 2, "{text}");
        assert_eq!(
            (loaded.graph.weight(0, 1), loaded.graph.weight(1, 2)),
            (1.0, 1.0)
        );
        assert!(loaded.positions.is_none());
    }
    for text in [
        "*Vertices 3\n*Arcs\n1 2\n3 2\n",
        "*Vertices 3\n*Arcslist\n1 2\n3 2\n",
    ] {
        let loaded = read(text).unwrap();
        let arcs = [(0, 1, 1.0), (2, 1, 1.0)];
        assert!(loaded.graph.arcs().triplets().eq(arcs), "{text}");
        assert_eq!(loaded.notes, ["the edges have directions: 2 arcs"]);
    }
    let both_ways = "*Vertices 2\n*Arcs :1 \"r\"\n1 2 3\n2 1 3\n";
    let arcs = read(both_ways).unwrap();
    assert_eq!(arcs.graph.labels().find("2"), Some(1));
    assert!(!arcs.graph.is_directed() && arcs.notes.is_empty());
    let options = ReadOptions {
        directed: Some(false),
        ..ReadOptions::default()
    };
    let arcs = read_pajek_from(both_ways.as_bytes(), "p.net", &options).unwrap();
    assert_eq!(
        arcs.notes,
        [
            "2 directed edges were read as undirected",
            "1 pair of opposite edges was merged"
        ]
    );
}

#[test]
fn labels_and_places_are_kept_where_they_can_be() {
    let loaded = read("*Vertices 2\n2 \"a\\\"\\\\\" 0.5 1\n1 \"b\" 0 2\n").unwrap();
    assert!(loaded.graph.labels().iter().eq(["b", "a\"\\"]));
    assert_eq!(loaded.positions.unwrap().as_slice(), [0.0, 2.0, 0.5, 1.0]);
    let twice = read("*Vertices 3\n1 \"a\"\n2 \"a\"\n*Edges\n1 3\n").unwrap();
    assert!(twice.graph.labels().iter().eq(["1", "2", "3"]));
    assert!(twice.notes[0].contains("not distinct"));
}

#[test]
fn every_fault_has_its_message() {
    for (text, message) in [
        ("", "p.net: found no *Vertices, expected a Pajek network"),
        (
            "1 2\n",
            "p.net, line 1, column 1: found `1 2`, expected *Vertices and their number first",
        ),
        (
            "*Edges\n1 2\n",
            "p.net, line 1, column 1: found `*Edges`, expected *Vertices and their number first",
        ),
        (
            "*Vertices many\n",
            "p.net, line 1, column 2: found `many`, expected the number of vertices",
        ),
        (
            "*Vertices 0\n",
            "p.net, line 1, column 2: found 0 nodes, expected at least one",
        ),
        (
            "*Vertices 2\n3 \"x\"\n",
            "p.net, line 2, column 1: found `3`, expected a vertex from 1 to 2",
        ),
        (
            "*Vertices 2\n1 \"x\n",
            "p.net, line 2, column 2: found `\"x`, expected a closing quote on the same line",
        ),
        (
            "*Vertices 2\n*Edges\n1\n",
            "p.net, line 3, column 2: found nothing, expected a vertex from 1 to 2",
        ),
        (
            "*Vertices 2\n*Edges\n1 2 1,5\n",
            "p.net, line 3, column 3: found `1,5`, expected a finite number",
        ),
        (
            "*Vertices 2\n*Edges\n1 2 nan\n",
            "p.net, line 3, column 3: found `nan`, expected a finite number",
        ),
        (
            "*Vertices 2\n*Matrix\n0 1\n1\n",
            "p.net: found a *Matrix of 3 numbers, expected 4, for 2 vertices",
        ),
        (
            "*Vertices 1\n*Vertices 1\n",
            "p.net, line 2, column 1: found a second *Vertices, expected one network in a file",
        ),
    ] {
        assert_eq!(read(text).unwrap_err().to_string(), message, "{text:?}");
    }
}

#[test]
fn a_lying_header_costs_nothing() {
    for text in [
        "*Vertices 1000000000000000000\n1 \"a\"\n",
        "*Vertices 4000000000\n1 \"a\"\n",
        "*Vertices 4000000000\n*Matrix\n1\n",
        "*Vertices 10000000\n1 \"a\"\n",
    ] {
        assert!(read(text).is_err(), "{text}");
    }
}
