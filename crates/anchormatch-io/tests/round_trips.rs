//! What a writer writes, the reader of the same format gives back.

// The lint spares test functions but not their helpers.
#![allow(clippy::unwrap_used)]

use anchormatch::Graph;
use anchormatch::graph::Labels;
use anchormatch::linalg::Matrix;
use anchormatch_io::{
    Format, LoadedGraph, ReadOptions, read_graph, read_graph_from, read_pairs_from,
    write_edge_list, write_graph, write_graph_to, write_graphml, write_pairs, write_points,
};
use proptest::collection::{hash_set, vec};
use proptest::prelude::*;

/// Ids with everything in them that a format could trip over.
const ODD_ID: &str = "[a-zA-Z0-9 ,;\"'#%&<>\t\r|=\u{e4}\u{3bb}\u{1f600}\u{a0}\u{feff}-]{1,8}";

fn weight() -> impl Strategy<Value = f64> {
    prop_oneof![
        -1e3..1e3f64,
        Just(f64::MAX),
        Just(f64::MIN_POSITIVE),
        Just(5e-324),
        Just(0.1 + 0.2),
        Just(1.0),
    ]
    .prop_filter("an edge of weight zero is none", |w| *w != 0.0)
}

/// A graph with odd ids, isolated nodes among them.
fn graph() -> impl Strategy<Value = Graph> {
    hash_set(ODD_ID, 1..12)
        .prop_flat_map(|ids| {
            let n = ids.len();
            (Just(ids), vec(((0..n), (0..n), weight()), 0..3 * n))
        })
        .prop_map(|(ids, mut edges)| {
            edges.retain(|&(u, v, _)| u < v);
            edges.sort_by_key(|&(u, v, _)| (u, v));
            edges.dedup_by_key(|&mut (u, v, _)| (u, v));
            let labels = Labels::new(ids.into_iter().collect()).unwrap();
            Graph::from_edges(labels.len(), &edges)
                .unwrap()
                .with_labels(labels)
                .unwrap()
        })
}

/// The same with arcs, and with edges from a node to itself.
fn directed() -> impl Strategy<Value = Graph> {
    hash_set(ODD_ID, 2..9)
        .prop_flat_map(|ids| {
            let n = ids.len();
            (Just(ids), vec(((0..n), (0..n), weight()), 1..4 * n))
        })
        .prop_map(|(ids, mut arcs)| {
            arcs.sort_by_key(|&(u, v, _)| (u, v));
            arcs.dedup_by_key(|&mut (u, v, _)| (u, v));
            let labels = Labels::new(ids.into_iter().collect()).unwrap();
            let graph = Graph::from_arcs(labels.len(), &arcs).unwrap();
            graph.with_labels(labels).unwrap()
        })
}

/// The same nodes under the numbers from `first`.
fn numbered(graph: &Graph, first: usize) -> Graph {
    let labels = Labels::counted(first, graph.node_count());
    graph.clone().with_labels(labels).unwrap()
}

/// The same edges with weights of the kind that METIS has.
fn whole_weights(graph: &Graph) -> Graph {
    let edges: Vec<_> = (0..graph.node_count())
        .flat_map(|i| graph.neighbours(i).map(move |(j, w)| (i, j, w)))
        .filter(|&(i, j, _)| i < j)
        .map(|(i, j, w)| (i, j, (w.abs() % 1e6).ceil().max(1.0)))
        .collect();
    Graph::from_edges(graph.node_count(), &edges).unwrap()
}

fn read(bytes: &[u8], format: Format) -> LoadedGraph {
    read_graph_from(bytes, "memory", format, &ReadOptions::default()).unwrap()
}

/// The same ids in the same order, and the same edges with the same bits.
fn assert_equal(found: &Graph, wanted: &Graph) {
    assert!(found.labels().iter().eq(wanted.labels().iter()));
    assert_eq!(found.adjacency(), wanted.adjacency());
}

/// `graph` with its nodes in the order of `like`'s ids.
fn in_order_of(graph: &Graph, like: &Graph) -> Graph {
    let order: Vec<usize> = like
        .labels()
        .iter()
        .map(|id| graph.labels().find(&id).expect("every id comes back"))
        .collect();
    graph.permuted(&order).unwrap()
}

