//! The pairwise operator of a smooth scalar kernel, without ever forming W.
//!
//! With k(x, y) = Σᵣ fᵣ(x) fᵣ(y), Fᵣ = fᵣ(x) and Gᵣ = fᵣ(y) entrywise and their diagonals zeroed,
//! which is exactly the rule that conflicting assignments (i = j or a = b) do not support each other,
//!
//! > W(ia, jb) = k(x_ij, y_ab)  ⇒  W·X = Σᵣ Fᵣ X Gᵣᵀ:
//!
//! O(r n³) time in two matrix products and O(r n²) memory, where W itself has n⁴ entries. The factors
//! may also be given as they are ([`SeparablePairwise::from_factors`]), for a W that is a short sum of
//! products by nature.
//!
//! F is stored with the rows of all Fᵣ interleaved, (i, r, j). Then T = F X comes out as (i, r, b),
//! which read as an n₁ × (r n₂) matrix is what the second product, with G as (a, r, b), needs: both
//! are single large products and nothing is copied in between.

use rayon::prelude::*;

use super::low_rank::Rows;
use super::{GaussianKernel, KernelFactors, LowRank, Pairwise};
use crate::assignment::Assignment;
use crate::error::{Error, Hint, Result};
use crate::linalg::{Matrix, multiply_transposed_into, multiply_while};
use crate::monitor::Monitor;

/// W(ia, jb) = k(x_ij, y_ab), or Σᵣ Fᵣ_ij Gᵣ_ab, for i ≠ j and a ≠ b.
#[derive(Debug, Clone)]
pub struct SeparablePairwise {
    entries: Entries,
    shape: (usize, usize),
    rank: usize,
    f: Vec<f64>,
    g: Vec<f64>,
}

/// Where single entries of W come from.
#[derive(Debug, Clone)]
enum Entries {
    /// The kernel itself, which the factors only approximate.
    Kernel {
        kernel: GaussianKernel,
        x: Matrix,
        y: Matrix,
    },
    /// The factors, and what bounds their sum.
    Factors { bounds: (f64, f64) },
}

impl SeparablePairwise {
    /// The operator for symmetric `x` (n₁×n₁) and `y` (n₂×n₂), entries of W within `tolerance`.
    ///
    /// # Errors
    /// When a matrix is not square or not finite, the memory does not suffice, or the values span too
    /// many kernel widths.
    ///
    /// # Complexity
    /// O(r n²) numbers; see [`memory_needed`](Self::memory_needed).
    pub fn new(
        x: Matrix,
        y: Matrix,
        kernel: GaussianKernel,
        tolerance: f64,
        monitor: &Monitor,
    ) -> Result<Self> {
        for (matrix, name) in [(&x, "x"), (&y, "y")] {
            if matrix.rows() != matrix.cols() {
                return Err(Error::parameter(
                    name,
                    format!("a {}×{} matrix", matrix.rows(), matrix.cols()),
                    "a square one",
                ));
            }
            if let Some(value) = matrix.as_slice().iter().find(|v| !v.is_finite()) {
                return Err(Error::parameter(name, value, "finite numbers"));
            }
        }
        let factors = KernelFactors::new(kernel, tolerance, [&x, &y])?;
        let rank = factors.rank();
        monitor.reserve(
            &format!(
                "the separable kernel of {}×{} nodes at rank {rank}",
                x.rows(),
                y.rows()
            ),
            Self::memory_needed(x.rows(), y.rows(), rank),
            &[Hint::MoreMemory, Hint::WiderKernel],
        )?;
        let f = tabulate(&factors, &x);
        let g = tabulate(&factors, &y);
        Ok(Self {
            shape: (x.rows(), y.rows()),
            entries: Entries::Kernel { kernel, x, y },
            rank,
            f,
            g,
        })
    }

