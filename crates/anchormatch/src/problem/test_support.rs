//! What holds of every kind of W.

use super::Pairwise;
use crate::assignment::Assignment;

/// W is what its values say: symmetric, zero for assignments in conflict and within its bounds
/// elsewhere; products, gradients, exchanges and products with an assignment are sums of them, up to
/// `tolerance` a unit of what is summed.
#[track_caller]
pub(super) fn assert_is_its_values(w: &dyn Pairwise, tolerance: f64) {
    let (n, m) = w.shape();
    let size = n * m;
    let value = |p: usize, q: usize| w.value(p / m, p % m, q / m, q % m);
    let (low, high) = w.bounds();
    for p in 0..size {
        for q in 0..size {
            let entry = value(p, q);
            assert_eq!(entry, value(q, p), "symmetry of ({p}, {q})");
            if p / m == q / m || p % m == q % m {
                assert_eq!(entry, 0.0, "conflict of ({p}, {q})");
            } else {
                assert!((low..=high).contains(&entry), "{low} ≤ {entry} ≤ {high}");
            }
        }
    }
    let is_image = |found: &[f64], of: &[f64]| {
        let slack = tolerance * of.iter().map(|x| x.abs()).sum::<f64>();
        for (p, found) in found.iter().enumerate() {
            let want: f64 = (0..size).map(|q| value(p, q) * of[q]).sum();
            assert!((found - want).abs() <= slack, "{p}: {found} {want}");
        }
    };
    let x: Vec<f64> = (0..size).map(|k| ((k * 5 + 2) % 7) as f64).collect();
    let mut scratch = vec![f64::NAN; w.scratch_len()];
    let mut out = vec![f64::NAN; size];
    w.apply(&x, &mut out, &mut scratch);
    is_image(&out, &x);

    let mut gradient = vec![0.0; size];
    for (q, &scale) in x.iter().enumerate() {
        w.add_interactions(q / m, q % m, scale, &mut gradient);
    }
    is_image(&gradient, &x);

    // A node stays alone where it can.
    let alone = |i: usize| i == 2 || i >= m;
    let assignment: Assignment = (0..n).map(|i| (!alone(i)).then(|| m - 1 - i)).collect();
    let mut chosen = vec![0.0; size];
    for (i, a) in assignment.pairs() {
        chosen[i * m + a] = 1.0;
    }
    w.apply_assignment(&assignment, &mut out, &mut scratch);
    is_image(&out, &chosen);

    if n > 1 && m > 1 {
        let (i, j, a, b) = (0, n - 1, m - 1, 0);
        let (mut gradient, mut change) = (vec![0.0; size], vec![0.0; size]);
        w.add_exchange((i, a), (j, b), &mut gradient);
        for (row, column, by) in [(i, b, 1.0), (j, a, 1.0), (i, a, -1.0), (j, b, -1.0)] {
            change[row * m + column] = by;
        }
        is_image(&gradient, &change);
    }
}
