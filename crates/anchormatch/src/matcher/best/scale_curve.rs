//! The posterior with the scale of the evidence integrated out.

use super::evidence::Evidence;
use super::found::Found;
use super::program::is_one_product;
use super::thresholds::FINDABLE;
use crate::affinity::likelihood::PairModel;
use crate::problem::{Coverage, Problem};
use crate::solver::Curve;

/// Correlations over which the scale of the evidence is integrated, and the largest as artanh ρ.
const SCALES: usize = 48;
const LARGEST_SCALE: f64 = 3.8;

/// Points at which such an integral is computed.
const POINTS_OF_CURVE: usize = 512;

/// The logarithm of the posterior with the scale of the evidence integrated out, as a function of
/// the objective of the full program under `model`.
///
/// Where the program is one product, a correlation ρ only scales the objective S: the logarithm of
/// the likelihood is A(ρ) + s(ρ) S, and the posterior of a matching is ∫ exp(A(ρ) + s(ρ) S) dρ
/// instead of its value at the ρ that suits one matching best. Every ρ is as likely as another from
/// where a matching could just be found: who asks for one does not hold that there is none. That
/// is where the evidence of the right matching is three quarters of what tells all matchings apart.
/// `None` where more than a scale is open, or soft evidence has a scale of its own.
pub(super) fn scale_curve(
    evidence: &Evidence<'_>,
    found: &Found,
    problem: &Problem,
) -> Option<Curve> {
    let (source, target) = (&evidence.observed.source, &evidence.observed.target);
    let complete = evidence.observed.is_complete();
    let weight = |model: &PairModel| {
        if complete {
            model.product_of_weights()
        } else {
            model.conserved_edge()
        }
    };
    let unit = weight(&found.model.pairs);
    let full = found.coverage == Coverage::Full;
    if evidence.has_priors() || !full || !is_one_product(evidence) || unit <= 0.0 {
        return None;
    }
    let agreement = evidence.agreement(&found.assignment);
    // The least correlation under which a matching could be found.
    let (n, m) = evidence.shape();
    let matchings: f64 = (2..=n.max(m)).map(|k| (k as f64).ln()).sum();
    let needed = FINDABLE * matchings;
    let information = |z: f64| {
        let model = PairModel::guess(source, target, z.tanh());
        let one = model.information(source, target);
        found.believed_share() * agreement.pairs() * one
    };
    let (mut least, mut most) = (0.0, LARGEST_SCALE);
    for _ in 0..30 {
        let middle = 0.5 * (least + most);
        if information(middle) < needed {
            least = middle;
        } else {
            most = middle;
        }
    }
    if least > 0.9 * LARGEST_SCALE {
        return None;
    }
    // ρ = tanh z, evenly in z; dρ = (1 − ρ²) dz.
    let step = (LARGEST_SCALE - least) / (SCALES - 1) as f64;
    let terms: Vec<(f64, f64)> = (0..SCALES)
        .map(|k| {
            let correlation = (least + step * k as f64).tanh();
            let model = PairModel::guess(source, target, correlation);
            let total = found.believed_share() * model.total(&agreement, source, target);
            let prior = (1.0 - correlation * correlation).ln();
            (total + prior, weight(&model) / unit)
        })
        .collect();
    let here = problem.sense().sign() * (problem.objective(&found.assignment) - problem.constant());
    let value = |s: f64| {
        let each = terms.iter().map(|(a, b)| a + b * (s - here));
        let most = each.clone().fold(f64::NEG_INFINITY, f64::max);
        most + each.map(|v| (v - most).exp()).sum::<f64>().ln()
    };
    // From where the least scale is the most likely to a little above the best.
    let is_least = |s: f64| {
        let first = terms[0].0 + terms[0].1 * (s - here);
        terms.iter().all(|(a, b)| a + b * (s - here) <= first)
    };
    let mut depth = 1.0;
    while depth < 1e6 && !is_least(here - depth) {
        depth *= 1.5;
    }
    Some(Curve::new(
        here - 1.5 * depth,
        here + 5.0,
        POINTS_OF_CURVE,
        value,
    ))
}
