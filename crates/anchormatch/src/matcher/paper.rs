//! Preset `paper`: the method of Hu, Rustamov, Guibas, step by step.
//!
//! 1. eigenpairs of both Laplacians;
//! 2. heat kernels k_t and k'_t, each graph at its own time and relative to even heat 1/n;
//! 3. heat to anchors, d_ap, and B learned from the anchors, which gives d_B;
//! 4. affinities: W's diagonal from d_B and d_ap, the rest from d_k;
//! 5. RRWM and a linear assignment over the nodes that are not anchors.
//!
//! What the paper leaves open is a parameter here, with a default that was measured; where its text allows more
//! than one reading, [`Reading`] has them.

mod reading;
mod run;
mod shared;

pub use reading::{AbsentEdges, AnchorHeat, Features, FirstOrder, ProximityLearner, Reading};
pub use shared::Shared;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use self::run::Run;
use super::{FreeNodes, Log, Matcher, Terms, assemble, by_name, candidates, check};
use crate::affinity::likelihood::unit;
use crate::affinity::proximity::Learner;
use crate::error::{Error, Hint, Result};
use crate::graph::Graph;
use crate::matching::{Matching, Measure};
use crate::monitor::Monitor;
use crate::settings::{self, Settings};
use crate::solver::{Rrwm, Solver, Start};
use crate::task::{Fact, Task};

/// What to do when n×n matrices do not fit.
const DENSE_HINT: &[Hint] = &[Hint::MoreMemory, Hint::SmallerGraphs];

/// The paper's matcher and its parameters.
///
/// ```
/// use anchormatch::matcher::{Matcher, Paper};
/// use anchormatch::{Anchors, Graph, Monitor, Task};
///
/// let edges = [(0, 1, 1.0), (1, 2, 2.0), (2, 3, 3.0), (3, 0, 4.0), (0, 2, 5.0)];
/// let source = Graph::from_edges(4, &edges)?;
/// let target = source.permuted(&[2, 0, 3, 1])?;
/// let anchors = Anchors::from_indices(&source, &target, &[(2, 0)])?;
/// let task = Task::new(&source, &target, &anchors)?;
/// let matching = Paper::default().run(&task, &Monitor::silent())?;
/// assert_eq!(matching.mapping()[&3], 2);
/// # Ok::<(), anchormatch::Error>(())
/// ```
#[derive(Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Paper {
    /// Which of the six variants. Default: all terms.
    pub terms: Terms,
    /// τ: the diffusion time of each graph is τ over the mean of its nonzero eigenvalues. Default 1.
    pub tau: f64,
    /// The affinity's s, in means of the squared difference. Default 0.15.
    pub width: f64,
    /// K, the lowest non-constant eigenvectors that d_B compares. Default 8.
    pub eigenvectors: usize,
    /// c_B, the weight of d_B. Default 8.
    #[serde(rename = "c_b")]
    pub proximity_weight: f64,
    /// c_ap, the weight of d_ap. Default 3.
    #[serde(rename = "c_ap")]
    pub anchor_weight: f64,
    /// The weight of the wave kernel signature's distance. Default 8, as d_B, whose place it takes.
    #[serde(rename = "c_wks")]
    pub wave_weight: f64,
    /// Energies of the wave kernel signature. Default 100 (Aubry et al.).
    pub wave_energies: usize,
    /// The learner of B.
    pub learner: Learner,
    /// How the text is read where it allows more than one reading.
    pub reading: Reading,
    /// The largest error of an affinity in the separable kernel. Default 1e-6.
    pub kernel_tolerance: f64,
    /// The solver. Default RRWM, the paper's, with the first-order terms counted in the pairs
    /// ([`Rrwm::linear_unary`]): on W's diagonal, where the paper's formula has them, they hold the walk.
    #[serde(with = "by_name")]
    pub solver: Arc<dyn Solver>,
    /// The seed of a solver that draws random numbers; RRWM does not. Default 0.
    pub seed: u64,
}

impl Default for Paper {
    fn default() -> Self {
        Self {
            terms: Terms::default(),
            tau: 1.0,
            width: 0.15,
            eigenvectors: 8,
            proximity_weight: 8.0,
            anchor_weight: 3.0,
            wave_weight: 8.0,
            wave_energies: 100,
            learner: Learner::default(),
            reading: Reading::default(),
            kernel_tolerance: 1e-6,
            solver: Arc::new(Rrwm::linear()),
            seed: 0,
        }
    }
}

impl std::fmt::Debug for Paper {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Paper")
            .field("terms", &self.terms)
            .field("solver", &self.solver.info().name)
            .finish_non_exhaustive()
    }
}

