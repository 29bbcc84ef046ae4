//! A scalar kernel as a short sum of products: k(x, y) ≈ Σᵣ fᵣ(x) fᵣ(y).
//!
//! k(x, y) = exp(−(x − y)²/s) is positive definite and smooth, so a few functions are enough: at a
//! tolerance of 1e-6 about 2.4 (range/√s) + 3. They are found on nodes z₁ … z_N:
//!
//! 1. the nodes are the distinct values themselves when these are few (unweighted graphs), else
//!    Chebyshev points of the range, as many as interpolate k to a fraction of the tolerance;
//! 2. a Cholesky factor with complete pivoting of k(zₚ, z_q) stops when no diagonal entry of the
//!    residual is above a fraction of the tolerance (Harbrecht, Peters, Schneider 2012);
//! 3. rotating the factor to its principal axes and dropping the smallest ones gives the shortest
//!    sum whose error on a grid twice as fine is within the tolerance.
//!
//! Between Chebyshev points, fᵣ is the interpolating polynomial.

use crate::error::{Error, Result};
use crate::linalg::{Matrix, multiply_into, symmetric_eigen};

/// Up to this many distinct values, the values themselves are the nodes.
const FEW_VALUES: usize = 16;

/// The most Chebyshev points tried; a range that needs more is 1 000 kernel widths long.
const MOST_NODES: usize = 2048;

/// k(x, y) = exp(−(x − y)²/s).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GaussianKernel {
    bandwidth: f64,
}

impl GaussianKernel {
    /// The kernel with bandwidth s.
    ///
    /// # Errors
    /// When s is not positive and finite.
    pub fn new(bandwidth: f64) -> Result<Self> {
        if !(bandwidth > 0.0 && bandwidth.is_finite()) {
            return Err(Error::parameter(
                "bandwidth",
                bandwidth,
                "a positive number",
            ));
        }
        Ok(Self { bandwidth })
    }

    /// s.
    #[must_use]
    pub fn bandwidth(&self) -> f64 {
        self.bandwidth
    }

    /// exp(−(x − y)²/s).
    #[must_use]
    pub fn evaluate(&self, x: f64, y: f64) -> f64 {
        let difference = x - y;
        (-difference * difference / self.bandwidth).exp()
    }
}

/// The functions fᵣ of a kernel on a range of values.
#[derive(Debug, Clone)]
pub struct KernelFactors {
    rank: usize,
    basis: Basis,
}

#[derive(Debug, Clone)]
enum Basis {
    /// Row r holds fᵣ at each of the ascending `values`.
    Table { values: Vec<f64>, factors: Matrix },
    /// Row r holds the Chebyshev coefficients of fᵣ on [low, high].
    Polynomial {
        low: f64,
        high: f64,
        coefficients: Matrix,
    },
}

impl KernelFactors {
    /// Factors of `kernel` on the values that `x` and `y` have off their diagonals.
    ///
    /// # Errors
    /// When the tolerance is not in (0, 1), or the range is too many kernel widths long.
    ///
    /// # Complexity
    /// O(n²) to find the range, then O(N r² + N² r) for N nodes, independent of n.
    pub fn new(kernel: GaussianKernel, tolerance: f64, matrices: [&Matrix; 2]) -> Result<Self> {
        if !(tolerance > 0.0 && tolerance < 1.0) {
            return Err(Error::parameter(
                "tolerance",
                tolerance,
                "a number between 0 and 1",
            ));
        }
        let summary = Values::off_diagonal(matrices);
        if let Some(values) = summary.distinct {
            return Ok(Self::on_table(kernel, tolerance, values));
        }
        let (low, high) = (summary.low, summary.high);
        let widths = (high - low) / kernel.bandwidth.sqrt();
        let mut nodes = (16.0 + 3.0 * widths) as usize;
        while nodes <= MOST_NODES {
            if let Some(factors) = Self::on_nodes(kernel, tolerance, low, high, nodes)? {
                return Ok(factors);
            }
            nodes += nodes / 2;
        }
        Err(Error::Numerics(format!(
            "the values to compare span {widths:.0} kernel widths, too many for a separable kernel; \
             choose a wider kernel"
        )))
    }

