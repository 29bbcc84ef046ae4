//! Match two graphs when one pair of nodes is known.
//!
//! `cargo run -p anchormatch --example match_graphs`; in Python, `python/examples/match_graphs.py`.
#![expect(clippy::print_stdout, reason = "an example prints")]

use anchormatch::graph::GraphBuilder;
use anchormatch::matcher::{Best, Matcher};
use anchormatch::{Anchors, Graph, Monitor, Result, Task};

fn main() -> Result<()> {
    let source = graph(&[
        ("ann", "bob", 3.0),
        ("bob", "eve", 1.0),
        ("eve", "dan", 2.0),
        ("dan", "ann", 5.0),
        ("ann", "eve", 4.0),
    ])?;
    // The same people under other names, the weights a little off.
    let target = graph(&[
        ("x4", "x1", 4.9),
        ("x2", "x1", 3.1),
        ("x3", "x4", 2.1),
        ("x3", "x1", 4.0),
        ("x3", "x2", 0.9),
    ])?;
    let anchors = Anchors::from_labels(&source, &target, [("ann", "x1", None)])?;
    let task = Task::new(&source, &target, &anchors)?;
    let matching = Best::default().run(&task, &Monitor::silent())?;
    for pair in &matching.pairs {
        let (left, right) = (source.labels(), target.labels());
        println!("{} = {}", left.get(pair.source), right.get(pair.target));
    }
    Ok(())
}

fn graph(edges: &[(&str, &str, f64)]) -> Result<Graph> {
    let mut builder = GraphBuilder::new();
    for &(u, v, weight) in edges {
        let (u, v) = (builder.node(u)?, builder.node(v)?);
        builder.edge(u, v, weight, None)?;
    }
    builder.build()
}
