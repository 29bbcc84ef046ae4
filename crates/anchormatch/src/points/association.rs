//! Who corresponds to whom, given where the partners of source points are expected.
//!
//! Let the partner of source point i, if it has one, lie at y with density N(y; μᵢ, Sᵢ), and target points
//! that are nobody's partner with the density ρ(y) of all target points there. A matching of k pairs has the prior
//! 1 / ((min(n, m) + 1) · C(n, k) C(m, k) k!): every k is as likely as any other, and so is every matching of
//! k pairs. One pair more, from k − ½ to k + ½ of them, then changes the posterior by the odds
//!
//! > wᵢₐ = N(yₐ; μᵢ, Sᵢ) / ρ(yₐ) · (k + ½) / ((n − k + ½)(m − k + ½)),
//!
//! and the posterior of matchings with about k pairs is ∏ wᵢₐ over its pairs. Its marginals and the logarithm
//! of its sum come from belief propagation (the Bethe approximation of a permanent: Vontobel 2013, Huang &
//! Jebara 2009, here with slack on both sides): exact where the candidates form a tree, and near enough where
//! points are few.

use super::index::Index;
use super::scene::Scene;
use super::small::{Square, Vector, add_outer, apply, difference, dot, eigen, inverse};

/// Where the partner of a source point is expected.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Prediction<const D: usize> {
    pub(super) mean: Vector<D>,
    pub(super) covariance: Square<D>,
}

impl<const D: usize> Prediction<D> {
    /// ln N(y; mean, covariance).
    pub(super) fn log_density(&self, y: &Vector<D>) -> f64 {
        let (inverse, log_determinant) = inverse(&self.covariance);
        let r = difference(y, &self.mean);
        -0.5 * (dot(&r, &apply(&inverse, &r)) + log_determinant) - log_unit::<D>()
    }
}

/// ln √(2π)^D.
fn log_unit<const D: usize>() -> f64 {
    0.5 * D as f64 * std::f64::consts::TAU.ln()
}

/// What is believed of the partner of a source point: how much of it there is, its mean and its spread.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Partner<const D: usize> {
    pub(super) weight: f64,
    pub(super) mean: Vector<D>,
    pub(super) spread: Square<D>,
}

impl<const D: usize> Partner<D> {
    pub(super) const NONE: Self = Self {
        weight: 0.0,
        mean: [0.0; D],
        spread: [[0.0; D]; D],
    };

    /// A partner that is known to lie at `mean`.
    pub(super) fn at(mean: Vector<D>) -> Self {
        Self {
            weight: 1.0,
            mean,
            ..Self::NONE
        }
    }

    /// Whether there is enough of it to count.
    pub(super) fn counts(&self) -> bool {
        self.weight > 1e-6
    }
}

/// Candidates for every source point that no anchor fixes, and how much each is believed.
#[derive(Debug, Clone, Default)]
pub(super) struct Lists {
    offsets: Vec<usize>,
    columns: Vec<u32>,
    odds: Vec<f64>,
    beliefs: Vec<f64>,
    /// What the target says to the source point of each entry.
    replies: Vec<f64>,
    /// For each target, the sum of what is said to it.
    sums: Vec<f64>,
    /// What else is said to the target of each entry.
    others: Vec<f64>,
    /// Squared distances of all targets from one prediction.
    distances: Vec<f64>,
    /// Candidates of one row: −2 ln of what speaks for them, up to a constant, and target.
    row: Vec<(f64, u32)>,
}

/// Squared Mahalanobis distance beyond which a target is no candidate: a density e⁻¹⁵ of the peak's.
const GATE: f64 = 30.0;

/// ln of the odds of one pair at most, so that sums keep their precision.
const MOST_LOG_ODDS: f64 = 40.0;

/// ln of the odds of a candidate at least: what less likely ones add to the sum of a row, a hundred of them may have
/// .012, is not worth their time.
const LEAST_LOG_ODDS: f64 = -9.0;