    /// r, the number of terms.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// Σᵣ fᵣ(x) fᵣ(y).
    #[must_use]
    pub fn evaluate(&self, x: f64, y: f64) -> f64 {
        let mut scratch = vec![0.0; self.scratch_len(2)];
        let mut values = vec![0.0; 2 * self.rank];
        self.tabulate(&[x, y], &mut values, &mut scratch);
        values.chunks(2).map(|pair| pair[0] * pair[1]).sum()
    }

    /// Scratch that [`tabulate`](Self::tabulate) needs for `count` arguments.
    #[must_use]
    pub fn scratch_len(&self, count: usize) -> usize {
        match &self.basis {
            Basis::Table { .. } => 0,
            Basis::Polynomial { coefficients, .. } => coefficients.cols() * count,
        }
    }

    /// `out[r * count + c] = fᵣ(arguments[c])`.
    ///
    /// # Panics
    /// When `out` or `scratch` has the wrong length.
    pub fn tabulate(&self, arguments: &[f64], out: &mut [f64], scratch: &mut [f64]) {
        let count = arguments.len();
        assert_eq!(
            out.len(),
            self.rank * count,
            "one value per term and argument"
        );
        match &self.basis {
            Basis::Table { values, factors } => {
                for (c, &argument) in arguments.iter().enumerate() {
                    // Arguments are among the values; the nearest one stands for any other.
                    let node = values
                        .partition_point(|&v| v < argument)
                        .min(values.len() - 1);
                    for r in 0..self.rank {
                        out[r * count + c] = factors[(r, node)];
                    }
                }
            }
            Basis::Polynomial {
                low,
                high,
                coefficients,
            } => {
                let degree = coefficients.cols();
                assert_eq!(scratch.len(), degree * count, "scratch for the polynomials");
                chebyshev_rows(arguments, *low, *high, scratch);
                multiply_into(
                    out,
                    coefficients.as_slice(),
                    scratch,
                    self.rank,
                    degree,
                    count,
                );
            }
        }
    }

    fn on_table(kernel: GaussianKernel, tolerance: f64, values: Vec<f64>) -> Self {
        let factor = pivoted_cholesky(kernel, &values, 0.1 * tolerance);
        Self {
            rank: factor.rows(),
            basis: Basis::Table {
                values,
                factors: factor,
            },
        }
    }

    /// `None` when that many nodes do not reach the tolerance.
    fn on_nodes(
        kernel: GaussianKernel,
        tolerance: f64,
        low: f64,
        high: f64,
        nodes: usize,
    ) -> Result<Option<Self>> {
        let points = chebyshev_points(low, high, nodes);
        let factor = pivoted_cholesky(kernel, &points, 0.03 * tolerance);
        let coefficients = product(&principal_axes(&factor)?, &interpolation(nodes));
        // Values of all terms on a grid twice as fine.
        let grid = chebyshev_points(low, high, 2 * nodes + 1);
        let mut polynomials = Matrix::zeros(nodes, grid.len());
        chebyshev_rows(&grid, low, high, polynomials.as_mut_slice());
        let values = product(&coefficients, &polynomials);
        let Some(rank) = shortest_sum(kernel, tolerance, &grid, &values) else {
            return Ok(None);
        };
        let kept = coefficients.as_slice()[..rank * nodes].to_vec();
        Ok(Some(Self {
            rank,
            basis: Basis::Polynomial {
                low,
                high,
                coefficients: Matrix::from_vec(rank, nodes, kept),
            },
        }))
    }
}

/// What the off-diagonal entries of two matrices look like.
struct Values {
    low: f64,
    high: f64,
    /// All of them in ascending order, when they are few.
    distinct: Option<Vec<f64>>,
}

impl Values {
    fn off_diagonal(matrices: [&Matrix; 2]) -> Self {
        let mut distinct: Vec<f64> = Vec::with_capacity(FEW_VALUES + 1);
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for matrix in matrices {
            for i in 0..matrix.rows() {
                let row = matrix.row(i);
                for &value in row[..i].iter().chain(&row[(i + 1).min(row.len())..]) {
                    low = low.min(value);
                    high = high.max(value);
                    if distinct.len() <= FEW_VALUES {
                        let place = distinct.partition_point(|&v| v < value);
                        if distinct.get(place) != Some(&value) {
                            distinct.insert(place, value);
                        }
                    }
                }
            }
        }
        if distinct.is_empty() {
            // No pair of nodes on either side: nothing will ever be evaluated.
            distinct.push(0.0);
        }
        Self {
            low,
            high,
            distinct: (distinct.len() <= FEW_VALUES).then_some(distinct),
        }
    }
}

