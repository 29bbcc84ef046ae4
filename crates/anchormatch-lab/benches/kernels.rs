//! Time, memory and growth of the kernels: `make bench`.
//!
//! Every size runs in a process of its own, so that its peak memory is its own. Times are medians.
//! Without arguments all sections run; `rrwm SOURCE TARGET BANDWIDTH REPEATS` times RRWM on two edge
//! lists and prints JSON, for comparisons with other software in one run.
#![expect(clippy::print_stdout, reason = "a benchmark prints")]

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anchormatch::assignment::minimise;
use anchormatch::linalg::{Matrix, symmetric_eigen};
use anchormatch::problem::{GaussianKernel, Pairwise, Problem, SeparablePairwise};
use anchormatch::solver::{Rrwm, Solver, Start};
use anchormatch::{Assignment, Graph, Monitor};
use anchormatch_generate::{Synthetic, synthetic};
use anchormatch_io::{ReadOptions, read_graph};
use serde_json::{Value, json};

type Failure = Box<dyn std::error::Error>;

/// The affinity exp(−Δ²/0.15) of Cho et al.'s synthetic protocol.
const BANDWIDTH: f64 = 0.15;

/// Iterations of RRWM at sizes where a whole run takes minutes.
const FEW_ITERATIONS: usize = 5;

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args()
        .skip(1)
        .filter(|a| a != "--bench")
        .collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        [] => everything(),
        ["one", kind, size] => {
            println!("{}", one(kind, size.parse()?)?);
            Ok(())
        }
        ["rrwm", source, target, bandwidth, repeats] => {
            let read = |path: &str| read_graph(Path::new(path), &ReadOptions::default());
            let (source, target) = (read(source)?.graph, read(target)?.graph);
            let result = rrwm(&source, &target, bandwidth.parse()?, 300, repeats.parse()?)?;
            println!("{result}");
            Ok(())
        }
        _ => Err("expected no argument, or: rrwm SOURCE TARGET BANDWIDTH REPEATS".into()),
    }
}

fn everything() -> Result<(), Failure> {
    section(
        "RRWM, kernel included (synthetic pair, noise 0.2)",
        "rrwm",
        &[20, 50, 100, 200, 300, 500, 1000],
        &["ms", "ms_per_iteration", "iterations", "rank", "peak_mib"],
    )?;
    section(
        "Separable product W x",
        "product",
        &[20, 50, 100, 200, 300, 500, 1000],
        &["ms", "rank", "peak_mib"],
    )?;
    section(
        "Dense linear assignment, uniform costs",
        "assignment",
        &[500, 1000, 2000],
        &["ms", "peak_mib"],
    )?;
    section(
        "Symmetric eigenpairs",
        "eigen",
        &[500, 1000, 2000],
        &["ms", "peak_mib"],
    )
}

/// Runs every size in a child process, prints a table and the exponents of a power law in n.
fn section(title: &str, kind: &str, sizes: &[usize], columns: &[&str]) -> Result<(), Failure> {
    println!("\n{title}");
    print!("{:>8}", "n");
    columns.iter().for_each(|c| print!("{c:>18}"));
    println!();
    let mut rows: Vec<Value> = Vec::new();
    for &n in sizes {
        let output = Command::new(std::env::current_exe()?)
            .args(["one", kind, &n.to_string()])
            .output()?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
        }
        let row: Value = serde_json::from_slice(&output.stdout)?;
        print!("{n:>8}");
        for column in columns {
            match &row[*column] {
                Value::Number(v) if v.is_f64() => print!("{:>18.3}", v.as_f64().unwrap_or(0.0)),
                // JSON values do not pad themselves.
                other => print!("{:>18}", other.to_string()),
            }
        }
        println!();
        rows.push(row);
    }
    for column in ["ms_per_iteration", "ms", "peak_mib"] {
        if columns.contains(&column) && !(column == "ms" && kind == "rrwm") {
            println!(
                "    {column} grows as n^{:.2} (sizes from 100)",
                exponent(sizes, &rows, column)
            );
        }
    }
    Ok(())
}

/// The slope of log(value) over log(n), least squares, over sizes from 100 on.
fn exponent(sizes: &[usize], rows: &[Value], column: &str) -> f64 {
    let points: Vec<(f64, f64)> = sizes
        .iter()
        .zip(rows)
        .filter(|(n, _)| **n >= 100)
        .filter_map(|(&n, row)| {
            row[column]
                .as_f64()
                .map(|v| ((n as f64).ln(), v.max(1e-9).ln()))
        })
        .collect();
    let count = points.len() as f64;
    let (mean_x, mean_y) = (
        points.iter().map(|p| p.0).sum::<f64>() / count,
        points.iter().map(|p| p.1).sum::<f64>() / count,
    );
    let covariance: f64 = points.iter().map(|p| (p.0 - mean_x) * (p.1 - mean_y)).sum();
    covariance / points.iter().map(|p| (p.0 - mean_x).powi(2)).sum::<f64>()
}

