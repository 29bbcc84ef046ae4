//! Transport plans: exponentials, scaled so that nothing overflows, and balanced.

use crate::assignment::Sinkhorn;
use crate::problem::Problem;

/// Exponents below this are raised to it.
pub(super) const LEAST_EXPONENT: f64 = -300.0;

/// Balances one plan after another, each from the last one's scaling.
///
/// The column scalings of square plans are kept as potentials (logarithms) and go into the next
/// exponent, where each row is taken less its maximum: nothing overflows, and the balancing begins
/// almost balanced. Slack rows of unequal sizes are not part of the exponent; those plans begin anew.
pub(super) struct Balancer {
    pub(super) sinkhorn: Sinkhorn,
    potentials: Vec<f64>,
    pub(super) square: bool,
    /// Whether no plan was balanced yet.
    pub(super) is_new: bool,
    column_means: Vec<f64>,
    lacking_rows: Vec<f64>,
    lacking_columns: Vec<f64>,
    factors: Vec<f64>,
}

impl Balancer {
    pub(super) fn new(n: usize, m: usize) -> Self {
        Self {
            sinkhorn: Sinkhorn::new(),
            potentials: vec![0.0; m],
            square: n == m,
            is_new: true,
            column_means: vec![0.0; m],
            lacking_rows: vec![0.0; n],
            lacking_columns: vec![0.0; m],
            factors: vec![0.0; m],
        }
    }

    /// `plan` = exp(factor · score), up to scalings of rows and columns.
    pub(super) fn fill(
        &self,
        score: &[f64],
        factor: f64,
        high: f64,
        plan: &mut [f64],
        n: usize,
        m: usize,
    ) {
        if !self.square {
            for (slot, value) in plan.iter_mut().zip(score) {
                *slot = (factor * (value - high)).max(LEAST_EXPONENT).exp();
            }
            return;
        }
        for i in 0..n {
            let (row, score) = (&mut plan[i * m..(i + 1) * m], &score[i * m..(i + 1) * m]);
            let mut largest = f64::NEG_INFINITY;
            for ((slot, value), potential) in row.iter_mut().zip(score).zip(&self.potentials) {
                *slot = factor * (value - high) + potential;
                largest = if *slot > largest { *slot } else { largest };
            }
            for slot in row {
                // What is smaller still would not be seen beside the largest.
                *slot = (*slot - largest).max(LEAST_EXPONENT).exp();
            }
        }
    }

    /// The largest score, in absolute value, less the means of its row and column.
    pub(super) fn centre(&mut self, score: &[f64], n: usize, m: usize) -> f64 {
        self.column_means.fill(0.0);
        let mut mean = 0.0;
        for row in score.chunks(m) {
            for (column, value) in self.column_means.iter_mut().zip(row) {
                *column += value / n as f64;
            }
            mean += row.iter().sum::<f64>() / (n * m) as f64;
        }
        let mut largest = 0.0f64;
        for row in score.chunks(m) {
            let row_mean = row.iter().sum::<f64>() / m as f64;
            for (value, column) in row.iter().zip(&self.column_means) {
                largest = largest.max((value - row_mean - column + mean).abs());
            }
        }
        largest
    }

    /// Takes the column means out of the first exponent, which they may dwarf.
    pub(super) fn begin_at_means(&mut self, factor: f64) {
        self.is_new = false;
        for (potential, mean) in self.potentials.iter_mut().zip(&self.column_means) {
            *potential = -factor * mean;
        }
    }

    /// Makes all sums of a square plan 1: scales down what is above, and spreads what is missing
    /// (Altschuler, Weed, Rigollet, NIPS 2017, algorithm 2).
    pub(super) fn mend(&mut self, plan: &mut [f64], n: usize) {
        let (rows, columns) = (&mut self.lacking_rows, &mut self.lacking_columns);
        columns.fill(0.0);
        for row in plan.chunks_mut(n) {
            let sum: f64 = row.iter().sum();
            let scale = if sum > 1.0 { 1.0 / sum } else { 1.0 };
            for (value, column) in row.iter_mut().zip(columns.iter_mut()) {
                *value *= scale;
                *column += *value;
            }
        }
        // From sums to factors, and then to what the columns lack.
        columns
            .iter_mut()
            .for_each(|c| *c = if *c > 1.0 { 1.0 / *c } else { 1.0 });
        let factors = &mut self.factors;
        factors.copy_from_slice(columns);
        columns.fill(1.0);
        let mut missing = 0.0;
        for (row, lacking) in plan.chunks_mut(n).zip(rows.iter_mut()) {
            let mut sum = 0.0;
            for ((value, factor), column) in
                row.iter_mut().zip(factors.iter()).zip(columns.iter_mut())
            {
                *value *= factor;
                sum += *value;
                *column -= *value;
            }
            *lacking = (1.0 - sum).max(0.0);
            missing += *lacking;
        }
        if missing <= 0.0 {
            return;
        }
        for (row, lacking) in plan.chunks_mut(n).zip(rows.iter()) {
            let share = lacking / missing;
            for (value, column) in row.iter_mut().zip(columns.iter()) {
                *value += share * column.max(0.0);
            }
        }
    }

    pub(super) fn remember(&mut self) {
        if self.square {
            let scales = self.sinkhorn.column_scales();
            for (potential, scale) in self.potentials.iter_mut().zip(scales) {
                *potential += scale.ln();
            }
        }
    }
}

/// Gives `value` to all assignments that the candidates rule out.
pub(super) fn set_ruled_out(problem: &Problem, plan: &mut [f64], value: f64) {
    let candidates = problem.candidates();
    if candidates.is_all() {
        return;
    }
    let m = problem.shape().1;
    for (i, row) in plan.chunks_mut(m.max(1)).enumerate() {
        let mut allowed = candidates.of_row(i).peekable();
        for (a, slot) in row.iter_mut().enumerate() {
            if allowed.next_if_eq(&a).is_none() {
                *slot = value;
            }
        }
    }
}
