//! A term and a solver of one's own beside the paper's, on the paper's noise sweep.
//!
//! `cargo run --release -p anchormatch-lab --example own_term`
//!
//! The term compares weighted degrees, relative to their mean; the solver is graduated assignment in
//! RRWM's place. Both are a [`Contender`] more, and see the same graphs and anchors as the others.

#![allow(clippy::print_stdout)]

use std::sync::Arc;

use anchormatch::affinity::first_order::add_affinity;
use anchormatch::linalg::Matrix;
use anchormatch::matcher::{Paper, Terms};
use anchormatch::solver::{Gagm, Rrwm};
use anchormatch::{Graph, Monitor, Result};
use anchormatch_lab::experiments::reproduce::{Contender, Scale, Workbench, compare, synthetic};

/// Each node's weighted degree over the mean.
fn degrees(graph: &Graph) -> Vec<f64> {
    let degree = |i: usize| graph.neighbours(i).map(|(_, weight)| weight).sum::<f64>();
    let all: Vec<f64> = (0..graph.nodes()).map(degree).collect();
    let mean = all.iter().sum::<f64>() / all.len() as f64;
    all.into_iter().map(|d| d / mean).collect()
}

fn main() -> Result<()> {
    // From here on, ten lines and a print.
    let own_term = Contender::new("heat+degree", "c = 8", |trial, seed, monitor| {
        let bench = Workbench::new(trial, monitor)?;
        let heat = bench.heat(1.0)?;
        let [source, target] = bench.graphs.map(degrees);
        let distance = Matrix::from_fn(bench.free[0].len(), bench.free[1].len(), |i, a| {
            (source[bench.free[0][i]] - target[bench.free[1][a]]).abs()
        });
        let mut unary = bench.no_terms();
        add_affinity(&mut unary, &distance, 8.0);
        let pairwise = bench.gaussian(
            bench.free_values([&heat.kernels[0], &heat.kernels[1]]),
            0.15,
        )?;
        bench.solve(unary, pairwise, &Rrwm::default(), seed)
    });
    let solver = Arc::new(Gagm::default());
    let own_solver = Paper {
        solver,
        ..Paper::with_terms(Terms::HeatAnchors)
    };
    let mut protocol = synthetic::noise(&Scale::of(20), 0);
    protocol
        .contenders
        .extend([own_term, Contender::paper("heat+ap, gagm", own_solver)]);
    let results = compare(&protocol, &Monitor::silent())?;

    for (k, contender) in protocol.contenders.iter().enumerate() {
        let accuracy = results.accuracy(k, |_, _| true);
        println!("{:<14} {}", contender.name, accuracy.text());
    }
    let (own, heat) = (protocol.contenders.len() - 2, 1);
    println!(
        "heat+degree less heat: {}",
        results.gain(own, heat, |_, _| true).signed()
    );
    Ok(())
}
