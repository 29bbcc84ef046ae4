//! The product form of the quadratic assignment problem (Koopmans & Beckmann 1957).
//!
//! > Σ_ij A_ij B_{p(i) p(j)} = xᵀWx,   W(ia, jb) = ½ (A_ij B_ab + A_ji B_ba) for i ≠ j, a ≠ b,
//! > u(i, a) = A_ii B_aa,              W·X = ½ (A X Bᵀ + Aᵀ X B).
//!
//! Only the symmetric part of W matters to xᵀWx, so directed A and B are allowed. When either is
//! symmetric, W·X is A' X B'ᵀ with both symmetrised: half the work. A and B are dense or sparse, each
//! by itself.

use std::sync::Arc;

use super::low_rank::Rows;
use super::restricted::ByFactors;
use super::{
    Entries, LowRank, Pairwise, Problem, Restricted, Sense, Weights, sum_interactions, with_linear,
};
use crate::assignment::Assignment;
use crate::error::Result;
use crate::linalg::{Csr, Matrix, PairValues, multiply_into};

/// W(ia, jb) = ½ (A_ij B_ab + A_ji B_ba).
#[derive(Debug, Clone)]
pub struct ProductPairwise {
    a: Weights,
    b: Weights,
    /// Aᵀ and Bᵀ, when neither A nor B is symmetric.
    transposed: Option<(Weights, Weights)>,
    bounds: (f64, f64),
}

impl ProductPairwise {
    /// The operator of A and B, and the unary part A_ii B_aa.
    ///
    /// # Errors
    /// When a matrix is not square, not finite, or its sparse rows are not sorted.
    pub fn new(mut a: Weights, mut b: Weights) -> Result<(Self, PairValues)> {
        a.check("A")?;
        b.check("B")?;
        let (diagonal_a, diagonal_b) = (a.split_diagonal(), b.split_diagonal());
        let unary = match (&a, &b) {
            (Weights::Sparse(_), Weights::Sparse(_)) => {
                outer_product(&diagonal_a, &diagonal_b)?.into()
            }
            _ => Matrix::from_fn(diagonal_a.len(), diagonal_b.len(), |i, c| {
                diagonal_a[i] * diagonal_b[c]
            })
            .into(),
        };
        let transposed = match (a.is_symmetric(), b.is_symmetric()) {
            (true, true) => None,
            (true, false) => {
                b = b.symmetrised();
                None
            }
            (false, true) => {
                a = a.symmetrised();
                None
            }
            (false, false) => Some((a.transposed(), b.transposed())),
        };
        let ((low_a, high_a), (low_b, high_b)) = (a.range(), b.range());
        let corners = [
            low_a * low_b,
            low_a * high_b,
            high_a * low_b,
            high_a * high_b,
        ];
        // A side of one node has no pairs, and no range.
        let bounds = if corners.iter().all(|v| v.is_finite()) {
            corners
                .iter()
                .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &v| {
                    (low.min(v), high.max(v))
                })
        } else {
            (0.0, 0.0)
        };
        let pairwise = Self {
            a,
            b,
            transposed,
            bounds,
        };
        Ok((pairwise, unary))
    }

    /// The quadratic assignment problem Σ A_ij B_{p(i) p(j)} (+ Σ linear), in the sense given.
    ///
    /// # Errors
    /// As [`new`](Self::new), and when the linear part has another shape.
    pub fn problem(
        sense: Sense,
        a: Weights,
        b: Weights,
        linear: Option<&Matrix>,
    ) -> Result<Problem> {
        let (pairwise, unary) = Self::new(a, b)?;
        let unary = with_linear(unary, linear)?;
        Problem::new(sense, unary, Box::new(pairwise))
    }

    /// A without its diagonal; symmetrised when B is symmetric.
    #[must_use]
    pub fn a(&self) -> &Weights {
        &self.a
    }

    /// B without its diagonal; symmetrised when A is symmetric.
    #[must_use]
    pub fn b(&self) -> &Weights {
        &self.b
    }

    /// Whether both factors are symmetric.
    #[must_use]
    pub fn is_symmetric(&self) -> bool {
        self.transposed.is_none()
    }

    /// Whether either factor is a list of entries.
    fn has_lists(&self) -> bool {
        matches!(self.a, Weights::Sparse(_)) || matches!(self.b, Weights::Sparse(_))
    }

    /// `gradient[k, c] += scale · column_k · row_c` over the nonzero entries of both.
    fn add_outer(
        &self,
        (a, i): (&Weights, usize),
        (b, c): (&Weights, usize),
        scale: f64,
        gradient: &mut [f64],
    ) {
        let m = self.b.node_count();
        a.visit_row(i, |k, value| {
            let factor = scale * value;
            if factor != 0.0 {
                let row = &mut gradient[k * m..(k + 1) * m];
                match b {
                    Weights::Dense(matrix) => {
                        for (slot, v) in row.iter_mut().zip(matrix.row(c)) {
                            *slot += factor * v;
                        }
                    }
                    Weights::Sparse(listed) => {
                        for (d, v) in listed.row(c) {
                            row[d] += factor * v;
                        }
                    }
                }
            }
        });
    }
}

