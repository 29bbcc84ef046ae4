//! Solve a quadratic assignment problem, of machines and their places.
//!
//! `cargo run -p anchormatch --example solve_qap`; in Python, `python/examples/solve_qap.py`.
#![expect(clippy::print_stdout, reason = "an example prints")]

use anchormatch::linalg::Matrix;
use anchormatch::problem::{ProductPairwise, Sense, Weights};
use anchormatch::solver::Start;
use anchormatch::solver::registry::by_name;
use anchormatch::{Monitor, Result};

fn main() -> Result<()> {
    let flow = [
        [0.0, 5.0, 2.0, 4.0, 1.0],
        [5.0, 0.0, 3.0, 0.0, 2.0],
        [2.0, 3.0, 0.0, 0.0, 0.0],
        [4.0, 0.0, 0.0, 0.0, 5.0],
        [1.0, 2.0, 0.0, 5.0, 0.0],
    ];
    let distance = [
        [0.0, 1.0, 1.0, 2.0, 3.0],
        [1.0, 0.0, 2.0, 1.0, 2.0],
        [1.0, 2.0, 0.0, 1.0, 2.0],
        [2.0, 1.0, 1.0, 0.0, 1.0],
        [3.0, 2.0, 2.0, 1.0, 0.0],
    ];
    let weights = |rows: [[f64; 5]; 5]| Weights::Dense(Matrix::from_vec(5, 5, rows.concat()));
    let problem =
        ProductPairwise::problem(Sense::Minimise, weights(flow), weights(distance), None)?;
    for name in ["tabu", "portfolio"] {
        let solution = by_name(name)?.solve(&problem, &Start::seeded(0), &Monitor::silent())?;
        println!("{name}: {}", solution.objective);
    }
    Ok(())
}
