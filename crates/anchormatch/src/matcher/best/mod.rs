//! Presets `best` and `fast`: the most likely matching, and how sure it is.
//!
//! A chain of stages, one way; each hands plain data to the next and has a file of its own:
//!
//! | stage | file | what it hands on |
//! |---|---|---|
//! | symmetry | `symmetry` | the nodes that nothing tells apart, and whether the graphs are copies of each other |
//! | observations | `observations` | the presence and weight of every pair of nodes; lengths by their square roots, counts by their logarithms, other heavy tails by their ranks |
//! | evidence | `evidence` | what speaks for a matching, in nats: edges under a [`PairModel`](crate::affinity::likelihood::PairModel), soft anchors, similarities, the prior |
//! | program | `program` | the integer quadratic program of that evidence, anchors folded exactly into its first-order term |
//! | regime | `regime` | which way the search goes, by size, density and effort |
//! | search | `search` | the most likely full matching: search, fit the scales to it, search again, until it stays |
//! | outliers | `search::outliers` | the same, or a partial matching whose posterior is better |
//! | marginals | `marginals`, `belief`, `counted` | posterior marginals from Metropolis chains around the matching, as far as edges are to be believed; of several views of counts, what these chains decode |
//! | chance | `chance`, `closure`, `decoys`, `hidden` | whether unrelated graphs would be matched as well |
//! | anchor check | `anchor_check` | what the rest of the evidence says of each anchor |
//! | matching | `completion` | everything put together, the smaller side filled up unless nodes may stay alone |
//!
//! With [`Best::repair_anchors`] the chain is run again with suspicious anchors demoted (`repair`). All
//! numbers that choose a path stand in `thresholds`.

mod anchor_check;
mod belief;
mod chance;
mod closure;
mod completion;
mod counted;
mod deal;
mod decoys;
mod evidence;
mod exchanges;
#[cfg(test)]
mod fixture;
mod found;
mod hidden;
mod marginals;
mod observations;
mod options;
mod points;
mod program;
mod regime;
mod repair;
mod scale_curve;
mod search;
pub(super) mod sparse;
mod symmetry;
mod thresholds;

use std::collections::HashMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use self::anchor_check::check_anchors;
use self::chance::Chance;
use self::closure::Closure;
use self::completion::complete;
use self::evidence::{Evidence, Model};
use self::found::Found;
use self::marginals::Sampling;
use self::observations::observe;
#[cfg_attr(
    not(feature = "laboratory"),
    expect(unreachable_pub, reason = "for experiments alone")
)]
pub use self::options::Ingredients;
pub use self::options::{Effort, RegimeChoice};
use self::search::Search;
use self::thresholds::{
    CHAINS_FOUND, CHANCE_TIERS, CLOSURE_TELLS, LEAST_DECOYED, LISTS_ARE_SURE, SEARCH_SHARE,
    UNEQUAL_FOUND,
};
use super::{FreeNodes, Log, Matcher, assemble, by_name};
use crate::assignment::Assignment;
use crate::error::{Error, Hint, Result};
use crate::linalg::Matrix;
use crate::matching::{Alternatives, Matching, Measure, Trust};
use crate::monitor::Monitor;
use crate::points::PointsModel;
use crate::settings::{self, Settings};
use crate::solver::{Solution, Solver, Status};
use crate::symmetry::Symmetry;
use crate::task::{Fact, Task};

/// The likelihood matcher and its parameters.
///
/// ```
/// use anchormatch::matcher::{Best, Matcher};
/// use anchormatch::{Anchors, Graph, Monitor, Task};
///
/// let edges = [(0, 1, 1.0), (1, 2, 2.0), (2, 3, 3.0), (3, 0, 4.0), (0, 2, 5.0)];
/// let source = Graph::from_edges(4, &edges)?;
/// let target = source.permuted(&[2, 0, 3, 1])?;
/// let anchors = Anchors::from_indices(&source, &target, &[(2, 0)])?;
/// let task = Task::new(&source, &target, &anchors)?;
/// let matching = Best::default().run(&task, &Monitor::silent())?;
/// assert_eq!(matching.mapping()[&3], 2);
/// # Ok::<(), anchormatch::Error>(())
/// ```
#[derive(Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Best {
    /// How much work to put in. Default: all that gains something.
    pub effort: Effort,
    /// Whether nodes that the evidence gives no partner stay alone. Default false: everything on the
    /// smaller side is matched.
    pub allow_unmatched: bool,
    /// Whether anchors that the rest of the evidence contradicts become soft ones. Default false: they
    /// are named in the report.
    pub repair_anchors: bool,
    /// Whether all pairs of nodes are kept, or lists of candidates. Default: by size and density.
    pub regime: RegimeChoice,
    /// How points lie to each other, where nodes are points. Default: by evidence.
    pub points_model: PointsModel,
    /// How many candidates of each node are kept. Default 4: its partner and three more.
    pub top: usize,
    /// A solver in the place of the search. Default none.
    #[serde(with = "by_name::optional")]
    pub solver: Option<Arc<dyn Solver>>,
    /// The seed of everything random. Default 0.
    pub seed: u64,
    /// What the evidence is made of, for ablations.
    #[serde(skip)]
    pub(crate) ingredients: Ingredients,
}

