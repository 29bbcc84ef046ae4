//! Column duals from a soft assignment, for square matrices whose rows want the same columns.
//!
//! When costs have little but structure — products of a row's and a column's number, distances,
//! gradients of quadratic assignment problems — reductions leave most rows free and every search
//! wanders far. The entropic relaxation sees that structure at once: with K = exp(−c/ε) balanced by
//! Sinkhorn's algorithm to diag(a) K diag(b), the numbers ε ln b are dual variables within about
//! ε ln n of the best (Cuturi, *Sinkhorn distances*, NIPS 2013). They only say where the exact
//! algorithm starts, so a few sweeps and a rough exponential do.
//!
//! Only +, −, ×, ÷ and bit patterns of IEEE doubles are used, so the guess is the same everywhere.
//! Duals are rounded to multiples of a power of two that is small against the costs' range: sums and
//! differences of integer costs stay exact.

use crate::linalg::dot;

use super::costs::Costs;
use super::patience::Patience;

/// The range of the centred costs over ε. exp(−RATIO) and its inverse squared are finite.
const RATIO: f64 = 200.0;

/// Sweeps of the balancing.
const SWEEPS: usize = 30;

/// Duals are multiples of a power of two, this many times smaller than the range of the costs.
const GRAIN_BITS: i32 = 30;

/// Entries summed at once.
const LANES: usize = 8;

/// The memory of a guess, reused by the next.
#[derive(Debug, Default)]
pub(super) struct Guess {
    kernel: Vec<f64>,
    row_means: Vec<f64>,
    column_means: Vec<f64>,
    column_scales: Vec<f64>,
    column_sums: Vec<f64>,
}

impl Guess {
    /// Writes column duals for square `costs` to `duals`; `false` when the costs have no structure to
    /// speak of: after taking off the means of rows and columns nothing is left.
    pub(super) fn duals<const NEGATE: bool>(
        &mut self,
        costs: Costs<'_, NEGATE>,
        duals: &mut [f64],
        patience: &mut Patience<'_>,
    ) -> bool {
        let n = costs.rows();
        debug_assert_eq!(n, costs.columns(), "guesses are for square matrices");
        self.take_means(costs);
        let Some(range) = self.fill_kernel(costs) else {
            return false;
        };
        let width = range / RATIO;
        self.balance(n, patience);
        let grain = power_of_two(exponent(range) - GRAIN_BITS);
        let means = self.column_means.iter().zip(&self.column_scales);
        for (dual, (mean, &scale)) in duals.iter_mut().zip(means) {
            let exact = mean + width * rough_ln(scale);
            *dual = (exact / grain).round() * grain;
        }
        duals.iter().all(|dual| dual.is_finite())
    }

    fn take_means<const NEGATE: bool>(&mut self, costs: Costs<'_, NEGATE>) {
        let n = costs.rows();
        let share = 1.0 / n as f64;
        self.row_means.clear();
        self.column_means.clear();
        self.column_means.resize(n, 0.0);
        for i in 0..n {
            let mut sums = [0.0; LANES];
            let row = costs.row(i);
            for (k, &c) in row.iter().enumerate() {
                sums[k % LANES] += share * Costs::<NEGATE>::signed(c);
            }
            for (mean, &c) in self.column_means.iter_mut().zip(row) {
                *mean += share * Costs::<NEGATE>::signed(c);
            }
            self.row_means.push(sums.iter().sum());
        }
        // The mean of all once, in the rows: costs less both means are then centred.
        let mean: f64 = self.row_means.iter().map(|m| share * m).sum();
        self.row_means.iter_mut().for_each(|m| *m -= mean);
    }

    /// The kernel of the centred costs; returns their range.
    fn fill_kernel<const NEGATE: bool>(&mut self, costs: Costs<'_, NEGATE>) -> Option<f64> {
        let n = costs.rows();
        self.kernel.clear();
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for i in 0..n {
            let row_mean = self.row_means[i];
            let entries = costs.row(i).iter().zip(&self.column_means);
            self.kernel
                .extend(entries.map(|(&c, mean)| Costs::<NEGATE>::signed(c) - row_mean - mean));
            for &value in &self.kernel[i * n..] {
                low = if value < low { value } else { low };
                high = if value > high { value } else { high };
            }
        }
        let range = high - low;
        // What rounding alone leaves is no structure.
        let size = costs.row(0).iter().fold(0.0f64, |m, c| m.max(c.abs()));
        if !(range.is_finite() && range > 1e-9 * size && range > f64::MIN_POSITIVE * 1e16) {
            return None;
        }
        let factor = RATIO / range;
        for value in &mut self.kernel {
            *value = rough_exp((low - *value) * factor);
        }
        Some(range)
    }

