//! A term and a solver of one's own beside the paper's, on the paper's noise sweep.
//!
//! `cargo run --release -p anchormatch-lab --example own_term`
//!
//! The term compares weighted degrees, relative to their mean; the solver is graduated assignment in
//! RRWM's place. Both are a matcher more, and see the same graphs and anchors as the others.

#![allow(clippy::print_stdout)]

use std::sync::Arc;

use anchormatch::affinity::first_order::add_affinity;
use anchormatch::linalg::Matrix;
use anchormatch::matcher::{Paper, Terms};
use anchormatch::problem::Pairwise;
use anchormatch::solver::Gagm;
use anchormatch::{Graph, Monitor, Result};
use anchormatch_lab::experiments::reproduce::{Entry, Scale, compare, synthetic};
use anchormatch_lab::matchers::{ByHand, Program, Workbench};
use serde::{Deserialize, Serialize};

/// Each node's weighted degree over the mean.
fn degrees(graph: &Graph) -> Vec<f64> {
    let degree = |i: usize| graph.neighbours(i).map(|(_, weight)| weight).sum::<f64>();
    let all: Vec<f64> = (0..graph.node_count()).map(degree).collect();
    let mean = all.iter().sum::<f64>() / all.len() as f64;
    all.into_iter().map(|d| d / mean).collect()
}

/// Heat, and degrees with a weight.
#[derive(Clone, Serialize, Deserialize)]
struct HeatAndDegrees {
    c: f64,
}

impl Program for HeatAndDegrees {
    const NAME: &'static str = "heat+degree";
    const ABOUT: &'static str = "d_k, and how weighted degrees differ";

    fn build(&self, bench: &Workbench<'_>) -> Result<(Matrix, Box<dyn Pairwise>)> {
        let heat = bench.heat(1.0)?;
        let [source, target] = bench.graphs.map(degrees);
        let distance = Matrix::from_fn(bench.free[0].len(), bench.free[1].len(), |i, a| {
            (source[bench.free[0][i]] - target[bench.free[1][a]]).abs()
        });
        let mut unary = bench.no_terms();
        add_affinity(&mut unary, &distance, self.c);
        let values = bench.free_values([&heat.kernels[0], &heat.kernels[1]]);
        Ok((unary, bench.gaussian(values, 0.15)?))
    }
}

fn main() -> Result<()> {
    let own_term = ByHand::new(HeatAndDegrees { c: 8.0 });
    let own_solver = Paper::with_terms(Terms::HeatAnchors).with_solver(Arc::new(Gagm::default()));
    let mut protocol = synthetic::noise(&Scale::of(20), 0);
    protocol.entries.extend([
        Entry::new("heat+degree", own_term),
        Entry::new("heat+ap, gagm", own_solver),
    ]);
    let results = compare(&protocol, &Monitor::silent())?;

    for (k, entry) in protocol.entries.iter().enumerate() {
        let accuracy = results.accuracy(k, |_, _| true);
        println!("{:<14} {}", entry.name, accuracy.text());
    }
    let (own, heat) = (protocol.entries.len() - 2, 1);
    println!(
        "heat+degree less heat: {}",
        results.gain(own, heat, |_, _| true).signed()
    );
    Ok(())
}
