//! Part of stage *marginals*: how far the evidence of edges is to be believed.
//!
//! exp(E) is the posterior where pairs of nodes are joined independently of each other. Where they are not (neighbours of
//! neighbours in a plane, hubs), wrong matchings that are a little better than the right one are much more common, and
//! chains stay with them: fits of this kind are too good, and patches that were shifted together count as sure.
//!
//! Under the right posterior the right matching is a sample like any other, so that samples have as many edges in
//! common as it has in the mean (Nishimori's identity). Whether they do is asked where the right matching is known: the
//! edges of both sides are laid upon each other by the matching found, and which of them lies on both sides, on the
//! source's or on the target's alone is dealt anew among all of them. That keeps the kind of graph, how many edges each side has
//! and how many both have. The belief is the largest power β ≤ 1 of the posterior under which samples of that
//! pair are no better than its right matching; β = 1 where edges are independent. Besides, the scale was fitted to the matching
//! found, which has more edges in common than the right one by about as many as samples of that pair have.

use super::deal::deal;
use super::evidence::Evidence;
use super::found::Found;
use super::observations::Observed;
use super::program::{Terms, is_listed, problem};
use super::thresholds::{BELIEF_DEALS, BELIEF_SWEEPS, BELIEF_TOLERANCE, BELIEFS};
use crate::affinity::likelihood::Observations;
use crate::assignment::Assignment;
use crate::error::Result;
use crate::graph::Graph;
use crate::monitor::Monitor;
use crate::problem::Coverage;
use crate::solver::Sampler;

/// No partner.
const NONE: usize = usize::MAX;

/// Whether it can be asked: edges that say nothing but that they are there, and a matching of all nodes.
pub(super) fn can_be_asked(evidence: &Evidence<'_>, found: &Found) -> bool {
    let observed = &evidence.observed;
    found.coverage == Coverage::Full
        && is_listed(evidence, &found.model)
        && !observed.source.is_directed()
        && observed.further.is_empty()
}

/// The power of the edges' evidence that is to be believed.
pub(super) fn belief(
    evidence: &Evidence<'_>,
    found: &Found,
    seed: u64,
    monitor: &Monitor,
) -> Result<f64> {
    let mut deals = Vec::with_capacity(BELIEF_DEALS);
    for k in 0..BELIEF_DEALS as u64 {
        let seed = seed.wrapping_add(k);
        deals.push(dealt(evidence, &found.assignment, seed)?);
    }
    let sampler = Sampler {
        sweeps: BELIEF_SWEEPS,
        burn_in: BELIEF_SWEEPS / 3,
        chains: 1,
        ..Sampler::default()
    };
    // The first of the ladder is 1.
    let (mut last, mut above) = (BELIEFS[0], BELIEF_TOLERANCE);
    let mut own = 1.0;
    for (rung, &power) in BELIEFS.iter().enumerate() {
        let mut excess = 0.0;
        for (k, graphs) in deals.iter().enumerate() {
            let seed = seed.wrapping_add(k as u64);
            let start = (found, power, seed);
            excess += excess_of_samples(evidence, start, graphs, &sampler, monitor)?;
        }
        excess /= deals.len().max(1) as f64;
        if rung == 0 {
            own = of_scale(evidence, &found.assignment, excess);
        }
        if monitor.interrupted().is_some() || excess <= BELIEF_TOLERANCE {
            let share = match rung {
                0 => 0.0,
                _ => (above - BELIEF_TOLERANCE) / (above - excess),
            };
            return Ok(own * (last + share.clamp(0.0, 1.0) * (power - last)));
        }
        (last, above) = (power, excess);
    }
    Ok(own * last)
}

/// What is left of the worth of an edge on both sides, ln (p₁₁ p₀₀/(p₁₀ p₀₁)), when the right matching has so many fewer of
/// them than the one that it was fitted to.
fn of_scale(evidence: &Evidence<'_>, found: &Assignment, excess: f64) -> f64 {
    let [one, two] = evidence.graphs.map(|graph| graph.edge_count() as f64);
    let nodes = evidence.graphs[0].node_count() as f64;
    let pairs = 0.5 * nodes * (nodes - 1.0);
    let worth = |both: f64| {
        let cells = [both, pairs - one - two + both, one - both, two - both];
        let [both, none, source, target] = cells.map(|count| count.max(0.0) + 0.5);
        (both * none / (source * target)).ln()
    };
    let both = conserved(evidence, found) as f64;
    let (fitted, right) = (worth(both), worth(both - excess.max(0.0)));
    if fitted > 0.0 {
        (right / fitted).clamp(0.0, 1.0)
    } else {
        1.0
    }
}