impl Default for Best {
    fn default() -> Self {
        Self {
            effort: Effort::default(),
            allow_unmatched: false,
            repair_anchors: false,
            regime: RegimeChoice::default(),
            points_model: PointsModel::default(),
            top: Alternatives::KEPT,
            solver: None,
            seed: 0,
            ingredients: Ingredients::default(),
        }
    }
}

impl std::fmt::Debug for Best {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Best")
            .field("effort", &self.effort)
            .field("allow_unmatched", &self.allow_unmatched)
            .field("regime", &self.regime)
            .field("seed", &self.seed)
            .finish_non_exhaustive()
    }
}

impl Matcher for Best {
    fn name(&self) -> &'static str {
        match self.effort {
            Effort::Best => "best",
            Effort::Fast => "fast",
        }
    }

    fn about(&self) -> &'static str {
        match self.effort {
            Effort::Best => {
                "The most likely matching, searched for until nothing more is gained, with calibrated \
                 confidences"
            }
            Effort::Fast => "The same with one relaxation and a short search",
        }
    }

    fn parameters(&self) -> Settings {
        settings::list(self)
    }

    fn configured(&self, settings: &Settings) -> Result<Box<dyn Matcher>> {
        let mut changed: Self = settings::changed(self.name(), self, settings)?;
        changed.ingredients = self.ingredients;
        Ok(Box::new(changed))
    }

    fn facts(&self) -> &'static [Fact] {
        &[
            Fact::Similarity,
            Fact::Points,
            Fact::Start,
            Fact::Attributes,
            Fact::Allowed,
            Fact::Crossing,
            Fact::Layers,
            Fact::Relations,
        ]
    }

    /// Runs the chain.
    ///
    /// # Errors
    /// When the memory does not suffice, or the monitor stops the work before there is any matching.
    ///
    /// # Complexity
    /// O(n³) a step of the mean field (O(|E| n) for sparse 0/1 weights) and O(n²) an iteration of the
    /// search; O(n²) memory.
    fn run(&self, task: &Task<'_>, monitor: &Monitor) -> Result<Matching> {
        if self.regime == RegimeChoice::Sparse && self.solver.is_some() {
            return Err(Error::parameter(
                "solver",
                "in the sparse regime",
                "none there: solvers need the values of all pairs, which the dense regime has",
            ));
        }
        monitor.answerable();
        let monitor = &monitor.for_one_run();
        let matching = if self.repair_anchors {
            repair::run_repaired(self, task, monitor)
        } else {
            self.run_once(task, monitor).map(|mut matching| {
                repair::note_suspicious(&mut matching, task.graphs());
                matching
            })
        };
        let mut matching = matching.map_err(|error| self.advised(error))?;
        // Whichever part a limit cut short, the matching is not what it would have been without.
        if let Some(why) = monitor.stopped() {
            matching.status = why.into();
        }
        Ok(matching)
    }
}

impl Best {
    /// The preset `fast`.
    #[must_use]
    pub fn fast() -> Self {
        Self {
            effort: Effort::Fast,
            ..Self::default()
        }
    }

    /// With another [`seed`](Self::seed).
    #[must_use]
    pub fn with_seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    /// With nodes [left alone](Self::allow_unmatched) whom the evidence gives no partner, or not.
    #[must_use]
    pub fn with_unmatched(self, allow_unmatched: bool) -> Self {
        Self {
            allow_unmatched,
            ..self
        }
    }

    /// With suspicious anchors [made soft](Self::repair_anchors), or not.
    #[must_use]
    pub fn with_repairs(self, repair_anchors: bool) -> Self {
        Self {
            repair_anchors,
            ..self
        }
    }

