//! Damaged files: whatever the bytes, a reader returns, and what it accepts is a graph.
//!
//! Every format has its seeds: a few written below, what our own writer makes, and every sample
//! that other programs wrote. Some thousand damaged copies of each format are read, more of them with
//! `ANCHORMATCH_MUTATIONS`, others with `ANCHORMATCH_MUTATION_SEED`.

// The lint spares test functions but not their helpers.
#![allow(clippy::unwrap_used)]

use std::io::Write;

use anchormatch::graph::{KindEdge, Labels};
use anchormatch::linalg::Matrix;
use anchormatch::{Error, Graph};
use anchormatch_invariants::damage::{Damage, assert_memory_below, assert_one_line};
use anchormatch_io::{
    Format, LoadedGraph, ReadOptions, feature_weights, read_features_from, read_graph_from,
    read_nodes_from, read_pairs_from, write_graph_to,
};

/// The copies of each format, where the environment does not ask for another number.
const MUTATIONS: u64 = 4000;

/// The memory that a reader may take, and what the whole process must not have taken, in MiB; the
/// tests of this file may run at once.
const ALLOWED: u64 = 16;
const MOST_MEMORY: u64 = 600;

/// Seeds by hand, where the writers and the samples leave something out.
const SEEDS: [(Format, &str); 18] = [
    (
        Format::EdgeList,
        "# a comment\nsource,target,weight\na,b,1.5\nb,\"c,\"\"d\"\"\",-2e3\n\nc,c,0\nä,a,0.25\n",
    ),
    (Format::EdgeList, "% sym\n1 2\n2 3\r\n3 1\n3 4\n"),
    (Format::EdgeList, "a b {'weight': 1.5, 'x': 'y'}\nb c {}\n"),
    (
        Format::Points,
        "id,x,y\na,0.5,1\nb,2,-3e1\n\"c d\",4,5\ne,6,7\n",
    ),
    (Format::Xyz, "//X Y Z I\n0 0 1 7\n1.5 2 3 8\n"),
    (
        Format::Ply,
        "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n\
         property uchar red\nelement face 1\nproperty list uchar int i\nend_header\n0 0 0 1\n1 2 3 4\n\
         5 6 7 8\n3 0 1 2\n",
    ),
    (
        Format::Coco,
        "{\"annotations\": [{\"id\": 1, \"keypoints\": [1, 2, 2, 3.5, 4, 1, 0, 0, 0]}]}",
    ),
    (
        Format::Coco,
        "[{\"image_id\": 3, \"keypoints\": [1, 2, 0.5, 3.5, 4, 0.25], \"score\": 1}]",
    ),
    (
        Format::OpenCv,
        "%YAML:1.0\n---\nkeypoints:\n   - [ 1.5, 2., 7., -1., 0., 0, -1 ]\n   - [ 3., 4., 7., -1., 0., 0, -1 ]\n\
         d: !!opencv-matrix\n   rows: 2\n   cols: 1\n   dt: u\n   data: [ 1, 2 ]\n",
    ),
    (
        Format::OpenCv,
        "<?xml version=\"1.0\"?>\n<opencv_storage>\n<p type_id=\"opencv-matrix\">\n<rows>2</rows>\n<cols>1</cols>\n\
         <dt>\"2f\"</dt>\n<data>\n 1. 2. 3. 4.</data></p>\n</opencv_storage>\n",
    ),
    (Format::Adjacency, "0,1,2\n1,0,3\n2,3,0\n"),
    (
        Format::MatrixMarket,
        "%%MatrixMarket matrix coordinate real general\n% c\n4 4 4\n1 2 1.5\n2 1 1.5\n3 4 -2\n4 4 9\n",
    ),
    (
        Format::MatrixMarket,
        "%%MatrixMarket matrix array integer symmetric\n3 3\n0\n1\n2\n0\n3\n0\n",
    ),
    (
        Format::GraphMl,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n\
         <key id=\"w\" for=\"edge\" attr.name=\"weight\"><default>2</default></key>\n\
         <key id=\"x\" for=\"node\" attr.name=\"x\"/><key id=\"y\" for=\"node\" attr.name=\"y\"/>\n\
         <graph edgedefault=\"undirected\"><!-- c --><node id=\"a\"><data key=\"x\">1</data></node>\n\
         <node id=\"b&lt;&#65;\"/><node id=\"c\"><data key=\"y\"><![CDATA[3]]></data></node>\n\
         <edge source=\"a\" target=\"b&lt;A\"/><edge source=\"b&lt;A\" target=\"c\">\
         <data key=\"w\">1.5</data></edge></graph></graphml>\n",
    ),
    (
        Format::Gml,
        "graph [ directed 1 node [ id 1 label \"a&amp;\" graphics [ x 1 y 2 ] ] node [ id 2 ]\n\
         edge [ source 1 target 2 value 2.5 ] edge [ source 2 target 1 weight 2.5 ] ]\n",
    ),
    (
        Format::Pajek,
        "*Vertices 3\n1 \"a b\" 0.1 0.2\n*Arcs\n1 2 2\n*Edgeslist\n3 1 2\n*Matrix\n0 2 1\n2 0 1\n1 1 0\n",
    ),
    (
        Format::Leda,
        "LEDA.GRAPH\nstring\nstring\n-1\n2\n|{a}|\n|{}|\n1\n1 2 0 |{x}|\nGraphWin\n",
    ),
    (
        Format::Metis,
        "3 2 111 2\n1 1 1 2 5\n1 1 1 1 5 3 6\n1 1 1 2 6\n",
    ),
];

