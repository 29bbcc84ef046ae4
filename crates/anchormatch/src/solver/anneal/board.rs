//! Where a walk stands: the assignment, what every pair would score, and which rows lack something.
//!
//! The *pattern* is the factor with fewer entries and the *host* the other one; where the pattern is B
//! the whole problem is looked at from the other side. Shorter sides are filled up with nodes without
//! entries, so that an assignment is a permutation p. Kept up to date is the gradient
//!
//! > G(i, c) = u(i, c) + Σ_k A_ik B_{c p(k)} + A_ki B_{p(k) c},
//!
//! in units of one conserved edge of mean weight, so that the exchange of i at a and j at b gains
//!
//! > G(i, b) − G(i, a) + G(j, a) − G(j, b) + w(ia, jb) + w(ib, ja)
//!
//! in O(1), w what the two pairs give to each other. An exchange takes O(d_A d_B) updates for degrees
//! d. A row whose score is below the most that its entries could give is on the list of those that
//! lack something; when that is empty, the assignment is optimal.

use crate::problem::{Problem, ProductPairwise, Sense, Weights};

/// Scores this far below the bound count as reaching it.
const SLACK: f32 = 1e-3;

/// No unary value is larger than this in the units of the board, so that single precision suffices.
const LARGEST_UNARY: f64 = 1e6;

