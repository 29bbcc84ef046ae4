//! Find an anchor that is wrong.
//!
//! `cargo run -p anchormatch --example wrong_anchors`; in Python, `python/examples/wrong_anchors.py`.
#![expect(clippy::print_stdout, reason = "an example prints")]

use anchormatch::linalg::Matrix;
use anchormatch::matcher::{Best, Matcher};
use anchormatch::{Anchors, Graph, Monitor, Result, Task};

fn main() -> Result<()> {
    let points = [
        [0.0, 0.0],
        [4.0, 0.5],
        [1.0, 3.0],
        [5.0, 4.0],
        [2.5, 1.5],
        [0.5, 5.0],
        [3.5, 2.8],
        [6.0, 1.2],
    ];
    let graph = Graph::from_points(&Matrix::from_vec(8, 2, points.concat()))?;
    // The third pair is wrong, and takes the right partner from node 7.
    let anchors = Anchors::from_indices(&graph, &graph, &[(0, 0), (3, 3), (5, 7)])?;
    let best = Best::default().with_repairs(true);
    let task = Task::new(&graph, &graph, &anchors)?;
    let matching = best.run(&task, &Monitor::silent())?;
    for check in &matching.anchor_report {
        let verdict = if check.is_suspicious() {
            "wrong"
        } else {
            "fine"
        };
        println!("{} = {}: {verdict}", check.source, check.target);
    }
    println!("5 = {}", matching.mapping()[&5]);
    Ok(())
}
