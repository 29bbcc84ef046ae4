//! Confidences of maps with many parameters: a Markov chain over matchings and parameters together.
//!
//! At a mode, the probabilities of pairs follow from one map. But a map that bends, or lets points slide along lines, is
//! itself uncertain together with its pairs: if one pair is wrong, so are its neighbours, and the noise is greater than
//! the pairs that were chosen for being near let it seem. Gibbs' sampler has all of that. In turns it draws
//!
//! 1. the parameters and the noise given the matching ([`Member::draw`](super::families::Member::draw)): regressions
//!    with conjugate priors, so that the draws are exact;
//! 2. the matching given these. A source point i, whichever comes up, asks for the target a with probability wᵢₐ / Zᵢ,
//!    or for none with 1 / Zᵢ, where Zᵢ = 1 + Σ w. When a has the partner j, j takes what i had, with the probability
//!    min(1, w_j,old / w_ja); where i had none, j stays alone with the probability min(1, Zᵢ / Zⱼ), since the way back
//!    is that j asks for a. Both leave the posterior of matchings ∏ w as it is (Metropolis and Hastings).
//!
//! How often a pair occurs is its probability.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use super::association::{Lists, Partner, Prediction};
use super::climb::Mode;
use super::families::Member;
use super::index::Index;
use super::scene::Scene;
use crate::monitor::Monitor;

/// Sweeps that count for the best mode, and those before them; the same for those in a hurry. Modes with a part of its evidence have
/// as many as the root of that part says.
///
/// `anchormatch-lab bench points --only solid`
const SWEEPS: [usize; 2] = [240, 40];
const QUICK_SWEEPS: [usize; 2] = [80, 20];

/// Times that every point is asked in a sweep.
const PASSES: usize = 2;

/// Modes so far behind the best are not asked, in nats.
const BEHIND: f64 = 4.0;

/// Source points times target points up to which chains are run: where points are many, a map is sure.
const MOST_PAIRS: usize = 40_000;

/// Beliefs from which on a chain begins with a pair.
const LIKELY: f64 = 0.3;

const NONE: usize = usize::MAX;

/// The probabilities of pairs by chains, for the modes that count.
pub(super) fn sample<const D: usize>(
    scene: &Scene<D>,
    modes: &[Mode<D>],
    seed: u64,
    quick: bool,
    monitor: &Monitor,
) -> Vec<Option<Lists>> {
    let evidences = modes.iter().map(|mode| mode.evidence);
    let best = evidences.fold(f64::NEG_INFINITY, f64::max);
    let least = best - BEHIND;
    if scene.source.len() * scene.target.len() > MOST_PAIRS {
        return Vec::new();
    }
    let index = Index::new(&scene.target);
    let sweeps = if quick { QUICK_SWEEPS } else { SWEEPS };
    let mut asked = 0;
    let places = modes.iter().map(|mode| {
        let is_asked = mode.evidence >= least;
        asked += u64::from(is_asked);
        is_asked.then_some(asked - 1)
    });
    let places: Vec<Option<u64>> = places.collect();
    let drawn = places.into_par_iter().zip(modes).map(|(place, mode)| {
        let (place, mut member) = (place?, mode.member.drawable()?);
        let mut random = ChaCha8Rng::seed_from_u64(seed.wrapping_add(place));
        let mut chain = Chain::new(scene, &mode.lists);
        chain.hear_partners(scene);
        member.find_layers(&scene.source, &chain.partners);
        // What a mode adds to the mixture is as uncertain as its share of it.
        let share = (0.5 * (mode.evidence - best)).exp();
        let counted = (sweeps[0] as f64 * share).ceil() as usize;
        for sweep in 0..counted + sweeps[1] {
            if monitor.interrupted().is_some() {
                return None;
            }
            chain.sweep(scene, &index, member.as_mut(), &mut random);
            if sweep == sweeps[1] {
                chain.forget();
            }
        }
        Some(chain.lists())
    });
    drawn.collect()
}

/// A matching, and how often each pair occurred.
struct Chain<const D: usize> {
    /// The partner of every source point, and of every target point.
    partner: Vec<usize>,
    owner: Vec<usize>,
    /// Source points without an anchor.
    free: Vec<usize>,
    counts: Vec<u32>,
    total: u32,
    odds: Lists,
    partners: Vec<Partner<D>>,
    predictions: Vec<Prediction<D>>,
}

