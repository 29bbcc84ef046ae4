//! Part of stage *chance*: would the other anchors have foretold each anchor?
//!
//! Where the weights of a complete graph depend on each other (correlations of a few common courses, distances, kernels), no
//! bound on chance knows in how many ways two unrelated graphs can be laid upon each other, and what a match tells of
//! itself is no witness. Anchors are. Some of them are hidden, and the others matched: let q_i be the probability that
//! this match gives the hidden pair i. Where the graphs have nothing to do with each other, the hidden targets are drawn from the m
//! that are free, whatever the weights and the match are, so that
//!
//! > E Π_i (ε + (1 − ε) (m − i) q_i) ≤ 1,
//!
//! for q sums to at most 1 over the targets: the product is how much likelier the anchors are if the match is right than by
//! chance. Every anchor is hidden once, with as many others as make [`HIDDEN_FOLDS`] searches; a product over folds has
//! the same bound where they are independent. ε is the share of such a match that is wrong, and the mean is taken over a few.

use super::chance::Foretold;
use super::evidence::Evidence;
use super::marginals::Sampling;
use super::observations::observe;
use super::search::Search;
use super::thresholds::HIDDEN_FOLDS;
use super::{Best, Effort};
use crate::anchors::{Anchor, Anchors};
use crate::error::Result;
use crate::matcher::{FreeNodes, Log};
use crate::monitor::Monitor;
use crate::task::Task;

/// What the other anchors foretell of each; `None` where there are none, or the monitor stops it.
///
/// # Complexity
/// [`HIDDEN_FOLDS`] quick searches and short samples at most.
pub(super) fn foretold(
    preset: &Best,
    task: &Task<'_>,
    independent: f64,
    monitor: &Monitor,
) -> Result<Option<Foretold>> {
    let count = task.anchors().hard().len();
    let mut times = Vec::with_capacity(count);
    for fold in 0..HIDDEN_FOLDS.min(count) {
        let is_hidden = |k: usize| k % HIDDEN_FOLDS == fold;
        times.extend(of_fold(preset, task, independent, is_hidden, monitor)?);
        if monitor.interrupted().is_some() {
            return Ok(None);
        }
    }
    Ok((count > 0).then_some(Foretold(times)))
}

/// The same of the anchors of one fold, by all others.
fn of_fold(
    preset: &Best,
    task: &Task<'_>,
    independent: f64,
    is_hidden: impl Fn(usize) -> bool,
    monitor: &Monitor,
) -> Result<Vec<f64>> {
    let anchors = task.anchors();
    let hard = || anchors.hard().iter().enumerate();
    let kept = hard().filter(|&(k, _)| !is_hidden(k));
    let kept = kept.map(|(_, &(p, q))| Anchor::new(p, q, 1.0));
    let [source, target] = task.graphs();
    let kept = kept.chain(anchors.soft().iter().copied());
    let kept = Anchors::new(source, target, kept)?.with_alone_of(anchors);
    let task = task.with_anchors(kept)?;
    let free = FreeNodes::of(&task);
    let observed = observe(&task, &preset.ingredients, monitor)?;
    let evidence = Evidence::new(observed, &task, &free, preset.ingredients.folded_anchors);
    let mut quick = preset.clone();
    quick.effort = Effort::Fast;
    quick.ingredients.outliers = false;
    let search = Search {
        preset: &quick,
        evidence: &evidence,
        monitor,
        copy: None,
        listed: None,
        gives_up: None,
    };
    let mut found = search.most_likely(None, &mut Log::default())?;
    found.independent = Some(independent);
    let sampling = Sampling {
        evidence: &evidence,
        seed: preset.seed,
        is_short: true,
        is_asked_elsewhere: false,
        monitor,
    };
    let values = sampling.marginals(&found)?.values;
    let place = |nodes: &[usize], node: usize| nodes.binary_search(&node).ok();
    let hidden = hard().filter(|&(k, _)| is_hidden(k)).enumerate();
    let times = hidden.map(|(drawn, (_, &(p, q)))| {
        let pair = (place(&free.source, p), place(&free.target, q));
        let (Some(i), Some(a)) = pair else { return 1.0 };
        (free.target.len() - drawn) as f64 * values[(i, a)]
    });
    Ok(times.collect())
}

