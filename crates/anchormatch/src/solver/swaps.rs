//! All exchanges of a full assignment and what they gain, for W = s Σᵣ Fᵣ ⊗ Gᵣ.
//!
//! The smaller side is filled up with nodes that nothing interacts with, so that the assignment is a
//! permutation p of N = max(n₁, n₂) places and taking a free column is an exchange like all others.
//! With h = sign · (u + 2 G), the gradient in the order of p, Q_kl = h(k, p(l)), and
//! C_kl = 2 · sign · (W(k p(k), l p(l)) + W(k p(l), l p(k))), exchanging k and l gains
//!
//! > D_kl = Q_kl + Q_lk − Q_kk − Q_ll + C_kl.
//!
//! After i and j exchanged, with αʳ = 2 s · sign · (Fʳ_i· − Fʳ_j·) and βʳ = Gʳ_{b p(·)} − Gʳ_{a p(·)},
//! columns i and j of Q change places, and
//!
//! > Q += Σᵣ αʳ βʳᵀ,     D_kl −= Σᵣ (αʳ_k − αʳ_l) (βʳ_k − βʳ_l)   for k, l ∉ {i, j},
//!
//! while the rows of i and j in D follow from Q in O(n). For r = 1 this is the update of Burkard and
//! Rendl (1984) and Taillard (1991), with Q in place of their O(n) sums for the rows of i and j.
//!
//! Memory: two N×N matrices. All rows are padded to whole vectors of [`LANES`] numbers.

use crate::assignment::Assignment;
use crate::error::Result;
use crate::linalg::Vectors;
use crate::monitor::Monitor;
use crate::problem::{Coverage, LowRank, Problem};

use super::Kind;
use super::local::tolerance;
use super::memory::{bytes, reserve_for};

/// Numbers that the inner loops take at a time.
pub(super) const LANES: usize = 8;

/// Exchanges after which everything is computed afresh, so that rounding does not add up.
const REFRESH: usize = 8192;

/// The state at a permutation.
pub(super) struct Swaps<'p> {
    problem: &'p Problem,
    w: LowRank<'p>,
    /// Whether rows and columns of the problem are exchanged, so that there are not more rows.
    flipped: bool,
    unary: &'p [f64],
    sign: f64,
    /// Rows that exist; those up to `nodes` fill up.
    real: usize,
    nodes: usize,
    stride: usize,
    partner: Vec<usize>,
    /// Q.
    gradient: Vec<f64>,
    /// D above the diagonal; −∞ below it, in the padding, and between rows that fill up.
    deltas: Vec<f64>,
    /// αʳ and βʳ, row after row.
    alpha: Vec<f64>,
    beta: Vec<f64>,
    /// Σᵣ αʳ_k βʳ_k.
    diagonal: Vec<f64>,
    /// Scratch for a row of D.
    row: Vec<f64>,
    gain: f64,
    moves: usize,
    vectors: Vectors,
}

impl<'p> Swaps<'p> {
    /// Whether the problem has the form that this state needs, at sizes where it is worth it.
    pub(super) fn suit(problem: &Problem) -> bool {
        let (n, m) = problem.shape();
        let (few, many) = (n.min(m), n.max(m));
        few > 0
            && many <= 4 * few
            && problem.candidates().is_all()
            && problem.coverage() == Coverage::Full
            && problem.pairwise().low_rank_memory().is_some()
    }

    /// Bytes that a state takes, and the tabu list that goes with it: two matrices each.
    pub(super) fn memory(problem: &Problem) -> u64 {
        let nodes = problem.shape().0.max(problem.shape().1);
        let stride = nodes.next_multiple_of(LANES) as u64;
        let numbers = (nodes as u64).saturating_mul(stride).saturating_mul(4);
        let factors = problem.pairwise().low_rank_memory().unwrap_or(0);
        bytes(problem, numbers).saturating_add(factors)
    }

    /// The state at `assignment`, which must match the whole smaller side.
    ///
    /// # Errors
    /// When the memory does not suffice.
    ///
    /// # Panics
    /// When the problem does not [`suit`](Self::suit).
    pub(super) fn new(
        problem: &'p Problem,
        assignment: &Assignment,
        monitor: &Monitor,
    ) -> Result<Self> {
        let (n, m) = problem.shape();
        let (real, nodes) = (n.min(m), n.max(m));
        let stride = nodes.next_multiple_of(LANES);
        reserve_for(Kind::Search, problem, Self::memory(problem), monitor)?;
        let unary = problem.full_unary(monitor)?.as_slice();
        let w = problem.pairwise().low_rank().expect("a sum of products");
        let flipped = n > m;
        let terms = w.terms();
        let mut swaps = Self {
            problem,
            unary,
            w: if flipped { w.flipped() } else { w },
            flipped,
            sign: problem.sense().sign(),
            real,
            nodes,
            stride,
            partner: vec![0; nodes],
            gradient: vec![0.0; nodes * stride],
            deltas: vec![f64::NEG_INFINITY; nodes * stride],
            alpha: vec![0.0; terms * stride],
            beta: vec![0.0; terms * stride],
            diagonal: vec![0.0; stride],
            row: vec![0.0; stride],
            gain: 0.0,
            moves: 0,
            vectors: Vectors::new(),
        };
        swaps.set(assignment);
        Ok(swaps)
    }