impl<const D: usize> Chain<D> {
    /// The chain from the pairs that are likely.
    fn new(scene: &Scene<D>, lists: &Lists) -> Self {
        let (n, m) = (scene.source.len(), scene.target.len());
        let mut chain = Self {
            partner: scene.anchors.iter().map(|a| a.unwrap_or(NONE)).collect(),
            owner: vec![NONE; m],
            free: (0..n)
                .filter(|&i| scene.anchors.partner(i).is_none() && !scene.alone[i])
                .collect(),
            counts: vec![0; n * m],
            total: 0,
            odds: Lists::default(),
            partners: Vec::with_capacity(n),
            predictions: Vec::with_capacity(n),
        };
        let pairs = chain
            .free
            .iter()
            .flat_map(|&i| lists.row(i).map(move |(a, belief)| (belief, i, a)));
        let mut pairs: Vec<_> = pairs.filter(|pair| pair.0 > LIKELY).collect();
        pairs.sort_by(|x, y| y.0.total_cmp(&x.0).then((x.1, x.2).cmp(&(y.1, y.2))));
        for (_, i, a) in pairs {
            if chain.partner[i] == NONE && chain.owner[a] == NONE && !scene.taken[a] {
                chain.partner[i] = a;
                chain.owner[a] = i;
            }
        }
        chain
    }

    /// Draws parameters, then the matching.
    fn sweep(
        &mut self,
        scene: &Scene<D>,
        index: &Index<D>,
        member: &mut dyn Member<D>,
        random: &mut ChaCha8Rng,
    ) {
        self.hear_partners(scene);
        member.draw(&scene.source, &self.partners, random);
        self.predictions.clear();
        let points = scene.source.iter().enumerate();
        self.predictions
            .extend(points.map(|(i, x)| member.predict_fitted(i, x)));
        let pairs = self.partner.iter().filter(|&&a| a != NONE).count();
        let pairs = scene.between_counts(pairs as f64);
        self.odds.collect(scene, index, &self.predictions, pairs);
        if let Some(nats) = member.beside_prediction() {
            self.odds
                .weigh(|i, a| nats(i, &scene.source[i], &scene.target[a]));
        }
        for _ in 0..PASSES {
            self.pass(random);
            self.count(scene.target.len());
        }
    }

    /// What the matching says of every source point.
    fn hear_partners(&mut self, scene: &Scene<D>) {
        self.partners.clear();
        let known = self.partner.iter().map(|&a| match a {
            NONE => Partner::NONE,
            a => Partner::at(scene.target[a]),
        });
        self.partners.extend(known);
    }

    /// Asks as many free points as there are, any of them each time.
    fn pass(&mut self, random: &mut ChaCha8Rng) {
        for _ in 0..self.free.len() {
            let i = self.free[random.random_range(0..self.free.len())];
            let (columns, odds) = self.odds.candidates(i);
            let mut draw = random.random::<f64>() * self.odds.total_odds(i);
            let chosen = odds.iter().position(|w| {
                draw -= w;
                draw < 0.0
            });
            let chosen = chosen.map_or(NONE, |e| columns[e] as usize);
            let old = self.partner[i];
            if chosen == old {
                continue;
            }
            let rival = if chosen == NONE {
                NONE
            } else {
                self.owner[chosen]
            };
            if rival != NONE {
                let [gets, has] = if old == NONE {
                    [self.odds.total_odds(i), self.odds.total_odds(rival)]
                } else {
                    [old, chosen].map(|a| self.odds.odds_of(rival, a))
                };
                if random.random::<f64>() * has >= gets {
                    continue;
                }
                self.partner[rival] = old;
            }
            if old != NONE {
                self.owner[old] = rival;
            }
            if chosen != NONE {
                self.owner[chosen] = i;
            }
            self.partner[i] = chosen;
        }
    }

    fn count(&mut self, targets: usize) {
        for &i in &self.free {
            if self.partner[i] != NONE {
                self.counts[i * targets + self.partner[i]] += 1;
            }
        }
        self.total += 1;
    }