/// Candidates of one point at most, where there are more targets than [`FEW`].
const MOST_CANDIDATES: usize = 64;

/// Up to so many targets every one of them is looked at.
const FEW: usize = 128;

/// Rounds of messages while parameters are being fitted, and for a result.
pub(super) const SHORT: usize = 6;
pub(super) const LONG: usize = 24;

/// Messages have settled when none changes by more.
const SAME_REPLY: f64 = 1e-4;

/// ln of the odds that one pair more has before its points are looked at.
pub(super) fn log_prior_odds(k: f64, n: usize, m: usize) -> f64 {
    let free = |count: usize| (count as f64 - k).max(0.0) + 0.5;
    ((k + 0.5) / (free(n) * free(m))).ln()
}

/// ln of the prior of one matching of k pairs.
pub(super) fn log_prior(k: f64, n: usize, m: usize) -> f64 {
    let (n, m) = (n as f64, m as f64);
    let k = k.clamp(0.0, n.min(m));
    let choose = |n: f64| log_factorial(n) - log_factorial(n - k) - log_factorial(k);
    -(n.min(m) + 1.0).ln() - choose(n) - choose(m) - log_factorial(k)
}

/// ln Γ(x + 1), by Stirling's series after a shift upwards.
fn log_factorial(x: f64) -> f64 {
    let mut shift = 0.0;
    let mut x = x + 1.0;
    while x < 10.0 {
        shift -= x.ln();
        x += 1.0;
    }
    let series = 1.0 / (12.0 * x) - 1.0 / (360.0 * x.powi(3)) + 1.0 / (1260.0 * x.powi(5));
    shift + (x - 0.5) * x.ln() - x + 0.5 * std::f64::consts::TAU.ln() + series
}

/// Numbers that are added up at once.
const LANES: usize = 4;

/// Σ x y.
fn inner(x: &[f64], y: &[f64]) -> f64 {
    let mut sums = [0.0; LANES];
    let ((x, left), (y, right)) = (x.as_chunks::<LANES>(), y.as_chunks::<LANES>());
    for (x, y) in x.iter().zip(y) {
        for k in 0..LANES {
            sums[k] += x[k] * y[k];
        }
    }
    let rest: f64 = left.iter().zip(right).map(|(x, y)| x * y).sum();
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}

/// Puts what `of` says of each number and its other in its place, and gives the greatest change.
fn changed(numbers: &mut [f64], others: &[f64], of: impl Fn(f64, f64) -> f64) -> f64 {
    let mut most = [0.0; LANES];
    let change = |number: &mut f64, other: f64, most: &mut f64| {
        let new = of(*number, other);
        let moved = (new - *number).abs();
        *most = if moved > *most { moved } else { *most };
        *number = new;
    };
    let ((numbers, rest), (others, other_rest)) = (
        numbers.as_chunks_mut::<LANES>(),
        others.as_chunks::<LANES>(),
    );
    for (numbers, others) in numbers.iter_mut().zip(others) {
        for k in 0..LANES {
            change(&mut numbers[k], others[k], &mut most[k]);
        }
    }
    for (number, other) in rest.iter_mut().zip(other_rest) {
        change(number, *other, &mut most[0]);
    }
    most.into_iter().fold(0.0, f64::max)
}

impl Lists {
    /// The candidates of source point i with their beliefs.
    pub(super) fn row(&self, i: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let range = self.offsets[i]..self.offsets[i + 1];
        range.map(|e| (self.columns[e] as usize, self.beliefs[e]))
    }

    /// The candidates of source point i and their odds.
    pub(super) fn candidates(&self, i: usize) -> (&[u32], &[f64]) {
        let range = self.offsets[i]..self.offsets[i + 1];
        (&self.columns[range.clone()], &self.odds[range])
    }

