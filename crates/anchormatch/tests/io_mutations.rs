//! Damaged files: whatever the bytes, a reader returns, and what it accepts is a graph.

// The lint spares test functions but not their helpers.
#![allow(clippy::unwrap_used)]

use anchormatch::Graph;
use anchormatch::io::{Format, ReadOptions, read_graph_from, read_pairs_from};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const MUTATIONS: usize = 4000;

const EDGES: &str =
    "# a comment\nsource,target,weight\na,b,1.5\nb,\"c,\"\"d\"\"\",-2e3\n\nc,c,0\nä,a,0.25\n";
const BLANKS: &str = "% sym\n1 2\n2 3\r\n3 1\n3 4\n";
const POINTS: &str = "id,x,y\na,0.5,1\nb,2,-3e1\n\"c d\",4,5\ne,6,7\n";
const COORDINATE: &str =
    "%%MatrixMarket matrix coordinate real general\n% c\n4 4 4\n1 2 1.5\n2 1 1.5\n3 4 -2\n4 4 9\n";
const ARRAY: &str = "%%MatrixMarket matrix array integer symmetric\n3 3\n0\n1\n2\n0\n3\n0\n";
const GRAPHML: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="w" for="edge" attr.name="weight" attr.type="double"><default>2</default></key>
  <key id="x" for="node" attr.name="x"/><key id="y" for="node" attr.name="y"/>
  <graph edgedefault="undirected"><!-- c --><node id="a"><data key="x">1</data></node>
    <node id="b&lt;&#65;"/><node id="c"><data key="y"><![CDATA[3]]></data></node>
    <edge source="a" target="b&lt;A"/><edge source="b&lt;A" target="c"><data key="w">1.5</data></edge>
  </graph>
</graphml>
"#;

/// What a damaged number, tag or row may turn into.
const FRAGMENTS: [&[u8]; 16] = [
    b"\"",
    b",",
    b"\n",
    b"\0",
    b"\xff",
    b"9",
    b"999999999",
    b"-",
    b"e",
    b"nan",
    b"<",
    b">",
    b"&",
    b"%",
    b" ",
    b"\xf0\x9f",
];

fn mutate(rng: &mut ChaCha8Rng, bytes: &mut Vec<u8>) {
    for _ in 0..rng.random_range(1..4) {
        let at = rng.random_range(0..=bytes.len());
        match rng.random_range(0..6) {
            0 => bytes.truncate(at),
            1 if at < bytes.len() => bytes[at] ^= 1 << rng.random_range(0..8),
            2 if at < bytes.len() => {
                bytes.remove(at);
            }
            3 => {
                let fragment = FRAGMENTS[rng.random_range(0..FRAGMENTS.len())];
                bytes.splice(at..at, fragment.iter().copied());
            }
            4 => {
                // A piece of the file once more, somewhere else.
                let start = rng.random_range(0..=bytes.len());
                let end = (start + rng.random_range(0..40)).min(bytes.len());
                let piece = bytes[start..end].to_vec();
                bytes.splice(at..at, piece);
            }
            _ => {
                let end = (at + rng.random_range(0..20)).min(bytes.len());
                bytes.drain(at..end);
            }
        }
    }
}

fn assert_sound(graph: &Graph) {
    assert!(graph.nodes() > 0);
    assert_eq!(graph.labels().len(), graph.nodes());
    let mut ends = 0;
    for i in 0..graph.nodes() {
        for (j, weight) in graph.neighbours(i) {
            assert!(i != j && weight.is_finite() && weight != 0.0);
            assert_eq!(graph.weight(j, i), weight);
            ends += 1;
        }
    }
    assert_eq!(ends, 2 * graph.edges());
}

fn storm(text: &str, format: Format, seed: u64) {
    let options = ReadOptions {
        max_memory: Some(16 << 20),
        ..ReadOptions::default()
    };
    let intact = read_graph_from(text.as_bytes(), "f", format, &options).unwrap();
    assert_sound(&intact.graph);
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (mut accepted, mut refused) = (0, 0);
    for _ in 0..MUTATIONS {
        let mut bytes = text.as_bytes().to_vec();
        mutate(&mut rng, &mut bytes);
        match read_graph_from(&bytes[..], "f", format, &options) {
            Ok(loaded) => {
                assert_sound(&loaded.graph);
                if let Some(positions) = loaded.positions {
                    assert_eq!(positions.rows(), loaded.graph.nodes());
                    assert!(positions.as_slice().iter().all(|v| v.is_finite()));
                }
                accepted += 1;
            }
            Err(error) => {
                let message = error.to_string();
                assert!(message.contains('f') && message.len() < 400, "{message}");
                assert!(!message.chars().any(char::is_control), "{message:?}");
                refused += 1;
            }
        }
    }
    // Both ways out were really taken.
    assert!(accepted > 100 && refused > 100, "{accepted} {refused}");
}

#[test]
fn edge_lists_survive_damage() {
    storm(EDGES, Format::EdgeList, 1);
    storm(BLANKS, Format::EdgeList, 2);
}

#[test]
fn points_survive_damage() {
    storm(POINTS, Format::Points, 3);
}

#[test]
fn matrix_market_survives_damage() {
    storm(COORDINATE, Format::MatrixMarket, 4);
    storm(ARRAY, Format::MatrixMarket, 5);
}

#[test]
fn graphml_survives_damage() {
    storm(GRAPHML, Format::GraphMl, 6);
}

#[test]
fn pairs_survive_damage() {
    let graph = Graph::from_edges(4, &[(0, 1, 1.0), (1, 2, 1.0), (2, 3, 1.0)]).unwrap();
    let text = "source,target,weight\n0,1,1\n1,2,0.5\n\"2\",3,1\n";
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let mut accepted = 0;
    for _ in 0..MUTATIONS {
        let mut bytes = text.as_bytes().to_vec();
        mutate(&mut rng, &mut bytes);
        let anchors =
            read_pairs_from(&bytes[..], "f").and_then(|table| table.anchors(&graph, &graph));
        if let Ok(anchors) = anchors {
            accepted += 1;
            for anchor in anchors.iter() {
                assert!(anchor.source < 4 && anchor.target < 4);
                assert!(anchor.weight > 0.0 && anchor.weight <= 1.0);
            }
        }
    }
    assert!(accepted > 100, "{accepted}");
}
