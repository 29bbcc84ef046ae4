//! A solver on QAPLIB: every instance in a row, and the gaps by size.
//!
//! `cargo run --release -p anchormatch-lab --example qaplib -- DATA [SOLVER [SECONDS [LARGEST]]]`
#![expect(clippy::print_stdout, reason = "an example prints")]

use std::path::Path;
use std::time::Duration;

use anchormatch::Monitor;
use anchormatch::solver::registry;
use anchormatch_lab::datasets::{data_dir, qaplib::Qaplib};
use anchormatch_lab::experiments::qaplib::{QaplibRow, QaplibSweep};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let given = |place: usize| arguments.get(place).map(String::as_str);
    let qaplib = Qaplib::load(&data_dir(given(0).map(Path::new)))?;
    let solver = registry::by_name(given(1).unwrap_or("rrwm"))?;
    let mut sweep = QaplibSweep::default();
    if let Some(seconds) = given(2) {
        sweep.time_limit = Duration::try_from_secs_f64(seconds.parse()?)?;
    }
    sweep.largest = given(3).map(str::parse).transpose()?;
    let result = sweep.run(&qaplib, solver.as_ref(), &Monitor::silent(), print)?;
    println!();
    for group in result.groups() {
        println!(
            "{:<12} {:>3} of {:>3} reached, mean gap {:.3} %",
            group.sizes,
            group.reached,
            group.instances,
            100.0 * group.gap.mean
        );
    }
    Ok(())
}

fn print(row: &QaplibRow) {
    let (found, status) = match &row.outcome {
        Ok(outcome) => (outcome.cost.to_string(), outcome.status.as_str()),
        Err(message) => ("-".to_owned(), message.as_str()),
    };
    println!(
        "{:<10} {:>4} {:>12} {:>12} {:>8} {:>9.3} s  {status}",
        row.name,
        row.n,
        row.best.map_or_else(String::new, |best| best.to_string()),
        found,
        row.gap()
            .map_or_else(String::new, |gap| format!("{:.3} %", 100.0 * gap)),
        row.seconds
    );
}
