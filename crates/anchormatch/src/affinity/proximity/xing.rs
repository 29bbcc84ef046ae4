//! A metric from side information (Xing, Ng, Jordan, Russell, NIPS 2002), as another learner of the proximity.
//!
//! With S the pairs that are known to be alike, the anchors, and D those that are not, each anchor's node with
//! the partner's rivals,
//!
//! > max Σ_D ‖θ_i − θ'_b‖_M   over M ⪰ 0, Σ_S ‖θ_i − θ'_a‖²_M ≤ 1,
//!
//! ‖x‖_M = √(xᵀMx). The authors ascend along the gradient and project on the two constraints in turn. Here the
//! constraint's matrix T = Σ_S xxᵀ is whitened away: with M = T^(−½) N T^(−½) the constraints are N ⪰ 0 and
//! tr N ≤ 1, on which one projects exactly (the eigenvalues on the simplex), so that each step is feasible and
//! the gap λ_max(∇) − ⟨∇, N⟩ bounds what is left to gain. Anchors whose features agree exactly leave T singular and
//! the program unbounded, of which the paper does not speak: T gets a share of the mean scatter of D beside it.

use serde::{Deserialize, Serialize};

use super::Metric;
use super::constraints::Blocks;
use super::examples::{Examples, Side};
use crate::error::{Error, Result};
use crate::linalg::{Matrix, SymmetricEigen, symmetric_eigen};
use crate::monitor::{Monitor, Progress};

/// Smallest square under a root, relative to the largest: its gradient stays finite.
const FLOOR: f64 = 1e-12;

/// The learner's parameters.
///
/// # Complexity
/// An iteration takes O(|anchors| (n₁ + n₂) K² + K³), memory is O(|anchors| (n₁ + n₂) K).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Xing {
    /// The share of the mean scatter of D that is added to that of S. Default 0.01.
    pub smoothing: f64,
    /// Iterations at most. Default 300.
    pub max_iterations: usize,
    /// Stop when the gap is below this share of the objective. Default 1e-3.
    pub tolerance: f64,
}

impl Default for Xing {
    fn default() -> Self {
        Self {
            smoothing: 0.01,
            max_iterations: 300,
            tolerance: 1e-3,
        }
    }
}

/// A learned metric and how good it is.
#[derive(Debug, Clone, PartialEq)]
pub struct XingMetric {
    /// M, symmetric positive semidefinite, K×K.
    pub m: Matrix,
    /// Σ_D ‖·‖_M.
    pub objective: f64,
    /// No feasible metric has an objective above `objective + gap`.
    pub gap: f64,
    /// Iterations made.
    pub iterations: usize,
}

impl XingMetric {
    /// ‖θ_i − θ'_a‖_M for every row of `source` against every row of `target`.
    #[must_use]
    pub fn distance(&self, source: &Matrix, target: &Matrix) -> Matrix {
        Blocks::new(&self.m, source.cols(), Metric::Shared).distances(source, target)
    }
}

impl Xing {
    /// Learns M from the anchors; a stop by `monitor` returns the metric so far.
    ///
    /// # Errors
    /// When there is no anchor, a shape or a parameter does not fit.
    pub fn learn(&self, examples: &Examples<'_>, monitor: &Monitor) -> Result<XingMetric> {
        examples.check(0.0, Metric::Shared)?;
        if !(self.smoothing > 0.0 && self.smoothing.is_finite()) {
            return Err(Error::parameter(
                "smoothing",
                self.smoothing,
                "a number above 0",
            ));
        }
        let program = Program::new(examples, self.smoothing)?;
        let k = examples.source.cols();
        let mut point = Matrix::from_fn(k, k, |i, j| f64::from(i == j) / k as f64);
        let (mut value, mut gradient) = program.evaluate(&point);
        let mut step = 1.0 / gradient_scale(&gradient);
        let (mut gap, mut iterations) = (f64::INFINITY, 0);
        while iterations < self.max_iterations {
            gap = gap_of(&gradient, &point)?;
            let progress = Progress {
                stage: "learn metric",
                done: iterations,
                total: Some(self.max_iterations),
                value: Some(gap),
            };
            if monitor.checkpoint(progress).is_some() || gap <= self.tolerance * value {
                break;
            }
            iterations += 1;
            // Shorter steps until the objective rises.
            let mut rose = false;
            for _ in 0..40 {
                let mut next = point.clone();
                for (slot, g) in next.as_mut_slice().iter_mut().zip(gradient.as_slice()) {
                    *slot += step * g;
                }
                let next = spectraplex(&next)?;
                let (reached, there) = program.evaluate(&next);
                if reached > value {
                    (point, value, gradient) = (next, reached, there);
                    step *= 2.0;
                    rose = true;
                    break;
                }
                step *= 0.5;
            }
            if !rose {
                break;
            }
        }
        Ok(XingMetric {
            m: program.unwhitened(&point),
            objective: value,
            gap,
            iterations,
        })
    }
}

