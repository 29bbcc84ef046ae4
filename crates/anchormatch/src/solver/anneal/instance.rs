//! The instance that a walk searches: both factors in units of one conserved edge, seen from the sparser one.
//!
//! The *pattern* is the factor with fewer entries and the *host* the other one; where the pattern is B
//! the whole problem is looked at from the other side. Shorter sides are filled up with nodes without
//! entries, so that an assignment is a permutation.

use crate::assignment::Assignment;
use crate::linalg::Csr;
use crate::problem::{Problem, ProductPairwise, Sense, Weights};

/// No unary value is larger than this in units of the instance, so that single precision suffices.
const LARGEST_UNARY: f64 = 1e6;

/// What does not change during a walk.
#[derive(Clone)]
pub(super) struct Instance {
    /// Pattern and host; for directed factors also their transposes.
    pub(super) layers: Vec<(Csr<f32>, Csr<f32>)>,
    /// Whether there is an entry between two nodes of the host, in one direction or the other.
    bits: Vec<u64>,
    words: usize,
    /// Unary values, pattern × host.
    unary: Vec<f32>,
    pub(super) rows: usize,
    pub(super) cols: usize,
    /// The larger side.
    pub(super) nodes: usize,
    /// The most that each row can score.
    pub(super) bounds: Vec<f32>,
    /// Whether rows of the pattern are columns of the problem.
    pub(super) turned: bool,
    /// Whether single precision makes no errors.
    pub(super) exact: bool,
    /// What one unit is in the objective.
    unit: f64,
}

impl Instance {
    /// Bytes that an instance, `states` states and `occupancies` occupancies need.
    pub(super) fn memory(
        problem: &Problem,
        product: &ProductPairwise,
        (states, occupancies): (usize, usize),
    ) -> u64 {
        let (n, m) = problem.shape();
        let side = n.max(m) as u64;
        let links = 16 * (product.a().entries() + product.b().entries()) as u64;
        let matrices = 4 * (n as u64) * (m as u64) * (1 + states + occupancies) as u64;
        links + matrices + side * side / 8 + 64 * side
    }

    pub(super) fn new(problem: &Problem, product: &ProductPairwise) -> Self {
        let (n, m) = problem.shape();
        let nodes = n.max(m);
        let directed = !product.is_symmetric();
        let sign = match problem.sense() {
            Sense::Maximise => 1.0,
            Sense::Minimise => -1.0,
        };
        let (count_a, mean_a) = count_and_mean(product.a());
        let (count_b, mean_b) = count_and_mean(product.b());
        let both = if directed { 1.0 } else { 2.0 };
        let values = problem.unary().iter();
        let largest = values.clone().fold(0.0f64, |x, y| x.max(y.abs()));
        let mean = values.map(|v| v.abs() / (n * m) as f64).sum::<f64>();
        // One conserved edge, unless the unary values weigh more.
        let unit = (both * mean_a * mean_b)
            .max(mean)
            .max(largest / LARGEST_UNARY);
        let unit = if unit.is_finite() { unit } else { 1.0 };
        let a = links(product.a(), sign * (unit / both / mean_b), nodes);
        let b = links(product.b(), mean_b, nodes);
        let turned = count_a > count_b;
        let (pattern, host) = if turned { (b, a) } else { (a, b) };
        let (rows, cols) = if turned { (m, n) } else { (n, m) };
        let mut unary = vec![0.0f32; n * m];
        for (place, value) in problem.unary().iter().enumerate() {
            let (i, c) = (place / m, place % m);
            let place = if turned { c * n + i } else { place };
            unary[place] = (sign * value / unit) as f32;
        }
        let words = cols.div_ceil(64);
        let mut bits = vec![0u64; cols * words];
        for c in 0..cols {
            for (d, _) in host.row(c) {
                bits[c * words + d / 64] |= 1 << (d % 64);
                bits[d * words + c / 64] |= 1 << (c % 64);
            }
        }
        let mut layers = vec![(pattern, host)];
        if directed {
            let (pattern, host) = &layers[0];
            layers.push((pattern.transposed(), host.transposed()));
        }
        let exact = layers
            .iter()
            .all(|l| are_integers(&l.0) && are_integers(&l.1))
            && unary.iter().all(|v| v.fract() == 0.0 && v.abs() < 1e5);
        let mut instance = Self {
            layers,
            bits,
            words,
            unary,
            rows,
            cols,
            nodes,
            bounds: Vec::new(),
            turned,
            exact,
            unit,
        };
        instance.bounds = (0..nodes).map(|i| instance.bound(i)).collect();
        instance
    }

