//! Blocked products `A B` and `A Bᵀ` over row-major slices.

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use rayon::prelude::*;

/// Rows that one task multiplies at most.
const BLOCK_ROWS: usize = 128;

/// A product is cut into about this many tasks when it has fewer rows than that many full blocks.
const TASKS: usize = 8;

/// Below this many multiplications a product is not worth waking other threads.
const PARALLEL_WORK: usize = 1 << 20;

/// `out = a · b`, with `a` m×k, `b` k×n and `out` m×n, all row-major.
///
/// # Panics
/// When a slice does not fill its shape.
pub fn multiply_into(out: &mut [f64], a: &[f64], b: &[f64], m: usize, k: usize, n: usize) {
    assert_eq!(b.len(), k * n, "right factor fills its shape");
    let right = MatRef::from_row_major_slice(b, k, n);
    blocks(out, a, right, m, k, n);
}

/// `out = a · bᵀ`, with `a` m×k, `b` n×k and `out` m×n, all row-major.
///
/// # Panics
/// When a slice does not fill its shape.
pub fn multiply_transposed_into(
    out: &mut [f64],
    a: &[f64],
    b: &[f64],
    m: usize,
    k: usize,
    n: usize,
) {
    assert_eq!(b.len(), k * n, "right factor fills its shape");
    let right = MatRef::from_row_major_slice(b, n, k).transpose();
    blocks(out, a, right, m, k, n);
}

/// Σ a_k b_k, in eight running sums that the compiler keeps in vector registers.
#[must_use]
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 8];
    let (a_blocks, a_rest) = a.as_chunks::<8>();
    let (b_blocks, b_rest) = b.as_chunks::<8>();
    for (x, y) in a_blocks.iter().zip(b_blocks) {
        for lane in 0..8 {
            sums[lane] += x[lane] * y[lane];
        }
    }
    let rest: f64 = a_rest.iter().zip(b_rest).map(|(x, y)| x * y).sum();
    sums.iter().sum::<f64>() + rest
}

fn blocks(out: &mut [f64], a: &[f64], right: MatRef<'_, f64>, m: usize, k: usize, n: usize) {
    assert_eq!(out.len(), m * n, "product fills its shape");
    assert_eq!(a.len(), m * k, "left factor fills its shape");
    if m == 0 || n == 0 {
        return;
    }
    if k == 0 {
        out.fill(0.0);
        return;
    }
    let block = |(out, a): (&mut [f64], &[f64])| {
        let rows = out.len() / n;
        let left = MatRef::from_row_major_slice(a, rows, k);
        let target = MatMut::from_row_major_slice_mut(out, rows, n);
        matmul(target, Accum::Replace, left, right, 1.0, Par::Seq);
    };
    if m.saturating_mul(k).saturating_mul(n) < PARALLEL_WORK {
        block((out, a));
    } else {
        // The shape alone decides, so that the summation order never depends on the threads.
        let rows = m.div_ceil(TASKS).next_multiple_of(8).min(BLOCK_ROWS);
        out.par_chunks_mut(rows * n)
            .zip(a.par_chunks(rows * k))
            .for_each(block);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anchormatch_invariants::shapes::on_any_threads;
    use proptest::prelude::*;

    fn entries(len: usize, seed: u64) -> Vec<f64> {
        (0..len)
            .map(|i| ((i as u64 * 7919 + seed * 104_729) % 1000) as f64 / 500.0 - 1.0)
            .collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn products_match_the_triple_loop(m in 0usize..200, k in 0usize..40, n in 0usize..40) {
            let a = entries(m * k, 1);
            let b = entries(k * n, 2);
            let bt: Vec<f64> = (0..n * k).map(|e| b[(e % k) * n + e / k]).collect();
            let mut plain = vec![f64::NAN; m * n];
            let mut transposed = vec![f64::NAN; m * n];
            multiply_into(&mut plain, &a, &b, m, k, n);
            multiply_transposed_into(&mut transposed, &a, &bt, m, k, n);
            for i in 0..m {
                for j in 0..n {
                    let want: f64 = (0..k).map(|l| a[i * k + l] * b[l * n + j]).sum();
                    prop_assert!((plain[i * n + j] - want).abs() < 1e-12);
                    prop_assert!((transposed[i * n + j] - want).abs() < 1e-12);
                }
            }
        }
    }

    #[test]
    fn threads_do_not_change_a_bit() {
        let (m, k, n) = (400, 90, 110);
        let (a, b) = (entries(m * k, 3), entries(k * n, 4));
        on_any_threads(|| {
            let mut out = vec![0.0; m * n];
            multiply_into(&mut out, &a, &b, m, k, n);
            out
        });
    }
}
