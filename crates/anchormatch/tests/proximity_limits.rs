//! The learner at its edges: degenerate inputs, priors, weights, limits and refusals.

use anchormatch::affinity::proximity::{EXACT_GAP, Learner, Mode, Status};
use anchormatch::anchors::Anchor;
use anchormatch::linalg::Matrix;
use anchormatch::{Error, Monitor};

mod proximity_support;
use proximity_support::{Arrays, assert_sound, far, learn, learner};

const MODES: [Mode; 2] = [Mode::Projected, Mode::Exact];

#[test]
fn equal_features_leave_everything_to_the_slack() {
    let arrays = Arrays {
        source: Matrix::filled(4, 2, 1.5),
        target: Matrix::filled(5, 2, 0.5),
        anchors: vec![Anchor::new(1, 2, 1.0), Anchor::new(0, 0, 0.5)],
        source_loss: Matrix::filled(2, 4, 0.7),
        target_loss: Matrix::filled(2, 5, 1.0),
    };
    for mode in MODES {
        let learned = learn(&arrays, mode, 10.0);
        assert_eq!(learned.status, Status::Converged);
        assert!(learned.b.as_slice().iter().all(|v| v.abs() < 1e-5));
        assert!(learned.slack.iter().all(|s| (s - 1.0).abs() < 1e-6));
        // 10/2 · (1 + ½) · 1.
        assert!((learned.objective - 7.5).abs() < 1e-5);
    }
}

#[test]
fn free_slack_is_no_constraint() {
    let mut arrays = Arrays::noisy(1, 6, 0, 2, 2, 0.1);
    arrays.source_loss = Matrix::zeros(2, 6);
    arrays.target_loss = Matrix::zeros(2, 6);
    for mode in MODES {
        let learned = learn(&arrays, mode, 10.0);
        assert_eq!(learned.status, Status::Converged);
        assert_eq!((learned.objective, learned.rounds.len()), (0.0, 0));
        assert!(learned.b.as_slice().iter().all(|&v| v == 0.0));
    }
}

#[test]
fn one_node_each_has_nothing_to_learn() {
    let one = Matrix::filled(1, 3, 2.0);
    let arrays = Arrays::new(one.clone(), one, &[(0, 0)]);
    for mode in MODES {
        let learned = learn(&arrays, mode, 10.0);
        assert_eq!(
            (learned.status, learned.objective),
            (Status::Converged, 0.0)
        );
    }
}

#[test]
fn two_nodes_and_one_feature_have_the_answer_on_paper() {
    // The anchor's w is (1, 1), its rivals' are (1, 0) and (0, 1). Hard margins ask that
    // −2B₁₂ − B₂₂ ≥ 1 and −2B₁₂ − B₁₁ ≥ 1. By symmetry B = [[a, −h], [−h, a]] with 2h ≥ 1 + a, and
    // B ⪰ 0 asks that a ≥ h: a = h = 1. Without the cone, min a² + h² gives a = −1/5, h = 2/5, whose
    // positive part is [[1, −1], [−1, 1]]/10.
    let end = Matrix::from_vec(2, 1, vec![1.0, 0.0]);
    let arrays = Arrays::new(end.clone(), end, &[(0, 0)]);
    for (mode, scale) in [(Mode::Exact, 1.0), (Mode::Projected, 0.1)] {
        let learned = learn(&arrays, mode, 1e4);
        assert_eq!(learned.status, Status::Converged);
        for (value, want) in learned.b.as_slice().iter().zip([1.0, -1.0, -1.0, 1.0]) {
            assert!((value - scale * want).abs() < 1e-4, "{:?}", learned.b);
        }
        assert_sound(&arrays, &learned, 1e4);
    }
}

#[test]
fn a_prior_that_already_separates_is_kept() {
    let line = Matrix::from_vec(3, 1, vec![0.0, 10.0, 20.0]);
    let arrays = Arrays::new(line.clone(), line, &[(0, 0), (2, 2)]);
    for mode in MODES {
        let mut learner = learner(mode, 10.0);
        learner.prior = 1.0;
        let learned = learner
            .learn(&arrays.examples(), &Monitor::silent())
            .unwrap();
        assert_eq!(learned.b.as_slice(), &[1.0, -1.0, -1.0, 1.0]);
        assert_eq!(
            (learned.objective, learned.status),
            (0.0, Status::Converged)
        );
    }
}

#[test]
fn a_prior_enters_the_objective_as_a_distance() {
    let arrays = Arrays::noisy(5, 20, 0, 3, 4, 0.1);
    let prior = Matrix::from_fn(6, 6, |i, j| match i.abs_diff(j) {
        0 => 0.3,
        3 => -0.3,
        _ => 0.0,
    });
    for mode in MODES {
        let mut learner = learner(mode, 100.0);
        learner.prior = 0.3;
        let learned = learner
            .learn(&arrays.examples(), &Monitor::silent())
            .unwrap();
        assert_eq!(learned.status, Status::Converged);
        let mut objective = learned.slack.iter().sum::<f64>() * 100.0 / 4.0;
        for (b, prior) in learned.b.as_slice().iter().zip(prior.as_slice()) {
            objective += 0.5 * (b - prior).powi(2);
        }
        assert!((learned.objective / objective - 1.0).abs() < 1e-10);
        assert!(mode == Mode::Projected || learned.relative_gap <= EXACT_GAP);
        // The prior itself is feasible, so that the optimum is no worse.
        let mut stay = 0.0;
        for k in 0..4 {
            let own = far(&arrays, &prior, k, k);
            let mut slack = 0.0_f64;
            for x in (0..20).filter(|&x| x != k) {
                let ahead = far(&arrays, &prior, k, x) - own;
                slack = slack.max(arrays.target_loss[(k, x)] * (1.0 - ahead));
                let ahead = far(&arrays, &prior, x, k) - own;
                slack = slack.max(arrays.source_loss[(k, x)] * (1.0 - ahead));
            }
            stay += 25.0 * slack;
        }
        assert!(learned.dual_objective <= stay);
    }
}

