//! Whether confidences hold where the weights of complete graphs depend on each other.
//!
//! `cargo run -p anchormatch-lab --example dependent_weights -- [--seed S] [--trials T] [--each] [WORD ..]`
//!
//! Families whose names have one of the words are matched: correlations of time series of a few factors in two
//! sessions, kernels and distances of points, and independent weights; each as two samples of one thing, and as two that
//! have nothing to do with each other. Printed are the mean confidence of the pairs that are no anchors, the share that is
//! right, the expected calibration error over ten bins, in how many trials chance was called, and the seconds of a
//! trial.

#![allow(clippy::print_stdout)]

use std::time::Instant;

use anchormatch::linalg::Matrix;
use anchormatch::matcher::{Best, Matcher};
use anchormatch::{Anchors, Graph, Monitor, Result, Task};
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// What the weights of a complete graph are.
#[derive(Clone, Copy)]
enum Kind {
    /// Correlations of the time series of regions: factors, times, the deviation of what is each region's own.
    Correlations(usize, usize, f64),
    /// exp(−d²/2w²) of points in space, a width, and how far the points move.
    Kernels(f64, f64),
    /// Distances of points in so many dimensions, and how far the points move.
    Distances(usize, f64),
    /// Independent uniform weights and the deviation of the noise on the second.
    Uniform(f64),
}

struct Family {
    kind: Kind,
    nodes: usize,
    anchors: usize,
    is_related: bool,
}

impl Family {
    fn name(&self) -> String {
        let kind = match self.kind {
            Kind::Correlations(factors, times, own) => {
                format!("correlations, {factors} factors, {times} times, own {own}")
            }
            Kind::Kernels(width, moved) => format!("kernels, width {width}, moved {moved}"),
            Kind::Distances(dimensions, moved) => {
                format!("distances in {dimensions} dimensions, moved {moved}")
            }
            Kind::Uniform(noise) => format!("uniform weights, σ {noise}"),
        };
        let related = match self.is_related {
            true => "",
            false => ", unrelated",
        };
        format!(
            "{kind}{related}: {} nodes, {} anchors",
            self.nodes, self.anchors
        )
    }

    /// The weights of both sides, the same node at the same place.
    fn weights(&self, random: &mut ChaCha8Rng) -> [Matrix; 2] {
        let n = self.nodes;
        match self.kind {
            Kind::Correlations(factors, times, own) => {
                let mut loadings = normal_matrix(n, factors, random);
                let one = correlations(&loadings, times, own, random);
                if !self.is_related {
                    loadings = normal_matrix(n, factors, random);
                }
                [one, correlations(&loadings, times, own, random)]
            }
            Kind::Kernels(width, moved) => self.of_points(3, moved, random, |squared| {
                (-0.5 * squared / (width * width)).exp()
            }),
            Kind::Distances(dimensions, moved) => {
                self.of_points(dimensions, moved, random, f64::sqrt)
            }
            Kind::Uniform(noise) => {
                let uniform = |random: &mut ChaCha8Rng| symmetric(n, |_, _| random.random());
                let one = uniform(random);
                let other = match self.is_related {
                    true => one.clone(),
                    false => uniform(random),
                };
                let other = symmetric(n, |i, j| (other[(i, j)] + noise * normal(random)).abs());
                [one, other]
            }
        }
    }

    fn of_points(
        &self,
        dimensions: usize,
        moved: f64,
        random: &mut ChaCha8Rng,
        of_squared: impl Fn(f64) -> f64,
    ) -> [Matrix; 2] {
        let n = self.nodes;
        let mut drawn = || Matrix::from_fn(n, dimensions, |_, _| random.random::<f64>());
        let one = drawn();
        let other = match self.is_related {
            true => one.clone(),
            false => drawn(),
        };
        let other = Matrix::from_fn(n, dimensions, |i, k| other[(i, k)] + moved * normal(random));
        [one, other].map(|points| {
            symmetric(n, |i, j| {
                let apart = |k: usize| (points[(i, k)] - points[(j, k)]).powi(2);
                of_squared((0..dimensions).map(apart).sum())
            })
        })
    }
}

/// By Box and Muller.
fn normal(random: &mut ChaCha8Rng) -> f64 {
    let radius = (-2.0 * (1.0 - random.random::<f64>()).ln()).sqrt();
    radius * (std::f64::consts::TAU * random.random::<f64>()).cos()
}