proptest! {
    #[test]
    fn edge_lists(graph in graph()) {
        let mut bytes = Vec::new();
        write_edge_list(&mut bytes, &graph).unwrap();
        let again = read(&bytes, Format::EdgeList).graph;
        prop_assert_eq!(again.node_count(), graph.node_count());
        assert_equal(&in_order_of(&again, &graph), &graph);
    }

    #[test]
    fn edge_lists_with_other_delimiters(
        graph in graph(),
        delimiter in prop::sample::select(vec!["\t", ";", " ", " ; "]),
    ) {
        // A writer of our own, which quotes everything.
        let mut text = String::from("\u{feff}# a comment\r\n\r\n");
        let quote = |i| format!("\"{}\"", graph.labels().get(i).replace('"', "\"\""));
        for i in 0..graph.node_count() {
            text += &format!("{}{delimiter}{}{delimiter}0\r\n", quote(i), quote(i));
            for (j, w) in graph.neighbours(i).filter(|&(j, _)| j < i) {
                text += &format!("{}{delimiter}{}{delimiter}{w:e}\r\n", quote(i), quote(j));
            }
        }
        assert_equal(&read(text.as_bytes(), Format::EdgeList).graph, &graph);
    }

    #[test]
    fn graphml(graph in graph(), break_line in any::<bool>(), dimensions in 0usize..4) {
        let graph = if break_line {
            let ids = graph.labels().iter().map(|id| format!("{id}\n")).collect();
            graph.with_labels(Labels::new(ids).unwrap()).unwrap()
        } else {
            graph
        };
        let positions = (dimensions >= 2)
            .then(|| Matrix::from_fn(graph.node_count(), dimensions, |i, k| 0.1 * i as f64 - k as f64));
        let mut bytes = Vec::new();
        write_graphml(&mut bytes, &graph, positions.as_ref()).unwrap();
        let again = read(&bytes, Format::GraphMl);
        assert_equal(&again.graph, &graph);
        prop_assert_eq!(again.positions, positions);
    }

    #[test]
    fn every_format(graph in graph(), with_positions in any::<bool>()) {
        for format in Format::ALL {
            let graph = match format {
                // Complete graphs on their points; they have a test of their own.
                _ if format.is_points() => continue,
                Format::Metis => whole_weights(&graph),
                _ => graph.clone(),
            };
            let n = graph.node_count();
            let positions = with_positions
                .then(|| Matrix::from_fn(n, 2 + n % 2, |i, k| 0.1 * (i + 1) as f64 - k as f64));
            let mut bytes = Vec::new();
            write_graph_to(&mut bytes, &graph, positions.as_ref(), format).unwrap();
            let again = read(&bytes, format);
            prop_assert_eq!(again.graph.node_count(), n);
            let wanted = match format {
                Format::MatrixMarket | Format::Metis => numbered(&graph, 1),
                Format::Npy => numbered(&graph, 0),
                _ => graph,
            };
            prop_assert_eq!(format.keeps_ids(), !matches!(format, Format::MatrixMarket | Format::Metis | Format::Npy));
            if format == Format::EdgeList {
                assert_equal(&in_order_of(&again.graph, &wanted), &wanted);
            } else {
                assert_equal(&again.graph, &wanted);
            }
            if matches!(format, Format::GraphMl | Format::Gml | Format::Pajek) {
                prop_assert_eq!(again.positions, positions, "{:?}", format);
            } else {
                prop_assert_eq!(again.positions, None);
            }
        }
    }

    #[test]
    fn arcs_and_loops_in_every_format(graph in directed()) {
        for format in Format::ALL.into_iter().filter(|format| !format.is_points()) {
            let mut bytes = Vec::new();
            let written = write_graph_to(&mut bytes, &graph, None, format);
            if format == Format::Metis {
                prop_assert!(written.is_err() || !graph.is_directed());
                continue;
            }
            written.unwrap();
            let options = ReadOptions {
                // All formats but rows say so themselves.
                directed: (format == Format::EdgeList && graph.is_directed()).then_some(true),
                ..ReadOptions::default()
            };
            let again = read_graph_from(&bytes[..], "memory", format, &options).unwrap().graph;
            let again = if format == Format::EdgeList { in_order_of(&again, &graph) } else { again };
            prop_assert_eq!(again.is_directed(), graph.is_directed(), "{:?}", format);
            prop_assert_eq!(again.arcs(), graph.arcs(), "{:?}", format);
            prop_assert_eq!(again.loops(), graph.loops(), "{:?}", format);
            prop_assert!(!format.keeps_ids() || again.labels().iter().eq(graph.labels().iter()));
        }
    }

    #[test]
    fn points(
        ids in hash_set(ODD_ID, 1..12),
        dimensions in 2usize..4,
        values in vec(-1e6..1e6f64, 36),
    ) {
        let labels = Labels::new(ids.into_iter().collect()).unwrap();
        let positions = Matrix::from_fn(labels.len(), dimensions, |i, k| values[3 * i + k]);
        let wanted = Graph::from_points(&positions).unwrap().with_labels(labels).unwrap();
        let mut bytes = Vec::new();
        write_points(&mut bytes, wanted.labels(), &positions).unwrap();
        let again = read(&bytes, Format::Points);
        prop_assert_eq!(&again.graph, &wanted);
        prop_assert_eq!(again.positions.as_ref(), Some(&positions));
        for format in Format::ALL.into_iter().filter(|format| format.is_points()) {
            let mut bytes = Vec::new();
            let written = write_graph_to(&mut bytes, &wanted, Some(&positions), format);
            if format == Format::Coco && dimensions == 3 {
                // Its keypoints lie in the plane.
                prop_assert!(written.is_err());
                continue;
            }
            written.unwrap();
            let again = read(&bytes, format);
            let same = if format.keeps_ids() { wanted.clone() } else { numbered(&wanted, 0) };
            prop_assert_eq!(&again.graph, &same, "{:?}", format);
            prop_assert_eq!(again.positions.as_ref(), Some(&positions), "{:?}", format);
        }
    }

    #[test]
    fn pairs(source in graph(), target in graph()) {
        let both = source.node_count().min(target.node_count());
        let pairs: Vec<_> = (0..both).map(|i| (i, both - 1 - i)).collect();
        let mut bytes = Vec::new();
        write_pairs(&mut bytes, source.labels(), target.labels(), &pairs).unwrap();
        let table = read_pairs_from(&bytes[..], "memory").unwrap();
        prop_assert_eq!(&table.indices(&source, &target).unwrap(), &pairs);
        let anchors = table.anchors(&source, &target).unwrap();
        prop_assert_eq!(anchors.hard(), &pairs[..]);
    }
}

