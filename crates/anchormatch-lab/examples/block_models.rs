//! Seeded matching of correlated block models: `block_models [METHOD [RHO SEEDS TRIALS [DIRECTORY]]]`,
//! METHOD a solver or the preset `best` or `fast`.
//!
//! Three blocks of 100 nodes, 0/1 weights. Prints the accuracy on the nodes that are no seeds, the
//! objective over that of the truth, milliseconds and iterations, as means over the trials. With a
//! directory, writes each problem there as text, for `scripts/bench_goat.py`: n, the number of seeds,
//! the seeds, A, B, and the partner of each node.
#![allow(clippy::print_stdout)]

use std::fmt::Write as _;
use std::path::Path;
use std::time::Instant;

use anchormatch::Assignment;
use anchormatch::matcher::Best;
use anchormatch::problem::{ProductPairwise, Sense, Weights};
use anchormatch::solver::{Start, registry};
use anchormatch::{Anchors, Monitor};
use anchormatch_generate::{BlockModel, Instance, block_model};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let solver = words.first().map_or("goat", String::as_str);
    println!("  rho seeds  accuracy  objective/truth       ms iterations");
    if let [_, rho, seeds, trials, rest @ ..] = &words[..] {
        let directory = rest.first().map(Path::new);
        return row(
            solver,
            rho.parse()?,
            seeds.parse()?,
            trials.parse()?,
            directory,
        );
    }
    for (rho, seeds) in [(0.6, 2), (0.3, 5), (0.3, 10), (0.3, 15)] {
        row(solver, rho, seeds, 5, None)?;
    }
    Ok(())
}

fn row(
    solver: &str,
    correlation: f64,
    seeds: usize,
    trials: u64,
    directory: Option<&Path>,
) -> Result<(), Failure> {
    let preset = match solver {
        "best" => Some(Best::default()),
        "fast" => Some(Best::fast()),
        _ => None,
    };
    let solver = preset.is_none().then(|| registry::by_name(solver));
    let solver = solver.transpose()?;
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
        let clock = Instant::now();
        let mut whole = Assignment::empty(instance.source.nodes());
        let mut iterations = 0;
        if let Some(preset) = &preset {
            let anchors = Anchors::from_indices(&instance.source, &instance.target, &known)?;
            let matching = Best {
                seed: trial,
                ..preset.clone()
            };
            let matching = matching.run(
                &instance.source,
                &instance.target,
                &anchors,
                &Monitor::silent(),
            )?;
            for pair in &matching.pairs {
                whole.set(pair.source, Some(pair.target));
            }
            iterations = matching.iterations;
        }
        if let Some(solver) = &solver {
            let folded = ProductPairwise::seeded_problem(Sense::Maximise, &a, &b, &known)?;
            let start = Start::seeded(trial);
            let solution = solver.solve(&folded.problem, &start, &Monitor::silent())?;
            whole = folded.complete(&solution.assignment);
            iterations = solution.iterations;
        }
        let milliseconds = clock.elapsed().as_secs_f64() * 1e3;
        let right = instance
            .truth
            .iter()
            .filter(|(u, a)| whole.partner(*u) == Some(*a));
        let share = (right.count() - seeds) as f64 / (instance.truth.len() - seeds) as f64;
        let truth: Assignment = instance.truth.iter().map(|pair| Some(pair.1)).collect();
        let problem = ProductPairwise::problem(Sense::Maximise, a, b, None)?;
        let objective = problem.objective(&whole) / problem.objective(&truth);
        [share, objective, milliseconds, iterations as f64]
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