    /// The operator W(ia, jb) = Σᵣ Fᵣ_ij Gᵣ_ab for factors given as pairs (Fᵣ, Gᵣ), each pair symmetric or
    /// each antisymmetric, so that W is symmetric.
    ///
    /// Diagonals do not count.
    ///
    /// # Errors
    /// When there is no factor, one is not square or not finite, their sizes differ, or the memory
    /// does not suffice.
    pub fn from_factors(factors: &[(Matrix, Matrix)], monitor: &Monitor) -> Result<Self> {
        let Some((first_f, first_g)) = factors.first() else {
            return Err(Error::parameter("factors", "none", "at least one pair"));
        };
        let shape = (first_f.rows(), first_g.rows());
        for (matrix, nodes, name) in factors
            .iter()
            .flat_map(|(f, g)| [(f, shape.0, "F"), (g, shape.1, "G")])
        {
            if (matrix.rows(), matrix.cols()) != (nodes, nodes) {
                return Err(Error::parameter(
                    name,
                    format!("a {}×{} matrix", matrix.rows(), matrix.cols()),
                    format!("{nodes}×{nodes}"),
                ));
            }
            if let Some(value) = matrix.as_slice().iter().find(|v| !v.is_finite()) {
                return Err(Error::parameter(name, value, "finite numbers"));
            }
        }
        let rank = factors.len();
        monitor.reserve(
            &format!("{rank} factors of {}×{} nodes", shape.0, shape.1),
            Self::memory_needed(shape.0, shape.1, rank),
            &[Hint::MoreMemory, Hint::SmallerGraphs],
        )?;
        let mut bounds = (0.0, 0.0);
        for (f, g) in factors {
            let ((low_f, high_f), (low_g, high_g)) = (range(f), range(g));
            let corners = [
                low_f * low_g,
                low_f * high_g,
                high_f * low_g,
                high_f * high_g,
            ];
            bounds.0 += corners.iter().fold(f64::INFINITY, |least, v| v.min(least));
            bounds.1 += corners
                .iter()
                .fold(f64::NEG_INFINITY, |most, v| v.max(most));
        }
        if !bounds.0.is_finite() || !bounds.1.is_finite() {
            // A side of one node has no pairs, and no range.
            bounds = (0.0, 0.0);
        }
        let side = |nodes: usize, pick: fn(&(Matrix, Matrix)) -> &Matrix| {
            let mut table = vec![0.0; nodes * rank * nodes];
            for (i, block) in table.chunks_mut((rank * nodes).max(1)).enumerate() {
                for (row, pair) in block.chunks_mut(nodes).zip(factors) {
                    row.copy_from_slice(pick(pair).row(i));
                    row[i] = 0.0;
                }
            }
            table
        };
        Ok(Self {
            entries: Entries::Factors { bounds },
            shape,
            rank,
            f: side(shape.0, |pair| &pair.0),
            g: side(shape.1, |pair| &pair.1),
        })
    }

    /// Bytes for the factors, the values and the scratch of a product.
    #[must_use]
    pub fn memory_needed(rows: usize, cols: usize, rank: usize) -> u64 {
        let (n, m, r) = (rows as u64, cols as u64, rank as u64);
        let entries = (n.saturating_mul(n))
            .saturating_add(m.saturating_mul(m))
            .saturating_mul(r + 1)
            .saturating_add(n.saturating_mul(m).saturating_mul(r + 6));
        entries.saturating_mul(8)
    }

    /// r, the number of terms.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.rank
    }
}

impl Pairwise for SeparablePairwise {
    fn shape(&self) -> (usize, usize) {
        self.shape
    }

    fn value(&self, i: usize, a: usize, j: usize, b: usize) -> f64 {
        if i == j || a == b {
            return 0.0;
        }
        match &self.entries {
            Entries::Kernel { kernel, x, y } => kernel.evaluate(x[(i, j)], y[(a, b)]),
            Entries::Factors { .. } => {
                let ((n, m), rank) = (self.shape, self.rank);
                (0..rank)
                    .map(|r| self.f[(i * rank + r) * n + j] * self.g[(a * rank + r) * m + b])
                    .sum()
            }
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
        let ((n, m), r) = (self.shape(), self.rank);
        let goes_on = multiply_while(scratch, &self.f, x, (n * r, n, m), go_on) && go_on();
        if goes_on {
            multiply_transposed_into(out, scratch, &self.g, n, r * m, m);
        }
        goes_on
    }

    fn scratch_len(&self) -> usize {
        let (n, m) = self.shape();
        n * m * self.rank
    }

    fn memory(&self) -> u64 {
        let values = match &self.entries {
            Entries::Kernel { x, y, .. } => x.as_slice().len() + y.as_slice().len(),
            Entries::Factors { .. } => 0,
        };
        ((self.f.len() + self.g.len() + values) * size_of::<f64>()) as u64
    }

    fn bounds(&self) -> (f64, f64) {
        match self.entries {
            Entries::Kernel { .. } => (0.0, 1.0),
            Entries::Factors { bounds } => bounds,
        }
    }

    fn add_interactions(&self, j: usize, b: usize, scale: f64, gradient: &mut [f64]) {
        let ((n, m), rank) = (self.shape(), self.rank);
        // Column j of every Fᵣ is the row block of j, up to a sign that Gᵣ has as well.
        let f = &self.f[j * rank * n..(j + 1) * rank * n];
        let g = &self.g[b * rank * m..(b + 1) * rank * m];
        for (k, row) in gradient.chunks_mut(m.max(1)).enumerate() {
            for r in 0..rank {
                let factor = scale * f[r * n + k];
                for (slot, value) in row.iter_mut().zip(&g[r * m..(r + 1) * m]) {
                    *slot += factor * value;
                }
            }
        }
    }

    fn apply_assignment(&self, assignment: &Assignment, out: &mut [f64], scratch: &mut [f64]) {
        // The first product moves columns only.
        let ((n, m), r) = (self.shape(), self.rank);
        scratch.fill(0.0);
        for (moved, row) in scratch.chunks_mut(m.max(1)).zip(self.f.chunks(n.max(1))) {
            for (value, b) in row.iter().zip(assignment) {
                if let Some(b) = b {
                    moved[b] = *value;
                }
            }
        }
        multiply_transposed_into(out, scratch, &self.g, n, r * m, m);
    }

    fn low_rank_memory(&self) -> Option<u64> {
        Some(0)
    }

    fn low_rank(&self) -> Option<LowRank<'_>> {
        let (n, m) = self.shape();
        let side = |table, nodes| Rows::Interleaved {
            table,
            terms: self.rank,
            nodes,
        };
        Some(LowRank::new(side(&self.f, n), side(&self.g, m), 1.0))
    }

