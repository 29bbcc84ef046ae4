//! Likenesses of nodes and of edges that learned weights combine.
//!
//! Of nodes: exp(−Δ²/mean Δ²) of the heat kernel signature at each of eight times, and of the degree, both relative to
//! the graph's own mean, so that units do not matter. Of edges: exp(−Δ²/s) of the weights, relative to the mean weight, for
//! four widths s. Edges of hard anchors count for the nodes at their other ends.

use crate::affinity::second_order::mean_squared_difference;
use crate::assignment::Assignment;
use crate::error::{Error, Hint, Result};
use crate::graph::Graph;
use crate::linalg::Matrix;
use crate::matcher::learned::TrainingPair;
use crate::monitor::Monitor;
use crate::problem::{ExplicitPairwise, Problem};
use crate::spectral::{Spectrum, diffusion_time, heat_signature};

/// Times of the signature, τ in geometric steps.
const TIMES: usize = 8;
const TAUS: [f64; 2] = [0.1, 10.0];

/// Likenesses of nodes.
pub(super) const NODE_FEATURES: usize = TIMES + 1;

/// The widest likeness of edges, in means of the squared difference.
const WIDEST: f64 = 1.5;

/// Likenesses of edges: of the widest width, and of a 3rd, a 10th and a 30th of it, narrowest first.
pub(super) const EDGE_FEATURES: usize = 4;

/// exp(−Δ²/s) at all widths. The narrower ones are whole powers of the widest, so that one exponential serves them all.
fn edge_likenesses(apart: f64, widest: f64) -> [f64; EDGE_FEATURES] {
    let first = (-apart * apart / widest).exp();
    let third = first * first * first;
    let tenth = third * third * third * first;
    [tenth * tenth * tenth, tenth, third, first]
}

/// Two graphs as features, over the nodes that are to be matched.
#[derive(Debug, Clone)]
pub(super) struct Instance {
    /// φₖ.
    nodes: Vec<Matrix>,
    /// gₗ of the edges to anchors, summed over them, twice: they count in both orders.
    to_anchors: Vec<Matrix>,
    /// Relative weights between the nodes.
    x: Matrix,
    y: Matrix,
    /// s of the widest likeness of edges.
    widest: f64,
    /// 1/(k − 1): an assignment gets as much from its edges together as from one likeness of nodes.
    scale: f64,
    /// What all of this takes.
    pub(super) bytes: u64,
    /// The partner of each row, where it is known.
    pub(super) truth: Assignment,
}

impl Instance {
    /// The features of an example: all its nodes, and who belongs to whom.
    pub(super) fn of_training(pair: &TrainingPair<'_>, monitor: &Monitor) -> Result<Self> {
        let graphs = [pair.source, pair.target];
        let all = graphs.map(|graph| (0..graph.node_count()).collect::<Vec<_>>());
        let mut instance = Self::new(graphs, [&all[0], &all[1]], &[], monitor)?;
        for &(i, a) in pair.truth {
            if i >= all[0].len() || a >= all[1].len() {
                return Err(Error::Anchors(format!(
                    "found the pair ({i}, {a}), expected nodes below {} and {}",
                    all[0].len(),
                    all[1].len()
                )));
            }
            instance.truth.set(i, Some(a));
        }
        Ok(instance)
    }

