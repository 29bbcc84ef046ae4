//! Stage *program*: the integer quadratic program whose objective is the posterior's logarithm.

use super::evidence::{Evidence, Model, step_prior};
use super::observations::{MORE_MEMORY, Observed, View, bytes};
use super::thresholds::{NEARLY_EQUAL, SPARSE_DENSITY};
use crate::affinity::likelihood::{Needed, Observations, PairModel, Scale};
use crate::error::Result;
use crate::linalg::{Csr, Matrix};
use crate::monitor::Monitor;
use crate::problem::{
    Coverage, CrossingPairwise, GaussianKernel, Pairwise, Problem, ProductPairwise,
    SeparablePairwise, SumPairwise, Weights,
};

/// The correlation that is supposed before anything is known.
const FIRST_CORRELATION: f64 = 0.9;

/// Where no edge lies among weights in units of their spread: far from all of them.
const NO_EDGE: f64 = -4.0;

/// A model, and the program that it makes of the evidence.
pub(super) struct Program {
    pub(super) model: Model,
    pub(super) problem: Problem,
}

/// Who is matched, and how much of what edges tell is counted.
#[derive(Debug, Clone, Copy)]
pub(super) struct Terms {
    pub(super) coverage: Coverage,
    /// Pairs that are matched already: with partial coverage, one more costs what the prior says there.
    pub(super) matched: usize,
    /// The share of the edges' evidence that tells something new.
    pub(super) share: f64,
}

impl Terms {
    /// The whole smaller side matched, all edges counted.
    pub(super) const FULL: Self = Self {
        coverage: Coverage::Full,
        matched: 0,
        share: 1.0,
    };
}

impl Program {
    /// The program before any matching is known.
    pub(super) fn first(evidence: &Evidence<'_>, monitor: &Monitor) -> Result<Self> {
        let model = evidence.guess(FIRST_CORRELATION);
        let problem = problem(evidence, &model, Terms::FULL, monitor)?;
        Ok(Self { model, problem })
    }

    /// The program of the edges of the two graphs alone.
    pub(super) fn of_edges(evidence: &Evidence<'_>, monitor: &Monitor) -> Result<Self> {
        let model = evidence.guess_of_edges(FIRST_CORRELATION);
        let problem = problem(evidence, &model, Terms::FULL, monitor)?;
        Ok(Self { model, problem })
    }

    /// The program of one product, for solvers that take nothing else: an edge on an edge counts, the more
    /// the further both weights lie on one side of their means. Where all pairs are joined, the weights
    /// alone count.
    pub(super) fn product(evidence: &Evidence<'_>, monitor: &Monitor) -> Result<Self> {
        let (n, m) = evidence.shape();
        let what = "the product of all weights";
        monitor.reserve(what, bytes(2, 1, evidence.graphs), MORE_MEMORY)?;
        let model = evidence.guess(FIRST_CORRELATION);
        let observed = &evidence.observed;
        let (presence, worth) = if observed.is_complete() {
            (0.0, 1.0)
        } else {
            (1.0, model.pairs.conserved_edge())
        };
        let value = |side: &Observations, i: usize, j: usize| match side.get(i, j) {
            Some(v) if side.variance() > 0.0 => {
                presence + (v - side.mean()) / side.variance().sqrt()
            }
            Some(_) => presence,
            None => 0.0,
        };
        let (rows, columns) = (&evidence.free.source, &evidence.free.target);
        let (source, target) = (&observed.source, &observed.target);
        // Each pair of pairs is counted in both orders.
        let half = if source.is_directed() { 1.0 } else { 0.5 } * worth;
        let a = Matrix::from_fn(n, n, |k, l| half * value(source, rows[k], rows[l]));
        let b = Matrix::from_fn(m, m, |k, l| value(target, columns[k], columns[l]));
        let mut unary = Matrix::from_fn(n, m, |i, a| evidence.known_at(&model, i, a));
        for &(p, q) in evidence.folded_anchors() {
            for (i, &s) in rows.iter().enumerate() {
                for (a, &t) in columns.iter().enumerate() {
                    unary[(i, a)] += worth * value(source, s, p) * value(target, t, q);
                    if source.is_directed() {
                        unary[(i, a)] += worth * value(source, p, s) * value(target, q, t);
                    }
                }
            }
        }
        let (pairwise, _) = ProductPairwise::new(Weights::Dense(a), Weights::Dense(b))?;
        let problem = Problem::maximise(unary, Box::new(pairwise))?;
        Ok(Self { model, problem })
    }
}

