//! Seeded matching of correlated block models: `block_models [METHOD [RHO SEEDS TRIALS [DIRECTORY]]]`,
//! METHOD a solver or a preset.
//!
//! Three blocks of 100 nodes, 0/1 weights. Prints the accuracy on the nodes that are no seeds, the
//! objective over that of the truth, milliseconds and iterations, as means over the trials. With a
//! directory, writes each problem there as text, for `scripts/bench_goat.py`: n, the number of seeds,
//! the seeds, A, B, and the partner of each node.
#![allow(clippy::print_stdout)]

use std::fmt::Write as _;
use std::path::Path;
use std::time::Instant;

use anchormatch::problem::{ProductPairwise, Sense, Weights};
use anchormatch::{Assignment, Monitor, Task};
use anchormatch_generate::{BlockModel, Instance, block_model};
use anchormatch_lab::matchers::{by_name, seeded};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let method = words.first().map_or("goat", String::as_str);
    println!("  rho seeds  accuracy  objective/truth       ms iterations");
    if let [_, rho, seeds, trials, rest @ ..] = &words[..] {
        let directory = rest.first().map(Path::new);
        return row(
            method,
            rho.parse()?,
            seeds.parse()?,
            trials.parse()?,
            directory,
        );
    }
    for (rho, seeds) in [(0.6, 2), (0.3, 5), (0.3, 10), (0.3, 15)] {
        row(method, rho, seeds, 5, None)?;
    }
    Ok(())
}

fn row(
    method: &str,
    correlation: f64,
    seeds: usize,
    trials: u64,
    directory: Option<&Path>,
) -> Result<(), Failure> {
    let matcher = by_name(method)?;
    let settings = BlockModel {
        correlation,
        ..BlockModel::default()
    };
    let mut sums = [0.0; 4];
    for trial in 0..trials {
        let instance = block_model(&settings, trial)?;
        let mut rng = ChaCha8Rng::seed_from_u64(trial);
        let known = instance.random_anchors(seeds, &mut rng)?;
        if let Some(directory) = directory {
            let file = directory.join(format!("sbm_{correlation}_{seeds}_{trial}.txt"));
            std::fs::write(file, text(&instance, &known)?)?;
        }
        let a = Weights::Dense(instance.source.adjacency());
        let b = Weights::Dense(instance.target.adjacency());
        let task = Task::from_pairs(&instance.source, &instance.target, &known)?;
        let matcher = seeded(&*matcher, trial)?;
        let clock = Instant::now();
        let matching = matcher.run(&task, &Monitor::silent())?;
        let milliseconds = clock.elapsed().as_secs_f64() * 1e3;
        let pairs = matching.pairs.iter().map(|pair| (pair.source, pair.target));
        let whole = Assignment::from_pairs(instance.source.nodes(), pairs);
        let right = instance
            .truth
            .iter()
            .filter(|(u, a)| whole.partner(*u) == Some(*a));
        let share = (right.count() - seeds) as f64 / (instance.truth.len() - seeds) as f64;
        let truth: Assignment = instance.truth.iter().map(|pair| Some(pair.1)).collect();
        let problem = ProductPairwise::problem(Sense::Maximise, a, b, None)?;
        let objective = problem.objective(&whole) / problem.objective(&truth);
        [share, objective, milliseconds, matching.iterations as f64]
            .iter()
            .zip(&mut sums)
            .for_each(|(value, sum)| *sum += value / trials as f64);
    }
    let [share, objective, milliseconds, iterations] = sums;
    println!(
        "{correlation:5} {seeds:5} {share:9.3} {objective:16.4} {milliseconds:8.1} {iterations:10.1}"
    );
    Ok(())
}

fn text(instance: &Instance, known: &[(usize, usize)]) -> Result<String, Failure> {
    let mut out = format!("{} {}", instance.source.nodes(), known.len());
    for (s, t) in known {
        write!(out, " {s} {t}")?;
    }
    for matrix in [instance.source.adjacency(), instance.target.adjacency()] {
        for value in matrix.as_slice() {
            write!(out, " {value}")?;
        }
    }
    for (_, partner) in &instance.truth {
        write!(out, " {partner}")?;
    }
    Ok(out)
}
