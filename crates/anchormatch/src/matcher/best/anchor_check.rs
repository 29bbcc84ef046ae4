//! Stage *anchor check*: are the anchors right?
//!
//! Being told a pair is evidence, and evidence can be outweighed. Let an anchor be right with
//! probability π, and when it is not, any of the m − 1 other partners be as likely: that is a soft
//! anchor of weight π, worth ln(π/(1 − π)·(m − 1)) nats. With all hard anchors softened so, the
//! matching found is the start of a search over all nodes. It moves wrong anchors, swapped ones too,
//! away from their pairs. Where some anchor stays in doubt, the matching itself may be spoilt by it,
//! and a search of its own follows. Around the best matching each anchor's log odds are
//!
//! > score = max{E(x) : x without the pair} − max{E(x) : x with it},
//!
//! E the logarithm of the posterior, each x under the scales that suit it best. Two anchors that got
//! each other's partners are one mistake, not two.

use super::Best;
use super::evidence::{Evidence, Model};
use super::found::Found;
use super::observations::observe;
use super::program::{Terms, problem};
use super::search::Search;
use super::thresholds::{
    ANCHOR_BUDGET, ANCHOR_FITS, ANCHOR_TABU, CLEAR, DECIDED, LARGEST_SECOND_SEARCH,
    LARGEST_UNASKED_CHECK, TRUST,
};
use crate::anchors::{Anchor, Anchors};
use crate::assignment::Assignment;
use crate::error::{Error, Result};
use crate::matcher::{FreeNodes, Log};
use crate::matching::AnchorCheck;
use crate::monitor::Monitor;
use crate::problem::{Coverage, Problem};
use crate::solver::{Condition, Conditional, Solver, Start, Tabu};
use crate::task::Task;

/// What the rest of the evidence says of every hard anchor of a task.
///
/// # Complexity
/// A few products with W and searches of bounded length; O(n²) memory.
pub(super) fn check_anchors(
    preset: &Best,
    task: &Task<'_>,
    free: &FreeNodes,
    found: &Found,
    monitor: &Monitor,
) -> Result<Vec<AnchorCheck>> {
    let anchors = task.anchors();
    let unasked = task.nodes() > LARGEST_UNASKED_CHECK && !preset.repair_anchors;
    // A matching that was cut short is no witness against anybody.
    let cut = || monitor.interrupted().or(monitor.stopped()).is_some();
    if anchors.hard().is_empty() || unasked || cut() {
        return Ok(Vec::new());
    }
    let softened = anchors.iter().map(|anchor| Anchor {
        weight: anchor.weight.min(TRUST),
        ..anchor
    });
    let [source, target] = task.graphs();
    let softened = Anchors::new(source, target, softened)?.with_alone_of(anchors);
    let softened = task.with_anchors(softened)?;
    let all = FreeNodes::of(&softened);
    let observed = match observe(&softened, &preset.ingredients, monitor) {
        // The matching stands without a check.
        Err(Error::Stopped(_)) => return Ok(Vec::new()),
        observed => observed?,
    };
    let evidence = Evidence::new(observed, &softened, &all, preset.ingredients.folded_anchors);
    // Nodes without a partner have no place among the others.
    let place = |nodes: &[usize], node: usize| nodes.binary_search(&node).ok();
    let places = anchors.hard().iter();
    let places =
        places.filter_map(|&(p, q)| Some((place(&all.source, p)?, place(&all.target, q)?)));
    let places: Vec<_> = places.collect();
    let check = Check {
        preset,
        evidence: &evidence,
        anchors: &places,
        found,
        monitor,
    };
    let pairs = found.assignment.pairs();
    let pairs = pairs.map(|(i, a)| (free.source[i], free.target[a]));
    let kept: Vec<_> = anchors.hard().iter().copied().chain(pairs).collect();
    let report = check.report(evidence.assignment(&kept))?;
    if cut() {
        return Ok(Vec::new());
    }
    let of_nodes = |check: AnchorCheck| AnchorCheck {
        source: all.source[check.source],
        target: all.target[check.target],
        preferred: check.preferred.map(|a| all.target[a]),
        ..check
    };
    Ok(report.into_iter().map(of_nodes).collect())
}

/// The evidence over all nodes, anchors softened, and what is known of a good matching.
struct Check<'a> {
    preset: &'a Best,
    evidence: &'a Evidence<'a>,
    /// By their places among the free nodes.
    anchors: &'a [(usize, usize)],
    found: &'a Found,
    monitor: &'a Monitor,
}

/// A matching of all nodes with the model that suits it best.
struct Fitted {
    assignment: Assignment,
    model: Model,
    share: f64,
}