    /// Counts from now on.
    fn forget(&mut self) {
        self.counts.fill(0);
        self.total = 0;
    }

    /// How often each pair occurred, as a share.
    fn lists(&self) -> Lists {
        let targets = self.owner.len();
        let total = f64::from(self.total.max(1));
        Lists::of_beliefs(self.partner.len(), targets, |i, a| {
            f64::from(self.counts[i * targets + a]) / total
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::Matrix;
    use crate::points::association::tests::brute;
    use crate::points::draws::normal;
    use crate::points::families::{Affine, Epipolar, Linear, Shape};

    /// Odds of three sources and three targets that compete.
    const ODDS: [[f64; 3]; 3] = [[2.0, 3.0, 0.0], [1.5, 0.4, 0.0], [0.0, 6.0, 0.8]];

    #[test]
    fn pairs_occur_as_often_as_they_are_probable() {
        let table = Matrix::from_vec(3, 2, vec![0.0, 0.0, 1.0, 0.0, 0.0, 1.0]);
        let scene = Scene::<2>::new([&table, &table], &[], std::iter::empty());
        let mut chain = Chain::new(&scene, &Lists::of_beliefs(3, 3, |_, _| 0.0));
        chain.odds = Lists::of_odds(&ODDS.map(|row| row.to_vec()));
        let mut random = ChaCha8Rng::seed_from_u64(1);
        for _ in 0..60_000 {
            chain.pass(&mut random);
            chain.count(3);
        }
        let (_, marginals) = brute(&ODDS.map(|row| row.to_vec()));
        let lists = chain.lists();
        for (i, row) in marginals.iter().enumerate() {
            for (a, wanted) in row.iter().enumerate() {
                let found = lists.row(i).find(|entry| entry.0 == a);
                let found = found.map_or(0.0, |entry| entry.1);
                assert!((found - wanted).abs() < 0.01, "{i} {a}: {found} {wanted}");
            }
        }
    }

    /// The spread of what is drawn is the uncertainty that the fit tells of.
    #[test]
    fn parameters_are_drawn_about_the_fit() {
        const DRAWS: usize = 4000;
        let mut random = ChaCha8Rng::seed_from_u64(5);
        let source: Vec<[f64; 2]> = (0..40)
            .map(|_| [normal(&mut random), normal(&mut random)])
            .collect();
        let partners: Vec<Partner<2>> = source
            .iter()
            .map(|[x, y]| {
                let along = 0.9 * x + 0.2 * y + 0.3 * normal(&mut random);
                Partner::at([along, 1.1 * y + 0.02 * normal(&mut random)])
            })
            .collect();
        let noise = [[0.1, 0.0], [0.0, 0.001]];
        let views = Linear::new(&source, Affine::identity(), noise, Shape::Long, None);
        let near = Epipolar::new(&source, Affine::identity(), &noise, None);
        let members: [Box<dyn Member<2>>; 2] = [Box::new(views), Box::new(near)];
        for mut member in members {
            for _ in 0..40 {
                member.refit(&source, &partners, 0.0);
            }
            let mut drawn = member.drawable().expect("parameters to draw");
            let (mut sum, mut squares, mut noise) = ([0.0; 2], [0.0; 2], 0.0);
            for _ in 0..DRAWS {
                drawn.draw(&source, &partners, &mut random);
                let there = drawn.predict_fitted(3, &source[3]);
                for k in 0..2 {
                    sum[k] += there.mean[k] / DRAWS as f64;
                    squares[k] += there.mean[k].powi(2) / DRAWS as f64;
                }
                noise += there.covariance[0][0] / DRAWS as f64;
            }
            let [all, rest] = [
                member.predict(3, &source[3]),
                member.predict_fitted(3, &source[3]),
            ];
            assert!((noise / rest.covariance[0][0] - 1.0).abs() < 0.2, "{noise}");
            for k in 0..2 {
                let wanted = all.covariance[k][k] - rest.covariance[k][k];
                let found = squares[k] - sum[k] * sum[k];
                let off = (sum[k] - rest.mean[k]).abs();
                assert!(off < 0.2 * wanted.sqrt(), "{k}: {off} {wanted}");
                assert!((found / wanted - 1.0).abs() < 0.4, "{k}: {found} {wanted}");
            }
        }
    }
}
