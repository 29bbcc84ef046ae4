//! Stage *evidence*: everything that speaks for or against a matching, in nats.
//!
//! Edges under a [`PairModel`], soft anchors, node similarities and the prior share one unit, so that
//! their sum is the logarithm of a posterior. Models are fitted here; which program they make is the
//! business of the next stage.

use std::sync::Arc;

use super::observations::{Observed, claimed, measured};
use super::thresholds::{INDEPENDENT, LARGEST_RESIDUALS};
use crate::affinity::likelihood::{Agreement, Observations, PairModel, unit};
use crate::assignment::Assignment;
use crate::attributes::{AttributeModel, Attributes};
use crate::graph::Graph;
use crate::linalg::{Csr, Matrix, PairValues, multiply_into};
use crate::matcher::FreeNodes;
use crate::task::{Allowed, Task};

/// What counts against a pair that is ruled out, in nats: more than any evidence says for one.
const RULED_OUT: f64 = 1e4;

/// The two graphs, the anchors and the rest of what is known.
pub(super) struct Evidence<'a> {
    pub(super) observed: Observed,
    pub(super) graphs: [&'a Graph; 2],
    pub(super) free: &'a FreeNodes,
    anchors: &'a [(usize, usize)],
    /// What soft anchors say of the free pairs.
    soft: Csr<f64>,
    similarity: Option<Arc<PairValues>>,
    attributes: Option<Arc<Attributes>>,
    pub(super) allowed: Option<Arc<Allowed>>,
    /// Whether the anchors speak for the other pairs.
    folds: bool,
}

/// The models of edges and of node similarities.
#[derive(Debug, Clone)]
pub(super) struct Model {
    pub(super) pairs: PairModel,
    /// Of what is shown beside the edges.
    pub(super) further: Vec<PairModel>,
    similarity: Option<SimilarityModel>,
    attributes: Option<AttributeModel>,
}

/// What one first-order source says of matched and of other pairs: two Gaussians.
#[derive(Debug, Clone, Copy)]
pub(super) struct SimilarityModel {
    matched: (f64, f64),
    others: (f64, f64),
}

impl<'a> Evidence<'a> {
    /// What the task tells of the free nodes, beside what was observed.
    pub(super) fn new(
        observed: Observed,
        task: &'a Task<'a>,
        free: &'a FreeNodes,
        folds: bool,
    ) -> Self {
        let anchors = task.anchors();
        // A soft anchor of weight w says: these two are partners with probability w, where without
        // it each of the m free targets had 1/m.
        let others = (free.target.len().max(2) - 1) as f64;
        let soft = anchors.soft().iter().filter_map(|anchor| {
            let i = free.source.binary_search(&anchor.source).ok()?;
            let a = free.target.binary_search(&anchor.target).ok()?;
            Some((i, a, (anchor.weight / (1.0 - anchor.weight) * others).ln()))
        });
        let soft = Csr::from_triplets(free.source.len(), free.target.len(), soft)
            .expect("pairs of free nodes");
        let similarity = task.facts().similarity.as_ref();
        Self {
            observed,
            graphs: task.graphs(),
            free,
            anchors: anchors.hard(),
            soft,
            similarity: similarity.map(in_ordinary_unit),
            attributes: task.attributes(),
            allowed: task.facts().allowed.clone(),
            folds,
        }
    }

