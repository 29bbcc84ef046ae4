use anchormatch::Assignment;
use anchormatch::linalg::Matrix;
use anchormatch::problem::Problem;
use anchormatch::solver::{Info, Kind, OnLists, Solution};
use anchormatch_io::QapInstance;
use serde::{Deserialize, Serialize};

use super::*;
use crate::datasets::qaplib::BestKnown;

/// Returns the identity turned by `turn`, or what else a test asks for.
#[derive(Serialize, Deserialize)]
struct Fixed {
    turn: usize,
    refuse_above: usize,
    drop_last: bool,
}

const FIXED: Fixed = Fixed {
    turn: 0,
    refuse_above: usize::MAX,
    drop_last: false,
};

impl Solver for Fixed {
    fn info(&self) -> Info {
        Info {
            name: "fixed",
            kind: Kind::Search,
            reference: "none",
            complexity: "O(n)",
            accepts: "all",
            candidates: OnLists::Filled,
        }
    }

    fn solve_accepted(
        &self,
        problem: &Problem,
        _: &Start<'_>,
        monitor: &Monitor,
    ) -> Result<Solution> {
        let n = problem.shape().0;
        if n > self.refuse_above {
            return Err(Error::Numerics("too large".into()));
        }
        let mut assignment: Assignment = (0..n).map(|i| Some((i + self.turn) % n)).collect();
        if self.drop_last {
            assignment.set(n - 1, None);
        }
        Ok(Solution {
            // What a solver claims does not matter.
            objective: -1.0,
            assignment,
            soft: None,
            iterations: 1,
            status: monitor
                .interrupted()
                .map_or(Status::Converged, Status::from),
            convergence: Vec::new(),
        })
    }
}

/// A path against a path of negative weights: the identity is best, with −2 (n − 1).
fn named(n: usize, best: Option<f64>) -> NamedInstance {
    let path = |scale: f64| {
        Matrix::from_fn(n, n, |i, j| {
            let step = i.abs_diff(j) == 1;
            if step { scale } else { 0.0 }
        })
    };
    NamedInstance {
        name: format!("path{n}"),
        instance: QapInstance {
            n,
            a: path(1.0),
            b: path(-1.0),
        },
        best: best.map(|cost| BestKnown {
            cost,
            permutation: (0..n).collect(),
        }),
    }
}

fn qaplib() -> Qaplib {
    // Every rotation but the identity breaks one edge, which costs two more.
    Qaplib::new(vec![
        named(20, Some(-38.0)),
        named(30, Some(-58.0)),
        named(31, Some(-60.0)),
        named(50, Some(-98.0)),
        named(51, Some(-100.0)),
        named(5, None),
    ])
}

#[test]
fn rows_have_recomputed_costs_and_groups_their_shares() {
    let mut seen = Vec::new();
    let result = QaplibSweep::default()
        .run(&qaplib(), &FIXED, &Monitor::silent(), |row| {
            seen.push(row.name.clone());
        })
        .unwrap();
    assert_eq!(seen, ["path20", "path30", "path31", "path50", "path51"]);
    assert!(result.complete);
    for row in &result.rows {
        assert_eq!(row.found(), Some(-2.0 * (row.n as f64 - 1.0)));
        assert_eq!(row.gap(), Some(0.0));
        assert_eq!(row.outcome.as_ref().unwrap().status, Status::Converged);
    }
    let groups = result.groups();
    let counts = groups.each_ref().map(|g| (g.instances, g.reached));
    assert_eq!(counts, [(5, 5), (2, 2), (2, 2), (1, 1)]);

    let turned = Fixed { turn: 3, ..FIXED };
    let result = QaplibSweep {
        known_only: false,
        largest: Some(30),
        ..QaplibSweep::default()
    }
    .run(&qaplib(), &turned, &Monitor::silent(), |_| {})
    .unwrap();
    let names: Vec<&str> = result.rows.iter().map(|row| row.name.as_str()).collect();
    assert_eq!(names, ["path20", "path30", "path5"]);
    assert_eq!(result.rows[0].gap(), Some(2.0 / 38.0));
    assert_eq!(result.rows[2].gap(), None);
    let group = &result.groups()[0];
    assert_eq!((group.instances, group.share()), (2, Some(0.0)));
    assert!((group.gap.mean - (2.0 / 38.0 + 2.0 / 58.0) / 2.0).abs() < 1e-15);
    assert_eq!(result.groups()[3].share(), None);
}

#[test]
fn a_best_of_zero_has_a_gap_and_a_new_best_counts() {
    let data = Qaplib::new(vec![named(4, Some(0.0)), named(3, Some(-3.0))]);
    let result = QaplibSweep::default().run(&data, &FIXED, &Monitor::silent(), |_| {});
    let rows = result.unwrap().rows;
    assert_eq!((rows[0].gap(), rows[0].is_best()), (Some(-6.0), true));
    assert_eq!((rows[1].gap(), rows[1].is_best()), (Some(-1.0 / 3.0), true));
}

#[test]
fn refusals_become_rows_and_no_permutation_an_error() {
    let picky = Fixed {
        refuse_above: 30,
        ..FIXED
    };
    let sweep = QaplibSweep::default();
    let result = sweep
        .run(&qaplib(), &picky, &Monitor::silent(), |_| {})
        .unwrap();
    assert_eq!(
        result.rows[2].outcome,
        Err("numerics: too large".to_owned())
    );
    assert_eq!(
        (result.rows[2].gap(), result.rows[2].is_best()),
        (None, false)
    );
    let all = &result.groups()[0];
    assert_eq!((all.failed, all.reached, all.gap.count), (3, 2, 2));

    let broken = Fixed {
        drop_last: true,
        ..FIXED
    };
    let error = sweep
        .run(&qaplib(), &broken, &Monitor::silent(), |_| {})
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "numerics: fixed returned no permutation of path20"
    );
}

#[test]
fn limits_reach_the_solver_and_cancelling_ends_the_sweep() {
    let hasty = QaplibSweep {
        time_limit: Duration::ZERO,
        ..QaplibSweep::default()
    };
    let result = hasty
        .run(&qaplib(), &FIXED, &Monitor::silent(), |_| {})
        .unwrap();
    assert!(result.complete && result.rows.len() == 5);
    let limited = |row: &QaplibRow| row.outcome.as_ref().unwrap().status == Status::TimeLimit;
    assert!(result.rows.iter().all(limited));

    let monitor = Monitor::silent();
    let token = monitor.cancel_token();
    let mut rows = 0;
    let result = QaplibSweep::default().run(&qaplib(), &FIXED, &monitor, |_| {
        rows += 1;
        if rows == 2 {
            token.cancel();
        }
    });
    let result = result.unwrap();
    assert!(!result.complete);
    assert_eq!(result.rows.len(), 2);
}
