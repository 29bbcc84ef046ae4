//! Accuracy, relative objective and time of the solvers on synthetic graphs with two folded anchors.
//!
//!     cargo run --release -p anchormatch-lab --example solver_accuracy -- [TRIALS] [SOLVER…]

#![allow(clippy::print_stdout)]

use anchormatch::Monitor;
use anchormatch::solver::{Solver, registry};
use anchormatch_generate::Synthetic;
use anchormatch_lab::experiments::solvers::SolverPoint;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let trials: usize = arguments.next().map_or(Ok(50), |text| text.parse())?;
    let names: Vec<String> = arguments.collect();
    let solvers: Vec<Box<dyn Solver>> = if names.is_empty() {
        registry::all()
    } else {
        names
            .iter()
            .map(|name| registry::by_name(name))
            .collect::<Result<_, _>>()?
    };
    let noisy = |noise: f64| Synthetic {
        noise,
        ..Synthetic::default()
    };
    let outliers = |count: usize| Synthetic {
        source_outliers: count,
        target_outliers: count,
        ..Synthetic::default()
    };
    let mut points: Vec<(String, Synthetic)> = [0.1, 0.2, 0.3, 0.4, 0.5]
        .iter()
        .map(|&noise| (format!("σ {noise}"), noisy(noise)))
        .collect();
    for count in [6, 10] {
        points.push((format!("out {count}"), outliers(count)));
    }
    for density in [0.3, 0.9] {
        let graphs = Synthetic {
            density,
            ..noisy(0.25)
        };
        points.push((format!("ρ {density}, σ .25"), graphs));
    }
    println!("| point | solver | accuracy | ± | objective / best | ms |");
    println!("|---|---|---|---|---|---|");
    for (label, graphs) in points {
        let point = SolverPoint {
            graphs,
            trials,
            ..SolverPoint::default()
        };
        for score in point.run(&solvers, &Monitor::silent(), || ())? {
            println!(
                "| {label} | {} | {:.3} | {:.3} | {:.4} | {:.2} |",
                score.solver,
                score.accuracy.mean,
                score.accuracy.standard_error,
                score.relative_objective.mean,
                1e3 * score.seconds.mean,
            );
        }
    }
    Ok(())
}
