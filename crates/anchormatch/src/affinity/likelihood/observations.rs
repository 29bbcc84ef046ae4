//! What a graph shows of each pair of its nodes.

use crate::graph::Graph;
use crate::linalg::Matrix;

/// Triples of nodes that are tried before a complete graph's weights count as lengths.
const TRIPLES: usize = 20_000;

/// The presence and weight of every pair of nodes, with what is usual in the graph.
///
/// Weights that are lengths (all positive, every pair joined, no side of a triangle longer than the
/// other two together) are compared by their square roots. Two views of the same points err on long
/// distances more than on short ones, though less than in proportion; roots make the errors even.
/// Among all pairs of frames of the Hotel sequence, plain lengths, roots and logarithms were tried.
#[derive(Debug, Clone)]
pub struct Observations {
    /// Weights, NaN where there is no edge and on the diagonal.
    values: Matrix,
    complete: bool,
    density: f64,
    mean: f64,
    variance: f64,
}

/// Whether a graph's weights are the lengths of a metric: one of the largest sets of triples that can
/// be tried in time without an exception.
#[must_use]
pub fn are_lengths(graph: &Graph) -> bool {
    let n = graph.nodes();
    if n < 3 || graph.edges() < n * (n - 1) / 2 {
        return false;
    }
    let positive = (0..n).all(|i| graph.neighbours(i).all(|(_, w)| w > 0.0));
    // Every triple of a small graph; a spread of them in a large one, by a stride that is coprime
    // to their number in practice.
    let triples = n * (n - 1) * (n - 2) / 6;
    let stride = (triples / TRIPLES).max(1) | 1;
    let side = |i, j| graph.weight(i, j);
    let mut place = 0;
    let mut holds = positive;
    for i in 0..n {
        for j in 0..i {
            let rest = j;
            // The triples (i, j, k < j) stand at places `place..place + rest`.
            let mut k = (stride - place % stride) % stride;
            while holds && k < rest {
                let mut sides = [side(i, j), side(i, k), side(j, k)];
                sides.sort_unstable_by(f64::total_cmp);
                // Rounded coordinates may miss it by their rounding.
                holds = sides[2] <= (sides[0] + sides[1]) * (1.0 + 1e-9);
                k += stride;
            }
            place += rest;
        }
    }
    holds
}

impl Observations {
    /// What `graph` shows; `lengths` compares weights by their square roots.
    #[must_use]
    pub fn of(graph: &Graph, lengths: bool) -> Self {
        let n = graph.nodes();
        let mut values = Matrix::filled(n, n, f64::NAN);
        let (mut count, mut sum) = (0.0, 0.0);
        for i in 0..n {
            for (j, weight) in graph.neighbours(i) {
                let value = if lengths { weight.sqrt() } else { weight };
                values[(i, j)] = value;
                count += 1.0;
                sum += value;
            }
        }
        let mean = if count > 0.0 { sum / count } else { 0.0 };
        let squares: f64 = values
            .as_slice()
            .iter()
            .filter(|v| !v.is_nan())
            .map(|v| (v - mean).powi(2))
            .sum();
        let variance = if count > 0.0 { squares / count } else { 0.0 };
        // What is left of equal weights after rounding is no variation.
        let variance = if variance > 1e-24 * mean * mean {
            variance
        } else {
            0.0
        };
        let pairs = (n * n.saturating_sub(1)) as f64;
        Self {
            values,
            complete: count == pairs,
            density: if pairs > 0.0 { count / pairs } else { 0.0 },
            mean,
            variance,
        }
    }

    /// The number of nodes.
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.values.rows()
    }

    /// The weight between `i` and `j` if they are joined.
    #[must_use]
    #[inline]
    pub fn get(&self, i: usize, j: usize) -> Option<f64> {
        let value = self.values[(i, j)];
        (!value.is_nan()).then_some(value)
    }

    /// Whether every pair is joined.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    /// The share of pairs that are joined.
    #[must_use]
    pub fn density(&self) -> f64 {
        self.density
    }

    /// The mean weight of the edges.
    #[must_use]
    pub fn mean(&self) -> f64 {
        self.mean
    }

    /// The variance of the edges' weights; 0 when all are the same.
    #[must_use]
    pub fn variance(&self) -> f64 {
        self.variance
    }
}
