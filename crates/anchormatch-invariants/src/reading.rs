//! Readers of graphs, pairs and solutions, on any bytes.
//!
//! Whatever the bytes, a reader returns. What it accepts is sound and survives being written and read
//! again; what it refuses, it refuses in one line that names the file.

use anchormatch::graph::Labels;
use anchormatch::{Error, Graph, Result};
use anchormatch_io::{
    Format, LoadedGraph, ReadOptions, read_graph_from, read_pairs_from, read_qap_solution_from,
    write_graph_to, write_qap_solution,
};

/// The name of the file in errors.
const FILE: &str = "some.file";

/// What a reader may take.
const MEMORY: u64 = 16 << 20;

/// The longest message of an error, with what it quotes of the file.
const LONGEST_MESSAGE: usize = 500;

/// Beyond this many nodes, a graph is not written again: the check is to be quick.
const LARGEST_WRITTEN: usize = 2000;

/// Reads a graph in `format`; see the module.
///
/// # Panics
/// When the graph is not sound, does not survive writing, or the refusal is no good message.
pub fn check_graph(bytes: &[u8], format: Format) {
    match read(bytes, format) {
        Ok(loaded) => {
            assert_loaded(&loaded);
            if loaded.graph.node_count() <= LARGEST_WRITTEN {
                assert_survives_writing(&loaded, format);
            }
        }
        Err(error) => assert_message(&error),
    }
}

/// Reads pairs and takes them as anchors, as a truth, as similarities, as candidates and as edges between two small
/// graphs.
///
/// # Panics
/// When what is accepted is out of range, or the refusal is no good message.
pub fn check_pairs(bytes: &[u8]) {
    let table = match read_pairs_from(bytes, FILE) {
        Ok(table) => table,
        Err(error) => return assert_message(&error),
    };
    // Graphs that know the first few ids of the file, so that most files get past the names.
    let named = |id: fn(&anchormatch_io::PairRow) -> Option<&str>| {
        let mut ids: Vec<String> = Vec::new();
        for id in table.rows.iter().take(12).filter_map(id) {
            if !ids.iter().any(|known| known == id) {
                ids.push(id.to_owned());
            }
        }
        if ids.is_empty() {
            ids.push("0".to_owned());
        }
        let graph = Graph::from_edges(ids.len(), &[]).expect("nodes without edges");
        let labels = Labels::new(ids).expect("distinct ids");
        graph.with_labels(labels).expect("a label for each node")
    };
    let (source, target) = (
        named(|row| row.source.as_deref()),
        named(|row| row.target.as_deref()),
    );
    let (n, m) = (source.node_count(), target.node_count());
    match table.anchors(&source, &target) {
        Ok(anchors) => {
            let mut taken = (vec![false; n], vec![false; m]);
            for &(s, t) in anchors.hard() {
                assert!(!taken.0[s] && !taken.1[t], "hard anchors are one-to-one");
                (taken.0[s], taken.1[t]) = (true, true);
            }
            for anchor in anchors.iter() {
                assert!(anchor.source < n && anchor.target < m, "{anchor:?}");
                assert!(anchor.weight > 0.0 && anchor.weight <= 1.0, "{anchor:?}");
            }
        }
        Err(error) => assert_message(&error),
    }
    match table.indices(&source, &target) {
        Ok(pairs) => assert!(pairs.iter().all(|&(s, t)| s < n && t < m)),
        Err(error) => assert_message(&error),
    }
    match table.similarity(&source, &target) {
        Ok(similarity) => {
            assert_eq!(similarity.shape(), (n, m));
            assert!(similarity.occurring().all(f64::is_finite));
        }
        Err(error) => assert_message(&error),
    }
    match table.candidates(&source, &target) {
        Ok(found) => assert!(found.pairs.iter().all(|&(s, t)| s < n && t < m)),
        Err(error) => assert_message(&error),
    }
    match table.crossing((&source, "source"), (&target, "target")) {
        Ok(edges) => assert_eq!((edges.rows(), edges.cols()), (n, m)),
        Err(error) => assert_message(&error),
    }
}

