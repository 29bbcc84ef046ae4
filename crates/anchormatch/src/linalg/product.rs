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
    multiply_while(out, a, b, (m, k, n), &|| true);
}

/// [`multiply_into`] that asks `go_on` before every block of rows; `false` when it was cut short, `out` then partly as it
/// was.
///
/// # Panics
/// As [`multiply_into`].
pub fn multiply_while(
    out: &mut [f64],
    a: &[f64],
    b: &[f64],
    (m, k, n): (usize, usize, usize),
    go_on: &(dyn Fn() -> bool + Sync),
) -> bool {
    assert_eq!(b.len(), k * n, "right factor fills its shape");
    let right = MatRef::from_row_major_slice(b, k, n);
    blocks(out, a, right, (m, k, n), go_on)
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
    blocks(out, a, right, (m, k, n), &|| true);
}

/// Σ a_k b_k, in eight running sums that the compiler keeps in vector registers.
#[must_use]
#[inline]
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

fn blocks(
    out: &mut [f64],
    a: &[f64],
    right: MatRef<'_, f64>,
    (m, k, n): (usize, usize, usize),
    go_on: &(dyn Fn() -> bool + Sync),
) -> bool {
    assert_eq!(out.len(), m * n, "product fills its shape");
    assert_eq!(a.len(), m * k, "left factor fills its shape");
    if m == 0 || n == 0 {
        return true;
    }
    if k == 0 {
        out.fill(0.0);
        return true;
    }
    let block = |(out, a): (&mut [f64], &[f64])| {
        let rows = out.len() / n;
        let left = MatRef::from_row_major_slice(a, rows, k);
        let target = MatMut::from_row_major_slice_mut(out, rows, n);
        matmul(target, Accum::Replace, left, right, 1.0, Par::Seq);
    };
    if m.saturating_mul(k).saturating_mul(n) < PARALLEL_WORK {
        block((out, a));
        true
    } else {
        // The shape alone decides, so that the summation order never depends on the threads.
        let rows = m.div_ceil(TASKS).next_multiple_of(8).min(BLOCK_ROWS);
        out.par_chunks_mut(rows * n)
            .zip(a.par_chunks(rows * k))
            .all(|part| {
                let goes_on = go_on();
                if goes_on {
                    block(part);
                }
                goes_on
            })
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

    #[test]
    fn a_product_that_is_cut_short_does_few_blocks_more() {
        use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
        let (m, k, n) = (2000, 30, 40);
        let (a, b) = (entries(m * k, 1), entries(k * n, 2));
        let mut out = vec![f64::NAN; m * n];
        let asked = AtomicUsize::new(0);
        let go_on = || asked.fetch_add(1, Relaxed) < 3;
        assert!(!multiply_while(&mut out, &a, &b, (m, k, n), &go_on));
        let rows = out.chunks(n).filter(|row| !row[0].is_nan()).count();
        assert_eq!(rows, 3 * BLOCK_ROWS);
        let mut whole = vec![f64::NAN; m * n];
        multiply_into(&mut whole, &a, &b, m, k, n);
        for (row, want) in out.chunks(n).zip(whole.chunks(n)) {
            assert!(row[0].is_nan() || row == want);
        }
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
