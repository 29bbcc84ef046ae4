//! A margin over all assignments (Caetano, McAuley, Cheng, Le, Smola, *Learning graph matching*, IEEE TPAMI 31, 2009).
//!
//! > min λ/2 ‖w‖² + 1/N Σ_s [ max_y (⟨w, Φ_s(y)⟩ + Δ(y, y_s)) − ⟨w, Φ_s(y_s)⟩ ]   over w ≥ 0,
//!
//! Φ the totals of all likenesses over an assignment, per pair, and Δ the share of pairs that are wrong. The maximum is
//! the program itself with the loss in its unary values: a linear assignment, exactly, without edges; RRWM with them; for
//! a fixed topology, where y is a map and not an assignment, dynamic programming, exactly. The authors hand the program to a bundle
//! method; here a subgradient descends with steps 1/(λt), and the mean of the later half of its points is kept.

use rayon::prelude::*;

use super::features::{Instance, NODE_FEATURES};
use super::{ExampleLearner, LearningMethod, topology};
use crate::assignment::{self, Assignment};
use crate::error::Result;
use crate::linalg::Matrix;
use crate::monitor::{Monitor, Progress};
use crate::problem::Problem;
use crate::solver::{Rrwm, Solution, Solver, Start, Status, round_within};

/// Iterations of RRWM in a decision while learning.
const DECISION: usize = 60;

/// Learns the weights from a first guess.
pub(super) fn learn(
    learner: &ExampleLearner,
    instances: &[Instance],
    first: &[f64],
    monitor: &Monitor,
) -> Result<Vec<f64>> {
    let mut weights = first.to_vec();
    let mut mean = vec![0.0; weights.len()];
    let mut kept = 0.0;
    let lambda = learner.regularisation;
    for pass in 0..learner.passes {
        let mut gradient: Vec<f64> = weights.iter().map(|w| lambda * w).collect();
        let mut risk = 0.0;
        let all: Vec<Assignment> = instances
            .par_iter()
            .map(|instance| decide(learner.method, instance, &weights, true, monitor))
            .collect::<Result<_>>()?;
        for (instance, decided) in instances.iter().zip(all) {
            let joined = joined(learner.method);
            let pairs = instance.truth.matched().max(1) as f64;
            let (found, wanted) = (
                instance.totals(&decided, joined),
                instance.totals(&instance.truth, joined),
            );
            let mut violation = loss(instance, &decided);
            for (place, slot) in gradient.iter_mut().enumerate() {
                let difference = (found[place] - wanted[place]) / pairs;
                violation += weights[place] * difference;
                *slot += difference / instances.len() as f64;
            }
            risk += violation / instances.len() as f64;
        }
        let step = 1.0 / (lambda * (pass + 2) as f64 * 10.0);
        let linear = learner.method == LearningMethod::CaetanoLinear;
        for (place, (weight, g)) in weights.iter_mut().zip(&gradient).enumerate() {
            *weight = (*weight - step * g).max(0.0);
            if linear && place >= NODE_FEATURES {
                *weight = 0.0;
            }
        }
        if 2 * pass >= learner.passes {
            mean.iter_mut().zip(&weights).for_each(|(m, w)| *m += w);
            kept += 1.0;
        }
        let progress = Progress {
            stage: "learn weights",
            done: pass + 1,
            total: Some(learner.passes),
            value: Some(risk),
        };
        if monitor.checkpoint(progress).is_some() {
            break;
        }
    }
    if kept > 0.0 {
        weights = mean.iter().map(|m| m / kept).collect();
    }
    Ok(weights)
}

/// Which pairs of rows have an edge that counts.
pub(super) fn joined(method: LearningMethod) -> fn(usize, usize) -> bool {
    match method {
        LearningMethod::Mcauley => topology::are_joined,
        LearningMethod::CaetanoLinear => |_, _| false,
        _ => |_, _| true,
    }
}

/// The best map under some weights; with the loss added, the one that violates the margin most.
pub(super) fn decide(
    method: LearningMethod,
    instance: &Instance,
    weights: &[f64],
    with_loss: bool,
    monitor: &Monitor,
) -> Result<Assignment> {
    let mut unary = instance.unary(weights);
    if with_loss {
        // Totals are per pair, and so is the loss.
        for (i, right) in instance.truth.pairs() {
            let row = unary.row_mut(i).iter_mut().enumerate();
            let wrong = row.filter(|(a, _)| *a != right);
            wrong.for_each(|(_, u)| *u += 1.0);
        }
    }
    let (n, m) = instance.shape();
    let edges = &weights[NODE_FEATURES..];
    if method == LearningMethod::CaetanoLinear {
        return Ok(assignment::maximise_within(&unary, monitor)?.columns);
    }
    if method == LearningMethod::Mcauley {
        let value = |i, a, j, b| instance.likeness(edges, (i, a), (j, b));
        topology::reserve((n, m), monitor)?;
        let best = topology::best_map((n, m), |i, a| unary[(i, a)], value, monitor);
        return Ok(best.into_iter().map(Some).take(n).collect());
    }
    let problem = instance.problem_with(unary, edges, monitor)?;
    let mut solver = Rrwm::linear();
    solver.max_iterations = DECISION;
    let found = solver.solve(&problem, &Start::default(), monitor)?;
    Ok(found.assignment)
}

/// The share of known pairs that a map has wrong.
pub(super) fn loss(instance: &Instance, map: &Assignment) -> f64 {
    let known = instance
        .truth
        .iter()
        .zip(map.iter())
        .filter(|(right, _)| right.is_some());
    let (mut wrong, mut count) = (0.0, 0.0f64);
    for (right, found) in known {
        count += 1.0;
        wrong += f64::from(u8::from(right != found));
    }
    wrong / count.max(1.0)
}

/// The decision by nodes alone, as a solution.
pub(super) fn by_nodes(problem: &Problem, monitor: &Monitor) -> Result<Solution> {
    let score: Matrix = problem.unary().full(monitor)?.into_owned();
    let assignment = round_within(problem, &score, monitor)?;
    Ok(Solution {
        objective: problem.objective(&assignment),
        assignment,
        soft: None,
        iterations: 1,
        status: Status::Converged,
        convergence: vec![0.0],
    })
}
