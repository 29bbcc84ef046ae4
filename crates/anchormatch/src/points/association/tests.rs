//! Association against sums over all matchings.

use super::*;
use std::sync::Arc;

use crate::assignment::Assignment;
use crate::linalg::Matrix;
use crate::points::known::PairEvidence;
use crate::points::small::scaled_identity;

/// Sum over all matchings and marginals, by trying everything.
pub(in crate::points) fn brute(odds: &[Vec<f64>]) -> (f64, Vec<Vec<f64>>) {
    fn walk(
        odds: &[Vec<f64>],
        i: usize,
        used: &mut Vec<bool>,
        chosen: &mut Assignment,
        product: f64,
        out: &mut (f64, Vec<Vec<f64>>),
    ) {
        if i == odds.len() {
            out.0 += product;
            for (i, a) in chosen.pairs() {
                out.1[i][a] += product;
            }
            return;
        }
        chosen.set(i, None);
        walk(odds, i + 1, used, chosen, product, out);
        for a in 0..used.len() {
            if !used[a] {
                used[a] = true;
                chosen.set(i, Some(a));
                walk(odds, i + 1, used, chosen, product * odds[i][a], out);
                used[a] = false;
            }
        }
        chosen.set(i, None);
    }
    let m = odds[0].len();
    let mut out = (0.0, vec![vec![0.0; m]; odds.len()]);
    walk(
        odds,
        0,
        &mut vec![false; m],
        &mut Assignment::empty(odds.len()),
        1.0,
        &mut out,
    );
    for row in &mut out.1 {
        for x in row {
            *x /= out.0;
        }
    }
    (out.0.ln(), out.1)
}

fn lists(odds: &[Vec<f64>]) -> Lists {
    let mut lists = Lists::of_odds(odds);
    lists.propagate(odds[0].len(), 50, 0.0);
    lists
}

#[test]
fn beliefs_of_a_tree_are_exact_and_those_of_loops_near() {
    // Zero odds cut the loops of the first; the second has all of them.
    for (odds, tolerance) in [
        (vec![vec![3.0, 0.5, 0.0], vec![0.0, 2.0, 7.0]], 1e-9),
        (
            vec![
                vec![9.0, 0.3, 0.1],
                vec![0.4, 5.0, 0.2],
                vec![0.1, 0.2, 2.0],
            ],
            0.01,
        ),
        (vec![vec![1.0, 1.0], vec![1.0, 1.0]], 0.05),
    ] {
        let (log, marginals) = brute(&odds);
        let mut lists = lists(&odds);
        let found = lists.believe(odds[0].len());
        assert!((found - log).abs() < 3.0 * tolerance, "{found} {log}");
        for (i, row) in marginals.iter().enumerate() {
            for (a, belief) in lists.row(i) {
                assert!((belief - row[a]).abs() < tolerance, "{belief} {}", row[a]);
            }
        }
    }
}

#[test]
fn what_is_known_of_pairs_multiplies_their_odds() {
    struct Table([[f64; 3]; 3]);
    impl PairEvidence for Table {
        fn nats(&self, i: usize, a: usize) -> f64 {
            self.0[i][a]
        }
    }
    const OUT: f64 = f64::NEG_INFINITY;
    let nats = [[6.0, 0.2, OUT], [1.0, 5.0, -2.0], [0.5, OUT, 4.0]];
    let points = Matrix::from_vec(3, 2, vec![0.0, 0.0, 1.0, 0.0, 0.0, 2.0]);
    let evidence: Arc<dyn PairEvidence> = Arc::new(Table(nats));
    let scene =
        Scene::<2>::new([&points, &points], &[], std::iter::empty()).with_known(Some(&evidence));
    let k = 2.0;
    let prior = log_prior_odds(k, 3, 3);
    let odds = |place: f64| -> Vec<Vec<f64>> {
        let row = |row: &[f64; 3]| row.iter().map(|v| (v + prior + place).exp()).collect();
        nats.iter().map(row).collect()
    };
    let mut lists = Lists::default();
    let (log, marginals) = brute(&odds(0.0));
    let found = lists.associate_known(&scene, k, 50);
    assert!((found - log).abs() < 0.05, "{found} {log}");
    assert_eq!(lists.row(0).count(), 2, "one is ruled out");
    for (i, row) in marginals.iter().enumerate() {
        for (a, belief) in lists.row(i) {
            assert!((belief - row[a]).abs() < 0.02, "{belief} {}", row[a]);
        }
    }
    // Under a map that knows nothing of places, the same up to what every place has.
    let wide = 1e4;
    let anywhere = Prediction {
        mean: [0.0; 2],
        covariance: scaled_identity(wide),
    };
    let mut scene = scene;
    scene.log_rarity = vec![log_unit::<2>() + wide.ln(); 3];
    let index = Index::new(&scene.target);
    let under = lists.associate(&scene, &index, &[anywhere; 3], k, 50);
    assert!((under - found).abs() < 1e-2, "{under} {found}");
    // A part of the sources keeps what is known of them.
    let part = scene.part(&[2, 0]);
    let known = part.known.as_ref().expect("what is known");
    assert_eq!((known.nats(0, 2), known.nats(1, 0)), (4.0, 6.0));
}

