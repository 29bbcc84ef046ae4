//! Stage *marginals*: how sure each pair is, by samples of the posterior from the matching found and from
//! the other modes that the search met.

use super::belief;
use super::counted::{self, Tabled};
use super::evidence::{Evidence, Model};
use super::found::Found;
use super::program::{Terms, is_listed, problem};
use super::scale_curve::scale_curve;
use super::thresholds::{
    BEYOND_CHANCE, DEPTH_OF_MODES, DRAWN_AGAIN, LARGE, LARGEST_WHOLE_CHAIN, NEARLY_ALL,
    SAMPLE_FITS, SURE_ENOUGH,
};
use crate::affinity::likelihood::Agreement;
use crate::assignment::{self, Assignment};
use crate::error::Result;
use crate::linalg::Matrix;
use crate::matching::Samples;
use crate::monitor::Monitor;
use crate::problem::{Coverage, Problem};
use crate::solver::{Anneal, Sampler, Solver, Start, TwoOpt};

/// What a pair of the likeliest matching is worth beyond its probability.
const TIE: f64 = 1e-6;

/// Posterior marginals of the free pairs, and the samples that they come from.
pub(super) struct Marginals {
    pub(super) values: Matrix,
    pub(super) samples: Samples,
    /// Of the matchings as good as the one found, the one with the most right pairs to be expected.
    pub(super) decoded: Option<Assignment>,
    /// The power of the edges' evidence that was believed.
    pub(super) belief: f64,
}

/// What sampling needs beside the matching found.
pub(super) struct Sampling<'a> {
    pub(super) evidence: &'a Evidence<'a>,
    pub(super) seed: u64,
    /// Whether a rough answer does.
    pub(super) is_short: bool,
    /// Whether other chains say how sure pairs are, and these say no more than who is in doubt.
    pub(super) is_asked_elsewhere: bool,
    pub(super) monitor: &'a Monitor,
}