/// A number that the environment may change.
fn setting(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).map_or(otherwise, |text| text.parse().unwrap())
}

fn mutations() -> usize {
    setting("ANCHORMATCH_MUTATIONS", MUTATIONS) as usize
}

fn damage(which: u64) -> Damage {
    Damage::new(setting("ANCHORMATCH_MUTATION_SEED", 0) << 8 | which)
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// A file to damage.
enum Seed {
    Bytes(Vec<u8>),
    /// The members of an archive: one is damaged, and the archive is sound again around it.
    Archive(Vec<(String, Vec<u8>)>),
}

fn graph() -> (Graph, Matrix) {
    let names = ["a", "b \"c\"", "λ", "4"].map(String::from).to_vec();
    let edges = [(0, 1, 2.0), (1, 2, 3.0), (0, 3, 1.0)];
    let graph = Graph::from_edges(4, &edges).unwrap();
    let graph = graph.with_labels(Labels::new(names).unwrap()).unwrap();
    (
        graph,
        Matrix::from_fn(4, 2, |i, k| i as f64 * 0.5 + k as f64),
    )
}

/// The array of a `.npy` with this header and these bytes.
fn array(descr: &str, shape: &str, contents: &[u8]) -> Vec<u8> {
    let text = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((text.len() as u16).to_le_bytes());
    bytes.extend(text.bytes());
    bytes.extend(contents);
    bytes
}

/// An archive that stores its members, checksums right.
fn archive(members: &[(String, Vec<u8>)]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut directory = Vec::new();
    for (name, contents) in members {
        let mut sum = flate2::Crc::new();
        sum.update(contents);
        let mut common = Vec::new();
        for field in [20u16, 0, 0, 0, 0x21] {
            common.extend(field.to_le_bytes());
        }
        for field in [sum.sum(), contents.len() as u32, contents.len() as u32] {
            common.extend(field.to_le_bytes());
        }
        common.extend((name.len() as u16).to_le_bytes());
        common.extend([0; 2]);
        directory.extend(b"PK\x01\x02\x14\x00");
        directory.extend(&common);
        directory.extend([0; 10]);
        directory.extend((bytes.len() as u32).to_le_bytes());
        directory.extend(name.bytes());
        bytes.extend(b"PK\x03\x04");
        bytes.extend(&common);
        bytes.extend(name.bytes());
        bytes.extend(contents);
    }
    let start = bytes.len() as u32;
    bytes.extend(&directory);
    bytes.extend(b"PK\x05\x06\0\0\0\0");
    bytes.extend((members.len() as u16).to_le_bytes());
    bytes.extend((members.len() as u16).to_le_bytes());
    bytes.extend((directory.len() as u32).to_le_bytes());
    bytes.extend(start.to_le_bytes());
    bytes.extend([0; 2]);
    bytes
}

fn archives() -> Vec<Seed> {
    let named = |members: Vec<(&str, Vec<u8>)>| {
        let members = members
            .into_iter()
            .map(|(name, m)| (format!("{name}.npy"), m));
        Seed::Archive(members.collect())
    };
    let shape = (
        "shape",
        array(
            "<i8",
            "(2,)",
            &[3, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0],
        ),
    );
    let format = |kind: &[u8]| ("format", array("|S3", "()", kind));
    vec![
        named(vec![
            ("A", array("|u1", "(3, 3)", &[0, 1, 2, 1, 0, 3, 2, 3, 0])),
            (
                "ids",
                array(
                    "<U1",
                    "(3,)",
                    &[b'a', 0, 0, 0, b'b', 0, 0, 0, b'c', 0, 0, 0],
                ),
            ),
            ("t", array("<f4", "(2,)", &[0; 8])),
        ]),
        named(vec![
            format(b"csr"),
            shape.clone(),
            ("indptr", array("|u1", "(4,)", &[0, 1, 3, 4])),
            ("indices", array("|u1", "(4,)", &[1, 0, 2, 1])),
            ("data", array("|i1", "(4,)", &[5, 5, 6, 6])),
        ]),
        named(vec![
            format(b"coo"),
            shape.clone(),
            ("row", array("|u1", "(2,)", &[0, 2])),
            ("col", array("|u1", "(2,)", &[1, 1])),
            ("data", array("<f2", "(2,)", &[0, 0x3c, 0, 0x40])),
        ]),
        named(vec![
            format(b"dia"),
            shape,
            ("offsets", array("|i1", "(2,)", &[1, 0xff])),
            ("data", array("|u1", "(2, 3)", &[0, 5, 6, 5, 6, 0])),
        ]),
    ]
}

/// Every seed of `format`, with the options under which it is a graph.
fn seeds(format: Format) -> Vec<(Seed, ReadOptions)> {
    let options = ReadOptions {
        format: Some(format),
        max_memory: Some(ALLOWED << 20),
        ..ReadOptions::default()
    };
    let mut seeds: Vec<(Seed, ReadOptions)> = Vec::new();
    for (_, text) in SEEDS.iter().filter(|(of, _)| *of == format) {
        seeds.push((Seed::Bytes(text.as_bytes().to_vec()), options.clone()));
    }
    let (graph, positions) = graph();
    let mut written = Vec::new();
    write_graph_to(&mut written, &graph, Some(&positions), format).unwrap();
    seeds.push((Seed::Bytes(written), options.clone()));
    if format == Format::Npz {
        seeds.extend(archives().into_iter().map(|seed| (seed, options.clone())));
    }
    let samples = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/formats");
    let mut paths: Vec<_> = std::fs::read_dir(samples)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e != "json"))
        .collect();
    paths.sort();
    for path in paths {
        let said = std::fs::read(format!("{}.json", path.display())).unwrap();
        let said: serde_json::Value = serde_json::from_slice(&said).unwrap();
        let text = |key: &str| said["options"][key].as_str().map(String::from);
        let its = match text("format") {
            Some(name) => Format::from_name(&name).unwrap(),
            None => Format::from_path(&path).unwrap(),
        };
        if its == format {
            let options = ReadOptions {
                variable: text("variable"),
                node_id: text("node_id"),
                ..options.clone()
            };
            seeds.push((Seed::Bytes(std::fs::read(&path).unwrap()), options));
        }
    }
    seeds
}

