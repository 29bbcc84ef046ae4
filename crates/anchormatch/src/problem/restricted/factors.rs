//! The entries of a product form of which at least one factor is a list.
//!
//! For a layer (A, B) and a row i,
//!
//! > y_b = Σ_j A_ij x_jb   over the candidates b of i's neighbours j, in a vector of n₂ numbers,
//! > (W x)_ia = Σ_b B_ab y_b   over the neighbours b of i's candidates a.
//!
//! Symmetric factors have one layer; directed ones have two, (A, B) and their transposes, and the mean of
//! both. Zero diagonals make conflicting assignments zero.

use std::sync::Arc;

use rayon::prelude::*;

use super::{Entries, Restricted};
use crate::linalg::Csr;
use crate::problem::Weights;

/// Parts that a product is cut into, at most, each with a vector y of its own.
const PARTS: usize = 16;

/// Rows of a part at least.
const PART_ROWS: usize = 128;

/// A list that is longer than so many times another is searched instead of walked through.
const LONG: usize = 8;

pub(in crate::problem) struct ByFactors<'w> {
    layers: Vec<(&'w Weights, &'w Weights)>,
    /// 1, or ½ for two layers.
    scale: f64,
    entries: Arc<Entries<'w>>,
}

impl<'w> ByFactors<'w> {
    pub(in crate::problem) fn new(
        layers: Vec<(&'w Weights, &'w Weights)>,
        entries: &Arc<Entries<'w>>,
    ) -> Self {
        Self {
            scale: 1.0 / layers.len() as f64,
            layers,
            entries: Arc::clone(entries),
        }
    }

    /// The bytes of a product's scratch.
    pub(in crate::problem) fn memory(rows: usize, cols: usize) -> u64 {
        8 * (parts(rows) as u64).saturating_mul(cols as u64)
    }

    /// `out` = W x for some rows; `y` is zero, and zero again at the end.
    fn apply_rows(&self, rows: std::ops::Range<usize>, x: &[f64], out: &mut [f64], y: &mut [f64]) {
        out.fill(0.0);
        let lists = self.entries.lists();
        let begin = lists.range(rows.start).start;
        for i in rows {
            if lists.range(i).is_empty() {
                continue;
            }
            for (a, b) in &self.layers {
                a.visit_row(i, |j, weight| {
                    if weight != 0.0 {
                        for entry in lists.range(j) {
                            y[lists.column(entry) as usize] += weight * x[entry];
                        }
                    }
                });
                for entry in lists.range(i) {
                    let mut sum = 0.0;
                    b.visit_row(lists.column(entry) as usize, |c, weight| {
                        sum += weight * y[c];
                    });
                    out[entry - begin] += self.scale * sum;
                }
                a.visit_row(i, |j, weight| {
                    if weight != 0.0 {
                        let places = lists.columns(j).iter();
                        places.for_each(|&b| y[b as usize] = 0.0);
                    }
                });
            }
        }
    }
}

fn parts(rows: usize) -> usize {
    (rows / PART_ROWS).clamp(1, PARTS)
}

impl Restricted for ByFactors<'_> {
    fn scratch_len(&self) -> usize {
        let lists = self.entries.lists();
        parts(lists.rows()) * lists.cols()
    }

    fn apply(&self, x: &[f64], out: &mut [f64], scratch: &mut [f64]) {
        let lists = self.entries.lists();
        let (rows, cols) = (lists.rows(), lists.cols());
        if rows == 0 || cols == 0 {
            return;
        }
        scratch.fill(0.0);
        let parts = parts(rows);
        // Cut by shape alone: the same sums on any number of threads.
        let mut tasks = Vec::with_capacity(parts);
        let mut rest = out;
        for (part, y) in scratch.chunks_mut(cols).take(parts).enumerate() {
            let rows = part * rows / parts..(part + 1) * rows / parts;
            let count: usize = lists.range(rows.end - 1).end - lists.range(rows.start).start;
            let (mine, others) = rest.split_at_mut(count);
            rest = others;
            tasks.push((rows, mine, y));
        }
        tasks
            .into_par_iter()
            .for_each(|(rows, out, y)| self.apply_rows(rows, x, out, y));
    }

    fn value(&self, first: usize, second: usize) -> f64 {
        let entries = &*self.entries;
        let (i, j) = (entries.row(first), entries.row(second));
        let mut sum = 0.0;
        for (a, b) in &self.layers {
            let weight = a.get(i, j);
            if weight != 0.0 {
                sum += weight * b.get(entries.column(first), entries.column(second));
            }
        }
        self.scale * sum
    }

    fn visit(&self, entry: usize, visit: &mut dyn FnMut(usize, f64)) {
        let (lists, column) = (self.entries.lists(), self.entries.column(entry));
        for (a, b) in &self.layers {
            a.visit_row(self.entries.row(entry), |k, weight| {
                if weight == 0.0 {
                    return;
                }
                let factor = self.scale * weight;
                match b {
                    Weights::Sparse(listed) => {
                        each_common(lists, k, listed, column, |other, value| {
                            visit(other, factor * value);
                        });
                    }
                    Weights::Dense(matrix) => {
                        let row = matrix.row(column);
                        for other in lists.range(k) {
                            let value = row[lists.column(other) as usize];
                            if value != 0.0 {
                                visit(other, factor * value);
                            }
                        }
                    }
                }
            });
        }
    }
}

/// Calls `meet` with the entries of row `k` of the lists and the values beside their columns in row `c`
/// of `weights`.
fn each_common(
    lists: &Csr<()>,
    k: usize,
    weights: &Csr<f64>,
    c: usize,
    mut meet: impl FnMut(usize, f64),
) {
    let (begin, mine) = (lists.range(k).start, lists.columns(k));
    let (theirs, values) = weights.parts(c);
    if theirs.len() > LONG * mine.len() {
        for (place, column) in mine.iter().enumerate() {
            if let Ok(found) = theirs.binary_search(column) {
                meet(begin + place, values[found]);
            }
        }
        return;
    }
    if mine.len() > LONG * theirs.len() {
        for (column, &value) in theirs.iter().zip(values) {
            if let Ok(found) = mine.binary_search(column) {
                meet(begin + found, value);
            }
        }
        return;
    }
    let (mut p, mut q) = (0, 0);
    while p < mine.len() && q < theirs.len() {
        match mine[p].cmp(&theirs[q]) {
            std::cmp::Ordering::Less => p += 1,
            std::cmp::Ordering::Greater => q += 1,
            std::cmp::Ordering::Equal => {
                meet(begin + p, values[q]);
                (p, q) = (p + 1, q + 1);
            }
        }
    }
}