    fn balance(&mut self, n: usize, patience: &mut Patience<'_>) {
        self.column_scales.clear();
        self.column_scales.resize(n, 1.0);
        self.column_sums.resize(n, 0.0);
        for _ in 0..SWEEPS {
            if !patience.lasts(n * n) {
                break;
            }
            self.column_sums.fill(0.0);
            for row in self.kernel.chunks(n) {
                let scale = 1.0 / dot(row, &self.column_scales);
                for (sum, value) in self.column_sums.iter_mut().zip(row) {
                    *sum += scale * value;
                }
            }
            for (scale, sum) in self.column_scales.iter_mut().zip(&self.column_sums) {
                *scale = 1.0 / sum;
            }
        }
    }
}

/// exp(x) within 10⁻⁴ of itself, for −700 ≤ x ≤ 700.
fn rough_exp(x: f64) -> f64 {
    // Adding this leaves the nearest integer in the low bits.
    const ROUND: f64 = 6_755_399_441_055_744.0;
    let power = x * std::f64::consts::LOG2_E;
    let shifted = power + ROUND;
    let f = power - (shifted - ROUND);
    // 2^f on [−½, ½] by its Taylor series.
    let fraction = 1.0
        + f * (std::f64::consts::LN_2 + f * (0.240_226_51 + f * (0.055_504_11 + f * 0.009_618_13)));
    fraction * f64::from_bits(shifted.to_bits().wrapping_add(1023) << 52)
}

/// ln(x) within 10⁻³, for positive normal x.
fn rough_ln(x: f64) -> f64 {
    let power = exponent(x);
    let y = x / power_of_two(power);
    // ln y = 2 artanh((y − 1)/(y + 1)), y from 1 to 2.
    let z = (y - 1.0) / (y + 1.0);
    let square = z * z;
    let series = 2.0 * z * (1.0 + square * (1.0 / 3.0 + square * (0.2 + square / 7.0)));
    f64::from(power) * std::f64::consts::LN_2 + series
}

/// The power of two at or below a positive normal number.
fn exponent(x: f64) -> i32 {
    ((x.to_bits() >> 52) & 0x7ff) as i32 - 1023
}

fn power_of_two(power: i32) -> f64 {
    f64::from_bits(((power.clamp(-1022, 1023) + 1023) as u64) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rough_functions_are_near_the_true_ones() {
        for k in -7000..=7000 {
            let x = f64::from(k) / 10.0;
            assert!((rough_exp(x) / x.exp() - 1.0).abs() < 1e-4, "{x}");
            assert!((rough_ln(x.exp()) - x).abs() < 1e-3, "{x}");
        }
    }

    #[test]
    fn duals_of_a_product_are_nearly_optimal() {
        // min Σ r_i c_p(i) is reached by opposite orders; the dual value must be close below.
        let n = 60;
        let cost: Vec<f64> = (0..n * n)
            .map(|e| ((e / n * 17 + 5) % n) as f64 * ((e % n * 23 + 1) % n) as f64)
            .collect();
        let mut duals = vec![0.0; n];
        let mut patience = Patience::new(&|| true);
        let costs = Costs::<false>::new(&cost, n, n);
        assert!(Guess::default().duals(costs, &mut duals, &mut patience));
        let rows: f64 = (0..n)
            .map(|i| {
                (0..n)
                    .map(|j| cost[i * n + j] - duals[j])
                    .fold(f64::INFINITY, f64::min)
            })
            .sum();
        let bound = rows + duals.iter().sum::<f64>();
        let best: f64 = (0..n).map(|k| (k * (n - 1 - k)) as f64).sum();
        let range = ((n - 1) * (n - 1)) as f64;
        assert!(
            bound <= best + 1e-6 && bound > best - 0.05 * range * n as f64,
            "{bound} {best}"
        );
        // Multiples of the grain: integer costs less a dual are exact.
        let grain = power_of_two(exponent(range) - GRAIN_BITS - 2);
        assert!(duals.iter().all(|d| (d / grain).fract() == 0.0));
    }

    #[test]
    fn there_is_nothing_to_guess_without_structure() {
        for cost in [
            vec![3.0; 9],
            vec![0.0; 9],
            (0..9).map(|e| f64::from(e / 3 + e % 3)).collect(),
        ] {
            let mut patience = Patience::new(&|| true);
            let costs = Costs::<true>::new(&cost, 3, 3);
            assert!(!Guess::default().duals(costs, &mut [0.0; 3], &mut patience));
        }
    }
}
