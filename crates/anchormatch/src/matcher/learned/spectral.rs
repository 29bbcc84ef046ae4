//! Weights by the leading eigenvector (Leordeanu, Sukthankar, Hebert, *Unsupervised learning for graph matching*, IJCV 96, 2012).
//!
//! The leading eigenvector x of the affinities W(w), which a power iteration finds, is large on the assignments that belong
//! together. Supervised, w ascends along the gradient of ⟨x, t⟩, t the true assignment scaled to length 1; without a truth, of ⟨x, b(x)⟩, where b is x
//! rounded by a linear assignment: weights under which x is nearly an assignment are weights under which it is the right one. With u₀ = 1
//! and u_{p+1} = W u_p,
//!
//! > ∂u_{p+1}/∂w_f = K_f u_p + W ∂u_p/∂w_f
//!
//! where K_f is the part of W that w_f weighs; the chain is gone through backwards ([`agreement`]). The authors' affinities are exp(−⟨w, g⟩); ours are sums of kernels, linear in w, and
//! weights keep the sum that they start with, as only their ratios matter to x. The weights of edges alone are learned: those of nodes
//! stand on W's diagonal, and an eigenvector that they pull to a few nodes is near an assignment, whichever it is.

use rayon::prelude::*;

use super::features::{EDGE_FEATURES, Instance, NODE_FEATURES};
use super::{ExampleLearner, LearningMethod};
use crate::assignment::{self, Assignment};
use crate::error::Result;
use crate::linalg::Matrix;
use crate::monitor::{Monitor, Progress};
use crate::problem::{ExplicitPairwise, Pairwise};

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
    let total: f64 = first[NODE_FEATURES..].iter().sum();
    let mut weights = first.to_vec();
    let supervised = learner.method == LearningMethod::LeordeanuSupervised;
    // The edges of all examples are kept.
    let (mut held, mut all) = (0, Vec::with_capacity(instances.len()));
    for instance in instances {
        all.push(edge_parts(instance, &monitor.holding(held))?);
        held += EDGE_FEATURES as u64 * program(instance);
    }
    let (parts, monitor) = (all, &monitor.holding(held));
    let mut best = (f64::NEG_INFINITY, weights.clone());
    for pass in 0..learner.passes {
        let mut gradient = vec![0.0; weights.len()];
        let mut value = 0.0;
        let each: Vec<(f64, Vec<f64>)> = instances
            .par_iter()
            .zip(&parts)
            .map(|(instance, parts)| agreement(instance, parts, &weights, supervised))
            .collect::<Result<_>>()?;
        for (agreement, derivatives) in each {
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
        let largest = gradient[NODE_FEATURES..]
            .iter()
            .fold(0.0f64, |m, g| m.max(g.abs()));
        if monitor.checkpoint(progress).is_some() || largest == 0.0 {
            break;
        }
        let step = STEP * total / largest;
        let edges = &mut weights[NODE_FEATURES..];
        for (weight, g) in edges.iter_mut().zip(&gradient[NODE_FEATURES..]) {
            *weight = (*weight + step * g).max(0.0);
        }
        let sum: f64 = edges.iter().sum();
        edges.iter_mut().for_each(|w| *w *= total / sum);
    }
    Ok(best.1)
}

/// What each weight of edges has in W.
pub(super) fn edge_parts(instance: &Instance, monitor: &Monitor) -> Result<Vec<ExplicitPairwise>> {
    (0..EDGE_FEATURES)
        .map(|f| {
            let mut unit = [0.0; EDGE_FEATURES];
            unit[f] = 1.0;
            instance.pairwise(&unit, &monitor.holding(f as u64 * program(instance)))
        })
        .collect()
}

/// The bytes of one program.
fn program(instance: &Instance) -> u64 {
    let (n, m) = instance.shape();
    (n as u64 * m as u64).saturating_pow(2).saturating_mul(8)
}

/// ⟨x, t⟩ and its derivatives by the weights.
///
/// Backwards through the power iteration: with u = v/‖v‖, v = W u₋ and λ the derivative by u, the derivative by v is
/// μ = (λ − ⟨λ, u⟩ u)/‖v‖, that by w_f is ⟨μ, K_f u₋⟩, and that by u₋ is W μ, since W is symmetric. One product with each
/// K_f forwards and backwards serves all weights.
pub(super) fn agreement(
    instance: &Instance,
    parts: &[ExplicitPairwise],
    weights: &[f64],
    supervised: bool,
) -> Result<(f64, Vec<f64>)> {
    let (n, m) = instance.shape();
    let size = n * m;
    let most = parts.iter().map(|p| p.scratch_len()).max();
    let mut scratch = vec![0.0; most.unwrap_or(0)];
    let unary = instance.unary(weights);
    let edges = &weights[NODE_FEATURES..];
    // out = W x, and images[f] = K_f x of the edges.
    let mut apply = |x: &[f64], images: &mut [Vec<f64>], out: &mut [f64]| {
        for ((slot, u), value) in out.iter_mut().zip(unary.as_slice()).zip(x) {
            *slot = u * value;
        }
        for ((part, image), weight) in parts.iter().zip(images).zip(edges) {
            part.apply(x, image, &mut scratch);
            out.iter_mut()
                .zip(image.iter())
                .for_each(|(slot, v)| *slot += weight * v);
        }
    };
    let mut path = vec![vec![1.0; size]];
    let mut lengths = Vec::with_capacity(POWER);
    let mut images = vec![vec![vec![0.0; size]; parts.len()]; POWER];
    for step in 0..POWER {
        let mut next = vec![0.0; size];
        apply(&path[step], &mut images[step], &mut next);
        let length = next.iter().map(|v| v * v).sum::<f64>().sqrt();
        let unit = if length > 0.0 { 1.0 / length } else { 0.0 };
        next.iter_mut().for_each(|v| *v *= unit);
        lengths.push(unit);
        path.push(next);
    }
    let last = &path[POWER];
    let aim: Assignment = if supervised {
        instance.truth.clone()
    } else {
        assignment::maximise(&Matrix::from_vec(n, m, last.clone()))?.columns
    };
    let share = 1.0 / (aim.matched().max(1) as f64).sqrt();
    let mut lambda = vec![0.0; size];
    aim.pairs().for_each(|(i, a)| lambda[i * m + a] = share);
    let inner = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
    let value = inner(&lambda, last);
    let mut gradient = vec![0.0; weights.len()];
    let mut backwards = vec![vec![0.0; size]; parts.len()];
    for step in (0..POWER).rev() {
        let (before, after, unit) = (&path[step], &path[step + 1], lengths[step]);
        let along = inner(&lambda, after);
        let mu: Vec<f64> = lambda
            .iter()
            .zip(after)
            .map(|(l, x)| unit * (l - along * x))
            .collect();
        instance.add_unary_gradient(&mu, before, &mut gradient);
        for (place, image) in images[step].iter().enumerate() {
            gradient[NODE_FEATURES + place] += inner(&mu, image);
        }
        apply(&mu, &mut backwards, &mut lambda);
    }
    Ok((value, gradient))
}