    /// Goes to another assignment.
    pub(super) fn set(&mut self, assignment: &Assignment) {
        let mut free = vec![true; self.nodes];
        for (i, a) in assignment.pairs() {
            let (row, column) = if self.flipped { (a, i) } else { (i, a) };
            self.partner[row] = column;
            free[column] = false;
        }
        let mut rest = (0..self.nodes).filter(|&c| free[c]);
        for slot in &mut self.partner[self.real..] {
            *slot = rest.next().expect("as many columns as rows");
        }
        self.refresh();
    }

    /// sign · objective, without the constant.
    pub(super) fn gain(&self) -> f64 {
        self.gain
    }

    /// Changes up to this size are rounding.
    pub(super) fn tolerance(&self) -> f64 {
        tolerance(self.problem)
    }

    /// Rows that exist, and with those that fill up.
    pub(super) fn sizes(&self) -> (usize, usize) {
        (self.real, self.nodes)
    }

    /// The machine's vector instructions.
    pub(super) fn vectors(&self) -> Vectors {
        self.vectors
    }

    /// The padded length of the rows of [`deltas`](Self::deltas).
    pub(super) fn stride(&self) -> usize {
        self.stride
    }

    /// p.
    pub(super) fn partners(&self) -> &[usize] {
        &self.partner
    }

    /// D above the diagonal, −∞ elsewhere.
    pub(super) fn deltas(&self) -> &[f64] {
        &self.deltas
    }

    /// The assignment that belongs to the partners `p` of a state like this one.
    pub(super) fn assignment(&self, p: &[usize]) -> Assignment {
        let mut result = Assignment::empty(self.problem.shape().0);
        for (row, &column) in p[..self.real].iter().enumerate() {
            let (i, a) = if self.flipped {
                (column, row)
            } else {
                (row, column)
            };
            result.set(i, Some(a));
        }
        result
    }

    /// Exchanges the columns of `i < j`.
    pub(super) fn swap(&mut self, i: usize, j: usize) {
        debug_assert!(i < j && i < self.real, "a pair above the diagonal");
        self.gain += self.deltas[i * self.stride + j];
        let (a, b) = (self.partner[i], self.partner[j]);
        self.partner.swap(i, j);
        self.moves += 1;
        if self.moves >= REFRESH.max(self.nodes) {
            self.refresh();
            return;
        }
        for row in self.gradient[..self.real * self.stride].chunks_exact_mut(self.stride) {
            row.swap(i, j);
        }
        self.prepare((i, a), (j, b));
        self.vectors.run(
            #[inline(always)]
            || match self.w.terms() {
                1 => self.update::<1>(),
                2 => self.update::<2>(),
                _ => self.update::<0>(),
            },
        );
        self.update_row(i);
        self.update_row(j);
    }

    /// α, β and their products.
    fn prepare(&mut self, (i, a): (usize, usize), (j, b): (usize, usize)) {
        let factor = 2.0 * self.sign * self.w.scale();
        self.diagonal.fill(0.0);
        for r in 0..self.w.terms() {
            let alpha = &mut self.alpha[r * self.stride..(r + 1) * self.stride];
            let beta = &mut self.beta[r * self.stride..(r + 1) * self.stride];
            let from = self.w.left(r, i);
            if j < self.real {
                for ((slot, x), y) in alpha.iter_mut().zip(from).zip(self.w.left(r, j)) {
                    *slot = factor * (x - y);
                }
            } else {
                // The other row only fills up.
                for (slot, x) in alpha.iter_mut().zip(from) {
                    *slot = factor * x;
                }
            }
            let (new, old) = (self.w.right(r, b), self.w.right(r, a));
            for (slot, &c) in beta.iter_mut().zip(&self.partner) {
                *slot = new[c] - old[c];
            }
            for ((slot, x), y) in self.diagonal.iter_mut().zip(&*alpha).zip(&*beta) {
                *slot += x * y;
            }
        }
    }

