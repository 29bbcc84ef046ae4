//! What all attributes of a pair tell together.

use rayon::prelude::*;

use super::{Attributes, Values, numbers, scores, vectors, weights, words};

/// No attribute says more for or against a pair, in nats.
const MOST: f64 = 12.0;

/// Other target nodes that a pair is compared with, where the strength is fitted.
const OTHERS: usize = 100;

/// Pairs that the strength is fitted to, at most.
const PAIRS: usize = 500;

/// The strengths that are tried: attributes that say the same twice count less than their sum.
const STRENGTHS: [f64; 11] = [0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.85, 1.0];

/// Target nodes that come up for all source nodes together, about; and those for one of them.
const VISITS: usize = 100_000_000;
const VISITS_OF_ONE: std::ops::RangeInclusive<usize> = 100..=5000;

/// Pairs for which a strength of 1 speaks before any is known.
const GRANTED: f64 = 5.0;

/// What attributes tell, fitted to pairs by [`Attributes::fit`].
#[derive(Debug, Clone, PartialEq)]
pub struct AttributeModel {
    models: Vec<Model>,
    strength: f64,
}

#[derive(Debug, Clone, PartialEq)]
enum Model {
    Numbers(numbers::Model),
    Words(words::Model),
    Vectors(vectors::Model),
    Weights(Box<weights::Model>),
    Scores(scores::Model),
}

impl AttributeModel {
    /// What their sum is multiplied by, because attributes may say the same twice.
    #[must_use]
    pub fn strength(&self) -> f64 {
        self.strength
    }
}

impl Attributes {
    /// What attributes tell if these pairs of a source and a target node are partners.
    #[must_use]
    pub fn fit(&self, pairs: &[(usize, usize)]) -> AttributeModel {
        let models = self.list.iter().map(|attribute| match &attribute.values {
            Values::Numbers(values) => Model::Numbers(values.fit(pairs)),
            Values::Words(values) => Model::Words(values.fit(pairs)),
            Values::Vectors(values) => Model::Vectors(values.fit(pairs)),
            Values::Weights(values) => Model::Weights(Box::new(values.fit(pairs))),
            Values::Scores(values) => Model::Scores(values.fit(pairs)),
        });
        let mut model = AttributeModel {
            models: models.collect(),
            strength: 1.0,
        };
        model.strength = self.strength(&model, pairs);
        model
    }

    /// What the attributes of source node `i` and target node `a` tell, in nats.
    #[must_use]
    pub fn nats(&self, model: &AttributeModel, i: usize, a: usize) -> f64 {
        let each = (0..self.list.len()).map(|k| self.nats_of(model, k, i, a));
        model.strength * each.sum::<f64>()
    }

    /// What each attribute told of these pairs on average, in nats, by name.
    #[must_use]
    pub fn contributions(
        &self,
        model: &AttributeModel,
        pairs: &[(usize, usize)],
    ) -> Vec<(&str, f64)> {
        let count = pairs.len().max(1) as f64;
        self.names()
            .enumerate()
            .map(|(k, name)| {
                let sum: f64 = pairs
                    .iter()
                    .map(|&(i, a)| self.nats_of(model, k, i, a))
                    .sum();
                (name, model.strength * sum / count)
            })
            .collect()
    }

    fn nats_of(&self, model: &AttributeModel, k: usize, i: usize, a: usize) -> f64 {
        let nats = match (&self.list[k].values, &model.models[k]) {
            (Values::Numbers(values), Model::Numbers(model)) => values.nats(model, i, a),
            (Values::Words(values), Model::Words(model)) => values.nats(model, i, a),
            (Values::Vectors(values), Model::Vectors(model)) => values.nats(model, i, a),
            (Values::Weights(values), Model::Weights(model)) => values.nats(model, i, a),
            (Values::Scores(values), Model::Scores(model)) => values.nats(model, i, a),
            _ => unreachable!("a model is fitted to its own attributes"),
        };
        nats.clamp(-MOST, MOST)
    }

    /// The strength under which the partners are likeliest among others drawn at random.
    ///
    /// > max over s of Σ ln exp(s v_ia)/Σ_b exp(s v_ib)
    fn strength(&self, model: &AttributeModel, pairs: &[(usize, usize)]) -> f64 {
        let targets = self.nodes[1];
        if pairs.is_empty() || targets < 2 || self.list.is_empty() {
            return 1.0;
        }
        let stride = pairs.len().div_ceil(PAIRS);
        let sampled: Vec<(usize, &(usize, usize))> =
            pairs.iter().enumerate().step_by(stride).collect();
        let scores: Vec<[f64; STRENGTHS.len()]> = sampled
            .par_iter()
            .map(|&(place, &(i, a))| {
                let own = self.nats(model, i, a);
                let step = (targets / OTHERS).max(1);
                let others = (place % step..targets).step_by(step).filter(|&b| b != a);
                let others: Vec<f64> = others.map(|b| self.nats(model, i, b)).collect();
                STRENGTHS.map(|strength| {
                    let sum: f64 = others.iter().map(|v| (strength * (v - own)).exp()).sum();
                    -(1.0 + sum).ln()
                })
            })
            .collect();
        let of =
            |k: usize| scores.iter().map(|s| s[k]).sum::<f64>() - GRANTED * (1.0 - STRENGTHS[k]);
        let best = (0..STRENGTHS.len()).max_by(|&k, &l| of(k).total_cmp(&of(l)));
        best.map_or(1.0, |k| STRENGTHS[k])
    }

    /// Target nodes that the attributes of source node `i` bring up by themselves, with what they tell,
    /// the `most` strongest of them; `sums` is as long as the target side, and zero before and after.
    pub(crate) fn bring_up(
        &self,
        model: &AttributeModel,
        i: usize,
        most: usize,
        sums: &mut [f32],
    ) -> Vec<u32> {
        let (least, most_visits) = (*VISITS_OF_ONE.start(), *VISITS_OF_ONE.end());
        let visits = (VISITS / self.nodes[0].max(1)).clamp(least, most_visits);
        let mut found: Vec<u32> = Vec::new();
        let mut near = Vec::new();
        for attribute in &self.list {
            match &attribute.values {
                Values::Vectors(values) => {
                    values.alike(i, visits, sums, &mut near);
                    near.sort_unstable_by(|x, y| y.1.total_cmp(&x.1).then(x.0.cmp(&y.0)));
                    found.extend(near.iter().take(4 * most).map(|entry| entry.0));
                }
                Values::Scores(values) => found.extend(values.row(i)),
                Values::Weights(values) => values.sharing(i, visits, &mut found),
                Values::Numbers(_) | Values::Words(_) => {}
            }
        }
        found.sort_unstable();
        found.dedup();
        let mut ranked: Vec<(f64, u32)> = found
            .iter()
            .map(|&a| (self.nats(model, i, a as usize), a))
            .filter(|(nats, _)| *nats > 0.0)
            .collect();
        ranked.sort_unstable_by(|x, y| y.0.total_cmp(&x.0).then(x.1.cmp(&y.1)));
        ranked.truncate(most);
        ranked.into_iter().map(|(_, a)| a).collect()
    }
}
