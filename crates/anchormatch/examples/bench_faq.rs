//! Solves seeded quadratic assignment problems from a file, for `scripts/bench_faq.py`.
//!
//! `bench_faq FILE SOLVER REPEATS [RESTARTS]` maximises Σ A_ij B_{p(i) p(j)}. The file holds numbers
//! separated by white space; each problem is n, the number of seeds, the seeds as pairs, and A and B
//! row after row. Prints one line a problem: the median milliseconds of the repeats, from matrices to
//! assignment, the iterations, the objective and the partner of each node.
#![allow(clippy::print_stdout)]

use std::time::Instant;

use anchormatch::linalg::Matrix;
use anchormatch::problem::{ProductPairwise, Sense, Weights};
use anchormatch::solver::{Faq, Goat, Solver, Start, registry};
use anchormatch::{Error, Monitor, Result};

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let usage = || Error::parameter("arguments", arguments.join(" "), "FILE SOLVER REPEATS");
    let (Some(path), Some(name), Some(repeats)) =
        (arguments.first(), arguments.get(1), arguments.get(2))
    else {
        return Err(usage());
    };
    let repeats: usize = repeats.parse().map_err(|_| usage())?;
    let solver: Box<dyn Solver> = match arguments.get(3).and_then(|a| a.parse().ok()) {
        Some(restarts) => {
            let mut faq = Faq::default();
            faq.restarts = restarts;
            Box::new(faq)
        }
        None if name == "goat-centred" => Box::new(Goat::centred()),
        None => registry::by_name(name)?,
    };
    let text = std::fs::read_to_string(path).map_err(|source| Error::Io {
        path: path.into(),
        source,
    })?;
    let mut numbers = text
        .split_ascii_whitespace()
        .map(|word| word.parse::<f64>().unwrap_or(f64::NAN));
    while let Some(n) = numbers.next() {
        let n = n as usize;
        let count = numbers.next().unwrap_or(0.0) as usize;
        let mut next = || numbers.next().unwrap_or(f64::NAN);
        let seeds: Vec<(usize, usize)> = (0..count)
            .map(|_| (next() as usize, next() as usize))
            .collect();
        let a = weights(Matrix::from_fn(n, n, |_, _| next()));
        let b = weights(Matrix::from_fn(n, n, |_, _| next()));
        let mut times = Vec::new();
        let mut last = None;
        for _ in 0..repeats.max(1) {
            let clock = Instant::now();
            let folded = ProductPairwise::seeded_problem(Sense::Maximise, &a, &b, &seeds)?;
            let solution = solver.solve(&folded.problem, &Start::default(), &Monitor::silent())?;
            let whole = folded.complete(&solution.assignment);
            times.push(clock.elapsed().as_secs_f64() * 1e3);
            last = Some((solution.iterations, solution.objective, whole));
        }
        times.sort_by(f64::total_cmp);
        if let Some((iterations, objective, whole)) = last {
            let partners: Vec<String> = whole
                .iter()
                .map(|p| p.map_or("-".to_owned(), |p| p.to_string()))
                .collect();
            println!(
                "{:.4} {iterations} {objective:.9} {}",
                times[times.len() / 2],
                partners.join(",")
            );
        }
    }
    Ok(())
}

/// Sparse when fewer than one entry in twenty is not zero.
fn weights(matrix: Matrix) -> Weights {
    let filled = matrix.as_slice().iter().filter(|v| **v != 0.0).count();
    if 20 * filled >= matrix.as_slice().len() {
        return Weights::Dense(matrix);
    }
    Weights::sparse(&matrix)
}
