//! How often wrong anchors are found, on the Hotel sequence and on synthetic graphs.
//!
//! `cargo run --release --example rates_of_wrong_anchors -- DATA_DIR [TRIALS [NODES]]`, NODES those of the synthetic graphs

#![allow(clippy::print_stdout)]

use std::path::PathBuf;

use anchormatch::matcher::registry;
use anchormatch::{Monitor, Result};
use anchormatch_generate::{Synthetic, synthetic};
use anchormatch_lab::datasets::hotel::Hotel;
use anchormatch_lab::experiments::Trial;
use anchormatch_lab::experiments::wrong_anchors::{REPAIR, Spoil, WrongAnchors, wrong_anchors};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

const ANCHORS: usize = 5;

fn show(name: &str, result: &WrongAnchors) {
    println!(
        "{name:<28} {:>6.3} {:>7.3} {:>6.4} | {:>7.3} {:>8.3} {:>7.3} | {:>6.2}",
        result.named.mean,
        result.blamed.mean,
        result.false_alarms.mean,
        result.spoilt.mean,
        result.repaired.mean,
        result.without.mean,
        1e3 * result.seconds.mean,
    );
}

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let data = arguments.next().map(PathBuf::from);
    let trials = arguments.next().and_then(|n| n.parse().ok()).unwrap_or(100);
    let nodes = arguments.next().and_then(|n| n.parse().ok()).unwrap_or(20);
    let monitor = Monitor::silent();
    println!(
        "{:<28}  named  blamed  false |  spoilt repaired without | ms",
        ""
    );
    let all = registry::all().into_iter();
    for matcher in all.filter(|matcher| matcher.parameters().contains_key(REPAIR)) {
        let name = matcher.name();
        for spoil in [Spoil::One, Spoil::Swap] {
            if let Some(hotel) = data.as_deref().and_then(|dir| Hotel::load(dir).ok()) {
                for gap in [10, 50, 90] {
                    let trial = |k: usize| {
                        let pairs = hotel.frames() - gap;
                        let from = k * 7 % pairs;
                        let seed = (gap * 1000 + k) as u64;
                        let instance = hotel.pair(from, from + gap, seed)?;
                        let mut rng = ChaCha8Rng::seed_from_u64(seed + 1);
                        let anchors = instance.random_anchors(ANCHORS, &mut rng)?;
                        Ok(Trial { instance, anchors })
                    };
                    let result = wrong_anchors(trials, trial, spoil, &*matcher, 9, &monitor)?;
                    show(&format!("{name} hotel gap {gap} {spoil:?}"), &result);
                }
            }
            for noise in [0.1, 0.2, 0.3] {
                let trial = |k: usize| {
                    let settings = Synthetic {
                        inliers: nodes,
                        noise,
                        ..Synthetic::default()
                    };
                    let instance = synthetic(&settings, k as u64)?;
                    let mut rng = ChaCha8Rng::seed_from_u64(k as u64 + 1);
                    let anchors = instance.random_anchors(ANCHORS, &mut rng)?;
                    Ok(Trial { instance, anchors })
                };
                let result = wrong_anchors(trials, trial, spoil, &*matcher, 9, &monitor)?;
                show(&format!("{name} σ = {noise} {spoil:?}"), &result);
            }
        }
    }
    Ok(())
}
