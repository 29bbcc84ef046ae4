use super::margin::{decide, loss};
use super::*;
use crate::anchors::Anchors;
use anchormatch_invariants::shapes::noise;

/// Two graphs and who belongs to whom.
type Example = (Graph, Graph, Vec<(usize, usize)>);

/// A random graph and a noisy copy under other names.
fn pair(n: usize, spread: f64, seed: u64) -> Example {
    let order: Vec<usize> = (0..n).map(|k| (k * 5 + 3) % n).collect();
    let pairs = |f: &dyn Fn(usize, usize) -> f64| {
        let mut edges = Vec::new();
        for i in 0..n {
            for j in 0..i {
                edges.push((i, j, f(j, i)));
            }
        }
        Graph::from_edges(n, &edges).unwrap()
    };
    let weight = |i: usize, j: usize| 0.1 + noise(i, j, seed);
    let source = pairs(&weight);
    let moved = pairs(&|i, j| (weight(i, j) + spread * (noise(i, j, seed + 999) - 0.5)).max(0.01));
    let target = moved.permuted(&order).unwrap();
    let truth = order
        .iter()
        .enumerate()
        .map(|(place, &old)| (old, place))
        .collect();
    (source, target, truth)
}

fn training(pairs: &[Example]) -> Vec<TrainingPair<'_>> {
    let each = pairs.iter().map(|(source, target, truth)| TrainingPair {
        source,
        target,
        truth,
    });
    each.collect()
}

fn mean_loss(weights: &LearnedWeights, pairs: &[Example]) -> f64 {
    let monitor = Monitor::silent();
    let each = training(pairs).into_iter().map(|pair| {
        let instance = Instance::of_training(&pair, &monitor).unwrap();
        let map = decide(
            weights.method,
            &instance,
            &weights.vector(),
            false,
            &monitor,
        )
        .unwrap();
        loss(&instance, &map)
    });
    each.sum::<f64>() / pairs.len() as f64
}

#[test]
fn what_is_learned_is_not_worse_than_equal_weights_on_other_pairs() {
    let seen: Vec<_> = (0..4).map(|seed| pair(8, 0.12, seed)).collect();
    let unseen: Vec<_> = (50..58).map(|seed| pair(8, 0.12, seed)).collect();
    for method in LearningMethod::ALL {
        let learner = ExampleLearner::new(method);
        let learned = learner.learn(&training(&seen), &Monitor::silent()).unwrap();
        learned.check().unwrap();
        assert_eq!(learned.training_pairs, 4);
        let (before, after) = (
            mean_loss(&LearnedWeights::equal(method), &unseen),
            mean_loss(&learned, &unseen),
        );
        assert!(
            after <= before + 0.08,
            "{}: {before} {after}",
            method.as_str()
        );
    }
}

#[test]
fn the_matcher_applies_them_and_keeps_anchors() {
    let (source, target, truth) = pair(9, 0.0, 5);
    let anchors = Anchors::from_indices(&source, &target, &truth[..2]).unwrap();
    let task = Task::new(&source, &target, &anchors).unwrap();
    for method in LearningMethod::ALL {
        let matcher = Learned::new(LearnedWeights::equal(method)).unwrap();
        let matching = matcher.run(&task, &Monitor::silent()).unwrap();
        let right = matching
            .pairs
            .iter()
            .filter(|p| truth.contains(&(p.source, p.target)));
        assert_eq!(right.count(), 9, "{}", method.as_str());
        // Weights travel as JSON.
        let text = serde_json::to_string(&matcher.weights).unwrap();
        let back: LearnedWeights = serde_json::from_str(&text).unwrap();
        assert_eq!(back, matcher.weights);
    }
    let mut wrong = LearnedWeights::equal(LearningMethod::Mcauley);
    wrong.nodes.pop();
    assert!(Learned::new(wrong).is_err());
}

#[test]
fn memory_is_asked_for_before_it_is_taken() {
    let (source, target, truth) = pair(9, 0.0, 5);
    let task = Task::from_pairs(&source, &target, &truth[..2]).expect("a task");
    let matcher = Learned::new(LearnedWeights::equal(LearningMethod::CaetanoLinear));
    let matcher = matcher.expect("sound weights");
    let tables = 8 * (14 * 7 * 7 + 2 * 2 * 9 * 9);
    let run = |bytes| matcher.run(&task, &Monitor::silent().max_memory(bytes));
    let error = run(tables - 1).expect_err("too little");
    assert!(
        error.to_string().starts_with("the likenesses of all nodes"),
        "{error}"
    );
    assert!(run(1 << 20).is_ok());
    // Examples are all held at once.
    let examples = [(source, target, truth)];
    let twice = [training(&examples), training(&examples)].concat();
    let learner = ExampleLearner::new(LearningMethod::CaetanoLinear);
    let one = 8 * (14 + 4) * 9 * 9;
    let learn = |bytes| learner.learn(&twice, &Monitor::silent().max_memory(bytes));
    assert!(matches!(learn(2 * one - 1), Err(Error::Memory { .. })));
    assert!(learn(1 << 20).is_ok());
}

