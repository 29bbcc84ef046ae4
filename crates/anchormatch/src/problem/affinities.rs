//! Any problem seen as nonnegative affinities to maximise, which random walks and power iterations
//! need.
//!
//! Costs change their sign, and a constant is added to all pairs of assignments that do not conflict,
//! and one to all unary values, so that nothing is below zero. Over assignments that match k nodes
//! this adds the constant k (k − 1) s + k s', so when k is fixed the order of all assignments stays.
//! When nodes may stay alone the shifted problem favours fuller assignments; its solution is then a
//! start for methods that see the problem itself.

use super::Problem;
use crate::linalg::PairValues;

/// W + shifts ≥ 0, zero outside the candidates.
#[derive(Debug)]
pub struct Affinities<'p> {
    problem: &'p Problem,
    pair_shift: f64,
    unary_shift: f64,
}

impl<'p> Affinities<'p> {
    /// The affinities of `problem`.
    #[must_use]
    pub fn of(problem: &'p Problem) -> Self {
        let sign = problem.sense.sign();
        let (low, high) = problem.pairwise.bounds();
        let least_pair = (sign * low).min(sign * high);
        let least_unary = problem
            .unary
            .occurring()
            .fold(0.0f64, |least, u| least.min(sign * u));
        Self {
            problem,
            pair_shift: (-least_pair).max(0.0),
            unary_shift: -least_unary,
        }
    }

    /// How much scratch memory [`apply`](Self::apply) needs, in `f64`s.
    #[must_use]
    pub fn scratch_len(&self) -> usize {
        self.problem.pairwise.scratch_len() + self.problem.shape().1
    }

    /// The affinity of an assignment with itself.
    #[must_use]
    pub fn unary(&self, i: usize, a: usize) -> f64 {
        self.problem.sense.sign() * self.problem.unary[(i, a)] + self.unary_shift
    }

    /// The affinity of two assignments; 0 when they conflict.
    #[must_use]
    pub fn value(&self, i: usize, a: usize, j: usize, b: usize) -> f64 {
        if i == j || a == b {
            0.0
        } else {
            self.problem.sense.sign() * self.problem.pairwise.value(i, a, j, b) + self.pair_shift
        }
    }

    /// `out = W x` over the candidates, entries at least 0 for x ≥ 0; x must be 0 outside them.
    pub fn apply(&self, x: &[f64], out: &mut [f64], scratch: &mut [f64]) {
        self.apply_signed(x, out, scratch);
        // Rounding, and the error of a separable kernel, may take a sum below zero.
        out.iter_mut().for_each(|value| *value = value.max(0.0));
    }

    /// [`apply`](Self::apply) for x of any sign: `out` is linear in x.
    pub fn apply_signed(&self, x: &[f64], out: &mut [f64], scratch: &mut [f64]) {
        let (problem, sign) = (self.problem, self.problem.sense.sign());
        let (n, m) = problem.shape();
        let (column_sums, scratch) = scratch.split_at_mut(m);
        problem.pairwise.apply(x, out, scratch);
        if self.pair_shift > 0.0 {
            column_sums.fill(0.0);
            for row in x.chunks(m.max(1)) {
                for (sum, value) in column_sums.iter_mut().zip(row) {
                    *sum += value;
                }
            }
        }
        let total: f64 = if self.pair_shift > 0.0 {
            column_sums.iter().sum()
        } else {
            0.0
        };
        for i in 0..n {
            let row = i * m..(i + 1) * m;
            let row_sum: f64 = x[row.clone()].iter().sum();
            let pairs = out[row.clone()].iter_mut().zip(&x[row]).enumerate();
            let set = |((a, (slot, &value)), u): ((usize, (&mut f64, &f64)), f64)| {
                let mut affinity = sign * *slot + (sign * u + self.unary_shift) * value;
                if self.pair_shift > 0.0 {
                    // Everything but the assignments that share i or a.
                    affinity += self.pair_shift * (total - row_sum - column_sums[a] + value);
                }
                *slot = affinity;
            };
            match &problem.unary {
                PairValues::Full(unary) => {
                    pairs.zip(unary.row(i).iter().copied()).for_each(set);
                }
                listed => pairs.zip(listed.row(i)).for_each(set),
            }
        }
        self.mask(out);
    }

    /// Sets what the candidates rule out to zero.
    pub fn mask(&self, x: &mut [f64]) {
        let candidates = &self.problem.candidates;
        if candidates.is_all() {
            return;
        }
        let m = self.problem.shape().1;
        for (i, row) in x.chunks_mut(m.max(1)).enumerate() {
            let mut allowed = candidates.of_row(i).peekable();
            for (a, slot) in row.iter_mut().enumerate() {
                if allowed.next_if_eq(&a).is_none() {
                    *slot = 0.0;
                }
            }
        }
    }

    /// The uniform distribution over the candidates: every walk's start.
    #[must_use]
    pub fn uniform(&self) -> Vec<f64> {
        let (n, m) = self.problem.shape();
        let share = 1.0 / self.problem.candidates.count().max(1) as f64;
        let mut x = vec![0.0; n * m];
        for i in 0..n {
            for a in self.problem.candidates.of_row(i) {
                x[i * m + a] = share;
            }
        }
        x
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::Matrix;
    use crate::problem::{Candidates, ExplicitPairwise, Sense};

    fn problem(sense: Sense, offset: f64) -> Problem {
        let matrix = Matrix::from_fn(12, 12, |p, q| ((p * q) % 7) as f64 + offset);
        let unary = Matrix::from_fn(3, 4, |i, a| (i + a) as f64 + offset);
        let pairwise = ExplicitPairwise::new(3, 4, matrix).unwrap();
        Problem::new(sense, unary, Box::new(pairwise)).unwrap()
    }

    #[test]
    fn products_are_sums_of_values_and_nothing_is_negative() {
        for sense in [Sense::Maximise, Sense::Minimise] {
            for offset in [0.0, -3.0, 2.0] {
                for all in [true, false] {
                    let mut problem = problem(sense, offset);
                    if !all {
                        let pairs = (0..12).filter(|p| p % 3 != 1).map(|p| (p / 4, p % 4));
                        let listed = Candidates::listed(3, 4, pairs).unwrap();
                        problem = problem.with_candidates(listed).unwrap();
                    }
                    let w = Affinities::of(&problem);
                    let mut x = w.uniform();
                    x.iter_mut()
                        .enumerate()
                        .for_each(|(k, v)| *v *= 1.0 + k as f64);
                    let mut out = vec![f64::NAN; 12];
                    w.apply(&x, &mut out, &mut vec![0.0; w.scratch_len()]);
                    for p in 0..12 {
                        let (i, a) = (p / 4, p % 4);
                        let mut want = w.unary(i, a) * x[p];
                        for q in 0..12 {
                            let value = w.value(i, a, q / 4, q % 4);
                            assert!(value >= 0.0);
                            want += value * x[q];
                        }
                        if !problem.candidates().allows(i, a) {
                            want = 0.0;
                        }
                        assert!((out[p] - want).abs() < 1e-12, "{sense:?} {offset}");
                    }
                }
            }
        }
    }

    #[test]
    fn affinities_of_affinities_are_themselves() {
        let problem = problem(Sense::Maximise, 0.0);
        let w = Affinities::of(&problem);
        assert_eq!(w.value(0, 0, 1, 1), problem.pairwise().value(0, 0, 1, 1));
        assert_eq!(w.unary(2, 3), problem.unary()[(2, 3)]);
    }
}
