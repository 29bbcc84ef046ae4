//! Match many pairs on all cores; one of them fails, and the others go on.
//!
//! `cargo run -p anchormatch --example many_pairs`; in Python, `python/examples/many_pairs.py`.
#![expect(clippy::print_stdout, reason = "an example prints")]

use anchormatch::matcher::{Best, Matcher};
use anchormatch::{Anchors, Graph, Matching, Monitor, Result, Task};
use rayon::prelude::*;

fn main() {
    // Results come in the order of the pairs, whoever was first.
    let results: Vec<Result<Matching>> = (0..6).into_par_iter().map(pair).collect();
    for (number, result) in results.iter().enumerate() {
        match result {
            Ok(matching) => {
                let right = matching.pairs.iter().filter(|p| p.target == 7 - p.source);
                println!("pair {number}: {} of 8 right", right.count());
            }
            Err(_) => println!("pair {number}: failed"),
        }
    }
}

/// A graph with eight nodes and the same in reverse order.
fn pair(number: usize) -> Result<Matching> {
    let mut edges = Vec::new();
    for i in 0..8 {
        for j in 0..i {
            edges.push((
                i,
                j,
                ((7 * i + 13 * j + 5 * i * j + 3 * number) % 17) as f64,
            ));
        }
    }
    let source = Graph::from_edges(8, &edges)?;
    let target = source.permuted(&[7, 6, 5, 4, 3, 2, 1, 0])?;
    // The fifth pair knows of a node that is not there.
    let partner = if number == 4 { 99 } else { 7 };
    let anchors = Anchors::from_indices(&source, &target, &[(0, partner)])?;
    let task = Task::new(&source, &target, &anchors)?;
    Best::default().run(&task, &Monitor::silent())
}
