//! Find an anchor that is wrong.
//!
//! `cargo run -p anchormatch --example wrong_anchors`; in Python, `python/examples/wrong_anchors.py`.
#![expect(clippy::print_stdout, reason = "an example prints")]

use anchormatch::linalg::Matrix;
use anchormatch::matcher::Best;
use anchormatch::{Anchors, Graph, Monitor, Result};

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
    let best = Best {
        repair_anchors: true,
        ..Best::default()
    };
    let matching = best.run(&graph, &graph, &anchors, &Monitor::silent())?;
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