/// The program over the free nodes under a model; its objective is the posterior's logarithm up to a
/// constant.
pub(super) fn problem(
    evidence: &Evidence<'_>,
    model: &Model,
    terms: Terms,
    monitor: &Monitor,
) -> Result<Problem> {
    let Terms {
        coverage,
        matched,
        share,
    } = terms;
    let (n, m) = evidence.shape();
    let observed = &evidence.observed;
    let needed = needed(evidence, coverage);
    let listed = model.pairs.counts_edges(needed) && is_sparse(evidence);
    if !listed {
        // Up to four tables of each graph beside its weights.
        monitor.reserve(
            "the evidence of all pairs of pairs",
            bytes(5, 3, evidence.graphs),
            MORE_MEMORY,
        )?;
    }
    let further = observed.further.len() as u64;
    let what = "the evidence of layers and of edges between the sides";
    monitor.reserve(
        what,
        bytes(4 * further, 2 * further, evidence.graphs),
        MORE_MEMORY,
    )?;
    let (rows, columns) = (&evidence.free.source[..], &evidence.free.target[..]);
    let source = (&observed.source, rows);
    let target = (&observed.target, columns);
    let mut unary = model
        .pairs
        .folded(source, target, evidence.folded_anchors(), needed);
    for (view, model) in observed.further.iter().zip(&model.further) {
        let anchors = evidence.folded_anchors();
        let folded = view.folded(model, (rows, columns), anchors, needed);
        let values = unary.as_mut_slice().iter_mut().zip(folded.as_slice());
        values.for_each(|(slot, nats)| *slot += nats);
    }
    let prior = match coverage {
        Coverage::Partial => step_prior((n, m), matched),
        Coverage::Full => 0.0,
    };
    for i in 0..n {
        for a in 0..m {
            let known = evidence.known_at(model, i, a);
            unary[(i, a)] = share * unary[(i, a)] + prior + known;
        }
    }
    let first: Box<dyn Pairwise> = if listed {
        let counted = if observed.source.is_directed() {
            1.0
        } else {
            0.5
        };
        let scale = counted * share * model.pairs.conserved_edge();
        let a = edges(evidence, 0, rows, scale);
        let b = edges(evidence, 1, columns, 1.0);
        Box::new(ProductPairwise::new(a, b)?.0)
    } else {
        let own = of_factors(
            observed,
            &model.pairs,
            (rows, columns),
            needed,
            share,
            monitor,
        )?;
        match own {
            Some(pairwise) => pairwise,
            None => {
                let nothing = (Matrix::zeros(n, n), Matrix::zeros(m, m));
                Box::new(SeparablePairwise::from_factors(&[nothing], monitor)?)
            }
        }
    };
    let mut parts = vec![first];
    for (view, model) in observed.further.iter().zip(&model.further) {
        parts.extend(of_view(
            view,
            model,
            (rows, columns),
            needed,
            share,
            monitor,
        )?);
    }
    let pairwise = match parts.len() {
        1 => parts.remove(0),
        _ => Box::new(SumPairwise::new(parts)?),
    };
    Ok(Problem::maximise(unary, pairwise)?.with_coverage(coverage))
}