const NOWHERE: u32 = u32::MAX;

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

    fn get(&self, i: usize, j: usize) -> f32 {
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
pub(super) struct Terrain {
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
    bounds: Vec<f32>,
    /// Whether rows of the pattern are columns of the problem.
    pub(super) turned: bool,
    /// Whether single precision makes no errors.
    exact: bool,
    /// What one unit is in the objective.
    unit: f64,
}

impl Terrain {
    /// Bytes that a terrain, `boards` boards and the shares of `walks` walks need.
    pub(super) fn memory(
        problem: &Problem,
        product: &ProductPairwise,
        (boards, walks): (usize, usize),
    ) -> u64 {
        let (n, m) = problem.shape();
        let side = n.max(m) as u64;
        let entries = |weights: &Weights| match weights {
            Weights::Dense(matrix) => matrix.as_slice().len(),
            Weights::Sparse(rows) => rows.iter().map(Vec::len).sum(),
        };
        let links = 16 * (entries(product.a()) + entries(product.b())) as u64;
        let matrices = 4 * (n as u64) * (m as u64) * (1 + boards + walks) as u64;
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
        let largest = problem
            .unary()
            .as_slice()
            .iter()
            .fold(0.0f64, |x, y| x.max(y.abs()));
        // Of the objective, one conserved edge; without edges, the unary values alone count.
        let edge = both * mean_a * mean_b;
        let unit = edge.max(largest / LARGEST_UNARY);
        let unit = if unit > 0.0 && unit.is_finite() {
            unit
        } else {
            1.0
        };
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
        let mut terrain = Self {
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
        terrain.bounds = (0..nodes).map(|i| terrain.bound(i)).collect();
        terrain
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
    pub(super) fn assignment(&self, partners: &[u32]) -> Vec<Option<usize>> {
        let real = |c: u32, size: usize| ((c as usize) < size).then_some(c as usize);
        if !self.turned {
            let rows = partners[..self.rows].iter();
            return rows.map(|&c| real(c, self.cols)).collect();
        }
        let mut assignment = vec![None; self.cols];
        for (i, &c) in partners.iter().enumerate().take(self.rows) {
            if let Some(c) = real(c, self.cols) {
                assignment[c] = Some(i);
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

/// A permutation on a [`Terrain`], its gradient and its lacking rows.
#[derive(Clone)]
pub(super) struct Board<'t> {
    pub(super) terrain: &'t Terrain,
    gradient: Vec<f32>,
    partners: Vec<u32>,
    owners: Vec<u32>,
    scores: Vec<f32>,
    lacking: Vec<u32>,
    /// Where each row is on that list.
    places: Vec<u32>,
    /// What was gained since the beginning, in units.
    gain: f64,
    /// In what two rows of the pattern and of the host differ; kept for their memory.
    of_rows: Vec<(u32, f32)>,
    of_columns: Vec<(u32, f32)>,
}

impl<'t> Board<'t> {
    /// The board of an assignment that matches the smaller side of the problem.
    pub(super) fn new(terrain: &'t Terrain, assignment: &[Option<usize>]) -> Self {
        let mut board = Self {
            terrain,
            gradient: terrain.unary.clone(),
            partners: fill_up(terrain, assignment),
            owners: vec![0; terrain.nodes],
            scores: vec![0.0; terrain.nodes],
            lacking: Vec::with_capacity(terrain.nodes),
            places: vec![NOWHERE; terrain.nodes],
            gain: 0.0,
            of_rows: Vec::new(),
            of_columns: Vec::new(),
        };
        for (i, &c) in board.partners.iter().enumerate() {
            board.owners[c as usize] = i as u32;
        }
        board.recount();
        board
    }

    #[inline]
    pub(super) fn partner(&self, i: usize) -> usize {
        self.partners[i] as usize
    }

    #[inline]
    pub(super) fn owner(&self, c: usize) -> usize {
        self.owners[c] as usize
    }

    pub(super) fn partners(&self) -> &[u32] {
        &self.partners
    }

    /// The rows that could score more.
    #[inline]
    pub(super) fn lacking(&self) -> &[u32] {
        &self.lacking
    }

    /// What was gained since the board was set up.
    pub(super) fn gain(&self) -> f64 {
        self.gain
    }

    /// The objective without its constant, in units, counted anew.
    pub(super) fn value(&self) -> f64 {
        let terrain = self.terrain;
        let one = |i: usize| {
            let c = self.partner(i);
            let unary = if c < terrain.cols {
                terrain.unary[i * terrain.cols + c]
            } else {
                0.0
            };
            // The pairwise part of the scores counts every pair twice.
            0.5 * (f64::from(self.scores[i]) + f64::from(unary))
        };
        (0..terrain.rows).map(one).sum()
    }

    /// What i would score at c.
    #[inline]
    fn score(&self, i: usize, c: usize) -> f32 {
        let terrain = self.terrain;
        if i < terrain.rows && c < terrain.cols {
            self.gradient[i * terrain.cols + c]
        } else {
            0.0
        }
    }

    /// What the exchange of the partners of `i` and `j` gains, i ≠ j.
    #[inline]
    pub(super) fn change(&self, i: usize, j: usize) -> f32 {
        let (a, b) = (self.partner(i), self.partner(j));
        let mut change = self.score(i, b) - self.scores[i] + self.score(j, a) - self.scores[j];
        if self.terrain.linked(a, b) {
            for (pattern, host) in &self.terrain.layers {
                let weight = pattern.get(i, j);
                if weight != 0.0 {
                    change += weight * (host.get(a, b) + host.get(b, a));
                }
            }
        }
        change
    }

    /// Exchanges the partners of `i` and `j`; `change` is what that gains.
    ///
    /// G(k, c) changes by (A_ki − A_kj)(B_cb − B_ca), so that neighbours that both have cost nothing.
    pub(super) fn exchange(&mut self, i: usize, j: usize, change: f32) {
        let terrain = self.terrain;
        let (a, b) = (self.partner(i), self.partner(j));
        self.partners.swap(i, j);
        self.owners.swap(a, b);
        self.gain += f64::from(change);
        for (pattern, host) in &terrain.layers {
            difference(pattern.of(i), pattern.of(j), &mut self.of_rows);
            difference(host.of(b), host.of(a), &mut self.of_columns);
            for &(k, weight) in &self.of_rows {
                let begin = k as usize * terrain.cols;
                let row = &mut self.gradient[begin..begin + terrain.cols];
                for &(c, value) in &self.of_columns {
                    row[c as usize] += weight * value;
                }
            }
            for place in 0..self.of_rows.len() {
                self.look_at(self.of_rows[place].0 as usize);
            }
        }
        self.look_at(i);
        self.look_at(j);
    }

    /// Makes `partners` the permutation.
    pub(super) fn go_to(&mut self, partners: &[u32]) {
        for i in 0..partners.len() {
            if self.partners[i] != partners[i] {
                let j = self.owner(partners[i] as usize);
                let change = self.change(i, j);
                self.exchange(i, j, change);
            }
        }
    }

    /// Computes the gradient anew where rounding errors add up.
    pub(super) fn refresh(&mut self) {
        if !self.terrain.exact {
            self.gradient.copy_from_slice(&self.terrain.unary);
            self.recount();
        }
    }

    /// Adds the pairwise part to a gradient that holds the unary one.
    fn recount(&mut self) {
        let terrain = self.terrain;
        for (pattern, host) in &terrain.layers {
            for x in 0..terrain.nodes {
                let at = self.partner(x);
                for &(k, weight) in pattern.of(x) {
                    let begin = k as usize * terrain.cols;
                    for &(c, value) in host.of(at) {
                        self.gradient[begin + c as usize] += weight * value;
                    }
                }
            }
        }
        (0..terrain.nodes).for_each(|i| self.look_at(i));
    }

    /// Brings the score of a row, and whether it lacks something, up to date.
    #[inline]
    fn look_at(&mut self, i: usize) {
        let score = self.score(i, self.partner(i));
        self.scores[i] = score;
        let place = self.places[i];
        let lacks = score < self.terrain.bounds[i] - SLACK;
        if lacks && place == NOWHERE {
            self.places[i] = self.lacking.len() as u32;
            self.lacking.push(i as u32);
        } else if !lacks && place != NOWHERE {
            self.lacking.swap_remove(place as usize);
            if let Some(&moved) = self.lacking.get(place as usize) {
                self.places[moved as usize] = place;
            }
            self.places[i] = NOWHERE;
        }
    }
}

/// `out` = one row less another.
#[inline]
fn difference(first: &[(u32, f32)], second: &[(u32, f32)], out: &mut Vec<(u32, f32)>) {
    out.clear();
    let (mut first, mut second) = (first.iter().peekable(), second.iter().peekable());
    loop {
        match (first.peek(), second.peek()) {
            (Some(x), Some(y)) if x.0 == y.0 => {
                if x.1 != y.1 {
                    out.push((x.0, x.1 - y.1));
                }
                first.next();
                second.next();
            }
            (Some(x), y) if y.is_none_or(|y| x.0 < y.0) => {
                out.push((x.0, x.1));
                first.next();
            }
            (_, Some(y)) => {
                out.push((y.0, -y.1));
                second.next();
            }
            _ => return,
        }
    }
}

/// The permutation of an assignment, rows and columns without partner matched in their order.
fn fill_up(terrain: &Terrain, assignment: &[Option<usize>]) -> Vec<u32> {
    let mut partners = vec![NOWHERE; terrain.nodes];
    let mut free = vec![true; terrain.nodes];
    for (i, c) in assignment.iter().enumerate() {
        if let Some(c) = *c {
            let (i, c) = if terrain.turned { (c, i) } else { (i, c) };
            partners[i] = c as u32;
            free[c] = false;
        }
    }
    let mut left = (0..terrain.nodes).filter(|&c| free[c]);
    for slot in partners.iter_mut().filter(|slot| **slot == NOWHERE) {
        *slot = left.next().expect("as many columns as rows") as u32;
    }
    partners
}