#[test]
fn a_stop_leaves_the_other_nodes_to_the_unary_values() {
    let (n, m) = (7, 5);
    let unary = |i: usize, a: usize| noise(i, a, 3);
    let pair = |i: usize, a: usize, j: usize, b: usize| noise(i * 10 + a, j * 10 + b, 4);
    let monitor = Monitor::silent();
    let token = monitor.cancel_token();
    let monitor = monitor.observe(move |progress| {
        if progress.done == 4 {
            token.cancel();
        }
    });
    let map = topology::best_map((n, m), unary, pair, &monitor);
    let first = topology::best_map((4, m), unary, pair, &Monitor::silent());
    assert_eq!(map[..4], first);
    for (k, &a) in map.iter().enumerate().skip(4) {
        assert!((0..m).all(|b| unary(k, b) <= unary(k, a)));
    }
}

#[test]
fn maps_of_a_fixed_topology_are_the_best_of_all() {
    for (n, m, seed) in [(4, 3, 1), (5, 4, 2), (3, 5, 3), (1, 4, 4), (2, 3, 5)] {
        let unary = |i: usize, a: usize| noise(i, a, seed);
        let pair = |i: usize, a: usize, j: usize, b: usize| {
            let ((i, a), (j, b)) = ((i, a).min((j, b)), (i, a).max((j, b)));
            noise(i * 10 + a, j * 10 + b, seed + 7)
        };
        let value = |map: &[usize]| {
            let mut sum: f64 = (0..n).map(|i| unary(i, map[i])).sum();
            for i in 0..n {
                for j in (0..n).filter(|&j| topology::are_joined(i, j)) {
                    sum += pair(i, map[i], j, map[j]);
                }
            }
            sum
        };
        let found = topology::best_map((n, m), unary, pair, &Monitor::silent());
        let mut best = f64::NEG_INFINITY;
        for code in 0..m.pow(n as u32) {
            let map: Vec<usize> = (0..n).map(|k| code / m.pow(k as u32) % m).collect();
            best = best.max(value(&map));
        }
        assert!((value(&found) - best).abs() < 1e-12, "{n} {m}: {found:?}");
    }
}

#[test]
fn the_eigenvectors_gradient_is_its_derivative() {
    let (source, target, truth) = pair(7, 0.1, 3);
    let pair = TrainingPair {
        source: &source,
        target: &target,
        truth: &truth,
    };
    let monitor = Monitor::silent();
    let instance = Instance::of_training(&pair, &monitor).unwrap();
    let count = NODE_FEATURES + EDGE_FEATURES;
    let parts = spectral::edge_parts(&instance, &monitor).unwrap();
    let weights: Vec<f64> = (0..count).map(|f| 0.5 + 0.1 * f as f64).collect();
    let at = |weights: &[f64]| spectral::agreement(&instance, &parts, weights, true).unwrap();
    let (_, gradient) = at(&weights);
    for f in 0..count {
        let h = 1e-5;
        let (mut up, mut down) = (weights.clone(), weights.clone());
        up[f] += h;
        down[f] -= h;
        let want = (at(&up).0 - at(&down).0) / (2.0 * h);
        assert!(
            (gradient[f] - want).abs() < 1e-6 * (1.0 + want.abs()),
            "{f}: {} {want}",
            gradient[f]
        );
    }
}

#[test]
fn totals_are_the_derivatives_of_the_objective() {
    let (source, target, truth) = pair(6, 0.2, 9);
    let pair = TrainingPair {
        source: &source,
        target: &target,
        truth: &truth,
    };
    let monitor = Monitor::silent();
    let instance = Instance::of_training(&pair, &monitor).unwrap();
    let weights: Vec<f64> = (0..NODE_FEATURES + EDGE_FEATURES)
        .map(|f| 0.3 + 0.2 * f as f64)
        .collect();
    let problem = instance.problem(&weights, &monitor).unwrap();
    let totals = instance.totals(&instance.truth, |_, _| true);
    let sum: f64 = totals.iter().zip(&weights).map(|(t, w)| t * w).sum();
    let assignment = instance.truth.clone();
    assert!((problem.objective(&assignment) - sum).abs() < 1e-9);
}

#[test]
fn bad_training_pairs_are_refused() {
    let (source, target, _) = pair(4, 0.0, 1);
    let learner = ExampleLearner::new(LearningMethod::CaetanoLinear);
    assert!(learner.learn(&[], &Monitor::silent()).is_err());
    let pair = TrainingPair {
        source: &source,
        target: &target,
        truth: &[(0, 9)],
    };
    let message = learner.learn(&[pair], &Monitor::silent()).unwrap_err();
    assert!(message.to_string().contains("(0, 9)"), "{message}");
}
