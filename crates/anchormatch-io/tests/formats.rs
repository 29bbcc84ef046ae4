//! Files that other programs wrote (`scripts/make_format_samples.py`), beside the graphs in them.

// The lint spares test functions but not their helpers.
#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};

use anchormatch_io::{Format, ReadOptions, read_graph};
use serde_json::Value;

fn samples() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/formats");
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e != "json"))
        .collect();
    paths.sort();
    paths
}

#[test]
fn every_sample_holds_the_graph_that_was_written() {
    for path in samples() {
        let said = std::fs::read(format!("{}.json", path.display())).unwrap();
        let said: Value = serde_json::from_slice(&said).unwrap();
        let option = |key: &str| said["options"][key].as_str().map(String::from);
        let options = ReadOptions {
            format: option("format").map(|name| Format::from_name(&name).unwrap()),
            variable: option("variable"),
            node_id: option("node_id"),
            directed: Some(false),
            ..ReadOptions::default()
        };
        let file = path.file_name().unwrap().to_string_lossy().into_owned();
        let loaded = match read_graph(&path, &options) {
            Ok(loaded) => loaded,
            Err(error) => panic!("{error}"),
        };
        let graph = &loaded.graph;
        let text = |value: &Value| value.as_str().unwrap().to_owned();

        let mut wanted: Vec<String> = said["nodes"].as_array().unwrap().iter().map(text).collect();
        let mut ids: Vec<String> = graph.labels().iter().map(Into::into).collect();
        wanted.sort();
        ids.sort();
        assert_eq!(ids, wanted, "{file}");

        let edges = said["edges"].as_array().unwrap();
        assert_eq!(graph.edge_count(), edges.len(), "{file}");
        for edge in edges {
            let [u, v] = [&edge[0], &edge[1]].map(|id| graph.labels().find(&text(id)).unwrap());
            assert_eq!(
                graph.weight(u, v),
                edge[2].as_f64().unwrap(),
                "{file}: {edge}"
            );
        }

        if let Some(counts) = said["counts"].as_object() {
            let cleaning = serde_json::to_value(graph.cleaning()).unwrap();
            for (what, count) in counts {
                assert_eq!(cleaning[what], *count, "{file}: {what}");
            }
        }
        // With their directions, the same edges are arcs one way or both.
        let as_written = ReadOptions {
            directed: None,
            ..options
        };
        let arcs = read_graph(&path, &as_written).unwrap().graph;
        let cleaning = graph.cleaning();
        let one_way = cleaning.directed_edges > 2 * cleaning.opposite_edges;
        assert_eq!(arcs.is_directed(), one_way, "{file}");
        assert!(arcs.labels().iter().eq(graph.labels().iter()), "{file}");
        assert_eq!(arcs.adjacency(), graph.adjacency(), "{file}");
        assert_eq!(arcs.cleaning().directed_edges, 0, "{file}");
        match (&said["positions"], &loaded.positions) {
            (Value::Null, None) => {}
            (Value::Array(wanted), Some(found)) => {
                assert_eq!(wanted.len(), found.rows(), "{file}");
                for (node, place) in wanted.iter().enumerate() {
                    // Nodes stand in the order of the file.
                    for (axis, value) in place.as_array().unwrap().iter().enumerate() {
                        assert_eq!(found[(node, axis)], value.as_f64().unwrap(), "{file}");
                    }
                }
            }
            (wanted, found) => panic!("{file}: {wanted} is not {found:?}"),
        }
    }
}

/// Every format has a sample that another program wrote, or that was copied from a manual.
#[test]
fn no_format_is_without_a_sample() {
    let samples = samples();
    for format in Format::ALL {
        let has = samples.iter().any(|path| {
            let said = std::fs::read_to_string(format!("{}.json", path.display())).unwrap();
            let said: Value = serde_json::from_str(&said).unwrap();
            match said["options"]["format"].as_str() {
                Some(name) => name == format.name(),
                None => Format::from_path(path).is_ok_and(|by_extension| by_extension == format),
            }
        });
        assert!(has, "{format:?}");
    }
}