impl ProductPairwise {
    /// `gradient += scale · (row i − row j of A)ᵀ (row c − row d of B)`.
    fn add_outer_difference(
        &self,
        (a, i, j): (&Weights, usize, usize),
        (b, c, d): (&Weights, usize, usize),
        scale: f64,
        gradient: &mut [f64],
    ) {
        let m = self.b.node_count();
        if let (Weights::Dense(left), Weights::Dense(right)) = (a, b) {
            let (new, old) = (right.row(c), right.row(d));
            let factors = left.row(i).iter().zip(left.row(j));
            for (slots, (x, y)) in gradient.chunks_mut(m.max(1)).zip(factors) {
                let factor = scale * (x - y);
                if factor != 0.0 {
                    for ((slot, new), old) in slots.iter_mut().zip(new).zip(old) {
                        *slot += factor * (new - old);
                    }
                }
            }
        } else {
            for (node, sign) in [(i, scale), (j, -scale)] {
                self.add_outer((a, node), (b, c), sign, gradient);
                self.add_outer((a, node), (b, d), -sign, gradient);
            }
        }
    }
}

impl Pairwise for ProductPairwise {
    fn shape(&self) -> (usize, usize) {
        (self.a.node_count(), self.b.node_count())
    }

    fn value(&self, i: usize, a: usize, j: usize, b: usize) -> f64 {
        // Zero diagonals make conflicting pairs zero by themselves.
        let forward = self.a.get(i, j) * self.b.get(a, b);
        match &self.transposed {
            None => forward,
            Some((at, bt)) => 0.5 * (forward + at.get(i, j) * bt.get(a, b)),
        }
    }

    fn apply(&self, x: &[f64], out: &mut [f64], scratch: &mut [f64]) {
        self.apply_while(x, out, scratch, &|| true);
    }

    fn apply_while(
        &self,
        x: &[f64],
        out: &mut [f64],
        scratch: &mut [f64],
        go_on: &(dyn Fn() -> bool + Sync),
    ) -> bool {
        let (n, m) = self.shape();
        let (half, rest) = scratch.split_at_mut(n * m);
        let goes_on =
            |half: &mut [f64], w: &Weights| w.multiply_while(x, half, m, go_on) && go_on();
        let Some((at, bt)) = &self.transposed else {
            if !goes_on(half, &self.a) {
                return false;
            }
            self.b.multiply_right(half, out, n);
            return true;
        };
        // What comes second in the sum is made first: `out` is written when nothing more is asked.
        if !goes_on(half, at) {
            return false;
        }
        bt.multiply_right(half, rest, n);
        if !goes_on(half, &self.a) {
            return false;
        }
        self.b.multiply_right(half, out, n);
        for (slot, value) in out.iter_mut().zip(rest) {
            *slot = 0.5 * (*slot + *value);
        }
        true
    }

    fn scratch_len(&self) -> usize {
        let (n, m) = self.shape();
        n * m * if self.transposed.is_some() { 2 } else { 1 }
    }

    fn memory(&self) -> u64 {
        let once = (self.a.entries() + self.b.entries()) as u64 * 8;
        if self.transposed.is_some() {
            2 * once
        } else {
            once
        }
    }

    fn bounds(&self) -> (f64, f64) {
        self.bounds
    }

    fn add_interactions(&self, j: usize, b: usize, scale: f64, gradient: &mut [f64]) {
        // W(kc, jb) = ½ (A_kj B_cb + A_jk B_bc): columns are rows of the transposes.
        match &self.transposed {
            None => self.add_outer((&self.a, j), (&self.b, b), scale, gradient),
            Some((at, bt)) => {
                self.add_outer((&self.a, j), (&self.b, b), 0.5 * scale, gradient);
                self.add_outer((at, j), (bt, b), 0.5 * scale, gradient);
            }
        }
    }

