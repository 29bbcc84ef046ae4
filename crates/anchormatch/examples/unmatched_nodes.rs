//! Leave nodes alone that have no partner.
//!
//! `cargo run -p anchormatch --example unmatched_nodes`; in Python, `python/examples/unmatched_nodes.py`.
#![expect(clippy::print_stdout, reason = "an example prints")]

use anchormatch::linalg::Matrix;
use anchormatch::matcher::{Best, Matcher};
use anchormatch::{Anchors, Graph, Monitor, Result, Task};

const POINTS: [(f64, f64); 10] = [
    (0.0, 0.0),
    (4.0, 0.5),
    (1.0, 3.0),
    (5.0, 4.0),
    (2.5, 1.5),
    (0.5, 5.0),
    (3.5, 2.8),
    (6.0, 1.2),
    (2.0, 4.4),
    (4.6, 6.0),
];

fn main() -> Result<()> {
    // The target sees all but the last two points, turned, and two others.
    let mut turned: Vec<(f64, f64)> = POINTS[..8].iter().map(|&(x, y)| (-y, x)).collect();
    turned.extend([(9.0, -3.0), (-8.0, 9.5)]);
    let (source, target) = (graph(&POINTS)?, graph(&turned)?);
    let anchors = Anchors::from_indices(&source, &target, &[(0, 0), (3, 3)])?;
    let best = Best::default().with_unmatched(true);
    let task = Task::new(&source, &target, &anchors)?;
    let matching = best.run(&task, &Monitor::silent())?;
    println!("{} pairs", matching.pairs.len());
    println!("alone in the source: {:?}", matching.unmatched_source);
    println!("alone in the target: {:?}", matching.unmatched_target);
    Ok(())
}

fn graph(points: &[(f64, f64)]) -> Result<Graph> {
    let coordinates = points.iter().flat_map(|&(x, y)| [x, y]).collect();
    Graph::from_points(&Matrix::from_vec(points.len(), 2, coordinates))
}
