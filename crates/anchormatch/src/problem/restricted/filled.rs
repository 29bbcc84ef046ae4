//! The entries of a W that holds matrices: products fill all pairs up and take the entries out again.
//!
//! Such a W holds n₁² or n₂² numbers or more itself, so that n₁ n₂ more are of its own size.

use std::sync::Arc;

use super::{Entries, Restricted};
use crate::problem::{LowRank, Pairwise};

pub(in crate::problem) struct Filled<'w> {
    pairwise: &'w dyn Pairwise,
    /// The factors, where they are there: from them W is what products with it are, to rounding.
    factors: Option<LowRank<'w>>,
    entries: Arc<Entries<'w>>,
}

impl<'w> Filled<'w> {
    pub(in crate::problem) fn new(pairwise: &'w dyn Pairwise, entries: &Arc<Entries<'w>>) -> Self {
        let is_there = pairwise.low_rank_memory() == Some(0);
        Self {
            pairwise,
            factors: is_there.then(|| pairwise.low_rank()).flatten(),
            entries: Arc::clone(entries),
        }
    }

    /// The bytes of a product's scratch.
    pub(in crate::problem) fn memory(pairwise: &dyn Pairwise) -> u64 {
        let (n, m) = pairwise.shape();
        let pairs = (n as u64).saturating_mul(m as u64);
        let numbers = pairs.saturating_mul(2);
        numbers
            .saturating_add(pairwise.scratch_len() as u64)
            .saturating_mul(8)
    }
}

impl Restricted for Filled<'_> {
    fn scratch_len(&self) -> usize {
        let (n, m) = self.pairwise.shape();
        2 * n * m + self.pairwise.scratch_len()
    }

    fn apply(&self, x: &[f64], out: &mut [f64], scratch: &mut [f64]) {
        let (n, m) = self.pairwise.shape();
        let (full, scratch) = scratch.split_at_mut(n * m);
        let (image, scratch) = scratch.split_at_mut(n * m);
        full.fill(0.0);
        let entries = &*self.entries;
        for (entry, &x) in x.iter().enumerate() {
            full[entries.row(entry) * m + entries.column(entry)] = x;
        }
        self.pairwise.apply(full, image, scratch);
        for (entry, out) in out.iter_mut().enumerate() {
            *out = image[entries.row(entry) * m + entries.column(entry)];
        }
    }

    fn value(&self, first: usize, second: usize) -> f64 {
        let entries = &*self.entries;
        let (i, a) = (entries.row(first), entries.column(first));
        let (j, b) = (entries.row(second), entries.column(second));
        let Some(w) = &self.factors else {
            return self.pairwise.value(i, a, j, b);
        };
        // Zero diagonals make conflicting pairs zero by themselves.
        let terms = (0..w.terms()).map(|r| w.left(r, i)[j] * w.right(r, a)[b]);
        w.scale() * terms.sum::<f64>()
    }

    fn visit(&self, entry: usize, visit: &mut dyn FnMut(usize, f64)) {
        for other in 0..self.entries.count() {
            let value = self.value(entry, other);
            if value != 0.0 {
                visit(other, value);
            }
        }
    }
}