#[test]
fn the_prior_counts_every_matching_once() {
    // Over all k, matchings times their prior give one.
    let (n, m) = (4usize, 6usize);
    let choose = |n: usize, k: usize| (0..k).fold(1.0, |c, j| c * (n - j) as f64 / (j + 1) as f64);
    let factorial = |k: usize| (1..=k).map(|x| x as f64).product::<f64>();
    let total: f64 = (0..=n)
        .map(|k| choose(n, k) * choose(m, k) * factorial(k) * log_prior(k as f64, n, m).exp())
        .sum();
    assert!((total - 1.0).abs() < 1e-8, "{total}");
    assert!((log_factorial(5.0) - 120f64.ln()).abs() < 1e-9);
}

#[test]
fn few_and_many_targets_have_the_same_candidates() {
    let place = |k: usize| [(k % 20) as f64, (k / 20) as f64 + 0.3 * (k % 7) as f64];
    let values = (0..FEW + 40).flat_map(place).collect();
    let many = Matrix::from_vec(FEW + 40, 2, values);
    let few = Matrix::from_vec(5, 2, (0..5).flat_map(|k| place(31 * k)).collect());
    let soft = [(2, 62, 0.9)];
    let scene = Scene::<2>::new([&few, &many], &[(0, 0)], soft.into_iter());
    let index = Index::new(&scene.target);
    let frame = scene.frames[1];
    let predictions: Vec<Prediction<2>> = (0..5)
        .map(|k| Prediction {
            mean: frame.of(&place(31 * k)),
            covariance: scaled_identity(0.01),
        })
        .collect();
    let mut lists = Lists::default();
    lists.associate(&scene, &index, &predictions, 3.0, LONG);
    assert_eq!(lists.row(0).count(), 0, "an anchor has no candidates");
    for i in 1..5 {
        let inside = scene.target.iter().enumerate().filter(|(a, y)| {
            let r = difference(y, &predictions[i].mean);
            dot(&r, &r) < GATE * 0.01 && !scene.taken[*a]
        });
        assert_eq!(lists.row(i).count(), inside.count().min(MOST_CANDIDATES));
        let best = lists.row(i).max_by(|x, y| x.1.total_cmp(&y.1)).unwrap();
        assert_eq!(best.0, 31 * i);
    }
    let with: f64 = lists.row(2).map(|(_, b)| b).fold(0.0, f64::max);
    let without = Scene {
        soft: vec![],
        ..scene.clone()
    };
    lists.associate(&without, &index, &predictions, 3.0, LONG);
    assert!(with > lists.row(2).map(|(_, b)| b).fold(0.0, f64::max));
}

#[test]
fn the_odds_of_one_pair_more_are_the_ratio_of_the_priors() {
    for (k, n, m) in [(0.5, 3, 9), (7.25, 25, 25), (24.5, 25, 25), (30.0, 40, 55)] {
        let ratio = log_prior(k + 0.5, n, m) - log_prior(k - 0.5, n, m);
        let odds = log_prior_odds(k, n, m);
        assert!((odds - ratio).abs() < 1e-6, "{k} {n} {m}: {odds} {ratio}");
    }
}

#[test]
fn odds_are_weighed_by_nats() {
    let mut lists = Lists::of_odds(&[vec![2.0, 0.5], vec![0.0, 3.0]]);
    lists.weigh(|i, a| if (i, a) == (0, 1) { 4f64.ln() } else { 0.0 });
    let wanted = [2.0, 2.0, 0.0, 3.0];
    for (i, a) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        assert!((lists.odds_of(i, a) - wanted[2 * i + a]).abs() < 1e-12);
    }
    lists.weigh(|_, _| 1e3);
    assert!(lists.odds_of(0, 0).is_finite());
}