/// One kernel at one size, as JSON.
fn one(kind: &str, n: usize) -> Result<Value, Failure> {
    let base = peak_mib();
    let repeats = (200 / n).clamp(1, 10);
    let mut result = match kind {
        "rrwm" => {
            let (source, target) = pair(n)?;
            let most = if n >= 500 { FEW_ITERATIONS } else { 300 };
            rrwm(&source, &target, BANDWIDTH, most, repeats)?
        }
        "product" => {
            let (source, target) = pair(n)?;
            product(&source, &target, 3 * repeats)?
        }
        "assignment" => {
            let cost = uniform(n);
            let ms = median(3, || minimise(&cost).map(drop))?;
            json!({ "ms": ms })
        }
        "eigen" => {
            let mut matrix = uniform(n);
            for i in 0..n {
                for j in 0..i {
                    matrix[(j, i)] = matrix[(i, j)];
                }
            }
            let ms = median(3, || symmetric_eigen(&matrix).map(drop))?;
            json!({ "ms": ms })
        }
        other => return Err(format!("unknown kernel {other}").into()),
    };
    result["n"] = json!(n);
    result["peak_mib"] = json!(peak_mib() - base);
    Ok(result)
}

fn rrwm(
    source: &Graph,
    target: &Graph,
    bandwidth: f64,
    max_iterations: usize,
    repeats: usize,
) -> Result<Value, Failure> {
    let monitor = Monitor::silent();
    let mut solver = Rrwm::default();
    solver.max_iterations = max_iterations;
    let (mut iterations, mut rank, mut assignment) = (0, 0, Assignment::default());
    let ms = median(repeats, || {
        let kernel = GaussianKernel::new(bandwidth)?;
        let (x, y) = (source.adjacency(), target.adjacency());
        let unary = Matrix::zeros(x.rows(), y.rows());
        let pairwise = SeparablePairwise::new(x, y, kernel, 1e-6, &monitor)?;
        rank = pairwise.rank();
        let solution = solver.solve(
            &Problem::maximise(unary, Box::new(pairwise))?,
            &Start::default(),
            &monitor,
        )?;
        iterations = solution.iterations;
        assignment = solution.assignment;
        Ok(())
    })?;
    let named: Vec<(String, String)> = assignment
        .pairs()
        .map(|(i, a)| {
            let target = target.labels().get(a).into_owned();
            (source.labels().get(i).into_owned(), target)
        })
        .collect();
    Ok(json!({
        "ms": ms,
        "ms_per_iteration": ms / iterations.max(1) as f64,
        "iterations": iterations,
        "rank": rank,
        "assignment": named,
    }))
}

fn product(source: &Graph, target: &Graph, repeats: usize) -> Result<Value, Failure> {
    let kernel = GaussianKernel::new(BANDWIDTH)?;
    let (x, y) = (source.adjacency(), target.adjacency());
    let pairwise = SeparablePairwise::new(x, y, kernel, 1e-6, &Monitor::silent())?;
    let (n, m) = pairwise.shape();
    let input = vec![1.0 / (n * m) as f64; n * m];
    let mut out = vec![0.0; n * m];
    let mut scratch = vec![0.0; pairwise.scratch_len()];
    let ms = median(repeats, || {
        pairwise.apply(&input, &mut out, &mut scratch);
        Ok(())
    })?;
    Ok(json!({ "ms": ms, "rank": pairwise.rank() }))
}

fn pair(n: usize) -> Result<(Graph, Graph), Failure> {
    let instance = synthetic(
        &Synthetic {
            inliers: n,
            noise: 0.2,
            ..Synthetic::default()
        },
        n as u64,
    )?;
    Ok((instance.source, instance.target))
}

/// Uniform on [0, 1) by splitmix64.
fn uniform(n: usize) -> Matrix {
    let mut state = n as u64;
    Matrix::from_fn(n, n, |_, _| {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    })
}

/// The median of `repeats` runs in milliseconds, after one run that warms the caches where runs are
/// short.
fn median(
    repeats: usize,
    mut run: impl FnMut() -> anchormatch::Result<()>,
) -> Result<f64, Failure> {
    if repeats > 1 {
        run()?;
    }
    let mut times = Vec::with_capacity(repeats);
    for _ in 0..repeats {
        let start = Instant::now();
        run()?;
        times.push(1e3 * start.elapsed().as_secs_f64());
    }
    times.sort_by(f64::total_cmp);
    Ok(times[times.len() / 2])
}

/// The largest memory this process ever had, in MiB; 0 where the system does not tell.
fn peak_mib() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .and_then(|rest| rest.split_whitespace().next()?.parse::<f64>().ok())
        .map_or(0.0, |kib| kib / 1024.0)
}