fn assert_sound(loaded: &LoadedGraph) {
    let graph = &loaded.graph;
    assert!(graph.node_count() > 0);
    assert_eq!(graph.labels().len(), graph.node_count());
    let mut ends = 0;
    for i in 0..graph.node_count() {
        for (j, weight) in graph.neighbours(i) {
            assert!(i != j && weight.is_finite() && weight != 0.0);
            assert_eq!(graph.weight(j, i), weight);
            ends += 1;
        }
    }
    assert_eq!(ends, 2 * graph.edge_count());
    if let Some(positions) = &loaded.positions {
        assert_eq!(positions.rows(), graph.node_count());
        assert!(positions.as_slice().iter().all(|v| v.is_finite()));
    }
}

/// A refusal says what was expected, or how much memory it would take.
fn assert_helpful(error: &Error) {
    let message = error.to_string();
    assert_one_line(&message, "the-file");
    match error {
        Error::Memory { needed, limit, .. } => assert!(needed > limit, "{message}"),
        _ => assert!(message.contains("expected"), "{message}"),
    }
}

fn storm(format: Format, least: usize) {
    let seeds = seeds(format);
    let read =
        |bytes: &[u8], options: &ReadOptions| read_graph_from(bytes, "the-file", format, options);
    for (seed, options) in &seeds {
        let bytes = match seed {
            Seed::Bytes(bytes) => bytes.clone(),
            Seed::Archive(members) => archive(members),
        };
        match read(&bytes, options) {
            Ok(loaded) => assert_sound(&loaded),
            Err(error) => panic!("{format:?}: {error}: {}", String::from_utf8_lossy(&bytes)),
        }
    }
    let mut damage = damage(format as u64);
    let (mut accepted, mut refused) = (0, 0);
    for round in 0..mutations() {
        let (seed, options) = &seeds[round % seeds.len()];
        let bytes = match seed {
            Seed::Bytes(bytes) => {
                let mut bytes = bytes.clone();
                damage.strike(&mut bytes);
                bytes
            }
            Seed::Archive(members) => {
                let mut members = members.clone();
                let struck = damage.below(members.len());
                damage.strike(&mut members[struck].1);
                archive(&members)
            }
        };
        let outcome = read(&bytes, options);
        match &outcome {
            Ok(loaded) => {
                assert_sound(loaded);
                accepted += 1;
            }
            Err(error) => {
                assert_helpful(error);
                refused += 1;
            }
        }
        if round % 8 == 0 && !bytes.starts_with(&[0x1f, 0x8b]) {
            // The same bytes inside gzip are the same graph, or the same fault.
            let mut zipped = packed(&bytes);
            let packed = read(&zipped, options);
            match (outcome, packed) {
                (Ok(plain), Ok(packed)) => assert_eq!(plain, packed),
                (Err(plain), Err(packed)) => assert_eq!(plain.to_string(), packed.to_string()),
                (plain, packed) => panic!("{plain:?} is not {packed:?}"),
            }
            // The container is damaged as well.
            damage.strike(&mut zipped);
            match read(&zipped, options) {
                Ok(loaded) => assert_sound(&loaded),
                Err(error) => assert_helpful(&error),
            }
        }
    }
    // Both ways out were really taken.
    assert!(
        accepted >= least && refused > 100,
        "{format:?}: {accepted} accepted, {refused} refused"
    );
    assert_memory_below(MOST_MEMORY);
}

