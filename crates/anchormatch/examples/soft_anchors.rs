//! Anchors that are only probable: soft anchors, which may even contradict each other.
//!
//! `cargo run -p anchormatch --example soft_anchors`; in Python, `python/examples/soft_anchors.py`.
#![expect(clippy::print_stdout, reason = "an example prints")]

use anchormatch::anchors::Anchor;
use anchormatch::matcher::{Best, Matcher};
use anchormatch::{Anchors, Graph, Monitor, Result, Task};

fn main() -> Result<()> {
    // A ring looks the same in both directions: only a soft anchor can tell them apart.
    let edges: Vec<_> = (0..6).map(|i| (i, (i + 1) % 6, 1.0)).collect();
    let ring = Graph::from_edges(6, &edges)?;
    let certain = (0, 0, 1.0);
    for (name, given) in [
        ("soft anchors one way", [certain, (1, 5, 0.9), (1, 1, 0.2)]),
        ("and the other", [certain, (1, 5, 0.2), (1, 1, 0.9)]),
    ] {
        let given = given.map(|(source, target, weight)| Anchor::new(source, target, weight));
        let anchors = Anchors::new(&ring, &ring, given)?;
        let task = Task::new(&ring, &ring, &anchors)?;
        let matching = Best::default().run(&task, &Monitor::silent())?;
        let partners: Vec<usize> = matching.pairs.iter().map(|pair| pair.target).collect();
        println!("{name}: {partners:?}");
    }
    Ok(())
}
