//! One run of the paper's pipeline: from two graphs and their anchors to W.

use std::sync::Arc;

use super::reading::{AnchorHeat, FirstOrder, ProximityLearner};
use super::{DENSE_HINT, Paper, Shared};
use crate::affinity::first_order::{
    add_affinity, diffusion_loss, heat_to_anchors, heat_to_each_anchor, wave_distance,
};
use crate::affinity::proximity::Examples;
use crate::affinity::second_order::bandwidth;
use crate::anchors::{Anchor, Anchors};
use crate::error::Result;
use crate::graph::Graph;
use crate::linalg::Matrix;
use crate::matcher::{FreeNodes, Log, Terms};
use crate::monitor::Monitor;
use crate::problem::{GaussianKernel, Problem, ProductPairwise, SeparablePairwise, Weights};
use crate::solver::Solver;
use crate::spectral::{Spectrum, diffusion_time, heat_kernel, mean_eigenvalue};

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
pub(super) struct Run<'a> {
    pub(super) preset: &'a Paper,
    pub(super) graphs: [&'a Graph; 2],
    pub(super) anchors: &'a Anchors,
    pub(super) free: FreeNodes,
    pub(super) monitor: &'a Monitor,
    /// What other runs on the same input have done.
    pub(super) shared: Option<&'a Shared>,
    pub(super) log: Log,
}

impl Run<'_> {
    /// The terms that this input supports; what drops out is noted.
    pub(super) fn effective_terms(&mut self) -> Terms {
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
    pub(super) fn problem(&mut self, terms: Terms) -> Result<Problem> {
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
        let absent = self.preset.reading.absent_edges;
        let [x, y] = if terms.uses_heat() {
            [x, y]
        } else {
            absent.placed([x, y], kernel.bandwidth())
        };
        let tolerance = self.preset.kernel_tolerance;
        self.log.parameter("affinity width", self.preset.width);
        self.log.parameter("affinity s", kernel.bandwidth());
        let solver = self.preset.solver.as_ref();
        let problem = if takes_kernels(solver, self.monitor)? {
            let pairwise = match self.shared {
                Some(shared) => {
                    let known = shared.pairwise([x, y], kernel, tolerance, self.monitor)?;
                    Arc::unwrap_or_clone(known)
                }
                None => SeparablePairwise::new(x, y, kernel, tolerance, self.monitor)?,
            };
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
            self.spectrum(graphs[0], monitor)?,
            self.spectrum(graphs[1], &monitor.holding(first))?,
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

    fn spectrum(&self, graph: &Graph, monitor: &Monitor) -> Result<Arc<Spectrum>> {
        match self.shared {
            Some(shared) => shared.spectrum(graph, monitor),
            None => Spectrum::of(graph, monitor).map(Arc::new),
        }
    }

    fn first_order(
        &mut self,
        terms: Terms,
        spectra: &[Arc<Spectrum>; 2],
        kernels: &[Matrix; 2],
        unary: &mut Matrix,
    ) -> Result<()> {
        let preset = self.preset;
        let (source, target) = (&self.free.source, &self.free.target);
        if terms.uses_wave() {
            let means = self.graphs.map(mean_eigenvalue);
            let spectra = [&*spectra[0], &*spectra[1]];
            let distance = wave_distance(spectra, means, preset.wave_energies, source, target)?;
            add_affinity(unary, &distance, preset.wave_weight);
            self.log.parameter("wave energies", preset.wave_energies);
            self.log.parameter("c_wks", preset.wave_weight);
        }
        let mut distances = Vec::new();
        if terms.uses_heat_to_anchors() {
            let kernels = [&kernels[0], &kernels[1]];
            let distance = match preset.reading.anchor_heat {
                AnchorHeat::Summed => heat_to_anchors(kernels, self.anchors, source, target),
                AnchorHeat::Each => heat_to_each_anchor(kernels, self.anchors, source, target),
            };
            distances.push((distance, preset.anchor_weight));
            self.log.parameter("c_ap", preset.anchor_weight);
        }
        if terms.uses_proximity()
            && let Some(distance) = self.proximity(spectra, kernels)?
        {
            distances.push((distance, preset.proximity_weight));
            self.log.parameter("c_B", preset.proximity_weight);
        }
        match preset.reading.first_order {
            FirstOrder::SumOfAffinities => {
                for (distance, weight) in &distances {
                    add_affinity(unary, distance, *weight);
                }
            }
            FirstOrder::AffinityOfSum => {
                let mut sum = Matrix::zeros(unary.rows(), unary.cols());
                let mut total = 0.0;
                for (distance, weight) in &distances {
                    total += weight;
                    let pairs = sum.as_mut_slice().iter_mut().zip(distance.as_slice());
                    pairs.for_each(|(slot, d)| *slot += weight * d);
                }
                if !distances.is_empty() {
                    add_affinity(unary, &sum, total);
                }
            }
        }
        Ok(())
    }

    /// d_B between free nodes, where there is anything to compare.
    fn proximity(
        &mut self,
        spectra: &[Arc<Spectrum>; 2],
        kernels: &[Matrix; 2],
    ) -> Result<Option<Matrix>> {
        let watch = self.monitor.stopwatch();
        let preset = self.preset;
        let reading = &preset.reading;
        let fewest = spectra[0].node_count().min(spectra[1].node_count());
        let count = preset.eigenvectors.min(fewest - 1);
        if count == 0 {
            self.log
                .note("there is no non-constant eigenvector to compare: d_B drops out");
            return Ok(None);
        }
        let of = |g: usize| reading.features.of(self.graphs[g], &spectra[g], count);
        let features = [of(0)?, of(1)?];
        let columns: Vec<usize> = (0..count).collect();
        let free = [
            features[0].select(&self.free.source, &columns),
            features[1].select(&self.free.target, &columns),
        ];
        let distance = if reading.proximity_learner == ProximityLearner::Xing {
            let learn = |examples: &Examples<'_>| reading.xing.learn(examples, self.monitor);
            let learned = self.with_examples(&features, kernels, learn)?;
            self.log.parameter("learner", "xing");
            learned.distance(&free[0], &free[1])
        } else {
            let learn = |examples: &Examples<'_>| match self.shared {
                Some(shared) => shared.learned(&preset.learner, examples, self.monitor),
                None => preset.learner.learn(examples, self.monitor).map(Arc::new),
            };
            let learned = self.with_examples(&features, kernels, learn)?;
            let log = &mut self.log;
            log.diagnostics.learner_violations =
                learned.rounds.iter().map(|r| r.violation).collect();
            log.parameter("C", preset.learner.c);
            log.parameter(
                "learner",
                format!("{:?}", preset.learner.mode).to_lowercase(),
            );
            log.parameter(
                "learner ended",
                format!("{:?}", learned.status).to_lowercase(),
            );
            learned.distance(&free[0], &free[1])
        };
        self.log.parameter("eigenvectors K", count);
        self.log.time("learn proximity", watch.seconds());
        Ok(Some(distance))
    }

    /// What the anchors have to teach.
    fn with_examples<T>(
        &self,
        features: &[Matrix; 2],
        kernels: &[Matrix; 2],
        learn: impl FnOnce(&Examples<'_>) -> Result<T>,
    ) -> Result<T> {
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
        learn(&examples)
    }

    /// Bytes of an n×n matrix of each graph.
    fn square_bytes(&self) -> [u64; 2] {
        self.graphs.map(|graph| {
            let n = graph.node_count() as u64;
            n.saturating_mul(n).saturating_mul(8)
        })
    }
}
