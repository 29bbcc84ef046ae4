//! Stage *rehearsal*: what became of such probabilities where the right matching is known.
//!
//! A mean field takes neighbours for independent witnesses of each other, and what it settled wrongly early it believes. How much
//! too sure that makes it depends on the graphs, and can be tried: a pair of graphs of the same kind is
//! [dealt](crate::matcher::best::deal) from the pairs that were found, and matched from the same anchors in the same way. Its right
//! matching is known, so that the probability p of a pair that is decided for can be set beside whether it is right, and
//!
//! ln g/(1 − g) = a + b ln p/(1 − p)
//!
//! is fitted to all of them by maximum likelihood (Platt, Advances in Large Margin Classifiers, 1999), with a and b − 1 normal of
//! variance [`SPREAD`] before anything is seen. Then the likeliest partner of every node has g in the place of p, and what is left of
//! the node is shared among its other candidates as before. Which pairs are chosen is left to the beliefs as they were.
//!
//! Where much is wrong, the edges of both sides are laid upon each other wrongly, and what is dealt from them may be harder to match than
//! the given pair is: a rehearsal that finds much less tells nothing.

use super::beliefs::{Beliefs, believe, tempered};
use super::calibration::believable_share;
use super::decision::decide;
use super::expansion::expand;
use super::known::Known;
use super::restarts::{in_doubt, restart};
use super::rows::by_row;
use super::side::{NONE, Side};
use crate::linalg::Csr;
use crate::matcher::best::deal::deal;
use crate::matcher::best::thresholds::sparse::{
    LARGEST_CONSENSUS, LARGEST_REHEARSED, LEAST_REHEARSED, NEAR_RIVALS, REHEARSED_ALIKE,
    REHEARSED_IN_DOUBT, RESTARTED_FROM,
};
use crate::monitor::Monitor;

/// The variance of a and b − 1 before anything is seen.
const SPREAD: f64 = 0.25;

/// Probabilities are taken to be this far from 0 and 1 at least.
const MARGIN: f64 = 1e-4;

/// ln g/(1 − g) = a + b ln p/(1 − p).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Curve {
    a: f64,
    b: f64,
}

fn log_odds(p: f64) -> f64 {
    let p = p.clamp(MARGIN, 1.0 - MARGIN);
    (p / (1.0 - p)).ln()
}

impl Curve {
    /// g.
    pub(super) fn at(self, p: f64) -> f64 {
        1.0 / (1.0 + (-self.a - self.b * log_odds(p)).exp())
    }

    /// −ln of how likely the curve makes what became of such probabilities, and how likely it is before.
    fn loss(self, seen: &[(f64, bool)]) -> f64 {
        let each = seen.iter().map(|&(p, is_right)| {
            let told = self.a + self.b * log_odds(p);
            let against = if is_right { -told } else { told };
            // ln(1 + e^x), whatever the size of x.
            against.max(0.0) + (-against.abs()).exp().ln_1p()
        });
        let before = (self.a.powi(2) + (self.b - 1.0).powi(2)) / (2.0 * SPREAD);
        each.sum::<f64>() + before
    }

    /// The likeliest one by Newton's method, every step of which is halved until it gains something.
    fn fit(seen: &[(f64, bool)]) -> Self {
        const STEPS: usize = 50;
        const SAME: f64 = 1e-10;
        let mut curve = Self { a: 0.0, b: 1.0 };
        let mut loss = curve.loss(seen);
        for _ in 0..STEPS {
            let mut slope = [curve.a / SPREAD, (curve.b - 1.0) / SPREAD];
            let mut bend = [1.0 / SPREAD, 0.0, 1.0 / SPREAD];
            for &(p, is_right) in seen {
                let (x, g) = (log_odds(p), curve.at(p));
                let (miss, weight) = (g - f64::from(u8::from(is_right)), g * (1.0 - g));
                slope[0] += miss;
                slope[1] += miss * x;
                bend[0] += weight;
                bend[1] += weight * x;
                bend[2] += weight * x * x;
            }
            let determinant = bend[0] * bend[2] - bend[1] * bend[1];
            let step = [
                (bend[2] * slope[0] - bend[1] * slope[1]) / determinant,
                (bend[0] * slope[1] - bend[1] * slope[0]) / determinant,
            ];
            let halves = (0..30).map(|k| 0.5f64.powi(k));
            let tried = halves.map(|size| Self {
                a: curve.a - size * step[0],
                b: curve.b - size * step[1],
            });
            let mut tried = tried.map(|tried| (tried, tried.loss(seen)));
            let Some((better, least)) = tried.find(|(_, least)| *least < loss) else {
                break;
            };
            let gain = loss - least;
            (curve, loss) = (better, least);
            if gain < SAME * loss.max(1.0) {
                break;
            }
        }
        curve
    }
}

