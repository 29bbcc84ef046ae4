//! Are the anchors right?
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

use super::evidence::{Evidence, Model};
use super::search::{Found, Search};
use super::{Best, FreeNodes, Log};
use crate::anchors::{Anchor, Anchors};
use crate::assignment::Assignment;
use crate::error::Result;
use crate::graph::Graph;
use crate::matching::{AnchorCheck, Matching};
use crate::monitor::Monitor;
use crate::problem::{Coverage, Problem};
use crate::solver::{Condition, Conditional, Solver, Start, Tabu};

/// π: how far a person who gives an anchor is trusted.
const TRUST: f64 = 0.99;

/// Fits of the scales, each followed by a search under them, at most.
const FITS: usize = 4;

/// Iterations of such a search for each node.
const TABU: usize = 30;

/// An anchor that is wrong by so many nats is in no doubt.
const CLEAR: f64 = 10.0;

/// Beyond this many nodes a doubtful anchor is no reason for another search.
const LARGEST_SEARCH: usize = 1000;

/// Beyond this many nodes anchors are checked only where repairs are asked for: the check would take
/// as long as the match.
const LARGEST_UNASKED: usize = 200;

/// Numbers that the searches may touch: some ten milliseconds each.
const BUDGET: usize = 5_000_000;

/// Runs until no anchor is suspicious, at most.
const ROUNDS: usize = 8;

/// Beyond this many nats an anchor is decided, and its scales need no fit.
const DECIDED: f64 = 50.0;

impl Best {
    /// What the rest of the evidence says of every hard anchor.
    ///
    /// # Complexity
    /// A few products with W and searches of bounded length; O(n²) memory.
    pub(super) fn check_anchors(
        &self,
        [source, target]: [&Graph; 2],
        anchors: &Anchors,
        free: &FreeNodes,
        found: &Found,
        monitor: &Monitor,
    ) -> Result<Vec<AnchorCheck>> {
        let nodes = source.nodes().max(target.nodes());
        let unasked = nodes > LARGEST_UNASKED && !self.repair_anchors;
        // A matching that was cut short is no witness against anybody.
        let cut = || monitor.interrupted().or(monitor.stopped()).is_some();
        if anchors.hard().is_empty() || unasked || cut() {
            return Ok(Vec::new());
        }
        let softened = anchors.iter().map(|anchor| Anchor {
            weight: anchor.weight.min(TRUST),
            ..anchor
        });
        let softened = Anchors::new(source, target, softened)?;
        let all = FreeNodes {
            source: (0..source.nodes()).collect(),
            target: (0..target.nodes()).collect(),
        };
        let evidence = Evidence::new(self, source, target, &softened, &all, monitor)?;
        let check = Check {
            preset: self,
            evidence: &evidence,
            anchors: anchors.hard(),
            found,
            monitor,
        };
        let pairs = found.assignment.iter().enumerate();
        let pairs = pairs.filter_map(|(i, a)| a.map(|a| (free.source[i], free.target[a])));
        let told: Vec<_> = anchors.hard().iter().copied().chain(pairs).collect();
        let report = check.report(evidence.assignment(&told))?;
        Ok(if cut() { Vec::new() } else { report })
    }

    /// Runs, makes suspicious anchors soft, and runs again, until none is left.
    pub(super) fn run_repaired(
        &self,
        source: &Graph,
        target: &Graph,
        anchors: &Anchors,
        first: Option<&[(usize, usize)]>,
        monitor: &Monitor,
    ) -> Result<Matching> {
        let mut demoted: Vec<AnchorCheck> = Vec::new();
        for round in 1.. {
            let kept = anchors.iter().map(|anchor| Anchor {
                weight: if demoted.iter().any(|check| names(check, &anchor)) {
                    TRUST
                } else {
                    anchor.weight
                },
                ..anchor
            });
            let kept = Anchors::new(source, target, kept)?;
            let mut matching = self.run_once(source, target, &kept, first, monitor)?;
            let suspicious = matching.anchor_report.iter().copied();
            let suspicious: Vec<_> = suspicious.filter(AnchorCheck::is_suspicious).collect();
            if suspicious.is_empty() || round == ROUNDS || monitor.interrupted().is_some() {
                matching.report_demoted(anchors, &demoted, [source, target]);
                return Ok(matching);
            }
            demoted.extend(suspicious.into_iter().map(|check| AnchorCheck {
                demoted: true,
                ..check
            }));
        }
        unreachable!("the last round returns")
    }
}

fn names(check: &AnchorCheck, anchor: &Anchor) -> bool {
    anchor.weight == 1.0 && (check.source, check.target) == (anchor.source, anchor.target)
}

