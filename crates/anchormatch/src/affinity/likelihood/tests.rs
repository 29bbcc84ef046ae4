use super::*;
use crate::graph::Graph;
use proptest::prelude::*;

fn mixed(seed: u64) -> f64 {
    (seed.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 11) as f64 / (1u64 << 53) as f64
}

/// A graph with weights in (0, 1); `density` of the pairs are edges.
fn graph(n: usize, density: f64, binary: bool, seed: u64) -> Graph {
    let mut edges = Vec::new();
    for i in 0..n {
        for j in 0..i {
            let key = seed * 1_000_003 + (i * 101 + j) as u64;
            if mixed(key) < density {
                let weight = if binary { 1.0 } else { mixed(key + 7_777_777) };
                edges.push((i, j, weight));
            }
        }
    }
    Graph::from_edges(n, &edges).unwrap()
}

fn normal(z: f64, mean: f64, variance: f64) -> f64 {
    -0.5 * ((z - mean).powi(2) / variance + (std::f64::consts::TAU * variance).ln())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn factors_are_the_evidence(
        n in 2usize..7, m in 2usize..7, density in prop::sample::select(vec![0.3, 0.7, 1.0]),
        binary in any::<bool>(), seed in 0u64..500,
    ) {
        let source = Observations::of(&graph(n, density, binary, seed), Scale::AsGiven, false);
        let target = Observations::of(&graph(m, density, binary, seed + 1), Scale::AsGiven, false);
        let matched: Vec<(usize, usize)> = (0..n.min(m)).map(|i| (i, m - 1 - i)).collect();
        let agreement = Agreement::of(&matched, &source, &target);
        for model in [
            PairModel::guess(&source, &target, 0.8),
            PairModel::fit(&agreement, &source, &target),
        ] {
            let (rows, columns): (Vec<usize>, Vec<usize>) = ((0..n).collect(), (0..m).rev().collect());
            let needed = Needed::ALL;
            let factors = model.factors((&source, &rows), (&target, &columns), needed);
            prop_assert!(factors.len() <= 4);
            let mut sum = 0.0;
            for i in 0..n {
                for j in (0..n).filter(|&j| j != i) {
                    for a in 0..m {
                        for b in (0..m).filter(|&b| b != a) {
                            let want = 0.5 * model.evidence(source.get(i, j), target.get(m - 1 - a, m - 1 - b));
                            let got: f64 = factors.iter().map(|(f, g)| f[(i, j)] * g[(a, b)]).sum();
                            prop_assert!((want - got).abs() < 1e-9 * (1.0 + want.abs()), "{want} {got}");
                        }
                    }
                }
            }
            let anchors = &matched[..matched.len() / 2];
            let (free_rows, free_columns) = (&rows[anchors.len()..], &columns[anchors.len()..]);
            let unary = model.folded((&source, free_rows), (&target, free_columns), anchors, needed);
            for (k, &i) in free_rows.iter().enumerate() {
                for (l, &a) in free_columns.iter().enumerate() {
                    let want: f64 = anchors
                        .iter()
                        .map(|&(p, q)| model.evidence(source.get(i, p), target.get(a, q)))
                        .sum();
                    prop_assert!((unary[(k, l)] - want).abs() < 1e-9 * (1.0 + want.abs()));
                }
            }
            for &(i, a) in &matched {
                for &(j, b) in matched.iter().filter(|p| p.0 < i) {
                    sum += model.evidence(source.get(i, j), target.get(a, b));
                }
            }
            let total = model.total(&agreement, &source, &target);
            prop_assert!((sum - total).abs() < 1e-8 * (1.0 + sum.abs()), "{sum} {total}");
        }
    }

    /// What is left out is the same for all assignments of the kind that is asked for.
    #[test]
    fn what_is_not_needed_is_constant(
        n in 3usize..6, more in 0usize..3, density in prop::sample::select(vec![0.5, 1.0]), seed in 0u64..200,
    ) {
        let m = n + more;
        let source = Observations::of(&graph(n, density, false, seed), Scale::AsGiven, false);
        let target = Observations::of(&graph(m, density, false, seed + 1), Scale::AsGiven, false);
        let model = PairModel::guess(&source, &target, 0.6);
        let (rows, columns): (Vec<usize>, Vec<usize>) = ((0..n).collect(), (0..m).collect());
        let value = |needed: Needed, p: &[usize]| -> f64 {
            let factors = model.factors((&source, &rows), (&target, &columns), needed);
            let mut sum = 0.0;
            for i in 0..n {
                for j in 0..n {
                    sum += factors.iter().map(|(f, g)| f[(i, j)] * g[(p[i], p[j])]).sum::<f64>();
                }
            }
            sum
        };
        let all = Needed { source_varies: true, target_varies: true };
        let few = Needed { source_varies: false, target_varies: more > 0 };
        let assignments = [0, 1, 2].map(|shift| -> Vec<usize> { (0..n).map(|i| (i * (m - 1) + shift) % m).collect() });
        let gaps: Vec<f64> = assignments
            .iter()
            .filter(|p| (0..n).all(|i| (0..i).all(|j| p[i] != p[j])))
            .map(|p| value(all, p) - value(few, p))
            .collect();
        for gap in &gaps {
            prop_assert!((gap - gaps[0]).abs() < 1e-8 * (1.0 + gap.abs()));
        }
    }
}