fn normal_matrix(rows: usize, columns: usize, random: &mut ChaCha8Rng) -> Matrix {
    Matrix::from_fn(rows, columns, |_, _| normal(random))
}

/// A diagonal of zeros, and each pair asked for once.
fn symmetric(n: usize, mut value: impl FnMut(usize, usize) -> f64) -> Matrix {
    let mut matrix = Matrix::zeros(n, n);
    for i in 0..n {
        for j in 0..i {
            let weight = value(i, j);
            (matrix[(i, j)], matrix[(j, i)]) = (weight, weight);
        }
    }
    matrix
}

/// Of the series of one session.
fn correlations(loadings: &Matrix, times: usize, own: f64, random: &mut ChaCha8Rng) -> Matrix {
    let (n, factors) = (loadings.rows(), loadings.cols());
    let courses = normal_matrix(factors, times, random);
    let series: Vec<Vec<f64>> = (0..n)
        .map(|i| {
            let mut row: Vec<f64> = (0..times)
                .map(|t| {
                    let shared = (0..factors).map(|k| loadings[(i, k)] * courses[(k, t)]);
                    shared.sum::<f64>() + own * normal(random)
                })
                .collect();
            let mean = row.iter().sum::<f64>() / times as f64;
            row.iter_mut().for_each(|v| *v -= mean);
            let length = row.iter().map(|v| v * v).sum::<f64>().sqrt();
            row.iter_mut().for_each(|v| *v /= length);
            row
        })
        .collect();
    symmetric(n, |i, j| {
        series[i].iter().zip(&series[j]).map(|(x, y)| x * y).sum()
    })
}

fn families() -> Vec<Family> {
    let mut families = Vec::new();
    let mut add = |kind: Kind, sizes: &[usize], anchors: &[usize], related: &[bool]| {
        for &is_related in related {
            for &nodes in sizes {
                for &anchors in anchors {
                    families.push(Family {
                        kind,
                        nodes,
                        anchors,
                        is_related,
                    });
                }
            }
        }
    };
    let (both, related, unrelated) = ([true, false], [true], [false]);
    for (factors, times, own) in [(3, 200, 0.5), (5, 200, 1.0), (10, 200, 1.0), (20, 200, 2.0)] {
        let kind = Kind::Correlations(factors, times, own);
        add(kind, &[50, 100, 200], &[1, 3, 5, 10], &both);
    }
    for (factors, times, own) in [(5, 60, 1.0), (10, 60, 1.5), (10, 100, 2.0)] {
        add(
            Kind::Correlations(factors, times, own),
            &[50, 100],
            &[3, 5, 10],
            &related,
        );
    }
    for (factors, times, own) in [
        (2, 200, 0.3),
        (3, 100, 0.3),
        (3, 400, 0.2),
        (4, 1000, 0.5),
        (3, 60, 0.5),
        (4, 100, 0.5),
    ] {
        add(
            Kind::Correlations(factors, times, own),
            &[50, 100, 150, 200],
            &[3, 10],
            &related,
        );
    }
    add(
        Kind::Correlations(5, 200, 1.0),
        &[20],
        &[1, 3, 5, 10],
        &both,
    );
    for moved in [0.02, 0.06, 0.1] {
        add(
            Kind::Kernels(0.3, moved),
            &[20, 50, 100],
            &[1, 3, 5],
            &related,
        );
        add(
            Kind::Distances(2, moved),
            &[20, 50, 100],
            &[1, 3, 5],
            &related,
        );
        add(
            Kind::Distances(3, moved),
            &[20, 50, 100],
            &[1, 3, 5],
            &related,
        );
    }
    for kind in [
        Kind::Kernels(0.3, 0.0),
        Kind::Distances(2, 0.0),
        Kind::Distances(3, 0.0),
    ] {
        add(kind, &[20, 50, 100, 200], &[1, 3, 5, 10], &unrelated);
    }
    for noise in [0.1, 0.2, 0.3, 0.4, 0.5] {
        add(Kind::Uniform(noise), &[20], &[3], &related);
    }
    add(Kind::Uniform(0.4), &[12, 30], &[3], &related);
    add(Kind::Uniform(0.5), &[50, 100], &[3], &related);
    add(
        Kind::Uniform(0.0),
        &[12, 20, 30, 50, 100],
        &[1, 3, 5, 10],
        &unrelated,
    );
    families
}