    /// Q += Σᵣ αβᵀ, and D with it; `TERMS` is r, or 0 when r is known at run time only.
    #[inline(always)]
    fn update<const TERMS: usize>(&mut self) {
        let stride = self.stride;
        let terms = if TERMS == 0 { self.w.terms() } else { TERMS };
        let rows = self.gradient.chunks_exact_mut(stride);
        let (alpha, beta) = (&self.alpha[..terms * stride], &self.beta[..terms * stride]);
        for (k, (q, d)) in rows
            .zip(self.deltas.chunks_exact_mut(stride))
            .take(self.real)
            .enumerate()
        {
            // D is wanted from column k + 1 on: from the vector that holds it.
            let from = (k + 1) / LANES;
            let (q, _) = q.as_chunks_mut::<LANES>();
            let (d, _) = d.as_chunks_mut::<LANES>();
            let (products, _) = self.diagonal.as_chunks::<LANES>();
            let mine = self.diagonal[k];
            if TERMS == 1 {
                let (x, y) = (alpha[k], beta[k]);
                let (alphas, _) = alpha.as_chunks::<LANES>();
                let (betas, _) = beta.as_chunks::<LANES>();
                if x != 0.0 {
                    for (q, beta) in q.iter_mut().zip(betas) {
                        let mut lanes = *q;
                        for lane in 0..LANES {
                            lanes[lane] += x * beta[lane];
                        }
                        *q = lanes;
                    }
                }
                for ((d, alpha), beta) in d.iter_mut().zip(alphas).zip(betas).skip(from) {
                    // On a copy: the compiler cannot know that the slices are apart.
                    let mut lanes = *d;
                    for lane in 0..LANES {
                        lanes[lane] -= (x - alpha[lane]) * (y - beta[lane]);
                    }
                    *d = lanes;
                }
                continue;
            }
            for (block, q) in q.iter_mut().enumerate() {
                let mut forward = [0.0; LANES];
                let mut backward = [0.0; LANES];
                let here = block * LANES;
                if block < from {
                    for r in 0..terms {
                        let x = alpha[r * stride + k];
                        let betas = &beta[r * stride + here..r * stride + here + LANES];
                        for lane in 0..LANES {
                            forward[lane] += x * betas[lane];
                        }
                    }
                } else {
                    for r in 0..terms {
                        let (x, y) = (alpha[r * stride + k], beta[r * stride + k]);
                        let betas = &beta[r * stride + here..r * stride + here + LANES];
                        let alphas = &alpha[r * stride + here..r * stride + here + LANES];
                        for lane in 0..LANES {
                            forward[lane] += x * betas[lane];
                            backward[lane] += y * alphas[lane];
                        }
                    }
                    for lane in 0..LANES {
                        d[block][lane] +=
                            (forward[lane] - mine) + (backward[lane] - products[block][lane]);
                    }
                }
                for lane in 0..LANES {
                    q[lane] += forward[lane];
                }
            }
        }
    }

    /// The entries of D that belong to row `i`, from Q.
    fn update_row(&mut self, i: usize) {
        let stride = self.stride;
        let row = &mut self.row[..self.nodes];
        let mine = self.gradient[i * stride + i];
        for (slot, q) in row.iter_mut().zip(&self.gradient[i * stride..]) {
            *slot = q - mine;
        }
        if i < self.real {
            let factor = 2.0 * self.sign * self.w.scale();
            let a = self.partner[i];
            for r in 0..self.w.terms() {
                let left = self.w.left(r, i);
                let right = self.w.right(r, a);
                let mirrored = self.w.right(self.w.mirror(r), a);
                for ((slot, &x), &c) in row.iter_mut().zip(left).zip(&self.partner) {
                    *slot += factor * x * (right[c] + mirrored[c]);
                }
            }
        }
        // Two rows that fill up are never exchanged.
        let last = if i < self.real { self.nodes } else { self.real };
        for (l, value) in row[..last].iter().enumerate() {
            if l != i {
                let value = value + self.gradient[l * stride + i] - self.gradient[l * stride + l];
                self.deltas[i.min(l) * stride + i.max(l)] = value;
            }
        }
    }

    /// Computes Q, D and the objective from nothing.
    fn refresh(&mut self) {
        let (n, m) = self.problem.shape();
        let pairwise = self.problem.pairwise();
        let place = |row: usize, column: usize| {
            if self.flipped {
                column * m + row
            } else {
                row * m + column
            }
        };
        let (mut x, mut image) = (vec![0.0; n * m], vec![0.0; n * m]);
        for (row, &column) in self.partner[..self.real].iter().enumerate() {
            x[place(row, column)] = 1.0;
        }
        pairwise.apply(&x, &mut image, &mut vec![0.0; pairwise.scratch_len()]);
        let unary = self.unary;
        let mut objective = 0.0;
        for (row, &column) in self.partner[..self.real].iter().enumerate() {
            let at = place(row, column);
            objective += unary[at] + image[at];
        }
        for k in 0..self.real {
            for (l, &column) in self.partner.iter().enumerate() {
                let at = place(k, column);
                self.gradient[k * self.stride + l] = self.sign * (unary[at] + 2.0 * image[at]);
            }
        }
        self.gain = self.sign * objective;
        self.moves = 0;
        for i in 0..self.real {
            self.update_row(i);
        }
    }
}