/// Row r of the result is column r of the factor of k(zₚ, z_q).
fn pivoted_cholesky(kernel: GaussianKernel, points: &[f64], tolerance: f64) -> Matrix {
    let n = points.len();
    let mut residual = vec![1.0; n];
    let mut rows: Vec<f64> = Vec::new();
    let mut rank = 0;
    while rank < n {
        let pivot = (0..n).fold(0, |best, p| {
            if residual[p] > residual[best] {
                p
            } else {
                best
            }
        });
        if residual[pivot] <= tolerance {
            break;
        }
        let root = residual[pivot].sqrt();
        for p in 0..n {
            let mut value = kernel.evaluate(points[p], points[pivot]);
            for r in 0..rank {
                value -= rows[r * n + p] * rows[r * n + pivot];
            }
            rows.push(value / root);
        }
        for p in 0..n {
            residual[p] -= rows[rank * n + p] * rows[rank * n + p];
        }
        residual[pivot] = 0.0;
        rank += 1;
    }
    Matrix::from_vec(rank, n, rows)
}

/// Rotates the rows of a factor F so that they are orthogonal, the longest first; FᵀF stays.
fn principal_axes(factor: &Matrix) -> Result<Matrix> {
    let rank = factor.rows();
    let gram = Matrix::from_fn(rank, rank, |r, s| {
        factor
            .row(r)
            .iter()
            .zip(factor.row(s))
            .map(|(a, b)| a * b)
            .sum()
    });
    let eigen = symmetric_eigen(&gram)?;
    let rotation = Matrix::from_fn(rank, rank, |r, s| eigen.vectors[(s, rank - 1 - r)]);
    Ok(product(&rotation, factor))
}

fn product(a: &Matrix, b: &Matrix) -> Matrix {
    let mut out = Matrix::zeros(a.rows(), b.cols());
    let (m, k, n) = (a.rows(), a.cols(), b.cols());
    multiply_into(out.as_mut_slice(), a.as_slice(), b.as_slice(), m, k, n);
    out
}

/// The fewest leading rows of `values` (term by grid point) whose products sum to the kernel within
/// the tolerance everywhere on the grid; `None` when all of them do not.
fn shortest_sum(
    kernel: GaussianKernel,
    tolerance: f64,
    grid: &[f64],
    values: &Matrix,
) -> Option<usize> {
    let terms = values.rows();
    // Error of the sum of all terms, then terms are taken off the end while the error allows it.
    let mut error = Matrix::from_fn(grid.len(), grid.len(), |p, q| {
        kernel.evaluate(grid[p], grid[q])
    });
    let mut worst = Vec::with_capacity(terms + 1);
    for r in 0..terms {
        let row = values.row(r);
        let mut largest = 0.0f64;
        for p in 0..grid.len() {
            let scale = row[p];
            for (slot, value) in error.row_mut(p).iter_mut().zip(row) {
                *slot -= scale * value;
                largest = largest.max(slot.abs());
            }
        }
        worst.push(largest);
    }
    worst.iter().position(|&w| w <= tolerance).map(|r| r + 1)
}

/// Chebyshev points of the first kind on [low, high].
fn chebyshev_points(low: f64, high: f64, count: usize) -> Vec<f64> {
    let (middle, half) = (0.5 * (low + high), 0.5 * (high - low));
    (0..count)
        .map(|p| middle + half * angle(p, count).cos())
        .collect()
}

fn angle(p: usize, count: usize) -> f64 {
    std::f64::consts::PI * (p as f64 + 0.5) / count as f64
}

/// values at N Chebyshev points · result = Chebyshev coefficients.
fn interpolation(nodes: usize) -> Matrix {
    Matrix::from_fn(nodes, nodes, |p, k| {
        let factor = if k == 0 { 1.0 } else { 2.0 };
        factor / nodes as f64 * (k as f64 * angle(p, nodes)).cos()
    })
}

