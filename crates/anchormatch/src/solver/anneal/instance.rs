//! The instance that a walk searches: both factors in units of one conserved edge, seen from the sparser one.
//!
//! The *pattern* is the factor with fewer entries and the *host* the other one; where the pattern is B
//! the whole problem is looked at from the other side. Shorter sides are filled up with nodes without
//! entries, so that an assignment is a permutation.

use crate::assignment::Assignment;
use crate::problem::{Problem, ProductPairwise, Sense, Weights};

/// No unary value is larger than this in units of the instance, so that single precision suffices.
const LARGEST_UNARY: f64 = 1e6;

/// Rows of (node, entry), one after another.
#[derive(Clone)]
pub(super) struct Links {
    begins: Vec<usize>,
    entries: Vec<(u32, f32)>,
}

impl Links {
    /// The entries of `weights` over `unit`; nodes beyond it, up to `nodes`, have none.
    fn new(weights: &Weights, unit: f64, nodes: usize) -> Self {
        let mut links = Self {
            begins: vec![0],
            entries: Vec::new(),
        };
        let mut push = |j: usize, v: f64| {
            let value = (v / unit) as f32;
            if value != 0.0 && value.is_finite() {
                links.entries.push((j as u32, value));
            }
            links.entries.len()
        };
        for i in 0..nodes {
            let mut end = *links.begins.last().expect("begins with 0");
            match weights {
                Weights::Dense(matrix) if i < matrix.rows() => {
                    for (j, &v) in matrix.row(i).iter().enumerate() {
                        end = push(j, v);
                    }
                }
                Weights::Sparse(rows) if i < rows.len() => {
                    for &(j, v) in &rows[i] {
                        end = push(j as usize, v);
                    }
                }
                _ => {}
            }
            links.begins.push(end);
        }
        links
    }

    #[inline]
    pub(super) fn of(&self, node: usize) -> &[(u32, f32)] {
        &self.entries[self.begins[node]..self.begins[node + 1]]
    }

    /// Entry (i, j).
    pub(super) fn get(&self, i: usize, j: usize) -> f32 {
        let row = self.of(i);
        row.binary_search_by_key(&(j as u32), |entry| entry.0)
            .map_or(0.0, |place| row[place].1)
    }

    fn transposed(&self, nodes: usize) -> Self {
        let mut begins = vec![0; nodes + 1];
        for entry in &self.entries {
            begins[entry.0 as usize + 1] += 1;
        }
        for i in 0..nodes {
            begins[i + 1] += begins[i];
        }
        let mut next = begins.clone();
        let mut entries = vec![(0, 0.0); self.entries.len()];
        for i in 0..nodes {
            for &(j, v) in self.of(i) {
                entries[next[j as usize]] = (i as u32, v);
                next[j as usize] += 1;
            }
        }
        Self { begins, entries }
    }

    fn are_integers(&self) -> bool {
        let whole = |v: f32| v.fract() == 0.0 && v.abs() < 1e3;
        self.entries.iter().all(|entry| whole(entry.1))
    }

    /// The least and the greatest entry, 0 among them.
    fn range(&self) -> (f32, f32) {
        let entries = self.entries.iter();
        entries.fold((0.0, 0.0), |(low, high), e| (e.1.min(low), e.1.max(high)))
    }
}

/// What does not change during a walk.
#[derive(Clone)]
pub(super) struct Instance {
    /// Pattern and host; for directed factors also their transposes.
    pub(super) layers: Vec<(Links, Links)>,
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
        let entries = |weights: &Weights| match weights {
            Weights::Dense(matrix) => matrix.as_slice().len(),
            Weights::Sparse(rows) => rows.iter().map(Vec::len).sum(),
        };
        let links = 16 * (entries(product.a()) + entries(product.b())) as u64;
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
        let unary = problem.unary().as_slice();
        let largest = unary.iter().fold(0.0f64, |x, y| x.max(y.abs()));
        let mean = unary
            .iter()
            .map(|v| v.abs() / unary.len() as f64)
            .sum::<f64>();
        // One conserved edge, unless the unary values weigh more.
        let unit = (both * mean_a * mean_b)
            .max(mean)
            .max(largest / LARGEST_UNARY);
        let unit = if unit.is_finite() { unit } else { 1.0 };
        let a = Links::new(product.a(), sign * (unit / both / mean_b), nodes);
        let b = Links::new(product.b(), mean_b, nodes);
        let turned = count_a > count_b;
        let (pattern, host) = if turned { (b, a) } else { (a, b) };
        let (rows, cols) = if turned { (m, n) } else { (n, m) };
        let scaled = |value: f64| (sign * value / unit) as f32;
        let unary: Vec<f32> = if turned {
            let transposed = problem.unary().transposed();
            transposed.as_slice().iter().map(|&v| scaled(v)).collect()
        } else {
            problem
                .unary()
                .as_slice()
                .iter()
                .map(|&v| scaled(v))
                .collect()
        };
        let words = cols.div_ceil(64);
        let mut bits = vec![0u64; cols * words];
        for c in 0..cols {
            for &(d, _) in host.of(c) {
                let d = d as usize;
                bits[c * words + d / 64] |= 1 << (d % 64);
                bits[d * words + c / 64] |= 1 << (c % 64);
            }
        }
        let mut layers = vec![(pattern, host)];
        if directed {
            let (pattern, host) = &layers[0];
            layers.push((pattern.transposed(nodes), host.transposed(nodes)));
        }
        let exact = layers
            .iter()
            .all(|l| l.0.are_integers() && l.1.are_integers())
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
            let (low, high) = host.range();
            let gains = pattern.of(i).iter();
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

/// The entries of a matrix that are not zero: how many, and their mean absolute value or 1.
fn count_and_mean(weights: &Weights) -> (usize, f64) {
    let (mut count, mut sum) = (0usize, 0.0);
    let mut add = |v: f64| {
        count += usize::from(v != 0.0);
        sum += v.abs();
    };
    match weights {
        Weights::Dense(matrix) => matrix.as_slice().iter().for_each(|&v| add(v)),
        Weights::Sparse(rows) => rows.iter().flatten().for_each(|entry| add(entry.1)),
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
