//! What a graph shows of each pair of its nodes.

use rayon::prelude::*;

use crate::error::Result;
use crate::graph::Graph;
use crate::linalg::{Csr, Matrix, quantile};
use crate::monitor::Monitor;

/// From this density on, what is missing of a weighted graph counts as weight zero.
const NEARLY_COMPLETE: f64 = 0.99;

/// The excess kurtosis above which tails are heavy.
const HEAVY: f64 = 2.0;

/// Triples of nodes that are tried before a complete graph's weights count as lengths.
const TRIPLES: usize = 20_000;

/// The largest weights whose moments and their products are ordinary numbers.
const ORDINARY: std::ops::Range<f64> = 1e-50..1e50;

/// From this ratio of squared mean and variance on, the mean is taken off: as polynomials of the raw
/// values, likelihoods would cancel to nothing.
const FAR: f64 = 1e8;

/// Entries of a table that are formed before anybody is asked: a tenth of a second.
const UNASKED: usize = 1 << 24;

/// On which scale weights are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// As they are.
    AsGiven,
    /// By their square roots: lengths.
    Roots,
    /// By their ranks, as quantiles of the normal distribution: weights with heavy tails.
    Ranks,
    /// By ln(1 + w), no edge being a count of none: whole numbers with heavy tails.
    Counts,
}

impl Scale {
    /// The scale in words.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::AsGiven => "as they are",
            Self::Roots => "square roots of lengths",
            Self::Ranks => "ranks, as normal quantiles",
            Self::Counts => "logarithms of counts",
        }
    }
}

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
    directed: bool,
    complete: bool,
    density: f64,
    mean: f64,
    variance: f64,
}