impl Matching {
    /// Says which anchors disagree with the rest.
    pub(super) fn note_suspicious(&mut self, graphs: [&Graph; 2]) {
        let suspicious = self.anchor_report.iter().filter(|c| c.is_suspicious());
        let notes: Vec<String> = suspicious
            .map(|check| {
                format!(
                    "{}; --repair-anchors would demote it",
                    disagreement(check, graphs)
                )
            })
            .collect();
        self.notes.extend(notes);
    }

    /// Puts the demoted anchors back into the report, in the order in which they were given.
    fn report_demoted(&mut self, anchors: &Anchors, demoted: &[AnchorCheck], graphs: [&Graph; 2]) {
        for check in demoted {
            let back = self.mapping().get(&check.source) == Some(&check.target);
            let end = if back {
                "it became a hint, and the pair came back"
            } else {
                "it became a hint"
            };
            self.notes
                .push(format!("{}; {end}", disagreement(check, graphs)));
        }
        self.anchor_report.extend_from_slice(demoted);
        let place = |check: &AnchorCheck| {
            let pair = (check.source, check.target);
            anchors.hard().iter().position(|&anchor| anchor == pair)
        };
        self.anchor_report.sort_by_key(place);
    }
}

fn disagreement(check: &AnchorCheck, [source, target]: [&Graph; 2]) -> String {
    let wanted = match check.preferred {
        Some(partner) if partner != check.target => {
            format!(", which prefers `{}`", target.labels().get(partner))
        }
        Some(_) => String::new(),
        None => ", which leaves it alone".to_owned(),
    };
    format!(
        "anchor `{}` → `{}` disagrees with the rest of the evidence{wanted} (suspicion {:.2})",
        source.labels().get(check.source),
        target.labels().get(check.target),
        check.suspicion,
    )
}

/// The evidence over all nodes, anchors softened, and what is known of a good matching.
struct Check<'a> {
    preset: &'a Best,
    evidence: &'a Evidence<'a>,
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
        let told: f64 = kept.map(|&(p, q)| self.evidence.soft_at(p, q)).sum();
        n.max(m) <= LARGEST_SEARCH
            && (checks.iter().any(doubtful)
                || self.value(&best.assignment, best.share) - told < CLEAR)
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
        let mut search = Conditional::new(&problem, &best.assignment, BUDGET, self.monitor)?;
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
                    let told = self.evidence.soft_at(p, q);
                    if j != p
                        && let Some(gain) = search.exchange(p, j)
                        && -gain - told < loss
                        && best.assignment.partner(j) == Some(b)
                    {
                        loss = -gain - told;
                        elsewhere = Some(b);
                    }
                }
            }
            let score = if moved { loss } else { -loss };
            // What being told adds is no part of the rest's opinion.
            let untold = score + self.evidence.soft_at(p, q) > 0.0;
            checks.push(AnchorCheck {
                source: p,
                target: q,
                score,
                suspicion: 1.0 / (1.0 + (-score).exp()),
                preferred: if untold { elsewhere } else { Some(q) },
                demoted: false,
            });
        }
        Ok(checks)
    }

    /// What a search finds that knows nothing of the one before.
    fn fresh(&self) -> Result<Fitted> {
        let mut preset = self.preset.clone();
        preset.ingredients.outliers = self.found.coverage == Coverage::Partial;
        let search = Search::new(&preset, self.evidence, self.monitor);
        let found = search.run(None, &mut Log::default())?;
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
        let matched = at.assignment.matched();
        self.evidence.problem(
            &at.model,
            self.found.coverage,
            matched,
            at.share,
            self.monitor,
        )
    }

    /// Searches from the matching that keeps all anchors, each time under the scales of the last.
    fn improved(&self, kept: &Fitted) -> Result<Fitted> {
        let (n, m) = self.evidence.shape();
        let iterations = (TABU * n.max(m)).min(BUDGET / (n * m).max(1)).max(1);
        let tabu = Tabu {
            iterations: Some(iterations),
            ..Tabu::default()
        };
        let mut best = self.fitted(kept.assignment.clone());
        for round in 1..=FITS {
            let problem = self.problem(&best)?;
            let start = Start {
                seed: self.preset.seed,
                soft: None,
                assignment: Some(&best.assignment),
            };
            let solution = tabu.solve(&problem, &start, self.monitor)?;
            let same = solution.assignment == best.assignment;
            if !same {
                best = self.fitted(solution.assignment);
            }
            if round == FITS || same && !self.swap_anchors(&problem, &mut best)? {
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
                let told = self.evidence.soft_at(p, q);
                // Under scales that suit them, exchanges look better by a few nats.
                let likely = |gain: f64| gain > -told - CLEAR;
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
