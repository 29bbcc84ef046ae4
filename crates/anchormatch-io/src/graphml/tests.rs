//! Tests of the reader.

use anchormatch::error::Result;

use super::super::{LoadedGraph, ReadOptions};
use super::read_graphml_from;

fn read(text: &str) -> Result<LoadedGraph> {
    read_graphml_from(text.as_bytes(), "g.graphml", &ReadOptions::default())
}

fn message(body: &str) -> String {
    read(&format!("<graphml>\n{body}</graphml>\n"))
        .unwrap_err()
        .to_string()
}

const FULL: &str = r#"<?xml version='1.0' encoding='utf-8'?>
<!DOCTYPE graphml SYSTEM "http://example.org/x.dtd" [<!ENTITY x SYSTEM "file:///etc/passwd">]>
<g:graphml xmlns:g="http://graphml.graphdrawing.org/xmlns">
  <g:key id="d0" for="edge" attr.name="weight" attr.type="double"><g:default>2.5</g:default></g:key>
  <g:key id="d1" for="node" attr.name="x" attr.type="double"><g:default>0</g:default></g:key>
  <g:key id="d2" for="node" attr.name="y" attr.type="double"/>
  <g:key id="d3" for="all" attr.name="label"/>
  <g:graph id="G" edgedefault="directed">
    <g:desc>a graph</g:desc>
    <g:node id="b"><g:data key="d2">4</g:data><g:data key="d1"> 3 </g:data></g:node>
    <g:node id="a &lt;&#65;&gt;"><g:data key="d2"><![CDATA[1]]></g:data><g:data key="d3">w &amp; v</g:data></g:node>
    <!-- a comment -->
    <g:edge id="e1" source="a &lt;A&gt;" target="b"/>
    <g:edge source="b" target="c"><g:data key="d0">-1<!-- in two -->&#48;</g:data></g:edge>
    <g:node id="c"><g:data key="d2">1e1</g:data></g:node>
  </g:graph>
</g:graphml>
"#;

#[test]
fn nodes_edges_weights_and_positions_are_read() {
    let loaded = read(FULL).unwrap();
    let graph = &loaded.graph;
    let ids: Vec<_> = graph.labels().iter().collect();
    assert_eq!(ids, ["b", "a <A>", "c"]);
    assert_eq!((graph.weight(0, 1), graph.weight(0, 2)), (2.5, -10.0));
    let positions = loaded.positions.unwrap();
    assert_eq!(positions.as_slice(), [3.0, 4.0, 0.0, 1.0, 0.0, 10.0]);
    assert!(graph.arcs().triplets().eq([(0, 2, -10.0), (1, 0, 2.5)]));
    assert_eq!(loaded.notes, ["the edges have directions: 2 arcs"]);
    let undirected = ReadOptions {
        directed: Some(false),
        ..ReadOptions::default()
    };
    let loaded = read_graphml_from(FULL.as_bytes(), "g.graphml", &undirected).unwrap();
    assert!(!loaded.graph.is_directed());
    assert_eq!(loaded.notes, ["2 directed edges were read as undirected"]);
}

#[test]
fn an_undirected_edge_with_two_weights_is_not_advised_to_be_an_arc() {
    let text = "<graphml><key id='w' for='edge' attr.name='weight'/><graph>\n\
                <node id='a'/><node id='b'/><edge source='a' target='b'/>\n\
                <edge source='b' target='a'><data key='w'>2</data></edge></graph></graphml>";
    assert_eq!(
        read(text).unwrap_err().to_string(),
        "g.graphml, line 3: found edge (a, b) with two weights, 1 (line 2) and 2 (line 3), \
         expected one weight; give a rule for repeated edges: sum, mean, max or first"
    );
}

#[test]
fn a_missing_weight_is_one_and_another_key_can_be_named() {
    let text = r#"<graphml><key id="k" for="edge" attr.name="cost"/><graph>
            <node id="a"/><node id="b"/><edge source="a" target="b"><data key="k">7</data></edge>
            </graph></graphml>"#;
    let loaded = read(text).unwrap();
    assert_eq!(loaded.graph.weight(0, 1), 1.0);
    assert_eq!(
        loaded.notes,
        ["no edge attribute is called weight (there is `cost`): every weight is 1"]
    );
    let mut options = ReadOptions {
        weight: Some("cost".into()),
        ..ReadOptions::default()
    };
    let loaded = read_graphml_from(text.as_bytes(), "g", &options).unwrap();
    assert_eq!(loaded.graph.weight(0, 1), 7.0);
    options.weight = Some("length".into());
    assert_eq!(
        read_graphml_from(text.as_bytes(), "g", &options)
            .unwrap_err()
            .to_string(),
        "g: found none, expected an edge key with the attr.name `length`"
    );
}