#[test]
fn edge_lists_survive_damage() {
    storm(Format::EdgeList, 100);
}

#[test]
fn points_survive_damage() {
    storm(Format::Points, 100);
}

#[test]
fn clouds_survive_damage() {
    storm(Format::Xyz, 100);
}

#[test]
fn ply_survives_damage() {
    storm(Format::Ply, 100);
}

#[test]
fn coco_survives_damage() {
    storm(Format::Coco, 50);
}

#[test]
fn opencv_survives_damage() {
    storm(Format::OpenCv, 50);
}

#[test]
fn adjacency_tables_survive_damage() {
    storm(Format::Adjacency, 100);
}

#[test]
fn graphml_survives_damage() {
    storm(Format::GraphMl, 100);
}

#[test]
fn gml_survives_damage() {
    storm(Format::Gml, 100);
}

#[test]
fn pajek_survives_damage() {
    storm(Format::Pajek, 100);
}

#[test]
fn matrix_market_survives_damage() {
    storm(Format::MatrixMarket, 100);
}

#[test]
fn npy_survives_damage() {
    storm(Format::Npy, 50);
}

#[test]
fn npz_survives_damage() {
    storm(Format::Npz, 50);
}

#[test]
fn mat_survives_damage() {
    storm(Format::Mat, 50);
}