#[test]
fn the_evidence_is_the_ratio_of_densities() {
    let source = Observations::of(&graph(9, 1.0, false, 3), Scale::AsGiven, false);
    let target = Observations::of(&graph(9, 1.0, false, 4), Scale::AsGiven, false);
    let rho = 0.7;
    let model = PairModel::guess(&source, &target, rho);
    let (x, y) = (0.3, 0.8);
    let slope = rho * (target.variance() / source.variance()).sqrt();
    // ln p(y | x)/p(y): the conditional of a bivariate Gaussian.
    let given = normal(
        y,
        target.mean() + slope * (x - source.mean()),
        target.variance() * (1.0 - rho * rho),
    );
    let want = given - normal(y, target.mean(), target.variance());
    assert!((model.evidence(Some(x), Some(y)) - want).abs() < 1e-12);
}

#[test]
fn a_conserved_edge_is_worth_its_log_odds() {
    let source = Observations::of(&graph(12, 0.4, true, 5), Scale::AsGiven, false);
    let target = Observations::of(&graph(12, 0.4, true, 6), Scale::AsGiven, false);
    let agreement = Agreement {
        counts: [[30.0, 4.0], [3.0, 29.0]],
        ..Agreement::default()
    };
    let model = PairModel::fit(&agreement, &source, &target);
    let prior = 1.0 / 67.0;
    assert!((model.conserved_edge() - (29.0f64 * 30.0 / 12.0).ln()).abs() < 20.0 * prior);
    assert_eq!(model.evidence(Some(1.0), Some(1.0)), model.presence[1][1]);
}

#[test]
fn units_and_offsets_cancel() {
    let weights = graph(8, 1.0, false, 7);
    let other = graph(8, 1.0, false, 8);
    let moved = Graph::from_dense(&Matrix::from_fn(8, 8, |i, j| {
        if i == j {
            0.0
        } else {
            40.0 * weights.weight(i, j) - 300.0
        }
    }))
    .unwrap();
    let target = Observations::of(&other, Scale::AsGiven, false);
    let (first, second) = (
        Observations::of(&weights, Scale::AsGiven, false),
        Observations::of(&moved, Scale::AsGiven, false),
    );
    let matched: Vec<(usize, usize)> = (0..8).map(|i| (i, (i + 3) % 8)).collect();
    let total = |source: &Observations| {
        let agreement = Agreement::of(&matched, source, &target);
        PairModel::fit(&agreement, source, &target).total(&agreement, source, &target)
    };
    assert!((total(&first) - total(&second)).abs() < 1e-6);
}

#[test]
fn only_metrics_are_lengths() {
    let points = Matrix::from_fn(30, 2, |i, k| 100.0 * mixed((2 * i + k) as u64));
    assert!(observations::are_lengths(
        &Graph::from_points(&points).unwrap()
    ));
    assert!(!observations::are_lengths(&graph(30, 1.0, false, 1)));
    assert!(!observations::are_lengths(&graph(30, 0.9, true, 1)));
    // One corner bent, far from the start: every triple of a small graph is tried.
    let mut distances = Graph::from_points(&points).unwrap().adjacency();
    distances[(28, 29)] *= 50.0;
    distances[(29, 28)] *= 50.0;
    assert!(!observations::are_lengths(
        &Graph::from_dense(&distances).unwrap()
    ));
    let large = Matrix::from_fn(90, 3, |i, k| mixed((3 * i + k) as u64));
    assert!(observations::are_lengths(
        &Graph::from_points(&large).unwrap()
    ));
}

#[test]
fn empty_and_tiny_graphs_have_no_opinion() {
    for n in [1, 2] {
        let alone = Observations::of(&Graph::from_edges(n, &[]).unwrap(), Scale::AsGiven, false);
        let model = PairModel::guess(&alone, &alone, 0.9);
        assert_eq!(model.evidence(None, None), 0.0);
        let fitted = PairModel::fit(&Agreement::default(), &alone, &alone);
        assert_eq!(fitted.total(&Agreement::default(), &alone, &alone), 0.0);
    }
}