/// Two graphs of the same kind whose right matching is the one found.
fn dealt(evidence: &Evidence<'_>, found: &Assignment, seed: u64) -> Result<[Graph; 2]> {
    let mut partners = vec![u32::MAX; evidence.graphs[0].node_count()];
    for (i, a) in evidence.matched(found) {
        partners[i] = a as u32;
    }
    deal(
        evidence.graphs.map(Graph::sparse_adjacency),
        &partners,
        seed,
    )
}

/// How many more edges than the right matching samples have in common in the mean, under a power of the evidence.
fn excess_of_samples(
    evidence: &Evidence<'_>,
    (found, power, seed): (&Found, f64, u64),
    graphs: &[Graph; 2],
    sampler: &Sampler,
    monitor: &Monitor,
) -> Result<f64> {
    let scale = evidence.observed.scale;
    let formed = |graph: &Graph| Observations::formed(graph, scale, false, monitor);
    let observed = Observed {
        source: formed(&graphs[0])?,
        target: formed(&graphs[1])?,
        scale,
        further: Vec::new(),
    };
    let dealt = evidence.with_graphs(observed, [&graphs[0], &graphs[1]]);
    let terms = Terms {
        coverage: Coverage::Full,
        matched: found.assignment.matched(),
        share: found.share * power,
    };
    let problem = problem(&dealt, &found.model, terms, monitor)?;
    let right = conserved(&dealt, &found.assignment) as f64;
    let (mut sum, mut samples) = (0.0, 0.0);
    sampler.sample(&problem, &found.assignment, seed, monitor, |p| {
        sum += conserved(&dealt, p) as f64 - right;
        samples += 1.0;
    })?;
    Ok(if samples > 0.0 { sum / samples } else { 0.0 })
}

/// How many edges a matching has on both sides.
fn conserved(evidence: &Evidence<'_>, assignment: &Assignment) -> usize {
    let [source, target] = evidence.graphs;
    let mut partner = vec![NONE; source.node_count()];
    for (i, a) in evidence.matched(assignment) {
        partner[i] = a;
    }
    let on_both = |&(i, j, _): &(usize, usize, f64)| {
        let (a, b) = (partner[i], partner[j]);
        a != NONE && b != NONE && target.weight(a, b) != 0.0
    };
    source.edges().filter(on_both).count()
}

#[cfg(test)]
mod tests {
    use super::super::fixture::Planted;
    use super::*;
    use crate::anchors::Anchors;
    use crate::solver::{Solution, Status};
    use anchormatch_invariants::small_problems::assignments;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    /// Two samples of the same edges, each with the probability `kept`; every node is its own partner.
    fn samples(nodes: usize, edges: &[(usize, usize)], kept: f64, seed: u64) -> Planted {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let [source, target] = [(); 2].map(|()| {
            let edges = edges.iter().filter(|_| random.random_bool(kept));
            let edges: Vec<_> = edges.map(|&(i, j)| (i, j, 1.0)).collect();
            Graph::from_edges(nodes, &edges).unwrap()
        });
        let truth: Vec<_> = (0..nodes).map(|i| (i, i)).collect();
        let anchors = Anchors::from_indices(&source, &target, &truth[..2]).unwrap();
        Planted {
            source,
            target,
            anchors,
            truth,
        }
    }

    fn right(planted: &Planted, evidence: &Evidence<'_>) -> Found {
        let assignment = evidence.assignment(&planted.truth);
        let model = evidence.fit(&assignment);
        let solution = Solution {
            assignment,
            objective: 0.0,
            soft: None,
            iterations: 0,
            status: Status::Converged,
            convergence: Vec::new(),
        };
        Found::of(evidence, solution, model, Coverage::Full)
    }

    fn pairs(nodes: usize) -> impl Iterator<Item = (usize, usize)> {
        (0..nodes).flat_map(|i| (0..i).map(move |j| (j, i)))
    }

    /// Places in a square, joined where they are close to each other.
    fn near(nodes: usize, seed: u64) -> Vec<(usize, usize)> {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let places: Vec<[f64; 2]> = (0..nodes)
            .map(|_| [random.random(), random.random()])
            .collect();
        let reach = 8.0 / (std::f64::consts::PI * nodes as f64);
        let square = |i: usize, j: usize| {
            let apart = |k: usize| (places[i][k] - places[j][k]).powi(2);
            apart(0) + apart(1)
        };
        pairs(nodes)
            .filter(|&(j, i)| square(i, j) <= reach)
            .collect()
    }