    /// The same beside other graphs over the same nodes.
    pub(super) fn with_graphs<'b>(
        &'b self,
        observed: Observed,
        graphs: [&'b Graph; 2],
    ) -> Evidence<'b> {
        Evidence {
            observed,
            graphs,
            free: self.free,
            anchors: self.anchors,
            soft: self.soft.clone(),
            similarity: self.similarity.clone(),
            attributes: self.attributes.clone(),
            allowed: self.allowed.clone(),
            folds: self.folds,
        }
    }

    /// n₁ and n₂ of the free nodes.
    pub(super) fn shape(&self) -> (usize, usize) {
        (self.free.source.len(), self.free.target.len())
    }

    /// The larger side.
    pub(super) fn nodes(&self) -> usize {
        self.shape().0.max(self.shape().1)
    }

    /// Pairs of nodes as an assignment of the free ones; pairs of other nodes are left out.
    pub(super) fn assignment(&self, pairs: &[(usize, usize)]) -> Assignment {
        let mut assignment = Assignment::empty(self.shape().0);
        let mut taken = vec![false; self.shape().1];
        for (s, t) in pairs {
            let (row, column) = (
                self.free.source.binary_search(s),
                self.free.target.binary_search(t),
            );
            if let (Ok(i), Ok(a)) = (row, column)
                && assignment.partner(i).is_none()
                && !std::mem::replace(&mut taken[a], true)
            {
                assignment.set(i, Some(a));
            }
        }
        assignment
    }

    /// The hard anchors that speak for other pairs.
    pub(super) fn folded_anchors(&self) -> &[(usize, usize)] {
        if self.folds { self.anchors } else { &[] }
    }

    /// Whether anything but edges and hard anchors is known.
    pub(super) fn has_priors(&self) -> bool {
        self.similarity.is_some()
            || self.attributes.is_some()
            || self.allowed.is_some()
            || self.soft.values().iter().any(|&v| v != 0.0)
    }

    /// All pairs of a matching, anchors first.
    pub(super) fn matched(&self, assignment: &Assignment) -> Vec<(usize, usize)> {
        let free = assignment
            .pairs()
            .map(|(i, a)| (self.free.source[i], self.free.target[a]));
        self.anchors.iter().copied().chain(free).collect()
    }

    /// How the graphs agree on a matching.
    pub(super) fn agreement(&self, assignment: &Assignment) -> Agreement {
        Agreement::of(
            &self.matched(assignment),
            &self.observed.source,
            &self.observed.target,
        )
    }

    /// The models before any matching is known.
    pub(super) fn guess(&self, correlation: f64) -> Model {
        Model {
            pairs: PairModel::guess(&self.observed.source, &self.observed.target, correlation),
            further: self
                .observed
                .further
                .iter()
                .map(|view| view.guess(correlation))
                .collect(),
            similarity: self.similarity.as_deref().map(SimilarityModel::guess),
            attributes: self.attributes.as_ref().map(|a| a.fit(self.anchors)),
        }
    }

    /// The same of the edges of the two graphs alone: nothing else says anything.
    pub(super) fn guess_of_edges(&self, correlation: f64) -> Model {
        let views = self.observed.further.iter();
        Model {
            further: views.map(|view| view.guess(0.0)).collect(),
            attributes: None,
            ..self.guess(correlation)
        }
    }

    /// The models under which a matching is most likely.
    pub(super) fn fit(&self, assignment: &Assignment) -> Model {
        self.fit_to(&self.agreement(assignment), assignment)
    }

    /// As [`fit`](Self::fit) for an agreement that is known.
    pub(super) fn fit_to(&self, agreement: &Agreement, assignment: &Assignment) -> Model {
        let permitted = self.permitted(assignment);
        let views = self.observed.further.iter();
        Model {
            pairs: PairModel::fit(agreement, &self.observed.source, &self.observed.target),
            further: views.map(|view| view.fit(&permitted)).collect(),
            similarity: self
                .similarity
                .as_deref()
                .map(|s| SimilarityModel::fit(s, &self.matched(assignment))),
            attributes: self.attributes.as_ref().map(|a| a.fit(&permitted)),
        }
    }

    /// The share of what the pairs of pairs tell that is new.
    ///
    /// Noise that moves nodes moves all their edges together, and n(n − 1)/2 edges then hold the
    /// evidence of a few. With R the residuals of the matched weights, their participation ratio
    /// (tr RRᵀ)²/tr (RRᵀ)² is n(n − 1)/(2n − 1), about n/2, for independent Gaussian noise, and at most r
    /// for noise of rank r. Independent noise itself makes it vary by 1.4/n; a share that is less than
    /// twice that below 1 is 1.
    pub(super) fn independent_share(&self, model: &Model, assignment: &Assignment) -> f64 {
        let matched = self.matched(assignment);
        let n = matched.len();
        let complete = self.observed.is_complete();
        let measurable =
            (4..=LARGEST_RESIDUALS).contains(&n) && self.observed.source.variance() > 0.0;
        if !(complete && measurable) {
            return 1.0;
        }
        let residual = Matrix::from_fn(n, n, |k, l| {
            let ((i, a), (j, b)) = (matched[k], matched[l]);
            match (
                self.observed.source.get(i, j),
                self.observed.target.get(a, b),
            ) {
                (Some(x), Some(y)) => model.pairs.residual(x, y),
                _ => 0.0,
            }
        });
        let share = participation(&residual);
        share * self.measured_share(model, &matched)
    }

    /// The share of the weights of complete graphs that are independent of each other, by the same ratio, the mean of both sides:
    /// weights of rank r leave chance to meet r numbers for each node, not n. `None` of other graphs, and
    /// where more than one layer is shown.
    pub(super) fn independent_weights(&self) -> Option<f64> {
        let sides = [&self.observed.source, &self.observed.target];
        let is_measurable = |side: &Observations| {
            (4..=LARGEST_RESIDUALS).contains(&side.node_count()) && side.variance() > 0.0
        };
        let is_alone = self.observed.further.is_empty();
        if !(is_alone && self.observed.is_complete() && sides.into_iter().all(is_measurable)) {
            return None;
        }
        let [one, two] = sides.map(|side| {
            let n = side.node_count();
            participation(&Matrix::from_fn(n, n, |i, j| match side.get(i, j) {
                Some(weight) if i != j => weight - side.mean(),
                _ => 0.0,
            }))
        });
        let share = (one * two).sqrt();
        Some(if share < INDEPENDENT { share } else { 1.0 })
    }

    /// The share of what the models claim for counts that their tables hold; 1 for other weights.
    fn measured_share(&self, model: &Model, matched: &[(usize, usize)]) -> f64 {
        let own = claimed(&model.pairs);
        let measured = measured(&self.observed, matched);
        let mut sums = [own, measured.unwrap_or(own).min(own)];
        for (view, model) in self.observed.further.iter().zip(&model.further) {
            let [claimed, measured] = view.claimed_and_measured(model, matched);
            sums = [sums[0] + claimed, sums[1] + measured];
        }
        if sums[0] > 0.0 {
            sums[1] / sums[0]
        } else {
            1.0
        }
    }

    /// ln P(data | matching, model) − ln P(data | nothing matched) + ln P(matching), a `share` of
    /// the edges' part.
    pub(super) fn posterior(&self, model: &Model, assignment: &Assignment, share: f64) -> f64 {
        let mut total = share * self.of_edges(model, assignment);
        for (i, a) in assignment.pairs() {
            total += self.known_at(model, i, a);
        }
        let matched = assignment.matched();
        total + log_prior(self.shape(), matched)
    }

    /// The part of all edges, all of them counted.
    pub(super) fn of_edges(&self, model: &Model, assignment: &Assignment) -> f64 {
        let Observed { source, target, .. } = &self.observed;
        let own = (model.pairs).total(&self.agreement(assignment), source, target);
        let matched = self.matched(assignment);
        let further = self.observed.further.iter().zip(&model.further);
        let further = further.map(|(view, model)| view.total(model, &matched));
        own + further.sum::<f64>()
    }

    /// What soft anchors say of a free pair.
    pub(super) fn soft_at(&self, i: usize, a: usize) -> f64 {
        self.soft.get(i, a).unwrap_or(0.0)
    }

    /// What soft anchors, similarities and attributes say of a free pair, and candidates against it.
    pub(super) fn known_at(&self, model: &Model, i: usize, a: usize) -> f64 {
        let known = self.soft_at(i, a) + self.similarity_at(model, i, a);
        let (s, t) = (self.free.source[i], self.free.target[a]);
        let known = match (&self.attributes, &model.attributes) {
            (Some(attributes), Some(model)) => known + attributes.nats(model, s, t),
            _ => known,
        };
        if self.allows(i, a) {
            known
        } else {
            known - RULED_OUT
        }
    }

    /// Whether a free pair is not ruled out.
    pub(super) fn allows(&self, i: usize, a: usize) -> bool {
        let pair = (self.free.source[i], self.free.target[a]);
        let allowed = self.allowed.as_ref();
        allowed.is_none_or(|allowed| allowed.allows(pair.0, pair.1))
    }

    /// All pairs of a matching but those that are ruled out, anchors first.
    fn permitted(&self, assignment: &Assignment) -> Vec<(usize, usize)> {
        let mut pairs = self.matched(assignment);
        if let Some(allowed) = &self.allowed {
            pairs.retain(|&(s, t)| allowed.allows(s, t));
        }
        pairs
    }

    /// What each attribute told of the pairs of a matching, in nats a pair.
    pub(super) fn contributions(&self, model: &Model, assignment: &Assignment) -> Vec<(&str, f64)> {
        match (&self.attributes, &model.attributes) {
            (Some(attributes), Some(model)) => {
                attributes.contributions(model, &self.permitted(assignment))
            }
            _ => Vec::new(),
        }
    }

    fn similarity_at(&self, model: &Model, i: usize, a: usize) -> f64 {
        match (&self.similarity, &model.similarity) {
            (Some(values), Some(model)) => {
                model.evidence(values[(self.free.source[i], self.free.target[a])])
            }
            _ => 0.0,
        }
    }

    /// What the pairs of a matching tell of each of its free nodes.
    pub(super) fn support(&self, model: &Model, assignment: &Assignment) -> Vec<f64> {
        let matched = self.matched(assignment);
        assignment
            .iter()
            .enumerate()
            .map(|(i, a)| {
                let Some(a) = a else { return 0.0 };
                let (s, t) = (self.free.source[i], self.free.target[a]);
                let others = matched.iter().filter(|p| p.0 != s);
                let (source, target) = (&self.observed.source, &self.observed.target);
                let edges: f64 = others
                    .map(|&(j, b)| {
                        let there = model.pairs.evidence(source.get(s, j), target.get(t, b));
                        if source.is_directed() {
                            there + model.pairs.evidence(source.get(j, s), target.get(b, t))
                        } else {
                            there
                        }
                    })
                    .sum();
                let further = self.observed.further.iter().zip(&model.further);
                let further = further.map(|(view, model)| {
                    let others = matched.iter().filter(|p| p.0 != s);
                    let between = others.map(|&other| view.between(model, (s, t), other));
                    between.sum::<f64>() + view.own(model, (s, t))
                });
                edges + further.sum::<f64>() + self.known_at(model, i, a)
            })
            .collect()
    }

    /// Whether a fit changes more than the scale of the edges.
    pub(super) fn has_further_models(&self) -> bool {
        self.attributes.is_some() || !self.observed.further.is_empty()
    }
}