/// `out[k * count + c] = Tₖ(argument c mapped to [−1, 1])`.
fn chebyshev_rows(arguments: &[f64], low: f64, high: f64, out: &mut [f64]) {
    let count = arguments.len();
    let scale = 2.0 / (high - low);
    let middle = 0.5 * (low + high);
    out[..count].fill(1.0);
    if out.len() <= count {
        return;
    }
    for (slot, &argument) in out[count..2 * count].iter_mut().zip(arguments) {
        *slot = ((argument - middle) * scale).clamp(-1.0, 1.0);
    }
    for start in (2 * count..out.len()).step_by(count.max(1)) {
        let (before, after) = out.split_at_mut(start);
        let (first, rest) = before[..].split_at(start - count);
        let older = &first[start - 2 * count..];
        // T₁ is z itself, and lives in the second row.
        let z = if start == 2 * count {
            rest
        } else {
            &first[count..2 * count]
        };
        for c in 0..count {
            after[c] = 2.0 * z[c] * rest[c] - older[c];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn spread(n: usize, low: f64, high: f64) -> Matrix {
        Matrix::from_fn(n, n, |i, j| {
            let (i, j) = (i.min(j), i.max(j));
            low + (high - low) * ((i * 31 + j * 17) % 97) as f64 / 96.0
        })
    }

    #[test]
    fn the_sum_is_within_the_tolerance_and_short() {
        for widths in [0.5, 2.0, 4.0, 8.0, 25.0] {
            // The kernel's Fourier transform ends at 2 √ln(1/ε)/√s: 2.4 terms a width at 1e-6.
            let most = (2.4 * widths) as usize + 5;
            for tolerance in [1e-3, 1e-6] {
                let kernel = GaussianKernel::new(1.0).unwrap();
                let x = spread(30, -3.0, widths - 3.0);
                let factors = KernelFactors::new(kernel, tolerance, [&x, &x]).unwrap();

                assert!(
                    factors.rank() <= most,
                    "{widths} widths: rank {}",
                    factors.rank()
                );
                for p in 0..80 {
                    for q in 0..80 {
                        let (u, v) = (
                            -3.0 + widths * f64::from(p) / 79.0,
                            -3.0 + widths * f64::from(q) / 79.0,
                        );
                        let error = (factors.evaluate(u, v) - kernel.evaluate(u, v)).abs();
                        assert!(error <= 1.05 * tolerance, "{u} {v}: {error}");
                    }
                }
            }
        }
    }

    #[test]
    fn few_values_have_as_few_terms() {
        let kernel = GaussianKernel::new(0.15).unwrap();
        let binary = Matrix::from_fn(9, 9, |i, j| f64::from((i * j) % 3 == 1));
        let factors = KernelFactors::new(kernel, 1e-6, [&binary, &binary]).unwrap();
        assert_eq!(factors.rank(), 2);
        for (x, y) in [(0.0, 0.0), (0.0, 1.0), (1.0, 1.0)] {
            assert!((factors.evaluate(x, y) - kernel.evaluate(x, y)).abs() < 1e-12);
        }
    }

    #[test]
    fn degenerate_matrices_have_one_term() {
        let kernel = GaussianKernel::new(1.0).unwrap();
        for n in [0, 1, 2] {
            let matrix = Matrix::filled(n, n, 3.0);
            let factors = KernelFactors::new(kernel, 1e-6, [&matrix, &matrix]).unwrap();
            assert_eq!(factors.rank(), 1);
            assert!((factors.evaluate(3.0, 3.0) - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn bad_parameters_are_refused() {
        for bandwidth in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(GaussianKernel::new(bandwidth).is_err());
        }
        let kernel = GaussianKernel::new(1e-12).unwrap();
        let x = spread(30, 0.0, 1.0);
        assert!(KernelFactors::new(kernel, 1e-6, [&x, &x]).is_err());
        assert!(KernelFactors::new(kernel, 0.0, [&x, &x]).is_err());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn any_range_and_scale_works(
            middle in -1e3f64..1e3, range in 1e-9f64..1e3, widths in 0.01f64..40.0,
        ) {
            let kernel = GaussianKernel::new((range / widths).powi(2)).unwrap();
            let x = spread(20, middle - 0.5 * range, middle + 0.5 * range);
            let factors = KernelFactors::new(kernel, 1e-6, [&x, &x]).unwrap();
            for i in 0..20 {
                for j in 0..20 {
                    let (u, v) = (x[(i, (i + 1) % 20)], x[(j, (j + 7) % 20)]);
                    prop_assert!((factors.evaluate(u, v) - kernel.evaluate(u, v)).abs() < 1.1e-6);
                }
            }
        }
    }
}
