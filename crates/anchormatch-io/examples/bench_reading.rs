//! Writes an edge list of ten million edges (or as many as the first argument says) between a tenth
//! as many nodes, reads it back, and prints the time and the memory beside the graph's own size.
//!
//!     cargo run --release -p anchormatch-io --example bench_reading -- 10000000

#![expect(clippy::print_stdout, reason = "an example prints what it finds")]

use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::Instant;

use anchormatch::graph::Duplicates;
use anchormatch_io::{ReadOptions, read_graph};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let edges = match std::env::args().nth(1) {
        Some(text) => text.parse()?,
        None => 10_000_000,
    };
    let folder = tempfile::tempdir()?;
    for named in [false, true] {
        let path = folder.path().join("edges.csv");
        write(&path, edges, named)?;
        let options = ReadOptions {
            duplicates: Duplicates::First,
            ..ReadOptions::default()
        };
        let bytes = std::fs::metadata(&path)?.len();
        let (cpu, start) = (cpu_seconds(), Instant::now());
        let graph = read_graph(&path, &options)?.graph;
        let (wall, cpu) = (start.elapsed().as_secs_f64(), cpu_seconds() - cpu);
        let rows = 24 * graph.edge_count() + 8 * (graph.node_count() + 1);
        println!(
            "{}: {:.0} MB, {} edges, {} nodes: {wall:.1} s ({cpu:.1} s of processor time), \
             the process at most {} MiB, the rows of the graph {} MiB",
            if named { "words" } else { "numbers" },
            bytes as f64 / 1e6,
            graph.edge_count(),
            graph.node_count(),
            peak() >> 10,
            rows >> 20,
        );
    }
    Ok(())
}

fn write(path: &Path, edges: usize, named: bool) -> std::io::Result<()> {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut out = BufWriter::new(std::fs::File::create(path)?);
    let nodes = (edges / 10).max(2);
    let name = if named { "node-" } else { "" };
    for _ in 0..edges {
        let (u, v) = (rng.random_range(0..nodes), rng.random_range(0..nodes));
        let weight = rng.random_range(1..10_000);
        writeln!(out, "{name}{u},{name}{v},0.{weight:04}")?;
    }
    out.flush()
}

/// The most that the process has held, in KiB; 0 where the system does not say.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"));
    line.and_then(|l| l.trim().strip_suffix("kB")?.trim().parse().ok())
        .unwrap_or(0)
}

/// Processor time of the process, in seconds; 0 where the system does not say.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let fields: Vec<&str> = after_name.split_ascii_whitespace().collect();
    let ticks = |k: usize| {
        fields
            .get(k)
            .and_then(|f| f.parse::<f64>().ok())
            .unwrap_or(0.0)
    };
    // User and system time, in hundredths of a second on every Linux.
    (ticks(11) + ticks(12)) / 100.0
}