#[test]
fn a_lighter_anchor_pays_less_for_its_slack() {
    // Two anchors that contradict each other: the heavier one has its way.
    let base = Arrays::noisy(11, 8, 0, 2, 1, 0.0);
    let slack = |first: f64, second: f64| {
        let arrays = Arrays {
            anchors: vec![Anchor::new(0, 0, first), Anchor::new(0, 1, second)],
            source_loss: Matrix::filled(2, 8, 1.0),
            target_loss: Matrix::filled(2, 8, 1.0),
            ..base.clone()
        };
        let learned = learn(&arrays, Mode::Exact, 100.0);
        assert_sound(&arrays, &learned, 100.0);
        learned.slack
    };
    let (left, right) = (slack(1.0, 0.05), slack(0.05, 1.0));
    assert!(
        left[0] < right[0] && left[1] > right[1],
        "{left:?} {right:?}"
    );
}

#[test]
fn limits_are_told_from_convergence() {
    let arrays = Arrays::noisy(2, 40, 0, 4, 6, 0.3);
    for mode in MODES {
        let mut short = learner(mode, 100.0);
        short.max_rounds = 2;
        let learned = short.learn(&arrays.examples(), &Monitor::silent()).unwrap();
        assert_eq!(learned.status, Status::RoundLimit);
        assert_eq!(learned.rounds.len(), 2);
        assert_sound(&arrays, &learned, 100.0);

        let monitor = Monitor::silent();
        let token = monitor.cancel_token();
        let monitor = monitor.observe(move |progress| {
            assert_eq!(progress.stage, "learn proximity");
            if progress.done == 3 {
                token.cancel();
            }
        });
        let learned = learner(mode, 100.0)
            .learn(&arrays.examples(), &monitor)
            .unwrap();
        assert_eq!(learned.status, Status::Interrupted);
        assert_eq!(learned.rounds.len(), 3);
        assert_sound(&arrays, &learned, 100.0);
    }
}

#[test]
fn parameters_out_of_range_are_refused_in_words() {
    let arrays = Arrays::noisy(1, 5, 1, 2, 2, 0.1);
    let changed = |change: &dyn Fn(&mut Learner)| {
        let mut learner = Learner::default();
        change(&mut learner);
        learner
    };
    let mut wrong: Vec<(Learner, &str)> = [0.0, -1.0, f64::NAN, f64::INFINITY]
        .into_iter()
        .map(|c| (changed(&|learner| learner.c = c), "c:"))
        .collect();
    wrong.push((changed(&|learner| learner.tolerance = 0.0), "tolerance"));
    wrong.push((changed(&|learner| learner.max_rounds = 0), "max_rounds"));
    for prior in [-1.0, f64::NAN] {
        wrong.push((changed(&|learner| learner.prior = prior), "prior"));
    }
    for (learner, word) in wrong {
        let error = learner.learn(&arrays.examples(), &Monitor::silent());
        let message = error.unwrap_err().to_string();
        assert!(message.contains(word), "{message}");
    }
}

#[test]
fn arrays_that_do_not_fit_are_refused_in_words() {
    let good = Arrays::noisy(1, 5, 1, 2, 2, 0.1);
    let refuse = |prior: f64, word: &str, spoil: &dyn Fn(&mut Arrays)| {
        let mut arrays = good.clone();
        spoil(&mut arrays);
        let mut learner = Learner::default();
        learner.prior = prior;
        let error = learner
            .learn(&arrays.examples(), &Monitor::silent())
            .unwrap_err();
        assert!(error.to_string().contains(word), "{error}");
        error
    };
    let error = refuse(0.0, "none", &|a| a.anchors.clear());
    assert!(matches!(error, Error::Anchors(_)));
    refuse(0.0, "node 6", &|a| a.anchors[0].target = 6);
    refuse(0.0, "weight", &|a| a.anchors[0].weight = 2.0);
    refuse(0.0, "source", &|a| a.source[(1, 1)] = f64::NAN);
    refuse(0.0, "target_loss", &|a| a.target_loss[(0, 3)] = -0.5);
    refuse(0.0, "2×5", &|a| a.source_loss = Matrix::zeros(1, 5));
    refuse(0.1, "prior", &|a| a.target = Matrix::filled(6, 3, 1.0));
    refuse(0.0, "feature", &|a| a.source = Matrix::zeros(5, 0));
    refuse(0.0, "rescale", &|a| a.source[(0, 0)] = 1e39);
}
