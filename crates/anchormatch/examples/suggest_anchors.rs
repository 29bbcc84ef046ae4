//! Find the node that a person should be asked for next.
//!
//! `cargo run -p anchormatch --example suggest_anchors`; in Python, `python/examples/suggest_anchors.py`.
#![expect(clippy::print_stdout, reason = "an example prints")]

use anchormatch::matcher::{Best, Matcher};
use anchormatch::{Anchors, Graph, Monitor, Result, Task};

fn main() -> Result<()> {
    // Nodes 1 and 2 are twins, nothing tells them apart; the weights of the tail do the rest.
    let edges = [
        (0, 1, 1.0),
        (1, 2, 1.0),
        (2, 0, 1.0),
        (0, 3, 2.0),
        (3, 4, 4.0),
        (4, 5, 7.0),
    ];
    let graph = Graph::from_edges(6, &edges)?;
    let mut known = vec![(0, 0)];
    loop {
        let anchors = Anchors::from_indices(&graph, &graph, &known)?;
        let task = Task::new(&graph, &graph, &anchors)?;
        let matching = Best::default().run(&task, &Monitor::silent())?;
        let next = matching.suggest(1)[0];
        if next.gain < 0.5 {
            println!("nothing worth asking");
            return Ok(());
        }
        let twin = [1, 2].contains(&next.source);
        println!("ask for {}", if twin { "a twin" } else { "another" });
        // The person knows that nothing moved.
        known.push((next.source, next.source));
    }
}