    /// The odds of a pair.
    pub(super) fn odds_of(&self, i: usize, a: usize) -> f64 {
        let (columns, odds) = self.candidates(i);
        let place = columns.iter().position(|&c| c as usize == a);
        place.map_or(0.0, |e| odds[e])
    }

    /// Multiplies the odds of every pair by exp(nats).
    pub(super) fn weigh(&mut self, nats: impl Fn(usize, usize) -> f64) {
        for (i, row) in self.offsets.windows(2).enumerate() {
            for e in row[0]..row[1] {
                let told = self.odds[e].ln() + nats(i, self.columns[e] as usize);
                self.odds[e] = told.min(MOST_LOG_ODDS).exp();
            }
        }
    }

    /// The odds of all candidates of source point i, and of no partner.
    pub(super) fn total_odds(&self, i: usize) -> f64 {
        1.0 + self.candidates(i).1.iter().sum::<f64>()
    }

    /// Lists of the pairs that have any belief.
    pub(super) fn of_beliefs(
        sources: usize,
        targets: usize,
        belief: impl Fn(usize, usize) -> f64,
    ) -> Self {
        let mut lists = Self {
            offsets: vec![0],
            ..Self::default()
        };
        for i in 0..sources {
            for a in 0..targets {
                let belief = belief(i, a);
                if belief > 0.0 {
                    lists.columns.push(a as u32);
                    lists.beliefs.push(belief);
                }
            }
            lists.offsets.push(lists.columns.len());
        }
        lists.odds.clone_from(&lists.beliefs);
        lists
    }

    /// Lists of all pairs by their odds.
    #[cfg(test)]
    pub(super) fn of_odds(odds: &[Vec<f64>]) -> Self {
        let m = odds[0].len();
        Self {
            offsets: (0..=odds.len()).map(|i| i * m).collect(),
            columns: (0..odds.len() * m).map(|e| (e % m) as u32).collect(),
            odds: odds.concat(),
            ..Self::default()
        }
    }

    /// Finds the candidates and their beliefs, `k` pairs being expected in all; gives the logarithm of the
    /// sum over matchings of the products of their odds.
    ///
    /// # Complexity
    /// O(n m) up to [`FEW`] targets, and O(n · [`MOST_CANDIDATES`]) beyond.
    pub(super) fn associate<const D: usize>(
        &mut self,
        scene: &Scene<D>,
        index: &Index<D>,
        predictions: &[Prediction<D>],
        k: f64,
        rounds: usize,
    ) -> f64 {
        self.collect(scene, index, predictions, k);
        self.propagate(scene.target.len(), rounds, SAME_REPLY);
        self.believe(scene.target.len())
    }