impl SimilarityModel {
    /// Before any matching is known.
    pub(super) fn guess(values: &PairValues) -> Self {
        let others = moments(values.iter());
        // One standard deviation above the rest, until something better is known.
        let matched = (others.0 + others.1.sqrt(), others.1);
        Self { matched, others }
    }

    /// Under which these pairs are most likely.
    pub(super) fn fit(values: &PairValues, pairs: &[(usize, usize)]) -> Self {
        let others = moments(values.iter());
        // One pseudo-observation of no difference, as for edges.
        let matched = pairs.iter().map(|&p| values[p]).chain([others.0]);
        let (mean, variance) = moments(matched);
        let count = pairs.len() as f64 + 1.0;
        let variance = (variance * count + others.1) / (count + 1.0);
        Self {
            matched: (mean, variance),
            others,
        }
    }

    /// ln N(s; matched)/N(s; others); 0 when all similarities are the same.
    pub(super) fn evidence(&self, s: f64) -> f64 {
        let ((m, v), (k, w)) = (self.matched, self.others);
        if v > 0.0 && w > 0.0 {
            0.5 * ((s - k).powi(2) / w - (s - m).powi(2) / v + (w / v).ln())
        } else {
            0.0
        }
    }
}

/// The similarities in a unit in which they have moments.
pub(super) fn in_ordinary_unit(similarity: &Arc<PairValues>) -> Arc<PairValues> {
    let unit = unit(similarity.iter());
    if unit == 1.0 {
        return Arc::clone(similarity);
    }
    Arc::new(similarity.map(|value| value / unit))
}

