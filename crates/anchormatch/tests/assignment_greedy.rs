//! Greedy assignment against the rule that defines it.

use anchormatch::Assignment;
use anchormatch::assignment::greedy::maximise;
use anchormatch::linalg::Matrix;
use proptest::prelude::*;

/// The rule word for word: look through everything that is left, take the best, repeat.
fn by_the_rule(score: &Matrix, threshold: Option<f64>) -> Assignment {
    let mut columns = Assignment::empty(score.rows());
    loop {
        let mut best: Option<(usize, usize)> = None;
        for i in 0..score.rows() {
            for j in 0..score.cols() {
                if columns.partner(i).is_none()
                    && columns.iter().all(|taken| taken != Some(j))
                    && threshold.is_none_or(|t| score[(i, j)] >= t)
                    && best.is_none_or(|b| score[(i, j)] > score[b])
                {
                    best = Some((i, j));
                }
            }
        }
        match best {
            Some((i, j)) => columns.set(i, Some(j)),
            None => return columns,
        }
    }
}

proptest! {
    #[test]
    fn the_sorted_scan_follows_the_rule(
        (rows, cols, entries) in (0usize..9, 0usize..9).prop_flat_map(|(rows, cols)| {
            (Just(rows), Just(cols), prop::collection::vec(-3i8..4, rows * cols))
        }),
        threshold in prop::option::of(-4i8..5),
    ) {
        // Small integers tie often; −0 must tie with 0.
        let entries = entries.into_iter().map(|e| if e == 3 { -0.0 } else { f64::from(e) }).collect();
        let score = Matrix::from_vec(rows, cols, entries);
        let threshold = threshold.map(f64::from);
        let taken = maximise(&score, threshold).unwrap();
        prop_assert_eq!(&taken.columns, &by_the_rule(&score, threshold));
        let sum: f64 = taken.columns.pairs().map(|pair| score[pair]).sum();
        prop_assert_eq!(taken.value, sum);
    }
}

#[test]
fn the_threshold_itself_is_accepted() {
    let score = Matrix::from_vec(1, 1, vec![0.5]);
    assert_eq!(maximise(&score, Some(0.5)).unwrap().columns, [Some(0)]);
    assert_eq!(maximise(&score, Some(0.6)).unwrap().columns, [None]);
    assert_eq!(maximise(&score, Some(f64::INFINITY)).unwrap().value, 0.0);
}

#[test]
fn what_is_not_a_number_is_refused() {
    let score = Matrix::from_vec(1, 2, vec![0.5, f64::NAN]);
    let message = maximise(&score, None).unwrap_err().to_string();
    assert!(message.contains("row 0, column 1"), "{message}");
    assert!(maximise(&Matrix::zeros(1, 1), Some(f64::NAN)).is_err());
}