    /// In a [regime](Self::regime) of the caller's choice.
    #[must_use]
    pub fn with_regime(self, regime: RegimeChoice) -> Self {
        Self { regime, ..self }
    }

    /// With a [model of points](Self::points_model) of the caller's choice.
    #[must_use]
    pub fn with_points_model(self, points_model: PointsModel) -> Self {
        Self {
            points_model,
            ..self
        }
    }

    /// With a solver in the place of the search.
    #[must_use]
    pub fn with_solver(self, solver: Arc<dyn Solver>) -> Self {
        Self {
            solver: Some(solver),
            ..self
        }
    }

    /// The preset without some of its ingredients.
    #[cfg(feature = "laboratory")]
    #[must_use]
    pub fn with_ingredients(self, ingredients: Ingredients) -> Self {
        Self {
            ingredients,
            ..self
        }
    }

    /// An error without advice that cannot be followed: a solver needs all pairs.
    fn advised(&self, error: Error) -> Error {
        if self.solver.is_some() && error.hints().contains(&Hint::SparseRegime) {
            return error.hinting(&[Hint::MoreMemory, Hint::SmallerGraphs]);
        }
        error
    }

    /// The matching, the anchors as they are.
    fn run_once(&self, task: &Task<'_>, monitor: &Monitor) -> Result<Matching> {
        match &task.facts().points {
            Some(points) => points::run(self, task, points, monitor),
            None => self.run_graphs(task, monitor),
        }
    }

    /// The chain over two graphs.
    fn run_graphs(&self, task: &Task<'_>, monitor: &Monitor) -> Result<Matching> {
        let is_sparse = regime::is_sparse(self, task);
        if is_sparse && !regime::are_unequal(self, task) {
            return Ok(sparse::run(self, task, monitor)?.matching);
        }
        let mut log = Log::default();
        if !is_sparse && !regime::may_list(self, task) {
            return self.run_all_pairs(task, None, log, monitor);
        }
        let sparse::Listed {
            matching,
            is_sampled,
        } = log.stage("lists", monitor, |_| sparse::run(self, task, monitor))?;
        let expected = matching.expected();
        let is_from = |least: f64| expected.is_some_and(|e| e.precision.min(e.recall) >= least);
        if is_sparse {
            return match is_from(UNEQUAL_FOUND) || monitor.interrupted().is_some() {
                true => Ok(matching),
                false => match self.run_all_pairs(task, Some(matching.clone()), log, monitor) {
                    Err(Error::Memory { .. }) => Ok(matching),
                    searched => searched,
                },
            };
        }
        let is_sure = is_from(LISTS_ARE_SURE);
        // Where neighbours are joined among themselves, searching all pairs takes longer, finds less, and is too sure of it; but
        // for those that found hardly anything.
        let is_found = is_sampled && is_from(CHAINS_FOUND);
        if is_sure || is_found || monitor.interrupted().is_some() {
            return Ok(matching);
        }
        self.run_all_pairs(task, Some(matching), log, monitor)
    }