    /// The features of some nodes of two graphs.
    pub(super) fn new(
        graphs: [&Graph; 2],
        nodes: [&[usize]; 2],
        anchors: &[(usize, usize)],
        monitor: &Monitor,
    ) -> Result<Self> {
        let bytes = bytes(graphs, nodes);
        let hints = &[Hint::MoreMemory, Hint::SmallerGraphs];
        monitor.reserve("the likenesses of all nodes", bytes, hints)?;
        let monitor = &monitor.holding(bytes);
        let values = [
            node_values(graphs[0], monitor)?,
            node_values(graphs[1], monitor)?,
        ];
        let node_features = (0..NODE_FEATURES)
            .map(|k| {
                likeness(nodes.map(<[usize]>::len), |i, a| {
                    values[0][(nodes[0][i], k)] - values[1][(nodes[1][a], k)]
                })
            })
            .collect();
        let all = graphs.map(relative_weights);
        let [x, y] = [0, 1].map(|g| all[g].select(nodes[g], nodes[g]));
        let mean = mean_squared_difference(&all[0], &all[1]);
        let mean = if mean > 0.0 { mean } else { 1.0 };
        let widest = WIDEST * mean;
        let smaller = nodes[0].len().min(nodes[1].len());
        let scale = 1.0 / smaller.saturating_sub(1).max(1) as f64;
        let to_anchors = (0..EDGE_FEATURES)
            .map(|l| {
                Matrix::from_fn(nodes[0].len(), nodes[1].len(), |i, a| {
                    let each = anchors.iter().map(|&(u, v)| {
                        let apart = all[0][(nodes[0][i], u)] - all[1][(nodes[1][a], v)];
                        edge_likenesses(apart, widest)[l]
                    });
                    2.0 * scale * each.sum::<f64>()
                })
            })
            .collect();
        Ok(Self {
            nodes: node_features,
            to_anchors,
            bytes,
            truth: Assignment::empty(nodes[0].len()),
            x,
            y,
            widest,
            scale,
        })
    }

    pub(super) fn shape(&self) -> (usize, usize) {
        (self.x.rows(), self.y.rows())
    }

    /// The unary values under some weights.
    pub(super) fn unary(&self, weights: &[f64]) -> Matrix {
        let (n, m) = self.shape();
        let mut unary = Matrix::zeros(n, m);
        for (feature, weight) in self.nodes.iter().chain(&self.to_anchors).zip(weights) {
            for (slot, value) in unary.as_mut_slice().iter_mut().zip(feature.as_slice()) {
                *slot += weight * value;
            }
        }
        unary
    }

    /// The likeness of two edges under the weights of edges.
    pub(super) fn edge(&self, weights: &[f64], x: f64, y: f64) -> f64 {
        let each = weights.iter().zip(edge_likenesses(x - y, self.widest));
        self.scale * each.map(|(v, g)| v * g).sum::<f64>()
    }

    /// What two assignments have in common, 0 where they conflict.
    pub(super) fn likeness(
        &self,
        weights: &[f64],
        (i, a): (usize, usize),
        (j, b): (usize, usize),
    ) -> f64 {
        if i == j || a == b {
            return 0.0;
        }
        self.edge(weights, self.x[(i, j)], self.y[(a, b)])
    }

    /// The program under some weights.
    pub(super) fn problem(&self, weights: &[f64], monitor: &Monitor) -> Result<Problem> {
        self.problem_with(self.unary(weights), &weights[NODE_FEATURES..], monitor)
    }

    /// The program of given unary values and weights of edges.
    pub(super) fn problem_with(
        &self,
        unary: Matrix,
        edges: &[f64],
        monitor: &Monitor,
    ) -> Result<Problem> {
        let pairwise = self.pairwise(edges, monitor)?;
        Problem::maximise(unary, Box::new(pairwise))
    }

    /// W of the edges under their weights; those to anchors are among the unary values.
    pub(super) fn pairwise(&self, edges: &[f64], monitor: &Monitor) -> Result<ExplicitPairwise> {
        let affinity = |x: f64, y: f64| self.edge(edges, x, y);
        ExplicitPairwise::from_values(&self.x, &self.y, affinity, monitor)
    }

    /// Adds ⟨x, φ_f y⟩ to the derivative by each weight f, φ_f entry by entry: what the unary values have of it.
    pub(super) fn add_unary_gradient(&self, x: &[f64], y: &[f64], gradient: &mut [f64]) {
        for (slot, feature) in gradient
            .iter_mut()
            .zip(self.nodes.iter().chain(&self.to_anchors))
        {
            let each = x.iter().zip(y).zip(feature.as_slice());
            *slot += each.map(|((x, y), value)| x * y * value).sum::<f64>();
        }
    }