/// Reads a solution of QAPLIB.
///
/// # Panics
/// When it is no permutation, does not survive writing, or the refusal is no good message.
pub fn check_qap_solution(bytes: &[u8]) {
    let solution = match read_qap_solution_from(bytes, FILE) {
        Ok(solution) => solution,
        Err(error) => return assert_message(&error),
    };
    assert!(solution.cost.is_finite());
    let mut sorted = solution.permutation.clone();
    sorted.sort_unstable();
    assert!(sorted.into_iter().eq(0..solution.n), "a permutation");
    let mut written = Vec::new();
    write_qap_solution(&mut written, &solution).expect("a solution that was read can be written");
    let again = read_qap_solution_from(&written[..], FILE).expect("what was written can be read");
    assert_eq!(again, solution);
}

/// A graph that was read and its points are sound.
///
/// # Panics
/// When they are not.
pub fn assert_loaded(loaded: &LoadedGraph) {
    assert_graph(&loaded.graph);
    if let Some(positions) = &loaded.positions {
        assert_eq!(
            positions.rows(),
            loaded.graph.node_count(),
            "a point for each node"
        );
        assert!((2..=3).contains(&positions.cols()));
        assert!(positions.as_slice().iter().all(|value| value.is_finite()));
    }
}

/// Symmetric, finite, without loops and zeros, neighbours ascending, a label for each node that
/// finds it.
///
/// # Panics
/// When one of these does not hold.
pub fn assert_graph(graph: &Graph) {
    let n = graph.node_count();
    assert!(n > 0, "a graph has nodes");
    assert_eq!(graph.labels().len(), n, "a label for each node");
    let mut ends = 0;
    for i in 0..n {
        let mut last = None;
        for (j, weight) in graph.neighbours(i) {
            assert!(last < Some(j), "neighbours ascend");
            last = Some(j);
            assert!(i != j, "no loops");
            assert!(weight.is_finite() && weight != 0.0, "{weight} is a weight");
            assert_eq!(graph.weight(j, i).to_bits(), weight.to_bits(), "symmetric");
            ends += 1;
        }
    }
    assert_eq!(ends, 2 * graph.edge_count(), "every edge has two ends");
    for i in (0..n).step_by(n / 100 + 1) {
        let label = graph.labels().get(i);
        assert_eq!(
            graph.labels().find(&label),
            Some(i),
            "labels find their node"
        );
    }
}

/// One line that names the file, short, without control characters.
///
/// # Panics
/// When the message is not like that.
pub fn assert_message(error: &Error) {
    let message = error.to_string();
    assert!(
        message.contains(FILE),
        "the message names the file: {message}"
    );
    let length = message.chars().count();
    assert!(length <= LONGEST_MESSAGE, "short: {message}");
    assert!(
        !message.chars().any(char::is_control),
        "one line: {message:?}"
    );
}

pub(crate) fn file() -> &'static str {
    FILE
}

pub(crate) fn memory() -> u64 {
    MEMORY
}

fn read(bytes: &[u8], format: Format) -> Result<LoadedGraph> {
    let options = ReadOptions {
        max_memory: Some(MEMORY),
        ..ReadOptions::default()
    };
    read_graph_from(bytes, FILE, format, &options)
}

fn assert_survives_writing(loaded: &LoadedGraph, format: Format) {
    let graph = &loaded.graph;
    let mut written = Vec::new();
    write_graph_to(&mut written, graph, loaded.positions.as_ref(), format)
        .expect("a graph that was read can be written");
    let again = read(&written, format).expect("what was written can be read");
    assert_eq!(again.graph.node_count(), graph.node_count());
    // An edge list numbers its nodes as they come.
    let order: Vec<usize> = if format == Format::EdgeList {
        let find = |id: std::borrow::Cow<'_, str>| again.graph.labels().find(&id);
        let order = graph.labels().iter().map(|id| find(id).expect("every id"));
        order.collect()
    } else {
        (0..graph.node_count()).collect()
    };
    for (i, &k) in order.iter().enumerate() {
        if format.keeps_ids() {
            assert_eq!(again.graph.labels().get(k), graph.labels().get(i));
        }
        assert_eq!(again.graph.neighbours(k).len(), graph.neighbours(i).len());
        for (j, weight) in graph.neighbours(i) {
            let same = again.graph.weight(k, order[j]);
            assert_eq!(same.to_bits(), weight.to_bits(), "the same weight");
        }
    }
    assert_eq!(again.positions, loaded.positions);
}
