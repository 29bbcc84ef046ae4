use super::*;
use crate::assignment::Assignment;
use crate::matching::{Alternatives, Diagnostics, Pair, Trust};
use crate::solver::Status;
use proptest::prelude::*;
use rand::RngExt;

/// A matching whose confidences are the samples' shares, node 0 an anchor.
fn matching(partners: Vec<Assignment>) -> Matching {
    let nodes: Vec<usize> = (1..=partners[0].rows()).collect();
    let mut pairs = vec![Pair {
        source: 0,
        target: 0,
        confidence: 1.0,
        anchor: true,
    }];
    let mut unmatched_source = vec![];
    for (k, &source) in nodes.iter().enumerate() {
        let first = partners[0].partner(k);
        let count = partners.iter().filter(|s| s.partner(k) == first).count();
        match first {
            Some(target) => pairs.push(Pair {
                source,
                target,
                confidence: count as f64 / partners.len() as f64,
                anchor: false,
            }),
            None => unmatched_source.push(source),
        }
    }
    Matching {
        model: vec![],
        alternatives: None,
        trust: Trust::default(),
        pairs,
        unmatched_source,
        unmatched_target: vec![],
        objective: 0.0,
        measure: crate::matching::Measure::default(),
        status: Status::Converged,
        iterations: 1,
        notes: vec![],
        parameters: vec![],
        timings: vec![],
        diagnostics: Diagnostics::default(),
        samples: Samples { nodes, partners },
        anchor_report: vec![],
    }
}

/// Σ_j E max_b P(j→b | the partners of `asked`), from the definition; the asked are known.
fn expected_right(partners: &[Assignment], asked: &[usize]) -> f64 {
    let total = partners.len() as f64;
    let answer = |s: &Assignment| asked.iter().map(|&i| s.partner(i)).collect::<Vec<_>>();
    let mut answers: Vec<_> = partners.iter().map(answer).collect();
    answers.sort();
    answers.dedup();
    let mut sum = 0.0;
    for a in answers {
        let class: Vec<_> = partners.iter().filter(|s| answer(s) == a).collect();
        for j in 0..partners[0].rows() {
            let best = class
                .iter()
                .map(|s| {
                    class
                        .iter()
                        .filter(|t| t.partner(j) == s.partner(j))
                        .count()
                })
                .max()
                .unwrap();
            let conditional = best as f64 / class.len() as f64;
            sum += class.len() as f64 / total * conditional;
        }
    }
    sum
}

#[test]
fn the_node_that_settles_others_comes_first() {
    // Nodes 1 and 2 swap together, in half of the samples; node 3 goes its own way in a third.
    let sample = |swapped: bool, third: usize| {
        let (a, b) = if swapped { (2, 1) } else { (1, 2) };
        Assignment::from([Some(a), Some(b), Some(third)])
    };
    let mut partners = Vec::new();
    for k in 0..600 {
        partners.push(sample(k % 2 == 0, if k % 3 == 0 { 4 } else { 3 }));
    }
    let suggestions = matching(partners).suggest(5);
    let order: Vec<usize> = suggestions.iter().map(|s| s.source).collect();
    assert!(order == [1, 3, 2] || order == [2, 3, 1], "{order:?}");
    // ½ for itself and ½ for its partner in the swap; then ⅓; then nothing is left.
    let want = [1.0, 1.0 / 3.0, 0.0];
    for (suggestion, want) in suggestions.iter().zip(want) {
        assert!((suggestion.gain - want).abs() < 0.05, "{suggestions:?}");
    }
}

/// Forty nodes that have nothing to do with each other: an answer settles its own node only,
/// though the classes of samples are small.
#[test]
fn chance_settles_nothing() {
    let mut random = ChaCha8Rng::seed_from_u64(3);
    let mut sample = || (0..40).map(|_| Some(random.random_range(0..10))).collect();
    let partners: Vec<Assignment> = (0..200).map(|_| sample()).collect();
    let plain = expected_right(&partners, &[0]) - expected_right(&partners, &[]);
    assert!(plain > 4.0, "{plain}");
    for suggestion in matching(partners).suggest(4) {
        assert!((0.0..2.5).contains(&suggestion.gain), "{suggestion:?}");
    }
}

#[test]
fn many_samples_are_thinned_out() {
    let partners: Vec<Assignment> = (0..1000)
        .map(|s| (0..500).map(|k| Some((s / 2 + k) % 7)).collect())
        .collect();
    let samples = Samples {
        nodes: (0..500).collect(),
        partners,
    };
    let table = Table::of(&samples).thinned();
    assert_eq!(table.samples, 200);
    assert!(table.rows.iter().all(|row| row.answers.len() == 200));
    let few = Samples {
        nodes: samples.nodes.clone(),
        partners: samples.partners[..80].to_vec(),
    };
    assert_eq!(Table::of(&few).thinned().samples, 80);
}

#[test]
fn decided_samples_fall_back_on_confidence() {
    let mut matching = matching(vec![[Some(1), Some(2), Some(3)].into(); 4]);
    matching.pairs[2].confidence = 0.7;
    let suggestions = matching.suggest(2);
    assert_eq!(suggestions[0].source, 2);
    assert_eq!(suggestions[1].source, 1);
    assert!(suggestions.iter().all(|s| s.gain == 0.0));
}