    fn add_exchange(&self, (i, a): (usize, usize), (j, b): (usize, usize), gradient: &mut [f64]) {
        // Four columns of W at once: (fᵣ(x_·i) − fᵣ(x_·j)) (fᵣ(y_·b) − fᵣ(y_·a)).
        let ((n, m), rank) = (self.shape(), self.rank);
        let block = |node: usize, size: usize| node * rank * size..(node + 1) * rank * size;
        let (f_i, f_j) = (&self.f[block(i, n)], &self.f[block(j, n)]);
        let (g_a, g_b) = (&self.g[block(a, m)], &self.g[block(b, m)]);
        for (k, row) in gradient.chunks_mut(m.max(1)).enumerate() {
            for r in 0..rank {
                let factor = f_i[r * n + k] - f_j[r * n + k];
                let (new, old) = (&g_b[r * m..(r + 1) * m], &g_a[r * m..(r + 1) * m]);
                for ((slot, new), old) in row.iter_mut().zip(new).zip(old) {
                    *slot += factor * (new - old);
                }
            }
        }
    }
}

/// The least and the largest entry off the diagonal.
fn range(matrix: &Matrix) -> (f64, f64) {
    let n = matrix.rows();
    (0..n * n)
        .filter(|place| place / n != place % n)
        .map(|place| matrix.as_slice()[place])
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| {
            (low.min(v), high.max(v))
        })
}

/// fᵣ(values_ij) as (i, r, j), zero on the diagonal.
fn tabulate(factors: &KernelFactors, values: &Matrix) -> Vec<f64> {
    let (n, rank) = (values.rows(), factors.rank());
    let mut table = vec![0.0; n * rank * n];
    table
        .par_chunks_mut((rank * n).max(1))
        .enumerate()
        .for_each_init(
            || vec![0.0; factors.scratch_len(n)],
            |scratch, (i, block)| {
                factors.tabulate(values.row(i), block, scratch);
                for r in 0..rank {
                    block[r * n + i] = 0.0;
                }
            },
        );
    table
}

#[cfg(test)]
mod tests {
    use super::super::test_support::assert_is_its_values;
    use super::*;
    use crate::problem::ExplicitPairwise;
    use proptest::prelude::*;