#[test]
fn an_edge_list_keeps_the_order_of_nodes_where_edges_allow() {
    let edges: Vec<_> = (1..50).map(|j| (j / 2, j, 1.0)).collect();
    let graph = Graph::from_edges(50, &edges).unwrap();
    let mut bytes = Vec::new();
    write_edge_list(&mut bytes, &graph).unwrap();
    assert_equal(&read(&bytes, Format::EdgeList).graph, &graph);
}

#[test]
fn graphs_go_to_files_by_extension_and_come_back() {
    let directory = tempfile::tempdir().unwrap();
    let positions = Matrix::from_vec(3, 2, vec![0.0, 0.0, 3.0, 4.0, 6.0, 8.0]);
    let graph = Graph::from_points(&positions).unwrap();
    let extensions = Format::ALL.into_iter().flat_map(Format::extensions);
    for name in extensions.flat_map(|e| [format!("a.{e}"), format!("a.{e}.gz")]) {
        let path = directory.path().join(&name);
        let graph = if Format::from_path(&path).unwrap() == Format::Metis {
            whole_weights(&graph)
        } else {
            graph.clone()
        };
        write_graph(&path, &graph, Some(&positions), None).unwrap();
        let is_packed = std::fs::read(&path).unwrap().starts_with(&[0x1f, 0x8b]);
        assert_eq!(is_packed, name.ends_with(".gz"));
        let loaded = read_graph(&path, &ReadOptions::default()).unwrap();
        assert_eq!(loaded.graph.adjacency(), graph.adjacency(), "{name}");
    }
    let path = directory.path().join("points.csv");
    write_graph(&path, &graph, Some(&positions), Some(Format::Points)).unwrap();
    let options = ReadOptions {
        points: true,
        ..ReadOptions::default()
    };
    let loaded = read_graph(&path, &options).unwrap();
    assert_eq!(loaded.positions, Some(positions));
    assert!(write_graph(&path, &graph, None, Some(Format::Points)).is_err());
    assert!(write_graph("a.jpg".as_ref(), &graph, None, None).is_err());
}
