//! Rows and columns scaled in turn, columns first and as often as SciPy and POT do.

use super::super::frank_wolfe::dot;

/// Sweeps of [`doubly_stochastic`] at most, and how far from 1 it leaves a sum.
const STOCHASTIC_SWEEPS: usize = 1000;
const STOCHASTIC_TOLERANCE: f64 = 1e-3;

/// Scales a square matrix; `enough` sees by how much the columns miss 1 after every `every`-th sweep, the
/// first among them, and ends it. Returns whether it did.
pub(super) fn scale(
    matrix: &mut [f64],
    n: usize,
    (most, every): (usize, usize),
    mut enough: impl FnMut(&[f64]) -> bool,
) -> bool {
    let (mut rows, mut columns) = (vec![1.0; n], vec![1.0; n]);
    let (mut sums, mut errors) = (vec![0.0; n], vec![0.0; n]);
    matrix.chunks_exact(n.max(1)).for_each(|row| {
        sums.iter_mut()
            .zip(row)
            .for_each(|(sum, value)| *sum += value);
    });
    let mut ended = false;
    for sweep in 0..most {
        for (column, sum) in columns.iter_mut().zip(&sums) {
            *column = 1.0 / sum;
        }
        sums.fill(0.0);
        // One pass: a row is scaled and added to the sums of columns while it is in the cache.
        for (row, scale) in matrix.chunks_exact(n.max(1)).zip(&mut rows) {
            *scale = 1.0 / dot(row, &columns);
            sums.iter_mut()
                .zip(row)
                .for_each(|(sum, value)| *sum += *scale * value);
        }
        if sweep % every == 0 {
            for (error, (sum, column)) in errors.iter_mut().zip(sums.iter().zip(&columns)) {
                *error = sum * column - 1.0;
            }
            if enough(&errors) {
                ended = true;
                break;
            }
        }
    }
    for (row, scale) in matrix.chunks_exact_mut(n.max(1)).zip(&rows) {
        for (value, column) in row.iter_mut().zip(&columns) {
            *value = *scale * *value * column;
        }
    }
    ended
}

/// A square matrix of positive entries, row after row, scaled until rows and columns sum to 1 within a
/// thousandth: SciPy's random starts.
///
/// # Panics
/// When there are not n² entries.
///
/// # Complexity
/// O(n²) a sweep.
#[must_use]
pub fn doubly_stochastic(mut entries: Vec<f64>, n: usize) -> Vec<f64> {
    assert_eq!(entries.len(), n * n, "a square matrix");
    // A row of zeros has no scaling.
    entries
        .iter_mut()
        .for_each(|x| *x = x.max(f64::MIN_POSITIVE));
    scale(&mut entries, n, (STOCHASTIC_SWEEPS, 1), |errors| {
        errors.iter().all(|e| e.abs() < STOCHASTIC_TOLERANCE)
    });
    entries
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_come_first_and_the_rows_are_exact() {
        let entries = vec![0.9, 0.1, 0.4, 0.2, 0.7, 0.3, 0.5, 0.6, 0.8];
        // The textbook, division by division; SciPy looks after every sweep of both.
        let mut want = entries.clone();
        for _ in 0..100 {
            for j in 0..3 {
                let sum: f64 = (0..3).map(|i| want[3 * i + j]).sum();
                (0..3).for_each(|i| want[3 * i + j] /= sum);
            }
            for i in 0..3 {
                let sum: f64 = want[3 * i..3 * i + 3].iter().sum();
                (0..3).for_each(|j| want[3 * i + j] /= sum);
            }
            let off = |j: usize| ((0..3).map(|i| want[3 * i + j]).sum::<f64>() - 1.0).abs();
            if (0..3).all(|j| off(j) < 1e-3) {
                break;
            }
        }
        let got = doubly_stochastic(entries, 3);
        for (x, y) in got.iter().zip(&want) {
            assert!((x - y).abs() < 1e-14, "{x} {y}");
        }
        for i in 0..3 {
            assert!((got[3 * i..3 * i + 3].iter().sum::<f64>() - 1.0).abs() < 1e-14);
        }
        assert!(doubly_stochastic(Vec::new(), 0).is_empty());
        assert_eq!(doubly_stochastic(vec![0.0], 1), [1.0]);
    }

    #[test]
    fn sweeps_are_looked_at_and_bounded() {
        let mut looks = 0;
        let mut matrix = vec![1.0, 1e6, 1e-6, 1.0];
        let ended = scale(&mut matrix, 2, (25, 10), |_| {
            looks += 1;
            false
        });
        assert!(!ended && looks == 3);
    }
}
