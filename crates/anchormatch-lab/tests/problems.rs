//! The real QAPLIB and `.dd` problems, where the data directory has them.

use std::path::Path;
use std::time::Duration;

use anchormatch::Assignment;
use anchormatch::Monitor;
use anchormatch::problem::Problem;
use anchormatch::solver::registry;
use anchormatch_invariants::data::data_with;
use anchormatch_lab::datasets::qaplib::Qaplib;
use anchormatch_lab::datasets::{DatasetError, dd};
use anchormatch_lab::experiments::qaplib::QaplibSweep;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

#[test]
fn their_absence_is_explained() {
    let nowhere = Path::new("nowhere");
    for (error, place) in [
        (Qaplib::load(nowhere).err(), "qaplib"),
        (dd::load(nowhere).err(), "dd_instances"),
    ] {
        let error = error.expect("there is no such folder");
        assert!(matches!(error, DatasetError::Missing { .. }), "{error}");
        assert!(error.to_string().contains(place), "{error}");
    }
}

#[test]
fn every_stored_permutation_of_qaplib_has_its_cost() {
    let Some(data) = data_with("qaplib") else {
        return;
    };
    let qaplib = Qaplib::load(&data).expect("the collection is sound");
    assert_eq!(qaplib.instances().len(), 87);
    let known = qaplib.instances().iter().filter_map(|named| {
        let best = named.best.as_ref()?;
        // Once more, by the program that solvers see.
        let problem = named
            .instance
            .problem(anchormatch::problem::Sense::Minimise);
        let problem = problem.expect("a program");
        let assignment: Assignment = best.permutation.iter().copied().map(Some).collect();
        assert!(problem.is_feasible(&assignment));
        assert_eq!(problem.objective(&assignment), best.cost, "{}", named.name);
        Some(())
    });
    assert_eq!(known.count(), 74);
    // Published optima: Anstreicher, Brixius, Goux & Linderoth (2002) and QAPLIB.
    for (name, cost) in [("nug30", 6124.0), ("kra32", 88_700.0), ("ste36a", 9526.0)] {
        let best = qaplib.find(name).and_then(|named| named.best.as_ref());
        assert_eq!(best.map(|best| best.cost), Some(cost), "{name}");
    }

    // The experiment runs on real instances; no cost is below a proven optimum.
    let sweep = QaplibSweep {
        time_limit: Duration::from_secs(60),
        largest: Some(12),
        ..QaplibSweep::default()
    };
    let solver = registry::by_name("rrwm").expect("the solver of the paper");
    let result = sweep
        .run(&qaplib, solver.as_ref(), &Monitor::silent(), |_| {})
        .expect("a result");
    assert!(result.complete && result.rows.len() >= 5);
    for row in &result.rows {
        assert!(row.gap().expect("both costs") >= 0.0, "{row:?}");
    }
}

#[test]
fn dd_references_hold() {
    let Some(data) = data_with("dd_instances") else {
        return;
    };
    let files = dd::load(&data).expect("the files are sound");
    assert_eq!(files.len(), 5);
    for file in files {
        assert!(file.problems.iter().all(|problem| problem.notes.is_empty()));
        if file.reference.assignment.is_none() {
            // Found again by a search of our own: exchanges from many starts.
            let problem = file.problems[0].listed.problem().expect("a program");
            let value = best_of_exchanges(&problem, 60);
            let wanted = file.reference.value;
            assert!(
                (value - wanted).abs() <= dd::ROUNDING,
                "{}: {value}",
                file.reference.name
            );
        }
    }
}

/// The least value over full assignments where no exchange of two partners helps.
fn best_of_exchanges(problem: &Problem, starts: usize) -> f64 {
    let n = problem.shape().0;
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut best = f64::INFINITY;
    for _ in 0..starts {
        let mut partners = Assignment::identity(n);
        for i in (1..n).rev() {
            partners.swap(i, rng.random_range(0..=i));
        }
        let mut value = problem.objective(&partners);
        loop {
            let before = value;
            for i in 0..n {
                for j in 0..i {
                    partners.swap(i, j);
                    let exchanged = problem.objective(&partners);
                    if exchanged < value - 1e-12 {
                        value = exchanged;
                    } else {
                        partners.swap(i, j);
                    }
                }
            }
            if value >= before {
                break;
            }
        }
        best = best.min(value);
    }
    best
}