#[test]
fn leda_survives_damage() {
    storm(Format::Leda, 100);
}

#[test]
fn metis_survives_damage() {
    storm(Format::Metis, 20);
}

/// No format is without a storm.
#[test]
fn every_format_is_among_them() {
    let tests = include_str!("mutations.rs");
    for format in Format::ALL {
        assert!(
            tests.contains(&format!("storm(Format::{format:?}, ")),
            "{format:?}"
        );
    }
}

#[test]
fn pairs_survive_damage() {
    let graph = Graph::from_edges(4, &[(0, 1, 1.0), (1, 2, 1.0), (2, 3, 1.0)]).unwrap();
    let text = "source,target,weight\n0,1,1\n1,2,0.5\n\"2\",3,1\n";
    let mut damage = damage(7);
    let mut accepted = 0;
    for _ in 0..mutations() {
        let mut bytes = text.as_bytes().to_vec();
        damage.strike(&mut bytes);
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

#[test]
fn tables_of_nodes_and_kinds_of_edges_survive_damage() {
    let options = ReadOptions {
        kinds: Some("layer".to_owned()),
        ..ReadOptions::default()
    };
    let nodes = "id,age,city\n0,31,Rome\n1,,Oslo\n\"2\",5,\n3,7,Rome\n";
    let features = "node,attr,value\n0,red,1\n1,blue,0.5\n3,red,\n";
    let edges = "source,target,layer,weight\n0,1,work,1\n1,2,work,2\n2,3,home,1\n0,1,home,1\n";
    let graph = Graph::from_edges(4, &[(0, 1, 1.0), (1, 2, 1.0), (2, 3, 1.0)]).unwrap();
    let mut damage = damage(11);
    let mut accepted = [0; 3];
    for _ in 0..mutations() {
        let mut broken = [nodes, features, edges].map(|text| text.as_bytes().to_vec());
        for bytes in &mut broken {
            damage.strike(bytes);
        }
        if let Ok(table) = read_nodes_from(&broken[0][..], "f") {
            accepted[0] += 1;
            let lengths = table.columns.iter().map(|column| column.words.len());
            assert!(lengths.into_iter().all(|length| length == table.ids.len()));
        }
        let table = read_features_from(&broken[1][..], "f");
        let weights = table.and_then(|table| feature_weights((&table, &graph), (&table, &graph)));
        if let Ok([one, two]) = weights {
            accepted[1] += 1;
            assert_eq!(one, two);
        }
        if let Ok(loaded) = read_graph_from(&broken[2][..], "f", Format::EdgeList, &options) {
            accepted[2] += 1;
            let nodes = loaded.graph.node_count() as u32;
            let kinds = loaded.kinds.expect("kinds were asked for");
            let is_within = |edge: &KindEdge| edge.from < edge.to && edge.to < nodes;
            assert!(loaded.graph.is_directed() || kinds.edges().iter().all(is_within));
        }
    }
    assert!(accepted.iter().all(|&count| count > 100), "{accepted:?}");
}
