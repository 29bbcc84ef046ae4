//! What holds of linear assignments beside their dual certificates: names, units, exchange of the
//! two sides, degenerate shapes; and of Sinkhorn's balancing.
#![allow(clippy::unwrap_used)]

use anchormatch::Assignment;
use anchormatch::assignment::{LinearAssignment, Sinkhorn, greedy, maximise, minimise};
use anchormatch::linalg::Matrix;
use anchormatch_invariants::shapes::order;
use proptest::collection::vec;
use proptest::prelude::*;

/// Costs of one kind at a time: any, with ties, all the same, huge, tiny, of all sizes.
fn costs() -> impl Strategy<Value = Matrix> {
    let entry = prop_oneof![Just(0usize), Just(1), Just(2), Just(3), Just(4), Just(5),];
    (0..9usize, 0..9usize, entry, vec(-1.0..1.0f64, 81)).prop_map(|(n, m, kind, numbers)| {
        Matrix::from_fn(n, m, |i, j| {
            let value = numbers[9 * i + j];
            match kind {
                0 => value,
                1 => (3.0 * value).round(),
                2 => 1.0,
                3 => 1e300 * value,
                4 => 1e-310 * value,
                _ => value * 10f64.powi((250.0 * numbers[80 - 9 * i - j]) as i32),
            }
        })
    })
}

fn assert_one_to_one(columns: &Assignment, n: usize, m: usize) {
    assert_eq!(columns.rows(), n);
    let mut taken = vec![false; m];
    for a in columns.iter().flatten() {
        assert!(!std::mem::replace(&mut taken[a], true), "one-to-one");
    }
    assert_eq!(columns.matched(), n.min(m), "the smaller side is matched");
}

/// The value is the sum of the entries chosen, in the order of the rows.
fn assert_recounted(cost: &Matrix, best: &LinearAssignment) {
    let sum: f64 = best.columns.pairs().map(|pair| cost[pair]).sum();
    assert_eq!(best.value, sum);
}

fn close(x: f64, y: f64, cost: &Matrix) -> bool {
    let largest = cost
        .as_slice()
        .iter()
        .fold(0.0f64, |most, v| most.max(v.abs()));
    (x - y).abs() <= 1e-12 * largest * (cost.rows() + 1) as f64
}

proptest! {
    #[test]
    fn every_assignment_is_sound_and_its_value_is_recounted(cost in costs()) {
        let (n, m) = (cost.rows(), cost.cols());
        for best in [minimise(&cost).unwrap(), maximise(&cost).unwrap()] {
            assert_one_to_one(&best.columns, n, m);
            assert_recounted(&cost, &best);
        }
        let taken = greedy::maximise(&cost, None).unwrap();
        assert_one_to_one(&taken.columns, n, m);
        let best = maximise(&cost).unwrap().value;
        prop_assert!(taken.value <= best || close(taken.value, best, &cost));
    }

    #[test]
    fn names_and_sides_do_not_change_the_value(cost in costs(), seed in any::<u64>()) {
        let best = minimise(&cost).unwrap().value;
        let transposed = minimise(&cost.transposed()).unwrap().value;
        prop_assert!(close(transposed, best, &cost), "{transposed} {best}");
        let rows = order(cost.rows(), seed);
        let columns = order(cost.cols(), seed ^ 1);
        let renamed = minimise(&cost.select(&rows, &columns)).unwrap().value;
        prop_assert!(close(renamed, best, &cost), "{renamed} {best}");
    }

    #[test]
    fn a_power_of_two_changes_the_unit_alone(cost in costs(), power in -8..8i32) {
        let ordinary = |v: &f64| *v == 0.0 || (1e-290..1e290).contains(&v.abs());
        prop_assume!(cost.as_slice().iter().all(ordinary));
        let factor = 2f64.powi(power);
        let scaled = Matrix::from_fn(cost.rows(), cost.cols(), |i, j| factor * cost[(i, j)]);
        let (one, two) = (minimise(&cost).unwrap(), minimise(&scaled).unwrap());
        prop_assert_eq!(two.columns, one.columns);
        prop_assert_eq!(two.value, factor * one.value);
    }

    #[test]
    fn balancing_does_not_see_units_of_rows_and_columns(
        n in 1..7usize, numbers in vec(0.01..1.0f64, 49), factor in 0.1..10.0f64,
    ) {
        let m = n;
        let balance = |scale: &dyn Fn(usize, usize) -> f64| {
            let mut matrix: Vec<f64> =
                (0..n * m).map(|p| numbers[7 * (p / m) + p % m] * scale(p / m, p % m)).collect();
            let done = Sinkhorn::new().balance(&mut matrix, n, m, 1e-11, 10_000);
            assert!(done.error <= 1e-11);
            matrix
        };
        let plain = balance(&|_, _| 1.0);
        let scaled = balance(&|i, j| factor.powi(i as i32 - j as i32));
        for (x, y) in plain.iter().zip(&scaled) {
            prop_assert!((x - y).abs() < 1e-9, "{x} {y}");
        }
        for i in 0..n {
            prop_assert!((plain[i * m..(i + 1) * m].iter().sum::<f64>() - 1.0).abs() < 1e-9);
        }
    }
}
