//! Writes three sample reports: `report_runs.html`, noisy views of 51 points under six runs with a
//! truth; `report_plain.html`, a sparse pair without truth or positions; and `report_large.html`,
//! 3 000 nodes of which a sample is drawn.
//!
//! ```text
//! cargo run -p anchormatch-report --example report_gallery -- DIRECTORY
//! ```
//!
//! The matchings are made up (the truth with some pairs swapped), so that the pages can be looked at
//! without solving anything.

use std::path::PathBuf;

use anchormatch::graph::Labels;
use anchormatch::linalg::{Matrix, symmetric_eigen};
use anchormatch::matching::{Diagnostics, Pair, Samples};
use anchormatch::solver::Status;
use anchormatch::{Graph, Matching, Result};
use anchormatch_report::{Report, Run, Side};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn main() -> Result<()> {
    let directory = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| ".".into()));
    let mut random = ChaCha8Rng::seed_from_u64(7);
    write(&directory, "report_runs.html", &six_runs(&mut random)?)?;
    write(&directory, "report_plain.html", &plain(&mut random)?)?;
    write(&directory, "report_large.html", &large(&mut random)?)
}

fn write(directory: &std::path::Path, name: &str, html: &str) -> Result<()> {
    let path = directory.join(name);
    std::fs::write(&path, html).map_err(|source| anchormatch::Error::io(path, source))
}

/// A house front with a roof and windows, seen twice.
fn six_runs(random: &mut ChaCha8Rng) -> Result<String> {
    let n = 51;
    let first = Matrix::from_fn(n, 2, |i, axis| {
        let (row, column) = (i / 9, i % 9);
        let grid = [column as f64 * 60.0, row as f64 * 62.0];
        let lift = if row == 0 {
            -70.0 * (1.0 - (column as f64 - 4.0).abs() / 4.0)
        } else {
            0.0
        };
        let wobble = random.random_range(-14.0..14.0);
        grid[axis] + wobble + if axis == 1 { lift } else { 0.0 }
    });
    let mut order: Vec<usize> = (0..n).collect();
    for i in (1..n).rev() {
        order.swap(i, random.random_range(0..=i));
    }
    let second = Matrix::from_fn(n, 2, |a, axis| {
        let [x, y] = [first[(order[a], 0)], first[(order[a], 1)]];
        let turned = [0.86 * x + 0.17 * y, 0.93 * y - 0.12 * x];
        turned[axis] + random.random_range(-4.0..4.0)
    });
    let name = |prefix: &str| {
        let names = (0..n).map(|i| format!("{prefix}{i}")).collect();
        Labels::new(names)
    };
    let source = Graph::from_points(&first)?.with_labels(name("p")?)?;
    let target = Graph::from_points(&second)?.with_labels(name("q")?)?;
    let mut partner = vec![0; n];
    for (a, &i) in order.iter().enumerate() {
        partner[i] = a;
    }
    let truth: Vec<(usize, usize)> = partner.iter().copied().enumerate().collect();

    let variants = [
        ("adjacency", 15, 0.041),
        ("heat", 10, 0.052),
        ("heat+wks", 11, 0.058),
        ("heat+ap", 5, 0.055),
        ("heat+b", 6, 0.213),
        ("heat+b+ap", 3, 0.221),
    ];
    let mut matchings = Vec::new();
    for (name, swaps, seconds) in variants {
        let mut assignment = partner.clone();
        for _ in 0..swaps {
            let (i, j) = (random.random_range(4..n), random.random_range(4..n));
            assignment.swap(i, j);
        }
        let mut matching = made_up(&assignment, &[0, 17, 40], random);
        add_spectra(&mut matching, &source, &target)?;
        matching.objective = 1900.0 - 12.0 * f64::from(swaps);
        matching.timings = vec![
            ("eigenpairs".into(), 0.12 * seconds),
            ("heat kernel".into(), 0.2 * seconds),
            ("affinity".into(), 0.08 * seconds),
            ("rrwm".into(), 0.55 * seconds),
            ("assignment".into(), 0.002 * seconds),
        ];
        if name.contains("+b") {
            matching.diagnostics.learner_violations =
                vec![3.2, 1.9, 1.1, 0.62, 0.3, 0.11, 0.04, 0.008];
        }
        matching.parameters.insert(0, ("terms".into(), name.into()));
        if swaps == 3 {
            let lone = matching.pairs.pop().expect("a pair to drop");
            matching.unmatched_source.push(lone.source);
            matching.unmatched_target.push(lone.target);
            matching
                .notes
                .push("1 pair fell below the confidence asked for and was left out".into());
        }
        matchings.push((name, matching));
    }
    let report = Report {
        title: "House, frame 20 against frame 90".into(),
        source: Side {
            name: "frame 20".into(),
            graph: &source,
            positions: Some(&first),
            wireframe: None,
        },
        target: Side {
            name: "frame 90".into(),
            graph: &target,
            positions: Some(&second),
            wireframe: None,
        },
        runs: matchings
            .iter()
            .map(|(name, matching)| Run {
                name: (*name).into(),
                matching,
                score: None,
            })
            .collect(),
        truth: Some(&truth),
        command: Some(
            "anchormatch match house020.csv house090.csv --points --anchors clicked.csv \
             --preset paper --truth truth.csv --report house.html"
                .into(),
        ),
    };
    report.html()
}

