//! Annealing that is believed when it was confirmed.
//!
//! One annealing of a small sparse graph ends in one of many optima. A short one from the opening of its own and a short
//! one from what lists of candidates say are asked first: they go outwards from the hubs and from the anchors. Where both
//! are as likely, that is the answer. Where they are not, long ones follow, one afresh and one from the best so far in turn,
//! until one ends as likely as the best before it or [`LONG_ANNEALINGS`] were made; the likeliest counts, and the others are
//! modes that the posterior may have as well.
//!
//! Beyond [`LARGEST_WHOLE_CHAIN`] nodes lists are not asked, and all long ones begin afresh: an optimum that no second
//! annealing finds is one of many, and what they have in common is told by the stage *marginals*.

use super::Search;
use crate::assignment::Assignment;
use crate::error::Result;
use crate::matcher::best::Best;
use crate::matcher::best::found::Found;
use crate::matcher::best::program::Program;
use crate::matcher::best::regime::Regime;
use crate::matcher::best::thresholds::{AS_LIKELY, LONG_ANNEALINGS};

impl Search<'_> {
    /// The matching found by a short annealing, or a likelier one.
    pub(super) fn confirmed(&self, found: Found) -> Result<Found> {
        let first_seed = self.preset.seed.wrapping_add(match self.listed {
            Some(_) => 0,
            None => LONG_ANNEALINGS as u64 + 1,
        });
        let other = self.annealed(Regime::Annealing, first_seed, self.listed)?;
        let Some(other) = other else {
            return Ok(found);
        };
        let (mut best, mut agree) = self.merged(found, other);
        for k in 1..=LONG_ANNEALINGS as u64 {
            if agree {
                break;
            }
            let first = best.assignment.clone();
            // Every other one goes on from the best so far.
            let goes_on = self.listed.is_some() && k.is_multiple_of(2);
            let first = goes_on.then_some(&first);
            let seed = self.preset.seed.wrapping_add(k);
            let Some(next) = self.annealed(Regime::LongAnnealing, seed, first)? else {
                break;
            };
            (best, agree) = self.merged(best, next);
            // A long one that only confirms a short one is worth another look.
            agree &= k > 1;
        }
        best.is_confirmed = agree;
        Ok(best)
    }

    /// An annealing of its own; `None` when there is no time left.
    fn annealed(
        &self,
        regime: Regime,
        seed: u64,
        first: Option<&Assignment>,
    ) -> Result<Option<Found>> {
        if self.monitor.interrupted().is_some() {
            return Ok(None);
        }
        let preset = Best {
            seed,
            ..self.preset.clone()
        };
        let search = Search {
            preset: &preset,
            ..*self
        };
        let program = Program::first(self.evidence, self.monitor)?;
        search.full(program, regime, first).map(Some)
    }

    /// The likelier of two, which keeps the other as a mode, and whether they are as likely.
    fn merged(&self, one: Found, other: Found) -> (Found, bool) {
        let share = other.share.min(one.share);
        let value = |found: &Found| {
            let Found {
                model, assignment, ..
            } = found;
            self.evidence.posterior(model, assignment, share)
        };
        let gain = value(&other) - value(&one);
        let (mut best, rest) = if gain > 0.0 {
            (other, one)
        } else {
            (one, other)
        };
        best.iterations += rest.iterations;
        best.others.extend(rest.others);
        if !best.others.contains(&rest.assignment) {
            best.others.push(rest.assignment);
        }
        (best, gain.abs() <= AS_LIKELY)
    }
}
