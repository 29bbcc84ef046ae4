//! The Cholesky factor of a small positive definite matrix.

/// L with L Lᵀ the matrix, row by row.
#[derive(Debug, Clone)]
pub(super) struct Cholesky {
    size: usize,
    lower: Vec<f64>,
}

/// Pivots stay above this share of the largest number on the diagonal: what rounding leaves of zero.
const LEAST_PIVOT: f64 = 1e-14;

impl Cholesky {
    /// The factor of `matrix`, `size` × `size` row by row, of which the lower half is read.
    pub(super) fn new(size: usize, mut matrix: Vec<f64>) -> Self {
        debug_assert_eq!(matrix.len(), size * size, "a square matrix");
        let n = size;
        let largest = (0..n).map(|i| matrix[i * n + i]).fold(0.0, f64::max);
        let least = (largest * LEAST_PIVOT).max(f64::MIN_POSITIVE);
        // Column by column, so that what is left of every row is worked on at once.
        let mut column = vec![0.0; n];
        for k in 0..n {
            let pivot = matrix[k * n + k].max(least).sqrt();
            matrix[k * n + k] = pivot;
            for i in k + 1..n {
                let row = &mut matrix[i * n..][..=i];
                row[k] /= pivot;
                column[i] = row[k];
                let factor = row[k];
                for (x, l) in row[k + 1..].iter_mut().zip(&column[k + 1..=i]) {
                    *x -= factor * l;
                }
            }
        }
        Self {
            size,
            lower: matrix,
        }
    }

    /// The factor of `value` times the identity.
    pub(super) fn of_identity(size: usize, value: f64) -> Self {
        let mut matrix = vec![0.0; size * size];
        for k in 0..size {
            matrix[k * size + k] = value;
        }
        Self::new(size, matrix)
    }

    fn row(&self, i: usize) -> &[f64] {
        &self.lower[i * self.size..][..=i]
    }

    pub(super) fn log_determinant(&self) -> f64 {
        let diagonal = (0..self.size).map(|i| self.row(i)[i].ln());
        2.0 * diagonal.sum::<f64>()
    }

    /// L⁻¹ b in the place of b.
    pub(super) fn forward(&self, b: &mut [f64]) {
        for i in 0..self.size {
            let row = self.row(i);
            let sum: f64 = row[..i].iter().zip(&*b).map(|(x, y)| x * y).sum();
            b[i] = (b[i] - sum) / row[i];
        }
    }

    /// The solution of A x = b in the place of b.
    pub(super) fn solve(&self, b: &mut [f64]) {
        self.forward(b);
        self.backward(b);
    }

    /// L⁻ᵀ b in the place of b.
    pub(super) fn backward(&self, b: &mut [f64]) {
        for i in (0..self.size).rev() {
            let row = self.row(i);
            b[i] /= row[i];
            let x = b[i];
            for (y, l) in b[..i].iter_mut().zip(row) {
                *y -= l * x;
            }
        }
    }

    /// bᵀ A⁻¹ b; L⁻¹ b is left in the place of b.
    pub(super) fn quadratic(&self, b: &mut [f64]) -> f64 {
        self.forward(b);
        b.iter().map(|x| x * x).sum()
    }
}

/// Right sides that are worked on at once.
pub(super) const WIDTH: usize = 8;

impl Cholesky {
    /// bᵀ A⁻¹ b of several b at once, each a column of `columns`, in which L⁻¹ b is left.
    pub(super) fn quadratics(&self, columns: &mut [[f64; WIDTH]]) -> [f64; WIDTH] {
        let mut sums = [0.0; WIDTH];
        for i in 0..self.size {
            let row = self.row(i);
            let (before, rest) = columns.split_at_mut(i);
            let own = &mut rest[0];
            for (l, other) in row.iter().zip(before.iter()) {
                for (x, y) in own.iter_mut().zip(other) {
                    *x -= l * y;
                }
            }
            for (x, sum) in own.iter_mut().zip(&mut sums) {
                *x /= row[i];
                *sum += *x * *x;
            }
        }
        sums
    }

    /// fᵀ A⁻¹ f for every row f of a table; at most `MOST` columns.
    pub(super) fn quadratics_of_rows<const MOST: usize>(&self, rows: &[f64], out: &mut Vec<f64>) {
        let size = self.size;
        debug_assert!(size <= MOST, "rows fit on the stack");
        let mut columns = [[0.0; WIDTH]; MOST];
        out.clear();
        for block in rows.chunks(size.max(1) * WIDTH) {
            for (w, row) in block.chunks_exact(size.max(1)).enumerate() {
                for (column, x) in columns.iter_mut().zip(row) {
                    column[w] = *x;
                }
            }
            let sums = self.quadratics(&mut columns[..size]);
            out.extend(&sums[..block.len() / size.max(1)]);
        }
    }

    /// The sum of the diagonal of A⁻¹ from `first` on.
    pub(super) fn inverse_trace<const MOST: usize>(&self, first: usize) -> f64 {
        let mut columns = [[0.0; WIDTH]; MOST];
        let mut trace = 0.0;
        let mut k = first;
        while k < self.size {
            columns.fill([0.0; WIDTH]);
            let end = (k + WIDTH).min(self.size);
            for (w, place) in (k..end).enumerate() {
                columns[place][w] = 1.0;
            }
            let sums = self.quadratics(&mut columns[..self.size]);
            trace += sums[..end - k].iter().sum::<f64>();
            k = end;
        }
        trace
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solutions_satisfy_the_equations() {
        let a = [4.0, 2.0, 0.6, 2.0, 5.0, 1.5, 0.6, 1.5, 3.0];
        let factor = Cholesky::new(3, a.to_vec());
        let b = [1.0, -2.0, 0.5];
        let mut x = b;
        factor.solve(&mut x);
        for i in 0..3 {
            let sum: f64 = (0..3).map(|k| a[i * 3 + k] * x[k]).sum();
            assert!((sum - b[i]).abs() < 1e-12);
        }
        let mut spoilt = b;
        let quadratic: f64 = b.iter().zip(&x).map(|(p, q)| p * q).sum();
        assert!((factor.quadratic(&mut spoilt) - quadratic).abs() < 1e-12);
        // Many at once, and the diagonal of the inverse, one by one.
        let rows: Vec<f64> = (0..30).map(|k| f64::from(k % 7) - 2.5).collect();
        let mut all = Vec::new();
        factor.quadratics_of_rows::<4>(&rows, &mut all);
        assert_eq!(all.len(), 10);
        for (row, found) in rows.chunks(3).zip(&all) {
            let mut row = row.to_vec();
            assert!((factor.quadratic(&mut row) - found).abs() < 1e-12);
        }
        let unit = |k: usize| {
            let mut unit = [0.0; 3];
            unit[k] = 1.0;
            factor.quadratic(&mut unit)
        };
        let trace = unit(1) + unit(2);
        assert!((factor.inverse_trace::<5>(1) - trace).abs() < 1e-12);
        // The determinant by Sarrus' rule.
        let sarrus = 4.0 * (15.0 - 2.25) - 2.0 * (6.0 - 0.9) + 0.6 * (3.0 - 3.0);
        assert!((factor.log_determinant() - f64::ln(sarrus)).abs() < 1e-12);
        assert_eq!(
            Cholesky::of_identity(2, 4.0).log_determinant(),
            4f64.ln() * 2.0
        );
    }
}