    /// Lists the candidates and their odds.
    pub(super) fn collect<const D: usize>(
        &mut self,
        scene: &Scene<D>,
        index: &Index<D>,
        predictions: &[Prediction<D>],
        k: f64,
    ) {
        let m = scene.target.len();
        let prior = scene.log_prior_odds(k);
        let constant = -log_unit::<D>();
        let density = index.density();
        self.offsets.clear();
        self.offsets.push(0);
        self.columns.clear();
        self.odds.clear();
        let mut soft = scene.soft.iter().peekable();
        // A soft anchor may speak for a pair that nothing else does.
        let least = if scene.soft.is_empty() {
            LEAST_LOG_ODDS
        } else {
            f64::NEG_INFINITY
        };
        for (i, prediction) in predictions.iter().enumerate() {
            if scene.anchors.partner(i).is_none() && !scene.alone[i] {
                let (inverse, log_determinant) = inverse(&prediction.covariance);
                let distance = |y: &Vector<D>| {
                    let r = difference(y, &prediction.mean);
                    dot(&r, &apply(&inverse, &r))
                };
                self.row.clear();
                if m <= FEW {
                    self.distances.clear();
                    self.distances.extend(scene.target.iter().map(distance));
                    let near = self.distances.iter().zip(0..).zip(&scene.taken);
                    let near = near.filter(|((q, _), is_taken)| **q < GATE && !**is_taken);
                    self.row.extend(near.map(|((q, a), _)| (*q, a)));
                    self.hear(scene, i);
                } else if (0.5 * log_determinant).exp() * GATE * density
                    < 4.0 * MOST_CANDIDATES as f64
                {
                    // A point whose partner could be nearly anybody is not asked yet.
                    let (variances, _) = eigen(&prediction.covariance);
                    let widest = variances.into_iter().fold(0.0, f64::max);
                    let row = &mut self.row;
                    index.around(&prediction.mean, (GATE * widest).sqrt(), |a, y| {
                        let q = distance(y);
                        if q < GATE && !scene.taken[a] {
                            row.push((q, a as u32));
                        }
                    });
                    self.hear(scene, i);
                    self.keep_best();
                }
                for &(q, a) in &self.row {
                    let rarity = scene.log_rarity[a as usize];
                    let log = rarity + constant - 0.5 * (q + log_determinant);
                    if log + prior >= least {
                        self.columns.push(a);
                        self.odds.push((log + prior).min(MOST_LOG_ODDS).exp());
                    }
                }
            }
            while let Some(&&(_, a, odds)) = soft.peek().filter(|(j, ..)| *j <= i) {
                soft.next();
                let start = self.offsets[i];
                if let Some(e) = self.columns[start..].iter().position(|c| *c as usize == a) {
                    // What was said of the pair takes the place of the prior of any pair.
                    let said = self.odds[start + e].ln() - prior + odds.ln();
                    self.odds[start + e] = said.min(MOST_LOG_ODDS).exp();
                }
            }
            self.offsets.push(self.columns.len());
        }
    }

    /// Adds what is known of the pairs of a row to their distances, and leaves out those that are ruled out.
    fn hear<const D: usize>(&mut self, scene: &Scene<D>, i: usize) {
        if let Some(known) = &scene.known {
            for (q, a) in &mut self.row {
                *q -= 2.0 * known.nats(i, *a as usize);
            }
            self.row.retain(|(q, _)| *q < f64::INFINITY);
        }
    }

    /// Keeps the best candidates of a row, in their order.
    fn keep_best(&mut self) {
        let order =
            |x: &(f64, u32), y: &(f64, u32)| x.0.total_cmp(&y.0).then_with(|| x.1.cmp(&y.1));
        if self.row.len() > MOST_CANDIDATES {
            self.row.select_nth_unstable_by(MOST_CANDIDATES, order);
            self.row.truncate(MOST_CANDIDATES);
        }
        self.row.sort_unstable_by(order);
    }

    /// Candidates and beliefs by what is known of pairs, wherever their points lie; as [`associate`](Self::associate).
    pub(super) fn associate_known<const D: usize>(
        &mut self,
        scene: &Scene<D>,
        k: f64,
        rounds: usize,
    ) -> f64 {
        let (n, m) = (scene.source.len(), scene.target.len());
        let prior = scene.log_prior_odds(k);
        self.offsets.clear();
        self.offsets.push(0);
        self.columns.clear();
        self.odds.clear();
        for i in 0..n {
            self.row.clear();
            if scene.anchors.partner(i).is_none() && !scene.alone[i] {
                let free = (0..m).filter(|&a| !scene.taken[a]);
                self.row.extend(free.map(|a| (0.0, a as u32)));
                self.hear(scene, i);
                self.keep_best();
            }
            for &(q, a) in &self.row {
                self.columns.push(a);
                self.odds.push((prior - 0.5 * q).min(MOST_LOG_ODDS).exp());
            }
            self.offsets.push(self.columns.len());
        }
        self.propagate(m, rounds, SAME_REPLY);
        self.believe(m)
    }

    /// The sum of all beliefs.
    pub(super) fn total(&self) -> f64 {
        self.beliefs.iter().sum()
    }

