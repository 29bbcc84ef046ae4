//! What a writer of problems writes, the reader of the same format gives back, to the last bit.

// The lint spares test functions but not their helpers.
#![allow(clippy::unwrap_used)]

use anchormatch::linalg::Matrix;
use anchormatch::problem::{Coverage, Listed, Sense};
use anchormatch_io::problem_json::{
    SavedKind, SavedProblem, SavedWeights, read_saved_problem_from, write_saved_problem,
};
use anchormatch_io::{
    DdProblem, ProblemOptions, QapInstance, QapSolution, read_dd_from, read_qap_from,
    read_qap_solution_from, write_dd, write_qap, write_qap_solution,
};
use proptest::collection::vec;
use proptest::prelude::*;

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => -1e3..1e3f64,
        4 => (-9..9i32).prop_map(f64::from),
        1 => any::<f64>().prop_filter("finite", |v| v.is_finite()),
        1 => prop::sample::select(vec![f64::MAX, f64::MIN_POSITIVE, 5e-324, 0.1 + 0.2, -0.0, 0.0]),
    ]
}

fn matrix(rows: usize, cols: usize) -> impl Strategy<Value = Matrix> {
    vec(number(), rows * cols).prop_map(move |data| Matrix::from_vec(rows, cols, data))
}

fn triplets(n: usize, m: usize) -> impl Strategy<Value = Vec<(usize, usize, f64)>> {
    let most = if n * m == 0 { 0 } else { 12 };
    vec((0..n.max(1), 0..m.max(1), number()), 0..=most)
}

fn listed() -> impl Strategy<Value = Listed> {
    (0..6usize, 0..6usize)
        .prop_flat_map(|(rows, cols)| (Just((rows, cols)), triplets(rows, cols)))
        .prop_flat_map(|((rows, cols), assignments)| {
            let count = assignments.len();
            (
                Just((rows, cols)),
                Just(assignments),
                triplets(count, count),
            )
        })
        .prop_map(|((rows, cols), assignments, mut pairs)| {
            pairs.retain(|pair| pair.0 != pair.1);
            Listed {
                rows,
                cols,
                assignments,
                pairs,
            }
        })
}

fn dd() -> impl Strategy<Value = DdProblem> {
    let graphs = prop::option::of((0..9usize, 0..9usize));
    (graphs, listed()).prop_map(|(graphs, listed)| DdProblem {
        graphs,
        listed,
        notes: Vec::new(),
    })
}

fn weights() -> impl Strategy<Value = SavedWeights> {
    prop_oneof![
        (0..5usize)
            .prop_flat_map(|n| matrix(n, n))
            .prop_map(SavedWeights::Dense),
        (0..5usize)
            .prop_flat_map(|n| (Just(n), triplets(n, n)))
            .prop_map(|(nodes, entries)| SavedWeights::Sparse { nodes, entries }),
    ]
}

/// Whatever the types allow; whether it makes sense is not the file's business.
fn kind() -> impl Strategy<Value = SavedKind> {
    let part = || prop::option::of((1..4usize, 1..4usize).prop_flat_map(|(n, m)| matrix(n, m)));
    let square = || (0..4usize).prop_flat_map(|n| matrix(n, n));
    prop_oneof![
        (weights(), weights(), part()).prop_map(|(a, b, linear)| SavedKind::Product {
            a,
            b,
            linear
        }),
        listed().prop_map(SavedKind::Listed),
        (square(), square(), number(), number(), part()).prop_map(
            |(x, y, bandwidth, tolerance, unary)| SavedKind::Kernel {
                x,
                y,
                bandwidth,
                tolerance,
                unary
            }
        ),
        (0..9usize, any::<usize>(), square(), part()).prop_map(|(rows, cols, w, unary)| {
            SavedKind::Explicit {
                rows,
                cols,
                w,
                unary,
            }
        }),
    ]
}

proptest! {
    #[test]
    fn dd_files(problems in vec(dd(), 1..5)) {
        let mut bytes = Vec::new();
        write_dd(&mut bytes, &problems).unwrap();
        let mut again = read_dd_from(&bytes[..], "memory", &ProblemOptions::default()).unwrap();
        // Random pairs may be in conflict, which is noted.
        again.iter_mut().for_each(|problem| problem.notes.clear());
        prop_assert_eq!(format!("{again:?}"), format!("{problems:?}"));
        prop_assert_eq!(again, problems);
    }

    #[test]
    fn qaplib_instances(
        instance in (1..6usize).prop_flat_map(|n| (Just(n), matrix(n, n), matrix(n, n)))
            .prop_map(|(n, a, b)| QapInstance { n, a, b }),
    ) {
        let mut bytes = Vec::new();
        write_qap(&mut bytes, &instance).unwrap();
        let again = read_qap_from(&bytes[..], "memory", &ProblemOptions::default()).unwrap();
        prop_assert_eq!(format!("{again:?}"), format!("{instance:?}"));
    }

    #[test]
    fn qaplib_solutions(
        (cost, permutation) in (number(), (1..9usize).prop_flat_map(|n| {
            Just((0..n).collect::<Vec<_>>()).prop_shuffle()
        })),
    ) {
        let solution = QapSolution { n: permutation.len(), cost, permutation };
        let mut bytes = Vec::new();
        write_qap_solution(&mut bytes, &solution).unwrap();
        prop_assert_eq!(read_qap_solution_from(&bytes[..], "memory").unwrap(), solution);
    }

    #[test]
    fn saved_problems(
        kind in kind(), minimise in any::<bool>(), full in any::<bool>(), constant in number(),
        candidates in prop::option::of(vec((0..9usize, any::<usize>()), 0..5)),
    ) {
        let sense = if minimise { Sense::Minimise } else { Sense::Maximise };
        let mut saved = SavedProblem::new(sense, kind);
        saved.coverage = if full { Coverage::Full } else { Coverage::Partial };
        saved.constant = constant;
        saved.candidates = candidates;
        let mut bytes = Vec::new();
        write_saved_problem(&mut bytes, &saved).unwrap();
        let again =
            read_saved_problem_from(&bytes[..], "memory", &ProblemOptions::default()).unwrap();
        // The texts also tell −0 from 0.
        prop_assert_eq!(format!("{again:?}"), format!("{saved:?}"));
        prop_assert_eq!(again.clone(), saved);
        // And making the program of anything is an error at worst.
        let _ = again.problem(&ProblemOptions { max_memory: Some(1 << 24), ..ProblemOptions::default() });
    }
}