/// The program after whitening: Σ √(zᵀNz) over the rows z.
struct Program {
    differences: Matrix,
    /// T^(−½).
    whitening: Matrix,
}

impl Program {
    fn new(examples: &Examples<'_>, smoothing: f64) -> Result<Self> {
        let k = examples.source.cols();
        let (mut alike, mut apart) = (Matrix::zeros(k, k), Matrix::zeros(k, k));
        let mut rows = Vec::new();
        let mut count = 0.0;
        for (place, anchor) in examples.anchors.iter().enumerate() {
            let own = (
                examples.source.row(anchor.source),
                examples.target.row(anchor.target),
            );
            add_square(&mut alike, &difference(own.0, own.1), anchor.weight);
            for rival in 0..examples.rivals() {
                let pair = match examples.side(rival) {
                    Side::Target(b) if b != anchor.target => (own.0, examples.target.row(b)),
                    Side::Source(j) if j != anchor.source => (examples.source.row(j), own.1),
                    _ => continue,
                };
                if examples.loss(place, rival) > 0.0 {
                    let z = difference(pair.0, pair.1);
                    add_square(&mut apart, &z, 1.0);
                    rows.extend(z.iter().map(|v| v * anchor.weight));
                    count += 1.0;
                }
            }
        }
        let trace: f64 = (0..k).map(|i| apart[(i, i)]).sum();
        let even = smoothing * (trace / (k as f64 * f64::max(count, 1.0))).max(f64::MIN_POSITIVE);
        (0..k).for_each(|i| alike[(i, i)] += even);
        let eigen = symmetric_eigen(&alike)?;
        let whitening = recomposed(&eigen, |value| 1.0 / value.max(even).sqrt());
        let rows = Matrix::from_vec(rows.len() / k, k, rows);
        Ok(Self {
            differences: product(&rows, &whitening),
            whitening,
        })
    }

    /// The objective and its gradient.
    fn evaluate(&self, n: &Matrix) -> (f64, Matrix) {
        let k = n.rows();
        let image = product(&self.differences, n);
        let squares: Vec<f64> = (0..image.rows())
            .map(|r| dot(image.row(r), self.differences.row(r)).max(0.0))
            .collect();
        let largest = squares.iter().fold(0.0f64, |m, &v| m.max(v));
        let floor = FLOOR * largest;
        let mut gradient = Matrix::zeros(k, k);
        let mut value = 0.0;
        for (r, square) in squares.iter().enumerate() {
            value += square.sqrt();
            if largest > 0.0 {
                let weight = 0.5 / square.max(floor).sqrt();
                add_square(&mut gradient, self.differences.row(r), weight);
            }
        }
        (value, gradient)
    }

    fn unwhitened(&self, n: &Matrix) -> Matrix {
        product(&product(&self.whitening, n), &self.whitening)
    }
}

/// The nearest matrix with nonnegative eigenvalues of sum 1.
fn spectraplex(matrix: &Matrix) -> Result<Matrix> {
    let eigen = symmetric_eigen(matrix)?;
    let mut sorted = eigen.values.clone();
    sorted.sort_by(|x, y| y.total_cmp(x));
    let (mut sum, mut shift) = (0.0, 0.0);
    for (count, value) in sorted.iter().enumerate() {
        sum += value;
        let candidate = (sum - 1.0) / (count + 1) as f64;
        if value - candidate > 0.0 {
            shift = candidate;
        }
    }
    Ok(recomposed(&eigen, |value| (value - shift).max(0.0)))
}

/// max over the spectraplex of ⟨∇, · − N⟩, which bounds what a concave function can still gain.
fn gap_of(gradient: &Matrix, point: &Matrix) -> Result<f64> {
    let largest = symmetric_eigen(gradient)?.values.last().copied();
    let here = dot(gradient.as_slice(), point.as_slice());
    Ok((largest.unwrap_or(0.0) - here).max(0.0))
}

fn gradient_scale(gradient: &Matrix) -> f64 {
    let square: f64 = gradient.as_slice().iter().map(|v| v * v).sum();
    square.sqrt().max(f64::MIN_POSITIVE)
}

fn recomposed(eigen: &SymmetricEigen, function: impl Fn(f64) -> f64) -> Matrix {
    let n = eigen.values.len();
    let values: Vec<f64> = eigen.values.iter().map(|&v| function(v)).collect();
    Matrix::from_fn(n, n, |i, j| {
        let each = (0..n).map(|k| eigen.vectors[(i, k)] * values[k] * eigen.vectors[(j, k)]);
        each.sum()
    })
}

