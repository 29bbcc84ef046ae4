//! Presets `best` and `fast`: the most likely matching, and how sure it is.
//!
//! 1. **What the graphs show.** The presence and weight of every pair of nodes; weights that are
//!    lengths by their square roots ([`Observations`](crate::affinity::likelihood::Observations)).
//! 2. **A model of matched edges** ([`PairModel`](crate::affinity::likelihood::PairModel)): the evidence, in nats, that two pairs of nodes are
//!    the same pair seen twice. Its scales (correlation, conserved share) are fitted from the matching
//!    found, which is then looked for again under the new scales.
//! 3. **Anchors folded** exactly into the first-order term; soft anchors and node similarities as
//!    evidence in the same unit.
//! 4. **The program solved, not only relaxed**: the mean field and FAQ as starts, tabu search with
//!    recombination from there, until independent searches agree or nothing is gained.
//! 5. **Outliers**: where nodes disagree with the rest, partial matchings compete with full ones by
//!    their posterior.
//! 6. **Confidence**: posterior marginals from Metropolis chains that start at the matching.

mod check;
mod confidence;
mod evidence;
mod outliers;
mod search;

use std::sync::Arc;

use self::evidence::Evidence;
use self::search::Search;
use super::{FreeNodes, Log, assemble};
use crate::anchors::Anchors;
use crate::error::{Error, Result};
use crate::graph::Graph;
use crate::linalg::Matrix;
use crate::matching::Matching;
use crate::monitor::Monitor;
use crate::solver::{Solution, Solver, Status};

/// The share of the time left that a stage with others after it may take.
const SEARCH_SHARE: f64 = 0.8;

/// How much work to put in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Effort {
    /// A relaxation and a short search.
    Fast,
    /// Searches until nothing more is gained.
    #[default]
    Best,
}

/// The likelihood matcher and its parameters.
///
/// ```
/// use anchormatch::matcher::Best;
/// use anchormatch::{Anchors, Graph, Monitor};
///
/// let edges = [(0, 1, 1.0), (1, 2, 2.0), (2, 3, 3.0), (3, 0, 4.0), (0, 2, 5.0)];
/// let source = Graph::from_edges(4, &edges)?;
/// let target = source.permuted(&[2, 0, 3, 1])?;
/// let anchors = Anchors::from_indices(&source, &target, &[(2, 0)])?;
/// let matching = Best::default().run(&source, &target, &anchors, &Monitor::silent())?;
/// assert_eq!(matching.mapping()[&3], 2);
/// # Ok::<(), anchormatch::Error>(())
/// ```
#[derive(Clone)]
pub struct Best {
    /// How much work to put in. Default: all that gains something.
    pub effort: Effort,
    /// Whether nodes that the evidence gives no partner stay alone. Default false: everything on the
    /// smaller side is matched.
    pub allow_unmatched: bool,
    /// How alike the nodes are by other knowledge, source × target; larger is more alike, on any
    /// scale, as the scale is fitted. Default none.
    pub node_similarity: Option<Arc<Matrix>>,
    /// A solver in the place of the search. Default none.
    pub solver: Option<Arc<dyn Solver>>,
    /// Whether anchors that the rest of the evidence contradicts become soft ones. Default false: they
    /// are named in the report.
    pub repair_anchors: bool,
    /// What the evidence is made of, for ablations.
    pub ingredients: Ingredients,
    /// The seed of everything random. Default 0.
    pub seed: u64,
}

/// The parts of the method that an ablation can take out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ingredients {
    /// Anchors folded into the first-order term; without, they only fix their own pairs.
    pub folded_anchors: bool,
    /// Lengths compared by their square roots.
    pub root_lengths: bool,
    /// The mean field as a start.
    pub mean_field: bool,
    /// Tabu search from the starts.
    pub search: bool,
    /// The scales of the evidence fitted from the matching.
    pub fitted_scales: bool,
    /// Partial matchings among the hypotheses.
    pub outliers: bool,
    /// Heat kernels compared in the place of the weights, each graph at its own time (τ = 1).
    pub heat_for_weights: bool,
}

impl Default for Ingredients {
    fn default() -> Self {
        Self {
            folded_anchors: true,
            root_lengths: true,
            mean_field: true,
            search: true,
            fitted_scales: true,
            outliers: true,
            heat_for_weights: false,
        }
    }
}

impl Default for Best {
    fn default() -> Self {
        Self {
            effort: Effort::Best,
            allow_unmatched: false,
            node_similarity: None,
            solver: None,
            repair_anchors: false,
            ingredients: Ingredients::default(),
            seed: 0,
        }
    }
}

impl std::fmt::Debug for Best {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Best")
            .field("effort", &self.effort)
            .field("allow_unmatched", &self.allow_unmatched)
            .field("seed", &self.seed)
            .finish_non_exhaustive()
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