#[test]
fn every_fault_has_its_message() {
    for (body, wanted) in [
        (
            "<graph>\n<node id='a'/>\n<edge source='a'\ntarget='b'/></graph>",
            "g.graphml, line 4, column 1: found an edge of the unknown node `b`, \
             expected a declared node",
        ),
        (
            "<graph><node id='a'/>\n<node id='a'/></graph>",
            "g.graphml, line 3, column 1: found the node `a` once more, which line 2 has, \
             expected an id of its own for every node",
        ),
        (
            "<graph><node/></graph>",
            "g.graphml, line 2, column 8: found a <node> without `id`, expected a node id",
        ),
        (
            "<key id='w' for='edge' attr.name='weight'/><graph><node id='a'/><node id='b'/>\n\
             <edge source='a' target='b'><data key='w'>inf</data></edge></graph>",
            "g.graphml, line 3, column 29: found the weight `inf`, expected a finite number",
        ),
        (
            "<graph><node id='a'><data key='q'>1</data></node></graph>",
            "g.graphml, line 2, column 21: found data for the key `q`, \
             expected a key that stands before the graph",
        ),
        (
            "<graph><node id='a'><graph/></node></graph>",
            "g.graphml, line 2, column 21: found a <graph> inside a node or an edge, \
             expected one graph that is not nested",
        ),
        (
            "<graph><hyperedge/></graph>",
            "g.graphml, line 2, column 8: found a <hyperedge>, expected edges between two nodes",
        ),
        (
            "<graph/><graph/>",
            "g.graphml, line 2, column 9: found a second <graph>, expected one graph in a file",
        ),
        (
            "",
            "g.graphml: found no <graph>, expected <graphml> with one <graph>",
        ),
        (
            "<graph></graph>",
            "g.graphml: found no <node>, expected at least one",
        ),
        (
            "<graph><node id='&x;'/></graph>",
            "g.graphml, line 2, column 8: found a malformed attribute \
             (at 1..2: unrecognized entity `x`), \
             expected name=\"value\" without entities of the document's own",
        ),
        (
            "<graph><node id='a' id='b'/></graph>",
            "g.graphml, line 2, column 8: found the attribute `id` twice, expected it once",
        ),
        (
            "<key id='w' for='edge' attr.name='weight'><default>&x;</default></key>",
            "g.graphml, line 2, column 52: found the reference `&x;`, \
             expected no entities but lt, gt, amp, apos and quot",
        ),
    ] {
        assert_eq!(message(body), wanted, "{body}");
    }
}

#[test]
fn what_is_no_graphml_is_said_to_be_none() {
    let message = |text: &str| read(text).unwrap_err().to_string();
    assert_eq!(
        message("a,b,1\n"),
        "g.graphml, line 1, column 1: found `a,b,1`, expected <graphml>"
    );
    assert_eq!(
        message("\n<html/>"),
        "g.graphml, line 2, column 1: found `<html>`, expected <graphml> as the one root of the document"
    );
    assert!(message("").contains("no <graph>"));
    let bytes = b"<graphml>\n<a b='\xff'/></graphml>";
    let error = read_graphml_from(&bytes[..], "g", &ReadOptions::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "g, line 2, column 1: found bytes that are not UTF-8, expected UTF-8 text"
    );
}

#[test]
fn a_document_cut_anywhere_is_a_fault() {
    let end = FULL.trim_end().len();
    for cut in (0..end).filter(|&cut| FULL.is_char_boundary(cut)) {
        assert!(read(&FULL[..cut]).is_err(), "cut at byte {cut}");
    }
    let cut = FULL.find("<g:edge id").unwrap();
    assert_eq!(
        read(&FULL[..cut]).unwrap_err().to_string(),
        "g.graphml, line 13, column 5: found the end of the file, expected </g:graph>"
    );
}

#[test]
fn depth_and_length_are_bounded() {
    let deep = message(&"<a>".repeat(10_000));
    assert_eq!(
        deep,
        "g.graphml, line 2, column 298: found elements 101 deep, expected at most 100"
    );
    let text = format!("<graphml>\n<!-- {} --></graphml>", " ".repeat(17 << 20));
    let reader = std::io::BufReader::new(text.as_bytes());
    let long = read_graphml_from(reader, "g", &ReadOptions::default()).unwrap_err();
    assert_eq!(
        long.to_string(),
        "g, line 2, column 1: found a tag or text of more than 16 MiB, expected shorter ones"
    );
}