    fn symmetric(n: usize, seed: u64, binary: bool) -> Matrix {
        Matrix::from_fn(n, n, |i, j| {
            let (i, j) = (i.min(j) as u64, i.max(j) as u64);
            let hash = (i * 2_654_435_761 + j * 40_503 + seed * 97_531) % 10_007;
            let value = hash as f64 / 10_007.0;
            if binary { value.round() } else { value }
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn it_agrees_with_the_explicit_matrix(
            n in 0usize..9, m in 0usize..9, bandwidth in 0.005f64..2.0,
            binary in any::<bool>(), seed in 0u64..100,
        ) {
            let (x, y) = (symmetric(n, seed, binary), symmetric(m, seed + 1, binary));
            let kernel = GaussianKernel::new(bandwidth).unwrap();
            let monitor = Monitor::silent();
            let explicit =
                ExplicitPairwise::from_values(&x, &y, |p, q| kernel.evaluate(p, q), &monitor)
                    .unwrap();
            let separable = SeparablePairwise::new(x, y, kernel, 1e-6, &monitor).unwrap();
            let input: Vec<f64> = (0..n * m).map(|k| ((k * 37 + 11) % 23) as f64 / 23.0).collect();
            let mut want = vec![0.0; n * m];
            let mut got = vec![0.0; n * m];
            explicit.apply(&input, &mut want, &mut []);
            separable.apply(&input, &mut got, &mut vec![0.0; separable.scratch_len()]);
            let mass: f64 = input.iter().sum();
            for (w, g) in want.iter().zip(&got) {
                prop_assert!((w - g).abs() <= 1.1e-6 * mass + 1e-12, "{w} {g}");
            }
            for (p, q) in (0..n * m).flat_map(|p| (0..n * m).map(move |q| (p, q))) {
                let (i, a, j, b) = (p / m, p % m, q / m, q % m);
                prop_assert_eq!(explicit.value(i, a, j, b), separable.value(i, a, j, b));
            }
        }
    }

    #[test]
    fn products_and_gradients_are_sums_of_values() {
        for (n, m) in [(6, 8), (8, 6), (1, 1), (0, 3)] {
            let kernel = GaussianKernel::new(0.1).unwrap();
            let (x, y) = (symmetric(n, 1, false), symmetric(m, 2, false));
            let w = SeparablePairwise::new(x, y, kernel, 1e-9, &Monitor::silent()).unwrap();
            assert_is_its_values(&w, 2e-9);
        }
    }

    #[test]
    fn given_factors_are_summed() {
        for (n, m) in [(5, 7), (7, 5), (1, 3), (0, 0)] {
            let factors: Vec<(Matrix, Matrix)> = (0..3)
                .map(|r| {
                    let shifted = |n, seed| {
                        let x = symmetric(n, seed, false);
                        Matrix::from_fn(n, n, |i, j| x[(i, j)] - 0.4)
                    };
                    (shifted(n, r), shifted(m, r + 10))
                })
                .collect();
            let monitor = Monitor::silent();
            let w = SeparablePairwise::from_factors(&factors, &monitor).unwrap();
            let entry = |i, a, j, b| -> f64 {
                let terms = factors.iter().map(|(f, g)| f[(i, j)] * g[(a, b)]);
                if i == j || a == b { 0.0 } else { terms.sum() }
            };
            for (p, q) in (0..n * m).flat_map(|p| (0..n * m).map(move |q| (p, q))) {
                let (i, a, j, b) = (p / m, p % m, q / m, q % m);
                assert!((w.value(i, a, j, b) - entry(i, a, j, b)).abs() < 1e-12);
            }
            assert_is_its_values(&w, 1e-12);
        }
        let square = (Matrix::zeros(2, 2), Matrix::zeros(3, 3));
        let wrong = (Matrix::zeros(2, 2), Matrix::zeros(2, 2));
        let monitor = Monitor::silent();
        assert!(SeparablePairwise::from_factors(&[], &monitor).is_err());
        assert!(SeparablePairwise::from_factors(&[square, wrong], &monitor).is_err());
        let bad = (Matrix::filled(1, 1, f64::NAN), Matrix::zeros(1, 1));
        assert!(SeparablePairwise::from_factors(&[bad], &monitor).is_err());
    }

    #[test]
    fn memory_is_quadratic_and_checked() {
        let x = symmetric(200, 1, false);
        let kernel = GaussianKernel::new(0.05).unwrap();
        let monitor = Monitor::silent();
        let pairwise =
            SeparablePairwise::new(x.clone(), x.clone(), kernel, 1e-6, &monitor).unwrap();
        let needed = SeparablePairwise::memory_needed(200, 200, pairwise.rank());
        assert!(pairwise.memory() + 8 * pairwise.scratch_len() as u64 <= needed);
        let tight = Monitor::silent().max_memory(needed - 1);
        assert!(SeparablePairwise::new(x.clone(), x, kernel, 1e-6, &tight).is_err());
    }

    #[test]
    fn bad_matrices_are_refused() {
        let kernel = GaussianKernel::new(1.0).unwrap();
        let monitor = Monitor::silent();
        let good = symmetric(3, 1, false);
        for bad in [Matrix::zeros(2, 3), Matrix::filled(2, 2, f64::NAN)] {
            assert!(SeparablePairwise::new(bad, good.clone(), kernel, 1e-6, &monitor).is_err());
        }
    }
}