fn difference(x: &[f64], y: &[f64]) -> Vec<f64> {
    x.iter().zip(y).map(|(x, y)| x - y).collect()
}

fn add_square(matrix: &mut Matrix, x: &[f64], weight: f64) {
    for (i, xi) in x.iter().enumerate() {
        for (slot, xj) in matrix.row_mut(i).iter_mut().zip(x) {
            *slot += weight * xi * xj;
        }
    }
}

fn product(x: &Matrix, y: &Matrix) -> Matrix {
    let mut out = Matrix::zeros(x.rows(), y.cols());
    let (n, k, m) = (x.rows(), x.cols(), y.cols());
    crate::linalg::multiply_into(out.as_mut_slice(), x.as_slice(), y.as_slice(), n, k, m);
    out
}

fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::anchors::Anchor;

    fn value(i: usize, j: usize, shift: f64) -> f64 {
        ((i * 13 + j * 7) as f64 + shift).sin()
    }

    fn learn(source: &Matrix, target: &Matrix, solver: &Xing) -> XingMetric {
        let anchors = [Anchor::new(0, 0, 1.0), Anchor::new(1, 1, 1.0)];
        let loss = [source, target].map(|m| Matrix::filled(2, m.rows(), 1.0));
        let examples = Examples {
            source,
            target,
            anchors: &anchors,
            source_loss: &loss[0],
            target_loss: &loss[1],
        };
        solver.learn(&examples, &Monitor::silent()).unwrap()
    }

    #[test]
    fn nothing_feasible_is_better_than_the_gap_allows() {
        let source = Matrix::from_fn(7, 3, |i, j| value(i, j, 0.0));
        let target = Matrix::from_fn(6, 3, |i, j| value(i, j, 0.1));
        let learned = learn(&source, &target, &Xing::default());
        assert!(learned.gap <= 1e-3 * learned.objective, "{learned:?}");
        // Any other metric, scaled to meet the constraint with its share of smoothing.
        let rows = |f: &mut dyn FnMut(&[f64], bool)| {
            for (i, a) in [(0, 0), (1, 1)] {
                f(&difference(source.row(i), target.row(a)), true);
                (0..6)
                    .filter(|&b| b != a)
                    .for_each(|b| f(&difference(source.row(i), target.row(b)), false));
                (0..7)
                    .filter(|&j| j != i)
                    .for_each(|j| f(&difference(source.row(j), target.row(a)), false));
            }
        };
        let square = |m: &Matrix, x: &[f64]| -> f64 {
            (0..3)
                .map(|p| (0..3).map(|q| x[p] * m[(p, q)] * x[q]).sum::<f64>())
                .sum()
        };
        let (mut trace, mut count) = (0.0, 0.0);
        rows(&mut |x, alike| {
            if !alike {
                trace += dot(x, x);
                count += 1.0;
            }
        });
        let even = 0.01 * trace / (3.0 * count);
        let figures = |m: &Matrix| {
            let (mut near, mut far) = ((0..3).map(|i| even * m[(i, i)]).sum::<f64>(), 0.0);
            rows(&mut |x, alike| {
                if alike {
                    near += square(m, x);
                } else {
                    far += square(m, x).sqrt();
                }
            });
            (near, far)
        };
        let (near, far) = figures(&learned.m);
        assert!(near <= 1.0 + 1e-9 && (far - learned.objective).abs() < 1e-6 * far);
        for seed in 0..40 {
            let root = Matrix::from_fn(3, 3, |i, j| value(i + seed, j, 0.7 * seed as f64));
            let other = Matrix::from_fn(3, 3, |i, j| {
                (0..3).map(|k| root[(i, k)] * root[(j, k)]).sum()
            });
            let (near, far) = figures(&other);
            let scaled = far / near.sqrt();
            assert!(
                scaled <= learned.objective + learned.gap + 1e-9,
                "{seed}: {scaled}"
            );
        }
    }

    #[test]
    fn one_feature_has_one_metric() {
        let source = Matrix::from_vec(3, 1, vec![0.0, 1.0, 5.0]);
        let target = Matrix::from_vec(3, 1, vec![0.5, 1.5, 2.0]);
        let learned = learn(&source, &target, &Xing::default());
        let scatter: f64 = [1.5, 2.0, -0.5, 4.5, 0.5, 1.0, -1.5, 3.5]
            .iter()
            .map(|d: &f64| d * d)
            .sum();
        let want = 1.0 / (0.5 + 0.01 * scatter / 8.0);
        assert!(
            (learned.m[(0, 0)] - want).abs() < 1e-9 * want,
            "{learned:?}"
        );
    }
}
