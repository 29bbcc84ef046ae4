//! Every kind against the values of W, and objectives against all of them.

use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use crate::assignment::Assignment;
use crate::linalg::Matrix;
use crate::monitor::Monitor;
use crate::problem::{
    ExplicitPairwise, Listed, Pairwise, Problem, ProductPairwise, Sense, SeparablePairwise,
    SparsePairwise, Weights,
};

fn noise(i: usize, j: usize, seed: u64) -> f64 {
    let mixed = (i as u64 * 7919 + j as u64 * 104_729 + seed * 1_000_003 + 1)
        .wrapping_mul(0x9E37_79B9_7F4A_7C15);
    ((mixed >> 40) % 13) as f64 - 6.0
}

fn matrix(n: usize, seed: u64, symmetric: bool) -> Matrix {
    Matrix::from_fn(n, n, |i, j| {
        let (i, j) = if symmetric {
            (i.min(j), i.max(j))
        } else {
            (i, j)
        };
        let value = noise(i, j, seed);
        // Most are zero.
        if value.abs() < 4.0 { 0.0 } else { value }
    })
}

/// Explicit, separable, listed, and products of all sorts.
fn pairwise(kind: usize, (n, m): (usize, usize), seed: u64) -> Box<dyn Pairwise> {
    let weights = |n: usize, seed: u64, symmetric: bool, sparse: bool| {
        let matrix = matrix(n, seed, symmetric);
        if sparse {
            Weights::sparse(&matrix)
        } else {
            Weights::Dense(matrix)
        }
    };
    match kind {
        0 => {
            let value = |p: usize, q: usize| noise(p.min(q), p.max(q), seed);
            let w = Matrix::from_fn(n * m, n * m, value);
            Box::new(ExplicitPairwise::new(n, m, w).unwrap())
        }
        1 => {
            let factors: Vec<_> = (0..2)
                .map(|r| (matrix(n, seed + r, true), matrix(m, seed + 5 + r, true)))
                .collect();
            Box::new(SeparablePairwise::from_factors(&factors, &Monitor::silent()).unwrap())
        }
        2 => {
            let listed = (0..n * m).filter(|&p| noise(p, 0, seed) > -2.0);
            let assignments: Vec<_> = listed.map(|p| (p / m, p % m, 0.0)).collect();
            let count = assignments.len();
            let pairs = (0..count).flat_map(|p| (0..p).map(move |q| (p, q, noise(p, q, seed))));
            let listed = Listed {
                rows: n,
                cols: m,
                pairs: pairs.filter(|pair| pair.2 > 0.0).collect(),
                assignments,
            };
            Box::new(SparsePairwise::new(&listed).unwrap())
        }
        _ => {
            let (one, two) = (kind & 1 == 1, kind & 2 == 2);
            let (sparse, other) = (kind & 4 == 4, kind & 8 == 8);
            let (a, b) = (
                weights(n, seed, one, sparse),
                weights(m, seed + 9, two, other),
            );
            Box::new(ProductPairwise::new(a, b).unwrap().0)
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]
    #[test]
    fn it_is_what_the_values_say(
        kind in 0usize..19, n in 0usize..7, m in 0usize..7, seed in 0u64..1000, share in -6i32..6,
    ) {
        let pairwise = pairwise(kind, (n, m), seed);
        // Some rows have no candidates, and some columns.
        let listed = (0..n * m).filter(|p| noise(*p, 3, seed) > f64::from(share));
        let places = listed.map(|p| (p / m, p % m)).filter(|&(i, a)| i != 2 && a != 3);
        let lists = Csr::pattern(n, m, places).unwrap();
        let unary = Matrix::from_fn(n, m, |i, a| noise(i, a, seed + 2));
        let problem = Problem::new(Sense::Minimise, unary, pairwise).unwrap().with_constant(1.5);
        let entries = Arc::new(Entries::of(&lists));
        let w = problem.restricted(&entries);
        let count = entries.count();
        let value = |e: usize, f: usize| {
            let (i, a) = (entries.row(e), entries.column(e));
            problem.pairwise().value(i, a, entries.row(f), entries.column(f))
        };
        for e in 0..count {
            prop_assert_eq!(entries.number(entries.row(e), entries.column(e)), Some(e));
            let mut seen = vec![0.0; count];
            w.visit(e, &mut |f, weight| seen[f] += weight);
            for f in 0..count {
                prop_assert!((w.value(e, f) - value(e, f)).abs() < 1e-9);
                prop_assert!((seen[f] - value(e, f)).abs() < 1e-9, "{} {}", seen[f], value(e, f));
            }
        }
        let x: Vec<f64> = (0..count).map(|e| noise(e, 8, seed)).collect();
        let (mut out, mut scratch) = (vec![f64::NAN; count], vec![f64::NAN; w.scratch_len()]);
        w.apply(&x, &mut out, &mut scratch);
        for (e, out) in out.iter().enumerate() {
            let want: f64 = (0..count).map(|f| value(e, f) * x[f]).sum();
            prop_assert!((out - want).abs() < 1e-9, "{out} {want}");
        }
        prop_assert!(8 * w.scratch_len() as u64 <= problem.restricted_memory(count));

        // The objective visits pairs that interact alone, and is the same to the last bit.
        let mut assignment = Assignment::empty(n);
        for (i, a) in (0..n).map(|i| (i, (i + seed as usize) % m.max(1))) {
            if i < m && i != 1 {
                assignment.set(i, Some(a));
            }
        }
        let mut total = 1.5;
        let matched: Vec<_> = assignment.pairs().collect();
        for (place, &(i, a)) in matched.iter().enumerate() {
            total += problem.unary()[(i, a)];
            for &(j, b) in &matched[..place] {
                total += 2.0 * problem.pairwise().value(i, a, j, b);
            }
        }
        prop_assert_eq!(problem.objective(&assignment), total);
    }
}

#[test]
fn threads_change_no_bit() {
    // Enough rows for many parts.
    let n = 1000;
    let ring = |by: usize| {
        let arcs = (0..n).flat_map(|i| [(i, (i + by) % n, 0.1 + i as f64), (i, (i + 1) % n, 0.7)]);
        Weights::Sparse(Csr::from_triplets(n, n, arcs).unwrap())
    };
    let (pairwise, unary) = ProductPairwise::new(ring(7), ring(3)).unwrap();
    let problem = Problem::maximise(unary, Box::new(pairwise)).unwrap();
    let places = (0..n).flat_map(|i| (0..6).map(move |k| (i, (i * 3 + k * k) % n)));
    let lists = Csr::pattern(n, n, places).unwrap();
    let entries = Arc::new(Entries::of(&lists));
    let w = problem.restricted(&entries);
    let x: Vec<f64> = (0..entries.count()).map(|e| 1.0 / (e + 1) as f64).collect();
    anchormatch_invariants::shapes::on_any_threads(|| {
        let (mut out, mut scratch) = (vec![0.0; x.len()], vec![0.0; w.scratch_len()]);
        w.apply(&x, &mut out, &mut scratch);
        assert!(out.iter().any(|&value| value > 0.0));
        out.into_iter().map(f64::to_bits).collect::<Vec<_>>()
    });
}