    /// Σ φ and Σ g over the pairs of a map, and over its pairs of pairs that `joined` takes: the derivatives of the
    /// objective by the weights.
    pub(super) fn totals(
        &self,
        map: &Assignment,
        joined: impl Fn(usize, usize) -> bool,
    ) -> Vec<f64> {
        let mut totals = vec![0.0; NODE_FEATURES + EDGE_FEATURES];
        for (i, a) in map.pairs() {
            for (slot, feature) in totals
                .iter_mut()
                .zip(self.nodes.iter().chain(&self.to_anchors))
            {
                *slot += feature[(i, a)];
            }
            for (j, b) in map.pairs() {
                if i == j || a == b || !joined(i, j) {
                    continue;
                }
                let likenesses = edge_likenesses(self.x[(i, j)] - self.y[(a, b)], self.widest);
                for (slot, g) in totals[NODE_FEATURES..].iter_mut().zip(likenesses) {
                    *slot += self.scale * g;
                }
            }
        }
        totals
    }
}

/// The bytes of all likenesses, of the weights, and of unary values made of them.
fn bytes(graphs: [&Graph; 2], nodes: [&[usize]; 2]) -> u64 {
    let [n, m] = nodes.map(|nodes| nodes.len() as u64);
    let tables = (NODE_FEATURES + EDGE_FEATURES + 1) as u64;
    let squares = graphs.map(|graph| (graph.node_count() as u64).saturating_pow(2));
    // The weights of all nodes, and of those that are to be matched.
    let weights = 2u64.saturating_mul(squares[0].saturating_add(squares[1]));
    let likenesses = tables.saturating_mul(n.saturating_mul(m));
    likenesses.saturating_add(weights).saturating_mul(8)
}

/// exp(−Δ²/mean Δ²).
fn likeness([n, m]: [usize; 2], difference: impl Fn(usize, usize) -> f64) -> Matrix {
    let mut squares = Matrix::from_fn(n, m, |i, a| difference(i, a).powi(2));
    let mean = squares.mean();
    let rate = if mean > 0.0 { 1.0 / mean } else { 0.0 };
    squares
        .as_mut_slice()
        .iter_mut()
        .for_each(|v| *v = (-*v * rate).exp());
    squares
}

/// Signatures at several times and the degree, each over its mean.
fn node_values(graph: &Graph, monitor: &Monitor) -> Result<Matrix> {
    let n = graph.node_count();
    let spectrum = Spectrum::of(graph, monitor)?;
    let [from, to] = TAUS;
    let step = (to / from).ln() / (TIMES - 1) as f64;
    let times = (0..TIMES).map(|k| diffusion_time(graph, from * (step * k as f64).exp()));
    let times: Vec<f64> = times.collect::<Result<_>>()?;
    let signature = heat_signature(&spectrum, &times)?;
    let degrees: Vec<f64> = (0..n)
        .map(|u| graph.neighbours(u).map(|(_, w)| w.max(0.0)).sum())
        .collect();
    let mut values = Matrix::from_fn(n, NODE_FEATURES, |u, k| {
        if k < TIMES {
            signature[(u, k)]
        } else {
            degrees[u]
        }
    });
    for k in 0..NODE_FEATURES {
        let mean = (0..n).map(|u| values[(u, k)]).sum::<f64>() / n.max(1) as f64;
        if mean > 0.0 {
            (0..n).for_each(|u| values[(u, k)] /= mean);
        }
    }
    Ok(values)
}

/// Weights over the mean of their sizes.
fn relative_weights(graph: &Graph) -> Matrix {
    let mut weights = graph.adjacency();
    let (mut sum, mut count) = (0.0, 0.0);
    for w in graph.weights() {
        sum += w.abs();
        count += 1.0;
    }
    if sum > 0.0 {
        weights
            .as_mut_slice()
            .iter_mut()
            .for_each(|w| *w *= count / sum);
    }
    weights
}