/// The pairwise part of what two graphs show between the free nodes, a `share` of it; `None` when it says
/// nothing.
fn of_factors(
    observed: &Observed,
    model: &PairModel,
    (rows, columns): (&[usize], &[usize]),
    needed: Needed,
    share: f64,
    monitor: &Monitor,
) -> Result<Option<Box<dyn Pairwise>>> {
    let (source, target) = ((&observed.source, rows), (&observed.target, columns));
    let mut factors = scaled(model.factors(source, target, needed), share);
    Ok(match factors.len() {
        0 => None,
        1 => {
            let (a, b) = factors.remove(0);
            Some(Box::new(ProductPairwise::new(weights(a), weights(b))?.0))
        }
        _ => {
            let factors = if observed.source.is_directed() {
                in_both_directions(factors)
            } else {
                factors
            };
            Some(Box::new(SeparablePairwise::from_factors(
                &factors, monitor,
            )?))
        }
    })
}

/// The same of what is shown beside the edges.
fn of_view(
    view: &View,
    model: &PairModel,
    (rows, columns): (&[usize], &[usize]),
    needed: Needed,
    share: f64,
    monitor: &Monitor,
) -> Result<Option<Box<dyn Pairwise>>> {
    match view {
        View::Layer(observed) => {
            of_factors(observed, model, (rows, columns), needed, share, monitor)
        }
        View::Crossing([there, back], _) => {
            let factors = model.crossing_factors([there, back], (rows, columns), needed);
            let factors = scaled(factors, share);
            Ok(match factors.is_empty() {
                true => None,
                false => Some(Box::new(CrossingPairwise::new(&factors)?)),
            })
        }
    }
}

/// A share of every product.
fn scaled(mut factors: Vec<(Matrix, Matrix)>, share: f64) -> Vec<(Matrix, Matrix)> {
    for (f, _) in &mut factors {
        f.as_mut_slice().iter_mut().for_each(|v| *v *= share);
    }
    factors
}

/// ½ (F_ij G_ab + F_ji G_ba) of every pair of factors, as products of symmetric and of antisymmetric parts.
fn in_both_directions(factors: Vec<(Matrix, Matrix)>) -> Vec<(Matrix, Matrix)> {
    let part = |matrix: &Matrix, sign: f64| {
        Matrix::from_fn(matrix.rows(), matrix.cols(), |i, j| {
            0.5 * (matrix[(i, j)] + sign * matrix[(j, i)])
        })
    };
    let parts = factors
        .iter()
        .flat_map(|(f, g)| [1.0, -1.0].map(|sign| (part(f, sign), part(g, sign))));
    let says_something = |matrix: &Matrix| matrix.as_slice().iter().any(|&v| v != 0.0);
    let kept: Vec<_> = parts
        .filter(|(f, g)| says_something(f) && says_something(g))
        .collect();
    if kept.is_empty() { factors } else { kept }
}

/// A table as it is, or its entries where most are zero.
fn weights(table: Matrix) -> Weights {
    let entries = table.as_slice().iter().filter(|v| **v != 0.0).count();
    if entries as f64 <= SPARSE_DENSITY * table.as_slice().len() as f64 {
        Weights::Sparse(Csr::from_dense(&table))
    } else {
        Weights::Dense(table)
    }
}

/// Which tables of the model depend on who is matched.
///
/// Of counts, no Gaussian has the tails: what it says of one side alone would leave out the nodes with the
/// most of them. Products alone order full matchings as if the smaller side had more nodes without an edge.
fn needed(evidence: &Evidence<'_>, coverage: Coverage) -> Needed {
    let (n, m) = evidence.shape();
    let partial = coverage == Coverage::Partial;
    let counts = evidence.observed.scale == Scale::Counts;
    let by_products = counts || (is_sparse(evidence) && are_nearly_equal(n, m));
    Needed {
        source_varies: partial || (n > m && !by_products),
        target_varies: partial || (m > n && !by_products),
    }
}

/// Whether nearly all nodes of the larger side have a partner.
fn are_nearly_equal(n: usize, m: usize) -> bool {
    n.abs_diff(m) as f64 <= NEARLY_EQUAL * n.max(m) as f64
}

fn is_sparse(evidence: &Evidence<'_>) -> bool {
    evidence.observed.further.is_empty() && evidence.observed.density() <= SPARSE_DENSITY
}

