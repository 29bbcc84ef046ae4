//! Weights learned from matched pairs of graphs, and the matcher that applies them.
//!
//! Where examples are at hand, pairs of graphs whose correspondences are known, the weights of a program can be learned from
//! them and used on other pairs:
//!
//! > Σ_ia x_ia Σₖ wₖ φₖ(i, a) + Σ_{ia, jb} x_ia x_jb Σₗ vₗ gₗ(ij, ab),   w, v ≥ 0,
//!
//! with likenesses φ of nodes and g of edges ([`features`]). The paper cites three ways, one file each:
//!
//! | method | learns by | decides by |
//! |---|---|---|
//! | `caetano-linear`, `caetano-quadratic` (Caetano et al. 2009) | a margin over all assignments | linear assignment; RRWM |
//! | `leordeanu-supervised`, `leordeanu-unsupervised` (Leordeanu et al. 2012) | the leading eigenvector's agreement with the truth, or with its own rounding | RRWM |
//! | `mcauley` (McAuley et al. 2010) | the same margin, over maps of a graph of fixed topology | dynamic programming, exact |

mod features;
mod margin;
mod spectral;
mod topology;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use self::features::{EDGE_FEATURES, Instance, NODE_FEATURES};
use super::{FreeNodes, Log, Matcher, assemble, by_name, candidates, check};
use crate::error::{Error, Result};
use crate::graph::Graph;
use crate::matching::{Matching, Measure};
use crate::monitor::Monitor;
use crate::settings::{self, Settings};
use crate::solver::{Rrwm, Solver, Start};
use crate::task::{Fact, Task};

/// How weights are learned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum LearningMethod {
    /// Node features alone, decided by linear assignment (Caetano et al. 2009).
    CaetanoLinear,
    /// Node and edge features (Caetano et al. 2009).
    CaetanoQuadratic,
    /// The leading eigenvector against the truth (Leordeanu et al. 2012).
    LeordeanuSupervised,
    /// The leading eigenvector against its own rounding: the truth is not looked at (Leordeanu et al. 2012).
    LeordeanuUnsupervised,
    /// A graph of fixed topology, decided exactly (McAuley et al. 2010).
    Mcauley,
}

impl LearningMethod {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::CaetanoLinear,
        Self::CaetanoQuadratic,
        Self::LeordeanuSupervised,
        Self::LeordeanuUnsupervised,
        Self::Mcauley,
    ];

    /// The name by which a user picks it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::CaetanoLinear => "caetano-linear",
            Self::CaetanoQuadratic => "caetano-quadratic",
            Self::LeordeanuSupervised => "leordeanu-supervised",
            Self::LeordeanuUnsupervised => "leordeanu-unsupervised",
            Self::Mcauley => "mcauley",
        }
    }

    /// What it does and whose it is, in a line.
    #[must_use]
    pub fn about(self) -> &'static str {
        match self {
            Self::CaetanoLinear => "weights of node features, by a margin (Caetano et al. 2009)",
            Self::CaetanoQuadratic => {
                "of node and edge features, by a margin (Caetano et al. 2009)"
            }
            Self::LeordeanuSupervised => {
                "by the leading eigenvector and the truth (Leordeanu et al. 2012)"
            }
            Self::LeordeanuUnsupervised => {
                "by the leading eigenvector alone (Leordeanu et al. 2012)"
            }
            Self::Mcauley => "by a margin over maps of a fixed topology (McAuley et al. 2010)",
        }
    }
}

/// A pair of graphs whose correspondences are known.
#[derive(Debug, Clone, Copy)]
pub struct TrainingPair<'a> {
    /// The graph to match from.
    pub source: &'a Graph,
    /// The graph to match to.
    pub target: &'a Graph,
    /// Who belongs to whom, by index; nodes may be left out.
    pub truth: &'a [(usize, usize)],
}

/// Learned weights.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LearnedWeights {
    /// How they were learned, which is how they are applied.
    pub method: LearningMethod,
    /// w, one for each likeness of nodes.
    pub nodes: Vec<f64>,
    /// v, one for each likeness of edges.
    pub edges: Vec<f64>,
    /// How many pairs of graphs they come from.
    #[serde(alias = "lessons")]
    pub training_pairs: usize,
}

impl LearnedWeights {
    /// Equal weights: what learning starts from, and is to be compared with.
    #[must_use]
    pub fn equal(method: LearningMethod) -> Self {
        let edges = if method == LearningMethod::CaetanoLinear {
            0.0
        } else {
            1.0
        };
        Self {
            method,
            nodes: vec![1.0; NODE_FEATURES],
            edges: vec![edges; EDGE_FEATURES],
            training_pairs: 0,
        }
    }

    /// Refuses weights of other lengths, and negative ones.
    ///
    /// # Errors
    /// When a list has another length or a number that is not finite and at least 0.
    pub fn check(&self) -> Result<()> {
        for (name, list, length) in [
            ("nodes", &self.nodes, NODE_FEATURES),
            ("edges", &self.edges, EDGE_FEATURES),
        ] {
            if list.len() != length {
                let expected = format!("{length} weights");
                return Err(Error::parameter(name, list.len(), expected));
            }
            if let Some(bad) = list.iter().find(|w| !(w.is_finite() && **w >= 0.0)) {
                return Err(Error::parameter(name, bad, "finite weights, 0 or above"));
            }
        }
        Ok(())
    }

