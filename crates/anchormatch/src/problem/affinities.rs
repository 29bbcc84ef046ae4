//! Any problem seen as nonnegative affinities to maximise, which random walks and power iterations
//! need.
//!
//! Costs change their sign, and a constant is added to all pairs of assignments that do not conflict,
//! and one to all unary values, so that nothing is below zero. Over assignments that match k nodes
//! this adds the constant k (k − 1) s + k s', so when k is fixed the order of all assignments stays.
//! When nodes may stay alone the shifted problem favours fuller assignments; its solution is then a
//! start for methods that see the problem itself.
//!
//! **Where the unary values stand.** On W's diagonal they are self-loops: a walk that meets them stays where
//! it is, and a constant on the diagonal, which changes no optimum, slows it as much as a term that says
//! something. [`Affinities::linear`] shares them out among the pairs instead,
//!
//! > W(ia, jb) + (u_ia + u_jb) / (2 (k − 1)),   k = min(n₁, n₂),
//!
//! u counted from the least of them, so that a constant more or less changes nothing. Over assignments that
//! match k nodes the objective is the same but for a constant: each u_ia stands in 2 (k − 1) ordered pairs.

use super::Problem;
use crate::linalg::PairValues;

/// W + shifts ≥ 0, zero outside the candidates.
#[derive(Debug)]
pub struct Affinities<'p> {
    problem: &'p Problem,
    pair_shift: f64,
    unary_shift: f64,
    /// 1 / (2 (k − 1)) where the unary values are shared out among the pairs.
    share: Option<f64>,
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
            share: None,
        }
    }

    /// The affinities of `problem` with the unary values shared out among the pairs; where nobody has a
    /// pair, as [`of`](Self::of).
    #[must_use]
    pub fn linear(problem: &'p Problem) -> Self {
        let diagonal = Self::of(problem);
        let (n, m) = problem.shape();
        let smaller = n.min(m);
        if smaller < 2 {
            return diagonal;
        }
        let sign = problem.sense.sign();
        let values = problem.unary.occurring().map(|u| sign * u);
        let least = values.fold(f64::INFINITY, f64::min);
        Self {
            unary_shift: if least.is_finite() { -least } else { 0.0 },
            share: Some(0.5 / (smaller - 1) as f64),
            ..diagonal
        }
    }

    /// How much scratch memory [`apply`](Self::apply) needs, in `f64`s.
    #[must_use]
    pub fn scratch_len(&self) -> usize {
        self.problem.pairwise.scratch_len() + 2 * self.problem.shape().1
    }

    /// The affinity of an assignment with itself.
    #[must_use]
    pub fn unary(&self, i: usize, a: usize) -> f64 {
        match self.share {
            None => self.shifted(i, a),
            Some(_) => 0.0,
        }
    }

    fn shifted(&self, i: usize, a: usize) -> f64 {
        self.problem.sense.sign() * self.problem.unary[(i, a)] + self.unary_shift
    }

    /// The affinity of two assignments; 0 when they conflict.
    #[must_use]
    pub fn value(&self, i: usize, a: usize, j: usize, b: usize) -> f64 {
        if i == j || a == b {
            0.0
        } else {
            let pair = self.problem.sense.sign() * self.problem.pairwise.value(i, a, j, b);
            let shared = self.share.map_or(0.0, |share| {
                share * (self.shifted(i, a) + self.shifted(j, b))
            });
            pair + self.pair_shift + shared
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
        let (columns, scratch) = scratch.split_at_mut(2 * m);
        problem.pairwise.apply(x, out, scratch);
        let sums = self.column_sums(x, columns);
        let each = |i: usize, set: &mut dyn FnMut(usize, f64)| match &problem.unary {
            PairValues::Full(unary) => {
                let row = unary.row(i).iter().enumerate();
                row.for_each(|(a, u)| set(a, sign * u + self.unary_shift));
            }
            listed => {
                let row = listed.row(i).enumerate();
                row.for_each(|(a, u)| set(a, sign * u + self.unary_shift));
            }
        };
        for i in 0..n {
            let row = i * m..(i + 1) * m;
            let (slots, own) = (&mut out[row.clone()], &x[row]);
            let row_sum: f64 = own.iter().sum();
            let mut row_shared = 0.0;
            if self.share.is_some() {
                each(i, &mut |a, u| row_shared += u * own[a]);
            }
            each(i, &mut |a, u| {
                let (mut affinity, value) = (sign * slots[a], own[a]);
                // Everything but the assignments that share i or a.
                let rest = sums.total - row_sum - columns[a] + value;
                match self.share {
                    None => affinity += u * value,
                    Some(share) => {
                        let others = sums.shared - row_shared - columns[m + a] + u * value;
                        affinity += share * (u * rest + others);
                    }
                }
                if self.pair_shift > 0.0 {
                    affinity += self.pair_shift * rest;
                }
                slots[a] = affinity;
            });
        }
        self.mask(out);
    }

    /// Σ x and Σ u x of each column, one after the other, and of all; zeros where nobody asks for them.
    fn column_sums(&self, x: &[f64], columns: &mut [f64]) -> Sums {
        columns.fill(0.0);
        let m = self.problem.shape().1;
        let (plain, shared) = columns.split_at_mut(m);
        if self.pair_shift > 0.0 || self.share.is_some() {
            for row in x.chunks(m.max(1)) {
                for (sum, value) in plain.iter_mut().zip(row) {
                    *sum += value;
                }
            }
        }
        if self.share.is_some() {
            let sign = self.problem.sense.sign();
            for (i, row) in x.chunks(m.max(1)).enumerate() {
                let unary = self.problem.unary.row(i);
                for ((sum, value), u) in shared.iter_mut().zip(row).zip(unary) {
                    *sum += value * (sign * u + self.unary_shift);
                }
            }
        }
        Sums {
            total: plain.iter().sum(),
            shared: shared.iter().sum(),
        }
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

/// Σ x and Σ u x over everything.
struct Sums {
    total: f64,
    shared: f64,
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
                    for w in [Affinities::of(&problem), Affinities::linear(&problem)] {
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
                            assert!((out[p] - want).abs() < 1e-11, "{sense:?} {offset}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn shared_out_the_program_is_the_same_on_full_assignments() {
        for sense in [Sense::Maximise, Sense::Minimise] {
            let problem = problem(sense, -2.0);
            let (one, other) = (Affinities::of(&problem), Affinities::linear(&problem));
            let value = |w: &Affinities<'_>, chosen: [usize; 3]| {
                let mut sum = 0.0;
                for (i, &a) in chosen.iter().enumerate() {
                    sum += w.unary(i, a);
                    sum += (0..3).map(|j| w.value(i, a, j, chosen[j])).sum::<f64>();
                }
                sum
            };
            let apart = value(&one, [0, 1, 2]) - value(&other, [0, 1, 2]);
            for chosen in [[0, 2, 1], [3, 1, 0], [2, 3, 1], [1, 0, 3]] {
                let difference = value(&one, chosen) - value(&other, chosen);
                assert!((difference - apart).abs() < 1e-12, "{sense:?} {chosen:?}");
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
