//! Weights by the leading eigenvector (Leordeanu, Sukthankar, Hebert, *Unsupervised learning for graph matching*, IJCV 96, 2012).
//!
//! The leading eigenvector x of the affinities W(w), which a power iteration finds, is large on the assignments that belong
//! together. Supervised, w ascends along the gradient of ⟨x, t⟩, t the true assignment scaled to length 1; without a truth, of ⟨x, b(x)⟩, where b is x
//! rounded by a linear assignment: weights under which x is nearly an assignment are weights under which it is the right one. With u₀ = 1
//! and u_{p+1} = W u_p,
//!
//! > ∂u_{p+1}/∂w_f = K_f u_p + W ∂u_p/∂w_f
//!
//! where K_f is the part of W that w_f weighs. The authors' affinities are exp(−⟨w, g⟩); ours are sums of kernels, linear in w, and
//! weights keep the sum that they start with, as only their ratios matter to x.

use super::features::{EDGE_FEATURES, Instance, NODE_FEATURES};
use super::{ExampleLearner, LearningMethod};
use crate::assignment::{self, Assignment};
use crate::error::Result;
use crate::linalg::Matrix;
use crate::monitor::{Monitor, Progress};
use crate::problem::Problem;

/// Steps of the power iteration.
const POWER: usize = 12;

/// The part of the sum of weights that the largest change of one step moves.
const STEP: f64 = 0.05;

/// Learns the weights from a first guess.
pub(super) fn learn(
    learner: &ExampleLearner,
    instances: &[Instance],
    first: &[f64],
    monitor: &Monitor,
) -> Result<Vec<f64>> {
    let total: f64 = first.iter().sum();
    let mut weights = first.to_vec();
    let supervised = learner.method == LearningMethod::LeordeanuSupervised;
    // All programs of all examples are kept.
    let (mut held, mut all) = (0, Vec::with_capacity(instances.len()));
    for instance in instances {
        all.push(parts(instance, &monitor.holding(held))?);
        held += (NODE_FEATURES + EDGE_FEATURES) as u64 * program(instance);
    }
    let (parts, monitor) = (all, &monitor.holding(held));
    let mut best = (f64::NEG_INFINITY, weights.clone());
    for pass in 0..learner.passes {
        let mut gradient = vec![0.0; weights.len()];
        let mut value = 0.0;
        for (instance, parts) in instances.iter().zip(&parts) {
            let whole = instance.problem(&weights, monitor)?;
            let programs = Programs {
                parts,
                whole: &whole,
            };
            let (agreement, derivatives) = agreement(instance, &programs, &weights, supervised)?;
            value += agreement / instances.len() as f64;
            gradient
                .iter_mut()
                .zip(&derivatives)
                .for_each(|(g, s)| *g += s);
        }
        if value > best.0 {
            best = (value, weights.clone());
        }
        let progress = Progress {
            stage: "learn weights",
            done: pass + 1,
            total: Some(learner.passes),
            value: Some(value),
        };
        let largest = gradient.iter().fold(0.0f64, |m, g| m.max(g.abs()));
        if monitor.checkpoint(progress).is_some() || largest == 0.0 {
            break;
        }
        let step = STEP * total / largest;
        for (weight, g) in weights.iter_mut().zip(&gradient) {
            *weight = (*weight + step * g).max(0.0);
        }
        let sum: f64 = weights.iter().sum();
        weights.iter_mut().for_each(|w| *w *= total / sum);
    }
    Ok(best.1)
}

/// A program for each weight, with that weight 1 and the others 0.
fn parts(instance: &Instance, monitor: &Monitor) -> Result<Vec<Problem>> {
    (0..NODE_FEATURES + EDGE_FEATURES)
        .map(|f| {
            let mut unit = vec![0.0; NODE_FEATURES + EDGE_FEATURES];
            unit[f] = 1.0;
            instance.problem(&unit, &monitor.holding(f as u64 * program(instance)))
        })
        .collect()
}

/// The bytes of one program.
fn program(instance: &Instance) -> u64 {
    let (n, m) = instance.shape();
    (n as u64 * m as u64).saturating_pow(2).saturating_mul(8)
}

/// The program under some weights, and what each weight has in it.
pub(super) struct Programs<'a> {
    pub(super) parts: &'a [Problem],
    pub(super) whole: &'a Problem,
}

/// ⟨x, t⟩ and its derivatives by the weights.
pub(super) fn agreement(
    instance: &Instance,
    programs: &Programs<'_>,
    weights: &[f64],
    supervised: bool,
) -> Result<(f64, Vec<f64>)> {
    let Programs { parts, whole } = programs;
    let (n, m) = instance.shape();
    let size = n * m;
    let mut u = vec![1.0; size];
    let mut derivatives = vec![vec![0.0; size]; weights.len()];
    let all = parts.iter().chain([*whole]);
    let most = all.map(|p| p.pairwise().scratch_len()).max();
    let mut scratch = vec![0.0; most.unwrap_or(0)];
    let apply = |part: &Problem, x: &[f64], scratch: &mut [f64]| {
        let mut out = vec![0.0; size];
        part.pairwise().apply(x, &mut out, scratch);
        for (place, slot) in out.iter_mut().enumerate() {
            *slot += part.unary()[(place / m, place % m)] * x[place];
        }
        out
    };
    for _ in 0..POWER {
        let images: Vec<Vec<f64>> = parts.iter().map(|p| apply(p, &u, &mut scratch)).collect();
        let mut next = vec![0.0; size];
        for (image, weight) in images.iter().zip(weights) {
            next.iter_mut()
                .zip(image)
                .for_each(|(slot, v)| *slot += weight * v);
        }
        let length = next.iter().map(|v| v * v).sum::<f64>().sqrt();
        let unit = if length > 0.0 { 1.0 / length } else { 0.0 };
        let mut turned = Vec::with_capacity(derivatives.len());
        for (previous, image) in derivatives.iter().zip(&images) {
            let mut derivative = apply(whole, previous, &mut scratch);
            derivative
                .iter_mut()
                .zip(image)
                .for_each(|(slot, v)| *slot += v);
            // The derivative of next/‖next‖.
            let along: f64 = next
                .iter()
                .zip(&derivative)
                .map(|(x, d)| x * d)
                .sum::<f64>()
                * unit
                * unit;
            turned.push(
                derivative
                    .iter()
                    .zip(&next)
                    .map(|(d, x)| unit * (d - along * x))
                    .collect::<Vec<f64>>(),
            );
        }
        derivatives = turned;
        u = next.iter().map(|v| v * unit).collect();
    }
    let aim: Assignment = if supervised {
        instance.truth.clone()
    } else {
        assignment::maximise(&Matrix::from_vec(n, m, u.clone()))?.columns
    };
    let pairs = aim.matched().max(1) as f64;
    let inner = |vector: &[f64]| -> f64 {
        let sum: f64 = aim.pairs().map(|(i, a)| vector[i * m + a]).sum();
        sum / pairs.sqrt()
    };
    Ok((inner(&u), derivatives.iter().map(|d| inner(d)).collect()))
}