#[cfg(test)]
mod tests {
    use super::super::fixture::Planted;
    use super::*;
    use crate::graph::Graph;
    use crate::linalg::Matrix;
    use crate::matcher::Matcher;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    #[test]
    fn right_anchors_are_foretold_and_wrong_ones_are_not() {
        let planted = Planted::new(14, 3);
        let times = |planted: &Planted| {
            let mut times = None;
            planted.with_search(|task, search| {
                times = foretold(search.preset, task, 1.0, search.monitor).unwrap();
            });
            times
        };
        let Some(Foretold(right)) = times(&planted) else {
            panic!("no anchors");
        };
        // Each of them is one of twelve free pairs.
        assert!(right.iter().all(|&times| times > 11.0 && times <= 12.0));
        let truth = &planted.truth;
        let pairs = [0, 1, 2].map(|k| (truth[k].0, truth[(k + 5) % 14].1));
        let anchors = Anchors::from_indices(&planted.source, &planted.target, &pairs).unwrap();
        let wrong = times(&Planted {
            anchors,
            ..Planted::new(14, 0)
        });
        assert!(wrong.unwrap().0.iter().all(|&times| times < 2.0));
        assert_eq!(times(&Planted::new(14, 0)), None);
    }

    #[test]
    fn who_is_stopped_foretells_nothing() {
        Planted::new(14, 3).with_search(|task, search| {
            let stopped = Monitor::silent();
            stopped.cancel_token().cancel();
            let none = foretold(search.preset, task, 1.0, &stopped);
            assert!(matches!(none, Ok(None) | Err(_)));
        });
    }

    /// Correlations of so many courses of four common ones in one session.
    fn correlations(loadings: &Matrix, random: &mut ChaCha8Rng) -> Graph {
        let n = loadings.rows();
        let courses = Matrix::from_fn(4, 80, |_, _| random.random::<f64>() - 0.5);
        let series = Matrix::from_fn(n, 80, |i, t| {
            let shared: f64 = (0..4).map(|k| loadings[(i, k)] * courses[(k, t)]).sum();
            shared + 0.3 * (random.random::<f64>() - 0.5)
        });
        let product = |i: usize, j: usize| -> f64 {
            let each = series.row(i).iter().zip(series.row(j));
            each.map(|(x, y)| x * y).sum()
        };
        let pairs = (0..n).flat_map(|i| (0..i).map(move |j| (i, j)));
        let correlation = |i, j| product(i, j) / (product(i, i) * product(j, j)).sqrt();
        let edges: Vec<_> = pairs.map(|(i, j)| (i, j, correlation(i, j))).collect();
        Graph::from_edges(n, &edges).unwrap()
    }

    #[test]
    fn two_sessions_of_one_subject_are_believed_and_of_two_are_not() {
        let nodes = 60;
        let mut random = ChaCha8Rng::seed_from_u64(2);
        let mut loadings = || Matrix::from_fn(nodes, 4, |_, _| random.random::<f64>() - 0.5);
        let subjects = [loadings(), loadings()];
        let mut sessions = ChaCha8Rng::seed_from_u64(3);
        let source = correlations(&subjects[0], &mut sessions);
        let known: Vec<_> = (0..3).map(|i| (i, i)).collect();
        for (subject, is_believed) in [(&subjects[0], true), (&subjects[1], false)] {
            let target = correlations(subject, &mut sessions);
            let anchors = Anchors::from_indices(&source, &target, &known).unwrap();
            let task = Task::new(&source, &target, &anchors).unwrap();
            let matching = Best::default().run(&task, &Monitor::silent()).unwrap();
            let free = || matching.pairs.iter().filter(|pair| !pair.anchor);
            let count = free().count() as f64;
            let mean = free().map(|pair| pair.confidence).sum::<f64>() / count;
            let right = free().filter(|pair| pair.source == pair.target).count() as f64 / count;
            match is_believed {
                true => assert!(right > 0.9 && mean > 0.8, "{right} {mean}"),
                false => assert!(right < 0.2 && mean < 0.1, "{right} {mean}"),
            }
            assert_eq!(matching.trust.beyond_chance.unwrap() > 0.0, is_believed);
        }
    }
}