/// Whether the full program is a product of two lists of edges.
pub(super) fn is_listed(evidence: &Evidence<'_>, model: &Model) -> bool {
    let needed = needed(evidence, Coverage::Full);
    is_sparse(evidence) && model.pairs.counts_edges(needed)
}

/// Whether the full program is one product whatever the scales.
pub(super) fn is_one_product(evidence: &Evidence<'_>) -> bool {
    let (n, m) = evidence.shape();
    let observed = &evidence.observed;
    let constant = observed.source.variance() == 0.0 || observed.target.variance() == 0.0;
    let is_square = n == m || (is_sparse(evidence) && are_nearly_equal(n, m));
    is_square && observed.further.is_empty() && (observed.is_complete() || constant)
}

/// The edges between some nodes, each of weight `scale`.
fn edges(evidence: &Evidence<'_>, side: usize, nodes: &[usize], scale: f64) -> Weights {
    let graph = evidence.graphs[side];
    let edges = if evidence.observed.source.is_directed() {
        graph.arcs()
    } else {
        graph.sparse_adjacency()
    };
    Weights::Sparse(edges.select(nodes, nodes).map(|_| scale))
}

/// The program of a Gaussian kernel on the weights, which an outlier cannot cost more than its own
/// pairs; `None` when all weights are the same, have directions, or are counts, which are zero for most pairs.
pub(super) fn tolerant(
    evidence: &Evidence<'_>,
    correlation: f64,
    monitor: &Monitor,
) -> Result<Option<Problem>> {
    let (n, m) = evidence.shape();
    let (source, target) = (&evidence.observed.source, &evidence.observed.target);
    let observed = &evidence.observed;
    let has_kernel =
        observed.scale != Scale::Counts && !source.is_directed() && observed.further.is_empty();
    if !(has_kernel && source.variance() > 0.0 && target.variance() > 0.0) {
        return Ok(None);
    }
    let (rows, columns) = (&evidence.free.source, &evidence.free.target);
    // The variance of x − y for matched weights is 2 (1 − ρ); three times as wide is tolerant.
    let kernel = GaussianKernel::new(12.0 * (1.0 - correlation))?;
    let mut unary = Matrix::zeros(n, m);
    for &(p, q) in evidence.folded_anchors() {
        for (i, &s) in rows.iter().enumerate() {
            for (a, &t) in columns.iter().enumerate() {
                unary[(i, a)] +=
                    2.0 * kernel.evaluate(standardised(source, s, p), standardised(target, t, q));
            }
        }
    }
    let pairwise = SeparablePairwise::new(
        all_standardised(source, rows),
        all_standardised(target, columns),
        kernel,
        1e-4,
        monitor,
    )?;
    Ok(Some(Problem::maximise(unary, Box::new(pairwise))?))
}

/// A weight in units of its graph's spread.
fn standardised(observed: &Observations, i: usize, j: usize) -> f64 {
    observed.get(i, j).map_or(NO_EDGE, |v| {
        (v - observed.mean()) / observed.variance().sqrt()
    })
}

fn all_standardised(observed: &Observations, nodes: &[usize]) -> Matrix {
    Matrix::from_fn(nodes.len(), nodes.len(), |k, l| {
        standardised(observed, nodes[k], nodes[l])
    })
}

#[cfg(test)]
mod tests {
    use super::super::fixture::Planted;
    use super::*;

    /// What the program says of two matchings is what the posterior says, whatever the coverage and whichever way
    /// the edges run.
    #[test]
    fn differences_of_the_objective_are_those_of_the_posterior() {
        let directed = |weight| Planted::directed(9, 2, weight);
        for planted in [
            Planted::new(9, 2),
            directed(|k| k as f64 - 3.5),
            directed(|_| 1.0),
            directed(|k| (1 << (k / 3)) as f64),
        ] {
            planted.with_evidence(|_, evidence| agree(&planted, evidence));
        }
    }