/// (tr RRᵀ)²/tr (RRᵀ)² over that of independent numbers, less twice what chance makes of it; at most 1.
fn participation(residual: &Matrix) -> f64 {
    let n = residual.rows();
    let mut square = Matrix::zeros(n, n);
    multiply_into(
        square.as_mut_slice(),
        residual.as_slice(),
        residual.transposed().as_slice(),
        n,
        n,
        n,
    );
    let second: f64 = (0..n).map(|k| square[(k, k)]).sum();
    let fourth: f64 = square.as_slice().iter().map(|v| v * v).sum();
    if fourth <= 0.0 {
        return 1.0;
    }
    let n = n as f64;
    let ratio = second * second / fourth * (2.0 * n - 1.0) / (n * (n - 1.0));
    (ratio / (1.0 - 2.8 / n)).min(1.0)
}

fn moments(values: impl Iterator<Item = f64> + Clone) -> (f64, f64) {
    let count = values.clone().count().max(1) as f64;
    let mean = values.clone().sum::<f64>() / count;
    (
        mean,
        values.map(|v| (v - mean).powi(2)).sum::<f64>() / count,
    )
}

/// The prior of a matching of k among n and m nodes: every k alike, and for each k every matching.
///
/// > P = 1/(1 + min(n, m)) · 1/(C(n, k) C(m, k) k!)
pub(super) fn log_prior((n, m): (usize, usize), k: usize) -> f64 {
    let factorial = |k: usize| (1..=k).map(|i| (i as f64).ln()).sum::<f64>();
    let choose = |n: usize| factorial(n) - factorial(k) - factorial(n - k);
    -((1 + n.min(m)) as f64).ln() - choose(n) - choose(m) - factorial(k)
}