    #[test]
    fn what_is_dealt_has_as_many_edges_of_each_kind() {
        let planted = samples(40, &near(40, 1), 0.7, 2);
        planted.with_evidence(|_, evidence| {
            let found = evidence.assignment(&planted.truth);
            let [one, two] = dealt(evidence, &found, 3).unwrap();
            assert_eq!(one.edge_count(), planted.source.edge_count());
            assert_eq!(two.edge_count(), planted.target.edge_count());
            let common = |one: &Graph, two: &Graph| {
                let on_both = one.edges().filter(|&(i, j, _)| two.weight(i, j) != 0.0);
                on_both.count()
            };
            let before = common(&planted.source, &planted.target);
            assert_eq!(common(&one, &two), before);
            assert_eq!(conserved(evidence, &found), before);
            // Nothing is joined that was not joined on one side, and something moved.
            let is_old = |(i, j, _): (usize, usize, f64)| {
                planted.source.weight(i, j) + planted.target.weight(i, j) != 0.0
            };
            assert!(one.edges().chain(two.edges()).all(is_old));
            assert!(common(&one, &planted.source) < one.edge_count());
        });
    }

    /// Σ over all matchings of exp(β E) (edges in common − those of the right one), written out.
    #[test]
    fn the_excess_is_that_of_the_posterior() {
        let nodes = 8;
        let edges: Vec<_> = pairs(nodes)
            .filter(|(j, i)| (i * i + 3 * j) % 5 < 2)
            .collect();
        let planted = samples(nodes, &edges, 0.8, 1);
        planted.with_evidence(|_, evidence| {
            let found = right(&planted, evidence);
            let graphs = [planted.source.clone(), planted.target.clone()];
            for power in [1.0, 0.5] {
                let terms = Terms {
                    coverage: Coverage::Full,
                    matched: found.assignment.matched(),
                    share: found.share * power,
                };
                let monitor = Monitor::silent();
                let problem = problem(evidence, &found.model, terms, &monitor).unwrap();
                let least = conserved(evidence, &found.assignment) as f64;
                let (mut sum, mut total) = (0.0, 0.0);
                let all: Vec<Assignment> = assignments(6, 6, true);
                for p in all.iter().filter(|p| problem.is_feasible(p)) {
                    let weight = problem.objective(p).exp();
                    total += weight;
                    sum += weight * (conserved(evidence, p) as f64 - least);
                }
                let sampler = Sampler {
                    sweeps: 20_000,
                    chains: 1,
                    ..Sampler::default()
                };
                let start = (&found, power, 7);
                let got = excess_of_samples(evidence, start, &graphs, &sampler, &monitor);
                let (got, wanted) = (got.unwrap(), sum / total);
                assert!((got - wanted).abs() < 0.05, "{got} {wanted}");
            }
        });
    }

    #[test]
    fn a_scale_that_was_fitted_to_too_many_edges_is_worth_less() {
        let planted = samples(40, &near(40, 1), 0.7, 2);
        planted.with_evidence(|_, evidence| {
            let found = evidence.assignment(&planted.truth);
            assert!((of_scale(evidence, &found, 0.0) - 1.0).abs() < 1e-12);
            let left = [5.0, 20.0].map(|excess| of_scale(evidence, &found, excess));
            assert!(
                left[1] < left[0] && left[0] < 1.0 && left[1] > 0.3,
                "{left:?}"
            );
        });
    }

    #[test]
    fn independent_edges_are_believed_and_those_of_neighbours_in_a_plane_less() {
        let belief_of = |edges: &[(usize, usize)], kept: f64| {
            let planted = samples(100, edges, kept, 5);
            let mut told = 0.0;
            planted.with_evidence(|_, evidence| {
                let found = right(&planted, evidence);
                assert!(can_be_asked(evidence, &found));
                told = belief(evidence, &found, 1, &Monitor::silent()).unwrap();
            });
            told
        };
        let mut random = ChaCha8Rng::seed_from_u64(9);
        let edges: Vec<_> = pairs(100).filter(|_| random.random_bool(0.08)).collect();
        let [independent, plane] = [belief_of(&edges, 0.7), belief_of(&near(100, 4), 0.8)];
        assert!(independent > 0.85, "{independent}");
        assert!(plane < 0.75, "{plane}");
    }
}