    /// Nor whatever else the pairs of pairs show.
    #[test]
    fn further_views_are_part_of_both() {
        for weight in [
            |k: usize| (1 << (k / 3)) as f64,
            |k: usize| k as f64 + 0.5,
            |_| 1.0,
        ] {
            let planted = Planted::directed(9, 2, weight);
            let [there, back] = planted.crossing(weight);
            planted.with_facts(
                |task| task.with_crossing(there.clone(), back.clone()).unwrap(),
                |_, evidence| agree(&planted, evidence),
            );
        }
        let planted = Planted::directed(9, 2, |k| k as f64 - 3.5);
        let [source, target] = planted.layers();
        planted.with_facts(
            |task| task.with_layers(source, target).unwrap(),
            |_, evidence| {
                assert_eq!(evidence.observed.further.len(), 1);
                agree(&planted, evidence);
            },
        );
    }

    /// Differences of the objective are those of the posterior.
    fn agree(planted: &Planted, evidence: &Evidence<'_>) {
        let [right, wrong] = planted.right_and_wrong(evidence);
        let model = evidence.guess(0.8);
        for share in [1.0, 0.4] {
            let full = Terms {
                share,
                ..Terms::FULL
            };
            let partial = Terms {
                coverage: Coverage::Partial,
                matched: 7,
                ..full
            };
            for terms in [full, partial] {
                let problem = problem(evidence, &model, terms, &Monitor::silent()).unwrap();
                assert_eq!(problem.coverage(), terms.coverage);
                let found = problem.objective(&right) - problem.objective(&wrong);
                let wanted = evidence.posterior(&model, &right, share)
                    - evidence.posterior(&model, &wrong, share);
                assert!(
                    (found - wanted).abs() < 1e-9 * wanted.abs().max(1.0),
                    "{found} {wanted}"
                );
                // A soft matrix sees the same program.
                let mut image = vec![0.0; 49];
                let mut x = vec![0.0; 49];
                right.pairs().for_each(|(i, a)| x[7 * i + a] = 1.0);
                let mut scratch = vec![0.0; problem.pairwise().scratch_len()];
                problem.pairwise().apply(&x, &mut image, &mut scratch);
                for (i, a) in wrong.pairs() {
                    let pairs = right.pairs();
                    let value = |(j, b)| problem.pairwise().value(i, a, j, b);
                    let sum: f64 = pairs.map(value).sum();
                    assert!((image[7 * i + a] - sum).abs() < 1e-9 * sum.abs().max(1.0));
                }
            }
        }
    }

    #[test]
    fn a_pair_less_costs_its_evidence_and_its_prior() {
        let planted = Planted::new(8, 1);
        planted.with_evidence(|_, evidence| {
            let model = evidence.guess(0.9);
            let all = evidence.assignment(&planted.truth);
            let mut fewer = all.clone();
            fewer.set(3, None);
            let terms = Terms {
                coverage: Coverage::Partial,
                matched: all.matched(),
                share: 1.0,
            };
            let problem = problem(evidence, &model, terms, &Monitor::silent()).unwrap();
            let found = problem.objective(&all) - problem.objective(&fewer);
            let wanted =
                evidence.posterior(&model, &all, 1.0) - evidence.posterior(&model, &fewer, 1.0);
            assert!(
                (found - wanted).abs() < 1e-9 * wanted.abs(),
                "{found} {wanted}"
            );
        });
    }

    #[test]
    fn the_programs_of_approximations_prefer_the_truth() {
        let planted = Planted::new(9, 2);
        planted.with_evidence(|_, evidence| {
            let [right, wrong] = planted.right_and_wrong(evidence);
            let product = Program::product(evidence, &Monitor::silent()).unwrap();
            let problem = product.problem;
            assert!(problem.pairwise().as_product().is_some());
            assert!(problem.objective(&right) > problem.objective(&wrong));
            let problem = tolerant(evidence, 0.9, &Monitor::silent())
                .unwrap()
                .unwrap();
            assert!(problem.objective(&right) > problem.objective(&wrong));
        });
    }
}