/// What the prior adds when one of k pairs is added, k/((n − k + 1)(m − k + 1)) in logarithm.
pub(super) fn step_prior((n, m): (usize, usize), k: usize) -> f64 {
    let k = k.clamp(1, n.min(m).max(1)) as f64;
    (k / ((n as f64 - k + 1.0) * (m as f64 - k + 1.0)).max(1.0)).ln()
}

#[cfg(test)]
mod tests {
    use super::super::fixture::Planted;
    use super::*;
    use crate::anchors::{Anchor, Anchors};

    /// Σ over all matchings of P = 1: the number of matchings of k pairs is C(n, k) C(m, k) k!.
    #[test]
    fn the_prior_is_a_distribution_and_its_steps_are_its_own() {
        let choose =
            |n: usize, k: usize| (0..k).fold(1.0, |c, i| c * (n - i) as f64 / (i + 1) as f64);
        for (n, m) in [(1, 1), (4, 4), (3, 7), (6, 2)] {
            let total: f64 = (0..=n.min(m))
                .map(|k| {
                    let orders: f64 = (1..=k).map(|i| i as f64).product();
                    choose(n, k) * choose(m, k) * orders * log_prior((n, m), k).exp()
                })
                .sum();
            assert!((total - 1.0).abs() < 1e-12, "{n}×{m}: {total}");
            for k in 1..=n.min(m) {
                let step = log_prior((n, m), k) - log_prior((n, m), k - 1);
                assert!((step_prior((n, m), k) - step).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn numbers_of_few_ranks_are_few_independent_ones() {
        // A diagonal of λ has (Σ λ²)²/Σ λ⁴, against n(n − 1)/(2n − 1) less 2.8/n of it.
        let values: [f64; 8] = [3.0, 2.0, 1.0, 0.5, 0.5, 0.0, 0.0, 0.0];
        let diagonal = Matrix::from_fn(8, 8, |i, j| if i == j { values[i] } else { 0.0 });
        let squares: f64 = values.iter().map(|v| v * v).sum();
        let fourths: f64 = values.iter().map(|v| v.powi(4)).sum();
        let by_hand = squares * squares / fourths / (56.0 / 15.0) / (1.0 - 2.8 / 8.0);
        assert!((participation(&diagonal) - by_hand).abs() < 1e-12);
        assert_eq!(participation(&Matrix::zeros(8, 8)), 1.0);
    }

    #[test]
    fn weights_that_repeat_each_other_are_told_from_independent_ones() {
        use rand::{RngExt, SeedableRng};
        use rand_chacha::ChaCha8Rng;
        let share = |rank: usize, is_complete: bool| {
            let mut random = ChaCha8Rng::seed_from_u64(4);
            let [source, target] = [(); 2].map(|()| {
                let mut drawn = |columns: usize| {
                    Matrix::from_fn(40, columns, |_, _| random.random::<f64>() - 0.5)
                };
                let (places, free) = (drawn(rank.max(1)), drawn(40));
                let product = |i: usize, j: usize| {
                    let each = places.row(i).iter().zip(places.row(j)).map(|(x, y)| x * y);
                    each.sum::<f64>()
                };
                let weight = |i, j| {
                    if rank > 0 {
                        product(i, j)
                    } else {
                        free[(i, j)]
                    }
                };
                let pairs = (0..40).flat_map(|i| (0..i).map(move |j| (i, j)));
                let pairs = pairs.filter(|(i, j)| is_complete || (i + j) % 3 > 0);
                let edges: Vec<_> = pairs.map(|(i, j)| (i, j, weight(i, j))).collect();
                Graph::from_edges(40, &edges).unwrap()
            });
            let planted = Planted {
                anchors: Anchors::none(),
                truth: Vec::new(),
                source,
                target,
            };
            let mut told = None;
            planted.with_evidence(|_, evidence| told = evidence.independent_weights());
            told
        };
        assert_eq!(share(0, true), Some(1.0));
        let [two, eight] = [2, 8].map(|rank| share(rank, true).unwrap());
        assert!(two < eight && two < 0.15 && eight < 0.5, "{two} {eight}");
        assert_eq!(share(2, false), None);
    }

    #[test]
    fn the_right_matching_has_the_better_posterior() {
        let planted = Planted::new(9, 2);
        planted.with_evidence(|_, evidence| {
            let [right, wrong] = planted.right_and_wrong(evidence);
            let value = |assignment: &Assignment| {
                evidence.posterior(&evidence.fit(assignment), assignment, 1.0)
            };
            assert!(value(&right) > value(&wrong) + 5.0);
            let support = evidence.support(&evidence.fit(&right), &right);
            assert!(support.iter().all(|&nats| nats > 0.0), "{support:?}");
        });
    }

    #[test]
    fn pairs_become_an_assignment_of_the_free_nodes() {
        let planted = Planted::new(8, 3);
        planted.with_evidence(|_, evidence| {
            assert_eq!(evidence.shape(), (5, 5));
            let right = evidence.assignment(&planted.truth);
            assert_eq!(right.matched(), 5);
            // The first of two pairs with one node stands.
            let (s, t) = planted.truth[5];
            let twice = [(s, t), (s, planted.truth[6].1), (planted.truth[7].0, t)];
            let some = evidence.assignment(&twice);
            assert_eq!(some.matched(), 1);
            assert_eq!(some.partner(2), right.partner(2));
        });
    }

    #[test]
    fn a_soft_anchor_is_worth_its_odds_against_the_others() {
        let planted = Planted::new(6, 0);
        let soft = Anchor::new(2, 4, 0.8);
        let anchors = Anchors::new(&planted.source, &planted.target, [soft]).unwrap();
        let planted = Planted { anchors, ..planted };
        planted.with_evidence(|_, evidence| {
            let wanted = (0.8f64 / 0.2 * 5.0).ln();
            assert!((evidence.soft_at(2, 4) - wanted).abs() < 1e-12);
            assert_eq!(evidence.soft_at(2, 3), 0.0);
            assert!(evidence.has_priors());
        });
    }
}