    fn apply_assignment(&self, assignment: &Assignment, out: &mut [f64], scratch: &mut [f64]) {
        let (n, m) = self.shape();
        let (Weights::Dense(a), Weights::Dense(b)) = (&self.a, &self.b) else {
            // A sum of outer products of columns: their nonzero entries alone count.
            sum_interactions(self, assignment, out);
            return;
        };
        // Row j of x Bᵀ is column p(j) of B: no product, a selection of rows of Bᵀ.
        let (half, rest) = scratch.split_at_mut(n * m);
        match &self.transposed {
            Some((Weights::Dense(at), Weights::Dense(bt))) => {
                select_rows(half, bt, assignment);
                multiply_into(out, a.as_slice(), half, n, n, m);
                select_rows(half, b, assignment);
                multiply_into(rest, at.as_slice(), half, n, n, m);
                for (slot, value) in out.iter_mut().zip(rest) {
                    *slot = 0.5 * (*slot + *value);
                }
            }
            _ => {
                select_rows(half, b, assignment);
                multiply_into(out, a.as_slice(), half, n, n, m);
            }
        }
    }

    fn add_exchange(&self, (i, a): (usize, usize), (j, b): (usize, usize), gradient: &mut [f64]) {
        match &self.transposed {
            None => {
                self.add_outer_difference((&self.a, i, j), (&self.b, b, a), 1.0, gradient);
            }
            Some((at, bt)) => {
                self.add_outer_difference((&self.a, i, j), (&self.b, b, a), 0.5, gradient);
                self.add_outer_difference((at, i, j), (bt, b, a), 0.5, gradient);
            }
        }
    }

    fn low_rank_memory(&self) -> Option<u64> {
        let filled = |weights: &Weights| match weights {
            Weights::Dense(_) => 0,
            Weights::Sparse(listed) => (listed.rows() as u64).saturating_pow(2).saturating_mul(8),
        };
        let once = filled(&self.a).saturating_add(filled(&self.b));
        let directed = self.transposed.is_some();
        Some(once.saturating_mul(if directed { 2 } else { 1 }))
    }

    fn low_rank(&self) -> Option<LowRank<'_>> {
        let (a, b) = (self.a.full(), self.b.full());
        Some(match &self.transposed {
            None => LowRank::new(Rows::Single(a), Rows::Single(b), 1.0),
            Some((at, bt)) => LowRank::new(
                Rows::Mirrored(a, at.full()),
                Rows::Mirrored(b, bt.full()),
                0.5,
            ),
        })
    }

    fn as_product(&self) -> Option<&ProductPairwise> {
        Some(self)
    }

    fn visit_before(
        &self,
        (i, a): (usize, usize),
        assignment: &Assignment,
        visit: &mut dyn FnMut(f64),
    ) {
        let mut look = |j: usize| {
            if let Some(b) = assignment.partner(j) {
                visit(self.value(i, a, j, b));
            }
        };
        let Weights::Sparse(listed) = &self.a else {
            (0..i).for_each(look);
            return;
        };
        let before = |listed: &Csr<f64>| {
            let columns = listed.columns(i);
            columns.partition_point(|&j| (j as usize) < i)
        };
        let out = &listed.columns(i)[..before(listed)];
        let into = match &self.transposed {
            Some((Weights::Sparse(other), _)) => &other.columns(i)[..before(other)],
            _ => &[],
        };
        // Both ascend; who stands in both is one.
        let (mut p, mut q) = (0, 0);
        while p < out.len() || q < into.len() {
            let (x, y) = (out.get(p).copied(), into.get(q).copied());
            let j = x.unwrap_or(u32::MAX).min(y.unwrap_or(u32::MAX));
            p += usize::from(x == Some(j));
            q += usize::from(y == Some(j));
            look(j as usize);
        }
    }

    fn restricted<'w>(&'w self, entries: &Arc<Entries<'w>>) -> Option<Box<dyn Restricted + 'w>> {
        if !self.has_lists() {
            return None;
        }
        let mut layers = vec![(&self.a, &self.b)];
        layers.extend(self.transposed.as_ref().map(|(at, bt)| (at, bt)));
        Some(Box::new(ByFactors::new(layers, entries)))
    }

    fn restricted_memory(&self, _entries: usize) -> Option<u64> {
        let (n, m) = self.shape();
        self.has_lists().then(|| ByFactors::memory(n, m))
    }
}