/// Whether a graph's weights are the lengths of a metric: one of the largest sets of triples that can
/// be tried in time without an exception.
#[must_use]
pub fn are_lengths(graph: &Graph) -> bool {
    let n = graph.node_count();
    if n < 3 || graph.edge_count() < n * (n - 1) / 2 {
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

/// Whether a few weights are so far out that they would speak for all: an excess kurtosis above that of
/// any everyday symmetric distribution (uniform −1.2, normal 0, logistic 1.2; exponential 6).
#[must_use]
pub fn has_heavy_tails(graph: &Graph) -> bool {
    let unit = unit(graph.weights());
    let values = || graph.weights().map(|w| w / unit);
    let count = (2 * graph.edge_count()).max(1) as f64;
    let mean = values().sum::<f64>() / count;
    let moment = |power: i32| values().map(|w| (w - mean).powi(power)).sum::<f64>() / count;
    let (second, fourth) = (moment(2), moment(4));
    second > 1e-24 * mean * mean && fourth > (3.0 + HEAVY) * second * second
}

/// Whether the weights are whole numbers above zero: counts of something.
#[must_use]
pub fn are_counts(graph: &Graph) -> bool {
    graph.weights().all(|w| w >= 1.0 && w.fract() == 0.0)
}

/// A unit in which values have squares and fourth powers that neither vanish nor overflow: 1 wherever
/// that will do.
pub(crate) fn unit(values: impl Iterator<Item = f64>) -> f64 {
    let largest = values.fold(0.0, |largest: f64, v| largest.max(v.abs()));
    if largest == 0.0 || ORDINARY.contains(&largest) {
        1.0
    } else {
        largest
    }
}

/// The power of two at or below the largest value. Roots of values in this unit are the same to the last
/// bit whatever power of two the values are multiplied by, odd ones among them.
fn binary_unit(values: impl Iterator<Item = f64> + Clone) -> f64 {
    const EXPONENT: u64 = 0x7ff << 52;
    let largest = values
        .clone()
        .fold(0.0, |largest: f64, v| largest.max(v.abs()));
    if largest.is_normal() {
        f64::from_bits(largest.to_bits() & EXPONENT)
    } else {
        unit(values)
    }
}

/// The weights' normal scores: Φ⁻¹ of their mid-ranks.
fn normal_scores(graph: &Graph) -> impl Fn(f64) -> f64 {
    let mut sorted: Vec<f64> = graph.weights().collect();
    sorted.sort_unstable_by(f64::total_cmp);
    move |weight| {
        let below = sorted.partition_point(|&w| w < weight);
        let up_to = sorted.partition_point(|&w| w <= weight);
        quantile(0.5 * (below + up_to) as f64 / sorted.len().max(1) as f64)
    }
}

/// The normal score of every arc's weight, in the order of the graph's rows.
pub(crate) fn weight_scores(graph: &Graph) -> Vec<f32> {
    let score = normal_scores(graph);
    let mut distinct: Vec<f64> = graph.weights().collect();
    distinct.sort_unstable_by(f64::total_cmp);
    distinct.dedup();
    let scores: Vec<f32> = distinct.par_iter().map(|&w| score(w) as f32).collect();
    let place = |weight: &f64| distinct.partition_point(|w| w < weight);
    let weights = graph.sparse_adjacency().values();
    weights.par_iter().map(|w| scores[place(w)]).collect()
}

impl Observations {
    /// What `graph` shows, its weights on a scale; of a directed graph, what its arcs show if `directed`.
    #[must_use]
    pub fn of(graph: &Graph, scale: Scale, directed: bool) -> Self {
        Self::formed(graph, scale, directed, &Monitor::silent()).expect("nobody stops it")
    }

    /// [`of`](Self::of) for graphs so large that somebody may want to stop it.
    ///
    /// # Errors
    /// When the monitor stops it: a part of the table is of no use.
    pub fn formed(graph: &Graph, scale: Scale, directed: bool, monitor: &Monitor) -> Result<Self> {
        let n = graph.node_count();
        let go_on = |entries: usize| {
            if entries < UNASKED {
                return Ok(());
            }
            monitor.go_on()
        };
        let edges = if directed {
            graph.arcs()
        } else {
            graph.sparse_adjacency()
        };
        let scores = (scale == Scale::Ranks).then(|| normal_scores(graph));
        let pairs = (n * n.saturating_sub(1)) as f64;
        let unit = match scale {
            Scale::Roots => binary_unit(graph.weights()),
            Scale::Counts => 1.0,
            _ => unit(graph.weights()),
        };
        let (mut count, mut sum) = (0.0, 0.0);
        let nearly = edges.entries() as f64 >= NEARLY_COMPLETE * pairs;
        let mut absent = f64::NAN;
        if scale == Scale::Counts || (scale == Scale::AsGiven && nearly) {
            // Weights that happened to be zero are no edges of their own kind.
            absent = 0.0;
            count = pairs - edges.entries() as f64;
        }
        let mut values = Vec::with_capacity(n * n);
        for i in 0..n {
            go_on(values.len())?;
            values.resize((i + 1) * n, absent);
            let row = &mut values[i * n..];
            row[i] = f64::NAN;
            for (j, weight) in edges.row(i) {
                let value = match (scale, &scores) {
                    (Scale::Roots, _) => (weight / unit).sqrt(),
                    (Scale::Counts, _) => weight.ln_1p(),
                    (_, Some(score)) => score(weight),
                    _ => weight / unit,
                };
                row[j] = value;
                count += 1.0;
                sum += value;
            }
        }
        let mut mean = if count > 0.0 { sum / count } else { 0.0 };
        let mut squares = 0.0;
        for row in values.chunks(n.max(1)) {
            go_on(values.len())?;
            let observed = row.iter().filter(|v| !v.is_nan());
            squares = observed.fold(squares, |sum, v| sum + (v - mean).powi(2));
        }
        let variance = if count > 0.0 { squares / count } else { 0.0 };
        // What is left of equal weights after rounding is no variation.
        let variance = if variance > 1e-24 * mean * mean {
            variance
        } else {
            0.0
        };
        if variance > 0.0 && mean * mean > FAR * variance {
            values.iter_mut().for_each(|v| *v -= mean);
            let left = values.iter().filter(|v| !v.is_nan());
            mean = left.sum::<f64>() / count;
        }
        Ok(Self {
            values: Matrix::from_vec(n, n, values),
            directed: directed && graph.is_directed(),
            complete: count == pairs,
            density: if pairs > 0.0 { count / pairs } else { 0.0 },
            mean,
            variance,
        })
    }

    /// What a table of weights between two sides shows, on a scale; there is no diagonal.
    #[must_use]
    pub fn of_table(table: &Csr<f64>, scale: Scale) -> Self {
        let (n, m) = (table.rows(), table.cols());
        let unit = unit(table.values().iter().copied());
        let value = |weight: f64| match scale {
            Scale::Counts => weight.ln_1p(),
            _ => weight / unit,
        };
        let absent = if scale == Scale::Counts {
            0.0
        } else {
            f64::NAN
        };
        let mut values = Matrix::filled(n, m, absent);
        for (i, a, weight) in table.triplets().filter(|entry| entry.2 != 0.0) {
            values[(i, a)] = value(weight);
        }
        let observed = || values.as_slice().iter().filter(|v| !v.is_nan());
        let (count, pairs) = (observed().count() as f64, (n * m) as f64);
        let mean = observed().sum::<f64>() / count.max(1.0);
        let variance = observed().map(|v| (v - mean).powi(2)).sum::<f64>() / count.max(1.0);
        Self {
            values,
            directed: true,
            complete: count == pairs,
            density: count / pairs.max(1.0),
            mean,
            variance: if variance > 1e-24 * mean * mean {
                variance
            } else {
                0.0
            },
        }
    }

    /// What a symmetric matrix with a value for every pair shows; its diagonal does not count.
    #[must_use]
    pub fn of_matrix(matrix: &Matrix) -> Self {
        let n = matrix.rows();
        let pairs = (n * n.saturating_sub(1)).max(1) as f64;
        let values = Matrix::from_fn(n, n, |i, j| if i == j { f64::NAN } else { matrix[(i, j)] });
        let off_diagonal = || values.as_slice().iter().filter(|v| !v.is_nan());
        let mean = off_diagonal().sum::<f64>() / pairs;
        let variance = off_diagonal().map(|v| (v - mean).powi(2)).sum::<f64>() / pairs;
        Self {
            directed: false,
            complete: n > 1,
            density: f64::from(u8::from(n > 1)),
            mean,
            variance,
            values,
        }
    }

    /// The number of nodes.
    #[must_use]
    pub fn node_count(&self) -> usize {
        self.values.rows()
    }

    /// The weight between `i` and `j` if they are joined; weights far from zero for their spread are
    /// less their mean.
    #[must_use]
    #[inline]
    pub fn get(&self, i: usize, j: usize) -> Option<f64> {
        let value = self.values[(i, j)];
        (!value.is_nan()).then_some(value)
    }

    /// Whether (i, j) and (j, i) are two observations.
    #[must_use]
    pub fn is_directed(&self) -> bool {
        self.directed
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;

    #[test]
    fn a_few_zero_weights_leave_a_graph_complete() {
        let edges: Vec<(usize, usize, f64)> = (0..40usize)
            .flat_map(|i| (0..i).map(move |j| (i, j, (i * j % 7) as f64 + 1.0)))
            .filter(|&(i, j, _)| (i, j) != (20, 3))
            .collect();
        let observed = Observations::of(
            &Graph::from_edges(40, &edges).unwrap(),
            Scale::AsGiven,
            false,
        );
        assert!(observed.is_complete());
        assert_eq!((observed.get(20, 3), observed.get(3, 3)), (Some(0.0), None));
        let half = Graph::from_edges(40, &edges[..300]).unwrap();
        assert!(!Observations::of(&half, Scale::AsGiven, false).is_complete());
    }

    #[test]
    fn ranks_do_not_mind_what_is_done_to_weights() {
        let edges = |f: fn(f64) -> f64| -> Vec<(usize, usize, f64)> {
            let pairs = (0..8usize).flat_map(|i| (0..i).map(move |j| (i, j)));
            pairs
                .map(|(i, j)| (i, j, f(((i * 13 + j * 7) % 11 + 1) as f64)))
                .collect()
        };
        let plain = Graph::from_edges(8, &edges(|w| w)).unwrap();
        let wild = Graph::from_edges(8, &edges(|w| w.powi(9))).unwrap();
        assert!(!has_heavy_tails(&plain) && has_heavy_tails(&wild));
        let scores = [&plain, &wild].map(|g| Observations::of(g, Scale::Ranks, false));
        for i in 0..8 {
            for j in 0..i {
                assert_eq!(scores[0].get(i, j), scores[1].get(i, j));
            }
        }
    }

    #[test]
    fn extreme_weights_keep_their_moments() {
        let value = |k: usize| [1.0, 4.0, 2.0, 8.0, 5.0, 7.0][k];
        let graph = |f: &dyn Fn(f64) -> f64| {
            let pairs = (0..4).flat_map(|i| (0..i).map(move |j| (i, j))).enumerate();
            let edges: Vec<_> = pairs.map(|(k, (i, j))| (i, j, f(value(k)))).collect();
            Graph::from_edges(4, &edges).unwrap()
        };
        let z = |o: &Observations, i, j| (o.get(i, j).unwrap() - o.mean()) / o.variance().sqrt();
        let plain = Observations::of(&graph(&|w| w), Scale::AsGiven, false);
        let changes: [&dyn Fn(f64) -> f64; 4] =
            [&|w| 1e-300 * w, &|w| 1e300 * w, &|w| w + 1e9, &|w| {
                w / 8.0 * f64::MAX
            }];
        for change in changes {
            let changed = Observations::of(&graph(change), Scale::AsGiven, false);
            for (i, j) in [(1, 0), (2, 1), (3, 2)] {
                assert!((z(&changed, i, j) - z(&plain, i, j)).abs() < 1e-6);
            }
            // No moment of the values is out of proportion to their variance.
            assert!(changed.mean().powi(2) < 1e9 * changed.variance());
        }
        assert!(!has_heavy_tails(&graph(&|w| 1e300 * w)));
        let many = (0..12).flat_map(|i| (0..i).map(move |j| (i, j)));
        let many: Vec<_> = many
            .map(|(i, j)| (i, j, 1e290 * (((i * j) % 9) as f64 + 0.5)))
            .collect();
        assert!(!has_heavy_tails(&Graph::from_edges(12, &many).unwrap()));
        let many: Vec<_> = many
            .iter()
            .map(|&(i, j, w)| (i, j, if j == 10 { 1e300 } else { w }))
            .collect();
        assert!(has_heavy_tails(&Graph::from_edges(12, &many).unwrap()));
    }

    #[test]
    fn a_stop_ends_large_tables_alone() {
        let stopped = Monitor::silent();
        stopped.cancel_token().cancel();
        let formed = |nodes: usize| {
            let path = Graph::from_edges(nodes, &[(0, 1, 1.0)]).unwrap();
            Observations::formed(&path, Scale::AsGiven, false, &stopped)
                .map(|observed| observed.density)
        };
        assert!(formed(30).is_ok());
        assert!(matches!(formed(4200), Err(Error::Stopped(_))));
    }

    #[test]
    fn roots_do_not_depend_on_a_power_of_two() {
        let roots = |power: i32| {
            let edges = [(0, 1, 3.0), (1, 2, 4.1), (2, 0, 5.3)];
            let edges = edges.map(|(i, j, w)| (i, j, w * 2f64.powi(power)));
            Observations::of(&Graph::from_edges(3, &edges).unwrap(), Scale::Roots, false)
        };
        let plain = roots(0);
        for power in [-1000, -31, -2, 1, 29, 30, 900] {
            let scaled = roots(power);
            let bits = |o: &Observations| {
                [(0, 1), (1, 2), (2, 0)].map(|(i, j)| o.get(i, j).map(f64::to_bits))
            };
            assert_eq!(bits(&scaled), bits(&plain), "{power}");
            assert_eq!(
                scaled.variance().to_bits(),
                plain.variance().to_bits(),
                "{power}"
            );
        }
    }
}