impl Sampling<'_> {
    /// What chains around the matching say of it.
    pub(super) fn marginals(&self, found: &Found) -> Result<Marginals> {
        if let Some(marginals) = &found.marginals {
            return Ok(Marginals {
                values: marginals.clone(),
                samples: Samples::default(),
                decoded: None,
                belief: 1.0,
            });
        }
        if self.monitor.interrupted().is_some() || found.status.was_interrupted() {
            return Ok(self.unsampled(found));
        }
        if counted::suits(self.evidence, found) {
            return self.tabled(found);
        }
        if let Some(confidence) = self.annealed(found)? {
            return Ok(confidence);
        }
        let large = self.evidence.nodes() >= LARGE;
        let modes = self.modes(found)?;
        let short = Sampler {
            sweeps: if large { 5 } else { 30 },
            burn_in: 0,
            chains: 1,
            ..Sampler::default()
        };
        let (mut confidence, mut agreement, elsewhere) =
            self.sample(found, &found.model, &short)?;
        // Where nothing moved at the scales of the best matching and there is no other, nothing is in
        // doubt.
        let settled = elsewhere == 0 && modes.is_empty();
        if settled || confidence.samples.partners.is_empty() {
            return Ok(confidence);
        }
        let single = Sampler {
            sweeps: if modes.is_empty() { 100 } else { 400 },
            burn_in: 5,
            chains: 1,
            modes: modes.clone(),
            ..Sampler::default()
        };
        if large || found.evidence > BEYOND_CHANCE {
            // Some nodes waver, the rest does not: one chain sees all of it.
            (confidence, _, _) = self.sample(found, &found.model, &single)?;
            let mean = mean_of_pairs(found, &confidence.values);
            if self.is_asked_elsewhere && mean < SURE_ENOUGH {
                return Ok(confidence);
            }
            if !found.is_confirmed {
                self.share_with_others(found, &single, &mut confidence)?;
            }
            if found.coverage == Coverage::Full && is_listed(self.evidence, &found.model) {
                confidence.decoded = Some(decoded(&confidence.values, found)?);
                self.draw_again(found, single, mean, &mut confidence)?;
            }
            return Ok(confidence);
        }
        let problem = self.problem_of_samples(found, &found.model)?;
        if let Some(curve) = scale_curve(self.evidence, found, &problem) {
            let sampler = Sampler {
                sweeps: if self.is_short { 150 } else { 600 },
                burn_in: if self.is_short { 30 } else { 60 },
                chains: if self.is_short { 4 } else { 8 },
                modes,
                curve: Some(curve),
                ..Sampler::default()
            };
            (confidence, _, _) = self.sample(found, &found.model, &sampler)?;
            return Ok(confidence);
        }
        let longer = Sampler {
            sweeps: 60,
            burn_in: 20,
            modes,
            ..Sampler::default()
        };
        // The scales of the best matching are a little too good; those of the samples are not.
        for round in 0..=SAMPLE_FITS {
            if self.monitor.interrupted().is_some() {
                break;
            }
            let model = self.evidence.fit_to(&agreement, &found.assignment);
            let sampler = if round < SAMPLE_FITS {
                longer.clone()
            } else {
                Sampler {
                    sweeps: 600,
                    burn_in: 60,
                    ..longer.clone()
                }
            };
            (confidence, agreement, _) = self.sample(found, &model, &sampler)?;
        }
        Ok(confidence)
    }

    /// How far the edges' evidence is to be believed: all of it where the mean confidence says that hardly a pair is in doubt,
    /// where it cannot be asked, and where the difference would not be seen.
    fn belief(&self, found: &Found, mean: f64) -> Result<f64> {
        if mean >= SURE_ENOUGH || !belief::can_be_asked(self.evidence, found) {
            return Ok(1.0);
        }
        let belief = belief::belief(self.evidence, found, self.seed, self.monitor)?;
        Ok(if belief < NEARLY_ALL { belief } else { 1.0 })
    }

    /// Marginals of other chains, as far as edges are to be believed, where the mean confidence of the first says that
    /// pairs are in doubt: those that a matching was chosen by are too good for what was chosen.
    fn draw_again(
        &self,
        found: &Found,
        mut sampler: Sampler,
        mean: f64,
        confidence: &mut Marginals,
    ) -> Result<()> {
        let belief = self.belief(found, mean)?;
        if belief == 1.0 && (mean >= DRAWN_AGAIN || !found.is_confirmed) {
            return Ok(());
        }
        let found = &Found {
            share: belief * found.share,
            ..found.clone()
        };
        if belief < 1.0 {
            sampler.modes = self.modes(found)?;
        }
        let again = Sampling {
            seed: self.seed.wrapping_add(1),
            ..*self
        };
        let (mut sampled, _, _) = again.sample(found, &found.model, &sampler)?;
        if !found.is_confirmed {
            again.share_with_others(found, &sampler, &mut sampled)?;
        }
        // Chains that were cut short know less than the first.
        if self.monitor.interrupted().is_none() {
            confidence.values = sampled.values;
            confidence.belief = belief;
        }
        Ok(())
    }

    /// What the tables of several views of counts say, and the matching with the most right pairs to be expected.
    fn tabled(&self, found: &Found) -> Result<Marginals> {
        let sampled = counted::sample(self.evidence, found, self.seed, self.monitor)?;
        let Some(Tabled { values, samples }) = sampled else {
            return Ok(self.unsampled(found));
        };
        Ok(Marginals {
            decoded: Some(decoded(&values, found)?),
            values,
            samples,
            belief: 1.0,
        })
    }

    /// Means over the chains around all matchings that independent searches found, where none of them was found twice: the
    /// evidence of one is far above that of the next, and the next search would find one above all of them.
    fn share_with_others(
        &self,
        found: &Found,
        sampler: &Sampler,
        confidence: &mut Marginals,
    ) -> Result<()> {
        let alone = Sampler {
            modes: Vec::new(),
            ..sampler.clone()
        };
        // A search that ended where chance ends is no rival to one that did not.
        let is_rival = |other: &&Assignment| {
            let model = self.evidence.fit(other);
            let share = self.evidence.independent_share(&model, other);
            let evidence = self.evidence.posterior(&model, other, share);
            evidence > BEYOND_CHANCE || found.evidence <= BEYOND_CHANCE
        };
        let rivals: Vec<&Assignment> = found.others.iter().filter(is_rival).collect();
        let values = confidence.values.as_mut_slice();
        // The likeliest counts as much as all others together, among which are short searches.
        let share = 0.5 / rivals.len().max(1) as f64;
        if !rivals.is_empty() {
            values.iter_mut().for_each(|p| *p *= 0.5);
        }
        for other in rivals {
            let other = Found {
                assignment: other.clone(),
                ..found.clone()
            };
            let (sampled, _, _) = self.sample(&other, &found.model, &alone)?;
            let each = values.iter_mut().zip(sampled.values.as_slice());
            each.for_each(|(sum, p)| *sum += share * p);
        }
        Ok(())
    }

    /// The local optima near those that the search met which are nearly as likely as the one found.
    fn modes(&self, found: &Found) -> Result<Vec<Assignment>> {
        let others = found.others.iter().filter(|o| **o != found.assignment);
        let others: Vec<_> = others.collect();
        if others.is_empty() {
            return Ok(Vec::new());
        }
        let problem = self.problem_of_samples(found, &found.model)?;
        let least = problem.objective(&found.assignment) - DEPTH_OF_MODES;
        let mut modes = Vec::new();
        for other in others {
            if self.monitor.interrupted().is_some() {
                break;
            }
            // A descent gains some nats, not hundreds.
            if problem.objective(other) < least - 3.0 * DEPTH_OF_MODES {
                continue;
            }
            let start = Start::seeded(self.seed).with_assignment(other);
            let mode = TwoOpt::default().solve(&problem, &start, self.monitor)?;
            let fresh = mode.assignment != found.assignment && !modes.contains(&mode.assignment);
            if mode.objective >= least && fresh {
                modes.push(mode.assignment);
            }
        }
        Ok(modes)
    }

    /// Where there is no time to sample: how the evidence for each pair compares with all other
    /// partners that the node could have, none of which is looked at.
    fn unsampled(&self, found: &Found) -> Marginals {
        let (n, m) = self.evidence.shape();
        let mut marginals = Matrix::zeros(n, m);
        let support = self.evidence.support(&found.model, &found.assignment);
        for (i, a) in found.assignment.pairs() {
            let odds = found.believed_share() * support[i] - (m.max(2) as f64).ln();
            marginals[(i, a)] = 1.0 / (1.0 + (-odds).exp());
        }
        Marginals {
            values: marginals,
            samples: Samples::default(),
            decoded: None,
            belief: 1.0,
        }
    }

    /// As [`marginals`](Self::marginals) for large sparse graphs, whose chains propose exchanges
    /// along edges; `None` for others.
    fn annealed(&self, found: &Found) -> Result<Option<Marginals>> {
        let evidence = self.evidence;
        let worth = found.model.pairs.conserved_edge();
        let suits = evidence.nodes() > LARGEST_WHOLE_CHAIN && found.coverage == Coverage::Full;
        if !(suits && worth > 0.0 && is_listed(evidence, &found.model)) {
            return Ok(None);
        }
        let problem = problem(evidence, &found.model, Terms::FULL, self.monitor)?;
        let chains = Anneal {
            rounds: 0,
            samples: 400,
            sampling: 1.0 / (worth * found.share),
            ..Anneal::default()
        };
        let around = |assignment: &Assignment| {
            let start = Start::seeded(self.seed).with_assignment(assignment);
            chains.solve(&problem, &start, self.monitor)
        };
        let sampled = around(&found.assignment)?;
        let Some(occupancy) = sampled.soft else {
            return Ok(None);
        };
        let mut values = occupancy.into_full(self.monitor)?;
        let mut decoded = sampled.assignment;
        if !found.is_confirmed && !found.others.is_empty() {
            for other in &found.others {
                if let Some(occupancy) = around(other)?.soft {
                    let occupancy = occupancy.into_full(self.monitor)?;
                    let each = values.as_mut_slice().iter_mut();
                    each.zip(occupancy.as_slice())
                        .for_each(|(sum, p)| *sum += p);
                }
            }
            let share = 1.0 / (found.others.len() + 1) as f64;
            values.as_mut_slice().iter_mut().for_each(|p| *p *= share);
            decoded = self::decoded(&values, found)?;
        }
        Ok(Some(Marginals {
            values,
            samples: Samples::default(),
            decoded: Some(decoded),
            belief: 1.0,
        }))
    }

    /// The program whose objective is the logarithm of the posterior under a model.
    fn problem_of_samples(&self, found: &Found, model: &Model) -> Result<Problem> {
        let terms = Terms {
            coverage: found.coverage,
            matched: found.assignment.matched(),
            share: found.believed_share(),
        };
        problem(self.evidence, model, terms, self.monitor)
    }

    /// Samples under a model, the mean agreement of their matchings, and how many differ from the one
    /// found.
    fn sample(
        &self,
        found: &Found,
        model: &Model,
        sampler: &Sampler,
    ) -> Result<(Marginals, Agreement, usize)> {
        let evidence = self.evidence;
        let free = evidence.free;
        let problem = self.problem_of_samples(found, model)?;
        let mut samples = Samples {
            nodes: free.source.clone(),
            partners: Vec::new(),
        };
        let mut agreement = Agreement::default();
        let (seed, first) = (self.seed, &found.assignment);
        let sampled = sampler.sample(&problem, first, seed, self.monitor, |p| {
            let partner = |a: Option<usize>| a.map(|a| free.target[a]);
            samples.partners.push(p.iter().map(partner).collect());
            agreement.merge(&evidence.agreement(p));
        })?;
        let confidence = Marginals {
            values: sampled.marginals,
            samples,
            decoded: None,
            belief: 1.0,
        };
        let share = 1.0 / sampled.counted.max(1) as f64;
        Ok((confidence, agreement.scaled(share), sampled.elsewhere))
    }
}