    /// With the node similarity that `similarity(source node, target node)` gives.
    ///
    /// ```
    /// use anchormatch::matcher::Best;
    /// use anchormatch::{Anchors, Graph, Monitor};
    ///
    /// // Nothing but the ages tells the ends of a path apart.
    /// let path = Graph::from_edges(3, &[(0, 1, 1.0), (1, 2, 1.0)])?;
    /// let (ages, others) = ([31.0f64, 40.0, 58.0], [57.0, 41.0, 30.0]);
    /// let best = Best::default().with_similarity(&path, &path, |i, a| -(ages[i] - others[a]).abs());
    /// let matching = best.run(&path, &path, &Anchors::none(), &Monitor::silent())?;
    /// assert_eq!(matching.mapping()[&0], 2);
    /// # Ok::<(), anchormatch::Error>(())
    /// ```
    #[must_use]
    pub fn with_similarity(
        self,
        source: &Graph,
        target: &Graph,
        similarity: impl FnMut(usize, usize) -> f64,
    ) -> Self {
        let matrix = Matrix::from_fn(source.nodes(), target.nodes(), similarity);
        Self {
            node_similarity: Some(Arc::new(matrix)),
            ..self
        }
    }

    /// Matches `source` to `target`.
    ///
    /// # Errors
    /// When the similarity has another shape or is not finite, the memory does not suffice, or the
    /// monitor stops the work before there is any matching.
    ///
    /// # Complexity
    /// O(n³) a step of the mean field (O(|E| n) for sparse 0/1 weights) and O(n²) an iteration of the
    /// search; O(n²) memory.
    pub fn run(
        &self,
        source: &Graph,
        target: &Graph,
        anchors: &Anchors,
        monitor: &Monitor,
    ) -> Result<Matching> {
        self.run_from(source, target, anchors, None, monitor)
    }

    /// As [`run`](Self::run), with a matching to start from (pairs of node indices) beside the
    /// method's own starts: what a search from the truth would find.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_from(
        &self,
        source: &Graph,
        target: &Graph,
        anchors: &Anchors,
        first: Option<&[(usize, usize)]>,
        monitor: &Monitor,
    ) -> Result<Matching> {
        self.check(source, target)?;
        let monitor = &monitor.for_one_run();
        let mut matching = if self.repair_anchors {
            self.run_repaired(source, target, anchors, first, monitor)?
        } else {
            let mut matching = self.run_once(source, target, anchors, first, monitor)?;
            matching.note_suspicious([source, target]);
            matching
        };
        // Whichever part a limit cut short, the matching is not what it would have been without.
        if let Some(why) = monitor.stopped() {
            matching.status = why.into();
        }
        Ok(matching)
    }

    /// One run, the anchors as they are.
    fn run_once(
        &self,
        source: &Graph,
        target: &Graph,
        anchors: &Anchors,
        first: Option<&[(usize, usize)]>,
        monitor: &Monitor,
    ) -> Result<Matching> {
        let (free_source, free_target) = anchors.free_nodes(source, target);
        let free = FreeNodes {
            source: free_source,
            target: free_target,
        };
        let mut log = Log::default();
        let watch = monitor.stopwatch();
        let evidence = Evidence::new(self, source, target, anchors, &free, monitor)?;
        let first = first.map(|pairs| evidence.assignment(pairs));
        log.parameter(
            "preset",
            match self.effort {
                Effort::Best => "best",
                Effort::Fast => "fast",
            },
        );
        log.time("observations", watch.seconds());
        // What comes after the search takes its time too.
        let searching = monitor.with_share(SEARCH_SHARE);
        let mut found = Search::new(self, &evidence, &searching).run(first.as_ref(), &mut log)?;
        let watch = monitor.stopwatch();
        let sampling = monitor.with_share(SEARCH_SHARE);
        let mut confidence = Search::new(self, &evidence, &sampling).confidence(&found)?;
        if let Some(decoded) = confidence.decoded.take() {
            found.assignment = decoded;
            found.evidence = evidence.posterior(&found.model, &found.assignment, found.share);
        }
        log.time("confidence", watch.seconds());
        found.describe(&evidence, &mut log);
        let watch = monitor.stopwatch();
        let report = self.check_anchors([source, target], anchors, &free, &found, monitor)?;
        log.time("check of anchors", watch.seconds());
        let assignment = if self.allow_unmatched {
            found.assignment
        } else {
            evidence.complete(&found, &confidence.marginals)?
        };
        let solution = Solution {
            objective: found.evidence,
            assignment,
            soft: Some(confidence.marginals),
            iterations: found.iterations,
            // Its searches have lengths of their own, which are no limit that anybody set.
            status: match found.status {
                Status::IterationLimit if self.solver.is_none() => Status::Converged,
                status => status,
            },
            convergence: found.convergence,
        };
        let samples = confidence.samples;
        let mut matching = assemble([source, target], anchors, &free, solution, log);
        matching.samples = samples;
        matching.anchor_report = report;
        Ok(matching)
    }

    fn check(&self, source: &Graph, target: &Graph) -> Result<()> {
        let Some(similarity) = &self.node_similarity else {
            return Ok(());
        };
        let (n, m) = (source.nodes(), target.nodes());
        if (similarity.rows(), similarity.cols()) != (n, m) {
            return Err(Error::parameter(
                "node_similarity",
                format!("a {}×{} matrix", similarity.rows(), similarity.cols()),
                format!("{n}×{m}, a row for each source and a column for each target node"),
            ));
        }
        if let Some(value) = similarity.as_slice().iter().find(|v| !v.is_finite()) {
            return Err(Error::parameter("node_similarity", value, "finite numbers"));
        }
        Ok(())
    }
}