    /// Unary values in units, pattern × host.
    pub(super) fn unary(&self) -> &[f32] {
        &self.unary
    }

    /// What one unit of the gain is in the objective.
    pub(super) fn unit(&self) -> f64 {
        self.unit
    }

    /// The most that row `i` can score.
    fn bound(&self, i: usize) -> f32 {
        if i >= self.rows {
            return 0.0;
        }
        let alone = if self.rows > self.cols {
            0.0
        } else {
            f32::NEG_INFINITY
        };
        let unary = &self.unary[i * self.cols..(i + 1) * self.cols];
        let mut most = unary.iter().fold(alone, |x, &y| x.max(y));
        for (pattern, host) in &self.layers {
            let (low, high) = range(host);
            let gains = pattern.row(i);
            most += gains.map(|e| (e.1 * high).max(e.1 * low)).sum::<f32>();
        }
        most
    }

    /// The assignment of the problem that `partners`, a permutation, stands for.
    pub(super) fn assignment(&self, partners: &[u32]) -> Assignment {
        let real = |c: u32, size: usize| ((c as usize) < size).then_some(c as usize);
        if !self.turned {
            let rows = partners[..self.rows].iter();
            return rows.map(|&c| real(c, self.cols)).collect();
        }
        let mut assignment = Assignment::empty(self.cols);
        for (i, &c) in partners.iter().enumerate().take(self.rows) {
            if let Some(c) = real(c, self.cols) {
                assignment.set(c, Some(i));
            }
        }
        assignment
    }

    /// Whether the host has an entry between two columns.
    #[inline]
    pub(super) fn linked(&self, c: usize, d: usize) -> bool {
        c < self.cols && d < self.cols && self.bits[c * self.words + d / 64] >> (d % 64) & 1 == 1
    }
}

/// The entries of `weights` over `unit`; nodes beyond it, up to `nodes`, have none.
fn links(weights: &Weights, unit: f64, nodes: usize) -> Csr<f32> {
    let rows = (0..nodes).map(|i| {
        let mut row = Vec::new();
        if i < weights.node_count() {
            weights.visit_row(i, |j, v| {
                let value = (v / unit) as f32;
                if value != 0.0 && value.is_finite() {
                    row.push((j, value));
                }
            });
        }
        row
    });
    Csr::from_rows(nodes, rows).expect("rows of weights ascend")
}

fn are_integers(links: &Csr<f32>) -> bool {
    let whole = |v: f32| v.fract() == 0.0 && v.abs() < 1e3;
    links.values().iter().all(|&v| whole(v))
}

/// The least and the greatest entry, 0 among them.
fn range(links: &Csr<f32>) -> (f32, f32) {
    let values = links.values().iter();
    values.fold((0.0, 0.0), |(low, high), &v| (v.min(low), v.max(high)))
}

/// The entries of a matrix that are not zero: how many, and their mean absolute value or 1.
fn count_and_mean(weights: &Weights) -> (usize, f64) {
    let (mut count, mut sum) = (0usize, 0.0);
    let mut add = |v: f64| {
        count += usize::from(v != 0.0);
        sum += v.abs();
    };
    match weights {
        Weights::Dense(matrix) => matrix.as_slice().iter().for_each(|&v| add(v)),
        Weights::Sparse(listed) => listed.values().iter().for_each(|&v| add(v)),
    }
    let mean = sum / count as f64;
    (
        count,
        if mean > 0.0 && mean.is_finite() {
            mean
        } else {
            1.0
        },
    )
}