impl Matcher for Paper {
    fn name(&self) -> &'static str {
        "paper"
    }

    fn about(&self) -> &'static str {
        "Hu, Rustamov, Guibas (CVPR 2013), step by step"
    }

    fn parameters(&self) -> Settings {
        settings::list(self)
    }

    fn configured(&self, settings: &Settings) -> Result<Box<dyn Matcher>> {
        let changed: Self = settings::changed(self.name(), self, settings)?;
        Ok(Box::new(changed))
    }

    fn facts(&self) -> &'static [Fact] {
        &[Fact::Allowed]
    }

    /// Runs the pipeline.
    ///
    /// # Errors
    /// When a parameter is out of range, the memory does not suffice, or the monitor stops the work
    /// before the solver has started.
    ///
    /// # Complexity
    /// O(n³) for the eigenpairs and O(r n³) an iteration of RRWM; O(r n²) memory, r the kernel's rank.
    fn run(&self, task: &Task<'_>, monitor: &Monitor) -> Result<Matching> {
        self.run_with(task, None, monitor)
    }
}

impl Paper {
    /// The preset with one of the paper's variants.
    #[must_use]
    pub fn with_terms(terms: Terms) -> Self {
        Self {
            terms,
            ..Self::default()
        }
    }

    /// With another [`width`](Self::width) of the affinity.
    #[must_use]
    pub fn with_width(self, width: f64) -> Self {
        Self { width, ..self }
    }

    /// With another solver.
    #[must_use]
    pub fn with_solver(self, solver: Arc<dyn Solver>) -> Self {
        Self { solver, ..self }
    }

    /// With RRWM on the first-order terms as self-loops of W's diagonal, as the paper's formula has them, or
    /// counted in the pairs ([`Rrwm::linear_unary`]).
    #[must_use]
    pub fn with_linear_unary(self, linear: bool) -> Self {
        let rrwm = if linear {
            Rrwm::linear()
        } else {
            Rrwm::default()
        };
        self.with_solver(Arc::new(rrwm))
    }

    /// With another reading of the text.
    #[must_use]
    pub fn with_reading(self, reading: Reading) -> Self {
        Self { reading, ..self }
    }

    /// Runs the pipeline beside others on the same input: what they have in common is done once.
    ///
    /// # Errors
    /// As [`run`](Matcher::run).
    pub fn run_beside(
        &self,
        task: &Task<'_>,
        shared: &Shared,
        monitor: &Monitor,
    ) -> Result<Matching> {
        self.run_with(task, Some(shared), monitor)
    }

    fn run_with(
        &self,
        task: &Task<'_>,
        shared: Option<&Shared>,
        monitor: &Monitor,
    ) -> Result<Matching> {
        check(self, task)?;
        self.check()?;
        let mut log = Log::default();
        log.note_directions(task, false);
        let graphs = task.graphs();
        let scaled = self.ordinary_units(graphs, &mut log)?;
        let [source, target] = [0, 1].map(|g| scaled[g].as_ref().unwrap_or(graphs[g]));
        let mut run = Run {
            preset: self,
            graphs: [source, target],
            anchors: task.anchors(),
            free: FreeNodes::of(task),
            monitor,
            shared,
            log,
        };
        let terms = run.effective_terms();
        let mut problem = run.problem(terms)?;
        if let Some(candidates) = candidates(task.facts().allowed.as_deref(), &run.free)? {
            problem = problem.with_candidates(candidates)?;
        }
        let watch = monitor.stopwatch();
        monitor.answerable();
        let start = Start::seeded(self.seed);
        let solution = self.solver.solve(&problem, &start, monitor)?;
        run.log.time("solve", watch.seconds());
        let measure = Measure::Affinity;
        Ok(assemble(task, &run.free, solution, measure, run.log))
    }

    /// The graphs whose weights have squares only in another unit, in that unit.
    ///
    /// Heat has each graph's own unit anyway; adjacency entries are compared between the graphs and
    /// need the same.
    fn ordinary_units(&self, graphs: [&Graph; 2], log: &mut Log) -> Result<[Option<Graph>; 2]> {
        // Negative weights are 0 in the Laplacian, however large.
        let mut units = graphs.map(|graph| unit(graph.weights().filter(|&w| w > 0.0)));
        if !self.terms.uses_heat() {
            units = [unit(graphs[0].weights().chain(graphs[1].weights())); 2];
        }
        let mut scaled = [None, None];
        for (g, side) in ["source", "target"].into_iter().enumerate() {
            if units[g] != 1.0 {
                scaled[g] = Some(graphs[g].in_unit(units[g])?);
                log.note(format!(
                    "the weights of the {side} graph are too large or too small to compute with: \
                     they, times and eigenvalues are in units of {:e}",
                    units[g]
                ));
            }
        }
        Ok(scaled)
    }

    fn check(&self) -> Result<()> {
        for (name, value) in [
            ("proximity_weight", self.proximity_weight),
            ("anchor_weight", self.anchor_weight),
            ("wave_weight", self.wave_weight),
        ] {
            if !(value >= 0.0 && value.is_finite()) {
                return Err(Error::parameter(name, value, "a finite number, at least 0"));
            }
        }
        Ok(())
    }
}