#[test]
fn nodes_and_edges_may_have_keys_of_one_id() {
    // As Cytoscape writes it, whose keys are called as the columns of its three tables.
    let text = r#"<graphml><key id="name" for="graph" attr.name="name"/>
        <key id="name" for="node" attr.name="name"/><key id="name" for="edge" attr.name="name"/>
        <key id="weight" for="edge" attr.name="weight"/><key id="weight" for="node" attr.name="weight"/>
        <graph><node id="7"><data key="name">ann</data><data key="weight">3</data></node>
        <node id="8"><data key="name">bob</data><data key="weight">4</data></node>
        <edge source="7" target="8"><data key="name">ann-bob</data><data key="weight">2.5</data></edge>
        </graph></graphml>"#;
    let options = ReadOptions {
        node_id: Some("name".into()),
        ..ReadOptions::default()
    };
    let read = read_graphml_from(text.as_bytes(), "g", &options).unwrap();
    assert!(read.graph.labels().iter().eq(["ann", "bob"]));
    assert_eq!(read.graph.edges().next(), Some((0, 1, 2.5)));
    let twice = text.replace(r#"id="weight" for="node""#, r#"id="name" for="node""#);
    let message = read_graphml_from(twice.as_bytes(), "g", &options).unwrap_err();
    assert!(
        message
            .to_string()
            .contains("a second key of nodes with the id `name`"),
        "{message}"
    );
}

#[test]
fn ids_may_come_from_an_attribute() {
    let text = r#"<graphml><key id="n" for="node" attr.name="name"/><graph>
        <node id="n0"><data key="n">ann</data></node><node id="n1"><data key="n">bob</data></node>
        <edge source="n0" target="n1"/></graph></graphml>"#;
    let by = |name: &str, text: &str| {
        let options = ReadOptions {
            node_id: Some(name.into()),
            ..ReadOptions::default()
        };
        read_graphml_from(text.as_bytes(), "g", &options)
    };
    let graph = by("name", text).unwrap().graph;
    assert!(graph.labels().iter().eq(["ann", "bob"]));
    let graph = by("id", text).unwrap().graph;
    assert!(graph.labels().iter().eq(["n0", "n1"]));
    let message = |name, text: &str| by(name, text).unwrap_err().to_string();
    assert_eq!(
        message("label", text),
        "g: found no node key with this attr.name, expected a `label` of its own for every node"
    );
    let few = text.replace("<data key=\"n\">bob</data>", "");
    assert_eq!(
        message("name", &few),
        "g: found 1 of them on 2 nodes, expected a `name` of its own for every node"
    );
    assert!(message("name", &text.replace("bob", "ann")).contains("`ann` stands twice"));
}

#[test]
fn nodes_of_yed_lie_in_the_middle_of_their_boxes() {
    let text = r#"<graphml xmlns:y="http://www.yworks.com/xml/graphml">
        <key id="d" for="node" yfiles.type="nodegraphics"/><graph>
        <node id="a"><data key="d"><y:ShapeNode><y:Geometry x="1" y="2" width="4" height="6"/>
        </y:ShapeNode></data></node></graph></graphml>"#;
    assert_eq!(
        read(text).unwrap().positions.unwrap().as_slice(),
        [3.0, 5.0]
    );
}

#[test]
fn attributes_of_nodes_are_columns() {
    let loaded = read(
        "<graphml><key id='c' for='node' attr.name='colour'><default>red</default></key>\
         <key id='l' for='all' attr.name='label'/><key id='g' for='node'/>\
         <key id='x' for='node' attr.name='x'/><key id='n' for='node' attr.name='never'/>\
         <graph><node id='a'><data key='c'> blue </data><data key='g'>?</data></node>\
         <node id='b'><data key='l'>B &amp; C</data><data key='x'>1</data></node>\
         <edge source='a' target='b'><data key='l'>no</data></edge></graph></graphml>",
    )
    .unwrap();
    let names: Vec<&str> = loaded.columns.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(names, ["colour", "label"]);
    let colour = loaded.columns.get("colour").unwrap();
    assert!(!colour.in_table);
    assert_eq!(colour.words(2), [Some("blue"), Some("red")]);
    let label = loaded.columns.get("label").unwrap();
    assert_eq!(label.words(2), [None, Some("B & C")]);
}
