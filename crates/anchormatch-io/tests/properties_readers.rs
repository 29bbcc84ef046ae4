//! Graphs of every shape through every format: what comes back is the graph, whatever its weights, and
//! matching what came back is matching the graph.
#![allow(clippy::unwrap_used)]

use anchormatch::matcher::{Best, Matcher, Paper};
use anchormatch::{Anchors, Graph, Task};
use anchormatch_invariants::matching::{bytes_of, checked};
use anchormatch_invariants::reading::{assert_loaded, check_graph};
use anchormatch_invariants::shapes::Shape;
use anchormatch_io::{Format, ReadOptions, read_graph_from, write_graph_to};
use proptest::prelude::*;

/// All but points, which not every graph has, and METIS, whose weights are whole and positive.
fn formats() -> impl Iterator<Item = Format> {
    Format::ALL
        .into_iter()
        .filter(|format| !format.is_points() && *format != Format::Metis)
}

/// The graph that was written, its nodes in their first order.
fn through(graph: &Graph, format: Format) -> Graph {
    let mut bytes = Vec::new();
    write_graph_to(&mut bytes, graph, None, format).unwrap();
    check_graph(&bytes, format);
    let loaded = read_graph_from(&bytes[..], "memory", format, &ReadOptions::default()).unwrap();
    assert_loaded(&loaded);
    if format == Format::EdgeList {
        let find = |id: std::borrow::Cow<'_, str>| loaded.graph.labels().find(&id).unwrap();
        let order: Vec<usize> = graph.labels().iter().map(find).collect();
        return loaded.graph.permuted(&order).unwrap();
    }
    if format.keeps_ids() {
        return loaded.graph;
    }
    // Notes call nodes by their ids, which such a format has numbered anew.
    let labels = graph.labels().clone();
    loaded.graph.with_labels(labels).unwrap()
}

proptest! {
    #[test]
    fn every_shape_survives_every_format(
        shape in prop::sample::select(Shape::ALL.to_vec()), nodes in 1..9usize, seed in any::<u64>(),
    ) {
        let graph = shape.graph(nodes, seed);
        for format in formats() {
            let again = through(&graph, format);
            let bits = |graph: &Graph| {
                graph.adjacency().into_vec().into_iter().map(f64::to_bits).collect::<Vec<_>>()
            };
            prop_assert_eq!(bits(&again), bits(&graph), "{:?}", format);
        }
    }

    #[test]
    fn the_format_does_not_change_the_matching(
        shape in prop::sample::select(Shape::ALL.to_vec()), nodes in 2..6usize, seed in any::<u64>(),
    ) {
        let (source, target) = (shape.graph(nodes, seed), shape.graph(nodes, seed ^ 1));
        // Every other format, in turn: a matching takes longer than a file.
        let some = usize::try_from(seed % 2).unwrap();
        for matcher in [&Paper::default() as &dyn Matcher, &Best::fast()] {
            let on = |source: &Graph, target: &Graph| {
                let anchors = Anchors::from_indices(source, target, &[(0, 0)]).unwrap();
                bytes_of(checked(matcher, &Task::new(source, target, &anchors).unwrap()))
            };
            let plain = on(&source, &target);
            for format in formats().skip(some).step_by(2) {
                let again = on(&through(&source, format), &through(&target, format));
                prop_assert!(again == plain, "{format:?}");
            }
        }
    }
}