    /// The chain over all pairs. What lists of candidates led to is the answer of a run that was stopped on its way.
    fn run_all_pairs(
        &self,
        task: &Task<'_>,
        listed_before: Option<Matching>,
        mut log: Log,
        monitor: &Monitor,
    ) -> Result<Matching> {
        let ingredients = &self.ingredients;
        log.parameter("preset", self.name());
        log.parameter("regime", "dense");
        log.note_directions(task, true);
        let free = FreeNodes::of(task);
        let symmetry = log.stage("symmetry", monitor, |_| Ok(symmetry::find(task, monitor)))?;
        let observed = log.stage("observations", monitor, |_| {
            observe(task, ingredients, monitor)
        })?;
        let evidence = log.stage("evidence", monitor, |_| {
            Ok(Evidence::new(
                observed,
                task,
                &free,
                ingredients.folded_anchors,
            ))
        })?;
        let first = task.facts().start.as_deref();
        let first = first.map(|pairs| evidence.assignment(pairs));
        let copy = symmetry.copy.as_ref().map(|copy| {
            let pairs = copy.iter().map(|&a| a as usize).enumerate();
            evidence.assignment(&pairs.collect::<Vec<_>>())
        });
        let is_known = first.is_some() || copy.is_some();
        let fallback = match listed_before {
            None if !is_known && regime::may_fall_back(self, task) => {
                let listed = log.stage("lists", monitor, |_| sparse::run(self, task, monitor))?;
                Some(listed.matching)
            }
            listed => listed,
        };
        let listed = if is_known || !regime::may_anneal(self, task) {
            None
        } else {
            log.stage("lists", monitor, |_| {
                let pairs = sparse::pairs(self, task, monitor);
                Ok(Some(evidence.assignment(&pairs)))
            })?
        };
        // What comes after the search takes its time too.
        let search = Search {
            preset: self,
            evidence: &evidence,
            monitor: &monitor.with_share(SEARCH_SHARE),
            copy: copy.as_ref(),
            listed: listed.as_ref(),
            gives_up: (regime::may_fall_back(self, task) && fallback.is_some()).then_some(monitor),
        };
        let mut found = match (
            search.most_likely(first.as_ref(), &mut log),
            fallback.as_ref(),
        ) {
            (Err(Error::Stopped(_)), Some(listed)) => return Ok(listed.clone()),
            (found, _) => found?,
        };
        // Of copies nothing is in doubt, and what is known beside the weights is no less for what they repeat.
        if symmetry.copy.is_none() && !evidence.has_priors() {
            found.independent = evidence.independent_weights();
        }
        let exchanges =
            regime::may_exchange(task) && exchanges::are_asked(self, task, &evidence, &found);
        let sampling = Sampling {
            evidence: &evidence,
            seed: self.seed,
            is_short: false,
            is_asked_elsewhere: exchanges,
            monitor: &monitor.with_share(SEARCH_SHARE),
        };
        let mut marginals = log.stage("marginals", monitor, |_| sampling.marginals(&found))?;
        if exchanges {
            log.stage("exchanges", monitor, |_| {
                exchanges::sample(self, task, (&evidence, &found), &mut marginals, monitor)
            })?;
        }
        if let Some(decoded) = marginals.decoded.take() {
            found.replace(&evidence, decoded);
        }
        if marginals.belief < 1.0 {
            log.parameter("belief in edges", format!("{:.3}", marginals.belief));
        }
        symmetry::share_evenly(&mut marginals.values, &free, &symmetry.orbits);
        found.describe(&evidence, &mut log);
        let chance = log.stage("chance", monitor, |_| {
            let values = &mut marginals.values;
            let kind = (&symmetry, exchanges);
            self.weigh(task, &evidence, &found, kind, values, monitor)
        })?;
        chance.describe(&mut log);
        let report = log.stage("anchor check", monitor, |_| {
            check_anchors(self, task, &free, &found, monitor)
        })?;
        let watch = monitor.stopwatch();
        let mut assignment = if self.allow_unmatched {
            found.assignment
        } else {
            complete(&evidence, &found, &marginals.values, monitor)?
        };
        // Where too many nodes have the same few candidates, some of them stay alone.
        assignment.retain(|i, a| evidence.allows(i, a));
        let places = free.source.iter().enumerate();
        let places: HashMap<usize, usize> = places.map(|(i, &node)| (node, i)).collect();
        let list = |node: usize| {
            let row = places
                .get(&node)
                .map_or(&[][..], |&i| marginals.values.row(i));
            row.iter().enumerate().map(|(a, &p)| (free.target[a], p))
        };
        let nodes = 0..task.source().node_count();
        let partner = |node: usize| {
            let partner = assignment.partner(*places.get(&node)?)?;
            Some(free.target[partner])
        };
        let alternatives = Alternatives::beside(self.top, nodes.clone().map(list), partner);
        let sum = |node| list(node).map(|(_, p)| p).sum::<f64>().min(1.0);
        let partners: f64 = free.source.iter().map(|&node| sum(node)).sum();
        let alone = |node| {
            if places.contains_key(&node) {
                1.0 - sum(node)
            } else if task.anchors().alone()[0].contains(&node) {
                1.0
            } else {
                0.0
            }
        };
        let alternatives = alternatives.with_alone(nodes.map(alone).collect());
        let solution = Solution {
            objective: found.evidence,
            assignment,
            soft: Some(marginals.values.into()),
            iterations: found.iterations,
            // Its searches have lengths of their own, which are no limit that anybody set.
            status: match found.status {
                Status::IterationLimit if self.solver.is_none() => Status::Converged,
                status => status,
            },
            convergence: found.convergence,
        };
        log.time("matching", watch.seconds());
        let mut matching = assemble(task, &free, solution, Measure::Evidence, log);
        matching.samples = marginals.samples;
        matching.anchor_report = report;
        matching.alternatives = Some(alternatives);
        matching.trust = Trust {
            beyond_chance: Some(chance.nats),
            partners: Some(partners),
            orbits: symmetry.orbits,
        };
        let right = |matching: &Matching| matching.pairs.iter().map(|p| p.confidence).sum::<f64>();
        match fallback {
            Some(listed) if monitor.stopped().is_some() && right(&listed) > right(&matching) => {
                Ok(listed)
            }
            _ => Ok(matching),
        }
    }