/// The mean confidence of the pairs found.
pub(super) fn mean_of_pairs(found: &Found, values: &Matrix) -> f64 {
    let sum: f64 = found.assignment.pairs().map(|pair| values[pair]).sum();
    sum / found.assignment.matched().max(1) as f64
}

/// Of so many matchings that are nearly as likely, the one with the most right pairs to be expected; of these, the
/// nearest to the likeliest.
pub(super) fn decoded(values: &Matrix, found: &Found) -> Result<Assignment> {
    let mut worth = values.clone();
    for (i, a) in found.assignment.pairs() {
        worth[(i, a)] += TIE;
    }
    Ok(assignment::maximise(&worth)?.columns)
}

#[cfg(test)]
mod tests {
    use super::super::fixture::Planted;
    use super::*;
    use crate::matcher::Log;

    fn sums(values: &Matrix) -> Vec<f64> {
        let rows = (0..values.rows()).map(|i| values.row(i).iter().sum());
        let columns = (0..values.cols()).map(|a| (0..values.rows()).map(|i| values[(i, a)]).sum());
        rows.chain(columns).collect()
    }

    #[test]
    fn marginals_are_those_of_matchings() {
        let planted = Planted::new(10, 1);
        planted.with_search(|_, search| {
            let found = search.most_likely(None, &mut Log::default()).unwrap();
            let sampling = |monitor| Sampling {
                evidence: search.evidence,
                seed: 3,
                is_short: false,
                is_asked_elsewhere: false,
                monitor,
            };
            let sampled = sampling(search.monitor).marginals(&found).unwrap();
            assert!(sums(&sampled.values).iter().all(|s| *s < 1.0 + 1e-9));
            assert!(!sampled.samples.partners.is_empty());
            // Without time, each pair is judged by its own evidence.
            let stopped = Monitor::silent();
            stopped.cancel_token().cancel();
            let guessed = sampling(&stopped).marginals(&found).unwrap();
            assert!(guessed.samples.partners.is_empty());
            assert_eq!(found.assignment.matched(), 9);
            for (i, a) in found.assignment.pairs() {
                assert!(sampled.values[(i, a)] > 0.9 && guessed.values[(i, a)] > 0.5);
            }
        });
    }
}
