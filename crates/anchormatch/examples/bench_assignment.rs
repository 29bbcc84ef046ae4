//! Times dense linear assignment on seeded matrices, which `scripts/bench_assignment.py` makes too.
//!
//! Prints one line per kind of costs and size: kind, n, median and least milliseconds over the
//! instances, and the optimal value of each instance.
#![allow(clippy::print_stdout)]

use std::time::Instant;

use anchormatch::Result;
use anchormatch::assignment::minimize;
use anchormatch::linalg::Matrix;

const INSTANCES: u64 = 7;

fn main() -> Result<()> {
    let mut sizes: Vec<usize> = std::env::args()
        .skip(1)
        .filter_map(|argument| argument.parse().ok())
        .collect();
    if sizes.is_empty() {
        sizes = vec![100, 300, 1000, 2000];
    }
    for kind in ["uniform", "integer100", "geometric", "product"] {
        for &n in &sizes {
            let mut times = Vec::new();
            let mut values = Vec::new();
            for seed in 0..INSTANCES {
                let cost = matrix(kind, n, seed);
                let start = Instant::now();
                let best = minimize(&cost)?;
                times.push(start.elapsed().as_secs_f64() * 1e3);
                values.push(format!("{:.9}", best.value));
            }
            times.sort_by(f64::total_cmp);
            println!(
                "{kind} {n} {:.3} {:.3} {}",
                times[times.len() / 2],
                times[0],
                values.join(",")
            );
        }
    }
    Ok(())
}

/// Instance `seed` of a kind: uniform in [0, 1), integers below 100, Euclidean distances between
/// random points of the plane, or products of two numbers, one of the row and one of the column.
fn matrix(kind: &str, n: usize, seed: u64) -> Matrix {
    match kind {
        "uniform" => Matrix::from_fn(n, n, |i, j| uniform(seed, (i * n + j) as u64)),
        "integer100" => {
            Matrix::from_fn(n, n, |i, j| (random(seed, (i * n + j) as u64) % 100) as f64)
        }
        "geometric" => Matrix::from_fn(n, n, |i, j| {
            let coordinate = |k: usize| uniform(seed, k as u64);
            let x = coordinate(4 * i) - coordinate(4 * j + 2);
            let y = coordinate(4 * i + 1) - coordinate(4 * j + 3);
            (x * x + y * y).sqrt()
        }),
        _ => Matrix::from_fn(n, n, |i, j| {
            uniform(seed, 2 * i as u64) * uniform(seed, 2 * j as u64 + 1)
        }),
    }
}

fn uniform(seed: u64, index: u64) -> f64 {
    random(seed, index) as f64 / (1u64 << 53) as f64
}

/// 53 random bits: number `index` of the SplitMix64 sequence that starts at a multiple of `seed`.
fn random(seed: u64, index: u64) -> u64 {
    let mut z = seed
        .wrapping_mul(0xd134_2543_de82_ef95)
        .wrapping_add((index + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (z ^ (z >> 31)) >> 11
}