struct Judged {
    confidence: f64,
    is_right: bool,
}

fn trial(family: &Family, seed: u64, each: bool) -> Result<(Vec<Judged>, bool, f64)> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let weights = family.weights(&mut random);
    let n = family.nodes;
    let mut order: Vec<usize> = (0..n).collect();
    order.shuffle(&mut random);
    let mut back = vec![0; n];
    for (i, &a) in order.iter().enumerate() {
        back[a] = i;
    }
    let source = Graph::from_dense(&weights[0])?;
    let target = Graph::from_dense(&symmetric(n, |a, b| weights[1][(back[a], back[b])]))?;
    let mut known: Vec<usize> = (0..n).collect();
    known.shuffle(&mut random);
    let known: Vec<_> = known[..family.anchors]
        .iter()
        .map(|&i| (i, order[i]))
        .collect();
    let anchors = Anchors::from_indices(&source, &target, &known)?;
    let task = Task::new(&source, &target, &anchors)?;
    let begun = Instant::now();
    let matching = Best::default().run(&task, &Monitor::silent())?;
    let seconds = begun.elapsed().as_secs_f64();
    let pairs = matching.pairs.iter().filter(|pair| !pair.anchor);
    let judged: Vec<Judged> = pairs
        .map(|pair| Judged {
            confidence: pair.confidence,
            is_right: order[pair.source] == pair.target,
        })
        .collect();
    let nats = matching.trust.beyond_chance.unwrap_or(0.0);
    if each {
        let right = judged.iter().filter(|j| j.is_right).count() as f64 / judged.len() as f64;
        let sure = judged.iter().map(|j| j.confidence).sum::<f64>() / judged.len() as f64;
        print!("   right {right:.2} sure {sure:.2} nats {nats:.1} {seconds:.2} s");
        for (name, value) in &matching.parameters {
            if ["what anchors", "independent", "evidence in"]
                .iter()
                .any(|w| name.starts_with(w))
            {
                print!("; {name} {value}");
            }
        }
        for time in &matching.timings {
            if ["marginals", "chance", "search"].contains(&time.0.as_str()) {
                print!("; {} {:.2}", time.0, time.1);
            }
        }
        println!();
    }
    Ok((judged, nats < 0.0, seconds))
}

fn main() -> Result<()> {
    let (mut seed, mut trials, mut each, mut words) = (1, 5, false, Vec::new());
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut number = || arguments.next().and_then(|n| n.parse().ok()).unwrap_or(1);
        match argument.as_str() {
            "--seed" => seed = number(),
            "--trials" => trials = number(),
            "--each" => each = true,
            _ => words.push(argument),
        }
    }
    println!("| family | mean confidence | right | error | called chance | seconds |");
    println!("|---|---|---|---|---|---|");
    for family in families() {
        let name = family.name();
        let is_asked = words.iter().all(|word| match word.strip_prefix('-') {
            Some(word) => !name.contains(word),
            None => word.split('|').any(|word| name.contains(word)),
        });
        if !is_asked {
            continue;
        }
        let (mut all, mut chance, mut seconds) = (Vec::new(), 0, 0.0);
        for k in 0..trials {
            let (judged, by_chance, took) = trial(&family, seed * 1000 + k, each)?;
            all.extend(judged);
            chance += usize::from(by_chance);
            seconds += took / trials as f64;
        }
        let mut bins = [0.0; 10];
        for judged in &all {
            let k = ((judged.confidence * 10.0) as usize).min(9);
            bins[k] += judged.confidence - f64::from(judged.is_right);
        }
        let count = all.len() as f64;
        let sure = all.iter().map(|j| j.confidence).sum::<f64>() / count;
        let right = all.iter().filter(|j| j.is_right).count() as f64 / count;
        let error = bins.iter().map(|b: &f64| b.abs()).sum::<f64>() / count;
        println!(
            "| {name} | {sure:.3} | {right:.3} | {error:.3} | {chance} of {trials} | {seconds:.2} |"
        );
    }
    Ok(())
}