/// What is left of the beliefs by what became of such; `None` where hardly anybody is in doubt, few or very many nodes are matched, more than
/// edges is known, the dealt pair is another kind of thing, or the monitor stops it.
///
/// # Complexity
/// That of expansion, beliefs and restarts.
pub(super) fn rehearse(
    sides: &[Side<'_>; 2],
    known: &Known,
    beliefs: &Beliefs,
    (restarts, iterations): (usize, usize),
    seed: u64,
    monitor: &Monitor,
) -> Option<Csr<f32>> {
    if !is_asked(sides, known, beliefs) || monitor.interrupted().is_some() {
        return None;
    }
    let partners = right_ones(sides, known, beliefs);
    let edges = [sides[0].edges, sides[1].edges];
    let graphs = deal(edges, &partners, seed).expect("what is dealt are edges of a graph");
    let weighted = sides.iter().all(|side| side.weights.is_some());
    let dealt = [0, 1].map(|side: usize| Side::new(&graphs[side], weighted));
    let expansion = expand(&dealt, known, known.partners(), monitor);
    let others = believe(&dealt, known, expansion, iterations, monitor);
    let (others, _) = restart(&dealt, known, others, (restarts, iterations), monitor);
    let share = believable_share(&dealt, known, &others, monitor);
    let others = match share < 1.0 {
        true => tempered(&dealt, known, others, share, monitor),
        false => others,
    };
    let is_alike = others.expected_right() >= REHEARSED_ALIKE * beliefs.expected_right();
    if monitor.interrupted().is_some() || !is_alike {
        return None;
    }
    let decided = decide(&dealt, known, &others.occupancy, false);
    let seen = decided
        .iter()
        .filter(|pair| !pair.anchor)
        .filter_map(|pair| {
            let p = others.occupancy.get(pair.source, pair.target)?;
            let is_right = partners[pair.source] as usize == pair.target;
            Some((f64::from(p), is_right))
        });
    let seen: Vec<(f64, bool)> = seen.collect();
    if seen.len() < LEAST_REHEARSED {
        return None;
    }
    let curve = Curve::fit(&seen);
    if curve.b <= 0.0 {
        return None;
    }
    let anchored = known.partners();
    let occupancy = &beliefs.occupancy;
    by_row(occupancy.rows(), occupancy.cols(), monitor, |i, _, row| {
        let (nodes, shares) = occupancy.parts(i);
        row.extend(nodes.iter().copied().zip(shares.iter().copied()));
        if anchored[0][i] == NONE {
            rewrite(row, curve);
        }
    })
}

/// Gives the likeliest candidate g in the place of p, and the others what is left as they shared it before, but no more than g.
fn rewrite(row: &mut [(u32, f32)], curve: Curve) {
    let largest = |x: (u32, f32), y: (u32, f32)| if y.1 > x.1 { y } else { x };
    let Some((likeliest, p)) = row.iter().copied().reduce(largest) else {
        return;
    };
    let g = curve.at(f64::from(p)) as f32;
    let left = (1.0 - g) / (1.0 - p).max(MARGIN as f32);
    for (a, share) in row {
        *share = match *a == likeliest {
            true => g,
            false => (*share * left).min(g),
        };
    }
}

/// Whether a rehearsal can tell anything, and is worth its time.
fn is_asked(sides: &[Side<'_>; 2], known: &Known, beliefs: &Beliefs) -> bool {
    let nodes = sides[0].nodes().max(sides[1].nodes());
    let most = match beliefs.model.first >= NEAR_RIVALS.ln() {
        true => LARGEST_CONSENSUS,
        false => LARGEST_REHEARSED,
    };
    let sure = beliefs.sure(sides, known, RESTARTED_FROM);
    known.is_of_edges_alone()
        && !known.rules_out()
        && beliefs.model.kinds.is_none()
        && nodes <= most
        && in_doubt(&sure) >= REHEARSED_IN_DOUBT
}

/// The pairs that are decided for, as many as are likely to have a partner.
fn right_ones(sides: &[Side<'_>; 2], known: &Known, beliefs: &Beliefs) -> Vec<u32> {
    let mut pairs = decide(sides, known, &beliefs.occupancy, false);
    let alone = (beliefs.alone * sides[0].nodes() as f64) as usize;
    let left = sides[0].nodes().saturating_sub(alone);
    pairs.sort_by(|x, y| (y.anchor.cmp(&x.anchor)).then(y.confidence.total_cmp(&x.confidence)));
    pairs.truncate(left.max(known.anchors.len()));
    let mut partners = vec![NONE; sides[0].nodes()];
    for pair in pairs {
        partners[pair.source] = pair.target as u32;
    }
    partners
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Probabilities with so many times out of a hundred right ones.
    fn seen(kept: impl Fn(f64) -> f64) -> Vec<(f64, bool)> {
        let each = (1..20).flat_map(|k| {
            let p = f64::from(k) / 20.0;
            let right = (100.0 * kept(p)).round() as usize;
            (0..100).map(move |n| (p, n < right))
        });
        each.collect()
    }

    #[test]
    fn promises_that_were_kept_change_nothing_and_others_are_found_out() {
        let honest = Curve::fit(&seen(|p| p));
        assert!(
            honest.a.abs() < 0.02 && (honest.b - 1.0).abs() < 0.02,
            "{honest:?}"
        );
        let (a, b) = (-0.4, 0.6);
        let found = Curve::fit(&seen(|p| Curve { a, b }.at(p)));
        assert!(
            (found.a - a).abs() < 0.03 && (found.b - b).abs() < 0.03,
            "{found:?}"
        );
    }

    /// Beside all of a grid of curves.
    #[test]
    fn the_curve_is_the_likeliest_one() {
        let cases = [
            seen(|p| 0.3 * p),
            seen(|_| 0.1),
            seen(|p| (2.0 * p).min(1.0)),
            vec![(1.0, false); 400],
        ];
        for seen in cases {
            let found = Curve::fit(&seen);
            let least = found.loss(&seen);
            for x in -30..=30 {
                for y in -30..=30 {
                    let (a, b) = (f64::from(x) / 10.0, f64::from(y) / 10.0);
                    assert!(
                        least <= Curve { a, b }.loss(&seen) + 1e-6,
                        "{found:?} beside {a} {b}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_row_keeps_its_sum_below_one_and_its_first_place() {
        let curve = Curve { a: -1.0, b: 0.5 };
        let mut row = vec![(3, 0.1), (5, 0.7), (9, 0.15)];
        rewrite(&mut row, curve);
        let g = 1.0 / (1.0 + (1.0 - 0.5 * (0.7f64 / 0.3).ln()).exp());
        assert!((f64::from(row[1].1) - g).abs() < 1e-6);
        // A third and a half of what was left, as before.
        assert!((f64::from(row[0].1) - (1.0 - g) / 3.0).abs() < 1e-6);
        assert!(row.iter().all(|(_, share)| *share <= row[1].1));
        assert!(row.iter().map(|(_, share)| share).sum::<f32>() <= 1.0 + 1e-6);
        rewrite(&mut [], curve);
    }
}