    /// What speaks against chance; the marginals follow.
    fn weigh(
        &self,
        task: &Task<'_>,
        evidence: &Evidence<'_>,
        found: &Found,
        (symmetry, is_clustered): (&Symmetry, bool),
        values: &mut Matrix,
        monitor: &Monitor,
    ) -> Result<Chance> {
        // Of copies, triangles explain nothing.
        let closure = match symmetry.copy {
            Some(_) => None,
            None => Closure::of(evidence.graphs, monitor),
        };
        let share = found.believed_share();
        let left = |sure: &Assignment| {
            let told = |c: &Closure<'_>| c.unexplained(&evidence.matched(sure), monitor);
            closure.as_ref().map_or(1.0, told)
        };
        let beyond = |model: &Model, sure: &Assignment, left: f64| {
            let explained = (1.0 - left) * evidence.of_edges(model, sure).max(0.0);
            let told = evidence.posterior(model, sure, share) - share * explained;
            // Where few partners are possible, chance has little to choose from.
            let FreeNodes { source, target } = evidence.free;
            let sources = sure.pairs().map(|(i, _)| source[i]);
            let allowed = evidence.allowed.as_ref();
            let fewer = allowed.map_or(0.0, |allowed| allowed.fewer_ways(sources));
            let pairs = sure.pairs().map(|(i, a)| (source[i], target[a]));
            told + fewer + symmetry::ways(symmetry, pairs)
        };
        let of_all = left(&found.assignment);
        let mut judged = 0;
        let tiers = CHANCE_TIERS.iter().map(|&least| {
            let mut sure = found.assignment.clone();
            sure.retain(|i, a| values[(i, a)] >= least);
            // Each tier is part of the next: as many pairs are the same pairs.
            if sure.matched() == judged {
                return f64::NEG_INFINITY;
            }
            judged = sure.matched();
            let left = match judged == found.assignment.matched() {
                true => of_all,
                false => left(&sure),
            };
            beyond(&evidence.fit(&sure), &sure, left)
        });
        let all = beyond(&found.model, &found.assignment, of_all);
        let may_be_partial = self.allow_unmatched || of_all < CLOSURE_TELLS;
        let mut chance = Chance::of(tiers.chain([all]), may_be_partial);
        let pairs = found.assignment.matched();
        // Copies need no comparison, and a few pairs bear none.
        let are_listed = regime::decoys_are_listed(task);
        let is_in_doubt = match are_listed {
            true => chance.is_worth_listed_decoys(pairs, of_all),
            false => chance.is_worth_decoys(pairs, of_all),
        };
        let asks_decoys = symmetry.copy.is_none()
            && pairs >= LEAST_DECOYED
            && regime::may_ask_decoys(task)
            && !evidence.has_priors()
            && is_in_doubt;
        if asks_decoys && are_listed {
            chance = sparse::beside_decoys(self, task, symmetry, chance, monitor);
        } else if asks_decoys {
            let by_distances = sparse::beside_distances(self, task, symmetry, chance, monitor);
            if by_distances.is_none_or(|chance| !chance.is_settled_by_distances())
                && let Some(standing) = decoys::standing(self, task, monitor)?
            {
                chance = chance.beside_decoys(standing, of_all);
            }
            chance = chance.or(by_distances);
            if is_clustered && !chance.is_settled() {
                let told = sparse::foretold(self, task, monitor);
                chance = chance.or(told);
            }
        } else if let Some(independent) = found.independent
            && regime::may_hide_anchors(task)
            && chance.is_worth_hiding(pairs, independent)
            && let Some(foretold) = hidden::foretold(self, task, independent, monitor)?
        {
            chance = chance.beside_hidden(&foretold, independent);
        }
        let (n, m) = evidence.shape();
        // Without anything to find, any partner is as good as another, or none at all.
        let any = if self.allow_unmatched {
            0.0
        } else {
            (1.0 - chance.weight) / n.max(m).max(1) as f64
        };
        for value in values.as_mut_slice() {
            *value = chance.weight * *value + any;
        }
        Ok(chance)
    }
}
