//! The entries of listed pairs: each is one of the numbers that they are listed by, or interacts with
//! nothing.

use rayon::prelude::*;

use super::{Entries, Restricted};
use crate::linalg::Csr;

const NONE: u32 = u32::MAX;

/// Entries that one task multiplies.
const CHUNK: usize = 4096;

pub(in crate::problem) struct ByNumbers<'w> {
    weights: &'w Csr<f64>,
    /// The entry of each number and the number of each entry; `NONE` where there is none.
    entries: Vec<u32>,
    numbers: Vec<u32>,
}

impl<'w> ByNumbers<'w> {
    pub(in crate::problem) fn new(
        numbers: &Csr<()>,
        weights: &'w Csr<f64>,
        entries: &Entries<'w>,
    ) -> Self {
        let mut by_number = vec![NONE; numbers.entries()];
        let mut by_entry = vec![NONE; entries.count()];
        for entry in 0..entries.count() {
            if let Some(number) = numbers.place(entries.row(entry), entries.column(entry)) {
                by_entry[entry] = number as u32;
                by_number[number] = entry as u32;
            }
        }
        Self {
            weights,
            entries: by_number,
            numbers: by_entry,
        }
    }
}

impl Restricted for ByNumbers<'_> {
    fn scratch_len(&self) -> usize {
        0
    }

    fn apply(&self, x: &[f64], out: &mut [f64], _scratch: &mut [f64]) {
        out.par_chunks_mut(CHUNK)
            .enumerate()
            .for_each(|(part, out)| {
                for (k, out) in out.iter_mut().enumerate() {
                    let mut sum = 0.0;
                    let number = self.numbers[part * CHUNK + k];
                    if number != NONE {
                        for (q, w) in self.weights.row(number as usize) {
                            let entry = self.entries[q];
                            if entry != NONE {
                                sum += w * x[entry as usize];
                            }
                        }
                    }
                    *out = sum;
                }
            });
    }

    fn value(&self, first: usize, second: usize) -> f64 {
        let (p, q) = (self.numbers[first], self.numbers[second]);
        if p == NONE || q == NONE {
            return 0.0;
        }
        self.weights.get(p as usize, q as usize).unwrap_or(0.0)
    }

    fn visit(&self, entry: usize, visit: &mut dyn FnMut(usize, f64)) {
        let number = self.numbers[entry];
        if number == NONE {
            return;
        }
        for (q, w) in self.weights.row(number as usize) {
            if self.entries[q] != NONE {
                visit(self.entries[q] as usize, w);
            }
        }
    }
}