/// A small-world network and a copy with some edges moved.
fn plain(random: &mut ChaCha8Rng) -> Result<String> {
    let n = 120;
    let mut edges = Vec::new();
    for i in 0..n {
        edges.push((i, (i + 1) % n, 1.0));
        edges.push((i, (i + 2) % n, 1.0));
        if random.random_range(0.0..1.0) < 0.15 {
            edges.push((i, (i + random.random_range(20..40)) % n, 1.0));
        }
    }
    let source = Graph::from_edges(n, &edges)?;
    for edge in &mut edges {
        if random.random_range(0.0..1.0) < 0.05 {
            edge.1 = random.random_range(0..n);
        }
    }
    let target = Graph::from_edges(n, &edges)?;
    let assignment: Vec<usize> = (0..n)
        .map(|i| if i % 17 == 3 { (i + 60) % n } else { i })
        .collect();
    let taken: std::collections::HashSet<usize> = assignment.iter().copied().collect();
    let mut matching = made_up(&assignment, &[5, 50, 90], random);
    add_spectra(&mut matching, &source, &target)?;
    let mut seen = std::collections::HashSet::new();
    let (kept, dropped): (Vec<Pair>, Vec<Pair>) =
        matching.pairs.iter().partition(|p| seen.insert(p.target));
    matching.pairs = kept;
    matching.unmatched_source = dropped.iter().map(|p| p.source).collect();
    matching.unmatched_target = (0..n).filter(|a| !taken.contains(a)).collect();
    matching.status = Status::TimeLimit;
    matching.timings = vec![("profiles".into(), 0.8), ("search".into(), 4.2)];
    let report = Report {
        title: "Two small-world networks".into(),
        source: Side {
            name: "network A".into(),
            graph: &source,
            positions: None,
            wireframe: None,
        },
        target: Side {
            name: "network B".into(),
            graph: &target,
            positions: None,
            wireframe: None,
        },
        runs: vec![Run {
            name: "best".into(),
            matching: &matching,
            score: None,
        }],
        truth: None,
        command: None,
    };
    report.html()
}

/// Neighbours among scattered points, whose places the report does not get to know.
fn large(random: &mut ChaCha8Rng) -> Result<String> {
    let n = 3_000;
    let points: Vec<[f64; 2]> = (0..n)
        .map(|_| [random.random_range(0.0..1.0), random.random_range(0.0..1.0)])
        .collect();
    let mut edges = Vec::new();
    for i in 0..n {
        for j in 0..i {
            let distance = (points[i][0] - points[j][0]).hypot(points[i][1] - points[j][1]);
            if distance < 0.026 {
                edges.push((i, j, 1.0));
            }
        }
    }
    let graph = Graph::from_edges(n, &edges)?;
    let mut assignment: Vec<usize> = (0..n).collect();
    for i in (0..n).step_by(25) {
        assignment.swap(i, random.random_range(0..n));
    }
    let anchors: Vec<usize> = (0..n).step_by(150).map(|i| i + 1).collect();
    let mut matching = made_up(&assignment, &anchors, random);
    matching.timings = vec![("profiles".into(), 0.8), ("search".into(), 4.2)];
    let truth: Vec<(usize, usize)> = (0..n).map(|i| (i, i)).collect();
    let side = |name: &str| Side {
        name: name.into(),
        graph: &graph,
        positions: None,
        wireframe: None,
    };
    Report {
        title: "Three thousand nodes".into(),
        source: side("first week"),
        target: side("second week"),
        runs: vec![Run {
            name: "fast".into(),
            matching: &matching,
            score: None,
        }],
        truth: Some(&truth),
        command: None,
    }
    .html()
}

fn made_up(assignment: &[usize], anchors: &[usize], random: &mut ChaCha8Rng) -> Matching {
    let pairs = assignment
        .iter()
        .enumerate()
        .map(|(i, &a)| Pair {
            source: i,
            target: a,
            confidence: if anchors.contains(&i) {
                1.0
            } else {
                1.0 - random.random_range(0.0f64..1.0).powi(2)
            },
            anchor: anchors.contains(&i),
        })
        .collect();
    Matching {
        pairs,
        unmatched_source: vec![],
        unmatched_target: vec![],
        objective: 1234.5678,
        measure: anchormatch::matching::Measure::default(),
        status: Status::Converged,
        iterations: 42,
        notes: vec![],
        parameters: vec![
            ("diffusion time".into(), "1".into()),
            ("solver".into(), "rrwm".into()),
            ("reweighting jump".into(), "0.8".into()),
            ("amplification".into(), "30".into()),
            ("seed".into(), "0".into()),
        ],
        timings: vec![],
        diagnostics: Diagnostics {
            source_eigenvalues: vec![],
            target_eigenvalues: vec![],
            convergence: (0..42)
                .map(|k| 0.3 * (-0.45 * f64::from(k)).exp() * random.random_range(0.7..1.3))
                .collect(),
            learner_violations: vec![],
        },
        samples: Samples::default(),
        anchor_report: vec![],
    }
}

fn add_spectra(matching: &mut Matching, source: &Graph, target: &Graph) -> Result<()> {
    let values = |graph: &Graph| -> Result<Vec<f64>> {
        Ok(symmetric_eigen(&graph.laplacian().dense())?.values)
    };
    matching.diagnostics.source_eigenvalues = values(source)?;
    matching.diagnostics.target_eigenvalues = values(target)?;
    Ok(())
}