impl Check<'_> {
    fn report(&self, first: Assignment) -> Result<Vec<AnchorCheck>> {
        let kept = self.fitted(first);
        let mut best = self.improved(&kept)?;
        let mut checks = self.judge(&kept, &best)?;
        if self.is_doubtful(&best, &checks) && self.monitor.interrupted().is_none() {
            let fresh = self.fresh()?;
            let share = fresh.share.min(best.share);
            if self.value(&fresh.assignment, share) > self.value(&best.assignment, share) {
                best = self.improved(&fresh)?;
                checks = self.judge(&kept, &best)?;
            }
        }
        Ok(checks)
    }

    /// Whether wrong anchors may have led the search astray: one is neither right nor clearly wrong,
    /// or the matching is hardly better than chance but for the anchors' own word.
    fn is_doubtful(&self, best: &Fitted, checks: &[AnchorCheck]) -> bool {
        let (n, m) = self.evidence.shape();
        let doubtful =
            |check: &AnchorCheck| check.preferred != Some(check.target) && check.score < CLEAR;
        let kept = self
            .anchors
            .iter()
            .filter(|&&(p, q)| best.assignment.partner(p) == Some(q));
        let prior: f64 = kept.map(|&(p, q)| self.evidence.soft_at(p, q)).sum();
        n.max(m) <= LARGEST_SECOND_SEARCH
            && (checks.iter().any(doubtful)
                || self.value(&best.assignment, best.share) - prior < CLEAR)
    }

    /// E of a matching under its own scales, a `share` of what edges tell.
    fn value(&self, assignment: &Assignment, share: f64) -> f64 {
        let model = self.evidence.fit(assignment);
        let swaps = self.anchors.iter().enumerate().map(|(k, &(p, q))| {
            let others = self.anchors[..k].iter();
            let swapped = others.filter(|other| {
                assignment.partner(p) == Some(other.1) && assignment.partner(other.0) == Some(q)
            });
            swapped.count() as f64 * self.evidence.soft_at(p, q)
        });
        self.evidence.posterior(&model, assignment, share) + swaps.sum::<f64>()
    }

    /// The anchors' log odds around the best matching; `kept` has all of them.
    fn judge(&self, kept: &Fitted, best: &Fitted) -> Result<Vec<AnchorCheck>> {
        let at_best = self.value(&best.assignment, best.share);
        let at_kept = self.value(&kept.assignment, best.share);
        let problem = self.problem(best)?;
        let mut search = Conditional::new(&problem, &best.assignment, ANCHOR_BUDGET, self.monitor)?;
        let mut checks = Vec::with_capacity(self.anchors.len());
        for &(p, q) in self.anchors {
            let moved = best.assignment.partner(p) != Some(q);
            let condition = if moved {
                Condition::Together(p, q)
            } else {
                Condition::Apart(p, q)
            };
            // How much worse the other side is.
            let other = search.best(condition);
            let mut loss = match &other {
                Some((_, gain)) if -gain > DECIDED => -gain,
                Some((assignment, _)) => at_best - self.value(assignment, best.share),
                None => f64::INFINITY,
            };
            let mut elsewhere = other.and_then(|(assignment, _)| assignment.partner(p));
            if moved {
                loss = loss.min(at_best - at_kept);
                elsewhere = best.assignment.partner(p);
            } else {
                for &(j, b) in self.anchors {
                    let prior = self.evidence.soft_at(p, q);
                    if j != p
                        && let Some(gain) = search.exchange(p, j)
                        && -gain - prior < loss
                        && best.assignment.partner(j) == Some(b)
                    {
                        loss = -gain - prior;
                        elsewhere = Some(b);
                    }
                }
            }
            let score = if moved { loss } else { -loss };
            // What being told adds is no part of the rest's opinion.
            let alone = score + self.evidence.soft_at(p, q) > 0.0;
            checks.push(AnchorCheck {
                source: p,
                target: q,
                score,
                suspicion: 1.0 / (1.0 + (-score).exp()),
                preferred: if alone { elsewhere } else { Some(q) },
                demoted: false,
            });
        }
        Ok(checks)
    }

    /// What a search finds that knows nothing of the one before.
    fn fresh(&self) -> Result<Fitted> {
        let mut preset = self.preset.clone();
        preset.ingredients.outliers = self.found.coverage == Coverage::Partial;
        let search = Search {
            preset: &preset,
            evidence: self.evidence,
            monitor: self.monitor,
            copy: None,
            listed: None,
            gives_up: None,
        };
        let found = search.most_likely(None, &mut Log::default())?;
        Ok(self.fitted(found.assignment))
    }

    fn fitted(&self, assignment: Assignment) -> Fitted {
        let model = self.evidence.fit(&assignment);
        Fitted {
            share: self.evidence.independent_share(&model, &assignment),
            assignment,
            model,
        }
    }

    fn problem(&self, at: &Fitted) -> Result<Problem> {
        let terms = Terms {
            coverage: self.found.coverage,
            matched: at.assignment.matched(),
            share: at.share,
        };
        problem(self.evidence, &at.model, terms, self.monitor)
    }

    /// Searches from the matching that keeps all anchors, each time under the scales of the last.
    fn improved(&self, kept: &Fitted) -> Result<Fitted> {
        let (n, m) = self.evidence.shape();
        let iterations = (ANCHOR_TABU * n.max(m))
            .min(ANCHOR_BUDGET / (n * m).max(1))
            .max(1);
        let tabu = Tabu {
            iterations: Some(iterations),
            ..Tabu::default()
        };
        let mut best = self.fitted(kept.assignment.clone());
        for round in 1..=ANCHOR_FITS {
            let problem = self.problem(&best)?;
            let start = Start::seeded(self.preset.seed).with_assignment(&best.assignment);
            let solution = tabu.solve(&problem, &start, self.monitor)?;
            let same = solution.assignment == best.assignment;
            if !same {
                best = self.fitted(solution.assignment);
            }
            if round == ANCHOR_FITS || same && !self.swap_anchors(&problem, &mut best)? {
                break;
            }
        }
        Ok(best)
    }

    /// Exchanges the partners of two anchors where that, as one mistake, is likely; whether it did.
    fn swap_anchors(&self, problem: &Problem, best: &mut Fitted) -> Result<bool> {
        let search = Conditional::new(problem, &best.assignment, 0, self.monitor)?;
        let mut swapped = false;
        for (k, &(p, q)) in self.anchors.iter().enumerate() {
            for &(j, b) in &self.anchors[..k] {
                let at_place =
                    best.assignment.partner(p) == Some(q) && best.assignment.partner(j) == Some(b);
                let prior = self.evidence.soft_at(p, q);
                // Under scales that suit them, exchanges look better by a few nats.
                let likely = |gain: f64| gain > -prior - CLEAR;
                if !at_place || !search.exchange(p, j).is_some_and(likely) {
                    continue;
                }
                let mut other = best.assignment.clone();
                other.swap(p, j);
                let gain =
                    self.value(&other, best.share) - self.value(&best.assignment, best.share);
                if gain > 0.0 {
                    *best = self.fitted(other);
                    swapped = true;
                }
            }
        }
        Ok(swapped)
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::Planted;
    use super::*;

    /// What the check says of the anchors after a search that keeps them.
    fn checks(planted: &Planted) -> Vec<AnchorCheck> {
        let mut checks = Vec::new();
        planted.with_search(|task, search| {
            let found = search.most_likely(None, &mut Log::default()).unwrap();
            let (preset, free) = (search.preset, search.evidence.free);
            checks = check_anchors(preset, task, free, &found, search.monitor).unwrap();
        });
        checks
    }

    #[test]
    fn nodes_without_a_partner_do_not_shift_the_others() {
        let planted = Planted::new(14, 3);
        let plain = checks(&planted);
        // The last free node of the truth, before and after the anchors in the order of nodes.
        let [(s, t), (u, v)] = [planted.truth[13], planted.truth[4]];
        let graphs = [&planted.source, &planted.target];
        let anchors = planted.anchors.clone();
        let anchors = anchors.with_alone(graphs, [s, u], [t, v]).unwrap();
        let alone = checks(&Planted { anchors, ..planted });
        let nodes = |checks: &[AnchorCheck]| -> Vec<_> {
            let of = |check: &AnchorCheck| (check.source, check.target, check.preferred);
            checks.iter().map(of).collect()
        };
        assert_eq!(nodes(&alone), nodes(&plain));
        assert!(alone.iter().all(|check| !check.is_suspicious()));
    }

    #[test]
    fn right_anchors_are_trusted_and_wrong_ones_are_not() {
        let planted = Planted::new(14, 3);
        let right = checks(&planted);
        assert_eq!(right.len(), 3);
        assert!(
            right.iter().all(|check| !check.is_suspicious()),
            "{right:?}"
        );
        let (truth, [source, target]) = (&planted.truth, [&planted.source, &planted.target]);
        let pairs = [truth[0], truth[1], (truth[2].0, truth[9].1)];
        let anchors = Anchors::from_indices(source, target, &pairs).unwrap();
        let wrong = checks(&Planted {
            anchors,
            ..Planted::new(14, 0)
        });
        let suspicious: Vec<bool> = wrong.iter().map(AnchorCheck::is_suspicious).collect();
        assert_eq!(suspicious, [false, false, true], "{wrong:?}");
        assert_eq!(wrong[2].preferred, Some(truth[2].1));
    }
}