/// The entries of left · rightᵀ that are not zero.
fn outer_product(left: &[f64], right: &[f64]) -> Result<Csr<f64>> {
    let row = |&x: &f64| {
        let entries = right.iter().map(move |y| x * y).enumerate();
        entries.filter(move |&(_, product)| x != 0.0 && product != 0.0)
    };
    Csr::from_rows(right.len(), left.iter().map(row))
}

/// Row j of `out` is the row of `matrix` that j is assigned to, zero when it is to none.
fn select_rows(out: &mut [f64], matrix: &Matrix, assignment: &Assignment) {
    for (row, c) in out.chunks_mut(matrix.cols().max(1)).zip(assignment) {
        match c {
            Some(c) => row.copy_from_slice(matrix.row(c)),
            None => row.fill(0.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_support::assert_is_its_values;
    use super::*;
    use proptest::prelude::*;

    fn matrix(n: usize, seed: u64, symmetric: bool) -> Matrix {
        Matrix::from_fn(n, n, |i, j| {
            let (i, j) = if symmetric {
                (i.min(j), i.max(j))
            } else {
                (i, j)
            };
            let hash = (i as u64 * 7919 + j as u64 * 104_729 + seed * 31) % 13;
            // A third of the entries are zero.
            if hash.is_multiple_of(3) {
                0.0
            } else {
                hash as f64 - 6.0
            }
        })
    }

    fn pick(matrix: &Matrix, sparse: bool) -> Weights {
        if sparse {
            Weights::sparse(matrix)
        } else {
            Weights::Dense(matrix.clone())
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn the_objective_is_the_double_sum(
            n in 1usize..6, symmetric in any::<[bool; 2]>(), kinds in any::<[bool; 2]>(),
            seed in 0u64..500,
        ) {
            let (a, b) = (matrix(n, seed, symmetric[0]), matrix(n, seed + 7, symmetric[1]));
            let weights = (pick(&a, kinds[0]), pick(&b, kinds[1]));
            let problem =
                ProductPairwise::problem(Sense::Minimise, weights.0, weights.1, None).unwrap();
            let permutation: Vec<usize> = (0..n).map(|i| (i + seed as usize) % n).collect();
            let mut want = 0.0;
            for i in 0..n {
                for j in 0..n {
                    want += a[(i, j)] * b[(permutation[i], permutation[j])];
                }
            }
            let assignment: Assignment = permutation.iter().map(|&c| Some(c)).collect();
            prop_assert!((problem.objective(&assignment) - want).abs() < 1e-9);
        }

        #[test]
        fn products_gradients_and_values_agree(
            n in 1usize..6, m in 1usize..6, symmetric in any::<[bool; 2]>(),
            kinds in any::<[bool; 2]>(), seed in 0u64..500,
        ) {
            let (a, b) = (matrix(n, seed, symmetric[0]), matrix(m, seed + 7, symmetric[1]));
            let (pairwise, _) =
                ProductPairwise::new(pick(&a, kinds[0]), pick(&b, kinds[1])).unwrap();
            assert_is_its_values(&pairwise, 1e-12);
            let low_rank = pairwise.low_rank().unwrap();
            for i in 0..n {
                for c in 0..m {
                    for j in 0..n {
                        for d in 0..m {
                            let value = pairwise.value(i, c, j, d);
                            let (mut sum, mut crossed) = (0.0, 0.0);
                            for r in 0..low_rank.terms() {
                                let left = low_rank.scale() * low_rank.left(r, i)[j];
                                sum += left * low_rank.right(r, c)[d];
                                crossed += left * low_rank.right(low_rank.mirror(r), c)[d];
                            }
                            prop_assert!((sum - value).abs() < 1e-12);
                            prop_assert!((crossed - pairwise.value(i, d, j, c)).abs() < 1e-12);
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn bad_weights_are_refused() {
        let good = || Weights::Dense(Matrix::zeros(2, 2));
        for bad in [
            Weights::Dense(Matrix::zeros(2, 3)),
            Weights::Dense(Matrix::filled(2, 2, f64::NAN)),
            Weights::Sparse(Csr::empty(2, 3)),
            Weights::Sparse(Csr::from_triplets(2, 2, [(0, 1, f64::INFINITY)]).unwrap()),
        ] {
            assert!(ProductPairwise::new(bad.clone(), good()).is_err());
            assert!(ProductPairwise::new(good(), bad).is_err());
        }
    }
}
