//! Preset `paper`: the method of Hu, Rustamov, Guibas, step by step.
//!
//! 1. eigenpairs of both Laplacians;
//! 2. heat kernels k_t and k'_t, each graph at its own time and relative to even heat 1/n;
//! 3. heat to anchors, d_ap, and B learned from the anchors, which gives d_B;
//! 4. affinities: W's diagonal from d_B and d_ap, the rest from d_k;
//! 5. RRWM and a linear assignment over the nodes that are not anchors.
//!
//! What the paper leaves open is a parameter here, with a default that was measured.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{FreeNodes, Log, Matcher, Terms, assemble, by_name, candidates, check};
use crate::affinity::first_order::{add_affinity, diffusion_loss, heat_to_anchors, wave_distance};
use crate::affinity::likelihood::unit;
use crate::affinity::proximity::{Examples, LearnedProximity, Learner};
use crate::affinity::second_order::bandwidth;
use crate::anchors::{Anchor, Anchors};
use crate::error::{Error, Hint, Result};
use crate::graph::Graph;
use crate::linalg::Matrix;
use crate::matching::{Matching, Measure};
use crate::monitor::Monitor;
use crate::problem::{GaussianKernel, Problem, ProductPairwise, SeparablePairwise, Weights};
use crate::settings::{self, Settings};
use crate::solver::{Rrwm, Solver, Start};
use crate::spectral::{Spectrum, diffusion_time, heat_kernel, mean_eigenvalue};
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
    /// The largest error of an affinity in the separable kernel. Default 1e-6.
    pub kernel_tolerance: f64,
    /// The solver. Default RRWM, the paper's.
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
            kernel_tolerance: 1e-6,
            solver: Arc::new(Rrwm::default()),
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

/// n · k_t: heat in units of the even distribution 1/n, so that graphs of different sizes compare.
/// Between graphs of one size it changes nothing, as every affinity is relative to a mean.
fn relative_heat(spectrum: &Spectrum, time: f64) -> Matrix {
    let mut kernel = heat_kernel(spectrum, time);
    let n = spectrum.node_count() as f64;
    for value in kernel.as_mut_slice() {
        *value *= n;
    }
    kernel
}

/// Whether a solver takes programs of kernels, asked with the smallest of them.
fn takes_kernels(solver: &dyn Solver, monitor: &Monitor) -> Result<bool> {
    let values = || Matrix::from_fn(2, 2, |i, j| if i == j { 0.0 } else { 1.0 });
    let kernel = GaussianKernel::new(1.0)?;
    let pairwise = SeparablePairwise::new(values(), values(), kernel, 1e-3, monitor)?;
    let smallest = Problem::maximise(Matrix::zeros(2, 2), Box::new(pairwise))?;
    Ok(solver.accepts(&smallest).is_ok())
}

/// The program with exp(−(x − y)²/s) expanded to first order, 1 − (x² + y² − 2xy)/s: over matchings of
/// everybody, x² and y² sum to the same, and (2/s) xy is all that differs.
fn expanded(unary: Matrix, mut x: Matrix, y: Matrix, s: f64) -> Result<Problem> {
    x.as_mut_slice().iter_mut().for_each(|v| *v *= 2.0 / s);
    let (pairwise, _) = ProductPairwise::new(Weights::Dense(x), Weights::Dense(y))?;
    Problem::maximise(unary, Box::new(pairwise))
}

/// One run of the pipeline.
struct Run<'a> {
    preset: &'a Paper,
    graphs: [&'a Graph; 2],
    anchors: &'a Anchors,
    free: FreeNodes,
    monitor: &'a Monitor,
    log: Log,
}