    /// All weights in one list.
    fn vector(&self) -> Vec<f64> {
        self.nodes.iter().chain(&self.edges).copied().collect()
    }

    fn with_vector(mut self, vector: &[f64]) -> Self {
        self.nodes = vector[..NODE_FEATURES].to_vec();
        self.edges = vector[NODE_FEATURES..].to_vec();
        self
    }
}

/// Learns weights from examples.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ExampleLearner {
    /// How.
    pub method: LearningMethod,
    /// Passes over the examples. Default 40.
    pub passes: usize,
    /// λ, the price of large weights in the margin methods. Default 0.01.
    pub regularisation: f64,
}

impl ExampleLearner {
    /// With the default parameters.
    #[must_use]
    pub fn new(method: LearningMethod) -> Self {
        Self {
            method,
            passes: 40,
            regularisation: 0.01,
        }
    }

    /// Learns from these examples; a stop by `monitor` ends the learning with the weights so far.
    ///
    /// # Errors
    /// When there is no example, one has a node that is not there, or the memory does not suffice.
    ///
    /// # Complexity
    /// A pass takes one decision an example: O(n³) for linear assignment and for maps of fixed topology, O(n⁴) an iteration
    /// of RRWM or of a leading eigenvector otherwise; memory is O(n⁴) there.
    pub fn learn(
        &self,
        training: &[TrainingPair<'_>],
        monitor: &Monitor,
    ) -> Result<LearnedWeights> {
        if training.is_empty() {
            return Err(Error::parameter(
                "examples",
                0,
                "at least one pair of graphs",
            ));
        }
        if self.passes == 0 {
            return Err(Error::parameter("passes", 0, "at least 1"));
        }
        if !(self.regularisation > 0.0 && self.regularisation.is_finite()) {
            let found = self.regularisation;
            return Err(Error::parameter(
                "regularisation",
                found,
                "a number above 0",
            ));
        }
        monitor.enter("features of the examples")?;
        let (mut held, mut instances) = (0u64, Vec::with_capacity(training.len()));
        for pair in training {
            let instance = Instance::of_training(pair, &monitor.holding(held))?;
            held = held.saturating_add(instance.bytes);
            instances.push(instance);
        }
        let monitor = &monitor.holding(held);
        let start = LearnedWeights::equal(self.method);
        let vector = match self.method {
            LearningMethod::LeordeanuSupervised | LearningMethod::LeordeanuUnsupervised => {
                spectral::learn(self, &instances, &start.vector(), monitor)?
            }
            _ => margin::learn(self, &instances, &start.vector(), monitor)?,
        };
        let mut learned = start.with_vector(&vector);
        learned.training_pairs = training.len();
        Ok(learned)
    }
}

/// The matcher that applies learned weights.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Learned {
    /// The weights.
    pub weights: LearnedWeights,
    /// What decides where edges count; linear assignment and fixed topologies need none.
    #[serde(with = "by_name")]
    pub solver: Arc<dyn Solver>,
    /// The seed of a solver that draws random numbers.
    pub seed: u64,
}

impl std::fmt::Debug for Learned {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Learned")
            .field("weights", &self.weights)
            .finish_non_exhaustive()
    }
}

impl Learned {
    /// The matcher of these weights.
    ///
    /// # Errors
    /// As [`LearnedWeights::check`].
    pub fn new(weights: LearnedWeights) -> Result<Self> {
        weights.check()?;
        Ok(Self {
            weights,
            solver: Arc::new(Rrwm::linear()),
            seed: 0,
        })
    }
}

impl Matcher for Learned {
    fn name(&self) -> &'static str {
        "learned"
    }

    fn about(&self) -> &'static str {
        "Weights that were learned from matched pairs of graphs"
    }

    fn parameters(&self) -> Settings {
        settings::list(self)
    }

    fn configured(&self, settings: &Settings) -> Result<Box<dyn Matcher>> {
        let changed: Self = settings::changed(self.name(), self, settings)?;
        changed.weights.check()?;
        Ok(Box::new(changed))
    }

    fn facts(&self) -> &'static [Fact] {
        &[Fact::Allowed]
    }

    fn run(&self, task: &Task<'_>, monitor: &Monitor) -> Result<Matching> {
        check(self, task)?;
        let mut log = Log::default();
        log.note_directions(task, false);
        let free = FreeNodes::of(task);
        let watch = monitor.stopwatch();
        let instance = Instance::new(
            task.graphs(),
            [&free.source, &free.target],
            task.anchors().hard(),
            monitor,
        )?;
        let monitor = &monitor.holding(instance.bytes);
        log.parameter("preset", self.name());
        log.parameter("learned by", self.weights.method.as_str());
        log.parameter("learned from", self.weights.training_pairs);
        log.time("features", watch.seconds());
        let mut problem = instance.problem(&self.weights.vector(), monitor)?;
        if let Some(candidates) = candidates(task.facts().allowed.as_deref(), &free)? {
            problem = problem.with_candidates(candidates)?;
        }
        monitor.answerable();
        let watch = monitor.stopwatch();
        let solution = match self.weights.method {
            LearningMethod::CaetanoLinear => margin::by_nodes(&problem, monitor)?,
            LearningMethod::Mcauley => topology::solution(&problem, monitor)?,
            _ => self
                .solver
                .solve(&problem, &Start::seeded(self.seed), monitor)?,
        };
        log.time("solve", watch.seconds());
        Ok(assemble(task, &free, solution, Measure::Affinity, log))
    }
}

#[cfg(test)]
mod tests;
