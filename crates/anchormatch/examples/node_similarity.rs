//! Use what else is known of the nodes: here, people's ages.
//!
//! `cargo run -p anchormatch --example node_similarity`; in Python, `python/examples/node_similarity.py`.
#![expect(clippy::print_stdout, reason = "an example prints")]

use std::sync::Arc;

use anchormatch::linalg::Matrix;
use anchormatch::matcher::{Best, Matcher};
use anchormatch::{Anchors, Graph, Monitor, Result, Task};

fn main() -> Result<()> {
    // A ring has twelve symmetries; the ages leave one matching.
    let edges: Vec<_> = (0..6).map(|i| (i, (i + 1) % 6, 1.0)).collect();
    let ring = Graph::from_edges(6, &edges)?;
    let ages = [31.0_f64, 40.0, 58.0, 25.0, 47.0, 36.0];
    // Two places further on, and a year older.
    let later = [48.0, 37.0, 32.0, 41.0, 59.0, 26.0];
    let alike = Matrix::from_fn(6, 6, |i, a| -(ages[i] - later[a]).abs());
    let none = Anchors::none();
    let task = Task::new(&ring, &ring, &none)?.with_similarity(Arc::new(alike.into()))?;
    let matching = Best::default().run(&task, &Monitor::silent())?;
    let partners: Vec<usize> = matching.pairs.iter().map(|pair| pair.target).collect();
    println!("{partners:?}");
    Ok(())
}