impl Run<'_> {
    /// The terms that this input supports; what drops out is noted.
    fn effective_terms(&mut self) -> Terms {
        let asked = self.preset.terms;
        let mut terms = asked;
        if self.anchors.is_empty() && terms != terms.without_anchors() {
            terms = terms.without_anchors();
            self.log.note(format!(
                "no anchors were given: the anchor terms of {asked} drop out, {terms} is left"
            ));
        }
        for (graph, side) in self.graphs.iter().zip(["source", "target"]) {
            if terms.uses_heat() && graph.has_negative_weights() {
                self.log.note(format!(
                    "the {side} graph has negative weights: terms built on the Laplacian use max(w, 0)"
                ));
            }
        }
        self.log.parameter("preset", "paper");
        self.log.parameter("terms", terms);
        terms
    }

    /// W over the free nodes.
    fn problem(&mut self, terms: Terms) -> Result<Problem> {
        let (rows, columns) = (self.free.source.len(), self.free.target.len());
        let unary_bytes = (rows as u64)
            .saturating_mul(columns as u64)
            .saturating_mul(8);
        self.monitor
            .reserve("the affinities of all pairs", unary_bytes, DENSE_HINT)?;
        let mut unary = Matrix::zeros(rows, columns);
        let [x, y] = if terms.uses_heat() {
            self.heat(terms, &mut unary)?
        } else {
            let monitor = self.monitor;
            let [first, second] = self.square_bytes();
            monitor.reserve(
                "the adjacency matrices",
                first.saturating_add(second),
                DENSE_HINT,
            )?;
            [
                self.graphs[0]
                    .adjacency()
                    .select(&self.free.source, &self.free.source),
                self.graphs[1]
                    .adjacency()
                    .select(&self.free.target, &self.free.target),
            ]
        };
        let watch = self.monitor.stopwatch();
        self.monitor.enter("affinities")?;
        let kernel = GaussianKernel::new(bandwidth(&x, &y, self.preset.width)?)?;
        let tolerance = self.preset.kernel_tolerance;
        self.log.parameter("affinity width", self.preset.width);
        self.log.parameter("affinity s", kernel.bandwidth());
        let solver = self.preset.solver.as_ref();
        let problem = if takes_kernels(solver, self.monitor)? {
            let pairwise = SeparablePairwise::new(x, y, kernel, tolerance, self.monitor)?;
            self.log.parameter("kernel tolerance", tolerance);
            self.log.parameter("kernel rank", pairwise.rank());
            Problem::maximise(unary, Box::new(pairwise))?
        } else {
            self.log.note(format!(
                "{} takes products alone: the affinities are expanded to first order",
                solver.info().name
            ));
            expanded(unary, x, y, kernel.bandwidth())?
        };
        self.log.parameter("solver", solver.info().name);
        self.log.time("affinities", watch.seconds());
        Ok(problem)
    }

    /// The heat kernels between free nodes, and the first-order terms into `unary`.
    fn heat(&mut self, terms: Terms, unary: &mut Matrix) -> Result<[Matrix; 2]> {
        let (monitor, graphs) = (self.monitor, self.graphs);
        let [first, second] = self.square_bytes();
        let both = first.saturating_add(second);
        let watch = monitor.stopwatch();
        let spectra = [
            Spectrum::of(graphs[0], monitor)?,
            Spectrum::of(graphs[1], &monitor.holding(first))?,
        ];
        self.log.diagnostics.source_eigenvalues = spectra[0].eigenvalues().to_vec();
        self.log.diagnostics.target_eigenvalues = spectra[1].eigenvalues().to_vec();
        self.log.time("eigenpairs", watch.seconds());

        let watch = monitor.stopwatch();
        monitor
            .holding(both)
            .reserve("the heat kernels", both.saturating_mul(2), DENSE_HINT)?;
        monitor.enter("heat kernels")?;
        let times = [
            diffusion_time(graphs[0], self.preset.tau)?,
            diffusion_time(graphs[1], self.preset.tau)?,
        ];
        let kernels = [0, 1].map(|g| relative_heat(&spectra[g], times[g]));
        self.log.parameter("tau", self.preset.tau);
        self.log.parameter("source diffusion time", times[0]);
        self.log.parameter("target diffusion time", times[1]);
        self.log.time("heat kernels", watch.seconds());

        self.first_order(terms, &spectra, &kernels, unary)?;
        Ok([
            kernels[0].select(&self.free.source, &self.free.source),
            kernels[1].select(&self.free.target, &self.free.target),
        ])
    }

    fn first_order(
        &mut self,
        terms: Terms,
        spectra: &[Spectrum; 2],
        kernels: &[Matrix; 2],
        unary: &mut Matrix,
    ) -> Result<()> {
        let preset = self.preset;
        let (source, target) = (&self.free.source, &self.free.target);
        if terms.uses_wave() {
            let means = self.graphs.map(mean_eigenvalue);
            let spectra = [&spectra[0], &spectra[1]];
            let distance = wave_distance(spectra, means, preset.wave_energies, source, target)?;
            add_affinity(unary, &distance, preset.wave_weight);
            self.log.parameter("wave energies", preset.wave_energies);
            self.log.parameter("c_wks", preset.wave_weight);
        }
        if terms.uses_heat_to_anchors() {
            let kernels = [&kernels[0], &kernels[1]];
            let distance = heat_to_anchors(kernels, self.anchors, source, target);
            add_affinity(unary, &distance, preset.anchor_weight);
            self.log.parameter("c_ap", preset.anchor_weight);
        }
        if terms.uses_proximity() {
            self.proximity(spectra, kernels, unary)?;
        }
        Ok(())
    }

    fn proximity(
        &mut self,
        spectra: &[Spectrum; 2],
        kernels: &[Matrix; 2],
        unary: &mut Matrix,
    ) -> Result<()> {
        let watch = self.monitor.stopwatch();
        let preset = self.preset;
        let fewest = spectra[0].node_count().min(spectra[1].node_count());
        let count = preset.eigenvectors.min(fewest - 1);
        if count == 0 {
            self.log
                .note("there is no non-constant eigenvector to compare: d_B drops out");
            return Ok(());
        }
        let features = [0, 1].map(|g| spectra[g].squared_eigenvectors(count));
        let learned = self.learn(&features, kernels)?;
        let columns: Vec<usize> = (0..count).collect();
        let distance = learned.distance(
            &features[0].select(&self.free.source, &columns),
            &features[1].select(&self.free.target, &columns),
        );
        add_affinity(unary, &distance, preset.proximity_weight);
        let log = &mut self.log;
        log.diagnostics.learner_violations = learned.rounds.iter().map(|r| r.violation).collect();
        log.parameter("eigenvectors K", count);
        log.parameter("C", preset.learner.c);
        log.parameter(
            "learner",
            format!("{:?}", preset.learner.mode).to_lowercase(),
        );
        log.parameter(
            "learner ended",
            format!("{:?}", learned.status).to_lowercase(),
        );
        log.parameter("c_B", preset.proximity_weight);
        log.time("learn proximity", watch.seconds());
        Ok(())
    }

    fn learn(&self, features: &[Matrix; 2], kernels: &[Matrix; 2]) -> Result<LearnedProximity> {
        let pairs: Vec<Anchor> = self.anchors.iter().collect();
        let source_nodes: Vec<usize> = pairs.iter().map(|p| p.source).collect();
        let target_nodes: Vec<usize> = pairs.iter().map(|p| p.target).collect();
        let examples = Examples {
            source: &features[0],
            target: &features[1],
            anchors: &pairs,
            source_loss: &diffusion_loss(&kernels[0], &source_nodes),
            target_loss: &diffusion_loss(&kernels[1], &target_nodes),
        };
        self.preset.learner.learn(&examples, self.monitor)
    }

    /// Bytes of an n×n matrix of each graph.
    fn square_bytes(&self) -> [u64; 2] {
        self.graphs.map(|graph| {
            let n = graph.node_count() as u64;
            n.saturating_mul(n).saturating_mul(8)
        })
    }
}