    /// Sends messages between sources and targets, until none changes by more than `settled` or for so many rounds.
    fn propagate(&mut self, targets: usize, rounds: usize, settled: f64) {
        self.replies.clear();
        self.replies.resize(self.odds.len(), 1.0);
        self.beliefs.clear();
        self.beliefs.resize(self.odds.len(), 0.0);
        for round in 0..rounds {
            self.sums.clear();
            self.sums.resize(targets, 1.0);
            for row in self.offsets.windows(2) {
                let range = row[0]..row[1];
                let odds = &self.odds[range.clone()];
                let replies = &self.replies[range.clone()];
                let sum = 1.0 + inner(odds, replies);
                let messages = &mut self.beliefs[range.clone()];
                for ((message, w), r) in messages.iter_mut().zip(odds).zip(replies) {
                    *message = w / (sum - w * r).max(1.0);
                }
                for (message, a) in messages.iter().zip(&self.columns[range]) {
                    self.sums[*a as usize] += message;
                }
            }
            let sums = self.columns.iter().map(|a| self.sums[*a as usize]);
            self.others.clear();
            self.others.extend(sums);
            for (other, message) in self.others.iter_mut().zip(&self.beliefs) {
                *other = (*other - message).max(1.0);
            }
            // Half a step of what is said in return, 1 / reply, keeps loops from swinging.
            let change = if round == 0 {
                changed(&mut self.replies, &self.others, |_, other| 1.0 / other)
            } else {
                changed(&mut self.replies, &self.others, |reply, other| {
                    2.0 * reply / (1.0 + reply * other)
                })
            };
            if change < settled {
                break;
            }
        }
    }

    /// Turns messages into beliefs, and gives the logarithm of the sum over matchings.
    fn believe(&mut self, targets: usize) -> f64 {
        self.sums.clear();
        self.sums.resize(targets, 1.0);
        for (&a, message) in self.columns.iter().zip(&self.beliefs) {
            self.sums[a as usize] += message;
        }
        let mut log: f64 = self.sums.iter().map(|sum| sum.ln()).sum();
        for row in self.offsets.windows(2) {
            let range = row[0]..row[1];
            let said = range.map(|e| self.odds[e] * self.replies[e]);
            log += said.sum::<f64>().ln_1p();
        }
        for (belief, reply) in self.beliefs.iter_mut().zip(&self.replies) {
            let both = *belief * reply;
            log -= both.ln_1p();
            *belief = both / (1.0 + both);
        }
        log
    }

    /// What is believed of each source point's partner, anchors included; gives how many there are in all.
    pub(super) fn partners<const D: usize>(
        &self,
        scene: &Scene<D>,
        out: &mut Vec<Partner<D>>,
    ) -> f64 {
        out.clear();
        let mut total = 0.0;
        for (i, anchor) in scene.anchors.iter().enumerate() {
            let partner = match anchor {
                Some(a) => Partner::at(scene.target[a]),
                None => self.partner(scene, i),
            };
            total += partner.weight;
            out.push(partner);
        }
        total
    }

    fn partner<const D: usize>(&self, scene: &Scene<D>, i: usize) -> Partner<D> {
        let weight: f64 = self.row(i).map(|(_, belief)| belief).sum();
        let mut partner = Partner {
            weight: weight.min(1.0),
            ..Partner::NONE
        };
        if !partner.counts() {
            return Partner::NONE;
        }
        for (a, belief) in self.row(i) {
            for (mean, y) in partner.mean.iter_mut().zip(&scene.target[a]) {
                *mean += belief / weight * y;
            }
        }
        for (a, belief) in self.row(i) {
            let r = difference(&scene.target[a], &partner.mean);
            add_outer(&mut partner.spread, belief / weight, &r, &r);
        }
        partner
    }
}

#[cfg(test)]
pub(super) mod tests;