#[test]
fn without_samples_the_doubt_is_the_gain() {
    let mut matching = matching(vec![[Some(1), None, Some(3)].into()]);
    matching.samples = Samples::default();
    matching.pairs[1].confidence = 0.25;
    matching.pairs[2].confidence = 0.5;
    let suggestions = matching.suggest(9);
    let wanted = [(2, 1.0), (1, 0.75), (3, 0.5)];
    let found: Vec<(usize, f64)> = suggestions.iter().map(|s| (s.source, s.gain)).collect();
    assert_eq!(found, wanted);
    assert!(matching.suggest(0).is_empty());
}

#[test]
fn who_has_no_partner_is_not_asked_and_who_has_no_candidate_last() {
    let mut matching = matching(vec![[Some(1), None, None].into()]);
    matching.samples = Samples::default();
    let open: Vec<usize> = matching.suggest(9).iter().map(|s| s.source).collect();
    let [one, two] = [matching.unmatched_source[0], matching.unmatched_source[1]];
    assert!(open.contains(&one) && open.contains(&two));
    let lists = |node: usize| {
        if node == two {
            vec![(0, 0.6)]
        } else {
            Vec::new()
        }
    };
    let lists = Alternatives::new((0..8).map(lists));
    matching.alternatives = Some(lists.clone());
    let asked: Vec<usize> = matching.suggest(9).iter().map(|s| s.source).collect();
    let place = |node| asked.iter().position(|&k| k == node);
    assert!(place(two) < place(one), "{asked:?}");
    let alone = (0..8).map(|node| if node == one { 1.0 } else { 0.0 });
    matching.alternatives = Some(lists.with_alone(alone.collect()));
    assert!(matching.suggest(9).iter().all(|s| s.source != one));
}

#[test]
fn who_is_stopped_suggests_no_more() {
    let samples = (0..200)
        .map(|k| [Some(k % 3), Some(k % 2)].into_iter().collect())
        .collect();
    let matching = matching(samples);
    let monitor = Monitor::silent();
    assert_eq!(matching.suggest_watched(2, &monitor), matching.suggest(2));
    assert_eq!(matching.suggest(2).len(), 2);
    monitor.cancel_token().cancel();
    assert!(matching.suggest_watched(2, &monitor).is_empty());
}

#[test]
fn nothing_free_gives_no_suggestion() {
    let mut all = matching(vec![Assignment::empty(0)]);
    assert!(all.suggest(3).is_empty());
    all.samples = Samples::default();
    assert!(all.suggest(3).is_empty());
}

/// Samples of up to five nodes with up to four partners or none; one-to-one or not is all the
/// same to the formula.
fn samples() -> impl Strategy<Value = Vec<Assignment>> {
    (1usize..6).prop_flat_map(|nodes| {
        let sample = prop::collection::vec(prop::option::weighted(0.8, 0usize..4), nodes);
        prop::collection::vec(sample.prop_map(Assignment::from), 1..20)
    })
}

proptest! {
    /// Each sample many times over: chance plays no part, and the definition holds.
    #[test]
    fn gains_are_those_of_the_definition(partners in samples()) {
        let length = 3000 / partners.len() * partners.len();
        let many: Vec<_> = partners.iter().cycle().take(length).cloned().collect();
        let suggestions = matching(many).suggest(10);
        let nodes = partners[0].rows();
        prop_assert_eq!(suggestions.len(), nodes);
        let gain = |k: usize| expected_right(&partners, &[k]) - expected_right(&partners, &[]);
        let first = suggestions[0];
        prop_assert!((gain(first.source - 1) - first.gain).abs() < 0.25);
        for k in 0..nodes {
            prop_assert!(gain(k) <= first.gain + 0.25);
        }
        let mut asked: Vec<usize> = suggestions.iter().map(|s| s.source).collect();
        asked.sort_unstable();
        prop_assert_eq!(asked, (1..=nodes).collect::<Vec<_>>());
    }

    /// The counts behind the gains, exactly.
    #[test]
    fn guesses_are_counted_as_defined(partners in samples()) {
        let samples = Samples { nodes: (0..partners[0].rows()).collect(), partners: partners.clone() };
        let table = Table::of(&samples);
        let mut observed = Observed::nothing(&table);
        let mut asked = Vec::new();
        for k in 0..samples.nodes.len() {
            let Some(&row) = table.place.get(&k) else { continue };
            let mut scratch = Scratch::default();
            observed.divide(&table.rows[row], &mut scratch);
            asked.push(k);
            let decided = samples.nodes.len() - table.rows.len();
            let guessed: usize = table
                .rows
                .iter()
                .map(|row| row.guessed(&scratch.order, &scratch.bounds, &mut scratch.counts))
                .sum();
            let share = decided as f64 + guessed as f64 / partners.len() as f64;
            prop_assert!((share - expected_right(&partners, &asked)).abs() < 1e-9);
            observed.observe(&table, row);
        }
    }
}
